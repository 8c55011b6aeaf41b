"""Cases of whole runs, each made of one integer: a table, its hierarchies, a configuration, what may come of it.

The same seed gives the same case, but for the bytes that DuckDB draws into the header of a database file. Nothing is
shared with the package; what a case knows of itself (its values, what each becomes at every level) is what
trials.judging judges a release by.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trials import making_privacy, making_targets, making_treatments, making_values, making_wrong
from trials.making_files import Written, write
from trials.making_trees import Tree, day, ready, text, tree

VERSION = 4  # of the generator: what a seed gives changes with it
Json = dict[str, Any]
FULL_DOMAIN = ("optimal", "samarati", "minimal")
WAYS = {
    "csv": 40,
    "parquet": 16,
    "json": 9,
    "several": 6,
    "hive": 4,
    "table": 8,
    "view": 3,
    "database query": 3,
    "query": 4,
    "xlsx": 1,
}


_OBJECTIVES = ["loss", "geometric-mean-loss", "discernibility", "average-class-size", "precision", "entropy"]
_OPTIONS: dict[str, dict[str, list[Any]]] = {
    "optimal": {"objective": _OBJECTIVES},
    "samarati": {"prefer": ["loss", "first"]},
    "minimal": {"prefer": ["loss", "absolute-distance", "relative-distance", "distribution", "suppression"]},
    "mondrian": {"cut": ["strict", "strict-le", "relaxed"], "dimension": ["loss", "widest", "random"], "seed": [7]},
    "local": {"effort": ["fast"] * 19 + ["default"]},
}


@dataclass
class Column:
    """A column of the source: its values as a reader gives them, None for NULL."""

    name: str
    kind: str
    role: str
    values: list[Any]
    tree: Tree | None = None
    shown: list[Any] | None = None  # what is released of each, where that is something else
    shown_kind: str = ""


@dataclass
class Case:
    """What a run is given, and what it may come to."""

    seed: int
    rows: int
    way: str
    columns: list[Column] = field(default_factory=list)
    config: Json = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)  # behind `run CONFIG`
    environment: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    dialect: Json = field(default_factory=dict)
    expected: set[int] = field(default_factory=lambda: {0, 1})
    wrong: str | None = None
    text: str | None = None  # of the configuration, where it is not what `config` says
    population: list[Json] | None = None
    tree: Tree | None = None  # of a sensitive column, for distances in it
    secrets: list[str] = field(default_factory=list)

    def of(self, *roles: str) -> list[Column]:
        """The columns of these roles."""
        return [column for column in self.columns if column.role in roles]

    @property
    def algorithm(self) -> str:
        """The name of the search."""
        given = self.config.get("algorithm", "optimal")
        return str(given.get("name", "optimal") if isinstance(given, dict) else given)

    def put(self, folder: Path) -> None:
        """Writes everything into a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (folder / "config.yaml").write_text(yaml(self.config) if self.text is None else self.text, encoding="utf-8")


def yaml(value: Json) -> str:
    """JSON that is YAML: what YAML has as an escape only is one."""
    dumped = json.dumps(value, ensure_ascii=False, indent=1)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda mark: f"\\u{ord(mark[0]):04x}", dumped)


def make(seed: int) -> Case:
    """The case of a seed."""
    draw = random.Random(seed)
    rows = draw.choices([0, 1, draw.randint(2, 4), draw.randint(5, 40), draw.randint(30, 120)], [1, 2, 4, 63, 30])[0]
    case = Case(seed, rows, draw.choices(list(WAYS), list(WAYS.values()))[0])
    numeric = draw.random() < 0.06  # for microaggregation
    _Columns(draw, case, numeric).fill()
    if numeric and draw.random() < 0.9:
        case.config["algorithm"] = "microaggregation"
    else:
        _algorithm(draw, case)
    written = _source(draw, case)
    if texts_alone(case):
        making_treatments.reading(draw, case)
    _quasi_identifiers(draw, case)
    making_privacy.fill(draw, case)
    making_targets.fill(draw, case, written)
    making_treatments.fill(draw, case)
    _aggregates(draw, case)
    _lists(draw, case)
    _rest(draw, case)
    case.expected |= {2} if _refused(case) else set()
    if draw.random() < 0.27:
        making_wrong.spoil(draw, case)
        case.expected |= {3} if written.unread else set()
    return case


