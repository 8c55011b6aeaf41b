"""A full-domain release as one self-contained SELECT."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.frequency.table import code_name
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.release.body import (
    Asked,
    Body,
    Released,
    key_name,
    other_name,
    set_with,
    source_rows,
    split_missing,
    with_of,
)
from kanon_sql.release.statement import WRITTEN_DIFFERENTLY
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import or_missing
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.dialects.inline_table import Listing, cell_of
from kanon_sql.sql.template import Item, column, state

_STAR = exp.Literal.string("*")


def compiled_release(
    engine: Engine,
    asked: Asked,
    roles: Roles,
    mappings: Sequence[Mapping],
    node: Node,
    *,
    k: int,
    lines: tuple[str, ...],
    masked: int,
    listed: Sequence[tuple[Mapping, int]] | None = None,
) -> Body:
    """The release of a lattice node as one SELECT over the source.

    The classes that are left out are those of fewer than k rows; with `listed`, the quasi-identifiers that tell them
    apart, they are those of the table suppressed_classes, written out by their codes.
    """
    levels = {m.index: (m, level) for m, level in zip(mappings, node, strict=True)}
    by_key = {item.key: levels[index] for index, item in enumerate(roles.quasi_identifiers)}
    coded = {m.index for m, _ in listed or ()}
    made = [_Generalized(engine, asked, item, *by_key[item.key]) for item in roles.released if item.key in by_key]
    found = {one.item.key: one for one in made}
    for one in made:
        one.read(with_code=one.mapping.index in coded)
    outputs: list[Item] = []
    released: list[Released] = []
    for item in roles.released:
        code, quasi = other_name(item), found.get(item.key)
        value = quasi.value() if quasi else column(code, "source_rows")
        kept: exp.Expr = column(code)
        if quasi and asked.masks:
            hidden = column("left_out").eq(exp.Literal.number(1))
            kept = exp.Case(ifs=[exp.If(this=hidden, true=_STAR.copy())], default=kept)
        outputs.append({"value": value, "column": code, "released": kept, "name": item.name})
        described = quasi.described if quasi else item.released_type
        released.append(Released(code, item.name, quasi is not None, described))
    if asked.carried is not None:
        entity = column("entity", "source_rows")
        outputs.append({"value": entity, "column": "entity", "released": column("entity"), "name": "entity"})
    nothing_left_out = asked.executed and listed is None
    file = (
        "release/compiled_listed"
        if listed is not None
        else "release/compiled_all"
        if nothing_left_out
        else "release/compiled_release"
    )
    statement = _assemble(asked, made, outputs, k, file)
    if asked.carried is not None:
        statement.expressions[-1].pop()
    set_with(statement, [source_rows(asked, roles), *with_of(statement).expressions])
    listings = [listing for one in made if (listing := one.listing()) is not None]
    if listed is not None:
        listings.append(_violating(engine, listed))
    return Body(lines, statement, tuple(listings), tuple(released), masked)


class _Generalized:
    """One quasi-identifier at its level: what is released of it, and the mapping table that this needs."""

    def __init__(self, engine: Engine, asked: Asked, item: Column, mapping: Mapping, level: int) -> None:
        self.engine = engine
        self.asked = asked
        self.item = item
        self.mapping = mapping
        self.level = level
        self.name = f"mapping_{mapping.index}"
        self.key = key_name(item)
        as_it_was = not level and mapping.height > 0 and not item.is_text and not asked.as_text
        self.described = item.released_type if as_it_was else "VARCHAR"
        self._plain = as_it_was and not item.type.startswith(WRITTEN_DIFFERENTLY)
        self._rows: list[Row] = []
        self._absent: Row | None = None
        self._coded = False

    def read(self, *, with_code: bool) -> None:
        """Reads what each value becomes, where that is not the value itself."""
        if self._plain and not with_code:
            return
        below = not self.level and self.mapping.height > 0 and self.mapping.column_type != "VARCHAR"
        label = exp.cast(column("value" if below else f"label_{self.level}"), "VARCHAR")
        pairs = self.engine.query(
            "release/compiled_pairs",
            names={"mapping": self.mapping.table, "label_value": label, "level_code": f"level_{self.level}"},
        )
        self._rows, self._absent = split_missing(pairs, self.item, self.asked.missing)
        self._coded = with_code or (self.described != "VARCHAR" and not self._plain)

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

    def listing(self) -> Listing | None:
        """The mapping table."""
        if not self._coded and (self._plain or self._label is not None):
            return None
        kind = self.item.type
        kept = not (self._plain or self._label is not None)
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


def _assemble(asked: Asked, made: Sequence[_Generalized], outputs: list[Item], k: int, file: str) -> exp.Select:
    """The query file filled: mapping tables in its joins, codes beside what is released."""
    classes: list[Item] = []
    keys: list[Item] = []
    for one in made:
        code = one.code()
        name = f"code_{one.mapping.index}"
        if code is not None:
            classes.append({"value": code, "column": name})
        if template.mentions(file, "key"):
            keys.append({"column": name if code is not None else other_name(one.item)})
    kept = exp.true() if asked.masks else column("left_out").eq(exp.Literal.number(0))
    joined: list[Item] = [{"mapping": one.name, "key": one.key} for one in made if one.listing() is not None]
    statement = template.fill(
        file,
        names={"is_kept": kept},
        lists={"out": outputs, "class": classes, "key": keys, "qi": joined, "sort": asked.sort_items()},
        scope={"smallest": k, "source_rows": "source_rows"},
        part=True,
    )
    assert isinstance(statement, exp.Select)
    return statement


def _violating(engine: Engine, listed: Sequence[tuple[Mapping, int]]) -> Listing:
    """The classes that are left out."""
    names = {"suppressed_classes": state("suppressed_classes")}
    codes: list[Item] = [{"code": code_name(m.index, level)} for m, level in listed]
    found = engine.query("release/compiled_violating", names=names, lists={"class": codes})
    columns = (*((f"code_{m.index}", "BIGINT") for m, _ in listed), ("is_listed", "BIGINT"))
    rows = tuple((*map(int, row), 1) for row in found)
    return Listing("violating", "the classes that violate k or a model", columns, rows, keys=len(listed))
