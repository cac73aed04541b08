"""Bad input: a clear error of the package's own that names what was found and where, or NaN with a reason."""

import json
import math
import struct
import subprocess
import sys
import warnings
import zlib
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kappax as kx
from kappax import _core
from kappax import reference as ref

inf, nan = math.inf, math.nan
KX, RE, LE, TE = kx.KappaxError, kx.RatingsError, kx.LevelError, TypeError

NAMED = (kx.iota, kx.conger_kappa, kx.light_kappa)
ANONYMOUS = (
    *(kx.krippendorff_alpha, kx.fleiss_kappa, kx.scott_pi),
    *(kx.percent_agreement, kx.gwet_ac, kx.brennan_prediger),
)
ONE_POOL = (*ANONYMOUS, *NAMED)
CROSS = (kx.cross_kappa, kx.normalized_cross_kappa)
PAIRS = (kx.cohen_kappa, *CROSS)
MATRIX_IN = (*ONE_POOL, kx.coincidence_matrix, kx.split_half_reliability, kx.Ratings.from_matrix)
GOOD = [[1, 2], [2, 2], [3, 1]]


def named(function):
    return function.__qualname__.removesuffix(".from_matrix")


def each(functions):
    return pytest.mark.parametrize("function", functions, ids=named)


def silently(compute):
    """Compute what may be undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kx.UndefinedCoefficientWarning)
        return compute()


def undefined(compute, reason=""):
    with pytest.warns(kx.UndefinedCoefficientWarning):
        result = compute()
    assert math.isnan(result.estimate)
    assert reason in result.reason


# Shapes and types of a matrix


class Stuck:
    """Something that does not become an array, as a tensor that needs its gradient."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("call detach() first")


BAD_MATRICES = {
    "no rows": ([], RE, r"\(0, 0\)$"),
    "no columns": ([[], []], RE, r"\(2, 0\)$"),
    "array without rows": (np.empty((0, 3)), RE, r"\(0, 3\)$"),
    "array without columns": (np.empty((3, 0)), RE, r"\(3, 0\)$"),
    "empty pandas": (pd.DataFrame(), RE, r"\(0, 0\)$"),
    "empty polars": (pl.DataFrame({"a": []}), RE, r"\(0, 1\)$"),
    "0-D": (np.array(5), RE, r"0-D of shape: \(\)$"),
    "1-D": (np.array([1, 2, 3]), RE, r"1-D of shape: \(3,\)$"),
    "1-D list": ([1, 2, 3], RE, "row 0 is not a row of ratings: 1$"),
    "1-D series": (pd.Series([1, 2]), RE, r"shape: \(2,\)$"),
    "3-D": (np.zeros((2, 2, 2)), RE, r"3-D of shape: \(2, 2, 2\)$"),
    "3-D list": ([[[1], [2]], [[1], [2]]], RE, "unit 0, rater 0"),
    "ragged": ([[1, 2], [1, 2, 3]], RE, "row 0 has 2 ratings, row 1 has: 3$"),
    "half ragged": ([[1, 2], 3], RE, "row 1 is not a row of ratings: 3$"),
    "infinite": ([[1, 2], [inf, 2]], RE, "infinite rating, unit 1, rater 0: inf$"),
    "minus infinite": (np.array([[1, -inf]]), RE, "infinite rating, unit 0, rater 1: -inf$"),
    "infinite float16": (np.array([[1, inf]], dtype="float16"), RE, "unit 0, rater 1: inf$"),
    "infinite by name": (pl.DataFrame({"ann": [1.0, 2], "bob": [1.0, inf]}), RE, "unit 1, rater 'bob': inf$"),
    "mixed": ([[1, "a"], [2, 2]], RE, "number and text values mixed.*: 1 and 'a'$"),
    "lists in cells": ([[1, [2]], [1, 2]], RE, r"a list is not a rating, unit 0, rater 1: \[2\]$"),
    "dicts in cells": ([[1, {}], [1, 2]], RE, r"a dict is not a rating, unit 0, rater 1: \{\}$"),
    "objects in cells": (
        np.array([[1, None], [2, {3}]], dtype=object),
        RE,
        r"a set is not a rating, unit 1, rater 1: \{3\}$",
    ),
    "None": (None, TE, "NoneType"),
    "text": ("abc", TE, "str"),
    "bytes": (b"abc", TE, "bytes"),
    "number": (3, TE, "int"),
    "dict": ({"a": [1, 2]}, TE, "dict"),
    "set": ({1, 2}, TE, "set"),
    "generator": ((row for row in GOOD), TE, "generator"),
    "dict rows": ([{"a": 1}, {"a": 2}], TE, "row 0 must be a list of ratings, not dict$"),
    "function": (len, TE, "builtin_function_or_method"),
    "structured": (np.zeros((2, 2), dtype=[("a", int)]), TE, "dtype"),
    "complex": (np.array([[1, 1j], [2, 2]]), RE, "complex"),
    "stuck": (Stuck(), TE, "Stuck does not convert to a numpy array: call detach"),
    "stuck in cells": ([[Stuck(), 1], [1, 2]], TE, "Stuck does not convert to a numpy array: call detach"),
    "nested": (pl.DataFrame({"a": [[1]], "b": [[2]]}), RE, "column 'a' holds nested values"),
    "twins": (pd.DataFrame([[1, 2]], columns=["a", "a"]), RE, "more than one column of the same name: 'a'$"),
}


@pytest.mark.parametrize("name", BAD_MATRICES)
@each(MATRIX_IN)
def test_bad_matrix(function, name):
    values, error, message = BAD_MATRICES[name]
    with pytest.raises(error, match=message):
        function(values)


READ_AS_VECTORS = {"no rows", "1-D", "1-D list", "1-D series", "half ragged", "dict rows"}


