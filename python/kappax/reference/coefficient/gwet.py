"""Coefficients whose chance agreement depends on the size K of the domain (docs/statistics.md, section 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, squared_difference
from kappax.reference.ratings import Table, count, pooled, read

from .fleiss import mean_proportions, observed_in_units
from .pairs import UNDEFINED, Triple, chance_corrected
from .percent import largest, sum_of_weights


def gwet_ac(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Gwet's AC1 (nominal) and AC2 (other levels).

    The disagreements are 1 - the agreements: observed with differences scaled to at most 1, and
    1 - T/(K(K-1)) sum p_k (1 - p_k). K is the size of the domain. Parameters and result are those of
    `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    c = count(units)
    paired = [c_u for c_u in c if c_u.total() >= 2]
    d2 = squared_difference(level, domain, pooled(paired), **level_options)
    if not paired:
        return UNDEFINED
    if largest(d2, domain) == 0:
        return None, Fraction(0), None  # a domain in which nothing can disagree

    K = len(domain)
    p = mean_proportions(c, domain)
    spread = sum((p_k * (1 - p_k) for p_k in p.values()), Fraction(0))
    observed = observed_in_units(paired, d2) / largest(d2, domain)
    return chance_corrected(observed, 1 - sum_of_weights(d2, domain) / (K * (K - 1)) * spread)


def brennan_prediger(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Brennan and Prediger's coefficient: chance takes every value of the domain equally often.

    The disagreements are 1 - the agreements, as in `gwet_ac`; chance agreement is T/K^2. Parameters and
    result are those of `krippendorff_alpha`.
    """
    domain, (units,) = read([units], level, domain)
    paired = [c_u for c_u in count(units) if c_u.total() >= 2]
    d2 = squared_difference(level, domain, pooled(paired), **level_options)
    if not paired:
        return UNDEFINED
    if largest(d2, domain) == 0:
        return None, Fraction(0), None  # a domain in which nothing can disagree

    observed = observed_in_units(paired, d2) / largest(d2, domain)
    return chance_corrected(observed, 1 - sum_of_weights(d2, domain) / len(domain) ** 2)
