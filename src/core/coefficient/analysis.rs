//! Several coefficients of one tally, on the data and on the same resamples.

use std::borrow::Cow;

use super::part::{Part, Sums};
use super::unit::Unit;
use super::value::{finite, Undefined, Value};
use super::{rule, Coefficient, Rule};
use crate::core::difference::{Difference, Level};
use crate::core::interval::Method;
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::resample::{replicates, Jackknife, Watch};
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
    /// What leaving out one unit at a time says, where that was done.
    pub jackknife: Option<Jackknife>,
    /// The coefficient on each resample, NaN where it is undefined.
    pub replicates: Vec<f64>,
    /// Its standard error by the jackknife on each resample, where that was asked for.
    pub errors: Vec<f64>,
}

/// What is to be drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Draws {
    /// Number of resamples.
    pub n_resamples: usize,
    /// The seed.
    pub seed: u64,
    /// Whether each resample gets a standard error by the jackknife.
    pub with_errors: bool,
    /// Whether the jackknife is made on the data.
    pub jackknife: Wish,
}

impl Draws {
    /// What an interval needs; the jackknife on the data besides, if that is wished for.
    pub fn new(n_resamples: usize, seed: u64, method: Method, jackknife: Wish) -> Draws {
        let with_errors = n_resamples > 0 && method == Method::Studentized;
        let needed = with_errors || (n_resamples > 0 && method == Method::Bca);
        Draws { n_resamples, seed, with_errors, jackknife: if needed { Wish::Yes } else { jackknife } }
    }
}

/// Whether to do what may take long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wish {
    /// No.
    No,
    /// Where it takes no more than a few tenths of a second.
    #[default]
    IfCheap,
    /// Yes.
    Yes,
}

/// About as many steps as a jackknife may take that is to be cheap.
const CHEAP: u64 = 1 << 23;

/// How one asked-for number comes about.
enum Wanted {
    Part(usize),
    MeanOf(Vec<usize>),
    Given(f64),
    Difference([usize; 2]),
    Normalized { cross: usize, irr: [usize; 2] },
}

/// Coefficients prepared on the units that enter at least one of them.
pub struct Analysis {
    entering: Tally,
    parts: Vec<Part>,
    wanted: Vec<Wanted>,
}

