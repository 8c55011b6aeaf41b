"""Attacks on releases, compared with brute force in plain Python."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError
from kanon_sql.measures.attack.adversaries import Played, Tries

Json = dict[str, Any]
Value = str | None
Row = tuple[Value, ...]

NAMES = ["age", "job", "ill"]
KNOWN = NAMES[:2]
AGES = ["1", "2", "3", "5", "8", "13"]
JOBS = ["smith", "clerk", "judge"]
ILLS = ["flu", "gout", "mumps"]


def stands_for(name: str, label: Value, value: Value) -> bool:
    """Whether a released label stands for a value."""
    if label == "*" and name in KNOWN:
        return True
    if name != "age" or label is None:
        return label == value
    bare = label.removesuffix(" or missing")
    if value is None:
        return bare != label
    low, _, high = bare.partition("-")
    return int(low) <= int(value) <= int(high or low)


class Loops:
    """The attacks by loops over rows; a row ends with the person whom it is about."""

    def __init__(self, source: list[Row], release: list[Row], control: list[Row]) -> None:
        self.source, self.release, self.control = source, release, control
        self.domain = {name: {row[i] for row in source + control} for i, name in enumerate(NAMES)}
        ages = [int(age) for age in self.domain["age"] if age is not None]
        self.span = max(ages, default=0) - min(ages, default=0)

    def distance(self, name: str, label: Value, value: Value) -> float:
        if stands_for(name, label, value):
            return 0.0
        below = [int(v) for v in self.domain[name] if v is not None and stands_for(name, label, v) and name == "age"]
        if value is None or not below:
            return 1.0
        return min(abs(int(value) - leaf) for leaf in below) / self.span

    def width(self, name: str, label: Value) -> float:
        return max(sum(stands_for(name, label, value) for value in self.domain[name]), 1) / len(self.domain[name])

    def nearest(self, row: Row, names: Sequence[str]) -> list[int]:
        """The numbers of the released rows that are nearest to a row by some columns."""
        places = [NAMES.index(name) for name in names]
        by_distance: dict[tuple[float, float], list[int]] = {}
        for number, released in enumerate(self.release):
            far = sum(self.distance(NAMES[i], released[i], row[i]) for i in places)
            wide = sum(self.width(NAMES[i], released[i]) for i in places)
            by_distance.setdefault((round(far, 6), round(wide, 6)), []).append(number)
        return by_distance[min(by_distance)]

    def linked(self, rows: list[Row], parts: Sequence[Sequence[str]]) -> float:
        total = 0.0
        for row in rows:
            left, right = (self.nearest(row, part) for part in parts)
            total += len({*left} & {*right}) / (len(left) * len(right))
        return total

    def guessed(self, rows: list[Row]) -> tuple[float, float]:
        """Values that are guessed rightly from the nearest rows, and by the most frequent of all."""
        guessed_rows = [0.0, 0.0]
        for row in rows:
            for place, pool in enumerate((self.nearest(row, KNOWN), range(len(self.release)))):
                counts = Counter(self.release[number][2] for number in pool)
                best = [value for value, count in counts.items() if count == max(counts.values())]
                guessed_rows[place] += (row[2] in best) / len(best)
        return guessed_rows[0], guessed_rows[1]

    def isolated(self, rows: list[Row], sets: Iterable[Sequence[str]], *, by_person: bool) -> tuple[int, int]:
        """(predicates, those that isolate a row), of one released row where there are such."""
        counts = {True: [0, 0], False: [0, 0]}
        for names in sets:
            places = [NAMES.index(name) for name in names]
            for labels, count in Counter(tuple(row[i] for i in places) for row in self.release).items():
                held = [
                    row for row in rows if all(stands_for(NAMES[i], labels[j], row[i]) for j, i in enumerate(places))
                ]
                counts[count == 1][0] += 1
                counts[count == 1][1] += len({row[3] for row in held} if by_person else held) == 1
        guesses, isolated = counts[counts[True][0] > 0]
        return guesses, isolated


def attack(folder: Path, loops: Loops, *, entity: bool = False, **options: Any) -> Json:
    """The attacks on a release that was written by hand."""
    header = [*NAMES, "who"]
    write_csv(folder / "data.csv", [header, *loops.source])
    write_csv(folder / "control.csv", [header, *loops.control])
    write_csv(folder / "out.csv", [NAMES, *(row[:3] for row in loops.release)])
    config = {
        "source": str(folder / "data.csv"),
        "target": str(folder / "out.csv"),
        "quasi_identifiers": {"age": {}, "job": {}},
        "sensitive": ["ill"],
        "identifiers": ["who"],
        "privacy": {"k": 2, **({"entity": "who"} if entity else {})},
        "algorithm": "mondrian",
    }
    if entity:
        del config["identifiers"]
    return kanon_sql.attack(config, control=folder / "control.csv", **options)


def tables(draw: Random) -> Loops:
    """A source, a release of ranges and other labels, and a control group."""

    def rows(count: int) -> list[Row]:
        return [
            (draw.choice([*AGES, None]), draw.choice([*JOBS, None]), draw.choice(ILLS), f"p{draw.randrange(8)}")
            for _ in range(count)
        ]

    source, control = rows(draw.randint(1, 12)), rows(draw.randint(1, 8))
    release: list[Row] = []
    for age, job, ill, who in draw.sample(source, draw.randint(1, len(source))):
        label = age
        if age is not None and draw.random() < 0.5:
            low, high = sorted((int(age), int(draw.choice(AGES))))
            label = f"{low}-{high}" if low < high else age
            label += " or missing" if draw.random() < 0.2 and low < high else ""
        mask = draw.random() < 0.2
        release.append(("*" if mask else label, "*" if mask or draw.random() < 0.2 else job, ill, who))
    return Loops(source, release, control)


def shares(entry: Json) -> tuple[float, float]:
    return entry["main"] * entry["guesses"]["main"], entry["control"] * entry["guesses"]["control"]


@settings(max_examples=tries(25), deadline=None)
@given(seed=st.integers(0, 10**6), entity=st.booleans())
@pytest.mark.slow
def test_attacks_are_those_of_plain_loops(tmp_path_factory: pytest.TempPathFactory, seed: int, entity: bool) -> None:
    loops = tables(Random(seed))
    measured = attack(tmp_path_factory.mktemp("attack"), loops, entity=entity)
    sides = (loops.source, loops.control)
    assert measured["rows"] == {"source": len(sides[0]), "release": len(loops.release), "control": len(sides[1])}

    linked = measured["linkability"]
    assert sorted(name for part in linked["columns"] for name in part) == sorted(NAMES)
    assert shares(linked) == pytest.approx([loops.linked(rows, linked["columns"]) for rows in sides])
    assert linked["baseline"] == pytest.approx(1 / len(loops.release))

    ill = measured["inference"]["ill"]
    assert shares(ill) == pytest.approx([loops.guessed(rows)[0] for rows in sides])
    assert ill["baseline"] * len(loops.source) == pytest.approx(loops.guessed(loops.source)[1])

    singled = measured["singling_out"]
    every = [columns for size in (1, 2, 3) for columns in combinations(NAMES, size)]
    for entry, sets in (
        (singled["one_column"], [columns for columns in every if len(columns) == 1 and "ill" not in columns]),
        (singled["several_columns"], [("age", "job")]),
        (singled["all_columns"]["one_column"], [("ill",)]),
        (
            singled["all_columns"]["several_columns"],
            [columns for columns in every if len(columns) > 1 and "ill" in columns],
        ),
    ):
        isolated = [loops.isolated(rows, sets, by_person=entity) for rows in sides]
        assert [entry["guesses"]["main"], entry["guesses"]["control"]] == [guesses for guesses, _ in isolated]
        assert shares(entry) == pytest.approx([right for _, right in isolated])


def people(count: int, seed: int) -> list[Row]:
    draw = Random(seed)
    return [
        (str(draw.randrange(90)), draw.choice("abcdefghij"), draw.choice(ILLS), f"p{number}") for number in range(count)
    ]


@pytest.mark.slow
def test_a_copy_is_at_risk_and_classes_are_not(tmp_path: Path) -> None:
    source, control = people(300, 1), people(300, 2)
    copied = attack(tmp_path, Loops(source, source, control))
    assert copied["singling_out"]["main"] == 1
    assert copied["singling_out"]["interval"][0] > 0.4
    assert copied["linkability"]["interval"][0] > 0
    assert copied["inference"]["ill"]["risk"] > 0.3
    classes: list[Row] = [("0-89", job, ill, who) for _, job, ill, who in source]
    grouped = attack(tmp_path, Loops(source, classes, control))
    assert grouped["singling_out"]["main"] == grouped["singling_out"]["risk"] == 0
    assert grouped["linkability"]["risk"] < 0.05
    assert grouped["inference"]["ill"]["risk"] < copied["inference"]["ill"]["risk"] / 2
    same = attack(tmp_path, Loops(source, source, source))
    assert [same[name]["risk"] for name in ("singling_out", "linkability")] == [0, 0]
    assert same["inference"]["ill"]["risk"] == 0
    text = json.dumps([copied, grouped])
    assert not any(f'"{value}"' in text for value in [*ILLS, "p1", "0-89", *"abcdefghij"])


@pytest.mark.few(1)
@pytest.mark.parametrize("grouping", [{}, {"privacy": {"k": 3, "entity": "who"}}])
def test_rows_are_held_out(tmp_path: Path, grouping: Json) -> None:
    rows = [(*row[:3], f"p{number // 3}") for number, row in enumerate(people(120, 1))]
    write_csv(tmp_path / "data.csv", [[*NAMES, "who"], *rows, *rows[:6]])
    config = {
        "source": str(tmp_path / "data.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [30]}, "job": {"builtin": "suppress"}},
        "sensitive": ["ill"],
        "unlisted": "drop",
        "privacy": {"k": 3},
        "suppression": {"limit": "20%"},
        **grouping,
    }
    measured = kanon_sql.attack(config, hold_out="40%", html=tmp_path / "page.html")
    assert measured["hold_out"] == 0.4
    assert measured["rows"]["source"] + measured["rows"]["control"] == 126
    assert 20 < measured["rows"]["control"] < 80
    assert measured["singling_out"]["main"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "page.html"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "inference of ill" in page and f"{measured['linkability']['risk']:.3f}" in page
    assert not any(f">{value}<" in page for value in [*ILLS, "p1", "*", "0-29"])
    with pytest.raises(ConfigurationError, match="--hold-out 0%: expected a share"):
        kanon_sql.attack(config, hold_out="0%")
    with pytest.raises(ConfigurationError, match="keep one"):
        kanon_sql.attack(config, hold_out="20%", control=tmp_path / "data.csv")


@pytest.mark.slow
def test_the_same_seed_draws_the_same(tmp_path: Path) -> None:
    loops = Loops(people(60, 1), people(60, 1)[:50], people(40, 2))

    def played(**options: Any) -> Json:
        measured = attack(tmp_path, loops, attacks=20, **options)
        return {name: measured[name] for name in ("singling_out", "linkability", "inference")}

    assert played(seed=3) == played(seed=3)
    assert played(seed=3) != played(seed=4)


def test_intervals_are_those_of_the_papers() -> None:
    """Newcombe 1998, table II, method 10: 56/70 less 48/80 and 9/10 less 3/10."""
    for main, control, expected in (
        (Tries(56, 70), Tries(48, 80), (0.0524, 0.3339)),
        (Tries(9, 10), Tries(3, 10), (0.1705, 0.8090)),
    ):
        entry = Played(main, Tries(0, 1), control).entry()
        assert entry["risk"] == pytest.approx(main.share - control.share)
        assert entry["interval"] == pytest.approx(expected, abs=5e-5)
    middle, n, z = 0.5, 16, 1.959964
    half = z * sqrt(middle * (1 - middle) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    assert Tries(8, 16).interval == pytest.approx((0.5 - half, 0.5 + half))


def test_values_that_are_one_number_are_one_combination(tmp_path: Path) -> None:
    """1 and 1.0 share a rank: rows that differ by them alone are the same rows, in whatever order they stand."""
    rows = [
        (number, ill, f"p{place}")
        for place, (number, ill) in enumerate(zip(["1", "1.0", "2"] * 8, ILLS * 8, strict=True))
    ]
    reports = []
    for written in (rows, rows[::-1]):
        write_csv(tmp_path / "data.csv", [["number", "ill", "who"], *written])
        write_csv(tmp_path / "out.csv", [["number", "ill"], *(row[:2] for row in rows)])
        config = {
            "source": str(tmp_path / "data.csv"),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"number": {"type": "number"}},
            "sensitive": ["ill"],
            "identifiers": ["who"],
            "privacy": {"k": 2},
            "algorithm": "mondrian",
        }
        measured = kanon_sql.attack(config, attacks=10, seed=5)
        reports.append([measured[name] for name in ("rows", "singling_out", "linkability", "inference")])
    assert reports[0] == reports[1]
    assert reports[0][0]["source"] == 24 and reports[0][3]["ill"]["guesses"]["main"] == 10


@pytest.mark.slow
def test_what_cannot_be_attacked_is_said(tmp_path: Path) -> None:
    loops = Loops(people(9, 1), people(9, 1), people(4, 2))
    attack(tmp_path, loops)
    with pytest.raises(ConfigurationError, match="--attacks 0"):
        attack(tmp_path, loops, attacks=0)
    config = {
        "source": str(tmp_path / "data.csv"),
        "target": str(tmp_path / "none.csv"),
        "quasi_identifiers": {"job": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
    }
    with pytest.raises(EngineError, match="no release yet"):
        kanon_sql.attack(config)
    write_csv(tmp_path / "other.csv", [["age"], ["1"]])
    config["target"] = str(tmp_path / "out.csv")
    with pytest.raises(ConfigurationError, match=r"other\.csv: there is no column 'job'"):
        kanon_sql.attack(config, control=tmp_path / "other.csv")
    write_csv(tmp_path / "out.csv", [NAMES])
    with pytest.raises(NoReleaseError, match="has no row"):
        kanon_sql.attack(config)


def crowd(folder: Path, lone: Sequence[Row] = (), **settings: Any) -> Json:
    """A configuration of 120 persons in classes, and of lone ones, who are suppressed; released."""
    rows = [
        *(
            (str(20 + number % 40), "fm"[number % 2], ILLS[(number % 40 // 10 + number % 7 % 2) % 3])
            for number in range(120)
        ),
        *lone,
    ]
    write_csv(folder / "data.csv", [["age", "sex", "ill"], *rows])
    config = {
        "source": str(folder / "data.csv"),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {
            "sex": {"builtin": "suppress", "max_level": 0},
            "age": {"builtin": "intervals", "widths": [10], "min_level": 1, "max_level": 1},
        },
        "sensitive": ["ill"],
        "privacy": {"k": 4},
        "suppression": {"limit": 3},
        **settings,
    }
    kanon_sql.run(config, advice=False)
    return config


def section(page: str) -> str:
    """The texts of the page's section on attacks."""
    return re.sub(r"<[^>]+>", " ", page.partition('<section id="attacks"')[2].partition("</section>")[0])


