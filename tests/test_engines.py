"""Frames that are elsewhere: every engine gives the tally, estimate and replicates of the rows in memory."""

import math
import os
import re
import shutil
import sys
import warnings
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappax as kx
from kappax import _engines
from shared import DATA, needs_data

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

SCALE_PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"

pytestmark = [
    pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets that Spark leaves to the collector
]


# Engines: each takes an Arrow table to where it holds its frames


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java, and there is none")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.pyspark.python": sys.executable,
    }
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers', which would be any python3 on the path
    session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def polars_lazy(table):
    return pl.from_arrow(table).lazy()


def duckdb(table):
    engine = pytest.importorskip("duckdb")
    connection = engine.connect()
    return connection.from_arrow(table)


def ibis(table):
    return pytest.importorskip("ibis").memtable(table)


def dask(table):
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)


NAMES = count()


def sqlframe(table):
    duck = pytest.importorskip("sqlframe.duckdb")
    session = duck.DuckDBSession()  # one for the whole process, whoever asks
    name = f"ratings_{next(NAMES)}"
    session._conn.register("arriving", table)
    session._conn.execute(f"create table {name} as select * from arriving")  # noqa: S608 - a name of ours
    return session.table(name)


QUICK = [polars_lazy, duckdb]
LOCAL = [*QUICK, ibis, dask, sqlframe]


@pytest.fixture(params=[*LOCAL, "pyspark"], ids=lambda engine: getattr(engine, "__name__", engine))
def engine(request):
    if request.param == "pyspark":
        return request.getfixturevalue("spark").createDataFrame
    return request.param


def same(tally, local, level="nominal"):
    """Tallies are equal, and so is each bit of what is worked out from them."""
    assert tally == local
    assert (tally.n_units, tally.ordered, tally.n_raters) == (local.n_units, local.ordered, None)
    assert list(map(type, tally.domain)) == list(map(type, local.domain))
    if not local.domain:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kx.UndefinedCoefficientWarning)
        one, two = (kx.krippendorff_alpha(each, level, ci=kx.Bootstrap(50, seed=4)) for each in (tally, local))
    assert np.array_equal(one.replicates, two.replicates, equal_nan=True)
    assert np.array_equal(one.estimate, two.estimate, equal_nan=True)


UNITS = ["a", "a", "b", "b", "b", "c", "c", "d", "e", "a"]
POOLS = ["x", "y", "x", "y", "y", "x", "x", "y", None, "x"]
COLUMNS = {
    "float": pa.array([1.0, math.nan, -0.0, 0.0, 2.5, 0.1 + 0.2, None, 1.0, None, 0.3]),
    "float32": pa.array([1.0, math.nan, -0.0, 0.0, 2.5, 0.1, None, 1.0, None, 0.1], pa.float32()),
    "int": pa.array([1, 2**53 + 1, 2**53, 1, 2, -3, None, 1, None, 2**53 + 1]),
    "int8": pa.array([1, 2, 3, 1, 2, -128, None, 1, None, 2], pa.int8()),
    "bool": pa.array([True, False, True, True, False, True, None, False, None, True]),
    "text": pa.array(["a'b", "nan", 'a"b', "\\", "", "\\", None, "é\n", None, "A"]),
    "date": pa.array([date(1960, 2, 1 + i % 3) if i not in (6, 8) else None for i in range(10)]),
    "decimal": pa.array([None if i in (6, 8) else Decimal("1.2350") + Decimal(i % 3) / 10000 for i in range(10)]),
    "missing": pa.array([None] * 10, pa.float64()),
}


def fixed(name):
    return pa.table({"Item": UNITS, "Value": COLUMNS[name], "pool": POOLS})


# Every engine


@pytest.mark.parametrize("pool", [None, "pool"])
@pytest.mark.parametrize("name", COLUMNS)
def test_types_of_values(engine, name, pool):
    table = fixed(name)
    roles = {"unit": "Item", "value": "Value", "pool": pool}
    local = kx.Tally.from_frame(table, **roles)
    tally, plan = kx.Tally.from_frame(engine(table), **roles, explain=True)
    same(tally, local)
    assert plan.engine in ("polars", "duckdb", "ibis", "dask", "sqlframe", "pyspark")
    if name != "missing" and (plan.engine, name) != ("dask", "decimal"):
        assert plan.way == "patterns"
        assert plan.rows_fetched == local.table.n_patterns


