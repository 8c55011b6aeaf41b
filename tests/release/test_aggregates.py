"""Aggregates of classes, found again in plain Python from the rows of the source."""

from __future__ import annotations

import csv
import datetime
import math
import random
import re
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError, VerificationError

Row = dict[str, str]


def table(path: Path, rows: int = 150, seed: int = 1) -> list[Row]:
    """Writes a table with an identifying column of its own, so that classes can be told by their rows."""
    draw = random.Random(seed)
    records = [
        {
            "row": f"r{number}",
            "age": str(draw.randint(18, 60)),
            "zip": draw.choice(["10115", "10117", "20095"]),
            "income": draw.choice(["", *[f"{draw.randint(-90, 900) / 4:.2f}" for _ in range(6)]]),
            "born": str(datetime.date(1950, 1, 1) + datetime.timedelta(draw.randint(0, 15_000))),
            "town": draw.choice(["Aa", "Bb", "Cc", "Dd"]),
        }
        for number in range(rows)
    ]
    write(path, records)
    return records


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


QUASI: dict[str, dict[str, Any]] = {
    "age": {"builtin": "intervals", "widths": [10, 20]},
    "zip": {"builtin": "prefix", "keep": [3]},
    "income": {"builtin": "suppress"},
    "born": {"builtin": "date", "levels": ["year", "decade"]},
    "town": {"builtin": "suppress"},
}


def job(folder: Path, aggregates: dict[str, str], **more: Any) -> dict[str, Any]:
    """A configuration; without hierarchies where the search needs none."""
    ordered = more.get("algorithm") in ("mondrian", "local")
    plain: dict[str, dict[str, Any]] = {name: {} if ordered and name != "zip" else spec for name, spec in QUASI.items()}
    quasi = {
        name: {**spec, **({"aggregate": aggregates[name]} if name in aggregates else {})}
        for name, spec in plain.items()
    }
    return {
        "source": str(folder / "in.csv"),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": quasi,
        "insensitive": ["row"],
        "privacy": {"k": 4},
        "suppression": {"limit": "10%"},
        **more,
    }


def aggregate(name: str, values: list[float]) -> float:
    if name == "mean":
        return math.fsum(values) / len(values)
    if name == "median":
        return statistics.median(values)
    if name == "mode":
        counts = Counter(values)
        return min(value for value, count in counts.items() if count == max(counts.values()))
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if min(values) > 0 else 0.0


def day(text: str) -> int:
    return datetime.date.fromisoformat(text).toordinal()


def check_classes(given: list[Row], released: list[Row], aggregates: dict[str, str], k: int = 4) -> None:
    """Every class of the release shows what its rows have, as the rows' own column tells which they are."""
    by_row = {row["row"]: row for row in given}
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in released:
        classes[tuple(row[name] for name in QUASI)].append(row["row"])
    assert min(map(len, classes.values())) >= k
    for shown, rows in classes.items():
        for name, kind in aggregates.items():
            texts = [by_row[row][name] for row in rows if by_row[row][name] != ""]
            text = dict(zip(QUASI, shown, strict=True))[name]
            if not texts:
                assert text == ""
            elif kind == "interval":
                key = day if name == "born" else float
                low, high = min(texts, key=key), max(texts, key=key)
                assert text == (low if key(low) == key(high) else low + ("/" if name == "born" else "-") + high)
            elif name == "town":
                counts = Counter(texts)
                assert text == min(value for value, count in counts.items() if count == max(counts.values()))
            elif name == "born":
                assert abs(day(text) - aggregate(kind, list(map(day, texts)))) <= 0.5
            else:
                assert float(text) == pytest.approx(aggregate(kind, list(map(float, texts))), rel=1e-12, abs=1e-12)


EACH = [
    {"age": "mean", "income": "median", "born": "mean", "town": "mode"},
    {"age": "geometric-mean", "income": "mode", "born": "median"},
    {"age": "interval", "income": "interval", "born": "interval", "town": "mode"},
    {"age": "median", "income": "mean", "born": "mode"},
]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
@pytest.mark.parametrize("aggregates", EACH, ids=lambda kinds: kinds["age"])
def test_classes_show_the_aggregates_of_their_rows(tmp_path: Path, algorithm: str, aggregates: dict[str, str]) -> None:
    given = table(tmp_path / "in.csv", seed=len(algorithm))
    result = kanon_sql.run(job(tmp_path, aggregates, algorithm=algorithm))
    released = read(tmp_path / "out.csv")
    assert len(released) == result.released
    levels = result.report["solution"].get("levels") or {}
    check_classes(given, released, {name: kind for name, kind in aggregates.items() if levels.get(name) != 0})


