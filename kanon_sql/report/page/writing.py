"""The page of a release as a file."""

from __future__ import annotations

from pathlib import Path

from kanon_sql.report.page.model import PageFacts
from kanon_sql.targets.staging_permissions import write_output


def page_text(facts: PageFacts) -> str:
    """The page as HTML."""
    from kanon_sql.report.page.page import render  # what draws it is imported only where a page is made

    return render(facts)


def write_page(path: Path, text: str) -> None:
    """Writes a page all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    write_output(path, text, "page", private=True)
