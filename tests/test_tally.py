"""The tally: canonical patterns, counts tables, sums, and bytes that are checked."""

from __future__ import annotations

import datetime as dt
import math
import pickle
import struct
import zlib
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappax as kx
from kappax.errors import RatingsError
from kappax.ratings import Ratings, Tally

nan = math.nan
FLEISS = [[3, 0], [2, 1], [0, 3], [1, 1], [2, 0]]
records = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["p", "q", "r"]), st.sampled_from([None, 1, 2, 3, 4])),
    min_size=1,
    max_size=25,
)


def made(rows):
    """Make Ratings of (unit, pool, value) rows."""
    columns = {name: list(column) for name, column in zip("upv", zip(*rows, strict=True), strict=True)}
    return Ratings.from_long(columns, unit="u", value="v", pool="p")


def counted(rows, pools, domain):
    """Count patterns with plain loops."""
    units = {u: [[0] * len(domain) for _ in pools] for u, _, _ in rows}
    for u, p, v in rows:
        if v is not None:
            units[u][pools.index(p)][domain.index(v)] += 1
    return Counter(tuple(map(tuple, pattern)) for pattern in units.values())


def as_counter(tally):
    return Counter(
        {tuple(map(tuple, p)): int(n) for p, n in zip(tally.patterns.tolist(), tally.multiplicity, strict=True)}
    )


@settings(deadline=None)
@given(records)
def test_patterns_are_counted_and_in_canonical_order(rows):
    tally = made(rows).tally("pool")
    assert as_counter(tally) == counted(rows, tally.pools, tally.domain)
    flat = tally.patterns.reshape(len(tally.patterns), -1).tolist()
    assert flat == sorted(flat)
    assert tally.patterns.dtype == np.uint32
    assert tally.multiplicity.dtype == np.uint64
    assert tally.n_units == tally.multiplicity.sum()


@settings(deadline=None)
@given(records, st.randoms(use_true_random=False))
def test_order_of_rows_and_units_does_not_matter(rows, random):
    shuffled = random.sample(rows, len(rows))
    for by in (None, "pool"):
        assert made(shuffled).tally(by) == made(rows).tally(by)


# --- counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "counts",
    [
        FLEISS,
        np.array(FLEISS),
        np.array(FLEISS, dtype=np.uint8),
        np.array(FLEISS, dtype=float),
        np.asfortranarray(FLEISS),
        np.array(FLEISS, dtype=object),
        np.ma.masked_array(FLEISS),
        [list(map(float, row)) for row in FLEISS],
    ],
    ids=["list", "int", "uint8", "float", "Fortran", "object", "masked", "floats"],
)
def test_counts(counts):
    tally = Tally.from_counts(counts)
    assert (tally.domain, tally.pools, tally.n_raters, tally.n_units, tally.ordered) == (
        (0, 1),
        (None,),
        None,
        5,
        True,
    )
    assert tally.patterns.tolist() == [[[0, 3]], [[1, 1]], [[2, 0]], [[2, 1]], [[3, 0]]]
    assert repr(tally) == "Tally(5 units, 5 patterns, values 0, 1)"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_counts_of_a_frame(make):
    frame = make({"no": [3, 2], "yes": [0, 1]})
    assert Tally.from_counts(frame).domain == ("no", "yes")
    turned = Tally.from_counts(frame, domain=["yes", "maybe", "no"])
    assert turned.patterns.tolist() == [[[0, 0, 3]], [[1, 0, 2]]]
    assert Tally.from_counts(frame, domain=[7, 8]).domain == (7, 8)
    digits = make({"1": [3], "2": [1]})
    assert Tally.from_counts(digits, domain=[2, 1]).patterns.tolist() == [[[1, 3]]]
    with pytest.raises(RatingsError, match=r"no value of the domain .*: 'yes'$"):
        Tally.from_counts(frame, domain=["no", "maybe"])


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ([[1, 2], [3, -1]], "-1"),
        (np.array([[1, 2], [3, 1.5]]), "1.5"),
        (np.array([[1, 2], [3, nan]]), "missing"),
        ([[1, 2], [3, None]], "missing"),
        (np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 0], [0, 1]]), "missing"),
        (np.array([[1, 2], [3, np.inf]]), "inf"),
        (np.array([[1, 2], [3, 2**32]]), "4294967296"),
    ],
)
def test_bad_counts(counts, found):
    message = f"count must be a whole number .*, unit {{}}, value {{}}: {found}$"
    with pytest.raises(RatingsError, match=message.format(1, 1)):
        Tally.from_counts(counts)
    with pytest.raises(RatingsError, match=message.format("'v'", "'b'")):
        Tally.from_counts(counts, units=["u", "v"], domain=["a", "b"])
    with pytest.raises(RatingsError, match=message.format(1, "'b'")):
        Tally.from_counts(pd.DataFrame([list(row) for row in counts], columns=["a", "b"], dtype=object))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"counts": [[1, 2], [1]]}, RatingsError, "row 1 has: 1$"),
        ({"counts": []}, RatingsError, "no ratings"),
        ({"counts": [1, 2]}, RatingsError, "2-D"),
        ({"counts": [[True, False]]}, RatingsError, "True$"),
        ({"counts": [["a", "b"]]}, RatingsError, "'a'$"),
        ({"counts": None}, TypeError, "NoneType"),
        ({"counts": FLEISS, "domain": [1, 2, 3]}, RatingsError, "3 values, the columns of counts are: 2$"),
        ({"counts": FLEISS, "domain": [1, 1]}, RatingsError, "twice"),
        ({"counts": FLEISS, "units": [1, 2]}, RatingsError, "units must have a label for each of the 5"),
        ({"counts": FLEISS, "units": [1, 2, 3, 4, 1]}, RatingsError, "units has a label twice: 1$"),
    ],
)
def test_bad_counts_tables(arguments, error, message):
    with pytest.raises(error, match=message):
        Tally.from_counts(**arguments)


