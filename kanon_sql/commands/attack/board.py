"""What the adversaries play on: release, source and control group as numbers, and what each released label stands for.

As in kanon_sql.commands.utility, the values of a column are ranked and a label stands for runs of ranks; here the
domain holds the values of the control group as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.compared import Compared, compared_columns, rows_for
from kanon_sql.commands.utility.domain import make_domain, make_runs
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import standing_in
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Kind
from kanon_sql.frequency.table import participants
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_source
from kanon_sql.source.values import normalized, person
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

MOST_VALUES = 1_000_000  # of a column that is released as it is
MOST_COLUMNS = 30
_PERSON = "person"


@dataclass(frozen=True)
class Attacked:
    """A column that both tables have: `labels` in the release, in the source values of a `kind`."""

    one: Compared
    kind: Kind
    labels: int

    @property
    def name(self) -> str:
        """The column as the user knows it."""
        return self.one.name

    @property
    def key(self) -> str:
        """The column of the coded tables: of ranks in source and control group, of codes of labels in the release."""
        return f"c{self.one.index}"

    @property
    def ordered(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.kind in ("number", "date")

    def table(self, name: str) -> str:
        """One of the column's tables."""
        return self.one.table(name)


@dataclass(frozen=True)
class Board:
    """The columns, quasi-identifiers first, and the numbers of rows of each side.

    `attacks` rows or predicates are tried, drawn by the `seed`. `by_person` says that persons have several rows.
    """

    subject: Subject
    columns: tuple[Attacked, ...]
    rows: dict[str, int]
    attacks: int
    seed: int
    by_person: bool

    @property
    def engine(self) -> Engine:
        """DuckDB."""
        return self.subject.engine

    @property
    def quasi_identifiers(self) -> list[Attacked]:
        """What adversaries know from elsewhere."""
        return [one for one in self.columns if one.one.generalized]

    @property
    def others(self) -> list[Attacked]:
        """What they would like to know: sensitive and other columns."""
        return [one for one in self.columns if not one.one.generalized]

    @property
    def controlled(self) -> bool:
        """Whether there is a control group."""
        return self.rows["control"] > 0


def coded(side: str) -> str:
    """The coded frequency table of a side: source, control or release."""
    return state(f"attack_{side}")


def _tuples(side: str) -> str:
    return state(f"attack_{side}_tuples")


def open_control(engine: Engine, loaded: LoadedConfig, path: Path, source: Source) -> Source:
    """The control group's file, read and treated as the source. Raises ConfigurationError or EngineError."""
    given = loaded.config.source
    csv = given.csv.model_copy(update={"encoding": None}) if given.path is not None else None
    part = {"path": str(path.absolute()), "csv": csv}
    described = standing_in(loaded, {"source": {key: value for key, value in part.items() if value is not None}})
    # What is settled by shares of the source's rows holds here as it holds there.
    transform = {name: one for name, one in source.treatments.items() if not _keyed(source, name)}
    described = replace(described, config=described.config.model_copy(update={"transform": transform}))
    return replace(open_source(engine, described), label=f"--control {path}")


def _keyed(source: Source, name: str) -> bool:
    one = source.treatments.get(name)
    return one is not None and (one.pseudonym is not None or one.shift is not None)


def set_up(
    subject: Subject, source: Source, control: Source | None, attacks: int, seed: int
) -> tuple[Board, list[str]]:
    """Reads all tables once and codes them; with warnings of what is left out.

    Raises ConfigurationError where a table lacks columns, EngineError for tables that cannot be read.
    """
    columns, warnings = compared_columns(subject, source)
    columns, more = _known(subject, source, columns)
    entity = subject.loaded.config.privacy.entity
    by_person = entity is not None
    if control is not None:
        _refuse_others(control, [*(one.name for one in columns), *([entity] if entity else [])])
    values = [normalized(one.item, source.missing) for one in columns]
    _read(subject, source, "source", values, by_person=by_person)
    _read(subject, subject.release, "release", [one.released for one in columns], by_person=False)
    if control is None:
        names = [one.value for one in columns] + [_PERSON] * by_person
        subject.engine.run(tables.empty_like(_tuples("control"), _tuples("source"), *names, "row_count"))
    else:
        values = [_as_in_source(control, one.item) for one in columns]
        _read(subject, control, "control", values, by_person=by_person)
    attacked = tuple(_make_column(subject, one) for one in columns)
    rows = {side: _code(subject, side, attacked, by_person=by_person) for side in ("source", "control")}
    rows["release"] = _code(subject, "release", attacked, by_person=False)
    return Board(subject, attacked, rows, attacks, seed, by_person), warnings + more


