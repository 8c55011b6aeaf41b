"""`kanon-sql utility` and `attack` of a whole database: the release that is there beside its source.

Utility is measured table by table, and of the facts of persons in all tables together. Attacks are played on the table
of persons, with the quasi-identifiers of theirs that stand in other tables, and with facts that are drawn of persons;
how many have a rare set is what `risk` counts.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from kanon_sql.commands.attack import AttackRequest, attack_pair, play_attacks
from kanon_sql.commands.database.draft import refuse_outputs_of
from kanon_sql.commands.database.fact_utility import compare_facts
from kanon_sql.commands.database.measure import draw_facts
from kanon_sql.commands.database.pairs import ComparedDatabase, open_both, open_source_alone
from kanon_sql.commands.database.places import open_places
from kanon_sql.commands.utility import compare_pair
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.days import count_rows, measure_days
from kanon_sql.report.call import Call
from kanon_sql.sql.deadline import Deadline
from kanon_sql.targets.outputs import refuse_missing_folders

if TYPE_CHECKING:
    from kanon_sql.results.attack import AttackReport
    from kanon_sql.results.utility import RowsKept, Utility, UtilityAboutPersons, UtilityReport


def compare_database(loaded: LoadedDatabase, call: Call) -> UtilityReport:
    """The figures of the table of persons, and in `tables` those of each table about them.

    Raises ConfigurationError and EngineError where there is no release, or it is none of this configuration.
    """
    refuse_outputs_of(loaded, call.report)
    unit, deadline = loaded.config.unit.table, Deadline(call.time_limit)
    about = [table.name for table in loaded.tables.values() if table.link is not None]
    with open_both(loaded, call, about) as database:
        with database.pair(unit) as pair:
            persons = _compared(pair, deadline)
        tables = {name: _compared_rows(database, name, deadline) for name in about}
        facts = compare_facts(database, deadline)
    warnings = [
        f"table {name!r}: {warning}"
        for name, entry in [(unit, persons), *tables.items()]
        for warning in entry["warnings"]
    ]
    for name, table in loaded.tables.items():
        if table.since:
            listed = ", ".join(map(repr, table.since))
            warnings.append(
                f"table {name!r}: {listed}: not compared, a date of the source is a distance in the release"
            )
    return {**persons, "tables": tables, "facts": facts, "warnings": warnings, "seconds": call.watch.report()}


def _compared(pair: ReleasePair, deadline: Deadline) -> Utility:
    assert pair.source is not None
    if not pair.roles.released:
        return _nothing("no column but keys is released: there is nothing to compare")
    try:
        return compare_pair(pair, pair.source, deadline)
    except NoReleaseError:
        return _nothing("the source has no rows: there is nothing to compare")


def _compared_rows(database: ComparedDatabase, name: str, deadline: Deadline) -> UtilityAboutPersons:
    """The figures of a table about persons, with its rows and the days between dates of a row."""
    table = database.loaded.tables[name]
    with database.pair(name) as pair:
        entry = _compared(pair, deadline)
        assert pair.source is not None
        rows: RowsKept = {
            "source": count_rows(pair.engine, pair.source),
            "release": count_rows(pair.engine, pair.release),
        }
        days = measure_days(pair.engine, pair.source, pair.release, _days_in(pair, table.dates))
    return {**entry, "rows": rows, "days": days}


def _days_in(pair: ReleasePair, moved: Collection[str]) -> list[str]:
    """The columns of a table that are released as dates: those that move with their persons, and others of dates."""
    assert pair.source is not None
    there = {col.name for col in pair.release.columns}
    return [
        col.name
        for col in pair.source.columns
        if col.name in there
        and col.name not in pair.hierarchies
        and (col.name in moved or col.type == "DATE" or col.type.startswith("TIMESTAMP"))
    ]


def _nothing(why: str) -> Utility:
    return {"columns": {}, "pairs": [], "queries": None, "pmse": None, "prediction": None, "warnings": [why]}


def attack_database(loaded: LoadedDatabase, request: AttackRequest, call: Call) -> AttackReport:
    """The attacks on the table of persons of the release that is there, or of one of a part of the persons.

    Raises what `play_attacks` does; ConfigurationError where persons have no quasi-identifiers.
    """
    request.refuse(call)
    if not loaded.has_classes:
        raise ConfigurationError(
            f"{loaded.place('tables', loaded.config.unit.table)}: persons have no quasi-identifiers, by which attacks "
            "would find them; expected some, or risk, which counts whom facts tell apart"
        )
    if request.method and loaded.unit.held:
        raise ConfigurationError(
            f"{loaded.place('privacy')}: --method searches the table of persons again, and models of "
            f"{', '.join(map(repr, loaded.unit.held))} read other tables; leave --method out"
        )
    refuse_missing_folders(request.outputs(call))
    refuse_outputs_of(loaded, call.report, request.page)
    if request.hold_out is not None:
        with open_source_alone(loaded, call) as database:
            report = play_attacks(job_of(database.persons), request, call)
        return _with_facts(report, loaded, request, call)
    with open_both(loaded, call, []) as database, database.pair(loaded.config.unit.table) as pair:
        assert pair.source is not None
        report = attack_pair(pair, pair.source, request)
    report = {**report, "about": {"release": pair.release.label, "sha256": None}}
    return _with_facts(report, loaded, request, call)


def _with_facts(report: AttackReport, loaded: LoadedDatabase, request: AttackRequest, call: Call) -> AttackReport:
    """The report with what facts of persons tell whoever knows them, in the source and in the release."""
    with open_places(loaded, call.options) as places:
        released = places.release()
    before = draw_facts(loaded, loaded.config.source, request.attacks, request.seed, call)
    if not before:
        return report
    after = None if released is None else draw_facts(loaded, released, request.attacks, request.seed, call)
    return {**report, "facts": {"source": before, "release": after}}
