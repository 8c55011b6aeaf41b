"""What adversaries came to, as far as a page may tell it: whole percents, of the released rows alone.

On suppressed rows nothing is played, or it would be an equation for these: where there are some, the attacks are played
again on the others. What is guessed of a released row follows from its class, where all rows of a column are released
at one level and nothing is drawn; else figures are told of many guesses only, which two rows that change places hardly
move.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from kanon_sql.errors import EngineError
from kanon_sql.measures.attack.adversaries import none_played, play_all
from kanon_sql.measures.attack.board import set_up
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.report.charts.attack import attack_rows
from kanon_sql.report.page.model import AttackFacts, AttackRow, PageFacts
from kanon_sql.report.page.withheld import MANY_ROWS, left_out
from kanon_sql.sql.deadline import Deadline

if TYPE_CHECKING:
    from kanon_sql.results.attack import Attack, AttackReport

_SECONDS = 60.0  # for the attacks at least, where they are played again
_MANY_OTHERS = 100  # rows of a control group: none of them is released


def measure(gathered: Gathered, facts: PageFacts) -> AttackFacts | None:
    """The attacks that were given; None where none were. Raises EngineError where they are not told."""
    given = gathered.subject.attacks
    if given is None:
        return None
    _refuse_few(gathered, given)
    if left_out(facts.report):
        given = _played_again(gathered, given)
    rows = tuple(_row(name, entry) for name, entry in attack_rows(given))
    return AttackFacts(rows, given["against"] == "control", given["hold_out"])


def _refuse_few(gathered: Gathered, given: AttackReport) -> None:
    """Raises EngineError where few guesses could be counted one by one.

    Of released rows they may where they follow from the classes: the guess is the same for all rows of a class, and
    every row is looked for.
    """
    config, rows = gathered.subject.loaded.config, given["rows"]
    aggregated = any(spec.aggregate for spec in config.quasi_identifiers.values())
    held_out, every = given["hold_out"] is not None, rows["source"] <= given["attacks"]
    if not (gathered.full_domain and every) or aggregated or held_out:
        _refuse(min(rows["source"], given["attacks"]), MANY_ROWS, "rows of the source")
    if rows["control"] is not None:
        _refuse(min(rows["control"], given["attacks"]), MANY_ROWS if held_out else _MANY_OTHERS, "the control group")


def _refuse(guesses: int, least: int, of: str) -> None:
    if guesses < least:
        raise EngineError(f"fewer than {least:,} guesses on {of} would tell of single rows")


def _played_again(gathered: Gathered, given: AttackReport) -> AttackReport:
    """The same attacks without the suppressed rows."""
    subject = gathered.subject
    if subject.source is None:
        raise EngineError(gathered.alone)
    if given["hold_out"] is not None:
        raise EngineError("rows were suppressed, and of a release of a part these cannot be left out")
    if given["control"] is not None and subject.control is None:
        raise EngineError("rows were suppressed; to play without them, the control group must be where it was")
    board, _ = set_up(subject, subject.source, subject.control, given["attacks"], given["seed"])
    played = none_played()
    deadline = Deadline(max(subject.call.watch.report()["total"], _SECONDS))
    with subject.engine.until(deadline):
        play_all(board, lambda part, what: nullcontext(), played)
    return {**given, **played}


def _row(name: str, entry: Attack) -> AttackRow:
    control = None if entry["control"] is None else _percent(entry["control"])
    low, high = map(_percent, entry["interval"])
    return AttackRow(
        name, _percent(entry["main"]), _percent(entry["baseline"]), control, _percent(entry["risk"]), (low, high)
    )


def _percent(share: float) -> int:
    return round(100 * share)
