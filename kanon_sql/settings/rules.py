"""What must hold between several keys of a configuration.

Each rule takes the keys that were given, validated or as raw text, and yields the faults it finds: the key
at fault, as a path from the part it was given (empty: the part as a whole lacks something), and the words.
A rule says nothing of values that are wrong in themselves: the models do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any

from kanon_sql.settings import algorithms
from kanon_sql.settings.algorithms import ALGORITHMS, either, taking
from kanon_sql.settings.formats import FORMATS, only_texts
from kanon_sql.settings.yaml import KeyPath

Faults = Iterator[tuple[KeyPath, str]]
Part = Mapping[str, Any]

ROLES = ("identifiers", "quasi_identifiers", "sensitive", "insensitive")
_BUILTIN_OPTIONS = {"keep": "prefix", "widths": "intervals", "origin": "intervals", "levels": "date"}
_BUILTIN_NEEDS = {"prefix": "keep", "intervals": "widths", "date": "levels"}
_TRUE = ("true", "yes", "on", "1", "y", "t")


def source(part: Part) -> Faults:
    """A source is one place, and options go with the place they are for."""
    given = given_of(part, "path", "table", "query")
    if not given:
        yield (), "expected one of path, table or query; add one"
    for key in given[1:]:
        yield (key,), f"expected only one of path, table and query, got {key} besides {given[0]}; keep one"
    if given == ["path"]:
        for key in given_of(part, "database", "allow"):
            yield (key,), f"{key} does not go with path; remove it, or read by query"
    if given and "path" not in given and given_of(part, "csv"):
        yield ("csv",), "csv goes with path; remove it"


def target(part: Part) -> Faults:
    """A target is one place, and options go with the place they are for."""
    given = given_of(part, "path", "table")
    if str(part.get("in_place")).lower() in _TRUE:
        given.append("in_place")
    if not given:
        yield (), "expected one of path, database with table, or in-place; add one"
    for key in given[1:]:
        yield (key,), f"expected one place to write to, got {key} besides {given[0]}; keep one"
    if given == ["table"]:
        for key in given_of(part, "format", "csv", "compression"):
            yield (key,), f"{key} goes with path; remove it"
    if given and "table" not in given and given_of(part, "database"):
        yield ("database",), "database needs the table to make; add table, or remove database"
    if part.get("format") in FORMATS and not only_texts(part["format"]) and given_of(part, "csv"):
        yield ("csv",), f"csv does not go with format: {part['format']}; remove one"


def engine(part: Part) -> Faults:
    """One engine, and settings for the one that takes them."""
    given = given_of(part, "name", "spark", "postgres")
    if not given:
        yield (), "expected duckdb, spark: URL or postgres: URL; add one"
    for key in given[1:]:
        yield (key,), f"expected one engine, got {key} besides {given[0]}; keep one"
    if given and given[0] != "spark" and given_of(part, "config"):
        yield ("config",), "config goes with spark; remove it"


def places(config: Part) -> Faults:
    """Source and target are where the engine reaches them."""
    chosen = config.get("engine")
    elsewhere = given_of(chosen, "spark", "postgres") if isinstance(chosen, Mapping) else []
    parts = {key: part for key in ("source", "target") if isinstance(part := config.get(key), Mapping)}
    for key, part in parts.items():
        if not elsewhere and given_of(part, "table") and not given_of(part, "database"):
            what = "that holds it" if key == "source" else "to make it in"
            yield (key, "table"), f"a table needs the DuckDB file {what}; add database, or name an engine"
    if not elsewhere:
        if config.get("search_in") in ("engine",):
            yield ("search_in",), "search_in: engine goes with an engine beside DuckDB; remove it, or name one"
        return
    name = elsewhere[0]
    for key, part in parts.items():
        written = part.get("csv")
        if name == "spark" and isinstance(written, Mapping) and written.get("formulas") == "escape":
            yield (key, "csv", "formulas"), "formulas are not escaped by spark; remove it, or name another engine"
        for word in given_of(part, "database", "allow"):
            yield (key, word), f"{word} goes with engine: duckdb, not with {name}; remove it"
        if name == "postgres" and key == "source" and given_of(part, "path"):
            yield (key, "path"), "postgres reads tables; expected table or query, or engine: duckdb for files"
        if str(part.get("in_place")).lower() in _TRUE:
            yield (key,), f"nothing is replaced in place on {name}; name another target"
    if config.get("releases") is not None:
        yield ("releases",), f"the ledger is kept for releases by engine: duckdb, not by {name}; remove it"


def in_duckdb(population: Part) -> Faults:
    """A population is read by DuckDB, whatever the engine."""
    if given_of(population, "table") and not given_of(population, "database"):
        yield ("table",), "a table needs the DuckDB file that holds it; add database"


def quasi_identifier(part: Part) -> Faults:
    """One way to generalize, its options with it, levels in order."""
    builtin = part.get("builtin")
    if given_of(part, "hierarchy") and given_of(part, "builtin"):
        yield ("builtin",), "hierarchy and builtin exclude each other; keep one"
    if given_of(part, "type") and given_of(part, "hierarchy", "builtin"):
        yield ("type",), "type orders a column without hierarchy; remove it, or the hierarchy"
    for key, owner in _BUILTIN_OPTIONS.items():
        if given_of(part, key) and builtin != owner:
            yield (key,), f"{key} goes with builtin: {owner}; remove it, or say builtin: {owner}"
    needed = _BUILTIN_NEEDS.get(builtin) if isinstance(builtin, str) else None
    if needed and not part.get(needed):
        path = (needed,) if needed in part else ("builtin",)
        yield path, f"builtin: {builtin} needs a list of at least one entry in {needed}; add it"
    lowest, highest = _whole(part.get("min_level")), _whole(part.get("max_level"))
    if lowest is not None and highest is not None and lowest > highest:
        yield ("min_level",), f"min_level {lowest} is above max_level {highest}; lower it"
    kept = numbers_of(part.get("keep"))
    for level, (below, above) in enumerate(pairwise(kept), 2):
        if above > below:
            text = f"level {level} keeps more characters than level {level - 1}; write them descending"
            yield ("keep", level - 1), text
    widths = numbers_of(part.get("widths"))
    for level, (below, above) in enumerate(pairwise(widths), 2):
        if below > 0 and above > 0 and above % below:
            text = f"expected a multiple of the width of level {level - 1}; each width divides the next"
            yield ("widths", level - 1), text


def algorithm(part: Part) -> Faults:
    """Options go with the algorithm that they are for."""
    name = part.get("name", "optimal")
    chosen = ALGORITHMS.get(name) if isinstance(name, str) else None
    if chosen is None:
        return
    for key in given_of(part, *algorithms.options()):
        if key in chosen.options:
            taken = chosen.options[key]
            if taken and part[key] not in taken:
                yield (key,), chosen.advice.get(key, f"{name} takes {either(taken)}; correct it")
            continue
        takers = taking(key)
        similar = [other for other in takers if ALGORITHMS[other].full_domain] or takers[:1]
        if not chosen.full_domain:
            yield (key,), f"{key} does not go with name: {name}; remove it"
        elif len(similar) > 1:
            yield (key,), f"{key} goes with name: {either(similar)}; remove it"
        else:
            yield (key,), f"{key} goes with name: {similar[0]}, not with {name}; remove it"


def roles(config: Part, show: Callable[[KeyPath, str], str] = lambda path, name: repr(name)) -> Faults:
    """Every column has one role at most; `show` gives the text that stands for a column's name."""
    seen: dict[str, str] = {}
    for role in ROLES:
        names = config.get(role)
        if isinstance(names, Mapping):
            places: list[tuple[KeyPath, Any]] = [((role, name), name) for name in names]
        else:
            entries = names if isinstance(names, (list, tuple)) else []
            places = [((role, index), name) for index, name in enumerate(entries)]
        for path, name in places:
            if not isinstance(name, str):
                continue
            if name not in seen:
                seen[name] = role
            elif seen[name] == role:
                yield path, f"column {show(path, name)} is listed twice in {role}; remove one"
            else:
                where = f"in {seen[name]} and in {role}"
                yield path, f"column {show(path, name)} is listed twice, {where}; give it one role"


def given_of(part: Part, *keys: str) -> list[str]:
    """Those of the keys that have a value, in the order in which they were written."""
    return [key for key in part if key in keys and part[key] is not None]


def _whole(value: Any) -> int | None:
    text = str(value).strip()
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None


def numbers_of(value: Any) -> list[Fraction]:
    """The numbers of a list, exactly; none at all unless every entry is a number of a usual size."""
    numbers = []
    for entry in value if isinstance(value, (list, tuple)) else []:
        try:
            number = Decimal(str(entry).strip())
        except InvalidOperation:
            return []
        # A fraction of 1e999999999 would fill the memory.
        if not number.is_finite() or abs(number.adjusted()) > 40 or len(number.as_tuple().digits) > 40:
            return []
        numbers.append(Fraction(number))
    return numbers
