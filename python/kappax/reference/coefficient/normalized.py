"""Normalized cross-kappa: kappa_x over the root of the two reliabilities (docs/statistics.md, section 5)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from kappax.reference.difference import Level, Value, exact, root
from kappax.reference.ratings import Table, read

from .alpha import krippendorff_alpha
from .cross import cross_kappa, shared_units
from .fleiss import fleiss_kappa
from .gwet import brennan_prediger, gwet_ac
from .pairs import Triple
from .percent import percent_agreement

IRR: dict[str, Callable[..., Triple]] = {
    "alpha": krippendorff_alpha,
    "fleiss": fleiss_kappa,
    "percent": percent_agreement,
    "ac": gwet_ac,
    "brennan_prediger": brennan_prediger,
}


def normalized_cross_kappa(
    x: Table,
    y: Table,
    level: Level = "nominal",
    irr: str = "alpha",
    irr_units: str = "all",
    *,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> tuple[float | None, Fraction | None, Fraction | None, Fraction | None]:
    """kappa_x / sqrt(IRR_X IRR_Y).

    Parameters
    ----------
    x, y, level, domain, **level_options
        As in `cross_kappa`.
    irr : {"alpha", "fleiss", "percent", "ac", "brennan_prediger"}
        The coefficient that says how reliable each pool is.
    irr_units : {"all", "shared"}
        Whether each pool's reliability is that of all its units or of those that the other pool rated too.

    Returns
    -------
    (normalized, kappa_x, irr_x, irr_y) : None where undefined
        A float, as a root is irrational, and three Fractions.
    """
    reliability = irr_function(irr, irr_units)
    domain, (x, y) = read([x, y], level, domain)
    kappa_x, _, _ = cross_kappa(x, y, level, domain=domain, **level_options)
    if irr_units == "shared":
        x, y = shared_units(x, y)
    irr_x, _, _ = reliability(x, level, domain=domain, **level_options)
    irr_y, _, _ = reliability(y, level, domain=domain, **level_options)
    return normalize(kappa_x, irr_x, irr_y), kappa_x, irr_x, irr_y


def irr_function(irr: str, irr_units: str) -> Callable[..., Triple]:
    """Find the coefficient with this name, after both words are checked."""
    if irr not in IRR:
        raise ValueError(f"irr must be one of {', '.join(IRR)}; found: {irr!r}")
    if irr_units not in ("all", "shared"):
        raise ValueError(f"irr_units must be 'all' or 'shared'; found: {irr_units!r}")
    return IRR[irr]


def normalize(value: Any, reliability_x: Any, reliability_y: Any) -> float | None:
    """Divide a value by sqrt(reliability_x reliability_y); undefined where one is not above zero.

    >>> round(normalize(0.0817, 0.1208, 0.1170), 3)
    0.687
    """
    if value is None or reliability_x is None or reliability_y is None:
        return None
    if reliability_x <= 0 or reliability_y <= 0:
        return None
    return float(exact(value) / root(exact(reliability_x) * exact(reliability_y)))
