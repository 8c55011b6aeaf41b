"""What the page tells of a report and of figures of utility: less than the JSON report, which is confidential.

Whoever has the release and the page may subtract one from the other. So the page shows what follows from the release,
from how many rows were suppressed, and from the quasi-identifiers that the released rows have in the source; of these
never which row of a class has which of them, so that whatever rows of a class change places, the page stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from kanon_sql.privacy.registry import MODELS
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.texts import NOT_TOLD, Json, plain
from kanon_sql.report.page.utility import ASSOCIATION, DISTANCE, ERROR, PROPENSITY, Steps, word_of

MANY_ROWS = 1_000
"""Of fewer released rows figures that compare the source have one digit, and some of them no word either."""

OF_ALL_ROWS = ("t_closeness", "beta", "delta_disclosure")
"""The models that compare a class with all rows, suppressed ones among them."""

NEAR = 1e-9
"""What was counted again may pass a threshold by so much (docs/models.md)."""

_DIGITS, _FEW_DIGITS = 3, 1

# Figures of warnings: counts of all rows of the source, and what one column tells of another.
_FIGURES = (
    (re.compile(r" \(\d+ ?% sure: .*\)(?=; name it)"), ""),
    (re.compile(r"\bin \d[\d,]* of \d[\d,]* rows\b"), "in many rows"),
    (re.compile(r"\bin \d+ ?% of [\d,]+ rows(?: looked at)? \(by chance \d+ ?%\)"), "in many rows"),
)


def left_out(report: Json) -> int:
    """The rows that were suppressed and are not even released as masked ones; 0 where that is not known."""
    if report.get("classes") is None:
        return 0
    rows = report["rows"]
    return int((rows["suppressed"] or 0) - (rows["masked"] or 0))


def tells_little(report: Json) -> bool:
    """Whether what other choices of levels would do tells of suppressed rows, or of the sensitive values of others."""
    if report.get("classes") is None:
        return False
    return left_out(report) > 0 or any("column" in entry for _, entry in _models(report))


def told(facts: PageFacts) -> PageFacts:
    """The facts with what the page tells of them; those of a run without a release are all told."""
    report = facts.report
    if report.get("classes") is None:
        return facts
    changed: Json = {"warnings": [_without_figures(text) for text in report.get("warnings") or ()]}
    if left_out(report):
        changed |= {"loss": facts.loss, "privacy": _privacy(report["privacy"])}
    if tells_little(report):
        changed |= {"search": _search(report["search"]), "advice": []}
    utility = facts.utility and _utility(facts.utility, _quasi_identifiers(facts), report["rows"]["released"] or 0)
    return replace(facts, report={**report, **changed}, utility=utility)


def _models(report: Json) -> list[tuple[str, Json]]:
    """The entries of the models beside k."""
    privacy: Json = report["privacy"]
    listed = [(key, entry if isinstance(entry, list) else [entry]) for key, entry in privacy.items() if key in MODELS]
    return [(key, entry) for key, entries in listed for entry in entries]


def _privacy(privacy: Json) -> Json:
    """The entries: of models that compare a class with all rows only whether they hold."""
    return {
        key: entry
        if key not in OF_ALL_ROWS
        else [_whether(key, one) for one in entry]
        if isinstance(entry, list)
        else _whether(key, entry)
        for key, entry in privacy.items()
    }


def _whether(key: str, entry: Json) -> Json:
    """An entry with what was asked for in place of what was reached, where that is no worse."""
    required, actual = entry["required"], entry["actual"]
    if actual is None:
        return entry
    least = next(iter(MODELS[key].thresholds.values())) == "least"
    holds = actual >= required - NEAR if least else actual <= required + NEAR
    return (
        {**entry, "actual": f"{'at least' if least else 'at most'} {plain(required)}", "holds": True}
        if holds
        else entry
    )


def _search(search: Json | None) -> Json | None:
    """The entry without what was counted of other choices."""
    return None if search is None or "rounds" in search else {**search, "checked": None, "bound": None, "gap": None}


def _without_figures(text: str) -> str:
    for pattern, instead in _FIGURES:
        text = pattern.sub(instead, text)
    return text


def _quasi_identifiers(facts: PageFacts) -> set[str]:
    named = (facts.report.get("configuration") or {}).get("quasi_identifiers") or ()
    return {*named, *(column.name for column in facts.columns)}


def _utility(utility: Json, quasi: Collection[str], rows: int) -> Json:
    """The entry `utility`, each figure with its word, and without what links quasi-identifiers to other columns.

    A word of few steps is told of such a link where many rows make it up.
    """
    digits = _DIGITS if rows >= MANY_ROWS else _FEW_DIGITS
    linked = rows >= MANY_ROWS
    return {
        **utility,
        "columns": {name: _distances(one, digits) for name, one in utility["columns"].items()},
        "pairs": [_pair(one, quasi, digits, linked=linked) for one in utility.get("pairs") or ()],
        "queries": _queries(utility.get("queries"), linked=linked),
        "pmse": _worded(utility.get("pmse"), PROPENSITY, linked=linked),
        "prediction": _prediction(utility.get("prediction")),
    }


def _distances(one: Json, digits: int) -> Json:
    varied, moved = one["total_variation"], one.get("earth_mover")
    return {
        **one,
        "total_variation": _rounded(varied, digits),
        "earth_mover": _rounded(moved, digits),
        "word": word_of(varied, *DISTANCE),
    }


def _pair(one: Json, quasi: Collection[str], digits: int, *, linked: bool) -> Json:
    known = [name in quasi for name in one["columns"]]
    before, after = one["source"], one["release"]
    word = word_of(None if before is None or after is None else abs(after - before), *ASSOCIATION)
    found = {**one, "source": _rounded(before, digits), "release": _rounded(after, digits), "word": word}
    if any(known) and not all(known) and before is not None:
        found |= {"source": None, "untold": True, "word": word if linked else NOT_TOLD}
    return found


def _queries(queries: Json | None, *, linked: bool) -> Json | None:
    if queries is None:
        return None
    figures = ("median_relative_error", "p95_relative_error")
    return {**queries, **{name: _worded(queries[name], ERROR, linked=linked) for name in figures}}


def _worded(value: float | None, steps: Steps, *, linked: bool) -> str | None:
    """A word in place of a figure; none where that would tell too much."""
    return None if value is None else word_of(value, *steps) if linked else ""


def _prediction(prediction: Json | None) -> Json | None:
    if not prediction:
        return prediction
    return {name: {**one, "source": None, "untold": ["source"]} for name, one in prediction.items()}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
