"""The privacy models of a configuration, and the statements that find the classes which violate them.

A model is monotone when joining classes, or suppressing some of them, never makes a class violate it that held it
before: then what fails at a node of the lattice fails below it. k-anonymity, distinct l-diversity and k-map are (their
violating rows can only become fewer upwards). The others are as long as no row is suppressed: a union of classes that
hold them holds them (entropy is concave, the distances and shares are convex in a class's distribution, Li et al.,
ICDE 2007, section 4.3). With suppression they are not: a class may hold a model, and its union with a class that was
to be suppressed not. Nor are they where entities are counted: an entity that is in both classes counts once in their
union.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive, Totals
from kanon_sql.privacy import parameters as privacy
from kanon_sql.privacy.parameters import PrivacyConfig
from kanon_sql.settings.part import Part
from kanon_sql.source.model import Column
from kanon_sql.sql.template import Composed, compose

Number = int | Decimal


@dataclass(frozen=True)
class Model:
    """One entry of `privacy` beside k.

    `column` is the sensitive column that it speaks of, or None; `population` the number of its population table, or
    None. `file` finds the classes that violate it.
    """

    key: str
    spec: Part
    column: str | None
    population: int | None
    file: str
    monotone: bool

    @property
    def needs_sizes(self) -> bool:
        """Whether the file reads the size of a class beside its values."""
        return self.file in _OF_SIZES

    @property
    def refuses_absent(self) -> bool:
        """Whether a class of the population may not be absent from the table, so that suppression is no way out."""
        return isinstance(self.spec, privacy.DeltaPresence) and self.spec.min > 0

    def values(self, totals: Totals | None, height: int) -> dict[str, exp.Expr]:
        """The parameters of the file; `height` is that of the column's hierarchy."""
        numbers: dict[str, Number] = {}
        if totals is not None:
            numbers = {"total": totals.total, "values": totals.values, "whole": totals.whole}
        return {**self.literals(height), **_literals(numbers)}

    def literals(self, height: int) -> dict[str, exp.Expr]:
        """The thresholds as parameters, and the height of the column's hierarchy."""
        return _literals({**_numbers(self.spec), "height": height})


_OF_SIZES = tuple(
    f"privacy/{name}" for name in ("t_equal", "t_ordered", "t_hierarchical", "beta_basic", "beta_enhanced", "delta")
)


def models_of(config: PrivacyConfig) -> tuple[Model, ...]:
    """The models of a configuration beside k, in its order of keys."""
    found: list[Model] = []
    populations = 0
    for key in type(config).model_fields:
        entries = getattr(config, key)
        for spec in entries if isinstance(entries, list) else ():
            population = None
            if isinstance(spec, (privacy.KMap, privacy.DeltaPresence)):
                population, populations = populations, populations + 1
            monotone = isinstance(spec, privacy.KMap) or (
                isinstance(spec, privacy.LDiversity) and spec.variant == "distinct"
            )
            column = getattr(spec, "column", None)
            found.append(Model(key, spec, column, population, f"privacy/{_file(spec)}", monotone))
    return tuple(found)


def _file(spec: Part) -> str:
    if isinstance(spec, privacy.LDiversity):
        return f"l_{spec.variant}"
    if isinstance(spec, privacy.TCloseness):
        return f"t_{spec.distance}"
    if isinstance(spec, privacy.Beta):
        return f"beta_{spec.variant}"
    names = {
        privacy.AlphaK: "alpha",
        privacy.DeltaDisclosure: "delta",
        privacy.KMap: "k_map",
        privacy.DeltaPresence: "presence",
    }
    return names[type(spec)]


def _numbers(spec: Part) -> dict[str, Number]:
    """Thresholds as they are, or as a ratio where the file compares whole numbers exactly."""
    if isinstance(spec, privacy.LDiversity):
        return {"l": spec.l if spec.variant == "entropy" else int(spec.l), **_ratio(spec.c or Decimal(0))}
    if isinstance(spec, privacy.TCloseness):
        return {"t": spec.t, **_ratio(spec.t)}
    if isinstance(spec, privacy.AlphaK):
        return _ratio(spec.alpha)
    if isinstance(spec, privacy.Beta):
        return {"beta": spec.beta, **_ratio(spec.beta)}
    if isinstance(spec, privacy.DeltaDisclosure):
        return {"delta": spec.delta}
    if isinstance(spec, privacy.KMap):
        return {"k_map": spec.k}
    assert isinstance(spec, privacy.DeltaPresence)
    (least, under), (most, most_under) = spec.min.as_integer_ratio(), spec.max.as_integer_ratio()
    return {"least_over": least, "least_under": under, "most_over": most, "most_under": most_under}


