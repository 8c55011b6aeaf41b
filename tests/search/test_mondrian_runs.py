"""Mondrian as users run it: types of columns, ranges as columns, targets, check, compile, odd values."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from mondrian_jobs import Json, parquet, people, read, run, write
from shared_engine import shared

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError


def column(rows: Sequence[Sequence[str]], place: int = 0) -> list[str]:
    return [row[place] for row in rows]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("values", "released"),
    [
        (["9", "10", "11", "100"], ["9-10", "9-10", "11-100", "11-100"]),
        (["9", "10", "11", "x"], ["{9, x}", "{10, 11}", "{10, 11}", "{9, x}"]),
        (["-3", "-1", "-2", "5"], ["-3--2", "-1-5", "-3--2", "-1-5"]),
        (["01", "02", "10", "9"], ["{01, 02}", "{01, 02}", "{10, 9}", "{10, 9}"]),
        (["1.5", "1.25", "2.75", "10.5"], ["1.25-1.5", "1.25-1.5", "2.75-10.5", "2.75-10.5"]),
        (["2020-01-31", "2019-12-31", "2020-02-01"], ["2019-12-31/2020-02-01"] * 3),
        (["a,b", "c", "", "d"], ["a,b or missing", "{c, d}", "a,b or missing", "{c, d}"]),
        (['x"y', "a,b"], ['{"a,b", "x\\"y"}'] * 2),
    ],
)
def test_a_csv_column_is_ordered_by_what_it_holds(tmp_path: Path, values: list[str], released: list[str]) -> None:
    source = write(tmp_path / "s.csv", ["q", "id"], [[value, str(i)] for i, value in enumerate(values)])
    _, rows = run(tmp_path, source, {"q": {}}, algorithm={"dimension": "widest"})
    assert column(rows) == released


def test_the_configuration_decides_what_a_column_is(tmp_path: Path) -> None:
    source = write(tmp_path / "s.csv", ["q"], [["9"], ["10"], ["11"], ["100"]])
    _, rows = run(tmp_path, source, {"q": {"type": "text"}}, algorithm={"dimension": "widest"})
    assert column(rows) == ["{11, 9}", "{10, 100}", "{11, 9}", "{10, 100}"]
    padded = write(tmp_path / "p.csv", ["q"], [["09"], ["10"], ["11"], ["100"]])
    assert column(run(tmp_path, padded, {"q": {"type": "number"}})[1]) == ["09-10", "09-10", "11-100", "11-100"]
    with pytest.raises(ConfigurationError, match="1 distinct values of column 'q' cannot be read as numbers"):
        run(tmp_path, write(tmp_path / "x.csv", ["q"], [["9"], ["x"]]), {"q": {"type": "number"}})


def test_equal_numbers_are_one_value(tmp_path: Path) -> None:
    source = write(tmp_path / "s.csv", ["q"], [["1.5"], ["1.50"], ["2"], ["2.0"]])
    _, rows = run(tmp_path, source, {"q": {}})
    assert column(rows) == ["1.5", "1.5", "2", "2"]


def test_types_of_parquet_columns_are_kept_apart(tmp_path: Path) -> None:
    source = parquet(
        tmp_path,
        "SELECT i // 2 AS whole, (i // 2)::DECIMAL(5, 2) AS exact, DATE '2020-01-01' + (i // 2)::INTEGER AS day, "
        "i >= 2 AS flag, i AS id FROM range(4) AS t(i)",
    )
    report, rows = run(tmp_path, source, ["whole", "exact", "day", "flag"])
    assert [row[:4] for row in rows] == [["0", "0.00", "2020-01-01", "false"]] * 2 + [
        ["1", "1.00", "2020-01-02", "true"]
    ] * 2
    assert report["loss"]["lm"] == 0


def test_loss_of_great_whole_numbers_is_exact(tmp_path: Path) -> None:
    source = parquet(tmp_path, "SELECT 9223372036854775804 + i AS q, i AS id FROM range(4) AS t(i)")
    report, rows = run(tmp_path, source, ["q"])
    assert set(column(rows)) == {
        "9223372036854775804-9223372036854775805",
        "9223372036854775806-9223372036854775807",
    }
    assert report["loss"]["lm"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("select", "count", "kind"),
    [
        ("SELECT unnest(['1.5', 'nan', 'inf', '-2']::DOUBLE[]) AS q", 2, "numbers"),
        ("SELECT unnest(['2020-01-01', '2020-01-05', 'infinity', '2021-01-01']::DATE[]) AS q", 1, "dates"),
        ("SELECT unnest(['2020-01-01', '-infinity']::TIMESTAMP[]) AS q", 1, "dates"),
    ],
)
def test_values_without_end_are_refused(tmp_path: Path, select: str, count: int, kind: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{count} distinct values .* which is none of {kind}"):
        run(tmp_path, parquet(tmp_path, select), ["q"])


@pytest.mark.slow
def test_missing_values_stand_beside_the_children_of_a_named_top(tmp_path: Path) -> None:
    write(tmp_path / "h.csv", ["a", "r"], [["b", "r"]])
    source = write(tmp_path / "s.csv", ["q", "id"], [[v, str(i)] for i, v in enumerate(["a", "", "b", "a", "b"])])
    for dimension in ("widest", "loss"):
        _, rows = run(tmp_path, source, {"q": str(tmp_path / "h.csv")}, algorithm={"dimension": dimension})
        assert column(rows) == ["*", "*", "b", "*", "b"]
    _, rows = run(tmp_path, source, {"q": {"hierarchy": str(tmp_path / "h.csv"), "min_level": 1}})
    assert column(rows) == ["*", "*", "r", "*", "r"]


@pytest.mark.slow
def test_ranges_as_columns(tmp_path: Path) -> None:
    source = write(
        tmp_path / "s.csv", ["age", "job", "id"], [[a, "x", str(i)] for i, a in enumerate(["", "5", "7", "9"])]
    )
    _, rows = run(tmp_path, source, {"age": {}, "job": {}}, release={"ranges": "columns"})
    assert read_head(tmp_path / "out.csv") == ["age_lower", "age_upper", "job", "id"]
    assert [row[:3] for row in rows] == [["", "5", "x"], ["", "5", "x"], ["7", "9", "x"], ["7", "9", "x"]]
    typed = parquet(tmp_path, "SELECT i::SMALLINT AS age, i AS id FROM range(4) AS t(i)")
    target = tmp_path / "typed.parquet"
    run(tmp_path, typed, ["age"], release={"ranges": "columns"}, target=str(target))
    with shared() as connection:
        described = connection.execute(f"DESCRIBE FROM '{target}'").fetchall()
    assert [row[:2] for row in described][:2] == [("age_lower", "SMALLINT"), ("age_upper", "SMALLINT")]
    clash = write(tmp_path / "c.csv", ["age", "age_lower"], [["1", "2"], ["3", "4"]])
    with pytest.raises(ConfigurationError, match="age_lower"):
        run(tmp_path, clash, ["age"], release={"ranges": "columns"})


def read_head(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


@pytest.mark.slow
@pytest.mark.parametrize("cut", ["strict", "strict-le", "relaxed"])
@pytest.mark.parametrize("zip_code", [{}, {"builtin": "prefix", "keep": [2, 1]}])
def test_compile_gives_the_classes_that_run_writes(tmp_path: Path, cut: str, zip_code: Json) -> None:
    source = people(tmp_path)
    quasi_identifiers = {"age": {}, "sex": {}, "zip": zip_code}
    algorithm = {"cut": cut, "seed": 1}
    report, rows = run(tmp_path, source, quasi_identifiers, 5, algorithm=algorithm)
    config = {
        "source": str(source),
        "quasi_identifiers": quasi_identifiers,
        "unlisted": "insensitive",
        "privacy": {"k": 5},
        "algorithm": {"name": "mondrian", **algorithm},
    }
    with duckdb.connect() as connection:
        compiled = connection.execute(kanon_sql.compile(config)).fetchall()
    assert Counter(row[:3] for row in compiled) == Counter(tuple(row[:3]) for row in rows)
    assert sorted(row[3] for row in compiled) == sorted(row[3] for row in rows)
    if cut != "relaxed":
        assert Counter(compiled) == Counter(map(tuple, rows))
    assert report["privacy"]["k"]["actual"] >= 5
    assert kanon_sql.check({**config, "source": str(tmp_path / "out.csv")})["status"] == "satisfied"


@pytest.mark.slow
def test_in_place_and_on_a_connection(tmp_path: Path) -> None:
    source = people(tmp_path)
    config = {
        "source": str(source),
        "target": "in-place",
        "quasi_identifiers": ["age", "sex"],
        "unlisted": "drop",
        "privacy": {"k": 10},
        "algorithm": "mondrian",
    }
    report = kanon_sql.run(config).report
    assert min(Counter(map(tuple, read(source))).values()) >= 10
    assert report["rows"]["released"] == 400
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT (i * 7 % 50)::INTEGER AS age, i AS id FROM range(300) AS r(i)")
        given = {key: config[key] for key in ("privacy", "algorithm", "unlisted")}
        kanon_sql.run({**given, "quasi_identifiers": ["age"]}, connection=connection, source="t", target="out")
        smallest = connection.execute("SELECT min(n) FROM (SELECT count(*) AS n FROM out GROUP BY age)").fetchall()
        assert smallest[0][0] >= 10
        assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(2,)]


@pytest.mark.slow
def test_too_few_rows_are_no_release(tmp_path: Path) -> None:
    source = write(tmp_path / "s.csv", ["q"], [["1"], ["2"]])
    with pytest.raises(NoReleaseError, match="only 2 rows take part") as caught:
        run(tmp_path, source, ["q"], 3)
    assert caught.value.report and caught.value.report["solution"] is None
    assert not (tmp_path / "out.csv").exists()
    for k in (1, 2):
        assert len(run(tmp_path, source, ["q"], k)[1]) == 2


def test_time_that_runs_out_leaves_a_release(tmp_path: Path) -> None:
    config = {
        "source": str(people(tmp_path)),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": ["age", "sex"],
        "unlisted": "drop",
        "privacy": {"k": 2},
        "algorithm": "mondrian",
    }
    result = kanon_sql.run(config, time_limit=0)
    assert result.report["solution"] == {"partitions": 1, "depth": 0}
    assert not result.report["search"]["finished"]
    assert any("time ran out" in warning for warning in result.warnings)
    assert set(map(tuple, read(tmp_path / "out.csv"))) == {("18-67", "{f, m}")}


@pytest.mark.slow
def test_weights_move_the_cuts_and_max_level_is_warned_of(tmp_path: Path) -> None:
    source = people(tmp_path)
    losses = []
    for weight in (0.1, 10.0):
        specs = {"age": {"weight": weight}, "sex": {"builtin": "suppress", "max_level": 0}}
        report, _ = run(tmp_path, source, specs, 60)
        losses.append(report["loss"]["attributes"]["age"])
        assert any("max_level of 'sex' is not kept" in warning for warning in report["warnings"])
    assert losses[1] <= losses[0]


def test_a_lattice_is_not_mondrians(tmp_path: Path) -> None:
    config = {
        "source": str(people(tmp_path)),
        "quasi_identifiers": ["age"],
        "privacy": {"k": 2},
        "algorithm": "mondrian",
    }
    with pytest.raises(ConfigurationError, match="mondrian has no lattice"):
        kanon_sql.lattice(config)


@pytest.mark.slow
def test_partitions_that_do_not_verify_are_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kanon_sql.errors import VerificationError
    from kanon_sql.search import multidimensional as problem
    from kanon_sql.search.mondrian import Mondrian

    class Careless(Mondrian):
        def __init__(self, engine: Any, tuples: Any, algorithm: Any, k: int, progress: Any, models: Any) -> None:
            super().__init__(engine, tuples, algorithm, k - 1, progress, models)

    monkeypatch.setattr(problem, "Mondrian", Careless)
    with pytest.raises(VerificationError, match="hold fewer than 5 rows"):
        run(tmp_path, people(tmp_path), ["age", "sex", "zip"], 5)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_a_drawn_dimension_goes_with_models_beyond_k(tmp_path: Path) -> None:
    source = write(tmp_path / "s.csv", ["q", "r", "s"], [[str(i), str(i * 7 % 11), "xy"[i % 2]] for i in range(12)])
    models = {"k": 2, "l_diversity": {"column": "s", "l": 2}}
    releases = []
    for seed in (1, 1):
        changes: Json = {"algorithm": {"dimension": "random", "seed": seed}, "privacy": models, "release": {"seed": 1}}
        _, rows = run(tmp_path, source, {"q": {}, "r": {}}, sensitive=["s"], **changes)
        releases.append(sorted(rows))
    assert releases[0] == releases[1]
    classes: dict[tuple[str, str], set[str]] = {}
    for q, r, s in releases[0]:
        classes.setdefault((q, r), set()).add(s)
    assert len(classes) > 1 and all(len(values) == 2 for values in classes.values())


@pytest.mark.parametrize(("more", "expected"), [({}, "9-10"), ({"type": "text"}, "{10, 9}")])
def test_a_column_that_is_only_trimmed_is_still_one_of_numbers(tmp_path: Path, more: Json, expected: str) -> None:
    source = write(tmp_path / "s.csv", ["q", "id"], [[" 9", "0"], ["10 ", "1"]])
    config = {
        "source": {"path": str(source), "columns": {"q": {"trim": True, **more}}},
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": ["q"],
        "unlisted": "insensitive",
        "privacy": {"k": 2},
        "algorithm": "mondrian",
    }
    kanon_sql.run(config)
    assert column(read(tmp_path / "out.csv")) == [expected] * 2
