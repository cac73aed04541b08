//! Coefficients whose chance agreement depends on the size K of the domain: Gwet's AC1 and AC2 (2008,
//! doi:10.1348/000711006X126600) and Brennan and Prediger's (1981, doi:10.1177/001316448104100307).
//!
//! With agreement weights w = 1 - d²/max(d²) and T their sum over the K x K table, chance agreement is
//! T/(K (K - 1)) Σ p_k (1 - p_k) for AC and T/K² for Brennan-Prediger.

use super::fleiss::Fleiss;
use super::{Difference, Marginals, Pairs, Rule, Twofold, Unit, Watch, Within};
use crate::core::difference::Weight;

/// T/K², the mean agreement weight of the table; `None` for a domain of one value.
fn mean_weight(n_values: usize, difference: &Difference, watch: &Watch) -> Option<Twofold> {
    let largest = difference.largest(n_values, watch);
    if largest.is_zero() {
        return None;
    }
    let one_each: Vec<Weight> = (0..n_values as u32).map(|k| (k, Twofold::ONE)).collect();
    let cells = Twofold::from(n_values as u64).square();
    Some(Twofold::ONE - difference.between(&one_each, &one_each, watch) / (largest * cells))
}

pub(super) struct GwetAc(Fleiss);

impl GwetAc {
    pub fn new(within: Within, sizes: impl Iterator<Item = u64>) -> GwetAc {
        GwetAc(Fleiss::new(within, sizes))
    }
}

impl Rule for GwetAc {
    fn enters(&self, unit: &Unit) -> bool {
        self.0.enters(unit)
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        self.0.pairs(unit)
    }

    fn n_marginals(&self) -> usize {
        self.0.n_marginals()
    }

    fn marginal(&self, unit: &Unit, pool: u32) -> Option<usize> {
        self.0.marginal(unit, pool)
    }

    fn is_pairable(&self, marginal: usize) -> bool {
        self.0.is_pairable(marginal)
    }

    fn is_scaled(&self) -> bool {
        true
    }

    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        let (p, n_units) = self.0.shares(marginals);
        let k = Twofold::from(marginals.n_values as u64);
        let mean_weight = mean_weight(marginals.n_values, difference, watch)?;
        if n_units.is_zero() {
            return None;
        }
        let spread = p.iter().fold(Twofold::ZERO, |sum, &(_, p)| sum + p * (n_units - p)) / n_units.square();
        Some(Twofold::ONE - mean_weight * k / (k - Twofold::ONE) * spread)
    }
}

pub(super) struct BrennanPrediger(pub Within);

impl Rule for BrennanPrediger {
    fn enters(&self, unit: &Unit) -> bool {
        unit.has_pair_within(&self.0)
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        unit.pairs_within(self.0.pool, 1)
    }

    fn n_marginals(&self) -> usize {
        1
    }

    fn marginal(&self, _: &Unit, pool: u32) -> Option<usize> {
        (pool == self.0.pool).then_some(0)
    }

    fn is_scaled(&self) -> bool {
        true
    }

    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        Some(Twofold::ONE - mean_weight(marginals.n_values, difference, watch)?)
    }
}
