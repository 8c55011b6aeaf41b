"""Whether a hierarchy has a place for every value of a column; files that are called like columns.

How each quasi-identifier is proposed to be generalized, with the reason.

A hierarchy file that was brought along and covers the column goes before a ready one, and that before a built-in whose
steps follow from what was measured: widths from the range, prefixes from the lengths, periods from the span of time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import ceil, floor, log10, prod
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.commands.init.roles import words_of
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.builtin import CODES
from kanon_sql.hierarchy.file import read_hierarchy
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
from kanon_sql.hierarchy.mapping import build_mapping, uncovered
from kanon_sql.hierarchy.ready import ready_files
from kanon_sql.source.columns import distinct_values
from kanon_sql.source.model import Source
from kanon_sql.source.profile.kinds import ColumnProfile
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted, state

_SUFFIXES = (".csv", ".txt", ".tsv")


def uncovered_by(engine: Engine, source: Source, name: str, spec: QuasiIdentifier, hierarchy: Hierarchy | None) -> int:
    """How many values of a column have no place in a hierarchy file, or in the built-in of `spec`.

    Raises ConfigurationError where the hierarchy cannot be one of the column's type.
    """
    source_column = source.column(name)
    table = state("raw_values")
    engine.query(
        "commands/hierarchy/raw_values",
        names={"raw_values": table, "source_values": distinct_values(source.relation, source_column)},
    )
    distinct = exp.select("value").from_(exp.Table(this=quoted(table)))
    place = f"{source.label}: column {name!r}"
    mapping = build_mapping(
        engine, GeneralizedColumn(0, source_column, spec, distinct, hierarchy, source.missing, place=place)
    )
    return uncovered(engine, mapping, distinct)


def files_for(folder: Path, columns: Sequence[str]) -> tuple[dict[str, Path], list[str]]:
    """The hierarchy files of a folder by column, and a line for each file that is called like none.

    A file belongs to the column with whose name its own ends, as adult_hierarchy_age.csv does; of several such columns
    to that of the longest name. Raises ConfigurationError for a folder that cannot be read.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and path.is_file())
    except OSError as error:
        raise ConfigurationError(
            f"--hierarchies {folder}: the folder cannot be read ({error.strerror}); expected one with hierarchy files"
        ) from None
    paths: dict[str, Path] = {}
    notes = []
    for path in files:
        name = path.name[: -len(path.suffix)]
        fitting = [column for column in columns if _ends_with(name, column)]
        if not fitting:
            if "hierarchy" in name.lower():
                notes.append(f"{path} belongs to no column: its name ends with none of theirs")
            continue
        column = max(fitting, key=len)
        # age_hierarchy.csv beside hierarchy_age_coarse.csv: the name that says least besides goes first.
        if column not in paths or len(name) < len(paths[column].name) - len(paths[column].suffix):
            paths[column] = path
    return paths, notes


def _ends_with(name: str, column: str) -> bool:
    """Whether a file's name ends with a column's, as it stands or by its words."""
    lower = name.lower()
    if lower == column.lower() or lower.endswith(tuple(f"{mark}{column.lower()}" for mark in "_-. ")):
        return True
    words, ending = words_of(name), words_of(column)
    return bool(ending) and words[-len(ending) :] == ending


