"""Releases that are there: two of them joined, the ledger, new data at the levels of an old release, the page.

Releases over time: two of them joined, the ledger, and new data released at the levels of an old release.

The page of a release that is there: what `kanon-sql report` does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.api.running import telling
from kanon_sql.commands.apply import ApplyRequest, apply_release
from kanon_sql.commands.link import PairRequest, run_check
from kanon_sql.commands.report import describe_release
from kanon_sql.errors import ConfigurationError
from kanon_sql.ledger.earlier import settle_open
from kanon_sql.ledger.ledger import Entry, find_entry, read_ledger
from kanon_sql.progress import Progress
from kanon_sql.report.call import Call
from kanon_sql.report.page.page import page_text, write_page
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.targets.outputs import refuse_outputs


@without_causes
def check_releases(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    quasi_identifiers: Sequence[str] = (),
    *,
    on: Sequence[str] = (),
    k: int | None = None,
    source: str | os.PathLike[str] | None = None,
    config: Configuration | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Joins two releases of the same rows: what `kanon-sql releases check --json` prints.

    Rows match when they are equal in the columns `on` and their values of the quasi-identifiers overlap, through the
    hierarchies of `config`, which also stands in for `quasi_identifiers` and `k`. "status" is "violated" where a
    combined tuple stands for fewer than k rows: at most, or with `source` counted there. Raises the errors of
    kanon_sql.errors.
    """
    loaded = None if config is None else load(config, overrides)
    if k is None:
        if loaded is None:
            raise ConfigurationError("k is not given; expected k, or a configuration with privacy.k")
        k = loaded.config.privacy.k
    call = Call.of(options, progress, report=report)
    given = None if source is None else Path(source)
    request = PairRequest(Path(first), Path(second), quasi_identifiers, on, k, given)
    read = [("the first release", request.first), ("the second release", request.second), ("the source", given)]
    refuse_outputs([loaded] if loaded else [], [("--report", call.report)], read)
    return call.write(run_check(request, loaded, call))


@without_causes
def list_releases(ledger: str | os.PathLike[str]) -> dict[str, Any]:
    """The releases of a ledger, or of the ledger that a configuration names: `kanon-sql releases list --json`.

    Raises ConfigurationError and EngineError.
    """
    path, entries = _ledger(ledger)
    return {"ledger": str(path), "releases": [entry.to_dict() for entry in entries]}


@without_causes
def show_release(ledger: str | os.PathLike[str], number: int) -> dict[str, Any]:
    """One release of a ledger: what `kanon-sql releases show --json` prints. Raises ConfigurationError, EngineError."""
    path, entries = _ledger(ledger)
    return find_entry(entries, number, path).to_dict()


@without_causes
def apply(
    number: int,
    data: str | os.PathLike[str],
    *,
    ledger: str | os.PathLike[str] = "ledger.duckdb",
    output: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    strict: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Releases new data at the levels of release `number` of a ledger: what `kanon-sql apply --json` prints.

    What the new release and each earlier one have in common, what was added and what was removed satisfy k and every
    model as the release itself does; rows that cannot be released so yet are suppressed. `ledger` may be a
    configuration that names one. Without `output` the release goes beside the first, with a number. With `strict` a
    warning raises WarnedError, as in `run`. Raises the errors of kanon_sql.errors; an existing target and the ledger
    are then untouched.
    """
    call = replace(Call.of(options, progress, time_limit, report), strict=strict)
    path, entries = _ledger(ledger)
    if any(entry.state == "open" for entry in entries):
        settle_open(path, "LEDGER", call.options)
        path, entries = _ledger(ledger)
    target = None if output is None else Path(output)
    return apply_release(ApplyRequest(number, Path(data), path, entries, target, tuple(overrides)), call)


def _ledger(named: str | os.PathLike[str]) -> tuple[Path, list[Entry]]:
    is_config = Path(named).suffix.lower() in (".yaml", ".yml", ".json")
    return read_ledger(str(named), load(named) if is_config else None)


@without_causes
def report_release(
    config: Configuration,
    *,
    html: str | os.PathLike[str] | None = None,
    attack: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> tuple[str, dict[str, Any]]:
    """(the page of the release that a configuration's target holds, as HTML; its JSON report).

    The page is also written to `html`, or where the configuration says; the JSON report to `report` only. `attack` is
    the JSON report of `kanon_sql.attack` on this release, whose figures the page then has. What the run
    reported is taken where the configured report names the SHA-256 of the release; else the source is searched again
    within `time_limit` seconds, and the classes of the release are compared with what is found. Raises the errors of
    kanon_sql.errors; VerificationError for a release that the configuration does not make of the source.
    """
    loaded = load(config, overrides)
    given = Call.of(options, progress, time_limit, report)
    call = telling(given, loaded, html)
    played = None if attack is None else Path(attack)
    facts = describe_release(loaded, replace(call, report=given.report, advice=False, attack=played))
    text = page_text(facts, loaded)
    if call.page is not None:
        write_page(call.page, text)
    return text, given.write(facts.report)
