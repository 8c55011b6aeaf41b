"""The columns that source and release share, read into frequency tables: raw values of one, labels of the other.

Both sides with codes for values: what is counted of several columns at once.

The values of a column are put into at most 100 bins, and the rows of a label are spread over the bins of the values
that it stands for. Of a column of more numbers than that, which is released as it is, only sums are kept; of one of
more texts, the most frequent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Kind
from kanon_sql.frequency.table import participants
from kanon_sql.hierarchy.hierarchy import without_text
from kanon_sql.measures.link.matching import EQUAL, LinkingColumn, Meaning, find_cells, meaning_of
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.source.columns import as_written, bring_counted, normalized
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Role, Source
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

_OF_EVERY_VALUE = ("intervals", "date", "suppress")  # built-ins that have labels for whatever a column may hold


@dataclass(frozen=True)
class ComparedColumn:
    """A column that both sides have; `item` is that of the source, `released` the label over the release's keys.

    `index` names its tables and its column in the frequency tables. Where `item` holds values before their treatments,
    `treated` is the column of those behind them.
    """

    index: int
    column: Column
    role: Role
    released: exp.Expr
    released_type: str
    meaning: Meaning
    treated: Column | None = None

    @property
    def name(self) -> str:
        """The column as the user knows it."""
        return self.column.name

    @property
    def value(self) -> str:
        """The column of the frequency tables."""
        return f"v{self.index}"

    @property
    def generalized(self) -> bool:
        """Whether a released * stands for every value."""
        return self.role == "quasi_identifier"

    def table(self, name: str) -> str:
        """One of the column's tables."""
        return state(f"utility_{name}_{self.index}")


def compared_columns(subject: ReleasePair, source: Source) -> tuple[list[ComparedColumn], list[str]]:
    """The columns to compare, quasi-identifiers first, then sensitive ones, and what is left out.

    Raises ConfigurationError where the release lacks a quasi-identifier.
    """
    levels = subject.loaded.config.algorithm.declared.full_domain
    meanings = {name: meaning_of(spec, tree, levels=levels) for name, (spec, tree) in subject.hierarchies.items()}
    others = [
        source_column
        for source_column in subject.roles.released
        if source_column not in subject.roles.quasi_identifiers
    ]
    others.sort(key=lambda released_column: subject.roles.of(released_column) != "sensitive")
    quasi = [qi.name for qi in subject.roles.quasi_identifiers]
    _, problems = find_cells(subject.release, quasi, [meanings[name] for name in quasi])
    if problems:
        raise ConfigurationError(problems)
    present = {source_column.name: source_column for source_column in subject.release.columns}
    compared: list[ComparedColumn] = []
    left_out = []
    for source_column in [*subject.roles.quasi_identifiers, *others]:
        meaning = meanings.get(source_column.name, EQUAL)
        cells, absent = find_cells(subject.release, [source_column.name], [meaning])
        if absent or without_text(source_column.type):
            left_out.append(source_column.name)
            continue
        released, kind = _released(present.get(source_column.name), cells[0], subject.release)
        before = _before(subject, source, source_column)
        treated = None if before is None else source_column
        compared.append(
            ComparedColumn(
                len(compared),
                before or source_column,
                subject.roles.of(source_column),
                released,
                kind,
                meaning,
                treated,
            )
        )
    what = "they are not in the release, or of a type that has no order"
    return compared, [f"{', '.join(map(repr, left_out))}: not compared, {what}"] if left_out else []


def _before(subject: ReleasePair, source: Source, source_column: Column) -> Column | None:
    """The values of a column before its treatments, where the release can be compared with these.

    A hierarchy of listed values knows none of them.
    """
    spec, hierarchy = subject.hierarchies.get(source_column.name, (None, None))
    listed = hierarchy is not None or (spec is not None and spec.builtin not in (None, *_OF_EVERY_VALUE))
    return None if listed else source.before.get(source_column.name)


def _released(source_column: Column | None, cell: LinkingColumn, release: Source) -> tuple[exp.Expr, str]:
    """A label over the keys of the release, and its type; two bounds are one text."""
    return (
        (cell.text, "VARCHAR")
        if source_column is None
        else (normalized(source_column, release.missing), source_column.type)
    )


def tuples(side: str) -> str:
    """The frequency table of a side, source or release."""
    return state(f"utility_{side}")


