"""`source.columns`: how texts are read, against plain Python; what is released, counted and refused of them."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from copy import deepcopy
from pathlib import Path
from typing import Any

import plain_reading
import pytest
from effort import tries
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shared_engine import attached, shared
from sqlglot import exp

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError
from kanon_sql.settings.columns import BLANKS, ColumnConfig
from kanon_sql.source.columns import read_value
from kanon_sql.source.reading import Reading, fits, understood
from kanon_sql.sql.dialects import find_dialect

Json = dict[str, Any]
DUCKDB = find_dialect("duckdb")
SEARCHES: list[Json] = [
    {"name": "optimal"},
    {"name": "samarati"},
    {"name": "minimal"},
    {"name": "mondrian"},
    {"name": "mondrian", "cut": "relaxed", "seed": 1},
    {"name": "local", "seed": 1},
]

digits = st.text("0123456789", min_size=0, max_size=4)
numbers = st.builds("".join, st.tuples(st.sampled_from(["", "-", "+", "+-"]), digits, st.sampled_from(",. "), digits))
grouped = st.builds(".".join, st.lists(st.text("0123456789", min_size=1, max_size=4), min_size=1, max_size=3))
days = st.builds(
    lambda parts, mark: mark.join(parts),
    st.tuples(
        st.sampled_from(["1", "01", "28", "29", "30", "31", "32", "0"]),
        st.sampled_from(["1", "02", "2", "04", "12", "13"]),
        st.sampled_from(["2000", "1900", "2023", "2024", "24", "0000", "19000"]),
    ),
    st.sampled_from("./- "),
)
words = st.sampled_from(
    ["m", "M", " m", "m ", "w", "W\t", "\u00a0w", "Ä", "ä", "-", "--", "?", "NA", "na", "", " ", "x\n"]
)
texts = st.one_of(numbers, grouped, days, words, st.text(BLANKS + "aA1ÄßIİ.,-", max_size=4))


def columns() -> st.SearchStrategy[Json]:
    changes = st.fixed_dictionaries(
        {},
        optional={
            "trim": st.booleans(),
            "missing": st.lists(st.sampled_from(["-", "--", "NA", "?", "1"]), max_size=2, unique=True),
        },
    )
    cases = st.sampled_from(
        [{}, {"case": "lower"}, {"case": "lower", "recode": {"m": "male", "w": "-"}}, {"recode": {"M": "m", "m": "M"}}]
    )
    types = st.sampled_from(
        [
            {},
            {"type": "number"},
            {"type": "number", "decimal": ","},
            {"type": "number", "decimal": ",", "thousands": "."},
            {"type": "number", "thousands": " "},
            {"type": "date"},
            *({"type": "date", "format": f} for f in ("%d.%m.%Y", "%m/%d/%y", "%Y%m%d")),
        ]
    )
    return st.builds(lambda *parts: {k: v for part in parts for k, v in part.items()}, changes, cases, types)


def evaluated(sql: exp.Expr, values: list[str]) -> list[Any]:
    """An expression of the column `text` for each value."""
    with attached() as connection:
        connection.execute("CREATE TABLE given (text VARCHAR, position INTEGER)")
        for position, value in enumerate(values):
            connection.execute("INSERT INTO given VALUES (?, ?)", [value, position])
        selected = exp.select(sql).from_("given").order_by("position").sql("duckdb")
        return [row[0] for row in connection.execute(selected).fetchall()]


def reading_of(column: Json) -> Reading:
    config = ColumnConfig(**column)
    return Reading(config.understood_as, config.format, config.decimal or ".", config.thousands)


@settings(max_examples=tries(60), deadline=None)
@given(st.lists(texts, min_size=1, max_size=12), columns())
def test_a_text_is_read_as_in_plain_python(values: list[str], column: Json) -> None:
    column = {**column, "invalid": "missing"}
    if column.get("case") == "lower":
        assume(not any("İ" in value for value in values))  # two characters in Python
    missing = ("", "NA")
    read_values = evaluated(read_value(exp.column("text"), ColumnConfig(**column), missing, DUCKDB), values)
    assert read_values == [plain_reading.read(value, column, missing) for value in values]


@settings(max_examples=tries(60), deadline=None)
@given(st.lists(texts, min_size=1, max_size=12), columns())
def test_two_texts_are_understood_as_one_where_they_mean_the_same(values: list[str], column: Json) -> None:
    reading = reading_of(column)
    fit = evaluated(fits(exp.column("text"), reading), values) if reading.is_typed else [True] * len(values)
    means = [plain_reading.meant(value, column) for value in values]
    assert fit == [meaning is not None for meaning in means]
    understand = evaluated(understood(exp.column("text"), reading), values)
    understood_values = [(value, mean) for value, mean in zip(understand, means, strict=True) if mean is not None]
    for value, mean in understood_values:
        for second, other_mean in understood_values:
            assert (value == second) == (mean == other_mean)


@pytest.mark.few(2)
@pytest.mark.parametrize("written", [shape for shape in plain_reading.SHAPES if shape != plain_reading.ISO])
@settings(max_examples=tries(15), deadline=None)
@given(st.data())
def test_every_format_is_read_as_by_strptime(written: str, data: st.DataObject) -> None:
    month = st.sampled_from(["jan", "Feb", "APR", "dec", "Sep", "xyz"])
    parts: dict[str, st.SearchStrategy[str]] = {
        "%d": st.sampled_from(["1", "09", "29", "30", "31", "32", "00"]),
        "%m": st.sampled_from(["1", "02", "4", "12", "13", "0"]),
        "%Y": st.sampled_from(["2000", "1900", "2024", "2023", "0001"]),
        "%y": st.sampled_from(["00", "04", "68", "69", "99", "1"]),
        "%b": month,
        "%H": st.sampled_from(["0", "09", "23", "24"]),
        "%I": st.sampled_from(["0", "1", "12", "13"]),
        "%M": st.sampled_from(["0", "59", "60"]),
        "%S": st.sampled_from(["00", "7", "60"]),
        "%f": st.sampled_from(["5", "000001", "1234567", "50"]),
        "%p": st.sampled_from(["am", "PM", "x"]),
    }
    drawn_texts = []
    for _ in range(8):
        text = written
        for directive, values in parts.items():
            if directive in text:
                text = text.replace(directive, data.draw(values))
        # Seconds above 59 are leap seconds to Python.
        if not (":60" in text and "%S" in written):
            drawn_texts.append(text)
    assume(drawn_texts)
    reading = Reading("timestamp", written)
    moments = [plain_reading.moment(text, written) for text in drawn_texts]
    assert evaluated(fits(exp.column("text"), reading), drawn_texts) == [moment is not None for moment in moments]
    fitting = [text for text, moment in zip(drawn_texts, moments, strict=True) if moment]
    read_moments = evaluated(exp.cast(understood(exp.column("text"), reading), "TIMESTAMP"), fitting)
    assert read_moments == [moment for moment in moments if moment]


def write(folder: Path, header: list[str], rows: list[list[str]]) -> None:
    with (folder / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL).writerows([header, *rows])


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=";"))


COLUMNS: Json = {
    "born": {"type": "date", "format": "%d.%m.%Y", "trim": True},
    "weight": {"type": "number", "decimal": ",", "thousands": ".", "invalid": "missing"},
    "sex": {"trim": True, "case": "lower", "recode": {"m": "male", "w": "female"}, "missing": ["-"]},
    "cost": {"type": "number", "decimal": ","},
}
HEADER = ["born", "weight", "sex", "cost", "note"]


def configuration(folder: Path, **more: Any) -> Json:
    full = more.get("algorithm", {"name": "optimal"})["name"] not in ("mondrian", "local")
    return {
        "source": {
            "path": str(folder / "in.csv"),
            "csv": {"delimiter": ";", "header": True},
            "columns": deepcopy(COLUMNS),
        },
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {
            "born": {"builtin": "date", "levels": ["month", "year", "decade"]} if full else {},
            "weight": {"builtin": "intervals", "widths": [5, 10, 50]} if full else {},
            "sex": {"builtin": "suppress"},
        },
        "sensitive": ["cost"],
        "insensitive": ["note"],
        "privacy": {"k": 2},
        "suppression": {"limit": "60%"},
        "release": {"order": "none"},
        **more,
    }


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["01.02.1950", "1.2.1950", " 3.4.1955", "31.12.1999", "", "29.02.2000"]),
        st.sampled_from(["50,5", "50,50", "1.050,5", "51", "heavy", "", "1.05"]),
        st.sampled_from(["m", "M ", "w", "divers", "-", "", " W"]),
        st.sampled_from(["10", "10,0", "+10", "20", "30,5", "030,50"]),
    ),
    min_size=4,
    max_size=30,
)


def as_read(row: tuple[str, ...]) -> list[str]:
    """What a row comes out as where nothing is generalized."""
    return [plain_reading.read(value, COLUMNS[name]) or "" for name, value in zip(HEADER[:4], row, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda search: "-".join(map(str, search.values())))
@settings(max_examples=tries(4), deadline=None)
@given(rows=ROWS, masks=st.booleans())
def test_a_release_of_every_search(
    tmp_path_factory: pytest.TempPathFactory, algorithm: Json, rows: list[tuple[str, ...]], masks: bool
) -> None:
    folder = tmp_path_factory.mktemp("columns")
    write(folder, HEADER, [[*row, str(i)] for i, row in enumerate(rows)])
    release = {"order": "none", "suppressed": "mask" if masks else "drop"}
    config = configuration(folder, algorithm=algorithm, release=release)
    if algorithm.get("cut") != "relaxed":
        config["privacy"]["l_diversity"] = {"column": "cost", "l": 2}
    try:
        report = kanon_sql.run(config).report
    except NoReleaseError:
        return
    written = read(folder / "out.csv")
    masked = report["rows"]["masked"]
    assert len(written) == report["rows"]["released"] + masked
    source = [as_read(row) for row in rows]
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in written:
        expected = source[int(row["note"])]
        assert row["cost"] == rows[int(row["note"])][3]  # a number comes out as it came in
        for name, value in zip(HEADER[:3], expected[:3], strict=True):
            if report["solution"].get("levels", {}).get(name) == 0 and row[name] != "*":
                assert row[name] == value
        classes[tuple(row[name] for name in HEADER[:3])].append(row["cost"])
    for costs in classes.values():
        assert len(costs) >= 2
        if "l_diversity" in config["privacy"]:
            assert len({plain_reading.number(cost, ",", None) for cost in costs}) >= 2
    again = kanon_sql.check(config, folder / "out.csv")
    assert again["status"] == "satisfied"
    if "l_diversity" in config["privacy"]:
        counted = min(len({plain_reading.number(cost, ",", None) for cost in costs}) for costs in classes.values())
        assert again["privacy"]["l_diversity"]["actual"] == counted
        assert masked or report["privacy"]["l_diversity"]["actual"] == counted


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_two_texts_of_a_number_are_one_value_for_t_closeness(tmp_path: Path, algorithm: str, distance: str) -> None:
    """All rows mean 10 or 20: as texts each class would be far from the rest."""
    rows = [["1.1.2000", "50", "m", cost, "x"] for cost in ("10", "10,0", "20", "20,0")]
    rows += [["1.1.1980", "90", "w", cost, "x"] for cost in ("+10", "010", "+20", "020")]
    write(tmp_path, HEADER, rows)
    model = {"column": "cost", "t": 0.0, "distance": distance}
    config = configuration(
        tmp_path, algorithm={"name": algorithm}, privacy={"k": 4, "t_closeness": model}, suppression={"limit": 0}
    )
    report = kanon_sql.run(config).report
    assert report["classes"]["count"] == 2
    assert report["privacy"]["t_closeness"]["actual"] == 0
    assert kanon_sql.check(config, tmp_path / "out.csv")["status"] == "satisfied"
    assert kanon_sql.check(config)["privacy"]["t_closeness"]["actual"] == 0
    compiled = kanon_sql.compile(config, check=True) if algorithm == "optimal" else None
    if compiled is not None:
        with attached() as connection:
            assert connection.execute(compiled).fetchall() == []
    del config["source"]["columns"]["cost"]
    assert kanon_sql.run(config).report["classes"]["count"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
@pytest.mark.parametrize("cost", [{"type": "number", "invalid": "missing"}, {"missing": ["none", "50"]}])
def test_what_a_column_makes_missing_is_read_so_in_a_release(tmp_path: Path, algorithm: str, cost: Json) -> None:
    """No empty text is missing by itself here, and a release in CSV writes NULL as one."""
    rows = [["1.1.2000", "50", sex, cost, "x"] for sex in "mw" for cost in ("none", "none", "", "20")]
    write(tmp_path, HEADER, rows)
    config = configuration(
        tmp_path,
        algorithm={"name": algorithm},
        privacy={"k": 4, "t_closeness": {"column": "cost", "t": 0.0}, "l_diversity": {"column": "cost", "l": 1}},
        suppression={"limit": 0},
    )
    config["source"] = {**config["source"], "missing": ["?"]}
    config["source"]["columns"] = {**config["source"]["columns"], "cost": cost}
    report = kanon_sql.run(config).report
    assert report["classes"]["count"] == 2
    assert Counter(row["cost"] for row in read(tmp_path / "out.csv")) == {"": 6, "20": 2}
    assert kanon_sql.check(config, tmp_path / "out.csv")["privacy"] == report["privacy"]


def test_entities_are_counted_as_they_are_understood(tmp_path: Path) -> None:
    write(tmp_path, ["id", "sex"], [["1", "m"], ["01", "m"], ["2", "w"], ["3", "w"]])
    config = {
        "source": {"path": str(tmp_path / "in.csv"), "columns": {"id": {"type": "number"}}},
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "privacy": {"k": 2, "entity": "id"},
    }
    report = kanon_sql.run(config).report
    assert report["solution"]["levels"] == {"sex": 1}
    assert report["privacy"]["k"]["actual"] == 3


def test_in_place(tmp_path: Path) -> None:
    write(tmp_path, HEADER, [["01.02.1950", "50,5", " M", "10", "a"]] * 2 + [["1.2.1950", "50,5", "w", "20", "b"]] * 2)
    config = configuration(tmp_path, target="in-place")
    kanon_sql.run(config)
    assert [row["sex"] for row in read(tmp_path / "in.csv")] == ["male", "male", "female", "female"]
    assert [row["born"] for row in read(tmp_path / "in.csv")] == ["01.02.1950"] * 2 + ["1.2.1950"] * 2


@pytest.mark.slow
@pytest.mark.parametrize("show", [False, True])
def test_texts_that_do_not_fit_are_counted_and_found(
    tmp_path: Path, show: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [["01.02.1950", "50", "m", "1", "x"]] * 3
    rows += [["1950-02-01", "50", "m", "1.5", "x"]] * 2
    rows += [["31.02.1950", "50", "m", "1e3", "x"], [" 1.1.1950", "x", "m", "", "x"]]
    write(tmp_path, HEADER, rows)
    config = configuration(tmp_path)
    config["source"]["columns"]["born"] = {"format": "%d.%m.%Y"}
    (tmp_path / "c.json").write_text(json.dumps(config))
    with pytest.raises(SystemExit) as ended:
        main(["run", str(tmp_path / "c.json"), *(["--show-values"] if show else [])])
    assert ended.value.code == 2
    said = [line for line in capsys.readouterr().err.splitlines() if ": error: " in line]
    assert len(said) == 2
    assert "4 values (3 distinct) of column 'born' are invalid, 2 of them dates written as yyyy-mm-dd" in said[0]
    assert "the first in line 5" in said[0]
    assert "3 values (2 distinct) of column 'cost' are invalid" in said[1]
    assert ("1950-02-01" in said[0]) == show
    assert not (tmp_path / "out.csv").exists()
    for column_config in config["source"]["columns"].values():
        column_config["invalid"] = "missing"
    report = kanon_sql.run({**config, "privacy": {"k": 1}}).report
    assert report["rows"]["released"] == 7


def test_problems_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with shared() as connection:
        values = "1 AS age, DATE '2000-01-01' AS born, 'x' AS sex, 'y' AS \"a.b\""
        connection.execute(f"COPY (SELECT {values}) TO '{path}'")
    columns = {
        "age": {"trim": True, "decimal": ","},
        "born": {"type": "number"},
        "sex": {"trim": True},
        "a.b": {"case": "upper"},
        "sexx": {"trim": True},
    }
    config = {"source": {"path": str(path), "columns": columns}, "quasi_identifiers": {"sex": {"builtin": "suppress"}}}
    with pytest.raises(ConfigurationError) as raised:
        kanon_sql.run({**config, "target": str(tmp_path / "o.csv"), "privacy": {"k": 1}, "unlisted": "drop"})
    said = raised.value.problems
    assert len(said) == 3
    assert "'age' is of type INTEGER and holds no texts; decimal, trim go with texts" in said[0]
    assert "'born' is of type DATE, which is not read as number" in said[1]
    assert "no column 'sexx'" in said[2] and "'a.b'" in said[2]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"type": "date", "format": "%j"}, "%j is not taken; expected %d, %m"),
        ({"type": "date", "format": "%d.%m"}, "there is no year"),
        ({"type": "date", "format": "%Y-%m-%d %H"}, "a date has no time of day"),
        ({"type": "date", "format": "%Y %y"}, "say the same"),
        ({"format": "%Y|%m"}, "between the directives expected"),
        ({"format": "%Y-%m-%d %I:%M"}, "%I says nothing without %p"),
        ({"type": "number", "format": "%Y"}, "format goes with type: date or timestamp, not with number"),
        ({"type": "text", "decimal": ","}, "decimal goes with type: number"),
        ({"decimal": ".", "thousands": "."}, "the same character"),
        ({"thousands": "."}, "the same character"),
        ({"case": "lower", "recode": {"M": "male"}}, "leave no such text"),
        ({"trim": True, "recode": {" m": "male"}}, "leave no such text"),
    ],
)
def test_columns_that_contradict_themselves(column: Json, said: str) -> None:
    config = {"source": {"path": "a.csv", "columns": {"b": column}}, "quasi_identifiers": ["b"], "privacy": {"k": 1}}
    with pytest.raises(ConfigurationError, match=said.replace("%", "[%]")) as raised:
        from_mapping(config)
    assert "source.columns.b" in str(raised.value)


@pytest.mark.slow
def test_values_that_recoding_makes_are_covered_or_refused(tmp_path: Path) -> None:
    write(tmp_path, HEADER, [["", "", "m", "1", "x"]] * 2)
    (tmp_path / "sex.csv").write_text("m,*\nw,*\n")
    config = configuration(tmp_path)
    config["quasi_identifiers"]["sex"] = {"hierarchy": str(tmp_path / "sex.csv")}
    with pytest.raises(KanonError, match="not covered"):
        kanon_sql.run(config)
    (tmp_path / "sex.csv").write_text("male,*\nfemale,*\n")
    assert kanon_sql.run(config).report["rows"]["released"] == 2


def test_columns_by_set_and_names_with_odd_characters(tmp_path: Path) -> None:
    name = 'a."b" ;ü'
    write(tmp_path, [name, "x"], [["M ", "1"], ["m", "1"]])
    config = {
        "source": {"path": str(tmp_path / "in.csv")},
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {name: {"builtin": "suppress", "max_level": 0}},
        "insensitive": ["x"],
        "privacy": {"k": 2},
    }
    quoted = '"' + name.replace('"', '""') + '"'
    overrides = [(f"source.columns.{quoted}.trim", "true"), (f"source.columns.{quoted}.case", "upper")]
    kanon_sql.run(config, overrides=overrides)
    assert Counter(row[name] for row in read(tmp_path / "out.csv")) == {"M": 2}


@pytest.mark.slow
def test_linking_compares_what_is_understood(tmp_path: Path) -> None:
    """The external table writes dates as ISO 8601 and sexes in words of the source: each finds its rows."""
    rows = [["01.02.1950", "50", "m", "10", "x"]] * 2 + [["3.4.1955", "1.050,5", "W ", "20", "x"]] * 2
    write(tmp_path, HEADER, rows)
    config = configuration(tmp_path)
    report = kanon_sql.run(config).report
    assert report["solution"]["height"] == 0
    (tmp_path / "who.csv").write_text("born,sex,weight\n1950-02-01,M,50\n1955-04-03,w,1050.50\n2.2.1990,w,50\n")
    linked = kanon_sql.link(tmp_path / "out.csv", tmp_path / "who.csv", ["born", "sex"], release_config=config)
    assert linked["matched"] == {"persons": 2, "rows": 4}
