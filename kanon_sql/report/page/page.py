"""The figures of each section, as far as there are facts for them.

The page of a release as one HTML text that loads nothing.

The page of a release as a file.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from kanon_sql.config.load import LoadedConfig
from kanon_sql.report.charts import figure
from kanon_sql.report.charts.columns import draw_bands, draw_labels, draw_steps
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import Figure, figure_html
from kanon_sql.report.charts.lattice_figure import draw_lattice
from kanon_sql.report.charts.pairs import draw_pairs
from kanon_sql.report.charts.risk import draw_class_sizes, draw_risks
from kanon_sql.report.page import columns, comparison, proof, summary
from kanon_sql.report.page.attacks import describe_attacks
from kanon_sql.report.page.comparison import found_by
from kanon_sql.report.page.model import ColumnFacts, PageFacts
from kanon_sql.report.page.recipes.registry import recipe_of
from kanon_sql.report.page.withheld import told
from kanon_sql.targets.staging_permissions import write_output


@dataclass(frozen=True)
class Drawings:
    """Figures as parts of the page, by section; those of `columns` for each quasi-identifier."""

    comparison: tuple[Markup, ...]
    columns: tuple[tuple[Markup, ...], ...]
    utility: tuple[Markup, ...]
    choice: tuple[Markup, ...]


def draw(facts: PageFacts) -> Drawings:
    """The figures of all facts that are there."""
    k = facts.report["privacy"]["k"]["required"]
    risk, pairs = facts.risk, facts.utility.get("pairs") if facts.utility else None
    return Drawings(
        comparison=_html(
            [draw_class_sizes(risk, k), replace(_bare(draw_risks(risk)), alt=found_by(risk, k))] if risk else ()
        ),
        columns=tuple(_html(_column(column, k, place)) for place, column in enumerate(facts.columns, 1)),
        utility=_html([_bare(draw_pairs(pairs))] if pairs else ()),
        choice=_html(
            [
                *([draw_lattice(facts.lattice)] if facts.lattice else ()),
                *([draw_bands(facts.classes)] if facts.classes else ()),
            ]
        ),
    )


def _column(column: ColumnFacts, k: int, place: int) -> list[Figure]:
    figures = [draw_steps(column, f"steps-{place}")] if len(column.steps) > 1 else []
    return [*figures, draw_labels(column, k, f"labels-{place}")] if column.bars else figures


def _bare(figure: Figure) -> Figure:
    """The figure without its numbers, where a table of the section has them and more."""
    return replace(figure, head=(), rows=())


def _html(figures: Iterable[Figure]) -> tuple[Markup, ...]:
    return tuple(Markup(figure_html(drawing)) for drawing in figures)  # each escapes its texts itself


_TEMPLATES = Path(__file__).parent / "templates"

# The sections in their order: the name of their anchor, which is that of their template, and their heading.
SECTIONS = (
    ("summary", "Summary"),
    ("comparison", "Before and after"),
    ("columns", "Each quasi-identifier"),
    ("utility", "What the data are still good for"),
    ("attacks", "What adversaries came to"),
    ("choice", "How it was chosen"),
    ("evidence", "Evidence"),
    ("words", "Words"),
    ("limits", "What k does not promise"),
    ("signature", "Signatures"),
)


def sections_of(facts: PageFacts) -> list[tuple[str, str]]:
    """The sections of a page: one on attacks where these were played."""
    played = facts.attacks is not None or "attacks" in facts.notes
    return [(name, heading) for name, heading in SECTIONS if played or name != "attacks"]


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
            sections=sections_of(facts),
            summary=summary.summarize(facts),
            comparison=comparison.compare(facts),
            columns=columns.view_columns(facts),
            overview=columns.overview(facts),
            utility=columns.describe(facts),
            attacks=describe_attacks(facts),
            choice=proof.explain(facts),
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
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    environment.filters["block"] = _block
    return environment


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


def page_text(facts: PageFacts, loaded: LoadedConfig) -> str:
    """The page as HTML, without what it may not show of the configuration."""
    from kanon_sql.report.page.withheld import withhold

    return render(withhold(facts, loaded))


def write_page(path: Path, text: str) -> None:
    """Writes a page all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    write_output(path, text, "page")
