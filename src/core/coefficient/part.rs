//! One coefficient prepared on the units that enter: what each pattern adds to every sum.

use std::sync::Arc;

use rayon::prelude::*;

use super::moments::Moments;
use super::unit::{Marginals, Pairs, Unit, Units};
use super::value::{pairable, Value};
use super::Rule;
use crate::core::difference::{Difference, Weight};
use crate::core::resample::with_threads;
use crate::core::twofold::Twofold;
use crate::core::{Error, Watch};

/// Above this many values a replicate does without counts of values, where the level allows.
const MANY_VALUES: usize = 128;

/// A coefficient prepared on a tally.
pub(super) struct Part {
    pub(super) rule: Box<dyn Rule>,
    pub(super) n_values: usize,
    /// The difference, where it does not depend on the ratings.
    pub(super) fixed: Option<Arc<Difference>>,
    /// The largest difference, where disagreement is measured against it and the difference is fixed.
    largest: Option<Twofold>,
    pub(super) terms: Terms,
}

/// What the patterns add.
pub(super) struct Terms {
    /// The patterns that have a part in the coefficient; what follows has an entry for each.
    pub patterns: Vec<u32>,
    /// `counts[bounds[i]..bounds[i + 1]]`: places in the marginals, and counts.
    bounds: Vec<usize>,
    pub counts: Vec<(u32, u32)>,
    /// Weight in the mean over units, 0 without a pair, and number of ratings in pairs.
    pub weights: Vec<u64>,
    n_ratings: Vec<u64>,
    /// Disagreement times weight, where the difference is fixed.
    pub disagreement: Vec<Twofold>,
    /// The pairs themselves, where it is not.
    pub pairs: Vec<Option<Pairs>>,
    /// Moments, marginal after marginal, where they stand for counts.
    pub moments: Vec<Moments>,
    /// Entries that hold pairs of copies of one rater: how many, and what comes of their disagreement.
    copies: Vec<(usize, u64, Twofold)>,
}

/// Sums over the patterns at some multiplicities.
#[derive(Default)]
pub(super) struct Sums {
    /// Counts of values, marginal after marginal.
    pub counts: Vec<u64>,
    pub moments: Vec<Moments>,
    pub weight: u64,
    /// Of the disagreements, where the difference is fixed.
    pub disagreement: Twofold,
    /// Pairs of copies of one rater, and their disagreement where the difference is fixed.
    pub copies: (u64, Twofold),
}

/// Patterns that one task prepares.
const CHUNK: usize = 1 << 13;

impl Part {
    pub fn new(
        rule: Box<dyn Rule>,
        units: &dyn Units,
        fixed: Option<Arc<Difference>>,
        n_threads: usize,
        watch: &Watch,
    ) -> Result<Part, Error> {
        let n_values = units.n_values();
        if (rule.n_marginals() as u64).saturating_mul(n_values as u64) > u64::from(u32::MAX) {
            return Err(Error::TooMany);
        }
        let terms = Terms::new(rule.as_ref(), units, fixed.as_deref(), n_threads, watch);
        watch.check()?;
        let most = u128::from(terms.weights.iter().copied().max().unwrap_or(0));
        if most * u128::from(units.n_units()) > u128::from(u64::MAX) {
            return Err(Error::TooMany); // a resample could hold the largest unit n times
        }
        let largest = fixed.as_ref().filter(|_| rule.is_scaled()).map(|d2| d2.largest(n_values, watch));
        Ok(Part { rule, n_values, fixed, largest, terms })
    }

    /// The disagreements where pattern p is shown by w[p] units.
    pub fn evaluate(&self, w: &[u64], sums: &mut Sums, watch: &Watch) -> Value {
        self.add_moments(w, sums);
        if let Some(value) = self.by_moments(sums) {
            return value;
        }
        self.add_counts(w, sums);
        self.by_counts(sums, watch, |ranks| {
            (self.disagreement(w, ranks, watch), self.disagreement_of_copies(w, ranks, watch))
        })
    }

    pub fn add_moments(&self, w: &[u64], sums: &mut Sums) {
        if self.terms.moments.is_empty() {
            return;
        }
        let n_marginals = self.rule.n_marginals();
        sums.moments.clear();
        sums.moments.resize(n_marginals, Moments::default());
        sums.weight = 0;
        sums.disagreement = Twofold::ZERO;
        for (i, w) in self.terms.shown(w) {
            let moments = self.terms.moments_of(i, n_marginals);
            sums.moments.iter_mut().zip(moments).for_each(|(sum, moments)| sum.add_times(moments, w));
            sums.disagreement += self.terms.disagreement[i].times(w);
            sums.weight += w * self.terms.weights[i];
        }
        sums.copies = self.copies(w);
    }

