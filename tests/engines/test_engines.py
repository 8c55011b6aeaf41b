"""PostgreSQL and Spark (by Sail) execute the job: what comes out is what DuckDB makes of the same table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
from adult import SAMARATI, adult_config, configurations, rows_of
from compiled_cases import CASES, COLUMNS, DEALT, HOSTILE, source_rows
from compiled_cases import configuration as case_configuration
from engine_jobs import Json, same, small
from engine_places import ENGINES, MARKS, Start, as_parquet, counted, spark_session, starting, without_signs
from page_jobs import facts_of
from places import EXAMPLES
from servers import missing_postgres, missing_sail

import kanon_sql
from kanon_sql.api import load
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError, VerificationError

pytestmark = MARKS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with people.parquet, the table of most tests here."""
    directory = tmp_path_factory.mktemp("engines")
    as_parquet(directory / "people.parquet", COLUMNS, source_rows())
    return directory


@pytest.fixture(scope="module")
def start(folder: Path) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(lambda engine: folder) as start:
        yield start


@ENGINES
@pytest.mark.parametrize("case", CASES)
def test_every_search_gives_what_duckdb_gives(folder: Path, start: Start, engine: str, case: str) -> None:
    place = start(engine)
    config = case_configuration(folder, case)
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(COLUMNS, source_rows()))
    there = kanon_sql.run(remote).report
    same(there, here)
    assert there["engine"]["name"] == engine
    rows = place.released(remote)
    assert rows is not None
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{config['target']['path']}'").fetchall()
        width = len(mine[0])
    if case in DEALT:  # which of a tuple's rows a class takes is drawn anew
        keep = [i for i in range(width) if i < width - 2]
        assert counted([tuple(row[i] for i in keep) for row in rows]) == counted(
            [tuple(row[i] for i in keep) for row in mine]
        )
    else:
        assert counted(rows) == counted(mine)
    assert place.leftovers() == []


@ENGINES
@pytest.mark.parametrize("case", CASES)
def test_the_facts_of_a_page_are_those_that_duckdb_has(folder: Path, start: Start, engine: str, case: str) -> None:
    place = start(engine)
    config = case_configuration(folder, case)
    parts = ("risk", "columns", "lattice", "classes")
    _, here = facts_of(config, folder, parts)
    _, there = facts_of(place.configured(config, place.put(COLUMNS, source_rows())), folder, parts)
    if there.report["rows"]["suppressed"] and not there.report["rows"]["masked"]:
        assert set(there.notes) == {"lattice"}  # the released rows cannot be told from the others there
        return
    assert not there.notes
    assert without_signs(there.columns) == without_signs(here.columns)
    risk_there: Any = there.risk
    risk_here: Any = here.risk
    for side in ("before", "after"):
        assert {**risk_there[side], "table": ""} == {**risk_here[side], "table": ""}


SAMPLE = EXAMPLES / "adult"


@ENGINES
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_the_sample_is_released_as_by_duckdb(start: Start, engine: str, algorithm: str, tmp_path: Path) -> None:
    place = start(engine)
    hierarchies = {"native_country": "country", "work_class": "work-class"}
    config = small(
        source={"path": str(SAMPLE / "adult.parquet"), "missing": ["?"]},
        target=str(tmp_path / "here.parquet"),
        quasi_identifiers={
            "sex": {"builtin": "suppress"},
            "age": {"builtin": "intervals", "widths": [5, 10, 20]},
            "marital_status": "marital-status",
            **{column: str(SAMPLE / "hierarchies" / f"{name}.csv") for column, name in hierarchies.items()},
        },
        sensitive=["occupation"],
        insensitive=["education"],
        privacy={"k": 10, "l_diversity": {"column": "occupation", "l": 2}},
        suppression={"limit": "1%"},
        missing="drop",
        algorithm={"name": algorithm, **({} if algorithm == "optimal" else {"seed": 1})},
    )
    here = kanon_sql.run(config).report
    with duckdb.connect() as connection:
        columns = {
            row[0]: row[1] for row in connection.execute(f"DESCRIBE FROM '{SAMPLE / 'adult.parquet'}'").fetchall()
        }
        rows = connection.execute(f"FROM '{SAMPLE / 'adult.parquet'}'").fetchall()
    source = place.put(columns, rows) if engine == "postgres" else {"path": config["source"]["path"]}
    remote = place.configured(config, source)
    same(kanon_sql.run(remote).report, here)
    released = place.released(remote)
    assert released is not None and len(released) == here["rows"]["released"]


