"""Where the configuration says that the rows are, and where the release goes: beside them, under a name of its own.

The commented configuration: every key with its reason, and no value of the data.

What `kanon-sql init` comes to: the profile with a role for each column, and what a configuration is made of.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.generalizing import ProposedGeneralization
from kanon_sql.commands.init.roles import percent
from kanon_sql.commands.init.treating import KEY, NEARLY_UNIQUE, ProposedTreatment
from kanon_sql.config.arguments import in_line, to_yaml
from kanon_sql.errors import ConfigurationError, NoReleaseError, escape
from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.settings.source import LAKE, SourceConfig, names_lake
from kanon_sql.source.model import Source
from kanon_sql.source.profile.kinds import ColumnProfile, Profile
from kanon_sql.targets.staging_permissions import write_output

_SUFFIX = "_anonymous"
_NAMES = 1000


@dataclass(frozen=True)
class Places:
    """Where the rows are, and what a release is called like; paths are relative to the working folder."""

    described: SourceConfig
    name: str
    suffix: str
    table: str | None = None
    folder: Path | None = None

    @classmethod
    def of(cls, read: SourceConfig, source: Source) -> Places:
        """The places of an open source: files, a table or a query."""
        if read.path is None:
            place = Path(read.database_file or "query.duckdb")
            table = source.table[1] if source.table else "released"
            # What is copied, as a table of SQLite, is of another kind than the database that is made.
            suffix = ".duckdb" if source.origin is not None else place.suffix or ".duckdb"
            return cls(read, place.name.removesuffix(place.suffix), suffix, table)
        path = Path(read.path)
        return cls(read, _name_of(path, source), _suffix_of(path, source), None, source.folder)

    def source(self, base: Path) -> dict[str, Any]:
        """The source as a configuration in the folder `base` describes it."""
        given: dict[str, Any] = self.described.model_dump(exclude_unset=True, exclude_defaults=True)
        if self.described.path is not None:
            given["path"] = relative_to(self.described.path, base)
        if self.described.database_file is not None:
            given["database"] = self._prefix + relative_to(self.described.database_file, base)
        return given

    def target(self, base: Path) -> dict[str, Any] | str:
        """A target in the folder of the configuration that is not there yet: a file, or a table of a database.

        It lies neither in the source's folder nor where the source's pattern would take it in: beside that, then.
        """
        free = self._free(base)
        pattern = self.described.path
        if self.folder is not None and free.absolute().resolve().is_relative_to(self.folder.resolve()):
            free = self._free(self.folder / "..")
        elif pattern is not None and fnmatch(str(free.absolute()), str(Path(pattern).absolute())):
            free = self._free(base / "..")
        named = os.path.relpath(free.absolute(), base.absolute())
        return named if self.table is None else {"database": self._prefix + named, "table": self.table}

    @property
    def _prefix(self) -> str:
        return LAKE if names_lake(self.described.database) else ""

    def _free(self, folder: Path) -> Path:
        return free_place(folder, self.name, self.suffix)


def free_place(folder: Path, name: str, suffix: str) -> Path:
    """What a release of `name` is called in a folder: a file or folder that is not there yet."""
    numbered = (f"_{number}" if number > 1 else "" for number in range(1, _NAMES))
    places = (folder / f"{name}{_SUFFIX}{number}{suffix}" for number in numbered)
    return next((place for place in places if not os.path.lexists(place)), folder / f"{name}{_SUFFIX}{suffix}")


def _name_of(path: Path, source: Source) -> str:
    """What the release is called like: the file, the folder, or that of the files of a pattern."""
    if path.exists():
        name = path.absolute().resolve().name if path.is_dir() else path.name
        return name if path.is_dir() else name.removesuffix(name[len(name) - len(_ending(path)) :])
    return source.files[0].absolute().parent.name or "data"


def _ending(path: Path) -> str:
    """The ending of a file's name that tells its format, else its suffix."""
    lower = path.name.lower()
    endings = sorted((end for file_format in FORMATS.values() for end in file_format.suffixes), key=len, reverse=True)
    return next((end for end in endings if lower.endswith(end)), path.suffix)


