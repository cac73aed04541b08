//! Raters drawn with replacement, alone or together with units: the pigeonhole bootstrap (Owen 2007,
//! doi:10.1214/07-AOAS122; `docs/statistics.md`, section 7).
//!
//! A unit then holds each rating as often as its rater was drawn. Two copies of one rater agree by construction, so
//! pairs of them are left out of what is observed and of what chance makes of pairs of ratings.

use super::analysis::{fill, Analysis, Asked, Draws, Outcome};
use super::part::Sums;
use super::unit::{Copied, Unit, Units};
use super::{n_pools, Coefficient};
use crate::core::difference::Level;
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::resample::{replicates, Clusters, Drawn, Sampler, Watch};
use crate::core::tally::{Cell, Pattern, DROPPED};
use crate::core::{Error, Tally};

/// Coefficients of pools whose raters are drawn.
pub struct Crossed {
    /// The same without draws.
    plain: Analysis,
    asked: Asked,
    raters: Raters,
    /// Where units are drawn too.
    units: Option<Sampler>,
}

/// Ratings by rater.
struct Raters {
    /// A pool for each rater, in canonical order; those of one pool stand together.
    tally: Tally,
    /// The pool of each of them.
    pool: Vec<u32>,
    /// For each pool: where its raters start, and what draws them.
    drawers: Vec<(usize, Multinomial)>,
}

impl Crossed {
    /// Prepares coefficients of pools from a tally with a pool for each rater; `pool_of` are the pools of the raters.
    pub fn new(
        by_rater: &Tally,
        pool_of: &[u32],
        coefficients: &[Coefficient],
        levels: &[Level],
        (with_units, clusters): (bool, Option<&[Tally]>),
        watch: &Watch,
    ) -> Result<Crossed, Error> {
        let by_pool = by_rater.map_pools(pool_of, n_pools(pool_of, coefficients))?;
        let plain = Analysis::new(&by_pool, coefficients, levels, None, 1, watch)?;
        let asked = Asked::new(&by_pool, coefficients, levels)?;
        let (raters, places) = Raters::new(by_rater, pool_of, &asked)?;
        raters.check_size()?;
        let clusters = clusters.map(|clusters| Clusters::new(clusters, &places, &raters.tally)).transpose()?;
        let units = with_units.then(|| Sampler::new(&raters.tally, clusters));
        Ok(Crossed { plain, asked, raters, units })
    }

    /// The coefficients of the data and of resamples.
    pub fn run(&self, draws: &Draws, n_threads: usize, watch: &Watch) -> Result<Vec<Outcome>, Error> {
        let mut outcomes = self.plain.run(&Draws { n_resamples: 0, with_errors: false, ..*draws }, n_threads, watch)?;
        let width = self.asked.wanted.len();
        let mut table = vec![f64::NAN; draws.n_resamples * width];
        let work = |scratch: &mut Scratch, b: u64, row: &mut [f64]| {
            if let Some(units) = &self.units {
                units.draw(draws.seed, b, &mut scratch.drawn);
            }
            self.raters.draw(draws.seed, b, &mut scratch.times);
            self.replicate(scratch, row, watch).unwrap_or(()); // stopped: the run says so itself
        };
        replicates(&mut table, width, n_threads, watch, || self.scratch(), work)?;
        for (i, outcome) in outcomes.iter_mut().enumerate() {
            outcome.replicates = table.iter().skip(i).step_by(width).copied().collect();
        }
        Ok(outcomes)
    }

    fn scratch(&self) -> Scratch {
        let tally = &self.raters.tally;
        let drawn = Drawn { units: tally.multiplicity().to_vec(), ..Drawn::default() };
        let drawn = self.units.as_ref().map_or(drawn, |units| units.data(tally));
        Scratch { drawn, times: vec![1; tally.n_pools()], sums: Sums::default() }
    }

    fn replicate(&self, scratch: &mut Scratch, row: &mut [f64], watch: &Watch) -> Result<(), Error> {
        let Scratch { drawn, times, sums } = scratch;
        let resample = Resample::new(&self.raters, &drawn.units, times);
        let parts = self.asked.parts(&resample, 1, watch)?;
        let values: Vec<_> = parts.iter().map(|part| part.evaluate(&resample.multiplicity, sums, watch)).collect();
        fill(row, &self.asked.wanted, |i| values[i].coefficient());
        Ok(())
    }
}

struct Scratch {
    drawn: Drawn,
    times: Vec<u64>,
    sums: Sums,
}

