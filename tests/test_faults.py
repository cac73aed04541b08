"""Faults seen in the field, each with its whole kind. The number is the row of the list of them."""

import datetime as dt
import math
import time
import tracemalloc
import warnings
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kappax as kx

NUMERIC = ("interval", "ratio", "linear", "radical", "circular", "bipolar")
LEVELS = ("nominal", "ordinal", *NUMERIC)
ONE_POOL = (
    *(kx.krippendorff_alpha, kx.fleiss_kappa, kx.scott_pi, kx.iota, kx.conger_kappa, kx.light_kappa),
    *(kx.percent_agreement, kx.gwet_ac, kx.brennan_prediger),
)
INTEGERS = [f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)]


def raters(*rows):
    """Units x raters out of one text a rater, `.` for no rating."""
    columns = [[None if word == "." else int(word) for word in row.split()] for row in rows]
    return [list(row) for row in zip(*columns, strict=True)]


def alpha(units, level="nominal", **options):
    return kx.krippendorff_alpha(units, level, **options).estimate


def options_of(level):
    return {"circular": {"period": 300}, "bipolar": {"limits": (-200, 300)}}.get(level, {})


def same(x, y):
    return (x == y) | (math.isnan(x) and math.isnan(y))


def long(units):
    """Write a matrix as columns of a long frame."""
    cells = [(u, r, value) for u, row in enumerate(units) for r, value in enumerate(row)]
    return dict(zip(("unit", "rater", "value"), map(list, zip(*cells, strict=True)), strict=True))


def from_long(frame, **options):
    return kx.Ratings.from_long(frame, unit="unit", rater="rater", value="value", **options)


# 1: small integer types wrap around

SMALL = raters("1 2 3 4", "1 3 3 4")


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("units", "level", "value"),
    [(SMALL, "interval", 0.911392), (SMALL, "ratio", 0.922799)],
    ids=["fault-1-interval", "fault-1-ratio"],
)
def test_small_integers(units, level, value, dtype):
    assert alpha(np.array(units, dtype=dtype), level) == pytest.approx(value, abs=1e-6)


def test_signed_small_integers_fault_1():
    units = np.array(raters("100 -100 50", "100 -90 -60"), dtype="int8")
    assert alpha(units, "interval") == pytest.approx(0.769985, abs=1e-6)


