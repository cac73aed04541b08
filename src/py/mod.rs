//! The Python module `kappax._core`: arrays across, words back, no arithmetic.

mod convert;
mod counting;
mod error;
mod run;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use numpy::{PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    use super::convert;
    use super::counting;
    use super::error::IntoPy;
    use super::run::{self, caught, Options};
    use crate::core::coefficient::{self, Analysis, Crossed, Draws, Wish};
    use crate::core::interval::Evidence;
    use crate::core::random::{Multinomial, Stream};
    use crate::core::resample::{clusters, Jackknife};
    use crate::core::{interval as intervals, means, slices, Watch};

    /// A level of measurement, ready for a domain.
    #[pyclass(frozen, module = "kappax._core")]
    pub(super) struct Level(crate::core::Level);

    #[pymethods]
    impl Level {
        #[new]
        #[pyo3(signature = (word, *, values=None, matrix=None, period=None, limits=None))]
        fn new(
            word: &str,
            values: Option<PyReadonlyArray1<'_, f64>>,
            matrix: Option<PyReadonlyArray2<'_, f64>>,
            period: Option<f64>,
            limits: Option<(f64, f64)>,
        ) -> PyResult<Self> {
            let values = values.map(|values| values.as_array().to_vec());
            let matrix = matrix.map(|matrix| convert::rows(&matrix).into_owned());
            convert::level(word, values, matrix, period, limits).map(Level)
        }
    }

    /// Distinct patterns in canonical order, each with the number of units that show it.
    #[pyclass(frozen, eq, module = "kappax._core")]
    #[derive(PartialEq)]
    pub(super) struct Tally(pub(super) crate::core::Tally);

    #[pymethods]
    impl Tally {
        /// From one entry a rating, in any order.
        #[staticmethod]
        #[pyo3(signature = (unit, pool, value, count, n_units, n_pools, n_values))]
        fn from_long(
            unit: PyReadonlyArray1<'_, i64>,
            pool: PyReadonlyArray1<'_, u32>,
            value: PyReadonlyArray1<'_, u32>,
            count: Option<PyReadonlyArray1<'_, u64>>,
            n_units: usize,
            n_pools: usize,
            n_values: usize,
        ) -> PyResult<Self> {
            let count = count.as_ref().map(convert::slice).transpose()?;
            let (unit, pool, value) = (convert::slice(&unit)?, convert::slice(&pool)?, convert::slice(&value)?);
            let sizes = (n_units, n_pools, n_values);
            crate::core::Tally::from_long(unit, pool, value, count, sizes).map(Tally).into_py()
        }

        /// From value codes, units x raters, -1 for missing; one pool.
        #[staticmethod]
        fn from_matrix(codes: PyReadonlyArray2<'_, i32>, n_values: usize) -> PyResult<Self> {
            let n_raters = codes.as_array().ncols();
            let codes = convert::rows(&codes);
            crate::core::Tally::from_matrix(&codes, n_raters, n_values).map(Tally).into_py()
        }

        /// From counts, patterns x pools x values, and how many units show each.
        #[staticmethod]
        fn from_patterns(
            patterns: PyReadonlyArray3<'_, u32>,
            multiplicity: PyReadonlyArray1<'_, u64>,
        ) -> PyResult<Self> {
            let (_, n_pools, n_values) = patterns.as_array().dim();
            let counts: Vec<u32> = patterns.as_array().iter().copied().collect();
            let multiplicity = convert::slice(&multiplicity)?;
            crate::core::Tally::from_patterns(&counts, multiplicity, n_pools, n_values).map(Tally).into_py()
        }

        /// From counts, units x pools x values.
        #[staticmethod]
        fn from_counts(counts: PyReadonlyArray3<'_, u32>) -> PyResult<Self> {
            let (n_units, n_pools, n_values) = counts.as_array().dim();
            let counts: Vec<u32> = counts.as_array().iter().copied().collect();
            crate::core::Tally::from_patterns(&counts, &vec![1; n_units], n_pools, n_values).map(Tally).into_py()
        }

        /// Counts of every pattern, patterns x pools x values.
        fn patterns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u32>>> {
            convert::patterns(py, &self.0)
        }

        /// How many units show each pattern.
        fn multiplicity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
            PyArray1::from_slice(py, self.0.multiplicity())
        }

        #[getter]
        fn n_units(&self) -> u64 {
            self.0.n_units()
        }

