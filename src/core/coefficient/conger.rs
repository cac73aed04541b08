//! Conger's kappa for several raters (1980, doi:10.1037/0033-2909.88.2.322), for available data as in Gwet (2014).
//!
//! observed as Fleiss over all raters; expected = mean over pairs of raters of Σ_kl p[r, k] p[s, l] d²(k, l), each
//! rater's p from all ratings of that rater. Raters without a rating make no pair.

use super::unit::Mixture;
use super::{Difference, Marginals, Pairs, Rule, Twofold, Unit, Watch};

pub(super) struct Conger {
    /// Ascending.
    raters: Vec<u32>,
}

impl Conger {
    pub fn new(raters: &[u32]) -> Conger {
        let mut raters = raters.to_vec();
        raters.sort_unstable();
        Conger { raters }
    }
}

impl Rule for Conger {
    fn enters(&self, unit: &Unit) -> bool {
        unit.n_all() >= 1
    }

    fn pairs(&self, unit: &Unit) -> Option<Pairs> {
        Pairs::within(unit.all_counts(), unit.n_all(), 1)
    }

    /// Two a rater: ratings in units with a pair, and the others.
    fn n_marginals(&self) -> usize {
        2 * self.raters.len()
    }

    fn marginal(&self, unit: &Unit, pool: u32) -> Option<usize> {
        let rater = self.raters.binary_search(&pool).ok()?;
        let is_alone = matches!(unit.cells, [cell] if cell.count == 1);
        Some(2 * rater + usize::from(is_alone))
    }

    fn is_pairable(&self, marginal: usize) -> bool {
        marginal.is_multiple_of(2)
    }

    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        let shares = marginals.counts.chunks_exact(2 * marginals.n_values.max(1)).map(|counts| {
            let n = counts.iter().sum();
            let mut p = Mixture::new(marginals.n_values);
            if n > 0 {
                counts.chunks_exact(marginals.n_values).for_each(|counts| p.add(counts, n));
            }
            p
        });
        over_pairs_of_raters(&shares.collect::<Vec<_>>(), marginals.n_values, difference, watch)
    }
}

/// The mean over pairs of raters r < s of Σ_kl p[r, k] p[s, l] d²(k, l), as all pairs less those of a rater with itself.
pub(super) fn over_pairs_of_raters(
    shares: &[Mixture],
    n_values: usize,
    difference: &Difference,
    watch: &Watch,
) -> Option<Twofold> {
    let mut sum = Mixture::new(n_values);
    let mut own = Twofold::ZERO;
    let mut b = 0;
    for p in shares.iter().map(Mixture::weights).filter(|p| !p.is_empty()) {
        own += difference.between(&p, &p, watch);
        sum.add_weights(&p);
        b += 1;
    }
    if b < 2 {
        return None;
    }
    let all = sum.weights();
    Some((difference.between(&all, &all, watch) - own) / Twofold::from(b * (b - 1)))
}
