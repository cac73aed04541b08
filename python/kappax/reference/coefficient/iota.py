"""Janson and Olsson's iota (2001) for complete units (docs/statistics.md, section 4)."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Table, columns, count, pooled, read

from .pairs import UNDEFINED, Triple, chance_corrected, mean, pairs


def iota(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Iota of the units that all raters rated.

    Rows are units and columns raters. Parameters and result are those of `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    complete = [row for row in units if None not in row]
    d2 = squared_difference(level, domain, pooled(count(complete)), **level_options)
    raters = columns(units) and columns(complete)
    if len(raters) < 2:
        return UNDEFINED

    n = len(complete)
    p = [{k: Fraction(given, n) for k, given in Counter(rater).items()} for rater in raters]
    observed = mean(d2(row[r], row[s]) for row in complete for r, s in combinations(range(len(raters)), 2))
    expected = mean(pairs(p_r, p_s, d2) for p_r, p_s in combinations(p, 2))
    return chance_corrected(observed, expected)
