"""The figures of utility with what they mean, and how good they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.report.page.columns import shortened
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.texts import NOT_TOLD, UNKNOWN, Json, Table, count, decimal, percent

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

    columns: Table
    pairs: Table | None
    answers: tuple[Answer, ...]
    prediction: Table | None
    warnings: tuple[str, ...]


def describe(facts: PageFacts) -> Utility | None:
    """The utility of a release in words and tables; None where it was not measured."""
    found = facts.utility
    if found is None:
        return None
    return Utility(
        columns=_columns(found["columns"]),
        pairs=_pairs(found.get("pairs") or ()),
        answers=tuple(_answers(found)),
        prediction=_prediction(found.get("prediction")),
        warnings=tuple(found.get("warnings") or ()),
    )


def word_of(value: float | None, bounds: Sequence[tuple[float, str]], beyond: str) -> str:
    """The word of the first bound that a value does not pass."""
    if value is None:
        return "not measured"
    return next((word for bound, word in bounds if value <= bound), beyond)


def _columns(columns: Json) -> Table:
    rows = [
        (
            shortened(name),
            decimal(one["total_variation"]),
            decimal(one.get("earth_mover")),
            one.get("word") or word_of(one["total_variation"], *DISTANCE),
        )
        for name, one in columns.items()
    ]
    head = ("column", "total variation", "earth mover's", "in a word")
    return Table("Distances of the distributions of each column, source to release", head, tuple(rows), (0, 3))


def _pairs(pairs: Sequence[Json]) -> Table | None:
    rows = []
    for one in pairs:
        before, after = one["source"], one["release"]
        change = None if before is None or after is None else abs(after - before)
        rows.append(
            (
                " and ".join(shortened(name) for name in one["columns"]),
                _MEASURES.get(str(one.get("measure")), ""),
                NOT_TOLD if one.get("untold") else decimal(before),
                decimal(after),
                one["word"] if "word" in one else word_of(change, *ASSOCIATION),
            )
        )
    head = ("columns", "measure", "source", "release", "in a word")
    return Table("Association of pairs of columns", head, tuple(rows), (0, 1, 4)) if rows else None


def _answers(found: Json) -> list[Answer]:
    """The figures, or the words that the page has in their place: "" where not even these are told."""
    answers = []
    queries, pmse = found.get("queries"), found.get("pmse")
    if queries is not None:
        asked = f"of {count(queries['count'])} random questions" if queries.get("count") else "of random questions"
        such = "\N{LEFT DOUBLE QUOTATION MARK}how many rows are f and 30 to 39\N{RIGHT DOUBLE QUOTATION MARK}"
        for what, key, meaning in (
            (
                "Counting, half of the answers",
                "median_relative_error",
                f"half {asked} such as {such} are answered with no greater relative error",
            ),
            (
                "Counting, 95 of 100 answers",
                "p95_relative_error",
                "19 of 20 are answered with no greater relative error; rare combinations do worst",
            ),
        ):
            value = queries[key]
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


def _prediction(prediction: Json | None) -> Table | None:
    if not prediction:
        return None
    rows = [
        (
            shortened(name),
            *(
                percent(one[key]) if one.get(key) is not None else NOT_TOLD if key in one.get("untold", ()) else UNKNOWN
                for key in ("guessing", "source", "release")
            ),
        )
        for name, one in prediction.items()
        if isinstance(one, dict)
    ]
    head = ("predicted column", "guessing the most frequent", "learnt from the source", "learnt from the release")
    return Table("Accuracy of predicting sensitive columns", head, tuple(rows)) if rows else None
