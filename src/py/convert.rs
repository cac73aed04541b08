//! Arrays and words of Python as the core's types, and back.

use std::borrow::Cow;

use numpy::{
    Element, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;

use super::error::{IntoPy, KappaxError, LevelError};
use crate::core::coefficient::{Coefficient, Pairing, Permuted, Undefined, Within};
use crate::core::encode::{encode as encode_numbers, Number};
use crate::core::interval::{Lacking, Method, Side};
use crate::core::slices::{Row, Slices};
use crate::core::tally::{check_codes, check_length};
use crate::core::{Level, Tally};

/// A one-dimensional array as a slice.
pub(super) fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| PyTypeError::new_err("the array must be contiguous"))
}

/// A matrix row after row, copied only where it lies otherwise in memory.
pub(super) fn rows<'a, T: Element + Copy>(array: &'a PyReadonlyArray2<'_, T>) -> Cow<'a, [T]> {
    let view = array.as_array();
    if view.is_standard_layout() {
        if let Ok(slice) = array.as_slice() {
            return Cow::Borrowed(slice);
        }
    }
    Cow::Owned(view.iter().copied().collect())
}

/// Numbers as a matrix of rows of this length.
pub(super) fn matrix<T: Element>(py: Python<'_>, numbers: Vec<T>, width: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let height = numbers.len().checked_div(width).unwrap_or(0);
    PyArray1::from_vec(py, numbers).reshape([height, width])
}

/// The most counts that `patterns` lays out: 4 GiB of them.
const MOST_COUNTS: usize = 1 << 30;

/// Every pattern's counts, zeros and all.
pub(super) fn patterns<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyArray3<u32>>> {
    let (n_pools, n_values) = (tally.n_pools(), tally.n_values());
    let shape = [tally.n_patterns(), n_pools, n_values];
    let size = shape.iter().try_fold(1usize, |size, &n| size.checked_mul(n)).filter(|&size| size <= MOST_COUNTS);
    let Some(size) = size else {
        let words = format!("patterns x pools x values are too many to lay out: {shape:?}");
        return Err(PyMemoryError::new_err(words));
    };
    let mut counts = vec![0; size];
    for (p, (pattern, _)) in tally.patterns().enumerate() {
        for cell in pattern {
            counts[(p * n_pools + cell.pool as usize) * n_values + cell.value as usize] = cell.count;
        }
    }
    PyArray1::from_vec(py, counts).reshape(shape)
}

/// Codes of an array of float64, int64 or uint64, and its domain.
pub(super) fn encode<'py>(values: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    if let Ok(array) = values.extract::<PyReadonlyArrayDyn<'py, f64>>() {
        return encode_array(&array);
    }
    if let Ok(array) = values.extract::<PyReadonlyArrayDyn<'py, i64>>() {
        return encode_array(&array);
    }
    if let Ok(array) = values.extract::<PyReadonlyArrayDyn<'py, u64>>() {
        return encode_array(&array);
    }
    Err(PyTypeError::new_err("encode takes an array of float64, int64 or uint64"))
}

fn encode_array<'py, T: Number + Element>(
    array: &PyReadonlyArrayDyn<'py, T>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = array.py();
    let n_threads = super::run::threads(None)?;
    let (codes, domain) = match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => encode_numbers(values, n_threads),
        _ => encode_numbers(&array.as_array().iter().copied().collect::<Vec<_>>(), n_threads),
    };
    let codes: Bound<'py, PyArrayDyn<i32>> = PyArray1::from_vec(py, codes).reshape(array.shape())?;
    Ok((codes.into_any(), PyArray1::from_vec(py, domain).into_any()))
}

/// Slices as Python hands them over: number of slices, slice of each unit, unit, group and value of each rating, number
/// of groups and of values.
#[derive(FromPyObject)]
pub(super) struct SlicesOf<'py>(
    usize,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray1<'py, i64>,
    Option<PyReadonlyArray1<'py, u32>>,
    PyReadonlyArray1<'py, u32>,
    usize,
    usize,
);

/// The same, copied, so that the work can be done detached.
pub(super) struct CopiedSlices {
    pub n_slices: usize,
    slice_of_unit: Vec<i64>,
    unit: Vec<i64>,
    group: Option<Vec<u32>>,
    value: Vec<u32>,
    n_groups: usize,
    n_values: usize,
}

