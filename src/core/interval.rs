//! Confidence intervals and the standard error, from replicates (`docs/statistics.md`, section 7).

use super::normal;
use super::resample::Jackknife;
use super::twofold::Twofold;

/// How an interval is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Quantiles of the replicates.
    Percentile,
    /// Quantiles of the replicates, reflected about the estimate.
    Basic,
    /// The estimate and so many standard deviations of the replicates.
    Normal,
    /// Quantiles corrected for bias and for a standard error that moves with the value (Efron 1987,
    /// doi:10.1080/01621459.1987.10478410).
    Bca,
    /// Quantiles of the replicates' distances from the estimate, each in its own standard errors.
    Studentized,
}

/// Which limits an interval has; a missing one is infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both.
    Both,
    /// The lower.
    Lower,
    /// The upper.
    Upper,
}

/// What intervals are made from.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The coefficient of the data.
    pub estimate: f64,
    /// The coefficient on each resample, NaN where undefined.
    pub replicates: &'a [f64],
    /// The jackknife's standard error on each resample; empty where it was not asked for.
    pub errors: &'a [f64],
    /// The jackknife on the data.
    pub jackknife: Jackknife,
}

/// Why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// The estimate is undefined.
    Estimate,
    /// No replicate is defined.
    Replicates,
    /// The replicates do not vary.
    Variation,
    /// The jackknife is undefined, on the data or on every resample.
    Jackknife,
    /// All replicates lie on one side of the estimate.
    Balance,
    /// The acceleration is so large that the correction has no end.
    Acceleration,
}

/// An interval and the number of replicates that it is made from; its limits are NaN where there are none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
    /// Replicates that the limits rest on.
    pub n_used: usize,
    /// Why the limits are NaN.
    pub lacking: Option<Lacking>,
}

/// The interval of a confidence level.
pub fn interval(evidence: &Evidence, confidence_level: f64, method: Method, side: Side) -> Interval {
    let used = match method {
        Method::Studentized => evidence.distances_in_errors(),
        _ => sorted(evidence.replicates.iter().copied().filter(|x| !x.is_nan())),
    };
    let tail = if side == Side::Both { (1.0 - confidence_level) / 2.0 } else { 1.0 - confidence_level };
    let limits = evidence.limit_at(&used, method).and_then(|limit| {
        let low = if side == Side::Upper { f64::NEG_INFINITY } else { limit(tail)? };
        let high = if side == Side::Lower { f64::INFINITY } else { limit(1.0 - tail)? };
        Ok((low, high))
    });
    let (low, high) = limits.unwrap_or((f64::NAN, f64::NAN));
    Interval { low, high, n_used: used.len(), lacking: limits.err() }
}

/// The limit at a probability.
type Limit<'a> = Box<dyn Fn(f64) -> Result<f64, Lacking> + 'a>;

impl Evidence<'_> {
    /// How a method makes a limit, `used` being what it takes quantiles of.
    fn limit_at<'a>(&self, used: &'a [f64], method: Method) -> Result<Limit<'a>, Lacking> {
        let t = self.estimate;
        let range = self.range().ok_or(Lacking::Replicates)?;
        if method != Method::Percentile && t.is_nan() {
            return Err(Lacking::Estimate);
        }
        if range.1 - range.0 <= margin(range.1) && !matches!(method, Method::Percentile | Method::Basic) {
            return Err(Lacking::Variation);
        }
        if used.is_empty() {
            return Err(Lacking::Jackknife); // on no resample
        }
        Ok(match method {
            Method::Percentile => Box::new(|p| Ok(quantile(used, p))),
            Method::Basic => Box::new(move |p| Ok(2.0 * t - quantile(used, 1.0 - p))),
            Method::Normal => {
                let s = standard_error(used);
                Box::new(move |p| Ok(t + normal::quantile(p) * s))
            }
            Method::Bca => self.corrected(used)?,
            Method::Studentized => {
                let s = self.jackknife.standard_error;
                if s.is_nan() {
                    return Err(Lacking::Jackknife);
                }
                if s <= margin(t) {
                    return Err(Lacking::Variation);
                }
                Box::new(move |p| Ok(t - s * quantile(used, 1.0 - p)))
            }
        })
    }

    /// BCa: z0 corrects the bias of the median, the acceleration that of the spread.
    fn corrected<'a>(&self, used: &'a [f64]) -> Result<Limit<'a>, Lacking> {
        let a = self.jackknife.acceleration;
        if a.is_nan() {
            return Err(Lacking::Jackknife);
        }
        let z0 = normal::quantile(share_below(used, self.estimate));
        if z0.is_infinite() {
            return Err(Lacking::Balance);
        }
        Ok(Box::new(move |p| {
            let z = z0 + normal::quantile(p);
            let stretch = 1.0 - a * z;
            if stretch <= 0.0 {
                return Err(Lacking::Acceleration);
            }
            Ok(quantile(used, normal::cdf(z0 + z / stretch)))
        }))
    }

    /// The least and the largest replicate, if there is one.
    fn range(&self) -> Option<(f64, f64)> {
        let defined = self.replicates.iter().copied().filter(|t| !t.is_nan());
        defined.fold(None, |range, t| Some(range.map_or((t, t), |(low, high): (f64, f64)| (low.min(t), high.max(t)))))
    }

    /// (t*_b - t)/se*_b, sorted, where there is a standard error.
    fn distances_in_errors(&self) -> Vec<f64> {
        let pairs = self.replicates.iter().zip(self.errors);
        sorted(pairs.filter(|(&t, &s)| !t.is_nan() && s > margin(t)).map(|(t, s)| (t - self.estimate) / s))
    }
}

