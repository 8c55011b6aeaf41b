"""The statement that says of each class what it reaches of each model: what is counted, then one measure a model.

Its measures are queries over tables of these names: counted (how often a class holds each value of the model's column),
reference (the shares of all rows), shares (both), ranks and ranked (the order of the values), steps (the nodes above
them), and matched (the persons of the model's population). A chain holds those that its measures read, and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from functools import cache, reduce

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.registry import Model
from kanon_sql.privacy.statement import parameters
from kanon_sql.privacy.thresholds import Threshold
from kanon_sql.sql import template
from kanon_sql.sql.template import Composed, Item, column, compose, quoted

# Rows that name no entity belong to one.
HOLDERS = "count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END)"
# What is said of a column, each after what it reads itself.
_PARTS = ("counted", "reference", "shares", "ranks", "ranked", "steps")


@dataclass(frozen=True)
class Table:
    """Rows to be counted: `quasi_identifiers` and `sensitive` columns as expressions over the columns of `rows`.

    Where it is `weighted` each of them stands for as many rows as its column row_count says.
    """

    rows: exp.Select | exp.Table
    quasi_identifiers: Sequence[exp.Expr]
    sensitive: MappingOf[str, exp.Expr] = field(default_factory=dict)
    entity: exp.Expr | None = None
    weighted: bool = False

    def select(self, values: Sequence[exp.Expr]) -> exp.Select:
        """SELECT of these values of each row, and its row_count where that counts."""
        rows = self.rows.copy()
        origin = rows if isinstance(rows, exp.Table) else rows.subquery("given_rows")
        return exp.select(*values, *([column("row_count")] if self.weighted else ())).from_(origin)


@dataclass(frozen=True)
class Question:
    """What is asked of each class: `k`, and `models` of the sensitive `columns`, compared with `reference`.

    `populations[i]` selects a population's persons by quasi-identifier values v0, v1 ... as `persons`. With
    `known_columns` it is asked of every combination of values in so many quasi-identifiers, not of the classes.
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
    def spoken(self) -> list[Sensitive]:
        """The sensitive columns that a model speaks of."""
        names = dict.fromkeys(model.column for model in self.models if model.column is not None)
        return [self.columns[name] for name in names]


def named_rows(table: Table, spoken: Sequence[Sensitive], *, keys: bool = True) -> exp.Select:
    """The rows with their values under the names v0, v1 ..., unless without `keys`, then s0, s1 ..., entity."""
    values = [exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(table.quasi_identifiers) if keys]
    values += [exp.alias_(table.sensitive[one.column.name].copy(), one.code, quoted=True) for one in spoken]
    if table.entity is not None:
        values.append(exp.alias_(table.entity.copy(), "entity", quoted=True))
    return table.select(values)


# The statement of the table ranks or steps of a column; None where a table of that name is there already.
Given = Callable[[str, Sensitive], "exp.Expr | None"]


def parts_of(model: Model) -> set[str]:
    """What a model's measure reads, as of its column."""
    found = set(_tables(model.spec.measure))
    for name in reversed(_PARTS):
        if name in found and name not in ("ranks", "steps"):
            found |= _tables(f"recount/{name}")
    return found


@cache
def _tables(file: str) -> frozenset[str]:
    return frozenset(table.name for table in template.load(file).find_all(exp.Table))


def row_total(*, weighted: bool) -> exp.Expr:
    """How many rows a group holds: of a weighted table the sum of its column row_count."""
    return template.parse("CAST(sum(row_count) AS BIGINT)") if weighted else exp.Count(this=exp.Star())


def union_all(selects: Sequence[exp.Expr]) -> exp.Expr:
    """The rows of all of them."""
    return reduce(lambda one, more: exp.Union(this=one, expression=more, distinct=False), selects)


def ranks_and_steps(missing: Sequence[str]) -> Given:
    """The tables ranks and steps as statements over those that the engine has of the values of a column."""

    def given(name: str, one: Sensitive) -> exp.Expr:
        if name == "ranks":
            return template.fill("recount/ranks", {"domain": one.domain, "value_text": one.text})
        assert one.mapping is not None
        items: list[Item] = [{"number": level, "code": f"level_{level}"} for level in range(one.mapping.height)]
        texts = [exp.Literal.string(text) for text in missing if one.column.is_text]
        values: dict[str, exp.Expr] = {"missing": exp.Array(expressions=texts)}
        return template.fill(
            compose("recount/steps", {"mapping": one.mapping.table}, values),
            {"value_text": one.text},
            lists={"step": items},
        )

    return given


class Chain:
    """Common table expressions: `table_rows`, `sizes` of the classes and, for model i, `measured_i`.

    With `at_once` the rows are read once where that is enough, and the classes' sizes are those of the values.
    """

    def __init__(self, table: Table, question: Question, given: Given, *, at_once: bool = False) -> None:
        self.parts: list[exp.CTE] = []
        self.keys: list[Item] = [{"value": f"v{i}"} for i in range(len(table.quasi_identifiers))]
        self._table = table
        self._question = question
        spoken = question.spoken
        of_counted = at_once and bool(spoken) and table.entity is None
        self._add("table_rows", named_rows(table, question.spoken), keep=not of_counted or len(spoken) > 1)
        if not of_counted:
            self._add("sizes", self._filled("recount/sizes"))
        for one in spoken:
            self._add_column(one, given)
        if of_counted:
            self._add("sizes", self._filled("recount/sizes_of_counted", {"counted": f"counted_{spoken[0].index}"}))
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
        """Puts the chain, after `others`, at the head of a statement that reads it."""
        statement.set("with_", exp.With(expressions=[*others, *self.parts]))

    def _add_column(self, one: Sensitive, given: Given) -> None:
        """What the models read of a column; its values counted in each class come first."""
        speaking = [model for model in self._question.models if model.column == one.column.name]
        read = {"counted"}.union(*map(parts_of, speaking))
        reference = self._question.reference or self._table
        for name in _PARTS:
            if name not in read:
                continue
            made: exp.Expr | None
            if name in ("ranks", "steps"):
                made = given(name, one)
            elif name == "reference":
                rows = Composed(named_rows(reference, self._question.spoken, keys=False))
                holes: dict[str, str | Composed] = {"sensitive_value": one.code, "reference_rows": rows}
                made = self._filled("recount/reference", holes, of=reference)
            elif name == "counted":
                made = self._filled("recount/counted", {"sensitive_value": one.code})
            else:
                made = self._filled(f"recount/{name}", self._names(one))
            if made is not None:
                self._add(f"{name}_{one.index}", made)

    def _measured(self, model: Model) -> exp.Expr:
        file = model.spec.measure
        if model.population is not None:
            return self._filled(file, {"matched": f"matched_{model.population}"}, parameters(model, {}))
        one = self._question.columns[model.column or ""]
        return self._filled(file, self._names(one), parameters(model, {"height": one.height}))

    def _names(self, one: Sensitive) -> dict[str, str | Composed]:
        return {name: f"{name}_{one.index}" for name in _PARTS}

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
