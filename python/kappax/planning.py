"""Before the ratings: how many units, and how many raters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax import _core
from kappax._analysis import Asked, Data, Options, estimates, read
from kappax._result import Result, html_table, number, percent, text_table
from kappax.errors import KappaxError
from kappax.methods import Bootstrap, check_confidence_level, whole_number
from kappax.ratings import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kappax.levels import LevelLike

__all__ = ["Plan", "plan", "sample_size"]

ALPHA = Asked("krippendorff_alpha", "alpha", [0])

SIMULATION = 7
"""The stream's purpose (docs/stream.md)."""

MOST_UNITS = 100_000
"""Nobody will have more units rated for one interval; a plan that needs more says so."""

CLOSE = 0.02
"""A mean width this near to the one that is wanted, relative to it, will do."""


def sample_size(n_values: int = 4, alpha_min: float = 0.8, p: float = 0.05, *, least_share: float | None = None) -> int:
    """Work out how many units two raters must rate, by the formula of Bloch and Kraemer as Krippendorff tabulates it.

    So many units tell an alpha that is acceptable from one that is not in all but a share `p` of the cases, for nominal
    values.

    Parameters
    ----------
    n_values : int, default 4
        Number of values, 2 or more. Values are taken as equally common.
    alpha_min : float, default 0.8
        The smallest alpha that is acceptable, strictly between 0 and 1.
    p : float, default 0.05
        The probability of taking for acceptable what is not, strictly between 0 and 0.5.
    least_share : float, optional
        The share of the rarest value, where it is known to be rarer than 1/n_values.

    Returns
    -------
    int
        2 z^2 ((1 + a)(3 - a)/(4 (1 - a) s (1 - s)) - a), rounded up, with a = `alpha_min`, s = `least_share` and z the
        normal quantile of 1 - p.

    Raises
    ------
    KappaxError
        For a number out of range.

    References
    ----------
    Bloch, D. A. and Kraemer, H. C. (1989). doi:10.2307/2532052.
    Krippendorff, K. (2019). Content Analysis, 4th ed. Sage. doi:10.4135/9781071878781.

    Examples
    --------
    >>> import kappax as kx
    >>> kx.sample_size(4, 0.8, 0.05), kx.sample_size(4, 0.667, 0.05)
    (139, 81)
    """
    n_values = whole_number(n_values, "n_values", 2, 10**6)
    a, p = _between(alpha_min, "alpha_min", 0, 1), _between(p, "p", 0, 0.5)
    s = 1 / n_values if least_share is None else _between(least_share, "least_share", 0, 0.5)
    if s > 1 / n_values:
        raise KappaxError(f"least_share is that of the rarest value, at most 1/n_values = {1 / n_values:g}: {s:g}")
    z = NormalDist().inv_cdf(1 - p)
    return math.ceil(2 * z**2 * ((1 + a) * (3 - a) / (4 * (1 - a) * s * (1 - s)) - a))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Plan(Result):
    """How many units to have rated, for each number of raters a unit.

    Attributes
    ----------
    level : str
        The level of measurement.
    alpha : float
        Krippendorff's alpha of the pilot, which the simulated ratings have.
    confidence_level : float
        That of the intervals.
    raters : tuple of int
        Ratings a unit.
    units : tuple of int
        Units needed, or as many as were asked about.
    ratings : tuple of int
        The product of both: what is to be paid for.
    width : tuple of float
        The mean width of the interval at that size.
    enough : tuple of bool
        False where even 100,000 units would not make the interval as narrow as it should be.
    seed : int
        The seed that repeats the simulation.
    """

    level: str
    alpha: float
    confidence_level: float
    raters: tuple[int, ...]
    units: tuple[int, ...]
    ratings: tuple[int, ...]
    width: tuple[float, ...]
    enough: tuple[bool, ...]
    seed: int

    def __repr__(self) -> str:
        sizes = ", ".join(f"{m} raters x {n} units" for m, n in zip(self.raters, self.units, strict=True))
        return f"Plan(alpha={self.alpha:.4f}, {sizes})"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows])])

    def _repr_html_(self) -> str:
        return html_table(self.heading(), *self.table())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        return f"Plan for alpha {number(self.alpha)}, {self.level} level, {percent(self.confidence_level)} interval"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        columns = zip(self.raters, self.units, self.ratings, self.width, self.enough, strict=True)
        rows = [[str(m), f"{n:,}" if e else f"more than {n:,}", f"{r:,}", number(w)] for m, n, r, w, e in columns]
        return ["raters a unit", "units", "ratings", "mean width"], rows


