"""What a sweep is asked for: configurations, k and limits, files to write; checked at once, before any work."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kanon_sql.config.load import LoadedConfig, Overrides
from kanon_sql.config.model import AlgorithmConfig, SuppressionConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.sweep import refuse_plot
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs

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
        refuse_outputs([one for group in loaded for one in group], outputs.given())
    if not configs:
        problems.append("expected at least one configuration")
    if problems:
        raise ConfigurationError(dict.fromkeys(problems))
    refuse_missing_folders(outputs.given())
    return Plan(_named(loaded), read_ks, read_limits)


def _read_ks(ks: Iterable[int | str], problems: list[str]) -> tuple[int, ...]:
    """Sorted, each once."""
    found = set()
    for given in ks:
        text = str(given).strip()
        if re.fullmatch("[0-9]{1,18}", text) and int(text) > 0:
            found.add(int(text))
        else:
            problems.append(f"--k {_quoted(text)}: expected whole numbers of 1 or more, such as --k 2,10,20")
    if not found and not problems:
        problems.append("--k: expected at least one number, such as --k 2,10,20")
    return tuple(sorted(found))


def _read_limits(limits: Iterable[Limit], problems: list[str]) -> tuple[Limit, ...]:
    """As they were asked for, each once; a number of rows is an int, a share a text."""
    found: dict[Limit, None] = {}
    for given in limits:
        value = given.strip() if isinstance(given, str) else given
        try:
            found[SuppressionConfig(limit=value).limit] = None
        except ValidationError as error:
            said = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            problems.append(f"--limit {_quoted(str(value))}: {said}")
    if not found and not problems:
        problems.append("--limit: expected at least one limit, such as --limit 0,20,1%")
    return tuple(found)


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
    for algorithm in (one for place, one in enumerate(chosen) if one not in chosen[:place]):
        found: list[str] = []
        with _noted(found):
            more = () if algorithm is None else (("algorithm", algorithm),)
            loaded.append(load(config, (*overrides, *more)))
        problems += [problem if algorithm is None else _by_option(problem) for problem in found]
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
            part for part, shown in ((config, len(loaded) > 1), (_label(one.config.algorithm), by_algorithm)) if shown
        )
        for config, group in zip(configs, loaded, strict=True)
        for one in group
    ]
    unique = iter(_numbered(names))
    return tuple(tuple(Curve(next(unique), one) for one in group) for group in loaded)


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
    said = ", ".join(f"{key} {value}" for key, value in options.items())
    return f"{algorithm.name} ({said})" if said else algorithm.name
