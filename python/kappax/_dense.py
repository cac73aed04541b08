"""The short way from plain numpy arrays of numbers to counts: one pass over memory, no codes, no labels.

Every function here gives None where the short way does not lead (many distinct values, infinities, values outside of a
stated domain); the long way through `Ratings` then gives the same counts, or the error that names the rating.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax import _core
from kappax._tally import Tally
from kappax._values import Scale, stated_domain

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray


_WIDEST: dict[str, Any] = {"f": np.float64, "i": np.int64, "u": np.uint64}


@dataclass(frozen=True, slots=True)
class PairCounts:
    """What stands for a Tally of one pool where an estimate is all that is wanted and patterns are too many."""

    table: _core.PairCounts
    domain: tuple[Hashable, ...]
    n_raters: int
    ordered: bool = True
    pools: tuple[Hashable, ...] = (None,)

    @property
    def n_units(self) -> int:
        """Number of units, those without a rating included."""
        return self.table.n_units


def count_matrix(
    values: Any, domain: Any, *, by_rater: bool = False, estimate_only: bool = False
) -> Tally | PairCounts | None:
    """Count the patterns of a matrix, all raters in one pool or a pool each."""
    array, mask, is_bool = _numbers(values, 2)
    if array is None:
        return None
    n_raters = array.shape[1]
    pools = tuple(range(n_raters)) if by_rater else (None,)
    counted = _core.count(
        array,
        pools=list(range(n_raters)) if by_rater else None,
        mask=mask,
        estimate_only=estimate_only and domain is None,
    )
    if counted is None and mask is None and not by_rater:
        counted = _of_codes(array)
    return _on_domain(counted, domain, pools, n_raters, is_bool=is_bool)


def _of_codes(array: NDArray[Any]) -> tuple[_core.Tally, NDArray[Any]]:
    """Count by codes, where there are too many values for less."""
    codes, distinct = _core.encode(array.astype(_WIDEST[array.dtype.kind], copy=False))
    return _core.Tally.from_matrix(codes, len(distinct)), distinct


def count_vectors(x: Any, y: Any, domain: Any) -> Tally | None:
    """Count the patterns of two vectors of ratings of the same units, a pool each."""
    sides = _two_sides(x, y, 1)
    if sides is None:
        return None
    one, two, is_bool = sides
    columns = [np.ascontiguousarray(one), np.ascontiguousarray(two)]
    counted = _on_domain(_core.count(columns, pools=[0, 1]), domain, ("x", "y"), 2, is_bool=is_bool)
    return counted if isinstance(counted, Tally) else None


def count_pair(x: Any, y: Any, domain: Any) -> Tally | None:
    """Count the patterns of two matrices of the same units, a pool each."""
    sides = _two_sides(x, y, 2)
    if sides is None:
        return None
    one, two, is_bool = sides
    n_raters = (one.shape[1], two.shape[1])
    pools = np.repeat([0, 1], n_raters).tolist()
    counts = _core.count(np.hstack((one, two)), pools=pools)
    counted = _on_domain(counts, domain, ("x", "y"), sum(n_raters), is_bool=is_bool)
    return counted if isinstance(counted, Tally) else None


def _two_sides(x: Any, y: Any, ndim: int) -> tuple[NDArray[Any], NDArray[Any], bool] | None:
    """Give two arrays of numbers of the same units and type, and whether they are bools; masks go the long way."""
    one, hidden, is_bool = _numbers(x, ndim)
    two, also_hidden, other_is_bool = _numbers(y, ndim)
    if one is None or two is None or hidden is not None or also_hidden is not None:
        return None
    # Bools are seen as bytes here, but False and 0 of bytes that go up to 255 are not of one kind.
    if len(one) != len(two) or (one.dtype, is_bool) != (two.dtype, other_is_bool):
        return None
    return one, two, is_bool


def _numbers(values: Any, ndim: int) -> tuple[NDArray[Any] | None, NDArray[np.bool_] | None, bool]:
    """Give a plain array of numbers, its mask, if it has one, and whether it is of bools, which are seen as bytes.

    None for the array where it is no such thing.
    """
    mask = None
    if type(values) is np.ma.MaskedArray:
        mask, values = np.ma.getmaskarray(values), values.data
    if type(values) is not np.ndarray or values.ndim != ndim or values.size == 0:
        return None, None, False
    dtype = values.dtype
    if dtype.kind == "b":
        return values.view(np.uint8), mask, True
    if dtype.kind == "f" and dtype.itemsize < 8:
        return values.astype(np.float64), mask, False
    known = dtype.kind in "iu" or (dtype.kind == "f" and dtype.itemsize == 8)
    return (values if known and dtype.isnative else None), mask, False


def _on_domain(
    counted: tuple[Any, NDArray[Any]] | None,
    domain: Any,
    pools: tuple[Hashable, ...],
    n_raters: int,
    *,
    is_bool: bool,
) -> Tally | PairCounts | None:
    """Give the counts their labels, unless a value says that the long way is needed."""
    if counted is None:
        return None
    table, distinct = counted
    values: Sequence[Any] = distinct.tolist()
    if values and not (math.isfinite(values[0]) and math.isfinite(values[-1])):
        return None
    if is_bool:
        values = [bool(value) for value in values]
    if isinstance(table, _core.PairCounts):
        return PairCounts(table, tuple(values), n_raters)
    tally = Tally(table, tuple(values), pools, True, n_raters)
    if domain is None:
        return tally
    scale = Scale(stated_domain(domain), ordered=True)
    return tally.on_scale(scale) if set(values) <= set(scale.domain) else None
