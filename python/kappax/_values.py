"""Values of any type as codes 0..K-1 into a domain.

Every source (array, column, list) first becomes a `Coded`: integers, and the few distinct values that they
stand for. What follows (missing values, mixed types, order, a stated domain) looks at the distinct values
alone, never at each rating.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from kappax import _core
from kappax.errors import RatingsError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    Codes: TypeAlias = "NDArray[np.integer[Any]]"

_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType", "MaskedConstant"})
_NUMBER_TYPES = (int, float, Decimal, Fraction)
_MISSING = -1
UNUSABLE = -2


@dataclass(frozen=True, slots=True)
class Coded:
    """Codes (-1 where missing) and the distinct plain values that they stand for.

    `stated` says that the order of `values` is meant (Enum, Categorical); `loose` that these are only the
    sorted categories of a Categorical which nobody called ordered, so that a union with others may sort anew.
    """

    codes: Codes
    values: tuple[Hashable, ...]
    stated: bool = False
    loose: bool = False


class Scale(NamedTuple):
    """A domain, and whether its order means something (it was stated, or the values are numbers)."""

    domain: tuple[Hashable, ...]
    ordered: bool


@dataclass(frozen=True, slots=True, eq=False)
class _NotAValue:
    """Stands in the values for something that no rating can be, until its place can be named."""

    thing: Any


# --- one value ---------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:  # noqa: C901, PLR0911 - one line a type
    """Give the plain Python value, or None where it says missing (None, NaN, NA, NaT, masked)."""
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        return value
    if kind.__name__ in _MISSING_TYPES:
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else float(value) + 0.0  # -0.0 is 0.0
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _plain_time(value)
    if isinstance(value, np.generic):
        item = value.item()
        if isinstance(item, np.floating):  # a long double stays numpy's
            item = _exact(item)
        return item if isinstance(item, np.generic) else plain(item)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if hasattr(value, "as_py"):  # an Arrow scalar
        return plain(value.as_py())
    if isinstance(value, datetime) and getattr(value, "nanosecond", None) == 0:  # a pandas Timestamp
        return value.to_pydatetime()  # type: ignore[attr-defined]
    if isinstance(value, timedelta) and getattr(value, "nanoseconds", None) == 0:
        return value.to_pytimedelta()  # type: ignore[attr-defined]
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    return value if _equals_itself(value) else None


def _equals_itself(value: Any) -> bool:
    try:
        return bool(value == value)  # noqa: PLR0124 - what is not equal to itself is a NaN of some kind
    except (TypeError, ValueError):
        return True


def _plain_time(value: np.datetime64 | np.timedelta64) -> Any:
    """Give a date, datetime or timedelta where that loses nothing, else the numpy scalar itself."""
    if np.isnat(value):
        return None
    item: Any = value.item()
    if isinstance(item, date | timedelta):
        return item
    unit = "datetime64[us]" if isinstance(value, np.datetime64) else "timedelta64[us]"
    try:
        micro = value.astype(unit)
        item = micro.item() if micro == value else value
    except TypeError:  # months and years have no length in seconds
        return value
    return item if isinstance(item, date | timedelta) else value


def _exact(value: Any) -> float:
    """Give a long double as a float, if it is one."""
    if float(value) != value and value == value:  # noqa: PLR0124
        message = f"a long double that no 64-bit float can hold: {value!r}"
        raise RatingsError(message)
    return float(value)


def kind_of(value: Any) -> str:
    """Say which values can be compared: "bool", "number", "text", or the name of the type."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, _NUMBER_TYPES):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__


def shown(values: Iterable[Any], limit: int = 10) -> str:
    """List values for a message, not too many of them."""
    items = list(values)
    rest = f", ... ({len(items)} in all)" if len(items) > limit else ""
    return ", ".join(map(repr, items[:limit])) + rest


def hint(word: Any, known: Iterable[Any]) -> str:
    """Name the known label that was probably meant, whatever its case; nothing where none is close."""
    folded = {str(label).casefold(): label for label in known}
    close = get_close_matches(str(word).casefold(), folded, n=1)
    return f" (did you mean {folded[close[0]]!r}?)" if close else ""


# --- arrays and lists -> Coded -----------------------------------------------------------------------------


def as_array(values: Any) -> NDArray[Any]:
    """Give what offers ``__array__`` as a numpy array, a mask kept."""
    if isinstance(values, np.ma.MaskedArray):
        return values
    try:
        return np.asarray(values)
    except (RuntimeError, ValueError) as error:  # a tensor that needs its gradient
        raise TypeError(f"this {type(values).__name__} does not convert to a numpy array: {error}") from error


def spread(coded: Coded, present: NDArray[np.bool_]) -> Coded:
    """Put codes of the present places back among the missing ones."""
    codes = np.full(present.shape, _MISSING, dtype=np.int32)
    codes[present] = coded.codes
    return Coded(codes, coded.values, coded.stated, coded.loose)


