"""`kanon-sql init` from a table to a release: what it proposes runs, says why, and shows no value of the data."""

from __future__ import annotations

import csv
import json
import os
import pty
import random
import select
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from effort import tries
from ended import Call, calling
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from shared_engine import attached, insert, shared

import kanon_sql
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError
from kanon_sql.source.profile.kinds import DIRECT

SECRET = "Zaphodia"  # in names and notes: whoever finds it elsewhere has found a value of the data


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs kanon-sql in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    return calling(capsys)


def german_table(path: Path, rows: int = 600) -> Path:
    """Patients as a German spreadsheet writes them: semicolons, days first, decimal commas, sexes in four writings."""
    draw = random.Random(5)
    lines = ["Name;E-Mail;Geschlecht;Alter;PLZ;Ort;Geburtsdatum;Gewicht;Diagnose;Notiz"]
    towns = {"10115": "Berlin", "20095": "Hamburg", "80331": "München", "50667": "Köln"}
    for i in range(rows):
        zip_code = draw.choice(list(towns))
        lines.append(
            f"{SECRET} Beeble{i};{SECRET.lower()}{i}@example.org;{draw.choice(['m', 'M', 'w', 'weiblich'])};"
            f"{draw.randint(18, 90)};{zip_code};{towns[zip_code]};{draw.randint(1, 28):02}.{draw.randint(1, 12):02}."
            f"{draw.randint(1935, 2005)};{draw.randint(500, 999) / 10:.1f}".replace(".", ",", 0)
            + f";{draw.choice(['Grippe', 'Angina', 'Migräne', 'Asthma'])};"
            + f"Frau {SECRET} rief am Abend an und bat um einen neuen Termin Nummer {i}"
        )
    path.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def recounted(release: Path, columns: list[str]) -> Counter[tuple[str, ...]]:
    """How many rows of a CSV release share each combination: counted in plain Python."""
    with release.open(newline="", encoding="utf-8") as file:
        head = file.readline()
        file.seek(0)
        rows = list(csv.DictReader(file, delimiter=";" if head.count(";") > head.count(",") else ","))
    return Counter(tuple(row[name] for name in columns) for row in rows)


@pytest.mark.slow
def test_what_is_proposed_runs_and_is_k_anonymous(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    proposed = call("init", "patienten.csv", "--yes", "-o", "config.yaml")
    assert proposed.status == 0 and proposed.out == "", proposed
    config = yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))
    assert config["target"] == "patienten_anonymous.csv" and config["privacy"]["k"] == 12
    assert set(config["identifiers"]) >= {"Name", "E-Mail", "Notiz"}
    assert set(config["quasi_identifiers"]) >= {"Geschlecht", "Alter", "PLZ", "Geburtsdatum"}
    assert config["source"]["columns"]["Geschlecht"] == {
        "case": "lower",
        "recode": {"m": "male", "w": "female", "weiblich": "female"},
    }
    assert config["quasi_identifiers"]["Geschlecht"] == "sex"
    assert config["quasi_identifiers"]["PLZ"] == {"builtin": "de-plz"}
    assert "Diagnose" in config["sensitive"]
    ran = call("run", "config.yaml", "--quiet")
    assert ran.status == 0, ran
    classes = recounted(tmp_path / "patienten_anonymous.csv", list(config["quasi_identifiers"]))
    assert min(classes.values()) >= 12 and len(classes) > 5


