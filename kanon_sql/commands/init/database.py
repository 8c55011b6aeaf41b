"""A configuration proposed for a whole database of persons: what `kanon-sql init FOLDER|DATABASE` does.

Each table is looked at as one table is, once it is known what joins them. Of a table about persons one column is
proposed as their facts, the one that works most like a code; its other columns stay out, since a fact of two columns is
rarer.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.generalizing import ProposedGeneralization
from kanon_sql.commands.init.job import InitRequest, propose
from kanon_sql.commands.init.joins import Joins, find_joins
from kanon_sql.commands.init.proposal import (
    ROLE_WORDS,
    Proposal,
    comment_lines,
    entry_lines,
    free_place,
    refuse_existing,
    relative_to,
    release_for,
    smallest_class,
)
from kanon_sql.commands.init.treating import KEY, has_key
from kanon_sql.config.arguments import in_line
from kanon_sql.config.database import DatabaseSource
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_described
from kanon_sql.source.profile.kinds import DIRECT, ColumnProfile, Profile
from kanon_sql.source.tables import SourceTables, find_tables
from kanon_sql.sql.connection import EngineOptions, lock_down, open_engine
from kanon_sql.targets.staging_permissions import write_output

Json = dict[str, Any]

_PLACE = "DATA"
_KNOWN = 2  # facts of a person that somebody knows at most, as proposed
_DATES = ("date", "timestamp")
_NO_CODES = ("decimal", "free text", "empty")
# Words of columns that say how a fact was recorded, not what it is.
_RECORDED = ("type", "source", "unit", "status", "count", "quantity", "number", "operator", "modifier", "route")
_MOSTLY = 0.5  # of the rows, that have a value where a column tells facts
_ABOUT_PERSONS = (*(DIRECT - {"id"}), "postal code", "coordinates")


@dataclass(frozen=True)
class TableProposal:
    """What is proposed for a table: `how` is unit, persons, keep or drop; `why`, in words.

    `facts` are its columns that others may know, each with its hierarchy or none, `dates` those that move with their
    person; what is `left_out` is not released.
    """

    name: str
    how: str
    why: str
    rows: int = 0
    link: tuple[str, str | None] | None = None
    facts: Mapping[str, ProposedGeneralization | None] = field(default_factory=dict)
    dates: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    has_dates: bool = False
    proposal: Proposal | None = field(default=None, repr=False)


@dataclass(frozen=True)
class DatabaseProposal:
    """What `kanon_sql.init` returns for a database: its `tables`, what `joins` them, a configuration as `yaml`."""

    source: Mapping[str, str]
    joins: Joins
    tables: tuple[TableProposal, ...]
    k: tuple[int, str]
    answers: Answers
    base: Path
    notes: tuple[str, ...] = ()

    @property
    def unit(self) -> TableProposal:
        """The table of persons."""
        return next(table for table in self.tables if table.how == "unit")

    @property
    def profile(self) -> Profile:
        """What is known of the table of persons and of each of its columns."""
        return self._of_persons.profile

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column of the table of persons."""
        return self._of_persons.roles

    @property
    def settings(self) -> Mapping[str, tuple[Any, str]]:
        """The plain keys of the configuration, each with its reason."""
        k, why = self.k
        return {**self._of_persons.settings, "privacy": ({"k": k, "facts": {"known": _KNOWN}}, why)}

    @property
    def _of_persons(self) -> Proposal:
        proposal = self.unit.proposal
        assert proposal is not None
        return proposal

    @property
    def yaml(self) -> str:
        """The commented configuration."""
        return "\n".join(_lines(self, self.base)).rstrip("\n") + "\n"

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the configuration, whose paths are then relative to its folder; the file.

        Raises ConfigurationError for a file that is there and shall not be overwritten, or in the folder of the tables;
        EngineError where it cannot be written.
        """
        file, folder = Path(path), self.source.get("path")
        if folder is not None and file.absolute().parent.resolve() == Path(folder).resolve():
            raise ConfigurationError(f"{file}: each file of {folder} is a table; write the configuration beside it")
        if not overwrite:
            refuse_existing(file)
        write_output(file, "\n".join(_lines(self, file.parent)).rstrip("\n") + "\n", "configuration")
        return file

    def to_dict(self) -> Json:
        """What `kanon-sql init --json` prints."""
        return {
            "unit": {"table": self.joins.unit.table, "key": self.joins.unit.column},
            "keys": [{"table": key.table, "column": key.column} for key in self.joins.keys],
            "tables": {
                table.name: {
                    "rows": table.rows,
                    "is": table.how,
                    "why": table.why,
                    "link": None if table.link is None else _link(table.link, self.joins),
                    "facts": {name: {} if how is None else how.spec for name, how in table.facts.items()},
                    "dates": list(table.dates),
                    "left_out": list(table.left_out),
                    "columns": [] if table.proposal is None else table.proposal.to_dict()["columns"],
                }
                for table in self.tables
            },
            "recipient": self.answers.recipient,
            **{key: {"is": value, "why": why} for key, (value, why) in self.settings.items()},
            "notes": list(self.notes),
        }


def tables_of(path: Path) -> SourceTables | None:
    """The tables of a folder with files of different columns, or of a DuckDB database of several; None for others."""
    if path.is_dir():
        try:
            tables = find_tables(DatabaseSource(path=str(path)), Path(), _PLACE)
        except KanonError:
            return None
        return tables if len(tables.places) > 1 and _differ(tables) else None
    tables = find_tables(DatabaseSource(database=str(path)), Path(), _PLACE)
    return tables if len(tables.places) > 1 else None


def _differ(tables: SourceTables) -> bool:
    """Whether files have different columns; parts of one table have the same."""
    first: list[str] | None = None
    with open_engine(EngineOptions()) as engine:
        for place in tables.places.values():
            try:
                source = open_described(engine, SourceConfig.model_validate(dict(place)), Path(), [], _PLACE)
            except KanonError:
                return False
            names = [col.name for col in source.columns]
            first = first or names
            if names != first:
                return True
    return False


def propose_database(
    tables: SourceTables, request: InitRequest, answers: Answers, options: EngineOptions, progress: Progress
) -> DatabaseProposal | None:
    """Looks at all tables and proposes a configuration; None where none of them is a table of persons.

    Raises the errors of kanon_sql.errors.
    """
    described = {name: SourceConfig.model_validate(dict(place)) for name, place in tables.places.items()}
    with open_engine(options) as engine:
        sources = {name: open_described(engine, place, Path(), [], _PLACE) for name, place in described.items()}
        files = [file.absolute() for source in sources.values() for file in source.files]
        files += [] if tables.database is None else [tables.database.absolute()]
        lock_down(engine, files, [])
        with progress.step("looking for what joins the tables"):
            joins = find_joins(engine, sources, answers.entity)
    if joins is None:
        return None
    looked_at = [
        _Look(name, sources[name], joins, answers, replace(request, source=place), options, progress)
        for name, place in described.items()
    ]
    unlinked = [look for look in looked_at if not look.is_linked]
    others = [look.table(frozenset()) for look in unlinked]
    kept = frozenset(table.name for table in others if table.how == "keep")
    order = ("unit", "persons", "keep", "drop")
    linked = [look.table(kept) for look in looked_at if look.is_linked]
    proposals = tuple(sorted([*linked, *others], key=lambda table: order.index(table.how)))
    unit = next(table for table in proposals if table.how == "unit")
    place = {"database": str(tables.database)} if tables.database is not None else {"path": str(tables.folder)}
    notes = [f"table {table.name!r}: {note}" for table in proposals if table.proposal for note in table.proposal.notes]
    if tables.views:
        notes.append(f"views are not released: {', '.join(map(repr, tables.views))}")
    k = smallest_class(answers.recipient, unit.rows)
    return DatabaseProposal(place, joins, proposals, k, answers, request.base, tuple(notes))


class _Look:
    """One table, looked at as a table of its own, once it is known what joins it with others."""

    def __init__(
        self,
        name: str,
        source: Source,
        joins: Joins,
        answers: Answers,
        request: InitRequest,
        options: EngineOptions,
        progress: Progress,
    ) -> None:
        self.name, self.source, self.joins, self.answers = name, source, joins, answers
        self.request, self.options, self.progress = request, options, progress
        self.fact: str | None = None

    @property
    def is_linked(self) -> bool:
        """Whether its rows are persons or find theirs."""
        return self.name == self.joins.unit.table or self.name in self.joins.links

    def table(self, kept: Collection[str]) -> TableProposal:
        """What is proposed for it, where the tables `kept` are released as they are."""
        try:
            proposal = propose(self.request, self._answer, self.options, self.progress)
        except NoReleaseError:
            return TableProposal(self.name, "drop", "it has no rows")
        rows = proposal.profile.rows
        if self.name == self.joins.unit.table:
            return self._unit(proposal, rows, kept)
        if self.name in self.joins.links:
            return self._about_persons(proposal, rows)
        listed = sorted(
            {f"{table}.{name}" for (table, name), key in self.joins.lists.items() if key.table == self.name}
        )
        personal = [
            column.name
            for column in proposal.profile.columns
            if column.finding is not None and column.finding.name in _ABOUT_PERSONS
        ]
        if listed and not personal:
            return TableProposal(self.name, "keep", f"no person's rows: it says what {listed[0]} means", rows)
        why = f"no key leads from it to the persons{f', and {personal[0]} may tell of somebody' if personal else ''}"
        return TableProposal(self.name, "drop", f"{why}; keep it if it is about nobody", rows)

    def _keys(self) -> set[str]:
        """Its columns that join it with others: the key of persons, its link, keys that are released."""
        link = self.joins.links.get(self.name)
        names = {self.joins.unit.column, *(key.column for key in self.joins.keys), *(link[:1] if link else ())}
        return names & {col.name for col in self.source.columns}

    def _answer(self, findings: Findings) -> Answers:
        """What others may know of the persons here; of a table about them that is its fact."""
        names = {column.name for column in findings.profile.columns}
        known = tuple(name for name in self.answers.known if name in names)
        unknown = tuple(name for name in self.answers.unknown if name in names)
        if self.name in self.joins.links:
            self.fact = next((name for name in known), None) or self._code(findings)
            known = () if self.fact is None else (self.fact,)
        return replace(self.answers, known=known, unknown=unknown, entity=None, entity_said=True)

    def _code(self, findings: Findings) -> str | None:
        """The column that works most like a code of what happened to a person."""
        keys = self._keys()
        candidates = [
            column
            for column in findings.profile.columns
            if column.name
            and column.name not in keys
            and column.kind not in (*_NO_CODES, *_DATES)
            and column.distinct > 1
            and column.missing <= _MOSTLY * column.rows
            and column.alone < _MOSTLY
            and (column.finding is None or column.finding.name not in DIRECT or self._is_of_list(column.name))
        ]
        ranked = sorted(candidates, key=lambda column: (-self._worth(column, findings), -column.distinct))
        return ranked[0].name if ranked else None

    def _is_of_list(self, name: str) -> bool:
        return (self.name, name) in self.joins.lists

    def _worth(self, column: ColumnProfile, findings: Findings) -> int:
        words = column.name.lower().replace("_", " ").split()
        if any(word in words for word in _RECORDED):
            return 0
        stem = self.name.lower().rsplit(".", 1)[-1].split("_")[0].rstrip("s")
        is_code = (column.finding is not None and column.finding.name == "ICD-10 code") or column.kind == "code"
        return (
            1
            + 4 * (is_code or self._is_of_list(column.name))
            + 3 * (len(stem) > 2 and column.name.lower().startswith(stem))
            + 2 * (findings.roles[column.name].role in ("sensitive", "quasi-identifier"))
        )

    def _unit(self, proposal: Proposal, rows: int, kept: Collection[str]) -> TableProposal:
        dates = tuple(name for name, treatment in proposal.treatments.items() if "shift" in treatment.spec)
        # Without the tables that they lead to these numbers mean nothing to whom gets the release.
        out = [
            name
            for (table, name), key in self.joins.lists.items()
            if table == self.name and key.table not in kept and name not in dates
        ]
        why = f"one row is one person: {self.joins.unit.column} is another one in each, and other tables name it"
        return TableProposal(self.name, "unit", why, rows, dates=dates, left_out=tuple(out), proposal=proposal)

    def _about_persons(self, proposal: Proposal, rows: int) -> TableProposal:
        keys = self._keys()
        facts: dict[str, ProposedGeneralization | None] = {}
        if self.fact is not None:
            how = proposal.generalizations.get(self.fact)
            # Numbers of codes that stand beside each other have nothing in common.
            is_plain = proposal.profile.column(self.fact).kind in ("whole number", "boolean")
            facts[self.fact] = None if is_plain or how is None or how.spec == {"builtin": "suppress"} else how
        dates = tuple(
            column.name
            for column in proposal.profile.columns
            if column.kind in _DATES and column.name and column.name not in facts and not column.unfit
        )
        moved = dates if has_key() else ()
        out = tuple(
            column.name
            for column in proposal.profile.columns
            if column.name and column.name not in facts and column.name not in moved and column.name not in keys
        )
        link = self.joins.links[self.name]
        if not facts and not moved and not any(through == self.name for _, through in self.joins.links.values()):
            why = f"its rows find their person by {link[0]}, and no other column of it is proposed"
            why += "; its dates could move with their person" if dates else ""
            return TableProposal(self.name, "drop", why, rows, has_dates=bool(dates))
        to = link[1] or self.joins.unit.table
        why = f"its rows find their person by {link[0]}{'' if link[1] is None else f', through {to}'}"
        return TableProposal(self.name, "persons", why, rows, link, facts, moved, out, bool(dates), proposal)


def _link(link: tuple[str, str | None], joins: Joins) -> Any:
    """A link as a configuration writes it."""
    name, through = link
    if through is not None:
        return {name: through}
    return name if name == joins.unit.column else {"column": name}


def _lines(proposal: DatabaseProposal, base: Path) -> Iterator[str]:
    """The configuration that stands in the folder `base`, every key with its reason."""
    joins, answers = proposal.joins, proposal.answers
    yield from comment_lines(f"Proposed by kanon-sql init for {release_for(answers.recipient)}")
    yield from comment_lines(
        f"{len(proposal.tables)} tables were looked at. The reasons say what was found, not what others really know: "
        "read every line, and change what you know better."
    )
    yield "#   kanon-sql risk THIS_FILE             who could be found before"
    yield "#   kanon-sql run THIS_FILE --dry-run    what would come out"
    yield "#   kanon-sql run THIS_FILE              the release"
    yield ""
    yield from comment_lines("the tables, as they are; they are only read")
    source, target = _places(proposal.source, base)
    yield from entry_lines("source", source)
    yield from comment_lines("all tables or none; an existing target is only replaced with overwrite: true")
    yield from entry_lines("target", target)
    yield ""
    yield from comment_lines(proposal.unit.why)
    yield from entry_lines("unit", {"table": joins.unit.table, "key": joins.unit.column})
    yield ""
    yield "keys:                # what joins tables gets new values, the same everywhere"
    names = list(dict.fromkeys([joins.unit.column, *(key.column for key in joins.keys)]))
    for name in names:
        yield from entry_lines(name, "renumber", 2)
    if any(table.has_dates and not table.dates for table in proposal.tables):
        yield ""
        yield from comment_lines(
            "dates are left out: set PSEUDONYM_KEY (kanon-sql key new) and run init again, so that all dates of a "
            "person move by one number of days and the days between them stay true"
        )
    if any(table.dates for table in proposal.tables):
        yield ""
        yield from comment_lines("all dates of one person move by as many days: the days between them stay true")
        yield f"shift: {{days: 60, key: '{KEY}'}}"
    yield ""
    yield from comment_lines(
        "Of each table about persons one column is proposed as facts: the one that works most like a code of what "
        "happened to them. {} is released as it is, or its rows are not. The others are left out, since a fact of two "
        "columns is rarer, and others may know more than one: move a column that is needed to facts, or to insensitive "
        "where nobody outside knows it"
    )
    yield "tables:"
    for table in proposal.tables:
        yield from _table_lines(table, joins, base)
    yield from comment_lines(proposal.k[1])
    yield "privacy:"
    yield f"  k: {proposal.k[0]}"
    if any(table.facts for table in proposal.tables):
        yield from comment_lines(
            "whoever knows this many facts of a person, of all tables together, finds no fewer than k persons", 2
        )
        yield f"  facts: {{known: {_KNOWN}, with: nothing}}"
    yield ""
    yield from comment_lines(
        "persons that may go with all their rows; of facts as many go as must, a bound such as facts: 40% ends the run "
        "where it would be more"
    )
    yield "suppression: {persons: 1%}"
    algorithm, why = proposal.settings["algorithm"]
    yield ""
    yield from comment_lines(f"of the table of persons: {why}")
    yield from entry_lines("algorithm", algorithm)


def _places(source: Mapping[str, str], base: Path) -> tuple[Any, Any]:
    """Source and target as a configuration in `base` names them; the target is not there yet."""
    ((kind, text),) = source.items()
    path = Path(text)
    stem, suffix = (path.absolute().resolve().name, "") if kind == "path" else (path.stem, path.suffix)
    inside = kind == "path" and base.absolute().resolve().is_relative_to(path.absolute().resolve())
    free = free_place(path.parent if inside else base, stem, suffix)
    target = os.path.relpath(free.absolute(), base.absolute())
    named = relative_to(text, base)
    return (named, target) if kind == "path" else ({kind: named}, {kind: target})


def _table_lines(table: TableProposal, joins: Joins, base: Path) -> Iterator[str]:
    yield from comment_lines(f"{table.rows:,} rows. {table.why[:1].upper()}{table.why[1:]}", 2)
    if table.how in ("keep", "drop"):
        yield from entry_lines(table.name, table.how, 2)
        yield ""
        return
    proposal = table.proposal
    assert proposal is not None
    (head,) = entry_lines(table.name, "drop", 2)
    yield head.removesuffix(" drop")
    if table.link is not None:
        yield from entry_lines("link", _link(table.link, joins), 4)
    released = _unit_columns(table, joins) if table.how == "unit" else []
    held = [name for name, _ in released] + list(table.facts) + list(table.dates)
    yield from _reading_lines(proposal, held)
    if table.how == "unit":
        yield from _unit_lines(table, released, base)
    elif table.facts:
        yield "    facts:"
        for name, how in table.facts.items():
            yield from entry_lines(name, {} if how is None else how.written(base), 6)
    if table.dates:
        yield f"    dates: {in_line(list(table.dates))}"
    if table.left_out:
        yield from comment_lines(f"left out: {', '.join(table.left_out)}", 4)
    yield "    unlisted: drop"
    yield ""


def _unit_columns(table: TableProposal, joins: Joins) -> list[tuple[str, str]]:
    """(name, role) of the released columns of the persons' table, and of those that are never released."""
    proposal = table.proposal
    assert proposal is not None
    left = {*proposal.findings.left_out, *table.left_out, joins.unit.column, *table.dates}
    return [(name, role) for name, role in proposal.roles.items() if name and name not in left]


