"""kanon-sql in dbt: files that are written, and with a real dbt the example, the tests and a hostile table."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from dbt_projects import DBT, dbt, environment, project, real_dbt
from places import ROOT
from tables import configuration, write
from treated_jobs import KEY, VARIABLE, make_stays, treated, treating

import kanon_sql
from kanon_sql.api import dbt_model
from kanon_sql.cli.main import main
from kanon_sql.commands.projects.dbt import without_jinja
from kanon_sql.errors import ConfigurationError, EngineError

# What running the example leaves there.
LEFT_BEHIND = shutil.ignore_patterns("dbt_packages", "logs", "seeds", "target", "*.duckdb", "*.parquet", "*_release.*")


def command(*words: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_the_path_is_that_of_a_dbt_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("dbt", "path") == 0
    folder = Path(capsys.readouterr().out.strip())
    assert yaml.safe_load((folder / "dbt_project.yml").read_text())["name"] == "kanon_sql"
    macros = "".join(file.read_text() for file in (folder / "macros").glob("*.sql"))
    for name in ("k_anonymous", "l_diverse", "t_close", "max_suppression"):
        assert f"{{% test {name}(" in macros


@pytest.mark.slow
def test_a_model_its_seeds_and_its_schema_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dbt_project = project(tmp_path / "project")
    write(tmp_path / "people.parquet")
    privacy = {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2, "variant": "entropy"}}
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(configuration("people.parquet", "o.csv", privacy=privacy)))
    words = ["dbt", "compile", config, "--project", dbt_project, "--name", "released", "--relation", "ref('people')"]
    assert command(*words) == 0
    files = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert files == [
        dbt_project / "models" / "released.sql",
        dbt_project / "models" / "released.yml",
        *sorted((dbt_project / "seeds").iterdir()),
    ]
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    sql = files[0].read_text()
    assert sql.startswith("{{ config(materialized='table') }}\n{{ kanon_sql.refuse_incremental() }}\n-- A 5-anonymous")
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


@pytest.mark.slow
def test_an_earlier_model_is_replaced_with_its_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dbt_project = project(tmp_path / "project")
    write(tmp_path / "people.parquet")
    config = tmp_path / "config.yaml"
    config.write_text(json.dumps(configuration("people.parquet", "o.csv")))
    words = ["dbt", "compile", config, "--project", dbt_project, "--relation", "ref('people')", "--name"]
    assert command(*words, "released") == command(*words, "released_mapping") == 0
    kept_seeds = {
        file: file.read_bytes() for file in dbt_project.rglob("released_mapping*") if "mapping_mapping" in file.name
    }
    old = set((dbt_project / "seeds").iterdir()) - set(kept_seeds)
    assert kept_seeds and old
    capsys.readouterr()
    fixed = ["--set", "quasi_identifiers.zip.min_level=3", "--set", "quasi_identifiers.sex.min_level=1"]
    assert command(*words, "released", "--overwrite", *fixed) == 0
    files = {Path(line) for line in capsys.readouterr().out.splitlines()}
    seeds = set((dbt_project / "seeds").iterdir()) - set(kept_seeds)
    assert seeds < old, "a column that is * everywhere needs no mapping table"
    assert files == {dbt_project / "models" / "released.sql", dbt_project / "models" / "released.yml", *seeds}
    assert all(file.read_bytes() == content for file, content in kept_seeds.items()), "another model keeps its seeds"
    (dbt_project / "models" / "released.yml").write_text("models: []\n")
    assert command(*words, "released", "--overwrite") == 3
    assert "is no schema that kanon-sql dbt compile wrote" in capsys.readouterr().err


def asked_in(schema: Path) -> list[tuple[str, dict[str, Any]]]:
    """The tests of a schema, each with its arguments."""
    data_tests = yaml.safe_load(schema.read_text())["models"][0]["data_tests"]
    return [(name, test["arguments"]) for data_test in data_tests for name, test in data_test.items()]


@pytest.mark.slow
def test_the_schema_asks_for_every_model_that_a_test_can_say(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    source = write(tmp_path / "people.csv")
    text = source.read_text()
    source.write_text(text.replace(",flu,", ",?,", 20).replace(",none,", ",,", 20))
    privacy = {
        "k": 3,
        "l_diversity": [
            {"column": "diagnosis", "l": 2, "variant": "recursive", "c": 2.5},
            {"column": "cost", "l": 1.5, "variant": "entropy"},
        ],
        "t_closeness": [
            {"column": "diagnosis", "t": 1},
            {"column": "cost", "t": 0.5, "distance": "ordered"},
        ],
    }
    config = configuration({"path": str(source), "missing": ["?", ""]}, "o.csv", privacy=privacy, missing="drop")
    config.update(sensitive=["diagnosis", "cost"], insensitive=[], suppression={"limit": "30%"})
    report = dbt_model(config, dbt_project, "released", "ref('people')")
    quasi = ["sex", "age", "zip"]
    complete = {"complete": quasi, "missing": ["?", ""]}
    about = {"quasi_identifiers": quasi, "sensitive": "diagnosis"}
    cost = {"quasi_identifiers": quasi, "sensitive": "cost"}
    missing = {"missing": ["?", ""]}
    reference = {"reference": "ref('people')"}
    assert asked_in(dbt_project / "models" / "released.yml") == [
        ("kanon_sql.k_anonymous", {"quasi_identifiers": quasi, "k": 3}),
        ("kanon_sql.l_diverse", {**about, "l": 2, "variant": "recursive", "c": 2.5, **missing}),
        ("kanon_sql.l_diverse", {**cost, "l": 1.5, "variant": "entropy", **missing}),
        ("kanon_sql.t_close", {**about, "t": 1, **reference, "distance": "equal", **complete}),
        ("kanon_sql.t_close", {**cost, "t": 0.5, **reference, "distance": "ordered", "order": "number", **complete}),
        ("kanon_sql.max_suppression", {"source_model": "ref('people')", "at_most": "30%", **complete}),
    ]
    assert not any("no test" in warning for warning in report["warnings"])


@pytest.mark.slow
def test_what_no_test_says_is_said_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dbt_project = project(tmp_path / "project")
    source = write(tmp_path / "people.parquet")
    (tmp_path / "ills.csv").write_text('flu,ill\n"cold, bad",ill\n"so-called ""x""",ill\nnone,well\n')
    hierarchical = {"column": "diagnosis", "t": 0.9, "distance": "hierarchical", "hierarchy": "ills.csv"}
    privacy = {"k": 3, "t_closeness": hierarchical, "alpha_k": {"column": "diagnosis", "alpha": 0.9}}
    (tmp_path / "c.yaml").write_text(json.dumps(configuration(str(source), "o.csv", privacy=privacy)))
    words = ["--project", dbt_project, "--relation", "ref('people')", "--set", "suppression.limit=50%"]
    assert command("dbt", "compile", tmp_path / "c.yaml", "--name", "some", *words) == 0
    said = capsys.readouterr().err
    text = (dbt_project / "models" / "some.yml").read_text()
    for what in ("t_closeness of 'diagnosis': its distances are those of a hierarchy", "alpha_k: there is no test"):
        assert f"kanon-sql: warning: some.yml has no test for {what}" in said
        assert f"# NOT TESTED: some.yml has no test for {what}" in text
    assert [name for name, _ in asked_in(dbt_project / "models" / "some.yml")] == [
        "kanon_sql.k_anonymous",
        "kanon_sql.max_suppression",
    ]
    entity = ["--set", "privacy={k: 2, entity: cost}", "--set", "insensitive=[]"]
    assert command("dbt", "compile", tmp_path / "c.yaml", "--name", "whole", *words, *entity) == 0
    assert "no test for k, l_diversity, t_closeness: entities are counted" in capsys.readouterr().err
    assert [name for name, _ in asked_in(dbt_project / "models" / "whole.yml")] == ["kanon_sql.max_suppression"]


