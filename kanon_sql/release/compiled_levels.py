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
    ReleasedColumn,
    assembled,
    key_name,
    leave_out,
    other_name,
    split_missing,
)
from kanon_sql.release.statement import GROUP, WRITTEN_DIFFERENTLY, Generalization
from kanon_sql.source.columns import or_missing
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.template import Fill, Item, column
from kanon_sql.sql.writing import Listing, cell_of

_LARGEST = 2**62  # of a number in BIGINT, with room to spare
_FLOATING = ("FLOAT", "DOUBLE")
_MOST_SETS = 50  # of columns with a count beside each row


def compiled_levels(
    engine: Engine,
    request: CompileRequest,
    generalization: Generalization,
    k: int,
    listed: Sequence[tuple[MappingTable, int]] | None,
    known_columns: int | None = None,
) -> CompiledRelease:
    """The release of a lattice node as one SELECT over the source.

    The classes that are left out are those of fewer than k rows, with `known_columns` those with fewer in some so many
    columns. With `listed`, the quasi-identifiers that tell classes apart, they are those of the table
    suppressed_classes instead, written out by their codes.
    """
    coded = {m.index for m, _ in (generalization.grouping() if generalization.shown else listed or ())}
    quasi_of = {entry[0].key: entry for entry in generalization.quasi_identifiers}
    read = {
        col.key: _Generalized(engine, request, quasi_of[col.key], with_code=quasi_of[col.key][1].index in coded)
        for col in generalization.roles.released
        if col.key in quasi_of
    }
    read_by = {quasi.mapping.index: quasi for quasi in read.values()}
    shown = _shown(engine, generalization, read_by)
    outputs, released = _outputs(request, generalization.roles, read, shown)
    numbered = [] if listed is None else _numbered([read_by[m.index] for m, _ in listed])
    codes, keys = _class_keys(list(read.values()))
    codes = codes if listed is None else [{"value": number.value(), "column": number.name} for number in numbered]
    listings = [listing for quasi in read.values() if (listing := quasi.listing()) is not None]
    lists: dict[str, list[Item]] = {
        "listed": [] if listed is None else [{"violating": "violating"}],
        "class": codes,
        "out": outputs,
        "number": shown.numbers,
        "shown": [{"values": "shown"}] if shown.numbers else [],
        "group": [{"column": GROUP, "carried": "entity"}] if listed is not None and request.together else [],
        "qi": [{"mapping": quasi.name, "key": quasi.key} for quasi in read.values() if quasi.listing() is not None],
    }
    names: dict[str, Fill] = {
        "source_rows": "source_rows",
        "is_kept": _kept(request, shown, nothing_left_out=request.executed and listed is None),
        "violates": _violates(keys, k, known_columns, is_listed=listed is not None),
    }
    statement = assembled(request, generalization.roles, "release/compiled_levels", lists, names)
    if listed is not None:
        listings.append(_violating(engine, listed, numbered, request.carried if request.together else None))
    elif request.executed:  # then no class is left out
        leave_out(statement, "judged")
    return CompiledRelease(statement, (*listings, *shown.listings), released)


def _class_keys(read: Sequence[_Generalized]) -> tuple[list[Item], list[exp.Expr]]:
    """(the codes that are carried along, the keys of classes: these codes, or what is released)."""
    codes: list[Item] = []
    keys: list[exp.Expr] = []
    for quasi in read:
        code, name = quasi.code(), f"code_{quasi.mapping.index}"
        if code is not None:
            codes.append({"value": code, "column": name})
        keys.append(column(name if code is not None else other_name(quasi.column)))
    return codes, keys


@dataclass(frozen=True)
class _Shown:
    """The values that classes show of aggregated columns, by index; of several classes in `listings`, by `numbers`."""

    values: Mapping[int, exp.Expr]
    numbers: list[Item]
    listings: tuple[Listing, ...] = ()


