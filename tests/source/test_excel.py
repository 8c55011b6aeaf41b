"""Workbooks as sources, written by a program of somebody else: openpyxl and xlsxwriter."""

from __future__ import annotations

import csv
import json
import zipfile
from collections import Counter
from contextlib import nullcontext
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from sqlglot import exp
from tables import people, simple

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.formats.base import OpenRequest
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine

HEADER = ["sex", "age", "zip", "diagnosis", "cost"]


@pytest.fixture
def openpyxl() -> Any:
    pytest.importorskip("python_calamine")
    return pytest.importorskip("openpyxl")


def book(path: Path, openpyxl: Any, *sheets: tuple[str, list[list[Any]]]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets:
        sheet = workbook.create_sheet(name)
        for number, row in enumerate(rows, 1):
            for place, value in enumerate(row, 1):
                if value is not None:
                    sheet.cell(number, place, value)
    workbook.save(path)
    return path


def run(source: Any, target: Path, *columns: str, **more: Any) -> Any:
    return kanon_sql.run(simple(source, target, *columns, k=more.pop("k", 1), **more))


@cache
def engine() -> Engine:
    """An engine for all workbooks that are only read."""
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA IF NOT EXISTS kanon")
    return Engine(connection)


def opened(*paths: Path, sheet: str | None = None) -> Source:
    """What the tables of workbooks are read as, without a run."""
    config = SourceConfig(path=str(paths[0]), sheet=sheet)
    return FILE_FORMATS["excel"].open(engine(), OpenRequest(paths, config, (), "source"))


def cells_of(source: Source) -> tuple[dict[str, str], list[tuple[Any, ...]]]:
    """(types of the columns, rows)."""
    return {col.name: col.type for col in source.columns}, engine().run(source.relation)


def read(path: Path) -> list[dict[str, Any]]:
    # Not splitlines(), which ends a line at other characters of a text too.
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def test_without_the_extra_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    (tmp_path / "in.xlsx").write_bytes(b"PK\x03\x04xl/")
    with pytest.raises(ConfigurationError, match=r"pip install 'kanon-sql\[excel\]', or save the sheet as CSV"):
        run(tmp_path / "in.xlsx", tmp_path / "out.csv", "x")


@pytest.mark.parametrize("target", ["out.xlsx", "in-place"])
def test_excel_is_not_written(tmp_path: Path, target: str) -> None:
    (tmp_path / "in.xlsx").write_bytes(b"PK\x03\x04xl/")
    (tmp_path / "in.csv").write_text("x\na\na\n")
    source = tmp_path / ("in.xlsx" if target == "in-place" else "in.csv")
    to: Any = target if target == "in-place" else tmp_path / target
    with pytest.raises(ConfigurationError, match=r"target: Excel is read and not written; expected \.csv, \.parquet"):
        run(source, to, "x")
    with pytest.raises(ConfigurationError, match="expected 'csv', 'parquet', 'jsonl' or 'json', got text 'excel'"):
        kanon_sql.run(simple(source, {"path": "x", "format": "excel"}, "x"))


def test_a_sheet_goes_with_excel(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x\na\na\n")
    with pytest.raises(ConfigurationError, match="sheet goes with Excel, CSV has none; remove it"):
        run({"path": str(tmp_path / "in.csv"), "sheet": "x"}, tmp_path / "out.csv", "x")


@pytest.mark.tool
def test_a_workbook_gives_what_the_same_table_in_csv_does(tmp_path: Path, openpyxl: Any) -> None:
    rows = [list(row) for row in people(300)]
    source = book(tmp_path / "in.xlsx", openpyxl, ("people", [HEADER, *rows]))
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    released = []
    for origin in (source, tmp_path / "in.csv"):
        target = tmp_path / f"{origin.suffix[1:]}.csv"
        result = run(origin, target, "sex", "zip", k=5, suppression={"limit": "5%"})
        with target.open(newline="") as file:
            header, *cells = csv.reader(file)
        released.append((header, Counter((*row[:4], float(row[4])) for row in cells), result.report["solution"]))
    assert released[0] == released[1]


CELLS: dict[str, list[Any]] = {
    "text": ["02139", "2020-01-05", "é😀", "=x", None],
    "whole": [1, -5, 2**53, None, 0],
    "decimal": [1, 2.5, -0.1, 1e300, None],
    "great": [1e300, 1, None, 2, 3],
    "day": [date(2020, 1, 5), date(1999, 12, 31), None, date(1900, 3, 1), date(2024, 2, 29)],
    "moment": [datetime(2020, 1, 5, 10, 30, 1), datetime(2020, 1, 6), None, None, datetime(1999, 1, 1, 0, 0, 1)],
    "clock": [time(12, 30), None, time(0, 0, 1), time(23, 59), None],
    "truth": [True, False, None, True, False],
    "long": [timedelta(hours=30, minutes=5), timedelta(seconds=1), None, timedelta(hours=1), timedelta(days=2)],
    "mixed": [1, "x", 2.5, True, date(2020, 1, 5)],
    "none": [None, None, None, None, None],
}
WRITTEN: dict[str, list[Any]] = {
    "day": ["2020-01-05", "1999-12-31", None, "1900-03-01", "2024-02-29"],
    "moment": ["2020-01-05 10:30:01", "2020-01-06 00:00:00", None, None, "1999-01-01 00:00:01"],
    "clock": ["12:30:00", None, "00:00:01", "23:59:00", None],
    "long": ["30:05:00", "0:00:01", None, "1:00:00", "48:00:00"],
    "mixed": ["1", "x", "2.5", "true", "2020-01-05"],
}


def test_the_narrowest_type_that_holds_all_cells_of_a_column(tmp_path: Path, openpyxl: Any) -> None:
    nights = timedelta(days=2, hours=3, seconds=4)
    columns: dict[str, tuple[list[Any], str, list[Any]]] = {
        "whole": ([1, -(2**53), 2**53, 0], "BIGINT", [1, -(2**53), 2**53, 0]),
        "great": ([1, 2**53 + 2, 2, 3], "DOUBLE", [1.0, 2.0**53 + 2, 2.0, 3.0]),
        "decimal": ([1, 2.5, None, 0], "DOUBLE", [1.0, 2.5, None, 0.0]),
        "truth": ([True, False, None, True], "BOOLEAN", [True, False, None, True]),
        "day": ([date(2020, 1, 5), None, date(1999, 12, 31), date(2024, 2, 29)], "DATE", []),
        "moment": (
            [datetime(2020, 1, 5, 10, 30), date(2020, 1, 6), None, None],
            *("TIMESTAMP", [datetime(2020, 1, 5, 10, 30), datetime(2020, 1, 6), None, None]),
        ),
        "clock": ([time(12, 30), None, time(0, 0, 1), time(23, 59)], "TIME", []),
        "mixed": ([1, "x", 2.5, True], "VARCHAR", ["1", "x", "2.5", "true"]),
        "long": ([nights, timedelta(seconds=61), "x", None], "VARCHAR", ["51:00:04", "0:01:01", "x", None]),
        "none": ([None] * 4, "VARCHAR", [None] * 4),
    }
    rows = [[values[row] for values, _, _ in columns.values()] for row in range(4)]
    types, read_rows = cells_of(opened(book(tmp_path / "in.xlsx", openpyxl, ("S", [list(columns), *rows]))))
    assert types == {name: kind for name, (_, kind, _) in columns.items()}
    wanted = [read_as or values for values, _, read_as in columns.values()]
    assert read_rows == list(zip(*wanted, strict=True))


def test_a_row_of_zeros_is_a_row_and_rows_are_counted_from_one(tmp_path: Path, openpyxl: Any) -> None:
    rows: list[list[Any]] = [[], ["n", "t"], [1, "a"], [], [0, None], [None, None], [None, "b"]]
    source = opened(book(tmp_path / "in.xlsx", openpyxl, ("S", rows)))
    assert cells_of(source) == ({"n": "BIGINT", "t": "VARCHAR"}, [(1, "a"), (0, None), (None, "b")])
    assert source.warnings == ("2 blank rows between others are left out",)
    numbers = f"SELECT row FROM {source.relation.find(exp.Table)} ORDER BY row"
    assert engine().run(numbers) == [(3,), (5,), (7,)]
    (alone,) = opened(book(tmp_path / "b.xlsx", openpyxl, ("S", [["n"], [1], [], [2], []]))).warnings
    assert alone == "1 blank row between others is left out"


def test_files_are_one_table_where_their_columns_are_the_same_in_the_same_order(tmp_path: Path, openpyxl: Any) -> None:
    first = book(tmp_path / "a.xlsx", openpyxl, ("S", [["x", "n"], ["a", 1]]))
    more = book(tmp_path / "b.xlsx", openpyxl, ("T", [["x", "n"], [None, 2.5]]))
    assert cells_of(opened(first, more)) == ({"x": "VARCHAR", "n": "DOUBLE"}, [("a", 1.0), (None, 2.5)])
    turned = book(tmp_path / "c.xlsx", openpyxl, ("S", [["n", "x"], [1, "a"]]))
    with pytest.raises(EngineError, match=r"c\.xlsx: its columns differ from those of .*a\.xlsx; expected the same"):
        opened(first, turned)


def test_the_only_sheet_with_cells_is_read_or_the_one_that_is_named(tmp_path: Path, openpyxl: Any) -> None:
    first, second = [["x"], ["a"]], [["x"], ["b"]]
    assert cells_of(opened(book(tmp_path / "a.xlsx", openpyxl, ("S", []), ("T", first))))[1] == [("a",)]
    both = book(tmp_path / "b.xlsx", openpyxl, ("S", first), ("T", second))
    assert cells_of(opened(both, sheet="T"))[1] == [("b",)]
    with pytest.raises(ConfigurationError, match=r"b\.xlsx has 2 sheets with cells \('S', 'T'\); name one"):
        opened(both)


@pytest.mark.parametrize(("cells", "is_merged"), [("A1:B1", False), ("B2:C2", True), ("A3:A4", True)])
def test_cells_are_merged_above_the_table_alone(cells: str, is_merged: bool, tmp_path: Path, openpyxl: Any) -> None:
    source = book(tmp_path / "in.xlsx", openpyxl, ("S", [[], ["x", "n"], ["a", 1], ["b", 2]]))
    workbook = openpyxl.load_workbook(source)
    workbook["S"].merge_cells(cells)
    workbook.save(source)
    with pytest.raises(EngineError, match=rf"has merged cells \({cells}\)") if is_merged else nullcontext():
        opened(source)


def test_columns_are_called_as_the_program_calls_them(tmp_path: Path, openpyxl: Any) -> None:
    for place, letters in ((0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA")):
        rows: list[list[Any]] = [[*(f"c{i}" for i in range(place)), None, "end"], [None] * place + [5, 6]]
        if not place:
            rows[0][0:1] = [None]
        source = book(tmp_path / f"{place}.xlsx", openpyxl, ("S", rows))
        with pytest.raises(EngineError, match=f"row 1 names no column {letters}, which holds values;"):
            opened(source)


@pytest.mark.tool
def test_types_of_cells(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "in.xlsx", {"default_date_format": "dd.mm.yyyy"}) as workbook:
        sheet = workbook.add_worksheet()
        formats = {
            kind: workbook.add_format({"num_format": text})
            for kind, text in {datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm", timedelta: "[h]:mm:ss"}.items()
        }
        sheet.write_row(0, 0, ["qi", *CELLS])
        for place, values in enumerate(CELLS.values(), 1):
            for row, value in enumerate(values, 1):
                sheet.write_string(row, 0, "x")
                if isinstance(value, str):
                    sheet.write_string(row, place, value)
                elif value is not None:
                    sheet.write(row, place, value, formats.get(type(value)))
    result = run(tmp_path / "in.xlsx", tmp_path / "out.jsonl", "qi", accept=["long"])
    meant = [
        {"qi": "x", **{name: WRITTEN.get(name, values)[row] for name, values in CELLS.items()}} for row in range(5)
    ]
    assert sorted(read(tmp_path / "out.jsonl"), key=str) == sorted(meant, key=str)
    assert [warning for warning in result.report["warnings"] if "as texts" in warning] == [
        "column 'long' mixes kinds of cells; it is read as texts",
        "column 'mixed' mixes kinds of cells; it is read as texts",
    ]


VALUES = (
    st.none(),
    st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
        lambda text: text.strip() == text and not text.startswith("=") and "_x" not in text
    ),
    st.integers(-(2**53), 2**53),
    st.booleans(),
    st.dates(date(1904, 1, 2), date(2200, 1, 1)),
)


@pytest.mark.tool
@settings(max_examples=tries(60))
@given(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=4).flatmap(
        lambda kinds: st.lists(st.tuples(*kinds), min_size=1, max_size=8)
    )
)
def test_what_a_workbook_holds_comes_out(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[Any, ...]]
) -> None:
    pytest.importorskip("python_calamine")
    openpyxl = pytest.importorskip("openpyxl")
    folder = tmp_path_factory.mktemp("excel")
    rows = [["x", *row] for row in table]
    source = book(folder / "in.xlsx", openpyxl, ("Sheet1", [["qi", *(f"v{i}" for i in range(len(table[0])))], *rows]))
    run(source, folder / "out.jsonl", "qi")
    meant = Counter(tuple(str(value) if isinstance(value, date) else value for value in row) for row in rows)
    assert Counter(tuple(record.values()) for record in read(folder / "out.jsonl")) == meant


@pytest.mark.tool
def test_which_sheet_is_read(tmp_path: Path, openpyxl: Any) -> None:
    first, second = [["x"], ["a"], ["a"]], [["x"], ["b"], ["b"]]
    alone = book(tmp_path / "alone.xlsx", openpyxl, ("First", []), ("Second", first), ("Third", []))
    run(alone, tmp_path / "alone.csv", "x")
    assert (tmp_path / "alone.csv").read_text() == "x\na\na\n"
    both = book(tmp_path / "both.xlsx", openpyxl, ("First", first), ("Second one", second))
    with pytest.raises(ConfigurationError, match=r"both.xlsx has 2 sheets with cells \('First', 'Second one'\); name"):
        run(both, tmp_path / "both.csv", "x")
    run({"path": str(both), "sheet": "Second one"}, tmp_path / "both.csv", "x")
    assert (tmp_path / "both.csv").read_text() == "x\nb\nb\n"
    with pytest.raises(ConfigurationError, match="has no sheet 'Second'; did you mean 'Second one'"):
        run({"path": str(both), "sheet": "Second"}, tmp_path / "c.csv", "x")
    with pytest.raises(ConfigurationError, match="has no sheet 'zzz'; expected one of 'First', 'Second one'"):
        run({"path": str(both), "sheet": "zzz"}, tmp_path / "c.csv", "x")


@pytest.mark.tool
def test_blank_rows_and_columns_around_and_in_the_table(tmp_path: Path, openpyxl: Any) -> None:
    rows: list[list[Any]] = [[], [], [None, "x", None, "n"], [None, "a", None, 1], []]
    rows += [[None, "a", None, None], [None, None, None, 5]]
    source = book(tmp_path / "in.xlsx", openpyxl, ("S", rows))
    result = run(source, tmp_path / "out.jsonl", "x")
    meant = [{"x": "a", "n": 1}, {"x": "a", "n": None}, {"x": None, "n": 5}]
    assert sorted(read(tmp_path / "out.jsonl"), key=str) == sorted(meant, key=str)
    assert "1 blank row between others is left out" in result.report["warnings"]


FAULTS: dict[str, tuple[list[list[Any]], str]] = {
    "a title": ([["Report"], ["x", "n"], ["a", "secret"]], "sheet 'S': row 1 names no column B, which holds values"),
    "twice": ([["secret", "x", "secret"], ["a", "b", "c"]], "row 1 gives columns A, C a name that is there twice"),
    "empty": ([[]], "sheet 'S' is empty; expected the names of the columns"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_sheets_that_are_no_tables(tmp_path: Path, openpyxl: Any, case: str) -> None:
    rows, problem = FAULTS[case]
    source = book(tmp_path / "in.xlsx", openpyxl, ("S", rows))
    with pytest.raises(EngineError, match=problem) as caught:
        run(source, tmp_path / "out.csv", "x")
    assert "secret" not in str(caught.value)


def test_merged_cells_are_refused(tmp_path: Path, openpyxl: Any) -> None:
    source = book(tmp_path / "in.xlsx", openpyxl, ("S", [["x", "n"], ["a", 1], [None, 2]]))
    workbook = openpyxl.load_workbook(source)
    workbook["S"].merge_cells("A2:A3")
    workbook.save(source)
    with pytest.raises(EngineError, match="sheet 'S' has merged cells \\(A2:A3\\), of which one alone"):
        run(source, tmp_path / "out.csv", "x")


@pytest.mark.parametrize("raw", [b"PK\x03\x04xl/", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"x,y\n1,2\n"])
def test_files_that_are_no_workbooks(tmp_path: Path, openpyxl: Any, raw: bytes) -> None:
    (tmp_path / "in.xlsx").write_bytes(raw)
    with pytest.raises(EngineError, match=r"in\.xlsx: cannot be read as Excel; open it there and save it anew"):
        run(tmp_path / "in.xlsx", tmp_path / "out.csv", "x")


@pytest.mark.parametrize("damage", ["packed bytes", "marks of the sheet", "end of the sheet"])
def test_a_workbook_with_a_damaged_sheet(tmp_path: Path, openpyxl: Any, damage: str) -> None:
    """The file can be opened, the sheet in it cannot be read."""
    source = book(tmp_path / "in.xlsx", openpyxl, ("S", [["x", "n"], *(["a", number] for number in range(50))]))
    name = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(source) as archive:
        parts = {entry: archive.read(entry) for entry in archive.namelist()}
        start = archive.getinfo(name).header_offset + 30 + len(name)
    if damage == "packed bytes":
        data = bytearray(source.read_bytes())
        data[start : start + 8] = b"\xff" * 8
        source.write_bytes(data)
    else:
        sheet = parts[name]
        parts[name] = sheet.replace(b"</c>", b"</d>", 1) if damage == "marks of the sheet" else sheet[:-300]
        with zipfile.ZipFile(source, "w") as archive:
            for entry, part in parts.items():
                archive.writestr(entry, part)
    with pytest.raises(EngineError, match=r"in\.xlsx: cannot be read as Excel; open it there and save it anew"):
        run(source, tmp_path / "out.csv", "x")


@pytest.mark.tool
def test_globs_folders_places_and_lock_files(tmp_path: Path, openpyxl: Any) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    book(folder / "a.xlsx", openpyxl, ("S", [["x", "n"], ["a", 1], ["a", 2]]))
    book(folder / "b.xlsx", openpyxl, ("T", [["x", "n"], ["a", 2.5], [], ["new", 1]]))
    (folder / "~$a.xlsx").write_bytes(b"\x05owner")
    for source in (folder, folder / "*.xlsx"):
        target = tmp_path / f"{len(str(source))}.jsonl"
        run(source, target, "x")
        assert Counter(record["n"] for record in read(target)) == Counter([1.0, 2.0, 2.5, 1.0])
    (tmp_path / "h.csv").write_text("a,*\n")
    for source, place in ((folder, r"row 4 of b\.xlsx"), (folder / "b.xlsx", "row 4")):
        config = simple(source, tmp_path / "o.csv", "x")
        with pytest.raises(ConfigurationError, match=place):
            kanon_sql.run({**config, "quasi_identifiers": {"x": str(tmp_path / "h.csv")}})
    book(folder / "c.xlsx", openpyxl, ("S", [["n", "x"], [1, "a"]]))
    with pytest.raises(EngineError, match=r"c\.xlsx: its columns differ from those of"):
        run(folder, tmp_path / "o.csv", "x")


@pytest.mark.tool
def test_commands_read_excel(tmp_path: Path, openpyxl: Any) -> None:
    rows = [list(row) for row in people(200)]
    source = book(tmp_path / "in.xlsx", openpyxl, ("people", [HEADER, *rows]))
    config = simple(source, tmp_path / "out.csv", "sex", "zip", k=5, suppression={"limit": "5%"})
    kanon_sql.run({**config, "privacy": {"k": 5, "k_map": {"k": 5, "population": str(source)}}})
    assert kanon_sql.check(config, tmp_path / "out.csv")["status"] == "satisfied"
    assert kanon_sql.check(config)["status"] == "violated"
    assert kanon_sql.risk(config)["before"]["rows"]["measured"] == 200
    compiled = kanon_sql.compile(config)
    assert 'FROM "in"' in compiled or "FROM in" in compiled
    assert "sheet_" not in compiled
    with pytest.raises(KanonError):
        kanon_sql.run({**config, "target": "in-place"})


@pytest.mark.tool
def test_a_sheet_of_opendocument(tmp_path: Path, openpyxl: Any) -> None:
    def cell(kind: str, value: str) -> str:
        given = {"string": "", "float": f' office:value="{value}"', "date": f' office:date-value="{value}"'}[kind]
        return f'<table:table-cell office:value-type="{kind}"{given}><text:p>{value}</text:p></table:table-cell>'

    names = {name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text")}
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in names.items())
    rows = [[("string", name) for name in ("x", "n", "d")], [("string", "a"), ("float", "5"), ("date", "2020-01-05")]]
    body = "".join(f"<table:table-row>{''.join(cell(*content) for content in row)}</table:table-row>" for row in rows)
    with zipfile.ZipFile(tmp_path / "in.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f'<office:document-content {spaces}><office:body><office:spreadsheet><table:table table:name="S">{body}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
        entries = (
            f'<manifest:manifest xmlns:manifest="{names["table"].replace("table", "manifest")}"></manifest:manifest>'
        )
        archive.writestr("META-INF/manifest.xml", entries)
    (tmp_path / "data").write_bytes((tmp_path / "in.ods").read_bytes())
    for name in ("in.ods", "data"):
        run(tmp_path / name, tmp_path / f"{name}.jsonl", "x")
        assert read(tmp_path / f"{name}.jsonl") == [{"x": "a", "n": 5, "d": "2020-01-05"}]


@pytest.mark.few(2)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "json", "xlsx"])
def test_columns_are_read_alike_in_every_format(tmp_path: Path, openpyxl: Any, suffix: str) -> None:
    """Of a sheet nothing was done with what the configuration says of texts."""
    rows = [["x", "d"], *[[" M", "-"]] * 2, *[["w ", "31.12.2001"]] * 2, *[["?", "none"]] * 2]
    source = tmp_path / f"in.{suffix}"
    if suffix == "xlsx":
        book(source, openpyxl, ("S", rows))
    else:
        values = ", ".join(f"('{text}', '{d}')" for text, d in rows[1:])
        with attached() as connection:
            connection.sql(f"COPY (SELECT * FROM (VALUES {values}) AS t(x, d)) TO '{source}'")
    described = {
        "path": str(source),
        "columns": {
            "x": {"trim": True, "case": "lower", "recode": {"m": "male"}, "missing": ["?"]},
            "d": {"type": "date", "format": "%d.%m.%Y", "missing": ["-"], "invalid": "missing"},
        },
    }
    run(described, tmp_path / "out.csv", "x")
    out = (tmp_path / "out.csv").read_text(encoding="utf-8").split()
    assert sorted(out) == sorted(["x,d", *["male,"] * 2, *["w,31.12.2001"] * 2, *[","] * 2])
