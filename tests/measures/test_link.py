"""The linking attack, compared with a plain double loop over rows and the meaning of every label."""

from __future__ import annotations

import csv
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from effort import needs, tries, with_marks
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from shared_engine import attached
from table_files import write_csv, write_parquet

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError

TOY = ROOT.parent / "shared" / "data" / "toy"

Cell = str | None
Matches = Callable[[Cell, Cell], bool]


def equal(value: Cell, label: Cell) -> bool:
    return label == "*" or value == "*" or value == label


def by_prefix(value: Cell, label: Cell) -> bool:
    """One of the two is cut off to the other, one star for each character removed."""
    if value is None or label is None or equal(value, label):
        return equal(value, label)

    def above(a: str, b: str) -> bool:
        return any(len(a) > keep and b == a[:keep] + "*" * (len(a) - keep) for keep in (4, 2))

    return above(value, label) or above(label, value)


def by_file(lines: Sequence[Sequence[str]]) -> Matches:
    def below(label: Cell) -> set[Cell]:
        return {label} | {line[0] for line in lines if label in line[1:]}

    return lambda value, label: equal(value, label) or bool(None not in (value, label) and below(value) & below(label))


def by_interval(value: Cell, label: Cell) -> bool:
    if equal(value, label) or value is None or label is None:
        return equal(value, label)
    spans = []
    for text in (value, label):
        whole = re.fullmatch(r"(-?[\d.]+)-(-?[\d.]+)", text)
        end = re.fullmatch(r"(<|>=)(-?[\d.]+)", text)
        if end:
            spans.append((-math.inf, float(end[2]), False) if end[1] == "<" else (float(end[2]), math.inf, True))
            continue
        half_open = re.fullmatch(r"\[(\S+), (\S+)\)", text)
        try:
            spans.append(
                (float(whole[1]), float(whole[2]), True)
                if whole
                else (float(half_open[1]), float(half_open[2]), False)
                if half_open
                else (float(text), float(text), True)
            )
        except ValueError:
            return False
    (a, b, closed), (c, d, other_closed) = spans
    return (c <= b if closed else c < b) and (a <= d if other_closed else a < d)


DAY = r"\d{4}-\d\d-\d\d"
DAYS = ["2023-12-31", "2024-01-01", "2024-02-29", "2024-07-15", "2031-01-01"]


def by_day(value: Cell, label: Cell) -> bool:
    """Values are days; labels are days, months, quarters, years or decades."""
    if value is None or label is None or equal(value, label):
        return equal(value, label)
    if not re.fullmatch(DAY, value):
        return False
    year, month = int(value[:4]), int(value[5:7])
    above = {value[:7], f"{year}-Q{(month + 2) // 3}", value[:4], f"{year // 10 * 10}-{year // 10 * 10 + 9}"}
    return label in above


def by_range(value: Cell, label: Cell) -> bool:
    """Values of a column without hierarchy against what Mondrian writes: ranges, sets, missing values beside others."""
    if label is not None and label.endswith(" or missing"):
        return value is None or by_range(value, label.removesuffix(" or missing"))
    if value is None or label is None or equal(value, label):
        return equal(value, label)
    if label.startswith("{"):
        return value in next(csv.reader([label[1:-1]], skipinitialspace=True, escapechar="\\", doublequote=False))
    if "/" in label:
        return bool(re.fullmatch(DAY, value)) and label.split("/")[0] <= value <= label.split("/")[1]
    return by_interval(value, label)


ABOVE = {"I21": ("I20-I25", "I00-I99"), "I60": ("I60-I69", "I00-I99"), "A00": ("A00-A09", "A00-B99")}
CODES = ["I21.0", "i219", "I60", "A00.1", "A00", "I21"]


def by_code(value: Cell, label: Cell) -> bool:
    """Codes of ICD-10 and what lies above them."""

    def within(text: str) -> set[str]:
        return {text} | {code for code in CODES if text in (code[:3].upper(), *ABOVE[code[:3].upper()])}

    if value is None or label is None or equal(value, label):
        return equal(value, label)
    return bool(within(value) & within(label))


def by_rest(value: Cell, label: Cell) -> bool:
    """Where rows are at levels of their own, the word for rare values may stand for any other."""
    return equal(value, label) or (value is not None and label is not None and "rest" in (value, label))


