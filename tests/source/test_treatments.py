"""`transform`: pseudonyms and shifted dates, against Python's hmac; what is counted, refused and never shown."""

from __future__ import annotations

import csv
import hmac
import json
import random
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from sqlglot import exp

import kanon_sql
from kanon_sql.cli.main import main
from kanon_sql.config.load import load_config
from kanon_sql.errors import ConfigurationError, UnfittingSourceError, VerificationError
from kanon_sql.source.treatments.keys import KeysBound, KeysOutside, keyed_digits
from kanon_sql.sql.dialects import find_dialect

Json = dict[str, Any]
KEY = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
DUCKDB = find_dialect("duckdb")
PLAIN: Json = {
    "identifiers": ["patient"],
    "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [10, 40]}},
    "insensitive": ["admitted", "left"],
    "privacy": {"k": 2},
}


def digest(message: bytes, key: str = KEY) -> str:
    return hmac.new(bytes.fromhex(key), message, "sha256").hexdigest()


def moved_by(entity: str, days: int, *, weeks: bool = False) -> timedelta:
    """By how much dates of an entity move, computed without SQL."""
    most = days // 7 if weeks else days
    number = int(digest(entity.encode(), digest(b"kanon-sql shift"))[:15], 16) % (2 * most + 1) - most
    return timedelta(number * 7 if weeks else number)


def pseudonym(length: int = 24, prefix: str = "", context: str = "") -> Json:
    return {"pseudonym": {"key": "${KEY}", "length": length, "prefix": prefix, "context": context}}


def shift(days: int = 60, **more: Any) -> Json:
    return {"shift": {"days": days, "by": "patient", "key": "${KEY}", **more}}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", KEY)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Stays of 40 patients, some without a patient or without an end."""
    draw = random.Random(1)
    lines = ["patient,age,admitted,left"]
    for i in range(200):
        begun = date(2024, 1, 1) + timedelta(draw.randrange(200))
        end = "" if i % 9 == 0 else f"{begun + timedelta(draw.randrange(9))} 12:30:05"
        lines.append(f"{'' if i % 11 == 0 else f'ä{draw.randrange(40)}'},{20 + i % 30},{begun},{end}")
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def released(source: Path, transform: Json, **more: Any) -> tuple[list[Json], Json]:
    """(rows of the release, the report)."""
    out = source.parent / "out.csv"
    target = {"path": str(out), "overwrite": True}
    config = {**PLAIN, "source": str(source), "target": target, "transform": transform, **more}
    result = kanon_sql.run(config)
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)), result.report


def rows_of(source: Path) -> list[Json]:
    with source.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def in_order(rows: list[Json], *columns: str) -> list[tuple[str, ...]]:
    return sorted(tuple(row[name] for name in columns) for row in rows)


@pytest.mark.few(1)
@pytest.mark.parametrize(("length", "prefix", "context"), [(64, "", ""), (24, "P.[", "study-1"), (8, "'", "ü/2")])
def test_pseudonyms_are_those_of_hmac(source: Path, length: int, prefix: str, context: str) -> None:
    rows, report = released(source, {"patient": pseudonym(length, prefix, context)})
    expected = [
        {**row, "patient": row["patient"] and prefix + digest(f"{context}\0{row['patient']}".encode())[:length]}
        for row in rows_of(source)
    ]
    assert in_order(rows, "patient", "admitted", "left") == in_order(expected, "patient", "admitted", "left")
    said = report["treatments"]["patient"]["pseudonym"]
    assert (said["values"], said["collisions"]) == (len({row["patient"] for row in rows_of(source)} - {""}), 0)
    assert len(said["key"]) == 16
    assert KEY.lower() not in json.dumps(report).lower()
    assert any("privacy.entity" in warning for warning in report["warnings"])


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("cut", "changes"),
    [("month", {}), (None, {"insensitive": ["left"], "quasi_identifiers": {"admitted": {"builtin": "suppress"}}})],
)
def test_dates_that_are_cut_or_generalized_have_no_days_between_them(
    source: Path, cut: str | None, changes: Json
) -> None:
    transform = {"admitted": {**shift(), **({"cut": cut} if cut else {})}, "left": shift()}
    rows, report = released(source, transform, unlisted="drop", **changes)
    assert report["status"] == "released"
    assert {row["admitted"][7:] for row in rows} == ({"-01"} if cut else {""})


