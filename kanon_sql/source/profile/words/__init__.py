"""The lists of words by which values and names of columns are recognized: first names, countries, words for sex ..."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kanon_sql.sql.connection import Engine


def words_folder() -> Path:
    """Where the lists are."""
    return Path(__file__).parent


@cache
def _listed() -> str:
    """A line for each word: the word, a tab, the names of its lists."""
    lists: dict[str, str] = {}
    for path in sorted(words_folder().glob("*.txt")):
        name = path.stem.replace("-", " ")
        for word in path.read_text(encoding="utf-8").split("\n"):
            if word:
                lists[word] = f"{lists[word]}|{name}" if word in lists else name
    return "\n".join(f"{word}\t{names}" for word, names in lists.items())


def load_words(engine: Engine) -> None:
    """Makes the table of all words: word, lists."""
    engine.query("source/profile/words", values={"words": _listed()})
