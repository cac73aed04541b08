//! Coefficients on resampled multiplicities.

mod engine;
mod jackknife;
mod sample;

pub use engine::{replicates, with_threads, Watch};
pub use jackknife::Jackknife;
pub use sample::{clusters, Clusters, Drawn, Sampler};
