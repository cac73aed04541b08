//! Alpha where pairs of ratings are drawn as if they were independent: two older bootstraps, for parity with them only
//! (`docs/statistics.md`, section 7).

use std::collections::BTreeMap;

use super::unit::Unit;
use super::Chance;
use crate::core::difference::{Difference, Level, Weight};
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::resample::replicates;
use crate::core::tally::Pattern;
use crate::core::twofold::Twofold;
use crate::core::{Error, Tally, Watch};

/// Whose bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Krippendorff (2016): as many pairs for each unit as it has.
    Krippendorff,
    /// Hayes and Krippendorff's KALPHA macro: some number of pairs from the coincidences.
    Kalpha,
}

/// What each replicate takes from alpha.
struct Loss {
    /// d² of each kind of pair.
    d2: Vec<Twofold>,
    /// What draws pairs, each with what a unit of d² then takes away.
    draws: Vec<(Multinomial, Twofold)>,
    pairing: Pairing,
}

/// Alpha of a tally of one pool on each resample of pairs; NaN where it is undefined or dropped.
pub fn alpha_of_pairs(
    tally: &Tally,
    level: &Level,
    pairing: Pairing,
    (n_resamples, seed): (usize, u64),
    n_threads: usize,
    watch: &Watch,
) -> Result<Vec<f64>, Error> {
    let mut alphas = vec![f64::NAN; n_resamples];
    let Some(loss) = Loss::new(&tally.filter(|unit| Unit::new(unit).n_all() >= 2), level, pairing, watch)? else {
        return Ok(alphas); // undefined on the data, and so on every resample
    };
    let scratch = || vec![0; loss.d2.len()];
    let work = |drawn: &mut Vec<u64>, b: u64, alpha: &mut [f64]| {
        alpha[0] = loss.alpha(&mut Stream::new(seed, Purpose::Pairs as u64, b), drawn);
    };
    replicates(&mut alphas, 1, n_threads, watch, scratch, work)?;
    Ok(alphas)
}

impl Loss {
    /// For units of two ratings or more; `None` where they have no expected disagreement.
    fn new(tally: &Tally, level: &Level, pairing: Pairing, watch: &Watch) -> Result<Option<Loss>, Error> {
        let n_k = tally.values_used();
        let ranks = || Difference::of_ranks(n_k.iter().copied());
        level.check(tally.n_values())?;
        let difference = level.difference(&tally.values_held()).unwrap_or_else(ranks);
        let counts = (0..).zip(&n_k).filter(|(_, &n)| n > 0);
        let counts: Vec<Weight> = counts.map(|(k, &n)| (k, n.into())).collect();
        let n = n_k.iter().sum();
        let sum = difference.between(&counts, &counts, watch);
        let expected = Chance::Within.mean(sum, [n, n], (0, Twofold::ZERO)).filter(|expected| !expected.is_zero());
        let Some(expected) = expected else { return Ok(None) };
        let of_n = expected * Twofold::from(n);
        let (kinds, draws) = match pairing {
            Pairing::Krippendorff => of_units(tally, of_n)?,
            Pairing::Kalpha => of_coincidences(tally, of_n)?,
        };
        let d2 = kinds.iter().map(|&(k, l)| difference.d2(k as usize, l as usize)).collect();
        Ok(Some(Loss { d2, draws, pairing }))
    }

    fn alpha(&self, stream: &mut Stream, drawn: &mut [u64]) -> f64 {
        let mut alpha = Twofold::from(1u64);
        for (pairs, share) in &self.draws {
            pairs.draw(stream, drawn);
            let sum = self.d2.iter().zip(&*drawn).fold(Twofold::ZERO, |sum, (d2, &times)| sum + d2.times(times));
            alpha = alpha - sum * *share;
        }
        match (alpha.round(), self.pairing) {
            (alpha, Pairing::Kalpha) => alpha.max(-1.0),
            (alpha, Pairing::Krippendorff) if alpha < -1.0 => f64::NAN,
            (alpha, Pairing::Krippendorff) => alpha,
        }
    }
}

type Kinds = Vec<(u32, u32)>;
type Draws = Vec<(Multinomial, Twofold)>;

/// Krippendorff's: for each number m of ratings, as many pairs as units of m ratings have, from those of all units.
/// `of_n` is the number of ratings times expected disagreement.
fn of_units(tally: &Tally, of_n: Twofold) -> Result<(Kinds, Draws), Error> {
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut of_size: BTreeMap<u64, u64> = BTreeMap::new();
    for (pattern, w) in tally.patterns() {
        let m = Unit::new(pattern).n_all();
        add(of_size.entry(m).or_default(), product(w, m * (m - 1) / 2)?)?;
        for (kind, n) in kinds_of_pairs(pattern) {
            add(pairs.entry(kind).or_default(), product(w, n)?)?;
        }
    }
    let (kinds, weights): (Kinds, Vec<u64>) = pairs.into_iter().unzip();
    check_sum(&weights)?;
    let share = |m: u64| Twofold::from(2u64) / (of_n * Twofold::from(m - 1));
    Ok((kinds, of_size.into_iter().map(|(m, n)| (Multinomial::of(&weights, n), share(m))).collect()))
}

