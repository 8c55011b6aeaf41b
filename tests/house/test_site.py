"""The documentation as a site: every page can be reached, every link leads somewhere, and nobody else is asked."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import pytest
import yaml
from browsing import WIDTHS, browser
from places import ROOT, SCRIPTS
from servers import missing_browser

import kanon_sql

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
# What a page loads by itself, from another machine.
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc="https?:|<link[^>]*\shref="https?:|url\(["']?https?:""")


@pytest.fixture(scope="module")
def site() -> ModuleType:
    """scripts/site.py."""
    spec = importlib.util.spec_from_file_location("site_script", SCRIPTS / "site.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(site: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two versions of the site, which is built strictly."""
    for package in ("zensical", "mkdocstrings_handlers.python"):
        pytest.importorskip(package)
    out = tmp_path_factory.mktemp("site")
    site.build("1.0", out)
    (out / "2.0").symlink_to(out / "1.0")
    site.enter("2.0", out)
    return out


def pages_of(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    return [page for below in (entry.values() if isinstance(entry, dict) else entry) for page in pages_of(below)]


def test_every_page_can_be_reached(site: ModuleType) -> None:
    listed = pages_of(yaml.safe_load((DOCS / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    here = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    outside = {str(site.place(PurePosixPath(name))) for name in site.OUTSIDE}
    assert len(listed) == len(set(listed))
    assert set(listed) == here | outside


@pytest.mark.slow
def test_every_link_leads_to_a_page(site: ModuleType, tmp_path: Path) -> None:
    """Among the pages as they are laid out, whose places differ from those in the project."""
    site.lay_out(tmp_path)
    links = 0
    for page in tmp_path.rglob("*.md"):
        text = site.FENCE.sub("", page.read_text(encoding="utf-8"))
        assert "```text output" not in text and "```yaml part" not in text
        for link in LINK.findall(text):
            if not link.startswith(("http", "mailto:")):
                assert (page.parent / link).exists(), f"{page.relative_to(tmp_path)}: {link}"
                links += 1
    assert links > 200


def test_every_public_name_is_in_the_reference() -> None:
    shown = re.findall(r"^::: kanon_sql\.(\w+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(shown) == sorted(set(kanon_sql.__all__) - {"__version__"})


@pytest.mark.tool
def test_the_site_is_built_strictly_and_asks_nobody(built: Path) -> None:
    pages = list((built / "1.0").rglob("*.html"))
    assert len(pages) > 40
    for file in [*pages, *(built / "1.0").rglob("*.css")]:
        assert not LOADED.search(file.read_text(encoding="utf-8")), file.name
    reference = (built / "1.0" / "api.html").read_text(encoding="utf-8")
    for name in set(kanon_sql.__all__) - {"__version__"}:
        assert f'id="kanon_sql.{name}"' in reference
    assert "hierarchy file, the name of a ready one" in reference  # of a docstring
    assert [entry["version"] for entry in json.loads((built / "versions.json").read_text())] == ["2.0", "1.0"]
    assert 'url=2.0/index.html"' in (built / "index.html").read_text()


@pytest.mark.browser
@pytest.mark.skipif(missing_browser() is not None, reason=missing_browser() or "")
def test_the_site_is_read_and_searched_as_files(built: Path) -> None:
    with browser() as chromium:
        for name in ("index", "configuration", "api"):
            for width in WIDTHS:
                with chromium.window(built / "1.0" / f"{name}.html", width) as window:
                    assert window.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                    assert {url.partition(":")[0] for url in window.requests} <= {"file", "data", "about"}
        with chromium.window(built / "1.0" / "index.html", 1400) as window:
            window.page.keyboard.press("Control+k")
            window.page.wait_for_timeout(1500)
            window.page.keyboard.type("t-closeness")
            window.page.get_by_text("Skewness and similarity").first.wait_for(timeout=10_000)
