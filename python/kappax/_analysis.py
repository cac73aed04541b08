"""The way that every coefficient goes: a Tally and what is asked of it, through the core, to Estimates.

One call of the core computes all that is asked, on the same resamples.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from kappax import _core
from kappax._dense import PairCounts, count_matrix
from kappax._resampling import what_is_drawn
from kappax.errors import KappaxError, LevelError, UndefinedCoefficientWarning
from kappax.levels import Level, LevelLike, resolve
from kappax.methods import PAIRS, Bootstrap
from kappax.ratings import Ratings, Source, Tally, as_ratings, as_tally
from kappax.results import Estimate, Jackknife, title

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kappax.ratings import By

Progress: TypeAlias = Callable[[int, int], Any]

REASONS = {
    "no_pairs": "no unit holds two ratings that can be compared",
    "no_variation": "expected disagreement is zero: all ratings that can be compared have the same value",
    "undefined_pair": "Cohen's kappa is undefined for at least one pair of raters",
    "undefined_irr": "the reliability of a pool is undefined",
    "irr_not_positive": "the reliability of a pool is zero or negative, so there is no root to divide by",
    "undefined_cross": "kappa_x is undefined",
    "undefined_term": "one of the two coefficients is undefined",
    "zero_term": "the coefficient that is divided by is zero",
    "out_of_range": "differences between the values are too large or too small for double precision",
}

NOMINAL = Level("nominal")

MOST_THREADS = 1024
"""More than any machine has cores for; asking for more is no mistake, since the result does not depend on it."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to compute: the same words in every public function."""

    ci: Bootstrap | None = None
    n_threads: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.ci is not None and not isinstance(self.ci, Bootstrap):
            raise TypeError(f"ci must be a kx.Bootstrap, such as ci=kx.Bootstrap(1000, seed=1): {self.ci!r}")
        if self.n_threads is not None:
            if isinstance(self.n_threads, bool) or not isinstance(self.n_threads, int | np.integer):
                raise TypeError(f"n_threads must be a whole number or None, not {type(self.n_threads).__name__}")
            if self.n_threads < 1:
                raise KappaxError(f"n_threads must be at least 1: {self.n_threads}")
            object.__setattr__(self, "n_threads", int(min(self.n_threads, MOST_THREADS)))  # the class is frozen
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress must be a function of (done, total): {self.progress!r}")


@dataclass(frozen=True, slots=True)
class Asked:
    """One coefficient asked for.

    `word` and `pools` are the core's; `name` and `labels` (of the pools that were compared) the reader's.
    """

    name: str
    word: str
    pools: Sequence[int]
    labels: tuple[Hashable, ...] = ()
    number: float = 0.0
    reasons: dict[str, str] | None = None

    def reason(self, word: str | None) -> str | None:
        """Say in a sentence why the coefficient is undefined."""
        return None if word is None else {**REASONS, **(self.reasons or {})}[word]


@dataclass(frozen=True, slots=True)
class Data:
    """What coefficients are computed from: counts, what makes a pool in them, and whom to ask for more."""

    counts: Tally | PairCounts
    by: By
    source: Source
    level: Level = NOMINAL
    words: tuple[LevelLike, float | None, tuple[float, float] | None] = ("nominal", None, None)

    def at(self, level: LevelLike, period: float | None, limits: tuple[float, float] | None) -> Data:
        """Make a level ready for the domain of the counts."""
        counts = self.counts
        found = resolve(level, counts.domain, ordered=counts.ordered, period=period, limits=limits)
        if found.word == "ratio" and (found.arguments["values"] < 0).any():
            _refuse_negative(counts, self.source, found.arguments["values"] < 0)
        return replace(self, level=found, words=(level, period, limits))


def read(
    data: Any,
    by: By,
    level: LevelLike,
    domain: Any,
    period: float | None,
    limits: tuple[float, float] | None,
    *,
    estimate_only: bool = False,
) -> Data:
    """Give what a caller handed in as counts, with a level ready for their domain."""
    counts: Tally | PairCounts | None = None
    if estimate_only and by is None:
        counts = count_matrix(data, domain, estimate_only=True)
    if counts is None:
        counts = as_tally(data, by, domain)
    return Data(counts, by, Source(lambda: as_ratings(data, domain), data)).at(level, period, limits)


def check_ratio(level: Level, domain: Sequence[Hashable]) -> None:
    """Refuse negative values at level "ratio" where no rating can be named."""
    if level.word == "ratio" and (negative := level.arguments["values"] < 0).any():
        raise LevelError(f"level 'ratio' needs values of 0 or more: {domain[int(np.argmax(negative))]!r}")


