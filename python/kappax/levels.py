"""Levels of measurement: a word, a table or a function made into what the core needs for a domain."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kappax import _core
from kappax._values import kind_of
from kappax.errors import LevelError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

LevelLike: TypeAlias = "str | ArrayLike | Callable[[Any, Any], float]"

NUMERIC = ("interval", "ratio", "linear", "radical", "circular", "bipolar")
LEVELS = ("nominal", "ordinal", *NUMERIC)

OTHER_NAMES = {"quadratic": "interval", "unweighted": "nominal", "absolute": "linear", "metric": "interval"}
"""What other packages call these; named in the error, not accepted, so that one thing has one name."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level made ready for one domain.

    Attributes
    ----------
    word : str
        The level's word, "custom" for a table or a function.
    arguments : dict
        What `_core.Level` takes beside the word.
    scale : {"values", "ranks", "text"} or None
        What distances were taken between: the values themselves, ranks 0..K-1 of a stated order, or
        (ordinal) places in the order of text. None where the order of the values does not matter.
    """

    word: str
    arguments: dict[str, Any] = field(default_factory=dict)
    scale: str | None = None

    def to_core(self) -> _core.Level:
        """Hand the level to the core."""
        return _core.Level(self.word, **self.arguments)


def resolve(
    level: LevelLike,
    domain: Sequence[Hashable],
    *,
    ordered: bool,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
) -> Level:
    """Make `level` ready for `domain`; `ordered` says whether the order of the domain was stated."""
    if not isinstance(level, str):
        _refuse_options("custom", period, limits)
        return Level("custom", {"matrix": _table(level, domain)})
    _check_word(level)
    _refuse_options(level, period, limits)
    if level == "nominal":
        return Level(level)
    if level == "ordinal":
        return Level(level, scale=None if ordered or len(domain) < 3 else "text")
    values, scale = numbers(domain, ordered=ordered, level=level)
    arguments: dict[str, Any] = {"values": values}
    if level == "circular":
        arguments["period"] = _period(period)
    if level == "bipolar":
        arguments["limits"] = _limits(limits, values)
    return Level(level, arguments, scale)


def numbers(domain: Sequence[Hashable], *, ordered: bool, level: str) -> tuple[NDArray[np.float64], str]:
    """Return the number that each value stands for, and whether that is the value itself or its rank."""
    if set(map(type, domain)) == {float}:  # the short way for a domain of very many values
        return np.array(domain, dtype=np.float64), "values"
    if all(_is_number(value) for value in domain):
        return np.array([_exact(value, level) for value in domain], dtype=np.float64), "values"
    if ordered:
        return np.arange(len(domain), dtype=np.float64), "ranks"
    text = next(value for value in domain if not _is_number(value))
    raise LevelError(
        f"level {level!r} needs numbers, or values in a stated order (domain=[lowest, ..., highest]); "
        f"the ratings hold: {text!r}"
    )


def _is_number(value: Hashable) -> bool:
    return kind_of(value) in {"number", "bool"}


def _exact(value: Any, level: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number) or (isinstance(value, int) and int(number) != value):
        raise LevelError(f"level {level!r} computes in double precision, which cannot hold the value: {value}")
    return number


def _check_word(level: str) -> None:
    if level in LEVELS:
        return
    close = OTHER_NAMES.get(level.lower()) or next(iter(get_close_matches(level.lower(), LEVELS, n=1)), None)
    hint = f" (did you mean {close!r}?)" if close else ""
    words = ", ".join(repr(word) for word in LEVELS)
    raise LevelError(f"level must be {words}, a K x K array or a function of two values{hint}: {level!r}")


def _refuse_options(level: str, period: float | None, limits: tuple[float, float] | None) -> None:
    """Refuse options that would be ignored: they are a mistake somewhere."""
    if period is not None and level != "circular":
        raise LevelError(f"period belongs to level 'circular', not to level: {level!r}")
    if limits is not None and level != "bipolar":
        raise LevelError(f"limits belong to level 'bipolar', not to level: {level!r}")


def _period(period: float | None) -> float:
    if period is None:
        raise LevelError("level 'circular' needs period=, the length of one turn (24 for hours): None")
    if not (math.isfinite(period) and period > 0):
        raise LevelError(f"period must be a number above 0: {period}")
    return float(period)


def _limits(limits: tuple[float, float] | None, values: NDArray[np.float64]) -> tuple[float, float]:
    if limits is None:
        raise LevelError("level 'bipolar' needs limits=(low, high), the ends of the scale: None")
    try:
        low, high = (float(limit) for limit in limits)
    except (TypeError, ValueError):
        raise LevelError(f"limits must be two numbers, (low, high): {limits!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise LevelError(f"limits must be two numbers, the lower first: {limits}")
    for value in values:
        if not low <= value <= high:
            raise LevelError(f"a value lies outside of the scale's limits {low:g} and {high:g}: {value:g}")
    return low, high


def _table(level: Any, domain: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return the K x K matrix of squared differences, checked."""
    if callable(level):
        cells: Any = [[_called(level, a, b) for b in domain] for a in domain]
    else:
        cells = level
    if np.ma.isMaskedArray(cells):
        raise LevelError("the level's matrix must not be masked, every difference has a value; found a masked array")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # complex numbers would lose their imaginary part with a warning
            table = np.array(cells, dtype=np.float64)
    except (TypeError, ValueError, Warning):
        raise LevelError(f"level must be a word, a K x K array of real numbers or a function: {level!r}") from None
    K = len(domain)
    if callable(level):
        table = table.reshape(K, K)
    if table.shape != (K, K):
        raise LevelError(
            f"the level's matrix must have a row and a column for each of the {K} values of the domain "
            f"({_few(domain)}); state domain= for values that did not occur. Its shape: {table.shape}"
        )
    _check_table(table, domain)
    return np.ascontiguousarray(table)


def _called(level: Callable[[Any, Any], float], a: Hashable, b: Hashable) -> float:
    try:
        return float(level(a, b))
    except Exception as error:  # whatever a caller's function raises
        raise LevelError(f"the level's function fails on {a!r} and {b!r}: {error}") from error


def _check_table(table: NDArray[np.float64], domain: Sequence[Hashable]) -> None:
    checks = (
        (~np.isfinite(table), "must be finite"),
        (table < 0, "must not be negative"),
        ((table != 0) & np.eye(len(domain), dtype=bool), "must be 0 from a value to itself"),
        (table != table.T, "must be the same in both directions"),
    )
    for wrong, rule in checks:
        if wrong.any():
            k, l = np.argwhere(wrong)[0]
            other = f" (and {table[l, k]:g} back)" if "directions" in rule else ""
            raise LevelError(
                f"the level's difference {rule}; between {domain[k]!r} and {domain[l]!r} it is: {table[k, l]:g}{other}"
            )


def _few(values: Sequence[Hashable], most: int = 8) -> str:
    shown = ", ".join(repr(value) for value in values[:most])
    return shown + (", ..." if len(values) > most else "")
