"""Sources of every kind: what is read is every row once, and what comes out is what went in."""

from __future__ import annotations

import csv
import gzip
import os
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from effort import some, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached, insert, shared
from tables import configuration, fill_table, people, simple, smallest_class, write

import kanon_sql
from kanon_sql.errors import EngineError, KanonError


def records(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def database(path: Path, *statements: str) -> Path:
    with attached(path) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def status_of(config: Any) -> int:
    """The exit status of a run."""
    try:
        kanon_sql.run(config)
    except KanonError as error:
        return error.exit_status
    return 0


# Files and folders


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_name_is_no_glob_for_the_engine(tmp_path: Path, suffix: str) -> None:
    """Two rows of two files: where one is read twice, a single row seems to be a class of two."""
    folder, target = tmp_path / "in", tmp_path / "out.csv"
    folder.mkdir()
    with attached() as connection:
        connection.sql(f"COPY (SELECT 'b' AS x, 2 AS y) TO '{folder}/a1.{suffix}'")
        connection.sql(f"COPY (SELECT 'secret' AS x, 1 AS y) TO '{tmp_path}/new.{suffix}'")
    (tmp_path / f"new.{suffix}").rename(folder / f"a[1].{suffix}")
    kanon_sql.run(simple(folder, target, "x"))
    assert Counter(row[1] for row in records(target)[1:]) == {"1": 1, "2": 1}


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv"])
def test_a_single_file_whose_name_reads_as_a_glob(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x,y\na,1\na,1\n")
    (tmp_path / "a1.csv").write_text("x,y\nb,1\nb,1\n")
    kanon_sql.run(simple(tmp_path / name, tmp_path / "out.csv", "x"))
    assert records(tmp_path / "out.csv")[1:] == [["a", "1"], ["a", "1"]]


def test_the_columns_of_a_single_parquet_file_are_its_own(tmp_path: Path) -> None:
    """Read by the names of a file that its own name matches as a glob, what identifies would be released as `y`."""
    with attached() as connection:
        connection.sql(f"COPY (SELECT 'a' AS x, 'mary' AS y, 1 AS who FROM range(2)) TO '{tmp_path}/a1.parquet'")
        connection.sql(f"COPY (SELECT 'a' AS x, 'mary' AS who, 1 AS y FROM range(2)) TO '{tmp_path}/new.parquet'")
    (tmp_path / "new.parquet").rename(tmp_path / "a[1].parquet")
    config = {**simple(tmp_path / "a[1].parquet", tmp_path / "out.csv", "x"), "insensitive": ["y"], "unlisted": "drop"}
    kanon_sql.run(config)
    assert records(tmp_path / "out.csv") == [["x", "y"], ["a", "1"], ["a", "1"]]


def test_a_quasi_identifier_that_is_partition_and_column(tmp_path: Path) -> None:
    for name in ("anna", "bert", "carl"):
        folder = tmp_path / "in" / f"who={name}"
        folder.mkdir(parents=True)
        (folder / "part.csv").write_text(f"x,who\na,{name}\n")
    config = simple(tmp_path / "in", tmp_path / "out.csv", "who", k=3)
    if status_of(config) == 0:
        assert "anna" not in (tmp_path / "out.csv").read_text()


@pytest.mark.few(1)
@pytest.mark.parametrize("target", ["out.csv", "in-place"])
def test_hostile_partition_values(tmp_path: Path, target: str) -> None:
    values = ["a/b", "c d=e", "%", "é%20", None, "*"]
    with attached() as connection:
        connection.execute("CREATE TABLE t (g VARCHAR, n INTEGER)")
        insert(connection, "t", [(value, n) for value in values for n in (1, 2)])
        connection.execute(f"COPY t TO '{tmp_path / 'in'}' (FORMAT parquet, PARTITION_BY (g))")
    kanon_sql.run(simple(tmp_path / "in", target if target == "in-place" else tmp_path / target, "g"))
    if target == "in-place":
        with shared() as connection:
            groups = connection.execute(
                f"SELECT g FROM read_parquet('{tmp_path}/in/**/*.parquet', hive_partitioning = true)"
            ).fetchall()
        assert Counter(row[0] for row in groups) == dict.fromkeys(values, 2)
    else:
        found_texts = Counter(row[1] for row in records(tmp_path / target)[1:])
        assert found_texts == {value or "": 2 for value in values}


@pytest.mark.slow
def test_generalized_partitions_in_place(tmp_path: Path) -> None:
    write(tmp_path / "in", options="FORMAT parquet, PARTITION_BY (sex)")
    config = configuration(str(tmp_path / "in"), "in-place")
    config["quasi_identifiers"] = {**config["quasi_identifiers"], "sex": {"builtin": "suppress", "min_level": 1}}
    kanon_sql.run(config)
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["sex=%2A"]
    assert smallest_class(f"read_parquet('{tmp_path}/in/**/*.parquet', hive_partitioning = true)") >= 5


def test_files_that_do_not_fit_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\na,1\na,1\n")
    (tmp_path / "b.csv").write_text("y,x\n1,a\n")
    assert status_of(simple(tmp_path / "*.csv", tmp_path / "out.csv", "x")) == 3
    assert status_of(simple(tmp_path / "*.parquet", tmp_path / "out.csv", "x")) == 3
    write(tmp_path / "c.parquet")
    assert status_of(simple(tmp_path, tmp_path.parent / "out.csv", "x")) == 2


def test_parquet_files_of_other_types(tmp_path: Path) -> None:
    with attached() as connection:
        connection.sql(f"COPY (SELECT 'a' AS x, 1 AS y) TO '{tmp_path}/a.parquet'")
        connection.sql(f"COPY (SELECT 'a' AS x, 1.5 AS y) TO '{tmp_path}/b.parquet'")
    if status_of(simple(tmp_path / "*.parquet", tmp_path / "out.csv", "x")) == 0:
        assert {float(row[1]) for row in records(tmp_path / "out.csv")[1:]} == {1.0, 1.5}


def test_csv_files_of_other_encodings(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\né,1\n", encoding="latin-1")
    (tmp_path / "b.csv").write_text("x,y\né,1\n", encoding="utf-8")
    if status_of(simple(tmp_path / "?.csv", tmp_path / "out.csv", "x")) == 0:
        assert records(tmp_path / "out.csv")[1:] == [["é", "1"], ["é", "1"]]


# CSV


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("text", "header"),
    [
        ('"","sex"\n"1","f"\n"2","f"\n', ["", "sex"]),  # as pandas and R number rows
        (",sex,\n1,f,x\n2,f,x\n", None),
        (",1\n,2\n", None),
        ("sex,,x\nf,f,f\n", None),
    ],
)
def test_a_first_column_may_have_no_name(tmp_path: Path, text: str, header: list[str] | None) -> None:
    (tmp_path / "in.csv").write_text(text)
    proposed = kanon_sql.init(tmp_path / "in.csv").to_dict()
    numbered = [f"column{position}" for position in range(text.partition("\n")[0].count(",") + 1)]
    assert [column["name"] for column in proposed["columns"]] == (header or numbered)


@pytest.mark.few(1)
@pytest.mark.parametrize("missing", [[""], []])
def test_empty_values_of_a_file_with_one_column(tmp_path: Path, missing: list[str]) -> None:
    (tmp_path / "in.csv").write_text("x\na\na\n\n\nb\nb\n")
    result = kanon_sql.run(simple({"path": str(tmp_path / "in.csv"), "missing": missing}, tmp_path / "out.csv", "x"))
    assert result.report["rows"]["source"] == 6


def test_empty_values_are_seen_by_every_reader(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('x,y\na,1\na,1\n"",1\n"",1\n')
    kanon_sql.run(simple(tmp_path / "in.csv", tmp_path / "out.csv", "x", unlisted="drop"))
    with (tmp_path / "out.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 4


@pytest.mark.few(6)
@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("x,y\né,1\né,1\n".encode("latin-1"), {}),
        ("x,y\né,1\né,1\n".encode("utf-16"), {}),
        ("\ufeffx,y\né,1\né,1\n".encode(), {}),
        ("x;y\r\né;1\r\né;1\r\n".encode(), {}),
        ("x\ty\ré\t1\ré\t1\r".encode(), {}),
        ("x||y\né||1\né||1".encode(), {"delimiter": "||"}),
        ("'x','y'\n'é',1\n'é',1\n".encode(), {"quote": "'"}),
    ],
)
def test_ways_to_write_a_csv(tmp_path: Path, content: bytes, options: dict[str, str]) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    described = {"path": str(tmp_path / "in.csv"), "csv": options}
    kanon_sql.run(simple(described, {"path": str(tmp_path / "out.csv"), "csv": {"delimiter": ","}}, "x"))
    values = {row[0].strip("'") for row in records(tmp_path / "out.csv")[1:]}
    assert values == {"é"}
    assert len(records(tmp_path / "out.csv")) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x,y\r\n\xc3\xa9,1\n\xc3\xa9,1\r\n", "line end"),
        (gzip.compress("x,y\né,1\n\x81,1\n".encode("latin-1"), mtime=0), "Windows-1252"),
    ],
)
def test_ways_to_write_a_csv_that_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    source = tmp_path / ("in.csv.gz" if content.startswith(b"\x1f\x8b") else "in.csv")
    source.write_bytes(content)
    with pytest.raises(KanonError, match=said) as caught:
        kanon_sql.run(simple(source, tmp_path / "out.csv", "x"))
    assert caught.value.exit_status == 3