def _refuse_negative(counts: Tally | PairCounts, source: Source, negative: NDArray[np.bool_]) -> None:
    """Name the first rating with a negative value, or the value where no rating can be named.

    A value that was only declared is refused too: the largest difference of the domain would rest on it.
    """
    value = counts.domain[int(np.argmax(negative))]
    data: Ratings | None = None
    with suppress(KappaxError):  # a tally does not know who rated
        data = source.ratings
    if data is None or not negative[data.value].any():
        raise LevelError(f"level 'ratio' needs values of 0 or more: {value!r}")
    i = int(np.argmax(negative[data.value]))
    raise LevelError(f"level 'ratio' needs values of 0 or more, {data.place(i)}: {data.domain[data.value[i]]!r}")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an estimate comes from: what was asked together of which data, and its place among that."""

    data: Data
    asked: tuple[Asked, ...]
    place: int
    ci: Bootstrap


def estimates(
    data: Data, asked: Sequence[Asked], options: Options, levels: Sequence[Level] | None = None
) -> list[Estimate]:
    """Compute what is asked of data, each at a level of its own if there are `levels`."""
    ci, counts = options.ci, data.counts
    if isinstance(counts, PairCounts):
        found = [counts.table.estimate(each.word, data.level.to_core()) for each in asked]
        return [_estimate(data, each, None, "units", outcome) for each, outcome in zip(asked, found, strict=True)]
    drawn = what_is_drawn(ci, counts, data.by, data.source, [each.name for each in asked])
    if ci is not None and ci.resample in PAIRS:
        return [_of_pairs(data, drawn.table, asked[0], options)]
    outcomes = _core.analyse(
        drawn.table,
        [(each.word, list(each.pools), each.number) for each in asked],
        [level.to_core() for level in levels or [data.level]],
        n_resamples=0 if ci is None else ci.n_resamples,
        seed=0 if ci is None else ci.seed,
        method="percentile" if ci is None else ci.method,
        clusters=drawn.clusters,
        pool_of_rater=drawn.pool_of_rater,
        units=drawn.units,
        n_threads=options.n_threads,
        progress=options.progress,
    )
    each_at = [data] * len(asked) if levels is None else [replace(data, level=level) for level in levels]
    answers = zip(each_at, asked, outcomes, strict=True)
    results = [_estimate(own, each, ci, drawn.word, outcome) for own, each, outcome in answers]
    if ci is None:
        return results
    return [replace(estimate, origin=Origin(data, tuple(asked), i, ci)) for i, estimate in enumerate(results)]


def _of_pairs(data: Data, table: _core.Tally, asked: Asked, options: Options) -> Estimate:
    """Compute alpha, with replicates of one of the older bootstraps."""
    ci, level = cast("Bootstrap", options.ci), data.level.to_core()
    [outcome] = _core.analyse(table, [(asked.word, list(asked.pools), 0.0)], [level])
    replicates = _core.alpha_of_pairs(
        table,
        level,
        ci.resample,
        ci.n_resamples,
        ci.seed,
        n_threads=options.n_threads,
        progress=options.progress,
    )
    return _estimate(data, asked, ci, ci.resample, outcome, replicates)


def _estimate(
    data: Data,
    asked: Asked,
    ci: Bootstrap | None,
    resample: str,
    outcome: _core.Outcome,
    replicates: NDArray[np.float64] | None = None,
) -> Estimate:
    tally, level = data.counts, data.level
    replicates = outcome.replicates if replicates is None else replicates
    jackknife = None if outcome.jackknife is None else Jackknife(*outcome.jackknife)
    error = None if jackknife is None or math.isnan(jackknife.standard_error) else jackknife.standard_error
    if replicates is not None:
        error = _core.standard_error(replicates)
    estimate = Estimate(
        coefficient=asked.name,
        level=level.word,
        estimate=outcome.estimate,
        observed=outcome.observed,
        expected=outcome.expected,
        n_units=outcome.n_units,
        n_raters=tally.n_raters if len(asked.labels) in {0, len(tally.pools)} else None,  # not told by pool
        n_pairable=outcome.n_pairable,
        n_dropped=tally.n_units - outcome.n_units,
        domain=tally.domain,
        reason=asked.reason(outcome.reason),
        standard_error=error,
        jackknife=jackknife,
        replicates=replicates,
        errors=outcome.errors,
        seed=None if ci is None else ci.seed,
        scale=level.scale,
        resample=None if ci is None else resample,
        pools=asked.labels,
    )
    return estimate if ci is None else estimate.with_interval(ci)


def warn_if_undefined(results: Sequence[Estimate], stacklevel: int = 3) -> None:
    """Warn once for each coefficient that is NaN, at the line that called kappax."""
    for result in results:
        if result.reason is not None:
            where = f" ({', '.join(map(str, result.pools))})" if result.pools else ""
            message = f"{title(result.coefficient)}{where} is undefined: {result.reason}"
            warnings.warn(message, UndefinedCoefficientWarning, stacklevel=stacklevel)
