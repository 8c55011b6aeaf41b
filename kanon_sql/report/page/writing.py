"""The page of a release as a file."""

from __future__ import annotations

from pathlib import Path

from kanon_sql.report.page.model import PageFacts
from kanon_sql.targets.staging_permissions import write_output


def write_page(path: Path, facts: PageFacts) -> None:
    """Writes the page all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    from kanon_sql.report.page.page import render  # what draws it is imported only where a page is made

    write_output(path, render(facts), "page", private=True)
