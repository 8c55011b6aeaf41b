"""A sample of the distinct values of every column, and the marks that its values have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from sqlglot import exp

from kanon_sql.source.profile.counting import values_table
from kanon_sql.source.profile.kinds import Shares, positions
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.source.profile.words import load_words
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state

# A group of marks stands in a file of its own, since a statement of all of them takes far longer to plan than to run.
GROUPS = ("numerals", "mails", "codes", "telephones", "addresses", "digits", "letters_and_digits", "words")


# What names somebody in a text of several words.
HELD = ("holds_email", "holds_telephone", "holds_name")


def take_sample(engine: Engine, most: int, wanted: Sequence[int]) -> None:
    """Makes the table of a sample of the distinct values of each column that is wanted. Raises EngineError."""
    names: dict[str, template.Fill] = {"profile_values": values_table(), "profile_sample": state("profile_sample")}
    values = {"most": most, "spellings": list(SPELLINGS), "positions": list(wanted)}
    engine.query("source/profile/sample", names=names, values=values)


def look(engine: Engine) -> dict[int, Shares]:
    """Of each column of the sample what is found at first. Raises EngineError."""
    names = named_columns("source/profile/look")[4:]
    looks = positions(engine.query("source/profile/look", names={"profile_sample": state("profile_sample")}))
    return {
        position: Shares(count, length, words, dict(zip(names, marks, strict=True)))
        for position, (count, length, words, *marks) in looks.items()
    }


def marked(engine: Engine, found: Mapping[int, Shares]) -> dict[int, Shares]:
    """What is known of these columns of the sample, with the marks that one of them may have. Raises EngineError."""
    marks = {position: dict(shares.marks) for position, shares in found.items()}
    groups = [group for group in GROUPS if any(one[group] for one in marks.values())]
    tables: dict[str, template.Fill] = {"profile_sample": state("profile_sample")}
    for group in groups:
        name = f"source/profile/marks_{group}"
        if group == "words":
            load_words(engine)
        words: dict[str, template.Fill] = {"profile_words": state("profile_words")} if group == "words" else {}
        values = template.fill(name, {**tables, **words})
        counts = engine.query("source/profile/shares", names={"marked": values})
        for position, row in positions(counts).items():
            if position in marks:
                marks[position] |= zip(named_columns(name)[1:], row, strict=True)
    return {position: Shares(one.looked_at, one.length, one.words, marks[position]) for position, one in found.items()}


def shapes_of(engine: Engine) -> dict[int, dict[str, int]]:
    """Of each column of the sample the shapes of its values, with how many have each. Raises EngineError."""
    shapes: dict[int, dict[str, int]] = {}
    names: dict[str, template.Fill] = {"profile_sample": state("profile_sample")}
    for position, shape, count in engine.query("source/profile/shapes", names=names):
        shapes.setdefault(position, {})[shape] = count
    return shapes


def held_by_rows(engine: Engine, found: Mapping[int, Shares], rows: int) -> dict[int, dict[str, float]]:
    """Of each of these columns that may be free text the shares of all `rows` by what their text holds.

    Raises EngineError.
    """
    wanted = [position for position, shares in found.items() if shares.of(*HELD)]
    if not wanted:
        return {}
    names: dict[str, template.Fill] = {"profile_values": values_table()}
    counts = positions(engine.query("source/profile/held", names=names, values={"positions": wanted}))
    return {
        position: {mark: count / max(1, rows, total) for mark, count in zip(HELD, held, strict=True)}
        for position, (total, *held) in counts.items()
    }


@cache
def named_columns(name: str) -> list[str]:
    """The columns of a query file."""
    tree = template.load(name)
    assert isinstance(tree, exp.Select)
    return tree.named_selects