def plain_sse(given: list[Row], released: list[Row], names: list[str]) -> float:
    """SSE/SST, a mean over the columns, of classes of the release."""
    by_row = {row["row"]: row for row in given}
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in released:
        classes[tuple(row[name] for name in QUASI)].append(row["row"])
    kept = {row["row"] for row in released}
    shares = []
    for name in names:
        whole = [float(row[name]) for row in given if row[name]]
        mean = math.fsum(whole) / len(whole)
        within = math.fsum((float(row[name]) - mean) ** 2 for row in given if row[name] and row["row"] not in kept)
        for rows in classes.values():
            values = [float(by_row[row][name]) for row in rows if by_row[row][name]]
            within += math.fsum((value - math.fsum(values) / len(values)) ** 2 for value in values)
        shares.append(within / math.fsum((value - mean) ** 2 for value in whole))
    return math.fsum(shares) / len(shares)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_the_loss_is_what_stays_within_the_classes(tmp_path: Path, algorithm: str) -> None:
    given = table(tmp_path / "in.csv")
    result = kanon_sql.run(job(tmp_path, {"age": "mean", "income": "mean"}, algorithm=algorithm))
    if algorithm == "optimal":
        assert result.suppressed
    expected_sse = plain_sse(given, read(tmp_path / "out.csv"), ["age", "income"])
    assert result.report["loss"]["sse"] == pytest.approx(expected_sse, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_the_compiled_statement_gives_the_same_rows(tmp_path: Path, algorithm: str) -> None:
    table(tmp_path / "in.csv")
    config = job(tmp_path, {"age": "mean", "born": "median", "income": "interval"}, algorithm=algorithm)
    result = kanon_sql.run({**config, "release": {"order": "none"}})
    compiled = kanon_sql.compile({**config, "release": {"order": "none"}})
    rows = duckdb.execute(compiled).fetchall()
    texts = [tuple("" if value is None else str(value) for value in row) for row in rows]
    released = [tuple(row.values()) for row in read(tmp_path / "out.csv")]
    assert len(texts) == result.released
    if algorithm == "local":  # which deals out the rows of a tuple that classes share
        texts, released = [row[1:] for row in texts], [row[1:] for row in released]
    assert Counter(texts) == Counter(released)


@pytest.mark.slow
def test_masked_rows_show_nothing(tmp_path: Path) -> None:
    given = table(tmp_path / "in.csv")
    aggregates = {"age": "mean", "income": "median"}
    release = {"suppressed": "mask"}
    result = kanon_sql.run(job(tmp_path, aggregates, release=release))
    released = read(tmp_path / "out.csv")
    masked = [row for row in released if all(row[name] == "*" for name in QUASI)]
    assert len(masked) == result.report["rows"]["masked"] > 0
    levels = result.report["solution"]["levels"]
    kept = [row for row in released if row not in masked]
    check_classes(given, kept, {name: kind for name, kind in aggregates.items() if levels[name]})
    compiled = kanon_sql.compile(job(tmp_path, aggregates, release=release))
    assert Counter(map(str, (row["age"] for row in released))) == Counter(
        str(row[1]) for row in duckdb.execute(compiled).fetchall()
    )


def test_aggregates_that_columns_do_not_have_are_refused_together(tmp_path: Path) -> None:
    table(tmp_path / "in.csv", rows=20)
    config = job(tmp_path, {"town": "mean", "income": "geometric-mean", "born": "geometric-mean"})
    with pytest.raises(ConfigurationError) as caught:
        kanon_sql.run(config)
    problems = "\n".join(caught.value.problems)
    assert "'town', which holds texts" in problems
    assert "no values below 0" in problems
    assert "'born', which holds dates" in problems
    assert not (tmp_path / "out.csv").exists()


TYPED = {
    "whole": "CAST(1000 + (i * 37) % 61 AS UBIGINT)",
    "exact": "CAST(((i * 53) % 97) / 8 AS DECIMAL(12, 3))",
    "small": "CAST(((i * 29) % 83) / 10 - 4 AS FLOAT)",
    "great": "CAST(((i * 31) % 89) * 1e200 - 4e201 AS DOUBLE)",
    "at": "TIMESTAMP '2020-02-28 12:00:00' + to_seconds((i * 7919) % 500000)",
    "zoned": "CAST(TIMESTAMP '1969-12-31 00:00:00' + to_seconds((i * 104729) % 900000) AS TIMESTAMPTZ)",
}


@pytest.mark.slow
@pytest.mark.parametrize("aggregate", ["mean", "median", "interval", "mode"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_columns_of_every_type_are_aggregated(tmp_path: Path, algorithm: str, aggregate: str) -> None:
    """The release is found again of its rows, which a run does by statements of its own before it is put in place."""
    path = tmp_path / "typed.parquet"
    columns = ", ".join(f"{sql} AS {name}" for name, sql in TYPED.items())
    duckdb.execute(f"COPY (SELECT CAST(i AS VARCHAR) AS row, {columns} FROM range(90) t(i)) TO '{path}'")
    hierarchy = {"builtin": "suppress"} if algorithm == "optimal" else {}
    config = {
        "source": str(path),
        "target": str(tmp_path / "out.parquet"),
        "quasi_identifiers": {name: {**hierarchy, "aggregate": aggregate} for name in TYPED},
        "insensitive": ["row"],
        "privacy": {"k": 4},
        "algorithm": algorithm,
    }
    report = kanon_sql.run(config).report
    assert 0 <= report["loss"]["sse"] <= 1
    assert report["verification"]["compared"] == "rows"
    if algorithm == "optimal":  # then all rows are one class
        own = {"mean": "avg(exact)", "median": "median(CAST(exact AS DOUBLE))"}.get(aggregate, "0")
        shown = duckdb.execute(f"SELECT DISTINCT exact FROM '{tmp_path / 'out.parquet'}'").fetchall()
        of_values = duckdb.execute(f"SELECT {own} FROM '{path}'").fetchall()
        if aggregate in ("mean", "median"):
            assert [float(row[0]) for row in shown] == pytest.approx([float(row[0]) for row in of_values], rel=1e-12)


@pytest.mark.slow
def test_a_column_is_aggregated_as_it_is_read(tmp_path: Path) -> None:
    write(tmp_path / "in.csv", [{"weight": f"1.{number:03},{number % 7}", "row": f"r{number}"} for number in range(40)])
    kanon_sql.run(
        {
            "source": {
                "path": str(tmp_path / "in.csv"),
                "columns": {"weight": {"type": "number", "decimal": ",", "thousands": "."}},
            },
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"weight": {"aggregate": "mean"}},
            "insensitive": ["row"],
            "privacy": {"k": 3},
            "algorithm": "mondrian",
        }
    )
    classes: dict[str, list[float]] = defaultdict(list)
    for row in read(tmp_path / "out.csv"):
        number = int(row["row"][1:])
        classes[row["weight"]].append(1000 + number + number % 7 / 10)
    assert all(float(shown) == pytest.approx(math.fsum(held) / len(held)) for shown, held in classes.items())


@pytest.mark.slow
@pytest.mark.parametrize("aggregate", ["mean", "interval"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_release_that_shows_something_else_is_withdrawn(
    tmp_path: Path, algorithm: str, aggregate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path / "in.csv")
    monkeypatch.setattr("kanon_sql.search.classes.query_of", lambda aggregate: "median")
    with pytest.raises(VerificationError, match=f"show another {aggregate} of column 'age' than their rows"):
        kanon_sql.run(job(tmp_path, {"age": aggregate}, algorithm=algorithm))
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "local"])
def test_classes_of_entities_show_aggregates(tmp_path: Path, algorithm: str) -> None:
    given = [{**row, "person": f"p{number // 2}"} for number, row in enumerate(table(tmp_path / "in.csv"))]
    write(tmp_path / "in.csv", given)
    aggregates = {"age": "mean", "income": "median"}
    result = kanon_sql.run(job(tmp_path, aggregates, algorithm=algorithm, privacy={"k": 3, "entity": "person"}))
    levels = result.report["solution"].get("levels") or {}
    shown = {name: kind for name, kind in aggregates.items() if levels.get(name) != 0}
    check_classes(given, read(tmp_path / "out.csv"), shown, k=3)


@pytest.mark.slow
def test_what_does_not_go_with_aggregates_is_refused(tmp_path: Path) -> None:
    table(tmp_path / "in.csv", rows=40)
    population = {"k_map": {"k": 2, "population": {"path": str(tmp_path / "in.csv")}}}
    with pytest.raises(ConfigurationError, match="does not go with k_map"):
        kanon_sql.run(job(tmp_path, {"age": "mean"}, privacy=population))
    with pytest.raises(ConfigurationError, match="widened no value"):
        kanon_sql.run(job(tmp_path, {"age": "interval"}, algorithm="mondrian", release={"ranges": "widened"}))
    assert not (tmp_path / "out.csv").exists()


def ends(shown: str) -> tuple[float, float]:
    """The ends of an interval of numbers, twice the number where it is one."""
    match = re.fullmatch(r"(-?[\d.]+)-(-?[\d.]+)", shown)
    return (float(match[1]), float(match[2])) if match else (float(shown), float(shown))


ZEROS = ["-0.0", "0.0", "0.0", "2.5", "0.0", "3.5", "2.0", "-1.0", "-0.0", "0.0", "-2.0", "-0.0"]
ZERO_TYPES = ["DOUBLE", "FLOAT", "VARCHAR", "DECIMAL(6, 2)"]


@pytest.mark.parametrize(
    "kind", ["DOUBLE", *(pytest.param(zero_type, marks=pytest.mark.slow) for zero_type in ZERO_TYPES[1:])]
)
@pytest.mark.parametrize(
    "algorithm", ["optimal", *(pytest.param(name, marks=pytest.mark.slow) for name in ("local", "mondrian"))]
)
def test_zeros_of_both_signs_and_texts_of_one_number_are_one_value(tmp_path: Path, algorithm: str, kind: str) -> None:
    """Each class holds rows of its own, so that another one has the text, or the sign, that comes first."""
    given = {f"r{i}": (f"t{i // 3 % 4}", ZEROS[i % 12] + "0" * (kind == "VARCHAR" and i % 2)) for i in range(24)}
    path = tmp_path / "in.parquet"
    listed = ", ".join(f"('{row}', '{town}', '{value}')" for row, (town, value) in given.items())
    duckdb.execute(f"COPY (SELECT r, town, CAST(v AS {kind}) AS v FROM (VALUES {listed}) AS t(r, town, v)) TO '{path}'")
    hierarchy = {"builtin": "suppress"} if algorithm == "optimal" else {}
    result = kanon_sql.run(
        {
            "source": str(path),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"town": {"builtin": "suppress"}, "v": {**hierarchy, "aggregate": "interval"}},
            "insensitive": ["r"],
            "privacy": {"k": 3},
            "algorithm": algorithm,
        }
    )
    assert result.report["verification"]["compared"] == "rows"
    released = read(tmp_path / "out.csv")
    classes: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in released:
        assert not re.match(r"-0(\.0*)?(-|$)", row["v"]) and not re.search(r"--0(\.0*)?$", row["v"]), row["v"]
        classes[row["town"], row["v"]].append(float(given[row["r"]][1]))
    assert len(released) == 24 and len(classes) > 1
    assert all(ends(shown) == (min(held), max(held)) for (_, shown), held in classes.items())


@pytest.mark.parametrize(
    ("treatment", "written"),
    [
        ({"cut": "month"}, "%Y-%m-%d"),
        *(
            pytest.param(*treated, marks=pytest.mark.slow)
            for treated in [
                ({"cut": "year"}, "%Y-%m-%d"),
                ({"cut": "month"}, "%Y-%m-%d 13:04:05"),
                ({"shift": {"days": 9, "by": "row", "key": "${SHIFTING_KEY}"}}, "%Y-%m-%d"),
            ]
        ),
    ],
)
@pytest.mark.parametrize("algorithm", [pytest.param("optimal", marks=pytest.mark.slow), "mondrian"])
def test_intervals_of_treated_text_dates_end_at_dates(
    tmp_path: Path, algorithm: str, treatment: dict[str, Any], written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIFTING_KEY", "0123456789abcdef" * 4)
    draw = random.Random(7)
    born = [datetime.date(1990, 1, 1) + datetime.timedelta(draw.randint(0, 2000)) for _ in range(40)]
    write(
        tmp_path / "in.csv", [{"row": f"r{i}", "n": str(i), "born": f"{day:{written}}"} for i, day in enumerate(born)]
    )
    hierarchy = {"builtin": "suppress"} if algorithm == "optimal" else {}
    kanon_sql.run(
        {
            "source": str(tmp_path / "in.csv"),
            "target": str(tmp_path / "out.csv"),
            "identifiers": ["row"],
            "transform": {"born": treatment},
            "quasi_identifiers": {"born": {**hierarchy, "aggregate": "interval"}},
            "insensitive": ["n"],
            "privacy": {"k": 4},
            "algorithm": algorithm,
        }
    )
    first = {"month": {"day": 1}, "year": {"day": 1, "month": 1}}.get(treatment.get("cut", ""), {})
    off = datetime.timedelta(9 if "shift" in treatment else 0)
    classes: dict[str, list[datetime.date]] = defaultdict(list)
    for row in read(tmp_path / "out.csv"):
        classes[row["born"]].append(born[int(row["n"])].replace(**first))
    for shown, held in classes.items():
        least, *most = (datetime.datetime.fromisoformat(end).date() for end in shown.split("/"))
        assert abs(least - min(held)) <= off and abs((most or [least])[0] - max(held)) <= off
        assert "00:00:00" not in shown
