"""What statements for others may hold: names of files without the folders of this machine, no texts of the source."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from glob import escape
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.subject import Subject
from kanon_sql.settings.treatments import KEYED
from kanon_sql.sql.template import Fill, column


def relative(path: Path, base: Path, root: Path | None = None) -> Path:
    """A path as it is from the configuration's folder; of one that lies elsewhere its name, below the folder `root` of
    several files with the name of that folder.
    """
    whole, folder = path.absolute(), base.absolute()
    if whole.is_relative_to(folder):
        return whole.relative_to(folder)
    top = root.absolute().parent if root is not None else whole.parent
    return whole.relative_to(top) if whole.is_relative_to(top) else Path(whole.name)


def root_of(files: Sequence[Path]) -> Path | None:
    """The folder of several files; None of a single one."""
    return Path(os.path.commonpath([file.parent.absolute() for file in files])) if len(files) > 1 else None


def in_place_of(files: Sequence[Path], base: Path) -> dict[str, str]:
    """What stands in statements for these files: patterns as DuckDB reads them, by the patterns that they have now."""
    root = root_of(files)
    return {escape(str(file)): escape(relative(file, base, root).as_posix()) for file in files}


class Withheld:
    """Texts of the source that no statement may hold: the configuration's `recode` and `missing` that name words."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        source = subject.loaded.config.source
        texts = {*source.missing} if source.missing else set()
        for one in source.columns.values():
            texts |= {*one.missing, *one.recode, *one.recode.values()}
        self.texts = {text for text in texts if re.search(r"\w", text)}
        treated = subject.source.treatments.values() if subject.source is not None else ()
        self.is_treated = any(getattr(one, key) is not None for one in treated for key in (*KEYED, "bottom", "top"))

    def untold(self, name: str) -> set[str]:
        """The texts that the release does not hold in a column."""
        release = self.subject.release
        if not self.texts:
            return set()
        names: dict[str, Fill] = {"release": release.relation, "held_value": column(release.column(name).key)}
        found = self.subject.engine.query("commands/page/held_texts", names=names, values={"texts": sorted(self.texts)})
        return self.texts - {str(text) for (text,) in found}

    def stands_in(self, statement: exp.Expr, untold: set[str]) -> bool:
        """Whether a statement holds one of these texts."""
        return any(one.is_string and one.name in untold for one in statement.find_all(exp.Literal))
