"""Differences of two coefficients, on the same resamples.

Two intervals that overlap say little of a difference: raters of the same units err together. Here both coefficients are
computed on each resample, and their difference has replicates, an interval and a p value of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._analysis import Asked, Data, Options, Origin, Progress, estimates
from kappax._core import standard_error as standard_deviation
from kappax._result import Result, html_table, number, text_of_rows
from kappax.errors import KappaxError, RatingsError
from kappax.methods import NEEDS_JACKKNIFE, Bootstrap
from kappax.ratings import Ratings, Source, pair, tally_of_pair
from kappax.replication import Plan
from kappax.results import Estimate, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kappax.levels import Level, LevelLike

__all__ = ["Comparison", "compare", "parity_gap"]

OF_OTHERS = ("normalized", "difference", "quotient")
"""Words of the core whose numbers are places of other coefficients, not of pools."""

OF_ALL_RATERS = ("iota", "conger")
"""Words of the core whose coefficients are of all pools of a tally together."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """The difference of two coefficients.

    Attributes
    ----------
    a, b : Estimate
        The two sides.
    difference : Estimate
        a less b, with an interval and replicates of its own. Its `n_units`, `n_pairable` and `n_dropped` are those of
        the side with more units.
    p_value : float or None
        Two-sided, of the hypothesis that the difference is zero; None without replicates.
    independent : bool
        Whether the two sides are of independent data.
    """

    a: Estimate
    b: Estimate
    difference: Estimate
    p_value: float | None
    independent: bool = False

    def __float__(self) -> float:
        return self.difference.estimate

    def __repr__(self) -> str:
        return f"Comparison({self.difference.estimate!r}, p_value={self.p_value!r})"

    def __str__(self) -> str:
        return text_of_rows(self.heading(), self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.heading(), None, self.rows())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        how = "on independent data" if self.independent else "on the same units"
        return f"Difference of two coefficients, {how}"

    def rows(self) -> list[tuple[str, str]]:
        """Return (name, text) for each line that `str` prints below the heading."""
        sides = [(name, f"{number(e.estimate)}  {e.heading()}") for name, e in (("a", self.a), ("b", self.b))]
        kept = ("estimate", "interval", "std. error", "resampling", "reading")
        rows = [
            ("a - b" if name == "estimate" else name, text) for name, text in self.difference.rows() if name in kept
        ]
        if self.p_value is not None and not math.isnan(self.p_value):
            rows.insert(2, ("p", f"{self.p_value:.4g}, two-sided"))
        return [*sides, *rows]


def compare(
    a: Estimate,
    b: Estimate,
    *,
    independent: bool = False,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two coefficients of the same units: two levels, two pools, two judges, before and after.

    Both are computed anew on the same resamples, which draw the units of either, so that what moves both is not taken
    for a difference.

    Parameters
    ----------
    a, b : Estimate
        Made with ``ci=``, from the same ratings or from ratings of the same units, which are matched by label (or by
        row, where they have none).
    independent : bool, default False
        Whether the two are of different units rated on their own, so that their replicates have nothing to do with
        each other.
    ci : Bootstrap, optional
        How to draw; by default as `a` and `b` were drawn, who must agree then.
    n_threads, progress
        As for `krippendorff_alpha`.

    Returns
    -------
    Comparison
        The difference a - b with an interval and a p value; NaN with a `reason` where a side is undefined.

    Raises
    ------
    KappaxError
        For estimates without ``ci=``, drawn in two ways, or that cannot be drawn together.
    RatingsError
        For units that cannot be matched.

    References
    ----------
    Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman and Hall.

    Examples
    --------
    >>> import kappax as kx
    >>> people = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 3], [1, 1], [2, 3]]
    >>> ci = kx.Bootstrap(1000, seed=7)
    >>> one = kx.cross_kappa(people, [1, 2, 1, 3, 2, 3, 1, 2], ci=ci)
    >>> two = kx.cross_kappa(people, [1, 2, 3, 3, 1, 3, 2, 2], ci=ci)
    >>> difference = kx.compare(one, two)
    >>> round(difference.difference.estimate, 3), difference.p_value < 0.1
    (0.471, True)
    """
    for name, side in (("a", a), ("b", b)):
        if not isinstance(side, Estimate):
            raise TypeError(f"{name} must be an Estimate, such as krippendorff_alpha gives: {type(side).__name__}")
    if independent:
        return _independent(a, b, ci)
    one, two = _origin(a, "a"), _origin(b, "b")
    if ci is None and one.ci != two.ci:
        raise KappaxError(f"a and b were drawn in two ways, say how with ci=: {one.ci} and {two.ci}")
    options = Options(ci or one.ci, n_threads, progress)
    data, asked, levels = _together(one, two)
    *found, difference = estimates(data, asked, options, levels)
    i, j = asked[-1].pools
    for name, side, again in (("a", a, found[i]), ("b", b, found[j])):
        is_same = math.isclose(side.estimate, again.estimate, rel_tol=1e-9, abs_tol=1e-9)
        if not is_same and not math.isnan(side.estimate):
            raise KappaxError(
                f"{name} is another number beside the other's ratings ({side.estimate} alone, {again.estimate} here): "
                "the two have different domains, state one with domain="
            )
    return _comparison(a, b, difference)


