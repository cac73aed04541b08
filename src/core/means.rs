//! Means of ratings: how they correlate and how reliable they are.

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
    let mut correlations = vec![f64::NAN; n_halvings];
    let halving = |ratings: &mut Vec<f64>, b: u64, row: &mut [f64]| {
        let mut stream = Stream::new(seed, Purpose::Halves as u64, b);
        let means = halves(tally, values, &mut stream, ratings);
        row[0] = correlation(&means);
    };
    replicates(&mut correlations, 1, n_threads, watch, Vec::new, halving)?;
    Ok(correlations)
}

/// The means of the two halves, unit by unit; `ratings` is scratch.
fn halves(tally: &Tally, values: &[f64], stream: &mut Stream, ratings: &mut Vec<f64>) -> Vec<(Twofold, Twofold, u64)> {
    let mut means = Vec::new();
    for (pattern, w) in tally.patterns() {
        let m: usize = pattern.iter().map(|cell| cell.count as usize).sum();
        if m < 2 {
            continue;
        }
        for _ in 0..w {
            ratings.clear();
            for cell in pattern {
                ratings.extend(std::iter::repeat_n(values[cell.value as usize], cell.count as usize));
            }
            for i in 0..m / 2 {
                let j = stream.bounded((m - i) as u64).draw() as usize;
                ratings.swap(i, i + j);
            }
            let (first, second) = ratings.split_at(m / 2);
            means.push((mean(first), mean(second), 1));
        }
    }
    means
}

fn mean(ratings: &[f64]) -> Twofold {
    let sum = ratings.iter().fold(Twofold::ZERO, |sum, &x| sum + Twofold::from(x));
    sum / Twofold::from(ratings.len() as u64)
}

/// Sums of squares and products of pairs about their means.
struct Moments {
    xx: Twofold,
    yy: Twofold,
    xy: Twofold,
}

impl Moments {
    fn of(points: &[(Twofold, Twofold, u64)]) -> Moments {
        let sum = |f: &dyn Fn(&(Twofold, Twofold, u64)) -> Twofold| {
            points.iter().fold(Twofold::ZERO, |sum, point| sum + f(point) * Twofold::from(point.2))
        };
        let n = sum(&|_| Twofold::ONE);
        let (mean_x, mean_y) = (sum(&|p| p.0) / n, sum(&|p| p.1) / n);
        Moments {
            xx: sum(&|p| (p.0 - mean_x).square()),
            yy: sum(&|p| (p.1 - mean_y).square()),
            xy: sum(&|p| (p.0 - mean_x) * (p.1 - mean_y)),
        }
    }
}

/// Pearson's correlation of weighted pairs; NaN where a side does not vary.
fn correlation(points: &[(Twofold, Twofold, u64)]) -> f64 {
    let varies = |side: fn(&(Twofold, Twofold, u64)) -> f64| points.iter().any(|p| side(p) != side(&points[0]));
    if !varies(|p| p.0.round()) || !varies(|p| p.1.round()) {
        return f64::NAN;
    }
    let Moments { xx, yy, xy } = Moments::of(points);
    (xy / (xx * yy).sqrt()).round()
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
    let points = tally.patterns().filter_map(|(pattern, w)| {
        let [(x, r), (y, s)] = [0, 1].map(|pool| total(pattern, pool, values));
        (r > 0 && s > 0).then(|| (x / Twofold::from(r), y / Twofold::from(s), w))
    });
    correlation(&points.collect::<Vec<_>>())
}

/// ICC(1, k) = (MSB - MSW)/MSB of pool 0, the reliability of the unit means under one-way analysis of variance
/// (Shrout and Fleiss 1979, doi:10.1037/0033-2909.86.2.420); NaN where the means do not vary or no unit has a pair.
pub fn one_way(tally: &Tally, values: &[f64]) -> f64 {
    let (mut n_units, mut n, mut sum) = (0, 0, Twofold::ZERO);
    for (pattern, w) in tally.patterns() {
        let (unit_sum, m) = total(pattern, 0, values);
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
        let (unit_sum, m) = total(pattern, 0, values);
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
    let raters: Vec<u32> = (0..tally.n_pools() as u32).collect();
    let complete = tally.shared(&raters);
    let variation = |score: &dyn Fn(&Pattern) -> Twofold| {
        let points: Vec<_> = complete.patterns().map(|(pattern, w)| (score(pattern), Twofold::ZERO, w)).collect();
        Moments::of(&points).xx
    };
    let all = variation(&|pattern| raters.iter().fold(Twofold::ZERO, |sum, &r| sum + total(pattern, r, values).0));
    let k = raters.len() as u64;
    if k < 2 || complete.n_patterns() < 2 || all.is_zero() {
        return f64::NAN;
    }
    let own = raters.iter().fold(Twofold::ZERO, |sum, &r| sum + variation(&|pattern| total(pattern, r, values).0));
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
