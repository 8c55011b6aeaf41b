"""New data at the levels of an earlier release: class by class, what may be released beside what was released before.

Levels stay as they are, so that a class of the new release meets the class of the same labels of every earlier one, and
no other. Whoever has both tells apart what both hold, what was added and what was removed; each of these, like the
class itself, must be empty or satisfy k and every model. For each class the first choice that does so is taken: all of
its rows; only as many as an earlier release holds, the latest first (what was added waits); nothing. What two releases
tell apart is counted again by statements that share nothing with how it was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.commands.apply.deciding import Deciding, deciding_tables
from kanon_sql.errors import VerificationError
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.recount.counting import count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.release.release import Writing
from kanon_sql.release.statement import Generalization, release_select
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import union_all
from kanon_sql.sql.template import Fill, Item, column, quoted, state


@dataclass(frozen=True)
class Texts:
    """How releases are compared: the released columns, each as the text that a file holds of it.

    `missing` are texts of a quasi-identifier that mean a missing value. With `as_csv` an empty text is a missing value,
    which a CSV file does not tell apart. Without, types are those of the source in every release.
    """

    quasi_identifiers: tuple[str, ...]
    others: tuple[str, ...]
    missing: tuple[str, ...]
    as_csv: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in the order in which they are compared."""
        return (*self.quasi_identifiers, *self.others)

    @property
    def keys(self) -> list[Item]:
        """What the quasi-identifiers are called in the tables of texts."""
        return [{"name": f"q{i}"} for i in range(len(self.quasi_identifiers))]

    @property
    def cells(self) -> list[Item]:
        """What all columns are called there."""
        return [*self.keys, *({"name": f"o{i}"} for i in range(len(self.others)))]

    def named(self, texts: Sequence[exp.Expr]) -> list[Item]:
        """What query files take of a release: of each column its name there, and its text."""
        return [{**cell, "text": text} for cell, text in zip(self.cells, texts, strict=True)]

    def of_both(self, fresh: Sequence[exp.Expr], past: Sequence[exp.Expr]) -> list[Item]:
        """The same of a release and of the one that it is compared with."""
        return [{**cell, "fresh": new, "past": old} for cell, new, old in zip(self.cells, fresh, past, strict=True)]

    def of(self, table: Source) -> list[exp.Expr]:
        """The columns of a release as texts over its keys."""
        count = len(self.quasi_identifiers)
        return [self._text(table.column(name), self.missing if i < count else ()) for i, name in enumerate(self.names)]

    def _text(self, source_column: Column, missing: Sequence[str]) -> exp.Expr:
        value: exp.Expr = column(source_column.key)
        if source_column.type == "TIMESTAMP WITH TIME ZONE" and not self.as_csv:
            value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
        text = value if source_column.is_text else exp.cast(value, "VARCHAR")
        return null_for(text, [*missing, *([""] if self.as_csv else [])])


