"""What it costs to choose levels without a look at sensitive values: `algorithm.blind` beside the ordinary search.

    python benchmarks/blind.py

The table is `examples/adult` without missing values, its configuration that folder's.
With `blind` half of the limit is left to the models.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kanon_sql
from kanon_sql.errors import NoReleaseError

_CONFIG = Path(__file__).parents[1] / "examples" / "adult" / "config.yaml"
_KS = (5, 20)
_MODELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("l_diversity", {"column": "occupation", "l": 2}),
    ("l_diversity", {"column": "occupation", "l": 3}),
    ("l_diversity", {"column": "occupation", "l": 5}),
    ("l_diversity", {"column": "occupation", "l": 3, "variant": "entropy"}),
    ("t_closeness", {"column": "occupation", "t": 0.5}),
    ("t_closeness", {"column": "occupation", "t": 0.4}),
    ("t_closeness", {"column": "occupation", "t": 0.3}),
)


def main() -> None:
    """Prints loss (NCP, in percent) and suppressed rows of both, for each model and limit."""
    for model, entry in _MODELS:
        for percent in (2, 10, 30):
            plain = _released(model, entry, 5, percent, {})
            options = {"blind": True, "reserve": f"{percent / 2:g}%"}
            blind = [f"k = {k} {_released(model, entry, k, percent, options)}" for k in _KS]
            shown = " ".join(str(value) for key, value in entry.items() if key != "column")
            print(f"{model} {shown}, limit {percent} %: k = 5 {plain}; blind {', '.join(blind)}", flush=True)


def _released(model: str, entry: dict[str, Any], k: int, percent: int, more: dict[str, Any]) -> str:
    overrides = [
        ("privacy", {"k": k, model: entry}),
        ("suppression.limit", f"{percent}%"),
        ("missing", "drop-any"),  # without work there is no occupation
        ("algorithm", {"name": "optimal", **more}),
    ]
    try:
        report = kanon_sql.run(_CONFIG, overrides=overrides, dry_run=True, advice=False, progress=False).report
    except NoReleaseError:
        return "no release"
    return f"{report['loss']['ncp']:.2f} % ({report['rows']['suppressed']:,} rows)"


if __name__ == "__main__":
    main()
