"""The rows that came into a table of a lake since a snapshot, as its change feed tells them.

A row of a lake keeps its number (rowid) until it is deleted, also where it is changed. New is a row of which nothing is
told since the snapshot but that it was inserted, and whose number none had before: one that was changed may have been
released as it was before. The feed alone does not say so: where an update meets a file of deleted rows, or files are
flushed or rewritten, it tells rows that were there before as inserted. Where files are merged, changed rows lose their
numbers, so that a table of merged files has no new rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.duckdb import attached_as
from kanon_sql.source.lake import is_merged_since, is_whole_since
from kanon_sql.source.model import LakeVersion, Source, select_keys
from kanon_sql.source.opening import open_as_it_stands, read_source_columns
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.template import quoted, state

_OF_THE_FEED = ("snapshot_id", "rowid", "change_type")


@dataclass(frozen=True)
class NewRows:
    """The new rows of a `table` since a snapshot; `source` gives them, read and treated, once they are copied."""

    lake: str
    table: Source
    source: Source
    since: LakeVersion

    def read(self, engine: Engine) -> tuple[int, int]:
        """Copies the new rows; how many they are, and how many others were changed or deleted. Raises EngineError."""
        assert self.table.version is not None and self.table.table is not None
        ends = (self.since.snapshot, self.table.version.snapshot)
        named = [literal(text) for text in (self.lake, *self.table.table)]
        feed = exp.Anonymous(
            this="ducklake_table_changes", expressions=[*named, *(exp.Literal.number(end) for end in ends)]
        )
        changes = {"changes": state("changes")}
        names = {"table_changes": exp.Table(this=feed), **changes}
        values = {"since": self.since.snapshot, "next_row": self.since.next_row}
        engine.query("source/lake/changes", names=names, values=values)
        engine.query(
            "source/lake/new_rows",
            names={"table_rows": self.named(), "new_rows": state("new_rows"), **changes},
            lists={"out": [{"name": column.name} for column in self.table.columns]},
        )
        new, changed = engine.query("source/lake/changed", names=changes)[0]
        return int(new), int(changed)

    def named(self) -> exp.Table:
        """The table itself."""
        assert self.table.table is not None
        schema, name = self.table.table
        return exp.Table(this=quoted(name), db=quoted(schema), catalog=quoted(self.lake))


def open_new_rows(engine: Engine, loaded: LoadedConfig, since: LakeVersion, release: str) -> NewRows:
    """The new rows of the table of a lake that a configuration names, none of them read yet.

    `release` says what was made of the snapshot. Raises ConfigurationError where the lake no longer knows what came
    since, and what `open_as_it_stands` raises.
    """
    catalog = loaded.config.source.database_file
    table = open_as_it_stands(engine, loaded)
    if table.version is None or catalog is None:
        raise ConfigurationError(f"{table.label}: it tells of no new rows; expected a table of a lake (DuckLake)")
    lake = attached_as(engine, loaded.base / catalog)
    assert lake is not None
    if table.version.table != since.table:
        raise ConfigurationError(
            f"{table.label}: the table was made anew since {release}, and which of its rows are new is not known; make "
            "a release of all rows"
        )
    if table.version.snapshot < since.snapshot:
        raise ConfigurationError(
            f"{table.label}: it is at snapshot {table.version.snapshot}, and {release} was made of snapshot "
            f"{since.snapshot}; was it put back from a copy? make a release of all rows"
        )
    if not is_whole_since(engine, lake, table.version, since.snapshot):
        raise ConfigurationError(
            f"{table.label}: snapshots since {release} (snapshot {since.snapshot}) have expired, so that which rows "
            "are new is not known; make a release of all rows, and keep the snapshots since"
        )
    if is_merged_since(engine, lake, table.version, since.snapshot):
        raise ConfigurationError(
            f"{table.label}: files of the table were merged since {release}, which may give rows that were changed the "
            "numbers of new ones; make a release of all rows, and merge files right before one"
        )
    taken = [column.name for column in table.columns if column.name.lower() in _OF_THE_FEED]
    if taken:
        raise ConfigurationError(
            f"{table.label}: the lake's change feed has a column {taken[0]!r} of its own; name that of the table apart"
        )
    names = [column.name for column in table.columns]
    rows = NewRows(lake, table, table, since)
    engine.query("source/lake/no_rows", names={"table_rows": rows.named(), "new_rows": state("new_rows")})
    relation = select_keys(exp.Table(this=quoted(state("new_rows"))), names)
    return replace(rows, source=read_source_columns(replace(table, relation=relation), loaded))
