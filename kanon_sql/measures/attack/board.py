"""What the adversaries play on: release, source and control group as numbers, and what each released label stands for.

As in kanon_sql.measures.utility, the values of a column are ranked and a label stands for runs of ranks; here the
domain holds the values of the control group as well.

For somebody of whom some columns are known, the nearest released classes are looked up. A class whose labels stand for
all that is known is at distance 0. Columns are looked at one after the other, and only beginnings of classes that match
so far go on. For whom no class stands, as perhaps for a row of the control group, all classes are compared: a number or
date is as far from a label as from the nearest value that it stands for, as a share of the range of the column,
everything else 1 (J. C. Gower: A general coefficient of similarity and some of its properties, Biometrics 27, 1971). Of
classes at one distance those whose labels stand for the fewest values are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import standing_in
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Kind
from kanon_sql.frequency.table import participants
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.compared import ComparedColumn, compared_columns, rows_for
from kanon_sql.measures.utility.counting_queries import make_domain, make_runs
from kanon_sql.source.columns import normalized, person
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_source
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column, state

MOST_VALUES = 1_000_000  # of a column that is released as it is
MOST_COLUMNS = 30
_PERSON = "person"
_TYPES = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31}  # with the bits of the greatest number


@dataclass(frozen=True)
class Attacked:
    """A column that both tables have: `labels` in the release, in the source values of a `kind`."""

    compared: ComparedColumn
    kind: Kind
    labels: int

    @property
    def name(self) -> str:
        """The column as the user knows it."""
        return self.compared.name

    @property
    def key(self) -> str:
        """The column of the coded tables: of ranks in source and control group, of codes of labels in the release."""
        return _code_of(self.compared)

    @property
    def ordered(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.kind in ("number", "date")

    def table(self, name: str) -> str:
        """One of the column's tables."""
        return self.compared.table(name)


@dataclass(frozen=True)
class Board:
    """The columns, quasi-identifiers first, and the numbers of rows of each side.

    `attacks` rows or predicates are tried, drawn by the `seed`. `by_person` says that persons have several rows.
    """

    subject: ReleasePair
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
        return [attacked for attacked in self.columns if attacked.compared.generalized]

    @property
    def others(self) -> list[Attacked]:
        """What they would like to know: sensitive and other columns."""
        return [attacked for attacked in self.columns if not attacked.compared.generalized]

    @property
    def controlled(self) -> bool:
        """Whether there is a control group."""
        return self.rows["control"] > 0


def coded(side: str) -> str:
    """The coded frequency table of a side: source, control or release."""
    return state(f"attack_{side}")


def _quasi(side: str) -> str:
    """The same by quasi-identifiers alone."""
    return state(f"attack_quasi_{side}")


def _code_of(compared: ComparedColumn) -> str:
    return f"c{compared.index}"


def _tuples(side: str) -> str:
    return state(f"attack_{side}_tuples")


def open_control(engine: Engine, loaded: LoadedConfig, path: Path, source: Source) -> Source:
    """The control group's file, read and treated as the source. Raises ConfigurationError or EngineError."""
    given = loaded.config.source
    csv = given.csv.model_copy(update={"encoding": None}) if given.path is not None else None
    part = {"path": str(path.absolute()), "csv": csv}
    described = standing_in(loaded, {"source": {key: value for key, value in part.items() if value is not None}})
    # What is settled by shares of the source's rows holds here as it holds there.
    transform = {name: treatment for name, treatment in source.treatments.items() if not _keyed(source, name)}
    described = replace(described, config=described.config.model_copy(update={"transform": transform}))
    return replace(open_source(engine, described), label=f"--control {path}")


def _keyed(source: Source, name: str) -> bool:
    treatment = source.treatments.get(name)
    return treatment is not None and (treatment.pseudonym is not None or treatment.shift is not None)


def set_up(
    subject: ReleasePair, source: Source, control: Source | None, attacks: int, seed: int
) -> tuple[Board, list[str]]:
    """Reads all tables once and codes them; with warnings of what is left out.

    Raises ConfigurationError where a table lacks columns, EngineError for tables that cannot be read.
    """
    columns, warnings = compared_columns(subject, source)
    columns, more = _known(subject, source, columns)
    entity = subject.loaded.config.privacy.entity
    by_person = entity is not None
    if control is not None:
        _refuse_others(control, [*(compared.name for compared in columns), *([entity] if entity else [])])
    _read_both(subject, source, control, columns, by_person=by_person)
    kinds = [_make_domain(subject, compared) for compared in columns]
    rows = {side: _code(subject, side, columns, by_person=by_person) for side in ("source", "control")}
    # The texts of the release are read where those of the source are gone.
    _read(subject, subject.release, "release", [compared.released for compared in columns], by_person=False)
    attacked = tuple(_make_labels(subject, *pair) for pair in zip(columns, kinds, strict=True))
    rows["release"] = _code(subject, "release", columns, by_person=False)
    board = Board(subject, attacked, rows, attacks, seed, by_person)
    _gather(board)
    return board, warnings + more