@pytest.mark.parametrize("name", [name for name in BAD_MATRICES if name not in READ_AS_VECTORS])
@each(CROSS)
def test_bad_matrix_across(function, name):
    values, error, message = BAD_MATRICES[name]
    for x, y in ((values, values), (GOOD, values), (values, GOOD)):
        with pytest.raises(error, match=message):
            function(x, y)


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ([], [], RE, r"\(0, 1\)$"),
        ([1, 2], [1, 2, 3], RE, "2 and 3$"),
        ([1, inf], [1, 2], RE, "unit 1, rater 'x': inf$"),
        ([1, 2], [1, -inf], RE, "unit 1, rater 'y': -inf$"),
        ([1, 2], [1, "a"], RE, "number and text"),
        ([1, [2]], [1, 2], RE, r"unit 1, rater 'x': \[2\]$"),
        ([[1, 2], [2, 2]], [1, 2], RE, r"x must be a vector.*\(2, 2\)$"),
        (np.zeros((2, 2)), [1, 2], RE, r"x must be a vector.*\(2, 2\)$"),
        ([1, 2], None, TE, "NoneType"),
        ("ab", "ab", TE, "str"),
        (kx.Ratings.from_matrix(GOOD), [1, 2, 3], TE, "Ratings"),
    ],
)
def test_bad_vectors(x, y, error, message):
    with pytest.raises(error, match=message):
        kx.cohen_kappa(x, y)


# All missing, one unit, one rater: undefined, with a reason

ALL_MISSING = {
    "None": [[None, None]] * 2,
    "NaN": np.full((2, 2), nan),
    "NA": pd.DataFrame([[pd.NA] * 2] * 2, dtype="Int64"),
    "null": pl.DataFrame({"a": [None, None], "b": [None, None]}),
    "mask": np.ma.masked_all((2, 2), dtype="int8"),
}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("name", ALL_MISSING)
@each(ONE_POOL)
def test_all_missing(function, name, level):
    undefined(lambda: function(ALL_MISSING[name], level))


@pytest.mark.parametrize("name", ALL_MISSING)
def test_all_missing_across(name):
    values = ALL_MISSING[name]
    for function in CROSS:
        undefined(lambda f=function: f(values, values))
    undefined(lambda: kx.cohen_kappa([None, nan], [None, None]), "no unit was rated by both raters")
    undefined(lambda: kx.krippendorff_alpha(values, lambda a, b: a - b))
    undefined(lambda: kx.krippendorff_alpha(values, ci=kx.Bootstrap(10, seed=1)))
    undefined(lambda: kx.split_half_reliability(values))
    undefined(lambda: kx.disattenuated_correlation(values, values), "no unit was rated in both pools")


@each(ONE_POOL)
def test_one_rater(function):
    undefined(lambda: function([[1], [2], [3]]))
    undefined(lambda: function([[1, None], [None, 2], [3, None]]))


@each(ONE_POOL)
def test_one_unit(function):
    assert math.isfinite(function([[1, 2]], domain=[1, 2]).estimate)
    if function not in {
        kx.percent_agreement,
        kx.gwet_ac,
        kx.brennan_prediger,
    }:  # which do not look at what occurred
        undefined(lambda: function([[1, 1]]))


def test_pools_that_share_no_unit():
    x, y = ([[1, 2], [None, None]], [[None, None], [2, 1]])
    by_label = [kx.Ratings.from_matrix([[1, 2]], units=[label]) for label in "ab"]
    for function in CROSS:
        undefined(lambda f=function: f(x, y), "no unit was rated in both pools")
        undefined(lambda f=function: f(*by_label), "no unit was rated in both pools")
    undefined(lambda: kx.cohen_kappa([1, None], [None, 2]), "no unit was rated by both raters")
    frame = {"u": [1, 1, 2, 2], "p": ["a", "a", "b", "b"], "v": [1, 2, 1, 2]}
    result = kx.cross_replication(kx.Ratings.from_long(frame, unit="u", pool="p", value="v"))
    assert "no unit was rated in both pools" in result.cross_kappa["a", "b"].reason
    assert "no unit was rated in both pools" in result.normalized["a", "b"].reason


# Levels

BAD_LEVELS = {
    "unknown": ("Nominal", LE, "did you mean 'nominal'"),
    "None": (None, LE, r"\(\)$"),
    "number": (3, LE, r"\(\)$"),
    "asymmetric": ([[0, 1, 1], [2, 0, 1], [1, 1, 0]], LE, r"between 1 and 2 it is: 1 \(and 2 back\)$"),
    "negative": ([[0, 1, -1], [1, 0, 1], [-1, 1, 0]], LE, "between 1 and 3 it is: -1$"),
    "diagonal": ([[0, 1, 1], [1, 5, 1], [1, 1, 0]], LE, "between 2 and 2 it is: 5$"),
    "infinite": ([[0, 1, inf], [1, 0, 1], [inf, 1, 0]], LE, "between 1 and 3 it is: inf$"),
    "NaN": ([[0, 1, nan], [1, 0, 1], [nan, 1, 0]], LE, "between 1 and 3 it is: nan$"),
    "too small": ([[0, 1], [1, 0]], LE, r"shape: \(2, 2\)$"),
    "too large": (1 - np.eye(4), LE, r"shape: \(4, 4\)$"),
    "not square": (np.zeros((3, 2)), LE, r"shape: \(3, 2\)$"),
    "1-D": ([0, 1, 2], LE, r"shape: \(3,\)$"),
    "ragged": ([[0, 1], [1]], LE, "K x K"),
    "text": ([["a"] * 3] * 3, LE, "K x K"),
    "raises": (lambda _a, _b: 1 / 0, LE, "fails on 1 and 1: division by zero$"),
    "looks up": (lambda a, _b: {}[a], LE, "fails on 1 and 1"),
    "looks up by place": (lambda a, _b: [][a], LE, "fails on 1 and 1"),
    "complex": (1j * np.eye(3), LE, "K x K|numbers|complex"),
    "masked": (np.ma.masked_equal(1 - np.eye(3), 1), LE, "missing|mask|finite"),
    "NaN function": (lambda a, b: nan if a != b else 0, LE, "between 1 and 2 it is: nan$"),
    "infinite function": (lambda a, b: inf if a != b else 0, LE, "between 1 and 2 it is: inf$"),
    "asymmetric function": (lambda a, b: max(a - b, 0), LE, "same in both directions; between 1 and 2"),
    "negative function": (lambda a, b: -abs(a - b), LE, "between 1 and 2 it is: -1$"),
    "None function": (lambda _a, _b: None, LE, "fails on 1 and 1"),
    "wrong arguments": (lambda a: a, LE, "fails on 1 and 1"),
    "circular without period": ("circular", LE, "period=.*None$"),
    "bipolar without limits": ("bipolar", LE, "limits=.*None$"),
}


