"""Tables that Python holds are released as the same table in a file is, and come back as frames."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

pytestmark = pytest.mark.tool

ROWS: dict[str, list[Any]] = {
    "age": [20, 21, 22, 23, 30, 31, 32, None] * 3,
    "sex": ["m", "f"] * 12,
    "illness": ["flu", "cold", None, "gout"] * 6,
}
CONFIG: dict[str, Any] = {
    "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [5, 10]}, "sex": {"builtin": "suppress"}},
    "sensitive": ["illness"],
    "privacy": {"k": 3},
}


class Once:
    """A stream that can be read once."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        frame, self.frame = self.frame, None
        return frame.__arrow_c_stream__(requested_schema)


def frames(folder: Path) -> dict[str, Any]:
    """The same rows as everything that is taken."""
    frame = polars.DataFrame(ROWS)
    frame.write_parquet(folder / "rows.parquet")
    dataset = pytest.importorskip("pyarrow.dataset").dataset(folder / "rows.parquet")
    connection = duckdb.connect()
    connection.register("rows", frame.to_arrow())
    return {
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": pandas.DataFrame(ROWS),
        "pandas, nullable": pandas.DataFrame(ROWS).convert_dtypes(),
        "table": frame.to_arrow(),
        "batch": frame.to_arrow().combine_chunks().to_batches()[0],
        "reader": frame.to_arrow().to_reader(),
        "dataset": dataset,
        "stream": Once(frame),
        "relation": connection.sql("FROM rows"),
        "path": folder / "rows.parquet",
        "text": str(folder / "rows.parquet"),
    }


def rows_of(result: kanon_sql.RunResult) -> Counter[tuple[Any, ...]]:
    return Counter(result.relation.fetchall())


KINDS = ("polars", "lazy", "pandas", "pandas, nullable", "table", "batch", "reader", "dataset", "stream", "relation")


@pytest.mark.parametrize("name", [*KINDS, "path", "text"])
def test_every_kind_of_table_gives_the_release_of_its_file(tmp_path: Path, name: str) -> None:
    given = frames(tmp_path)
    if name.startswith("pandas"):  # floating point numbers, for a missing one
        given[name]["age"] = given[name]["age"].astype("Int64")
    expected = kanon_sql.run({**CONFIG, "source": str(tmp_path / "rows.parquet")})
    result = kanon_sql.run(CONFIG, data=given[name])
    assert result.levels == expected.levels
    assert rows_of(result) == rows_of(expected)
    assert sum(rows_of(result).values()) == result.released > 0
    assert result.target == "memory"


def test_the_release_comes_back_in_every_form() -> None:
    result = kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS))
    rows = rows_of(result)
    assert Counter(result.pl().rows()) == rows
    assert Counter(zip(*result.arrow().to_pydict().values(), strict=True)) == rows
    frame = result.df()
    assert list(frame.columns) == list(ROWS)
    assert rows == Counter(
        tuple(None if pandas.isna(value) else value for value in row) for row in frame.values.tolist()
    )


def test_a_stream_that_fails_is_told_without_values() -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"age": [1] * 5})
        raise ValueError("secret")

    stream = pyarrow.RecordBatchReader.from_batches(pyarrow.schema([("age", pyarrow.int64())]), batches())
    with pytest.raises(EngineError, match="the stream ended with an error") as caught:
        kanon_sql.init(stream)
    assert "secret" not in str(caught.value) and caught.value.__cause__ is caught.value.__context__ is None


def test_objects_in_polars_are_refused() -> None:
    objects = polars.Series([object()] * len(ROWS["age"]), dtype=polars.Object)
    with pytest.raises(ConfigurationError, match="'what' holds objects of Python"):
        kanon_sql.run({**CONFIG, "unlisted": "insensitive"}, data=polars.DataFrame({**ROWS, "what": objects}))


def test_a_column_of_polars_without_values_is_one_without_values() -> None:
    result = kanon_sql.run({**CONFIG, "unlisted": "insensitive"}, data=polars.DataFrame(ROWS).with_columns(note=None))
    assert result.pl()["note"].to_list() == [None] * result.released > []


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_target_is_written_and_read(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    result = kanon_sql.run({**CONFIG, "target": str(target)}, data=polars.DataFrame(ROWS))
    in_memory = kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS))
    assert target.is_file()
    assert Counter(result.pl().rows()) == rows_of(result)
    texts = Counter(tuple(None if cell is None else str(cell) for cell in row) for row in in_memory.relation.fetchall())
    assert rows_of(result) == (texts if suffix == "csv" else rows_of(in_memory))  # CSV holds texts


def test_a_table_in_a_database_is_written_and_read(tmp_path: Path) -> None:
    target = {"database": str(tmp_path / "out.duckdb"), "table": "released"}
    result = kanon_sql.run({**CONFIG, "target": target}, data=polars.DataFrame(ROWS))
    assert rows_of(result) == rows_of(kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS)))


def test_a_relation_outlives_its_result() -> None:
    relation = kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS)).relation
    derived = relation.aggregate("count(*)")
    del relation
    gc.collect()
    assert derived.fetchall()[0][0] > 0


def test_a_closed_result_says_so() -> None:
    with kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS)) as result:
        assert result.df().shape[0] == result.released
    with pytest.raises(ConfigurationError, match="closed"):
        result.df()


