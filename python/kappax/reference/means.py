"""How reliable means of ratings are, and correlations corrected for it (docs/statistics.md, section 5)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .coefficient.alpha import krippendorff_alpha
from .coefficient.cross import shared_units
from .coefficient.normalized import normalize
from .coefficient.pairs import mean
from .difference import Value, exact, root, scale
from .random import HALVES, Stream
from .ratings import Domain, Table, present, read
from .tally import canonical_order, tally, write_out


def k_rater_reliability(a: Any, k: Any) -> Fraction | None:
    """Step an IRR a up to the reliability of the mean of k ratings (Wong and Paritosh 2022).

    That is k a / (1 + (k-1) a); None where a is None or the divisor is zero.
    """
    if a is None:
        return None
    a, k = exact(a), exact(k)
    divisor = 1 + (k - 1) * a
    return k * a / divisor if divisor else None


def pearson(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction | None:
    """Pearson's correlation, None where a variable is constant: exact sums, and one root at the end."""
    if not x:
        return None
    centre_x, centre_y = mean(x), mean(y)
    xy = sum(((a - centre_x) * (b - centre_y) for a, b in zip(x, y, strict=True)), Fraction(0))
    xx = sum(((a - centre_x) ** 2 for a in x), Fraction(0))
    yy = sum(((b - centre_y) ** 2 for b in y), Fraction(0))
    return xy / root(xx * yy) if xx * yy else None


# Split-half


def split_half_reliability(
    units: Table, n_halvings: int = 1000, seed: int = 0, *, domain: Sequence[Value] | None = None
) -> float | None:
    """Reliability of the unit means, from random halves of their ratings.

    The correlation between the two half means, averaged over halvings and stepped up by 2r/(1+r).

    Parameters
    ----------
    units : list of lists of values
        Units with fewer than two ratings have no halves and are left out.
    n_halvings : int
        Halvings where the correlation is undefined are left out.
    seed : int
        0 .. 2^64 - 1.
    domain : sequence of values, optional
        Values that are not numbers count as their ranks in it.
    """
    domain, (units,) = read([units], "interval", domain)
    x = scale(domain)
    rows = _rows_in_canonical_order(units, domain)
    correlations = []
    for b in range(n_halvings):
        stream = Stream(seed, HALVES, b)
        halves = [_halve([x[value] for value in row], stream) for row in rows]
        r = pearson([mean(first) for first, _ in halves], [mean(second) for _, second in halves])
        if r is not None:
            correlations.append(r)
    if not correlations:
        return None
    reliability = k_rater_reliability(mean(correlations), 2)
    return None if reliability is None else float(reliability)


def _rows_in_canonical_order(units: Table, domain: Domain) -> list[list[Value]]:
    patterns = {pattern: w for pattern, w in tally([units], domain).items() if sum(pattern[0]) >= 2}
    return [write_out(pattern, domain)[0] for pattern, w in canonical_order(patterns) for _ in range(w)]


def _halve(ratings: list[Fraction], stream: Stream) -> tuple[list[Fraction], list[Fraction]]:
    """Shuffle as far as the first half needs it (docs/stream.md, section 5)."""
    x = list(ratings)
    m = len(x)
    for i in range(m // 2):
        j = stream.bounded(m - i)
        x[i], x[i + j] = x[i + j], x[i]
    return x[: m // 2], x[m // 2 :]


# The other reliabilities of a mean


def cronbach_alpha(rows: Sequence[Sequence[Fraction | None]]) -> Fraction | None:
    """k/(k-1) (1 - sum of rater variances / variance of sums); columns are raters, and complete."""
    for u, row in enumerate(rows):
        if None in row or len(row) != len(rows[0]):
            raise ValueError(f"Cronbach's alpha needs a rating of every rater; one is missing in unit: {u}")
    complete = [[value for value in row if value is not None] for row in rows]
    k = len(complete[0]) if complete else 0
    if k < 2 or len(complete) < 2:
        return None
    of_sums = _variance([sum(row, Fraction(0)) for row in complete])
    of_raters = sum((_variance(rater) for rater in zip(*complete, strict=True)), Fraction(0))
    return Fraction(k, k - 1) * (1 - of_raters / of_sums) if of_sums else None


def _variance(x: Sequence[Fraction]) -> Fraction:
    centre = mean(x)
    return sum(((value - centre) ** 2 for value in x), Fraction(0)) / (len(x) - 1)


def one_way_reliability(rows: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """ICC(1,k), from one-way analysis of variance; k is k0 where units have different numbers of ratings."""
    n = len(rows)
    N = sum(len(row) for row in rows)
    if n < 2 or n == N:
        return None
    grand = mean(value for row in rows for value in row)
    between = sum((len(row) * (mean(row) - grand) ** 2 for row in rows), Fraction(0)) / (n - 1)
    within = sum(((value - mean(row)) ** 2 for row in rows for value in row), Fraction(0)) / (N - n)
    k0 = Fraction(N * N - sum(len(row) ** 2 for row in rows), N * (n - 1))
    divisor = between + (k0 - 1) * within
    return k_rater_reliability((between - within) / divisor, k0) if divisor else None


# Disattenuated correlation

RELIABILITIES = ("split-half", "cronbach", "one-way", "k-rater")


def disattenuated_correlation(
    x: Table,
    y: Table,
    reliability: str = "split-half",
    *,
    n_halvings: int = 1000,
    seed: int = 0,
    domain: Sequence[Value] | None = None,
) -> tuple[float | None, float | None, Fraction | float | None, Fraction | float | None]:
    """Divide the correlation of unit means by the root of their reliabilities (Spearman 1904).

    Parameters
    ----------
    x, y : lists of lists of values
        The ratings of each pool; row i is the same unit in both. Only units that both rated count.
    reliability : {"split-half", "cronbach", "one-way", "k-rater"}
        How reliable the means of each pool are. k-rater: interval alpha, stepped up by the mean number of
        ratings per unit.
    n_halvings, seed : int
        As in `split_half_reliability`.
    domain : sequence of values, optional
        Values that are not numbers count as their ranks in it.

    Returns
    -------
    (rho, r, reliability_x, reliability_y) : None where undefined
    """
    if reliability not in RELIABILITIES:
        raise ValueError(f"reliability must be one of {', '.join(RELIABILITIES)}; found: {reliability!r}")
    domain, (x, y) = read([x, y], "interval", domain)
    x, y = shared_units(x, y)
    if not x:
        return None, None, None, None

    r = pearson(_unit_means(x, domain), _unit_means(y, domain))
    rel_x, rel_y = (_reliability(table, reliability, domain, n_halvings, seed) for table in (x, y))
    return normalize(r, rel_x, rel_y), None if r is None else float(r), rel_x, rel_y


def _unit_means(table: Table, domain: Domain) -> list[Fraction]:
    number = scale(domain)
    return [mean(number[value] for value in row) for row in present(table)]


def _reliability(table: Table, word: str, domain: Domain, n_halvings: int, seed: int) -> Fraction | float | None:
    number = scale(domain)
    if word == "split-half":
        return split_half_reliability(table, n_halvings, seed, domain=domain)
    if word == "cronbach":
        return cronbach_alpha([[None if v is None else number[v] for v in row] for row in table])
    rows = [[number[value] for value in row] for row in present(table)]
    if word == "one-way":
        return one_way_reliability(rows)
    alpha, _, _ = krippendorff_alpha(table, "interval", domain=domain)
    return k_rater_reliability(alpha, Fraction(sum(len(row) for row in rows), len(rows)))