@pytest.mark.parametrize("pool", [None, "pool"])
@pytest.mark.parametrize("name", ["float", "text", "date"])
def test_counts_instead_of_columns(engine, name, pool, monkeypatch):
    monkeypatch.setattr(_engines, "MOST_COLUMNS", 0)
    roles = {"unit": "Item", "value": "Value", "pool": pool}
    tally, plan = kx.Tally.from_frame(engine(fixed(name)), **roles, explain=True)
    assert (plan.way, plan.n_columns) == ("counts", 0)
    same(tally, kx.Tally.from_frame(fixed(name), **roles))


def test_wide_domain(engine):
    rng = np.random.default_rng(3)
    unit = rng.integers(0, 400, 2000)
    table = pa.table({"unit": unit, "value": unit % 7 + rng.integers(0, 300, 2000) * 0.5})
    roles = {"unit": "unit", "value": "value"}
    tally, plan = kx.Tally.from_frame(engine(table), **roles, explain=True)
    assert plan.way == "counts"
    same(tally, kx.Tally.from_frame(table, **roles), "interval")


def test_stated_domain(engine):
    table = pa.table({"unit": [1, 1, 2, 2], "value": ["mid", "low", "low", "mid"]})
    roles = {"unit": "unit", "value": "value", "domain": ["low", "mid", "high"]}
    tally = kx.Tally.from_frame(engine(table), **roles)
    assert tally.domain == ("low", "mid", "high")
    same(tally, kx.Tally.from_frame(table, **roles), "ordinal")


BAD = {
    "infinite": ({"value": [1.0, math.inf, math.inf, 2.0]}, {}, r"^infinite rating, unit 'a', 2 rows: inf$"),
    "outside": (
        {"value": ["r", "q", "q", "s"]},
        {"domain": ["r", "s"]},
        r"domain \('r', 's'\), unit 'a', 2 rows: 'q'",
    ),
    "kind": ({"value": ["1", "2", "2", "2"]}, {"domain": [1, 2]}, r"the rating is text, the domain is not"),
    "no unit": ({"unit": ["a", None, None, "b"]}, {}, r"^a rating without a unit, rows: 2$"),
    "no pool": ({"pool": ["x", None, "y", "y"]}, {}, r"^a rating without a pool, rows: 1$"),
    "no rows": ({"unit": [], "value": [], "pool": []}, {}, r"^the frame has no rows, their number is: 0$"),
    "no column": ({}, {"value": "vlaue"}, r"no column 'vlaue' for value=.*did you mean 'value'"),
}
TYPES = {"unit": pa.string(), "pool": pa.string()}


@pytest.mark.parametrize("case", BAD)
def test_bad_data(engine, case):
    changed, options, message = BAD[case]
    data = {"unit": ["b", "a", "c", "b"], "value": [1, 2, 2, 1], "pool": ["x", "x", "y", "y"], **changed}
    table = pa.table({name: pa.array(column, TYPES.get(name)) for name, column in data.items()})
    if case == "no rows":
        table = table.set_column(1, "value", pa.array([], pa.int64()))
    with pytest.raises(kx.RatingsError, match=message):
        kx.Tally.from_frame(engine(table), **{"unit": "unit", "value": "value", "pool": "pool", **options})


# Quick engines, small nasty data

