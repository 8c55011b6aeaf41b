"""The release of a lattice node as one self-contained SELECT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from sqlglot import exp

from kanon_sql.frequency.table import code_name
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.release.compiled import (
    CompiledRelease,
    CompileRequest,
    Released,
    assembled,
    key_name,
    leave_out,
    other_name,
    split_missing,
)
from kanon_sql.release.statement import WRITTEN_DIFFERENTLY, Generalization
from kanon_sql.source.columns import or_missing
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.template import Fill, Item, column, state
from kanon_sql.sql.writing import Listing, cell_of

_LARGEST = 2**62  # of a number in BIGINT, with room to spare
_MOST_SETS = 50  # of columns with a count beside each row


def compiled_levels(
    engine: Engine,
    asked: CompileRequest,
    made: Generalization,
    k: int,
    listed: Sequence[tuple[MappingTable, int]] | None,
    known: int | None = None,
) -> CompiledRelease:
    """The release of a lattice node as one SELECT over the source.

    The classes that are left out are those of fewer than k rows, or those with fewer in some `known` columns; with
    `listed`, the quasi-identifiers that tell them apart, they are those of the table suppressed_classes, written out by
    their codes.
    """
    coded = {m.index for m, _ in (made.grouping() if made.shown else listed or ())}
    found = {one[0].key: one for one in made.quasi_identifiers}
    read = {
        item.key: _Generalized(engine, asked, found[item.key], with_code=found[item.key][1].index in coded)
        for item in made.roles.released
        if item.key in found
    }
    read_by = {one.mapping.index: one for one in read.values()}
    shown = _shown(engine, made, read_by)
    outputs, released = _outputs(asked, made.roles, read, shown)
    numbered = [] if listed is None else _numbered([read_by[m.index] for m, _ in listed])
    codes, keys = _told_apart(list(read.values()))
    codes = codes if listed is None else [{"value": one.value(), "column": one.name} for one in numbered]
    listings = [listing for one in read.values() if (listing := one.listing()) is not None]
    lists: dict[str, list[Item]] = {
        "listed": [] if listed is None else [{"violating": "violating"}],
        "class": codes,
        "out": outputs,
        "number": shown.numbers,
        "shown": [{"values": "shown"}] if shown.numbers else [],
        "qi": [{"mapping": one.name, "key": one.key} for one in read.values() if one.listing() is not None],
    }
    names: dict[str, Fill] = {
        "source_rows": "source_rows",
        "is_kept": _kept(asked, shown, nothing_left_out=asked.executed and listed is None),
        "violates": _violates(keys, k, known, is_listed=listed is not None),
    }
    statement = assembled(asked, made.roles, "release/compiled_levels", lists, names)
    if listed is not None:
        listings.append(_violating(engine, listed, numbered))
    elif asked.executed:  # then no class is left out
        leave_out(statement, "judged")
    return CompiledRelease(statement, (*listings, *shown.listings), released)


def _told_apart(read: Sequence[_Generalized]) -> tuple[list[Item], list[exp.Expr]]:
    """(the codes that are carried along, what tells classes apart: these, or what is released)."""
    codes: list[Item] = []
    keys: list[exp.Expr] = []
    for one in read:
        code, name = one.code(), f"code_{one.mapping.index}"
        if code is not None:
            codes.append({"value": code, "column": name})
        keys.append(column(name if code is not None else other_name(one.item)))
    return codes, keys


@dataclass(frozen=True)
class _Shown:
    """What classes show of columns that are aggregated, by their indexes; read from `listings` by `numbers` where there
    is more than one class.
    """

    values: Mapping[int, exp.Expr]
    numbers: list[Item]
    listings: tuple[Listing, ...] = ()


def _shown(engine: Engine, made: Generalization, read: Mapping[int, _Generalized]) -> _Shown:
    """Reads the table class_values."""
    names = made.shown_as
    if not names:
        return _Shown({}, [])
    grouping = made.grouping()
    codes: list[Item] = [{"code": code_name(m.index, level)} for m, level in grouping]
    found = engine.query(
        "release/compiled_values",
        names={"class_values": state("class_values")},
        lists={"key": codes, "value": [{"name": name} for name in names.values()]},
    )
    if not grouping:
        only = found[0] if found else [None] * len(names)
        literals = (exp.null() if value is None else exp.Literal.string(str(value)) for value in only)
        return _Shown({i: exp.cast(one, "VARCHAR") for i, one in zip(names, literals, strict=True)}, [])
    numbered = _numbered([read[m.index] for m, _ in grouping], "number")
    rows = []
    for row in found:
        by_index = {m.index: int(code) for (m, _), code in zip(grouping, row, strict=False)}
        values = (cell_of(value, "VARCHAR") for value in row[len(grouping) :])
        rows.append((*(one.of(by_index) for one in numbered), *values, 1))
    columns = (
        *((one.name, "BIGINT") for one in numbered),
        *((name, "VARCHAR") for name in names.values()),
        ("is_shown", "BIGINT"),
    )
    listing = Listing("shown", "what the classes show of aggregated columns", columns, tuple(rows), keys=len(numbered))
    items: list[Item] = [{"value": one.value(), "column": one.name} for one in numbered]
    return _Shown({i: column(name, "shown") for i, name in names.items()}, items, (listing,))


def _kept(asked: CompileRequest, shown: _Shown, *, nothing_left_out: bool) -> exp.Expr:
    """Which rows stay: those of classes that satisfy, and that were there when aggregates were found, or all masked."""
    left_out = column("left_out")
    known = column("is_shown", "shown").eq(exp.Literal.number(1)) if shown.numbers else exp.true()
    if nothing_left_out:
        return known
    if asked.masks:
        return exp.paren(exp.or_(left_out.eq(exp.Literal.number(1)), known)) if shown.numbers else known
    kept = left_out.eq(exp.Literal.number(0))
    return exp.and_(kept, known) if shown.numbers else kept


def _outputs(
    asked: CompileRequest, roles: Roles, read: Mapping[str, _Generalized], shown: _Shown
) -> tuple[list[Item], tuple[Released, ...]]:
    """What the statement says of each column, and what that is to whoever reads the release."""
    outputs: list[Item] = []
    released = []
    for item in roles.released:
        code, quasi = other_name(item), read.get(item.key)
        value = quasi.value() if quasi else column(code, "source_rows")
        kept: exp.Expr = column(code)
        if quasi:
            kept = shown.values.get(quasi.mapping.index, kept).copy()
        if quasi and asked.masks:
            hidden = column("left_out").eq(exp.Literal.number(1))
            kept = exp.Case(ifs=[exp.If(this=hidden, true=exp.Literal.string("*"))], default=kept)
        outputs.append({"value": value, "column": code, "released": kept, "name": item.name})
        described = quasi.described if quasi else item.released_type
        released.append(Released(code, item.name, quasi is not None, described))
    if asked.carried is not None:
        entity = column("entity", "source_rows")
        outputs.append({"value": entity, "column": "entity", "released": column("entity"), "name": "entity"})
    return outputs, tuple(released)


def _violates(keys: Sequence[exp.Expr], k: int, known: int | None, *, is_listed: bool) -> exp.Expr:
    """Whether the class of a row violates: it is listed, or a count beside each row says so.

    Where few columns are known there is a count for each set of so many, unless there are too many: none violated when
    they were searched.
    """
    if is_listed:
        return exp.column("is_listed", "violating").eq(exp.Literal.number(1))
    size = len(keys) if known is None else min(known, len(keys))
    if comb(len(keys), size) > _MOST_SETS:
        return exp.false()
    counts = (
        exp.Window(this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in one], over="OVER")
        for one in combinations(keys, size)
    )
    return exp.or_(*(exp.LT(this=counted, expression=exp.Literal.number(k)) for counted in counts))


class _Generalized:
    """One quasi-identifier at its level: what is released of it, and the mapping table that this needs."""

    def __init__(
        self, engine: Engine, asked: CompileRequest, found: tuple[Column, MappingTable, int], *, with_code: bool
    ) -> None:
        item, mapping, level = found
        self.item = item
        self.mapping = mapping
        self.level = level
        self.name = f"mapping_{mapping.index}"
        self.key = key_name(item)
        as_it_was = not level and mapping.height > 0 and not item.is_text and not asked.as_text
        self.described = item.released_type if as_it_was else "VARCHAR"
        self._plain = as_it_was and not item.type.startswith(WRITTEN_DIFFERENTLY)
        self._coded = with_code or (self.described != "VARCHAR" and not self._plain)
        # What each value becomes, where that is not the value itself.
        self._rows: list[Row] = []
        self._absent: Row | None = None
        if with_code or not self._plain:
            self._rows, self._absent = split_missing(self._pairs(engine), item, asked.missing)

    def _pairs(self, engine: Engine) -> list[Row]:
        below = not self.level and self.mapping.height > 0 and self.mapping.column_type != "VARCHAR"
        label = exp.cast(column("value" if below else f"label_{self.level}"), "VARCHAR")
        names: dict[str, Fill] = {
            "mapping": self.mapping.table,
            "label_value": label,
            "level_code": f"level_{self.level}",
        }
        return engine.query("release/compiled_pairs", names=names)

    @property
    def _label(self) -> str | None:
        """The one label that every value has at the top; None where there are several."""
        labels = {row[1] for row in self._rows} | ({self._absent[0]} if self._absent else set())
        is_top = self.level == self.mapping.height and not self.mapping.splits_top
        return str(labels.pop()) if is_top and len(labels) == 1 and None not in labels else None

    def value(self) -> exp.Expr:
        """What is released."""
        key = column(self.key, "source_rows")
        if self._plain:
            return self.item.released(key)
        if self._label is not None:
            return exp.cast(exp.Literal.string(self._label), "VARCHAR")
        absent = self._absent[0] if self._absent else None
        return or_missing(
            key, column("released", self.name), None if absent is None else exp.Literal.string(str(absent))
        )

    def code(self) -> exp.Expr | None:
        """The code of what is released, where classes are told apart by codes."""
        if not self._coded:
            return None
        absent = exp.Literal.number(int(self._absent[1])) if self._absent else None
        return or_missing(column(self.key, "source_rows"), column("code", self.name), absent)

    @property
    def codes(self) -> int:
        """A number above every code."""
        return 1 + max([0, *(int(row[2]) for row in self._rows), *([int(self._absent[1])] if self._absent else [])])

    def listing(self) -> Listing | None:
        """The mapping table."""
        if not self._coded and (self._plain or self._label is not None):
            return None
        kind = self.item.type
        kept = not self._plain and self._label is None
        columns = [("value", kind), *([("released", self.described)] if kept else [])]
        columns += [("code", "BIGINT")] if self._coded else []
        rows = tuple(
            (
                cell_of(value, kind),
                *([cell_of(label, self.described)] if kept else []),
                *([int(code)] if self._coded else []),
            )
            for value, label, code in self._rows
        )
        return Listing(self.name, f"quasi-identifier {self.item.name!r}", tuple(columns), rows)


@dataclass(frozen=True)
class _Numbered:
    """One number for the codes of several quasi-identifiers: the sum of each times its `stride`.

    To join on it is cheaper than on each code, and a planner that knows columns one by one takes a small table that is
    told apart by many for one whose rows are hardly told apart at all, and hashes all rows of the source in its stead.
    """

    name: str
    strides: tuple[tuple[_Generalized, int], ...]

    def value(self) -> exp.Expr:
        """The number of a row."""
        (first, _), *more = self.strides  # the first has a stride of 1
        whole = _code_of(first)
        for one, stride in more:
            term = exp.Mul(this=_code_of(one), expression=exp.Literal.number(stride))
            whole = exp.Add(this=whole, expression=term)
        return whole

    def of(self, codes: Mapping[int, int]) -> int:
        """The number of codes by the index of their mapping."""
        return sum(codes[one.mapping.index] * stride for one, stride in self.strides)


def _code_of(one: _Generalized) -> exp.Expr:
    code = one.code()
    assert code is not None
    return code


def _numbered(read: Sequence[_Generalized], name: str = "class") -> list[_Numbered]:
    """As few numbers as codes fit into."""
    groups: list[list[tuple[_Generalized, int]]] = []
    stride = _LARGEST
    for one in read:
        if stride * one.codes >= _LARGEST:
            groups.append([])
            stride = 1
        groups[-1].append((one, stride))
        stride *= one.codes
    return [_Numbered(f"{name}_{i}", tuple(group)) for i, group in enumerate(groups)]


def _violating(engine: Engine, listed: Sequence[tuple[MappingTable, int]], numbered: Sequence[_Numbered]) -> Listing:
    """The classes that are left out."""
    names = {"suppressed_classes": state("suppressed_classes")}
    codes: list[Item] = [{"code": code_name(m.index, level)} for m, level in listed]
    found = engine.query("release/compiled_violating", names=names, lists={"class": codes})
    columns = (*((one.name, "BIGINT") for one in numbered), ("is_listed", "BIGINT"))
    rows = []
    for row in found:
        by_index = {m.index: int(code) for (m, _), code in zip(listed, row, strict=True)}
        rows.append((*(one.of(by_index) for one in numbered), 1))
    return Listing("violating", "the classes that violate k or a model", columns, tuple(rows), keys=len(numbered))