        #[getter]
        fn n_patterns(&self) -> usize {
            self.0.n_patterns()
        }

        #[getter]
        fn n_pools(&self) -> usize {
            self.0.n_pools()
        }

        #[getter]
        fn n_values(&self) -> usize {
            self.0.n_values()
        }

        /// The units of both.
        fn merge(&self, other: &Self) -> PyResult<Self> {
            self.0.merge(&other.0).map(Tally).into_py()
        }

        /// Value v under the code `codes[v]`.
        fn map_values(&self, codes: PyReadonlyArray1<'_, u32>, n_values: usize) -> PyResult<Self> {
            self.0.map_values(convert::slice(&codes)?, n_values).map(Tally).into_py()
        }

        /// Pool g put into pool `codes[g]`, or left out where that is 2**32 - 1.
        fn map_pools(&self, codes: PyReadonlyArray1<'_, u32>, n_pools: usize) -> PyResult<Self> {
            self.0.map_pools(convert::slice(&codes)?, n_pools).map(Tally).into_py()
        }

        /// The units that every one of these pools rated.
        fn shared(&self, pools: Vec<u32>) -> Self {
            Tally(self.0.shared(&pools))
        }

        /// The largest number of ratings of one unit.
        #[getter]
        fn most_ratings(&self) -> u64 {
            self.0.most_ratings()
        }

