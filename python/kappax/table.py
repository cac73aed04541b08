"""Many slices at once: a row for each slice, value column and coefficient."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from kappax import _core
from kappax._analysis import Asked, Options, Progress, check_ratio
from kappax._frames import columns_by_name, is_frame, long_columns
from kappax._values import Coded, Scale, common_scale, recode, sorted_labels, stated_domain
from kappax.coefficients import OF_ONE_POOL, OF_RATERS, of_raters
from kappax.errors import RatingsError
from kappax.levels import Level, LevelLike, resolve
from kappax.methods import choose, units_only
from kappax.replication import Plan

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from kappax.methods import Bootstrap

__all__ = ["agreement_table"]

ACROSS = ("cross_kappa", "normalized_cross_kappa")


def agreement_table(
    frame: Any,
    *,
    unit: Hashable,
    value: Hashable | None = None,
    values: Sequence[Hashable] | None = None,
    rater: Hashable | None = None,
    pool: Hashable | None = None,
    by: Hashable | Sequence[Hashable] | None = None,
    coefficients: Sequence[str] = ("krippendorff_alpha",),
    level: LevelLike = "nominal",
    domain: Any = None,
    irr: str = "alpha",
    ci: Bootstrap | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Compute coefficients of every slice of a long frame, each as if the slice were alone.

    Parameters
    ----------
    frame : eager frame of any backend, or dict of columns
        One rating a row (or, with `values`, one rating of each label a row).
    unit, rater, pool : column names
        As for `Ratings.from_long`. The same unit in two slices is two units.
    value, values : column name, or several
        What was rated; with several each is analysed by itself.
    by : column name or several, optional
        What makes a slice: rows that are equal in all of them. A missing value is a slice of its own.
    coefficients : sequence of str
        Names of public functions: krippendorff_alpha, fleiss_kappa, percent_agreement, gwet_ac, brennan_prediger;
        iota, conger_kappa, light_kappa (these need `rater`); cross_kappa, normalized_cross_kappa (these need `pool`,
        and each pool has a row with its reliability `irr` as well).
    level, domain, ci, n_threads, progress
        As for `krippendorff_alpha`; numbers across pools come from joint resamples, as of `cross_replication`.
        Without `domain` each slice has the values that occur in it; a matrix as `level` is over the values of all
        slices.
    irr : str
        As for `cross_replication`.

    Returns
    -------
    frame of the backend that came (polars for a dict)
        The columns of `by`, then variable, coefficient, pool_x, pool_y, level, estimate, low, high, standard_error,
        observed, expected, n_units, n_pairable, n_dropped, reason, seed; slices in the order of their labels. A slice
        where a coefficient is undefined has a reason, and neither raises nor warns.

    Raises
    ------
    RatingsError, LevelError, KappaxError
        As for the functions named; a rater who rates a unit of a slice twice is an error.

    Examples
    --------
    >>> import kappax as kx
    >>> rows = {"city": ["A"] * 4 + ["B"] * 4, "doc": [1, 1, 2, 2] * 2, "label": [1, 1, 2, 2, 1, 2, 2, 2]}
    >>> table = kx.agreement_table(rows, unit="doc", value="label", by="city")
    >>> table.select("city", "estimate").rows()
    [('A', 1.0), ('B', 0.0)]
    """
    options = Options(ci, n_threads, progress)
    known = (*OF_ONE_POOL, *OF_RATERS, *ACROSS)
    units_only(ci, "agreement_table")
    wanted = [choose(name, known, "coefficients") for name in _listed(coefficients)]
    variables = _listed(values if value is None else value)
    if (value is None) == (values is None) or not variables:
        raise TypeError("name one column as value=, or several as values=")
    columns = long_columns(frame)
    sliced = _Sliced(columns, unit, rater, pool, _listed(by))
    rows: list[dict[str, Any]] = []
    for variable in variables:
        part = columns_by_name(columns, value=variable)["value"]
        one = _Variable(variable, part, sliced, level, domain)
        rows += one.rows(wanted, irr, options)
    return _framed(rows, sliced, frame)


def _listed(names: Any) -> list[Any]:
    if names is None:
        return []
    return [names] if isinstance(names, str) or not isinstance(names, list | tuple) else list(names)


