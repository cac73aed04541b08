"""The tally: distinct patterns of counts, and how many units show each."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from kappax import _core
from kappax._grid import Grid, check_labels, read_grid
from kappax._values import Coded, Scale, common_scale, hint, shown, sorted_labels, stated_domain
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from kappax._engines import FramePlan

__all__ = ["Tally"]

_DROP = np.uint32(2**32 - 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tally:
    """Distinct patterns x multiplicity: all that a coefficient needs to know about a set of ratings.

    Made by `Ratings.tally`, `from_counts`, `from_frame`, `from_bytes`, or as a sum of tallies of disjoint
    units.

    Attributes
    ----------
    table : _core.Tally
        The numbers.
    domain : tuple
        The K values that can occur, in order.
    pools : tuple
        A label for each pool; ``(None,)`` where there is one pool without a name.
    ordered : bool
        Whether the order of the domain means something: it was stated, or the values are numbers.
    n_raters : int or None
        How many raters there are, None where that is not known.
    """

    table: _core.Tally
    domain: tuple[Hashable, ...]
    pools: tuple[Hashable, ...] = (None,)
    ordered: bool = False
    n_raters: int | None = None

    @classmethod
    def from_counts(cls, counts: Any, *, units: Any = None, domain: Any = None) -> Tally:
        """Make a tally of a table of counts (a Fleiss table).

        Parameters
        ----------
        counts : array-like or wide frame, (n_units, K)
            How many ratings of each value each unit got: whole numbers, none missing. Rows may have different
            sums.
        units : sequence, optional
            A label for each row, used in messages.
        domain : sequence, optional
            The values that the columns stand for. By default the names of a frame's columns in their order,
            else 0..K-1. The columns of a frame are found by name, and values without a column get zeros.

        Returns
        -------
        Tally
            One pool; the number of raters is not known.

        Raises
        ------
        RatingsError
            For a count that is negative, fractional or missing (unit and value are named), and wrong shapes.

        Examples
        --------
        >>> import kappax as kx
        >>> kx.Tally.from_counts([[3, 0], [2, 1], [0, 3]], domain=["no", "yes"])
        Tally(3 units, 3 patterns, values 'no', 'yes')
        """
        grid = read_grid(counts)
        labels = None if units is None else check_labels(units, grid.shape[0], "units")
        values, columns = _values_of_columns(grid, domain)
        table = np.zeros((grid.shape[0], 1, len(values)), dtype=np.uint32)
        table[:, 0, columns] = _whole_counts(grid, labels, [values[k] for k in columns])
        return cls(_core.Tally.from_counts(table), values, ordered=True)

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        unit: Hashable,
        value: Hashable,
        pool: Hashable | None = None,
        domain: Any = None,
        explain: Literal[False] = False,
    ) -> Tally: ...

    @overload
    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        unit: Hashable,
        value: Hashable,
        pool: Hashable | None = None,
        domain: Any = None,
        explain: Literal[True],
    ) -> tuple[Tally, FramePlan]: ...

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        unit: Hashable,
        value: Hashable,
        pool: Hashable | None = None,
        domain: Any = None,
        explain: bool = False,
    ) -> Tally | tuple[Tally, FramePlan]:
        """Make a tally of a long frame, one rating a row, where the frame is; raters are not told apart.

        A frame in memory is read as it is. A lazy or remote one (polars LazyFrame, DuckDB relation, Ibis
        table, Dask, SQLFrame, PySpark) is counted by its own engine, which reads it twice and hands over the
        values that occur, and then the table of patterns: its size does not grow with the number of units.

        Parameters
        ----------
        frame : frame of any backend, dict of columns or list of records
            Its order of rows means nothing. The source must give the same rows each time it is read.
        unit, value, pool : column names
            Without `pool` all ratings are one pool.
        domain : sequence, optional
            The values in order; those that never occurred count.
        explain : bool
            Whether to give a `FramePlan` beside the tally: which way was taken, and what came back.

        Returns
        -------
        Tally, or (Tally, FramePlan) with ``explain=True``
            The same tally, bit for bit, on every backend.

        Raises
        ------
        RatingsError
            As for `Ratings.from_long`; an engine's rows have no numbers, so messages count rows and give the
            smallest unit. Also where the source gives other ratings the second time it is read.
        ImportError
            Where an engine needs pyarrow to hand over its rows, and it is not installed.

        Examples
        --------
        >>> import kappax as kx
        >>> rows = {"doc": ["a", "a", "b", "b"], "label": [1, 2, 2, 2]}
        >>> kx.Tally.from_frame(rows, unit="doc", value="label")
        Tally(2 units, 2 patterns, values 1, 2)
        """
        from kappax._engines import tally_of_frame  # noqa: PLC0415 - engines and ratings stand on tallies

        tally, plan = tally_of_frame(frame, unit=unit, value=value, pool=pool, domain=domain)
        return (tally, plan) if explain else tally

    @property
    def patterns(self) -> NDArray[np.uint32]:
        """Counts (P, n_pools, K) of the distinct patterns, in canonical order."""
        return np.asarray(self.table.patterns())

    @property
    def multiplicity(self) -> NDArray[np.uint64]:
        """Number of units (P,) that show each pattern."""
        return np.asarray(self.table.multiplicity())

    @property
    def n_units(self) -> int:
        """Number of units, those without a rating included."""
        return int(self.table.n_units)

    def restrict(self, pools: Sequence[Hashable]) -> Tally:
        """Keep some pools, in the order asked for; all units stay."""
        chosen = chosen_pools(pools, self.pools)
        target = np.full(len(self.pools), _DROP, dtype=np.uint32)
        for new, label in enumerate(chosen):
            target[self.pools.index(label)] = new
        raters = len(chosen) if self.n_raters == len(self.pools) else None
        return Tally(self.table.map_pools(target, len(chosen)), self.domain, chosen, self.ordered, raters)

    def pooled(self) -> Tally:
        """Put all pools together into one without a name."""
        if self.pools == (None,):
            return self
        table = self.table.map_pools(np.zeros(len(self.pools), dtype=np.uint32), 1)
        return Tally(table, self.domain, (None,), self.ordered, self.n_raters)

    def with_domain(self, domain: Any) -> Tally:
        """State the domain; refuse values that occur and are not in it."""
        scale = Scale(stated_domain(domain), ordered=True)
        known = set(scale.domain)
        used = np.asarray(self.table.values_used())
        for g, k in np.argwhere(used > 0):
            if self.domain[k] not in known:
                where = "" if self.pools == (None,) else f", pool {self.pools[g]!r}"
                known_values = f"rating outside of the domain ({shown(scale.domain)})"
                raise RatingsError(f"{known_values}{where}: {self.domain[k]!r}")
        return self.on_scale(scale)

    def on_scale(self, scale: Scale) -> Tally:
        """Move to a domain that holds every value that occurs."""
        if scale.domain == self.domain:
            return Tally(self.table, scale.domain, self.pools, scale.ordered, self.n_raters)
        index = {value: code for code, value in enumerate(scale.domain)}
        spare = len(scale.domain)  # values that were declared, never used, and are gone from the domain
        target = np.array([index.get(value, spare) for value in self.domain], dtype=np.uint32)
        # An unused code may go anywhere: nothing is there to be moved.
        target[target == spare] = 0
        table = self.table.map_values(target, len(scale.domain))
        return Tally(table, scale.domain, self.pools, scale.ordered, self.n_raters)

    def __add__(self, other: Tally) -> Tally:
        """Put tallies of disjoint units together; pools are matched by label."""
        if not isinstance(other, Tally):
            return NotImplemented
        scale = union_scale(self, other)
        pools = self.pools if self.pools == other.pools else _union_of_pools(self.pools, other.pools)
        one, two = (_spread_pools(tally.on_scale(scale), pools).table for tally in (self, other))
        n_raters = _raters_of_sum(self, other, pools)
        return Tally(one.merge(two), scale.domain, pools, scale.ordered, n_raters)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self.domain == other.domain and self.pools == other.pools and bool(self.table == other.table)

    def __hash__(self) -> int:
        return hash((self.domain, self.pools, self.n_units, self.table.n_patterns))

    def __repr__(self) -> str:
        pools = "" if self.pools == (None,) else f", pools {shown(self.pools, 4)}"
        values = f"values {shown(self.domain, 6)}" if self.domain else "no values"
        return f"Tally({self.n_units} units, {self.table.n_patterns} patterns{pools}, {values})"

    def __reduce__(self) -> tuple[Callable[[bytes], Tally], tuple[bytes]]:
        return Tally.from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """Give the tally as bytes that any later version reads; checked when they are read."""
        header = {
            "domain": [_label_out(label) for label in self.domain],
            "pools": [_label_out(label) for label in self.pools],
            "ordered": self.ordered,
            "n_raters": self.n_raters,
        }
        text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode("ascii")
        body = _LENGTH.pack(len(text)) + text + self.table.to_bytes()
        return _HEAD.pack(_MAGIC, _VERSION, zlib.crc32(body)) + body

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Read what `to_bytes` gave.

        Raises
        ------
        RatingsError
            For bytes that are not a tally, are cut short or damaged, or come from a newer version.
        """
        header, body = _checked(data)
        try:
            table = _core.Tally.from_bytes(body)
        except ValueError as error:
            raise RatingsError(f"the bytes of this tally are damaged: {error}") from error
        domain = tuple(_label_in(label) for label in header["domain"])
        pools = tuple(_label_in(label) for label in header["pools"])
        sizes = ((domain, table.n_values), (pools, table.n_pools))
        if any(not len(set(labels)) == len(labels) == n for labels, n in sizes):
            raise RatingsError(f"this tally is damaged, labels and numbers do not fit: {len(domain)} values")
        return cls(table, domain, pools, header["ordered"], header["n_raters"])


