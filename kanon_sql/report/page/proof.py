"""The evidence as tables: files, hierarchies, counts that anybody can repeat, versions.

How the release was chosen, in words: the search, how sure it is, what other settings would lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_sql.report.page.model import Evidence, FileFacts, PageFacts, PageTable
from kanon_sql.report.words import UNKNOWN, count, counted, percent, plain, size

if TYPE_CHECKING:
    from kanon_sql.results.run import Advice, AlgorithmUsed
    from kanon_sql.results.told import ToldLoss, ToldReport, ToldSearch

SALTED = "salted SHA-256"


@dataclass(frozen=True)
class File:
    """A table that was read or written: what is known of it, and its digest as a line of `sha256sum`."""

    what: str
    facts: tuple[tuple[str, str], ...]
    note: str


@dataclass(frozen=True)
class Again:
    """A statement that counts again, and the row that it gives as DuckDB prints it, its columns apart by commas."""

    title: str
    sql: str
    expected: str


@dataclass(frozen=True)
class Proof:
    """What the section says."""

    files: tuple[File, ...]
    recounts: tuple[Again, ...]
    hierarchies: PageTable | None
    run: PageTable


def lay_out(facts: PageFacts) -> Proof | None:
    """The evidence of a page; None where none was gathered."""
    evidence = facts.evidence
    if evidence is None:
        return None
    return Proof(
        files=(_file("Source", evidence.source), _file("Release", evidence.release)),
        recounts=tuple(Again(recount.title, recount.sql, _row(recount.expected)) for recount in evidence.recounts),
        hierarchies=_hierarchies(evidence),
        run=_run(facts, evidence),
    )


def _file(what: str, file: FileFacts) -> File:
    listed = [
        ("name", file.label),
        ("rows", "" if file.rows is None else count(file.rows)),
        ("size", "" if file.size is None else size(file.size)),
        ("SHA-256", file.sha256 or ""),
        (SALTED, file.salted or ""),
    ]
    return File(what, tuple((name, text) for name, text in listed if text), file.note or "")


def _row(values: Sequence[Any]) -> str:
    plain = {None: "NULL", True: "true", False: "false"}
    return ", ".join(plain[entry] if entry is None or isinstance(entry, bool) else str(entry) for entry in values)


def _hierarchies(evidence: Evidence) -> PageTable | None:
    rows = tuple(
        (hierarchy.column, hierarchy.origin, count(hierarchy.levels), hierarchy.digest)
        for hierarchy in evidence.hierarchies
    )
    return (
        PageTable("What values were generalized by", ("column", "from", "levels", SALTED), rows, (0, 1, 3))
        if rows
        else None
    )


def _run(facts: PageFacts, evidence: Evidence) -> PageTable:
    seconds = facts.report.get("seconds") or {}
    took = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
    listed: Sequence[tuple[str, str]] = (
        *evidence.versions,
        *evidence.machine,
        ("seconds", took or UNKNOWN),
        *((f"ledger: {what}", text) for what, text in evidence.ledger),
    )
    return PageTable(
        "Versions, machine, time", ("what", "which"), tuple((what, plain(text)) for what, text in listed), (0, 1)
    )


_SEARCHES = {
    "optimal": "Every quasi-identifier has one level for all rows. Of all choices of levels the search takes the one "
    "that loses least among those that satisfy what was asked for.",
    "samarati": "Every quasi-identifier has one level for all rows. The search takes a satisfying choice of levels of "
    "the least height, which is the sum of the levels.",
    "minimal": "Every quasi-identifier has one level for all rows. The search finds all minimal choices of levels, "
    "below which none satisfies, and takes the best of them.",
    "mondrian": "The rows are cut in two, again and again, as long as both parts hold what was asked for; what cannot "
    "be cut any more is a class with labels of its own.",
    "local": "Each class has labels of its own: rows that are alike are put together, and each class is generalized no "
    "further than it needs.",
    "microaggregation": "Rows that are alike are put together in classes, and each class has one value in place of its "
    "own.",
}


@dataclass(frozen=True)
class Choice:
    """What the section says."""

    search: str
    how: str
    effort: str
    alternatives: PageTable | None
    loss: PageTable | None


def explain(facts: PageFacts) -> Choice:
    """The search of a report in words, whatever it came to."""
    report = facts.report
    return Choice(
        search=algorithm(report["algorithm"]),
        how=_SEARCHES.get(report["algorithm"]["name"], ""),
        effort=_effort(report),
        alternatives=_alternatives(report),
        loss=_loss(report["loss"]),
    )


def algorithm(described: AlgorithmUsed) -> str:
    """The search and its settings."""
    name, *options = described.items()
    texts = ((key, " and ".join(value) if isinstance(value, list) else value) for key, value in options)
    settings = ", ".join(f"{key} {value}" for key, value in texts)
    return f"{name[1]}, {settings}" if settings else str(name[1])


def change(alternative: Advice) -> str:
    """What an alternative changes, as the command line takes it."""
    if "without" in alternative:
        return f"without {alternative['without']}"
    return " ".join(f"--set {key}={value}" for key, value in alternative["change"].items())


def _effort(report: ToldReport) -> str:
    search = report["search"]
    if search is None:
        ended = report["status"] != "released"
        return "The run ended before the search." if ended else "What the search came to is not known any more."
    why = "It was interrupted" if search.get("interrupted") else "Time ran out"
    if "rounds" in search:
        stopped = "" if search["finished"] else f" {why} before nothing was left to do."
        of = f"{counted(search['tuples'], 'distinct combination')} of values"
        proven = _gap(search) or "It is not proven that no other classes would lose less."
        return f"The search put {of} into classes in {counted(search['rounds'], 'round')}.{stopped} {proven}"
    if search["checked"] is None:
        return _untold(search, why)
    nodes = f"{count(search['checked'])} of {counted(search['lattice_nodes'], 'choice')} of levels were counted"
    if search["proven"]:
        best = "the result is the best" if report["classes"] is not None else "none of them satisfies"
        return f"{nodes}; the others follow from these, or could not be better. It is proven that {best}."
    if "blind" in search:
        alone = "The levels were chosen without a look at sensitive values; then classes that violate were suppressed."
        stopped = "" if search["blind"]["proven"] else f" {why}: another choice may be better."
        return f"{nodes}. {alone}{stopped} {_gap(search)}".rstrip()
    bound = "" if search.get("bound") is None else f"; none has an objective below {search['bound']:.6g}"
    return f"{nodes}. {why}: it is not proven that the result is the best{bound}. {_gap(search)}".rstrip()


def _untold(search: ToldSearch, why: str) -> str:
    """How sure the search is, without what it counted of other choices."""
    of = f"There are {counted(search['lattice_nodes'], 'choice')} of levels"
    untold = (
        "How many rows others would suppress, and what other settings would lose, is not told: it would tell of the "
        "rows that were suppressed, or of who in a class has which sensitive value. Whoever holds the source reads it "
        "in the run's own report."
    )
    if search["proven"]:
        return f"{of}; it is proven that the result is the best. {untold}"
    if "blind" in search:
        alone = "The levels were chosen without a look at sensitive values; then classes that violate were suppressed."
        return f"{of}. {alone} {untold}"
    return f"{of}. {why}: it is not proven that the result is the best. {untold}"


def _gap(search: ToldSearch) -> str:
    """How far from the best the result can be."""
    gap = search.get("gap")
    return "" if gap is None else f"It is proven that the objective is at most {percent(gap)} above the least there is."


def _alternatives(report: ToldReport) -> PageTable | None:
    rows = []
    for alternative in report.get("advice") or ():
        instead, others = alternative.get("instead_of"), " in the other columns" if "without" in alternative else ""
        rows.append(
            (
                change(alternative),
                f"{percent(alternative['loss']['ncp'] / 100)}{'' if alternative['exact'] else ' or less'}{others}",
                percent(instead["ncp"] / 100) if instead else "no release",
                count(alternative["suppressed"]),
            )
        )
    head = ("change", "loss then", "loss now", "rows suppressed then")
    return PageTable("What other settings would lose", head, tuple(rows)) if rows else None


def _loss(loss: ToldLoss | None) -> PageTable | None:
    if loss is None:
        return None
    named = (
        ("lm", "loss metric: sum over the quasi-identifiers, 0 to 1 each"),
        ("ncp", "the same in percent of the worst"),
        ("geometric_mean", "geometric mean of the losses"),
        ("objective", "what the search made least"),
        ("precision", "precision: 1 is as in the source"),
        ("c_avg", "average class size / k: 1 is the least"),
        ("average_class_size", "released rows / classes"),
        ("discernibility", "discernibility: squared class sizes, n for each suppressed row"),
        ("entropy", "entropy lost, in bits"),
    )
    rows = tuple((name, meaning, plain(value)) for name, meaning in named if (value := loss.get(name)) is not None)
    return PageTable("Measures of loss", ("measure", "what it is", "value"), rows, (0, 1))
