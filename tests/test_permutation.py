"""Permutation tests: against hand-made enumerations, their laws, and what they refuse."""

import math
import warnings
from itertools import combinations, permutations, product

import numpy as np
import pytest

import kappax as kx
from kappax.errors import KappaxError, RatingsError
from kappax.permutation import evidence
from test_resampling import crossed, pools

AGREEING = [[1, 1, 1], [2, 2, 2], [1, 1, 2], [3, 3, 3], [2, 2, 2], [3, 3, 1]]


def split(rows, x):
    """Put the raters named in x into pool "x", all others into "y"."""
    return [{**row, "pool": "x" if row["rater"] in x else "y"} for row in rows]


def statistic_of(result, name):
    if name == "group_association":
        return result.irr["x"].estimate / result.cross_kappa["x", "y"].estimate
    return {"cross_kappa": result.cross_kappa, "normalized_cross_kappa": result.normalized}[name]["x", "y"].estimate


# --- ratings within raters


def test_agreement_is_told_from_chance():
    found = kx.permutation_test(AGREEING, seed=7)
    assert found.estimate == kx.krippendorff_alpha(AGREEING).estimate
    assert found.p_value < 0.01
    assert found.smallest_p == 1 / 1000
    rng = np.random.default_rng(1)
    p = [kx.permutation_test(rng.integers(0, 3, (20, 3)), n_permutations=99, seed=1).p_value for _ in range(200)]
    assert 0.02 < np.mean(np.array(p) <= 0.1) < 0.19  # 0.1 but for chance
    assert 0.4 < np.mean(p) < 0.6


def test_permuted_ratings_are_those_that_can_be_had():
    data = [[1, 1], [2, 2], [1, 2]]
    all_of_them = {
        round(kx.krippendorff_alpha([*zip(a, b, strict=True)]).estimate, 12)
        for a, b in product(permutations([1, 2, 1]), permutations([1, 2, 2]))
    }
    found = kx.permutation_test(data, n_permutations=200, seed=3)
    assert set(np.round(found.replicates, 12)) == all_of_them


@pytest.mark.parametrize(
    "statistic",
    ["fleiss_kappa", "gwet_ac", "percent_agreement", "brennan_prediger", "light_kappa", "conger_kappa", "iota"],
)
def test_other_statistics_of_one_pool(statistic):
    found = kx.permutation_test(AGREEING, statistic, seed=7)
    assert found.estimate == getattr(kx, statistic)(AGREEING).estimate
    assert found.p_value < 0.02


def test_cohens_kappa_is_of_two_raters():
    x, y = [row[0] for row in AGREEING], [row[1] for row in AGREEING]
    found = kx.permutation_test([*zip(x, y, strict=True)], "cohen_kappa", "interval", seed=7)
    assert found.estimate == kx.cohen_kappa(x, y, "interval").estimate
    with pytest.raises(RatingsError, match=r"Cohen's kappa is of two raters.*: 3"):
        kx.permutation_test(AGREEING, "cohen_kappa")


def test_single_ratings_stay_where_they_are():
    alone = [[1, None, None]]
    with_single, without = (
        kx.permutation_test(data, "fleiss_kappa", seed=7, n_permutations=50) for data in (AGREEING + alone, AGREEING)
    )
    assert with_single.estimate != without.estimate  # the marginals hold it
    alpha = [kx.permutation_test(data, seed=7, n_permutations=50).replicates for data in (AGREEING + alone, AGREEING)]
    assert alpha[0].tobytes() == alpha[1].tobytes()


def test_order_of_units_and_raters_and_threads_do_not_touch_a_bit():
    rng = np.random.default_rng(5)
    data = rng.integers(0, 3, (30, 4))
    one = kx.permutation_test(data, "krippendorff_alpha", "ordinal", seed=9, n_threads=1)
    two = kx.permutation_test(data[rng.permutation(30)][:, [2, 0, 3, 1]], level="ordinal", seed=9, n_threads=3)
    assert one.replicates.tobytes() == two.replicates.tobytes()
    assert one == two


# --- raters between pools


@pytest.mark.parametrize("statistic", ["cross_kappa", "normalized_cross_kappa", "group_association"])
def test_all_splits_are_the_splits(statistic):
    rows = crossed(np.random.default_rng(3), 25, (3, 2))
    raters = sorted({row["rater"] for row in rows})
    observed = statistic_of(kx.cross_replication(pools(rows)), statistic)
    expected = [statistic_of(kx.cross_replication(pools(split(rows, x))), statistic) for x in combinations(raters, 3)]
    found = kx.permutation_test(pools(rows), statistic)
    assert (found.exact, found.n_permutations, found.seed) == (True, 10, None)
    assert found.estimate == pytest.approx(observed, rel=1e-14)
    np.testing.assert_allclose(np.sort(found.replicates), np.sort(expected), rtol=1e-12)
    sign = 1 if found.alternative == "greater" else -1
    extreme = sum(bool(sign * e >= sign * observed - 1e-12) or math.isnan(e) for e in expected)
    assert found.p_value == extreme / 10
    assert found.smallest_p >= 1 / 10


