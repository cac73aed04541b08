"""Cross-kappa between two pools (docs/statistics.md, section 5; Wong, Paritosh and Aroyo 2021, eq. 6-11)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Table, count, pooled, present, read

from .pairs import UNDEFINED, Triple, chance_corrected, pairs


def cross_kappa(
    x: Table,
    y: Table,
    level: Level = "nominal",
    *,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> Triple:
    """kappa_x(X, Y): chance-corrected agreement across two pools.

    Parameters
    ----------
    x, y : lists of lists of values
        The ratings of each pool; row i is the same unit in both. Units that one pool did not rate do not
        count.
    level, domain, **level_options
        As in `krippendorff_alpha`, which also describes the result.
    """
    domain, (x, y) = read([x, y], level, domain)
    x, y = shared_units(x, y)
    X, Y = pooled(count(x)), pooled(count(y))
    R, S = X.total(), Y.total()
    d2 = squared_difference(level, domain, X + Y, **level_options)
    if not x:
        return UNDEFINED

    observed = Fraction(0)
    for c_x, c_y in zip(count(x), count(y), strict=True):
        R_u, S_u = c_x.total(), c_y.total()
        observed += Fraction(R_u + S_u, R + S) * pairs(c_x, c_y, d2) / (R_u * S_u)
    return chance_corrected(observed, pairs(X, Y, d2) / (R * S))


def shared_units(x: Table, y: Table) -> tuple[Table, Table]:
    """Pick the rows of the units that both pools rated."""
    if len(x) != len(y):
        raise ValueError(f"x and y must have the same units; found: {len(x)} and {len(y)}")
    rated = zip(x, y, present(x), present(y), strict=True)
    both = [(row, other) for row, other, in_x, in_y in rated if in_x and in_y]
    return [row for row, _ in both], [other for _, other in both]
