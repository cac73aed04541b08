"""What the Rust core offers: numbers in, numbers out. Labels and words are Python's."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Clusters",
    "Level",
    "Outcome",
    "PairCounts",
    "Tally",
    "alpha_of_pairs",
    "analyse",
    "analyse_slices",
    "binomial",
    "bounded",
    "coincidences",
    "count",
    "cronbach",
    "encode",
    "half_correlations",
    "interval",
    "mean_correlation",
    "one_way",
    "permute",
    "philox_words",
    "resample",
    "standard_error",
]

@final
class Level:
    def __new__(
        cls,
        word: str,
        *,
        values: NDArray[np.float64] | None = None,
        matrix: NDArray[np.float64] | None = None,
        period: float | None = None,
        limits: tuple[float, float] | None = None,
    ) -> Level: ...

@final
class Tally:
    n_units: int
    n_patterns: int
    n_pools: int
    n_values: int
    most_ratings: int
    @staticmethod
    def from_long(
        unit: NDArray[np.int64],
        pool: NDArray[np.uint32],
        value: NDArray[np.uint32],
        count: NDArray[np.uint64] | None,
        n_units: int,
        n_pools: int,
        n_values: int,
    ) -> Tally: ...
    @staticmethod
    def from_matrix(codes: NDArray[np.int32], n_values: int) -> Tally: ...
    @staticmethod
    def from_counts(counts: NDArray[np.uint32]) -> Tally: ...
    @staticmethod
    def from_patterns(patterns: NDArray[np.uint32], multiplicity: NDArray[np.uint64]) -> Tally: ...
    @staticmethod
    def from_bytes(data: bytes) -> Tally: ...
    def patterns(self) -> NDArray[np.uint32]: ...
    def multiplicity(self) -> NDArray[np.uint64]: ...
    def values_used(self) -> NDArray[np.uint64]: ...
    def merge(self, other: Tally) -> Tally: ...
    def map_values(self, codes: NDArray[np.uint32], n_values: int) -> Tally: ...
    def map_pools(self, codes: NDArray[np.uint32], n_pools: int) -> Tally: ...
    def shared(self, pools: Sequence[int]) -> Tally: ...
    def to_bytes(self) -> bytes: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Clusters:
    @staticmethod
    def from_long(
        cluster: NDArray[np.int64],
        unit: NDArray[np.int64],
        pool: NDArray[np.uint32],
        value: NDArray[np.uint32],
        count: NDArray[np.uint64] | None,
        n_clusters: int,
        n_pools: int,
        n_values: int,
    ) -> Clusters: ...

@final
class PairCounts:
    n_units: int
    def estimate(self, coefficient: str, level: Level) -> Outcome: ...

@final
class Outcome:
    estimate: float
    observed: float
    expected: float
    n_units: int
    n_pairable: int
    reason: str | None
    jackknife: tuple[float, float] | None
    replicates: NDArray[np.float64] | None
    errors: NDArray[np.float64] | None

def analyse(
    tally: Tally,
    coefficients: Sequence[tuple[str, Sequence[int], float]],
    levels: Sequence[Level],
    *,
    n_resamples: int = 0,
    seed: int = 0,
    method: str = "percentile",
    clusters: Clusters | None = None,
    pool_of_rater: Sequence[int] | None = None,
    units: bool = True,
    n_threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> list[Outcome]: ...
def count(
    values: NDArray[Any] | list[NDArray[Any]],
    *,
    pools: list[int] | None = None,
    mask: NDArray[np.bool_] | None = None,
    missing: Sequence[float] = ...,
    estimate_only: bool = False,
    n_threads: int | None = None,
) -> tuple[Tally | PairCounts, NDArray[Any]] | None: ...
def analyse_slices(
    slices: tuple[
        int,
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.uint32] | None,
        NDArray[np.uint32],
        int,
        int,
    ],
    coefficients: Sequence[tuple[str, Sequence[int], float]],
    level: Level,
    *,
    jointly: bool = False,
    of_raters: bool = False,
    own_values: bool = True,
    n_resamples: int = 0,
    seed: int = 0,
    confidence_level: float = 0.95,
    method: str = "percentile",
    alternative: str = "two-sided",
    n_threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[NDArray[np.float64], list[str | None]]: ...
def alpha_of_pairs(
    tally: Tally,
    level: Level,
    pairing: str,
    n_resamples: int,
    seed: int,
    *,
    n_threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> NDArray[np.float64]: ...
def permute(
    tally: Tally,
    pool_of_rater: Sequence[int],
    permuted: str,
    coefficients: Sequence[tuple[str, Sequence[int], float]],
    levels: Sequence[Level],
    *,
    n_permutations: int,
    seed: int,
    n_threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[NDArray[np.float64], bool]: ...
def coincidences(tally: Tally) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def encode(
    values: NDArray[np.float64] | NDArray[np.int64] | NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[Any]]: ...
def interval(
    replicates: NDArray[np.float64],
    confidence_level: float,
    method: str,
    *,
    alternative: str = "two-sided",
    estimate: float = ...,
    errors: NDArray[np.float64] | None = None,
    jackknife: tuple[float, float] = ...,
) -> tuple[float, float, int, str | None]: ...
def standard_error(replicates: NDArray[np.float64]) -> float: ...
def mean_correlation(tally: Tally, values: NDArray[np.float64]) -> float: ...
def one_way(tally: Tally, values: NDArray[np.float64]) -> float: ...
def cronbach(tally: Tally, values: NDArray[np.float64]) -> float: ...
def half_correlations(
    tally: Tally,
    values: NDArray[np.float64],
    n_halvings: int,
    seed: int,
    *,
    n_threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> NDArray[np.float64]: ...
def philox_words(seed: int, purpose: int, replicate: int, n: int) -> NDArray[np.uint64]: ...
def resample(multiplicity: NDArray[np.uint64], seed: int, purpose: int, replicate: int) -> NDArray[np.uint64]: ...
def binomial(n: int, a: int, c: int, seed: int, purpose: int, replicate: int, size: int) -> NDArray[np.uint64]: ...
def bounded(n: int, seed: int, purpose: int, replicate: int, size: int) -> NDArray[np.uint64]: ...
