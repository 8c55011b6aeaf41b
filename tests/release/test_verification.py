"""What was written is compared with the source row for row: a target that holds anything else is never put in place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import some
from shared_engine import attached

import kanon_sql
from kanon_sql.errors import ConfigurationError, VerificationError
from kanon_sql.targets.database import DatabaseSink, TableSink
from kanon_sql.targets.files import FileSink, FolderSink

Json = dict[str, Any]

# Sensitive and insensitive columns that have nothing to do with the classes.
PEOPLE = """
    SELECT
        CAST(20 + i % 30 AS VARCHAR) AS age,
        CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
        'illness ' || CAST(hash(i) % 5 AS VARCHAR) AS illness,
        CAST(hash(i + 1) % 90 AS INTEGER) AS cost
    FROM range(240) AS numbers(i)
"""


def fetched(query: str) -> list[tuple[Any, ...]]:
    with attached() as connection:
        return connection.execute(query).fetchall()


def people(folder: Path, suffix: str = ".parquet") -> Path:
    path = folder / f"people{suffix}"
    duckdb.sql(f"COPY ({PEOPLE}) TO '{path}'")
    return path


def job(folder: Path, target: Any, suffix: str = ".parquet", **more: Any) -> Json:
    ages = folder / "ages.csv"
    ages.write_text("".join(f"{age},{age // 10}0s,*\n" for age in range(20, 50)))
    return {
        "source": str(people(folder, suffix)),
        "target": target,
        "quasi_identifiers": {"age": str(ages), "sex": {"builtin": "suppress"}},
        "sensitive": ["illness"],
        "insensitive": ["cost"],
        "privacy": {"k": 5},
        **more,
    }


# What a disk, or whatever lies between, may do to the rows: each keeps the classes and the number of rows.
FAULTS = {
    "another value": "SELECT * REPLACE (CASE WHEN n = 7 THEN 'another' ELSE illness END AS illness)",
    "swapped between rows": "SELECT * REPLACE (coalesce(lead(illness) OVER (ORDER BY n), first(illness) OVER "
    "(ORDER BY n)) AS illness)",
    "two columns of two rows": "SELECT * REPLACE (CASE n WHEN 1 THEN max(cost) FILTER (n = 150) OVER () WHEN "
    "150 THEN max(cost) FILTER (n = 1) OVER () ELSE cost END AS cost)",
    "a constant column": "SELECT * REPLACE (min(cost) OVER () AS cost)",
    "a row twice for another of its class": "SELECT * REPLACE (first(illness) OVER mates AS illness, first(cost) OVER "
    "mates AS cost)",
}
_MATES = "WINDOW mates AS (PARTITION BY age, sex ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"


def spoil(path: Path, fault: str) -> None:
    """Writes a file again with other rows, of which the quasi-identifiers are as they were."""
    reader, kind = {
        b"PAR1": (f"read_parquet('{path}')", "FORMAT parquet"),
        b'{"ag': (f"read_json('{path}')", "FORMAT json"),
        b"[\n\t{": (f"read_json('{path}')", "FORMAT json, ARRAY"),
    }.get(path.read_bytes()[:4], (f"read_csv('{path}', all_varchar=true)", "FORMAT csv, HEADER"))
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS n, * FROM (FROM {reader} ORDER BY ALL)")
    before = connection.execute("SELECT age, sex, count(*) FROM t GROUP BY ALL ORDER BY ALL").fetchall()
    connection.execute(f"CREATE TABLE spoilt AS {FAULTS[fault]} FROM t {_MATES if 'mates' in FAULTS[fault] else ''}")
    after = connection.execute("SELECT age, sex, count(*) FROM spoilt GROUP BY ALL ORDER BY ALL").fetchall()
    assert before == after
    connection.execute(f"COPY (SELECT * EXCLUDE (n) FROM spoilt) TO '{path}' ({kind}, USE_TMP_FILE false)")


def then(monkeypatch: pytest.MonkeyPatch, sink: type, harm: Callable[[Any, Any], None]) -> None:
    """Has something happen to what a sink wrote, before it is verified."""
    write = sink.write  # type: ignore[attr-defined]

    def harmed(self: Any, engine: Any, *arguments: Any) -> None:
        write(self, engine, *arguments)
        harm(self, engine)

    monkeypatch.setattr(sink, "write", harmed)


@pytest.mark.few(3)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".json"])
def test_a_file_with_other_rows_is_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, fault: str
) -> None:
    target = tmp_path / f"out{suffix}"
    target.write_text("before")
    then(monkeypatch, FileSink, lambda sink, _: spoil(sink.staged.path, fault))
    with pytest.raises(VerificationError, match="not those to be released") as raised:
        kanon_sql.run(job(tmp_path, {"path": str(target), "overwrite": True}))
    assert target.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ages.csv", target.name, "people.parquet"]
    assert raised.value.exit_status == 4
    assert raised.value.report is not None
    assert raised.value.report["verification"] is None
    expected = {"another value": "'illness'", "a constant column": "'cost'"}.get(fault)
    assert ("holds other values" in str(raised.value)) is (expected is not None or "twice" in fault)
    assert expected is None or f"column {expected} holds" in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["mondrian", "local", {"name": "mondrian", "cut": "relaxed"}, "masked", "entity"])
def test_whatever_the_search_and_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: Any) -> None:
    config = job(tmp_path, str(tmp_path / "out.parquet"))
    if algorithm == "masked":
        config |= {"privacy": {"k": 9}, "suppression": {"limit": "60%"}, "release": {"suppressed": "mask"}}
    elif algorithm == "entity":
        config |= {"privacy": {"k": 3, "entity": "cost"}, "insensitive": []}
    else:
        config["algorithm"] = algorithm
    verification = kanon_sql.run(config).report["verification"]
    assert verification == {"compared": "rows", "columns": 3 if algorithm == "entity" else 4}
    (tmp_path / "out.parquet").unlink()
    then(monkeypatch, FileSink, lambda sink, _: spoil(sink.staged.path, "swapped between rows"))
    with pytest.raises(VerificationError, match="not those to be released"):
        kanon_sql.run(config)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.few(2)
@pytest.mark.parametrize("asks", [{"privacy": {"k": 2, "entity": "who"}}, {"privacy": {"k": 2}, "group": "who"}])
@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_an_empty_text_that_a_csv_file_does_not_tell_from_a_missing_one(
    tmp_path: Path, asks: dict[str, Any], missing: str
) -> None:
    rows = [*(("''", i) for i in range(3)), *(("'a'", i) for i in range(3, 6)), ("NULL", 6), ("NULL", 7)]
    values = ", ".join(f"({value}, 'p{i}', 1)" for value, i in rows)
    duckdb.sql(f"COPY (FROM (VALUES {values}) AS t(v, who, n)) TO '{tmp_path / 's.parquet'}'")
    config = {
        "source": str(tmp_path / "s.parquet"),
        "quasi_identifiers": {"v": {"builtin": "suppress"}},
        "identifiers": ["who"],
        "insensitive": ["n"],
        "missing": missing,
        "target": str(tmp_path / "out.csv"),
        **asks,
    }
    report = kanon_sql.run(config).report
    assert report["solution"]["levels"] == {"v": 0}
    written = sorted((tmp_path / "out.csv").read_text().splitlines()[1:])
    assert written == ['"",1'] * 3 + [",1"] * (2 if missing == "keep" else 0) + ["a,1"] * 3


@pytest.mark.slow
def test_every_byte_of_a_column_that_is_no_quasi_identifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flipped byte either is seen, or changes nothing that anybody reads."""
    target = tmp_path / "out.parquet"
    config = job(tmp_path, {"path": str(target), "overwrite": True, "compression": "uncompressed"})
    kanon_sql.run(config)
    rows = "SELECT * FROM '{}' ORDER BY ALL"
    expected = fetched(rows.format(target))
    chunk = "max(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset)))"
    start, size = fetched(
        f"SELECT {chunk}, arg_max(total_compressed_size, data_page_offset) FROM parquet_metadata('{target}')"
    )[0]
    place, withdrawn = [0], 0

    def flip(sink: Any, _: Any) -> None:
        data = bytearray(sink.staged.path.read_bytes())
        data[place[0]] ^= 0x10
        sink.staged.path.write_bytes(bytes(data))

    then(monkeypatch, FileSink, flip)
    places = range(start, start + size, max(1, size // 8))
    for place[0] in places:
        target.write_text("before")
        try:
            kanon_sql.run(config)
        except VerificationError:
            withdrawn += 1
            assert target.read_text() == "before"
        else:
            assert fetched(rows.format(target)) == expected
    assert withdrawn > len(places) // 2


@pytest.mark.few(6)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".json"])
def test_a_file_that_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, share: float) -> None:
    def cut(sink: Any, _: Any) -> None:
        data = sink.staged.path.read_bytes()
        sink.staged.path.write_bytes(data[: int(len(data) * share)])

    then(monkeypatch, FileSink, cut)
    target = tmp_path / f"out{suffix}"
    with pytest.raises(VerificationError):
        kanon_sql.run(job(tmp_path, str(target)))
    assert not target.exists()


