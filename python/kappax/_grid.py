"""Units x raters: whatever lies in rows and columns, as one matrix of codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._frames import code_series, is_frame, series_of, wide_columns
from kappax._values import (
    UNUSABLE,
    Coded,
    Scale,
    as_array,
    code_array,
    code_objects,
    common_scale,
    complaint,
    plain,
    recode,
    stated_domain,
)
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Grid:
    """Coded cells: one part for all of them, or one part a column; `names` are those of a frame's columns."""

    parts: tuple[Coded, ...]
    shape: tuple[int, int]
    names: tuple[Hashable, ...] | None = None


# --- reading -----------------------------------------------------------------------------------------------


def read_grid(values: Any) -> Grid:
    """Read a matrix: array, masked array, list of rows or wide frame."""
    if is_frame(values):
        names, parts, n_rows = wide_columns(values)
        return _not_empty(Grid(tuple(parts), (n_rows, len(names)), names))
    if series_of(values) is not None:
        raise RatingsError(f"expected units x raters (2-D), found one column of shape: ({len(values)},)")
    if hasattr(values, "__array__"):
        array = as_array(values)
        if array.ndim != 2:
            raise RatingsError(f"expected units x raters (2-D), found {array.ndim}-D of shape: {array.shape}")
        return _not_empty(Grid((code_array(array),), (array.shape[0], array.shape[1])))
    return _not_empty(_from_rows(_sequence(values)))


def read_vector(values: Any, name: str) -> Grid:
    """Read one rating a unit: list, array or series; a single column counts as a vector."""
    coded = _vector(values, name)
    return _not_empty(Grid((coded,), (len(coded.codes), 1)))


def read_grid_or_vector(values: Any, name: str) -> Grid:
    """Read a matrix, or a vector as a matrix with one rater."""
    flat = series_of(values) is not None or (not is_frame(values) and _n_dimensions(values) == 1)
    return read_vector(values, name) if flat else read_grid(values)


def _vector(values: Any, name: str) -> Coded:
    series = None if is_frame(values) else series_of(values)
    if series is not None:
        return code_series(series, name)
    if is_frame(values) or hasattr(values, "__array__") or _n_dimensions(values) > 1:
        grid = read_grid_or_none(values)
        if grid is None:
            return code_array(as_array(values))
        if grid.shape[1] != 1:
            raise RatingsError(f"{name} must be a vector, one rating a unit; its shape is: {grid.shape}")
        part = grid.parts[0]
        return Coded(part.codes.reshape(-1), part.values, part.stated, part.loose)
    return code_objects(_sequence(values))


def read_grid_or_none(values: Any) -> Grid | None:
    """Read a matrix, or None for a 1-D array."""
    if hasattr(values, "__array__") and not is_frame(values) and as_array(values).ndim == 1:
        return None
    return read_grid(values)


def _n_dimensions(values: Any) -> int:
    if hasattr(values, "__array__"):
        return as_array(values).ndim
    rows = _sequence(values)
    return 2 if rows and all(_is_row(row) for row in rows) else 1


def _sequence(values: Any) -> Sequence[Any]:
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Sequence):
        raise TypeError(f"expected an array, a list or a frame of ratings, not {type(values).__name__}")
    return values


def _is_row(row: Any) -> bool:
    if isinstance(row, str | bytes | Mapping | AbstractSet) or getattr(row, "ndim", 1) == 0:
        return False
    return isinstance(row, Sequence) or hasattr(row, "__array__") or series_of(row) is not None


def _from_rows(rows: Sequence[Any]) -> Grid:
    for i, row in enumerate(rows):
        if isinstance(row, Mapping | AbstractSet):
            raise TypeError(f"row {i} must be a list of ratings, not {type(row).__name__}")
        if not _is_row(row):
            raise RatingsError(f"expected units x raters (2-D), row {i} is not a row of ratings: {row!r}")
    cells = [list(row) for row in rows]
    width = len(cells[0]) if cells else 0
    for i, row in enumerate(cells):
        if len(row) != width:
            raise RatingsError(f"rows of different lengths: row 0 has {width} ratings, row {i} has: {len(row)}")
    coded = code_objects([cell for row in cells for cell in row])
    return Grid((Coded(coded.codes.reshape(len(cells), width), coded.values),), (len(cells), width))


def _not_empty(grid: Grid) -> Grid:
    if 0 in grid.shape:
        raise RatingsError(f"no ratings at all, the shape (units x raters) is: {grid.shape}")
    return grid


# --- coding ------------------------------------------------------------------------------------------------


def scale_of(grids: Iterable[Grid], domain: Any = None) -> Scale:
    """Give the domain stated, else the one that the values of all grids make."""
    if domain is not None:
        return Scale(stated_domain(domain), ordered=True)
    return common_scale([part for grid in grids for part in grid.parts])


def place(
    grid: Grid,
    scale: Scale,
    units: Sequence[Any] | None = None,
    raters: Sequence[Any] | None = None,
) -> NDArray[np.int32]:
    """Give the codes (n_units, n_raters), -1 where missing; refuse what the domain does not hold."""
    parts = [recode(part, scale.domain) for part in grid.parts]
    columns = parts[0] if len(parts) == 1 else np.column_stack(parts)
    codes = np.ascontiguousarray(columns, dtype=np.int32).reshape(grid.shape)
    if codes.min() == UNUSABLE:
        i, j = divmod(int(np.argmax(codes == UNUSABLE)), grid.shape[1])
        unit = i if units is None else units[i]
        rater = j if raters is None else raters[j]
        raise complaint(_cell(grid, i, j), scale.domain, f"unit {unit!r}, rater {rater!r}")
    return codes


def _cell(grid: Grid, i: int, j: int) -> Any:
    whole = len(grid.parts) == 1
    part = grid.parts[0 if whole else j]
    code = part.codes.reshape(grid.shape)[i, j] if whole else part.codes[i]
    return part.values[code]


def check_labels(labels: Any, n: int, name: str) -> tuple[Hashable, ...]:
    """Check the labels that a caller gave: as many as needed, none missing, none twice."""
    if isinstance(labels, str | bytes | Mapping | AbstractSet) or not isinstance(labels, Iterable):
        raise TypeError(f"{name} must be a sequence of labels, not {type(labels).__name__}")
    given = list(labels)
    if len(given) != n:
        raise RatingsError(
            f"{name} must have a label for each of the {n} in the data, its length is: {len(given)}",
        )
    known: set[Any] = set()
    for i, label in enumerate(value := [plain(label) for label in given]):
        if label is None:
            raise RatingsError(f"{name} has a missing label at position {i}: {given[i]!r}")
        try:
            twice = label in known
        except TypeError:
            raise RatingsError(f"{name} has a label that cannot be one at position {i}: {label!r}") from None
        if twice:
            raise RatingsError(f"{name} has a label twice: {label!r}")
        known.add(label)
    return tuple(value)
