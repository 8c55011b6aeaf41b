"""A database written anew around one table: what its catalog tells comes along, or it is told what does not."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.errors import EngineError
from kanon_sql.source.model import enums
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.template import Item, column


class DatabaseCopy:
    """The database `new` (a catalog's name, as `old`), empty at first, made from `old` without its table `name`."""

    def __init__(self, engine: Engine, old: str, new: str, name: Name) -> None:
        self.engine = engine
        self.old = old
        self.new = new
        self.tables = read_tables(engine, old)
        folded = _folded(name)
        self.name = next((one for one in self.tables if _folded(one) == folded), None)
        self.rebuilt = self._referring()
        self.types, self.dropped_types = self._types()

    def broken(self) -> list[str]:
        """Foreign keys that lead to the replaced table, or to their own, whose rows could only be added one by one.

        Views that could be read in the old database and not in the new one; macros that name a dropped type.
        """
        references = [f"foreign key of {'.'.join(one)}" for one in self.rebuilt]
        kept = readable_views(self.engine, self.new)
        views = [f"view {'.'.join(one)}" for one in readable_views(self.engine, self.old) if one not in kept]
        macros = [
            f"macro {'.'.join(macro)}"
            for _, name in self.dropped_types
            for macro in macros_that_name(self.engine, self.new, name)
        ]
        return [*references, *views, *dict.fromkeys(macros)]

    def describe(self, lost: list[str], broken: list[str]) -> list[str]:
        """Warnings: what was lost, what no longer works, what was not looked into."""
        macros = macros_that_name(self.engine, self.new, self.name[1]) if self.name else []
        said = [
            ("not kept of the replaced table and those that refer to it", lost),
            ("no longer works with the released table", broken),
            ("macros that name the released table, not tried", [".".join(one) for one in macros]),
            ("types that stay with all the values that they list", [".".join(one) for one in self.types]),
        ]
        return [f"{what}: {', '.join(found)}" for what, found in said if found]

    def copy_schema(self) -> None:
        """Makes everything but rows and the replaced table. Raises EngineError."""
        # Nothing of what is dropped again reaches the new file: it is written when the transaction is over.
        self.engine.run("BEGIN")
        try:
            old, new = (template.quoted(one).sql("duckdb") for one in (self.old, self.new))
            self.engine.run(f"COPY FROM DATABASE {old} TO {new} (SCHEMA)")
            for table in (*self.rebuilt, *([self.name] if self.name else [])):
                self.engine.run(f"DROP TABLE {dotted(self.new, table)}")
            for made in self.dropped_types:
                self.engine.run(f"DROP TYPE {dotted(self.new, made)}")
            self.engine.run("COMMIT")
        except EngineError:
            with suppress(EngineError):  # a COMMIT that failed has ended the transaction
                self.engine.run("ROLLBACK")
            raise

    def copy_rows(self) -> list[str]:
        """The rows of the other tables; what could not be kept of those that were built anew. Raises EngineError."""
        lost: list[str] = []
        for table in _ordered(self.tables):
            if table.name == self.name:
                continue
            if table.name in self.rebuilt:
                rows = exp.select("*").from_(table_of(self.old, table.name))
                self.engine.run(exp.Create(this=table_of(self.new, table.name), kind="TABLE", expression=rows))
                lost += self.carry_over(table.name)
                continue
            columns = [template.quoted(one) for one in table.columns if one not in table.generated]
            into = exp.Schema(this=table_of(self.new, table.name), expressions=columns)
            rows = exp.select(*(one.copy() for one in columns)).from_(table_of(self.old, table.name))
            self.engine.run(exp.Insert(this=into, expression=rows))
        return lost

    def carry_over(self, name: Name) -> list[str]:
        """Gives a table that was made anew what the old one had beside rows; what of it could not be kept."""
        made = read_tables(self.engine, self.new)[name]
        return _CarryOver(self, self.tables[name], made).run()

    def _referring(self) -> list[Name]:
        """The other tables whose foreign keys cannot be kept, each before those that it refers to."""
        lost = {
            _folded(one) for one in self.tables if one == self.name or _folded(one) in _references(self.tables[one])
        }
        found, reached = set[Name](), lost
        while reached:
            found |= reached
            reached = {_folded(name) for name, one in self.tables.items() if _references(one) & found} - found
        ordered = reversed(_ordered(self.tables))
        return [one.name for one in ordered if _folded(one.name) in found and one.name != self.name]

    def _types(self) -> tuple[list[Name], list[Name]]:
        """(types with lists of values that stay, those that only the replaced table used)."""
        types = read_types(self.engine, self.old)
        columns = {name: [one.type for one in table.columns.values()] for name, table in self.tables.items()}
        own = enums_in(columns.pop(self.name)) if self.name else set()
        only_own = own - enums_in([one for some in columns.values() for one in some])
        dropped = [name for name, one in types.items() if enums_in([one]) & only_own]
        # A type that is made of another one is longer, or made later: it goes first.
        dropped.sort(key=lambda name: len(types[name]))
        return [name for name, one in types.items() if enums_in([one]) and name not in dropped], dropped[::-1]


class _CarryOver:
    """What the old table `before` had, given to the new table `now`."""

    def __init__(self, copy: DatabaseCopy, before: CatalogTable, now: CatalogTable) -> None:
        self.copy = copy
        self.engine = copy.engine
        self.before = before
        self.now = now
        self.text = dotted(copy.new, now.name)
        self.same = {
            name
            for name, one in now.columns.items()
            if name in before.columns and before.columns[name].type == one.type
        }
        self.lost: list[str] = []

    def run(self) -> list[str]:
        """Gives what fits, columns before indexes, which nothing that they hang on may change after; the rest."""
        for name in self.now.columns:
            if name in self.before.columns:
                self._column(name)
        for constraint in self.before.constraints:
            if not self._primary_key(constraint.kind, constraint.columns):
                self.lost.append(constraint.text or f"{constraint.kind} of {', '.join(constraint.columns)}")
        values = {"catalog": self.copy.old, "schema": self.before.name[0], "name": self.before.name[1]}
        for index in self.engine.query("targets/indexes", values=values):
            self._index(*index)
        self._comment("TABLE", self.text, self.before.comment)
        return [f"{'.'.join(self.now.name)}: {one}" for one in self.lost]

    def _column(self, name: str) -> None:
        before, quoted = self.before.columns[name], template.quoted(name).sql("duckdb")
        if name in self.before.generated:
            self.lost.append(f"that column {name!r} is computed")
        elif before.default is not None and name in self.same:
            # An expression as the engine itself writes it.
            self.engine.run(f"ALTER TABLE {self.text} ALTER COLUMN {quoted} SET DEFAULT {before.default}")
        elif before.default is not None:
            self.lost.append(f"the default of {name!r}")
        if not before.nullable:
            rows = {"table_rows": table_of(self.copy.new, self.now.name), "column_name": name}
            if self.engine.query("targets/nulls", names=rows)[0][0]:
                self.lost.append(f"NOT NULL of {name!r}")
            else:
                self.engine.run(f"ALTER TABLE {self.text} ALTER COLUMN {quoted} SET NOT NULL")
        self._comment("COLUMN", f"{self.text}.{quoted}", before.comment)

    def _primary_key(self, kind: str, columns: tuple[str, ...]) -> bool:
        """Whether a constraint is a primary key that still holds; it then is one."""
        if kind != "PRIMARY KEY" or not self.same.issuperset(columns) or self._repeats(list(columns)):
            return False
        names = ", ".join(template.quoted(one).sql("duckdb") for one in columns)
        self.engine.run(f"ALTER TABLE {self.text} ADD PRIMARY KEY ({names})")
        return True

    def _index(self, name: str, unique: bool, statement: str, comment: str | None) -> None:
        try:
            tree = template.parse(statement)
        except SqlglotError:
            self.lost.append(f"index {name!r}")
            return
        used = {one.name for one in tree.find_all(exp.Column)}
        if not used or not used <= self.same:
            self.lost.append(f"index {name!r}")
            return
        if unique and self._repeats(sorted(used)):
            tree.set("unique", False)
            self.lost.append(f"that index {name!r} is unique")
        index = tree.find(exp.Index)
        assert index is not None
        index.set("table", table_of(self.copy.new, self.now.name))
        self.engine.run(tree)
        self._comment("INDEX", dotted(self.copy.new, (self.now.name[0], name)), comment)

    def _repeats(self, columns: list[str]) -> bool:
        parts: list[Item] = [{"key": column(one)} for one in columns]
        rows = {"table_rows": table_of(self.copy.new, self.now.name)}
        return bool(self.engine.query("targets/repeated", names=rows, lists={"part": parts})[0][0])

    def _comment(self, kind: str, what: str, comment: str | None) -> None:
        if comment is not None:
            self.engine.run(f"COMMENT ON {kind} {what} IS {literal(comment).sql('duckdb')}")


def _folded(name: Name) -> Name:
    return name[0].casefold(), name[1].casefold()


def _references(table: CatalogTable) -> set[Name]:
    """The tables that the foreign keys of a table refer to, itself too."""
    return {_folded(key.refers) for key in table.constraints if key.refers is not None}


def _ordered(tables: dict[Name, CatalogTable]) -> list[CatalogTable]:
    """Tables, each after those that it refers to."""
    ordered: list[CatalogTable] = []
    waiting = list(tables.values())
    while waiting:
        names = {_folded(one.name) for one in waiting}
        ready = [one for one in waiting if not _references(one) & names - {_folded(one.name)}]
        ordered += ready or waiting
        waiting = [one for one in waiting if one not in ordered]
    return ordered


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


@dataclass(frozen=True)
class CatalogTable:
    """A table; `generated` are its columns that are computed from others."""

    name: Name
    comment: str | None
    generated: frozenset[str]
    columns: dict[str, CatalogColumn]
    constraints: tuple[Constraint, ...]


def dotted(catalog: str, name: Name) -> str:
    """The full name of something in a database, quoted."""
    return ".".join(template.quoted(part).sql("duckdb") for part in (catalog, *name))


def table_of(catalog: str, name: Name) -> exp.Table:
    """A table or view of a database."""
    schema, table = name
    return exp.Table(this=template.quoted(table), db=template.quoted(schema), catalog=template.quoted(catalog))


def read_tables(engine: Engine, catalog: str) -> dict[Name, CatalogTable]:
    """The tables of a database, in the order in which they were made."""
    values = {"catalog": catalog}
    columns: dict[Name, dict[str, CatalogColumn]] = {}
    for schema, table, *about in engine.query("targets/columns", values=values):
        columns.setdefault((schema, table), {})[about[0]] = CatalogColumn(*about)
    constraints: dict[Name, list[Constraint]] = {}
    for schema, table, kind, text, names, refers in engine.query("targets/constraints", values=values):
        # A foreign key never leaves its schema.
        made = Constraint(kind, text, tuple(names), (schema, refers) if kind == "FOREIGN KEY" else None)
        constraints.setdefault((schema, table), []).append(made)
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
    return frozenset(one.name for one in tree.find_all(exp.ColumnDef) if any(map(one.find, kinds)))


def read_types(engine: Engine, catalog: str) -> dict[Name, str]:
    """The types that were made in a database, as the engine describes them, in the order in which they were made."""
    return {
        (schema, name): str(engine.run(f"DESCRIBE SELECT CAST(NULL AS {dotted(catalog, (schema, name))})")[0][1])
        for schema, name in engine.query("targets/types", values={"catalog": catalog})
    }


def enums_in(types: list[str]) -> set[str]:
    """The ENUM types in types as the engine describes them."""
    return {one.sql("duckdb") for described in types if "ENUM(" in described for one in enums(described)}


def readable_views(engine: Engine, catalog: str) -> list[Name]:
    """The views of a database whose tables and columns are there."""
    found: list[Name] = []
    for schema, name in engine.query("targets/views", values={"catalog": catalog}):
        try:
            engine.run(exp.Describe(this=exp.select("*").from_(table_of(catalog, (schema, name)))))
        except EngineError:
            continue
        found.append((schema, name))
    return found


def macros_that_name(engine: Engine, catalog: str, name: str) -> list[Name]:
    """The macros in whose definition a name occurs."""
    found: list[Name] = []
    for schema, macro, definition in engine.query("targets/macros", values={"catalog": catalog}):
        words = {token.text.casefold() for token in tokenize(definition, read="duckdb")}
        if name.casefold() in words and (schema, macro) not in found:
            found.append((schema, macro))
    return found
