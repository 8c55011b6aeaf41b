"""How well sensitive columns are predicted: where the answer is known beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from table_files import write_csv

import kanon_sql

Json = dict[str, Any]

pytestmark = pytest.mark.tool


def predicted(folder: Path, rows: list[tuple[Any, ...]], **more: Any) -> Json:
    """The entry of the column `ill`, by the column `age` of the release."""
    pytest.importorskip("sklearn")
    write_csv(folder / "in.csv", [("age", "ill"), *rows])
    config = {
        "source": str(folder / "in.csv"),
        "target": str(folder / "out.csv"),
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [10]}},
        "sensitive": ["ill"],
        "privacy": {"k": 3},
        **more,
    }
    kanon_sql.run(config)
    prediction: Json = kanon_sql.utility(config)["prediction"]["ill"]
    return prediction


def test_a_column_that_another_one_tells_is_predicted_as_far_as_the_release_tells_it(tmp_path: Path) -> None:
    """Of ten ages in five rows each the release at level 0 tells all, that with * only the most frequent."""
    rows = [(20 + age, "yes" if age < 7 else "no") for age in range(10) for _ in range(5)]
    assert predicted(tmp_path, rows) == {"source": 1.0, "release": 1.0, "guessing": 0.7}
    alike = {"age": {"builtin": "intervals", "widths": [10], "min_level": 1}}
    again = predicted(
        tmp_path, rows, target={"path": str(tmp_path / "out.csv"), "overwrite": True}, quasi_identifiers=alike
    )
    assert again["source"] == 1.0
    assert again["release"] == pytest.approx(0.7, abs=0.05)


def test_a_value_for_each_row_cannot_be_predicted_and_nobody_is_warned(tmp_path: Path) -> None:
    """Warnings are errors here: none of scikit-learn's own reaches who runs this."""
    prediction = predicted(tmp_path, [(20 + i % 4, f"v{i}") for i in range(40)])
    assert prediction == {"source": 0.0, "release": 0.0, "guessing": 1 / 40}
