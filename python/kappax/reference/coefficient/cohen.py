"""Cohen's kappa (docs/statistics.md, section 4)."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import read

from .pairs import UNDEFINED, Triple, chance_corrected, mean, pairs


def cohen_kappa(
    x: Sequence[Value],
    y: Sequence[Value],
    level: Level = "nominal",
    *,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> Triple:
    """Cohen's kappa of two raters, weighted where the level is not nominal.

    Parameters
    ----------
    x, y : lists of values
        The ratings that each of the two gave to the same units, None where one is missing.
    level, domain, **level_options
        As in `krippendorff_alpha`, which also describes the result.
    """
    if len(x) != len(y):
        raise ValueError(f"x and y must rate the same units; found: {len(x)} and {len(y)}")
    domain, (units,) = read([list(zip(x, y, strict=True))], level, domain)
    both = [(x_u, y_u) for x_u, y_u in units if x_u is not None and y_u is not None]
    X = Counter(x_u for x_u, _ in both)
    Y = Counter(y_u for _, y_u in both)
    d2 = squared_difference(level, domain, X + Y, **level_options)
    if not both:
        return UNDEFINED

    n = len(both)
    p = {k: Fraction(X[k], n) for k in domain}
    q = {l: Fraction(Y[l], n) for l in domain}
    return chance_corrected(mean(d2(x_u, y_u) for x_u, y_u in both), pairs(p, q, d2))
