//! Arrays of numbers straight to counts: numpy's memory seen as a matrix of the core.

use std::cell::RefCell;

use numpy::{
    Element, PyArray1, PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::_core::{PairCounts, Tally};
use super::error::IntoPy;
use super::run::threads;
use crate::core::dense::{pair_counts, tally, Matrix, Missing, Rating, Run, Trouble};
use crate::core::tally::check_length;

/// How to count.
pub(super) struct Options<'a> {
    pub pools: Option<Vec<u32>>,
    pub mask: Option<&'a [bool]>,
    pub missing: Vec<f64>,
    pub estimate_only: bool,
    pub n_threads: Option<usize>,
}

/// Counts and the domain, or nothing where the data do not fit.
pub(super) type Counted<'py> = Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Counts the patterns of an array, or of a list of columns, of any number type.
pub(super) fn count<'py>(values: &Bound<'py, PyAny>, options: &Options) -> PyResult<Counted<'py>> {
    let first = match values.cast::<PyList>() {
        Ok(columns) => columns.get_item(0)?,
        Err(_) => values.clone(),
    };
    let dtype = first.cast::<PyUntypedArray>()?.dtype();
    match (dtype.kind(), dtype.itemsize()) {
        (b'f', 8) => count_as::<f64>(values, options),
        (b'i', 1) => count_as::<i8>(values, options),
        (b'i', 2) => count_as::<i16>(values, options),
        (b'i', 4) => count_as::<i32>(values, options),
        (b'i', 8) => count_as::<i64>(values, options),
        (b'u', 1) => count_as::<u8>(values, options),
        (b'u', 2) => count_as::<u16>(values, options),
        (b'u', 4) => count_as::<u32>(values, options),
        (b'u', 8) => count_as::<u64>(values, options),
        _ => Err(PyTypeError::new_err(format!("no numbers to count: {dtype}"))),
    }
}

fn count_as<'py, T: Rating + Element + FromF64>(
    values: &Bound<'py, PyAny>,
    options: &Options,
) -> PyResult<Counted<'py>> {
    if let Ok(columns) = values.cast::<PyList>() {
        let arrays = columns.iter().map(|column| column.extract::<PyReadonlyArray1<'py, T>>());
        let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
        let slices = arrays.iter().map(super::convert::slice).collect::<PyResult<Vec<_>>>()?;
        return count_matrix(values.py(), Matrix::Columns(&slices), options);
    }
    let array = values.extract::<PyReadonlyArray2<'py, T>>()?;
    let (n_rows, n_columns) = array.as_array().dim();
    if array.is_c_contiguous() || n_columns == 0 {
        return count_matrix(values.py(), Matrix::Rows(array.as_slice()?, n_columns), options);
    }
    if array.is_fortran_contiguous() && n_rows > 0 {
        let columns: Vec<&[T]> = array.as_slice()?.chunks_exact(n_rows).collect();
        return count_matrix(values.py(), Matrix::Columns(&columns), options);
    }
    let rows: Vec<T> = array.as_array().iter().copied().collect();
    count_matrix(values.py(), Matrix::Rows(&rows, n_columns), options)
}

/// Stays attached, so that no other Python thread can change the array meanwhile; looks for signals now and then.
fn count_matrix<'py, T: Rating + Element + FromF64>(
    py: Python<'py>,
    matrix: Matrix<T>,
    options: &Options,
) -> PyResult<Counted<'py>> {
    let signal = RefCell::new(None);
    let keep_going = || {
        *signal.borrow_mut() = py.check_signals().err();
        signal.borrow().is_none()
    };
    let one_pool = vec![0; matrix.n_columns()];
    let pools = options.pools.as_ref().unwrap_or(&one_pool);
    check_length("pools", pools.len(), matrix.n_columns()).into_py()?;
    let n_cells = matrix.n_rows() * matrix.n_columns();
    check_length("mask", options.mask.map_or(n_cells, <[bool]>::len), n_cells).into_py()?;
    let missing_values: Vec<T> = options.missing.iter().filter_map(|&value| T::from_f64(value)).collect();
    let missing = Missing { values: &missing_values, mask: options.mask };
    let n_threads = threads(options.n_threads)?;
    let run = Run { n_threads, keep_going: &keep_going, refuse_many_patterns: options.estimate_only };
    let counted = match tally(matrix, pools, missing, &run) {
        Ok((tally, domain)) => Ok((Tally(tally).into_pyobject(py)?.into_any(), domain)),
        Err(Trouble::ManyPatterns) => match pair_counts(matrix, missing, &run) {
            Ok((counts, domain)) => Ok((PairCounts(counts).into_pyobject(py)?.into_any(), domain)),
            Err(trouble) => Err(trouble),
        },
        Err(trouble) => Err(trouble),
    };
    if let Some(signal) = signal.take() {
        return Err(signal);
    }
    match counted {
        Ok((counts, domain)) => Ok(Some((counts, PyArray1::from_vec(py, domain).into_any()))),
        Err(Trouble::Error(error)) => Err(error).into_py(),
        Err(_) => Ok(None),
    }
}

/// A number of the array's type that equals a Python number, if there is one.
trait FromF64: Sized {
    fn from_f64(value: f64) -> Option<Self>;
}

macro_rules! from_f64 {
    ($($t:ty),*) => {$(
        impl FromF64 for $t {
            fn from_f64(value: f64) -> Option<$t> {
                let cast = value as $t;
                (cast as f64 == value).then_some(cast)
            }
        }
    )*};
}
from_f64!(f64, i8, i16, i32, i64, u8, u16, u32, u64);
