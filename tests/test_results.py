"""Results: how they read, compare, copy and become plain data."""

import copy
import dataclasses
import datetime as dt
import decimal
import json
import math
import pickle
import re
import warnings

import numpy as np
import pytest

import kappax as kx
from kappax import Coincidences, CrossReplication, Estimate, Interval, KappaxError

NAN = float("nan")


def make_interval(**changes):
    fields = {
        "low": 0.41,
        "high": 1.0,
        "confidence_level": 0.95,
        "method": "percentile",
        "resample": "units",
        "n_resamples": 1000,
        "n_used": 998,
    }
    return Interval(**(fields | changes))


def make_estimate(**changes):
    fields = {
        "coefficient": "krippendorff_alpha",
        "level": "nominal",
        "estimate": 0.743421052631579,
        "observed": 0.2,
        "expected": 0.779487179487179,
        "n_units": 11,
        "n_raters": 4,
        "n_pairable": 40,
        "n_dropped": 1,
        "domain": (1, 2, 3, 4, 5),
    }
    return Estimate(**(fields | changes))


def with_replicates(**changes):
    fields = {
        "confidence_interval": make_interval(),
        "standard_error": 0.14,
        "replicates": np.linspace(0, 1, 1001),
        "seed": 113,
        "resample": "units",
    }
    return make_estimate(**(fields | changes))


def undefined(**changes):
    return make_estimate(**({"estimate": NAN, "expected": 0.0, "reason": "all ratings are equal"} | changes))


def make_cross(x="crowd", y="expert", **changes):
    fields = {
        "pools": (x, y),
        "irr": {x: with_replicates(), y: undefined()},
        "cross_kappa": {(x, y): with_replicates(coefficient="cross_kappa", pools=(x, y))},
        "normalized": {(x, y): undefined(coefficient="normalized_cross_kappa", pools=(x, y))},
    }
    return CrossReplication(**(fields | changes))


COINCIDENCES = Coincidences(np.array([[7.0, 1.0], [1.0, 3.0]]), np.array([[5.0, 3.0], [3.0, 1.0]]), ("no", "yes"))

EVERY_RESULT = [make_interval(), make_estimate(), with_replicates(), undefined(), make_cross(), COINCIDENCES]


# --- what all of them promise


@pytest.mark.parametrize("result", EVERY_RESULT, ids=lambda r: type(r).__name__)
def test_results_are_frozen_slotted_values(result):
    assert not hasattr(result, "__dict__")
    with pytest.raises(AttributeError):
        setattr(result, dataclasses.fields(result)[0].name, 1)
    for twin in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301
        assert twin == result
    assert result != 1
    assert "\n" not in repr(result)
    assert str(result)


@pytest.mark.parametrize("result", EVERY_RESULT, ids=lambda r: type(r).__name__)
def test_to_dict_is_valid_json(result):
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text) == result.to_dict()


