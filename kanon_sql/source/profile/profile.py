"""Profiles a source: every column in two passes within the engine, then a sample of the distinct values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from kanon_sql.progress import Progress
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.counting import (
    ProfileCounts,
    count_source,
    drop_tables,
    held_by_rows,
    is_ordered,
    look,
    marked,
    shapes_of,
    take_sample,
)
from kanon_sql.source.profile.kinds import (
    MOST,
    ColumnProfile,
    ParsedKind,
    Profile,
    Shares,
    fits_format,
    formats_of,
    kind_of,
    positions,
)
from kanon_sql.source.profile.names import identifying, like_values
from kanon_sql.source.profile.recoding import recoded_sexes, recoded_truths
from kanon_sql.source.profile.recognition import RecognitionFacts, recognize
from kanon_sql.source.profile.spellings import ALWAYS, SPELLINGS
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

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
class _ColumnCount:
    """Counts of a column without missing values: kept values, their rows, values of one row, lengths in characters."""

    values: int = 0
    rows: int = 0
    alone: int = 0
    shortest: int = 0
    longest: int = 0


class _Columns:
    """Profiles of the columns, from the tables of distinct values and of the sample."""

    def __init__(self, engine: Engine, source: Source, counted: ProfileCounts) -> None:
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
        readings = [self._reading(position, col) for position, col in enumerate(self.source.columns)]
        missing = [self._missing(position, reading) for position, reading in enumerate(readings)]
        pairs = [(position, text) for position, texts in enumerate(missing) for text in texts]
        values = {"positions": [position for position, _ in pairs], "spellings": [text for _, text in pairs]}
        counts = {
            position: _ColumnCount(*row) for position, row in positions(self._query("counts", values=values)).items()
        }
        blanks = positions(self._query("blanks"))
        drafts = [
            self._profile(
                position, reading, missing[position], counts.get(position, _ColumnCount()), blanks.get(position)
            )
            for position, reading in enumerate(readings)
        ]
        return tuple(
            self._recognized(position, draft, blanks[position][2] if position in blanks else draft.distinct)
            for position, draft in enumerate(drafts)
        )

    def _profile(
        self,
        position: int,
        reading: ParsedKind,
        missing: Mapping[str, int],
        count: _ColumnCount,
        blanks: Sequence[int] | None,
    ) -> ColumnProfile:
        col, total = self.source.columns[position], self.counted.totals[position]
        step, absent = self.counted.steps[position], self.counted.rows - total.filled
        spelled = [*missing, *([""] if absent and self.source.only_texts and "" in self.source.missing else [])]
        unfit, lowest, highest = self._fitting(position, reading, list(missing))
        if is_ordered(col):
            lowest, highest = total.lowest, total.highest
        keys = dict(reading.keys)
        if col.is_text:
            keys |= {"trim": True} if blanks and blanks[0] else {}
            keys |= {"case": "lower"} if blanks and blanks[2] < blanks[1] and reading.kind == "category" else {}
            kept = set(self.source.missing)
            keys |= {"missing": texts} if (texts := [text for text in spelled if text not in kept]) else {}
            keys |= {"invalid": "missing"} if unfit and "type" in keys else {}
        return ColumnProfile(
            name=col.name,
            type=col.type,
            # A column of nothing but words that elsewhere mean missing holds categories.
            kind="empty" if not count.values else "category" if reading.kind == "empty" else reading.kind,
            rows=self.counted.rows,
            missing=absent + sum(missing.values()),
            missing_as=tuple(sorted(set(spelled))),
            distinct=count.values if step == 1 else max(count.values, min(count.values * step, total.filled)),
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

    def _recognized(self, position: int, draft: ColumnProfile, folded: int) -> ColumnProfile:
        """The profile with its finding; spellings of the sexes, or of yes and no, that differ are recoded."""
        finding = recognize(self._facts(position, draft, folded))
        keys = dict(draft.reading)
        is_sex = finding is not None and finding.name == "sex"
        says_truths = finding is None and self.shares.get(position, Shares()).of("truth") >= _MOST_ARE_TRUTHS
        if self.source.columns[position].is_text and (is_sex or says_truths) and draft.kind in ("category", "text"):
            recode = (recoded_sexes if is_sex else recoded_truths)(self._folded(position))
            keys |= {"case": "lower", "recode": recode} if recode else {}
        return replace(draft, finding=finding, reading=keys)

    def _folded(self, position: int) -> list[str]:
        """The values of a column in lower case and without blanks around them, without those that mean missing."""
        rows = self.engine.query("source/profile/folded", values={"position": position})
        missing = {text.strip().lower() for text in (*ALWAYS, *self.source.missing)}
        return [str(value) for (value,) in rows if value not in missing]

    def _facts(self, position: int, draft: ColumnProfile, folded: int) -> RecognitionFacts:
        rows_with_value = draft.rows - draft.missing
        return RecognitionFacts(
            name=draft.name,
            kind=draft.kind,
            shares=self.shares.get(position, Shares()),
            distinct=draft.distinct,
            alone=draft.alone,
            repeats=rows_with_value / draft.distinct if draft.distinct else 0.0,
            lowest=draft.lowest,
            highest=draft.highest,
            one_length=draft.shortest == draft.longest,
            writings=min(folded, draft.distinct),
            held=self.held.get(position, {}),
        )

    def _held(self) -> dict[int, dict[str, float]]:
        """By column the shares of rows whose text holds e-mail addresses, telephone numbers and names.

        For a column whose values were drawn, the shares of the drawn rows stand for all rows with a value.
        """
        rows, filled = self.counted.rows, [total.filled for total in self.counted.totals]
        held_shares: dict[int, dict[str, float]] = {}
        for position, shares in self.shares.items():
            drawn = self.counted.steps[position] > 1
            part = filled[position] / max(1, rows) if drawn else 1.0
            for marks in held_by_rows(self.engine, {position: shares}, 0 if drawn else rows).values():
                held_shares[position] = {mark: share * part for mark, share in marks.items()}
        return held_shares

    def _query(self, name: str, **more: Any) -> list[tuple[Any, ...]]:
        return self.engine.query(f"source/profile/{name}", **more)

    def _reading(self, position: int, col: Column) -> ParsedKind:
        shares = self.shares.get(position, Shares())
        formats = self.formats.get(position, {})
        return kind_of(col, shares, formats, self.counted.totals[position].distinct, self.counted.rows)

    def _missing(self, position: int, reading: ParsedKind) -> dict[str, int]:
        """The texts that mean missing in a column with their numbers of rows, the most frequent first."""
        among_numbers = reading.kind in ("whole number", "decimal", "date", "timestamp")
        spelled = self.spelled.get(position, [])
        always = ALWAYS | set(self.source.missing)
        if self.shares.get(position, Shares()).of("country_two") >= 0.95:
            always -= {"NA"}  # Namibia
        return {text: rows for text, rows in spelled if text in always or among_numbers}

    def _formats(self) -> dict[int, dict[str, int]]:
        """For columns that look like dates how many values of the sample are written in each format."""
        dated = [position for position, shares in self.shares.items() if shares.of("dated") >= MOST]
        texts = [position for position in dated if self.source.columns[position].is_text]
        formats = formats_of(shape for position in texts for shape in self.shapes.get(position, ()))
        if not formats:
            return {}
        items: list[template.Item] = [{"key": f"f{i}", "fits": fits_format(text)} for i, text in enumerate(formats)]
        rows = self.engine.query(
            "source/profile/formats",
            lists={"format": items},
            values={"positions": texts},
        )
        return {position: dict(zip(formats, row, strict=True)) for position, row in positions(rows).items()}

    def _fitting(self, position: int, reading: ParsedKind, missing: list[str]) -> tuple[int, Any, Any]:
        """(number of rows that do not fit the reading, least and greatest value of those that do)."""
        if reading.parsed is None:
            return 0, None, None
        names: dict[str, template.Fill] = {"parsed_value": reading.parsed}
        values = {"position": position, "spellings": missing}
        unfit, lowest, highest = self.engine.query("source/profile/fitting", names=names, values=values)[0]
        if reading.kind == "whole number" and lowest is not None:
            return unfit, int(lowest), int(highest)
        if reading.kind == "date" and lowest is not None:
            return unfit, lowest.date(), highest.date()
        return unfit, lowest, highest

    def _shape(self, position: int) -> str | None:
        """The shape that at least the share MOST of the values has; None without one."""
        shapes, shares = self.shapes.get(position, {}), self.shares.get(position, Shares())
        first = max(shapes, key=lambda shape: shapes[shape], default=None)
        return first if first is not None and shapes[first] >= MOST * shares.looked_at else None


def _duplicates(engine: Engine, source: Source, rows: int, columns: Sequence[ColumnProfile]) -> int | None:
    """The number of rows that repeat an earlier one; None where there are too many rows to compare."""
    if any(col.exact and col.distinct == rows for col in columns):
        return 0
    if rows > _MOST_COMPARED or source.weighted or source.backend.weighted:
        return None
    digest = exp.Anonymous(this="hash", expressions=[column(col.key) for col in source.columns])
    names: dict[str, template.Fill] = {"source": source.relation, "row_digest": digest}
    return int(engine.query("source/profile/duplicates", names=names)[0][0])