def _known(subject: Subject, source: Source, columns: list[Compared]) -> tuple[list[Compared], list[str]]:
    """The columns of which an adversary can know values."""
    keyed = [one.name for one in columns if one.role == "identifier" or _keyed(source, one.name)]
    kept = [one for one in columns if one.name not in keyed]
    warnings = []
    if keyed:
        warnings.append(f"{', '.join(map(repr, keyed))}: no adversary without the key knows what stands there")
    released = [one for one in kept if not one.generalized]
    items: list[Item] = [{"key": one.item.key} for one in released]
    rows = {"source": participants(source, subject.roles, subject.loaded.config.missing)}
    counts = source.backend.query("source/distinct_estimates", names=rows, lists={"out": items})[0] if items else ()
    for one, count in zip(released, counts, strict=True):
        if count > MOST_VALUES:
            warnings.append(f"column {one.name!r} has more than {MOST_VALUES:,} values: it is left out")
            kept.remove(one)
    if len(kept) > MOST_COLUMNS:
        warnings.append(
            f"the attacks know the first {MOST_COLUMNS} of {len(kept)} columns, quasi-identifiers before others"
        )
        del kept[MOST_COLUMNS:]
    return [replace(one, index=index) for index, one in enumerate(kept)], warnings


def _refuse_others(control: Source, names: Sequence[str]) -> None:
    present = {item.name for item in control.columns}
    problems = [
        f"{control.label}: there is no column {name!r}; expected rows as the source has them"
        for name in names
        if name not in present
    ]
    if problems:
        raise ConfigurationError(problems)


def _as_in_source(control: Source, item: Column) -> exp.Expr:
    """A value of the control group as one of the source's type; what is none is missing."""
    own = control.column(item.name)
    value = normalized(own, control.missing)
    return value if own.type == item.type else exp.TryCast(this=value, to=exp.DataType.build(item.type, "duckdb"))


def _read(subject: Subject, table: Source, side: str, values: list[exp.Expr], *, by_person: bool) -> None:
    """Makes the frequency table of a side; `by_person` each row says who it is about."""
    rows = table.relation
    if side != "release":
        own = tuple(table.column(item.name) for item in subject.roles.quasi_identifiers)
        rows = participants(table, replace(subject.roles, quasi_identifiers=own), subject.loaded.config.missing)
    items: list[Item] = [{"value": value, "name": f"v{index}"} for index, value in enumerate(values)]
    who: list[Item] = []
    if by_person:
        entity = person(table.column(subject.loaded.config.privacy.entity or ""), table.missing)
        who.append({"value": entity, "name": _PERSON})
        values = [*values, entity]
    with telling_faults(subject.engine, table):
        given, total = rows_for(subject.engine, table, rows, values, state(f"attack_given_{side}"))
        names = {"source": given, "tuples": _tuples(side), "row_total": total}
        subject.engine.query("commands/attack/tuples", names=names, lists={"item": items, "person": who})


def _make_column(subject: Subject, one: Compared) -> Attacked:
    """Makes the tables of one column: its domain, what each label stands for, and how much."""
    engine = subject.engine
    counted = {"counted_values": one.table("values"), "item_name": one.value}
    sides = {f"{side}_tuples": _tuples(side) for side in ("source", "control")}
    engine.query("commands/attack/counted_values", names={**counted, **sides})
    kind = make_domain(subject, one)
    engine.query("commands/utility/counted_values", names={**counted, "tuples": _tuples("release")})
    make_runs(subject, one, kind)
    names = {name: one.table(name) for name in ("runs", "ranks", "widths")}
    engine.query("commands/attack/widths", names=names)
    labels = engine.query("commands/attack/total", names={"table_rows": one.table("labels")})[0][0]
    return Attacked(one, kind, int(labels))


def _code(subject: Subject, side: str, columns: Sequence[Attacked], *, by_person: bool) -> int:
    """Makes the coded frequency table of a side; how many rows it has."""
    own, key = ("labels", "code") if side == "release" else ("domain", "rank")
    items: list[Item] = [
        {"codes": one.table(own), "key": key, "code": one.key, "name": one.one.value} for one in columns
    ]
    lists = {"item": items, "person": [{"name": _PERSON}] if by_person else []}
    names = {"tuples": _tuples(side), "coded": coded(side)}
    subject.engine.query("commands/attack/coded", names=names, lists=lists)
    subject.engine.run(tables.drop(_tuples(side)))
    return int(subject.engine.query("commands/risk/rows", names={"tuples": coded(side)})[0][0] or 0)
