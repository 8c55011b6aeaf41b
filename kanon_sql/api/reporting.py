"""The page of a release that is there: what `kanon-sql report` does."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.api.running import telling
from kanon_sql.commands.page.again import describe_release
from kanon_sql.progress import Progress
from kanon_sql.report.call import Call
from kanon_sql.report.page.writing import page_text, write_page
from kanon_sql.sql.connection import EngineOptions


@without_causes
def report_release(
    config: Configuration,
    *,
    html: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> tuple[str, dict[str, Any]]:
    """(the page of the release that a configuration's target holds, as HTML; its JSON report).

    The page is also written to `html`, or where the configuration says; the JSON report to `report` only. What the run
    reported is taken where the configured report names the SHA-256 of the release; else the source is searched again
    within `time_limit` seconds, and the classes of the release are compared with what is found. Raises the errors of
    kanon_sql.errors; VerificationError for a release that the configuration does not make of the source.
    """
    loaded = load(config, overrides)
    given = Call.of(options, progress, time_limit, report)
    call = telling(given, loaded, html)
    facts = describe_release(loaded, replace(call, report=given.report, advice=False))
    text = page_text(facts, loaded)
    if call.page is not None:
        write_page(call.page, text)
    return text, given.write(facts.report)
