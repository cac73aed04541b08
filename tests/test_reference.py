"""The exact reference on its own: published values, laws, degenerate data and its random stream."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from kappax import reference as ref
from shared import COMPUTED, GOLDEN, needs_golden

_ = None
KRIPPENDORFF_2011 = [
    [1, 1, _, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [_, 5, 5, 5],
    [_, _, 1, 1],
    [_, 3, _, _],
]
PAPER_X = ["BB", "BBB", "AA", "AAA", "AB"]
PAPER_Y = ["BB", "AB", "AB", "AB", "AA"]

OPTIONS = {"circular": {"period": 7}, "bipolar": {"limits": (0, 6)}}
LEVELS = [(level, OPTIONS.get(level, {})) for level in ref.LEVELS]
ONE_POOL = {
    "alpha": ref.krippendorff_alpha,
    "fleiss": ref.fleiss_kappa,
    "percent": ref.percent_agreement,
    "ac": ref.gwet_ac,
    "brennan_prediger": ref.brennan_prediger,
}
NAMED_RATERS = {"iota": ref.iota, "conger": ref.conger_kappa, "light": ref.light_kappa}


def rows(*raters):
    """Units out of raters written as text, `.` for a missing rating."""
    columns = [[_ if v == "." else int(v) for v in rater.split()] for rater in raters]
    return [list(row) for row in zip(*columns, strict=True)]


def letters(*units):
    return [list(unit) for unit in units]


# Published values


@pytest.mark.parametrize(
    ("level", "value"),
    [
        ("nominal", Fraction(113, 152)),
        ("ordinal", Fraction(108577, 133160)),
        ("interval", Fraction(951, 1120)),
        ("ratio", Fraction(18222619, 22852465)),
    ],
)
def test_krippendorff_2011(level, value):
    estimate, observed, expected = ref.krippendorff_alpha(KRIPPENDORFF_2011, level)
    assert estimate == value == 1 - observed / expected


def test_krippendorff_2011_coincidences():
    domain, observed, expected = ref.coincidence_matrix(KRIPPENDORFF_2011)
    assert domain == (1, 2, 3, 4, 5)
    assert [sum(row) for row in observed] == [sum(row) for row in expected] == [9, 13, 10, 5, 3]
    assert observed[0][1] == Fraction(4, 3)
    assert expected[0][1] == Fraction(9 * 13, 39)


def test_cross_kappa_worked_case():
    x, y = letters(*PAPER_X), letters(*PAPER_Y)
    worked = (Fraction(2, 11), Fraction(9, 22), Fraction(1, 2))
    assert ref.cross_kappa(x, y) == worked
    assert ref.cross_kappa([*x, list("AAA"), list("AAB")], [*y, [], [_]]) == worked


def test_normalized_figures_of_the_paper():
    assert ref.normalize(0.0817, 0.1208, 0.1170) == pytest.approx(0.687, abs=5e-4)
    assert ref.normalize(0.5, -0.1, -0.2) is None


# Faults seen in the field: the number says which row of the list of them

SCALE = ["low", "mid", "high"]
SCALE_RATINGS = [[SCALE[i] for i in codes] for codes in ((0, 1, 2, 1, 0, 2), (0, 2, 2, 1, 1, 2))]
FAR_FROM_ZERO = [[1e9 + a, 1e9 + b] for a, b in ((1, 1), (2, 3), (3, 3), (4, 4))]
TEXT_NUMBERS = [["2", "2"], ["9", "10"], ["10", "10"], ["10", "9"], ["2", "9"], ["9", "9"]]

ALPHA, CROSS = ref.krippendorff_alpha, ref.cross_kappa


@pytest.mark.parametrize(
    ("fault", "function", "data", "options", "value"),
    [
        (1, ALPHA, [rows("1 2 3 4", "1 3 3 4")], {"level": "interval"}, 0.911392),
        (1, ALPHA, [rows("1 2 3 4", "1 3 3 4")], {"level": "ratio"}, 0.922799),
        (1, ALPHA, [rows("100 -100 50", "100 -90 -60")], {"level": "interval"}, 0.769985),
        (3, ALPHA, [[[True, True], [False, False], [True, False]]], {}, 0.444444),
        (4, ALPHA, [[["nan", "nan"], ["thai", "thai"], ["nan", "thai"]]], {}, 0.444444),
        (8, ALPHA, [rows("3 3 3 3 3", "3 3 3 3 3", "3 3 . . 3", "3 3 3 3 1", "3 . 3 3 3")], {}, 0),
        (10, ref.cohen_kappa, SCALE_RATINGS, {"level": "interval", "domain": SCALE}, 0.75),
        (11, ref.cohen_kappa, [[1, 2, 4, 4, 2], [1, 4, 4, 2, 2]], {"level": "linear"}, 0.375),
        (12, ALPHA, [TEXT_NUMBERS], {"level": "ordinal", "domain": ["2", "9", "10"]}, 0.5890),
        (13, ALPHA, [[[1, 1, 2], [2, 2, 2]]], {}, 0.375),
        (14, ALPHA, [[[1, 2, 1, 2], [2, 1, 2, 2]]], {}, -4 / 45),
        (16, CROSS, [letters("11", "10", "00", "11", ""), letters("11", "01", "01", "", "00")], {}, 1 / 3),
        (18, CROSS, [[[3, 4], [1, 1, 2], [5, 5]], [[3], [2, 1], [4, 5]]], {"level": "interval"}, 0.890625),
        (20, ref.fleiss_kappa, [letters("000", "001", "111", "01", "00")], {}, 0.282297),
        (21, ref.cohen_kappa, [[1, 2, math.nan, 1], [1, 2, 2, 1]], {}, 1.0),
        (22, ALPHA, [FAR_FROM_ZERO], {"level": "interval"}, 0.911392),
        (25, ALPHA, [rows("1 2 10 2", "1 10 10 2")], {"level": "interval"}, 0.580524),
        (27, ALPHA, [[[0, 0], [1, 1], [0, 1]]], {"level": "ratio"}, 0.4444),
        (29, ref.cohen_kappa, [[1, 2], [2, 2]], {}, 0),
    ],
)
def test_faults(fault, function, data, options, value):
    assert float(function(*data, **options)[0]) == pytest.approx(value, abs=1e-4 if fault in {12, 27} else 1e-6)


def test_fault_18_one_level_for_all():
    x, y = [[3, 4], [1, 1, 2], [5, 5]], [[3], [2, 1], [4, 5]]
    normalized, *parts = ref.normalized_cross_kappa(x, y, "interval")
    assert [float(part) for part in parts] == pytest.approx([0.890625, 0.904762, 0.85], abs=1e-6)
    assert normalized == pytest.approx(1.015590, abs=1e-6)


def test_fault_19_undefined_resamples_are_left_out():
    units = [[1, 1]] * 9 + [[1, 2]]
    values = ref.replicates("alpha", units, n_resamples=1000, seed=1)
    low, high, n_used = ref.percentile_interval(values)
    assert n_used == pytest.approx(1000 * (1 - 0.9**10), abs=60)
    assert low < 0 <= high == max(v for v in values if v is not None)


# golden.json

NUMERIC = {"unweighted": "nominal", "quadratic": "interval", "quantitative": "interval"}
GOLDEN_TWINS = {
    "krippendorff_alpha": ref.krippendorff_alpha,
    "krippendorff_alpha_weighted": ref.krippendorff_alpha,
    "fleiss_kappa": ref.fleiss_kappa,
    "scott_pi": ref.scott_pi,
    "gwet_ac": ref.gwet_ac,
    "brennan_prediger": ref.brennan_prediger,
    "percent_agreement": ref.percent_agreement,
    "conger_kappa": ref.conger_kappa,
    "iota": ref.iota,
    "light_kappa": ref.light_kappa,
    "cohen_kappa": lambda units, *args, **options: ref.cohen_kappa(*zip(*units, strict=True), *args, **options),
}


PLAIN = [name for name, data in COMPUTED.items() if data["ratings"] is not None]
POOLED = [name for name, data in COMPUTED.items() if "X" in data]


def matches(entry, value):
    if entry.get("exact") is not None:
        return value == Fraction(entry["exact"])
    return float(value) == pytest.approx(entry["value"], abs=1e-12)


def gwet_ordinal(K):
    """Gwet's ordinal weights as differences: the number of pairs of values from one to the other."""
    return [[math.comb(abs(i - j) + 1, 2) for j in range(K)] for i in range(K)]


