//! Values as one-byte slots.

use std::cmp::Ordering;

use multiversion::multiversion;

/// The slot of a missing rating.
pub(super) const MISSING: u8 = 255;

/// The slot of a value that has none.
pub(super) const ODD: u8 = 254;

/// How many values there are slots for.
const N_SLOTS: usize = 250;

/// A number type that ratings come in.
pub trait Rating: Copy + Send + Sync + 'static {
    /// Whether it stands for no rating.
    fn is_missing(self) -> bool;
    /// Bits that are equal exactly where values are.
    fn key(self) -> u64;
    /// The value itself, for -0.0 its equal 0.0.
    fn plain(self) -> Self {
        self
    }
    /// Order by size.
    fn order(&self, other: &Self) -> Ordering;
    /// Whether the value is a whole number near zero.
    fn is_whole(self) -> bool;
    /// Slots of whole numbers from `base` on.
    fn whole_slots(values: &[Self], base: Self, out: &mut Vec<u8>);
    /// The whole number `base + slot`.
    fn from_slot(base: Self, slot: u8) -> Self;
    /// The value less a margin, so that somewhat smaller values have slots too.
    fn with_margin(self) -> Self;
}

impl Rating for f64 {
    fn is_missing(self) -> bool {
        self.is_nan()
    }
    fn key(self) -> u64 {
        self.plain().to_bits()
    }
    fn plain(self) -> f64 {
        self + 0.0
    }
    fn order(&self, other: &f64) -> Ordering {
        self.plain().total_cmp(&other.plain())
    }
    fn is_whole(self) -> bool {
        self.trunc() == self && self.abs() < 1e9
    }
    fn whole_slots(values: &[f64], base: f64, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + values.len(), 0);
        whole_slots_of_doubles(values, base, &mut out[start..]);
    }
    fn from_slot(base: f64, slot: u8) -> f64 {
        base + f64::from(slot)
    }
    fn with_margin(self) -> f64 {
        self - 100.0
    }
}

/// Numbers whose slots are computed together.
const GROUP: usize = 16;

/// Adding 1.5 * 2^52 leaves a whole number in the low bits; masks instead of branches, and plain loops over a group,
/// let the compiler take several numbers at once.
#[multiversion(targets("x86_64+avx2"))]
fn whole_slots_of_doubles(values: &[f64], base: f64, out: &mut [u8]) {
    const TO_BITS: f64 = 6_755_399_441_055_744.0;
    for (values, out) in values.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
        for (&value, slot) in values.iter().zip(out) {
            let offset = value - base;
            let shifted = offset + TO_BITS;
            let is_slot = (shifted - TO_BITS == offset) & (offset >= 0.0) & (offset < N_SLOTS as f64);
            let other = if value.is_nan() { u64::from(MISSING) } else { u64::from(ODD) };
            *slot = if is_slot { shifted.to_bits() } else { other } as u8;
        }
    }
}

/// Whole number types.
macro_rules! whole {
    ($($t:ty),*) => {$(
        impl Rating for $t {
            fn is_missing(self) -> bool {
                false
            }
            fn key(self) -> u64 {
                self as u64
            }
            fn order(&self, other: &$t) -> Ordering {
                self.cmp(other)
            }
            fn is_whole(self) -> bool {
                true
            }
            fn whole_slots(values: &[$t], base: $t, out: &mut Vec<u8>) {
                out.extend(values.iter().map(|&value| {
                    let offset = value.wrapping_sub(base);
                    let is_slot = value >= base && (offset as u64) < N_SLOTS as u64;
                    if is_slot { offset as u8 } else { ODD }
                }));
            }
            fn from_slot(base: $t, slot: u8) -> $t {
                base.wrapping_add(slot as $t)
            }
            fn with_margin(self) -> $t {
                self.saturating_sub(100)
            }
        }
    )*};
}
whole!(i8, u8, i16, u16, i32, u32, i64, u64);

/// How values get their slots.
#[derive(Clone)]
pub(super) enum Slots<T> {
    /// Whole numbers from a base on.
    Whole { base: T, n_seen: usize },
    /// Any values, each in the next free slot when it is first seen.
    Table(Table<T>),
}

impl<T: Rating> Slots<T> {
    /// A way that fits a sample of the values.
    pub fn guess(sample: &[T]) -> Slots<T> {
        let mut seen: Vec<T> = sample.iter().copied().filter(|value| !value.is_missing()).collect();
        seen.sort_unstable_by(T::order);
        seen.dedup_by_key(|value| value.key());
        let base = seen.first().map(|least| least.with_margin());
        match base {
            Some(base) if seen.iter().all(|value| value.is_whole()) => Slots::Whole { base, n_seen: seen.len() },
            _ => Slots::Table(Table::new(&seen)),
        }
    }

    /// Number of values in the sample.
    pub fn n_values(&self) -> usize {
        match self {
            Slots::Whole { n_seen, .. } => *n_seen,
            Slots::Table(table) => table.values.len(),
        }
    }

    /// Appends the slots of values.
    pub fn extend(&mut self, values: &[T], out: &mut Vec<u8>) {
        match self {
            Slots::Whole { base, .. } => T::whole_slots(values, *base, out),
            Slots::Table(table) => out.extend(values.iter().map(|&value| table.slot(value))),
        }
    }

    /// The value that a slot stands for.
    pub fn value(&self, slot: u8) -> T {
        match self {
            Slots::Whole { base, .. } => T::from_slot(*base, slot),
            Slots::Table(table) => table.values[slot as usize],
        }
    }
}

/// A small open-addressed table from values to slots.
#[derive(Clone)]
pub(super) struct Table<T> {
    values: Vec<T>,
    places: Vec<(u64, u8)>,
}

impl<T: Rating> Table<T> {
    const SIZE: usize = 1024;

    fn new(values: &[T]) -> Table<T> {
        let mut table = Table { values: Vec::new(), places: vec![(0, MISSING); Self::SIZE] };
        for &value in values {
            table.slot(value);
        }
        table
    }

    #[inline]
    fn slot(&mut self, value: T) -> u8 {
        if value.is_missing() {
            return MISSING;
        }
        let key = value.key();
        let mut place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize;
        loop {
            match self.places[place] {
                (_, MISSING) => return self.add(value, place),
                (found, slot) if found == key => return slot,
                _ => place = (place + 1) % Self::SIZE,
            }
        }
    }

    fn add(&mut self, value: T, place: usize) -> u8 {
        if self.values.len() == N_SLOTS {
            return ODD;
        }
        let value = value.plain();
        let slot = self.values.len() as u8;
        self.places[place] = (value.key(), slot);
        self.values.push(value);
        slot
    }
}
