"""Releases of one source beside each other: pseudonyms that join them, those that do not, and aggregates in both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ledger_jobs import configuration, entries
from table_files import read_csv, write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError

Json = dict[str, Any]
KEY, OTHER = "00112233445566778899aabbccddeeff", "ff112233445566778899aabbccddeeff"
PERSONS = 12


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three persons of each sex and ZIP code, with six stays each."""
    monkeypatch.setenv("KEY", KEY)
    monkeypatch.chdir(tmp_path)
    people = [[f"ada{i}", "fm"[i % 2], f"0213{i % 4}", "flu", "2024-05-17", str(i)] for i in range(PERSONS)]
    write_csv(tmp_path / "source.csv", [["name", "sex", "zip", "problem", "day", "cost"], *(people * 6)])
    return tmp_path


def job(place: Path, more: Json | None = None, **changed: Any) -> Json:
    given: Json = {
        "sensitive": ["problem"],
        "privacy": {"k": 3, "entity": "name"},
        "transform": {"name": {"pseudonym": {"key": "${KEY}", "length": 20, "prefix": "P", **changed}}},
        **(more or {}),
    }
    return configuration(place, **given)


def released(config: Json) -> list[str]:
    """The warnings of a run that speak of another release."""
    return [text for text in kanon_sql.run(config).warnings if "release 1" in text]


def pseudonyms(place: Path) -> set[str]:
    return {str(row["name"]) for row in read_csv(place / "release.csv")}


@pytest.mark.slow
def test_fingerprints_are_kept_and_no_secret(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY", "the secret study")
    shift = {"shift": {"days": 3, "by": "name", "key": "${KEY}"}}
    config = job(place, {"insensitive": ["day"]}, context="${STUDY}")
    config["transform"]["day"] = shift
    report = kanon_sql.run(config).report
    (entry,) = entries(place)
    kept = entry["details"]["treatments"]
    assert kept["name"]["pseudonym"]["key"] == report["treatments"]["name"]["pseudonym"]["key"]
    assert kept["day"]["shift"] == report["treatments"]["day"]["shift"]
    written = json.dumps(entry) + str((place / "ledger.duckdb").read_bytes())
    assert KEY not in written and "secret study" not in written


@pytest.mark.slow
def test_the_same_pseudonyms_join_two_releases(place: Path) -> None:
    """Each class of both holds k persons, but sex and ZIP code of one person come together."""
    kanon_sql.run(job(place, {"quasi_identifiers": {"sex": {"builtin": "suppress"}}}))
    first = pseudonyms(place)
    second = {"quasi_identifiers": {"zip": {"builtin": "suppress"}}}
    with pytest.raises(
        NoReleaseError, match=r"12 classes hold fewer than 3 persons \(72 rows.* 'name' another context"
    ):
        kanon_sql.run(job(place, second))
    # Written in another way they are joined all the same.
    with pytest.raises(NoReleaseError, match="fewer than 3 persons"):
        kanon_sql.run(job(place, second, length=24, prefix="Q"))
    warned = {"path": str(place / "ledger.duckdb"), "on_conflict": "warn"}
    said = kanon_sql.run(job(place, {**second, "releases": warned}, length=24, prefix="Q")).warnings
    assert any("begin with the same digits" in text for text in said)
    assert {name[1:21] for name in pseudonyms(place)} == {name[1:] for name in first}
    # The very rows again say nothing new.
    assert released(job(place, {"quasi_identifiers": {"sex": {"builtin": "suppress"}}})) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("what", ["key", "context"])
def test_other_pseudonyms_are_warned_of(what: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kanon_sql.run(job(place, {"quasi_identifiers": {"sex": {"builtin": "suppress"}}}))
    first = pseudonyms(place)
    second = {"quasi_identifiers": {"zip": {"builtin": "suppress"}}}
    if what == "key":
        monkeypatch.setenv("KEY", OTHER)
    (said,) = released(job(place, second, **({} if what == "key" else {"context": "b"})))
    assert (
        f"column 'name' has other pseudonyms than in release 1, made {'with' if what == 'key' else 'in'} anoth" in said
    )
    assert len(pseudonyms(place)) == PERSONS and not pseudonyms(place) & first


@pytest.mark.slow
def test_dates_that_are_shifted_otherwise_and_pseudonyms_of_pseudonyms(place: Path) -> None:
    shift = {"days": 3, "by": "name", "key": "${KEY}"}
    bare = {"privacy": {"k": 3}, "insensitive": ["day"], "suppression": {"limit": "99%"}}
    config = job(place, bare)
    config["transform"] = {"day": {"shift": shift}}
    kanon_sql.run(config)
    config["transform"] = {"day": {"shift": {**shift, "days": 4}}}
    config["releases"]["on_conflict"] = "warn"
    assert any("'day' is shifted otherwise than in release 1" in text for text in released(config))
    kanon_sql.run(job(place, {"target": str(place / "first.csv"), "releases": {"path": str(place / "b.duckdb")}}))
    built = job(place, {"source": str(place / "first.csv"), "releases": {"path": str(place / "b.duckdb")}})
    assert any("holds pseudonyms already" in text for text in released(built))


@pytest.mark.slow
def test_aggregates_of_one_column_in_two_releases(place: Path) -> None:
    def mean(k: int, **more: Any) -> Json:
        quasi = {"sex": {"builtin": "suppress"}, "cost": {"builtin": "suppress", "aggregate": "mean"}}
        return job(place, {"quasi_identifiers": quasi, "transform": {}, "privacy": {"k": k}, **more})

    kanon_sql.run(mean(3, target=str(place / "first.csv")))
    with pytest.raises(NoReleaseError, match="aggregates of 'cost' in both tell the values of rows"):
        kanon_sql.run(mean(40))
    groups = mean(4, quasi_identifiers={"cost": {}}, algorithm="microaggregation")
    with pytest.raises(NoReleaseError, match="aggregates of 'cost' in both"):
        kanon_sql.run(groups)
    kanon_sql.run(mean(40, quasi_identifiers={"sex": {"builtin": "suppress"}}))


@pytest.mark.slow
def test_apply_needs_the_key_of_then(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kanon_sql.run(job(place, {"privacy": {"k": 3}}))
    first = pseudonyms(place)
    monkeypatch.setenv("KEY", OTHER)
    with pytest.raises(ConfigurationError, match="release 1: the pseudonym of 'name' was made with another key") as no:
        kanon_sql.apply(1, place / "source.csv", output=place / "second.csv")
    assert OTHER not in str(no.value) and not (place / "second.csv").exists() and len(entries(place)) == 1
    monkeypatch.setenv("KEY", KEY)
    report = kanon_sql.apply(1, place / "source.csv", output=place / "second.csv")
    assert {row["name"] for row in read_csv(place / "second.csv")} == first
    assert report["treatments"]["name"]["pseudonym"]["collisions"] == 0
    assert entries(place)[1]["details"]["treatments"] == entries(place)[0]["details"]["treatments"]
