"""What a sweep is asked for: configurations, k and limits, files to write; checked at once, before any work.

A sweep: searches for many k and suppression limits on a source that is read once; nothing is released.
"""

from __future__ import annotations

import csv
import io
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from kanon_sql.config.load import LoadedConfig, Overrides
from kanon_sql.config.model import AlgorithmConfig, SuppressionConfig
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError, OutOfTimeError
from kanon_sql.report.call import Call
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.sweep import refuse_plot, write_plot
from kanon_sql.report.report import write_json
from kanon_sql.search.prepare import request_of, searched_k
from kanon_sql.search.problem import Request, SearchProblem
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs
from kanon_sql.targets.staging_permissions import write_output

if TYPE_CHECKING:
    from kanon_sql.results.searched import SweepPoint, SweepReport, SweptSeries

DEFAULT_KS = (2, 3, 5, 10, 20, 50, 100)
TABLES = (".csv", ".json")

Limit = int | str
Given = str | os.PathLike[str] | Mapping[str, Any]
Load = Callable[[Given, Overrides], LoadedConfig]


@dataclass(frozen=True)
class Curve:
    """A configuration with one algorithm, and the name of its series in tables and drawings."""

    name: str
    loaded: LoadedConfig

    @property
    def configuration(self) -> str:
        """The configuration's file, as it can be shown and written."""
        return clean(self.loaded.name)


@dataclass(frozen=True)
class Outputs:
    """The files to write: the table as CSV or JSON, the drawing, the report."""

    table: Path | None = None
    plot: Path | None = None
    report: Path | None = None

    def given(self) -> list[tuple[str, Path]]:
        """The option that each file was named by, and the file."""
        named = (("--output", self.table), ("--plot", self.plot), ("--report", self.report))
        return [(option, path) for option, path in named if path is not None]


@dataclass(frozen=True)
class Plan:
    """A sweep: `curves` with one list for each configuration; without `limits` each configuration's own holds."""

    curves: tuple[tuple[Curve, ...], ...]
    ks: tuple[int, ...]
    limits: tuple[Limit, ...] | None


def plan_sweep(
    load: Load,
    configs: Sequence[Given],
    ks: Iterable[int | str],
    limits: Iterable[Limit] | None,
    algorithms: Sequence[str | Mapping[str, Any]],
    overrides: Overrides,
    outputs: Outputs,
) -> Plan:
    """Loads every configuration with every algorithm.

    Raises ConfigurationError with the problems of all of them, of `ks` and `limits` and of the files to write,
    EngineError where the folder of such a file does not exist.
    """
    problems: list[str] = []
    read_ks, read_limits = _read_ks(ks, problems), None if limits is None else _read_limits(limits, problems)
    _refuse_files(outputs, problems)
    loaded = [_load_all(load, config, algorithms, tuple(overrides), problems) for config in configs]
    with _noted(problems):
        refuse_outputs([loaded_config for group in loaded for loaded_config in group], outputs.given())
    if not configs:
        problems.append("expected at least one configuration")
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    refuse_missing_folders(outputs.given())
    return Plan(_named(loaded), read_ks, read_limits)


def _read_ks(ks: Iterable[int | str], problems: list[str]) -> tuple[int, ...]:
    """Sorted, each once."""
    numbers = set()
    for given in ks:
        text = str(given).strip()
        if re.fullmatch("[0-9]{1,18}", text) and int(text) > 0:
            numbers.add(int(text))
        else:
            problems.append(f"--k {_quoted(text)}: expected whole numbers of 1 or more, such as --k 2,10,20")
    if not numbers and not problems:
        problems.append("--k: expected at least one number, such as --k 2,10,20")
    return tuple(sorted(numbers))


def _read_limits(limits: Iterable[Limit], problems: list[str]) -> tuple[Limit, ...]:
    """As they were asked for, each once; a number of rows is an int, a share a text."""
    distinct_limits: dict[Limit, None] = {}
    for given in limits:
        value = given.strip() if isinstance(given, str) else given
        try:
            distinct_limits[SuppressionConfig(limit=value).limit] = None
        except ValidationError as error:
            message = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            problems.append(f"--limit {_quoted(str(value))}: {message}")
    if not distinct_limits and not problems:
        problems.append("--limit: expected at least one limit, such as --limit 0,20,1%")
    return tuple(distinct_limits)


def _quoted(text: str) -> str:
    return text if text and text.isprintable() else repr(text)


def _refuse_files(outputs: Outputs, problems: list[str]) -> None:
    """A suffix that says nothing, a drawing that cannot be made, one file for two purposes."""
    if outputs.table is not None and outputs.table.suffix.lower() not in TABLES:
        problems.append(f"--output {outputs.table}: expected a file that ends in .csv or .json")
    if outputs.plot is not None:
        with _noted(problems):
            refuse_plot(outputs.plot)
    problems += named_twice(outputs.given())


def _load_all(
    load: Load,
    config: Given,
    algorithms: Sequence[str | Mapping[str, Any]],
    overrides: tuple[tuple[str, Any], ...],
    problems: list[str],
) -> list[LoadedConfig]:
    """The configuration once for each algorithm, as far as it loads."""
    loaded = []
    chosen: list[str | Mapping[str, Any] | None] = [*algorithms] or [None]
    for algorithm in (candidate for place, candidate in enumerate(chosen) if candidate not in chosen[:place]):
        messages: list[str] = []
        with _noted(messages):
            more = () if algorithm is None else (("algorithm", algorithm),)
            loaded.append(load(config, (*overrides, *more)))
        problems += [problem if algorithm is None else _by_option(problem) for problem in messages]
    return loaded


