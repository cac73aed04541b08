"""Same tally + same seed + same number of resamples = the same bits, however the data come and whoever computes."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kappax as kx
from strategies import is_empty, one_pool, pools

pytestmark = pytest.mark.filterwarnings("ignore::kappax.UndefinedCoefficientWarning")

CI = kx.Bootstrap(200, seed=20260101)
ONE_TABLE = [
    kx.krippendorff_alpha,
    kx.fleiss_kappa,
    kx.percent_agreement,
    kx.gwet_ac,
    kx.brennan_prediger,
    kx.iota,
    kx.conger_kappa,
    kx.light_kappa,
]


def ratings(n_units=60, n_raters=4, n_values=5, missing=0.15, seed=7):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, n_values + 1, n_units)
    wrong = rng.integers(1, n_values + 1, (n_units, n_raters))
    table = np.where(rng.random((n_units, n_raters)) < 0.7, truth[:, None], wrong).astype(float)
    table[rng.random(table.shape) < missing] = np.nan
    return table


def bits(estimate):
    numbers = (estimate.estimate, estimate.observed, estimate.expected, estimate.standard_error)
    interval = estimate.confidence_interval
    limits = (interval.low, interval.high, interval.n_used)
    return np.array(numbers).tobytes(), np.array(limits).tobytes(), estimate.replicates.tobytes()


def long_frame(table, shuffled=None):
    unit, rater = np.nonzero(~np.isnan(table))
    order = np.arange(len(unit)) if shuffled is None else shuffled.permutation(len(unit))
    return {
        "unit": [f"u{i}" for i in unit[order]],
        "rater": [f"r{j}" for j in rater[order]],
        "value": table[unit, rater][order],
    }


def as_text(table):
    return [[None if np.isnan(v) else str(int(v)) for v in row] for row in table]


def as_categorical(table):
    names = [str(k) for k in range(1, 6)]
    columns = np.array(as_text(table), dtype=object).T
    return pd.DataFrame({f"r{j}": pd.Categorical(column, categories=names) for j, column in enumerate(columns)})


FORMS = {
    "fortran order": np.asfortranarray,
    "every second row of a larger array": lambda t: np.repeat(t, 2, axis=0)[::2],
    "lists": lambda t: [[None if np.isnan(v) else int(v) for v in row] for row in t],
    "float32": lambda t: t.astype(np.float32),
    "masked int8": lambda t: np.ma.masked_array(np.nan_to_num(t).astype(np.int8), mask=np.isnan(t)),
    "masked int64": lambda t: np.ma.masked_array(np.nan_to_num(t).astype(np.int64), mask=np.isnan(t)),
    "objects": lambda t: np.where(np.isnan(t), None, t.astype(object)),
    "text": as_text,
    "categorical": as_categorical,
    "pandas": pd.DataFrame,
    "polars": lambda t: pl.DataFrame(t, schema=[f"r{j}" for j in range(t.shape[1])]),
    "long dict": lambda t: kx.Ratings.from_long(long_frame(t), unit="unit", rater="rater", value="value"),
    "long polars, rows shuffled": lambda t: kx.Ratings.from_long(
        pl.DataFrame(long_frame(t, np.random.default_rng(3))), unit="unit", rater="rater", value="value"
    ),
    "units shuffled": lambda t: t[np.random.default_rng(1).permutation(len(t))],
    "raters shuffled": lambda t: t[:, [2, 0, 3, 1]],
    "empty units added": lambda t: np.vstack([t, np.full((5, t.shape[1]), np.nan)]),
    "domain stated": lambda t: kx.Ratings.from_matrix(t, domain=[0, 1, 2, 3, 4, 5, 6]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@pytest.mark.parametrize("coefficient", ONE_TABLE, ids=lambda f: f.__name__)
def test_the_form_of_the_data_does_not_show(coefficient, level, form):
    if form == "domain stated" and coefficient in (kx.percent_agreement, kx.gwet_ac, kx.brennan_prediger):
        pytest.skip("their definition depends on the size of the domain")
    table = ratings()
    assert bits(coefficient(FORMS[form](table), level, ci=CI)) == bits(coefficient(table, level, ci=CI))


@pytest.mark.parametrize("level", ["interval", "ratio", "linear"])
def test_text_with_a_domain_counts_as_ranks_and_numbers_as_they_are(level):
    table = ratings()
    text = kx.krippendorff_alpha(as_text(table), level, domain=list("12345"), ci=CI)
    assert bits(text) == bits(kx.krippendorff_alpha(table - 1, level, ci=CI))
    assert (text.scale, kx.krippendorff_alpha(table, level).scale) == ("ranks", "values")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_neither_threads_nor_the_number_of_resamples_show(level):
    table = ratings(3000)
    one = kx.krippendorff_alpha(table, level, ci=kx.Bootstrap(3000, seed=5), n_threads=1)
    for n_threads in (2, 4, None):
        many = kx.krippendorff_alpha(table, level, ci=kx.Bootstrap(3000, seed=5), n_threads=n_threads)
        assert bits(many) == bits(one)
    fewer = kx.krippendorff_alpha(table, level, ci=kx.Bootstrap(100, seed=5))
    assert fewer.replicates.tobytes() == one.replicates[:100].tobytes()
    other = kx.krippendorff_alpha(table, level, ci=kx.Bootstrap(100, seed=6))
    assert other.replicates.tobytes() != fewer.replicates.tobytes()


@pytest.mark.parametrize("coefficient", ONE_TABLE, ids=lambda f: f.__name__)
@given(table=one_pool(min_raters=2), data=st.data(), level=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_units_and_raters_in_any_order(coefficient, table, data, level):
    assume(not is_empty(table))
    ci = kx.Bootstrap(10, seed=1)
    units = data.draw(st.permutations(range(len(table))))
    raters = data.draw(st.permutations(range(len(table[0]))))
    shuffled = [[table[u][r] for r in raters] for u in units]
    assert bits(coefficient(shuffled, level, ci=ci)) == bits(coefficient(table, level, ci=ci))


@given(tables=pools(), data=st.data(), level=st.sampled_from(["nominal", "ordinal", "interval"]))
def test_pools_in_any_order_and_units_of_one_pool_alone(tables, data, level):
    assume(not any(map(is_empty, tables)))
    ci = kx.Bootstrap(10, seed=1)
    x, y = tables
    units = data.draw(st.permutations(range(len(x))))
    expected = bits(kx.cross_kappa(x, y, level, ci=ci))
    assert bits(kx.cross_kappa(y, x, level, ci=ci)) == expected
    assert bits(kx.cross_kappa([x[u] for u in units], [y[u] for u in units], level, ci=ci)) == expected
    more_x = [*x, *x]
    more_y = [*y, *[[None] * len(y[0])] * len(y)]
    assert bits(kx.cross_kappa(more_x, more_y, level, ci=ci)) == expected


def test_chunks_and_batches_do_not_show():
    table = ratings(90)
    whole = kx.Ratings.from_matrix(table).tally()
    parts = [kx.Ratings.from_matrix(table[start : start + 30]).tally() for start in (60, 0, 30)]
    summed = kx.Tally.from_bytes((parts[0] + parts[1] + parts[2]).to_bytes())
    assert bits(kx.krippendorff_alpha(summed, "ordinal", ci=CI)) == bits(kx.krippendorff_alpha(whole, "ordinal", ci=CI))


def test_duplicated_data_keep_the_coefficients_of_means():
    """Every unit twice: observed and expected of coefficients that are means over units stay as they are."""
    table = ratings(30, missing=0)
    twice = np.vstack([table, table])
    for coefficient in (kx.fleiss_kappa, kx.iota, kx.conger_kappa, kx.light_kappa):
        assert coefficient(twice, "interval").estimate == coefficient(table, "interval").estimate


def test_two_processes_give_the_same_bits():
    program = (
        "import kappax as kx, hashlib;"
        "t = [[k % 3, (k * k) % 3, (k // 2) % 3] for k in range(50)];"
        "e = kx.krippendorff_alpha(t, 'ordinal', ci=kx.Bootstrap(500, seed=3));"
        "print(hashlib.sha256(e.replicates.tobytes()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_seed_none_is_recorded_and_numpy_is_left_alone():
    state = np.random.get_state()[1].tobytes()
    table = ratings()
    first = kx.krippendorff_alpha(table, ci=kx.Bootstrap(50))
    again = kx.krippendorff_alpha(table, ci=kx.Bootstrap(50, seed=first.seed))
    assert first.replicates.tobytes() == again.replicates.tobytes()
    assert np.random.get_state()[1].tobytes() == state
