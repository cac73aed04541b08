"""The command line: read a table of ratings, print a coefficient, guard a pipeline.

Exit status: 0 done, 1 the gate (``--min``) failed, 2 bad usage or bad data with one line on stderr.
polars reads files and rich draws tables; both come with the extra ``cli`` and are imported only when used.
"""

# ruff: noqa: PLC0415, T201 - a command prints, and imports what costs time only when it is used.

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import math
import os
import re
import sys
import warnings
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from kappax import __version__
from kappax._words import INTEGER, NUMBER, as_among, rewritten
from kappax.errors import KappaxError, UndefinedCoefficientWarning
from kappax.methods import Bootstrap, choose
from kappax.readers._command import TOOLS, read_export
from kappax.readers._table import counted
from kappax.results import CrossReplication

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from kappax._recode import Rules
    from kappax.ratings import Ratings
    from kappax.results import Estimate

DONE, GATE_FAILED, BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141

FORMATS = ("csv", "tsv", "ndjson", "parquet")

SUFFIXES = {".tab": "tsv", ".jsonl": "ndjson", ".pq": "parquet"} | {f".{name}": name for name in FORMATS}


class CommandError(Exception):
    """Bad usage or bad data, in words for the user."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; `sys.argv` if left out.

    Returns
    -------
    int
        0 done, 1 the gate failed, 2 bad usage or bad data (one line on stderr), 130 interrupted,
        141 the reader of the output went away.
    """
    if sys.stdout is None:  # closed by whoever started us
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - open until the end
    try:
        arguments = build_parser().parse_args(_join_negative(sys.argv[1:] if argv is None else argv))
        with warnings.catch_warnings():
            # What they say is in the table.
            warnings.simplefilter("ignore", UndefinedCoefficientWarning)
            status: int = arguments.run(arguments)
        sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
        return int(stop.code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - whatever went wrong, a shell gets a line and a status
        print(f"kappax: error: {_one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    return status


# --- usage


class Parser(argparse.ArgumentParser):
    """argparse, but an error is one line."""

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        raise CommandError(f"{message} (see {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(prog="kappax", description="Reliability of ratings, within and across pools of raters.")
    parser.add_argument("--version", action="version", version=f"kappax {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    alpha = commands.add_parser("alpha", help="Krippendorff's alpha of a table of ratings")
    _add_data(alpha)
    _add_computation(alpha)
    alpha.set_defaults(run=_alpha)

    xrr = commands.add_parser("xrr", help="cross-replication reliability of two pools of raters or more")
    _add_data(xrr)
    xrr.add_argument("--pool", metavar="C", help="column that says which pool a rating is from")
    xrr.add_argument("--pools", metavar="A,B", type=_words, help="pools to compare (default: all)")
    _add_computation(xrr)
    xrr.set_defaults(run=_xrr)

    size = commands.add_parser("sample-size", help="units that two raters must rate, by Bloch and Kraemer")
    size.add_argument("--values", type=_integer, default=4, metavar="K", help="number of values (default: 4)")
    size.add_argument("--min", type=_number, default=0.8, metavar="A", help="smallest acceptable alpha (default: 0.8)")
    size.add_argument(
        "--p", type=_number, default=0.05, metavar="P", help="probability of accepting less (default: 0.05)"
    )
    size.add_argument("--least-share", type=_number, metavar="S", help="share of the rarest value (default: 1/K)")
    size.set_defaults(run=_sample_size)

    demo = commands.add_parser("demo", help="a complete run on data that the package carries")
    demo.set_defaults(run=_demo)
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    data = parser.add_argument_group("data, one rating a row")
    data.add_argument(
        "file", metavar="FILE", help="CSV, TSV, NDJSON, Parquet, or an annotation tool's export; - for stdin"
    )
    data.add_argument(
        "--format",
        choices=(*FORMATS, *TOOLS),
        help="format of FILE, or the tool that exported it (default: from its name; csv for -)",
    )
    data.add_argument("--unit", metavar="C", help="column that says what was rated")
    data.add_argument("--value", metavar="C", help="column that holds the rating; empty is missing")
    data.add_argument("--rater", metavar="C", help="column that says who rated")
    data.add_argument("--cluster", metavar="C", help="column that says what a unit belongs to, such as its document")
    data.add_argument(
        "--duplicates",
        choices=("error", "keep", "first", "last"),
        default="error",
        help="what to do where a rater rates a unit twice (default: error)",
    )
    data.add_argument("--domain", type=_words, metavar="A,B,C", help="the values that can occur, in order")
    data.add_argument("--missing", type=_words, default=[], metavar="A,B", help="values that are no rating")
    data.add_argument("--recode", type=_pairs, default={}, metavar="OLD=NEW,...", help="merge or rename values")
    data.add_argument("--question", metavar="Q", help="which question of an export, where it has several")
    data.add_argument("--label", metavar="L", help="whether L was chosen, where an export has several labels")
    data.add_argument("--audit", action="store_true", help="also print what in the data deserves a look")


def _add_computation(parser: argparse.ArgumentParser) -> None:
    what = parser.add_argument_group("computation")
    what.add_argument("--level", default="nominal", help="level of measurement (default: nominal)")
    what.add_argument("--period", type=_number, metavar="P", help="length of one turn, for level circular")
    what.add_argument("--limits", type=_limits, metavar="LO,HI", help="ends of the scale, for level bipolar")
    what.add_argument("--bootstrap", type=_integer, metavar="N", help="make an interval from N resamples")
    what.add_argument("--seed", type=_integer, help="repeat the resamples of an earlier run")
    what.add_argument("--confidence", type=_number, metavar="P", help="confidence level (default: 0.95)")
    what.add_argument("--method", metavar="M", help="kind of interval (default: percentile)")
    what.add_argument(
        "--resample",
        metavar="R",
        help="what is drawn: units (the default), raters, both, pairs-krippendorff or pairs-kalpha",
    )
    what.add_argument("--threads", type=_integer, metavar="N", help="threads to use; no number depends on it")
    out = parser.add_argument_group("output")
    out.add_argument("--json", action="store_true", help="print one JSON object")
    out.add_argument("--min", type=_number, metavar="X", help="exit with status 1 where the result is below X")
    out.add_argument("--on", choices=("estimate", "low"), help="what --min holds: the estimate or its lower limit")


def _join_negative(argv: Iterable[str]) -> list[str]:
    """Join an option to a value such as -1,0,1, which argparse would take for another option."""
    joined: list[str] = []
    for word in argv:
        if re.match(r"-[\d.]", word) and joined and joined[-1].startswith("--") and "=" not in joined[-1]:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _words(text: str) -> list[str]:
    """Split at commas; quotes protect a comma."""
    return next(csv.reader([text], skipinitialspace=True), [])


def _pairs(text: str) -> dict[str, str | None]:
    """Split at commas into OLD=NEW; nothing as NEW makes OLD missing."""
    pairs = [word.partition("=") for word in _words(text)]
    if not all(old and equals for old, equals, _ in pairs):
        raise argparse.ArgumentTypeError(f"not OLD=NEW,...: {text!r}")
    return {old: new or None for old, _, new in pairs}


def _integer(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,20}", text):  # a seed has up to 20 digits
        raise argparse.ArgumentTypeError(f"not a whole number: {text!r}")
    return int(text)


def _limits(text: str) -> tuple[float, float]:
    numbers = [_number(word) for word in text.split(",")]
    if len(numbers) != 2:
        raise argparse.ArgumentTypeError(f"not two numbers: {text!r}")
    return numbers[0], numbers[1]


def _number(text: str) -> float:
    if not NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"not a number: {text!r}")
    return float(text)


# --- commands


def _alpha(arguments: argparse.Namespace) -> int:
    from kappax.coefficients import krippendorff_alpha

    ci = _bootstrap(arguments)
    ratings = _load(arguments)
    estimate = krippendorff_alpha(ratings, arguments.level, ci=ci, **_options(arguments))
    failures = _failures(arguments, {"estimate": estimate})
    _report(arguments, ratings, estimate, failures)
    return GATE_FAILED if failures else DONE


def _xrr(arguments: argparse.Namespace) -> int:
    from kappax.replication import cross_replication

    ci = _bootstrap(arguments)
    ratings = _load(arguments, arguments.pool)
    pools = _pools(arguments, ratings)
    result = cross_replication(ratings, arguments.level, pools=pools, ci=ci, **_options(arguments))
    named = {f"kappa_x of {x} and {y}": estimate for (x, y), estimate in result.cross_kappa.items()}
    failures = _failures(arguments, named)
    _report(arguments, ratings, result, failures)
    return GATE_FAILED if failures else DONE


def _sample_size(arguments: argparse.Namespace) -> int:
    from kappax.planning import sample_size

    print(sample_size(arguments.values, arguments.min, arguments.p, least_share=arguments.least_share))
    return DONE


def _demo(_: argparse.Namespace) -> int:
    from kappax.demo import run

    run(print)
    return DONE


def _bootstrap(arguments: argparse.Namespace) -> Bootstrap | None:
    """Return the method asked for; check what depends on it before any file is read."""
    given = {"seed": arguments.seed, "confidence_level": arguments.confidence, "method": arguments.method}
    given["resample"] = arguments.resample
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.on is not None and arguments.min is None:
        raise CommandError("--on needs --min")
    if arguments.bootstrap is not None:
        return Bootstrap(arguments.bootstrap, **options)
    if options or arguments.on == "low":
        raise CommandError("--seed, --confidence, --method, --resample and --on low need --bootstrap N")
    return None


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.threads is not None and arguments.threads < 1:
        raise CommandError(f"--threads must be 1 or more: {arguments.threads}")
    return {"period": arguments.period, "limits": arguments.limits, "n_threads": arguments.threads}


def _pools(arguments: argparse.Namespace, ratings: Ratings) -> list[Any] | None:
    """Return the labels that `--pools` names, or None for all; there must be two or more."""
    labels = {str(label): label for label in ratings.pools or ()}
    if arguments.pools is None:
        if len(labels) < 2:
            raise CommandError(f"xrr compares two pools or more; {_where(arguments)} has {list(labels)}")
        return None
    if len(set(arguments.pools)) < max(2, len(arguments.pools)):
        raise CommandError(f"--pools must name two different pools or more: {','.join(arguments.pools)}")
    for word in arguments.pools:
        if word not in labels:
            raise CommandError(f"no pool {word!r} in {_where(arguments)}; {_known(word, list(labels))}")
    return [labels[word] for word in arguments.pools]


def _where(arguments: argparse.Namespace) -> str:
    return "the export" if arguments.pool is None else f"column {arguments.pool!r}"


def _failures(arguments: argparse.Namespace, estimates: dict[str, Estimate]) -> list[str]:
    """Return a line for each estimate that the gate refuses. What is undefined does not pass."""
    if arguments.min is None:
        return []
    lines = []
    for name, estimate in estimates.items():
        ci = estimate.confidence_interval
        value = ci.low if arguments.on == "low" and ci is not None else estimate.estimate
        what = f"lower limit of {name}" if arguments.on == "low" else name
        if math.isnan(value):
            lines.append(f"{what} is undefined, {arguments.min:g} was asked for")
        elif value < arguments.min:
            lines.append(f"{what} is {value:.6g}, below {arguments.min:g}")
    return lines


# --- output


def _report(
    arguments: argparse.Namespace, ratings: Ratings, result: Estimate | CrossReplication, failures: list[str]
) -> None:
    audit = ratings.audit() if arguments.audit else None
    if arguments.json:
        extra: dict[str, Any] = {"audit": audit.to_dict()} if audit else {}
        if arguments.left_out:
            extra["left_out"] = arguments.left_out
        if arguments.min is not None:
            extra["gate"] = {"min": arguments.min, "on": arguments.on or "estimate", "passed": not failures}
        print(json.dumps(result.to_dict() | extra, allow_nan=False))
    else:
        left_out = [f"left out: {counted(arguments.left_out)}"] if arguments.left_out else []
        _draw(result, [*left_out, *(str(audit).splitlines() if audit else [])])
    sys.stdout.flush()
    for failure in failures:
        print(f"kappax: gate failed: {failure}", file=sys.stderr)


def _draw(result: Estimate | CrossReplication, about_data: list[str]) -> None:
    """Draw a table with rich. Labels are the user's: no markup is read out of them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(result.heading()), title_justify="left")
    if isinstance(result, CrossReplication):
        (first, *others), rows = result.table()
        table.add_column(Text(first))
        for name in others:
            table.add_column(Text(name), justify="right")
        notes = result.notes()
    else:
        table.show_header = False
        rows = [list(row) for row in result.rows()]
        notes = []
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    # A pipe has no width; a fixed one keeps its lines from depending on the terminal of whoever starts it.
    console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=120)
    with console.capture() as drawn:  # printed by us, because rich has an exit status of its own for closed pipes
        console.print(table)
        for line in [*notes, *about_data]:
            console.print(Text(line))
    print(drawn.get(), end="")


def _one_line(error: Exception) -> str:
    """Return what an error says, on one line; one that nobody foresaw says of what kind it is."""
    root = error.name.partition(".")[0] if isinstance(error, ImportError) and error.name else ""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    elif root in ("polars", "rich"):
        text = f'the command line needs {root}: python -m pip install "kappax[cli]"'
    elif isinstance(error, CommandError | KappaxError | TypeError | OSError):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def _silence_stdout() -> None:
    """Keep the interpreter from complaining about a closed pipe when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):  # stdout may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- input


def _load(arguments: argparse.Namespace, pool: str | None = None) -> Ratings:
    from kappax._recode import rules_of
    from kappax.ratings import Ratings

    arguments.left_out = {}
    if arguments.format in TOOLS:
        return _load_export(arguments)
    _check_needed(arguments)
    roles = {"unit": arguments.unit, "value": arguments.value, "rater": arguments.rater, "pool": pool}
    roles["cluster"] = arguments.cluster
    columns = {role: name for role, name in roles.items() if name is not None}
    if len(set(columns.values())) < len(columns):
        raise CommandError(f"one column cannot serve twice: {', '.join(columns.values())}")
    format_ = arguments.format or _guess_format(arguments.file)
    rules = rules_of(arguments.recode, arguments.missing)
    frame = read_table(arguments.file, format_, list(columns.values()), arguments.value, rules)
    changes = {} if format_ in ("csv", "tsv") else _changes(arguments, frame[arguments.value].unique())
    domain = arguments.domain and _domain(arguments.domain, frame[arguments.value])
    return Ratings.from_long(frame, **columns, domain=domain, duplicates=arguments.duplicates, **changes)


def _check_needed(arguments: argparse.Namespace) -> None:
    needed = ["unit", "value", *(["pool"] if hasattr(arguments, "pool") else [])]
    lacking = [f"--{name}" for name in needed if getattr(arguments, name) is None]
    if lacking:
        raise CommandError(f"the following arguments are required: {', '.join(lacking)}")
    for name in ("question", "label"):
        if getattr(arguments, name) is not None:
            raise CommandError(f"--{name} is for the --format of a tool: {', '.join(TOOLS)}")


def _changes(arguments: argparse.Namespace, values: Iterable[Any]) -> dict[str, Any]:
    """Return missing= and recode= for values that have a type."""
    values = list(values)
    old, new = arguments.recode.keys(), arguments.recode.values()
    targets = iter(as_among([word for word in new if word is not None], values))
    recode = dict(zip(as_among(old, values), (word and next(targets) for word in new), strict=True))
    return {"missing": as_among(arguments.missing, values), "recode": recode}


def _load_export(arguments: argparse.Namespace) -> Ratings:
    """Read what an annotation tool exports; its reader knows which column is what."""
    options = ("question", "label", "pool", "unit", "value", "rater")
    given = {name: getattr(arguments, name, None) for name in options}
    given = {name: word for name, word in given.items() if word is not None}
    source = sys.stdin.buffer.read() if arguments.file == "-" else arguments.file
    try:
        table = read_export(arguments.format, source, given, by_pool=hasattr(arguments, "pool"))
    except KappaxError as error:
        name = "stdin" if arguments.file == "-" else arguments.file
        raise CommandError(f"cannot read {name} as {arguments.format}: {error}") from None
    arguments.left_out = dict(table.dropped)
    return table.ratings(
        domain=arguments.domain and as_among(arguments.domain, table.value),
        duplicates=arguments.duplicates,
        **_changes(arguments, table.value),
    )


def read_table(file: str, format_: str, columns: list[str], value: str, rules: Rules) -> pl.DataFrame:
    """Read the named columns. In text formats without types, ids stay text and values may become numbers."""
    name = "stdin" if file == "-" else file
    content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    if not content.strip():
        raise CommandError(f"empty file: {name}")
    import polars as pl

    readers: dict[str, Callable[[bytes, list[str]], pl.DataFrame]] = {
        "csv": _read_delimited(",", value, rules),
        "tsv": _read_delimited("\t", value, rules),
        "ndjson": _read_ndjson,
        "parquet": _read_parquet,
    }
    try:
        return readers[format_](content, columns)
    except (CommandError, pl.exceptions.PolarsError, csv.Error, OSError) as error:
        text = " ".join(str(error).partition("\n")[0].split())
        raise CommandError(f"cannot read {name} as {format_}: {text}") from None


def _guess_format(file: str) -> str:
    if file == "-":
        return "csv"
    suffix = Path(file).suffix.lower()
    if suffix not in SUFFIXES and Path(file).is_file():
        raise CommandError(f"the name does not tell the format, add --format ({', '.join(FORMATS)}): {file}")
    return SUFFIXES.get(suffix, "csv")


def _read_delimited(separator: str, value: str, rules: Rules) -> Callable[[bytes, list[str]], pl.DataFrame]:
    def read(content: bytes, columns: list[str]) -> pl.DataFrame:
        import polars as pl

        _check_utf8(content)
        frame = pl.read_csv(content, separator=separator, infer_schema_length=0)  # all columns as text
        _check_columns(columns, frame.columns)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null())).select(columns)  # without blank lines
        if any(frame.null_count().row(0)):
            _check_fields(content, separator)
        frame = frame.with_columns(pl.when(pl.all() != "").then(pl.all()))  # a quoted empty cell is empty too
        if rules:
            frame = frame.with_columns(pl.Series(value, rewritten(frame[value].to_list(), rules)))
        return frame.with_columns(_typed(frame[value]))

    return read


