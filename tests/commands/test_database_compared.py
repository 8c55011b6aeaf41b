"""Releases of whole databases compared with their sources, and attacked: as the same tables joined by hand are."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from effort import whole_runs
from hypothesis import given
from hypothesis import strategies as st
from shared_engine import attached
from small_databases import written

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError, EngineError

Json = dict[str, Any]

TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR", "born": "INTEGER", "income": "INTEGER", "home": "INTEGER"},
    "address": {"address_id": "INTEGER", "region": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "day": "DATE", "ward": "VARCHAR"},
    "diagnosis": {"visit_id": "INTEGER", "code": "VARCHAR"},
    "nothing": {"person_id": "INTEGER", "word": "VARCHAR"},
}
PERSONS = {"sex": {"builtin": "suppress"}, "born": {"builtin": "intervals", "widths": [10, 30]}}
FIGURES = ("columns", "pairs", "queries", "pmse", "prediction")
ATTACKS = ("singling_out", "linkability", "inference", "minimality", "downcoding")


def clinic(folder: Path, kind: str) -> Json:
    """A configuration of invented persons, some of whom have no address, as files or a database."""
    draw = random.Random(4)
    persons = [
        (
            i,
            draw.choice("fm"),
            (1900 if i < 4 else 1960) + draw.randrange(20),
            100 * draw.randrange(9),
            i // 2 if i % 7 else None,
        )
        for i in range(120)
    ]
    database: dict[str, list[Any]] = {
        "person": persons,
        "address": [(i, draw.choice(["north", "south"])) for i in range(60)],
        "visit": [(i, draw.randrange(130), f"2024-01-{1 + i % 28:02}", draw.choice("ab")) for i in range(300)],
        "diagnosis": [(draw.randrange(300), draw.choice(["I1", "I2", "I3"]) if i else "R9") for i in range(400)],
        "nothing": [],
    }
    source, target = written(database, TYPES, folder, kind)
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "tables": {
            "person": {"quasi_identifiers": PERSONS, "sensitive": ["income"]},
            "address": {"via": {"home": "address_id"}, "quasi_identifiers": {"region": {"builtin": "suppress"}}},
            "visit": {"link": "person_id", "since": {"day": "first"}, "insensitive": ["ward"]},
            "diagnosis": {"link": {"visit_id": "visit"}, "facts": {"code": {}}},
            "nothing": {"link": "person_id", "insensitive": ["word"]},
        },
        "privacy": {"k": 4, "facts": {"known": 2}},
        "suppression": {"persons": "5%"},
    }


def joined_by_hand(folder: Path) -> Json:
    """The persons of the source and of the release with their regions, as a configuration of one table."""
    with attached() as connection:
        for side in ("source", "out"):
            connection.execute(
                f"COPY (SELECT sex, born, income, region AS \"address.region\" FROM '{folder}/{side}/person.parquet' "
                f"LEFT JOIN '{folder}/{side}/address.parquet' ON home = address_id) TO '{folder}/{side}_joined.parquet'"
            )
    return {
        "source": str(folder / "source_joined.parquet"),
        "target": str(folder / "out_joined.parquet"),
        "quasi_identifiers": {**PERSONS, "address.region": {"builtin": "suppress"}},
        "sensitive": ["income"],
        "privacy": {"k": 4},
        "suppression": {"limit": "5%"},
    }


def share(folder: Path, side: str, statement: str) -> dict[Any, float]:
    with attached() as connection:
        rows = connection.execute(statement.format(folder / side)).fetchall()
    return {value: count / len(rows) for (value,), count in Counter(rows).items()}


@pytest.mark.slow
def test_figures_are_those_of_persons_joined_by_hand(tmp_path: Path) -> None:
    config = clinic(tmp_path, "parquet")
    report = kanon_sql.run(config).report
    assert report["persons"]["suppressed"] > 0
    assert report["facts"]["kept"] < 1
    by_hand = joined_by_hand(tmp_path)
    utility = kanon_sql.utility(config)
    alone = kanon_sql.utility(by_hand)
    assert set(utility["columns"]) == {"sex", "born", "address.region", "income"}
    for key in FIGURES:
        assert json.dumps(utility[key], sort_keys=True) == json.dumps(alone[key], sort_keys=True), key
    attacks = kanon_sql.attack(config, attacks=40, method=True)
    alone = kanon_sql.attack(by_hand, attacks=40, method=True)
    assert attacks["downcoding"] is not None  # so the search finds the release that is there
    for key in ATTACKS:
        assert attacks[key] == alone[key], key
    # Of facts, and of what stands beside them, the shares of the rows.
    assert set(utility["tables"]) == {"visit", "diagnosis", "nothing"}
    assert set(utility["tables"]["visit"]["columns"]) == {"ward"}
    for name, column in (("diagnosis", "code"), ("visit", "ward")):
        statement = f"SELECT {column} FROM '{{}}/{name}.parquet'"
        source, release = (share(tmp_path, side, statement) for side in ("source", "out"))
        varied = sum(abs(source.get(value, 0) - release.get(value, 0)) for value in {*source, *release}) / 2
        distance = utility["tables"][name]["columns"][column]["total_variation"]
        assert varied > 0
        assert distance == pytest.approx(varied), name
    assert any("'visit'" in text and "'day'" in text for text in utility["warnings"])
    assert any("'nothing'" in text and "no rows" in text for text in utility["warnings"])


@pytest.mark.slow
def test_values_that_persons_hold_are_read_by_the_search_alone(tmp_path: Path) -> None:
    """A model of another table's column that forbids nothing changes no figure, nor is the column attacked."""
    config = clinic(tmp_path, "parquet")
    config["tables"]["visit"] = {"link": "person_id", "sensitive": ["ward"], "identifiers": ["day", "visit_id"]}
    config["tables"] |= {"diagnosis": "drop", "nothing": "drop"}
    config["privacy"] = {"k": 4}
    kanon_sql.run(config)
    with_model = {**config, "privacy": {**config["privacy"], "t_closeness": {"column": "visit.ward", "t": 1}}}
    utility, with_models = kanon_sql.utility(config), kanon_sql.utility(with_model)
    assert [utility[key] for key in (*FIGURES, "tables", "warnings")] == [
        with_models[key] for key in (*FIGURES, "tables", "warnings")
    ]
    attacks, attacks_with_model = (kanon_sql.attack(each, attacks=10) for each in (config, with_model))
    assert [attacks[key] for key in ATTACKS[:3]] == [attacks_with_model[key] for key in ATTACKS[:3]]
    report = kanon_sql.attack(with_model, attacks=10, hold_out="50%")
    assert report["status"] == "measured"
    assert "income" in json.dumps(report["inference"])
    assert "visit" not in json.dumps([report[key] for key in ATTACKS[:3]])
    with pytest.raises(ConfigurationError, match=r"models of 'visit\.ward' read other tables; leave --method out"):
        kanon_sql.attack(with_model, attacks=10, method=True)


