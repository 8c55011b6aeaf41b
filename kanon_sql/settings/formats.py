"""The formats of files that there are: how a file of each is known, what its values mean, and what other files are.

The configuration, its rules and its schema, the finding of files and whoever compares values read it here; how files
are read and written is registered under the same name in `kanon_sql.source.formats`.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from kanon_sql.settings.algorithms import either


@dataclass(frozen=True)
class Format:
    """A format of files, which messages call `title`.

    A file is known by its name's ending, the first of `suffixes` where one is made, or by its first bytes, which the
    pattern `begins` matches. In a folder what ends as one of `notes` does is more likely a note, and one of `asides`
    where there is other data. `compressions` are those that can be written. One that holds `only_texts` knows neither
    types nor NULL: an empty text stands for NULL, and the first row may be no header; how its fields are delimited can
    be configured. What is not read `by_engine` passes through Python, is never written, and has sheets.
    """

    title: str
    suffixes: tuple[str, ...]
    compressions: tuple[str, ...]
    only_texts: bool
    notes: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    begins: bytes = b""
    by_engine: bool = True

    @property
    def written(self) -> bool:
        """Whether a release can be written in it."""
        return self.by_engine


FORMATS: dict[str, Format] = {
    "csv": Format(
        "CSV",
        (".csv", ".tsv", ".txt", ".csv.gz", ".csv.zst"),
        ("gzip", "zstd", "none"),
        only_texts=True,
        notes=(".txt",),
    ),
    "parquet": Format(
        "Parquet",
        (".parquet", ".pq", ".parq"),
        ("snappy", "zstd", "gzip", "lz4_raw", "lz4", "brotli", "uncompressed"),
        only_texts=False,
        begins=b"PAR1",
    ),
    "jsonl": Format(
        "JSON lines",
        (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst"),
        ("gzip", "zstd", "none"),
        only_texts=False,
        begins=rb'(\xef\xbb\xbf)?\s*\{\s*("(?:[^"\\]|\\.)*"\s*:|\})',
    ),
    "json": Format(
        "JSON",
        (".json", ".json.gz", ".json.zst"),
        ("gzip", "zstd", "none"),
        only_texts=False,
        asides=(".json",),
        begins=rb"(\xef\xbb\xbf)?\s*\[\s*([\[{]|\]\s*$)",
    ),
    "excel": Format(
        "Excel",
        (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
        (),
        only_texts=False,
        # Of a zip archive that holds its parts, or of the older binary format.
        begins=rb"(?s)PK\x03\x04(.{26}mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet"
        rb"|.*?(xl/|\[Content_Types\]\.xml))|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        by_engine=False,
    ),
}


def format_of(path: Path) -> str | None:
    """The format that a file's name tells, else None."""
    lower = path.name.lower()
    return next((name for name, file_format in FORMATS.items() if lower.endswith(file_format.suffixes)), None)


_DELIMITER_LINE = re.compile(r'(?i)"?sep=([^\r\n"])"?(?=\r\n|\r|\n)')


def delimiter_line(text: str) -> re.Match[str] | None:
    """The first line of a CSV text where it is `sep=;`, by which Excel knows the delimiter (group 1): no record."""
    return _DELIMITER_LINE.match(text)


def format_by_content(path: Path) -> str:
    """The format that a file's first bytes tell; CSV begins with anything. Raises OSError."""
    return _format_of_head(head_of(path)) or "csv"


def _format_of_head(head: bytes) -> str | None:
    return next(
        (name for name, file_format in FORMATS.items() if file_format.begins and re.match(file_format.begins, head)),
        None,
    )


def only_texts(name: str | None) -> bool:
    """Whether a file of that format holds texts only; what is no file does not."""
    return name in FORMATS and FORMATS[name].only_texts


def read_by_engine(name: str | None) -> bool:
    """Whether the engine reads that format with a statement, as it does what is no file."""
    return name not in FORMATS or FORMATS[name].by_engine


