//! Inter-rater and cross-replication reliability.
//!
//! [`core`] is pure Rust: numbers in, numbers out, no Python, no clock, no global state. The Python module
//! `kappax._core` (feature `python`, on by default) only carries arrays across and words back.

pub mod core;

#[cfg(feature = "python")]
mod py;
