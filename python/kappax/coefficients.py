"""Coefficients inside one pool of raters.

All of them are one minus observed over expected disagreement; they differ in which pairs of ratings are observed and
which pairs chance would make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappax import _core
from kappax._analysis import Asked, Data, Options, Progress, estimates, read, warn_if_undefined
from kappax.errors import RatingsError
from kappax.ratings import Source, as_ratings, as_tally, tally_of_vectors, vectors
from kappax.results import Coincidences, Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kappax.levels import LevelLike
    from kappax.methods import Bootstrap

__all__ = [
    "brennan_prediger",
    "cohen_kappa",
    "coincidence_matrix",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "iota",
    "krippendorff_alpha",
    "light_kappa",
    "percent_agreement",
    "scott_pi",
]


def krippendorff_alpha(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Krippendorff's alpha: agreement of any number of raters, at any level, with missing ratings.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Rows are units. NaN, None and masked cells are missing; units with fewer than two ratings hold no pair and
        are left out.
    level : {"nominal", "ordinal", "interval", "ratio", "linear", "radical", "circular", "bipolar"}, \
            (K, K) array or function of two values, default "nominal"
        The level of measurement, which says how far apart two values are.
    domain : sequence, optional
        The values that could occur, in order. Orders text at level "ordinal" and lets it be ranked at numeric levels.
    period : float, optional
        Length of one turn, for level "circular" (24 for hours of the day).
    limits : (low, high), optional
        Ends of the scale, for level "bipolar".
    ci : Bootstrap, optional
        Asks for an interval; without it none is computed.
    n_threads : int, optional
        Threads for the bootstrap, by default one for each core. The result does not depend on it.
    progress : function of (done, total), optional
        Called now and then during the bootstrap. An exception that it raises ends the run.

    Returns
    -------
    Estimate
        In (-1, 1]: 1 for perfect agreement, 0 for what chance gives. NaN with a `reason` (and an
        `UndefinedCoefficientWarning`) where no unit holds a pair or all pairable ratings are equal.

    Raises
    ------
    RatingsError
        Ratings that cannot be used; the message names unit, rater and value.
    LevelError
        A level that does not exist or does not fit the values.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability. University of Pennsylvania.
    Hayes, A. F. and Krippendorff, K. (2007). doi:10.1080/19312450709336664.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.krippendorff_alpha([[1, 1, None], [2, 2, 3], [3, 3, 3], [2, 2, 2]], "ordinal").estimate
    0.8051948051948052
    """
    return _one(
        "krippendorff_alpha",
        "alpha",
        ratings,
        level,
        domain,
        period,
        limits,
        Options(ci, n_threads, progress),
    )


