"""Targets that are files or folders of files.

Their digests (SHA-256, as sha256sum prints it) tell whether a file is still the one that was read or written.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import EngineError
from kanon_sql.settings.columns import UTF8
from kanon_sql.settings.formats import FORMATS
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.targets.staging import Staged, StagedFolder
from kanon_sql.targets.target import LocalSink, shown

_BLOCK = 1 << 20  # bytes


class _Files(LocalSink):
    """What files and folders share: COPY by DuckDB, and reading back."""

    def __init__(self, file_format: str, target: TargetConfig, final: Path) -> None:
        self.format = self.kind = file_format
        self.writer = FILE_FORMATS[file_format].writer(target, final)
        self.final = final

    def describe(self) -> str:
        return shown(self.final)

    def refuse(self, released: Sequence[Column], place: str) -> None:
        super().refuse(released, place)
        self.writer.refuse(released, place)

    def as_held(self, release: exp.Expr) -> exp.Expr:
        return self.writer.as_held(release)

    def _tell_encoding(self, source: Source) -> None:
        """Warns where the file that is replaced was in another encoding."""
        if source.encoding not in (None, UTF8):
            self.warnings += (f"{self.final.name} was {source.encoding} and is written as UTF-8, as every release is",)

    def _copy(self, engine: Engine, statement: exp.Expr, to: Path, **more: Any) -> None:
        words = ", ".join(f"{name} {_option(value)}" for name, value in {**self.writer.options(), **more}.items())
        # COPY takes a name and words as its options, neither from a user but as a literal.
        engine.run(f"COPY ({template.text(statement)}) TO {literal(str(to)).sql('duckdb')} ({words})")

    def _copy_to_file(self, engine: Engine, statement: exp.Expr, file: Path) -> None:
        """Writes one file, once more where the engine did not write what it was given."""
        # Without a temporary file of the engine's own the staged one keeps its mode, 0600.
        self._copy(engine, statement, file, USE_TMP_FILE=False)
        mended = self.writer.mended(engine, statement, file)
        if mended is not None:
            self._copy(engine, mended, file, USE_TMP_FILE=False)


class FileSink(_Files):
    """One file; a new one gets the `mode`, by default that of the umask."""

    def __init__(self, staged: Staged, file_format: str, target: TargetConfig, mode: int | None = None) -> None:
        super().__init__(file_format, target, staged.target)
        self.staged = staged
        self.mode = mode
        self.in_place = target.in_place
        self.warnings = staged.warnings()

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [self.staged.path], []

    def staged_file(self) -> Path:
        return self.staged.path

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        if self.in_place:
            self._tell_encoding(source)
        self._copy_to_file(engine, self.writer.begin(engine, release, source, columns, ()), self.staged.path)

    def written(self, engine: Engine) -> Source:
        return self.writer.written(engine, (self.staged.path,), ())

    def again(self, engine: Engine) -> Source:
        return self.writer.written(engine, (self.final,), ())

    def keep(self) -> None:
        self.staged.kept = True

    def commit(self, engine: Engine) -> None:
        self.staged.commit(mode=self.mode, unchanged=self.in_place)


class FolderSink(_Files):
    """A folder of files, with hive partitions where the source had them and their columns are released."""

    def __init__(self, staged: StagedFolder, file_format: str, target: TargetConfig) -> None:
        super().__init__(file_format, target, staged.target)
        self.staged = staged
        self._partitions: tuple[str, ...] = ()

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], [self.staged.path]

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        self._tell_encoding(source)
        self._partitions = tuple(name for name in source.partitions if name in columns)
        partitions = source.partitions if self._partitions else ()
        statement = self.writer.begin(engine, release, source, columns, partitions)
        if self._partitions:
            suffix = FORMATS[self.format].suffixes[0].removeprefix(".")
            more = {"PARTITION_BY": self._partitions, "OVERWRITE_OR_IGNORE": True, "FILE_EXTENSION": suffix}
            self._copy(engine, statement, self.staged.path, **more)
        else:
            self._copy_to_file(engine, statement, self.staged.path / f"part-0{FORMATS[self.format].suffixes[0]}")

    def written(self, engine: Engine) -> Source:
        return self._read(engine, self.staged.path)

    def again(self, engine: Engine) -> Source:
        return self._read(engine, self.final)

    def _read(self, engine: Engine, folder: Path) -> Source:
        files = tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
        return self.writer.written(engine, files, self._partitions)

    def keep(self) -> None:
        self.staged.kept = True

    def commit(self, engine: Engine) -> None:
        self.staged.commit()


def _option(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(template.quoted(name).sql("duckdb") for name in value) + ")"
    return literal(value).sql("duckdb")


def sha256(path: Path, held: ExitStack | None = None) -> str:
    """The digest of a file's bytes, 64 hexadecimal digits. Raises EngineError.

    The file is closed with `held`: closed before, a database that the engine has open would lose its lock.
    """
    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    try:
        with ExitStack() as closing:
            file = (held or closing).enter_context(path.open("rb", buffering=0))
            while read := file.readinto(block):
                digest.update(block[:read])
    except OSError as error:
        raise EngineError(f"{path}: its digest cannot be taken ({error.strerror})") from None
    return digest.hexdigest()


def new_salt() -> str:
    """A random number of 256 bits, in hexadecimal digits."""
    return secrets.token_hex(32)


def salted(digest: str, salt: str) -> str:
    """A digest that may be published: without the salt nobody can try which file has it.

    It is the SHA-256 of the hexadecimal digits of the salt with those of the digest after them.
    """
    return hashlib.sha256(f"{salt}{digest}".encode("ascii")).hexdigest()


def file_of(source: Source) -> Path | None:
    """The one file that an open source is; None where rows are elsewhere too, or the file may not hold them yet.

    A database's file is complete unless a write-ahead log lies beside it.
    """
    if source.kind == "query" or source.origin is not None:
        return None
    if source.database is not None:
        return None if source.database.with_name(source.database.name + ".wal").exists() else source.database
    return source.files[0] if len(source.files) == 1 and source.folder is None and not source.partitions else None