@dataclass
class _Columns:
    """The columns of a case."""

    draw: random.Random
    case: Case
    numeric: bool
    hostile: float = 0.0
    names: list[str] = field(default_factory=list)

    def fill(self) -> None:
        draw = self.draw
        self.hostile = draw.choice([0.0, 0.0, 0.1, 0.4])
        self.names = making_values.names(draw, 14, draw.choice([0.0, 0.3, 0.9]))
        if self.case.way == "xlsx":
            self.names = [f"col {i}" for i in range(14)]
        quasi = draw.choices([1, 2, 3, 4, 6], [2, 5, 5, 3, 1])[0]
        for role, count in (
            ("quasi", quasi),
            ("sensitive", draw.choice([0, 1, 1, 1, 2])),
            ("insensitive", draw.choice([0, 0, 1, 2])),
            ("identifier", draw.choice([0, 0, 1, 2])),
            ("unlisted", draw.choice([0, 0, 0, 1])),
        ):
            for _ in range(count):
                self.case.columns.append(self._column(role))
        draw.shuffle(self.case.columns)
        if self.case.way == "hive":
            self._partition()

    def _column(self, role: str) -> Column:
        draw, rows = self.draw, self.case.rows
        name = self.names.pop()
        if role == "identifier":
            values = [making_values.word(draw) for _ in range(rows)]
            self.case.secrets += values
            return Column(name, "text", role, list(values))
        if role == "quasi" and not self.numeric and draw.random() < 0.12:
            _, texts, words = ready(draw, rows)
            return Column(name, "text", role, list(texts), words)
        kind = draw.choice(["text", "text", "integer", "integer", "date", "double", "boolean"])
        if role == "quasi" and self.numeric:
            kind = draw.choice(["integer", "date", "double"])
        # Numbers that a double does not tell apart, and no numbers, are for columns that are released as they are.
        hostile = self.hostile if kind != "double" or role == "insensitive" else 0.0
        if self.case.way in ("json", "xlsx") and kind == "double":
            hostile = 0.0
        size = draw.choice([1, 2, 3, 5, 8, 20, max(1, rows)])
        values = making_values.pool(draw, kind, min(size, 6) if role == "sensitive" else size, hostile)
        missing = draw.choice([0.0, 0.0, 0.0, 0.1, 0.4])
        return Column(name, kind, role, making_values.drawn(draw, values, rows, missing))

    def _partition(self) -> None:
        self.case.columns = [column for column in self.case.columns if column.kind != "boolean"] or self.case.columns
        values = [self.draw.choice(["2023", "2024", "x"]) for _ in range(self.case.rows)]
        role = self.draw.choice(["insensitive", "unlisted"] + ["quasi"] * (not self.numeric))
        if not self.case.of("quasi"):
            role = "quasi"
        self.case.columns.append(Column("year", "text", role, list(values)))


def _source(draw: random.Random, case: Case) -> Written:  # noqa: C901
    """Writes the source; what its form changes of the values is so from here on."""
    texts = case.way == "csv" or (case.way == "several" and draw.random() < 0.5)
    texts |= case.way == "several" and all(column.kind == "text" for column in case.columns)
    # Excel knows no date before 1900, and an empty cell is none.
    if case.way == "xlsx" and (case.rows == 0 or any(column.kind == "date" for column in case.columns)):
        case.way, texts = "csv", True
    if case.way == "hive" and case.rows == 0:
        case.way = "parquet"
    if case.way == "json" and case.rows == 0:
        case.expected = {3}  # no record tells the columns
    if texts and case.rows == 0 and case.algorithm == "microaggregation":
        case.expected = {1, 2}  # no value tells that they are numbers
    for column in case.columns:
        if texts:
            column.values = ["" if value is None else text(value) for value in column.values]
            column.kind = "text"
        elif case.way == "json" and column.kind == "date":
            column.values = [None if value is None else value.isoformat() for value in column.values]
            column.kind = "text"
        elif case.way == "xlsx":
            column.values = [
                None if value == "" or (isinstance(value, str) and not value.isprintable()) else value
                for value in column.values
            ]
    described = [(column.name, column.kind) for column in case.columns]
    cells = [list(row) for row in zip(*(column.values for column in case.columns), strict=True)]
    written = write(draw, case.way, described, cells)
    if case.way == "xlsx":
        _without_blank_rows(case, cells)
    if written.unread:
        case.expected = {3}
    case.files |= written.files
    source = written.source
    case.missing = ("",) if texts else ()
    if draw.random() < 0.2:
        case.missing = ("?", "") if draw.random() < 0.7 else ("", "NULL", "nan")
        source = {**(source if isinstance(source, dict) else {"path": source}), "missing": list(case.missing)}
    case.dialect = written.dialect if texts else {}
    case.config["source"] = source
    return written


def _without_blank_rows(case: Case, cells: list[list[Any]]) -> None:
    """Leaves rows out whose cells are all empty: in a sheet they are none."""
    rows = [row for row in cells if any(value is not None for value in row)]
    for place, column in enumerate(case.columns):
        column.values = [row[place] for row in rows]
    case.rows = len(rows)


def _algorithm(draw: random.Random, case: Case) -> None:
    way = draw.choices(["default", *FULL_DOMAIN, "mondrian", "local"], [25, 25, 12, 14, 16, 5])[0]
    if way == "default":
        return
    given = {key: draw.choice(values) for key, values in _OPTIONS[way].items()}
    if way != "local" and draw.random() < 0.4:
        given = {}
    case.config["algorithm"] = {"name": way, **given} if given else way


