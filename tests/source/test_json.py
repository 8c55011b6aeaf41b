"""JSON as source and target: every value comes out as it came in, read by Python's own reader."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached, shared
from tables import simple

import kanon_sql
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError
from kanon_sql.source.formats.json import WRITES_PARTITIONS, JsonWriter
from kanon_sql.source.model import Column

Record = dict[str, Any]

WHOLE = st.integers(-(2**127), 2**127 - 1) | st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)
DECIMAL = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=8) | st.sampled_from(
    ["", "null", "02139", "2020-01-05", "1e3", "true", "*", "\x00", "é😀", '"']
)
NESTED: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | DECIMAL | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
ONE_OF_THEM = NESTED.filter(lambda value: isinstance(value, (list, dict)))
COLUMNS = (st.booleans(), WHOLE, DECIMAL, st.integers(-(2**53), 2**53) | DECIMAL, TEXT, ONE_OF_THEM, st.none())
NAMES = ["b", "a b", 'q"uote', "it's", "é", "filename", "{", "c0", "select"]


@st.composite
def tables(draw: st.DrawFn) -> list[Record]:
    """Records of which some lack keys; each has a number of its own."""
    kinds = {name: draw(st.sampled_from(COLUMNS)) for name in draw(st.lists(st.sampled_from(NAMES), unique=True))}
    records = []
    for number in range(draw(st.integers(1, 6))):
        record: Record = {"qi": "x", "number": number}
        for name, kind in kinds.items():
            choice = draw(st.integers(0, 4))
            if choice:
                record[name] = None if choice == 1 else draw(kind)
        records.append(record)
    return records


def written(path: Path, records: list[Record], layout: str = "lines") -> Path:
    """A file as Python writes it."""
    texts = [json.dumps(record, ensure_ascii=len(records) % 2 == 0) for record in records]
    text = {
        "lines": "\n".join(texts) + "\n",
        "array": "[" + ",\n ".join(texts) + "]",
        "indented": json.dumps(records, indent=2),
        "concatenated": "".join(json.dumps(record, indent=1) for record in records),
        "blank lines": "\r\n\r\n".join(texts),
        "mark": "\ufeff" + "\n".join(texts),
    }[layout]
    raw = text.encode()
    if path.suffix == ".zst":
        plain = path.with_suffix("")
        plain.write_bytes(raw)
        with shared() as connection:
            options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x02', COMPRESSION zstd"
            reader = f"read_csv('{plain}', header=false, quote='', escape='', delim='\x02', columns={{'l': 'VARCHAR'}})"
            connection.execute(f"COPY (FROM {reader}) TO '{path}' ({options})")
        plain.unlink()
    else:
        path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def read(path: Path) -> list[Record]:
    """What stands in a file: an array, or an object a line."""
    if path.suffix == ".zst":
        with shared() as connection:
            rows = connection.execute("SELECT json FROM read_json_objects(?)", [str(path)]).fetchall()
        return [json.loads(row[0]) for row in rows]
    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode("utf-8")
    if text.startswith("["):
        records: list[Record] = json.loads(text)
        return records
    return [json.loads(line) for line in text.split("\n") if line]


def same(value: Any) -> Any:
    """A value as something to compare: 1 and 1.0 are one number in JSON."""
    if isinstance(value, list):
        return ["list", *map(same, value)]
    if isinstance(value, dict):
        return ["object", *([name, same(member)] for name, member in value.items())]
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    return value


def rows(records: list[Record]) -> Counter[str]:
    """Records to compare, in any order: a key that is not there is null."""
    names = sorted({name for record in records for name in record})
    return Counter(json.dumps([[name, same(record.get(name))] for name in names]) for record in records)


def run(source: Any, target: Any, *columns: str, **more: Any) -> Any:
    return kanon_sql.run(simple(source, target, *columns, k=more.pop("k", 1), **more))


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(tables(), st.sampled_from([".jsonl", ".ndjson.gz", ".json"]), st.sampled_from([".jsonl", ".json", ".ndjson.gz"]))
def test_what_comes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, table: Any, suffix: str, to: str) -> None:
    folder = tmp_path_factory.mktemp("json")
    layout = "array" if suffix == ".json" and len(table) % 2 else "lines"
    source = written(folder / f"in{suffix}", table, layout)
    result = run(source, folder / f"out{to}", "qi")
    assert rows(read(folder / f"out{to}")) == rows(table)
    assert result.report["verification"]["compared"] == "rows"


LAYOUTS = ["lines", "array", "indented", "concatenated", "blank lines", "mark"]
PEOPLE = [{"sex": "fm"[i % 2], "age": i % 5, "zip": f"0213{i % 3}", "note": f"n{i}\u2028"} for i in range(40)]


@pytest.mark.few(4)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".json.gz", ".ndjson.zst", ""])
def test_every_layout_is_read(tmp_path: Path, layout: str, suffix: str) -> None:
    source = written(tmp_path / f"in{suffix}", PEOPLE, layout)
    run(source, tmp_path / "out.jsonl", "sex", k=20)
    assert rows(read(tmp_path / "out.jsonl")) == rows(PEOPLE)


@pytest.mark.few(1)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".json.gz", ".jsonl.zst"])
def test_in_place_a_file_keeps_its_layout(tmp_path: Path, layout: str, suffix: str) -> None:
    source = written(tmp_path / f"in{suffix}", PEOPLE, layout)
    run(source, "in-place", "sex", "zip", k=20, suppression={"limit": 0})
    assert rows(read(source)) == rows([{**person, "zip": "*"} for person in PEOPLE])
    if suffix in (".jsonl", ".json"):
        assert source.read_text("utf-8").startswith("[" if layout in ("array", "indented") else "{")


def test_in_place_a_run_that_fails_leaves_the_file(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", PEOPLE)
    before = source.read_bytes()
    with pytest.raises(KanonError):
        run(source, "in-place", "sex", k=30, quasi_identifiers={"sex": {"builtin": "suppress", "max_level": 0}})
    assert source.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.few(2)
@pytest.mark.parametrize("target", ["out.jsonl", "out.json", "out.parquet", "out.csv", "in-place"])
def test_folders_globs_and_partitions(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "in"
    for year in (2023, 2024):
        (folder / f"year={year}").mkdir(parents=True)
        written(folder / f"year={year}" / "a.jsonl", PEOPLE)
    to = target if target == "in-place" else tmp_path / target
    if target == "in-place" and not WRITES_PARTITIONS:
        with pytest.raises(EngineError, match="install a newer one"):
            run(folder, to, "sex", "year", k=40, suppression={"limit": 0})
        return
    run(folder, to, "sex", "year", k=40, suppression={"limit": 0})
    meant = rows([{**person, "year": "*"} for person in PEOPLE + PEOPLE])
    if target == "in-place":
        paths = list(folder.rglob("*.jsonl"))
        assert [path.parent.name for path in paths] == ["year=%2A"]
        assert rows([{**record, "year": "*"} for record in read(paths[0])]) == meant
    elif target.startswith("out.json"):
        assert rows(read(tmp_path / target)) == meant
    else:
        with shared() as connection:
            released = connection.execute(
                f"SELECT sex, CAST(age AS INTEGER), zip, note, year FROM '{tmp_path / target}'"
            )
            names = [*PEOPLE[0], "year"]
            assert rows([dict(zip(names, row, strict=True)) for row in released.fetchall()]) == meant


@pytest.mark.slow
def test_a_folder_without_partitions_and_a_glob_of_several_layouts(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number, layout in enumerate(LAYOUTS):
        written(folder / f"{number}.jsonl", [{**person, f"k{number}": number} for person in PEOPLE], layout)
    run(folder / "*.jsonl", tmp_path / "out.jsonl", "sex", k=20)
    meant = [{**person, f"k{number}": number} for person in PEOPLE for number in range(len(LAYOUTS))]
    assert rows(read(tmp_path / "out.jsonl")) == rows(meant)
    assert list(read(tmp_path / "out.jsonl")[0]) == [*PEOPLE[0], *(f"k{number}" for number in range(len(LAYOUTS)))]
    run(folder, "in-place", "sex", k=20)
    assert [path.name for path in folder.iterdir()] == ["part-0.jsonl"]
    assert rows(read(folder / "part-0.jsonl")) == rows(meant)


def test_json_beside_other_data_is_a_note(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    written(folder / "b.json", PEOPLE, "array")
    run(folder, tmp_path / "out.jsonl", "sex")
    (folder / "a.csv").write_text("sex\nf\nf\n")
    run(folder, tmp_path / "out.csv", "sex")
    assert (tmp_path / "out.csv").read_text() == "sex\nf\nf\n"


def test_the_order_of_columns_is_that_of_the_first_record(tmp_path: Path) -> None:
    records = [{"b": 1, "q": "x"}, *[{"z": 1, "y": 2, "q": "x", "b": 2}] * 2, {"a": 1, "q": "x", "y": 2}]
    run(written(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl", "q")
    assert list(read(tmp_path / "out.jsonl")[0]) == ["b", "q", "y", "z", "a"]


def test_values_of_several_kinds_are_texts_and_said(tmp_path: Path) -> None:
    values: dict[str, list[Any]] = {
        "mixed": [1, "x", True, 2.5],
        "wide": [2**53 + 1, 0.5, 1, 2],
        "beyond": [2**200, 1, 2, 3],
    }
    records = [{"q": "x", **{name: some[i] for name, some in values.items()}} for i in range(4)]
    result = run(written(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl", "q", accept=["beyond"])
    texts = {"mixed": ["1", "x", "true", "2.5"], "wide": [str(2**53 + 1), "0.5", "1", "2"]}
    texts["beyond"] = [str(2**200), "1", "2", "3"]
    meant = [{"q": "x", **{name: some[i] for name, some in texts.items()}} for i in range(4)]
    assert rows(read(tmp_path / "out.jsonl")) == rows(meant)
    warned = [warning for warning in result.report["warnings"] if "it is read as texts" in warning]
    assert [warning.split("'")[1] for warning in warned] == list(values)


def test_numbers_that_are_none(tmp_path: Path) -> None:
    records = [{"q": "x", "v": value} for value in (math.nan, math.inf, -math.inf, 1.5)]
    run(written(tmp_path / "in.jsonl", records), tmp_path / "out.jsonl", "q")
    assert Counter(str(record["v"]) for record in read(tmp_path / "out.jsonl")) == Counter(
        ["nan", "inf", "-inf", "1.5"]
    )


def test_an_empty_text_is_not_null(tmp_path: Path) -> None:
    records = [{"q": value, "n": number} for number, value in enumerate(["", "", None, None])]
    source = written(tmp_path / "in.jsonl", records)
    run(source, tmp_path / "out.jsonl", "q", k=2)
    assert rows(read(tmp_path / "out.jsonl")) == rows(records)
    with pytest.raises(NoReleaseError, match="no row left without missing values"):
        run({"path": str(source), "missing": [""]}, tmp_path / "other.jsonl", "q", k=2, missing="drop")


TYPES = {
    "d": "DATE '2020-01-05'",
    "t": "TIMESTAMP '2020-01-05 10:00:00.123456'",
    "z": "TIMESTAMPTZ '2020-01-05 10:00:00+00'",
    "f": "CAST(0.1 AS FLOAT)",
    "e": "CAST(12.50 AS DECIMAL(15, 2))",
    "h": "CAST(170141183460469231731687303715884105727 AS HUGEINT)",
    "s": "{'a': [1, NULL], 'b': DATE '2020-01-05'}",
    "m": "MAP {'x': 1.5::DOUBLE}",
    "l": "['a', NULL]",
    "b": "'\\xFF\\x00a'::BLOB",
    "u": "UUID '6f9619ff-8b86-d011-b42d-00c04fc964ff'",
    "i": "INTERVAL 1 DAY",
    "n": "CAST('nan' AS DOUBLE)",
    "enum": "'x'::ENUM ('x', 'y')",
}


def test_types_of_tables_become_json(tmp_path: Path) -> None:
    with attached(tmp_path / "db") as connection:
        values = ", ".join(f"{value} AS {name}" for name, value in TYPES.items())
        connection.execute(f"CREATE TABLE t AS SELECT 'x' AS q, {values} FROM range(3)")
    result = run({"database": str(tmp_path / "db"), "table": "t"}, tmp_path / "out.jsonl", "q", "d", k=3)
    assert result.report["verification"] == {"compared": "rows", "columns": len(TYPES) + 1}
    record = read(tmp_path / "out.jsonl")[0]
    assert str(record.pop("n")) == "nan"
    assert record == {
        "q": "x",
        "d": "2020-01-05",
        "t": "2020-01-05 10:00:00.123456",
        "z": record["z"],
        "f": 0.1,
        "e": 12.5,
        "h": 2**127 - 1,
        "s": {"a": [1, None], "b": "2020-01-05"},
        "m": {"x": 1.5},
        "l": ["a", None],
        "b": "\\xFF\\x00a",
        "u": "6f9619ff-8b86-d011-b42d-00c04fc964ff",
        "i": "1 day",
        "enum": "x",
    }


def test_decimals_that_a_double_does_not_hold_are_refused(tmp_path: Path) -> None:
    with attached(tmp_path / "db") as connection:
        connection.execute("CREATE TABLE t AS SELECT 'x' AS q, CAST(0.1 AS DECIMAL(38, 20)) AS d FROM range(3)")
    with pytest.raises(ConfigurationError, match=r"column 'd' of type DECIMAL\(38,20\) unchanged; cast it"):
        run({"database": str(tmp_path / "db"), "table": "t"}, tmp_path / "out.jsonl", "q")


@pytest.mark.parametrize(
    ("kind", "fits"), [("DECIMAL(15,2)", True), ("DECIMAL(16,2)", False), ("DECIMAL(16,0)[]", False)]
)
def test_a_double_holds_fifteen_digits(kind: str, fits: bool) -> None:
    writer = JsonWriter("json", TargetConfig(path="out.json"), Path("out.json"))
    with nullcontext() if fits else pytest.raises(ConfigurationError, match="column 'd' of type"):
        writer.refuse([Column("d", "d", kind)], "target")


def test_a_nested_column_is_no_quasi_identifier(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [{"q": "x", "deep": {"a": 1}}] * 3)
    with pytest.raises(ConfigurationError, match="column 'deep' is of type JSON; expected a text"):
        run(source, tmp_path / "out.jsonl", "deep")


def lines(count: int, at: int, bad: str) -> str:
    return "".join((bad if number == at else f'{{"q":"x","n":{number}}}') + "\n" for number in range(1, count + 1))


FAULTS: dict[str, tuple[str, str | Callable[[], str], str]] = {
    "a bad line": (".jsonl", lines(20, 17, '{"q": "secret'), r"in\.jsonl: line 17 cannot be read as JSON"),
    "after blank ones": (".jsonl", "\n\n" + lines(3, 2, '{"q": secret}'), "line 4 cannot be read as JSON"),
    "far away": (".jsonl", lambda: lines(300_000, 299_000, '{"q": secret}'), "line 299000 cannot be read as JSON"),
    "compressed": (".jsonl.gz", lines(20, 3, '{"q": "secret'), "line 3 cannot be read as JSON"),
    "Zstandard": (".jsonl.zst", lines(20, 3, '{"q": "secret'), "line 3 cannot be read as JSON"),
    "in an array": (".json", '[{"q":1},\n{"q":2},\n{"q":secret}]', "line 3 cannot be read as JSON"),
    "array without end": (".json", '[{"q":1},\n{"q":2}\n', "cannot be read as JSON"),
    "array cut behind a comma": (".json", '[{"q":1},\n{"q":1},\n', "its array has no end; it was cut off"),
    "packed array cut behind a comma": (".json.gz", '[{"q":1},\n{"q":1},', "its array has no end; it was cut off"),
    "array cut before it was packed": (".json.zst", '[{"q":1},\n{"q":1},\n \n', "its array has no end; it was cut off"),
    "not UTF-8": (".jsonl", '{"q":"x"}\n{"q":"secret\udcff"}\n', "cannot be read as JSON"),
    "half of a pair": (".jsonl", '{"q":"x"}\n{"q":"secret\\ud800"}\n', "line 2 cannot be read as JSON"),
    "no object": (".jsonl", '{"q":"x"}\n"secret"\n[1]\nnull\n', "3 records are no objects; expected an object"),
    "many no objects": (".jsonl", '{"q":"x"}\n' + "1\n" * 1001, "1,001 records are no objects"),
    "no object in an array": (".json", '[{"q":"x"}, ["secret"]]', "1 records are no objects"),
    "a key twice": (".jsonl", '{"q":"x","secret":1,"secret":2}', "has the same key twice"),
    "keys alike": (".jsonl", '{"q":"x"}\n{"Q":"x"}', "the keys 'q', 'Q' are the same but for case"),
    "a key without name": (".jsonl", '{"q":"x","":1}', "a key of its records is empty"),
    "empty": (".jsonl", "", "the file is empty; expected records"),
    "an array behind a mark": (".json", '\ufeff[{"q":"x"}]', "an array behind a byte order mark"),
    "blanks": (".json", " \n\n", "the file is empty; expected records"),
    "empty array": (".json", "[]", "it holds no record"),
    "empty objects": (".jsonl", "{}\n{}\n", "its records are empty"),
    "UTF-16": (".json", '{"q":"x"}'.encode("utf-16").decode("utf-8", "surrogateescape"), "is UTF-16"),
    "Parquet": (".json", "PAR1", r"is Parquet, no JSON; call it \.parquet"),
    "a long record": (".jsonl", '{"q":"' + "x" * 40_000_000 + '"}', "a record is longer than 16 MB"),
    "CSV": (".json", "q,n\nsecret,1\n", "line 1 cannot be read as JSON"),
}


@pytest.mark.few(14)
@pytest.mark.parametrize("case", FAULTS)
def test_what_cannot_be_read_is_said_without_values(tmp_path: Path, case: str) -> None:
    suffix, text, problem = FAULTS[case]
    raw = (text if isinstance(text, str) else text()).encode("utf-8", "surrogateescape")
    if suffix.endswith(".zst"):
        written(tmp_path / f"in{suffix}", [])
        with shared() as connection:
            (tmp_path / "plain").write_bytes(raw)
            reader = f"read_csv('{tmp_path}/plain', header=false, quote='', delim='\x02', columns={{'l': 'VARCHAR'}})"
            options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x02', COMPRESSION zstd"
            connection.execute(f"COPY (FROM {reader}) TO '{tmp_path}/in{suffix}' ({options})")
    else:
        (tmp_path / f"in{suffix}").write_bytes(gzip.compress(raw) if suffix.endswith(".gz") else raw)
    with pytest.raises(EngineError, match=problem) as caught:
        run(tmp_path / f"in{suffix}", tmp_path / "out.jsonl", "q")
    assert "secret" not in str(caught.value)


def test_the_place_of_a_value_that_a_hierarchy_lacks(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a,*\nb,*\n")
    records = [{"q": value} for value in random.Random(1).choices("ab", k=50)]
    written(tmp_path / "a.jsonl", records)
    written(tmp_path / "b.jsonl", [*records[:30], {"q": "new"}])
    for source, place in (("b.jsonl", "record 31"), ("*.jsonl", r"record 31 of b\.jsonl")):
        config = simple(tmp_path / source, tmp_path / "out.jsonl", "q")
        with pytest.raises(ConfigurationError, match=place):
            kanon_sql.run({**config, "quasi_identifiers": {"q": str(tmp_path / "h.csv")}})


@pytest.mark.slow
def test_commands_read_json(tmp_path: Path) -> None:
    source = written(tmp_path / "in.json", PEOPLE, "array")
    config = simple(source, tmp_path / "out.jsonl", "sex", "zip", k=5, suppression={"limit": "50%"})
    kanon_sql.run(config)
    assert kanon_sql.check(config, tmp_path / "out.jsonl")["status"] == "satisfied"
    risk = kanon_sql.risk(config)
    assert risk["before"]["rows"]["measured"] == 40
    assert risk["after"]["rows"]["measured"] == len(read(tmp_path / "out.jsonl"))
    models = {"k_map": {"k": 5, "population": str(source)}}
    kanon_sql.run({**config, "target": str(tmp_path / "mapped.json"), "privacy": models})
    assert kanon_sql.lattice(config)["nodes"]


def test_so_many_keys_that_memory_would_not_do_are_refused(tmp_path: Path) -> None:
    (tmp_path / "wide.json").write_text(json.dumps([{f"k{number}": 1 for number in range(2_001)}]), encoding="utf-8")
    config = {
        "source": str(tmp_path / "wide.json"),
        "quasi_identifiers": {"k1": {"builtin": "suppress"}},
        "unlisted": "drop",
        "privacy": {"k": 1},
    }
    with pytest.raises(EngineError, match="2,001 different keys; expected 2,000 at most"):
        kanon_sql.run(config)
