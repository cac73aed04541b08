"""Light's kappa (docs/statistics.md, section 4)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from kappax.reference.difference import Level, Value
from kappax.reference.ratings import Table, columns, read

from .cohen import cohen_kappa
from .pairs import UNDEFINED, Triple, mean


def light_kappa(
    units: Table, level: Level = "nominal", *, domain: Sequence[Value] | None = None, **level_options: Any
) -> Triple:
    """Light's kappa: the mean of Cohen's kappa over all pairs of raters.

    Each pair is looked at on the units that both rated; a pair without a kappa leaves Light's kappa
    undefined. Rows are units and columns raters; the other parameters are those of `krippendorff_alpha`.

    Returns
    -------
    (estimate, None, None) : a mean of kappas is not 1 - observed/expected
    """
    domain, (units,) = read([units], level, domain)
    kappas = [cohen_kappa(x, y, level, domain=domain, **level_options)[0] for x, y in combinations(columns(units), 2)]
    defined = [kappa for kappa in kappas if kappa is not None]
    if not kappas or len(defined) < len(kappas):
        return UNDEFINED
    return mean(defined), None, None