def test_a_name_that_could_be_a_delimiter(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(";\tx\n" + "1\ta\n" * 3)
    kanon_sql.run(simple(tmp_path / "in.csv", {"path": str(tmp_path / "out.csv"), "csv": {"delimiter": ","}}, "x"))
    assert records(tmp_path / "out.csv") == [[";", "x"], *[["1", "a"]] * 3]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", [",", "a,", ", ", 'a,"', "x\ny", "x\n,y"])
def test_a_name_that_the_engine_misreads_behind_a_byte_order_mark(tmp_path: Path, name: str, encoding: str) -> None:
    """It lost all rows without a word, or made one of the header's rest."""
    with (tmp_path / "in.csv").open("w", newline="", encoding=encoding) as file:
        csv.writer(file, lineterminator="\n").writerows([(name, "x"), *[("1", "a")] * 3])
    job = simple(
        {"path": str(tmp_path / "in.csv"), "csv": {"header": True}}, tmp_path / "out.csv", "x", unlisted="drop"
    )
    with pytest.raises(KanonError, match="behind a byte order mark") as caught:
        kanon_sql.run(job)
    assert caught.value.exit_status == 3


@pytest.mark.few(1)
@pytest.mark.parametrize(("name", "delimiter"), [("a, b", ","), (',a"', ","), ('"', ","), ("a||b", "||")])
def test_a_quoted_name_behind_a_byte_order_mark(tmp_path: Path, name: str, delimiter: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    (tmp_path / "in.csv").write_text(
        "".join(f"{value}{delimiter}x\n" for value in [quoted, *"1234"]), encoding="utf-8-sig", newline="\n"
    )
    described = {"path": str(tmp_path / "in.csv"), "csv": {"header": True, "delimiter": delimiter}}
    target = {"path": str(tmp_path / "out.csv"), "csv": {"delimiter": ","}}
    kanon_sql.run(simple(described, target, "x", unlisted="insensitive"))
    assert records(tmp_path / "out.csv")[0] == [name, "x"]
    assert sorted(row[0] for row in records(tmp_path / "out.csv")[1:]) == list("1234")


CELLS = st.sampled_from(["", "007", "+5", "1e3", "NaN", " a ", "?", "x\ny", "x\r\ny", '"', ",", "e\u0301", "é", "NULL"])


@pytest.mark.slow
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=tries(30))
def test_every_row_of_a_csv_comes_out(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], end: str, quoted: bool
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    with (folder / "in.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
        writer.writerows([("x", "y"), *rows])
    kanon_sql.run(simple({"path": str(folder / "in.csv"), "csv": {"header": True}}, folder / "out.csv", "x", k=1))
    assert Counter(map(tuple, records(folder / "out.csv")[1:])) == Counter(rows)


# Types


TYPES = {
    "TINYINT": "-128",
    "UBIGINT": "18446744073709551615",
    "DECIMAL(38,10)": "1234567890123456789012345678.0123456789",
    "DOUBLE": "nan",
    "FLOAT": "0.1",
    "BOOLEAN": "true",
    "DATE": "2024-02-29",
    "TIMESTAMP_NS": "2024-01-01 00:00:00.123456789",
    "TIME": "23:59:59.5",
    "UUID": "00000000-0000-0000-0000-00000000000a",
    "ENUM('a', 'it''s')": "it''s",
}


@pytest.mark.few(4)
@pytest.mark.parametrize("name", some(list(TYPES), 4))
@pytest.mark.parametrize("target", ["out.parquet", "out.csv"])
def test_typed_values_come_out_as_they_went_in(tmp_path: Path, name: str, target: str) -> None:
    path = database(
        tmp_path / "in.db",
        f"CREATE TABLE t AS SELECT x, x AS y FROM (SELECT '{TYPES[name]}'::{name} AS x FROM range(3))",
    )
    kanon_sql.run(simple({"database": str(path), "table": "t"}, tmp_path / target, "x"))
    expected = TYPES[name].replace("''", "'")
    if target == "out.csv":
        assert records(tmp_path / target)[1:] == [[expected, expected]] * 3
    else:
        with shared() as connection:
            rows = connection.execute(f"SELECT x::VARCHAR, y::VARCHAR FROM '{tmp_path / target}'").fetchall()
        assert rows == [(expected, expected)] * 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("HUGEINT", "12345678901234567890123"), ("INTERVAL", "00:00:00.000001"), ("TIMETZ", "10:00:00+05")],
)
def test_types_that_parquet_lacks(tmp_path: Path, name: str, value: str) -> None:
    path = database(tmp_path / "in.db", f"CREATE TABLE t AS SELECT 'a' AS x, '{value}'::{name} AS y FROM range(3)")
    if status_of(simple({"database": str(path), "table": "t"}, tmp_path / "out.parquet", "x")) == 0:
        with shared() as connection:
            cells = connection.execute(f"SELECT DISTINCT y::VARCHAR FROM '{tmp_path}/out.parquet'").fetchall()
        assert cells == [(value,)]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "values", "target"),
    [
        ("DOUBLE", ["0.0", "-0.0"], "out.parquet"),
        ("DOUBLE", ["0.0", "-0.0"], "out.csv"),
        ("INTERVAL", ["1 month", "30 days"], "out.csv"),
    ],
)
def test_equal_values_that_are_written_differently(tmp_path: Path, name: str, values: list[str], target: str) -> None:
    """Who reads the release tells 0.0 and -0.0 apart: they are one class only when they are written alike."""
    path = database(tmp_path / "in.db", f"CREATE TABLE t AS SELECT unnest({values})::{name} AS x, 1 AS y")
    kanon_sql.run(simple({"database": str(path), "table": "t"}, tmp_path / target, "x"))
    assert smallest_class(f"(SELECT x::VARCHAR AS x FROM '{tmp_path / target}')", "x") >= 2


