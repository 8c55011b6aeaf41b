"""Excel and OpenDocument: one sheet, whose first row that is not blank names the columns.

The rows of a workbook, at most 1,048,576, pass through Python into a table of the engine, which has no reader for them.
The type of a column is determined by all of its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sqlglot import exp

from kanon_sql.config.messages import near
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.formats import FORMATS, head_of, kind_of
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.formats.base import FileFormat, First, OpenRequest, Writer, located, named_file
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

Cell = Any  # str, float, int, bool, date, datetime, time or timedelta; "" where there is nothing
_AT_ONCE = 20_000  # rows that are inserted together
_PLACES = ("filename", "row")
_TYPES = (
    ({str}, "VARCHAR"),
    ({bool}, "BOOLEAN"),
    ({int}, "BIGINT"),
    ({int, float}, "DOUBLE"),
    ({date}, "DATE"),
    ({date, datetime}, "TIMESTAMP"),
    ({time}, "TIME"),
)


class ExcelFormat(FileFormat):
    """Reads workbooks."""

    def open(self, engine: Engine, request: OpenRequest) -> Source:
        if request.partitions:
            folder = request.paths[0].parent.name
            raise ConfigurationError(f"{request.place}: {folder!r} is a partition; Excel has none")
        tables = []
        for path in request.paths:
            with _reading(path):
                tables.append(_table_of(path, request))
        names = list(tables[0].names)
        for table in tables[1:]:
            if list(table.names) != names:
                raise EngineError(f"{table.path}: its columns differ from those of {tables[0].path}; expected the same")
        kinds_found = [set().union(*kinds) for kinds in zip(*(table.kinds for table in tables), strict=True)]
        # The narrowest type that holds the cells of a column; texts where no other does.
        types = [next((name for held, name in _TYPES if kinds <= held), "VARCHAR") for kinds in kinds_found]
        name = template.quoted(state(f"sheet_{engine.statements}"))
        _load(engine, name, tables, types)
        columns = tuple(Column(name, f"c{i}", kind) for i, (name, kind) in enumerate(zip(names, types, strict=True)))
        return Source(
            kind=self.name,
            relation=exp.select(*(column(col.key) for col in columns)).from_(exp.Table(this=name)),
            columns=columns,
            missing=tuple(request.config.missing or ()),
            columnar=True,
            label=str(request.paths[0]) if len(request.paths) == 1 else f"{len(request.paths)} Excel files",
            backend=DuckDB(engine),
            files=request.paths,
            warnings=tuple(_warnings(tables, columns, kinds_found)),
        )

    def open_release(
        self, engine: Engine, path: Path, target: TargetConfig, like: Source, names: Sequence[str], place: str
    ) -> Source:
        _refuse_writing()

    def place_of(self, engine: Engine, source: Source, col: Column, first: First) -> str | None:
        place = first(located(source, col, exp.column("row")))
        return None if place is None else f"row {place[1]}{named_file(source, place[0])}"

    def writer(self, target: TargetConfig, final: Path) -> Writer:
        _refuse_writing()


def _refuse_writing() -> NoReturn:
    written = either(config.suffixes[0] for config in FORMATS.values() if config.written)
    raise ConfigurationError(f"target: Excel is read and not written; expected {written}")


@dataclass(frozen=True)
class _Table:
    """The table of a sheet: its header is in row `top`, counted from 0, the columns of `names` are at `places`.

    `kinds` are the Python types of the cells of each column; `blank` is the number of blank rows between others.
    """

    path: Path
    sheet: CalamineSheet
    top: int
    names: tuple[str, ...]
    places: tuple[int, ...]
    kinds: tuple[set[type], ...]
    blank: int

    def rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """(number, cells) of each row that is not blank, with rows counted from 1 as in the program that made it."""
        for number, cells in enumerate(self.sheet.iter_rows()):
            if number > self.top and _is_filled(cells):
                yield number + 1, [cells[place] for place in self.places]


def _table_of(path: Path, request: OpenRequest) -> _Table:
    """The table of the configured sheet. Raises EngineError for a sheet that holds something else."""
    sheet = _sheet(path, _workbook(path), request)
    label = f"{path}: sheet {sheet.name!r}"
    rows = enumerate(sheet.iter_rows())
    top, header = next(((number, cells) for number, cells in rows if _is_filled(cells)), (0, []))
    if not header:
        raise EngineError(f"{label} is empty; expected the names of the columns and rows below them")
    kinds: list[set[type]] = [set() for _ in header]
    last, filled = top, 0
    for batch in _chunks((number, cells) for number, cells in rows if _is_filled(cells)):
        last, filled = batch[-1][0], filled + len(batch)
        for column_kinds, cells in zip(kinds, zip(*(cells for _, cells in batch), strict=True), strict=True):
            column_kinds.update(_kinds(cells))
    left = sheet.start[1] if sheet.start else 0
    nameless = [_letters(left + place) for place, name in enumerate(header) if name == "" and kinds[place]]
    if nameless:
        raise EngineError(
            f"{label}: row {top + 1} names no column {nameless[0]}, which holds values"
            f"{f' ({len(nameless)} such columns)' if len(nameless) > 1 else ''}; expected the names of all columns in "
            "the first row that is not blank: remove titles above and notes beside the table"
        )
    _refuse_merged(label, sheet, top)
    places = tuple(place for place, name in enumerate(header) if name != "")
    names = tuple(_as_text(header[place]) for place in places)
    twice = [place for place, name in zip(places, names, strict=True) if names.count(name) > 1]
    if twice:
        # The first row is perhaps no header but data, which messages must not show.
        alike = ", ".join(_letters(left + place) for place in twice)
        raise EngineError(f"{label}: row {top + 1} gives columns {alike} a name that is there twice; rename one")
    return _Table(path, sheet, top, names, places, tuple(kinds[place] for place in places), last - top - filled)


def _is_filled(cells: Sequence[Cell]) -> bool:
    return any(cells) or any(cell != "" for cell in cells)  # the first is faster, and takes 0 for nothing


def _kinds(cells: Sequence[Cell]) -> set[type]:
    """The types of cells that are not empty, int for whole numbers."""
    kinds = set(map(type, cells))
    if str in kinds and not any(type(cell) is str and cell for cell in cells):
        kinds.remove(str)
    if float in kinds:
        whole = {_is_whole(cell) for cell in cells if type(cell) is float}
        kinds = kinds - {float} | {int if is_whole else float for is_whole in whole}
    return kinds


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) <= 1 << 53


def _refuse_merged(label: str, sheet: CalamineSheet, top: int) -> None:
    merged = [area for area in sheet.merged_cell_ranges or () if area[1][0] >= top]
    if merged:
        (first, begin), (last, end) = merged[0]
        area = f"{_letters(begin)}{first + 1}:{_letters(end)}{last + 1}"
        others = " and others" if len(merged) > 1 else ""
        raise EngineError(
            f"{label} has merged cells ({area}{others}), of which one alone holds the value; split them and "
            "fill in each cell"
        )


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turns what python-calamine raises in the block into an EngineError that says what is wrong with the file."""
    try:
        import python_calamine
    except ImportError:
        raise ConfigurationError(
            f"{path}: Excel is read with python-calamine, which is not installed; "
            "pip install 'kanon-sql[excel]', or save the sheet as CSV"
        ) from None
    try:
        yield
        return
    except python_calamine.PasswordError:
        problem = "is protected by a password; save it without"
    except python_calamine.CalamineError:
        problem = "cannot be read as Excel; open it there and save it anew, or as CSV"
    except OSError as error:
        problem = f"cannot be read ({error.strerror or 'no access'})"
    raise EngineError(f"{path}: {problem}")


