"""CSV: every field is a text, an empty one is NULL, and the delimiter is found in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.formats.base import FileFormat, First, OpenRequest, Writer, located, named_file
from kanon_sql.source.formats.csv_reading import (
    USUAL,
    cells_of,
    escaped,
    escaped_name,
    lines_of,
    open_csv,
    ragged_rows,
    read_csv,
)
from kanon_sql.source.model import Column, CsvDialect, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import NUMERIC

# Values of these types cannot be taken for formulas.
_NO_TEXTS = (*NUMERIC, "BOOLEAN", "DATE", "TIME", "INTERVAL", "UUID", "BIT")


class CsvFormat(FileFormat):
    """Reads and writes CSV."""

    def open(self, engine: Engine, request: OpenRequest) -> Source:
        config = request.config
        missing = ("",) if config.missing is None else tuple(config.missing)
        opened = open_csv(
            engine, request.paths, config.csv_options, missing, request.named, request.place, request.partitions
        )
        return replace(opened, kind=self.name)

    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        config, dialect = target.csv, like.dialect
        header = (dialect.header if dialect else True) if config.header is None else config.header
        quote = (dialect.quote if dialect and config.quote is None else config.quote) or '"'
        escape = config.escape or (dialect.escape if dialect and config.quote is None else quote) or None
        delimiter = config.delimiter or (dialect.delimiter if dialect else None)
        options = CsvOptions(
            delimiter=delimiter, quote=quote, escape=escape, header=header, encoding="utf-8", formulas=config.formulas
        )
        # NULL is written as an empty field, whatever the source calls missing.
        missing = like.missing if like.only_texts else (*like.missing, "")
        opened = replace(open_csv(engine, (path,), options, missing, names, place), kind=self.name)
        if header or len(opened.columns) != len(names):
            return opened
        renamed = tuple(replace(column, name=name) for column, name in zip(opened.columns, names, strict=True))
        return replace(opened, columns=renamed)

    def ragged(self, engine: Engine, source: Source) -> str | None:
        return ragged_rows(engine, source)

    def place_of(self, engine: Engine, source: Source, column: Column, first: First) -> str | None:
        assert source.dialect is not None
        path = source.files[0]
        if len(source.files) > 1:
            place = first(located(source, column, exp.Literal.number(0)))
            if place is None:
                return None
            path = Path(place[0])
        alone = replace(source, relation=source.relation.from_(_reader(source, source.dialect, path)))
        records = located(alone, column, exp.Literal.number(0))
        counted = template.fill("source/record_places", names={"records": records})
        assert isinstance(counted, exp.Select)
        place = first(counted)
        if place is None:
            return None
        line = _line(engine, source, source.dialect, path, place[1])
        where = f"record {place[1]}" if line is None else f"line {line}"
        return where + named_file(source, place[0])

    def writer(self, target: TargetConfig, final: Path) -> Writer:
        return CsvWriter(self.name, target, final)


class CsvWriter(Writer):
    """Writes CSV as the target says; otherwise as the source is written, or with commas and double quotes."""

    dialect = USUAL
    names: Sequence[str] = ()

    def as_held(self, release: exp.Expr) -> exp.Expr:
        if len(release.expressions) == 1:
            # A NULL alone on its line would be a blank line, which readers skip; an empty text is written as "".
            release = release.copy()
            only = release.expressions[0]
            value = exp.Coalesce(this=exp.cast(only.this.copy(), "VARCHAR"), expressions=[exp.Literal.string("")])
            only.set("this", value)
        return release

    def begin(
        self, engine: Engine, release: exp.Expr, source: Source, columns: Sequence[str], partitions: Sequence[str]
    ) -> exp.Expr:
        self.names = columns
        self.dialect = self._dialect(source)
        release = self.as_held(release)
        return _escaped(engine, release, partitions) if self.dialect.formulas else release

    def _dialect(self, source: Source) -> CsvDialect:
        options, like = self.target.csv, source.dialect or USUAL
        if options.encoding is not None and options.encoding.lower().replace("-", "") != "utf8":
            raise ConfigurationError(f"target.csv.encoding: a release is written as utf-8, not {options.encoding}")
        quote = like.quote if options.quote is None else options.quote
        usual = "\t" if self.final.suffix.lower() == ".tsv" else ","
        return CsvDialect(
            delimiter=options.delimiter or (like.delimiter if source.dialect else usual),
            quote=quote or '"',
            escape=options.escape or (like.escape if options.quote is None else quote) or '"',
            header=like.header if options.header is None else options.header,
            encoding="utf-8",
            formulas=options.formulas == "escape",
        )

    def options(self) -> dict[str, Any]:
        dialect = self.dialect
        return {
            **super().options(),
            "FORMAT": "csv",
            "HEADER": dialect.header,
            "DELIMITER": dialect.delimiter,
            "QUOTE": dialect.quote or '"',
            "ESCAPE": dialect.escape or '"',
            "NULLSTR": "",
        }

    def written(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        cells = [name for name in self.names if name not in partitions]
        compression = self.options().get("COMPRESSION")
        more = {"compression": compression} if compression else {}
        source = cells_of(engine, files, self.dialect, cells, ("",), partitions, **more)
        return replace(source, kind=self.name, label=str(self.final), partitions=(), dialect=None)


def _escaped(engine: Engine, release: exp.Expr, partitions: Sequence[str]) -> exp.Expr:
    """The release with an apostrophe before texts and names that a spreadsheet would execute."""
    release = release.copy()
    types = [str(row[1]) for row in engine.run(exp.Describe(this=release.copy()))]
    for entry, kind in zip(release.args["expressions"], types, strict=True):
        if entry.alias in partitions:
            continue
        if not kind.startswith(_NO_TEXTS):
            entry.set("this", escaped(exp.cast(entry.this.copy(), "VARCHAR")))
        entry.set("alias", template.quoted(escaped_name(entry.alias)))
    return release


def _reader(source: Source, dialect: CsvDialect, path: Path) -> exp.Table:
    return read_csv([path], dialect, [column.key for column in source.columns], source.missing, parallel=False)


def _line(engine: Engine, source: Source, dialect: CsvDialect, path: Path, record: int) -> int | None:
    """The line of a record, where each record of its file is one line."""
    names = {"file_lines": lines_of(path, dialect), "file_records": _reader(source, dialect, path)}
    try:
        counted = engine.query("source/csv_lines", names=names)[0]
    except EngineError:
        return None
    return dialect.skipped + record + dialect.header if counted[0] == counted[1] + dialect.header else None
