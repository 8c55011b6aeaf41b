"""Whom a column names: a person who has several rows, a household, or nobody that is sure enough to count by.

k counts persons only where it is known who is one. An id that is called like a person and tells others of her columns
is taken for one; an e-mail address or any other number that repeats is asked about, since families share addresses
and clerks enter their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kanon_sql.commands.init.findings import Sample
from kanon_sql.commands.init.roles import KNOWN, PRIVATE, topic, words_of
from kanon_sql.source.profile.kinds import DIRECT, ColumnProfile, Finding, Profile
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

OF_SEVERAL = 1.1  # rows of a value on average, from which on an id names who has several rows
_MOST_OTHERS = 30  # columns of which it is counted whether an id tells them
_MOST_IDS = 8
_TOLD = 0.9  # of what chance gets wrong
_COMMON = 0.9  # where two rows agree as often by chance, that they do says nothing
_REPEATS = 10
_LEAST_IDS, _OF_A_GROUP = 20, 50  # numbers of a group there must be, and the rows that one of them has on average
_LEAST_UNNAMED = 100  # of them where no name says that they are numbers of something
_DENSE = 0.5  # of all numbers between the ends, where they were given out one after the other

# Words for whom a row is about. Short ones must stand alone in a name.
_PERSONS = (
    "patient patienten patnr pat pid mrn person personen persnr personal subject participant proband probanden "
    "versuchsperson teilnehmer befragte befragter respondent individual individuum citizen buerger member mitglied "
    "customer kunde kunden klient klienten client user nutzer benutzer employee mitarbeiter student studenten schueler "
    "pupil insured insuree versicherte versicherten versicherter beneficiary bene enrollee donor spender resident "
    "bewohner inmate paciente persona cliente empleado alumno usuario asegurado personne individu salarie eleve usager "
    "assure matricule matrikel matrikelnummer"
)
_GROUPS = "household haushalt haushalts menage hogar foyer hh hhid famid familyid familiennummer"
_NUMBERED = "id ids nr no num number nummer numero key code index"
_BY_LAW = ("social security number", "insurance number")  # one each by law
_NO_PERSON = ("address", "URL", "IP address", "name")
_LONG = 5


@dataclass(frozen=True)
class Persons:
    """The column that is `assumed` to name the person, and those that are to be `asked` about.

    Those come first whose rows agree in most columns.
    """

    assumed: str | None
    asked: tuple[str, ...]


def numbered_groups(engine: Engine, sample: Sample, profile: Profile) -> tuple[Profile, frozenset[str]]:
    """The profile in which numbers of households and the like are ids, and those that are called like households.

    Such numbers are whole, return, and tell other columns; a measurement does not, and has a topic of its own.
    """
    maybe = [column for column in profile.columns if _may_number_groups(profile, column)]
    tells = told_by(engine, sample, profile, maybe)
    groups = {}
    for candidate in maybe:
        told_columns = tells[candidate.name]
        if told_columns and (
            _is_called(candidate, _GROUPS)
            or _is_called(candidate, _NUMBERED)
            or (len(told_columns) > 1 and _is_dense(candidate))
        ):
            shown = ", ".join(map(repr, told_columns[:3]))
            groups[candidate.name] = Finding(
                "id",
                0.8,
                f"numbers of {profile.rows / candidate.distinct:.1f} rows each, whose rows share {shown}: of a "
                "household or another group",
            )
    columns = [replace(column, finding=groups.get(column.name, column.finding)) for column in profile.columns]
    return replace(profile, columns=tuple(columns)), frozenset(name for name in groups if _is_household(profile, name))


def persons_of(engine: Engine, sample: Sample, profile: Profile, groups: Collection[str]) -> Persons:
    """Who is a person: assumed only of a column that is called so, repeats, and tells others; else asked."""
    ids = [column for column in profile.columns if column.name not in groups and _may_name_persons(profile, column)]
    ids.sort(key=lambda column: (not _is_person(column), -column.distinct))
    tells = told_by(engine, sample, profile, ids)
    assumed = next(
        (column.name for column in ids if _is_person(column) and not column.missing and tells[column.name]), None
    )
    ranked = sorted(ids, key=lambda column: -len(tells[column.name]))
    return Persons(assumed, tuple(column.name for column in ranked if column.name != assumed))


def told_by(
    engine: Engine, sample: Sample, profile: Profile, ids: Sequence[ColumnProfile]
) -> Mapping[str, Sequence[str]]:
    """The columns in which rows agree that have one value of an id, far more often than any two rows do."""
    others = [column for column in profile.columns if column.name and column.distinct > 1 and column.alone < _COMMON][
        :_MOST_OTHERS
    ]
    items: list[Item] = [
        {"key": sample.source.column(other.name).key, "same": f"same_{i}"} for i, other in enumerate(others)
    ]
    tells: dict[str, Sequence[str]] = {column.name: () for column in ids}
    if not items:
        return tells
    chances = engine.query("commands/init/chance", lists={"item": items})[0]
    for id_column in ids[:_MOST_IDS]:
        names = {"id_key": sample.source.column(id_column.name).key}
        pairs, *agreeing = engine.query("commands/init/told", names=names, lists={"item": items})[0]
        if not pairs or pairs < _REPEATS:
            continue
        tells[id_column.name] = [
            other.name
            for other, agree, chance in zip(others, agreeing, chances, strict=True)
            if other.name != id_column.name
            and chance < _COMMON
            and other.distinct <= id_column.distinct * 1.02 + 1
            and agree / pairs - chance >= _TOLD * (1 - chance)
        ]
    return tells


def _is_household(profile: Profile, name: str) -> bool:
    return _is_called(profile.column(name), _GROUPS)


def _may_name_persons(profile: Profile, column: ColumnProfile) -> bool:
    finding = column.finding
    return (
        bool(column.name)
        and finding is not None
        and finding.name in DIRECT
        and finding.name not in _NO_PERSON
        and not _is_called(column, _GROUPS)
        and column.distinct > 1
        and (profile.rows - column.missing) / column.distinct >= OF_SEVERAL
    )


def _is_person(column: ColumnProfile) -> bool:
    """Whether a column of ids is one of persons beyond doubt, by its name or as the law gives each person one."""
    finding = column.finding
    if finding is None or finding.name in ("e-mail", "telephone", "IBAN", "credit card", "tax number"):
        return False
    return finding.name in _BY_LAW or _is_called(column, _PERSONS)


def _may_number_groups(profile: Profile, column: ColumnProfile) -> bool:
    if column.kind != "whole number" or not column.name or _is_called(column, _PERSONS):
        return False
    about = topic(column.name, PRIVATE, KNOWN)
    free = about is None or about[0] == "family" or _is_called(column, _NUMBERED)
    unseen = column.finding is None or (column.finding.name == "id" and _is_called(column, _GROUPS))
    return unseen and free and column.distinct >= _LEAST_IDS and 1.05 <= profile.rows / column.distinct <= _OF_A_GROUP


def is_called_person(name: str) -> bool:
    """Whether the name of a column or table has a word for whom rows are about."""
    return _has_word(name, _PERSONS)


def is_called_number(name: str) -> bool:
    """Whether the name of a column says that it numbers something: an id, a key, a code."""
    return _has_word(name, _NUMBERED) or name.lower().endswith(("id", "nr"))


def _is_called(column: ColumnProfile, words: str) -> bool:
    return _has_word(column.name, words)


def _has_word(name: str, words: str) -> bool:
    """Whether a word of a name is one of these, or begins with a long one."""
    listed = words.split()
    return any(
        word in listed or any(len(entry) >= _LONG and word.startswith(entry) for entry in listed)
        for word in words_of(name)
    )


def _is_dense(column: ColumnProfile) -> bool:
    """Whether whole numbers follow each other as numbers that are given out, or are as long as each other."""
    if not isinstance(column.lowest, int) or not isinstance(column.highest, int):
        return False
    if column.distinct < _LEAST_UNNAMED:
        return False
    between = column.highest - column.lowest + 1
    return column.distinct >= _DENSE * between or (column.shortest == column.longest and column.longest >= _LONG)