def _shown(engine: Engine, generalization: Generalization, read: Mapping[int, _Generalized]) -> _Shown:
    """Reads the table class_values."""
    names = generalization.shown_as
    if not names:
        return _Shown({}, [])
    grouping = generalization.grouping()
    codes: list[Item] = [{"code": code_name(m.index, level)} for m, level in grouping]
    classes = engine.query(
        "release/compiled_values",
        lists={"key": codes, "value": [{"name": name} for name in names.values()]},
    )
    if not grouping:
        only = classes[0] if classes else [None] * len(names)
        literals = (exp.null() if value is None else exp.Literal.string(str(value)) for value in only)
        return _Shown({i: exp.cast(literal, "VARCHAR") for i, literal in zip(names, literals, strict=True)}, [])
    numbers = _numbered([read[m.index] for m, _ in grouping], "number")
    rows = []
    for row in classes:
        by_index = {m.index: int(code) for (m, _), code in zip(grouping, row, strict=False)}
        values = (cell_of(value, "VARCHAR") for value in row[len(grouping) :])
        rows.append((*(number.of(by_index) for number in numbers), *values, 1))
    columns = (
        *((number.name, "BIGINT") for number in numbers),
        *((name, "VARCHAR") for name in names.values()),
        ("is_shown", "BIGINT"),
    )
    listing = Listing("shown", "what the classes show of aggregated columns", columns, tuple(rows), keys=len(numbers))
    items: list[Item] = [{"value": number.value(), "column": number.name} for number in numbers]
    return _Shown({i: column(name, "shown") for i, name in names.items()}, items, (listing,))


def _kept(request: CompileRequest, shown: _Shown, *, nothing_left_out: bool) -> exp.Expr:
    """The condition of rows that stay: of satisfying classes that existed when aggregates were computed, or masked."""
    left_out = column("left_out")
    is_shown = column("is_shown", "shown").eq(exp.Literal.number(1)) if shown.numbers else exp.true()
    if nothing_left_out:
        return is_shown
    if request.masks:
        return exp.paren(exp.or_(left_out.eq(exp.Literal.number(1)), is_shown)) if shown.numbers else is_shown
    kept = left_out.eq(exp.Literal.number(0))
    return exp.and_(kept, is_shown) if shown.numbers else kept


def _outputs(
    request: CompileRequest, roles: Roles, read: Mapping[str, _Generalized], shown: _Shown
) -> tuple[list[Item], tuple[ReleasedColumn, ...]]:
    """The columns inside the statement, and as whoever reads the release sees them."""
    outputs: list[Item] = []
    released = []
    for col in roles.released:
        code, quasi = other_name(col), read.get(col.key)
        value = quasi.value() if quasi else column(code, "source_rows")
        kept: exp.Expr = column(code)
        if quasi:
            kept = shown.values.get(quasi.mapping.index, kept).copy()
        if quasi and request.masks:
            hidden = column("left_out").eq(exp.Literal.number(1))
            kept = exp.Case(ifs=[exp.If(this=hidden, true=exp.Literal.string("*"))], default=kept)
        outputs.append({"value": value, "column": code, "released": kept, "name": col.name})
        described = quasi.described if quasi else col.released_type
        released.append(ReleasedColumn(code, col.name, quasi is not None, described))
    if request.carried is not None:
        carried = _carried(request.carried, together=request.together)
        outputs.append({"value": carried, "column": "entity", "released": column("entity"), "name": "entity"})
    return outputs, tuple(released)


def _carried(col: Column, *, together: bool) -> exp.Expr:
    """A column that is not released; of groups with one zero: -0.0, another text, is of the group of 0.0."""
    value: exp.Expr = column("entity", "source_rows")
    if not together or col.type not in _FLOATING:
        return value
    return exp.cast(exp.Add(this=value, expression=exp.Literal.number(0)), col.type)


def _violates(keys: Sequence[exp.Expr], k: int, known_columns: int | None, *, is_listed: bool) -> exp.Expr:
    """The condition that a row's class violates: it is listed, or a count beside each row says so.

    With `known_columns` there is a count for each set of so many columns, unless these are too many: then none violated
    in the search.
    """
    if is_listed:
        return exp.column("is_listed", "violating").eq(exp.Literal.number(1))
    size = len(keys) if known_columns is None else min(known_columns, len(keys))
    if comb(len(keys), size) > _MOST_SETS:
        return exp.false()
    counts = (
        exp.Window(this=exp.Count(this=exp.Star()), partition_by=[key.copy() for key in subset], over="OVER")
        for subset in combinations(keys, size)
    )
    return exp.or_(*(exp.LT(this=counted, expression=exp.Literal.number(k)) for counted in counts))


