//! Arrays and words of Python as the core's types, and back.

use std::borrow::Cow;

use numpy::{
    Element, PyArray1, PyArray2, PyArray3, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;

use super::error::{KappaxError, LevelError};
use crate::core::coefficient::{Coefficient, Undefined, Within};
use crate::core::encode::{encode as encode_numbers, Number};
use crate::core::interval::Method;
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
    }
}

/// A method of making intervals.
pub(super) fn method(word: &str) -> PyResult<Method> {
    match word {
        "percentile" => Ok(Method::Percentile),
        _ => Err(KappaxError::new_err(format!("unknown interval method: {word}"))),
    }
}

/// Checks 0 < c and a <= c.
pub(super) fn check_share(a: u64, c: u64) -> PyResult<()> {
    if c == 0 || a > c {
        return Err(KappaxError::new_err(format!("a share must be between 0 and 1: {a}/{c}")));
    }
    Ok(())
}
