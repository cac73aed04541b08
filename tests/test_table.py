"""Many slices at once: every row is the number that the public function gives for the slice alone."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappax as kx

ALONE = pytest.mark.filterwarnings("ignore::kappax.UndefinedCoefficientWarning")
CI = kx.Bootstrap(8, seed=5)
ONE_POOL = ["krippendorff_alpha", "fleiss_kappa", "percent_agreement", "gwet_ac", "brennan_prediger"]
OF_RATERS = ["iota", "conger_kappa", "light_kappa"]
NUMBERS = ["estimate", "low", "high", "standard_error", "observed", "expected", "n_units", "n_pairable", "n_dropped"]


def numbers_of(e):
    interval = e.confidence_interval
    found = (e.estimate, interval.low, interval.high, e.standard_error, e.observed, e.expected)
    return [None if math.isnan(x) else x for x in found] + [e.n_units, e.n_pairable, e.n_dropped]


def same(row, e):
    assert [row[name] for name in NUMBERS] == numbers_of(e)
    assert (row["reason"], row["seed"], row["level"]) == (e.reason, e.seed, e.level)


ratings = st.one_of(st.none(), st.integers(1, 4), st.integers(1, 2))
rows = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 3), st.integers(0, 2), st.sampled_from("xy"), ratings),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:3],
)
levels = st.sampled_from(["nominal", "ordinal", "interval", "ratio", "linear"])


def frame_of(some):
    names = ["slice", "unit", "rater", "pool", "value"]
    return pl.DataFrame(some, schema=names, orient="row")


@ALONE
@given(rows=rows, level=levels)
def test_coefficients_of_one_pool_and_of_raters(rows, level):
    frame = frame_of(rows)
    if frame["value"].null_count() == len(frame):
        return
    table = kx.agreement_table(
        frame,
        unit="unit",
        value="value",
        rater="rater",
        by="slice",
        coefficients=ONE_POOL + OF_RATERS,
        level=level,
        ci=CI,
    )
    assert table.height == frame["slice"].n_unique() * 8
    for row in table.rows(named=True):
        part = frame.filter(pl.col("slice") == row["slice"])
        rated = part.drop_nulls("value")["rater"].n_unique()
        if row["coefficient"] in OF_RATERS and rated < part["rater"].n_unique():
            continue  # alone, a rater who only has missing ratings is a rater too
        alone = kx.Ratings.from_long(part, unit="unit", value="value", rater="rater")
        same(row, getattr(kx, row["coefficient"])(alone, level, ci=CI))


@ALONE
@given(rows=rows, level=levels)
def test_coefficients_across_pools(rows, level):
    frame = frame_of(rows)
    rated = frame.drop_nulls("value")
    if rated["pool"].n_unique() < 2:
        return
    table = kx.agreement_table(
        frame,
        unit="unit",
        value="value",
        pool="pool",
        by="slice",
        coefficients=["normalized_cross_kappa"],
        level=level,
        ci=CI,
    )
    for name, part in rated.group_by("slice"):
        if part["pool"].n_unique() < 2:
            continue
        whole = frame.filter(pl.col("slice") == name[0])
        alone = kx.cross_replication(kx.Ratings.from_long(whole, unit="unit", value="value", pool="pool"), level, ci=CI)
        expected = [alone.irr["x"], alone.irr["y"], alone.cross_kappa["x", "y"], alone.normalized["x", "y"]]
        here = table.filter(pl.col("slice") == name[0]).rows(named=True)
        assert [row["coefficient"] for row in here] == [e.coefficient for e in expected]
        for row, e in zip(here, expected, strict=True):
            same(row, e)


SMALL = {
    "city": ["B", "A", "A", "A", "A", None, None],
    "doc": [1, 1, 1, 2, 2, 1, 1],
    "who": ["p", "p", "q", "p", "q", "p", "q"],
    "tone": [1, 1, 1, 2, 2, 1, 2],
    "flag": [True, False, False, True, True, False, True],
}


@pytest.mark.parametrize("backend", [pl.DataFrame, pd.DataFrame, pa.table], ids=["polars", "pandas", "pyarrow"])
def test_the_table_is_of_the_backend_that_came(backend):
    frame = backend(SMALL)
    table = kx.agreement_table(frame, unit="doc", values=["tone", "flag"], rater="who", by=["city"])
    assert type(table) is type(frame)
    found = pl.from_pandas(table) if backend is pd.DataFrame else pl.DataFrame(table)
    assert found["city"].to_list() == [None, "A", "B"] * 2
    assert found["variable"].to_list() == ["tone"] * 3 + ["flag"] * 3
    assert found["estimate"].to_list() == [0.0, 1.0, None] * 2
    assert found["reason"].to_list() == [None, None, "no unit holds two ratings that can be compared"] * 2


def test_many_labels_and_pools_in_one_call():
    rng = np.random.default_rng(3)
    n = 300
    frame = pl.DataFrame(
        {"unit": np.repeat(np.arange(n), 4), "pool": ["x", "x", "y", "y"] * n}
        | {f"label {k}": rng.integers(0, 2, 4 * n) for k in range(5)}
    )
    labels = [f"label {k}" for k in range(5)]
    table = kx.agreement_table(frame, unit="unit", values=labels, pool="pool", coefficients=["cross_kappa"], ci=CI)
    assert table.height == 5 * 4
    for label in labels:
        alone = kx.cross_replication(kx.Ratings.from_long(frame, unit="unit", value=label, pool="pool"), ci=CI)
        [row] = table.filter(pl.col("variable") == label, coefficient="cross_kappa").rows(named=True)
        same(row, alone.cross_kappa["x", "y"])


def test_threads_and_order_do_not_show():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"s": rng.integers(0, 300, 9000), "u": rng.integers(0, 9, 9000), "v": rng.integers(0, 3, 9000)}
    )
    expected = kx.agreement_table(frame, unit="u", value="v", by="s", ci=CI)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    assert kx.agreement_table(shuffled, unit="u", value="v", by="s", ci=CI, n_threads=1).equals(expected)


def test_progress_counts_slices():
    calls = []
    kx.agreement_table(SMALL, unit="doc", value="tone", by="city", progress=lambda *call: calls.append(call))
    assert calls[-1] == (3, 3)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"by": "town"}, kx.RatingsError, "town"),
        ({"value": None}, TypeError, "value="),
        ({"coefficients": ["alfa"]}, kx.KappaxError, "'alfa'$"),
        ({"coefficients": ["iota"]}, kx.RatingsError, "rater="),
        ({"coefficients": ["cross_kappa"]}, kx.RatingsError, "pool="),
        ({"coefficients": ["cross_kappa"], "pool": "tone", "value": "who"}, None, ""),
        ({"value": "who", "level": "interval"}, kx.LevelError, "'p'$"),
        ({"level": "Nominal"}, kx.LevelError, "'Nominal'$"),
        ({"domain": [1]}, kx.RatingsError, "2$"),
        ({"rater": "city"}, kx.RatingsError, "without a rater, row: 5"),
        ({"rater": "flag"}, kx.RatingsError, r"rates a unit twice in slice \('A',\): unit 1, rater False"),
    ],
)
def test_bad_input(change, error, message):
    arguments = {"unit": "doc", "value": "tone", "by": "city"} | change
    if error is None:
        kx.agreement_table(SMALL, **arguments)
        return
    with pytest.raises(error, match=message):
        kx.agreement_table(SMALL, **arguments)


def test_names_of_slices_do_not_hide_numbers():
    with pytest.raises(kx.RatingsError, match=r"'estimate'$"):
        kx.agreement_table({"estimate": [1, 1], "u": [1, 1], "v": [1, 1]}, unit="u", value="v", by="estimate")