@pytest.mark.slow
@pytest.mark.parametrize("table", ["people", "main.people", '"s.x"."q.t"', "v"])
def test_tables_and_views(tmp_path: Path, table: str) -> None:
    with attached(tmp_path / "in.db") as connection:
        fill_table(connection, "people")
        connection.execute('CREATE SCHEMA "s.x"; CREATE TABLE "s.x"."q.t" AS FROM people; CREATE VIEW v AS FROM people')
    kanon_sql.run(configuration({"database": str(tmp_path / "in.db"), "table": table}, str(tmp_path / "out.csv")))
    assert smallest_class(f"read_csv('{tmp_path}/out.csv', all_varchar = true)") >= 5
    diagnoses = {row[3] for row in people()}
    assert {row[3] for row in records(tmp_path / "out.csv")[1:]} <= diagnoses


def query(folder: Path, text: str, *allow: str) -> int:
    """The exit status of a configuration file with a query, beside inside.csv and with secret.csv elsewhere."""
    for name in ("here/inside.csv", "other/secret.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x,y\na,1\na,1\n")
    config = simple({"query": text, "allow": list(allow)}, {"path": str(folder / "out.csv"), "overwrite": True}, "x")
    (folder / "here" / "c.yaml").write_text(yaml.safe_dump(config))
    return status_of(str(folder / "here" / "c.yaml"))


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("FROM '{folder}/here/inside.csv'", 0),
        ("WITH t AS (FROM '{folder}/here/inside.csv') SELECT * FROM t; -- done", 0),
        ("FROM '{folder}/other/secret.csv'", 3),
        ("FROM '{folder}/here/../other/secret.csv'", 3),
        ("SELECT content AS x, 1 AS y FROM read_text('/etc/passwd')", 3),
        ("SELECT 1; SELECT 2", 2),
        ("CREATE TABLE t AS SELECT 1", 2),
        ("COPY (SELECT 1) TO '{folder}/copied.csv'", 2),
        ("PRAGMA database_list", 2 if int(duckdb.__version__[0]) >= 2 else 3),
        ("SELEC", 2),
    ],
)
def test_what_a_query_may_do(tmp_path: Path, text: str, status: int) -> None:
    assert query(tmp_path, text.format(folder=tmp_path)) == status
    assert not (tmp_path / "copied.csv").exists()


