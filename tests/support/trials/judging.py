"""Judges a run by what it leaves: its exit status, its words, and the bytes of the release.

Nothing here is shared with the package: the bytes are read by trials.judging_bytes, what should stand there is worked
out by trials.judging_classes from what the case knows of its own rows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from trials.judging_bytes import canonical, cells, released
from trials.judging_classes import ReleasedCase, by_key, share
from trials.judging_ranges import covers, grouped, unmatched
from trials.making import FULL_DOMAIN, Case, Column

Json = dict[str, Any]
DOCUMENTED = {0, 1, 2, 3, 4, 130}
_LINE = re.compile(r"kanon-sql: (error|warning|enough would be|less loss)\b.*|  --set .*|  without .*")
_MOST_NODES = 400


@dataclass(frozen=True)
class Ended:
    """What a run ended with."""

    status: Any
    out: str
    err: str


def files(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder; None for a folder."""
    paths = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in paths}


def judge(case: Case, folder: Path, before: dict[str, bytes | None], ended: Ended) -> list[str]:
    """What is not as it should be, a line each."""
    faults = [*_words(case, ended), *_left(case, before, files(folder), ended)]
    if faults or ended.status not in (0, 1):
        return faults
    report = _report(folder)
    if report is None:
        return ["there is no report"]
    if ended.status == 1:
        return list(_nothing_else(case, report))
    return list(_judged(case, folder, report))


def _words(case: Case, ended: Ended) -> Iterator[str]:
    """The status and what was said."""
    lines = ended.err.splitlines()
    if ended.status not in DOCUMENTED:
        yield f"exit status {ended.status!r} is none that is documented"
    if ended.status not in case.expected:
        why = case.wrong or "nothing is wrong"
        yield f"exit status {ended.status}, expected {sorted(case.expected)} ({why}): {ended.err[-600:]}"
    if "Traceback" in ended.err or "please report it" in ended.err:
        yield f"an error that nobody foresaw: {ended.err[-600:]}"
    odd = [line for line in lines if not _LINE.fullmatch(line)]
    if odd:
        yield f"a line of another form: {odd[0][:300]!r}"
    errors = [line for line in lines if line.startswith("kanon-sql: error: ")]
    if bool(errors) != (ended.status != 0):
        yield f"exit status {ended.status} with {len(errors)} errors: {ended.err[-300:]}"
    if "--quiet" in case.words and len(errors) < len(lines):
        yield f"more than errors, though quiet: {lines[0][:300]}"
    said = ended.err + ended.out
    leaked = [secret for secret in case.secrets if secret in said]
    leaked += [
        str(value)
        for column in case.columns
        for value in column.values
        if str(value).startswith("zq") and str(value) in ended.err
    ]
    if leaked:
        yield f"a value of the data is told: {leaked[0]!r} in {ended.err[-600:]}"


def _left(case: Case, before: dict[str, bytes | None], after: dict[str, bytes | None], ended: Ended) -> Iterator[str]:
    """What the folder holds afterwards."""
    written = ended.status == 0 and "--dry-run" not in case.words
    may = {"report.json", "ledger.duckdb"} | (_target(case, {**before, **after}) if written else set())
    gone = [name for name in before if name not in after and name not in may]
    changed = [name for name in before if name in after and after[name] != before[name] and name not in may]
    new = [name for name in after if name not in before and name not in may]
    for what, names in (("gone", gone), ("changed", changed), ("left behind", new)):
        if names:
            yield f"{what} after exit status {ended.status}: {names[:5]}"


def _target(case: Case, after: dict[str, bytes | None]) -> set[str]:
    target = case.config["target"]
    if target == "in-place" or (isinstance(target, dict) and target.get("in_place")):
        source = case.config["source"]
        place = source if isinstance(source, str) else source.get("path", source.get("database"))
        return {place, *(name for name in after if name.startswith(f"{place}/"))}
    return {target if isinstance(target, str) else target.get("path", target.get("database"))}


def _report(folder: Path) -> Json | None:
    path = folder / "report.json"
    if not path.exists():
        return None
    report: Json = json.loads(path.read_text(encoding="utf-8"))
    return report


