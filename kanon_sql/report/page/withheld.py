"""What a page leaves out of what the JSON report holds, which is for its owner alone; a page goes to others.

Out of texts go literals of queries, texts of the source, and where files lie; names of columns and labels of the
release are as they are.

Out of figures goes what tells of suppressed rows: whoever has the release and the page may subtract one from the other.
So the page shows what follows from the release, from how many rows were suppressed, and from the quasi-identifiers that
the released rows have in the source; of these never which row of a class has which of them, so that whatever rows of a
class change places, the page stays the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlglot import TokenType, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.config.arguments import to_yaml
from kanon_sql.config.load import LoadedConfig
from kanon_sql.privacy.registry import MODELS
from kanon_sql.report.page.columns import ASSOCIATION, DISTANCE, ERROR, PROPENSITY, Steps, word_of
from kanon_sql.report.page.model import Evidence, PageFacts
from kanon_sql.report.words import NOT_TOLD, plain

if TYPE_CHECKING:
    from kanon_sql.results.run import Privacy
    from kanon_sql.results.told import (
        ToldDistance,
        ToldErrors,
        ToldPair,
        ToldPrediction,
        ToldReport,
        ToldSearch,
        ToldTable,
        ToldTables,
        ToldUtility,
    )

_TEXT, _NUMBER = "'\N{HORIZONTAL ELLIPSIS}'", "?"
_LITERALS = {
    **dict.fromkeys(
        (
            TokenType.STRING,
            TokenType.RAW_STRING,
            TokenType.HEREDOC_STRING,
            TokenType.NATIONAL_STRING,
            TokenType.UNICODE_STRING,
            TokenType.HEX_STRING,
            TokenType.BIT_STRING,
            TokenType.BYTE_STRING,
        ),
        _TEXT,
    ),
    TokenType.NUMBER: _NUMBER,
}
_LEFT_OUT = "(a query, not shown)"
# Folders before the name of a file: in quotes, where they may hold blanks, and in a sentence.
_QUOTED = re.compile(r"""(['"])(?:file://)?(?:/|~[\w.-]*/|[A-Za-z]:[\\/]|\\\\)[^'"\n]*[\\/]([^'"\n\\/]+)\1""")
_PLAIN = re.compile(
    r"(?:(?<![\w.)\]}/:\\~])|(?<=file://))(?:/(?=[^\s/])|~[\w.-]*/|[A-Za-z]:[\\/]|\\\\)(?:[^\s'\",;:/\\]+[\\/])*"
)
_HOMES = ("home", "Users", "users")


def without_literals(query: str) -> str:
    """A query with every text and every number that stands in it, and every comment, left out."""
    try:
        tokens = tokenize(query, read="duckdb")
    except SqlglotError:
        return _LEFT_OUT
    shown_query, end = "", 0
    for token in tokens:
        between = query[end : token.start]
        shown_query += between if not between.strip() else " "
        shown_query += _LITERALS.get(token.token_type, query[token.start : token.end + 1])
        end = token.end + 1
    return shown_query


def withhold(facts: PageFacts, loaded: LoadedConfig) -> PageFacts:
    """The facts of a page with what it does not show left out of their texts."""
    words = _Words.of(facts.report, loaded)
    return replace(
        facts,
        title=words.place(facts.title),
        report=words.report(facts.report),
        risk=words.tables(facts.risk),
        columns=tuple(replace(column, generalized_by=words.text(column.generalized_by)) for column in facts.columns),
        utility=words.every(facts.utility),
        evidence=words.evidence(facts.evidence, facts.report),
        notes={name: words.text(note) for name, note in facts.notes.items()},
    )


@dataclass(frozen=True)
class _Words:
    """What is replaced in texts: `folders` by nothing, `places` by the names of their files, `literals` by a mark.

    `users` are names of persons in paths.
    """

    folders: tuple[str, ...]
    places: Mapping[str, str]
    literals: Mapping[str, str]
    users: frozenset[str]

    @classmethod
    def of(cls, report: ToldReport, loaded: LoadedConfig) -> _Words:
        base = loaded.base.absolute()
        folders = {f"{path}/" for path in (base, base.resolve()) if path != path.parent}
        try:
            below = os.path.relpath(base)
        except (OSError, ValueError):  # the working folder is gone, or on another drive
            below = "."
        if not below.startswith("."):
            folders.add(f"{below}/")
        absolute = {text for text in _texts(report.get("configuration")) if text.startswith(("/", "~"))}
        literals = {text for query in _queries(report.get("configuration")) for text in _literals_of(query)}
        return cls(
            folders=tuple(sorted(folders, key=len, reverse=True)),
            places={text: _name(text) for text in sorted(absolute, key=len, reverse=True)},
            literals={f"'{text}'": _TEXT for text in sorted(literals, key=len, reverse=True)},
            users=frozenset(_users(base)),
        )

    def text(self, text: str) -> str:
        """A text of ours, in which names of files may stand."""
        for folder in self.folders:
            text = re.sub(rf"(?<![\w/.-]){re.escape(folder)}", "", text)
        for replacements in (self.places, self.literals):
            for hidden, instead in replacements.items():
                text = text.replace(hidden, instead)
        text = _PLAIN.sub("", _QUOTED.sub(r"\1\2\1", text))
        for user in self.users:
            text = re.sub(rf"(?:[^\s'\",;]*/)?{re.escape(user)}/(?:[^\s'\",;]*/)?", "", text)
        return text

    def place(self, text: str) -> str:
        """What names a file or a table, and nothing else."""
        shown = self.text(text)
        return _name(shown) if shown.startswith(("/", "~")) else shown

    def every(self, value: Any) -> Any:
        """All texts in what a report holds; its keys, which are names of columns, stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.every(entry) for key, entry in value.items()}
        return [self.every(entry) for entry in value] if isinstance(value, (list, tuple)) else value

    def report(self, report: ToldReport) -> ToldReport:
        """A JSON report as a page may show it; labels of the release are as they are."""
        kept: Mapping[str, Any] = {"labels": report["labels"]} if "labels" in report else {}
        shown: dict[str, Any] = self.every(
            {key: entry for key, entry in report.items() if key not in ("configuration", *kept)}
        )
        if "configuration" in report:
            shown["configuration"] = self.configuration(report["configuration"])
        for part, key, place in (
            ("source", "table", (report["source"] or {}).get("table")),
            ("release", "target", (report["release"] or {}).get("target")),
        ):
            if isinstance(place, str):
                shown[part][key] = self.place(place)
        return cast("ToldReport", {key: kept.get(key, shown.get(key)) for key in report})

    def configuration(self, value: Any, key: str = "") -> Any:
        """A configuration without what stands for values of the source."""
        if isinstance(value, Mapping):
            if key == "recode":
                return _counted(len(value))
            return {name: self.configuration(entry, str(name)) for name, entry in value.items()}
        if isinstance(value, (list, tuple)):
            return _counted(len(value)) if key == "missing" else [self.configuration(entry, key) for entry in value]
        if not isinstance(value, str):
            return value
        return self.text(without_literals(value)) if key == "query" else self.text(value)

    def tables(self, risk: ToldTables | None) -> ToldTables | None:
        """The risks of two tables, which are named."""
        if risk is None:
            return None
        return {**risk, "before": self._table(risk["before"]), "after": self._table(risk["after"])}

    def _table(self, table: ToldTable | None) -> ToldTable | None:
        return None if table is None else {**table, "table": self.place(table.get("table", ""))}

    def evidence(self, evidence: Evidence | None, report: ToldReport) -> Evidence | None:
        """The evidence; its statements name no folder and hold no text of the source that the release lacks already."""
        if evidence is None:
            return None
        source, release = (
            replace(file, label=self.place(file.label), note=None if file.note is None else self.text(file.note))
            for file in (evidence.source, evidence.release)
        )
        return replace(
            evidence,
            source=source,
            release=release,
            configuration=to_yaml(self.configuration(report["configuration"])) if report.get("configuration") else "",
            hierarchies=tuple(
                replace(hierarchy, origin=self.text(hierarchy.origin)) for hierarchy in evidence.hierarchies
            ),
            ledger=tuple((what, self.text(text)) for what, text in evidence.ledger),
        )


