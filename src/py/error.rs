//! Errors of the core as the package's own exceptions.

use pyo3::import_exception;
use pyo3::prelude::*;

use crate::core::Error;

import_exception!(kappax.errors, KappaxError);
import_exception!(kappax.errors, LevelError);
import_exception!(kappax.errors, RatingsError);

/// Ends with a Python exception where the core ends with an error.
pub(super) trait IntoPy<T> {
    fn into_py(self) -> PyResult<T>;
}

impl<T> IntoPy<T> for Result<T, Error> {
    fn into_py(self) -> PyResult<T> {
        self.map_err(|error| {
            let words = error.to_string();
            match error {
                Error::Length { .. }
                | Error::Code { .. }
                | Error::TooMany
                | Error::TooManyPairs
                | Error::Shape { .. }
                | Error::Bytes(_) => RatingsError::new_err(words),
                Error::Level { .. } => LevelError::new_err(words),
                Error::Coefficient { .. } | Error::Stopped => KappaxError::new_err(words),
            }
        })
    }
}
