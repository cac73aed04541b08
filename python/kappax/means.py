"""Reliability of means of ratings, and how the unit means of two pools correlate once it is allowed for."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax import _core
from kappax._analysis import Options, Progress
from kappax.coefficients import krippendorff_alpha
from kappax.errors import KappaxError, RatingsError, UndefinedCoefficientWarning
from kappax.levels import numbers
from kappax.methods import Bootstrap, choose
from kappax.ratings import Tally, as_tally, pair
from kappax.replication import as_number
from kappax.results import Estimate, title

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kappax.ratings import Ratings

__all__ = ["disattenuated_correlation", "k_rater_reliability", "split_half_reliability"]

RELIABILITIES = ("split-half", "cronbach", "one-way", "k-rater")


def k_rater_reliability(irr: float | Estimate, k: float) -> float:
    """Reliability of the mean of k ratings, from the reliability of one (Spearman-Brown).

    Parameters
    ----------
    irr : float or Estimate
        Reliability of single ratings, such as alpha; at most 1.
    k : float
        Number of ratings that are averaged, above 0.

    Returns
    -------
    float
        k irr/(1 + (k - 1) irr); NaN for an `irr` of NaN, and where the denominator is not positive.

    Raises
    ------
    KappaxError
        For k of 0 or below, or an `irr` above 1.

    References
    ----------
    Wong, K. and Paritosh, P. (2022). k-Rater Reliability: The Correct Unit of Reliability for Aggregated Human
    Annotations. doi:10.18653/v1/2022.acl-short.42.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.k_rater_reliability(0.5, 3)
    0.75
    """
    a, k = as_number(irr, "irr"), as_number(k, "k")
    if not (math.isfinite(k) and k > 0):
        raise KappaxError(f"k, the number of ratings that are averaged, must be above 0: {k:g}")
    if a > 1:
        raise KappaxError(f"a reliability is at most 1: {a}")
    denominator = 1 + (k - 1) * a
    return k * a / denominator if denominator > 0 else math.nan


def split_half_reliability(
    ratings: Any,
    *,
    n_halvings: int = 1000,
    seed: int | np.random.Generator | np.random.SeedSequence | None = None,
    domain: Any = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Reliability of unit means by random halves.

    Each halving splits the ratings of each unit at random in two (the first half is the smaller one where their number
    is odd) and correlates the means of the halves over units; the mean correlation r is stepped up by 2 r/(1 + r).

    Parameters
    ----------
    ratings : Ratings, Tally or (n_units, n_raters) array-like
        Numbers, or values in a stated order (their ranks are taken). Units with fewer than two ratings are left out.
    n_halvings : int, default 1000
        Number of halvings. Those with a half that does not vary have no correlation and are left out.
    seed : int, Generator, SeedSequence or None
        As for `Bootstrap`; `seed` of the result repeats the run.
    domain, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        `observed` and `expected` are NaN. NaN with a `reason` where no halving has a correlation.

    Raises
    ------
    RatingsError, LevelError, KappaxError
        As for `krippendorff_alpha` and `Bootstrap`.

    References
    ----------
    Spearman, C. (1910). doi:10.1111/j.2044-8295.1910.tb00206.x. Brown, W. (1910).
    doi:10.1111/j.2044-8295.1910.tb00207.x.

    Examples
    --------
    >>> import kappax as kx
    >>> round(kx.split_half_reliability([[1, 2], [2, 2], [4, 5], [5, 4]], seed=1).estimate, 2)
    0.95
    """
    draws = Bootstrap(n_halvings, seed=seed)
    options = Options(None, n_threads, progress)
    tally = as_tally(ratings, None, domain)
    scored = _Scored.of(tally)
    value, reason = scored.split_half(draws, options)
    return _estimate("split_half_reliability", scored, value, reason, seed=draws.seed)


