//! The same coefficients on many slices of a data set, each slice as if it were alone.

use rayon::prelude::*;

use super::coefficient::{Analysis, Coefficient, Draws, Outcome};
use super::encode::renumber;
use super::interval::{interval, standard_error, Evidence, Interval, Method, Side};
use super::resample::{with_threads, Jackknife};
use super::tally::grouped;
use super::{Error, Level, Tally, Watch};

/// Ratings of many slices, in any order; a unit belongs to one slice.
pub struct Slices<'a> {
    /// Number of slices.
    pub n_slices: usize,
    /// The slice of each unit.
    pub slice_of_unit: &'a [i64],
    /// The unit of each rating.
    pub unit: &'a [i64],
    /// The pool (or the rater) of each rating; none where all are of one pool.
    pub group: Option<&'a [u32]>,
    /// Its value's place in the domain.
    pub value: &'a [u32],
    /// Number of pools.
    pub n_groups: usize,
    /// Number of values in the domain.
    pub n_values: usize,
}

/// What is asked of each slice.
pub struct Asked {
    /// Coefficients of the pools.
    pub coefficients: Vec<Coefficient>,
    /// Whether all are on the same resamples, which draw the units of any of them; else each draws its own units.
    pub jointly: bool,
    /// Whether the pools are raters: then only those of the slice count, and coefficients that name none are of them all.
    pub of_raters: bool,
    /// Whether the domain of a slice is made of its own values.
    pub own_values: bool,
    /// What is drawn.
    pub draws: Draws,
    /// How intervals are made.
    pub interval: (f64, Method, Side),
}

/// One coefficient of one slice.
pub struct Row {
    /// The coefficient, without its replicates.
    pub outcome: Outcome,
    /// Its interval and standard error, where resamples were asked for.
    pub interval: Option<(Interval, f64)>,
    /// Units of the slice that have no part in the coefficient.
    pub n_dropped: u64,
}

/// Slices that one task takes.
const CHUNK: usize = 64;

/// The coefficients of each slice, slice after slice.
pub fn analyse(
    slices: &Slices,
    level: &Level,
    asked: &Asked,
    n_threads: usize,
    watch: &Watch,
) -> Result<Vec<Row>, Error> {
    let slice_of_rating: Vec<i64> = slices.unit.iter().map(|&unit| slices.slice_of_unit[unit as usize]).collect();
    let ratings = grouped(&slice_of_rating, slices.n_slices);
    let units = grouped(slices.slice_of_unit, slices.n_slices);
    let mut place_of_unit = vec![0; slices.slice_of_unit.len()];
    for slice in 0..slices.n_slices {
        (0..).zip(units.of(slice)).for_each(|(place, &unit)| place_of_unit[unit] = place);
    }
    let one = |slice: usize| {
        watch.check()?;
        let local = Local::new(slices, ratings.of(slice), &place_of_unit, asked);
        local.rows(units.of(slice).len(), level, asked, watch)
    };
    let starts: Vec<usize> = (0..slices.n_slices).step_by(CHUNK).collect();
    let chunks: Result<Vec<Vec<Row>>, Error> = with_threads(n_threads, || {
        let chunk = |&start: &usize| {
            let mut rows = Vec::new();
            for slice in start..slices.n_slices.min(start + CHUNK) {
                rows.extend(one(slice)?);
                watch.count(1);
            }
            Ok(rows)
        };
        starts.par_iter().map(chunk).collect()
    });
    Ok(chunks?.into_iter().flatten().collect())
}

/// The ratings of one slice under codes of their own.
struct Local {
    unit: Vec<i64>,
    group: Vec<u32>,
    value: Vec<u32>,
    n_groups: usize,
    /// The places in the whole domain of the slice's values.
    domain: Option<Vec<u32>>,
    n_values: usize,
}

impl Local {
    fn new(slices: &Slices, ratings: &[usize], place_of_unit: &[i64], asked: &Asked) -> Local {
        let unit = ratings.iter().map(|&i| place_of_unit[slices.unit[i] as usize]).collect();
        let mut group: Vec<u32> = ratings.iter().map(|&i| slices.group.map_or(0, |group| group[i])).collect();
        let mut value: Vec<u32> = ratings.iter().map(|&i| slices.value[i]).collect();
        let n_groups = if asked.of_raters { renumber(&mut group).len() } else { slices.n_groups };
        let domain = asked.own_values.then(|| renumber(&mut value));
        let n_values = domain.as_ref().map_or(slices.n_values, Vec::len);
        Local { unit, group, value, n_groups, domain, n_values }
    }

    fn rows(&self, n_units: usize, level: &Level, asked: &Asked, watch: &Watch) -> Result<Vec<Row>, Error> {
        let sizes = (n_units, self.n_groups, self.n_values);
        let tally = Tally::from_long(&self.unit, &self.group, &self.value, None, sizes)?;
        let level = self.domain.as_ref().map_or_else(|| level.clone(), |domain| level.among(domain));
        let raters: Vec<u32> = (0..self.n_groups as u32).collect();
        let coefficients: Vec<Coefficient> = asked.coefficients.iter().map(|c| c.of_raters(&raters)).collect();
        let together = if asked.jointly { coefficients.len() } else { 1 };
        let mut rows = Vec::new();
        for coefficients in coefficients.chunks(together.max(1)) {
            let analysis = Analysis::new(&tally, coefficients, std::slice::from_ref(&level), None, 1, watch)?;
            let outcomes = analysis.run(&asked.draws, 1, watch)?;
            rows.extend(outcomes.into_iter().map(|outcome| Row::new(outcome, n_units as u64, asked)));
        }
        Ok(rows)
    }
}

impl Row {
    fn new(mut outcome: Outcome, n_units: u64, asked: &Asked) -> Row {
        let (replicates, errors) = (std::mem::take(&mut outcome.replicates), std::mem::take(&mut outcome.errors));
        let (confidence_level, method, side) = asked.interval;
        let estimate = outcome.estimate.unwrap_or(f64::NAN);
        let jackknife = outcome.jackknife.unwrap_or(Jackknife::NONE);
        let evidence = Evidence { estimate, replicates: &replicates, errors: &errors, jackknife };
        let interval = (asked.draws.n_resamples > 0)
            .then(|| (interval(&evidence, confidence_level, method, side), standard_error(&replicates)));
        Row { n_dropped: n_units - outcome.n_units, outcome, interval }
    }
}