def fleiss_kappa(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Fleiss' kappa: agreement of interchangeable raters, each unit weighted alike.

    For a table of counts (units x values) pass ``kx.Tally.from_counts(counts)``; units may have different numbers
    of ratings.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Units with one rating have a part in expected disagreement alone, units without one in nothing.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        NaN with a `reason` where no unit holds a pair or all ratings are equal.

    Raises
    ------
    RatingsError, LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Fleiss, J. L. (1971). doi:10.1037/h0031619. For unequal numbers of ratings: Gwet, K. L. (2014). Handbook of
    Inter-Rater Reliability, 4th ed.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.fleiss_kappa(kx.Tally.from_counts([[3, 0], [2, 1], [0, 3], [1, 1], [2, 0]])).estimate
    0.2822966507177033
    """
    return _one("fleiss_kappa", "fleiss", ratings, level, domain, period, limits, Options(ci, n_threads, progress))


def scott_pi(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Scott's pi: agreement of two interchangeable raters; Fleiss' kappa for two.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, 2) array-like
        At most two ratings a unit.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        NaN with a `reason` where no unit holds a pair or all ratings are equal.

    Raises
    ------
    RatingsError
        Also for a unit with more than two ratings.
    LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Scott, W. A. (1955). doi:10.1086/266577.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.scott_pi([[1, 1], [1, 2], [2, 2], [2, 2]]).estimate
    0.4666666666666667
    """
    tally = as_tally(ratings, None, domain)
    data = Data(tally, None, Source(lambda: as_ratings(ratings, domain), ratings)).at(level, period, limits)
    if tally.table.most_ratings > 2:
        raise RatingsError(
            "Scott's pi is for two ratings a unit, take fleiss_kappa for more; "
            f"the largest number of ratings of a unit is: {tally.table.most_ratings}"
        )
    [estimate] = estimates(data, [Asked("scott_pi", "fleiss", [0])], Options(ci, n_threads, progress))
    warn_if_undefined([estimate])
    return estimate


def cohen_kappa(
    x: Any,
    y: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Cohen's kappa of two named raters; weighted kappa by the level.

    Parameters
    ----------
    x, y : (n_units,) array-like
        The ratings of the two raters, unit by unit. Units that one of them did not rate are left out.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`. Quadratic weights are level "interval", linear weights level "linear"; numbers
        are taken as they are, other values by their rank in the stated domain, and `scale` of the result says which.

    Returns
    -------
    Estimate
        In [-1, 1]; NaN with a `reason` where no unit has both ratings or chance would leave no disagreement.

    Raises
    ------
    RatingsError
        Also for vectors of different lengths.
    LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Cohen, J. (1960). doi:10.1177/001316446002000104. Weighted: Cohen, J. (1968). doi:10.1037/h0026256.

    Examples
    --------
    >>> import kappax as kx
    >>> x = ["low", "mid", "high", "mid", "low", "high"]
    >>> y = ["low", "high", "high", "mid", "mid", "high"]
    >>> kx.cohen_kappa(x, y, "interval", domain=["low", "mid", "high"]).estimate
    0.75
    """
    tally = tally_of_vectors(x, y, domain)
    data = Data(tally, "rater", Source(lambda: vectors(x, y, domain))).at(level, period, limits)
    reasons = {
        "no_pairs": "no unit was rated by both raters",
        "no_variation": "both raters gave one and the same value to every unit",
    }
    asked = Asked("cohen_kappa", "cross", [0, 1], reasons=reasons)
    [estimate] = estimates(data, [asked], Options(ci, n_threads, progress))
    warn_if_undefined([estimate])
    return estimate


def iota(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Iota of Janson and Olsson for one variable: several named raters who all rated the same units.

    For two raters it is Cohen's kappa.

    Parameters
    ----------
    ratings : Ratings, Tally by rater, or (n_units, n_raters) array-like
        Columns are raters. Units that not all raters rated are left out; `n_dropped` says how many.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        NaN with a `reason` where no unit is complete or all ratings are equal.

    Raises
    ------
    RatingsError
        Also where the ratings do not say who rated.
    LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Janson, H. and Olsson, U. (2001). doi:10.1177/00131640121971239.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.iota([[1, 1, 2], [2, 2, 2], [1, 1, 1]]).estimate
    0.5714285714285714
    """
    return _of_raters("iota", ratings, level, domain, period, limits, Options(ci, n_threads, progress))


def conger_kappa(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Conger's kappa: several named raters, each with marginals of their own, missing ratings allowed.

    Parameters
    ----------
    ratings : Ratings, Tally by rater, or (n_units, n_raters) array-like
        Columns are raters. Each rater's marginals come from all that rater's ratings.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        NaN with a `reason` where no unit holds a pair or all ratings are equal.

    Raises
    ------
    RatingsError
        Also where the ratings do not say who rated.
    LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Conger, A. J. (1980). doi:10.1037/0033-2909.88.2.322. For missing ratings: Gwet, K. L. (2014). Handbook of
    Inter-Rater Reliability, 4th ed.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.conger_kappa([[1, 1, 2], [2, 2, None], [1, 1, 1]]).estimate
    0.5384615384615384
    """
    return _of_raters("conger_kappa", ratings, level, domain, period, limits, Options(ci, n_threads, progress))


def light_kappa(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Light's kappa: the mean of Cohen's kappa over all pairs of raters.

    Parameters
    ----------
    ratings : Ratings, Tally by rater, or (n_units, n_raters) array-like
        Columns are raters. Each pair is compared on the units that both rated.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        `observed` and `expected` are NaN: a mean of kappas is not one minus a ratio of its own. NaN with a `reason`
        where a pair of raters has no kappa.

    Raises
    ------
    RatingsError
        Also where the ratings do not say who rated.
    LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Light, R. J. (1971). doi:10.1037/h0031643.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.light_kappa([[1, 1, 2], [2, 2, 2], [1, 1, 1]]).estimate
    0.6
    """
    return _of_raters("light_kappa", ratings, level, domain, period, limits, Options(ci, n_threads, progress))


def percent_agreement(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Percent agreement: the share of pairs that agree, not corrected for chance.

    Above level "nominal" pairs agree in part: one minus their difference over the largest that the domain allows.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Units with fewer than two ratings are left out.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`. The largest difference is that of the domain, so state values that did not occur.

    Returns
    -------
    Estimate
        In [0, 1]; `observed` is the share that disagrees and `expected` 1.

    Raises
    ------
    RatingsError, LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.percent_agreement([[1, 1], [1, 2], [2, 2], [2, 2]]).estimate
    0.75
    """
    return _one(
        "percent_agreement",
        "percent",
        ratings,
        level,
        domain,
        period,
        limits,
        Options(ci, n_threads, progress),
    )


def gwet_ac(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Gwet's AC1 (level "nominal") and AC2 (other levels).

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        As for `fleiss_kappa`.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`. Chance agreement depends on the size of the domain, so state values that did not
        occur. Level "ordinal" is Krippendorff's, not what Gwet calls ordinal weights.

    Returns
    -------
    Estimate
        `observed` and `expected` are shares of the largest difference. NaN with a `reason` for a domain of one value.

    Raises
    ------
    RatingsError, LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Gwet, K. L. (2008). doi:10.1348/000711006X126600.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.gwet_ac([[1, 1], [1, 2], [2, 2], [2, 2]]).estimate
    0.5294117647058824
    """
    return _one("gwet_ac", "ac", ratings, level, domain, period, limits, Options(ci, n_threads, progress))


def brennan_prediger(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Brennan and Prediger's coefficient: chance takes every value of the domain alike.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Units with fewer than two ratings are left out.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`. Chance agreement depends on the size of the domain, so state values that did not
        occur.

    Returns
    -------
    Estimate
        `observed` and `expected` are shares of the largest difference. NaN with a `reason` for a domain of one value.

    Raises
    ------
    RatingsError, LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Brennan, R. L. and Prediger, D. J. (1981). doi:10.1177/001316448104100307.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.brennan_prediger([[1, 1], [1, 2], [2, 2], [2, 2]]).estimate
    0.5
    """
    options = Options(ci, n_threads, progress)
    return _one("brennan_prediger", "brennan_prediger", ratings, level, domain, period, limits, options)


def coincidence_matrix(ratings: Any, *, domain: Any = None) -> Coincidences:
    """Count the pairs of values that alpha is made of, observed and expected by chance.

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Units with fewer than two ratings are left out.
    domain : sequence, optional
        The values that could occur, in order.

    Returns
    -------
    Coincidences
        `observed` and `expected`, both (K, K) and symmetric; row k of both sums to the number of pairable ratings
        of value k.

    Raises
    ------
    RatingsError
        Ratings that cannot be used, or more than 10,000 values.

    References
    ----------
    Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability. University of Pennsylvania.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.coincidence_matrix([[1, 1], [1, 2], [2, 2]]).observed.tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    tally = as_tally(ratings, None, domain)
    most = 10_000
    if len(tally.domain) > most:
        raise RatingsError(f"a matrix of coincidences is for at most {most} values: {len(tally.domain)}")
    observed, expected = _core.coincidences(tally.table)
    return Coincidences(observed, expected, tally.domain)


OF_ONE_POOL = {
    "krippendorff_alpha": "alpha",
    "fleiss_kappa": "fleiss",
    "percent_agreement": "percent",
    "gwet_ac": "ac",
    "brennan_prediger": "brennan_prediger",
}
"""Coefficients of one pool: public name and the core's word."""

OF_RATERS = {"iota": "iota", "conger_kappa": "conger", "light_kappa": "light"}
"""Coefficients of named raters, a pool each."""


def of_raters(name: str, raters: Sequence[int]) -> Asked:
    """Ask for a coefficient of raters; of all there are where none are named."""
    reasons = {"iota": {"no_pairs": "no unit was rated by all raters"}}.get(name)
    return Asked(name, OF_RATERS[name], raters, reasons=reasons)


def _one(
    name: str,
    word: str,
    ratings: Any,
    level: LevelLike,
    domain: Any,
    period: float | None,
    limits: tuple[float, float] | None,
    options: Options,
) -> Estimate:
    """Compute a coefficient of one pool."""
    data = read(ratings, None, level, domain, period, limits, estimate_only=options.ci is None)
    [estimate] = estimates(data, [Asked(name, word, [0])], options)
    warn_if_undefined([estimate], stacklevel=4)
    return estimate


def _of_raters(
    name: str,
    ratings: Any,
    level: LevelLike,
    domain: Any,
    period: float | None,
    limits: tuple[float, float] | None,
    options: Options,
) -> Estimate:
    """Compute a coefficient of named raters, a pool each."""
    data = read(ratings, "rater", level, domain, period, limits)
    [estimate] = estimates(data, [of_raters(name, range(len(data.counts.pools)))], options)
    warn_if_undefined([estimate], stacklevel=4)
    return estimate