/// Numbers no further from x than this tie with it: rounding could set them apart.
pub fn margin(x: f64) -> f64 {
    const TIE: f64 = 1.0 / (1u64 << 40) as f64;
    TIE * x.abs().max(1.0)
}

/// The share of the numbers below x, those that tie with it counted half.
fn share_below(numbers: &[f64], x: f64) -> f64 {
    let margin = margin(x);
    let below = numbers.iter().filter(|&&y| y < x - margin).count();
    let tied = numbers.iter().filter(|&&y| (y - x).abs() <= margin).count();
    (below as f64 + tied as f64 / 2.0) / numbers.len() as f64
}

/// Standard deviation of the replicates that are defined (n - 1 in the denominator); NaN for fewer than two.
pub fn standard_error(replicates: &[f64]) -> f64 {
    let used: Vec<f64> = replicates.iter().copied().filter(|x| !x.is_nan()).collect();
    if used.len() < 2 {
        return f64::NAN;
    }
    let sum = |terms: &mut dyn Iterator<Item = Twofold>| terms.fold(Twofold::ZERO, |sum, term| sum + term);
    let mean = sum(&mut used.iter().map(|&x| x.into())) / Twofold::from(used.len() as u64);
    let squares = sum(&mut used.iter().map(|&x| (Twofold::from(x) - mean).square()));
    (squares / Twofold::from(used.len() as u64 - 1)).sqrt().round()
}

fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}

/// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, doi:10.2307/2684934).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = p * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    sorted[below] + (sorted[above] - sorted[below]) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE: [f64; 6] = [4.0, f64::NAN, 1.0, 2.0, 3.0, 5.0];

    fn evidence(replicates: &[f64]) -> Evidence<'_> {
        let jackknife = Jackknife { standard_error: 1.0, acceleration: 0.0 };
        Evidence { estimate: 3.0, replicates, errors: &[1.0; 6], jackknife }
    }

    #[test]
    fn type_seven_quantiles_leave_undefined_ones_out() {
        let found = interval(&evidence(&FIVE), 0.8, Method::Percentile, Side::Both);
        assert_eq!(found.n_used, 5);
        assert!((found.low - 1.4).abs() < 1e-12 && (found.high - 4.6).abs() < 1e-12);
        assert!((standard_error(&[1.0, 2.0, 3.0, 4.0, 5.0]) - 2.5f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn about_a_symmetric_distribution_they_agree() {
        let percentile = interval(&evidence(&FIVE), 0.8, Method::Percentile, Side::Both);
        for method in [Method::Basic, Method::Bca, Method::Studentized] {
            let found = interval(&evidence(&FIVE), 0.8, method, Side::Both);
            assert!((found.low - percentile.low).abs() < 1e-12, "{method:?}: {found:?}");
            assert!((found.high - percentile.high).abs() < 1e-12, "{method:?}: {found:?}");
        }
        let normal = interval(&evidence(&FIVE), 0.95, Method::Normal, Side::Lower);
        assert!((normal.low - (3.0 - 1.644_853_626_951_472_7 * 2.5f64.sqrt())).abs() < 1e-12);
        assert_eq!(normal.high, f64::INFINITY);
    }

    #[test]
    fn a_missing_interval_says_what_it_lacks() {
        let lacking = |evidence: &Evidence, method| interval(evidence, 0.9, method, Side::Both).lacking;
        assert_eq!(lacking(&evidence(&[f64::NAN]), Method::Percentile), Some(Lacking::Replicates));
        assert_eq!(lacking(&evidence(&[1.0; 6]), Method::Percentile), None);
        for method in [Method::Normal, Method::Bca, Method::Studentized] {
            assert_eq!(lacking(&evidence(&[1.0; 6]), method), Some(Lacking::Variation));
        }
        assert_eq!(lacking(&evidence(&[1.0, 2.0]), Method::Bca), Some(Lacking::Balance));
        // Replicates that are all the same have different distances where their standard errors differ.
        let uneven = Evidence { errors: &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0], ..evidence(&[1.0; 6]) };
        assert_eq!(lacking(&uneven, Method::Studentized), Some(Lacking::Variation));
        assert_eq!(lacking(&evidence(&[f64::NAN]), Method::Studentized), Some(Lacking::Replicates));
        // Standard errors that rounding alone can have made are none.
        let nothing = Jackknife { standard_error: 7.7e-22, acceleration: 0.0 };
        let exact = Evidence { jackknife: nothing, ..evidence(&FIVE) };
        assert_eq!(lacking(&exact, Method::Studentized), Some(Lacking::Variation));
        assert_eq!(
            lacking(&Evidence { errors: &[7.7e-22; 6], ..exact }, Method::Studentized),
            Some(Lacking::Jackknife)
        );
        let none = Evidence { errors: &[], ..evidence(&FIVE) };
        assert_eq!(lacking(&none, Method::Studentized), Some(Lacking::Jackknife));
        let steep = Jackknife { acceleration: 2.0, ..none.jackknife };
        assert_eq!(lacking(&Evidence { jackknife: steep, ..none }, Method::Bca), Some(Lacking::Acceleration));
    }
}
