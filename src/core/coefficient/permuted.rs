//! A statistic on permutations of the data: ratings within raters, or raters between two pools
//! (`docs/statistics.md`, section 7; `docs/stream.md`, section 6).

use std::sync::OnceLock;

use super::analysis::{Analysis, Draws, Wish};
use super::unit::Unit;
use super::{n_pools, Coefficient};
use crate::core::difference::Level;
use crate::core::random::{Purpose, Stream};
use crate::core::resample::replicates;
use crate::core::tally::DROPPED;
use crate::core::{Error, Tally, Watch};

/// What is permuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permuted {
    /// The ratings of each rater.
    Ratings,
    /// The raters of two pools.
    Raters,
}

/// A statistic on permutations.
#[derive(Debug, Clone, PartialEq)]
pub struct Permutations {
    /// The last of the coefficients asked for, NaN where it is undefined.
    pub values: Vec<f64>,
    /// Whether they are all that there are, the data as they came among them.
    pub is_exact: bool,
}

/// Permutes data that have a pool for each rater, `pool_of` being the pools of the raters; the statistic is the last
/// coefficient of the list.
pub fn permute(
    (by_rater, pool_of): (&Tally, &[u32]),
    permuted: Permuted,
    (coefficients, levels): (&[Coefficient], &[Level]),
    (n_permutations, seed): (usize, u64),
    n_threads: usize,
    watch: &Watch,
) -> Result<Permutations, Error> {
    let deal: Box<dyn Deal> = match permuted {
        Permuted::Ratings => Box::new(Ratings::new(by_rater, pool_of, n_pools(pool_of, coefficients))?),
        Permuted::Raters => Box::new(Raters::new(by_rater, pool_of, n_permutations as u64)?),
    };
    let all = deal.n_all().filter(|&n| n <= n_permutations as u64);
    let mut values = vec![f64::NAN; all.map_or(n_permutations, |n| n as usize)];
    let failed = OnceLock::new();
    let statistic = |b: u64| -> Result<f64, Error> {
        let tally = deal.tally(seed, b)?;
        let draws = Draws { jackknife: Wish::No, ..Draws::default() };
        let found = Analysis::new(&tally, coefficients, levels, None, 1, watch)?.run(&draws, 1, watch)?;
        Ok(found.last().map_or(f64::NAN, |outcome| outcome.estimate.unwrap_or(f64::NAN)))
    };
    let work = |(): &mut (), b: u64, value: &mut [f64]| match statistic(b) {
        Ok(number) => value[0] = number,
        Err(error) => {
            let _ = failed.set(error); // the first to fail is told
        }
    };
    replicates(&mut values, 1, n_threads, watch, || (), work)?;
    failed.into_inner().map_or(Ok(Permutations { values, is_exact: all.is_some() }), Err)
}

/// Data that can be dealt out anew.
trait Deal: Sync {
    /// Permutation b, by pool.
    fn tally(&self, seed: u64, b: u64) -> Result<Tally, Error>;

    /// Number of all permutations, where they are to be taken one by one.
    fn n_all(&self) -> Option<u64>;
}

/// Ratings of each rater among the units with two ratings or more that the rater rated.
struct Ratings {
    /// Rating after rating, those of a rater together.
    unit: Vec<i64>,
    pool: Vec<u32>,
    value: Vec<u32>,
    /// Where the ratings of each rater begin, and where those of the last one end.
    bounds: Vec<usize>,
    n_units: usize,
    /// The other units, by pool.
    single: Tally,
}