@pytest.mark.slow
def test_the_page_says_what_adversaries_came_to(tmp_path: Path) -> None:
    config = crowd(tmp_path)
    played = kanon_sql.attack(config, report=tmp_path / "attack.json")
    page, _ = kanon_sql.report_release(config, attack=tmp_path / "attack.json")
    ill = played["inference"]["ill"]
    success, blind, risk = (f"{round(100 * ill[key])} %" for key in ("main", "baseline", "risk"))
    said = " ".join(section(page).split())
    assert "What adversaries came to" in said and f"inference of ill {success} {blind} \u2013 {risk}" in said
    assert "What adversaries came to" not in kanon_sql.report_release(config)[0]


@pytest.mark.slow
def test_lone_persons_change_no_figure_of_the_page(tmp_path: Path) -> None:
    """The attacks are played again without suppressed rows: whoever these are, the page says the same."""
    write_csv(
        tmp_path / "control.csv", [["age", "sex", "ill"], *((str(20 + n % 40), "f", ILLS[n % 3]) for n in range(150))]
    )
    sections, played = set(), set()
    for ill in ILLS:
        config = crowd(tmp_path, [("91", "m", ill), ("97", "m", ill)])
        measured = kanon_sql.attack(config, control=tmp_path / "control.csv", report=tmp_path / "attack.json")
        played.add(measured["inference"]["ill"]["main"])
        sections.add(section(kanon_sql.report_release(config, attack=tmp_path / "attack.json")[0]))
    assert len(played) > 1
    assert len(sections) == 1 and "inference of ill" in sections.pop()


