"""The fast path against golden.json: data of the literature and of other packages, worked out exactly."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import kappax as kx
from kappax import _core
from kappax.ratings import pair
from shared import COMPUTED, needs_golden

NOT_OURS = {f"ICC({kind},{k})": "an intraclass correlation, not there yet" for kind in "1AC" for k in "1k"}

ONE_POOL = {
    "krippendorff_alpha": kx.krippendorff_alpha,
    "krippendorff_alpha_weighted": kx.krippendorff_alpha,
    "fleiss_kappa": kx.fleiss_kappa,
    "scott_pi": kx.scott_pi,
    "gwet_ac": kx.gwet_ac,
    "brennan_prediger": kx.brennan_prediger,
    "percent_agreement": kx.percent_agreement,
}
NAMED_RATERS = {
    "iota": kx.iota,
    "conger_kappa": kx.conger_kappa,
    "light_kappa": kx.light_kappa,
    "cohen_kappa": lambda units, *args, **options: kx.cohen_kappa(*zip(*units, strict=True), *args, **options),
}
COEFFICIENTS = {**ONE_POOL, **NAMED_RATERS}
SHARES = ("gwet_ac", "brennan_prediger")
"""Coefficients whose disagreements are shares of the largest difference, as golden.json's pa and pe are."""

WORDS = {"unweighted": "nominal", "quadratic": "interval", "quantitative": "interval"}


def left_out(entry):
    """Say why an entry has no number of ours, or None where it has one."""
    coefficient, params = entry["coefficient"], entry["params"]
    if coefficient in NOT_OURS:
        return NOT_OURS[coefficient]
    if params.get("variables", 1) != 1:
        return "several variables at a time"
    return None


def n_ratings(row):
    return sum(value is not None for value in row)


def domain_of(units):
    return sorted({value for row in units for value in row if value is not None})


def ranks_of(word, K):
    """Give the K x K differences that a word of golden.json means between ranks."""
    i, j = np.indices((K, K))
    if word == "ordinal":  # Gwet's: the pairs of neighbouring values on the way from one to the other
        return np.vectorize(math.comb)(abs(i - j) + 1, 2)
    return {
        "nominal": i != j,
        "linear": abs(i - j),
        "interval": (i - j) ** 2,
        "radical": np.sqrt(abs(i - j)),
    }[word]


def level_of(data, entry, domain):
    """Give the level that an entry stands for, in the words of the package where it has them."""
    params = entry["params"]
    word = params.get("metric") or params.get("weights") or params.get("scale") or "nominal"
    if word == "custom (dataset.agreement_weights)":
        return 1 - np.array(data["agreement_weights"])
    if word == "custom (dataset.disagreement_weights)":
        return np.array(data["disagreement_weights"])
    word = WORDS.get(word, word)
    on_ranks = "ranks" in params.get("weights_on", "") and not isinstance(domain[0], str)
    if on_ranks or (word == "ordinal" and "metric" not in params):
        return ranks_of(word, len(domain))
    return word  # text in a stated order is ranked by the package itself


def weighted_light(units):
    """Mean quadratic kappa of all pairs of raters, on ranks among the values of the two.

    So says golden.json, where `light_kappa` has one scale for all. Where there is one scale they agree.
    """
    kappas, scales = [], set()
    for x, y in combinations(zip(*units, strict=True), 2):
        both = [row for row in zip(x, y, strict=True) if None not in row]
        domain = domain_of(both)
        kappas.append(
            kx.cohen_kappa(*zip(*both, strict=True), ranks_of("interval", len(domain)), domain=domain).estimate
        )
        scales.add(tuple(domain))
    mean = math.fsum(kappas) / len(kappas)
    if scales == {tuple(domain)}:
        assert kx.light_kappa(units, ranks_of("interval", len(domain)), domain=domain).estimate == pytest.approx(mean)
    return mean


def figures(data, entry):
    """Pair every figure of ours with the published one."""
    coefficient, params, units = entry["coefficient"], entry["params"], data["ratings"]
    if coefficient == "light_kappa_weighted":
        yield weighted_light(units), entry["value"]
        return
    domain = domain_of(units)
    level = level_of(data, entry, domain)
    if params.get("missing") == "listwise":
        units = [row for row in units if None not in row]
    result = COEFFICIENTS[coefficient](units, level, domain=domain)
    yield result.estimate, entry["value"]
    if coefficient in {"krippendorff_alpha", "iota"}:
        yield from ((result.observed, entry["D_o"]), (result.expected, entry["D_e"]))
    if "n_pairable" in entry:
        yield result.n_pairable, entry["n_pairable"]
    if "pa" in entry and (coefficient in SHARES or (isinstance(level, str) and level == "nominal")):
        yield from ((1 - result.observed, entry["pa"]), (1 - result.expected, entry["pe"]))
    if "counts" in data and coefficient in ONE_POOL and units is data["ratings"]:
        yield (
            ONE_POOL[coefficient](kx.Tally.from_counts(data["counts"], domain=domain), level).estimate,
            entry["value"],
        )


