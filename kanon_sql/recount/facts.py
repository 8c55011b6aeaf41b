"""Facts of persons, keys and classes of a database counted again, from tables as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy, rows_of
from kanon_sql.sql.template import Fill, Item, column, fill, state

_FACTS, _LISTS = "recount_facts", "recount_fact_lists"  # by `state` where they are used


@dataclass(frozen=True)
class PersonClasses:
    """The classes of persons who share values: how many, the least, the persons in those of fewer than k, and alone."""

    persons: int
    classes: int
    least: int | None
    below_k: int
    alone: int


def count_persons(engine: Engine, rows: exp.Select, values: Sequence[exp.Expr], k: int) -> PersonClasses:
    """The classes of the rows of a table of persons by some values."""
    lists: dict[str, list[Item]] = {"qi": [{"value": value} for value in values] or [{"value": exp.Literal.string("")}]}
    row = engine.query("recount/facts/classes", names={"table_rows": rows}, lists=lists, values={"k": k})[0]
    persons, classes, least, below_k, alone = row
    return PersonClasses(int(persons), int(classes), None if least is None else int(least), int(below_k), int(alone))


def dangling_keys(engine: Engine, keys: exp.Select, at_home: exp.Select) -> int:
    """How many rows have a key that no row of the table has to which it belongs; both are selected as `key`."""
    names: dict[str, Fill] = {"keys": keys, "at_home": at_home}
    return int(engine.query("recount/facts/dangling", names=names)[0][0])


def count_several(engine: Engine, persons: exp.Select, keys: exp.Select) -> int:
    """How many persons find several rows of a table; both select a `key`, that of a row or that which a person has."""
    names: dict[str, Fill] = {"persons": persons, "keys": keys}
    return int(engine.query("recount/facts/several", names=names)[0][0])


def count_repeated(engine: Engine, rows: exp.Select, columns: Sequence[str]) -> int:
    """How many rows have the values of another row."""
    values: list[Item] = [{"value": column(name)} for name in columns]
    return int(engine.query("recount/facts/repeated", names={"table_rows": rows}, lists={"own": values})[0][0])


def count_by_rows(engine: Engine, owners: exp.Select, k: int) -> int:
    """How many persons are told apart by their mere number of rows, which fewer than `k` persons have.

    `owners` selects the person of each row.
    """
    return int(engine.query("recount/facts/row_numbers", names={"owners": owners}, values={"k": k})[0][0])


def list_facts(engine: Engine, parts: Sequence[exp.Select], persons: exp.Select) -> None:
    """Makes the facts of each person, for `count_facts` and `count_exposed`.

    Args:
        parts: SELECTs of facts with the keys of persons (person, fact).
        persons: SELECT of the persons (person, class).

    Raises: EngineError.
    """
    engine.run(copy(state(_FACTS), rows_of(parts, "facts")))
    engine.query(
        "recount/facts/lists", names={"fact_lists": state(_LISTS), "person_facts": state(_FACTS), "persons": persons}
    )


def count_facts(engine: Engine, known: int) -> int | None:
    """The least number of persons of one class who have all of a set of at most `known` facts that some person has.

    None where nobody has a fact.
    """
    least = [engine.query("recount/facts/sets", names={"sets": sets})[0][0] for sets in _sets(known)]
    fewest = [int(count) for count in least if count is not None]
    return min(fewest) if fewest else None


def count_telling(engine: Engine, persons_values: exp.Select, known: int, share: Fraction) -> tuple[int, float | None]:
    """How many sets of at most `known` facts of a class have a sensitive value with more than a `share` of their
    persons, and the greatest share; `persons_values` selects the values of persons (person, value).
    """
    most, of = share.as_integer_ratio()
    values = {"most": most, "of": of}
    rows = [
        engine.query("recount/facts/told", names={"sets": sets, "told_values": persons_values}, values=values)[0]
        for sets in _sets(known)
    ]
    shares = [float(greatest) for _, greatest in rows if greatest is not None]
    return sum(int(telling) for telling, _ in rows), max(shares, default=None)


def count_exposed(engine: Engine, known: int, k: int) -> list[tuple[int, int]]:
    """For 1 to `known` facts: (persons with a set of so many that fewer than `k` of their class have, alone)."""
    counted = [engine.query("recount/facts/exposed", names={"sets": sets}, values={"k": k})[0] for sets in _sets(known)]
    return [(int(below_k), int(alone)) for below_k, alone in counted]


def draw_known(engine: Engine, known: int, attacks: int, seed: int, k: int) -> tuple[int, int, int, float | None]:
    """Of at most `attacks` persons with so many facts `known` of each, all drawn by a `seed`: (persons, those whose
    facts nobody else of their class has, those whose facts fewer than `k` have, the mean chance to find them by these).
    """
    values = {"known": known, "attacks": attacks, "seed": seed, "k": k}
    row = engine.query("recount/facts/drawn", names={"fact_lists": state(_LISTS)}, values=values)[0]
    return int(row[0]), int(row[1]), int(row[2]), row[3]


def _sets(known: int) -> Iterator[exp.Expr]:
    """SELECTs of the sets of 1 to `known` facts of each person."""
    sets = fill("recount/facts/single", {"fact_lists": state(_LISTS)})
    yield sets
    for _ in range(1, known):
        sets = fill("recount/facts/larger", {"smaller": sets})
        yield sets
