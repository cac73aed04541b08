//! From sums to a coefficient: the closed form that all of them share.

use super::unit::Marginals;
use super::Rule;
use crate::core::difference::Difference;
use crate::core::twofold::Twofold;
use crate::core::Watch;

/// Why a coefficient is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// No unit holds a pair of ratings.
    NoPairs,
    /// Expected disagreement is zero.
    NoVariation,
    /// One of the pairs of raters that the mean is over is undefined.
    UndefinedPair,
    /// A reliability in the denominator is undefined.
    UndefinedIrr,
    /// A reliability in the denominator is zero or below.
    IrrNotPositive,
    /// The cross-kappa in the numerator is undefined.
    UndefinedCross,
    /// One of the two coefficients that are set against each other is undefined.
    UndefinedTerm,
    /// The coefficient that another is divided by is zero.
    ZeroTerm,
    /// Differences of the values, or their sums, are beyond double precision.
    OutOfRange,
}

/// 2^-96: the errors of twofold sums stay below, and no other coefficient comes so near zero.
const NOTHING: f64 = 1.0 / (1u128 << 96) as f64;

/// The two disagreements of one coefficient.
pub(super) struct Value {
    observed: Option<Twofold>,
    expected: Option<Twofold>,
    /// What they are multiplied by, one after the other, to be in the units of the values.
    in_units: [f64; 2],
}

impl Value {
    /// From the sum of weighted disagreements and of weights, and the marginals. `largest` is the largest difference
    /// where it is known already.
    pub fn new(
        rule: &dyn Rule,
        (sum, weight): (Twofold, u64),
        marginals: &Marginals,
        (difference, largest): (&Difference, Option<Twofold>),
        watch: &Watch,
    ) -> Value {
        let observed = (weight > 0).then(|| sum / Twofold::from(weight));
        let expected = rule.expected(marginals, difference, watch);
        if !rule.is_scaled() {
            return Value { observed, expected, in_units: difference.units() };
        }
        let largest = largest.unwrap_or_else(|| difference.largest(marginals.n_values, watch));
        let share = |sum: Twofold| if largest.is_zero() { Twofold::ZERO } else { sum / largest };
        Value { observed: observed.map(share), expected, in_units: [1.0, 1.0] }
    }

    /// From the sum of weighted disagreements and of weights, and expected disagreement.
    pub fn of(sum: Twofold, weight: u64, expected: Twofold, difference: &Difference) -> Value {
        let observed = (weight > 0).then(|| sum / Twofold::from(weight));
        Value { observed, expected: Some(expected), in_units: difference.units() }
    }

    /// One minus their ratio, rounded once.
    pub fn coefficient(&self) -> Result<f64, Undefined> {
        let observed = self.observed.ok_or(Undefined::NoPairs)?;
        let expected = self.expected.filter(|expected| !expected.is_zero()).ok_or(Undefined::NoVariation)?;
        let gap = expected - observed;
        // Where the two are equal they may differ in their very last bits; the root of a reliability must not see that.
        if gap.abs() <= expected.abs() * NOTHING {
            return Ok(0.0);
        }
        finite((gap / expected).round())
    }

    /// Observed and expected disagreement, NaN where there is none.
    pub fn rounded(&self) -> (f64, f64) {
        let in_units =
            |sum: Option<Twofold>| sum.map_or(f64::NAN, |sum| sum.round() * self.in_units[0] * self.in_units[1]);
        (in_units(self.observed), in_units(self.expected))
    }
}

/// The number, unless differences that are too large or too small have left nothing of it.
pub(super) fn finite(number: f64) -> Result<f64, Undefined> {
    if number.is_finite() {
        return Ok(number);
    }
    Err(Undefined::OutOfRange)
}

/// Pairable ratings of each value.
pub(super) fn pairable<'a>(rule: &dyn Rule, marginals: &'a Marginals) -> impl Iterator<Item = u64> + 'a {
    let pairable: Vec<usize> = (0..marginals.len()).filter(|&i| rule.is_pairable(i)).collect();
    (0..marginals.n_values).map(move |k| pairable.iter().map(|&i| marginals.of(i)[k]).sum())
}
