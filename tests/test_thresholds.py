"""Cuts, scales and families of tests: shares counted by hand, laws, and what is refused."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappax as kx
from kappax import reference as ref
from kappax.errors import KappaxError
from kappax.scales import SCALES

DATA = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 3], [1, 1], [2, 3]]
ALPHA = kx.krippendorff_alpha(DATA, ci=kx.Bootstrap(400, seed=7))


def with_replicates(*replicates):
    return dataclasses.replace(ALPHA, replicates=np.array(replicates))


# --- cuts


def test_shares_are_counted():
    some = with_replicates(0.5, 0.8, 0.8 + 1e-15, 0.8 - 1e-15, 0.79, math.nan, 0.9, 0.1)
    assert some.probability(above=0.8) == 4 / 7
    assert some.probability(below=0.8) == 1 - 4 / 7
    assert some.probability(above=-2.0) == 1.0
    table = some.thresholds([0.9, 0.5])
    assert table.cuts == (0.5, 0.9)
    assert table.above == (6 / 7, 1 / 7)
    assert table.n_used == 7


@given(st.floats(-1.5, 1.5))
def test_above_and_below_add_up(cut):
    assert ALPHA.probability(above=cut) + ALPHA.probability(below=cut) == 1.0


def test_the_table_of_customary_cuts():
    table = ALPHA.thresholds()
    assert table.cuts == (0.5, 0.6, 0.667, 0.7, 0.8, 0.9)
    assert list(table.above) == sorted(table.above, reverse=True)
    assert "0.667" in str(table)
    assert "400 resamples of units" in str(table)
    assert table._repr_html_().startswith("<table>")
    assert table.to_dict()["above"] == list(table.above)
    assert repr(table).startswith('Thresholds("Krippendorff\'s alpha", above={0.5: ')


# --- scales


@pytest.mark.parametrize("name", SCALES)
def test_each_cut_belongs_to_one_side(name):
    scale = SCALES[name]
    assert len(scale.words) == len(scale.ranges()) == len(scale.cuts) + 1
    for i, cut in enumerate(scale.cuts):
        found = with_replicates(cut).interpret(name)
        at = i + 1 if scale.includes == "above" else i
        assert found.probabilities[at] == 1.0
        nearly = [
            with_replicates(cut + d).interpret(name).probabilities.index(1.0) for d in (-1e-14, 1e-14, -1e-9, 1e-9)
        ]
        assert nearly == [at, at, i, i + 1]


@pytest.mark.parametrize("name", SCALES)
def test_probabilities_add_up(name):
    found = ALPHA.interpret(name)
    assert math.fsum(found.probabilities) == pytest.approx(1.0, abs=1e-12)
    assert SCALES[name].name in str(found)
    assert found.source == SCALES[name].source
    assert found._repr_html_().startswith("<table>")


def test_words_of_the_literature():
    words = [
        ("landis-koch", [-0.1, 0.1, 0.3, 0.5, 0.7, 0.9]),
        ("krippendorff", [0.6, 0.7, 0.8]),
        ("altman", [0.1, 0.3, 0.5, 0.7, 0.9]),
        ("fleiss", [0.39, 0.5, 0.76]),
        ("cicchetti-sparrow", [0.39, 0.59, 0.74, 0.75]),
    ]
    for name, examples in words:
        found = [with_replicates(x).interpret(name).probabilities.index(1.0) for x in examples]
        assert found == list(range(len(SCALES[name].words)))


# --- without an answer


def test_without_replicates_there_is_no_word():
    plain = kx.krippendorff_alpha(DATA)
    for ask in (lambda: plain.probability(above=0.8), plain.thresholds, plain.interpret):
        with pytest.raises(KappaxError, match=r"a probability needs replicates.*pass ci="):
            ask()
    with pytest.raises(KappaxError, match=r"say one of above= and below=: None and None"):
        ALPHA.probability()
    with pytest.raises(KappaxError, match=r"above must be a finite number: nan"):
        ALPHA.probability(above=math.nan)
    with pytest.raises(TypeError, match="below must be a number, not str"):
        ALPHA.probability(below="0.8")
    with pytest.raises(KappaxError, match=r"scale must be 'landis-koch' or .*did you mean 'landis-koch'"):
        ALPHA.interpret("landis")


def test_what_is_undefined_has_no_probability():
    with pytest.warns(kx.UndefinedCoefficientWarning):
        undefined = kx.krippendorff_alpha([[1, 1], [1, 1]], ci=kx.Bootstrap(20, seed=1))
    assert math.isnan(undefined.probability(above=0.8))
    assert "same value" in undefined.thresholds().reason
    assert all(map(math.isnan, undefined.interpret().probabilities))
    assert "undefined" in str(undefined.interpret())
    never = dataclasses.replace(ALPHA, replicates=np.full(5, math.nan))
    assert "every resample" in never.thresholds().reason


# --- families


p_values = st.fractions(0, 1, max_denominator=50)


@given(st.lists(p_values, max_size=12))
def test_adjusted_p_values(p):
    found = kx.benjamini_hochberg([float(x) for x in p])
    np.testing.assert_allclose(found.adjusted, [float(x) for x in ref.adjusted_p(p)], rtol=1e-14)
    assert found.rejected == tuple(x <= 0.05 for x in found.adjusted)


def test_a_published_family():
    # The fifteen p values of the paper's example: four are rejected.
    p = [1, 4, 19, 95, 201, 278, 298, 344, 459, 3240, 4262, 5719, 6528, 7590, 10000]
    found = kx.benjamini_hochberg([x / 10000 for x in p])
    assert sum(found.rejected) == 4
    assert ref.adjusted_p([Fraction(1, 100), Fraction(1, 25)]) == [Fraction(1, 50), Fraction(1, 25)]


def test_families_of_results_and_of_missing_tests():
    tests = {"a": kx.permutation_test(DATA, seed=1), "b": kx.permutation_test([[1, 1], [1, 1]])}
    found = kx.benjamini_hochberg(tests)
    assert found.names == ("a", "b")
    assert found.n_tests == 1
    assert found.adjusted[0] == tests["a"].p_value
    assert math.isnan(found.adjusted[1])
    assert not found.rejected[1]
    assert "1 rejected" in repr(found)
    assert found._repr_html_().startswith("<table>")


def test_bad_families():
    with pytest.raises(KappaxError, match=r"a p value lies between 0 and 1, test 'b': 1\.5"):
        kx.benjamini_hochberg({"a": 0.5, "b": 1.5})
    with pytest.raises(TypeError, match=r"test 0 has no p value: None"):
        kx.benjamini_hochberg([None])
    with pytest.raises(TypeError, match="p_values must be a mapping or a sequence, not float"):
        kx.benjamini_hochberg(0.5)
    with pytest.raises(KappaxError, match="q must lie between 0 and 1"):
        kx.benjamini_hochberg([0.5], q=1)