@pytest.mark.parametrize("name", BAD_LEVELS)
@each((*ONE_POOL, *PAIRS))
def test_bad_level(function, name):
    level, error, message = BAD_LEVELS[name]
    data = (GOOD,) if function in ONE_POOL else tuple(zip(*GOOD, strict=True))
    with pytest.raises(error, match=message):
        function(*data, level)


BAD_OPTIONS = {
    "period 0": ("circular", {"period": 0}, LE, ": 0$"),
    "period negative": ("circular", {"period": -1}, LE, ": -1$"),
    "period infinite": ("circular", {"period": inf}, LE, ": inf$"),
    "period NaN": ("circular", {"period": nan}, LE, ": nan$"),
    "period text": ("circular", {"period": "24"}, (LE, TE), "24|str"),
    "period elsewhere": ("interval", {"period": 24}, LE, "not to level: 'interval'$"),
    "limits reversed": ("bipolar", {"limits": (5, 0)}, LE, r"\(5, 0\)$"),
    "limits alike": ("bipolar", {"limits": (1, 1)}, LE, r"\(1, 1\)$"),
    "limits NaN": ("bipolar", {"limits": (nan, 5)}, LE, "nan"),
    "limits narrow": ("bipolar", {"limits": (0, 2)}, LE, "limits 0 and 2: 3$"),
    "three limits": ("bipolar", {"limits": (0, 2, 5)}, (LE, TE), "limits"),
    "one limit": ("bipolar", {"limits": 5}, (LE, TE), "limits"),
    "limits elsewhere": ("nominal", {"limits": (0, 5)}, LE, "not to level: 'nominal'$"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
@each((kx.krippendorff_alpha, kx.cohen_kappa))
def test_bad_options_of_a_level(function, name):
    level, options, error, message = BAD_OPTIONS[name]
    data = (GOOD,) if function is kx.krippendorff_alpha else tuple(zip(*GOOD, strict=True))
    with pytest.raises(error, match=message):
        function(*data, level, **options)


@pytest.mark.parametrize("level", ["interval", "ratio", "linear", "radical"])
@each((*ONE_POOL, *PAIRS))
def test_text_at_a_numeric_level(function, level):
    units = [["a", "b"], ["b", "b"]]
    data = (units,) if function in ONE_POOL else tuple(zip(*units, strict=True))
    with pytest.raises(LE, match=f"level '{level}' needs numbers.*: 'a'$"):
        function(*data, level)
    silently(lambda: function(*data, level, domain=["a", "b"]))


@each((*ONE_POOL, *PAIRS))
def test_negative_at_ratio_level(function):
    data = ([[1, 2], [-3, 2]],) if function in ONE_POOL else ([1, -3], [2, 2])
    with pytest.raises(LE, match=r"level 'ratio' needs values of 0 or more, unit 1, rater .*: -3$"):
        function(*data, "ratio")


@each((*ONE_POOL, *PAIRS))
def test_declared_negative_at_ratio_level(function):
    data = ([[1, 2], [2, 2]],) if function in ONE_POOL else ([1, 2], [2, 2])
    with pytest.raises(LE, match=r"level 'ratio' needs values of 0 or more: -1$"):
        function(*data, "ratio", domain=[-1, 1, 2])
    twin = getattr(ref, function.__name__)
    with pytest.raises(ValueError, match=r"zero or more; found: -1"):
        twin(*data if function in (*ONE_POOL, kx.cohen_kappa) else ([[1], [2]], [[2], [2]]), "ratio", domain=[-1, 1, 2])


# Domains

BAD_DOMAINS = {
    "empty": ([], RE, "empty"),
    "twice": ([1, 2, 3, 2], RE, "twice.*: 2$"),
    "twice by equality": ([1, 1.0, 2, 3], RE, "twice"),
    "missing": ([1, 2, 3, None], RE, ": None$"),
    "NaN": ([1, 2, 3, nan], RE, ": nan$"),
    "infinite": ([1, 2, 3, inf], RE, ": inf$"),
    "unhashable": ([1, 2, 3, [4]], RE, r": \[4\]$"),
    "too small": ([1, 2], RE, "rating outside of the domain.*: 3$"),
    "text of numbers": (["1", "2", "3"], RE, "the rating is number, the domain is not.*: 2|: 1$"),
    "text": ("123", TE, "str"),
    "number": (3, TE, "int"),
    "set": ({1, 2, 3}, TE, "set"),
    "dict": ({1: 1, 2: 2, 3: 3}, TE, "dict"),
}


@pytest.mark.parametrize("name", BAD_DOMAINS)
@each(
    (
        *ONE_POOL,
        *PAIRS,
        kx.coincidence_matrix,
        kx.split_half_reliability,
        kx.Ratings.from_matrix,
        kx.cross_replication,
    )
)
def test_bad_domain(function, name):
    domain, error, message = BAD_DOMAINS[name]
    data = tuple(zip(*GOOD, strict=True)) if function in PAIRS else (GOOD,)
    if function is kx.cross_replication:
        data = (kx.Ratings.from_long(LONG, unit="u", pool="p", value="v"),)
    with pytest.raises(error, match=message):
        function(*data, domain=domain)


def test_outside_of_the_domain_is_named():
    with pytest.raises(RE, match=r"unit 'c', rater 'ann': 3$"):
        kx.Ratings.from_matrix(GOOD, units=["a", "b", "c"], raters=["ann", "bob"], domain=[1, 2])
    with pytest.raises(RE, match=r"row 4, unit 2: 3$"):
        kx.Ratings.from_long(LONG, unit="u", value="v", domain=[1, 2])
    with pytest.raises(RE, match=r"outside of the domain.*: 1$"):
        kx.krippendorff_alpha(kx.Tally.from_counts([[1, 2]]), domain=[0, 2])


# Long frames

LONG = {"u": [0, 0, 1, 1, 2, 2], "r": ["a", "b"] * 3, "p": ["x", "y"] * 3, "v": [1, 2, 2, 2, 3, 1]}
MAKERS = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "lazy": pl.LazyFrame,
}

BAD_LONG = {
    "no column unit": ({}, {"unit": "U"}, RE, "no column 'U' for unit=.*did you mean 'u'.*: 'U'$"),
    "no column value": ({}, {"value": "label"}, RE, "no column 'label' for value=.*: 'label'$"),
    "no column rater": ({}, {"rater": "who"}, RE, "no column 'who' for rater="),
    "no column pool": ({}, {"pool": "pools"}, RE, "no column 'pools' for pool="),
    "no column count": ({}, {"count": "n", "rater": None}, RE, "no column 'n' for count="),
    "unit missing": ({"u": [0, 0, None, 1, 2, 2]}, {}, RE, "without a unit, row: 2$"),
    "rater missing": ({"r": ["a", None, "a", "b", "a", "b"]}, {}, RE, "without a rater, row: 1$"),
    "pool missing": ({"p": ["x"] * 5 + [None]}, {"pool": "p"}, RE, "without a pool, row: 5$"),
    "twice": ({"u": [0, 0, 0, 1, 2, 2]}, {}, RE, "unit 0, rater 'a', rows 0 and 2: 1 and 2$"),
    "twice in a pool": (
        {"u": [0, 0, 0, 1, 2, 2]},
        {"pool": "p"},
        RE,
        "unit 0, rater 'a', pool 'x', rows 0 and 2: 1 and 2$",
    ),
    "infinite": (
        {"v": [1.0, 2.0, 2.0, inf, 1.0, 1.0]},
        {},
        RE,
        "infinite rating, row 3, unit 1, rater 'b': inf$",
    ),
    "outside": ({}, {"domain": [1, 2]}, RE, "row 4, unit 2, rater 'a': 3$"),
    "no rows": ({name: [] for name in LONG}, {}, RE, "no rows.*: 0$"),
    "count and rater": ({"n": [1] * 6}, {"count": "n"}, RE, "count= .*: 'r'$"),
    "count negative": ({"n": [1, 1, -1, 1, 1, 1]}, {"count": "n", "rater": None}, RE, "row 2, unit 1: -1$"),
    "count fraction": (
        {"n": [1.0, 1.0, 1.0, 1.5, 1.0, 1.0]},
        {"count": "n", "rater": None},
        RE,
        "row 3, unit 1: 1.5$",
    ),
    "count missing": (
        {"n": [1, 1, 1, 1, None, 1]},
        {"count": "n", "rater": None},
        RE,
        "row 4, unit 2: missing$",
    ),
    "count too large": (
        {"n": [1, 2**32, 1, 1, 1, 1]},
        {"count": "n", "rater": None},
        RE,
        "row 1, unit 0: 4294967296$",
    ),
    "count text": ({"n": list("111111")}, {"count": "n", "rater": None}, RE, "row 0, unit 0: '1'$"),
    "duplicates": ({}, {"duplicates": "drop"}, KX, "'first'.*: 'drop'$"),
    "unit None": ({}, {"unit": None}, TE, "unit= must name a column"),
    "value None": ({}, {"value": None}, TE, "value= must name a column"),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("name", BAD_LONG)
def test_bad_long(name, make):
    changed, options, error, message = BAD_LONG[name]
    with pytest.raises(error, match=message):
        kx.Ratings.from_long(make({**LONG, **changed}), **{"unit": "u", "rater": "r", "value": "v", **options})


@pytest.mark.parametrize(
    "frame", [None, "a.csv", 3, [1, 2], np.zeros((2, 2)), {1, 2}, iter([{"u": 1}])], ids=lambda x: type(x).__name__
)
def test_what_is_no_frame(frame):
    for read in (kx.Ratings.from_long, kx.Tally.from_frame):
        with pytest.raises(TE, match=type(frame).__name__):
            read(frame, unit="u", value="v")


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ({"u": [1, 2], "v": [1]}, RE, "different lengths"),
        ({"u": 1, "v": 2}, TE, "column 'u' must be a list"),
        ({"u": "ab", "v": "ab"}, TE, "column 'u' must be a list"),
        ({"u": [1, [2]], "v": [1, 2]}, RE, r"row 1: \[2\]$"),
        ({"u": [1, 1], "v": [1, [2]]}, RE, r"row 1, unit 1: \[2\]$"),
        ({"u": np.zeros((2, 2)), "v": [1, 2]}, RE, "column 'u' must be 1-D"),
        ({"u": [1, 1], "v": np.zeros((2, 2))}, RE, "column 'v' must be 1-D"),
        (pd.DataFrame([[1, 1, 2]], columns=["u", "v", "v"]), RE, "same name: 'v'$"),
        (pa.table([[1], [1], [2]], names=["u", "v", "v"]), RE, "same name: 'v'$"),
        (pl.DataFrame({"u": [1], "v": [[1]]}), RE, "column 'v' holds nested values"),
        (pl.DataFrame({"u": [{"a": 1}], "v": [1]}), RE, "column 'u' holds nested values"),
    ],
)
def test_columns_of_a_wrong_kind(frame, error, message):
    with pytest.raises(error, match=message):
        kx.Ratings.from_long(frame, unit="u", value="v")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"units": ["a", "b"]}, RE, "each of the 3.*: 2$"),
        ({"units": ["a", "a", "b"]}, RE, "twice: 'a'$"),
        ({"units": ["a", None, "b"]}, RE, "missing label at position 1: None$"),
        ({"units": ["a", "b", []]}, RE, r"position 2: \[\]$"),
        ({"raters": ["a", nan]}, RE, "missing label at position 1: nan$"),
        ({"raters": "ab"}, TE, "str"),
        ({"raters": 2}, TE, "int"),
    ],
)
def test_bad_labels(options, error, message):
    with pytest.raises(error, match=message):
        kx.Ratings.from_matrix(GOOD, **options)


