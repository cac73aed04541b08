//! Estimates of one pool without patterns: pairs of values inside units, counted by the number of ratings in a unit.
//!
//! Every coefficient of one pool weights a unit by its number of ratings alone, so these counts are all it needs. They
//! hold no more than K x K numbers for each size of unit, however many patterns there are, but cannot be resampled.

use std::collections::BTreeMap;

use super::analysis::Outcome;
use super::unit::{Marginals, Unit};
use super::value::{pairable, Value};
use super::{rule_of_one_pool, Coefficient};
use crate::core::difference::{Difference, Level};
use crate::core::tally::Cell;
use crate::core::twofold::Twofold;
use crate::core::{Error, Watch};

/// Counts by number of ratings in a unit.
pub struct PairCounts {
    n_values: usize,
    sizes: BTreeMap<u64, Size>,
}

/// Units with one number of ratings.
pub struct Size {
    /// Number of units.
    pub n_units: u64,
    /// Ratings of each value.
    pub counts: Vec<u64>,
    /// Σ_u c[u, k] c[u, l] in row k, column l <= k.
    products: Vec<u64>,
}

impl PairCounts {
    /// No counts yet, over a domain of so many values.
    pub fn new(n_values: usize) -> PairCounts {
        PairCounts { n_values, sizes: BTreeMap::new() }
    }

    /// The counts of units with m ratings.
    pub fn of_size(&mut self, m: u64) -> &mut Size {
        let n = self.n_values;
        self.sizes.entry(m).or_insert_with(|| Size { n_units: 0, counts: vec![0; n], products: vec![0; n * n] })
    }

    /// Number of values in the domain.
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// Number of units.
    pub fn n_units(&self) -> u64 {
        self.sizes.values().map(|size| size.n_units).sum()
    }

    /// A coefficient of pool 0, without replicates.
    pub fn estimate(&self, coefficient: &Coefficient, level: &Level, watch: &Watch) -> Result<Outcome, Error> {
        level.check(self.n_values)?;
        let sizes = self.sizes.keys().copied().filter(|&m| m > 0);
        let rule = rule_of_one_pool(coefficient, sizes)
            .ok_or(Error::Coefficient { at: 0, why: "pair counts are of one pool" })?;
        let mut counts = vec![0; rule.n_marginals() * self.n_values];
        let (mut weight, mut n_units, mut n_pairable) = (0, 0, 0);
        let mut shares = Vec::new();
        for (&m, size) in &self.sizes {
            let pattern = [Cell { pool: 0, value: 0, count: m as u32 }];
            let unit = Unit::new(if m > 0 { &pattern } else { &[] });
            if !rule.enters(&unit) {
                continue;
            }
            n_units += size.n_units;
            if let Some(marginal) = rule.marginal(&unit, 0) {
                let counts = &mut counts[marginal * self.n_values..][..self.n_values];
                counts.iter_mut().zip(&size.counts).for_each(|(sum, n)| *sum += n);
            }
            if let Some(pairs) = rule.pairs(&unit) {
                weight += pairs.weight * size.n_units;
                n_pairable += pairs.n_ratings * size.n_units;
                shares.push((Twofold::from(pairs.weight) / pairs.n_pairs, size));
            }
        }
        let marginals = Marginals { counts: &counts, n_values: self.n_values, copies: (0, Twofold::ZERO) };
        let held = |k: usize| rule.is_scaled() || (0..marginals.len()).any(|i| marginals.of(i)[k] > 0);
        let difference = level
            .difference(&(0..self.n_values).map(held).collect::<Vec<_>>())
            .unwrap_or_else(|| Difference::of_ranks(pairable(rule.as_ref(), &marginals)));
        let sum = shares.iter().fold(Twofold::ZERO, |sum, (share, size)| sum + size.disagreement(&difference) * *share);
        let value = Value::new(rule.as_ref(), (sum, weight), &marginals, (&difference, None), watch);
        Ok(Outcome::new(value.coefficient(), value.rounded(), (n_units, n_pairable), None))
    }
}

impl Size {
    /// Σ_u W[u]: d² over the pairs of values inside these units.
    fn disagreement(&self, difference: &Difference) -> Twofold {
        let n_values = self.counts.len();
        let pairs = (0..n_values).flat_map(|k| (0..k).map(move |l| (k, l)));
        let half = pairs.fold(Twofold::ZERO, |sum, (k, l)| {
            sum + difference.d2(k, l) * Twofold::from(self.products[k * n_values + l])
        });
        half * 2.0
    }

    /// Adds to Σ_u c[u, k] c[u, l].
    pub fn add(&mut self, k: usize, l: usize, products: u64) {
        let n_values = self.counts.len();
        self.products[k.max(l) * n_values + k.min(l)] += products;
    }
}
