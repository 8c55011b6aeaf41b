"""Runs whose facts are looked at before a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import kanon_sql
from kanon_sql.commands.page import gather as gathering
from kanon_sql.report.page.model import PageFacts

Json = dict[str, Any]


def facts_of(config: Json, folder: Path, parts: Sequence[str] = (), **settings: Any) -> tuple[Json, PageFacts]:
    """(the report, the facts) of a run with a page; with `parts` no others are gathered."""
    kept: list[PageFacts] = []
    gather, only = gathering.gather, {name: gathering.PARTS[name] for name in parts} or gathering.PARTS

    def keeping(*given: Any) -> PageFacts:
        kept.append(gather(*given))
        return kept[-1]

    with patch.object(gathering, "gather", keeping), patch.object(gathering, "PARTS", only):
        run = kanon_sql.run(config, progress=None, advice=False, html=folder / "page.html", **settings)
    return run.report, kept[-1]