def _read_both(
    subject: ReleasePair, source: Source, control: Source | None, columns: Sequence[ComparedColumn], *, by_person: bool
) -> None:
    """Reads the source and the control group, which without one is an empty table."""
    values = [normalized(compared.column, source.missing) for compared in columns]
    _read(subject, source, "source", values, by_person=by_person)
    if control is None:
        names = [compared.value for compared in columns] + [_PERSON] * by_person
        subject.engine.run(tables.empty_like(_tuples("control"), _tuples("source"), *names, "row_count"))
    else:
        values = [_as_in_source(control, compared.column) for compared in columns]
        _read(subject, control, "control", values, by_person=by_person)


def _known(
    subject: ReleasePair, source: Source, columns: list[ComparedColumn]
) -> tuple[list[ComparedColumn], list[str]]:
    """The columns of which an adversary can know values."""
    keyed = [compared.name for compared in columns if compared.role == "identifier" or _keyed(source, compared.name)]
    kept = [compared for compared in columns if compared.name not in keyed]
    warnings = []
    if keyed:
        warnings.append(f"{', '.join(map(repr, keyed))}: no adversary without the key knows what stands there")
    released = [compared for compared in kept if not compared.generalized]
    items: list[Item] = [{"key": compared.column.key} for compared in released]
    rows = {"source": participants(source, subject.roles, subject.loaded.config.missing)}
    counts = source.backend.query("source/distinct_estimates", names=rows, lists={"out": items})[0] if items else ()
    for compared, count in zip(released, counts, strict=True):
        if count > MOST_VALUES:
            warnings.append(f"column {compared.name!r} has more than {MOST_VALUES:,} values: it is left out")
            kept.remove(compared)
    if len(kept) > MOST_COLUMNS:
        warnings.append(
            f"the attacks know the first {MOST_COLUMNS} of {len(kept)} columns, quasi-identifiers before others"
        )
        del kept[MOST_COLUMNS:]
    return [replace(compared, index=index) for index, compared in enumerate(kept)], warnings


def _refuse_others(control: Source, names: Sequence[str]) -> None:
    present = {control_column.name for control_column in control.columns}
    problems = [
        f"{control.label}: there is no column {name!r}; expected rows as the source has them"
        for name in names
        if name not in present
    ]
    if problems:
        raise ConfigurationError(problems)


def _as_in_source(control: Source, control_column: Column) -> exp.Expr:
    """A value of the control group as one of the source's type; what is none is missing."""
    own = control.column(control_column.name)
    value = normalized(own, control.missing)
    return (
        value
        if own.type == control_column.type
        else exp.TryCast(this=value, to=exp.DataType.build(control_column.type, "duckdb"))
    )


def _read(subject: ReleasePair, table: Source, side: str, values: list[exp.Expr], *, by_person: bool) -> None:
    """Makes the frequency table of a side; `by_person` each row says who it is about."""
    rows = table.relation
    if side != "release":
        own = tuple(table.column(qi.name) for qi in subject.roles.quasi_identifiers)
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
        subject.engine.query("measures/attack/tuples", names=names, lists={"item": items, "person": who})


def _make_domain(subject: ReleasePair, compared: ComparedColumn) -> Kind:
    """Makes the domain of a column from source and control group; what its values are."""
    names = {"counted_values": compared.table("values"), "item_name": compared.value}
    names |= {f"{side}_tuples": _tuples(side) for side in ("source", "control")}
    subject.engine.query("measures/attack/counted_values", names=names)
    return make_domain(subject, compared)


def _make_labels(subject: ReleasePair, compared: ComparedColumn, kind: Kind) -> Attacked:
    """Makes the tables of what each label of a column stands for, and of how much."""
    engine = subject.engine
    names = {"counted_values": compared.table("values"), "item_name": compared.value, "tuples": _tuples("release")}
    engine.query("measures/utility/counted_values", names=names)
    make_runs(subject, compared, kind)
    names = {name: compared.table(name) for name in ("runs", "ranks", "widths")}
    engine.query("measures/attack/widths", names=names)
    return Attacked(compared, kind, count_rows(engine, compared.table("labels")))


