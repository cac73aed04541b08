//! The computation, in the order in which data flows:
//!
//! [`encode`] (values to codes; or [`dense`], both steps in one) → [`tally`] (distinct patterns × multiplicity) → [`difference`] (d² between values)
//! → [`coefficient`] (observed and expected disagreement) → [`resample`] (the same on resampled multiplicities,
//! drawn by [`random`]) → [`interval`]. [`slices`] does all of it for many slices of
//! a data set; [`means`] holds what is said of means of ratings.
//! Sums of fractions are carried in [`twofold`] precision, so a result is right to its last digits.

pub mod coefficient;
pub mod dense;
pub mod difference;
pub mod encode;
pub mod error;
pub mod interval;
pub mod means;
pub mod normal;
pub mod random;
pub mod resample;
pub mod slices;
pub mod tally;
pub mod twofold;

pub use coefficient::{Coefficient, Outcome, Undefined};
pub use difference::Level;
pub use error::Error;
pub use resample::Watch;
pub use tally::Tally;