EXTREMES = {**{dtype: np.iinfo(dtype) for dtype in INTEGERS if "64" not in dtype}}


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: f"fault-1-{level}")
@pytest.mark.parametrize("dtype", EXTREMES)
def test_ends_of_integer_types(dtype, level):
    """The widest differences of a type: the same bits from it, from int64, float64 and Python ints."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    low = max(low, 0) if level == "ratio" else low
    units = [[low, high], [high, high], [high - 1, low], [low, low], [low + 1, high]]
    options = {"circular": {"period": 7}, "bipolar": {"limits": (low - 1, high + 1)}}.get(level, {})
    made = [units, np.array(units, dtype=dtype), np.array(units), np.array(units, dtype=float)]
    made += [pl.DataFrame(array, schema=["a", "b"]) for array in made[1:2]]
    results = {alpha(each, level, **options) for each in made}
    assert len(results) == 1
    assert not math.isnan(results.pop())


# 2: a mask

MASKED = np.ma.array([[1, 1], [2, 2], [9, 3]], mask=[[0, 0], [0, 0], [1, 0]])


@pytest.mark.parametrize("under", [9, np.nan, np.inf, -1])
@pytest.mark.parametrize(
    "function", [f for f in ONE_POOL if f is not kx.gwet_ac], ids=lambda f: f"fault-2-{f.__name__}"
)
def test_mask(function, under):
    values = MASKED.astype(float)
    values.data[2, 0] = under
    assert function(values).estimate == pytest.approx(1)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float32", "bool", "U4", "object", "M8[D]"], ids="fault-2-{}".format)
def test_mask_of_every_type(dtype):
    masked = np.ma.array(np.zeros((3, 2), dtype=dtype), mask=[[0, 0], [0, 1], [1, 1]])
    assert kx.Ratings.from_matrix(masked).n_ratings == 3


def test_masks_in_every_way_in_fault_2():
    x, y = MASKED[:, 0], MASKED[:, 1]
    assert kx.cohen_kappa(x, y).estimate == 1.0
    assert kx.cohen_kappa(x, y).n_units == 2
    assert kx.cross_kappa(x, y).n_units == kx.cross_kappa(MASKED, MASKED[:, 1:]).n_units - 1 == 2
    frame = {"unit": [0, 0, 1, 1, 2, 2], "rater": [0, 1] * 3, "value": MASKED.ravel()}
    assert from_long(frame).n_missing == 1
    with pytest.raises(kx.RatingsError, match="missing"):
        kx.Tally.from_counts(MASKED)


# 3: None, NA, bool

MISSING = {
    "None": [[1, 1], [2, 2], [None, 3]],
    "NaN": [[1, 1], [2, 2], [math.nan, 3]],
    "NA": pd.DataFrame([[1, 1], [2, 2], [pd.NA, 3]]).astype("Int8"),
    "NA object": [[1, 1], [2, 2], [pd.NA, 3]],
    "NaT": pd.DataFrame([["2020-01-01"] * 2, ["2020-01-02"] * 2, [pd.NaT, "2020-01-03"]]).astype("datetime64[ns]"),
    "null": pl.DataFrame([[1, 2, None], [1, 2, 3]]),
    "Arrow null": pa.table({"a": [1, 2, None], "b": [1, 2, 3]}),
    "Arrow text": pa.table({"a": ["u", "v", None], "b": ["u", "v", "w"]}),
    "Decimal": [[Decimal(1), Decimal(1)], [Decimal(2), Decimal(2)], [Decimal("NaN"), Decimal(3)]],
}


@pytest.mark.parametrize("units", MISSING.values(), ids=[f"fault-3-{name}" for name in MISSING])
def test_missing(units):
    result = kx.krippendorff_alpha(units)
    assert (result.estimate, result.n_pairable) == (1.0, 4)


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        partial(np.array, dtype=object),
        pd.DataFrame,
        partial(pl.DataFrame, schema=["a", "b"], orient="row"),
    ],
)
def test_booleans_fault_3(make):
    units = make([[True, True], [False, False], [True, False]])
    assert [alpha(units, level) for level in ("nominal", "ordinal", "interval")] == pytest.approx(
        [0.444444] * 3, abs=1e-6
    )


# 4: text is not missing unless asked


@pytest.mark.parametrize(
    "word", ["nan", "NaN", "NA", "null", "None", "<NA>", "", "NaT", "N/A"], ids="fault-4-{}".format
)
@pytest.mark.parametrize(
    "make",
    [list, np.array, partial(np.array, dtype=object), pd.DataFrame, partial(pl.DataFrame, orient="row")],
)
def test_text_that_looks_missing(word, make):
    units = make([[word, word], ["thai", "thai"], [word, "thai"]])
    ratings = kx.Ratings.from_matrix(units)
    assert ratings.domain == tuple(sorted([word, "thai"]))
    assert alpha(ratings) == pytest.approx(0.444444, abs=1e-6)
    assert any(repr(word) in note for note in ratings.audit().suspicious)


# 5: ratio with negative values


@pytest.mark.parametrize("function", ONE_POOL, ids=lambda f: f"fault-5-{f.__name__}")
def test_negative_at_ratio_level(function):
    with pytest.raises(kx.LevelError, match=r"unit 0, rater 1: -1$"):
        function(raters("1 2 3", "-1 2 3"), "ratio")


def test_negative_at_ratio_level_across_fault_5():
    x, y = [1, 2, 3], [-1, 2, 3]
    for function in (kx.cohen_kappa, kx.cross_kappa, kx.normalized_cross_kappa):
        with pytest.raises(kx.LevelError, match=r"unit 0.*: -1$"):
            function(x, y, "ratio")
    with pytest.raises(kx.LevelError, match="-1"):
        kx.krippendorff_alpha(kx.Tally.from_counts([[1, 1], [2, 0]], domain=[-1, 2]), "ratio")
    with pytest.raises(kx.LevelError, match="-1"):  # a negative value that nobody gave
        kx.krippendorff_alpha(kx.Tally.from_counts([[0, 1, 1], [0, 2, 0]], domain=[-1, 2, 3]), "ratio")


# 6: no variation, in every coefficient, level and way in

CONSTANT = [[1, 1]] * 3
CONSTANT_IN = {
    "matrix": CONSTANT,
    "array": np.array(CONSTANT),
    "text": [["a", "a"]] * 3,
    "frame": pl.DataFrame({"a": [1] * 3, "b": [1] * 3}),
    "Ratings": kx.Ratings.from_matrix(CONSTANT),
    "long": from_long(long(CONSTANT)),
    "domain": kx.Ratings.from_matrix(CONSTANT, domain=[0, 1, 2]),
}
CHANCE_OF_THE_DOMAIN = (kx.percent_agreement, kx.gwet_ac, kx.brennan_prediger)


def undefined(compute):
    with pytest.warns(kx.UndefinedCoefficientWarning) as caught:
        result = compute()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert math.isnan(result.estimate)
    assert result.reason in str(caught[0].message)
    return result


@pytest.mark.parametrize("source", CONSTANT_IN, ids="fault-6-{}".format)
@pytest.mark.parametrize("function", [f for f in ONE_POOL if f not in CHANCE_OF_THE_DOMAIN], ids=lambda f: f.__name__)
def test_no_variation(function, source):
    for level in ("nominal", "ordinal", "interval") if source != "text" else ("nominal", "ordinal"):
        result = undefined(lambda level=level: function(CONSTANT_IN[source], level))
        assert "expected disagreement is zero" in result.reason or "Cohen's kappa is undefined" in result.reason


@pytest.mark.parametrize("domain", [None, [1], [1, 2], [0, 1, 2]], ids="fault-6-{}".format)
def test_no_variation_of_vectors_and_pools(domain):
    x = [1, 1, 1]
    for function in (kx.cohen_kappa, kx.cross_kappa):
        assert "one and the same value" in undefined(lambda f=function: f(x, x, domain=domain)).reason
    assert undefined(lambda: kx.normalized_cross_kappa(CONSTANT, CONSTANT, domain=domain)).reason
    table = kx.cross_replication(
        kx.Ratings.from_long({**long(CONSTANT), "p": ["x", "y"] * 3}, unit="unit", value="value", pool="p")
    )
    assert all(math.isnan(e.estimate) and e.reason for e in (*table.irr.values(), *table.cross_kappa.values()))
    assert undefined(lambda: kx.krippendorff_alpha(kx.Tally.from_counts([[0, 2], [0, 2]]))).reason


def test_no_variation_with_an_interval_fault_6():
    result = undefined(lambda: kx.krippendorff_alpha(CONSTANT, ci=kx.Bootstrap(50, seed=1)))
    interval = result.confidence_interval
    assert interval.n_used == 0
    assert all(map(math.isnan, (interval.low, interval.high, result.standard_error)))


@pytest.mark.parametrize("function", CHANCE_OF_THE_DOMAIN, ids=lambda f: f"fault-6-{f.__name__}")
def test_chance_that_is_of_the_domain(function):
    """These look at the domain, not at what was given: full agreement among two values, undefined for one."""
    assert function(CONSTANT, domain=[1, 2]).estimate == 1.0
    if function is not kx.percent_agreement:
        undefined(lambda: function(CONSTANT))


# 7: a misspelt level

WORDS = (
    "Nominal",
    "NOMINAL",
    "nomnal",
    "ordinl",
    "Interval",
    "intervall",
    "quadratic",
    "",
    " nominal",
    "ratio ",
    "x" * 99,
)


@pytest.mark.parametrize("word", WORDS, ids="fault-7-{}".format)
@pytest.mark.parametrize(
    "function",
    [*ONE_POOL, kx.cohen_kappa, kx.cross_kappa, kx.normalized_cross_kappa],
    ids=lambda f: f.__name__,
)
def test_misspelt_level(function, word):
    data = [[1, 1], [2, 1]] if function in ONE_POOL else ([1, 2], [1, 1])
    with pytest.raises(kx.LevelError) as error:
        function(*(data if isinstance(data, tuple) else (data,)), word)
    assert all(repr(level) in str(error.value) for level in LEVELS)
    assert str(error.value).endswith(repr(word))


def test_near_misses_are_named_fault_7():
    for word, meant in (("Nominal", "nominal"), ("intervall", "interval"), ("quadratic", "interval")):
        with pytest.raises(kx.LevelError, match=f"did you mean {meant!r}"):
            alpha(SMALL, word)


# 8: one disagreement in constant data

ONE_DISAGREEMENT = raters("3 3 3 3 3", "3 3 3 3 3", "3 3 . . 3", "3 3 3 3 1", "3 . 3 3 3")


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"], ids="fault-8-{}".format)
def test_one_disagreement(level):
    result = kx.krippendorff_alpha(ONE_DISAGREEMENT, level)
    assert result.estimate == pytest.approx(0, abs=1e-15)
    assert result.reason is None
    assert result.observed > 0


# 9: duplicates

TWICE = {
    "unit": ["u0", "u0", "u0", "u1", "u1"],
    "rater": ["r0", "r0", "r1", "r0", "r1"],
    "value": [1, 2, 2, 2, 2],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids="fault-9-{.__name__}".format)
def test_duplicates(make):
    with pytest.raises(kx.RatingsError, match=r"unit 'u0', rater 'r0', rows 0 and 1: 1 and 2$"):
        from_long(make(TWICE))
    kept = {word: from_long(make(TWICE), duplicates=word) for word in ("keep", "first", "last")}
    assert {word: ratings.n_ratings for word, ratings in kept.items()} == {"keep": 5, "first": 4, "last": 4}
    assert [alpha(kept[word]) for word in ("first", "keep")] == [0.0, 0.0]
    assert set(kept["last"].value) == {1}


# 10, 11, 25: text is ranked as stated, numbers are taken as they are

LOW_HIGH = (["low", "mid", "high", "mid", "low", "high"], ["low", "high", "high", "mid", "mid", "high"])


def test_text_scale_fault_10():
    domain = ["low", "mid", "high"]
    assert kx.cohen_kappa(*LOW_HIGH, "interval", domain=domain).estimate == pytest.approx(0.75)
    units = list(zip(*LOW_HIGH, strict=True))
    in_order = kx.Ratings.from_matrix(units, domain=domain)
    dtype = pd.CategoricalDtype(domain, ordered=True)
    frames = [
        pd.DataFrame(units).astype(dtype),
        pl.DataFrame(units, schema={"a": pl.Enum(domain), "b": pl.Enum(domain)}, orient="row"),
    ]
    numbers = [[domain.index(value) for value in row] for row in units]
    for level in ("ordinal", "interval", "linear", "radical"):
        assert {alpha(each, level) for each in (in_order, *frames)} == {alpha(numbers, level)}
        assert kx.krippendorff_alpha(units, level, domain=domain).scale == (None if level == "ordinal" else "ranks")
    for level in NUMERIC:
        with pytest.raises(kx.LevelError, match="stated order"):
            kx.cohen_kappa(*LOW_HIGH, level, **options_of(level))


@pytest.mark.parametrize(
    ("x", "y", "level", "value"),
    [
        pytest.param([1, 2, 4, 4, 2], [1, 4, 4, 2, 2], "linear", 0.375, id="fault-11"),
        pytest.param([1, 2], [2, 2], "nominal", 0, id="fault-29"),
    ],
)
def test_cohen(x, y, level, value):
    result = kx.cohen_kappa(x, y, level)
    assert result.estimate == pytest.approx(value, abs=1e-15)
    assert kx.cohen_kappa(x, y, level, domain=[1, 2, 3, 4]).estimate == result.estimate
    assert result.scale == (None if level == "nominal" else "values")


def test_values_far_apart_fault_25():
    units = raters("1 2 10 2", "1 10 10 2")
    assert alpha(units, "interval") == pytest.approx(0.580524, abs=1e-6)
    assert alpha(units, "interval") != pytest.approx(
        alpha([[v if v < 10 else 3 for v in row] for row in units], "interval")
    )


@pytest.mark.parametrize(
    "function", [*ONE_POOL[:6], kx.cohen_kappa, kx.cross_kappa], ids=lambda f: f"fault-11-{f.__name__}"
)
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio", "linear"])
def test_values_that_did_not_occur(function, level):
    units = raters("1 2 4 4 2", "1 4 4 2 2")
    data = (units,) if function in ONE_POOL else tuple(zip(*units, strict=True))
    stated = function(*data, level, domain=[0, 1, 2, 3, 4, 9]).estimate
    assert stated == function(*data, level).estimate


# 12: text numbers


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame], ids="fault-12-{.__name__}".format)
def test_text_numbers(make):
    units = make([[str(value) for value in row] for row in raters("2 9 10 10 2 9", "2 10 10 9 9 9")])
    stated = kx.krippendorff_alpha(units, "ordinal", domain=["2", "9", "10"])
    assert stated.estimate == pytest.approx(0.5890, abs=5e-5)
    as_text = kx.krippendorff_alpha(units, "ordinal")
    assert (as_text.domain, as_text.scale) == (("10", "2", "9"), "text")  # and the result says so


# 13, 14, 20, 21, 22, 27: small data with one right answer

NAN = math.nan


@pytest.mark.parametrize(
    ("units", "level", "value"),
    [
        pytest.param([[1, 1, 2], [2, 2, 2]], "nominal", 0.375, id="fault-13"),
        pytest.param([[1, 2, 1, 2], [2, 1, 2, 2]], "nominal", -4 / 45, id="fault-14"),
        pytest.param(np.array([[1, 2, 1, 2], [2, 1, 2, 2]], dtype="int8"), "interval", -4 / 45, id="fault-14-int8"),
        pytest.param([[0, 0], [1, 1], [0, 1]], "ratio", 0.4444444444444444, id="fault-27"),
        pytest.param([[0.0, -0.0], [1, 1], [0, 1]], "ratio", 0.4444444444444444, id="fault-27-minus-zero"),
        *[
            pytest.param(
                [[offset + v for v in row] for row in SMALL],
                "interval",
                0.911392405063291,
                id=f"fault-22-{offset:g}",
            )
            for offset in (1e8, 1e9, -1e9, 1e12, 2.0**51)
        ],
    ],
)
def test_alpha(units, level, value):
    assert alpha(units, level) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame], ids="fault-20-{.__name__}".format)
def test_counts_with_unequal_rows(make):
    tally = kx.Tally.from_counts(make([[3, 0], [2, 1], [0, 3], [1, 1], [2, 0]]))
    assert kx.fleiss_kappa(tally).estimate == pytest.approx(0.282297, abs=1e-6)


def test_nan_is_no_value_fault_21():
    units = [[1, 1, 1], [1, 2, 1], [2, 2, 2], [2, 1, NAN], [1, 1, NAN]]
    for made in (
        units,
        np.array(units),
        pd.DataFrame(units),
        np.array(units, dtype=object),
        np.array(units, dtype="float16"),
    ):
        result = kx.krippendorff_alpha(made)
        assert (result.domain, result.n_pairable) == ((1.0, 2.0), 13)
    for missing in (NAN, None, np.float32("nan"), pd.NA, np.datetime64("NaT")):
        cohen = kx.cohen_kappa([1, 2, missing, 1], [1, 2, 2, 1])
        assert (cohen.estimate, cohen.n_units) == (1.0, 3)


# 15: products of totals


@pytest.mark.parametrize("n_units", [5000, 200_000], ids="fault-15-{}".format)
def test_products_of_totals(n_units):
    """Pools of 50,000 ratings make more pairs than 2**31, those of 2,000,000 more than 2**41."""
    x = np.tile([[1] * 5 + [2] * 5, [2] * 10], (n_units // 2, 1)).astype("int8")
    y = np.tile([[1] * 10, [2] * 8 + [1] * 2], (n_units // 2, 1)).astype("int8")
    result = kx.cross_kappa(x, y)
    assert (result.n_units, result.n_pairable) == (n_units, 20 * n_units)
    assert result.observed == pytest.approx((0.5 + 0.2) / 2, rel=1e-14)
    assert result.expected == pytest.approx(0.25 * 0.4 + 0.75 * 0.6, rel=1e-14)  # x: 1/4 are 1, y: 3/5 are


# 16: units of two pools are matched by label

POOL_X = {"1": "11", "2": "10", "3": "00", "4": "11"}
POOL_Y = {"1": "11", "2": "01", "3": "01", "9": "00"}


def pool(units):
    rows = [{"unit": unit, "value": int(value)} for unit, values in units.items() for value in values]
    return kx.Ratings.from_long(rows, unit="unit", value="value")


def test_units_are_matched_fault_16():
    result = kx.cross_kappa(pool(POOL_X), pool(POOL_Y))
    assert result.estimate == pytest.approx(1 / 3)
    assert (result.n_units, result.n_dropped) == (3, 2)
    backwards = kx.cross_kappa(pool(dict(reversed(POOL_X.items()))), pool(POOL_Y))
    assert backwards.estimate == result.estimate
    with pytest.raises(kx.RatingsError, match="rows"):
        kx.cross_kappa([[1, 1]] * 4, [[1, 1]] * 3)
    with pytest.raises(kx.RatingsError, match="cannot be matched"):
        kx.cross_kappa(pool(POOL_X), [[1, 1]] * 4)


# 17, 18: normalized kappa_x


def test_negative_reliabilities_fault_17():
    x, y = [[1, 2], [2, 1], [1, 2]], [[2, 1], [1, 2], [2, 1]]
    assert kx.krippendorff_alpha(x).estimate < 0
    result = undefined(lambda: kx.normalized_cross_kappa(x, y))
    assert result.reason.count("is not positive") == 2
    assert math.isnan(kx.normalize_kappa(0.5, -0.5, -0.5))
    for one, two in ((-0.5, 0.5), (0.0, 0.5), (0.0, 0.0), (-1, -1)):
        assert math.isnan(kx.normalize_kappa(0.5, one, two))
        assert undefined(lambda a=one, b=two: kx.normalized_cross_kappa([1, 2], [1, 1], irr_x=a, irr_y=b)).reason
    with_ci = undefined(lambda: kx.normalized_cross_kappa(x, y, ci=kx.Bootstrap(200, seed=3)))
    assert with_ci.confidence_interval.n_used == 0  # no resample has two roots of negative numbers either


@pytest.mark.parametrize(
    ("level", "x"),
    [
        pytest.param("interval", [[3, 1, 1], [2, 3, None]], id="fault-17-interval"),
        pytest.param("ordinal", [[3, 3, 2], [3, 3, None], [3, 3, None]], id="fault-17-ordinal"),
        pytest.param("ratio", [[3, 3, 2], [1, 3, 2], [2, 2, None], [3, 2, 3]], id="fault-17-ratio"),
        pytest.param("nominal", [[1, 1], [1, 1], [1, 2]], id="fault-17-nominal"),
    ],
)
def test_reliability_of_exactly_zero(level, x):
    """These alphas are 0, whatever rounding makes of them: there is no root to divide by."""
    assert kx.krippendorff_alpha(x, level).estimate == pytest.approx(0, abs=1e-15)
    y = [[1 + i % 2] * 3 for i in range(len(x))]
    assert "is not positive" in undefined(lambda: kx.normalized_cross_kappa(x, y, level)).reason


def test_one_level_for_all_fault_18():
    x, y = [[3, 4, None], [1, 1, 2], [5, 5, None]], [[3, None], [2, 1], [4, 5]]
    data = {"unit": [], "pool": [], "value": []}
    for label, units in (("x", x), ("y", y)):
        for i, row in enumerate(units):
            for value in filter(None, row):
                data["unit"].append(i), data["pool"].append(label), data["value"].append(value)
    result = kx.cross_replication(kx.Ratings.from_long(data, unit="unit", pool="pool", value="value"), "interval")
    assert result.cross_kappa["x", "y"].estimate == pytest.approx(0.890625)
    assert [result.irr[side].estimate for side in "xy"] == pytest.approx([0.904762, 0.85], abs=1e-6)
    assert result.normalized["x", "y"].estimate == pytest.approx(1.015590, abs=1e-6)
    assert {e.level for e in (*result.irr.values(), *result.cross_kappa.values(), *result.normalized.values())} == {
        "interval"
    }
    assert kx.normalized_cross_kappa(x, y, "interval").estimate == result.normalized["x", "y"].estimate


# 19: undefined resamples


@pytest.mark.parametrize(
    "function",
    [kx.krippendorff_alpha, kx.fleiss_kappa, kx.scott_pi, kx.iota, kx.conger_kappa, kx.light_kappa],
    ids=lambda f: f"fault-19-{f.__name__}",
)
def test_undefined_resamples(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = function([[1, 1]] * 9 + [[1, 2]], ci=kx.Bootstrap(10_000, seed=19))
    interval = result.confidence_interval
    assert result.estimate == pytest.approx(
        0.0 if function is not kx.scott_pi and function is not kx.fleiss_kappa else -1 / 19
    )
    assert interval.n_used == pytest.approx(10_000 * (1 - 0.9**10), abs=200)
    assert interval.n_used == np.count_nonzero(~np.isnan(result.replicates))
    assert -1 <= interval.low <= result.estimate <= interval.high < 1
    assert np.nanmax(result.replicates) < 1


# 23: many distinct values


@pytest.mark.parametrize("level", ["interval", "nominal", "ordinal", "linear"], ids="fault-23-{}".format)
def test_many_distinct_values(level):
    values = np.random.default_rng(23).normal(size=(2000, 1)) + np.random.default_rng(24).normal(size=(2000, 5)) / 3
    tracemalloc.start()
    start = time.perf_counter()
    result = kx.krippendorff_alpha(values, level)
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(result.domain) == 10_000
    assert seconds < 1
    assert peak < 50e6
    if level == "interval":
        between, within = values.mean(1).var(ddof=1), values.var(axis=1, ddof=1).mean()
        assert result.estimate == pytest.approx(between / (between + within), abs=0.1)
        assert result.observed == pytest.approx(2 * within, rel=1e-12)


# 24: column types

COLUMNS = {
    "pandas Categorical": pd.Series(["b", "a", "b"], dtype="category"),
    "pandas Int8": pd.Series([1, None, 2], dtype="Int8"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas string": pd.Series(["x", None, "y"], dtype="string"),
    "pandas date": pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02"])),
    "pandas timedelta": pd.Series(pd.to_timedelta([1, None, 2], unit="D")),
    "pandas Period": pd.Series(pd.period_range("2020-01", periods=3, freq="M")),
    "pandas Interval": pd.Series(pd.interval_range(0, 3)),
    "pandas Arrow": pd.Series([1, None, 2], dtype="uint8[pyarrow]"),
    **{
        f"polars {t}": pl.Series([1, None, 2], dtype=getattr(pl, t))
        for t in ("Int8", "UInt8", "Int16", "UInt64", "Float32", "Int128")
    },
    "polars Categorical": pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "polars Enum": pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "a"])),
    "polars Decimal": pl.Series([Decimal("1.5"), None, Decimal("2.5")]),
    "polars Date": pl.Series([dt.date(2020, 1, 1), None, dt.date(2020, 1, 2)]),
    "polars Datetime": pl.Series([dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 2)]),  # noqa: DTZ001
    "polars Duration": pl.Series([dt.timedelta(1), None, dt.timedelta(2)]),
    "polars Time": pl.Series([dt.time(1), None, dt.time(2)]),
    "polars Binary": pl.Series([b"a", None, b"b"]),
    "polars Boolean": pl.Series([True, None, False]),
    "polars Null": pl.Series([None, None, None]),
    "Arrow dictionary": pa.chunked_array(
        [pa.array(["b", None]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]
    ),
    "Arrow dictionary of unsigned codes": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.uint8()), ["a", "b"]
    ),
    **{
        f"Arrow {t}": pa.array([1, None, 2], type=t)
        for t in (pa.int8(), pa.uint8(), pa.uint64(), pa.date32(), pa.float64())
    },
    "Arrow decimal": pa.array([Decimal("1.5"), None, Decimal("2.5")]),
    "numpy datetime64": np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="M8[ns]"),
    "numpy months": np.array([1, "NaT", 2], dtype="m8[M]"),
    "numpy far datetime64": np.array([10**7, "NaT", 10**8], dtype="M8[D]"),
    "numpy bytes": np.array([b"a", b"b", b"a"]),
}
WHOLE = ("pandas Categorical", "pandas Period", "pandas Interval", "numpy bytes")
REFUSED = {
    "polars List": pl.Series([[1], None, [2]]),
    "polars Struct": pl.Series([{"a": 1}, None, {"a": 2}]),
    "polars Array": pl.Series([[1], None, [2]], dtype=pl.Array(pl.Int8, 1)),
    "Arrow list": pa.array([[1], None, [2]]),
    "Arrow struct": pa.array([{"a": 1}, None, {"a": 2}]),
    "numpy complex": np.array([1, 2, 1j]),
    "object list": pd.Series([[1], None, [2]]),
}


def as_frame(name, column):
    """Put a column beside units, as a frame of its own backend."""
    units = [0, 0, 1]
    if name.startswith("polars"):
        return pl.DataFrame({"unit": units, "value": column})
    if name.startswith("Arrow"):
        return pa.table({"unit": units, "value": column})
    return (
        pd.DataFrame({"unit": units, "value": column})
        if name.startswith("pandas")
        else {"unit": units, "value": column}
    )


@pytest.mark.parametrize("name", COLUMNS, ids="fault-24-{}".format)
def test_column_types(name):
    column = COLUMNS[name]
    ratings = kx.Ratings.from_long(as_frame(name, column), unit="unit", value="value")
    assert ratings.n_missing == {"polars Null": 3, **dict.fromkeys(WHOLE, 0)}.get(name, 1)
    assert ratings.n_ratings == 3 - ratings.n_missing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kx.UndefinedCoefficientWarning)
        assert kx.cohen_kappa(column, column).n_units == ratings.n_ratings


@pytest.mark.parametrize("name", REFUSED, ids="fault-24-{}".format)
def test_refused_column_types(name):
    with pytest.raises((kx.KappaxError, TypeError)):
        kx.krippendorff_alpha(
            kx.Ratings.from_long(as_frame(name, REFUSED[name]), unit="unit", value="value"), "ordinal"
        )


# 26: case and space


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame], ids="fault-26-{.__name__}".format)
def test_labels_keep_their_case(make):
    ratings = kx.Ratings.from_matrix(make([["a", "A"], ["b", "B"], ["a ", "a"]]))
    assert ratings.domain == ("A", "B", "a", "a ", "b")
    notes = " ".join(ratings.audit().suspicious)
    assert "'A', 'a', 'a '" in notes
    assert "'B', 'b'" in notes


# 28: units that hold no pair


@pytest.mark.parametrize("level", LEVELS, ids="fault-28-{}".format)
def test_idle_units(level):
    units = [[1, 1, None], [2, 2, 3], [3, 3, 3], [2, 1, 2], [4, 4, None]]
    idle = [[None] * 3, *units[:2], [None, 4, None], *units[2:], [1, None, None], [None] * 3]
    options, ci = options_of(level), kx.Bootstrap(300, seed=28)
    one, two = (kx.krippendorff_alpha(each, level, ci=ci, **options) for each in (units, idle))
    assert (one.estimate, one.observed, one.expected, one.n_pairable) == (
        two.estimate,
        two.observed,
        two.expected,
        two.n_pairable,
    )
    assert np.array_equal(one.replicates, two.replicates, equal_nan=True)
    assert two.n_dropped == 4


def test_idle_units_across_pools_fault_28():
    x, y = [[1, 2], [2, 2], [3, 1], [1, 1]], [[1], [2], [3], [2]]
    more_x, more_y = [[3, 3], *x, [None, None], [None, 2]], [[None], *y, [3], [None]]
    ci = kx.Bootstrap(300, seed=28)
    for level in ("nominal", "ordinal", "interval"):
        one, two = kx.cross_kappa(x, y, level, ci=ci), kx.cross_kappa(more_x, more_y, level, ci=ci)
        assert (one.estimate, one.observed, one.expected) == (two.estimate, two.observed, two.expected)
        assert np.array_equal(one.replicates, two.replicates, equal_nan=True)


# 29: a square matrix is ratings


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame], ids="fault-29-{.__name__}".format)
def test_square_matrix_is_ratings(make):
    square = make([[1, 2], [2, 2]])
    assert kx.iota(square).estimate == kx.light_kappa(square).estimate == kx.conger_kappa(square).estimate == 0
    assert alpha(square) == alpha([[1, 2, None], [2, 2, None]])