class Applying(Deciding):
    """Decides for each class of `candidates`, the new data at the levels of the `earlier` releases, oldest first."""

    def __init__(
        self, engine: Engine, texts: Texts, models: Models, k: int, candidates: Source, earlier: Sequence[Source]
    ) -> None:
        super().__init__(engine, models, k, len(earlier))
        self.texts = texts
        self.candidates = candidates
        for number, table in enumerate([candidates, *earlier]):
            self._read(number, table)

    def select(self, sort: Sequence[Item]) -> exp.Expr:
        """SELECT of the rows to be released under their real names."""
        out: list[Item] = [
            {"key": source_column.key, "name": source_column.name} for source_column in self.candidates.columns
        ]
        names: dict[str, Fill] = {"candidates": self.candidates.relation}
        return template.fill(
            "commands/apply/release", names, {"cell": self._cells(), "out": out, "sort": sort}, deciding_tables()
        )

    def of_rest(self) -> Applying:
        """The same for those candidates alone that no earlier release holds, which are compared with none of them."""
        rest = state("apply_unreleased")
        released = exp.select("*").from_(exp.Subquery(this=self._every_release(1), alias=_alias("every_release")))
        self.engine.query(
            "commands/apply/unreleased",
            names={"candidates": self.candidates.relation, "earlier": released, "unreleased": rest},
            lists={"cell": self._cells()},
        )
        keys = (column(source_column.key) for source_column in self.candidates.columns)
        relation = exp.select(*keys).from_(exp.Table(this=quoted(rest)))
        return Applying(self.engine, self.texts, self.models, self.k, replace(self.candidates, relation=relation), [])

    def foreign(self, written: Source) -> int:
        """How many rows of what was written are none of the candidates, each as often as it is there."""
        names: dict[str, Fill] = {"written": written.relation, "earlier": self.candidates.relation}
        lists = {"cell": self.texts.of_both(self.texts.of(written), self.texts.of(self.candidates))}
        rows = template.fill("commands/apply/added", names, lists)
        counted = exp.select(exp.Count(this=exp.Star())).from_(exp.Subquery(this=rows, alias=_alias("foreign_rows")))
        return int(self.engine.run(counted)[0][0])

    def _cells(self) -> list[Item]:
        return self.texts.named(self.texts.of(self.candidates))

    def _styles(self, number: int, position: int) -> tuple[int, int]:
        names: dict[str, Fill] = {"cell_name": f"q{position}", "release_texts": _texts(number)}
        half_open, closed = self.engine.query("commands/apply/styles", names=names)[0]
        return int(half_open), int(closed)

    def _every_release(self, first: int) -> exp.Expr:
        """The row texts of the releases from a number on; 0 is the new one."""
        numbers = range(first, self.earlier + 1)
        return union_all([exp.select("*").from_(exp.Table(this=quoted(_texts(i)))) for i in numbers])

    def _read(self, number: int, table: Source) -> None:
        cells = self.texts.named(self.texts.of(table))
        names = {"release_texts": _texts(number), "table_rows": table.relation}
        self.engine.query("commands/apply/texts", names=names, lists={"cell": cells}, values={"release": number})

    def _count(self) -> None:
        """Gives rows and classes numbers, sensitive values codes, and counts them in every release."""
        texts = exp.select("*").from_(exp.Subquery(this=self._every_release(0), alias=_alias("every_release")))
        names = {**deciding_tables(), "all_texts": texts}
        lists = {"qi": self.texts.keys, "cell": self.texts.cells}
        self.engine.query("commands/apply/cells", scope=names, lists=lists)
        items = [self._codes_of(sensitive, texts) for sensitive in self.models.columns.values()]
        self.engine.query("commands/apply/counts", scope=names, lists={"cell": self.texts.cells, "sensitive": items})

    def _codes_of(self, sensitive: Sensitive, texts: exp.Select) -> Item:
        """Gives the values of a sensitive column codes, those of earlier releases too."""
        cell = f"o{self.texts.others.index(sensitive.column.name)}"
        values = exp.select(exp.alias_(column(cell), "value", quoted=True)).from_(texts.copy().subquery("told"))
        codes = self.code(sensitive, cell, values.distinct(), self.texts.missing)
        return {"codes": codes, "code": sensitive.code, "cell": cell}

    def _try(self, attempt: int, held_by: int) -> None:
        lists = {"sensitive": [{"code": sensitive.code} for sensitive in self.models.columns.values()]}
        for name in ("attempt", "sets"):
            values = {"held_by": held_by} if name == "attempt" else None
            self.engine.query(f"commands/apply/{name}", scope=deciding_tables(), lists=lists, values=values)


