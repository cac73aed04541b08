"""Tables of crowdsourcing platforms as CSV: Figure Eight and Appen, Mechanical Turk, crowd-kit.

What columns mean is described at https://success.appen.com/hc/en-us (full report), at
https://docs.aws.amazon.com/AWSMechTurk/latest/RequesterUI/ (batch results) and at
https://github.com/Toloka/crowd-kit (task, worker, label).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kappax.errors import RatingsError
from kappax.readers._files import csv_records, need
from kappax.readers._table import ANNOTATORS, LongTable, Rows, choose_question

if TYPE_CHECKING:
    from kappax.readers._files import Record

_YES, _NO = ("true", "t", "1", "yes"), ("false", "f", "0", "no")


def appen(
    source: Any,
    *,
    question: str | None = None,
    label: str | None = None,
    pool: str | None = None,
    keep_golden: bool = False,
    keep_tainted: bool = False,
) -> LongTable:
    """Read a full report of Figure Eight (CrowdFlower), now Appen.

    Parameters
    ----------
    source : path, open file or bytes; a list of paths, or a zip
        The report, CSV, a judgment a row.
    question : str, optional
        The column with the answers. By default the only one that has gold answers beside it (``x`` with
        ``x_gold``).
    label : str, optional
        For questions with checkboxes (a line for each label): the value is then whether this one is ticked.
    pool : str, optional
        A column that says which pool a judgment is of (``_channel``, ``_country``, one of your own).
    keep_golden, keep_tainted : bool
        Test questions (`_golden`) are rated by design until they are right, and tainted judgments come from
        contributors who failed them: both are left out unless kept.

    Returns
    -------
    LongTable
        Units are `_unit_id`, raters `_worker_id`; `dropped` says how many rows were left out.

    Raises
    ------
    RatingsError
        For a file that is no full report, with the line and what is missing.
    """
    names, records = csv_records(source, _needed("_unit_id", "_worker_id", pool))
    with_gold = [name for name in names if f"{name}_gold" in names]
    answers = with_gold or [name for name in names if not name.startswith("_")]
    question = choose_question(names if question else answers, question, "column of answers")
    rows = Rows(label)
    for record in records:
        if not keep_golden and _is_true(record, "_golden"):
            rows.drop("test questions")
        elif not keep_tainted and _is_true(record, "_tainted"):
            rows.drop("tainted")
        else:
            _add(record, ("_unit_id", "_worker_id", question, pool), rows, "\n")
    return rows.table(question, words=True)


def mturk(
    source: Any,
    *,
    question: str | None = None,
    label: str | None = None,
    pool: str | None = None,
    unit: str = "HITId",
) -> LongTable:
    """Read the results of a batch on Amazon Mechanical Turk.

    Parameters
    ----------
    source : path, open file or bytes; a list of paths, or a zip
        The results, CSV, an assignment a row.
    question : str, optional
        The name of an answer, without ``Answer.``; needed where there is more than one.
    label : str, optional
        For questions with checkboxes (labels between ``|``): the value is then whether this one is ticked.
    pool : str, optional
        A column that says which pool an assignment is of (``Input.batch``).
    unit : str
        The column that says what was rated; an input, where several HITs show the same.

    Returns
    -------
    LongTable
        Raters are `WorkerId`. Rejected assignments are left out and counted.

    Raises
    ------
    RatingsError
        For a file that holds no such results, with the line and what is missing.
    """
    names, records = csv_records(source, _needed(unit, "WorkerId", "AssignmentStatus", pool))
    if "Answer.taskAnswers" in names:
        records = [_with_task_answers(record) for record in records]
        names = list(dict.fromkeys(name for record in records for name in record.data))
    answers = [name.removeprefix("Answer.") for name in names if name.startswith("Answer.")]
    question = choose_question(answers, question, "answer")
    rows = Rows(label)
    for record in records:
        if str(record.data["AssignmentStatus"]).strip().casefold() == "rejected":
            rows.drop("rejected")
        else:
            _add(record, (unit, "WorkerId", f"Answer.{question}", pool), rows, "|")
    return rows.table(question, words=True)


def crowd_kit(source: Any, *, pool: str | None = None) -> LongTable:
    """Read a table of crowd-kit: columns task, worker (once called performer) and label.

    Parameters
    ----------
    source : path, open file or bytes; a list of paths, or a zip
        The table, CSV.
    pool : str, optional
        A column that says which pool a label is of.

    Returns
    -------
    LongTable

    Raises
    ------
    RatingsError
        For a file without these columns, and for a row without task or worker.
    """
    names, records = csv_records(source, _needed("task", "label", pool))
    worker = "performer" if "performer" in names and "worker" not in names else "worker"
    rows = Rows()
    for record in records:
        _add(record, ("task", worker, "label", pool), rows, None)
    return rows.table(words=True)


def _needed(*names: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


def _add(record: Record, columns: tuple[str, str, str, str | None], rows: Rows, separator: str | None) -> None:
    """Add a row; a separator stands between labels where several were ticked."""
    data, where, _ = record
    unit, rater, answer, pool = columns
    value = data.get(answer)
    if isinstance(value, str) and separator is not None and separator in value.strip():
        value = [part.strip() for part in value.split(separator) if part.strip()]
    rows.add(
        need(data, unit, where),
        need(data, rater, where),
        rows.single(value, f"{answer!r} in {where}"),
        ANNOTATORS if pool is None else need(data, pool, where),
    )


def _is_true(record: Record, column: str) -> bool:
    word = record.data.get(column)
    if word is None:
        return False
    if str(word).strip().casefold() in _YES:
        return True
    if str(word).strip().casefold() in _NO:
        return False
    raise RatingsError(f"{column!r} in {record.where} must be true or false: {word!r}")


def _with_task_answers(record: Record) -> Record:
    """Spread the JSON that forms of crowd elements answer with over columns of their own."""
    data, where, _ = record
    text = data.get("Answer.taskAnswers")
    rest = {name: cell for name, cell in data.items() if name != "Answer.taskAnswers"}
    if text is None:
        return record._replace(data=rest)
    try:
        answers = json.loads(text)[0]
        spread = {f"Answer.{name}": _plain_answer(answer) for name, answer in answers.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise RatingsError(
            f"'Answer.taskAnswers' in {where} must be a JSON list of one object: {text[:60]!r}"
        ) from None
    return record._replace(data=rest | spread)


def _plain_answer(answer: Any) -> Any:
    """Give what was chosen: a word, the `label` of a classifier, or the buttons and boxes that are on."""
    if not isinstance(answer, dict):
        return answer if answer is None or isinstance(answer, bool | list) else str(answer)
    if set(answer) == {"label"}:
        return answer["label"]
    if answer and all(isinstance(on, bool) for on in answer.values()):
        chosen = [name for name, on in answer.items() if on]
        return chosen[0] if len(chosen) == 1 else chosen
    return [answer]  # no single value, which is said where it is used