def level_of(data, params, K):
    """The level that an entry's words stand for."""
    word = params.get("metric") or params.get("weights") or params.get("scale") or "nominal"
    if word.startswith("custom"):
        agreement = data.get("agreement_weights")
        matrix = [[1 - w for w in row] for row in agreement] if agreement else data["disagreement_weights"]
        return [[Fraction(str(round(d2, 4))) for d2 in row] for row in matrix]
    if word == "ordinal" and "metric" not in params:
        return gwet_ordinal(K)
    return NUMERIC.get(word, word)


@needs_golden
@pytest.mark.parametrize("name", PLAIN)
def test_golden_coefficients(name):
    data = GOLDEN[name]
    for entry in data["expected"]:
        params = entry["params"]
        if entry["coefficient"] not in GOLDEN_TWINS or params.get("variables", 1) != 1:
            continue
        units = data["ratings"]
        if params.get("missing") == "listwise":
            units = [row for row in units if None not in row]
        domain = sorted({v for row in units for v in row if v is not None})
        if "ranks" in params.get("weights_on", ""):
            units = [[_ if v is None else domain.index(v) for v in row] for row in units]
            domain = list(range(len(domain)))
        level = level_of(data, params, len(domain))
        estimate, observed, expected = GOLDEN_TWINS[entry["coefficient"]](units, level, domain=domain)
        assert matches(entry, estimate), entry
        if "D_o" in entry and entry["coefficient"] != "krippendorff_alpha_weighted":
            assert float(observed) == pytest.approx(entry["D_o"], rel=1e-12)
            assert float(expected) == pytest.approx(entry["D_e"], rel=1e-12)


