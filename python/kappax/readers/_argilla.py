"""Argilla 2, records as ``dataset.records.to_json`` and ``to_list`` give them.

The formats are described at https://docs.argilla.io/latest/reference/argilla/records/records/: nested
(`responses` and `suggestions` by question), or flat (`label.responses`, `label.responses.users`, ...), as
data sets on a hub are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappax.errors import RatingsError
from kappax.readers._files import json_records, need, need_label, need_list
from kappax.readers._table import LongTable, Rows, choose_question

if TYPE_CHECKING:
    from kappax.readers._files import Record


def argilla(
    source: Any, *, question: str | None = None, label: str | None = None, predictions: bool = True
) -> LongTable:
    """Read records of Argilla: responses of people, suggestions of models.

    Parameters
    ----------
    source : path, open file, bytes or list of records
        The export.
    question : str, optional
        Name of a question (label, multi-label, rating, text); needed where there is more than one.
    label : str, optional
        For a question with several labels: the value is then whether this one is among them.
    predictions : bool
        Whether to read suggestions too: a pool for each `agent`, beside the pool "annotators".

    Returns
    -------
    LongTable
        Units are ids of records, raters `user_id`. Responses that are drafts or discarded are left out.

    Raises
    ------
    RatingsError
        For what is no such export, with the record and what is missing; for rankings and spans.
    """
    rows = Rows(label)
    records = [_nested(record) for record in json_records(source)]
    names = [
        name
        for record in records
        for key in ("responses", "suggestions")
        for name in _by_question(record, key)
        if predictions or key == "responses"
    ]
    question = choose_question(names, question)
    for record in records:
        _add(record, question, rows, predictions=predictions)
    return rows.table(question)


def _add(record: Record, question: str, rows: Rows, *, predictions: bool) -> None:
    unit = need_label(record.data, "id", record.where)
    where = f"record {unit!r}"
    for response in need_list({question: [], **_by_question(record, "responses")}, question, where):
        status = response.get("status")
        if status in ("draft", "discarded"):
            rows.drop(status)
            continue
        who = need_label(response, "user_id", f"a response of {where}")
        rows.add(unit, who, rows.single(need(response, "value", f"the response of {who!r} to {where}"), where))
    suggestion = _by_question(record, "suggestions").get(question)
    if suggestion is None or not predictions:
        return
    if not isinstance(suggestion, dict):
        raise RatingsError(f"a suggestion of {where} must be an object: {repr(suggestion)[:60]}")
    agent = str(suggestion.get("agent") or "suggestions")
    rows.add(unit, agent, rows.single(suggestion.get("value"), where), agent)


def _by_question(record: Record, key: str) -> dict[str, Any]:
    found = record.data.get(key) or {}
    if not isinstance(found, dict):
        raise RatingsError(f"{key!r} of {record.where} must be an object by question: {repr(found)[:60]}")
    return found


def _nested(record: Record) -> Record:
    """Give the nested form; a record that is neither nested nor flat is none of Argilla's."""
    data, where, _ = record
    if "responses" in data or "suggestions" in data:
        return record
    responses, suggestions = {}, {}
    for key in data:
        name, _, last = key.rpartition(".")
        if name and last == "responses":
            responses[name] = _flat_responses(data, key, where)
        elif name and last == "suggestion" and data[key] is not None:
            suggestions[name] = {"value": data[key], "agent": data.get(f"{key}.agent")}
    if not responses and not suggestions and not any("." in key for key in data):
        need(data, "responses", where)
    return record._replace(data={**data, "responses": responses, "suggestions": suggestions})


def _flat_responses(data: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    columns = [data[key], data.get(f"{key}.users"), data.get(f"{key}.status")]
    if not all(column is None or isinstance(column, list) for column in columns):
        raise RatingsError(f"{key!r} of {where} and its users must be lists: {repr(columns)[:60]}")
    values, users, statuses = (column or [] for column in columns)
    statuses = statuses or [None] * len(values)
    if not len(values) == len(users) == len(statuses):
        raise RatingsError(f"{key!r} of {where} needs a user for each value, there are: {len(values)} and {len(users)}")
    return [
        {"value": value, "user_id": user, "status": status}
        for value, user, status in zip(values, users, statuses, strict=True)
    ]
