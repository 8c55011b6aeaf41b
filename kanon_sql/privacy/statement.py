"""The statements that find the classes which violate k or a privacy model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.privacy.base import Number
from kanon_sql.privacy.registry import Model
from kanon_sql.sql.tables import union_all
from kanon_sql.sql.template import Composed, compose


@dataclass(frozen=True)
class Tables:
    """The tables whose classes are checked: each has the columns of the classes' key.

    `tuples` has row_count; `holders`, where k counts entities, entity too; `sensitive[column]` value, row_count (and
    entity); `populations[i]` row_count. If they are `tallied`, `tuples` has tally_name too, the counts of the values of
    the one sensitive column, and `sensitive` is not read: the list holes `tally` and `slot` are what Tallies give.
    """

    tuples: str | Composed
    holders: str | Composed | None
    sensitive: Mapping[str, str | Composed]
    populations: Sequence[str | Composed] = ()
    tallied: bool = False


@dataclass(frozen=True)
class Values:
    """A sensitive column in the classes: `counts` gives (key, value, row_count).

    `tables` maps the names that the models' statements have for tables of all rows to the tables, `numbers` their
    parameters about all rows to values. Where rows hold `several` values, their counts are no numbers of rows.
    """

    index: int
    counts: Composed
    tables: Mapping[str, str]
    numbers: Mapping[str, Number]
    several: bool = False


def classes(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values], *, by_entity: bool) -> Composed:
    """The statement that gives each class with its size and whether it violates k ($k) or one of the models.

    Its list hole `key` is the key of a class, {"code": column} for each of its columns.
    """
    base = _base(models, tables, columns, by_entity=by_entity)
    if tables.tallied:
        base, models = _layered(base, models, columns)
    if not models:
        return base
    sizes = base if tables.tallied else _shared_sizes(base, models, columns, by_entity=by_entity)
    judged = _judged("class_sizes" if sizes else base, models, tables, columns)
    return _with_shared(judged, models, tables, columns, sizes)


def kept(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values]) -> Composed:
    """The statement that gives each class with the rows of it that are in no satisfying class, however it is split.

    Where the whole violates k or a monotone model, so does every part. Of the other models, those with
    `PrivacyModel.keeps` bound what parts may release; at least one of `models` has it.
    """
    monotone = [model for model in models if model.spec.monotone]
    keeping = [model for model in models if not model.spec.monotone and model.spec.keeps is not None]
    base = _base(keeping, tables, columns, by_entity=False)
    sizes = base if tables.tallied else _shared_sizes(base, keeping, columns, by_entity=False)
    judged: str | Composed = "class_sizes" if sizes else base
    if monotone:
        judged = _judged(judged, monotone, tables, columns)
    bounded = _union([_of_model(model, str(model.spec.keeps), tables, columns) for model in keeping])
    whole = compose("privacy/kept", {"classes": judged, "keeping_models": bounded})
    return _with_shared(whole, [*monotone, *keeping], tables, columns, sizes)


def absent(model: Model, tables: Tables) -> Composed:
    """The statement that counts the classes of a model's population of which nobody is in the table."""
    assert model.population is not None
    return compose("privacy/absent", {"tuples": tables.tuples, "population": tables.populations[model.population]})


def parameters(model: Model, numbers: Mapping[str, Number]) -> dict[str, exp.Expr]:
    """The parameters of a model's statement, as literals: those of the model, and further numbers."""
    return {name: exp.Literal.number(str(number)) for name, number in {**model.spec.numbers(), **numbers}.items()}


def _base(models: Sequence[Model], tables: Tables, columns: Mapping[str, Values], *, by_entity: bool) -> Composed:
    """The classes with their sizes, and whether they violate k."""
    if tables.tallied and models:
        return compose("privacy/k_tallied", {"tuples": tables.tuples})
    # Counted values hold every row in fewer rows than the table.
    counting = [columns[model.column] for model in models if model.column is not None]
    counted = [f"class_counts_{values.index}" for values in counting if not values.several]
    tuples = counted[0] if counted and not by_entity else tables.tuples
    return compose(
        "privacy/k_entities" if by_entity else "privacy/k",
        scope={"tuples": tuples, "holders": tables.holders or tables.tuples},
    )


