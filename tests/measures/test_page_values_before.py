"""Values before are those of the released rows, whatever more a hierarchy lists; groups are labels of the release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import page_jobs
import pytest

from kanon_sql.report.page.columns import known

Json = dict[str, Any]
ROWS = ["s0"] * 20 + ["s1"] * 20 + ["s12"] * 10 + ["s50"]  # the last is suppressed, or makes all *


@pytest.mark.few(3)
@pytest.mark.parametrize("limit", [0, 1])
@pytest.mark.parametrize("level", [0, 1])
def test_values_before_are_those_of_the_released_rows(limit: int, level: int, tmp_path: Path) -> None:
    hierarchy, source = tmp_path / "sexes.csv", tmp_path / "in.csv"
    hierarchy.write_text("value,l1,l2\n" + "".join(f"s{i},g{i // 10},*\n" for i in range(110)))
    source.write_text("sex,age\n" + "".join(f"{sex},{30 + i % 3}\n" for i, sex in enumerate(ROWS)))
    config: Json = {
        "source": str(source),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {
            "sex": {"hierarchy": str(hierarchy), "min_level": level},
            "age": {"builtin": "suppress", "min_level": 1},
        },
        "privacy": {"k": 2},
        "suppression": {"limit": limit},
    }
    report, facts = page_jobs.facts_of(config, tmp_path, parts=("loss", "columns"))
    assert report["rows"]["suppressed"] == limit
    released = [sex for sex in ROWS if not limit or sex != "s50"]
    sex = facts.columns[0]
    labels = len(set((tmp_path / "out.csv").read_text().splitlines()[1:]))
    assert sex.distinct == (len(set(released)), labels) and max(step.count for step in sex.steps) >= 110
    if limit and level:
        assert known(facts, sex).startswith("in 2 groups instead of 3 values, such as g0 and g1")