@pytest.mark.slow
def test_few_guesses_are_not_told(tmp_path: Path) -> None:
    config, file = crowd(tmp_path), tmp_path / "attack.json"
    kanon_sql.attack(config, attacks=50, report=file)
    page = section(kanon_sql.report_release(config, attack=file)[0])
    assert "not told: fewer than 1,000 guesses on rows of the source" in page and "inference" not in page
    kanon_sql.attack(config, hold_out="50%", report=file)
    assert "not told" in section(kanon_sql.report_release(config, attack=file)[0])
    write_csv(tmp_path / "control.csv", [["age", "sex", "ill"], ["30", "f", "flu"]])
    kanon_sql.attack(config, control=tmp_path / "control.csv", report=file)
    assert "not told: fewer than 100 guesses on the control group" in section(
        kanon_sql.report_release(config, attack=file)[0]
    )


def test_attacks_on_another_release_are_refused(tmp_path: Path) -> None:
    config, file = crowd(tmp_path), tmp_path / "attack.json"
    kanon_sql.attack(config, report=file)
    crowd(tmp_path, [("91", "m", "flu")])
    with pytest.raises(ConfigurationError, match="not played on the release as it is now; play them again: kanon-sql"):
        kanon_sql.report_release(config, attack=file)
    whole = json.loads(file.read_text(encoding="utf-8"))
    changes: list[Json] = [{"about": None}, {"attacks": "x"}, {"inference": {"ill": {}}}, {"linkability": {"main": 2}}]
    for change in changes:
        file.write_text(json.dumps({**whole, **change}), encoding="utf-8")
        with pytest.raises(ConfigurationError, match=r"expected what kanon-sql attack .* --report FILE writes"):
            kanon_sql.report_release(config, attack=file)
    for text in ("", "[]", "nan", "[" * 100_000):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigurationError, match="expected what kanon-sql attack"):
            kanon_sql.report_release(config, attack=file)
    with pytest.raises(EngineError, match="the file cannot be read"):
        kanon_sql.report_release(config, attack=tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match="it would replace the report of attacks"):
        kanon_sql.report_release(config, attack=file, html=file)
