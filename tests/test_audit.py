"""The audit, and acting on it: values that are missing, values merged and renamed."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappax as kx
from kappax import Ratings, RatingsError

LONG = {
    "unit": ["a", "a", "a", "b", "b", "c", "d", "a"],
    "who": ["x", "y", "z", "x", "y", "x", "z", "x"],
    "lot": ["p", "p", "q", "p", "p", "p", "q", "p"],
    "value": ["yes", "Yes ", "N/A", "yes", "no", "yes", None, "no"],
}
COLUMNS = {"unit": "unit", "rater": "who", "pool": "lot", "value": "value"}


def long(**more):
    return Ratings.from_long(LONG, **COLUMNS, duplicates="keep", **more)


def given_values(ratings):
    return [ratings.domain[code] for code in ratings.value]


# --- the audit ---------------------------------------------------------------------------------------------


def test_audit_says_all_there_is():
    audit = long(domain=["no", "yes", "Yes ", "N/A", "unseen"]).audit()
    assert audit.to_dict() == {
        "n_rows": 8,
        "n_ratings": 7,
        "n_missing": 1,
        "n_repeated": 1,
        "n_dropped": 0,
        "n_units": 4,
        "n_empty": 1,
        "n_singletons": 1,
        "n_raters": 3,
        "pools": {"p": 6, "q": 1},
        "values": {"no": 2, "yes": 3, "Yes ": 1, "N/A": 1, "unseen": 0},
        "suspicious": [
            "text that looks like a missing rating, counted as a value: 'N/A'",
            "values that differ only in case or space, counted as different: 'yes', 'Yes '",
        ],
        "constant_raters": [],
        "full_units": ["a"],
    }
    text = str(audit)
    for part in ("repeated        1 of a rater", "every value     units 'a'", "'unseen': 0", "1 with one"):
        assert part in text


def test_audit_goes_into_json_whatever_the_labels():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 2)]
    audit = Ratings.from_matrix([days, days[::-1]], units=days, raters=[("p", 1), ("q", 2)]).audit()
    assert json.loads(json.dumps(audit.to_dict()))["values"] == {"2024-01-01": 2, "2024-01-02": 2}
    assert audit.full_units == tuple(days)


def test_repeated_ratings_left_out_are_not_repeated_any_more():
    audit = Ratings.from_long(LONG, **COLUMNS, duplicates="last").audit()
    assert (audit.n_repeated, audit.n_dropped) == (0, 1)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 5, 99], [99]),
        ([0, 50, 100, 99, 999, -1], [-1, 999]),
        ([1, 2, 98, 99], [98, 99]),
        ([0, 1, -1], []),
        ([-2, 5, 99], []),
        (["1", "2", "-9"], ["-9"]),
        (["a", "DATA_EXPIRED", " no  response"], ["DATA_EXPIRED"]),
        (["a", " NaN ", "<NA>", "#N/A"], [" NaN ", "#N/A", "<NA>"]),
    ],
)
def test_values_that_may_stand_for_missing(values, found):
    notes = Ratings.from_matrix([values]).audit().suspicious
    assert [note.rpartition(": ")[2] for note in notes] == [repr(value) for value in found]


# --- acting on it ------------------------------------------------------------------------------------------

MISSING, RECODE = ["N/A", "never seen"], {"Yes ": "yes"}


def test_missing_and_recode_by_every_way():
    made = long(missing=MISSING, recode=RECODE)
    changed = long().recode(RECODE, missing=MISSING)
    for ratings in (made, changed):
        assert (ratings.domain, ratings.n_missing, ratings.n_units) == (("no", "yes"), 2, 4)
        assert given_values(ratings) == ["yes", "yes", "yes", "no", "yes", "no"]
        assert ratings.audit().suspicious == ()
        assert ratings.pools == ("p", "q")
    assert made.raters == changed.raters
    matrix = Ratings.from_matrix([["yes", "Yes "], ["no", "N/A"]], missing=MISSING, recode=RECODE)
    assert (matrix.domain, matrix.n_ratings, matrix.n_missing) == (("no", "yes"), 3, 1)


def test_missing_comes_before_types_and_domains_are_looked_at():
    mixed = Ratings.from_matrix([[1, 2], [3, "N/A"]], missing=["N/A"])
    assert mixed.domain == (1, 2, 3)
    assert Ratings.from_matrix([[1, 2], [3, 99]], domain=[1, 2, 3], missing=[99]).n_missing == 1
    assert Ratings.from_matrix([[1.0, float("inf")]], missing=[float("inf")]).n_ratings == 1
    columns = pd.DataFrame({"x": [1, 2], "y": ["2", "NA"]})
    assert Ratings.from_matrix(columns, missing=["NA"], recode={"2": 2}).domain == (1, 2)
    repeated = {"u": [1, 1, 1], "r": ["x", "x", "y"], "v": [99, 2, 3]}
    assert Ratings.from_long(repeated, unit="u", rater="r", value="v", missing=[99]).n_ratings == 2


@pytest.mark.parametrize(
    ("rules", "domain"),
    [
        ({"recode": {"lo": "low"}}, ("low", "mid", "high")),
        ({"recode": {"lo": "mid", "low": "mid"}}, ("mid", "high")),
        ({"recode": {"high": "top"}}, ("lo", "low", "mid", "top")),
        ({"recode": {"mid": None}, "missing": ["lo"]}, ("low", "high")),
        ({"recode": {"lo": "high", "high": "lo"}}, ("high", "low", "mid", "lo")),
    ],
)
def test_a_stated_order_lives_on(rules, domain):
    order, values = ["lo", "low", "mid", "high"], [["lo", "high"], ["mid", "low"]]
    flat = [value for row in values for value in row]
    frame = pl.DataFrame({"u": [1, 1, 2, 2], "v": flat}, schema_overrides={"v": pl.Enum(order)})
    by_method = Ratings.from_matrix(values, domain=order).recode(**rules)
    by_column = Ratings.from_long(frame, unit="u", value="v", **rules)
    for ratings in (by_method, by_column):
        assert ratings.domain == domain
        assert ratings.ordered
    assert given_values(by_method) == given_values(by_column)


def test_other_values_are_sorted_anew():
    numbers = Ratings.from_matrix([[1, 2], [3, 3]])
    assert numbers.recode({1: 9}).domain == (2, 3, 9)
    assert numbers.recode({1: 1.5}).domain == (1.5, 2.0, 3.0)
    named = numbers.recode({1: "one", 2: "two", 3: "three"})
    assert (named.domain, named.ordered) == (("one", "three", "two"), False)
    assert numbers.recode({1: 2, 2: 1}).domain == (1, 2, 3)
    with pytest.raises(RatingsError, match="mixed"):
        numbers.recode({1: "one"})


def test_counts_and_nothing_left():
    counts = Ratings.from_long({"u": [1, 1], "v": ["a", "b"], "n": [3, 2]}, unit="u", value="v", count="n")
    assert counts.recode({"b": "a"}).n_ratings == 5
    empty = counts.recode(missing=["a", "b"])
    assert (empty.n_ratings, empty.n_units, empty.domain) == (0, 1, ())
    assert counts.recode().domain == counts.domain


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({"recode": {"Yes": "yes"}}, RatingsError, r"does not occur; .*did you mean 'Yes '\?\): 'Yes'$"),
        ({"recode": {"yes": "no"}, "missing": ["yes"]}, RatingsError, "both recoded and missing: 'yes'"),
        ({"recode": {None: "no"}}, RatingsError, "what is missing: 'no'"),
        ({"recode": {"yes": []}}, RatingsError, r"no rating can be: \[\]"),
        ({"missing": [[]]}, RatingsError, r"no rating can be: \[\]"),
        ({"recode": "yes=no"}, TypeError, "must be a dict"),
        ({"missing": "N/A"}, TypeError, "must be a list of values, not str: 'N/A'"),
        ({"missing": 99}, TypeError, "must be a list of values, not int: 99"),
    ],
)
def test_bad_rules(rules, error, message):
    for make in (
        lambda: long(**rules),
        lambda: long().recode(**rules),
        lambda: Ratings.from_matrix([["yes", "Yes "]], **rules),
    ):
        with pytest.raises(error, match=message):
            make()


def test_the_closest_number_is_named_as_it_is():
    with pytest.raises(RatingsError, match=r"did you mean 1\?\): '1'$"):
        Ratings.from_matrix([[1, 2]]).recode({"1": 3})


@given(st.lists(st.lists(st.sampled_from([1, 2, 3, 99, None]), min_size=3, max_size=3), min_size=2, max_size=6))
def test_missing_is_what_a_gap_is(cells):
    gaps = [[None if cell == 99 else cell for cell in row] for row in cells]
    said, gone = Ratings.from_matrix(cells, missing=[99]), Ratings.from_matrix(gaps)
    assert said.domain == gone.domain
    for field in ("unit", "rater", "value"):
        assert np.array_equal(getattr(said, field), getattr(gone, field))
    later = Ratings.from_matrix(cells).recode(missing=[99])
    assert (later.domain, later.n_missing) == (gone.domain, gone.n_missing)
    assert np.array_equal(later.value, gone.value)


# --- from the shell ----------------------------------------------------------------------------------------


@pytest.fixture
def alpha(tmp_path, capsys):
    pytest.importorskip("rich")
    from kappax.cli import main  # noqa: PLC0415

    def call(content, *argv, name="a.csv"):
        path = tmp_path / name
        if isinstance(content, pl.DataFrame):
            content.write_parquet(path)
        else:
            path.write_text(content)
        status = main(["alpha", str(path), "--unit", "u", "--value", "v", "--json", *argv])
        out, err = capsys.readouterr()
        return json.loads(out) if status == 0 else err

    return call


@pytest.mark.parametrize(
    ("values", "argv", "domain"),
    [
        ("1 2 2 N/A", ["--missing", "N/A"], [1, 2]),
        ("1 2 99.0 99", ["--missing", "99,-1"], [1.0, 2.0]),
        ("1 2 2 N/A", ["--recode", "N/A=0"], [0, 1, 2]),
        ("1 2 2 N/A", ["--recode", "N/A="], [1, 2]),
        ("y n Y y", ["--recode", "Y=y"], ["n", "y"]),
        ("y n Y y", ["--recode", "Y=1,y=1,n=0"], [0, 1]),
        ("y n y y", ["--recode", "y=n,n=y", "--domain", "y,n"], ["y", "n"]),
        ("-1 0 1 -9", ["--missing", "-9"], [-1, 0, 1]),
    ],
)
def test_flags(alpha, values, argv, domain):
    cells = "".join(f"{i // 2},{value}\n" for i, value in enumerate(values.split()))
    assert alpha(f"u,v\n{cells}", *argv)["domain"] == domain


@pytest.mark.parametrize(
    ("values", "argv", "domain"),
    [
        ([1, 2, 2, 99], ["--missing", "99,N/A"], [1, 2]),
        ([1, 2, 2, 3], ["--recode", "3=2"], [1, 2]),
        ([1, 2, 2, 1], ["--recode", "1=yes,2=no"], ["no", "yes"]),
        ([True, False, True, True], ["--missing", "false"], [True]),
        (["1", "2", "2", "9"], ["--missing", "9"], ["1", "2"]),
    ],
)
def test_flags_on_typed_columns(alpha, values, argv, domain):
    frame = pl.DataFrame({"u": ["a", "a", "b", "b"], "v": values})
    assert alpha(frame, *argv, name="a.parquet")["domain"] == domain


def test_bad_flags(alpha):
    text = "u,v\na,yes\na,Yes\nb,yes\n"
    assert "did you mean 'yes'?" in alpha(text, "--recode", "yees=no")
    assert "not OLD=NEW" in alpha(text, "--recode", "yes")
    assert alpha(text, "--missing", "yes,Yes")["reason"] is not None


def test_audit_is_of_what_is_left(alpha):
    audit = alpha("u,v\na,1\na,2\nb,2\nb,99\n", "--missing", "99", "--audit")["audit"]
    assert (audit["n_missing"], audit["suspicious"]) == (1, [])
    assert kx.Ratings.from_matrix([[1, 2], [2, 99]]).audit().suspicious
