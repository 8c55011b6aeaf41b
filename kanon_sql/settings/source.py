"""The configuration of a source: where rows are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema, field_validator

from kanon_sql.settings.algorithms import either
from kanon_sql.settings.columns import ENCODINGS, ColumnConfig, encoding_named
from kanon_sql.settings.part import ColumnName, DataText, Name, Part
from kanon_sql.settings.rules import ExactlyOne, Excludes, Faults, GoesWith, Odd
from kanon_sql.settings.rules import Part as Given


class CsvOptions(Part):
    """How a CSV file is written; what is left out is found out from the file."""

    delimiter: str | None = Field(None, min_length=1, max_length=4, description="between two fields")
    header: bool | None = Field(None, description="whether the first line names the columns")
    quote: str | None = Field(None, max_length=1, description="around fields that hold delimiters")
    escape: str | None = Field(None, max_length=1, description="before a quote inside a quoted field")
    encoding: Name | None = Field(None, description="as source.encoding, or another one that Spark knows")
    formulas: Literal["keep", "escape"] = Field(
        "keep", description="escape: texts that a spreadsheet takes for formulas have an apostrophe before them"
    )

    @field_validator("delimiter")
    @classmethod
    def _reads_tab(cls, value: str | None) -> str | None:
        # A shell passes --set 'source.csv.delimiter=\\t' on as it is typed; unquoted YAML does too.
        return "\t" if value == "\\t" else value


FOLDER_TABLES = ("iceberg", "delta")  # tables that are folders, with a log that says which of their files count
_PLACE = ExactlyOne(
    ("path", "table", "query", *FOLDER_TABLES),
    none="expected one of path, table, query, iceberg or delta; add one",
    several="expected only one of path, table, query, iceberg and delta, got {key} besides {first}; keep one",
)


def _of_columns(given: Given) -> Faults:
    columns = given.get("columns")
    for name, entry in columns.items() if isinstance(columns, dict) else ():
        faults = ColumnConfig.faults(entry) if isinstance(entry, dict) else ()
        yield from ((("columns", name, *below), text) for below, text in faults)


def _of_one_encoding(given: Given) -> Faults:
    csv = given.get("csv")
    other = csv.get("encoding") if isinstance(csv, dict) else None
    named = [
        encoding_named(encoding) or encoding for encoding in (given.get("encoding"), other) if isinstance(encoding, str)
    ]
    if len(set(named)) > 1:
        yield ("encoding",), "encoding and csv.encoding are not the same; keep one of the two"


def _known(value: str) -> str:
    name = encoding_named(value)
    if name is None:
        raise ValueError(f"expected {either(ENCODINGS)}")
    return name


LAKE = "ducklake:"  # before the catalog of a lake, as DuckDB's ATTACH has it


def file_of_database(database: str | None) -> str | None:
    """The file that `database` names: that of DuckDB's, or that of a lake's catalog."""
    return None if database is None else database.removeprefix(LAKE)


def names_lake(database: str | None) -> bool:
    """Whether `database` names a lake of DuckLake."""
    return database is not None and database.startswith(LAKE)


Encoding = Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": list(ENCODINGS)})]


class SourceConfig(Part):
    """Where the rows are: files, a table of a database, or a query."""

    between = (
        _PLACE,
        Odd(condition={"dependentRequired": {"table": ["database"]}}),  # another engine's tables need none
        GoesWith("csv", "path", "csv goes with path; remove it", of=_PLACE),
        GoesWith("sheet", "path", "sheet goes with path; remove it", of=_PLACE),
        GoesWith("encoding", "path", "encoding goes with path; remove it", of=_PLACE),
        Excludes("path", ("database", "allow"), "{key} does not go with path; remove it, or read by query", of=_PLACE),
        *(
            Excludes(key, others, f"{{key}} does not go with {key}; remove it", of=_PLACE, apart=True)
            for key, others in (("iceberg", ("database",)), ("delta", ("database", "allow")))
        ),
        Odd(_of_columns),
        Odd(_of_one_encoding),
    )

    path: Name | None = Field(None, description="a file (CSV, Parquet, JSON, Excel), a glob or a folder")
    csv: CsvOptions = Field(CsvOptions(), description="how the CSV file is written")
    encoding: Encoding | None = Field(None, description="of a CSV file, where it is not told by the file")
    sheet: Name | None = Field(None, description="the sheet of an Excel file; default: the only one that has cells")
    missing: list[DataText] | None = Field(None, description='texts read as NULL; default [""] for CSV')
    columns: dict[ColumnName, ColumnConfig] = Field({}, description="how columns are read, before anything else")
    database: Name | None = Field(
        None,
        description="a database file of DuckDB or SQLite, or ducklake: and the catalog of a lake, with table or query",
    )
    table: Name | None = Field(None, description="a table of the database or the engine, schema.table")
    query: Name | None = Field(None, description="one SELECT whose result is the source")
    iceberg: Name | None = Field(None, description="the folder of a table of Iceberg, or its metadata.json")
    delta: Name | None = Field(None, description="the folder of a table of Delta")
    allow: list[Name] = Field(
        [], description="files and folders that a query, a view or a table of Iceberg may read besides"
    )

    @property
    def database_file(self) -> str | None:
        """The file of the database, or of the lake's catalog."""
        return file_of_database(self.database)

    @property
    def folder_table(self) -> tuple[str, str] | None:
        """(iceberg or delta, the path that it names); None for other sources."""
        named = ((kind, getattr(self, kind)) for kind in FOLDER_TABLES)
        return next(((kind, path) for kind, path in named if path is not None), None)

    @property
    def csv_options(self) -> CsvOptions:
        """How the CSV file is written, with its encoding, wherever that stands."""
        return self.csv if self.encoding is None else self.csv.model_copy(update={"encoding": self.encoding})
