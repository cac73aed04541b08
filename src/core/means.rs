//! Means of ratings: the correlation of random halves.

use super::random::{Purpose, Stream};
use super::resample::replicates;
use super::twofold::Twofold;
use super::{Error, Tally, Watch};

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
fn halves(tally: &Tally, values: &[f64], stream: &mut Stream, ratings: &mut Vec<f64>) -> Vec<(f64, f64)> {
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
            means.push((mean(first), mean(second)));
        }
    }
    means
}

fn mean(ratings: &[f64]) -> f64 {
    let sum = ratings.iter().fold(Twofold::ZERO, |sum, &x| sum + Twofold::from(x));
    (sum / Twofold::from(ratings.len() as u64)).round()
}

/// Pearson's correlation; NaN where a side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let sum = |f: &dyn Fn(&(f64, f64)) -> Twofold| pairs.iter().map(f).fold(Twofold::ZERO, |sum, x| sum + x);
    let n = Twofold::from(pairs.len() as u64);
    let mean_x = sum(&|p| p.0.into()) / n;
    let mean_y = sum(&|p| p.1.into()) / n;
    let dx = |p: &(f64, f64)| Twofold::from(p.0) - mean_x;
    let dy = |p: &(f64, f64)| Twofold::from(p.1) - mean_y;
    let (xx, yy) = (sum(&|p| dx(p).square()), sum(&|p| dy(p).square()));
    let varies = |side: fn(&(f64, f64)) -> f64| pairs.iter().any(|p| side(p) != side(&pairs[0]));
    if !varies(|p| p.0) || !varies(|p| p.1) {
        return f64::NAN;
    }
    (sum(&|p| dx(p) * dy(p)) / (xx * yy).sqrt()).round()
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