_FEW_VALUES = 4  # of a category: to merge the rare ones would leave too little
_STEPS = 20  # intervals of the narrowest width that the usual values lie in, about
_KEPT = 5  # characters that the longest prefix keeps at most
_NUMBERS = ("whole number", "decimal")
_DAYS_OF_YEARS = 3 * 366
# Words of a name, and the ready hierarchies whose values a column of that name may hold, the most exact first.
_READY = (
    (("sex", "gender", "geschlecht", "sexe", "sexo", "genre", "genero"), ("sex",)),
    (("country", "land", "pays", "pais", "nationality", "nation", "citizenship", "native"), ()),
    (("marital", "familienstand", "civil", "married"), ("marital-status",)),
    (("education", "educ", "degree", "school", "bildung", "abschluss"), ("education-adult", "education")),
)
_COUNTRIES = ("country-alpha2", "country-alpha3", "country", "country-de", "country-fr")
# Words of a name that say of which country postal codes are, and the built-in for them.
_POSTAL = {
    "plz": "de-plz",
    "postleitzahl": "de-plz",
    "code_postal": "fr-postal",
    "codepostal": "fr-postal",
    "postcode": "uk-postcode",
}
_POSTAL_KEPT = 4  # characters of a postal code that the longest prefix keeps at most
_NEARLY = 0.25  # of the values may be missing from a ready hierarchy that is worth a word


@dataclass(frozen=True)
class ProposedGeneralization:
    """How a quasi-identifier is generalized: what stands in the configuration, how many levels, and why.

    Of a hierarchy `file` the configuration names its path.
    """

    spec: dict[str, Any]
    levels: int
    why: str
    file: Path | None = None

    def written(self, base: Path) -> dict[str, Any] | str:
        """As a configuration in the folder `base` writes it."""
        if self.file is not None:
            return os.path.relpath(self.file.absolute(), base.absolute())
        short: str | None = self.spec.get("hierarchy")
        return short if short is not None and len(self.spec) == 1 else self.spec


@dataclass(frozen=True)
class Tools:
    """What proposals are made with: the open source, the smallest class, between which numbers columns lie.

    `given` are hierarchy files by column; `notes` says what came of the files.
    """

    engine: Engine
    source: Source
    n: int
    k: int
    spread: Mapping[str, tuple[float, float]]
    given: Mapping[str, Path]
    notes: list[str] = field(default_factory=list)


def generalization_of(tools: Tools, column: ColumnProfile) -> ProposedGeneralization:
    """The proposal for one column; every value of it has a place in the hierarchy."""
    generalization = _from_file(tools, column) or _from_ready(tools, column)
    if generalization is not None:
        return generalization
    generalization = _from_builtin(tools, column)
    return generalization if _covers(tools, column, generalization) else _categories(tools, column)


def _covers(tools: Tools, column: ColumnProfile, generalization: ProposedGeneralization) -> bool:
    """Whether a built-in has a place for every value: dates without end and odd texts among numbers have none."""
    if generalization.spec["builtin"] not in ("date", "intervals"):
        return True
    try:
        return not uncovered_by(tools.engine, tools.source, column.name, QuasiIdentifier(**generalization.spec), None)
    except ConfigurationError:
        return False


def _from_file(tools: Tools, column: ColumnProfile) -> ProposedGeneralization | None:
    path = tools.given.get(column.name)
    if path is None:
        return None
    try:
        hierarchy = read_hierarchy(path, show_values=tools.engine.show_values)
        left = uncovered_by(tools.engine, tools.source, column.name, QuasiIdentifier(), hierarchy)
    except ConfigurationError as error:
        tools.notes.append(f"{path} is not taken for {column.name!r}: {error.problems[0]}")
        return None
    if left:
        tools.notes.append(
            f"{path} is not taken for {column.name!r}: {left:,} of its {column.distinct:,} values have no row in it"
        )
        return None
    levels = hierarchy.height
    return ProposedGeneralization(
        {"hierarchy": str(path)}, levels, f"your own hierarchy covers all values, {levels} levels", path
    )


