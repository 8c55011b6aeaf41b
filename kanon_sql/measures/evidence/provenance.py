"""What somebody needs to come to the same counts again: configuration, digests, statements, versions, machine."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from kanon_sql.config.arguments import to_yaml
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.builtin import describe
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.hierarchy.ready import find_hierarchy, hierarchies_folder
from kanon_sql.measures.evidence.recounts import recounts_of
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.report.page.model import Evidence, FileFacts, HierarchyFacts, PageFacts
from kanon_sql.source.model import Source
from kanon_sql.targets.files import file_of, salted, sha256

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldReport


def evidence_of(subject: ReleasePair, report: ToldReport) -> Evidence:
    """The evidence of a release; `report` is its JSON report. Raises EngineError for files that cannot be read."""
    rows, salt = report["rows"], report["source"].get("salt")
    return Evidence(
        configuration=to_yaml(report["configuration"]),
        source=_source(subject.source, report, salt),
        release=_file(
            subject.release,
            report["release"]["target"],
            report["release"]["sha256"],
            rows["released"] + (rows["masked"] or 0),
        ),
        hierarchies=tuple(
            _hierarchy(subject, name, spec, hierarchy, salt) for name, (spec, hierarchy) in subject.hierarchies.items()
        ),
        recounts=recounts_of(subject, report),
        versions=(
            ("kanon-sql", report["version"]),
            ("DuckDB", duckdb.__version__),
            ("sqlglot", version("sqlglot")),
            ("Python", platform.python_version()),
        ),
        machine=(
            ("system", f"{platform.system()} {platform.release()}"),
            ("processor", f"{platform.machine()}, {os.cpu_count()} cores"),
            ("begun", report["created"]),
        ),
        ledger=_ledger(report),
    )


def with_report(facts: PageFacts, report: ToldReport) -> PageFacts:
    """The facts with the report as it is at the end of the run, which alone knows the entry of a ledger."""
    evidence = facts.evidence
    if evidence is not None:
        evidence = replace(evidence, ledger=_ledger(report))
    return replace(facts, report=report, evidence=evidence)


def _ledger(report: ToldReport) -> tuple[tuple[str, str], ...]:
    entry = report.get("ledger")
    if not entry:
        return ()
    earlier = ", ".join(map(str, entry["earlier"])) or "none"
    built_on = () if entry["built_on"] is None else (("built on release", str(entry["built_on"])),)
    numbers = (("release", str(entry["id"])), ("earlier releases of the source", earlier))
    return (("ledger", entry["path"]), *numbers, *built_on)


def _source(table: Source | None, report: ToldReport, salt: str | None) -> FileFacts:
    """What may be told of the source: its digest salted, and no size."""
    digest = report["source"]["sha256"]
    shown = None if digest is None or salt is None else salted(digest, salt)
    note = _why_no_digest(table) if shown is None else None
    return FileFacts(report["source"]["table"] or "", rows=report["rows"]["source"], note=note, salted=shown)


def _file(table: Source | None, label: str | None, digest: str | None, rows: int | None) -> FileFacts:
    """What is known of a table; of one that is gone its label and its digest."""
    file = None if table is None else file_of(table)
    note = None
    if digest is None:
        note = _why_no_digest(table)
    size = None
    if file is not None:
        try:
            size = file.stat().st_size
        except OSError:
            note = "its size could not be read"
    return FileFacts(label or "", digest, size, rows, note)


def _why_no_digest(table: Source | None) -> str:
    if table is None:
        return "the release took its place"
    if len(table.files) > 1 or table.folder is not None:
        return f"{len(table.files):,} files have no digest together"
    return "no single file"


def _hierarchy(
    subject: ReleasePair, name: str, spec: QuasiIdentifier, hierarchy: Hierarchy | None, salt: str | None
) -> HierarchyFacts:
    """A hierarchy with the SHA-256 of its file, salted as it may list the source's values; else told by its options."""
    if hierarchy is None or spec.hierarchy is None:
        origin = "no hierarchy: by the order of the values" if spec.builtin is None else describe(spec)
        steps = [len(entries) for entries in (spec.keep, spec.widths, spec.levels, spec.below) if entries]
        return HierarchyFacts(name, origin, "", sum(steps) + (spec.builtin is not None))
    path = find_hierarchy(spec.hierarchy, subject.loaded.base)
    assert isinstance(path, Path)
    ready = path.is_relative_to(hierarchies_folder())
    origin = subject.loaded.redact(f"ready hierarchy {path.stem}" if ready else spec.hierarchy)
    digest = sha256(path)
    return HierarchyFacts(name, origin, "" if salt is None else salted(digest, salt), len(hierarchy.levels) - 1)
