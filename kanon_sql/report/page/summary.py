"""The first screen: what was released from what, and whether everything that was asked for holds."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.privacy.registry import MODELS
from kanon_sql.report.page.model import PageFacts
from kanon_sql.report.page.texts import Json, count, counted, moment, percent, plain

# What was counted again may pass a threshold by one in a billion (docs/models.md).
_NEAR = 1e-9

_HEADLINES = {
    "released": "Released and counted again",
    "dry-run": "A dry run: nothing was written",
    "no-release": "No release satisfies what was asked for",
    "timed-out": "Time ran out before a release was found",
    "failed": "The run failed: nothing was released",
}


@dataclass(frozen=True)
class Verdict:
    """One model: its name, what was asked for and reached, and whether that holds (None: not measured)."""

    model: str
    required: str
    actual: str
    holds: bool | None

    @property
    def word(self) -> str:
        """The verdict in a word, so that colour is not needed."""
        return {True: "holds", False: "does not hold", None: "not measured"}[self.holds]


@dataclass(frozen=True)
class Summary:
    """What the first screen says."""

    headline: str
    good: bool
    sentence: str
    figures: tuple[tuple[str, str, str], ...]  # (what, number, in words)
    verdicts: tuple[Verdict, ...]
    warnings: tuple[str, ...]
    errors: tuple[str, ...]


def summarize(facts: PageFacts) -> Summary:
    """The first screen of a report, whether something was released or not."""
    report = facts.report
    status: str = report["status"]
    return Summary(
        headline=_HEADLINES[status],
        good=status == "released",
        sentence=_sentence(facts),
        figures=tuple(_figures(facts)),
        verdicts=tuple(verdicts(report["privacy"])),
        warnings=tuple(report.get("warnings", ())),
        errors=tuple(report.get("errors", ())),
    )


def _sentence(facts: PageFacts) -> str:
    report = facts.report
    target = report["release"]["target"] or "the target"
    source = facts.evidence.source.label if facts.evidence else "the source"
    when = f"{moment(report.get('created'))}, by kanon-sql {report.get('version', '')}".rstrip()
    if report["status"] == "released":
        return f"{target}, made of {source} on {when}"
    return f"Nothing was written to {target}; the source was {source}; {when}"


def _figures(facts: PageFacts) -> list[tuple[str, str, str]]:
    report = facts.report
    rows, loss, k = report["rows"], report["loss"], report["privacy"]["k"]
    share = rows["suppressed"] / rows["source"] if rows["source"] else None
    found = [
        ("rows in the source", count(rows["source"]), ""),
        ("rows released", count(rows["released"]), ""),
        ("rows suppressed", count(rows["suppressed"]), percent(share)),
    ]
    if loss is not None:
        found.append(("information lost", percent(loss["ncp"] / 100), "0 %: as in the source; 100 %: nothing is left"))
    if k["actual"] is not None:
        unit = ("entity", "entities") if "counts" in k else ("row", "rows")
        found.insert(0, ("smallest class", counted(k["actual"], *unit), f"asked for k = {k['required']}"))
    return found


def verdicts(privacy: Json) -> list[Verdict]:
    """A verdict for each model of a report's `privacy`."""
    return [
        _verdict(key, entry)
        for key, entries in privacy.items()
        for entry in (entries if isinstance(entries, list) else [entries])
    ]


def _verdict(key: str, entry: Json) -> Verdict:
    names = (entry.get(name) for name in ("variant", "distance", "column"))
    name = " ".join([key.replace("_", "-"), *(str(one) for one in names if one)])
    return Verdict(name, plain(entry["required"]), plain(entry["actual"]), _holds(key, entry))


def _holds(key: str, entry: Json) -> bool | None:
    """Whether what was reached is on the right side of what was asked for, as the model declares its bounds."""
    required, actual = entry["required"], entry["actual"]
    if actual is None:
        return None
    ends = MODELS[key].thresholds if key in MODELS else {key: "least"}
    if not isinstance(required, dict):
        required, actual = dict.fromkeys(ends, required), dict.fromkeys(ends, actual)
    return all(
        actual[name] is not None
        and (actual[name] >= required[name] - _NEAR if end == "least" else actual[name] <= required[name] + _NEAR)
        for name, end in ends.items()
    )
