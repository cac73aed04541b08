//! Rows of slots as integer keys: one key for each pattern.
//!
//! A key is a number in a mixed radix. Where pools hold several raters, there is a digit for each value and pool, the
//! count; where every pool is one rater, a digit for each pool, the value. A key is a sum over the row's cells either
//! way, a look-up and an addition a cell.

use hashbrown::HashTable;

use super::each_new_slot;
use super::slots::{Rating, Slots, MISSING};
use super::Trouble::{self, Unfit};
use crate::core::encode::mix;
use crate::core::tally::Cell;

/// Added for a slot that is not known yet; no sum of known slots gets here.
const UNKNOWN: u64 = 1 << 48;

/// Up to this many different keys are counted in an array.
const LARGEST_ARRAY: u64 = 1 << 17;

/// How keys are made for some pools.
#[derive(Clone)]
pub(super) struct Shape {
    /// The pool of each column.
    pools: Vec<u32>,
    /// Number of columns in each pool.
    sizes: Vec<u64>,
    digits: Digits,
}

#[derive(Clone, Copy)]
enum Digits {
    /// Digit (value, pool) is a count; one value more multiplies the number of keys.
    Counts,
    /// Digit (pool) is a value, in so many bits; 0 for none.
    Values { bits: u32 },
}

impl Shape {
    /// A shape for columns of these pools, about so many values expected; `None` where keys would not fit.
    pub fn new(pools: &[u32], n_values: usize) -> Option<Shape> {
        let n_pools = pools.iter().max().map_or(0, |&most| most as usize + 1);
        let mut sizes = vec![0; n_pools];
        for &pool in pools {
            sizes[pool as usize] += 1;
        }
        let bits = (n_values as u64 + 1).next_power_of_two().ilog2().max(3);
        let of_one = n_pools > 1 && sizes.iter().all(|&size| size == 1);
        let digits = if of_one { Digits::Values { bits } } else { Digits::Counts };
        let shape = Shape { pools: pools.to_vec(), sizes, digits };
        let fits = pools.len() < 1 << 15 && shape.n_keys(n_values.max(1)).is_some();
        fits.then_some(shape)
    }

    pub fn n_pools(&self) -> usize {
        self.sizes.len()
    }

    /// Number of keys for so many values; `None` where there are too many, of keys or of values for a digit.
    fn n_keys(&self, n_values: usize) -> Option<u64> {
        let n_keys = match self.digits {
            Digits::Counts => self.radix()?.checked_pow(n_values as u32),
            Digits::Values { bits } => {
                let fits = n_values < 1 << bits;
                1u64.checked_shl(bits.checked_mul(self.pools.len() as u32)?).filter(|_| fits)
            }
        };
        n_keys.filter(|&n| n < UNKNOWN)
    }

    /// Radix of the digits of one value together.
    fn radix(&self) -> Option<u64> {
        self.sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size + 1))
    }

    /// What a rating of value `index` adds to the key when it is of this pool.
    fn step(&self, pool: u32, index: usize) -> u64 {
        match self.digits {
            Digits::Counts => {
                let below: u64 = self.sizes[..pool as usize].iter().map(|&size| size + 1).product();
                self.radix().map_or(0, |radix| radix.pow(index as u32)) * below
            }
            Digits::Values { bits } => (index as u64 + 1) << (bits * pool),
        }
    }

    /// The counts that a key stands for; values by index.
    pub fn cells(&self, key: u64) -> impl Iterator<Item = Cell> + '_ {
        let mut cells = Vec::new();
        let mut rest = key;
        match self.digits {
            Digits::Counts => {
                let mut value = 0;
                while rest > 0 {
                    for (pool, &size) in (0..).zip(&self.sizes) {
                        cells.push(Cell { pool, value, count: (rest % (size + 1)) as u32 });
                        rest /= size + 1;
                    }
                    value += 1;
                }
            }
            Digits::Values { bits } => {
                for pool in 0..self.sizes.len() as u32 {
                    let digit = rest & ((1 << bits) - 1);
                    if digit > 0 {
                        cells.push(Cell { pool, value: digit as u32 - 1, count: 1 });
                    }
                    rest >>= bits;
                }
            }
        }
        cells.into_iter().filter(|cell| cell.count > 0)
    }
}

/// Counts the keys of rows.
pub(super) struct Keys<'a, T> {
    shape: &'a Shape,
    /// What each slot adds, by pool.
    steps: Vec<[u64; 256]>,
    /// The slot of each value seen, in order of first sight.
    seen: Vec<u8>,
    missing: &'a [T],
    counter: Counter,
    keys: Vec<u64>,
}

enum Counter {
    Array(Vec<u32>),
    Table(HashTable<(u64, u32)>),
}

