"""Errors of engines: no value of the data in what they say, in the errors behind them, or in a traceback."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.engines.postgres import engine as postgres_connection
from kanon_sql.engines.spark import connection as spark_session
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.sql.connection import Engine, EngineOptions, describe

VALUES = ("Zaphod", "Trillian")


def chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def said(error: BaseException) -> str:
    """All that anybody may show of it."""
    parts = [repr(cause) + str(cause) + repr(vars(cause)) for cause in chain(error)]
    return "\n".join([*parts, *traceback.format_exception(error)])


# What fails with words of the data, each with another kind of error.
FAILING = {
    "Conversion": "CAST(name || 'x' AS INTEGER)",
    "InvalidInput": "error(name)",
    "InvalidInput ": "strptime(name, '%Y')",
    "OutOfRange": "CAST(length(name) * 1000 AS TINYINT)",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [["name", "sex"], *[[VALUES[i % 2], "f"] for i in range(20)]])
    return tmp_path


def configured(folder: Path, expression: str) -> dict[str, Any]:
    query = f"SELECT sex, {expression} AS made FROM read_csv('{folder}/source.csv', all_varchar = true)"
    return {
        "source": {"query": query, "allow": [str(folder)]},
        "target": str(folder / "release.csv"),
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "insensitive": ["made"],
        "privacy": {"k": 2},
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("expression", FAILING.values(), ids=FAILING)
def test_a_run_that_fails_on_a_value(expression: str, source: Path) -> None:
    config = configured(source, expression)
    with pytest.raises(EngineError, match="--show-values") as ended:
        kanon_sql.run(config)
    assert not any(value in said(ended.value) for value in VALUES)
    assert list(chain(ended.value)) == [ended.value]
    with pytest.raises(EngineError) as shown:
        kanon_sql.run(config, options=EngineOptions(show_values=True))
    assert isinstance(shown.value.__cause__, duckdb.Error)


def test_a_traceback_that_was_asked_for(source: Path) -> None:
    from kanon_sql.config.arguments import to_yaml

    (source / "config.yaml").write_text(to_yaml(configured(source, "error(name)")))
    ended = CliRunner().invoke(cli, ["run", str(source / "config.yaml"), "--debug"])
    assert isinstance(ended.exception, EngineError)
    assert not any(value in said(ended.exception) for value in VALUES)


@pytest.mark.parametrize("kind", [name for name in dir(duckdb) if name.endswith(("Exception", "Error"))])
def test_kinds_of_errors(kind: str) -> None:
    """None shows a literal, and those that are not known to speak before rows are read show no word."""
    error = getattr(duckdb, kind)("Some Error: 'Zaphod' is Trillian in \"/a/name=Zaphod/x.parquet\"")
    speaks = ("Binder", "Catalog", "Connection", "Dependency", "IO", "HTTP", "Parser", "Permission", "Syntax")
    text = describe(error, show_values=False)
    assert "Zaphod" not in text
    assert ("Trillian" in text) == kind.startswith(speaks), text
    if kind not in ("InterruptException", "OutOfMemoryException"):
        assert "Zaphod" in describe(error, show_values=True)


def test_a_statement_leaves_nothing_behind_its_error() -> None:
    with duckdb.connect() as connection:
        with pytest.raises(EngineError) as ended:
            Engine(connection).run("SELECT CAST('Zaphod' AS INTEGER)")
        assert list(chain(ended.value)) == [ended.value] and "Zaphod" not in str(ended.value)


def psycopg_error(name: str) -> Any:
    errors = pytest.importorskip("psycopg").errors
    return getattr(errors, name)('relation "Zaphod" does not exist')


@pytest.mark.engine
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("UndefinedTable", "(SQLSTATE 42P01, UndefinedTable); --show-values"),
        ("UndefinedObject", "(SQLSTATE 42704, UndefinedObject); --show-values"),
        ("UndefinedFile", "(SQLSTATE 58P01, UndefinedFile); --show-values"),
        ("InvalidTextRepresentation", "refused a value (SQLSTATE 22P02)"),
        ("DiskFull", "Zaphod"),  # about the server, which holds no values
    ],
)
def test_errors_of_postgresql(name: str, shown: str) -> None:
    text = postgres_connection.describe(psycopg_error(name), show_values=False)
    assert shown in text and ("Zaphod" in text) == (shown == "Zaphod")
    assert "Zaphod" in postgres_connection.describe(psycopg_error(name), show_values=True)


@pytest.mark.engine
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:very@secret@127.0.0.1:1/db",
        "postgresql://me:very/secret@127.0.0.1:1/db",
        "postgresql://me:very#secret@127.0.0.1:1/db",
        "postgresql://me:very?secret@127.0.0.1:1/db",
        "postgresql://me:%zzsecret@127.0.0.1:1/db",
        "postgresql://me:very%zzsecret@127.0.0.1:1/db",
        "postgresql://me:very secret@127.0.0.1:1/db",
        "host=127.0.0.1 very secret=1",
        "mysql://me:secret@127.0.0.1:1/db",
    ],
)
def test_a_url_that_cannot_be_read_is_not_quoted(url: str) -> None:
    pytest.importorskip("psycopg")
    config = {
        "engine": {"postgres": url},
        "source": {"table": "t"},
        "target": {"table": "o"},
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError, match="no connection URL") as ended:
        kanon_sql.run(config)
    assert "secret" not in said(ended.value)
    assert ended.value.exit_status == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[TABLE_OR_VIEW_NOT_FOUND] The table `people` cannot be found", "`people` cannot be found"),
        ("[NEW_CONDITION] Zaphod", "(NEW_CONDITION); --show-values"),
        ("[PARSE_SYNTAX_ERROR] [CAST_INVALID_INPUT] Zaphod", "--show-values"),
        ("cannot read Zaphod", "(RuntimeError); --show-values"),
    ],
)
def test_errors_of_spark(text: str, shown: str) -> None:
    description = spark_session.describe(RuntimeError(text), show_values=False)
    assert shown in description and "Zaphod" not in description


def test_api_functions_keep_no_context() -> None:
    from kanon_sql.api.opening import without_causes

    def fails(options: EngineOptions | None = None) -> None:
        try:
            raise OSError("Zaphod")
        except OSError:
            raise KanonError("what") from None

    function: Callable[..., None] = without_causes(fails)
    with pytest.raises(KanonError) as ended:
        function()
    assert "Zaphod" not in said(ended.value) and ended.value.__context__ is None
    with pytest.raises(KanonError) as ended:
        function(options=EngineOptions(show_values=True))
    assert ended.value.__context__ is not None
