"""Every way to make ratings: what is read, what is missing, what is refused, and that all sources agree."""

from __future__ import annotations

import datetime as dt
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kappax.errors import RatingsError
from kappax.ratings import Ratings, Tally, as_ratings, as_tally, pair, vectors

BIG = 2**53
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}
frame_kinds = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
long_kinds = frame_kinds
wide_kinds = pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"]
)


def cells(ratings: Ratings) -> list[list[object]]:
    """Write ratings as a matrix of plain values again."""
    table: list[list[object]] = [[None] * len(ratings.raters) for _ in ratings.units]
    assert ratings.rater is not None
    for unit, rater, value in zip(ratings.unit, ratings.rater, ratings.value, strict=True):
        table[unit][rater] = ratings.domain[value]
    return table


def typed(values: tuple[object, ...]) -> list[tuple[type, object]]:
    return [(type(value), value) for value in values]


class Tensor:
    """Something that numpy can read, as torch and jax arrays are."""

    def __init__(self, data: object) -> None:
        self.data = np.asarray(data)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.data


# --- matrices: types and missing ratings -------------------------------------------------------------------

nan = math.nan
MATRICES = {
    "list": ([[1, 2], [None, 2]], (1, 2)),
    "list of floats": ([[1.0, 2.0], [nan, 2.0]], (1.0, 2.0)),
    "list of tuples": ([(1, 2), (None, 2)], (1, 2)),
    "list of arrays": ([np.array([1, 2]), [None, 2]], (1, 2)),
    "list of series": ([pd.Series([1, 2]), pl.Series([None, 2])], (1, 2)),
    "list of masked": ([[1, 2], np.ma.masked_array([9, 2], mask=[True, False])], (1, 2)),
    "list of tensors": ([[Tensor(1), Tensor(2)], [None, Tensor(2)]], (1, 2)),
    "list of Arrow scalars": ([[pa.scalar(1), pa.scalar(2)], [pa.scalar(None), pa.scalar(2)]], (1, 2)),
    "float64": (np.array([[1.0, 2.0], [nan, 2.0]]), (1.0, 2.0)),
    "float32": (np.array([[0.5, 2], [nan, 2]], dtype=np.float32), (0.5, 2.0)),
    "float16": (np.array([[1, 2], [nan, 2]], dtype=np.float16), (1.0, 2.0)),
    "long double": (np.array([[1, 2], [nan, 2]], dtype=np.longdouble), (1.0, 2.0)),
    "Fortran order": (np.asfortranarray([[1.0, 2.0], [nan, 2.0]]), (1.0, 2.0)),
    "strided": (np.array([[1.0, 0, 2.0, 0], [nan, 0, 2.0, 0]])[:, ::2], (1.0, 2.0)),
    "other byte order": (np.array([[1.0, 2.0], [nan, 2.0]]).astype(">f8"), (1.0, 2.0)),
    "masked int": (np.ma.masked_array([[1, 2], [9, 2]], mask=[[0, 0], [1, 0]]), (1, 2)),
    "masked float": (np.ma.masked_array([[1, 2], [np.inf, 2]], mask=[[0, 0], [1, 0]]), (1.0, 2.0)),
    "masked text": (np.ma.masked_array([["a", "b"], ["z", "b"]], mask=[[0, 0], [1, 0]]), ("a", "b")),
    "object": (np.array([[1, 2], [pd.NA, 2]], dtype=object), (1, 2)),
    "object NaN": (np.array([["a", "b"], [nan, "b"]], dtype=object), ("a", "b")),
    "numpy scalars": (np.array([[np.int8(1), np.int64(2)], [np.float32(nan), 2]], dtype=object), (1.0, 2.0)),
    "text": ([["10", "9"], [None, "9"]], ("10", "9")),
    "bool": ([[False, True], [None, True]], (False, True)),
    "dates": (np.array([["2020-01-01", "2020-01-02"], ["NaT", "2020-01-02"]], dtype="M8[D]"),
              (dt.date(2020, 1, 1), dt.date(2020, 1, 2))),
    "durations": (np.array([[1, 2], ["NaT", 2]], dtype="m8[s]"), (dt.timedelta(0, 1), dt.timedelta(0, 2))),
    "timestamps": ([[pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")],
                    [pd.NaT, pd.Timestamp("2020-01-02")]],
                   (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2))),  # noqa: DTZ001
    "decimals": ([[Decimal("0.5"), Decimal(2)], [Decimal("nan"), Decimal(2)]], (Decimal("0.5"), Decimal(2))),
    "tensor": (Tensor([[1.0, 2.0], [nan, 2.0]]), (1.0, 2.0)),
    "bytes": (np.array([[b"a", b"b"], [None, b"b"]], dtype=object), (b"a", b"b")),
}  # fmt: skip


@pytest.mark.parametrize(("values", "domain"), MATRICES.values(), ids=MATRICES)
def test_matrix(values, domain):
    ratings = Ratings.from_matrix(values)
    assert typed(ratings.domain) == typed(domain)
    assert cells(ratings) == [[domain[0], domain[1]], [None, domain[1]]]
    assert ratings.n_missing == 1
    assert ratings.aligned
    assert (ratings.units, ratings.raters, ratings.pools) == ((0, 1), (0, 1), ())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"])
def test_whole_number_types_hold_their_values(dtype):
    highest = True if dtype == "bool" else int(np.iinfo(dtype).max)
    lowest = False if dtype == "bool" else int(np.iinfo(dtype).min)
    ratings = Ratings.from_matrix(np.array([[lowest, highest]], dtype=dtype))
    assert typed(ratings.domain) == typed((lowest, highest))
    assert ratings.ordered


