"""Files of JSON records and CSV rows, read whole or refused with the place that is wrong."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kappax._values import shown
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    Source = Any  # what `files` takes


class File(NamedTuple):
    """The text of a file, its name ("" if it has none), and whose file it is if that was said."""

    name: str
    text: str
    owner: str = ""


class Record(NamedTuple):
    """An object of a file, the words for where it stands, and whose file it is."""

    data: dict[str, Any]
    where: str
    owner: str


# --- files -------------------------------------------------------------------------------------------------


def files(source: Source) -> list[File]:
    """Read a path, an open file or bytes; several in a list, dict or zip, of which some may be empty."""
    if isinstance(source, Mapping):
        found = [file._replace(name=str(name), owner=str(name)) for name, one in source.items() for file in _read(one)]
    elif isinstance(source, list | tuple):
        found = [file for one in source for file in _read(one)]
    else:
        found = _read(source)
    full = [file for file in found if file.text.strip()]
    if not full:
        names = ", ".join(file.name for file in found if file.name)
        raise RatingsError(f"empty file: {names or repr(source)[:40]}")
    return full


def _read(source: Source) -> list[File]:
    if isinstance(source, str | os.PathLike):
        return _unpacked(os.fspath(source), Path(source).read_bytes())
    if isinstance(source, bytes):
        return _unpacked("", source)
    if hasattr(source, "read"):
        content = source.read()
        name = getattr(source, "name", "")
        content = content.encode() if isinstance(content, str) else content
        return _unpacked(name if isinstance(name, str) else "", content)
    raise TypeError(f"expected a path, an open file or bytes, not {type(source).__name__}")


def _unpacked(name: str, content: bytes) -> list[File]:
    if not content.startswith(b"PK\x03\x04"):
        return [File(Path(name).name, _text(name, content))]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [
                member
                for member in archive.namelist()
                if not member.endswith("/") and not member.startswith("__MACOSX")
            ]
            return [File(Path(member).name, _text(member, archive.read(member))) for member in members]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise RatingsError(f"this zip cannot be read ({error}): {name or 'bytes'}") from None


def _text(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RatingsError(f"not UTF-8, byte 0x{content[error.start]:02x} in line {line}{_of(name)}") from None


def _of(name: str) -> str:
    return f" of {Path(name).name}" if name else ""


# --- JSON --------------------------------------------------------------------------------------------------


def json_records(source: Source) -> Iterator[Record]:
    """Read a JSON list of objects, or an object a line, or a list that was parsed already."""
    if isinstance(source, list | tuple) and source and all(isinstance(item, Mapping) for item in source):
        yield from (Record(dict(item), f"record {number}", "") for number, item in enumerate(source))
        return
    several = files(source)
    for file in several:
        of = _of(file.name) if len(several) > 1 else ""
        owner = file.owner or Path(file.name).stem
        for where, item in _json_list(file, of) if file.text.lstrip()[0] == "[" else _json_lines(file, of):
            if not isinstance(item, dict):
                raise RatingsError(f"{where} is not a JSON object: {repr(item)[:60]}")
            yield Record(item, where, owner)


def _json_list(file: File, of: str) -> Iterator[tuple[str, Any]]:
    try:
        items = json.loads(file.text)
    except (ValueError, RecursionError) as error:
        at = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "it"
        name = file.name or "the file"
        raise RatingsError(f"{name} is not whole JSON, {at} is wrong or cut short: {error}") from None
    for number, item in enumerate(items):
        yield f"record {number}{of}", item


def _json_lines(file: File, of: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(file.text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number}{of}"
        try:
            yield where, json.loads(line)
        except (ValueError, RecursionError) as error:
            expected = "expected a JSON list, or a JSON object a line"
            raise RatingsError(f"{where} is not JSON ({error}), {expected}: {line.strip()[:40]!r}") from None


# --- CSV ---------------------------------------------------------------------------------------------------


def csv_records(source: Source, needed: tuple[str, ...]) -> tuple[list[str], list[Record]]:
    """Read the names of the columns and the rows of CSV files, all cells as text, an empty one as None."""
    several = files(source)
    names: dict[str, None] = {}
    records: list[Record] = []
    for file in several:
        of = _of(file.name) if len(several) > 1 else ""
        header, rows = _csv_rows(file, of)
        for name in needed:
            if name not in header:
                raise RatingsError(f"no column {name!r}{of}; the columns are: {shown(header, 40)}")
        names.update(dict.fromkeys(header))
        records += [Record(dict(zip(header, row, strict=True)), where, file.name) for where, row in rows]
    return list(names), records


def _csv_rows(file: File, of: str) -> tuple[list[str], list[tuple[str, list[str | None]]]]:
    reader = csv.reader(io.StringIO(file.text, newline=""), strict=True)
    rows: list[tuple[str, list[str | None]]] = []
    try:
        with _long_fields():
            header = next(row for row in reader if row)
            for row in reader:
                where = f"line {reader.line_num}{of}"
                if row and len(row) != len(header):
                    raise RatingsError(f"{where} has {len(row)} of {len(header)} fields, is the file cut short?")
                if row:
                    rows.append((where, [cell if cell.strip() else None for cell in row]))
    except csv.Error as error:
        raise RatingsError(f"line {reader.line_num}{of} is not CSV: {error}") from None
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise RatingsError(f"two columns{of} are called: {twice[0]!r}")
    return header, rows


@contextlib.contextmanager
def _long_fields() -> Iterator[None]:
    """Lift the limit of the csv module: whole documents stand in cells of such exports."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(limit)


# --- parts of a record -------------------------------------------------------------------------------------


def need(data: Mapping[str, Any], key: str, where: str, hint: str = "") -> Any:
    """Give what a record must have."""
    if data.get(key) is None:
        raise RatingsError(f"{where} has no {key!r}{hint}; its keys are: {shown(data, 20)}")
    return data[key]


def need_label(data: Mapping[str, Any], key: str, where: str, hint: str = "") -> str | int:
    """Give what names a unit or a rater: text or a whole number."""
    label = need(data, key, where, hint)
    if isinstance(label, bool) or not isinstance(label, str | int):
        raise RatingsError(f"{key!r} of {where} must be text or a whole number: {repr(label)[:60]}")
    return label


def need_list(data: Mapping[str, Any], key: str, where: str, hint: str = "") -> list[dict[str, Any]]:
    """Give a list of objects that a record must have."""
    items = need(data, key, where, hint)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RatingsError(f"{key!r} of {where} must be a list of objects: {repr(items)[:60]}")
    return items
