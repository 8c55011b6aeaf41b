"""What a case asks of its release: models, limits, what becomes of missing values."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from trials.making_files import parquet_bytes
from trials.making_trees import number, table_bytes, text

if TYPE_CHECKING:
    from trials.making import Case, Column
Json = dict[str, Any]
FULL_DOMAIN = ("optimal", "samarati", "minimal")


def fill(draw: random.Random, case: Case) -> None:  # noqa: C901
    """Puts `privacy`, `suppression`, `missing`, `group` into the configuration."""
    privacy: Json = {"k": draw.choice([1, 2, 2, 3, 3, 4, 5, 8])}
    full = case.algorithm in FULL_DOMAIN
    way = draw.random()
    if way < 0.3 and case.of("sensitive"):
        _models(draw, case, privacy)
    elif way < 0.38 and full:
        privacy["known_columns"] = draw.choice([1, 2, 3])
    elif way < 0.45:
        privacy["average_risk"] = {"at_most": draw.choice([0.1, 0.25, "40%", 0.5, 1])}
        if draw.random() < 0.3:
            privacy["k"] = max(2, privacy["k"])
            privacy["population_uniqueness"] = {"at_most": "1%", "fraction": 0.1}
    elif way < 0.51 and full:
        _population(draw, case, privacy)
    elif way < 0.57 and full:
        _group(draw, case)
    if "average_risk" not in privacy and "group" not in case.config and draw.random() < 0.08:
        _entity(draw, case, privacy)
    case.config["privacy"] = privacy
    given = case.config.get("algorithm")
    if isinstance(given, dict) and given.get("cut") == "relaxed" and set(privacy) - {"k", "average_risk"}:
        given["cut"] = "strict"
    limit = draw.choices([None, 0, draw.randint(1, 10), "5%", "20%", "100%", "33.3%"], [25, 5, 20, 10, 20, 15, 5])[0]
    if limit is not None:
        case.config["suppression"] = {"limit": limit}
    if draw.random() < 0.25:
        case.config["missing"] = draw.choice(["keep", "drop", "drop-any"])
    if (
        full
        and draw.random() < 0.08
        and "known_columns" not in privacy
        and "average_risk" not in privacy
        and "group" not in case.config
    ):
        given = case.config.get("algorithm", "optimal")
        named = dict(given) if isinstance(given, dict) else {"name": given}
        case.config["algorithm"] = {**named, "blind": True, **({"reserve": 1} if limit and draw.random() < 0.3 else {})}


def _models(draw: random.Random, case: Case, privacy: Json) -> None:  # noqa: C901
    for column in case.of("sensitive")[: draw.choice([1, 1, 2])]:
        kind = draw.choice(
            ["distinct", "entropy", "recursive", "equal", "ordered", "hierarchical", "alpha", "beta", "delta"]
        )
        loose = draw.random() < 0.7
        name = column.name.replace("${", "$${")
        model: Json = {"column": name}
        if kind in ("distinct", "entropy", "recursive"):
            model |= {"l": draw.choice([1, 2, 2, 3]), "variant": kind}
            if kind == "entropy":
                model["l"] = draw.choice([1, 1.5, 2, 2.5])
            if kind == "recursive":
                model["c"] = draw.choice([1, 2, 0.5, 5])
            key = "l_diversity"
        elif kind in ("equal", "ordered", "hierarchical"):
            if kind == "ordered" and not ordered(case, column):
                kind = "equal"
            if kind == "hierarchical":
                kind = _tree(case, column)
            model |= {"t": draw.choice([0.5, 0.6, 0.8] if loose else [0.1, 0.2, 0.33, 0]), "distance": kind}
            model |= {"hierarchy": "sensitive.csv"} if kind == "hierarchical" else {}
            key = "t_closeness"
        elif kind == "alpha":
            key, model["alpha"] = "alpha_k", draw.choice([0.7, 0.8, 0.9, 1] if loose else [0.3, 0.5])
        elif kind == "beta":
            key, model["beta"] = "beta", draw.choice([2, 4] if loose else [0.5, 1])
            model["variant"] = draw.choice(["basic", "enhanced"])
        else:
            key, model["delta"] = "delta_disclosure", draw.choice([1.5, 3] if loose else [0.5, 1])
        privacy.setdefault(key, []).append(model)
    for key in ("l_diversity", "t_closeness", "alpha_k", "beta", "delta_disclosure"):
        if len(privacy.get(key, [])) == 1 and draw.random() < 0.7:
            privacy[key] = privacy[key][0]


def ordered(case: Case, column: Column) -> bool:
    """Whether there is one order of the values, by their number or by their bytes, and no two are one number."""
    present = {value for value in column.values if value is not None and value not in case.missing}
    if column.kind in ("integer", "date", "boolean"):
        return True
    if column.kind == "double":
        return all(abs(value) < 10**15 for value in present) and 0.0 not in present
    whole = [value.isascii() and value.isdigit() and (value == "0" or value[0] != "0") for value in present]
    return all(whole) or all(number(value) is None and value.isalpha() and value.isascii() for value in present)


def _tree(case: Case, column: Column) -> str:
    """A hierarchy of a sensitive column; the distance that can be asked for."""
    present = sorted({text(value) for value in column.values if value is not None and value not in case.missing})
    if not present or column.kind == "double" or case.tree is not None:
        return "equal"
    from trials.making_trees import Tree

    lines = [[value, f"g{i // 2}", "*"] for i, value in enumerate(present) if value]
    if len(lines) != len(present):
        return "equal"
    case.files["sensitive.csv"] = table_bytes(lines)
    case.tree = Tree({}, {line[0]: line for line in lines}, 2)
    return "hierarchical"


def _entity(draw: random.Random, case: Case, privacy: Json) -> None:
    candidates = [
        column for column in case.columns if column.role in ("identifier", "unlisted") and column.name != "year"
    ]
    if candidates:
        privacy["entity"] = candidates[0].name.replace("${", "$${")
        candidates[0].role = "entity"


def _group(draw: random.Random, case: Case) -> None:
    candidates = [
        column for column in case.columns if column.role in ("identifier", "unlisted") and column.name != "year"
    ]
    if candidates:
        case.config["group"] = candidates[0].name.replace("${", "$${")
        candidates[0].role = "group"


def _population(draw: random.Random, case: Case, privacy: Json) -> None:
    """A population: the source's rows, most of them more than once, and no others."""
    quasi = case.of("quasi")
    if any(column.kind != "text" for column in quasi) or case.way not in ("csv", "several"):
        return
    rows = [[column.values[i] for column in quasi] for i in range(case.rows) for _ in range(draw.choice([1, 1, 2, 3]))]
    case.population = [{column.name: row[i] for i, column in enumerate(quasi)} for row in rows]
    source: Json = {"path": "population.csv", "csv": {"delimiter": ",", "header": True}, "missing": list(case.missing)}
    if any(value is None for row in rows for value in row):  # CSV would not tell it from an empty text
        case.files["population.parquet"] = parquet_bytes([(column.name, "text") for column in quasi], rows)
        source = {"path": "population.parquet", "missing": list(case.missing)}
    else:
        case.files["population.csv"] = table_bytes([[column.name for column in quasi], *rows])
    if draw.random() < 0.5:
        privacy["k_map"] = {"k": draw.choice([2, 3, 5]), "population": source}
        if draw.random() < 0.5:
            del privacy["k"]
    else:
        privacy["delta_presence"] = {"max": draw.choice([0.6, 0.8, 1]), "population": source}
        if draw.random() < 0.4:
            privacy["delta_presence"]["min"] = draw.choice([0.1, 0.3])