def _layered(
    classes: Composed, models: Sequence[Model], columns: Mapping[str, Values]
) -> tuple[Composed, Sequence[Model]]:
    """The classes with the counts of values as columns, judged by the models that read these; and the other models."""
    for model in models:
        if model.spec.tallied is not None:
            numbers = parameters(model, columns[str(model.column)].numbers)
            classes = compose(model.spec.tallied, {"classes": classes}, numbers)
    return classes, [model for model in models if model.spec.tallied is None]


def _shared_sizes(
    base: Composed, models: Sequence[Model], columns: Mapping[str, Values], *, by_entity: bool
) -> Composed | None:
    """The classes of `base` if models compare with their sizes: every row has a value where k counts rows, and one
    alone where none holds several.
    """
    comparing = [columns[str(model.column)] for model in models if model.spec.needs_sizes]
    return base if not by_entity and any(not values.several for values in comparing) else None


def _judged(base: str | Composed, models: Sequence[Model], tables: Tables, columns: Mapping[str, Values]) -> Composed:
    """The classes of `base`; those that violate there or violate one of the models do."""
    violating = _union([_of_model(model, model.spec.violates, tables, columns) for model in models])
    return compose("privacy/classes", {"classes": base, "violating_models": violating})


def _of_model(model: Model, file: str, tables: Tables, columns: Mapping[str, Values]) -> exp.Expr:
    """A query file of a model, with the model's tables and parameters put in."""
    names: dict[str, str | Composed] = {"tuples": tables.tuples}
    numbers: Mapping[str, Number] = {}
    if model.population is not None:
        names["population"] = tables.populations[model.population]
    if model.column is not None:
        values = columns[model.column]
        counts = f"class_counts_{values.index}"
        sized = counts if tables.tallied else f"class_values_{values.index}"
        names |= {"class_counts": counts, "class_values": sized, **values.tables}
        numbers = values.numbers
    return compose(file, scope=names, values=parameters(model, numbers)).tree


def _with_shared(
    whole: Composed, models: Sequence[Model], tables: Tables, columns: Mapping[str, Values], sizes: Composed | None
) -> Composed:
    shared = whole.tree.find(exp.With)
    assert shared is not None
    if tables.tallied and sizes is not None:
        (values,) = columns.values()
        tallied = compose("privacy/class_values_tallied", {"class_sizes": "class_sizes"})
        tables_shared = [_cte("class_sizes", sizes), _cte(f"class_counts_{values.index}", tallied)]
    else:
        tables_shared = _shared(models, columns, sizes)
    shared.set("expressions", [*tables_shared, *shared.expressions])
    return whole


def _shared(models: Sequence[Model], columns: Mapping[str, Values], sizes: Composed | None) -> list[exp.Expr]:
    """The counts of values as common table expressions, so that models on one column share them; and the `sizes`."""
    shared: list[exp.Expr] = []
    sized: list[exp.Expr] = [] if sizes is None else [_cte("class_sizes", sizes)]
    for name, values in columns.items():
        speaking = [model for model in models if model.column == name]
        if not speaking:
            continue
        counts = f"class_counts_{values.index}"
        shared.append(_cte(counts, values.counts))
        if any(model.spec.needs_sizes for model in speaking):
            of_pairs = sizes is None or values.several
            file = "privacy/class_values_of_pairs" if of_pairs else "privacy/class_values"
            sized.append(_cte(f"class_values_{values.index}", compose(file, {"class_counts": counts})))
    return shared + sized


def _cte(name: str, statement: Composed) -> exp.Expr:
    return exp.CTE(this=statement.tree, alias=exp.TableAlias(this=exp.to_identifier(name)), materialized=True)


def _union(selects: Sequence[exp.Expr]) -> Composed:
    # A statement with common table expressions of its own can be no member as it stands.
    members = [
        exp.select("*").from_(exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier("violating"))))
        if select.args.get("with_")
        else select
        for select in selects
    ]
    return Composed(union_all(members))
