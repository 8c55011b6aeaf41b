"""The configuration of one table of a database of persons: that of a run of this table alone, and how it is joined.

Facts stand in it as quasi-identifiers. The quasi-identifiers of persons that stand in other tables are those of the
table of persons, as TABLE.COLUMN.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kanon_sql.config.database_held import HeldColumn, held_columns, without_models
from kanon_sql.config.draft import Draft
from kanon_sql.config.load import LoadedConfig, validated
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.registry import PrivacyConfig
from kanon_sql.settings.yaml import KeyPath

FIRST = "first"  # of `since`: the first date of the person in the column itself
WITHOUT_COLUMNS = ("keep", "drop")
OF_THE_SEARCH = ("algorithm",)  # what the run of the unit's table takes from the top level
# What an entry of `tables` takes of the keys of a configuration of one table.
_ROLES = ("identifiers", "sensitive", "insensitive", "accept", "unlisted", "transform", "source")
_OF_THE_UNIT = ("quasi_identifiers", "group", "missing")


@dataclass(frozen=True)
class Link:
    """How the rows of a table find their person: by a `column` with the unit's key, or with the key of a table that
    they go `through`.
    """

    column: str
    through: str | None = None


@dataclass(frozen=True)
class Via:
    """How persons find their row of a table: by a `column` of theirs that holds the `key` of that table."""

    column: str
    key: str


@dataclass(frozen=True)
class TableConfig:
    """A table that is released with new keys: its configuration as one of a single table, in which facts stand as
    quasi-identifiers; None of a table that is copied.

    Persons find their row `via` a column where it holds quasi-identifiers of persons, which are `joined` to theirs.
    """

    name: str
    loaded: LoadedConfig | None
    link: Link | None = None
    facts: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    k: int | None = None  # of the table of persons
    via: Via | None = None
    joined: tuple[str, ...] = ()
    since: Mapping[str, str] = field(default_factory=dict)  # by column of distances what they are counted from
    # Of the table of persons: what models ask of values that persons hold in other tables, which are no columns of it.
    held: Mapping[str, HeldColumn] = field(default_factory=dict)
    privacy: PrivacyConfig | None = None  # with the models of these, which `loaded` has not

    @property
    def is_unit(self) -> bool:
        """Whether it is the table of persons."""
        return self.k is not None

    def joined_name(self, column: str) -> str:
        """The name of a joined column among the quasi-identifiers of persons."""
        return f"{self.name}.{column}"


def is_described(entry: object) -> bool:
    """Whether an entry of `tables` says anything of columns."""
    return entry not in WITHOUT_COLUMNS


class TableReader:
    """Reads the entries of `tables`.

    Args:
        draft: the configuration of the database.
        base: the folder that its paths are relative to.
        unit: the name of the table of persons, and its key.
        shift: by how many days dates move, as the transformation of a column.
        entries: all entries of `tables`.
        top: what the run of the unit's table takes from the top level.
    """

    def __init__(
        self,
        draft: Draft,
        base: Path,
        unit: tuple[str, str],
        shift: Mapping[str, Any] | None,
        entries: Mapping[str, Any],
        top: Mapping[str, Any],
    ) -> None:
        self.draft, self.base, self.shift, self.entries, self.top = draft, base, shift, entries, top
        self.unit, self.key = unit

    def read(self, name: str) -> TableConfig:
        """The configuration of one table. Raises ConfigurationError with every problem of its entry."""
        entry = self.entries[name]
        self._refuse(name)
        if name == self.unit:
            return self._unit(entry)
        if "via" in entry:
            return self._via(name, entry)
        link = _link(self.draft, name, entry.get("link", self.key))
        facts, dates = entry.get("facts") or {}, tuple(entry.get("dates") or ())
        value = self._value(name, {column: _fact(spec) for column, spec in facts.items()}, link.column)
        own = self._own_draft(name, value)
        since = dict(entry.get("since") or {})
        return TableConfig(name, validated(own, self.base), link, tuple(facts), dates, since=since)

    def _unit(self, entry: Mapping[str, Any]) -> TableConfig:
        """The configuration of the table of persons, with what other tables say of them."""
        name, top = self.unit, self.top
        dates = tuple(entry.get("dates") or ())
        joined = {
            f"{other}.{column}": spec
            for other, described in self.entries.items()
            if other != name and isinstance(described, Mapping) and "via" in described
            for column, spec in _specs(described.get("quasi_identifiers")).items()
        }
        given = entry.get("quasi_identifiers")
        specs = {**_specs(given), **copy.deepcopy(joined)} if joined else copy.deepcopy(given)
        held = held_columns(self.draft, self.unit, self.entries, top["privacy"])
        value = self._value(name, specs, self.key)
        value["sensitive"] = [*(value.get("sensitive") or ()), *held]
        value["privacy"] = top["privacy"]
        value |= {key: top[key] for key in ("suppression", *OF_THE_SEARCH) if key in top}
        own = self._own_draft(name, value)
        if self.shift is not None:
            self._shift_dates(own, dates)
        loaded = validated(own, self.base)
        k, privacy = loaded.config.privacy.k, loaded.config.privacy
        if not specs:
            models = [key for key in top["privacy"] if key != "k"]
            if models:
                raise ConfigurationError(
                    f"{self.draft.place(('privacy', models[0]))}: {models[0]} speaks of classes, and table {name!r} "
                    "has no quasi-identifiers; name some there, or remove it"
                )
            one_class = loaded.config.privacy.model_copy(update={"k": 1})
            loaded = replace(loaded, config=loaded.config.model_copy(update={"privacy": one_class}))
        own_columns = [column for column in loaded.config.sensitive if column not in held]
        update = {"sensitive": own_columns, "privacy": without_models(loaded.config.privacy, held)}
        loaded = replace(loaded, config=loaded.config.model_copy(update=update))
        return TableConfig(name, loaded, None, (), dates, k, held=held, privacy=privacy)

    def _via(self, name: str, entry: Mapping[str, Any]) -> TableConfig:
        """The configuration of a table with quasi-identifiers of persons; how they are generalized is said of those."""
        joined = _specs(entry.get("quasi_identifiers"))
        place = self.draft.place(("tables", name, "via"))
        if not joined:
            raise ConfigurationError(
                f"{place}: tables.{name} has no quasi_identifiers, for which persons go there; add them, or remove via"
            )
        via = _via_of(entry["via"])
        if via is None:
            raise ConfigurationError(
                f"{place}: tables.{name}.via: expected the column of {self.unit} that holds the key of {name}, or "
                "{COLUMN: KEY} where the key has another name there"
            )
        if via.column != self.key and via.key == self.key:
            raise ConfigurationError(
                f"{place}: tables.{name}.via: {via.key!r} is the key of persons, by which they find their own row; "
                f"write via: {via.key}"
            )
        value = self._value(name, {column: _fact({}) for column in joined}, via.key)
        loaded = validated(self._own_draft(name, value), self.base)
        return TableConfig(name, loaded, via=via, joined=tuple(joined))

    def _value(self, name: str, specs: Any, by: str) -> dict[str, Any]:
        """What a configuration of the table alone would say, with its quasi-identifiers."""
        entry = self.entries[name]
        value = {key: copy.deepcopy(entry[key]) for key in (*_ROLES, *_OF_THE_UNIT) if key in entry}
        # Keys are joined by and released under new values; a run of the table alone takes them as they are. Where
        # nothing is generalized the key stands where a quasi-identifier must, and nobody is told apart by it.
        value["quasi_identifiers"] = specs or {by: {"builtin": "suppress", "max_level": 0}}
        value["source"] = {"path": name, **_source(value.get("source"))}
        value["privacy"] = {"k": 1}
        named = [*(entry.get("dates") or ()), *(entry.get("since") or ())]
        moving = [column for column in named if column not in value["quasi_identifiers"]]
        value["insensitive"] = [*(value.get("insensitive") or ()), *moving]
        return value

    def _refuse(self, name: str) -> None:
        """Raises ConfigurationError for an entry of `tables` that is no mapping of known keys."""
        here, entry, draft = ("tables", name), self.entries[name], self.draft
        if not isinstance(entry, Mapping):
            text = f"tables.{name}: expected keep, drop or a mapping of its columns; correct it"
            raise ConfigurationError(f"{draft.place(here)}: {text}")
        known: tuple[str, ...] = (*_ROLES, "link", "facts", "dates", "since", "via")
        if name == self.unit:
            known = (*_ROLES, *_OF_THE_UNIT, "dates")
        elif "via" in entry:
            known = (*_ROLES, "via", "quasi_identifiers")
        problems = [
            f"{draft.place((*here, key))}: tables.{name}: unknown key {key!r}, expected one of {', '.join(known)}"
            for key in entry
            if key not in known
        ]
        if not isinstance(entry.get("facts", {}), (Mapping, type(None))):
            problems.append(f"{draft.place((*here, 'facts'))}: tables.{name}.facts: expected a mapping of columns")
        if not isinstance(entry.get("dates", []), (list, type(None))):
            problems.append(f"{draft.place((*here, 'dates'))}: tables.{name}.dates: expected a list of columns")
        since = entry.get("since") or {}
        if not isinstance(since, Mapping) or not all(isinstance(origin, str) for origin in since.values()):
            problems.append(
                f"{draft.place((*here, 'since'))}: tables.{name}.since: expected columns with first, or a date of "
                f"{self.unit}, such as {{day: first}}"
            )
        elif set(since) & set(entry.get("dates") or ()):
            problems.append(
                f"{draft.place((*here, 'since'))}: tables.{name}: a date that becomes a distance does not move; remove "
                "it from dates"
            )
        if problems:
            raise ConfigurationError(problems)

    def _own_draft(self, name: str, value: dict[str, Any]) -> Draft:
        """The draft of one table's configuration, whose keys stand where the database's configuration has them."""
        draft, is_unit, here = self.draft, name == self.unit, ("tables", name)
        own = Draft(draft.name, value, variables=draft.variables)
        of_the_unit = ("privacy", *OF_THE_SEARCH) if is_unit else ()
        for recorded, to in ((draft.places, own.places), (draft.sources, own.sources)):
            for path, text in recorded.items():
                if path[:2] == here:
                    to[_as_quasi_identifier(path[2:])] = text
                elif path and path[0] in of_the_unit:
                    to[path] = text
                elif is_unit and path[:1] == ("tables",) and path[2:3] == ("quasi_identifiers",) and len(path) > 3:
                    to[("quasi_identifiers", f"{path[1]}.{path[3]}", *path[4:])] = text
        own.places.setdefault((), draft.place(here))
        own.problems = [
            problem._replace(path=_as_quasi_identifier(problem.path[2:]))
            for problem in draft.problems
            if problem.path[:2] == here
        ]
        return own

    def _shift_dates(self, own: Draft, dates: Collection[str]) -> None:
        """Has the run of the unit's table move its dates by the days of each person."""
        assert self.shift is not None
        transform = own.value.setdefault("transform", {})
        for name in dates:
            transform[name] = {**transform.get(name, {}), "shift": dict(self.shift)}
            own.sources["transform", name, "shift", "key"] = self.draft.sources.get(("shift", "key"), "${KEY}")