def _typed(column: pl.Series) -> pl.Series:
    """Return numbers where every word is one, else the text as it is."""
    import polars as pl

    if column.dtype != pl.String:
        return column
    words = column.drop_nulls().unique().to_list()
    if not words or not all(NUMBER.fullmatch(word) for word in words):
        return column
    whole = all(INTEGER.fullmatch(word) for word in words)
    numbers = {word: int(word) if whole else float(word) for word in words}
    kind = pl.Int64 if whole else pl.Float64
    return column.replace_strict(numbers, return_dtype=kind)


def _read_ndjson(content: bytes, columns: list[str]) -> pl.DataFrame:
    """Read objects line by line. A column keeps JSON's types, and holds one of them."""
    import polars as pl

    _check_utf8(content)
    rows = list(_json_objects(content))
    _check_columns(columns, list(dict.fromkeys(name for _, row in rows for name in row)))
    return pl.DataFrame({name: _json_column(name, rows) for name in columns}, strict=False)


def _json_objects(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(content.decode("utf-8-sig").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except ValueError as error:
            raise CommandError(f"line {number} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise CommandError(f"line {number} is not a JSON object")
        yield number, row


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number (missing is null)")


def _json_column(name: str, rows: list[tuple[int, dict[str, Any]]]) -> list[Any]:
    kinds: dict[str, int] = {}
    for number, row in rows:
        value = row.get(name)
        kind = "number" if type(value) in (int, float) else type(value).__name__
        if kind in ("list", "dict"):
            raise CommandError(f"line {number}: column {name!r} holds a {kind}, not a single value")
        if value is not None:
            kinds.setdefault(kind, number)
    if len(kinds) > 1:
        where = " and ".join(f"{kind} (line {number})" for kind, number in kinds.items())
        raise CommandError(f"column {name!r} mixes {where}")
    return [row.get(name) for _, row in rows]


def _read_parquet(content: bytes, columns: list[str]) -> pl.DataFrame:
    import polars as pl

    _check_columns(columns, list(pl.read_parquet_schema(io.BytesIO(content))))
    return pl.read_parquet(io.BytesIO(content), columns=columns).select(columns)


def _check_columns(columns: list[str], present: list[str]) -> None:
    for name in columns:
        if name not in present:
            raise CommandError(f"no column {name!r}; {_known(name, present)}")
        if f"{name}_duplicated_0" in present:  # what polars calls a second one
            raise CommandError(f"two columns are called {name!r}")


def _check_utf8(content: bytes) -> None:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CommandError(f"not UTF-8: byte 0x{content[error.start]:02x} in line {line}") from None


def _check_fields(content: bytes, separator: str) -> None:
    """Refuse rows with too few fields, such as the last one of a file cut short: polars fills them up."""
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator)
    needed = len(next(reader, []))
    for row in reader:
        if row and len(row) != needed:
            raise CommandError(f"line {reader.line_num} has {len(row)} of {needed} fields; is the file cut short?")


def _domain(words: list[str], column: pl.Series) -> list[Any]:
    """Read the words of `--domain` as what the column holds."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return [choose(word.lower(), ("false", "true"), "--domain of booleans") == "true" for word in words]
    if not column.dtype.is_numeric():
        return words
    for word in words:
        if not NUMBER.fullmatch(word):
            raise CommandError(f"--domain must hold numbers, as column {column.name!r} does: {word!r}")
    return [int(word) if INTEGER.fullmatch(word) else float(word) for word in words]


def _known(word: str, words: list[str]) -> str:
    close = get_close_matches(word, words, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    shown = ", ".join(words[:20]) + (", ..." if len(words) > 20 else "")
    return f"there are {shown}{hint}"


if __name__ == "__main__":
    sys.exit(main())
