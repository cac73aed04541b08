//! One kernel, run once on one thread, for a count of its instructions: see `instructions.py`.
//!
//! With the name of a kernel it runs that one, and only what `measured` calls is to be counted; without one it says for
//! which kind of CPU it runs, and lists the kernels.

mod data;

use std::hint::black_box;

use data::{alpha, as_bytes, count, distinct, ratings, RATERS, VALUES};
use kappax::core::coefficient::{Analysis, Draws, Wish};
use kappax::core::{encode, Coefficient, Level, Tally, Watch};

const N_UNITS: usize = 50_000;
const ONE_POOL: [u32; RATERS] = [0; RATERS];
const TWO_POOLS: [u32; RATERS] = [0, 0, 0, 1, 1];
const DRAWS: Draws = Draws { n_resamples: 100, seed: 1, with_errors: false, jackknife: Wish::No };
const NO_DRAWS: Draws = Draws { n_resamples: 0, ..DRAWS };

/// Kernels by name.
const KERNELS: [(&str, fn()); 13] = [
    ("tally of doubles", || {
        let cells = ratings(N_UNITS);
        measured(|| count(&cells, &[], &ONE_POOL));
    }),
    ("tally of bytes", || {
        let cells = as_bytes(&ratings(N_UNITS));
        measured(|| count(&cells, &[-1], &ONE_POOL));
    }),
    ("tally of two pools", || {
        let cells = ratings(N_UNITS);
        measured(|| count(&cells, &[], &TWO_POOLS));
    }),
    ("tally of a long table", long_table),
    ("alpha nominal", || alone(&Level::Nominal, &NO_DRAWS)),
    ("alpha ordinal", || alone(&Level::Ordinal, &NO_DRAWS)),
    ("alpha interval", || alone(&interval(), &NO_DRAWS)),
    ("bootstrap nominal", || alone(&Level::Nominal, &DRAWS)),
    ("bootstrap ordinal", || alone(&Level::Ordinal, &DRAWS)),
    ("bootstrap interval", || alone(&interval(), &DRAWS)),
    ("kappa_x and reliabilities", jointly),
    ("codes of distinct values", || {
        let values = distinct(N_UNITS as u32);
        measured(|| encode::encode(&values, 1));
    }),
    ("alpha interval, distinct values", of_distinct),
];

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    if let Some(wanted) = wanted {
        let kernel = KERNELS.iter().find(|(name, _)| *name == wanted);
        kernel.unwrap_or_else(|| panic!("no such kernel: {wanted}")).1();
        return;
    }
    println!("{}", cpu());
    KERNELS.iter().for_each(|(name, _)| println!("{name}"));
}

/// What decides which of several machine codes of a loop is taken.
fn cpu() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return "x86_64 with avx2";
    }
    std::env::consts::ARCH
}

/// Calls inside of here are counted, by this name.
#[inline(never)]
fn measured<R>(work: impl FnOnce() -> R) {
    black_box(work());
}

fn interval() -> Level {
    Level::Interval((0..VALUES).map(|value| value as f64).collect())
}

fn alone(level: &Level, draws: &Draws) {
    let tally = count(&ratings(N_UNITS), &[], &ONE_POOL);
    analyse(&tally, &[alpha(0)], level, draws);
}

fn jointly() {
    let tally = count(&ratings(N_UNITS), &[], &TWO_POOLS);
    let normalized = Coefficient::Normalized { cross: 2, irr: [0, 1] };
    analyse(&tally, &[alpha(0), alpha(1), Coefficient::Cross(0, 1), normalized], &Level::Nominal, &DRAWS);
}

fn long_table() {
    let n = N_UNITS * RATERS;
    let unit: Vec<i64> = (0..n).map(|i| (i * 7919 % N_UNITS) as i64).collect();
    let value: Vec<u32> = (0..n).map(|i| (i * 31 % VALUES as usize) as u32).collect();
    let pool = vec![0; n];
    measured(|| Tally::from_long(&unit, &pool, &value, None, (N_UNITS, 1, VALUES as usize)).expect("codes in range"));
}

fn of_distinct() {
    let values = distinct(N_UNITS as u32);
    let (codes, domain) = encode::encode(&values, 1);
    let tally = Tally::from_matrix(&codes, RATERS, domain.len()).expect("codes in range");
    analyse(&tally, &[alpha(0)], &Level::Interval(domain), &NO_DRAWS);
}

fn analyse(tally: &Tally, coefficients: &[Coefficient], level: &Level, draws: &Draws) {
    let watch = Watch::default();
    measured(|| {
        let levels = std::slice::from_ref(level);
        let analysis = Analysis::new(tally, coefficients, levels, None, 1, &watch).expect("pools that are there");
        analysis.run(draws, 1, &watch).expect("not stopped")
    });
}
