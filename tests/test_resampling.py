"""What is drawn: clusters, raters, units and raters; each against its definition and the laws that it obeys."""

import numpy as np
import pytest

import kappax as kx
from kappax.errors import KappaxError, RatingsError
from shared import needs_data
from test_data import coal

RATERS = [[1, 1, 2, None], [2, 2, 2, 1], [1, 1, 1, 1], [3, 3, None, 2], [2, 1, 2, 2], [3, 3, 3, 3], [1, None, 2, 1]]


def bootstrap(resample="units", n=200, seed=5, **options):
    return kx.Bootstrap(n, seed=seed, resample=resample, **options)


def crossed(rng, n_units=30, n_raters=(4, 3)):
    """Ratings of two pools whose raters lean to one side or the other."""
    truth = rng.integers(0, 2, n_units)
    rows = []
    for pool, n in zip("xy", n_raters, strict=True):
        for rater in range(n):
            wrong = rng.random(n_units) < rng.uniform(0.05, 0.4)
            rated = rng.random(n_units) < 0.8
            for unit in np.flatnonzero(rated):
                value = int(truth[unit] ^ wrong[unit])
                rows.append({"unit": int(unit), "rater": f"{pool}{rater}", "pool": pool, "value": value})
    return rows


def pools(rows, **roles):
    return kx.Ratings.from_long(rows, unit="unit", rater="rater", pool="pool", value="value", **roles)


def _width(estimate):
    return estimate.confidence_interval.high - estimate.confidence_interval.low


# --- raters


@pytest.mark.parametrize("resample", ["raters", "both"])
def test_order_of_units_raters_and_pools_does_not_touch_a_bit(resample):
    rng = np.random.default_rng(3)
    rows = crossed(rng)
    one = kx.cross_replication(pools(rows), ci=bootstrap(resample))
    mixed = [rows[i] for i in rng.permutation(len(rows))]
    renamed = [{**row, "rater": row["rater"][::-1], "pool": {"x": "b", "y": "a"}[row["pool"]]} for row in mixed]
    two = kx.cross_replication(pools(renamed), ci=bootstrap(resample), n_threads=1)
    for mine, other in ((one.irr["x"], two.irr["b"]), (one.irr["y"], two.irr["a"])):
        assert np.array_equal(mine.replicates, other.replicates, equal_nan=True)
    pair = one.normalized["x", "y"].replicates, two.normalized["a", "b"].replicates
    assert np.array_equal(*pair, equal_nan=True)


def test_raters_alone_leave_units_as_they_are():
    # Units that are all the same: whoever rates, the estimate can only be that of copies of one unit.
    data = [[1, 1, 2]] * 6
    replicates = kx.krippendorff_alpha(data, ci=bootstrap("raters")).replicates
    some = replicates[~np.isnan(replicates)]
    # Drawn raters (1, 1, 2): as the data. (1, 2, 2): without the pair of copies. Else nothing to see.
    assert set(np.round(some, 12)) == set(np.round([kx.krippendorff_alpha(data).estimate, some.min()], 12))


def test_a_pair_of_copies_is_no_pair():
    # Two raters: either both are drawn, which is the data, or one of them twice, which leaves no pair.
    data = [[1, 1], [1, 2], [2, 2], [3, 3]]
    result = kx.krippendorff_alpha(data, ci=bootstrap("raters"))
    some = result.replicates[~np.isnan(result.replicates)]
    assert 60 < len(some) < 140  # a half of 200
    assert set(some) == {result.estimate}


def test_units_and_raters_are_wider_where_raters_differ():
    rows = crossed(np.random.default_rng(11), 200, (5, 5))
    widths = {}
    for resample in ("units", "raters", "both"):
        widths[resample] = _width(kx.cross_replication(pools(rows), ci=bootstrap(resample, 400)).cross_kappa["x", "y"])
    assert widths["both"] > 1.3 * widths["units"]
    assert widths["both"] > widths["raters"]


@needs_data
def test_two_way_intervals_of_coal_debate_are_about_twice_as_wide():
    # A simulation of the definition in numpy gives 2.0 for EN-1 and EN-2, 1.7 for EN-2 and DE.
    data = coal()
    for pair, ratio in ((("EN-1", "EN-2"), 2.0), (("EN-2", "DE"), 1.7)):
        pools = data.select(pools=pair)
        both, units = (kx.cross_replication(pools, ci=bootstrap(s, 1000)).cross_kappa[pair] for s in ("both", "units"))
        assert _width(both) / _width(units) == pytest.approx(ratio, abs=0.2)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_every_rater_once_is_the_estimate(level):
    # Each resample of one rater a pool is that rater: kappa_x cannot move.
    rows = [
        {"unit": u, "rater": p, "pool": p, "value": v}
        for u, pair in enumerate([(1, 1), (2, 3), (3, 3)])
        for p, v in zip("xy", pair, strict=True)
    ]
    estimate = kx.cross_replication(pools(rows), level, ci=bootstrap("raters", 20)).cross_kappa["x", "y"]
    assert set(estimate.replicates) == {estimate.estimate}