def _nothing_else(case: Case, report: Json) -> Iterator[str]:
    """Whether there is really no release."""
    if report["status"] != "no-release":
        yield f"exit status 1, but the report says {report['status']}"
    if case.wrong and case.wrong != "huge":
        return
    case_classes = ReleasedCase(case)
    if case.algorithm in FULL_DOMAIN:
        blind = isinstance(case.config.get("algorithm"), dict) and case.config["algorithm"].get("blind")
        if blind:
            return
        for levels in case_classes.nodes if len(case_classes.nodes) <= _MOST_NODES else case_classes.nodes[-1:]:
            if case_classes.satisfies(levels):
                yield f"no release, though the levels {levels} satisfy"
                return
    elif (
        case_classes.rows
        and case_classes.holds(case_classes.rows)
        and not {"average_risk", "population_uniqueness"} & set(case_classes.privacy)
    ):
        yield "no release, though all rows as one class satisfy"


def _judged(case: Case, folder: Path, report: Json) -> Iterator[str]:
    """The release against the source, and the report against both."""
    if "--dry-run" in case.words:
        if report["status"] != "dry-run":
            yield f"a dry run whose report says {report['status']}"
        return
    try:
        table = released(case, folder)
    except Exception as error:
        yield f"the release cannot be read: {type(error).__name__}: {error}"
        return
    source = ReleasedCase(case, blank=table.blank or "" in case.missing or bool(case.dialect))
    others = case.of("sensitive", "insensitive", "pseudonym")
    names = [
        column.name for column in case.columns if column.role in ("quasi", "sensitive", "insensitive", "pseudonym")
    ]
    if table.names != names and (table.rows or table.names):
        yield f"columns {table.names}, expected {names}"
        return
    quasi = [column.name for column in source.quasi]
    released_rows = cells(table, [*quasi, *(column.name for column in others)]) if table.rows else []
    shown = [_shown(source, [*source.quasi, *others], row) for row in released_rows]
    yield from _bytes(source, report, shown)
    if case.algorithm in FULL_DOMAIN:
        yield from _levels(source, report, shown, others)
    else:
        yield from _classes(source, shown, others)


def _shown(source: ReleasedCase, columns: list[Column], row: tuple[Any, ...]) -> tuple[Any, ...]:
    width = len(source.quasi)
    labels = [source.label(column, cell) for column, cell in zip(columns[:width], row[:width], strict=True)]
    return (
        *labels,
        *(
            canonical(cell, column.shown_kind or column.kind, blank=source.blank)
            for column, cell in zip(columns[width:], row[width:], strict=True)
        ),
    )


def _bytes(source: ReleasedCase, report: Json, shown: list[tuple[Any, ...]]) -> Iterator[str]:
    """What the release alone tells, against what was asked for and the report."""
    width = len(source.quasi)
    rows = report["rows"]
    taking, masked = len(source.rows), rows["masked"]
    counts = {"source": source.case.rows, "missing": source.case.rows - taking, "released": len(shown) - masked}
    for key, number in counts.items():
        if rows[key] != number:
            yield f"the report has {rows[key]} rows under {key}, counted: {number}"
    if rows["suppressed"] != taking - counts["released"] or rows["suppressed"] > source.limit:
        yield f"{rows['suppressed']} rows suppressed, limit {source.limit}, released {counts['released']} of {taking}"
    sizes = Counter(row[:width] for row in shown)
    least = min(sizes.values(), default=0)
    if "known_columns" not in source.privacy and least < source.k:
        yield f"a class of {least} rows, k = {source.k}"
    if not shown:
        yield "a release without rows"
    everywhere = ("*",) * width
    if masked:
        sizes[everywhere] -= masked
    counted = sorted(size for size in sizes.values() if size)
    classes = report["classes"]
    if counted and (classes["count"], classes["min"], classes["max"]) != (len(counted), counted[0], counted[-1]):
        yield f"the report has the classes {classes}, counted: {len(counted)}, {counted[0]} to {counted[-1]}"
    risk = Fraction(len(counted), max(1, sum(counted)))
    if "average_risk" in source.privacy and risk > share(source.privacy["average_risk"]["at_most"]):
        yield f"an average risk of {risk}"


