"""The report and the page of a run: what they are told, where they go, what they never hold."""

from __future__ import annotations

import hashlib
import html
import json
import shutil
import stat
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.config.load import config_from_text, from_mapping
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError, VerificationError
from kanon_sql.report.report import describe_configuration
from kanon_sql.settings.version import __version__

Json = dict[str, Any]
ROWS = "".join(f"{'fm'[i % 2]},{20 + i % 3 * 10},{'AB'[i % 2]}\n" for i in range(24))


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a source."""
    (tmp_path / "source.csv").write_text("sex,age,ward\n" + ROWS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(**more: Any) -> Json:
    return {
        "source": "source.csv",
        "target": "release.csv",
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [10]}},
        "insensitive": ["ward"],
        "privacy": {"k": 3},
        **more,
    }


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_report_says_when_by_what_and_what_was_asked() -> None:
    report = kanon_sql.run(configured(report="r.json"), overrides=[("privacy.k", 4)]).report
    assert json.loads(Path("r.json").read_text(encoding="utf-8")) == report
    created = datetime.fromisoformat(report["created"])
    assert created.utcoffset() == timedelta(0)
    assert timedelta(0) <= datetime.now(timezone.utc) - created < timedelta(minutes=5)
    assert report["version"] == __version__
    recorded = report["configuration"]
    assert recorded["source"] == {"path": "source.csv"} and recorded["target"] == {"path": "release.csv"}
    assert recorded["privacy"] == {"k": 4} and recorded["report"] == {"json": "r.json"}
    assert recorded["suppression"] == {"limit": 0} and recorded["algorithm"] == {"name": "optimal", "objective": "loss"}
    assert report["source"] == {"table": "source.csv", "sha256": None, "encoding": "utf-8"}
    assert report["release"]["sha256"] is None and report["utility"] is None


@pytest.mark.slow
@pytest.mark.parametrize("more", [{"report": {"html": "p.html"}}, {"releases": {"path": "ledger.duckdb"}}])
def test_digests_come_with_a_page_and_with_a_ledger(more: Json) -> None:
    before = digest("source.csv")
    report = kanon_sql.run(configured(**more)).report
    assert report["source"]["sha256"] == before == digest("source.csv")
    assert report["release"]["sha256"] == digest("release.csv")


@pytest.mark.slow
def test_in_place_the_source_is_the_one_before(place: Path) -> None:
    before = digest("source.csv")
    report = kanon_sql.run(configured(target="in-place"), html="p.html").report
    assert report["source"]["sha256"] == before != digest("source.csv") == report["release"]["sha256"]
    assert Path("p.html").is_file()


@pytest.mark.slow
def test_digests_of_database_files() -> None:
    with attached("source.duckdb") as connection:
        connection.execute("CREATE TABLE people AS FROM 'source.csv'")
    source, target = {"database": "source.duckdb", "table": "people"}, {"database": "out.duckdb", "table": "released"}
    report = kanon_sql.run(configured(source=source, target=target), html="p.html").report
    assert report["source"]["sha256"] == digest("source.duckdb")
    assert report["release"]["sha256"] == digest("out.duckdb")


@pytest.mark.slow
def test_what_is_no_single_file_has_no_digest() -> None:
    Path("parts").mkdir()
    Path("source.csv").rename("parts/1.csv")
    shutil.copytree("parts", "all")
    report = kanon_sql.run(configured(source="all", target="in-place"), html="p.html").report
    assert report["source"]["sha256"] is None and report["release"]["sha256"] is None
    query = "SELECT * FROM read_csv('parts/1.csv')"
    source = {"query": query}
    report = kanon_sql.run(configured(source=source, target="other.parquet"), html="p.html").report
    assert report["source"]["sha256"] is None and report["release"]["sha256"] == digest("other.parquet")


@pytest.mark.slow
def test_a_page_is_private_and_replaced_as_a_whole() -> None:
    kanon_sql.run(configured(), html="p.html")
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o600
    first = Path("p.html").read_text(encoding="utf-8")
    assert first.lstrip().lower().startswith("<!doctype html>")
    Path("p.html").chmod(0o644)
    kanon_sql.run(configured(target={"path": "release.csv", "overwrite": True}), html="p.html")
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o644
    assert not list(Path().glob(".p.html*"))


def test_without_a_release_report_and_page_say_so() -> None:
    with pytest.raises(KanonError) as refused:
        kanon_sql.run(configured(privacy={"k": 99}, report={"json": "r.json", "html": "p.html"}))
    assert refused.value.exit_status == 1
    report = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert report["status"] == "no-release" and report["version"] == __version__
    page = Path("p.html").read_text(encoding="utf-8")
    assert "no release" in page.lower() and html.escape(report["errors"][0]) in page


def test_a_folder_is_no_place_of_a_page() -> None:
    Path("folder").mkdir()
    with pytest.raises(KanonError, match="folder: the page cannot be written, this is a folder; name a file in it"):
        kanon_sql.run(configured(), html="folder")
    assert not Path("release.csv").exists()


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"json": "source.csv"}, "the report source.csv: it would replace the source"),
        ({"html": "source.csv"}, "the page source.csv: it would replace the source"),
        ({"html": "release.csv"}, "the page release.csv: it would replace the target"),
        ({"json": "one", "html": "one"}, "it would replace the"),
        ({"html": "ledger.duckdb"}, "it would replace the ledger"),
    ],
)
def test_what_is_read_or_kept_is_not_replaced(report: Json, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.run(configured(report=report, releases={"path": "ledger.duckdb"}))
    assert not Path("release.csv").exists()


def test_a_page_and_a_report_given_beside_the_configuration_are_two_files() -> None:
    with pytest.raises(ConfigurationError, match="names the same file"):
        kanon_sql.run(configured(), report="one", html="one")
    with pytest.raises(EngineError, match="the page cannot be written, its folder does not exist"):
        kanon_sql.run(configured(), html="no/p.html")


SECRETS = {
    "postgresql://jane:s3cret@host/db": "postgresql://jane:***@host/db",
    "postgresql://host/db?user=jane&password=s3cret": "postgresql://host/db?user=jane&password=***",
    "postgresql://host/${NAME}": "postgresql://host/${NAME}",
    "postgresql://jane:s3@cr/et:@host/db": "***",
    "postgresql://jane@host/db?sslpassword=s3cret": "postgresql://jane@host/db?sslpassword=***",
    "host=there password = s3cret dbname=db": "host=there password = *** dbname=db",
}


@pytest.mark.parametrize("url", SECRETS)
def test_passwords_are_masked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "unguessable")
    text = f"source: {{table: t}}\nquasi_identifiers: [sex]\nprivacy: {{k: 3}}\nengine: {{postgres: '{url}'}}\n"
    described = describe_configuration(config_from_text(text, Path(), name="job.yaml"))
    assert described["engine"] == {"postgres": SECRETS[url]}


def test_passwords_in_quotes_and_what_tells_who_asks_are_masked() -> None:
    quoted = {"postgres": r"host=there password='s3 \'cret' sslpassword='' dbname=db"}
    assert describe_configuration(from_mapping(configured(engine=quoted, source={"table": "t"})))["engine"] == {
        "postgres": "host=there password=*** sslpassword=*** dbname=db"
    }
    spark = {"spark": "sc://there:15002/;user_id=jane;token=s3cret;x-who=s3cret"}
    assert describe_configuration(from_mapping(configured(engine=spark, source={"table": "t"})))["engine"] == {
        "spark": "sc://there:15002/;user_id=jane;token=***;x-who=***"
    }
    query = "SELECT * FROM read_csv('https://there/a.csv?sv=2&sig=s3cret&se=3')"
    described = describe_configuration(from_mapping(configured(source={"query": query})))
    assert described["source"] == {"query": "SELECT * FROM read_csv('https://there/a.csv?sv=2&sig=***&se=3')"}


def test_keys_are_masked_and_a_seed_is_left_out() -> None:
    engine = {"spark": "local[*]", "config": {"spark.hadoop.fs.s3a.secret.key": "s3cret", "spark.cores.max": "2"}}
    job = configured(engine=engine, release={"order": "random", "seed": 7})
    described = describe_configuration(from_mapping(job))
    assert described["engine"]["config"] == {"spark.hadoop.fs.s3a.secret.key": "***", "spark.cores.max": "2"}
    assert described["release"] == {"order": "random", "suppressed": "drop", "ranges": "text", "verify": "full"}


@pytest.mark.slow
def test_no_report_or_page_holds_what_the_environment_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARGET", "unguessable.csv")
    job = "source: source.csv\ntarget: '${TARGET}'\nquasi_identifiers: [sex, age]\nunlisted: drop\nprivacy: {k: 3}\n"
    Path("job.yaml").write_text(job + "algorithm: local\nreport: {json: r.json, html: p.html}\n", encoding="utf-8")
    report = kanon_sql.run("job.yaml").report
    assert report["configuration"]["target"] == {"path": "${TARGET}"}


@pytest.mark.slow
def test_a_release_that_is_there_has_the_report_of_its_run() -> None:
    job = configured(report={"json": "r.json", "html": "p.html"})
    of_run = kanon_sql.run(job).report
    page, again = kanon_sql.report_release(job, html="q.html")
    assert again == of_run
    assert page == Path("q.html").read_text(encoding="utf-8")
    assert "When the release was made is not known." not in page


@pytest.mark.slow
def test_without_its_report_a_release_is_searched_for_again() -> None:
    of_run = kanon_sql.run(configured()).report
    page, again = kanon_sql.report_release(configured(report="r.json"))
    assert "When the release was made is not known." in page
    assert not Path("r.json").exists()
    for key in ("status", "rows", "algorithm", "solution", "labels", "classes", "privacy", "loss", "suppression"):
        assert again[key] == of_run[key], key
    assert again["release"]["sha256"] == digest("release.csv") and again["source"]["sha256"] == digest("source.csv")
    assert again["verification"] == {"compared": "counts"}
    assert any("no report of the run" in warning for warning in again["warnings"])


@pytest.mark.slow
def test_a_report_of_another_file_is_not_taken() -> None:
    job = configured(report={"json": "r.json", "html": "p.html"})
    kanon_sql.run(job)
    lines = Path("release.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("release.csv").write_text("".join([lines[0], *sorted(lines[1:])]), encoding="utf-8")
    _, again = kanon_sql.report_release(job)
    assert again["verification"] == {"compared": "counts"} and again["release"]["sha256"] == digest("release.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "missing"),
    [
        ({"path": "release.parquet"}, None),
        ({"path": "release.json"}, None),
        ({"path": "release.csv"}, ["?"]),
        ({"path": "release.csv", "csv": {"delimiter": ";", "formulas": "escape"}}, ["?", ""]),
        ({"database": "out.duckdb", "table": "released"}, None),
    ],
)
@pytest.mark.parametrize("algorithm", ["optimal", "local", "mondrian"])
def test_every_target_and_search_is_found_again(target: Json, missing: list[str] | None, algorithm: str) -> None:
    gap = missing[0] if missing else ""
    with Path("source.csv").open("a", encoding="utf-8") as file:
        file.write(f",20,A\n,20,\n,20,B\n?,30,A\nf,{gap},A\n=f,30,B\n")
    more = {"source": {"path": "source.csv", **({} if missing is None else {"missing": missing})}}
    job = configured(target=target, algorithm=algorithm, suppression={"limit": "50%"}, **more)
    of_run = kanon_sql.run(job).report
    _, again = kanon_sql.report_release(job)
    assert (again["classes"], again["privacy"], again["rows"]) == (of_run["classes"], of_run["privacy"], of_run["rows"])


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["drop", "mask"])
def test_a_release_that_is_none_of_the_configuration_is_refused(mask: str) -> None:
    with Path("source.csv").open("a", encoding="utf-8") as file:
        file.write("x,90,A\n" * 2 + "y,90,A\n")
    job = configured(suppression={"limit": 3}, release={"suppressed": mask})
    of_run = kanon_sql.run(job).report
    assert kanon_sql.report_release(job)[1]["rows"] == of_run["rows"]
    with pytest.raises(VerificationError, match=r"this is not the release that .* makes of source\.csv as it is now"):
        kanon_sql.report_release(job, overrides=[("suppression.limit", 0)])
    with Path("release.csv").open("a", encoding="utf-8") as file:
        file.write("f,20-29,A\n")
    with pytest.raises(VerificationError, match="not the release"):
        kanon_sql.report_release(job)


def test_without_a_release_there_is_no_page_of_it() -> None:
    with pytest.raises(EngineError, match="there is no release yet"):
        kanon_sql.report_release(configured())
    with pytest.raises(ConfigurationError, match="there is no target"):
        kanon_sql.report_release({key: value for key, value in configured().items() if key != "target"})


@pytest.mark.slow
def test_in_place_the_report_of_the_run_tells_what_the_source_does_not() -> None:
    job = configured(target="in-place", report={"json": "r.json", "html": "p.html"})
    of_run = kanon_sql.run(job).report
    assert kanon_sql.report_release(job)[1] == of_run


def test_in_place_without_that_report_the_unknown_is_said() -> None:
    job = configured(target="in-place")
    with pytest.raises(NoReleaseError, match="is no release of this configuration"):
        kanon_sql.report_release({**job, "privacy": {"k": 9}})
    of_run = kanon_sql.run(job).report
    page, again = kanon_sql.report_release(job)
    assert "</html>" in page and "When the release was made is not known." in page
    assert again["rows"] == {"source": None, "missing": None, "suppressed": None, "masked": None, "released": 24}
    assert (again["solution"], again["loss"], again["search"]) == (None, None, None)
    assert again["classes"].items() <= of_run["classes"].items() and again["privacy"] == of_run["privacy"]
    assert any("took the source's place" in warning for warning in again["warnings"])


@pytest.mark.slow
def test_the_command_writes_where_it_is_told_and_else_to_its_output(capfd: pytest.CaptureFixture[str]) -> None:
    Path("job.json").write_text(json.dumps(configured()), encoding="utf-8")
    kanon_sql.run("job.json")
    for words, status in ((["-o", "q.html"], 0), ([], 0), (["--json"], 0), (["--set", "target=no.csv"], 3)):
        with pytest.raises(SystemExit) as ended:
            main(["report", "job.json", *words])
        assert ended.value.code == status
        out, err = capfd.readouterr()
        if words[:1] == ["-o"]:
            assert out == "" and Path("q.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
        elif not words:
            assert out.rstrip().endswith("</html>")
        elif words == ["--json"]:
            assert json.loads(out)["status"] == "released"
        else:
            assert "there is no release yet" in err


@pytest.mark.slow
def test_a_terminal_is_not_flooded(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("job.json").write_text(json.dumps(configured()), encoding="utf-8")
    kanon_sql.run("job.json")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(SystemExit) as ended:
        main(["report", "job.json"])
    out, err = capfd.readouterr()
    assert (ended.value.code, out) == (0, "") and "the page is in job.html" in err
    assert Path("job.html").is_file()
