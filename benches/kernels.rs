//! Each stage of the computation on its own: `cargo bench --no-default-features`.

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion};
use kappax::core::coefficient::{Analysis, Draws, Wish, Within};
use kappax::core::dense::{self, Matrix, Missing, Run};
use kappax::core::random::Stream;
use kappax::core::{encode, Coefficient, Level, Tally, Watch};

const RATERS: usize = 5;
const VALUES: u64 = 5;
const ALPHA: [Coefficient; 1] = [Coefficient::Alpha(Within { pool: 0, among: Vec::new() })];

/// Ratings that agree with a latent truth in 7 of 10 cases, 1 of 10 missing.
fn ratings(n_units: usize) -> Vec<f64> {
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

fn count<T: dense::Rating>(cells: &[T], missing: &[T]) -> Tally {
    let run = Run { n_threads: 1, keep_going: &|| true, refuse_many_patterns: false };
    let missing = Missing { values: missing, mask: None };
    dense::tally(Matrix::Rows(cells, RATERS), &[0; RATERS], missing, &run).expect("few values").0
}

fn ingest(c: &mut Criterion) {
    let doubles = ratings(1_000_000);
    let bytes: Vec<i8> = doubles.iter().map(|v| if v.is_nan() { -1 } else { *v as i8 }).collect();
    let distinct: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 100_003)).collect();
    let mut group = c.benchmark_group("ingest");
    group.sample_size(20);
    group.bench_function("1M x 5 doubles", |b| b.iter(|| count(black_box(&doubles), &[])));
    group.bench_function("1M x 5 bytes", |b| b.iter(|| count(black_box(&bytes), &[-1])));
    group.bench_function("codes of 100k distinct", |b| b.iter(|| encode::encode(black_box(&distinct), 1)));
    group.finish();
}

fn tally(c: &mut Criterion) {
    let n: usize = 200_000;
    let unit: Vec<i64> = (0..n * RATERS).map(|i| (i * 7919 % n) as i64).collect();
    let value: Vec<u32> = (0..n * RATERS).map(|i| (i * 31 % 5) as u32).collect();
    let pool = vec![0; n * RATERS];
    c.bench_function("tally of 1M ratings in long form", |b| {
        b.iter(|| Tally::from_long(black_box(&unit), &pool, &value, None, (n, 1, 5)).expect("codes in range"));
    });
}

fn coefficients(c: &mut Criterion) {
    let tally = count(&ratings(100_000), &[]);
    let values: Vec<f64> = (0..VALUES).map(|v| v as f64).collect();
    let watch = Watch::default();
    for (name, level) in
        [("nominal", Level::Nominal), ("ordinal", Level::Ordinal), ("interval", Level::Interval(values.clone()))]
    {
        let prepare =
            || Analysis::new(&tally, &ALPHA, std::slice::from_ref(&level), None, 1, &watch).expect("one pool");
        c.bench_function(&format!("alpha {name}, prepared and computed"), |b| {
            b.iter(|| prepare().run(&Draws::default(), 1, &watch).expect("not stopped"));
        });
        let analysis = prepare();
        let hundred = Draws { n_resamples: 100, seed: 1, jackknife: Wish::No, ..Draws::default() };
        c.bench_function(&format!("alpha {name}, 100 replicates"), |b| {
            b.iter(|| analysis.run(&hundred, 1, &watch).expect("not stopped"));
        });
    }
}

criterion_group!(kernels, ingest, tally, coefficients);
criterion_main!(kernels);
