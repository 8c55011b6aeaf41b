"""The plugin of dbt-duckdb: on a connection like dbt's, and inside a real dbt, with a lake as the target too."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
import yaml
from dbt_projects import DBT, dbt, project, real_dbt
from lakes import PACKAGE, opened
from tables import configuration, smallest_class, write

import kanon_sql
from kanon_sql.errors import VerificationError

RAW = "select * from read_parquet('raw.parquet')"
LOCATION = "target/kanon_sql/people.parquet"


class Stored:
    """A project's folder in which dbt-duckdb has written a model's rows and calls the plugin to store them."""

    def __init__(self, folder: Path, connection: duckdb.DuckDBPyConnection, plugin: Any) -> None:
        self.folder, self.connection, self.plugin = folder, connection, plugin

    def store(self, rows: str = RAW, location: str = LOCATION, file_format: str = "parquet", **config: Any) -> None:
        """What the materialization does, up to the plugin; `config` is that of the model."""
        self.connection.execute(f"COPY ({rows}) TO '{location}' (FORMAT {file_format})")
        reader = f"read_{file_format}('{location}')"
        self.connection.execute(f"CREATE OR REPLACE VIEW people AS SELECT * FROM {reader}")
        relation = SimpleNamespace(identifier="people", schema="main", database="hospital")
        place = SimpleNamespace(path=location, format=file_format)
        self.plugin.store(
            SimpleNamespace(relation=relation, location=place, config={"config": "people.yaml", **config})
        )

    def refused(self, **settings: Any) -> str:
        """What the error says; the rows are nowhere then."""
        from dbt_common.exceptions import DbtRuntimeError

        with pytest.raises(DbtRuntimeError) as raised:
            self.store(**settings)
        assert raised.value.__cause__ is None and raised.value.__suppress_context__
        assert not Path(settings.get("location", LOCATION)).exists()
        return " ".join(str(raised.value).split())

    def views(self) -> list[str]:
        rows = self.connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
        return [text for (text,) in rows]


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stored]:
    monkeypatch.chdir(tmp_path)
    from kanon_sql.dbt.plugin import Plugin

    write(tmp_path / "raw.parquet")
    written(tmp_path)
    plugin = Plugin("kanon", {})
    (tmp_path / "database").mkdir(0o700)
    with duckdb.connect(str(tmp_path / "database/hospital.duckdb")) as connection:
        plugin.configure_connection(connection)
        yield Stored(tmp_path, connection, plugin)


def written(folder: Path, target: Any = "release.parquet", **more: Any) -> dict[str, Any]:
    """The configuration of the model, which is written; its source is not read."""
    config = configuration("no such file.csv", target, **more)
    (folder / "people.yaml").write_text(yaml.safe_dump(config))
    return config


def released(folder: Path) -> Counter[Any]:
    """The rows that a plain run releases."""
    target = {"path": str(folder / "run.parquet"), "overwrite": True}
    kanon_sql.run(configuration(str(folder / "raw.parquet"), target))
    return rows_of(f"'{folder / 'run.parquet'}'")


def rows_of(relation: str) -> Counter[Any]:
    with duckdb.connect() as connection:
        return Counter(connection.execute(f"FROM {relation}").fetchall())


@real_dbt
def test_the_release_is_that_of_a_run_and_the_rows_are_nowhere(stored: Stored) -> None:
    assert (stored.folder / "target/kanon_sql").stat().st_mode & 0o777 == 0o700
    for _ in range(2):  # a model is made anew each time
        stored.store()
        assert not Path(LOCATION).exists()
        (view,) = stored.views()
        assert "release.parquet" in view and "kanon_sql/people" not in view
        assert Counter(stored.connection.execute("FROM people").fetchall()) == released(stored.folder)
    assert not stored.connection.execute("FROM duckdb_tables()").fetchall()


@real_dbt
@pytest.mark.parametrize("error", [VerificationError("it differs"), RuntimeError("of the program itself")])
def test_what_does_not_verify_fails_and_leaves_the_earlier_release(
    stored: Stored, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    stored.store()
    before = Path("release.parquet").read_bytes()

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("kanon_sql.commands.run.pipeline.verify", fail)
    with pytest.raises(Exception, match=str(error)):
        stored.store()
    assert not Path(LOCATION).exists()
    assert Path("release.parquet").read_bytes() == before
    (view,) = stored.views()
    assert "release.parquet" in view
    Path("release.parquet").unlink()
    with pytest.raises(Exception, match=str(error)):
        stored.store()
    assert not stored.views() and not Path("release.parquet").exists() and not Path(LOCATION).exists()


@real_dbt
def test_models_whose_rows_others_could_read_are_refused(stored: Stored) -> None:
    stored.folder.chmod(0o755)
    assert "location: people.parquet is in a folder that others may read" in stored.refused(location="people.parquet")
    Path("target/kanon_sql").chmod(0o750)
    assert "its owner alone enters (chmod 700)" in stored.refused()
    Path("target/kanon_sql").chmod(0o700)
    Path("linked").symlink_to("target/kanon_sql")
    stored.store(location="linked/people.parquet")
    assert not Path(LOCATION).exists()
    hook: dict[str, Any] = {"sql": "copy {{ this }} to 'copy.csv'", "transaction": True, "index": 0}
    assert "post_hook: it ran on the model's rows" in stored.refused(**{"post-hook": [hook]})
    later: dict[str, Any] = {"post-hook": [{**hook, "transaction": False}]}
    stored.store(**later)
    assert "format: csv does not keep types" in stored.refused(location="target/kanon_sql/a.csv", file_format="csv")
    written(stored.folder, LOCATION)
    assert "is the location of the model, where its rows stood" in stored.refused()
    assert not stored.views()


@real_dbt
@pytest.mark.parametrize(
    ("target", "said"),
    [
        (None, "expected a Parquet file, or a table of a database"),
        ("in-place", "expected a Parquet file, or a table of a database"),
        ("release.csv", "release.csv: expected a Parquet file of this machine"),
        ("s3://bucket/release.parquet", "expected a Parquet file of this machine"),
        ({"database": "other.duckdb", "table": "people"}, "dbt has not attached other.duckdb; name it under attach"),
    ],
)
def test_releases_that_dbt_could_not_read_are_refused(stored: Stored, target: Any, said: str) -> None:
    written(stored.folder, target)
    assert said in stored.refused()
    assert not stored.views()


@real_dbt
@pytest.mark.parametrize("table", ["people", "Main.PEOPLE"])
def test_the_model_is_no_target_of_itself(stored: Stored, table: str) -> None:
    written(stored.folder, {"database": "database/hospital.duckdb", "table": table})
    assert f"{table} is the model itself, which becomes a view of the release" in stored.refused()
    assert not stored.views() and not stored.connection.execute("FROM duckdb_tables()").fetchall()
    written(stored.folder, {"database": "database/hospital.duckdb", "table": "others.people"})
    stored.connection.execute("CREATE SCHEMA others")
    stored.store()
    assert Counter(stored.connection.execute("FROM others.people").fetchall()) == released(stored.folder)


@real_dbt
def test_a_database_that_others_may_read_is_refused(stored: Stored) -> None:
    said = "keeps the model's rows until they are overwritten, and others may read it"
    folder = stored.folder / "database"
    folder.chmod(0o755)
    file, log = folder / "hospital.duckdb", folder / "hospital.duckdb.wal"
    file.chmod(0o640)
    assert f"{file.name} {said}" in stored.refused()
    file.chmod(0o600)
    stored.connection.execute("CREATE TABLE of_people__dbt_tmp AS SELECT 1")
    log.chmod(0o644)  # which is made with the umask, whatever the mode of the file is
    assert f"{log.name} {said}" in stored.refused()
    assert not stored.views() and not Path("release.parquet").exists()
    log.chmod(0o600)
    stored.store()
    file.chmod(0o644)
    folder.chmod(0o700)
    stored.store()


@real_dbt
@pytest.mark.parametrize(
    "source",
    [
        {"path": "people.xlsx", "sheet": "Patients"},
        {"path": "people.csv", "encoding": "latin-1"},
        {"path": "people.csv", "csv": {"delimiter": ";", "header": True}},
        {"database": "hospital.duckdb", "table": "patients"},
    ],
)
def test_a_source_that_is_not_read_may_be_of_any_kind(stored: Stored, source: dict[str, Any]) -> None:
    config = {**written(stored.folder), "source": source}
    (stored.folder / "people.yaml").write_text(yaml.safe_dump(config))
    stored.store()
    assert Counter(stored.connection.execute("FROM people").fetchall()) == released(stored.folder)


@real_dbt
def test_other_failures_say_why_and_quote_no_values(stored: Stored) -> None:
    assert "the model names no configuration" in stored.refused(config=None)
    assert "missing.yaml" in stored.refused(config="missing.yaml")
    assert "the model has no rows" in stored.refused(rows=f"{RAW} where false")
    written(stored.folder, privacy={"k": 301}, suppression={"limit": 0})
    assert "NoReleaseError: " in stored.refused()
    written(stored.folder, sensitive=["no such column"])
    said = stored.refused()
    assert "UnfittingSourceError: people.yaml" in said and "'no such column'" in said and "flu" not in said


@real_dbt
def test_a_table_of_an_attached_database_is_replaced_or_stays(stored: Stored) -> None:
    stored.connection.execute("ATTACH 'shared.duckdb' AS shared")
    written(stored.folder, {"database": "shared.duckdb", "table": "people"})
    for _ in range(2):
        stored.store()
        assert Counter(stored.connection.execute("FROM shared.people").fetchall()) == released(stored.folder)
    written(stored.folder, {"database": "shared.duckdb", "table": "people"}, privacy={"k": 301})
    assert "NoReleaseError: " in stored.refused()
    assert Counter(stored.connection.execute("FROM people").fetchall()) == released(stored.folder)
    (view,) = stored.views()
    assert "shared" in view


def counted_project(folder: Path, **output: Any) -> Path:
    """A project of which the model `people` is a release, and another model counts its rows."""
    place = project(folder)
    place.joinpath("private").mkdir(0o700)
    (place / "packages.yml").unlink()
    write(place / "raw.parquet")
    plugin = {"module": "kanon_sql.dbt.plugin", "alias": "kanon"}
    outputs = {"dev": {"type": "duckdb", "path": "private/hospital.duckdb", "plugins": [plugin], **output}}
    (place / "profiles.yml").write_text(yaml.safe_dump({"hospital": {"target": "dev", "outputs": outputs}}))
    how = f"config(materialized='external', plugin='kanon', config='people.yaml', location='{LOCATION}')"
    (place / "models/people.sql").write_text(f"{{{{ {how} }}}}\n{RAW}\n")
    (place / "models/counted.sql").write_text("select count(*) as n, min(age) as age from {{ ref('people') }}\n")
    return place


@real_dbt
def test_a_model_in_a_real_dbt(tmp_path: Path) -> None:
    place = counted_project(tmp_path / "project")
    (place / "models/plain.sql").write_text(
        "{{ config(materialized='external', plugin='kanon', config='people.yaml') }} " + RAW
    )
    written(place)
    lines = " ".join(dbt(place, "run", quiet=False, status=1).split())
    assert "OK created sql external model main.people" in lines
    assert "kanon-sql: released 296 of 300 rows to" in lines and "OK created sql view model main.counted" in lines
    # Where nothing says where the rows may stand, they were beside the project, and the model fails.
    assert "ConfigurationError: location: ./plain.parquet is in a folder that others may read" in lines
    assert not (place / "plain.parquet").exists() and not list((place / "target/kanon_sql").iterdir())
    assert rows_of(f"'{place / 'release.parquet'}'") == released(place)
    with duckdb.connect(str(place / "private/hospital.duckdb")) as connection:
        assert connection.execute("SELECT n FROM counted").fetchall() == [(296,)]
    # dbt's own word for the folder of external files says the same for all models.
    outputs = yaml.safe_load((place / "profiles.yml").read_text())
    outputs["hospital"]["outputs"]["dev"]["external_root"] = "target/kanon_sql"
    (place / "profiles.yml").write_text(yaml.safe_dump(outputs))
    dbt(place, "run", "--select", "plain")
    assert not list((place / "target/kanon_sql").iterdir())
    # What cannot be released fails the model and skips those that read it; the earlier release stays.
    before = (place / "release.parquet").read_bytes()
    written(place, privacy={"k": 301}, suppression={"limit": 0})
    lines = " ".join(dbt(place, "run", "--select", "people+", quiet=False, status=1).split())
    assert "NoReleaseError: " in lines and "SKIP relation main.counted" in lines
    assert (place / "release.parquet").read_bytes() == before
    assert not list((place / "target/kanon_sql").iterdir())
    assert smallest_class(f"'{place / 'release.parquet'}'") >= 5


@pytest.mark.lake
@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="No module named DuckLake: .[lake]")
@pytest.mark.skipif(DBT is None, reason="dbt is not installed: pip install 'kanon-sql[dbt]'")
def test_a_lake_is_the_target(tmp_path: Path) -> None:
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.submodule_search_locations is not None
    (extension,) = Path(next(iter(spec.submodule_search_locations))).rglob("ducklake.duckdb_extension")
    with duckdb.connect() as connection:
        ((version, platform),) = connection.execute(
            "SELECT library_version, (SELECT platform FROM pragma_platform()) FROM pragma_version()"
        ).fetchall()
    installed = tmp_path / "extensions" / version / platform
    installed.mkdir(parents=True)
    shutil.copy(extension, installed)
    lake = {"path": "ducklake:shared.ducklake", "alias": "lake"}
    options = {"extension_directory": str(tmp_path / "extensions")}
    place = counted_project(tmp_path / "project", attach=[lake], config_options=options)
    written(place, {"database": "ducklake:shared.ducklake", "table": "people"})
    for _ in range(2):
        dbt(place, "run")
    expected = released(place)
    with opened(place / "shared.ducklake") as connection:
        assert Counter(connection.execute("FROM lake.people").fetchall()) == expected
        # No snapshot has anything but releases.
        assert connection.execute("SELECT count(*) FROM ducklake_snapshots('lake')").fetchall() == [(3,)]
        assert Counter(connection.execute("FROM lake.people AT (VERSION => 1)").fetchall()) == expected
    written(place, {"database": "ducklake:shared.ducklake", "table": "people"}, privacy={"k": 301})
    assert "NoReleaseError" in dbt(place, "run", status=1)
    with opened(place / "shared.ducklake") as connection:
        assert Counter(connection.execute("FROM lake.people").fetchall()) == expected
    # A model of which the rows are in a lake is refused: its snapshots keep them.
    written(place)
    model = place / "models/people.sql"
    model.write_text(model.read_text().replace("config='", "database='lake', config='"))
    said = " ".join(dbt(place, "run", status=1).split())
    assert "database: lake is a lake, whose snapshots keep the model's rows: expire them" in said
    assert not list((place / "target/kanon_sql").iterdir()) and not (place / "release.parquet").exists()
    with opened(place / "shared.ducklake") as connection:
        assert not connection.execute("FROM duckdb_views() WHERE view_name = 'people'").fetchall()
