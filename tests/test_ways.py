"""Where an input can take two ways, both give the same bits: ways in, patterns or pair counts, few or many values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappax as kx
from kappax import _core
from kappax import reference as ref
from test_twin import is_near, is_near_in_ulps

ONE_POOL = [
    kx.krippendorff_alpha,
    kx.fleiss_kappa,
    kx.percent_agreement,
    kx.gwet_ac,
    kx.brennan_prediger,
]
B = 4
SEED = 22  # of three units, its first resample is one of them three times


def simulated(n_units, n_raters, n_values, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_values, n_units)
    table = np.where(
        rng.random((n_units, n_raters)) < 0.7, truth[:, None], rng.integers(0, n_values, (n_units, n_raters))
    )
    table = table.astype(float)
    table[rng.random(table.shape) < 0.1] = np.nan
    return table


def key(e):
    return np.array([e.estimate, e.observed, e.expected, e.n_units, e.n_pairable, e.n_dropped]).tobytes(), e.domain


# Patterns or pair counts

MANY_PATTERNS = simulated(70_000, 20, 10)


def test_many_patterns_are_counted_as_pairs():
    counts, _ = _core.count(MANY_PATTERNS, estimate_only=True)
    assert isinstance(counts, _core.PairCounts)
    assert counts.n_units == 70_000


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio", "linear", "radical"])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["rows", "columns"])
def test_pair_counts_give_what_patterns_give(level, layout):
    tally = kx.Ratings.from_matrix(MANY_PATTERNS).tally()
    for coefficient in ONE_POOL:
        assert key(coefficient(layout(MANY_PATTERNS), level)) == key(coefficient(tally, level))


# The short way in, through slots and keys, and the long one, through codes

DTYPES = ["float64", "float32", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"]
shapes = st.tuples(st.integers(1, 12), st.integers(1, 6))


@st.composite
def arrays(draw):
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    n_units, n_raters = draw(shapes)
    if dtype.kind == "f":
        value = st.one_of(
            st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5, 1e9, -300.0, 7.0, math.nan]), st.integers(-500, 500)
        )
    elif dtype.kind == "b":
        value = st.booleans()
    else:
        info = np.iinfo(dtype)
        value = st.one_of(st.integers(0, 5), st.sampled_from([info.min, info.max]))
    cells = draw(st.lists(value, min_size=n_units * n_raters, max_size=n_units * n_raters))
    array = np.array(cells, dtype=dtype).reshape(n_units, n_raters)
    return draw(st.sampled_from([array, np.asfortranarray(array), np.repeat(array, 2, axis=1)[:, ::2]]))


@given(array=arrays(), data=st.data())
def test_short_and_long_way_in(array, data):
    if data.draw(st.booleans()):
        hidden = data.draw(st.lists(st.booleans(), min_size=array.size, max_size=array.size))
        array = np.ma.masked_array(array, mask=np.reshape(hidden, array.shape))
    long_way = kx.Ratings.from_matrix(array)
    for by in (None, "rater"):
        short = kx.ratings.as_tally(array, by)
        expected = long_way.tally(by)
        assert short == expected
        assert list(map(type, short.domain)) == list(map(type, expected.domain))
        assert short.n_raters == expected.n_raters


@pytest.mark.parametrize("n_values", [2, 7, 20, 249, 251, 5000])
@pytest.mark.parametrize("step", [1.0, 0.1], ids=["whole", "tenths"])
@pytest.mark.parametrize("n_raters", [1, 3, 9])
def test_more_rows_than_a_chunk_and_more_values_than_slots(n_values, step, n_raters):
    rng = np.random.default_rng(n_values)
    array = rng.integers(0, n_values, (70_000, n_raters)) * step
    assert kx.ratings.as_tally(array, None) == kx.Ratings.from_matrix(array).tally()
    assert kx.ratings.as_tally(array, "rater") == kx.Ratings.from_matrix(array).tally("rater")


def test_vectors_and_pairs_of_arrays():
    table = simulated(500, 4, 5)
    ci = kx.Bootstrap(50, seed=1)
    short = kx.cohen_kappa(table[:, 0], table[:, 1], "ordinal", ci=ci)
    long_way = kx.cohen_kappa(table[:, 0].tolist(), table[:, 1].tolist(), "ordinal", ci=ci)
    assert key(short) == key(long_way)
    assert short.replicates.tobytes() == long_way.replicates.tobytes()
    short = kx.cross_kappa(table[:, :3], table[:, 3:], "ordinal", ci=ci)
    long_way = kx.cross_kappa(table[:, :3].tolist(), table[:, 3:].tolist(), "ordinal", ci=ci)
    assert key(short) == key(long_way)
    assert short.replicates.tobytes() == long_way.replicates.tobytes()


def test_bools_are_not_taken_for_bytes_nor_bytes_for_bools():
    bools = np.array([True, False, True, True, False, True])
    numbers = np.array([1, 0, 2, 1, 3, 7], dtype=np.uint8)
    for x, y in ((bools, numbers), (numbers, bools)):
        assert key(kx.cohen_kappa(x, y, "interval")) == key(kx.cohen_kappa(x.tolist(), y.tolist(), "interval"))
        x, y = x.reshape(3, 2), y.reshape(3, 2)  # noqa: PLW2901 - the same ratings as matrices
        assert key(kx.cross_kappa(x, y, "interval")) == key(kx.cross_kappa(x.tolist(), y.tolist(), "interval"))
    bytes_of_bools = bools.view(np.uint8)  # its base is an array of bools
    assert kx.cohen_kappa(bytes_of_bools, bytes_of_bools).domain == (0, 1)
    assert list(map(type, kx.krippendorff_alpha(bytes_of_bools.reshape(3, 2)).domain)) == [int, int]
    assert list(map(type, kx.krippendorff_alpha(bools.reshape(3, 2)).domain)) == [bool, bool]


@given(st.lists(st.one_of(st.floats(allow_nan=True, allow_infinity=False)), min_size=1, max_size=50))
def test_codes_are_places_among_the_distinct(values):
    repeated = np.tile(np.array(values), 200)
    wide = np.concatenate([repeated, np.arange(5000) / 7])
    for array in (repeated, wide):
        codes, domain = _core.encode(array)
        present = ~np.isnan(array)
        expected, places = np.unique(array[present] + 0.0, return_inverse=True)
        assert domain.tobytes() == expected.tobytes()
        assert codes[present].tolist() == places.tolist()
        assert (codes[~present] == -1).all()


# Many values: moments instead of counts, sums below quadratic


def distinct(n_units, n_raters, seed=0):
    return np.random.default_rng(seed).normal(size=(n_units, n_raters))


def clusters():
    """Three units of fifty distinct values each, tight and far apart: a resample of one of them cancels nearly all."""
    offsets = np.arange(50) * 2.0**-20
    return np.array([offsets, 1e9 + offsets, 3e9 + offsets[::-1]])


@pytest.mark.parametrize("table", [distinct(60, 3), 1e6 + distinct(60, 3), clusters()], ids=["near", "far", "clusters"])
def test_replicates_of_many_values_are_those_of_the_reference(table):
    units = table.tolist()
    found = kx.krippendorff_alpha(table, "interval", ci=kx.Bootstrap(B, seed=SEED))
    value, observed, expected = ref.krippendorff_alpha(units, "interval")
    assert is_near(found.estimate, value)
    assert is_near_in_ulps(found.observed, observed)
    assert is_near_in_ulps(found.expected, expected)
    exact = ref.replicates("alpha", units, level="interval", n_resamples=B, seed=SEED)
    assert all(map(is_near, found.replicates, exact))
    x, y = table[:, :2], table[:, 2:]
    found = kx.cross_kappa(x, y, "interval", ci=kx.Bootstrap(B, seed=SEED))
    exact = ref.replicates("cross", x.tolist(), y.tolist(), level="interval", n_resamples=B, seed=SEED)
    assert all(map(is_near, found.replicates, exact))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "linear"])
def test_many_values_in_closed_form(level):
    """All values distinct: every coefficient by hand, from sorted values and moments in exact arithmetic."""
    table = np.arange(3000.0).reshape(1000, 3)[:, [2, 0, 1]]  # units of three neighbours
    found = kx.krippendorff_alpha(table, level)
    N = 3000
    between = {"nominal": N * (N - 1), "linear": Fraction(N * (N * N - 1), 3)}.get(
        level, Fraction(N * N * (N * N - 1), 6)
    )
    within = {"nominal": 6, "linear": 8}.get(level, 12)
    assert is_near_in_ulps(found.observed, Fraction(1000 * within, 2 * N))
    assert is_near_in_ulps(found.expected, Fraction(between, N * (N - 1)))


def ratio_sum(values, others):
    """Sum of ((a - b)/(a + b))^2 over all pairs, in units of 2^-160, cut off below: an exact sum but for 2^-130."""
    pairs = ((Fraction(a), Fraction(b)) for a in values for b in others)
    return sum(((a - b).numerator ** 2 << 160) // (a + b).numerator ** 2 for a, b in pairs)


def test_ratio_of_many_values_is_exact():
    table = np.rint(np.exp(distinct(180, 3)) * 1e4)
    values = table.ravel().tolist()
    assert len(set(values)) > 512  # more than a table of differences holds
    observed = Fraction(sum(ratio_sum(row, row) for row in table.tolist()), 2 * len(values) * 2**160)
    expected = Fraction(ratio_sum(values, values), len(values) * (len(values) - 1) * 2**160)
    found = kx.krippendorff_alpha(table, "ratio")
    assert is_near_in_ulps(found.observed, observed)
    assert is_near_in_ulps(found.expected, expected)
    assert is_near(found.estimate, 1 - observed / expected)


def test_ratio_beyond_all_pairs_keeps_its_bound():
    """More than 32,768 values go through boxes; their sum is known from fewer values, each twice but for a hair."""
    values = np.exp(np.random.default_rng(5).normal(size=17_000))
    few = kx.krippendorff_alpha(values.reshape(-1, 2), "ratio")
    twice = np.concatenate([values, values * (1 + 2.0**-40)])
    many = kx.krippendorff_alpha(twice.reshape(-1, 2), "ratio")
    n, N = len(values), len(twice)
    sum_of_few = few.expected * n * (n - 1)
    assert many.expected * N * (N - 1) == pytest.approx(4 * sum_of_few, rel=1e-10)
