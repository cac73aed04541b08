"""Ratings and tallies, and every way to make them.

    anything a user has  --->  Ratings  --->  Tally
    (matrix, frame, list)      who rated what     patterns x multiplicity

A coefficient takes any of the three; `as_ratings` and `as_tally` are the doors that it goes through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from kappax import _core
from kappax._audit import Audit, audit
from kappax._dense import count_matrix, count_pair, count_vectors
from kappax._grid import check_labels, place, read_grid, read_grid_or_vector, read_vector, scale_of
from kappax._long import code_labels, read_long
from kappax._recode import rescaled, rewrite, rules_of
from kappax._tally import Tally, chosen_pools, union_scale
from kappax._values import UNUSABLE, Coded, Scale, complaint, shown, sorted_labels, stated_domain
from kappax._values import recode as index_into
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from kappax._grid import Grid

__all__ = ["Audit", "Ratings", "Tally", "as_ratings", "as_tally", "pair", "vectors"]

By: TypeAlias = Literal["pool", "rater"] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ratings:
    """Who gave which value to which unit: codes into tuples of labels, missing ratings left out.

    Made by `from_matrix` or `from_long`. Values that are equal in Python are one value (``True``, ``1`` and
    ``1.0``); None, NaN, NA, NaT, nulls and masked cells are no rating, the text "nan" is text.

    Attributes
    ----------
    unit, value : ndarray (n_ratings,)
        Codes into `units` and `domain`.
    rater, pool : ndarray (n_ratings,) or None
        Codes into `raters` and `pools`; None where raters are anonymous, or there are no pools.
    count : ndarray (n_ratings,) or None
        How many ratings each entry stands for; None for one each.
    units, raters, pools : tuple
        Labels; units without a rating are among them. A rater label that occurs in two pools is two raters,
        and labels are then pairs ``(pool, rater)``.
    domain : tuple
        The values that can occur, in order.
    ordered : bool
        Whether that order means something: it was stated, or the values are numbers.
    aligned : bool
        Whether the labels of units are mere row numbers.
    n_missing, n_dropped : int
        Ratings that the source has no value for, and repeated ones that ``duplicates=`` left out.
    cluster : ndarray (n_units,) or None
        The cluster of each unit, codes into `clusters`; None where units stand for themselves.
    clusters : tuple
        Labels of clusters.
    """

    unit: NDArray[np.int64]
    value: NDArray[np.uint32]
    rater: NDArray[np.int64] | None
    pool: NDArray[np.uint32] | None
    count: NDArray[np.uint64] | None
    units: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    pools: tuple[Hashable, ...]
    domain: tuple[Hashable, ...]
    ordered: bool
    aligned: bool = False
    n_missing: int = 0
    n_dropped: int = 0
    cluster: NDArray[np.int64] | None = None
    clusters: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.unit, self.value, self.rater, self.pool, self.count, self.cluster):
            if array is not None:
                array.flags.writeable = False

    # --- making ---------------------------------------------------------------------------------------------

    @classmethod
    def from_matrix(
        cls,
        values: Any,
        *,
        units: Any = None,
        raters: Any = None,
        clusters: Any = None,
        domain: Any = None,
        missing: Iterable[Any] = (),
        recode: Mapping[Any, Any] | None = None,
    ) -> Ratings:
        """Read a matrix of ratings: rows are units, columns are raters.

        Parameters
        ----------
        values : array-like, masked array or wide frame, (n_units, n_raters)
            Lists of lists, any numpy array, anything that converts to one, or a frame of pandas, polars,
            pyarrow or another backend of narwhals, all of whose columns are raters.
        units, raters : sequence, optional
            Labels. By default row numbers, and column numbers or the names of a frame's columns.
        clusters : sequence, optional
            For each row the cluster that it belongs to, such as the document that a sentence is from. A bootstrap
            then draws whole clusters, and the jackknife leaves them out.
        domain : sequence, optional
            The values in order: needed for text at an ordered level, and for values that never occurred. By
            default the order of Categorical or Enum columns, else the values that occur, sorted.
        missing : list of values, optional
            Values that say that there is no rating, such as 99 or "N/A", whether they occur or not.
        recode : dict, optional
            New values by old ones, to merge or rename; None makes one missing. All at once, before `missing`
            and `domain` are looked at. An old value that does not occur is an error: it may be misspelt.

        Returns
        -------
        Ratings

        Raises
        ------
        RatingsError
            For shapes that are not 2-D, empty or ragged; infinite numbers; numbers mixed with text; values
            outside of the domain. Unit, rater and value are named.
        TypeError
            For what holds no ratings at all (None, a dict, a string, a set).

        Examples
        --------
        >>> import kappax as kx
        >>> kx.Ratings.from_matrix([[1, 1], [2, None], [3, 2]])
        Ratings(3 units, 2 raters, 5 ratings, values 1, 2, 3)
        """
        grid = read_grid(values)
        grid = replace(grid, parts=rewrite(grid.parts, rules_of(recode, missing)))
        n_units, n_raters = grid.shape
        unit_labels = None if units is None else check_labels(units, n_units, "units")
        names = grid.names or tuple(range(n_raters))
        rater_labels = names if raters is None else check_labels(raters, n_raters, "raters")
        ratings = _from_grid(grid, scale_of([grid], domain), unit_labels, rater_labels)
        if clusters is None:
            return ratings
        labels = code_labels(clusters, n_units, "clusters")
        return replace(ratings, cluster=labels.codes, clusters=labels.labels)

    @classmethod
    def from_long(
        cls,
        frame: Any,
        *,
        unit: Hashable,
        value: Hashable,
        rater: Hashable | None = None,
        pool: Hashable | None = None,
        count: Hashable | None = None,
        cluster: Hashable | None = None,
        domain: Any = None,
        duplicates: Literal["error", "keep", "first", "last"] = "error",
        missing: Iterable[Any] = (),
        recode: Mapping[Any, Any] | None = None,
    ) -> Ratings:
        """Read a long frame: one rating a row.

        Parameters
        ----------
        frame : frame of any backend, dict of columns or list of records
            A lazy frame is collected.
        unit, value, rater, pool, count, cluster : column names
            Without `rater` the raters are not told apart, without `pool` there are no pools. `count` says how
            many such ratings a row stands for: whole numbers, 0 for none; not together with `rater`. `cluster`
            says what a unit belongs to, such as the document that a sentence is from: a bootstrap then draws
            whole clusters, and the jackknife leaves them out.
        domain : sequence, optional
            As for `from_matrix`.
        duplicates : {"error", "keep", "first", "last"}
            What to do where a rater rates a unit twice in one pool. Rows without a value are no ratings and
            repeat nothing.
        missing, recode : optional
            As for `from_matrix`.

        Returns
        -------
        Ratings
            Units in order of appearance, raters and pools sorted. Units of which every rating is missing
            stay.

        Raises
        ------
        RatingsError
            For a column that is not there; a unit, rater, pool or cluster that is missing in a row; a unit in
            two clusters; repeated ratings; bad counts; and all that `from_matrix` refuses.

        Examples
        --------
        >>> import kappax as kx
        >>> rows = [{"doc": "a", "who": "x", "label": 1}, {"doc": "a", "who": "y", "label": 2}]
        >>> kx.Ratings.from_long(rows, unit="doc", value="label", rater="who")
        Ratings(1 units, 2 raters, 2 ratings, values 1, 2)
        """
        long = read_long(
            frame,
            unit=unit,
            value=value,
            rater=rater,
            pool=pool,
            count=count,
            cluster=cluster,
            domain=domain,
            rules=rules_of(recode, missing),
        )
        return cls(**long.fields(duplicates))

    # --- looking --------------------------------------------------------------------------------------------

    @property
    def n_units(self) -> int:
        """Number of units, those without a rating included."""
        return len(self.units)

    @property
    def n_raters(self) -> int | None:
        """Number of raters, None where they are not told apart."""
        return None if self.rater is None else len(self.raters)

    @property
    def n_ratings(self) -> int:
        """Number of ratings."""
        return len(self.value) if self.count is None else int(self.count.sum())

    def __repr__(self) -> str:
        raters = "" if self.rater is None else f", {len(self.raters)} raters"
        pools = "" if self.pool is None else f", pools {shown(self.pools, 4)}"
        values = f"values {shown(self.domain, 6)}" if self.domain else "no values"
        return f"Ratings({self.n_units} units{raters}{pools}, {self.n_ratings} ratings, {values})"

    def audit(self) -> Audit:
        """Say what is there, and what looks wrong, before any number is computed.

        Returns
        -------
        Audit
            Counts of rows, units, raters, pools, missing and single ratings, and of each value; values that
            look like missing ones or like variants of one another; repeated ratings; raters who gave one
            value only; units that got every value. ``print``
            it, and act on it with `recode`.
        """
        return audit(self)

    # --- using ----------------------------------------------------------------------------------------------

    def tally(self, by: By = None) -> Tally:
        """Count the patterns: one pool of all raters, or a pool for each pool or each rater.

        Parameters
        ----------
        by : {None, "pool", "rater"}
            What makes a pool.

        Returns
        -------
        Tally

        Raises
        ------
        RatingsError
            By "pool" where the ratings have none, by "rater" where raters are not told apart.
        """
        pool, pools = self.grouping(by)
        table = _core.Tally.from_long(
            self.unit,
            pool,
            self.value,
            self.count,
            len(self.units),
            len(pools),
            len(self.domain),
        )
        return Tally(table, self.domain, pools, self.ordered, self.n_raters)

    def grouping(self, by: By) -> tuple[NDArray[np.uint32], tuple[Hashable, ...]]:
        """Give the pool of each rating, and the labels of the pools."""
        if by is None:
            return np.zeros(len(self.unit), dtype=np.uint32), (None,)
        if by == "pool":
            if self.pool is None:
                raise RatingsError(f"these ratings have no pools, name the column as pool= of from_long: {self!r}")
            return self.pool, self.pools
        if by == "rater":
            if self.rater is None:
                raise RatingsError(f"these ratings do not say who rated, name the column as rater=: {self!r}")
            return self.rater.astype(np.uint32), self.raters
        raise RatingsError(f"by must be None, 'pool' or 'rater': {by!r}")

    def select(self, *, pools: Sequence[Hashable]) -> Ratings:
        """Keep some pools, in the order asked for; all units and the whole domain stay."""
        if self.pool is None:
            raise RatingsError(f"these ratings have no pools to choose from: {self!r}")
        chosen = chosen_pools(pools, self.pools)
        target = np.full(len(self.pools), -1, dtype=np.int64)
        target[[self.pools.index(label) for label in chosen]] = np.arange(len(chosen))
        pool = target[self.pool]
        kept = replace(self._where(pool >= 0), pool=pool[pool >= 0].astype(np.uint32), pools=chosen)
        if kept.rater is None:
            return kept
        seen, rater = np.unique(kept.rater, return_inverse=True)
        return replace(kept, rater=rater.astype(np.int64), raters=tuple(self.raters[i] for i in seen))

    def _where(self, keep: NDArray[np.bool_]) -> Ratings:
        return replace(
            self,
            unit=self.unit[keep],
            value=self.value[keep],
            rater=None if self.rater is None else self.rater[keep],
            pool=None if self.pool is None else self.pool[keep],
            count=None if self.count is None else self.count[keep],
            n_missing=0,
            n_dropped=0,
        )

    def recode(self, recode: Mapping[Any, Any] | None = None, *, missing: Iterable[Any] = ()) -> Ratings:
        """Merge or rename values, and take some for missing ratings: what an audit asks for.

        Parameters
        ----------
        recode : dict, optional
            New values by old ones; None makes one missing. All at once: ``{1: 2, 2: 1}`` swaps.
        missing : list of values, optional
            Values that say that there is no rating, whether they occur or not.

        Returns
        -------
        Ratings
            A stated order of the values lives on: a new value stands where the first that becomes it stood.

        Raises
        ------
        RatingsError
            For an old value that neither occurs nor was declared; for a value both recoded and missing.

        Examples
        --------
        >>> import kappax as kx
        >>> ratings = kx.Ratings.from_matrix([["yes", "Yes "], ["no", "N/A"]])
        >>> ratings.recode({"Yes ": "yes"}, missing=["N/A"])
        Ratings(2 units, 2 raters, 3 ratings, values 'no', 'yes')
        """
        coded = Coded(self.value.astype(np.int64), self.domain)
        (part,) = rewrite([coded], rules_of(recode, missing))
        scale = rescaled(part, Scale(self.domain, self.ordered))
        kept = self._where(part.codes >= 0)
        return replace(
            kept,
            value=index_into(part, scale.domain)[part.codes >= 0].astype(np.uint32),
            domain=scale.domain,
            ordered=scale.ordered,
            n_missing=self.n_missing + len(self.value) - len(kept.value),
            n_dropped=self.n_dropped,
        )

    def with_domain(self, domain: Any) -> Ratings:
        """State the domain; refuse the first rating that is not in it."""
        return self.on_scale(Scale(stated_domain(domain), ordered=True))

    def on_scale(self, scale: Scale) -> Ratings:
        """Move to another domain; refuse the first rating that is not in it."""
        codes = index_into(Coded(self.value.astype(np.int64), self.domain), scale.domain)
        if codes.size and codes.min() == UNUSABLE:
            first = int(np.argmax(codes == UNUSABLE))
            raise complaint(self.domain[self.value[first]], scale.domain, self.place(first))
        return replace(self, value=codes.astype(np.uint32), domain=scale.domain, ordered=scale.ordered)

    def place(self, i: int) -> str:
        """Say where entry i stands, for a message."""
        rater = "" if self.rater is None else f", rater {self.raters[self.rater[i]]!r}"
        return f"unit {self.units[self.unit[i]]!r}{rater}"


def _from_grid(
    grid: Grid,
    scale: Scale,
    units: tuple[Hashable, ...] | None,
    raters: tuple[Hashable, ...],
) -> Ratings:
    codes = place(grid, scale, units, raters)
    unit, rater = np.nonzero(codes >= 0)
    return Ratings(
        unit=unit.astype(np.int64),
        value=codes[unit, rater].astype(np.uint32),
        rater=rater.astype(np.int64),
        pool=None,
        count=None,
        units=tuple(range(grid.shape[0])) if units is None else units,
        raters=raters,
        pools=(),
        domain=scale.domain,
        ordered=scale.ordered,
        aligned=units is None,
        n_missing=codes.size - len(unit),
    )


# --- the doors of the coefficients -------------------------------------------------------------------------


class Source:
    """The Ratings behind some counts, written out only when somebody asks who rated what."""

    def __init__(self, make: Callable[[], Ratings], *given: Any) -> None:
        self._make = make
        self.is_clustered = any(isinstance(data, Ratings) and data.cluster is not None for data in given)

    @cached_property
    def ratings(self) -> Ratings:
        """Who rated what; a Tally does not say."""
        return self._make()


def as_ratings(x: Any, domain: Any = None) -> Ratings:
    """Give what a caller handed in as Ratings, on the domain stated, if one is."""
    if isinstance(x, Ratings):
        return x if domain is None else x.with_domain(domain)
    if isinstance(x, Tally):
        raise RatingsError(f"a Tally does not say who rated what, pass Ratings or a matrix: {x!r}")
    return Ratings.from_matrix(x, domain=domain)


def as_tally(x: Any, by: By, domain: Any = None) -> Tally:
    """Give what a caller handed in as a Tally by nothing, pool or rater, on the domain stated, if one is."""
    if isinstance(x, Tally):
        return _regrouped(x if domain is None else x.with_domain(domain), by)
    if isinstance(x, Ratings) or by == "pool":
        return as_ratings(x, domain).tally(by)
    counted = count_matrix(x, domain, by_rater=by == "rater")
    if isinstance(counted, Tally):
        return counted
    if by is not None:
        return as_ratings(x, domain).tally(by)
    grid = read_grid(x)  # the short way: no need to write out who rated what
    scale = scale_of([grid], domain)
    table = _core.Tally.from_matrix(place(grid, scale, raters=grid.names), len(scale.domain))
    return Tally(table, scale.domain, (None,), scale.ordered, grid.shape[1])


def _regrouped(tally: Tally, by: By) -> Tally:
    if by is None:
        return tally.pooled()
    if by == "pool":
        if tally.pools == (None,):
            raise RatingsError(f"this tally has no pools, make it with ratings.tally(by='pool'): {tally!r}")
        return tally
    if by != "rater":
        raise RatingsError(f"by must be None, 'pool' or 'rater': {by!r}")
    if tally.n_raters != len(tally.pools):
        raise RatingsError(
            f"this tally has not one pool for each rater, "
            f"pass Ratings, a matrix or ratings.tally(by='rater'): {tally!r}",
        )
    return tally


def tally_of_vectors(x: Any, y: Any, domain: Any = None) -> Tally:
    """Tally two vectors of ratings of the same units, a pool each."""
    return count_vectors(x, y, domain) or vectors(x, y, domain).tally("rater")


def tally_of_pair(x: Any, y: Any, domain: Any = None) -> Tally:
    """Tally two sets of ratings as pools "x" and "y"."""
    return count_pair(x, y, domain) or pair(x, y, domain).tally("pool")


def vectors(x: Any, y: Any, domain: Any = None) -> Ratings:
    """Put two vectors of ratings of the same units side by side, as raters and pools "x" and "y"."""
    for side in (x, y):
        if isinstance(side, Ratings | Tally):
            raise TypeError(f"expected two vectors of ratings, not {type(side).__name__}")
    one, two = read_vector(x, "x"), read_vector(y, "y")
    if one.shape != two.shape:
        raise RatingsError(f"x and y must rate the same units, their lengths are: {one.shape[0]} and {two.shape[0]}")
    scale = scale_of([one, two], domain)
    sides = [_from_grid(grid, scale, None, (name,)) for grid, name in ((one, "x"), (two, "y"))]
    return replace(_joined(sides[0], sides[1], units=sides[0].units), raters=("x", "y"))


def pair(x: Any, y: Any, domain: Any = None) -> Ratings:
    """Put two sets of ratings together as pools "x" and "y", units matched by label or by row."""
    for side in (x, y):
        if isinstance(side, Tally):
            raise TypeError(
                "a Tally does not say which unit is which, pass Ratings or matrices, or a Tally by pool alone"
            )
    one, two = _on_one_scale(x, y, domain)
    if one.aligned and two.aligned:
        if one.n_units != two.n_units:
            raise RatingsError(f"x and y must have the same rows, their numbers are: {one.n_units} and {two.n_units}")
        return _joined(one, two, units=one.units)
    if one.aligned or two.aligned:
        bare, other, labelled = ("x", "y", two) if one.aligned else ("y", "x", one)
        raise RatingsError(
            f"units cannot be matched: {other} has labels of units and {bare} only row numbers, "
            f"give {bare} as Ratings with units=, whose labels are like: {labelled.units[0]!r}",
        )
    return _joined(one, two, units=tuple(dict.fromkeys([*one.units, *two.units])))


def _on_one_scale(x: Any, y: Any, domain: Any) -> tuple[Ratings, Ratings]:
    grids = [
        None if isinstance(side, Ratings) else read_grid_or_vector(side, name) for side, name in ((x, "x"), (y, "y"))
    ]
    raw = [grid for grid in grids if grid is not None]
    shared = scale_of(raw, domain) if raw else None
    one, two = (
        side
        if grid is None or shared is None
        else _from_grid(grid, shared, None, grid.names or tuple(range(grid.shape[1])))
        for side, grid in zip((x, y), grids, strict=True)
    )
    scale = union_scale(one, two) if domain is None else Scale(stated_domain(domain), ordered=True)
    return one.on_scale(scale), two.on_scale(scale)


def _joined(one: Ratings, two: Ratings, units: tuple[Hashable, ...]) -> Ratings:
    """Stack two Ratings on one domain as pools x and y; raters of both sides stay apart."""
    place_of = {label: i for i, label in enumerate(units)}
    sides = (one, two)
    unit = [
        side.unit if side.units == units else np.array([place_of[u] for u in side.units], dtype=np.int64)[side.unit]
        for side in sides
    ]
    cluster, clusters = joined_clusters(sides, units)
    rater = None
    if one.rater is not None and two.rater is not None:
        rater = np.concatenate([one.rater, two.rater + len(one.raters)])
    return Ratings(
        unit=np.concatenate(unit),
        value=np.concatenate([side.value for side in sides]),
        rater=rater,
        pool=np.repeat(np.arange(2, dtype=np.uint32), [len(side.value) for side in sides]),
        count=None if one.count is None and two.count is None else np.concatenate([_counts(side) for side in sides]),
        units=units,
        raters=() if rater is None else (*(("x", r) for r in one.raters), *(("y", r) for r in two.raters)),
        pools=("x", "y"),
        domain=one.domain,
        ordered=one.ordered,
        aligned=one.aligned and two.aligned,
        n_missing=one.n_missing + two.n_missing,
        cluster=cluster,
        clusters=clusters,
    )


def joined_clusters(
    sides: Sequence[Ratings], units: tuple[Hashable, ...]
) -> tuple[NDArray[np.int64] | None, tuple[Hashable, ...]]:
    """Give the cluster of each unit of several Ratings; each unit is in one, if there are clusters at all."""
    found: dict[Hashable, Hashable] = {}
    for side in sides:
        if side.cluster is not None:
            for unit, code in zip(side.units, side.cluster.tolist(), strict=True):
                label = side.clusters[code]
                if found.setdefault(unit, label) != label:
                    raise RatingsError(f"a unit in two clusters, unit {unit!r}: {found[unit]!r} and {label!r}")
    if not found:
        return None, ()
    if lost := [unit for unit in units if unit not in found]:
        raise RatingsError(f"some units have a cluster, these have none: {shown(lost, 5)}")
    clusters = tuple(sorted_labels(found.values()))
    place = {label: i for i, label in enumerate(clusters)}
    return np.array([place[found[unit]] for unit in units], dtype=np.int64), clusters


def _counts(ratings: Ratings) -> NDArray[np.uint64]:
    return np.ones(len(ratings.value), dtype=np.uint64) if ratings.count is None else ratings.count
