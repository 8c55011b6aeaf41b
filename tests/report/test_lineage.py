"""Events of OpenLineage: what they say, where they go, and what becomes of a run whose events are not taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError, ReleasedError


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def job(folder: Path, release: str = "release.csv", **more: Any) -> dict[str, Any]:
    transform = {"cost": {"round": 1}}
    return configuration(str(write(folder / "people.parquet")), str(folder / release), transform=transform, **more)


def test_a_run_says_how_each_column_was_made(tmp_path: Path) -> None:
    place = tmp_path / "events.jsonl"
    result = kanon_sql.run(job(tmp_path), lineage=place)
    start, complete = events(place)
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == complete["run"]["runId"] and start["outputs"] == []
    (read,), (written,) = complete["inputs"], complete["outputs"]
    assert (read["namespace"], read["name"]) == ("file", str(tmp_path / "people.parquet"))
    assert (written["namespace"], written["name"]) == ("file", str(tmp_path / "release.csv"))
    assert {entry["name"] for entry in written["facets"]["schema"]["fields"]} == {
        "sex",
        "age",
        "zip",
        "diagnosis",
        "cost",
    }
    assert written["outputFacets"]["outputStatistics"]["rowCount"] == result.released
    lineage = written["facets"]["columnLineage"]
    assert {entry["field"] for entry in lineage["dataset"]} == {"sex", "age", "zip"}
    levels = {"cost": 1, **result.levels}
    for name, entry in lineage["fields"].items():
        (of,) = entry["inputFields"]
        (how,) = of["transformations"]
        assert (of["namespace"], of["name"], of["field"]) == ("file", read["name"], name)
        changed = bool(levels.get(name))
        assert (how["subtype"], how["masking"]) == (("TRANSFORMATION", True) if changed else ("IDENTITY", False)), name
    assert "rounded" not in lineage and "round" in str(lineage["fields"]["cost"])
    assert place.stat().st_mode & 0o777 == 0o600
    kanon_sql.run(job(tmp_path, release="other.csv"), lineage=place, dry_run=True)
    assert [entry["eventType"] for entry in events(place)] == ["START", "COMPLETE"] * 2
    assert events(place)[-1]["outputs"] == []


def test_a_run_that_fails_says_so(tmp_path: Path) -> None:
    place = tmp_path / "events.jsonl"
    with pytest.raises(NoReleaseError):
        kanon_sql.run(job(tmp_path, privacy={"k": 1_000}), lineage=place)
    assert [entry["eventType"] for entry in events(place)] == ["START", "FAIL"]
    assert "1000" in events(place)[1]["run"]["facets"]["errorMessage"]["message"].replace(",", "")
    assert events(place)[1]["outputs"] == []


@pytest.mark.parametrize("taken", [True, False])
def test_an_error_of_the_program_itself_is_told_by_its_type_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: bool
) -> None:
    place = tmp_path / "events.jsonl"

    def fail(*_: Any) -> None:
        if not taken:
            place.unlink()
            place.mkdir()
        raise ZeroDivisionError("flu")

    monkeypatch.setattr("kanon_sql.commands.run.pipeline._run", fail)
    with pytest.raises(ZeroDivisionError, match="flu"):
        kanon_sql.run(job(tmp_path), lineage=place)
    if taken:
        start, failed = events(place)
        assert (start["eventType"], failed["eventType"], failed["outputs"]) == ("START", "FAIL", [])
        assert failed["run"]["runId"] == start["run"]["runId"]
        assert failed["run"]["facets"]["errorMessage"]["message"] == "unexpected ZeroDivisionError"
        assert "flu" not in place.read_text()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"database": "a/b.duckdb", "table": "people"}, ("file:/base/a/b.duckdb", "people")),
        ({"database": "ducklake:b.ducklake", "table": "people"}, ("file:/base/b.ducklake", "people")),
        ({"query": "SELECT 1"}, ("duckdb", "query")),
        ({"path": "s3://clinic/in/people.parquet"}, ("s3://clinic", "in/people.parquet")),
        ({"path": "https://me:pass@host/people.csv?key=word"}, ("https://host", "people.csv")),
    ],
)
def test_names_of_datasets(source: dict[str, str], expected: tuple[str, str]) -> None:
    from kanon_sql.report.lineage import _dataset
    from kanon_sql.settings.source import SourceConfig

    named = _dataset(SourceConfig(**source), Path("/base"), "duckdb")
    assert (named["namespace"], named["name"]) == expected


@contextmanager
def server(status: int = 200) -> Iterator[tuple[str, list[Any]]]:
    """A server that takes events: its address, and what it got."""
    taken: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            taken.append((self.path, self.headers.get("Authorization"), event))
            self.send_response(status if len(taken) > 1 else 200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}", taken
        finally:
            listening.shutdown()
            thread.join()


@pytest.mark.slow
def test_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "a key")
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "clinic")
    with server() as (url, taken):
        kanon_sql.run(job(tmp_path), lineage=url)
    assert [(path, key) for path, key, _ in taken] == [("/api/v1/lineage", "Bearer a key")] * 2
    assert [event["job"]["namespace"] for _, _, event in taken] == ["clinic"] * 2
    (tmp_path / "release.csv").unlink()
    with server(500) as (url, _), pytest.raises(ReleasedError, match=r"in its place, but http://.*not taken"):
        kanon_sql.run(job(tmp_path), lineage=f"{url}/other")
    assert (tmp_path / "release.csv").exists()
    (tmp_path / "release.csv").unlink()
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:1/api/v1/lineage: the lineage was not taken"):
        kanon_sql.run(job(tmp_path), lineage="http://127.0.0.1:1")
    assert not (tmp_path / "release.csv").exists()


def test_where_no_lineage_goes(tmp_path: Path) -> None:
    config = job(tmp_path)
    with pytest.raises(ConfigurationError, match=r"the lineage .*it would replace the source"):
        kanon_sql.run(config, lineage=tmp_path / "people.parquet")
    with pytest.raises(EngineError, match=r"its folder does not exist"):
        kanon_sql.run(config, lineage=tmp_path / "none" / "events.jsonl")


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(job(tmp_path)))
    with pytest.raises(SystemExit) as ended:
        main(["run", str(tmp_path / "config.json"), "--lineage", str(tmp_path / "events.jsonl")])
    assert not ended.value.code
    assert events(tmp_path / "events.jsonl")[1]["job"]["name"] == "config.json"


@pytest.mark.tool
@pytest.mark.skipif(find_spec("openlineage") is None, reason="No module named openlineage: .[tools]")
def test_the_events_are_those_of_openlineage(tmp_path: Path) -> None:
    """Each part has the keys that the classes of its own client have, and no other."""
    from openlineage.client import event_v2, facet_v2
    from openlineage.client.serde import Serde

    kanon_sql.run(job(tmp_path), lineage=tmp_path / "events.jsonl")
    with pytest.raises(NoReleaseError):
        kanon_sql.run(job(tmp_path, privacy={"k": 1_000}, release="other.csv"), lineage=tmp_path / "events.jsonl")

    def facet(kind: Any, data: dict[str, Any]) -> Any:
        plain = {key: value for key, value in data.items() if key not in ("_producer", "_schemaURL")}
        entry = kind(**plain)
        assert data["_schemaURL"] == entry._get_schema()
        return entry

    for written in events(tmp_path / "events.jsonl"):
        run_facets = {
            "processing_engine": facet_v2.processing_engine_run.ProcessingEngineRunFacet,
            "errorMessage": facet_v2.error_message_run.ErrorMessageRunFacet,
        }
        facets = {
            "schema": facet_v2.schema_dataset.SchemaDatasetFacet,
            "columnLineage": facet_v2.column_lineage_dataset.ColumnLineageDatasetFacet,
            "outputStatistics": facet_v2.output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet,
        }
        event = event_v2.RunEvent(
            eventType=event_v2.RunState[written["eventType"]],
            eventTime=written["eventTime"],
            run=event_v2.Run(
                written["run"]["runId"], {k: facet(run_facets[k], v) for k, v in written["run"]["facets"].items()}
            ),
            job=event_v2.Job(**written["job"]),
            producer=written["producer"],
            inputs=[
                event_v2.InputDataset(
                    **{**entry, "facets": {k: facet(facets[k], v) for k, v in entry["facets"].items()}}
                )
                for entry in written["inputs"]
            ],
            outputs=[
                event_v2.OutputDataset(
                    **{
                        **entry,
                        **{
                            key: {k: facet(facets[k], v) for k, v in entry[key].items()}
                            for key in ("facets", "outputFacets")
                        },
                    }
                )
                for entry in written["outputs"]
            ],
        )
        assert json.loads(Serde.to_json(event))["schemaURL"] == written["schemaURL"]
