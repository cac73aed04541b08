"""Plans: the published sample sizes, the model's laws, and what is refused."""

import math

import numpy as np
import pytest

import kappax as kx
from kappax._analysis import read
from kappax.cli import main
from kappax.errors import KappaxError
from kappax.planning import Model

PILOT = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 2], [3, 3], [1, 1], [2, 3]] * 4


@pytest.mark.parametrize(("alpha_min", "n"), [(0.8, 139), (0.667, 81)])
def test_sample_sizes_that_krippendorff_tabulates(alpha_min, n, capsys):
    assert kx.sample_size(4, alpha_min, 0.05) == n
    assert main(["sample-size", "--min", str(alpha_min)]) == 0
    assert capsys.readouterr().out == f"{n}\n"


def test_rarer_values_take_more_units():
    sizes = [kx.sample_size(4, least_share=s) for s in (0.25, 0.1, 0.01)]
    assert sizes == sorted(sizes)
    assert sizes[0] == kx.sample_size(4)
    assert kx.sample_size(p=0.005) > kx.sample_size(p=0.05)


def fit(pilot, level="nominal"):
    return Model.fit(read(pilot, None, level, None, None, None))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_the_model_has_the_alpha_and_the_shares_of_the_pilot(level):
    model = fit(PILOT, level)
    data = model.draw(200_000, 3, seed=5, i=0).counts
    assert kx.krippendorff_alpha(data, level).estimate == pytest.approx(model.alpha, abs=0.005)
    used = data.table.values_used()[0]
    np.testing.assert_allclose(used / used.sum(), model.shares, atol=0.005)


def test_it_is_the_beta_binomial():
    # Number of the second value among m ratings, against its distribution.
    model = fit([[0, 0], [1, 1], [0, 0], [0, 1], [0, 0], [1, 1]])
    rho, p, m = model.alpha, model.shares[1], 4
    a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
    beta = lambda x, y: math.gamma(x) * math.gamma(y) / math.gamma(x + y)  # noqa: E731
    expected = [math.comb(m, k) * beta(k + a, m - k + b) / beta(a, b) for k in range(m + 1)]
    table = model.draw(200_000, m, seed=1, i=0).counts.table
    found = dict.fromkeys(range(m + 1), 0.0)
    for counts, w in zip(table.patterns(), table.multiplicity(), strict=True):
        found[int(counts[0, 1])] += w / 200_000
    np.testing.assert_allclose(list(found.values()), expected, atol=0.004)


def test_the_width_is_what_was_asked_for():
    found = kx.plan(PILOT, width=0.2, raters=[2, 4], seed=3)
    assert all(found.enough)
    for m, n, width in zip(found.raters, found.units, found.width, strict=True):
        assert width == pytest.approx(0.2, rel=0.02)
        # Other data sets from the same model, drawn by way of the Dirichlet distribution.
        rng, model = np.random.default_rng(m), fit(PILOT)
        widths = []
        for _ in range(60):
            chances = rng.dirichlet(model.shares * (1 - model.alpha) / model.alpha, n)
            data = np.array([rng.choice(3, m, p=c) for c in chances])
            ci = kx.krippendorff_alpha(data, ci=kx.Bootstrap(200, seed=1)).confidence_interval
            widths.append(ci.high - ci.low)
        assert np.mean(widths) == pytest.approx(0.2, rel=0.1)
    assert found.ratings == (2 * found.units[0], 4 * found.units[1])


def test_a_plan_repeats_and_can_be_read():
    one, two = (kx.plan(PILOT, "ordinal", units=60, seed=3, n_threads=n) for n in (1, 2))
    assert one == two
    assert one.units == (60, 60, 60)
    assert list(one.width) == sorted(one.width, reverse=True)
    assert "raters a unit" in str(one)
    assert one._repr_html_().startswith("<table>")
    assert repr(one).startswith("Plan(alpha=")
    assert kx.plan(PILOT, units=60, seed=4).width != kx.plan(PILOT, units=60, seed=3).width


def test_a_pilot_without_agreement_is_planned_as_chance():
    found = kx.plan([[1, 2], [2, 1], [1, 2], [2, 1]], units=50, raters=[2], seed=1)
    assert found.alpha < 0
    assert 0.3 < found.width[0] < 0.8


def test_what_cannot_be_had_is_said():
    found = kx.plan(PILOT, width=0.001, raters=[2], seed=1, n_data_sets=2, n_resamples=50)
    assert found.enough == (False,)
    assert "more than 100,000" in str(found)


def test_refusals():
    with pytest.raises(KappaxError, match=r"say one of width= and units=: None and None"):
        kx.plan(PILOT)
    with pytest.raises(KappaxError, match="width must lie between 0 and 2: 0"):
        kx.plan(PILOT, width=0)
    with pytest.raises(KappaxError, match=r"each of raters must be between 2 and 1,000: 1"):
        kx.plan(PILOT, width=0.1, raters=[1])
    with pytest.raises(KappaxError, match=r"the pilot tells nothing of reliability: .* same value"):
        kx.plan([[1, 1], [1, 1]], width=0.1)
    with pytest.raises(KappaxError, match="the pilot holds no disagreement"):
        kx.plan([[1, 1], [2, 2]], width=0.1)
    with pytest.raises(KappaxError, match=r"alpha_min must lie between 0 and 1: 1.0"):
        kx.sample_size(4, 1.0)
    with pytest.raises(KappaxError, match=r"n_values must be between 2"):
        kx.sample_size(1)
    with pytest.raises(KappaxError, match=r"at most 1/n_values = 0.25: 0.4"):
        kx.sample_size(4, least_share=0.4)
    assert main(["sample-size", "--min", "2"]) == 2
