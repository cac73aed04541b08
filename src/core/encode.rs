//! Numbers to codes: each distinct value gets its place in the sorted domain.

use hashbrown::HashTable;

/// The code of a missing rating.
pub const MISSING: i32 = -1;

/// A number that can be a rating.
pub trait Number: Copy + PartialOrd {
    /// Bits that are equal exactly where the numbers are.
    fn key(self) -> u64;
    /// Whether it stands for no rating.
    fn is_missing(self) -> bool;
}

impl Number for f64 {
    fn key(self) -> u64 {
        (self + 0.0).to_bits() // -0.0 + 0.0 is 0.0
    }
    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

impl Number for i64 {
    fn key(self) -> u64 {
        self as u64
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

/// The code of each value ([`MISSING`] where it is none) and the sorted distinct values.
pub fn encode<T: Number>(values: impl Iterator<Item = T>) -> (Vec<i32>, Vec<T>) {
    let mut seen: Vec<T> = Vec::new();
    let mut table: HashTable<u32> = HashTable::new();
    let mut last = (None, MISSING);
    let mut codes: Vec<i32> = values
        .map(|value| {
            if value.is_missing() {
                return MISSING;
            }
            let key = value.key();
            if last.0 != Some(key) {
                let entry = table.entry(mix(key), |&i| seen[i as usize].key() == key, |&i| mix(seen[i as usize].key()));
                let new = seen.len() as u32;
                let code = *entry.or_insert(new).get();
                if code == new {
                    seen.push(value);
                }
                last = (Some(key), code as i32);
            }
            last.1
        })
        .collect();
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        seen[a as usize].partial_cmp(&seen[b as usize]).expect("missing values have no code")
    });
    let mut rank = vec![0; seen.len()];
    for (i, &code) in (0..).zip(&order) {
        rank[code as usize] = i;
    }
    for code in &mut codes {
        if *code != MISSING {
            *code = rank[*code as usize];
        }
    }
    (codes, order.iter().map(|&code| seen[code as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_and_skips() {
        let (codes, domain) = encode([2.0, f64::NAN, -0.0, 0.0, 2.0, -1.0].into_iter());
        assert_eq!(codes, [2, MISSING, 1, 1, 2, 0]);
        assert_eq!(domain, [-1.0, 0.0, 2.0]);
        let (codes, domain) = encode([i64::MAX, i64::MAX - 1].into_iter());
        assert_eq!((codes, domain), (vec![1, 0], vec![i64::MAX - 1, i64::MAX]));
    }
}
