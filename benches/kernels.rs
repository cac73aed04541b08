//! Each stage of the computation on its own: `cargo bench --no-default-features`.

mod data;

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion};
use data::{alpha, as_bytes, count, distinct, ratings, RATERS, VALUES};
use kappax::core::coefficient::{Analysis, Draws, Wish};
use kappax::core::{encode, Level, Tally, Watch};

const ONE_POOL: [u32; RATERS] = [0; RATERS];

fn ingest(c: &mut Criterion) {
    let doubles = ratings(1_000_000);
    let bytes = as_bytes(&doubles);
    let distinct = distinct(100_000);
    let mut group = c.benchmark_group("ingest");
    group.sample_size(20);
    group.bench_function("1M x 5 doubles", |b| b.iter(|| count(black_box(&doubles), &[], &ONE_POOL)));
    group.bench_function("1M x 5 bytes", |b| b.iter(|| count(black_box(&bytes), &[-1], &ONE_POOL)));
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
    let tally = count(&ratings(100_000), &[], &ONE_POOL);
    let values: Vec<f64> = (0..VALUES).map(|v| v as f64).collect();
    let watch = Watch::default();
    for (name, level) in
        [("nominal", Level::Nominal), ("ordinal", Level::Ordinal), ("interval", Level::Interval(values.clone()))]
    {
        let prepare =
            || Analysis::new(&tally, &[alpha(0)], std::slice::from_ref(&level), None, 1, &watch).expect("one pool");
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