@ENGINES
@pytest.mark.parametrize("expected", configurations(SAMARATI.get("configs", [])[:2]))
def test_an_oracle_holds_there(start: Start, engine: str, expected: Json, tmp_path: Path) -> None:
    place = start(engine)
    config = adult_config(expected, tmp_path, {"name": "optimal"})
    here = kanon_sql.run(config).report
    path = config["source"]["path"]
    if engine == "postgres":
        header, *rows = rows_of(Path(path))
        source = place.put(dict.fromkeys(header, "VARCHAR"), rows)
    else:
        source = {"path": path}
    for searched in ("duckdb", "engine"):
        there = kanon_sql.run({**place.configured(config, source), "search_in": searched}).report
        same(there, here)
        levels = tuple(there["solution"]["levels"][column] for column in SAMARATI["qi_order"])
        satisfying = {tuple(node) for node in expected["satisfying"]}
        assert levels in satisfying


SEARCHES: dict[str, Json] = {
    "optimal": {},
    "missing": {"missing": "drop-any", "source": {"missing": ["", "NULL"]}},
    "discernibility": {"algorithm": {"name": "optimal", "objective": "discernibility"}, "privacy": {"k": 3}},
    "entropy": {"algorithm": {"name": "optimal", "objective": "entropy"}},
    "samarati": {"algorithm": "samarati"},
    "minimal": {"algorithm": "minimal", "suppression": {"limit": 0}},
    "models": {
        "privacy": {
            "k": 2,
            "l_diversity": [{"column": "s", "l": 2}, {"column": "s", "l": 1.5, "variant": "entropy"}],
            "alpha_k": {"column": "s", "alpha": 0.7},
        },
        "suppression": {"limit": "50%"},
    },
    "shares": {
        "privacy": {
            "k": 2,
            "t_closeness": {"column": "s", "t": 0.4},
            "beta": [{"column": "s", "beta": 2}, {"column": "s", "beta": 2, "variant": "basic"}],
        },
        "suppression": {"limit": "60%"},
    },
    "disclosure": {
        "privacy": {"k": 2, "delta_disclosure": {"column": "s", "delta": 1.2}},
        "suppression": {"limit": "60%"},
    },
}


@ENGINES
@pytest.mark.parametrize(
    "more",
    [{"search_in": "engine"}, {"search_in": "duckdb", "missing": "drop"}, {"algorithm": "mondrian"}],
    ids=lambda more: "-".join(more.values()),
)
def test_rare_values_are_counted_where_the_rows_are(folder: Path, start: Start, engine: str, more: Json) -> None:
    place = start(engine)
    quasi: Json = {
        HOSTILE: {"builtin": "merge-rare", "below": [4, 12], "other": "it's"},
        "age": {"builtin": "merge-rare", "below": [3], "min_level": 1},
        "price": {"builtin": "intervals", "widths": [2], "bottom": 1, "top": "4.5"},
    }
    config = small(quasi_identifiers=quasi, privacy={"k": 3})
    config["source"] = str(folder / "people.parquet")
    config["target"] = {"path": str(folder / "rare.parquet"), "overwrite": True}
    here = kanon_sql.run({**config, **{key: value for key, value in more.items() if key != "search_in"}}).report
    remote = place.configured({**config, **more}, place.put(COLUMNS, source_rows()))
    same(kanon_sql.run(remote).report, here)
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{folder / 'rare.parquet'}'").fetchall()
    rows = place.released(remote)
    assert rows is not None and counted(rows) == counted(mine)


@ENGINES
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_aggregates_are_those_of_duckdb(folder: Path, start: Start, engine: str, algorithm: str) -> None:
    place = start(engine)
    quasi: Json = {
        HOSTILE: {"builtin": "suppress", "aggregate": "mode"},
        "age": {"builtin": "intervals", "widths": [10, 20], "aggregate": "mean"},
        "price": {"builtin": "suppress", "aggregate": "median"},
    }
    config = small(quasi_identifiers=quasi, privacy={"k": 3}, algorithm=algorithm)
    config["source"] = str(folder / "people.parquet")
    config["target"] = {"path": str(folder / "shown.parquet"), "overwrite": True}
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(COLUMNS, source_rows()))
    there = kanon_sql.run(remote).report
    same(there, here)
    assert there["loss"]["sse"] == pytest.approx(here["loss"]["sse"])
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{folder / 'shown.parquet'}'").fetchall()
    rows = place.released(remote)
    assert rows is not None and counted(rows) == counted(mine)


