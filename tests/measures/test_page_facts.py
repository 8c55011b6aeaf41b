"""The facts of a page: what plain Python counts, and nothing of the source that the release does not tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
from cases import Case, cases, pinned_case
from effort import tries
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mondrian_tables import Table
from mondrian_tables import tables as mondrian_tables
from page_jobs import facts_afterwards, facts_of
from reference import Cell, Node
from shared_engine import shared

from kanon_sql.errors import NoReleaseError
from kanon_sql.measures.evidence import lattice
from kanon_sql.measures.evidence.labels import hide_small_classes, join_ranges, told_bars, told_ranges
from kanon_sql.measures.risk.measure import pad_sizes, size_bounds
from kanon_sql.report.page.model import Bar, ColumnFacts, LatticeFacts, PageFacts
from kanon_sql.sql.deadline import Work

Json = Any
OURS = ("loss", "risk", "columns", "lattice", "classes")


def close(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


def told_or(figure: Any, true: Any, hidden: bool) -> None:
    """`found` is None where it is hidden, else it is true."""
    assert (figure is None) if hidden else close(figure, true)


def check_risk(facts: PageFacts, before: Counter[Any], after: Counter[Any], k: int) -> None:
    """Both sides are those of the classes; before, nothing divides the rows of joined ranges again."""
    risk: Any = facts.risk
    ends = [
        [(size_range["from"], size_range["to"]) for size_range in risk[side]["sizes"]] for side in ("before", "after")
    ]
    assert ends[0] == ends[1]
    wholes = size_bounds(ends[0][-1][1])
    joined = [size_range for size_range in ends[0] if size_range not in wholes]
    for side, classes in (("before", before), ("after", after)):
        part, n, sizes = risk[side], sum(classes.values()), classes.values()
        within = joined if side == "before" else []

        def inside(size: int, within: list[tuple[int, int]] = within) -> bool:
            return any(low <= size <= high for low, high in within)

        told_or(part["classes"]["count"], len(classes), bool(within))
        told_or(part["classes"]["average"], n / len(classes), bool(within))
        told_or(part["prosecutor"]["average"], len(classes) / n, bool(within))
        told_or(part["marketer"]["average"], len(classes) / n, bool(within))
        told_or(part["marketer"]["rows"], len(classes), bool(within))
        told_or(part["classes"]["min"], min(sizes), inside(min(sizes)))
        told_or(part["classes"]["max"], max(sizes), inside(max(sizes)))
        told_or(part["prosecutor"]["highest"], 1 / min(sizes), inside(min(sizes)))
        assert part["classes"]["min"] or min(sizes) < k
        assert sum(size_range["rows"] for size_range in part["sizes"]) == n == part["rows"]["measured"]
        for size_range in part["sizes"]:
            shown_nodes = [size for size in sizes if size_range["from"] <= size <= size_range["to"]]
            assert size_range["rows"] == sum(shown_nodes)
            assert close(size_range["share"], sum(shown_nodes) / n)
            told_or(size_range["classes"], len(shown_nodes), (size_range["from"], size_range["to"]) in within)
        for counted, most in ((part["unique"], 1), (part["prosecutor"]["above"], 4)):
            rows = sum(size for size in sizes if size <= most)
            cut = any(low <= most < high for low, high in within)
            told_or(counted["rows"], rows, cut)
            told_or(counted["share"], rows / n, cut)
            assert counted["rows"] is None or counted["rows"] == 0 or counted["rows"] >= k
    assert not [
        size_range for size_range in risk["before"]["sizes"] if 0 < size_range["rows"] < min(k, sum(before.values()))
    ]


def check_bars(column: ColumnFacts, source: Counter[Cell], released: Counter[Cell], k: int) -> None:
    """`source` are the rows of each label in the source, those of labels that the release lacks among them."""
    assert {bar.label: bar.release for bar in column.bars} == released
    told_rows = 0
    for bar in column.bars:
        assert bar.source is not None
        more = source[bar.label] - released[bar.label]
        assert bar.source in (source[bar.label], released[bar.label])
        if 0 < more < max(k, 2):
            assert bar.source == released[bar.label]
        told_rows += bar.source
    n = sum(source.values())
    rest = n - told_rows
    assert (column.others is None) == (rest == 0)
    if column.others is not None:
        assert column.others.release == 0
        assert column.others.source == (None if rest < k else rest)
        # Fewer are left only where all that the release lacks are so few: how many these are stands in the report.
        assert rest >= max(k, 2) or rest == n - sum(released.values())


def above(case: Case, column: str, level: int, released: Counter[Cell]) -> Iterator[tuple[int, set[Cell]]]:
    """(level, the labels that are released there or lie above)."""
    hierarchy = case.problem.hierarchies[column]
    values = {row[column] for row in case.problem.participants}
    below = [value for value in values if hierarchy.generalize(value, level) in released]
    below += [leaf for leaf in hierarchy.words if hierarchy.generalize(leaf, level) in released]
    for number in range(level, hierarchy.top + 1):
        yield number, {hierarchy.generalize(value, number) for value in below} - {None}


def check_columns(case: Case, folder: Path, report: Json, facts: PageFacts) -> None:
    problem, rows = case.problem, case.released(folder)
    dropped = report["rows"]["suppressed"] - report["rows"]["masked"]
    for column in facts.columns:
        hierarchy, level = problem.hierarchies[column.name], report["solution"]["levels"][column.name]
        assert column.level == level
        released = Counter(row[column.name] for row in rows)
        source = Counter(hierarchy.generalize(row[column.name], level) for row in problem.participants)
        if dropped:
            assert {bar.label: (bar.source, bar.release) for bar in column.bars} == {
                label: (None, rows) for label, rows in released.items()
            }
            assert column.others is None and column.note
        else:
            check_bars(column, source, released, problem.k)
        assert set(column.labels) <= set(released)
        assert column.distinct[1] == len(released)
        if dropped and "below" in case.builtins.get(column.name, {}):
            assert not column.steps  # its levels follow from rows that are not there
            continue
        shown = {step.level: step for step in column.steps}
        assert list(shown) == list(range(hierarchy.top + 1))
        assert not any(shown[number].labels for number in range(level))
        for number, allowed in above(case, column.name, level, released):
            assert set(shown[number].labels) <= allowed | ({"*"} if report["rows"]["masked"] else set())
        assert sum(step.rows for step in column.steps) == len(rows)
        assert column.loss is not None
        if not dropped:
            assert facts.loss is None
            assert close(column.loss, report["loss"]["attributes"][column.name])
        elif column.name in case.files:  # where the loss does not depend on which values there are
            assert close(column.loss, report["loss"]["attributes"][column.name])


def check_node(shown: Any, node: Node, exactly: bool) -> None:
    """What is said of a node is so; `exactly` where it must be said."""
    loss = 100 * float(node.lm) / len(node.levels)
    assert shown.suppressed in (None, node.suppressed)
    assert shown.classes in (None, node.classes)
    assert shown.satisfies in (None, node.satisfies)
    assert shown.loss is not None
    assert close(shown.loss, loss) if shown.exact else shown.loss <= loss + 1e-9
    if exactly:
        assert (shown.suppressed, shown.classes, shown.satisfies, shown.exact) == (
            *(node.suppressed, node.classes, node.satisfies),
            True,
        )


def check_lattice(case: Case, report: Json, facts: LatticeFacts, exactly: bool) -> None:
    nodes = {node.levels: node for node in case.problem.nodes}
    assert facts.size == len(nodes)
    assert [shown.levels for shown in facts.nodes] == sorted(nodes)
    for shown_nodes in facts.nodes:
        check_node(shown_nodes, nodes[shown_nodes.levels], exactly or shown_nodes.winner)
    minimal = {node.levels for node in case.problem.minimal}
    shown = {shown_node.levels for shown_node in facts.nodes if shown_node.minimal}
    assert shown == minimal if exactly else shown <= minimal
    winner = tuple(report["solution"]["levels"][name] for name in facts.names)
    assert [shown.levels for shown in facts.nodes if shown.winner] == [winner]


def released_participants(case: Case, report: Json) -> list[Any]:
    """The rows of the source that are released, masked ones among them."""
    problem, levels = case.problem, report["solution"]["levels"]
    rows = problem.participants
    labels = [
        tuple(problem.hierarchies[name].generalize(row[name], levels[name]) for name in problem.columns) for row in rows
    ]
    sizes = Counter(labels)
    masked = report["rows"]["masked"] > 0
    return [row for row, label in zip(rows, labels, strict=True) if masked or sizes[label] >= problem.k]


def check_untold_lattice(case: Case, report: Json, facts: PageFacts) -> None:
    """Of the lattice is told what everybody knows who has the release: nothing of what other nodes would suppress."""
    assert facts.lattice is not None and facts.loss is not None
    nodes = {node.levels: node for node in case.problem.nodes}
    winner = tuple(report["solution"]["levels"][name] for name in facts.lattice.names)
    assert [shown.levels for shown in facts.lattice.nodes] == sorted(nodes)
    for shown in facts.lattice.nodes:
        above = all(level >= chosen for level, chosen in zip(shown.levels, winner, strict=True))
        assert shown.winner is (shown.levels == winner) and not shown.minimal
        assert shown.satisfies is (True if above else None)
        assert nodes[shown.levels].satisfies or not above
        counts = (report["rows"]["suppressed"], report["classes"]["count"]) if shown.winner else (None, None)
        assert (shown.suppressed, shown.classes) == counts
    assert [close(shown.loss or 0.0, facts.loss["ncp"]) for shown in facts.lattice.nodes if shown.winner] == [True]


def check_texts(facts: PageFacts) -> None:
    """The words of the lattice are those of the columns, which were checked."""
    assert facts.lattice is not None
    for column, words in zip(facts.columns, facts.lattice.labels, strict=True):
        labels = {step.level: step.labels for step in column.steps}
        for level, word in enumerate(words):
            assert word in labels[level] if labels.get(level) else word == f"level {level}"


def check_case(case: Case, mask: bool, work: float) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "_work", lambda *_: Work(work))
        folder = Path(name)
        release = {"order": "none", "suppressed": "mask" if mask else "drop"}
        try:
            report, facts = facts_of(case.config(folder, release=release), folder, OURS)
        except NoReleaseError:
            return
        assert not facts.notes
        kept = released_participants(case, report)
        before = Counter(tuple(row[c] for c in case.problem.columns) for row in kept)
        after = Counter(tuple(row[c] for c in case.problem.columns) for row in case.released(folder))
        check_risk(facts, before, after, case.problem.k)
        check_columns(case, folder, report, facts)
        assert facts.lattice is not None
        if len(kept) < len(case.problem.participants):
            check_untold_lattice(case, report, facts)
        else:
            check_lattice(case, report, facts.lattice, exactly=work > 1)
        check_texts(facts)


@pytest.mark.slow
@given(cases(most=24), st.booleans(), st.sampled_from([0.0, 60.0]))
@settings(max_examples=tries(150), suppress_health_check=list(HealthCheck))
def test_facts_of_one_level_are_those_of_both_tables(case: Case, mask: bool, seconds: float) -> None:
    check_case(case, mask, seconds)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=tries(60), suppress_health_check=list(HealthCheck))
@example(3, True)
def test_of_suppressed_rows_the_facts_tell_no_few(seed: int, mask: bool) -> None:
    check_case(pinned_case(seed), mask, 60.0)


def of_the_release(facts: PageFacts) -> list[Any]:
    """What the columns say of the release alone."""
    return [(c.name, c.level, c.labels, {b.label: b.release for b in c.bars}, c.distinct[1]) for c in facts.columns]


@pytest.mark.slow
@given(cases(most=24))
@settings(max_examples=tries(60), suppress_health_check=list(HealthCheck))
def test_facts_of_a_release_that_is_there_are_those_of_its_run(case: Case) -> None:
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "_work", lambda *_: Work(60.0))
        folder = Path(name)
        try:
            within, after, alone = facts_afterwards(case.config(folder), folder, OURS)
        except NoReleaseError:
            return
        assert not {**within.notes, **after.notes}
        assert (after.risk, after.columns, after.lattice) == (within.risk, within.columns, within.lattice)
        assert of_the_release(alone) == of_the_release(within)
        assert list(alone.notes) == ["lattice"]
        assert alone.risk and alone.risk["after"] and within.risk and within.risk["after"]
        assert alone.risk["before"] is None
        assert alone.risk["after"]["classes"] == within.risk["after"]["classes"]
        for column, of_run in zip(alone.columns, within.columns, strict=True):
            assert column.note
            assert not [bar for bar in column.bars if bar.source is not None]
            assert column.steps == (of_run.steps if column.name in case.files else ())


@pytest.mark.slow
@given(mondrian_tables(), st.sampled_from(["mondrian", "local"]))
@settings(max_examples=tries(40), suppress_health_check=list(HealthCheck))
def test_facts_of_classes_that_are_there_are_those_of_their_run(table: Table, algorithm: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            config = {**table.config(folder), "algorithm": algorithm}
            within, after, alone = facts_afterwards(config, folder, OURS)
        except NoReleaseError:
            return
        assert not {**within.notes, **after.notes, **alone.notes}
        assert (after.risk, after.columns, after.classes) == (within.risk, within.columns, within.classes)
        assert [(c.name, c.labels, c.distinct[1]) for c in alone.columns] == [
            (c.name, c.labels, c.distinct[1]) for c in within.columns
        ]
        assert [(b.least, b.most, b.classes, b.rows, b.loss) for b in alone.classes] == [
            (b.least, b.most, b.classes, b.rows, None) for b in within.classes
        ]


def labels_above(table: Table, column: str, released: set[Cell]) -> set[Cell]:
    """What lies above released labels of a hierarchy, these among them."""
    lines = [[*line, "*"] for line in table.files.get(column, [])]
    labels = set(released)
    for line in lines:
        at = [level for level, label in enumerate(line) if label in released]
        labels |= set(line[at[0] :]) if at else set()
    return labels


@pytest.mark.slow
@given(mondrian_tables(), st.sampled_from(["mondrian", "local"]))
@settings(max_examples=tries(150), suppress_health_check=list(HealthCheck))
def test_facts_of_classes_are_those_of_the_release(table: Table, algorithm: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            report, facts = facts_of({**table.config(folder), "algorithm": algorithm}, folder, OURS)
        except NoReleaseError:
            return
        assert not facts.notes
        assert facts.lattice is None
        rows = list(table.labels(folder).values())
        classes = Counter(rows)
        for i, column in enumerate(facts.columns):
            released = Counter(row[i] for row in rows)
            allowed = labels_above(table, column.name, set(released))
            texts = {*column.labels, *(bar.label for bar in column.bars)}
            texts |= {label for step in column.steps for label in step.labels}
            assert texts <= allowed | {None}
            assert set(column.labels) <= set(released)
            others = 0 if column.others is None else column.others.release
            assert sum(bar.release for bar in column.bars) + others == len(rows)
            sources = [bar.source for bar in column.bars if bar.source is not None]
            assert all(source == 0 or source >= table.k for source in sources)
            assert all(bar.source is None or not 0 < bar.source - bar.release < max(table.k, 2) for bar in column.bars)
            assert sum(step.rows for step in column.steps) in (0, len(rows))
        assert sum(band.classes for band in facts.classes) == len(classes)
        for band in facts.classes:
            sizes = [size for size in classes.values() if band.least <= size <= band.most]
            assert (band.classes, band.rows) == (len(sizes), sum(sizes))
        if all(band.loss is not None for band in facts.classes):
            loss = sum(band.rows * (band.loss or 0.0) for band in facts.classes) / len(rows)
            assert close(100 * loss, report["loss"]["ncp"]) or abs(100 * loss - report["loss"]["ncp"]) < 1e-4


@pytest.mark.slow
def test_losses_of_classes_are_told_of_hierarchies_numbers_dates_and_texts(tmp_path: Path) -> None:
    query = (
        "SELECT i % 40 AS age, DATE '2020-01-01' + CAST(i * 7 % 300 AS INTEGER) AS day, "
        "chr(97 + CAST(i % 7 AS INTEGER)) AS word, '0' || (2130 + i % 20) AS zip FROM range(200) AS rows(i)"
    )
    with shared() as connection:
        connection.execute(f"COPY ({query}) TO '{tmp_path / 'in.parquet'}'")
    for algorithm in ("local", "mondrian"):
        for ranges in ("text", "columns", "widened"):
            config = {
                "source": str(tmp_path / "in.parquet"),
                "target": {"path": str(tmp_path / "out.parquet"), "overwrite": True},
                "quasi_identifiers": {"age": {}, "day": {}, "word": {}, "zip": {"builtin": "prefix", "keep": [4, 3]}},
                "privacy": {"k": 5},
                "algorithm": algorithm,
                "release": {"ranges": ranges},
            }
            report, facts = facts_of(config, tmp_path, OURS)
            assert facts.classes
            assert all(band.loss is not None for band in facts.classes), (algorithm, ranges)
            loss = sum(band.rows * (band.loss or 0.0) for band in facts.classes) / 200
            assert abs(100 * loss - report["loss"]["ncp"]) < 1e-6


rows_of = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(rows_of, st.integers(1, 12))
def test_no_range_of_sizes_is_told_with_few_rows(rows: list[int], k: int) -> None:
    sizes: Any = [
        {"from": i + 1, "to": i + 1, "classes": count, "rows": count, "share": count / 1000}
        for i, count in enumerate(rows)
    ]
    ranges = told_ranges(sizes, k)
    joined = join_ranges(sizes, ranges)
    assert sum(size_range["rows"] for size_range in joined) == sum(rows)
    if sum(rows) >= 2 * k:
        assert not [size_range for size_range in joined if 0 < size_range["rows"] < k]
        assert all(
            len(part) == 1 or size_range["rows"] >= 2 * k for part, size_range in zip(ranges, joined, strict=True)
        )
    assert joined[0]["from"] == 1
    assert joined[-1]["to"] == len(rows)
    assert all(size_range["to"] + 1 == after["from"] for size_range, after in pairwise(joined))
    # What lies below k is joined with what does not only where it must be.
    below, above = sum(rows[: k - 1]), sum(rows[k - 1 :])
    if (below == 0 or below >= 2 * k) and (above == 0 or above >= 2 * k):
        assert all(size_range["to"] < k or size_range["from"] >= k for size_range in joined)


def partitions(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """The sizes of classes that n rows can fall into, none above `most`."""
    if n == 0:
        yield ()
    for size in range(min(n, most), 0, -1):
        for others in partitions(n - size, size):
            yield (size, *others)


def risk_side(sizes: tuple[int, ...]) -> Json:
    """What is measured of a table with classes of these sizes."""
    n, classes = sum(sizes), len(sizes)
    ranges = [(low, high, [size for size in sizes if low <= size <= high]) for low, high in size_bounds(max(sizes))]
    alone, above = sizes.count(1), sum(size for size in sizes if size < 5)
    return {
        "rows": {"source": n, "missing": 0, "measured": n},
        "classes": {"count": classes, "min": min(sizes), "max": max(sizes), "average": n / classes},
        "unique": {"rows": alone, "share": alone / n},
        "prosecutor": {
            "highest": 1 / min(sizes),
            "average": classes / n,
            "above": {"rows": above, "share": above / n},
        },
        "marketer": {"average": classes / n, "rows": float(classes)},
        "sizes": [
            {"from": low, "to": high, "classes": len(inside), "rows": sum(inside), "share": sum(inside) / n}
            for low, high, inside in ranges
        ],
    }


def agrees(risk: Json, sizes: tuple[int, ...]) -> bool:
    """Whether a source with classes of these sizes has all figures that are told."""
    true = risk_side(sizes)
    pairs = [(risk[part][key], true[part][key]) for part in ("classes", "marketer") for key in risk[part]]
    pairs += [(risk["prosecutor"][key], true["prosecutor"][key]) for key in ("highest", "average")]
    pairs += [(risk["unique"]["rows"], true["unique"]["rows"])]
    pairs += [(risk["prosecutor"]["above"]["rows"], true["prosecutor"]["above"]["rows"])]
    for size_range in risk["sizes"]:
        inside = [size for size in sizes if size_range["from"] <= size <= size_range["to"]]
        pairs += [(size_range["classes"], len(inside)), (size_range["rows"], sum(inside))]
    return all(figure is None or figure == expected for figure, expected in pairs)


@pytest.mark.parametrize("released_known", [False, True])
@pytest.mark.parametrize(("k", "n"), [(3, 10), (4, 11), (5, 13)])
def test_few_rows_that_are_not_told_do_not_follow_from_what_is_told(k: int, n: int, released_known: bool) -> None:
    """For each source of n rows, all sources that agree with what is told of it.

    Where all levels are 0, the release is all classes of at least k rows: these are `known`, and how many rows are not
    in them. If these are fewer than k, the page tells them as rows suppressed.
    """
    hidden, every = 0, [sizes for sizes in partitions(n, n) if max(sizes) >= k]
    for sizes in every:
        kept = tuple(size for size in sizes if size >= k)
        suppressed = n - sum(kept)
        before, after = risk_side(sizes), risk_side(kept if released_known else (n,))
        pad_sizes(before, after)
        pad_sizes(after, before)
        hide_small_classes(before, after, k, 0.2)
        if released_known and suppressed < k:
            continue
        others = [(*kept, *small) for small in partitions(suppressed, k - 1)] if released_known else every
        others = [sizes_of_source for sizes_of_source in others if agrees(before, sizes_of_source)]
        assert sizes in others
        told_of_source = {(size_range["from"], size_range["to"]) for size_range in before["sizes"]}
        for low, high in size_bounds(k - 1):
            rows = [sum(size for size in class_sizes if low <= size <= high) for class_sizes in (sizes, *others)]
            if (low, high) not in told_of_source and 0 < rows[0] < k:
                hidden += 1
                assert len(set(rows)) > 1, (sizes, low)
        if before["unique"]["rows"] is None:
            assert len({class_sizes.count(1) for class_sizes in others}) > 1, sizes
        else:
            assert not 0 < sizes.count(1) < k
    assert hidden


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 9)), max_size=8), st.integers(0, 9), st.integers(2, 6))
def test_no_few_rows_are_found_by_subtraction(given: list[tuple[int, int]], absent: int, k: int) -> None:
    bars = [Bar(str(i), released + more, released) for i, (released, more) in enumerate(given)]
    shown_bars, others = told_bars(bars, Bar(None, absent, 0), k, k)
    suppressed = absent + sum(more for _, more in given)
    for bar, (released, more) in zip(shown_bars, given, strict=True):
        assert bar.source in (released, released + more)
        assert not 0 < (bar.source or 0) - released < k
    rest = suppressed - sum((bar.source or 0) - bar.release for bar in shown_bars)
    assert rest in (0, suppressed) or rest >= k
    assert others.source == (None if 0 < rest < k else rest)


def test_levels_of_rare_values_are_not_counted_on_released_rows(tmp_path: Path) -> None:
    # Without the suppressed row c holds 3 values and would be rare: other levels than those of the release.
    sizes = {"a": 9, "b": 8, "c": 4, "d": 2}
    rows = ", ".join(f"('{value}', {i % 2})" for value, size in sizes.items() for i in range(size))
    duckdb.sql(f"COPY (FROM (VALUES {rows}) people(city, sex)) TO '{tmp_path / 'people.csv'}' (HEADER)")
    config = {
        "source": {"path": str(tmp_path / "people.csv")},
        "target": {"path": str(tmp_path / "release.csv")},
        "quasi_identifiers": {"city": {"builtin": "merge-rare", "below": [4], "max_level": 1}, "sex": "suppress"},
        "privacy": {"k": 3},
        "suppression": {"limit": 4},
    }
    report, facts = facts_of(config, tmp_path, ["columns"])
    assert report["rows"]["suppressed"]
    city = facts.columns[0]
    assert city.note is not None and "are suppressed rows" in city.note and not city.steps
    assert {bar.source for bar in city.bars} == {None}
