"""By which columns two tables are known to hold the same rows, though one has columns less, more or under other names.

Of each column a fingerprint is kept: a sum over digests of its values, into which a key of the ledger is mixed, equal
where another column of as many rows holds the same values, each as often. Beside it stands how many bits it says by
that (see queries/ledger/column_prints.sql): a column of one value says none, nor do numbers of rows. Two tables of as
many rows are taken for the same where the columns that are equal say enough together.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from kanon_sql.ledger.entry import Entry
from kanon_sql.source.model import Source
from kanon_sql.source.values import text_of
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

Json = dict[str, Any]

_ENOUGH = 20  # bits: two tables of as many rows agree by chance less than once in a million
_SOME = 1_000  # rows, of which every value must be a number for a column of numbers
_NOTHING = exp.cast(exp.null(), "VARCHAR")
_FEW = 1_000  # distinct values, about, that are counted in memory before they are digested


@dataclass(frozen=True)
class ColumnPrint:
    """What is kept of a column: its fingerprint, and how many bits it says."""

    text: str
    bits: int


@dataclass(frozen=True)
class TablePrint:
    """What is kept of a table of so many rows: of columns by their names, and of `others` whose names are not kept."""

    rows: int
    columns: Mapping[str, ColumnPrint]
    others: Sequence[ColumnPrint] = ()

    def of_released(self, names: Collection[str]) -> TablePrint:
        """What the ledger keeps: the columns of these names, and of the others those that no guess would hit."""
        others = (column for name, column in self.columns.items() if name not in names)
        released = {name: column for name, column in self.columns.items() if name in names}
        return TablePrint(self.rows, released, [column for column in others if column.bits >= _ENOUGH])

    def has_rows_of(self, other: TablePrint) -> bool:
        """Whether both are taken for the same rows."""
        bits = {column.text: column.bits for column in other._all()}
        return self.rows == other.rows and sum(bits[text] for text in bits.keys() & self._texts()) >= _ENOUGH

    def is_part_of(self, other: TablePrint) -> bool:
        """Whether it has those rows, and each of its columns is one of them: under its name, or beyond doubt."""
        return self.has_rows_of(other) and all(
            other.columns.get(name) == column or (column.bits >= _ENOUGH and column.text in other._texts())
            for name, column in self.columns.items()
        )

    def namesakes(self, other: TablePrint) -> dict[str, list[str]]:
        """For each column the columns of the same rows that hold the same values, whatever they are called there."""
        if self.rows != other.rows:
            return {}
        return {
            name: [former for former, kept in other.columns.items() if kept.text == column.text]
            for name, column in self.columns.items()
        }

    def to_dict(self) -> Json:
        """It as JSON data."""
        return {
            "rows": self.rows,
            "columns": {name: [column.text, column.bits] for name, column in self.columns.items()},
            "others": [[column.text, column.bits] for column in self.others],
        }

    @classmethod
    def of_dict(cls, kept: Json) -> TablePrint:
        """What `to_dict` made."""
        columns = {name: ColumnPrint(*column) for name, column in kept["columns"].items()}
        return cls(kept["rows"], columns, [ColumnPrint(*column) for column in kept["others"]])

    def _all(self) -> Iterator[ColumnPrint]:
        yield from self.columns.values()
        yield from self.others

    def _texts(self) -> set[str]:
        return {column.text for column in self._all()}


def kept_key(entries: Sequence[Entry]) -> str:
    """The key that a ledger mixes into fingerprints of columns; a new one where it has none yet."""
    kept = [entry.details["prints"]["key"] for entry in entries if "prints" in entry.details]
    return str(kept[0]) if kept else secrets.token_hex(16)


def kept_print(entry: Entry, table: str, key: str) -> TablePrint | None:
    """What a release keeps of its `source` or `release`; None for older ones, and for those of another key."""
    prints = entry.details.get("prints")
    return TablePrint.of_dict(prints[table]) if prints is not None and prints["key"] == key else None


def print_columns(engine: Engine, table: Source, key: str, rows: int, estimates: Sequence[int]) -> TablePrint:
    """The fingerprints of all columns of a table of so many rows, in one scan.

    `estimates` are about how many distinct values each column has, in the order of their names. Of a source they are
    taken as it stands, as is the fingerprint of all columns.
    """
    table = table.unread or table
    columns = sorted(table.columns, key=lambda item: item.name)
    values = [exp.Coalesce(this=text_of(item, ()), expressions=[exp.Literal.string("")]) for item in columns]
    is_few = [estimate <= _FEW for estimate in estimates]
    numbers = _numbers(engine, table, [value for value, few in zip(values, is_few, strict=True) if not few])
    items: list[Item] = [
        {
            "few": value if few else _NOTHING,
            "many": _NOTHING if few else value,
            "number": exp.cast(exp.null(), "DOUBLE") if few else next(numbers),
            **{name: f"{name}_{position}" for name in ("name", "text", "place")},
        }
        for position, (value, few) in enumerate(zip(values, is_few, strict=True))
    ]
    names = {"table_rows": table.relation}
    sums = engine.query("ledger/column_prints", names=names, lists={"cell": items}, values={"key": key})
    return TablePrint(
        rows,
        {
            item.name: ColumnPrint(_digest(key, total), bits)
            for item, (_, total, bits) in zip(columns, sums, strict=True)
        },
    )


def _numbers(engine: Engine, table: Source, values: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Of each of these texts the number or moment that it is, NULL where some rows say that it is neither."""
    if not values:
        return
    names = {"table_rows": table.relation.limit(_SOME)}
    ((kinds,),) = engine.query("ledger/column_kinds", names=names, lists={"cell": [{"value": one} for one in values]})
    for kind, value in zip(kinds, values, strict=True):
        if kind is None:
            yield exp.cast(exp.null(), "DOUBLE")
        elif kind == "number":
            yield exp.TryCast(this=value.copy(), to=exp.DataType.build("DOUBLE"))
        else:
            moment = exp.TryCast(this=value.copy(), to=exp.DataType.build("TIMESTAMP"))
            seconds = exp.Anonymous(this="epoch", expressions=[moment])
            finite = exp.Anonymous(this="isfinite", expressions=[moment.copy()])
            yield exp.Case(ifs=[exp.If(this=finite, true=seconds)])


def _digest(key: str, total: str) -> str:
    return hashlib.sha256(f"{key} {total}".encode()).hexdigest()[:32]