@ENGINES
@pytest.mark.parametrize("case", SEARCHES)
def test_the_engine_itself_searches(folder: Path, start: Start, engine: str, case: str) -> None:
    place = start(engine)
    quasi: Json = {
        HOSTILE: {"builtin": "suppress"},
        "age": {"builtin": "intervals", "widths": [20]},
        "price": {"builtin": "suppress"},
    }
    config = small(**{"quasi_identifiers": quasi, **SEARCHES[case]})
    config["source"] = {**SEARCHES[case].get("source", {}), "path": str(folder / "people.parquet")}
    config["target"] = {"path": str(folder / "there.parquet"), "overwrite": True}
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(COLUMNS, source_rows()))
    there = kanon_sql.run({**remote, "search_in": "engine"}).report
    same(there, here)
    assert there["engine"]["search_in"] == "engine"
    rows = place.released(remote)
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{folder / 'there.parquet'}'").fetchall()
    assert rows is not None and counted(rows) == counted(mine)
    nodes = [
        kanon_sql.lattice({**each, "missing": "keep"})["nodes"] for each in ({**remote, "search_in": "engine"}, config)
    ]
    assert nodes[0] == nodes[1]
    assert place.leftovers() == []


@ENGINES
def test_the_number_of_combinations_decides_where_they_are_searched(
    start: Start, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kanon_sql.search.full_domain import pushdown

    place = start(engine)
    source = place.put(COLUMNS, source_rows())

    def searched(**more: Any) -> str:
        return str(kanon_sql.run(place.configured(small(**more), source)).report["engine"]["search_in"])

    assert searched() == "duckdb"
    monkeypatch.setattr(pushdown, "MOST_IN_DUCKDB", 10)
    assert searched() == "engine"
    assert searched(search_in="duckdb") == "duckdb"
    assert searched(algorithm="mondrian") == "duckdb"
    assert searched(algorithm="mondrian", search_in="engine") == "engine"
    for more, said in (
        ({"algorithm": "local"}, "local searches in DuckDB alone"),
        ({"algorithm": {"name": "mondrian", "cut": "relaxed"}}, "cut: relaxed deals out rows of the same values"),
        ({"algorithm": {"name": "mondrian", "dimension": "random"}}, "a hash that DuckDB alone has"),
        (
            {
                "algorithm": "mondrian",
                "privacy": {"k": 2, "t_closeness": {"column": "s", "t": 0.5, "distance": "ordered"}},
            },
            "t_closeness is judged in DuckDB alone",
        ),
        (
            {"privacy": {"k": 2, "average_risk": {"at_most": "10%"}}},
            "average_risk of the whole table is judged in DuckDB alone",
        ),
        (
            {"privacy": {"k": 2, "t_closeness": {"column": "s", "t": 0.5, "distance": "ordered"}}},
            "t_closeness is judged in DuckDB alone",
        ),
        ({"release": {"suppressed": "mask"}}, "whether rows can be masked"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            searched(search_in="engine", **more)


@ENGINES
def test_values_without_a_place_are_counted_where_the_engine_searches(
    start: Start, engine: str, tmp_path: Path
) -> None:
    place = start(engine)
    (tmp_path / "h.csv").write_text("flu,*\ncold,*\n")
    config = small(quasi_identifiers={"s": str(tmp_path / "h.csv")}, sensitive=[], search_in="engine")
    with pytest.raises(ConfigurationError, match="1 distinct value of column 's' is not covered"):
        kanon_sql.run(place.configured(config, place.put(COLUMNS, source_rows())))


@ENGINES
def test_check_and_lattice_read_there(folder: Path, start: Start, engine: str) -> None:
    place = start(engine)
    models = {"k": 3, "l_diversity": {"column": "s", "l": 2}, "t_closeness": {"column": "s", "t": 0.5}}
    here = small(source=str(folder / "people.parquet"), privacy=models, missing="drop")
    there = place.configured(here, place.put(COLUMNS, source_rows()))
    checked, expected = kanon_sql.check(there), kanon_sql.check(here)
    for key in ("status", "rows", "classes", "violations"):
        assert checked[key] == expected[key]
    assert json.dumps(checked["privacy"]) == json.dumps(expected["privacy"])
    assert checked["status"] == "violated"
    assert kanon_sql.lattice(there)["nodes"] == kanon_sql.lattice(here)["nodes"]


@ENGINES
def test_k_counts_entities(start: Start, engine: str) -> None:
    place = start(engine)
    columns = {"who": "VARCHAR", "age": "INTEGER", "s": "VARCHAR"}
    rows = [(f"p{i // 3}" if i % 10 else None, i % 4, "abc"[i % 3]) for i in range(60)]
    config = {
        "source": {"path": str(as_parquet(place.folder / f"entities-{engine}.parquet", columns, rows))},
        "target": {"path": str(place.folder / "entities.csv"), "overwrite": True},
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [2]}},
        "sensitive": ["s"],
        "privacy": {"k": 6, "entity": "who", "l_diversity": {"column": "s", "l": 2}},
    }
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(columns, rows))
    there = kanon_sql.run(remote).report
    same(there, here)
    released = place.released(remote)
    assert released is not None and len(released) == here["rows"]["released"]