class _Sliced:
    """Slices, units, raters and pools of the rows as codes."""

    def __init__(self, columns: dict[Any, Any], unit: Any, rater: Any, pool: Any, by: list[Any]) -> None:
        self.by = by
        coded = columns_by_name(columns, unit=unit, rater=rater, pool=pool)
        for role, part in coded.items():
            if (part.codes < 0).any():
                raise RatingsError(f"a rating without a {role}, row: {int(np.argmax(part.codes < 0))}")
        slices = np.zeros(len(coded["unit"].codes), dtype=np.int64)
        self.labels: list[tuple[Any, ...]] = [()]
        for name in by:
            slices, self.labels = _finer(slices, self.labels, columns_by_name(columns, by=name)["by"])
        n_units = max(len(coded["unit"].values), 1)
        unit_codes, distinct = _core.encode(slices * n_units + coded["unit"].codes.astype(np.int64))
        self.unit = unit_codes.astype(np.int64)
        self.units = coded["unit"]
        self.slice_of_unit = distinct // n_units
        self.pool = _sorted_codes(coded["pool"]) if "pool" in coded else None
        self.rater = _sorted_codes(coded["rater"]) if "rater" in coded else None
        if self.rater is not None:
            self._refuse_repeats()

    def _refuse_repeats(self) -> None:
        rater, raters = self.rater  # type: ignore[misc]
        pool, pools = self.pool or (np.zeros_like(rater), (None,))
        key = (self.unit * len(pools) + pool) * len(raters) + rater
        codes, _ = _core.encode(key)
        counts = np.bincount(codes)
        if (counts > 1).any():
            row = int(np.flatnonzero(counts[codes] > 1)[1])
            place = self.labels[int(self.slice_of_unit[self.unit[row]])]
            where = f" in slice {place}" if self.by else ""
            unit = self.units.values[self.units.codes[row]]
            raise RatingsError(f"a rater rates a unit twice{where}: unit {unit!r}, rater {raters[rater[row]]!r}")