def _literals(numbers: Mapping[str, Number]) -> dict[str, exp.Expr]:
    return {name: exp.Literal.number(str(number)) for name, number in numbers.items()}


def _ratio(number: Decimal) -> dict[str, Number]:
    numerator, denominator = number.as_integer_ratio()
    return {"numerator": numerator, "denominator": denominator}


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
class Models:
    """The models of a prepared source: k with what `models` ask for besides.

    `columns` are the sensitive columns that they speak of, with what `totals` says of them; k counts the values of
    `entity` where there is one.
    """

    models: tuple[Model, ...] = ()
    columns: Mapping[str, Sensitive] = field(default_factory=dict)
    totals: Mapping[str, Totals] = field(default_factory=dict)
    entity: Column | None = None
    # Statements put together for these models, by what they are for: a sweep asks them for many k.
    composed: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def by_entity(self) -> bool:
        """Whether k counts entities."""
        return self.entity is not None

    @property
    def only_k(self) -> bool:
        """Whether k, counted in rows, is all that is asked for."""
        return not self.models and not self.by_entity

    @property
    def refusing_absent(self) -> tuple[Model, ...]:
        """The models that a suppressed class violates as well."""
        return tuple(model for model in self.models if model.refuses_absent)

    def prune(self, limit: int) -> bool:
        """Whether what is found at one node of a lattice settles others, at that limit of suppressed rows.

        With entities each pair of entity and value counts once, so that a union of classes is no mix of them.
        """
        return (limit == 0 and not self.by_entity) or all(model.monotone for model in self.models)

    def classes(self, tables: Tables, models: Sequence[Model] | None = None) -> Composed:
        """The statement that gives each class with its size and whether it violates k ($k) or one of the models.

        Its list hole `key` is the key of a class, {"code": column} for each of its columns.
        """
        chosen = self.models if models is None else models
        file = "privacy/k_entities" if self.by_entity else "privacy/k"
        base = compose(file, {"tuples": tables.tuples, "holders": tables.holders or tables.tuples})
        if not chosen:
            return base
        violating = Composed(_union([self._violating(model, tables).tree for model in chosen]))
        whole = compose("privacy/classes", {"classes": base, "violating_models": violating})
        shared = whole.tree.find(exp.With)
        assert shared is not None
        shared.set("expressions", [*self._shared(chosen, tables), *shared.expressions])
        return whole

    def absent(self, model: Model, tables: Tables) -> Composed:
        """The statement that counts the classes of a model's population of which nobody is in the table."""
        assert model.population is not None
        return compose("privacy/absent", {"tuples": tables.tuples, "population": tables.populations[model.population]})

    def _violating(self, model: Model, tables: Tables) -> Composed:
        if model.population is not None:
            names = {"tuples": tables.tuples, "population": tables.populations[model.population]}
            return compose(model.file, names, model.values(None, 0))
        assert model.column is not None
        one = self.columns[model.column]
        height = one.mapping.height if one.mapping else 0
        names = {
            "class_counts": f"class_counts_{one.index}",
            "class_values": f"class_values_{one.index}",
            "reference": one.reference,
            "ancestors": one.ancestors,
            "nodes": one.nodes,
        }
        return compose(model.file, names, model.values(self.totals[model.column], height))

    def _shared(self, models: Sequence[Model], tables: Tables) -> list[exp.Expr]:
        """The counts of values that several models read, each once."""
        made: list[exp.Expr] = []
        for name, one in self.columns.items():
            speaking = [model for model in models if model.column == name]
            if not speaking:
                continue
            counts = f"class_counts_{one.index}"
            made.append(_cte(counts, one.counts(tables.sensitive[name])))
            if any(model.needs_sizes for model in speaking):
                made.append(
                    _cte(f"class_values_{one.index}", compose("privacy/class_values", {"class_counts": counts}))
                )
        return made


def _cte(name: str, statement: Composed) -> exp.Expr:
    return exp.CTE(this=statement.tree, alias=exp.TableAlias(this=exp.to_identifier(name)), materialized=True)


def _union(selects: Sequence[exp.Expr]) -> exp.Expr:
    # A statement with common table expressions of its own can be no member as it stands.
    members = [
        exp.select("*").from_(exp.Subquery(this=one, alias=exp.TableAlias(this=exp.to_identifier("violating"))))
        if one.args.get("with_")
        else one
        for one in selects
    ]
    return reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), members)
