"""Counting a table as it stands: its equivalence classes, and whether they hold k and the models.

The statements share nothing with the search: they read the values, not codes, and say of each model what it is by its
definition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy import parameters as privacy
from kanon_sql.privacy.model import Model
from kanon_sql.source.model import Column
from kanon_sql.source.values import normalized
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Composed, Item, column, compose


@dataclass(frozen=True)
class Measured:
    """What the classes reach of a model: the least and the greatest measure, None without a class."""

    least: float | None
    most: float | None
    violating_classes: int


@dataclass(frozen=True)
class ClassCounts:
    """Equivalence classes of a table; `starred` rows, * in every quasi-identifier, where these are counted apart.

    `fewest` are the rows, or the entities where k counts these, of the smallest class, starred rows included; `models`
    are in the order of the models that were asked about.
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
    models: tuple[Measured, ...] = ()

    @property
    def average(self) -> float | None:
        """Rows for each class, None without one."""
        return (self.rows - self.starred) / self.classes if self.classes else None


@dataclass(frozen=True)
class Table:
    """Rows to be counted: `quasi_identifiers` and `sensitive` columns as expressions over the columns of `rows`.

    Where it is `weighted` each of them stands for as many rows as its column row_count says.
    """

    rows: exp.Select
    quasi_identifiers: Sequence[exp.Expr]
    sensitive: MappingOf[str, exp.Expr] = field(default_factory=dict)
    entity: exp.Expr | None = None
    weighted: bool = False


def row_total(*, weighted: bool) -> exp.Expr:
    """How many rows a group holds: of a weighted table the sum of its column row_count."""
    return template.parse("CAST(sum(row_count) AS BIGINT)") if weighted else exp.Count(this=exp.Star())


@dataclass(frozen=True)
class Question:
    """What is asked of each class: `k`, and `models` of the sensitive `columns`, compared with `reference`.

    `populations[i]` selects a population's persons by quasi-identifier values v0, v1 ... as `persons`.
    """

    k: int
    models: tuple[Model, ...] = ()
    columns: MappingOf[str, Sensitive] = field(default_factory=dict)
    reference: Table | None = None
    populations: Sequence[exp.Expr] = ()
    missing: tuple[str, ...] = ()


def comparable(item: Column, of_source: Column, missing: Sequence[str], *, is_csv: bool = False) -> exp.Expr:
    """A sensitive value as the models read it, of the source or of what was written of it; 0.0 and -0.0 are one.

    Read from a release in CSV, an empty text is NULL: whether it is a value says `missing`.
    """
    if is_csv and "" not in missing:
        filled = exp.Coalesce(this=column(item.key), expressions=[exp.Literal.string("")])
        inner = normalized(item, missing)
        value = (
            filled if not missing else inner.transform(lambda node: filled.copy() if node == column(item.key) else node)
        )
    else:
        value = normalized(item, missing)
    if of_source.type in ("DOUBLE", "FLOAT"):
        return exp.Add(this=exp.TryCast(this=value, to=exp.DataType.build("DOUBLE")), expression=exp.Literal.number(0))
    return value


def count_classes(engine: Engine, table: Table, question: Question, *, apart: bool = False) -> ClassCounts:
    """The equivalence classes of a table; NULL is a value.

    With `apart` rows that are * in every quasi-identifier are no class of these but counted as starred.
    """
    statement = _Recount(table, question).statement()
    values = {"k": question.k, "apart": apart}
    if any(isinstance(model.spec, privacy.TCloseness) and model.spec.hierarchy for model in question.models):
        values["missing"] = list(question.missing)  # type: ignore[assignment]
    row = engine.run(template.text(statement), values)[0]
    number = len(question.models)
    least, most, violating = (row[9 + start : 9 + start + number] for start in (0, number, 2 * number))
    reached = zip(least, most, violating, strict=True)
    rows, classes, smallest, largest, starred, violating_classes, violating_rows, unique_rows, fewest = map(
        int, row[:9]
    )
    return ClassCounts(
        rows,
        classes,
        smallest,
        largest,
        starred,
        violating_classes,
        violating_rows,
        unique_rows,
        fewest,
        tuple(Measured(_finite(low), _finite(high), int(classes)) for low, high, classes in reached),
    )