def _from_ready(tools: Tools, column: ColumnProfile) -> ProposedGeneralization | None:
    """The first ready hierarchy that covers every value; a word on one that lacks few of them."""
    lacking: dict[str, int] = {}
    for name in _ready_names(column):
        path = ready_files().get(name)
        if path is None or path.suffix != ".csv":
            continue
        hierarchy = read_hierarchy(path)
        left = uncovered_by(tools.engine, tools.source, column.name, QuasiIdentifier(), hierarchy)
        if not left:
            why = f"the ready hierarchy {name} covers all values" + (
                f", {hierarchy.height} levels" * (hierarchy.height > 1)
            )
            return ProposedGeneralization({"hierarchy": name}, hierarchy.height, why)
        lacking[name] = left
    if column.finding is None:
        return None  # the name alone says so: its values may be any
    nearest = min(lacking, key=lambda name: lacking[name], default=None)
    if nearest is None or lacking[nearest] > _NEARLY * column.distinct:
        return None
    generalization = _from_builtin(tools, column)
    values = "1 value" if lacking[nearest] == 1 else f"{lacking[nearest]:,} values"
    return replace(
        generalization, why=f"{generalization.why} (the ready hierarchy {nearest} lacks {values}, as they are written)"
    )


def _postal_codes(tools: Tools, column: ColumnProfile) -> ProposedGeneralization:
    """The built-in for a country's postal codes where the name says which, and it fits every value; else prefixes."""
    words = words_of(column.name)
    names = [_POSTAL[word] for word in (*words, "_".join(words)) if word in _POSTAL]
    for name in dict.fromkeys(names):
        spec = QuasiIdentifier(builtin=name)
        if not uncovered_by(tools.engine, tools.source, column.name, spec, None):
            levels = CODES[name].levels + 1
            return ProposedGeneralization(
                {"builtin": name}, levels, f"the built-in {name} reads all values, {levels} levels"
            )
    return _prefixes(column, _POSTAL_KEPT)


def _ready_names(column: ColumnProfile) -> Sequence[str]:
    """The ready hierarchies that may fit what a column is about; numbers are none of their words."""
    if column.kind in (*_NUMBERS, "date", "timestamp"):
        return ()
    finding = column.finding.name if column.finding else None
    if finding == "country":
        return _COUNTRIES
    if finding == "sex":
        return ("sex",)
    words = words_of(column.name)
    return next((names or _COUNTRIES for kinds, names in _READY if set(kinds) & set(words)), ())


def _from_builtin(tools: Tools, column: ColumnProfile) -> ProposedGeneralization:
    finding = column.finding.name if column.finding else None
    if column.kind in ("date", "timestamp"):
        return _dates(column)
    if finding == "postal code":
        return _postal_codes(tools, column)
    if column.kind == "code":
        return _prefixes(column, _KEPT)
    if column.kind in _NUMBERS and column.name in tools.spread:
        generalization = _intervals(column, *tools.spread[column.name])
        if generalization is not None:
            return generalization
    return _categories(tools, column)


def _dates(column: ColumnProfile) -> ProposedGeneralization:
    span = (column.highest - column.lowest).days if isinstance(column.lowest, date) else _DAYS_OF_YEARS
    levels = ["month", "year", "decade"] if span > _DAYS_OF_YEARS else ["month", "quarter", "year"]
    if column.kind == "timestamp":
        levels = ["day", *levels]
    why = f"periods for dates that span {'years' if span > _DAYS_OF_YEARS else 'up to three years'}"
    return ProposedGeneralization({"builtin": "date", "levels": levels}, len(levels) + 1, why)


def _prefixes(column: ColumnProfile, most: int) -> ProposedGeneralization:
    # Blanks around values count in their lengths, but are taken away before they are shortened.
    trimmed = column.shape if column.reading.get("trim") else None
    longest = len(trimmed.strip()) if trimmed else column.longest
    keep = list(range(min(longest - 1, most), 0, -1))
    if not keep:
        return ProposedGeneralization({"builtin": "suppress"}, 1, "one character has no shorter prefix")
    same = trimmed is None and column.shortest == longest
    why = f"prefixes of codes of {longest if same else f'up to {longest}' if trimmed is None else longest} characters"
    return ProposedGeneralization({"builtin": "prefix", "keep": keep}, len(keep) + 1, why)