def _workbook(path: Path) -> CalamineWorkbook:
    import python_calamine

    kind = kind_of(head_of(path), path.name)
    if kind is not None and kind.format != "excel":
        raise EngineError(f"{path}: is {kind.what}, no Excel; {kind.remedy}")
    return python_calamine.CalamineWorkbook.from_path(path)


def _sheet(path: Path, book: CalamineWorkbook, request: OpenRequest) -> CalamineSheet:
    """The configured sheet, or else the only one that is not empty. Raises ConfigurationError."""
    wanted = request.config.sheet
    names = [sheet.name for sheet in book.sheets_metadata if str(sheet.typ).endswith("WorkSheet")]
    listed = ", ".join(map(repr, names[:20])) + (" ..." if len(names) > 20 else "")
    if wanted is not None:
        if wanted not in names:
            meant = near(wanted, names, 0.6)
            hint = f"did you mean {meant!r}?" if meant else f"expected one of {listed}"
            raise ConfigurationError(f"{request.place}: {path.name} has no sheet {wanted!r}; {hint}")
        return book.get_sheet_by_name(wanted)
    sheets = [book.get_sheet_by_name(name) for name in names]
    filled = [sheet for sheet in sheets if sheet.height] or sheets[:1]
    if not filled:
        raise EngineError(f"{path}: has no sheet; expected one with a table")
    if len(filled) > 1:
        raise ConfigurationError(
            f"{request.place}: {path.name} has {len(filled)} sheets with cells ({listed}); name one: "
            f"source: {{path: {path.name}, sheet: ...}}"
        )
    return filled[0]