def test_what_dbt_would_not_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        dbt_model({}, tmp_path, "1; x", "ref('a') }} {{ 1")
    assert [problem.split(":")[0] for problem in refused.value.problems] == ["--name", "--relation", "--project"]


@pytest.mark.slow
def test_nothing_is_left_of_a_model_that_cannot_be_written(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    source = write(tmp_path / "people.parquet")
    (dbt_project / "seeds").mkdir()
    (dbt_project / "seeds" / "released_mapping_0.csv").write_text("mine")
    with pytest.raises(EngineError, match=r"released_mapping_0\.csv: is there already"):
        dbt_model(configuration(str(source), "o.csv"), dbt_project, "released", "ref('people')")
    assert [file.name for file in (dbt_project / "seeds").iterdir()] == ["released_mapping_0.csv"]
    assert list((dbt_project / "models").iterdir()) == []


@pytest.mark.dbt
def test_texts_that_read_as_jinja_stand_for_themselves() -> None:
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 comes with dbt, which is not installed")
    for text in ("{{ x }}", "{% if %}", "{# c #}", "{{{", "{", "a {{ b", "{{ '{{' }}"):
        assert jinja2.Template(without_jinja(text)).render() == text


@real_dbt
def test_the_example_is_made_by_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "examples" / "dbt", folder, ignore=LEFT_BEHIND)
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
        released, in_python, run = (
            Counter(connection.read_parquet(str(path)).fetchall())
            for path in (folder / "release.parquet", folder / "release_in_python.parquet", tmp_path / "run.parquet")
        )
    assert released == in_python == run
    assert sum(run.values()) == expected.released


