"""Words of text files: numbers where all of them are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kappax._recode import Rules

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
"""What makes a column of text numeric. "nan" and "inf" are words here."""

INTEGER = re.compile(r"\s*[+-]?\d{1,18}\s*")


def meant(word: Any) -> Any:
    """Give the number that a word writes, else the word (or whatever it is) itself."""
    if not isinstance(word, str) or not NUMBER.fullmatch(word):
        return word
    return int(word) if INTEGER.fullmatch(word) else float(word)


def typed(words: Sequence[Any]) -> list[Any]:
    """Give numbers where every word writes one, else the words as they are; None stays."""
    meanings = {word: meant(word) for word in set(words)}
    texts = [word for word in meanings if word is not None]
    if any(isinstance(meanings[word], str) for word in texts):
        return list(words)
    floats = any(isinstance(meanings[word], float) for word in texts)
    numbers = {word: float(number) if floats else number for word, number in meanings.items() if word is not None}
    return [numbers.get(word) for word in words]


def rewritten(words: Iterable[Any], rules: Rules) -> list[Any]:
    """Rename words and take some for missing by what they mean: 99 stands for "99" and "99.0"."""
    words = list(words)
    known = {word: meant(word) for word in dict.fromkeys(words) if word is not None}
    by_meaning = rules.mapped(meant)
    by_meaning.check(known.values())
    target = {word: by_meaning.target(meaning, default=word) for word, meaning in known.items()}
    return typed([target.get(word) for word in words])


def as_among(words: Iterable[str], values: Iterable[Any]) -> list[Any]:
    """Read words of a command as what the values are: numbers among numbers, booleans among booleans."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return [{"true": True, "false": False}.get(word.strip().lower(), word) for word in words]
    if kinds and kinds <= {int, float}:
        return [meant(word) for word in words]
    return list(words)