def _levels(source: ReleasedCase, report: Json, shown: list[tuple[Any, ...]], others: list[Column]) -> Iterator[str]:
    """Every row, as it must be at the levels that the report names."""
    chosen = report["solution"]["levels"]
    levels = tuple(chosen[column.name] for column in source.quasi)
    if levels not in source.nodes:
        yield f"the levels {levels} are not allowed"
        return
    expected = source.at(levels)
    if not source.satisfies(levels):
        yield f"the levels {levels} do not satisfy"
    rows = [(*labels, *_others(source, others, i)) for i, labels in expected.labels.items()]
    lacking, beyond = Counter(rows) - Counter(shown), Counter(shown) - Counter(rows)
    if lacking or beyond:
        examples = f"{list(lacking)[:2]} {list(beyond)[:2]}"
        yield f"at the levels {levels} {sum(lacking.values())} rows lack, {sum(beyond.values())} are beyond: {examples}"
    if report["rows"]["suppressed"] != expected.suppressed or report["rows"]["masked"] != expected.masked:
        yield f"suppressed, masked: {report['rows']}, expected {expected.suppressed}, {expected.masked}"
    if "known_columns" not in source.privacy:
        least = min((source.counted(rows) for rows in by_key(expected.labels).values()), default=0)
        if report["privacy"].get("k", {}).get("actual", least) != least:
            yield f"the report has k = {report['privacy']['k']}, counted: {least}"


def _others(source: ReleasedCase, others: list[Column], row: int) -> tuple[Any, ...]:
    return tuple(
        canonical((column.shown or column.values)[row], column.shown_kind or column.kind, blank=source.blank)
        for column in others
    )


def _classes(original: ReleasedCase, shown: list[tuple[Any, ...]], others: list[Column]) -> Iterator[str]:
    """Every row is a generalization of another row of the source; classes hold the models by their own values."""
    width = len(original.quasi)
    config = original.case.config["quasi_identifiers"]
    micro = original.case.algorithm == "microaggregation"
    entries = [config[column.name] if isinstance(config[column.name], dict) else {} for column in original.quasi]
    compared = [
        place
        for place, entry in enumerate(entries)
        if entry.get("aggregate", "mean" if micro else None) in (None, "interval")
    ]
    source = grouped([(_others(original, others, i), i) for i in original.rows])
    release = grouped([(row[width:], row[:width]) for row in shown])
    if {key: len(rows) for key, rows in source.items()} != {key: len(rows) for key, rows in release.items()}:
        yield f"other values than the source has: {list(set(source) ^ set(release))[:2]}"
        return
    columns = [original.quasi[place] for place in compared]
    intervals = {place for place, entry in enumerate(entries) if entry.get("aggregate") == "interval"}

    def fits(labels: tuple[Any, ...], i: int) -> bool:
        return all(
            covers(labels[place], original.value(column, i), column.tree and original.tree(column))
            or (original.blank and labels[place] is None and original.value(column, i) == "")
            or (place in intervals and original.value(column, i) is None)
            for place, column in zip(compared, columns, strict=True)
        )

    for key, rows in release.items():
        alone = unmatched(rows, source[key], fits)
        if alone:
            yield f"{alone} of {len(rows)} rows are no generalization of a row of the source: {rows[:3]}"
            return
    yield from _models(original, shown, others)


def _models(source: ReleasedCase, shown: list[tuple[Any, ...]], others: list[Column]) -> Iterator[str]:
    """The models of sensitive columns, by the values that each class shows."""
    if "entity" in source.privacy:
        return
    width = len(source.quasi)
    numbers = {(_others(source, others, i)): i for i in source.rows}  # a row of the source with these values
    for labels, rows in grouped([(row[:width], row[width:]) for row in shown]).items():
        if not all(reached[0] for reached in source.reached([numbers[row] for row in rows])):
            yield f"a class violates a model: {labels}"