COLUMNS = ["a b", 'q"x', "s"]
HOSTILE: list[str | None] = ["{{ 1 + 1 }}", "{% raw %}", "it's", "", "x\\y", "{# no #}", "null", "NA", "02139", None]
HOSTILE += ["a\x1b[31mb", "ab", "a\rb", "a\r\nb", "a\nb", "@IF(TRUE, 1, 2)", "{{", "#}"]


@real_dbt
def test_hostile_names_and_values_in_a_real_dbt(tmp_path: Path) -> None:
    """The model gives the rows of a run, and each test the classes that violate by definition."""
    dbt_project = project(tmp_path / "project")
    draw = random.Random(5)
    rows = [
        (draw.choice(HOSTILE), draw.choice(["u", "v", None]), draw.choice(["x", "y", "z", None])) for _ in range(300)
    ]
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        connection.execute('CREATE TABLE people ("a b" VARCHAR, "q""x" VARCHAR, s VARCHAR)')
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", [list(row) for row in rows])
        connection.execute(f"COPY people TO '{tmp_path / 'people.parquet'}' (FORMAT parquet)")
    (dbt_project / "models" / "raw.sql").write_text("select * from main.people")
    config = {
        "source": str(tmp_path / "people.parquet"),
        "target": str(tmp_path / "run.parquet"),
        "quasi_identifiers": {
            "a b": {"builtin": "suppress", "max_level": 0},
            'q"x': {"builtin": "suppress", "max_level": 0},
        },
        "sensitive": ["s"],
        "privacy": {"k": 5},
        "suppression": {"limit": "60%"},
    }
    dbt_model(config, dbt_project, "released", "ref('raw')")
    own = yaml.safe_load((dbt_project / "models" / "released.yml").read_text())
    k_anonymous, suppressed = own["models"][0]["data_tests"]
    assert suppressed["kanon_sql.max_suppression"]["arguments"] == {"source_model": "ref('raw')", "at_most": "60%"}
    k_anonymous["kanon_sql.k_anonymous"]["name"] = "k_of_release"
    suppressed["kanon_sql.max_suppression"]["name"] = "most"
    arguments = {"source_model": "ref('raw')", "at_most": 0}
    none = {"kanon_sql.max_suppression": {"name": "most_0", "arguments": arguments}}
    own["models"][0]["data_tests"].append(none)
    (dbt_project / "models" / "released.yml").write_text(yaml.safe_dump(own))
    dbt(dbt_project, "deps")
    dbt(dbt_project, "build", "--exclude", "most_0")
    dbt(dbt_project, "test", "--select", "most_0", status=1)
    kanon_sql.run(config)
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        released = Counter(connection.execute("SELECT * FROM released").fetchall())
        assert released == Counter(connection.read_parquet(str(tmp_path / "run.parquet")).fetchall())
        assert 0 < sum(released.values()) < len(rows)
        # A class of one more row: its test sees that.
        connection.execute("INSERT INTO released VALUES ('one', 'more', 'x')")
    dbt(dbt_project, "test", "--select", "k_of_release", status=1)