    pub fn add_counts(&self, w: &[u64], sums: &mut Sums) {
        sums.counts.clear();
        sums.counts.resize(self.rule.n_marginals() * self.n_values, 0);
        sums.weight = 0;
        sums.disagreement = Twofold::ZERO;
        for (i, w) in self.terms.shown(w) {
            for &(place, count) in self.terms.counts_of(i) {
                sums.counts[place as usize] += w * u64::from(count);
            }
            sums.weight += w * self.terms.weights[i];
            if self.fixed.is_some() {
                sums.disagreement += self.terms.disagreement[i].times(w);
            }
        }
        sums.copies = self.copies(w);
    }

    fn copies(&self, w: &[u64]) -> (u64, Twofold) {
        let shown = self.terms.copies.iter().map(|&(i, pairs, own)| (w[self.terms.patterns[i] as usize], pairs, own));
        shown.fold((0, Twofold::ZERO), |(n, sum), (w, pairs, own)| (n + w * pairs, sum + own.times(w)))
    }

    /// The value from moments, unless there are none or what they leave is too little to be trusted.
    pub fn by_moments(&self, sums: &Sums) -> Option<Value> {
        let difference = self.fixed.as_deref().filter(|_| !self.terms.moments.is_empty())?;
        let chance = self.rule.chance()?;
        let [x, y] = chance.sides().map(|side| &sums.moments[side]);
        let expected = chance.mean(x.between(y)?, [x.n(), y.n()], sums.copies)?;
        Some(Value::of(sums.disagreement, sums.weight, expected, difference))
    }

    /// The value from counts; `of_ranks` sums the disagreements, and those of copies, where ranks decide them.
    pub fn by_counts(
        &self,
        sums: &Sums,
        watch: &Watch,
        of_ranks: impl FnOnce(&Difference) -> (Twofold, Twofold),
    ) -> Value {
        let mut marginals = Marginals { counts: &sums.counts, n_values: self.n_values, copies: sums.copies };
        let rule = self.rule.as_ref();
        match &self.fixed {
            Some(difference) => {
                let sum = (sums.disagreement, sums.weight);
                Value::new(rule, sum, &marginals, (difference, self.largest), watch)
            }
            None => {
                let ranks = Difference::of_ranks(pairable(rule, &marginals));
                let (sum, of_copies) = of_ranks(&ranks);
                marginals.copies.1 = of_copies;
                Value::new(rule, (sum, sums.weight), &marginals, (&ranks, None), watch)
            }
        }
    }

    /// The sum of disagreements under a difference that the ratings decide.
    pub fn disagreement(&self, w: &[u64], difference: &Difference, watch: &Watch) -> Twofold {
        let mut sum = Twofold::ZERO;
        for (i, w) in self.terms.shown(w) {
            if let Some(pairs) = &self.terms.pairs[i] {
                sum += pairs.disagreement(difference, watch).times(w);
            }
        }
        sum
    }

    /// The same over the pairs of copies of one rater.
    fn disagreement_of_copies(&self, w: &[u64], difference: &Difference, watch: &Watch) -> Twofold {
        let mut sum = Twofold::ZERO;
        for &(i, ..) in &self.terms.copies {
            if let Some(pairs) = &self.terms.pairs[i] {
                sum += pairs.of_copies(difference, watch).times(w[self.terms.patterns[i] as usize]);
            }
        }
        sum
    }

    /// Whether the pattern has a part in the coefficient.
    pub fn has(&self, pattern: u32) -> bool {
        self.terms.patterns.binary_search(&pattern).is_ok()
    }

    /// About how many steps an evaluation takes.
    pub fn steps(&self) -> u64 {
        let table = self.fixed.as_ref().is_none_or(|difference| difference.is_summed());
        let values = self.n_values as u64;
        let of_values = if table { values } else { values.saturating_mul(values) };
        self.terms.counts.len() as u64 + of_values * self.rule.n_marginals() as u64
    }

    /// Number of units and of ratings in pairs, where pattern p is shown by w[p] units.
    pub fn sizes(&self, w: &[u64]) -> (u64, u64) {
        let shown = self.terms.shown(w);
        shown.fold((0, 0), |(n_units, n_pairable), (i, w)| (n_units + w, n_pairable + w * self.terms.n_ratings[i]))
    }
}

impl Terms {
    /// Prepares every pattern, chunk after chunk on several threads; they are put together in order.
    fn new(rule: &dyn Rule, units: &dyn Units, fixed: Option<&Difference>, n_threads: usize, watch: &Watch) -> Terms {
        let n_patterns = units.len();
        let values = fixed.and_then(Difference::squared_values);
        let values = values.filter(|_| rule.chance().is_some() && units.n_values() > MANY_VALUES);
        let about = values.map(|values| (values, Moments::pivot(values, units)));
        let prepare = |chunk: usize| {
            let mut terms = Terms::none();
            for p in chunk * CHUNK..n_patterns.min((chunk + 1) * CHUNK) {
                if !watch.is_stopped() {
                    let unit = units.unit(p);
                    terms.add(p, &unit, rule, (fixed, units.n_values()), watch);
                    if let Some((values, pivot)) = about {
                        terms.add_moments(&unit, rule, values, pivot);
                    }
                }
            }
            terms
        };
        let n_chunks = n_patterns.div_ceil(CHUNK);
        if n_chunks <= 1 {
            return prepare(0);
        }
        let chunks: Vec<Terms> = with_threads(n_threads, || (0..n_chunks).into_par_iter().map(prepare).collect());
        let mut all = Terms::none();
        chunks.into_iter().for_each(|chunk| all.append(chunk));
        all
    }

