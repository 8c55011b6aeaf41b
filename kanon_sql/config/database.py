"""The configuration of a whole database of persons: the table of the persons, the tables about them, keys and facts.

What is said of each table is the configuration of a run of that table (`table_config`); so its keys, their rules and
messages are those of a configuration of one table, and a problem names the line of the file.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from kanon_sql.config import messages as words
from kanon_sql.config.database_faults import faults_between
from kanon_sql.config.database_table import OF_THE_SEARCH, TableConfig, TableReader, is_described
from kanon_sql.config.draft import Draft, Problem, among, draft_of_mapping, draft_of_text
from kanon_sql.config.load import Overrides, problem_lines, read_text_of, redacted
from kanon_sql.config.model import RowsOrShare
from kanon_sql.errors import ConfigurationError, escape
from kanon_sql.privacy.thresholds import Share
from kanon_sql.settings.formats import is_json_with
from kanon_sql.settings.part import ColumnName, Name, Part, ShortFor
from kanon_sql.settings.report import ReportConfig
from kanon_sql.settings.rules import ExactlyOne, Faults
from kanon_sql.settings.treatments import Key, PseudonymConfig, variable_of
from kanon_sql.settings.yaml import KeyPath, YamlError, decode


class _Place(Part):
    """Where tables are: `schema` is kept as `namespace`, as pydantic has a method of that name."""

    @classmethod
    def faults(cls, given: Mapping[str, Any]) -> Faults:
        yield from super().faults({"schema" if key == "namespace" else key: entry for key, entry in given.items()})


class DatabaseSource(_Place):
    """Where the tables are: a folder with a file of each, a database file of DuckDB, or a schema of PostgreSQL."""

    between = (
        ExactlyOne(
            ("path", "database", "schema"),
            none="expected path, database or schema; add one",
            several="keep one of them",
        ),
    )

    path: Name | None = Field(None, description="a folder; a table is named by its file")
    database: Name | None = Field(None, description="a DuckDB database file")
    namespace: Name | None = Field(None, alias="schema", description="a schema of engine.postgres")

    @property
    def label(self) -> str:
        """The place as reports and messages name it."""
        return self.path or self.database or f"schema {self.namespace} of PostgreSQL"


class DatabaseTarget(_Place):
    """Where the released tables go, all of them or none."""

    between = (
        ExactlyOne(
            ("path", "database", "schema"),
            none="expected path, database, schema or in-place; add one",
            several="keep one of them",
            true=("in_place",),
        ),
    )

    path: Name | None = Field(None, description="a folder, with a file of each table")
    format: Literal["parquet", "csv"] | None = Field(None, description="of the files; default: that of the source")
    database: Name | None = Field(None, description="a DuckDB database file")
    namespace: Name | None = Field(
        None, alias="schema", description="a schema of engine.postgres, which is made where there is none"
    )
    in_place: bool = Field(False, description="replace the source, all tables or none")
    overwrite: bool = Field(False, description="replace an existing target")


class DatabaseEngine(Part):
    """The server that holds the tables."""

    postgres: Name = Field(repr=False, description="a connection URL, postgresql://user@host/database")


class UnitConfig(Part):
    """The table of which each row is one person."""

    table: Name = Field(description="the table of which each row is one person")
    key: ColumnName = Field(description="its column that tells persons apart")


class KeyConfig(Part):
    """What becomes of the values of a column that joins tables, the same wherever a column of that name stands."""

    how: Literal["renumber", "keep", "pseudonym"] = Field("renumber", description="renumber, keep or a pseudonym")
    pseudonym: PseudonymConfig | None = Field(None, description="with key and length, as transform has it")


def _key(value: Any) -> Any:
    return {**value, "how": "pseudonym"} if isinstance(value, Mapping) and "pseudonym" in value else value


class DateShift(Part):
    """All dates that tables name move by one number of days a person."""

    days: int = Field(ge=1, le=36_525, description="by how many days at most, to either side")
    key: Key = Field(repr=False, description="${NAME}: the variable of the environment that holds the key")
    weeks: bool = Field(False, description="by whole weeks")


class FactsConfig(Part):
    """What others may know of a person beside the quasi-identifiers."""

    known: Annotated[int, Field(ge=1, le=4)] = Field(description="how many facts of a person somebody knows at most")
    among: Literal["nothing", "quasi_identifiers"] = Field(
        "nothing", alias="with", description="whether the quasi-identifiers are known with them"
    )
    confidence: Share | None = Field(
        None, description="the greatest share of those who have a set of facts that may have a sensitive value"
    )


class DatabaseSuppression(Part):
    """What may be suppressed at most."""

    persons: RowsOrShare = Field(0, description="persons that may go with all their rows, or a share of them")
    facts: RowsOrShare = Field("100%", description="pairs of a person and a fact that may go, or a share of them")


class DatabaseConfig(Part):
    """One anonymization of a database of persons."""

    source: Annotated[DatabaseSource, ShortFor("path")] = Field(description="a folder of files, or a database")
    target: Annotated[DatabaseTarget | None, ShortFor("path", (("in-place", {"in_place": True}),))] = Field(
        None, description="where the released tables go"
    )
    engine: DatabaseEngine | None = Field(None, description="the server of source.schema and target.schema")
    unit: UnitConfig = Field(description="the table of persons, and its key")
    keys: dict[ColumnName, Annotated[KeyConfig, ShortFor("how"), BeforeValidator(_key)]] = Field(
        {}, description="columns that join tables, and what their values become"
    )
    shift: DateShift | None = Field(None, description="by how many days the dates of a person move")
    tables: dict[Name, Any] = Field(min_length=1, description="every table of the source: keep, drop or its columns")
    facts: FactsConfig | None = Field(None, description="what others may know of a person, from privacy.facts")
    suppression: DatabaseSuppression = Field(DatabaseSuppression(), description="what may be suppressed")
    report: Annotated[ReportConfig | None, ShortFor("json")] = Field(None, description="where the report is written")

    @property
    def target_schema(self) -> str | None:
        """The schema of PostgreSQL that the tables are written into; that of the source where they are in place."""
        if self.target is None:
            return None
        return self.source.namespace if self.target.in_place else self.target.namespace

    def key_of(self, name: str) -> KeyConfig:
        """What becomes of a key; it is renumbered where nothing is said of it."""
        return self.keys.get(name, KeyConfig())

    @property
    def shift_of_persons(self) -> dict[str, Any] | None:
        """By how many days the dates of a person move, as the transformation of a column of the unit's table."""
        return None if self.shift is None else {**self.shift.model_dump(), "by": self.unit.key}


