"""Percent agreement, and the scaling that agreement weights need (docs/statistics.md, section 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Difference, Level, Value, squared_difference
from kappax.reference.ratings import Table, count, pooled, read

from .fleiss import observed_in_units
from .pairs import UNDEFINED, Triple


def percent_agreement(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """1 - Fleiss' observed disagreement, with differences scaled to at most 1.

    Nothing is corrected for chance, so the expected disagreement is returned as 1 and ratings that are all
    equal agree completely. Parameters and result are those of `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    paired = [c_u for c_u in count(units) if c_u.total() >= 2]
    d2 = squared_difference(level, domain, pooled(paired), **level_options)
    if not paired:
        return UNDEFINED

    observed = observed_in_units(paired, d2) / (largest(d2, domain) or 1)
    return 1 - observed, observed, Fraction(1)


def largest(d2: Difference, domain: Sequence[Value]) -> Fraction:
    """max(d2) over all pairs of values of the domain, whether they occurred or not."""
    return max(d2(k, l) for k in domain for l in domain)


def sum_of_weights(d2: Difference, domain: Sequence[Value]) -> Fraction:
    """T = sum over k,l of w, with agreement weights w = 1 - d2/max(d2)."""
    most = largest(d2, domain)
    return sum((1 - d2(k, l) / most for k in domain for l in domain), Fraction(0))