@pytest.mark.parametrize(
    "values",
    [
        np.array([[BIG, BIG + 1]]),
        np.ma.masked_array([[BIG, BIG + 1, 0]], mask=[[0, 0, 1]]),
        [[BIG, BIG + 1, None]],
        pd.DataFrame({"a": pd.Series([BIG], dtype="Int64"), "b": pd.Series([BIG + 1], dtype="Int64")}),
        pl.DataFrame({"a": [BIG, None], "b": [BIG + 1, None]}),
        pa.table({"a": [BIG, None], "b": [BIG + 1, None]}),
    ],
    ids=["array", "masked", "list", "pandas", "polars", "pyarrow"],
)
def test_whole_numbers_past_2_to_53_stay_distinct(values):
    assert Ratings.from_matrix(values).domain == (BIG, BIG + 1)


@pytest.mark.parametrize("values", [[[0.0, -0.0]], np.array([[-0.0, 0.0]]), pl.DataFrame({"a": [0.0], "b": [-0.0]})])
def test_negative_zero_is_zero(values):
    (zero,) = Ratings.from_matrix(values).domain
    assert math.copysign(1, zero) == 1


@pytest.mark.parametrize(
    ("row", "domain"),
    [
        ([True, 1, 2], (1, 2)),
        ([1, 1.0, 2.5], (1.0, 2.5)),
        ([True, 0.5], (0.5, 1)),
        ([np.True_, np.False_], (False, True)),
        ([BIG + 1, 0.5], (0.5, BIG + 1)),
        ([Fraction(1, 2), 1], (Fraction(1, 2), 1)),
        ([Decimal("0.5"), 0.5], (0.5,)),
    ],
)
def test_equal_values_are_one_value(row, domain):
    assert Ratings.from_matrix([row]).domain == domain


def test_text_is_text():
    ratings = Ratings.from_matrix([["nan", "thai"], ["", "NA"], ["a", "A"]])
    assert ratings.domain == ("", "A", "NA", "a", "nan", "thai")
    assert ratings.n_missing == 0
    assert not ratings.ordered


def test_nanoseconds_are_kept():
    values = np.array([["2020-01-01T00:00:00.000000001", "2020-01-01T00:00:00.000000002"]], dtype="M8[ns]")
    assert len(Ratings.from_matrix(values).domain) == 2
    assert len(Ratings.from_matrix([list(values[0])]).domain) == 2


def test_all_missing_is_no_error():
    ratings = Ratings.from_matrix([[None, nan], [None, None]])
    assert (ratings.n_ratings, ratings.domain, ratings.n_units) == (0, (), 2)
    assert ratings.tally().n_units == 2
    assert as_tally(np.full((3, 2), nan), None).n_units == 3


def test_labels():
    ratings = Ratings.from_matrix([[1, 2], [3, 4]], units=["u", "v"], raters=np.array([10, 20]))
    assert typed(ratings.units + ratings.raters) == typed(("u", "v", 10, 20))
    assert not ratings.aligned


def test_fields_do_not_change():
    ratings = Ratings.from_matrix([[1, 2]])
    with pytest.raises(AttributeError):
        ratings.domain = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        ratings.value[0] = 1
    assert cells(pickle.loads(pickle.dumps(ratings))) == [[1, 2]]  # noqa: S301
    assert repr(ratings) == "Ratings(1 units, 2 raters, 2 ratings, values 1, 2)"


def test_the_callers_array_stays_writable():
    values = np.array([[1, 2], [2, 1]])
    Ratings.from_matrix(values)
    values[0, 0] = 5
    frame = {"u": np.array([0, 1]), "v": np.array([0, 1])}
    Ratings.from_long(frame, unit="u", value="v")
    frame["u"][0] = 1


# --- matrices: frames --------------------------------------------------------------------------------------


@wide_kinds
def test_wide_frame(make):
    ratings = Ratings.from_matrix(make({"ann": [1, 2, None], "bob": [1, None, 3]}))
    assert ratings.raters == ("ann", "bob")
    assert cells(ratings) == [[1, 1], [2, None], [None, 3]]


def test_lazy_frame_is_collected():
    assert Ratings.from_matrix(pl.LazyFrame({"a": [1], "b": [2]})).raters == ("a", "b")


def test_pandas_labels_need_not_be_text():
    frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)]), index=[7])
    assert Ratings.from_matrix(frame).raters == (("x", 1), ("x", 2))
    assert typed(Ratings.from_matrix(pd.DataFrame([[1, 2]])).raters) == typed((0, 1))


