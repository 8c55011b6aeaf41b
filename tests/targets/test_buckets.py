"""Files in buckets and on web servers as sources, files in buckets as targets."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest
from buckets import ACCESS, AZURITE, MISSING, azure_server, bucket_server, web_server
from lake_tables import POSITIONS, delete_from_iceberg, iceberg_catalog
from tables import configuration, simple, smallest_class, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, EngineError, ReleasedError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.folder_tables import logs_around
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.targets.opening import open_sink


def real_bucket(test: Callable[..., None]) -> Any:
    """A test of a real server, where it and DuckDB's extension are installed."""
    missing = pytest.mark.skipif(bool(MISSING), reason=f"No module named {', '.join(MISSING)}: .[lake,buckets]")
    return pytest.mark.lake(missing(test))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with bucket_server() as url:
        yield url


@pytest.fixture
def bucket(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The empty bucket "clinic", as boto3 has it."""
    import boto3  # type: ignore[import-not-found,import-untyped,unused-ignore]

    for name, value in {**ACCESS, "AWS_ENDPOINT_URL": address}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    clinic = boto3.resource("s3", endpoint_url=address, region_name="us-east-1").Bucket("clinic")
    clinic.create()
    yield clinic
    clinic.objects.all().delete()


def put(bucket: Any, key: str, path: Path) -> str:
    bucket.put_object(Key=key, Body=path.read_bytes())
    return f"s3://clinic/{key}"


@real_bucket
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_release_from_bucket_to_bucket(bucket: Any, tmp_path: Path, suffix: str) -> None:
    url = put(bucket, f"in/people{suffix}", write(tmp_path / f"people{suffix}"))
    target = f"s3://clinic/out/release{suffix}"
    config = configuration(url, target)
    result = kanon_sql.run(config, report=tmp_path / "report.json", html=tmp_path / "page.html")
    bucket.download_file(f"out/release{suffix}", str(tmp_path / f"release{suffix}"))
    assert smallest_class(f"'{tmp_path}/release{suffix}'") >= 5
    assert result.report["source"]["table"] == url and result.report["release"]["target"] == target
    assert result.report["release"]["sha256"] == _sha256(tmp_path / f"release{suffix}")
    written = (tmp_path / "report.json").read_text() + (tmp_path / "page.html").read_text()
    assert ACCESS["AWS_SECRET_ACCESS_KEY"] not in written and ACCESS["AWS_ACCESS_KEY_ID"] not in written
    assert target in (tmp_path / "page.html").read_text(), "the recounts read the release where it is"
    assert kanon_sql.risk(config)["after"] is not None and len(result.df()) == result.released
    with pytest.raises(ConfigurationError, match=r"release\.\w+ exists already; name another target or set overwrite"):
        kanon_sql.run(config)
    config["target"] = {"path": target, "overwrite": True}
    assert kanon_sql.run(config).status == "released"


@real_bucket
@pytest.mark.parametrize("scheme", ["gs", "s3"])
def test_credentials_that_duckdb_stores(
    scheme: str, bucket: Any, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of Google's protocol name this server here: of Google's own none is reached."""
    for name in (*ACCESS, "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    kind = {"gs": "gcs"}.get(scheme, scheme)
    spec = find_spec("duckdb_extension_httpfs")
    assert spec is not None and spec.submodule_search_locations
    (extension,) = Path(spec.submodule_search_locations[0]).rglob("*.duckdb_extension")
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(
            f"CREATE PERSISTENT SECRET (TYPE {kind}, KEY_ID '{ACCESS['AWS_ACCESS_KEY_ID']}', "
            f"SECRET '{ACCESS['AWS_SECRET_ACCESS_KEY']}', ENDPOINT '{address.partition('//')[2]}', "
            "URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')"
        )
    put(bucket, "people.csv", write(tmp_path / "people.csv"))
    target = {"path": f"{scheme}://clinic/out.csv", "overwrite": True}
    config = configuration(f"{scheme}://clinic/people.csv", target)
    for number in (1, 2):
        result = kanon_sql.run(config, report=tmp_path / "report.json")
        assert result.report["release"]["target"] == f"{scheme}://clinic/out.csv"
        assert any("versions" in warning for warning in result.report["warnings"]) == (number == 2)
    bucket.download_file("out.csv", str(tmp_path / "out.csv"))
    assert smallest_class(f"'{tmp_path}/out.csv'") >= 5
    assert ACCESS["AWS_SECRET_ACCESS_KEY"] not in (tmp_path / "report.json").read_text()
    with pytest.raises(EngineError) as raised:
        kanon_sql.run(configuration(f"{scheme}://clinic/nobody.csv", "x.csv"))
    assert ACCESS["AWS_SECRET_ACCESS_KEY"] not in str(raised.value)


@real_bucket
def test_versions_that_a_bucket_keeps_are_spoken_of(bucket: Any, tmp_path: Path) -> None:
    """The command of the warning is the one that removes what was there before."""
    client = bucket.meta.client
    client.put_bucket_versioning(Bucket="clinic", VersioningConfiguration={"Status": "Enabled"})
    bucket.put_object(Key="a release's.csv", Body=b"earlier")
    config = configuration(
        str(write(tmp_path / "people.csv")), {"path": "s3://clinic/a release's.csv", "overwrite": True}
    )
    result = kanon_sql.run(config)
    (warning_told,) = [warning for warning in result.report["warnings"] if "versions" in warning]
    words = shlex.split(re.search(r"aws s3api (delete-object .*) removes one", warning_told)[1])  # type: ignore[index]
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options == {"--bucket": "clinic", "--key": "a release's.csv", "--version-id": "ID"}
    kept = client.list_object_versions(Bucket="clinic", Prefix=options["--key"])["Versions"]
    assert len(kept) == 2
    config["target"]["allow_remanence"] = True
    assert not [warning for warning in kanon_sql.run(config).report["warnings"] if "versions" in warning]
    config["target"] = {"path": "s3://clinic/other.csv", "overwrite": True}
    assert not [warning for warning in kanon_sql.run(config).report["warnings"] if "versions" in warning]
    bucket.object_versions.all().delete()
    client.put_bucket_versioning(Bucket="clinic", VersioningConfiguration={"Status": "Suspended"})


def _sha256(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


@real_bucket
def test_folders_and_patterns(bucket: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "people", options="FORMAT parquet, PARTITION_BY (sex)")
    for file in folder.rglob("*.parquet"):
        put(bucket, f"people/{file.relative_to(folder)}", file)
    assert (
        kanon_sql.run(configuration("s3://clinic/people/", str(tmp_path / "whole.parquet"))).report["rows"]["source"]
        == 300
    )
    config = configuration("s3://clinic/people/sex=f/*.parquet", str(tmp_path / "part.parquet"))
    del config["quasi_identifiers"]["sex"]
    assert 100 < kanon_sql.run(config).report["rows"]["source"] < 200
    with pytest.raises(EngineError, match=r"s3://clinic/nobody/\*\.parquet"):
        kanon_sql.run(configuration("s3://clinic/nobody/*.parquet", str(tmp_path / "none.parquet")))


@real_bucket
@pytest.mark.parametrize("key", ["people/../../out.csv", "people/a\\..\\out.csv"])
def test_a_name_that_leads_out_of_the_folder_is_refused(bucket: Any, tmp_path: Path, key: str) -> None:
    put(bucket, "people/in.csv", write(tmp_path / "people.csv"))
    bucket.put_object(Key=key, Body=(tmp_path / "people.csv").read_bytes())
    with pytest.raises(EngineError, match=r"is none of a file|404"):
        kanon_sql.run(configuration("s3://clinic/people/", str(tmp_path / "release.csv")))
    assert not list(tmp_path.rglob("out.csv"))


@real_bucket
def test_a_large_parquet_file_is_written_anew_on_its_way(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = put(bucket, "people.parquet", write(tmp_path / "people.parquet"))
    monkeypatch.setattr("kanon_sql.source.remote.WHOLE", 1_000)
    monkeypatch.setattr("kanon_sql.targets.remote.WHOLE", 1_000)
    result = kanon_sql.run(configuration(url, "s3://clinic/release.parquet"))
    bucket.download_file("release.parquet", str(tmp_path / "release.parquet"))
    assert smallest_class(f"'{tmp_path}/release.parquet'") >= 5
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT count(*) FROM '{tmp_path}/release.parquet'").fetchall()
    assert rows == [(result.released,)]
    folder = write(tmp_path / "people", options="FORMAT parquet, PARTITION_BY (sex)")
    for file in folder.rglob("*.parquet"):
        put(bucket, f"people/{file.relative_to(folder)}", file)
    whole = kanon_sql.run(configuration("s3://clinic/people/", str(tmp_path / "whole.parquet")))
    assert whole.report["rows"]["source"] == 300


@real_bucket
def test_an_upload_that_does_not_arrive_is_no_release(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = str(write(tmp_path / "people.csv"))
    with pytest.raises(EngineError, match=r"s3://nowhere/release\.csv: .*404"):
        kanon_sql.run(configuration(people, "s3://nowhere/release.csv"))
    monkeypatch.setattr("kanon_sql.targets.remote._digest", lambda engine, query, url: "another")
    with pytest.raises(ReleasedError, match=r"holds something else than was verified; remove it"):
        kanon_sql.run(configuration(people, "s3://clinic/release.csv"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with pytest.raises(EngineError, match=r"s3://clinic/release\.csv: .*"):
        kanon_sql.run(configuration(people, "s3://clinic/release.csv"))


def status(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*words])
    return int(ended.value.code or 0)


@real_bucket
def test_a_web_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = write(tmp_path / "people.csv").read_bytes()
    with web_server(content) as address:
        url = f"{address.replace('//', '//me:pa55w0rd@')}/people.csv?signature=t0ken"
        (tmp_path / "config.json").write_text(json.dumps(configuration(url, str(tmp_path / "release.csv"))))
        words = ["run", str(tmp_path / "config.json"), "--report", str(tmp_path / "report.json")]
        assert status(*words, "--html", str(tmp_path / "page.html")) == 0
    assert smallest_class(f"'{tmp_path}/release.csv'") >= 5
    captured = capsys.readouterr()
    written = (
        captured.out + captured.err + (tmp_path / "page.html").read_text() + (tmp_path / "report.json").read_text()
    )
    assert "pa55w0rd" not in written and "t0ken" not in written and re.search(r"127\.0\.0\.1:\d+/people\.csv", written)
    for fault in ("503", "cut"):
        with web_server(content, fault) as address:
            url = f"{address}/people.csv?signature=t0ken"
            (tmp_path / "config.json").write_text(json.dumps(configuration(url, str(tmp_path / f"{fault}.csv"))))
            assert status(*words[:2]) == 3
            said = capsys.readouterr().err
            assert f"{address}/people.csv" in said and "t0ken" not in said and "Traceback" not in said
            assert not (tmp_path / f"{fault}.csv").exists()


AZURE = "AZURE_STORAGE_CONNECTION_STRING"
azure = pytest.mark.skipif(
    find_spec("duckdb_extension_azure") is None, reason="No module named duckdb_extension_azure: .[lake]"
)


@pytest.mark.lake
@azure
@pytest.mark.slow
@pytest.mark.skipif(AZURITE is None, reason="no azurite-blob: npm install azurite, or KANON_SQL_TEST_AZURITE")
def test_a_release_from_container_to_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with azure_server("clinic") as connection:
        monkeypatch.setenv(AZURE, connection)
        target = "az://clinic/out/release.parquet"
        assert kanon_sql.run(configuration(str(write(tmp_path / "people.csv")), target)).status == "released"
        with pytest.raises(ConfigurationError, match=r"az://clinic/out/release\.parquet exists already"):
            kanon_sql.run(configuration(str(tmp_path / "people.csv"), target))
        first = simple(target, tmp_path / "again.parquet", "sex")
        assert kanon_sql.run(first, advice=False).status == "released"
        again = simple("az://clinic/out/*.parquet", {"path": target, "overwrite": True}, "sex")
        assert kanon_sql.run(again, advice=False).report["source"]["table"].startswith("az://")
        with pytest.raises(EngineError, match=r"az://clinic/nothing\.csv"):
            kanon_sql.run(configuration("az://clinic/nothing.csv", str(tmp_path / "release.csv")))


@pytest.mark.lake
@azure
@pytest.mark.parametrize(
    "connection", ["", "AccountName=a;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:1/a;", "k3y"]
)
def test_a_container_that_is_not_reached(connection: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AZURE, connection)
    for source, target in (
        ("az://clinic/people.csv", str(tmp_path / "release.csv")),
        (str(write(tmp_path / "people.csv")), "az://clinic/release.csv"),
    ):
        with pytest.raises(EngineError, match=r"az://clinic/[a-z]+\.csv|the engine (failed|refused)") as error:
            kanon_sql.run(configuration(source, target))
        assert "c2VjcmV0" not in str(error.value) and "k3y" not in str(error.value)


@real_bucket
@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("pyiceberg", "deltalake")), reason="No module named pyiceberg or deltalake"
)
def test_tables_of_iceberg_and_delta_in_a_bucket(bucket: Any, address: str, tmp_path: Path) -> None:
    """Rows that were deleted are read neither by the log nor as files that lie there."""
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    rows = pa.table({"name": list("abcdef"), "n": [1, 2, 3, 4, 5, 6]})
    options = {**ACCESS, "AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true", "AWS_S3_ALLOW_UNSAFE_RENAME": "true"}
    delta = "s3://clinic/lake/odd name/people"
    write_deltalake(delta, rows, storage_options=options)
    DeltaTable(delta, storage_options=options).delete("n < 3")
    names = {"access-key-id": "AWS_ACCESS_KEY_ID", "secret-access-key": "AWS_SECRET_ACCESS_KEY", "region": "AWS_REGION"}
    properties = {"s3.endpoint": address, **{f"s3.{key}": ACCESS[name] for key, name in names.items()}}
    table = iceberg_catalog(tmp_path / "catalog", "s3://clinic/warehouse", **properties).create_table(
        "clinic.people", schema=rows.schema
    )
    table.append(rows)
    file = next(iter(table.scan().plan_files())).file.file_path
    delete_from_iceberg(table, pa.table({"file_path": [file] * 2, "pos": pa.array([0, 1], pa.int64())}), POSITIONS)
    version = table.metadata_location.rpartition("/")[2]
    for source, called in (
        ({"delta": delta}, f"{delta}, version 1"),
        ({"delta": f"{delta}/"}, f"{delta}/, version 1"),
        ({"iceberg": table.location()}, f"{table.location()}, snapshot "),
        ({"iceberg": table.metadata_location}, f"{table.metadata_location}, snapshot "),
    ):
        with open_engine(EngineOptions()) as engine:
            opened = open_described(engine, SourceConfig(**source), tmp_path, [], "source")
            assert sorted(engine.run(opened.relation)) == [("c", 3), ("d", 4), ("e", 5), ("f", 6)]
            assert opened.label.startswith(called) and not list(engine.own_folder().rglob("*.json"))
    files = [file.key for file in bucket.objects.all() if file.key.endswith(".parquet")]
    urls = [f"{delta}/", f"{delta}/*.parquet", "s3://clinic/lake/", "s3://clinic/lake/*/*/*.parquet", "s3://clinic/**"]
    for url in [*urls, f"{table.location()}/data/*.parquet", *(f"s3://clinic/{key}" for key in files)]:
        with pytest.raises(
            ConfigurationError, match=r"s3://clinic/.*people is a table of .*expected \{.*instead of path"
        ):
            kanon_sql.run(simple(url, tmp_path / "release.csv", "name", "n"))
    for faulty, message in (
        ({"delta": "s3://clinic/nothing"}, r"no file matches s3://clinic/nothing/"),
        ({"iceberg": delta}, r"s3://clinic/lake/odd name/people is no table of Iceberg"),
        ({"iceberg": f"s3://clinic/warehouse/clinic/people/metadata/9{version}"}, r"/9[^/]+ does not exist"),
        ({"delta": "https://example.com/people"}, r"https:// is not reachable from here; expected s3://"),
    ):
        with pytest.raises((ConfigurationError, EngineError), match=message) as error:
            kanon_sql.run(simple(faulty, tmp_path / "release.csv", "name"))
        assert "/tmp" not in str(error.value)
    with pytest.raises(ConfigurationError, match=r"the target lies in the source's folder"):
        kanon_sql.run(simple({"delta": delta}, f"{delta}/release.parquet", "name"))
    put(bucket, "plain/people.csv", write(tmp_path / "people.csv"))
    assert kanon_sql.run(configuration("s3://clinic/plain/*.csv", str(tmp_path / "release.csv"))).status == "released"


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("abfss://box/people.csv", "release.csv", r"abfss:// is not reachable from here; expected s3://"),
        ("people.csv", "https://example.com/release.csv", r"https:// is not reachable from here; expected s3://"),
        ("people.csv", "s3://clinic/release/", r"names no file; expected one"),
        ("people.csv", "s3://clinic/release*.csv", r"names no file; expected one"),
        ("s3://clinic/people.csv", "s3://clinic/people.csv", r"the target is the source itself"),
        ("s3://clinic/people.csv", "in-place", r"s3://clinic/people\.csv is not replaced in place; name another"),
    ],
)
def test_what_cannot_be_reached(
    source: str, target: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv")
    with pytest.raises(ConfigurationError, match=message):
        kanon_sql.run(configuration(source, target))
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize(
    ("source", "lies_within"),
    [
        ({"path": "s3://clinic/people/"}, True),
        ({"path": "s3://clinic/peop"}, False),
        ({"delta": "s3://clinic/people"}, True),
        ({"delta": "s3://clinic/metadata/people"}, False),
        ({"iceberg": "s3://clinic/people/metadata/v2.metadata.json"}, True),
        ({"iceberg": "s3://clinic/people/old/"}, False),
    ],
)
def test_a_target_in_the_folder_of_the_source(source: Any, lies_within: bool) -> None:
    target = "s3://clinic/people/release.doc"  # which tells no format, and is asked for none before
    loaded = from_mapping(configuration(source, target))
    message = "the target lies in the source's folder" if lies_within else "tells no format"
    with open_engine(EngineOptions()) as engine, pytest.raises(ConfigurationError, match=message):  # noqa: SIM117
        with open_sink(engine, loaded):
            pytest.fail("such a target")


@pytest.mark.parametrize(
    ("url", "folders"),
    [
        ("s3://box/people.csv", ["s3://box/"]),
        ("s3://box/a/b/people.csv", ["s3://box/", "s3://box/a/", "s3://box/a/b/"]),
        ("s3://box/a/*.csv", ["s3://box/", "s3://box/a/"]),
        ("s3://box/a/", ["s3://box/", "s3://box/a/", "s3://box/a/**/"]),
        ("az://box/a/*/p.csv", ["az://box/", "az://box/a/", "az://box/a/**/"]),
        (
            "az://me.blob.core.windows.net/box/a/p.csv",
            [f"az://me.blob.core.windows.net/box/{end}" for end in ("", "a/")],
        ),
    ],
)
def test_where_logs_of_tables_are_looked_for(url: str, folders: list[str]) -> None:
    logs = logs_around(url)
    assert [log.removesuffix("_delta_log/*") for log in logs[::2]] == folders
    assert logs[1::2] == [f"{folder}metadata/*.metadata.json*" for folder in folders]


def test_without_the_extension_one_line_says_what_to_do(tmp_path: Path) -> None:
    if find_spec("duckdb_extension_httpfs") is not None:
        pytest.skip("the extension is installed")
    with pytest.raises(ConfigurationError, match=r"needs DuckDB's extension httpfs.*pip install 'kanon-sql\[lake\]'"):
        kanon_sql.run(configuration("s3://clinic/people.csv", str(tmp_path / "release.csv")))
