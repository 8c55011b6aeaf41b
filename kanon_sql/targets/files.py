"""Targets that are files or folders of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import FileFormat, TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.csv import read_csv, unescape
from kanon_sql.source.formulas import escaped, escaped_name
from kanon_sql.source.model import Column, CsvDialect, Source, select_keys
from kanon_sql.source.parquet import open_parquet
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.targets.staging import Staged, StagedFolder
from kanon_sql.targets.target import LocalSink, shown

_NOT_IN_PARQUET = re.compile(r"\b(U?HUGEINT|BIGNUM|INTERVAL|TIME WITH TIME ZONE|UNION)\b")
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'")  # names of fields and values of ENUM types
# Of what others are nothing can be taken for a formula.
_NO_TEXTS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("UHUGEINT", "BIGNUM", "DECIMAL", "FLOAT", "DOUBLE", "BOOLEAN", "DATE", "TIME", "INTERVAL", "UUID", "BIT"),
)
_COMPRESSIONS = {
    "parquet": ("snappy", "zstd", "gzip", "lz4_raw", "lz4", "brotli", "uncompressed"),
    "csv": ("gzip", "zstd", "none"),
}
_CSV_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


class _Files(LocalSink):
    """What files and folders share: COPY, and reading back."""

    def __init__(self, file_format: FileFormat, target: TargetConfig, final: Path) -> None:
        self.format = file_format
        _refuse_options(file_format, target)
        self.target = target
        self.final = final
        self._columns: list[str] = []
        self._dialect = CsvDialect(",", '"', '"', True, "utf-8")

    def describe(self) -> str:
        return shown(self.final)

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        lossy = [item for item in released if _NOT_IN_PARQUET.search(_IN_QUOTES.sub("", item.type))]
        if self.format == "parquet" and lossy:
            raise ConfigurationError(
                f"{place}: Parquet cannot hold column {lossy[0].name!r} of type {lossy[0].type} unchanged; "
                "cast it in source.query, or write CSV or a table"
            )

    def as_held(self, release: exp.Expr) -> exp.Expr:
        if self.format == "csv" and len(release.expressions) == 1:
            # A NULL alone on its line would be a blank line, which readers skip; an empty text is written as "".
            release = release.copy()
            only = release.expressions[0]
            value = exp.Coalesce(this=exp.cast(only.this.copy(), "VARCHAR"), expressions=[exp.Literal.string("")])
            only.set("this", value)
        return release

    def _copy(
        self,
        engine: Engine,
        release: exp.Expr,
        source: Source,
        columns: list[str],
        to: Path,
        **more: Any,
    ) -> None:
        self._columns = columns
        self._dialect = self._csv_dialect(source)
        release = self.as_held(release)
        if self._dialect.formulas:
            release = _escaped(engine, release, source.partitions if "PARTITION_BY" in more else ())
        options = {**self._options(), **more}
        words = ", ".join(f"{name} {_option(value)}" for name, value in options.items())
        # COPY takes a name and words as its options, neither from a user but as a literal.
        engine.run(f"COPY ({template.text(release)}) TO {literal(str(to)).sql('duckdb')} ({words})")

    def _options(self) -> dict[str, Any]:
        compression = self.target.compression or _CSV_COMPRESSIONS.get(self.final.suffix.lower())
        if self.format == "parquet":
            options: dict[str, Any] = {"FORMAT": "parquet"}
        else:
            dialect = self._dialect
            options = {
                "FORMAT": "csv",
                "HEADER": dialect.header,
                "DELIMITER": dialect.delimiter,
                "QUOTE": dialect.quote or '"',
                "ESCAPE": dialect.escape or '"',
                "NULLSTR": "",
            }
        if compression is not None:
            options["COMPRESSION"] = compression
        return options

    def _csv_dialect(self, source: Source) -> CsvDialect:
        """What the target says, else as the source is written, else the common way."""
        given, like = self.target.csv, source.dialect or CsvDialect(",", '"', '"', True, "utf-8")
        if given.encoding is not None and given.encoding.lower().replace("-", "") != "utf8":
            raise ConfigurationError(f"target.csv.encoding: a release is written as utf-8, not {given.encoding}")
        quote = like.quote if given.quote is None else given.quote
        return CsvDialect(
            delimiter=given.delimiter or (like.delimiter if source.dialect else self._usual_delimiter()),
            quote=quote or '"',
            escape=given.escape or (like.escape if given.quote is None else quote) or '"',
            header=like.header if given.header is None else given.header,
            encoding="utf-8",
            formulas=given.formulas == "escape",
        )

    def _usual_delimiter(self) -> str:
        return "\t" if self.final.suffix.lower() == ".tsv" else ","

    def _read_back(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        if self.format == "parquet":
            return open_parquet(engine, files, (), partitions)
        written = [name for name in self._columns if name not in partitions]
        keys = [f"c{position}" for position in range(len(written))]
        compression = self._options().get("COMPRESSION")
        more = {"compression": compression} if compression else {}
        reader = read_csv(files, self._dialect, keys, ("",), partitions, **more)
        relation = select_keys(reader, [*keys, *partitions])
        if self._dialect.formulas:
            unescape(relation, len(keys))
        names = [*written, *partitions]
        return Source(
            kind="csv",
            relation=relation,
            columns=tuple(Column(name, f"c{position}", "VARCHAR") for position, name in enumerate(names)),
            missing=("",),
            columnar=False,
            label=str(self.final),
            files=files,
        )


class FileSink(_Files):
    """One CSV or Parquet file."""

    def __init__(self, staged: Staged, file_format: FileFormat, target: TargetConfig) -> None:
        super().__init__(file_format, target, staged.target)
        self.staged = staged
        self.in_place = target.in_place
        self.warnings = staged.warnings()

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [self.staged.path], []

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        # Without a temporary file of the engine's own the staged one keeps its mode, 0600.
        self._copy(engine, release, source, columns, self.staged.path, USE_TMP_FILE=False)

    def written(self, engine: Engine) -> Source:
        return self._read_back(engine, (self.staged.path,), ())

    def commit(self, engine: Engine) -> None:
        self.staged.commit(unchanged=self.in_place)


class FolderSink(_Files):
    """A folder of files, with hive partitions where the source had them and their columns are released."""

    def __init__(self, staged: StagedFolder, file_format: FileFormat, target: TargetConfig) -> None:
        super().__init__(file_format, target, staged.target)
        self.staged = staged
        self._partitions: tuple[str, ...] = ()

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path]

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._partitions = tuple(name for name in source.partitions if name in columns)
        if self._partitions:
            more = {"PARTITION_BY": self._partitions, "OVERWRITE_OR_IGNORE": True}
            self._copy(engine, release, source, columns, self.staged.path, **more)
        else:
            suffix = ".parquet" if self.format == "parquet" else ".csv"
            self._copy(engine, release, source, columns, self.staged.path / f"part-0{suffix}", USE_TMP_FILE=False)

    def written(self, engine: Engine) -> Source:
        files = tuple(sorted(path for path in self.staged.path.rglob("*") if path.is_file()))
        return self._read_back(engine, files, self._partitions)

    def commit(self, engine: Engine) -> None:
        self.staged.commit()


def _refuse_options(file_format: FileFormat, target: TargetConfig) -> None:
    known = _COMPRESSIONS[file_format]
    if target.compression is not None and target.compression.lower() not in known:
        raise ConfigurationError(
            f"target.compression: {target.compression!r} is none of {file_format}; expected {', '.join(known)}"
        )
    if target.csv.formulas == "escape" and file_format != "csv":
        raise ConfigurationError("target.csv.formulas: only a CSV file holds formulas; remove it, or write CSV")
    if target.csv.quote and target.csv.quote == target.csv.delimiter:
        raise ConfigurationError("target.csv: quote and delimiter are the same; choose two characters")


def _escaped(engine: Engine, release: exp.Expr, partitions: Sequence[str]) -> exp.Expr:
    """The release with an apostrophe before texts, and names, that a spreadsheet would execute."""
    release = release.copy()
    types = [str(row[1]) for row in engine.run(exp.Describe(this=release.copy()))]
    for entry, kind in zip(release.args["expressions"], types, strict=True):
        if entry.alias in partitions:
            continue
        if not kind.startswith(_NO_TEXTS):
            entry.set("this", escaped(exp.cast(entry.this.copy(), "VARCHAR")))
        entry.set("alias", template.quoted(escaped_name(entry.alias)))
    return release


def _option(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(template.quoted(name).sql("duckdb") for name in value) + ")"
    return literal(value).sql("duckdb")
