"""Checks of many lattice nodes in one statement: a check then costs what its data cost, not what a statement costs.

Every combination is repeated for each node of the batch, with the number of the node and one number that packs the
codes of its class there. The statements that judge classes take these two as the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.sql.template import Composed, Fill, Item, column, compose, state

_MOST_NODES = 64
_MOST_ROWS = 3_000_000  # combinations times nodes, each of which may be a class of its own: about 150 MB
_WORDS = ((63, "BIGINT"), (127, "HUGEINT"))  # types of the number that packs codes, by their bits


class Batches:
    """The statements about many nodes of a lattice.

    `size` is the most nodes of a batch, 0 if nodes are checked one by one.
    """

    def __init__(self, frequency: Frequency, models: Models, *, screening: bool) -> None:
        self._frequency = frequency
        widths = [mapping.codes.bit_length() for mapping in frequency.mappings]
        self._word = next((name for bits, name in _WORDS if sum(widths) < bits), None)
        self._codes = _fields(widths)
        self._factors = [1 << shift for shift, _ in self._codes]
        self._levels = _fields([mapping.height.bit_length() for mapping in frequency.mappings])
        # Where models count values, a combination has a row for each of them.
        rows = frequency.tuples if not models.columns else frequency.n
        single = (
            models.by_entity or models.in_rounds or bool(models.refusing_absent)
        )  # where nodes are asked one by one
        possible = self._word is not None and not single
        self.size = min(_MOST_NODES, _MOST_ROWS // max(rows, 1)) if possible else 0
        bits = sum(mapping.height.bit_length() for mapping in frequency.mappings)
        self.units_size = self.size if bits < 63 else 0  # nodes that a statement may give the units of loss of
        self.statements = models.once(_Statements, screening=screening)
        marginals = frequency.marginals
        self._by_detail = sorted(range(len(marginals)), key=lambda i: marginals[i][0].spread)
        self._cells: list[Item] = [
            {"code": code_name(i, level), "factor": self._factor(i)}
            for i, mapping in enumerate(frequency.mappings)
            for level in range(mapping.height + 1)
        ]
        self._costs: list[Item] = [
            {
                "costs": state(f"costs_{i}"),
                "cost": f"cost_{i}",
                "place": level_shift,
                "levels": level_bits,
                "shift": shift,
                "codes": codes,
            }
            for i, ((level_shift, level_bits), (shift, codes)) in enumerate(zip(self._levels, self._codes, strict=True))
        ]

    def split(self, nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
        """The nodes in batches of at most `size`.

        Those of a batch have similar levels in the columns that distinguish most rows, so that few combinations remain
        at the lowest of their levels.
        """
        if len(nodes) > self.size:
            nodes = sorted(nodes, key=lambda node: [node[i] for i in self._by_detail])
        for start in range(0, len(nodes), self.size):
            yield nodes[start : start + self.size]

    def names(self, nodes: Sequence[Node]) -> dict[str, Fill]:
        """The names of the statements about these nodes, which are numbered in their order."""
        words = exp.Array(expressions=[self._word_of(node) for node in nodes])
        return {"node_words": words, "node_count": exp.Literal.number(len(nodes))}

    def unit_names(self, nodes: Sequence[Node]) -> dict[str, Fill]:
        """The names of the statement of the units of loss of these nodes."""
        levels = [sum(level << shift for level, (shift, _) in zip(node, self._levels, strict=True)) for node in nodes]
        packed = exp.Array(expressions=[exp.Literal.number(number) for number in levels])
        return {**self.names(nodes), "node_levels": packed}

    def unit_lists(self, nodes: Sequence[Node]) -> dict[str, Sequence[Item]]:
        """The list holes of the statement of the units of loss of these nodes."""
        return {**self.lists(nodes), "cost": self._costs}

    def lists(self, nodes: Sequence[Node]) -> dict[str, Sequence[Item]]:
        """The list holes of the statements about these nodes."""
        least = [min(levels) for levels in zip(*nodes, strict=True)]
        return {
            "cell": self._cells,
            "key": [{"code": "node"}, {"code": "word"}],
            "meet": [{"code": code_name(i, level)} for i, level in enumerate(least) if self._divides(i, level)],
        }

    def _divides(self, attribute: int, level: int) -> bool:
        """Whether a level distinguishes rows: at the top of a hierarchy all values are one."""
        mapping = self._frequency.mappings[attribute]
        return level < mapping.height or mapping.splits_top

    def _word_of(self, node: Node) -> exp.Expr:
        """The sum of the columns at a node's levels."""
        columns: list[exp.Expr] = [
            column(code_name(i, level)) for i, level in enumerate(node) if self._divides(i, level)
        ]
        if not columns:
            return exp.Literal.number(0)
        return exp.Paren(this=reduce(lambda left, right: exp.Add(this=left, expression=right), columns))

    def _factor(self, attribute: int) -> Fill:
        value = self._factors[attribute]
        return value if self._word == "BIGINT" else exp.cast(exp.Literal.number(value), "HUGEINT", dialect="duckdb")


def _fields(widths: Sequence[int]) -> list[tuple[int, int]]:
    """Where numbers of so many bits are in one number: (the bits by which each is shifted, a mask of its bits)."""
    return [(sum(widths[:i]), (1 << width) - 1) for i, width in enumerate(widths)]


class _Statements:
    """The statements on the classes of a batch, keyed by the number of the node and the word that packs its codes.

    With `screening`, `screen` counts the rows that no node below can release (see Models.screen).
    """

    def __init__(self, models: Models, *, screening: bool) -> None:
        tables = source_tables(models)
        packed = replace(
            tables,
            tuples=_packed("tuples", tables.tuples),
            sensitive={name: _packed("values", table) for name, table in tables.sensitive.items()},
            populations=[_packed("tuples", table) for table in tables.populations],
        )
        classes = models.classes(packed)
        self.check = compose("search/full_domain/batch_check", {"classes": classes})
        self.classes = compose("search/full_domain/batch_classes", {"classes": classes})
        self.units = compose("search/full_domain/batch_suppressed_units", {"classes": classes})
        self.screen: Composed | None = None
        if screening:
            self.screen = compose("search/full_domain/batch_check", {"classes": models.screen(packed)})


def _packed(file: str, table: str | Composed) -> Composed:
    return compose(f"search/full_domain/batch_{file}", {"tuples" if file == "tuples" else "sensitive": table})
