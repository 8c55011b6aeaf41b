"""Facts of pages as they could be gathered, made by hand: of a release of Adult, and of runs that found none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kanon_sql.report.page.model import (
    AttackFacts,
    AttackRow,
    Bar,
    ClassBand,
    ColumnFacts,
    Evidence,
    FileFacts,
    HierarchyFacts,
    LatticeFacts,
    NodeFacts,
    PageFacts,
    Recount,
    Step,
    UniqueColumn,
)

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldUtility

Json = Any  # reports that tests change


def released(**changes: Any) -> PageFacts:
    """A release of Adult by `optimal`, with everything that a page may show."""
    facts = PageFacts(
        title="Adult, for the public",
        report=report(),
        risk=risk(),
        columns=columns(),
        unique=(UniqueColumn("fnlwgt", "insensitive", 21641, 30149),),
        utility=utility(),
        lattice=lattice(),
        evidence=evidence(),
    )
    return replace(facts, **changes)


def by_classes(**changes: Any) -> PageFacts:
    """A release whose classes have levels of their own: no lattice, but bands of classes by their sizes."""
    told_report = report()
    told_report["algorithm"] = {"name": "local"}
    told_report["solution"] = {"rows_by_level": {"sex": {"0": 30162}, "age": {"0": 12000, "1": 18162}}}
    told_report["search"] = {"tuples": 4211, "rounds": 12, "cuts": 77, "finished": True, "proven": False, "bound": None}
    bands = (ClassBand(10, 19, 122, 1654, 0.031), ClassBand(20, 49, 61, 1801, 0.112), ClassBand(50, 99, 9, 642, 0.24))
    bare_columns = tuple(replace(column, level=None) for column in columns())
    return replace(released(), report=told_report, columns=bare_columns, lattice=None, classes=bands, **changes)


def without_release(status: str = "no-release", **changes: Any) -> PageFacts:
    """A run that released nothing: only what was asked for is known."""
    told_report = report()
    told_report.update(status=status, solution=None, labels=None, classes=None, verification=None, loss=None)
    told_report["rows"] = {"source": 32561, "missing": 2399, "suppressed": 30162, "masked": 0, "released": 0}
    told_report["privacy"]["k"]["actual"] = told_report["privacy"]["l_diversity"]["actual"] = None
    told_report["errors"] = ["no release satisfies the request: the best node suppresses 412 rows, 301 are allowed"]
    return replace(PageFacts(title="Adult, for the public", report=told_report), **changes)


def afterwards(**changes: Any) -> PageFacts:
    """A release in place of its source, of which no report is left."""
    told_report = report()
    told_report["rows"] = {"source": None, "missing": None, "suppressed": None, "masked": None, "released": 30149}
    told_report.update(solution=None, labels=None, loss=None, search=None, verification=None, advice=[])
    told_report.update(source={"table": "out/adult.parquet", "sha256": None}, suppression={"limit": None})
    notes = {"created": "When the release was made is not known."}
    return replace(released(), report=told_report, evidence=None, lattice=None, notes=notes, **changes)


def poor(**changes: Any) -> PageFacts:
    """A release of which hardly anything could be measured or may be told: whatever may be None is."""
    risks = risk()
    side = risks["before"]
    side["classes"]["min"] = None
    side["unique"] = {"rows": None, "share": None, "in_population": None}
    side["prosecutor"]["above"] = {"rows": None, "share": None}
    side["marketer"] = None
    side["sizes"] = [{**size_range, "rows": None, "share": None, "classes": None} for size_range in side["sizes"]]
    bare = ColumnFacts("age", "ranges", (), None, None, (), True, distinct=(None, 0), note="not looked at")
    measured = {
        "columns": {"sex": {"total_variation": None, "earth_mover": None}},
        "pairs": [{"columns": ["sex", "age"], "measure": "cramers_v", "source": None, "release": None}],
        "queries": {"count": 0, "median_relative_error": None, "p95_relative_error": None},
        "pmse": None,
        "prediction": {},
        "warnings": ["time ran out"],
    }
    nodes = (
        NodeFacts((0, 0), None, None, None, None),
        NodeFacts((0, 1), None, None, None, True, winner=True, exact=False),
    )
    proof = Evidence("", FileFacts("a query", note="no file"), FileFacts("a table"), (), (), (), ())
    facts = PageFacts(
        title="",
        report=report(),
        risk=risks,
        columns=(bare, replace(bare, name="sex", bars=(Bar(None, None, 5),), others=Bar(None, None, 0))),
        utility=cast("ToldUtility", measured),
        lattice=LatticeFacts(("sex", "age"), (0, 1), (("level 0",), ("level 0", "*")), 2, 10, 0, nodes),
        classes=(ClassBand(10, 19, 1, 10, None),),
        evidence=proof,
        notes={"risk": "time did not suffice", "columns": "x", "lattice": "y", "evidence": "z"},
    )
    return replace(facts, **changes)


def report() -> Json:
    """What `run --json` prints, shortened."""
    return {
        "status": "released",
        "created": "2026-11-22T08:30:00Z",
        "version": "0.2.0",
        "rows": {"source": 32561, "missing": 2399, "suppressed": 13, "masked": 0, "released": 30149},
        "engine": {"name": "duckdb", "search_in": "duckdb", "statements": 93},
        "algorithm": {"name": "optimal", "objective": "loss"},
        "solution": {"levels": {"sex": 0, "age": 2}, "height": 2},
        "labels": {"sex": "Male", "age": "20-29"},
        "given_up": [],
        "classes": {"count": 38, "min": 10, "max": 11425, "average": 793.4},
        "verification": {"compared": "rows", "columns": 4},
        "privacy": {
            "k": {"required": 10, "actual": 10},
            "l_diversity": {"column": "occupation", "variant": "distinct", "required": 3, "actual": 4},
        },
        "suppression": {"limit": 301},
        "loss": {
            "lm": 0.4456,
            "ncp": 22.28,
            "geometric_mean": 0.2218,
            "objective": 0.4456,
            "c_avg": 79.3,
            "average_class_size": 793.4,
            "discernibility": 177000000,
            "precision": 0.6247,
            "entropy": 199806.2,
            "attributes": {"sex": 0.0004, "age": 0.4452},
        },
        "search": {"lattice_nodes": 10, "checked": 7, "proven": True, "bound": 0.4456, "notes": []},
        "advice": [
            {
                "change": {"algorithm": "local"},
                "loss": {"ncp": 5.44},
                "suppressed": 0,
                "exact": False,
                "instead_of": {"ncp": 22.28},
            },
            {
                "change": {"suppression.limit": "2%"},
                "loss": {"ncp": 18.1},
                "suppressed": 590,
                "exact": True,
                "instead_of": {"ncp": 22.28},
            },
        ],
        "release": {"order": "random", "target": "out/adult.parquet"},
        "warnings": [
            "insensitive column 'fnlwgt' holds a value of its own in 21648 of 30162 rows: is it an identifier?"
        ],
        "errors": [],
        "seconds": {"read": 0.1, "search": 0.1, "release": 0.1, "verify": 0.1, "advice": 0.2, "total": 0.6},
    }


def masked() -> Json:
    """The same where all suppressed rows are masked, so that the release holds them."""
    told_report = report()
    told_report["rows"]["masked"] = told_report["rows"]["suppressed"]
    return told_report


def risk() -> Json:
    """What `risk --json` prints of the source and the release, counts below k of the source left out."""
    sizes = [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 199)]
    before = [(4129, 4129), (1712, 856), (1941, 578), (3108, 488), (3215, 242), (5723, 192), (2027, 30), (8307, 33)]
    after = [(0, 0), (0, 0), (0, 0), (0, 0), (715, 53), (1424, 45), (1498, 21), (26512, 13)]
    return {
        "status": "measured",
        "threshold": 0.2,
        "population": None,
        "before": _side("adult.csv", dict(zip(sizes, before, strict=True)), 1, (4129, 7782)),
        "after": _side("out/adult.parquet", dict(zip(sizes, after, strict=True)), 10, (0, 0)),
        "warnings": [],
        "seconds": {"total": 0.2},
    }


def _side(table: str, sizes: dict[tuple[int, int], tuple[int, int]], least: int, risky: tuple[int, int]) -> Json:
    rows = sum(counts[0] for counts in sizes.values())
    classes = sum(counts[1] for counts in sizes.values())
    unique, above = risky
    return {
        "table": table,
        "rows": {"source": rows, "missing": 0, "measured": rows},
        "quasi_identifiers": ["sex", "age"],
        "classes": {"count": classes, "min": least, "max": 199, "average": rows / classes},
        "unique": {"rows": unique, "share": unique / rows, "in_population": None},
        "prosecutor": {
            "highest": 1 / least,
            "average": classes / rows,
            "above": {"rows": above, "share": above / rows},
        },
        "journalist": None,
        "marketer": {"average": classes / rows, "rows": float(classes)},
        "sizes": [
            {"from": low, "to": high, "classes": counts[1], "rows": counts[0], "share": counts[0] / rows}
            for (low, high), counts in sizes.items()
        ],
        "subsets": {"columns": ["sex", "age"], "largest": 2, "count": 0, "counted": 0, "listed": []},
        "exposed": None,
    }


def columns() -> tuple[ColumnFacts, ...]:
    """A column without order that was released as it is, and one with it in steps of ten."""
    ages = [("10-19", 1657, 1650), ("20-29", 8054, 8050), ("30-39", 8613, 8610), ("90-99", None, 0)]
    return (
        ColumnFacts(
            name="sex",
            generalized_by="suppress",
            steps=(Step(0, 2, ("Female", "Male"), rows=30149), Step(1, 1, ("*",))),
            level=0,
            loss=0.0004,
            labels=("Female", "Male"),
            ordered=False,
            bars=(Bar("Male", 20380, 20376), Bar("Female", 9782, 9773)),
            distinct=(2, 2),
        ),
        ColumnFacts(
            name="age",
            generalized_by="intervals 5, 10, 20",
            steps=(
                Step(0, 72),
                Step(1, 15),
                Step(2, 8, ("10-19", "20-29", "30-39"), rows=30149),
                Step(3, 4, ("0-19", "20-39")),
                Step(4, 1, ("*",)),
            ),
            level=2,
            loss=0.4452,
            labels=("20-29", "30-39", "40-49"),
            ordered=True,
            bars=tuple(Bar(*bar) for bar in ages),
            others=Bar(None, 11838, 11839),
            distinct=(72, 8),
        ),
    )


def utility() -> Json:
    """What `utility --json` prints."""
    return {
        "columns": {
            "sex": {"total_variation": 0.0002, "earth_mover": None},
            "age": {"total_variation": 0.0713, "earth_mover": 0.0121},
            "occupation": {"total_variation": 0.0001, "earth_mover": None},
        },
        "pairs": [
            {"columns": ["sex", "age"], "measure": "correlation_ratio", "source": 0.0886, "release": 0.0861},
            {"columns": ["sex", "occupation"], "measure": "cramers_v", "source": 0.4231, "release": 0.4229},
            {"columns": ["age", "occupation"], "measure": "correlation_ratio", "source": 0.207, "release": 0.199},
        ],
        "queries": {"count": 1000, "median_relative_error": 0.021, "p95_relative_error": 0.31},
        "pmse": 0.0031,
        "prediction": {"occupation": {"source": 0.214, "release": 0.198, "guessing": 0.137}},
        "warnings": [],
        "seconds": 0.7,
    }


def attacks() -> AttackFacts:
    """What `attack --json` prints of a release, in whole percents."""
    rows = (
        AttackRow("singling out", 0, 0, 0, 0, (0, 2)),
        AttackRow("linkability", 4, 0, 3, 1, (0, 3)),
        AttackRow("inference of occupation", 21, 13, 20, 1, (0, 4)),
    )
    return AttackFacts(rows, controlled=True)


def lattice() -> LatticeFacts:
    """Two quasi-identifiers, ten nodes."""
    nodes = []
    for sex in range(2):
        for age in range(5):
            satisfies = sex + age >= 2
            nodes.append(
                NodeFacts(
                    levels=(sex, age),
                    loss=8.0 * (sex * 4 + age),
                    suppressed=None if (sex, age) == (0, 0) else (5 - sex - age) * 40 if not satisfies else 13,
                    classes=None if (sex, age) == (0, 0) else 100 // (1 + sex + age),
                    satisfies=satisfies,
                    minimal=(sex, age) in ((0, 2), (1, 1)),
                    winner=(sex, age) == (0, 2),
                )
            )
    labels = (("level 0", "*"), ("level 0", "level 1", "20-29", "20-39", "*"))
    return LatticeFacts(("sex", "age"), (1, 4), labels, 10, 10, 301, tuple(nodes))


def evidence() -> Evidence:
    """Digests, statements, versions."""
    return Evidence(
        configuration="source: adult.csv\ntarget: out/adult.parquet\nquasi_identifiers:\n  sex: {builtin: suppress}\n",
        source=FileFacts("adult.csv", rows=32561, salted="5b" * 32),
        release=FileFacts("out/adult.parquet", "b2" * 32, 181233, 30149),
        hierarchies=(HierarchyFacts("age", "intervals 5, 10, 20", "e3b0c44298fc1c149afbf4c8996fb924", 5),),
        recounts=(
            Recount(
                "Rows and classes",
                "SELECT count(*) AS classes,\n       min(n) AS smallest\nFROM (\n  SELECT count(*) AS n\n"
                "  FROM 'out/adult.parquet'\n  GROUP BY sex, age\n)",
                (38, 10),
            ),
        ),
        versions=(("kanon-sql", "0.2.0"), ("DuckDB", "1.5.0"), ("Python", "3.11.2")),
        machine=(("system", "Linux x86_64"), ("cores", "2")),
        ledger=(("ledger", "releases.duckdb"), ("release", "3")),
    )
