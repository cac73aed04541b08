"""Agreement across pools: kappa_x, and kappa_x against each pool's own reliability.

Wong, Paritosh and Aroyo (2021), "Cross-replication Reliability", doi:10.18653/v1/2021.acl-long.548.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING, Any

from kappax._analysis import Asked, Data, Options, Progress, estimates, warn_if_undefined
from kappax.errors import KappaxError, RatingsError
from kappax.methods import choose
from kappax.ratings import Source, Tally, as_ratings, as_tally, pair, tally_of_pair
from kappax.results import CrossReplication, Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from kappax.levels import LevelLike
    from kappax.methods import Bootstrap

__all__ = ["cross_kappa", "cross_replication", "normalize_kappa", "normalized_cross_kappa"]

IRR = {
    "alpha": ("krippendorff_alpha", "alpha"),
    "krippendorff_alpha": ("krippendorff_alpha", "alpha"),
    "fleiss_kappa": ("fleiss_kappa", "fleiss"),
    "gwet_ac": ("gwet_ac", "ac"),
    "brennan_prediger": ("brennan_prediger", "brennan_prediger"),
    "percent_agreement": ("percent_agreement", "percent"),
}
"""Reliabilities inside a pool that kappa_x can be set against: public name and the core's word."""

NOT_SHARED = "no unit was rated in both pools"
ONE_VALUE = "expected disagreement is zero: both pools gave one and the same value to every shared unit"


