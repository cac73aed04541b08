"""Bootstrap: checked when built, and a plain value afterwards."""

import pickle

import numpy as np
import pytest

from kappax import Bootstrap, KappaxError


def test_defaults_are_those_of_the_documentation():
    method = Bootstrap(seed=7)
    assert (method.n_resamples, method.seed, method.confidence_level) == (1000, 7, 0.95)
    assert (method.method, method.resample) == ("percentile", "units")


def test_it_is_a_value():
    method = Bootstrap(500, seed=1, confidence_level=0.9)
    assert method == Bootstrap(500, seed=1, confidence_level=0.9)
    assert method != Bootstrap(500, seed=2, confidence_level=0.9)
    assert pickle.loads(pickle.dumps(method)) == method  # noqa: S301
    assert len({method, Bootstrap(500, seed=1, confidence_level=0.9)}) == 1
    assert repr(method).startswith("Bootstrap(n_resamples=500, seed=1,")
    with pytest.raises(AttributeError):
        method.seed = 3


def test_only_the_number_of_resamples_is_positional():
    with pytest.raises(TypeError):
        Bootstrap(100, 7)


@pytest.mark.parametrize("number", [7, np.int8(7), np.uint64(7), np.array(7)])
def test_any_integer_is_taken_and_kept_as_an_int(number):
    method = Bootstrap(number, seed=number)
    assert type(method.n_resamples) is type(method.seed) is int
    assert (method.n_resamples, method.seed) == (7, 7)


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_seed_reaches_both_ends_of_64_bits(seed):
    assert Bootstrap(seed=seed).seed == seed


def test_seed_from_numpy_repeats_and_generators_move_on():
    generator = np.random.default_rng(5)
    first, second = Bootstrap(seed=generator).seed, Bootstrap(seed=generator).seed
    assert first != second
    assert first == Bootstrap(seed=np.random.default_rng(5)).seed
    sequence = np.random.SeedSequence(5)
    assert Bootstrap(seed=sequence).seed == int(sequence.generate_state(1, np.uint64)[0])


def test_without_a_seed_one_is_drawn_and_recorded():
    before = np.random.get_state()[1].copy()
    seeds = {Bootstrap().seed for _ in range(20)}
    assert len(seeds) == 20
    assert all(type(seed) is int and 0 <= seed < 2**64 for seed in seeds)
    np.testing.assert_array_equal(before, np.random.get_state()[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 0}, "n_resamples must be between 1 and 10,000,000: 0"),
        ({"n_resamples": -5}, "n_resamples must be .*: -5"),
        ({"n_resamples": 10**9}, "n_resamples must be .*: 1000000000"),
        ({"seed": -1}, "seed must be between 0 and .*: -1"),
        ({"seed": 2**64}, f"seed must be .*: {2**64}"),
        ({"confidence_level": 0}, "confidence_level must lie between 0 and 1, such as 0.95: 0"),
        ({"confidence_level": 1.0}, "confidence_level must lie .*: 1.0"),
        ({"confidence_level": 95}, "confidence_level must lie .*: 95"),
        ({"confidence_level": float("nan")}, "confidence_level must lie .*: nan"),
        ({"method": "Percentile"}, "did you mean 'percentile'.*: 'Percentile'"),
        ({"resample": "rows"}, "resample must be 'units' or .* or 'pairs-kalpha': 'rows'"),
    ],
)
def test_bad_values_are_named(arguments, message):
    with pytest.raises(KappaxError, match=message):
        Bootstrap(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"n_resamples": True},
        {"n_resamples": 1000.0},
        {"n_resamples": "1000"},
        {"n_resamples": np.array([1, 2])},
        {"n_resamples": None},
        {"seed": True},
        {"seed": 1.5},
        {"seed": "7"},
        {"seed": [1, 2]},
        {"seed": np.random.RandomState(1)},
        {"seed": np.random.Philox(1)},
        {"confidence_level": "0.95"},
        {"confidence_level": True},
        {"confidence_level": None},
        {"method": None},
        {"resample": 1},
    ],
)
def test_wrong_types_are_type_errors(arguments):
    with pytest.raises(TypeError, match=r"must be .*, not "):
        Bootstrap(**arguments)
