"""A preset of the page: the steps that a legal or regulatory text asks for, beside what was measured of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["met", "not met", "judgement"]
Fact = tuple[str, str]  # what was measured, and the figure

NO_ADVICE = (
    "This is not legal advice. It lays figures out along the steps of a text; whether the text is complied with is for "
    "a person to decide, who answers for it."
)


@dataclass(frozen=True)
class RecipeStep:
    """One thing that the text asks for.

    `asked` says it in our words, `source` where it stands. `facts` are what was measured of it: (what, figure). `state`
    is `met` or `not met` where the text, or the guidance beside it, has a threshold or a condition that a program can
    check, else `judgement`. `remains` says what a person has to judge, whatever the state.
    """

    title: str
    asked: str
    source: str
    facts: tuple[Fact, ...]
    state: State
    remains: str = ""


@dataclass(frozen=True)
class Recipe:
    """The steps of the preset `name`, in the order of the text; `sources` are the texts, with their addresses.

    `note` belongs on the page, before the steps.
    """

    name: str
    title: str
    sources: tuple[tuple[str, str], ...]  # (title, address)
    steps: tuple[RecipeStep, ...]
    note: str = NO_ADVICE
