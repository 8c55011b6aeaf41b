"""How much of the facts of persons a release keeps: single facts, and which of them go together.

The facts of the source are compared as the release tells them: with the labels of the level at which each column is
released, which the release itself shows. Persons have other keys there, so that sets of facts are counted, not matched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.commands.database.pairs import ComparedDatabase
from kanon_sql.commands.database.recount import person_facts
from kanon_sql.commands.database.standing import owners_of, text_of, texts_of, with_present_keys
from kanon_sql.commands.database.tables import OpenTable, open_as_it_stands, open_tables, read_facts
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine, open_engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.tables import rows_of
from kanon_sql.sql.template import Fill, Item, column, fill, state

if TYPE_CHECKING:
    from kanon_sql.results.utility import FactsKept

_ROOM = "measures/utility"
_MOST_TOGETHER = 2  # facts whose sets are counted


def compare_facts(database: ComparedDatabase, deadline: Deadline) -> list[FactsKept] | None:
    """For sets of one fact and of two: how many persons have one, in the source and in the release.

    None where no table tells facts that can be compared, or there was no time. Raises ConfigurationError and
    EngineError.
    """
    loaded = database.loaded
    telling = [table.name for table in loaded.tables.values() if table.facts and not {*table.facts} & {*table.since}]
    if not telling:
        return None
    names = [loaded.config.unit.table, *(table.name for table in loaded.tables.values() if table.link is not None)]
    with open_engine(database.call.options) as engine, engine.until(deadline):
        try:
            return _counted(engine, database, names, telling)
        except TimeUpError:
            return None


def _counted(engine: Engine, database: ComparedDatabase, names: list[str], telling: list[str]) -> list[FactsKept]:
    loaded = database.loaded
    assert database.release_tables is not None
    tables = open_tables(engine, loaded, database.source_tables, names)
    tables = {
        name: replace(table, source=with_present_keys(loaded, table.config, with_lookups(engine, table.source)))
        for name, table in tables.items()
    }
    written = {name: open_as_it_stands(engine, loaded, database.release_tables, loaded.tables[name]) for name in names}
    sources = {name: table.source for name, table in tables.items()}
    facts = _SourceFacts(engine, tables, written)
    persons = [(loaded.config.unit.key, "person")]
    holes: dict[str, Fill] = {
        "fact_numbers": state("fact_numbers"),
        "source_facts": _all_of([facts.of(name) for name in telling]),
        "released_facts": _all_of([person_facts(tables, written, tables[name]) for name in telling]),
        "source_persons": texts_of(sources[loaded.config.unit.table], persons),
        "released_persons": texts_of(written[loaded.config.unit.table], persons),
    }
    engine.query(f"{_ROOM}/fact_numbers", names=holes)
    return [_kept(engine, size) for size in range(1, _MOST_TOGETHER + 1)]


def _kept(engine: Engine, size: int) -> FactsKept:
    shares = fill(f"{_ROOM}/fact_shares_{size}", {"fact_numbers": state("fact_numbers")})
    in_source, in_release, varied = engine.query(f"{_ROOM}/fact_distance", names={"fact_shares": shares})[0]
    return {
        "together": size,
        "source": int(in_source),
        "release": int(in_release),
        "kept": int(in_release) / int(in_source) if in_source else None,
        "total_variation": varied,
    }


def _all_of(parts: list[exp.Select]) -> exp.Select:
    return exp.select("person", "fact").from_(rows_of(parts, "facts"))


class _SourceFacts:
    """The facts that the tables of the source tell, with the labels of the release; hierarchies are numbered on."""

    def __init__(self, engine: Engine, tables: Mapping[str, OpenTable], written: Mapping[str, Source]) -> None:
        self.engine, self.tables, self.written = engine, tables, written
        self.sources = {name: table.source for name, table in tables.items()}
        self.columns = 0

    def of(self, name: str) -> exp.Select:
        """SELECT of the facts that a table tells (person, fact). Raises ConfigurationError."""
        table = self.tables[name]
        rows = owners_of(self.tables, self.sources, table)
        for col in table.source.columns:
            rows = rows.select(exp.alias_(column(col.key, "facts_of"), col.key, quoted=True), copy=False)
        table = replace(table, rows=rows)
        facts = read_facts(self.engine, table, self.columns, 0)
        self.columns += len(facts.columns)
        items: list[Item] = []
        for fact, held in zip(facts.columns, table.config.facts, strict=True):
            mapping, col = fact.mapping, table.source.column(held)
            level = self._level(table, held, mapping)
            label = self._label(
                table, held, level, column(col.key, "table_rows"), column(f"label_{level}", mapping.table)
            )
            items.append({"mapping": mapping.table, "key": col.key, "label": label})
        holes: dict[str, Fill] = {"table_rows": rows, "table_name": exp.Literal.string(name)}
        statement = fill(f"{_ROOM}/labelled_facts", holes, {"fact": items})
        assert isinstance(statement, exp.Select)
        return statement

    def _label(self, table: OpenTable, held: str, level: int, value: exp.Expr, label: exp.Expr) -> exp.Expr:
        """A `value`, or above level 0 its `label`, as a text of the release: files of texts have no empty ones."""
        if level == 0:
            label = null_for(value, table.source.missing if table.source.column(held).is_text else ())
        text = exp.cast(label, "VARCHAR")
        return null_for(text, ("",)) if self.written[table.name].only_texts else text

    def _level(self, table: OpenTable, held: str, mapping: MappingTable) -> int:
        """The level at which a release has a column: all its values are of it, and it lacks the fewest of the level's.

        A value may read like a label of another level. The lowest one where several fit alike, or nothing is released.
        """
        released = self.written[table.name]
        value = exp.alias_(text_of(released, held, "written"), "value")
        values = exp.select(value).from_(released.relation.copy().subquery("written"))
        lacking: dict[int, int] = {}
        for level in range(mapping.height + 1):
            label = self._label(table, held, level, column("value"), column(f"label_{level}"))
            labels = exp.select(exp.alias_(label, "label")).from_(exp.to_table(mapping.table))
            holes: dict[str, Fill] = {"released": values, "level_labels": labels}
            shared, strange, lacked = self.engine.query(f"{_ROOM}/strange_labels", names=holes)[0]
            if not strange:
                lacking[level] = lacked if shared else 0
        if lacking:
            return min(lacking, key=lambda level: (lacking[level], level))
        assert table.loaded is not None
        raise ConfigurationError(
            f"{table.loaded.place('quasi_identifiers', held)}: the release has values of column {held!r} of table "
            f"{table.name!r} that are those of no level of its hierarchy; expected a release of this configuration"
        )
