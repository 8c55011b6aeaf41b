"""The models of a configuration, and the tables on which classes are judged by them."""

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
from kanon_sql.frequency.table import FurtherColumns
from kanon_sql.frequency.tallies import Tallies, read_tallies
from kanon_sql.hierarchy.file import read_hierarchy
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
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
from kanon_sql.sql.tables import drop
from kanon_sql.sql.template import Composed, Fill, Item, column, quoted, state

_Statements = TypeVar("_Statements")


@dataclass(frozen=True)
class Models:
    """k with the further privacy models of a source.

    `columns` are the sensitive columns that the models read, `totals` how many rows and values each has, once they are
    counted, `tallied` the tallies of those that have few values; k counts the values of `entity` where there is one.
    With `known_columns` every combination of so many quasi-identifiers must hold k (k^m-anonymity), not only that of
    all. The rows of a `group` are released or suppressed together.
    """

    models: tuple[Model, ...] = ()
    columns: Mapping[str, Sensitive] = field(default_factory=dict)
    totals: Mapping[str, Totals] = field(default_factory=dict)
    entity: Column | None = None
    known_columns: int | None = None
    group: Column | None = None
    tallied: Mapping[str, Tallies] = field(default_factory=dict)
    # What temporary tables that are made again and again were last built from, by their names.
    built_from: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    # Thresholds of the released table as a whole; of these, the ones that a search checks node by node, not by its k.
    whole: tuple[Threshold, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    # Cache of what is derived from these models, such as statements: a sweep needs the same ones for many k.
    derived: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, compose: Callable[..., _Statements], *, screening: bool) -> _Statements:
        """`compose(models, screening=...)`, called once for each source."""
        key = (compose, screening)
        if key not in self.derived:
            self.derived[key] = compose(self, screening=screening)
        statements: _Statements = self.derived[key]
        return statements

    @property
    def by_entity(self) -> bool:
        """Whether k counts entities."""
        return self.entity is not None

    @property
    def only_k(self) -> bool:
        """Whether k, counted in rows of equal quasi-identifiers, is the only condition."""
        return not self.models and not self.by_entity and not self.in_rounds and not self.thresholds

    @property
    def in_rounds(self) -> bool:
        """Whether rows are suppressed in rounds: rows that go may leave too few of others."""
        return self.known_columns is not None or self.group is not None

    @property
    def owners(self) -> tuple[tuple[str, Column], ...]:
        """The columns that identify persons and groups, by their names in the tables."""
        columns = (("entity", self.entity), ("household", self.group))
        return tuple((name, owner) for name, owner in columns if owner is not None)

    @property
    def counted_with(self) -> tuple[str, ...]:
        """The columns by which rows are counted beside their quasi-identifiers, where they are suppressed in rounds."""
        return (*(name for name, _ in self.owners), *(attribute.code for attribute in self.columns.values()))

    @property
    def rows_table(self) -> str:
        """The table of the rows that take part: codes of every level, and the columns `counted_with`."""
        return state("members" if self.counted_with else "tuples")

    @property
    def reads_values(self) -> bool:
        """Whether a model reads sensitive values."""
        return any(model.column is not None for model in self.models)

    @property
    def tallies(self) -> Tallies | None:
        """The tallies of the one sensitive column from whose values, with k in rows, all models judge classes."""
        read = {model.column for model in self.models}
        if len(read) != 1 or self.in_rounds:
            return None
        (name,) = read
        return None if name is None or self.counts_pairs(name) else self.tallied.get(name)

    @property
    def blind(self) -> Models:
        """The models that read no sensitive value: k, and those that compare with a population."""
        if "blind" not in self.derived:
            unseeing = tuple(model for model in self.models if model.column is None)
            self.derived["blind"] = replace(self, models=unseeing, derived={})
        blind: Models = self.derived["blind"]
        return blind

    @property
    def refusing_absent(self) -> tuple[Model, ...]:
        """The models that a class of the population violates if it is suppressed or absent."""
        return tuple(model for model in self.models if model.spec.refuses_absent)

    def prune(self, limit: int) -> bool:
        """Whether the answer at one node of the lattice settles other nodes, if up to `limit` rows are suppressed.

        With entities each pair of entity and value counts once, so that a union of classes is not a mixture of them.
        """
        specs = [model.spec for model in self.models]
        if self.thresholds:
            return False
        if limit == 0 and not self.by_entity and all(spec.monotone_unsuppressed for spec in specs):
            return True
        return all(spec.monotone for spec in specs)

    def further_columns(self, source: Source) -> FurtherColumns:
        """The columns of the frequency table beside the quasi-identifiers."""
        coded: list[Item] = [
            {"mapping": attribute.domain, "key": attribute.column.key, "leaf": attribute.code, "code": "position"}
            for attribute in self.columns.values()
        ]
        return FurtherColumns(tuple(coded), self.owners, source.missing)

    def classes(self, tables: Tables, models: Sequence[Model] | None = None) -> Composed:
        """The statement that gives each class with its size and whether it violates k ($k) or one of `models`."""
        chosen = self.models if models is None else models
        return statement.classes(chosen, tables, self._values(chosen, tables), by_entity=self.by_entity)

    def screen(self, tables: Tables) -> Composed:
        """The statement that gives each class with the rows of it that no node below can release, whatever it
        suppresses.

        Their number only grows downwards in the lattice, so it prunes with models that are not monotone, too: those
        that bound what parts of a class may keep (see PrivacyModel.keeps) are counted together with the monotone ones.
        """
        monotone = [model for model in self.models if model.spec.monotone]
        keeping = [
            model
            for model in self.models
            if model.spec.keeps and model not in monotone and not self.counts_pairs(model.column)
        ]
        if not keeping:
            return self.classes(tables, monotone)
        chosen = [model for model in self.models if model in monotone or model in keeping]
        return statement.kept(chosen, tables, self._values(chosen, tables))

    def counts_pairs(self, name: str | None) -> bool:
        """Whether pairs with a value are counted of a sensitive column, of which bounds in rows say nothing.

        An entity in two classes counts once in their union: parts that hold a model need not hold it together. Of rows
        with several values few rows may have most pairs.
        """
        return self.by_entity or (name is not None and self.columns[name].several)

    def _values(self, models: Sequence[Model], tables: Tables) -> dict[str, Values]:
        """The values of the sensitive columns that models read, in the classes of the tables."""
        read = {model.column for model in models}
        values = {}
        for name, attribute in self.columns.items():
            if name in read:
                names = {"reference": attribute.reference, "ancestors": attribute.ancestors, "nodes": attribute.nodes}
                numbers = {**asdict(self.totals[name]), "height": attribute.height}
                counts = attribute.counts(tables.sensitive[name])
                values[name] = Values(attribute.index, counts, names, numbers, attribute.several)
        return values


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
    """The models with the values of their sensitive columns coded in the engine; `tuples` selects distinct rows, or
    all.

    With a `reference` its values get codes, too. Raises ConfigurationError for values that are not in the hierarchy of
    a distance, or cannot be ordered.
    """
    config = loaded.config.privacy
    models = models_of(config)
    entity = source.column(config.entity) if config.entity is not None else None
    columns = {}
    for index, name in enumerate(dict.fromkeys(model.column for model in models if model.column is not None)):
        attribute, distinct = _distinct_values(source, tuples, reference, name)
        readers = [model for model in models if model.column == name]
        missing = source.missing if attribute.is_text else ()
        ordered = not is_nested(attribute.type) and any(model.spec.needs_order for model in readers)
        # Only an order needs to read texts as numbers: else 1.5 and 1.50 are two values.
        spec = QuasiIdentifier(type=None if ordered else "text")
        column_input = GeneralizedColumn(
            domain_index(index), attribute, spec, distinct, missing=missing, place=loaded.place("privacy")
        )
        dimension = ordered_dimension(engine, column_input, by_text=True)
        mapping = _mapping(engine, loaded, column_input, readers)
        several = name in loaded.several
        columns[name] = Sensitive(index, attribute, entity is not None, dimension.kind, mapping, several)
        if mapping is not None and attribute.reading is not None and attribute.reading.is_typed:
            _refuse_synonyms(engine, columns[name], attribute.reading, loaded.place("privacy"))
    whole = thresholds_of(config)
    return Models(
        models,
        columns,
        entity=entity,
        known_columns=_known_columns(loaded),
        group=_group(loaded, source),
        whole=whole,
        thresholds=whole if loaded.config.algorithm.declared.full_domain else (),
    )