def _finite(value: float | int | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


class _Recount:
    """The statement: common table expressions for what is counted, and one for each model."""

    def __init__(self, table: Table, question: Question) -> None:
        self.table = table
        self.question = question
        self.by_entity = table.entity is not None
        self._keys: list[Item] = [{"value": f"v{i}"} for i in range(len(table.quasi_identifiers))]
        self._parts: list[exp.Expr] = []

    def statement(self) -> exp.Expr:
        """SELECT of the counts."""
        self._add("table_rows", self._rows(self.table, keys=True), keep=self.by_entity or len(self._spoken()) != 1)
        for one in self._spoken():
            self._add_column(one)
        self._add_sizes()
        for index, _ in enumerate(self.question.populations):
            self._add_population(index)
        judged = [compose("recount/judged_k")]
        for index, model in enumerate(self.question.models):
            self._add(f"measured_{index}", self._measured(model), keep=True)
            judged.append(compose("recount/judged_model", {"measured": f"measured_{index}"}))
        union = judged[0].tree
        for more in judged[1:]:
            union = exp.Union(this=union, expression=more.tree, distinct=False)
        items: list[Item] = [
            {
                "measured": f"measured_{index}",
                "least": f"least_{index}",
                "most": f"most_{index}",
                "violating": f"bad_{index}",
            }
            for index in range(len(self.question.models))
        ]
        lists = {"qi": self._keys, "model": items}
        whole = template.fill(compose("recount/classes", {"judged": Composed(union)}), lists=lists)
        whole.set("with_" if "with_" in exp.Select.arg_types else "with", exp.With(expressions=self._parts))
        return whole

    def _spoken(self) -> list[Sensitive]:
        names = dict.fromkeys(model.column for model in self.question.models if model.column is not None)
        return [self.question.columns[name] for name in names]

    def _rows(self, table: Table, *, keys: bool) -> exp.Expr:
        """The rows with their values under the names v0, v1 ..., s0, s1 ..., entity."""
        values = [
            exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(table.quasi_identifiers) if keys
        ]
        values += [exp.alias_(table.sensitive[one.column.name].copy(), one.code, quoted=True) for one in self._spoken()]
        if table.entity is not None:
            values.append(exp.alias_(table.entity.copy(), "entity", quoted=True))
        if table.weighted:
            values.append(column("row_count"))
        return exp.select(*values).from_(table.rows.copy().subquery("given_rows"))

    def _add_column(self, one: Sensitive) -> None:
        """Its values counted in each class, and in all rows."""
        tail = "_entities" if self.by_entity else ""
        names = {"sensitive_value": one.code}
        self._add(f"counted_{one.index}", self._filled(f"counted{tail}", names), keep=True)
        reference = self.question.reference or self.table
        rows = Composed(self._rows(reference, keys=False))
        compared = self._filled(f"reference{tail}", {**names, "reference_rows": rows}, weighted=reference.weighted)
        self._add(f"reference_{one.index}", compared, keep=True)
        speaking = [model for model in self.question.models if model.column == one.column.name]
        if any(model.needs_sizes for model in speaking):
            self._add(f"shares_{one.index}", self._filled("shares", self._names(one)), keep=True)
        for kind in {model.spec.distance for model in speaking if isinstance(model.spec, privacy.TCloseness)}:
            self._add_distance(one, kind)

    def _add_distance(self, one: Sensitive, kind: str) -> None:
        if kind == "ordered":
            self._add(f"ranks_{one.index}", self._filled("ranks", {"domain": one.domain}), keep=True)
            self._add(f"ranked_{one.index}", self._filled("ranked", self._names(one)), keep=True)
        if kind == "hierarchical" and one.mapping is not None:
            items: list[Item] = [{"number": level, "code": f"level_{level}"} for level in range(one.mapping.height)]
            statement = compose("recount/steps", {"mapping": one.mapping.table})
            self._add(f"steps_{one.index}", template.fill(statement, lists={"step": items}), keep=True)

    def _add_sizes(self) -> None:
        spoken = self._spoken()
        if self.by_entity:
            made = self._filled("sizes_entities", {})
        elif spoken:
            made = self._filled("sizes_of_counted", {"counted": f"counted_{spoken[0].index}"})
        else:
            made = self._filled("sizes", {})
        self._add("sizes", made, keep=True)

    def _add_population(self, index: int) -> None:
        population = Composed(self.question.populations[index])
        self._add(f"matched_{index}", self._filled("matched", {"population": population}), keep=True)

    def _measured(self, model: Model) -> exp.Expr:
        file = model.file.removeprefix("privacy/")
        if model.population is not None:
            return self._filled(file, {"matched": f"matched_{model.population}"}, model.literals(0))
        assert model.column is not None
        one = self.question.columns[model.column]
        height = one.mapping.height if one.mapping else 0
        return self._filled(file, self._names(one), model.literals(height))

    def _names(self, one: Sensitive) -> dict[str, str | Composed]:
        return {name: f"{name}_{one.index}" for name in ("counted", "reference", "shares", "ranks", "ranked", "steps")}

    def _filled(
        self,
        file: str,
        names: MappingOf[str, str | Composed],
        values: MappingOf[str, exp.Expr] | None = None,
        *,
        weighted: bool | None = None,
    ) -> exp.Expr:
        total = row_total(weighted=self.table.weighted if weighted is None else weighted)
        statement = compose(f"recount/{file}", names, values)
        return template.fill(statement, names={"row_total": total}, lists={"qi": self._keys})

    def _add(self, name: str, statement: exp.Expr, *, keep: bool) -> None:
        alias = exp.TableAlias(this=exp.to_identifier(name))
        self._parts.append(exp.CTE(this=statement, alias=alias, materialized=keep or None))
