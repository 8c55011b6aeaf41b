"""JSON: one object a record, in one array or one after the other, mostly one a line (JSON lines).

The type of a column is determined by all of its values, so that each comes out as it came in: texts are texts whatever
they look like, whole numbers are whole, lists and objects stay JSON.

The engine's reader passes over the checksum of a gzip file, and takes a truncated Zstandard file for a whole one: so
the ends of packed files are checked here.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import duckdb
from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import head_of, kind_of
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.formats.base import FileFormat, First, OpenRequest, Writer, located, named_file
from kanon_sql.source.formats.csv_reading import lines_of
from kanon_sql.source.model import Column, Source, is_nested, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.tables import WHOLE
from kanon_sql.sql.template import Item, column

_AT_ONCE = 1 << 20
# RFC 8878, section 3.1: a frame is a header, blocks of which the last one is marked, and maybe a checksum.
_FRAME = 0xFD2FB528
_PASSED_OVER = range(0x184D2A50, 0x184D2A60)
_DICTIONARY = (0, 1, 2, 4)  # bytes of the number of a dictionary, by the bits of its size
_REPEATED = 1  # a block of one repeated byte: it takes one byte, whatever its length says
WRITES_PARTITIONS = int(duckdb.__version__.split(".")[0]) >= 2
_MOST_COLUMNS = 2_000  # the reader of JSON takes a third of a megabyte for each, beside its limit of memory
_LARGEST_LOOKED_AT = 1 << 24  # bytes of a file in which a fault is looked for
# The kinds of values in queries/source/json_kinds.sql.
_TEXT, _BOOLEAN, _NESTED, _DECIMAL, _SMALL, _BIG, _HUGE = 1, 2, 4, 8, 32, 64, 128
_TYPES = (
    (_TEXT, "VARCHAR"),
    (_BOOLEAN, "BOOLEAN"),
    (_SMALL | _BIG, "BIGINT"),
    (_SMALL | _BIG | _HUGE, "HUGEINT"),
    (_SMALL | _DECIMAL, "DOUBLE"),
)
_DIGITS = re.compile(r"DECIMAL\((\d+),")
_EXACT = 15  # digits that every double holds
_AS_THEY_ARE = ("VARCHAR", "BOOLEAN", "DOUBLE", "DECIMAL", "JSON", *WHOLE)


class JsonFormat(FileFormat):
    """Reads JSON in every layout, and writes JSON lines or an array."""

    def open(self, engine: Engine, request: OpenRequest) -> Source:
        for path in request.paths:
            _refuse_unended(engine, path, end_of_text(path))
        return self._open(engine, request.paths, tuple(request.config.missing or ()), request.partitions)

    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        return self._open(engine, (path,), like.missing)

    def _open(
        self, engine: Engine, paths: tuple[Path, ...], missing: tuple[str, ...], partitions: tuple[str, ...] = ()
    ) -> Source:
        _refuse_other_kinds(paths)
        try:
            names = _names(engine, paths, partitions)
            kinds = _kinds(engine, paths, names)
        except EngineError as error:
            raise EngineError(_fault(engine, paths) or f"{_label(paths)}: {error}") from error
        types = {name: _type(kind) for name, kind in zip(names, kinds, strict=True)}
        warnings = tuple(
            f"column {name!r} mixes kinds of values, or holds numbers of more digits than the engine computes with; "
            "it is read as texts"
            for (name, type_name), kind in zip(types.items(), kinds, strict=True)
            if type_name == "VARCHAR" and kind not in (0, _TEXT)
        )
        return replace(records_of(engine, paths, types, partitions), kind=self.name, missing=missing, warnings=warnings)

    def place_of(self, engine: Engine, source: Source, col: Column, first: First) -> str | None:
        path = source.files[0]
        if any(other.name.lower() == "filename" for other in source.columns):
            return None
        if len(source.files) > 1:
            place = first(located(source, col, exp.Literal.number(0)))
            if place is None:
                return None
            path = Path(place[0])
        reader = _read_json((path,), {other.name: other.type for other in source.columns})
        alone = replace(source, relation=source.relation.from_(reader))
        counted = template.fill("source/record_places", names={"records": located(alone, col, exp.Literal.number(0))})
        assert isinstance(counted, exp.Select)
        place = first(counted)
        return None if place is None else f"record {place[1]}{named_file(source, place[0])}"

    def writer(self, target: TargetConfig, final: Path) -> Writer:
        return JsonWriter(self.name, target, final)


class JsonWriter(Writer):
    """Writes an object a record: one a line as JSON lines, in an array as JSON, in place as the file was laid out."""

    array = False
    types: Mapping[str, str] = MappingProxyType({})

    def refuse(self, released: Sequence[Column], place: str) -> None:
        lossy = [col for col in released if any(int(digits) > _EXACT for digits in _DIGITS.findall(col.type))]
        if lossy:
            raise ConfigurationError(
                f"{place}: who reads JSON takes numbers with decimals for doubles, which do not hold column "
                f"{lossy[0].name!r} of type {lossy[0].type} unchanged; cast it in source.query, or write Parquet or CSV"
            )

    def as_held(self, release: exp.Expr) -> exp.Expr:
        release = release.copy()
        for entry in release.expressions:
            entry.set("this", _as_held(entry.this, self.types[entry.alias]))
        return release

    def begin(
        self, engine: Engine, release: exp.Expr, source: Source, columns: Sequence[str], partitions: Sequence[str]
    ) -> exp.Expr:
        if partitions and not WRITES_PARTITIONS:
            raise EngineError(
                f"{self.final}: DuckDB {duckdb.__version__} writes no folder of JSON with partitions, DuckDB 2.0 does; "
                "write Parquet or CSV, or install a newer one"
            )
        self.array = _is_array(engine, source.files[0]) if self.target.in_place else self.name == "json"
        self.types = {str(row[0]): str(row[1]) for row in engine.run(exp.Describe(this=release.copy()))}
        return self.as_held(release)

    def options(self) -> dict[str, Any]:
        return {**super().options(), "FORMAT": "json", "ARRAY": self.array}

    def written(self, engine: Engine, files: tuple[Path, ...], partitions: tuple[str, ...]) -> Source:
        more = {"format": "array" if self.array else "newline_delimited"}
        if "COMPRESSION" in self.options():
            more["compression"] = self.options()["COMPRESSION"]
        types = {name: _held_type(kind) for name, kind in self.types.items() if name not in partitions}
        return replace(records_of(engine, files, types, partitions, **more), label=str(self.final), partitions=())


def records_of(
    engine: Engine,
    paths: tuple[Path, ...],
    types: dict[str, str],
    partitions: tuple[str, ...] = (),
    **more: object,
) -> Source:
    """JSON files as a source of columns of these types; `more` are further options of the reader."""
    described = {**types, **dict.fromkeys(partitions, "VARCHAR")}
    return Source(
        kind="json",
        relation=select_keys(_read_json(paths, types, hive=bool(partitions), **more), list(described)),
        columns=tuple(Column(name, f"c{place}", kind) for place, (name, kind) in enumerate(described.items())),
        missing=(),
        columnar=False,
        label=_label(paths),
        backend=DuckDB(engine),
        files=paths,
        partitions=partitions,
    )


def end_of_text(path: Path) -> bytes | None:
    """The last bytes of a file's text; None for a .zst file, which Python cannot unpack.

    Raises EngineError for a packed file that is not complete.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".gz":
            with gzip.open(path, "rb") as file:
                return _end(file)
        with path.open("rb") as plain:
            if suffix == ".zst":
                _pass_frames(plain, path.stat().st_size)
                return None
            plain.seek(-min(_AT_ONCE, path.stat().st_size), os.SEEK_END)
            return plain.read()
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _end(file: gzip.GzipFile) -> bytes:
    end = b""
    while read := file.read(_AT_ONCE):
        end = read if read.strip() else end
    return end


