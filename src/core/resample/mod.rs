//! Coefficients on resampled multiplicities.

mod engine;

pub use engine::{replicates, with_threads, Watch};
