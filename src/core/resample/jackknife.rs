//! What leaving out one unit at a time says of a coefficient (`docs/statistics.md`, section 7).

use crate::core::interval::margin;
use crate::core::twofold::Twofold;

/// Standard error and acceleration; NaN where the coefficient is undefined without some unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jackknife {
    /// The standard error.
    pub standard_error: f64,
    /// A sixth of the skewness of what units contribute: what BCa intervals are bent by. NaN where nothing varies.
    pub acceleration: f64,
}

impl Jackknife {
    /// Where there is nothing to leave out, or too much.
    pub const NONE: Jackknife = Jackknife { standard_error: f64::NAN, acceleration: f64::NAN };

    /// From the coefficient without a unit, and the number of units for which that is so.
    pub fn new(without: &[(f64, u64)]) -> Jackknife {
        let sum = |f: &dyn Fn(f64) -> Twofold| {
            without.iter().fold(Twofold::ZERO, |sum, &(value, w)| sum + f(value) * Twofold::from(w))
        };
        let n: u64 = without.iter().map(|&(_, w)| w).sum();
        if n < 2 || without.iter().any(|(value, _)| value.is_nan()) {
            return Jackknife::NONE;
        }
        let mean = sum(&|value| value.into()) / Twofold::from(n);
        let squares = sum(&|value| (mean - Twofold::from(value)).square());
        let cubes = sum(&|value| {
            let deviation = mean - Twofold::from(value);
            deviation * deviation.square()
        });
        let standard_error = (squares * Twofold::from(n - 1) / Twofold::from(n)).sqrt().round();
        let varies = standard_error > margin(mean.round());
        let acceleration = if varies { (cubes / (squares * squares.sqrt() * 6.0)).round() } else { f64::NAN };
        Jackknife { standard_error, acceleration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_of_a_mean_is_the_textbook_standard_error() {
        // 1, 2, 2, 6: the mean without each is (11 - x)/3, and s/√n = sqrt((1.75² + 2 · 0.75² + 3.25²)/3/4).
        let without = [(10.0 / 3.0, 1), (3.0, 2), (5.0 / 3.0, 1)];
        let found = Jackknife::new(&without);
        assert!((found.standard_error - (14.75f64 / 12.0).sqrt()).abs() < 1e-15);
        let cubes: f64 = [-1.75f64, -0.75, -0.75, 3.25].iter().map(|d| (d / 3.0).powi(3)).sum();
        assert!((found.acceleration - cubes / (6.0 * (14.75f64 / 9.0).powf(1.5))).abs() < 1e-15);
    }

    #[test]
    fn what_is_undefined_without_some_unit_has_none() {
        assert!(Jackknife::new(&[(0.5, 3), (f64::NAN, 1)]).standard_error.is_nan());
        assert!(Jackknife::new(&[(0.5, 1)]).standard_error.is_nan());
        let constant = Jackknife::new(&[(1.0, 5)]);
        assert!(constant.standard_error == 0.0 && constant.acceleration.is_nan());
    }
}