def code_array(array: NDArray[Any]) -> Coded:  # noqa: PLR0911 - one line a dtype
    """Code a numpy array of any shape and dtype; masked places are missing, whatever lies under the mask."""
    if isinstance(array, np.ma.MaskedArray):
        present = ~np.ma.getmaskarray(array)
        return spread(code_array(np.asarray(array.data)[present]), present)
    kind = array.dtype.kind
    if kind in "iu":
        return _encode(array.astype(np.uint64 if kind == "u" else np.int64, copy=False))
    if kind == "f":
        return _encode(_as_float64(array))
    if kind in "bSU":
        return _from_unique(array)
    if kind in "mM":
        present = ~np.isnat(array)
        return spread(_from_unique(array[present]), present)
    if kind == "V":  # numbers of other makers (bfloat16, float8) convert; records do not
        return _encode(_as_float64(_numbers_of(array)))
    flat = code_objects(array.ravel().tolist())
    return Coded(flat.codes.reshape(array.shape), flat.values)


def _encode(array: NDArray[Any]) -> Coded:
    codes, values = _core.encode(array)
    return Coded(codes.reshape(array.shape), tuple(values.tolist()))


def _as_float64(array: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64, copy=False)
    if array.dtype.itemsize > numbers.dtype.itemsize:
        lossy = (numbers != array) & ~np.isnan(numbers)
        if lossy.any():
            raise RatingsError(f"a long double that no 64-bit float can hold: {array[lossy].flat[0]!r}")
    return numbers


def _numbers_of(array: NDArray[Any]) -> NDArray[np.float64]:
    if array.dtype.names is None:
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"an array of this dtype holds no ratings: {array.dtype}")


def _from_unique(array: NDArray[Any]) -> Coded:
    distinct, codes = np.unique(array, return_inverse=True)
    values = [plain(value) for value in distinct]
    return Coded(codes.reshape(array.shape).astype(np.int32), tuple(values))


def code_objects(items: Sequence[Any]) -> Coded:
    """Code a list of any Python objects. Equal values are one value, so True, 1 and 1.0 are, as in Python."""
    types = set(map(type, items))
    if any(hasattr(kind, "__array__") and not issubclass(kind, np.generic) for kind in types):
        items = [_scalar(item) for item in items]  # tensors hash by identity: equal ones would be two values
        types = set(map(type, items))
    index: dict[Any, int] = {}
    try:
        codes = np.fromiter((index.setdefault(item, len(index)) for item in items), np.int64, len(items))
    except TypeError:
        return code_objects([item if _hashable(item) else _NotAValue(item) for item in items])
    values, target = _distinct(map(plain, index), types)
    return Coded(np.asarray(target, dtype=np.int32)[codes] if target else codes.astype(np.int32), values)


def _scalar(item: Any) -> Any:
    if isinstance(item, np.generic) or not hasattr(item, "__array__") or item is np.ma.masked:
        return item if item is not np.ma.masked else None
    array = as_array(item)
    return array[()] if array.ndim == 0 else item


def _hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _distinct(values: Iterable[Any], types: Iterable[type] = ()) -> tuple[tuple[Any, ...], list[int]]:
    """Merge equal values; say for each value which one it became (-1: missing)."""
    index: dict[Any, int] = {}
    target = [_MISSING if value is None else index.setdefault(value, len(index)) for value in values]
    return tuple(_one_number_type(list(index), types)), target


def _one_number_type(values: Iterable[Any], types: Iterable[type] = ()) -> list[Any]:
    """Among numbers a bool is 0 or 1, and among floats an int is a float if that is exact."""
    values = list(values)
    kinds = {*map(type, values), *types}
    floats = any(issubclass(kind, float | np.floating) for kind in kinds)
    bools = any(issubclass(kind, bool | np.bool_) for kind in kinds)
    numbers = any(issubclass(kind, (*_NUMBER_TYPES, np.number)) and kind is not bool for kind in kinds)
    if bools and numbers:
        values = [int(value) if isinstance(value, bool) else value for value in values]
    return [_as_float(value) for value in values] if floats else values


def _as_float(value: Any) -> Any:
    if type(value) is int and abs(value) < 2**1023 and float(value) == value:
        return float(value)
    return value


# --- many Coded -> one domain ------------------------------------------------------------------------------


def stated_domain(domain: Any) -> tuple[Hashable, ...]:
    """Check a domain that was given in words: a sequence of distinct plain values."""
    if isinstance(domain, str | bytes | Mapping | AbstractSet) or not isinstance(domain, Iterable):
        kind = type(domain).__name__
        raise TypeError(f"domain must be a sequence of values in order, not {kind}: {domain!r}")
    given = list(domain)
    values = [plain(value) for value in given]
    for value, original in zip(values, given, strict=True):
        if value is None or not _hashable(value) or _infinite(value):
            raise RatingsError(f"domain holds something that no rating can be: {original!r}")
    if not values:
        raise RatingsError("domain is empty: ()")
    distinct, target = _distinct(values)
    if len(distinct) < len(values):
        again = next(values[i] for i in range(len(values)) if target[i] in target[:i])
        raise RatingsError(f"domain holds a value twice (True, 1 and 1.0 are one value): {again!r}")
    return tuple(values)


