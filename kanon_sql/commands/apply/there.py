"""New data at the levels of an earlier release, where another engine than DuckDB holds both.

The rows are compared there, by keys that are made of their texts. What leaves the engine are the classes by the values
of their sensitive columns, with the numbers of rows that two releases have in common or not; DuckDB judges these as
those of its own tables. What a statement makes of the classes goes back as the list of those that are not released
whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.commands.apply.deciding import Deciding, deciding_tables
from kanon_sql.commands.apply.same_levels import Texts, judged_differences
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.remote import Remote, RemoteRelease, with_listed
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.recount.statement import Question, Table
from kanon_sql.release.compiled import CompiledRelease, CompileRequest, ReleasedColumn, set_with, with_of
from kanon_sql.release.compiled_levels import compiled_levels
from kanon_sql.release.compiled_source import own_columns, participating
from kanon_sql.release.statement import Generalization
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import joined, own
from kanon_sql.sql.tables import union_all
from kanon_sql.sql.template import Fill, Item, column, quoted, state
from kanon_sql.sql.writing import Listing

_FILES = "commands/apply/there"


@dataclass(frozen=True)
class _Cells:
    """The columns of a release of an engine, as it compares them: all as texts, those of the models as values too."""

    texts: Texts
    sensitive: Sequence[Sensitive]
    remote: Remote

    def of(self, table: Source) -> list[exp.Expr]:
        """The texts of the columns, in the order of their names."""
        count = len(self.texts.quasi_identifiers)
        return [
            self._text(table.column(name), self.texts.missing if i < count else ())
            for i, name in enumerate(self.texts.names)
        ]

    def values(self, table: Source) -> list[exp.Expr]:
        """The values of the sensitive columns."""
        return [self._value(table.column(sensitive.column.name)) for sensitive in self.sensitive]

    def brought(self) -> list[tuple[str, str]]:
        """(name, type in DuckDB) of these values."""
        return [(s.code, "VARCHAR" if self.texts.as_csv else s.column.type) for s in self.sensitive]

    def filled(self, table: Source) -> dict[str, list[Item]]:
        """What query files take of a table: of each column its name and text, of the sensitive ones the value."""
        return {
            "cell": self.texts.named(self.of(table)),
            "sensitive": [
                {"code": s.code, "value": value} for s, value in zip(self.sensitive, self.values(table), strict=True)
            ],
        }

    def keys(self) -> dict[str, Fill]:
        """The keys of a row's class and of itself, made of the names of its texts."""
        return {"class_text": _key(self.texts.keys), "row_text": _key(self.texts.cells)}

    def _text(self, col: Column, missing: Sequence[str]) -> exp.Expr:
        """The text by which a cell is told from others, not as a person reads it."""
        value: exp.Expr = column(col.key)
        if col.type == "BLOB":
            value = own("hex", value)
        elif col.type == "TIMESTAMP WITH TIME ZONE":
            value = self.remote.dialect.in_utc(value)
        text = self.remote.dialect.by_bytes(exp.cast(value, "VARCHAR"))
        return null_for(text, [*missing, *([""] if self.texts.as_csv else [])])

    def _value(self, col: Column) -> exp.Expr:
        if self.texts.as_csv:
            return self._text(col, ())
        return exp.cast(column(col.key), "VARCHAR") if col.is_text else column(col.key)


def _key(names: Sequence[Item]) -> exp.Expr:
    """Texts as one that is equal for equal ones alone: each with its length before it, - where it is NULL."""
    parts = list[exp.Expr]()
    for name in names:
        text = column(str(name["name"]))
        length = exp.cast(own("length", text.copy()), "VARCHAR")
        is_null = exp.Is(this=text.copy(), expression=exp.null())
        given = own("concat", ",", length, ":", text)
        parts.append(exp.Case(ifs=[exp.If(this=is_null, true=exp.Literal.string(",-"))], default=given))
    return joined(parts)


def generalized_there(
    engine: Engine, loaded: LoadedConfig, prepared: SearchProblem, generalization: Generalization
) -> Source:
    """The new data at the levels, every row that takes part, as the engine that holds it makes it."""
    remote = prepared.source.backend
    assert isinstance(remote, Remote)
    request = CompileRequest(
        rows=participating(loaded, prepared, lambda needed: own_columns(prepared.source, needed)),
        missing=prepared.source.missing,
        order="none",
        as_text=loaded.config.release.suppressed == "mask",
        executed=True,
    )
    body = compiled_levels(engine, request, generalization, 1, None)
    statement = with_listed(remote, body)
    columns = tuple(Column(col.name, f"c{i}", col.described) for i, col in enumerate(body.released))
    relation = select_keys(statement.subquery("generalized"), [col.name for col in columns])
    return Source("query", relation, columns, prepared.source.missing, False, "the new data", remote)


