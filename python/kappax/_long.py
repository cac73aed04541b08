"""Long frames, one rating a row: checks that need rows, and labels as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._frames import code_column, columns_by_name, long_columns
from kappax._recode import Rules, rewrite
from kappax._tally import whole_number
from kappax._values import (
    UNUSABLE,
    Coded,
    Scale,
    bad,
    common_scale,
    complaint,
    recode,
    sorted_labels,
    stated_domain,
)
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

_DUPLICATES = ("error", "keep", "first", "last")


@dataclass(frozen=True, slots=True)
class Labels:
    """Codes (n_rows,), -1 where missing, and the labels that occur."""

    codes: NDArray[np.int64]
    labels: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Long:
    """A long frame as codes, a row each; `value` is -1 where there is no rating."""

    unit: Labels
    value: NDArray[np.int64]
    scale: Scale
    rater: Labels | None
    pool: Labels | None
    count: NDArray[np.int64] | None
    cluster: Labels | None

    def fields(self, duplicates: str) -> dict[str, Any]:
        """Give the fields of Ratings: rows that hold a rating, and of repeated ones those that are wanted."""
        if duplicates not in _DUPLICATES:
            raise RatingsError(f"duplicates must be one of {', '.join(map(repr, _DUPLICATES))}: {duplicates!r}")
        rows = np.flatnonzero(self.value >= 0)
        n_missing = len(self.value) - len(rows)
        kept = rows if self.rater is None or duplicates == "keep" else self._without_repeats(rows, duplicates)
        return {
            "unit": self.unit.codes[kept],
            "value": self.value[kept].astype(np.uint32),
            "rater": None if self.rater is None else self.rater.codes[kept],
            "pool": None if self.pool is None else self.pool.codes[kept].astype(np.uint32),
            "count": None if self.count is None else self.count[kept].astype(np.uint64),
            "units": self.unit.labels,
            "raters": () if self.rater is None else self.rater.labels,
            "pools": () if self.pool is None else self.pool.labels,
            "domain": self.scale.domain,
            "ordered": self.scale.ordered,
            "n_missing": n_missing,
            "n_dropped": len(rows) - len(kept),
            "cluster": None if self.cluster is None else self._cluster_of_unit(self.cluster),
            "clusters": () if self.cluster is None else self.cluster.labels,
        }

    def _cluster_of_unit(self, cluster: Labels) -> NDArray[np.int64]:
        of_unit = np.empty(len(self.unit.labels), dtype=np.int64)
        of_unit[self.unit.codes] = cluster.codes
        other = of_unit[self.unit.codes] != cluster.codes
        if other.any():
            row = int(np.argmax(other))
            unit = self.unit.codes[row]
            one, two = cluster.labels[cluster.codes[row]], cluster.labels[of_unit[unit]]
            raise RatingsError(f"a unit in two clusters, unit {self.unit.labels[unit]!r}: {one!r} and {two!r}")
        return of_unit

    def _without_repeats(self, rows: NDArray[np.int64], duplicates: str) -> NDArray[np.int64]:
        assert self.rater is not None  # noqa: S101 - for the type checker: the caller has looked
        key = self.unit.codes[rows] * len(self.rater.labels) + self.rater.codes[rows]
        order = np.argsort(key, kind="stable")
        same = key[order][1:] == key[order][:-1]
        if not same.any():
            return rows
        if duplicates == "error":
            raise self._repeated(rows[order], same)
        edge = np.array([True])
        keep = np.concatenate([edge, ~same] if duplicates == "first" else [~same, edge])
        return np.sort(rows[order[keep]])

    def _repeated(self, ordered_rows: NDArray[np.int64], same: NDArray[np.bool_]) -> RatingsError:
        assert self.rater is not None  # noqa: S101
        again = ordered_rows[1:][same]
        at = int(np.argmin(again))  # the first row that repeats an earlier one
        rows = (int(ordered_rows[:-1][same][at]), int(again[at]))
        pool = "" if self.pool is None else f", pool {self.pool.labels[self.pool.codes[rows[1]]]!r}"
        rater = self.rater.labels[self.rater.codes[rows[1]]]
        one, two = (self.scale.domain[self.value[row]] for row in rows)
        more = f" ({len(again) - 1} more repeated ratings)" if len(again) > 1 else ""
        return RatingsError(
            f"a rater rates a unit twice, choose duplicates='keep', 'first' or 'last': unit "
            f"{self.unit.labels[self.unit.codes[rows[1]]]!r}, rater {rater!r}{pool}, "
            f"rows {rows[0]} and {rows[1]}{more}: {one!r} and {two!r}",
        )


def read_long(
    frame: Any,
    *,
    unit: Any,
    value: Any,
    rater: Any,
    pool: Any,
    count: Any,
    cluster: Any,
    domain: Any,
    rules: Rules,
) -> Long:
    """Read and check the columns that are named; values change by `rules` before a domain is made of them."""
    if count is not None and rater is not None:
        raise RatingsError(f"count= stands for ratings of many raters and does not go with rater=: {rater!r}")
    for role, name in (("unit", unit), ("value", value)):
        if name is None:
            raise TypeError(f"{role}= must name a column, not None")
    roles = {"unit": unit, "value": value, "rater": rater, "pool": pool, "count": count, "cluster": cluster}
    coded = columns_by_name(long_columns(frame), **roles)
    if not len(coded["value"].codes):
        raise RatingsError("the frame has no rows, their number is: 0")
    (coded["value"],) = rewrite([coded["value"]], rules)
    units = _labels(coded["unit"], "unit", in_order=False)
    values, scale = _coded_values(coded, units, domain)
    counts = _counts(coded["count"], units) if count is not None else None
    if counts is not None:
        values = np.where(counts == 0, -1, values)
    rated = values >= 0
    pools = _labels(coded["pool"], "pool", rated) if pool is not None else None
    raters = _labels(coded["rater"], "rater", rated) if rater is not None else None
    if raters is not None and pools is not None:
        raters = _raters_in_pools(raters, pools)
    clusters = _labels(coded["cluster"], "cluster") if cluster is not None else None
    return Long(units, values, scale, raters, pools, counts, clusters)


def _coded_values(coded: dict[str, Coded], units: Labels, domain: Any) -> tuple[NDArray[np.int64], Scale]:
    part = coded["value"]
    scale = common_scale([part]) if domain is None else Scale(stated_domain(domain), ordered=True)
    codes = recode(part, scale.domain).astype(np.int64)
    if codes.min() == UNUSABLE:
        row = int(np.argmax(codes == UNUSABLE))
        where = f"row {row}, unit {units.labels[units.codes[row]]!r}"
        if "rater" in coded and coded["rater"].codes[row] >= 0:
            where += f", rater {coded['rater'].values[coded['rater'].codes[row]]!r}"
        raise complaint(part.values[part.codes[row]], scale.domain, where)
    return codes, scale


def _labels(coded: Coded, role: str, needed: NDArray[np.bool_] | None = None, *, in_order: bool = True) -> Labels:
    """Give labels codes, sorted or as they appear; refuse a row that needs a label and has none."""
    codes = coded.codes.astype(np.int64)
    lost = (codes < 0) if needed is None else (codes < 0) & needed
    if lost.any():
        raise RatingsError(f"a rating without a {role}, row: {int(np.argmax(lost))}")
    plain_types = set(map(type, coded.values)) <= {str, int, bool}
    for code, label in enumerate(() if plain_types else coded.values):
        if bad(label) and (codes == code).any():
            raise complaint(label, (), f"{role} in row {int(np.argmax(codes == code))}")
    n_rows, n_labels = len(codes), len(coded.values)
    first = np.full(n_labels + 1, n_rows, dtype=np.int64)  # the row where a label appears first; one place for -1
    first[codes[::-1]] = np.arange(n_rows - 1, -1, -1)
    by_sight = np.argsort(first[:n_labels], kind="stable")
    seen = by_sight[first[by_sight] < n_rows].tolist()
    if in_order:
        rank = {label: i for i, label in enumerate(sorted_labels(coded.values[i] for i in seen))}
        seen.sort(key=lambda i: rank[coded.values[i]])
    target = np.full(n_labels + 1, -1, dtype=np.int64)
    target[seen] = np.arange(len(seen))
    in_place = seen == list(range(n_labels))
    return Labels(target[codes], coded.values if in_place else tuple(coded.values[i] for i in seen))


def code_labels(labels: Any, n: int, what: str) -> Labels:
    """Give codes to n labels that stand in a list or a column of their own."""
    coded = code_column(labels, what)
    if len(coded.codes) != n:
        raise RatingsError(f"{what} needs a label for each row, {n} in all: {len(coded.codes)}")
    return _labels(coded, what)


def _raters_in_pools(raters: Labels, pools: Labels) -> Labels:
    """Make two raters of a label that occurs in two pools."""
    whole = (raters.codes >= 0) & (pools.codes >= 0)
    key = pools.codes[whole] * len(raters.labels) + raters.codes[whole]
    distinct, codes = np.unique(key, return_inverse=True)
    if len(distinct) <= len(np.unique(raters.codes[whole])):
        return raters
    places = zip(*divmod(distinct, len(raters.labels)), strict=True)
    labels = tuple((pools.labels[g], raters.labels[r]) for g, r in places)
    spread = np.full(len(raters.codes), -1, dtype=np.int64)
    spread[whole] = codes
    return Labels(spread, labels)


def _counts(coded: Coded, units: Labels) -> NDArray[np.int64]:
    counts = np.array([*map(whole_number, coded.values), -1], dtype=np.int64)[coded.codes]
    if counts.min() < 0:
        row = int(np.argmax(counts < 0))
        code = int(coded.codes[row])
        found = "missing" if code < 0 else repr(coded.values[code])
        where = f"row {row}, unit {units.labels[units.codes[row]]!r}"
        raise RatingsError(f"a count must be a whole number from 0 to {2**32 - 1}, {where}: {found}")
    return counts