# Counts, tallies, pools

BAD_COUNTS = {
    "negative": ([[1, 2], [-1, 2]], RE, "unit 1, value 0: -1$"),
    "fraction": ([[1, 2.5]], RE, r"unit 0, value 1: 2\.5$"),
    "missing": ([[1, None]], RE, "unit 0, value 1: missing$"),
    "NaN": (np.array([[1, nan]]), RE, "unit 0, value 1: missing$"),
    "infinite": ([[1, inf]], RE, "unit 0, value 1: inf$"),
    "text": ([["1", "2"]], RE, "unit 0, value 0: '1'$"),
    "bool": (np.array([[True, False]]), RE, "unit 0, value 0: True$"),
    "too large": ([[1, 2**32]], RE, "unit 0, value 1: 4294967296$"),
    "far too large": ([[1, 10**30]], RE, "unit 0, value 1: 1000000000000000000000000000000$"),
    "empty": ([], RE, r"\(0, 0\)$"),
    "1-D": ([1, 2], RE, "not a row"),
    "ragged": ([[1, 2], [1]], RE, "row 1 has: 1$"),
    "None": (None, TE, "NoneType"),
}


@pytest.mark.parametrize("name", BAD_COUNTS)
def test_bad_counts(name):
    counts, error, message = BAD_COUNTS[name]
    with pytest.raises(error, match=message):
        kx.Tally.from_counts(counts)


