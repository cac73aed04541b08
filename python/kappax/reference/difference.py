"""Squared differences d2(a, b): what a level says about two values (docs/statistics.md, section 2)."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from numbers import Rational, Real
from typing import Any, TypeAlias

Value: TypeAlias = Any
Level: TypeAlias = str | Sequence[Sequence[Any]] | Callable[[Value, Value], Any]
Difference: TypeAlias = Callable[[Value, Value], Fraction]

LEVELS = ("nominal", "ordinal", "interval", "ratio", "linear", "radical", "circular", "bipolar")

# Irrational numbers are carried to this many binary places: far beyond any float that is compared with them.
PLACES = 256
PI = Fraction("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170680")


def squared_difference(
    level: Level,
    domain: Sequence[Value],
    pairable: Mapping[Value, int],
    *,
    period: Any = None,
    limits: tuple[Any, Any] | None = None,
) -> Difference:
    """Make the function d2 of two values of the domain.

    Parameters
    ----------
    level : str, K x K matrix or callable
        One of `LEVELS`, or the differences themselves.
    domain : sequence of values
        All values, in their order.
    pairable : mapping from value to count
        The ratings that have a pair. Only the ordinal level looks at them.
    period : number, optional
        Length of the circle, for the circular level.
    limits : (lo, hi), optional
        Ends of the scale, for the bipolar level.
    """
    check_level(level)
    if not isinstance(level, str):
        return _custom(level, domain)
    if level == "nominal":
        return lambda a, b: Fraction(a != b)
    if level == "ordinal":
        R = mid_ranks(domain, pairable)
        return lambda a, b: (R[a] - R[b]) ** 2

    formula = _formula(level, list(scale(domain).values()), period, limits)
    x = scale(domain)
    return lambda a, b: formula(x[a], x[b])


def check_level(level: Level) -> None:
    """Refuse a word that is no level."""
    if isinstance(level, str) and level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, a matrix or a callable; found: {level!r}")


def needs_order(level: Level) -> bool:
    """Whether the level looks at more than whether two values are the same."""
    return isinstance(level, str) and level != "nominal"


# Values as numbers


def is_number(value: Value) -> bool:
    """Whether a value is a number. A bool is one: 0 or 1."""
    return isinstance(value, (Real, Decimal))


def exact(value: Value) -> Fraction:
    """Turn a number into a fraction, without rounding."""
    return Fraction(value if isinstance(value, (Rational, Decimal)) else float(value))


def scale(domain: Sequence[Value]) -> dict[Value, Fraction]:
    """Give each value its number: itself, or its rank 0..K-1 where the values are not all numbers."""
    if all(is_number(value) for value in domain):
        return {value: exact(value) for value in domain}
    return {value: Fraction(rank) for rank, value in enumerate(domain)}


def mid_ranks(domain: Sequence[Value], pairable: Mapping[Value, int]) -> dict[Value, Fraction]:
    """R(v) = (pairable ratings below v) + (ratings equal to v)/2."""
    R = {}
    below = 0
    for value in domain:
        equal = pairable.get(value, 0)
        R[value] = below + Fraction(equal, 2)
        below += equal
    return R


# The formulas of the levels that look at numbers


def _formula(level: str, numbers: Sequence[Fraction], period: Any, limits: Any) -> Difference:
    if level == "interval":
        return lambda a, b: (a - b) ** 2
    if level == "linear":
        return lambda a, b: abs(a - b)
    if level == "radical":
        return lambda a, b: root(abs(a - b))
    if level == "ratio":
        return _ratio(numbers)
    if level == "circular":
        return _circular(period)
    return _bipolar(numbers, limits)


def _ratio(numbers: Sequence[Fraction]) -> Difference:
    if min(numbers) < 0:
        raise ValueError(f"level 'ratio' needs values of zero or more; found: {float(min(numbers))}")
    return lambda a, b: Fraction(0) if a == b else ((a - b) / (a + b)) ** 2


def _circular(period: Any) -> Difference:
    if period is None or not period > 0:
        raise ValueError(f"level 'circular' needs a period above zero; found: {period!r}")
    length = exact(period)
    return lambda a, b: sine_of_turn((a - b) / length) ** 2


def _bipolar(numbers: Sequence[Fraction], limits: Any) -> Difference:
    if limits is None:
        raise ValueError("level 'bipolar' needs limits=(lo, hi), the ends of the scale")
    lo, hi = (exact(end) for end in limits)
    if not lo <= min(numbers) <= max(numbers) <= hi or lo == hi:
        raise ValueError(f"level 'bipolar' needs all values inside the limits; found: {limits!r}")
    # At a = b the formula is 0, also at the ends of the scale where it reads 0/0.
    return lambda a, b: Fraction(0) if a == b else (a - b) ** 2 / ((a + b - 2 * lo) * (2 * hi - a - b))


def _custom(level: Sequence[Sequence[Any]] | Callable[[Value, Value], Any], domain: Sequence[Value]) -> Difference:
    """Write out and check a matrix over the domain or a callable."""
    K = len(domain)
    rows = [[level(a, b) for b in domain] for a in domain] if callable(level) else [list(row) for row in level]
    if len(rows) != K or any(len(row) != K for row in rows):
        raise ValueError(f"a matrix of differences must be {K} x {K} for the domain: {tuple(domain)!r}")
    d2 = {(a, b): exact(rows[i][j]) for i, a in enumerate(domain) for j, b in enumerate(domain)}
    for (a, b), difference in d2.items():
        if difference < 0 or difference != d2[b, a] or (a == b and difference != 0):
            raise ValueError(
                "differences must be symmetric, zero or more, and zero on the diagonal; "
                f"found between {a!r} and {b!r}: {float(difference)}"
            )
    return lambda a, b: d2[a, b]


# Irrational functions


@cache
def root(x: Fraction) -> Fraction:
    """Take the square root of x, to 2^-256 and at least as many significant binary places."""
    # Small numbers get as many places more as they have leading zeros.
    places = PLACES + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    return Fraction(math.isqrt((x.numerator << 2 * places) // x.denominator), 1 << places)


@cache
def sine_of_turn(x: Fraction) -> Fraction:
    """sin(pi x) up to its sign, to 2^-250: Taylor's series after whole half turns are taken off."""
    angle = _rounded(PI * (x - round(x)))
    term = total = angle
    n = 1
    while term != 0:
        term = _rounded(-term * angle**2 / ((n + 1) * (n + 2)))
        total += term
        n += 2
    return total


def _rounded(x: Fraction) -> Fraction:
    return Fraction(round(x * (1 << PLACES)), 1 << PLACES)
