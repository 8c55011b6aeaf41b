"""A first row that names no columns: its values would stand in the configuration, and its person be lost.

`kanon-sql init` from end to end: profile, roles, what only people know, hierarchies, the configuration.

The tables of a database file, where none of them was named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from kanon_sql.commands.init.findings import (
    Answers,
    Findings,
    Sample,
    dependencies,
    draw,
    left_out,
    singling_out,
    spreads,
)
from kanon_sql.commands.init.generalizing import Tools, files_for, generalization_of, lattice_size
from kanon_sql.commands.init.persons import numbered_groups, persons_of
from kanon_sql.commands.init.proposal import Places, Proposal, algorithm_for, smallest_class
from kanon_sql.commands.init.roles import roles_of, with_answers, with_dependencies, with_one_at_least
from kanon_sql.commands.init.treating import ProposedTreatment, amounts, birth_years, has_key, stays_of
from kanon_sql.engines.duckdb.connection import UserInput, open_duckdb, open_given
from kanon_sql.engines.duckdb.frames import rereadable
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.settings.columns import UTF8
from kanon_sql.settings.source import SourceConfig, file_of_database, names_lake
from kanon_sql.source.columns import read_columns
from kanon_sql.source.duckdb import attach
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Source
from kanon_sql.source.opening import allowed_places, open_described, refuse_misnamed
from kanon_sql.source.profile.kinds import ColumnProfile, Profile
from kanon_sql.source.profile.profile import profile
from kanon_sql.source.profile.spellings import ALWAYS
from kanon_sql.sql.connection import Engine, EngineOptions, lock_down, open_engine


def refuse_nameless(source: Source, profile: Profile) -> None:
    """Raises ConfigurationError where the names of the columns look like values of theirs; it shows none of them."""
    like_values = profile.named_like_values
    if not like_values:
        return
    listed = ", ".join(str(position + 1) for position in like_values[:10]) + (" ..." if len(like_values) > 10 else "")
    columns = f"column {listed}" if len(like_values) == 1 else f"columns {listed}"
    remedy = (
        f"say --no-header, which calls them {_numbered(profile.columns)}"
        if source.dialect is not None
        else "write the names of the columns above it"
    )
    raise ConfigurationError(
        f"{source.label}: the first row looks like a row of data, not like the names of the columns: what it holds in "
        f"{columns} is like the values below; {remedy}, or --header if they are names (in Python header=)"
    )


def refuse_without_header(source: Source, header: bool | None) -> None:
    """Raises ConfigurationError where a table whose columns have names anyway is to be read without."""
    if header is False and source.dialect is None:
        if source.named_by_first_row:
            raise ConfigurationError(
                f"{source.label}: --no-header: the columns of a sheet are named by its first row; write names above it"
            )
        raise ConfigurationError(
            f"{source.label}: --no-header: only a CSV file can have no names of columns; leave it out"
        )


def taken_as_row(source: Source, header: bool | None) -> Iterator[str]:
    """A line where it was found out, and not said, that the first row of a CSV file is one of the data."""
    if header is None and source.dialect is not None and not source.dialect.header:
        yield (
            f"{source.label}: the first row holds numbers, empty fields or one twice, so it is read as data and the "
            f"columns are called {_numbered(source.columns)}; say --header if it names them"
        )


def _numbered(columns: Sequence[object]) -> str:
    return "column0" if len(columns) == 1 else f"column0 to column{len(columns) - 1}"


_PLACE = "DATA"
_RARE = 0.01  # of the rows at each end of a number
_NUMBERS = ("whole number", "decimal")


@dataclass(frozen=True)
class InitRequest:
    """What is looked at: a source as a configuration describes it, whose paths are relative to the working folder.

    Without one the rows are `handed` in. `config` is where the configuration will stand, None where it is printed: its
    paths are relative to its folder. `header` says whether the first row names the columns, None that it is to be found
    out.
    """

    source: SourceConfig | None
    config: Path | None = None
    hierarchies: Path | None = None
    handed: UserInput | None = None
    header: bool | None = None

    @property
    def base(self) -> Path:
        """The folder that paths of the configuration are relative to."""
        return Path() if self.config is None else self.config.parent


Ask = Callable[[Findings], Answers]


def propose(request: InitRequest, ask: Ask, options: EngineOptions, progress: Progress) -> Proposal:
    """Looks at a table, asks what only people know, and proposes a configuration.

    Raises ConfigurationError for a source or hierarchies that cannot be meant, EngineError for a source that cannot be
    read, NoReleaseError for a table without rows.
    """
    with _opened(request, options) as (engine, source), telling_faults(engine, source):
        table_profile = profile(engine, source, progress)
        if not table_profile.rows:
            raise NoReleaseError(f"{source.label}: the table has no rows; there is nothing to propose")
        if request.header is None:
            refuse_nameless(source, table_profile)
        if request.source is None:
            table_profile, read, understood = _as_texts(table_profile), None, source
        else:
            read = _as_read(request.source, table_profile, source)
            listed = replace(source, missing=tuple(read.missing or source.missing))
            understood = read_columns(listed, read.columns, f"{source.label}: column {{!r}}".format)
        sample = draw(engine, understood, table_profile.rows)
        with progress.step("looking for columns that tell others"):
            findings = _findings(engine, sample, table_profile)
        table_profile = findings.profile
        answers = ask(findings)
        roles = with_answers(findings.roles, answers.known, answers.unknown, answers.entity)
        roles = with_one_at_least(table_profile.columns, with_dependencies(roles, findings.determined))
        findings = replace(findings, roles=roles, entity=answers.entity)
        with progress.step("counting sets of columns"):
            sets = singling_out(engine, sample, table_profile, roles, progress)
        telling = tuple(subset for subset in sets.measured if not subset.holds_key and subset.alone)
        findings = replace(findings, sets=telling)
        return _proposed(engine, request, read, sample, findings, answers)


@contextmanager
def _opened(request: InitRequest, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
    """The source on a connection that reads nothing else, or rows that were handed in."""
    if request.source is None:
        handed = request.handed or UserInput()
        with open_duckdb(options, handed.connection) as engine:
            yield engine, open_given(engine, rereadable(handed.data), ())
        return
    with open_engine(options) as engine:
        source = open_described(engine, request.source, Path(), [], _PLACE)
        refuse_without_header(source, request.header)
        files, folders = allowed_places(engine, request.source, Path())
        files += [path.absolute() for path in source.files]
        files += [source.database.absolute()] if source.database is not None else []
        lock_down(engine, files, folders if source.kind in ("table", "query") else [])
        yield engine, source


def _as_read(described: SourceConfig, profile: Profile, source: Source) -> SourceConfig:  # noqa: C901
    """The source with what its columns need to be read as what they are.

    Texts that mean missing in several columns, and are no value of another, stand in one list for all of them.
    """
    readings = {column.name: _reading(column) for column in profile.columns if column.name}
    for reading in readings.values():
        if reading.get("trim") and "missing" in reading:  # blanks are taken away before a text is looked up
            reading["missing"] = list(dict.fromkeys(text.strip() for text in reading["missing"]))
    counted = Counter(text for reading in readings.values() for text in reading.get("missing", ()))
    is_value = (
        {"NA"}
        if any(column.finding is not None and column.finding.name == "country" for column in profile.columns)
        else ()
    )
    common = [text for text, columns in counted.items() if columns > 1 and text in ALWAYS and text not in is_value]
    given: dict[str, Any] = described.model_dump(exclude_unset=True)
    if source.encoding not in (None, UTF8) and described.csv_options.encoding is None:
        given["encoding"] = source.encoding
    missing = [*source.missing, *sorted(text for text in common if text not in source.missing)]
    if common:
        given["missing"] = missing
    for reading in readings.values():
        if "missing" in reading:
            reading["missing"] = [text for text in reading["missing"] if text not in missing]
            if not reading["missing"]:
                del reading["missing"]
    columns = {name: reading for name, reading in readings.items() if reading}
    if columns:
        given["columns"] = columns
    given.pop("csv", None)
    stated = described.csv.model_dump(exclude_unset=True)
    if source.dialect is not None and not source.dialect.header:
        stated["header"] = False
    if source.dialect is not None and stated:
        given["csv"] = stated
    return SourceConfig.model_validate(given)


def _released(read: SourceConfig, findings: Findings, treatments: Mapping[str, ProposedTreatment]) -> SourceConfig:
    """The source without a word on columns that are not released, but for the one that persons are counted by."""
    kept = {
        name: reading
        for name, reading in read.columns.items()
        if findings.roles[name].role != "identifier"
        or name in (findings.entity, *(treatment.by for treatment in treatments.values()))
    }
    given: dict[str, Any] = read.model_dump(exclude_unset=True, exclude={"columns"})
    shown = {name: reading.model_dump(exclude_unset=True) for name, reading in kept.items()}
    return SourceConfig.model_validate({**given, **({"columns": shown} if shown else {})})


def _as_texts(profile: Profile) -> Profile:
    """The profile of rows that Python holds: their configuration names no source, so texts stay what they are."""
    columns = [
        replace(column, reading={}, kind="text" if "type" in column.reading else column.kind)
        for column in profile.columns
    ]
    return replace(profile, columns=tuple(columns))


def _reading(column: ColumnProfile) -> dict[str, Any]:
    """How a column is to be read, what does not fit as missing."""
    reading = dict(column.reading)
    if column.unfit and reading.get("type") in ("number", "date", "timestamp"):
        reading.setdefault("invalid", "missing")
    return reading


def _findings(engine: Engine, sample: Sample, profile: Profile) -> Findings:
    """What the values and names say, and what columns tell others."""
    profile, groups = numbered_groups(engine, sample, profile)
    persons = persons_of(engine, sample, profile, groups)
    roles = roles_of(profile.columns)
    determined = dependencies(engine, sample, profile, roles)
    roles = with_one_at_least(profile.columns, with_dependencies(roles, determined))
    return Findings(
        profile, roles, persons.assumed, tuple(determined), rows_looked_at=sample.rows, maybe_persons=persons.asked
    )


def _proposed(
    engine: Engine,
    request: InitRequest,
    read: SourceConfig | None,
    sample: Sample,
    findings: Findings,
    answers: Answers,
) -> Proposal:
    table_profile, source = findings.profile, sample.source
    quasi = findings.columns("quasi-identifier")  # those left out too, so that they can be taken back
    persons = table_profile.rows if answers.entity is None else table_profile.column(answers.entity).distinct
    k, k_why = smallest_class(answers.recipient, persons)
    given, notes = (
        ({}, [])
        if request.hierarchies is None
        else files_for(request.hierarchies, [column.name for column in table_profile.columns])
    )
    kept = {*answers.known, *given}
    left_out_columns = left_out(engine, sample, findings, kept)
    stays = stays_of(
        findings, left_out_columns, kept, by=_shifted_by(findings), has_key=request.source is not None and has_key()
    )
    roles = {**findings.roles, **stays.roles}
    findings = replace(findings, left_out={**left_out_columns, **stays.left_out}, roles=roles)
    left, quasi = findings.left_out, findings.columns("quasi-identifier")
    share = min(0.25, max(_RARE, 2 * k / table_profile.rows))
    spread = spreads(engine, sample, [column.name for column in quasi if column.kind in _NUMBERS], share)
    tools = Tools(engine, source, table_profile.rows, k, spread, given, [*taken_as_row(source, request.header), *notes])
    years = birth_years(findings)
    generalizations = {column.name: years.get(column.name) or generalization_of(tools, column) for column in quasi}
    treatments = {**stays.treatments, **amounts(engine, sample, findings, k)}
    released = {name: generalization for name, generalization in generalizations.items() if name not in left}
    if not quasi:
        tools.notes.append(
            "every column names persons or holds nothing: nothing is left to release, so no configuration is proposed"
        )
    privacy: dict[str, Any] = {"k": k} if answers.entity is None else {"k": k, "entity": answers.entity}
    settings: dict[str, tuple[Any, str]] = {
        "privacy": (privacy, k_why),
        "suppression": ({"limit": "1%"}, _LIMIT),
        "algorithm": algorithm_for(answers.purpose, table_profile.rows, lattice_size(released)),
    }
    if not all(column.name for column in table_profile.columns):
        settings["unlisted"] = ("drop", "a column without a name cannot be listed; it is left out")
    if answers.entity is None and not answers.entity_said:
        tools.notes.extend(_asked_for(findings))
    places = None if read is None else Places.of(_released(read, findings, treatments), source)
    return Proposal(findings, answers, places, generalizations, settings, request.base, tuple(tools.notes), treatments)


def _asked_for(findings: Findings) -> Iterator[str]:
    """The line that asks who is a person, where columns perhaps say so and nobody has been asked."""
    names = findings.maybe_persons
    if not names:
        return
    counted = ", ".join(f"{name!r} has {findings.rows_each(name):.1f} rows for a value" for name in names)
    which = "it names" if len(names) == 1 else "one of them names"
    options = " or ".join(f"--entity {quote(name)}" for name in names)
    yield (
        f"{counted}. If {which} a person who has several, say {options} (in Python entity=), so that k counts persons; "
        "now k counts rows"
    )


def _shifted_by(findings: Findings) -> str | None:
    """The column by whose value dates move: the person, else an id that is another in each row."""
    if findings.entity is not None:
        return findings.entity
    ids = [
        column
        for column in findings.profile.columns
        if column.name and column.finding is not None and column.finding.name == "id"
    ]
    return next((column.name for column in ids if column.exact and column.distinct == column.rows), None)


_LIMIT = (
    "rows that a search with one level for each column may leave out: without any, a few odd rows make all others "
    "coarser; local leaves none out"
)


_SHOWN = 20
_MAIN = "main"


def unnamed_table(database: str) -> ConfigurationError:
    """What is said where a database file or a lake is named and none of its tables: their names, and what to type.

    Raises EngineError for a file that cannot be read.
    """
    with open_engine(EngineOptions()) as engine:
        catalog = attach(engine, Path(file_of_database(database) or database))
        refuse_misnamed(engine, catalog, database, _PLACE)
        kind = "lake" if names_lake(database) else "DuckDB database"
        rows = engine.query("source/tables", values={"catalog": catalog})
    names = [name if schema == _MAIN else f"{schema}.{name}" for schema, name, _ in rows]
    if not names:
        return ConfigurationError(f"{database}: is a {kind} without a table; name another file")
    listed = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
    holds = f"whose only table is {listed}" if len(names) == 1 else f"of {len(names)} tables and views: {listed}"
    meant = f"expected --table: kanon-sql init {quote(database)} --table"
    if len(names) == 1:
        return ConfigurationError(f"{database}: is a {kind} {holds}; {meant} {quote(names[0])} (in Python table=)")
    return ConfigurationError(
        f"{database}: is a {kind} {holds}; {meant} TABLE, with one of them for TABLE (in Python table=)"
    )
