"""The role of each column of a source, and which columns are released."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.messages import MOST_SUGGESTED, near
from kanon_sql.errors import UnfittingSourceError, bounded
from kanon_sql.source.model import Column, Role, Source

_LISTS: dict[str, Role] = {
    "identifiers": "identifier",
    "quasi_identifiers": "quasi_identifier",
    "sensitive": "sensitive",
    "insensitive": "insensitive",
}

_KEYS = "identifiers, quasi_identifiers, sensitive, insensitive, or unlisted: drop or insensitive"
_OPTIONS = "--identifier, --qi, --sensitive, --insensitive, or --unlisted drop or insensitive"
_BY_ROWS = (
    "; a release never has the column of privacy.entity: its rows are counted with --set privacy.entity=~, "
    "which says less than persons do"
)


@dataclass(frozen=True)
class Roles:
    """The role of each column by name; quasi-identifiers in the configuration's order, `released` in the source's."""

    by_name: dict[str, Role]
    quasi_identifiers: tuple[Column, ...]
    released: tuple[Column, ...]

    def of(self, column: Column) -> Role:
        """The role of a column."""
        return self.by_name[column.name]


def assign_roles(source: Source, loaded: LoadedConfig, *, measured_only: bool = False) -> Roles:  # noqa: C901
    """Gives each column its role.

    Raises UnfittingSourceError with every column that is named but not there and, where `unlisted` is error, every one
    that is there but not named. With `measured_only`, for a table that is only checked, only quasi-identifiers and the
    columns of models must be there.
    """
    config = loaded.config
    present = {column.name for column in source.columns}
    problems = []
    by_name: dict[str, Role] = {}
    named = {name for key in _LISTS for name in getattr(config, key)}
    # Where no name is there, the first row is perhaps no header but data, which messages must not show.
    hidden = source.only_texts and not named & present
    suggest = len(named - present) <= MOST_SUGGESTED
    not_there = partial(_not_there, label=source.label, present=present, hidden=hidden, suggest=suggest)
    for key, role in _LISTS.items():
        for name in getattr(config, key):
            by_name[name] = role
            if name not in present and (key == "quasi_identifiers" or not measured_only):
                problems.append(not_there(name, loaded.place(key, name)))
    for position, name in enumerate(config.accept if not measured_only else ()):
        if name not in present:
            problems.append(not_there(name, loaded.place("accept", position)))
    if config.privacy.entity is not None:
        by_name[config.privacy.entity] = "identifier"
    if config.group is not None:
        by_name.setdefault(config.group, "identifier")
    unlisted = [column.name for column in source.columns if column.name not in by_name]
    if config.unlisted == "error" and unlisted and not measured_only:
        problems.append(
            f"{loaded.place()}: no list names {'its columns' if hidden else ', '.join(map(repr, unlisted[:20]))}"
            f"{' ...' if len(unlisted) > 20 else ''}; expected a role for each column of {source.label}: "
            f"{_OPTIONS if loaded.draft.flags else _KEYS}"
        )
    for name, place in _read_besides(loaded, measured_only=measured_only).items():
        if name not in present:
            by_rows = _BY_ROWS if measured_only and name == config.privacy.entity else ""
            problems.append(not_there(name, place) + by_rows)
    if problems:
        raise UnfittingSourceError(bounded(problems, loaded.place()))
    for name in unlisted:
        by_name[name] = "insensitive" if config.unlisted == "insensitive" else "dropped"
    # An identifier is released after all as a pseudonym.
    pseudonyms = {name for name, treatments in config.transform.items() if treatments.pseudonym is not None}
    withheld = {name for name, role in by_name.items() if role in ("identifier", "dropped")} - pseudonyms
    released = tuple(column for column in source.columns if column.name not in withheld)
    return Roles(by_name, tuple(source.column(name) for name in config.quasi_identifiers), released)


def _read_besides(loaded: LoadedConfig, *, measured_only: bool) -> dict[str, str]:
    """The columns that are read whatever their roles are, each with where the configuration names it.

    A table that is only measured must have the columns of models; columns of a group are read for a run alone.
    """
    privacy = loaded.config.privacy
    places: dict[str, str] = {}
    if loaded.config.group is not None and not measured_only:
        places[loaded.config.group] = loaded.place("group")
    for key in type(privacy).model_fields if measured_only else ():
        entries = getattr(privacy, key)
        for entry in entries if isinstance(entries, list) else ():
            if hasattr(entry, "column"):
                places.setdefault(entry.column, loaded.place("privacy", key))
    if privacy.entity is not None:
        places[privacy.entity] = loaded.place("privacy", "entity")
    return places


def _not_there(name: str, place: str, *, label: str, present: set[str], hidden: bool, suggest: bool) -> str:
    """The problem that the source called `label` lacks a column, with those of its `present` ones that may be meant.

    With `hidden` only a name that is nearly the same is shown: whoever wrote the configuration knows it already.
    """
    meant = near(name, sorted(present), 0.8 if hidden else 0.6) if suggest else None
    if meant:
        hint = f"; did you mean {meant!r}?"
    elif hidden:
        hint = "; is its first row a header? Set source.csv.header and source.csv.delimiter"
    else:
        hint = f"; expected one of {', '.join(sorted(present)[:20])}"
    return f"{place}: there is no column {name!r} in {label}{hint}"
