"""A database written anew around one table: what its catalog holds comes along, and what does not is reported."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.errors import EngineError, NoRoomError
from kanon_sql.source.model import enums
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.literals import holds_literal
from kanon_sql.sql.template import Item, column

Name = tuple[str, str]  # schema and name


@dataclass(frozen=True)
class CatalogColumn:
    """A column; `default` is an expression as the engine writes it."""

    name: str
    type: str
    nullable: bool
    default: str | None
    comment: str | None


@dataclass(frozen=True)
class Constraint:
    """A constraint of a table; `refers` is the table that a foreign key refers to."""

    kind: str
    text: str
    columns: tuple[str, ...]
    refers: Name | None

    def describe(self) -> str:
        """What it is; of a CHECK the columns alone, whose condition may hold values of the data."""
        if self.kind != "CHECK" and self.text:
            return self.text
        names = ", ".join(dict.fromkeys(self.columns))
        return f"{self.kind} of {names}" if names else self.kind


@dataclass(frozen=True)
class CatalogTable:
    """A table; `generated` are its columns that are computed from others."""

    name: Name
    comment: str | None
    generated: frozenset[str]
    columns: dict[str, CatalogColumn]
    constraints: tuple[Constraint, ...]


class DatabaseCopy:
    """The database `new` (a catalog's name, as `old`), empty at first, made from `old` without its table `name`."""

    def __init__(self, engine: Engine, old: str, new: str, name: Name) -> None:
        self.engine = engine
        self.old = old
        self.new = new
        self.tables = read_tables(engine, old)
        self.name = next((table for table in self.tables if folded(table) == folded(name)), None)
        self.rebuilt = self._referring()
        self.types, self.dropped_types = self._types()

    def broken(self) -> list[str]:
        """What would no longer work, each by its kind and name.

        Foreign keys that lead to the replaced table, or to their own, whose rows could only be added one by one; views
        that could be read in the old database and not in the new one; macros that name a dropped type.
        """
        references = [f"foreign key of {'.'.join(table)}" for table in self.rebuilt]
        kept = readable_views(self.engine, self.new)
        views = [f"view {'.'.join(view)}" for view in readable_views(self.engine, self.old) if view not in kept]
        macros = [
            f"macro {'.'.join(macro)}"
            for _, name in self.dropped_types
            for macro in macros_that_name(self.engine, self.new, name)
        ]
        return [*references, *views, *dict.fromkeys(macros)]

    def describe(self, lost: list[str], broken: list[str]) -> list[str]:
        """The warnings: what was lost, what no longer works, what was not looked into."""
        macros = macros_that_name(self.engine, self.new, self.name[1]) if self.name else []
        groups = [
            ("not kept of the replaced table and those that refer to it", lost),
            ("no longer works with the released table", broken),
            ("macros that name the released table, not tried", [".".join(name) for name in macros]),
            ("types that stay with all the values that they list", [".".join(name) for name in self.types]),
        ]
        return [f"{headline}: {', '.join(entries)}" for headline, entries in groups if entries]

    def copy_schema(self) -> None:
        """Makes everything but rows and the replaced table. Raises EngineError."""
        # Nothing of what is dropped again reaches the new file: it is written when the transaction is over.
        self.engine.run("BEGIN")
        try:
            old, new = (template.quoted(catalog).sql("duckdb") for catalog in (self.old, self.new))
            self.engine.run(f"COPY FROM DATABASE {old} TO {new} (SCHEMA)")
            for table in (*self.rebuilt, *([self.name] if self.name else [])):
                self.engine.run(f"DROP TABLE {dotted(self.new, table)}")
            for enum_type in self.dropped_types:
                self.engine.run(f"DROP TYPE {dotted(self.new, enum_type)}")
            self.engine.run("COMMIT")
        except EngineError:
            with suppress(EngineError):  # a COMMIT that failed has ended the transaction
                self.engine.run("ROLLBACK")
            raise

    def copy_rows(self) -> list[str]:
        """Copies the rows of the other tables; gives what rebuilt ones could not keep. Raises EngineError."""
        lost: list[str] = []
        for table in _ordered(self.tables):
            if table.name == self.name:
                continue
            if table.name in self.rebuilt:
                rows = exp.select("*").from_(table_of(self.old, table.name))
                self.engine.run(exp.Create(this=table_of(self.new, table.name), kind="TABLE", expression=rows))
                lost += self.carry_over(table.name)
                continue
            columns = [template.quoted(name) for name in table.columns if name not in table.generated]
            into = exp.Schema(this=table_of(self.new, table.name), expressions=columns)
            rows = exp.select(*(col.copy() for col in columns)).from_(table_of(self.old, table.name))
            self.engine.run(exp.Insert(this=into, expression=rows))
        return lost

    def carry_over(self, name: Name) -> list[str]:
        """Gives a rebuilt table what the old one had beside rows; gives what it could not keep."""
        rebuilt = read_tables(self.engine, self.new)[name]
        return _CarryOver(self, self.tables[name], rebuilt).run()

    def _referring(self) -> list[Name]:
        """The other tables whose foreign keys cannot be kept, each before those that it refers to."""
        reached = {
            folded(name)
            for name, table in self.tables.items()
            if name == self.name or folded(name) in _references(table)
        }
        lost = set[Name]()
        while reached:
            lost |= reached
            reached = {folded(name) for name, table in self.tables.items() if _references(table) & lost} - lost
        ordered = reversed(_ordered(self.tables))
        return [table.name for table in ordered if folded(table.name) in lost and table.name != self.name]

    def _types(self) -> tuple[list[Name], list[Name]]:
        """(types with lists of values that stay, those that only the replaced table used)."""
        types = read_types(self.engine, self.old)
        columns = {name: [col.type for col in table.columns.values()] for name, table in self.tables.items()}
        own = enums_in(columns.pop(self.name)) if self.name else set()
        only_own = own - enums_in([described for listed in columns.values() for described in listed])
        dropped = [name for name, described in types.items() if enums_in([described]) & only_own]
        # A type that is made of another one is longer, or made later: it goes first.
        dropped.sort(key=lambda name: len(types[name]))
        kept = [name for name, described in types.items() if enums_in([described]) and name not in dropped]
        return kept, dropped[::-1]


@dataclass(frozen=True)
class Catalogs:
    """An old database and the new one that replaces it, by the names of their catalogs."""

    engine: Engine
    old: str
    new: str

    def carry_over(self) -> list[str]:
        """Gives each table of the new database what that of its name had beside rows; gives what was not kept.

        The new database has no sequences, macros and types.
        """
        before, now = read_tables(self.engine, self.old), read_tables(self.engine, self.new)
        lost: list[str] = []
        for name, table in now.items():
            if name in before:
                lost += _CarryOver(self, before[name], table).run()
        values = {"catalog": self.old}
        others = {
            "sequence": self.engine.query("targets/sequences", values=values),
            "macro": self.engine.query("targets/macros", values=values),
            "type": self.engine.query("targets/types", values=values),
        }
        # A macro with several lists of parameters has several rows.
        named = [f"{kind} {schema}.{name}" for kind, rows in others.items() for schema, name, *_ in rows]
        return [*lost, *dict.fromkeys(named)]


class _CarryOver:
    """Gives the new table `now` what the old table `before` had."""

    def __init__(self, copy: DatabaseCopy | Catalogs, before: CatalogTable, now: CatalogTable) -> None:
        self.copy = copy
        self.engine = copy.engine
        self.before = before
        self.now = now
        self.text = dotted(copy.new, now.name)
        # Of a whole database no value comes along that rows no longer show, in whatever words.
        self.is_bare = isinstance(copy, Catalogs)
        self.same = {
            name
            for name, col in now.columns.items()
            if name in before.columns and before.columns[name].type == col.type
        }
        self.lost: list[str] = []

    def run(self) -> list[str]:
        """Carries over what fits, columns before the indexes that depend on them; gives what was lost."""
        for name in self.now.columns:
            if name in self.before.columns:
                self._column(name)
        for constraint in self.before.constraints:
            if not self._primary_key(constraint.kind, constraint.columns):
                self.lost.append(constraint.describe())
        values = {"catalog": self.copy.old, "schema": self.before.name[0], "name": self.before.name[1]}
        for index in self.engine.query("targets/indexes", values=values):
            self._index(*index)
        self._comment("TABLE", self.text, self.before.comment, "its comment")
        return [f"{'.'.join(self.now.name)}: {loss}" for loss in self.lost]

    def _column(self, name: str) -> None:
        before, quoted = self.before.columns[name], template.quoted(name).sql("duckdb")
        if name in self.before.generated:
            self.lost.append(f"that column {name!r} is computed")
        elif before.default is not None and name in self.same and not self._tells_value(before.default):
            # An expression as the engine itself writes it; it may name a sequence or macro that is not there.
            default = f"ALTER TABLE {self.text} ALTER COLUMN {quoted} SET DEFAULT {before.default}"
            self._keep(default, f"the default of {name!r}")
        elif before.default is not None:
            self.lost.append(f"the default of {name!r}")
        if not before.nullable:
            if self._nulls(name):
                self.lost.append(f"NOT NULL of {name!r}")
            else:
                self.engine.run(f"ALTER TABLE {self.text} ALTER COLUMN {quoted} SET NOT NULL")
        self._comment("COLUMN", f"{self.text}.{quoted}", before.comment, f"the comment of {name!r}")

    def _primary_key(self, kind: str, columns: tuple[str, ...]) -> bool:
        """Makes a constraint a primary key where that still holds; whether it did."""
        if kind != "PRIMARY KEY" or not self.same.issuperset(columns) or self._repeats(list(columns)):
            return False
        if any(self._nulls(name) for name in columns):
            return False
        names = ", ".join(template.quoted(name).sql("duckdb") for name in columns)
        self.engine.run(f"ALTER TABLE {self.text} ADD PRIMARY KEY ({names})")
        return True

    def _index(self, name: str, unique: bool, statement: str, comment: str | None) -> None:
        if self._tells_value(statement):
            self.lost.append(f"index {name!r}")
            return
        try:
            tree = template.parse(statement)
        except SqlglotError:
            self.lost.append(f"index {name!r}")
            return
        used = {col.name for col in tree.find_all(exp.Column)}
        if not used or not used <= self.same:
            self.lost.append(f"index {name!r}")
            return
        if unique and self._repeats(sorted(used)):
            tree.set("unique", False)
            self.lost.append(f"that index {name!r} is unique")
        index = tree.find(exp.Index)
        assert index is not None
        index.set("table", table_of(self.copy.new, self.now.name))
        if self._keep(tree, f"index {name!r}"):
            said = f"the comment of index {name!r}"
            self._comment("INDEX", dotted(self.copy.new, (self.now.name[0], name)), comment, said)

    def _keep(self, statement: exp.Expr | str, what: str) -> bool:
        """Runs a statement that the new database may refuse; whether it did not. Raises NoRoomError."""
        try:
            self.engine.run(statement)
        except NoRoomError:
            raise
        except EngineError:
            self.lost.append(what)
            return False
        return True

    def _tells_value(self, text: str) -> bool:
        return self.is_bare and holds_literal(text, "duckdb")

    def _nulls(self, name: str) -> bool:
        rows = {"table_rows": table_of(self.copy.new, self.now.name), "column_name": name}
        return bool(self.engine.query("targets/nulls", names=rows)[0][0])

    def _repeats(self, columns: list[str]) -> bool:
        parts: list[Item] = [{"key": column(name)} for name in columns]
        rows = {"table_rows": table_of(self.copy.new, self.now.name)}
        return bool(self.engine.query("targets/repeated", names=rows, lists={"part": parts})[0][0])

    def _comment(self, kind: str, name: str, comment: str | None, said: str) -> None:
        if comment is not None and self.is_bare:
            self.lost.append(said)
        elif comment is not None:
            self.engine.run(f"COMMENT ON {kind} {name} IS {literal(comment).sql('duckdb')}")


def folded(name: Name) -> Name:
    """A name as the engine compares it, without regard to case."""
    return name[0].casefold(), name[1].casefold()


def _references(table: CatalogTable) -> set[Name]:
    """The folded names of the tables that the foreign keys of a table refer to, itself too."""
    return {folded(key.refers) for key in table.constraints if key.refers is not None}


def _ordered(tables: dict[Name, CatalogTable]) -> list[CatalogTable]:
    """Tables, each after those that it refers to."""
    ordered: list[CatalogTable] = []
    waiting = list(tables.values())
    while waiting:
        names = {folded(table.name) for table in waiting}
        ready = [table for table in waiting if not _references(table) & names - {folded(table.name)}]
        ordered += ready or waiting
        waiting = [table for table in waiting if table not in ordered]
    return ordered


def dotted(catalog: str, name: Name) -> str:
    """The quoted full name of something in a database."""
    return ".".join(template.quoted(part).sql("duckdb") for part in (catalog, *name))


def table_of(catalog: str, name: Name) -> exp.Table:
    schema, table = name
    return exp.Table(this=template.quoted(table), db=template.quoted(schema), catalog=template.quoted(catalog))


def read_tables(engine: Engine, catalog: str) -> dict[Name, CatalogTable]:
    """The tables of a database, in the order in which they were made."""
    values = {"catalog": catalog}
    columns: dict[Name, dict[str, CatalogColumn]] = {}
    for schema, table, *described in engine.query("targets/columns", values=values):
        columns.setdefault((schema, table), {})[described[0]] = CatalogColumn(*described)
    constraints: dict[Name, list[Constraint]] = {}
    for schema, table, kind, text, names, refers in engine.query("targets/constraints", values=values):
        # A foreign key never leaves its schema.
        constraint = Constraint(kind, text, tuple(names), (schema, refers) if kind == "FOREIGN KEY" else None)
        constraints.setdefault((schema, table), []).append(constraint)
    return {
        (schema, name): CatalogTable(
            (schema, name), comment, _generated(sql), columns[schema, name], tuple(constraints.get((schema, name), ()))
        )
        for schema, name, sql, comment in engine.query("targets/tables", values=values)
    }


def _generated(statement: str) -> frozenset[str]:
    # Not every supported engine has a column for it in its catalog.
    try:
        tree = template.parse(statement)
    except SqlglotError:
        return frozenset()
    kinds = (exp.GeneratedAsIdentityColumnConstraint, exp.ComputedColumnConstraint)
    return frozenset(definition.name for definition in tree.find_all(exp.ColumnDef) if any(map(definition.find, kinds)))


def read_types(engine: Engine, catalog: str) -> dict[Name, str]:
    """The types made in a database, as the engine describes them, in the order of their making."""
    return {
        (schema, name): str(engine.run(f"DESCRIBE SELECT CAST(NULL AS {dotted(catalog, (schema, name))})")[0][1])
        for schema, name in engine.query("targets/types", values={"catalog": catalog})
    }


def enums_in(types: list[str]) -> set[str]:
    """The ENUM types in types as the engine describes them."""
    return {enum.sql("duckdb") for described in types if "ENUM(" in described for enum in enums(described)}


def readable_views(engine: Engine, catalog: str) -> list[Name]:
    """The views of a database whose tables and columns exist."""
    views: list[Name] = []
    for schema, name in engine.query("targets/views", values={"catalog": catalog}):
        try:
            engine.run(exp.Describe(this=exp.select("*").from_(table_of(catalog, (schema, name)))))
        except EngineError:
            continue
        views.append((schema, name))
    return views


def macros_that_name(engine: Engine, catalog: str, name: str) -> list[Name]:
    """The macros in whose definition a name occurs as a word."""
    macros: list[Name] = []
    for schema, macro, definition in engine.query("targets/macros", values={"catalog": catalog}):
        words = {token.text.casefold() for token in tokenize(definition, read="duckdb")}
        if name.casefold() in words and (schema, macro) not in macros:
            macros.append((schema, macro))
    return macros
