//! Numbers carried as an unevaluated sum of two doubles, about 106 bits.
//!
//! A coefficient is one minus a ratio of two sums. Carrying the sums twofold and rounding once at the end keeps the
//! result within a unit in the last place of the exact value, whatever the number of patterns, far from zero or not.
//! Only IEEE `+ - * /` and `sqrt` are used (Dekker 1971, doi:10.1007/BF01397083; Knuth, TAOCP 2, 4.2.2), so the bits
//! are the same everywhere; a hardware fused multiply gives the same error term as Dekker's splitting.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// `hi + lo` with |lo| at most half a unit in the last place of `hi`.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Twofold {
    hi: f64,
    lo: f64,
}

/// The sum of two doubles and its rounding error.
fn two_sum(a: f64, b: f64) -> Twofold {
    let hi = a + b;
    let b_in = hi - a;
    Twofold { hi, lo: (a - (hi - b_in)) + (b - b_in) }
}

/// The same where |a| >= |b|.
fn fast_two_sum(a: f64, b: f64) -> Twofold {
    let hi = a + b;
    Twofold { hi, lo: b - (hi - a) }
}

/// The product of two doubles and its rounding error.
#[inline]
fn two_product(a: f64, b: f64) -> Twofold {
    let hi = a * b;
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return Twofold { hi, lo: a.mul_add(b, -hi) };
    }
    let (a1, a2) = split(a);
    let (b1, b2) = split(b);
    Twofold { hi, lo: ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2 }
}

/// Dekker's splitting into two halves of 26 bits.
fn split(a: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * a; // 2^27 + 1
    let high = scaled - (scaled - a);
    (high, a - high)
}

impl Twofold {
    /// Zero.
    pub const ZERO: Twofold = Twofold { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Twofold = Twofold { hi: 1.0, lo: 0.0 };

    /// The number rounded to a double.
    pub fn round(self) -> f64 {
        self.hi
    }

    /// a - b of two doubles, exactly.
    pub fn difference(a: f64, b: f64) -> Twofold {
        two_sum(a, -b)
    }

    /// a + b of two doubles, exactly.
    pub fn sum(a: f64, b: f64) -> Twofold {
        two_sum(a, b)
    }

    /// a * b of two doubles, exactly.
    pub fn product(a: f64, b: f64) -> Twofold {
        two_product(a, b)
    }

    /// The number w times.
    #[inline]
    pub fn times(self, w: u64) -> Twofold {
        match w {
            1 => self,
            _ if w < 1 << 53 => self * w as f64,
            _ => self * Twofold::from(w),
        }
    }

    /// The square.
    pub fn square(self) -> Twofold {
        self * self
    }

    /// The absolute value.
    pub fn abs(self) -> Twofold {
        if self.hi < 0.0 {
            -self
        } else {
            self
        }
    }

    /// The square root of a number that is not negative.
    pub fn sqrt(self) -> Twofold {
        if self.hi <= 0.0 {
            return Twofold::ZERO;
        }
        let root = self.hi.sqrt();
        let rest = self - two_product(root, root);
        fast_two_sum(root, rest.hi / (2.0 * root))
    }

    /// Whether the number is zero.
    pub fn is_zero(self) -> bool {
        self.hi == 0.0
    }
}

impl From<f64> for Twofold {
    fn from(hi: f64) -> Twofold {
        Twofold { hi, lo: 0.0 }
    }
}

impl From<u64> for Twofold {
    fn from(n: u64) -> Twofold {
        let hi = n as f64;
        let lo = (i128::from(n) - hi as i128) as f64;
        Twofold { hi, lo }
    }
}

impl Add for Twofold {
    type Output = Twofold;
    #[inline]
    fn add(self, other: Twofold) -> Twofold {
        let high = two_sum(self.hi, other.hi);
        let low = two_sum(self.lo, other.lo);
        let sum = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(sum.hi, sum.lo + low.lo)
    }
}

impl AddAssign for Twofold {
    #[inline]
    fn add_assign(&mut self, other: Twofold) {
        *self = *self + other;
    }
}

impl Neg for Twofold {
    type Output = Twofold;
    fn neg(self) -> Twofold {
        Twofold { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Twofold {
    type Output = Twofold;
    fn sub(self, other: Twofold) -> Twofold {
        self + -other
    }
}

impl Mul for Twofold {
    type Output = Twofold;
    #[inline]
    fn mul(self, other: Twofold) -> Twofold {
        let product = two_product(self.hi, other.hi);
        fast_two_sum(product.hi, product.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Mul<f64> for Twofold {
    type Output = Twofold;
    #[inline]
    fn mul(self, other: f64) -> Twofold {
        let product = two_product(self.hi, other);
        fast_two_sum(product.hi, product.lo + self.lo * other)
    }
}

impl Div for Twofold {
    type Output = Twofold;
    /// Long division, three digits of 53 bits.
    fn div(self, other: Twofold) -> Twofold {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        let third = rest.hi / other.hi;
        fast_two_sum(first, second) + Twofold::from(third)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_a_double_loses() {
        let third = Twofold::ONE / Twofold::from(3.0);
        assert_eq!((third * 3.0 - Twofold::ONE).round(), 0.0);
        let sum = Twofold::from(1e16) + Twofold::ONE + Twofold::from(-1e16);
        assert_eq!(sum.round(), 1.0);
        let root = Twofold::from(2.0).sqrt();
        assert!((root.square() - Twofold::from(2.0)).abs().round() < 1e-31);
        assert_eq!(Twofold::from(u64::MAX) - Twofold::from(u64::MAX - 1), Twofold::ONE);
    }

    #[test]
    fn splitting_and_fused_multiply_agree() {
        for (a, b) in [(0.1, 0.3), (1e9 + 0.1, 3.7e-5), (-2.5e100, 1.1e-90)] {
            let product = two_product(a, b);
            assert_eq!(product.lo, f64::mul_add(a, b, -product.hi));
        }
    }
}
