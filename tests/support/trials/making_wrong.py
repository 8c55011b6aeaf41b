"""What is wrong on purpose with a case, and the exit statuses that the documentation gives it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trials.making import Case
Json = dict[str, Any]


def spoil(draw: random.Random, case: Case) -> None:
    """Makes one thing wrong."""
    name = draw.choice(list(FAULTS))
    status = FAULTS[name](draw, case)
    if status is not None:
        case.wrong, case.expected = name, status


def _key(draw: random.Random, case: Case) -> set[int]:
    key = draw.choice(["quasi_identifier", "privcy", "k", "Source", "", "x.y", "unlisted ", "transforms"])
    case.config[key] = draw.choice([1, "x", [], {}])
    return {2}


def _k(draw: random.Random, case: Case) -> set[int]:
    case.config["privacy"]["k"] = draw.choice([0, -1, 2.5, "x", [], {}, True, "5%", 10**30, "1e3"])
    return {1, 2} if case.config["privacy"]["k"] == 10**30 else {2}


def _huge(draw: random.Random, case: Case) -> set[int]:
    case.config["privacy"]["k"] = case.rows + draw.choice([1, 10, 10**6])
    if case.expected == {3}:  # no record tells the columns
        return {3}
    return {1, 2} if case.algorithm == "microaggregation" else {1}  # no row may tell that columns hold numbers


def _no_source(draw: random.Random, case: Case) -> set[int]:
    case.config["source"] = draw.choice(
        [
            "none.csv",
            "none/*.parquet",
            {"database": "none.duckdb", "table": "t"},
            "none/",
            {"query": "SELECT * FROM 'none.csv'"},
        ]
    )
    return {2, 3}


def _column(draw: random.Random, case: Case) -> set[int]:
    name = draw.choice(["no such column", "", "COL_1", "😀😀"])
    if draw.random() < 0.5:
        case.config["quasi_identifiers"][name] = {"builtin": "suppress"}
    else:
        case.config["sensitive"] = [*case.config.get("sensitive", []), name]
    return {2}


def _twice(draw: random.Random, case: Case) -> set[int]:
    name = draw.choice(list(case.config["quasi_identifiers"])).replace("${", "$${")
    key = draw.choice(["identifiers", "sensitive", "insensitive"])
    case.config[key] = [*case.config.get(key, []), name]
    return {2}


def _hierarchy(draw: random.Random, case: Case) -> set[int] | None:
    files = [name for name in case.files if name.startswith(("h0", "h1", "h2", "h3", "hier "))]
    if not files:
        return None
    ways = [
        b"",
        b"\xff\xfe\xff",
        b'a,b\n"c,d\n',
        b"a,b\na,c\n",
        b"a,b,c\nd,b,e\n",
        b"a,b\nc\n",
        b"a,\n",
        b"x,y\n" * 2 + b"y,z\nx,q\n",
    ]
    case.files[draw.choice(files)] = draw.choice(ways)
    return {2}


def _uncovered(draw: random.Random, case: Case) -> set[int] | None:
    for column in case.of("quasi"):
        present = {value for value in column.values if value is not None} - set(case.missing)
        if column.kind == "text" and present - {"nobody"}:
            case.files["short.csv"] = b"nobody,g,*\n"
            case.config["quasi_identifiers"][column.name] = "short.csv"
            return {1, 2} if case.config.get("missing", "keep") != "keep" else {2}
    return None


def _there(draw: random.Random, case: Case) -> set[int]:
    case.files["there.csv"] = b"an earlier release\n"
    case.config["target"] = draw.choice(["there.csv", {"path": "there.csv"}])
    return {2}


def _onto(draw: random.Random, case: Case) -> set[int] | None:
    """Onto a file that the run reads."""
    read = [
        name for name in case.files if name in ("s.csv", "s.parquet", "h0.csv", "h1.csv", "population.csv", "s.json")
    ]
    kept = [name for name in read if name in str(case.config["source"]) + str(case.config["quasi_identifiers"])]
    if not kept:
        return None
    case.config["target"] = {"path": draw.choice(kept), "overwrite": True}
    return {2}


def _folder(draw: random.Random, case: Case) -> set[int]:
    case.config["target"] = draw.choice(["no/such/folder/out.csv", {"path": "no/out.parquet", "overwrite": True}])
    return {2, 3}


def _target(draw: random.Random, case: Case) -> set[int]:
    case.config["target"] = draw.choice(
        [
            {},
            {"path": "x.csv", "in_place": True},
            {"table": "t"},
            {"path": "x.csv", "format": "xml"},
            "s3://a/b.csv",
            5,
            {"path": ""},
            {"path": "x.xlsx"},
        ]
    )
    return {2}


def _broken(draw: random.Random, case: Case) -> set[int] | None:
    """The source is cut off, or no such file at all."""
    for name, content in case.files.items():
        if name.endswith((".parquet", ".json", ".duckdb")) and name in str(case.config["source"]):
            case.files[name] = draw.choice([content[: len(content) // 2], b"PAR1", b"", b"\x00" * 100, content[:-1]])
            return {0, 1, 2, 3} if name.endswith((".json", ".duckdb")) else {2, 3}
    return None


def _ragged(draw: random.Random, case: Case) -> set[int] | None:
    if "s.csv" not in case.files or case.rows < 2 or len(case.columns) < 2 or b'"' in case.files["s.csv"]:
        return None
    if case.files["s.csv"][:2] in (b"\xff\xfe", b"\xfe\xff") or (
        "missing" in case.config and case.config["missing"] != "keep"
    ):
        return None
    delimiter = case.dialect["delimiter"].encode()
    case.files["s.csv"] += draw.choice([b"x", b"x" + delimiter * (len(case.columns) + 1) + b"y"]) + b"\n"
    source = case.config["source"]
    read = "s.csv" in (source, source["path"] if isinstance(source, dict) else "")
    return {2, 3} if read else {0, 1, 2, 3}  # a file that lies beside the source may be anything


def _builtin(draw: random.Random, case: Case) -> set[int]:
    name = draw.choice(list(case.config["quasi_identifiers"]))
    case.config["quasi_identifiers"][name] = draw.choice(
        [
            {"builtin": "intervals", "widths": [5, 7]},
            {"builtin": "intervals", "widths": []},
            {"builtin": "intervals", "widths": [0]},
            {"builtin": "prefix", "keep": [2, 3]},
            {"builtin": "prefix"},
            {"builtin": "nothing"},
            {"builtin": "date", "levels": ["year", "month"]},
            {"builtin": "merge-rare", "below": [1]},
            {"builtin": "suppress", "min_level": 2},
            {"builtin": "suppress", "weight": 0},
            {"builtin": "suppress", "min_level": 1, "max_level": 0},
            {"hierarchy": "no-such.csv"},
            {"hierarchy": "sex", "builtin": "suppress"},
            {"builtin": "intervals", "widths": [5], "bottom": 9, "top": 3},
        ]
    )
    return {2}


def _model(draw: random.Random, case: Case) -> set[int]:
    case.config["privacy"] = draw.choice(
        [
            {"k": 2, "l_diversity": {"column": "nowhere", "l": 2}},
            {"k": 2, "t_closeness": {"column": "nowhere", "t": 1.5}},
            {"k": 2, "l_diversity": {"l": 2}},
            {"k": 2, "known_columns": 0},
            {"k": 2, "average_risk": {"at_most": 0}},
            {"k": 2, "average_risk": {"at_most": 2}},
            {"k": 2, "entity": "nowhere"},
            {"k": 2, "k_map": {"k": 2, "population": "nowhere.csv"}},
            {"k": 2, "delta_presence": {"min": 0.9, "max": 0.1, "population": "nowhere.csv"}},
            {},
        ]
    )
    return {2, 3}


def _limit(draw: random.Random, case: Case) -> set[int]:
    case.config["suppression"] = {"limit": draw.choice([-1, 0.01, "101%", "x", "-5%", [], "1 %%", 1.5])}
    return {2}


def _word(draw: random.Random, case: Case) -> set[int]:
    case.words += draw.choice(
        [
            ["--no-such-option"],
            ["--set", "privacy.q=1"],
            ["--set", "nonsense"],
            ["--threads", "0"],
            ["--set", "algorithm=best"],
            ["--qi", "a"],
            ["--memory-limit", "much"],
        ]
    )
    return {2}


def _algorithm(draw: random.Random, case: Case) -> set[int]:
    case.config["algorithm"] = draw.choice(
        [
            "best",
            {"name": "optimal", "cut": "strict"},
            {"name": "mondrian", "cut": "half"},
            {"objective": "loss", "prefer": "first"},
            {"name": "local", "effort": "most"},
            5,
        ]
    )
    return {2}


def _yaml(draw: random.Random, case: Case) -> set[int]:
    from trials.making import yaml

    good = yaml(case.config)
    case.text = draw.choice(
        [
            good[:-3],
            good + "\nx: 1",
            "source: x\nsource: y\n",
            "- a\n",
            "",
            "!!python/object:os.system x",
            "a: &x [*x]",
            "\t",
            good.replace('"source"', '"source": 1, "source"', 1),
            "<<: {a: 1}",
            "--- 1\n--- 2\n",
        ]
    )
    return {2}


def _transform(draw: random.Random, case: Case) -> set[int]:
    name = case.columns[0].name
    case.config["transform"] = draw.choice(
        [
            {name: {"noise": 1}},
            {name: {"round": 0}},
            {name: {"pseudonym": {"key": "abc"}}},
            {"nowhere": {"round": 1}},
            {name: {}},
            {name: {"bottom": "60%"}},
        ]
    )
    return {0, 1, 2} if case.config["transform"] == {name: {}} else {2}


FAULTS: dict[str, Callable[[random.Random, Case], set[int] | None]] = {
    name.strip("_").replace("_", " "): function
    for name, function in list(globals().items())
    if name.startswith("_")
    and callable(function)
    and name not in ("__builtins__",)
    and getattr(function, "__module__", "") == __name__
}
