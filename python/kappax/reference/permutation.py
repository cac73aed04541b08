"""Permuted data, and what a statistic on them says (docs/statistics.md, section 7; docs/stream.md, section 6)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .difference import Level, Value
from .random import POOLS, RATINGS, Stream, shuffle
from .ratings import Domain, Table, columns, present, read
from .tally import Pattern, Weighted, canonical_order, order_of_pools, tally, write_out

TIE = Fraction(1, 2**40)


def permuted_ratings(
    units: Table,
    n_permutations: int,
    seed: int,
    level: Level = "nominal",
    domain: Sequence[Value] | None = None,
) -> list[Table]:
    """Permute each rater's ratings among the units with two ratings or more that the rater rated.

    Parameters
    ----------
    units : list of lists of values
        Columns are raters.
    n_permutations, seed : int
    level, domain
        As in a coefficient.

    Returns
    -------
    list of tables
        Units in canonical order, those with one rating behind the others.
    """
    domain, (units,) = read([units], level, domain)
    rated = [row for row, ratings in zip(units, present(units), strict=True) if len(ratings) >= 2]
    single = [row for row, ratings in zip(units, present(units), strict=True) if len(ratings) == 1]
    patterns, raters = _by_rater(columns(rated), domain)
    written = [[rater[0] if rater else None for rater in write_out(p, domain)] for p, w in patterns for _ in range(w)]
    permuted: list[Table] = []
    for b in range(n_permutations):
        stream = Stream(seed, RATINGS, b)
        table = [list(row) for row in written]
        for rater in raters:
            own = [u for u, row in enumerate(table) if row[rater] is not None]
            ratings = [table[u][rater] for u in own]
            shuffle(ratings, len(ratings) - 1, stream)
            for u, rating in zip(own, ratings, strict=True):
                table[u][rater] = rating
        permuted.append([*table, *single])
    return permuted


def permuted_raters(
    x: Table,
    y: Table,
    n_permutations: int,
    seed: int,
    level: Level = "nominal",
    domain: Sequence[Value] | None = None,
) -> list[tuple[Table, Table]]:
    """Assign the raters of two pools anew, with all their ratings, to pools of the same sizes.

    All splits are taken where there are no more than `n_permutations`.

    Parameters
    ----------
    x, y : lists of lists of values
        Columns are raters; the same units in both.
    n_permutations, seed : int
    level, domain
        As in a coefficient.
    """
    domain, tables = read([x, y], level, domain)
    in_x, in_y = ([rater for rater in columns(table) if any(v is not None for v in rater)] for table in tables)
    raters = [*in_x, *in_y]
    _, order = _by_rater(raters, domain)
    n_x = len(in_x)
    splits = list(combinations(order, n_x))
    if len(splits) > n_permutations:
        splits = [_random_split(order, n_x, Stream(seed, POOLS, b)) for b in range(n_permutations)]

    def pool(members: Sequence[int]) -> Table:
        return [[raters[r][u] for r in members] for u in range(len(x))]

    return [(pool(split), pool([r for r in order if r not in split])) for split in splits]


def permutation_p(
    statistic: Fraction, permuted: Sequence[Fraction | None], alternative: str = "greater", *, exact: bool = False
) -> Fraction:
    """Find the share of permutations at least as extreme; the undefined ones (None) are.

    Parameters
    ----------
    statistic : number
    permuted : sequence of numbers
    alternative : {"greater", "less", "two-sided"}
    exact : bool
        Whether these are all permutations, the data among them.
    """
    if alternative == "two-sided":
        sides = (permutation_p(statistic, permuted, side, exact=exact) for side in ("greater", "less"))
        return min(Fraction(1), 2 * min(sides))
    margin = TIE * max(Fraction(1), abs(statistic))
    sign = 1 if alternative == "greater" else -1
    b = sum(value is None or sign * value >= sign * statistic - margin for value in permuted)
    m = len(permuted)
    return Fraction(b, m) if exact else Fraction(b + 1, m + 1)


def adjusted_p(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Adjust the p values of a family by the procedure of Benjamini and Hochberg (1995).

    Parameters
    ----------
    p_values : sequence of numbers
    """
    k = len(p_values)
    ascending = sorted(p_values)

    def adjusted(p: Fraction) -> Fraction:
        first = ascending.index(p) + 1
        return min(Fraction(1), *(k * ascending[j - 1] / j for j in range(first, k + 1)))

    return [adjusted(p) for p in p_values]


def _by_rater(raters: Sequence[Sequence[Value]], domain: Domain) -> tuple[Weighted, list[int]]:
    """Tally by rater, and put raters in canonical order."""
    patterns: dict[Pattern, int] = dict(tally([[[value] for value in rater] for rater in raters], domain))
    return canonical_order(patterns), order_of_pools(list(patterns.items()))


def _random_split(order: Sequence[int], n_x: int, stream: Stream) -> tuple[int, ...]:
    shuffled = list(order)
    shuffle(shuffled, n_x, stream)
    return tuple(shuffled[:n_x])