@needs_golden
@pytest.mark.parametrize("name", POOLED)
def test_golden_pools(name):
    x, y = GOLDEN[name]["X"], GOLDEN[name]["Y"]
    for entry in GOLDEN[name]["expected"]:
        metric = entry["params"].get("metric")
        if entry["coefficient"] == "cross_kappa":
            estimate, observed, expected = ref.cross_kappa(x, y, metric)
            assert matches(entry, estimate), entry
            assert [float(observed), float(expected)] == pytest.approx([entry["D_o"], entry["D_e"]], rel=1e-12)
        elif entry["coefficient"] == "normalized_cross_kappa":
            value, _kappa, irr_x, irr_y = ref.normalized_cross_kappa(x, y, metric, irr_units="shared")
            assert [value, float(irr_x), float(irr_y)] == pytest.approx(
                [entry["value"], entry["irr_x"], entry["irr_y"]], rel=1e-12
            )
        elif entry["coefficient"] == "spearman_disattenuated_correlation":
            word = "cronbach" if "Cronbach" in entry["params"]["reliability"] else "one-way"
            result = [float(part) for part in ref.disattenuated_correlation(x, y, word)]
            assert result == pytest.approx([entry[key] for key in ("value", "r_xy", "rel_x", "rel_y")], rel=1e-12)
        elif entry["coefficient"] == "item_mean_pearson":
            assert ref.disattenuated_correlation(x, y, "one-way")[1] == pytest.approx(entry["value"], rel=1e-12)


@needs_golden
def test_golden_unit_bootstrap():
    """Limits of a plain Monte Carlo run over units; the tolerance is the noise of 3000 replicates."""
    data = GOLDEN["krippendorff2011_C"]
    runs = [run for run in data["bootstrap"] if run["algorithm"].endswith("over units, alpha recomputed")]
    assert [run["metric"] for run in runs] == ["nominal", "ordinal", "interval"]
    for run in runs:
        values = ref.replicates("alpha", data["ratings"], level=run["metric"], n_resamples=3000, seed=113)
        low, high, _n_used = ref.percentile_interval(values)
        assert float(low) == pytest.approx(run["ci_low"], abs=0.05)
        assert float(high) == pytest.approx(run["ci_high"], abs=0.02)
        assert ref.standard_error(values) == pytest.approx(run["boot_sd"], rel=0.08)


# Laws