class ApplyingThere(Deciding):
    """Decides for each class of `candidates`, which the engine holds as it does the `earlier` releases."""

    def __init__(
        self, engine: Engine, texts: Texts, models: Models, k: int, candidates: Source, earlier: Sequence[Source]
    ) -> None:
        super().__init__(engine, models, k, len(earlier))
        assert isinstance(candidates.backend, Remote)
        self.remote = candidates.backend
        self.cells = _Cells(texts, list(models.columns.values()), self.remote)
        self.candidates = candidates
        self._tables = [candidates, *earlier]
        self._counts = exp.Table(this=quoted("not_counted_yet"))

    def release(self) -> RemoteRelease:
        """The statement of the rows to be released, under their real names in random order."""
        columns = self.candidates.columns
        statement = self._statement([{"key": col.key, "name": col.name} for col in columns])
        quasi = set(self.cells.texts.quasi_identifiers)
        released = tuple(ReleasedColumn(col.key, col.name, col.name in quasi, col.type) for col in columns)
        judged = [*self.cells.texts.quasi_identifiers, *self.models.columns]
        return RemoteRelease(
            self.remote.written(statement), CompiledRelease(statement, (), released), tuple(dict.fromkeys(judged))
        )

    def _statement(self, out: list[Item]) -> exp.Select:
        values = {"earlier": self.earlier}
        rows = self.engine.query("commands/apply/waiting", scope=deciding_tables(), values=values)
        if not rows:
            named = (exp.alias_(column(str(entry["key"])), str(entry["name"]), quoted=True) for entry in out)
            return exp.select(*named).from_(self.candidates.relation.subquery("candidates")).order_by(exp.Rand())
        waiting = Listing(
            "waiting",
            "the classes of which not all rows are released",
            (("class_key", "VARCHAR"), ("held_by", "BIGINT")),
            tuple((str(key), int(held_by)) for key, held_by in rows),
        )
        statement = template.fill(
            f"{_FILES}/release",
            {"candidates": self.candidates.relation, "counts": self._counts, **self.cells.keys()},
            {"cell": self.cells.filled(self.candidates)["cell"], "out": out, "sort": [{"key": exp.Rand()}]},
            part=True,
        )
        assert isinstance(statement, exp.Select)
        set_with(statement, [self.remote.listed(waiting)])
        return statement

    def _styles(self, number: int, position: int) -> tuple[int, int]:
        table = self._tables[number]
        value = self.cells.of(table)[position]
        values = template.fill(f"{_FILES}/values", {"all_rows": table.relation, "cell_value": value})
        labels = self._bring(values, [("label", "VARCHAR")], "apply_labels")
        names: dict[str, Fill] = {"cell_name": "label", "release_texts": labels}
        half_open, closed = self.engine.query("commands/apply/styles", names=names)[0]
        return int(half_open), int(closed)

    def _bring(self, statement: exp.Expr, columns: Sequence[tuple[str, str]], name: str) -> str:
        """Copies a statement's result into a table of DuckDB; its name."""
        self.remote.bring(self.engine, statement, columns, state(name))
        return state(name)

    def _count(self) -> None:
        members = [
            template.fill(
                f"{_FILES}/texts",
                {"table_rows": table.relation, "release_number": number, **self.cells.keys()},
                self.cells.filled(table),
            )
            for number, table in enumerate(self._tables)
        ]
        self._counts = self.remote.keep(union_all(members), "apply_counts")
        classes = template.fill(f"{_FILES}/classes", {"counts": self._counts})
        brought = self._bring(classes, [("class_key", "VARCHAR"), ("row_count", "BIGINT")], "apply_brought")
        self.engine.query("commands/apply/brought_classes", names={"brought": brought}, scope=deciding_tables())
        self._codes = {
            sensitive.code: self._codes_of(sensitive, kind)
            for sensitive, (_, kind) in zip(self.cells.sensitive, self.cells.brought(), strict=True)
        }

    def _codes_of(self, sensitive: Sensitive, kind: str) -> str:
        """Gives the values of a sensitive column codes, those of earlier releases too; the table of them."""
        names: dict[str, Fill] = {"all_rows": exp.select(column(sensitive.code)).from_(self._counts.copy())}
        values = template.fill(f"{_FILES}/values", {**names, "cell_value": column(sensitive.code)})
        table = exp.Table(this=quoted(self._bring(values, [("value", kind)], "apply_values")))
        text = exp.alias_(exp.cast(column("value"), "VARCHAR"), "value", quoted=True)
        return self.code(sensitive, "value", exp.select(text).from_(table).distinct(), self.cells.texts.missing)

    def _try(self, attempt: int, held_by: int) -> None:
        items: list[Item] = [{"code": sensitive.code} for sensitive in self.cells.sensitive]
        names: dict[str, Fill] = {"counts": self._counts if attempt == 0 else exp.Table(this=quoted("open_counts"))}
        statement = template.fill(f"{_FILES}/sets", {**names, "held_release": held_by}, {"sensitive": items})
        assert isinstance(statement, exp.Select)
        if attempt:
            set_with(statement, [*self._open(items), *with_of(statement).expressions])
        columns = [("release", "BIGINT"), ("class_key", "VARCHAR"), *self.cells.brought()]
        brought = self._bring(statement, [*columns, ("side", "BIGINT"), ("row_count", "BIGINT")], "apply_brought")
        coded: list[Item] = [
            {"code": s.code, "value": column(s.code), "codes": self._codes[s.code]} for s in self.cells.sensitive
        ]
        scope = deciding_tables()
        lists = {"sensitive": coded}
        self.engine.query("commands/apply/brought_sets", names={"brought": brought}, lists=lists, scope=scope)
        self.engine.query("commands/apply/brought_tried", scope=scope)

    def _open(self, items: list[Item]) -> list[exp.CTE]:
        """The rows of the classes that are open, as the table open_counts."""
        keys = self.engine.query("commands/apply/open_keys", scope=deciding_tables())
        listing = Listing(
            "open_keys", "the classes that are open", (("class_key", "VARCHAR"),), tuple(map(tuple, keys))
        )
        counted = template.fill(f"{_FILES}/open", {"counts": self._counts}, {"sensitive": items}, part=True)
        return [self.remote.listed(listing), exp.CTE(this=counted, alias=exp.TableAlias(this=quoted("open_counts")))]


