"""ENUM types list the values of a whole column: a release must not carry them along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from shared_engine import shared
from sqlglot import exp
from tables import configuration, people

import kanon_sql
from kanon_sql.config.model import TargetConfig
from kanon_sql.release import statement
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import MOST_LABELS, enum_type
from kanon_sql.targets import files

# Labels that no released row holds: an identifier's, those of rows that take no part, one that no row ever had.
HIDDEN = ("nameofaperson", "suppressedvalue", "valueofnorow")
NESTED = {
    "listed": ("mood[]", "['flu']"),
    "fixed": ("mood[2]", "['flu', NULL]"),
    "structured": ('STRUCT("a ""b" mood, n INTEGER)', "{'a \"b': 'flu', 'n': 1}"),
    "mapped": ("MAP(mood, mood)", "MAP {'flu': 'none'}"),
    "deep": ("STRUCT(l mood[])[]", "[{'l': ['flu']}]"),
    "united": ("UNION(a mood, b INTEGER)", "union_value(a := 'flu'::mood)"),
}


def warehouse(path: Path) -> Path:
    """People with ENUM columns; the rows of `suppressedvalue` have no zip and are dropped."""
    values = ", ".join(f"'{value}'" for value in ("flu", "cold, bad", 'so-called "x"', "none", *HIDDEN))
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"BEGIN; CREATE TYPE mood AS ENUM ({values}); CREATE TYPE who AS ENUM ('nameofaperson')")
        nested = ", ".join(f"{name} {kind}" for name, (kind, _) in NESTED.items())
        connection.execute(
            "CREATE TABLE people (name who, sex ENUM('f', 'm', 'valueofnorow'), age INTEGER, zip VARCHAR, "
            f"diagnosis mood, {nested})"
        )
        literals = ", ".join(value for _, value in NESTED.values())
        connection.executemany(
            f"INSERT INTO people VALUES ('nameofaperson', ?, ?, ?, ?, {literals})", [row[:4] for row in people(300)]
        )
        connection.execute(
            f"INSERT INTO people VALUES ('nameofaperson', 'f', 30, NULL, 'suppressedvalue', {literals}); COMMIT"
        )
    return path


def settings(source: Path, target: Any, algorithm: str = "optimal", nested: bool = True) -> dict[str, Any]:
    config = configuration(
        {"database": str(source), "table": "people"},
        target,
        algorithm=algorithm,
        missing="drop",
        identifiers=["name", *([] if nested else NESTED)],
        insensitive=list(NESTED) if nested else [],
    )
    config["quasi_identifiers"]["sex"]["max_level"] = 0
    if algorithm != "optimal":
        config["quasi_identifiers"]["sex"].pop("max_level")
    config["privacy"] = {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2}}
    config["suppression"] = {"limit": "50%"}
    return config


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
@pytest.mark.parametrize("kind", ["new", "existing", "remanence", "parquet"])
def test_no_label_of_a_type_that_no_released_row_holds_is_in_the_file(
    kind: str, algorithm: str, tmp_path: Path
) -> None:
    source, path = warehouse(tmp_path / "w.duckdb"), tmp_path / ("out.parquet" if kind == "parquet" else "out.duckdb")
    target: Any = {"database": str(path), "table": "released", "allow_remanence": kind == "remanence"}
    if kind in ("existing", "remanence"):
        duckdb.connect(str(path)).execute("CREATE TABLE other AS SELECT 1 AS a").close()
    if kind == "parquet":
        target = str(path)
    result = kanon_sql.run(settings(source, target, algorithm, nested=kind != "parquet"))
    contents = path.read_bytes()
    assert [label for label in HIDDEN if label.encode() in contents] == []
    with duckdb.connect() as connection:
        if kind == "parquet":
            rows = f"read_parquet('{path}')"
        else:
            connection.execute(f"ATTACH '{path}' AS w (READ_ONLY)")
            rows = "w.released"
        types = {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()}
        assert not [column_type for column_type in types.values() if "ENUM" in column_type]
        assert types["diagnosis"] == "VARCHAR"
        counted = connection.execute(f"SELECT count(*), count(DISTINCT diagnosis) FROM {rows}").fetchall()
        assert counted == [(result.released, 4)]
        if kind != "parquet":
            assert types["deep"] == "STRUCT(l VARCHAR[])[]"
            nested_values = connection.execute(f"SELECT DISTINCT {', '.join(NESTED)} FROM {rows}").fetchall()
            assert nested_values == [
                (["flu"], ("flu", None), {'a "b': "flu", "n": 1}, {"flu": "none"}, [{"l": ["flu"]}], "flu")
            ]


@pytest.mark.slow
def test_a_compiled_statement_makes_no_column_of_an_enum_type(tmp_path: Path) -> None:
    source, target = warehouse(tmp_path / "w.duckdb"), str(tmp_path / "out.csv")
    for algorithm in ("optimal", "mondrian"):
        text = kanon_sql.compile(settings(source, target, algorithm))
        with duckdb.connect(str(source), read_only=True) as connection:
            described = connection.execute(f"DESCRIBE {text}").fetchall()
        assert {row[0] for row in described} >= {"sex", "diagnosis", *NESTED}
        assert not [row for row in described if "ENUM" in row[1]]


@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_texts_of_few_values_are_written_as_they_are(
    suffix: str, algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "people.parquet"
    few_values = "CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'it''s, \"so\"' ELSE 'plain' END AS told"
    people = f"SELECT 20 + i % 2 AS age, 'd' || i % 3 AS diagnosis, {few_values}, 'one of many ' || i AS many"
    with shared() as connection:
        connection.execute(
            f"COPY ({people} FROM range(40) AS r(i) UNION ALL SELECT NULL, 'd0', 'suppressedvalue', 'x') TO '{source}'"
        )
    config = {
        "source": str(source),
        "missing": "drop",
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "sensitive": ["diagnosis"],
        "insensitive": ["told", "many"],
        "accept": ["many"],
        "privacy": {"k": 5},
        "algorithm": algorithm,
    }
    released: list[list[tuple[Any, ...]]] = []
    types: list[str] = []

    def noted(engine: Engine, name: str, labels: exp.Expr) -> exp.DataType:
        types.append(name)
        return enum_type(engine, name, labels)

    monkeypatch.setattr(statement, "enum_type", noted)
    for rows in (1, 1_000_000):
        monkeypatch.setattr(statement, "_MANY", rows)
        monkeypatch.setattr(statement, "_FEW", 10)
        path = tmp_path / f"{rows}.{suffix}"
        kanon_sql.run({**config, "target": str(path)})
        assert b"suppressedvalue" not in path.read_bytes()
        assert len(types) == 2, "diagnosis and told, where the rows are many"
        with shared() as connection:
            described = connection.execute(f"DESCRIBE SELECT diagnosis, told FROM '{path}'").fetchall()
            released.append(connection.execute(f"SELECT * FROM '{path}' ORDER BY many").fetchall())
        assert {row[1] for row in described} == {"VARCHAR"}
    assert released[0] == released[1]
    assert len({row[2] for row in released[0]}) == 3


def _writer(tmp_path: Path) -> Any:
    return FILE_FORMATS["parquet"].writer(TargetConfig(path="out.parquet"), tmp_path / "out.parquet")


@pytest.mark.parametrize("partitions", [(), ("n",)])
def test_types_that_list_an_empty_text_are_written_from_texts(partitions: tuple[str, ...], tmp_path: Path) -> None:
    """An empty text in the file stands for a value that was lost, so that a type which lists one could not be told."""
    release = """SELECT CAST('a' AS ENUM('a', 'b''', ',')) AS "x ""y", CAST('it''s' AS ENUM('it''s')) AS z, 1 AS n,
        CAST('' AS ENUM('a', '', 'b')) AS "X ""Y", CAST('a' AS ENUM('', 'a')) AS f, CAST('b' AS ENUM('b', '')) AS l"""
    source: Any = None
    with duckdb.connect() as connection:
        engine = Engine(connection)
        statement = _writer(tmp_path).begin(engine, template.parse(release), source, [], partitions)
        described = [row[:2] for row in engine.run(exp.Describe(this=statement))]
        rows = engine.run(statement)
    assert described == [
        *[('x "y', "VARCHAR" if partitions else "ENUM('a', 'b''', ',')"), ("z", "ENUM('it''s')"), ("n", "INTEGER")],
        *[('X "Y', "VARCHAR"), ("f", "VARCHAR"), ("l", "VARCHAR")],
    ]
    assert rows == [("a", "it's", 1, "", "a", "b")]


def test_columns_that_lost_values_are_written_again_from_texts(tmp_path: Path) -> None:
    values = "(VALUES ('a', 1), ('b', 2), (NULL, 3)) AS r(b, i)"
    release = f"""SELECT CAST(b AS ENUM('a', 'b')) AS q, CAST(b AS ENUM('a', 'b')) AS "Q", i FROM {values}"""
    source: Any = None
    file, writer = tmp_path / "out.parquet", _writer(tmp_path)
    with duckdb.connect() as connection:
        engine = Engine(connection)
        statement = writer.begin(engine, template.parse(release), source, [], ())
        engine.run(f"COPY ({template.text(statement)}) TO '{file}' (FORMAT parquet)")
        assert writer.mended(engine, statement, file) is None
        lossy = f"""SELECT b AS q, CASE WHEN i = 2 THEN '' ELSE b END AS "Q", i FROM {values}"""
        engine.run(f"COPY ({lossy}) TO '{file}' (FORMAT parquet)")
        mended = writer.mended(engine, statement, file)
        described = [row[:2] for row in engine.run(exp.Describe(this=mended.copy()))]
        assert described == [("q", "ENUM('a', 'b')"), ("Q", "VARCHAR"), ("i", "INTEGER")]
        assert sorted(map(str, engine.run(mended))) == ["('a', 'a', 1)", "('b', 'b', 2)", "(None, None, 3)"]


@pytest.mark.skipif(not MOST_LABELS, reason="before version 2 of DuckDB labels are written as texts")
@pytest.mark.parametrize("folder", [False, True])
def test_a_release_that_lost_values_is_written_again(
    folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine loses values at times, so here the first file is one that lost some."""
    written: list[str] = []

    def losing(self: Any, engine: Engine, statement: exp.Expr, to: Path, **more: Any) -> None:
        copy(self, engine, statement, to, **more)
        written.append(template.text(statement))
        if len(written) == 1:
            spoilt = "SELECT * REPLACE (CASE WHEN diagnosis = 'd1' THEN '' ELSE diagnosis END AS diagnosis)"
            lossy = tmp_path / "lossy.parquet"
            duckdb.sql(f"COPY ({spoilt} FROM read_parquet('{to}')) TO '{lossy}' (FORMAT parquet)")
            lossy.replace(to)

    copy = files._Files._copy
    monkeypatch.setattr(files._Files, "_copy", losing)
    monkeypatch.setattr(statement, "_MANY", 1)
    source, target = tmp_path / "in", tmp_path / "out.parquet"
    source.mkdir()
    with shared() as connection:
        rows = "SELECT 20 + i % 2 AS age, 'd' || i % 3 AS diagnosis FROM range(40) AS r(i)"
        connection.execute(f"COPY ({rows}) TO '{source}/a.parquet'")
        config = {
            "source": str(source if folder else source / "a.parquet"),
            "target": "in-place" if folder else str(target),
            "quasi_identifiers": {"age": {"builtin": "suppress"}},
            "sensitive": ["diagnosis"],
            "privacy": {"k": 5},
        }
        kanon_sql.run(config)
        assert len(written) == 2
        released = f"{source}/*.parquet" if folder else target
        counted = connection.execute(f"SELECT diagnosis, count(*) FROM '{released}' GROUP BY ALL ORDER BY ALL")
        assert counted.fetchall() == [("d0", 14), ("d1", 13), ("d2", 13)]


@pytest.mark.slow
def test_rare_values_of_large_files(tmp_path: Path) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    rare = "'v' || (CASE WHEN hash(i) % 6000 = 0 THEN hash(i + {}) % 60 ELSE 0 END)"
    with duckdb.connect() as connection:
        columns = ", ".join(f"{rare.format(n)} AS {name}" for n, name in enumerate(("q", "s", "t")))
        connection.execute(f"COPY (SELECT {columns} FROM range(1500000) AS t(i)) TO '{source}'")
        config = {
            "source": str(source),
            "target": {"path": str(target), "overwrite": True},
            "quasi_identifiers": {"q": {"builtin": "suppress"}},
            "sensitive": ["s"],
            "insensitive": ["t"],
            "privacy": {"k": 2},
            "suppression": {"limit": "1%"},
            "release": {"order": "none"},
        }
        for _ in range(3):
            kanon_sql.run(config)
            counted = "SELECT count(*) FILTER (q = ''), count(*) FILTER (s = ''), count(*) FILTER (t = '')"
            assert connection.execute(f"{counted} FROM '{target}'").fetchall() == [(0, 0, 0)]