@pytest.mark.slow
def test_texts_of_files_have_the_same_figures(tmp_path: Path) -> None:
    reports = []
    for kind in ("parquet", "csv"):
        (tmp_path / kind).mkdir()
        config = clinic(tmp_path / kind, kind)
        if kind == "csv":
            config["tables"]["person"]["source"] = {"columns": {"born": {"type": "number"}}}
        kanon_sql.run(config)
        utility = kanon_sql.utility(config)
        reports.append([utility[key] for key in (*FIGURES, "tables")])
    assert reports[0] == reports[1]


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    config = clinic(tmp_path, "parquet")
    for command in (kanon_sql.utility, kanon_sql.attack):
        with pytest.raises(EngineError, match="no release yet"):
            command(config)
        with pytest.raises(ConfigurationError, match="taken its source away"):
            command({**config, "target": "in-place"})
        with pytest.raises(ConfigurationError, match="no target is named"):
            command({**config, "target": None})
        with pytest.raises(ConfigurationError, match="data= goes with"):
            command(config, data=tmp_path / "source" / "person.parquet")
        with pytest.raises(ConfigurationError, match="would lie in"):
            command(config, report=tmp_path / "source" / "report.json")
    tables = {**config["tables"], "person": {"insensitive": ["sex", "born", "income"], "unlisted": "drop"}}
    tables["address"] = "drop"
    with pytest.raises(ConfigurationError, match="no quasi-identifiers"):
        kanon_sql.attack({**config, "tables": tables})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "person.parquet").write_bytes((tmp_path / "source" / "person.parquet").read_bytes())
    with pytest.raises(ConfigurationError, match="has no table 'address'"):
        kanon_sql.utility(config)


