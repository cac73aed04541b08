//! What a coefficient sees: one unit's counts, and marginals over units.

use super::Within;
use crate::core::difference::Weight;
use crate::core::tally::{Cell, Pattern};
use crate::core::twofold::Twofold;
use crate::core::Tally;

/// One unit's counts.
pub(super) struct Unit<'a> {
    pub cells: &'a Pattern,
    /// Raters who were drawn more than once.
    pub copied: &'a [Copied<'a>],
}

/// A rater who was drawn v > 1 times, so that pairs of two of its copies are among the pairs of ratings.
#[derive(Debug, Clone)]
pub(super) struct Copied<'a> {
    pub pool: u32,
    /// v² - v.
    pub pairs_of_copies: u64,
    /// What the rater gave to the unit, once.
    pub ratings: &'a [Cell],
}

/// Units that a coefficient is computed from, equal ones together.
pub(super) trait Units: Sync {
    /// Number of different units.
    fn len(&self) -> usize;

    /// A unit.
    fn unit(&self, i: usize) -> Unit<'_>;

    /// Number of units in all.
    fn n_units(&self) -> u64;

    /// Number of values in the domain.
    fn n_values(&self) -> usize;
}

impl Units for Tally {
    fn len(&self) -> usize {
        self.n_patterns()
    }

    fn unit(&self, i: usize) -> Unit<'_> {
        Unit::new(self.pattern(i))
    }

    fn n_units(&self) -> u64 {
        Tally::n_units(self)
    }

    fn n_values(&self) -> usize {
        Tally::n_values(self)
    }
}

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
    /// Pairs of copies of one rater, which are no pairs: how many they are in all, and v² - v and the counts of the
    /// raters whose copies disagree.
    pub copies: (u64, Vec<(u64, Vec<Weight>)>),
}

impl<'a> Unit<'a> {
    /// A unit whose raters were all drawn once.
    pub fn new(cells: &'a Pattern) -> Unit<'a> {
        Unit { cells, copied: &[] }
    }

    /// m[g, u]: number of ratings in a pool.
    pub fn n_ratings(&self, pool: u32) -> u64 {
        n_in(self.of(pool))
    }

    /// m[g, u], or 0 where the unit is not among those looked at.
    pub fn n_ratings_within(&self, within: &Within) -> u64 {
        if within.among.is_empty() || self.cells.iter().any(|cell| within.among.contains(&cell.pool)) {
            return self.n_ratings(within.pool);
        }
        0
    }

    /// Number of ratings in all pools.
    pub fn n_all(&self) -> u64 {
        n_in(self.cells)
    }

    /// Whether the pool gave the unit two ratings that make a pair.
    pub fn has_pair_within(&self, within: &Within) -> bool {
        let m = self.n_ratings_within(within);
        m >= 2 && (self.copied.is_empty() || m * (m - 1) > self.n_pairs_of_copies(within.pool))
    }

    /// All pairs of ratings of a pool; the unit counts as `weight`.
    pub fn pairs_within(&self, pool: u32, weight: u64) -> Option<Pairs> {
        let m = self.n_ratings(pool);
        let mut pairs = Pairs::within(self.counts(pool), m, weight)?;
        if self.copied.is_empty() {
            return Some(pairs);
        }
        let copied = self.copied.iter().filter(|copied| copied.pool == pool && copied.ratings.len() > 1);
        let copies = copied.map(|copied| (copied.pairs_of_copies, counts_of(copied.ratings)));
        pairs.copies = (self.n_pairs_of_copies(pool), copies.collect());
        pairs.n_pairs = pairs.n_pairs - Twofold::from(pairs.copies.0);
        (!pairs.n_pairs.is_zero()).then_some(pairs)
    }

    fn n_pairs_of_copies(&self, pool: u32) -> u64 {
        let copied = self.copied.iter().filter(|copied| copied.pool == pool);
        copied.map(|copied| copied.pairs_of_copies * n_in(copied.ratings).pow(2)).sum()
    }

    /// c[g, u, k] over the values k that occur.
    pub fn counts(&self, pool: u32) -> Vec<Weight> {
        counts_of(self.of(pool))
    }

    /// Counts over all pools together.
    pub fn all_counts(&self) -> Vec<Weight> {
        let mut places: Vec<(u32, u64)> = self.cells.iter().map(|cell| (cell.value, cell.count.into())).collect();
        places.sort_unstable();
        let same_value = places.chunk_by(|a, b| a.0 == b.0);
        same_value.map(|run| (run[0].0, run.iter().map(|&(_, count)| count).sum::<u64>().into())).collect()
    }

    /// The counts of a pool, which stand together: a unit of many raters is not searched for each of them.
    fn of(&self, pool: u32) -> &[Cell] {
        let start = self.cells.partition_point(|cell| cell.pool < pool);
        let length = self.cells[start..].partition_point(|cell| cell.pool == pool);
        &self.cells[start..start + length]
    }
}

impl Pairs {
    /// All pairs of m >= 2 ratings; the unit counts as `weight`.
    pub fn within(counts: Vec<Weight>, m: u64, weight: u64) -> Option<Pairs> {
        let n_pairs = Twofold::from(m) * Twofold::from(m.checked_sub(1)?);
        let copies = (0, Vec::new());
        (m >= 2).then_some(Pairs { left: counts, right: None, n_pairs, n_ratings: m, weight, copies })
    }
}

fn counts_of(cells: &[Cell]) -> Vec<Weight> {
    cells.iter().map(|cell| (cell.value, u64::from(cell.count).into())).collect()
}

fn n_in(cells: &[Cell]) -> u64 {
    cells.iter().map(|cell| u64::from(cell.count)).sum()
}

/// Counts over the domain, a vector a marginal.
pub(super) struct Marginals<'a> {
    pub counts: &'a [u64],
    pub n_values: usize,
    /// Pairs of copies of one rater, which chance does not make either: their number and the sum of d² over them.
    pub copies: (u64, Twofold),
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
        let unit = Unit::new(&cells);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|pool| unit.n_ratings(pool)), [3, 0, 4, 0, 0, 4, 0]);
        assert_eq!(unit.of(5), &cells[3..]);
        assert!(Unit::new(&[]).of(0).is_empty());
    }
}