def test_arrays_are_read_only_copies_even_after_pickling():
    given = np.linspace(0, 1, 5)
    result = make_estimate(replicates=given)
    given[0] = 9
    assert result.replicates[0] == 0
    for twin in (result, pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):  # noqa: S301
        assert twin.replicates.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            twin.replicates[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        COINCIDENCES.observed[0, 0] = 1


# --- Estimate


def test_an_estimate_is_a_number_where_one_is_wanted():
    result = make_estimate()
    assert float(result) == result.estimate
    assert f"{result:.3f}" == "0.743"
    assert f"{result}" == str(result)
    assert math.isnan(float(undefined()))


def test_replicates_are_no_part_of_repr_equality_or_dict():
    assert with_replicates() == with_replicates(replicates=np.zeros(3))
    assert hash(with_replicates()) == hash(with_replicates(replicates=np.zeros(3)))
    assert with_replicates() != with_replicates(seed=114)
    assert "replicates" not in repr(with_replicates())
    assert "replicates" not in with_replicates().to_dict()


def test_to_dict_is_plain():
    result = undefined(domain=(dt.date(2024, 5, 1), "a", True, np.float64(1.5), np.int64(2)), pools=(1, "b"))
    plain = result.to_dict()
    assert plain["domain"] == ["2024-05-01", "a", True, 1.5, 2]
    assert [type(v) for v in plain["domain"]] == [str, str, bool, float, int]
    assert plain["pools"] == [1, "b"]
    assert plain["estimate"] is None
    assert plain["confidence_interval"] is None
    assert with_replicates().to_dict()["confidence_interval"]["low"] == 0.41


def test_str_says_what_was_resampled_and_how_to_repeat_it():
    text = str(with_replicates())
    assert text.startswith("Krippendorff's alpha, nominal level\n")
    assert "0.7434" in text
    assert "[0.4100, 1.0000]  95%, percentile" in text
    assert "1,000 resamples of units, seed 113; defined on 998 of them" in text
    assert "11 units, 40 pairable ratings, 4 raters; 1 unit left out" in text


def test_str_gives_the_reason_as_a_sentence():
    assert "undefined" in str(undefined())
    assert "All ratings are equal." in str(undefined())


@pytest.mark.parametrize(("scale", "words"), [("values", "on the values"), ("ranks", "on the ranks")])
def test_str_says_whether_values_or_ranks_were_used(scale, words):
    assert words in str(make_estimate(level="interval", scale=scale))
    assert "on the" not in str(make_estimate())
    assert words in str(make_cross(irr={"crowd": make_estimate(level="interval", scale=scale)}))


def almost_constant(**changes):
    """FAULTS row 8: one 1 among 22 ratings that are 3 otherwise."""
    fields = {"estimate": 0.0, "observed": 2 / 22, "expected": 2 / 22, "n_pairable": 22, "domain": (1, 3)}
    return make_estimate(**(fields | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"level": "interval", "scale": "values", "observed": 8 / 22, "expected": 8 / 22},
        {"level": "linear", "scale": "values", "observed": 4 / 22, "expected": 4 / 22},
        {"level": "interval", "scale": "ranks", "domain": ("a", "b")},
        {"level": "ordinal", "observed": 11.0, "expected": 11.0},
        {"level": "ratio", "scale": "values", "observed": 0.5 / 22, "expected": 0.5 / 22},
    ],
)
def test_reading_explains_zero_on_almost_constant_data(changes):
    result = almost_constant(**changes)
    assert result.reading.startswith("At least 90% of the ratings are one value")
    assert result.reading in str(result)


@pytest.mark.parametrize(
    "result",
    [
        make_estimate(),
        almost_constant(estimate=0.9),
        almost_constant(expected=0.5, observed=0.5),
        almost_constant(level="ordinal", domain=(1, 2, 3)),
        almost_constant(level="custom"),
        almost_constant(level="interval", scale="values", domain=(3,)),
    ],
)
def test_reading_is_silent_where_there_is_nothing_to_explain(result):
    assert result.reading is None


def test_interval_again_from_the_same_replicates():
    wide, narrow = with_replicates().interval(), with_replicates().interval(confidence_level=0.5)
    assert (wide.low, wide.high) == pytest.approx((0.025, 0.975))
    assert (narrow.low, narrow.high) == pytest.approx((0.25, 0.75))
    assert (narrow.confidence_level, narrow.method, narrow.resample) == (0.5, "percentile", "units")
    assert (narrow.n_resamples, narrow.n_used) == (1001, 1001)


def test_interval_counts_the_replicates_that_are_defined():
    interval = with_replicates(replicates=np.array([NAN, 0.0, 1.0, NAN])).interval()
    assert (interval.n_resamples, interval.n_used) == (4, 2)
    empty = with_replicates(replicates=np.array([NAN, NAN])).interval()
    assert math.isnan(empty.low)
    assert empty.n_used == 0
    assert "[undefined]" in str(empty)


def test_interval_refuses_what_it_cannot_do():
    with pytest.raises(KappaxError, match="pass ci="):
        make_estimate().interval()
    with pytest.raises(KappaxError, match=r"method must be 'percentile' or .* 'magic'"):
        with_replicates().interval(method="magic")
    with pytest.raises(KappaxError, match="confidence_level"):
        with_replicates().interval(1.5)


# --- CrossReplication


def test_a_pair_is_found_in_either_order_and_iterated_once():
    result = make_cross()
    assert list(result.cross_kappa) == [("crowd", "expert")]
    assert result.cross_kappa["expert", "crowd"] is result.cross_kappa["crowd", "expert"]
    assert ("expert", "crowd") in result.normalized
    assert ("expert", "gold") not in result.normalized
    assert ("expert", "expert") not in result.normalized
    assert "expert" not in result.normalized
    assert result.normalized.get(("expert", "crowd")) is result.normalized["crowd", "expert"]
    assert result.normalized.get(("expert", "gold"), 5) == 5
    with pytest.raises(KeyError, match="no such pair"):
        result.cross_kappa["expert", "gold"]


