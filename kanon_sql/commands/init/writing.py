"""The commented configuration: every key with its reason, and no value of the data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.generalizing import Generalization
from kanon_sql.commands.init.roles import percent
from kanon_sql.commands.init.treating import KEY
from kanon_sql.config.arguments import in_line, to_yaml
from kanon_sql.errors import escape
from kanon_sql.source.profile.model import ColumnProfile

if TYPE_CHECKING:
    from kanon_sql.commands.init.proposal import Proposal

_WIDTH = 116
_MOST_SETS = 3
_LONGEST_KEY = 100

_ROLES = {
    "identifiers": "never released: they name a person, or may hold what does",
    "sensitive": "released as they are: what nobody should learn of a person",
    "insensitive": "released as they are: nothing says that somebody could be found by them",
}


def configuration(proposal: Proposal, base: Path) -> str:
    """The text of a configuration that stands in the folder `base`."""
    findings, places = proposal.findings, proposal.places
    lines = [*_head(findings, proposal.answers), ""]
    if places is None:
        lines += ["# source and target are handed in: kanon_sql.run(THIS_FILE, data=...)", ""]
    else:
        why = "a new file; an existing one is only replaced with overwrite: true"
        lines += [*_source(places.source(base)), "", *_commented(why, "target", places.target(base)), ""]
    lines += _list("identifiers", findings, _left_out(findings, proposal.generalizations, base))
    lines += _quasi_identifiers(findings, proposal.generalizations, base)
    lines += _list("sensitive", findings)
    lines += _list("insensitive", findings)
    lines += _transform(proposal)
    for key, (value, why) in proposal.settings.items():
        lines += [*_commented(why, key, value), *(_diversity(findings) if key == "privacy" else ()), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(findings: Findings, answers: Answers) -> Iterator[str]:
    rows, columns = findings.profile.rows, len(findings.profile.columns)
    yield from _comment(
        f"Proposed by kanon-sql init for a release to the {answers.recipient}"
        if answers.recipient == "public"
        else f"Proposed by kanon-sql init for {'a partner' if answers.recipient == 'partner' else 'internal use'}"
    )
    yield from _comment(
        f"{rows:,} rows of {columns} columns were looked at. The reasons say what was found, not what others really "
        "know: read every line, and change what you know better."
    )
    for text in findings.repeated():
        yield from _comment(f"{text}.")
    yield "#   kanon-sql run THIS_FILE --dry-run    what would come out"
    yield "#   kanon-sql run THIS_FILE              the release"
    if findings.sets and findings.rows_looked_at:
        yield "#"
        yield from _comment("What singles rows out before anything is done:")
        for one in findings.sets[:_MOST_SETS]:
            share = percent(one.alone / findings.rows_looked_at)
            yield from _comment(f"  {' + '.join(one.columns)}: {share} of the rows are alone with their values")


def _source(source: Mapping[str, Any]) -> Iterator[str]:
    yield from _comment("the rows, as they are; they are only read")
    if set(source) == {"path"}:
        yield from _entry("source", source["path"])
        return
    yield "source:"
    for key, value in source.items():
        if key == "columns":
            yield "  # how columns are read that are not written as the rest of the program expects"
            yield "  columns:"
            for name, reading in value.items():
                yield from _entry(name, reading, 4)
        else:
            yield from _entry(key, value, 2)


def _left_out(findings: Findings, made: Mapping[str, Generalization], base: Path) -> Iterator[str]:
    """Quasi-identifiers among identifiers, each with the line that takes it back."""
    for name, why in findings.left_out.items():
        yield from _comment(f"a quasi-identifier that is left out: {why}. To release it, too, move it:", 2)
        for line in _entry(name, made[name].written(base), 2):
            yield f"  # {escape(line)}"
        yield f"  - {in_line(name)}"


def _transform(proposal: Proposal) -> Iterator[str]:
    """What is done to values before anything is generalized."""
    if not proposal.treatments:
        return
    yield "transform:            # what is done to values first"
    for name, one in proposal.treatments.items():
        yield from _comment(one.why, 2)
        # A key is read from the environment; what else looks like a variable is none.
        yield from (line.replace(f"key: '${KEY}'", f"key: '{KEY}'") for line in _entry(name, one.spec, 2))
    yield ""


def _list(key: str, findings: Findings, more: Iterable[str] = ()) -> Iterator[str]:
    role = key.removesuffix("s") if key == "identifiers" else key
    columns = [one for one in findings.columns(role) if one.name]
    rest = list(more)
    if not columns and not rest:
        return
    yield f"{key}:{' ' * max(1, 20 - len(key))}# {_ROLES[key]}"
    for one in columns:
        yield from _comment(_why(findings, one), 2)
        yield f"  - {in_line(one.name)}"
    yield from rest
    yield ""


def _quasi_identifiers(findings: Findings, made: Mapping[str, Generalization], base: Path) -> Iterator[str]:
    yield "quasi_identifiers:    # what others may know of a person: made coarser until groups share it"
    many = findings.too_many()
    if many is not None:
        yield from _comment(many, 2)
        yield ""
    for one in findings.generalized():
        proposed = made[one.name]
        yield from _comment(f"{_why(findings, one)}. {proposed.why[:1].upper()}{proposed.why[1:]}", 2)
        yield from _entry(one.name, proposed.written(base), 2)
    yield ""


def _why(findings: Findings, column: ColumnProfile) -> str:
    return findings.roles[column.name].why


def _diversity(findings: Findings) -> Iterator[str]:
    """l-diversity for sensitive columns, to be switched on."""
    columns = [one for one in findings.columns("sensitive") if one.distinct > 1]
    if not columns:
        return
    yield from _comment(
        "k does not keep a group from sharing one sensitive value, which is then known of each. Without the # every "
        "group holds several:",
        2,
    )
    entries = [{"column": one.name, "l": min(3, one.distinct)} for one in columns[:3]]
    for line in _entry("l_diversity", entries if len(entries) > 1 else entries[0], 0):
        yield f"  # {escape(line)}"


def _commented(why: str, key: str, value: Any) -> Iterator[str]:
    yield from _comment(why)
    if isinstance(value, Mapping) and key in ("privacy", "suppression"):
        yield f"{key}:"
        for below, entry in value.items():
            yield from _entry(below, entry, 2)
    else:
        yield from _entry(key, value)


def _comment(text: str, indent: int = 0) -> Iterator[str]:
    """Lines of a comment; what is no text for a line is written out."""
    blank, shown = " " * indent, escape(text)
    lead = shown[: len(shown) - len(shown.lstrip())]
    for line in textwrap.wrap(shown.strip(), _WIDTH - indent - len(lead), break_on_hyphens=False) or [""]:
        yield f"{blank}# {lead}{line}".rstrip()


def _entry(key: str, value: Any, indent: int = 0) -> Iterable[str]:
    """A key with its value, on one line where the key can stand on one."""
    text = in_line({key: value})[1:-1]
    if not text.startswith("? ") and len(key) <= _LONGEST_KEY:
        return [" " * indent + text]
    return [" " * indent + line for line in to_yaml({key: value}).splitlines()]