impl SlicesOf<'_> {
    pub(super) fn copied(&self) -> PyResult<CopiedSlices> {
        let group = self.3.as_ref().map(|group| slice(group).map(<[u32]>::to_vec)).transpose()?;
        let copied = CopiedSlices {
            n_slices: self.0,
            slice_of_unit: slice(&self.1)?.to_vec(),
            unit: slice(&self.2)?.to_vec(),
            group,
            value: slice(&self.4)?.to_vec(),
            n_groups: self.5,
            n_values: self.6,
        };
        let n = copied.unit.len();
        check_codes("slice", copied.slice_of_unit.iter().copied(), copied.n_slices).into_py()?;
        check_codes("unit", copied.unit.iter().copied(), copied.slice_of_unit.len()).into_py()?;
        check_length("value", copied.value.len(), n).into_py()?;
        check_length("group", copied.group.as_ref().map_or(n, Vec::len), n).into_py()?;
        check_codes("value", copied.value.iter().map(|&code| code.into()), copied.n_values).into_py()?;
        Ok(copied)
    }
}

impl CopiedSlices {
    pub(super) fn borrowed(&self) -> Slices<'_> {
        Slices {
            n_slices: self.n_slices,
            slice_of_unit: &self.slice_of_unit,
            unit: &self.unit,
            group: self.group.as_deref(),
            value: &self.value,
            n_groups: self.n_groups,
            n_values: self.n_values,
        }
    }
}

/// Estimate, observed, expected, units, pairable ratings, dropped units, limits, replicates used and standard error.
pub(super) fn rows_of_slices<'py>(py: Python<'py>, rows: &[Row]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = rows.iter().flat_map(|row| {
        let outcome = &row.outcome;
        let interval = row.interval.map_or([f64::NAN; 4], |(i, error)| [i.low, i.high, i.n_used as f64, error]);
        let estimate = outcome.estimate.unwrap_or(f64::NAN);
        let sizes = [outcome.n_units, outcome.n_pairable, row.n_dropped].map(|n| n as f64);
        [[estimate, outcome.observed, outcome.expected].as_slice(), &sizes, &interval].concat()
    });
    matrix(py, numbers.collect(), 10)
}

/// A level from its word and what it needs.
pub(super) fn level(
    word: &str,
    values: Option<Vec<f64>>,
    matrix: Option<Vec<f64>>,
    period: Option<f64>,
    limits: Option<(f64, f64)>,
) -> PyResult<Level> {
    let missing = |what: &str| LevelError::new_err(format!("level {word} needs {what}"));
    let values = || values.ok_or_else(|| missing("values"));
    Ok(match word {
        "nominal" => Level::Nominal,
        "ordinal" => Level::Ordinal,
        "interval" => Level::Interval(values()?),
        "linear" => Level::Linear(values()?),
        "ratio" => Level::Ratio(values()?),
        "radical" => Level::Radical(values()?),
        "circular" => Level::Circular { values: values()?, period: period.ok_or_else(|| missing("period"))? },
        "bipolar" => {
            let (low, high) = limits.ok_or_else(|| missing("limits"))?;
            Level::Bipolar { values: values()?, low, high }
        }
        "custom" => Level::Custom(matrix.ok_or_else(|| missing("a matrix"))?),
        _ => return Err(LevelError::new_err(format!("unknown level: {word}"))),
    })
}

/// Coefficients from (word, pools or places, number) each.
pub(super) fn coefficients(asked: &[(String, Vec<u32>, f64)]) -> PyResult<Vec<Coefficient>> {
    asked.iter().map(|(word, pools, number)| coefficient(word, pools, *number)).collect()
}

