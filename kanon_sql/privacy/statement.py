"""The statements that find the classes which violate k or a privacy model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from sqlglot import exp

from kanon_sql.privacy.base import Number
from kanon_sql.privacy.registry import Model
from kanon_sql.sql.template import Composed, compose


@dataclass(frozen=True)
class Tables:
    """Where the rows to be judged are: each table has the columns of the classes' key.

    `tuples` has row_count; `holders`, where k counts entities, entity too; `sensitive[column]` value, row_count (and
    entity); `populations[i]` row_count.
    """

    tuples: str | Composed
    holders: str | Composed | None
    sensitive: Mapping[str, str | Composed]
    populations: Sequence[str | Composed] = ()


@dataclass(frozen=True)
class Values:
    """A sensitive column in the classes: `counts` gives their values, key, value and row_count.

    `tables` are those of all rows by the names that statements have for them, `numbers` the parameters about all rows.
    """

    index: int
    counts: Composed
    tables: Mapping[str, str]
    numbers: Mapping[str, Number]


def classes(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values], *, by_entity: bool) -> Composed:
    """The statement that gives each class with its size and whether it violates k ($k) or one of the models.

    Its list hole `key` is the key of a class, {"code": column} for each of its columns.
    """
    base = _base(models, tables, columns, by_entity=by_entity)
    return _sharing(_judged(base, models, tables, columns), models, columns)


def kept(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values]) -> Composed:
    """The statement that gives each class with the rows of it that are in no satisfying class, however it is split.

    No part of a class satisfies k or a monotone model where the whole does not; of the others some bound what parts may
    have (`PrivacyModel.keeps`), at least one of them here.
    """
    monotone = [model for model in models if model.spec.monotone]
    keeping = [model for model in models if not model.spec.monotone and model.spec.keeps is not None]
    judged = _judged(_base(keeping, tables, columns, by_entity=False), monotone, tables, columns)
    bounded = _union([_found(model, str(model.spec.keeps), tables, columns) for model in keeping])
    whole = compose("privacy/kept", {"classes": judged, "keeping_models": bounded})
    return _sharing(whole, [*monotone, *keeping], columns)


def absent(model: Model, tables: Tables) -> Composed:
    """The statement that counts the classes of a model's population of which nobody is in the table."""
    assert model.population is not None
    return compose("privacy/absent", {"tuples": tables.tuples, "population": tables.populations[model.population]})


def parameters(model: Model, numbers: Mapping[str, Number]) -> dict[str, exp.Expr]:
    """What stands for the parameters of a model's statement: those of the model, and further numbers."""
    return {name: exp.Literal.number(str(number)) for name, number in {**model.spec.numbers(), **numbers}.items()}


def _base(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values], *, by_entity: bool) -> Composed:
    """The statement that judges classes by k."""
    # Counted values hold every row in fewer rows than the table.
    counted = [f"class_counts_{columns[model.column].index}" for model in models if model.column is not None]
    tuples = counted[0] if counted and not by_entity else tables.tuples
    return compose(
        "privacy/k_entities" if by_entity else "privacy/k",
        scope={"tuples": tuples, "holders": tables.holders or tables.tuples},
    )


def _judged(base: Composed, models: Sequence[Model], tables: Tables, columns: Mapping[str, Values]) -> Composed:
    """The classes of `base`, which violate if they do there or violate one of the models."""
    if not models:
        return base
    violating = _union([_found(model, model.spec.violates, tables, columns) for model in models])
    return compose("privacy/classes", {"classes": base, "violating_models": violating})


def _found(model: Model, file: str, tables: Tables, columns: Mapping[str, Values]) -> exp.Expr:
    """What a file of a model finds of the classes."""
    names: dict[str, str | Composed] = {"tuples": tables.tuples}
    numbers: Mapping[str, Number] = {}
    if model.population is not None:
        names["population"] = tables.populations[model.population]
    if model.column is not None:
        one = columns[model.column]
        names |= {**{name: f"{name}_{one.index}" for name in ("class_counts", "class_values")}, **one.tables}
        numbers = one.numbers
    return compose(file, scope=names, values=parameters(model, numbers)).tree


def _sharing(whole: Composed, models: Sequence[Model], columns: Mapping[str, Values]) -> Composed:
    """The statement with the counts of values that its models read."""
    if models:
        shared = whole.tree.find(exp.With)
        assert shared is not None
        shared.set("expressions", [*_shared(models, columns), *shared.expressions])
    return whole


def _shared(models: Sequence[Model], columns: Mapping[str, Values]) -> list[exp.Expr]:
    """The counts of values that several models read, each once."""
    made: list[exp.Expr] = []
    for name, one in columns.items():
        speaking = [model for model in models if model.column == name]
        if not speaking:
            continue
        counts = f"class_counts_{one.index}"
        made.append(_cte(counts, one.counts))
        if any(model.spec.needs_sizes for model in speaking):
            made.append(_cte(f"class_values_{one.index}", compose("privacy/class_values", {"class_counts": counts})))
    return made


def _cte(name: str, statement: Composed) -> exp.Expr:
    return exp.CTE(this=statement.tree, alias=exp.TableAlias(this=exp.to_identifier(name)), materialized=True)


def _union(selects: Sequence[exp.Expr]) -> Composed:
    # A statement with common table expressions of its own can be no member as it stands.
    members = [
        exp.select("*").from_(exp.Subquery(this=one, alias=exp.TableAlias(this=exp.to_identifier("violating"))))
        if one.args.get("with_")
        else one
        for one in selects
    ]
    return Composed(reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), members))
