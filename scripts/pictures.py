"""Draws docs/pictures: parts of the page that a run of examples/adult writes, as a browser shows them.

scripts/chromium run -- python scripts/pictures.py [FOLDER]; needs `.[browser]`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kanon_sql

ROOT = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 1000, 800

# The pictures by name: the part of the page that each shows, and how many pixels of it at most.
PICTURES = {
    "one-screen": ("#summary", 556),
    "before-and-after": ("#figure-class-sizes", 640),
    "lattice": ("#figure-lattice", 936),
}


@contextmanager
def page(folder: Path) -> Iterator[Any]:
    """The page of the example in a window of the browser that scripts/chromium started."""
    from playwright.sync_api import sync_playwright

    before = Path.cwd()
    shutil.copytree(ROOT / "examples" / "adult", folder / "adult")
    os.chdir(folder / "adult")  # the page names files as the configuration does
    try:
        kanon_sql.run("config.yaml", html="page.html", advice=False)
        with sync_playwright() as playwright:
            browser = playwright.chromium.connect_over_cdp(os.environ["KANON_SQL_TEST_BROWSER"])
            context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            window = context.new_page()
            window.goto(Path("page.html").resolve().as_uri())
            yield window
            context.close()
            browser.close()
    finally:
        os.chdir(before)


def draw(folder: Path) -> None:
    """Writes all pictures to a folder."""
    with tempfile.TemporaryDirectory() as work, page(Path(work)) as window:
        for name, (part, most) in PICTURES.items():
            element = window.locator(part)
            element.scroll_into_view_if_needed()
            box = element.bounding_box()
            left, top = box["x"], box["y"] + window.evaluate("() => scrollY")
            clip = {"x": left - 12, "y": top - 12, "width": box["width"] + 24, "height": min(box["height"], most) + 24}
            window.screenshot(path=folder / f"{name}.png", clip=clip, full_page=True)


if __name__ == "__main__":
    if "KANON_SQL_TEST_BROWSER" not in os.environ:
        sys.exit("pictures.py: there is no browser; run it by: scripts/chromium run -- python scripts/pictures.py")
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    given.mkdir(parents=True, exist_ok=True)
    draw(given.resolve())
