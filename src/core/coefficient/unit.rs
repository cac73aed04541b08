//! What a coefficient sees: one unit's counts, and marginals over units.

use super::Within;
use crate::core::difference::Weight;
use crate::core::tally::{Cell, Pattern};
use crate::core::twofold::Twofold;

/// One unit's counts.
pub(super) struct Unit<'a>(pub &'a Pattern);

/// The pairs that a coefficient observes in a unit: each rating on the left with each on the right.
pub(super) struct Pairs {
    pub left: Vec<Weight>,
    /// `None`: pairs of two different ratings on the left.
    pub right: Option<Vec<Weight>>,
    /// Number of pairs.
    pub n_pairs: Twofold,
    /// Number of ratings in them.
    pub n_ratings: u64,
    /// The unit's weight in the mean over units.
    pub weight: u64,
}

impl Unit<'_> {
    /// m[g, u]: number of ratings in a pool.
    pub fn n_ratings(&self, pool: u32) -> u64 {
        self.of(pool).iter().map(|cell| u64::from(cell.count)).sum()
    }

    /// m[g, u], or 0 where the unit is not among those looked at.
    pub fn n_ratings_within(&self, within: &Within) -> u64 {
        if within.among.is_empty() || self.0.iter().any(|cell| within.among.contains(&cell.pool)) {
            return self.n_ratings(within.pool);
        }
        0
    }

    /// Number of ratings in all pools.
    pub fn n_all(&self) -> u64 {
        self.0.iter().map(|cell| u64::from(cell.count)).sum()
    }

    /// c[g, u, k] over the values k that occur.
    pub fn counts(&self, pool: u32) -> Vec<Weight> {
        self.of(pool).iter().map(|cell| (cell.value, u64::from(cell.count).into())).collect()
    }

    /// Counts over all pools together.
    pub fn all_counts(&self) -> Vec<Weight> {
        let mut places: Vec<(u32, u64)> = self.0.iter().map(|cell| (cell.value, cell.count.into())).collect();
        places.sort_unstable();
        let same_value = places.chunk_by(|a, b| a.0 == b.0);
        same_value.map(|run| (run[0].0, run.iter().map(|&(_, count)| count).sum::<u64>().into())).collect()
    }

    /// The counts of a pool, which stand together: a unit of many raters is not searched for each of them.
    fn of(&self, pool: u32) -> &[Cell] {
        let start = self.0.partition_point(|cell| cell.pool < pool);
        let length = self.0[start..].partition_point(|cell| cell.pool == pool);
        &self.0[start..start + length]
    }
}

impl Pairs {
    /// All pairs of m >= 2 ratings; the unit counts as `weight`.
    pub fn within(counts: Vec<Weight>, m: u64, weight: u64) -> Option<Pairs> {
        let n_pairs = Twofold::from(m) * Twofold::from(m.checked_sub(1)?);
        (m >= 2).then_some(Pairs { left: counts, right: None, n_pairs, n_ratings: m, weight })
    }
}

/// Counts over the domain, a vector a marginal.
pub(super) struct Marginals<'a> {
    pub counts: &'a [u64],
    pub n_values: usize,
}

impl Marginals<'_> {
    /// Number of marginals.
    pub fn len(&self) -> usize {
        self.counts.len() / self.n_values.max(1)
    }

    /// Marginal i.
    pub fn of(&self, i: usize) -> &[u64] {
        &self.counts[i * self.n_values..(i + 1) * self.n_values]
    }

    /// Number of ratings in marginal i.
    pub fn total(&self, i: usize) -> u64 {
        self.of(i).iter().sum()
    }

    /// Marginal i as weights.
    pub fn weights(&self, i: usize) -> Vec<Weight> {
        let counts = (0..).zip(self.of(i)).filter(|(_, &n)| n > 0);
        counts.map(|(k, &n)| (k, n.into())).collect()
    }
}

/// Sums of weights, value by value.
pub(super) struct Mixture(Vec<Twofold>);

impl Mixture {
    pub fn new(n_values: usize) -> Mixture {
        Mixture(vec![Twofold::ZERO; n_values])
    }

    /// Adds counts divided by a number.
    pub fn add(&mut self, counts: &[u64], divisor: u64) {
        for (sum, &n) in self.0.iter_mut().zip(counts) {
            if n > 0 {
                *sum += Twofold::from(n) / Twofold::from(divisor);
            }
        }
    }

    /// Adds weights.
    pub fn add_weights(&mut self, weights: &[Weight]) {
        for &(k, weight) in weights {
            self.0[k as usize] += weight;
        }
    }

    /// The weights that are not zero.
    pub fn weights(&self) -> Vec<Weight> {
        (0..).zip(&self.0).filter(|(_, weight)| !weight.is_zero()).map(|(k, &weight)| (k, weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_found_wherever_it_stands() {
        let cells = [(0, 0, 2), (0, 3, 1), (2, 1, 4), (5, 0, 1), (5, 2, 3)];
        let cells = cells.map(|(pool, value, count)| Cell { pool, value, count });
        let unit = Unit(&cells);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|pool| unit.n_ratings(pool)), [3, 0, 4, 0, 0, 4, 0]);
        assert_eq!(unit.of(5), &cells[3..]);
        assert!(Unit(&[]).of(0).is_empty());
    }
}
