"""Two releases joined: compared with plain loops over rows, and Sweeney's examples."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from effort import needs, tries, with_marks
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.config.load import from_mapping

TOY = ROOT.parent / "shared" / "data" / "toy"

Cell = str | None
Row = tuple[Cell, ...]

TREES = {
    'ra"ce': [["a", "ab", "abc"], ["b", "ab", "abc"], ["c", "c", "abc"], ["d", "de", "de"], ["e", "de", "de"]],
    "zip": [["1", "1*", "x"], ["2", "1*", "x"], ["3", "3*", "x"]],
}
NAMES = [*TREES, "ill"]
EVERYTHING = frozenset(["", *(line[0] for lines in TREES.values() for line in lines)])


def below(column: str, label: Cell) -> frozenset[str]:
    """The values that a label stands for; '' is the missing one."""
    if label == "*":
        return EVERYTHING
    if label is None:
        return frozenset([""])
    return frozenset(line[0] for line in TREES[column] if label in line)


def said(column: str, first: Cell, second: Cell) -> Cell:
    """The narrower of two labels that overlap: in a tree one lies within the other."""
    return first if below(column, first) <= below(column, second) else second


def matches(first: Row, second: Row) -> bool:
    return first[2] == second[2] and all(
        below(column, a) & below(column, b) for column, a, b in zip(TREES, first, second, strict=False)
    )


def together(first: Row, second: Row) -> Row:
    return tuple(said(column, a, b) for column, a, b in zip(TREES, first, second, strict=False))


def at_most(first: list[Row], second: list[Row]) -> Counter[Row]:
    """How many rows each combined tuple stands for at most, for each value joined on the least of three bounds."""
    bounds: dict[tuple[Row, Cell], list[Any]] = {}
    left, right = Counter(first), Counter(second)
    for left_row, right_row in product(left, right):
        if matches(left_row, right_row):
            sides = bounds.setdefault((together(left_row, right_row), left_row[2]), [set(), set(), 0])
            sides[0].add(left_row)
            sides[1].add(right_row)
            sides[2] += min(left[left_row], right[right_row])
    counted: Counter[Row] = Counter()
    for (tuple_, _), (ones, others, paired) in bounds.items():
        counted[tuple_] += min(sum(left[row] for row in ones), sum(right[row] for row in others), paired)
    return counted


def of_source(first: list[Row], second: list[Row], source: list[Row]) -> tuple[Counter[Row], int]:
    counted: Counter[Row] = Counter()
    ambiguous = 0
    for row in source:
        ones, others = fitting(row, first), fitting(row, second)
        tuples = {together(a, b) for a in ones for b in others if matches(a, b)}
        counted.update(tuples)
        ambiguous += len(tuples) > 1
    return counted, ambiguous


def fitting(row: Row, release: list[Row]) -> list[Row]:
    """The released rows that a row of the source can have become; masked ones only where nothing else fits."""
    candidates = [label_row for label_row in set(release) if matches(row, label_row)]
    return [row for row in candidates if row[:2] != ("*", "*")] or candidates


def counts(tuples: Counter[Row], k: int) -> dict[str, Any]:
    small = [rows for rows in tuples.values() if rows < k]
    return {
        "tuples": len(tuples),
        "smallest": min(tuples.values(), default=0),
        "violating": {"tuples": len(small), "rows": sum(small)},
    }


def generalized(row: Row, levels: tuple[int, int]) -> Row:
    cells = [
        next((line[level] for line in lines if line[0] == cell), None) if level < 3 and cell is not None
        else "*" if level == 3 else None
        for lines, cell, level in zip(TREES.values(), row, levels, strict=False)
    ]  # fmt: skip
    return (*cells, row[2])


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Row], list[list[Row]]]:
    """A source, and two releases of it: one level a column, or one a row; some rows left out, in some order."""
    leaves = [st.sampled_from([*(line[0] for line in lines), None]) for lines in TREES.values()]
    source = draw(st.lists(st.tuples(*leaves, st.sampled_from(["p", "q", "r", None])), min_size=1, max_size=12))
    released = []
    level = st.tuples(st.integers(0, 3), st.integers(0, 3))
    for _ in range(2):
        whole = draw(level)
        own = draw(st.booleans())
        rows = [generalized(row, draw(level) if own else whole) for row in source]
        kept = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))) if draw(st.booleans()) else None
        rows = rows if kept is None else [row for row, keep in zip(rows, kept, strict=True) if keep] or rows
        released.append(rows if draw(st.booleans()) else draw(st.permutations(rows)))
    return source, released


def configured(folder: Path) -> Any:
    for number, lines in enumerate(TREES.values()):
        write_csv(folder / f"h{number}.csv", lines)
    specs = {name: f"h{number}.csv" for number, name in enumerate(TREES)}
    return from_mapping({"source": "unused.csv", "quasi_identifiers": specs, "privacy": {"k": 2}}, folder)


@pytest.mark.slow
@settings(max_examples=tries(40))
@given(case=releases(), k=st.integers(1, 4))
def test_joins_are_those_of_plain_loops(case: tuple[list[Row], list[list[Row]]], k: int, folder: Path) -> None:
    source, (first, second) = case
    for name, rows in (("a", first), ("b", second), ("s", source)):
        write_csv(folder / f"{name}.csv", [NAMES, *rows], quote=True)
    options: dict[str, Any] = {"on": ["ill"], "k": k, "config": configured(folder)}
    report = kanon_sql.check_releases(folder / "a.csv", folder / "b.csv", **options)
    expected = at_most(first, second)
    for key, value in counts(expected, k).items():
        assert report["combined"][key] == value
    order = same_order(first, second, k)
    assert {key: report["order"][key] for key in order} == order
    violated = report["combined"]["violating"]["tuples"] or report["order"]["violating"]["tuples"]
    assert report["status"] == ("violated" if violated else "satisfied")
    exact = kanon_sql.check_releases(folder / "a.csv", folder / "b.csv", source=folder / "s.csv", **options)
    counted, ambiguous = of_source(first, second, source)
    assert exact["combined"]["ambiguous_rows"] == ambiguous
    for key, value in counts(counted, k).items():
        assert exact["combined"][key] == value
    # What is said without the source is no less than what there is.
    if not ambiguous and len(first) == len(second) == len(source):
        assert all(expected[tuple_] >= counted[tuple_] for tuple_ in counted)


def same_order(first: list[Row], second: list[Row], k: int) -> dict[str, Any]:
    if len(first) != len(second):
        return {"same": False, "matching": None}
    pairs = [together(a, b) for a, b in zip(first, second, strict=True) if matches(a, b)]
    share = sum(matches(a, b) for a in first for b in second) / len(first) ** 2
    same = len(pairs) == len(first) and share ** len(first) < 1e-3
    counted = counts(Counter(pairs), k) if same else {"violating": {"tuples": 0, "rows": 0}}
    return {"same": same, "matching": len(pairs), "chance": pytest.approx(share ** len(first)), **counted}


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(case=releases())
def test_what_is_certain_is_there(case: tuple[list[Row], list[list[Row]]], folder: Path) -> None:
    """Where both releases hold the whole source, each certain tuple has a row whatever the rest of the rows are."""
    source, (first, second) = case
    for name, rows in (("a", first), ("b", second)):
        write_csv(folder / f"{name}.csv", [NAMES, *rows], quote=True)
    report = kanon_sql.check_releases(folder / "a.csv", folder / "b.csv", on=["ill"], config=configured(folder), k=99)
    if len(first) != len(second):
        assert report["combined"]["certain"] is None
    elif len(first) == len(source) <= 6:
        assert report["combined"]["certain"] <= surely(first, second)


def surely(first: list[Row], second: list[Row]) -> int:
    """How many combined tuples are there in every way to pair the rows of two releases; there is at least one way."""

    def ways(used: frozenset[int], at: int) -> list[frozenset[Row]]:
        if at == len(first):
            return [frozenset()]
        return [
            rest | {together(first[at], second[i])}
            for i in range(len(second))
            if i not in used and matches(first[at], second[i])
            for rest in ways(used | {i}, at + 1)
        ]

    return len(frozenset.intersection(*ways(frozenset(), 0)))


RACES = ["Asian", "Black", "White"]
ZIPS = ["02138", "02139", "02141", "02142"]
PEOPLE = [(race, code) for race in RACES for code in ZIPS]


@pytest.mark.slow
def test_unsorted_matching(tmp_path: Path) -> None:
    """Sweeney (2002), figure 3: each release has classes of 2 or 3 rows; in one order they tell every person."""
    write_csv(tmp_path / "one.csv", [["race", "zip"], *(("*", code) for _, code in PEOPLE)])
    second = [[race, code[:4] + "*"] for race, code in PEOPLE]
    write_csv(tmp_path / "two.csv", [["race", "zip"], *second])
    config = {
        "source": "unused.csv",
        "quasi_identifiers": {"race": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4]}},
        "privacy": {"k": 2},
    }
    report = kanon_sql.check_releases(tmp_path / "one.csv", tmp_path / "two.csv", config=config)
    assert [entry["smallest_class"] for entry in report["releases"]] == [3, 2]
    assert report["status"] == "violated" and report["order"]["same"]
    assert report["order"]["violating"] == {"tuples": 12, "rows": 12}
    # Without the order each of the 12 tuples may stand for two rows: nothing is told by the join alone.
    assert report["combined"]["violating"]["tuples"] == 0
    random.Random(1).shuffle(second)
    write_csv(tmp_path / "two.csv", [["race", "zip"], *second])
    report = kanon_sql.check_releases(tmp_path / "one.csv", tmp_path / "two.csv", config=config)
    assert report["status"] == "satisfied" and not report["order"]["same"]


PRIVATE = """\
black,1965,male,02141,short of breath
black,1965,male,02141,chest pain
black,1965,female,02138,painful eye
black,1965,female,02138,wheezing
black,1964,female,02138,obesity
black,1964,female,02138,chest pain
white,1964,male,02138,short of breath
white,1965,female,02139,hypertension
white,1964,male,02139,obesity
white,1964,male,02139,fever
white,1967,male,02138,vomiting
white,1967,male,02138,back pain""".splitlines()
GT1 = [("person", "1965", "female", "0213*"), ("white", "1964", "male", "0213*")]
GT3 = [("white", "1960-69", "male", "02138"), ("white", "1960-69", "human", "02139")]
HEAD = ["Race", "Birth", "Gender", "ZIP", "Problem"]


def sweeney(folder: Path) -> dict[str, Any]:
    """The private table of section 4 and its releases GT1 and GT3; the configuration that reads them."""
    rows = [tuple(line.split(",")) for line in PRIVATE]
    gt1 = [
        (*(GT1[0] if i in (2, 3, 7) else GT1[1] if i in (6, 8, 9) else row[:4]), row[4]) for i, row in enumerate(rows)
    ]
    gt3 = [(*(GT3[0] if i in (6, 10, 11) else GT3[1] if i > 6 else row[:4]), row[4]) for i, row in enumerate(rows)]
    random.Random(3).shuffle(gt1)
    for name, table in (("PT", rows), ("GT1", gt1), ("GT3", gt3)):
        write_csv(folder / f"{name}.csv", [HEAD, *table])
    write_csv(folder / "race.csv", [["black", "person"], ["white", "person"]])
    write_csv(folder / "birth.csv", [["1964", "1960-69"], ["1965", "1960-69"], ["1967", "1960-69"]])
    write_csv(folder / "gender.csv", [["male", "human"], ["female", "human"]])
    files = {name: str(folder / f"{name.lower()}.csv") for name in HEAD[:3]}
    specs = {**files, "ZIP": {"builtin": "prefix", "keep": [4]}}
    return {"source": "unused.csv", "quasi_identifiers": specs, "privacy": {"k": 2}}


@pytest.mark.slow
@pytest.mark.parametrize("source", [None, "PT.csv"])
def test_complementary_releases(source: str | None, tmp_path: Path) -> None:
    """Sweeney (2002), section 4.2: both releases are 2-anonymous, joined on Problem two persons stand alone."""
    config = sweeney(tmp_path)
    report = kanon_sql.check_releases(
        tmp_path / "GT1.csv", tmp_path / "GT3.csv", on=["Problem"], config=config,
        source=None if source is None else tmp_path / source,
    )  # fmt: skip
    assert [entry["smallest_class"] for entry in report["releases"]] == [2, 2]
    assert report["status"] == "violated"
    assert report["combined"]["tuples"] == 7 and report["combined"]["certain"] == 2
    assert report["combined"]["violating"] == {"tuples": 2, "rows": 2}
    assert report["combined"]["exact"] == (source is not None)
    assert not report["order"]["same"]


def test_columns_of_one_release_only(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", [["sex", "ill"], ["f", "1"], ["f", "2"], ["m", "3"], ["m", "4"]])
    write_csv(tmp_path / "b.csv", [["zip", "ill"], ["1", "1"], ["2", "2"], ["1", "3"], ["1", "4"]])
    report = kanon_sql.check_releases(tmp_path / "a.csv", tmp_path / "b.csv", ["sex", "zip"], on=["ill"], k=2)
    assert report["combined"]["violating"] == {"tuples": 2, "rows": 2} and report["combined"]["certain"] == 2


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = sweeney(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    files = ["releases", "check", tmp_path / "GT1.csv", tmp_path / "GT3.csv"]
    words = [*files, "--config", tmp_path / "config.json", "--on", "Problem"]
    status, out, err = run(capsys, *words)
    assert (status, err) == (1, "") and "together VIOLATE k = 2" in out
    assert "2 combined tuples with 2 rows at most, 2 of them surely not empty" in out and "02139" not in out
    assert "02139" in run(capsys, *words, "--show-values")[1]
    status, out, _ = run(capsys, *words, "--json", "--report", tmp_path / "report.json")
    assert status == 1 and json.loads(out) == json.loads((tmp_path / "report.json").read_text())
    assert "02139" not in out
    assert run(capsys, *words, "--k", "1", "--source", tmp_path / "PT.csv")[0] == 0
    assert run(capsys, *words, "--set", "privacy.k=1", "--quiet") == (0, "", "")
    assert [run(capsys, *files, "--qi", "Race,Birth", "--k", k, "--on", "Problem")[0] for k in "25"] == [0, 1]
    for wrong in (
        ["--on", "Problem"],
        ["--k", "2", "--on", "Problem"],
        ["--k", "2", "--qi", "Race", "--on", "Race"],
        ["--k", "2", "--qi", "Race,Race"],
        ["--k", "2", "--qi", "Race", "--set", "privacy.k=1"],
        ["--k", "2", "--qi", "Race,"],
    ):
        assert run(capsys, *files, *wrong)[0] == 2, wrong
    status, out, err = run(capsys, *files, "--k", "2", "--qi", "Race,None,Nothing", "--on", "No")
    assert status == 2 and err.count("kanon-sql: error:") == 4  # No is missing twice


@pytest.mark.slow
def test_every_key_of_the_report_is_described(tmp_path: Path) -> None:
    from pages import leaves, rows

    config = sweeney(tmp_path)
    options: dict[str, Any] = {"on": ["Problem"], "config": config}
    files = (tmp_path / "GT1.csv", tmp_path / "GT3.csv")
    keys = set(leaves(kanon_sql.check_releases(*files, **options)))
    keys |= set(leaves(kanon_sql.check_releases(*files, source=tmp_path / "PT.csv", **options)))
    assert keys == set(rows((ROOT / "docs" / "releases.md").read_text(encoding="utf-8")))


@with_marks(needs(TOY))
@pytest.mark.parametrize("first", ["sweeney_gt1", "example6gt1"])
def test_the_releases_of_the_literature(first: str, tmp_path: Path) -> None:
    report = kanon_sql.check_releases(
        TOY / f"{first}.csv", TOY / "example6gt3.csv", on=["Problem"], config=sweeney(tmp_path)
    )
    assert report["status"] == "violated" and report["order"]["same"]
    assert report["combined"]["violating"] == {"tuples": 2, "rows": 2}