floats = st.sampled_from([0.0, -0.0, 1.0, 0.1 + 0.2, 0.3, 1e300, 5e-324, 2**-1074 * 3, math.nan])
texts = st.one_of(
    st.sampled_from(["", "nan", "NULL", "a", "A", "a ", "'", '"', "\\", "%", "--", "é"]), st.text(max_size=3)
)
whole = st.one_of(st.integers(-2, 2), st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1]))
kinds = st.sampled_from(
    [(floats, pa.float64()), (texts, pa.string()), (whole, pa.int64()), (st.booleans(), pa.bool_())]
)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 12))

    def column(cell, kind, *, holes=True):
        cells = st.one_of(st.none(), cell) if holes else cell
        return pa.array(draw(st.lists(cells, min_size=n, max_size=n)), kind)

    units = draw(st.sampled_from([(st.integers(0, 3), pa.int64()), (st.sampled_from("abc"), pa.string())]))
    pools = (st.sampled_from(["x", "y", "nan"]), pa.string())
    columns = {
        "unit": column(*units, holes=False),
        "value": column(*draw(kinds)),
        "pool": column(*pools, holes=False),
    }
    return pa.table(columns)


@pytest.mark.parametrize("quick", QUICK)
@pytest.mark.parametrize("most", [200, 0])
def test_any_data(quick, most):
    @settings(max_examples=60)
    @given(tables(), st.sampled_from([None, "pool"]))
    def check(table, pool):
        roles = {"unit": "unit", "value": "value", "pool": pool}
        same(kx.Tally.from_frame(quick(table), **roles), kx.Tally.from_frame(table, **roles))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engines, "MOST_COLUMNS", most)
        check()


# What single engines have of their own


def test_all_backends_agree():
    table = fixed("int")
    local = kx.Tally.from_frame(table, unit="Item", value="Value", pool="pool")
    frames = [pl.from_arrow(table), table.to_pandas(types_mapper=pd.ArrowDtype), table.to_pydict()]
    for frame in [*frames, table.to_pandas()[["Item", "Value", "pool"]].assign(Value=frames[1]["Value"])]:
        tally, plan = kx.Tally.from_frame(frame, unit="Item", value="Value", pool="pool", explain=True)
        same(tally, local)
        assert (plan.way, plan.rows_fetched, str(plan)) == ("memory", 10, "read in memory: 10 rows")


def test_polars_enum_states_the_order():
    kind = pl.Enum(["low", "mid", "high"])
    frame = pl.DataFrame({"unit": [1, 1, 2], "value": pl.Series(["mid", "low", None], dtype=kind)})
    tally = kx.Tally.from_frame(frame.lazy(), unit="unit", value="value")
    assert (tally.domain, tally.ordered) == (("low", "mid", "high"), True)
    same(tally, kx.Tally.from_frame(frame, unit="unit", value="value"), "ordinal")


def test_duckdb_enum_states_the_order():
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("create type grade as enum ('low', 'mid', 'high')")
    connection.execute(
        "create table r as select u, v::grade as v from (values (1, 'mid'), (1, 'low'), (2, null)) t(u, v)"
    )
    tally = kx.Tally.from_frame(connection.table("r"), unit="u", value="v")
    assert (tally.domain, tally.ordered, tally.n_units) == (("low", "mid", "high"), True, 2)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("values", [["mid", "low", "mid", None], [3, 1, 3, None], [True, False, True, None]])
def test_dask_categories(values, known):
    dd = pytest.importorskip("dask.dataframe")
    order = dict.fromkeys(value for value in values if value is not None)
    frame = pd.DataFrame({"unit": [1, 1, 2, 2], "value": pd.Categorical(values, categories=list(order))})
    remote = dd.from_pandas(frame, npartitions=2)
    if not known:
        remote["value"] = remote["value"].cat.as_unknown()
    tally = kx.Tally.from_frame(remote, unit="unit", value="value")
    local = kx.Tally.from_frame(frame, unit="unit", value="value")
    assert tally.domain == (local.domain if known else tuple(sorted(order)))
    same(
        tally,
        local if known else local.with_domain(tally.domain).on_scale(kx.ratings.Scale(tally.domain, tally.ordered)),
    )


def test_a_source_that_changes_is_refused():
    engine = pytest.importorskip("duckdb").connect()
    rows = engine.sql("select i // 3 as unit, (random() * 4)::int as value from range(3000) t(i)")
    with pytest.raises(kx.RatingsError, match="does not give the same ratings each time it is read"):
        kx.Tally.from_frame(rows, unit="unit", value="value")


