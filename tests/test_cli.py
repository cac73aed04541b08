"""The command line: tables in, numbers out, and one clear line for whatever is wrong."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest

pl = pytest.importorskip("polars")
pytest.importorskip("rich")

from kappax import __version__  # noqa: E402
from kappax.cli import main  # noqa: E402
from kappax.demo import krippendorff_2011, simulate  # noqa: E402

ALPHA = ["--unit", "unit", "--value", "value"]
NOMINAL, INTERVAL = 0.743421052631579, 0.849107142857143


def krippendorff_rows():
    """Krippendorff (2011) as one rating a row; missing ratings are missing cells."""
    matrix = krippendorff_2011()
    return pl.DataFrame(
        [
            {"unit": f"{u:02d}", "rater": f"r{r}", "value": None if np.isnan(v) else int(v)}
            for (u, r), v in np.ndenumerate(matrix)
        ],
        schema={"unit": pl.String, "rater": pl.String, "value": pl.Int64},
    )


def two_pools():
    x = {1: "BB", 2: "BBB", 3: "AA", 4: "AAA", 5: "AB", 6: "AB", 7: "B"}
    y = {1: "BB", 2: "AB", 3: "AB", 4: "AB", 5: "AA"}
    return pl.DataFrame(
        [
            {"unit": unit, "pool": pool, "value": value}
            for pool, units in (("x", x), ("y", y))
            for unit, values in units.items()
            for value in values
        ]
    )


WRITERS = {
    "csv": lambda frame, file: frame.write_csv(file),
    "tsv": lambda frame, file: frame.write_csv(file, separator="\t"),
    "tab": lambda frame, file: frame.write_csv(file, separator="\t"),
    "ndjson": lambda frame, file: frame.write_ndjson(file),
    "jsonl": lambda frame, file: frame.write_ndjson(file),
    "parquet": lambda frame, file: frame.write_parquet(file),
    "pq": lambda frame, file: frame.write_parquet(file),
}


@pytest.fixture
def table(tmp_path):
    """Write a frame, or text, or bytes, to a file and return its name."""

    def write(content, name="ratings.csv"):
        path = tmp_path / name
        if isinstance(content, pl.DataFrame):
            WRITERS[path.suffix[1:]](content, path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def run(capsys):
    """Run the command line and return (status, stdout, stderr)."""

    def call(*argv):
        status = main(list(argv))
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def stdin(monkeypatch):
    def feed(content):
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))

    return feed


@pytest.fixture
def fails(run):
    """Run, check that it is bad usage or bad data told in one line, and return that line."""

    def call(*argv):
        status, out, err = run(*argv)
        assert status == 2
        assert out == ""
        assert err.startswith("kappax: error: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err.strip()

    return call


# --- what is computed


@pytest.mark.parametrize("suffix", WRITERS)
def test_alpha_of_every_format(table, run, suffix):
    file = table(krippendorff_rows(), f"ratings.{suffix}")
    status, out, err = run("alpha", file, *ALPHA, "--rater", "rater", "--level", "interval", "--json")
    result = json.loads(out)
    assert (status, err) == (0, "")
    assert result["estimate"] == pytest.approx(INTERVAL, abs=1e-12)
    assert result["n_pairable"] == 40
    assert result["domain"] == [1, 2, 3, 4, 5]
    assert result["scale"] == "values"
    assert result["seed"] is None


def test_alpha_draws_a_table(table, run):
    status, out, _ = run("alpha", table(krippendorff_rows()), *ALPHA, "--bootstrap", "200", "--seed", "7")
    assert status == 0
    for words in (
        "Krippendorff's alpha",
        "nominal",
        "0.7434",
        "200 resamples of units, seed 7",
        "40 pairable",
    ):
        assert words in out


def test_xrr(table, run):
    file = table(two_pools())
    status, out, _ = run("xrr", file, *ALPHA, "--pool", "pool", "--json", "--bootstrap", "100", "--seed", "3")
    result = json.loads(out)
    assert status == 0
    assert result["pools"] == ["x", "y"]
    assert result["cross_kappa"][0]["estimate"] == pytest.approx(2 / 11, abs=1e-12)
    assert result["cross_kappa"][0]["seed"] == 3
    assert set(result["irr"]) == {"x", "y"}
    assert result["normalized"][0]["pools"] == ["x", "y"]
    status, out, _ = run("xrr", file, *ALPHA, "--pool", "pool")
    assert status == 0
    assert "kappa_x: x ~ y" in out
    assert "0.1818" in out


def test_xrr_picks_pools(table, run):
    third = two_pools().filter(pl.col("pool") == "x").with_columns(pool=pl.lit("z"))
    file = table(pl.concat([two_pools(), third]))
    _, out, _ = run("xrr", file, *ALPHA, "--pool", "pool", "--json")
    assert len(json.loads(out)["cross_kappa"]) == 3
    _, out, _ = run("xrr", file, *ALPHA, "--pool", "pool", "--json", "--pools", "y,x")
    assert [pair["pools"] for pair in json.loads(out)["cross_kappa"]] == [["y", "x"]]


@pytest.mark.parametrize("suffix", ["parquet", "ndjson"])
def test_xrr_finds_pools_that_are_numbers(table, run, suffix):
    frame = two_pools().with_columns(pool=pl.col("pool").replace_strict({"x": 1, "y": 2}))
    status, out, _ = run("xrr", table(frame, f"a.{suffix}"), *ALPHA, "--pool", "pool", "--pools", "1,2", "--json")
    assert status == 0
    assert json.loads(out)["pools"] == [1, 2]


def test_stdin_is_csv_unless_told(run, stdin):
    stdin(krippendorff_rows().write_csv().encode())
    assert json.loads(run("alpha", "-", *ALPHA, "--json")[1])["estimate"] == pytest.approx(NOMINAL)
    buffer = io.BytesIO()
    krippendorff_rows().write_parquet(buffer)
    stdin(buffer.getvalue())
    out = run("alpha", "-", *ALPHA, "--json", "--format", "parquet")[1]
    assert json.loads(out)["estimate"] == pytest.approx(NOMINAL)


def test_the_same_seed_prints_the_same_bytes_whatever_the_threads(table, run):
    file = table(krippendorff_rows())
    words = ["alpha", file, *ALPHA, "--json", "--bootstrap", "500", "--seed", "11"]
    assert run(*words)[1] == run(*words, "--threads", "1")[1] == run(*words, "--threads", "3")[1]


def test_a_seed_that_was_drawn_repeats_the_run(table, run):
    file = table(krippendorff_rows())
    first = json.loads(run("alpha", file, *ALPHA, "--json", "--bootstrap", "300")[1])
    again = run("alpha", file, *ALPHA, "--json", "--bootstrap", "300", "--seed", str(first["seed"]))
    assert json.loads(again[1]) == first


def test_confidence(table, run):
    file = table(krippendorff_rows())
    words = ["--bootstrap", "300", "--seed", "1", "--confidence", "0.5", "--method", "percentile", "--json"]
    interval = json.loads(run("alpha", file, *ALPHA, *words)[1])["confidence_interval"]
    assert interval["confidence_level"] == 0.5
    assert interval["high"] - interval["low"] < 0.5


@pytest.mark.parametrize("text", ["unit,value\na,1\na,1\n", "unit,value\na,1\nb,2\n", "unit,value\na,\nb,\n"])
def test_undefined_is_null_with_a_reason_and_status_0(table, run, text):
    status, out, err = run("alpha", table(text), *ALPHA, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["estimate"] is None
    assert json.loads(out)["reason"]
    assert "undefined" in run("alpha", table(text), *ALPHA)[1]


# --- how cells are read


def test_ids_stay_text_and_values_become_numbers(table, run):
    text = "unit,value\n01,1\n01,1.0\n1,2\n1,3\n"
    result = json.loads(run("alpha", table(text), *ALPHA, "--json")[1])
    assert result["n_units"] == 2
    assert result["domain"] == [1.0, 2.0, 3.0]


def test_words_that_mean_missing_elsewhere_are_text(table, run):
    text = "unit,value\na,NA\na,nan\nb,nan\nb,nan\n"
    assert json.loads(run("alpha", table(text), *ALPHA, "--json")[1])["domain"] == ["NA", "nan"]
    text = "unit,value\na,1\na,nan\nb,2\nb,2\n"
    assert json.loads(run("alpha", table(text), *ALPHA, "--json")[1])["domain"] == ["1", "2", "nan"]


@pytest.mark.parametrize("empty", ["", '""'])
def test_empty_cells_are_missing_and_blank_lines_are_nothing(table, run, empty):
    text = f"unit,value\na,1\na,2\n\na,{empty}\nb,2\nb,2\n\n"
    result = json.loads(run("alpha", table(text), *ALPHA, "--json")[1])
    assert (result["n_units"], result["n_pairable"], result["domain"]) == (2, 4, [1, 2])


def test_byte_order_mark_and_windows_line_ends(table, run):
    text = b"\xef\xbb\xbfunit,value\r\na,1\r\na,2\r\nb,2\r\nb,2\r\n"
    assert json.loads(run("alpha", table(text), *ALPHA, "--json")[1])["n_pairable"] == 4


def test_domain_orders_words(table, run):
    text = "unit,value\n" + "".join(
        f"{u},{v}\n" for u, pair in enumerate(["low low", "mid high", "high high"]) for v in pair.split()
    )
    words = ["--level", "ordinal", "--json", "--domain", "low,mid,high,top"]
    assert json.loads(run("alpha", table(text), *ALPHA, *words)[1])["domain"] == ["low", "mid", "high", "top"]


@pytest.mark.parametrize("domain", [["--domain", "-1,0,1"], ["--domain=-1,0,1"], ["--domain", "-1, 0, 1"]])
def test_domain_of_numbers_may_begin_with_a_minus(table, run, domain):
    text = "unit,value\na,-1\na,-1\nb,1\nb,-1\n"
    assert json.loads(run("alpha", table(text), *ALPHA, "--json", *domain)[1])["domain"] == [-1, 0, 1]


def test_domain_of_booleans(table, run):
    frame = pl.DataFrame({"unit": ["a", "a", "b", "b"], "value": [True, True, True, False]})
    words = ["--json", "--domain", "true,false"]
    out = run("alpha", table(frame, "a.parquet"), *ALPHA, *words)[1]
    assert json.loads(out)["domain"] == [True, False]


def test_order_of_an_enum_is_the_domain(table, run):
    frame = pl.DataFrame({"unit": ["a", "a", "b", "b"], "value": ["low", "low", "mid", "high"]})
    frame = frame.with_columns(pl.col("value").cast(pl.Enum(["low", "mid", "high"])))
    out = run("alpha", table(frame, "a.parquet"), *ALPHA, "--json", "--level", "ordinal")[1]
    assert json.loads(out)["domain"] == ["low", "mid", "high"]


def test_audit_mentions_what_deserves_a_look(table, run):
    file = table("unit,value\na,NA\na,yes\nb,Yes\nb,yes\n")
    audit = json.loads(run("alpha", file, *ALPHA, "--json", "--audit")[1])["audit"]
    assert audit["values"] == {"NA": 1, "Yes": 1, "yes": 2}
    assert any("NA" in line for line in audit["suspicious"])
    assert any("Yes" in line for line in audit["suspicious"])
    out = run("alpha", file, *ALPHA, "--audit")[1]
    assert "text that looks like a missing rating, counted as a value: 'NA'" in out


def test_levels_that_need_a_number(table, run, fails):
    file = table("unit,value\na,23\na,1\nb,12\nb,11\n")
    out = run("alpha", file, *ALPHA, "--level", "circular", "--period", "24", "--json")[1]
    assert json.loads(out)["estimate"] > 0.8
    out = run("alpha", file, *ALPHA, "--level", "bipolar", "--limits", "-5,25", "--json")[1]
    assert json.loads(out)["level"] == "bipolar"
    assert "period" in fails("alpha", file, *ALPHA, "--level", "circular")
    assert "not two numbers: '1'" in fails("alpha", file, *ALPHA, "--level", "bipolar", "--limits", "1")


def test_labels_are_not_read_as_markup(table, run):
    frame = two_pools().with_columns(pool=pl.col("pool").replace_strict({"x": "[red]x", "y": ":smile:"}))
    out = run("xrr", table(frame), *ALPHA, "--pool", "pool")[1]
    assert ":smile: ~ [red]x" in out


# --- the gate


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--min", "0.7"], 0),
        (["--min", "0.8"], 1),
        (["--min", "-1"], 0),
        (["--min", "-1e-3"], 0),
        (["--min", "0.7", "--on", "estimate"], 0),
        (["--min", "0.7", "--on", "low", "--bootstrap", "200", "--seed", "1"], 1),
        (["--min", "0.1", "--on", "low", "--bootstrap", "200", "--seed", "1"], 0),
    ],
)
def test_gate_of_alpha(table, run, words, status):
    code, out, err = run("alpha", table(krippendorff_rows()), *ALPHA, "--json", *words)
    assert code == status
    assert json.loads(out)["gate"]["passed"] is (status == 0)
    assert err.count("\n") == status
    assert not status or err.startswith("kappax: gate failed: ")


def test_gate_refuses_what_is_undefined(table, run):
    status, _, err = run("alpha", table("unit,value\na,1\na,1\n"), *ALPHA, "--min", "0")
    assert status == 1
    assert "undefined" in err


def test_gate_of_xrr_holds_every_kappa_x(table, run):
    file = table(two_pools())
    assert run("xrr", file, *ALPHA, "--pool", "pool", "--min", "0.18")[0] == 0
    status, _, err = run("xrr", file, *ALPHA, "--pool", "pool", "--min", "0.19")
    assert status == 1
    assert "kappa_x of x and y is 0.181818, below 0.19" in err


# --- bad usage


GOOD = "unit,value\na,1\na,2\nb,2\nb,2\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "Nominal"], "nominal"),
        (["--level", "ordnal"], "ordinal"),
        (["--bootstrap", "0"], "n_resamples"),
        (["--bootstrap", "-3"], "n_resamples"),
        (["--bootstrap", "many"], "not a whole number: 'many'"),
        (["--bootstrap", "1.5"], "not a whole number: '1.5'"),
        (["--bootstrap", "10", "--seed", "-1"], "seed must be between 0 and"),
        (["--bootstrap", "10", "--seed", str(2**64)], "seed must be between 0 and"),
        (["--bootstrap", "10", "--confidence", "95"], "confidence_level"),
        (["--bootstrap", "10", "--confidence", "nan"], "not a number: 'nan'"),
        (["--bootstrap", "10", "--method", "bac"], "method"),
        (["--seed", "1"], "need --bootstrap"),
        (["--min", "0.5", "--on", "low"], "need --bootstrap"),
        (["--on", "estimate"], "--on needs --min"),
        (["--min", "high"], "not a number: 'high'"),
        (["--threads", "0"], "--threads must be 1 or more: 0"),
        (["--format", "xlsx"], "xlsx"),
        (["--rater", "rater"], "no column 'rater'; there are unit, value"),
        (["--rater", "value"], "one column cannot serve twice"),
        (["--domain", "1,two"], "--domain must hold numbers, as column 'value' does: 'two'"),
        (["--domain", "1"], "2"),
        (["--surprise"], "--surprise"),
    ],
)
def test_bad_options(table, fails, words, message):
    assert message in fails("alpha", table(GOOD), *ALPHA, *words)


@pytest.mark.parametrize(
    "words", [[], ["beta"], ["alpha"], ["alpha", "x.csv"], ["demo", "x"], ["xrr", "x.csv", *ALPHA]]
)
def test_bad_commands(fails, words):
    fails(*words)


@pytest.mark.parametrize("words", [["--help"], ["alpha", "--help"], ["xrr", "--help"], ["demo", "--help"]])
def test_help(run, words):
    status, out, _ = run(*words)
    assert status == 0
    assert "usage: kappax" in out


def test_version(run):
    assert run("--version") == (0, f"kappax {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pools", "x,q"], "no pool 'q' in column 'pool'; there are x, y"),
        (["--pools", "x"], "two different pools"),
        (["--pools", "x,x"], "two different pools"),
    ],
)
def test_bad_pools(table, fails, words, message):
    assert message in fails("xrr", table(two_pools()), *ALPHA, "--pool", "pool", *words)


def test_one_pool_is_not_enough(table, fails):
    file = table(two_pools().filter(pl.col("pool") == "x"))
    assert "has ['x']" in fails("xrr", file, *ALPHA, "--pool", "pool")


# --- bad data


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "empty file"),
        ("a.csv", "\n\n", "empty file"),
        ("a.parquet", b"", "empty file"),
        ("a.csv", "unit,value\n", ""),
        ("a.csv", b"unit,value\na,caf\xe9\n", "not UTF-8: byte 0xe9 in line 2"),
        ("a.csv", b"caf\xe9,value\na,1\n", "not UTF-8: byte 0xe9 in line 1"),
        ("a.csv", GOOD.encode("utf-16"), "not UTF-8"),
        ("a.csv", gzip.compress(GOOD.encode(), mtime=0), "not UTF-8"),
        ("a.csv", "unit,x,value\na,1,1\na,1,2\nb,1", "line 4 has 2 of 3 fields"),
        ("a.csv", "unit,value\na,1,2\n", "cannot read"),
        ("a.csv", 'unit,value\na,"1\nb,2\n', "cannot read"),
        ("a.csv", "unit,value,value\na,1,2\n", "two columns are called 'value'"),
        ("a.csv", "unit,vlaue\na,1\n", "no column 'value'; there are unit, vlaue (did you mean 'vlaue'?)"),
        ("a.csv", "unit,value\na,1\na,1e999\n", ""),
        ("a.txt", GOOD, "add --format"),
        ("a.ndjson", '{"unit": "a", "value": 1}\n{"unit": "a", "val', "line 2 is not JSON"),
        ("a.ndjson", '{"unit": "a", "value": NaN}\n', "NaN is no JSON number"),
        ("a.ndjson", '[{"unit": "a", "value": 1}]', "line 1 is not a JSON object"),
        ("a.ndjson", '{"unit": "a", "value": [1]}', "line 1: column 'value' holds a list"),
        (
            "a.ndjson",
            '{"unit": "a", "value": 1}\n{"unit": "a", "value": "1"}',
            "mixes number (line 1) and str (line 2)",
        ),
        ("a.ndjson", b'{"unit": "\xe9"}', "not UTF-8: byte 0xe9 in line 1"),
        ("a.ndjson", '{"unit": "a"}', "no column 'value'"),
        ("a.parquet", parquet(two_pools())[:-40], "cannot read"),
        ("a.parquet", b"PAR1" + bytes(100), "cannot read"),
        ("a.parquet", GOOD, "cannot read"),
        (
            "a.parquet",
            parquet(two_pools().rename({"value": "v"})),
            "no column 'value'; there are unit, pool, v",
        ),
    ],
)
def test_bad_files(table, fails, name, content, message):
    assert message in fails("alpha", table(content, name), *ALPHA)


def test_files_that_are_not_there(fails, tmp_path):
    assert "No such file" in fails("alpha", str(tmp_path / "none.csv"), *ALPHA)
    assert "No such file" in fails("alpha", str(tmp_path / "none"), *ALPHA)
    assert "irectory" in fails("alpha", str(tmp_path), *ALPHA)


@pytest.mark.parametrize(("duplicates", "n_pairable"), [("keep", 5), ("first", 4), ("last", 4)])
def test_duplicates(table, run, duplicates, n_pairable):
    file = table("unit,rater,value\nu,r,1\nu,r,2\nu,s,1\nv,r,2\nv,s,2\n")
    out = run("alpha", file, *ALPHA, "--rater", "rater", "--duplicates", duplicates, "--json")[1]
    assert json.loads(out)["n_pairable"] == n_pairable


def test_bad_data_is_told_in_the_words_of_the_library(table, fails):
    duplicate = "unit,rater,value\nu,r,1\nu,r,2\nv,r,1\n"
    line = fails("alpha", table(duplicate), *ALPHA, "--rater", "rater")
    assert "u" in line
    assert "r" in line
    assert "-1" in fails("alpha", table("unit,value\na,-1\na,2\n"), *ALPHA, "--level", "ratio")
    fails("alpha", table("unit,value\na,x\na,y\n"), *ALPHA, "--level", "interval")


@pytest.mark.parametrize("module", ["polars", "rich"])
def test_without_the_extra_the_line_says_how_to_get_it(table, run, monkeypatch, module):
    file = table(GOOD)
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    status, _, err = run("alpha", file, *ALPHA)
    assert status == 2
    assert err == f'kappax: error: the command line needs {module}: python -m pip install "kappax[cli]"\n'


# --- a program among programs


def test_interrupt_is_130(monkeypatch, run):
    monkeypatch.setattr("kappax.cli._demo", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run("demo") == (130, "", "")


def kappax(*argv, **options):
    return subprocess.Popen([sys.executable, "-m", "kappax.cli", *argv], **options)


@pytest.mark.skipif(os.name != "posix", reason="other systems have other signals")
def test_ctrl_c_stops_the_bootstrap_at_once(table):
    words = ["alpha", table(krippendorff_rows()), *ALPHA, "--bootstrap", "10000000", "--seed", "1"]
    process = kappax(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)  # past the imports
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes of other systems close differently")
def test_a_closed_pipe_is_no_traceback(table):
    reader, writer = os.pipe()
    os.close(reader)
    process = kappax("alpha", table(krippendorff_rows()), *ALPHA, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, "")


def test_a_process_of_its_own(table):
    process = kappax("alpha", table(GOOD), *ALPHA, "--json", "--min", "2", stdout=-1, stderr=-1, text=True)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert json.loads(out)["n_units"] == 2
    assert err.startswith("kappax: gate failed: ")


# --- the demo


def test_demo_prints_published_values_and_needs_no_extra(run, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("polars", "rich", "pandas", "pyarrow")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("polars", "rich", "pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, err = run("demo")
    assert (status, err) == (0, "")
    for number in ("0.7434", "0.8154", "0.8491", "0.7974", "0.4302", "0.1818"):
        assert number in out


def test_demo_is_the_same_every_time(run):
    assert run("demo")[1] == run("demo")[1]


def test_simulated_raters_are_as_good_as_announced():
    ratings = simulate(2000)
    assert ratings.pools == ("crowd", "expert")
    assert len(ratings.units) == 2000
    assert len(ratings.value) == 2000 * 8
