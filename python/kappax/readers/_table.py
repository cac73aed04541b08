"""The table that every reader gives, and how it grows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

from kappax._recode import rules_of
from kappax._values import shown
from kappax._words import as_among, rewritten, typed
from kappax.errors import RatingsError
from kappax.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

ANNOTATORS = "annotators"
"""The pool of people, beside pools of models."""


@dataclass(frozen=True, slots=True, repr=False)
class LongTable:
    """What an export says, one rating a row.

    Attributes
    ----------
    unit, rater, pool, value : tuple
        Columns of one length. A `value` of None is a rating that is missing. Tools that know no pools give
        one, "annotators".
    question : str or None
        Which question of the export this is.
    dropped : dict
        How many records were left out, by reason.
    words : bool
        Whether values are words of a text file, which are numbers where all of them are.
    """

    unit: tuple[Hashable, ...]
    rater: tuple[Hashable, ...]
    pool: tuple[Hashable, ...]
    value: tuple[Hashable, ...]
    question: str | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    words: bool = False

    @property
    def columns(self) -> dict[str, list[Hashable]]:
        """The four columns by name: a long frame for ``Ratings.from_long`` or any library of frames."""
        columns = {"unit": self.unit, "rater": self.rater, "pool": self.pool, "value": self.value}
        return {name: list(column) for name, column in columns.items()}

    def ratings(
        self,
        *,
        domain: Any = None,
        duplicates: Literal["error", "keep", "first", "last"] = "error",
        missing: Iterable[Any] = (),
        recode: Mapping[Any, Any] | None = None,
    ) -> Ratings:
        """Make ratings of the table; arguments are those of ``Ratings.from_long``.

        Values that come from a text file turn into numbers after `missing` ones are gone: ``1, 2, N/A`` with
        ``missing=["N/A"]`` holds the numbers 1 and 2.
        """
        columns = self.columns
        rules = rules_of(recode, missing)
        if rules and self.words:
            columns["value"] = rewritten(self.value, rules)
            missing, recode = (), None
            if isinstance(domain, list | tuple):
                domain = as_among(domain, columns["value"])
        return Ratings.from_long(
            columns,
            unit="unit",
            rater="rater",
            pool="pool",
            value="value",
            domain=domain,
            duplicates=duplicates,
            missing=missing,
            recode=recode,
        )

    def __len__(self) -> int:
        return len(self.unit)

    def __repr__(self) -> str:
        pools = shown(dict.fromkeys(self.pool), 4)
        about = "" if self.question is None else f", question {self.question!r}"
        left_out = f", left out: {counted(self.dropped)}" if self.dropped else ""
        return f"LongTable({len(self)} rows{about}, pools {pools}{left_out})"


def counted(dropped: Mapping[str, int]) -> str:
    """Say in words what was left out."""
    return ", ".join(f"{count} {reason}" for reason, count in dropped.items())


class Rows:
    """A table that grows, row by row."""

    def __init__(self, label: Any = None) -> None:
        self.columns: tuple[list[Any], ...] = ([], [], [], [])
        self.dropped: Counter[str] = Counter()
        self.label = label
        self.labels: dict[str, None] = {}

    def add(self, unit: Any, rater: Any, value: Any, pool: Any = ANNOTATORS) -> None:
        """Add a rating, or a missing one (None)."""
        for column, cell in zip(self.columns, (unit, rater, pool, value), strict=True):
            column.append(cell)

    def drop(self, reason: str) -> None:
        """Count a record that is left out."""
        self.dropped[reason] += 1

    def single(self, answer: Any, where: str) -> Any:
        """Give the one value of an answer, be it a list of labels; with a label, whether it is there."""
        if answer is None:
            return None
        labels = answer if isinstance(answer, list) else [answer]
        if any(isinstance(label, list | dict) for label in labels):
            raise RatingsError(f"{where} holds no single value that could be a rating: {_short(answer)}")
        if self.label is None:
            if len(labels) > 1:
                raise RatingsError(f"{where} has several labels, name one of them as label=: {shown(labels)}")
            return labels[0] if labels else None
        self.labels.update(dict.fromkeys(map(str, labels)))
        return str(self.label) in map(str, labels)

    def table(self, question: str | None = None, *, words: bool = False) -> LongTable:
        """Give what has grown; refuse an export without any rating, and a label that nobody chose."""
        if not self.columns[0]:
            left_out = counted(self.dropped) or "nothing"
            raise RatingsError(f"no ratings in this export, left out: {left_out}")
        if self.label is not None and str(self.label) not in self.labels:
            raise RatingsError(f"nobody chose label={self.label!r}; {_known(str(self.label), self.labels)}")
        unit, rater, pool, value = self.columns
        words = words and self.label is None
        values = typed(value) if words else value
        numbers = words and not any(isinstance(one, str) for one in values)
        return LongTable(
            tuple(unit),
            tuple(rater),
            tuple(pool),
            tuple(values),
            question,
            dict(self.dropped),
            words=words and not numbers,
        )


def choose_question(found: Iterable[str], question: str | None, what: str = "question") -> str:
    """Give the question asked for, or the only one; refuse to guess among several."""
    names = list(dict.fromkeys(found))
    if question is not None:
        if question not in names:
            raise RatingsError(f"no {what} {question!r} in this export; {_known(question, names)}")
        return question
    if len(names) == 1:
        return names[0]
    if not names:
        raise RatingsError(f"no {what} in this export whose answers could be ratings: 0")
    raise RatingsError(f"more than one {what} in this export, choose one as question=: {shown(names, 30)}")


def _known(word: str, names: Iterable[str]) -> str:
    names = list(names)
    close = get_close_matches(word, names, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"there are{hint}: {shown(names, 30)}"


def _short(thing: Any, limit: int = 80) -> str:
    text = repr(thing)
    return text if len(text) <= limit else text[: limit - 3] + "..."