class _Generalized:
    """A quasi-identifier at its level: its released value, and the mapping table that this needs."""

    def __init__(
        self,
        engine: Engine,
        request: CompileRequest,
        quasi_identifier: tuple[Column, MappingTable, int],
        *,
        with_code: bool,
    ) -> None:
        col, mapping, level = quasi_identifier
        self.column = col
        self.mapping = mapping
        self.level = level
        self.name = f"mapping_{mapping.index}"
        self.key = key_name(col)
        as_it_was = not level and mapping.height > 0 and not col.is_text and not request.as_text
        self.described = col.released_type if as_it_was else "VARCHAR"
        self._plain = as_it_was and not col.type.startswith(WRITTEN_DIFFERENTLY)
        self._coded = with_code or (self.described != "VARCHAR" and not self._plain)
        # What each value becomes, where that is not the value itself.
        self._rows: list[Row] = []
        self._absent: Row | None = None
        if with_code or not self._plain:
            self._rows, self._absent = split_missing(self._pairs(engine), col, request.missing)

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
        """The released value, as an expression over source_rows and the mapping table."""
        key = column(self.key, "source_rows")
        if self._plain:
            return self.column.released(key)
        if self._label is not None:
            return exp.cast(exp.Literal.string(self._label), "VARCHAR")
        absent = self._absent[0] if self._absent else None
        return or_missing(
            key, column("released", self.name), None if absent is None else exp.Literal.string(str(absent))
        )

    def code(self) -> exp.Expr | None:
        """The code of the released value, None where classes are told apart without codes."""
        if not self._coded:
            return None
        absent = exp.Literal.number(int(self._absent[1])) if self._absent else None
        return or_missing(column(self.key, "source_rows"), column("code", self.name), absent)

    @property
    def codes(self) -> int:
        """A number above every code."""
        return 1 + max([0, *(int(row[2]) for row in self._rows), *([int(self._absent[1])] if self._absent else [])])

    def listing(self) -> Listing | None:
        """The mapping table, None where none is needed."""
        if not self._coded and (self._plain or self._label is not None):
            return None
        kind = self.column.type
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
        return Listing(self.name, f"quasi-identifier {self.column.name!r}", tuple(columns), rows)


@dataclass(frozen=True)
class _Numbered:
    """One number for the codes of several quasi-identifiers: the sum of each times its `stride`.

    Joining on it is cheaper than on each code. A planner that judges columns one by one takes a small table with many
    key columns for one whose keys hardly differ, and hashes all rows of the source instead.
    """

    name: str
    strides: tuple[tuple[_Generalized, int], ...]

    def value(self) -> exp.Expr:
        """The number of a row, as an expression."""
        (first, _), *more = self.strides  # the first has a stride of 1
        whole = _code_of(first)
        for quasi, stride in more:
            term = exp.Mul(this=_code_of(quasi), expression=exp.Literal.number(stride))
            whole = exp.Add(this=whole, expression=term)
        return whole

    def of(self, codes: Mapping[int, int]) -> int:
        """The number of a class, given its codes by the indexes of their mappings."""
        return sum(codes[quasi.mapping.index] * stride for quasi, stride in self.strides)


def _code_of(quasi: _Generalized) -> exp.Expr:
    code = quasi.code()
    assert code is not None
    return code


def _numbered(read: Sequence[_Generalized], name: str = "class") -> list[_Numbered]:
    """As few numbers as the codes fit into."""
    groups: list[list[tuple[_Generalized, int]]] = []
    stride = _LARGEST
    for quasi in read:
        if stride * quasi.codes >= _LARGEST:
            groups.append([])
            stride = 1
        groups[-1].append((quasi, stride))
        stride *= quasi.codes
    return [_Numbered(f"{name}_{i}", tuple(group)) for i, group in enumerate(groups)]


def _one_zero(value: str | None, kind: str) -> str | None:
    """The text of a group with one zero, as `_carried` has it."""
    return "0.0" if value == "-0.0" and kind in _FLOATING else value


def _violating(
    engine: Engine, listed: Sequence[tuple[MappingTable, int]], numbered: Sequence[_Numbered], group: Column | None
) -> Listing:
    """The listing of the classes that are left out, or of the groups in each whose rows are."""
    codes: list[Item] = [{"code": code_name(m.index, level)} for m, level in listed]
    names: list[Item] = [] if group is None else [{"code": GROUP}]
    classes = engine.query("release/compiled_violating", lists={"class": codes, "group": names})
    kinds = [] if group is None else ["VARCHAR" if group.is_text else group.type]
    columns = (
        *((number.name, "BIGINT") for number in numbered),
        *((GROUP, kind) for kind in kinds),
        ("is_listed", "BIGINT"),
    )
    rows = []
    for row in classes:
        by_index = {m.index: int(code) for (m, _), code in zip(listed, row, strict=False)}
        named = [_one_zero(value, kind) for value, kind in zip(row[len(listed) :], kinds, strict=True)]
        cells = (cell_of(value, kind) for value, kind in zip(named, kinds, strict=True))
        rows.append((*(number.of(by_index) for number in numbered), *cells, 1))
    keys = len(numbered) + len(kinds)
    return Listing("violating", "the classes that violate k or a model", columns, tuple(rows), keys=keys)
