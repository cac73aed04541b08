//! Several coefficients of one tally, on the data and on the same resamples.

use super::unit::{Marginals, Pairs, Unit};
use super::value::{pairable, Undefined, Value};
use super::{rule, Coefficient, Rule};
use crate::core::difference::{Difference, Level, Weight};
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::resample::{replicates, Watch};
use crate::core::tally::DROPPED;
use crate::core::twofold::Twofold;
use crate::core::{Error, Tally};

/// A coefficient of the data, with its replicates.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The coefficient, or why there is none.
    pub estimate: Result<f64, Undefined>,
    /// Observed disagreement; NaN where there is none.
    pub observed: f64,
    /// Expected disagreement; NaN where there is none.
    pub expected: f64,
    /// Units that have a part in the coefficient.
    pub n_units: u64,
    /// Ratings in the pairs that are observed.
    pub n_pairable: u64,
    /// The coefficient on each resample, NaN where it is undefined.
    pub replicates: Vec<f64>,
}

/// How one asked-for number comes about.
enum Wanted {
    Part(usize),
    MeanOf(Vec<usize>),
    Given(f64),
    Normalized { cross: usize, irr: [usize; 2] },
}

/// Coefficients prepared on the units that enter at least one of them.
pub struct Analysis {
    entering: Tally,
    parts: Vec<Part>,
    wanted: Vec<Wanted>,
}

impl Analysis {
    /// Prepares coefficients of a tally at a level.
    pub fn new(tally: &Tally, coefficients: &[Coefficient], level: Level, watch: &Watch) -> Result<Analysis, Error> {
        level.check(tally.n_values())?;
        check(coefficients, tally.n_pools())?;
        let (tally, coefficients) = with_pools_used(tally, coefficients)?;
        let (parts, wanted) = laid_out(&coefficients);
        let rules: Vec<_> = parts.iter().filter_map(|part| rule(part, &tally)).collect();
        let entering = tally.filter(|pattern| rules.iter().any(|rule| rule.enters(&Unit(pattern))));
        let (entering, places) = entering.canonical();
        let renumbered = parts.iter().map(|part| part.renumbered(|pool| places[pool as usize]));
        let rules = renumbered.filter_map(|part| rule(&part, &entering));
        let fixed = level.difference(entering.n_values());
        let parts = rules.map(|rule| Part::new(rule, &entering, fixed.clone(), watch)).collect::<Result<_, _>>()?;
        Ok(Analysis { entering, parts, wanted })
    }

    /// The coefficients of the data and of `n_resamples` resamples of its units.
    pub fn run(&self, n_resamples: usize, seed: u64, n_threads: usize, watch: &Watch) -> Result<Vec<Outcome>, Error> {
        let w = self.entering.multiplicity();
        let mut scratch = self.scratch();
        let values: Vec<_> = self.parts.iter().map(|part| part.evaluate(w, &mut scratch.counts, watch)).collect();
        watch.check()?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for wanted in &self.wanted {
            let estimate = wanted.value(&values, |i| outcomes[i].estimate);
            let part = wanted.part().map(|i| (&values[i], self.parts[i].sizes(&self.entering)));
            let (observed, expected) = part.as_ref().map_or((f64::NAN, f64::NAN), |(value, _)| value.rounded());
            let (n_units, n_pairable) = part.map_or((0, 0), |(_, sizes)| sizes);
            outcomes.push(Outcome { estimate, observed, expected, n_units, n_pairable, replicates: Vec::new() });
        }
        let table = self.resampled(n_resamples, seed, n_threads, watch)?;
        for (i, outcome) in outcomes.iter_mut().enumerate() {
            outcome.replicates = table.iter().skip(i).step_by(self.wanted.len()).copied().collect();
        }
        Ok(outcomes)
    }

    fn scratch(&self) -> Scratch {
        let longest = self.parts.iter().map(|part| part.n_counts).max().unwrap_or(0);
        Scratch {
            drawn: vec![0; self.entering.n_patterns()],
            counts: vec![0; longest],
            parts: Vec::new(),
            values: Vec::new(),
        }
    }

    fn resampled(&self, n_resamples: usize, seed: u64, n_threads: usize, watch: &Watch) -> Result<Vec<f64>, Error> {
        let units = Multinomial::new(self.entering.multiplicity());
        let mut table = vec![f64::NAN; n_resamples * self.wanted.len()];
        let work = |scratch: &mut Scratch, b: u64, row: &mut [f64]| {
            units.draw(&mut Stream::new(seed, Purpose::Units as u64, b), &mut scratch.drawn);
            self.replicate(scratch, row, watch);
        };
        replicates(&mut table, self.wanted.len(), n_threads, watch, || self.scratch(), work)?;
        Ok(table)
    }