# --- counts tables -----------------------------------------------------------------------------------------


def _values_of_columns(grid: Grid, domain: Any) -> tuple[tuple[Hashable, ...], list[int]]:
    """Give the domain, and for each column of the table its place in it."""
    width = grid.shape[1]
    everywhere = list(range(width))
    if domain is None:
        return (tuple(range(width)) if grid.names is None else grid.names), everywhere
    values = stated_domain(domain)
    if grid.names is not None:
        for written in (lambda value: value, str):  # a column "2" is the value 2
            places = {written(value): k for k, value in enumerate(values)}
            if all(written(name) in places for name in grid.names):
                return values, [places[written(name)] for name in grid.names]
            if written is str and any(written(name) in places for name in grid.names):
                stranger = next(name for name in grid.names if str(name) not in places)
                known = shown(values)
                raise RatingsError(f"a column of counts is no value of the domain ({known}): {stranger!r}")
    if len(values) != width:
        raise RatingsError(f"domain has {len(values)} values, the columns of counts are: {width}")
    return values, everywhere


def _whole_counts(grid: Grid, units: Sequence[Any] | None, values: Sequence[Any]) -> NDArray[np.int64]:
    """Turn coded cells into counts; each distinct number is checked once."""
    parts = [_counts_of(part) for part in grid.parts]
    counts = (parts[0] if len(parts) == 1 else np.column_stack(parts)).reshape(grid.shape)
    if (counts < 0).any():
        i, k = divmod(int(np.argmax(counts < 0)), grid.shape[1])
        part = grid.parts[0 if len(grid.parts) == 1 else k]
        code = int(part.codes.reshape(-1)[i * grid.shape[1] + k if len(grid.parts) == 1 else i])
        found = "missing" if code < 0 else repr(part.values[code])
        unit = i if units is None else units[i]
        raise RatingsError(
            f"a count must be a whole number from 0 to {2**32 - 1}, unit {unit!r}, value {values[k]!r}: {found}",
        )
    return counts