impl Analysis {
    /// Prepares coefficients of a tally, at one level or each at its own.
    pub fn new(
        tally: &Tally,
        coefficients: &[Coefficient],
        levels: &[Level],
        n_threads: usize,
        watch: &Watch,
    ) -> Result<Analysis, Error> {
        levels.iter().try_for_each(|level| level.check(tally.n_values()))?;
        if levels.len() != 1 && levels.len() != coefficients.len() {
            return Err(Error::Length { what: "levels", found: levels.len(), needed: coefficients.len() });
        }
        check(coefficients, tally.n_pools())?;
        let (tally, coefficients) = with_pools_used(tally, coefficients)?;
        let rules: Vec<_> = laid_out(&coefficients).0.iter().filter_map(|(part, _)| rule(part, &tally)).collect();
        let enters = |pattern: &Pattern| rules.iter().any(|rule| rule.enters(&Unit(pattern)));
        let entering = tally.filter(enters);
        let (entering, places) = entering.canonical();
        let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| places[pool as usize]));
        let (parts, wanted) = laid_out(&renumbered.collect::<Vec<_>>());
        let rules = parts.iter().filter_map(|(part, of)| Some((rule(part, &entering)?, of % levels.len())));
        let rules: Vec<(Box<dyn Rule>, usize)> = rules.collect();
        let fixed: Vec<_> =
            (0..levels.len()).map(|i| differences(&levels[i], &entering, of_level(&rules, i))).collect();
        let part = |(rule, level): (Box<dyn Rule>, usize)| {
            let fixed = fixed[level][usize::from(rule.is_scaled())].clone();
            Part::new(rule, &entering, fixed, n_threads, watch)
        };
        let parts = rules.into_iter().map(part).collect::<Result<_, _>>()?;
        Ok(Analysis { entering, parts, wanted })
    }

    /// The coefficients of the data and of resamples of its units.
    pub fn run(&self, draws: &Draws, n_threads: usize, watch: &Watch) -> Result<Vec<Outcome>, Error> {
        let w = self.entering.multiplicity();
        let mut scratch = self.scratch();
        let values: Vec<_> = self.parts.iter().map(|part| part.evaluate(w, &mut scratch.sums, watch)).collect();
        let steps = || self.parts.iter().map(Part::steps_without_each).fold(0, u64::saturating_add);
        let jackknives = match draws.jackknife {
            Wish::Yes => Some(self.jackknives(w, &values, &mut scratch.sums, watch)),
            Wish::IfCheap if steps() <= CHEAP => Some(self.jackknives(w, &values, &mut scratch.sums, watch)),
            Wish::IfCheap | Wish::No => None,
        };
        watch.check()?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (i, wanted) in self.wanted.iter().enumerate() {
            let jackknife = jackknives.as_ref().map(|jackknives| jackknives[i]);
            let estimate = wanted.value(|i| values[i].coefficient(), |i| outcomes[i].estimate);
            let part = wanted.part().map(|i| (&values[i], self.parts[i].sizes(w)));
            let (observed, expected) = part.as_ref().map_or((f64::NAN, f64::NAN), |(value, _)| value.rounded());
            let (n_units, n_pairable) = part.map_or((0, 0), |(_, sizes)| sizes);
            let sizes = (n_units, n_pairable);
            outcomes.push(Outcome::new(estimate, (observed, expected), sizes, jackknife));
        }
        let table = self.resampled(draws, n_threads, watch)?;
        let width = self.width(draws);
        for (i, outcome) in outcomes.iter_mut().enumerate() {
            let column = |i: usize| table.iter().skip(i).step_by(width).copied().collect();
            outcome.replicates = column(i);
            if draws.with_errors {
                outcome.errors = column(self.wanted.len() + i);
            }
        }
        Ok(outcomes)
    }

    /// Numbers of a replicate: the coefficients, and their standard errors where these are asked for.
    fn width(&self, draws: &Draws) -> usize {
        self.wanted.len() * if draws.with_errors { 2 } else { 1 }
    }

    fn scratch(&self) -> Scratch {
        Scratch { drawn: vec![0; self.entering.n_patterns()], ..Scratch::default() }
    }

    fn resampled(&self, draws: &Draws, n_threads: usize, watch: &Watch) -> Result<Vec<f64>, Error> {
        let units = Multinomial::new(self.entering.multiplicity());
        let width = self.width(draws);
        let mut table = vec![f64::NAN; draws.n_resamples * width];
        let work = |scratch: &mut Scratch, b: u64, row: &mut [f64]| {
            units.draw(&mut Stream::new(draws.seed, Purpose::Units as u64, b), &mut scratch.drawn);
            self.replicate(scratch, row, watch);
        };
        replicates(&mut table, width, n_threads, watch, || self.scratch(), work)?;
        Ok(table)
    }

    fn replicate(&self, scratch: &mut Scratch, row: &mut [f64], watch: &Watch) {
        let Scratch { drawn, sums, parts, values } = scratch;
        parts.clear();
        parts.extend(self.parts.iter().map(|part| part.evaluate(drawn, sums, watch)));
        let (numbers, errors) = row.split_at_mut(self.wanted.len());
        values.clear();
        for (wanted, number) in self.wanted.iter().zip(numbers) {
            let value = wanted.value(|i| parts[i].coefficient(), |i| values[i]);
            *number = value.unwrap_or(f64::NAN);
            values.push(value);
        }
        if !errors.is_empty() {
            let jackknives = self.jackknives(drawn, parts, sums, watch);
            errors.iter_mut().zip(jackknives).for_each(|(error, jackknife)| *error = jackknife.standard_error);
        }
    }

    /// Each coefficient by the jackknife over the units that have a part in it; `values` are the parts on all units.
    fn jackknives(&self, w: &[u64], values: &[Value], sums: &mut Sums, watch: &Watch) -> Vec<Jackknife> {
        let whole: Vec<_> = values.iter().map(Value::coefficient).collect();
        let mut without = vec![vec![None; w.len()]; self.parts.len()];
        for (part, without) in self.parts.iter().zip(&mut without) {
            for (pattern, value) in part.without_each(w, sums, watch) {
                without[pattern as usize] = Some(value);
            }
        }
        let mut points = vec![Vec::new(); self.wanted.len()];
        let mut earlier = Vec::new();
        for (pattern, &w) in w.iter().enumerate().filter(|(_, &w)| w > 0) {
            earlier.clear();
            for (wanted, points) in self.wanted.iter().zip(&mut points) {
                let value = wanted.value(|i| without[i][pattern].unwrap_or(whole[i]), |i| earlier[i]);
                earlier.push(value);
                if wanted.parts(&self.wanted).any(|i| without[i][pattern].is_some()) {
                    points.push((value.unwrap_or(f64::NAN), w));
                }
            }
        }
        points.iter().map(|points| Jackknife::new(points)).collect()
    }
}

impl Outcome {
    /// An outcome before anything is drawn.
    pub fn new(
        estimate: Result<f64, Undefined>,
        (observed, expected): (f64, f64),
        (n_units, n_pairable): (u64, u64),
        jackknife: Option<Jackknife>,
    ) -> Outcome {
        let (replicates, errors) = (Vec::new(), Vec::new());
        Outcome { estimate, observed, expected, n_units, n_pairable, jackknife, replicates, errors }
    }
}

