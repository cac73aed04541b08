//! Fleiss' kappa (1971, doi:10.1037/h0031619), for available data as Gwet (2014) generalizes it; for two raters it is
//! Scott's pi (1955, doi:10.1086/266577).
//!
//! observed = mean of W[u]/(m[u] (m[u] - 1)) over units with m >= 2; expected = Σ_kl p_k p_l d²(k, l) with p_k the
//! mean of c[u, k]/m[u] over units with m >= 1.

use super::unit::Mixture;
use super::{Difference, Marginals, Pairs, Rule, Twofold, Unit, Watch, Within};
use crate::core::difference::Weight;

pub(super) struct Fleiss {
    within: Within,
    /// The values of m that occur: ratings of units with equal m share a marginal, so that marginals are integers.
    sizes: Vec<u64>,
}

impl Fleiss {
    /// For a pool whose units have these numbers of ratings, none of them 0.
    pub fn new(within: Within, sizes: impl Iterator<Item = u64>) -> Fleiss {
        let mut sizes: Vec<u64> = sizes.collect();
        sizes.sort_unstable();
        sizes.dedup();
        Fleiss { within, sizes }
    }

    /// p_k times the number of units, and that number.
    pub fn shares(&self, marginals: &Marginals) -> (Vec<Weight>, Twofold) {
        let mut p = Mixture::new(marginals.n_values);
        let mut n_units = 0;
        for (i, &m) in self.sizes.iter().enumerate() {
            p.add(marginals.of(i), m);
            n_units += marginals.total(i) / m;
        }
        (p.weights(), n_units.into())
    }
}

impl Rule for Fleiss {
    fn enters(&self, unit: &Unit) -> bool {
        unit.n_ratings_within(&self.within) >= 1
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        unit.pairs_within(self.within.pool, 1)
    }

    fn n_marginals(&self) -> usize {
        self.sizes.len()
    }

    fn marginal(&self, unit: &Unit, pool: u32) -> Option<usize> {
        let size = || self.sizes.binary_search(&unit.n_ratings(pool)).ok();
        (pool == self.within.pool).then(size).flatten()
    }

    fn is_pairable(&self, marginal: usize) -> bool {
        self.sizes[marginal] >= 2
    }

    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        let (p, n_units) = self.shares(marginals);
        (!n_units.is_zero()).then(|| difference.between(&p, &p, watch) / n_units.square())
    }
}
