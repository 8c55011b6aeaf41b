"""What the registries say of searches, models and engines: run this file to write the tables of docs/engines.md."""

from __future__ import annotations

from places import ROOT

from kanon_sql.privacy.registry import MODELS
from kanon_sql.settings.algorithms import AGGREGATES, ALGORITHMS, ENGINES, MEASURES
from kanon_sql.source.treatments.registry import TREATMENTS

PAGE = ROOT / "docs" / "engines.md"
BEGIN, END = "<!-- made by tests/support/support_matrix.py -->\n", "<!-- end of what is made -->\n"
ASKED = ("k", "entity", *MODELS)
SEARCHED_THERE = ("k", *(key for key, model in MODELS.items() if "population" not in model.model_fields))
# What an engine is declared to be able to do, in words.
ABILITIES = {
    "files": "a file or a folder of files as `source`",
    "databases": "tables of a database file, and what a query may read (`database`, `allow`)",
    "settings": "settings of the session (`engine.config`)",
    "formulas": "formulas in CSV are escaped (`csv.formulas`)",
    "in_place": "`target: in-place`",
    "pushdown": "`search_in: engine`",
}

_FORMATS = "`shift` and `cut` of texts in a `format`"
_LEDGER = "the ledger (`releases:`)"
_WARNINGS = "the warnings of columns that betray, and of dates beside shifted ones"


def allowed(model: str, search: str) -> tuple[bool, str]:
    """(whether a search judges what is asked for, what is to be said of it)."""
    algorithm = ALGORITHMS[search]
    if model in SEARCHED_THERE and algorithm.full_domain:
        return True, " ¹"
    if model == "k":
        return True, " ¹" if algorithm.pushdown else ""
    if model in SEARCHED_THERE and algorithm.pushdown:
        return True, " ¹ ²"
    if model in MODELS and "population" in MODELS[model].model_fields:
        return algorithm.full_domain, ""
    if "relaxed" in algorithm.options.get("cut", ()):
        return True, " ²"
    return True, " ³" if model == "entity" and "effort" in algorithm.options else ""


def matrix() -> str:
    """The tables in Markdown."""
    lines = [f"| | {' | '.join(ALGORITHMS)} |", f"|---{'|---' * len(ALGORITHMS)}|"]
    for model in ASKED:
        cells = ["{}{}".format("yes" if fits else "no", note) for fits, note in (allowed(model, s) for s in ALGORITHMS)]
        lines.append(f"| `{model}` | {' | '.join(cells)} |")
    engines = [f"| | {' | '.join(ENGINES)} |", f"|---{'|---' * len(ENGINES)}|"]
    for ability, words in ABILITIES.items():
        cells = ["yes" if getattr(engine, ability) else "no" for engine in ENGINES.values()]
        engines.append(f"| {words} | {' | '.join(cells)} |")
    for name, measured in MEASURES.items():
        engines.append(f"| `{name}` | {_cells([engine in measured for engine in ENGINES])} |")
    for treatment in TREATMENTS:
        cells_of = [engine in treatment.dialects for engine in ENGINES]
        engines.append(f"| `transform`: `{treatment.key}` | {_cells(cells_of)} |")
    # Of the portable core, in which releases are made everywhere.
    aggregates = ", ".join(f"`{name}`" for name in AGGREGATES)
    for words in (
        _FORMATS,
        f"`aggregate`: {aggregates}",
        "masked rows (`suppressed: mask`)",
        "`ranges: widened`",
        "households that are released together (`group`)",
        _LEDGER,
        _WARNINGS,
    ):
        engines.append(f"| {words} | {_cells([True] * len(ENGINES))} |")
    return "\n".join([*lines, "", *engines, ""])


def _cells(done: list[bool]) -> str:
    return " | ".join("yes" if is_done else "no" for is_done in done)


def written(page: str) -> str:
    """The page with the tables as they should be."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{matrix()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