/// What a task of the run reuses from replicate to replicate.
#[derive(Default)]
struct Scratch {
    drawn: Vec<u64>,
    sums: Sums,
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
            Coefficient::Difference(terms) if terms.iter().any(|&i| i >= at) => {
                return fail("it needs coefficients that stand before it");
            }
            _ => {}
        }
    }
    Ok(())
}

fn of_level(rules: &[(Box<dyn Rule>, usize)], level: usize) -> impl Iterator<Item = &dyn Rule> + Clone {
    rules.iter().filter(move |(_, of)| *of == level).map(|(rule, _)| rule.as_ref())
}

/// The difference over the values that occur, and over all of the domain for rules that are measured against the largest
/// there; each where a rule needs it and it does not depend on the ratings.
fn differences<'a>(
    level: &Level,
    tally: &Tally,
    rules: impl Iterator<Item = &'a dyn Rule> + Clone,
) -> [Option<Difference>; 2] {
    [false, true].map(|of_domain| {
        let used = if of_domain { vec![true; tally.n_values()] } else { tally.values_held() };
        let is_needed = rules.clone().any(|rule| rule.is_scaled() == of_domain);
        is_needed.then(|| level.difference(&used)).flatten()
    })
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

/// The coefficients that are computed from units, each with the place of the one that it is asked for by, and how the
/// ones asked for come from them.
fn laid_out(coefficients: &[Coefficient]) -> (Vec<(Coefficient, usize)>, Vec<Wanted>) {
    let mut parts = Vec::new();
    let wanted = coefficients.iter().enumerate().map(|(at, coefficient)| {
        let mut part = |coefficient: Coefficient| {
            parts.push((coefficient, at));
            parts.len() - 1
        };
        match coefficient {
            Coefficient::Light(raters) => {
                let pairs = raters.iter().enumerate().flat_map(|(i, &r)| raters[..i].iter().map(move |&s| (s, r)));
                Wanted::MeanOf(pairs.map(|(r, s)| part(Coefficient::Cross(r, s))).collect())
            }
            Coefficient::Given(value) => Wanted::Given(*value),
            Coefficient::Difference(terms) => Wanted::Difference(*terms),
            Coefficient::Normalized { cross, irr } => Wanted::Normalized { cross: *cross, irr: *irr },
            from_units => Wanted::Part(part(from_units.clone())),
        }
    });
    let wanted = wanted.collect();
    (parts, wanted)
}

impl Wanted {
    /// The number, from the parts and from the numbers before it.
    fn value(
        &self,
        part: impl Fn(usize) -> Result<f64, Undefined>,
        earlier: impl Fn(usize) -> Result<f64, Undefined>,
    ) -> Result<f64, Undefined> {
        match self {
            Wanted::Part(i) => part(*i),
            Wanted::Given(value) => Ok(*value),
            Wanted::MeanOf(pairs) if pairs.is_empty() => Err(Undefined::NoPairs),
            Wanted::MeanOf(pairs) => {
                let mut sum = Twofold::ZERO;
                for &i in pairs {
                    sum += Twofold::from(part(i).map_err(|_| Undefined::UndefinedPair)?);
                }
                Ok((sum / Twofold::from(pairs.len() as u64)).round())
            }
            Wanted::Difference([a, b]) => {
                let [a, b] = [earlier(*a), earlier(*b)].map(|term| term.map_err(|_| Undefined::UndefinedTerm));
                Ok(a? - b?)
            }
            Wanted::Normalized { cross, irr: [x, y] } => {
                let kappa = earlier(*cross).map_err(|_| Undefined::UndefinedCross)?;
                let x = earlier(*x).map_err(|_| Undefined::UndefinedIrr)?;
                let y = earlier(*y).map_err(|_| Undefined::UndefinedIrr)?;
                if x <= 0.0 || y <= 0.0 {
                    return Err(Undefined::IrrNotPositive);
                }
                finite(kappa / (x * y).sqrt())
            }
        }
    }

    fn part(&self) -> Option<usize> {
        match self {
            Wanted::Part(i) => Some(*i),
            _ => None,
        }
    }

    /// The parts that the number comes from, by way of others of the list.
    fn parts<'a>(&'a self, list: &'a [Wanted]) -> Box<dyn Iterator<Item = usize> + 'a> {
        let of = |places: Vec<usize>| Box::new(places.into_iter().flat_map(|i| list[i].parts(list)));
        match self {
            Wanted::Part(i) => Box::new(std::iter::once(*i)),
            Wanted::MeanOf(pairs) => Box::new(pairs.iter().copied()),
            Wanted::Given(_) => Box::new(std::iter::empty()),
            Wanted::Difference(terms) => of(terms.to_vec()),
            Wanted::Normalized { cross, irr: [x, y] } => of(vec![*cross, *x, *y]),
        }
    }
}
