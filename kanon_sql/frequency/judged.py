"""From the models of a configuration to the tables that they are judged on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import ordered_dimension
from kanon_sql.frequency.sensitive import Sensitive, Totals, count_reference, domain_index
from kanon_sql.frequency.table import Carried
from kanon_sql.hierarchy.file import read_hierarchy
from kanon_sql.hierarchy.hierarchy import Hierarchy, Input
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.hierarchy.ready import find_hierarchy
from kanon_sql.privacy import statement
from kanon_sql.privacy.registry import Model, models_of, thresholds_of
from kanon_sql.privacy.statement import Tables, Values
from kanon_sql.privacy.thresholds import Threshold
from kanon_sql.source.columns import distinct_values
from kanon_sql.source.model import Column, Source, is_nested
from kanon_sql.source.reading import Reading
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Composed, Item, column, state

_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Models:
    """The models of a source: k with what `models` ask for besides.

    `columns` are the sensitive columns that they speak of, with what `totals` says of them once they are counted; k
    counts the values of `entity` where there is one. With `known_columns` k is asked of the combinations of so many
    quasi-identifiers, and not of all. The rows of a `group` are released or suppressed together.
    """

    models: tuple[Model, ...] = ()
    columns: Mapping[str, Sensitive] = field(default_factory=dict)
    totals: Mapping[str, Totals] = field(default_factory=dict)
    entity: Column | None = None
    known_columns: int | None = None
    group: Column | None = None
    # What tables that are made again and again hold at present, whoever asked for it.
    present: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    # What is asked of the released table as a whole; of that, what a search holds node by node and not by its k.
    whole: tuple[Threshold, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    # Statements put together for these models, by what they are for: a sweep asks them for many k.
    composed: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, make: Callable[..., _Made], *, screening: bool) -> _Made:
        """`make(models, screening=...)`, statements that are put together once for each source."""
        key = (make, screening)
        if key not in self.composed:
            self.composed[key] = make(self, screening=screening)
        made: _Made = self.composed[key]
        return made

    @property
    def by_entity(self) -> bool:
        """Whether k counts entities."""
        return self.entity is not None

    @property
    def only_k(self) -> bool:
        """Whether k of all quasi-identifiers, counted in rows, is all that is asked for."""
        return not self.models and not self.by_entity and not self.closes and not self.thresholds

    @property
    def closes(self) -> bool:
        """Whether rows are suppressed round by round, as those that are may leave others too few."""
        return self.known_columns is not None or self.group is not None

    @property
    def named(self) -> tuple[tuple[str, Column], ...]:
        """The columns by which persons and groups are told apart, by their names in the tables."""
        found = (("entity", self.entity), ("household", self.group))
        return tuple((name, item) for name, item in found if item is not None)

    @property
    def counted_with(self) -> tuple[str, ...]:
        """What is counted of rows beside their number, where these are suppressed round by round."""
        return (*(name for name, _ in self.named), *(one.code for one in self.columns.values()))

    @property
    def rows_table(self) -> str:
        """The table of the rows that take part, by the codes of every level, with what is counted of them."""
        return state("members" if self.counted_with else "tuples")

    @property
    def reads_values(self) -> bool:
        """Whether a model reads sensitive values."""
        return any(model.column is not None for model in self.models)

    @property
    def blind(self) -> Models:
        """Those of them that read no sensitive value: k, and what compares with a population."""
        if "blind" not in self.composed:
            unseeing = tuple(model for model in self.models if model.column is None)
            self.composed["blind"] = replace(self, models=unseeing, composed={})
        made: Models = self.composed["blind"]
        return made

    @property
    def refusing_absent(self) -> tuple[Model, ...]:
        """The models that a suppressed class violates as well."""
        return tuple(model for model in self.models if model.spec.refuses_absent)

    def prune(self, limit: int) -> bool:
        """Whether what is found at one node of a lattice settles others, at that limit of suppressed rows.

        With entities each pair of entity and value counts once, so that a union of classes is no mix of them.
        """
        specs = [model.spec for model in self.models]
        if self.thresholds:
            return False
        if limit == 0 and not self.by_entity and all(spec.monotone_unsuppressed for spec in specs):
            return True
        return all(spec.monotone for spec in specs)

    def carried(self, source: Source) -> Carried:
        """The further columns of the frequency table."""
        coded: list[Item] = [
            {"mapping": one.domain, "key": one.column.key, "leaf": one.code, "code": "position"}
            for one in self.columns.values()
        ]
        return Carried(tuple(coded), self.named, source.missing)

    def classes(self, tables: Tables, models: Sequence[Model] | None = None) -> Composed:
        """The statement that gives each class with its size and whether it violates k ($k) or one of `models`."""
        chosen = self.models if models is None else models
        return statement.classes(chosen, tables, self._spoken(chosen, tables), by_entity=self.by_entity)

    def screen(self, tables: Tables) -> Composed:
        """The statement that gives rows of classes as violating which no node below releases, whatever it suppresses.

        Their number only grows downwards in a lattice, also of models that are not monotone: those of them that bound
        what parts of a class may keep (see PrivacyModel.keeps) are counted with the models that are.
        """
        monotone = [model for model in self.models if model.spec.monotone]
        # An entity in two classes counts once in their union: parts that hold a model need not hold it together.
        keeping = [] if self.by_entity else [one for one in self.models if one.spec.keeps and one not in monotone]
        if not keeping:
            return self.classes(tables, monotone)
        chosen = [model for model in self.models if model in monotone or model in keeping]
        return statement.kept(chosen, tables, self._spoken(chosen, tables))

    def _spoken(self, models: Sequence[Model], tables: Tables) -> dict[str, Values]:
        """The sensitive columns that models speak of."""
        spoken = dict.fromkeys(model.column for model in models if model.column is not None)
        return {name: self._values(name, tables) for name in self.columns if name in spoken}

    def _values(self, name: str, tables: Tables) -> Values:
        one, totals = self.columns[name], self.totals[name]
        names = {"reference": one.reference, "ancestors": one.ancestors, "nodes": one.nodes}
        return Values(one.index, one.counts(tables.sensitive[name]), names, {**asdict(totals), "height": one.height})


def model_columns(loaded: LoadedConfig, source: Source) -> list[Column]:
    """The columns that the models read besides the quasi-identifiers, each once."""
    config = loaded.config.privacy
    names = [model.column for model in models_of(config) if model.column is not None]
    if config.entity is not None:
        names.append(config.entity)
    if (group := _group(loaded, source)) is not None:
        names.append(group.name)
    return [source.column(name) for name in dict.fromkeys(names)]


def read_models(
    engine: Engine, loaded: LoadedConfig, source: Source, tuples: exp.Select, reference: Source | None = None
) -> Models:
    """Gives the values of the sensitive columns codes; `tuples` selects distinct rows, or all.

    With a `reference` its values have codes too. Raises ConfigurationError for values without a place in the hierarchy
    of a distance, or in an order.
    """
    config = loaded.config.privacy
    models = models_of(config)
    entity = source.column(config.entity) if config.entity is not None else None
    columns = {}
    for index, name in enumerate(dict.fromkeys(model.column for model in models if model.column is not None)):
        item, distinct = _values(source, tuples, reference, name)
        speaking = [model for model in models if model.column == name]
        missing = source.missing if item.is_text else ()
        ordered = not is_nested(item.type) and any(model.spec.needs_order for model in speaking)
        # Only an order needs to read texts as numbers: else 1.5 and 1.50 are two values.
        spec = QuasiIdentifier(type=None if ordered else "text")
        one = Input(domain_index(index), item, spec, distinct, missing=missing, place=loaded.place("privacy"))
        dimension = ordered_dimension(engine, one, by_text=True)
        mapping = _mapping(engine, loaded, one, speaking)
        columns[name] = Sensitive(index, item, entity is not None, dimension.kind, mapping)
        if mapping is not None and item.reading is not None and item.reading.is_typed:
            _refuse_synonyms(engine, columns[name], item.reading, loaded.place("privacy"))
    whole = thresholds_of(config)
    by_node = whole if loaded.config.algorithm.declared.full_domain else ()
    few, group = _known_columns(loaded), _group(loaded, source)
    return Models(models, columns, entity=entity, known_columns=few, group=group, whole=whole, thresholds=by_node)


def _group(loaded: LoadedConfig, source: Source) -> Column | None:
    """The column that names groups; None where a table that is only measured has none."""
    return next((item for item in source.columns if item.name == loaded.config.group), None)


def _known_columns(loaded: LoadedConfig) -> int | None:
    """Of how many columns combinations are looked at; None where it is all, or where a search holds k of all anyway."""
    known = loaded.config.privacy.known_columns
    if known is None or known >= len(loaded.config.quasi_identifiers):
        return None
    return known if loaded.config.algorithm.declared.full_domain else None


def _values(source: Source, tuples: exp.Select, reference: Source | None, name: str) -> tuple[Column, exp.Select]:
    """A sensitive column and its distinct values, with those of a reference: as texts where types are not the same."""
    item = source.column(name)
    distinct = distinct_values(tuples, item)
    if reference is None:
        return item, distinct
    there = reference.column(name)
    selects = [distinct, distinct_values(reference.relation, there)]
    if there.type != item.type:
        item = replace(item, type="VARCHAR")
        text = exp.alias_(exp.cast(column("value"), "VARCHAR"), "value", quoted=True)
        selects = [exp.select(text.copy()).from_(one.subquery("values_there")) for one in selects]
    both = exp.Union(this=selects[0], expression=selects[1], distinct=True)
    named = exp.TableAlias(this=exp.to_identifier("both_tables"))
    return item, exp.select("*").from_(exp.Subquery(this=both, alias=named))


def _mapping(engine: Engine, loaded: LoadedConfig, one: Input, speaking: Sequence[Model]) -> MappingTable | None:
    """The hierarchy of a sensitive column, where a model measures in one."""
    named = {model.spec.tree: model.key for model in speaking if model.spec.tree is not None}
    if not named:
        return None
    name = one.column.name
    place = loaded.place("privacy", next(iter(named.values())))
    if len(named) > 1:
        raise ConfigurationError(f"{place}: column {name!r} has several hierarchies; expected one, keep one")
    spec, hierarchy = _hierarchy(loaded, next(iter(named)), place)
    mapping = build_mapping(engine, replace(one, spec=spec, hierarchy=hierarchy, place=place))
    names = {"mapping": mapping.table, "raw_values": one.distinct}
    uncovered = int(engine.query("hierarchy/uncovered", names=names)[0][0])
    if uncovered:
        raise ConfigurationError(
            f"{place}: {uncovered} distinct values of column {name!r} are not covered; expected a row of the hierarchy "
            "for every value of the source"
        )
    return mapping


def _refuse_synonyms(engine: Engine, one: Sensitive, reading: Reading, place: str) -> None:
    """A hierarchy knows texts: where two of them are one number it cannot tell how far that is from others."""
    synonyms = int(engine.query("frequency/synonyms", names={"domain": one.domain})[0][0])
    if synonyms:
        raise ConfigurationError(
            f"{place}: {synonyms} texts of column {one.column.name!r} stand for the same {reading.type} as another "
            "one, which a hierarchy tells apart; write them in one way with source.columns and recode, or leave out "
            "type there"
        )


def _hierarchy(loaded: LoadedConfig, name: str, place: str) -> tuple[QuasiIdentifier, Hierarchy | None]:
    found = find_hierarchy(name, loaded.base, place=place)
    if isinstance(found, QuasiIdentifier):
        return found, None
    return QuasiIdentifier(), read_hierarchy(found, show_values=False)


def count_models(engine: Engine, models: Models, leaves: Sequence[Item], cells: Sequence[Item]) -> Models:
    """Makes the tables that classes are judged on from the table of records.

    `leaves` are the quasi-identifiers' columns there, {"leaf": name} and, where `cells` name columns of every level,
    {"codes": table}: with `cells` the tables have these columns, else the leaves.
    """
    carried: list[Item] = [{"name": "entity"}] if models.by_entity else []
    totals: dict[str, Totals] = {}
    for name, one in models.columns.items():
        engine.query(
            "frequency/sensitive" if cells else "frequency/sensitive_leaves",
            names={"sensitive": one.table, "records": state("records"), "sensitive_value": one.code},
            lists={"qi": leaves, "cell": cells, "carried": carried},
        )
        totals[name] = count_reference(engine, one)
    if models.by_entity:
        engine.query(
            "frequency/holders" if cells else "frequency/holders_leaves",
            names={"holders": state("holders"), "records": state("records")},
            lists={"qi": leaves, "cell": cells},
        )
    if models.closes and models.counted_with:
        counted: list[Item] = [{"name": name} for name in models.counted_with]
        names = {"members": models.rows_table, "records": state("records")}
        engine.query("frequency/members", names=names, lists={"qi": leaves, "cell": cells, "carried": counted})
    return replace(models, totals=totals)


def source_tables(models: Models, tuples: str | None = None) -> Tables:
    """The tables of a prepared source, by the codes of every level or, where named so, by positions."""
    populations = tuple(population_table(model.population) for model in models.models if model.population is not None)
    columns = {name: one.table for name, one in models.columns.items()}
    return Tables(tuples or state("tuples"), state("holders"), columns, populations)


def population_table(index: int) -> str:
    """The table of a population's rows by the codes of the quasi-identifiers."""
    return state(f"population_{index}")
