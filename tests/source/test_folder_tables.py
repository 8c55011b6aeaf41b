"""Tables of Iceberg and Delta as sources, compared with what other readers find in them."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lake_tables import (
    EQUALITY,
    POSITIONS,
    commit_to_delta,
    delete_from_delta,
    delete_from_iceberg,
    folder_of,
    iceberg_catalog,
    metadata_of,
)
from tables import configuration, people, smallest_class, write

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import EngineOptions, open_engine

_PACKAGES = ("duckdb_extension_iceberg", "duckdb_extension_delta", "pyiceberg", "deltalake")
MISSING = [name for name in _PACKAGES if find_spec(name) is None]


def real_tables(test: Callable[..., None]) -> Any:
    """A test of real tables, where DuckDB's extensions and the programs that write them are installed."""
    missing = pytest.mark.skipif(bool(MISSING), reason=f"No module named {', '.join(MISSING)}: .[lake,buckets]")
    return pytest.mark.lake(missing(test))


def read(place: Path | str, kind: str, base: Path = Path(), **more: Any) -> tuple[list[str], list[Any]]:
    """(names, rows in order) of a source, as the program has them."""
    with open_engine(EngineOptions()) as engine:
        source = open_described(engine, SourceConfig(**{kind: str(place)}, **more), base, [], "source")
        rows = engine.connection.sql(source.relation.sql("duckdb")).to_arrow_table()
        names = [column.name for column in source.columns]
        return as_read(rows.rename_columns(names))


def as_read(table: Any) -> tuple[list[str], list[Any]]:
    """(names, rows in order) of a table of Arrow."""
    rows = [tuple(_plain(row[name]) for name in table.column_names) for row in table.to_pylist()]
    return table.column_names, sorted(rows, key=repr)


def _plain(value: Any) -> Any:
    return value.astimezone(datetime.timezone.utc) if isinstance(value, datetime.datetime) and value.tzinfo else value


