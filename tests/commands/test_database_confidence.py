"""What sets of facts tell of sensitive values, counted in plain Python in what was released."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from effort import tries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_databases import released_rows, written

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError
from kanon_sql.search.facts.suppression import KeptFacts

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]
TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR", "job": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR", "outcome": "VARCHAR"},
    "test": {"visit_id": "INTEGER", "code": "VARCHAR"},
    "finding": {"visit_id": "INTEGER", "word": "VARCHAR"},
}


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Rows]:
    """Persons with jobs, visits with outcomes, tests as facts, and findings that are sensitive and no facts."""
    persons = [
        (i, draw(st.sampled_from("fm")), draw(st.sampled_from(["a", "b", None])))
        for i in range(draw(st.integers(2, 14)))
    ]
    visits = [
        (v, draw(st.sampled_from(persons))[0], draw(st.sampled_from("pq")), draw(st.sampled_from(["u", "w", None])))
        for v in range(draw(st.integers(1, 24)))
    ]
    numbers = st.integers(0, len(visits))
    tests = [(draw(numbers), draw(st.sampled_from("xyz"))) for _ in range(draw(st.integers(0, 24)))]
    findings = [(draw(numbers), draw(st.sampled_from("mno"))) for _ in range(draw(st.integers(0, 12)))]
    return {"person": persons, "visit": visits, "test": tests, "finding": findings}


def configuration(
    database: dict[str, Rows], folder: Path, kind: str, k: int, known: int, share: str, among: str = "nothing"
) -> Json:
    """Writes the tables; gives a configuration of them."""
    source, target = written(database, TYPES, folder, kind)
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "sensitive": ["job"]},
            "visit": {"link": "person_id", "facts": {"kind": {"builtin": "suppress"}}, "sensitive": ["outcome"]},
            "test": {"link": {"visit_id": "visit"}, "facts": {"code": {}}},
            "finding": {"link": {"visit_id": "visit"}, "sensitive": ["word"]},
        },
        "privacy": {"k": k, "facts": {"known": known, "with": among, "confidence": share}},
        "suppression": {"persons": 3},
    }


def read(folder: Path, kind: str) -> dict[str, list[Json]]:
    """The tables that were released, every value as text, what is missing as None."""
    tables = released_rows(TYPES, folder, kind)
    return {name: [dict(zip(TYPES[name], row, strict=True)) for row in rows] for name, rows in tables.items()}


def sets_and_shares(tables: dict[str, list[Json]], known: int, *, by_class: bool) -> tuple[list[int], list[Fraction]]:
    """Of each set of facts the persons who have it, and the shares of these with each sensitive value of them."""
    sexes = {row["person_id"]: row["sex"] for row in tables["person"]}
    owners = {row["visit_id"]: row["person_id"] for row in tables["visit"]}
    facts, values = defaultdict(set), defaultdict(set)
    for row in tables["visit"]:
        facts[row["person_id"]].add(("kind", row["kind"]))
        values[row["person_id"]].add(("outcome", row["outcome"]))
    for row in tables["test"]:
        facts[owners[row["visit_id"]]].add(("code", row["code"]))
    for row in tables["finding"]:
        values[owners[row["visit_id"]]].add(("word", row["word"]))
    for row in tables["person"]:
        values[row["person_id"]].add(("job", row["job"]))
    having: dict[Any, list[str]] = defaultdict(list)
    for person, held in facts.items():
        for size in range(1, known + 1):
            for chosen in combinations(sorted(held, key=str), size):
                having[sexes[person] if by_class else None, chosen].append(person)
    shares = []
    for persons in having.values():
        counted = Counter(value for person in persons for value in values[person] if value[1] is not None)
        shares += [Fraction(count, len(persons)) for count in counted.values()]
    return [len(persons) for persons in having.values()], shares


@pytest.mark.slow
@settings(max_examples=tries(30), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    databases(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["30%", "50%", "0.75", "99.9%"]),
    st.booleans(),
)
def test_no_set_of_facts_tells_a_sensitive_value(
    tmp_path_factory: pytest.TempPathFactory,
    database: dict[str, Rows],
    kind: str,
    k: int,
    known: int,
    share: str,
    by_class: bool,
) -> None:
    folder = tmp_path_factory.mktemp("confidence")
    among = "quasi_identifiers" if by_class else "nothing"
    config = configuration(database, folder, kind, k, known, share, among)
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        assert k > 1
        return
    persons, shares = sets_and_shares(read(folder, kind), known, by_class=by_class)
    most = Fraction(share.rstrip("%")) / (100 if share.endswith("%") else 1)
    assert min(persons, default=k) >= k
    assert max(shares, default=Fraction(0)) <= most
    assert report["facts"]["actual"] == min(persons, default=None)
    bounded = report["facts"]["confidence"]
    assert bounded["required"] == pytest.approx(float(most))
    assert bounded["actual"] == (pytest.approx(float(max(shares))) if shares else None)
    checked = kanon_sql.check(config, folder / ("out.duckdb" if kind == "duckdb" else "out"), progress=None)
    assert checked["status"] == "satisfied" and checked["facts"]["confidence"] == bounded


def _telling() -> dict[str, Rows]:
    """Of eight persons with the test x six have the finding m, of four with y one."""
    return {
        "person": [(i, "f", None) for i in range(12)],
        "visit": [(i, i, "p", None) for i in range(12)],
        "test": [(i, "x") for i in range(8)] + [(i, "y") for i in range(8, 12)],
        "finding": [(i, "m") for i in (0, 1, 2, 3, 4, 5, 8)],
    }


@pytest.mark.slow
def test_as_few_facts_go_as_the_share_asks_for(tmp_path: Path) -> None:
    """Three of the six lose x: three of five have the finding then, and seven of the twelve with the visit."""
    config = configuration(_telling(), tmp_path, "parquet", 2, 1, "60%")
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["confidence"] == {"required": 0.6, "actual": pytest.approx(3 / 5)}
    assert report["facts"]["pairs"] == 24 and report["facts"]["kept"] == pytest.approx(21 / 24)
    source = kanon_sql.check(config, progress=None)
    assert source["facts"]["confidence"]["actual"] == pytest.approx(0.75)
    assert source["violations"] == [
        "1 sets of facts tell a sensitive value: more than 60 % of the persons who have the set have it"
    ]


@pytest.mark.slow
def test_it_is_said_to_people(tmp_path: Path) -> None:
    config = configuration(_telling(), tmp_path, "parquet", 2, 1, "60%")
    path = tmp_path / "database.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["run", str(path), "--html", str(tmp_path / "page.html")])
    assert "told by a set of facts: 60.0 % at most (asked for 60 %)" in ended.output
    assert "60.0 % at most have the same sensitive value (asked for: 60 %)" in (tmp_path / "page.html").read_text()
    ended = CliRunner().invoke(cli, ["check", str(path)])
    assert "told by a set of facts: 75.0 % at most (asked for 60 %)" in ended.output


def test_what_the_search_misses_does_not_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptFacts, "_suppress_telling", lambda *_: False)
    with pytest.raises(VerificationError, match="1 sets of facts tell a sensitive value: more than 60 %"):
        kanon_sql.run(configuration(_telling(), tmp_path, "parquet", 2, 1, "60%"), progress=None)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("share, text", [("0%", "confidence"), ("120%", "confidence"), ("often", "confidence")])
def test_a_share_is_above_0_and_at_most_1(tmp_path: Path, share: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        kanon_sql.run(configuration(_telling(), tmp_path, "parquet", 2, 1, share), progress=None)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["csv", "parquet", "duckdb"])
def test_a_text_that_means_missing_is_no_value(tmp_path: Path, kind: str) -> None:
    """Neither of a table about persons nor of theirs: nobody learns anything from it."""
    database = _telling()
    database["person"] = [(i, "f", "none") for i in range(12)]
    database["finding"] = [(i, "none" if i < 4 else "m") for i in (0, 1, 2, 3, 4, 5, 8)]
    config = configuration(database, tmp_path, kind, 2, 1, "60%")
    for table in ("person", "finding"):
        config["tables"][table]["source"] = {"missing": ["none", ""]}
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["kept"] == 1
    assert report["facts"]["confidence"]["actual"] == pytest.approx(2 / 8)
    data = tmp_path / ("out.duckdb" if kind == "duckdb" else "out")
    assert kanon_sql.check(config, data, progress=None)["facts"]["confidence"]["actual"] == pytest.approx(2 / 8)


@pytest.mark.slow
@pytest.mark.parametrize("share, actual", [("59.9999999999999999%", 7 / 12), ("99.9999999999999999%", 3 / 4)])
def test_a_share_may_have_eighteen_digits(tmp_path: Path, share: str, actual: float) -> None:
    """Its product with a number of persons has more than 64 bits."""
    config = configuration(_telling(), tmp_path, "parquet", 2, 1, share)
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["confidence"]["actual"] == pytest.approx(actual)


def test_a_bound_without_sensitive_columns_is_refused(tmp_path: Path) -> None:
    config = configuration(_telling(), tmp_path, "parquet", 2, 1, "50%")
    for table, column in (("person", "job"), ("visit", "outcome"), ("finding", "word")):
        config["tables"][table].pop("sensitive")
        config["tables"][table]["insensitive"] = [column]
    with pytest.raises(ConfigurationError, match="no table about persons has any; name them in sensitive"):
        kanon_sql.run(config, progress=None)
