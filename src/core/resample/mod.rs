//! Coefficients on resampled multiplicities.

mod engine;

pub use engine::{replicates, Watch};
