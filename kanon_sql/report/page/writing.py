"""The page of a release as a file."""

from __future__ import annotations

from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.report.page.model import PageFacts
from kanon_sql.targets.staging_permissions import write_output


def page_text(facts: PageFacts, loaded: LoadedConfig) -> str:
    """The page as HTML, without what it may not show of the configuration."""
    from kanon_sql.report.page.page import render  # what draws it is imported only where a page is made
    from kanon_sql.report.page.withheld import withhold

    return render(withhold(facts, loaded))


def write_page(path: Path, text: str) -> None:
    """Writes a page all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    write_output(path, text, "page")
