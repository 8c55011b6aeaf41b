"""What is left of each quasi-identifier, in words.

The figures of utility with what they mean, and how good they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_sql.report.page.model import ColumnFacts, PageFacts, PageTable, Step
from kanon_sql.report.words import NOT_TOLD, UNKNOWN, count, counted, decimal, joined, percent

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldDistance, ToldPair, ToldPrediction, ToldReport, ToldUtility

_LONGEST_LABEL = 40


@dataclass(frozen=True)
class ColumnView:
    """A quasi-identifier in words, beside its facts."""

    facts: ColumnFacts
    anchor: str
    known: str


def view_columns(facts: PageFacts) -> tuple[ColumnView, ...]:
    """Each quasi-identifier as the page shows it."""
    return tuple(
        ColumnView(column, f"column-{place}", known(facts, column)) for place, column in enumerate(facts.columns, 1)
    )


def overview(facts: PageFacts) -> PageTable:
    """All quasi-identifiers in one table."""
    rows = [
        (
            shortened(column.name),
            "by class"
            if column.level is None
            else f"{column.level} of {max((step.level for step in column.steps), default=0)}",
            count(column.distinct[0]),
            count(column.distinct[1]),
            percent(column.loss),
            column.generalized_by,
        )
        for column in facts.columns
    ]
    head = ("column", "level", "values before", "after", "loss", "generalized by")
    return PageTable("Quasi-identifiers, and what is left of each", head, tuple(rows), texts=(0, 5))


def known(facts: PageFacts, column: ColumnFacts) -> str:
    """What a release tells of a column: "in steps of 10"."""
    shown = _asked(facts.report, column.name).get("aggregate")
    if shown is not None and column.level != 0 and column.loss:
        return (
            "by the least and the greatest value of each class" if shown == "interval" else f"the {shown} of each class"
        )
    if column.level is None:
        return _by_class(facts.report, column)
    step = next((step for step in column.steps if step.level == column.level), None)
    if column.distinct[1] == 1 and column.level > 0:
        return "nothing: one label for all rows"
    if column.level == 0:
        suppressed = facts.report["rows"]["suppressed"] and column.loss
        return f"as in the source{', but for suppressed rows' if suppressed else ''}"
    return _built_in(_asked(facts.report, column.name), column.level) or _groups(column, step)


def shortened(label: str | None) -> str:
    """A label as a cell holds it, cut where it is long."""
    if label is None:
        return "(missing)"
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"


def _asked(report: ToldReport, name: str) -> Mapping[str, Any]:
    """What the configuration says of a quasi-identifier, where the report has it."""
    listed = (report.get("configuration") or {}).get("quasi_identifiers")
    spec = listed.get(name) if isinstance(listed, dict) else None
    return spec if isinstance(spec, dict) else {}


def _built_in(entry: Mapping[str, Any], level: int) -> str | None:
    """What a level of a built-in hierarchy keeps."""
    keys = {"intervals": "widths", "prefix": "keep", "date": "levels"}
    listed = entry.get(keys.get(entry.get("builtin", ""), ""))
    if not isinstance(listed, list) or not 0 < level <= len(listed):
        return None
    kept: Any = listed[level - 1]
    if entry["builtin"] == "intervals":
        return f"in steps of {kept}"
    if entry["builtin"] == "date":
        return f"by {kept}"
    return f"by {'its first character' if kept == 1 else f'its first {kept} characters'}"


def _groups(column: ColumnFacts, step: Step | None) -> str:
    before, after = column.distinct
    groups = counted(after, "group")
    instead = f" instead of {count(before)} values" if before is not None else ""
    labels = [shortened(label) for label in column.labels[:2]]
    return f"in {groups}{instead}{f', such as {joined(labels)}' if labels else ''}"


def _by_class(report: ToldReport, column: ColumnFacts) -> str:
    """How many rows are exact, coarser or not told; the report says it too where the search is local."""
    top = max((step.level for step in column.steps), default=0)
    rows_by_level = {step.level: step.rows for step in column.steps if step.rows}
    solution = report["solution"]
    by_level = solution["rows_by_level"].get(column.name, {}) if solution and "rows_by_level" in solution else {}
    rows_by_level = rows_by_level or {int(level): count for level, count in by_level.items()}
    rows, exact = sum(rows_by_level.values()), rows_by_level.get(0, 0)
    if column.loss == 0 or (rows and exact == rows):
        return "as in the source"
    if not rows:
        return "each class has labels of its own"
    ends_in_star = any(step.level == top > 0 and step.labels == ("*",) for step in column.steps)
    hidden = rows_by_level.get(top, 0) if ends_in_star else 0
    coarser = rows - exact - hidden
    parts = [f"exactly in {percent(exact / rows)} of the rows" if exact else "exactly in no row"]
    parts += [f"coarser in {percent(coarser / rows)}"] * bool(coarser)
    parts += [f"not at all in {percent(hidden / rows)}"] * bool(hidden)
    return joined(parts)


Steps = tuple[Sequence[tuple[float, str]], str]  # (up to where a word goes, the word) ..., and the word beyond

# Where one word ends and the next begins; nobody's norm, said as such on the page.
DISTANCE: Steps = (((0.01, "nearly the same"), (0.05, "close"), (0.15, "some difference")), "far apart")
ASSOCIATION: Steps = (((0.02, "kept"), (0.1, "roughly kept")), "not kept")
ERROR: Steps = (((0.05, "good"), (0.2, "fair")), "poor")
# Propensities are 1/2 for all rows where nothing tells source and release apart, 0 or 1 where everything does.
_WORST_PMSE = 0.25
PROPENSITY: Steps = (
    ((0.01, "hard to tell apart"), (0.05, "somewhat different"), (0.125, "clearly different")),
    "easily told apart",
)

_MEASURES = {
    "cramers_v": "Cram\N{LATIN SMALL LETTER E WITH ACUTE}r's V",
    "correlation_ratio": "correlation ratio",
    "pearson": "Pearson's r",
}


@dataclass(frozen=True)
class Answer:
    """One number: what it is, what it means here, and a word for how good it is."""

    name: str
    number: str
    meaning: str
    word: str


@dataclass(frozen=True)
class Utility:
    """What the section says."""

    columns: PageTable
    pairs: PageTable | None
    answers: tuple[Answer, ...]
    prediction: PageTable | None
    warnings: tuple[str, ...]


def describe(facts: PageFacts) -> Utility | None:
    """The utility of a release in words and tables; None where it was not measured."""
    utility = facts.utility
    if utility is None:
        return None
    return Utility(
        columns=_columns(utility["columns"]),
        pairs=_pairs(utility.get("pairs") or ()),
        answers=tuple(_answers(utility)),
        prediction=_prediction(utility.get("prediction")),
        warnings=tuple(utility.get("warnings") or ()),
    )


def word_of(value: float | None, bounds: Sequence[tuple[float, str]], beyond: str) -> str:
    """The word of the first bound that a value does not pass."""
    if value is None:
        return "not measured"
    return next((word for bound, word in bounds if value <= bound), beyond)


def _columns(columns: Mapping[str, ToldDistance]) -> PageTable:
    rows = [
        (
            shortened(name),
            decimal(column["total_variation"]),
            decimal(column.get("earth_mover")),
            column.get("word") or word_of(column["total_variation"], *DISTANCE),
        )
        for name, column in columns.items()
    ]
    head = ("column", "total variation", "earth mover's", "in a word")
    return PageTable("Distances of the distributions of each column, source to release", head, tuple(rows), (0, 3))


def _pairs(pairs: Sequence[ToldPair]) -> PageTable | None:
    rows = []
    for pair in pairs:
        before, after = pair["source"], pair["release"]
        change = None if before is None or after is None else abs(after - before)
        rows.append(
            (
                " and ".join(shortened(name) for name in pair["columns"]),
                _MEASURES.get(str(pair.get("measure")), ""),
                NOT_TOLD if pair.get("untold") else decimal(before),
                decimal(after),
                pair["word"] if "word" in pair else word_of(change, *ASSOCIATION),
            )
        )
    head = ("columns", "measure", "source", "release", "in a word")
    return PageTable("Association of pairs of columns", head, tuple(rows), (0, 1, 4)) if rows else None


def _answers(entry: ToldUtility) -> list[Answer]:
    """The figures, or the words that the page has in their place: "" where not even these are told."""
    answers = []
    queries, pmse = entry.get("queries"), entry.get("pmse")
    if queries is not None:
        questions = f"of {count(queries['count'])} random questions" if queries.get("count") else "of random questions"
        such = "\N{LEFT DOUBLE QUOTATION MARK}how many rows are f and 30 to 39\N{RIGHT DOUBLE QUOTATION MARK}"
        for what, value, meaning in (
            (
                "Counting, half of the answers",
                queries["median_relative_error"],
                f"half {questions} such as {such} are answered with no greater relative error",
            ),
            (
                "Counting, 95 of 100 answers",
                queries["p95_relative_error"],
                "19 of 20 are answered with no greater relative error; rare combinations do worst",
            ),
        ):
            number, word = _number_and_word(value, percent(value) if not isinstance(value, str) else "", ERROR)
            answers.append(Answer(what, number, meaning, word))
    if pmse is not None:
        number, word = _number_and_word(pmse, decimal(pmse, 4) if not isinstance(pmse, str) else "", PROPENSITY)
        meaning = "how well a model tells rows of the release from rows of the source: 0 not at all, "
        answers.append(Answer("Propensity (pMSE)", number, f"{meaning}{_WORST_PMSE:g} always", word))
    return answers


def _number_and_word(value: float | str | None, number: str, steps: Steps) -> tuple[str, str]:
    """A figure and its word; of a word in the place of a figure that word."""
    return (NOT_TOLD, value) if isinstance(value, str) else (number, word_of(value, *steps))


def _prediction(prediction: Mapping[str, ToldPrediction] | None) -> PageTable | None:
    if not prediction:
        return None
    rows = [
        (
            shortened(name),
            *(
                percent(entry[key])
                if entry.get(key) is not None
                else NOT_TOLD
                if key in entry.get("untold", ())
                else UNKNOWN
                for key in ("guessing", "source", "release")
            ),
        )
        for name, entry in prediction.items()
        if isinstance(entry, dict)
    ]
    head = ("predicted column", "guessing the most frequent", "learnt from the source", "learnt from the release")
    return PageTable("Accuracy of predicting sensitive columns", head, tuple(rows)) if rows else None