COLUMNS = {
    "pandas Categorical": (pd.Series(pd.Categorical(["b", None], ["c", "b", "a"])), ("c", "b", "a"), True),
    "pandas ordered": (pd.Series(pd.Categorical(["b", None], ["c", "b"], ordered=True)), ("c", "b"), True),
    "pandas number Categorical": (pd.Series(pd.Categorical([2, None], categories=[1, 2])), (1, 2), True),
    "pandas text": (pd.Series(["b", None]), ("b",), False),
    "pandas string": (pd.Series(["b", pd.NA], dtype="string"), ("b",), False),
    "pandas object": (pd.Series(["b", None], dtype=object), ("b",), False),
    "pandas Int8": (pd.Series([2, None], dtype="Int8"), (2,), True),
    "pandas UInt8": (pd.Series([250, None], dtype="UInt8"), (250,), True),
    "pandas Float64": (pd.Series([2.5, None], dtype="Float64"), (2.5,), True),
    "pandas boolean": (pd.Series([True, None], dtype="boolean"), (True,), True),
    "pandas object bool": (pd.Series([True, None], dtype=object), (True,), True),
    "pandas Arrow int": (pd.Series([2, None], dtype=pd.ArrowDtype(pa.int8())), (2,), True),
    "pandas Arrow decimal": (
        pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        (Decimal("1.50"),), True),
    "pandas Arrow dictionary": (
        pd.Series(["b", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))), ("b",), False),
    "pandas dates": (pd.Series(pd.to_datetime(["2020-01-01", None])),
                     (dt.datetime(2020, 1, 1),), False),  # noqa: DTZ001
    "polars Enum": (pl.Series(["b", None], dtype=pl.Enum(["c", "b", "a"])), ("c", "b", "a"), True),
    "polars Categorical": (pl.Series(["b", None], dtype=pl.Categorical), ("b",), False),
    "polars text": (pl.Series(["b", None]), ("b",), False),
    "polars Int8": (pl.Series([-3, None], dtype=pl.Int8), (-3,), True),
    "polars UInt8": (pl.Series([250, None], dtype=pl.UInt8), (250,), True),
    "polars bool": (pl.Series([True, None]), (True,), True),
    "polars decimal": (pl.Series([Decimal("1.5"), None]), (Decimal("1.5"),), True),
    "polars date": (pl.Series([dt.date(2020, 1, 1), None]), (dt.date(2020, 1, 1),), False),
    "polars binary": (pl.Series([b"b", None]), (b"b",), False),
    "polars object": (pl.Series([(1, 2), None], dtype=pl.Object), ((1, 2),), False),
    "arrow dictionary": (pa.chunked_array([pa.array(["b", None]).dictionary_encode()]), ("b",), False),
    "arrow ordered dictionary": (
        pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([1, None]), ["c", "b"], ordered=True)]),
        ("c", "b"), True),
    "arrow chunks of dictionaries": (
        pa.chunked_array([pa.array(column, pa.string()).dictionary_encode() for column in (["b"], [None])]),
        ("b",), False),
    "arrow half": (pa.chunked_array([pa.array([np.float16(0.5), None], pa.float16())]), (0.5,), True),
    "arrow uint8": (pa.chunked_array([pa.array([250, None], pa.uint8())]), (250,), True),
    "arrow bool": (pa.chunked_array([[True, None]]), (True,), True),
    "arrow decimal": (pa.chunked_array([pa.array([Decimal("1.5"), None])]), (Decimal("1.5"),), True),
    "arrow date": (pa.chunked_array([pa.array([dt.date(2020, 1, 1), None])]), (dt.date(2020, 1, 1),), False),
    "arrow text": (pa.chunked_array([["b"], [None]]), ("b",), False),
    "arrow array": (pa.array(["b", None]), ("b",), False),
    "pandas bare Categorical": (pd.Categorical(["b", None], categories=["c", "b"]), ("c", "b"), True),
    "pandas Index": (pd.Index(["b", None]), ("b",), False),
}  # fmt: skip


@pytest.mark.parametrize(("column", "domain", "ordered"), COLUMNS.values(), ids=COLUMNS)
def test_column_types(column, domain, ordered):
    ratings = vectors(column, [None, None])
    assert (ratings.domain, ratings.ordered) == (domain, ordered)
    assert (len(ratings.value), ratings.n_missing) == (1, 3)
    long = Ratings.from_long({"unit": [0, 1], "value": column}, unit="unit", value="value")
    assert (long.domain, long.ordered, len(long.value)) == (domain, ordered, 1)
    ids = Ratings.from_long({"unit": column[:1], "value": [1]}, unit="unit", value="value")
    assert ids.units[0] in domain


def test_categories_that_nobody_used_are_no_labels():
    frame = pd.DataFrame({"u": pd.Categorical(["b"], categories=["a", "b"]), "v": [1]})
    assert Ratings.from_long(frame, unit="u", value="v", pool="u").pools == ("b",)


@pytest.mark.parametrize(
    ("columns", "domain", "ordered"),
    [
        ((["a", "b"], ["a", "b"]), ("a", "b"), True),
        ((["a", "b"], ["b", "c"]), ("a", "b", "c"), False),  # sorted categories, called ordered by nobody
        ((["b", "a"], ["a", "b"]), ("b", "a"), True),
        (([2, 1], [1, 3]), None, None),
        ((["b", "a"], ["a", "b", "c"]), None, None),
    ],
)
def test_categories_of_several_columns(columns, domain, ordered):
    frame = pd.DataFrame({name: pd.Categorical([cats[0]], cats) for name, cats in zip("xy", columns, strict=True)})
    if domain is None:
        with pytest.raises(RatingsError, match="order"):
            Ratings.from_matrix(frame)
        return
    ratings = Ratings.from_matrix(frame)
    assert (ratings.domain, ratings.ordered) == (domain, ordered)


def test_a_stated_domain_overrides_categories():
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["y", "y"]}, schema={k: pl.Enum(["x", "y", "z"]) for k in "ab"})
    assert Ratings.from_matrix(frame, domain=["y", "x"]).domain == ("y", "x")


# --- the domain --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "domain",
    [
        ["low", "mid", "high"],
        ("low", "mid", "high"),
        np.array(["low", "mid", "high"]),
        pd.Index(["low", "mid", "high"]),
    ],
)
def test_stated_domain(domain):
    ratings = Ratings.from_matrix([["high", "low"]], domain=domain)
    assert typed(ratings.domain) == typed(("low", "mid", "high"))
    assert ratings.ordered
    assert ratings.value.tolist() == [2, 0]


def test_stated_domain_wins_over_types():
    ratings = Ratings.from_matrix(np.array([[1.0, 2.0]]), domain=np.array([2, 1], dtype=np.int8))
    assert typed(ratings.domain) == typed((2, 1))
    assert Ratings.from_matrix([[1, "a"]], domain=["a", 1]).domain == ("a", 1)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ([1, 2, 1], "twice .*: 1$"),
        ([1, True], "twice .*: True$"),
        ([1, 1.0], "twice .*: 1.0$"),
        ([1, None], "no rating can be: None$"),
        ([1, nan], "no rating can be: nan$"),
        ([1, np.inf], "no rating can be: inf$"),
        ([[1], 2], r"no rating can be: \[1\]$"),
        ([], "empty"),
    ],
)
def test_bad_domain(domain, message):
    with pytest.raises(RatingsError, match=message):
        Ratings.from_matrix([[1, 2]], domain=domain)


@pytest.mark.parametrize("domain", ["abc", {1, 2}, {1: 2}, 3, b"ab"])
def test_domain_of_a_wrong_type(domain):
    with pytest.raises(TypeError, match="domain must be a sequence"):
        Ratings.from_matrix([[1, 2]], domain=domain)


