"""The text that each dialect gets: golden files, parsers that are not ours, and the portable core that it is made of.

The golden files hold one dialect as a whole and of the others what differs (tests/support/golden.py).
KANON_SQL_WRITE_GOLDEN=1 writes the golden files anew; look at what has changed.
"""

from __future__ import annotations

import importlib.util
import os
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from golden import read_golden, write_golden
from shared_engine import attached, shared
from sqlglot import exp

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.dialects import DIALECTS, find_dialect, marked, outside_core
from kanon_sql.sql.writing import portable, table_name, write

GOLDEN = Path(__file__).parent / "compiled"
GRAMMARS = {"spark": "sparksql", "databricks": "databricks"}  # where sqlfluff has another name
ROWS = [
    ("it's", 41, "2001-02-03", 0.1, "flu"),
    ("a, b", 42, "2001-02-04", 0.1, "cold"),
    (None, 43, None, 2.5, "flu"),
    ("line\nbreak", None, "2002-02-03", 2.5, None),
    ("it's", 41, "2001-02-03", 0.1, "none"),
    ("a, b", 42, "2001-02-04", 0.1, "flu"),
    (None, 43, None, 2.5, "cold"),
    ("line\nbreak", None, "2002-02-03", 2.5, "flu"),
    ("alone", 99, "1950-01-01", 7.0, "flu"),
]
QUASI: dict[str, Any] = {
    "Home town": {"builtin": "suppress"},
    "age": {"builtin": "intervals", "widths": [10], "max_level": 1},
    "born": {"builtin": "date", "levels": ["year"]},
    "score": {"builtin": "suppress", "max_level": 0},
}
MODELS: dict[str, Any] = {
    "k": 2,
    "l_diversity": [
        {"column": "s", "l": 2, "variant": "entropy"},
        {"column": "s", "l": 1, "variant": "recursive", "c": 3},
    ],
    "t_closeness": [{"column": "s", "t": 0.9}, {"column": "s", "t": 0.9, "distance": "ordered"}],
    "beta": {"column": "s", "beta": 3, "variant": "enhanced"},
    "alpha_k": {"column": "s", "alpha": 0.9},
}
CASES: dict[str, dict[str, Any]] = {
    "levels": {"config": {}},
    "masked": {"config": {"suppression": {"limit": 3}, "release": {"suppressed": "mask", "order": "none"}}},
    "models": {"config": {"privacy": {"k": 2, "l_diversity": {"column": "s", "l": 2}}, "missing": "drop"}},
    "boxes": {"config": {"algorithm": "mondrian", "release": {"ranges": "columns"}}},
    "shared": {
        "config": {
            "quasi_identifiers": {"score": {}},
            "unlisted": "drop",
            "algorithm": {"name": "mondrian", "cut": "relaxed", "seed": 1},
        }
    },
    "named": {"config": {}, "mappings": "table"},
    "check": {
        "config": {"privacy": MODELS, "suppression": {"limit": 8}},
        "check": True,
        "release_table": "lab.release",
    },
}
# What a statement marks as no part of the core (rows are dealt by a hash of their values), lost in its text.
OWN: dict[str, tuple[type[exp.Expr], ...]] = {"shared": (exp.MD5, exp.Concat)}


def config(folder: Path, case: str) -> dict[str, Any]:
    source = folder / "people.parquet"
    if not source.exists():
        with attached() as connection:
            connection.execute('CREATE TABLE t ("Home town" VARCHAR, age INTEGER, born DATE, score DOUBLE, s VARCHAR)')
            connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [list(row) for row in ROWS])
            connection.execute(f"COPY t TO '{source}' (FORMAT parquet)")
    base = {
        "source": {"path": str(source), "missing": ["", "?"]},
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": QUASI,
        "sensitive": ["s"],
        "privacy": {"k": 2},
        "suppression": {"limit": 1},
    }
    return {**base, **CASES[case]["config"]}


def compiled(folder: Path, case: str, dialect: str) -> str:
    more = {key: value for key, value in CASES[case].items() if key != "config"}
    if "mappings" in more:
        more |= {"mapping_folder": folder, "mapping_prefix": f"lab.{dialect}_"}
    text = kanon_sql.compile(config(folder, case), dialect=dialect, source_table="lab.people", **more)
    return text.replace(str(folder), "FOLDER")