def _counted(texts: int) -> str:
    return f"({texts} {'text' if texts == 1 else 'texts'}, not shown)"


def _name(place: str) -> str:
    """The name of a file without its folders."""
    return re.split(r"[\\/]", place.rstrip("/\\"))[-1]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _texts(entry)


def _queries(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key == "query" and isinstance(entry, str):
                yield entry
            else:
                yield from _queries(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _queries(entry)


def _literals_of(query: str) -> Iterator[str]:
    """The texts that stand in a query."""
    try:
        tokens = tokenize(query, read="duckdb")
    except SqlglotError:
        return
    yield from (token.text for token in tokens if _LITERALS.get(token.token_type) == _TEXT and token.text)


def _users(base: Path) -> Iterator[str]:
    """Names of users that may stand in paths."""
    for path in (base, Path.home()):
        parts = path.parts
        yield from (after for before, after in pairwise(parts) if before in _HOMES)
    name = Path.home().name
    if name:
        yield name


MANY_ROWS = 1_000
"""Of fewer released rows figures that compare the source have one digit, and some of them no word either."""

OF_ALL_ROWS = ("t_closeness", "beta", "delta_disclosure")
"""The models that compare a class with all rows, suppressed ones among them."""

NEAR = 1e-9
"""What was counted again may pass a threshold by so much (docs/models.md)."""

_DIGITS, _FEW_DIGITS = 3, 1

Entry = Mapping[str, Any]  # of a model in a report's privacy, by the names of its options


def left_out(report: ToldReport) -> int:
    """The rows that were suppressed and are not even released as masked ones; 0 where that is not known."""
    if report.get("classes") is None:
        return 0
    rows = report["rows"]
    return int((rows["suppressed"] or 0) - (rows["masked"] or 0))


def tells_little(report: ToldReport) -> bool:
    """Whether what other choices of levels would do tells of suppressed rows, or of the sensitive values of others."""
    if report.get("classes") is None:
        return False
    return left_out(report) > 0 or any("column" in entry for _, entry in _models(report))


def told(facts: PageFacts) -> PageFacts:
    """The facts with what the page tells of them; those of a run without a release are all told."""
    report = facts.report
    if report.get("classes") is None:
        return facts
    shown: ToldReport = {**report, "warnings": [_without_figures(text) for text in report.get("warnings") or ()]}
    if left_out(report):
        shown = {**shown, "loss": facts.loss, "privacy": _privacy(report["privacy"])}
    if tells_little(report):
        shown = {**shown, "search": _search(report["search"]), "advice": []}
    utility = facts.utility and _utility(facts.utility, _quasi_identifiers(facts), report["rows"]["released"] or 0)
    return replace(facts, report=shown, utility=utility)


def _models(report: ToldReport) -> list[tuple[str, Entry]]:
    """The entries of the models beside k."""
    privacy: Mapping[str, Any] = report["privacy"]
    listed = [(key, entry if isinstance(entry, list) else [entry]) for key, entry in privacy.items() if key in MODELS]
    return [(key, entry) for key, entries in listed for entry in entries]


def _privacy(privacy: Privacy) -> Privacy:
    """The entries: of models that compare a class with all rows only whether they hold."""
    entries: Mapping[str, Any] = privacy
    shown = {
        key: entry
        if key not in OF_ALL_ROWS
        else [_whether(key, value) for value in entry]
        if isinstance(entry, list)
        else _whether(key, entry)
        for key, entry in entries.items()
    }
    return cast("Privacy", shown)  # each model has a key of its own


def _whether(key: str, entry: Entry) -> Entry:
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


def _search(search: ToldSearch | None) -> ToldSearch | None:
    """The entry without what was counted of other choices."""
    return None if search is None or "rounds" in search else {**search, "checked": None, "bound": None, "gap": None}


# Figures of warnings: counts of all rows of the source, and what one column tells of another.
_FIGURES = (
    (re.compile(r" \(\d+ ?% sure: .*\)(?=; name it)"), ""),
    (re.compile(r"\bin \d[\d,]* of \d[\d,]* rows\b"), "in many rows"),
    (re.compile(r"\bin \d+ ?% of [\d,]+ rows(?: looked at)? \(by chance \d+ ?%\)"), "in many rows"),
)


def _without_figures(text: str) -> str:
    for pattern, instead in _FIGURES:
        text = pattern.sub(instead, text)
    return text


def _quasi_identifiers(facts: PageFacts) -> set[str]:
    named = (facts.report.get("configuration") or {}).get("quasi_identifiers") or ()
    return {*named, *(column.name for column in facts.columns)}


def _utility(utility: ToldUtility, quasi: Collection[str], rows: int) -> ToldUtility:
    """The entry `utility`, each figure with its word, and without what links quasi-identifiers to other columns.

    A word of few steps is told of such a link where many rows make it up.
    """
    digits = _DIGITS if rows >= MANY_ROWS else _FEW_DIGITS
    linked = rows >= MANY_ROWS
    return {
        **utility,
        "columns": {name: _distances(distances, digits) for name, distances in utility["columns"].items()},
        "pairs": [_pair(pair, quasi, digits, linked=linked) for pair in utility.get("pairs") or ()],
        "queries": _queries_told(utility.get("queries"), linked=linked),
        "pmse": _worded(utility.get("pmse"), PROPENSITY, linked=linked),
        "prediction": _prediction(utility.get("prediction")),
    }


def _distances(distances: ToldDistance, digits: int) -> ToldDistance:
    varied, moved = distances["total_variation"], distances.get("earth_mover")
    return {
        **distances,
        "total_variation": _rounded(varied, digits),
        "earth_mover": _rounded(moved, digits),
        "word": word_of(varied, *DISTANCE),
    }


def _pair(pair: ToldPair, quasi: Collection[str], digits: int, *, linked: bool) -> ToldPair:
    are_quasi = [name in quasi for name in pair["columns"]]
    before, after = pair["source"], pair["release"]
    word = word_of(None if before is None or after is None else abs(after - before), *ASSOCIATION)
    shown: ToldPair = {**pair, "source": _rounded(before, digits), "release": _rounded(after, digits), "word": word}
    if any(are_quasi) and not all(are_quasi) and before is not None:
        return {**shown, "source": None, "untold": True, "word": word if linked else NOT_TOLD}
    return shown


def _queries_told(queries: ToldErrors | None, *, linked: bool) -> ToldErrors | None:
    if queries is None:
        return None
    return {
        **queries,
        "median_relative_error": _worded(queries["median_relative_error"], ERROR, linked=linked),
        "p95_relative_error": _worded(queries["p95_relative_error"], ERROR, linked=linked),
    }


def _worded(value: float | str | None, steps: Steps, *, linked: bool) -> str | None:
    """A word in place of a figure; none where that would tell too much."""
    if value is None or isinstance(value, str):
        return value
    return word_of(value, *steps) if linked else ""


def _prediction(prediction: Mapping[str, ToldPrediction] | None) -> Mapping[str, ToldPrediction] | None:
    if not prediction:
        return prediction
    return {name: {**entry, "source": None, "untold": ["source"]} for name, entry in prediction.items()}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