def _letters(place: int) -> str:
    """The name of a column, counted from 0: A, B ... Z, AA."""
    return (_letters(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)


def _as_text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and _is_whole(cell):
        return str(int(cell))
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(cell.days * 86_400 + cell.seconds, 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(cell)


_CONVERTED: dict[str, Callable[[Cell], Cell]] = {
    "VARCHAR": _as_text,
    "BIGINT": int,
    "DOUBLE": float,
    "TIMESTAMP": lambda cell: cell if isinstance(cell, datetime) else datetime.combine(cell, time()),
}


def _load(engine: Engine, name: exp.Identifier, tables: Sequence[_Table], types: Sequence[str]) -> None:
    """Makes the table of all rows: a column of each type, and the file and number of each row."""
    described = {
        **{f"c{i}": kind for i, kind in enumerate(types)},
        **dict(zip(_PLACES, ("VARCHAR", "BIGINT"), strict=True)),
    }
    schema = exp.Schema(
        this=exp.Table(this=name),
        expressions=[
            exp.ColumnDef(this=template.quoted(key), kind=exp.DataType.build(kind, dialect="duckdb"))
            for key, kind in described.items()
        ],
    )
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    engine.run(exp.Create(this=schema, kind="TABLE", properties=temporary))
    lists = [
        exp.Unnest(expressions=[exp.cast(exp.Placeholder(this=key), exp.DataType.build(f"{kind}[]", dialect="duckdb"))])
        for key, kind in described.items()
    ]
    insert = exp.insert(exp.select(*lists), exp.Table(this=name))
    for table in tables:
        for batch in _chunks(table.rows()):
            cells = zip(*(cells for _, cells in batch), strict=True)
            values = [_converted(column_cells, kind) for column_cells, kind in zip(cells, types, strict=True)]
            places = [[str(table.path)] * len(batch), [number for number, _ in batch]]
            engine.run(insert, dict(zip(described, [*values, *places], strict=True)))


def _chunks(rows: Iterable[tuple[int, list[Cell]]]) -> Iterator[list[tuple[int, list[Cell]]]]:
    left = iter(rows)
    while batch := list(islice(left, _AT_ONCE)):
        yield batch


def _converted(cells: Sequence[Cell], kind: str) -> list[Cell]:
    """The cells of a column as values of its type; None for an empty cell."""
    convert = _CONVERTED.get(kind)
    if convert is None or (kind == "VARCHAR" and set(map(type, cells)) == {str}):
        return [None if cell == "" else cell for cell in cells]
    return [None if cell == "" else convert(cell) for cell in cells]


def _warnings(tables: Sequence[_Table], columns: Sequence[Column], kinds_found: Sequence[set[type]]) -> Iterator[str]:
    for col, kinds in zip(columns, kinds_found, strict=True):
        if col.type == "VARCHAR" and kinds - {str}:
            yield f"column {col.name!r} mixes kinds of cells; it is read as texts"
    blank = sum(table.blank for table in tables)
    if blank:
        yield f"{blank:,} blank row{'s' * (blank > 1)} between others {'are' if blank > 1 else 'is'} left out"
