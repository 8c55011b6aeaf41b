"""Writes a finished search into a project of another tool: texts, and mapping tables beside them."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.errors import EngineError

if TYPE_CHECKING:
    from kanon_sql.commands.compile.compilation import Compiled

MODEL_NAME = re.compile(r"[a-z][a-z0-9_]*")
Json = dict[str, Any]
# Compiles with (source table, prefix of the mapping tables' names, folder of their files).
CompileWith = Callable[[str, str, Path], "tuple[Json, Compiled]"]


@dataclass(frozen=True)
class Found:
    """A compiled search for the model `name`; `seeds` are the files of its mapping tables, as `compiled.listings`.

    The statement names tables by `mark` and what they are: no text of the data can hold it.
    """

    name: str
    compiled: Compiled
    seeds: Sequence[Path]
    mark: str

    def head(self) -> str:
        """The comment at the head of the statement. What it says of tables is for people."""
        lines = takewhile(lambda line: line.startswith("--"), self.compiled.text.splitlines(keepends=True))
        return re.sub(re.escape(self.mark), f"{self.name}_", "".join(lines), flags=re.IGNORECASE)

    def statement(self, source: str, seed: Callable[[str], str], escape: Callable[[str], str] = str) -> str:
        """The statement; `source` and `seed` of a file's name stand for the tables, all else goes through `escape`."""
        lines = self.compiled.text.splitlines(keepends=True)
        text = "".join(lines[sum(1 for _ in takewhile(lambda line: line.startswith("--"), lines)) :])
        table = re.compile(rf'["`]{self.mark}(\w+)["`]', re.IGNORECASE)

        def called(found: re.Match[str]) -> str:
            what = found[1].lower()
            return source if what == "source" else seed(f"{self.name}_{what}")

        return table.sub(called, escape(text).rstrip().removesuffix(";")) + "\n"


def write_project(
    name: str,
    seeds: Path,
    files: Sequence[Path],
    compile_with: CompileWith,
    texts: Callable[[Found], tuple[Sequence[str], Sequence[str]]],
    replaced: Sequence[Path] | None = None,
) -> Json:
    """Writes `files`, their `texts` given by the search, and the mapping tables to the folder `seeds`.

    `texts` gives a text for each file, and warnings; the first file is the statement. The report, with "files". Raises
    EngineError for a file that is there; then nothing is written. With `replaced`, the mapping tables of an earlier
    model in these files, all of them are replaced once the search is done.
    """
    mark = f"k{secrets.token_hex(12)}_"
    if replaced is None:
        refuse_existing(files)
    for folder in dict.fromkeys([*(file.parent for file in files), seeds]):
        folder.mkdir(exist_ok=True)
    report, compiled = compile_with(f"{mark}source", mark, seeds)
    made = list(compiled.files)
    named = [seeds / re.sub(re.escape(mark), f"{name}_", file.name, flags=re.IGNORECASE).lower() for file in made]
    try:
        refuse_existing([file for file in named if file not in (replaced or ())])
        written, warnings = texts(Found(name, compiled, named, mark))
    except BaseException:
        for file in made:
            file.unlink(missing_ok=True)
        raise
    for file, seed in zip(made, named, strict=True):
        file.replace(seed)
    for path, text in zip(files, written, strict=True):
        write_private(path, text)
    for seed in set(replaced or ()) - set(named):
        seed.unlink(missing_ok=True)
    report["statement"] = {**report["statement"], "sql": written[0], "mappings": [str(file) for file in named]}
    report["warnings"] = [*report["warnings"], *warnings]
    return {**report, "files": [str(file) for file in (*files, *named)]}


def write_private(path: Path, text: str) -> None:
    """Writes a file for the owner's eyes only, in the place of one that is there."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def refuse_existing(files: Sequence[Path]) -> None:
    """Raises EngineError for files that are there."""
    problems = [
        f"{file}: is there already; give the model another --name, or replace it with --overwrite"
        for file in files
        if file.exists()
    ]
    if problems:
        raise EngineError(problems)