@pytest.mark.parametrize(
    "values",
    [[[1, 2], [2, 7]], np.array([[1, 2], [2, 7]]), pd.DataFrame({"a": [1, 2], "b": [2, 7]})],
    ids=str,
)
def test_rating_outside_of_the_domain(values):
    rater = "'b'" if isinstance(values, pd.DataFrame) else "1"
    with pytest.raises(RatingsError, match=rf"outside of the domain \(1, 2\), unit 1, rater {rater}: 7$"):
        Ratings.from_matrix(values, domain=[1, 2])
    with pytest.raises(RatingsError, match=rf"unit 1, rater {rater}: 7$"):
        as_tally(values, None, domain=[1, 2])
    with pytest.raises(RatingsError, match=r"unit 1, rater .*: 7$"):
        Ratings.from_matrix(values).with_domain([1, 2])


def test_text_against_a_domain_of_numbers():
    with pytest.raises(RatingsError, match=r"the rating is text, the domain is not\): '1'$"):
        Ratings.from_matrix([["1", "2"]], domain=[1, 2])


# --- bad matrices ------------------------------------------------------------------------------------------

BAD = {
    "empty": ([], r"no ratings at all.*\(0, 0\)$"),
    "no raters": ([[], []], r"\(2, 0\)$"),
    "no rows": (np.empty((0, 3)), r"\(0, 3\)$"),
    "empty frame": (pd.DataFrame(), r"\(0, 0\)$"),
    "1-D list": ([1, 2], "2-D.*row 0 is not a row of ratings: 1$"),
    "1-D text": (["ab", "cd"], "2-D.*row 0 is not a row of ratings: 'ab'$"),
    "1-D array": (np.array([1, 2]), r"2-D.*1-D of shape: \(2,\)$"),
    "series": (pd.Series([1, 2]), r"one column of shape: \(2,\)$"),
    "0-D": (np.array(1), r"0-D of shape: \(\)$"),
    "3-D": (np.zeros((2, 2, 2)), r"3-D of shape: \(2, 2, 2\)$"),
    "3-D list": ([[1, 2], [1, [2]]], r"a list is not a rating, unit 1, rater 1: \[2\]$"),
    "3-D of arrays": ([[np.zeros(2), 1]], "a ndarray is not a rating, unit 0, rater 0"),
    "ragged": ([[1, 2], [1, 2], [1]], "row 0 has 2 ratings, row 2 has: 1$"),
    "infinite": (np.array([[1, 2], [1, -np.inf]]), "infinite rating, unit 1, rater 1: -inf$"),
    "infinite in a list": ([[1, 2], [np.inf, 1]], "infinite rating, unit 1, rater 0: inf$"),
    "infinite decimal": ([[Decimal("inf")]], "infinite rating, unit 0, rater 0"),
    "infinite in a frame": (
        pl.DataFrame({"a": [1.0], "b": [np.inf]}),
        "infinite rating, unit 0, rater 'b': inf$",
    ),
    "mixed": ([[1, "a"]], "number and text values mixed.*: 1 and 'a'$"),
    "mixed columns": (pd.DataFrame({"a": [1], "b": ["x"]}), "number and text values mixed.*: 1 and 'x'$"),
    "bool and text": ([[True, "a"]], "bool and text values mixed"),
    "complex": (np.array([[1j, 1]]), "no order, state domain="),
    "date and datetime": ([[dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)]], "mixed"),  # noqa: DTZ001
    "unorderable": ([[object(), object()]], "no order, state domain="),
    "same column twice": (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "same name: 'a'$"),
    "same Arrow column twice": (pa.table([[1], [2]], names=["a", "a"]), "same name: 'a'$"),
    "list column": (pl.DataFrame({"a": [[1]], "b": [[2]]}), "column 'a' holds nested values"),
}


@pytest.mark.parametrize(("values", "message"), BAD.values(), ids=BAD)
def test_bad_matrix(values, message):
    for read in (
        Ratings.from_matrix,
        as_ratings,
        lambda x: as_tally(x, None),
        lambda x: as_tally(x, "rater"),
    ):
        with pytest.raises(RatingsError, match=message):
            read(values)


@pytest.mark.parametrize(
    "values",
    [None, "ab", b"ab", 3, {"a": [1]}, {1, 2}, iter([[1]]), object(), [{1: 2}], [{1}]],
    ids=lambda x: type(x).__name__,
)
def test_wrong_types(values):
    with pytest.raises(TypeError):
        Ratings.from_matrix(values)


def test_records_of_numpy_are_no_matrix():
    with pytest.raises(TypeError, match="dtype holds no ratings"):
        Ratings.from_matrix(np.zeros((2, 2), dtype=[("a", int)]))


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here")
def test_long_doubles_are_not_rounded():
    third = np.longdouble(1) / 3
    for values in (np.array([[third, 1]]), [[third, 1]]):
        with pytest.raises(RatingsError, match="long double"):
            Ratings.from_matrix(values)


@pytest.mark.parametrize("name", ["units", "raters"])
@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (["a"], RatingsError, "each of the 2 in the data, its length is: 1$"),
        (["a", "a"], RatingsError, "twice: 'a'$"),
        (["a", None], RatingsError, "missing label at position 1: None$"),
        (["a", ["b"]], RatingsError, "position 1"),
        ("ab", TypeError, "sequence of labels"),
        (3, TypeError, "sequence of labels"),
        ({"a", "b"}, TypeError, "sequence of labels"),
    ],
)
def test_bad_labels(name, labels, error, message):
    with pytest.raises(error, match=rf"{name} .*{message}"):
        Ratings.from_matrix([[1, 2], [2, 1]], **{name: labels})


# --- long frames -------------------------------------------------------------------------------------------

LONG = {
    "doc": ["d2", "d2", "d1", "d1", "d3"],
    "who": ["r10", "r9", "r9", "r10", "r9"],
    "city": ["B", "B", "A", "A", "B"],
    "label": [1, 2, 2, 1, None],
}