def plan(
    pilot: Any,
    level: LevelLike = "nominal",
    *,
    width: float | None = None,
    units: int | None = None,
    raters: Sequence[int] = (2, 3, 5),
    confidence_level: float = 0.95,
    domain: Any = None,
    period: float | None = None,
    limits: tuple[float, float] | None = None,
    n_data_sets: int = 50,
    n_resamples: int = 200,
    seed: int | np.random.Generator | np.random.SeedSequence | None = None,
    n_threads: int | None = None,
) -> Plan:
    """Find how many units and raters an interval of a given width takes, by simulation from a model of pilot ratings.

    The model is the beta-binomial for two values and the Dirichlet-multinomial for more: each unit has its own
    chances of the values. It is fitted by moments: the values are as common as in the pilot, and alpha is the pilot's.
    It knows no raters that differ from each other; where they do, plan with more raters.

    Parameters
    ----------
    pilot : Ratings, Tally or (n_units, n_raters) array-like
        A few dozen units, each rated by two raters or more, such as are to be rated later.
    level, domain, period, limits, n_threads
        As for `krippendorff_alpha`.
    width : float, optional
        How wide the interval may be on average. Either this or `units`.
    units : int, optional
        A number of units of which the width is asked.
    raters : sequence of int, default (2, 3, 5)
        Numbers of ratings a unit, each 2 or more.
    confidence_level : float, default 0.95
        Of a percentile interval over units.
    n_data_sets, n_resamples : int, default 50 and 200
        Simulated data sets a size, and resamples a data set.
    seed : int, numpy.random.Generator, numpy.random.SeedSequence or None
        As for `Bootstrap`.

    Returns
    -------
    Plan
        A row for each number of raters.

    Raises
    ------
    KappaxError
        For a number out of range, or a pilot whose alpha is undefined or 1.
    RatingsError, LevelError
        As for `krippendorff_alpha`.

    References
    ----------
    Mosimann, J. E. (1962). On the compound multinomial distribution. doi:10.1093/biomet/49.1-2.65.

    Examples
    --------
    >>> import kappax as kx
    >>> pilot = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 3], [1, 1], [2, 3]]
    >>> found = kx.plan(pilot, width=0.2, raters=[2, 3], seed=7)
    >>> found.units[0] > found.units[1]
    True
    """
    if (width is None) == (units is None):
        raise KappaxError(f"say one of width= and units=: {width} and {units}")
    if width is not None:
        width = _between(width, "width", 0, 2)
    if units is not None:
        units = whole_number(units, "units", 2, MOST_UNITS)
    raters = tuple(whole_number(m, "each of raters", 2, 1000) for m in raters)
    n_data_sets = whole_number(n_data_sets, "n_data_sets", 1, 10**6)
    ci = Bootstrap(n_resamples, seed=seed, confidence_level=check_confidence_level(confidence_level))
    model = Model.fit(read(pilot, None, level, domain, period, limits))
    options = Options(ci, n_threads)
    found = [_size(model, m, width, units, n_data_sets, options) for m in raters]
    return Plan(
        level=model.data.level.word,
        alpha=model.alpha,
        confidence_level=ci.confidence_level,
        raters=raters,
        units=tuple(n for n, _ in found),
        ratings=tuple(m * n for m, (n, _) in zip(raters, found, strict=True)),
        width=tuple(mean for _, mean in found),
        enough=tuple(width is None or n < MOST_UNITS or mean <= width * (1 + CLOSE) for n, mean in found),
        seed=ci.seed,
    )


