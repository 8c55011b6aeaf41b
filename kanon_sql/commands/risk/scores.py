"""`kanon-sql risk --scores FILE`: the combinations of values that hold a special unique, for who may see values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.files import FileSink
from kanon_sql.targets.staging import stage_file

OPTION = "--scores"
NAMES = ("rows", "suda_score", "dis_suda_score")


@contextmanager
def open_scores(engine: Engine, path: Path | None) -> Iterator[FileSink | None]:
    """The file, staged beside its place, which it takes when it is committed; None where none was asked for.

    Raises ConfigurationError without --show-values and for a name that tells no format, EngineError where no file can
    be written.
    """
    if path is None:
        yield None
        return
    if not engine.show_values:
        raise ConfigurationError(
            f"{OPTION} {path}: the file holds values of the data; expected --show-values beside it"
        )
    file_format = format_of(path)
    if file_format is None or not FORMATS[file_format].written:
        suffixes = either(one.suffixes[0] for one in FORMATS.values() if one.written)
        raise ConfigurationError(f"{OPTION} {path}: the name tells no format that is written; expected {suffixes}")
    with stage_file(path, overwrite=True, place=OPTION) as staged:
        mode = None if path.exists() else 0o600
        yield FileSink(staged, file_format, TargetConfig(path=str(path)), mode)


def score_names(columns: Sequence[str]) -> list[str]:
    """What the columns of the file beside those of the table are called, told apart from these."""
    taken = {name.casefold() for name in columns}
    longest = max(map(len, taken), default=0)
    return [next(name + "_" * more for more in range(longest + 1) if name + "_" * more not in taken) for name in NAMES]