    fn none() -> Terms {
        Terms {
            patterns: Vec::new(),
            bounds: vec![0],
            counts: Vec::new(),
            weights: Vec::new(),
            n_ratings: Vec::new(),
            disagreement: Vec::new(),
            pairs: Vec::new(),
            moments: Vec::new(),
            copies: Vec::new(),
        }
    }

    fn add(
        &mut self,
        pattern: usize,
        unit: &Unit,
        rule: &dyn Rule,
        (fixed, n_values): (Option<&Difference>, usize),
        watch: &Watch,
    ) {
        if !rule.enters(unit) {
            return;
        }
        self.patterns.push(pattern as u32);
        for cell in unit.cells {
            if let Some(marginal) = rule.marginal(unit, cell.pool) {
                self.counts.push(((marginal * n_values) as u32 + cell.value, cell.count));
            }
        }
        self.bounds.push(self.counts.len());
        let pairs = rule.pairs(unit);
        self.weights.push(pairs.as_ref().map_or(0, |pairs| pairs.weight));
        self.n_ratings.push(pairs.as_ref().map_or(0, |pairs| pairs.n_ratings));
        if let Some(pairs) = pairs.as_ref().filter(|pairs| pairs.copies.0 > 0) {
            let of_copies = fixed.map_or(Twofold::ZERO, |difference| pairs.of_copies(difference, watch));
            self.copies.push((self.patterns.len() - 1, pairs.copies.0, of_copies));
        }
        match fixed {
            Some(difference) => {
                self.disagreement.push(pairs.map_or(Twofold::ZERO, |pairs| pairs.disagreement(difference, watch)));
            }
            None => self.pairs.push(pairs),
        }
    }

    /// Moments instead of counts, for levels and chance models that need no more and domains so large that it pays.
    fn add_moments(&mut self, unit: &Unit, rule: &dyn Rule, values: &[f64], pivot: f64) {
        if !rule.enters(unit) {
            return;
        }
        let start = self.moments.len();
        self.moments.resize(start + rule.n_marginals(), Moments::default());
        for cell in unit.cells {
            if let Some(marginal) = rule.marginal(unit, cell.pool) {
                self.moments[start + marginal].add(values[cell.value as usize], cell.count, pivot);
            }
        }
    }

    fn append(&mut self, other: Terms) {
        let start = self.counts.len();
        self.bounds.extend(other.bounds[1..].iter().map(|bound| start + bound));
        let n = self.patterns.len();
        self.copies.extend(other.copies.into_iter().map(|(i, pairs, own)| (n + i, pairs, own)));
        self.patterns.extend(other.patterns);
        self.counts.extend(other.counts);
        self.weights.extend(other.weights);
        self.n_ratings.extend(other.n_ratings);
        self.disagreement.extend(other.disagreement);
        self.pairs.extend(other.pairs);
        self.moments.extend(other.moments);
    }

    /// The patterns that are shown, with how often.
    pub fn shown<'a>(&'a self, w: &'a [u64]) -> impl Iterator<Item = (usize, u64)> + 'a {
        self.patterns.iter().map(|&pattern| w[pattern as usize]).enumerate().filter(|&(_, w)| w > 0)
    }

    pub fn moments_of(&self, i: usize, n_marginals: usize) -> &[Moments] {
        &self.moments[i * n_marginals..][..n_marginals]
    }

    /// Places in the marginals, and counts, of the i-th pattern.
    pub fn counts_of(&self, i: usize) -> &[(u32, u32)] {
        &self.counts[self.bounds[i]..self.bounds[i + 1]]
    }

    /// What the i-th pattern adds to a marginal.
    pub fn weights_of(&self, i: usize, marginal: usize, n_values: usize) -> Vec<Weight> {
        let own = self.counts_of(i).iter().filter(|(place, _)| *place as usize / n_values == marginal);
        own.map(|&(place, count)| (place % n_values as u32, u64::from(count).into())).collect()
    }
}

impl Pairs {
    /// The mean d² over the pairs times the unit's weight.
    pub fn disagreement(&self, difference: &Difference, watch: &Watch) -> Twofold {
        let right: &[Weight] = self.right.as_ref().unwrap_or(&self.left);
        let mut sum = difference.between(&self.left, right, watch);
        if !self.copies.1.is_empty() {
            sum = sum - self.of_copies(difference, watch);
        }
        sum * Twofold::from(self.weight) / self.n_pairs
    }

    /// The sum of d² over the pairs of copies of one rater.
    fn of_copies(&self, difference: &Difference, watch: &Watch) -> Twofold {
        let copies = self.copies.1.iter();
        copies.fold(Twofold::ZERO, |sum, (times, counts)| sum + difference.between(counts, counts, watch).times(*times))
    }
}
