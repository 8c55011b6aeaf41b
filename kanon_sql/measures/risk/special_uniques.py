"""`kanon-sql risk --scores FILE`: the combinations of values that hold a special unique, for who may see values.

Special uniques: the rows that few columns suffice to single out, after SUDA2.

A *minimal sample unique* of a row is a subset of the columns in which no other row has its values, while in every
smaller subset of it some other row has. The fewer columns it takes, and the more such subsets there are, the likelier
the row's person is unique in the population, too. One minimal unique of `size` columns out of `width`, where they are
looked for up to `largest`, weighs the product of (width - i) for i from size to largest, the share of the lattice of
subsets above it; a row's score is the sum of its weights.

M. Elliot, A. Manning, R. Ford: A computational algorithm for handling the special uniques problem. 2002 (scores);
A. Manning, D. Haglin, J. Keane: A recursive search algorithm for statistical disclosure assessment. 2008 (SUDA2);
M. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane: SUDA: a program for detecting special uniques. 2005 (DIS-SUDA);
C. Skinner, M. Elliot: A measure of disclosure risk for microdata. 2002 (DIS).

Where SUDA2 goes through the rows of one value after the other, here each subset of the columns is one GROUP BY, small
subsets first; a row that is unique in a subset is left out of every larger one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from math import comb, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.risk.table import MOST_SUBSETS, RiskTable, encode
from kanon_sql.progress import Progress
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.source.model import Source
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item, fill, state
from kanon_sql.targets.files import FileSink
from kanon_sql.targets.staging import stage_file

if TYPE_CHECKING:
    from kanon_sql.results.risk import MatchProbability, ScoredValue, Scores, SpecialUniques

OPTION = "--scores"
NAMES = ("rows", "suda_score", "dis_suda_score")


@contextmanager
def open_scores(engine: Engine, path: Path | None) -> Iterator[FileSink | None]:
    """The file, staged beside its place, which it takes when it is committed; None where none was asked for.

    Raises ConfigurationError without --show-values and for a name that tells no format, EngineError where no file can
    be written.
    """
    if path is None:
        yield None
        return
    if not engine.show_values:
        raise ConfigurationError(
            f"{OPTION} {path}: the file holds values of the data; expected --show-values beside it"
        )
    file_format = format_of(path)
    if file_format is None or not FORMATS[file_format].written:
        suffixes = either(file_format.suffixes[0] for file_format in FORMATS.values() if file_format.written)
        raise ConfigurationError(f"{OPTION} {path}: the name tells no format that is written; expected {suffixes}")
    with stage_file(path, overwrite=True, place=OPTION) as staged:
        mode = None if path.exists() else 0o600
        yield FileSink(staged, file_format, TargetConfig(path=str(path)), mode)


def score_names(columns: Sequence[str]) -> list[str]:
    """What the columns of the file beside those of the table are called, told apart from these."""
    taken = {name.casefold() for name in columns}
    longest = max(map(len, taken), default=0)
    return [next(name + "_" * more for more in range(longest + 1) if name + "_" * more not in taken) for name in NAMES]


MOST_VALUES = 10
_MOST_PENDING = 16_000_000  # minimal uniques that are kept one by one before they are added up
_WORD = 63  # bits of a BIGINT below its sign


@dataclass(frozen=True)
class SpecialAsked:
    """The size of the largest minimal uniques; the sampling fraction, where DIS-SUDA is wanted; the risk above which a
    row counts; the file of the scores of single rows, of the source, which the rows of a table are like."""

    size: int
    fraction: float | None
    threshold: float
    scores: FileSink | None = None
    source: Source | None = None


@dataclass
class _Search:
    """The subsets of the columns by their numbers, and what was found in each that was looked at."""

    engine: Engine
    width: int
    largest: int
    by_entity: bool
    subsets: tuple[tuple[int, ...], ...]
    numbers: dict[tuple[int, ...], int]
    held: dict[int, int] = field(default_factory=dict)  # classes with a minimal unique in the subset
    uniques: Counter[int] = field(default_factory=Counter)  # minimal uniques by size
    pending: int = 0
    table: str = "risk_special"

    @property
    def words(self) -> list[Item]:
        """The words of the bits of all subsets but the largest, which are in no other."""
        smaller = sum(len(subset) < self.largest for subset in self.subsets)
        return [{"mask": f"m{i}", "number": i} for i in range(-(-smaller // _WORD))]

    @property
    def codes(self) -> list[Item]:
        return [{"code": f"q{i}"} for i in range(self.width)]

    def weight(self, size: int) -> float:
        return weight(self.width, self.largest, size)


def weight(width: int, largest: int, size: int) -> float:
    """What one minimal unique of `size` of `width` columns adds to a score, where they are looked for up to `largest`.

    With all columns the last factor would be 0: the product then ends before it.
    """
    return float(prod(width - i for i in range(size, min(largest, width - 1) + 1)))


def special_size(columns: int, requested: int, place: str) -> int:
    """The size up to which minimal uniques of so many columns are looked for.

    Raises ConfigurationError where more than 5,000 subsets were to be counted.
    """
    size = min(requested, columns)
    count = sum(comb(columns, part) for part in range(1, size + 1))
    if count > MOST_SUBSETS:
        raise ConfigurationError(
            f"--special-uniques {requested}: {columns} columns of {place} have {count:,} subsets of up to {size}; "
            f"expected at most {MOST_SUBSETS:,}: ask for smaller ones, or name fewer columns"
        )
    return size


def measure_special(
    engine: Engine, table: RiskTable, request: SpecialAsked, deadline: Deadline, progress: Progress
) -> SpecialUniques:
    """The report's part on the special uniques of one table, until the deadline.

    Where the holders of its rows are counted, a combination is unique that one of them holds, in however many rows.
    """
    width = len(table.columns)
    size = special_size(width, request.size, table.label)
    subsets = tuple(subset for part in range(1, size + 1) for subset in combinations(range(width), part))
    search = _Search(
        engine, width, size, table.held is not None, subsets, {subset: i for i, subset in enumerate(subsets)}
    )
    _start(search, table)
    try:
        with engine.until(deadline):
            for part, sized in groupby(subsets, len):
                for subset in sized:
                    deadline.check()
                    _look(search, subset)
                    progress.advance(1, f"of {len(subsets)} subsets searched")
                    if search.pending > _MOST_PENDING:
                        _settle(search, part)
                _settle(search, part)
    except TimeUpError:
        if search.held:
            _settle(search, len(subsets[max(search.held)]))
    measured = _describe(search, table, request)
    if request.scores is not None and request.source is not None:
        _write_scores(search, table, request.scores, request.source, measured["dis"])
    return measured


def _write_scores(
    search: _Search, table: RiskTable, sink: FileSink, source: Source, dis: MatchProbability | None
) -> None:
    """Writes the combinations that hold a minimal unique with their scores."""
    columns = [column.name for column in table.columns]
    rows, score, chance = score_names(columns)
    items: list[Item] = [
        {"codes": state(f"risk_codes_{i}"), "code": f"q{i}", "name": name} for i, name in enumerate(columns)
    ]
    number = exp.null() if dis is None else exp.Literal.number(dis["probability"])
    statement = fill(
        "measures/risk/special/rows",
        names={
            "special": state(search.table),
            "rows_name": rows,
            "score_name": score,
            "dis_name": chance,
            "exponent": exp.Literal.number(exponent(search.width)),
            "probability": exp.cast(number, "DOUBLE"),
        },
        lists={"item": items},
    )
    sink.write(search.engine, statement, source, [*columns, rows, score, chance])


def _start(search: _Search, table: RiskTable) -> None:
    """Makes the table of the classes, and those in which what is found is kept."""
    engine, coded = search.engine, state("risk_special_coded")
    names = {"coded": coded, "special": state(search.table)}
    lists = {"item": search.codes, "word": search.words}
    if table.held is None:
        encode(engine, table, coded)
        engine.query("measures/risk/special/classes", names=names, lists=lists)
    else:
        encode(engine, replace(table, columns=(*table.columns, table.columns[0]), tuples=table.held), coded)
        names["holder_code"] = f"q{search.width}"
        engine.query("measures/risk/special/classes_of_entities", names=names, lists=lists)
    engine.run(tables.drop(coded))
    engine.run(tables.empty(state("risk_special_found"), {"id": "BIGINT", "subset": "INTEGER"}))
    if engine.show_values:
        columns = {"position": "INTEGER", "code": "UINTEGER", "score": "DOUBLE"}
        engine.run(tables.empty(state("risk_special_values"), columns))


def _look(search: _Search, subset: tuple[int, ...]) -> None:
    """Finds the minimal uniques of one subset."""
    engine, number = search.engine, search.numbers[subset]
    names = {"special": state(search.table)}
    items: list[Item] = [{"code": f"q{i}"} for i in subset]
    lists = {"item": items, "word": _bits_of(search, subset)}
    value = {"subset": number}
    if search.by_entity:
        count = engine.query("measures/risk/special/alone_of_entities", names=names, lists=lists)[0][0]
        file, lists = "measures/risk/special/classes_alone", {"item": items}
        held = engine.query(file, names=names, values=value, lists=lists)[0][0]
    else:
        held = engine.query("measures/risk/special/alone", names=names, values=value, lists=lists)[0][0]
        count = held
    search.held[number] = int(held)
    search.uniques[len(subset)] += int(count)
    search.pending += int(held)


def _bits_of(search: _Search, subset: tuple[int, ...]) -> list[Item]:
    """The words that hold bits of the smaller subsets within this one, and these bits."""
    bits: Counter[int] = Counter()
    for size in range(1, len(subset)):
        for part in combinations(subset, size):
            number = search.numbers[part]
            bits[number // _WORD] += 1 << (number % _WORD)
    return [{"mask": f"m{word}", "bits": value} for word, value in sorted(bits.items())]


def _settle(search: _Search, size: int) -> None:
    """Adds up what was found of one size."""
    engine, found_table = search.engine, state("risk_special_found")
    if not search.pending:
        return
    if engine.show_values:
        _add_values(search, size)
    before, after = search.table, "risk_special" if search.table != "risk_special" else "risk_special_next"
    engine.query(
        "measures/risk/special/settled",
        names={"special": state(before), "settled": state(after)},
        values={"weight": search.weight(size), **({"bits": _WORD} if search.words else {})},
        lists={"item": search.codes, "word": search.words},
    )
    search.table, search.pending = after, 0
    engine.run(tables.drop(state(before)))
    engine.run(tables.empty(found_table, {"id": "BIGINT", "subset": "INTEGER"}))


def _add_values(search: _Search, size: int) -> None:
    """Adds up what was found of one size by the values of each column."""
    for i in range(search.width):
        subsets = [number for number in search.held if i in search.subsets[number]]
        names = {"special": state(search.table), "code": f"q{i}"}
        values = {"position": i, "subsets": subsets, "weight": search.weight(size)}
        search.engine.query(
            "measures/risk/special/value_scores",
            names=names,
            values=values,
        )


def _describe(search: _Search, table: RiskTable, request: SpecialAsked) -> SpecialUniques:
    engine = search.engine
    names = {"special": state(search.table)}
    row = engine.query("measures/risk/special/scores", names=names)[0]
    scored, rows, holders, least, mean, median, high, most, alone, pairs = row
    added = [search.weight(len(search.subsets[number])) * held for number, held in search.held.items()]
    total = sum(added)
    shares = {
        column.name: sum(score for number, score in zip(search.held, added, strict=True) if i in search.subsets[number])
        / (total or 1)
        for i, column in enumerate(table.columns)
    }
    scores: Scores = {"min": least, "mean": mean, "median": median, "p95": high, "max": most}
    return {
        "size": search.largest,
        "sets": {"count": len(search.subsets), "counted": len(search.held)},
        "rows": int(rows),
        "share": int(rows) / table.n,
        "entities": int(holders) if search.by_entity else None,
        "msus": {str(size): search.uniques[size] for size in range(1, search.largest + 1)},
        "columns": shares,
        "scores": scores if scored else None,
        "dis": _dis(search, request, int(alone), int(pairs)) if scored else None,
        "values": _values(search, table, shares, total) if engine.show_values else None,
    }


def _dis(search: _Search, request: SpecialAsked, alone: int, pairs: int) -> MatchProbability | None:
    """The probability that a match with a unique row is right, and that of each row by its score."""
    f = request.fraction
    if f is None:
        return None
    # Skinner and Elliot: every unique would stay one, or become one of a pair, if another fraction were drawn.
    probability = alone * f / (alone * f + 2 * pairs * (1 - f))
    values = {"probability": probability, "exponent": exponent(search.width), "threshold": request.threshold}
    names = {"special": state(search.table)}
    mean, median, high, most, above = search.engine.query("measures/risk/special/match", names=names, values=values)[0]
    return {
        "fraction": f,
        "unique": alone,
        "pairs": pairs,
        "probability": probability,
        "mean": mean,
        "median": median,
        "p95": high,
        "max": most,
        "above": int(above),
    }


def exponent(width: int) -> float:
    """How much the scores of so many columns matter for the probability of a right match: less, the more there are."""
    return max(0.0, 1 + (8 - width) / 20)


def _values(
    search: _Search, table: RiskTable, shares: Mapping[str, float], total: float
) -> dict[str, list[ScoredValue]]:
    """Of each column the values that add most to the scores, by their share of what the column adds."""
    listed: dict[str, list[ScoredValue]] = {}
    for i, own_column in enumerate(table.columns):
        rows: Sequence[tuple[Any, ...]] = search.engine.query(
            "measures/risk/special/values",
            names={"codes": state(f"risk_codes_{i}")},
            values={"position": i, "most": MOST_VALUES},
        )
        column = shares[own_column.name] * total
        listed[own_column.name] = [{"value": text, "share": added / column} for text, added in rows]
    return listed