def test_groups_that_differ_are_told_apart():
    rng = np.random.default_rng(0)
    truths = {"x": rng.integers(0, 3, 60), "y": rng.integers(0, 3, 60)}
    rows = [
        {"unit": u, "rater": f"{pool}{i}", "pool": pool, "value": int(truths[pool][u] if rng.random() < 0.9 else 0)}
        for u in range(60)
        for pool in "xy"
        for i in range(6)
    ]
    exact = kx.permutation_test(pools(rows), "cross_kappa")
    assert exact.exact
    assert exact.n_permutations == math.comb(12, 6)
    assert exact.p_value == exact.smallest_p == 2 / math.comb(12, 6)
    random = kx.permutation_test(pools(rows), "group_association", n_permutations=500, seed=4)
    assert not random.exact
    assert random.p_value <= 3 / 501
    same = crossed(rng, 60, (6, 6))
    assert kx.permutation_test(pools(same), "cross_kappa", n_permutations=300, seed=1).p_value > 0.03


def test_two_sides_and_named_pools():
    rows = crossed(np.random.default_rng(3), 25, (3, 3)) + [
        {"unit": u, "rater": "z", "pool": "z", "value": 1} for u in range(5)
    ]
    with pytest.raises(RatingsError, match="two pools are compared, name them as pools=: 'x', 'y', 'z'"):
        kx.permutation_test(pools(rows), "cross_kappa")
    found = kx.permutation_test(pools(rows), "group_association", pools=["y", "x"])
    assert found.pools == ("y", "x")
    x = [[1, 1, 2], [2, 2, 2], [1, 2, 1], [2, 2, 1]]
    y = [[1, 2], [2, 1], [1, 1], [2, 2]]
    assert kx.permutation_test((x, y), "cross_kappa").estimate == kx.cross_kappa(x, y).estimate


# --- p values


def test_p_values_by_hand():
    replicates = np.array([0.1, 0.5, 0.5 + 1e-15, 0.9, math.nan])
    found = evidence(0.5, replicates, "greater", exact=False)
    assert (found["n_extreme"], found["p_value"], found["smallest_p"]) == (4, 5 / 6, 1 / 6)
    found = evidence(0.5, replicates, "less", exact=True)
    assert (found["n_extreme"], found["p_value"], found["smallest_p"]) == (4, 4 / 5, 2 / 5)
    found = evidence(0.9, replicates[:4], "two-sided", exact=True)
    assert (found["n_extreme"], found["p_value"], found["smallest_p"]) == (1, 1 / 2, 1 / 2)
    assert evidence(0.5, np.full(3, 0.5), "two-sided", exact=False)["p_value"] == 1.0


def test_what_is_undefined_has_no_p():
    found = kx.permutation_test([[1, 1], [1, 1]])
    assert math.isnan(found.p_value)
    assert math.isnan(found.estimate)
    assert "same value" in found.reason
    assert "undefined" in str(found)
    assert found.to_dict()["p_value"] is None


# --- what is refused, and how results look


def test_refusals():
    anonymous = kx.Ratings.from_long({"u": [1, 1, 2, 2], "v": [1, 1, 2, 1]}, unit="u", value="v")
    with pytest.raises(RatingsError, match="a permutation test needs to know who rated"):
        kx.permutation_test(anonymous)
    with pytest.raises(RatingsError, match="a Tally does not say who rated what"):
        kx.permutation_test(anonymous.tally())
    with pytest.raises(KappaxError, match=r"statistic must be 'krippendorff_alpha' or .*did you mean 'cross_kappa'"):
        kx.permutation_test(AGREEING, "cros_kappa")
    with pytest.raises(KappaxError, match="alternative must be"):
        kx.permutation_test(AGREEING, alternative="both")
    with pytest.raises(KappaxError, match="n_permutations must be between 1 and"):
        kx.permutation_test(AGREEING, n_permutations=0)
    with pytest.raises(RatingsError, match="have no pools"):
        kx.permutation_test(AGREEING, "cross_kappa")


def test_a_result_says_what_was_done():
    rows = crossed(np.random.default_rng(3), 25, (3, 2))
    found = kx.permutation_test(pools(rows), "group_association")
    assert "group association index of x and y" in str(found)
    assert "all 10 splits: raters between pools" in str(found)
    assert found._repr_html_().startswith("<table>")
    assert "replicates" not in found.to_dict()
    assert not found.replicates.flags.writeable
    assert repr(found).startswith("PermutationTest('group_association', estimate=")


def test_no_warning_for_undefined_permutations():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kx.permutation_test([[1, 1], [1, 2], [1, 1]], n_permutations=20, seed=1)
