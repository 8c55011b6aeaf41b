"""The formats of files that there are: how a file of each is known, and what its values mean.

The configuration, its rules and its schema, the finding of files and whoever compares values read it here; how files
are read and written is registered under the same name in `kanon_sql.source.formats`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Format:
    """A format of files, which messages call `title`.

    A file is known by its name's ending, the first of `suffixes` where one is made, or by the bytes it `begins` with;
    in a folder what ends as one of `notes` does is more likely a note. `compressions` are those that can be written.
    One that holds `only_texts` knows neither types nor NULL: an empty text stands for NULL, and the first row may be
    no header; how its fields are delimited can be configured.
    """

    title: str
    suffixes: tuple[str, ...]
    compressions: tuple[str, ...]
    only_texts: bool
    notes: tuple[str, ...] = ()
    begins: bytes = b""


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
}


def format_of(path: Path) -> str | None:
    """The format that a file's name tells, else None."""
    lower = path.name.lower()
    return next((name for name, one in FORMATS.items() if lower.endswith(one.suffixes)), None)


def format_by_content(path: Path) -> str:
    """The format that a file's first bytes tell; CSV begins with anything. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(16)
    return next((name for name, one in FORMATS.items() if one.begins and head.startswith(one.begins)), "csv")


def only_texts(name: str | None) -> bool:
    """Whether a file of that format holds texts only; what is no file does not."""
    return name in FORMATS and FORMATS[name].only_texts


def typed_formats() -> tuple[str, ...]:
    """The formats that hold more than texts."""
    return tuple(name for name, one in FORMATS.items() if not one.only_texts)


def titles(between: str = " or ") -> str:
    """All formats as a sentence names them."""
    return between.join(one.title for one in FORMATS.values())
