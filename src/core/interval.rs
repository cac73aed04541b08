//! Confidence intervals and the standard error, from replicates.

use super::twofold::Twofold;

/// How an interval is made from replicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Quantiles of the replicates.
    Percentile,
}

/// An interval and the number of replicates that it is made from; its limits are NaN where there are none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
    /// Replicates on which the coefficient is defined.
    pub n_used: usize,
}

/// The two-sided interval of a confidence level from replicates, NaN where undefined.
pub fn interval(replicates: &[f64], confidence_level: f64, method: Method) -> Interval {
    let mut sorted = defined(replicates);
    sorted.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence_level) / 2.0;
    match method {
        Method::Percentile => {
            Interval { low: quantile(&sorted, tail), high: quantile(&sorted, 1.0 - tail), n_used: sorted.len() }
        }
    }
}

/// Standard deviation of the replicates that are defined (n - 1 in the denominator); NaN for fewer than two.
pub fn standard_error(replicates: &[f64]) -> f64 {
    let used = defined(replicates);
    if used.len() < 2 {
        return f64::NAN;
    }
    let sum = |terms: &mut dyn Iterator<Item = Twofold>| terms.fold(Twofold::ZERO, |sum, term| sum + term);
    let mean = sum(&mut used.iter().map(|&x| x.into())) / Twofold::from(used.len() as u64);
    let squares = sum(&mut used.iter().map(|&x| (Twofold::from(x) - mean).square()));
    (squares / Twofold::from(used.len() as u64 - 1)).sqrt().round()
}

fn defined(replicates: &[f64]) -> Vec<f64> {
    replicates.iter().copied().filter(|x| !x.is_nan()).collect()
}

/// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, doi:10.2307/2684934).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = p * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    sorted[below] + (sorted[above] - sorted[below]) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_seven_quantiles_leave_undefined_ones_out() {
        let interval = interval(&[4.0, f64::NAN, 1.0, 2.0, 3.0, 5.0], 0.8, Method::Percentile);
        assert_eq!(interval.n_used, 5);
        assert!((interval.low - 1.4).abs() < 1e-12 && (interval.high - 4.6).abs() < 1e-12);
        assert!((standard_error(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 2.5f64.sqrt()).abs() < 1e-15);
        assert!(super::interval(&[f64::NAN], 0.9, Method::Percentile).low.is_nan());
    }
}
