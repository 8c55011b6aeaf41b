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

from kanon_sql.api.measured import Measured
from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.api.running import telling
from kanon_sql.commands.apply.job import apply_release
from kanon_sql.commands.apply.request import ApplyRequest
from kanon_sql.commands.link import PairRequest, run_check
from kanon_sql.commands.report import describe_release
from kanon_sql.engines.opening import open_released
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

    Rows match where they are equal in the columns `on` and their values of the quasi-identifiers overlap.

    Args:
        first: File of a release.
        second: File of another one.
        quasi_identifiers: Columns that are compared; default: those of `config`.
        on: Columns in which matching rows are equal.
        k: Rows that each combined tuple stands for at least; default: that of `config`.
        source: File of the rows that both were made of, to count combined tuples there; default: at most is counted.
        config: The configuration through whose hierarchies values overlap.
        overrides: Keys that replace those of the configuration.
        options: Threads, memory limit and folder for temporary data of the engine.
        report: File that the JSON is written to, too.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "status" is "violated" where a combined tuple stands for fewer than k rows, else "satisfied".

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> config = "examples/adult/config.yaml"
        >>> for name in ("first.parquet", "second.parquet"):
        ...     result = kanon_sql.run(config, target=name, advice=False)
        >>> kanon_sql.check_releases("first.parquet", "second.parquet", config=config)["status"]
        'satisfied'
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
    return Measured("releases", call.write(run_check(request, loaded, call)))


@without_causes
def list_releases(ledger: str | os.PathLike[str]) -> dict[str, Any]:
    """Lists the releases of a ledger: what `kanon-sql releases list --json` prints.

    Args:
        ledger: The ledger, or a configuration that names one.

    Returns:
        "releases", one for each: its number, when it was made, of what, where it is.

    Raises:
        KanonError: ConfigurationError and EngineError of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> overrides = [("releases.path", "ledger.duckdb")]
        >>> result = kanon_sql.run("examples/adult/config.yaml", overrides=overrides, advice=False)
        >>> len(kanon_sql.list_releases("examples/adult/ledger.duckdb")["releases"])
        1
    """
    path, entries = _ledger(ledger)
    return {"ledger": str(path), "releases": [entry.to_dict() for entry in entries]}


@without_causes
def show_release(ledger: str | os.PathLike[str], number: int) -> dict[str, Any]:
    """Shows one release of a ledger: what `kanon-sql releases show --json` prints.

    Args:
        ledger: The ledger, or a configuration that names one.
        number: The release.

    Returns:
        What is recorded of it.

    Raises:
        KanonError: ConfigurationError and EngineError of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> overrides = [("releases.path", "ledger.duckdb")]
        >>> result = kanon_sql.run("examples/adult/config.yaml", overrides=overrides, advice=False)
        >>> kanon_sql.show_release("examples/adult/ledger.duckdb", 1)["state"]
        'released'
    """
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
    new_rows: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Releases new data at the levels of an earlier release: what `kanon-sql apply --json` prints.

    What the new release and each earlier one have in common, what was added and what was removed satisfy k and every
    model as the release itself does; rows that cannot be released so yet are suppressed.

    Args:
        number: The release in the ledger.
        data: File of the new data, or the catalog of a lake (`ducklake:...`); where the release was made by PostgreSQL
            or Spark a table there, or a path that Spark reads.
        ledger: The ledger, or a configuration that names one.
        output: File or table of the release; default: beside the first, with a number.
        overrides: Keys that replace those of the recorded configuration.
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which OutOfTimeError is raised.
        report: File that the JSON is written to, too.
        strict: A warning raises WarnedError, as in `run`.
        new_rows: Of a table of a lake only rows that came since that release, and that none after it holds, each class
            of them k rows; the others wait.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        The report: rows that were released, suppressed, kept from earlier releases.

    Raises:
        KanonError: One of kanon_sql.errors; an existing target and the ledger are then untouched.

    Examples:
        >>> import kanon_sql
        >>> overrides = [("releases.path", "ledger.duckdb"), ("target.path", "first.parquet")]
        >>> result = kanon_sql.run("examples/adult/config.yaml", overrides=overrides, advice=False)
        >>> ledger, table = "examples/adult/ledger.duckdb", "examples/adult/adult.parquet"
        >>> kanon_sql.apply(1, table, ledger=ledger, output="second.parquet")["status"]
        'released'
    """
    call = replace(Call.of(options, progress, time_limit, report), strict=strict)
    path, entries = _ledger(ledger)
    if any(entry.state == "open" for entry in entries):
        settle_open(path, "LEDGER", call.options, open_released)
        path, entries = _ledger(ledger)
    target = None if output is None else os.fspath(output)
    request = ApplyRequest(number, os.fspath(data), path, entries, target, tuple(overrides), new_rows)
    return apply_release(request, call)


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
    """Makes the page of a release that is there.

    What the run reported is taken where the configured report names the SHA-256 of the release; else the source is
    searched again, and the classes of the release are compared with what is found.

    Args:
        config: Path of the configuration that the release was made by, or a mapping of its keys.
        html: File of the page; default: where the configuration says.
        attack: The JSON report of `kanon_sql.attack` on this release, whose figures the page then has.
        overrides: Keys that replace those of the configuration.
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds of the search.
        report: File of the JSON report.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        (the page as HTML, the JSON report).

    Raises:
        KanonError: One of kanon_sql.errors; VerificationError for a release that the configuration does not make of
            the source.

    Examples:
        >>> import kanon_sql
        >>> config = "examples/adult/config.yaml"
        >>> result = kanon_sql.run(config, advice=False)
        >>> page, report = kanon_sql.report_release(config, html="page.html")
        >>> page.startswith("<!DOCTYPE html>")
        True
    """
    loaded = load(config, overrides)
    given = Call.of(options, progress, time_limit, report)
    call = telling(given, loaded, html)
    played = None if attack is None else Path(attack)
    facts = describe_release(loaded, replace(call, report=given.report, advice=False, attack=played))
    text = page_text(facts, loaded)
    if call.page is not None:
        write_page(call.page, text)
    return text, given.write({**facts.report})