def test_cross_replication_str_has_a_row_for_each_estimate():
    text = str(make_cross())
    for words in (
        "IRR (Krippendorff's alpha): crowd",
        "kappa_x: crowd ~ expert",
        "normalized kappa_x: crowd ~ expert",
    ):
        assert words in text
    assert "95% interval" in text
    assert "1,000 resamples of units, seed 113" in text
    assert "kappa_x: crowd ~ expert: defined on 998 of the resamples." in text
    assert "All ratings are equal." in text


def test_cross_replication_dict():
    plain = make_cross(x=1).to_dict()
    assert plain["pools"] == [1, "expert"]
    assert set(plain["irr"]) == {"1", "expert"}
    assert plain["cross_kappa"][0]["pools"] == [1, "expert"]
    assert plain["normalized"][0]["estimate"] is None


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_to_frame(backend):
    pytest.importorskip(backend)
    frame = make_cross().to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert frame.shape == (4, 12)
    assert list(frame["pool_x"].to_pylist() if backend == "pyarrow" else frame["pool_x"]) == [
        "crowd",
        "expert",
        "crowd",
        "crowd",
    ]


def test_to_frame_refuses_other_libraries():
    with pytest.raises(KappaxError, match=r"backend must be .*did you mean 'polars'.*: 'Polar'"):
        make_cross().to_frame("Polar")


# --- HTML and Coincidences


@pytest.mark.parametrize("result", EVERY_RESULT, ids=lambda r: type(r).__name__)
def test_html_is_there(result):
    assert result._repr_html_().startswith("<")


def test_html_escapes_labels():
    evil = "<script>alert('x')</script>"
    for result in (
        make_cross(x=evil),
        make_estimate(pools=(evil, "b")),
        undefined(reason=evil),
        Coincidences(np.eye(2), np.eye(2), (evil, "b")),
    ):
        assert "<script" not in result._repr_html_()
        assert "&lt;script&gt;" in result._repr_html_()


def test_coincidences_show_observed_and_expected():
    assert str(COINCIDENCES).splitlines() == [
        "Coincidences: observed (expected)",
        "                no          yes",
        "  no   7.00 (5.00)  1.00 (3.00)",
        "  yes  1.00 (3.00)  3.00 (1.00)",
    ]
    assert repr(COINCIDENCES) == "Coincidences(2 values, 12 pairable ratings)"


def test_coincidences_of_many_values_are_cut():
    K = 300
    text = str(Coincidences(np.eye(K), np.eye(K), tuple(range(K))))
    assert "the first 10 of 300 values" in text
    assert len(text.splitlines()) == 12


@pytest.mark.parametrize("coefficient", ["light_kappa", "normalized_cross_kappa", "split_half_reliability"])
def test_a_low_number_without_disagreements_of_its_own_prints(coefficient):
    e = make_estimate(
        coefficient=coefficient, level="interval", estimate=-0.5, observed=math.nan, expected=math.nan, scale="values"
    )
    assert e.reading is None
    assert "-0.5" in str(e)


@pytest.mark.parametrize("function", [kx.percent_agreement, kx.gwet_ac, kx.brennan_prediger])
def test_shares_of_the_largest_difference_are_not_read_as_chance(function):
    assert function([[1, 9], [1, 1], [9, 1]], "interval").reading is None


@pytest.mark.parametrize("level", ["interval", "ratio", "linear"])
@pytest.mark.parametrize(
    "values",
    [(1e200, 3e200), (1e-200, 3e-200), (2e-162, 4e-162), (0.0, 1e308, 1.7e308), (decimal.Decimal("0.1"), 0.1)],
    ids=["large", "small", "smallest", "largest", "one as floats"],
)
def test_values_at_the_ends_of_the_range_print(values, level):
    units = [[values[0], values[-1]], *[[values[0], values[0]]] * 3]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kx.UndefinedCoefficientWarning)
        e = kx.krippendorff_alpha(units, level, domain=values)
    assert "estimate" in str(e)
    if e.reading is not None and e.reason is None:
        share = int(re.search(r"At least (\d+)%", e.reading)[1])
        assert share <= 100 * 7 / 8
