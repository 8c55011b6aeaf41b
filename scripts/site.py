"""Builds the documentation as a site: `python scripts/site.py [--version NAME] [-o FOLDER]`.

The README is its first page, `docs/mkdocs.yml` its configuration. What the pages link to outside of `docs` (statements,
examples) becomes a page of the site, too; a link to nothing ends the build. Each version stands in a folder of its own
below FOLDER, beside `versions.json`, which the pages list. It asks no other machine, and neither do the pages.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = "docs/mkdocs.yml"
# Pages that stand outside of docs and are pages of the site whether one links to them or not.
OUTSIDE = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "hierarchies/README.md",
)
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {".sql": "sql", ".py": "python", ".yaml": "yaml", ".toml": "toml", ".csv": "text", "": "sh"}
COPIED = {".png", ".svg", ".webp", ".css", ".js"}
# What the theme would fetch from another machine so that the search works in pages opened as files; ours stands beside.
SHIM = re.compile(r'<script src="https://unpkg.com/iframe-worker/shim"[^>]*></script>')
REDIRECT = '<!DOCTYPE html><title>kanon-sql</title><meta http-equiv="refresh" content="0; url={}/index.html">'


def place(path: PurePosixPath) -> PurePosixPath:
    """Where a file or folder of the project stands among the pages."""
    if path.parts[0] == "docs":
        return PurePosixPath(*path.parts[1:])
    if str(path) == "README.md":
        return PurePosixPath("index.md")
    within = PurePosixPath("project", path)
    if (ROOT / path).is_dir():
        return within / "index.md"
    return within if path.suffix in {".md", *COPIED} else within.with_name(f"{path.name}.md")


def linked(path: PurePosixPath, text: str) -> Iterator[PurePosixPath]:
    """The files and folders of the project that a page links to."""
    for match in LINK.finditer(FENCE.sub("", text)):
        if "://" not in match[2] and not match[2].startswith("mailto:"):
            target = PurePosixPath(os.path.normpath((path if (ROOT / path).is_dir() else path.parent) / match[2]))
            if (ROOT / target).exists():
                yield target


def moved(path: PurePosixPath, text: str) -> str:
    """The text of a page with its links to where the project's files stand among the pages."""

    def link(match: re.Match[str]) -> str:
        for page in linked(path, match[0]):
            target = os.path.relpath(place(page), place(path).parent)
            return f"{match[1]}{PurePosixPath(target)}{match[3] or ''})"
        return match[0]

    text = re.sub(r"^```(text output|yaml part)$", lambda fence: f"```{fence[1].split()[0]}", text, flags=re.MULTILINE)
    parts = re.split(f"({FENCE.pattern})", text, flags=FENCE.flags)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def page_of(path: PurePosixPath) -> str:
    """A file or a folder as Markdown; what is no documentation itself is not searched."""
    here = ROOT / path
    head = f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n"
    if here.is_dir():
        files = sorted(
            file for file in here.rglob("*") if file.suffix in {".sql", ".py"} and file.name != "__init__.py"
        )
        lines = [f"- [{file.relative_to(here)}]({file.relative_to(here)}){answers(file)}\n" for file in files]
        return head + "".join(lines)
    return f"{head}```{LANGUAGES.get(path.suffix, 'text')}\n{here.read_text(encoding='utf-8').rstrip()}\n```\n"


def answers(file: Path) -> str:
    """What a statement says that it answers."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return first.replace("-- Answers:", ":", 1) if first.startswith("-- Answers:") else ""


def lay_out(folder: Path) -> None:
    """Writes all pages below `folder`, beginning with docs and following the links."""
    waiting = [PurePosixPath(name) for name in OUTSIDE]
    waiting += [PurePosixPath(file.relative_to(ROOT)) for file in sorted((ROOT / "docs").rglob("*"))]
    done: set[PurePosixPath] = set()
    while waiting:
        path = waiting.pop()
        if path in done or ((ROOT / path).is_dir() and path.parts[0] == "docs") or str(path) == CONFIGURATION:
            continue
        done.add(path)
        target = folder / place(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in COPIED:
            shutil.copyfile(ROOT / path, target)
            continue
        text = (ROOT / path).read_text(encoding="utf-8") if path.suffix == ".md" else page_of(path)
        waiting += linked(path, text)
        target.write_text(moved(path, text), encoding="utf-8")


def build(version: str, out: Path) -> None:
    """Builds one version into its folder below `out`, in place of an earlier build of it, and lists it."""
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        lay_out(stage / "pages")
        shutil.copyfile(ROOT / CONFIGURATION, stage / "mkdocs.yml")
        (stage / "package").symlink_to(ROOT)
        words = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "mkdocs.yml"]
        done = subprocess.run(words, cwd=stage, check=False, env={**os.environ, "NO_COLOR": "1"})
        if done.returncode:
            raise SystemExit(done.returncode)
        for page in (stage / "built").rglob("*.html"):
            above = "../" * (len(page.relative_to(stage / "built").parts) - 1)
            text = SHIM.sub(f'<script src="{above}assets/worker.js"></script>', page.read_text(encoding="utf-8"))
            page.write_text(text, encoding="utf-8")
        shutil.rmtree(out / version, ignore_errors=True)
        shutil.copytree(stage / "built", out / version)
    enter(version, out)


def enter(version: str, out: Path) -> None:
    """Lists a version before those that stand below `out` already, and makes it the one that is shown first."""
    listing = out / "versions.json"
    listed = json.loads(listing.read_text(encoding="utf-8")) if listing.exists() else []
    others = [entry for entry in listed if entry["version"] != version and (out / entry["version"]).is_dir()]
    listing.write_text(
        json.dumps([{"version": version, "title": version, "aliases": []}, *others], indent=1) + "\n", encoding="utf-8"
    )
    (out / "index.html").write_text(REDIRECT.format(version) + "\n", encoding="utf-8")


def main() -> None:
    from kanon_sql import __version__

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--version", default=__version__, help="the folder and the name of this version")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "site", help="where all versions stand")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    build(given.version, given.output)
    print(f"{given.output / given.version / 'index.html'}")


if __name__ == "__main__":
    main()