TREE = [
    ["nurse", "health", "service"],
    ["doctor", "health", "service"],
    ["cook", "kitchen", "service"],
    ["clerk", "office", "office"],
]
NAMES = ['a"b', "; drop", "über", "a,b", "x=y", " "]
KINDS: dict[str, tuple[dict[str, Any], list[Cell], list[Cell], Matches]] = {
    "equal": ({"builtin": "suppress"}, ["f", "m", "F", "", 'q"q', None], ["f", "m", "*", None], equal),
    "prefix": (
        {"builtin": "prefix", "keep": [4, 2]},
        ["02139", "02138", "0213", "02", None],
        ["02139", "0213*", "02***", "02**", "*", None],
        by_prefix,
    ),
    "file": ({"hierarchy": "tree.csv"}, ["nurse", "cook", "clerk", "baker", None],
             ["nurse", "health", "service", "office", "*", None], by_file(TREE)),
    "intervals": ({"builtin": "intervals", "widths": [5, 10]}, ["4", "5", "-3", "9.5", "10", "x", None],
                  ["5", "5-9", "0-9", "-5--1", "[5, 10)", "[-5, 0)", "*", None], by_interval),
    "ends": ({"builtin": "intervals", "widths": [5], "bottom": 5, "top": 7.5}, ["4", "5", "4.999", "7.5", "99", "x"],
             ["<5", ">=7.5", "[5, 7.5)", "<-3", ">=-3", "*", None], by_interval),
    "codes": ({"builtin": "icd10"}, [*CODES, "no", None],
              ["I21", "A00", "I20-I25", "I60-I69", "A00-A09", "I00-I99", "A00-B99", "*", None], by_code),
    "rare": ({"builtin": "merge-rare", "below": [2], "other": "rest"}, ["a", "b", "rest", "q'q", None],
             ["a", "b", "rest", "*", None], by_rest),
    "date": ({"builtin": "date", "levels": ["month", "quarter", "year", "decade"]}, [*DAYS, None, "no"],
             [*DAYS, "2024-01", "2024-Q1", "2024", "2020-2029", "2030-2039", "*", None], by_day),
    "range": ({}, ["4", "5", "-3", "9.5", "10", None, *DAYS, "a", "b, c", 'd"', "e\\"],
              ["5", "5-9", "-3--1", "4-9.5", "5-10 or missing", "9.5 or missing", "2023-12-31/2024-02-29", "2024-01-01",
               "{a, b}", '{"b, c", a}', r'{"d\"", "e\\"}', "{a, x} or missing", "*", None], by_range),
}  # fmt: skip


@st.composite
def links(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[Cell]], list[list[Cell]]]:
    """(names, kinds, external rows, released rows)."""
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=3))
    names = draw(st.permutations(NAMES))[: len(kinds)]
    external = st.tuples(*(st.sampled_from(KINDS[kind][1]) for kind in kinds))
    released = st.tuples(*(st.sampled_from([*KINDS[kind][1][:3], *KINDS[kind][2]]) for kind in kinds))
    left = [list(row) for row in draw(st.lists(external, min_size=1, max_size=14))]
    right = [list(row) for row in draw(st.lists(released, min_size=1, max_size=14))]
    return list(names), kinds, left, right


def expected(left: list[Any], right: list[Any], matches: Sequence[Matches]) -> dict[str, Any]:
    """The same report from a loop over all pairs of rows."""
    pairs = [
        (i, j)
        for i, values in enumerate(left)
        for j, labels in enumerate(right)
        if all(match(value, label) for match, value, label in zip(matches, values, labels, strict=True))
    ]
    persons, rows = Counter(i for i, _ in pairs), Counter(j for _, j in pairs)
    return {
        "persons": len(left),
        "rows": len(right),
        "matched": {"persons": len(persons), "rows": len(rows)},
        "unique": {
            "persons": sum(count == 1 for count in persons.values()),
            "rows": sum(count == 1 for count in rows.values()),
            "both": sum(persons[i] == 1 == rows[j] for i, j in pairs),
        },
        "least_matches": {
            "of_a_person": min(persons.values(), default=None),
            "of_a_row": min(rows.values(), default=None),
        },
        "expected_links": {
            "by_person": pytest.approx(sum(1 / count for count in persons.values())),
            "by_row": pytest.approx(sum(1 / count for count in rows.values())),
        },
        "histogram": {
            "persons": histogram([persons[i] for i in range(len(left))]),
            "rows": histogram([rows[j] for j in range(len(right))]),
        },
    }


