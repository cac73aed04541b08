//! Several coefficients of one tally, on the data and on the same resamples.

use std::borrow::Cow;

use super::part::{self, Part};
use super::unit::Unit;
use super::value::{Undefined, Value};
use super::{rule, Coefficient};
use crate::core::difference::Level;
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::resample::{replicates, Watch};
use crate::core::tally::{Pattern, DROPPED};
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
    pub fn new(
        tally: &Tally,
        coefficients: &[Coefficient],
        level: Level,
        n_threads: usize,
        watch: &Watch,
    ) -> Result<Analysis, Error> {
        level.check(tally.n_values())?;
        check(coefficients, tally.n_pools())?;
        let (tally, coefficients) = with_pools_used(tally, coefficients)?;
        let rules: Vec<_> = laid_out(&coefficients).0.iter().filter_map(|part| rule(part, &tally)).collect();
        let enters = |pattern: &Pattern| rules.iter().any(|rule| rule.enters(&Unit(pattern)));
        let entering = tally.filter(enters);
        let (entering, places) = entering.canonical();
        let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| places[pool as usize]));
        let (parts, wanted) = laid_out(&renumbered.collect::<Vec<_>>());
        let rules = parts.iter().filter_map(|part| rule(part, &entering));
        let fixed = level.difference(entering.n_values());
        let parts =
            rules.map(|rule| Part::new(rule, &entering, fixed.clone(), n_threads, watch)).collect::<Result<_, _>>()?;
        Ok(Analysis { entering, parts, wanted })
    }

    /// The coefficients of the data and of `n_resamples` resamples of its units.
    pub fn run(&self, n_resamples: usize, seed: u64, n_threads: usize, watch: &Watch) -> Result<Vec<Outcome>, Error> {
        let w = self.entering.multiplicity();
        let mut scratch = self.scratch();
        let values: Vec<_> = self.parts.iter().map(|part| part.evaluate(w, &mut scratch.part, watch)).collect();
        watch.check()?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for wanted in &self.wanted {
            let estimate = wanted.value(&values, |i| outcomes[i].estimate);
            let part = wanted.part().map(|i| (&values[i], self.parts[i].sizes(w)));
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
        Scratch { drawn: vec![0; self.entering.n_patterns()], ..Scratch::default() }
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
        let Scratch { drawn, part: scratch, parts, values } = scratch;
        parts.clear();
        parts.extend(self.parts.iter().map(|part| part.evaluate(drawn, scratch, watch)));
        values.clear();
        for (wanted, number) in self.wanted.iter().zip(row) {
            let value = wanted.value(parts, |i| values[i]);
            *number = value.unwrap_or(f64::NAN);
            values.push(value);
        }
    }
}

/// What a task of the run reuses from replicate to replicate.
#[derive(Default)]
struct Scratch {
    drawn: Vec<u64>,
    part: part::Scratch,
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
fn with_pools_used<'a>(
    tally: &'a Tally,
    coefficients: &[Coefficient],
) -> Result<(Cow<'a, Tally>, Vec<Coefficient>), Error> {
    let mut used: Vec<u32> = coefficients.iter().flat_map(Coefficient::pools).collect();
    used.sort_unstable();
    used.dedup();
    if used.len() == tally.n_pools() {
        return Ok((Cow::Borrowed(tally), coefficients.to_vec()));
    }
    let mut codes = vec![DROPPED; tally.n_pools()];
    for (new, &old) in (0..).zip(&used) {
        codes[old as usize] = new;
    }
    let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| codes[pool as usize]));
    Ok((Cow::Owned(tally.map_pools(&codes, used.len())?), renumbered.collect()))
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
