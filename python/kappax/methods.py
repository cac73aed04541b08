"""How an interval is made: frozen bundles of options, checked when they are built.

A method says everything that decides the numbers, so it can be passed around, compared and written down.
The seed is settled here, once: ``Bootstrap().seed`` is an int that repeats the run, wherever it is used.
"""

from __future__ import annotations

import operator
import secrets
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from kappax.errors import KappaxError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Bootstrap"]

INTERVAL_METHODS: tuple[str, ...] = ("percentile", "basic", "normal", "bca", "studentized")
"""The intervals that can be made from replicates (`kappax._core.interval` computes each of them)."""

ALTERNATIVES: tuple[str, ...] = ("two-sided", "greater", "less")
"""Which limits an interval has."""

NEEDS_JACKKNIFE: tuple[str, ...] = ("bca", "studentized")
"""The intervals that need more than replicates."""

PAIRS: tuple[str, ...] = ("pairs-krippendorff", "pairs-kalpha")
"""Older bootstraps that draw pairs of ratings, for parity with icr and the KALPHA macro."""

RESAMPLES: tuple[str, ...] = ("units", "raters", "both", *PAIRS)
"""What a bootstrap can draw with replacement."""

MAX_RESAMPLES = 10_000_000
"""More would only fill memory: at this number the simulation error of a limit is far below any rounding."""

MAX_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True, init=False)
class Bootstrap:
    """Case resampling, made repeatable by a seed.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resamples, 1 to 10,000,000. Replicate b does not depend on how many are asked for.
    seed : int, numpy.random.Generator, numpy.random.SeedSequence or None, default None
        An int from 0 to 2**64 - 1. A generator gives one 64-bit number (and moves on by it), a seed
        sequence its first 64-bit word. None asks the operating system. numpy's global state is never touched.
    confidence_level : float, default 0.95
        Probability that the interval is to hold, strictly between 0 and 1.
    method : {"percentile", "basic", "normal", "bca", "studentized"}, default "percentile"
        How limits are made from the replicates.

        - "percentile": their quantiles, by linear interpolation between order statistics (R type 7, numpy's
          default).
        - "basic": the quantiles, reflected about the estimate.
        - "normal": the estimate and so many standard deviations of the replicates.
        - "bca": quantiles corrected for bias and skewness (Efron 1987), with the acceleration by the jackknife.
        - "studentized": quantiles of the distance from the estimate in standard errors, each replicate with a
          jackknife of its own: the dearest.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" gives the lower limit alone (the upper is infinite), "less" the upper one.
    resample : {"units", "raters", "both", "pairs-krippendorff", "pairs-kalpha"}, default "units"
        What is drawn with replacement, and so what the interval speaks of.

        - "units": other units rated by these raters. Where the ratings have clusters, whole clusters are drawn.
        - "raters": these units rated by other raters of the same pools.
        - "both": other units rated by other raters, the pigeonhole bootstrap (Owen 2007). Take it where the
          number is to hold for raters who are not in the data; it is wider.
        - "pairs-krippendorff", "pairs-kalpha": pairs of ratings, as if they were independent; for alpha of one pool,
          with percentile limits. The bootstraps of Krippendorff (2016) and of the KALPHA macro, for those who must
          match a published figure. Take neither for a new one: with more than two raters they are far too narrow, and
          KALPHA's does not shrink with the number of units.

        A pair made of two copies of one rater is no pair. The ratings must say who rated, and "bca" and
        "studentized" are for units and clusters only.

    Attributes
    ----------
    seed : int
        The seed that is used; pass it again to get the same bits again.

    Raises
    ------
    KappaxError
        If a number is out of range or a word is not one of those listed.
    TypeError
        If an argument is of the wrong type.

    References
    ----------
    Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman and Hall.
    Efron, B. (1987). Better bootstrap confidence intervals. doi:10.1080/01621459.1987.10478410.
    Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122.

    Examples
    --------
    >>> import kappax as kx
    >>> ci = kx.Bootstrap(10_000, seed=113)
    >>> ci.confidence_level, ci.method, ci.resample, ci.alternative
    (0.95, 'percentile', 'units', 'two-sided')
    """

    n_resamples: int
    seed: int
    confidence_level: float
    method: str
    resample: str
    alternative: str

    def __init__(
        self,
        n_resamples: int = 1000,
        *,
        seed: int | np.random.Generator | np.random.SeedSequence | None = None,
        confidence_level: float = 0.95,
        method: str = "percentile",
        resample: str = "units",
        alternative: str = "two-sided",
    ) -> None:
        options = {
            "n_resamples": whole_number(n_resamples, "n_resamples", 1, MAX_RESAMPLES),
            "seed": _seed(seed),
            "confidence_level": check_confidence_level(confidence_level),
            "method": choose(method, INTERVAL_METHODS, "method"),
            "resample": choose(resample, RESAMPLES, "resample"),
            "alternative": choose(alternative, ALTERNATIVES, "alternative"),
        }
        check_method(method, resample)
        for name, value in options.items():
            object.__setattr__(self, name, value)  # the class is frozen


def check_confidence_level(confidence_level: float) -> float:
    """Return `confidence_level` as a float, or say why it cannot be one."""
    if isinstance(confidence_level, (bool, np.bool_)) or not isinstance(confidence_level, Real):
        raise TypeError(f"confidence_level must be a number, not {type(confidence_level).__name__}")
    level = float(confidence_level)
    if not 0.0 < level < 1.0:
        raise KappaxError(f"confidence_level must lie between 0 and 1, such as 0.95: {confidence_level}")
    return level


def choose(word: str, words: Sequence[str], argument: str) -> str:
    """Return `word` if it is one of `words`; else name them, and the one that was probably meant."""
    if not isinstance(word, str):
        raise TypeError(f"{argument} must be a word, not {type(word).__name__}")
    if word in words:
        return word
    known = " or ".join(repr(w) for w in words)
    close = get_close_matches(word.lower(), words, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close and len(words) > 1 else ""
    raise KappaxError(f"{argument} must be {known}{hint}: {word!r}")


def check_method(method: str, resample: str) -> None:
    """Refuse an interval that cannot be made from what is resampled."""
    if resample in PAIRS and method != "percentile":
        raise KappaxError(f"resample={resample!r} is there to repeat percentile limits, not {method!r}")
    if method in NEEDS_JACKKNIFE and resample not in ("units", "clusters"):
        raise KappaxError(
            f"method {method!r} needs a jackknife, which there is for units and not for resample={resample!r}: "
            "use 'percentile', 'basic' or 'normal'"
        )


def units_only(ci: Bootstrap | None, what: str) -> None:
    """Refuse to draw raters where only units can be drawn."""
    if ci is not None and ci.resample != "units":
        raise KappaxError(f"{what} draws units only, take resample='units': {ci.resample!r}")


def _seed(seed: int | np.random.Generator | np.random.SeedSequence | None) -> int:
    if seed is None:
        return secrets.randbits(64)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, MAX_SEED, dtype=np.uint64, endpoint=True))
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    return whole_number(seed, "seed", 0, MAX_SEED, accepts="an int, a numpy Generator or SeedSequence, or None")


def whole_number(value: int, argument: str, low: int, high: int, accepts: str = "an int") -> int:
    """Return `value` as an int from `low` to `high`, or say why it cannot be one."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{argument} must be {accepts}, not {type(value).__name__}")
    try:
        number = operator.index(value)
    except TypeError:  # an array has __index__ even where it holds no single int
        raise TypeError(f"{argument} must be {accepts}, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise KappaxError(f"{argument} must be between {low:,} and {high:,}: {number}")
    return number
