//! From a matrix of numbers straight to what coefficients need, in one pass and without codes for every rating.
//!
//! Values become one-byte slots (`slots`), a row of slots becomes one integer key that stands for its pattern
//! (`keys`), and keys are counted. This works for few distinct values, which is what ratings are; where it does not,
//! [`Unfit`] sends the caller to the general way, [`crate::core::encode`]. Rows are taken in fixed chunks, which
//! threads share; counts are integers, so neither chunks nor threads show.

mod keys;
mod pairs;
mod slots;

use std::ops::Range;

use rayon::prelude::*;

use super::coefficient::PairCounts;
use super::resample::with_threads;
use super::tally::{Cell, Tally};
use super::Error;
use keys::Keys;
pub use slots::Rating;
use slots::{Slots, ODD};

/// Ratings as they lie in memory: units x raters.
#[derive(Clone, Copy)]
pub enum Matrix<'a, T> {
    /// Row after row, and the number of columns.
    Rows(&'a [T], usize),
    /// Columns of one length.
    Columns(&'a [&'a [T]]),
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The data have too many values or raters for one-byte slots and integer keys.
    Unfit,
    /// There are nearly as many patterns as units, so telling them apart gains nothing.
    ManyPatterns,
    /// Something is wrong.
    Error(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        Trouble::Error(error)
    }
}

use Trouble::Unfit;

/// What is not a rating.
#[derive(Clone, Copy, Default)]
pub struct Missing<'a, T> {
    /// Values that say missing.
    pub values: &'a [T],
    /// Cells that are missing, row after row.
    pub mask: Option<&'a [bool]>,
}

/// Rows that one task takes.
const CHUNK: usize = 1 << 16;

/// Rows that are looked at together, so that their slots stay in the nearest cache.
const BLOCK: usize = 1 << 9;

/// Rows whose patterns are counted to see whether there are many.
const SAMPLE: usize = 1 << 13;

/// Cells between two looks at whether to go on: a few hundredths of a second.
const CELLS_AT_ONCE: usize = 1 << 26;

/// How to go about it.
pub struct Run<'a> {
    /// Number of threads.
    pub n_threads: usize,
    /// Called now and then, on the calling thread; `false` ends the work.
    pub keep_going: &'a dyn Fn() -> bool,
    /// Whether to give up early where nearly every unit shows a pattern of its own.
    pub refuse_many_patterns: bool,
}

/// Below this number of cells threads cost more than they give.
const WORTH_THREADS: usize = 1 << 18;

impl<T: Rating> Matrix<'_, T> {
    /// Number of units.
    pub fn n_rows(&self) -> usize {
        match self {
            Matrix::Rows(cells, width) => cells.len().checked_div(*width).unwrap_or(0),
            Matrix::Columns(columns) => columns.first().map_or(0, |column| column.len()),
        }
    }

    /// Number of raters.
    pub fn n_columns(&self) -> usize {
        match self {
            Matrix::Rows(_, width) => *width,
            Matrix::Columns(columns) => columns.len(),
        }
    }

    /// Some of the cells, for a guess at the values.
    fn sample(&self) -> Vec<T> {
        match self {
            Matrix::Rows(cells, _) => cells.iter().take(BLOCK).copied().collect(),
            Matrix::Columns(columns) => columns.iter().flat_map(|column| column.iter().take(BLOCK).copied()).collect(),
        }
    }

    /// Slots of a block of rows, row after row or column after column as the matrix lies.
    fn slots(&self, rows: Range<usize>, slots: &mut Slots<T>, missing: &Missing<T>, out: &mut Vec<u8>) {
        out.clear();
        match self {
            Matrix::Rows(cells, width) => slots.extend(&cells[rows.start * width..rows.end * width], out),
            Matrix::Columns(columns) => columns.iter().for_each(|column| slots.extend(&column[rows.clone()], out)),
        }
        if let Some(mask) = missing.mask {
            self.hide(rows, mask, out);
        }
    }

    /// Marks the cells of a block that are masked.
    fn hide(&self, rows: Range<usize>, mask: &[bool], out: &mut [u8]) {
        let width = self.n_columns();
        let mask = &mask[rows.start * width..rows.end * width];
        let hide = |slot: &mut u8, &masked: &bool| {
            if masked {
                *slot = slots::MISSING;
            }
        };
        match self {
            Matrix::Rows(..) => out.iter_mut().zip(mask).for_each(|(slot, masked)| hide(slot, masked)),
            Matrix::Columns(_) => {
                for (j, column) in out.chunks_exact_mut(rows.len().max(1)).enumerate() {
                    column.iter_mut().zip(mask.iter().skip(j).step_by(width)).for_each(|(slot, m)| hide(slot, m));
                }
            }
        }
    }
}

