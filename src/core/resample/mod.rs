//! Coefficients on resampled multiplicities.

mod engine;
mod jackknife;

pub use engine::{replicates, with_threads, Watch};
pub use jackknife::Jackknife;