def _infinite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isinf(value)
    return isinstance(value, Decimal) and value.is_infinite()


def bad(value: Any) -> bool:
    """Say whether no domain can hold the value."""
    return isinstance(value, _NotAValue) or _infinite(value)


def natural(values: Sequence[Any]) -> bool:
    """Say whether these are numbers or bools in their own order, which needs no stating."""
    kinds = {kind_of(value) for value in values}
    return kinds <= {"bool", "number"} and _ascending(values)


def _ascending(values: Sequence[Any]) -> bool:
    try:
        return all(a < b for a, b in pairwise(values))
    except TypeError:
        return False


def common_scale(parts: Sequence[Coded]) -> Scale:
    """Find the one domain of several sources: an order that was stated, else the sorted union."""
    usable = [_usable(part) for part in parts]
    union = _union(values for values, _, _ in usable)
    _refuse_mixed(union)
    chosen = _stated_order(usable, union)
    if chosen is not None:
        values = tuple(_one_number_type(chosen, map(type, union)))
        return Scale(values, ordered=True)
    values = tuple(_one_number_type(sorted_values(union)))
    return Scale(values, natural(values))


def _usable(part: Coded) -> tuple[tuple[Any, ...], bool, bool]:
    values = part.values
    if any(map(bad, values)):
        values = tuple(value for value in values if not bad(value))
    stated = part.stated and not natural(values)
    return values, stated, part.loose


def _union(domains: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    distinct = dict.fromkeys(domains)
    if len(distinct) == 1:
        return next(iter(distinct))
    return tuple(dict.fromkeys(value for values in distinct for value in values))


def _stated_order(usable: Sequence[tuple[tuple[Any, ...], bool, bool]], union: tuple[Any, ...]) -> Any:
    """Find the one stated order that holds every value, or None where sorting is right."""
    firm = list(dict.fromkeys(values for values, stated, loose in usable if stated and not loose))
    if len(firm) > 1:
        both = f"({shown(firm[0])}) and ({shown(firm[1])})"
        raise RatingsError(f"two different orders of the values, state one as domain=: {both}")
    orders = firm or list(dict.fromkeys(values for values, stated, _ in usable if stated))
    if len(orders) != 1:
        return None
    outside = [value for value in union if value not in set(orders[0])]
    if outside and firm:
        raise RatingsError(f"value outside of the stated order ({shown(orders[0])}): {outside[0]!r}")
    return None if outside else orders[0]


def _refuse_mixed(values: Iterable[Any]) -> None:
    examples: dict[str, Any] = {}
    for one_type in dict.fromkeys(map(type, values := list(values))):
        example = next(value for value in values if type(value) is one_type)
        examples.setdefault(kind_of(example), example)
    if "number" in examples:
        examples.pop("bool", None)  # True is 1 among numbers
    if len(examples) > 1:
        (kind, one), (other_kind, other) = list(examples.items())[:2]
        both = f"{one!r} and {other!r}"
        raise RatingsError(f"{kind} and {other_kind} values mixed, state domain= if both are meant: {both}")


def sorted_values(values: Iterable[Any]) -> list[Any]:
    """Sort values of one kind: numbers by size, text as text, False before True."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        kind = type(values[0]).__name__
        raise RatingsError(f"values of type {kind} have no order, state domain=: {values[0]!r}") from None


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """Sort labels of pools or raters; those of mixed types by the name of the type, then as text."""
    labels = list(labels)
    kinds = {kind_of(label) for label in labels}
    if len(kinds) <= 1:
        try:
            return sorted(labels)
        except TypeError:
            pass
    return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def recode(part: Coded, domain: tuple[Hashable, ...]) -> Codes:
    """Give codes into the domain, -1 where missing, -2 (UNUSABLE) for what the domain does not hold."""
    if part.values == domain:
        return part.codes
    index = {value: code for code, value in enumerate(domain)}
    target = [UNUSABLE if bad(value) else index.get(value, UNUSABLE) for value in part.values]
    return np.asarray([*target, _MISSING], dtype=np.int32)[part.codes]  # -1 picks the last


def complaint(value: Any, domain: tuple[Hashable, ...], where: str) -> RatingsError:
    """Say what is wrong with a rating that recode found unusable."""
    if isinstance(value, _NotAValue):
        thing = value.thing
        return RatingsError(f"a {type(thing).__name__} is not a rating, {where}: {thing!r}")
    if _infinite(value):
        return RatingsError(f"infinite rating, {where}: {value!r}")
    note = ""
    if any(str(value) == str(other) for other in domain):
        note = f" (the rating is {kind_of(value)}, the domain is not)"
    return RatingsError(f"rating outside of the domain ({shown(domain)}), {where}{note}: {value!r}")