def parity_gap(
    x: Any,
    y: Any,
    level: LevelLike = "nominal",
    *,
    irr: str = "alpha",
    irr_units: str = "all",
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compute the parity gap kappa_x(X, Y) - IRR_X: whether Y agrees with X as well as X agrees with itself.

    Y needs no reliability of its own, so it may be a pool with one rating a unit: a gold standard, one expert, one run
    of an LLM judge. Normalized kappa_x is undefined for such a pool; the gap is not. About 0 or above says that Y
    could stand in for one of the raters of X; below, that Y means something else, or is noisier.

    Parameters
    ----------
    x, y : as for `cross_kappa`
        The pool that sets the standard, and the one that is judged by it.
    irr, irr_units : as for `normalized_cross_kappa`
        The reliability of X.
    level, domain, period, limits, ci, n_threads, progress
        As for `krippendorff_alpha`; each replicate of the gap has both numbers from one resample.

    Returns
    -------
    Comparison
        `a` is kappa_x, `b` the reliability of X, `difference` the gap. NaN with a `reason` where one of them is
        undefined.

    Raises
    ------
    RatingsError, LevelError
        As for `cross_kappa`.
    KappaxError
        For an `irr` or `irr_units` that does not exist.

    References
    ----------
    Wong, K., Paritosh, P. and Aroyo, L. (2021). doi:10.18653/v1/2021.acl-long.548.

    Examples
    --------
    >>> import kappax as kx
    >>> people = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 3], [1, 1], [2, 3]]
    >>> judge = [1, 2, 1, 3, 2, 3, 1, 2]
    >>> gap = kx.parity_gap(people, judge, ci=kx.Bootstrap(1000, seed=7))
    >>> round(gap.difference.estimate, 3)
    0.165
    """
    tally = tally_of_pair(x, y, domain)
    data = Data(tally, "pool", Source(lambda: pair(x, y, domain), x, y)).at(level, period, limits)
    plan = Plan(tally.pools, irr, irr_units)
    reliability, kappa = plan.asked[plan.irr[0]], plan.asked[plan.cross[0, 1]]
    gap = Asked("difference", "difference", [0, 1], kappa.labels)
    a, b, difference = estimates(data, [kappa, reliability, gap], Options(ci, n_threads, progress))
    return _comparison(a, b, difference)


def _comparison(a: Estimate, b: Estimate, difference: Estimate, *, independent: bool = False) -> Comparison:
    """Give the difference the sizes and the words that it has from its two sides."""
    larger = max(a, b, key=lambda side: side.n_units)
    reasons = [f"{title(side.coefficient)} is undefined ({side.reason})" for side in (a, b) if side.reason]
    difference = replace(
        difference,
        level=a.level if a.level == b.level else f"{a.level} and {b.level}",
        n_units=larger.n_units,
        n_pairable=larger.n_pairable,
        n_dropped=larger.n_dropped,
        n_raters=larger.n_raters,
        scale=a.scale if a.scale == b.scale else None,
        pools=(),
        reason="; ".join(reasons) or None,
        origin=None,
    )
    p_value = None if difference.replicates is None else difference.p_of_zero()
    return Comparison(a=a, b=b, difference=difference, p_value=p_value, independent=independent)


def _origin(side: Estimate, name: str) -> Origin:
    if side.origin is None:
        raise KappaxError(
            f"{name} does not know its ratings: make it with ci=kappax.Bootstrap(...), and compare it "
            "before it is pickled or copied"
        )
    return side.origin  # type: ignore[no-any-return]


# --- both sides in one analysis


def _together(one: Origin, two: Origin) -> tuple[Data, list[Asked], list[Level]]:
    """Put all that both sides need into one list, with their difference at the end."""
    if one.data is two.data and one.asked == two.asked:  # one analysis already, and so the resamples that it had
        asked, i, j = list(one.asked), one.place, two.place
        levels = [one.data.level] * len(asked)
        data = one.data
    else:
        data, shift = (one.data, 0) if _same_ratings(one.data, two.data) else _side_by_side(one, two)
        first, second = _needed(one.asked, one.place), _shifted(_needed(two.asked, two.place), shift)
        i, j = len(first) - 1, len(first) + len(second) - 1
        asked = first + [_behind(each, len(first)) for each in second]
        levels = [_level(one.data, data)] * len(first) + [_level(two.data, data)] * len(second)
    return data, [*asked, Asked("difference", "difference", [i, j])], [*levels, levels[0]]


def _needed(asked: Sequence[Asked], place: int) -> list[Asked]:
    """List one coefficient behind those that it is made from."""
    wanted = asked[place]
    if wanted.word not in OF_OTHERS:
        return [wanted]
    parts = [asked[i] for i in wanted.pools]
    return [*parts, replace(wanted, pools=list(range(len(parts))))]


def _behind(asked: Asked, n: int) -> Asked:
    """Move places of coefficients behind n others."""
    return replace(asked, pools=[i + n for i in asked.pools]) if asked.word in OF_OTHERS else asked


def _shifted(asked: Sequence[Asked], n_pools: int) -> list[Asked]:
    """Move places of pools behind n_pools others."""

    def moved(each: Asked) -> Asked:
        return each if each.word in OF_OTHERS else replace(each, pools=[g + n_pools for g in each.pools])

    return list(map(moved, asked))


def _level(data: Data, joint: Data) -> Level:
    """Give the level of one side for the domain of both."""
    return data.level if joint.counts.domain == data.counts.domain else joint.at(*data.words).level


def _same_ratings(one: Data, two: Data) -> bool:
    """Whether two analyses are of the same ratings of the same units, grouped alike.

    Tallies do not know their units: equal ones are taken as the same.
    """
    if one.by != two.by or one.counts != two.counts:
        return False
    try:
        mine, other = one.source.ratings, two.source.ratings
    except RatingsError:
        return True
    same_units = mine.units == other.units and np.array_equal(mine.unit, other.unit)
    return same_units and np.array_equal(mine.value, other.value)


def _side_by_side(one: Origin, two: Origin) -> tuple[Data, int]:
    """Put the pools of both sides next to each other on the same units, and say how many there are of the first."""
    for origin in (one, two):
        if origin.ci.resample != "units":
            raise KappaxError(
                f"raters can be drawn only where both are of the same ratings, take resample='units': "
                f"{origin.ci.resample!r}"
            )
        if any(each.word in OF_ALL_RATERS for each in origin.asked):
            raise KappaxError(f"{origin.asked[-1].name} is of all raters, and cannot be computed beside other ratings")
    sides: list[Ratings] = [origin.data.source.ratings for origin in (one, two)]
    (pool, pools), (other_pool, other_pools) = (
        side.grouping(origin.data.by) for side, origin in zip(sides, (one, two), strict=True)
    )
    joined = replace(
        pair(*sides),
        pool=np.concatenate([pool, other_pool + np.uint32(len(pools))]),
        pools=(*(("a", label) for label in pools), *(("b", label) for label in other_pools)),
    )
    return Data(joined.tally("pool"), "pool", Source(lambda: joined, *sides)), len(pools)


# --- independent sides


def _independent(a: Estimate, b: Estimate, ci: Bootstrap | None) -> Comparison:
    """Set replicate b of one side against replicate b + 1 of the other, so that equal seeds do no harm."""
    if a.replicates is None or b.replicates is None or a.confidence_interval is None or b.confidence_interval is None:
        raise KappaxError("no replicates to compare: pass ci=kappax.Bootstrap(...) for both")
    if len(a.replicates) != len(b.replicates):
        raise KappaxError(f"a and b need as many resamples, they have: {len(a.replicates)} and {len(b.replicates)}")
    one, two = a.confidence_interval, b.confidence_interval
    how = [(each.confidence_level, each.method, each.alternative) for each in (one, two)]
    if ci is not None:
        how = [(ci.confidence_level, ci.method, ci.alternative)] * 2
    if how[0] != how[1]:
        raise KappaxError(f"a and b have intervals of two kinds, say which with ci=: {how[0]} and {how[1]}")
    if how[0][1] in NEEDS_JACKKNIFE:
        raise KappaxError(
            f"method {how[0][1]!r} needs a jackknife, which independent sides have not together: "
            "use 'percentile', 'basic' or 'normal', with ci= here"
        )
    replicates = a.replicates - np.roll(b.replicates, -1)
    difference = replace(
        a,
        coefficient="difference",
        estimate=a.estimate - b.estimate,
        observed=math.nan,
        expected=math.nan,
        reason=None,
        jackknife=None,
        errors=None,
        replicates=replicates,
        standard_error=standard_deviation(replicates),
        resample=one.resample if one.resample == two.resample else f"{one.resample} and {two.resample}",
    )
    limits = difference.interval(*how[0])
    return _comparison(a, b, replace(difference, confidence_interval=limits), independent=True)