@dataclass(frozen=True)
class LoadedDatabase:
    """A valid configuration of a database, with what it takes to find files and to point at its keys."""

    config: DatabaseConfig
    tables: Mapping[str, TableConfig]  # without those that are dropped
    dropped: frozenset[str]
    base: Path
    name: str
    draft: Draft = field(repr=False, compare=False)

    @property
    def unit(self) -> TableConfig:
        """The table of persons."""
        return self.tables[self.config.unit.table]

    @property
    def k(self) -> int:
        """The persons that each equivalence class, and each set of facts, stands for at least."""
        assert self.unit.k is not None
        return self.unit.k

    @property
    def has_classes(self) -> bool:
        """Whether the table of persons has quasi-identifiers; without any all persons are one class."""
        assert self.unit.loaded is not None
        return set(self.unit.loaded.config.quasi_identifiers) != {self.config.unit.key}

    @property
    def keys(self) -> dict[str, KeyConfig]:
        """The columns that join tables by their names: the unit's key, those that links go through, and others."""
        names = [self.config.unit.key]
        links = [table.link for table in self.tables.values() if table.link is not None]
        names += [link.column for link in links if link.through is not None]
        names += [table.via.key for table in self.shared.values() if table.via is not None]
        return {**{name: self.config.key_of(name) for name in names}, **self.config.keys}

    @property
    def shared(self) -> dict[str, TableConfig]:
        """The tables whose rows persons share, by the column of the persons' table that leads there."""
        vias = {table.via.column: table for table in self.tables.values() if table.via is not None}
        return {column: table for column, table in vias.items() if column != self.config.unit.key}

    def key_names(self, table: TableConfig, names: Sequence[str]) -> dict[str, str]:
        """The columns of a table that hold keys, each with the name of its key."""
        keys = {name: name for name in names if name in self.keys}
        if table.link is not None and table.link.through is None:
            keys[table.link.column] = self.config.unit.key
        if table.via is not None and table.via.column == self.config.unit.key:
            keys[table.via.key] = self.config.unit.key
        if table.is_unit:
            keys |= {col: other.via.key for col, other in self.shared.items() if col in names and other.via is not None}
        return keys

    @property
    def joined(self) -> dict[str, tuple[TableConfig, str]]:
        """The quasi-identifiers of persons that stand in other tables, with their tables and columns."""
        return {table.joined_name(column): (table, column) for table in self.tables.values() for column in table.joined}

    @property
    def sensitive(self) -> dict[str, tuple[str, ...]]:
        """The sensitive columns of the tables about persons."""
        return {
            name: tuple(table.loaded.config.sensitive)
            for name, table in self.tables.items()
            if table.loaded is not None and table.via is None and table.loaded.config.sensitive
        }

    def place(self, *path: str | int) -> str:
        """FILE:LINE of a key, or of the nearest key around it."""
        return self.draft.place(path)

    def redact(self, text: str) -> str:
        """`text` with the values that `${NAME}` read from the environment shown as ${NAME}."""
        return redacted(self.draft, text)


