"""Compiled statements, executed by PostgreSQL and by Sail (Spark's SQL), give the rows that a run writes."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from compiled_cases import (
    CASES,
    COLUMNS,
    DEALT,
    HOSTILE,
    Rows,
    configuration,
    source_rows,
)
from reference_models import MODELS
from servers import missing_postgres, missing_sail, postgres, sail
from shared_engine import attached

import kanon_sql

# What the client of Sail warns of is not ours.
pytestmark = pytest.mark.filterwarnings("ignore:::pyspark", "ignore::FutureWarning", "ignore::DeprecationWarning")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with people.parquet, the table of every test here."""
    directory = tmp_path_factory.mktemp("compiled")
    with attached() as connection:
        connection.execute(f"CREATE TABLE people ({', '.join(f'{quoted(n)} {t}' for n, t in COLUMNS.items())})")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(COLUMNS))})", source_rows())
        connection.execute(f"COPY people TO '{directory / 'people.parquet'}' (FORMAT parquet)")
    return directory


Execute = Callable[[str], Rows]
Start = Callable[[str], Execute]


@contextmanager
def on_duckdb(folder: Path) -> Iterator[Execute]:
    with attached() as connection:
        connection.execute(f"CREATE VIEW people AS FROM read_parquet('{folder / 'people.parquet'}')")
        yield lambda text: connection.execute(text).fetchall()


@contextmanager
def on_postgres(folder: Path) -> Iterator[Execute]:
    reason = missing_postgres()
    if reason:
        pytest.skip(reason)
    import psycopg

    types = {"DOUBLE": "DOUBLE PRECISION"}
    with postgres() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"CREATE TABLE people ({', '.join(f'{quoted(n)} {types.get(t, t)}' for n, t in COLUMNS.items())})".encode()
        )
        for row in source_rows():
            connection.execute(f"INSERT INTO people VALUES ({', '.join(['%s'] * len(COLUMNS))})".encode(), row)
        yield lambda text: connection.execute(text.encode()).fetchall()


@contextmanager
def on_spark(folder: Path) -> Iterator[Execute]:
    reason = missing_sail()
    if reason:
        pytest.skip(reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyspark
        from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))  # its own search ends the process
    with sail() as url:
        session = SparkSession.builder.remote(url).getOrCreate()
        try:
            session.read.parquet(str(folder / "people.parquet")).createOrReplaceTempView("people")
            yield lambda text: [tuple(row) for row in session.sql(text.rstrip().rstrip(";")).collect()]
        finally:
            session.stop()


@pytest.fixture(scope="module")
def started(folder: Path) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    running: dict[str, Execute] = {}
    with ExitStack() as stack:

        def start(dialect: str) -> Execute:
            if dialect not in running:
                makers = {"duckdb": on_duckdb, "postgres": on_postgres, "spark": on_spark}
                running[dialect] = stack.enter_context(makers[dialect](folder))
            return running[dialect]

        yield start


DIALECTS = pytest.mark.parametrize(
    "dialect", ["duckdb", *(pytest.param(engine, marks=pytest.mark.engine) for engine in ("postgres", "spark"))]
)


def plain(rows: Rows) -> Counter[tuple[Any, ...]]:
    """Rows to be compared: 2.50 is 2.5, dates and times by their text."""

    def cell(value: Any) -> Any:
        if isinstance(value, Decimal):
            return float(value)
        return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)

    return Counter(tuple(cell(value) for value in row) for row in rows)


def written(folder: Path, case: str) -> tuple[list[str], Rows]:
    with attached() as connection:
        relation = connection.read_parquet(str(folder / f"{case}.parquet"))
        return relation.columns, relation.fetchall()


@pytest.mark.slow
@DIALECTS
@pytest.mark.parametrize("case", CASES)
def test_it_gives_the_rows_that_a_run_writes(
    case: str, dialect: str, started: Callable[[str], Execute], folder: Path
) -> None:
    execute = started(dialect)
    config = configuration(folder, case)
    if not (folder / f"{case}.parquet").exists():
        kanon_sql.run(config, report=folder / f"{case}.json")
    report = json.loads((folder / f"{case}.json").read_text())
    if case in ("values", "masked", "models"):
        assert report["rows"]["suppressed"] > 0
    if case == "masked":
        assert report["rows"]["masked"] > 0
    columns, expected = written(folder, case)
    compiled_rows = execute(kanon_sql.compile(config, dialect=dialect, source_table="people"))
    if case in DEALT:
        labels = [i for i, name in enumerate(columns) if name not in ("s", "note")]
        assert plain([tuple(row[i] for i in labels) for row in compiled_rows]) == plain(
            [tuple(row[i] for i in labels) for row in expected]
        )
        others = [i for i, name in enumerate(columns) if i not in labels]
        assert plain([tuple(row[i] for i in others) for row in compiled_rows]) == plain(
            [tuple(row[i] for i in others) for row in expected]
        )
    else:
        assert plain(compiled_rows) == plain(expected)


@pytest.mark.slow
@DIALECTS
@pytest.mark.parametrize("case", ["levels", "models", "boxes", "local"])
def test_the_check_of_what_it_makes_finds_nothing(
    case: str, dialect: str, started: Callable[[str], Execute], folder: Path
) -> None:
    execute = started(dialect)
    text = kanon_sql.compile(configuration(folder, case), dialect=dialect, source_table="people", check=True)
    assert execute(text) == []


ASKED: list[tuple[str, dict[str, Any]]] = [
    ("l_diversity", {"l": 3}),
    ("l_diversity", {"l": 2.5, "variant": "entropy"}),
    ("l_diversity", {"l": 2, "variant": "recursive", "c": 1}),
    ("t_closeness", {"t": 0.2}),
    ("t_closeness", {"t": 0.2, "distance": "ordered"}),
    ("alpha_k", {"alpha": 0.4}),
    ("beta", {"beta": 0.5}),
    ("beta", {"beta": 0.5, "variant": "enhanced"}),
    ("delta_disclosure", {"delta": 0.9}),
]


@pytest.mark.slow
@DIALECTS
def test_the_check_finds_the_classes_that_violate(
    dialect: str, started: Callable[[str], Execute], folder: Path
) -> None:
    """The source itself stands for a release that violates much; every class is judged by definition."""
    execute = started(dialect)
    k, everything = 9, [row[7] for row in source_rows()]
    privacy: dict[str, Any] = {"k": k}
    for key, spec in ASKED:
        privacy.setdefault(key, []).append({"column": "s", **spec})
    given = configuration(folder, "levels")
    quasi = {HOSTILE: {"builtin": "suppress"}, "known": {"builtin": "suppress"}}
    config = {**given, "quasi_identifiers": quasi, "privacy": privacy, "suppression": {"limit": 0}}
    text = kanon_sql.compile(config, dialect=dialect, source_table="people", check=True, release_table="people")
    classes: dict[tuple[Any, ...], list[Any]] = {}
    for row in source_rows():
        classes.setdefault((row[0], row[5]), []).append(row[7])
    expected = [("k", len(values)) for values in classes.values() if len(values) < k]
    for key, spec in ASKED:
        ranks = {"cold": "1", "flu": "2", "none": "3", None: None}
        for values in classes.values():
            shown, whole = values, everything
            if spec.get("distance") == "ordered":
                shown, whole = [ranks[value] for value in values], [ranks[value] for value in everything]
            if not MODELS[key](shown, whole, spec)[0]:
                expected.append((f"{key} of s", len(values)))
    violating = Counter((row[0], row[1]) for row in execute(text))
    assert violating == Counter(expected)
    assert len({name for name, _ in expected}) == 6
