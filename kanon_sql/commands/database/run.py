"""One anonymization of a database of persons from end to end: all tables or none.

The table of persons is released first by a run of its own, with every search and model that a run of one table has,
into a private file; it says who is released, and in which class. Then the facts of the other tables are searched and
suppressed (kanon_sql.search.facts), keys get new values, and all tables are written beside the target, counted again
and put in place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.database.carriers import read_carriers
from kanon_sql.commands.database.distances import with_distances
from kanon_sql.commands.database.draft import DatabaseDraft, describe_table, refuse_outputs_of
from kanon_sql.commands.database.held_counts import lists_hold, with_counted
from kanon_sql.commands.database.joined import JoinedTables
from kanon_sql.commands.database.places import open_places
from kanon_sql.commands.database.recount import DatabaseCounts, confidence_of, recount_tables
from kanon_sql.commands.database.released import ReleasedRows
from kanon_sql.commands.database.sensitive import read_sensitive
from kanon_sql.commands.database.standing import quasi_identifiers
from kanon_sql.commands.database.tables import (
    OpenTable,
    fact_items,
    find_days,
    linked_rows,
    open_tables,
    read_facts,
    read_tables,
    released_alone,
    tells_persons,
)
from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.config.database import LoadedDatabase, share_of
from kanon_sql.config.database_held import HeldColumn
from kanon_sql.config.model import SuppressionConfig
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import (
    ConfigurationError,
    EngineError,
    InterruptedRunError,
    KanonError,
    NoReleaseError,
    OutOfTimeError,
    VerificationError,
    WarnedError,
)
from kanon_sql.report.call import Call, in_place_but
from kanon_sql.report.page.database import database_page
from kanon_sql.report.page.page import write_page
from kanon_sql.report.report import ReportDraft, write_json
from kanon_sql.search.facts.confidence import Confidence
from kanon_sql.search.facts.levels import PERSON_LEAVES, PERSONS, FactsResult, FactTable, search_facts
from kanon_sql.search.facts.suppression import FactsRequired
from kanon_sql.source.columns import present
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Source
from kanon_sql.source.tables import SourceTables, refuse_unnamed
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine, lock_down, open_engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.tables import copy, rows_of
from kanon_sql.sql.template import Fill, Item, column, quoted, state
from kanon_sql.targets.tables import TablesTarget

_ROOM = "commands/database"
_ROUNDS, _FREE_ROUNDS = 6, 3  # searches of persons again by what is left to them, and in how many any may go


def run_database(loaded: LoadedDatabase, call: Call) -> DatabaseDraft:
    """Anonymizes a database of persons; writes the report however it ends.

    Raises the errors of kanon_sql.errors; the source and an existing target are then untouched.
    """
    refuse_outputs_of(loaded, call.report, call.page)
    draft = DatabaseDraft(loaded)
    try:
        with signals.run_block():
            _run(loaded, call, draft)
    except KanonError as error:
        error.redact(loaded.redact)
        draft.fail(error)
        draft.seconds = call.watch.report()
        error.report = draft.to_dict()
        if call.report is not None:
            write_json(call.report, error.report)
        raise
    except KeyboardInterrupt:
        raise InterruptedRunError(signals.NOTHING_CHANGED) from None
    draft.seconds = call.watch.report()
    try:
        if call.page is not None:
            write_page(call.page, database_page(draft.to_dict(), loaded.config.unit.table))
        call.write(draft.to_dict())
    except EngineError as failure:
        raise in_place_but(failure.problems) from None
    return draft


def _run(loaded: LoadedDatabase, call: Call, draft: DatabaseDraft) -> None:
    draft.source = loaded.config.source.label
    with (
        spill_folder(call.options.temp_directory) as folder,
        open_places(loaded, call.options) as places,
        open_engine(call.options) as engine,
    ):
        place = loaded.config.source
        source_tables = places.list_tables(place, writes=True)
        refuse_unnamed(loaded, source_tables)
        if source_tables.views:
            views = ", ".join(map(repr, source_tables.views))
            draft.warnings.append(f"views are not released: {views}; make them anew")
        with places.target(engine, source_tables) as target:
            draft.target = target.describe()
            places.fetch(place, source_tables, loaded.tables.keys())
            _release(_Job(engine, loaded, call, draft, source_tables, target), folder)


def _release(job: _Job, folder: Path) -> None:
    """Releases the tables of a job, whose private files lie in a folder."""
    engine, call, draft, target = job.engine, job.call, job.draft, job.target
    job.open(folder)
    files = [Path(str(place.get("path") or place.get("database"))) for place in job.source_tables.places.values()]
    lock_down(engine, files, [target.folder(), folder])
    job.read()
    job.search()
    job.hold_models(folder)
    job.write()
    if call.strict and draft.warnings:
        raise WarnedError([f"{warning}; strict: nothing was released" for warning in draft.warnings])
    if call.dry_run:
        draft.status = "dry-run"
    else:
        engine.watch.require_unchanged()
        engine.watch.forget()
        target.commit(engine)
        draft.status = "released"


class _Job:
    """A run of a database, from the opened tables to the written ones."""

    def __init__(
        self,
        engine: Engine,
        loaded: LoadedDatabase,
        call: Call,
        draft: DatabaseDraft,
        source_tables: SourceTables,
        target: TablesTarget,
    ) -> None:
        self.engine, self.loaded, self.call, self.draft = engine, loaded, call, draft
        self.source_tables, self.target = source_tables, target
        self.tables: dict[str, OpenTable] = {}
        self.facts: dict[str, FactTable] = {}
        self.result: FactsResult | None = None
        self.deadline = Deadline(call.time_limit)
        self.unit_release: Source | None = None
        self.joined = JoinedTables(engine, loaded, self.tables, only_texts=target.only_texts)
        self._unit_warnings: list[str] = []
        self.links: dict[tuple[str, str], str] = {}  # by table and column, to whom its rows belong

    @property
    def unit(self) -> OpenTable:
        return self.tables[self.loaded.config.unit.table]

    def open(self, folder: Path) -> None:
        """Opens all tables, and releases that of the persons into a private folder."""
        self.tables |= open_tables(self.engine, self.loaded, self.source_tables)
        # Its treatments are those of the run below; here its rows must be readable with them.
        self.tables[self.unit.name] = replace(self.unit, source=with_lookups(self.engine, self.unit.source))
        self._refuse_keys()
        if self.loaded.config.facts is not None and not any(table.config.facts for table in self.tables.values()):
            self.draft.warnings.append(
                "privacy.facts asks for something of facts, and no table names any; name columns in facts, or remove it"
            )
        self.draft.warnings += [
            f"no released table has a column {key!r}, which keys names; correct or remove it"
            for key in self.loaded.config.keys
            if not any(key in [col.name for col in table.source.columns] for table in self.tables.values())
        ]
        self.tables |= read_tables(self.engine, self.tables)
        self._release_persons(folder)

    def _release_persons(
        self, folder: Path, lists: Mapping[str, str] | None = None, *, suppresses: bool = True
    ) -> None:
        """Releases the table of the persons into a private folder; `lists` are those of `joined_persons`."""
        path = folder / "persons.parquet"
        call = replace(
            Call(self.call.options, self.call.progress, self.deadline.remaining(), advice=False), watch=self.call.watch
        )
        persons = self.joined.joined_persons(released_alone(self.unit, self.source_tables, path), folder, lists)
        if not suppresses:
            persons = replace(persons, config=persons.config.model_copy(update={"suppression": SuppressionConfig()}))
        unit: ReportDraft = run_configuration(job_of(persons), call)
        limit = {} if self.draft.unit is None else {"suppression": self.draft.unit["suppression"]}  # as it was asked
        self.draft.unit = {**unit.to_dict(), **limit}
        if not self.loaded.has_classes:
            n, k = unit.released, self.loaded.k
            self.draft.unit["classes"] = {"count": 1, "min": n, "max": n, "average": float(n)}
            self.draft.unit |= {"privacy": {"k": {"required": k, "actual": n}}, "solution": {"levels": {}}}
        earlier = self._unit_warnings
        self._unit_warnings = [f"table {self.unit.name!r}: {warning}" for warning in unit.warnings]
        self.draft.warnings = [text for text in self.draft.warnings if text not in earlier] + self._unit_warnings
        name = state("database_unit")
        rows = exp.select("*").from_(exp.Anonymous(this="read_parquet", expressions=[exp.Literal.string(str(path))]))
        self.engine.run(copy(name, rows.subquery("unit")))
        self.unit_release = opened(self.engine, exp.Table(this=quoted(name)), "the persons", "the persons", ())

    def _refuse_keys(self) -> None:
        """Raises ConfigurationError where rows of the unit's table are no persons of their own, and for facts whose
        persons the release does not tell: nobody could count them again.
        """
        known = self.loaded.config.facts
        counted = {held.table for held in self.loaded.unit.held.values()}
        if known is not None and known.confidence is not None:
            counted |= self.loaded.sensitive.keys() - {self.loaded.config.unit.table}
        untold = [
            f"{self.loaded.place('tables', table.name, 'link')}: the release would not tell whose facts those of "
            f"{table.name!r} are; name the column of its link in keys, and in no list of identifiers"
            for table in self.tables.values()
            if (table.config.facts or table.name in counted) and not tells_persons(self.tables, table)
        ]
        if untold:
            raise ConfigurationError(untold)
        key = self.loaded.config.unit.key
        place = self.loaded.place("unit", "key")
        source = self.unit.source
        if key not in [col.name for col in self.unit.columns]:
            raise ConfigurationError(
                f"{place}: {key!r} is never released as it is; take it out of the identifiers of {self.unit.name!r}"
            )
        names: dict[str, Fill] = {
            "source": source.relation,
            "unit_key": present(source, key),
        }
        rows, without, keys = self.engine.query(f"{_ROOM}/keys_of_persons", names=names)[0]
        if without or keys < rows - without:
            raise ConfigurationError(
                f"{place}: one row is one person, but {without:,} rows have no {key!r} and "
                f"{rows - without - keys:,} have that of another row; name the column that tells persons apart"
            )

    def read(self) -> None:
        """Reads who is released, the rows of all tables with the person of each, and their facts."""
        with self.call.step("read", "reading the tables", self.engine.progress):
            self._read_persons()
            for name, rows in self._join_released():
                if rows["source"] and rows["source"] == rows["orphans"]:
                    via = self.tables[name].config.via
                    assert via is not None
                    self.draft.warnings.append(
                        f"table {name!r}: no person finds a row by {via.column!r}; its quasi-identifiers are missing "
                        "of all"
                    )
            if any(table.config.dates for table in self.tables.values() if not table.config.is_unit):
                find_days(self.engine, self.loaded, state(PERSONS))
            for table in self._in_order():
                self.tables[table.name] = self._linked(table)
            for table in self.tables.values():
                self.draft.warnings += table.warnings
            self._read_facts()

    def _join_released(self) -> list[tuple[str, dict[str, int]]]:
        """Gives tables of quasi-identifiers of persons the rows that are released; each with its rows counted."""
        assert self.unit_release is not None
        counts = self.joined.released(self.unit_release, state(PERSONS))
        for name, rows in counts.items():
            self.draft.tables[name] = {"rows": rows}
        return list(counts.items())

    def _read_persons(self) -> None:
        key, source, released = self.loaded.config.unit.key, self.unit.source, self.unit_release
        assert released is not None
        known = self.loaded.config.facts
        by_class = known is not None and known.among == "quasi_identifiers"
        values: list[Item] = [
            {"value": exp.cast(column(released.column(name).key), "VARCHAR")}
            for name in (quasi_identifiers(self.loaded) if by_class else ())
        ]
        names: dict[str, Fill] = {
            "persons": state(PERSONS),
            "source": source.relation,
            "unit_key": source.column(key).key,
            "released": released.relation,
            "released_key": released.column(key).key,
        }
        lists = {"qi": values or [{"value": exp.Literal.string("")}]}
        self.engine.query(f"{_ROOM}/persons", names=names, lists=lists)
        counts = exp.select(exp.Count(this=exp.Star()), exp.Sum(this=exp.cast(column("is_released"), "BIGINT"))).from_(
            exp.Table(this=quoted(state(PERSONS)))
        )
        persons, kept = self.engine.run(counts)[0]
        self.draft.persons = {
            "source": int(persons),
            "suppressed": int(persons) - int(kept or 0),
            "released": int(kept or 0),
        }
        if not kept or int(kept) < self.loaded.k:
            raise NoReleaseError(f"{self.loaded.name}: there are fewer than k = {self.loaded.k} persons to release")

    def _in_order(self) -> list[OpenTable]:
        """The tables whose rows have a person, each behind that which it goes through."""
        ordered: list[OpenTable] = []
        waiting = [table for table in self.tables.values() if table.config.link is not None]
        done: set[str | None] = {None}
        while waiting:
            ready = [table for table in waiting if table.config.link and table.config.link.through in done]
            ordered += ready
            done |= {table.name for table in ready}
            waiting = [table for table in waiting if table not in ready]
        return ordered

    def _linked(self, table: OpenTable) -> OpenTable:
        """The table with its rows and the person of each, counted."""
        link = table.config.link
        assert link is not None
        links = state(PERSONS) if link.through is None else self._links(self.tables[link.through], link.column)
        table = with_distances(self.engine, self.loaded, table, links, self.unit, state(PERSONS))
        shift = self.loaded.config.shift
        rows = linked_rows(self.engine, table, links, None if shift is None else shift.days)
        count, orphans = self.engine.query(f"{_ROOM}/rows", names={"table_rows": rows})[0]
        self.draft.tables[table.name] = {"rows": {"source": int(count), "orphans": int(orphans)}}
        if count and count == orphans:
            self.draft.warnings.append(
                f"table {table.name!r}: no row finds a person by {link.column!r}; nothing of it is released"
            )
        return replace(table, rows=rows)

    def _links(self, table: OpenTable, key: str) -> str:
        """The table (key, person) of a table that others go through. Raises ConfigurationError for repeated keys."""
        if (table.name, key) in self.links:
            return self.links[table.name, key]
        name = state(f"database_links_{len(self.links)}")
        if key not in [col.name for col in table.source.columns]:
            raise ConfigurationError(f"{self.loaded.place('tables', table.name)}: table {table.name!r} has no {key!r}")
        names: dict[str, Fill] = {
            "links": name,
            "table_rows": table.linked(),
            "through_key": present(table.source, key),
        }
        self.engine.query(f"{_ROOM}/links", names=names)
        several = exp.select(exp.Count(this=exp.Star())).from_(exp.Table(this=quoted(name)))
        count = self.engine.run(several.where(exp.not_(column("is_single"))))[0][0]
        if count:
            raise ConfigurationError(
                f"{self.loaded.place('tables', table.name)}: {count:,} values of {key!r} stand in several rows of "
                f"{table.name!r}: it is no key to go through"
            )
        self.links[table.name, key] = name
        return name

    def _read_facts(self) -> None:
        parts: list[exp.Select] = []
        leaves = columns = 0
        for table in self.tables.values():
            if not table.config.facts:
                continue
            facts = read_facts(self.engine, table, columns, leaves)
            self.facts[table.name] = facts
            columns += len(facts.columns)
            lists = {"fact": fact_items(table, facts)}
            name = state(f"facts_persons_of_{len(parts)}")
            names: dict[str, Fill] = {"person_leaves": name, "table_rows": table.linked(), "leaves": facts.leaves}
            self.engine.query(f"{_ROOM}/person_leaves", names=names, lists=lists)
            parts.append(exp.select("*").from_(exp.Table(this=quoted(name))))
            leaves += int(
                self.engine.run(exp.select(exp.Count(this=exp.Star())).from_(exp.Table(this=quoted(facts.leaves))))[0][
                    0
                ]
            )
        if parts:
            self.engine.run(copy(state(PERSON_LEAVES), rows_of(parts, "facts")))

    def search(self) -> None:
        """Chooses the levels of facts, and which of them are kept. Raises NoReleaseError and OutOfTimeError."""
        known, limit = self.loaded.config.facts, self.loaded.config.suppression.facts
        if known is None or not self.facts:
            return
        confidence = None
        if known.confidence is not None and known.confidence < 1:
            assert self.unit_release is not None
            sensitive = read_sensitive(self.engine, self.loaded, self.tables, self.unit_release, state(PERSONS))
            confidence = Confidence(sensitive, Fraction(known.confidence))
        required = FactsRequired(self.loaded.k, known.known, confidence)
        pairs = exp.select(exp.Count(this=exp.Star())).from_(exp.Table(this=quoted(state(PERSON_LEAVES))))
        most = share_of(limit, int(self.engine.run(pairs)[0][0]))
        tables = list(self.facts.values())
        with self.call.step("search", "searching levels of facts", self.engine.progress):
            try:
                carriers = read_carriers(self.engine, self.tables, self.facts)
                self.result = search_facts(self.engine, tables, carriers, required, most, self.deadline)
            except TimeUpError:
                raise OutOfTimeError(f"{self.loaded.name}: time ran out before facts were searched") from None
        if self.result is None:
            raise NoReleaseError(
                f"{self.loaded.name}: more than {most:,} pairs of a person and a fact would have to go; raise "
                "suppression.facts, lower k or facts.known, or give facts hierarchies"
            )

    def hold_models(self, folder: Path) -> None:
        """Searches persons again by the values that are left to them, where rows went with suppressed facts.

        Other persons who are released may keep other facts, and so on, until classes hold the models: after a few
        rounds nobody is suppressed any more, so that all stay. What does not hold in the end is no release. Raises
        NoReleaseError and OutOfTimeError.
        """
        held = {
            name: place for name, place in self.loaded.unit.held.items() if self._loses_rows(self.tables[place.table])
        }
        if not held or self.result is None:
            return
        known = self.loaded.config.facts
        for number in range(_ROUNDS):
            lists = self._values_left(held, number)
            if self._hold(lists):
                return
            before = self._released()
            self._release_again(folder / f"again_{number}", lists, held, suppresses=number < _FREE_ROUNDS)
            if self._released() != before or (known is not None and known.among == "quasi_identifiers"):
                self.search()

    def _values_left(self, held: Mapping[str, HeldColumn], number: int) -> dict[str, str]:
        """Makes of each column the table (key, list) of what persons still have; their names."""
        assert self.unit_release is not None
        rows = ReleasedRows(
            self.engine, self.loaded, self.tables, self.joined, self.unit_release, self.facts, self.result
        )
        lists = {}
        for position, (name, place) in enumerate(held.items()):
            lists[name] = state(f"held_left_{number}_{position}")
            names: dict[str, Fill] = {
                "held_left": lists[name],
                "left_rows": rows.values_left(place, only_texts=self.target.only_texts),
                "persons": state(PERSONS),
                "held_lists": self.joined.held_lists[name],
            }
            self.engine.query(f"{_ROOM}/held_left", names=names)
        return lists

    def _hold(self, lists: Mapping[str, str]) -> bool:
        """Whether classes hold the models as they are: searching on could lose them."""
        assert self.unit_release is not None
        return lists_hold(self.engine, self.loaded, self.tables, self.unit_release, lists)

    def _released(self) -> list[tuple[object, ...]]:
        """What tells the released persons from others: how many, and a hash of their numbers."""
        person = column("person")
        hashed = exp.Anonymous(this="bit_xor", expressions=[exp.Anonymous(this="hash", expressions=[person])])
        numbers = exp.select(exp.Count(this=exp.Star()), hashed).from_(exp.Table(this=quoted(state(PERSONS))))
        return self.engine.run(numbers.where(column("is_released")))

    def _release_again(
        self, folder: Path, lists: Mapping[str, str], held: Mapping[str, HeldColumn], *, suppresses: bool
    ) -> None:
        """Releases the persons once more, by the values that are left. Raises NoReleaseError."""
        folder.mkdir()
        try:
            self._release_persons(folder, lists, suppresses=suppresses)
        except NoReleaseError as error:
            raise NoReleaseError(
                f"{problem}; {self._went({place.table for place in held.values()})}" for problem in error.problems
            ) from None
        self._read_persons()
        self._join_released()

    @staticmethod
    def _went(tables: Collection[str]) -> str:
        return (
            f"rows of {', '.join(map(repr, sorted(tables)))} go with suppressed facts, and values with them; ask for "
            "less, make facts coarser with suppression.facts: 0, or release the column in a table without facts"
        )

    def write(self) -> None:
        """Writes all tables beside the target, and counts what was written again."""
        with self.call.step("release", "writing the tables", self.engine.progress):
            assert self.unit_release is not None
            rows = ReleasedRows(
                self.engine, self.loaded, self.tables, self.joined, self.unit_release, self.facts, self.result
            )
            rows.make_keys()
            for table in self.tables.values():
                columns = [col.name for col in table.columns]
                self.target.write(self.engine, table.name, rows.of(table), table.source, columns)
        with self.call.step("verify", "counting again what was written", self.engine.progress):
            written = self.target.written(self.engine, list(self.tables))
            self.draft.warnings += self.target.warnings
            for name, source in written.items():
                self.target.compare(self.engine, name, source)
            recount = recount_tables(self.engine, self.loaded, self.tables, written, rows.keys_at_home, self.tables)
            self._refuse_spoilt(recount)
            if recount.problems:
                raise VerificationError(recount.problems)
            self._note(recount)

    def _refuse_spoilt(self, recount: DatabaseCounts) -> None:
        """Raises NoReleaseError where classes hold a model no longer without the rows of suppressed facts."""
        held = self.loaded.unit.held
        spoilt = [
            f"{self.loaded.name}: {problem}: {self._went([held[name].table])}"
            for name, problem in recount.violated.items()
            if self._loses_rows(self.tables[held[name].table])
        ]
        if spoilt and len(spoilt) == len(recount.problems):
            raise NoReleaseError(spoilt)

    def _loses_rows(self, table: OpenTable) -> bool:
        """Whether rows of a table may go with suppressed facts."""
        link = table.config.link
        return table.name in self.facts or (
            link is not None and link.through is not None and self._loses_rows(self.tables[link.through])
        )

    def _note(self, recount: DatabaseCounts) -> None:
        for name, table in self.tables.items():
            described = self.draft.tables.setdefault(name, {"rows": {}})
            described |= describe_table(table)
            entry = described["rows"]
            released = recount.rows[name]
            if table.config.is_unit and self.draft.persons is not None:
                entry |= {"source": self.draft.persons["source"], "orphans": 0}
            elif table.loaded is None:
                entry |= {"source": released, "orphans": 0}
            if table.config.via is None:  # rows that persons share are released as others, see JoinedTables
                entry["suppressed"] = entry["source"] - entry["orphans"] - released
            entry["released"] = released
        if self.draft.unit is not None:
            self.draft.unit["privacy"] = with_counted(self.draft.unit["privacy"], recount.models)
        self.draft.verification = {"compared": "rows", "keys": recount.keys, "persons": recount.persons.persons}
        self.draft.warnings += [
            f"table {name!r}: {persons:,} persons have a number of rows that fewer than k = {self.loaded.k} persons "
            "have: whoever knows how many rows somebody has finds them"
            for name, persons in recount.by_rows.items()
            if persons
        ]
        known = self.loaded.config.facts
        result = self.result or FactsResult({}, 0, 0, 0.0, 0.0, 0, 0)  # of tables without facts
        if known is not None:
            self.draft.facts = {
                "known": known.known,
                "with": known.among,
                "required": self.loaded.k,
                "actual": recount.facts,
                "pairs": result.pairs,
                "kept": result.kept / result.pairs if result.pairs else None,
                "loss": result.loss,
                "bound": result.bound,
                "levels": result.levels,
                "nodes": {"lattice": result.nodes, "evaluated": result.evaluated},
            } | confidence_of(self.loaded, recount)
