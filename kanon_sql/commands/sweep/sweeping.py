"""A sweep: searches for many k and suppression limits on a source that is read once; nothing is released."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from kanon_sql.commands.run.pipeline import request_of, searched_k
from kanon_sql.commands.sweep.plan import Curve, Limit, Outputs, Plan
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import SuppressionConfig
from kanon_sql.errors import KanonError, NoReleaseError, OutOfTimeError
from kanon_sql.report.call import Call
from kanon_sql.report.charts.sweep import write_plot
from kanon_sql.report.report import write_json
from kanon_sql.search.problem import Request, SearchProblem
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.staging_permissions import write_output

Json = dict[str, Any]
Opened = Callable[[LoadedConfig], AbstractContextManager[tuple[Engine, SearchProblem]]]

_UNPROVEN = "time ran out: what was found is not proven to be the best"


@dataclass(frozen=True)
class Point:
    """One search. What only a release has is None where there is none; `problem` then says why.

    `limit` is as it was asked for, `limit_rows` what it comes to; `status` is released, no-release or timed-out.
    """

    series: str
    configuration: str
    algorithm: str
    k: int
    limit: Limit
    limit_rows: int | None
    status: str
    suppressed: int | None = None
    classes: int | None = None
    c_avg: float | None = None
    lm: float | None = None
    ncp: float | None = None
    discernibility: float | None = None
    seconds: float | None = None
    proven: bool | None = None
    problem: str | None = None


def run_plan(plan: Plan, opened: Opened, call: Call) -> Json:
    """Searches every point of the plan; `opened` reads the source of a configuration. What `sweep --json` prints.

    A point without a release is a point like the others. Raises the errors of kanon_sql.errors for everything else.
    """
    sweep = _Sweep(plan, opened, call)
    for config in plan.curves:
        for _, curves in groupby(sorted(config, key=_full_domain), _full_domain):
            sweep.search(list(curves))
    return sweep.data()


class _Sweep:
    """The searches, and what was found so far."""

    def __init__(self, plan: Plan, opened: Opened, call: Call) -> None:
        self._plan = plan
        self._opened = opened
        self._call = call
        self._series: dict[str, Json] = {}
        self._points: dict[str, list[Point]] = {}
        self._warnings: dict[str, None] = {}
        self._notes: dict[str, list[str]] = {}

    def search(self, curves: Sequence[Curve]) -> None:
        """All points of curves that search the same tables."""
        loaded = curves[0].loaded
        try:
            with ExitStack() as stack:
                with self._call.watch.part("read"):
                    engine, prepared = stack.enter_context(self._opened(loaded))
                self._warnings |= dict.fromkeys(prepared.warnings)
                self._search(engine, prepared, curves)
        except NoReleaseError as error:
            for curve in curves:
                self._describe(curve, 0)
                self._points[curve.name] = [
                    _point(curve, k, limit, None, status="no-release", problem=loaded.redact(str(error)))
                    for limit, k in self._asked(curve)
                ]
        except KanonError as error:
            error.redact(loaded.redact)
            raise

    def data(self) -> Json:
        """Everything, in the order of the plan."""
        names = [curve.name for config in self._plan.curves for curve in config]
        points = [asdict(point) for name in names for point in self._points[name]]
        seconds = self._call.watch.report()
        return {
            "series": [self._series[name] for name in names],
            "k": list(self._plan.ks),
            "limits": list(dict.fromkeys(point["limit"] for point in points)),
            "points": points,
            "warnings": [*self._warnings, *(f"{note} ({_some(places)})" for note, places in self._notes.items())],
            "seconds": {name: seconds.get(name, 0.0) for name in ("read", "search", "total")},
        }

    def _search(self, engine: Engine, prepared: SearchProblem, curves: Sequence[Curve]) -> None:
        asked = [(curve, limit, k) for curve in curves for limit, k in self._asked(curve)]
        found: dict[tuple[str, int, int | None], Point] = {}
        for curve in curves:
            self._describe(curve, prepared.n)
            self._points[curve.name] = []

        def done() -> float:
            return 100 * sum(len(self._points[curve.name]) for curve in curves) / len(asked)

        with self._call.step("search", f"searching {len(asked)} points", done):
            for curve, limit, k in asked:
                rows = SuppressionConfig(limit=limit).rows(prepared.n)
                asked_k = searched_k(curve.loaded.config, k)
                request = replace(request_of(curve.loaded.config, prepared.n), k=asked_k, limit=rows)
                algorithm = curve.loaded.config.algorithm
                suppresses = algorithm.declared.suppresses or algorithm.strata
                key = (curve.name, k, request.limit if suppresses else None)
                if key not in found:
                    found[key] = self._solve(engine, prepared, curve, limit, request)
                self._points[curve.name].append(replace(found[key], limit=limit, limit_rows=request.limit))

    def _solve(self, engine: Engine, prepared: SearchProblem, curve: Curve, limit: Limit, request: Request) -> Point:
        start = time.perf_counter()
        algorithm, deadline = curve.loaded.config.algorithm, Deadline(self._call.time_limit)
        result = prepared.solve(engine, algorithm, request, deadline, self._call.progress)
        known: Json = {"seconds": round(time.perf_counter() - start, 4)}
        try:
            result.require()
        except (NoReleaseError, OutOfTimeError) as error:
            status = "no-release" if isinstance(error, NoReleaseError) else "timed-out"
            return _point(curve, request.k, limit, request.limit, status=status, problem=str(error), **known)
        loss, proven = result.describe_loss(), result.describe_search()["proven"]
        unproven = () if proven or not _full_domain(curve) else (_UNPROVEN,)
        for note in (*result.notes, *unproven):
            self._notes.setdefault(note, []).append(f"{curve.name}, k = {request.k}, limit {limit}")
        known |= {key: loss[key] for key in ("c_avg", "lm", "ncp", "discernibility")}
        known |= {"suppressed": result.suppressed, "classes": result.class_count(), "proven": proven}
        return _point(curve, request.k, limit, request.limit, status="released", **known)

    def _asked(self, curve: Curve) -> list[tuple[Limit, int]]:
        limits = self._plan.limits or (curve.loaded.config.suppression.limit,)
        return [(limit, k) for limit in limits for k in self._plan.ks]

    def _describe(self, curve: Curve, rows: int) -> None:
        config = curve.loaded.config
        self._series[curve.name] = {
            "name": curve.name,
            "configuration": curve.configuration,
            "algorithm": config.algorithm.describe(),
            "quasi_identifiers": list(config.quasi_identifiers),
            "rows": rows,
        }


def _full_domain(curve: Curve) -> bool:
    return curve.loaded.config.algorithm.declared.full_domain


def _some(places: Sequence[str]) -> str:
    return places[0] + (f"; and {len(places) - 1} more" if len(places) > 1 else "")


def _point(curve: Curve, k: int, limit: Limit, limit_rows: int | None, **known: Any) -> Point:
    algorithm = curve.loaded.config.algorithm.name
    return Point(curve.name, curve.configuration, algorithm, k, limit, limit_rows, **known)


def write_outputs(data: Json, outputs: Outputs) -> None:
    """Writes the files that were asked for; those that are there are replaced. Raises EngineError."""
    if outputs.table is not None and outputs.table.suffix.lower() == ".csv":
        _write_csv(outputs.table, data["points"])
    elif outputs.table is not None:
        write_json(outputs.table, data)
    if outputs.plot is not None:
        write_plot(outputs.plot, data)
    if outputs.report is not None:
        write_json(outputs.report, data)


def _write_csv(path: Path, points: Sequence[Json]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Point)], lineterminator="\n")
    writer.writeheader()
    for point in points:
        writer.writerow({key: str(value).lower() if isinstance(value, bool) else value for key, value in point.items()})
    write_output(path, text.getvalue(), "table")
