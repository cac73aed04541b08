"""What comes back: frozen results that read well in a terminal, a notebook and a JSON file.

Every result has a one-line ``repr``, a ``str`` for people, ``_repr_html_`` for notebooks and ``to_dict()``
for programs. Numbers inside stay at full precision; only ``str`` and HTML round.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from kappax import _core
from kappax import thresholds as _thresholds
from kappax._result import (
    TIE,
    Result,
    count,
    html_table,
    number,
    percent,
    plain,
    read_only,
    rebuild,
    sentence,
    text_of_rows,
    text_table,
)
from kappax.errors import KappaxError
from kappax.methods import ALTERNATIVES, INTERVAL_METHODS, check_confidence_level, check_method, choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kappax.methods import Bootstrap
    from kappax.thresholds import Interpretation, Thresholds

__all__ = ["Coincidences", "CrossReplication", "Estimate", "Interval", "Jackknife"]

TITLES = {
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "scott_pi": "Scott's pi",
    "cohen_kappa": "Cohen's kappa",
    "conger_kappa": "Conger's kappa",
    "light_kappa": "Light's kappa",
    "iota": "iota",
    "cross_kappa": "kappa_x",
    "normalized_cross_kappa": "normalized kappa_x",
    "group_association": "group association index",
}
"""Coefficients as people write them; any other is its own word with spaces."""

SCALES = {
    "values": ", on the values themselves",
    "ranks": ", on the ranks of the domain",
    "text": ", values in the order of text (state domain= for another)",
}

SHARES = ("percent_agreement", "gwet_ac", "brennan_prediger")
"""Coefficients whose disagreements are shares of the largest that the domain allows."""

DIFFERENCES: dict[str, Callable[[float, float], float]] = {
    "linear": lambda a, b: b - a,
    "interval": lambda a, b: _square(b - a),
    "ratio": lambda a, b: _square((b - a) / (b + a or 1.0)),  # two zeros are no step apart
}
"""Squared differences of two values a < b, at levels where closer values differ less."""

LACKING = {
    "no_estimate": "the estimate is undefined",
    "no_replicates": "the coefficient is undefined on every resample",
    "degenerate": "the replicates do not vary",
    "no_jackknife": "the coefficient is undefined without some unit, so that it has no jackknife",
    "outside": "all replicates lie on one side of the estimate",
    "extreme_acceleration": "single units weigh so much that the correction has no end",
}
"""Why an interval has no limits, by the core's word."""

FRAMES = ("polars", "pandas", "pyarrow")