/// The tally of a matrix whose column j belongs to pool `pools[j]`, and its sorted domain.
pub fn tally<T: Rating>(
    matrix: Matrix<T>,
    pools: &[u32],
    missing: Missing<T>,
    run: &Run,
) -> Result<(Tally, Vec<T>), Trouble> {
    let guess = Slots::guess(&matrix.sample());
    let shape = keys::Shape::new(pools, guess.n_values()).ok_or(Unfit)?;
    let count = |rows| {
        let mut slots = guess.clone();
        let mut keys = Keys::new(&shape, missing.values);
        each_block(&matrix, rows, &mut slots, &missing, |n_rows, block, slots| {
            let in_rows = matches!(matrix, Matrix::Rows(..));
            keys.count(block, n_rows, in_rows, slots)
        })?;
        Ok(keys.finish(&slots))
    };
    if run.refuse_many_patterns && matrix.n_rows() > CHUNK {
        let n_patterns = count(0..SAMPLE)?.patterns.len();
        if n_patterns * 4 > SAMPLE {
            return Err(Trouble::ManyPatterns);
        }
    }
    let chunks: Vec<keys::Counted<T>> = each_chunk(&matrix, run, count)?;
    let domain = union(chunks.iter().map(|chunk| chunk.values.as_slice()));
    let n_pools = shape.n_pools();
    let patterns = chunks.iter().flat_map(|chunk| {
        let place: Vec<u32> = chunk.values.iter().map(|value| place_in(&domain, value)).collect();
        chunk.patterns.iter().map(move |&(key, w)| {
            let cells = chunk.shape.cells(key).map(|cell| Cell { value: place[cell.value as usize], ..cell });
            (cells.collect::<Vec<_>>(), w)
        })
    });
    Ok((Tally::from_cells(patterns, n_pools, domain.len())?, domain))
}

/// Pair counts of a matrix of one pool, and its sorted domain; for estimates where patterns are too many to tell apart.
pub fn pair_counts<T: Rating>(
    matrix: Matrix<T>,
    missing: Missing<T>,
    run: &Run,
) -> Result<(PairCounts, Vec<T>), Trouble> {
    let guess = Slots::guess(&matrix.sample());
    let chunks = each_chunk(&matrix, run, |rows| {
        let mut slots = guess.clone();
        let mut pairs = pairs::Pairs::new(matrix.n_columns(), missing.values)?;
        each_block(&matrix, rows, &mut slots, &missing, |n_rows, block, slots| {
            pairs.count(block, n_rows, matches!(matrix, Matrix::Rows(..)), slots)
        })?;
        Ok(pairs.finish(&slots))
    })?;
    let domain = union(chunks.iter().map(|chunk| chunk.values.as_slice()));
    let mut counts = PairCounts::new(domain.len());
    for chunk in &chunks {
        let place: Vec<u32> = chunk.values.iter().map(|value| place_in(&domain, value)).collect();
        chunk.add_to(&mut counts, &place);
    }
    Ok((counts, domain))
}

/// Runs a task on each chunk of rows.
fn each_chunk<T: Rating, R: Send>(
    matrix: &Matrix<T>,
    run: &Run,
    task: impl Fn(Range<usize>) -> Result<R, Trouble> + Sync,
) -> Result<Vec<R>, Trouble> {
    let n_rows = matrix.n_rows();
    let chunks = n_rows.div_ceil(CHUNK);
    let task = |chunk: usize| task(chunk * CHUNK..n_rows.min((chunk + 1) * CHUNK));
    if n_rows * matrix.n_columns() < WORTH_THREADS {
        return (0..chunks).map(task).collect();
    }
    let at_once = (CELLS_AT_ONCE / (CHUNK * matrix.n_columns())).max(1);
    let mut results = Vec::with_capacity(chunks);
    for start in (0..chunks).step_by(at_once) {
        if !(run.keep_going)() {
            return Err(Error::Stopped.into());
        }
        let here = start..chunks.min(start + at_once);
        let done: Result<Vec<R>, Trouble> = with_threads(run.n_threads, || here.into_par_iter().map(task).collect());
        results.extend(done?);
    }
    Ok(results)
}

/// Turns the rows of a chunk into slots, block after block.
fn each_block<T: Rating>(
    matrix: &Matrix<T>,
    rows: Range<usize>,
    slots: &mut Slots<T>,
    missing: &Missing<T>,
    mut count: impl FnMut(usize, &[u8], &Slots<T>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut block = Vec::with_capacity(BLOCK * matrix.n_columns());
    for start in rows.clone().step_by(BLOCK) {
        let here = start..rows.end.min(start + BLOCK);
        matrix.slots(here.clone(), slots, missing, &mut block);
        count(here.len(), &block, slots)?;
    }
    Ok(())
}

/// The sorted distinct values of several lists.
fn union<'a, T: Rating>(lists: impl Iterator<Item = &'a [T]>) -> Vec<T> {
    let mut domain: Vec<T> = lists.flatten().copied().collect();
    domain.sort_unstable_by(T::order);
    domain.dedup_by(|a, b| a.order(b).is_eq());
    domain
}

fn place_in<T: Rating>(domain: &[T], value: &T) -> u32 {
    domain.partition_point(|other| other.order(value).is_lt()) as u32
}

/// Registers the slots of a block that were not seen before; refuses values that have no slot.
fn each_new_slot(
    block: &[u8],
    is_known: impl Fn(u8) -> bool,
    mut add: impl FnMut(u8) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let mut present = [false; 256];
    for &slot in block {
        present[slot as usize] = true;
    }
    for slot in (0..=u8::MAX).filter(|&slot| present[slot as usize] && !is_known(slot)) {
        if slot == ODD {
            return Err(Unfit);
        }
        add(slot)?;
    }
    Ok(())
}