ABOUT_A = {"quasi_identifiers": ["a"], "sensitive": "a"}


@real_dbt
def test_values_are_treated_with_a_key_that_dbt_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    dbt_project = project(tmp_path / "project")
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        make_stays(connection, tmp_path / "stays.parquet")
    (dbt_project / "models" / "raw.sql").write_text("select * from main.stays")
    config = treating(tmp_path / "stays.parquet", tmp_path / "run.parquet")
    dbt_model(config, dbt_project, "released", "ref('raw')")
    assert not any(KEY[:12] in file.read_text() for file in (dbt_project / "models").iterdir())
    dbt(dbt_project, "deps")
    dbt(dbt_project, "build")
    kanon_sql.run(config)
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        select = "SELECT patient, sex, day, cost FROM"
        assert Counter(connection.execute(f"{select} released").fetchall()) == treated()
        assert Counter(connection.execute(f"{select} '{tmp_path / 'run.parquet'}'").fetchall()) == treated()


@real_dbt
def test_wrong_arguments_are_errors_of_dbt(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    (dbt_project / "models" / "raw.sql").write_text("select 1 as a")
    dbt(dbt_project, "deps")
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("k_anonymous", {"quasi_identifiers": "a", "k": 2}, "expected a list of columns"),
        ("k_anonymous", {"quasi_identifiers": ["a"], "k": "2 or 1=1"}, "expected a number of at least 1"),
        ("t_close", {**ABOUT_A, "t": 1.5}, "t is '1.5'"),
        ("t_close", {**ABOUT_A, "t": 0.5, "distance": "hierarchical"}, "expected equal or ordered"),
        ("t_close", {**ABOUT_A, "t": 0.5, "distance": "ordered", "order": "size"}, "expected number, date or text"),
        ("t_close", {**ABOUT_A, "t": 0.5, "missing": "?"}, "expected a list of texts"),
        ("l_diverse", {**ABOUT_A, "l": 2, "variant": "recursive"}, "c goes with recursive, which needs it"),
        ("l_diverse", {**ABOUT_A, "l": 2, "c": 2}, "c goes with recursive"),
        ("l_diverse", {**ABOUT_A, "l": 2, "variant": "other"}, "expected distinct, entropy or recursive"),
    ]
    for i, (test, arguments, _) in enumerate(wrong):
        tests = [{f"kanon_sql.{test}": {"arguments": arguments}}]
        schema = {"version": 2, "models": [{"name": "raw", "data_tests": tests}]}
        (dbt_project / f"schema_{i}.yml").write_text(yaml.safe_dump(schema))
    # One process for all: dbt takes seconds to start.
    script = f"""
import json, shutil
from dbt.cli.main import dbtRunner
said = []
for i in range({len(wrong)}):
    shutil.copy(f"schema_{{i}}.yml", "models/schema.yml")
    said.append(str(dbtRunner().invoke(["parse", "--quiet"]).exception))
with open("said.json", "w") as stream:
    json.dump(said, stream)
"""
    words = [str(Path(DBT or "").with_name("python")), "-c", script]
    subprocess.run(words, cwd=dbt_project, check=True, env=environment(), capture_output=True, timeout=600)
    for (_, _, expected), said in zip(wrong, json.loads((dbt_project / "said.json").read_text()), strict=True):
        assert expected in " ".join(said.split())