SHOWN_VALUES = 10
"""A table of coincidences prints no more rows and columns than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Interval(Result):
    """A confidence interval and how it was made.

    Attributes
    ----------
    low, high : float
        The limits; NaN where `reason` says why. A one-sided interval has an infinite one.
    confidence_level : float
        As asked for, such as 0.95.
    method : str
        How limits were read off the replicates, such as "percentile".
    resample : str
        What was drawn with replacement: "units", "clusters", "raters", "both" (units and raters),
        "clusters and raters", or "pairs-krippendorff" or "pairs-kalpha" (pairs of ratings).
    n_resamples, n_used : int
        Resamples drawn, and those on which the coefficient was defined and which the limits rest on.
    alternative : {"two-sided", "greater", "less"}
        Which limits there are: "greater" has the lower one, "less" the upper one.
    reason : str or None
        Why the limits are NaN.
    """

    low: float
    high: float
    confidence_level: float
    method: str
    resample: str
    n_resamples: int
    n_used: int
    alternative: str = "two-sided"
    reason: str | None = None

    def __str__(self) -> str:
        side = "" if self.alternative == "two-sided" else " one-sided"
        return f"{_limits(self)}, {percent(self.confidence_level)}{side} {self.method} interval"

    def _repr_html_(self) -> str:
        return f"<span>{escape(str(self))}</span>"


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife(Result):
    """What leaving out one unit (or one cluster) at a time says of a coefficient.

    Attributes
    ----------
    standard_error : float
        The standard error.
    acceleration : float
        A sixth of the skewness of what single units contribute, which BCa intervals are corrected by.

    Both are NaN where the coefficient is undefined without some unit.

    References
    ----------
    Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman and Hall.
    """

    standard_error: float
    acceleration: float


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Estimate(Result):
    """One coefficient, with what it was computed from.

    ``float(e)`` is the estimate, ``f"{e:.3f}"`` formats it.

    Attributes
    ----------
    coefficient, level : str
        Which coefficient, and the level of measurement ("custom" for a matrix or a callable).
    estimate : float
        1 - observed / expected; NaN where `reason` says why.
    observed, expected : float
        The two disagreements, in the units of the level's squared difference.
    n_units, n_pairable : int
        Units that entered, and the ratings in them that could be paired.
    n_raters : int or None
        Raters who gave those ratings; None where ratings are anonymous.
    n_dropped : int
        Units that were left out because they hold no pair.
    domain : tuple
        The values that could occur, in order.
    reason : str or None
        Why `estimate` is NaN.
    confidence_interval : Interval or None
        None unless an interval was asked for.
    standard_error : float or None
        Standard deviation of the replicates where there are any, else the jackknife's; None where neither can be
        had: for a coefficient that is undefined without some unit, and without `ci=` for data whose jackknife would
        take longer than the estimate by far (very many different units).
    jackknife : Jackknife or None
        Standard error and acceleration by leaving out one unit at a time; None where that was not done.
    replicates : (n_resamples,) float64 array or None
        The coefficient on each resample, NaN where it is undefined. Read-only; not part of ``==`` and
        `to_dict`.
    errors : (n_resamples,) float64 array or None
        The jackknife's standard error on each resample, for studentized intervals. Read-only, as `replicates`.
    seed : int or None
        The seed that repeats the replicates.
    scale : {"values", "ranks", "text"} or None
        Whether a numeric level used the values themselves or the ranks 0..K-1 of the domain; "text" where level
        "ordinal" had to take text in alphabetical order, because no domain was stated.
    resample : str or None
        What was resampled, in the words of `Interval`.
    pools : tuple
        The pools that were compared; empty where there is only one.

    Examples
    --------
    >>> import kappax as kx
    >>> alpha = kx.krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], ci=kx.Bootstrap(500, seed=7))
    >>> print(alpha)
    Krippendorff's alpha, nominal level
      estimate      0.5333
      interval      [-0.4000, 1.0000]  95%, percentile
      std. error    0.4582, bootstrap
      resampling    500 resamples of units, seed 7; defined on 468 of them
      disagreement  observed 0.2500, expected 0.5357
      data          4 units, 8 pairable ratings, 2 raters
    >>> f"{alpha:.3f}", alpha.interval(confidence_level=0.9).confidence_level
    ('0.533', 0.9)
    """

    coefficient: str
    level: str
    estimate: float
    observed: float
    expected: float
    n_units: int
    n_raters: int | None
    n_pairable: int
    n_dropped: int
    domain: tuple[Any, ...]
    reason: str | None = None
    confidence_interval: Interval | None = None
    standard_error: float | None = None
    jackknife: Jackknife | None = None
    replicates: NDArray[np.float64] | None = field(default=None, compare=False)
    errors: NDArray[np.float64] | None = field(default=None, compare=False)
    seed: int | None = None
    scale: str | None = None
    resample: str | None = None
    pools: tuple[Hashable, ...] = ()
    origin: Any = field(default=None, compare=False)  # what `compare` needs to draw it again beside another

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (Estimate, {f.name: getattr(self, f.name) for f in fields(self) if f.name != "origin"})

    def __post_init__(self) -> None:
        for name in ("replicates", "errors"):
            if (array := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_only(array))

    def interval(
        self, confidence_level: float = 0.95, method: str = "percentile", alternative: str = "two-sided"
    ) -> Interval:
        """Return another interval from the replicates that are there; nothing is drawn anew.

        Parameters
        ----------
        confidence_level : float, default 0.95
            Strictly between 0 and 1.
        method : {"percentile", "basic", "normal", "bca", "studentized"}
            How limits are made from the replicates, see `Bootstrap`. "studentized" needs replicates that were drawn
            for it, with ``ci=kx.Bootstrap(..., method="studentized")``.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            "greater" gives the lower limit alone, "less" the upper one.

        Returns
        -------
        Interval
            NaN with a `reason` where the method has nothing to go by, such as replicates that are all equal.

        Raises
        ------
        KappaxError
            If there are no replicates (or not what the method needs besides), or an argument is out of range.
        """
        level = check_confidence_level(confidence_level)
        choose(method, INTERVAL_METHODS, "method")
        choose(alternative, ALTERNATIVES, "alternative")
        check_method(method, self.resample or "units")
        if self.replicates is None:
            raise KappaxError("no replicates to make an interval from: pass ci=kappax.Bootstrap(...) first")
        if (method == "bca" and self.jackknife is None) or (method == "studentized" and self.errors is None):
            raise KappaxError(
                f"these replicates were drawn without the jackknife that {method!r} needs: "
                f"pass ci=kappax.Bootstrap(..., method={method!r})"
            )
        jackknife = self.jackknife or Jackknife(math.nan, math.nan)
        low, high, n_used, lacking = _core.interval(
            self.replicates,
            level,
            method,
            alternative=alternative,
            estimate=self.estimate,
            errors=self.errors,
            jackknife=(jackknife.standard_error, jackknife.acceleration),
        )
        resample, reason = self.resample or "units", None if lacking is None else LACKING[lacking]
        return Interval(low, high, level, method, resample, len(self.replicates), n_used, alternative, reason)

    def with_interval(self, ci: Bootstrap) -> Estimate:
        """Return the same result with the interval that `ci` asks for."""
        return replace(self, confidence_interval=self.interval(ci.confidence_level, ci.method, ci.alternative))

    def probability(self, *, above: float | None = None, below: float | None = None) -> float:
        """Return how sure it is that the coefficient reaches a cut: the share of the replicates that do.

        Parameters
        ----------
        above, below : float
            One of the two: the share at or above the cut, or the share below it. Replicates no further from the cut
            than 2^-40 max(1, |cut|) are at it. The two add up to 1.

        Returns
        -------
        float
            Of what was resampled: the probability speaks of other units rated by these raters unless raters were
            drawn too. NaN where the coefficient is undefined, or is on every resample.

        Raises
        ------
        KappaxError
            If there are no replicates, or not exactly one cut.

        References
        ----------
        Hayes, A. F. and Krippendorff, K. (2007). doi:10.1080/19312450709336664 (q, the probability of failing to
        achieve an alpha of at least alpha_min).

        Examples
        --------
        >>> import kappax as kx
        >>> alpha = kx.krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], ci=kx.Bootstrap(500, seed=7))
        >>> alpha.probability(above=0.667) + alpha.probability(below=0.667)
        1.0
        """
        return _thresholds.probability(self, above, below)

    def thresholds(self, cuts: Sequence[float] = _thresholds.CUSTOMARY) -> Thresholds:
        """Return the probability of reaching each of some cuts, as `probability` gives it.

        Parameters
        ----------
        cuts : sequence of float, default (0.5, 0.6, 0.667, 0.7, 0.8, 0.9)
            The default are those of the KALPHA macro.

        Returns
        -------
        Thresholds

        Raises
        ------
        KappaxError
            If there are no replicates.
        """
        return _thresholds.thresholds(self, title(self.coefficient), cuts)

    def interpret(self, scale: str = "landis-koch") -> Interpretation:
        """Return the words of a customary scale, each with the probability that the coefficient is in its range.

        Parameters
        ----------
        scale : {"landis-koch", "krippendorff", "altman", "fleiss", "cicchetti-sparrow"}
            Whose words. `kappax.scales.SCALES` holds their cuts and sources.

        Returns
        -------
        Interpretation
            A bare word would hide how unsure it is, so there is none without replicates.

        Raises
        ------
        KappaxError
            If there are no replicates, or no such scale.

        Examples
        --------
        >>> import kappax as kx
        >>> alpha = kx.krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], ci=kx.Bootstrap(500, seed=7))
        >>> print(alpha.interpret("krippendorff"))
        Krippendorff's alpha: 0.5333; shares of 468 resamples of units
          Krippendorff (2004)                 range  probability
          discard                       below 0.667       70.09%
          tentative conclusions only   0.667 to 0.8           0%
          reliable                    0.8 and above       29.91%
        """
        return _thresholds.interpretation(self, title(self.coefficient), scale)

    def p_of_zero(self) -> float:
        """Return the two-sided p value of the hypothesis that the coefficient is zero, from the replicates.

        min(1, 2 (min(a, b) + 1)/(B + 1)), where a and b of the B replicates that are defined are at most and at least
        zero; replicates that tie with zero are both. NaN where there are none.
        """
        used = np.array([]) if self.replicates is None else self.replicates[~np.isnan(self.replicates)]
        if not used.size or math.isnan(self.estimate):
            return math.nan
        one_sided = min(int((used <= TIE).sum()), int((used >= -TIE).sum()))
        return min(1.0, 2 * (one_sided + 1) / (used.size + 1))

    @property
    def reading(self) -> str | None:
        """A sentence on how to take the number where it surprises people; None where it does not."""
        if math.isnan(self.estimate):
            return sentence(self.reason or "the estimate is undefined")
        agreement = self._agreement_by_chance()
        if agreement is None or agreement < 0.8 or self.estimate > 0.2:
            return None
        share = math.floor(100 * agreement)
        return (
            f"At least {share}% of the ratings are one value, so that raters who guessed would agree about "
            "as often: agreement is high, but there is too little variation to show reliability."
        )

    def _agreement_by_chance(self) -> float | None:
        """Return a lower bound of the agreement by chance, and so of the share of the commonest value.

        Two values that differ are at least `step` apart, so the chance that they differ is at most
        expected / step; and sum p_k^2 <= max p_k. Ordinal differences move with the data and give no such
        bound, except for two values, which are always half of the ratings apart.
        """
        step = self._least_difference()
        # A mean of kappas, a ratio of coefficients and shares of the largest difference say nothing of that kind.
        in_units = not math.isnan(self.expected) and self.coefficient not in SHARES
        return 1.0 - self.expected / step if step is not None and in_units else None

    def _least_difference(self) -> float | None:
        K = len(self.domain)
        if self.level == "nominal":
            return 1.0
        if self.level == "ordinal" and K == 2:
            return (self.n_pairable / 2) ** 2
        difference = DIFFERENCES.get(self.level)
        if difference is None or K < 2:
            return None
        # Values that follow each other are the closest.
        values = sorted(map(float, self.domain)) if self.scale == "values" else list(map(float, range(K)))
        step = min(difference(a, b) for a, b in pairwise(values))
        # Values that are one as floats, or whose difference leaves the range of exact floats, give no bound.
        return step if sys.float_info.min <= step < math.inf else None

    def __float__(self) -> float:
        return self.estimate

    def __format__(self, spec: str) -> str:
        return format(self.estimate, spec) if spec else str(self)

    def __repr__(self) -> str:
        parts = [f"{self.coefficient!r}, {self.level!r}", f"estimate={self.estimate!r}"]
        if self.pools:
            parts.append(f"pools={self.pools!r}")
        if self.confidence_interval is not None:
            parts.append(f"confidence_interval={_limits(self.confidence_interval)}, seed={self.seed}")
        parts.append(f"n_units={self.n_units}, n_pairable={self.n_pairable}")
        if self.reason is not None:
            parts.append(f"reason={self.reason!r}")
        return f"Estimate({', '.join(parts)})"

    def __str__(self) -> str:
        return text_of_rows(self.heading(), self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.heading(), None, self.rows())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        pools = " of " + " and ".join(str(p) for p in self.pools) if self.pools else ""
        return f"{title(self.coefficient)}{pools}, {_level(self)}"

    def rows(self) -> list[tuple[str, str]]:
        """Return (name, text) for each line that `str` prints below the heading."""
        rows = [("estimate", number(self.estimate))]
        ci = self.confidence_interval
        if ci is not None:
            side = "" if ci.alternative == "two-sided" else ", one-sided"
            why = f" ({ci.reason})" if ci.reason else ""
            rows.append(("interval", f"{_limits(ci)}  {percent(ci.confidence_level)}, {ci.method}{side}{why}"))
        if self.standard_error is not None and not math.isnan(self.standard_error):
            how = "jackknife" if self.replicates is None else "bootstrap"
            rows.append(("std. error", f"{number(self.standard_error)}, {how}"))
        if ci is not None:
            used = "" if ci.n_used == ci.n_resamples else f"; defined on {ci.n_used:,} of them"
            rows.append(("resampling", f"{_resampled(ci, self.seed)}{used}"))
        if not (math.isnan(self.observed) and math.isnan(self.expected)):
            rows.append(("disagreement", f"observed {number(self.observed)}, expected {number(self.expected)}"))
        rows.append(("data", self._data()))
        if self.reading is not None:
            rows.append(("reading", self.reading))
        return rows

    def _data(self) -> str:
        raters = "" if self.n_raters is None else f", {count(self.n_raters, 'rater')}"
        dropped = f"; {count(self.n_dropped, 'unit')} left out" if self.n_dropped else ""
        ratings = count(self.n_pairable, "pairable rating")
        return f"{count(self.n_units, 'unit')}, {ratings}{raters}{dropped}"


class Pairs(dict[tuple[Hashable, Hashable], Estimate]):
    """A dict of pairs of pools that finds a pair in either order and yields it once."""

    __slots__ = ()

    def __missing__(self, pair: tuple[Hashable, Hashable]) -> Estimate:
        # Only pairs that are stored the other way round come here and are found.
        if isinstance(pair, tuple) and len(pair) == 2 and super().__contains__(pair[::-1]):
            return self[pair[::-1]]
        known = ", ".join(str(p) for p in self)
        raise KeyError(f"no such pair of pools (there are {known}): {pair!r}")

    def __contains__(self, pair: object) -> bool:
        return super().__contains__(pair) or (isinstance(pair, tuple) and super().__contains__(pair[::-1]))

    def get(self, pair: tuple[Hashable, Hashable], default: Any = None) -> Any:
        try:
            return self[pair]
        except KeyError:
            return default


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossReplication(Result):
    """How far pools of raters agree within themselves and with each other, from one joint analysis.

    All intervals come from the same resamples, so estimates may be compared replicate by replicate.

    Attributes
    ----------
    pools : tuple
        The pools' labels.
    irr : dict of pool to Estimate
        Reliability inside each pool.
    cross_kappa, normalized : dict of (pool, pool) to Estimate
        kappa_x, and kappa_x / sqrt(IRR_X IRR_Y). A pair is found in either order and iterated over once.

    Examples
    --------
    >>> import kappax as kx
    >>> rows = {"unit": [1, 1, 1, 2, 2, 2, 3, 3], "pool": list("xxyxyyxy"), "value": list("aabbabbb")}
    >>> result = kx.cross_replication(kx.Ratings.from_long(rows, unit="unit", pool="pool", value="value"))
    >>> result.cross_kappa["x", "y"] == result.cross_kappa["y", "x"]
    True
    """

    pools: tuple[Hashable, ...]
    irr: dict[Hashable, Estimate]
    cross_kappa: Mapping[tuple[Hashable, Hashable], Estimate]
    normalized: Mapping[tuple[Hashable, Hashable], Estimate]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cross_kappa", Pairs(self.cross_kappa))
        object.__setattr__(self, "normalized", Pairs(self.normalized))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: `irr` by pool, and two lists of pairs, each with its "pools"."""

        def listed(pairs: Mapping[tuple[Hashable, Hashable], Estimate]) -> list[dict[str, Any]]:
            return [{**e.to_dict(), "pools": plain(pair)} for pair, e in pairs.items()]

        return {
            "pools": plain(self.pools),
            "irr": {str(pool): {**e.to_dict(), "pools": plain((pool,))} for pool, e in self.irr.items()},
            "cross_kappa": listed(self.cross_kappa),
            "normalized": listed(self.normalized),
        }

    def to_frame(self, backend: str = "polars") -> Any:
        """Return one row an estimate, as a frame of the library that `backend` names.

        Parameters
        ----------
        backend : {"polars", "pandas", "pyarrow"}
            The library, which must be installed.

        Returns
        -------
        frame
            Columns coefficient, pool_x, pool_y (null for a reliability inside one pool), level, estimate,
            low, high, observed, expected, n_units, n_pairable, reason. Labels of pools are text.
        """
        choose(backend, FRAMES, "backend")
        rows = [_frame_row(pools, e) for pools, e in self._estimates()]
        columns = {name: [row[name] for row in rows] for name in FRAME_SCHEMA}
        frame = nw.from_dict(columns, schema=FRAME_SCHEMA, backend=backend)  # type: ignore[arg-type]
        return frame.to_native()

    def _estimates(self) -> Iterable[tuple[tuple[Hashable, ...], Estimate]]:
        yield from (((pool,), e) for pool, e in self.irr.items())
        yield from self.cross_kappa.items()
        yield from self.normalized.items()

    def __repr__(self) -> str:
        values = "; ".join(f"{x!r}, {y!r}: {e.estimate:.4f}" for (x, y), e in self.cross_kappa.items())
        return f"CrossReplication(pools={self.pools!r}, cross_kappa={{{values}}})"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows]), *self.notes()])

    def _repr_html_(self) -> str:
        header, rows = self.table()
        return html_table(self.heading(), header, rows, self.notes())

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        ci = self._interval()
        limits = [f"{percent(ci.confidence_level)} interval"] if ci else []
        header = ["", "estimate", *limits, "units", "ratings"]
        return header, [_cross_row(pools, e, with_interval=bool(ci)) for pools, e in self._estimates()]

    def notes(self) -> list[str]:
        """Return how the intervals were made, and why a number is missing or surprising, a line each."""
        ci = self._interval()
        seed = next((e.seed for _, e in self._estimates()), None)
        lines = [f"Intervals: {ci.method}, {_resampled(ci, seed)}."] if ci else []
        for pools, e in self._estimates():
            ci = e.confidence_interval
            if ci is not None and 0 < ci.n_used < ci.n_resamples:
                lines.append(f"{_row_name(pools, e)}: defined on {ci.n_used:,} of the resamples.")
            if e.reading is not None:
                lines.append(f"{_row_name(pools, e)}: {e.reading}")
        return lines

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        first = next((e for _, e in self._estimates()), None)
        return f"Cross-replication reliability, {_level(first) if first else 'no pools'}"

    def _interval(self) -> Interval | None:
        return next((e.confidence_interval for _, e in self._estimates() if e.confidence_interval), None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coincidences(Result):
    """Which values meet inside units, as observed and as chance would have them meet.

    Attributes
    ----------
    observed, expected : (K, K) float64 array
        Read-only; rows and columns in the order of `domain`. A row sums to the pairable ratings of its value.
    domain : tuple
        The K values.

    Examples
    --------
    >>> import kappax as kx
    >>> print(kx.coincidence_matrix([[1, 1], [2, 2], [1, 2], [2, 2]]))
    Coincidences: observed (expected)
                   1            2
      1  2.00 (0.86)  1.00 (2.14)
      2  1.00 (2.14)  4.00 (2.86)
    """

    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    domain: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "observed", read_only(self.observed))
        object.__setattr__(self, "expected", read_only(self.expected))

    def __repr__(self) -> str:
        return f"Coincidences({len(self.domain)} values, {self.observed.sum():g} pairable ratings)"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows])])

    def _repr_html_(self) -> str:
        return html_table(self.heading(), *self.table())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        K = len(self.domain)
        cut = "" if K <= SHOWN_VALUES else f", the first {SHOWN_VALUES} of {K} values"
        return f"Coincidences: observed (expected){cut}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        shown = range(min(len(self.domain), SHOWN_VALUES))
        labels = [str(self.domain[k]) for k in shown]
        cells = [[f"{self.observed[k, j]:.2f} ({self.expected[k, j]:.2f})" for j in shown] for k in shown]
        return ["", *labels], [[label, *row] for label, row in zip(labels, cells, strict=True)]


