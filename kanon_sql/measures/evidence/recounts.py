"""What statements for others may hold: names of files without the folders of this machine, no texts of the source.

Statements that anybody can run with DuckDB alone to count a release again, each with the row that it must give.

They read the file in its place as it is named from the configuration's folder, with all that its reader must be told.
What they must give is what the run reported, not what they gave here. One that would hold texts of the source which the
release lacks, or a key, is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.frequency.table import participants
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.risk.table import released_columns
from kanon_sql.privacy.registry import Model, models_of
from kanon_sql.recount.counting import comparable
from kanon_sql.recount.statement import Chain, Question, Table, parts_of
from kanon_sql.report.page.model import Recount
from kanon_sql.report.page.withheld import NEAR, OF_ALL_ROWS, left_out
from kanon_sql.settings.formats import FORMATS, read_by_engine
from kanon_sql.settings.source import LAKE, file_of_database, names_lake
from kanon_sql.settings.treatments import KEYED
from kanon_sql.source.model import Source
from kanon_sql.source.remote import is_remote, shown_url
from kanon_sql.sql import template
from kanon_sql.sql.connection import literal
from kanon_sql.sql.template import Fill, Item, column, compose, quoted

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldReport


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

    def __init__(self, subject: ReleasePair) -> None:
        self.subject = subject
        source = subject.loaded.config.source
        texts = {*source.missing} if source.missing else set()
        for declared in source.columns.values():
            texts |= {*declared.missing, *declared.recode, *declared.recode.values()}
        self.texts = {text for text in texts if re.search(r"\w", text)}
        treated = subject.source.treatments.values() if subject.source is not None else ()
        self.is_treated = any(
            getattr(treatment, key) is not None for treatment in treated for key in (*KEYED, "bottom", "top")
        )

    def untold(self, name: str) -> set[str]:
        """The texts that the release does not hold in a column."""
        release = self.subject.release
        if not self.texts:
            return set()
        names: dict[str, Fill] = {"release": release.relation, "held_value": column(release.column(name).key)}
        rows = self.subject.engine.query(
            "measures/evidence/held_texts", names=names, values={"texts": sorted(self.texts)}
        )
        return self.texts - {str(text) for (text,) in rows}

    def stands_in(self, statement: exp.Expr, untold: set[str]) -> bool:
        """Whether a statement holds one of these texts."""
        return any(literal.is_string and literal.name in untold for literal in statement.find_all(exp.Literal))


_DIGITS = 9
_RELEASED = "released"


@dataclass(frozen=True)
class _Readable:
    """A table as a SELECT that DuckDB alone executes, once the databases `attached` are, by the names they get."""

    select: exp.Select
    attached: Mapping[str, str]


def recounts_of(subject: ReleasePair, report: ToldReport) -> tuple[Recount, ...]:
    """The statements; none of a release that is in no file that DuckDB reads."""
    placed = _placed(subject)
    if placed is None:
        return ()
    statements = _Statements(subject, report, placed)
    return (*statements.counts(), *statements.models())


class _Statements:
    """The statements about one release."""

    def __init__(self, subject: ReleasePair, report: ToldReport, placed: _Readable) -> None:
        self.subject, self.report, self.placed = subject, report, placed
        config, release = subject.loaded.config, subject.release
        self.columns = released_columns(release, list(config.quasi_identifiers), subject.loaded.place("target"))
        self.by_entity = config.privacy.entity is not None
        self.withheld = Withheld(subject)

    def counts(self) -> list[Recount]:
        """Rows, classes, k, and the rows that were masked."""
        rows, classes, privacy = self.report["rows"], self.report["classes"], self.report["privacy"]
        masked = rows["masked"] or 0
        statements = [self._plain("Rows of the release", "rows", (rows["released"] + masked,))]
        if not self.by_entity:
            statements.append(self._plain("k: rows of the smallest class", "k", (privacy["k"]["actual"],)))
        if masked:
            number: dict[str, template.Fill] = {"masked_rows": exp.Literal.number(masked)}
            title = f"Masked rows: {masked:,} are * in every quasi-identifier"
            statements.append(self._plain(title, "masked", (True,), number))
        else:
            assert classes is not None  # of a release
            figures = (classes["count"], classes["min"], classes["max"])
            statements.append(
                self._plain("Equivalence classes, rows of the smallest and of the largest", "classes", figures)
            )
        return statements

    def models(self) -> list[Recount]:
        """What the classes reach of each model that can be counted in the files alone."""
        recounts = []
        positions: dict[str, int] = {}
        entries = cast("Mapping[str, Any]", self.report["privacy"])
        for model in models_of(self.subject.loaded.config.privacy):
            position = positions[model.key] = positions.get(model.key, -1) + 1
            entry = entries[model.key]
            reached = (entry[position] if isinstance(entry, list) else entry)["actual"]
            needed = parts_of(model)
            thresholds = model.spec.thresholds
            countable = model.column is not None and not self.by_entity and len(thresholds) == 1 and reached is not None
            if countable and not needed & {"ranks", "steps"}:
                recount = self._model(model, reached, "reference" in needed)
                if recount is not None:
                    recounts.append(recount)
        return recounts

    def _plain(
        self, title: str, name: str, expected: tuple[Any, ...], names: Mapping[str, template.Fill] | None = None
    ) -> Recount:
        file = f"measures/evidence/recount_{name}"
        items: list[Item] = [{"name": released_column.name} for released_column in self.columns]
        lists = {"qi": items} if template.mentions(file, "qi") else {}
        statement = template.fill(file, names, lists, part=True)
        assert isinstance(statement, exp.Query)
        statement.set("with_", exp.With(expressions=[self._released()]))
        return Recount(title, self._text(statement, self.placed.attached), expected)

    def _model(self, model: Model, reached: float, with_source: bool) -> Recount | None:
        """What the classes reach of one model; None where the rows that it compares with are in no file."""
        source, release = self.subject.source, self.subject.release
        config = self.subject.loaded.config
        compared = None
        if with_source and source is not None and not self.withheld.is_treated:
            rows = participants(source, self.subject.roles, config.missing)
            compared = _readable(source, rows, self.subject.loaded.base, source.database, "source_database")
        if with_source and compared is None:
            return None
        assert model.column is not None
        written = release.column(model.column)
        original = written if source is None else source.column(model.column)
        untold = self.withheld.untold(model.column)
        missing = release.missing if source is None else source.missing
        missing = missing if with_source else tuple(text for text in missing if text not in untold)
        if release.only_texts and source is not None and not source.only_texts:
            missing = (*missing, "")
        value = comparable(replace(written, key=written.name), original, missing, is_csv=release.only_texts)
        table = Table(
            exp.Table(this=quoted(_RELEASED)),
            [column(released_column.name) for released_column in self.columns],
            {model.column: value},
        )
        reference = None
        attached = dict(self.placed.attached)
        if compared is not None:
            reference = Table(compared.select, (), {model.column: comparable(original, original, missing)})
            attached |= compared.attached
        spoken = Sensitive(0, original, False, "text")
        question = Question(1, (model,), {model.column: spoken}, reference, missing=tuple(missing))
        chain = Chain(table, question, lambda name, sensitive: None)
        statement = template.fill(compose("measures/evidence/recount_model", {"measured": "measured_0"}), part=True)
        assert isinstance(statement, exp.Query)
        chain.before(statement, self._released())
        least = next(iter(model.spec.thresholds.values())) == "least"
        required = {name: getattr(model.spec, name) for name in model.spec.thresholds}
        kept = [
            entry for entry in statement.expressions if entry.alias == ("least_reached" if least else "most_reached")
        ]
        statement.set("expressions", kept)
        if self.withheld.stands_in(statement, untold):
            return None
        title = f"{model.key} of {model.column}: what the class that is worst off reaches"
        if with_source:
            title += ", compared with the source"
        if model.key in OF_ALL_ROWS and left_out(self.report):
            statement.set("expressions", [_whether(kept[0], float(next(iter(required.values()))), least=least)])
            return Recount(f"{title}: whether that holds", self._text(statement, attached), (True,))
        return Recount(title, self._text(statement, attached), (round(float(reached), _DIGITS),))

    def _released(self) -> exp.CTE:
        return exp.CTE(this=self.placed.select.copy(), alias=exp.TableAlias(this=quoted(_RELEASED)))

    def _text(self, statement: exp.Expr, attached: Mapping[str, str]) -> str:
        lines = [
            f"ATTACH IF NOT EXISTS {literal(place).sql('duckdb')} AS {quoted(name).sql('duckdb')} (READ_ONLY);\n"
            for name, place in attached.items()
        ]
        return self.subject.loaded.redact("".join(lines) + template.text(statement, pretty=True) + ";")


def _whether(reached: exp.Expr, required: float, *, least: bool) -> exp.Expr:
    """Whether what the worst class reaches is what was asked for: more would tell of rows that were suppressed."""
    if least:
        holds: exp.Expr = exp.GTE(this=reached.unalias(), expression=exp.Literal.number(repr(required - NEAR)))
    else:
        holds = exp.LTE(this=reached.unalias(), expression=exp.Literal.number(repr(required + NEAR)))
    return exp.alias_(holds, "holds", quoted=True)


def _placed(subject: ReleasePair) -> _Readable | None:
    """The release under the names of its columns, where it will be; None where DuckDB alone does not read it."""
    release, config, base = subject.release, subject.loaded.config, subject.loaded.base
    target = config.target
    if target is None:
        return None
    path, named_database = target.path, target.database
    if target.in_place:
        path, named_database = config.source.path, config.source.database
    named = {released_column.key: released_column.name for released_column in release.columns}
    select = release.relation.copy()
    for entry in select.expressions:
        entry.set("alias", quoted(named[entry.alias]))
    if path is None:
        database = file_of_database(named_database)
        if database is None:
            return None
        readable = _readable(release, select, base, base / database, "release_database")
        if readable is None or not names_lake(named_database):
            return readable
        return replace(readable, attached={name: LAKE + text for name, text in readable.attached.items()})
    if is_remote(path):
        return _Readable(_with_places(select, {escape(str(release.files[0])): shown_url(path)}), {})
    place = (base / path).absolute()
    below = [file for file in release.files if file.absolute().is_relative_to(place)]
    if len(release.files) == 1 and not place.is_dir():
        return _readable(replace(release, files=(place,)), _reading(select, release.files[0], place), base, None, "")
    if len(below) < len(release.files):  # the files of a folder that is not in its place yet
        every = relative(place, base) / "**" / f"*{FORMATS[release.kind].suffixes[0]}"
        return _readable(release, _with_files(select, every), base, None, "")
    return _readable(release, select, base, None, "")


def _readable(table: Source, select: exp.Select, base: Path, database: Path | None, name: str) -> _Readable | None:
    """A SELECT over a table with paths from the folder `base`, and a database under a name of ours; None for what is no
    table.
    """
    if table.backend.weighted or table.weighted:
        return None
    if table.kind == "table":
        if database is None:
            return None
        select = select.copy()
        for node in select.find_all(exp.Table):
            if node.catalog:
                node.set("catalog", quoted(name))
        return _Readable(select, {name: str(relative(database, base))})
    if table.kind not in FORMATS or not read_by_engine(table.kind) or table.is_copied:
        return None
    return _Readable(_with_places(select, in_place_of(table.files, base)), {})


def _reading(select: exp.Select, file: Path, place: Path) -> exp.Select:
    """A SELECT that reads one file where it will be."""
    return _with_places(select, {escape(str(file)): escape(str(place))})


def _with_places(select: exp.Select, places: Mapping[str, str]) -> exp.Select:
    def put(node: exp.Expr) -> exp.Expr:
        placeholder = isinstance(node, exp.Literal) and node.is_string and places.get(node.name)
        return exp.Literal.string(placeholder) if placeholder else node

    replaced = select.transform(put)
    assert isinstance(replaced, exp.Select)
    return replaced


def _with_files(select: exp.Select, every: Path) -> exp.Select:
    """A SELECT that reads all files of a pattern in the place of those that it lists."""
    copied = select.copy()
    reader = copied.find(exp.Anonymous, exp.ReadCSV, exp.ReadParquet)
    assert reader is not None
    pattern = literal([f"{escape(every.parent.parent.as_posix())}/**/{every.name}"])
    if isinstance(reader, exp.Anonymous):
        reader.set("expressions", [pattern, *reader.expressions[1:]])
    else:
        reader.set("this", pattern)
    return copied
