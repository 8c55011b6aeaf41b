"""CSV files as sources: the dialect is found in the first record, every field is read as text.

Cells that a spreadsheet would take for formulas are written with an apostrophe before them, which is removed when they
are read. A text that only looks like an escaped one gets an apostrophe, too: so no two texts become one, and what was
written is read back as it was.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.columns import UTF8, TextEncoding
from kanon_sql.settings.formats import delimiter_line, kind_of
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.formats.csv_bytes import (
    BUFFER,
    LONGEST_LINE,
    SAMPLE,
    chunks,
    copies_of,
    encodings_of,
    is_beyond_engine,
    lost_end,
    may_lose_its_end,
    refuse_behind_mark,
)
from kanon_sql.source.model import Column, CsvDialect, Source, select_keys
from kanon_sql.sql.connection import Engine, literal

# Both as Python and the engine read them. A plain number is no formula, whatever apostrophes are before it.
_BEGINNING = r"'*[=+\-@\t\r\n]"
_NUMBER = r"'*-?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?"
USUAL = CsvDialect(",", '"', '"', True, "utf-8")
_NO_DELIMITER = "\x02"  # a file that holds it has no lines that could be counted
_FOR_MORE = "\x1f"  # Python's reader takes one character as a delimiter
_DELIMITERS = (",", ";", "\t", "|")
_MOST_COLUMNS = 10_000


def open_csv(
    engine: Engine,
    paths: tuple[Path, ...],
    options: CsvOptions,
    missing: tuple[str, ...],
    named: Sequence[str],
    place: str,
    partitions: tuple[str, ...] = (),
) -> Source:
    """Opens CSV files as one source; `named` are columns that the configuration names.

    A first record with one of these names is a header. Raises EngineError for files that cannot be read, that are
    empty or whose headers differ, ConfigurationError for options that do not fit.
    """
    samples = {path: _sample(path) for path in paths}
    encoding, read = encodings_of(paths, options.encoding, place)
    copied = any(is_beyond_engine(path, encoded) for path, encoded in read.items())
    examined = [_examine(_Beginning(path, samples[path], read[path], copied), options, named, place) for path in paths]
    dialect, names = examined[0]
    for path, (other, other_names) in zip(paths, examined, strict=True):
        if other.skipped != dialect.skipped:
            raise EngineError(
                f"{path}: one of it and {paths[0].name} begins with a line sep=; take it out of all files"
            )
        if other_names != names:
            raise EngineError(
                f"{path}: its header differs from that of {paths[0]}; expected the same columns in "
                "order, or csv: {header: false} where no file has names of columns (init: --no-header)"
            )
    _refuse_repeated([*names, *partitions], paths[0])
    keys = [f"c{position}" for position in range(len(names))]
    dialect = replace(dialect, encoding=encoding, copies=copies_of(engine, read) if copied else {})
    _refuse_lost_ends(engine, paths, dialect, keys)
    opened = cells_of(engine, paths, dialect, names, missing, partitions)
    if encoding == UTF8 or options.encoding is not None:
        return opened
    guess = (
        f"{paths[0].name} is read as {encoding}, as its bytes look (source.encoding says it, without this warning); a "
        "CSV release is written as UTF-8"
    )
    return replace(opened, warnings=(guess,))


def cells_of(
    engine: Engine,
    paths: tuple[Path, ...],
    dialect: CsvDialect,
    names: Sequence[str],
    missing: tuple[str, ...],
    partitions: tuple[str, ...],
    **more: object,
) -> Source:
    """CSV files with columns of these names as a source; `more` are further options of the reader."""
    keys = [f"c{position}" for position in range(len(names))]
    relation = select_keys(read_csv(paths, dialect, keys, missing, partitions, **more), [*keys, *partitions])
    if len(keys) == 1 and "" not in missing:
        blank = exp.Coalesce(this=exp.column(keys[0], quoted=True), expressions=[exp.Literal.string("")])
        relation.expressions[0].set("this", blank)
    if dialect.formulas:
        for entry in relation.expressions[: len(keys)]:
            entry.set("this", unescaped(entry.this))
    return Source(
        kind="csv",
        relation=relation,
        columns=tuple(Column(name, f"c{i}", "VARCHAR") for i, name in enumerate([*names, *partitions])),
        missing=missing,
        columnar=False,
        label=str(paths[0]) if len(paths) == 1 else f"{len(paths)} CSV files",
        backend=DuckDB(engine),
        files=paths,
        partitions=partitions,
        dialect=dialect,
    )


def read_csv(
    paths: Sequence[Path],
    dialect: CsvDialect,
    keys: Sequence[str],
    missing: tuple[str, ...],
    partitions: Sequence[str] = (),
    **more: object,
) -> exp.Table:
    """The read_csv call: nothing is left to be guessed, every field is text."""
    options: dict[str, object] = {
        "auto_detect": False,
        "delim": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.escape,
        "header": dialect.header,
        **({"skip": dialect.skipped} if dialect.skipped else {}),
        "encoding": dialect.engine_encoding,
        "max_line_size": LONGEST_LINE,
        "new_line": dialect.line_end.replace("\r", "\\r").replace("\n", "\\n"),
        "buffer_size": BUFFER,
        "hive_partitioning": bool(partitions),
        # An empty field is NULL where '' means missing; elsewhere it is a text, and nothing is read as NULL.
        # A file of one column keeps its blank lines only as NULL.
        "nullstr": "" if "" in missing or len(keys) == 1 else "\x01kanon-sql: no text is NULL\x01",
        **more,
    }
    if partitions:
        options["hive_types_autocast"] = False
    types = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.Literal.string(key), expression=exp.Literal.string("VARCHAR")) for key in keys
        ]
    )
    arguments = [literal([escape(str(dialect.file_read(path))) for path in paths]), _option("columns", types)]
    arguments += [_option(name, literal(value)) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this="read_csv", expressions=arguments))


def lines_of(path: Path, dialect: CsvDialect = USUAL) -> exp.Table:
    """The lines of a file in order, as column `line`; an empty one is NULL."""
    plain = replace(dialect, delimiter=_NO_DELIMITER, quote="", escape="", header=False)
    return read_csv([path], plain, ["line"], ("",), parallel=False)


def ragged_rows(engine: Engine, source: Source) -> str | None:
    """The problem of records that have too many or too few fields or are no UTF-8: how many, and where; None without.

    The whole source is read once more, so only after an error.
    """
    assert source.dialect is not None
    keys = [column.key for column in source.columns if column.name not in source.partitions]
    reader = read_csv(source.files, source.dialect, keys, source.missing, store_rejects=True, rejects_limit=0)
    engine.run(exp.select(exp.Count(this=exp.Star())).from_(reader))
    rejected = engine.query("source/rejected_records")
    count, lines, are_misread = rejected[0]
    if not count:
        return None
    shown = ", ".join(str(line) for line in lines)
    more = " ..." if count > len(lines) else ""
    if are_misread:
        return (
            f"{source.label}: {count:,} {'record is' if count == 1 else 'records are'} no UTF-8 as those before (line "
            f"{shown}{more}); mend the file, which mixes encodings"
        )
    return (
        f"{source.label}: {count:,} {'record does' if count == 1 else 'records do'} not fit (line {shown}{more}); "
        f"expected {len(keys)} fields between {source.dialect.delimiter!r}; mend the file or set source.csv"
    )


def escaped(text: exp.Expr) -> exp.Expr:
    """A text with an apostrophe before it where it could be taken for a formula."""
    with_apostrophe = exp.Concat(expressions=[exp.Literal.string("'"), text.copy()], safe=True)
    return exp.Case(ifs=[exp.If(this=_is_formula(text), true=with_apostrophe)], default=text.copy())


def unescaped(text: exp.Expr) -> exp.Expr:
    """A text without the apostrophe by which it was escaped."""
    rest = exp.Substring(this=text.copy(), start=exp.Literal.number(2))
    begins = exp.StartsWith(this=text.copy(), expression=exp.Literal.string("'"))
    return exp.Case(ifs=[exp.If(this=exp.and_(begins, _is_formula(rest)), true=rest)], default=text.copy())


def escaped_name(name: str) -> str:
    """The name of a column as it is written in a header."""
    return f"'{name}" if _is_formula_name(name) else name


def unescaped_name(name: str) -> str:
    """A name without the apostrophe by which it was escaped."""
    return name[1:] if name.startswith("'") and _is_formula_name(name[1:]) else name


def _is_formula(text: exp.Expr) -> exp.Expr:
    begins = exp.Anonymous(this="regexp_matches", expressions=[text.copy(), exp.Literal.string(f"^{_BEGINNING}")])
    number = exp.Anonymous(this="regexp_full_match", expressions=[text.copy(), exp.Literal.string(_NUMBER)])
    return exp.and_(begins, exp.Not(this=number))


def _is_formula_name(name: str) -> bool:
    return re.match(_BEGINNING, name) is not None and re.fullmatch(_NUMBER, name) is None


def _option(name: str, value: exp.Expr) -> exp.Expr:
    return exp.EQ(this=exp.to_identifier(name), expression=value)


def _refuse_lost_ends(engine: Engine, paths: Sequence[Path], dialect: CsvDialect, keys: Sequence[str]) -> None:
    """Raises EngineError for a file whose end the engine would not read."""
    for path in paths:
        if may_lose_its_end(path, dialect.file_read(path), dialect):
            # A single thread reads what several pass over, but more slowly.
            readers = [read_csv([path], dialect, keys, (), parallel=parallel) for parallel in (True, False)]
            try:
                counts = [engine.run(exp.select(exp.Count(this=exp.Star())).from_(reader)) for reader in readers]
            except EngineError as error:
                raise EngineError(f"{path}: {error}") from error
            if counts[0] != counts[1]:
                raise lost_end(path)


@dataclass(frozen=True)
class _Beginning:
    """The first bytes of a file, how they are decoded, and whether the engine reads a copy of the file."""

    path: Path
    sample: bytes
    encoded: TextEncoding
    copied: bool

    @property
    def text(self) -> str:
        return self.sample.decode(self.encoded.codec, errors="replace").removeprefix("\ufeff")


def _examine(begin: _Beginning, options: CsvOptions, named: Sequence[str], place: str) -> tuple[CsvDialect, list[str]]:
    """The dialect of one file and its column names."""
    path, text = begin.path, begin.text
    sep_line = delimiter_line(text)
    if sep_line is not None:
        text = text[sep_line.end() :].removeprefix("\r").removeprefix("\n")
    quote = '"' if options.quote is None else options.quote
    escape = options.escape if options.escape is not None else quote
    delimiter = options.delimiter or (sep_line[1] if sep_line else _delimiter(text, quote, named))
    if delimiter == quote:
        raise ConfigurationError(f"{place}: csv.quote and csv.delimiter are the same; choose two characters")
    records = _records(text, delimiter, quote)
    first: list[str] = next(filter(None, records), [])
    if not first:
        raise EngineError(f"{path}: the file holds only blank lines; expected a header and rows")
    if len(delimiter) > 1:
        first = [name.replace(_FOR_MORE, delimiter) for name in first]
    if options.formulas == "escape":
        first = [unescaped_name(name) for name in first]
    header = options.header
    if header is None:
        header = bool(set(first) & set(named)) or _looks_like_header(first)
    if len(first) > _MOST_COLUMNS:
        raise EngineError(
            f"{path}: its first line has {len(first):,} fields between {delimiter!r}, more than {_MOST_COLUMNS:,}; "
            "expected a table with one record a line"
        )
    if header and not sep_line and not begin.copied and begin.sample.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE)):
        refuse_behind_mark(path, first[0], delimiter, quote)
    names = first if header else [f"column{position}" for position in range(len(first))]
    formulas = options.formulas == "escape"
    line_end = _line_end(begin.text, quote)
    encoding, skipped = begin.encoded.name, int(sep_line is not None)
    return CsvDialect(delimiter, quote, escape, header, encoding, line_end, formulas, skipped), names


def _sample(path: Path) -> bytes:
    """The first bytes of a file. Raises EngineError for one that is empty, or something else."""
    if path.suffix == ".zst":
        raise EngineError(f"{path}: Zstandard is not read; decompress the file, or compress it with gzip")
    sample = next(chunks(path), b"")
    if not sample:
        raise EngineError(f"{path}: the file is empty; expected a header and rows")
    kind = kind_of(sample, path.name)
    if kind is not None:
        raise EngineError(f"{path}: is {kind.what}; {kind.remedy}")
    return sample


def _line_end(text: str, quote: str) -> str:
    """What ends the first record; line breaks inside quotes are values."""
    outside = re.sub(f"{quote}[^{quote}]*{quote}", "", text[:SAMPLE]) if quote else text
    line_end = re.search(r"\r\n|\n|\r", outside)
    return line_end[0] if line_end else "\n"


def _delimiter(text: str, quote: str, named: Sequence[str]) -> str:
    """The candidate that is most frequent in the first record outside quotes; a comma where there is none.

    Of equally frequent ones it is the one that separates most of the columns that the configuration names.
    """
    fields: dict[str, list[str]] = {delimiter: next(_records(text, delimiter, quote), []) for delimiter in _DELIMITERS}
    return max(_DELIMITERS, key=lambda delimiter: (len(fields[delimiter]), len(set(fields[delimiter]) & set(named))))


def _records(text: str, delimiter: str, quote: str) -> csv.Reader:  # type: ignore[name-defined]
    csv.field_size_limit(LONGEST_LINE)
    if len(delimiter) > 1:
        text, delimiter = text.replace(delimiter, _FOR_MORE), _FOR_MORE
    if not quote:
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)


def _looks_like_header(first: list[str]) -> bool:
    """Whether all fields differ and none is a number or empty, except the first: pandas and R number rows in a column
    without a name."""
    return len(set(first)) == len(first) and not any(map(_is_number, first)) and all(first[1:] or first)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _refuse_repeated(names: list[str], path: Path) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise EngineError(
            f"{path}: column {', '.join(map(repr, repeated))} is there twice, in the header or as a partition; "
            "rename one"
        )