@long_kinds
def test_long(make):
    ratings = Ratings.from_long(make(LONG), unit="doc", value="label", rater="who")
    assert (ratings.units, ratings.raters, ratings.pools) == (("d2", "d1", "d3"), ("r10", "r9"), ())
    assert cells(ratings) == [[1, 2], [1, 2], [None, None]]
    assert (ratings.n_missing, ratings.aligned) == (1, False)


@long_kinds
def test_a_rater_in_two_pools_is_two(make):
    ratings = Ratings.from_long(make(LONG), unit="doc", value="label", rater="who", pool="city")
    assert ratings.pools == ("A", "B")
    assert ratings.raters == (("A", "r10"), ("A", "r9"), ("B", "r10"), ("B", "r9"))
    assert ratings.tally("rater").pools == ratings.raters
    apart = Ratings.from_long(make({**LONG, "who": list("vwxyw")}), unit="doc", value="label", rater="who", pool="city")
    assert apart.raters == ("v", "w", "x", "y")


def test_long_records():
    records = [dict(zip(LONG, row, strict=True)) for row in zip(*LONG.values(), strict=True)]
    del records[-1]["label"]
    ratings = Ratings.from_long(records, unit="doc", value="label", rater="who")
    assert cells(ratings) == [[1, 2], [1, 2], [None, None]]
    array = np.array([(0, 1.5), (1, np.nan)], dtype=[("u", int), ("v", float)])
    assert Ratings.from_long(array, unit="u", value="v").n_ratings == 1


def test_long_lazy():
    assert Ratings.from_long(pl.LazyFrame(LONG), unit="doc", value="label").n_units == 3


def test_labels_sort_as_numbers_or_text():
    def raters(labels):
        return Ratings.from_long(
            {"u": range(len(labels)), "v": [1] * len(labels), "r": labels}, unit="u", value="v", rater="r"
        ).raters

    assert raters([10, 9, 100]) == (9, 10, 100)
    assert raters(["10", "9", "100"]) == ("10", "100", "9")
    assert raters(["b", 2, "a", 10]) == (10, 2, "a", "b")
    assert raters(np.array([2.0, 1.0])) == (1.0, 2.0)


@long_kinds
@pytest.mark.parametrize(("role", "column"), [("unit", "doc"), ("rater", "who"), ("pool", "city")])
def test_missing_label(make, role, column):
    data = {**LONG, column: ["x", "y", "z", None, "w"]}
    with pytest.raises(RatingsError, match=f"a rating without a {role}, row: 3$"):
        Ratings.from_long(make(data), unit="doc", value="label", rater="who", pool="city")


@pytest.mark.parametrize(
    "labels", [[0.0, nan], pd.array([1, None], dtype="Int64"), pd.Series([1.0, nan]), ["a", pd.NA]]
)
def test_missing_label_of_any_kind(labels):
    with pytest.raises(RatingsError, match=r"without a unit, row: 1$"):
        Ratings.from_long({"u": labels, "v": [1, 2]}, unit="u", value="v")


@long_kinds
def test_a_row_without_a_rating_needs_no_rater(make):
    data = {**LONG, "who": ["r10", "r9", "r9", "r10", None]}
    ratings = Ratings.from_long(make(data), unit="doc", value="label", rater="who")
    assert (ratings.n_units, ratings.n_raters, ratings.n_ratings) == (3, 2, 4)


@long_kinds
def test_missing_column(make):
    with pytest.raises(
        RatingsError,
        match=r"no column 'labels' for value=; the columns are 'doc'.*mean 'label'\?\): 'labels'$",
    ):
        Ratings.from_long(make(LONG), unit="doc", value="labels")
    with pytest.raises(RatingsError, match="no column 7 for rater="):
        Ratings.from_long(make(LONG), unit="doc", value="label", rater=7)


@pytest.mark.parametrize(
    "frame",
    [None, "a", 3, [1, 2], np.zeros((2, 2)), {"doc": "ab", "label": [1, 2]}, [{"doc": 1}, 2]],
    ids=str,
)
def test_long_of_a_wrong_type(frame):
    with pytest.raises(TypeError):
        Ratings.from_long(frame, unit="doc", value="label")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"u": [], "v": []}, "no rows"),
        (pd.DataFrame({"u": [], "v": []}), "no rows"),
        (pl.DataFrame({"u": [], "v": []}), "no rows"),
        (pa.table({"u": pa.array([], pa.string()), "v": pa.array([], pa.string())}), "no rows"),
        ({"u": [1], "v": [1, 2]}, "different lengths"),
        ({"u": [1, 2], "v": [1, np.inf]}, "infinite rating, row 1, unit 2: inf$"),
        ({"u": [1, 2], "v": [1, "a"]}, "mixed"),
        ({"u": [1, 2], "v": [1, [2]]}, r"a list is not a rating, row 1, unit 2: \[2\]$"),
        ({"u": [1, [2]], "v": [1, 2]}, "unit in row 1"),
        ({"u": np.zeros((2, 2)), "v": [1, 2]}, "column 'u' must be 1-D"),
        (pd.DataFrame([[1, 2, 3]], columns=["u", "v", "v"]), "same name: 'v'$"),
    ],
)
def test_bad_long(frame, message):
    with pytest.raises(RatingsError, match=message):
        Ratings.from_long(frame, unit="u", value="v")


@long_kinds
def test_long_outside_of_the_domain(make):
    with pytest.raises(RatingsError, match=r"outside of the domain \(1\), row 1, unit 'd2', rater 'r9': 2(\.0)?$"):
        Ratings.from_long(make(LONG), unit="doc", value="label", rater="who", domain=[1])


# --- repeated ratings --------------------------------------------------------------------------------------

TWICE = {
    "u": ["a", "a", "b", "a", "b"],
    "r": ["x", "x", "x", "x", "x"],
    "v": [3, 2, 2, 1, 5],
    "p": [0, 0, 0, 1, 1],
}


