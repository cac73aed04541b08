"""Prodigy, the JSON lines that ``prodigy db-out`` writes.

The format is described at https://prodi.gy/docs/api-interfaces and https://prodi.gy/docs/review: a task a
line, with an `answer`, hashes of the input and of the task, and the session that answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappax.errors import RatingsError
from kappax.readers._files import json_records, need, need_label
from kappax.readers._table import LongTable, Rows, choose_question

if TYPE_CHECKING:
    from kappax.readers._files import Record

_ANSWERS = ("accept", "reject", "ignore")


def prodigy(source: Any, *, question: str | None = None, label: str | None = None) -> LongTable:
    """Read annotations that Prodigy exports as JSONL.

    Parameters
    ----------
    source : path, open file, bytes, list of records; list of paths or dict of rater and path
        The export.
    question : str, optional
        Where tasks ask whether a label applies: the label in question. Needed where there is more than one.
        Tasks of the choice interface are the question "choice", tasks without a label are "answer".
    label : str, optional
        For choices of which several may be taken: the value is then whether this one is.

    Returns
    -------
    LongTable
        Units are `_input_hash`; raters `_annotator_id`, else `_session_id`, else the names of files where
        there are several. Values are "accept" and "reject", or the option chosen. An answer "ignore" is a
        missing rating, and so is a choice that was rejected: neither says which option is right.

    Raises
    ------
    RatingsError
        For what is no such export, with the line and what is missing.
    """
    rows = Rows(label)
    records = list(json_records(source))
    question = choose_question(map(_question, records), question, "question")
    several_files = len({record.owner for record in records}) > 1
    for record in records:
        if _question(record) == question:
            unit = need_label(record.data, "_input_hash", record.where)
            rows.add(unit, _who(record, several_files=several_files), _value(record, rows))
    return rows.table(question)


def _question(record: Record) -> str:
    data = record.data
    if "accept" in data or "options" in data:
        return "choice"
    return str(data["label"]) if data.get("label") is not None else "answer"


def _value(record: Record, rows: Rows) -> Any:
    data, where, _ = record
    answer = need(data, "answer", where)
    if answer not in _ANSWERS:
        raise RatingsError(f"answer of {where} must be 'accept', 'reject' or 'ignore': {answer!r}")
    if answer == "ignore":
        return None
    if _question(record) != "choice":
        return answer
    return rows.single(data.get("accept") or [], where) if answer == "accept" else None


def _who(record: Record, *, several_files: bool) -> Any:
    data = record.data
    for key in ("_annotator_id", "_session_id"):
        if data.get(key) is not None:
            return need_label(data, key, record.where)
    if several_files:
        return record.owner
    return need(data, "_session_id", record.where, " or '_annotator_id', which say who answered")