impl Ratings {
    fn new(by_rater: &Tally, pool_of: &[u32], n_pools: usize) -> Result<Ratings, Error> {
        let is_single = |n: u64| n < 2;
        let single = by_rater.filter(|unit| is_single(Unit::new(unit).n_all())).map_pools(pool_of, n_pools)?;
        let (rated, places) = by_rater.filter(|unit| !is_single(Unit::new(unit).n_all())).canonical();
        let mut pools = vec![0; pool_of.len()];
        places.iter().zip(pool_of).for_each(|(&place, &pool)| pools[place as usize] = pool);
        let mut ratings = Vec::new();
        let units = rated.patterns().flat_map(|(pattern, w)| (0..w).map(move |_| pattern));
        for (unit, pattern) in (0..).zip(units) {
            for cell in pattern {
                ratings.extend(std::iter::repeat_n((cell.pool, unit, cell.value), cell.count as usize));
            }
        }
        ratings.sort_unstable();
        let mut bounds = vec![0];
        bounds.extend(ratings.chunk_by(|a, b| a.0 == b.0).scan(0, |end, own| {
            *end += own.len();
            Some(*end)
        }));
        Ok(Ratings {
            unit: ratings.iter().map(|rating| rating.1).collect(),
            pool: ratings.iter().map(|rating| pools[rating.0 as usize]).collect(),
            value: ratings.iter().map(|rating| rating.2).collect(),
            bounds,
            n_units: rated.n_units() as usize,
            single,
        })
    }
}

impl Deal for Ratings {
    fn tally(&self, seed: u64, b: u64) -> Result<Tally, Error> {
        let mut stream = Stream::new(seed, Purpose::Ratings as u64, b);
        let mut value = self.value.clone();
        for own in self.bounds.windows(2) {
            let n = own[1] - own[0];
            shuffle(&mut value[own[0]..own[1]], n.saturating_sub(1), &mut stream);
        }
        let sizes = (self.n_units, self.single.n_pools(), self.single.n_values());
        Tally::from_long(&self.unit, &self.pool, &value, None, sizes)?.merge(&self.single)
    }

    fn n_all(&self) -> Option<u64> {
        None
    }
}

/// Raters with a rating, of pools 0 and 1.
struct Raters {
    tally: Tally,
    /// How many of them are in pool 0.
    n_x: usize,
    n_splits: Option<u64>,
}

impl Raters {
    fn new(by_rater: &Tally, pool_of: &[u32], most: u64) -> Result<Raters, Error> {
        let mut rates = vec![false; pool_of.len()];
        by_rater.patterns().flat_map(|(pattern, _)| pattern).for_each(|cell| rates[cell.pool as usize] = true);
        let kept: Vec<usize> = (0..pool_of.len()).filter(|&rater| rates[rater] && pool_of[rater] < 2).collect();
        let mut numbers = vec![DROPPED; pool_of.len()];
        (0..).zip(&kept).for_each(|(new, &old)| numbers[old] = new);
        let (tally, _) = by_rater.map_pools(&numbers, kept.len())?.canonical();
        let n_x = kept.iter().filter(|&&rater| pool_of[rater] == 0).count();
        Ok(Raters { tally, n_x, n_splits: n_splits(kept.len(), n_x).filter(|&n| n <= most) })
    }
}

impl Deal for Raters {
    fn tally(&self, seed: u64, b: u64) -> Result<Tally, Error> {
        let n = self.tally.n_pools();
        let in_x = match self.n_splits {
            Some(_) => nth_split(n, self.n_x, b),
            None => {
                let mut raters: Vec<usize> = (0..n).collect();
                shuffle(&mut raters, self.n_x, &mut Stream::new(seed, Purpose::Pools as u64, b));
                raters.truncate(self.n_x);
                raters
            }
        };
        let mut pools = vec![1; n];
        in_x.iter().for_each(|&rater| pools[rater] = 0);
        self.tally.map_pools(&pools, 2)
    }

    fn n_all(&self) -> Option<u64> {
        self.n_splits
    }
}

/// Puts a random choice, in random order, into the first `n` places.
fn shuffle<T>(items: &mut [T], n: usize, stream: &mut Stream) {
    for i in 0..n {
        let j = stream.bounded((items.len() - i) as u64).draw() as usize;
        items.swap(i, i + j);
    }
}