def generalized(engine: Engine, prepared: SearchProblem, generalization: Generalization, writing: Writing) -> Source:
    """The new data at the levels, every row that takes part, under the types that they are released in."""
    released = generalization.roles.released
    select = release_select(engine, prepared.rows, generalization, 0, writing)
    assert isinstance(select, exp.Select)
    types = {
        qi.name: qi.type if level == 0 < mapping.height and not writing.as_text else "VARCHAR"
        for qi, mapping, level in generalization.quasi_identifiers
    }
    columns = tuple(
        Column(released_column.name, f"c{i}", types.get(released_column.name, released_column.type))
        for i, released_column in enumerate(released)
    )
    return Source(
        kind="query",
        relation=select_keys(select.subquery("generalized"), [released_column.name for released_column in released]),
        columns=columns,
        missing=prepared.source.missing,
        columnar=False,
        label="the new data",
        backend=prepared.source.backend,
    )


def _texts(number: int) -> str:
    """The table of the texts of a release; 0 is the new one."""
    return state(f"apply_texts_{number}")


_COMPARED = {"kept": "have in common", "added": "add", "removed": "lose"}


def recount_differences(
    engine: Engine, texts: Texts, written: Source, earlier: Sequence[tuple[int, Source]], question: Question
) -> list[dict[str, int]]:
    """For each earlier release, by its number, how many rows both hold, were added and were removed.

    Raises VerificationError where any class of these violates k or a model. A class that was removed as a whole is one
    as it was released; it is not judged again.
    """

    def sides(past: Source) -> tuple[dict[str, Table], int]:
        # Those removed that are judged are not all: classes that were removed as a whole are left out.
        all_rows = exp.select(exp.Count(this=exp.Star())).from_(past.relation.copy().subquery("past"))
        rows = int(engine.run(all_rows)[0][0])
        return {name: _table(texts, rows, question) for name, rows in _sets(texts, written, past).items()}, rows

    return judged_differences(engine, ((number, *sides(past)) for number, past in earlier), question)


def judged_differences(
    engine: Engine, differences: Iterable[tuple[int, Mapping[str, Table], int]], question: Question
) -> list[dict[str, int]]:
    """The same of tables of each side, with the number of the earlier release and how many rows it has."""
    row_counts = []
    problems = []
    for number, sides, past_rows in differences:
        rows = {"release": number}
        for name, wording in _COMPARED.items():
            counts = count_classes(engine, sides[name], question)
            rows[name] = counts.rows
            if counts.violating_classes:
                problems.append(
                    f"{counts.violating_classes:,} classes ({counts.violating_rows:,} rows) of what the release and "
                    f"release {number} {wording} violate k or a model"
                )
        rows["removed"] = past_rows - rows["kept"]
        row_counts.append(rows)
    if problems:
        raise VerificationError(problems)
    return row_counts


def _sets(texts: Texts, written: Source, past: Source) -> dict[str, exp.Expr]:
    names: dict[str, Fill] = {"written": written.relation, "earlier": past.relation}
    lists = {"cell": texts.of_both(texts.of(written), texts.of(past))}
    kept, added = (template.fill(f"commands/apply/{name}", names, lists) for name in ("kept", "added"))
    of_kept = exp.select("*").from_(exp.Subquery(this=kept.copy(), alias=_alias("in_both")))
    removed = template.fill("commands/apply/removed", {**names, "kept": of_kept}, {**lists, "qi": texts.keys})
    return {"kept": kept, "added": added, "removed": removed}


def _table(texts: Texts, rows: exp.Expr, question: Question) -> Table:
    values = [column(str(key["name"])) for key in texts.keys]
    sensitive = {}
    for name, sensitive_column in question.columns.items():
        value: exp.Expr = column(f"o{texts.others.index(name)}")
        if sensitive_column.column.is_text and question.missing:
            absent = exp.In(this=value.copy(), expressions=[exp.Literal.string(text) for text in question.missing])
            value = exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=value)
        sensitive[name] = value
    return Table(exp.select("*").from_(exp.Subquery(this=rows, alias=_alias("told_apart"))), values, sensitive)


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name))
