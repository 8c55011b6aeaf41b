"""What a result measures of itself, against the functions of the same names on files; tables where no table goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError

Json = dict[str, Any]
ROWS = [(20 + i * 7 % 23, "mf"[i % 2], ["flu", "cold", "gout"][i % 3]) for i in range(90)]
NAMES = ["age", "sex", "illness"]
FRAME = pandas.DataFrame(ROWS, columns=NAMES)
QUASI: Json = {"age": "intervals:5,10", "sex": "suppress"}


def on_files(folder: Path) -> Json:
    """The configuration of the same release, made in files."""
    polars.DataFrame(ROWS, schema=NAMES, orient="row").write_parquet(folder / "in.parquet")
    config: Json = {
        "source": str(folder / "in.parquet"),
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": QUASI,
        "sensitive": ["illness"],
        "privacy": {"k": 5},
    }
    kanon_sql.run(config, advice=False)
    return config


def figures(measured: Any) -> Any:
    """What was measured, without times and names of tables; floats to nine digits."""
    if isinstance(measured, dict):
        left = ("seconds", "table", "release", "source") if "status" in measured else ("seconds", "table")
        return {key: figures(part) for key, part in measured.items() if key not in left}
    if isinstance(measured, (list, tuple)):
        return [figures(part) for part in measured]
    return round(measured, 9) if isinstance(measured, float) else measured


@pytest.mark.slow
def test_a_result_in_memory_is_measured_like_files(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    result = kanon_sql.anonymize(FRAME, QUASI, 5, sensitive=["illness"])
    measured = result.risk(threshold=0.1)
    assert measured["after"]["table"] == "memory"
    assert measured["threshold"] == 0.1
    assert figures(measured) == figures(kanon_sql.risk(config, threshold=0.1))
    assert figures(result.utility()) == figures(kanon_sql.utility(config))
    assert result.released == len(result.df())  # the release is still there


@pytest.mark.slow
def test_attacks_on_a_result_in_memory_are_those_on_files(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    result = kanon_sql.anonymize(FRAME, QUASI, 5, sensitive=["illness"])
    attacked, expected = result.attack(attacks=50), kanon_sql.attack(config, attacks=50)
    assert attacked["release"] == "memory"
    assert (attacked["attacks"], attacked["rows"]) == (expected["attacks"], expected["rows"])
    assert set(attacked["inference"]) == set(expected["inference"]) == {"illness"}


@pytest.mark.slow
def test_a_result_with_a_target_and_one_of_a_users_connection_are_measured(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    expected = figures(kanon_sql.utility(config))
    result = kanon_sql.anonymize(
        tmp_path / "in.parquet", QUASI, 5, sensitive=["illness"], target=tmp_path / "other.parquet"
    )
    assert figures(result.utility()) == expected
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{tmp_path / 'in.parquet'}'")
        result = kanon_sql.anonymize("people", QUASI, 5, sensitive=["illness"], connection=connection)
        assert figures(result.utility()) == expected
        assert figures(result.risk()) == figures(kanon_sql.risk(config))
        result.close()
        assert [row[0] for row in connection.execute("SHOW TABLES").fetchall()] == ["people"]


@pytest.mark.slow
def test_a_query_whose_connection_is_locked_is_measured(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    queried = {**config, "source": {"query": f"FROM '{tmp_path / 'in.parquet'}'", "allow": [str(tmp_path)]}}
    del queried["target"]
    assert figures(kanon_sql.run(queried, advice=False).utility()) == figures(kanon_sql.utility(config))


def test_what_is_closed_is_not_measured() -> None:
    result = kanon_sql.anonymize(FRAME, QUASI, 5, sensitive=["illness"])
    result.close()
    with pytest.raises(ConfigurationError, match="closed"):
        result.risk()


TABLES: list[Callable[[], Any]] = [
    lambda: FRAME,
    lambda: polars.DataFrame({"age": [1]}),
    lambda: duckdb.sql("SELECT 1 AS age"),
]


@pytest.mark.parametrize("table", TABLES, ids=["pandas", "polars", "relation"])
@pytest.mark.parametrize("name", ["run", "risk", "check", "utility", "attack", "lattice", "sweep", "compile"])
def test_a_table_in_the_place_of_a_configuration(name: str, table: Callable[[], Any]) -> None:
    with pytest.raises(ConfigurationError) as failed:
        getattr(kanon_sql, name)(table())
    said = str(failed.value)
    assert len(said.splitlines()) <= 3
    assert "the path of its file, or a mapping of its keys" in said
    assert "anonymize(" in said
    assert "run(config, data=table)" in said


def test_a_table_in_the_place_of_a_configuration_beside_data() -> None:
    with pytest.raises(ConfigurationError, match="the configuration is of type DataFrame"):
        kanon_sql.run(FRAME, data=FRAME)


@pytest.mark.slow
def test_results_show_themselves_as_tables_in_a_notebook(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    measured = [
        kanon_sql.check(config, config["target"]),
        kanon_sql.lattice(config),
        kanon_sql.sweep(config, k=[2]),
        kanon_sql.risk(config),
        kanon_sql.utility(config),
    ]
    for report in measured:
        assert isinstance(report, dict) and json.loads(json.dumps(report)).keys() == report.keys()
        html = report._repr_html_()  # type: ignore[attr-defined]
        assert html.startswith("<div") and html.count("<table") == html.count("</table>")
        assert "<table" in html or report is measured[0]
    assert "age" in measured[0]._repr_html_() or "satisfied" in measured[0]._repr_html_()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_notebook_draws_the_bars_of_a_terminal(tmp_path: Path) -> None:
    config = on_files(tmp_path)
    for result in (kanon_sql.run({**config, "target": str(tmp_path / "again.parquet")}), kanon_sql.risk(config)):
        html = result._repr_html_()  # type: ignore[union-attr]
        assert html.count("width:100px") == html.count("height:100%") > 1


def test_what_is_shown_is_text_and_no_markup(tmp_path: Path) -> None:
    frame = FRAME.rename(columns={"age": "<b>age</b>"})
    with kanon_sql.anonymize(frame, {"<b>age</b>": "intervals:5,10"}, 5, unlisted="drop") as result:
        assert "<b>age</b>" not in result.risk()._repr_html_()  # type: ignore[attr-defined]


def test_a_stream_that_was_read_has_nothing_left_to_compare(tmp_path: Path) -> None:
    stream = pyarrow.Table.from_pandas(FRAME).to_reader()
    result = kanon_sql.anonymize(stream, QUASI, 5, sensitive=["illness"])
    with result, pytest.raises(NoReleaseError, match="has no row that takes part; there is nothing to compare"):
        result.utility()
