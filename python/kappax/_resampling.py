"""What a bootstrap draws: units or the clusters that they come in, raters, or both; as the core takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kappax import _core
from kappax.errors import KappaxError, RatingsError
from kappax.methods import PAIRS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kappax.methods import Bootstrap
    from kappax.ratings import By, Ratings, Source, Tally

OF_NAMED_RATERS = ("cohen_kappa", "light_kappa", "conger_kappa", "iota")
"""Coefficients that speak of the raters that there are, so that no others can be drawn."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What to draw from, and the word for it in results."""

    word: str
    table: _core.Tally
    clusters: _core.Clusters | None = None
    pool_of_rater: list[int] | None = None
    units: bool = True


def what_is_drawn(ci: Bootstrap | None, tally: Tally, by: By, source: Source, names: Sequence[str]) -> Drawn:
    """Give the core what `ci` draws from: counts by rater where raters are drawn, clusters where there are any."""
    resample = "units" if ci is None else ci.resample
    if resample in PAIRS:
        _check_pairs(resample, source, names)
        return Drawn(resample, tally.table)
    if resample == "units" and not source.is_clustered:
        return Drawn("units", tally.table)
    ratings = source.ratings
    if resample == "units":
        return Drawn("clusters", tally.table, _clusters(ratings, by))
    for name in names:
        if name in OF_NAMED_RATERS:
            raise KappaxError(
                f"{name} is of named raters, so others cannot be drawn, take resample='units': {resample!r}"
            )
    check_raters(ratings, f"resample={resample!r}")
    clusters = _clusters(ratings, "rater") if resample == "both" and source.is_clustered else None
    word = resample if clusters is None else "clusters and raters"
    return Drawn(word, ratings.tally("rater").table, clusters, pool_of_rater(ratings, by), units=resample == "both")


def check_raters(ratings: Ratings, what: str) -> None:
    """Refuse ratings that do not say who rated."""
    if ratings.rater is None:
        raise RatingsError(f"{what} needs to know who rated, name the column as rater=: {ratings!r}")


def _check_pairs(resample: str, source: Source, names: Sequence[str]) -> None:
    """Refuse what the older bootstraps were not made for."""
    for name in names:
        if name != "krippendorff_alpha" or len(names) > 1:
            raise KappaxError(f"resample={resample!r} is for Krippendorff's alpha of one pool alone, not for {name}")
    if source.is_clustered:
        raise KappaxError(f"resample={resample!r} takes pairs as independent and knows no clusters")


def pool_of_rater(ratings: Ratings, by: By) -> list[int]:
    """Give the pool of each rater; who rated nothing is in the first, where it does no harm."""
    if by == "rater":
        return list(range(len(ratings.raters)))
    pool, _ = ratings.grouping(by)
    found = np.zeros(len(ratings.raters), dtype=np.uint32)
    found[ratings.rater] = pool
    return found.tolist()


def _clusters(ratings: Ratings, by: By) -> _core.Clusters | None:
    if ratings.cluster is None:
        return None
    pool, pools = ratings.grouping(by)
    sizes = len(ratings.clusters), len(pools), len(ratings.domain)
    return _core.Clusters.from_long(ratings.cluster, ratings.unit, pool, ratings.value, ratings.count, *sizes)
