//! Several coefficients of one tally, on the data and on the same resamples.

use std::borrow::Cow;
use std::sync::Arc;

use super::part::{Part, Sums};
use super::unit::{Unit, Units};
use super::value::{finite, Undefined, Value};
use super::{rule, Coefficient, Rule};
use crate::core::difference::{Difference, Level};
use crate::core::interval::Method;
use crate::core::resample::{replicates, Clusters, Drawn, Jackknife, Sampler, Watch};
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
pub(super) enum Wanted {
    Part(usize),
    MeanOf(Vec<usize>),
    Given(f64),
    Difference([usize; 2]),
    Quotient([usize; 2]),
    Normalized { cross: usize, irr: [usize; 2] },
}

/// Coefficients prepared on the units that enter at least one of them.
pub struct Analysis {
    entering: Tally,
    parts: Vec<Part>,
    wanted: Vec<Wanted>,
    sampler: Sampler,
}

impl Analysis {
    /// Prepares coefficients of a tally, at one level or each at its own. Where the clusters that its units come in are
    /// given, whole clusters are drawn and left out.
    pub fn new(
        tally: &Tally,
        coefficients: &[Coefficient],
        levels: &[Level],
        clusters: Option<&[Tally]>,
        n_threads: usize,
        watch: &Watch,
    ) -> Result<Analysis, Error> {
        let asked = Asked::new(tally, coefficients, levels)?;
        let entering = asked.entering.clone();
        let clusters = clusters.map(|clusters| Clusters::new(clusters, &asked.places, &entering)).transpose()?;
        let parts = asked.parts(&entering, n_threads, watch)?;
        Ok(Analysis { sampler: Sampler::new(&entering, clusters), entering, parts, wanted: asked.wanted })
    }