def _quasi_identifiers(draw: random.Random, case: Case) -> None:
    entries: Json = {}
    bare = case.algorithm in ("mondrian", "local", "microaggregation")
    for index, column in enumerate(case.of("quasi")):
        present = _present(case, column)
        if case.algorithm == "microaggregation" or (bare and draw.random() < 0.5):
            column.tree = None
            entries[column.name] = {}
            if case.algorithm == "microaggregation" and draw.random() < 0.4:
                entries[column.name] = {"aggregate": draw.choice(["mean", "median", "mode", "interval"])}
            continue
        if column.tree is None:
            column.tree = tree(draw, column.kind, present, index)
        entry = dict(column.tree.entry)
        case.files |= column.tree.files
        if set(entry) == {"hierarchy"} and draw.random() < 0.5:
            entries[column.name] = entry["hierarchy"]
            continue
        low, high = 0, max(1, column.tree.top)
        if draw.random() < 0.12:
            low = draw.randint(0, high)
            entry["min_level"] = min(low, column.tree.top)
        if draw.random() < 0.08 and not bare:
            entry["max_level"] = min(draw.randint(low, high), column.tree.top)
        if draw.random() < 0.1:
            entry["weight"] = draw.choice([0.5, 2, 3.25])
        entries[column.name] = entry
    case.config["quasi_identifiers"] = entries


def _refused(case: Case) -> bool:
    """Whether a case may be refused though nothing was made wrong on purpose."""
    treated = [column for column in case.of("insensitive") if "transform" in case.config and column.kind == "text"]
    powers = any("e" in text(value).lower() for column in treated for value in column.values if value is not None)
    texts = texts_alone(case) or case.way in ("json", "several")
    empty = any(not _present(case, column) for column in case.of("quasi"))  # no value tells what such a column holds
    unclear = any(_unclear(content) for name, content in case.files.items() if name.startswith("h"))
    numbers = case.algorithm == "microaggregation" and texts and empty
    return _without_widened_ranges(case) or numbers or powers or unclear


def _unclear(content: bytes) -> bool:
    """Whether a hierarchy begins with what reads as a mark of the encoding, or has one line of two delimiters."""
    return content.startswith(b"\xef\xbb\xbf") or (
        content.count(b"\n") == 1 and sum(delimiter in content for delimiter in b",;\t") > 1
    )


def _present(case: Case, column: Column) -> list[Any]:
    return [value for value in column.values if value is not None and value not in case.missing]


def _without_widened_ranges(case: Case) -> bool:
    """Whether `ranges: widened` is asked of dates that have none: near the ends of what four digits tell."""
    if case.config.get("release", {}).get("ranges") != "widened":
        return False
    for column in case.of("quasi"):
        present = [text(value) for value in _present(case, column)]
        years = [0 if (date := day(value)) is None else date.year for value in present]
        if column.tree is None and all(years) and not all(10 <= year <= 9989 for year in years):
            return True
    return False


def texts_alone(case: Case) -> bool:
    """Whether every column is one of texts, as in CSV."""
    return bool(case.dialect)


def _aggregates(draw: random.Random, case: Case) -> None:
    """Full-domain searches with aggregates, where nothing is asked that does not go with them."""
    unfit = {"known_columns", "k_map", "delta_presence"} & set(case.config["privacy"]) or "group" in case.config
    if case.algorithm not in FULL_DOMAIN or unfit or case.config.get("releases"):
        return
    for column in case.of("quasi"):
        way = making_treatments.aggregate(draw, case, column) if draw.random() < 0.12 else None
        if way:
            entry = case.config["quasi_identifiers"][column.name]
            full = {"hierarchy": entry} if isinstance(entry, str) else entry
            case.config["quasi_identifiers"][column.name] = {**full, "aggregate": way}


def _lists(draw: random.Random, case: Case) -> None:
    keys = {"identifiers": ("identifier", "pseudonym"), "sensitive": ("sensitive",), "insensitive": ("insensitive",)}
    for key, roles in keys.items():
        listed = [column.name.replace("${", "$${") for column in case.of(*roles)]
        if listed:
            case.config[key] = listed
    if case.of("unlisted"):
        case.config["unlisted"] = "drop"
    elif draw.random() < 0.2:
        case.config["unlisted"] = draw.choice(["drop", "insensitive", "error"])


def _rest(draw: random.Random, case: Case) -> None:
    case.config["report"] = "report.json"
    case.words += ["--threads", "1"]
    if draw.random() < 0.85:
        case.words.append("--no-advice")
    if draw.random() < 0.07:
        case.words.append("--dry-run")
    if draw.random() < 0.3:
        case.words.append("--quiet")
    release: Json = {}
    if draw.random() < 0.2:
        release["order"] = draw.choice(["none", "random"])
    blind = isinstance(case.config.get("algorithm"), dict) and "blind" in case.config["algorithm"]
    if draw.random() < 0.2 and case.algorithm in FULL_DOMAIN and not blind:
        release["suppressed"] = "mask"
    if draw.random() < 0.05:
        release["verify"] = "counts"
    if case.algorithm in ("mondrian", "local") and draw.random() < 0.15:
        release["ranges"] = "widened"
    if release:
        case.config["release"] = release
    if draw.random() < 0.06 and release.get("order") != "none":
        case.config["releases"] = {"path": "ledger.duckdb"}
