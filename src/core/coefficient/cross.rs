//! Cross-kappa of two pools (Wong, Paritosh and Aroyo 2021, doi:10.18653/v1/2021.acl-long.548, eq. 6 to 11).
//!
//! observed = Σ_u (R[u] + S[u])/(R + S) C[u]/(R[u] S[u]), expected = Σ_kl X_k Y_l d²(k, l)/(R S), over units that both
//! pools rated. With one rating a unit in each pool it is Cohen's kappa (1960, doi:10.1177/001316446002000104).

use super::{Chance, Pairs, Rule, Twofold, Unit};

pub(super) struct Cross(pub u32, pub u32);

impl Rule for Cross {
    fn enters(&self, unit: &Unit) -> bool {
        unit.n_ratings(self.0) > 0 && unit.n_ratings(self.1) > 0
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        let (r, s) = (unit.n_ratings(self.0), unit.n_ratings(self.1));
        Some(Pairs {
            left: unit.counts(self.0),
            right: Some(unit.counts(self.1)),
            n_pairs: Twofold::from(r) * Twofold::from(s),
            n_ratings: r + s,
            weight: r + s,
            copies: (0, Vec::new()),
        })
    }

    fn n_marginals(&self) -> usize {
        2
    }

    fn marginal(&self, _: &Unit, pool: u32) -> Option<usize> {
        [self.0, self.1].iter().position(|&side| side == pool)
    }

    fn chance(&self) -> Option<Chance> {
        Some(Chance::Across)
    }
}
