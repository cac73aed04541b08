"""Bootstrap over units: the same replicates as the fast path (docs/statistics.md, section 7; docs/stream.md).

Each replicate draws how often every pattern comes, writes the units out and calls the plain coefficient on
them. Ordinal ranks and marginals are therefore those of the resample; the domain is that of the full data.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from .coefficient import (
    brennan_prediger,
    cohen_kappa,
    conger_kappa,
    cross_kappa,
    fleiss_kappa,
    gwet_ac,
    iota,
    krippendorff_alpha,
    light_kappa,
    percent_agreement,
)
from .coefficient.cross import shared_units
from .coefficient.normalized import irr_function, normalize
from .coefficient.pairs import Triple
from .difference import Level, Value
from .random import BOOTSTRAP, Stream, multinomial
from .ratings import Domain, Table, columns, read
from .tally import Pattern, canonical_order, tally, write_out

Replicates = list[Fraction | None]
Enters = Callable[[list[int]], bool]  # from the number of ratings in each pool


@dataclass(frozen=True)
class _Plan:
    """How one coefficient is resampled: its data as pools and back, and which units enter."""

    function: Callable[..., Triple]
    to_pools: Callable[..., list[Table]]
    from_pools: Callable[[list[Table]], tuple[Any, ...]]
    enters: Enters


def _vectors_to_pools(*vectors: Sequence[Value]) -> list[Table]:
    return [[[value] for value in vector] for vector in vectors]


def _pools_to_vectors(pools: list[Table]) -> tuple[list[Value], ...]:
    return tuple([row[0] if row else None for row in pool] for pool in pools)


def _raters_to_pools(units: Table) -> list[Table]:
    return _vectors_to_pools(*columns(units))


def _pools_to_raters(pools: list[Table]) -> tuple[Table]:
    return ([list(row) for row in zip(*_pools_to_vectors(pools), strict=True)],)


def _one_pool(function: Callable[..., Triple], least: int) -> _Plan:
    return _Plan(function, lambda units: [units], tuple, lambda m: m[0] >= least)


def _named_raters(function: Callable[..., Triple], enters: Enters) -> _Plan:
    return _Plan(function, _raters_to_pools, _pools_to_raters, enters)


PLANS: dict[str, _Plan] = {
    "alpha": _one_pool(krippendorff_alpha, least=2),
    "fleiss": _one_pool(fleiss_kappa, least=1),
    "percent": _one_pool(percent_agreement, least=2),
    "ac": _one_pool(gwet_ac, least=1),
    "brennan_prediger": _one_pool(brennan_prediger, least=2),
    "iota": _named_raters(iota, lambda m: min(m) >= 1),
    "conger": _named_raters(conger_kappa, lambda m: sum(m) >= 1),
    "light": _named_raters(light_kappa, lambda m: sum(m_g >= 1 for m_g in m) >= 2),
    "cohen": _Plan(cohen_kappa, _vectors_to_pools, _pools_to_vectors, lambda m: min(m) >= 1),
    "cross": _Plan(cross_kappa, lambda x, y: [x, y], tuple, lambda m: min(m) >= 1),
}


def replicates(
    coefficient: str,
    *data: Any,
    level: Level = "nominal",
    n_resamples: int = 1000,
    seed: int = 0,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> Replicates:
    """Compute the coefficient on each of `n_resamples` resamples of units.

    Parameters
    ----------
    coefficient : str
        A word of `PLANS`.
    *data
        What the coefficient itself takes: units, or x and y.
    level, domain, **level_options
        As in the coefficient.
    n_resamples : int
    seed : int
        0 .. 2^64 - 1.

    Returns
    -------
    list of Fraction, None where the coefficient is undefined on a resample
    """
    if coefficient not in PLANS:
        raise ValueError(f"coefficient must be one of {', '.join(PLANS)}; found: {coefficient!r}")
    plan = PLANS[coefficient]
    plan.function(*data, level, domain=domain, **level_options)  # refuses what the coefficient refuses
    domain, pools = read(plan.to_pools(*data), level, domain)
    return [
        plan.function(*plan.from_pools(resample), level, domain=domain, **level_options)[0]
        for resample in resamples(pools, domain, plan.enters, n_resamples, seed)
    ]


def resamples(
    pools: Sequence[Table], domain: Domain, enters: Enters, n_resamples: int, seed: int
) -> Iterator[list[Table]]:
    """Draw the pools of each resample, units written out; all pools of a unit travel together."""
    patterns = {
        pattern: w for pattern, w in tally(pools, domain).items() if enters([sum(counts) for counts in pattern])
    }
    ordered = canonical_order(patterns)
    for b in range(n_resamples):
        drawn = multinomial([w for _, w in ordered], Stream(seed, BOOTSTRAP, b))
        yield _write_out_units([pattern for pattern, _ in ordered], drawn, domain, len(pools))


def _write_out_units(patterns: Sequence[Pattern], times: Sequence[int], domain: Domain, n_pools: int) -> list[Table]:
    pools: list[list[list[Value]]] = [[] for _ in range(n_pools)]
    for pattern, drawn in zip(patterns, times, strict=True):
        for pool, row in zip(pools, write_out(pattern, domain), strict=True):
            pool.extend([row] * drawn)
    return list(pools)


# Several pools together: kappa_x, reliabilities and normalized values of the same resamples


@dataclass(frozen=True)
class CrossReplicationReplicates:
    """Joint replicates.

    Attributes
    ----------
    irr : dict
        For each pool its replicates. With `irr_units="shared"` the key is (pool, other): the reliability of
        the pool on the units that it shares with the other.
    cross_kappa : dict
        kappa_x for each pair of pools.
    normalized : dict
        kappa_x over the root of the two reliabilities, as floats, for each pair of pools.
    """

    irr: dict[Any, Replicates]
    cross_kappa: dict[tuple[Any, Any], Replicates]
    normalized: dict[tuple[Any, Any], list[float | None]]


def cross_replication_replicates(
    pools: Mapping[Any, Table],
    level: Level = "nominal",
    irr: str = "alpha",
    irr_units: str = "all",
    n_resamples: int = 1000,
    seed: int = 0,
    *,
    domain: Sequence[Value] | None = None,
    **level_options: Any,
) -> CrossReplicationReplicates:
    """Every pool and every pair of pools on the same resamples.

    Parameters
    ----------
    pools : mapping from name to table
        The ratings of each pool; row i is the same unit in all.
    level, irr, irr_units, domain, **level_options
        As in `normalized_cross_kappa`.
    n_resamples, seed : int
        As in `replicates`.
    """
    reliability = irr_function(irr, irr_units)
    names = list(pools)
    domain, tables = read(list(pools.values()), level, domain)
    couples = list(combinations(names, 2))
    whose = names if irr_units == "all" else [key for a, b in couples for key in ((a, b), (b, a))]
    joint = CrossReplicationReplicates(
        irr={key: [] for key in whose},
        cross_kappa={couple: [] for couple in couples},
        normalized={couple: [] for couple in couples},
    )

    def enters(m: list[int]) -> bool:
        shared_by_some = sum(m_g >= 1 for m_g in m) >= 2
        return shared_by_some or (irr_units == "all" and any(PLANS[irr].enters([m_g]) for m_g in m))

    def alone(table: Table) -> Fraction | None:
        return reliability(table, level, domain=domain, **level_options)[0]

    for resample in resamples(tables, domain, enters, n_resamples, seed):
        table = dict(zip(names, resample, strict=True))
        if irr_units == "all":
            for name in names:
                joint.irr[name].append(alone(table[name]))
        for a, b in couples:
            kappa_x = cross_kappa(table[a], table[b], level, domain=domain, **level_options)[0]
            joint.cross_kappa[a, b].append(kappa_x)
            key_a, key_b = a, b
            if irr_units == "shared":
                key_a, key_b = (a, b), (b, a)
                shared_a, shared_b = shared_units(table[a], table[b])
                joint.irr[key_a].append(alone(shared_a))
                joint.irr[key_b].append(alone(shared_b))
            joint.normalized[a, b].append(normalize(kappa_x, joint.irr[key_a][-1], joint.irr[key_b][-1]))
    return joint
