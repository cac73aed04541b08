"""Tallies of frames that are elsewhere, counted by the engine that holds them.

    survey    count per (pool, value)               the values and pools that occur; what is missing or wrong
    patterns  a column of counts per (pool, value)  by unit, then how many units show equal counts
    counts    count per (unit, pool, value)         where there would be too many columns; comes as a stream

The survey comes first, then one of the other two. Every query is a select, a group_by and an agg of columns
as they stand, because that is what all engines have: no pivot, no rank, no arithmetic inside agg.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from kappax import _core
from kappax._frames import code_column, find_column, is_lazy
from kappax._tally import Tally
from kappax._values import (
    UNUSABLE,
    Coded,
    Scale,
    bad,
    common_scale,
    complaint,
    kind_of,
    recode,
    sorted_labels,
    stated_domain,
)
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

    Lazy = nw.LazyFrame[Any]
    Eager = nw.DataFrame[Any]

__all__ = ["FramePlan", "tally_of_frame"]

MOST_COLUMNS = 200  # of counts; engines compile a query for each number of columns, and slow down beyond
_BATCH = 2**20  # rows of a stream that are coded at once
_MOST_COUNT = 2**32 - 1
_OWN_FRAMES = ("polars", "dask")  # these collect to frames of their own making, the others to Arrow


@dataclass(frozen=True, slots=True)
class FramePlan:
    """How `Tally.from_frame` made a tally.

    Attributes
    ----------
    engine : str
        What held the frame: "polars", "duckdb", "ibis", "dask", "sqlframe", "pyspark"; "memory" for frames
        that were there already.
    way : {"memory", "patterns", "counts"}
        Rows read in memory; or in the engine, the table of patterns or counts per (unit, pool, value).
    n_columns : int
        Columns of counts of the table of patterns, 0 for the other ways.
    rows_surveyed : int
        Rows that came back from the first query, one for each pair of pool and value.
    rows_fetched : int
        Rows that came back from the second query; in memory, the rows of the frame.
    """

    engine: str
    way: Literal["memory", "patterns", "counts"]
    n_columns: int
    rows_surveyed: int
    rows_fetched: int

    def __str__(self) -> str:
        if self.way == "memory":
            return f"read in memory: {self.rows_fetched} rows"
        what = f"patterns in {self.n_columns} columns" if self.way == "patterns" else "counts per unit"
        return f"counted in {self.engine}: {self.rows_surveyed} rows of values, then {self.rows_fetched} rows of {what}"


def tally_of_frame(frame: Any, *, unit: Any, value: Any, pool: Any, domain: Any) -> tuple[Tally, FramePlan]:
    """Make a tally where the frame is, and say how."""
    if not is_lazy(frame):
        return _in_memory(frame, unit=unit, value=value, pool=pool, domain=domain)
    source = _source(frame, unit=unit, value=value, pool=pool)
    survey = _survey(source, domain)
    cells = np.argwhere(survey.totals > 0)
    way: Literal["patterns", "counts"] = "patterns" if _fits(source, survey) else "counts"
    table, n_rows = _by_patterns(source, survey, cells) if way == "patterns" else _by_counts(source, survey)
    _refuse_changed(np.asarray(table.values_used()), survey.totals)
    plan = FramePlan(source.engine, way, len(cells) * (way == "patterns"), survey.n_rows, n_rows)
    return Tally(table, survey.scale.domain, survey.pools, survey.scale.ordered), plan


def _fits(source: _Source, survey: _Survey) -> bool:
    """Say whether the engine can spread counts to columns: not too many, by values that a query can write."""
    columns = (source.value, source.pool)
    if any(column is not None and column.literal is None for column in columns):
        return False
    n_values = np.count_nonzero(survey.totals.any(axis=0))
    return bool(0 < n_values * len(survey.pools) <= MOST_COLUMNS)


def _in_memory(frame: Any, *, pool: Any, **roles: Any) -> tuple[Tally, FramePlan]:
    from kappax.ratings import Ratings  # noqa: PLC0415 - ratings stand on tallies

    ratings = Ratings.from_long(frame, pool=pool, **roles)
    tally = ratings.tally(by=None if pool is None else "pool")
    return tally, FramePlan("memory", "memory", 0, 0, ratings.n_ratings + ratings.n_missing)


# --- the source --------------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """What an engine is asked for: a column in which missing is null, and equal values are equal.

    `declared` holds the categories of an Enum or Categorical. `literal` is the type in which the engine
    compares the column with what is written in a query, None where not every engine does so exactly.
    """

    expr: nw.Expr
    declared: Coded | None = None
    literal: Any = None

    def code(self, series: nw.Series[Any]) -> Coded:
        """Code what came back."""
        part = code_column(series)
        if self.declared is None:
            return part
        codes = recode(part, self.declared.values)
        return Coded(codes, self.declared.values, self.declared.stated, self.declared.loose)


class _Source(NamedTuple):
    """A frame of the columns "unit", "value" and, where there are pools, "pool"."""

    engine: str
    frame: Lazy
    unit: _Column
    value: _Column
    pool: _Column | None

    @property
    def keys(self) -> tuple[str, ...]:
        return ("value",) if self.pool is None else ("pool", "value")


def _source(frame: Any, **roles: Any) -> _Source:
    table: Lazy = nw.from_native(frame)
    schema: Any = dict(table.collect_schema())
    for role in ("unit", "value"):
        if roles[role] is None:
            raise TypeError(f"{role}= must name a column, not None")
    names = {role: name for role, name in roles.items() if name is not None}
    columns = {role: _column(table, role, name, find_column(schema, role, name)) for role, name in names.items()}
    chosen = table.select(*(column.expr.alias(role) for role, column in columns.items()))
    return _Source(_engine(table), chosen, columns["unit"], columns["value"], columns.get("pool"))


def _engine(table: Lazy) -> str:
    return table.implementation.name.lower()


def _column(table: Lazy, role: str, name: str, dtype: Any) -> _Column:
    if dtype.is_nested():
        raise RatingsError(f"column {name!r} holds nested values, a {role} is a single one: {dtype}")
    if isinstance(dtype, nw.Duration) and _engine(table) not in _OWN_FRAMES:
        raise RatingsError(f"column {name!r} holds intervals of time, cast them to numbers: {dtype}")
    column = nw.col(name)
    if dtype.is_float():  # some engines hold NaN and null apart
        return _numbers(column, finite=role == "unit")
    if isinstance(dtype, nw.Categorical) and _engine(table) == "dask":
        native = table.to_native()[name]
        if hasattr(native, "cat"):  # Arrow's dictionaries have none
            return _dask_categories(native, column)
    if isinstance(dtype, nw.Enum):
        declared = Coded(np.empty(0, dtype=np.int32), tuple(dtype.categories), stated=True)
        return _Column(column.cast(nw.String), declared, nw.String)
    if isinstance(dtype, nw.Categorical):  # its order is that of appearance, which says nothing
        return _Column(column.cast(nw.String), literal=nw.String)
    return _Column(column, literal=_literal_type(dtype, _engine(table)))


def _numbers(column: nw.Expr, declared: Coded | None = None, *, finite: bool = False) -> _Column:
    number = column.cast(nw.Float64)
    return _Column(nw.when(number.is_finite() if finite else ~number.is_nan()).then(number), declared, nw.Float64)


def _literal_type(dtype: Any, engine: str) -> Any:
    if dtype.is_decimal():
        return None if engine == "dask" else dtype  # Dask casts nothing to decimals
    return dtype if dtype.is_integer() or dtype in (nw.Boolean, nw.String, nw.Date) else None


def _dask_categories(series: Any, column: nw.Expr) -> _Column:
    """Group by what the categories hold: Dask makes groups of those declared, not of those that occur."""
    known = series.cat.known
    dtype = (series if known else series.cat.as_known()).dtype
    declared = code_column(sys.modules["pandas"].Series([], dtype=dtype))
    if not known:  # found in the order of the partitions
        declared = Coded(declared.codes, declared.values)
    kinds = {kind_of(value) for value in declared.values}
    if kinds <= {"number", "bool"}:
        return _numbers(column, declared)
    if kinds != {"text"}:
        raise RatingsError(f"categories of this type do not go through Dask, cast the column: {kinds.pop()}")
    return _Column(column.cast(nw.String), declared, nw.String)


# --- the survey --------------------------------------------------------------------------------------------


class _Survey(NamedTuple):
    """What occurs: the scale, the pools, and ratings (n_pools, K) of each value.

    `found` gives the values of the domain as the engine has them: 1 where the domain says True or 1.0.
    """

    scale: Scale
    pools: tuple[Hashable, ...]
    totals: NDArray[np.int64]
    found: dict[int, Any]
    n_rows: int


def _survey(source: _Source, domain: Any) -> _Survey:
    counts = (nw.len().alias("n"), nw.col("unit").count().alias("n_named"))
    rows = _collect(source.frame.group_by(*source.keys).agg(*counts), source.engine)
    if not len(rows):
        raise RatingsError("the frame has no rows, their number is: 0")
    n = rows["n"].to_numpy().astype(np.int64)
    _refuse_nameless(source, int((n - rows["n_named"].to_numpy().astype(np.int64)).sum()))
    part = source.value.code(rows["value"])
    scale = common_scale([part]) if domain is None else Scale(stated_domain(domain), ordered=True)
    values = recode(part, scale.domain).astype(np.int64)
    if values.min() == UNUSABLE:
        raise _unusable(source, part, n, values, scale)
    rated = values >= 0
    pool, pools = _pools(source, rows, n, rated)
    totals = np.zeros((len(pools), len(scale.domain)), dtype=np.int64)
    np.add.at(totals, (pool[rated], values[rated]), n[rated])
    found = {int(k): part.values[code] for k, code in zip(values[rated], part.codes[rated], strict=True)}
    return _Survey(scale, pools, totals, found, len(rows))


def _pools(
    source: _Source, rows: Eager, n: NDArray[np.int64], rated: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    if source.pool is None:
        return np.zeros(len(n), dtype=np.int64), (None,)
    part = source.pool.code(rows["pool"])
    lost = (part.codes < 0) & rated
    if lost.any():
        raise RatingsError(f"a rating without a pool, rows: {int(n[lost].sum())}")
    labels = [part.values[code] for code in np.unique(part.codes[part.codes >= 0])]
    for label in filter(bad, labels):
        raise complaint(label, (), "as a pool")
    pools = tuple(sorted_labels(labels))
    return recode(part, pools).astype(np.int64), pools


def _refuse_nameless(source: _Source, n_rows: int) -> None:
    if n_rows:
        infinite = " (or with an infinite one)" if source.unit.literal == nw.Float64 else ""
        raise RatingsError(f"a rating without a unit{infinite}, rows: {n_rows}")


def _unusable(
    source: _Source, part: Coded, n: NDArray[np.int64], values: NDArray[np.int64], scale: Scale
) -> RatingsError:
    """Name one value that is no rating, the same one in whatever order the engine answers."""
    wrong = {part.values[code] for code in part.codes[values == UNUSABLE]}
    value = min(wrong, key=repr)
    n_rows = int(n[part.codes == part.values.index(value)].sum())
    return complaint(value, scale.domain, f"{_smallest_unit(source, value)}{n_rows} row{'s' * (n_rows > 1)}")


def _smallest_unit(source: _Source, value: Any) -> str:
    if source.value.literal is None:
        return ""
    rows = source.frame.filter(nw.col("value") == nw.lit(value, source.value.literal))
    smallest = _collect(rows.select(nw.col("unit").min()), source.engine)["unit"].to_list()[0]
    return f"unit {smallest!r}, "


def _refuse_changed(found: NDArray[np.uint64], expected: NDArray[np.int64]) -> None:
    """Hold the second reading against the first: sources that draw at random or grow give other rows."""
    if expected.size and not np.array_equal(found, expected):
        both = f"{int(found.sum())} and {int(expected.sum())}"
        raise RatingsError(f"the frame does not give the same ratings each time it is read, second and first: {both}")


# --- patterns ----------------------------------------------------------------------------------------------


def _by_patterns(source: _Source, survey: _Survey, cells: NDArray[np.intp]) -> tuple[_core.Tally, int]:
    """Count units that show the same counts; a column stands for a pool and a value that occur together."""
    names = [f"c{j}" for j in range(len(cells))]
    conditions = (_is_cell(source, survey, g, k) for g, k in cells.tolist())
    ones = (nw.when(hit).then(nw.lit(1)).alias(name) for hit, name in zip(conditions, names, strict=True))
    per_unit = source.frame.select("unit", *ones).group_by("unit").agg(*(nw.col(c).count() for c in names))
    found = _collect(per_unit.group_by(*names).agg(nw.len().alias("n_units")), source.engine)
    used, place = np.unique(cells[:, 1], return_inverse=True)
    patterns = np.zeros((len(found), len(survey.pools), len(used)), dtype=np.uint32)
    for name, g, k in zip(names, cells[:, 0], place, strict=True):
        patterns[:, g, k] = _counts_32(found[name])
    table = _core.Tally.from_patterns(patterns, found["n_units"].to_numpy().astype(np.uint64))
    return table.map_values(used.astype(np.uint32), len(survey.scale.domain)), len(found)


def _is_cell(source: _Source, survey: _Survey, g: int, k: int) -> nw.Expr:
    hit: nw.Expr = nw.col("value") == nw.lit(survey.found[k], source.value.literal)
    if source.pool is None:
        return hit
    label: Any = survey.pools[g]
    return hit & (nw.col("pool") == nw.lit(label, source.pool.literal))


def _counts_32(column: nw.Series[Any]) -> NDArray[np.uint32]:
    counts = column.to_numpy().astype(np.int64)
    if counts.max() > _MOST_COUNT:
        raise RatingsError(f"more ratings of one value for one unit than {_MOST_COUNT}: {counts.max()}")
    return counts.astype(np.uint32)


# --- counts ------------------------------------------------------------------------------------------------


def _by_counts(source: _Source, survey: _Survey) -> tuple[_core.Tally, int]:
    """Fetch counts per (unit, pool, value), those of a unit together: units need no table of labels."""
    counted = source.frame.group_by("unit", *source.keys).agg(nw.len().alias("n")).sort("unit")
    parts = list(_coded_batches(source, survey, counted))
    unit, pool, value, n = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    rated = value >= 0
    table = _core.Tally.from_long(
        unit[rated],
        pool[rated].astype(np.uint32),
        value[rated].astype(np.uint32),
        n[rated],
        int(unit[-1]) + 1,
        len(survey.pools),
        len(survey.scale.domain),
    )
    return table, len(unit)


def _coded_batches(source: _Source, survey: _Survey, counted: Lazy) -> Iterator[tuple[NDArray[Any], ...]]:
    n_units, last = 0, None
    for batch in _batches(counted, source.engine):
        unit = batch["unit"]
        starts = (unit != unit.shift(1)).fill_null(value=True).to_numpy().astype(bool)
        starts[0] = unit[0] != last
        codes = n_units - 1 + np.cumsum(starts, dtype=np.int64)
        n_units, last = int(codes[-1]) + 1, unit[-1]
        value = recode(source.value.code(batch["value"]), survey.scale.domain)
        pool = np.zeros_like(value)
        if source.pool is not None:
            pool = recode(source.pool.code(batch["pool"]), survey.pools)
        yield codes, pool, value, batch["n"].to_numpy().astype(np.uint64)


def _batches(lazy: Lazy, engine: str) -> Iterator[Eager]:
    """Give rows as a stream where the engine has one to give, else all at once."""
    native = lazy.to_native()
    # Spark's stream is made by Python on every executor, and needs pyarrow there; its collect is Java's.
    if engine.startswith("pyspark") or not hasattr(type(native), "__arrow_c_stream__"):
        yield _collect(lazy, engine)
        return
    pa = _pyarrow(engine)
    gathered: list[Any] = []
    for batch in pa.RecordBatchReader.from_stream(native):
        gathered.append(batch)
        if sum(map(len, gathered)) >= _BATCH:
            yield nw.from_native(pa.Table.from_batches(gathered), eager_only=True)
            gathered = []
    if sum(map(len, gathered)):
        yield nw.from_native(pa.Table.from_batches(gathered), eager_only=True)


def _collect(lazy: Lazy, engine: str) -> Eager:
    if engine not in _OWN_FRAMES:
        _pyarrow(engine)
    return lazy.collect()


def _pyarrow(engine: str) -> Any:
    try:
        return import_module("pyarrow")
    except ImportError:
        raise ImportError(f"{engine} hands over its rows through pyarrow, install kappax[engines]") from None