def histogram(counts: list[int]) -> list[dict[str, int]]:
    buckets = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499)]
    ranges = [{"from": a, "to": b, "count": sum(a <= count <= b for count in counts)} for a, b in buckets]
    return [bucket for bucket in ranges if bucket["count"]]


def measured(report: dict[str, Any]) -> dict[str, Any]:
    return {key: report[key] for key in expected([], [], [])}


@pytest.mark.slow
@settings(max_examples=tries(50))
@given(case=links(), parquet=st.booleans())
def test_links_are_those_of_a_double_loop(
    case: tuple[list[str], list[str], list[list[Cell]], list[list[Cell]]], parquet: bool, folder: Path
) -> None:
    names, kinds, left, right = case
    suffix = ".parquet" if parquet else ".csv"
    write_csv(folder / "tree.csv", TREE)
    for name, rows in (("left", left), ("right", right)):
        if parquet:
            write_parquet(folder / (name + suffix), names, rows)
        else:
            write_csv(folder / (name + suffix), [names, *rows], quote=True)
    config = {
        "source": {"path": "unused.csv"},
        "quasi_identifiers": {name: KINDS[kind][0] for name, kind in zip(names, kinds, strict=True)},
        "privacy": {"k": 2},
        "algorithm": "mondrian",
    }
    from kanon_sql.config.load import from_mapping

    loaded = from_mapping(config, folder)
    report = kanon_sql.link(folder / ("right" + suffix), folder / ("left" + suffix), names, release_config=loaded)
    if not parquet:  # where '' is missing
        left, right = ([[cell or None for cell in row] for row in rows] for rows in (left, right))
    assert measured(report) == expected(left, right, [KINDS[kind][3] for kind in kinds])
    plain = kanon_sql.link(folder / ("right" + suffix), folder / ("left" + suffix), names)
    assert measured(plain) == expected(left, right, [equal] * len(names))


def persons(rows: int, seed: int) -> list[list[str]]:
    """(name, sex, zip, born, job, diagnosis)."""
    draw = random.Random(seed)
    return [
        [
            f"n{i}",
            draw.choice("fm"),
            f"021{draw.randint(10, 39)}",
            f"19{draw.randint(50, 69)}-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}",
            draw.choice(TREE)[0],
            draw.choice(["flu", "cold"]),
        ]
        for i in range(rows)
    ]


HEAD = ["name", "sex", "zip", "born", "job", "diagnosis"]
ON = ["sex", "zip", "born", "job"]


def configuration(folder: Path, **more: Any) -> dict[str, Any]:
    write_csv(folder / "tree.csv", TREE)
    return {
        "source": str(folder / "source.csv"),
        "target": {"path": str(folder / "release.csv"), "overwrite": True},
        "identifiers": ["name"],
        "quasi_identifiers": {
            "sex": {"builtin": "suppress"},
            "zip": {"builtin": "prefix", "keep": [4, 2]},
            "born": {"builtin": "date", "levels": ["month", "quarter", "year", "decade"]},
            "job": str(folder / "tree.csv"),
        },
        "sensitive": ["diagnosis"],
        "privacy": {"k": 4},
        "suppression": {"limit": "20%"},
        **more,
    }


def test_what_is_released_beside_rare_values_is_not_rare(tmp_path: Path) -> None:
    """Where all rows are at one level, Other is none of the values that stand beside it."""
    write_csv(tmp_path / "source.csv", [["job"], *(["nurse"] for _ in range(3)), ["cook"], ["clerk"]])
    write_csv(tmp_path / "voters.csv", [["job"], ["nurse"], ["cook"], ["baker"]])
    job = {"builtin": "merge-rare", "below": [2], "min_level": 1, "max_level": 1}
    config = {"source": str(tmp_path / "source.csv"), "target": str(tmp_path / "release.csv"), "privacy": {"k": 2},
              "quasi_identifiers": {"job": job}}  # fmt: skip
    kanon_sql.run(config)
    assert sorted(read(tmp_path / "release.csv", ["job"])) == [["Other"], ["Other"], ["nurse"], ["nurse"], ["nurse"]]
    linked = kanon_sql.link(tmp_path / "release.csv", tmp_path / "voters.csv", ["job"], release_config=config)
    assert linked["histogram"]["persons"] == [{"from": 2, "to": 2, "count": 2}, {"from": 3, "to": 3, "count": 1}]
    assert linked["least_matches"] == {"of_a_person": 2, "of_a_row": 1}


