"""The commented configuration of a whole database, as `kanon-sql init` proposes it, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.commands.init.joins import Joins
from kanon_sql.commands.init.proposal import (
    ROLE_WORDS,
    Proposal,
    comment_lines,
    entry_lines,
    free_place,
    relative_to,
    release_for,
)
from kanon_sql.commands.init.schema import ProposedSchema
from kanon_sql.commands.init.table_look import TableProposal
from kanon_sql.commands.init.treating import KEY
from kanon_sql.config.arguments import in_line

if TYPE_CHECKING:
    from kanon_sql.commands.init.database import DatabaseProposal

KNOWN = 2  # facts of a person that somebody knows at most, as proposed


def link_of(link: tuple[str, str | None], joins: Joins) -> Any:
    """A link as a configuration writes it."""
    name, through = link
    if through is not None:
        return {name: through}
    return name if name == joins.unit.column else {"column": name}


def configuration_lines(proposal: DatabaseProposal, base: Path) -> Iterator[str]:
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
    if proposal.schema is not None:
        yield from _engine_lines(proposal.schema)
    yield from comment_lines("the tables, as they are; they are only read")
    source, target = _places(proposal, base)
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
        yield f"  facts: {{known: {KNOWN}, with: nothing}}"
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


def _engine_lines(schema: ProposedSchema) -> Iterator[str]:
    """The server; an address that may hold a password stands in the environment."""
    why = "the server that holds the schemas"
    if schema.variable is not None:
        why += (
            f"; its address, which may hold a password, is not written here: export {schema.variable}=postgresql://..."
        )
    yield from comment_lines(why)
    if schema.variable is None:
        yield from entry_lines("engine", {"postgres": schema.address})
    else:
        yield f"engine: {{postgres: '${{{schema.variable}}}'}}"


def _places(proposal: DatabaseProposal, base: Path) -> tuple[Any, Any]:
    """Source and target as a configuration in `base` names them; the target is not there yet."""
    if proposal.schema is not None:
        return {"schema": proposal.schema.name}, {"schema": proposal.schema.target}
    ((kind, text),) = proposal.source.items()
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
        yield from entry_lines("link", link_of(table.link, joins), 4)
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