@pytest.mark.parametrize(("level", "options"), LEVELS)
def test_relabelled_raters_order_and_duplicates(level, options):
    units = KRIPPENDORFF_2011
    turned = [[*row[1:], row[0]] for row in units[::-1]]
    for function in (*ONE_POOL.values(), *NAMED_RATERS.values()):
        assert function(turned, level, **options) == function(units, level, **options)
    mixed = [sorted(row, key=str) for row in units]
    for function in ONE_POOL.values():
        assert function(mixed, level, **options) == function(units, level, **options)
    if level != "ordinal":  # whose differences grow with the number of ratings
        for function in (ref.fleiss_kappa, ref.iota, ref.conger_kappa):
            assert function(units * 2, level, **options) == function(units, level, **options)
    assert ref.fleiss_kappa(units * 2, level, **options)[0] == ref.fleiss_kappa(units, level, **options)[0]


@pytest.mark.parametrize(("level", "options"), LEVELS)
def test_units_without_a_pair_change_nothing(level, options):
    more = [*KRIPPENDORFF_2011, [_, _, _, _], [2, _, _, _]]
    for word in ("alpha", "percent", "brennan_prediger"):
        assert ONE_POOL[word](more, level, **options) == ONE_POOL[word](KRIPPENDORFF_2011, level, **options)
    given = {"level": level, "n_resamples": 5, "seed": 3, **options}
    assert ref.replicates("alpha", more, **given) == ref.replicates("alpha", KRIPPENDORFF_2011, **given)


@pytest.mark.parametrize(("level", "options"), LEVELS)
def test_two_raters_make_many_coefficients_one(level, options):
    units = [[1, 2], [2, 2], [3, 1], [1, 1], [3, 3], [2, 3]]
    x, y = zip(*units, strict=True)
    cohen = ref.cohen_kappa(x, y, level, **options)
    for function in (ref.iota, ref.conger_kappa):
        assert function(units, level, **options) == cohen
    assert ref.light_kappa(units, level, **options)[0] == cohen[0]
    assert ref.cross_kappa([[v] for v in x], [[v] for v in y], level, **options) == cohen
    assert ref.cross_kappa([[v] for v in y], [[v] for v in x], level, **options) == cohen
    assert ref.scott_pi(units, level, **options) == ref.fleiss_kappa(units, level, **options)


def test_levels_written_out_as_matrix_and_callable():
    domain = [1, 2, 3, 4, 5]
    linear = ref.krippendorff_alpha(KRIPPENDORFF_2011, "linear")
    assert ref.krippendorff_alpha(KRIPPENDORFF_2011, lambda a, b: abs(a - b)) == linear
    assert ref.krippendorff_alpha(KRIPPENDORFF_2011, [[abs(a - b) for b in domain] for a in domain]) == linear
    named = [[_ if v is None else "abcde"[v - 1] for v in row] for row in KRIPPENDORFF_2011]
    assert ref.krippendorff_alpha(named, "linear", domain="abcde") == linear


def test_ordinal_is_krippendorff_s_sum_of_marginals():
    n = Counter({1: 9, 2: 13, 3: 10, 4: 5, 5: 3})
    d2 = ref.squared_difference("ordinal", [1, 2, 3, 4, 5], n)
    for a in n:
        for b in range(a, 6):
            assert d2(a, b) == (sum(n[g] for g in range(a, b + 1)) - Fraction(n[a] + n[b], 2)) ** 2


def test_bipolar_differences():
    d2 = ref.squared_difference("bipolar", [0, 1, 4, 6], {}, limits=(0, 6))
    assert [d2(0, 0), d2(1, 4), d2(6, 0), d2(6, 6)] == [0, Fraction(9, 35), 1, 0]


def test_circular_with_period_two_looks_at_odd_and_even():
    odd = [[_ if v is None else v % 2 for v in row] for row in KRIPPENDORFF_2011]
    circular = ref.krippendorff_alpha(KRIPPENDORFF_2011, "circular", period=2)[0]
    assert float(circular) == pytest.approx(float(ref.krippendorff_alpha(odd)[0]), rel=1e-15)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 4), (0, 6), (2, 30)])
def test_irrational_differences(a, b):
    domain = [a, b]
    assert float(ref.squared_difference("radical", domain, {})(a, b)) == math.sqrt(b - a)
    circular = ref.squared_difference("circular", domain, {}, period=12)
    assert float(circular(a, b)) == pytest.approx(math.sin(math.pi * (a - b) / 12) ** 2, rel=1e-14)
    assert circular(a, b) == circular(b, a)


