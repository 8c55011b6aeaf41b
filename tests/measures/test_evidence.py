"""The evidence of a release: what it says is so, and its statements count what was reported, in DuckDB alone."""

from __future__ import annotations

import hashlib
import html
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from shared_engine import attached

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.report.page import page
from kanon_sql.report.page.model import Evidence, PageFacts

Json = dict[str, Any]

AGES = "value,ten,all\n" + "".join(f"{age},{age // 10 * 10}s,*\n" for age in range(20, 60))
MODELS = {
    "k": 3,
    "l_diversity": [{"column": "ward", "l": 2}, {"column": "ward", "l": 1.5, "variant": "entropy"}],
    "alpha_k": {"column": "ward", "alpha": 0.9},
    "t_closeness": {"column": "ward", "t": 0.6},
    "beta": {"column": "ward", "beta": 5},
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a source whose texts are hard to read, and a hierarchy."""
    rows = [
        f'{("f", "m", "")[i * i % 3]},{20 + i * 7 % 40},"{("A", "B, C", "Dd", "?")[i * 3 % 4]}"\n' for i in range(120)
    ]
    (tmp_path / "source.csv").write_text("sex,age,ward\n" + "".join(rows), encoding="utf-8")
    (tmp_path / "age.csv").write_text(AGES.partition("\n")[2], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[PageFacts]:
    """What the pages that are made show."""
    pages: list[PageFacts] = []
    render = page.render

    def noted(facts: PageFacts) -> str:
        pages.append(facts)
        return render(facts)

    monkeypatch.setattr(page, "render", noted)
    return pages


def configured(**more: Any) -> Json:
    return {
        "source": {"path": "source.csv", "missing": ["?", ""]},
        "target": "release.csv",
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": "age.csv"},
        "sensitive": ["ward"],
        "privacy": {"k": 3},
        "suppression": {"limit": "20%"},
        **more,
    }


def evidence(shown: list[PageFacts]) -> Evidence:
    assert "evidence" not in shown[-1].notes, shown[-1].notes
    proof = shown[-1].evidence
    assert proof is not None
    return proof


def counted_again(proof: Evidence) -> Iterator[str]:
    """Runs each statement in a connection of its own, which gives what it must give."""
    for recount in proof.recounts:
        with duckdb.connect() as connection:
            assert connection.execute(recount.sql).fetchall() == [pytest.approx(recount.expected)], recount.title
        yield recount.title.partition(":")[0]


TARGETS: list[Json] = [
    {"path": "release.csv"},
    {"path": "release.csv", "csv": {"delimiter": ";", "quote": "'", "formulas": "escape"}},
    {"path": "release.csv.gz"},
    {"path": "release.tsv", "csv": {"header": False}},
    {"path": "it's [1]*.parquet"},
    {"path": "release.json"},
    {"path": "release.jsonl"},
    {"database": "out.duckdb", "table": "a b.released"},
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "target", TARGETS, ids=lambda target_entry: target_entry.get("path") or target_entry["database"]
)
def test_statements_count_what_was_reported(target: Json, shown: list[PageFacts]) -> None:
    report = kanon_sql.run(configured(target=target, privacy=MODELS), html="p.html").report
    titles = list(counted_again(evidence(shown)))
    assert len(titles) == 8 and len(set(titles)) > 5
    expected = {recount.title.partition(":")[0]: recount.expected for recount in evidence(shown).recounts}
    assert expected["k"] == (report["privacy"]["k"]["actual"],)
    assert expected["Rows of the release"] == (report["rows"]["released"],)
    assert expected["alpha_k of ward"] == pytest.approx((report["privacy"]["alpha_k"]["actual"],))
    # The same of a release that is there, by the command.
    kanon_sql.report_release(configured(target=target, privacy=MODELS))
    assert list(counted_again(evidence(shown))) == titles


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [{"name": "mondrian"}, {"name": "local"}])
@pytest.mark.parametrize("ranges", ["text", "columns"])
def test_ranges_are_counted(algorithm: Json, ranges: str, shown: list[PageFacts]) -> None:
    job = configured(algorithm=algorithm, quasi_identifiers=["sex", "age"], release={"ranges": ranges})
    kanon_sql.run(job, html="p.html")
    assert len(list(counted_again(evidence(shown)))) == 3


@pytest.mark.slow
def test_masked_rows_are_counted(shown: list[PageFacts]) -> None:
    with Path("source.csv").open("a", encoding="utf-8") as file:
        file.write("x,20,A\n" * 2 + "y,20,A\ny,20,?\n")
    report = kanon_sql.run(configured(release={"suppressed": "mask"}), html="p.html").report
    assert report["rows"]["masked"] > 3
    assert "Masked rows" in list(counted_again(evidence(shown)))


@pytest.mark.slow
@pytest.mark.parametrize("source", [{"database": "in.duckdb", "table": "people"}, {"path": "parts"}])
def test_in_place_statements_read_what_is_there_then(source: Json, shown: list[PageFacts]) -> None:
    with attached("in.duckdb") as connection:
        connection.execute("CREATE TABLE people AS FROM 'source.csv'")
        Path("parts/half=1").mkdir(parents=True)
        Path("parts/half=2").mkdir()
        connection.execute("COPY (FROM people LIMIT 60) TO 'parts/half=1/a.parquet'")
        connection.execute("COPY (FROM people OFFSET 60) TO 'parts/half=2/b.parquet'")
    job = configured(source=source, target="in-place", unlisted="insensitive")
    kanon_sql.run(job, html="p.html")
    assert len(list(counted_again(evidence(shown)))) == 3
    kanon_sql.report_release(job)
    proof = evidence(shown)
    assert len(list(counted_again(proof))) == 3 and proof.source.note == "the release took its place"


@pytest.mark.slow
def test_evidence_says_what_was_read_and_by_what(shown: list[PageFacts]) -> None:
    digests = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("source.csv", "age.csv")}
    job = configured(releases={"path": "ledger.duckdb"})
    report = kanon_sql.run(job, html="p.html").report
    proof = evidence(shown)
    described = report["configuration"]
    described["source"]["missing"] = "(2 texts, not shown)"
    assert yaml.safe_load(proof.configuration) == described
    salt = report["source"]["salt"]
    assert report["source"]["sha256"] == digests["source.csv"] and len(salt) == 64
    assert (proof.source.sha256, proof.source.size) == (None, None)
    assert proof.source.salted == hashlib.sha256((salt + digests["source.csv"]).encode()).hexdigest()
    assert proof.release.sha256 == hashlib.sha256(Path("release.csv").read_bytes()).hexdigest()
    assert proof.release.size == Path("release.csv").stat().st_size
    assert (proof.source.rows, proof.release.rows) == (120, report["rows"]["released"])
    sex, age = proof.hierarchies
    assert (sex.column, sex.origin, sex.digest, sex.levels) == ("sex", "{builtin: suppress}", "", 1)
    assert (age.column, age.origin, age.digest, age.levels) == (
        *("age", "age.csv"),
        hashlib.sha256((salt + digests["age.csv"]).encode()).hexdigest(),
        2,
    )
    assert dict(proof.versions)["DuckDB"] == duckdb.__version__
    assert {"system", "processor"} <= set(dict(proof.machine))
    assert dict(proof.ledger) == {"ledger": "ledger.duckdb", "release": "1", "earlier releases of the source": "none"}
    assert dict(shown[-1].report) == {**report, "configuration": described, "seconds": shown[-1].report["seconds"]}


def folders_of(page: str) -> list[str]:
    """What of a page looks like a folder of this machine."""
    text = re.sub(r"<(script|style)>.*?</\1>|<[^>]*>|&[a-z]+;", " ", page, flags=re.DOTALL)
    return re.findall(r"(?<![\w.)])(?:/[\w.-]+)+/[\w.-]*|[A-Z]:\\\\\w+", text)


@pytest.mark.few(1)
@pytest.mark.parametrize("job", ["file", "query", "outside", "failing"])
def test_a_page_tells_no_literals_no_recoded_texts_and_no_folders(job: str, place: Path) -> None:
    folder = place.parent / f"{place.name}-users" / "anna meier"
    folder.mkdir(parents=True)
    shutil.copy("source.csv", folder / "all.csv")
    shutil.copy("age.csv", folder / "years.csv")
    read = {"ward": {"recode": {"Zed": "Yod"}, "missing": ["Nope", "Dd"]}}
    sources: dict[str, Json] = {
        "file": {"path": "source.csv", "missing": ["Unsaid"], "columns": read},
        "query": {"query": "SELECT * FROM 'source.csv' -- Comment\nWHERE ward <> 'Secret' AND age <> 7777"},
        "outside": {"path": str(folder / "all.csv"), "missing": ["Unsaid"], "columns": read},
        "failing": {"path": str(folder / "all.csv")},
    }
    models = {"k": 3, "l_diversity": MODELS["l_diversity"]} if job == "file" else MODELS
    job_config = configured(
        source=sources[job],
        target=str(folder / "out.csv") if job == "outside" else "release.csv",
        quasi_identifiers={"sex": {"builtin": "suppress"}, "age": str(folder / "years.csv")},
        releases={"path": str(folder / "ledger.duckdb")},
        privacy={"k": 999} if job == "failing" else {**models, "t_closeness": {"column": "ward", "t": 0.9}},
    )
    with suppress(KanonError):
        kanon_sql.run(job_config, html="p.html")
    page = Path("p.html").read_text(encoding="utf-8")
    assert not [text for text in ("Zed", "Yod", "Nope", "Unsaid", "Secret", "7777", "Comment", "anna") if text in page]
    assert str(place) not in page and not folders_of(page)
    if job == "query":
        assert re.search(r"ward <> '+\N{HORIZONTAL ELLIPSIS}'+ AND age <> \?", html.unescape(page))
    if job == "file":
        assert "(1 text, not shown)" in page and "(2 texts, not shown)" in page


@pytest.mark.slow
def test_paths_are_those_from_the_configuration(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "jobs" / "out").mkdir(parents=True)
    for name in ("source.csv", "age.csv"):
        shutil.move(name, place / "jobs" / name)
    job_config = configured(target="out/release.csv")
    (place / "jobs" / "job.yaml").write_text(yaml.safe_dump(job_config), encoding="utf-8")
    kanon_sql.run("jobs/job.yaml", html="p.html")
    page = Path("p.html").read_text(encoding="utf-8")
    assert "out/release.csv" in page and "jobs" not in page and str(place) not in page


@pytest.mark.slow
def test_a_release_in_memory_has_no_statements(shown: list[PageFacts]) -> None:
    job = {key: value for key, value in configured().items() if key != "target"}
    kanon_sql.run(job, html="p.html")
    assert evidence(shown).recounts == () and evidence(shown).release.note == "no single file"


@pytest.mark.slow
def test_entities_are_not_counted_in_the_release(shown: list[PageFacts]) -> None:
    lines = Path("source.csv").read_text(encoding="utf-8").splitlines()
    named = [lines[0] + ",who", *(f"{line},{number // 2}" for number, line in enumerate(lines[1:]))]
    Path("source.csv").write_text("\n".join(named) + "\n", encoding="utf-8")
    privacy = {**MODELS, "entity": "who"}
    kanon_sql.run(configured(privacy=privacy), html="p.html")
    assert len(list(counted_again(evidence(shown)))) == 2


@pytest.mark.slow
def test_no_field_of_the_evidence_is_forgotten(shown: list[PageFacts]) -> None:
    kanon_sql.run(configured(releases={"path": "ledger.duckdb"}), html="p.html")
    assert all(getattr(evidence(shown), field.name) for field in fields(Evidence))


@pytest.mark.slow
def test_the_salted_digest_of_the_source_can_be_checked_by_hand(shown: list[PageFacts]) -> None:
    report = kanon_sql.run(configured(), html="p.html").report
    command = 'printf \'%s%s\' "$0" "$(sha256sum < source.csv | cut -c 1-64)" | sha256sum'
    documented = (Path(__file__).parents[2] / "docs/page.md").read_text(encoding="utf-8")
    assert command.replace('"$0"', "SALT") in documented
    counted = subprocess.run(
        ["sh", "-c", command, report["source"]["salt"]], capture_output=True, text=True, check=True
    )
    page = Path("p.html").read_text(encoding="utf-8")
    assert counted.stdout[:64] == evidence(shown).source.salted and counted.stdout[:64] in page
    assert report["source"]["sha256"] not in page and report["source"]["salt"] not in page