def _code(subject: ReleasePair, side: str, columns: Sequence[ComparedColumn], *, by_person: bool) -> int:
    """Makes the coded frequency table of a side, each combination once; how many rows it has."""
    engine = subject.engine
    own, key = ("labels", "code") if side == "release" else ("domain", "rank")
    sizes = [count_rows(engine, compared.table(own)) for compared in columns]
    items: list[Item] = [
        {
            "codes": compared.table(own),
            "number": _small(key, compared.table(own), size),
            "code": _code_of(compared),
            "name": compared.value,
        }
        for compared, size in zip(columns, sizes, strict=True)
    ]
    lists = {"item": items, "person": _who(by_person=by_person)}
    engine.query("measures/attack/coded", names={"tuples": _tuples(side), "coded": coded(side)}, lists=lists)
    engine.run(tables.drop(_tuples(side)))
    if by_person or (side != "release" and _share_ranks(engine, columns, sizes)):
        codes = [_code_of(compared) for compared in columns]
        engine.run(tables.copy(coded(side), _combined(coded(side), codes, by_person=by_person).subquery()))
    return int(engine.query("measures/risk/rows", names={"tuples": coded(side)})[0][0] or 0)


def _who(*, by_person: bool) -> list[Item]:
    return [{"name": _PERSON, "least": "least", "most": "most"}] if by_person else []


def _small(key: str, table: str, size: int) -> exp.Expr:
    """A rank or code as the smallest type that holds one more than so many: coded tables are kept until the end."""
    narrow = next((name for name, bits in _TYPES.items() if size < 2**bits), "BIGINT")
    return exp.cast(column(key, table), narrow)


def _share_ranks(engine: Engine, columns: Sequence[ComparedColumn], sizes: Sequence[int]) -> bool:
    """Whether different values of a column are equal in the type of its order, so that combinations may be, too."""
    return any(
        count_rows(engine, compared.table("ranks")) < size for compared, size in zip(columns, sizes, strict=True)
    )


def _combined(table: str, codes: Sequence[str], *, by_person: bool) -> exp.Select:
    items: list[Item] = [{"code": code} for code in codes]
    lists = {"item": items, "person": _who(by_person=by_person)}
    combined = template.fill("measures/attack/combinations", names={"table_rows": table}, lists=lists)
    assert isinstance(combined, exp.Select)
    return combined


def _gather(board: Board) -> None:
    """Makes of each side the table of the quasi-identifiers alone, which most that is tried is about."""
    if not board.others:
        return
    codes = [attacked.key for attacked in board.quasi_identifiers]
    for side in board.rows:
        combined = _combined(coded(side), codes, by_person=board.by_person and side != "release")
        board.engine.run(tables.copy(_quasi(side), combined.subquery()))


def combinations_of(board: Board, side: str, columns: Sequence[Attacked]) -> Fill:
    """The combinations of some columns on a side with their rows, each once: a table where one holds just these."""
    are_quasi = set(columns) <= set(board.quasi_identifiers) and bool(board.others)
    table, width = (_quasi(side), len(board.quasi_identifiers)) if are_quasi else (coded(side), len(board.columns))
    if len(columns) == width:
        return exp.Table(this=template.quoted(table))
    by_person = board.by_person and side != "release"
    return _combined(table, [attacked.key for attacked in columns], by_person=by_person)


MOST_PAIRS = 2_000_000  # of somebody for whom no class stands with a class
MOST_NEAREST = 999_999  # of one person: before version 2 the engine keeps no more by arg_min


@dataclass(frozen=True)
class Known:
    """Columns that an adversary knows, those of few labels first; `name` tells their tables from others."""

    columns: tuple[Attacked, ...]
    name: str

    @classmethod
    def of(cls, columns: Sequence[Attacked], name: str) -> Known:
        """The columns in the order in which classes are looked through."""
        return cls(tuple(sorted(columns, key=lambda attacked: (attacked.labels, attacked.compared.index))), name)

    @property
    def nodes(self) -> list[str]:
        """The columns of the classes that name what they begin with."""
        return [f"n{place}" for place in range(len(self.columns))]

    @property
    def key(self) -> exp.Expr:
        """The name of a class, over the columns of codes."""
        return _named(self.columns)

    def table(self, name: str) -> str:
        """One of its tables: classes(codes, nodes, row_count), near(target, node)."""
        return state(f"attack_{self.name}_{name}")