def test_formulas_are_escaped_where_postgres_releases_to_a_file(start: Start, tmp_path: Path) -> None:
    place = start("postgres")
    source = place.put(
        {"q": "VARCHAR", "=s": "VARCHAR"}, [("-9--2", "=1"), ("-9--2", "-1"), ("'=a", None), ("'=a", "")]
    )
    config = {
        "engine": place.configured(small(), source)["engine"],
        "source": source,
        "target": {"path": str(tmp_path / "out.csv"), "csv": {"formulas": "escape"}},
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
    }
    assert kanon_sql.run(config).report["classes"]["count"] == 2
    head, *written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert (head, sorted(written)) == ("q,'=s", ["''=a,", "''=a,\"\"", "'-9--2,'=1", "'-9--2,-1"])


@ENGINES
def test_an_existing_target_is_replaced_only_when_asked(start: Start, engine: str) -> None:
    place = start(engine)
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    kanon_sql.run(remote)
    before = place.released(remote)
    with pytest.raises(ConfigurationError, match=r"exists already; name another or set overwrite: true"):
        kanon_sql.run({**remote, "privacy": {"k": 20}})
    assert place.released(remote) == before
    result = kanon_sql.run({**remote, "privacy": {"k": 20}, "target": {**remote["target"], "overwrite": True}})
    after = place.released(remote)
    assert after is not None and len(after) == result.released
    assert result.smallest_class >= 20
    assert place.leftovers() == []


@ENGINES
def test_nothing_is_left_where_there_is_no_release(start: Start, engine: str) -> None:
    place = start(engine)
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    with pytest.raises(NoReleaseError):
        kanon_sql.run({**remote, "privacy": {"k": 500}})
    assert place.released(remote) is None
    empty = place.configured(small(), place.put(COLUMNS, []))
    with pytest.raises(NoReleaseError, match="has no row"):
        kanon_sql.run(empty)
    assert place.released(empty) is None
    assert place.leftovers() == []


@ENGINES
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_dry_run_makes_nothing_there(start: Start, engine: str, algorithm: str) -> None:
    place = start(engine)
    remote = place.configured(small(algorithm=algorithm), place.put(COLUMNS, source_rows()))
    dry = kanon_sql.run(remote, dry_run=True).report
    assert dry["status"] == "dry-run"
    assert place.released(remote) is None
    assert place.leftovers() == []
    report = kanon_sql.run(remote).report
    same({**dry, "status": "released"}, report)
    assert (dry["labels"], dry["given_up"]) == (report["labels"], report["given_up"])