@long_kinds
def test_duplicates_are_named(make):
    with pytest.raises(RatingsError, match=r"unit 'a', rater 'x', rows 0 and 1 \(2 more repeated ratings\): 3 and 2$"):
        Ratings.from_long(make(TWICE), unit="u", value="v", rater="r")
    with pytest.raises(RatingsError, match=r"unit 'a', rater \(0, 'x'\), pool 0, rows 0 and 1: 3 and 2$"):
        Ratings.from_long(make(TWICE), unit="u", value="v", rater="r", pool="p")


@pytest.mark.parametrize(
    ("duplicates", "values", "dropped"),
    [("keep", [3, 2, 2, 1, 5], 0), ("first", [3, 2], 3), ("last", [1, 5], 3)],
)
def test_duplicates(duplicates, values, dropped):
    ratings = Ratings.from_long(TWICE, unit="u", value="v", rater="r", duplicates=duplicates)
    assert [ratings.domain[code] for code in ratings.value] == values
    assert ratings.n_dropped == dropped


def test_what_repeats_nothing():
    Ratings.from_long(TWICE, unit="u", value="v")  # raters not told apart
    ratings = Ratings.from_long({**TWICE, "v": [None, None, 2, 1, None]}, unit="u", value="v", rater="r")
    assert (ratings.n_ratings, ratings.n_missing) == (2, 3)
    with pytest.raises(RatingsError, match=r"rows 0 and 1: 1 and 1$"):
        Ratings.from_long({"u": [1, 1], "r": [1, 1], "v": [1, 1]}, unit="u", value="v", rater="r")


def test_duplicates_word():
    with pytest.raises(RatingsError, match=r"'last': 'Keep'$"):
        Ratings.from_long(TWICE, unit="u", value="v", rater="r", duplicates="Keep")  # type: ignore[arg-type]


# --- counts ------------------------------------------------------------------------------------------------


@long_kinds
@pytest.mark.parametrize("dtype", [int, float])
def test_count(make, dtype):
    counts = [dtype(n) for n in (3, 0, 1, 2)]
    ratings = Ratings.from_long(
        make({"u": [1, 1, 2, 3], "v": [7, 8, 8, 7], "n": counts}), unit="u", value="v", count="n"
    )
    assert (ratings.n_ratings, ratings.n_units, ratings.n_raters) == (6, 3, None)
    assert ratings.tally() == Tally.from_counts([[3, 0], [0, 1], [2, 0]], domain=[7, 8])


BAD_COUNTS = [
    ([1, -1], "-1"),
    ([1, 1.5], "1.5"),
    ([1, None], "missing"),
    ([1.0, nan], "missing"),
    ([2, 2**32], "4294967296"),
    ([1, Decimal("0.5")], r"Decimal\('0.5'\)"),
    (["1", "x"], "'1'"),
    ([True, False], "True"),
]


@pytest.mark.parametrize(("counts", "found"), BAD_COUNTS, ids=str)
def test_bad_count(counts, found):
    with pytest.raises(RatingsError, match=rf"count must be .* row [01], unit '[ab]': {found}$"):
        Ratings.from_long({"u": ["a", "b"], "v": [1, 1], "n": counts}, unit="u", value="v", count="n")


def test_count_and_rater():
    with pytest.raises(RatingsError, match="does not go with rater="):
        Ratings.from_long({**TWICE, "n": [1] * 5}, unit="u", value="v", rater="r", count="n")


# --- all sources agree -------------------------------------------------------------------------------------

NUMBERS = st.sampled_from([None, 0, 1, 2, -3, 100, 127, -128])
TEXTS = st.sampled_from([None, "a", "A", "", "nan", "b ", "ä", "10", "9"])


def matrices(values):
    sizes = st.tuples(st.integers(1, 5), st.integers(1, 4))
    return sizes.flatmap(
        lambda n: st.lists(st.lists(values, min_size=n[1], max_size=n[1]), min_size=n[0], max_size=n[0])
    )


def sources(rows, numeric):
    """Yield the same ratings in every form."""
    columns = {f"r{j}": [row[j] for row in rows] for j in range(len(rows[0]))}
    yield rows
    yield np.array(rows, dtype=object)
    mask = np.array([[cell is None for cell in row] for row in rows])
    filler = 55 if numeric else "zz"
    filled = [[filler if cell is None else cell for cell in row] for row in rows]
    yield np.ma.masked_array(np.array(filled), mask=mask)
    if numeric:
        yield np.ma.masked_array(np.array(filled, dtype=np.int8), mask=mask)
        yield np.asfortranarray([[nan if cell is None else cell for cell in row] for row in rows])
        yield pd.DataFrame(columns, dtype="Int8")
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int8))
        yield pa.table({name: pa.array(column, pa.int16()) for name, column in columns.items()})
    else:
        yield pd.DataFrame(columns, dtype=object)
        yield pd.DataFrame(columns, dtype="string")
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        yield pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Categorical))
        yield pa.table({name: pa.array(column, pa.string()).dictionary_encode() for name, column in columns.items()})


def long_sources(rows, seed):
    """Yield the same ratings as shuffled rows of every kind of frame."""
    data = [{"u": i, "r": f"r{j}", "v": cell} for i, row in enumerate(rows) for j, cell in enumerate(row)]
    np.random.default_rng(seed).shuffle(data)
    columns = {name: [record[name] for record in data] for name in ("u", "r", "v")}
    yield data
    for make in FRAMES.values():
        yield make(columns)


def check_agreement(rows, numeric, seed):
    by_all = Ratings.from_matrix(rows).tally()
    by_rater = Ratings.from_matrix(rows, raters=[f"r{j}" for j in range(len(rows[0]))]).tally("rater")
    for source in sources(rows, numeric):
        assert as_tally(source, None) == by_all, type(source)
        assert Ratings.from_matrix(source).tally() == by_all, type(source)
        assert as_tally(source, "rater").table == by_rater.table, type(source)
    for source in long_sources(rows, seed):
        ratings = Ratings.from_long(source, unit="u", value="v", rater="r")
        assert ratings.tally() == by_all, type(source)
        assert ratings.tally("rater") == by_rater, type(source)
        assert Tally.from_frame(source, unit="u", value="v") == by_all, type(source)


