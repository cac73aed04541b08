//! Iota for one variable (Janson and Olsson 2001, doi:10.1177/00131640121971239): n units rated by all b raters.
//!
//! observed = mean over pairs of raters and units of d²; expected = mean over pairs of raters of
//! Σ_kl p[r, k] p[s, l] d²(k, l). For two raters it is Cohen's kappa.

use super::conger::over_pairs_of_raters;
use super::unit::Mixture;
use super::{Difference, Marginals, Pairs, Rule, Twofold, Unit, Watch};

pub(super) struct Iota {
    /// Ascending, as counts are.
    raters: Vec<u32>,
}

impl Iota {
    pub fn new(raters: &[u32]) -> Iota {
        let mut raters = raters.to_vec();
        raters.sort_unstable();
        Iota { raters }
    }
}

impl Rule for Iota {
    fn enters(&self, unit: &Unit) -> bool {
        let mut rated = unit.cells.iter().map(|cell| cell.pool); // one walk: both are ascending
        self.raters.len() >= 2 && self.raters.iter().all(|&rater| rated.any(|pool| pool == rater))
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        Pairs::within(unit.all_counts(), unit.n_all(), 1)
    }

    fn n_marginals(&self) -> usize {
        self.raters.len()
    }

    fn marginal(&self, _: &Unit, pool: u32) -> Option<usize> {
        self.raters.binary_search(&pool).ok()
    }

    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        let shares = (0..marginals.len()).map(|rater| {
            let mut p = Mixture::new(marginals.n_values);
            p.add(marginals.of(rater), marginals.total(rater));
            p
        });
        over_pairs_of_raters(&shares.collect::<Vec<_>>(), marginals.n_values, difference, watch)
    }
}
