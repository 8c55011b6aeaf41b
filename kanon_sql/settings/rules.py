"""What must hold between several keys of a configuration.

Each part of a configuration declares its rules. A rule takes the keys that were given, validated or as raw text, and
yields the faults it finds: the key at fault, as a path from the part it was given (empty: the part as a whole lacks
something), and the words. It says nothing of values that are wrong in themselves: the models do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

from kanon_sql.settings import algorithms
from kanon_sql.settings.algorithms import ALGORITHMS, ENGINES, either, taking
from kanon_sql.settings.yaml import KeyPath

Faults = Iterator[tuple[KeyPath, str]]
Part = Mapping[str, Any]

ROLES = ("identifiers", "quasi_identifiers", "sensitive", "insensitive")
_TRUE = ("true", "yes", "on", "1", "y", "t")


class Rule(Protocol):
    """What holds between keys of a part: for the loader, which tells faults, and for editors, by the JSON Schema."""

    def faults(self, given: Part) -> Faults:
        """What is wrong between the keys that were given."""

    def schema(self) -> Schema:
        """The same, as far as a JSON Schema can say it."""


@dataclass(frozen=True)
class ExactlyOne:
    """One of the keys is given; `true` ones count where they are true. `several` has holes {key} and {first}."""

    keys: tuple[str, ...]
    none: str
    several: str
    true: tuple[str, ...] = ()
    in_schema: bool = True

    def given(self, part: Part) -> list[str]:
        """Those that are given."""
        return given_of(part, *self.keys) + [key for key in self.true if str(part.get(key)).lower() in _TRUE]

    def faults(self, given: Part) -> Faults:
        present = self.given(given)
        if not present:
            yield (), self.none
        for key in present[1:]:
            yield (key,), self.several.format(key=key, first=present[0])

    def schema(self) -> Schema:
        true = [{"properties": {key: {"const": True}}, "required": [key]} for key in self.true]
        return {"oneOf": [*map(needs, self.keys), *true]} if self.in_schema else {}


@dataclass(frozen=True)
class GoesWith:
    """A key goes with another one, with `values` where there are some; `text` has holes {key} and {value}.

    Where none of the keys `of` is given, that is said instead. `default` is what a key means that is not given.
    """

    key: str
    other: str
    text: str
    values: tuple[str, ...] = ()
    of: ExactlyOne | None = None
    default: str | None = None

    def faults(self, given: Part) -> Faults:
        value = given.get(self.other, self.default)
        fits = value in self.values if self.values else value is not None
        if given_of(given, self.key) and not fits and (self.of is None or self.of.given(given)):
            yield (self.key,), self.text.format(key=self.key, value=value)

    def schema(self) -> Schema:
        if self.values:
            return {"dependentSchemas": {self.key: only_with(self.other, *self.values)}}
        return {"dependentRequired": {self.key: [self.other]}}


@dataclass(frozen=True)
class Needs:
    """Where a key has a value another one is given; a list holds an entry then, and is at fault where it is there."""

    key: str
    value: str
    needed: str
    text: str
    is_list: bool = False

    def faults(self, given: Part) -> Faults:
        if given.get(self.key) == self.value:
            there = given.get(self.needed)
            if there is None or (self.is_list and not there):
                yield (self.needed if self.is_list and self.needed in given else self.key,), self.text

    def schema(self) -> Schema:
        return {"allOf": [when(only_with(self.key, self.value), needs(self.needed))]}


@dataclass(frozen=True)
class Excludes:
    """Beside a key, with one of `values` where there are some, none of the others is given: {key} of `text`.

    With `of` that is said where the key alone of these is given, with `at_key` the key itself is at fault. In the
    schema the condition stands `apart` from others.
    """

    key: str
    others: tuple[str, ...]
    text: str
    values: Callable[[], tuple[str, ...]] | None = None
    of: ExactlyOne | None = None
    at_key: bool = False
    apart: bool = False

    def faults(self, given: Part) -> Faults:
        value = given.get(self.key)
        there = value in self.values() if self.values else value is not None
        if there and (self.of is None or self.of.given(given) == [self.key]):
            present = given_of(given, *self.others)
            for key in [self.key] if self.at_key and present else present:
                yield (key,), self.text.format(key=key, value=value)

    def schema(self) -> Schema:
        if self.at_key:
            return {"dependentSchemas": {self.key: _none_of(map(needs, self.others))}}
        if not self.apart:
            return _none_of(needs(self.key, other) for other in self.others)
        condition = only_with(self.key, *self.values()) if self.values else needs(self.key)
        return {"allOf": [when(condition, _none_of(map(needs, self.others)))]}


@dataclass(frozen=True)
class Odd:
    """What is said in its own way; without a function it is for the schema alone, without a schema for faults."""

    say: Callable[[Part], Faults] | None = None
    condition: Schema = field(default_factory=dict)

    def faults(self, given: Part) -> Faults:
        if self.say is not None:
            yield from self.say(given)

    def schema(self) -> Schema:
        return self.condition


def _none_of(conditions: Iterable[Schema]) -> Schema:
    schemas = list(conditions)
    return {"not": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}


def together(rules: Iterable[Rule]) -> Schema:
    """The conditions of all rules as one schema."""
    merged: Schema = {}
    for rule in rules:
        for key, part in rule.schema().items():
            merged[key] = (
                part if key not in merged else merged[key] + part if key == "allOf" else {**merged[key], **part}
            )
    return merged


def places(config: Part) -> Faults:
    """Source and target are where the engine reaches them."""
    chosen = config.get("engine")
    name = next(iter(given_of(chosen, *ENGINES) if isinstance(chosen, Mapping) else []), "duckdb")
    able = ENGINES[name]
    parts = {key: part for key in ("source", "target") if isinstance(part := config.get(key), Mapping)}
    for key, part in parts.items():
        if able.databases and given_of(part, "table") and not given_of(part, "database"):
            what = "that holds it" if key == "source" else "to make it in"
            yield (key, "table"), f"a table needs the DuckDB file {what}; add database, or name an engine"
        written = part.get("csv")
        if not able.formulas and isinstance(written, Mapping) and written.get("formulas") == "escape":
            yield (key, "csv", "formulas"), f"formulas are not escaped by {name}; remove it, or name another engine"
        for word in () if able.databases else given_of(part, "database", "allow", "iceberg", "delta"):
            yield (key, word), f"{word} goes with engine: duckdb, not with {name}; remove it"
        if not able.files and key == "source" and given_of(part, "path"):
            yield (key, "path"), f"{name} reads tables; expected table or query, or engine: duckdb for files"
        if not able.in_place and str(part.get("in_place")).lower() in _TRUE:
            yield (key,), f"nothing is replaced in place on {name}; name another target"
    if not able.pushdown and config.get("search_in") in ("engine",):
        yield ("search_in",), "search_in: engine goes with an engine beside DuckDB; remove it, or name one"


def in_duckdb(population: Part) -> Faults:
    """A population is read by DuckDB, whatever the engine."""
    if given_of(population, "table") and not given_of(population, "database"):
        yield ("table",), "a table needs the DuckDB file that holds it; add database"


def levels_in_order(part: Part) -> Faults:
    """Bounds are in order; each level keeps less, is wider or merges more than the one below it."""
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
    counts = numbers_of(part.get("below"))
    for level, (below, above) in enumerate(pairwise(counts), 2):
        if above <= below:
            text = f"level {level} merges no more values than level {level - 1}; write them ascending"
            yield ("below", level - 1), text
    bottom, top = numbers_of([part.get("bottom")]), numbers_of([part.get("top")])
    if bottom and top and bottom >= top:
        yield ("top",), f"expected a number above bottom, {part['bottom']}; values between them get intervals"
    if part.get("other") == "*":
        yield ("other",), "* is the label of all values; name another word for the rare ones"


def ends_of_intervals(config: Part) -> Faults:
    """Ranges whose ends are no values of the data have no place for the least and the greatest value of a class."""
    columns = config.get("quasi_identifiers")
    if _said(config.get("release"), "ranges") != "widened" or not isinstance(columns, Mapping):
        return
    for name, spec in columns.items():
        if _said(spec, "aggregate") == "interval":
            yield (
                ("quasi_identifiers", name, "aggregate"),
                "interval shows the least and the greatest value of a class, ranges: widened no value; remove one",
            )


def blind_and_masked(config: Part) -> Faults:
    """Masked rows show the values of classes that violate: blind levels would gain nothing."""
    blind, masked = _said(config.get("algorithm"), "blind"), _said(config.get("release"), "suppressed")
    if str(blind).lower() in _TRUE and masked == "mask":
        yield (
            ("algorithm", "blind"),
            "suppressed: mask shows the sensitive values of classes that violate a model; with blind expected "
            "suppressed: drop",
        )


def strata(config: Part) -> Faults:
    """Strata are released as they are, and leave columns to make groups of."""
    algorithm, columns = config.get("algorithm"), config.get("quasi_identifiers")
    names = _said(algorithm, "strata")
    if not isinstance(names, (list, tuple)) or not isinstance(columns, Mapping):
        return
    if _said(algorithm, "name") not in taking("strata"):
        return  # that is what is wrong
    for name, spec in columns.items():
        for key in ("hierarchy", "builtin", "aggregate") if name in names else ():
            if _said(spec, key) is not None:
                text = f"strata are released as they are; remove {key}, or take the column out of strata"
                yield ("quasi_identifiers", name, key), text
    if columns and all(name in names for name in columns):
        yield ("algorithm", "strata"), "no quasi-identifier is left to make groups of; name one of numbers or dates"


def _said(part: Any, key: str) -> Any:
    """What a part says under a key, validated or as raw text."""
    return part.get(key) if isinstance(part, Mapping) else getattr(part, key, None)


class OptionsOfAlgorithm:
    """Options go with the algorithm that they are for, and so do their values."""

    def faults(self, given: Part) -> Faults:
        name = given.get("name", "optimal")
        chosen = ALGORITHMS.get(name) if isinstance(name, str) else None
        if chosen is None:
            return
        for key in given_of(given, *algorithms.options()):
            if key in chosen.options:
                taken = chosen.options[key]
                if taken and given[key] not in taken:
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

    def schema(self) -> Schema:
        keys, conditions = {}, []
        for option in algorithms.options():
            takers = taking(option)
            keys[option] = only_with("name", *takers)
            if "optimal" in takers:  # which is meant where no name is given
                allowed = {"const": takers[0]} if len(takers) == 1 else {"enum": takers}
                keys[option] = {"properties": {"name": allowed}}
            for name in takers:
                taken = ALGORITHMS[name].options[option]
                others = [value for value in algorithms.values(option) if value not in taken]
                if others:
                    kept: Schema = {"not": {"const": others[0]}} if len(others) == 1 else {"enum": list(taken)}
                    conditions.append(when(only_with("name", name), {"properties": {option: kept}}))
        return {"dependentSchemas": keys, "allOf": conditions}


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


Schema = dict[str, Any]

VARIABLE: Schema = {
    "description": "read from the environment",
    "type": "string",
    "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*\}",
}
WHOLE: Schema = {"anyOf": [{"type": "integer"}, VARIABLE]}


def needs(*keys: str) -> Schema:
    """All of the keys are there."""
    return {"required": list(keys)}


def only_with(key: str, *values: str) -> Schema:
    """The key is there with one of these values."""
    return {"properties": {key: {"enum": list(values)}}, "required": [key]}


def when(condition: Schema, then: Schema) -> Schema:
    """Under the condition the other holds."""
    return {"if": condition, "then": then}