    /// The coefficients of the data and of resamples of its units.
    pub fn run(&self, draws: &Draws, n_threads: usize, watch: &Watch) -> Result<Vec<Outcome>, Error> {
        let mut scratch = self.scratch();
        let values = self.values(&scratch.drawn.units, &mut scratch.sums, watch);
        let jackknives = match draws.jackknife {
            Wish::Yes => Some(self.jackknives(&scratch.drawn, &values, &mut scratch.sums, watch)),
            Wish::IfCheap if self.steps_of_jackknife() <= CHEAP => {
                Some(self.jackknives(&scratch.drawn, &values, &mut scratch.sums, watch))
            }
            Wish::IfCheap | Wish::No => None,
        };
        watch.check()?;
        let w = self.entering.multiplicity();
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (i, wanted) in self.wanted.iter().enumerate() {
            let jackknife = jackknives.as_ref().map(|jackknives| jackknives[i]);
            let estimate = wanted.value(|i| values[i].coefficient(), |i| outcomes[i].estimate);
            let part = wanted.part().map(|i| (&values[i], self.parts[i].sizes(w)));
            let disagreements = part.as_ref().map_or((f64::NAN, f64::NAN), |(value, _)| value.rounded());
            let sizes = part.map_or((0, 0), |(_, sizes)| sizes);
            outcomes.push(Outcome::new(estimate, disagreements, sizes, jackknife));
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
        Scratch { drawn: self.sampler.data(&self.entering), sums: Sums::default() }
    }

    fn values(&self, w: &[u64], sums: &mut Sums, watch: &Watch) -> Vec<Value> {
        self.parts.iter().map(|part| part.evaluate(w, sums, watch)).collect()
    }

    fn resampled(&self, draws: &Draws, n_threads: usize, watch: &Watch) -> Result<Vec<f64>, Error> {
        let width = self.width(draws);
        let mut table = vec![f64::NAN; draws.n_resamples * width];
        let work = |scratch: &mut Scratch, b: u64, row: &mut [f64]| {
            self.sampler.draw(draws.seed, b, &mut scratch.drawn);
            self.replicate(scratch, row, watch);
        };
        replicates(&mut table, width, n_threads, watch, || self.scratch(), work)?;
        Ok(table)
    }

    fn replicate(&self, scratch: &mut Scratch, row: &mut [f64], watch: &Watch) {
        let values = self.values(&scratch.drawn.units, &mut scratch.sums, watch);
        let (numbers, errors) = row.split_at_mut(self.wanted.len());
        fill(numbers, &self.wanted, |i| values[i].coefficient());
        if !errors.is_empty() {
            let jackknives = self.jackknives(&scratch.drawn, &values, &mut scratch.sums, watch);
            errors.iter_mut().zip(jackknives).for_each(|(error, jackknife)| *error = jackknife.standard_error);
        }
    }

    /// About how many steps the jackknife on the data takes.
    fn steps_of_jackknife(&self) -> u64 {
        let parts = self.parts.iter();
        match self.sampler.clusters() {
            None => parts.map(Part::steps_without_each).fold(0, u64::saturating_add),
            Some(clusters) => parts.map(Part::steps).sum::<u64>().saturating_mul(clusters.n_distinct() as u64),
        }
    }

    /// Each coefficient by the jackknife over the units, or clusters, that have a part in it; `values` are the parts on
    /// all of them.
    fn jackknives(&self, drawn: &Drawn, values: &[Value], sums: &mut Sums, watch: &Watch) -> Vec<Jackknife> {
        let whole: Vec<_> = values.iter().map(Value::coefficient).collect();
        let (without, w) = match self.sampler.clusters() {
            None => (self.without_units(&drawn.units, sums, watch), &drawn.units),
            Some(clusters) => (self.without_clusters(drawn, clusters, sums, watch), &drawn.clusters),
        };
        let mut points = vec![Vec::new(); self.wanted.len()];
        let mut earlier = Vec::new();
        for (left_out, &w) in w.iter().enumerate().filter(|(_, &w)| w > 0) {
            earlier.clear();
            for (wanted, points) in self.wanted.iter().zip(&mut points) {
                let value = wanted.value(|i| without[i][left_out].unwrap_or(whole[i]), |i| earlier[i]);
                earlier.push(value);
                if wanted.parts(&self.wanted).any(|i| without[i][left_out].is_some()) {
                    points.push((value.unwrap_or(f64::NAN), w));
                }
            }
        }
        points.iter().map(|points| Jackknife::new(points)).collect()
    }

    /// Each part without a unit of each pattern, where that unit has a part in it.
    fn without_units(&self, w: &[u64], sums: &mut Sums, watch: &Watch) -> Vec<Vec<Option<Result<f64, Undefined>>>> {
        let mut without = vec![vec![None; w.len()]; self.parts.len()];
        for (part, without) in self.parts.iter().zip(&mut without) {
            for (pattern, value) in part.without_each(w, sums, watch) {
                without[pattern as usize] = Some(value);
            }
        }
        without
    }

    /// The same without each cluster.
    fn without_clusters(
        &self,
        drawn: &Drawn,
        clusters: &Clusters,
        sums: &mut Sums,
        watch: &Watch,
    ) -> Vec<Vec<Option<Result<f64, Undefined>>>> {
        let mut w = drawn.units.clone();
        let mut without = vec![vec![None; clusters.n_distinct()]; self.parts.len()];
        for left_out in (0..clusters.n_distinct()).filter(|&c| drawn.clusters[c] > 0) {
            let members = clusters.members(left_out);
            members.iter().for_each(|&(pattern, n)| w[pattern as usize] -= n);
            for (part, without) in self.parts.iter().zip(&mut without) {
                if !watch.is_stopped() && members.iter().any(|&(pattern, _)| part.has(pattern)) {
                    without[left_out] = Some(part.evaluate(&w, sums, watch).coefficient());
                }
            }
            members.iter().for_each(|&(pattern, n)| w[pattern as usize] += n);
        }
        without
    }
}

/// Numbers that are asked for, from the parts.
pub(super) fn fill(numbers: &mut [f64], wanted: &[Wanted], part: impl Fn(usize) -> Result<f64, Undefined>) {
    let mut values = Vec::with_capacity(wanted.len());
    for (wanted, number) in wanted.iter().zip(numbers) {
        let value = wanted.value(&part, |i| values[i]);
        *number = value.unwrap_or(f64::NAN);
        values.push(value);
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
struct Scratch {
    drawn: Drawn,
    sums: Sums,
}

/// What is asked for, made ready for the data: which units enter, and where pools went.
pub(super) struct Asked {
    /// The units that enter, pools in canonical order.
    pub entering: Tally,
    /// The place there of each pool that there was, [`DROPPED`] for one that nothing reads.
    pub places: Vec<u32>,
    /// What is computed from units, each with the place of its level.
    coefficients: Vec<(Coefficient, usize)>,
    pub wanted: Vec<Wanted>,
    /// Of each level: over the values that enter, and over all of the domain.
    differences: Vec<[Option<Arc<Difference>>; 2]>,
}

impl Asked {
    pub fn new(tally: &Tally, coefficients: &[Coefficient], levels: &[Level]) -> Result<Asked, Error> {
        levels.iter().try_for_each(|level| level.check(tally.n_values()))?;
        if levels.len() != 1 && levels.len() != coefficients.len() {
            return Err(Error::Length { what: "levels", found: levels.len(), needed: coefficients.len() });
        }
        check(coefficients, tally.n_pools())?;
        let (used, n_used) = numbers_of_used(coefficients, tally.n_pools());
        let all = n_used == tally.n_pools();
        let tally = if all { Cow::Borrowed(tally) } else { Cow::Owned(tally.map_pools(&used, n_used)?) };
        let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| used[pool as usize]));
        let coefficients: Vec<_> = renumbered.collect();
        let rules: Vec<_> =
            laid_out(&coefficients).0.iter().filter_map(|(part, _)| rule(part, tally.as_ref())).collect();
        let enters = |pattern: &Pattern| rules.iter().any(|rule| rule.enters(&Unit::new(pattern)));
        let (entering, places) = tally.filter(enters).canonical();
        let renumbered = coefficients.iter().map(|coefficient| coefficient.renumbered(|pool| places[pool as usize]));
        let (coefficients, wanted) = laid_out(&renumbered.collect::<Vec<_>>());
        let coefficients = coefficients.into_iter().map(|(part, of)| (part, of % levels.len())).collect();
        let place = |&pool: &u32| if pool == DROPPED { DROPPED } else { places[pool as usize] };
        let places = used.iter().map(place).collect();
        let mut asked = Asked { entering, places, coefficients, wanted, differences: Vec::new() };
        let rules = asked.rules(&asked.entering);
        let of_level = |i| rules.iter().filter(move |(_, level)| *level == i).map(|(rule, _)| rule.is_scaled());
        let difference = |(i, level)| differences(level, &asked.entering, &of_level(i).collect::<Vec<_>>());
        asked.differences = levels.iter().enumerate().map(difference).collect();
        Ok(asked)
    }

    /// The rules of the parts on some units, each with the place of its level.
    fn rules(&self, units: &dyn Units) -> Vec<(Box<dyn Rule>, usize)> {
        self.coefficients.iter().filter_map(|(part, level)| Some((rule(part, units)?, *level))).collect()
    }

    /// The parts on some units.
    pub fn parts(&self, units: &dyn Units, n_threads: usize, watch: &Watch) -> Result<Vec<Part>, Error> {
        let part = |(rule, level): (Box<dyn Rule>, usize)| {
            let fixed = self.differences[level][usize::from(rule.is_scaled())].clone();
            Part::new(rule, units, fixed, n_threads, watch)
        };
        self.rules(units).into_iter().map(part).collect()
    }
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
            Coefficient::Difference(terms) | Coefficient::Quotient(terms) if terms.iter().any(|&i| i >= at) => {
                return fail("it needs coefficients that stand before it");
            }
            _ => {}
        }
    }
    Ok(())
}