impl Raters {
    /// Those with a rating in a unit that enters, and where each rater went.
    fn new(by_rater: &Tally, pool_of: &[u32], asked: &Asked) -> Result<(Raters, Vec<u32>), Error> {
        let pool_of: Vec<u32> = pool_of.iter().map(|&pool| asked.places[pool as usize]).collect();
        let enters = |pattern: &Pattern| asked.entering.find(&merged(pattern, &pool_of)).is_some();
        let entering = by_rater.filter(enters);
        let mut rates = vec![false; pool_of.len()];
        entering.patterns().flat_map(|(pattern, _)| pattern).for_each(|cell| rates[cell.pool as usize] = true);
        let kept: Vec<usize> = (0..pool_of.len()).filter(|&r| rates[r] && pool_of[r] != DROPPED).collect();
        let mut numbers = vec![DROPPED; pool_of.len()];
        for (new, &old) in (0..).zip(&kept) {
            numbers[old] = new;
        }
        let colours = kept.iter().map(|&rater| pool_of[rater]).collect();
        let (tally, order) = entering.map_pools(&numbers, kept.len())?.canonical_within(colours);
        let mut pool = vec![0; kept.len()];
        kept.iter().zip(&order).for_each(|(&rater, &place)| pool[place as usize] = pool_of[rater]);
        let mut start = 0;
        let drawers = pool.chunk_by(|a, b| a == b).map(|raters| {
            start += raters.len();
            (start - raters.len(), Multinomial::new(&vec![1; raters.len()]))
        });
        let drawers = drawers.collect();
        let places = numbers.iter().map(|&new| if new == DROPPED { DROPPED } else { order[new as usize] }).collect();
        Ok((Raters { tally, pool, drawers }, places))
    }

    /// Pairs of ratings must stay countable where one rater is drawn each time.
    fn check_size(&self) -> Result<(), Error> {
        let drawn = u128::from(self.tally.most_ratings()) * self.pool.len() as u128;
        if drawn > u128::from(u32::MAX) || drawn * drawn * u128::from(self.tally.n_units()) > u128::from(u64::MAX) {
            return Err(Error::TooMany);
        }
        Ok(())
    }

    /// How often each rater comes in replicate b.
    fn draw(&self, seed: u64, b: u64, times: &mut [u64]) {
        let mut stream = Stream::new(seed, Purpose::Raters as u64, b);
        for (start, drawer) in &self.drawers {
            drawer.draw(&mut stream, &mut times[*start..*start + drawer.len()]);
        }
    }
}

/// The counts by pool of a unit whose counts are by rater.
fn merged(pattern: &Pattern, pool_of: &[u32]) -> Vec<Cell> {
    let cells = pattern.iter().map(|cell| Cell { pool: pool_of[cell.pool as usize], ..*cell });
    put_together(cells.filter(|cell| cell.pool != DROPPED).collect())
}

/// Sorts counts, those of one pool and value together.
fn put_together(mut cells: Vec<Cell>) -> Vec<Cell> {
    cells.sort_unstable();
    let place = |cell: &Cell| (cell.pool, cell.value);
    let same = cells.chunk_by(|a, b| place(a) == place(b));
    same.map(|cells| Cell { count: cells.iter().map(|cell| cell.count).sum(), ..cells[0] }).collect()
}

/// Units as they are after units and raters were drawn.
struct Resample<'a> {
    n_values: usize,
    multiplicity: Vec<u64>,
    units: Vec<(Vec<Cell>, Vec<Copied<'a>>)>,
}

impl<'a> Resample<'a> {
    fn new(raters: &'a Raters, units: &[u64], times: &[u64]) -> Resample<'a> {
        let shown = (0..raters.tally.n_patterns()).filter(|&p| units[p] > 0);
        Resample {
            n_values: raters.tally.n_values(),
            multiplicity: shown.clone().map(|p| units[p]).collect(),
            units: shown.map(|p| raters.drawn(raters.tally.pattern(p), times)).collect(),
        }
    }
}

impl Raters {
    /// A unit whose raters come so many times.
    fn drawn<'a>(&self, pattern: &'a Pattern, times: &[u64]) -> (Vec<Cell>, Vec<Copied<'a>>) {
        let (mut cells, mut copied) = (Vec::new(), Vec::new());
        for ratings in pattern.chunk_by(|a, b| a.pool == b.pool) {
            let rater = ratings[0].pool as usize;
            let (pool, v) = (self.pool[rater], times[rater]);
            if v > 0 {
                cells.extend(ratings.iter().map(|cell| Cell { pool, count: cell.count * v as u32, ..*cell }));
            }
            if v > 1 {
                copied.push(Copied { pool, pairs_of_copies: v * v - v, ratings });
            }
        }
        (put_together(cells), copied)
    }
}

impl Units for Resample<'_> {
    fn len(&self) -> usize {
        self.units.len()
    }

    fn unit(&self, i: usize) -> Unit<'_> {
        let (cells, copied) = &self.units[i];
        Unit { cells, copied }
    }

    fn n_units(&self) -> u64 {
        self.multiplicity.iter().sum()
    }

    fn n_values(&self) -> usize {
        self.n_values
    }
}
