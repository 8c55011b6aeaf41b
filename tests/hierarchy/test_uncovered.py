"""Values that a hierarchy does not cover: what is said of them, without one of them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
import yaml
from shared_engine import attached, shared
from tables import simple

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import EngineOptions

Json = dict[str, Any]


@pytest.mark.few(5)
@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["berlin", "BONN"], "2 .* are not covered (all: values of the hierarchy but for upper and lower case)"),
        ([" Berlin"], "1 .* is not covered (values of the hierarchy but for spaces around them)"),
        (["007", "05", "x"], "3 .* are not covered (2 of them: numbers with leading zeros)"),
        (["1,5", "-2,75"], "(all: numbers with a decimal comma)"),
        (["1.75", "-2.5"], "(all: numbers with a decimal point)"),
        (["01.02.2020", "1.12.99"], "(all: dates written as dd.mm.yyyy)"),
        (["2020-01-01", "2020-12-31"], "(all: dates written as yyyy-mm-dd)"),
        (["2020-01-01 12:30"], "(dates with a time of day)"),
        (["1/2/2020"], "(dates written with slashes)"),
        (["  "], "(blanks)"),
        ([" new york "], "(texts with spaces around them)"),
        (["-4", "17"], "(all: whole numbers)"),
        (["foo", "bar", "5 km"], "(all: other texts)"),
    ],
)
def test_what_values_look_like_that_are_not_covered(tmp_path: Path, values: list[str], said: str) -> None:
    (tmp_path / "h.csv").write_text("Berlin,*\nBonn,*\n5,*\n1.5,*\n")
    (tmp_path / "in.csv").write_text("x,y\n" + "".join(f'"{value}",1\n' for value in ["Berlin", *values]))
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "x", k=1)
    config["quasi_identifiers"] = {"x": {"hierarchy": str(tmp_path / "h.csv")}}
    pattern = said.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ConfigurationError, match=pattern) as caught:
        kanon_sql.run(config)
    message = str(caught.value).partition("column 'x'")[2]
    assert "; --show-values shows some" in message
    assert not [value for value in values if value.strip() and f" {value.strip()} " in message]
    with pytest.raises(ConfigurationError, match=pattern) as caught:
        kanon_sql.run(config, options=EngineOptions(show_values=True))
    assert repr(values[0]) in str(caught.value)


def test_many_of_them_are_counted_with_separators(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("Berlin,*\n")
    values = ["Berlin", *(f"{number}" for number in range(1200)), *(f"x{number}" for number in range(1034))]
    (tmp_path / "in.csv").write_text("x,y\n" + "".join(f"{value},1\n" for value in values))
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "x", k=1)
    config["quasi_identifiers"] = {"x": {"hierarchy": str(tmp_path / "h.csv")}}
    with pytest.raises(ConfigurationError, match=r"2,234 distinct values .* \(1,200 of them: whole numbers\)"):
        kanon_sql.run(config)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("written", "builtin", "read"),
    [
        (["01.02.1990", "03.04.1980"], {"builtin": "date", "levels": ["year"]}, {"type": "date", "format": "%d.%m.%Y"}),
        (["1,5", "3,25"], {"builtin": "intervals", "widths": [5]}, {"type": "number", "decimal": ","}),
    ],
)
def test_what_is_said_of_texts_that_can_be_read_helps(
    tmp_path: Path, written: list[str], builtin: Json, read: Json
) -> None:
    (tmp_path / "in.csv").write_text("x;y\n" + "".join(f"{value};1\n" for value in written))
    config = simple(tmp_path / "in.csv", tmp_path / "out.csv", "x", k=1)
    config["quasi_identifiers"] = {"x": builtin}
    with pytest.raises(ConfigurationError, match=r"say how the column is written in source\.columns: x: ") as caught:
        kanon_sql.run(config)
    assert yaml.safe_load(str(caught.value).partition("source.columns: x: ")[2].partition("; --show")[0]) == read
    config["source"] = {"path": config["source"], "columns": {"x": read}}
    assert kanon_sql.run(config).status == "released"


def _message(tmp_path: Path, source: Any, column: str = "x", **more: Any) -> str:
    (tmp_path / "h.csv").write_text("Berlin,*\nBonn,*\n")
    config = {**simple(tmp_path / "in.csv", tmp_path / "out.csv", column, k=1), "source": source, "unlisted": "drop"}
    config |= {"quasi_identifiers": {column: {"hierarchy": str(tmp_path / "h.csv")}}, **more}
    with pytest.raises(ConfigurationError, match="not covered") as caught:
        kanon_sql.run(config)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\nBerlin,1\nKöln,2\n", "as in line 3;"),
        ("x,y\nBerlin,1\nKöln,2\nBonn,1\nUlm,3", "one of them in line 3;"),
        ("x,y\r\nBonn,1\r\nBonn,2\r\nUlm,2\r\n", "as in line 4;"),
        ("x\nBonn\n\nUlm\n", "as in line 4;"),
        ('x,y\n"Bonn","a\nb"\nUlm,2\n', "as in record 2;"),
        ('x,"y\nz"\nBonn,1\nUlm,2\n', "as in record 2;"),
        ("x,y\nBonn,1\n\nUlm,2\n", "as in record 2;"),
        ("x,y\nBonn,a\x02b\nUlm,2\n", "as in record 2;"),
        ('x,y\n"Bonn",1\n"U""lm",2\n', "as in line 3;"),
    ],
)
def test_the_line_of_a_value_that_is_not_covered(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "in.csv").write_bytes(text.encode())
    message = _message(tmp_path, str(tmp_path / "in.csv"))
    assert said in message
    assert "Ulm" not in message.replace(str(tmp_path), "")


@pytest.mark.parametrize(("more", "said"), [("1", "as in line 3;"), ('"1\n2"', "as in record 2;")])
def test_lines_of_packed_and_wide_texts(tmp_path: Path, more: str, said: str) -> None:
    text = f"x,y\nBonn,{more}\nUlm,2\n"
    (tmp_path / "in.csv").write_text(text, encoding="utf-16")
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("in.csv", "in.csv.gz"):
        assert said in _message(tmp_path, str(tmp_path / name))


@pytest.mark.slow
def test_the_first_of_many_lines(tmp_path: Path) -> None:
    """Long enough to be read in several parts, by several threads."""
    rows = [f"{'Ulm' if i in (150_001, 150_003, 299_000) else 'Bonn'},{i:0100d}" for i in range(300_000)]
    (tmp_path / "in.csv").write_text("\n".join(["x,y", *rows]))
    assert ", as in line 150003;" in _message(tmp_path, str(tmp_path / "in.csv"))


@pytest.mark.slow
def test_the_file_and_place_of_a_value_that_is_not_covered(tmp_path: Path) -> None:
    for name, cities in [("a", ["Bonn"] * 5), ("b", ["Bonn", "Ulm", "Bonn"]), ("c", ["Ulm"])]:
        (tmp_path / f"{name}.csv").write_text("x,y\n" + "".join(f"{city},1\n" for city in cities))
        with shared() as connection:
            connection.execute(f"COPY (FROM '{tmp_path}/{name}.csv') TO '{tmp_path}/{name}.parquet'")
    with attached(tmp_path / "d.duckdb") as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path}/b.csv'")
    assert ", as in line 3 of b.csv;" in _message(tmp_path, f"{tmp_path}/[abc].csv")
    assert ", as in row 2 of b.parquet;" in _message(tmp_path, f"{tmp_path}/[abc].parquet")
    assert ", as in row 2;" in _message(tmp_path, f"{tmp_path}/b.parquet")
    assert "(other texts); " in _message(tmp_path, {"database": f"{tmp_path}/d.duckdb", "table": "t"})


def test_rows_that_take_no_part_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("x,z\nParis,\nUlm,1\n")
    spec = {"x": {"hierarchy": str(tmp_path / "h.csv")}, "z": {"builtin": "suppress"}}
    message = _message(tmp_path, str(tmp_path / "in.csv"), missing="drop", quasi_identifiers=spec)
    assert "1 distinct value of column 'x' is not covered (other texts), as in line 3;" in message


def test_names_of_partitions_are_values(tmp_path: Path) -> None:
    (tmp_path / "in" / "x=Ulm").mkdir(parents=True)
    (tmp_path / "in" / "x=Ulm" / "a.csv").write_text("y\n1\n")
    message = _message(tmp_path, str(tmp_path / "in"))
    assert "(other texts); expected" in message
    assert "Ulm" not in message


def test_a_column_that_is_called_as_the_engine_calls_files(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("filename,file\nBonn,1\nUlm,2\n")
    with shared() as connection:
        connection.execute(f"COPY (FROM '{tmp_path}/in.csv') TO '{tmp_path}/in.parquet'")
    assert ", as in line 3;" in _message(tmp_path, str(tmp_path / "in.csv"), "filename")
    assert "(other texts); expected" in _message(tmp_path, str(tmp_path / "in.parquet"), "filename")
