//! Numbers to codes: each distinct value gets its place in the sorted domain.

use hashbrown::HashTable;
use rayon::prelude::*;

use super::resample::with_threads;

/// The code of a missing rating.
pub const MISSING: i32 = -1;

/// A number that can be a rating.
pub trait Number: Copy + Send + Sync {
    /// Bits that are ordered as the numbers are, and equal exactly where they are.
    fn key(self) -> u64;
    /// Whether it stands for no rating.
    fn is_missing(self) -> bool;
    /// The number itself, for -0.0 its equal 0.0.
    fn plain(self) -> Self {
        self
    }
}

impl Number for f64 {
    fn plain(self) -> f64 {
        self + 0.0
    }
    fn key(self) -> u64 {
        let bits = self.plain().to_bits();
        let negative = bits >> 63 == 1;
        bits ^ if negative { u64::MAX } else { 1 << 63 }
    }
    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

impl Number for i64 {
    fn key(self) -> u64 {
        self as u64 ^ (1 << 63)
    }
    fn is_missing(self) -> bool {
        false
    }
}

impl Number for u64 {
    fn key(self) -> u64 {
        self
    }
    fn is_missing(self) -> bool {
        false
    }
}

/// Spreads the bits of a key over the word (the finalizer of splitmix64).
pub(crate) fn mix(mut key: u64) -> u64 {
    key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

/// Gives numbers the places of the distinct ones among them, sorted, and returns these.
pub fn renumber<T: Copy + Ord + TryFrom<usize>>(numbers: &mut [T]) -> Vec<T> {
    let mut distinct = numbers.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    for number in numbers {
        let place = distinct.partition_point(|other| other < number);
        *number = T::try_from(place).unwrap_or_else(|_| unreachable!("fewer places than numbers"));
    }
    distinct
}

/// Up to this many distinct values they are found by hashing; sorting is faster for more.
const MOST_HASHED: usize = 1 << 12;

/// The code of each value ([`MISSING`] where it is none) and the sorted distinct values.
pub fn encode<T: Number>(values: &[T], n_threads: usize) -> (Vec<i32>, Vec<T>) {
    by_hashing(values).unwrap_or_else(|| by_sorting(values, n_threads))
}

fn by_hashing<T: Number>(values: &[T]) -> Option<(Vec<i32>, Vec<T>)> {
    let mut seen: Vec<T> = Vec::new();
    let mut table: HashTable<u32> = HashTable::new();
    let mut last = (None, MISSING);
    let mut codes = Vec::with_capacity(values.len());
    for &value in values {
        if value.is_missing() {
            codes.push(MISSING);
            continue;
        }
        let key = value.key();
        if last.0 != Some(key) {
            let entry = table.entry(mix(key), |&i| seen[i as usize].key() == key, |&i| mix(seen[i as usize].key()));
            let new = seen.len() as u32;
            let code = *entry.or_insert(new).get();
            if code == new {
                if seen.len() == MOST_HASHED {
                    return None;
                }
                seen.push(value.plain());
            }
            last = (Some(key), code as i32);
        }
        codes.push(last.1);
    }
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    order.sort_unstable_by_key(|&code| seen[code as usize].key());
    let mut rank = vec![0; seen.len()];
    for (i, &code) in (0..).zip(&order) {
        rank[code as usize] = i;
    }
    codes.iter_mut().filter(|code| **code != MISSING).for_each(|code| *code = rank[*code as usize]);
    Some((codes, order.iter().map(|&code| seen[code as usize]).collect()))
}

fn by_sorting<T: Number>(values: &[T], n_threads: usize) -> (Vec<i32>, Vec<T>) {
    let present = (0..).zip(values).filter(|(_, value)| !value.is_missing());
    let mut places: Vec<(u64, u32)> = present.map(|(i, value)| (value.key(), i)).collect();
    with_threads(n_threads, || places.par_sort_unstable());
    let mut codes = vec![MISSING; values.len()];
    let mut domain: Vec<T> = Vec::new();
    let mut last = None;
    for (key, i) in places {
        if last != Some(key) {
            domain.push(values[i as usize].plain());
            last = Some(key);
        }
        codes[i as usize] = domain.len() as i32 - 1;
    }
    (codes, domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_and_skips() {
        let values = [2.0, f64::NAN, -0.0, 0.0, 2.0, -1.0];
        for (codes, domain) in [by_hashing(&values).unwrap(), by_sorting(&values, 1)] {
            assert_eq!(codes, [2, MISSING, 1, 1, 2, 0]);
            assert_eq!(domain, [-1.0, 0.0, 2.0]);
        }
        let (codes, domain) = encode(&[i64::MAX, i64::MAX - 1, i64::MIN], 1);
        assert_eq!((codes, domain), (vec![2, 1, 0], vec![i64::MIN, i64::MAX - 1, i64::MAX]));
    }

    #[test]
    fn many_values_are_sorted() {
        let values: Vec<f64> = (0..3 * MOST_HASHED).map(|i| ((i * 7919) % 10_007) as f64 - 5000.0).collect();
        assert!(by_hashing(&values).is_none());
        let (codes, domain) = encode(&values, 2);
        assert!(domain.is_sorted());
        assert!(values.iter().zip(&codes).all(|(&value, &code)| domain[code as usize] == value));
    }
}