# Degenerate data and what is refused


@pytest.mark.parametrize("function", [*ONE_POOL.values(), *NAMED_RATERS.values()])
def test_no_pair(function):
    assert function([[1, _], [_, 2]]) == (None, None, None)


@pytest.mark.parametrize("function", [ref.krippendorff_alpha, ref.fleiss_kappa, ref.iota, ref.conger_kappa])
@pytest.mark.parametrize("domain", [None, [1, 2]])
@pytest.mark.parametrize(("level", "options"), LEVELS)
def test_no_variation(function, domain, level, options):
    assert function([[1, 1], [1, 1], [1, 1]], level, domain=domain, **options) == (None, 0, 0)


def test_a_domain_of_one_value():
    """Nothing can disagree: agreement is complete, and chance leaves nothing to correct."""
    assert ref.percent_agreement([[1, 1]]) == (1, 0, 1)
    assert ref.gwet_ac([[1, 1]]) == ref.brennan_prediger([[1, 1]]) == (None, 0, None)
    assert ref.gwet_ac([[1, 1]], domain=[1, 2]) == (1, 0, 1)


def test_undefined_across_pools():
    assert ref.cross_kappa([[1], []], [[], [1]], domain=[1]) == (None, None, None)
    assert ref.cross_kappa([[1], [1]], [[1], [1]]) == (None, 0, 0)
    value, kappa_x, irr_x, irr_y = ref.normalized_cross_kappa([[1, 2], [2, 2]], [[1], [2]])
    assert (value, kappa_x, irr_x, irr_y) == (None, Fraction(1, 2), Fraction(0), None)
    assert ref.light_kappa([[1, 1, 1], [1, 1, 2]]) == (None, None, None)


@pytest.mark.parametrize(
    ("units", "options", "found"),
    [
        ([[1, 2]], {"level": "Nominal"}, "Nominal"),
        ([[1, 2, 3], [-1, 2, 3]], {"level": "ratio"}, "-1"),
        ([["a", "b"]], {"level": "interval"}, "interval"),
        ([["a", "b"]], {"level": "ordinal"}, "ordinal"),
        ([["a", 1]], {}, "mixed"),
        ([[1, 2], [3, 1]], {"domain": [1, 2]}, "unit 1, rater 0: 3"),
        ([[1, 2], [2, math.inf]], {}, "unit 1, rater 1: inf"),
        ([[1, 2]], {"level": "circular"}, "period"),
        ([[1, 2]], {"level": "bipolar"}, "limits"),
        ([[1, 9]], {"level": "bipolar", "limits": (0, 5)}, "limits"),
        ([[1, 2]], {"level": [[0, 1], [2, 0]]}, "symmetric"),
        ([[1, 2]], {"level": [[0, 1]]}, "2 x 2"),
        ([[1, 2]], {"domain": [1, 2, 1]}, "twice"),
        ([1, 2], {}, "unit 0"),
        ([[_, _]], {}, "no rating"),
    ],
)
def test_refused(units, options, found):
    with pytest.raises(ValueError, match=found):
        ref.krippendorff_alpha(units, **options)


# Means of ratings


def test_reliability_of_means():
    assert ref.k_rater_reliability(Fraction(1, 2), 3) == Fraction(3, 4)
    assert ref.k_rater_reliability(None, 3) is None
    x = [
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ]  # Shrout, Fleiss
    assert float(ref.disattenuated_correlation(x, x, "one-way")[2]) == pytest.approx(0.44, abs=5e-3)
    assert float(ref.disattenuated_correlation(x, x, "cronbach")[2]) == pytest.approx(0.91, abs=5e-3)


def test_split_half_of_two_ratings():
    """With equal ratings in a unit every halving correlates perfectly; one unit has no correlation."""
    assert ref.split_half_reliability([[1, 1], [2, 2], [4, 4, 4]], 20, 1) == 1.0
    assert ref.split_half_reliability([[1, 2], [3]], 20, 1) is None
    units = [[1, 3], [2, 2], [5, 4], [3, 5], [4]]
    assert ref.split_half_reliability(units, 50, 7) == ref.split_half_reliability(
        [row[::-1] for row in units[::-1]], 50, 7
    )


