"""The searches that there are: what each makes of a table, which options it takes, and what bears on it.

The configuration, its rules and its schema, the command line, the commands and the report read it here; what runs is
registered under the same name in `kanon_sql.search`.

What each engine does beside searching, releasing and verifying: one row an engine; what it lacks is refused.

What a class may be released as in place of a label: one value made of all of its rows.

A query of the same name in `queries/search/aggregates` computes it, and one in `queries/release/aggregates` computes it
again of the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_LOSSES = ("loss", "geometric-mean-loss")
_OBJECTIVES = (*_LOSSES, "discernibility", "average-class-size", "precision", "entropy")
# How long local recoding looks for something better; the first where none is given.
EFFORTS = ("default", "fast", "best")
# Taken by searches of one level a column: the classes of others could be taken back only by looking at their values.
_BLIND: Mapping[str, tuple[str, ...]] = {"blind": (), "reserve": ()}
_MEASURES = ("loss", "absolute-distance", "relative-distance", "distribution", "suppression")


@dataclass(frozen=True)
class Algorithm:
    """A search.

    One that is `full_domain` gives every column one level, and so needs a hierarchy of each; others put tuples into
    classes, each with ranges or levels of its own. `options` are the values that it takes of each option, the first
    where none is given; without values it is a number, a truth value or a list, and none where none is given. `advice`
    is said of values that it does not take. Weights bear on it where the options have one of the values `weighed_by`,
    never without that. `suppresses` tells that what it finds depends on the limit of suppressed rows, `numeric` that it
    takes only columns of numbers and dates, without hierarchies. Its classes show the `aggregate` of columns that ask
    for none. With `pushdown` the engine that holds the rows can search.
    """

    full_domain: bool
    options: Mapping[str, tuple[str, ...]]
    weighed_by: Mapping[str, tuple[str, ...]] | None = None
    suppresses: bool = True
    numeric: bool = False
    aggregate: str | None = None
    advice: Mapping[str, str] = field(default_factory=dict)
    pushdown: bool = False


ALGORITHMS: dict[str, Algorithm] = {
    "optimal": Algorithm(True, {"objective": _OBJECTIVES, **_BLIND}, weighed_by={"objective": _LOSSES}, pushdown=True),
    "samarati": Algorithm(
        True,
        {"prefer": ("loss", "first"), **_BLIND},
        advice={"prefer": "samarati prefers loss or first; the other measures go with name: minimal"},
        pushdown=True,
    ),
    "minimal": Algorithm(
        True,
        {"prefer": _MEASURES, **_BLIND},
        advice={"prefer": "first goes with name: samarati"},
        pushdown=True,
    ),
    "mondrian": Algorithm(
        False,
        {"cut": ("strict", "strict-le", "relaxed"), "dimension": ("loss", "widest", "random"), "seed": ()},
        weighed_by={"dimension": ("loss",)},
        suppresses=False,
        pushdown=True,
    ),
    "local": Algorithm(False, {"effort": EFFORTS, "seed": ()}, weighed_by={}),
    "microaggregation": Algorithm(
        False, {"strata": ()}, weighed_by={}, suppresses=False, numeric=True, aggregate="mean"
    ),
}


def either(words: Iterable[str]) -> str:
    """The words as a sentence lists them: a, b or c."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def taking(option: str) -> list[str]:
    """The searches that take an option."""
    return [name for name, algorithm in ALGORITHMS.items() if option in algorithm.options]


def values(option: str) -> list[str]:
    """All values of an option that some search takes."""
    return list(dict.fromkeys(value for name in taking(option) for value in ALGORITHMS[name].options[option]))


def options() -> list[str]:
    """All options that some search takes."""
    return list(dict.fromkeys(option for algorithm in ALGORITHMS.values() for option in algorithm.options))


def full_domain() -> list[str]:
    """The searches that give every column one level."""
    return [name for name, algorithm in ALGORITHMS.items() if algorithm.full_domain]


def by_order(name: str | None) -> bool:
    """Whether a search takes columns without hierarchy by their order; an unknown one, or none, does not."""
    return name in ALGORITHMS and not ALGORITHMS[name].full_domain


@dataclass(frozen=True)
class Abilities:
    """An engine: `name` is its key in a configuration too.

    `files` says that it reads files as sources, `databases` that tables stand in a file of their own, `in_place` that a
    release can take the source's place, `formulas` that those of CSV are escaped, `settings` that it takes a `config`,
    `pushdown` that combinations can be searched where the rows are.
    """

    name: str
    files: bool = True
    databases: bool = False
    in_place: bool = False
    formulas: bool = False
    settings: bool = False
    pushdown: bool = True


ENGINES = {
    algorithm.name: algorithm
    for algorithm in (
        Abilities("duckdb", databases=True, in_place=True, formulas=True, pushdown=False),
        Abilities("spark", settings=True),
        Abilities("postgres", files=False, formulas=True),
    )
}


# What is measured of one table, and by which engines where they hold its rows.
MEASURES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("check", "lattice", "sweep", "compile", "risk", "utility", "attack"), tuple(ENGINES)),
    **dict.fromkeys(("link", "report", "apply"), tuple(ENGINES)),
}


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of the values of `kinds`: number, date or text. Where it is `positive` no value is below 0."""

    kinds: tuple[str, ...]
    positive: bool = False


AGGREGATES: dict[str, Aggregate] = {
    "mean": Aggregate(("number", "date")),
    "median": Aggregate(("number", "date")),
    "mode": Aggregate(("number", "date", "text")),
    "geometric-mean": Aggregate(("number",), positive=True),
    "interval": Aggregate(("number", "date")),
}


def query_of(aggregate: str) -> str:
    """The name of the query files of an aggregate."""
    return aggregate.replace("-", "_")