/// KALPHA's: pairs from the coincidences, which are brought to integers by the least common multiple of m - 1.
fn of_coincidences(tally: &Tally, of_n: Twofold) -> Result<(Kinds, Draws), Error> {
    let mut sizes = tally.patterns().map(|(pattern, _)| Unit::new(pattern).n_all());
    let multiple = sizes.try_fold(1, |multiple, m| least_common_multiple(multiple, m - 1))?;
    let mut coincidences: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (pattern, w) in tally.patterns() {
        let share = product(w, 2 * (multiple / (Unit::new(pattern).n_all() - 1)))?;
        for (kind, n) in kinds_of_pairs(pattern) {
            add(coincidences.entry(kind).or_default(), product(share, n)?)?;
        }
    }
    let (kinds, weights): (Kinds, Vec<u64>) = coincidences.into_iter().unzip();
    check_sum(&weights)?;
    let cells = kinds.iter().map(|(k, l)| if k == l { 1 } else { 2 }).sum::<u64>();
    let n = (25 * cells).min(product(tally.most_ratings() - 1, tally.n_ratings())? / 2);
    let expected = of_n / Twofold::from(tally.n_ratings());
    let share = Twofold::from(1u64) / (expected * Twofold::from(n));
    Ok((kinds, vec![(Multinomial::of(&weights, n), share)]))
}

/// The unordered pairs of ratings of a unit, by their two values.
fn kinds_of_pairs(pattern: &Pattern) -> impl Iterator<Item = ((u32, u32), u64)> + '_ {
    let pairs = pattern.iter().enumerate().flat_map(|(i, a)| pattern[i..].iter().map(move |b| (a, b)));
    let counted = pairs.map(|(a, b)| {
        let (n, other) = (u64::from(a.count), u64::from(b.count));
        ((a.value, b.value), if a.value == b.value { n * (n - 1) / 2 } else { n * other })
    });
    counted.filter(|&(_, n)| n > 0)
}

fn product(a: u64, b: u64) -> Result<u64, Error> {
    a.checked_mul(b).ok_or(Error::TooManyPairs)
}

fn add(sum: &mut u64, more: u64) -> Result<(), Error> {
    *sum = sum.checked_add(more).ok_or(Error::TooManyPairs)?;
    Ok(())
}

fn check_sum(weights: &[u64]) -> Result<(), Error> {
    weights.iter().try_fold(0, |mut sum, &weight| add(&mut sum, weight).map(|()| sum)).map(|_| ())
}

fn least_common_multiple(a: u64, b: u64) -> Result<u64, Error> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    product(a / divisor, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: [i32; 8] = [0, 0, 0, 1, 1, 1, 1, 1];

    fn alphas(pairing: Pairing) -> Vec<f64> {
        let tally = Tally::from_matrix(&TWO, 2, 2).unwrap();
        alpha_of_pairs(&tally, &Level::Nominal, pairing, (2000, 1), 2, &Watch::default()).unwrap()
    }

    #[test]
    fn a_replicate_counts_the_pairs_that_differ() {
        // n = 8, D_e = 2 * 3 * 5/(8 * 7); four pairs are drawn, a quarter of which differ.
        for pairing in [Pairing::Krippendorff, Pairing::Kalpha] {
            let found = alphas(pairing);
            let differing: Vec<f64> = found.iter().map(|alpha| (1.0 - alpha) * 15.0 / 7.0).collect();
            assert!(differing.iter().all(|n| (n - n.round()).abs() < 1e-12 && (0.0..=4.0).contains(&n.round())));
            let mean = differing.iter().sum::<f64>() / differing.len() as f64;
            assert!((mean - 1.0).abs() < 0.1, "{mean}");
        }
    }

    #[test]
    fn values_below_minus_one_are_dropped_or_cut() {
        // Two units that disagree: D_e = 2/3, two pairs that differ take 2/(2/3 * 2) = 3/2 each at most.
        let tally = Tally::from_matrix(&[0, 1, 0, 1], 2, 2).unwrap();
        let one = |pairing| alpha_of_pairs(&tally, &Level::Nominal, pairing, (5, 1), 1, &Watch::default()).unwrap();
        assert!(one(Pairing::Krippendorff).iter().all(|alpha| (alpha + 0.5).abs() < 1e-15));
        let opposite = Tally::from_matrix(&[0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2, 2).unwrap();
        let many =
            |pairing| alpha_of_pairs(&opposite, &Level::Nominal, pairing, (2000, 1), 1, &Watch::default()).unwrap();
        assert!(many(Pairing::Krippendorff).iter().any(|alpha| alpha.is_nan()));
        assert!(many(Pairing::Kalpha).iter().all(|&alpha| alpha >= -1.0));
        assert!(many(Pairing::Kalpha).contains(&-1.0));
    }

    #[test]
    fn what_is_undefined_stays_so_and_large_weights_are_an_error() {
        let same = Tally::from_matrix(&[0, 0, 0, 0], 2, 1).unwrap();
        let found = alpha_of_pairs(&same, &Level::Nominal, Pairing::Kalpha, (3, 1), 1, &Watch::default()).unwrap();
        assert!(found.iter().all(|alpha| alpha.is_nan()));
        assert_eq!(least_common_multiple(u64::MAX, u64::MAX - 1), Err(Error::TooManyPairs));
        assert_eq!(least_common_multiple(12, 18), Ok(36));
    }
}
