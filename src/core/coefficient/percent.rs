//! Percent agreement: one minus the mean disagreement of Fleiss, with d² scaled to at most 1 and no chance model.

use super::{Difference, Marginals, Pairs, Rule, Twofold, Unit, Watch, Within};

pub(super) struct Percent(pub Within);

impl Rule for Percent {
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

    fn expected(&self, _: &Marginals, _: &Difference, _: &Watch) -> Option<Twofold> {
        Some(Twofold::ONE)
    }
}
