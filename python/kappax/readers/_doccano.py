"""doccano, text classification exported as JSONL or JSON.

A project in which each member annotates alone exports a zip with a file for each user
(https://doccano.github.io/doccano/); older versions export `annotations` with a user each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappax.errors import RatingsError
from kappax.readers._files import json_records, need_label, need_list
from kappax.readers._table import LongTable, Rows, choose_question

if TYPE_CHECKING:
    from kappax.readers._files import Record

_LABELS = ("label", "labels", "cats")
"""Keys that hold labels of a whole text, by version and kind of project."""


def doccano(source: Any, *, question: str | None = None, label: str | None = None) -> LongTable:
    """Read the labels of texts that doccano exports.

    Parameters
    ----------
    source : path of the zip, list of paths, dict of user and path; or one file, bytes or list of records
        The export: a file is one user's, and its name is the user's name.
    question : str, optional
        The key that holds labels, by default "label" ("cats" where intents are detected).
    label : str, optional
        For texts with several labels: the value is then whether this one is among them.

    Returns
    -------
    LongTable
        Units are ids, raters names of files or the `user` of each annotation. A text without a label is a
        missing rating: doccano does not tell a text that was not looked at from one that no label fits.

    Raises
    ------
    RatingsError
        For what is no such export (spans are no ratings), with the line and what is missing.
    """
    rows = Rows(label)
    for record in json_records(source):
        if "annotations" in record.data:
            _add_annotations(record, rows)
        else:
            unit = need_label(record.data, "id", record.where)
            rows.add(unit, _user(record), _value(record, question, rows))
    return rows.table(question)


def _value(record: Record, question: str | None, rows: Rows) -> Any:
    keys = [key for key in _LABELS if key in record.data]
    name = choose_question(record.data if question else keys, question, f"key with labels ({record.where})")
    return rows.single(record.data[name] or None, f"{name!r} of {record.where}")


def _user(record: Record) -> str:
    if not record.owner:
        raise RatingsError(f"{record.where} does not say who annotated: give a dict of user and file, not bare records")
    return record.owner


def _add_annotations(record: Record, rows: Rows) -> None:
    """Add what each user said; several labels of one user are one answer."""
    data, where, _ = record
    unit = need_label(data, "id", where)
    by_user: dict[Any, list[Any]] = {}
    for annotation in need_list(data, "annotations", where):
        user = need_label(annotation, "user", f"an annotation of {where}")
        if "start_offset" in annotation:
            raise RatingsError(f"an annotation of {where} is a span, which is no rating of the text: {unit!r}")
        by_user.setdefault(user, []).append(need_label(annotation, "label", f"an annotation of {where}"))
    for user, labels in by_user.items():
        rows.add(unit, user, rows.single(labels, f"{where}, user {user!r}"))
    if not by_user:
        rows.drop("without annotation")