@pytest.mark.tool  # the version of sqlglot that wrote them
@pytest.mark.parametrize("case", CASES)
def test_the_texts_are_those_of_the_golden_files(case: str, tmp_path: Path) -> None:
    texts = {name: f"-- sqlglot {version('sqlglot')}\n" + compiled(tmp_path, case, name) for name in DIALECTS}
    if os.environ.get("KANON_SQL_WRITE_GOLDEN"):
        write_golden(GOLDEN, case, texts)
    golden = read_golden(GOLDEN, case)
    for name, text in texts.items():
        if golden[name].splitlines()[0] != text.splitlines()[0]:
            pytest.skip(f"written by {golden[name].splitlines()[0][3:]}, others may write other text of one meaning")
        assert text == golden[name], name
    assert golden.keys() == texts.keys()


def golden_texts(*dialects: str) -> list[Any]:
    return [
        pytest.param(dialect, read_golden(GOLDEN, case)[dialect], id=f"{case}-{dialect}")
        for case in CASES
        for dialect in dialects
    ]


@pytest.mark.tool
@pytest.mark.parametrize(("dialect", "text"), golden_texts("postgres"))
def test_postgres_itself_parses_it(dialect: str, text: str) -> None:
    pglast = pytest.importorskip("pglast", reason="pglast, PostgreSQL's own parser, is not installed")
    assert len(pglast.parse_sql(text)) == 1


@pytest.mark.tool
@pytest.mark.parametrize(
    ("dialect", "text"), golden_texts("spark", "databricks", "snowflake", "bigquery", "trino", "redshift")
)
def test_a_parser_that_is_not_ours_parses_it(dialect: str, text: str) -> None:
    if importlib.util.find_spec("sqlfluff") is None:
        pytest.skip("sqlfluff is not installed: pip install 'kanon-sql[engines]'")
    from sqlfluff.core import Linter

    parsed = Linter(dialect=GRAMMARS.get(dialect, dialect)).parse_string(text)
    assert not parsed.violations
    tree = parsed.tree
    assert tree is not None
    assert "unparsable" not in tree.type_set()
    assert len(list(tree.recursive_crawl("statement"))) == 1


def test_a_dialect_that_no_test_executes_says_so() -> None:
    for name, dialect in DIALECTS.items():
        for case in CASES:
            head = read_golden(GOLDEN, case)[name].split("WITH")[0]
            assert ("NOT EXECUTED" in head) is (dialect.executed is None)
    assert {name for name, dialect in DIALECTS.items() if dialect.executed} == {"duckdb", "spark", "postgres"}


@pytest.mark.few(12)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", CASES)
def test_all_of_it_is_of_the_portable_core(case: str, dialect: str) -> None:
    text = read_golden(GOLDEN, case)["postgres"]
    tree = sqlglot.parse_one(text, read="postgres")
    assert isinstance(tree, exp.Expr)
    for node in tree.find_all(*OWN.get(case, ())):
        marked(node)
    assert outside_core(portable(tree, find_dialect(dialect))) == []