@ENGINES
def test_what_looks_like_an_identifier_is_refused_there(start: Start, engine: str) -> None:
    place = start(engine)
    rows = [(i % 3, f"person{i}@example.org") for i in range(100)]
    config = {"source": "in.parquet", "quasi_identifiers": {"age": {"builtin": "suppress"}}, "privacy": {"k": 5}}
    remote = place.configured(config, place.put({"age": "INTEGER", "mail": "VARCHAR"}, rows))
    with pytest.raises(ConfigurationError, match="column 'mail' looks like e-mail"):
        kanon_sql.run({**remote, "unlisted": "insensitive"})
    assert place.released(remote) is None
    assert kanon_sql.run({**remote, "unlisted": "insensitive", "accept": ["mail"]}).warnings == ()


@ENGINES
def test_a_column_that_is_not_there_is_named(start: Start, engine: str) -> None:
    place = start(engine)
    remote = place.configured(small(sensitive=["nix"]), place.put(COLUMNS, source_rows()))
    with pytest.raises(ConfigurationError, match="there is no column 'nix'"):
        kanon_sql.run(remote)


@ENGINES
def test_a_query_is_a_source(start: Start, engine: str) -> None:
    place = start(engine)
    source = place.put(COLUMNS, source_rows())
    relation = source["table"] if engine == "postgres" else f"parquet.`{source['path']}`"
    remote = place.configured(small(), {"query": f"SELECT * FROM {relation} WHERE age >= 40 -- the older ones"})
    result = kanon_sql.run(remote)
    assert result.released + result.suppressed == sum(1 for row in source_rows() if (row[1] or 0) >= 40)


@ENGINES
def test_columns_that_tell_rows_apart_are_warned_of(start: Start, engine: str) -> None:
    place = start(engine)
    rows = [(i % 3, str(i), "x") for i in range(100)]
    source = place.put({"age": "INTEGER", "own": "VARCHAR", "note": "VARCHAR"}, rows)
    config = {
        "source": "in.parquet",
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "insensitive": ["own", "note"],
        "privacy": {"k": 5},
    }
    warned = kanon_sql.run(place.configured(config, source)).warnings
    assert [text.split(":")[0] for text in warned] == [
        "insensitive column 'own' holds a value of its own in 100 of 100 rows"
    ]


@ENGINES
def test_how_often_the_engine_is_asked_does_not_follow_the_nodes(start: Start, engine: str) -> None:
    place = start(engine)
    source = place.put(COLUMNS, source_rows())
    few = kanon_sql.run(place.configured(small(), source)).report
    more = {f"{name}": {"builtin": "suppress"} for name in ("born", "price", "known", "seen")}
    wide = small(privacy={"k": 2}, suppression={"limit": "60%"})
    wide["quasi_identifiers"] = {**wide["quasi_identifiers"], **more}
    many = kanon_sql.run(place.configured(wide, source)).report
    assert many["search"]["checked"] > 3 * few["search"]["checked"]
    # Each quasi-identifier loads one table of values.
    assert many["engine"]["statements"] - few["engine"]["statements"] <= 4 * len(more)