NO_HIERARCHIES: dict[str, Any] = {"sex": {}, "zip": {}, "born": {}, "job": {}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"release": {"suppressed": "mask"}},
        {"algorithm": "mondrian"},
        {"algorithm": "local"},
        {"algorithm": "mondrian", "quasi_identifiers": NO_HIERARCHIES},
        {"algorithm": "local", "quasi_identifiers": NO_HIERARCHIES},
        {"algorithm": "mondrian", "quasi_identifiers": NO_HIERARCHIES, "release": {"ranges": "columns"}},
    ],
    ids=str,
)
def test_the_attack_succeeds_on_the_source_and_fails_on_its_release(more: dict[str, Any], tmp_path: Path) -> None:
    table = persons(300, 1)
    write_csv(tmp_path / "source.csv", [HEAD, *table])
    write_csv(tmp_path / "voters.csv", [HEAD[:5], *(row[:5] for row in table)])
    config = configuration(tmp_path, **more)
    before = kanon_sql.link(tmp_path / "source.csv", tmp_path / "voters.csv", ON, release_config=config)
    assert before["unique"]["both"] > 250 and before["expected_links"]["by_person"] > 270
    result = kanon_sql.run(config)
    after = kanon_sql.link(tmp_path / "release.csv", tmp_path / "voters.csv", ON, release_config=config)
    assert after["unique"] == {"persons": 0, "rows": 0, "both": 0}
    assert after["least_matches"]["of_a_person"] >= 4
    assert after["matched"]["rows"] == after["rows"] == result.released + result.report["rows"]["masked"]
    assert after["matched"]["persons"] >= 300 - result.suppressed
    assert after["expected_links"]["by_person"] <= 300 / 4
    ranges = more.get("quasi_identifiers")
    tests = [by_range] * 4 if ranges else [equal, by_prefix, by_day, by_file(TREE)]
    if more.get("release") != {"ranges": "columns"}:
        released = read(tmp_path / "release.csv", ON)
        assert measured(after) == expected([row[1:5] for row in table], released, tests)


