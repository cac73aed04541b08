"""The one sum and the one quotient that every coefficient is made of (docs/statistics.md, section 1)."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from kappax.reference.difference import Difference, Value

# Estimate, observed and expected disagreement; None where there is no such number.
Triple: TypeAlias = tuple[Fraction | None, Fraction | None, Fraction | None]

UNDEFINED: Triple = (None, None, None)


def pairs(a: Mapping[Value, int | Fraction], b: Mapping[Value, int | Fraction], d2: Difference) -> Fraction:
    """Sum a_k b_l d2(k,l) over all pairs of values k, l.

    With the counts of one unit this is W[g,u] (a and b of the same pool) or C[g,h,u] (of two pools); with
    marginals it is what chance would make.
    """
    total = Fraction(0)
    for k, a_k in a.items():
        for l, b_l in b.items():
            if a_k and b_l and k != l:
                total += a_k * b_l * d2(k, l)
    return total


def mean(numbers: Iterable[Fraction]) -> Fraction:
    """Average at least one number."""
    listed = list(numbers)
    return sum(listed, Fraction(0)) / len(listed)


def chance_corrected(observed: Fraction, expected: Fraction) -> Triple:
    """1 - observed / expected, undefined where chance makes no disagreement."""
    return (1 - observed / expected if expected else None), observed, expected
