"""Both sides with codes for values: what is counted of several columns at once.

The values of a column are put into at most 100 bins, and the rows of a label are spread over the bins of the values
that it stands for. Of a column of more numbers than that, which is released as it is, only sums are kept; of one of
more texts, the most frequent.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.compared import Compared, tuples
from kanon_sql.frequency.dimensions.dimension import Kind
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

SIDES = ("source", "release")
MOST_BINS = 100


@dataclass(frozen=True)
class Coded:
    """A compared column once its domain is known; of numbers and dates that are `summed` only sums are kept."""

    column: Compared
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


def make_bins(engine: Engine, one: Compared, *, ordered: bool) -> None:
    """Makes the tables bins and bin_runs of a column."""
    names = {name: one.table(name) for name in ("ranks", "bins", "bin_runs")}
    engine.query("commands/utility/bins", scope=names, values={"most": MOST_BINS, "ordered": ordered})
    engine.query("commands/utility/bin_runs", scope=names, values={"most": MOST_BINS})


def make_label_bins(engine: Engine, one: Compared) -> None:
    """Makes the tables of the bins that the labels of each side are spread over."""
    names = {name: one.table(name) for name in ("runs", "bins", "bin_runs")}
    for side, query in (("source", "own_bins"), ("release", "label_bins")):
        engine.query(f"commands/utility/{query}", scope={**names, "label_bins": one.table(f"{side}_bins")})


def code_sides(subject: Subject, columns: list[Coded]) -> None:
    """Makes the frequency table of each side with codes."""
    engine = subject.engine
    for side, query in (("source", "own_codes"), ("release", "label_codes")):
        items: list[Item] = []
        numbers: list[Item] = []
        for one in columns:
            if one.summed:
                continue
            codes = one.column.table(f"{side}_codes")
            own = ("domain", "ranks", "labels", "runs", "bins")
            names = {name: one.column.table(name) for name in own}
            engine.query(f"commands/utility/{query}", scope={**names, "codes": codes})
            items.append({"codes": codes, "code": one.code, "name": one.column.value})
            if one.ordered:
                numbers.append({"codes": codes, "x": one.x, **one.sums})
        engine.query(
            "commands/utility/coded",
            names={"tuples": tuples(side), "coded": coded_table(side)},
            lists={"item": items, "number": numbers, "sum": [one.sums for one in columns if one.summed]},
        )


def fold(engine: Engine, one: Compared) -> None:
    """Makes for each side the tables of the texts of a column that are not in its last bin, and of one that is."""
    for side, query in (("source", "fold"), ("release", "fold_labels")):
        own = ("domain", "bins", "labels", "release_bins")
        names = {name: one.table(name) for name in own}
        for part, is_rest in (("fold", False), ("rest", True)):
            made = {"folded": one.table(f"{side}_{part}")}
            values = {"rest": MOST_BINS - 1, "is_rest": is_rest}
            engine.query(f"commands/utility/{query}", scope={**names, **made}, values=values)


def span(engine: Engine, one: Compared) -> tuple[float, float]:
    """The least and the greatest number of a column of the source."""
    low, high = engine.query("commands/utility/span", names={"ranks": one.table("ranks")})[0]
    return float(low), float(high)
