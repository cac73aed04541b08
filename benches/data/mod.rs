//! What the benchmarks work on.

use kappax::core::coefficient::Within;
use kappax::core::dense::{self, Matrix, Missing, Run};
use kappax::core::random::Stream;
use kappax::core::{Coefficient, Tally};

pub const RATERS: usize = 5;
pub const VALUES: u64 = 5;

/// Ratings that agree with a latent truth in 7 of 10 cases, 1 of 10 missing.
pub fn ratings(n_units: usize) -> Vec<f64> {
    let mut stream = Stream::new(1, 2, 0);
    let mut draw = |n: u64| stream.bounded(n).draw();
    let mut ratings = Vec::with_capacity(n_units * RATERS);
    for _ in 0..n_units {
        let truth = draw(VALUES);
        for _ in 0..RATERS {
            let value = if draw(10) < 7 { truth } else { draw(VALUES) };
            ratings.push(if draw(10) == 0 { f64::NAN } else { value as f64 });
        }
    }
    ratings
}

/// The same ratings as small integers, -1 where missing.
pub fn as_bytes(ratings: &[f64]) -> Vec<i8> {
    ratings.iter().map(|v| if v.is_nan() { -1 } else { *v as i8 }).collect()
}

/// So many numbers, no two of them equal, in no order.
pub fn distinct(n: u32) -> Vec<f64> {
    (0..n).map(|i| f64::from(i.wrapping_mul(0x9E37_79B1))).collect()
}

/// The tally of a matrix whose columns are of these pools, counted on one thread.
pub fn count<T: dense::Rating>(cells: &[T], missing: &[T], pools: &[u32; RATERS]) -> Tally {
    let run = Run { n_threads: 1, keep_going: &|| true, refuse_many_patterns: false };
    let missing = Missing { values: missing, mask: None };
    dense::tally(Matrix::Rows(cells, RATERS), pools, missing, &run).expect("few values").0
}

/// Alpha of a pool.
pub fn alpha(pool: u32) -> Coefficient {
    Coefficient::Alpha(Within { pool, among: Vec::new() })
}