def typed_formats() -> tuple[str, ...]:
    """The formats that hold more than texts."""
    return tuple(name for name, file_format in FORMATS.items() if not file_format.only_texts)


def written_formats() -> tuple[str, ...]:
    """The formats that a release can be written in."""
    return tuple(name for name, file_format in FORMATS.items() if file_format.written)


def titles() -> str:
    """All formats as a sentence names them."""
    return either(file_format.title for file_format in FORMATS.values())


_HEAD = 1 << 16
_UNPACK = "unpack it first, or compress it with gzip as .csv.gz"

# (the first bytes, what has them, what to do); {name} is the file's name.
_MAGIC = (
    (b"SQLite format 3\0", "an SQLite database", "expected {{database: {name}, table: ...}} instead of path"),
    (b"%PDF-", "PDF", "expected a table; look for the data it was made of"),
    (b"ORC", "ORC", "convert it to Parquet with the program that made it"),
    (b"Obj\x01", "Avro", "convert it to Parquet with the program that made it"),
    (b"ARROW1", "Arrow (Feather)", "convert it to Parquet: pyarrow.parquet.write_table(feather.read_table(...))"),
    (b"FEA1", "Feather", "convert it to Parquet: pyarrow.parquet.write_table(feather.read_table(...))"),
    (b"\x1f\x8b", "compressed with gzip", "call it .csv.gz where it is a CSV, unpack it where it is not"),
    (b"BZh", "compressed with bzip2", _UNPACK),
    (b"\xfd7zXZ\0", "compressed with xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed with Zstandard", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
)
_MARKUP = re.compile(r"\s*<(\?xml|!doctype html|html)\b", re.IGNORECASE)
_NOT_READ = (".orc", ".avro", ".feather", ".duckdb", ".sqlite")


@dataclass(frozen=True)
class Kind:
    """What a file is, of a `format` that is read or another one, and what to do with it where it is not expected."""

    what: str
    remedy: str
    format: str | None = None


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is called .gz. Raises OSError."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return file.read(_HEAD)
    except (EOFError, zlib.error):
        return b""


def is_json_with(path: Path, key: str) -> bool:
    """Whether a file begins as a JSON object with a key, as configurations do; data may be JSON, too, and large."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).lstrip()
    except OSError:
        return False
    return head.startswith(b"{") and f'"{key}"'.encode() in head


def kind_of(head: bytes, name: str) -> Kind | None:
    """What a file is that begins with `head`; None where it may be CSV, or text of another kind."""
    name_of_format = _format_of_head(head)
    if name_of_format is not None:
        format_of_head = FORMATS[name_of_format]
        return Kind(format_of_head.title, f"call it {format_of_head.suffixes[0]}", name_of_format)
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            return Kind(what, remedy.format(name=name))
    if head.startswith(b"PK\x03\x04"):
        return Kind("a zip archive", f"unpack it first: unzip {name}")
    if head[8:12] == b"DUCK":
        return Kind("a DuckDB database", f"name its table: source: {{database: {name}, table: TABLE}}")
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    if _MARKUP.match(text):
        return Kind("XML or HTML", "convert it to CSV or Parquet")
    return None


def is_data(path: Path) -> bool:
    """Whether a file that is there holds data, and so no configuration. Raises OSError."""
    if not path.is_file():
        return False
    read = [
        suffix
        for file_format in FORMATS.values()
        for suffix in file_format.suffixes
        if suffix not in file_format.notes + file_format.asides
    ]
    if path.name.lower().endswith((*read, *_NOT_READ)):
        return True
    head = head_of(path)
    kind = kind_of(head, path.name)
    # A configuration may be written as JSON, which is YAML too: one object.
    return kind is not None and (kind.format != "jsonl" or _is_followed(head))


def _is_followed(head: bytes) -> bool:
    """Whether another object stands behind the one that a text in JSON begins with."""
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip().startswith("{")
