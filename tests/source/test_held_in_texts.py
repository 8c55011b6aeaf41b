"""What texts hold is told as a share of the rows, whichever texts repeat and however many rows have none."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError

WORDS = ["seen", "again", "with", "cough", "and", "fever", "sent", "home", "by", "the", "ward", "feels", "better"]
TELEPHONE = re.compile(r"\+49 30 [0-9]{7}")


def lines(kind: str) -> list[str]:
    """400 notes; 100 of them hold a telephone number, and of the others all are equal, missing or each its own."""
    draw = random.Random(7)

    def plain() -> str:
        return " ".join(draw.choice(WORDS) for _ in range(14))

    notes = [f"{plain()} call +49 30 {draw.randint(1000000, 9999999)} at once" for _ in range(100)]
    rest: dict[str, Callable[[], str]] = {"equal": lambda: "nothing to be said of", "missing": lambda: "", "own": plain}
    notes += [rest[kind]() for _ in range(300)]
    draw.shuffle(notes)
    return notes


def share_told(text: str) -> int:
    match = re.search(r"(\d+) % of the rows hold telephone numbers", text)
    assert match is not None, text
    return int(match[1])


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["equal", "missing", "own"])
def test_the_share_is_one_of_the_rows(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notes = lines(kind)
    share = round(100 * sum(bool(TELEPHONE.search(note)) for note in notes) / len(notes))
    assert share == 25
    Path("in.csv").write_text("age,note\n" + "".join(f"{20 + i % 4},{note}\n" for i, note in enumerate(notes)))
    config = {
        "source": "in.csv",
        "target": "out.csv",
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 2},
    }
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.run(config, dry_run=True)
    assert share_told(refused.value.problems[0]) == share
    finding = kanon_sql.init("in.csv").profile.column("note").finding
    assert finding is not None and finding.name == "free text" and share_told(finding.why) == share