def _by_option(problem: str) -> str:
    """The problem of an override, named by the option that made it."""
    return (
        "--algorithm" + problem.removeprefix("--set algorithm") if problem.startswith("--set algorithm:") else problem
    )


@contextmanager
def _noted(problems: list[str]) -> Iterator[None]:
    try:
        yield
    except ConfigurationError as error:
        problems += error.problems


def _named(loaded: Sequence[Sequence[LoadedConfig]]) -> tuple[tuple[Curve, ...], ...]:
    """The series by what tells them apart: the configuration, the algorithm, or both."""
    configs = _told_apart([group[0].name for group in loaded])
    by_algorithm = len(loaded) == 1 or any(len(group) > 1 for group in loaded)
    names = [
        " ".join(
            part
            for part, shown in ((config, len(loaded) > 1), (_label(loaded_config.config.algorithm), by_algorithm))
            if shown
        )
        for config, group in zip(configs, loaded, strict=True)
        for loaded_config in group
    ]
    unique = iter(_numbered(names))
    return tuple(tuple(Curve(next(unique), loaded_config) for loaded_config in group) for group in loaded)


def _told_apart(names: Sequence[str]) -> list[str]:
    """File names without suffix, or where two have the same the whole paths."""
    plain = [clean(name.strip("<>")) for name in names]
    stems = [Path(name).stem for name in plain]
    return stems if len(set(stems)) == len(stems) else plain


def _numbered(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return numbered


def _label(algorithm: AlgorithmConfig) -> str:
    """The algorithm with the options that were given."""
    options = algorithm.model_dump(exclude_none=True, exclude_unset=True, exclude={"name"})
    settings = ", ".join(f"{key} {value}" for key, value in options.items())
    return f"{algorithm.name} ({settings})" if settings else algorithm.name


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


def run_plan(plan: Plan, opened: Opened, call: Call) -> SweepReport:
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
        self._series: dict[str, SweptSeries] = {}
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

    def data(self) -> SweepReport:
        """Everything, in the order of the plan."""
        names = [curve.name for config in self._plan.curves for curve in config]
        points = [cast("SweepPoint", asdict(point)) for name in names for point in self._points[name]]
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
        wanted = [(curve, limit, k) for curve in curves for limit, k in self._asked(curve)]
        solved: dict[tuple[str, int, int | None], Point] = {}
        for curve in curves:
            self._describe(curve, prepared.n)
            self._points[curve.name] = []

        def done() -> float:
            return 100 * sum(len(self._points[curve.name]) for curve in curves) / len(wanted)

        with self._call.step("search", f"searching {len(wanted)} points", done):
            for curve, limit, k in wanted:
                rows = SuppressionConfig(limit=limit).rows(prepared.n)
                asked_k = searched_k(curve.loaded.config, k)
                request = replace(request_of(curve.loaded.config, prepared.n), k=asked_k, limit=rows)
                algorithm = curve.loaded.config.algorithm
                suppresses = algorithm.declared.suppresses or algorithm.strata
                key = (curve.name, k, request.limit if suppresses else None)
                if key not in solved:
                    solved[key] = self._solve(engine, prepared, curve, limit, request)
                self._points[curve.name].append(replace(solved[key], limit=limit, limit_rows=request.limit))

    def _solve(self, engine: Engine, prepared: SearchProblem, curve: Curve, limit: Limit, request: Request) -> Point:
        start = time.perf_counter()
        algorithm, deadline = curve.loaded.config.algorithm, Deadline(self._call.time_limit)
        result = prepared.solve(engine, algorithm, request, deadline, self._call.progress)
        figures: dict[str, Any] = {"seconds": round(time.perf_counter() - start, 4)}
        try:
            result.require()
        except (NoReleaseError, OutOfTimeError) as error:
            status = "no-release" if isinstance(error, NoReleaseError) else "timed-out"
            return _point(curve, request.k, limit, request.limit, status=status, problem=str(error), **figures)
        loss, proven = result.describe_loss(), result.describe_search()["proven"]
        unproven = () if proven or not _full_domain(curve) else (_UNPROVEN,)
        for note in (*result.notes, *unproven):
            self._notes.setdefault(note, []).append(f"{curve.name}, k = {request.k}, limit {limit}")
        figures |= {key: loss[key] for key in ("c_avg", "lm", "ncp", "discernibility")}
        figures |= {"suppressed": result.suppressed, "classes": result.class_count(), "proven": proven}
        return _point(curve, request.k, limit, request.limit, status="released", **figures)

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


def _point(curve: Curve, k: int, limit: Limit, limit_rows: int | None, **figures: Any) -> Point:
    algorithm = curve.loaded.config.algorithm.name
    return Point(curve.name, curve.configuration, algorithm, k, limit, limit_rows, **figures)


def write_outputs(data: SweepReport, outputs: Outputs) -> None:
    """Writes the files that were asked for; those that are there are replaced. Raises EngineError."""
    if outputs.table is not None and outputs.table.suffix.lower() == ".csv":
        _write_csv(outputs.table, data["points"])
    elif outputs.table is not None:
        write_json(outputs.table, data)
    if outputs.plot is not None:
        write_plot(outputs.plot, data)
    if outputs.report is not None:
        write_json(outputs.report, data)


def _write_csv(path: Path, points: Sequence[SweepPoint]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Point)], lineterminator="\n")
    writer.writeheader()
    for point in points:
        writer.writerow({key: str(value).lower() if isinstance(value, bool) else value for key, value in point.items()})
    write_output(path, text.getvalue(), "table")