def _group(loaded: LoadedConfig, source: Source) -> Column | None:
    """The column that names groups; None for a table that is only measured and lacks it."""
    return next((candidate for candidate in source.columns if candidate.name == loaded.config.group), None)


def _known_columns(loaded: LoadedConfig) -> int | None:
    """How many columns an intruder knows; None if all, or if the algorithm keeps k of all quasi-identifiers anyway."""
    count = loaded.config.privacy.known_columns
    if count is None or count >= len(loaded.config.quasi_identifiers):
        return None
    return count if loaded.config.algorithm.declared.full_domain else None


def _distinct_values(
    source: Source, tuples: exp.Select, reference: Source | None, name: str
) -> tuple[Column, exp.Select]:
    """A sensitive column and its distinct values, with those of a reference: as texts if the types differ."""
    attribute = source.column(name)
    distinct = distinct_values(tuples, attribute)
    if reference is None:
        return attribute, distinct
    referred = reference.column(name)
    selects = [distinct, distinct_values(reference.relation, referred)]
    if referred.type != attribute.type:
        attribute = replace(attribute, type="VARCHAR")
        text = exp.alias_(exp.cast(column("value"), "VARCHAR"), "value", quoted=True)
        selects = [exp.select(text.copy()).from_(values.subquery("values_there")) for values in selects]
    both = exp.Union(this=selects[0], expression=selects[1], distinct=True)
    named = exp.TableAlias(this=exp.to_identifier("both_tables"))
    return attribute, exp.select("*").from_(exp.Subquery(this=both, alias=named))