@ENGINES
def test_a_source_that_changes_during_the_run_is_noticed(
    start: Start, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL shows the run one state of the table; Spark's files are counted again."""
    from kanon_sql.engines.remote import RemoteSink

    place = start(engine)
    source = place.put(COLUMNS, source_rows())
    remote = place.configured(small(), source)
    expected = kanon_sql.run(place.configured(small(), source)).report["rows"]
    write = RemoteSink.make

    def changed(*arguments: Any) -> None:
        if engine == "postgres":
            import psycopg

            with psycopg.connect(place.url, autocommit=True) as connection:
                connection.execute(f"DELETE FROM {source['table']} WHERE age < 40".encode())
        else:
            as_parquet(Path(source["path"]), COLUMNS, source_rows()[:-9])
        write(*arguments)

    monkeypatch.setattr(RemoteSink, "make", changed)
    if engine == "postgres":
        assert kanon_sql.run(remote).report["rows"] == expected
    else:
        with pytest.raises((VerificationError, EngineError)):
            kanon_sql.run(remote)
        assert place.released(remote) is None
    assert place.leftovers() == []


def test_a_connection_that_is_dropped_leaves_nothing(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    from kanon_sql.engines.remote import RemoteSink

    place = start("postgres")
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    write = RemoteSink.make

    def dropped(sink: Any, *arguments: Any) -> None:
        write(sink, *arguments)
        with psycopg.connect(place.url, autocommit=True) as connection:
            # Of this run alone: others use the server at the same time.
            connection.execute("SELECT pg_terminate_backend(%s)", [sink.postgres.connection.info.backend_pid])

    monkeypatch.setattr(RemoteSink, "make", dropped)
    with pytest.raises((EngineError, VerificationError), match="the connection to PostgreSQL was lost"):
        kanon_sql.run(remote)
    assert place.released(remote) is None


@pytest.mark.parametrize("column", ["age", "note"])
def test_what_does_not_verify_is_not_seen_by_others(start: Start, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    place = start("postgres")
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    seen: list[Any] = []
    import kanon_sql.engines.postgres.target as module

    create = module.PostgresTable._create

    def spoilt(self: Any, release: Any) -> None:
        create(self, release)
        seen.append(place.released(remote))  # by another connection
        self.postgres.execute(
            f"UPDATE {self.table.sql('postgres')} SET {column} = '1' WHERE ctid IN "
            f"(SELECT ctid FROM {self.table.sql('postgres')} LIMIT 1)"
        )

    monkeypatch.setattr(module.PostgresTable, "_create", spoilt)
    with pytest.raises(VerificationError):
        kanon_sql.run(remote)
    assert seen == [None]
    assert place.released(remote) is None


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_postgres_copies_a_release_to_a_file_of_this_machine(start: Start, tmp_path: Path, suffix: str) -> None:
    place = start("postgres")
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    expected = kanon_sql.run(remote)
    path = tmp_path / f"out.{suffix}"
    result = kanon_sql.run({**remote, "target": str(path)})
    assert result.report["rows"] == expected.report["rows"]
    rows = place.released(remote)
    assert rows is not None
    with duckdb.connect() as connection:
        copied = connection.execute(f"FROM '{path}'").fetchall()
    assert len(copied) == len(rows)
    if suffix == "parquet":  # a CSV file does not tell an empty text from a missing one
        same(result.report, expected.report)
        assert counted(copied) == counted(rows)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_spark_compares_what_is_no_quasi_identifier(
    start: Start, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    import kanon_sql.engines.spark.target as module

    place = start("spark")
    config = {**small(), "source": str(folder / "people.parquet"), "target": str(tmp_path / f"out.{suffix}")}
    remote = {**config, "engine": {"spark": place.url}}
    create = module.SparkFolder._create

    def spoilt(self: Any, release: Any) -> None:
        frame = self.spark.create(release.sql)
        frame = frame.withColumn("note", frame["s"])
        name = self.spark.view(frame, "spoilt").sql("spark")
        create(self, replace(release, sql=f"SELECT * FROM {name}"))

    with monkeypatch.context() as patched:
        patched.setattr(module.SparkFolder, "_create", spoilt)
        with pytest.raises(VerificationError, match="not those to be released"):
            kanon_sql.run(remote)
    assert not (tmp_path / f"out.{suffix}").exists()
    assert kanon_sql.run(remote).report["verification"]["compared"] == "rows"


def test_spark_writes_rows_in_random_order(start: Start, tmp_path: Path) -> None:
    place = start("spark")
    path = tmp_path / "numbered.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT range AS number, range % 3 AS kind FROM range(3000)) TO '{path}'")
    config = {"source": str(path), "quasi_identifiers": {"kind": {"builtin": "suppress"}}, "insensitive": ["number"]}
    config |= {"privacy": {"k": 2}, "engine": {"spark": place.url}, "target": str(tmp_path / "out.parquet")}
    kanon_sql.run(config)
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT number FROM read_parquet('{tmp_path}/out.parquet/*.parquet')").fetchall()
    numbers = [number for (number,) in rows]
    assert sorted(numbers) == list(range(3000))
    assert sum(after > before for before, after in pairwise(numbers)) < 1800  # half of 2999, were each order as likely


def test_spark_reads_and_writes_csv(start: Start, tmp_path: Path) -> None:
    place = start("spark")
    texts = ["it's", 'q"q', "a,b", "line\nbreak", "é", " blank ", "", "02139", "back\\slash"]
    rows = [(texts[i % len(texts)], str(i % 7), texts[(i * 4) % len(texts)]) for i in range(120)]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (zip VARCHAR, age VARCHAR, note VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [list(row) for row in rows])
        connection.execute(f"COPY t TO '{tmp_path / 'in.csv'}' (HEADER)")
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"zip": {"builtin": "suppress"}, "age": {"builtin": "prefix", "keep": [1]}},
        "insensitive": ["note"],
        "privacy": {"k": 2},
        "suppression": {"limit": "30%"},
        "engine": {"spark": place.url},
    }
    there = kanon_sql.run(config).report
    here = kanon_sql.run({**config, "engine": "duckdb", "target": str(tmp_path / "here.csv")}).report
    same(there, here)
    read = "SELECT * FROM read_csv('{}', all_varchar=true, header=true, delim=',', quote='\"', escape='\"')"
    with duckdb.connect() as connection:
        written = connection.execute(read.format(f"{tmp_path}/out.csv/*.csv")).fetchall()
        mine = connection.execute(read.format(f"{tmp_path}/here.csv")).fetchall()
    assert counted(written) == counted(mine)


def test_a_session_that_was_handed_in_stays_open(start: Start, folder: Path, tmp_path: Path) -> None:
    place = start("spark")
    target = str(tmp_path / "out.parquet")
    with spark_session(place.url, {}) as session:
        frame = session.read.parquet(str(folder / "people.parquet"))
        result = kanon_sql.run(small(target=target), connection=session, source=frame)
        assert session.read.parquet(target).count() == result.released
        frame.createOrReplaceTempView("people_view")
        again = small(target=str(tmp_path / "again.parquet"), source={"table": "people_view"})
        same(kanon_sql.run(again, connection=session).report, result.report)
        assert [table.name for table in session.catalog.listTables() if table.name.startswith("kanon")] == []


def test_an_engine_that_is_not_there(tmp_path: Path) -> None:
    if missing_postgres() or missing_sail():
        pytest.skip("clients of the engines are not installed")
    with pytest.raises(EngineError, match=r"engine.postgres: no connection") as ended:
        kanon_sql.run(
            small(
                engine={"postgres": "postgresql://me:very-secret@127.0.0.1:1/nothing"},
                source={"table": "t"},
                target={"table": "o"},
            )
        )
    assert "very-secret" not in str(ended.value)


def test_the_configuration_says_what_does_not_go_together(tmp_path: Path) -> None:
    wrong = small(
        source={"path": "a.parquet"},
        target="in-place",
        engine={"postgres": "postgresql://h/d", "spark": "local[1]"},
    )
    with pytest.raises(ConfigurationError) as ended:
        load(wrong)
    said = "\n".join(ended.value.problems)
    assert "expected one engine" in said
    assert "nothing is replaced in place" in said
    with pytest.raises(ConfigurationError, match="postgres reads tables; expected table or query"):
        load(small(source="a.parquet", target={"table": "o"}, engine={"postgres": "postgresql://h/d"}))
    with pytest.raises(ConfigurationError, match="add database, or name an engine"):
        load(small(source={"table": "t"}))
    with pytest.raises(ConfigurationError, match="search_in: engine goes with an engine beside DuckDB"):
        load(small(search_in="engine"))


@ENGINES
def test_compile_names_the_table_of_the_engine(start: Start, engine: str, folder: Path) -> None:
    place = start(engine)
    dialect = "postgres" if engine == "postgres" else "spark"
    source = place.put(COLUMNS, source_rows())
    remote = place.configured(small(), source)
    if engine == "spark":  # a path has no name in SQL
        with pytest.raises(ConfigurationError, match="--source-table is not given"):
            kanon_sql.compile(remote, dialect=dialect)
        assert "`lab`.`people`" in kanon_sql.compile(remote, dialect=dialect, source_table="lab.people")
    else:
        text = kanon_sql.compile(remote, dialect=dialect)
        assert f'FROM "{source["table"]}"' in text


@ENGINES
def test_by_the_command_line(start: Start, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = start(engine)
    remote = place.configured(small(), place.put(COLUMNS, source_rows()))
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(remote))
    for words, status in ((["--report", str(tmp_path / "r.json")], 0), ([], 2)):
        with pytest.raises(SystemExit) as ended:
            main(["run", str(path), *words])
        assert (ended.value.code or 0) == status
    assert json.loads((tmp_path / "r.json").read_text())["engine"]["name"] == engine
    assert "exists already" in capsys.readouterr().err
