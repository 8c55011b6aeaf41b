"""The statement that measures the classes of a table for each model: what is counted, then one measure a model.

Its measures are queries over tables of these names: counted (how often a class holds each value of the model's column),
reference (the shares of all rows), shares (both), ranks and ranked (the order of the values), steps (the nodes above
them), and matched (the persons of the model's population). A chain holds only those that its measures read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from functools import cache

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.registry import Model
from kanon_sql.privacy.statement import parameters
from kanon_sql.privacy.thresholds import Threshold
from kanon_sql.sql import template
from kanon_sql.sql.template import Composed, Item, column, compose, quoted

# Rows that name no entity belong to one.
HOLDERS = "count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END)"
# The tables of a column, each after those that it reads itself.
_PARTS = ("counted", "reference", "shares", "ranks", "ranked", "steps")
# Called with "ranks" or "steps" and a column, it gives the statement of that table; None where the table exists.
OfColumn = Callable[[str, Sensitive], "exp.Expr | None"]


@dataclass(frozen=True)
class Table:
    """Rows to be counted: `quasi_identifiers` and `sensitive` columns as expressions over the columns of `rows`.

    Each row of a `weighted` table stands for as many rows as its column row_count says.
    """

    rows: exp.Select | exp.Table
    quasi_identifiers: Sequence[exp.Expr]
    sensitive: MappingOf[str, exp.Expr] = field(default_factory=dict)
    entity: exp.Expr | None = None
    weighted: bool = False

    def select(self, values: Sequence[exp.Expr]) -> exp.Select:
        """SELECT of these values of each row, and its row_count in a weighted table."""
        rows = self.rows.copy()
        origin = rows if isinstance(rows, exp.Table) else rows.subquery("given_rows")
        return exp.select(*values, *([column("row_count")] if self.weighted else ())).from_(origin)


@dataclass(frozen=True)
class Question:
    """What classes are checked for: `k`, and `models` of the sensitive `columns`, compared with `reference`.

    `populations[i]` selects a population's persons by quasi-identifier values v0, v1 ... as `persons`. With
    `known_columns` every combination of values in so many quasi-identifiers is checked, not the classes.
    """

    k: int
    models: tuple[Model, ...] = ()
    columns: MappingOf[str, Sensitive] = field(default_factory=dict)
    reference: Table | None = None
    populations: Sequence[exp.Expr] = ()
    missing: tuple[str, ...] = ()
    known_columns: int | None = None
    thresholds: tuple[Threshold, ...] = ()  # of the table as a whole

    @property
    def attributes(self) -> list[Sensitive]:
        """The sensitive columns (attributes) of its models."""
        names = dict.fromkeys(model.column for model in self.models if model.column is not None)
        return [self.columns[name] for name in names]


def named_rows(table: Table, attributes: Sequence[Sensitive], *, keys: bool = True) -> exp.Select:
    """The rows with their values as v0, v1 ... (unless without `keys`), s0, s1 ..., and entity."""
    values = [exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(table.quasi_identifiers) if keys]
    values += [exp.alias_(table.sensitive[attr.column.name].copy(), attr.code, quoted=True) for attr in attributes]
    if table.entity is not None:
        values.append(exp.alias_(table.entity.copy(), "entity", quoted=True))
    return table.select(values)


def parts_of(model: Model) -> set[str]:
    """The tables that the measure of a model reads."""
    read = set(_tables(model.spec.measure))
    for name in reversed(_PARTS):
        if name in read and name not in ("ranks", "steps"):
            read |= _tables(f"recount/{name}")
    return read


@cache
def _tables(file: str) -> frozenset[str]:
    return frozenset(table.name for table in template.load(file).find_all(exp.Table))


def row_total(*, weighted: bool) -> exp.Expr:
    """The number of rows of a group, as an expression."""
    return template.parse("CAST(sum(row_count) AS BIGINT)") if weighted else exp.Count(this=exp.Star())


def ranks_and_steps(missing: Sequence[str]) -> OfColumn:
    """The tables ranks and steps, over the engine's own tables of a column's values."""

    def of_column(name: str, attr: Sensitive) -> exp.Expr:
        if name == "ranks":
            return template.fill("recount/ranks", {"domain": attr.domain, "value_text": attr.text})
        assert attr.mapping is not None
        items: list[Item] = [{"number": level, "code": f"level_{level}"} for level in range(attr.mapping.height)]
        texts = [exp.Literal.string(text) for text in missing if attr.column.is_text]
        values: dict[str, exp.Expr] = {"missing": exp.Array(expressions=texts)}
        steps = compose("recount/steps", {"mapping": attr.mapping.table}, values)
        return template.fill(steps, {"value_text": attr.text}, lists={"step": items})

    return of_column


class Chain:
    """Common table expressions: `table_rows`, `sizes` of the classes and, for model i, `measured_i`.

    With `at_once` the rows are read once where that is enough, and the classes' sizes are those of the values.
    """

    def __init__(self, table: Table, question: Question, of_column: OfColumn, *, at_once: bool = False) -> None:
        self.parts: list[exp.CTE] = []
        self.keys: list[Item] = [{"value": f"v{i}"} for i in range(len(table.quasi_identifiers))]
        self._table = table
        self._question = question
        attributes = question.attributes
        of_counted = at_once and bool(attributes) and table.entity is None and not any(a.several for a in attributes)
        self._add("table_rows", named_rows(table, question.attributes), keep=not of_counted or len(attributes) > 1)
        if not of_counted:
            self._add("sizes", self._filled("recount/sizes"))
        for attr in attributes:
            self._add_column(attr, of_column)
        if of_counted:
            self._add("sizes", self._filled("recount/sizes_of_counted", {"counted": f"counted_{attributes[0].index}"}))
        for index, population in enumerate(question.populations):
            self._add(f"matched_{index}", self._filled("recount/matched", {"population": Composed(population)}))
        for index, model in enumerate(question.models):
            self._add(f"measured_{index}", self._measured(model))

    def too_small(self, k: exp.Expr) -> exp.Expr:
        """SELECT of the classes that hold too few: class_rows, reached."""
        return self._filled("recount/violating_k", values={"k": k})

    def violating(self, index: int) -> exp.Expr:
        """SELECT of the classes that violate a model: class_rows, reached."""
        return self._filled("recount/violating_model", {"measured": f"measured_{index}"})

    def before(self, statement: exp.Query, *others: exp.CTE) -> None:
        """Puts the chain, after `others`, into the WITH of a statement that reads it."""
        statement.set("with_", exp.With(expressions=[*others, *self.parts]))

    def _add_column(self, attr: Sensitive, of_column: OfColumn) -> None:
        """Adds what the models read of a column; its values counted in each class come first."""
        speaking = [model for model in self._question.models if model.column == attr.column.name]
        read = {"counted"}.union(*map(parts_of, speaking))
        reference = self._question.reference or self._table
        for name in _PARTS:
            if name not in read:
                continue
            statement: exp.Expr | None
            if name in ("ranks", "steps"):
                statement = of_column(name, attr)
            elif name == "reference":
                rows = Composed(named_rows(reference, self._question.attributes, keys=False))
                if attr.several:
                    rows = compose("recount/held_of_all", {"table_rows": rows, "sensitive_value": attr.code})
                holes: dict[str, str | Composed] = {"sensitive_value": attr.code, "reference_rows": rows}
                statement = self._filled("recount/reference", holes, of=reference)
            elif name == "counted":
                holes = {"sensitive_value": attr.code}
                if attr.several:
                    holes["table_rows"] = compose("recount/held", {"sensitive_value": attr.code})
                statement = self._filled("recount/counted", holes)
            else:
                statement = self._filled(f"recount/{name}", self._names(attr))
            if statement is not None:
                self._add(f"{name}_{attr.index}", statement)

    def _measured(self, model: Model) -> exp.Expr:
        file = model.spec.measure
        if model.population is not None:
            return self._filled(file, {"matched": f"matched_{model.population}"}, parameters(model, {}))
        attr = self._question.columns[model.column or ""]
        return self._filled(file, self._names(attr), parameters(model, {"height": attr.height}))

    def _names(self, attr: Sensitive) -> dict[str, str | Composed]:
        return {name: f"{name}_{attr.index}" for name in _PARTS}

    def _filled(
        self,
        file: str,
        names: MappingOf[str, str | Composed] | None = None,
        values: MappingOf[str, exp.Expr] | None = None,
        of: Table | None = None,
    ) -> exp.Expr:
        rows = row_total(weighted=(of or self._table).weighted)
        holders = template.parse(HOLDERS) if self._table.entity is not None else rows
        statement = compose(file, values=values, scope=names)
        lists = {"qi": self.keys} if template.mentions(statement, "qi") else {}
        totals: dict[str, template.Fill] = {"row_total": rows, "holder_total": holders}
        return template.fill(statement, lists=lists, scope=totals, part=True)

    def _add(self, name: str, statement: exp.Expr, *, keep: bool = True) -> None:
        alias = exp.TableAlias(this=quoted(name))
        self.parts.append(exp.CTE(this=statement, alias=alias, materialized=keep or None))
