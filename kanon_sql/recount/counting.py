"""Counts a table as it stands: its equivalence classes, and whether they hold k and the models.

The statements share nothing with the search: they read values, not codes, and measure each model by its definition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.privacy.uniqueness import ClassSizes
from kanon_sql.recount.combinations import FewColumns, count_few_columns
from kanon_sql.recount.statement import Chain, Question, Table, named_rows, ranks_and_steps
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import drop, union_all
from kanon_sql.sql.template import Composed, Item, column, compose, state


@dataclass(frozen=True)
class ModelMeasures:
    """What the classes reach of a model: the least and the greatest measure, None without a class."""

    least: float | None
    most: float | None
    violating_classes: int


@dataclass(frozen=True)
class GroupCounts:
    """Groups of rows that are released together: those that take part, those with released rows, and split ones.

    A split group has released rows and others. A row without a group is a group of its own.
    """

    taking_part: int
    released: int
    split: int


@dataclass(frozen=True)
class Reached:
    """The figure of a table that a threshold bounds, None without a class, and whether it is within the bound."""

    key: str
    actual: float | None
    holds: bool


@dataclass(frozen=True)
class ClassCounts:
    """Equivalence classes of a table; `starred` rows, * in every quasi-identifier, are in no class where counted apart.

    `fewest` are the rows, or the entities where k counts these, of the smallest class, starred rows included. `models`
    and `thresholds` are in the order of the question's; they do not see starred rows. `columns` is how many columns the
    counted combinations have. `digest` is that of a written release.
    """

    rows: int
    classes: int
    smallest: int
    largest: int
    starred: int
    violating_classes: int
    violating_rows: int
    unique_rows: int
    fewest: int
    models: tuple[ModelMeasures, ...] = ()
    columns: int = 0
    groups: GroupCounts | None = None
    thresholds: tuple[Reached, ...] = ()
    digest: str | None = None

    @property
    def average(self) -> float | None:
        """Rows per class, None without a class."""
        return (self.rows - self.starred) / self.classes if self.classes else None


def comparable(col: Column, of_source: Column, missing: Sequence[str], *, is_csv: bool = False) -> exp.Expr:
    """A sensitive value as models read it, of the source or of what was written of it.

    0.0 and -0.0 are one value, as are two texts that stand for one number or date by the configuration of the source.
    In a release read from CSV an empty text is NULL: `missing` says whether it is a value, or that the column was read
    so that it is none.
    """
    value: exp.Expr = column(col.key)
    if is_csv and "" not in missing and not (of_source.reading is not None and of_source.reading.makes_null):
        value = exp.Coalesce(this=value, expressions=[exp.Literal.string("")])
    value = null_for(value, missing if col.is_text else ())
    if col.is_text:
        value = understood(value, of_source.reading)
    if of_source.type in ("DOUBLE", "FLOAT"):
        return exp.Add(this=exp.TryCast(this=value, to=exp.DataType.build("DOUBLE")), expression=exp.Literal.number(0))
    return value


def count_classes(engine: Engine, table: Table, question: Question, *, apart: bool = False) -> ClassCounts:
    """The equivalence classes of a table; NULL is a value.

    With `apart`, rows that are * in every quasi-identifier are not in these classes but counted as starred. Where the
    question is about combinations of fewer quasi-identifiers, `fewest`, violations, unique rows and the models are of
    these: a combination that violates counts as a class, and a row that has one as a row of such a class.
    """
    if question.known_columns is not None and question.known_columns < len(table.quasi_identifiers):
        plain = count_classes(engine, replace(table, entity=None), Question(1), apart=apart)
        return _of_few(plain, count_few_columns(engine, table, question))
    row = engine.run(template.text(_statement(table, question)), {"k": question.k, "apart": apart})[0]
    number = len(question.models)
    least, most, violating = (row[9 + start : 9 + start + number] for start in (0, number, 2 * number))
    reached = zip(least, most, violating, strict=True)
    counted: list[Any] = [int(count) for count in row[:9]]
    counted.append(tuple(ModelMeasures(_finite(low), _finite(high), int(classes)) for low, high, classes in reached))
    whole = _reached(engine, table, question, apart=apart)
    return replace(ClassCounts(*counted), columns=len(table.quasi_identifiers), thresholds=whole)


@contextmanager
def grouped(engine: Engine, table: Table) -> Iterator[Table]:
    """The classes of a table as a temporary table of the engine, to be counted in its stead within the block."""
    items: list[Item] = [{"value": f"v{i}"} for i in range(len(table.quasi_identifiers))]
    classes = state("recounted_classes")
    names: dict[str, template.Fill] = {
        "written": named_rows(replace(table, entity=None), ()),
        "written_rows": column("row_count") if table.weighted else 1,
        "recounted_classes": classes,
    }
    engine.query("recount/classes_as_table", names=names, lists={"qi": items})
    values = [column(str(measured["value"])) for measured in items]
    yield Table(exp.Table(this=template.quoted(classes)), values, weighted=True)
    engine.run(drop(classes))


def class_digest(engine: Engine, table: Table) -> str:
    """The digest of a table's classes, its values in the order of the columns' names (see queries/recount/digest)."""
    written = named_rows(replace(table, entity=None), ())
    kinds = {str(row[0]): str(row[1]) for row in engine.run(exp.Describe(this=written.copy()))}
    values = [f"v{i}" for i in range(len(table.quasi_identifiers))]
    items: list[Item] = [{"value": value, "text": _in_utc(column(value), kinds[value])} for value in values]
    names: dict[str, template.Fill] = {
        "written": written,
        "written_rows": column("row_count") if table.weighted else 1,
    }
    return str(engine.query("recount/digest", names=names, lists={"qi": items})[0][0])


def _in_utc(value: exp.Expr, kind: str) -> exp.Expr:
    """The text of a value, of a moment that in UTC: a connection that is handed in may have another zone."""
    text = exp.cast(value.copy(), "VARCHAR")
    if kind != "TIMESTAMP WITH TIME ZONE":
        return text
    moment = exp.AtTimeZone(this=value.copy(), zone=exp.Literal.string("UTC"))
    shown = exp.DPipe(this=exp.cast(moment, "VARCHAR"), expression=exp.Literal.string("+00"))
    is_finite = exp.Anonymous(this="isfinite", expressions=[value.copy()])
    return exp.Case(ifs=[exp.If(this=is_finite, true=shown)], default=text)


def _of_few(classes: ClassCounts, few: FewColumns) -> ClassCounts:
    """The classes, with the counts of combinations of few columns."""
    return replace(
        classes,
        violating_classes=few.violating,
        violating_rows=few.rows,
        unique_rows=few.alone,
        fewest=few.fewest,
        columns=few.known,
        models=tuple(ModelMeasures(least, None, violating) for least, violating in few.models),
    )


def _reached(engine: Engine, table: Table, question: Question, *, apart: bool) -> tuple[Reached, ...]:
    """The thresholds of the table, from its classes by size."""
    if not question.thresholds:
        return ()
    chain = Chain(table, Question(1), ranks_and_steps(question.missing))
    statement = template.fill(compose("recount/size_counts"), lists={"qi": chain.keys}, part=True)
    assert isinstance(statement, exp.Select)
    chain.before(statement)
    sizes = ClassSizes.of(engine.run(template.text(statement), {"apart": apart}))
    if not sizes.rows:
        return tuple(Reached(threshold.key, None, holds=True) for threshold in question.thresholds)
    return tuple(
        Reached(threshold.key, threshold.actual(sizes), threshold.holds(sizes)) for threshold in question.thresholds
    )


def _finite(value: float | int | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _statement(table: Table, question: Question) -> exp.Expr:
    """SELECT of the counts: of the classes by k and by each model, and what they reach of each."""
    chain = Chain(table, question, ranks_and_steps(question.missing), at_once=True)
    items: list[Item] = [
        {"measured": f"measured_{i}", "least": f"least_{i}", "most": f"most_{i}", "violating": f"bad_{i}"}
        for i in range(len(question.models))
    ]
    judged = [compose("recount/judged_model", {"measured": str(names["measured"])}).tree for names in items]
    union = Composed(union_all([compose("recount/judged_k").tree, *judged]))
    lists = {"qi": chain.keys, "model": items}
    whole = template.fill(compose("recount/classes", {"judged": union}), lists=lists, part=True)
    assert isinstance(whole, exp.Select)
    chain.before(whole)
    return whole