def disattenuated_correlation(
    x: Any,
    y: Any,
    *,
    reliability: str = "split-half",
    reliability_x: float | None = None,
    reliability_y: float | None = None,
    n_halvings: int = 1000,
    seed: int | np.random.Generator | np.random.SeedSequence | None = None,
    domain: Any = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Correlation of the unit means of two pools, corrected for the noise of these means.

    Parameters
    ----------
    x, y : as for `cross_kappa`
        The two pools; only units that both rated count, for the reliabilities too.
    reliability : {"split-half", "cronbach", "one-way", "k-rater"}
        The reliability of a pool's unit means: of random halves; Cronbach's alpha (raters in columns, no rating
        missing on the shared units); ICC(1, k) of one-way analysis of variance; or alpha at level "interval", stepped
        up to the mean number of ratings of a unit.
    reliability_x, reliability_y : float, optional
        A reliability that is known from elsewhere.
    n_halvings, seed
        As for `split_half_reliability`.
    domain, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        r/sqrt(rel_x rel_y), which may exceed 1; `observed` and `expected` are NaN. NaN with a `reason` where a pool's
        means do not vary, or a reliability is undefined or not positive.

    Raises
    ------
    RatingsError, LevelError, KappaxError
        As for `cross_kappa`; also for "cronbach" with missing ratings.

    References
    ----------
    Spearman, C. (1904). doi:10.2307/1412159.

    Examples
    --------
    >>> import kappax as kx
    >>> x, y = [[1, 2], [2, 2], [4, 5], [5, 4]], [[1, 1], [3, 2], [4, 4], [4, 5]]
    >>> round(kx.disattenuated_correlation(x, y, reliability="one-way").estimate, 3)
    1.018
    """
    kind = choose(reliability, RELIABILITIES, "reliability")
    draws = Bootstrap(n_halvings, seed=seed)
    options = Options(None, n_threads, progress)
    both = pair(x, y, domain)
    shared = _shared(both.tally("pool"))
    scored = _Scored.of(shared)
    r = _core.mean_correlation(shared.table, scored.values)
    sides = []
    for pool, known in (("x", reliability_x), ("y", reliability_y)):
        sides.append(
            as_number(known, f"reliability_{pool}")
            if known is not None
            else _reliability(kind, both, shared, pool, draws, options)
        )
    reason = _why_not(shared, r, sides)
    value = math.nan if reason else r / math.sqrt(sides[0] * sides[1])
    used = draws.seed if kind == "split-half" else None
    return _estimate(
        "disattenuated_correlation",
        scored,
        value,
        reason,
        seed=used,
        pools=("x", "y"),
        all_units=both.n_units,
    )


def _shared(tally: Tally) -> Tally:
    table = tally.table.shared(list(range(len(tally.pools))))
    return Tally(table, tally.domain, tally.pools, tally.ordered, tally.n_raters)


def _reliability(kind: str, both: Ratings, shared: Tally, pool: str, draws: Bootstrap, options: Options) -> float:
    """Reliability of the unit means of one pool over the shared units."""
    if kind == "cronbach":
        return _cronbach(both, shared, pool)
    scored = _Scored.of(shared.restrict([pool]))
    if kind == "split-half":
        return scored.split_half(draws, options)[0]
    if kind == "one-way":
        return _core.one_way(scored.tally.table, scored.values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedCoefficientWarning)
        alpha = krippendorff_alpha(scored.tally, "interval").estimate
    n_ratings = int(scored.tally.table.values_used().sum())
    return k_rater_reliability(alpha, n_ratings / scored.tally.n_units) if scored.tally.n_units else math.nan


def _cronbach(both: Ratings, shared: Tally, pool: str) -> float:
    raters = both.tally("rater")
    mine = [
        g for g, label in enumerate(both.raters) if label == pool or (isinstance(label, tuple) and label[0] == pool)
    ]
    complete = raters.table.shared(list(range(len(raters.pools))))
    if complete.n_units < shared.n_units:
        missing = shared.n_units - complete.n_units
        raise RatingsError(
            f"reliability 'cronbach' needs every rater on every shared unit; units that lack one: {missing}"
        )
    codes = np.full(len(raters.pools), 2**32 - 1, dtype=np.uint32)
    codes[mine] = np.arange(len(mine))
    return _core.cronbach(complete.map_pools(codes, len(mine)), _Scored.of(raters).values)


def _why_not(shared: Tally, r: float, sides: list[float]) -> str | None:
    """Say why there is no disattenuated correlation, if there is none."""
    if shared.n_units == 0:
        return "no unit was rated in both pools"
    if math.isnan(r):
        return "the unit means of a pool do not vary"
    for pool, side in zip(("x", "y"), sides, strict=True):
        if math.isnan(side):
            return f"the reliability of the means of pool {pool!r} is undefined"
        if side <= 0:
            return f"the reliability of the means of pool {pool!r} is not positive ({side:.4g})"
    return None


@dataclass(frozen=True, slots=True)
class _Scored:
    """A tally, the number that each of its values stands for, and whether that is the value itself."""

    tally: Tally
    values: NDArray[np.float64]
    scale: str

    @classmethod
    def of(cls, tally: Tally) -> _Scored:
        values, scale = numbers(tally.domain, ordered=tally.ordered, level="interval")
        return cls(tally, values, scale)

    def split_half(self, draws: Bootstrap, options: Options) -> tuple[float, str | None]:
        """Give the reliability, or NaN and why there is none."""
        correlations = _core.half_correlations(
            self.tally.table,
            self.values,
            draws.n_resamples,
            draws.seed,
            n_threads=options.n_threads,
            progress=options.progress,
        )
        used = correlations[~np.isnan(correlations)].tolist()
        if not used:
            return math.nan, "no random halving has two halves whose means vary"
        r = math.fsum(used) / len(used)
        if r <= -1:
            return math.nan, "the halves correlate at -1, which 2 r/(1 + r) does not step up"
        return 2 * r / (1 + r), None


def _estimate(
    name: str,
    scored: _Scored,
    value: float,
    reason: str | None,
    *,
    seed: int | None,
    pools: tuple[str, ...] = (),
    all_units: int | None = None,
) -> Estimate:
    tally = scored.tally
    if reason is not None:
        warnings.warn(f"{title(name)} is undefined: {reason}", UndefinedCoefficientWarning, stacklevel=3)
    return Estimate(
        coefficient=name,
        level="interval",
        estimate=value,
        observed=math.nan,
        expected=math.nan,
        n_units=tally.n_units,
        n_raters=tally.n_raters,
        n_pairable=int(tally.table.values_used().sum()),
        n_dropped=(all_units or tally.n_units) - tally.n_units,
        domain=tally.domain,
        reason=reason,
        seed=seed,
        scale=scored.scale,
        pools=pools,
    )
