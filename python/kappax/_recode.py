"""Values renamed, merged and taken for missing, before a domain is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from kappax._values import Coded, Scale, common_scale, natural, plain, shown
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


@dataclass(frozen=True, slots=True)
class Rules:
    """What becomes of values: `recode` gives new ones (None: no rating), `missing` says which are none."""

    recode: dict[Hashable, Hashable]
    missing: frozenset[Hashable]

    def __bool__(self) -> bool:
        return bool(self.recode or self.missing)

    def target(self, value: Any, default: Any = None) -> Any:
        """Give what becomes of a value, None for missing; what no rule names stays, or becomes `default`."""
        if value in self.recode:
            new = self.recode[value]
            return None if new in self.missing else new
        if value in self.missing:
            return None
        return value if default is None else default

    def mapped(self, meaning: Callable[[Any], Any]) -> Rules:
        """Give rules for what the values mean; what values become stays as it was written."""
        recode = {meaning(old): new for old, new in self.recode.items()}
        return Rules(recode, frozenset(map(meaning, self.missing)) | self.missing)

    def check(self, known: Iterable[Any]) -> None:
        """Refuse to recode a value that does not occur: a misspelt rule would do nothing, unnoticed."""
        known = dict.fromkeys(known)
        for old in self.recode:
            if old not in known:
                by_text = {str(value): value for value in known}
                close = get_close_matches(str(old), by_text, n=1)
                hint = f" (did you mean {by_text[close[0]]!r}?)" if close else ""
                raise RatingsError(
                    f"recode= names a value that does not occur; the values are {shown(known)}{hint}: {old!r}"
                )


def rules_of(recode: Any, missing: Any) -> Rules:
    """Check what a caller gave as ``recode=`` and ``missing=``."""
    if recode is not None and not isinstance(recode, Mapping):
        raise TypeError(f"recode must be a dict {{old: new}}, not {type(recode).__name__}: {recode!r}")
    if isinstance(missing, str | bytes | Mapping) or not (missing is None or isinstance(missing, Iterable)):
        raise TypeError(f"missing must be a list of values, not {type(missing).__name__}: {missing!r}")
    new = {_value(old, "recode"): _value(target, "recode") for old, target in (recode or {}).items()}
    if None in new:
        raise RatingsError(f"recode= cannot give a value to what is missing: {new[None]!r}")
    lost = frozenset(_value(value, "missing") for value in missing or ()) - {None}
    both = [value for value in new if value in lost]
    if both:
        raise RatingsError(f"a value cannot be both recoded and missing: {both[0]!r}")
    return Rules(new, lost)


def _value(value: Any, name: str) -> Hashable:
    value = plain(value)
    try:
        hash(value)
    except TypeError:
        raise RatingsError(f"{name}= holds something that no rating can be: {value!r}") from None
    return value  # type: ignore[no-any-return]


def rewrite(parts: Sequence[Coded], rules: Rules) -> tuple[Coded, ...]:
    """Apply rules to coded values; several parts (columns of a matrix) share them."""
    if not rules:
        return tuple(parts)
    rules.check(value for part in parts for value in part.values)
    return tuple(_rewritten(part, rules) for part in parts)


def _rewritten(part: Coded, rules: Rules) -> Coded:
    targets = [rules.target(value) for value in part.values]
    values = _in_order(part.values, targets)
    index = {value: code for code, value in enumerate(values)}
    codes = [-1 if new is None else index[new] for new in targets]
    return Coded(np.asarray([*codes, -1], dtype=np.int32)[part.codes], values, part.stated, part.loose)


def _in_order(values: Sequence[Any], targets: Sequence[Any]) -> tuple[Any, ...]:
    """Put a new value where it stands among the old ones, else where the first that becomes it stood."""
    place = {}
    for i, (old, new) in enumerate(zip(values, targets, strict=True)):
        if new is not None and (new not in place or old == new):
            place[new] = i
    return tuple(sorted(place, key=place.__getitem__))


def rescaled(part: Coded, scale: Scale) -> Scale:
    """Give the scale of rewritten values: a stated order lives on, others are sorted anew."""
    if scale.ordered and not natural(scale.domain):
        return Scale(part.values, ordered=True)
    return common_scale([part])