@pytest.mark.parametrize("name", ["fleiss_kappa", "gwet_ac", "percent_agreement", "brennan_prediger"])
def test_other_coefficients_of_a_pool_draw_raters(name):
    result = getattr(kx, name)(RATERS, ci=bootstrap("both"))
    assert result.resample == "both"
    assert result.confidence_interval.low < result.estimate < result.confidence_interval.high
    assert "resamples of units and raters" in str(result)


@pytest.mark.parametrize("name", ["light_kappa", "conger_kappa", "iota"])
def test_named_raters_cannot_be_drawn(name):
    with pytest.raises(KappaxError, match=f"{name} is of named raters"):
        getattr(kx, name)([[1, 1], [2, 1]], ci=bootstrap("raters"))


def test_a_pool_without_ratings_stays_undefined():
    rows = [*crossed(np.random.default_rng(3)), {"unit": 0, "rater": "z", "pool": "z", "value": None}]
    frame = {name: [row[name] for row in rows] for name in ("unit", "rater", "pool", "value")}
    ratings = kx.Ratings.from_long(frame, unit="unit", rater="rater", pool="pool", value="value")
    result = kx.cross_replication(ratings, ci=bootstrap("both", 20))
    assert result.cross_kappa["x", "y"].confidence_interval.n_used == 20
    assert "z" in result.irr["z"].reason


def test_raters_must_be_known():
    anonymous = kx.Ratings.from_long({"u": [1, 1, 2, 2], "v": [1, 1, 2, 1]}, unit="u", value="v")
    with pytest.raises(RatingsError, match="resample='both' needs to know who rated"):
        kx.krippendorff_alpha(anonymous, ci=bootstrap("both"))
    with pytest.raises(RatingsError, match="a Tally does not say who rated what"):
        kx.krippendorff_alpha(anonymous.tally(), ci=bootstrap("raters"))
    with pytest.raises(KappaxError, match="method 'bca' needs a jackknife"):
        bootstrap("raters", method="bca")
    with pytest.raises(KappaxError, match="agreement_table draws units only"):
        kx.agreement_table({"u": [1, 1], "v": [1, 1]}, unit="u", value="v", ci=bootstrap("both"))


# --- clusters


def test_clusters_of_one_unit_are_units():
    data = kx.Ratings.from_matrix(RATERS, clusters=list("abcdefg"))
    units, clusters = (kx.krippendorff_alpha(r, "ordinal", ci=bootstrap(method="bca")) for r in (RATERS, data))
    assert clusters.resample == "clusters"
    assert "resamples of clusters" in str(clusters)
    assert clusters.confidence_interval.low == pytest.approx(units.confidence_interval.low, abs=0.2)
    assert clusters.jackknife.standard_error == pytest.approx(units.jackknife.standard_error, rel=1e-12)


