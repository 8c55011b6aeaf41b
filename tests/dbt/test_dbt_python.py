"""The helper for Python models: on a connection like dbt's, and inside a real dbt."""

from __future__ import annotations

import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from dbt_projects import dbt, project, real_dbt
from tables import configuration, fill_table, write

import kanon_sql
from kanon_sql.dbt import anonymize
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError


class Session:
    """What dbt-duckdb hands to a Python model: a cursor behind a class of its own."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, sql: str, bindings: Any = None) -> Any:
        return self._cursor.execute(sql) if bindings is None else self._cursor.execute(sql, bindings)


class Dbt:
    """What dbt hands to a Python model."""

    this = '"db"."main"."released"'

    def __init__(self, *, is_incremental: bool = False, **config: Any) -> None:
        self.is_incremental = is_incremental
        self.config = self
        self.given = config

    def get(self, key: str, default: Any = None) -> Any:
        return self.given.get(key, default)


@pytest.fixture
def session(tmp_path: Path) -> Any:
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        fill_table(connection, "people")
        yield Session(connection.cursor())


def without_places(**more: Any) -> dict[str, Any]:
    config = configuration("not read", "not written", **more)
    del config["source"], config["target"]
    return config


def state(session: Any) -> list[Any]:
    """The names of everything in the database and on the connection."""
    names: list[Any] = session.execute(
        "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal "
        "UNION ALL SELECT type_name FROM duckdb_types() WHERE database_name IN ('temp', 'people') AND NOT internal"
    ).fetchall()
    return names


@pytest.mark.slow
def test_the_release_is_that_of_a_run(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path / "people.parquet")
    kanon_sql.run(configuration(str(source), str(tmp_path / "run.parquet")))
    expected = Counter(session.read_parquet(str(tmp_path / "run.parquet")).fetchall())

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a second connection")

    monkeypatch.setattr(duckdb, "connect", refuse)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(configuration("a.csv", "b.csv")))
    monkeypatch.chdir(tmp_path)
    relations = ["people", "main.people", session.table("people"), session.sql("SELECT * FROM people")]
    configs: list[Any] = [without_places(), "config.yaml", tmp_path / "config.yaml", without_places()]
    for relation, config in zip(relations, configs, strict=True):
        released = anonymize(Dbt(materialized="table"), session, relation, config)
        assert isinstance(released, duckdb.DuckDBPyRelation)
        assert Counter(released.fetchall()) == expected
    # Of all that was made only the releases are there, and these go with the connection.
    names = [name for (name,) in state(session) if name != "people"]
    assert len(names) == 4
    assert all(name.startswith("released_by_kanon_sql_") for name in names)
    assert not list(tmp_path.glob("[ab].csv"))


@pytest.mark.slow
def test_keys_are_overridden(session: Any) -> None:
    given = Dbt(k=20)
    released = anonymize(given, session, "people", without_places(), overrides=[("privacy.k", given.config.get("k"))])
    counts = Counter(row[:3] for row in released.fetchall())
    assert min(counts.values()) >= 20


@pytest.mark.slow
def test_two_releases_in_one_model(session: Any) -> None:
    women, men = (
        anonymize(Dbt(), session, session.sql(f"SELECT * FROM people WHERE sex = '{sex}'"), without_places())
        for sex in "fm"
    )
    both = women.union(men).fetchall()
    assert len(both) > 200
    assert min(Counter(row[:3] for row in both).values()) >= 5


@pytest.mark.parametrize("given", [{"materialized": "incremental"}, {"is_incremental": True}])
def test_incremental_models_are_refused_before_anything_is_read(session: Any, given: Any) -> None:
    before = state(session)
    with pytest.raises(ConfigurationError) as refused:
        anonymize(Dbt(**given), session, 7, without_places())  # type: ignore[arg-type]
    why, what = refused.value.problems
    assert "incremental; a release is anonymous as a whole: rows that are added" in why
    assert what == "relation is of type int; expected dbt.ref(...), dbt.source(...) or the name of a table"
    assert state(session) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "error"),
    [
        (without_places(privacy={"k": 301}, suppression={"limit": 0}), NoReleaseError),
        (without_places(privacy={"k": 301}, suppression={"limit": "100%"}), NoReleaseError),
        (without_places(sensitive=["no such column"]), ConfigurationError),
    ],
)
def test_what_cannot_be_released_raises_and_leaves_nothing(session: Any, config: Any, error: type[Exception]) -> None:
    before = state(session)
    with pytest.raises(error):
        anonymize(Dbt(), session, "people", config)
    assert state(session) == before


def test_errors_do_not_quote_the_data(session: Any) -> None:
    """dbt prints the whole chain of errors."""
    session.execute("CREATE VIEW broken AS SELECT CAST(diagnosis AS INTEGER) AS age, sex, zip, cost FROM people")
    relation = session.sql("SELECT * FROM broken")
    with pytest.raises(EngineError) as raised:
        anonymize(Dbt(), session, relation, without_places(sensitive=[]))
    said = "".join(traceback.format_exception(raised.value))
    assert "--show-values" in said
    assert not any(value in said for value in ("flu", "cold", "none'", "so-called"))
    with pytest.raises(EngineError, match="the engine failed"):
        anonymize(Dbt(), session, "nobody", without_places())


MODELS = {
    "by_table": 'dbt.config(materialized="table")\n    '
    'return anonymize(dbt, session, dbt.ref("people"), "config.yaml")',
    "by_name": 'dbt.ref("people")\n    return anonymize(dbt, session, "main.people", "config.yaml")',
    "by_file": 'dbt.config(materialized="external", location="by_file.parquet", format="parquet")\n    '
    'k = dbt.config.get("k")\n    '  # dbt sees this call only where it stands by itself
    'return anonymize(dbt, session, dbt.source("raw", "people"), "config.yaml", overrides=[("privacy.k", k)])',
    "by_mapping": 'return anonymize(dbt, session, dbt.ref("people"), CONFIG)',
    "impossible": 'return anonymize(dbt, session, dbt.ref("people"), {**CONFIG, "privacy": {"k": 301}})',
    "growing": 'dbt.config(materialized="incremental")\n    '
    'return anonymize(dbt, session, dbt.ref("people"), "config.yaml")',
    "growing_by_schema": 'return anonymize(dbt, session, dbt.ref("people"), "config.yaml")',
}


@real_dbt
def test_python_models_in_a_real_dbt(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    write(dbt_project / "people.parquet")
    (dbt_project / "packages.yml").unlink()  # the helper needs no package
    (dbt_project / "config.yaml").write_text(yaml.safe_dump(without_places(suppression={"limit": "5%"})))
    (dbt_project / "models" / "people.sql").write_text(
        "{{ config(materialized='table') }} select * from {{ source('raw', 'people') }}"
    )
    (dbt_project / "sex.csv").write_text("f,*\nm,*\n")
    given = without_places()
    given["quasi_identifiers"]["sex"] = "sex.csv"
    for name, body in MODELS.items():
        head = f"CONFIG = {given!r}\n\n\ndef model(dbt, session):\n    from kanon_sql.dbt import anonymize\n\n    "
        (dbt_project / "models" / f"{name}.py").write_text(f"{head}{body}\n")
    place = {"meta": {"external_location": "read_parquet('project/people.parquet')"}}
    sources = [{"name": "raw", "schema": "main", "tables": [{"name": "people", "config": place}]}]
    models = [
        {"name": "by_file", "config": {"k": 20}},
        {"name": "growing_by_schema", "config": {"materialized": "incremental"}},
    ]
    (dbt_project / "models" / "s.yml").write_text(yaml.safe_dump({"version": 2, "sources": sources, "models": models}))
    # From another folder: the configuration is found beside dbt_project.yml all the same.
    words = ["--project-dir", "project", "--profiles-dir", "project"]
    said = dbt(tmp_path, "run", *words, status=1, quiet=False)
    lines = " ".join(said.split())
    for name in ("by_table", "by_name", "by_mapping", "by_file"):
        assert f"OK created python {'external' if name == 'by_file' else 'table'} model main.{name}" in lines
    assert "kanon-sql: released 2" in lines and '300 rows to "hospital"."main"."by_table"' in lines
    assert lines.count("ConfigurationError: the model is materialized as incremental; a release is anonymous") == 2
    assert lines.count("NoReleaseError: ") == 1
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        assert tables == {"people", "by_table", "by_name", "by_mapping"}
        for name, k in (("by_table", 5), ("by_name", 5), ("by_mapping", 5), ("by_file", 20)):
            relation = f"read_parquet('{tmp_path / 'by_file.parquet'}')" if name == "by_file" else name
            rows = Counter(connection.execute(f"SELECT * FROM {relation}").fetchall())
            target = tmp_path / f"run_{k}.parquet"
            config = configuration(str(dbt_project / "people.parquet"), {"path": str(target), "overwrite": True})
            kanon_sql.run(config, overrides=[("privacy.k", k)])
            assert rows == Counter(connection.read_parquet(str(target)).fetchall())
