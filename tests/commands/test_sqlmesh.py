"""kanon-sql in SQLMesh: the files that are written, the audits by definition, and with a real SQLMesh the example."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from class_measures import MISSING, N, Row, S, T, equal_distance, farther, no_text, number, rows_of, violates
from places import ROOT
from sqlglot import exp
from table_files import quoted, write_csv
from tables import configuration, write
from treated_jobs import KEY, VARIABLE, make_stays, treated, treating

import kanon_sql
from kanon_sql.api import sqlmesh_model
from kanon_sql.cli.main import main
from kanon_sql.commands.projects.sqlmesh import audits_file
from kanon_sql.errors import ConfigurationError, EngineError

SETTINGS = (ROOT / "examples" / "sqlmesh" / "config.yaml").read_text()


def real_sqlmesh(test: Callable[..., None]) -> Any:
    """A test that runs SQLMesh, where it is installed."""
    missing = pytest.mark.skipif(
        find_spec("sqlmesh") is None, reason="SQLMesh is not installed: pip install 'kanon-sql[sqlmesh]'"
    )
    return pytest.mark.sqlmesh(missing(test))


def run_in(folder: Path, *words: str) -> str:
    """Runs a program in a project, and expects that it ends well; its standard output."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true",
    }
    ended = subprocess.run(words, cwd=folder, check=False, env=environment, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def project(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.yaml").write_text(SETTINGS)
    return folder


def command(*words: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def definition(model: Path) -> tuple[str, str]:
    """(the head of a model, its statement)."""
    head, statement = model.read_text().split("\n);\n\n", 1)
    return head, statement


def audits() -> dict[str, str]:
    """The statements of the audits by name."""
    text = audits_file().read_text()
    return dict(re.findall(r"^AUDIT \(name (\w+).*\);\n((?:.*\n)*?.*;)$", text, re.MULTILINE))


@pytest.mark.slow
def test_a_model_and_the_audits_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh_project = project(tmp_path / "project")
    source = write(tmp_path / "people.parquet")
    privacy = {
        "k": 5,
        "l_diversity": [
            {"column": "diagnosis", "l": 2, "variant": "recursive", "c": "2.5"},
            {"column": "diagnosis", "l": 2},
        ],
        "t_closeness": [
            {"column": "diagnosis", "t": 0.9},
            {"column": "diagnosis", "t": 0.8, "distance": "ordered"},
        ],
        "alpha_k": {"column": "diagnosis", "alpha": 0.9},
    }
    config = configuration("people.parquet", "run.parquet", privacy=privacy, missing="drop")
    config["suppression"] = {"limit": "40%"}
    (tmp_path / "c.yaml").write_text(json.dumps(config))
    words = [
        "sqlmesh",
        "compile",
        tmp_path / "c.yaml",
        "--project",
        mesh_project,
        "--name",
        "a.released",
        "--relation",
        "raw.x",
    ]
    assert command(*words) == 0
    said = capsys.readouterr()
    model, audit = [Path(line) for line in said.out.splitlines()]
    assert (model, audit) == (mesh_project / "models" / "released.sql", mesh_project / "audits" / "kanon_sql.sql")
    assert model.stat().st_mode & 0o777 == 0o600
    assert audit.read_text() == audits_file().read_text()
    assert "warning: released.sql has no audit for alpha_k: there is no test of it" in said.err
    head, statement = definition(model)
    qi = 'quasi_identifiers := ["sex", "age", "zip"]'
    complete = 'complete := (NOT "sex" IS NULL AND NOT "age" IS NULL AND NOT "zip" IS NULL)'
    assert head == "\n".join(
        [
            "-- NOT AUDITED: released.sql has no audit for alpha_k: there is no test of it; `kanon-sql check` measures "
            "it, `kanon-sql compile --check` writes the statement",
            "MODEL (",
            "  name a.released,",
            "  kind FULL,",
            "  dialect duckdb,",
            "  description 'An anonymized release, by kanon-sql.',",
            "  audits (",
            f"    k_anonymous({qi}, k := 5),",
            f"    l_diverse({qi}, sensitive := \"diagnosis\", l := 2, variant := 'recursive', c := 2.5),",
            f"    l_diverse({qi}, sensitive := \"diagnosis\", l := 2, variant := 'distinct'),",
            f'    t_close({qi}, sensitive := "diagnosis", t := 0.9, reference := "raw"."x", {complete}),',
            f'    t_close_ordered({qi}, sensitive := CAST("diagnosis" AS TEXT), t := 0.8, reference := "raw"."x", '
            f"{complete}),",
            f'    max_suppression(source_model := "raw"."x", {complete}, percent := 40)',
            "  )",
        ]
    )
    # The statement alone makes the release of a run.
    kanon_sql.run(tmp_path / "c.yaml")
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA raw")
        connection.execute(f"CREATE TABLE raw.x AS FROM '{source}'")
        released = Counter(connection.execute(statement).fetchall())
        assert released == Counter(connection.read_parquet(str(tmp_path / "run.parquet")).fetchall())
    before = model.read_bytes()
    assert command(*words) == 3
    assert "is there already" in capsys.readouterr().err
    assert model.read_bytes() == before
    # Audits that are there stay, and others of that name are not touched.
    words[words.index("a.released")] = "a.other"
    assert command(*words) == 0
    assert capsys.readouterr().out.splitlines() == [str(mesh_project / "models" / "other.sql")]
    audit.write_text("mine")
    words[words.index("a.other")] = "a.third"
    assert command(*words) == 3
    assert "holds other audits" in capsys.readouterr().err
    assert not (mesh_project / "models" / "third.sql").exists()


def test_what_sqlmesh_would_not_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        sqlmesh_model({}, tmp_path, "1; x", "a; DROP TABLE b")
    assert [problem.split(":")[0] for problem in refused.value.problems] == ["--name", "--relation", "--project"]
    with pytest.raises(EngineError, match=r"released\.sql: is there already"):
        mesh_project = project(tmp_path / "project")
        (mesh_project / "models").mkdir()
        (mesh_project / "models" / "released.sql").write_text("mine")
        sqlmesh_model(configuration("no.csv", "o.csv"), mesh_project, "released", "a")


@pytest.mark.parametrize("name", ["@gateway", "a@@b", "@{x}", "{{ x }}", "{% raw %}", "a {# b"])
def test_a_name_that_sqlmesh_would_read_as_another_is_refused(name: str, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT 1 AS {quoted(name)} FROM range(3)")
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    config = {
        "source": str(tmp_path / "t.parquet"),
        "target": str(tmp_path / "r.csv"),
        "quasi_identifiers": {name: {"builtin": "suppress"}},
        "privacy": {"k": 2},
    }
    mesh_project = project(tmp_path / "project")
    with pytest.raises(ConfigurationError, match="rename the column") as refused:
        sqlmesh_model(config, mesh_project, "released", "raw.t")
    assert repr(name) in str(refused.value)
    assert not list(mesh_project.glob("**/*.sql"))


def test_a_value_that_sqlmesh_would_read_as_another_is_refused(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS FROM (VALUES ('a' || chr(13) || 'b'), ('a' || chr(10) || 'b')) AS _(h)")
        connection.execute(f"COPY t TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    config = {
        "source": str(tmp_path / "t.parquet"),
        "target": str(tmp_path / "r.csv"),
        "quasi_identifiers": {"h": {"builtin": "suppress"}},
        "privacy": {"k": 1},
    }
    with pytest.raises(ConfigurationError, match="carriage return"):
        sqlmesh_model(config, project(tmp_path / "project"), "released", "raw.t")


def test_the_path_is_that_of_the_audits(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("sqlmesh", "path") == 0
    assert Path(capsys.readouterr().out.strip()) == audits_file()
    assert list(audits()) == ["k_anonymous", "l_diverse", "t_close", "t_close_ordered", "max_suppression"]


QUASI = ['"a b"', '"q""x"', '"@z"']
WITHOUT_TEXTS = "CASE WHEN s IN ('?', 'it''s') THEN NULL ELSE s END"
# (audit, arguments, whether a class violates, which rows of the reference count)
ASKED: list[tuple[str, dict[str, str], Callable[[list[Row], list[Row]], bool], Callable[[Row], bool]]] = [
    ("k_anonymous", {"k": "12"}, lambda rows, _: len(rows) < 12, bool),
    ("l_diverse", {"sensitive": WITHOUT_TEXTS, "l": "5"}, violates("l_diversity", {"l": 5}), bool),
    (
        "l_diverse",
        {"sensitive": WITHOUT_TEXTS, "l": "3.6", "variant": "'entropy'"},
        violates("l_diversity", {"l": 3.6, "variant": "entropy"}),
        bool,
    ),
    *[
        (
            "l_diverse",
            {"sensitive": WITHOUT_TEXTS, "l": str(at_least), "variant": "'recursive'", "c": c},
            violates("l_diversity", {"l": at_least, "variant": "recursive", "c": c}),
            bool,
        )
        for at_least, c in ((2, "0.5"), (3, "1.25"), (3, "1"), (4, "3"))
    ],
    (
        "t_close",
        {"sensitive": WITHOUT_TEXTS, "t": "0.3", "complete": f"n IS NOT NULL AND {WITHOUT_TEXTS} IS NOT NULL"},
        lambda rows, everything: (
            equal_distance([no_text(row[S]) for row in rows], [no_text(row[S]) for row in everything]) > Fraction("0.3")
        ),
        lambda row: row[N] is not None and no_text(row[S]) is not None,
    ),
    (
        "t_close_ordered",
        {"sensitive": f"CAST({WITHOUT_TEXTS} AS DOUBLE)", "t": "0.1"},
        farther("0.1", S, number),
        bool,
    ),
    ("t_close_ordered", {"sensitive": "n", "t": "0.12"}, farther("0.12", N, lambda value: value, texts=False), bool),
    (
        "t_close_ordered",
        {"sensitive": "w", "t": "0.11", "complete": "n IS NOT NULL"},
        farther("0.11", T, lambda value: value.encode(), texts=False),
        lambda row: row[N] is not None,
    ),
]
DEFAULTS = {"variant": "'distinct'", "c": "NULL", "complete": "TRUE", "reference": "everyone"}


def expanded(statement: str, arguments: dict[str, str]) -> str:
    """An audit with its arguments put in, as SQLMesh does."""
    given = {**DEFAULTS, **arguments, "this_model": "people"}
    text = statement.replace("@EACH(@quasi_identifiers, c -> c)", ", ".join(QUASI))
    return re.sub(r"@(\w+)\b(?!\")", lambda name: given.get(name[1], name[0]), text)


def make_tables(connection: duckdb.DuckDBPyConnection, seed: int) -> tuple[list[Row], list[Row]]:
    people = rows_of(seed)
    everyone = [*people, *rows_of(seed + 50), *rows_of(seed + 60)]
    for name, rows in (("people", people), ("everyone", everyone)):
        columns = f"{QUASI[0]} VARCHAR, {QUASI[1]} VARCHAR, {QUASI[2]} VARCHAR, s VARCHAR, n INTEGER, w VARCHAR"
        connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?, ?)", [list(row) for row in rows])
    return people, everyone


def violating(people: list[Row], everyone: list[Row], index: int) -> Counter[int]:
    """The sizes of the classes that violate, by definition."""
    _, _, bad, counts = ASKED[index]
    classes: dict[tuple[Any, ...], list[Row]] = {}
    for row in people:
        classes.setdefault(row[:3], []).append(row)
    compared = [row for row in everyone if counts(row)]
    return Counter(len(members) for members in classes.values() if bad(members, compared))


@pytest.mark.slow
def test_each_audit_returns_the_classes_that_violate() -> None:
    failed, classes = Counter[int](), 0
    with duckdb.connect() as connection:
        for seed in range(8):
            people, everyone = make_tables(connection, seed)
            classes += len({row[:3] for row in people})
            for i, (name, arguments, _, _) in enumerate(ASKED):
                sizes_of = connection.execute(expanded(audits()[name], arguments)).fetchall()
                expected = violating(people, everyone, i)
                assert Counter(int(size) for size, _ in sizes_of) == expected, ASKED[i]
                failed[i] += sum(expected.values())
    # Every audit fails for some classes and not for all.
    assert all(0 < failed[i] < classes for i in range(len(ASKED))), failed


def test_an_audit_that_is_asked_wrongly_fails() -> None:
    """A variant that is none, c that is missing: the audit fails for every class, rather than for none."""
    with duckdb.connect() as connection:
        make_tables(connection, 1)
        for arguments in ({"variant": "'distnct'"}, {"variant": "'recursive'"}):
            text = expanded(audits()["l_diverse"], {"sensitive": "s", "l": "1", **arguments})
            classes = connection.execute(f"SELECT DISTINCT {', '.join(QUASI)} FROM people").fetchall()
            assert len(connection.execute(text).fetchall()) == len(classes)


@pytest.mark.parametrize(
    ("released", "bounds", "fails"),
    [
        (95, {"at_most": "5"}, False),
        (94, {"at_most": "5"}, True),
        (94, {"percent": "6"}, False),
        (94, {"percent": "5.99"}, True),
        (0, {"percent": "99"}, True),
        (88, {"percent": "3", "complete": "a >= 10"}, False),
    ],
)
def test_rows_that_are_left_out_are_counted(released: int, bounds: dict[str, str], fails: bool) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE everyone AS SELECT range AS a FROM range(100)")
        connection.execute(f"CREATE TABLE people AS SELECT range AS a FROM range({released})")
        given = {"at_most": "0", "percent": "0", "source_model": "everyone", **bounds}
        violations = connection.execute(expanded(audits()["max_suppression"], given)).fetchall()
    assert bool(violations) == fails


@pytest.mark.slow
def test_arguments_are_written_for_other_dialects(tmp_path: Path) -> None:
    mesh_project = project(tmp_path / "project")
    source = write(tmp_path / "people.csv")
    privacy = {"k": 2, "t_closeness": {"column": "diagnosis", "t": 1, "distance": "ordered"}}
    config = configuration(str(source), "o.csv", privacy=privacy)
    for dialect, shown in (("postgres", 'COLLATE "C"'), ("bigquery", "`diagnosis`")):
        sqlmesh_model(config, mesh_project, dialect, "raw.x", dialect=dialect)
        head, statement = definition(mesh_project / "models" / f"{dialect}.sql")
        assert f"dialect {dialect}" in head
        assert shown in head
        # Each argument is an expression of the dialect.
        for argument in re.findall(r"(?:sensitive|reference) := (.*?)(?:, \w+ :=|\)[,\n])", head):
            assert isinstance(sqlglot.parse_one(argument, dialect=dialect), exp.Expression)
        assert isinstance(sqlglot.parse_one(statement, dialect=dialect), exp.Query)


@real_sqlmesh
def test_the_example_is_made_by_one_command(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    left_behind = shutil.ignore_patterns("*.duckdb", "*.parquet", "audits", "logs", ".cache", "patients_release.sql")
    shutil.copytree(ROOT / "examples" / "sqlmesh", folder, ignore=left_behind)
    said = run_in(folder, "bash", "run.sh")
    assert "audits passed 4" in said
    assert "'k_anonymous' audit error: 1352 rows failed" in said
    assert "failed its audit, as it should" in said
    target = tmp_path / "run.parquet"
    kanon_sql.run(folder / "kanon-sql.yaml", overrides=[("target", str(target))])
    with duckdb.connect(str(folder / "warehouse.duckdb")) as connection:
        released = Counter(connection.execute("SELECT * FROM hospital.patients_release").fetchall())
        assert released == Counter(connection.read_parquet(str(target)).fetchall())


@real_sqlmesh
def test_values_are_treated_with_a_key_that_sqlmesh_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)
    mesh_project = project(tmp_path / "project")
    with (mesh_project / "config.yaml").open("a") as settings:
        settings.write(f"variables: {{{VARIABLE}: \"{{{{ env_var('{VARIABLE}') }}}}\"}}\n")
    with duckdb.connect(str(mesh_project / "warehouse.duckdb")) as connection:
        make_stays(connection, tmp_path / "stays.parquet")
    config = treating(tmp_path / "stays.parquet", tmp_path / "run.parquet")
    sqlmesh_model(config, mesh_project, "hospital.released", "main.stays")
    assert not any(KEY[:12] in file.read_text() for file in (mesh_project / "models").iterdir())
    run_in(mesh_project, "sqlmesh", "plan", "--auto-apply", "--no-prompts")
    with duckdb.connect(str(mesh_project / "warehouse.duckdb")) as connection:
        rows = connection.execute("SELECT patient, sex, day, cost FROM hospital.released").fetchall()
    assert Counter(rows) == treated()


# Renders the audits of a model as SQLMesh does, and counts what they return.
RENDER = """
import json
from sqlmesh import Context

context = Context(paths=".")
model = context.get_model("hospital.measured")
found = []
for audit, arguments in model.audits_with_args:
    query = model.render_audit_query(audit, this_model="hospital.people", **arguments)
    found.append([int(row[0]) for row in context.engine_adapter.fetchall(query)])
print("FOUND", json.dumps(found))
"""


# SQLMesh's macros and Jinja in a name, and in values beside what an engine or a reader may change.
MACRO = "IF(TRUE, 1, 2) @ {x} JINJA_QUERY_BEGIN;"
HOSTILE = [
    "null",
    "NA",
    "02139",
    "{{ 1 }}",
    "{% raw %}",
    "@this_model",
    "@IF(TRUE, 'x', 'y')",
    "@EVAL(1 + 1)",
    "@@",
    "JINJA_QUERY_BEGIN;",
    "x\\y",
    "a\x1b[31mb",
    "ab",
    "a\nb",
    "it's; -- no",
    "/* @x */",
]


@real_sqlmesh
def test_hostile_names_and_values_in_a_real_sqlmesh(tmp_path: Path) -> None:
    mesh_project = project(tmp_path / "project")
    source = tmp_path / "people.parquet"
    with duckdb.connect(str(mesh_project / "warehouse.duckdb")) as connection:
        people, everyone = make_tables(connection, 3)
        connection.execute(f"ALTER TABLE everyone ADD COLUMN {quoted(MACRO)} VARCHAR")
        pick = f"(?::VARCHAR[])[CAST(1 + hash(rowid) % {len(HOSTILE)} AS INTEGER)]"
        connection.execute(f"UPDATE everyone SET {quoted(MACRO)} = {pick}", [HOSTILE])
        connection.execute(f"COPY everyone TO '{source}' (FORMAT parquet)")
        connection.execute("CREATE SCHEMA hospital")
        for name in ("people", "everyone"):
            connection.execute(f"CREATE TABLE hospital.{name} AS FROM main.{name}")
    labels = [(value, ("@IF(TRUE, 'a', 'b')", "{{ 2 }}", "{% if x %}")[i % 3]) for i, value in enumerate(HOSTILE)]
    write_csv(tmp_path / "labels.csv", [(value, label, "@all") for value, label in labels], quote=True)
    quasi = ["a b", 'q"x']
    config = {
        "source": str(source),
        "target": str(tmp_path / "run.parquet"),
        "quasi_identifiers": {name: {"builtin": "suppress", "max_level": int(name == "a b")} for name in quasi}
        | {MACRO: {"hierarchy": str(tmp_path / "labels.csv"), "min_level": 1, "max_level": 1}},
        "sensitive": ["s"],
        "unlisted": "drop",
        "privacy": {"k": 19, "l_diversity": {"column": "s", "l": 2, "variant": "entropy"}},
        "suppression": {"limit": "95%"},
    }
    sqlmesh_model(config, mesh_project, "hospital.released", "hospital.everyone")
    calls = []
    for name, arguments, _, _ in ASKED:
        given = {"quasi_identifiers": f"[{', '.join(QUASI)}]", **arguments}
        if name.startswith("t_"):
            given["reference"] = "hospital.everyone"
        calls.append(f"{name}({', '.join(f'{key} := {value}' for key, value in given.items())})")
    (mesh_project / "models" / "measured.sql").write_text(
        f"MODEL (name hospital.measured, kind FULL, audits ({', '.join(calls)}));\nSELECT 1 AS one\n"
    )
    said = run_in(mesh_project, sys.executable, "-c", RENDER)
    measured = json.loads(said.partition("FOUND ")[2])
    assert [Counter(sizes) for sizes in measured] == [violating(people, everyone, i) for i in range(len(ASKED))]
    (mesh_project / "models" / "measured.sql").unlink()
    planned = run_in(mesh_project, "sqlmesh", "plan", "--auto-apply", "--no-prompts")
    assert "audits passed 3" in planned
    kanon_sql.run(config)
    with duckdb.connect(str(mesh_project / "warehouse.duckdb")) as connection:
        released = Counter(connection.execute("SELECT * FROM hospital.released").fetchall())
        assert released == Counter(connection.read_parquet(str(tmp_path / "run.parquet")).fetchall())
        assert 0 < sum(released.values()) < len(everyone)
    assert MISSING == ["?", "it's"]