pub(super) fn coefficient(word: &str, pools: &[u32], number: f64) -> PyResult<Coefficient> {
    Ok(match (word, pools) {
        ("alpha", _) => Coefficient::Alpha(within(word, pools)?),
        ("fleiss", _) => Coefficient::Fleiss(within(word, pools)?),
        ("percent", _) => Coefficient::Percent(within(word, pools)?),
        ("ac", _) => Coefficient::GwetAc(within(word, pools)?),
        ("brennan_prediger", _) => Coefficient::BrennanPrediger(within(word, pools)?),
        ("cross", &[x, y]) => Coefficient::Cross(x, y),
        ("iota", _) => Coefficient::Iota(pools.to_vec()),
        ("conger", _) => Coefficient::Conger(pools.to_vec()),
        ("light", _) => Coefficient::Light(pools.to_vec()),
        ("given", &[]) => Coefficient::Given(number),
        ("difference", &[a, b]) => Coefficient::Difference([a as usize, b as usize]),
        ("quotient", &[a, b]) => Coefficient::Quotient([a as usize, b as usize]),
        ("normalized", &[cross, x, y]) => {
            Coefficient::Normalized { cross: cross as usize, irr: [x as usize, y as usize] }
        }
        _ => return Err(unknown(word, pools)),
    })
}

fn within(word: &str, pools: &[u32]) -> PyResult<Within> {
    let (&pool, among) = pools.split_first().ok_or_else(|| unknown(word, pools))?;
    Ok(Within { pool, among: among.to_vec() })
}

fn unknown(word: &str, pools: &[u32]) -> PyErr {
    KappaxError::new_err(format!("no coefficient {word} of {} pools", pools.len()))
}

/// The word of a reason; Python makes the sentence.
pub(super) fn reason(undefined: Undefined) -> &'static str {
    match undefined {
        Undefined::NoPairs => "no_pairs",
        Undefined::NoVariation => "no_variation",
        Undefined::UndefinedPair => "undefined_pair",
        Undefined::UndefinedIrr => "undefined_irr",
        Undefined::IrrNotPositive => "irr_not_positive",
        Undefined::UndefinedCross => "undefined_cross",
        Undefined::UndefinedTerm => "undefined_term",
        Undefined::ZeroTerm => "zero_term",
        Undefined::OutOfRange => "out_of_range",
    }
}

/// A method of making intervals.
pub(super) fn method(word: &str) -> PyResult<Method> {
    match word {
        "percentile" => Ok(Method::Percentile),
        "basic" => Ok(Method::Basic),
        "normal" => Ok(Method::Normal),
        "bca" => Ok(Method::Bca),
        "studentized" => Ok(Method::Studentized),
        _ => Err(KappaxError::new_err(format!("unknown interval method: {word}"))),
    }
}

/// Whose bootstrap draws pairs.
pub(super) fn pairing(word: &str) -> PyResult<Pairing> {
    match word {
        "pairs-krippendorff" => Ok(Pairing::Krippendorff),
        "pairs-kalpha" => Ok(Pairing::Kalpha),
        _ => Err(KappaxError::new_err(format!("unknown way to draw pairs: {word}"))),
    }
}

/// What a permutation test permutes.
pub(super) fn permuted(word: &str) -> PyResult<Permuted> {
    match word {
        "ratings" => Ok(Permuted::Ratings),
        "raters" => Ok(Permuted::Raters),
        _ => Err(KappaxError::new_err(format!("unknown thing to permute: {word}"))),
    }
}

/// Which limits an interval has, by the alternative that a test of the same name would have.
pub(super) fn side(word: &str) -> PyResult<Side> {
    match word {
        "two-sided" => Ok(Side::Both),
        "greater" => Ok(Side::Lower),
        "less" => Ok(Side::Upper),
        _ => Err(KappaxError::new_err(format!("unknown alternative: {word}"))),
    }
}

/// The word of what an interval lacks; Python makes the sentence.
pub(super) fn lacking(lacking: Lacking) -> &'static str {
    match lacking {
        Lacking::Estimate => "no_estimate",
        Lacking::Replicates => "no_replicates",
        Lacking::Variation => "degenerate",
        Lacking::Jackknife => "no_jackknife",
        Lacking::Balance => "outside",
        Lacking::Acceleration => "extreme_acceleration",
    }
}

/// Checks 0 < c and a <= c.
pub(super) fn check_share(a: u64, c: u64) -> PyResult<()> {
    if c == 0 || a > c {
        return Err(KappaxError::new_err(format!("a share must be between 0 and 1: {a}/{c}")));
    }
    Ok(())
}