def test_a_connection_holds_the_release_until_the_result_is_closed() -> None:
    connection = duckdb.connect()
    result = kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS), connection=connection)
    assert result.pl().height == result.released
    result.close()
    assert connection.execute("SELECT * FROM duckdb_tables()").fetchall() == []
    assert connection.execute("SELECT * FROM duckdb_views() WHERE NOT internal").fetchall() == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([1], "data is of type list; expected a DataFrame of polars or pandas"),
        ({"age": [1]}, "data is of type dict; expected"),
        (lambda: pandas.Series([1]), "a pandas Series; expected a DataFrame"),
        (lambda: pandas.DataFrame({1: [1]}), "the name of column 1 is of type int"),
        (lambda: pandas.DataFrame([[1, 2]], columns=["a", "a"]), "2 columns are called 'a'"),
        (lambda: pyarrow.table([[1], [2]], names=["a", "a"]), "2 columns are called 'a'"),
        (lambda: pandas.DataFrame({"a": [1, "x"]}), "column 'a' holds texts and whole numbers"),
        (lambda: pandas.DataFrame({"a": [{1}, None]}), "column 'a' holds objects of type set"),
        (lambda: pandas.DataFrame({"a": pandas.period_range("2020", periods=2, freq="M")}), "'a' is of type period"),
    ],
)
def test_what_is_no_table_is_refused(data: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.run(CONFIG, data=data() if callable(data) else data)


def configured(folder: Path, name: str) -> dict[str, Any]:
    polars.DataFrame(ROWS).write_parquet(folder / name)
    return {**CONFIG, "source": str(folder / name)}


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    """A report without seconds, and without what the table is called."""
    rest = {
        key: value
        for key, value in report.items()
        if key not in ("seconds", "created", "table", "configuration", "name")
    }
    for key, value in rest.items():
        if isinstance(value, dict):
            rest[key] = without_times(value)
        elif isinstance(value, list):
            rest[key] = [without_times(part) if isinstance(part, dict) else part for part in value]
    return rest


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("job", ["check", "lattice", "risk", "sweep"])
def test_what_is_measured_takes_frames_too(tmp_path: Path, job: str, own: bool) -> None:
    measure = getattr(kanon_sql, job)
    expected = measure(configured(tmp_path, "rows.parquet"))
    connection = None if own else duckdb.connect()
    measured = measure(CONFIG, data=Once(polars.DataFrame(ROWS)), connection=connection)
    assert without_times(measured) == without_times(expected)
    if connection is not None:
        assert connection.execute("SELECT * FROM duckdb_tables()").fetchall() == []


def test_a_table_of_a_connection_is_measured() -> None:
    connection = duckdb.connect()
    connection.register("people", polars.DataFrame(ROWS).to_arrow())
    checked = kanon_sql.check(CONFIG, "people", connection=connection)
    assert checked["rows"]["source"] == len(ROWS["age"])
    reference = kanon_sql.check(CONFIG, "people", connection=connection, reference=polars.DataFrame(ROWS))
    assert reference["classes"] == checked["classes"]


def test_a_file_is_checked_by_a_configuration_without_source(tmp_path: Path) -> None:
    expected = kanon_sql.check(configured(tmp_path, "rows.parquet"))
    checked = kanon_sql.check(CONFIG, data=tmp_path / "rows.parquet")
    assert checked["classes"] == expected["classes"]


def test_a_frame_stands_for_a_sheet() -> None:
    config: dict[str, Any] = {"quasi_identifiers": {"a": {"builtin": "suppress"}}, "privacy": {"k": 2}}
    config["source"] = {"path": "people.xlsx", "sheet": "2024"}
    frame = polars.DataFrame({"a": [1, 1, 1]})
    assert kanon_sql.check(config, frame)["classes"]["min"] == 3


def test_frames_are_linked(tmp_path: Path) -> None:
    result = kanon_sql.run(CONFIG, data=polars.DataFrame(ROWS))
    persons = polars.DataFrame({"age": [20, 33], "sex": ["m", "f"]})
    result.pl().write_parquet(tmp_path / "release.parquet")
    persons.write_parquet(tmp_path / "persons.parquet")
    expected = kanon_sql.link(tmp_path / "release.parquet", tmp_path / "persons.parquet", ["age", "sex"])
    linked = kanon_sql.link(result.pl(), persons, ["age", "sex"])
    named = {key: linked[key] for key in ("release", "external") if key in linked}
    assert without_times(linked) == without_times(expected) | named


def test_a_statement_of_a_frame_names_its_table() -> None:
    frame = polars.DataFrame(ROWS)
    with pytest.raises(ConfigurationError, match="source_table="):
        kanon_sql.compile(CONFIG, data=frame)
    sql = kanon_sql.compile(CONFIG, data=frame, source_table="people")
    connection = duckdb.connect()
    connection.register("people", frame.to_arrow())
    assert Counter(connection.execute(sql).fetchall()) == rows_of(kanon_sql.run(CONFIG, data=frame))


def test_columns_are_read_as_the_configuration_says() -> None:
    frame = polars.DataFrame({**ROWS, "sex": [" M", "m ", "F", "f"] * 6})
    columns = {"sex": {"trim": True, "case": "lower"}}
    result = kanon_sql.run({**CONFIG, "source": {"path": "unused.csv", "columns": columns}}, data=frame)
    assert {row[1] for row in result.relation.fetchall()} == {"m", "f"}
