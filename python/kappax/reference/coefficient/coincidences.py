"""The coincidence matrix behind Krippendorff's alpha (docs/statistics.md, section 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Domain, Table, count, pooled, read


def coincidence_matrix(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> tuple[Domain, list[list[Fraction]], list[list[Fraction]]]:
    """Observed and expected coincidences of values inside units.

    Parameters are those of `krippendorff_alpha`. The level changes no coincidence: it only decides whether
    the order of the values must be known.

    Returns
    -------
    (domain, observed, expected) : the values, and K x K lists of lists over them
    """
    domain, (units,) = read([units], level, domain)
    c = [c_u for c_u in count(units) if c_u.total() >= 2]
    N_k = pooled(c)
    squared_difference(level, domain, N_k, **level_options)

    observed = [[Fraction(0) for _ in domain] for _ in domain]
    for c_u in c:
        for i, k in enumerate(domain):
            for j, l in enumerate(domain):
                observed[i][j] += Fraction(c_u[k] * (c_u[l] - (k == l)), c_u.total() - 1)
    # Without a pair every entry is 0; the divisor then only has to be something.
    others = max(N_k.total() - 1, 1)
    expected = [[Fraction(N_k[k] * (N_k[l] - (k == l)), others) for l in domain] for k in domain]
    return domain, observed, expected
