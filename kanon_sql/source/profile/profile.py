"""Profiles a source: every column in two passes inside the engine, then samples of the distinct values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.progress import Progress
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.counting import (
    Counted,
    count_source,
    drop_tables,
    held_by_rows,
    is_ordered,
    look,
    marked,
    shapes_of,
    take_sample,
    values_table,
)
from kanon_sql.source.profile.kinds import (
    MOST,
    ColumnProfile,
    Kind,
    Profile,
    Reading,
    Shares,
    fits_format,
    formats_of,
    kind_of,
    positions,
)
from kanon_sql.source.profile.names import identifying, like_values
from kanon_sql.source.profile.recoding import recoded_sexes, recoded_truths
from kanon_sql.source.profile.recognition import Facts, recognize
from kanon_sql.source.profile.spellings import ALWAYS, SPELLINGS
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

__all__ = ["identifying", "profile"]

_SAMPLE, _SAMPLE_IN_ALL = 400, 20_000  # distinct values that are looked at, of a column and of all
_MOST_ARE_TRUTHS = 0.8  # of the values, others being ways to say that none is known
_MOST_COMPARED = 2_000_000  # rows that are compared as a whole


def profile(engine: Engine, source: Source, progress: Progress) -> Profile:
    """Every column of a source. Raises EngineError where it cannot be read."""
    try:
        with progress.step("profiling the columns", engine.progress):
            counted = count_source(engine, source)
            looked_at = _Columns(engine, source, counted)
            columns = looked_at.profiles()
            duplicates = _duplicates(engine, source, counted.rows, columns)
            named = like_values(engine, source, columns, looked_at.shares, looked_at.shapes)
            return Profile(counted.rows, columns, duplicates, named)
    finally:
        drop_tables(engine)


@dataclass(frozen=True)
class _Count:
    """Of one column, missing values left out: the values that were kept, their rows, those alone, the lengths."""

    values: int = 0
    rows: int = 0
    alone: int = 0
    shortest: int = 0
    longest: int = 0


def _kind(reading: Reading, count: _Count) -> Kind:
    """The kind of a column; one of nothing but words that elsewhere mean missing holds categories."""
    if not count.values:
        return "empty"
    return "category" if reading.kind == "empty" else reading.kind


class _Columns:
    """What the tables of distinct values and of the sample tell of every column."""

    def __init__(self, engine: Engine, source: Source, counted: Counted) -> None:
        self.engine = engine
        self.source = source
        self.counted = counted
        most = max(50, min(_SAMPLE, _SAMPLE_IN_ALL // max(1, len(source.columns))))
        take_sample(engine, most, range(len(source.columns)))
        self.shares = marked(engine, look(engine))
        self.shapes = shapes_of(engine)
        self.held = self._held()
        self.formats = self._formats()
        self.spelled: dict[int, list[tuple[str, int]]] = {}
        for position, text, rows in self._query("spelled", values={"spellings": [*SPELLINGS, *source.missing]}):
            self.spelled.setdefault(position, []).append((text, rows))

    def profiles(self) -> tuple[ColumnProfile, ...]:
        """Every column in order."""
        readings = [self._reading(position, item) for position, item in enumerate(self.source.columns)]
        missing = [self._missing(position, reading) for position, reading in enumerate(readings)]
        pairs = [(position, text) for position, texts in enumerate(missing) for text in texts]
        values = {"positions": [one for one, _ in pairs], "spellings": [text for _, text in pairs]}
        counts = {position: _Count(*row) for position, row in positions(self._query("counts", values=values)).items()}
        blanks = positions(self._query("blanks"))
        found = [
            self._profile(position, reading, missing[position], counts.get(position, _Count()), blanks.get(position))
            for position, reading in enumerate(readings)
        ]
        return tuple(
            self._recognized(position, one, blanks[position][2] if position in blanks else one.distinct)
            for position, one in enumerate(found)
        )

    def _profile(
        self, position: int, reading: Reading, missing: Mapping[str, int], count: _Count, blanks: Sequence[int] | None
    ) -> ColumnProfile:
        item, total = self.source.columns[position], self.counted.totals[position]
        step, absent = self.counted.steps[position], self.counted.rows - total.given
        spelled = [*missing, *([""] if absent and self.source.only_texts and "" in self.source.missing else [])]
        unfit, lowest, highest = self._fitting(position, reading, list(missing))
        if is_ordered(item):
            lowest, highest = total.lowest, total.highest
        keys = dict(reading.keys)
        if item.is_text:
            keys |= {"trim": True} if blanks and blanks[0] else {}
            keys |= {"case": "lower"} if blanks and blanks[2] < blanks[1] and reading.kind == "category" else {}
            kept = set(self.source.missing)
            keys |= {"missing": texts} if (texts := [text for text in spelled if text not in kept]) else {}
            keys |= {"invalid": "missing"} if unfit and "type" in keys else {}
        return ColumnProfile(
            name=item.name,
            type=item.type,
            kind=_kind(reading, count),
            rows=self.counted.rows,
            missing=absent + sum(missing.values()),
            missing_as=tuple(sorted(set(spelled))),
            distinct=count.values if step == 1 else max(count.values, min(count.values * step, total.given)),
            exact=step == 1,
            alone=count.alone / count.rows if count.rows else 0.0,
            shortest=count.shortest,
            longest=max(count.longest, total.longest if count.longest > 1000 else 0),
            lowest=lowest,
            highest=highest,
            reading=keys,
            unfit=unfit,
            shape=self._shape(position),
        )

    def _recognized(self, position: int, found: ColumnProfile, folded: int) -> ColumnProfile:
        """The column with what it is; words for the sexes, or yes and no, that differ in writing are recoded."""
        finding = recognize(self._facts(position, found, folded))
        keys = dict(found.reading)
        is_sex = finding is not None and finding.name == "sex"
        says_truths = finding is None and self.shares.get(position, Shares()).of("truth") >= _MOST_ARE_TRUTHS
        if self.source.columns[position].is_text and (is_sex or says_truths) and found.kind in ("category", "text"):
            recode = (recoded_sexes if is_sex else recoded_truths)(self._folded(position))
            keys |= {"case": "lower", "recode": recode} if recode else {}
        return replace(found, finding=finding, reading=keys)

    def _folded(self, position: int) -> list[str]:
        """The values of a column without blanks around them and in lower case, those that mean missing left out."""
        names = {"profile_sample": state("profile_sample")}
        found = self.engine.query("source/profile/folded", names=names, values={"position": position})
        missing = {text.strip().lower() for text in (*ALWAYS, *self.source.missing)}
        return [str(value) for (value,) in found if value not in missing]

    def _facts(self, position: int, found: ColumnProfile, folded: int) -> Facts:
        given = found.rows - found.missing
        return Facts(
            name=found.name,
            kind=found.kind,
            shares=self.shares.get(position, Shares()),
            distinct=found.distinct,
            alone=found.alone,
            repeats=given / found.distinct if found.distinct else 0.0,
            lowest=found.lowest,
            highest=found.highest,
            one_length=found.shortest == found.longest,
            writings=min(folded, found.distinct),
            held=self.held.get(position, {}),
        )

    def _held(self) -> dict[int, dict[str, float]]:
        """Shares of the rows by what their text holds; of a column of which not all values were kept, of those kept."""
        rows, given = self.counted.rows, [total.given for total in self.counted.totals]
        found: dict[int, dict[str, float]] = {}
        for position, shares in self.shares.items():
            drawn = self.counted.steps[position] > 1
            held = held_by_rows(self.engine, {position: shares}, 0 if drawn else rows)
            part = given[position] / max(1, rows) if drawn else 1.0
            found |= {one: {mark: share * part for mark, share in marks.items()} for one, marks in held.items()}
        return found

    def _query(self, name: str, **more: Any) -> list[tuple[Any, ...]]:
        tables = {"profile_values": values_table()}
        return self.engine.query(f"source/profile/{name}", names=tables, **more)

    def _reading(self, position: int, item: Column) -> Reading:
        shares = self.shares.get(position, Shares())
        formats = self.formats.get(position, {})
        return kind_of(item, shares, formats, self.counted.totals[position].distinct, self.counted.rows)

    def _missing(self, position: int, reading: Reading) -> dict[str, int]:
        """The texts that mean missing in a column, with their rows, of most rows first."""
        among_numbers = reading.kind in ("whole number", "decimal", "date", "timestamp")
        found = self.spelled.get(position, [])
        always = ALWAYS | set(self.source.missing)
        if self.shares.get(position, Shares()).of("country_two") >= 0.95:
            always -= {"NA"}  # Namibia
        return {text: rows for text, rows in found if text in always or among_numbers}

    def _formats(self) -> dict[int, dict[str, int]]:
        """Of columns that look like dates: how many values of the sample are written in each format."""
        dated = [one for one, shares in self.shares.items() if shares.of("dated") >= MOST]
        texts = [one for one in dated if self.source.columns[one].is_text]
        formats = formats_of(shape for one in texts for shape in self.shapes.get(one, ()))
        if not formats:
            return {}
        items: list[template.Item] = [{"key": f"f{i}", "fits": fits_format(text)} for i, text in enumerate(formats)]
        found = self.engine.query(
            "source/profile/formats",
            names={"profile_sample": state("profile_sample")},
            lists={"format": items},
            values={"positions": texts},
        )
        return {position: dict(zip(formats, row, strict=True)) for position, row in positions(found).items()}

    def _fitting(self, position: int, reading: Reading, missing: list[str]) -> tuple[int, Any, Any]:
        """Rows that are not read by the reading, and the ends of those that are."""
        if reading.parsed is None:
            return 0, None, None
        names: dict[str, template.Fill] = {"profile_values": values_table(), "parsed_value": reading.parsed}
        values = {"position": position, "spellings": missing}
        unfit, lowest, highest = self.engine.query("source/profile/fitting", names=names, values=values)[0]
        if reading.kind == "whole number" and lowest is not None:
            return unfit, int(lowest), int(highest)
        if reading.kind == "date" and lowest is not None:
            return unfit, lowest.date(), highest.date()
        return unfit, lowest, highest

    def _shape(self, position: int) -> str | None:
        """The shape of most values, where most have the same."""
        shapes, shares = self.shapes.get(position, {}), self.shares.get(position, Shares())
        first = max(shapes, key=lambda one: shapes[one], default=None)
        return first if first is not None and shapes[first] >= MOST * shares.looked_at else None


def _duplicates(engine: Engine, source: Source, rows: int, columns: Sequence[ColumnProfile]) -> int | None:
    """How many rows repeat an earlier one; None where there are too many rows to compare."""
    if any(one.exact and one.distinct == rows for one in columns):
        return 0
    if rows > _MOST_COMPARED or source.weighted or source.backend.weighted:
        return None
    digest = exp.Anonymous(this="hash", expressions=[column(item.key) for item in source.columns])
    names: dict[str, template.Fill] = {"source": source.relation, "row_digest": digest}
    return int(engine.query("source/profile/duplicates", names=names)[0][0])
