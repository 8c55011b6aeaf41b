"""CSV sources: how a file is written is found out from its first record, every field is read as text."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import kind_of
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.formats.csv_encodings import SAMPLE, chunks, refuse_behind_mark, refuse_beyond_engine
from kanon_sql.source.formats.csv_end import BUFFER, LONGEST_LINE, lost_end, may_lose_its_end
from kanon_sql.source.formats.csv_formulas import unescaped, unescaped_name
from kanon_sql.source.model import Column, CsvDialect, Source, select_keys
from kanon_sql.sql.connection import Engine, literal

USUAL = CsvDialect(",", '"', '"', True, "utf-8")
_NO_DELIMITER = "\x02"  # a file that holds it has no lines that could be counted
_FOR_MORE = "\x1f"  # Python's reader takes one character as a delimiter
_DELIMITERS = (",", ";", "\t", "|")
_MOST_COLUMNS = 10_000
_ENCODINGS = {
    "utf8": "utf-8",
    "utf-8-sig": "utf-8",
    "latin1": "latin-1",
    "iso8859-1": "latin-1",
    "utf-16le": "utf-16",
}


def open_csv(
    engine: Engine,
    paths: tuple[Path, ...],
    options: CsvOptions,
    missing: tuple[str, ...],
    named: Sequence[str],
    place: str,
    partitions: tuple[str, ...] = (),
) -> Source:
    """Opens CSV files as one source; `named` are the columns that the configuration names.

    A first record that holds one of them is a header. Raises EngineError for files that cannot be read, that are
    empty or whose headers differ, ConfigurationError for options that do not fit.
    """
    dialect, names = _examine(paths[0], options, named, place)
    warnings = []
    for path in paths:
        refuse_beyond_engine(path, dialect.encoding)
    if dialect.encoding != "utf-8":
        warnings.append(f"{paths[0].name} is read as {dialect.encoding}; a CSV release is written as UTF-8")
    for path in paths[1:]:
        other, other_names = _examine(path, options, named, place)
        if other.encoding != dialect.encoding:
            raise EngineError(f"{path}: is {other.encoding}, {paths[0]} is {dialect.encoding}; expected one encoding")
        if other_names != names:
            raise EngineError(f"{path}: its header differs from that of {paths[0]}; expected the same columns in order")
    _refuse_repeated([*names, *partitions], paths[0])
    keys = [f"c{position}" for position in range(len(names))]
    _refuse_lost_ends(engine, paths, dialect, keys)
    return replace(cells_of(engine, paths, dialect, names, missing, partitions), warnings=tuple(warnings))


def cells_of(
    engine: Engine,
    paths: tuple[Path, ...],
    dialect: CsvDialect,
    names: Sequence[str],
    missing: tuple[str, ...],
    partitions: tuple[str, ...],
    **more: object,
) -> Source:
    """Files as a source, by the names of the columns in them; `more` are further options of the reader."""
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
        "encoding": dialect.encoding,
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
    arguments = [literal([escape(str(path)) for path in paths]), _option("columns", types)]
    arguments += [_option(name, literal(value)) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this="read_csv", expressions=arguments))


def lines_of(path: Path, dialect: CsvDialect = USUAL) -> exp.Table:
    """The lines of a file in order, as column line; an empty one is NULL."""
    plain = replace(dialect, delimiter=_NO_DELIMITER, quote="", escape="", header=False)
    return read_csv([path], plain, ["line"], ("",), parallel=False)


def _option(name: str, value: exp.Expr) -> exp.Expr:
    return exp.EQ(this=exp.to_identifier(name), expression=value)


def _refuse_lost_ends(engine: Engine, paths: Sequence[Path], dialect: CsvDialect, keys: Sequence[str]) -> None:
    """Raises EngineError for a file of which the engine would not read the end."""
    for path in paths:
        if may_lose_its_end(path, dialect):
            # One thread alone sees what several pass over, but takes its time.
            readers = [read_csv([path], dialect, keys, (), parallel=parallel) for parallel in (True, False)]
            try:
                counts = [engine.run(exp.select(exp.Count(this=exp.Star())).from_(reader)) for reader in readers]
            except EngineError as error:
                raise EngineError(f"{path}: {error}") from error
            if counts[0] != counts[1]:
                raise lost_end(path)


def ragged_rows(engine: Engine, source: Source) -> str | None:
    """Says how many records have too many or too few fields and where, or None when there are none.

    Reads the whole source once more, so only after an error.
    """
    assert source.dialect is not None
    keys = [column.key for column in source.columns if column.name not in source.partitions]
    reader = read_csv(source.files, source.dialect, keys, source.missing, store_rejects=True, rejects_limit=0)
    engine.run(exp.select(exp.Count(this=exp.Star())).from_(reader))
    found = engine.query("source/rejected_records")
    count, lines = found[0]
    if not count:
        return None
    shown = ", ".join(str(line) for line in lines)
    more = " ..." if count > len(lines) else ""
    return (
        f"{source.label}: {count} {'record does' if count == 1 else 'records do'} not fit (line {shown}{more}); "
        f"expected {len(keys)} fields between {source.dialect.delimiter!r}; mend the file or set source.csv"
    )


def _examine(path: Path, options: CsvOptions, named: Sequence[str], place: str) -> tuple[CsvDialect, list[str]]:
    """The dialect of one file and its column names."""
    sample = _sample(path)
    if not sample:
        raise EngineError(f"{path}: the file is empty; expected a header and rows")
    kind = kind_of(sample, path.name)
    if kind is not None:
        raise EngineError(f"{path}: is {kind.what}; {kind.remedy}")
    encoding = _encoding(sample, options.encoding, place)
    quote = '"' if options.quote is None else options.quote
    escape = options.escape if options.escape is not None else quote
    text = sample.decode(encoding, errors="replace").removeprefix("\ufeff")
    delimiter = options.delimiter or _delimiter(text, quote, named)
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
    if header and sample.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE)):
        refuse_behind_mark(path, first[0], delimiter, quote)
    names = first if header else [f"column{position}" for position in range(len(first))]
    formulas = options.formulas == "escape"
    return CsvDialect(delimiter, quote, escape, header, encoding, _line_end(text, quote), formulas), names


def _sample(path: Path) -> bytes:
    if path.suffix == ".zst":
        raise EngineError(f"{path}: Zstandard is not read; decompress the file, or compress it with gzip")
    return next(chunks(path), b"")


def _encoding(sample: bytes, given: str | None, place: str) -> str:
    if given is not None:
        try:
            codec = codecs.lookup(given).name
        except LookupError:
            raise ConfigurationError(
                f"{place}: unknown encoding {given!r}; expected utf-8, latin-1 or utf-16"
            ) from None
        known = _ENCODINGS.get(codec, codec)
        if known not in ("utf-8", "latin-1", "utf-16"):
            raise ConfigurationError(f"{place}: encoding {given!r} cannot be read; expected utf-8, latin-1 or utf-16")
        return known
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(sample) < SAMPLE)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _line_end(text: str, quote: str) -> str:
    """What ends the first record; line breaks inside quotes are values."""
    outside = re.sub(f"{quote}[^{quote}]*{quote}", "", text[:SAMPLE]) if quote else text
    found = re.search(r"\r\n|\n|\r", outside)
    return found[0] if found else "\n"


def _delimiter(text: str, quote: str, named: Sequence[str]) -> str:
    """The candidate that the first record holds most often outside quotes; a comma when it holds none.

    Of several it is that between which most columns stand that the configuration names.
    """
    fields: dict[str, list[str]] = {one: next(_records(text, one, quote), []) for one in _DELIMITERS}
    return max(_DELIMITERS, key=lambda one: (len(fields[one]), len(set(fields[one]) & set(named))))


def _records(text: str, delimiter: str, quote: str) -> csv.Reader:  # type: ignore[name-defined]
    csv.field_size_limit(LONGEST_LINE)
    if len(delimiter) > 1:
        text, delimiter = text.replace(delimiter, _FOR_MORE), _FOR_MORE
    if not quote:
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote)


def _looks_like_header(first: list[str]) -> bool:
    """A header names every column differently and holds neither numbers nor empty fields, but for the first: pandas and
    R number the rows in a column without a name."""
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