def test_a_query_reads_what_is_allowed(tmp_path: Path) -> None:
    assert query(tmp_path, f"FROM '{tmp_path}/other/secret.csv'", "../other") == 0


def test_paths_of_a_query_are_relative_to_its_file(tmp_path: Path) -> None:
    assert query(tmp_path, "FROM read_csv('inside.csv')") == 0


def view(folder: Path, *allow: str) -> dict[str, Any]:
    """A configuration of a view that reads a file of another folder than the configuration's."""
    (folder / "other").mkdir()
    (folder / "other" / "secret.csv").write_text("x,y\na,1\na,1\n")
    path = database(folder / "in.db", f"CREATE VIEW v AS FROM read_csv('{folder}/other/secret.csv')")
    return simple({"database": str(path), "table": "v", "allow": list(allow)}, folder / "out.csv", "x")


def test_a_view_reads_no_other_folder(tmp_path: Path) -> None:
    config = view(tmp_path)
    with pytest.raises(EngineError, match=r"other/secret\.csv, which is not in the .*; add it to source\.allow"):
        kanon_sql.run(config)
    # Whether the file is there is not told either: nothing opened it.
    (tmp_path / "other" / "secret.csv").unlink()
    with pytest.raises(EngineError, match=r"add it to source\.allow"):
        kanon_sql.run(config)


