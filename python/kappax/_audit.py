"""What is in a set of ratings, and what looks wrong, before any number is computed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._values import kind_of, shown

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from kappax.ratings import Ratings

__all__ = ["Audit", "audit"]

_MISSING_SIGNS = {
    "",
    "?",
    ".",
    "-",
    "--",
    "na",
    "n/a",
    "n.a",
    "n.a.",
    "#n/a",
    "nan",
    "<na>",
    "nat",
    "null",
    "nil",
}
_MISSING_PHRASES = {"no response", "no answer", "not available", "not applicable", "data_expired"}
_MISSING_WORDS = _MISSING_SIGNS | _MISSING_PHRASES | {"none", "missing", "unknown", "undefined"}
_MISSING_NUMBERS = frozenset({-1, -9, -99, -999, 97, 98, 99, 999, 9999})
_FAR = 5
"""How many times the largest other value such a number is at least: 99 beside 1 to 7, not 0 to 100."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A report on ratings; ``print`` it.

    Attributes
    ----------
    n_rows : int
        Cells of the matrix, or rows of the long frame.
    n_ratings, n_missing : int
        Ratings, and cells or rows without a value.
    n_repeated, n_dropped : int
        Ratings that repeat one of the same rater, unit and pool: those that were kept, and those left out.
    n_units, n_empty, n_singletons : int
        Units; those without a rating; those with one, which pair with nothing inside a pool.
    n_raters : int or None
        None where raters are not told apart.
    pools : dict
        Number of ratings by pool.
    values : dict
        Number of ratings by value, in the order of the domain; 0 for a value that was declared and not seen.
    suspicious : tuple of str
        A sentence for each value that may not be what it seems.
    constant_raters : tuple
        Raters with two ratings or more, all the same, where others use other values.
    full_units : tuple
        Units that got every value that occurs, of which there are two or more.
    """

    n_rows: int
    n_ratings: int
    n_missing: int
    n_repeated: int
    n_dropped: int
    n_units: int
    n_empty: int
    n_singletons: int
    n_raters: int | None
    pools: dict[Any, int]
    values: dict[Any, int]
    suspicious: tuple[str, ...]
    constant_raters: tuple[Hashable, ...]
    full_units: tuple[Hashable, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON; labels that are dates and the like are text."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        left_out = f"{self.n_missing} missing, {self.n_dropped} repeated and left out"
        repeated = f"{self.n_repeated} of a rater who had rated the unit already, kept"
        lines = [
            ("rows", str(self.n_rows)),
            ("ratings", f"{self.n_ratings} ({left_out})"),
            *([("repeated", repeated)] if self.n_repeated else []),
            ("units", f"{self.n_units} ({self.n_empty} without a rating, {self.n_singletons} with one)"),
            ("raters", "not told apart" if self.n_raters is None else str(self.n_raters)),
            *([("pools", _counted(self.pools))] if self.pools else []),
            ("values", _counted(self.values)),
            *(("look at", note) for note in self.suspicious),
            *([("one value only", f"raters {shown(self.constant_raters)}")] if self.constant_raters else []),
            *([("every value", f"units {shown(self.full_units)}")] if self.full_units else []),
        ]
        return "\n".join(f"{name:<15} {text}" for name, text in lines)


def _counted(counts: dict[Any, int], limit: int = 20) -> str:
    items = list(counts.items())
    rest = f", ... ({len(items)} in all)" if len(items) > limit else ""
    return ", ".join(f"{label!r}: {count}" for label, count in items[:limit]) + rest


def audit(ratings: Ratings) -> Audit:
    """Look at ratings."""
    by_unit = _totals(ratings, ratings.unit, len(ratings.units))
    by_value = _totals(ratings, ratings.value, len(ratings.domain))
    by_pool = [] if ratings.pool is None else _totals(ratings, ratings.pool, len(ratings.pools))
    seen = [value for value, count in zip(ratings.domain, by_value, strict=True) if count]
    return Audit(
        n_rows=len(ratings.value) + ratings.n_missing + ratings.n_dropped,
        n_ratings=ratings.n_ratings,
        n_missing=ratings.n_missing,
        n_repeated=_n_repeated(ratings),
        n_dropped=ratings.n_dropped,
        n_units=ratings.n_units,
        n_empty=by_unit.count(0),
        n_singletons=by_unit.count(1),
        n_raters=ratings.n_raters,
        pools=dict(zip(ratings.pools, by_pool, strict=True)),
        values=dict(zip(ratings.domain, by_value, strict=True)),
        suspicious=(*_missing_words(seen), *_missing_numbers(seen), *_variants(seen)),
        constant_raters=_constant_raters(ratings, len(seen)),
        full_units=_full_units(ratings, len(seen)),
    )


def _totals(ratings: Ratings, codes: Any, n: int) -> list[int]:
    weights = None if ratings.count is None else ratings.count.astype(np.float64)
    totals = np.bincount(codes, weights=weights, minlength=n)
    return [int(total) for total in totals]


def _plain(value: Any) -> Any:
    """Give what JSON can hold: labels as they are where it can, else as text."""
    if isinstance(value, dict):
        return {str(label): count for label, count in value.items()}
    if isinstance(value, tuple):
        return [_plain(label) for label in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _n_repeated(ratings: Ratings) -> int:
    if ratings.rater is None:
        return 0
    return len(ratings.rater) - len(np.unique(ratings.unit * len(ratings.raters) + ratings.rater))


def _missing_words(values: Iterable[Any]) -> list[str]:
    return [
        f"text that looks like a missing rating, counted as a value: {value!r}"
        for value in values
        if isinstance(value, str) and value.strip().casefold() in _MISSING_WORDS
    ]


def _missing_numbers(values: Sequence[Any]) -> list[str]:
    """99 or -1 beside a scale that ends well before: a code for "missing" that went through as a number."""
    numbers = {value: number for value in values if (number := _number(value)) is not None}
    usual = [number for number in numbers.values() if number not in _MISSING_NUMBERS]
    if len(usual) < 2 or min(usual) < 0:
        return []
    top = max(usual)
    return [
        f"number far from the rest, perhaps a code for a missing rating: {value!r}"
        for value, number in numbers.items()
        if number in _MISSING_NUMBERS and (number > _FAR * top if number > 0 else number < -1 or top > 1)
    ]  # -1, 0, 1 is a scale


def _number(value: Any) -> float | None:
    if kind_of(value) not in {"number", "text"}:
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _variants(values: Iterable[Any]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for value in values:
        if isinstance(value, str):
            groups.setdefault(" ".join(value.split()).casefold(), []).append(value)
    return [
        f"values that differ only in case or space, counted as different: {shown(group)}"
        for group in groups.values()
        if len(group) > 1
    ]


def _full_units(ratings: Ratings, n_seen: int) -> tuple[Hashable, ...]:
    if n_seen < 2:
        return ()
    K = len(ratings.domain)
    pairs = np.unique(ratings.unit * K + ratings.value.astype(np.int64)) // K
    n_values = np.bincount(pairs, minlength=len(ratings.units))
    return tuple(ratings.units[i] for i in np.flatnonzero(n_values == n_seen))


def _constant_raters(ratings: Ratings, n_seen: int) -> tuple[Hashable, ...]:
    if ratings.rater is None or n_seen < 2:
        return ()
    n_raters, K = len(ratings.raters), len(ratings.domain)
    pairs = np.unique(ratings.rater * K + ratings.value.astype(np.int64)) // K
    n_values = np.bincount(pairs, minlength=n_raters)
    n_given = np.bincount(ratings.rater, minlength=n_raters)
    return tuple(ratings.raters[i] for i in np.flatnonzero((n_values == 1) & (n_given > 1)))