def share_of(limit: int | str, n: int) -> int:
    """A limit in rows of `n`: a share is the floor of the exact product."""
    return limit if isinstance(limit, int) else floor(Fraction(limit.rstrip("%")) * n / 100)


def is_database(config: object) -> bool:
    """Whether a configuration, a path or a mapping, is that of a database: it has `tables`."""
    if isinstance(config, LoadedDatabase):
        return True
    if isinstance(config, Mapping):
        return "tables" in config
    if not isinstance(config, (str, os.PathLike)):
        return False
    path = Path(config)
    suffix = path.suffix.lower()
    if suffix not in (".yaml", ".yml") and not (suffix == ".json" and is_json_with(path, "tables")):
        return False
    try:
        draft = draft_of_text("", decode(path.read_bytes()), {})
    except (OSError, ValueError, YamlError):
        return False
    return "tables" in draft.value


def load_database(config: object, overrides: Overrides = ()) -> LoadedDatabase:
    """The configuration of a database in a YAML file or a mapping.

    Raises ConfigurationError with every problem, FILE:LINE first.
    """
    if isinstance(config, LoadedDatabase):
        return config
    if isinstance(config, Mapping):
        draft, base = draft_of_mapping("<configuration>", config), Path()
    else:
        assert isinstance(config, (str, os.PathLike))
        name = os.fspath(config)
        base = Path(name).parent
        try:
            draft = draft_of_text(name, decode(read_text_of(name)), os.environ)
        except YamlError as error:
            place = name if error.line is None else f"{name}:{error.line}"
            raise ConfigurationError(escape(f"{place}: {error.text}")) from None
    draft.expand()
    for key, value in overrides:
        draft.override(key, value, os.environ)
    return _validated(draft, base)


def _validated(draft: Draft, base: Path) -> LoadedDatabase:
    given = copy.deepcopy(draft.value)
    _read_keys(draft, given)
    _refuse_of_one_table(draft, given)
    privacy = given.pop("privacy", None)
    search = {key: given.pop(key) for key in OF_THE_SEARCH if key in given}
    if not isinstance(privacy, Mapping):
        draft.problem(("privacy",), "expected a mapping with k; add it")
        privacy = {}
    privacy = dict(privacy)
    facts = privacy.pop("facts", None)
    if facts is not None:
        given["facts"] = facts
    config = None
    try:
        config = DatabaseConfig.model_validate(given)
    except ValidationError as error:
        _note_wrong_values(draft, error, given)
    if config is None:
        raise ConfigurationError(problem_lines(draft))
    top = {**search, "privacy": privacy, "suppression": {"limit": config.suppression.persons}}
    unit = (config.unit.table, config.unit.key)
    reader = TableReader(draft, base, unit, config.shift_of_persons, config.tables, top)
    tables: dict[str, TableConfig] = {}
    problems: list[str] = []
    for name, entry in config.tables.items():
        if entry == "drop":
            continue
        if entry == "keep":
            tables[name] = TableConfig(name, None)
            continue
        try:
            tables[name] = reader.read(name)
        except ConfigurationError as error:
            problems += error.problems
    _check(draft, config, tables)
    if draft.problems or problems:
        lines = problem_lines(draft) if draft.problems else []
        raise ConfigurationError([*lines, *dict.fromkeys(problems)])
    dropped = frozenset(name for name, entry in config.tables.items() if entry == "drop")
    return LoadedDatabase(config, tables, dropped, base, draft.name, draft)