def _unit_lines(table: TableProposal, columns: Sequence[tuple[str, str]], base: Path) -> Iterator[str]:
    proposal = table.proposal
    assert proposal is not None
    roles = proposal.findings.roles
    for key in ("identifiers", "sensitive", "insensitive"):
        role = "identifier" if key == "identifiers" else key
        names = [name for name, given in columns if given == role]
        if names:
            yield f"    {key}:"
            yield from comment_lines(ROLE_WORDS[key], 6)
            for name in names:
                yield from comment_lines(roles[name].why, 6)
                yield f"      - {in_line(name)}"
    quasi = [name for name, given in columns if given == "quasi-identifier"]
    if quasi:
        yield "    quasi_identifiers:"
    for name in quasi:
        generalization = proposal.generalizations[name]
        why = f"{roles[name].why}. {generalization.why[:1].upper()}{generalization.why[1:]}"
        yield from comment_lines(why, 6)
        yield from entry_lines(name, generalization.written(base), 6)
    treated = {name: t for name, t in proposal.treatments.items() if "shift" not in t.spec}
    if treated:
        yield "    transform:"
    for name, treatment in treated.items():
        yield from comment_lines(treatment.why, 6)
        yield from entry_lines(name, treatment.spec, 6)


def _reading_lines(proposal: Proposal, released: Sequence[str]) -> Iterator[str]:
    """How the table's columns are read, where its texts do not say so themselves."""
    if proposal.places is None:
        return
    given = proposal.places.described.model_dump(exclude_unset=True, exclude_defaults=True)
    reading = {key: value for key, value in given.items() if key not in ("path", "database", "table", "columns")}
    columns = {name: entry for name, entry in (given.get("columns") or {}).items() if name in released}
    if columns:
        reading["columns"] = columns
    if reading:
        yield from entry_lines("source", reading, 4)