def pool_figures(data, entry):
    """Pair figures of two pools over the same units, by row."""
    x, y = (rectangle(data[side]) for side in "XY")
    coefficient, params = entry["coefficient"], entry["params"]
    if coefficient == "cross_kappa":
        result = kx.cross_kappa(x, y, params["metric"])
        yield from (
            (result.estimate, entry["value"]),
            (result.observed, entry["D_o"]),
            (result.expected, entry["D_e"]),
        )
        yield result.n_units, entry["items"]
    elif coefficient == "normalized_cross_kappa":
        yield kx.normalized_cross_kappa(x, y, params["metric"], irr_units="shared").estimate, entry["value"]
        parts = kx.cross_replication(pair(x, y), params["metric"], irr_units="shared")
        yield from ((parts.irr["x"].estimate, entry["irr_x"]), (parts.irr["y"].estimate, entry["irr_y"]))
        yield parts.normalized["x", "y"].estimate, entry["value"]
    else:
        tally = pair(x, y).tally("pool")
        r = _core.mean_correlation(tally.table, np.array(tally.domain, dtype=float))
        yield r, entry["value" if coefficient == "item_mean_pearson" else "r_xy"]
        if coefficient == "spearman_disattenuated_correlation":
            word = "cronbach" if "Cronbach" in params["reliability"] else "one-way"
            yield kx.disattenuated_correlation(x, y, reliability=word).estimate, entry["value"]


def rectangle(units):
    width = max(map(len, units))
    return [[*row, *[None] * (width - len(row))] for row in units]


def ours(name):
    return [entry for entry in COMPUTED[name]["expected"] if left_out(entry) is None]


@needs_golden
@pytest.mark.parametrize("name", COMPUTED)
def test_golden(name):
    data = COMPUTED[name]
    for entry in ours(name):
        for found, published in (pool_figures if "X" in data else figures)(data, entry):
            assert found == pytest.approx(published, rel=0, abs=1e-9 * max(1, abs(published))), entry


@needs_golden
def test_nothing_is_left_out_unseen():
    total = Counter(entry["coefficient"] for data in COMPUTED.values() for entry in data["expected"])
    checked = Counter(entry["coefficient"] for name in COMPUTED for entry in ours(name))
    assert sum(checked.values()) == 3177
    assert set(total - checked) == {"iota", *NOT_OURS}
    assert (total - checked)["iota"] == 3


# Intervals

MONTE_CARLO = {
    f"{name}-{run['metric']}": (data["ratings"], run)
    for name, data in COMPUTED.items()
    for run in data.get("bootstrap", [])
    if run["package"] == "numpy Monte-Carlo reference" and run["algorithm"].endswith("over units, alpha recomputed")
}
WITH_IDLE_ROWS = [key for key, (units, _) in MONTE_CARLO.items() if any(n_ratings(row) < 2 for row in units)]
"""Runs over data of which some rows hold no pair. The runs drew these rows too, kappax draws only units that
enter a coefficient. Of the 15 rows of krippendorff_wikipedia 3 hold none: at level interval its lower limit
is 0.397 with them and 0.412 without, each by a million draws of a plain bootstrap."""


def holds(result, run):
    interval = result.confidence_interval
    assert result.estimate == pytest.approx(run["value"], abs=1e-12)
    assert interval.n_used == pytest.approx(100_000 - run["n_nan"], abs=10)
    assert (interval.low, interval.high) == pytest.approx((run["ci_low"], run["ci_high"]), abs=0.01)
    assert result.standard_error == pytest.approx(run["boot_sd"], rel=0.03)


@needs_golden
def test_all_monte_carlo_runs_are_there():
    assert len(MONTE_CARLO) == 17
    assert len(WITH_IDLE_ROWS) == 6


@pytest.mark.parametrize("key", [key for key in MONTE_CARLO if "wikipedia" not in key])
def test_unit_bootstrap(key):
    units, run = MONTE_CARLO[key]
    holds(kx.krippendorff_alpha(units, run["metric"], ci=kx.Bootstrap(100_000, seed=113)), run)


@pytest.mark.parametrize("key", WITH_IDLE_ROWS)
def test_unit_bootstrap_that_draws_idle_rows(key):
    """Beside a second pool that rated every unit twice, every row is drawn, as it was in the run."""
    units, run = MONTE_CARLO[key]
    both = pair(units, [[1, 2]] * len(units))
    joint = kx.cross_replication(both, run["metric"], ci=kx.Bootstrap(100_000, seed=113))
    holds(joint.irr["x"], run)


# The older bootstraps

OLDER = {
    f"{name}-{run['metric']}-{resample}": (data["ratings"], run, resample)
    for name, data in COMPUTED.items()
    for run in data.get("bootstrap", [])
    for start, resample in (("Krippendorff 2016", "pairs-krippendorff"), ("Hayes", "pairs-kalpha"))
    if run["package"] == "numpy Monte-Carlo reference" and run["algorithm"].startswith(start)
}


@needs_golden
def test_all_older_bootstraps_are_there():
    assert len(OLDER) == 34


@pytest.mark.parametrize("key", OLDER)
def test_older_bootstrap(key):
    units, run, resample = OLDER[key]
    result = kx.krippendorff_alpha(units, run["metric"], ci=kx.Bootstrap(100_000, seed=113, resample=resample))
    assert result.estimate == pytest.approx(run["value"], abs=1e-12)
    assert np.nanmean(result.replicates) == pytest.approx(run["boot_mean"], abs=6 * run["boot_sd"] / 100_000**0.5)
    assert result.standard_error == pytest.approx(run["boot_sd"], rel=0.02)
    # Replicates lie on a lattice, so that a quantile may jump by a step: each is held by the shares on its two sides.
    used = result.replicates[~np.isnan(result.replicates)]
    for name, p in (("ci_low", 0.025), ("q05", 0.05), ("median", 0.5), ("q95", 0.95), ("ci_high", 0.975)):
        chance = 5 * (p * (1 - p) * (1 / 100_000 + 1 / run["B"])) ** 0.5
        assert np.mean(used < run[name] - 1e-9) <= p + chance
        assert np.mean(used <= run[name] + 1e-9) >= p - chance
