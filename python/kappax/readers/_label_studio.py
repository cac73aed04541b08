"""Label Studio, the export called JSON.

The format is described at https://labelstud.io/guide/task_format: a list of tasks, each with `annotations` of
people and `predictions` of models, whose `result` holds an entry for each control tag (`from_name`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kappax._values import shown
from kappax.errors import RatingsError
from kappax.readers._files import json_records, need, need_label, need_list
from kappax.readers._table import ANNOTATORS, LongTable, Rows, choose_question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kappax.readers._files import Record

_RATING_TYPES = ("choices", "rating", "number")
"""Types of results that are ratings; the answer lies in the value under the same name."""


class _Said(NamedTuple):
    """What one annotation or prediction answers, by question."""

    where: str
    unit: Any
    rater: Any
    pool: str
    answers: dict[str, list[Any]]


def label_studio(
    source: Any, *, question: str | None = None, label: str | None = None, predictions: bool = True
) -> LongTable:
    """Read an export of Label Studio as JSON (not JSON-MIN).

    Parameters
    ----------
    source : path, open file, bytes or list of tasks
        The export.
    question : str, optional
        The `from_name` of a control tag (Choices, Rating, Number); needed where there is more than one.
    label : str, optional
        For choices of which several may be ticked: the value is then whether this one is.
    predictions : bool
        Whether to read predictions too: a pool for each `model_version`, beside the pool "annotators".

    Returns
    -------
    LongTable
        Units are ids of tasks, raters e-mail addresses or ids of `completed_by`. Cancelled (skipped)
        annotations are left out; an annotation that says nothing on the question is a missing rating.

    Raises
    ------
    RatingsError
        For what is no such export, with the task; for a question that must be chosen, with those there are.
    """
    rows = Rows(label)
    other_types: dict[str, None] = {}
    said = [
        one for record in json_records(source) for one in _said(record, rows, other_types, with_predictions=predictions)
    ]
    names = [name for one in said for name in one.answers]
    if said and not names and question is None:
        found = shown(other_types) or "none"
        raise RatingsError(f"no choices, rating or number in this export, types of results are: {found}")
    question = choose_question(names, question, "from_name") if said else question
    for one in said:
        rows.add(one.unit, one.rater, rows.single(_answer(one, question), one.where), one.pool)
    return rows.table(question)


def _said(record: Record, rows: Rows, other_types: dict[str, None], *, with_predictions: bool) -> Iterator[_Said]:
    task, where, _ = record
    unit = need_label(task, "id", where)
    where = f"task {unit!r}"
    for number, annotation in enumerate(need_list(task, "annotations", where, " (export as JSON, not as JSON-MIN)")):
        place = f"annotation {annotation.get('id', number)!r} of {where}"
        if annotation.get("was_cancelled"):
            rows.drop("cancelled")
            continue
        yield _Said(place, unit, _who(annotation, place), ANNOTATORS, _answers(annotation, place, other_types))
    predictions = task.get("predictions") or []
    if not isinstance(predictions, list):
        raise RatingsError(f"'predictions' of {where} must be a list: {repr(predictions)[:60]}")
    for number, prediction in enumerate(predictions if with_predictions else ()):
        place = f"prediction {number} of {where}"
        if not isinstance(prediction, dict):  # exports without their contents hold ids alone
            rows.drop("predictions without contents")
            continue
        model = str(prediction.get("model_version") or "predictions")
        yield _Said(place, unit, model, model, _answers(prediction, place, other_types))


def _who(annotation: dict[str, Any], where: str) -> Any:
    who = need(annotation, "completed_by", where)
    if isinstance(who, dict):
        return who.get("email") or need_label(who, "id", f"completed_by of {where}")
    return need_label(annotation, "completed_by", where)


def _answers(annotation: dict[str, Any], where: str, other_types: dict[str, None]) -> dict[str, list[Any]]:
    answers: dict[str, list[Any]] = {}
    if not annotation.get("result"):
        return answers
    for result in need_list(annotation, "result", where):
        kind = str(result.get("type"))
        if kind not in _RATING_TYPES:
            other_types[kind] = None
            continue
        name = str(need(result, "from_name", f"a result of {where}"))
        value = need(result, "value", f"result {name!r} of {where}")
        if not isinstance(value, dict):
            raise RatingsError(f"the value of result {name!r} of {where} must be an object: {value!r}")
        answers.setdefault(name, []).append(need(value, kind, f"the value of result {name!r} of {where}"))
    return answers


def _answer(one: _Said, question: str | None) -> Any:
    answers = one.answers.get(question or "", [None])
    if len(answers) > 1:
        raise RatingsError(f"{one.where} answers {question!r} more than once (a region each?): {shown(answers)}")
    return answers[0]
