"""The first screen: what was released from what, and whether everything that was asked for holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kanon_sql.privacy.registry import MODELS
from kanon_sql.privacy.thresholds import THRESHOLDS
from kanon_sql.report.page.attacks import between, high_risks, rounded
from kanon_sql.report.page.columns import known, shortened
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.words import count, counted, joined, moment, percent, plain

if TYPE_CHECKING:
    from kanon_sql.results.run import Forgotten, ReleasedClasses, Status, Verification
    from kanon_sql.results.told import ToldReport

# What was counted again may pass a threshold by one in a billion (docs/models.md).
_NEAR = 1e-9

# Quasi-identifiers that a sentence names.
_MOST_NAMES = 8

_HEADLINES = {
    "released": "Released, and counted again: everything that was asked for holds",
    "dry-run": "A dry run: this would be released; nothing was written",
    "no-release": "No release: nothing satisfies what was asked for",
    "timed-out": "No release: time ran out before one was found",
    "failed": "No release: the run failed",
}
_DOUBT = "Released, but not everything that was asked for holds"
_ALONE = "Released: what was asked for holds, but other released columns are nearly unique and may tell who it is"

_ATTACKED = "Released: what was asked for holds, but adversaries learn much of persons"
_UNSEEN = "Released: what was asked for holds; whether other released columns are nearly unique was not measured"

# What k asks of every class, in a sentence; each model and threshold has its own (`asks`).
_ASKS = {
    "k known": "whoever knows any {known} quasi-identifiers of a person finds at least {required} {unit}",
    "k": "every combination of quasi-identifiers in the release stands for at least {required} {unit}",
    "known_columns": "k holds for every combination of at most {required} quasi-identifiers",
}


@dataclass(frozen=True)
class ModelVerdict:
    """One model: its name, what it asks, what was asked for and reached, and whether that holds.

    `actual` is empty and `holds` None where nothing was measured.
    """

    model: str
    asks: str
    required: str
    actual: str
    holds: bool | None
    judged: bool = False  # it is for a person to judge, who has the figure

    @property
    def word(self) -> str:
        """The verdict in a word, so that colour is not needed."""
        return (
            "to be judged" if self.judged else {True: "holds", False: "does not hold", None: "not measured"}[self.holds]
        )

    @property
    def look(self) -> str:
        """The name of its look."""
        return {True: "good", False: "bad", None: "open"}[self.holds]


@dataclass(frozen=True)
class Tile:
    """A figure that is seen at once."""

    what: str
    number: str
    words: str = ""


@dataclass(frozen=True)
class Summary:
    """What the first screen says; `look` is good, bad or open."""

    headline: str
    look: str
    sentences: tuple[str, ...]
    tiles: tuple[Tile, ...]
    verdicts: tuple[ModelVerdict, ...]
    kept: tuple[tuple[str, str, str], ...]  # (column, what is known, its loss)
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


def summarize(facts: PageFacts) -> Summary:
    """The first screen of a report, whether something was released or not."""
    report = facts.report
    status: str = report["status"]
    own = [*_values_of_their_own(facts), *_attacks(facts)] if status in ("released", "dry-run") else []
    all_verdicts = [*verdicts(report), *own]
    headline, look = _headline(facts, all_verdicts)
    return Summary(
        headline=headline,
        look=look,
        sentences=tuple(_sentences(facts)),
        tiles=tuple(_tiles(report)),
        verdicts=tuple(all_verdicts),
        kept=tuple((column.name, known(facts, column), percent(column.loss)) for column in facts.columns),
        warnings=tuple(report.get("warnings") or ()),
        errors=tuple(report.get("errors") or ()),
    )


def _headline(facts: PageFacts, verdicts: Sequence[ModelVerdict]) -> tuple[str, str]:
    """(the headline, its look): green only where nothing is left to be judged."""
    status: str = facts.report["status"]
    if status != "released":
        return _HEADLINES.get(status, status), "open" if status == "dry-run" else "bad"
    if any(verdict.holds is False for verdict in verdicts):
        return _DOUBT, "bad"
    if facts.unique:
        return _ALONE, "open"
    if high_risks(facts):
        return _ATTACKED, "open"
    return (_UNSEEN, "open") if "unique" in facts.notes else (_HEADLINES[status], "good")


def verdicts(report: ToldReport) -> list[ModelVerdict]:
    """A verdict for k and each model beside it, and for the rows that could be suppressed."""
    known_columns, privacy = _known(report), cast("Mapping[str, Any]", report["privacy"])
    all_verdicts = [
        _verdict(key, {**entry, "known": known_columns} if key == "k" and known_columns else entry)
        for key, entries in privacy.items()
        for entry in (entries if isinstance(entries, list) else [entries])
    ]
    if (groups := report["rows"].get("groups")) is not None:
        asks = "the rows of a group are released or suppressed together"
        all_verdicts.append(
            ModelVerdict("groups", asks, "none in part", f"{count(groups['split'])} in part", not groups["split"])
        )
    limit, there = report["suppression"]["limit"], report["classes"] is not None
    if limit is not None:
        suppressed = report["rows"]["suppressed"]
        holds = suppressed <= limit if there and suppressed is not None else None
        asks = f"at most {counted(limit, 'row')} of the source are suppressed"
        reached = "" if holds is None else count(suppressed)
        all_verdicts.append(ModelVerdict("suppression", asks, f"at most {count(limit)}", reached, holds))
    return all_verdicts


def _values_of_their_own(facts: PageFacts) -> list[ModelVerdict]:
    """Released columns that are nearly unique, as they were counted in the release: k does not speak of these."""
    if "unique" in facts.notes:
        asks = f"whether whoever knows another released column of a person finds the row: {facts.notes['unique']}"
        return [ModelVerdict("nearly unique columns", asks, "no bound", "", None)]
    return [
        ModelVerdict(
            f"nearly unique column {column.name!r}",
            f"{column.role}, and released as it is: whoever knows the value of a person finds the row, whatever k is",
            "no bound",
            f"{percent(column.rows / column.of)} of the released rows hold a value of their own",
            None,
            judged=True,
        )
        for column in facts.unique
    ]


def _attacks(facts: PageFacts) -> list[ModelVerdict]:
    """The attacks of a high risk."""
    asks = "how much more often adversaries are right on released rows than on others"
    return [
        ModelVerdict(
            f"attack: {row.name}", asks, "no bound", f"{rounded(row.risk)} ({between(row)})", None, judged=True
        )
        for row in high_risks(facts)
    ]


def _known(report: ToldReport) -> int | None:
    """How many quasi-identifiers somebody may know, where that is fewer than all: the release has smaller classes."""
    entry = report["privacy"].get("known_columns")
    names = report["loss"]["attributes"] if report["loss"] else None
    number = (entry.get("actual") or entry["required"]) if entry else None
    return None if number is None or (names is not None and number >= len(names)) else int(number)


def _sentences(facts: PageFacts) -> list[str]:
    report = facts.report
    target, source = report["release"]["target"], _source(facts)
    made_by = f"kanon-sql {report['version']}" if report.get("version") else "kanon-sql"
    when = f"on {moment(report['created'])}" if report.get("created") else "at a time that was not recorded"
    of = "took the place of its source" if target == source else f"was made of {source}"
    if report["status"] == "released" and "created" in facts.notes:
        sentences = [f"{target} {of}; this page was made {when}, by {made_by}. {facts.notes['created']}"]
    elif report["status"] == "released":
        sentences = [f"{target} {of} {when}, by {made_by}."]
    elif report["status"] == "dry-run":
        sentences = [f"{target} would be made of {source}; looked at {when}, by {made_by}."]
    else:
        sentences = [f"{target or 'A release'} was to be made of {source} {when}, by {made_by}; nothing was changed."]
    if (classes := report["classes"]) is not None:
        sentences.append(_anonymous(report, classes))
    if (verification := report["verification"]) is not None:
        sentences.append(_compared(report["status"], verification))
    if report.get("forgotten"):
        sentences.append(_forgotten(report["forgotten"]))
    if facts.removed:
        sentences.append(f"Not in the release: {joined(list(map(shortened, facts.removed)))}.")
    return sentences


def _source(facts: PageFacts) -> str:
    """What was released from."""
    if facts.evidence is not None:
        return facts.evidence.source.label
    return str((facts.report.get("source") or {}).get("table") or "the source")


def _anonymous(report: ToldReport, classes: ReleasedClasses) -> str:
    k, names = report["privacy"]["k"], list(report["loss"]["attributes"]) if report["loss"] else []
    unit = "entities" if "counts" in k else "rows"
    every = f"By {_named(names)} every row" if names else "Every row"
    least, known_columns = k["actual"] or 0, _known(report)
    if known_columns is not None:
        of = f"any {counted(known_columns, 'column')}" if known_columns > 1 else "any one column"
        return (
            f"By {of} of {_named(names)} every row looks like at least {count(least - 1)} others; by all of "
            f"them together the rows fall into {counted(classes['count'], 'class', 'classes')}, the smallest of "
            f"{counted(classes['min'], 'row')}."
        )
    return (
        f"{every} looks like at least {count(least - 1)} others: the rows fall into "
        f"{counted(classes['count'], 'class', 'classes')}, the smallest of {count(least)} {unit}."
    )


def _named(names: Sequence[str]) -> str:
    """The quasi-identifiers in a sentence; of many the first ones."""
    shown = [shortened(name) for name in names]
    others = len(shown) - _MOST_NAMES
    return joined(shown if others <= 1 else [*shown[:_MOST_NAMES], f"{count(others)} other quasi-identifiers"])


def _forgotten(forgotten: Forgotten) -> str:
    """What a lake, or a database of one file, holds no more of the replaced table."""
    hits = counted(forgotten["found"], "value") if forgotten["found"] else "none"
    kept = f"{counted(forgotten['snapshots'], 'snapshot')} and {counted(forgotten['files'], 'file')}"
    what = f"The lake forgot {kept} that held" if forgotten["snapshots"] else "The database was written anew without"
    return (
        f"{what} the rows before; {counted(forgotten['searched'], 'byte')} of it were searched for their values, and "
        f"{hits} {'was' if forgotten['found'] < 2 else 'were'} found."
    )


def _compared(status: Status, verification: Verification) -> str:
    what = "would be written" if status == "dry-run" else "was written"
    if verification["compared"] == "rows":
        columns = counted(verification["columns"], "column")
        return f"What {what} was read again: every row was compared with the source, in {columns}."
    return f"What {what} was counted again; its rows were not compared with the source one by one."


def _tiles(report: ToldReport) -> list[Tile]:
    rows, loss, k = report["rows"], report["loss"], report["privacy"]["k"]
    there = report["classes"] is not None

    def share(of: int | None) -> str:
        return percent(of / rows["source"]) if rows["source"] and of is not None else ""

    tiles = [Tile("rows in the source", count(rows["source"]))]
    if rows["missing"]:
        tiles.append(Tile("left out for missing values", count(rows["missing"]), share(rows["missing"])))
    if there:
        masked = f", {count(rows['masked'])} of them masked" if rows["masked"] else ""
        tiles.append(Tile("rows suppressed", count(rows["suppressed"]), share(rows["suppressed"]) + masked))
    tiles.append(Tile("rows released", count(rows["released"]), share(rows["released"]) if there else ""))
    actual = k["actual"]
    unit = ("entity", "entities") if "counts" in k else ("row", "rows")
    reached = "none" if actual is None else counted(actual, *unit)
    known_columns = _known(report)
    smallest = (
        "smallest class (k)"
        if known_columns is None
        else f"smallest combination of {counted(known_columns, 'column')} (k)"
    )
    chance = f"; somebody is found with at most 1 in {count(actual)}" if actual and actual > 1 and there else ""
    tiles.insert(0, Tile(smallest, reached, f"asked for k = {count(k['required'])}{chance}"))
    if loss is not None:
        meaning = "0 %: all is as in the source; 100 %: nothing is known"
        tiles.append(Tile("information lost", percent(loss["ncp"] / 100), meaning))
    return tiles


def _verdict(key: str, entry: Mapping[str, Any]) -> ModelVerdict:
    names = (entry.get(name) for name in ("variant", "distance", "column"))
    name = (
        "k-anonymity" if key == "k" else " ".join([key.replace("_", "-"), *(str(option) for option in names if option)])
    )
    actual, ends = entry.get("actual"), _ends(key)
    bound = {"least": "at least ", "most": "at most "}[next(iter(ends.values()))] if len(ends) == 1 else ""
    reached = "" if actual is None or (isinstance(actual, dict) and None in actual.values()) else plain(actual)
    return ModelVerdict(name, _asks(key, entry), f"{bound}{plain(entry.get('required'))}", reached, _holds(key, entry))


def _ends(key: str) -> Mapping[str, str]:
    """Which end of what was reached each threshold bounds."""
    if key in THRESHOLDS:
        return {key: "most"}
    return MODELS[key].thresholds if key in MODELS else {key: "least"}


def _asks(key: str, entry: Mapping[str, Any]) -> str:
    """What an entry of the report's privacy asks of the release, in a sentence."""
    model = MODELS.get(key) or THRESHOLDS.get(key)
    text = _ASKS.get("k known" if "known" in entry else key, "") if model is None else model.asks
    if not isinstance(text, str):
        text = text.get(str(entry.get(MODELS[key].files_by or "")), "")
    unit = "persons (entities)" if "counts" in entry else "rows"
    names = (*(MODELS[key].options if key in MODELS else ()), "required", "known")
    options = {name: plain(entry.get(name)) for name in names}
    return text.format(column=entry.get("column", "a column"), unit=unit, **options)


def _holds(key: str, entry: Mapping[str, Any]) -> bool | None:
    """Whether what was reached is on the right side of what was asked for, as the model declares its bounds."""
    if "holds" in entry:  # what was reached is not told
        return bool(entry["holds"])
    required: Any
    actual: Any
    required, actual = entry.get("required"), entry.get("actual")
    if required is None or actual is None:
        return None
    ends = _ends(key)
    wanted, reached = (
        threshold if isinstance(threshold, dict) else dict.fromkeys(ends, threshold) for threshold in (required, actual)
    )
    if any(reached.get(name) is None for name in ends):
        return None
    return all(
        reached[name] >= wanted[name] - _NEAR if end == "least" else reached[name] <= wanted[name] + _NEAR
        for name, end in ends.items()
    )