@settings(deadline=None, max_examples=60)
@given(matrices(NUMBERS), st.integers(0, 9))
def test_numbers_from_every_source(rows, seed):
    check_agreement(rows, numeric=True, seed=seed)


@settings(deadline=None, max_examples=60)
@given(matrices(TEXTS), st.integers(0, 9))
def test_text_from_every_source(rows, seed):
    check_agreement(rows, numeric=False, seed=seed)


@settings(deadline=None)
@given(matrices(st.one_of(st.none(), st.floats(allow_infinity=False), st.integers(-(2**70), 2**70), st.booleans())))
def test_no_number_is_lost(rows):
    seen = {cell for row in rows for cell in row if cell is not None and cell == cell}  # noqa: PLR0124
    ratings = Ratings.from_matrix(rows)
    assert ratings.domain == tuple(sorted(seen))
    assert cells(ratings) == [[None if cell != cell else cell for cell in row] for row in rows]  # noqa: PLR0124


# --- doors -------------------------------------------------------------------------------------------------


def test_select_pools():
    ratings = Ratings.from_long(LONG, unit="doc", value="label", rater="who", pool="city")
    one = ratings.select(pools=["B"])
    assert (one.pools, one.raters, one.n_units, one.n_ratings) == (("B",), (("B", "r10"), ("B", "r9")), 3, 2)
    assert ratings.select(pools=["B", "A"]).tally("pool") == ratings.tally("pool").restrict(["B", "A"])
    with pytest.raises(RatingsError, match=r"unknown pool, the pools are 'A', 'B': 'C'$"):
        ratings.select(pools=["C"])
    with pytest.raises(RatingsError, match=r"twice: 'A'$"):
        ratings.select(pools=["A", "A"])
    with pytest.raises(RatingsError, match="no pools to choose from"):
        Ratings.from_matrix([[1]]).select(pools=["A"])


def test_tally_by():
    ratings = Ratings.from_matrix([[1, 2]])
    with pytest.raises(RatingsError, match="no pools"):
        ratings.tally("pool")
    with pytest.raises(RatingsError, match="who rated"):
        Ratings.from_long(TWICE, unit="u", value="v").tally("rater")
    with pytest.raises(RatingsError, match=r"by must be .*: 'raters'$"):
        ratings.tally("raters")  # type: ignore[arg-type]


def test_as_ratings_and_as_tally():
    ratings = Ratings.from_long(LONG, unit="doc", value="label", rater="who", pool="city")
    assert as_ratings(ratings) is ratings
    assert as_ratings(ratings, [3, 2, 1]).domain == (3, 2, 1)
    by_pool = ratings.tally("pool")
    assert as_tally(by_pool, "pool") is by_pool
    assert as_tally(by_pool, None) == ratings.tally()
    assert as_tally(ratings.tally("rater"), "rater") == ratings.tally("rater")
    assert as_tally(by_pool, None, [3, 2, 1]) == as_tally(ratings, None, [3, 2, 1])
    with pytest.raises(RatingsError, match=r"not one pool for each rater.*tally\(by='rater'\)"):
        as_tally(by_pool, "rater")
    with pytest.raises(RatingsError, match="no pools"):
        as_tally(ratings.tally(), "pool")
    with pytest.raises(RatingsError, match="does not say who rated what"):
        as_ratings(by_pool)
    with pytest.raises(RatingsError, match=r"outside of the domain \(1, 3\), pool 'A': 2$"):
        as_tally(by_pool, "pool", [1, 3])


VECTORS = {
    "lists": ([1, None, 2], [1, 2, 2]),
    "array and list": (np.array([1, nan, 2]), [1, 2, 2]),
    "masked": (np.ma.masked_array([1, 9, 2], mask=[0, 1, 0]), np.array([1, 2, 2], dtype=np.int8)),
    "series": (pd.Series([1, None, 2]), pl.Series([1, 2, 2])),
    "Arrow": (pa.array([1, None, 2]), pa.chunked_array([[1, 2], [2]])),
    "columns": (np.array([[1], [nan], [2]]), [[1], [2], [2]]),
    "frames": (pd.DataFrame({"a": [1, None, 2]}), pl.DataFrame({"b": [1, 2, 2]})),
    "tensor": (Tensor([1, nan, 2]), (1, 2, 2)),
    "range": ([1, None, 2], np.array([1, 2, 2], dtype=object)),
}


@pytest.mark.parametrize(("x", "y"), VECTORS.values(), ids=VECTORS)
def test_vectors(x, y):
    ratings = vectors(x, y)
    assert (ratings.pools, ratings.raters, ratings.domain) == (("x", "y"), ("x", "y"), (1, 2))
    assert cells(ratings) == [[1, 1], [None, 2], [2, 2]]
    assert ratings.tally("pool").table == ratings.tally("rater").table
    assert pair(x, y).tally("pool") == ratings.tally("pool")


def test_vectors_share_one_domain():
    assert vectors(["a"], ["b"]).domain == ("a", "b")
    x, y = pd.Series(["a"], dtype="category"), pd.Series(["b"], dtype="category")
    assert vectors(x, y).domain == ("a", "b")
    assert vectors([True, 0], [2, 1]).domain == (0, 1, 2)
    with pytest.raises(RatingsError, match="mixed"):
        vectors([1], ["a"])
    with pytest.raises(RatingsError, match="two different orders"):
        vectors(pl.Series(["a"], dtype=pl.Enum(["a", "b"])), pl.Series(["a"], dtype=pl.Enum(["b", "a"])))
    with pytest.raises(RatingsError, match=r"outside of the domain \('a'\), unit 0, rater 'y': 'b'$"):
        vectors(["a"], ["b"], domain=["a"])


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ([1, 2], [1], RatingsError, "lengths are: 2 and 1$"),
        ([[1, 2]], [1], RatingsError, r"x must be a vector.*: \(1, 2\)$"),
        ([1], np.zeros((3, 2)), RatingsError, r"y must be a vector.*: \(3, 2\)$"),
        ([], [], RatingsError, "no ratings at all"),
        ([1], [np.inf], RatingsError, "infinite rating, unit 0, rater 'y': inf$"),
        (None, [1], TypeError, "NoneType"),
        ("ab", "ab", TypeError, "str"),
        ([1], {"a": 1}, TypeError, "dict"),
        (Ratings.from_matrix([[1]]), [1], TypeError, "Ratings"),
    ],
)
def test_bad_vectors(x, y, error, message):
    with pytest.raises(error, match=message):
        vectors(x, y)