def test_nested_values_and_intervals_are_refused():
    nested = pl.LazyFrame({"unit": [1], "value": [[1, 2]]})
    with pytest.raises(kx.RatingsError, match="column 'value' holds nested values, a value is a single one"):
        kx.Tally.from_frame(nested, unit="unit", value="value")
    engine = pytest.importorskip("duckdb").connect()
    spans = engine.sql("select 1 as unit, interval 1 day as value")
    with pytest.raises(kx.RatingsError, match="column 'value' holds intervals of time"):
        kx.Tally.from_frame(spans, unit="unit", value="value")


def test_rows_need_pyarrow(monkeypatch):
    rows = pytest.importorskip("duckdb").connect().sql("select 1 as unit, 2 as value")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"duckdb hands over its rows through pyarrow, install kappax\[engines\]"):
        kx.Tally.from_frame(rows, unit="unit", value="value")


# Public data

COAL = ["coal_debate", "coal_debate.csv"]
KEPT = "lower(cast(golden as string)) <> 'true' and lower(cast(screener as string)) <> 'true'"


def coal_in_duckdb(_request):
    connection = pytest.importorskip("duckdb").connect()
    return (
        connection.read_csv(str(DATA.joinpath(*COAL)), all_varchar=True)
        .filter(KEPT)
        .project("item, replication, subsidy_scale::int as subsidy_scale")
    )


def coal_in_spark(request):
    rows = request.getfixturevalue("spark").read.csv(str(DATA.joinpath(*COAL)), header=True).filter(KEPT)
    return rows.selectExpr("item", "replication", "cast(subsidy_scale as int) as subsidy_scale")


@needs_data
@pytest.mark.parametrize("read", [coal_in_duckdb, coal_in_spark])
def test_coal_debate(read, request):
    roles = {"unit": "item", "value": "subsidy_scale", "pool": "replication"}
    tally, plan = kx.Tally.from_frame(read(request), **roles, explain=True)
    assert plan.way == "patterns"
    result = kx.cross_replication(tally, "interval", pools=["EN-1", "EN-2"])
    cross = result.cross_kappa["EN-1", "EN-2"]
    assert (cross.n_units, cross.n_pairable) == (417, 1341 + 2229)
    assert cross.estimate == pytest.approx(0.334607968835916, rel=1e-12)
    assert (cross.observed, cross.expected) == pytest.approx((0.712746543061669, 1.071167837424714), rel=1e-12)
    assert [result.irr[pool].estimate for pool in ("EN-1", "EN-2")] == pytest.approx(
        [0.327922327922328, 0.350691502009216], rel=1e-12
    )
    assert result.normalized["EN-1", "EN-2"].estimate == pytest.approx(0.98670689815319, rel=1e-12)


# The page on scale


def recipe(word):
    """Give the one piece of Python on the page that holds a word."""
    blocks = re.findall(r"```python\n(.*?)```", SCALE_PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    (block,) = [block for block in blocks if word in block]
    return block


def test_many_slices_on_spark(spark):
    rng = np.random.default_rng(8)
    n = 600
    columns = {
        "lang": rng.choice(["de", "en", "fr"], n),
        "item": rng.integers(0, 40, n),
        "label": rng.integers(0, 3, n),
    }
    ratings = pa.table(columns)
    names = {"__name__": "__main__", "sdf": spark.createDataFrame(ratings)}
    exec(recipe("applyInArrow"), names)  # noqa: S102 - the page is ours
    rows = {row["slice"]: row for row in names["table"].collect()}
    assert sorted(rows) == ["de", "en", "fr"]
    for lang, row in rows.items():
        alone = pl.from_arrow(ratings).filter(pl.col("lang") == lang)
        tally = kx.Tally.from_frame(alone, unit="item", value="label")
        expected = kx.krippendorff_alpha(tally, "nominal", ci=kx.Bootstrap(1000, seed=113))
        interval = expected.confidence_interval
        assert (row["alpha"], row["low"], row["high"]) == (expected.estimate, interval.low, interval.high)
