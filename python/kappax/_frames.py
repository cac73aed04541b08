"""Columns of frames of any backend, by narwhals; and plain dicts and records that look like frames.

The only module that knows frames. Where narwhals has no operation that codes a column on every backend, the
backend's own is called through the native object, so nothing is imported that the caller has not imported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.stable.v2 import dependencies

from kappax._values import Coded, code_array, code_objects, hint, plain, shown, spread
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = [
    "code_column",
    "columns_by_name",
    "find_column",
    "is_frame",
    "is_lazy",
    "long_columns",
    "series_of",
    "wide_columns",
]


def is_frame(thing: Any) -> bool:
    """Say whether narwhals reads this as a table, eager or lazy."""
    return bool(dependencies.is_into_dataframe(thing) or dependencies.is_into_lazyframe(thing))


def is_lazy(thing: Any) -> bool:
    """Say whether this is a plan of a table, whose rows are elsewhere."""
    return bool(dependencies.is_into_lazyframe(thing))


def series_of(thing: Any) -> nw.Series[Any] | None:
    """Give a column of any backend as a narwhals series, None for what is none."""
    column = thing if dependencies.is_into_series(thing) else _as_column(thing)
    if column is None:
        return None
    series: nw.Series[Any] = nw.from_native(column, series_only=True)
    return series


def _as_column(thing: Any) -> Any:
    """Make columns of arrays of pandas and pyarrow (Index, Categorical, Array), which keep their types so."""
    home = type(thing).__module__.partition(".")[0]
    if home == "pandas" and not is_frame(thing) and hasattr(thing, "dtype"):
        return sys.modules["pandas"].Series(thing)
    if home == "pyarrow" and hasattr(thing, "dictionary_encode"):
        return sys.modules["pyarrow"].chunked_array([thing])
    return None


def _eager(frame: Any) -> nw.DataFrame[Any]:
    _refuse_twins(frame)
    table = nw.from_native(frame)
    return table.collect() if isinstance(table, nw.LazyFrame) else table


def _refuse_twins(frame: Any) -> None:
    """Name the columns that go by one name; frames in memory of pandas and pyarrow allow it."""
    if not dependencies.is_into_dataframe(frame):
        return
    names = list(frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", ()))
    if len(set(names)) < len(names):
        twins = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise RatingsError(f"more than one column of the same name: {shown(twins)}")


def wide_columns(frame: Any) -> tuple[tuple[Hashable, ...], list[Coded], int]:
    """Give a wide frame as names, coded columns and the number of rows."""
    table = _eager(frame)
    names = tuple(plain(name) for name in table.columns)
    parts = [code_column(column, name) for column, name in zip(table.iter_columns(), names, strict=True)]
    return names, parts, len(table)


def long_columns(frame: Any) -> dict[Hashable, Any]:
    """Give a long frame, a dict of columns or a list of records as columns by name."""
    if is_frame(frame):
        table = _eager(frame)
        return dict(zip(table.columns, table.iter_columns(), strict=True))
    if isinstance(frame, Mapping):
        return _equally_long(dict(frame))
    if isinstance(frame, np.ndarray) and frame.dtype.names is not None:
        return {name: frame[name] for name in frame.dtype.names}
    if isinstance(frame, list | tuple) and all(isinstance(record, Mapping) for record in frame):
        names = dict.fromkeys(name for record in frame for name in record)
        return {name: [record.get(name) for record in frame] for name in names}
    raise TypeError(f"expected a frame, a dict of columns or a list of records, not {type(frame).__name__}")


def _equally_long(columns: dict[Hashable, Any]) -> dict[Hashable, Any]:
    lengths: dict[Hashable, int] = {}
    for name, column in columns.items():
        if isinstance(column, str | bytes | Mapping) or not hasattr(column, "__len__"):
            raise TypeError(f"column {name!r} must be a list or an array, not {type(column).__name__}")
        lengths[name] = len(column)
    if len(set(lengths.values())) > 1:
        raise RatingsError(f"columns of different lengths: {lengths!r}")
    return columns


def columns_by_name(columns: dict[Hashable, Any], **roles: Any) -> dict[str, Coded]:
    """Code the columns that roles (unit=..., value=...) name; a role that is None has none."""
    return {
        role: code_column(find_column(columns, role, name), name) for role, name in roles.items() if name is not None
    }


def find_column(columns: dict[Hashable, Any], role: str, name: Hashable) -> Any:
    """Give the column that a role names, or say which columns there are."""
    if name in columns:
        return columns[name]
    known = f"{shown(columns, 30)}{hint(name, columns)}"
    raise RatingsError(f"no column {name!r} for {role}=; the columns are {known}: {name!r}")


def code_column(column: Any, name: Hashable = None) -> Coded:
    """Code one column: a series of any backend, a numpy array or a list."""
    series = column if isinstance(column, nw.Series) else series_of(column)
    if series is not None:
        return code_series(series, name)
    if hasattr(column, "__array__"):
        array = column if isinstance(column, np.ma.MaskedArray) else np.asarray(column)
        if array.ndim != 1:
            raise RatingsError(f"column {name!r} must be 1-D, not of shape {array.shape}")
        return code_array(array)
    return code_objects(list(column))


def code_series(series: nw.Series[Any], name: Hashable = None) -> Coded:
    """Code a series without a Python loop over its rows, where its backend has a way."""
    dtype = series.dtype
    if dtype.is_nested():
        raise RatingsError(f"column {name!r} holds nested values, a rating is a single one: {dtype}")
    if isinstance(dtype, nw.Categorical | nw.Enum):
        return _categories(series)
    if dtype in (nw.Object, nw.Unknown, nw.Int128, nw.UInt128):  # numpy has no integers of 128 bits
        return code_objects(series.to_list())
    if (dtype.is_numeric() and not dtype.is_decimal()) or dtype == nw.Boolean:
        # Nulls are taken out first: numpy would make floats of integers with nulls, and lose those past 2^53.
        null = series.is_null().to_numpy()
        if null.any():
            return spread(code_array(series.drop_nulls().to_numpy()), ~null)
        return code_array(series.to_numpy())
    return _factor(series)


def _factor(series: nw.Series[Any]) -> Coded:
    """Code text, dates, decimals: distinct values by the backend's own means."""
    native = series.to_native()
    if dependencies.is_pandas_like_series(native):
        codes, values = native.factorize()
        return _plain_values(np.asarray(codes), values.tolist())
    if dependencies.is_pyarrow_chunked_array(native):
        return _arrow_dictionary(native.dictionary_encode())
    if dependencies.is_polars_series(native):
        if series.dtype == nw.String and find_spec("pyarrow") is not None:  # hashing is faster than sorting
            import pyarrow as pa  # noqa: PLC0415 - not needed to be there

            return _arrow_dictionary(pa.chunked_array([native.to_arrow()]).dictionary_encode())
        ranks = native.rank("dense").fill_null(0).to_numpy()
        return _plain_values(ranks.astype(np.int64) - 1, native.drop_nulls().unique().sort().to_list())
    return code_objects(series.to_list())


