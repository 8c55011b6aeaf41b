"""Runs whose facts are looked at before a page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import kanon_sql
from kanon_sql.measures.evidence import gathering
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.report.page.model import PageFacts

Json = dict[str, Any]


def facts_of(config: Json, folder: Path, parts: Sequence[str] = (), **settings: Any) -> tuple[Json, PageFacts]:
    """(the report, the facts) of a run with a page; with `parts` no others are gathered."""
    report, kept = _gathered(config, folder, parts, [{}], **settings)
    return report, kept[0]


def facts_afterwards(config: Json, folder: Path, parts: Sequence[str]) -> list[PageFacts]:
    """The facts of a run; those without what its search came to; those without the source, too."""
    without: list[Json] = [{}, {"result": None}, {"result": None, "source": None}]
    return _gathered(config, folder, parts, without)[1]


def _gathered(
    config: Json, folder: Path, parts: Sequence[str], changes: Sequence[Json], **settings: Any
) -> tuple[Json, list[PageFacts]]:
    kept: list[PageFacts] = []
    gather, only = gathering.gather, {name: gathering.PARTS[name] for name in parts} or gathering.PARTS

    def keeping(subject: ReleasePair, report: Any, recipe: str | None) -> PageFacts:
        assert subject.result is not None
        said: Any = {**report, "solution": subject.result.describe(), "loss": subject.result.describe_loss()}
        kept.extend(gather(replace(subject, **change), said, recipe) for change in changes)
        return kept[0]

    with patch.object(gathering, "gather", keeping), patch.object(gathering, "PARTS", only):
        run = kanon_sql.run(config, progress=None, advice=False, html=folder / "page.html", **settings)
    return run.report, kept
