"""What a trial came to: a refusal that changes nothing, a release that holds, or a loss."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from trials.files_cases import Case
from trials.files_pool import HEAD

Json = dict[str, Any]
Read = Callable[..., Sequence[Json]]  # the rows of a file, of a table and in columns, as its readers find them
_QUASI = ("sex", "age", "zip")
_LINE = re.compile(r"kanon-sql: (error|warning): \S.*")


@dataclass(frozen=True)
class Outcome:
    """What a trial came to; a loss with what was seen."""

    name: str
    loss: bool = False
    seen: str = ""


class Lost(Exception):  # noqa: N818 - what it is, not that it is an error
    """A loss: its kind, and what was seen."""

    def __init__(self, name: str, seen: str) -> None:
        super().__init__(name)
        self.outcome = Outcome(name, loss=True, seen=seen[-1500:])


def snapshot(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def judge(case: Case, folder: Path, answer: Json, read: Read) -> Outcome:
    """What a trial came to in its folder."""
    try:
        return _judge(_as_configured(case), folder, answer, read)
    except Lost as lost:
        return lost.outcome


def _as_configured(case: Case) -> Case:
    """The case with the target that a damaged configuration names."""
    try:
        target = yaml.safe_load(case.files["config.yaml"])["target"]["path"]
    except (yaml.YAMLError, LookupError, TypeError, ValueError):
        return case
    return replace(case, result=target) if case.damaged == "config.yaml" and isinstance(target, str) else case


def _judge(case: Case, folder: Path, answer: Json, read: Read) -> Outcome:
    after = snapshot(folder)
    if answer["late"]:
        raise Lost("hung", f"{answer['wall']} s")
    if answer["signal"] is not None:
        lost = [name for name, data in case.files.items() if after.get(name) != data]
        if lost:
            raise Lost("engine crashed, files changed", f"{answer['signal']}: {lost}")
        return Outcome("engine crashed, nothing lost", seen=f"{answer['signal']} {answer['err'][-300:]}")
    _refuse_unclear(case, answer)
    status = answer["status"]
    if status not in (0, 1, 2, 3, 4):
        raise Lost("unknown status", f"{status} {answer['err']}")
    if status != 0 and (case.result is not None or status != 1):
        _refuse_changes(case, after, frozenset())
        if "internal error of the engine" in answer["err"]:
            return Outcome("refused, by an internal error of the engine")
        return Outcome({1: "refused: no release satisfies", 4: "refused: not verified"}.get(status, "refused"))
    if case.result is None:
        _refuse_changes(case, after, frozenset())
        return _measured(case, folder, answer, read)
    _refuse_changes(case, after, {case.result, *case.also})
    return _released(case, folder, answer, read)


def _refuse_unclear(case: Case, answer: Json) -> None:
    lines = answer["err"].splitlines()
    said = "\n".join(lines)
    if "Traceback" in said or answer["status"] == 70:
        raise Lost("traceback", said)
    if "error: unexpected " in said:
        raise Lost("no clear error", said)
    if any(not _LINE.fullmatch(line) and not line.startswith("kanon-sql: enough would be") for line in lines):
        raise Lost("no clear error", said)
    if answer["status"] not in (2, 3):
        return
    errors = [line for line in lines if ": error: " in line]
    # A value without a place in its hierarchy, and a type, are told with the column's place in the configuration.
    names = (case.damaged.removesuffix(".wal"), "is not covered", "are not covered", " is of type ")
    if not any(name in line for line in errors for name in names):
        raise Lost("error names no file", said or "nothing was said")


def _refuse_changes(case: Case, after: Mapping[str, bytes], allowed: frozenset[str] | set[str]) -> None:
    changed = sorted(name for name in {*case.files, *after} - allowed if after.get(name) != case.files.get(name))
    if changed:
        new = [name for name in changed if name not in case.files]
        what = "files left behind" if new == changed else "files changed"
        raise Lost(what, f"{changed}")


def _measured(case: Case, folder: Path, answer: Json, read: Read) -> Outcome:
    """A command that only reads."""
    if case.command in ("init", "compile", "releases"):
        return Outcome("measured")
    report = json.loads(answer["out"])
    if case.command == "risk":
        report = report["before"]
    reported = (report["rows"]["source"], report["classes"]["count"], report["classes"]["min"])
    tables = read(folder / case.source, case.table, _QUASI)
    for table in tables:
        if "rows" in table and {*_QUASI} <= {*table["columns"]}:
            places = [table["columns"].index(name) for name in _QUASI]
            classes = Counter(tuple(row[place] for place in places) for row in table["rows"])
            if reported == (len(table["rows"]), len(classes), min(classes.values(), default=0)):
                return _named("measured", table, tables)
    raise Lost("measured wrong", f"{reported}, {[_said(table) for table in tables]}")


def _said(table: Json) -> str:
    return f"{table['reader']}: " + (f"{len(table['rows'])} rows" if "rows" in table else table["error"][-200:])


def _named(what: str, table: Json, tables: Sequence[Json]) -> Outcome:
    if table is tables[0] or table["reader"] != "engine":
        return Outcome(f"{what}, as others read it")
    return Outcome(f"{what}, as the engine alone reads it", seen=_said(tables[0]))


def _released(case: Case, folder: Path, answer: Json, read: Read) -> Outcome:
    report = json.loads(answer["out"])
    if report["status"] != "released":
        raise Lost("no report of a release", answer["out"][:300])
    config = yaml.safe_load(case.files["config.yaml"])
    levels = report["solution"]["levels"]
    released = _cells(read(folder / str(case.result), case.result_table, like=case.source)[0])
    tables = _read_again(case, folder / "before", case.files, read)
    for table in tables:
        if "rows" in table and released == expected(table, config, levels, case.files):
            outcome = _named("released", table, tables)
            whole = {**case.files, case.damaged: case.whole}
            if outcome.seen and released == expected(
                _read_again(case, folder / "whole", whole, read)[0], config, levels, whole
            ):
                return Outcome("released, as the whole file reads")
            return outcome
    raise Lost("released wrong", f"{sum(released.values())} rows, {[_said(table) for table in tables]}")


def _read_again(case: Case, folder: Path, files: Mapping[str, bytes], read: Read) -> Sequence[Json]:
    """The rows of the source as it was among these files."""
    folder.mkdir()
    for name in (case.source, f"{case.source}.wal"):
        if name in files:
            (folder / name).write_bytes(files[name])
    return read(folder / case.source, case.table)


def _cells(table: Json) -> Counter[tuple[str, ...]]:
    """The rows of a release in the order of HEAD."""
    if "rows" not in table:
        raise Lost("release cannot be read", table["error"])
    return Counter(_in_order(table["columns"], row) for row in table["rows"])


def _in_order(columns: Sequence[str], row: Sequence[str]) -> tuple[str, ...]:
    named = dict(zip(columns, row, strict=True))
    return tuple(_cost(named[name]) if name == "cost" else named[name] for name in HEAD if name in named)


def _cost(text: str) -> str:
    try:
        return repr(float(text))
    except ValueError:
        return text


def expected(
    table: Json, config: Json, levels: Mapping[str, int], files: Mapping[str, bytes]
) -> Counter[tuple[str, ...]]:
    """The rows that a release at these levels holds, worked out anew."""
    hierarchies = config["quasi_identifiers"]
    records = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    for name in hierarchies:
        label = labels(hierarchies[name], levels[name], files)
        for row in records:
            row[name] = label(row[name])
    sizes = Counter(tuple(row[name] for name in hierarchies) for row in records)
    released = {name for name in HEAD if name not in config.get("identifiers", [])}
    return Counter(
        tuple(_cost(row[name]) if name == "cost" else row[name] for name in HEAD if name in released)
        for row in records
        if sizes[tuple(row[name] for name in hierarchies)] >= config["privacy"]["k"]
    )


def labels(how: Any, level: int, files: Mapping[str, bytes]) -> Callable[[str], str]:
    """What a value becomes at a level; the empty text is NULL."""
    if isinstance(how, str):
        lines = csv.reader(io.StringIO(files[how].decode("utf-8", errors="replace"), newline=""))
        branches = {line[0]: [*line, "*"] for line in lines if line}
        return lambda value: branches[value][level] if value in branches else value
    steps: list[int] = {"intervals": how.get("widths"), "prefix": how.get("keep")}.get(how["builtin"]) or []
    if level > len(steps):
        return lambda value: "*"
    if level == 0:
        return lambda value: value
    step = steps[level - 1]
    if how["builtin"] == "prefix":
        return lambda value: value[:step] + "*" * (len(value) - step)
    return lambda value: f"{int(value) // step * step}-{int(value) // step * step + step - 1}" if value else ""