/// Number of ways to choose k of n; `None` beyond 64 bits.
fn n_splits(n: usize, k: usize) -> Option<u64> {
    let k = k.min(n.checked_sub(k)?);
    (1..=k).try_fold(1u64, |ways, i| {
        let ways = u128::from(ways) * (n - k + i) as u128 / i as u128;
        u64::try_from(ways).ok()
    })
}

/// Choice b of k of 0..n, in lexicographic order.
fn nth_split(n: usize, k: usize, b: u64) -> Vec<usize> {
    let (mut chosen, mut before) = (Vec::with_capacity(k), b);
    for i in 0..n {
        let rest = k - chosen.len();
        let with = rest.checked_sub(1).and_then(|rest| n_splits(n - 1 - i, rest)).unwrap_or(0);
        if before < with {
            chosen.push(i);
        } else {
            before -= with;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::Within;
    use super::*;

    #[test]
    fn splits_come_in_lexicographic_order() {
        assert_eq!(n_splits(5, 3), Some(10));
        assert_eq!((n_splits(5, 0), n_splits(3, 4), n_splits(200, 100)), (Some(1), None, None));
        let all: Vec<_> = (0..10).map(|b| nth_split(5, 3, b)).collect();
        assert_eq!((&all[0][..], &all[1][..], &all[9][..]), (&[0, 1, 2][..], &[0, 1, 3][..], &[2, 3, 4][..]));
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    }

    /// Four raters of four units, a pool each.
    fn four() -> Tally {
        let values = [[0, 0, 1, 1], [1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]];
        let unit: Vec<i64> = (0..4).flat_map(|u| [u; 4]).collect();
        let rater: Vec<u32> = (0..4).flat_map(|_| 0..4).collect();
        Tally::from_long(&unit, &rater, values.as_flattened(), None, (4, 4, 2)).unwrap()
    }

    #[test]
    fn ratings_stay_with_their_raters() {
        let deal = Ratings::new(&four(), &[0, 1, 2, 3], 4).unwrap();
        let seen: Vec<Tally> = (0..40).map(|b| deal.tally(1, b).unwrap()).collect();
        assert!(seen.iter().all(|tally| tally.values_used() == four().values_used()));
        assert!(seen.iter().any(|tally| tally != &seen[0]));
    }

    #[test]
    fn all_splits_hold_the_data() {
        let asked = [Coefficient::Cross(0, 1)];
        let run = |n| {
            permute(
                (&four(), &[0, 0, 1, 1]),
                Permuted::Raters,
                (&asked, &[Level::Nominal]),
                (n, 1),
                2,
                &Watch::default(),
            )
        };
        let all = run(6).unwrap();
        assert!(all.is_exact && all.values.len() == 6);
        let by_pool = four().map_pools(&[0, 0, 1, 1], 2).unwrap();
        let data = Analysis::new(&by_pool, &asked, &[Level::Nominal], None, 1, &Watch::default()).unwrap();
        let data = data.run(&Draws::default(), 1, &Watch::default()).unwrap()[0].estimate.unwrap();
        assert!(all.values.contains(&data));
        assert!(!run(5).unwrap().is_exact);
    }

    #[test]
    fn single_ratings_stay() {
        let tally = Tally::from_long(&[0, 0, 1], &[0, 1, 0], &[0, 1, 1], None, (2, 2, 2)).unwrap();
        let deal = Ratings::new(&tally, &[0, 0], 1).unwrap();
        for b in 0..5 {
            assert_eq!(deal.tally(1, b).unwrap(), tally.map_pools(&[0, 0], 1).unwrap());
        }
        let within = Within { pool: 0, among: vec![] };
        let asked = [Coefficient::Fleiss(within)];
        let found =
            permute((&tally, &[0, 0]), Permuted::Ratings, (&asked, &[Level::Nominal]), (3, 1), 1, &Watch::default());
        assert_eq!(found.unwrap().values.len(), 3);
    }
}
