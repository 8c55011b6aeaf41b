"""The page of a release as one HTML text that loads nothing."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from kanon_sql.report.charts import figure
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.page import choice, columns, comparison, proof, summary, utility
from kanon_sql.report.page.drawings import draw
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.recipes.registry import recipe_of
from kanon_sql.report.page.told import told

_TEMPLATES = Path(__file__).parent / "templates"

# The sections in their order: the name of their anchor, which is that of their template, and their heading.
SECTIONS = (
    ("summary", "Summary"),
    ("comparison", "Before and after"),
    ("columns", "Each quasi-identifier"),
    ("utility", "What the data are still good for"),
    ("choice", "How it was chosen"),
    ("evidence", "Evidence"),
    ("words", "Words"),
    ("limits", "What k does not promise"),
    ("signature", "Signatures"),
)


def render(facts: PageFacts) -> str:
    """The page that shows what may be told of `facts`: one HTML file with its style and its scripts.

    A browser need not run these.
    """
    facts = told(facts)
    scripts = (figure.SCRIPT, _static("script.js"))
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            facts=facts,
            name=facts.title.rstrip("/").rpartition("/")[2] or "A release",
            report=facts.report,
            k=facts.report["privacy"]["k"]["required"],
            sections=SECTIONS,
            summary=summary.summarize(facts),
            comparison=comparison.compare(facts),
            columns=columns.view_columns(facts),
            overview=columns.overview(facts),
            utility=utility.describe(facts),
            choice=choice.explain(facts),
            proof=proof.lay_out(facts),
            recipe=recipe_of(facts),
            figures=draw(facts),
            style=Markup(figure.STYLE + _static("style.css")),
            scripts=[Markup(script) for script in scripts],
            policy=_policy(scripts),
        )
    )


def _policy(scripts: Iterable[str]) -> str:
    """What the browser is forbidden: all loading, and every script but these."""
    digests = (b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; base-uri 'none'; form-action 'none'"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    made.filters["block"] = _block
    return made


def _printable(value: Any) -> Any:
    """Texts of others on one line, without characters that a page may not hold or that reorder it."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _block(text: str) -> Markup:
    """A text of several lines, such as a statement, its lines and their indents kept."""
    lines = (line[: len(line) - len(line.lstrip(" "))] + clean(line) for line in text.splitlines())
    return escape("\n".join(lines))


@cache
def _static(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