def _mapping(
    engine: Engine, loaded: LoadedConfig, column_input: GeneralizedColumn, readers: Sequence[Model]
) -> MappingTable | None:
    """The mapping table of a sensitive column, if a model measures distances in its hierarchy."""
    keys = {model.spec.tree: model.key for model in readers if model.spec.tree is not None}
    if not keys:
        return None
    name = column_input.column.name
    place = loaded.place("privacy", next(iter(keys.values())))
    if len(keys) > 1:
        raise ConfigurationError(f"{place}: column {name!r} has several hierarchies; expected one, keep one")
    spec, hierarchy = _hierarchy(loaded, next(iter(keys)), place)
    mapping = build_mapping(engine, replace(column_input, spec=spec, hierarchy=hierarchy, place=place))
    names = {"mapping": mapping.table, "raw_values": column_input.distinct}
    uncovered = int(engine.query("hierarchy/uncovered", names=names)[0][0])
    if uncovered:
        raise ConfigurationError(
            f"{place}: {uncovered:,} distinct values of column {name!r} are not covered; expected a row of the "
            "hierarchy for every value of the source"
        )
    return mapping


def _refuse_synonyms(engine: Engine, attribute: Sensitive, reading: Reading, place: str) -> None:
    """Refuses texts that are read as one number or date: a hierarchy of texts has no single place for it."""
    synonyms = int(engine.query("frequency/synonyms", names={"domain": attribute.domain})[0][0])
    if synonyms:
        raise ConfigurationError(
            f"{place}: {synonyms:,} texts of column {attribute.column.name!r} stand for the same {reading.type} as "
            "another one, which a hierarchy tells apart; write them in one way with source.columns and recode, or "
            "leave out type there"
        )


