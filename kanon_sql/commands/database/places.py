"""Where the tables of a whole database are read and written: files of this machine, or schemas of PostgreSQL.

The tables of a schema are copied into a private database file first, and read from there as those of any other; those
of a target are made in the transaction that read them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.config.database import DatabaseSource, LoadedDatabase
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.formats import format_of
from kanon_sql.source.tables import SourceTables, find_tables
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.targets.tables import TablesTarget, open_tables_target

if TYPE_CHECKING:
    from kanon_sql.engines.postgres.engine import Postgres
    from kanon_sql.engines.postgres.schema import PostgresSchema


@dataclass
class Places:
    """The places of a configuration, with the connection to its server where it has one."""

    loaded: LoadedDatabase
    options: EngineOptions
    server: Postgres | None = None
    _schemas: dict[str, PostgresSchema] = field(default_factory=dict)

    def list_tables(self, place: DatabaseSource, *, writes: bool = False) -> SourceTables:
        """The tables of a place by their names; those of a schema are read after `fetch`.

        `writes` keeps others from changing them where they will be replaced. Raises ConfigurationError and EngineError.
        """
        if place.namespace is None:
            return find_tables(place, self.loaded.base, self.loaded.place("source"))
        schema = self._schema(place.namespace, "source")
        target = self.loaded.config.target
        if writes and target is not None and target.in_place:
            schema.lock()
        assert self.server is not None
        return schema.listed(self.server.folders[0] / f"schema_{list(self._schemas).index(place.namespace)}.duckdb")

    def fetch(self, place: DatabaseSource, source_tables: SourceTables, names: Collection[str]) -> None:
        """Copies those tables of a schema that have `names`. Raises ConfigurationError and EngineError."""
        if place.namespace is not None:
            self._schema(place.namespace, "source").fetch(self.options, source_tables, names)

    def target(self, engine: Engine, source_tables: SourceTables) -> AbstractContextManager[TablesTarget]:
        """The target, of which nothing is written yet. Raises ConfigurationError and EngineError."""
        config = self.loaded.config
        name = config.target_schema
        if name is None:
            formats = [
                format_of(Path(str(place["path"]))) for place in source_tables.places.values() if "path" in place
            ]
            chosen = "csv" if formats and set(formats) == {"csv"} else "parquet"
            return open_tables_target(engine, self.loaded, chosen, source_tables.schemas)
        from kanon_sql.engines.postgres.tables import SchemaOfTables

        if config.target is not None and config.target.namespace == config.source.namespace:
            place = self.loaded.place("target")
            raise ConfigurationError(f"{place}: the target is the source itself; write target: in-place to replace it")
        source = None if config.source.namespace is None else self._schema(config.source.namespace, "source")
        return nullcontext(SchemaOfTables(self._schema(name, "target"), self.loaded, source))

    def release(self) -> DatabaseSource | None:
        """The place of the target; None where nothing is there, and in place, where the source has gone."""
        target = self.loaded.config.target
        if target is None or target.in_place:
            return None
        place = DatabaseSource.model_validate(
            target.model_dump(by_alias=True, include={"path", "database", "namespace"})
        )
        if target.namespace is not None:
            return place if self._schema(target.namespace, "target").exists else None
        return place if (self.loaded.base / (target.path or target.database or "")).exists() else None

    def _schema(self, name: str, key: str) -> PostgresSchema:
        from kanon_sql.engines.postgres.schema import PostgresSchema

        if self.server is None:
            place = self.loaded.place(key)
            raise ConfigurationError(f"{place}: a schema is one of engine.postgres, which is missing; add it")
        if name not in self._schemas:
            self._schemas[name] = PostgresSchema(self.server, name, self.loaded.place(key))
        return self._schemas[name]


@contextmanager
def open_places(loaded: LoadedDatabase, options: EngineOptions) -> Iterator[Places]:
    """The places of a configuration; what was not committed on its server is gone at the end.

    Raises ConfigurationError and EngineError where the server cannot be reached.
    """
    if loaded.config.engine is None:
        yield Places(loaded, options)
        return
    from kanon_sql.engines.postgres.engine import open_server

    with open_server(loaded.config.engine.postgres, options) as server:
        yield Places(loaded, options, server)