def _refuse_of_one_table(draft: Draft, given: dict[str, Any]) -> None:
    """Notes that a whole database has no ledger and no bound on the columns that are known, and why."""
    privacy = given.get("privacy")
    if isinstance(privacy, dict) and privacy.pop("known_columns", None) is not None:
        draft.problem(
            ("privacy", "known_columns"),
            "a database counts whole classes of persons, whoever knows how many columns; remove it",
        )
    if given.pop("releases", None) is not None:
        draft.problem(
            ("releases",),
            "a whole database has no ledger yet: what two releases tell together, of persons with facts in several "
            "tables, is not counted; remove it, and do not release the same persons twice",
        )


def _check(draft: Draft, config: DatabaseConfig, tables: Mapping[str, TableConfig]) -> None:
    """Notes what tables contradict: of the unit, of links, and of facts and dates that nothing asks for."""
    unit = config.unit.table
    if unit not in config.tables:
        draft.problem(("unit", "table"), f"tables has no {unit!r}; describe the table of persons there", spoils=False)
    elif not is_described(config.tables[unit]):
        draft.problem(("tables", unit), "the table of persons is neither kept nor dropped; give its columns roles")
    spoilt = {name for name, entry in config.tables.items() if is_described(entry)} - tables.keys()
    for name, table in tables.items():
        fault = _fault_of_link(table, tables, unit, spoilt)
        if fault is not None:
            draft.problem(("tables", name, "link"), fault, spoils=False)
        fault = _fault_of_via(table, tables, config)
        if fault is not None:
            draft.problem(("tables", name, "via"), fault, spoils=False)
    bounded = config.facts is not None and config.facts.confidence is not None
    for path, text in faults_between(tables, unit, config.unit.key, config.keys, bounded=bounded):
        draft.problem(path, text, spoils=False)
    has_facts = any(table.facts for table in tables.values())
    is_sensitive = any(t.loaded is not None and t.via is None and t.loaded.config.sensitive for t in tables.values())
    dated = [name for name, table in tables.items() if table.dates]
    given = {} if config.report is None else config.report.model_dump(exclude_unset=True, exclude_none=True)
    beside = [name for name in given if name not in ("json", "html")]
    on_server = [
        key for key, place in (("source", config.source), ("target", config.target)) if place and place.namespace
    ]
    faults: list[tuple[bool, KeyPath, str]] = [
        (
            bool(on_server) and config.engine is None,
            (*on_server[:1], "schema"),
            "a schema is one of engine.postgres, which is missing, expected {postgres: ${NAME}} with its URL; add it",
        ),
        (
            config.engine is not None and not on_server,
            ("engine",),
            "neither source nor target is a schema of that server; expected schema in one of them, or no engine",
        ),
        (
            bool(beside),
            ("report",),
            "expected json or html alone, other keys are for the page of one table; remove them",
        ),
        (
            has_facts and config.facts is None,
            ("privacy",),
            "facts is missing, expected {known: 2}: how many facts of a person somebody knows; add it",
        ),
        (
            bounded and not is_sensitive,
            ("privacy", "facts", "confidence"),
            "confidence bounds what facts tell of sensitive columns, and no table about persons has any; name them in "
            "sensitive",
        ),
        (
            bool(dated) and config.shift is None,
            ("tables", *dated[:1], "dates"),
            "dates move by shift, which is missing, expected {days: 60, key: ${NAME}}; add it",
        ),
    ]
    for wrong, path, text in faults:
        if wrong:
            draft.problem(path, text, spoils=False)


