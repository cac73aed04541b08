"""Ratings as they come: missing values, the domain, and what is refused."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TypeAlias

from .difference import Level, Value, check_level, is_number, needs_order

Domain: TypeAlias = tuple[Value, ...]
Table: TypeAlias = Sequence[Sequence[Value]]


def read(tables: Sequence[Table], level: Level, stated: Sequence[Value] | None) -> tuple[Domain, list[Table]]:
    """Find the domain of all tables together, and make every missing value None.

    Parameters
    ----------
    tables : sequence of tables
        One for each pool; a table is a list of rows, a row the ratings of one unit.
    level : str, matrix or callable
        Levels that order values refuse text whose order was not stated.
    stated : sequence of values or None
        The domain, in its order. None: the values that occur, sorted.
    """
    check_level(level)
    checked = [[_read_row(u, row) for u, row in enumerate(table)] for table in tables]
    domain = _sorted_values(checked, level) if stated is None else tuple(stated)
    if len(set(domain)) < len(domain):
        raise ValueError(f"the domain names a value twice: {domain!r}")
    for table in checked:
        _refuse_outside(table, domain)
    return domain, [list(table) for table in checked]


def _read_row(u: int, row: Iterable[Value]) -> list[Value]:
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise ValueError(f"units must be a list of lists; unit {u} is: {row!r}")  # noqa: TRY004 - bad data
    ratings = [None if _is_missing(value) else value for value in row]
    for rater, value in enumerate(ratings):
        if isinstance(value, (float, Decimal)) and math.isinf(value):
            raise ValueError(f"a rating must be finite; unit {u}, rater {rater}: {value!r}")
    return ratings


def _is_missing(value: Value) -> bool:
    return value is None or (isinstance(value, (float, Decimal)) and math.isnan(value))


def _sorted_values(tables: Sequence[Table], level: Level) -> Domain:
    values = {value for table in tables for row in present(table) for value in row}
    if not values:
        raise ValueError("there is no rating, and no domain is stated")
    numbers = sum(is_number(value) for value in values)
    if 0 < numbers < len(values):
        raise ValueError(f"numbers and other values are mixed; state their domain: {values!r}")
    if not numbers and needs_order(level):
        raise ValueError(f"level {level!r} needs the order of values that are not numbers; state their domain")
    try:
        return tuple(sorted(values))
    except TypeError as error:
        raise ValueError(f"these values have no order; state their domain: {values!r}") from error


def _refuse_outside(table: Table, domain: Domain) -> None:
    known = set(domain)
    for u, row in enumerate(table):
        for rater, value in enumerate(row):
            if value is not None and value not in known:
                raise ValueError(f"a rating is outside the domain; unit {u}, rater {rater}: {value!r}")


def present(table: Table) -> list[list[Value]]:
    """Keep the ratings of each unit, without the missing ones."""
    return [[value for value in row if value is not None] for row in table]


def count(table: Table) -> list[Counter[Value]]:
    """c[u,k]: how often each value was given to each unit."""
    return [Counter(row) for row in present(table)]


def columns(table: Table) -> list[list[Value]]:
    """One list of ratings for each rater, for coefficients that tell raters apart."""
    if len({len(row) for row in table}) > 1:
        raise ValueError("raters are told apart here, so every unit must have a place for each of them")
    return [list(column) for column in zip(*table, strict=True)]


def pooled(counts: Iterable[Counter[Value]]) -> Counter[Value]:
    """N_k: the counts of several units put together."""
    total: Counter[Value] = Counter()
    for c in counts:
        total += c
    return total
