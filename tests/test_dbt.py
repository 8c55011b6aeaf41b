"""kanon-sql in dbt: files that are written, and with a real dbt the example, the tests and a hostile table."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from reference_models import MODELS
from tables import configuration, write

import kanon_sql
from kanon_sql.api import dbt_model
from kanon_sql.cli.main import main
from kanon_sql.dbt import package_folder
from kanon_sql.dbt.model import without_jinja
from kanon_sql.errors import ConfigurationError, EngineError

ROOT = Path(__file__).parents[1]
DBT = shutil.which("dbt", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


def real_dbt(test: Callable[..., None]) -> Any:
    """A test that runs dbt, where it is installed."""
    missing = pytest.mark.skipif(DBT is None, reason="dbt is not installed: pip install 'kanon-sql[dbt]'")
    return pytest.mark.dbt(missing(test))


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "KANON_SQL_DBT": str(package_folder()),
        "DBT_PROFILES_DIR": ".",
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DO_NOT_TRACK": "1",
    }


def dbt(folder: Path, *words: str, status: int = 0) -> str:
    assert DBT is not None
    ended = subprocess.run(
        [DBT, *words, "--quiet", "--no-use-colors"] if words[0] != "deps" else [DBT, "deps", "--quiet"],
        cwd=folder,
        check=False,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


def project(folder: Path) -> Path:
    """An empty dbt project over a database of its own."""
    folder.mkdir()
    for name in ("dbt_project.yml", "profiles.yml", "packages.yml"):
        shutil.copy(ROOT / "examples" / "dbt" / name, folder)
    (folder / "models").mkdir()
    return folder


def command(*words: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_the_path_is_that_of_a_dbt_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("dbt", "path") == 0
    folder = Path(capsys.readouterr().out.strip())
    assert yaml.safe_load((folder / "dbt_project.yml").read_text())["name"] == "kanon_sql"
    found = "".join(file.read_text() for file in (folder / "macros").glob("*.sql"))
    for name in ("k_anonymous", "l_diverse", "t_close", "max_suppression"):
        assert f"{{% test {name}(" in found


def test_a_model_its_seeds_and_its_schema_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = project(tmp_path / "project")
    write(tmp_path / "people.parquet")
    privacy = {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2, "variant": "entropy"}}
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(configuration("people.parquet", "o.csv", privacy=privacy)))
    words = ["dbt", "compile", config, "--project", made, "--name", "released", "--relation", "ref('people')"]
    assert command(*words) == 0
    files = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert files == [
        made / "models" / "released.sql",
        made / "models" / "released.yml",
        *sorted((made / "seeds").iterdir()),
    ]
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    sql = files[0].read_text()
    assert sql.count("{{ ref('people') }}") == 1
    for seed in files[2:]:
        assert sql.count(f"{{{{ ref('{seed.stem}') }}}}") == 1
    schema = yaml.safe_load(files[1].read_text())
    assert {seed["name"] for seed in schema["seeds"]} == {seed.stem for seed in files[2:]}
    assert schema["seeds"][0]["config"]["column_types"]["value"] == "varchar"
    tests = schema["models"][0]["data_tests"]
    assert tests[0]["kanon_sql.k_anonymous"]["arguments"] == {"quasi_identifiers": ["sex", "age", "zip"], "k": 5}
    assert tests[1]["kanon_sql.l_diverse"]["arguments"]["variant"] == "entropy"
    before = [file.read_bytes() for file in files]
    assert command(*words) == 3
    assert "is there already" in capsys.readouterr().err
    assert [file.read_bytes() for file in files] == before


def test_what_dbt_would_not_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        dbt_model({}, tmp_path, "1; x", "ref('a') }} {{ 1")
    assert [problem.split(":")[0] for problem in refused.value.problems] == ["--name", "--relation", "--project"]


def test_nothing_is_left_of_a_model_that_cannot_be_written(tmp_path: Path) -> None:
    made = project(tmp_path / "project")
    source = write(tmp_path / "people.parquet")
    (made / "seeds").mkdir()
    (made / "seeds" / "released_mapping_0.csv").write_text("mine")
    with pytest.raises(EngineError, match=r"released_mapping_0\.csv: is there already"):
        dbt_model(configuration(str(source), "o.csv"), made, "released", "ref('people')")
    assert [file.name for file in (made / "seeds").iterdir()] == ["released_mapping_0.csv"]
    assert list((made / "models").iterdir()) == []


def test_texts_that_read_as_jinja_stand_for_themselves() -> None:
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 comes with dbt, which is not installed")
    for text in ("{{ x }}", "{% if %}", "{# c #}", "{{{", "{", "a {{ b", "{{ '{{' }}"):
        assert jinja2.Template(without_jinja(text)).render() == text


@real_dbt
def test_the_example_is_made_by_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "examples" / "dbt", folder)
    ended = subprocess.run(
        ["bash", "run.sh"],
        cwd=folder,
        check=False,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "failed its test, as it should" in ended.stdout
    expected = kanon_sql.run(folder / "config.yaml", overrides=[("target", str(tmp_path / "run.parquet"))])
    with duckdb.connect() as connection:
        released, run = (
            Counter(connection.read_parquet(str(path)).fetchall())
            for path in (folder / "release.parquet", tmp_path / "run.parquet")
        )
    assert released == run
    assert sum(run.values()) == expected.released


COLUMNS = ["a b", 'q"x', "s"]
ENTROPY = {"l": 2.6, "variant": "entropy"}
HOSTILE: list[str | None] = ["{{ 1 + 1 }}", "{% raw %}", "it's", "", "x\\y", "{# no #}", None]


@real_dbt
def test_hostile_names_and_values_in_a_real_dbt(tmp_path: Path) -> None:
    """The model gives the rows of a run, and each test the classes that violate by definition."""
    made = project(tmp_path / "project")
    draw = random.Random(5)
    rows = [
        (draw.choice(HOSTILE), draw.choice(["u", "v", None]), draw.choice(["x", "y", "z", None])) for _ in range(160)
    ]
    with duckdb.connect(str(made / "hospital.duckdb")) as connection:
        connection.execute('CREATE TABLE people ("a b" VARCHAR, "q""x" VARCHAR, s VARCHAR)')
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [list(row) for row in rows])
        connection.execute(f"COPY people TO '{tmp_path / 'people.parquet'}' (FORMAT parquet)")
    (made / "models" / "raw.sql").write_text("select * from main.people")
    config = {
        "source": str(tmp_path / "people.parquet"),
        "target": str(tmp_path / "run.parquet"),
        "quasi_identifiers": {"a b": {"builtin": "suppress", "max_level": 0}, 'q"x': {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 7},
        "suppression": {"limit": "60%"},
    }
    dbt_model(config, made, "released", "ref('raw')")
    quasi = COLUMNS[:2]
    asked: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        ("k_anonymous", "k", {"k": 9}, {}),
        ("l_diverse", "l_diversity", {"sensitive": "s", "l": 3}, {"l": 3}),
        (
            "l_diverse",
            "l_diversity",
            {"sensitive": "s", "l": 2.6, "variant": "entropy"},
            {"l": 2.6, "variant": "entropy"},
        ),
        ("t_close", "t_closeness", {"sensitive": "s", "t": 0.15}, {"t": 0.15}),
        ("t_close", "t_closeness", {"sensitive": "s", "t": 0.15, "reference": "ref('raw')"}, {"t": 0.15}),
    ]
    tests = [
        {f"kanon_sql.{test}": {"name": f"asked_{i}", "arguments": {"quasi_identifiers": quasi, **arguments}}}
        for i, (test, _, arguments, _) in enumerate(asked)
    ]
    for i, most in enumerate((0, "99%")):
        tests.append(
            {
                "kanon_sql.max_suppression": {
                    "name": f"most_{i}",
                    "arguments": {"source_model": "ref('raw')", "at_most": most},
                }
            }
        )
    schema = {"version": 2, "models": [{"name": "raw", "data_tests": tests[:5]}]}
    (made / "models" / "more.yml").write_text(yaml.safe_dump(schema))
    own = yaml.safe_load((made / "models" / "released.yml").read_text())
    own["models"][0]["data_tests"] += tests[5:]
    (made / "models" / "released.yml").write_text(yaml.safe_dump(own))
    dbt(made, "deps")
    dbt(made, "build", "--exclude", "asked_0", "asked_1", "asked_2", "asked_3", "asked_4", "most_0")
    dbt(made, "test", "--select", "most_0", status=1)
    dbt(made, "compile")
    kanon_sql.run(config)
    classes: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        classes.setdefault(row[:2], []).append(row[2])
    everything = [row[2] for row in rows]
    with duckdb.connect(str(made / "hospital.duckdb")) as connection:
        released = Counter(connection.execute("SELECT * FROM released").fetchall())
        assert released == Counter(connection.read_parquet(str(tmp_path / "run.parquet")).fetchall())
        for i, (_, key, arguments, spec) in enumerate(asked):
            text = next((made / "target" / "compiled").rglob(f"asked_{i}.sql")).read_text()
            found = Counter(int(row[0]) for row in connection.execute(text).fetchall())
            if key == "k":
                bad = [values for values in classes.values() if len(values) < arguments["k"]]
            else:
                bad = [values for values in classes.values() if not MODELS[key](values, everything, spec)[0]]
            assert found == Counter(map(len, bad)), asked[i]
            assert 0 < len(bad) < len(classes)


@real_dbt
def test_wrong_arguments_are_errors_of_dbt(tmp_path: Path) -> None:
    made = project(tmp_path / "project")
    (made / "models" / "raw.sql").write_text("select 1 as a")
    dbt(made, "deps")
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("k_anonymous", {"quasi_identifiers": "a", "k": 2}, "expected a list of columns"),
        ("k_anonymous", {"quasi_identifiers": ["a"], "k": "2 or 1=1"}, "expected a number of at least 1"),
        ("t_close", {"quasi_identifiers": ["a"], "sensitive": "a", "t": 1.5}, "t is '1.5'"),
    ]
    for test, arguments, said in wrong:
        tests = [{f"kanon_sql.{test}": {"arguments": arguments}}]
        schema = {"version": 2, "models": [{"name": "raw", "data_tests": tests}]}
        (made / "models" / "schema.yml").write_text(yaml.safe_dump(schema))
        assert said in dbt(made, "compile", status=2)
