//! Marginals of many values by three numbers: for squared differences no more is needed.

use super::unit::Units;
use crate::core::twofold::Twofold;

/// Number of ratings, sum of x and of x², where x is a value less the pivot.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    n: u64,
    x: Twofold,
    xx: Twofold,
}

/// Where less than this share of the terms is left after they cancel, the sum is not to be trusted.
const LEFT: f64 = 1.0 / (1u64 << 40) as f64;

impl Moments {
    /// A number near the middle of the ratings, so that little cancels.
    pub fn pivot(values: &[f64], units: &dyn Units) -> f64 {
        let cells = (0..units.len()).flat_map(|i| units.unit(i).cells);
        let (sum, n) = cells.fold((0.0, 0.0), |(sum, n), cell| (sum + values[cell.value as usize], n + 1.0));
        if n > 0.0 {
            sum / n
        } else {
            0.0
        }
    }

    /// Adds `count` ratings of a value.
    pub fn add(&mut self, value: f64, count: u32, pivot: f64) {
        let x = Twofold::difference(value, pivot);
        self.n += u64::from(count);
        self.x += x.times(count.into());
        self.xx += x.square().times(count.into());
    }

    /// Adds other moments w times.
    #[inline]
    pub fn add_times(&mut self, other: &Moments, w: u64) {
        self.n += w * other.n;
        self.x += other.x.times(w);
        self.xx += other.xx.times(w);
    }

    /// These moments without some that are among them; `None` where these were nearly all.
    pub fn without(&self, own: &Moments) -> Option<Moments> {
        let rest = Moments { n: self.n - own.n, x: self.x - own.x, xx: self.xx - own.xx };
        (rest.xx > self.xx * LEFT || own.xx.is_zero() || !rest.xx.round().is_finite()).then_some(rest)
    }

    /// Number of ratings.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Σ a_k b_l (v_k - v_l)²; `None` where nearly all of it cancels.
    pub fn between(&self, other: &Moments) -> Option<Twofold> {
        let squares = self.xx * Twofold::from(other.n) + other.xx * Twofold::from(self.n);
        let sum = squares - self.x * other.x * 2.0;
        (sum > squares * LEFT).then_some(sum)
    }
}