def test_counts_and_their_domain():
    for domain, message in (
        ([1], "1 values, the columns of counts are: 2"),
        ([1, 2, 3], "3 values"),
        ([1, 1], "twice"),
    ):
        with pytest.raises(RE, match=message):
            kx.Tally.from_counts([[1, 2]], domain=domain)
    with pytest.raises(RE, match=r"no value of the domain.*: 'b'$"):
        kx.Tally.from_counts(pl.DataFrame({"a": [1], "b": [2]}), domain=["a", "c"])
    with pytest.raises(RE, match=r"unit 'u', value 'b': -2$"):
        kx.Tally.from_counts(pl.DataFrame({"a": [1], "b": [-2]}), units=["u"])
    undefined(lambda: kx.krippendorff_alpha(kx.Tally.from_counts([[0, 0], [1, 0]])))


def test_tallies_and_ratings_that_do_not_say_enough():
    counts = kx.Tally.from_counts([[1, 1], [2, 0]])
    anonymous = kx.Ratings.from_long(LONG, unit="u", value="v")
    for function in NAMED:
        for data in (counts, anonymous):
            with pytest.raises(RE, match="rater"):
                function(data)
    for data in (counts, anonymous, kx.Ratings.from_matrix(GOOD), GOOD):
        with pytest.raises(RE, match="pools"):
            kx.cross_replication(data)
    for function in CROSS:
        with pytest.raises(TE, match="Tally"):
            function(counts, counts)
    with pytest.raises(RE, match=r"largest number of ratings of a unit is: 3$"):
        kx.scott_pi([[1, 1, 1]])
    with pytest.raises(RE, match=r"by must be None, 'pool' or 'rater': 'unit'$"):
        kx.Ratings.from_matrix(GOOD).tally("unit")


@pytest.mark.parametrize(
    ("pools", "message"),
    [
        (["x", "z"], "unknown pool.*: 'z'$"),
        (["X", "y"], "did you mean 'x'.*: 'X'$"),
        (["x", "x"], "twice: 'x'$"),
        (["x"], "two pools or more: 'x'$"),
        ([], "no pool"),
        ("x", "two pools or more: 'x'$"),
    ],
)
def test_bad_pools(pools, message):
    ratings = kx.Ratings.from_long(LONG, unit="u", pool="p", value="v")
    for data in (ratings, ratings.tally("pool")):
        with pytest.raises(RE, match=message):
            kx.cross_replication(data, pools=pools)


@pytest.mark.parametrize("pools", [3, [["x"], "y"], [None, "y"], [{}, "y"]], ids=repr)
def test_pools_of_a_wrong_kind(pools):
    ratings = kx.Ratings.from_long(LONG, unit="u", pool="p", value="v")
    for data in (ratings, ratings.tally("pool")):
        with pytest.raises((RE, TE)):
            kx.cross_replication(data, pools=pools)


def test_units_that_cannot_be_matched():
    labelled = kx.Ratings.from_matrix(GOOD, units=["a", "b", "c"])
    with pytest.raises(RE, match=r"y only row numbers.*: 'a'$"):
        kx.cross_kappa(labelled, GOOD)
    with pytest.raises(RE, match=r"3 and 2$"):
        kx.cross_kappa(GOOD, GOOD[:2])


