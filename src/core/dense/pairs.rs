//! Pairs of values inside rows, counted by the number of ratings in the row.

use super::each_new_slot;
use multiversion::multiversion;

use super::slots::{Rating, Slots, MISSING};
use super::Trouble::{self, Unfit};
use crate::core::coefficient::PairCounts;

/// Up to so many values; the last place is for missing ratings.
const PLACES: usize = 32;

/// No place yet.
const UNKNOWN: u8 = u8::MAX;

/// The most columns for which a chunk's counts stay within 32 bits and the nearer caches.
const MOST_COLUMNS: usize = 128;

/// Counts of one chunk.
pub(super) struct Pairs<'a, T> {
    places: [u8; 256],
    seen: Vec<u8>,
    missing: &'a [T],
    sizes: Vec<Size>,
    rows: Vec<u8>,
}

/// Rows with one number of ratings.
#[derive(Clone)]
struct Size {
    n_units: u32,
    counts: [u32; PLACES],
    /// Σ c_k c_l.
    products: Vec<u32>,
}

/// What a chunk found.
pub(super) struct Found<T> {
    pub values: Vec<T>,
    sizes: Vec<Size>,
}

impl<'a, T: Rating> Pairs<'a, T> {
    pub fn new(n_columns: usize, missing: &'a [T]) -> Result<Pairs<'a, T>, Trouble> {
        if n_columns > MOST_COLUMNS {
            return Err(Unfit);
        }
        let mut places = [UNKNOWN; 256];
        places[MISSING as usize] = PLACES as u8 - 1;
        let none = Size { n_units: 0, counts: [0; PLACES], products: vec![0; PLACES * PLACES] };
        Ok(Pairs { places, seen: Vec::new(), missing, sizes: vec![none; n_columns + 1], rows: Vec::new() })
    }

    /// Counts a block of rows, their slots row after row or column after column.
    pub fn count(&mut self, block: &[u8], n_rows: usize, in_rows: bool, slots: &Slots<T>) -> Result<(), Trouble> {
        self.learn(block, slots)?;
        let width = self.sizes.len() - 1;
        if in_rows {
            count_rows(block, width, &self.places, self.seen.len(), &mut self.sizes);
            return Ok(());
        }
        self.rows.clear();
        self.rows.extend((0..n_rows).flat_map(|i| block.iter().skip(i).step_by(n_rows)));
        count_rows(&self.rows, width, &self.places, self.seen.len(), &mut self.sizes);
        Ok(())
    }

    /// Gives the new slots of a block their places.
    fn learn(&mut self, block: &[u8], slots: &Slots<T>) -> Result<(), Trouble> {
        let Pairs { places, seen, missing, .. } = self;
        let known = *places;
        each_new_slot(
            block,
            |slot| known[slot as usize] != UNKNOWN,
            |slot| {
                let value = slots.value(slot);
                let is_missing = missing.iter().any(|other| other.key() == value.key());
                places[slot as usize] = if is_missing { PLACES as u8 - 1 } else { seen.len() as u8 };
                if !is_missing {
                    seen.push(slot);
                }
                if seen.len() < PLACES {
                    Ok(())
                } else {
                    Err(Unfit)
                }
            },
        )
    }

    pub fn finish(self, slots: &Slots<T>) -> Found<T> {
        Found { values: self.seen.iter().map(|&slot| slots.value(slot)).collect(), sizes: self.sizes }
    }
}

/// Adds rows to the counts of their sizes: row k of the products gets c_k times all counts at once.
#[multiversion(targets("x86_64+avx2"))]
fn count_rows(rows: &[u8], width: usize, places: &[u8; 256], n_values: usize, sizes: &mut [Size]) {
    let lanes = n_values.next_multiple_of(8).min(PLACES);
    for row in rows.chunks_exact(width) {
        let mut c = [0u32; PLACES];
        for &slot in row {
            c[places[slot as usize] as usize % PLACES] += 1;
        }
        let size = &mut sizes[width - c[PLACES - 1] as usize];
        c[PLACES - 1] = 0;
        size.n_units += 1;
        for (k, &c_k) in c[..n_values].iter().enumerate() {
            if c_k == 0 {
                continue;
            }
            size.counts[k] += c_k;
            for (product, &c_l) in size.products[k * PLACES..][..lanes].iter_mut().zip(&c[..lanes]) {
                *product += c_k * c_l;
            }
        }
    }
}

impl<T> Found<T> {
    /// Adds the chunk's counts, value i at `place[i]` of the domain.
    pub fn add_to(&self, all: &mut PairCounts, place: &[u32]) {
        for (m, size) in (0..).zip(&self.sizes).filter(|(_, size)| size.n_units > 0) {
            let target = all.of_size(m);
            target.n_units += u64::from(size.n_units);
            for (k, &to_k) in place.iter().enumerate() {
                target.counts[to_k as usize] += u64::from(size.counts[k]);
                for (l, &to_l) in place[..=k].iter().enumerate() {
                    let products = u64::from(size.products[k * PLACES + l]);
                    target.add(to_k as usize, to_l as usize, products);
                }
            }
        }
    }
}