def test_from_frame():
    frame = pl.LazyFrame({"u": [1, 1, 2], "v": ["a", "b", "b"], "p": [1, 2, 1]})
    assert Tally.from_frame(frame, unit="u", value="v").pools == (None,)
    tally = Tally.from_frame(frame, unit="u", value="v", pool="p", domain=["b", "a"])
    assert (tally.pools, tally.domain, tally.n_raters) == ((1, 2), ("b", "a"), None)


# --- sums and pools ----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(records, records)
def test_sum_is_the_tally_of_all_units(one, two):
    moved = [(u + 100, p, v) for u, p, v in two]
    for by in (None, "pool"):
        total = made(one).tally(by) + made(moved).tally(by)
        assert total == made(one + moved).tally(by)
        assert total == made(moved).tally(by) + made(one).tally(by)


def tally_of(values, domain=None, **labels):
    return Ratings.from_matrix(values, domain=domain, **labels).tally()


@pytest.mark.parametrize(
    ("one", "two", "domain", "ordered"),
    [
        (tally_of([[1]]), tally_of([[3]]), (1, 3), True),
        (tally_of([[1]]), tally_of([[0.5]]), (0.5, 1.0), True),
        (tally_of([[True]]), tally_of([[2]]), (1, 2), True),
        (tally_of([["b"]]), tally_of([["a"]]), ("a", "b"), False),
        (tally_of([["b"]], ["b", "a"]), tally_of([["a"]]), ("b", "a"), True),
        (tally_of([["b"]], ["b", "a"]), tally_of([["a"]], ["b", "a"]), ("b", "a"), True),
        (tally_of([[5]], [5, 4]), tally_of([[4]]), (5, 4), True),
        (tally_of([[None]]), tally_of([["a"]]), ("a",), False),
        (tally_of([[None]]), tally_of([[None]]), (), True),
    ],
)
def test_domains_add(one, two, domain, ordered):
    for total in (one + two, two + one):
        assert (total.domain, total.ordered, total.n_units) == (domain, ordered, 2)


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        (tally_of([["b"]], ["b", "a"]), tally_of([["a"]], ["a", "b"]), "two different orders"),
        (tally_of([["b"]], ["b", "a"]), tally_of([["c"]]), "outside of the stated order .*: 'c'$"),
        (tally_of([["b"]]), tally_of([[1]]), "mixed"),
        (tally_of([[1]]), Ratings.from_matrix([[1]]).tally("rater"), "with and without a name"),
    ],
)
def test_what_does_not_add(one, two, message):
    with pytest.raises(RatingsError, match=message):
        one + two


def test_only_tallies_add():
    with pytest.raises(TypeError):
        tally_of([[1]]) + 1  # type: ignore[operator]
    assert tally_of([[1]]) != 1


def test_raters_of_a_sum():
    def by_rater(*raters):
        return Ratings.from_matrix([[1] * len(raters)], raters=raters).tally("rater")

    total = by_rater("b", "a") + by_rater("c", "a")
    assert (total.pools, total.n_raters) == (("a", "b", "c"), 3)
    assert total.patterns.tolist() == [[[1], [0], [1]], [[1], [1], [0]]]
    assert (tally_of([[1, 1]]) + tally_of([[1, 1]])).n_raters == 2
    assert (tally_of([[1, 1]]) + tally_of([[1]])).n_raters is None


def test_restrict():
    tally = made([(1, "p", 1), (1, "q", 2), (2, "r", 2)]).tally("pool")
    part = tally.restrict(["r", "p"])
    assert part.pools == ("r", "p")
    assert part.patterns.tolist() == [[[0, 0], [1, 0]], [[0, 1], [0, 0]]]
    assert tally.restrict(["p", "q", "r"]) == tally
    assert tally.pooled() == made([(1, "p", 1), (1, "q", 2), (2, "r", 2)]).tally()
    for pools, message in (
        (["s"], "unknown pool, the pools are 'p', 'q', 'r'.*: 's'$"),
        ([], "no pool asked for"),
        (["p", "p"], "twice: 'p'$"),
    ):
        with pytest.raises(RatingsError, match=message):
            tally.restrict(pools)