def _categories(series: nw.Series[Any]) -> Coded:
    native = series.to_native()
    if dependencies.is_pandas_like_series(native) and hasattr(native, "cat"):
        return _pandas_categories(native.cat)
    if dependencies.is_pyarrow_chunked_array(native):
        return _arrow_dictionary(native.unify_dictionaries(), stated=bool(native.type.ordered))
    if isinstance(series.dtype, nw.Enum) and dependencies.is_polars_series(native):
        present = ~series.is_null().to_numpy()
        codes = native.to_physical().drop_nulls().to_numpy()
        return spread(Coded(codes.astype(np.int32), tuple(series.dtype.categories), stated=True), present)
    # A polars Categorical and the like: categories stand in order of appearance, which says nothing.
    return code_series(series.cast(nw.String))


def _pandas_categories(cat: Any) -> Coded:
    categories = cat.categories.tolist()
    loose = not cat.ordered and bool(cat.categories.is_monotonic_increasing)
    return _plain_values(cat.codes.to_numpy(), categories, stated=True, loose=loose)


def _arrow_dictionary(chunked: Any, *, stated: bool = False) -> Coded:
    array = chunked.combine_chunks()
    if hasattr(array, "chunks"):  # no chunk at all: older pyarrow gives the chunked array back
        return Coded(np.empty(0, dtype=np.int32), ())
    codes = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)  # -1 needs a sign
    return _plain_values(codes, array.dictionary.to_pylist(), stated=stated)


def _plain_values(codes: Any, values: list[Any], *, stated: bool = False, loose: bool = False) -> Coded:
    """Make a backend's distinct values plain; equal ones and missing ones among them fold."""
    if set(map(type, values)) == {str}:  # distinct already, and plain
        return Coded(np.asarray(codes), tuple(values), stated, loose)
    distinct = code_objects(values)
    target = np.append(distinct.codes, np.int32(-1))  # -1 picks the last
    return Coded(target[codes], distinct.values, stated, loose)
