//! The one door from Python into long work: detached, on other threads, while the calling thread keeps checking for
//! signals and reports progress.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use super::error::{IntoPy, KappaxError};
use crate::core::{Coefficient, Error, Tally, Watch};

/// How often the calling thread looks up.
const LOOK_UP: Duration = Duration::from_millis(25);

/// Below this number of elementary steps (about a millisecond) a thread costs more than it gives.
const WORTH_A_THREAD: u64 = 1 << 19;

/// Who works and who is told.
pub(super) struct Options {
    n_threads: usize,
    progress: Option<Py<PyAny>>,
    total: u64,
}

impl Options {
    pub(super) fn new(n_threads: Option<usize>, progress: Option<Py<PyAny>>, total: u64) -> PyResult<Options> {
        Ok(Options { n_threads: threads(n_threads)?, progress, total })
    }

    fn report(&self, py: Python<'_>, done: u64) -> PyResult<()> {
        if let Some(progress) = &self.progress {
            progress.call1(py, (done, self.total))?;
        }
        Ok(())
    }
}

/// Number of cores; asking the system takes longer than a small call.
static CORES: OnceLock<usize> = OnceLock::new();

/// The number of threads asked for, by default one for each core.
pub(super) fn threads(n_threads: Option<usize>) -> PyResult<usize> {
    match n_threads {
        Some(0) => Err(KappaxError::new_err("n_threads must be at least 1: 0")),
        Some(n) => Ok(n),
        None => Ok(*CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))),
    }
}

/// A bound on the steps of an analysis: for each coefficient computed from units, a walk over the patterns, pairs of
/// values inside units, and pairs of values of the domain.
pub(super) fn steps(tally: &Tally, coefficients: &[Coefficient], n_resamples: usize) -> u64 {
    let [patterns, cells, values] = [tally.n_patterns(), tally.n_cells(), tally.n_values()].map(|n| n as u64);
    let a_part = (16 * patterns).saturating_add((cells + values).saturating_mul(values));
    let n_parts = coefficients.iter().map(Coefficient::n_parts).sum::<u64>();
    a_part.saturating_mul(n_parts).saturating_mul(n_resamples as u64 + 1)
}

/// Runs a job of about `work` steps. A signal handler or a progress callback that raises stops it with its exception.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    work: u64,
    options: &Options,
    job: impl FnOnce(&Watch, usize) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let result = if work < WORTH_A_THREAD {
        py.detach(|| caught(|| job(&watch, 1)))
    } else {
        py.detach(|| watched(&watch, options, || caught(|| job(&watch, options.n_threads))))?
    };
    let result = result?.into_py()?;
    options.report(py, watch.done())?;
    Ok(result)
}

/// Runs the job on a thread of its own and looks after it; the outer error is the watcher's.
fn watched<T: Send>(
    watch: &Watch,
    options: &Options,
    job: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<PyResult<T>> {
    thread::scope(|scope| {
        let (finished, wait) = channel::<()>();
        let worker = scope.spawn(move || {
            let _finished = finished; // dropped at the end, whatever the end
            job()
        });
        let mut trouble = Ok(());
        while wait.recv_timeout(LOOK_UP) == Err(RecvTimeoutError::Timeout) {
            if trouble.is_ok() {
                trouble = Python::attach(|py| {
                    py.check_signals()?;
                    options.report(py, watch.done())
                });
                if trouble.is_err() {
                    watch.stop();
                }
            }
        }
        let result = worker.join().unwrap_or_else(|_| Err(KappaxError::new_err(BROKEN)));
        trouble.map(|()| result)
    })
}

const BROKEN: &str = "an internal check failed; please report this with the data that led to it";

/// A panic would escape `except Exception`; it is a defect, but the caller's program should live on.
pub(super) fn caught<T>(job: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|_| KappaxError::new_err(BROKEN))
}