        /// Number of ratings of each value in each pool.
        fn values_used<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
            convert::matrix(py, self.0.values_used(), self.0.n_values())
        }

        fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
            PyBytes::new(py, &self.0.to_bytes())
        }

        #[staticmethod]
        fn from_bytes(data: &[u8]) -> PyResult<Self> {
            crate::core::Tally::from_bytes(data).map(Tally).into_py()
        }
    }

    /// The clusters that units come in, such as the documents that sentences are from.
    #[pyclass(frozen, module = "kappax._core")]
    pub(super) struct Clusters(Vec<crate::core::Tally>);

    #[pymethods]
    impl Clusters {
        /// From the cluster of each unit, and one entry a rating as for a tally.
        #[staticmethod]
        #[pyo3(signature = (cluster, unit, pool, value, count, n_clusters, n_pools, n_values))]
        #[expect(clippy::too_many_arguments, reason = "columns and their sizes")]
        fn from_long(
            cluster: PyReadonlyArray1<'_, i64>,
            unit: PyReadonlyArray1<'_, i64>,
            pool: PyReadonlyArray1<'_, u32>,
            value: PyReadonlyArray1<'_, u32>,
            count: Option<PyReadonlyArray1<'_, u64>>,
            n_clusters: usize,
            n_pools: usize,
            n_values: usize,
        ) -> PyResult<Self> {
            let count = count.as_ref().map(convert::slice).transpose()?;
            let ratings = (convert::slice(&unit)?, convert::slice(&pool)?, convert::slice(&value)?);
            let sizes = (n_clusters, n_pools, n_values);
            caught(|| clusters(convert::slice(&cluster)?, ratings, count, sizes).into_py())?.map(Clusters)
        }
    }

    /// Pairs of values inside units, counted by the number of ratings in a unit: enough for estimates of one pool.
    #[pyclass(frozen, module = "kappax._core")]
    pub(super) struct PairCounts(pub(super) coefficient::PairCounts);

    #[pymethods]
    impl PairCounts {
        #[getter]
        fn n_units(&self) -> u64 {
            self.0.n_units()
        }

        /// A coefficient of one pool, without replicates.
        fn estimate(&self, py: Python<'_>, coefficient: &str, level: &Level) -> PyResult<Outcome> {
            let coefficient = convert::coefficient(coefficient, &[0], 0.0)?;
            let outcome = self.0.estimate(&coefficient, &level.0, &Watch::default()).into_py()?;
            Ok(Outcome::new(py, outcome, &Draws::default()))
        }
    }

    /// Counts of a matrix of numbers, or of a list of columns, and the sorted domain; None where there are too many
    /// values or raters for it.
    #[pyfunction]
    #[pyo3(signature = (values, *, pools=None, mask=None, missing=vec![], estimate_only=false, n_threads=None))]
    fn count<'py>(
        values: &Bound<'py, PyAny>,
        pools: Option<Vec<u32>>,
        mask: Option<PyReadonlyArray2<'py, bool>>,
        missing: Vec<f64>,
        estimate_only: bool,
        n_threads: Option<usize>,
    ) -> PyResult<counting::Counted<'py>> {
        let mask = mask.as_ref().map(convert::rows);
        let options = counting::Options { pools, mask: mask.as_deref(), missing, estimate_only, n_threads };
        counting::count(values, &options)
    }

    /// One coefficient: the estimate, its two disagreements, sizes, the jackknife, and replicates.
    #[pyclass(frozen, get_all, module = "kappax._core")]
    pub(super) struct Outcome {
        estimate: f64,
        observed: f64,
        expected: f64,
        n_units: u64,
        n_pairable: u64,
        reason: Option<&'static str>,
        /// Standard error and acceleration; None where leaving out units would take long.
        jackknife: Option<(f64, f64)>,
        replicates: Option<Py<PyArray1<f64>>>,
        errors: Option<Py<PyArray1<f64>>>,
    }

    /// Coefficients of a tally, at one level or each at its own, all on the same resamples.
    #[pyfunction]
    #[pyo3(signature = (tally, coefficients, levels, *, n_resamples=0, seed=0, method="percentile", clusters=None,
                        pool_of_rater=None, units=true, n_threads=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only in Python")]
    fn analyse(
        py: Python<'_>,
        tally: &Tally,
        coefficients: Vec<(String, Vec<u32>, f64)>,
        levels: Vec<PyRef<'_, Level>>,
        n_resamples: usize,
        seed: u64,
        method: &str,
        clusters: Option<&Clusters>,
        pool_of_rater: Option<Vec<u32>>,
        units: bool,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Outcome>> {
        let levels: Vec<_> = levels.iter().map(|level| level.0.clone()).collect();
        let coefficients = convert::coefficients(&coefficients)?;
        let tally = &tally.0;
        let draws = Draws::new(n_resamples, seed, convert::method(method)?, Wish::IfCheap);
        let options = Options::new(n_threads, progress, n_resamples as u64)?;
        let work = run::steps(tally, &coefficients, n_resamples);
        let job = |watch: &Watch, n_threads: usize| {
            let clusters = clusters.map(|clusters| clusters.0.as_slice());
            match &pool_of_rater {
                None => Analysis::new(tally, &coefficients, &levels, clusters, n_threads, watch)?
                    .run(&draws, n_threads, watch),
                Some(pools) => Crossed::new(tally, pools, &coefficients, &levels, (units, clusters), watch)?
                    .run(&draws, n_threads, watch),
            }
        };
        let outcomes = run::run(py, work, &options, job)?;
        Ok(outcomes.into_iter().map(|outcome| Outcome::new(py, outcome, &draws)).collect())
    }

    impl Outcome {
        fn new(py: Python<'_>, outcome: coefficient::Outcome, draws: &Draws) -> Outcome {
            let array = |numbers, wanted: bool| wanted.then(|| PyArray1::from_vec(py, numbers).unbind());
            Outcome {
                estimate: outcome.estimate.unwrap_or(f64::NAN),
                observed: outcome.observed,
                expected: outcome.expected,
                n_units: outcome.n_units,
                n_pairable: outcome.n_pairable,
                reason: outcome.estimate.err().map(convert::reason),
                jackknife: outcome.jackknife.map(|jackknife| (jackknife.standard_error, jackknife.acceleration)),
                replicates: array(outcome.replicates, draws.n_resamples > 0),
                errors: array(outcome.errors, draws.with_errors),
            }
        }
    }

    /// Coefficients of many slices: columns of numbers, slice after slice and coefficient after coefficient, and reasons.
    #[pyfunction]
    #[pyo3(signature = (slices, coefficients, level, *, jointly=false, of_raters=false, own_values=true, n_resamples=0, seed=0,
                        confidence_level=0.95, method="percentile", alternative="two-sided", n_threads=None,
                        progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only in Python")]
    fn analyse_slices<'py>(
        py: Python<'py>,
        slices: convert::SlicesOf<'py>,
        coefficients: Vec<(String, Vec<u32>, f64)>,
        level: &Level,
        jointly: bool,
        of_raters: bool,
        own_values: bool,
        n_resamples: usize,
        seed: u64,
        confidence_level: f64,
        method: &str,
        alternative: &str,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Matrix<'py>, Vec<Option<&'static str>>)> {
        let method = convert::method(method)?;
        let level = &level.0;
        let asked = slices::Asked {
            coefficients: convert::coefficients(&coefficients)?,
            jointly,
            of_raters,
            own_values,
            draws: Draws::new(n_resamples, seed, method, Wish::No),
            interval: (confidence_level, method, convert::side(alternative)?),
        };
        let slices = slices.copied()?;
        let options = Options::new(n_threads, progress, slices.n_slices as u64)?;
        let rows = run::run(py, u64::MAX, &options, |watch, n_threads| {
            slices::analyse(&slices.borrowed(), level, &asked, n_threads, watch)
        })?;
        let reasons = rows.iter().map(|row| row.outcome.estimate.err().map(convert::reason)).collect();
        Ok((convert::rows_of_slices(py, &rows)?, reasons))
    }

    /// Alpha of a tally of one pool where pairs of ratings are drawn as in one of the two older bootstraps.
    #[pyfunction]
    #[pyo3(signature = (tally, level, pairing, n_resamples, seed, *, n_threads=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "called with words in Python")]
    fn alpha_of_pairs<'py>(
        py: Python<'py>,
        tally: &Tally,
        level: &Level,
        pairing: &str,
        n_resamples: usize,
        seed: u64,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (tally, level, pairing) = (&tally.0, &level.0, convert::pairing(pairing)?);
        let options = Options::new(n_threads, progress, n_resamples as u64)?;
        let work = tally.n_ratings().saturating_mul(n_resamples as u64).saturating_mul(16);
        let draws = (n_resamples, seed);
        let alphas = run::run(py, work, &options, |watch, n_threads| {
            coefficient::alpha_of_pairs(tally, level, pairing, draws, n_threads, watch)
        })?;
        Ok(PyArray1::from_vec(py, alphas))
    }

    /// The last of some coefficients on permutations of ratings within raters, or of raters between pools 0 and 1; and
    /// whether these are all permutations that there are.
    #[pyfunction]
    #[pyo3(signature = (tally, pool_of_rater, permuted, coefficients, levels, *, n_permutations, seed, n_threads=None,
                        progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword-only in Python")]
    fn permute<'py>(
        py: Python<'py>,
        tally: &Tally,
        pool_of_rater: Vec<u32>,
        permuted: &str,
        coefficients: Vec<(String, Vec<u32>, f64)>,
        levels: Vec<PyRef<'_, Level>>,
        n_permutations: usize,
        seed: u64,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, bool)> {
        let levels: Vec<_> = levels.iter().map(|level| level.0.clone()).collect();
        let (permuted, coefficients) = (convert::permuted(permuted)?, convert::coefficients(&coefficients)?);
        let tally = &tally.0;
        let options = Options::new(n_threads, progress, n_permutations as u64)?;
        let work = run::steps(tally, &coefficients, n_permutations);
        let found = run::run(py, work, &options, |watch, n_threads| {
            let (data, statistic) = ((tally, pool_of_rater.as_slice()), (coefficients.as_slice(), levels.as_slice()));
            coefficient::permute(data, permuted, statistic, (n_permutations, seed), n_threads, watch)
        })?;
        Ok((PyArray1::from_vec(py, found.values), found.is_exact))
    }

    /// Observed and expected coincidences of a tally of one pool, each values x values.
    #[pyfunction]
    fn coincidences<'py>(py: Python<'py>, tally: &Tally) -> PyResult<(Matrix<'py>, Matrix<'py>)> {
        let n_values = tally.0.n_values();
        let found = py.detach(|| coefficient::coincidences(&tally.0));
        Ok((convert::matrix(py, found.observed, n_values)?, convert::matrix(py, found.expected, n_values)?))
    }

    type Matrix<'py> = Bound<'py, PyArray2<f64>>;

    /// Codes of numbers (-1 for NaN) and the sorted distinct numbers.
    #[pyfunction]
    fn encode<'py>(values: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        convert::encode(values)
    }

    /// Limits of a confidence interval, how many replicates they rest on, and what they lack.
    #[pyfunction]
    #[pyo3(signature = (replicates, confidence_level, method, *, alternative="two-sided", estimate=f64::NAN, errors=None,
                        jackknife=(f64::NAN, f64::NAN)))]
    fn interval(
        replicates: PyReadonlyArray1<'_, f64>,
        confidence_level: f64,
        method: &str,
        alternative: &str,
        estimate: f64,
        errors: Option<PyReadonlyArray1<'_, f64>>,
        jackknife: (f64, f64),
    ) -> PyResult<(f64, f64, usize, Option<&'static str>)> {
        let evidence = Evidence {
            estimate,
            replicates: convert::slice(&replicates)?,
            errors: errors.as_ref().map(convert::slice).transpose()?.unwrap_or_default(),
            jackknife: Jackknife { standard_error: jackknife.0, acceleration: jackknife.1 },
        };
        let (method, side) = (convert::method(method)?, convert::side(alternative)?);
        let interval = intervals::interval(&evidence, confidence_level, method, side);
        Ok((interval.low, interval.high, interval.n_used, interval.lacking.map(convert::lacking)))
    }

    /// Standard deviation of the replicates that are defined.
    #[pyfunction]
    fn standard_error(replicates: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        Ok(intervals::standard_error(convert::slice(&replicates)?))
    }

    /// Pearson's correlation of the unit means of pools 0 and 1.
    #[pyfunction]
    fn mean_correlation(tally: &Tally, values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        Ok(means::mean_correlation(&tally.0, convert::slice(&values)?))
    }

    /// Reliability ICC(1, k) of the unit means of a tally of one pool.
    #[pyfunction]
    fn one_way(tally: &Tally, values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        Ok(means::one_way(&tally.0, convert::slice(&values)?))
    }

    /// Cronbach's alpha of a tally of one pool a rater, over units that all raters rated.
    #[pyfunction]
    fn cronbach(tally: &Tally, values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        Ok(means::cronbach(&tally.0, convert::slice(&values)?))
    }

    /// Correlations of the means of random halves.
    #[pyfunction]
    #[pyo3(signature = (tally, values, n_halvings, seed, *, n_threads=None, progress=None))]
    fn half_correlations<'py>(
        py: Python<'py>,
        tally: &Tally,
        values: PyReadonlyArray1<'_, f64>,
        n_halvings: usize,
        seed: u64,
        n_threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (tally, values) = (&tally.0, convert::slice(&values)?.to_vec());
        let options = Options::new(n_threads, progress, n_halvings as u64)?;
        let work = tally.n_ratings().saturating_mul(n_halvings as u64).saturating_mul(16);
        let correlations = run::run(py, work, &options, |watch, n_threads| {
            means::half_correlations(tally, &values, n_halvings, seed, n_threads, watch)
        })?;
        Ok(PyArray1::from_vec(py, correlations))
    }

    /// The first n words of a stream.
    #[pyfunction]
    fn philox_words(py: Python<'_>, seed: u64, purpose: u64, replicate: u64, n: usize) -> Bound<'_, PyArray1<u64>> {
        let mut stream = Stream::new(seed, purpose, replicate);
        PyArray1::from_iter(py, (0..n).map(|_| stream.word()))
    }

    /// The multiplicities of one resample.
    #[pyfunction]
    fn resample<'py>(
        py: Python<'py>,
        multiplicity: PyReadonlyArray1<'_, u64>,
        seed: u64,
        purpose: u64,
        replicate: u64,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let multiplicity = convert::slice(&multiplicity)?;
        let mut drawn = vec![0; multiplicity.len()];
        Multinomial::new(multiplicity).draw(&mut Stream::new(seed, purpose, replicate), &mut drawn);
        Ok(PyArray1::from_vec(py, drawn))
    }

    /// Binomial(n, a/c) numbers, one after the other from one stream.
    #[pyfunction]
    #[pyo3(signature = (n, a, c, seed, purpose, replicate, size))]
    #[expect(clippy::too_many_arguments, reason = "for tests of the stream")]
    fn binomial(
        py: Python<'_>,
        n: u64,
        a: u64,
        c: u64,
        seed: u64,
        purpose: u64,
        replicate: u64,
        size: usize,
    ) -> PyResult<Bound<'_, PyArray1<u64>>> {
        convert::check_share(a, c)?;
        let mut stream = Stream::new(seed, purpose, replicate);
        Ok(PyArray1::from_iter(py, (0..size).map(|_| stream.binomial(n, a, c))))
    }

    /// A run of integers in 0..n from one stream.
    #[pyfunction]
    fn bounded(
        py: Python<'_>,
        n: u64,
        seed: u64,
        purpose: u64,
        replicate: u64,
        size: usize,
    ) -> PyResult<Bound<'_, PyArray1<u64>>> {
        convert::check_share(1, n)?;
        let mut stream = Stream::new(seed, purpose, replicate);
        let mut run = stream.bounded(n);
        Ok(PyArray1::from_iter(py, (0..size).map(|_| run.draw())))
    }
}
