"""Patterns, and the order that depends on nothing but what they contain (docs/stream.md, section 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

from .difference import Value
from .ratings import Domain, Table, present

Pattern: TypeAlias = tuple[tuple[int, ...], ...]  # pool after pool, how often each value of the domain was given
Weighted: TypeAlias = list[tuple[Pattern, int]]  # patterns with their multiplicities

Signature = TypeVar("Signature", bound=tuple[object, ...])


def tally(pools: Sequence[Table], domain: Domain) -> Counter[Pattern]:
    """Count the units that show each distinct pattern.

    Parameters
    ----------
    pools : sequence of tables
        One for each pool, all over the same units.
    domain : tuple of values
    """
    units = zip(*(present(pool) for pool in pools), strict=True)
    return Counter(tuple(_count(row, domain) for row in unit) for unit in units)


def _count(row: Sequence[Value], domain: Domain) -> tuple[int, ...]:
    counts = Counter(row)
    return tuple(counts[value] for value in domain)


def write_out(pattern: Pattern, domain: Domain) -> list[list[Value]]:
    """Write out the ratings that each pool gave to one unit of the pattern, in the order of the domain."""
    return [[v for v, times in zip(domain, counts, strict=True) for _ in range(times)] for counts in pattern]


def canonical_order(patterns: Mapping[Pattern, int]) -> Weighted:
    """Patterns and multiplicities in canonical order; the pools inside a pattern keep their places.

    Pools are ordered by what they contain, then patterns as lists of counts, pool after pool in that order.
    """
    came = list(patterns.items())
    order = order_of_pools(came)
    return sorted(came, key=lambda entry: [entry[0][g] for g in order])


def order_of_pools(patterns: Weighted) -> list[int]:
    """Pools in the order of what they contain."""
    n_pools = len(patterns[0][0]) if patterns else 0
    colours = _refine([0] * n_pools, patterns)
    while len(set(colours)) < n_pools <= 64:
        colours = _refine(_split(colours), patterns)
    # With more pools than 64 the ties that are left fall to the order in which the pools came.
    return sorted(range(n_pools), key=lambda g: (colours[g], g))


def _refine(colours: list[int], patterns: Weighted) -> list[int]:
    """Colour patterns by their pools and pools by their patterns until that tells no more of them apart."""
    while True:
        colour_of_pattern = _ranks([_signature_of_pattern(pattern, colours) for pattern, _ in patterns])
        refined = _ranks([_signature_of_pool(g, colours[g], patterns, colour_of_pattern) for g in range(len(colours))])
        if len(set(refined)) == len(set(colours)):
            return refined
        colours = refined


def _signature_of_pattern(pattern: Pattern, colours: list[int]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        sorted(
            (colours[g], value, times)
            for g, counts in enumerate(pattern)
            for value, times in enumerate(counts)
            if times
        )
    )


def _signature_of_pool(
    g: int, colour: int, patterns: Weighted, colour_of_pattern: list[int]
) -> tuple[int, tuple[tuple[int, int, int, int], ...]]:
    entries = sorted(
        (colour_of_pattern[i], value, times, multiplicity)
        for i, (pattern, multiplicity) in enumerate(patterns)
        for value, times in enumerate(pattern[g])
        if times
    )
    return colour, tuple(entries)


def _ranks(signatures: Sequence[Signature]) -> list[int]:
    rank = {signature: i for i, signature in enumerate(sorted(set(signatures)))}
    return [rank[signature] for signature in signatures]


def _split(colours: list[int]) -> list[int]:
    """Let the first pool of the lowest shared colour keep it; all others from that colour on move up."""
    shared = min(colour for colour, pools in Counter(colours).items() if pools > 1)
    first = colours.index(shared)
    return [colour + 1 if colour >= shared and g != first else colour for g, colour in enumerate(colours)]