def _pass_frames(file: BinaryIO, size: int) -> None:
    """Skips frame by frame to the end. Raises EOFError for one that is not complete, OSError for something else."""
    while file.tell() < size:
        magic = _number(file, 4)
        if magic in _PASSED_OVER:
            file.seek(_number(file, 4), 1)
        elif magic == _FRAME:
            _pass_frame(file)
        else:
            raise OSError("it holds something else than Zstandard")
    if file.tell() > size:
        raise EOFError("it ends before its last part is complete")


def _pass_frame(file: BinaryIO) -> None:
    described = _number(file, 1)
    single = described >> 5 & 1
    of_size = described >> 6
    file.seek((not single) + _DICTIONARY[described & 3] + (1 << of_size if of_size else single), 1)
    last = 0
    while not last:
        head = _number(file, 3)
        last = head & 1
        file.seek(1 if head >> 1 & 3 == _REPEATED else head >> 3, 1)
    file.seek(4 * (described >> 2 & 1), 1)


def _number(file: BinaryIO, count: int) -> int:
    read = file.read(count)
    if len(read) < count:
        raise EOFError("it ends before its last part is complete")
    return int.from_bytes(read, "little")


def _held_type(described: str) -> str:
    """The type in which values of a type are written."""
    if described.startswith(_AS_THEY_ARE):
        return described
    if described == "FLOAT":
        return "DOUBLE"
    return "JSON" if is_nested(described) else "VARCHAR"


