"""A sample of the distinct values of every column, and the marks that its values have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sqlglot import exp

from kanon_sql.source.profile.counting import values_table
from kanon_sql.source.profile.kinds import Shares, positions
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.source.profile.words import load_words
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state


def take_sample(engine: Engine, most: int, wanted: Sequence[int]) -> dict[int, Shares]:
    """Takes a sample of the distinct values of each column that is wanted; what is known of it by its number."""
    sample, words = state("profile_sample"), state("profile_words")
    load_words(engine)
    names: dict[str, template.Fill] = {"profile_values": values_table(), "profile_sample": sample}
    values = {"most": most, "spellings": list(SPELLINGS), "positions": list(wanted)}
    engine.query("source/profile/sample", names=names, values=values)
    marks = _marks()
    found = engine.query(
        _shares_of_marks(),
        names={"profile_sample": sample, "profile_words": words},
        lists={"mark": [{"key": mark} for mark in marks]},
    )
    return {
        position: Shares(row[0], row[1], row[2], dict(zip(marks, row[3:], strict=True)))
        for position, row in positions(found).items()
    }


@cache
def _shares_of_marks() -> template.Composed:
    return template.compose("source/profile/shares", {"marked": template.compose("source/profile/marks")})


@cache
def _marks() -> list[str]:
    """The names of all marks, behind the columns that are none."""
    marked = template.load("source/profile/marks")
    assert isinstance(marked, exp.Select)
    return marked.named_selects[4:]
