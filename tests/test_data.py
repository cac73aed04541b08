"""Public data sets beside the repository, and sizes at which other implementations overflow."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import kappax as kx
from kappax import reference as ref
from shared import DATA, needs_data

UNDEFINED = None
REL = 1e-12


def coal():
    rows = pl.read_csv(DATA / "coal_debate" / "coal_debate.csv", schema_overrides={"golden": pl.String})
    rows = rows.filter(pl.col("golden").str.to_lowercase() != "true")
    rows = rows.filter(pl.col("screener").cast(pl.String).str.to_lowercase() != "true")
    roles = {"unit": "item", "rater": "rater", "pool": "replication", "value": "subsidy_scale"}
    return kx.Ratings.from_long(rows, **roles, duplicates="keep")  # some workers rated a sentence twice


def ecosent():
    files = {"crowd": "crowdcodings.csv", "students": "manual_coding.csv", "gold": "gold.csv"}
    columns = ["id", "value"]
    rows = [
        pl.read_csv(DATA / "ecosent" / file, columns=columns).with_columns(pool=pl.lit(pool))
        for pool, file in files.items()
    ]
    return kx.Ratings.from_long(pl.concat(rows), unit="id", pool="pool", value="value")


def emobank():
    rows = [
        pl.read_csv(DATA / "emobank" / f"individual_{pool}_ratings.csv").with_columns(pool=pl.lit(pool))
        for pool in ("reader", "writer")
    ]
    return kx.Ratings.from_long(pl.concat(rows), unit="id", pool="pool", value="V")


def dices():
    rows = pl.read_csv(DATA / "dices350" / "dices350_safety.csv")
    return kx.Ratings.from_long(rows, unit="item", pool="pool", value="safe")


LOADED = {}


def load(source):
    if source not in LOADED:
        LOADED[source] = source()
    return LOADED[source]


# EXPECTED.md, across pools: source, pools, level, shared units, ratings x and y, kappa_x, both
# disagreements, alphas on all units and on shared units, normalized on all and on shared units.
ACROSS = [
    (
        *(coal, ("EN-1", "EN-2"), "nominal", 417, 1341, 2229),
        *(0.307059427819039, (0.440932150638033, 0.636320296919898)),
        *((0.253240325877509, 0.337046818525780), (0.253240325877509, 0.337046818525780)),
        (1.05101977750821, 1.05101977750821),
    ),
    (
        *(coal, ("EN-1", "EN-2"), "ordinal", 417, 1341, 2229),
        *(0.332182131087928, None),
        *((0.322973021080946, 0.349866361115365), (0.322973021080946, 0.349866361115365)),
        (0.988193629841319, 0.988193629841319),
    ),
    (
        *(coal, ("EN-1", "EN-2"), "interval", 417, 1341, 2229),
        *(0.334607968835916, (0.712746543061669, 1.071167837424714)),
        *((0.327922327922328, 0.350691502009216), (0.327922327922328, 0.350691502009216)),
        (0.98670689815319, 0.98670689815319),
    ),
    (
        *(coal, ("EN-2", "DE"), "interval", 411, 2198, 1670),
        *(0.351734910827220, (0.719445572955139, 1.109801507085919)),
        *((0.350691502009216, 0.443354063600191), (0.353867385878013, 0.439750942020693)),
        (0.892025989372208, 0.891644669229986),
    ),
    (
        *(ecosent, ("crowd", "students"), "interval", 280, 1400, 835),
        *(0.726112562078354, (0.354930238789299, 1.295898203592814)),
        *((0.675590099655455, 0.817010689653564), (0.688667617689016, 0.817010689653564)),
        (0.977346231183883, 0.968022049653568),
    ),
    (
        *(ecosent, ("crowd", "gold"), "interval", 284, 1420, 284),
        *(0.752574406630667, (0.312676056338028, 1.263717516365801)),
        # The second is 83561/121616; EXPECTED.md has a 6 for the second 8 of its decimals.
        *((0.675590099655455, UNDEFINED), (0.687088869885541, UNDEFINED)),
        (UNDEFINED, UNDEFINED),
    ),
    (
        *(emobank, ("reader", "writer"), "interval", 10548, 53055, 53118),
        *(0.130558739327829, (1.081811535799838, 1.244260635805899)),
        *((0.343568224579546, 0.282184498301240), (0.343568224579546, 0.282184498301240)),
        (0.419307737410805, 0.419307737410805),
    ),
    (
        *(dices, ("crowd", "expert"), "nominal", 350, 43050, 350),
        *(0.189227002448409, (0.430754936120790, 0.531289198606272)),
        *((0.160860215657704, UNDEFINED), (0.160860215657704, UNDEFINED)),
        (UNDEFINED, UNDEFINED),
    ),
]


def matches(result, expected):
    """Hold an Estimate against a figure; one that is undefined is NaN and says why."""
    if expected is UNDEFINED:
        assert np.isnan(result.estimate)
        assert result.reason
    else:
        assert result.reason is None
        assert result.estimate == pytest.approx(expected, rel=REL)


@needs_data
@pytest.mark.parametrize("row", ACROSS, ids=lambda row: f"{row[0].__name__}-{'-'.join(row[1])}-{row[2]}")
def test_across_pools(row):
    source, pools, level, n_units, n_x, n_y, kappa, disagreements, irr_all, irr_shared, normalized = row
    ratings = load(source)
    for units, irr, value in zip(("all", "shared"), (irr_all, irr_shared), normalized, strict=True):
        result = kx.cross_replication(ratings, level, pools=pools, irr_units=units)
        cross = result.cross_kappa[pools]
        assert (cross.n_units, cross.n_pairable) == (n_units, n_x + n_y)
        matches(cross, kappa)
        if disagreements is not None:
            assert (cross.observed, cross.expected) == pytest.approx(disagreements, rel=REL)
        for pool, expected in zip(pools, irr, strict=True):
            matches(result.irr[pool], expected)
        matches(result.normalized[pools], value)
    x, y = (ratings.select(pools=[pool]) for pool in pools)
    assert kx.cross_kappa(x, y, level).estimate == cross.estimate


@needs_data
def test_gold_has_no_reliability_of_its_own():
    ratings = load(ecosent)
    x, y = (ratings.select(pools=[pool]) for pool in ("crowd", "gold"))
    with pytest.warns(kx.UndefinedCoefficientWarning, match="no unit holds two ratings"):
        result = kx.normalized_cross_kappa(x, y, "interval")
    assert np.isnan(result.estimate)
    assert "pool 'y' has no reliability of its own" in result.reason


# EXPECTED.md, inside a pool


def convabuse():
    rows = pl.read_csv(DATA / "convabuse" / "convabuse.csv")
    return kx.Ratings.from_long(rows, unit="item", rater="rater", value="severity")


def davidson():
    counts = pl.read_csv(DATA / "davidson" / "counts.csv", columns=["hate_speech", "offensive_language", "neither"])
    return kx.Tally.from_counts(counts, domain=[0, 1, 2])


@needs_data
@pytest.mark.parametrize(
    ("source", "level", "n_units", "n_pairable", "alpha"),
    [
        (davidson, "nominal", 24783, 80383, 0.542798997574287),
        (davidson, "ordinal", 24783, 80383, 0.581873740726455),
        (convabuse, "nominal", 4050, 12168, 0.435491813613400),
        (convabuse, "ordinal", 4050, 12168, 0.657874768942388),
        (convabuse, "interval", 4050, 12168, 0.731754621137660),
    ],
)
def test_inside_a_pool(source, level, n_units, n_pairable, alpha):
    result = kx.krippendorff_alpha(load(source), level)
    assert (result.n_units, result.n_pairable) == (n_units, n_pairable)
    assert result.estimate == pytest.approx(alpha, rel=REL)


# Sizes

BLOCK_X, BLOCK_Y = [[1, 2, 2], [3, 3, 1], [2, 2, 2], [1, 1, 3]], [[1, 2], [3, 2], [2, 3], [1, 1]]


def table(units, times):
    """Give units as a table of counts of the values 1, 2, 3, each rating so many times over."""
    return [[times * row.count(value) for value in (1, 2, 3)] for row in units]


def large(n_units, times):
    """Give the block as two pools, each unit n_units times and each rating `times` times."""
    columns = {"unit": [], "pool": [], "value": [], "count": []}
    for pool, block in (("x", BLOCK_X), ("y", BLOCK_Y)):
        for i, row in enumerate(table(block, times)):
            for value, count in zip((1, 2, 3), row, strict=True):
                columns["unit"] += range(i, n_units * len(block), len(block))
                columns["pool"] += [pool] * n_units
                columns["value"] += [value] * n_units
                columns["count"] += [count] * n_units
    return kx.Ratings.from_long(pl.DataFrame(columns), unit="unit", pool="pool", value="value", count="count")


@pytest.mark.parametrize(("n_units", "times"), [(1, 1), (5000, 4), (2500, 1000), (1, 10**9), (40, 10**7)])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_kappa_x_does_not_depend_on_the_size(n_units, times, level):
    """Neither disagreement changes where each unit, or each rating, is there many times over."""
    estimate, observed, expected = ref.cross_kappa(BLOCK_X, BLOCK_Y, level)
    scale = ((len(BLOCK_X) * 3 + len(BLOCK_Y) * 2) * n_units * times / 20) ** 2 if level == "ordinal" else 1
    result = kx.cross_replication(large(n_units, times), level).cross_kappa["x", "y"]
    assert result.n_pairable == 20 * n_units * times
    assert result.estimate == pytest.approx(float(estimate), rel=1e-14)
    assert result.observed == pytest.approx(float(observed) * scale, rel=1e-14)
    assert result.expected == pytest.approx(float(expected) * scale, rel=1e-14)


@pytest.mark.parametrize("times", [1, 15_455, 46_341, 10**6, 10**9])
def test_alpha_of_large_counts(times):
    """N(N - 1) and the products of counts pass 2**31 and 2**63 on the way; here in Python's whole numbers."""
    counts = table(BLOCK_X, times)
    disagreeing = [Fraction(sum(row) ** 2 - sum(c * c for c in row), sum(row) - 1) for row in counts]
    n_k = [sum(column) for column in zip(*counts, strict=True)]
    N = sum(n_k)
    observed = sum(disagreeing) / N
    expected = Fraction(N * N - sum(n * n for n in n_k), N * (N - 1))
    result = kx.krippendorff_alpha(kx.Tally.from_counts(counts), "nominal")
    assert result.n_pairable == N
    assert result.observed == pytest.approx(float(observed), rel=1e-14)
    assert result.expected == pytest.approx(float(expected), rel=1e-14)
    assert result.estimate == pytest.approx(float(1 - observed / expected), rel=1e-13)


@pytest.mark.parametrize("offset", [-1e9, 1e9, 2.0**40])
@pytest.mark.parametrize("level", ["interval", "linear", "ordinal"])
def test_offset_changes_nothing(offset, level):
    rng = np.random.default_rng(5)
    values = rng.integers(0, 3, (60, 4)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    plain, far = (kx.krippendorff_alpha(v, level).estimate for v in (values, values + offset))
    assert far == pytest.approx(plain, abs=1e-12)