def _as_held(value: exp.Expr, described: str) -> exp.Expr:
    held = _held_type(described)
    if held == "JSON":
        # As it is written: without blanks, and null is NULL.
        json_value = exp.Anonymous(this="json" if described == held else "to_json", expressions=[value])
        return exp.Nullif(this=json_value, expression=exp.Literal.string("null"))
    if held == described:
        return value
    # By its text: a FLOAT 0.1 cast to DOUBLE would come out as 0.10000000149.
    text = exp.cast(value, "VARCHAR")
    return text if held == "VARCHAR" else exp.cast(text, held)


def _label(paths: Sequence[Path]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{len(paths)} JSON files"


def _read_json(paths: Sequence[Path], types: dict[str, str], *, hive: bool = False, **more: object) -> exp.Table:
    """The read_json call, which guesses nothing but how the records are laid out."""
    columns = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.Literal.string(name), expression=exp.Literal.string(kind))
            for name, kind in types.items()
        ]
    )
    options: dict[str, exp.Expr] = {"columns": columns, "hive_partitioning": literal(hive)}
    if hive:
        options["hive_types_autocast"] = literal(False)
    return _call("read_json", paths, {**options, **{name: literal(value) for name, value in more.items()}})


def _call(function: str, paths: Sequence[Path], options: dict[str, exp.Expr]) -> exp.Table:
    arguments: list[exp.Expr] = [literal([escape(str(path)) for path in paths])]
    arguments += [exp.EQ(this=exp.to_identifier(name), expression=value) for name, value in options.items()]
    return exp.Table(this=exp.Anonymous(this=function, expressions=arguments))


def _names(engine: Engine, paths: Sequence[Path], partitions: Sequence[str]) -> list[str]:
    """The keys of all records: those of the first record in its order, then the others, most frequent first."""
    objects = _call("read_json_objects", paths, {"hive_partitioning": literal(False)})
    rows = engine.query("source/json_keys", names={"records": exp.select("json").from_(objects.copy())})
    others = sum(records - those for _, records, those, _ in rows)
    if others:
        raise EngineError(f"{others:,} records are no objects; expected an object for each row")
    if not rows:
        raise EngineError("it holds no record; expected an object for each row")
    first = exp.select(exp.Anonymous(this="json_keys", expressions=[exp.column("json")])).from_(objects).limit(1)
    names = list(dict.fromkeys([*engine.run(first)[0][0], *(key for key, *_ in rows if key is not None)]))
    if not names:
        raise EngineError("its records are empty; expected keys and values")
    if len(names) > _MOST_COLUMNS:
        raise EngineError(
            f"its records have {len(names):,} different keys; expected {_MOST_COLUMNS:,} at "
            "most, each of which takes memory: leave some out, or write the table as Parquet or CSV"
        )
    if "" in names:
        raise EngineError("a key of its records is empty; name it")
    repeated = sorted(key for key, _, _, twice in rows if twice and key is not None)
    if repeated:
        raise EngineError("a record has the same key twice; expected every key once")
    _refuse_alike([*names, *partitions])
    return names


def _refuse_alike(names: Sequence[str]) -> None:
    folded = Counter(name.casefold() for name in names)
    alike = [name for name in names if folded[name.casefold()] > 1]
    if alike:
        raise EngineError(
            f"the keys {', '.join(map(repr, alike[:20]))} are the same but for case, or partitions too; rename one"
        )


