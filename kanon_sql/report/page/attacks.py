"""What adversaries came to: how often each attack succeeds, and what of that is risk."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.report.page.model import AttackFacts, AttackRow, PageFacts, PageTable
from kanon_sql.report.words import UNKNOWN

# In percent, the risk that is surely there: as much as that of a class of five rows.
HIGH = 20
ALL_COLUMNS = "singling out, all columns"


@dataclass(frozen=True)
class Attacks:
    """What the section says."""

    sentences: tuple[str, ...]
    table: PageTable


def describe_attacks(facts: PageFacts) -> Attacks | None:
    """The attacks in words and as a table; None where none are told."""
    attacks = facts.attacks
    if attacks is None:
        return None
    others = "the control group" if attacks.controlled else "blind guessing"
    head = ("attack", "success", "blindly", "control group", "risk", "risk between")
    rows = tuple(_cells(row) for row in attacks.rows)
    return Attacks(tuple(_sentences(attacks, others)), PageTable(f"Success, and risk beyond {others}", head, rows))


def high_risks(facts: PageFacts) -> list[AttackRow]:
    """The attacks whose risk is high for sure: what anybody could guess of everybody is none.

    Predicates over all columns single out wherever another column is nearly unique, which is judged by itself.
    """
    if facts.attacks is None:
        return []
    rows = [row for row in facts.attacks.rows if row.interval[0] >= HIGH and row.name != ALL_COLUMNS]
    return [row for row in rows if facts.attacks.controlled or not row.name.startswith("inference")]


def rounded(share: int) -> str:
    """A whole percent; the first and the last stand for a little more or less, too."""
    return {0: "below 1 %", 100: "above 99 %"}.get(share, f"{share} %")


def between(row: AttackRow) -> str:
    """The interval of the risk."""
    low, high = row.interval
    return f"{low} to {high} %"


def _sentences(attacks: AttackFacts, others: str) -> list[str]:
    if not attacks.rows:
        return ["No attack was played to its end."]
    worst = max(attacks.rows, key=lambda row: row.risk)
    sentences = [f"The greatest risk is {rounded(worst.risk)} ({between(worst)}): {worst.name}."]
    if attacks.held_out is not None:
        sentences.append(
            "They were played on a release that was made in the same way without "
            f"{rounded(round(100 * attacks.held_out))} of the rows, which are the control group."
        )
    if not attacks.controlled:
        sentences.append(
            "There was no control group: what is true of everybody, in the table or not, counts as a risk here."
        )
    return sentences


def _cells(row: AttackRow) -> tuple[str, ...]:
    control = UNKNOWN if row.control is None else rounded(row.control)
    return (row.name, rounded(row.success), rounded(row.blind), control, rounded(row.risk), between(row))
