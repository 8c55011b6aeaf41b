"""Where a source and a target stand: what the ledger knows a source by that has changed since.

Of a query, or a view of a database, the places are the files and tables that it reads. A path that it puts together
from several texts is not known before it is read, and is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from glob import glob
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.config.load import LoadedConfig
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.duckdb import attached_as, split_name, with_absolute_paths
from kanon_sql.source.model import Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine


def source_place(loaded: LoadedConfig) -> str | None:
    """Where the source of a configuration is, as it says."""
    source = loaded.config.source
    if source.path is not None:
        return _absolute(loaded, source.path)
    database = "" if source.database is None else _absolute(loaded, source.database)
    return f"{database}: {source.table or ' '.join((source.query or '').split())}"


def target_place(loaded: LoadedConfig) -> str | None:
    """Where the target of a configuration is, as it says."""
    target = loaded.config.target
    if target is None or target.in_place:
        return source_place(loaded)
    if target.path is not None:
        return _absolute(loaded, target.path)
    return f"{_absolute(loaded, target.database or '')}: {target.table}"


def places_of_source(engine: Engine, loaded: LoadedConfig, source: Source) -> set[str]:
    """All places that a source reads."""
    config, given = loaded.config.source, source_place(loaded)
    places = {given} if given is not None else set()
    if config.path is not None:
        return places | {str(path.resolve()) for path in source.files}
    return places | set(_Read(engine, config, loaded.base).places())


def places_of_target(loaded: LoadedConfig) -> set[str]:
    """The places of a target that is no source; as a query names it."""
    target, given = loaded.config.target, target_place(loaded)
    places = {given} if given is not None else set()
    if target is not None and target.table is not None:
        schema, table = split_name(target.table, loaded.place("target"))
        places |= set(_of_table(_absolute(loaded, target.database or ""), schema, table))
    return places


def folders_around(places: set[str]) -> set[str]:
    """The folders that files lie in: one of them may be a source or a target as a whole."""
    return {str(folder) for place in places if place.startswith("/") for folder in Path(place).parents}


class _Read:
    """What a table, view or query reads."""

    def __init__(self, engine: Engine, config: SourceConfig, base: Path) -> None:
        self.engine = engine
        self.base = base
        self.database = None if config.database is None else base / config.database
        self.catalog = None if self.database is None else attached_as(engine, self.database)
        self.query = config.query
        if config.query is None:
            schema, name = split_name(config.table or "", "source")
            table = exp.Table(this=template.quoted(name), db=template.quoted(schema))
            if self.catalog is not None:
                table.set("catalog", template.quoted(self.catalog))
            self.query = template.text(exp.select("*").from_(table))

    def places(self) -> Iterator[str]:
        query = with_absolute_paths((self.query or "").strip().rstrip(";"), self.base)
        waiting, seen = [query], set[str]()
        while waiting:
            text = waiting.pop()
            if text in seen:
                continue
            seen.add(text)
            yield from self._files(_quoted_texts(text))
            for table in self._tables(text):
                yield from self._files([".".join(part.name for part in table.parts)])
                if self.database is not None:
                    yield from _of_table(str(self.database.resolve()), table.db or "main", table.name)
                    waiting += self._view(table)

    def _tables(self, text: str) -> list[exp.Table]:
        """The tables that a statement names, and as far as the engine tells those that views and macros of it name."""
        tables: list[exp.Table] = []
        try:
            names = self.engine.connection.get_table_names(text, qualified=True)
            tables = [exp.to_table(name, dialect="duckdb") for name in names]
        except (duckdb.Error, SqlglotError):
            pass  # it binds no list of files, and no statement of two steps such as PIVOT
        try:
            tree = sqlglot.parse_one(text, read="duckdb")
        except SqlglotError:
            return tables
        shared = {one.alias.casefold() for one in tree.find_all(exp.CTE)}
        named = [one for one in tree.find_all(exp.Table) if isinstance(one.this, exp.Identifier)]
        return [*tables, *(one for one in named if one.db or one.name.casefold() not in shared)]

    def _view(self, table: exp.Table) -> list[str]:
        """The SELECT of a view of the database; nothing for a table."""
        values = {"catalog": self.catalog, "schema": table.db or "main", "name": table.name}
        return [str(row[0]) for row in self.engine.query("ledger/view", values=values)]

    def _files(self, texts: list[str]) -> Iterator[str]:
        """The files that texts name, as the engine reads them: patterns."""
        for text in texts:
            try:
                names = glob(str(self.base / text.removeprefix("file://")), recursive=True)  # noqa: PTH207
                yield from (str(Path(name).resolve()) for name in names if Path(name).is_file())
            except (OSError, ValueError):
                continue  # no name of a file


def _quoted_texts(text: str) -> list[str]:
    try:
        return [token.text for token in tokenize(text, read="duckdb") if token.token_type is TokenType.STRING]
    except SqlglotError:
        return []


def _of_table(database: str, schema: str, name: str) -> Iterator[str]:
    """A table as configurations may name it, whose case says nothing."""
    schema, name = schema.casefold(), name.casefold()
    yield f"{database}: {schema}.{name}"
    if schema == "main":
        yield f"{database}: {name}"


def _absolute(loaded: LoadedConfig, path: str) -> str:
    return str((loaded.base / path).resolve())