@pytest.mark.slow
def test_a_quasi_identifier_that_another_tells_is_left_out_unless_it_is_asked_for(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    columns = json.loads(call("init", "patienten.csv", "--json").out)["columns"]
    town = next(column for column in columns if column["name"] == "Ort")
    assert town["role"] == "quasi-identifier" and "'PLZ'" in town["left_out"]
    text = call("init", "patienten.csv", "--yes").out
    config = yaml.safe_load(text)
    assert "Ort" in config["identifiers"] and "Ort" not in config["quasi_identifiers"]
    lines = text.splitlines()
    taken_back = yaml.safe_load(lines[lines.index("  - Ort") - 1].lstrip(" #"))
    config["identifiers"].remove("Ort")
    config["quasi_identifiers"] |= taken_back
    (tmp_path / "again.yaml").write_text(yaml.safe_dump(config))
    assert call("run", "again.yaml", "--quiet", "--dry-run").status == 0
    kept = yaml.safe_load(call("init", "patienten.csv", "--yes", "--known", "Ort").out)
    assert "Ort" in kept["quasi_identifiers"] and "Ort" not in kept["identifiers"]


@pytest.mark.few(1)
@pytest.mark.parametrize("same", [True, False])
def test_of_birth_date_and_age_the_age_is_kept_where_they_say_the_same(call: Call, tmp_path: Path, same: bool) -> None:
    draw = random.Random(3)
    lines = ["birth_date,age,town"]
    for _ in range(400):
        year, age = draw.randint(1935, 2005), draw.randint(18, 88)
        born = f"{year}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        lines.append(f"{born},{2023 - year if same else age},{draw.choice(['Ulm', 'Hof', 'Bonn'])}")
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    config = yaml.safe_load(call("init", "people.csv", "--yes").out)
    assert "age" in config["quasi_identifiers"]
    assert ("birth_date" in config.get("identifiers", [])) == same
    assert ("birth_date" in config["quasi_identifiers"]) != same


@pytest.mark.slow
def test_words_for_missing_stand_in_one_list_and_ready_hierarchies_are_used(call: Call, tmp_path: Path) -> None:
    draw = random.Random(4)
    lands = ["Deutschland", "Türkei", "Polen", "Italien", "Österreich", "k.A.", "-", ""]
    jobs = ["Koch", "Lehrer", "Arzt ", "k.A.", "-", " "]
    ages = [*map(str, range(20, 60)), "x"]
    rows = [";".join((draw.choice(lands), draw.choice(jobs), draw.choice(ages))) for _ in range(400)]
    (tmp_path / "people.csv").write_text("\n".join(["Geburtsland;Beruf;Alter", *rows]) + "\n", encoding="utf-8")
    config = yaml.safe_load(call("init", "people.csv", "--yes").out)
    assert config["source"]["missing"] == ["", "-", "k.A."]
    assert config["source"]["columns"]["Beruf"] == {"trim": True}
    assert config["source"]["columns"]["Alter"]["missing"] == ["x"]  # a word for missing among numbers only
    assert config["quasi_identifiers"]["Geburtsland"] == "country-de"


@pytest.mark.slow
@pytest.mark.parametrize(("count", "said"), [(8, False), (10, True)])
def test_many_quasi_identifiers_are_said_to_cost(call: Call, tmp_path: Path, count: int, said: bool) -> None:
    draw = random.Random(7)
    names = [f"q{i}" for i in range(count)]
    with (tmp_path / "many.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *([f"v{draw.randint(1, 5 + i)}" for i in range(count)] for _ in range(300))])
    ended = call("init", "many.csv", "--yes", *(word for name in names for word in ("--known", name)))
    assert ("10 quasi-identifiers are many" in ended.err) is said
    assert ("10 quasi-identifiers are many" in ended.out) is said
    assert not said or "have q9, q8 and q7" in " ".join(ended.err.split())


@pytest.mark.slow
def test_no_value_of_the_data_is_shown(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    for words in (["--yes"], ["--json"], ["--yes", "-o", "config.yaml"], ["--yes", "--recipient", "internal"]):
        shown = call("init", "patienten.csv", *words)
        assert shown.status == 0
        text = (shown.out + shown.err + (Path("config.yaml").read_text() if "-o" in words else "")).lower()
        for secret in (SECRET.lower(), "beeble", "example.org", "münchen", "10115", "migräne", "abend"):
            assert secret not in text, secret


@pytest.mark.slow
def test_the_proposal_is_the_same_each_time(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    first, again = (call("init", "patienten.csv", "--yes").out for _ in range(2))
    assert first == again
    lines = (tmp_path / "patienten.csv").read_text(encoding="utf-8").splitlines()
    draw = random.Random(1)
    body = lines[1:]
    draw.shuffle(body)
    (tmp_path / "patienten.csv").write_text("\n".join([lines[0], *body]) + "\n", encoding="utf-8")
    assert call("init", "patienten.csv", "--yes").out == first


@pytest.mark.slow
def test_every_column_and_key_has_its_reason_above_it(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    lines = call("init", "patienten.csv", "--yes").out.splitlines()
    heads = ("identifiers:", "quasi_identifiers:", "sensitive:", "insensitive:", "source:")
    for before, line in pairwise(lines):
        if line and not line.lstrip().startswith("#") and not line.startswith(heads):
            inner = before.strip() in ("source:", "columns:", "privacy:", "suppression:")
            reads = line.startswith("    ") or line.startswith(("  path:", "  columns:", "  csv:"))
            assert before.lstrip().startswith("#") or inner or reads, line


@pytest.mark.slow
def test_json_is_the_profile_and_nothing_else(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv")
    ended = call("init", "patienten.csv", "--json")
    data = json.loads(ended.out)
    assert ended.status == 0 and ended.err == ""
    assert data["rows"] == 600 and len(data["columns"]) == 10
    for column in data["columns"]:
        assert {"name", "kind", "is", "role", "why", "distinct", "missing", "alone"} <= set(column)
        assert column["role"] in ("identifier", "quasi-identifier", "sensitive", "insensitive")
        assert column["is"] not in DIRECT or column["role"] == "identifier"
    by_name = {column["name"]: column for column in data["columns"]}
    assert by_name["Ort"]["distinct"] == 4 and by_name["E-Mail"]["alone"] == 1
    assert {"by": "PLZ", "column": "Ort", "share": 1.0} in data["determined"]


@pytest.mark.slow
def test_an_existing_configuration_is_only_replaced_when_asked(call: Call, tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv", 60)
    (tmp_path / "config.yaml").write_text("mine")
    refused = call("init", "patienten.csv", "--yes", "-o", "config.yaml")
    assert refused.status == 2 and "--overwrite" in refused.err and Path("config.yaml").read_text() == "mine"
    assert call("init", "patienten.csv", "--yes", "-o", "config.yaml", "--overwrite").status == 0
    before = Path("patienten.csv").read_bytes()
    assert call("init", "patienten.csv", "--yes", "-o", "patienten.csv", "--overwrite").status == 2
    assert call("init", "patienten.csv", "--yes", "-o", ".").status == 2
    assert call("init", "patienten.csv", "--yes", "-o", "nowhere/config.yaml").status == 2
    assert Path("patienten.csv").read_bytes() == before


@pytest.mark.few(8)
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["nothing.csv"], 3, "does not exist"),
        (["people.csv", "--known", "aage"], 2, "--known aage"),
        (["people.csv", "--entity", "who"], 2, "--entity who"),
        (["people.csv", "--hierarchies", "nowhere"], 2, "--hierarchies nowhere"),
        (["empty.csv"], 1, "no rows"),
        (["blank.csv"], 3, "blank.csv: the file holds only blank lines"),
        (["missing.csv"], 1, "holds nothing"),
        (["ragged.csv"], 3, "ragged.csv: 1 record does not fit (line 3)"),
        (["config.yaml"], 2, "config.yaml: is called like a configuration"),
        (["people.csv", "--recipient", "everybody"], 2, "'everybody'"),
    ],
)
def test_mistakes_are_told(call: Call, tmp_path: Path, words: list[str], status: int, said: str) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n" + "34,f\n35,m\n" * 10)
    (tmp_path / "empty.csv").write_text("age,sex\n")
    (tmp_path / "blank.csv").write_text("\n\n")
    (tmp_path / "missing.csv").write_text("age,sex\n,\n,\n")
    (tmp_path / "ragged.csv").write_text("age,sex\n34,f\n35\n")
    (tmp_path / "config.yaml").write_text("source: people.csv\n")
    ended = call("init", *words, "--yes", "-o", "made.yaml")
    assert ended.status == status and said in ended.err and ended.out == "", ended


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "column",
    [
        "[i % 3] AS tags",
        "{'a': i} AS deep",
        "encode('x' || (i // 9)) AS bytes",
        "CASE WHEN i % 9 = 0 THEN DATE 'infinity' ELSE DATE '1990-01-01' + CAST(i AS INTEGER) END AS birth",
        "CASE WHEN i % 2 = 0 THEN 'x' ELSE CAST(i AS VARCHAR) END AS mixed",
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_columns_that_no_builtin_covers(call: Call, column: str, alone: bool) -> None:
    columns = column if alone else f"i % 5 AS age, {column}"
    with shared() as connection:
        connection.execute(f"COPY (SELECT {columns} FROM range(100) r(i)) TO 'people.parquet'")
    proposed = call("init", "people.parquet", "--yes", "-o", "config.yaml")
    assert proposed.status == 0 or ("nothing is left" in proposed.err and alone), proposed.err
    if proposed.status == 0:
        ran = call("run", "config.yaml", "--quiet")
        assert ran.status == 0, ran.err


@pytest.mark.slow
@pytest.mark.parametrize("header", ["Age,age,AGE", '"",sex,Sex', "stra\u00dfe,STRASSE,x"])
def test_columns_that_cannot_be_released_by_their_names_are_left_out(call: Call, tmp_path: Path, header: str) -> None:
    rows = "".join(f"{20 + i % 3},{'fm'[i % 2]},{i % 5}\n" for i in range(60))
    (tmp_path / "people.csv").write_text(f"{header}\n{rows}", encoding="utf-8")
    assert call("init", "people.csv", "--yes", "-o", "config.yaml").status == 0
    assert call("run", "config.yaml", "--quiet").status == 0
    released = (tmp_path / "people_anonymous.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    names = header.replace('""', "").split(",")
    first = {name.casefold(): name for name in reversed(names) if name}
    assert released == [name for name in names if name in first.values()]


@pytest.mark.slow
def test_paths_are_relative_to_the_configuration(call: Call, tmp_path: Path) -> None:
    for name in ("data", "work"):
        (tmp_path / name).mkdir()
    german_table(tmp_path / "data" / "patienten.csv", 200)
    assert call("init", "data/patienten.csv", "--yes", "-o", "work/config.yaml").status == 0
    config = yaml.safe_load(Path("work/config.yaml").read_text(encoding="utf-8"))
    assert config["source"]["path"] == "../data/patienten.csv" and config["target"] == "patienten_anonymous.csv"
    assert call("run", "work/config.yaml", "--quiet").status == 0
    assert (tmp_path / "work" / "patienten_anonymous.csv").is_file()


@pytest.mark.slow
def test_folders_patterns_and_tables_are_taken(call: Call, tmp_path: Path) -> None:
    (tmp_path / "visits").mkdir()
    with attached(tmp_path / "house.duckdb") as connection:
        connection.execute(
            "CREATE TABLE people AS "
            "SELECT i % 2 = 0 AS sex, 20 + i % 50 AS age, 'x' || i % 3 AS ward FROM range(400) t(i)"
        )
        for part in (0, 1):
            connection.execute(f"COPY (FROM people WHERE age % 2 = {part}) TO '{tmp_path}/visits/p{part}.parquet'")
    for number, words in enumerate((["visits"], ["visits/p*.parquet"], ["house.duckdb", "--table", "people"])):
        assert call("init", *words, "--yes", "-o", f"c{number}.yaml").status == 0
        ran = call("run", f"c{number}.yaml", "--quiet")
        assert ran.status == 0, (words, ran, Path(f"c{number}.yaml").read_text())
    assert call("init", "house.duckdb", "--yes").status == 2
    Path("visits/here").mkdir()
    assert call("init", "visits", "--yes", "-o", "visits/config.yaml").status == 0
    assert call("run", "visits/config.yaml", "--quiet").status == 0


@pytest.mark.slow
def test_hierarchies_of_another_project_are_taken_where_they_cover(call: Call, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        "age,sex,job\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]},nurse\n" for i in range(300))
    )
    folder = tmp_path / "arx"
    folder.mkdir()
    (folder / "adult_hierarchy_age.csv").write_text("".join(f"{i};{i // 10};*\n" for i in range(100)))
    (folder / "adult_hierarchy_sex.csv").write_text("f;*\n")
    (folder / "adult_hierarchy_salary.csv").write_text("1;*\n")
    ended = call("init", "people.csv", "--yes", "--hierarchies", "arx", "-o", "config.yaml")
    config = yaml.safe_load(Path("config.yaml").read_text())
    assert config["quasi_identifiers"]["age"] == "arx/adult_hierarchy_age.csv"
    assert config["quasi_identifiers"]["sex"] != "arx/adult_hierarchy_sex.csv"
    assert "1 of its 2 values have no row in it" in ended.err and "adult_hierarchy_salary.csv" in ended.err
    assert call("run", "config.yaml", "--quiet").status == 0


@pytest.mark.slow
def test_an_id_that_repeats_is_the_person(call: Call, tmp_path: Path) -> None:
    draw = random.Random(2)
    lines = [f"P{draw.randint(1000, 1099)},{draw.choice('fm')},{draw.randint(20, 70)},flu" for _ in range(1000)]
    (tmp_path / "visits.csv").write_text("\n".join(["patient_id,sex,age,disease", *lines]) + "\n")
    assert call("init", "visits.csv", "--yes", "--entity", "patient_id", "-o", "config.yaml").status == 0
    config = yaml.safe_load(Path("config.yaml").read_text())
    assert config["privacy"] == {"k": 5, "entity": "patient_id"}, "a twentieth of the hundred persons"
    assert call("run", "config.yaml", "--quiet").status == 0
    assert kanon_sql.init("visits.csv", entity="").answers.entity is None


def test_a_table_of_names_has_nothing_to_release(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text("e-mail\n" + "".join(f"{SECRET}{i}@example.org\n" for i in range(50)))
    ended = call("init", "mail.csv", "--yes", "-o", "config.yaml")
    assert ended.status == 1 and "nothing is left to release" in ended.err and not Path("config.yaml").exists()
    assert call("init", "mail.csv", "--json").status == 0


@pytest.mark.slow
def test_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    german_table(tmp_path / "patienten.csv", 200)
    proposal = kanon_sql.init("patienten.csv", recipient="internal", purpose="statistics", known=["Diagnose"])
    assert proposal.settings["privacy"][0] == {"k": 3} and proposal.settings["algorithm"][0] == "optimal"
    assert proposal.roles["Diagnose"] == "quasi-identifier" and proposal.profile.rows == 200
    assert proposal.to_dict()["rows"] == 200 and "quasi_identifiers:" in proposal.yaml
    path = proposal.write("config.yaml")
    assert path.read_text(encoding="utf-8") == proposal.yaml
    with pytest.raises(ConfigurationError):
        proposal.write("config.yaml")
    assert kanon_sql.run("config.yaml").status == "released"
    with pytest.raises(ConfigurationError, match="recipient='all'"):
        kanon_sql.init("patienten.csv", recipient="all")


# The questions -------------------------------------------------------------------------------------------------------


def converse(folder: Path, words: list[str], answers: str, seconds: float = 60) -> tuple[int, str, str]:
    """Runs the command on a terminal of its own and types the answers; its status, what it showed, standard output."""
    main_end, its_end = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-m", "kanon_sql", *words],
        cwd=folder, stdin=its_end, stderr=its_end, stdout=subprocess.PIPE, env=env, start_new_session=True,
    ) as process:  # fmt: skip
        os.close(its_end)
        os.write(main_end, answers.encode())
        shown, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([main_end], [], [], 0.2)
            if ready:
                try:
                    shown += os.read(main_end, 65536)
                except OSError:  # the other end is closed
                    break
            elif process.poll() is not None:
                break
        process.kill()
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(main_end)
    return process.returncode, shown.decode("utf-8", "replace"), out.decode()


@pytest.mark.slow
def test_on_a_terminal_it_asks(tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv", 300)
    status, shown, out = converse(tmp_path, ["init", "patienten.csv", "-o", "config.yaml"], "9\n2\n2\ny\nnonsense\n\n")
    assert status == 0 and out == "", shown
    for said in ("Who will get the release?", "What for?", "Is each row another person?", "What may somebody outside"):
        assert said in shown
    config = yaml.safe_load((tmp_path / "config.yaml").read_text(encoding="utf-8"))
    assert config["privacy"]["k"] == 5 and config["algorithm"] == "optimal"


@pytest.mark.slow
def test_answers_change_what_others_know_and_who_is_a_person(tmp_path: Path) -> None:
    rows = "".join(f"{i % 90},{'fm'[i % 2]},{20 + i % 30},flu{i % 5}\n" for i in range(900))
    (tmp_path / "visits.csv").write_text("who,sex,age,disease\n" + rows)
    # The fourth column of those that may be released is the disease; who is the first of all.
    status, shown, out = converse(tmp_path, ["init", "visits.csv"], "\n\nn\n1\n4\n")
    assert status == 0, shown
    config = yaml.safe_load(out)
    assert config["privacy"]["entity"] == "who"
    assert config["algorithm"] == "local"
    assert "disease" in config["quasi_identifiers"], shown


@pytest.mark.slow
def test_with_yes_or_json_nothing_is_asked_on_a_terminal(tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv", 100)
    for words in (["--yes"], ["--json"]):
        status, shown, out = converse(tmp_path, ["init", "patienten.csv", *words], "")
        assert status == 0 and "?" not in shown.replace("What was", "") and out


@pytest.mark.slow
def test_an_existing_configuration_is_asked_about(tmp_path: Path) -> None:
    german_table(tmp_path / "patienten.csv", 100)
    (tmp_path / "config.yaml").write_text("mine")
    status, shown, _ = converse(tmp_path, ["init", "patienten.csv", "-o", "config.yaml"], "n\n")
    assert status == 2 and "Replace it?" in shown and (tmp_path / "config.yaml").read_text() == "mine"


# Whatever the table holds --------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufeff"), min_size=1, max_size=12).filter(
    str.strip
)
CELLS = st.one_of(
    st.none(),
    st.integers(-50, 50).map(str),
    st.decimals(-9, 9, places=2).map(str),
    st.dates().map(str),
    st.sampled_from(["m", "w", "?", "", "NA", "02139", "a;b", 'say "x"', "${HOME}", "*", "Other", "O'Hara", "-"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Column names and rows of texts; some columns have few values, some one kind of values."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower))
    count = draw(st.integers(1, 30))
    columns = []
    for _ in names:
        values = draw(st.lists(CELLS, min_size=1, max_size=draw(st.sampled_from([1, 3, 30]))))
        columns.append([draw(st.sampled_from(values)) for _ in range(count)])
    return names, [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.slow
@settings(deadline=None, max_examples=tries(25))
@given(table=tables())
def test_a_proposal_for_any_table_runs(folder: Path, table: tuple[list[str], list[list[str | None]]]) -> None:
    names, rows = table
    path, config, target = folder / "any.parquet", folder / "any.yaml", folder / "any_anonymous.parquet"
    for file in (config, target):
        file.unlink(missing_ok=True)
    with attached() as connection:
        quoted = ", ".join('"' + name.replace('"', '""') + '" VARCHAR' for name in names)
        connection.execute(f"CREATE TABLE t ({quoted})")
        insert(connection, "t", rows)
        connection.execute(f"COPY t TO '{path}'")
    proposal = kanon_sql.init(path)
    try:
        proposal.write(config)
    except NoReleaseError:
        assert set(proposal.roles.values()) == {"identifier"}
        return
    result: Any = kanon_sql.run(config)
    assert result.status == "released"
    assert result.smallest_class >= proposal.settings["privacy"][0]["k"]


@pytest.mark.slow
@settings(deadline=None, max_examples=tries(15))
@given(table=tables())
def test_a_proposal_for_any_csv_runs_or_says_why_not(
    folder: Path, table: tuple[list[str], list[list[str | None]]]
) -> None:
    names, rows = table
    path, config, target = folder / "any.csv", folder / "any.yaml", folder / "any_anonymous.csv"
    for leftover in (config, target):
        leftover.unlink(missing_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    try:
        kanon_sql.init(path).write(config)
    except KanonError as error:
        assert error.problems
        return
    assert kanon_sql.run(config).status == "released"