/// The difference over the values that occur, and over all of the domain for rules that are measured against the largest
/// there; each where a rule needs it and it does not depend on the ratings.
fn differences(level: &Level, tally: &Tally, is_scaled: &[bool]) -> [Option<Arc<Difference>>; 2] {
    [false, true].map(|of_domain| {
        let used = if of_domain { vec![true; tally.n_values()] } else { tally.values_held() };
        let is_needed = is_scaled.contains(&of_domain);
        is_needed.then(|| level.difference(&used)).flatten().map(Arc::new)
    })
}

/// New numbers for the pools that some coefficient reads, [`DROPPED`] for the others.
fn numbers_of_used(coefficients: &[Coefficient], n_pools: usize) -> (Vec<u32>, usize) {
    let mut used: Vec<u32> = coefficients.iter().flat_map(Coefficient::pools).collect();
    used.sort_unstable();
    used.dedup();
    let mut numbers = vec![DROPPED; n_pools];
    for (new, &old) in (0..).zip(&used) {
        numbers[old as usize] = new;
    }
    (numbers, used.len())
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
            Coefficient::Quotient(terms) => Wanted::Quotient(*terms),
            Coefficient::Normalized { cross, irr } => Wanted::Normalized { cross: *cross, irr: *irr },
            from_units => Wanted::Part(part(from_units.clone())),
        }
    });
    let wanted = wanted.collect();
    (parts, wanted)
}

impl Wanted {
    /// The number, from the parts and from the numbers before it.
    pub fn value(
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
            Wanted::Difference([a, b]) | Wanted::Quotient([a, b]) => {
                let [a, b] = [earlier(*a), earlier(*b)].map(|term| term.map_err(|_| Undefined::UndefinedTerm));
                match (self, a?, b?) {
                    (Wanted::Difference(_), a, b) => Ok(a - b),
                    (_, _, 0.0) => Err(Undefined::ZeroTerm),
                    (_, a, b) => finite(a / b),
                }
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
            Wanted::Difference(terms) | Wanted::Quotient(terms) => of(terms.to_vec()),
            Wanted::Normalized { cross, irr: [x, y] } => of(vec![*cross, *x, *y]),
        }
    }
}
