"""Releases over time: two of them joined, the ledger, and new data released at the levels of an old release."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kanon_sql.api.chains import without_causes
from kanon_sql.api.opening import Configuration, Overrides, load
from kanon_sql.commands.apply.apply import apply_release
from kanon_sql.commands.apply.request import ApplyRequest
from kanon_sql.commands.link.releases import run_check
from kanon_sql.errors import ConfigurationError
from kanon_sql.ledger.ledger import Entry, find_entry, read_ledger
from kanon_sql.ledger.settling import settle_open
from kanon_sql.progress import Progress
from kanon_sql.report.report import write_json
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
    progress: Progress | None = None,
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
    named = {"the first release": first, "the second release": second, "the source": source, "--report": report}
    paths = [(name, None if path is None else Path(path)) for name, path in named.items()]
    refuse_outputs([loaded] if loaded else [], paths[-1:], paths[:-1])
    data = run_check(
        Path(first),
        Path(second),
        quasi_identifiers,
        on,
        k,
        None if source is None else Path(source),
        loaded,
        options or EngineOptions(),
        progress or Progress(),
    )
    if report is not None:
        write_json(Path(report), data)
    return data


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
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Releases new data at the levels of release `number` of a ledger: what `kanon-sql apply --json` prints.

    What the new release and each earlier one have in common, what was added and what was removed satisfy k and every
    model as the release itself does; rows that cannot be released so yet are suppressed. `ledger` may be a
    configuration that names one. Without `output` the release goes beside the first, with a number. Raises the errors
    of kanon_sql.errors; an existing target and the ledger are then untouched.
    """
    options = options or EngineOptions()
    path, entries = _ledger(ledger)
    if any(entry.state == "open" for entry in entries):
        settle_open(path, "LEDGER", options)
        path, entries = _ledger(ledger)
    request = ApplyRequest(
        number, Path(data), path, entries, None if output is None else Path(output), tuple(overrides)
    )
    return apply_release(
        request,
        options,
        progress or Progress(),
        time_limit=time_limit,
        report=None if report is None else Path(report),
    )


def _ledger(named: str | os.PathLike[str]) -> tuple[Path, list[Entry]]:
    is_config = Path(named).suffix.lower() in (".yaml", ".yml", ".json")
    return read_ledger(str(named), load(named) if is_config else None)
