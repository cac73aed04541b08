"""Fleiss' kappa, Scott's pi, and the two parts that other coefficients share (docs/statistics.md, section 3)."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Difference, Level, Value, squared_difference
from kappax.reference.ratings import Table, count, pooled, read

from .pairs import UNDEFINED, Triple, chance_corrected, mean, pairs


def fleiss_kappa(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Fleiss' kappa, in Gwet's form for units with different numbers of ratings.

    Units with two ratings or more are observed; every unit with a rating has its part in what chance makes.
    Parameters and result are those of `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    c = count(units)
    paired = [c_u for c_u in c if c_u.total() >= 2]
    d2 = squared_difference(level, domain, pooled(paired), **level_options)
    if not paired:
        return UNDEFINED

    p = mean_proportions(c, domain)
    return chance_corrected(observed_in_units(paired, d2), pairs(p, p, d2))


def scott_pi(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Scott's pi: Fleiss' kappa of two raters.

    Parameters and result are those of `krippendorff_alpha`.
    """
    for u, row in enumerate(units):
        if len(row) > 2:
            raise ValueError(f"Scott's pi is for two raters; unit {u} has places for: {len(row)}")
    return fleiss_kappa(units, level, domain=domain, **level_options)


def observed_in_units(paired: Sequence[Counter[Value]], d2: Difference) -> Fraction:
    """Mean over units of W[u] / (m[u] (m[u] - 1))."""
    return mean(pairs(c_u, c_u, d2) / (c_u.total() * (c_u.total() - 1)) for c_u in paired)


def mean_proportions(c: Sequence[Counter[Value]], domain: Sequence[Value]) -> dict[Value, Fraction]:
    """p_k = mean over units with a rating of c[u,k]/m[u]."""
    rated = [c_u for c_u in c if c_u.total() >= 1]
    return {k: mean(Fraction(c_u[k], c_u.total()) for c_u in rated) for k in domain}
