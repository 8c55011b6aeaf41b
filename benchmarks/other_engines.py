"""The job on another engine against what that engine needs to read, aggregate and write back shuffled the same table.

    scripts/postgres run -- python benchmarks/other_engines.py --rows 10000000
    scripts/spark-cluster run -- python benchmarks/other_engines.py --rows 10000000

The engine is the one whose URL KANON_SQL_TEST_POSTGRES or KANON_SQL_TEST_SPARK_CLUSTER holds. Each round runs the
engine's own statements, then kanon-sql; the table shows every round, the first of which warms up.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
from make_table import make_table
from speed import configuration

import kanon_sql


class Own(ABC):
    """An engine's own statements over the table."""

    def __init__(self, table: Path, columns: list[str]) -> None:
        self.table = table
        self.columns = columns

    @abstractmethod
    def aggregate(self) -> None:
        """Counts the combinations of the quasi-identifiers, and fetches them."""

    @abstractmethod
    def shuffle(self) -> None:
        """Writes the table back in random order."""

    @abstractmethod
    def run(self, config: dict[str, Any]) -> kanon_sql.RunResult:
        """The job."""


class InPostgres(Own):
    """PostgreSQL."""

    def __init__(self, table: Path, columns: list[str]) -> None:
        import psycopg

        super().__init__(table, columns)
        self.url = os.environ["KANON_SQL_TEST_POSTGRES"]
        self.connection = psycopg.connect(self.url, autocommit=True)
        types = duckdb.execute("DESCRIBE FROM read_parquet($1)", [str(table)]).fetchall()
        kinds = {"VARCHAR": "TEXT", "DOUBLE": "DOUBLE PRECISION"}
        described = ", ".join(f'"{name}" {kinds.get(kind, kind)}' for name, kind, *_ in types)
        self.connection.execute(f"CREATE TABLE p ({described})".encode())
        file = table.with_suffix(".csv")
        duckdb.execute(f"COPY (FROM '{table}') TO '{file}' (HEADER false)")
        with self.connection.cursor() as cursor, cursor.copy("COPY p FROM STDIN CSV") as copy, file.open("rb") as rows:
            while data := rows.read(1 << 20):
                copy.write(data)
        file.unlink()
        self.connection.execute("VACUUM ANALYZE p")

    def aggregate(self) -> None:
        names = ", ".join(f'"{name}"' for name in self.columns)
        self.connection.execute(f"SELECT {names}, count(*) FROM p GROUP BY {names}".encode()).fetchall()

    def shuffle(self) -> None:
        self.connection.execute("CREATE TABLE o AS SELECT * FROM p ORDER BY random()")
        self.connection.execute("DROP TABLE o")

    def run(self, config: dict[str, Any]) -> kanon_sql.RunResult:
        target = {"table": "r", "overwrite": True}
        return kanon_sql.run({**config, "engine": {"postgres": self.url}, "source": {"table": "p"}, "target": target})


class InSpark(Own):
    """A Spark cluster."""

    def __init__(self, table: Path, columns: list[str], settings: Mapping[str, str] | None = None) -> None:
        from pyspark.sql import SparkSession

        super().__init__(table, columns)
        builder = SparkSession.builder.master(os.environ["KANON_SQL_TEST_SPARK_CLUSTER"])
        for key, value in (settings or {}).items():
            builder = builder.config(key, value)
        self.session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
        self.session.read.parquet(str(table)).createOrReplaceTempView("p")

    def aggregate(self) -> None:
        names = ", ".join(f"`{name}`" for name in self.columns)
        self.session.sql(f"SELECT {names}, count(*) AS n FROM p GROUP BY {names}").toArrow()

    def shuffle(self) -> None:
        out = self.table.with_name("own.parquet")
        shutil.rmtree(out, ignore_errors=True)
        self.session.sql("SELECT * FROM p ORDER BY rand()").write.parquet(str(out))

    def run(self, config: dict[str, Any]) -> kanon_sql.RunResult:
        target = {"path": str(self.table.with_name("release.parquet")), "overwrite": True}
        return kanon_sql.run({**config, "target": target}, connection=self.session)


def main() -> None:
    """Prints one line for each round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=1658)
    parser.add_argument("--limit", default="1%")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--search-in", choices=["auto", "duckdb", "engine"], default="auto")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.parquet"
        make_table(given.rows, table)
        options = argparse.Namespace(**vars(given), algorithm="optimal", zip=False)
        config = {**configuration(table, Path(name), options), "search_in": given.search_in}
        columns = list(config["quasi_identifiers"])
        own = (InPostgres if "KANON_SQL_TEST_POSTGRES" in os.environ else InSpark)(table, columns)
        print("| aggregate | write shuffled | kanon-sql | ratio | read | search | release | verify |")
        print("|---|---|---|---|---|---|---|---|")
        for _ in range(given.runs):
            seconds = []
            for work in (own.aggregate, own.shuffle):
                start = time.perf_counter()
                work()
                seconds.append(time.perf_counter() - start)
            result = own.run(config)
            parts = result.report["seconds"]
            shown = [*seconds, parts["total"], parts["total"] / sum(seconds)]
            shown += [parts[part] for part in ("read", "search", "release", "verify")]
            print("| " + " | ".join(f"{value:.1f}" for value in shown) + " |", flush=True)


if __name__ == "__main__":
    main()
