"""`init --yes` and then `run` on tables that nobody prepared, against roles that were written by hand before."""

from __future__ import annotations

from pathlib import Path

import pytest
from messy import scoring

SCORE = scoring()
LISTED = SCORE.expected_roles()
MADE = ("messy", "messy-english", "register")


def trial(table: str) -> object:
    """With the marks of what it needs."""
    needed = [] if table in MADE or table.startswith("reference/") else [pytest.mark.tool]
    return pytest.param(table, marks=[pytest.mark.slow, *needed])


@pytest.mark.parametrize("table", [trial(listed) for listed in LISTED])
def test_a_proposal_releases_and_betrays_nobody(table: str, tmp_path: Path) -> None:
    source = SCORE.table_file(table, tmp_path)
    if source is None:
        pytest.skip(f"{table} is not there: a package that ships it, or the tables beside this repository")
    scored = SCORE.score(table, LISTED[table], source, tmp_path)
    assert scored.statuses == (0, 0, 0), scored.said
    assert not scored.leaked()
    assert scored.smallest >= scored.k >= 2
    wrong = [name for name, expected, proposed in scored.columns if proposed["role"] not in expected.roles]
    assert len(wrong) <= 0.4 * len(scored.columns), wrong
    seen, named = scored.names()
    assert table not in MADE or seen >= 0.9 * named