def test_pair_by_rows():
    ratings = pair([[1, 2], [2, 2]], np.array([[1], [3]]))
    assert (ratings.pools, ratings.domain, ratings.n_units, ratings.aligned) == (
        ("x", "y"),
        (1, 2, 3),
        2,
        True,
    )
    assert ratings.raters == (("x", 0), ("x", 1), ("y", 0))
    assert ratings.tally("pool").n_units == 2
    with pytest.raises(RatingsError, match=r"numbers are: 2 and 3$"):
        pair([[1], [2]], [1, 2, 3])


def test_pair_by_labels():
    x = Ratings.from_matrix([[1, 1], [1, 0]], units=["a", "b"])
    y = Ratings.from_long({"u": ["c", "b", "b"], "v": [0, 1, 1]}, unit="u", value="v")
    ratings = pair(x, y)
    assert (ratings.units, ratings.rater) == (("a", "b", "c"), None)
    patterns = ratings.tally("pool").patterns
    assert sorted(map(str, patterns.tolist())) == sorted(["[[0, 2], [0, 0]]", "[[1, 1], [0, 2]]", "[[0, 0], [1, 0]]"])
    with pytest.raises(RatingsError, match=r"y has labels of units and x only row numbers.*: 'c'$"):
        pair([[1], [2]], y)
    with pytest.raises(TypeError, match="Tally"):
        pair(x.tally(), y)


def test_pair_with_counts():
    x = Ratings.from_long({"u": [1, 2], "v": ["a", "b"], "n": [3, 1]}, unit="u", value="v", count="n")
    y = Ratings.from_matrix([["a"], ["a"]], units=[1, 2])
    assert pair(x, y).tally("pool").table.values_used().tolist() == [[3, 1], [2, 0]]


def test_pair_domains():
    def made(values, domain=None):
        return Ratings.from_matrix(values, domain=domain)

    assert pair(made([["b"]], ["b", "a"]), made([["a"]])).domain == ("b", "a")
    assert pair(made([[1]], [1, 2]), made([[5]])).domain == (1, 2, 5)
    assert pair([["a"]], [["b"]], domain=["b", "a"]).domain == ("b", "a")
    with pytest.raises(RatingsError, match="two different orders"):
        pair(made([["a"]], ["a", "b"]), made([["a"]], ["b", "a"]))
    with pytest.raises(RatingsError, match="outside of the stated order"):
        pair(made([["b"]], ["b", "a"]), made([["c"]]))
    with pytest.raises(RatingsError, match="mixed"):
        pair(made([["b"]]), made([[1]]))
    with pytest.raises(RatingsError, match=r"unit 0, rater .*: 'c'$"):
        pair(made([["b"]]), made([["c"]]), domain=["b"])


# --- the audit ---------------------------------------------------------------------------------------------


def test_audit():
    rows = [["nan", "thai", "thai"], ["nan", "Thai", "thai "], [None, "thai", None], [None, None, None]]
    report = Ratings.from_matrix(rows, domain=["thai", "Thai", "thai ", "nan", "unseen"]).audit()
    assert (report.n_rows, report.n_ratings, report.n_missing, report.n_units) == (12, 7, 5, 4)
    assert (report.n_empty, report.n_singletons, report.n_raters) == (1, 1, 3)
    assert report.values == {"thai": 3, "Thai": 1, "thai ": 1, "nan": 2, "unseen": 0}  # noqa: PD011
    assert report.constant_raters == (0,)
    assert any("missing" in note and "'nan'" in note for note in report.suspicious)
    assert any("case or space" in note and "'thai', 'Thai', 'thai '" in note for note in report.suspicious)
    text = str(report)
    for part in ("rows", "4 (1 without a rating, 1 with one)", "'unseen': 0", "look at", "one value only"):
        assert part in text


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2, 3, 99], [99]),
        ([1, 2, 3, -1], [-1]),
        ([1, 2, -99, 999], [-99, 999]),
        (["1", "2", "99"], ["99"]),
        ([-1, 0, 1], []),
        ([1, 50, 99], []),
        ([-3, -1, 2], []),
        (
            ["a", "N/A", "null", "None", ".", "-", "", "No response"],
            ["", "-", ".", "N/A", "No response", "None", "null"],
        ),
        (["a", "A", "b"], []),
    ],
)
def test_suspicious_values(values, found):
    notes = [note for note in Ratings.from_matrix([values]).audit().suspicious if "case" not in note]
    assert [note.rpartition(": ")[2] for note in notes] == [repr(value) for value in found]


def test_audit_of_pools_and_counts():
    data = {"u": [1, 1, 2], "p": ["a", "b", "a"], "v": [1, 2, 2], "n": [3, 1, 1]}
    report = Ratings.from_long(data, unit="u", value="v", pool="p", count="n").audit()
    assert (report.n_ratings, report.pools, report.n_singletons, report.n_raters) == (
        5,
        {"a": 4, "b": 1},
        1,
        None,
    )
    assert "not told apart" in str(report)
    repeated = Ratings.from_long(TWICE, unit="u", value="v", rater="r", duplicates="first").audit()
    assert (repeated.n_rows, repeated.n_dropped) == (5, 3)