def read(path: Path, names: Sequence[str]) -> list[list[Cell]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [[row[name] or None for name in names] for row in csv.DictReader(file)]


@pytest.mark.slow
def test_typed_columns_match_texts(tmp_path: Path) -> None:

    with attached() as connection:
        connection.execute(
            "COPY (SELECT 7 AS i, 1.50::DOUBLE AS d, 2.5::DECIMAL(9, 4) AS e, TIMESTAMP '2024-03-05 00:00:00' AS t, "
            f"TIMESTAMPTZ '2024-03-05 01:00:00+01' AS z, DATE '2024-03-05' AS y) TO '{tmp_path}/a.parquet'"
        )
    write_csv(tmp_path / "b.csv", [["i", "d", "e", "t", "z", "y"], ["7", "1.5", "2.5", *["2024-03-05"] * 3]])
    report = kanon_sql.link(tmp_path / "a.parquet", tmp_path / "b.csv", ["i", "d", "e", "t", "z", "y"])
    assert report["unique"]["both"] == 1
    write_csv(tmp_path / "h.csv", [["07", "low"], ["9", "high"]])
    write_csv(tmp_path / "released.csv", [["i"], ["low"], ["high"]])
    config = {"source": "unused.csv", "quasi_identifiers": {"i": str(tmp_path / "h.csv")}, "privacy": {"k": 1}}
    report = kanon_sql.link(tmp_path / "released.csv", tmp_path / "a.parquet", ["i"], release_config=config)
    assert report["matched"] == {"persons": 1, "rows": 1}


def test_names_may_differ_and_missing_texts_are_told(tmp_path: Path) -> None:
    write_csv(tmp_path / "release.csv", [["a=b", "c,d"], ["1", ""], ["2", "x"]])
    write_csv(tmp_path / "other.csv", [["one", "two"], ["1", "?"], ["2", "x"], ["3", "x"]])
    report = kanon_sql.link(
        tmp_path / "release.csv", tmp_path / "other.csv", [("a=b", "one"), ("c,d", "two")], missing=["?"]
    )
    assert report["unique"] == {"persons": 2, "rows": 2, "both": 2}
    assert report["on"][0]["external_values"] == {"distinct": 3, "unmatched": 1}
    assert report["on"][0]["persons_unmatched"] == 1


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(tmp_path / "release.csv", [["a=b", "c,d"], ["1", "secret"], ["2", "x"]])
    write_csv(tmp_path / "other.csv", [["one", "c,d"], ["1", "secret"], ["3", "x"]])
    words = ["link", tmp_path / "release.csv", "--with", tmp_path / "other.csv", "--on", "a==b=one,c,,d"]
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    assert "1 person with exactly one row" in out and "secret" not in out
    assert "1 of 2 values of 'one' (1 person)" in out
    status, out, _ = run(capsys, *words, "--show-values")
    assert status == 0 and "secret" in out
    status, out, _ = run(capsys, *words, "--json", "--report", tmp_path / "report.json")
    report = json.loads(out)
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert report["unique"]["both"] == 1 and "secret" not in out and "examples" not in report
    assert run(capsys, *words, "--quiet") == (0, "", "")


def test_what_is_wrong_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(tmp_path / "release.csv", [["sex", "zip"], ["f", "1"]])
    write_csv(tmp_path / "other.csv", [["sex", "code"], ["f", "1"]])
    words = ["link", tmp_path / "release.csv", "--with", tmp_path / "other.csv", "--on"]
    status, out, err = run(capsys, *words, "sex,zop,zip")
    assert (status, out) == (2, "") and err.count("kanon-sql: error: ") == 3
    assert "other.csv: there is no column 'zip'; expected some of 'sex', 'code'" in err
    for wrong in ("sex,", "", "a=b=c", "=a"):
        assert run(capsys, *words, wrong)[0] == 2
    assert run(capsys, *words, "sex", "--set", "privacy.k=2")[0] == 2
    assert run(capsys, "link", tmp_path / "none.csv", "--with", tmp_path / "other.csv", "--on", "sex")[0] == 3
    (tmp_path / "ragged.csv").write_text("sex,code\nf,1\nf\n")
    status, _, err = run(capsys, "link", tmp_path / "ragged.csv", "--with", tmp_path / "other.csv", "--on", "sex")
    assert status == 3 and "line 3" in err
    with pytest.raises(ConfigurationError, match="--on names no column"):
        kanon_sql.link(tmp_path / "release.csv", tmp_path / "other.csv", [])


@with_marks(needs(TOY))
def test_the_voter_list_of_the_literature(tmp_path: Path) -> None:
    before = kanon_sql.link(TOY / "health.csv", TOY / "voter.csv", ["Sex", "Zip", "DOB"])
    # One sex of the voter list has a blank before it: as written 10 of the 11 are found.
    assert before["unique"] == {"persons": 10, "rows": 10, "both": 10}
    config = {
        "source": str(TOY / "health.csv"),
        "target": str(tmp_path / "release.csv"),
        "unlisted": "drop",
        "quasi_identifiers": {
            "Sex": {"builtin": "suppress"},
            "Zip": {"builtin": "prefix", "keep": [3, 2]},
            "DOB": {"builtin": "date", "levels": ["month", "year", "decade"]},
        },
        "sensitive": ["Problem"],
        "privacy": {"k": 2},
    }
    kanon_sql.run(config)
    after = kanon_sql.link(tmp_path / "release.csv", TOY / "voter.csv", ["Sex", "Zip", "DOB"], release_config=config)
    assert after["unique"] == {"persons": 0, "rows": 0, "both": 0}
    assert after["least_matches"]["of_a_person"] >= 2


def test_every_key_of_the_reports_is_described(tmp_path: Path) -> None:
    from pages import leaves, rows

    examples = ROOT / "examples" / "linking"
    on = [("sex", "sex"), ("zip", "zip"), ("born", "birth_date")]
    linked = kanon_sql.link(examples / "clinic.csv", examples / "voters.csv", on)
    described = rows((ROOT / "docs" / "link.md").read_text(encoding="utf-8"))
    assert set(leaves(linked)) == {key for key in described if not key.startswith("builtin: ")}