    fn replicate(&self, scratch: &mut Scratch, row: &mut [f64], watch: &Watch) {
        let Scratch { drawn, counts, parts, values } = scratch;
        parts.clear();
        parts.extend(self.parts.iter().map(|part| part.evaluate(drawn, counts, watch)));
        values.clear();
        for (wanted, number) in self.wanted.iter().zip(row) {
            let value = wanted.value(parts, |i| values[i]);
            *number = value.unwrap_or(f64::NAN);
            values.push(value);
        }
    }
}

/// What a task of the run reuses from replicate to replicate.
struct Scratch {
    drawn: Vec<u64>,
    counts: Vec<u64>,
    parts: Vec<Value>,
    values: Vec<Result<f64, Undefined>>,
}

fn check(coefficients: &[Coefficient], n_pools: usize) -> Result<(), Error> {
    for (at, coefficient) in coefficients.iter().enumerate() {
        let pools = coefficient.pools();
        let fail = |why| Err(Error::Coefficient { at, why });
        if pools.iter().any(|&pool| pool as usize >= n_pools) {
            return fail("the tally has no such pool");
        }
        let mut distinct = pools.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < pools.len() {
            return fail("a pool is named twice");
        }
        match coefficient {
            Coefficient::Iota(_) | Coefficient::Conger(_) if pools.len() != n_pools => {
                return fail("it is of all pools of a tally together");
            }
            Coefficient::Normalized { cross, irr } if irr.iter().chain([cross]).any(|&i| i >= at) => {
                return fail("it needs coefficients that stand before it");
            }
            _ => {}
        }
    }
    Ok(())
}

/// The tally of the pools that some coefficient reads, and the coefficients under the new pool numbers.
fn with_pools_used(tally: &Tally, coefficients: &[Coefficient]) -> Result<(Tally, Vec<Coefficient>), Error> {
    let mut used: Vec<u32> = coefficients.iter().flat_map(Coefficient::pools).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() == tally.n_pools() {
        return Ok((tally.clone(), coefficients.to_vec()));
    }
    let mut codes = vec![DROPPED; tally.n_pools()];
    for (new, &old) in (0..).zip(&used) {
        codes[old as usize] = new;
    }
    let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| codes[pool as usize]));
    Ok((tally.map_pools(&codes, used.len())?, renumbered.collect()))
}

/// The coefficients that are computed from units, and how the ones asked for come from them.
fn laid_out(coefficients: &[Coefficient]) -> (Vec<Coefficient>, Vec<Wanted>) {
    let mut parts = Vec::new();
    let mut part = |coefficient: Coefficient| {
        parts.push(coefficient);
        parts.len() - 1
    };
    let wanted = coefficients.iter().map(|coefficient| match coefficient {
        Coefficient::Light(raters) => {
            let pairs = raters.iter().enumerate().flat_map(|(i, &r)| raters[..i].iter().map(move |&s| (s, r)));
            Wanted::MeanOf(pairs.map(|(r, s)| part(Coefficient::Cross(r, s))).collect())
        }
        Coefficient::Given(value) => Wanted::Given(*value),
        Coefficient::Normalized { cross, irr } => Wanted::Normalized { cross: *cross, irr: *irr },
        from_units => Wanted::Part(part(from_units.clone())),
    });
    let wanted = wanted.collect();
    (parts, wanted)
}

impl Wanted {
    /// The number, from the parts and from the numbers before it.
    fn value(&self, parts: &[Value], earlier: impl Fn(usize) -> Result<f64, Undefined>) -> Result<f64, Undefined> {
        match self {
            Wanted::Part(i) => parts[*i].coefficient(),
            Wanted::Given(value) => Ok(*value),
            Wanted::MeanOf(pairs) if pairs.is_empty() => Err(Undefined::NoPairs),
            Wanted::MeanOf(pairs) => {
                let mut sum = Twofold::ZERO;
                for &i in pairs {
                    sum += Twofold::from(parts[i].coefficient().map_err(|_| Undefined::UndefinedPair)?);
                }
                Ok((sum / Twofold::from(pairs.len() as u64)).round())
            }
            Wanted::Normalized { cross, irr: [x, y] } => {
                let kappa = earlier(*cross).map_err(|_| Undefined::UndefinedCross)?;
                let x = earlier(*x).map_err(|_| Undefined::UndefinedIrr)?;
                let y = earlier(*y).map_err(|_| Undefined::UndefinedIrr)?;
                if x <= 0.0 || y <= 0.0 {
                    return Err(Undefined::IrrNotPositive);
                }
                Ok(kappa / (x * y).sqrt())
            }
        }
    }

    fn part(&self) -> Option<usize> {
        match self {
            Wanted::Part(i) => Some(*i),
            _ => None,
        }
    }
}