class Reader:
    """Reads both sides. Of columns of many values that are released as they are only their own counts are read first.

    What another engine holds is brought as distinct combinations with their rows.
    """

    def __init__(self, subject: ReleasePair, source: Source, columns: Sequence[ComparedColumn]) -> None:
        self._engine = subject.engine
        self._tables = {"source": source, "release": subject.release}
        self.label = source.label
        wide = replace(source, columns=(*source.columns, *source.before.values()))
        rows = participants(wide, subject.roles, subject.loaded.config.missing)
        self._rows = {"source": rows, "release": subject.release.relation}
        self._values = {
            "source": {compared.index: normalized(compared.column, source.missing) for compared in columns},
            "release": {compared.index: compared.released for compared in columns},
        }
        self.treated = frozenset(source.treatments)
        self._numbers: dict[tuple[str, int], exp.Expr] = {}
        self.weighted = any(table.weighted or table.backend.weighted for table in self._tables.values())

    def distinct(self, columns: Sequence[ComparedColumn]) -> list[int]:
        """About how many distinct values each column of the source has."""
        source, items = self._tables["source"], [{"key": compared.column.key} for compared in columns]
        names = {"source": self._rows["source"]}
        rows = source.backend.query("source/distinct_estimates", names=names, lists={"out": items}) if items else [()]
        return [int(count) for count in rows[0]]

    def has_rows(self, side: str) -> bool:
        """Whether there is any row on a side."""
        names = {"source": self._rows[side]}
        return bool(self._tables[side].backend.query("measures/utility/has_rows", names=names)[0][0])

    def rows(self, side: str) -> exp.Select:
        """The rows of a side in DuckDB."""
        return self._rows[side]

    def count(self, side: str, compared: ComparedColumn) -> None:
        """Counts the values of one column, from the rows themselves. Raises EngineError."""
        value = self._values[side][compared.index]
        with telling_faults(self._engine, self._tables[side]):
            rows, total = self._given(side, [value])
            names = {
                "source": rows,
                "counted_values": compared.table("values"),
                "item_value": value,
                "row_total": total,
            }
            self._engine.query("measures/utility/counted_rows", names=names)

    def add_treated(self, compared: ComparedColumn) -> None:
        """Adds to the counted values of a column before its treatments, for no row, those treated that are released."""
        if compared.treated is None:
            return
        source, release = self._tables["source"], self._tables["release"]
        value = normalized(compared.treated, source.missing)
        names = {
            "source": self._rows["source"],
            "release": release.relation,
            "counted_values": compared.table("values"),
            "treated_value": value,
            "treated_text": as_written(value.copy(), compared.treated.type),
            "released_text": as_written(compared.released.copy(), compared.released_type),
        }
        with telling_faults(self._engine, source):
            self._engine.query("measures/utility/treated_values", names=names)

    def read(
        self, side: str, columns: Sequence[ComparedColumn], folds: Sequence[ComparedColumn], sums: Sequence[Item]
    ) -> None:
        """Makes the frequency table of a side over columns. Raises EngineError.

        Of `folds`, columns of many texts, those that are not in their table of the most frequent are one; `sums` are
        the numbers of which only sums are kept.
        """
        values = {compared.index: self._values[side][compared.index] for compared in columns}
        folding: list[Item] = []
        for compared in folds:
            raw, table = values[compared.index], compared.table(f"{side}_fold")
            folding.append({"raw": raw, "table": table})
            is_rest = exp.and_(
                exp.Is(this=column("value", table), expression=exp.null()),
                exp.Is(this=raw.copy(), expression=exp.null()).not_(),
            )
            rest = exp.select("value").from_(exp.to_table(compared.table(f"{side}_rest"))).subquery()
            values[compared.index] = exp.Case(ifs=[exp.If(this=is_rest, true=rest)], default=column("kept", table))
        items: list[Item] = [{"name": compared.value, "value": values[compared.index]} for compared in columns]
        with telling_faults(self._engine, self._tables[side]):
            rows, total = self._given(side, [self._values[side][compared.index] for compared in columns])
            self._engine.query(
                "measures/utility/tuples",
                names={"source": rows, "tuples": tuples(side), "row_total": total},
                lists={"item": items, "fold": folding, "sum": sums},
            )

    def number(self, side: str, compared: ComparedColumn, kind: str, span: tuple[float, float]) -> exp.Expr:
        """The number of a value of a row, where `span`, its least and its greatest number, are 0 and 1."""
        value = self._values[side][compared.index]
        described = compared.column.type if side == "source" else compared.released_type
        if described == "VARCHAR":
            value = understood(value, compared.column.reading)
        if kind == "date":
            moment = exp.TryCast(this=value, to=exp.DataType.build("TIMESTAMP"))
            value = exp.Anonymous(this="epoch_us", expressions=[moment])
        number = exp.TryCast(this=value, to=exp.DataType.build("DOUBLE"))
        low, high = (exp.cast(exp.Literal.string(repr(end)), "DOUBLE") for end in (span[0], span[1] - span[0] or 1.0))
        scaled = exp.Div(this=exp.Paren(this=exp.Sub(this=number, expression=low)), expression=high)
        self._numbers[side, compared.index] = scaled
        return scaled

    def raw_number(self, side: str, index: int) -> exp.Expr:
        """The number of a value of a row once more."""
        return self._numbers[side, index].copy()

    def _given(self, side: str, values: Sequence[exp.Expr]) -> tuple[exp.Select, exp.Expr]:
        """The rows of a side with what values need, and how many each stands for."""
        return rows_for(self._engine, self._tables[side], self._rows[side], values, state(f"utility_given_{side}"))