@dataclass(frozen=True)
class Model:
    """Ratings of units that each have their own chances of the values, Dirichlet about those of all."""

    data: Data
    alpha: float
    shares: NDArray[np.float64]

    @classmethod
    def fit(cls, data: Data) -> Model:
        """Take alpha and how common the values are from a pilot.

        Two ratings of a unit differ (1 - rho) times as much as two ratings of two units, whatever the level, rho being
        the correlation of the model: so alpha is its estimate by moments.
        """
        [alpha] = estimates(data, [ALPHA], Options())
        if alpha.reason is not None:
            raise KappaxError(f"the pilot tells nothing of reliability: {alpha.reason}")
        if alpha.estimate == 1:
            raise KappaxError("the pilot holds no disagreement, so that nothing says how wide an interval would be")
        counts = data.counts.table.values_used()[0]  # type: ignore[union-attr]
        return cls(data, alpha.estimate, counts / counts.sum())

    def draw(self, n_units: int, n_raters: int, seed: int, i: int) -> Data:
        """Draw data set i: each rating repeats one of its unit's earlier ratings, or is made anew (Polya's urn)."""
        words = np.random.Philox(key=[seed, SIMULATION], counter=[0, 0, i, 0]).random_raw(2 * n_raters * n_units)
        uniform = ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
        repeats, chooses = uniform.reshape(n_raters, 2, n_units).transpose(1, 0, 2)
        ends = np.cumsum(self.shares)[:-1]
        rho = min(max(self.alpha, 0.0), 1.0)
        codes = np.empty((n_raters, n_units), dtype=np.int32)
        for j in range(n_raters):
            codes[j] = np.searchsorted(ends, chooses[j], side="right")
            if j:
                again = repeats[j] * (1 - rho + j * rho) < j * rho  # j/(j + s), with s = (1 - rho)/rho
                earlier = (chooses[j] * j).astype(np.int64)
                codes[j] = np.where(again, codes[earlier, np.arange(n_units)], codes[j])
        counts = self.data.counts
        table = _core.Tally.from_matrix(np.ascontiguousarray(codes.T), len(counts.domain))
        return replace(self.data, counts=Tally(table, counts.domain, (None,), counts.ordered, n_raters))

    def width(self, n_units: int, n_raters: int, n_data_sets: int, options: Options) -> float:
        """Find the mean width of the interval over simulated data sets."""
        seed = options.ci.seed if options.ci else 0
        widths = []
        for i in range(n_data_sets):
            [estimate] = estimates(self.draw(n_units, n_raters, seed, i), [ALPHA], options)
            if estimate.confidence_interval is not None and not math.isnan(estimate.confidence_interval.low):
                widths.append(estimate.confidence_interval.high - estimate.confidence_interval.low)
        return math.fsum(widths) / len(widths) if widths else math.nan


def _size(
    model: Model, n_raters: int, width: float | None, units: int | None, n_data_sets: int, options: Options
) -> tuple[int, float]:
    """Find the number of units, and the mean width that it gives; width falls about as the root of units."""
    n = units or 100
    mean = model.width(n, n_raters, n_data_sets, options)
    if width is None:
        return n, mean
    for _ in range(8):
        if abs(mean / width - 1) <= CLOSE or (n == MOST_UNITS and mean > width):
            break
        n = min(MOST_UNITS, max(4, math.ceil(n * (mean / width) ** 2)))
        mean = model.width(n, n_raters, n_data_sets, options)
    return n, mean


def _between(number: float, name: str, low: float, high: float) -> float:
    if isinstance(number, bool) or not isinstance(number, Real):
        raise TypeError(f"{name} must be a number, not {type(number).__name__}")
    if not low < number < high:
        raise KappaxError(f"{name} must lie between {low:g} and {high:g}: {number}")
    return float(number)
