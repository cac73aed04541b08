"""`kappax demo`: published tables and a simulated experiment, computed and explained.

It needs no file and no network. The simulation draws from kappax's own random stream (purpose 2), so every
number that it prints is the same on every platform.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from kappax import _core
from kappax.coefficients import fleiss_kappa, krippendorff_alpha
from kappax.errors import UndefinedCoefficientWarning
from kappax.methods import Bootstrap
from kappax.ratings import Ratings, Tally
from kappax.replication import cross_kappa, cross_replication

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

SEED = 2021
"""Of the simulation and of its intervals."""

SIMULATED = 2
"""The purpose, in the sense of the random stream, of simulated data."""

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", data C: 4 raters (rows), 12 units.
KRIPPENDORFF_2011 = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
"""

# Fleiss (1971), doi:10.1037/h0031619, table 1: 30 patients (rows), each diagnosed by 6 psychiatrists as
# depression, personality disorder, schizophrenia, neurosis, other (counts of psychiatrists).
FLEISS_1971 = """
    0 0 0 6 0   0 3 0 0 3   0 1 4 0 1   0 0 0 0 6   0 3 0 3 0   2 0 4 0 0
    0 0 4 0 2   2 0 3 1 0   2 0 0 4 0   0 0 0 0 6   1 0 0 5 0   1 1 0 4 0
    0 3 3 0 0   1 0 0 5 0   0 2 0 3 1   0 0 5 0 1   3 0 0 1 2   5 1 0 0 0
    0 2 0 4 0   1 0 2 0 3   0 0 0 0 6   0 1 0 5 0   0 2 0 1 3   2 0 0 4 0
    1 0 0 4 1   0 5 0 1 0   4 0 0 0 2   0 2 0 4 0   1 0 5 0 0   0 0 0 0 6
"""

# Two small pools that rated the same five units, each unit as often as the pool liked.
POOL_X = {1: "BB", 2: "BBB", 3: "AA", 4: "AAA", 5: "AB"}
POOL_Y = {1: "BB", 2: "AB", 3: "AB", 4: "AB", 5: "AA"}


def run(write: Callable[[str], None]) -> None:
    """Compute all of it and hand it to `write`, piece by piece."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedCoefficientWarning)  # of resamples that hold no variation
        for section in (_krippendorff, _fleiss, _two_pools, _experiment):
            write(section())


def _krippendorff() -> str:
    ratings = Ratings.from_matrix(krippendorff_2011())
    published = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    lines = [
        f"  {level:<9} {krippendorff_alpha(ratings, level).estimate:.4f}   published {value}"
        for level, value in published.items()
    ]
    return _section(
        "1. Krippendorff (2011): alpha of 4 raters on 12 units, some ratings missing",
        *lines,
        "One table, four levels: alpha is 1 - observed/expected disagreement, and the level says how far",
        "apart two values are. 1 is perfect, 0 is what chance would give.",
    )


def _fleiss() -> str:
    counts = np.array(FLEISS_1971.split(), dtype=np.int64).reshape(30, 5)
    diagnoses = ("depression", "personality disorder", "schizophrenia", "neurosis", "other")
    kappa = fleiss_kappa(Tally.from_counts(counts, domain=diagnoses), ci=Bootstrap(2000, seed=SEED))
    return _section(
        "2. Fleiss (1971): 6 psychiatrists diagnose each of 30 patients (published: 0.430)",
        str(kappa),
        "The interval tells how far kappa might move if other patients had been seen. Running it again with",
        "the same seed gives the same bits, on any machine.",
    )


def _two_pools() -> str:
    x, y = (_matrix(pool) for pool in (POOL_X, POOL_Y))
    return _section(
        "3. Two pools, the same five units (by hand: observed 9/22, expected 1/2, kappa_x 2/11)",
        str(cross_kappa(x, y)),
        "kappa_x pairs each rating of one pool with each rating of the other pool: agreement across pools,",
        "beyond chance.",
    )


def _experiment() -> str:
    ratings = simulate()
    result = cross_replication(ratings, ci=Bootstrap(2000, seed=SEED))
    return _section(
        "4. A simulated experiment: 300 units with a hidden truth, yes or no; 5 crowd raters who are right",
        "   75% of the time, and 3 experts who are right 90% of the time",
        str(result),
        "The crowd is far less reliable than the experts (IRR). kappa_x lies between, because noise in",
        "either pool lowers it. Normalized kappa_x = kappa_x / sqrt(IRR x IRR) takes the noise out: near 1,",
        "both pools measure the same thing, and the crowd needs more raters, not other raters.",
    )


def krippendorff_2011() -> NDArray[np.float64]:
    """Return the units x raters matrix, NaN where there is no rating."""
    rows = [line.split() for line in KRIPPENDORFF_2011.split("\n") if line.strip()]
    return np.array([[np.nan if word == "." else float(word) for word in row] for row in rows]).T


def simulate(n_units: int = 300) -> Ratings:
    """Return what two pools say about units whose truth is known only to the simulation."""
    truth = _core.bounded(2, SEED, SIMULATED, 0, n_units)
    columns: dict[str, list[str]] = {"unit": [], "pool": [], "rater": [], "value": []}
    raters = [("crowd", 75)] * 5 + [("expert", 90)] * 3
    for number, (pool, percent_right) in enumerate(raters, start=1):
        right = _core.bounded(100, SEED, SIMULATED, number, n_units) < percent_right
        said = np.where(right, truth, 1 - truth)
        columns["unit"] += [f"unit {u}" for u in range(n_units)]
        columns["pool"] += [pool] * n_units
        columns["rater"] += [f"{pool} {number}"] * n_units
        columns["value"] += ["yes" if value else "no" for value in said.tolist()]
    return Ratings.from_long(columns, unit="unit", value="value", rater="rater", pool="pool")


def _matrix(pool: dict[int, str]) -> list[list[str | None]]:
    width = max(map(len, pool.values()))
    return [[*values, *[None] * (width - len(values))] for values in pool.values()]


def _section(*lines: str) -> str:
    return "\n".join([*lines, ""])