def _square(distance: float) -> float:
    return distance * distance  # ** raises where the square is too large


def title(coefficient: str) -> str:
    """Return a coefficient's word as people write it."""
    return TITLES.get(coefficient, coefficient.replace("_", " "))


FRAME_SCHEMA: dict[str, Any] = {
    "coefficient": nw.String,
    "pool_x": nw.String,
    "pool_y": nw.String,
    "level": nw.String,
    "estimate": nw.Float64,
    "low": nw.Float64,
    "high": nw.Float64,
    "observed": nw.Float64,
    "expected": nw.Float64,
    "n_units": nw.Int64,
    "n_pairable": nw.Int64,
    "reason": nw.String,
}


def _frame_row(pools: tuple[Hashable, ...], e: Estimate) -> dict[str, Any]:
    ci = e.confidence_interval
    row = {name: getattr(e, name) for name in FRAME_SCHEMA if hasattr(e, name)}
    labels = [str(pool) for pool in pools]
    return row | {
        "pool_x": labels[0],
        "pool_y": labels[1] if len(labels) > 1 else None,
        "low": None if ci is None else ci.low,
        "high": None if ci is None else ci.high,
    }


def _cross_row(pools: tuple[Hashable, ...], e: Estimate, *, with_interval: bool) -> list[str]:
    ci = e.confidence_interval
    limits = [_limits(ci) if ci else ""] if with_interval else []
    return [_row_name(pools, e), number(e.estimate), *limits, f"{e.n_units:,}", f"{e.n_pairable:,}"]


def _row_name(pools: tuple[Hashable, ...], e: Estimate) -> str:
    kind = f"IRR ({title(e.coefficient)})" if len(pools) == 1 else title(e.coefficient)
    return f"{kind}: {' ~ '.join(str(pool) for pool in pools)}"


def _limits(ci: Interval) -> str:
    if math.isnan(ci.low):
        return "[undefined]"
    left = "(-inf" if math.isinf(ci.low) else f"[{number(ci.low)}"
    right = "inf)" if math.isinf(ci.high) else f"{number(ci.high)}]"
    return f"{left}, {right}"


DRAWN = {
    "both": "units and raters",
    "pairs-krippendorff": "pairs of ratings as in Krippendorff (2016)",
    "pairs-kalpha": "pairs of ratings as in KALPHA",
}
"""What was drawn, where its word does not say it."""


def _resampled(ci: Interval, seed: int | None) -> str:
    return f"{ci.n_resamples:,} resamples of {DRAWN.get(ci.resample, ci.resample)}, seed {seed}"


def _level(e: Estimate) -> str:
    return f"{e.level} level{SCALES.get(e.scale or '', '')}"
