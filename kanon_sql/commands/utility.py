"""`kanon-sql utility` from end to end: the source, the release beside it, the figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.measures.release_pair import ReleasePair, open_subject
from kanon_sql.measures.utility.measure import measure_utility
from kanon_sql.report.call import Call
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.lookups import with_lookups, with_untreated
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.outputs import refuse_missing_folders, refuse_outputs

if TYPE_CHECKING:
    from kanon_sql.results.utility import TableUtilityReport, Utility


def compare_release(engine: Engine, loaded: LoadedConfig, source: Source, call: Call) -> TableUtilityReport:
    """The figures of the release that is there: the `utility` entry, with `seconds`.

    Raises ConfigurationError and EngineError where there is no release, or it is none of this configuration.
    """
    if call.report is not None:
        refuse_missing_folders([("--report", call.report)])
    subject = open_subject(engine, loaded, source, call)
    refuse_outputs([loaded], [("--report", call.report)])
    entry = compare_pair(subject, source, Deadline(call.time_limit))
    return {**entry, "seconds": call.watch.report()}


def compare_pair(subject: ReleasePair, source: Source, deadline: Deadline) -> Utility:
    """The `utility` entry of a release and its source, both open. Raises ConfigurationError and EngineError."""
    engine, call = subject.engine, subject.call
    allow_paths(engine, subject.loaded, source, None, [subject.release])
    treated = with_lookups(engine, source)
    subject = replace(subject, source=with_untreated(treated))
    refuse_misfits(engine, treated)
    with call.step("utility", "comparing the release with its source", engine.progress):
        entry = measure_utility(subject, deadline)
    return {**entry, "warnings": [*source.warnings, *entry["warnings"]]}