OUTSIDE = [
    "SELECT * FROM t",
    "SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) = 1",
    "SELECT a FROM t LIMIT 3",
    "SELECT a FROM t GROUP BY ALL",
    "SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a), ())",
    "SELECT sum(a) FILTER (WHERE b) FROM t",
    "SELECT a FROM t JOIN u USING (b)",
    "SELECT a FROM t FULL JOIN u ON t.a = u.a",
    "SELECT a FROM t ASOF JOIN u ON t.a >= u.a",
    "SELECT a FROM read_parquet('x')",
    "SELECT a FROM t UNION SELECT a FROM u",
    "SELECT a FROM t EXCEPT SELECT a FROM u",
    "SELECT a // b FROM t",
    "SELECT round(a) FROM t",
    "SELECT md5(a) FROM t",
    "SELECT median(a) FROM t",
    "SELECT quantile_disc(a, 0.5) FROM t",
    "SELECT CAST(a AS UTINYINT) FROM t",
    "SELECT CAST(a AS INTEGER) FROM t",
    "SELECT TRY_CAST(a AS DATE) FROM t",
    "SELECT [a, b] FROM t",
    "SELECT a || b FROM t",
    "SELECT a FROM t WHERE a IN (SELECT b FROM u)",
    "SELECT a FROM t WHERE a ILIKE 'x'",
    "SELECT 1 AS a",
    "SELECT 9223372036854775808 AS a FROM t",
    "SELECT lag(a) OVER (ORDER BY a) FROM t",
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_outside_the_core_is_refused(text: str) -> None:
    tree = sqlglot.parse_one(text, read="duckdb")
    assert isinstance(tree, exp.Expr)
    for name, dialect in DIALECTS.items():
        if name == "duckdb":
            continue
        assert outside_core(portable(tree, dialect))
        with pytest.raises(EngineError, match="no sure meaning"):
            write(tree, dialect)


def test_what_means_something_else_is_said_otherwise() -> None:
    text = """
        SELECT any_value(a) AS a, b / c AS d, sum(b) OVER w AS e, a IS NOT DISTINCT FROM b AS f, CAST(a AS VARCHAR) AS g
        FROM t WINDOW w AS (PARTITION BY c ORDER BY b) ORDER BY b
    """
    tree = sqlglot.parse_one(text, read="duckdb")
    assert isinstance(tree, exp.Expr)
    written = {
        name: re.sub(r"\s+", " ", write(tree, dialect)).replace("( ", "(").replace(" )", ")")
        for name, dialect in DIALECTS.items()
        if name != "duckdb"
    }
    for name, statement in written.items():
        assert "ANY_VALUE" not in statement and "NULLS" not in statement and " WINDOW" not in statement, name
        assert re.search(r"CAST\(.b. AS (DOUBLE|DOUBLE PRECISION|FLOAT64)\) / (NULLIF\()?.c.", statement), name
    assert '("a" = "b" OR ("a" IS NULL AND "b" IS NULL))' in written["redshift"]
    assert '"a" IS NOT DISTINCT FROM "b"' in written["postgres"]
    assert "`a` IS NOT DISTINCT FROM `b`" in written["spark"]
    assert "VARCHAR(MAX)" in written["redshift"]  # without a length it would be cut after 256 bytes


def test_names_are_folded_as_each_engine_folds_them() -> None:
    def name(text: str, dialect: str) -> str:
        return table_name(text, find_dialect(dialect), "--source-table").sql(dialect)

    assert name("Lab.People", "snowflake") == '"LAB"."PEOPLE"'
    assert name('lab."People"', "snowflake") == '"LAB"."People"'
    assert name("Lab.People", "postgres") == '"lab"."people"'
    assert name("my-project.lab.People", "bigquery") == "`my-project`.`lab`.`People`"
    for bad in ("", "a.b.c.d", "people; DROP TABLE x", "(SELECT 1)", "read_csv('x')", "a b c"):
        with pytest.raises(ConfigurationError, match="no table name"):
            table_name(bad, find_dialect("postgres"), "--source-table")


@pytest.mark.parametrize(
    ("dialect", "names", "said"),
    [
        ("spark", ["Age", "age"], "differ in case only"),
        ("postgres", ["x" * 64], "64 bytes"),
        ("bigquery", ['a"b'], "takes no column named"),
    ],
)
def test_names_that_an_engine_would_change_are_refused(
    dialect: str, names: list[str], said: str, tmp_path: Path
) -> None:
    with shared() as connection:
        columns = ", ".join('1 AS "' + name.replace('"', '""') + f'{" " * i}"' for i, name in enumerate(names))
        connection.execute(f"COPY (SELECT {columns} FROM range(9)) TO '{tmp_path / 's.csv'}'")
    text = (tmp_path / "s.csv").read_text().replace("age ", "age")
    (tmp_path / "s.csv").write_text(text)
    given = {
        "source": str(tmp_path / "s.csv"),
        "quasi_identifiers": {names[0]: {"builtin": "suppress"}},
        "unlisted": "drop" if len(names) == 1 else "insensitive",
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.compile(given, dialect=dialect)


@pytest.mark.slow
def test_types_and_values_that_have_no_place_are_refused(tmp_path: Path) -> None:
    def asks(select: str, dialect: str, quasi: str) -> None:
        with shared() as connection:
            connection.execute(f"COPY ({select} FROM range(9)) TO '{tmp_path / 's.parquet'}'")
        given = {
            "source": str(tmp_path / "s.parquet"),
            "quasi_identifiers": {quasi: {"builtin": "suppress", "max_level": 0}},
            "privacy": {"k": 1},
        }
        kanon_sql.compile(given, dialect=dialect)

    for dialect, select in (
        ("spark", "SELECT INTERVAL 3 DAY AS q"),
        ("trino", "SELECT CAST('nan' AS DOUBLE) AS q"),
        ("redshift", r"SELECT 'a\b' AS q"),
        ("redshift", "SELECT CASE WHEN range < 3 THEN 'a' ELSE 'a ' END AS q"),
    ):
        asks(select, "duckdb", "q")
        with pytest.raises(ConfigurationError, match=r"quasi-identifier 'q'|backslash"):
            asks(select, dialect, "q")