@pytest.mark.few(1)
@pytest.mark.parametrize("weeks", [False, True])
def test_dates_of_a_person_move_together(source: Path, weeks: bool) -> None:
    transform = {"patient": pseudonym(), "admitted": shift(weeks=weeks), "left": shift(weeks=weeks)}
    rows, _ = released(source, transform)
    expected = []
    for row in rows_of(source):
        by = moved_by(row["patient"], 60, weeks=weeks)
        left = row["left"] and str(datetime.fromisoformat(row["left"]) + by)
        name = row["patient"] and digest(b"\0" + row["patient"].encode())[:24]
        expected.append({"patient": name, "admitted": str(date.fromisoformat(row["admitted"]) + by), "left": left})
    assert in_order(rows, "patient", "admitted", "left") == in_order(expected, "patient", "admitted", "left")
    assert any(row["admitted"] != untreated["admitted"] for row, untreated in zip(rows, expected, strict=True))


def test_dates_of_a_format_and_of_a_type_move_alike(source: Path, tmp_path: Path) -> None:
    connection = duckdb.connect()
    query = f"SELECT patient, age, admitted, strftime(admitted, '%d.%m.%y') AS \"left\" FROM '{source}'"
    connection.execute(f"COPY ({query}) TO '{tmp_path / 'typed.parquet'}'")
    described = {"path": str(tmp_path / "typed.parquet"), "columns": {"left": {"format": "%d.%m.%y"}}}
    target = {"path": str(tmp_path / "out.parquet")}
    transform = {"admitted": shift(9), "left": shift(9)}
    kanon_sql.run({**PLAIN, "source": described, "target": target, "transform": transform})
    dates = connection.execute(f"SELECT admitted, \"left\" FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert {left == admitted.strftime("%d.%m.%y") for admitted, left in dates} == {True}
    days = [(date.fromisoformat(r["admitted"]) + moved_by(r["patient"], 9)) for r in rows_of(source)]
    assert sorted(day for day, _ in dates) == sorted(days)


def test_typed_values_have_the_pseudonym_of_their_text(tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    query = "SELECT i % 5 AS patient, 20 AS age, DATE '2024-02-03' AS admitted, 1.50::DECIMAL(9, 2) AS \"left\""
    duckdb.execute(f"COPY ({query} FROM range(20) AS t(i)) TO '{path}'")
    config = {**PLAIN, "source": str(path), "target": str(tmp_path / "out.parquet")}
    config |= {
        "identifiers": ["patient", "left"],
        "insensitive": ["admitted"],
        "transform": {"patient": pseudonym(), "left": pseudonym()},
    }
    kanon_sql.run(config)
    pseudonyms = duckdb.execute(f"SELECT DISTINCT patient, \"left\" FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert set(pseudonyms) == {(digest(f"\0{i}".encode())[:24], digest(b"\x001.50")[:24]) for i in range(5)}


@settings(max_examples=20, deadline=None)
@given(st.binary(min_size=16, max_size=80), st.text(max_size=80), st.text(max_size=5))
def test_the_key_of_a_statement_is_padded_in_sql_as_in_python(key: bytes, text: str, context: str) -> None:
    value, before = exp.Literal.string(text), context.encode() + b"\0"
    place = KeysOutside({key.hex(): "NAME"}, exp.Literal.string, DUCKDB)
    outside = KeysOutside({key.hex(): key.hex()}, exp.Literal.string, DUCKDB)
    assert key.hex() not in place.pads(key.hex(), shift=True)[0].sql("duckdb")
    for shifting in (False, True):
        used = bytes.fromhex(digest(b"kanon-sql shift", key.hex())) if shifting else key
        bound = KeysBound()
        digests = [
            keyed_digits(value, before, keys.pads(key.hex(), shift=shifting), DUCKDB) for keys in (bound, outside)
        ]
        values = duckdb.execute(exp.select(*digests).sql("duckdb"), bound.values).fetchall()[0]
        assert values == (hmac.new(used, before + text.encode(), "sha256").hexdigest(),) * 2


def test_values_that_share_a_pseudonym_end_the_run(source: Path) -> None:
    names = {row["patient"] for row in rows_of(source)} - {""}
    pseudonyms = {digest(f"\0{name}".encode())[:2] for name in names}
    assert len(pseudonyms) < len(names)
    with pytest.raises(VerificationError) as raised:
        released(source, {"patient": pseudonym(2)})
    assert str(raised.value).startswith(
        f"{len(names) - len(pseudonyms)} of {len(names)} values of column 'patient' would share"
    )
    assert raised.value.exit_status == 4
    assert not (source.parent / "out.csv").exists()


@pytest.mark.slow
def test_a_check_measures_the_source_as_it_stands(source: Path) -> None:
    transform = {"patient": pseudonym(), "admitted": shift()}
    config = {**PLAIN, "source": str(source), "target": str(source.parent / "o.csv"), "transform": transform}
    kanon_sql.run(config)
    before = kanon_sql.check(config)
    named = len([row for row in rows_of(source) if row["patient"]])
    assert before["violations"]["treatments"] == [f"column 'patient' holds {named} values that are no pseudonyms"]
    assert (before["status"], before["rows"]["measured"]) == ("violated", 200)
    assert kanon_sql.check(config, source.parent / "o.csv")["status"] == "satisfied"


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("patient = 'x'", "column 'patient' holds 1 values that are no pseudonyms"),
        ("admitted = CAST(DATE '1990-01-01' AS VARCHAR)", "1 rows have other numbers of days between 'admitted' and"),
    ],
)
def test_what_a_treatment_must_leave_is_counted_in_what_was_written(
    wrong: str, said: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kanon_sql.targets.target.LocalSink.put", _putting(wrong))
    transform = {"patient": pseudonym(), "admitted": shift(), "left": shift()}
    with pytest.raises(VerificationError) as raised:
        released(source, transform, release={"verify": "counts"})
    assert said in str(raised.value) and len(raised.value.problems) == 1
    assert not (source.parent / "out.csv").exists()


def _putting(wrong: str) -> Any:
    """What writes one wrong value into a release."""
    name, _, value = wrong.partition(" = ")

    def put(self: Any, engine: Any, release: exp.Expr, source: Any, columns: list[str]) -> None:
        engine.run(f"CREATE TEMP TABLE spoilt AS {release.sql('duckdb')}")
        first = "(SELECT min(rowid) FROM spoilt WHERE patient <> '' AND \"left\" <> '')"
        engine.run(f"UPDATE spoilt SET {name} = {value} WHERE rowid = {first}")
        self.statement = exp.select(*(exp.column(name, quoted=True).as_(name, quoted=True) for name in columns)).from_(
            "spoilt"
        )
        self.write(engine, self.statement, source, columns)

    return put


@pytest.mark.slow
def test_shifted_dates_are_counted_in_a_rehearsal_and_in_place(source: Path) -> None:
    transform = {"patient": pseudonym(), "admitted": shift(), "left": shift()}
    config = {**PLAIN, "source": str(source), "target": "in-place", "transform": transform}
    assert kanon_sql.run(config, dry_run=True).status == "dry-run"
    plain = rows_of(source)
    kanon_sql.run(config)
    assert {row["patient"] for row in rows_of(source)}.isdisjoint({row["patient"] for row in plain} - {""})
    assert kanon_sql.check(config)["status"] == "satisfied"


@pytest.mark.slow
def test_a_compiled_statement_takes_the_key_from_the_session(source: Path) -> None:
    transform = {"patient": pseudonym(20, "P", "x"), "admitted": shift(), "left": shift(weeks=True)}
    rows, _ = released(source, transform)
    config = {**PLAIN, "source": str(source), "transform": transform}
    text = kanon_sql.compile(config)
    assert KEY.lower() not in text.lower() and "SET VARIABLE KEY" in text
    connection = duckdb.connect()
    connection.execute(f"SET VARIABLE KEY = '{KEY}'")
    treated = connection.execute(text.rstrip().removesuffix(";")).fetchall()
    assert sorted(tuple(cell or "" for cell in row) for row in treated) == sorted(tuple(row.values()) for row in rows)
    with pytest.raises(ConfigurationError, match="expected --dialect duckdb"):
        kanon_sql.compile(config, dialect="snowflake", source_table="stays")


REFUSED: list[tuple[Json, Json, str]] = [
    ({"patient": {"pseudonym": {"key": KEY}}}, {}, "a key is never written here"),
    ({"patient": {"pseudonym": {"key": "x${KEY}"}}}, {}, "a key is never written here"),
    ({"patient": {"pseudonym": {"key": "${ABSENT}"}}}, {}, "the environment has no variable ABSENT"),
    ({"patient": {"pseudonym": {"key": "${SHORT}"}}}, {}, "expected a key of 128 bits or more"),
    ({"patient": {"pseudonym": {"key": "${WORDS}"}}}, {}, "expected a key in hexadecimal digits"),
    ({"patient": {"pseudonym": {}}}, {}, "key is missing"),
    ({"admitted": {"shift": {"days": 9, "key": "${KEY}"}}}, {}, "by is missing"),
    ({"admitted": shift(6, weeks=True)}, {}, "whole weeks need 7 days"),
    ({"age": pseudonym()}, {}, "a quasi-identifier is generalized"),
    ({"patient": shift()}, {}, "is never released, but for its pseudonym"),
    ({"patient": {**pseudonym(), **shift()}}, {}, "shift does not go with pseudonym"),
    ({"patient": {}}, {}, "there is no treatment"),
    ({"gone": pseudonym()}, {}, "there is no column 'gone'"),
    ({"admitted": {"shift": {"days": 9, "by": "gone", "key": "${KEY}"}}}, {}, "there is no column 'gone'"),
    ({"left": shift()}, {"insensitive": ["admitted"], "unlisted": "drop"}, "the column is not released"),
    ({"age": shift()}, {}, "expected timestamps written as ISO 8601"),
]


@pytest.mark.parametrize(("transform", "more", "said"), REFUSED)
def test_what_cannot_be_is_refused(
    transform: Json, more: Json, said: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHORT", KEY[:30])
    monkeypatch.setenv("WORDS", "correct horse battery staple, again and again")
    with pytest.raises(ConfigurationError) as raised:
        released(source, transform, **more)
    assert said in str(raised.value)
    assert KEY not in str(raised.value) and KEY[:30] not in str(raised.value)
    assert not (source.parent / "out.csv").exists()


def test_dates_near_the_ends_of_time_are_refused(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    source.write_text(text + "ä1,30,9999-12-31,\nä2,30,0001-01-09,\n", encoding="utf-8")
    with pytest.raises(UnfittingSourceError, match="2 values lie within 60 days"):
        released(source, {"admitted": shift()})


def test_a_key_is_read_from_the_environment_wherever_it_is_said(source: Path, tmp_path: Path) -> None:
    text = f"source: {source}\nquasi_identifiers: {{age: {{builtin: suppress}}}}\nunlisted: drop\nprivacy: {{k: 2}}\n"
    path = tmp_path / "c.yaml"
    path.write_text(f"{text}identifiers: [patient]\ntransform: {{patient: {{pseudonym: {{key: '${{KEY}}'}}}}}}\n")
    loaded = load_config(path)
    assert KEY not in repr(loaded.config) and loaded.config.transform["patient"].pseudonym is not None
    with pytest.raises(ConfigurationError, match="a key is never written here"):
        load_config(path, [("transform.patient.pseudonym.key", KEY)])


def test_a_new_key_has_256_random_bits(capsys: pytest.CaptureFixture[str]) -> None:
    keys = set()
    for _ in range(2):
        with pytest.raises(SystemExit):
            main(["key", "new"])
        keys.add(capsys.readouterr().out)
    assert len(keys) == 2 and {len(bytes.fromhex(new_key)) for new_key in keys} == {32}


@pytest.mark.slow
def test_a_table_takes_the_place_of_another_with_pseudonyms_and_shifted_dates(source: Path) -> None:
    """Its columns are compared with those of the table that is there before any pseudonym is made."""
    database = source.parent / "out.duckdb"
    with attached(database) as connection:
        connection.execute("CREATE TABLE released AS SELECT 1 AS old")
    target = {"database": str(database), "table": "released", "overwrite": True}
    transform = {"patient": pseudonym(), "admitted": shift()}
    kanon_sql.run({**PLAIN, "source": str(source), "transform": transform, "target": target})
    with attached(database) as connection:
        cells = connection.execute("SELECT patient, CAST(admitted AS VARCHAR) FROM released").fetchall()
    expected, _ = released(source, transform)
    assert sorted((patient or "", day) for patient, day in cells) == in_order(expected, "patient", "admitted")