@pytest.mark.slow
def test_the_commands(tmp_path: Path) -> None:
    file, report = tmp_path / "clinic.yaml", tmp_path / "report.json"
    file.write_text(yaml.safe_dump(clinic(tmp_path, "parquet")))
    for arguments in (
        ["run", str(file)],
        ["utility", str(file), "--report", str(report)],
        ["attack", str(file), "--hold-out", "50%", "--attacks", "10", "--html", str(tmp_path / "page.html")],
    ):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        if arguments[0] == "utility":
            assert "table diagnosis" in result.stdout
            assert "address.region" in result.stdout
    assert set(json.loads(report.read_text())["tables"]["diagnosis"]["columns"]) == {"code"}
    assert (tmp_path / "page.html").is_file()


def _drawn(facts: dict[int, set[str]], known: int, attacks: int, seed: int, k: int) -> Json:
    """What is drawn of persons, in plain Python: who, and which of their facts, follows the order of digests."""
    numbers = {fact: place for place, fact in enumerate(sorted(set().union(*facts.values())), 1)}
    lists = {str(person): {numbers[fact] for fact in has} for person, has in facts.items()}

    def digest(*parts: object) -> str:
        return hashlib.md5(" ".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()

    able = sorted((p for p in lists if len(lists[p]) >= known), key=lambda p: digest(seed, p))[:attacks]
    sets = [set(sorted(lists[p], key=lambda fact: digest(seed, p, fact))[:known]) for p in able]
    holders = [sum(has >= chosen for has in lists.values()) for chosen in sets]
    return {
        "known": known,
        "persons": len(able),
        "alone": holders.count(1),
        "below_k": sum(n < k for n in holders),
        "chance": pytest.approx(sum(1 / n for n in holders) / len(able)) if able else None,
    }


@whole_runs(12)
@given(
    st.lists(st.sets(st.sampled_from("abcde")), min_size=3, max_size=12),
    st.integers(1, 8),
    st.integers(0, 5),
)
def test_facts_that_are_drawn_are_matched_as_by_hand(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[set[str]], attacks: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("facts")
    facts = {i: {f'["visit","{kind}"]' for kind in kinds} for i, kinds in enumerate(drawn) if kinds}
    database: dict[str, list[tuple[Any, ...]]] = {
        "person": [(i, "f") for i in range(len(drawn))],
        "visit": [(i, kind) for i, kinds in enumerate(drawn) for kind in [*sorted(kinds), *sorted(kinds)]],
    }
    types = {
        "person": {"person_id": "INTEGER", "sex": "VARCHAR"},
        "visit": {"person_id": "INTEGER", "kind": "VARCHAR"},
    }
    source, target = written(database, types, folder, "parquet")
    config: Json = {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"person_id": "keep"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "visit": {"link": "person_id", "facts": {"kind": {}}},
        },
        "privacy": {"k": 2, "facts": {"known": 1}},
    }
    kanon_sql.run(config, progress=None)
    report = kanon_sql.attack(config, attacks=attacks, seed=seed, progress=None)
    kept: dict[int, set[str]] = {}
    with attached() as connection:
        for person, kind in connection.execute(f"SELECT person_id, kind FROM '{folder}/out/visit.parquet'").fetchall():
            kept.setdefault(person, set()).add(f'["visit","{kind}"]')
    for side, there in (("source", facts), ("release", kept)):
        expected = [_drawn(there, known, attacks, seed, 2) for known in (1, 2, 3)] if there else None
        if expected is not None:
            assert report["facts"][side] == expected
    assert all(entry["below_k"] == 0 for entry in (report["facts"]["release"] or [])[:1])
