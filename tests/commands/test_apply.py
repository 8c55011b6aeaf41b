"""`kanon-sql apply`: the attack that it is there for, what it refuses, and that a run that fails changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from shared_engine import attached, shared
from table_files import read_csv, read_parquet, write_csv

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError, VerificationError

HEAD = ["name", "sex", 'zi"p', "problem"]
FIRST = [
    *(["a", "f", "02138", problem] for problem in ("flu", "cold", "none")),
    *(["b", "m", "02139", problem] for problem in ("flu", "cold", "none", "none")),
    *(["c", "f", "02141", problem] for problem in ("flu", "flu", "cold")),
]
ADA = ["Ada", "f", "02138", "cancer"]  # who came to the hospital between two releases


def configuration(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "source": str(folder / "first.csv"),
        "target": str(folder / "release.csv"),
        "identifiers": ["name"],
        "quasi_identifiers": {
            "sex": {"builtin": "suppress", "max_level": 0},
            'zi"p': {"builtin": "prefix", "keep": [4]},
        },
        "sensitive": ["problem"],
        "privacy": {"k": 3},
        "suppression": {"limit": "50%"},
        "releases": {"path": str(folder / "ledger.duckdb")},
        **more,
    }


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "first.csv", [HEAD, *FIRST])
    return tmp_path


def second(place: Path, rows: list[list[str]]) -> Path:
    write_csv(place / "second.csv", [HEAD, *rows])
    return place / "second.csv"


def counted(path: Path) -> Counter[tuple[Any, ...]]:
    rows = read_parquet(path) if path.suffix == ".parquet" else read_csv(path)
    return Counter(tuple(row[name] for name in HEAD[1:]) for row in rows)


def entries(place: Path) -> list[dict[str, Any]]:
    releases: list[dict[str, Any]] = kanon_sql.list_releases(place / "ledger.duckdb")["releases"]
    return releases


@pytest.mark.slow
def test_the_difference_of_two_releases(place: Path) -> None:
    kanon_sql.run(configuration(place))
    data = second(place, [*FIRST, ADA])
    # A second run on its own is 3-anonymous too, and the one row that is new in it is Ada's.
    alone = configuration(place, source=str(data), target=str(place / "alone.csv"), releases=None)
    kanon_sql.run(alone)
    assert counted(place / "alone.csv") - counted(place / "release.csv") == Counter([("f", "02138", "cancer")])
    report = kanon_sql.apply(1, data)
    assert counted(place / "release-2.csv") == counted(place / "release.csv")
    assert report["rows"] == {"source": 11, "missing": 0, "suppressed": 1, "masked": 0, "released": 10}
    assert report["suppressed"]["waiting"] == 1
    assert report["earlier"] == [{"release": 1, "kept": 10, "added": 0, "removed": 0}]
    # She comes out with two others.
    data = second(place, [*FIRST, ADA, ["x", "f", "02138", "flu"], ["y", "f", "02138", "cold"]])
    report = kanon_sql.apply(2, data)
    assert report["earlier"] == [{"release": 2, "kept": 10, "added": 3, "removed": 0}]  # 1 and 2 are the same rows
    assert report["rows"]["suppressed"] == 0
    assert [(entry["id"], entry["origin"], entry["built_on"]) for entry in entries(place)] == [
        (1, 1, None),
        (2, 1, 1),
        (3, 1, 2),
    ]


@pytest.mark.slow
def test_a_class_that_would_lose_one_row_goes_as_a_whole(place: Path) -> None:
    kanon_sql.run(configuration(place))
    data = second(place, FIRST[:-1] + [["d", "f", "02141", "none"]] * 3)
    report = kanon_sql.apply(1, data)
    assert counted(place / "release-2.csv") == counted(place / "release.csv") - Counter(
        {("f", "02141", "flu"): 2, ("f", "02141", "cold"): 1}
    )
    assert report["suppressed"]["differing"] == {"rows": 5, "classes": 1}
    assert report["earlier"] == [{"release": 1, "kept": 7, "added": 0, "removed": 3}]


@pytest.mark.slow
def test_what_both_hold_counts_too(place: Path) -> None:
    """Five rows go and five come, but the two that stay would be told apart."""
    rows = [["a", "f", "02138", f"p{i}"] for i in range(5)]
    write_csv(place / "first.csv", [HEAD, *rows])
    kanon_sql.run(configuration(place, suppression={"limit": "100%"}))
    fresh = [["b", "f", "02138", f"q{i}"] for i in range(3)]
    with pytest.raises(NoReleaseError, match="no row could be released"):
        kanon_sql.apply(1, second(place, rows[:2] + fresh))
    report = kanon_sql.apply(1, second(place, fresh))
    assert report["earlier"] == [{"release": 1, "kept": 0, "added": 3, "removed": 5}]


@pytest.mark.slow
def test_a_changed_row_is_one_removed_and_one_added(place: Path) -> None:
    kanon_sql.run(configuration(place))
    changed = [["a", "f", "02138", "none"], *FIRST[1:]]
    report = kanon_sql.apply(1, second(place, changed))
    assert report["suppressed"]["differing"] == {"rows": 3, "classes": 1}


@pytest.mark.slow
def test_the_limit_counts_rows_that_wait(place: Path) -> None:
    kanon_sql.run(configuration(place, suppression={"limit": 0}))
    data = second(place, [*FIRST, ADA])
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    with pytest.raises(NoReleaseError, match=r"1 of 11 rows would be suppressed, the limit is 0: 1 wait") as refused:
        kanon_sql.apply(1, data, report=place / "report.json")
    assert "--set suppression.limit=1" in str(refused.value)
    written = json.loads((place / "report.json").read_text())
    assert written == refused.value.report
    assert written["status"] == "no-release" and written["suppressed"]["waiting"] == 1 and written["solution"] is None
    (place / "report.json").unlink()
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before
    assert kanon_sql.apply(1, data, overrides=[("suppression.limit", 1)])["rows"]["suppressed"] == 1


@pytest.mark.slow
def test_other_values_of_the_new_data(place: Path) -> None:
    """A class that is new is released when it satisfies; NULLs are values; the levels are those of the first."""
    rows = [["a", "", "02138", "flu"]] * 3 + [["b", "m", "99999", ""]] * 3
    first = configuration(place)
    first["quasi_identifiers"]['zi"p']["min_level"] = 1
    kanon_sql.run(first)
    report = kanon_sql.apply(1, second(place, [*FIRST, *rows]))
    assert report["rows"]["suppressed"] == 0 and report["solution"] == {"levels": {"sex": 0, 'zi"p': 1}, "height": 1}
    added = counted(place / "release-2.csv") - counted(place / "release.csv")
    assert added == Counter({(None, "0213*", "flu"): 3, ("m", "9999*", None): 3})


@pytest.mark.slow
def test_parquet_and_tables_keep_their_types(place: Path) -> None:
    with attached(place / "data.duckdb") as connection:
        connection.execute(
            'CREATE TABLE people AS SELECT i % 2 = 0 AS sex, (i % 3) * 1.5::DOUBLE AS "zi""p", DATE \'2000-01-01\' + '
            "CAST(i % 2 AS INTEGER) AS problem FROM range(60) AS t(i)"
        )
        connection.execute("COPY people TO 'people.parquet'")
    first = configuration(
        place, source={"database": "data.duckdb", "table": "people"}, identifiers=[], target="r.parquet"
    )
    first["quasi_identifiers"] = {"sex": {"builtin": "suppress"}, 'zi"p': {"builtin": "suppress", "max_level": 0}}
    kanon_sql.run(first)
    assert kanon_sql.apply(1, place / "people.parquet")["earlier"] == [
        {"release": 1, "kept": 60, "added": 0, "removed": 0}
    ]
    assert kanon_sql.apply(1, place / "data.duckdb", output=place / "again.parquet")["rows"]["released"] == 60
    with shared() as connection:
        types = [connection.execute(f"DESCRIBE FROM '{file}'").fetchall() for file in ("r.parquet", "again.parquet")]
    assert types[0] == types[1]
    target = {"database": str(place / "out.duckdb"), "table": "released"}
    kanon_sql.apply(1, place / "people.parquet", overrides=[("target", target)])
    assert kanon_sql.apply(4, place / "people.parquet", output=place / "last.parquet")["earlier"][0]["kept"] == 60
    with pytest.raises(ConfigurationError, match="does not tell an empty text from a missing value"):
        kanon_sql.apply(1, place / "people.parquet", output=place / "mixed.csv")


@pytest.mark.slow
def test_releases_that_are_gone_or_changed(place: Path) -> None:
    kanon_sql.run(configuration(place))
    data = second(place, FIRST)
    kept = (place / "release.csv").read_text()
    (place / "release.csv").write_text(kept.replace("flu", "flux", 1))
    with pytest.raises(EngineError, match=r"release 1 .* is not what was released"):
        kanon_sql.apply(1, data)
    (place / "release.csv").unlink()
    with pytest.raises(EngineError, match=r"release 1 .* cannot be compared with"):
        kanon_sql.apply(1, data)
    lines = kept.splitlines()
    (place / "release.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")  # the order does not matter
    assert kanon_sql.apply(1, data)["status"] == "released"


@pytest.mark.slow
def test_a_run_that_fails_changes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kanon_sql.commands.apply import places as apply
    from kanon_sql.targets.files import FileSink

    kanon_sql.run(configuration(place))
    data = second(place, [*FIRST, ADA])

    def state() -> dict[str, Any]:
        files = {path.name: path.read_bytes() for path in place.iterdir() if path.name != "ledger.duckdb"}
        return {**files, "ledger": kanon_sql.list_releases(place / "ledger.duckdb")}

    before = state()

    def fails(error: BaseException, owner: Any, name: str, expected: type[KanonError]) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            with pytest.raises(expected):
                kanon_sql.apply(1, data)
        assert state() == before

    fails(EngineError("no room"), FileSink, "commit", EngineError)
    fails(KeyboardInterrupt(), FileSink, "write", kanon_sql.errors.InterruptedRunError)
    fails(VerificationError("no"), apply, "recount_differences", VerificationError)


@pytest.mark.slow
def test_the_recount_finds_what_the_decision_overlooks(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kanon_sql.commands.apply.same_levels import Applying

    kanon_sql.run(configuration(place))
    real = Applying._attempt

    def overlook(self: Applying, attempt: int, held_by: int) -> None:
        earlier, self.k = self.k, 1
        real(self, attempt, held_by)
        self.k = earlier

    monkeypatch.setattr(Applying, "_attempt", overlook)
    before = (place / "ledger.duckdb").read_bytes()
    with pytest.raises(VerificationError, match=r"1 classes \(1 rows\) of what the release and release 1 add violate"):
        kanon_sql.apply(1, second(place, [*FIRST, ADA]))
    assert not (place / "release-2.csv").exists() and (place / "ledger.duckdb").read_bytes() == before


@pytest.mark.slow
def test_levels_that_mean_something_else(place: Path) -> None:
    tree = [["02138", "x", "*"], ["02139", "x", "*"], ["02141", "y", "*"]]
    write_csv(place / "tree.csv", tree)
    first = configuration(place)
    first["quasi_identifiers"]['zi"p'] = {"hierarchy": str(place / "tree.csv"), "min_level": 1, "max_level": 1}
    kanon_sql.run(first)
    data = second(place, [*FIRST, *[["a", "f", "99999", "flu"]] * 3])
    with pytest.raises(ConfigurationError, match="not covered"):
        kanon_sql.apply(1, data)
    write_csv(place / "tree.csv", [*tree, ["99999", "z", "*"]])
    assert kanon_sql.apply(1, data)["rows"]["suppressed"] == 0
    write_csv(place / "tree.csv", [["02138", "y", "*"], *tree[1:], ["99999", "z", "*"]])
    with pytest.raises(ConfigurationError, match=r"the hierarchy of .* is another at level 1"):
        kanon_sql.apply(1, data)


@pytest.mark.slow
def test_intervals_that_are_written_in_another_way(place: Path) -> None:
    rows = [["a", "f", str(number), "flu"] for number in range(20)]
    write_csv(place / "first.csv", [HEAD, *rows])
    first = configuration(place)
    first["quasi_identifiers"]['zi"p'] = {"builtin": "intervals", "widths": [10], "min_level": 1}
    kanon_sql.run(first)
    with pytest.raises(ConfigurationError, match="are written in another way than in release 1"):
        kanon_sql.apply(1, second(place, [*rows, *[["b", "f", "3.5", "flu"]] * 3]))
    assert kanon_sql.apply(1, second(place, [*rows, *[["b", "f", "35", "flu"]] * 3]))["rows"]["suppressed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"privacy": {"k": 2, "entity": "name"}, "identifiers": []}, "holds no entities"),
        ({"algorithm": "mondrian"}, "no levels"),
        ({"privacy": {"k": 2, "k_map": {"k": 2, "population": "first.csv"}}}, "speaks of a population"),
    ],
)
def test_releases_that_cannot_be_applied(more: dict[str, Any], said: str, place: Path) -> None:
    kanon_sql.run(configuration(place, **more))
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.apply(1, second(place, FIRST))


@pytest.mark.slow
def test_releases_at_other_levels(place: Path) -> None:
    kanon_sql.run(configuration(place))
    coarser = configuration(place, target=str(place / "other.csv"))
    coarser["quasi_identifiers"]['zi"p']["min_level"] = 2
    kanon_sql.run({**coarser, "releases": {**coarser["releases"], "on_conflict": "warn"}})
    with pytest.raises(NoReleaseError, match="holds release 2 of the same source at other levels"):
        kanon_sql.apply(1, second(place, FIRST), output=place / "new.csv")
    applied = kanon_sql.apply(
        1, second(place, FIRST), output=place / "new.csv", overrides=[("releases.on_conflict", "warn")]
    )
    assert any("at other levels" in text for text in applied["warnings"])


@pytest.mark.slow
def test_places(place: Path) -> None:
    kanon_sql.run(configuration(place, target={"path": "release.csv", "overwrite": True}))
    data = second(place, FIRST)
    with pytest.raises(ConfigurationError, match="release 1 is there, with which later ones are compared"):
        kanon_sql.apply(1, data, output=place / "release.csv")
    with pytest.raises(ConfigurationError, match=r"--set privacy\.k"):
        kanon_sql.apply(1, data, overrides=[("privacy.k", 1)])
    with pytest.raises(ConfigurationError, match="there is no release 2"):
        kanon_sql.apply(2, data)


@pytest.mark.slow
def test_masked_rows_of_an_earlier_release(place: Path) -> None:
    rows = [*FIRST, *[["d", "m", f"5{i}000", "flu"] for i in range(4)]]
    write_csv(place / "first.csv", [HEAD, *rows])
    kanon_sql.run(configuration(place, release={"suppressed": "mask"}))
    assert counted(place / "release.csv")[("*", "*", "flu")] == 4
    report = kanon_sql.apply(1, second(place, [*rows, ADA]))
    assert report["rows"]["masked"] == 0 and ("*", "*", "flu") not in counted(place / "release-2.csv")
    assert any("masked" in text for text in report["warnings"])


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.mark.slow
def test_the_command(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE_OF_DATA", str(place))
    text = json.dumps(configuration(place)).replace(f'"{place}/', '"${PLACE_OF_DATA}/')
    (place / "config.json").write_text(text)
    assert run(capsys, "run", "config.json", "--quiet")[0] == 0
    data = second(place, [*FIRST, ADA])
    status, out, err = run(capsys, "apply", 1, data, "--ledger", "config.json", "-o", "new.csv")
    assert not err
    assert status == 0 and "as release 2, at the levels of release 1" in out and "waiting    1 in" in out
    assert "cancer" not in out
    status, out, _ = run(capsys, "apply", 2, data, "--json", "--report", "report.json")
    assert status == 0 and json.loads(out) == json.loads((place / "report.json").read_text())
    assert json.loads(out)["ledger"]["built_on"] == 2
    assert str(place) not in run(capsys, "releases", "show", "ledger.duckdb", 3)[1].split("configuration")[0]
    status, out, err = run(capsys, "apply", 1, data, "--set", "suppression.limit=0", "--json", "-o", "none.csv")
    assert status == 1 and json.loads(out)["status"] == "no-release" and "raise it by" in err
    assert run(capsys, "apply", 9, data)[0] == 2
    assert run(capsys, "apply", 1, "none.csv", "-o", "other.csv")[0] == 3
    assert run(capsys, "apply", 1, data, "--ledger", "none.duckdb")[0] == 3
    status, _, err = run(capsys, "apply", 1, data, "--time-limit", 0, "-o", "other.csv")
    assert status == 3 and "time ran out" in err


@pytest.mark.slow
def test_every_key_of_the_report_is_described(place: Path) -> None:
    from pages import leaves, rows, sections

    kanon_sql.run(configuration(place))
    keys = set(leaves(kanon_sql.apply(1, second(place, FIRST))))
    said = {name: set(rows(sections(ROOT / "docs" / "report.md")[name])) for name in ("run", "apply")}
    assert keys <= said["apply"] | said["run"]
    around = {"earlier", "suppressed", *(name for name in said["apply"] if name.startswith("new_rows"))}
    assert said["apply"] <= keys | around
