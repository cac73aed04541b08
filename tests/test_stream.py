"""The random stream, version 1: frozen vectors, published answers, exact distributions, and its twin."""

import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappax as kx
from kappax import _core
from kappax import reference as ref

GOLDEN = json.loads((Path(__file__).parent / "golden" / "stream_v1.json").read_text())
UNITS = 0

words = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("case", GOLDEN["resamples"], ids=lambda case: case["name"])
def test_frozen_resamples(case):
    w = np.array(case["multiplicity"], dtype=np.uint64)
    for replicate, drawn in case["drawn"].items():
        found = _core.resample(w, case["seed"], case["purpose"], int(replicate))
        assert found.tolist() == drawn
        assert int(found.sum()) == sum(case["multiplicity"])


@pytest.mark.parametrize("case", GOLDEN["binomials"], ids=lambda case: case["name"])
def test_frozen_binomials(case):
    drawn = _core.binomial(case["n"], case["a"], case["c"], case["seed"], UNITS, 0, case["size"])
    assert hashlib.sha256(drawn.astype("<u8").tobytes()).hexdigest() == case["sha256"]


@pytest.mark.parametrize("case", GOLDEN["replicates"], ids=lambda case: case["level"])
def test_frozen_replicates_of_a_published_table(case):
    estimate = kx.krippendorff_alpha(GOLDEN["krippendorff_2011"], case["level"], ci=kx.Bootstrap(8, seed=case["seed"]))
    assert [x.hex() for x in estimate.replicates.tolist()] == case["hex"]


@given(seed=words, purpose=words, replicate=words)
def test_words_are_those_of_numpy(seed, purpose, replicate):
    key = np.array([seed, purpose], dtype=np.uint64)
    counter = np.array([0, 0, replicate, 0], dtype=np.uint64)
    raw = np.random.Philox(key=key, counter=counter).random_raw(9)
    assert _core.philox_words(seed, purpose, replicate, 9).tolist() == raw.tolist()


multiplicities = st.one_of(
    st.lists(st.integers(1, 4), min_size=1, max_size=40),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=12),
    st.lists(st.integers(1, 2**40), min_size=1, max_size=4),
)


@given(w=multiplicities, seed=words, replicate=words)
def test_resamples_are_those_of_the_reference(w, seed, replicate):
    found = _core.resample(np.array(w, dtype=np.uint64), seed, UNITS, replicate)
    assert found.tolist() == ref.multinomial(w, ref.Stream(seed, UNITS, replicate))


@given(n=st.integers(0, 2**40), a=st.integers(0, 2**20), more=st.integers(0, 2**20), seed=words)
def test_binomials_are_those_of_the_reference(n, a, more, seed):
    c = a + max(more, 1)
    stream = ref.Stream(seed, UNITS, 0)
    assert _core.binomial(n, a, c, seed, UNITS, 0, 5).tolist() == [stream.binomial(n, a, c) for _ in range(5)]


@given(n=st.one_of(st.integers(1, 100), st.integers(2**32 - 2, 2**32 + 2), st.integers(1, 2**64 - 1)), seed=words)
def test_bounded_integers_are_those_of_the_reference(n, seed):
    assert _core.bounded(n, seed, UNITS, 3, 9).tolist() == ref.Stream(seed, UNITS, 3).bounded_run(n, 9)


def chi_square_excess(observed, expected):
    """Standard normal value of a chi-square statistic (Wilson and Hilferty 1931), cells of 5 and more put together."""
    cells, o, e = [], 0.0, 0.0
    for seen, hoped in zip(observed, expected, strict=True):
        o, e = o + seen, e + hoped
        if e >= 5:
            cells.append((o, e))
            o = e = 0.0
    last_o, last_e = cells.pop()
    cells.append((last_o + o, last_e + e))
    df = len(cells) - 1
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    return ((statistic / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))


def binomial_probabilities(n, p):
    log_p, log_q = math.log(p), math.log1p(-p)
    choose = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(n + 1)]
    return [math.exp(choose[k] + k * log_p + (n - k) * log_q) for k in range(n + 1)]


@pytest.mark.parametrize(
    ("n", "a", "c"),
    [
        (10, 1, 2),  # inversion
        (400, 1, 50),  # inversion, just below the turn
        (5, 9, 10),  # mirrored inversion
        (20, 1, 2),  # rejection at the smallest mean
        (400, 1, 39),  # rejection, just above the turn
        (1000, 3, 10),  # rejection
        (3000, 7, 8),  # mirrored rejection
    ],
)
def test_binomial_has_its_distribution(n, a, c):
    size = 200_000
    drawn = np.bincount(_core.binomial(n, a, c, 12345, UNITS, 0, size).astype(np.int64), minlength=n + 1)
    expected = [size * p for p in binomial_probabilities(n, a / c)]
    assert abs(chi_square_excess(drawn, expected)) < 3.5


@pytest.mark.parametrize("w", [[1, 1, 2, 4], [50, 100, 250, 30]], ids=["units", "binomials"])
def test_multinomial_has_its_marginals_and_covariances(w):
    n, R = sum(w), 40_000
    drawn = np.array([_core.resample(np.array(w, dtype=np.uint64), 99, UNITS, b) for b in range(R)], dtype=np.int64)
    p = np.array(w) / n
    for k, p_k in enumerate(p):
        counts = np.bincount(drawn[:, k], minlength=n + 1)
        assert abs(chi_square_excess(counts, [R * q for q in binomial_probabilities(n, p_k)])) < 3.5
    covariance = n * (np.diag(p) - np.outer(p, p))
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.04 * n * p.max() * (1 - p.max()) + 0.01)


def test_bounded_integers_are_uniform():
    drawn = np.bincount(_core.bounded(7, 5, UNITS, 0, 140_000).astype(np.int64), minlength=7)
    assert abs(chi_square_excess(drawn, [20_000.0] * 7)) < 3.5
