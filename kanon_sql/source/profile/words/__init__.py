"""The lists of words by which values and names of columns are recognized: first names, countries, words for sex ..."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state


def words_folder() -> Path:
    """Where the lists are."""
    return Path(__file__).parent


@cache
def _listed() -> str:
    """A line for each word: the name of its list, a tab, the word."""
    lines = []
    for path in sorted(words_folder().glob("*.txt")):
        name = path.stem.replace("-", " ")
        lines += [f"{name}\t{word}" for word in path.read_text(encoding="utf-8").split("\n") if word]
    return "\n".join(lines)


def load_words(engine: Engine) -> None:
    """Makes the table of all words: list, word."""
    engine.query("source/profile/words", names={"profile_words": state("profile_words")}, values={"words": _listed()})