def _counts_of(part: Coded) -> NDArray[np.int64]:
    whole = [whole_number(value) for value in part.values]
    return np.array([*whole, -1], dtype=np.int64)[part.codes]  # a missing code (-1) picks the last


def whole_number(value: Any) -> int:
    """Give a count that fits 32 bits, -1 for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return -1
    return int(value) if 0 <= value < 2**32 and value == int(value) else -1


# --- sums and pools ----------------------------------------------------------------------------------------


def chosen_pools(pools: Any, known: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Find pools that a caller asks for; give the labels as they are known, not numpy's copies that equal them."""
    if isinstance(pools, str) or not hasattr(pools, "__iter__"):
        pools = [pools]
    chosen = tuple(pools)
    for label in chosen:
        if label not in known:
            pools_known = f"{shown(known, 30)}{hint(label, known)}"
            raise RatingsError(f"unknown pool, the pools are {pools_known}: {label!r}")
    chosen = tuple(known[known.index(label)] for label in chosen)
    if not chosen:
        raise RatingsError(f"no pool asked for, the pools are {shown(known, 30)}: ()")
    if len(set(chosen)) < len(chosen):
        twice = next(label for label in chosen if chosen.count(label) > 1)
        raise RatingsError(f"a pool is asked for twice: {twice!r}")
    return chosen