@pytest.mark.few(1)
@pytest.mark.parametrize("place", ["other", "other/secret.csv"])
def test_a_view_reads_what_is_allowed(tmp_path: Path, place: str) -> None:
    kanon_sql.run(view(tmp_path, str(tmp_path / place)))
    assert records(tmp_path / "out.csv")[1:] == [["a", "1"], ["a", "1"]]


def test_a_view_reads_the_folder_of_the_configuration(tmp_path: Path) -> None:
    config = view(tmp_path)
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    kanon_sql.run(str(tmp_path / "c.yaml"))
    assert len(records(tmp_path / "out.csv")) == 3


def test_a_query_reads_no_other_folder_while_it_is_bound(tmp_path: Path) -> None:
    """Whether the file is there would else show in what is said."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "c.yaml").write_text(
        yaml.safe_dump(simple({"query": f"FROM '{tmp_path}/none.csv'"}, tmp_path / "out.csv", "x"))
    )
    with pytest.raises(EngineError, match=r"none\.csv, which is not in the"):
        kanon_sql.run(str(tmp_path / "here" / "c.yaml"))


def test_nothing_behind_a_query_is_run(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,y\na,1\n")
    text = f"SELECT * FROM '{tmp_path}/in.csv'; COPY (SELECT 1) TO '{tmp_path}/copied.csv'"
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(simple({"query": text}, tmp_path / "out.csv", "x")))
    assert status_of(str(tmp_path / "c.yaml")) == 2
    assert not (tmp_path / "copied.csv").exists()


@pytest.mark.parametrize("place", ["pipe.csv", ".", "socket", "/dev/zero"])
def test_a_stream_is_no_source(tmp_path: Path, place: str) -> None:
    """A pipe that nobody writes to would be waited for without end."""
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "in.csv").write_text("x,y\na,1\n")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        with pytest.raises(EngineError, match="is a pipe, a socket or a device"):
            kanon_sql.run(simple(tmp_path / place, tmp_path.parent / "out.csv", "x"))


def test_a_stream_is_no_database(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.db")
    with pytest.raises(EngineError, match="no such database file"):
        kanon_sql.run(simple({"database": str(tmp_path / "in.db"), "table": "t"}, tmp_path / "out.csv", "x"))