/// A coefficient prepared on the entering tally: what each pattern that has a part in it adds to every sum.
struct Part {
    rule: Box<dyn Rule>,
    n_values: usize,
    /// Length of the marginals, all together.
    n_counts: usize,
    /// The difference, where it does not depend on the ratings.
    fixed: Option<Difference>,
    /// The largest difference, where disagreement is measured against it and the difference is fixed.
    largest: Option<Twofold>,
    terms: Vec<Term>,
}

/// What one pattern adds.
struct Term {
    pattern: usize,
    /// Places in the marginals, and counts.
    counts: Vec<(usize, u64)>,
    pairs: Option<Pairs>,
    /// Its disagreement times its weight, where the difference is fixed.
    disagreement: Twofold,
}

impl Part {
    fn new(rule: Box<dyn Rule>, tally: &Tally, fixed: Option<Difference>, watch: &Watch) -> Result<Part, Error> {
        let n_values = tally.n_values();
        let n_counts = rule.n_marginals() * n_values;
        let mut terms = Vec::new();
        for p in 0..tally.n_patterns() {
            let unit = Unit(tally.pattern(p));
            if rule.enters(&unit) {
                terms.push(Term::new(rule.as_ref(), p, &unit, fixed.as_ref(), n_values, watch));
                watch.check()?;
            }
        }
        let most = terms.iter().filter_map(|term| term.pairs.as_ref()).map(|pairs| pairs.weight).max().unwrap_or(1);
        if u128::from(most) * u128::from(tally.n_units()) > u128::from(u64::MAX) {
            return Err(Error::TooMany); // a resample could hold the largest unit n times
        }
        let scaled = fixed.as_ref().filter(|_| rule.is_scaled());
        let largest = scaled.map(|difference| difference.largest(n_values, watch));
        Ok(Part { rule, n_values, n_counts, fixed, largest, terms })
    }

    /// The disagreements where pattern p is shown by w[p] units; `counts` is scratch.
    fn evaluate(&self, w: &[u64], counts: &mut [u64], watch: &Watch) -> Value {
        let counts = &mut counts[..self.n_counts];
        counts.fill(0);
        let mut weight = 0;
        for term in &self.terms {
            let w = w[term.pattern];
            for &(place, count) in &term.counts {
                counts[place] += w * count;
            }
            weight += w * term.pairs.as_ref().map_or(0, |pairs| pairs.weight);
        }
        let marginals = Marginals { counts, n_values: self.n_values };
        match &self.fixed {
            Some(difference) => {
                let sum = self.weighted(w, |term| term.disagreement);
                self.value(sum, weight, &marginals, difference, watch)
            }
            None => {
                let difference = Difference::of_ranks(pairable(self.rule.as_ref(), &marginals));
                let sum = self.weighted(w, |term| term.disagreement(&difference, watch));
                self.value(sum, weight, &marginals, &difference, watch)
            }
        }
    }

    fn weighted(&self, w: &[u64], disagreement: impl Fn(&Term) -> Twofold) -> Twofold {
        let shown = self.terms.iter().filter(|term| w[term.pattern] > 0);
        shown.fold(Twofold::ZERO, |sum, term| sum + disagreement(term) * Twofold::from(w[term.pattern]))
    }

    fn value(&self, sum: Twofold, weight: u64, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Value {
        Value::new(self.rule.as_ref(), (sum, weight), marginals, (difference, self.largest), watch)
    }

    /// Number of units and of ratings in pairs.
    fn sizes(&self, tally: &Tally) -> (u64, u64) {
        let mut sizes = (0, 0);
        for term in &self.terms {
            let w = tally.multiplicity()[term.pattern];
            sizes.0 += w;
            sizes.1 += w * term.pairs.as_ref().map_or(0, |pairs| pairs.n_ratings);
        }
        sizes
    }
}

impl Term {
    fn new(
        rule: &dyn Rule,
        pattern: usize,
        unit: &Unit,
        fixed: Option<&Difference>,
        n_values: usize,
        watch: &Watch,
    ) -> Term {
        let place = |cell: &crate::core::tally::Cell| {
            let marginal = rule.marginal(unit, cell.pool)?;
            Some((marginal * n_values + cell.value as usize, u64::from(cell.count)))
        };
        let counts = unit.0.iter().filter_map(place).collect();
        let mut term = Term { pattern, counts, pairs: rule.pairs(unit), disagreement: Twofold::ZERO };
        if let Some(difference) = fixed {
            term.disagreement = term.disagreement(difference, watch);
        }
        term
    }

    /// The mean d² over the unit's pairs times the unit's weight.
    fn disagreement(&self, difference: &Difference, watch: &Watch) -> Twofold {
        let Some(pairs) = &self.pairs else { return Twofold::ZERO };
        let right: &[Weight] = pairs.right.as_ref().unwrap_or(&pairs.left);
        let sum = difference.between(&pairs.left, right, watch);
        sum * Twofold::from(pairs.weight) / Twofold::from(pairs.n_pairs)
    }
}
