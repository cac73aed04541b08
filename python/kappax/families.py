"""Several tests at a time: which of them to believe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from kappax._result import Result, html_table, text_table
from kappax.errors import KappaxError

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["Family", "benjamini_hochberg"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Family(Result):
    """The tests of a family, in the order in which they came.

    Attributes
    ----------
    names : tuple
        What the tests are called: the keys of a mapping, else 0, 1, 2, ...
    p_values, adjusted : tuple of float
        As they came, and adjusted for the family; NaN stays NaN.
    rejected : tuple of bool
        Whether the adjusted p is at most `q`.
    q : float
        The share of false ones that is borne among the rejected hypotheses.
    n_tests : int
        The size of the family: p values that are not NaN.
    """

    names: tuple[Hashable, ...]
    p_values: tuple[float, ...]
    adjusted: tuple[float, ...]
    rejected: tuple[bool, ...]
    q: float
    n_tests: int

    def __repr__(self) -> str:
        return f"Family({self.n_tests} tests, {sum(self.rejected)} rejected at q={self.q:g})"

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([self.heading(), *text_table([header, *rows])])

    def _repr_html_(self) -> str:
        return html_table(self.heading(), *self.table())

    def heading(self) -> str:
        """Return the first line that `str` prints."""
        return f"Benjamini-Hochberg: {sum(self.rejected)} of {self.n_tests} rejected, false discovery rate {self.q:g}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the table that `str` prints, as text."""
        rows = zip(self.names, self.p_values, self.adjusted, self.rejected, strict=True)
        written = [[str(name), f"{p:.4g}", f"{a:.4g}", "yes" if r else "no"] for name, p, a, r in rows]
        return ["test", "p", "adjusted", "rejected"], written


def benjamini_hochberg(p_values: Any, *, q: float = 0.05) -> Family:
    """Adjust the p values of a family of tests by the procedure of Benjamini and Hochberg.

    Of the hypotheses that are rejected, a share of no more than `q` is expected to be true, where the tests are
    independent or depend on each other positively.

    Parameters
    ----------
    p_values : mapping or iterable of float, or of results with a `p_value`
        Such as those of `compare` and `permutation_test`. NaN, where a test could not be made, is not counted in the
        family and stays NaN.
    q : float, default 0.05
        The false discovery rate, strictly between 0 and 1.

    Returns
    -------
    Family
        The adjusted p of the i-th smallest of k is the least over j >= i of min(1, k p_j/j).

    Raises
    ------
    KappaxError
        For a p value outside of [0, 1], which is named, or a `q` outside of (0, 1).
    TypeError
        For something that is no p value.

    References
    ----------
    Benjamini, Y. and Hochberg, Y. (1995). doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> import kappax as kx
    >>> print(kx.benjamini_hochberg({"tone": 0.01, "topic": 0.04, "frame": 0.03, "source": 0.5}))
    Benjamini-Hochberg: 1 of 4 rejected, false discovery rate 0.05
      test       p  adjusted  rejected
      tone    0.01      0.04       yes
      topic   0.04   0.05333        no
      frame   0.03   0.05333        no
      source   0.5       0.5        no
    """
    if isinstance(q, bool) or not isinstance(q, Real):
        raise TypeError(f"q must be a number, not {type(q).__name__}")
    if not 0 < q < 1:
        raise KappaxError(f"q must lie between 0 and 1, such as 0.05: {q}")
    if not isinstance(p_values, Iterable) or isinstance(p_values, str):
        raise TypeError(f"p_values must be a mapping or a sequence, not {type(p_values).__name__}")
    named = dict(p_values) if isinstance(p_values, Mapping) else dict(enumerate(p_values))
    p = {name: _p_value(name, value) for name, value in named.items()}
    ascending = sorted((name for name in p if not math.isnan(p[name])), key=p.__getitem__)
    k, least = len(ascending), 1.0
    adjusted = dict.fromkeys(p, math.nan)
    for j, name in reversed(list(enumerate(ascending, start=1))):
        least = min(least, k * p[name] / j)
        adjusted[name] = least
    return Family(
        names=tuple(p),
        p_values=tuple(p.values()),
        adjusted=tuple(adjusted.values()),
        rejected=tuple(value <= q for value in adjusted.values()),
        q=float(q),
        n_tests=k,
    )


def _p_value(name: Hashable, value: Any) -> float:
    p = getattr(value, "p_value", value)
    if isinstance(p, bool) or not isinstance(p, Real):
        raise TypeError(f"test {name!r} has no p value: {value!r}")
    number = float(p)
    if not (0 <= number <= 1 or math.isnan(number)):
        raise KappaxError(f"a p value lies between 0 and 1, test {name!r}: {number}")
    return number