def test_clusters_come_whole():
    twice = [row for row in RATERS for _ in range(2)]
    clusters = [i // 2 for i in range(len(twice))]
    one = kx.krippendorff_alpha(RATERS, ci=bootstrap())
    two = kx.krippendorff_alpha(kx.Ratings.from_matrix(twice, clusters=clusters), ci=bootstrap())
    assert two.estimate != one.estimate  # n is doubled in expected disagreement
    loose = kx.krippendorff_alpha(twice, ci=bootstrap())
    assert np.nanstd(two.replicates) > 1.2 * np.nanstd(loose.replicates)
    assert two.jackknife.standard_error > 1.2 * loose.jackknife.standard_error


def test_clusters_do_not_depend_on_order_or_names():
    rng = np.random.default_rng(0)
    rows = [{**row, "document": row["unit"] // 4} for row in crossed(rng)]
    one = kx.cross_replication(pools(rows, cluster="document"), ci=bootstrap())
    mixed = [{**rows[i], "document": f"d{-rows[i]['document']}"} for i in rng.permutation(len(rows))]
    two = kx.cross_replication(pools(mixed, cluster="document"), ci=bootstrap())
    assert np.array_equal(one.cross_kappa["x", "y"].replicates, two.cross_kappa["x", "y"].replicates)
    both = kx.cross_replication(pools(rows, cluster="document"), ci=bootstrap("both"))
    assert both.cross_kappa["x", "y"].resample == "clusters and raters"


def test_two_sides_share_clusters():
    x = kx.Ratings.from_matrix([[1, 1], [2, 2], [1, 2]], units=list("abc"), clusters=[0, 0, 1])
    y = kx.Ratings.from_matrix([[1], [2], [2]], units=list("abc"), clusters=[0, 0, 1])
    assert kx.cross_kappa(x, y, ci=bootstrap(n=20)).resample == "clusters"
    other = kx.Ratings.from_matrix([[1], [2], [2]], units=list("abc"), clusters=[0, 1, 1])
    with pytest.raises(RatingsError, match="a unit in two clusters, unit 'b': 0 and 1"):
        kx.cross_kappa(x, other, ci=bootstrap())
    more = kx.Ratings.from_matrix([[1], [2]], units=list("ad"))
    with pytest.raises(RatingsError, match="these have none: 'd'"):
        kx.cross_kappa(x, more, ci=bootstrap())


def test_bad_clusters_are_named():
    frame = {"u": ["a", "a", "b"], "v": [1, 1, 2], "c": [1, 2, 1]}
    with pytest.raises(RatingsError, match="a unit in two clusters, unit 'a': 1 and 2"):
        kx.Ratings.from_long(frame, unit="u", value="v", cluster="c")
    with pytest.raises(RatingsError, match="a rating without a cluster, row: 1"):
        kx.Ratings.from_long({**frame, "c": [1, None, 1]}, unit="u", value="v", cluster="c")
    with pytest.raises(RatingsError, match="clusters needs a label for each row, 2 in all: 3"):
        kx.Ratings.from_matrix([[1, 1], [2, 2]], clusters=[1, 2, 3])


# --- pairs, as older bootstraps draw them


@pytest.mark.parametrize("resample", ["pairs-krippendorff", "pairs-kalpha"])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_pairs_do_not_depend_on_order_or_threads(resample, level):
    rng = np.random.default_rng(8)
    data = np.array([[np.nan if v is None else v for v in row] for row in RATERS])
    one = kx.krippendorff_alpha(data, level, ci=bootstrap(resample), n_threads=1)
    two = kx.krippendorff_alpha(data[rng.permutation(7)][:, [3, 0, 2, 1]], level, ci=bootstrap(resample), n_threads=3)
    assert one.replicates.tobytes() == two.replicates.tobytes()
    assert one.estimate == kx.krippendorff_alpha(data, level).estimate
    assert np.nanmean(one.replicates) == pytest.approx(one.estimate, abs=0.1)
    assert "pairs of ratings as in K" in str(one)
    assert one.resample == one.confidence_interval.resample == resample


def test_pairs_of_units_are_too_sure_of_themselves():
    # Ten raters who agree within a unit: the pairs of a unit are 45 times the same thing.
    rng = np.random.default_rng(2)
    data = np.where(rng.random((20, 10)) < 0.8, rng.integers(0, 2, (20, 1)), 1 - rng.integers(0, 2, (20, 1)))
    widths = {r: _width(kx.krippendorff_alpha(data, ci=bootstrap(r, 1000))) for r in ("units", "pairs-kalpha")}
    assert widths["pairs-kalpha"] > 0.5 * widths["units"]  # M does not grow with n ...
    many = [_width(kx.krippendorff_alpha(np.tile(data, (n, 1)), ci=bootstrap("pairs-kalpha"))) for n in (1, 20)]
    assert many[1] == pytest.approx(many[0], rel=0.2)  # ... and so the width does not shrink
    narrow = _width(kx.krippendorff_alpha(data, ci=bootstrap("pairs-krippendorff", 1000)))
    assert narrow < 0.6 * widths["units"]


def test_pairs_are_for_alpha_alone():
    pairs = bootstrap("pairs-kalpha")
    with pytest.raises(KappaxError, match="is for Krippendorff's alpha of one pool alone, not for fleiss_kappa"):
        kx.fleiss_kappa(RATERS, ci=pairs)
    with pytest.raises(KappaxError, match="of one pool alone, not for krippendorff_alpha"):
        kx.cross_replication(pools(crossed(np.random.default_rng(3))), ci=pairs)
    with pytest.raises(KappaxError, match="knows no clusters"):
        kx.krippendorff_alpha(kx.Ratings.from_matrix([[1, 1], [1, 2]], clusters=[1, 1]), ci=pairs)
    with pytest.raises(KappaxError, match="is there to repeat percentile limits, not 'bca'"):
        bootstrap("pairs-kalpha", method="bca")
    with pytest.raises(KappaxError, match="is there to repeat percentile limits, not 'normal'"):
        kx.krippendorff_alpha(RATERS, ci=pairs).interval(method="normal")
    with pytest.warns(kx.UndefinedCoefficientWarning):
        undefined = kx.krippendorff_alpha([[1, 1], [1, 1]], ci=pairs)
    assert undefined.confidence_interval.n_used == 0


# --- the jackknife


def test_a_unit_that_is_nearly_everything_leaves_exact_numbers():
    # Without either unit one is left, whose observed disagreement is that of chance: alpha is 0 both times.
    for data in ([[0, 1e-7], [0.1, 1e6]], [[0, 1e-7], [0.1, 1e9]]):
        for level in ("interval", "linear", "ratio", "ordinal"):
            assert kx.krippendorff_alpha(data, level).jackknife.standard_error == 0.0
    # More values than are counted one by one, so that moments stand for them.
    rng = np.random.default_rng(0)
    data = np.vstack([rng.random((100, 2)) * 1e-6, [[0.0, 1e9]]])
    found = kx.krippendorff_alpha(data, "interval").jackknife
    without = [kx.krippendorff_alpha(np.delete(data, i, axis=0), "interval").estimate for i in range(101)]
    n = len(without)
    assert found.standard_error == pytest.approx(
        np.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2)), rel=1e-9
    )