def _hierarchy(loaded: LoadedConfig, name: str, place: str) -> tuple[QuasiIdentifier, Hierarchy | None]:
    spec_or_file = find_hierarchy(name, loaded.base, place=place)
    if isinstance(spec_or_file, QuasiIdentifier):
        return spec_or_file, None
    return QuasiIdentifier(), read_hierarchy(spec_or_file, show_values=False)


def count_models(engine: Engine, models: Models, leaves: Sequence[Item], cells: Sequence[Item]) -> Models:
    """Makes the tables on which classes are judged from the table of records; the models with their totals.

    `leaves` are the quasi-identifiers' columns there, {"leaf": name} and, where `cells` name columns of every level,
    {"codes": table}: with `cells` the tables have these columns, else the leaves.
    """
    owner: list[Item] = [{"name": "entity"}] if models.by_entity else []
    totals: dict[str, Totals] = {}
    tallied: dict[str, Tallies] = {}
    for name, attribute in models.columns.items():
        engine.query(
            "frequency/sensitive" if cells else "frequency/sensitive_leaves",
            names={
                "sensitive": attribute.lists if attribute.several else attribute.table,
                "sensitive_value": attribute.code,
            },
            lists={"qi": leaves, "cell": cells, "carried": owner},
        )
        if attribute.several:
            codes = [item["name"] for item in cells] or [item["leaf"] for item in leaves]
            engine.query("frequency/listed", names={"listed": attribute.listed, "domain": attribute.domain})
            _take_apart(engine, attribute, codes, "is_of_source")
        totals[name] = count_reference(engine, attribute)
        if cells and (tallies := read_tallies(engine, attribute.reference, totals[name])):
            tallied[name] = tallies
        if attribute.several:
            if _lacks_values(engine, attribute):
                _take_apart(engine, attribute, codes, "is_held")
            engine.run(drop(attribute.lists))
    if models.by_entity:
        engine.query(
            "frequency/holders" if cells else "frequency/holders_leaves",
            lists={"qi": leaves, "cell": cells},
        )
    if models.in_rounds and models.counted_with:
        counted: list[Item] = [{"name": name} for name in models.counted_with]
        names = {"members": models.rows_table}
        engine.query("frequency/members", names=names, lists={"qi": leaves, "cell": cells, "carried": counted})
    return replace(models, totals=totals, tallied=tallied)


def _take_apart(engine: Engine, attribute: Sensitive, codes: Sequence[Fill], which: str) -> None:
    """Makes the table of a sensitive column from that of its lists, both with the quasi-identifiers as `codes`.

    `which` values: those that rows have, `is_held`, or have in the source, `is_of_source`.
    """
    values = exp.select("list", "value").from_(exp.Table(this=quoted(attribute.listed))).where(column(which))
    names: dict[str, Fill] = {"sensitive": attribute.table, "lists": attribute.lists, "listed": values}
    engine.query("frequency/sensitive_of_lists", names=names, lists={"cell": [{"name": code} for code in codes]})


def _lacks_values(engine: Engine, attribute: Sensitive) -> bool:
    """Whether rows hold other values than in the source."""
    differing = exp.NEQ(this=column("is_held"), expression=column("is_of_source"))
    listed = exp.Table(this=quoted(attribute.listed))
    return bool(engine.run(exp.select(exp.Count(this=exp.Star())).from_(listed).where(differing))[0][0])


def source_tables(models: Models, tuples: str | None = None) -> Tables:
    """The tables of a prepared source, by the codes of every level or, if `tuples` names them, by positions."""
    populations = tuple(population_table(model.population) for model in models.models if model.population is not None)
    columns = {name: attribute.table for name, attribute in models.columns.items()}
    return Tables(tuples or state("tuples"), state("holders"), columns, populations)


def population_table(index: int) -> str:
    """The table of a population, counted by the codes of the quasi-identifiers."""
    return state(f"population_{index}")