def test_a_folder_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "people"
    duckdb.sql(f"COPY ({PEOPLE}) TO '{folder}' (FORMAT parquet, PARTITION_BY (illness))")
    config = {**job(tmp_path, "in-place"), "source": str(folder)}
    before = {path: path.read_bytes() for path in folder.rglob("*.parquet")}

    def moved(sink: Any, _: Any) -> None:
        first, second = sorted(path for path in sink.staged.path.iterdir() if path.is_dir())[:2]
        first.rename(first.with_name("moved"))
        second.rename(first)
        first.with_name("moved").rename(second)

    with monkeypatch.context() as patched:
        then(patched, FolderSink, moved)
        with pytest.raises(VerificationError, match="not those to be released"):
            kanon_sql.run(config)
    assert {path: path.read_bytes() for path in folder.rglob("*.parquet")} == before
    assert kanon_sql.run(config).report["verification"] == {"compared": "rows", "columns": 4}


@pytest.mark.parametrize("exists", [False, True])
def test_a_table_of_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool) -> None:
    path = tmp_path / "out.duckdb"
    if exists:
        with attached(path) as connection:
            connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    config = job(tmp_path, {"database": str(path), "table": "released"})
    with monkeypatch.context() as patched:
        for sink in (TableSink, DatabaseSink):
            then(
                patched,
                sink,
                lambda sink, engine: engine.run(f"UPDATE {sink.table().sql('duckdb')} SET cost = 1 WHERE cost = 2"),
            )
        with pytest.raises(VerificationError, match="column 'cost' holds other values"):
            kanon_sql.run(config)
    if exists:
        with attached(path) as connection:
            assert connection.execute("SHOW TABLES").fetchall() == [("other",)]
    else:
        assert not path.exists()
    assert kanon_sql.run(config).report["verification"] == {"compared": "rows", "columns": 4}


