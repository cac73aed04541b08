"""Conger's kappa for available data (docs/statistics.md, section 4)."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Table, columns, count, pooled, read

from .fleiss import observed_in_units
from .pairs import UNDEFINED, Triple, chance_corrected, mean, pairs


def conger_kappa(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Conger's kappa: observed as Fleiss, expected from each rater's own marginals.

    A rater's marginals take in all that the rater rated; raters without a rating are left out. Rows are units
    and columns raters. Parameters and result are those of `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    paired = [c_u for c_u in count(units) if c_u.total() >= 2]
    d2 = squared_difference(level, domain, pooled(paired), **level_options)
    raters = [Counter(v for v in column if v is not None) for column in columns(units)]
    if not paired:
        return UNDEFINED

    p = [{k: Fraction(given, N_r.total()) for k, given in N_r.items()} for N_r in raters if N_r]
    expected = mean(pairs(p_r, p_s, d2) for p_r, p_s in combinations(p, 2))
    return chance_corrected(observed_in_units(paired, d2), expected)