def _finer(
    slices: NDArray[np.int64], labels: list[tuple[Any, ...]], part: Coded
) -> tuple[NDArray[np.int64], list[tuple[Any, ...]]]:
    """Cut slices by one more column, in the order of its labels, the missing one first."""
    order = sorted_labels(part.values)
    place = {label: i + 1 for i, label in enumerate(order)}
    target = np.array([*(place[label] for label in part.values), 0], dtype=np.int64)  # -1 picks the last
    key = slices * (len(order) + 1) + target[part.codes]
    codes, distinct = _core.encode(key)
    names = [None, *order]
    finer = [(*labels[k // (len(order) + 1)], names[k % (len(order) + 1)]) for k in distinct.tolist()]
    return codes.astype(np.int64), finer


def _sorted_codes(part: Coded) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
    order = sorted_labels(part.values)
    place = {label: i for i, label in enumerate(order)}
    target = np.array([place[label] for label in part.values], dtype=np.int64)
    return target[part.codes], tuple(order)


class _Kind(NamedTuple):
    """Coefficients that go through the core together, and how each answer is reported."""

    asked: list[Asked]
    group: tuple[NDArray[np.int64], tuple[Any, ...]] | None
    of_raters: bool
    plan: Plan | None


class _Variable:
    """One value column: its ratings, and its level on the domain of all slices."""

    def __init__(self, name: Any, part: Coded, sliced: _Sliced, level: LevelLike, domain: Any) -> None:
        self.name = name
        self.sliced = sliced
        scale = common_scale([part]) if domain is None else Scale(stated_domain(domain), ordered=True)
        codes = np.asarray(recode(part, scale.domain))
        if codes.min() < -1:
            row = int(np.argmin(codes))
            raise RatingsError(f"rating outside of the domain, row {row}: {part.values[part.codes[row]]!r}")
        self.own_values = domain is None and isinstance(level, str)
        self.level: Level = resolve(level, scale.domain, ordered=scale.ordered)
        check_ratio(self.level, scale.domain)
        self.kept = codes >= 0
        self.value = codes[self.kept].astype(np.uint32)
        self.domain = scale.domain

    def rows(self, wanted: list[str], irr: str, options: Options) -> list[dict[str, Any]]:
        """Compute all coefficients of all slices."""
        rows: list[dict[str, Any]] = []
        for kind in self._kinds(wanted, irr):
            rows += self._of_kind(kind, options)
        order = {name: i for i, name in enumerate(wanted)}
        rows.sort(key=lambda row: (row["slice"], order.get(row["coefficient"], -1)))
        return rows

    def _kinds(self, wanted: list[str], irr: str) -> Iterable[_Kind]:
        one = [Asked(name, OF_ONE_POOL[name], [0]) for name in wanted if name in OF_ONE_POOL]
        if one:
            yield _Kind(one, None, False, None)
        raters = [of_raters(name, []) for name in wanted if name in OF_RATERS]
        if raters:
            yield _Kind(raters, self._column(self.sliced.rater, "rater", raters[0].name), True, None)
        across = [name for name in wanted if name in ACROSS]
        if across:
            pools = self._column(self.sliced.pool, "pool", across[0])
            if len(pools[1]) < 2:
                raise RatingsError(f"{across[0]} needs two pools or more: {', '.join(map(repr, pools[1]))}")
            yield _Kind([], pools, False, Plan(pools[1], irr))

    @staticmethod
    def _column(
        column: tuple[NDArray[np.int64], tuple[Any, ...]] | None, role: str, name: str
    ) -> tuple[NDArray[np.int64], tuple[Any, ...]]:
        if column is None:
            raise RatingsError(f"{name} needs to know who rated, name the column as {role}=: None")
        return column

    def _of_kind(self, kind: _Kind, options: Options) -> list[dict[str, Any]]:
        asked = kind.asked if kind.plan is None else kind.plan.asked
        group = None if kind.group is None else kind.group[0][self.kept].astype(np.uint32)
        n_slices = len(self.sliced.labels)
        ci = options.ci
        numbers, reasons = _core.analyse_slices(
            (
                n_slices,
                self.sliced.slice_of_unit,
                np.ascontiguousarray(self.sliced.unit[self.kept]),
                group,
                self.value,
                1 if kind.group is None else len(kind.group[1]),
                len(self.domain),
            ),
            [(each.word, list(each.pools), each.number) for each in asked],
            self.level.to_core(),
            jointly=kind.plan is not None,
            of_raters=kind.of_raters,
            own_values=self.own_values,
            n_resamples=0 if ci is None else ci.n_resamples,
            seed=0 if ci is None else ci.seed,
            confidence_level=0.95 if ci is None else ci.confidence_level,
            method="percentile" if ci is None else ci.method,
            alternative="two-sided" if ci is None else ci.alternative,
            n_threads=options.n_threads,
            progress=options.progress,
        )
        seed = None if ci is None else ci.seed
        rows = []
        table = numbers.tolist()
        for slice_ in range(n_slices):
            at = slice_ * len(asked)
            answers = [(each.reason(reasons[at + i]), table[at + i][0]) for i, each in enumerate(asked)]
            for i, (each, (reason, _)) in enumerate(zip(asked, answers, strict=True)):
                found, why = table[at + i], reason
                if kind.plan is not None and each.word == "normalized":
                    pair = next(pair for pair, place in kind.plan.normalized.items() if place == i)
                    found[3:6] = table[at + kind.plan.cross[pair]][3:6]
                    why = reason and kind.plan.explain(pair, answers.__getitem__)
                rows.append(self._row(slice_, each, found, why, seed))
        return rows

    def _row(
        self, slice_: int, asked: Asked, found: list[float], reason: str | None, seed: int | None
    ) -> dict[str, Any]:
        pool_x, pool_y = (*map(str, asked.labels), None, None)[:2]
        return {
            "slice": slice_,
            "variable": str(self.name),
            "coefficient": asked.name,
            "pool_x": pool_x,
            "pool_y": pool_y,
            "level": self.level.word,
            "estimate": found[0],
            "low": found[6],
            "high": found[7],
            "standard_error": found[9],
            "observed": found[1],
            "expected": found[2],
            "n_units": int(found[3]),
            "n_pairable": int(found[4]),
            "n_dropped": int(found[5]),
            "reason": reason,
            "seed": seed,
        }


SCHEMA: dict[str, Any] = {
    "variable": nw.String,
    "coefficient": nw.String,
    "pool_x": nw.String,
    "pool_y": nw.String,
    "level": nw.String,
    "estimate": nw.Float64,
    "low": nw.Float64,
    "high": nw.Float64,
    "standard_error": nw.Float64,
    "observed": nw.Float64,
    "expected": nw.Float64,
    "n_units": nw.Int64,
    "n_pairable": nw.Int64,
    "n_dropped": nw.Int64,
    "reason": nw.String,
    "seed": nw.UInt64,
}


def _framed(rows: list[dict[str, Any]], sliced: _Sliced, frame: Any) -> Any:
    """Give the rows as a frame of the backend that the caller uses."""
    backend: Any = nw.from_native(frame).implementation if is_frame(frame) else "polars"
    labels = [sliced.labels[row["slice"]] for row in rows]
    columns: dict[str, list[Any]] = {str(name): [label[i] for label in labels] for i, name in enumerate(sliced.by)}
    clash = [name for name in columns if name in SCHEMA]
    if clash:
        raise RatingsError(f"the table has a column of this name already, rename the one of by=: {clash[0]!r}")
    keys = nw.from_dict(columns, backend=backend) if columns else None
    data = {name: [None if _is_nan(row[name]) else row[name] for row in rows] for name in SCHEMA}
    # Integers of pandas have no missing values.
    schema = SCHEMA if any(row["seed"] is not None for row in rows) else SCHEMA | {"seed": nw.Float64}
    table = nw.from_dict(data, schema, backend=backend)
    if keys is not None:
        table = nw.concat([keys, table], how="horizontal")
    return table.to_native()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