def test_a_new_database_is_read_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that the disk changed is seen, though the engine still has it in memory as it was."""
    from kanon_sql.targets import database as database_sink

    attach = database_sink.attach  # type: ignore[attr-defined]

    def changed(engine: Any, path: Path, **options: Any) -> str:
        if path.exists() and path.stat().st_size:
            data = bytearray(path.read_bytes())
            for place in range(3 * 4096, len(data), 4096):
                data[place + 100] ^= 0xFF
            path.write_bytes(bytes(data))
        return attach(engine, path, **options)

    monkeypatch.setattr(database_sink, "attach", changed)
    with pytest.raises(VerificationError, match="cannot be read again"):
        kanon_sql.run(job(tmp_path, {"database": str(tmp_path / "out.duckdb"), "table": "released"}))
    assert not (tmp_path / "out.duckdb").exists()


def test_counts_reads_the_classes_only_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    then(monkeypatch, FileSink, lambda sink, _: spoil(sink.staged.path, "a constant column"))
    report = kanon_sql.run(job(tmp_path, str(tmp_path / "out.parquet"), release={"verify": "counts"})).report
    assert report["verification"] == {"compared": "counts"}
    assert any("release.verify: counts" in warning for warning in report["warnings"])
    assert fetched(f"SELECT count(DISTINCT cost) FROM '{tmp_path / 'out.parquet'}'") == [(1,)]


def test_a_source_that_gives_other_rows_each_time(tmp_path: Path) -> None:
    people(tmp_path)
    query = "SELECT age, sex, illness, CAST(1000000 * random() AS INTEGER) AS cost FROM 'people.parquet'"
    config = job(tmp_path, "out.parquet") | {"source": {"query": query}}
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    with pytest.raises(VerificationError, match=r"column 'cost' holds other values.*other rows each time it is read"):
        kanon_sql.run(tmp_path / "config.yaml")
    result = kanon_sql.run(tmp_path / "config.yaml", overrides=[("release.verify", "counts")])
    assert result.report["status"] == "released"


@pytest.mark.slow
def test_a_connection_that_was_handed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kanon_sql.engines.duckdb.connection import ConnectionSink

    config = job(tmp_path, "x")
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"CREATE TABLE people AS {PEOPLE}")
        for algorithm in ("optimal", "local"):
            more = [("algorithm", algorithm)]
            kanon_sql.run(config, connection=connection, source="people", target=algorithm, overrides=more)
        then(monkeypatch, ConnectionSink, lambda sink, engine: engine.run("UPDATE made SET cost = cost + 1"))
        with pytest.raises(VerificationError, match="column 'cost' holds other values"):
            kanon_sql.run(config, connection=connection, source="people", target="made")
        tables = connection.execute("SHOW TABLES").fetchall()
    assert ("made",) not in tables


# Values that two ways of writing might tell differently, as SQL of the engine.
TYPES = {
    "VARCHAR": ["'a,b'", "'say \"x\"'", "'two\nlines'", "'cr\r\nlf'", "' blank '", "''", "NULL", "'\\N'", "'\ufeffb'"],
    "DOUBLE": ["0.1", "-0.0", "0.0", "'nan'", "'inf'", "1e300", "NULL", "100.0"],
    "DECIMAL(18,3)": ["1.500", "NULL", "-0.001"],
    "HUGEINT": ["170141183460469231731687303715884105727", "NULL"],
    "BOOLEAN": ["true", "NULL"],
    "DATE": ["'2020-01-31'", "NULL", "'infinity'", "'0044-03-15 (BC)'"],
    "TIMESTAMP_S": ["'2020-01-01 00:00:00'", "NULL"],
    "TIMESTAMP_NS": ["'2020-01-01 00:00:00.123456789'", "NULL"],
    "TIMESTAMPTZ": ["'2020-01-01 00:00:00+03'", "NULL"],
    "TIME": ["'12:34:56.789'", "NULL"],
    "INTERVAL": ["'1 month'", "'30 days'", "NULL"],
    "UUID": ["'00000000-0000-0000-0000-00000000000a'", "NULL"],
    "BLOB": ["'\\xAA\\x00'", "NULL", "''", "'abc'"],
    "BIT": ["'10101'", "NULL"],
    "JSON": ["'{\"a\": 1}'", "NULL", "'null'"],
    "ENUM('x', 'y z')": ["'x'", "NULL", "'y z'"],
    "ENUM('x', 'y z')[]": ["['x', 'y z']", "NULL", "[]"],
    "INTEGER[]": ["[1, 2, NULL]", "NULL", "[]"],
    'STRUCT(a INTEGER, "b INTERVAL" VARCHAR)[]': ["[{'a': 1, 'b INTERVAL': 'x, y'}]", "NULL"],
    "MAP(VARCHAR, INTEGER)": ["MAP {'a': 1, 'b': NULL}", "NULL"],
}
_REFUSED = {"parquet": ("HUGEINT", "INTERVAL"), "jsonl": ("DECIMAL(18,3)",)}


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", some(list(TYPES), 4))
def test_a_sound_release_is_none_the_worse(tmp_path: Path, kind: str) -> None:
    """The same value on both sides, whatever the type is and however the target writes it."""
    values = TYPES[kind]
    with attached(tmp_path / "in.duckdb") as connection:
        connection.execute(f"CREATE TABLE t (q VARCHAR, v {kind})")
        for i in range(2 * len(values)):
            connection.execute(f"INSERT INTO t VALUES ('{i % 2}', {values[i % len(values)]})")
    config = {
        "source": {"database": str(tmp_path / "in.duckdb"), "table": "t"},
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "insensitive": ["v"],
        "privacy": {"k": 2},
    }
    targets: list[Any] = [str(tmp_path / "out.csv"), {"database": str(tmp_path / "out.duckdb"), "table": "t"}]
    targets += [str(tmp_path / f"out.{suffix}") for suffix, refused in _REFUSED.items() if kind not in refused]
    for target in [*targets, "in-place"]:
        report = kanon_sql.run({**config, "target": target}).report
        assert report["verification"] == {"compared": "rows", "columns": 2}


@pytest.mark.parametrize("kind", ["UNION(n INTEGER, t VARCHAR)", "STRUCT(a HUGEINT)", "INTERVAL[]"])
def test_parquet_refuses_what_it_would_change(tmp_path: Path, kind: str) -> None:
    with attached(tmp_path / "in.duckdb") as connection:
        connection.execute(f"CREATE TABLE t AS SELECT i % 2 AS q, CAST(NULL AS {kind}) AS v FROM range(4) AS r(i)")
    config = {
        "source": {"database": str(tmp_path / "in.duckdb"), "table": "t"},
        "target": str(tmp_path / "out.parquet"),
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "insensitive": ["v"],
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError, match="Parquet cannot hold column 'v'"):
        kanon_sql.run(config)