def _kinds(engine: Engine, paths: Sequence[Path], names: Sequence[str]) -> list[int]:
    """The kinds of the values of each key, as a sum of the bits above."""
    items: list[Item] = [{"value": column(f"c{i}"), "name": f"c{i}"} for i in range(len(names))]
    records = select_keys(_read_json(paths, dict.fromkeys(names, "JSON")), list(names))
    return [
        int(kind) for kind in engine.query("source/json_kinds", names={"records": records}, lists={"key": items})[0]
    ]


def _type(kind: int) -> str:
    """The type that holds all values of these kinds unchanged; VARCHAR where no other does."""
    if kind & _NESTED:
        return "JSON"
    return next((name for kinds, name in _TYPES if kind | kinds == kinds), "VARCHAR")


def _refuse_other_kinds(paths: Sequence[Path]) -> None:
    """Raises EngineError for a file that is empty or, by its first bytes, something else."""
    for path in paths:
        try:
            head = head_of(path)
        except OSError as error:
            raise EngineError(f"{path}: cannot be read ({error.strerror or 'no file of this compression'})") from None
        if path.suffix.lower() == ".zst":
            continue
        if not head.strip():
            raise EngineError(f"{path}: the file is empty; expected records")
        kind = kind_of(head, path.name)
        if kind is not None and kind.format not in ("json", "jsonl"):
            raise EngineError(f"{path}: is {kind.what}, no JSON; {kind.remedy}")
        if head.startswith(b"\xef\xbb\xbf") and head[3:].lstrip().startswith(b"["):
            raise EngineError(f"{path}: an array behind a byte order mark is not read; save it as UTF-8 without one")
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise EngineError(f"{path}: is UTF-16, JSON is read as UTF-8; convert the file")


def _refuse_unended(engine: Engine, path: Path, end: bytes | None) -> None:
    """Raises EngineError for an array that was cut off behind a comma, which the engine takes for a whole one.

    `end` is None for a file that only the engine can unpack.
    """
    try:
        if _is_array(engine, path):
            last = _last_line(engine, path) if end is None else end.rstrip()
            if last and not last.endswith(b"]"):
                problem = "its array has no end; it was cut off, write it anew"
                raise EngineError(f"{path}: cannot be read as JSON: {problem}")
    except OSError:
        return  # said where its records are read


def _last_line(engine: Engine, path: Path) -> bytes:
    """The last line that is not blank; empty where the engine cannot read the file by lines."""
    try:
        last = engine.query("source/last_line", names={"file_lines": lines_of(path)})[0][0]
    except EngineError:
        return b""  # lines that are too long
    return str(last or "").rstrip().encode()


def _fault(engine: Engine, paths: Sequence[Path]) -> str | None:
    """The problem of the first line that is no JSON; None where none is found. Reads files again, after an error."""
    for path in paths:
        line = _fault_of_array(path) if _is_array(engine, path) else _fault_of_lines(engine, path)
        if line is not None:
            return f"{path}: line {line} cannot be read as JSON; expected one object for each row, in UTF-8"
    return None


def _is_array(engine: Engine, path: Path) -> bool:
    """Whether the records are in an array, by the first character of the file."""
    if path.suffix.lower() != ".zst":
        return head_of(path).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    first = exp.Left(this=exp.func("ltrim", exp.column("line")), expression=exp.Literal.number(1))
    try:
        first_rows = engine.run(exp.select(first).from_(lines_of(path)).where("line IS NOT NULL").limit(1))
    except EngineError:
        return True  # a line that is too long to be read is no record
    return first_rows == [("[",)]


def _fault_of_lines(engine: Engine, path: Path) -> int | None:
    try:
        line = engine.query("source/json_faults", names={"file_lines": lines_of(path)})[0][0]
    except EngineError:
        return None
    return None if line is None else int(line)


def _fault_of_array(path: Path) -> int | None:
    if path.stat().st_size > _LARGEST_LOOKED_AT:
        return None
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            text = file.read(_LARGEST_LOOKED_AT)
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno
    except UnicodeDecodeError as error:
        return text.count(b"\n", 0, error.start) + 1
    except (OSError, EOFError, zlib.error, RecursionError):
        return None
    return None
