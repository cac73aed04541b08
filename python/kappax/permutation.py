"""Permutation tests: of agreement beyond chance, and of whether the raters of two pools are exchangeable."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax import _core
from kappax._analysis import Asked, Data, Options, Progress, estimates
from kappax._resampling import check_raters, pool_of_rater
from kappax._result import TIE, Result, html_table, number, read_only, text_of_rows
from kappax.coefficients import OF_ONE_POOL, OF_RATERS, of_raters
from kappax.errors import RatingsError
from kappax.methods import ALTERNATIVES, MAX_RESAMPLES, Bootstrap, choose, whole_number
from kappax.ratings import Ratings, Source, as_ratings, pair
from kappax.replication import IRR, Plan, cross_asked
from kappax.results import Estimate, title

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from kappax.levels import LevelLike
    from kappax.ratings import By

__all__ = ["PermutationTest", "permutation_test"]

ACROSS_POOLS = {"cross_kappa": "less", "normalized_cross_kappa": "less", "group_association": "greater"}
"""Statistics of two pools, whose raters are exchanged, and the alternative that is asked of by default."""

STATISTICS = (*OF_ONE_POOL, *OF_RATERS, "cohen_kappa", *ACROSS_POOLS)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PermutationTest(Result):
    """A statistic of the data among those of permuted data.

    Attributes
    ----------
    statistic : str
        The coefficient, such as "krippendorff_alpha", or "group_association".
    level : str
        The level of measurement.
    estimate : float
        The statistic of the data; NaN where `reason` says why.
    p_value : float
        The share of permutations at least as extreme, the data among them; NaN where there is no statistic.
    alternative : {"greater", "less", "two-sided"}
        Which statistics are extreme. "two-sided" doubles the smaller of the two p values.
    permuted : {"ratings", "raters"}
        What was permuted: the ratings of each rater, or the raters between the pools.
    n_permutations : int
        Permutations that were taken.
    n_extreme : int
        Those at least as extreme as the data; permutations without a value count as extreme.
    exact : bool
        Whether these were all permutations that there are, the data among them.
    smallest_p : float
        The smallest p value that could have come out. Where it is not small, the test has no power: there are too few
        raters, or permutations.
    seed : int or None
        The seed that repeats the permutations; None where all were taken.
    pools : tuple
        The two pools that were compared; empty for a statistic of one pool.
    reason : str or None
        Why `estimate` is NaN.
    replicates : (n_permutations,) float64 array or None
        The statistic of each permutation, NaN where it is undefined. Read-only; not part of ``==`` and `to_dict`.
    """

    statistic: str
    level: str
    estimate: float
    p_value: float
    alternative: str
    permuted: str
    n_permutations: int
    n_extreme: int
    exact: bool
    smallest_p: float
    seed: int | None = None
    pools: tuple[Hashable, ...] = ()
    reason: str | None = None
    replicates: NDArray[np.float64] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.replicates is not None:
            object.__setattr__(self, "replicates", read_only(self.replicates))

    def __repr__(self) -> str:
        return f"PermutationTest({self.statistic!r}, estimate={self.estimate!r}, p_value={self.p_value!r})"

    def __str__(self) -> str:
        return text_of_rows(self.heading(), self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.heading(), None, self.rows())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        pools = " of " + " and ".join(map(str, self.pools)) if self.pools else ""
        return f"Permutation test, {title(self.statistic)}{pools}, {self.level} level"

    def rows(self) -> list[tuple[str, str]]:
        """Return (name, text) for each line that `str` prints below the heading."""
        if self.reason is not None:
            return [("statistic", "undefined"), ("reading", self.reason)]
        how = "ratings within raters" if self.permuted == "ratings" else "raters between pools"
        which = f"all {self.n_permutations:,} splits" if self.exact else f"{self.n_permutations:,}, seed {self.seed}"
        return [
            ("statistic", number(self.estimate)),
            ("p", f"{self.p_value:.4g}, {self.alternative}"),
            ("permutations", f"{which}: {how}; {self.n_extreme:,} as extreme"),
            ("smallest p", f"{self.smallest_p:.4g}"),
        ]


def permutation_test(
    ratings: Any,
    statistic: str = "krippendorff_alpha",
    level: LevelLike = "nominal",
    *,
    pools: Sequence[Hashable] | None = None,
    irr: str = "alpha",
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    n_permutations: int = 999,
    seed: int | np.random.Generator | np.random.SeedSequence | None = None,
    alternative: str | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> PermutationTest:
    """Test for agreement beyond chance, or whether the raters of two pools are exchangeable.

    With a statistic of one pool the hypothesis is that raters answer whatever the unit: each rater's ratings are
    permuted among the units that the rater rated. With a statistic of two pools it is that it does not matter which
    pool a rater is in: raters, with all their ratings, are assigned anew to pools of the same sizes.

    Parameters
    ----------
    ratings : Ratings or (n_units, n_raters) array-like, or a pair (x, y) of them as for `cross_kappa`
        They must say who rated. A pair is for statistics of two pools.
    statistic : str, default "krippendorff_alpha"
        Of one pool: "krippendorff_alpha", "fleiss_kappa", "gwet_ac", "brennan_prediger", "percent_agreement",
        "light_kappa", "conger_kappa", "iota" or, with two raters, "cohen_kappa". Of two pools: "cross_kappa",
        "normalized_cross_kappa", or "group_association", which is the reliability of the first pool over kappa_x:
        above 1 where raters of that pool agree with each other more than with those of the other.
    level, domain, period, limits, n_threads, progress
        As for `krippendorff_alpha`.
    pools : sequence of two, optional
        Which pools to compare, where the ratings have more than two, and which is the first.
    irr : str, default "alpha"
        The reliability inside a pool, as for `normalized_cross_kappa`.
    n_permutations : int, default 999
        Random permutations. Where raters can be split in no more ways than this, all splits are taken, and the test
        is exact.
    seed : int, numpy.random.Generator, numpy.random.SeedSequence or None
        As for `Bootstrap`: the same seed gives the same bits.
    alternative : {"greater", "less", "two-sided"}, optional
        Which statistics speak against the hypothesis. By default large ones, but small ones for kappa_x and normalized
        kappa_x.

    Returns
    -------
    PermutationTest
        With the p value (b + 1)/(m + 1), where b of m random permutations are at least as extreme as the data, or
        the share of all splits. NaN, with a `reason`, where the statistic is undefined.

    Raises
    ------
    RatingsError
        Ratings that cannot be used, do not say who rated, or have not the pools or raters that the statistic needs.
    KappaxError, LevelError
        A statistic, number or level that does not exist or does not fit.

    References
    ----------
    Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. doi:10.2202/1544-6115.1585.
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548.

    Examples
    --------
    >>> import kappax as kx
    >>> ratings = [[1, 1, 1], [2, 2, 2], [1, 1, 2], [3, 3, 3], [2, 2, 2], [3, 3, 1]]
    >>> print(kx.permutation_test(ratings, seed=7))
    Permutation test, Krippendorff's alpha, nominal level
      statistic     0.6822
      p             0.004, greater
      permutations  999, seed 7: ratings within raters; 3 as extreme
      smallest p    0.001
    """
    statistic = choose(statistic, STATISTICS, "statistic")
    across = statistic in ACROSS_POOLS
    alternative = choose(alternative or ACROSS_POOLS.get(statistic, "greater"), ALTERNATIVES, "alternative")
    n_permutations = whole_number(n_permutations, "n_permutations", 1, MAX_RESAMPLES)
    seed = Bootstrap(seed=seed).seed
    data = _ratings(ratings, domain, across=across)
    check_raters(data, "a permutation test")
    data = _two_pools(data, pools) if across else _one_pool(data, pools)
    by: By = "pool" if across else "rater" if statistic in (*OF_RATERS, "cohen_kappa") else None
    prepared = Data(data.tally(by), by, Source(lambda: data)).at(level, period, limits)
    asked = _asked(statistic, prepared, irr)
    observed = estimates(prepared, asked, Options(None, n_threads, progress))[-1]
    permuted = "raters" if across else "ratings"
    if observed.reason is not None:
        return PermutationTest(
            **_common(observed, statistic, alternative, permuted),
            p_value=math.nan,
            smallest_p=math.nan,
            n_permutations=0,
            n_extreme=0,
            exact=False,
        )
    replicates, exact = _core.permute(
        data.tally("rater").table,
        pool_of_rater(data, by),
        permuted,
        [(each.word, list(each.pools), each.number) for each in asked],
        [prepared.level.to_core()],
        n_permutations=n_permutations,
        seed=seed,
        n_threads=n_threads,
        progress=progress,
    )
    return PermutationTest(
        **_common(observed, statistic, alternative, permuted),
        **evidence(observed.estimate, replicates, alternative, exact=exact),
        exact=exact,
        seed=None if exact else seed,
        replicates=replicates,
    )


def evidence(estimate: float, replicates: NDArray[np.float64], alternative: str, *, exact: bool) -> dict[str, Any]:
    """Set a statistic against those of permutations: p, how many are as extreme, and the smallest p there could be."""
    m = len(replicates)
    undefined = int(np.isnan(replicates).sum())

    def p(extreme: int) -> float:
        return extreme / m if exact else (extreme + 1) / (m + 1)

    def as_extreme(limit: float, sign: float) -> int:
        margin = TIE * max(1.0, abs(limit))
        return int((sign * replicates >= sign * limit - margin).sum()) + undefined

    signs = {"greater": [1.0], "less": [-1.0], "two-sided": [1.0, -1.0]}[alternative]
    extreme = min(as_extreme(estimate, sign) for sign in signs)
    furthest = [sign * float(np.nanmax(sign * replicates, initial=-math.inf)) for sign in signs]
    least = min(as_extreme(limit, sign) for limit, sign in zip(furthest, signs, strict=True)) if exact else 0
    return {
        "p_value": min(1.0, len(signs) * p(extreme)),
        "smallest_p": min(1.0, len(signs) * p(least)),
        "n_extreme": extreme,
        "n_permutations": m,
    }


def _ratings(ratings: Any, domain: Any, *, across: bool) -> Ratings:
    if isinstance(ratings, tuple) and len(ratings) == 2 and across:
        return pair(*ratings, domain)
    return as_ratings(ratings, domain)


def _one_pool(data: Ratings, pools: Sequence[Hashable] | None) -> Ratings:
    return data if pools is None else data.select(pools=pools)


def _two_pools(data: Ratings, pools: Sequence[Hashable] | None) -> Ratings:
    if pools is not None:
        data = data.select(pools=pools)
    found = data.tally("pool").pools
    if len(found) != 2:
        raise RatingsError(f"two pools are compared, name them as pools=: {', '.join(map(repr, found))}")
    return data


def _asked(statistic: str, data: Data, irr: str) -> list[Asked]:
    """List what the statistic, which is the last, is made from."""
    pools = data.counts.pools
    if statistic in OF_ONE_POOL:
        return [Asked(statistic, OF_ONE_POOL[statistic], [0])]
    if statistic == "cohen_kappa":
        if len(pools) != 2:
            raise RatingsError(f"Cohen's kappa is of two raters, take light_kappa or conger_kappa for: {len(pools)}")
        return [Asked("cohen_kappa", "cross", [0, 1])]
    if statistic in OF_RATERS:
        return [of_raters(statistic, range(len(pools)))]
    if statistic == "cross_kappa":
        return [cross_asked(pools, 0, 1)]
    if statistic == "normalized_cross_kappa":
        return Plan(pools, irr).asked
    name, word = IRR[choose(irr, tuple(IRR), "irr")]
    reliability = Asked(name, word, [0], pools[:1])
    return [reliability, cross_asked(pools, 0, 1), Asked("group_association", "quotient", [0, 1], pools)]


def _common(observed: Estimate, statistic: str, alternative: str, permuted: str) -> dict[str, Any]:
    return {
        "statistic": statistic,
        "level": observed.level,
        "estimate": observed.estimate,
        "alternative": alternative,
        "permuted": permuted,
        "pools": observed.pools,
        "reason": observed.reason,
    }
