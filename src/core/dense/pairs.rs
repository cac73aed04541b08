//! Pairs of values inside rows, counted by the number of ratings in the row.

use super::each_new_slot;
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
    row: Vec<u8>,
}

/// Rows with one number of ratings.
#[derive(Clone)]
struct Size {
    n_units: u32,
    counts: [u32; PLACES],
    /// c_k c_l for l <= k, the squares on the diagonal.
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
        Ok(Pairs { places, seen: Vec::new(), missing, sizes: vec![none; n_columns + 1], row: Vec::new() })
    }

    /// Counts a block of rows, their slots row after row or column after column.
    pub fn count(&mut self, block: &[u8], n_rows: usize, in_rows: bool, slots: &Slots<T>) -> Result<(), Trouble> {
        self.learn(block, slots)?;
        let width = self.sizes.len() - 1;
        if in_rows {
            block.chunks_exact(width).for_each(|row| self.count_row(row));
            return Ok(());
        }
        let mut row = std::mem::take(&mut self.row);
        for i in 0..n_rows {
            row.clear();
            row.extend(block.iter().skip(i).step_by(n_rows));
            self.count_row(&row);
        }
        self.row = row;
        Ok(())
    }

    fn count_row(&mut self, row: &[u8]) {
        let mut c = [0u8; PLACES];
        for &slot in row {
            c[(self.places[slot as usize] as usize) % PLACES] += 1;
        }
        let size = &mut self.sizes[row.len() - c[PLACES - 1] as usize];
        size.n_units += 1;
        let mut present = [(0u8, 0u32); PLACES];
        let mut n_present = 0;
        for (k, &count) in (0..).zip(&c[..self.seen.len()]) {
            present[n_present] = (k, count.into());
            n_present += usize::from(count > 0);
        }
        for (i, &(k, c_k)) in present[..n_present].iter().enumerate() {
            size.counts[k as usize % PLACES] += c_k;
            let products = &mut size.products[k as usize * PLACES..][..PLACES];
            for &(l, c_l) in &present[..=i] {
                products[l as usize % PLACES] += c_k * c_l;
            }
        }
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
