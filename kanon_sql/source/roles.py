"""Which role each column of the source has, and what of it is released."""

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
    """The columns of a source by role, each in the source's order, quasi-identifiers in the configuration's."""

    by_name: dict[str, Role]
    quasi_identifiers: tuple[Column, ...]
    released: tuple[Column, ...]

    def of(self, column: Column) -> Role:
        """The role of a column."""
        return self.by_name[column.name]


def assign_roles(source: Source, loaded: LoadedConfig, *, measured_only: bool = False) -> Roles:
    """Gives each column its role.

    Raises UnfittingSourceError with every column that is named but not there, and every one that is there but
    named nowhere where `unlisted` is error; `measured_only` (a check, of a release too) asks for the
    quasi-identifiers alone.
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
    released = tuple(
        item
        for item in source.columns
        if by_name[item.name] not in ("identifier", "dropped") or _has_pseudonym(item, loaded)
    )
    return Roles(by_name, tuple(source.column(name) for name in config.quasi_identifiers), released)


def _has_pseudonym(item: Column, loaded: LoadedConfig) -> bool:
    """Whether an identifier is released after all: as a pseudonym."""
    one = loaded.config.transform.get(item.name)
    return one is not None and one.pseudonym is not None


def _read_besides(loaded: LoadedConfig, *, measured_only: bool) -> dict[str, str]:
    """The columns that are read whatever their roles are, and where the configuration says so.

    A table that is only measured has what models speak of; what holds of a group does not show in it.
    """
    config = loaded.config.privacy
    found: dict[str, str] = {}
    if loaded.config.group is not None and not measured_only:
        found[loaded.config.group] = loaded.place("group")
    for key in type(config).model_fields if measured_only else ():
        entries = getattr(config, key)
        for entry in entries if isinstance(entries, list) else ():
            if hasattr(entry, "column"):
                found.setdefault(entry.column, loaded.place("privacy", key))
    if config.entity is not None:
        found[config.entity] = loaded.place("privacy", "entity")
    return found


def _not_there(name: str, place: str, *, label: str, present: set[str], hidden: bool, suggest: bool) -> str:
    """Says that the source called `label` has no such column, and which of its `present` ones may be meant.

    Where these are `hidden`, one is only named that is nearly what was asked for: whoever asks knows it already.
    """
    meant = near(name, sorted(present), 0.8 if hidden else 0.6) if suggest else None
    if meant:
        hint = f"; did you mean {meant!r}?"
    elif hidden:
        hint = "; is its first row a header? Set source.csv.header and source.csv.delimiter"
    else:
        hint = f"; expected one of {', '.join(sorted(present)[:20])}"
    return f"{place}: there is no column {name!r} in {label}{hint}"