# The random stream


def words(text):
    return tuple(int(word, 16) for word in text.split())


@pytest.mark.parametrize(
    ("counter", "key", "block"),  # the known answers of Random123
    [
        (
            (0, 0, 0, 0),
            (0, 0),
            "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b",
        ),
        (
            (2**64 - 1,) * 4,
            (2**64 - 1,) * 2,
            "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0",
        ),
        (
            words("243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89"),
            words("452821e638d01377 be5466cf34e90c6c"),
            "a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6",
        ),
    ],
)
def test_philox_known_answers(counter, key, block):
    assert ref.philox_block(counter, key) == words(block)


@pytest.mark.parametrize(("seed", "purpose", "replicate"), [(0, 0, 0), (113, 1, 7), (2**64 - 1, 2, 10**12)])
def test_philox_is_numpy_s(seed, purpose, replicate):
    stream = ref.Stream(seed, purpose, replicate)
    numpy_stream = np.random.Philox(
        key=np.array([seed, purpose], dtype=np.uint64),
        counter=np.array([0, 0, replicate, 0], dtype=np.uint64),
    )
    assert [stream.word() for _ in range(101)] == numpy_stream.random_raw(101).tolist()


def chi_square_excess(drawn, probability):
    """(chi-square - df) / sqrt(2 df), cells of small expectation put together."""
    chi2, df, observed, expected = 0.0, -1, 0, 0.0
    for value, p in probability.items():
        observed, expected = observed + drawn[value], expected + p * drawn.total()
        if expected >= 10:
            chi2, df = chi2 + (observed - expected) ** 2 / expected, df + 1
            observed, expected = 0, 0.0
    return (chi2 - df) / math.sqrt(2 * df)


@pytest.mark.parametrize(
    ("n", "a", "c"), [(5, 1, 3), (20, 3, 4), (10**6, 3, 10**6), (21, 1, 2), (1000, 7, 10), (10**6, 1, 2000)]
)
def test_binomial(n, a, c):
    stream = ref.Stream(2026, 2, n)
    drawn = Counter(stream.binomial(n, a, c) for _ in range(10_000))
    p = a / c
    spread = 8 * math.sqrt(n * p * (1 - p)) + 8
    probability = {
        k: math.exp(
            math.lgamma(n + 1)
            - math.lgamma(k + 1)
            - math.lgamma(n - k + 1)
            + k * math.log(p)
            + (n - k) * math.log1p(-p)
        )
        for k in range(max(0, int(n * p - spread)), min(n, int(n * p + spread)) + 1)
    }
    assert -3 < chi_square_excess(drawn, probability) < 4
    assert [stream.binomial(9, 0, 5), stream.binomial(0, 2, 5), stream.binomial(9, 5, 5)] == [0, 0, 9]


@pytest.mark.parametrize("w", [(3, 2, 1), (40, 20, 4)])  # drawn unit by unit, and pattern by pattern
def test_multinomial(w):
    n = sum(w)
    drawn = Counter(tuple(ref.multinomial(w, ref.Stream(9, 0, b))) for b in range(5000))
    probability = {
        (i, j, k): math.comb(n, i) * math.comb(n - i, j) * w[0] ** i * w[1] ** j * w[2] ** k / n**n
        for i in range(n + 1)
        for j in range(n + 1 - i)
        for k in [n - i - j]
    }
    assert -3 < chi_square_excess(drawn, probability) < 4


def test_bounded_integers():
    half = ref.Stream(3, 2, 1).word() & 0xFFFFFFFF
    assert ref.Stream(3, 2, 1).bounded(1 << 32) == half
    assert ref.Stream(3, 2, 1).bounded(10) == half * 10 >> 32
    stream = ref.Stream(3, 2, 1)
    drawn = Counter(stream.bounded_run(7, 7000))
    assert -2 < chi_square_excess(drawn, dict.fromkeys(range(7), 1 / 7)) < 4
    assert all(0 <= j < 3 << 40 for j in stream.bounded_run(3 << 40, 100))


# Bootstrap