def _specs(given: Any) -> dict[str, Any]:
    """Quasi-identifiers by their columns, which a list gives alone."""
    if isinstance(given, Mapping):
        return dict(given)
    return {name: {} for name in given if isinstance(name, str)} if isinstance(given, list) else {}


def _as_quasi_identifier(path: KeyPath) -> KeyPath:
    return ("quasi_identifiers", *path[1:]) if path[:1] == ("facts",) else path


def _source(given: Any) -> dict[str, Any]:
    return {key: entry for key, entry in given.items() if key != "path"} if isinstance(given, Mapping) else {}


def _fact(spec: Any) -> Any:
    """A fact without a hierarchy is released as it is, or suppressed."""
    return {"builtin": "suppress", "max_level": 0} if spec is None or spec == {} else spec


def _via_of(given: Any) -> Via | None:
    if isinstance(given, str):
        return Via(given, given)
    if isinstance(given, Mapping) and len(given) == 1:
        ((column, key),) = given.items()
        if isinstance(key, str):
            return Via(column, key)
    return None


def _link(draft: Draft, name: str, given: Any) -> Link:
    if isinstance(given, str):
        return Link(given)
    if isinstance(given, Mapping) and len(given) == 1:
        ((column, entry),) = given.items()
        if isinstance(entry, str):
            return Link(entry) if column == "column" else Link(column, entry)
    raise ConfigurationError(
        f"{draft.place(('tables', name, 'link'))}: {name}: expected a column with the unit's key, or {{COLUMN: TABLE}} "
        "to go through another table"
    )