def _suffix_of(path: Path, source: Source) -> str:
    """The ending of the release's name: that of the file, where a release can be of its format."""
    source_format = FORMATS.get(source.kind)
    if source_format is None or not source_format.compressions:
        return ".csv"
    return _ending(path).lower() if path.is_file() and format_of(path) == source.kind else source_format.suffixes[0]


def relative_to(text: str, base: Path) -> str:
    """A path as a configuration in `base` writes it: as it was given where that is absolute."""
    path = Path(text)
    if path.is_absolute():
        return text
    return os.path.relpath(path.absolute(), base.absolute())


_WIDTH = 116
_MOST_SETS = 3
_LONGEST_KEY = 100
_MEASURED = ("decimal", "date", "timestamp")  # kinds that are no categories
_MOST_CODES = 50  # that whole numbers stand for

ROLE_WORDS = {
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
        lines += [*_commented(why, key, value), *(_diversity(proposal) if key == "privacy" else ()), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(findings: Findings, answers: Answers) -> Iterator[str]:
    rows, columns = findings.profile.rows, len(findings.profile.columns)
    yield from comment_lines(f"Proposed by kanon-sql init for {release_for(answers.recipient)}")
    yield from comment_lines(
        f"{rows:,} rows of {columns} columns were looked at. The reasons say what was found, not what others really "
        "know: read every line, and change what you know better."
    )
    for text in findings.repeated():
        yield from comment_lines(f"{text}.")
    yield "#   kanon-sql run THIS_FILE --dry-run    what would come out"
    yield "#   kanon-sql run THIS_FILE              the release"
    if findings.sets and findings.rows_looked_at:
        yield "#"
        yield from comment_lines("What singles rows out before anything is done:")
        for subset in findings.sets[:_MOST_SETS]:
            share = percent(subset.alone / findings.rows_looked_at)
            yield from comment_lines(f"  {' + '.join(subset.columns)}: {share} of the rows are alone with their values")


def _source(source: Mapping[str, Any]) -> Iterator[str]:
    yield from comment_lines("the rows, as they are; they are only read")
    if set(source) == {"path"}:
        yield from entry_lines("source", source["path"])
        return
    yield "source:"
    for key, value in source.items():
        if key == "columns":
            yield "  # how columns are read that are not written as the rest of the program expects"
            yield "  columns:"
            for name, reading in value.items():
                yield from entry_lines(name, reading, 4)
        else:
            yield from entry_lines(key, value, 2)


def _left_out(findings: Findings, generalizations: Mapping[str, ProposedGeneralization], base: Path) -> Iterator[str]:
    """Quasi-identifiers among identifiers, each with the line that takes it back."""
    for name, why in findings.left_out.items():
        yield from comment_lines(f"a quasi-identifier that is left out: {why}. To release it, too, move it:", 2)
        for line in entry_lines(name, generalizations[name].written(base), 2):
            yield f"  # {escape(line)}"
        yield f"  - {in_line(name)}"


def _transform(proposal: Proposal) -> Iterator[str]:
    """What is done to values before anything is generalized."""
    if not proposal.treatments:
        return
    yield "transform:            # what is done to values first"
    for name, treatment in proposal.treatments.items():
        yield from comment_lines(treatment.why, 2)
        # A key is read from the environment; what else looks like a variable is none.
        yield from (line.replace(f"key: '${KEY}'", f"key: '{KEY}'") for line in entry_lines(name, treatment.spec, 2))
    yield ""


def _list(key: str, findings: Findings, more: Iterable[str] = ()) -> Iterator[str]:
    role = key.removesuffix("s") if key == "identifiers" else key
    columns = [column for column in findings.columns(role) if column.name]
    rest = list(more)
    if not columns and not rest:
        return
    yield f"{key}:{' ' * max(1, 20 - len(key))}# {ROLE_WORDS[key]}"
    for column in columns:
        yield from comment_lines(_why(findings, column), 2)
        yield f"  - {in_line(column.name)}"
    yield from rest
    yield ""


def _quasi_identifiers(
    findings: Findings, generalizations: Mapping[str, ProposedGeneralization], base: Path
) -> Iterator[str]:
    yield "quasi_identifiers:    # what others may know of a person: made coarser until groups share it"
    many = findings.too_many()
    if many is not None:
        yield from comment_lines(many, 2)
        yield ""
    for column in findings.generalized():
        proposed = generalizations[column.name]
        yield from comment_lines(f"{_why(findings, column)}. {proposed.why[:1].upper()}{proposed.why[1:]}", 2)
        yield from entry_lines(column.name, proposed.written(base), 2)
    yield ""


def _why(findings: Findings, column: ColumnProfile) -> str:
    return findings.roles[column.name].why


def _diversity(proposal: Proposal) -> Iterator[str]:
    """l-diversity for sensitive columns, to be switched on: of categories, which rows share; else of what there is."""
    moved = {name for name, treatment in proposal.treatments.items() if "shift" in treatment.spec}
    several = [column for column in proposal.findings.columns("sensitive") if column.distinct > 1]
    columns = list(filter(_is_category, several)) or [column for column in several if column.name not in moved]
    if not columns:
        return
    yield from comment_lines(
        "k does not keep a group from sharing one sensitive value, which is then known of each. Without the # every "
        "group holds several:",
        2,
    )
    entries = [{"column": column.name, "l": min(3, column.distinct)} for column in columns[:3]]
    for line in entry_lines("l_diversity", entries if len(entries) > 1 else entries[0], 0):
        yield f"  # {escape(line)}"


def _is_category(column: ColumnProfile) -> bool:
    if column.kind == "whole number":
        return column.distinct <= _MOST_CODES
    return column.kind not in _MEASURED and column.alone < NEARLY_UNIQUE


def _commented(why: str, key: str, value: Any) -> Iterator[str]:
    yield from comment_lines(why)
    if isinstance(value, Mapping) and key in ("privacy", "suppression"):
        yield f"{key}:"
        for below, entry in value.items():
            yield from entry_lines(below, entry, 2)
    else:
        yield from entry_lines(key, value)


def comment_lines(text: str, indent: int = 0) -> Iterator[str]:
    """Lines of a comment; what is no text for a line is written out."""
    blank, shown = " " * indent, escape(text)
    lead = shown[: len(shown) - len(shown.lstrip())]
    for line in textwrap.wrap(shown.strip(), _WIDTH - indent - len(lead), break_on_hyphens=False) or [""]:
        yield f"{blank}# {lead}{line}".rstrip()


def entry_lines(key: str, value: Any, indent: int = 0) -> Iterable[str]:
    """A key with its value, on one line where the key can stand on one."""
    text = in_line({key: value})[1:-1]
    if not text.startswith("? ") and len(key) <= _LONGEST_KEY:
        return [" " * indent + text]
    return [" " * indent + line for line in to_yaml({key: value}).splitlines()]


Json = dict[str, Any]

# The smallest class for whom a release is made, and why.
RECIPIENTS = {
    "public": (
        12,
        "anybody may get it and it cannot be taken back: no group below 12, which is within the risk of 0.09 that the "
        "European Medicines Agency recommends (Policy 0070; 1/11 is above it), and no cell that US Medicare withholds",
    ),
    "partner": (5, "a partner who signed what may be done with it: groups of 5, a usual smallest cell of statistics"),
    "internal": (3, "colleagues in the same house: groups of 3, the least with which nobody knows the other one"),
}
# What a release is made for, and the search that this asks for.
PURPOSES = {
    "research": "local",
    "statistics": "optimal",
}
_MOST_ROWS = 1_000_000  # for which the search that loses least is proposed
_CLASSES = 20  # that a table should have at least, so that k leaves something to tell


@dataclass(frozen=True)
class Proposal:
    """What `kanon_sql.init` returns: the table's `profile`, the `roles` of its columns, a configuration as `yaml`.

    `settings` are the plain keys of the configuration, each with its reason; paths of `yaml` are relative to `base`.
    `notes` are lines of what could not be done; `treatments` change values of columns before anything is generalized.
    """

    findings: Findings = field(repr=False)
    answers: Answers
    places: Places | None = field(repr=False)
    generalizations: Mapping[str, ProposedGeneralization] = field(repr=False)
    settings: Mapping[str, tuple[Any, str]]
    base: Path
    notes: tuple[str, ...] = ()
    treatments: Mapping[str, ProposedTreatment] = field(default_factory=dict, repr=False)

    @property
    def yaml(self) -> str:
        """The commented configuration; empty where nothing is left to release."""
        return configuration(self, self.base) if self.generalizations else ""

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the configuration, whose paths are then relative to its folder; the file.

        Raises ConfigurationError for a file that is there and shall not be overwritten, NoReleaseError where there is
        nothing to release, EngineError where it cannot be written.
        """
        file = Path(path)
        if not self.generalizations:
            raise NoReleaseError(f"{file}: {self.notes[-1]}")
        if not overwrite:
            refuse_existing(file)
        write_output(file, configuration(self, file.parent), "configuration")
        return file

    @property
    def profile(self) -> Profile:
        """What is known of the table and of each column."""
        return self.findings.profile

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column."""
        return {name: role.role for name, role in self.findings.roles.items()}

    def to_dict(self) -> Json:
        """What `kanon-sql init --json` prints."""
        findings = self.findings
        return {
            "rows": findings.profile.rows,
            "duplicates": findings.profile.duplicates,
            "columns": [self._describe(column) for column in findings.profile.columns],
            "sets": [
                {
                    "columns": list(subset.columns),
                    "unique": subset.alone,
                    "unique_share": subset.alone / findings.rows_looked_at,
                }
                for subset in findings.sets
            ],
            "determined": [
                {"by": dependency.by, "column": dependency.column, "share": dependency.share}
                for dependency in findings.determined
            ],
            "rows_looked_at": findings.rows_looked_at,
            "recipient": self.answers.recipient,
            "purpose": self.answers.purpose,
            "entity": self.answers.entity,
            "maybe_persons": list(findings.maybe_persons),
            "transform": {
                name: {"is": treatment.spec, "why": treatment.why} for name, treatment in self.treatments.items()
            },
            **{key: {"is": value, "why": why} for key, (value, why) in self.settings.items()},
            "notes": list(self.notes),
        }

    def _describe(self, column: ColumnProfile) -> Json:
        role, generalization = self.findings.roles[column.name], self.generalizations.get(column.name)
        return {
            "name": column.name,
            "kind": column.kind,
            "is": column.finding.name if column.finding else None,
            "sure": column.finding.sure if column.finding else None,
            "role": role.role,
            "why": role.why,
            "left_out": self.findings.left_out.get(column.name),
            "type": column.type,
            "distinct": column.distinct,
            "exact": column.exact,
            "missing": column.missing,
            "missing_as": list(column.missing_as),
            "alone": column.alone,
            "reading": dict(column.reading),
            "hierarchy": None if generalization is None else generalization.spec,
        }


def release_for(recipient: str) -> str:
    """For whom a configuration is proposed, in words."""
    return {"public": "a release to the public", "partner": "a partner"}.get(recipient, "internal use")


def smallest_class(recipient: str, persons: int) -> tuple[int, str]:
    """k for a recipient in a table of so many persons, and why."""
    required, why = RECIPIENTS[recipient]
    possible = max(min(2, persons), persons // _CLASSES)
    if possible >= required:
        return required, why
    return possible, (
        f"{recipient} would ask for {required}, which {persons:,} rows cannot give without losing everything: "
        f"a twentieth of them at most, {'at least 2' if possible > 1 else 'here 1, which protects nobody'}"
    )


def algorithm_for(purpose: str, rows: int, lattice: int) -> tuple[str, str]:
    """The search for a purpose and size, and why."""
    name = PURPOSES[purpose]
    if name == "local" and rows > _MOST_ROWS:
        return "optimal", f"one level for each column, {lattice:,} choices: for {rows:,} rows the quicker search"
    if name == "local":
        return name, "each group finds its own levels, which loses least; optimal gives every column one level"
    return name, f"one level for each column, so that rows can be counted together; the best of {lattice:,} choices"


def refuse_existing(file: Path) -> None:
    """Raises ConfigurationError for a configuration that is there already."""
    if os.path.lexists(file):
        raise ConfigurationError(f"{file}: is there already; replace it with --overwrite, or name another with -o")