def _intervals(column: ColumnProfile, low: float, high: float) -> ProposedGeneralization | None:
    """Intervals over the usual values `low` to `high`, with open ends where the rest is rare; None without a range."""
    widths = nice_widths(high - low, whole=column.kind == "whole number")
    if not widths:
        return None
    spec: dict[str, Any] = {"builtin": "intervals", "widths": [number(width) for width in widths]}
    first = widths[0]
    bottom, top = ceil(low / first) * first, floor(high / first) * first
    ends = []
    if bottom < top:
        for key, bound, beyond in (
            ("bottom", bottom, _is_below(column.lowest, bottom)),
            ("top", top, _is_below(top, column.highest)),
        ):
            if beyond:
                spec[key] = number(bound)
                ends.append(key)
    why = "widths for the range of the usual values"
    if ends:
        why += f", open at the {' and the '.join(ends)} where values are rare"
    return ProposedGeneralization(spec, len(widths) + 1, why)


def _is_below(value: Any, other: Any) -> bool:
    try:
        return float(value) < float(other)
    except (TypeError, ValueError):
        return False


def nice_widths(span: float, *, whole: bool) -> list[float]:
    """Round widths that divide each other, from about a twentieth of the span to half of it.

    >>> nice_widths(73, whole=True), nice_widths(15, whole=True), nice_widths(1.6, whole=False)
    ([5, 10, 20], [2, 4], [0.1, 0.2])
    """
    if span <= 0:
        return []
    exponent = floor(log10(span / _STEPS))
    lead = span / _STEPS / 10**exponent
    step = next(factor for factor in (1, 2, 5, 10) if factor >= lead - 1e-9)
    if step == 10:
        step, exponent = 1, exponent + 1
    if whole and exponent < 0:
        step, exponent = 2, 0
    if whole and (step, exponent) == (1, 0):
        step = 2
    widths = [_times(step, exponent)]
    while True:
        factor = {1: 2, 2: 5, 5: 2}[step]
        if widths[-1] * factor > span / 2:
            factor = 2
        if widths[-1] * factor > span / 2:
            return widths
        if factor * step >= 10:
            step, exponent = factor * step // 10, exponent + 1
        else:
            step = factor * step
        widths.append(_times(step, exponent))
        if step not in (1, 2, 5):
            return widths


def _times(step: int, exponent: int) -> float:
    """step * 10 ** exponent, rounded to what is written."""
    return step * 10**exponent if exponent >= 0 else round(step * 10.0**exponent, -exponent)


def number(value: float) -> int | float:
    """Whole numbers without a point; others without what binary fractions add."""
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def _categories(tools: Tools, column: ColumnProfile) -> ProposedGeneralization:
    """Rare values become one where there are many; a few values are kept or given up."""
    below = sorted({_nice_count(max(2 * tools.k, tools.n / 200)), _nice_count(max(10 * tools.k, tools.n / 20))})
    below = [size for size in below if size <= tools.n / 2]
    if column.distinct <= _FEW_VALUES or not below:
        few = "few values: kept or given up"
        return ProposedGeneralization(
            {"builtin": "suppress"}, 1, few if column.distinct <= _FEW_VALUES else "too few rows to merge rare values"
        )
    spec = {"builtin": "merge-rare", "below": below}
    why = f"values that fewer than {' or '.join(map(str, below))} rows hold become Other"
    return ProposedGeneralization(spec, len(below) + 1, why)


def _nice_count(count: float) -> int:
    """The next number of one digit and zeros, 1, 2 or 5 at its head."""
    exponent = floor(log10(count))
    return int(next(factor for factor in (1, 2, 5, 10) if factor * 10**exponent >= count) * 10**exponent)


def lattice_size(generalizations: Mapping[str, ProposedGeneralization]) -> int:
    """How many choices of levels there are."""
    return prod(generalization.levels + 1 for generalization in generalizations.values())