def with_keys(table: TableConfig, keys: Collection[str], names: Collection[str]) -> LoadedConfig:
    """The configuration of a table with columns of these names in which some of them, its keys, are passed on as they
    are.
    """
    assert table.loaded is not None
    config = table.loaded.config
    named = {*config.identifiers, *config.quasi_identifiers, *config.sensitive, *config.insensitive}
    passed = [name for name in keys if name not in named]
    looked_at = [name for name in (*keys, *table.facts) if name in names]
    update = {"insensitive": [*config.insensitive, *passed], "accept": [*config.accept, *looked_at]}
    return replace(table.loaded, config=config.model_copy(update=update))


def with_held(loaded: LoadedConfig, unit: TableConfig) -> LoadedConfig:
    """The configuration of the table of persons with the values that they hold in other tables as columns of it."""
    if not unit.held:
        return loaded
    update = {
        "sensitive": [*loaded.config.sensitive, *unit.held],
        "accept": [*loaded.config.accept, *unit.held],
        "privacy": unit.privacy,
    }
    return replace(loaded, config=loaded.config.model_copy(update=update), several=frozenset(unit.held))


def without_columns(loaded: LoadedConfig, names: Collection[str]) -> LoadedConfig:
    """The configuration of a table that releases none of these columns, whatever it says of them."""
    config = loaded.config
    update: dict[str, Any] = {
        role: [name for name in getattr(config, role) if name not in names]
        for role in ("identifiers", "sensitive", "insensitive")
    }
    update["identifiers"] += sorted(names)
    update |= {
        key: {name: spec for name, spec in getattr(config, key).items() if name not in names}
        for key in ("quasi_identifiers", "transform")
    }
    return replace(loaded, config=config.model_copy(update=update))


def without_joined(loaded: LoadedConfig, joined: Collection[str]) -> LoadedConfig:
    """The configuration of the table of persons without the quasi-identifiers that stand in other tables."""
    own = {name: spec for name, spec in loaded.config.quasi_identifiers.items() if name not in joined}
    return replace(loaded, config=loaded.config.model_copy(update={"quasi_identifiers": own}))