def numbered(start: int = 0, rows: int = 100) -> Any:
    import pyarrow as pa

    return pa.table({"id": pa.array(range(start, start + rows), pa.int64()), "sex": ["f", "m"] * (rows // 2)})


def of_people() -> Any:
    import pyarrow as pa

    columns = zip(*people(), strict=True)
    return pa.table(dict(zip(("sex", "age", "zip", "diagnosis", "cost"), map(list, columns), strict=True)))


def made_iceberg(folder: Path, rows: Any, name: str = "clinic.people") -> Any:
    table = iceberg_catalog(folder).create_table(name, schema=rows.schema)
    table.append(rows)
    return table


def positions(table: Any, numbers: list[int]) -> Any:
    import pyarrow as pa

    file = sorted((folder_of(table) / "data").glob("0*.parquet"))[0]
    return pa.table({"file_path": [f"file://{file}"] * len(numbers), "pos": pa.array(numbers, pa.int64())})


@real_tables
def test_deleted_rows_of_iceberg_are_gone(tmp_path: Path) -> None:
    import pyarrow as pa

    table = made_iceberg(tmp_path, numbered())
    assert read(metadata_of(table), "iceberg") == as_read(table.scan().to_arrow())
    delete_from_iceberg(table, positions(table, [1, 2, 99]), POSITIONS)
    expected = as_read(table.scan().to_arrow())
    assert len(expected[1]) == 97 and read(metadata_of(table), "iceberg") == expected
    table.delete("id < 10")
    expected = as_read(table.scan().to_arrow())
    assert len(expected[1]) == 89 and read(metadata_of(table), "iceberg") == expected
    delete_from_iceberg(table, pa.table({"id": pa.array([20, 21], pa.int64())}), EQUALITY, [1])
    table.append(numbered(20, 2))
    # No other reader here knows deletes of values: rows that are written later are not meant by them.
    _, rows = read(metadata_of(table), "iceberg")
    assert [row[0] for row in sorted(rows)] == [*range(10, 99)]
    delete_from_iceberg(table, pa.table({"id": pa.array([20, 21], pa.int64())}), EQUALITY, [1])
    _, rows = read(metadata_of(table), "iceberg")
    assert [row[0] for row in sorted(rows)] == [*range(10, 20), *range(22, 99)]


@real_tables
def test_columns_of_iceberg_are_known_by_their_numbers(tmp_path: Path) -> None:
    """Renamed, removed, moved and added, also under the name of a removed one."""
    import pyarrow as pa
    from pyiceberg.types import LongType, StringType

    rows = numbered().append_column("old", pa.array([f"o{i}" for i in range(100)]))
    table = made_iceberg(tmp_path, rows)
    with table.update_schema() as schema:
        schema.rename_column("sex", 'gender of\ta "person\'s"')
        schema.delete_column("old")
    with table.update_schema() as schema:
        schema.add_column("old", StringType())
        schema.add_column(("a.b",), LongType())
        schema.move_first("old")
    assert read(metadata_of(table), "iceberg") == as_read(table.scan().to_arrow())
    names = table.schema().as_arrow().names
    more = pa.table([["new"], [1000], ["x"], [5]], names=[names[0], names[1], names[2], names[3]])
    table.append(more.cast(table.schema().as_arrow()))
    expected = as_read(table.scan().to_arrow())
    assert read(metadata_of(table), "iceberg") == expected
    assert expected[0] == names and sum(row[0] == "new" for row in expected[1]) == 1
    assert {row[0] for row in expected[1]} == {None, "new"}


@real_tables
def test_partitions_of_iceberg(tmp_path: Path) -> None:
    """By a value, by a part of it and by hashes; after a change of them, too."""
    import pyarrow as pa
    from pyiceberg.transforms import BucketTransform, IdentityTransform, TruncateTransform

    rows = numbered().append_column("city", pa.array(["a/b", "50% c", None, "é=ü", ""] * 20))
    table = iceberg_catalog(tmp_path).create_table("clinic.parts", schema=rows.schema)
    with table.update_spec() as spec:
        spec.add_field("city", IdentityTransform())
    table.append(rows)
    with table.update_spec() as spec:
        spec.remove_field("city")
        spec.add_field("sex", TruncateTransform(1))
        spec.add_field("id", BucketTransform(3))
    table.append(rows)
    table.delete("id < 10")
    expected = as_read(table.scan().to_arrow())
    assert len(expected[1]) == 180 and read(metadata_of(table), "iceberg") == expected


def typed() -> Any:
    """Values of many types, with NULLs."""
    import pyarrow as pa

    moment = datetime.datetime(2026, 3, 29, 2, 30, 0, 123456)
    return pa.table(
        {
            "yes": [True, None],
            "small": pa.array([1, None], pa.int32()),
            "amount": pa.array([decimal.Decimal("12345678901234.5678"), None], pa.decimal128(38, 4)),
            "day": [datetime.date(1600, 2, 29), None],
            "local": pa.array([moment, None], pa.timestamp("us")),
            "moment": pa.array([moment, None], pa.timestamp("us", "UTC")),
            "number": [0.1, None],
            "bytes": pa.array([b"\x00\xff", None], pa.binary()),
            "list": pa.array([["a", None], None], pa.list_(pa.string())),
            "parts": pa.array([{"x": 1, "y z": "b"}, None], pa.struct([("x", pa.int64()), ("y z", pa.string())])),
        }
    )


@real_tables
def test_types_and_empty_tables(tmp_path: Path) -> None:
    from deltalake import DeltaTable, write_deltalake

    rows = typed()
    table = made_iceberg(tmp_path, rows)
    assert read(metadata_of(table), "iceberg") == as_read(table.scan().to_arrow())
    write_deltalake(str(tmp_path / "delta"), rows)
    assert read(tmp_path / "delta", "delta") == as_read(DeltaTable(str(tmp_path / "delta")).to_pyarrow_table())
    empty = iceberg_catalog(tmp_path).create_table("clinic.empty", schema=rows.schema)
    assert read(metadata_of(empty), "iceberg") == (rows.column_names, [])
    write_deltalake(str(tmp_path / "empty"), rows.slice(0, 0))
    assert read(tmp_path / "empty", "delta") == (rows.column_names, [])


@real_tables
def test_files_that_were_added_to_iceberg_as_they_are(tmp_path: Path) -> None:
    """Their columns have no numbers: the table says which names mean which."""
    import pyarrow.parquet as pq

    table = made_iceberg(tmp_path, numbered())
    file = folder_of(table) / "data" / "added.parquet"
    pq.write_table(numbered(500).select(["sex", "id"]), file)
    table.add_files([f"file://{file}"])
    expected = as_read(table.scan().to_arrow())
    assert len(expected[1]) == 200 and read(metadata_of(table), "iceberg") == expected


@real_tables
def test_which_metadata_file_a_folder_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = made_iceberg(tmp_path, numbered())
    older = metadata_of(table)
    table.append(numbered(100))
    folder, newest = folder_of(table), metadata_of(table)
    monkeypatch.chdir(tmp_path)
    assert len(read(folder, "iceberg")[1]) == len(read(folder.relative_to(tmp_path), "iceberg")[1]) == 200
    (folder / "metadata" / "version-hint.text").write_text(older.name.removesuffix(".metadata.json"))
    assert len(read(folder, "iceberg")[1]) == 100
    shutil.copy(newest, folder / "metadata" / "v7.metadata.json")
    (folder / "metadata" / "version-hint.text").write_text("7\n")
    assert len(read(folder, "iceberg")[1]) == 200
    (folder / "metadata" / "version-hint.text").write_text("8")
    with pytest.raises(EngineError, match=r"names '8', of which there is no metadata file; name that file itself"):
        read(folder, "iceberg")
    (folder / "metadata" / "version-hint.text").unlink()
    (folder / "metadata" / "v7.metadata.json").unlink()
    packed = folder / "metadata" / "v9.gz.metadata.json"
    packed.write_bytes(gzip.compress(newest.read_bytes()))
    assert len(read(folder, "iceberg")[1]) == 200
    packed.unlink()
    # As after a commit that another one was faster than: the file is there, and no catalog names it.
    shutil.copy(newest, folder / "metadata" / "00002-0.metadata.json")
    with pytest.raises(ConfigurationError, match=r"is committed, the catalog of the table knows alone; name the file"):
        read(folder, "iceberg")
    assert len(read(newest, "iceberg")[1]) == 200


@real_tables
@pytest.mark.parametrize("name", ["moved", "odd [1] *? {é}"])
def test_a_table_in_another_place_than_it_was_written_in(name: str, tmp_path: Path) -> None:
    from deltalake import write_deltalake

    table = made_iceberg(tmp_path, numbered())
    delete_from_iceberg(table, positions(table, [1, 2]), POSITIONS)
    # The old place holds other rows, which are not those of the copy.
    shutil.copytree(folder_of(table), tmp_path / name / "iceberg")
    for file in (folder_of(table) / "data").iterdir():
        file.write_bytes(b"other")
    moved = tmp_path / name / "iceberg"
    assert len(read(moved, "iceberg")[1]) == 98
    assert len(read(moved / "metadata" / metadata_of(table).name, "iceberg")[1]) == 98
    write_deltalake(str(tmp_path / "delta"), numbered())
    (tmp_path / "delta").rename(tmp_path / name / "delta")
    assert len(read(tmp_path / name / "delta", "delta")[1]) == 100


@real_tables
def test_a_table_that_names_files_elsewhere(tmp_path: Path) -> None:
    """A table may be written by somebody else than who reads it: it is no way to other files of the reader."""
    import pyarrow.parquet as pq
    from deltalake import write_deltalake

    secret = tmp_path / "secret"
    secret.mkdir()
    table = made_iceberg(tmp_path / "lake", numbered())
    pq.write_table(numbered(500), secret / "rows.parquet")
    table.add_files([f"file://{secret}/rows.parquet"])
    with pytest.raises(ConfigurationError, match=r"reads \S*secret/rows.parquet, which is not in its folder .*allow"):
        read(metadata_of(table), "iceberg")
    assert len(read(metadata_of(table), "iceberg", allow=[str(secret)])[1]) == 200
    escaping = made_iceberg(tmp_path / "lake", numbered(), "clinic.other")
    escaping.add_files([f"file://{folder_of(escaping)}/data/../../../../../secret/rows.parquet"])
    with pytest.raises(ConfigurationError, match=r"rows.parquet, which is not in its folder"):
        read(metadata_of(escaping), "iceberg")
    folder = tmp_path / "delta"
    write_deltalake(str(folder), numbered())
    for path in (f"file://{secret}/rows.parquet", "../secret/rows.parquet", str(secret / "rows.parquet")):
        size = (secret / "rows.parquet").stat().st_size
        add = {"path": path, "partitionValues": {}, "size": size, "modificationTime": 0, "dataChange": True}
        file = commit_to_delta(folder, [{"add": add}])
        with pytest.raises((ConfigurationError, EngineError), match=r"^source: "):
            read(folder, "delta")
        file.unlink()
    assert len(read(folder, "delta")[1]) == 100


@real_tables
def test_deleted_rows_of_delta_are_gone(tmp_path: Path) -> None:
    from deltalake import DeltaTable, write_deltalake

    folder = tmp_path / "people"
    write_deltalake(str(folder), numbered())
    write_deltalake(str(folder), numbered(100), mode="append")
    DeltaTable(str(folder)).delete("id < 10")
    assert read(folder, "delta") == as_read(DeltaTable(str(folder)).to_pyarrow_table())
    DeltaTable(str(folder)).create_checkpoint()
    for file in (folder / "_delta_log").glob("*.json"):
        file.unlink()
    assert read(folder, "delta") == as_read(DeltaTable(str(folder)).to_pyarrow_table())
    vectors = tmp_path / "vectors"
    write_deltalake(str(vectors), numbered())
    (file,) = vectors.glob("*.parquet")
    delete_from_delta(vectors, {file.name: [1, 2, 99]})
    # No other reader here knows deletion vectors.
    assert [row[0] for row in sorted(read(vectors, "delta")[1])] == [0, *range(3, 99)]


@real_tables
def test_columns_and_partitions_of_delta(tmp_path: Path) -> None:
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    rows = numbered().append_column("the city", pa.array(["a/b", "50% c", None, "é=ü", "x y"] * 20))
    rows = rows.append_column("day", pa.array([datetime.date(2026, 1, 1 + i % 3) for i in range(100)]))
    write_deltalake(str(tmp_path / "parts"), rows, partition_by=["the city", "day"])
    names, expected = as_read(DeltaTable(str(tmp_path / "parts")).to_pyarrow_table())
    read_names, read_rows = read(tmp_path / "parts", "delta")
    order = [read_names.index(name) for name in names]
    assert sorted((tuple(row[place] for place in order) for row in read_rows), key=repr) == expected
    # A column that was renamed: the log has its name, the files another one.
    renamed = tmp_path / "renamed"
    write_deltalake(str(renamed), numbered())
    (log,) = (renamed / "_delta_log").glob("*.json")
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    (meta,) = (action["metaData"] for action in actions if "metaData" in action)
    schema = json.loads(meta["schemaString"])
    for number, field in enumerate(schema["fields"], 1):
        field["metadata"] = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": field["name"]}
    schema["fields"][1]["name"] = "gender"
    meta |= {"schemaString": json.dumps(schema)}
    meta["configuration"] = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    commit_to_delta(renamed, [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}, {"metaData": meta}])
    assert read(renamed, "delta") == (["id", "gender"], as_read(numbered())[1])


@real_tables
@pytest.mark.parametrize("kind", ["iceberg", "delta"])
def test_a_release_is_of_one_snapshot(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are added during the run are not of it; files that are changed while they are read are found out."""
    from deltalake import write_deltalake

    rows = of_people()
    if kind == "iceberg":
        table = made_iceberg(tmp_path / "lake", rows)
        folder, snapshot = metadata_of(table), f"snapshot {table.current_snapshot().snapshot_id}"
    else:
        folder, snapshot = tmp_path / "people", "version 0"
        write_deltalake(str(folder), rows)

    def add() -> None:
        if kind == "iceberg":
            table.append(rows)
        else:
            write_deltalake(str(folder), rows, mode="append")

    from kanon_sql.search import prepare

    plain = prepare.prepare_search

    def later(*given: Any, **more: Any) -> Any:
        add()
        return plain(*given, **more)

    monkeypatch.setattr("kanon_sql.commands.run.pipeline.prepare_search", later)
    config = configuration({kind: str(folder)}, str(tmp_path / "release.parquet"))
    result = kanon_sql.run(config, report=tmp_path / "report.json", html=tmp_path / "page.html")
    assert result.report["source"]["snapshot"] == snapshot and result.report["rows"]["source"] == 300
    assert (
        result.report["source"]["table"] == f"{folder}, {snapshot}" and snapshot in (tmp_path / "page.html").read_text()
    )
    assert smallest_class(f"'{tmp_path}/release.parquet'") >= 5
    monkeypatch.undo()
    from kanon_sql.source import folder_tables, remote

    copy = remote.copy_rows

    def changed(*given: Any, **more: Any) -> None:
        copy(*given, **more)
        for file in [*(tmp_path / "lake").rglob("data/*.parquet"), *(tmp_path / "people").glob("*.parquet")]:
            file.write_bytes(file.read_bytes())

    monkeypatch.setattr(folder_tables, "copy_rows", changed)
    config["target"] = str(tmp_path / "other.parquet")
    with pytest.raises(EngineError, match=r"was changed by another program during the run: run again"):
        kanon_sql.run(config)
    assert not (tmp_path / "other.parquet").exists()


@real_tables
def test_other_commands_read_them_too(tmp_path: Path) -> None:
    from deltalake import write_deltalake

    write_deltalake(str(tmp_path / "people"), of_people())
    config = configuration({"delta": "people"}, "release.parquet", releases={"path": "ledger.json"})
    (tmp_path / "config.json").write_text(json.dumps(config))
    kanon_sql.run(tmp_path / "config.json", lineage=str(tmp_path / "events"))
    assert f'"name": "{tmp_path}/people"' in (tmp_path / "events").read_text()
    assert kanon_sql.risk(tmp_path / "config.json")["after"] is not None
    assert kanon_sql.check(tmp_path / "config.json", tmp_path / "release.parquet")["status"] == "satisfied"


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ({"iceberg": "iceberg"}, "in-place", r"a table of Iceberg is not replaced in place: .*name a file or a table"),
        ({"delta": "delta"}, "in-place", r"a table of Delta is not replaced in place: .*remove the folder"),
        ({"delta": "delta"}, "delta/release.csv", r"the target lies in the source's folder"),
        ("delta", "release.csv", r"delta is a table of Delta, .* expected \{delta: delta\} instead of path"),
        ("iceberg", "release.csv", r"iceberg is a table of Iceberg, .* expected \{iceberg: iceberg\} instead"),
        (
            "iceberg/data",
            "release.csv",
            r"/iceberg is a table of Iceberg, .* expected \{iceberg: \S*/iceberg\} instead",
        ),
        ("delta/*.parquet", "release.csv", r"delta is a table of Delta, .* expected \{delta: \S*delta\} instead"),
        ("**/*.parquet", "release.csv", r"is a table of \w+, whose files hold rows that were deleted"),
        (".", "release.csv", r"is a table of \w+, whose files hold rows that were deleted"),
        ("delta/people.parquet", "release.csv", r"delta is a table of Delta, .* expected \{delta: \S*delta\} instead"),
        ("linked", "release.csv", r"iceberg is a table of Iceberg, .* expected \{iceberg: \S*iceberg\} instead"),
        ("linked/*.parquet", "release.csv", r"iceberg is a table of Iceberg"),
        (
            {"iceberg": "iceberg/metadata/v1.metadata.json"},
            "iceberg/data/people.parquet",
            r"the target lies in the source's folder",
        ),
        ({"delta": "plain"}, "release.csv", r"plain is no table of Delta, it holds no _delta_log"),
        ({"iceberg": "plain"}, "release.csv", r"plain is no table of Iceberg, it holds no metadata/"),
        ({"iceberg": "newer"}, "release.csv", r"is of version 3 of Iceberg; expected 1 or 2"),
        (
            {"delta": "per%41cent"},
            "release.csv",
            r"the path of per%41cent holds %, by which the engine looks elsewhere",
        ),
        ({"delta": "https://clinic/people"}, "release.csv", r"https:// is not reachable from here; expected s3://"),
        ({"delta": "delta", "iceberg": "iceberg"}, "release.csv", r"expected only one of path, table, query, iceberg"),
        ({"delta": "delta", "database": "x"}, "release.csv", r"database does not go with delta; remove it"),
        ({"delta": "delta", "allow": ["x"]}, "release.csv", r"allow does not go with delta; remove it"),
        ({"delta": "delta", "encoding": "utf-8"}, "release.csv", r"encoding goes with path; remove it"),
    ],
)
def test_what_is_refused(
    source: Any, target: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("delta/_delta_log", "per%41cent/_delta_log", "iceberg/metadata", "newer/metadata", "plain"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "iceberg" / "data").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "iceberg" / "data")
    for folder in ("delta", "iceberg", "iceberg/data", "plain"):
        write(tmp_path / folder / "people.parquet")
    for folder in ("delta", "per%41cent"):
        (tmp_path / folder / "_delta_log" / f"{0:020}.json").write_text("{}")
    for folder, version in (("iceberg", 2), ("newer", 3)):
        said = {"format-version": version, "location": f"file://{tmp_path}/{folder}", "schemas": []}
        (tmp_path / folder / "metadata" / "v1.metadata.json").write_text(json.dumps(said))
    with pytest.raises(ConfigurationError, match=message):
        kanon_sql.run(configuration(source, target))


def test_faults_of_metadata(tmp_path: Path) -> None:
    (tmp_path / "metadata").mkdir()
    damaged = b'{"location": "x", "format-version": 2, "schemas": {"a": 1}}'
    for content in (b"", b"{", b"[]", b'{"x": 1}', b"\x1f\x8b\x00", damaged):
        (tmp_path / "metadata" / "v1.metadata.json").write_bytes(content)
        with pytest.raises(EngineError, match=r"metadata"):
            read(tmp_path, "iceberg")
    for kind in ("iceberg", "delta"):
        with pytest.raises(EngineError, match=r"nowhere does not exist; expected the folder of a table of"):
            read("nowhere", kind, tmp_path)


def test_without_the_extensions_one_line_says_what_to_do(tmp_path: Path) -> None:
    if find_spec("duckdb_extension_delta") is not None:
        pytest.skip("the extension is installed")
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / f"{0:020}.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"needs DuckDB's extension delta.*pip install 'kanon-sql\[lake\]'"):
        read(tmp_path, "delta")
