//! Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").
//!
//! observed = (1/N) Σ_u W[u]/(m[u] - 1), expected = Σ_kl N_k N_l d²(k, l)/(N (N - 1)), over units with m >= 2.
//! His data C, 4 raters x 12 units: nominal 0.743421, ordinal 0.815388, interval 0.849107, ratio 0.797403.

use super::{Chance, Pairs, Rule, Unit, Within};

pub(super) struct Alpha(pub Within);

impl Rule for Alpha {
    fn enters(&self, unit: &Unit) -> bool {
        unit.has_pair_within(&self.0)
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        unit.pairs_within(self.0.pool, unit.n_ratings(self.0.pool))
    }

    fn n_marginals(&self) -> usize {
        1
    }

    fn marginal(&self, _: &Unit, pool: u32) -> Option<usize> {
        (pool == self.0.pool).then_some(0)
    }

    fn chance(&self) -> Option<Chance> {
        Some(Chance::Within)
    }
}