def test_canonical_order_knows_no_names():
    pools = [
        letters("a", "b", "", "a", "ab"),
        letters("b", "b", "a", "", "a"),
        letters("a", "a", "b", "b", "b"),
    ]
    order = [2, 0, 1]
    turned = ref.tally([pools[g] for g in order], ("a", "b"))
    expected = [(tuple(p[g] for g in order), w) for p, w in ref.canonical_order(ref.tally(pools, ("a", "b")))]
    assert ref.canonical_order(turned) == expected
    one_pool = ref.canonical_order(ref.tally(pools[:1], ("a", "b")))
    assert one_pool == [(((0, 0),), 1), (((0, 1),), 1), (((1, 0),), 2), (((1, 1),), 1)]


@pytest.mark.parametrize("word", [*ONE_POOL, *NAMED_RATERS])
def test_replicates_depend_on_nothing_but_the_data(word):
    units = [*KRIPPENDORFF_2011, [1, 2, 2, 3]]
    turned = [[row[g] for g in (2, 0, 3, 1)] for row in units[::-1]]
    values = ref.replicates(word, units, level="ordinal", n_resamples=20, seed=5)
    assert ref.replicates(word, turned, level="ordinal", n_resamples=20, seed=5) == values
    assert ref.replicates(word, units, level="ordinal", n_resamples=8, seed=5) == values[:8]
    assert len(set(values)) > 5


def test_a_replicate_is_the_coefficient_of_the_written_out_resample():
    units = [[1, 1], [1, 2], [2, 2], [1, 1], [2, 3]]  # patterns in canonical order: 23, 22, 12, 11 (twice)
    drawn = ref.multinomial([1, 1, 1, 2], ref.Stream(42, 0, 3))
    resample = [row for row, w in zip([[2, 3], [2, 2], [1, 2], [1, 1]], drawn, strict=True) for _ in range(w)]
    value = ref.replicates("alpha", units, level="ordinal", n_resamples=4, seed=42)[3]
    assert value == ref.krippendorff_alpha(resample, "ordinal")[0]


def test_cohen_is_cross_of_single_ratings():
    x, y = [1, 2, 3, _, 2, 1], [1, 2, 2, 1, 3, 1]
    pools = [[[v] for v in x], [[v] for v in y]]
    given = {"level": "interval", "n_resamples": 25, "seed": 11}
    assert ref.replicates("cohen", x, y, **given) == ref.replicates("cross", *pools[::-1], **given)


@pytest.mark.parametrize("irr", ONE_POOL)
def test_joint_replicates(irr):
    x = [*letters(*PAPER_X), ["A", "B"], []]
    y = [*letters(*PAPER_Y), [], ["B", "B", "A"]]
    z = letters("AA", "BB", "", "AB", "B", "", "")
    joint = ref.cross_replication_replicates({"x": x, "y": y, "z": z}, "nominal", irr, "all", 10, 3)
    turned = ref.cross_replication_replicates({"z": z, "x": x, "y": y}, "nominal", irr, "all", 10, 3)
    assert joint.irr == turned.irr
    assert joint.cross_kappa["x", "y"] == turned.cross_kappa["x", "y"]
    assert joint.cross_kappa["x", "z"] == turned.cross_kappa["z", "x"]
    for kappa_x, irr_x, irr_y, value in zip(
        joint.cross_kappa["x", "y"], joint.irr["x"], joint.irr["y"], joint.normalized["x", "y"], strict=True
    ):
        assert value == ref.normalize(kappa_x, irr_x, irr_y)
    shared = ref.cross_replication_replicates({"x": x, "y": y}, "nominal", irr, "shared", 10, 3)
    trimmed = ref.cross_replication_replicates({"x": x[:5], "y": y[:5]}, "nominal", irr, "all", 10, 3)
    assert shared.normalized == trimmed.normalized
    assert shared.cross_kappa["x", "y"] == ref.replicates("cross", x, y, n_resamples=10, seed=3)


def test_interval_is_numpy_s_percentile():
    values = [Fraction(v, 7) for v in (3, 1, 4, 1, 5, 9, 2, 6)]
    low, high, n_used = ref.percentile_interval([*values, None], 0.9)
    assert [float(low), float(high)] == pytest.approx(np.percentile([float(v) for v in values], [5, 95]))
    assert n_used == 8
    assert ref.standard_error(values) == pytest.approx(np.std([float(v) for v in values], ddof=1))
    assert ref.percentile_interval([None]) == (None, None, 0)
