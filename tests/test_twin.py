"""The fast path against the exact reference: estimates, disagreements and every replicate."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kappax as kx
from kappax import _core
from kappax import reference as ref
from strategies import is_empty, one_pool, pools

pytestmark = pytest.mark.filterwarnings("ignore::kappax.UndefinedCoefficientWarning")

TWINS = {
    "krippendorff_alpha": "alpha",
    "fleiss_kappa": "fleiss",
    "percent_agreement": "percent",
    "gwet_ac": "ac",
    "brennan_prediger": "brennan_prediger",
    "iota": "iota",
    "conger_kappa": "conger",
    "light_kappa": "light",
}
OPTIONS = {"circular": {"period": 7.5}, "bipolar": {"limits": (-1.0, 3e9)}}
LEVELS = list(ref.LEVELS)
B = 6

levels = st.sampled_from(LEVELS)
seeds = st.integers(0, 2**64 - 1)


def is_near(found, exact):
    """Within 8 x 2^-53 x max(1, |exact|), the bound of the definitions."""
    if exact is None or math.isnan(found):
        return exact is None and math.isnan(found)
    exact = Fraction(exact)
    return abs(Fraction(found) - exact) <= Fraction(8, 2**53) * max(1, abs(exact))


def is_near_in_ulps(found, exact):
    """Within 8 units in the last place."""
    if exact is None:
        return math.isnan(found)
    exact = Fraction(exact)
    return abs(Fraction(found) - exact) <= 8 * Fraction(math.ulp(float(exact)))


def check(estimate, exact, replicates):
    value, observed, expected = exact
    assert is_near(estimate.estimate, value)
    assert (estimate.reason is None) == (value is not None)
    if observed is not None:
        assert is_near_in_ulps(estimate.observed, observed)
    if expected is not None:
        assert is_near_in_ulps(estimate.expected, expected)
    assert len(estimate.replicates) == len(replicates)
    for found, twin in zip(estimate.replicates, replicates, strict=True):
        assert is_near(found, twin)


@pytest.mark.parametrize("name", TWINS)
@given(table=one_pool(), level=levels, seed=seeds)
def test_coefficients_of_one_table(name, table, level, seed):
    assume(not is_empty(table))
    options = OPTIONS.get(level, {})
    estimate = getattr(kx, name)(table, level, ci=kx.Bootstrap(B, seed=seed), **options)
    exact = getattr(ref, name)(table, level, **options)
    replicates = ref.replicates(TWINS[name], table, level=level, n_resamples=B, seed=seed, **options)
    check(estimate, exact, replicates)


@given(tables=pools(), level=levels, seed=seeds)
def test_cross_kappa(tables, level, seed):
    assume(not all(map(is_empty, tables)))
    options = OPTIONS.get(level, {})
    estimate = kx.cross_kappa(*tables, level, ci=kx.Bootstrap(B, seed=seed), **options)
    replicates = ref.replicates("cross", *tables, level=level, n_resamples=B, seed=seed, **options)
    check(estimate, ref.cross_kappa(*tables, level, **options), replicates)


@given(table=one_pool(min_raters=2, max_raters=2), level=levels, seed=seeds)
def test_cohen_kappa(table, level, seed):
    assume(not is_empty(table))
    x, y = map(list, zip(*table, strict=True))
    options = OPTIONS.get(level, {})
    estimate = kx.cohen_kappa(x, y, level, ci=kx.Bootstrap(B, seed=seed), **options)
    replicates = ref.replicates("cohen", x, y, level=level, n_resamples=B, seed=seed, **options)
    check(estimate, ref.cohen_kappa(x, y, level, **options), replicates)


@pytest.mark.parametrize("irr_units", ["all", "shared"])
@pytest.mark.parametrize("n_pools", [2, 3])
@given(data=st.data(), level=st.sampled_from(["nominal", "ordinal", "interval", "ratio"]), seed=seeds)
def test_joint_replicates_of_pools(n_pools, irr_units, data, level, seed):
    tables = data.draw(pools(n_pools))
    assume(not any(map(is_empty, tables)))
    names = [f"pool {g}" for g in range(n_pools)]
    frame = {"unit": [], "pool": [], "value": []}
    for name, table in zip(names, tables, strict=True):
        for unit, row in enumerate(table):
            for value in row:
                frame["unit"].append(unit)
                frame["pool"].append(name)
                frame["value"].append(value)
    ratings = kx.Ratings.from_long(frame, unit="unit", pool="pool", value="value")
    result = kx.cross_replication(ratings, level, irr_units=irr_units, ci=kx.Bootstrap(B, seed=seed))
    twin = ref.cross_replication_replicates(
        dict(zip(names, tables, strict=True)), level, irr_units=irr_units, n_resamples=B, seed=seed
    )
    for couple in combinations(names, 2):
        found = [result.cross_kappa[couple], result.normalized[couple]]
        exact = [twin.cross_kappa[couple], twin.normalized[couple]]
        if irr_units == "all":
            found += [result.irr[name] for name in couple]
            exact += [twin.irr[name] for name in couple]
        elif n_pools == 2:
            found += [result.irr[name] for name in couple]
            exact += [twin.irr[couple], twin.irr[couple[::-1]]]
        for one, other in zip(found, exact, strict=True):
            assert all(map(is_near, one.replicates, other))


@given(table=one_pool(), seed=seeds, data=st.data())
def test_custom_differences(table, seed, data):
    assume(not is_empty(table))
    domain = sorted({value for row in table for value in row if value is not None})
    gap = st.integers(0, 9).map(lambda n: n / 4)
    matrix = np.zeros((len(domain), len(domain)))
    for k, l in combinations(range(len(domain)), 2):
        matrix[k, l] = matrix[l, k] = data.draw(gap)
    ci = kx.Bootstrap(B, seed=seed)
    estimate = kx.krippendorff_alpha(table, matrix, ci=ci)
    check(
        estimate,
        ref.krippendorff_alpha(table, matrix.tolist()),
        ref.replicates("alpha", table, level=matrix.tolist(), n_resamples=B, seed=seed),
    )
    function = kx.krippendorff_alpha(table, lambda a, b: matrix[domain.index(a), domain.index(b)], ci=ci)
    assert function == estimate
    assert function.replicates.tobytes() == estimate.replicates.tobytes()


@given(tables=pools(), seed=seeds, level=st.sampled_from(["ordinal", "linear", "interval"]))
def test_text_in_a_stated_order_counts_as_ranks(tables, seed, level):
    assume(not all(map(is_empty, tables)))
    numbers = sorted({v for table in tables for row in table for v in row if v is not None})
    names = dict(zip(numbers, [f"value {k:02}" for k in reversed(range(len(numbers)))], strict=True))
    text = [[[None if v is None else names[v] for v in row] for row in table] for table in tables]
    domain = list(names.values())
    ci = kx.Bootstrap(B, seed=seed)
    estimate = kx.cross_kappa(*text, level, domain=domain, ci=ci)
    assert estimate.scale == (None if level == "ordinal" else "ranks")
    check(
        estimate,
        ref.cross_kappa(*text, level, domain=domain),
        ref.replicates("cross", *text, level=level, domain=domain, n_resamples=B, seed=seed),
    )


@given(table=one_pool(), tables=pools(), seed=seeds)
@settings(max_examples=50)
def test_means_of_ratings(table, tables, seed):
    assume(not is_empty(table) and not any(map(is_empty, tables)))
    found = kx.split_half_reliability(table, n_halvings=5, seed=seed).estimate
    exact = ref.split_half_reliability(table, 5, seed)
    # The reference takes one root a halving in double precision; near r = -1 stepping up magnifies it.
    assert (exact is None and math.isnan(found)) or found == pytest.approx(exact, rel=1e-9, abs=1e-12)
    for reliability in ("one-way", "k-rater"):
        found = kx.disattenuated_correlation(*tables, reliability=reliability).estimate
        exact = ref.disattenuated_correlation(*tables, reliability)[0]
        assert (exact is None and math.isnan(found)) or found == pytest.approx(exact, rel=1e-9, abs=1e-12)


@given(table=one_pool())
def test_coincidences(table):
    assume(not is_empty(table))
    found = kx.coincidence_matrix(table)
    domain, observed, expected = ref.coincidence_matrix(table)
    assert list(found.domain) == list(domain)
    for matrix, exact in ((found.observed, observed), (found.expected, expected)):
        if exact is not None:
            np.testing.assert_allclose(matrix, np.array(exact, dtype=float), rtol=1e-15)


@given(st.lists(st.one_of(st.none(), st.floats(-2, 1))), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_percentile_interval(replicates, confidence):
    floats = np.array([math.nan if x is None else x for x in replicates], dtype=np.float64)
    low, high, n_used, _ = _core.interval(floats, confidence, "percentile")
    used = [Fraction(x) for x in replicates if x is not None]
    assert n_used == len(used)
    if not used:
        assert math.isnan(low)
        assert math.isnan(high)
        return
    exact = ref.percentile_interval(used, confidence)
    np.testing.assert_allclose([low, high], [float(exact[0]), float(exact[1])], rtol=1e-12, atol=1e-12)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    np.testing.assert_allclose([low, high], np.quantile(floats[~np.isnan(floats)], tails), atol=1e-12)


@pytest.mark.parametrize("pairing", ["pairs-krippendorff", "pairs-kalpha"])
@given(table=one_pool(), level=levels, seed=seeds)
def test_alpha_of_drawn_pairs(pairing, table, level, seed):
    assume(not is_empty(table))
    options = OPTIONS.get(level, {})
    estimate = kx.krippendorff_alpha(table, level, ci=kx.Bootstrap(B, seed=seed, resample=pairing), **options)
    exact = ref.alpha_of_pairs(table, pairing, B, seed, level, **options)
    assert all(map(is_near, estimate.replicates, exact))


@pytest.mark.parametrize("name", TWINS)
@given(table=one_pool(min_raters=2), level=levels, seed=seeds)
def test_permuted_ratings(name, table, level, seed):
    assume(not is_empty(table))
    options = OPTIONS.get(level, {})
    found = kx.permutation_test(table, name, level, n_permutations=B, seed=seed, **options)
    domain = sorted({value for row in table for value in row if value is not None})
    twin = getattr(ref, name)
    statistic = twin(table, level, domain=domain, **options)[0]
    assert is_near(found.estimate, statistic)
    if statistic is None:
        return
    permuted = ref.permuted_ratings(table, B, seed, level, domain)
    exact = [twin(data, level, domain=domain, **options)[0] for data in permuted]
    assert all(map(is_near, found.replicates, exact))
    assert found.p_value == float(ref.permutation_p(statistic, exact))


@given(
    tables=pools(), level=st.sampled_from(["nominal", "ordinal", "interval"]), seed=seeds, n=st.sampled_from([B, 100])
)
def test_permuted_raters(tables, level, seed, n):
    assume(not any(map(is_empty, tables)))
    found = kx.permutation_test(tuple(tables), "cross_kappa", level, n_permutations=n, seed=seed)
    domain = sorted({v for table in tables for row in table for v in row if v is not None})
    statistic = ref.cross_kappa(*tables, level, domain=domain)[0]
    assert is_near(found.estimate, statistic)
    if statistic is None:
        return
    splits = ref.permuted_raters(*tables, n, seed, level, domain)
    exact = [ref.cross_kappa(*split, level, domain=domain)[0] for split in splits]
    assert len(found.replicates) == len(exact)
    assert all(map(is_near, found.replicates, exact))
    assert found.p_value == float(ref.permutation_p(statistic, exact, "less", exact=found.exact))
