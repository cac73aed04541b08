"""Krippendorff's alpha (docs/statistics.md, section 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Table, count, pooled, read

from .pairs import UNDEFINED, Triple, chance_corrected, pairs


def krippendorff_alpha(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Krippendorff's alpha.

    Parameters
    ----------
    units : list of lists of values
        The ratings of each unit, None where one is missing.
    level : str, K x K matrix or callable
    domain : sequence of values, optional
        The order of the values, and those that never occurred.
    **level_options
        `period` or `limits`, where the level needs them.

    Returns
    -------
    (estimate, observed, expected) : Fractions, None where undefined
    """
    domain, (units,) = read([units], level, domain)
    c = [c_u for c_u in count(units) if c_u.total() >= 2]
    N_k = pooled(c)
    N = N_k.total()
    d2 = squared_difference(level, domain, N_k, **level_options)
    if N == 0:
        return UNDEFINED

    observed = sum((pairs(c_u, c_u, d2) / (c_u.total() - 1) for c_u in c), Fraction(0)) / N
    expected = pairs(N_k, N_k, d2) / (N * (N - 1))
    return chance_corrected(observed, expected)
