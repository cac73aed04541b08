//! Everything that can be wrong with input, as data: what was found, where, and what is needed.

/// An input that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// Two columns that describe the same ratings have different lengths.
    #[error("{what} has {found} entries, but {needed} are needed")]
    Length {
        /// The column.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        needed: usize,
    },
    /// A code lies outside of its range.
    #[error("{what} code at position {at} must be below {limit}: {found}")]
    Code {
        /// The column.
        what: &'static str,
        /// Position of the first such code.
        at: usize,
        /// The code.
        found: i64,
        /// The first code that is too large.
        limit: usize,
    },
    /// Counts are too large: for double precision to carry exactly, or for a resample that draws the largest unit often.
    #[error("too many ratings: at most 2^53 in all, 2^32 - 1 equal ones in a unit, and for resampling fewer than 2^64 as units x ratings of the largest unit")]
    TooMany,
    /// Numbers of pairs, brought to integers, are beyond 64 bits.
    #[error("too many pairs of ratings to draw from: their numbers, brought to integers, must stay below 2^64")]
    TooManyPairs,
    /// Two tallies do not have the same pools and values.
    #[error("tallies of {left_pools} pools x {left_values} values and {right_pools} x {right_values} cannot be added")]
    Shape {
        /// Pools of the left side.
        left_pools: usize,
        /// Values of the left side.
        left_values: usize,
        /// Pools of the right side.
        right_pools: usize,
        /// Values of the right side.
        right_values: usize,
    },
    /// Bytes that no tally was written to.
    #[error("not the bytes of a tally: {0}")]
    Bytes(&'static str),
    /// A coefficient was asked for with pools or parts that do not fit.
    #[error("coefficient {at} cannot be computed: {why}")]
    Coefficient {
        /// Its position in the list.
        at: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A level does not fit the number of values.
    #[error("{what} needs {needed} numbers for this domain: {found}")]
    Level {
        /// The level's table or values.
        what: &'static str,
        /// Numbers given.
        found: usize,
        /// Numbers needed.
        needed: usize,
    },
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}