def rows_for(
    engine: Engine, table: Source, rows: exp.Select, values: Sequence[exp.Expr], name: str
) -> tuple[exp.Select, exp.Expr]:
    """Rows of a table with what values need, and how many each stands for.

    What another engine holds is brought into a temporary table of that name.
    """
    if table.backend.weighted:
        keys = {node.name for value in values for node in value.find_all(exp.Column)}
        read = [source_column for source_column in table.columns if source_column.key in keys]
        rows = bring_counted(engine, table.backend, rows, read, name)
    elif not table.weighted:
        return rows, exp.Count(this=exp.Star())
    return rows, exp.Sum(this=column("row_count"))


SIDES = ("source", "release")
MOST_BINS = 100


@dataclass(frozen=True)
class Coded:
    """A compared column once its domain is known; of numbers and dates that are `summed` only sums are kept."""

    column: ComparedColumn
    kind: Kind
    summed: bool = False

    @property
    def ordered(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.kind in ("number", "date")

    @property
    def name(self) -> str:
        """The column as the user knows it."""
        return self.column.name

    @property
    def code(self) -> str:
        """The column of codes of the coded tables."""
        return f"c{self.column.index}"

    @property
    def x(self) -> str:
        """The column of numbers of the coded tables."""
        return f"x{self.column.index}"

    def bins(self, side: str) -> str:
        """The table (code, bin, weight) of a side."""
        return self.column.table(f"{side}_bins")

    @property
    def sums(self) -> dict[str, str]:
        """The columns of the coded tables that hold what correlations are made of."""
        index = self.column.index
        return {"count": f"n{index}", "total": f"s{index}", "square": f"q{index}"}


def coded_table(side: str) -> str:
    """The frequency table of a side with codes."""
    return state(f"utility_coded_{side}")


def make_bins(engine: Engine, compared: ComparedColumn, *, ordered: bool) -> None:
    """Makes the tables bins and bin_runs of a column."""
    names = {name: compared.table(name) for name in ("ranks", "bins", "bin_runs")}
    engine.query("measures/utility/bins", scope=names, values={"most": MOST_BINS, "ordered": ordered})
    engine.query("measures/utility/bin_runs", scope=names, values={"most": MOST_BINS})


def make_label_bins(engine: Engine, compared: ComparedColumn) -> None:
    """Makes the tables of the bins that the labels of each side are spread over."""
    names = {name: compared.table(name) for name in ("runs", "bins", "bin_runs")}
    for side, query in (("source", "own_bins"), ("release", "label_bins")):
        engine.query(f"measures/utility/{query}", scope={**names, "label_bins": compared.table(f"{side}_bins")})


def code_sides(subject: ReleasePair, columns: list[Coded]) -> None:
    """Makes the frequency table of each side with codes."""
    engine = subject.engine
    for side, query in (("source", "own_codes"), ("release", "label_codes")):
        items: list[Item] = []
        numbers: list[Item] = []
        for coded in columns:
            if coded.summed:
                continue
            codes = coded.column.table(f"{side}_codes")
            own = ("domain", "ranks", "labels", "runs", "bins")
            names = {name: coded.column.table(name) for name in own}
            engine.query(f"measures/utility/{query}", scope={**names, "codes": codes})
            items.append({"codes": codes, "code": coded.code, "name": coded.column.value})
            if coded.ordered:
                numbers.append({"codes": codes, "x": coded.x, **coded.sums})
        engine.query(
            "measures/utility/coded",
            names={"tuples": tuples(side), "coded": coded_table(side)},
            lists={"item": items, "number": numbers, "sum": [coded.sums for coded in columns if coded.summed]},
        )


def fold(engine: Engine, compared: ComparedColumn) -> None:
    """Makes for each side the tables of the texts of a column that are not in its last bin, and of one that is."""
    for side, query in (("source", "fold"), ("release", "fold_labels")):
        own = ("domain", "bins", "labels", "release_bins")
        names = {name: compared.table(name) for name in own}
        for part, is_rest in (("fold", False), ("rest", True)):
            output = {"folded": compared.table(f"{side}_{part}")}
            values = {"rest": MOST_BINS - 1, "is_rest": is_rest}
            engine.query(f"measures/utility/{query}", scope={**names, **output}, values=values)


def span(engine: Engine, compared: ComparedColumn) -> tuple[float, float]:
    """The least and the greatest number of a column of the source."""
    low, high = engine.query("measures/utility/span", names={"ranks": compared.table("ranks")})[0]
    return float(low), float(high)
