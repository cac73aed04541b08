"""What all results share: equality, copies, plain data, and tables as text and HTML."""

from __future__ import annotations

import math
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


TIE = 2.0**-40
"""Coefficients no further apart than this, relative to the larger of 1 and their size, tie."""


class Result:
    """What all results share: equality that takes NaN for NaN, and copies as frozen as the original."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that arrays are read-only in an unpickled copy too.
        return rebuild, (type(self), {f.name: getattr(self, f.name) for f in fields(self)})

    def to_dict(self) -> dict[str, Any]:
        """Return plain floats, ints, strings, lists and None, ready for `json.dumps`; NaN becomes None."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.compare}


def rebuild(cls: type[Any], state: dict[str, Any]) -> Any:
    """Make a result of its fields."""
    return cls(**state)


def _key(result: Result) -> tuple[Any, ...]:
    """Return what equality compares: all fields but replicates, with NaN equal to NaN."""
    return tuple(_comparable(getattr(result, f.name)) for f in fields(result) if f.compare)


def _comparable(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, np.ndarray):
        return value.shape, tuple(_comparable(v) for v in value.ravel().tolist())
    if isinstance(value, dict):
        return frozenset(value.items())
    return value


def plain(value: Any) -> Any:
    """Return the nearest plain Python value: NaN is None, dates and the like are text."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    return value.to_dict() if isinstance(value, Result) else str(value)


def read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a float64 copy that cannot be written to (what was passed in stays writable)."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def number(value: float) -> str:
    """Write a number for people."""
    if math.isnan(value):
        return "undefined"
    return f"{value:.4f}" if abs(value) < 1000 else f"{value:.6g}"


def percent(share: float) -> str:
    """Write a share as percent."""
    return f"{100 * share:.6g}%"


def count(n: int, noun: str) -> str:
    """Write how many there are."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def sentence(text: str) -> str:
    """Write text as a sentence."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        return "  ".join(["  " + row[0].ljust(widths[0]), *cells[1:]])

    return [line(row) for row in rows]


def html_table(
    caption: str, header: Sequence[str] | None, rows: Iterable[Sequence[str]], notes: Iterable[str] = ()
) -> str:
    """Write a table as HTML, every text escaped."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    head = f"<thead>{line(header, 'th')}</thead>" if header else ""
    body = "".join(line(row, "td") for row in rows)
    foot = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table>{foot}"


def text_of_rows(heading: str, rows: Sequence[tuple[str, str]]) -> str:
    """Write (name, text) rows below a heading."""
    return "\n".join([heading, *(f"  {name:<14}{text}" for name, text in rows)])