@pytest.mark.parametrize("n", range(0, 200, 7))
def test_bytes_cut_short_or_damaged(n):
    data = kx.Ratings.from_matrix(GOOD).tally().to_bytes()
    for damaged in (
        data[:n],
        data[:n] + bytes([data[n] ^ 1]) + data[n + 1 :] if n < len(data) else b"",
        data + b"x" * (n + 1),
    ):
        with pytest.raises(RE):
            kx.Tally.from_bytes(damaged)


@pytest.mark.parametrize("data", [None, "text", 3, [1, 2]], ids=repr)
def test_what_are_no_bytes(data):
    with pytest.raises(TE, match=type(data).__name__):
        kx.Tally.from_bytes(data)


DAMAGED_LABELS = [
    ["int", 1, 2],
    ["set", 1],
    ["float", "0x1p99999"],
    ["Decimal", "x"],
    ["tuple", ["x"]],
    [],
    5,
    ["int", 2],
]


@pytest.mark.parametrize("label", DAMAGED_LABELS, ids=repr)
def test_bytes_of_a_damaged_label(label):
    """The checksum holds, what it covers does not."""
    tally = kx.Tally.from_counts([[1, 2]], domain=[1, 2])
    header = {"domain": [label, ["int", 2]], "pools": [["none"]], "ordered": True, "n_raters": None}
    text = json.dumps(header).encode()
    body = struct.pack("<I", len(text)) + text + tally.table.to_bytes()
    with pytest.raises(RE, match="damaged"):
        kx.Tally.from_bytes(struct.pack("<8sHI", b"kxTALLY\n", 1, zlib.crc32(body)) + body)


# Words of cross-kappa


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"irr": "Alpha"}, KX, "did you mean 'alpha'.*: 'Alpha'$"),
        ({"irr": "iota"}, KX, "irr must be .*: 'iota'$"),
        ({"irr": None}, TE, "irr must be a word"),
        ({"irr_units": "some"}, KX, "'all' or 'shared'.*: 'some'$"),
        ({"irr_x": "high"}, TE, "irr_x must be a number, not str"),
        ({"irr_y": inf}, KX, "irr_y .*: inf$"),
        ({"irr_y": nan}, KX, "irr_y .*: nan$"),
        ({"irr_x": True}, TE, "irr_x"),
    ],
)
def test_bad_words_of_normalized(options, error, message):
    with pytest.raises(error, match=message):
        kx.normalized_cross_kappa(GOOD, GOOD, **options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reliability": "alpha"}, KX, "'split-half'.*: 'alpha'$"),
        ({"reliability": 1}, TE, "reliability must be a word"),
        ({"reliability_x": "high"}, TE, "reliability_x"),
        ({"n_halvings": 0}, KX, "between 1 and"),
        ({"seed": -1}, KX, "seed .*: -1$"),
    ],
)
def test_bad_words_of_disattenuated_correlation(options, error, message):
    with pytest.raises(error, match=message):
        kx.disattenuated_correlation(GOOD, GOOD, **options)


@pytest.mark.parametrize(
    ("irr", "k", "error"),
    [
        (0.5, 0, KX),
        (0.5, -1, KX),
        (0.5, nan, KX),
        (0.5, inf, KX),
        (1.1, 2, KX),
        ("x", 2, TE),
        (None, 2, TE),
        (0.5, None, TE),
    ],
)
def test_bad_k_rater_reliability(irr, k, error):
    with pytest.raises(error):
        kx.k_rater_reliability(irr, k)


@pytest.mark.parametrize("arguments", [("a", 1, 1), (1, None, 1), (1, 1, [1])], ids=repr)
def test_bad_normalize_kappa(arguments):
    with pytest.raises((TE, KX)):
        kx.normalize_kappa(*arguments)


# Bootstrap

BAD_BOOTSTRAPS = {
    "n 0": ({"n_resamples": 0}, KX, "between 1 and .*: 0$"),
    "n negative": ({"n_resamples": -5}, KX, ": -5$"),
    "n too large": ({"n_resamples": 10**9}, KX, ": 1000000000$"),
    "n fraction": ({"n_resamples": 10.0}, TE, "n_resamples must be an int, not float"),
    "n text": ({"n_resamples": "10"}, TE, "not str"),
    "n bool": ({"n_resamples": True}, TE, "not bool"),
    "n array": ({"n_resamples": np.array([1, 2])}, TE, "not ndarray"),
    "seed negative": ({"seed": -1}, KX, "seed must be between 0 and .*: -1$"),
    "seed too large": ({"seed": 2**64}, KX, ": 18446744073709551616$"),
    "seed float": ({"seed": 1.0}, TE, "not float"),
    "seed text": ({"seed": "abc"}, TE, "not str"),
    "seed bool": ({"seed": True}, TE, "not bool"),
    "seed state": ({"seed": np.random.RandomState(1)}, TE, "not RandomState"),
    "seed list": ({"seed": [1, 2]}, TE, "not list"),
    "level 0": ({"confidence_level": 0}, KX, ": 0$"),
    "level 1": ({"confidence_level": 1}, KX, ": 1$"),
    "level 95": ({"confidence_level": 95}, KX, ": 95$"),
    "level NaN": ({"confidence_level": nan}, KX, ": nan$"),
    "level text": ({"confidence_level": "0.9"}, TE, "not str"),
    "method": ({"method": "Percentile"}, KX, "'Percentile'$"),
    "method None": ({"method": None}, TE, "NoneType"),
    "resample": ({"resample": "rows"}, KX, "'rows'$"),
}


@pytest.mark.parametrize("name", BAD_BOOTSTRAPS)
def test_bad_bootstrap(name):
    options, error, message = BAD_BOOTSTRAPS[name]
    with pytest.raises(error, match=message):
        kx.Bootstrap(**options)