def cross_kappa(
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
    """Cross-kappa, kappa_x: how far the raters of one pool agree with the raters of another.

    Parameters
    ----------
    x, y : (n_units, n_raters) array-like, (n_units,) vector, or Ratings
        The two pools. Arrays have the same rows; Ratings with units are matched by unit. Raters inside a pool are
        interchangeable, and the pools may have different numbers of them. Units that only one pool rated are left
        out.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Estimate
        1 where every rater of one pool agrees with every rater of the other, 0 for what chance gives. With one rating
        a unit in each pool it is Cohen's kappa. NaN with a `reason` where no unit is shared or all ratings are equal.

    Raises
    ------
    RatingsError
        Ratings that cannot be used, or units that cannot be matched.
    LevelError
        A level that does not exist or does not fit the values.

    References
    ----------
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548, eq. 6 to 11.

    Examples
    --------
    >>> import kappax as kx
    >>> x = [["B", "B", None], ["B", "B", "B"], ["A", "A", None], ["A", "A", "A"], ["A", "B", None]]
    >>> y = [["B", "B"], ["A", "B"], ["A", "B"], ["A", "B"], ["A", "A"]]
    >>> kx.cross_kappa(x, y).estimate
    0.18181818181818182
    """
    tally = tally_of_pair(x, y, domain)
    data = Data(tally, "pool", Source(lambda: pair(x, y, domain), x, y)).at(level, period, limits)
    [estimate] = estimates(data, [cross_asked(tally.pools, 0, 1)], Options(ci, n_threads, progress))
    warn_if_undefined([estimate])
    return estimate


def normalized_cross_kappa(
    x: Any,
    y: Any,
    level: LevelLike = "nominal",
    *,
    irr: str = "alpha",
    irr_units: str = "all",
    irr_x: float | None = None,
    irr_y: float | None = None,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Estimate:
    """Compute normalized kappa_x: kappa_x over the root of the two pools' own reliabilities.

    About 1 says that raters of different pools agree as well as raters of the same pool do: what the pools measure is
    the same, up to noise. It may exceed 1.

    Parameters
    ----------
    x, y : as for `cross_kappa`
        The two pools.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`; kappa_x and both reliabilities are at the same level, and each replicate has all
        three from one resample.
    irr : {"alpha", "fleiss_kappa", "gwet_ac", "brennan_prediger", "percent_agreement"}, default "alpha"
        The reliability inside a pool.
    irr_units : {"all", "shared"}, default "all"
        Whether reliabilities are of all units of a pool, or of those that both pools rated.
    irr_x, irr_y : float, optional
        A reliability that is known from elsewhere, instead of one from these ratings.

    Returns
    -------
    Estimate
        NaN with a `reason` where kappa_x or a reliability is undefined, as for a pool with one rating a unit, or a
        reliability is zero or below. `observed` and `expected` are NaN: `cross_kappa` has its own.

    Raises
    ------
    KappaxError
        For an `irr` or `irr_units` that does not exist.
    RatingsError, LevelError
        As for `cross_kappa`.

    References
    ----------
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548, eq. 12.

    Examples
    --------
    >>> import kappax as kx
    >>> x = [[3, 4, None], [1, 1, 2], [5, 5, None]]
    >>> y = [[3, None], [2, 1], [4, 5]]
    >>> round(kx.normalized_cross_kappa(x, y, "interval").estimate, 6)
    1.01559
    """
    known = (_known(irr_x, "irr_x"), _known(irr_y, "irr_y"))
    tally = tally_of_pair(x, y, domain)
    data = Data(tally, "pool", Source(lambda: pair(x, y, domain), x, y)).at(level, period, limits)
    plan = Plan(tally.pools, irr, irr_units, known)
    result = plan.compute(data, Options(ci, n_threads, progress))
    estimate = result.normalized["x", "y"]
    warn_if_undefined([estimate])
    return estimate


def cross_replication(
    ratings: Any,
    level: LevelLike = "nominal",
    *,
    pools: Sequence[Hashable] | None = None,
    irr: str = "alpha",
    irr_units: str = "all",
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> CrossReplication:
    """Compare pools two by two: each pool's reliability, kappa_x and normalized kappa_x of each pair.

    Parameters
    ----------
    ratings : Ratings with pools, or Tally by pool
        Such as ``kx.Ratings.from_long(frame, unit=..., value=..., pool=...)``.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`. One bootstrap is behind all numbers: replicate b of each is from resample b, so
        replicates may be subtracted or divided.
    pools : sequence, optional
        The pools to compare, two or more, by default all of them.
    irr, irr_units
        As for `normalized_cross_kappa`. With "shared" and more than two pools, the normalized value of a pair is set
        against reliabilities on the units of that pair, and `irr` holds those on units shared with any other pool.

    Returns
    -------
    CrossReplication
        Numbers that do not exist are NaN with a `reason`, such as the reliability of a pool with one rating a unit;
        there is no warning, since the table shows them.

    Raises
    ------
    RatingsError
        Ratings without pools, a pool that does not exist, or fewer than two.
    KappaxError, LevelError
        As for `normalized_cross_kappa`.

    References
    ----------
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548.

    Examples
    --------
    >>> import kappax as kx
    >>> frame = {
    ...     "unit": [1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3],
    ...     "pool": ["crowd"] * 6 + ["expert"] * 6,
    ...     "value": [1, 1, 2, 1, 2, 2, 1, 1, 2, 2, 2, 2],
    ... }
    >>> result = kx.cross_replication(kx.Ratings.from_long(frame, unit="unit", value="value", pool="pool"))
    >>> round(result.normalized["crowd", "expert"].estimate, 3)
    1.0
    """
    data = ratings if isinstance(ratings, Tally) else as_ratings(ratings)
    if domain is not None:
        data = data.with_domain(domain)
    if pools is not None:
        data = data.restrict(pools) if isinstance(data, Tally) else data.select(pools=pools)
    tally = as_tally(data, "pool")
    if len(tally.pools) < 2:
        raise RatingsError(f"cross-replication needs two pools or more: {', '.join(map(repr, tally.pools))}")
    prepared = Data(tally, "pool", Source(lambda: as_ratings(data), data)).at(level, period, limits)
    return Plan(tally.pools, irr, irr_units).compute(prepared, Options(ci, n_threads, progress))


def normalize_kappa(kappa: float, irr_x: float, irr_y: float) -> float:
    """Set a kappa_x against two reliabilities, all known as numbers.

    Parameters
    ----------
    kappa, irr_x, irr_y : float
        kappa_x and the reliabilities of the two pools.

    Returns
    -------
    float
        kappa/sqrt(irr_x irr_y); NaN where a reliability is zero or below, or NaN.

    References
    ----------
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548, eq. 12.

    Examples
    --------
    >>> import kappax as kx
    >>> round(kx.normalize_kappa(0.0817, 0.1208, 0.1170), 3)
    0.687
    """
    kappa, irr_x, irr_y = as_number(kappa, "kappa"), as_number(irr_x, "irr_x"), as_number(irr_y, "irr_y")
    return kappa / math.sqrt(irr_x * irr_y) if irr_x > 0 and irr_y > 0 else math.nan


def as_number(value: Any, name: str) -> float:
    """Give a number or an Estimate as a float."""
    if isinstance(value, bool) or not isinstance(value, Real | Estimate):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return float(value)


def _known(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    number = as_number(value, name)
    if not math.isfinite(number):
        raise KappaxError(f"{name} must be a finite number: {number}")
    return number


def cross_asked(pools: Sequence[Hashable], g: int, h: int) -> Asked:
    """Ask for kappa_x of two pools."""
    labels = (pools[g], pools[h])
    return Asked("cross_kappa", "cross", [g, h], labels, reasons={"no_pairs": NOT_SHARED, "no_variation": ONE_VALUE})


class Plan:
    """All that is asked of the core for some pools, in one list, and where each answer will stand in it.

    `irr` maps a pool's place, `cross` and `normalized` a pair of places, to the place in `asked`.
    """

    def __init__(
        self, pools: Sequence[Hashable], irr: str, irr_units: str = "all", known: Sequence[float | None] = ()
    ) -> None:
        self.pools = tuple(pools)
        self.name, self.word = IRR[choose(irr, tuple(IRR), "irr")]
        self.shared_only = choose(irr_units, ("all", "shared"), "irr_units") == "shared"
        self.known = known or [None] * len(self.pools)
        self.asked: list[Asked] = []
        G = range(len(self.pools))
        self.irr = {g: self._irr(g, [h for h in G if h != g]) for g in G}
        self.cross = {pair: self._add(cross_asked(self.pools, *pair)) for pair in combinations(G, 2)}
        self.normalized = {pair: self._normalized(pair) for pair in self.cross}

    def compute(self, data: Data, options: Options) -> CrossReplication:
        """Compute reliabilities, kappa_x and normalized kappa_x on the same resamples."""
        found = estimates(data, self.asked, options)
        return CrossReplication(
            pools=self.pools,
            irr={self.pools[g]: found[i] for g, i in self.irr.items()},
            cross_kappa={self.labels(pair): found[i] for pair, i in self.cross.items()},
            normalized={self.labels(pair): self._explained(found, pair) for pair in self.normalized},
        )

    def labels(self, pair: tuple[int, int]) -> tuple[Hashable, Hashable]:
        """Give the labels of two pools."""
        return self.pools[pair[0]], self.pools[pair[1]]

    def explain(self, pair: tuple[int, int], answer: Callable[[int], tuple[str | None, float]]) -> str:
        """Say why a pair has no normalized value; `answer` gives reason and estimate of what stands at a place."""
        reason, _ = answer(self.cross[pair])
        causes = [f"kappa_x is undefined ({reason})"] if reason else []
        for place in self.asked[self.normalized[pair]].pools[1:]:
            pool = self.asked[place].labels[0]
            reason, value = answer(place)
            if reason:
                causes.append(f"pool {pool!r} has no reliability of its own ({reason})")
            elif value <= 0:
                causes.append(f"the reliability of pool {pool!r} is not positive ({value:.4g})")
        return "; ".join(causes) or str(answer(self.normalized[pair])[0])

    def _explained(self, found: Sequence[Estimate], pair: tuple[int, int]) -> Estimate:
        """Give a normalized value the sizes of its kappa_x, and a reason that names the pool."""
        kappa, estimate = found[self.cross[pair]], found[self.normalized[pair]]
        sizes = {"n_units": kappa.n_units, "n_pairable": kappa.n_pairable, "n_dropped": kappa.n_dropped}
        answer = [(each.reason, each.estimate) for each in found].__getitem__
        reason = None if estimate.reason is None else self.explain(pair, answer)
        return replace(estimate, reason=reason, **sizes)  # type: ignore[arg-type]

    def _add(self, asked: Asked) -> int:
        self.asked.append(asked)
        return len(self.asked) - 1

    def _irr(self, g: int, others: Sequence[int]) -> int:
        """Ask for the reliability of pool g; among units that the others rated too, if that is wanted."""
        labels = (self.pools[g],)
        known = self.known[g]
        if known is not None:
            return self._add(Asked(self.name, "given", [], labels, number=known))
        among = others if self.shared_only else []
        reasons = {"no_pairs": f"no unit holds two ratings of pool {labels[0]!r}"}
        return self._add(Asked(self.name, self.word, [g, *among], labels, reasons=reasons))

    def _normalized(self, pair: tuple[int, int]) -> int:
        g, h = pair
        sides = [self.irr[g], self.irr[h]]
        if self.shared_only and len(self.pools) > 2:
            sides = [self._irr(g, [h]), self._irr(h, [g])]
        return self._add(Asked("normalized_cross_kappa", "normalized", [self.cross[pair], *sides], self.labels(pair)))
