//! Runs replicates on threads. Replicate b depends on b alone, so neither threads nor batches show in the result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::core::Error;

/// How a caller watches a run from outside, and stops it.
#[derive(Debug, Default)]
pub struct Watch {
    stopped: AtomicBool,
    done: AtomicU64,
}

impl Watch {
    /// Asks the run to end soon; what it returns then is an error.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Counts what has been done.
    pub(crate) fn count(&self, n: u64) {
        self.done.fetch_add(n, Ordering::Relaxed);
    }

    /// Replicates (or slices) done so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// An error if the run was asked to end.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_stopped() {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}

/// Replicates that share one scratch space and one task.
const BATCH: usize = 32;

/// Fills `table`, `width` numbers a replicate, by `work(scratch, replicate, numbers)`.
pub fn replicates<S>(
    table: &mut [f64],
    width: usize,
    n_threads: usize,
    watch: &Watch,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, u64, &mut [f64]) + Sync,
) -> Result<(), Error> {
    if width == 0 || table.is_empty() {
        return watch.check();
    }
    let run_batch = |(batch, rows): (usize, &mut [f64])| {
        let mut scratch = scratch();
        for (i, row) in rows.chunks_mut(width).enumerate() {
            if watch.is_stopped() {
                return;
            }
            work(&mut scratch, (batch * BATCH + i) as u64, row);
            watch.count(1);
        }
    };
    with_threads(n_threads, || table.par_chunks_mut(width * BATCH).enumerate().for_each(run_batch));
    watch.check()
}

/// Does parallel work on so many threads.
///
/// With one thread everything happens on the calling thread (there too where no other can be had); else on a pool made
/// for this call, since a pool that outlives a call deadlocks after a fork.
pub fn with_threads<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let builder = rayon::ThreadPoolBuilder::new();
    let pool = if n_threads > 1 { builder.num_threads(n_threads).build().ok() } else { None };
    match pool.or_else(|| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_do_not_show() {
        let run = |n_threads| {
            let mut table = vec![0.0; 3 * 1000];
            let work = |count: &mut u64, b: u64, row: &mut [f64]| {
                *count += 1;
                row.copy_from_slice(&[b as f64, 2.0 * b as f64, -1.0]);
            };
            replicates(&mut table, 3, n_threads, &Watch::default(), || 0, work).unwrap();
            table
        };
        assert_eq!(run(1), run(4));
        assert_eq!(run(1)[3 * 999 + 1], 1998.0);
    }

    #[test]
    fn a_stopped_run_is_an_error() {
        let watch = Watch::default();
        watch.stop();
        let run = replicates(&mut [0.0; 8], 1, 2, &watch, || (), |(), _, row| row[0] = 1.0);
        assert_eq!(run, Err(Error::Stopped));
    }
}