def _named(columns: Sequence[Attacked]) -> exp.Expr:
    # A hash is another one for each type, so that all are of one.
    keys: list[exp.Expr] = [exp.cast(column(attacked.key), "BIGINT") for attacked in columns]
    return exp.Anonymous(this="hash", expressions=[exp.Array(expressions=keys)])


def draw_targets(board: Board) -> None:
    """Makes the table targets(target, is_control, ranks), and for each column the labels that stand for these."""
    items: list[Item] = [{"code": attacked.key} for attacked in board.columns]
    types = dict.fromkeys(["target", "is_control", *(attacked.key for attacked in board.columns)], "BIGINT")
    board.engine.run(tables.empty(state("attack_targets"), types))
    for is_control, side in enumerate(("source", "control")):
        names = {"combinations": combinations_of(board, side, board.columns)}
        values = {"attacks": board.attacks, "seed": board.seed, "is_control": is_control}
        board.engine.query("measures/attack/targets", names=names, lists={"item": items}, values=values)
    for attacked in board.columns:
        board.engine.query("measures/attack/cover", scope=_names(attacked))


def _names(attacked: Attacked) -> dict[str, Fill]:
    own = {name: attacked.table(name) for name in ("runs", "ranks", "cover")}
    return {**own, "this_code": attacked.key, "this_rank": attacked.key}


def find_nearest(board: Board, knowledge: Known) -> int:
    """Makes the tables classes and near of the columns; for how many no class stands."""
    engine = board.engine
    scope: dict[str, Fill] = {name: state(f"attack_{name}") for name in ("pairs", "lonely", "candidates", "far")}
    scope |= {"classes": knowledge.table("classes"), "near": knowledge.table("near"), "last_node": knowledge.nodes[-1]}
    items: list[Item] = [
        {
            "code": attacked.key,
            "rank": attacked.key,
            "node": knowledge.nodes[place],
            "prefix": _named(knowledge.columns[: place + 1]),
            "widths": attacked.table("widths"),
            "distances": attacked.table("distances"),
        }
        for place, attacked in enumerate(knowledge.columns)
    ]
    lists = {"known": items}
    rows = combinations_of(board, "release", knowledge.columns)
    named: dict[str, Fill] = {"combinations": rows, "classes": knowledge.table("classes")}
    engine.query("measures/attack/classes", names=named, lists=lists)
    _match(board, knowledge)
    engine.query("measures/attack/lonely", scope=scope, lists=lists)
    lonely = count_rows(engine, scope["lonely"])
    most = min(MOST_PAIRS // lonely, MOST_NEAREST) if lonely else 0
    values = {"most": most, "seed": board.seed}
    engine.query("measures/attack/candidates", scope=scope, lists=lists, values=values)
    for attacked in knowledge.columns:
        own = {**_names(attacked), **scope, "column_distances": attacked.table("distances")}
        engine.query("measures/attack/column_distances", scope=own, values={"ordered": attacked.ordered})
    engine.query("measures/attack/distances", scope=scope, lists=lists)
    engine.query("measures/attack/nearest", scope=scope, lists=lists)
    return lonely


def _match(board: Board, knowledge: Known) -> None:
    """Makes the table pairs(target, node) of the classes that stand for somebody."""
    pairs, following = (state(f"attack_{name}") for name in ("pairs", "next_pairs"))
    board.engine.query("measures/attack/root", names={"pairs": pairs})
    parent: Fill = 0
    for attacked, node in zip(knowledge.columns, knowledge.nodes, strict=True):
        names: dict[str, Fill] = {**_names(attacked), "classes": knowledge.table("classes"), "pairs": pairs}
        names |= {"next_pairs": following, "this_node": node, "parent_node": parent}
        _descend(board, names)
        pairs, following, parent = following, pairs, node
    if pairs != state("attack_pairs"):
        board.engine.query("measures/attack/take_pairs", names={"pairs": following, "next_pairs": pairs})


def _descend(board: Board, names: dict[str, Fill]) -> None:
    """Makes next_pairs of pairs, by way of whatever is fewer: labels that stand for a value, or longer beginnings."""
    names["wanted"] = state("attack_wanted")
    by_labels, by_classes = board.engine.query("measures/attack/choices", scope=names)[0]
    ways = ("wanted", "descend_by_labels") if by_labels <= by_classes else ("longer", "descend_by_classes")
    for query in ways:
        board.engine.query(f"measures/attack/{query}", scope=names)


def count_rows(engine: Engine, table: Fill) -> int:
    """How many rows a table has."""
    return int(engine.query("measures/attack/total", names={"table_rows": table})[0][0])
