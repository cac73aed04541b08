//! Means of ratings: how they correlate and how reliable they are. None of it depends on the unit of the values.

use super::difference::scaled;
use super::random::{Purpose, Stream};
use super::resample::replicates;
use super::tally::Pattern;
use super::twofold::Twofold;
use super::{Error, Tally, Watch};

/// Ratings of one unit that halving writes out in memory.
const MOST_WRITTEN_OUT: u64 = 1 << 28;

/// The correlation over units of the means of two random halves of each unit's ratings, for each of `n_halvings`
/// halvings (`docs/stream.md`, section 5); NaN where one half does not vary. Pool 0; units with m >= 2.
pub fn half_correlations(
    tally: &Tally,
    values: &[f64],
    n_halvings: usize,
    seed: u64,
    n_threads: usize,
    watch: &Watch,
) -> Result<Vec<f64>, Error> {
    if tally.most_ratings() > MOST_WRITTEN_OUT {
        return Err(Error::TooMany);
    }
    let (values, _) = scaled(values, |_| true);
    let mut correlations = vec![f64::NAN; n_halvings];
    let halving = |ratings: &mut Vec<f64>, b: u64, row: &mut [f64]| {
        let mut stream = Stream::new(seed, Purpose::Halves as u64, b);
        row[0] = halves(tally, &values, &mut stream, ratings, watch).correlation();
    };
    replicates(&mut correlations, 1, n_threads, watch, Vec::new, halving)?;
    Ok(correlations)
}

/// The sums over the means of the two halves of each unit; `ratings` is scratch. Nothing is kept of a unit, for a tally
/// can hold more of them than memory.
fn halves(tally: &Tally, values: &[f64], stream: &mut Stream, ratings: &mut Vec<f64>, watch: &Watch) -> Sums {
    let mut sums = Sums::default();
    for (pattern, w) in tally.patterns() {
        let m: usize = pattern.iter().map(|cell| cell.count as usize).sum();
        if m < 2 {
            continue;
        }
        for _ in 0..w {
            if watch.is_stopped() {
                return sums;
            }
            ratings.clear();
            for cell in pattern {
                ratings.extend(std::iter::repeat_n(values[cell.value as usize], cell.count as usize));
            }
            for i in 0..m / 2 {
                let j = stream.bounded((m - i) as u64).draw() as usize;
                ratings.swap(i, i + j);
            }
            let (first, second) = ratings.split_at(m / 2);
            sums.add(mean(first), mean(second), 1);
        }
    }
    sums
}

fn mean(ratings: &[f64]) -> Twofold {
    let sum = ratings.iter().fold(Twofold::ZERO, |sum, &x| sum + Twofold::from(x));
    sum / Twofold::from(ratings.len() as u64)
}

/// Sums over weighted pairs of numbers less the first pair. About one of the pairs, no more cancels when the means are
/// taken out than the number of pairs, so one pass over them is enough.
#[derive(Default)]
struct Sums {
    first: Option<(Twofold, Twofold)>,
    n: u64,
    x: Twofold,
    y: Twofold,
    xx: Twofold,
    yy: Twofold,
    xy: Twofold,
    /// Whether each side has two numbers that differ.
    varies: (bool, bool),
}

impl Sums {
    fn of(pairs: impl Iterator<Item = (Twofold, Twofold, u64)>) -> Sums {
        let mut sums = Sums::default();
        pairs.for_each(|(x, y, w)| sums.add(x, y, w));
        sums
    }

    fn add(&mut self, x: Twofold, y: Twofold, w: u64) {
        let &mut (first_x, first_y) = self.first.get_or_insert((x, y));
        self.varies.0 |= x.round() != first_x.round();
        self.varies.1 |= y.round() != first_y.round();
        let (x, y) = (x - first_x, y - first_y);
        self.n += w;
        self.x += x.times(w);
        self.y += y.times(w);
        self.xx += x.square().times(w);
        self.yy += y.square().times(w);
        self.xy += (x * y).times(w);
    }

    /// Σ (x - mean of x)².
    fn variation(&self) -> Twofold {
        self.xx - self.x.square() / Twofold::from(self.n)
    }

    /// Pearson's correlation; NaN where a side does not vary.
    fn correlation(&self) -> f64 {
        if self.varies != (true, true) {
            return f64::NAN;
        }
        let n = Twofold::from(self.n);
        let (xx, yy) = (self.variation(), self.yy - self.y.square() / n);
        ((self.xy - self.x * self.y / n) / (xx * yy).sqrt()).round()
    }
}

