"""What replicates say about an estimate (docs/statistics.md, section 7)."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .coefficient.pairs import mean
from .difference import exact, root


def percentile_interval(
    replicates: Sequence[Any], confidence_level: float = 0.95
) -> tuple[Fraction | None, Fraction | None, int]:
    """Find the percentile interval, with quantiles of type 7.

    Parameters
    ----------
    replicates : sequence of numbers
        Undefined ones (None) are left out.
    confidence_level : float
        Taken as the decimal number that it is written as: 0.95 is 19/20.

    Returns
    -------
    (low, high, n_used)
    """
    confidence = Fraction(str(confidence_level))
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence level must be between 0 and 1; found: {confidence_level!r}")
    used = sorted(exact(value) for value in replicates if value is not None)
    if not used:
        return None, None, 0
    return quantile(used, (1 - confidence) / 2), quantile(used, (1 + confidence) / 2), len(used)


def quantile(ordered: Sequence[Fraction], p: Fraction) -> Fraction:
    """Find the p-quantile by linear interpolation between order statistics (type 7, numpy's default)."""
    h = (len(ordered) - 1) * p
    below = math.floor(h)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (h - below) * (ordered[above] - ordered[below])


def standard_error(replicates: Sequence[Any]) -> float | None:
    """Take the standard deviation of the replicates that are defined, with divisor n - 1."""
    used = [exact(value) for value in replicates if value is not None]
    if len(used) < 2:
        return None
    centre = mean(used)
    return float(root(sum(((value - centre) ** 2 for value in used), Fraction(0)) / (len(used) - 1)))
