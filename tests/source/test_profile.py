"""The profile of a table against counts in plain Python."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile import counting
from kanon_sql.source.profile.kinds import ColumnProfile, Profile
from kanon_sql.source.profile.profile import profile
from kanon_sql.source.profile.spellings import ALWAYS
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine


def profiled(path: Path) -> Profile:
    """The profile of a file."""
    with open_engine(EngineOptions(show_values=True)) as engine:
        source = open_described(engine, SourceConfig(path=str(path)), path.parent, [], "source")
        result = profile(engine, source, Progress())
        assert not engine.run("SELECT table_name FROM duckdb_tables()")
        return result


def queried(statement: str) -> Profile:
    """The profile of a statement's result."""
    with open_engine(EngineOptions(show_values=True)) as engine:
        return profiled_by(engine, statement)


def profiled_by(engine: Engine, statement: str) -> Profile:
    source = open_described(engine, SourceConfig(query=statement), Path.cwd(), [], "source")
    return profile(engine, source, Progress())


def written(path: Path, columns: dict[str, list[str]]) -> Path:
    """A CSV file of columns of texts."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


VALUES = st.sampled_from(["a", "b", "c", " a", "N/A", "", "?", "12", "13", "1,5", "Ä", "k.A.", "none", "x y"])


@pytest.mark.slow
@given(st.lists(st.tuples(VALUES, VALUES, st.integers(0, 5) | st.none()), min_size=1, max_size=40))
def test_counts_are_those_of_plain_python(rows: list[tuple[str, str, int | None]]) -> None:
    literal = ", ".join(f"('{a}', '{b}', {'NULL' if n is None else n})" for a, b, n in rows)
    table = queried(f"SELECT * FROM (VALUES {literal}) AS given(a, b, n)")
    assert table.rows == len(rows)
    assert table.duplicates == len(rows) - len(set(rows))
    for position, column in enumerate(table.columns):
        values = [str(row[position]) for row in rows if row[position] is not None]
        missing = {text for text in values if text in column.missing_as}
        counts = Counter(text for text in values if text not in missing)
        assert missing >= set(values) & ALWAYS
        assert column.missing == len(rows) - sum(counts.values())
        assert (column.distinct, column.exact) == (len(counts), True)
        alone = sum(1 for count in counts.values() if count == 1)
        assert column.alone == pytest.approx(alone / sum(counts.values()) if counts else 0)
        lengths = [len(text) for text in counts] or [0]
        assert (column.shortest, column.longest) == (min(lengths), max(lengths))
        assert (column.kind == "empty") == (not counts)


def test_values_are_drawn_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 1_000)
    monkeypatch.setattr(counting, "_DRAWN", 500)
    table = queried(
        "SELECT CASE WHEN i % 10 = 0 THEN 'n/a' ELSE 'v' || (i // 2) END AS pairs, i AS number, i % 7 AS few, "
        "CASE WHEN i % 4 > 0 THEN i % 4 + 4 * (i // 8) ELSE i END AS mixed FROM range(20000) AS r(i)"
    )
    pairs, number, few, mixed = table.columns
    assert (pairs.missing, pairs.missing_as, pairs.exact) == (2000, ("n/a",), False)
    assert pairs.distinct == pytest.approx(10_000, rel=0.15)
    assert pairs.alone == pytest.approx(2_000 / 18_000, abs=0.04)
    assert number.distinct == pytest.approx(20_000, rel=0.15)
    assert (number.exact, number.alone) == (False, 1)
    assert (number.lowest, number.highest) == (0, 19_999)
    assert (few.distinct, few.exact, few.alone) == (7, True, 0)
    assert not mixed.exact


def columns_of(path: Path, **columns: list[str]) -> dict[str, ColumnProfile]:
    beside = {"beside": ["x"] * len(next(iter(columns.values())))}
    return {column.name: column for column in profiled(written(path / "table.csv", {**columns, **beside})).columns}


NUMBERS: list[tuple[list[str], str, dict[str, Any]]] = [
    (["1", "22", "-3"], "whole number", {}),
    (["1.5", "2", "-3.25"], "decimal", {}),
    (["1.5e3", "2"], "decimal", {}),
    (["1,5", "2", "3,25"], "decimal", {"type": "number", "decimal": ","}),
    (["1.234,5", "2", "3,25"], "decimal", {"type": "number", "decimal": ",", "thousands": "."}),
    (["1,234.5", "2", "3.25"], "decimal", {"type": "number", "thousands": ","}),
    (["1,234", "2", "12,345,678"], "whole number", {"type": "number", "thousands": ","}),
    (["1 234,5", "2", "3,25"], "decimal", {"type": "number", "decimal": ",", "thousands": " "}),
    (["1'234.5", "2", "3.25"], "decimal", {"type": "number", "thousands": "'"}),
    (["007", "012", "123"], "code", {}),
    ([" 1", "2", "3"], "whole number", {"trim": True}),
    (["1", "2", "none"], "whole number", {"missing": ["none"]}),
]


def test_numbers_are_read(tmp_path: Path) -> None:
    given_columns = {f"n{i}": (values * 6)[:12] for i, (values, _, _) in enumerate(NUMBERS)}
    columns = columns_of(tmp_path, **given_columns)
    for i, (_, kind, reading) in enumerate(NUMBERS):
        column = columns[f"n{i}"]
        assert (column.kind, dict(column.reading), column.unfit) == (kind, reading, 0), NUMBERS[i]


FORMATS = ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%d", "%d.%m.%y", "%d %b %Y", "%B %d, %Y", "%d-%b-%Y"]
TIMED = ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %I:%M %p", "%Y-%m-%d %H:%M:%S.%f"]


def test_dates_are_read_in_their_format(tmp_path: Path) -> None:
    days = [datetime(1990 + i % 30, 1 + i % 12, 1 + i % 28, i % 24, i % 60, i % 60, 1000 * i) for i in range(90)]
    written_days = {f"d{i}": [day.strftime(text) for day in days] for i, text in enumerate(FORMATS + TIMED)}
    columns = columns_of(tmp_path, **written_days)
    for i, text in enumerate(FORMATS + TIMED):
        column, kind = columns[f"d{i}"], "timestamp" if text in TIMED else "date"
        assert (column.kind, dict(column.reading), column.unfit) == (kind, {"type": kind, "format": text}, 0), text
        assert (column.lowest.year, column.highest.year) == (1990, 2019), text


def test_of_several_formats_the_main_one_is_said_and_how_many_do_not_fit(tmp_path: Path) -> None:
    days = [date(1990 + i % 30, 1 + i % 12, 1 + i % 28) for i in range(90)]
    texts = [day.strftime("%Y-%m-%d" if i % 9 == 0 else "%d.%m.%Y") for i, day in enumerate(days)]
    column = columns_of(tmp_path, a=[*texts, "soon", ""])["a"]
    assert (column.kind, column.unfit, column.missing) == ("date", 11, 1)
    assert dict(column.reading) == {"type": "date", "format": "%d.%m.%Y", "invalid": "missing"}


def test_iso_dates_need_no_format(tmp_path: Path) -> None:
    column = columns_of(tmp_path, a=[f"2020-01-{day:02d}" for day in range(1, 32)])["a"]
    assert (column.kind, dict(column.reading), column.lowest) == ("date", {}, date(2020, 1, 1))


def test_kinds_of_texts(tmp_path: Path) -> None:
    n = 400
    columns = columns_of(
        tmp_path,
        smoker=["yes", "no"] * (n // 2),
        code=[f"K{i:03d}-{i % 7}" for i in range(n)],
        job=["nurse", "clerk", "cook", "driver"] * (n // 4),
        note=[f"the patient came in with a cough and said so {i} times" for i in range(n)],
        other=[f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" + "x" for i in range(n)],
        none=[""] * n,
    )
    kinds = {name: column.kind for name, column in columns.items() if name != "beside"}
    assert kinds == {
        "smoker": "boolean", "code": "code", "job": "category", "note": "free text", "other": "text", "none": "empty",
    }  # fmt: skip
    assert columns["code"].shape == "A999-9"
    assert (columns["none"].missing, columns["none"].missing_as) == (n, ("",))


TYPES = {
    "TINYINT": "whole number", "DECIMAL(9,2)": "decimal", "DOUBLE": "whole number", "DATE": "date", "UUID": "code",
    "TIMESTAMP": "timestamp", "TIMESTAMP WITH TIME ZONE": "timestamp", "BOOLEAN": "boolean", "BLOB": "text",
    "INTEGER[]": "text", "STRUCT(a INTEGER, b VARCHAR)": "text", "MAP(VARCHAR, INTEGER)": "text", "TIME": "text",
    "INTERVAL": "text", "VARCHAR": "text", "ENUM('a', 'b')": "text", "BIT": "text", "HUGEINT": "whole number",
}  # fmt: skip


def test_a_column_of_nulls_is_empty_whatever_its_type() -> None:
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS c{i}" for i, kind in enumerate(TYPES))
    for kind, column in zip(TYPES, queried(f"SELECT {nulls} FROM range(3)").columns, strict=True):
        assert (column.kind, column.missing, column.distinct, column.alone) == ("empty", 3, 0, 0), kind


EXAMPLES = {
    "TINYINT": "1", "DECIMAL(9,2)": "1.25", "DOUBLE": "1.0", "DATE": "'2020-01-01'", "TIMESTAMP": "'2020-01-01 10:00'",
    "UUID": "'7b0b1e4e-9b1f-4a43-8d3b-0b1b9d0c5a11'", "BOOLEAN": "true", "BLOB": "'\\x00\\xFF'", "INTEGER[]": "[1, 2]",
    "STRUCT(a INTEGER, b VARCHAR)": "{'a': 1, 'b': 'x'}", "TIME": "'10:00:00'", "HUGEINT": "1", "BIT": "'101'",
}  # fmt: skip


def test_columns_of_every_type_are_counted() -> None:
    examples = ", ".join(f"CAST({value} AS {kind}) AS c{i}" for i, (kind, value) in enumerate(EXAMPLES.items()))
    columns = queried(f"SELECT {examples}, i FROM range(3) AS r(i)").columns
    for kind, column in zip(EXAMPLES, columns, strict=False):
        assert (column.missing, column.distinct, column.alone) == (0, 1, 0), kind
        assert column.kind == TYPES[kind] or column.kind in ("category", "code"), kind


def test_a_table_without_rows_is_profiled() -> None:
    table = queried("SELECT 1 AS a, 'x' AS b WHERE false")
    assert (table.rows, table.duplicates, [column.kind for column in table.columns]) == (0, 0, ["empty", "empty"])


def test_hostile_names_and_texts_are_only_texts() -> None:
    name = 'a"; DROP TABLE x; --'
    texts = ["'", '"', "\\", "\n", "%s", "$p", "\u202e", "😀" * 400, "x" * 100_000, "\t", "{}", "');--"]
    literal = ", ".join("('" + text.replace("'", "''") + "')" for text in texts)
    column = queried(f'SELECT * FROM (VALUES {literal}) AS given("{name.replace(chr(34), chr(34) * 2)}")').columns[0]
    assert (column.name, column.distinct, column.alone, column.longest) == (name, len(texts), 1, 100_000)


def test_long_texts_that_begin_alike_are_told_apart() -> None:
    column = queried("SELECT repeat('x', 5000) || i AS a FROM range(30) AS r(i)").columns[0]
    assert (column.distinct, column.alone) == (30, 1)


def test_writings_of_the_sexes_become_one(tmp_path: Path) -> None:
    columns = columns_of(tmp_path, sex=["m", "M", "w", "weiblich", "k.A.", ""] * 20, genero=["H", "M", "M"] * 40)
    assert dict(columns["sex"].reading) == {
        "case": "lower",
        "recode": {"m": "male", "w": "female", "weiblich": "female"},
        "missing": ["k.A."],
    }
    assert dict(columns["genero"].reading) == {}


def test_the_sexes_are_found_among_blanks_and_words_for_missing(tmp_path: Path) -> None:
    words = ["m", "M", "w", "W", "weiblich", "Weiblich", "männlich", "F", "f", "male", "Mann", "divers", "d"]
    texts = [*words, *(f" {word} " for word in words), *(f" {word}" for word in words), " k.A. ", "k.A.", "-", " "]
    column = columns_of(tmp_path, Geschlecht=texts * 5)["Geschlecht"]
    assert column.finding is not None and column.finding.name == "sex"
    assert set(column.reading["recode"].items()) == {
        ("m", "male"), ("männlich", "male"), ("mann", "male"), ("w", "female"), ("weiblich", "female"), ("f", "female"),
        ("divers", "other"), ("d", "other"),
    }  # fmt: skip
    assert column.reading["trim"] is True and column.reading["case"] == "lower"


def test_a_whole_number_that_is_called_a_person_is_one(tmp_path: Path) -> None:
    numbers = [str(i) for i in range(1, 61)] * 2
    columns = columns_of(tmp_path, individual=numbers, persons=[str(i % 9) for i in range(120)])
    assert columns["individual"].finding is not None and columns["individual"].finding.name == "id"
    assert columns["persons"].finding is None


def test_a_few_categories_with_a_number_are_no_addresses(tmp_path: Path) -> None:
    words = ["1st class", "2nd class", "3rd class"]
    columns = columns_of(tmp_path, travelled=words * 40, street=["Lindenweg 3", "Am Markt 12", "Hauptstraße 7"] * 40)
    assert columns["travelled"].finding is None
    assert columns["street"].finding is not None and columns["street"].finding.name == "address"


def test_writings_of_yes_and_no_become_one(tmp_path: Path) -> None:
    columns = columns_of(
        tmp_path,
        Raucher=["ja", "J", "nein", "N", "no", " Nein ", "k.A."] * 20,
        side=["n", "no", "o"] * 40 + ["s"] * 20,  # north, northwest ...: letters, but each value is another
        plain=["ja", "nein"] * 70,
        mixed=["ja", "nein", "perhaps", "J"] * 35,
    )
    assert dict(columns["Raucher"].reading) == {
        "trim": True,
        "case": "lower",
        "recode": {"j": "yes", "ja": "yes", "n": "no", "nein": "no"},
        "missing": ["k.A."],
    }
    assert all("recode" not in columns[name].reading for name in ("side", "plain", "mixed"))


def test_rows_that_stand_for_several_are_counted_as_many(tmp_path: Path) -> None:
    path = written(tmp_path / "table.csv", {"a": ["x", "x", "y", "", "?"], "b": ["1", "2", "3", "3", "3"]})
    with open_engine(EngineOptions(show_values=True)) as engine:
        source = open_described(engine, SourceConfig(path=str(path)), tmp_path, [], "source")
        weighted = source.relation.select("3 AS row_count")
        table = profile(engine, replace(source, relation=weighted, weighted=True), Progress())
    a, b = table.columns
    assert (table.rows, a.missing, a.missing_as, a.distinct, a.alone) == (15, 6, ("", "?"), 2, 0)
    assert (b.kind, b.distinct, b.lowest, b.highest) == ("whole number", 3, 1, 3)


def test_na_is_a_country_among_codes_of_countries(tmp_path: Path) -> None:
    column = columns_of(tmp_path, land=["DE", "FR", "NA", "PL", "IT", "ES", "TR", "PT", "NL"])["land"]
    assert (column.missing, column.distinct) == (0, 9)


@pytest.mark.slow
def test_many_columns_are_profiled_together() -> None:
    names = ", ".join(f"i % {position + 2} AS c{position}" for position in range(450))
    table = queried(f"SELECT {names} FROM range(300) AS r(i)")
    assert [column.distinct for column in table.columns] == [min(300, position + 2) for position in range(450)]