BAD_RUNS = {
    "ci": ({"ci": 1000}, TE, "kx.Bootstrap"),
    "ci class": ({"ci": kx.Bootstrap}, TE, "kx.Bootstrap"),
    "threads 0": ({"n_threads": 0}, KX, "at least 1: 0$"),
    "threads negative": ({"n_threads": -4}, KX, "at least 1: -4$"),
    "threads float": ({"n_threads": 2.0}, TE, "float"),
    "threads text": ({"n_threads": "2"}, TE, "str"),
    "threads bool": ({"n_threads": True}, TE, "bool"),
    "progress": ({"progress": "yes"}, TE, "progress must be a function"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
@each((*ONE_POOL, *PAIRS))
def test_bad_run(function, name):
    options, error, message = BAD_RUNS[name]
    data = (GOOD,) if function in ONE_POOL else tuple(zip(*GOOD, strict=True))
    with pytest.raises(error, match=message):
        function(*data, **options)


@pytest.mark.parametrize("n_threads", [1, 2, 1000, 2**31, 2**63 - 1, 2**64, 10**30])
def test_any_number_of_threads(n_threads):
    ci = kx.Bootstrap(20, seed=1)
    one = kx.krippendorff_alpha(GOOD, ci=ci, n_threads=1)
    many = kx.krippendorff_alpha(GOOD, ci=ci, n_threads=n_threads)
    assert np.array_equal(one.replicates, many.replicates, equal_nan=True)
    halves = [kx.split_half_reliability(GOOD, n_halvings=9, seed=1, n_threads=n) for n in (1, n_threads)]
    assert halves[0] == halves[1]


class OwnError(Exception):
    """Something that a caller raises."""


@pytest.mark.parametrize("error", [OwnError, KeyboardInterrupt, SystemExit, RuntimeError])
def test_progress_that_raises(error):
    def progress(_done, _total):
        raise error

    with pytest.raises(error):
        kx.krippendorff_alpha(GOOD, ci=kx.Bootstrap(100_000, seed=1), progress=progress)


def test_progress_of_wrong_arguments():
    with pytest.raises(TE):
        kx.krippendorff_alpha(GOOD, ci=kx.Bootstrap(100_000, seed=1), progress=lambda: None)


# Sizes and numbers at the end of their range

MAX, MIN = sys.float_info.max, 5e-324
ENDS = {
    "large": [[MAX, MAX / 2], [MAX / 2, MAX / 2], [0.0, MAX], [MAX / 4, 0.0]],
    "small": [[MIN, 2 * MIN], [2 * MIN, 2 * MIN], [0.0, MIN], [8 * MIN, 0.0]],
    "both": [[MAX, MIN], [MIN, MIN], [0.0, MAX], [1.0, MAX], [MAX, MAX]],
    "far apart": [[-MAX, MAX], [MAX, MAX], [0.0, -MAX], [-MAX, -MAX]],
}
TWINS = {
    kx.krippendorff_alpha: ref.krippendorff_alpha,
    kx.iota: ref.iota,
    kx.percent_agreement: ref.percent_agreement,
}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio", "linear", "radical"])
@pytest.mark.parametrize("name", ENDS)
@each(TWINS)
def test_ends_of_the_range_of_numbers(function, name, level):
    units = [[abs(v) for v in row] for row in ENDS[name]] if level == "ratio" else ENDS[name]
    domain = sorted({v for row in units for v in row})
    assert function(units, level).estimate == pytest.approx(
        float(TWINS[function](units, level, domain=domain)[0]), rel=1e-14, abs=1e-14
    )


@pytest.mark.parametrize("level", ["interval", "ratio", "linear", "radical"])
@pytest.mark.parametrize("unused", [1e300, 1e-300])
@each((*ONE_POOL, kx.cross_kappa))
def test_a_value_that_is_not_compared_does_not_hide_the_others(function, unused, level):
    around = 1e100 if unused > 1 else 1e-200
    units = np.array([[1, 2], [1, 1], [3, 3], [2, 2]]) * around
    alone = np.vstack([units, [[unused, nan]]])
    data = [(table,) if function in ONE_POOL else (table[:, :1], table[:, 1:]) for table in (units, alone)]
    one, other = (function(*tables, level, domain=np.unique(alone[~np.isnan(alone)])) for tables in data)
    if function in (kx.fleiss_kappa, kx.scott_pi, kx.conger_kappa, kx.gwet_ac):  # these take single ratings for chance
        assert math.isfinite(other.estimate)
    else:
        assert one.estimate == other.estimate


def test_ratio_of_many_values_at_the_end_of_the_range():
    values = np.linspace(MAX / 2, MAX, 1200).reshape(-1, 2)
    near = kx.krippendorff_alpha(values / 2**100, "ratio")
    assert kx.krippendorff_alpha(values, "ratio").estimate == pytest.approx(near.estimate, rel=1e-14)


def test_differences_beyond_double_precision_say_so():
    units = [[-1.7e308, 1.7e308], [1.0, 1.7e308], [1.0, 1.0]]
    ci = kx.Bootstrap(20, seed=1)
    with pytest.warns(kx.UndefinedCoefficientWarning):
        e = kx.krippendorff_alpha(units, "bipolar", limits=(-1.75e308, 1.75e308), ci=ci)
    assert "double precision" in e.reason
    assert math.isnan(e.estimate)
    undefined(lambda: kx.krippendorff_alpha(units, "circular", period=1e-300), reason="double precision")
    undefined(lambda: kx.normalized_cross_kappa(GOOD, GOOD, irr_x=1e-300, irr_y=1e-300), reason="double precision")


@pytest.mark.parametrize("difference", [MAX, 1e300, 1e-300, MIN])
def test_ends_of_the_range_of_a_matrix(difference):
    matrix = difference * (1 - np.eye(3))
    for function in (kx.krippendorff_alpha, kx.fleiss_kappa, kx.iota, kx.gwet_ac):
        assert function(GOOD, matrix).estimate == pytest.approx(function(GOOD).estimate, rel=1e-14)
    assert kx.cross_kappa(GOOD, GOOD, matrix).estimate == pytest.approx(kx.cross_kappa(GOOD, GOOD).estimate, rel=1e-14)


@pytest.mark.parametrize("value", [10**400, -(10**400), 2**53 + 1], ids=["large", "small", "odd"])
def test_whole_numbers_that_no_float_holds(value):
    units = [[value, 1], [2, value]]
    assert not math.isnan(kx.krippendorff_alpha(units, "ordinal").estimate)
    with pytest.raises(LE, match=r"double precision.*[0-9]+"):
        kx.krippendorff_alpha(units, "interval")


@pytest.mark.parametrize(
    "counts", [[[2**32 - 1] * 2, [2**32 - 1, 0]], [[2**32 - 1] * 9, [5] * 9]], ids=["2 values", "9 values"]
)
def test_units_with_more_pairs_than_64_bits_count(counts):
    n_k = [sum(column) for column in zip(*counts, strict=True)]
    N = sum(n_k)
    observed = sum(Fraction(sum(row) ** 2 - sum(c * c for c in row), sum(row) - 1) for row in counts) / N
    expected = Fraction(N * N - sum(n * n for n in n_k), N * (N - 1))
    try:
        estimate = kx.krippendorff_alpha(kx.Tally.from_counts(counts)).estimate
    except RE:
        return
    assert estimate == pytest.approx(float(1 - observed / expected), rel=1e-12)


def test_halving_more_ratings_than_memory_holds():
    """In a process of its own: memory that is not there ends the process, and no test could report it."""
    code = (
        "import kappax as kx; tally = kx.Tally.from_counts([[2**32 - 1, 1], [1, 2]]);"
        "kx.split_half_reliability(tally, n_halvings=1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}
    assert not done.stderr or "RatingsError" in done.stderr or "MemoryError" in done.stderr


def test_halving_more_units_than_memory_holds():
    """It takes its time, but no memory, and can be stopped in the middle of a halving."""

    def progress(_done, _total):
        raise OwnError

    patterns = np.array([[[2, 0]], [[1, 1]]], dtype=np.uint32)
    table = _core.Tally.from_patterns(patterns, np.array([2**40, 2**41], dtype=np.uint64))
    with pytest.raises(OwnError):
        kx.split_half_reliability(kx.Tally(table, (1, 2)), n_halvings=1, seed=1, progress=progress)


def test_halves_that_correlate_at_minus_one():
    undefined(lambda: kx.split_half_reliability([[1, 4], [2, 3]], seed=1), reason="correlate at -1")


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_means_at_the_ends_of_the_range(unit):
    x, y = np.array([[1, 2], [2, 2], [4, 5], [5, 4]]), np.array([[1, 1], [3, 2], [4, 4], [4, 5]])
    one = kx.split_half_reliability(x, n_halvings=20, seed=1).estimate
    assert kx.split_half_reliability(x * unit, n_halvings=20, seed=1).estimate == pytest.approx(one)
    for word in ("one-way", "cronbach", "split-half"):
        one = kx.disattenuated_correlation(x, y, reliability=word, n_halvings=20, seed=1).estimate
        far = kx.disattenuated_correlation(x * unit, y * unit, reliability=word, n_halvings=20, seed=1).estimate
        assert far == pytest.approx(one)


# Anything at all

CELLS = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=2)),
    *(st.complex_numbers(), st.dates(), st.timedeltas(), st.decimals(), st.fractions(), st.uuids()),
    *(st.lists(st.integers(), max_size=2), st.dictionaries(st.text(max_size=1), st.integers(), max_size=1)),
    st.sampled_from(
        [
            pd.NA,
            pd.NaT,
            np.float16(1),
            np.longdouble(2),
            np.datetime64("NaT"),
            np.ma.masked,
            object(),
            len,
            "\0",
            "\ud800",
        ]
    ),
)
THINGS = st.one_of(
    CELLS,
    st.lists(CELLS, max_size=4),
    st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=4),
    st.lists(st.lists(CELLS, max_size=3).map(tuple), max_size=3).map(tuple),
)
own = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def answers_or_refuses(compute):
    try:
        result = silently(compute)
    except (KX, TE):
        return
    estimate = getattr(result, "estimate", 0.0)
    assert isinstance(estimate, float)
    assert not math.isinf(estimate)
    assert not math.isnan(estimate) or result.reason


