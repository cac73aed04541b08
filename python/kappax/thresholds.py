"""How sure it is that a coefficient reaches a cut: shares of the replicates, never a bare word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._result import TIE, Result, html_table, number, percent, text_table
from kappax.errors import KappaxError
from kappax.methods import choose
from kappax.scales import SCALES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from kappax.results import Estimate

__all__ = ["CUSTOMARY", "Interpretation", "Thresholds", "interpretation", "probability", "thresholds"]

CUSTOMARY = (0.5, 0.6, 0.667, 0.7, 0.8, 0.9)
"""Cuts that are reported by custom, those of the KALPHA macro."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Thresholds(Result):
    """The probability that a coefficient reaches each of some cuts.

    Attributes
    ----------
    coefficient : str
        What was asked about, as people write it.
    estimate : float
        The estimate.
    cuts : tuple of float
        In ascending order.
    above, below : tuple of float
        For each cut the share of the replicates at or above it, and below it; NaN where `reason` says why.
    n_used : int
        Replicates that the shares are of.
    resample : str or None
        What was drawn, and so what the shares speak of.
    reason : str or None
        Why there are no shares.
    """

    coefficient: str
    estimate: float
    cuts: tuple[float, ...]
    above: tuple[float, ...]
    below: tuple[float, ...]
    n_used: int
    resample: str | None
    reason: str | None = None

    def __repr__(self) -> str:
        shares = ", ".join(f"{cut:g}: {share:.3f}" for cut, share in zip(self.cuts, self.above, strict=True))
        return f"Thresholds({self.coefficient!r}, above={{{shares}}})"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows])])

    def _repr_html_(self) -> str:
        return html_table(self.heading(), *self.table())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        return _heading(self.coefficient, self.estimate, self.n_used, self.resample, self.reason)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        rows = zip(self.cuts, self.above, self.below, strict=True)
        return ["cut", "at or above", "below"], [[f"{cut:g}", _share(p), _share(q)] for cut, p, q in rows]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Interpretation(Result):
    """The words of a scale, each with the probability that the coefficient is in its range.

    Attributes
    ----------
    coefficient : str
        What was asked about, as people write it.
    estimate : float
        The estimate.
    scale, source : str
        Whose scale it is, and where it was published.
    words, ranges : tuple of str
        From the lowest range to the highest.
    probabilities : tuple of float
        For each word the share of the replicates in its range; NaN where `reason` says why.
    n_used : int
        Replicates that the shares are of.
    resample : str or None
        What was drawn, and so what the shares speak of.
    reason : str or None
        Why there are no shares.
    """

    coefficient: str
    estimate: float
    scale: str
    source: str
    words: tuple[str, ...]
    ranges: tuple[str, ...]
    probabilities: tuple[float, ...]
    n_used: int
    resample: str | None
    reason: str | None = None

    def __repr__(self) -> str:
        shares = ", ".join(f"{word!r}: {p:.3f}" for word, p in zip(self.words, self.probabilities, strict=True))
        return f"Interpretation({self.coefficient!r}, {self.scale!r}, {{{shares}}})"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows])])

    def _repr_html_(self) -> str:
        return html_table(self.heading(), *self.table())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        return _heading(self.coefficient, self.estimate, self.n_used, self.resample, self.reason)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        rows = zip(self.words, self.ranges, self.probabilities, strict=True)
        return [self.scale, "range", "probability"], [[word, where, _share(p)] for word, where, p in rows]


def probability(estimate: Estimate, above: float | None, below: float | None) -> float:
    """Find the share of the replicates at or above a cut, or below it; what `Estimate.probability` does."""
    given = [cut for cut in (above, below) if cut is not None]
    if len(given) != 1:
        raise KappaxError(f"say one of above= and below=: {above} and {below}")
    cut = _cut(given[0], "above" if below is None else "below")
    used = _used(estimate)
    if not used.size:
        return math.nan
    at_or_above = float(np.mean(used >= cut - _margin(cut)))
    return at_or_above if below is None else 1.0 - at_or_above


def thresholds(estimate: Estimate, coefficient: str, cuts: Sequence[float]) -> Thresholds:
    """Tabulate the probability of reaching each cut; what `Estimate.thresholds` does."""
    checked = sorted(_cut(cut, "each of cuts") for cut in cuts)
    above = tuple(probability(estimate, cut, None) for cut in checked)
    return Thresholds(
        coefficient=coefficient,
        estimate=estimate.estimate,
        cuts=tuple(checked),
        above=above,
        below=tuple(1.0 - share for share in above),
        **_rest_on(estimate),
    )


def interpretation(estimate: Estimate, coefficient: str, scale: str) -> Interpretation:
    """Give the probability of each word of a scale; what `Estimate.interpret` does."""
    found = SCALES[choose(scale, tuple(SCALES), "scale")]
    used = _used(estimate)
    sign = -1.0 if found.includes == "above" else 1.0  # which way replicates that tie with a cut go
    edges = np.array([cut + sign * _margin(cut) for cut in found.cuts])
    places = np.searchsorted(edges, used, side="left" if found.includes == "below" else "right")
    counts = np.bincount(places, minlength=len(found.words))
    return Interpretation(
        coefficient=coefficient,
        estimate=estimate.estimate,
        scale=found.name,
        source=found.source,
        words=found.words,
        ranges=tuple(found.ranges()),
        probabilities=tuple(float(n / used.size) if used.size else math.nan for n in counts),
        **_rest_on(estimate),
    )


def _used(estimate: Estimate) -> NDArray[np.float64]:
    """Return the replicates that are defined; none where the estimate is not."""
    if estimate.replicates is None:
        raise KappaxError(
            "a probability needs replicates, since an estimate alone says nothing of how sure it is: "
            "pass ci=kappax.Bootstrap(...) first"
        )
    replicates: NDArray[np.float64] = estimate.replicates
    return replicates[~np.isnan(replicates) & (not math.isnan(estimate.estimate))]


def _rest_on(estimate: Estimate) -> dict[str, Any]:
    n_used = _used(estimate).size
    reason = estimate.reason if math.isnan(estimate.estimate) else None
    if not n_used and reason is None:
        reason = "the coefficient is undefined on every resample"
    return {"n_used": n_used, "resample": estimate.resample, "reason": reason}


def _margin(cut: float) -> float:
    return TIE * max(1.0, abs(cut))


def _cut(cut: float, what: str) -> float:
    if isinstance(cut, bool | str) or not hasattr(cut, "__float__"):
        raise TypeError(f"{what} must be a number, not {type(cut).__name__}")
    if not math.isfinite(cut):
        raise KappaxError(f"{what} must be a finite number: {cut}")
    return float(cut)


def _share(p: float) -> str:
    return "undefined" if math.isnan(p) else percent(round(p, 4))


def _heading(coefficient: str, estimate: float, n_used: int, resample: str | None, reason: str | None) -> str:
    if reason is not None:
        return f"{coefficient}: undefined ({reason})"
    return f"{coefficient}: {number(estimate)}; shares of {n_used:,} resamples of {resample}"
