"""Inside dbt's process: where its project is, and what is shown on its output and in its log."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kanon_sql import api
from kanon_sql.report.views.jobs import summarize_run
from kanon_sql.report.views.parts import plain

if TYPE_CHECKING:
    from kanon_sql.results.run import ReleasedReport


def project_folder() -> Path:
    """The folder of the dbt project, which need not be the working folder."""
    with suppress(ImportError):
        from dbt.flags import get_flags

        return Path(getattr(get_flags(), "PROJECT_DIR", None) or "")
    return Path()


def show(result: api.RunResult, target: str) -> None:
    """A line on the release at `target` and the warnings on dbt's output, the whole summary in its log."""
    report = {**result.report, "release": {**result.report["release"], "target": target}}
    first, *rest = plain(summarize_run(cast("ReleasedReport", report))).splitlines()
    _say("info", f"kanon-sql: {first}, {result.suppressed:,} suppressed, in {result.classes:,} classes")
    for line in rest:
        _say("debug", f"kanon-sql: {line}")
    for warning in result.warnings:
        _say("warn", f"kanon-sql: warning: {warning}")


def _say(level: str, text: str) -> None:
    try:
        from dbt_common.events.base_types import EventLevel
        from dbt_common.events.functions import fire_event
        from dbt_common.events.types import Note
    except ImportError:
        logging.getLogger("kanon_sql").log(getattr(logging, level.upper()), text)
    else:
        fire_event(Note(msg=text), level=EventLevel(level))