def recount_there(
    engine: Engine, texts: Texts, written: Source, earlier: Sequence[tuple[int, Source]], question: Question
) -> list[dict[str, int]]:
    """What `recount_differences` gives, of tables that another engine holds. Raises VerificationError.

    The engine reads both anew and counts their rows by all texts, by statements that know nothing of the keys.
    """
    remote = written.backend
    assert isinstance(remote, Remote)
    cells = _Cells(texts, question.attributes, remote)
    table = state("apply_told_apart")
    columns = [*((str(key["name"]), "VARCHAR") for key in texts.keys), *cells.brought()]
    numbers = ("kept", "added", "removed")

    def sides(past: Source) -> tuple[dict[str, Table], int]:
        values = zip(cells.sensitive, cells.values(written), cells.values(past), strict=True)
        lists: dict[str, list[Item]] = {
            "cell": texts.of_both(cells.of(written), cells.of(past)),
            "sensitive": [{"code": s.code, "fresh": fresh, "past": old} for s, fresh, old in values],
            "qi": texts.keys,
        }
        statement = template.fill(
            f"{_FILES}/told_apart", {"written": written.relation, "earlier": past.relation}, lists
        )
        remote.bring(engine, statement, [*columns, *((name, "BIGINT") for name in numbers)], table)
        past_rows = exp.Add(this=column("kept"), expression=column("removed"))
        total = exp.select(exp.Sum(this=past_rows)).from_(exp.Table(this=quoted(table)))
        rows = int(engine.run(total)[0][0] or 0)
        return {name: _side(texts, cells, table, name, question) for name in numbers}, rows

    return judged_differences(engine, ((number, *sides(past)) for number, past in earlier), question)


def _side(texts: Texts, cells: _Cells, table: str, name: str, question: Question) -> Table:
    """The rows of one side, of which there are several alike in a row."""
    names: dict[str, Fill] = {"told_apart": table, "side_count": name, "least_kept": int(name == "removed")}
    rows = template.fill("commands/apply/side", names, {"qi": texts.keys})
    assert isinstance(rows, exp.Select)
    sensitive = {}
    for attr in cells.sensitive:
        value: exp.Expr = exp.cast(column(attr.code), "VARCHAR")
        sensitive[attr.column.name] = null_for(value, question.missing if attr.column.is_text else ())
    return Table(rows, [column(str(key["name"])) for key in texts.keys], sensitive, weighted=True)