def test_pools_chosen_by_an_array_keep_their_labels():
    ratings = made([(1, "p", 1), (1, "q", 2), (2, "r", 2)])
    for part in (ratings.tally("pool").restrict(np.array(["r", "p"])), ratings.select(pools=np.array(["r", "p"]))):
        assert [(type(label), label) for label in part.pools] == [(str, "r"), (str, "p")]
    assert Tally.from_bytes(ratings.tally("pool").restrict(np.array(["r"])).to_bytes()).pools == ("r",)
    result = kx.cross_replication(ratings, pools=np.array(["r", "p"]))
    assert {type(label) for pair in result.cross_kappa for label in pair} == {str}


def test_with_domain():
    tally = tally_of([["a", "b"]], ["a", "b", "never"])
    turned = tally.with_domain(["b", "x", "a"])
    assert (turned.domain, turned.ordered, turned.patterns.tolist()) == (("b", "x", "a"), True, [[[1, 0, 1]]])
    with pytest.raises(RatingsError, match=r"outside of the domain \('a'\): 'b'$"):
        tally.with_domain(["a"])


# --- bytes -------------------------------------------------------------------------------------------------

LABELS = [
    (True, False),
    (1, -(2**70)),
    (0.1, 5e-324),
    ("a", "\udc80 ä\n\0"),
    (dt.date(2020, 2, 29), dt.date(1, 1, 1)),
    (dt.datetime(2020, 1, 1, 1, 2, 3, 4, dt.timezone.utc), dt.datetime(2020, 1, 1)),  # noqa: DTZ001
    (Decimal("1.50"), Decimal(2)),
    (b"\x00", b""),
    ((1, "a"), (None, 1.0)),
    (1, "1"),
]


@pytest.mark.parametrize("domain", LABELS, ids=str)
def test_bytes_keep_labels_and_their_types(domain):
    tally = tally_of([[domain[0], domain[1]], [None, domain[1]]], domain)
    again = Tally.from_bytes(tally.to_bytes())
    assert again == tally
    assert (again.n_raters, again.ordered) == (2, True)
    assert [(type(v), v) for v in again.domain] == [(type(v), v) for v in domain]
    assert pickle.loads(pickle.dumps(tally)) == tally  # noqa: S301
    assert hash(again) == hash(tally)


@settings(deadline=None)
@given(records)
def test_bytes_round_trip(rows):
    tally = made(rows).tally("pool")
    data = tally.to_bytes()
    assert Tally.from_bytes(data) == tally
    assert Tally.from_bytes(memoryview(data)) == tally
    assert Tally.from_bytes(data).to_bytes() == data


def test_bytes_are_those_of_any_source():
    rows = [[1, 2], [2, 2]]
    assert tally_of(rows).to_bytes() == tally_of(np.array(rows, dtype=np.int8)).to_bytes()


def test_labels_that_do_not_go_into_bytes():
    with pytest.raises(RatingsError, match="label of type frozenset"):
        tally_of([[frozenset()]], [frozenset()]).to_bytes()


DATA = Tally.from_counts(FLEISS, domain=["a", "b"]).to_bytes()


@pytest.mark.parametrize("length", range(len(DATA)))
def test_bytes_cut_short(length):
    with pytest.raises(RatingsError):
        Tally.from_bytes(DATA[:length])


@pytest.mark.parametrize("at", range(len(DATA)))
def test_bytes_changed(at):
    for flip in (0x01, 0xFF):
        changed = bytearray(DATA)
        changed[at] ^= flip
        with pytest.raises(RatingsError):
            Tally.from_bytes(bytes(changed))


def rewritten(data, old, new):
    """Change what is inside and make the checksum right again."""
    body = data[14:].replace(old, new)
    return data[:10] + struct.pack("<I", zlib.crc32(body)) + body


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "are not a tally"),
        (b"PAR1 something else", "are not a tally"),
        (DATA[:8] + b"\x02" + DATA[9:], "newer version, the format known here is 1: 2$"),
        (DATA + b"\x00", "damaged"),
        (rewritten(DATA, b'"str","a"', b'"sty","a"'), "label of this tally is damaged"),
        (rewritten(DATA, b'"ordered":true', b'"ordered":null'), "header of this tally is damaged"),
        (rewritten(DATA, b'"domain"', b'"donaim"'), "header of this tally is damaged"),
        (rewritten(DATA, b'["str","a"],', b" " * 12), "do not fit"),
        (rewritten(DATA, DATA[-8:], b""), "damaged"),
    ],
)
def test_bytes_refused(data, message):
    with pytest.raises(RatingsError, match=message):
        Tally.from_bytes(data)


def test_bytes_of_a_wrong_type():
    with pytest.raises(TypeError, match="expected bytes, not str"):
        Tally.from_bytes("kxTALLY")  # type: ignore[arg-type]