LEVEL = st.sampled_from(["nominal", "ordinal", "interval", "ratio", "linear", "radical"])


@own
@given(things=THINGS, level=LEVEL, domain=st.none() | THINGS)
def test_any_matrix(things, level, domain):
    for function in (kx.krippendorff_alpha, kx.light_kappa, kx.gwet_ac):
        answers_or_refuses(lambda f=function: f(things, level, domain=domain))
    answers_or_refuses(lambda: kx.Tally.from_counts(things))
    answers_or_refuses(lambda: kx.Ratings.from_matrix(things).audit())


@own
@given(x=THINGS, y=THINGS, level=LEVEL)
def test_any_pair(x, y, level):
    for function in PAIRS:
        answers_or_refuses(lambda f=function: f(x, y, level))
    answers_or_refuses(lambda: kx.disattenuated_correlation(x, y, n_halvings=2))


@own
@given(level=THINGS, unit=THINGS, value=THINGS, rater=THINGS)
def test_any_level_and_any_column(level, unit, value, rater):
    answers_or_refuses(lambda: kx.krippendorff_alpha(GOOD, level))
    frame = {"u": unit, "v": value, "r": rater}
    answers_or_refuses(lambda: kx.krippendorff_alpha(kx.Ratings.from_long(frame, unit="u", value="v", rater="r")))
