"""Alpha where pairs of ratings are drawn as if they were independent (docs/statistics.md, section 7).

Two older bootstraps, here for parity with them.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from .coefficient import krippendorff_alpha
from .difference import Level, Value, squared_difference
from .random import PAIRS, Stream, multinomial
from .ratings import Domain, Table, count, pooled, read


def alpha_of_pairs(
    units: Table,
    pairing: str,
    n_resamples: int,
    seed: int,
    level: Level = "nominal",
    *,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> list[Fraction | None]:
    """Compute alpha on each resample of pairs.

    Parameters
    ----------
    units : list of lists of values
    pairing : {"pairs-krippendorff", "pairs-kalpha"}
    n_resamples, seed : int
    level, domain, **level_options
        As in `krippendorff_alpha`.

    Returns
    -------
    list of Fraction, None where alpha is undefined or, in Krippendorff's, below -1
    """
    domain, (units,) = read([units], level, domain)
    _, _, expected = krippendorff_alpha(units, level, domain=domain, **level_options)
    if not expected:
        return [None] * n_resamples
    c = [c_u for c_u in count(units) if c_u.total() >= 2]
    N_k = pooled(c)
    d2 = squared_difference(level, domain, N_k, **level_options)
    scale = N_k.total() * expected
    draws = _of_units(c, domain) if pairing == "pairs-krippendorff" else _of_coincidences(c, domain)

    def alpha(stream: Stream) -> Fraction | None:
        lost = Fraction(0)
        for weights, n, factor in draws:
            kinds = sorted(weights)
            drawn = multinomial([weights[kind] for kind in kinds], stream, n)
            lost += factor * sum(times * d2(domain[k], domain[l]) for (k, l), times in zip(kinds, drawn, strict=True))
        value = 1 - lost / scale
        if pairing == "pairs-kalpha":
            return max(value, Fraction(-1))
        return None if value < -1 else value

    return [alpha(Stream(seed, PAIRS, b)) for b in range(n_resamples)]


Kind = tuple[int, int]
Draw = tuple[Counter[Kind], int, Fraction]  # weights of pairs, how many are drawn, and what each is multiplied by


def _kinds(c_u: Counter[Value], domain: Domain) -> Counter[Kind]:
    """Unordered pairs of ratings of a unit, by the places of their two values."""
    places = sorted(domain.index(value) for value in c_u.elements())
    return Counter(combinations(places, 2))


def _of_units(c: Sequence[Counter[Value]], domain: Domain) -> list[Draw]:
    """For each number m of ratings of a unit, as many pairs as units of m ratings have."""
    pairs = sum((_kinds(c_u, domain) for c_u in c), Counter())
    n_units = Counter(c_u.total() for c_u in c)
    return [(pairs, n_units[m] * m * (m - 1) // 2, Fraction(2, m - 1)) for m in sorted(n_units)]


def _of_coincidences(c: Sequence[Counter[Value]], domain: Domain) -> list[Draw]:
    """M pairs from the coincidences o[k,l], brought to integers."""
    multiple = math.lcm(*(c_u.total() - 1 for c_u in c))
    weights: Counter[Kind] = Counter()
    for c_u in c:
        for kind, n in _kinds(c_u, domain).items():
            weights[kind] += 2 * n * multiple // (c_u.total() - 1)
    N = sum(c_u.total() for c_u in c)
    q = sum(1 if k == l else 2 for k, l in weights)
    M = min(25 * q, (max(c_u.total() for c_u in c) - 1) * N // 2)
    return [(weights, M, Fraction(N, M))]
