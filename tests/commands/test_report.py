"""The report and the page of a run: what they are told, where they go, what they never hold."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.config.load import config_from_text, from_mapping
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.report.configuration import describe_configuration
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
    asked = report["configuration"]
    assert asked["source"] == {"path": "source.csv"} and asked["target"] == {"path": "release.csv"}
    assert asked["privacy"] == {"k": 4} and asked["report"] == {"json": "r.json"}
    assert asked["suppression"] == {"limit": 0} and asked["algorithm"] == {"name": "optimal", "objective": "loss"}
    assert report["source"] == {"table": "source.csv", "sha256": None}
    assert report["release"]["sha256"] is None and report["utility"] is None


@pytest.mark.parametrize("more", [{"report": {"html": "p.html"}}, {"releases": {"path": "ledger.duckdb"}}])
def test_digests_come_with_a_page_and_with_a_ledger(more: Json) -> None:
    before = digest("source.csv")
    report = kanon_sql.run(configured(**more)).report
    assert report["source"]["sha256"] == before == digest("source.csv")
    assert report["release"]["sha256"] == digest("release.csv")


def test_in_place_the_source_is_the_one_before(place: Path) -> None:
    before = digest("source.csv")
    report = kanon_sql.run(configured(target="in-place"), html="p.html").report
    assert report["source"]["sha256"] == before != digest("source.csv") == report["release"]["sha256"]
    assert Path("p.html").is_file()


def test_digests_of_database_files() -> None:
    with duckdb.connect("source.duckdb") as connection:
        connection.execute("CREATE TABLE people AS FROM 'source.csv'")
    source, target = {"database": "source.duckdb", "table": "people"}, {"database": "out.duckdb", "table": "released"}
    report = kanon_sql.run(configured(source=source, target=target), html="p.html").report
    assert report["source"]["sha256"] == digest("source.duckdb")
    assert report["release"]["sha256"] == digest("out.duckdb")


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


def test_a_page_is_private_and_replaced_as_a_whole() -> None:
    kanon_sql.run(configured(), html="p.html")
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o600
    first = Path("p.html").read_text(encoding="utf-8")
    assert first.lstrip().lower().startswith("<!doctype html>")
    Path("p.html").chmod(0o644)
    kanon_sql.run(configured(target={"path": "release.csv", "overwrite": True}), html="p.html")
    assert stat.S_IMODE(Path("p.html").stat().st_mode) == 0o644
    assert not list(Path().glob(".p.html*"))


def test_without_a_release_there_is_a_report_and_no_page() -> None:
    with pytest.raises(KanonError) as refused:
        kanon_sql.run(configured(privacy={"k": 99}, report={"json": "r.json", "html": "p.html"}))
    assert refused.value.exit_status == 1
    report = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert report["status"] == "no-release" and report["version"] == __version__
    assert not Path("p.html").exists()


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
    "postgresql://jane:s3@cr/et:@host/db": "postgresql://jane:***@host/db",
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


def test_no_report_or_page_holds_what_the_environment_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARGET", "unguessable.csv")
    job = "source: source.csv\ntarget: '${TARGET}'\nquasi_identifiers: [sex, age]\nunlisted: drop\nprivacy: {k: 3}\n"
    Path("job.yaml").write_text(job + "algorithm: local\nreport: {json: r.json, html: p.html}\n", encoding="utf-8")
    report = kanon_sql.run("job.yaml").report
    assert report["configuration"]["target"] == {"path": "${TARGET}"}
