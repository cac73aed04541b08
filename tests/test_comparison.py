"""Differences on the same resamples: against joint replicates, the laws that they obey, and what is refused."""

import math
import pickle

import numpy as np
import pytest

import kappax as kx
from kappax.errors import KappaxError, RatingsError
from test_resampling import crossed, pools

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 3, 60)


def noisy(n, p, seed):
    """Give n raters who are right with probability p."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((60, n)) < p, TRUTH[:, None], rng.integers(0, 3, (60, n)))


PEOPLE, GOOD, BAD = noisy(3, 0.8, 1), noisy(1, 0.9, 2)[:, 0], noisy(1, 0.5, 3)[:, 0]
CI = kx.Bootstrap(400, seed=7)


def test_pools_of_one_analysis_are_subtracted():
    result = kx.cross_replication(pools(crossed(np.random.default_rng(3))), ci=CI)
    a, b = result.irr["x"], result.irr["y"]
    found = kx.compare(a, b)
    assert found.difference.replicates.tobytes() == (a.replicates - b.replicates).tobytes()
    assert float(found) == found.difference.estimate == a.estimate - b.estimate
    normalized = kx.compare(result.normalized["x", "y"], result.cross_kappa["x", "y"])
    expected = result.normalized["x", "y"].replicates - result.cross_kappa["x", "y"].replicates
    assert normalized.difference.replicates.tobytes() == expected.tobytes()


@pytest.mark.parametrize("resample", ["raters", "both"])
def test_raters_are_drawn_together(resample):
    ci = kx.Bootstrap(100, seed=7, resample=resample)
    result = kx.cross_replication(pools(crossed(np.random.default_rng(3))), ci=ci)
    a, b = result.irr["x"], result.cross_kappa["x", "y"]
    found = kx.compare(a, b)
    assert found.difference.resample == resample
    np.testing.assert_array_equal(found.difference.replicates, a.replicates - b.replicates)


def test_two_levels_of_the_same_ratings():
    a, b = (kx.krippendorff_alpha(PEOPLE, level, ci=CI) for level in ("nominal", "interval"))
    found = kx.compare(a, b)
    assert found.difference.replicates.tobytes() == (a.replicates - b.replicates).tobytes()
    assert found.difference.level == "nominal and interval"
    assert found.difference.jackknife is not None
    assert kx.compare(a, a).p_value == 1.0
    fleiss = kx.fleiss_kappa(PEOPLE, ci=CI)
    assert float(kx.compare(fleiss, a)) == fleiss.estimate - a.estimate


def test_two_judges_are_drawn_on_the_same_units():
    good, bad = (kx.cross_kappa(PEOPLE, judge, ci=CI) for judge in (GOOD, BAD))
    found = kx.compare(good, bad)
    assert float(found) == pytest.approx(good.estimate - bad.estimate, abs=1e-15)
    assert found.p_value <= 2 * 2 / 401
    assert found.difference.confidence_interval.low > 0
    # One analysis of three pools draws the same units.
    rows = [
        {"unit": u, "pool": pool, "value": int(v), "rater": f"{pool}{r}"}
        for pool, table in (("p", PEOPLE), ("g", GOOD[:, None]), ("b", BAD[:, None]))
        for u, row in enumerate(table)
        for r, v in enumerate(row)
    ]
    joint = kx.cross_replication(pools(rows), ci=CI)
    apart = joint.cross_kappa["p", "g"].replicates - joint.cross_kappa["p", "b"].replicates
    assert np.std(found.difference.replicates) == pytest.approx(np.std(apart), rel=0.2)
    # Not that of the two side by side, which err together.
    independent = kx.compare(good, bad, independent=True)
    assert independent.difference.standard_error > found.difference.standard_error


def test_normalized_values_and_other_coefficients_of_two_judges():
    twice = [np.stack([judge, noisy(1, p, 9)[:, 0]], axis=1) for judge, p in ((GOOD, 0.9), (BAD, 0.5))]
    a, b = (kx.normalized_cross_kappa(PEOPLE, judge, ci=CI) for judge in twice)
    assert float(kx.compare(a, b)) == pytest.approx(a.estimate - b.estimate, abs=1e-14)
    x, y = (kx.cohen_kappa(PEOPLE[:, 0], judge, "interval", ci=CI) for judge in (GOOD, BAD))
    assert float(kx.compare(x, y)) == pytest.approx(x.estimate - y.estimate, abs=1e-14)
    with pytest.raises(KappaxError, match="iota is of all raters"):
        kx.compare(kx.iota(PEOPLE, ci=CI), kx.iota(twice[0], ci=CI))


def test_order_and_names_of_units_do_not_touch_a_bit():
    units = [f"u{i}" for i in range(60)]
    order = np.random.default_rng(0).permutation(60)

    def difference(order):
        names = [units[i] for i in order]
        before, after = (kx.Ratings.from_matrix(t[order], units=names) for t in (PEOPLE, noisy(3, 0.6, 5)))
        return kx.compare(*(kx.krippendorff_alpha(side, ci=CI) for side in (before, after)))

    one, two = difference(np.arange(60)), difference(order)
    assert one.difference.replicates.tobytes() == two.difference.replicates.tobytes()
    back = kx.compare(one.b, one.a)
    assert back.p_value == one.p_value
    assert float(back) == -float(one)


def test_units_that_only_one_side_has_are_drawn_for_it():
    names = [f"u{i}" for i in range(60)]
    a = kx.krippendorff_alpha(kx.Ratings.from_matrix(PEOPLE[:40], units=names[:40]), ci=CI)
    b = kx.krippendorff_alpha(kx.Ratings.from_matrix(PEOPLE[20:], units=names[20:]), ci=CI)
    found = kx.compare(a, b)
    assert float(found) == pytest.approx(a.estimate - b.estimate, abs=1e-14)
    apart = kx.compare(a, b, independent=True)
    assert found.difference.standard_error < apart.difference.standard_error  # a third of the units is in both


def test_independent_data():
    a, b = (kx.krippendorff_alpha(noisy(3, p, seed), ci=CI) for p, seed in ((0.9, 1), (0.6, 2)))
    found = kx.compare(a, b, independent=True)
    np.testing.assert_array_equal(found.difference.replicates, a.replicates - np.roll(b.replicates, -1))
    assert found.independent
    assert found.p_value < 0.05
    # Equal data and seeds are no reason to find no variation.
    same = kx.compare(a, a, independent=True)
    assert np.std(same.difference.replicates) == pytest.approx(np.sqrt(2) * np.std(a.replicates), rel=0.1)
    assert kx.compare(*pickle.loads(pickle.dumps((a, b))), independent=True) == found  # noqa: S301


def test_the_p_value_counts_replicates():
    a, b = (kx.krippendorff_alpha(noisy(3, p, seed), ci=kx.Bootstrap(99, seed=2)) for p, seed in ((0.7, 1), (0.7, 2)))
    found = kx.compare(a, b)
    d = found.difference.replicates
    assert found.p_value == min(1, 2 * (min((d <= 0).sum(), (d >= 0).sum()) + 1) / 100)


def test_the_type_one_error_is_held():
    rng = np.random.default_rng(6)
    p = []
    for _ in range(150):
        truth = rng.integers(0, 2, (40, 1))
        sides = (np.where(rng.random((40, 3)) < 0.8, truth, 1 - truth) for _ in range(2))
        p.append(kx.compare(*(kx.krippendorff_alpha(s, ci=kx.Bootstrap(199, seed=1)) for s in sides)).p_value)
    assert np.mean(np.array(p) <= 0.1) < 0.2


# --- parity


def test_the_parity_gap_of_a_single_judge():
    gap = kx.parity_gap(PEOPLE, GOOD, ci=CI)
    assert gap.a.estimate == kx.cross_kappa(PEOPLE, GOOD).estimate
    assert gap.b.estimate == kx.krippendorff_alpha(PEOPLE).estimate
    assert gap.difference.replicates.tobytes() == (gap.a.replicates - gap.b.replicates).tobytes()
    assert kx.parity_gap(PEOPLE, BAD, ci=CI).difference.confidence_interval.high < 0
    assert kx.normalized_cross_kappa(PEOPLE, GOOD, irr_y=0.9).reason is None
    with pytest.warns(kx.UndefinedCoefficientWarning):
        assert "no reliability of its own" in kx.normalized_cross_kappa(PEOPLE, GOOD).reason
    plain = kx.parity_gap(PEOPLE, GOOD)
    assert plain.p_value is None
    assert plain.difference.jackknife.standard_error > 0
    assert float(kx.parity_gap(PEOPLE, GOOD, irr="fleiss_kappa")) != float(plain)


def test_the_parity_gap_of_a_pool_without_reliability():
    gap = kx.parity_gap(GOOD[:, None], BAD, ci=CI)
    assert math.isnan(float(gap))
    assert "Krippendorff's alpha is undefined (no unit holds two ratings of pool 'x')" in gap.difference.reason
    assert math.isnan(gap.p_value)
    assert "undefined" in str(gap)


# --- what is refused, and how results look


def test_refusals():
    a, b = kx.krippendorff_alpha(PEOPLE, ci=CI), kx.krippendorff_alpha(PEOPLE, "ordinal", ci=kx.Bootstrap(50, seed=1))
    with pytest.raises(TypeError, match=r"a must be an Estimate.*: float"):
        kx.compare(0.5, a)
    with pytest.raises(KappaxError, match=r"b does not know its ratings: make it with ci="):
        kx.compare(a, kx.krippendorff_alpha(PEOPLE))
    with pytest.raises(KappaxError, match=r"drawn in two ways, say how with ci=: .*seed=7.* and .*seed=1"):
        kx.compare(a, b)
    assert len(kx.compare(a, b, ci=CI).difference.replicates) == 400
    with pytest.raises(KappaxError, match="need as many resamples, they have: 400 and 50"):
        kx.compare(a, b, independent=True)
    with pytest.raises(KappaxError, match="no replicates to compare"):
        kx.compare(a, kx.krippendorff_alpha(PEOPLE), independent=True)
    bca = kx.krippendorff_alpha(PEOPLE, ci=kx.Bootstrap(400, seed=7, method="bca"))
    with pytest.raises(KappaxError, match="'bca' needs a jackknife, which independent sides"):
        kx.compare(bca, bca, independent=True)
    assert kx.compare(bca, bca, independent=True, ci=CI).difference.confidence_interval.method == "percentile"
    both = kx.Bootstrap(50, seed=1, resample="both")
    with pytest.raises(KappaxError, match="raters can be drawn only where both are of the same ratings"):
        kx.compare(*(kx.krippendorff_alpha(side, ci=both) for side in (PEOPLE, noisy(3, 0.6, 5))))
    with pytest.raises(RatingsError, match="must have the same rows"):
        kx.compare(a, kx.krippendorff_alpha(PEOPLE[:30], ci=CI))


def test_domains_that_do_not_go_together_are_told():
    short = kx.percent_agreement(PEOPLE, "interval", ci=CI)
    long = kx.percent_agreement(np.where(PEOPLE == 2, 9, PEOPLE), "interval", ci=CI)
    with pytest.raises(KappaxError, match=r"a is another number beside the other's ratings .*state one with domain="):
        kx.compare(short, long)


def test_bca_and_studentized_have_a_joint_jackknife():
    for method in ("bca", "studentized"):
        ci = kx.Bootstrap(200, seed=7, method=method)
        found = kx.compare(*(kx.cross_kappa(PEOPLE, judge, ci=ci) for judge in (GOOD, BAD)))
        assert found.difference.confidence_interval.method == method
        assert found.difference.confidence_interval.low > 0


def test_clusters_come_along():
    clusters = [i // 5 for i in range(60)]
    before, after = (kx.Ratings.from_matrix(t, clusters=clusters) for t in (PEOPLE, noisy(3, 0.6, 5)))
    found = kx.compare(*(kx.krippendorff_alpha(side, ci=CI) for side in (before, after)))
    assert found.difference.resample == "clusters"


def test_a_comparison_can_be_read_and_kept():
    found = kx.compare(*(kx.cross_kappa(PEOPLE, judge, ci=CI) for judge in (GOOD, BAD)))
    text = str(found)
    for part in (
        "Difference of two coefficients, on the same units",
        "a - b",
        "two-sided",
        "resamples of units, seed 7",
    ):
        assert part in text
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
    assert found.to_dict()["difference"]["coefficient"] == "difference"
    assert found._repr_html_().startswith("<table>")
    assert repr(found).startswith("Comparison(0.")
    assert "origin" not in found.a.to_dict()
    assert "origin" not in repr(found.a)
