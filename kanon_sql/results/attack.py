"""What `kanon-sql attack --json` prints, key by key; what each figure means says docs/report.md."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from kanon_sql.results.figures import Count, Seconds, Share

Against = Literal["control", "baseline"]
Predicates = Literal["one_column", "several_columns"]


class Intervals(TypedDict):
    """The interval of each share."""

    main: list[float]
    baseline: list[float]
    control: list[float] | None


class Guesses(TypedDict):
    """How often was guessed for each share."""

    main: Count
    baseline: Count
    control: Count | None


class Attack(TypedDict):
    """How often an adversary is right on the source, blindly and on the control group, and the risk by it."""

    main: Share
    baseline: Share
    control: Share | None
    risk: Share
    interval: list[float]
    normalized_risk: Share
    intervals: Intervals
    guesses: Guesses


class StrongestAttack(Attack):
    """The stronger of the attacks by one column and by several, with both."""

    predicates: Predicates
    one_column: Attack | None
    several_columns: Attack | None


class SinglingOut(StrongestAttack):
    """Singling out by the quasi-identifiers, and by all columns."""

    all_columns: StrongestAttack | None


class Linkability(Attack):
    """Linking the two parts into which the columns are dealt out."""

    columns: list[list[str]]


class PlayedAttacks(TypedDict):
    """The attacks; None is what was not played."""

    singling_out: SinglingOut | None
    linkability: Linkability | None
    inference: dict[str, Attack]


class RowsAbove(TypedDict):
    """The rows above what a model bounds, by their class, by the worlds kept, and by as many others."""

    bound: float
    released: Count
    told: Count
    by_chance: Count


class Gain(TypedDict):
    """By how much the choice of a release tells more of a value than its class."""

    gain: float
    by_chance: float
    above: RowsAbove | None


class Minimality(TypedDict):
    """The worlds that were drawn, and those of them that lead to the release."""

    worlds: Count
    kept: Count
    columns: dict[str, Gain] | None


class Downcoding(TypedDict):
    """The rows that can be narrowed in a column, and the cells of each."""

    rows: Count
    classes: Count | None
    columns: dict[str, Count]


class FactsDrawn(TypedDict):
    """What so many facts tell that are drawn of persons."""

    known: Count
    persons: Count
    alone: Count
    below_k: Count
    chance: float | None


class FactsAttacked(TypedDict):
    """Facts of persons as the background of attackers, before and after."""

    source: list[FactsDrawn]
    release: list[FactsDrawn] | None


class BackgroundFigures(TypedDict, total=False):
    """What attackers learn with facts of persons, of a whole database with facts."""

    facts: FactsAttacked


class MethodFigures(BackgroundFigures, total=False):
    """What the method tells, where it was asked for; None is what cannot be measured."""

    minimality: Minimality | None
    downcoding: Downcoding | None


class About(TypedDict):
    """The release that was attacked: its name, and the SHA-256 of a file."""

    release: str | None
    sha256: str | None


class AttackRows(TypedDict):
    """The rows of each table."""

    source: Count
    release: Count
    control: Count | None


class AttackReport(PlayedAttacks, MethodFigures):
    """The report of `kanon-sql attack`."""

    status: Literal["measured"]
    release: str
    source: str
    control: str | None
    hold_out: float | None
    about: About | None
    rows: AttackRows
    attacks: Count
    seed: Count
    confidence: float
    against: Against
    warnings: list[str]
    seconds: Seconds