/// The patterns of a chunk.
pub(super) struct Counted<'a, T> {
    pub shape: &'a Shape,
    /// The values by index.
    pub values: Vec<T>,
    /// Keys and the number of rows that have them.
    pub patterns: Vec<(u64, u64)>,
}

impl<'a, T: Rating> Keys<'a, T> {
    pub fn new(shape: &'a Shape, missing: &'a [T]) -> Keys<'a, T> {
        let mut steps = vec![[UNKNOWN; 256]; shape.n_pools()];
        for step in &mut steps {
            step[MISSING as usize] = 0;
        }
        Keys { shape, steps, seen: Vec::new(), missing, counter: Counter::Array(vec![0]), keys: Vec::new() }
    }

    /// Counts a block of rows, their slots row after row or column after column.
    pub fn count(&mut self, block: &[u8], n_rows: usize, in_rows: bool, slots: &Slots<T>) -> Result<(), Trouble> {
        self.add_up(block, n_rows, in_rows);
        if self.keys.iter().any(|&key| key >= UNKNOWN) {
            self.learn(block, slots)?;
            self.add_up(block, n_rows, in_rows);
        }
        match &mut self.counter {
            Counter::Array(counts) => self.keys.iter().for_each(|&key| counts[key as usize] += 1),
            Counter::Table(table) => self.keys.iter().for_each(|&key| add(table, key, 1)),
        }
        Ok(())
    }

    fn add_up(&mut self, block: &[u8], n_rows: usize, in_rows: bool) {
        let Keys { shape, steps, keys, .. } = self;
        keys.clear();
        if !in_rows {
            keys.resize(n_rows, 0);
            for (column, &pool) in block.chunks_exact(n_rows).zip(&shape.pools) {
                let steps = &steps[pool as usize];
                keys.iter_mut().zip(column).for_each(|(key, &slot)| *key += steps[slot as usize]);
            }
        } else if let [steps] = steps.as_slice() {
            let rows = block.chunks_exact(shape.pools.len());
            keys.extend(rows.map(|row| row.iter().map(|&slot| steps[slot as usize]).sum::<u64>()));
        } else {
            let rows = block.chunks_exact(shape.pools.len());
            let cell = |(&slot, &pool): (&u8, &u32)| steps[pool as usize][slot as usize];
            keys.extend(rows.map(|row| row.iter().zip(&shape.pools).map(cell).sum::<u64>()));
        }
    }

    /// Gives the unknown slots of a block their steps.
    fn learn(&mut self, block: &[u8], slots: &Slots<T>) -> Result<(), Trouble> {
        let Keys { shape, steps, seen, missing, .. } = self;
        let known = steps[0];
        each_new_slot(
            block,
            |slot| known[slot as usize] != UNKNOWN,
            |slot| {
                let value = slots.value(slot);
                let is_missing = missing.iter().any(|other| other.key() == value.key());
                if !is_missing {
                    seen.push(slot);
                    shape.n_keys(seen.len()).ok_or(Unfit)?;
                }
                for (pool, steps) in (0..).zip(steps.iter_mut()) {
                    steps[slot as usize] = if is_missing { 0 } else { shape.step(pool, seen.len() - 1) };
                }
                Ok(())
            },
        )?;
        self.make_room()
    }

    fn make_room(&mut self) -> Result<(), Trouble> {
        let n_keys = self.shape.n_keys(self.seen.len().max(1)).ok_or(Unfit)?;
        if let Counter::Array(counts) = &mut self.counter {
            if n_keys <= LARGEST_ARRAY {
                counts.resize(n_keys as usize, 0);
            } else {
                let mut table = HashTable::new();
                (0..).zip(counts.iter()).filter(|(_, &n)| n > 0).for_each(|(key, &n)| add(&mut table, key, n));
                self.counter = Counter::Table(table);
            }
        }
        Ok(())
    }

    pub fn finish(self, slots: &Slots<T>) -> Counted<'a, T> {
        // The table's order is that of hashes; patterns are sorted when a tally is made of them.
        let patterns = match self.counter {
            Counter::Array(counts) => {
                (0..).zip(counts).filter(|&(_, n)| n > 0).map(|(key, n)| (key, n.into())).collect()
            }
            Counter::Table(table) => table.into_iter().map(|(key, n)| (key, n.into())).collect(),
        };
        Counted { shape: self.shape, values: self.seen.iter().map(|&slot| slots.value(slot)).collect(), patterns }
    }
}

fn add(table: &mut HashTable<(u64, u32)>, key: u64, n: u32) {
    let entry = table.entry(mix(key), |&(other, _)| other == key, |&(other, _)| mix(other));
    entry.or_insert((key, 0)).into_mut().1 += n;
}