def union_scale(one: Any, two: Any) -> Scale:
    """Find the common domain of two Ratings or Tallies, each with a domain of its own."""
    if one.domain == two.domain and one.ordered == two.ordered:
        return Scale(one.domain, one.ordered)
    empty = np.empty(0, dtype=np.int32)
    return common_scale([Coded(empty, side.domain, stated=side.ordered) for side in (one, two)])


def _union_of_pools(one: Sequence[Any], two: Sequence[Any]) -> tuple[Any, ...]:
    if (None in one) != (None in two):
        raise RatingsError(f"pools with and without a name do not add: {tuple(one)!r} and {tuple(two)!r}")
    return tuple(sorted_labels(dict.fromkeys([*one, *two])))


def _spread_pools(tally: Tally, pools: tuple[Hashable, ...]) -> Tally:
    if tally.pools == pools:
        return tally
    target = np.array([pools.index(label) for label in tally.pools], dtype=np.uint32)
    return Tally(tally.table.map_pools(target, len(pools)), tally.domain, pools, tally.ordered, tally.n_raters)


def _raters_of_sum(one: Tally, two: Tally, pools: tuple[Hashable, ...]) -> int | None:
    """Pools of one rater each keep their number; otherwise nobody knows who is the same person."""
    if all(tally.n_raters == len(tally.pools) > 1 for tally in (one, two)):
        return len(pools)
    return one.n_raters if one.n_raters == two.n_raters else None


# --- bytes -------------------------------------------------------------------------------------------------

_MAGIC = b"kxTALLY\n"
_VERSION = 1
_HEAD = struct.Struct("<8sHI")  # magic, version, CRC-32 of all that follows
_HEADER = {"domain": list, "pools": list, "ordered": bool, "n_raters": int | None}
_LENGTH = struct.Struct("<I")  # of the JSON header


def _checked(data: bytes) -> tuple[dict[str, Any], bytes]:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"expected bytes, not {type(data).__name__}")
    data = bytes(data)
    if not data.startswith(_MAGIC[: len(data)]) or not data:
        raise RatingsError(f"these bytes are not a tally, they begin with: {data[:8]!r}")
    if len(data) < _HEAD.size + _LENGTH.size:
        raise RatingsError(f"the bytes of this tally are cut short, their number is: {len(data)}")
    _, version, checksum = _HEAD.unpack_from(data)
    if version > _VERSION:
        known = f"the format known here is {_VERSION}"
        raise RatingsError(f"this tally comes from a newer version, {known}: {version}")
    body = data[_HEAD.size :]
    if version < 1 or zlib.crc32(body) != checksum:
        raise RatingsError(f"this tally is damaged or cut short, its checksum is not: {checksum:#010x}")
    (length,) = _LENGTH.unpack_from(body)
    start = _LENGTH.size
    try:
        header = json.loads(body[start : start + length])
        sound = all(isinstance(header[key], kind) for key, kind in _HEADER.items())
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise RatingsError(f"the header of this tally is damaged: {error}") from error
    if not sound:
        raise RatingsError(f"the header of this tally is damaged: {header!r}")
    return header, body[start + length :]


def _label_out(label: Any) -> list[Any]:  # noqa: PLR0911 - one line a type
    """Write a label with its type, for JSON would make one of 1, 1.0 and "1"."""
    if label is None:
        return ["none"]
    if isinstance(label, bool | int | str):
        return [type(label).__name__, label]
    if isinstance(label, float):
        return ["float", label.hex()]
    if type(label) in (date, datetime):
        return [type(label).__name__, label.isoformat()]
    if isinstance(label, Decimal):
        return ["Decimal", str(label)]
    if isinstance(label, bytes):
        return ["bytes", label.hex()]
    if isinstance(label, tuple):
        return ["tuple", *map(_label_out, label)]
    raise RatingsError(f"a label of type {type(label).__name__} cannot be written to bytes: {label!r}")


_READERS: dict[str, Callable[..., Any]] = {
    "none": lambda: None,
    "bool": bool,
    "int": int,
    "str": str,
    "float": float.fromhex,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "Decimal": Decimal,
    "bytes": bytes.fromhex,
    "tuple": lambda *labels: tuple(map(_label_in, labels)),
}


def _label_in(written: Any) -> Any:
    try:
        kind, *content = written
        return _READERS[kind](*content)
    except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise RatingsError(f"a label of this tally is damaged: {written!r}") from error