def _fault_of_link(
    table: TableConfig, tables: Mapping[str, TableConfig], unit: str, spoilt: Collection[str]
) -> str | None:
    """What is wrong with the way of a table's rows to their person; those that are `spoilt` tell what it is there."""
    seen = {table.name}
    link = table.link
    while link is not None and link.through is not None and link.through not in spoilt:
        other = tables.get(link.through)
        if other is None or other.loaded is None or other.via is not None:
            return f"{link.through!r} is no table that is released with persons; name one, or the key of {unit}"
        if other.name == unit:
            return f"{unit!r} is the table of persons itself, whose key rows hold; write link: COLUMN"
        if other.name in seen:
            return "the links run in a circle; name the unit's key"
        seen.add(other.name)
        link = other.link
    return None


def _fault_of_via(table: TableConfig, tables: Mapping[str, TableConfig], config: DatabaseConfig) -> str | None:
    """What is wrong with the key by which persons find their row of a table that they share."""
    if table.via is None or table.via.column == config.unit.key:
        return None
    key = table.via.key
    if config.key_of(key).how != "renumber":
        return f"rows of {table.name!r} are made anew, one of the same values, so {key!r} is renumbered; say so in keys"
    through = [
        other.name
        for other in tables.values()
        if other is not table
        and (
            (other.link and other.link.through and other.link.column == key)
            or (other.via and (other.via.key == key or other.via.column == table.via.column))
        )
    ]
    if through:
        return f"{key!r} leads to another table for {through[0]!r}; a key belongs to one table"
    return None


def _read_keys(draft: Draft, given: Mapping[str, Any]) -> None:
    """Sees to it that secret keys come from the environment, as ${NAME} alone; in a mapping they are read there now."""
    places: list[tuple[KeyPath, Any]] = []
    keys = given.get("keys")
    for name, entry in keys.items() if isinstance(keys, Mapping) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("pseudonym"), Mapping):
            places.append((("keys", name, "pseudonym", "key"), entry["pseudonym"]))
    if isinstance(given.get("shift"), Mapping):
        places.append((("shift", "key"), given["shift"]))
    for path, part in places:
        if part.get("key") is None or path in draft.sources or among(draft.spoilt(), path):
            continue
        variable = variable_of(part["key"])
        if variable is None:
            draft.problem(path, "a key is never written here; expected ${NAME}, a variable of the environment")
        elif variable not in os.environ:
            draft.problem(path, f"the environment has no variable {variable}; kanon-sql key new makes a key")
        else:
            part["key"] = draft.variables[variable] = os.environ[variable]
            draft.sources[path] = f"${{{variable}}}"


def _note_wrong_values(draft: Draft, error: ValidationError, given: Mapping[str, Any]) -> None:
    spoilt = draft.spoilt()
    for fault in error.errors(include_url=False):
        path = words.key_path(fault, given)
        if path[:1] == ("facts",):
            path = ("privacy", *path)  # where the file has them
        if path in spoilt:
            continue
        if fault["type"] == "extra_forbidden":
            text = _unknown(path)
        elif fault["type"] == "missing":
            text = f"{path[-1]} is missing; add it"
        elif fault["type"] == "rule":
            text = str(fault.get("ctx", {}).get("found", fault["msg"]))
        else:
            text = words.in_words(fault, path, fault["input"], draft.source(path))
        draft.problems.append(Problem(path, draft.place(path), text, fault["type"] != "missing"))


def _unknown(path: KeyPath) -> str:
    """What is wrong with a key that the configuration of a database does not have, and what it has there."""
    at = path[1:] if path[:2] == ("privacy", "facts") else path
    part = words.part_at(at[:-1], DatabaseConfig)
    known = [field.alias or name for name, field in part.model_fields.items()] if part else []
    if part is DatabaseConfig:
        known = [*(name for name in known if name != "facts"), "privacy", *OF_THE_SEARCH]
    text, meant = f"unknown key {path[-1]!r} in the configuration of a database", words.near(path[-1], known)
    if meant:
        return f"{text}, did you mean {meant}?"
    return f"{text}{', expected one of ' + ', '.join(known) if known else ''}; correct or remove it"
