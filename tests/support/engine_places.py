"""Engines beside DuckDB as tests use them: a table is put there, a release is asked for there and read there."""

from __future__ import annotations

import os
import uuid
import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from servers import missing_postgres, missing_sail, postgres, sail
from shared_engine import insert, shared

# What the client of Spark warns of is not ours.
MARKS = [
    pytest.mark.engine,
    pytest.mark.filterwarnings("ignore:::pyspark", "ignore::FutureWarning", "ignore::DeprecationWarning"),
]
ENGINES = pytest.mark.parametrize("engine", ["postgres", "spark"])


def marked(test: Any) -> Any:
    """Runs a test on both engines, where others of its module need none."""
    for mark in MARKS:
        test = mark(test)
    return ENGINES(test)


Rows = list[tuple[Any, ...]]
Json = dict[str, Any]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def as_parquet(path: Path, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Path:
    """A Parquet file of rows."""
    with shared() as connection:
        connection.execute(f"CREATE TEMP TABLE t ({', '.join(f'{quoted(n)} {t}' for n, t in columns.items())})")
        insert(connection, "t", rows)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def counted(rows: Rows) -> Counter[tuple[Any, ...]]:
    """The rows as a multiset. Spark's GROUP BY takes -0.0 for 0.0, so that one of them stands for both."""
    return Counter(
        tuple(
            value.replace("-0.0", "0.0") if isinstance(value, str) else repr(value + 0) if _float(value) else value
            for value in row
        )
        for row in rows
    )


def without_signs(facts: object) -> str:
    """What is known of columns, with one zero for both, as above."""
    return repr(facts).replace("-0.0", "0.0")


def _float(value: Any) -> bool:
    return isinstance(value, float)


class Place(ABC):
    """An engine."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    @abstractmethod
    def put(self, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Json:
        """Puts a table there; what a configuration calls it."""

    @abstractmethod
    def configured(self, config: Json, source: Json) -> Json:
        """The configuration with engine, source and a target there."""

    @abstractmethod
    def released(self, config: Json) -> Rows | None:
        """The rows at the target; None where there is nothing."""

    @abstractmethod
    def leftovers(self) -> list[str]:
        """What a run left beside its targets."""


class InPostgres(Place):
    """Tables of PostgreSQL."""

    def put(self, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Json:
        import psycopg

        table = f"t{uuid.uuid4().hex}"
        types = {"DOUBLE": "DOUBLE PRECISION", "TINYINT": "SMALLINT"}
        with psycopg.connect(self.url, autocommit=True) as connection:
            described = ", ".join(f"{quoted(n)} {types.get(t, t)}" for n, t in columns.items())
            connection.execute(f"CREATE TABLE {table} ({described})".encode())
            with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)
        return {"table": table}

    def configured(self, config: Json, source: Json) -> Json:
        given = config["source"] if isinstance(config["source"], dict) else {}
        missing = {"missing": given["missing"]} if "missing" in given else {}
        target = {"table": f'public."Re""lease {uuid.uuid4().hex[:6]}"'}
        return {**config, "engine": {"postgres": self.url}, "source": {**source, **missing}, "target": target}

    def released(self, config: Json) -> Rows | None:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            table = config["target"]["table"]
            relation = connection.execute("SELECT to_regclass(%s)", [table]).fetchone()
            if relation is None or relation[0] is None:
                return None
            rows: Rows = connection.execute(f"SELECT * FROM {table}".encode()).fetchall()
            return rows

    def leftovers(self) -> list[str]:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            names = connection.execute("SELECT relname FROM pg_class WHERE relname LIKE 'kanon%'").fetchall()
            return [row[0] for row in names]


class InSpark(Place):
    """Files that Spark reads and writes."""

    settings: ClassVar[Json] = {}

    def put(self, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> Json:
        return {"path": str(as_parquet(self.folder / f"{uuid.uuid4().hex}.parquet", columns, rows))}

    def configured(self, config: Json, source: Json) -> Json:
        given = config["source"] if isinstance(config["source"], dict) else {}
        missing = {"missing": given["missing"]} if "missing" in given else {}
        target = {"path": str(self.folder / f"release {uuid.uuid4().hex[:6]}.parquet")}
        engine = {"spark": self.url, "config": self.settings}
        return {**config, "engine": engine, "source": {**source, **missing}, "target": target}

    def released(self, config: Json) -> Rows | None:
        path = Path(config["target"]["path"])
        if not path.exists():
            return None
        with shared() as connection:
            return connection.execute(f"FROM '{path}/*.parquet'").fetchall()

    def leftovers(self) -> list[str]:
        return [path.name for path in self.folder.iterdir() if ".kanon-sql-" in path.name]


@contextmanager
def spark_session(url: str, settings: Json) -> Iterator[Any]:
    """A session of the tests' own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyspark
        from pyspark.sql import SparkSession

        os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
        builder = SparkSession.builder
        builder = builder.remote(url) if url.startswith("sc://") else builder.master(url)
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()


Start = Callable[[str], Place]


@contextmanager
def starting(folder: Callable[[str], Path]) -> Iterator[Start]:
    """Starts an engine when it is first asked for, with the folder of its name; skips the test where it cannot."""
    running: dict[str, Place] = {}
    with ExitStack() as stack:

        def started(engine: str) -> Place:
            if engine not in running:
                reason = missing_postgres() if engine == "postgres" else missing_sail()
                if reason:
                    pytest.skip(reason)
                url = stack.enter_context(postgres() if engine == "postgres" else sail())
                running[engine] = (InPostgres if engine == "postgres" else InSpark)(url, folder(engine))
            return running[engine]

        yield started