/// The sum and number of a pool's ratings of a unit.
fn total(pattern: &Pattern, pool: u32, values: &[f64]) -> (Twofold, u64) {
    let cells = pattern.iter().filter(|cell| cell.pool == pool);
    cells.fold((Twofold::ZERO, 0), |(sum, m), cell| {
        let count = u64::from(cell.count);
        (sum + Twofold::from(count) * values[cell.value as usize], m + count)
    })
}

/// Pearson's correlation of the unit means of pools 0 and 1, over units that both rated; NaN where one does not vary.
pub fn mean_correlation(tally: &Tally, values: &[f64]) -> f64 {
    let (values, _) = scaled(values, |_| true);
    let means = tally.patterns().filter_map(|(pattern, w)| {
        let [(x, r), (y, s)] = [0, 1].map(|pool| total(pattern, pool, &values));
        (r > 0 && s > 0).then(|| (x / Twofold::from(r), y / Twofold::from(s), w))
    });
    Sums::of(means).correlation()
}

/// ICC(1, k) = (MSB - MSW)/MSB of pool 0, the reliability of the unit means under one-way analysis of variance
/// (Shrout and Fleiss 1979, doi:10.1037/0033-2909.86.2.420); NaN where the means do not vary or no unit has a pair.
pub fn one_way(tally: &Tally, values: &[f64]) -> f64 {
    let (values, _) = scaled(values, |_| true);
    let (mut n_units, mut n, mut sum) = (0, 0, Twofold::ZERO);
    for (pattern, w) in tally.patterns() {
        let (unit_sum, m) = total(pattern, 0, &values);
        n_units += if m > 0 { w } else { 0 };
        n += w * m;
        sum += unit_sum * Twofold::from(w);
    }
    if n_units < 2 || n == n_units {
        return f64::NAN;
    }
    let grand = sum / Twofold::from(n);
    let (mut between, mut within) = (Twofold::ZERO, Twofold::ZERO);
    for (pattern, w) in tally.patterns().filter(|(pattern, _)| !pattern.is_empty()) {
        let (unit_sum, m) = total(pattern, 0, &values);
        let mean = unit_sum / Twofold::from(m);
        between += (mean - grand).square() * Twofold::from(w * m);
        for cell in pattern {
            let deviation = Twofold::from(values[cell.value as usize]) - mean;
            within += deviation.square() * Twofold::from(w * u64::from(cell.count));
        }
    }
    let msb = between / Twofold::from(n_units - 1);
    let msw = within / Twofold::from(n - n_units);
    if msb.is_zero() {
        return f64::NAN;
    }
    ((msb - msw) / msb).round()
}

/// Cronbach's alpha k/(k - 1) (1 - Σ variances of raters/variance of sums) over units that all k raters, a pool each,
/// rated (1951, doi:10.1007/BF02310555); NaN for fewer than two raters or sums that do not vary.
pub fn cronbach(tally: &Tally, values: &[f64]) -> f64 {
    let (values, _) = scaled(values, |_| true);
    let raters: Vec<u32> = (0..tally.n_pools() as u32).collect();
    let complete = tally.shared(&raters);
    let variation = |score: &dyn Fn(&Pattern) -> Twofold| {
        Sums::of(complete.patterns().map(|(pattern, w)| (score(pattern), Twofold::ZERO, w))).variation()
    };
    let all = variation(&|pattern| raters.iter().fold(Twofold::ZERO, |sum, &r| sum + total(pattern, r, &values).0));
    let k = raters.len() as u64;
    if k < 2 || complete.n_patterns() < 2 || all.is_zero() {
        return f64::NAN;
    }
    let own = raters.iter().fold(Twofold::ZERO, |sum, &r| sum + variation(&|pattern| total(pattern, r, &values).0));
    (Twofold::from(k) / Twofold::from(k - 1) * (Twofold::ONE - own / all)).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_are_the_two_ratings() {
        let tally = Tally::from_matrix(&[0, 1, 2, 2, 1, 0, 1, 2], 2, 3).unwrap();
        let values = [0.0, 1.0, 3.0];
        let run = |n_threads| half_correlations(&tally, &values, 50, 7, n_threads, &Watch::default()).unwrap();
        assert_eq!(run(1), run(3));
        assert!(run(1).iter().all(|r| (-1.0..=1.0).contains(r)));
        let constant = Tally::from_matrix(&[1, 1, 1, 1], 2, 3).unwrap();
        let r = half_correlations(&constant, &values, 2, 0, 1, &Watch::default()).unwrap();
        assert!(r.iter().all(|r| r.is_nan()));
    }
}
