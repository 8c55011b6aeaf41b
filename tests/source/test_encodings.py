"""CSV files in the encodings of spreadsheets: what is read is what Python decodes, what is written is UTF-8."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from effort import some, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import attached
from tables import simple

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.ledger.earlier import configuration_of, holds, open_target
from kanon_sql.ledger.ledger import open_ledger
from kanon_sql.sql.connection import EngineOptions, open_engine

UNDEFINED = b"\x81\x8d\x8f\x90\x9d"
# No line breaks, and no quotes, which the writer doubles.
LETTERS = bytes(byte for byte in range(1, 256) if byte not in UNDEFINED and byte not in b'\r\n"').decode("cp1252")
EXPORT = [
    ["Geschlecht", "Größe", "Kosten (€)", "Maßnahme"],
    *[["männlich", "1,70", "1.200,50", "der „Weg“"]] * 3,
    *[["weiblich", "1,65", "900,00", "Öl\nund Fuß…"]] * 3,
]
WAYS: dict[str, Callable[[str], bytes]] = {
    "windows-1252": lambda text: text.encode("cp1252"),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16, big-endian": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-16 without a mark": lambda text: text.encode("utf-16-le"),
    "packed windows-1252": lambda text: gzip.compress(text.encode("cp1252"), mtime=0),
    "packed utf-16": lambda text: gzip.compress(b"\xfe\xff" + text.encode("utf-16-be"), mtime=0),
    "utf-16 beyond 16 bits": lambda text: text.replace("Weg", "😀").encode("utf-16"),
}


def text_of(rows: Sequence[Sequence[str]], delimiter: str = ";", end: str = "\r\n") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)
    return file.getvalue()


def records(path: Path, delimiter: str = ";") -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=delimiter))


def written(folder: Path, way: str, rows: Sequence[Sequence[str]] = EXPORT) -> Path:
    path = folder / ("in.csv.gz" if way.startswith("packed") else "in.csv")
    path.write_bytes(WAYS[way](text_of(rows, "\t" if "utf-16" in way else ";")))
    return path


@pytest.mark.few(4)
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("way", some(list(WAYS), 3))
def test_what_is_read(tmp_path: Path, way: str, declared: bool) -> None:
    source, name = written(tmp_path, way), way.replace("packed ", "")[:12].partition(",")[0].partition(" ")[0]
    described = {"path": str(source), **({"encoding": name} if declared else {})}
    result = kanon_sql.run(simple(described, tmp_path / "out.csv", "Geschlecht"))
    expected = [[cell.replace("Weg", "😀") if "beyond" in way else cell for cell in row] for row in EXPORT]
    out = records(tmp_path / "out.csv", "\t" if "utf-16" in way else ";")
    assert out[0] == expected[0] and sorted(out[1:]) == sorted(expected[1:])
    assert result.report["source"]["encoding"] == name
    assert (
        any(f"in.csv{'.gz' * way.startswith('packed')} is read as {name}" in warning for warning in result.warnings)
        != declared
    )


# How a file is written, and how its lines end.
MARKED = [
    *(("windows-1252", "\r\n"), ("utf-8 with a mark", "\r\n"), ("utf-8", "\n"), ("utf-16", "\r\n")),
    *(("utf-16, big-endian", "\r\n"), ("packed windows-1252", "\r\n"), ("utf-8 with a mark", "\n")),
]


@pytest.mark.few(1)
@pytest.mark.parametrize("written_so", some(MARKED, 3))
def test_a_line_for_excel_names_the_delimiter_and_is_no_record(tmp_path: Path, written_so: tuple[str, str]) -> None:
    way, end = written_so
    text = "sep=|" + end + text_of(EXPORT, "|", end)
    ways = {
        "utf-8": str.encode,
        "utf-8 with a mark": lambda text_of_file: b"\xef\xbb\xbf" + text_of_file.encode(),
        **WAYS,
    }
    source = tmp_path / ("in.csv.gz" if way.startswith("packed") else "in.csv")
    source.write_bytes(ways[way](text))
    config = simple(str(source), tmp_path / "out.csv", "Geschlecht")
    kanon_sql.run(config)
    out = records(tmp_path / "out.csv", "|")
    assert out[0] == EXPORT[0] and sorted(out[1:]) == sorted(EXPORT[1:])
    measured = kanon_sql.check(config)
    assert (measured["status"], measured["rows"]["source"]) == ("satisfied", len(EXPORT) - 1)
    assert {column["name"] for column in kanon_sql.init(source).to_dict()["columns"]} == set(EXPORT[0])
    kanon_sql.run({**config, "target": "in-place"})
    assert sorted(records(source, "|")[1:] if not way.startswith("packed") else out[1:]) == sorted(EXPORT[1:])


def test_a_line_for_excel_counts_as_one(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('"sep=;"\nx;y\n1;2\n1;zwei\n', encoding="utf-8")
    described = {"path": str(tmp_path / "in.csv"), "columns": {"y": {"type": "number"}}}
    with pytest.raises(KanonError, match="line 4"):
        kanon_sql.run(simple(described, tmp_path / "out.csv", "x"))
    (tmp_path / "in.csv").write_text("SEP=,\nx,y\n1,2\n1\n", encoding="utf-8")
    with pytest.raises(KanonError, match="line 4"):
        kanon_sql.run(simple(str(tmp_path / "in.csv"), tmp_path / "out.csv", "x"))


def test_files_with_and_without_a_line_for_excel(tmp_path: Path) -> None:
    for name, first in (("a", "sep=;\n"), ("b", "sep=;\n"), ("c", "")):
        (tmp_path / f"{name}.csv").write_text(f"{first}x;y\n1;2\n1;3\n", encoding="utf-8")
    both = simple(str(tmp_path / "[ab].csv"), tmp_path / "out.csv", "x")
    assert kanon_sql.run(both).report["rows"]["released"] == 4
    with pytest.raises(EngineError, match="begins with a line sep="):
        kanon_sql.run(simple(str(tmp_path / "[bc].csv"), tmp_path / "other.csv", "x"))


@pytest.mark.slow
@settings(max_examples=tries(40))
@given(st.lists(st.text(LETTERS, min_size=1, max_size=30), min_size=1, max_size=6))
def test_all_letters_of_windows(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("letters")
    rows = [["Größe €", "x"], *([text, "„a“"] for text in texts for _ in range(2))]
    content = text_of(rows, ",", "\n").encode("cp1252")
    (folder / "in.csv").write_bytes(content)
    described = {"path": str(folder / "in.csv"), "missing": [], "csv": {"delimiter": ",", "header": True}}
    kanon_sql.run(simple(described, folder / "out.csv", "Größe €"))
    out = records(folder / "out.csv", ",")
    assert sorted(out) == sorted(csv.reader(io.StringIO(content.decode("cp1252"), newline="")))


def test_the_declared_encoding_of_either_key(tmp_path: Path) -> None:
    source = written(tmp_path, "windows-1252")
    keys: list[dict[str, Any]] = [{"csv": {"encoding": "cp1252"}}, {"encoding": "CP1252"}]
    for number, described in enumerate(keys):
        config = simple({"path": str(source), **described}, tmp_path / f"{number}.csv", "Geschlecht")
        assert kanon_sql.run(config).report["source"]["encoding"] == "windows-1252"
    both = {"path": str(source), "encoding": "utf-8", "csv": {"encoding": "latin-1"}}
    with pytest.raises(ConfigurationError, match=r"encoding and csv\.encoding are not the same; keep one"):
        kanon_sql.run(simple(both, tmp_path / "out.csv", "Geschlecht"))


@pytest.mark.parametrize(
    ("content", "declared", "status", "said"),
    [
        (
            "x,y\n€,1\n".encode("cp1252"),
            "utf-8",
            2,
            "in.csv is not utf-8, as encoding says, its bytes are windows-1252",
        ),
        ("x,y\n€,1\n".encode("cp1252"), "latin-1", 2, "is not latin-1, as encoding says, its bytes are windows-1252"),
        ("x,y\n€,1\n".encode("cp1252"), "utf-16", 2, "is not utf-16, as encoding says, its bytes are windows-1252"),
        ("x,y\n€,1\n".encode(), "windows-1252", 2, "is not windows-1252, as encoding says, its bytes are utf-8"),
        ("x,y\né,1\n".encode("utf-16"), "utf-8", 2, "is not utf-8, as encoding says, its bytes are utf-16"),
        ("x,y\né,1\n".encode("latin-1"), "utf-8", 2, "is not utf-8, as encoding says, its bytes are latin-1"),
        (b"x,y\n\x81\x8d,1\n", None, 3, "neither UTF-8 nor Windows-1252, in which 2 of its bytes stand for nothing"),
        (
            b"x,y\n\x81\xe4,1\n",
            "cp1252",
            3,
            "neither UTF-8 nor Windows-1252, in which 1 of its bytes stand for nothing",
        ),
        (b"\xff\xfex\0,\0y\0\n\0a\0,\0\x3d\xd8\n\0", None, 3, "not all of it is utf-16"),
        (b"\xff\xfex\0,\0y\0\n\0a\0,\0b\0\n", None, 3, "not all of it is utf-16"),
        (b"x,y\n\xc3\xa4,1\n" + b"a,1\n" * 300_000 + b"\xe4,1\n", None, 3, r"1 record is no UTF-8 .*\(line 300003\)"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: bytes, declared: str | None, status: int, said: str) -> None:
    (tmp_path / "in.csv").write_bytes(content)
    described = {"path": str(tmp_path / "in.csv"), **({"encoding": declared} if declared else {})}
    with pytest.raises(KanonError, match=said) as caught:
        kanon_sql.run(simple(described, tmp_path / "out.csv", "x"))
    assert caught.value.exit_status == status


@pytest.mark.slow
def test_every_command_says_the_same_of_letters_of_latin_1(tmp_path: Path) -> None:
    content = text_of([["Größe", "n"], *[["ä", str(n % 3)] for n in range(30)]])
    (tmp_path / "in.csv").write_bytes(content.encode("latin-1"))
    config = simple(str(tmp_path / "in.csv"), tmp_path / "out.csv", "Größe")
    said = "in.csv is read as windows-1252"
    ran = kanon_sql.run(config, advice=False)
    checked = kanon_sql.check(config)
    measured = [kanon_sql.risk(config), kanon_sql.utility(config), kanon_sql.attack(config, attacks=2)]
    for warnings in (ran.warnings, checked["warnings"], *(measure["warnings"] for measure in measured)):
        assert sum(said in warning for warning in warnings) == 1
    assert ran.report["source"]["encoding"] == checked["source"]["encoding"] == "windows-1252"
    assert "encoding: windows-1252" in kanon_sql.init(tmp_path / "in.csv").yaml
    assert kanon_sql.check(config, tmp_path / "out.csv")["source"]["encoding"] == "utf-8"


@pytest.mark.parametrize("suffix", ["parquet", "json"])
def test_encodings_go_with_csv(tmp_path: Path, suffix: str) -> None:
    with attached() as connection:
        connection.sql(f"COPY (SELECT 'a' AS x) TO '{tmp_path}/in.{suffix}'")
    described = {"path": str(tmp_path / f"in.{suffix}"), "encoding": "utf-8"}
    with pytest.raises(ConfigurationError, match="encoding goes with CSV"):
        kanon_sql.run(simple(described, tmp_path / "out.csv", "x"))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["windows-1252", "utf-16, big-endian"])
def test_a_german_export_from_init_to_the_release(tmp_path: Path, way: str) -> None:
    rows = [EXPORT[0], *(row for row in EXPORT[1:] for _ in range(20))]
    source = written(tmp_path, way, rows)
    kanon_sql.init(source).write(tmp_path / "c.yaml")
    proposed = yaml.safe_load((tmp_path / "c.yaml").read_text(encoding="utf-8"))
    assert proposed["source"]["encoding"] == way.partition(",")[0]
    assert proposed["source"]["columns"]["Kosten (€)"]["decimal"] == ","
    result = kanon_sql.run(tmp_path / "c.yaml")
    assert result.released and not any("is read as" in warning for warning in result.warnings)
    out = records(tmp_path / proposed["target"], "\t" if "utf-16" in way else ";")
    assert {"Geschlecht", "Größe"} <= set(out[0]) <= set(rows[0])
    assert {row[out[0].index("Größe")] for row in out[1:]} <= {row[1] for row in rows} | {"*"}


def test_latin_1_is_proposed_as_what_other_exports_are_in(tmp_path: Path) -> None:
    """The next one may hold a sign of the euro."""
    (tmp_path / "in.csv").write_bytes(text_of([["Größe", "n"], *[["ä", str(n)] for n in range(30)]]).encode("latin-1"))
    assert "encoding: windows-1252" in kanon_sql.init(tmp_path / "in.csv").yaml


def test_several_files(tmp_path: Path) -> None:
    """Those that hold no letters of their own fit to all; UTF-8 and Windows-1252 do not fit together."""
    for name, content in {
        "a": b"x,y\na,1\n",
        "b": b"x,y\n\xe4,1\n\xe4,2\n",
        "c": b"x,y\n\x80,1\na,1\n\x80,2\n",
    }.items():
        (tmp_path / f"{name}.csv").write_bytes(content)
    result = kanon_sql.run(simple(tmp_path / "?.csv", tmp_path / "out.csv", "x"))
    assert sorted(row[0] for row in records(tmp_path / "out.csv", ",")[1:]) == ["a", "a", "ä", "ä", "€", "€"]
    assert result.report["source"]["encoding"] == "windows-1252"
    (tmp_path / "d.csv").write_bytes("x,y\nä,1\n".encode())
    with pytest.raises(EngineError, match=r"d\.csv: is utf-8, .*c\.csv is windows-1252; expected one encoding"):
        kanon_sql.run(simple(tmp_path / "?.csv", tmp_path / "other.csv", "x"))


def test_partitions(tmp_path: Path) -> None:
    for year, content in {"2024": b"x\n\x80\n\x80\n", "2025": b"x\na\na\n"}.items():
        (tmp_path / "in" / f"year={year}").mkdir(parents=True)
        (tmp_path / "in" / f"year={year}" / "part.csv").write_bytes(content)
    kanon_sql.run(simple({"path": str(tmp_path / "in"), "missing": []}, tmp_path / "out.csv", "x"))
    out = sorted(records(tmp_path / "out.csv", ",")[1:])
    assert out == [["a", "2025"]] * 2 + [["€", "2024"]] * 2


def test_in_place_becomes_utf_8(tmp_path: Path) -> None:
    source = written(tmp_path, "windows-1252")
    config = simple({"path": str(source), "encoding": "windows-1252"}, "in-place", "Geschlecht")
    assert "in.csv was windows-1252 and is written as UTF-8, as every release is" in kanon_sql.run(config).warnings
    assert sorted(records(source)) == sorted(EXPORT)
    with pytest.raises(ConfigurationError, match=r"its bytes are utf-8 \(a release in place is written as UTF-8\)"):
        kanon_sql.run(config)


def test_a_release_is_checked_whatever_its_source_is_in(tmp_path: Path) -> None:
    source = written(tmp_path, "windows-1252")
    config = simple({"path": str(source), "encoding": "windows-1252"}, tmp_path / "out.csv", "Geschlecht")
    kanon_sql.run(config)
    for data in (None, tmp_path / "out.csv", source):
        assert kanon_sql.check(config, data)["status"] == "satisfied"
    old = {**config, "source": {"path": str(source), "csv": {"encoding": "windows-1252"}}}
    assert kanon_sql.check(old, tmp_path / "out.csv")["status"] == "satisfied"


@pytest.mark.slow
def test_what_is_read_beside_the_source(tmp_path: Path) -> None:
    """Hierarchies come from the same program, and populations are opened once the connection is locked down."""
    source = written(tmp_path, "windows-1252")
    (tmp_path / "h.csv").write_bytes("männlich;Österreich „M“\nweiblich;Österreich „M“\n".encode("cp1252"))
    (tmp_path / "wide.csv").write_bytes("männlich;Österreich „M“\nweiblich;Österreich „M“\n".encode("utf-16"))
    (tmp_path / "all.csv").write_bytes(text_of([EXPORT[0][:1], *[[row[0]] for row in EXPORT[1:] * 2]]).encode("cp1252"))
    for number, hierarchy in enumerate(["h.csv", "wide.csv"]):
        config = simple(source, tmp_path / f"{number}.csv")
        config["quasi_identifiers"] = {"Geschlecht": {"hierarchy": str(tmp_path / hierarchy), "min_level": 1}}
        config["privacy"]["k_map"] = {"k": 3, "population": str(tmp_path / "all.csv")}
        kanon_sql.run({**config, "source": {"path": str(source), "csv": {"header": True}}})
        assert {row[0] for row in records(tmp_path / f"{number}.csv")[1:]} == {"Österreich „M“"}
    (tmp_path / "h.csv").write_bytes(b"m\x81nnlich;x\n")
    with pytest.raises(ConfigurationError, match=r"h\.csv: this is in none of utf-8, latin-1, windows-1252, utf-16"):
        kanon_sql.run({**config, "quasi_identifiers": {"Geschlecht": str(tmp_path / "h.csv")}})


def test_a_statement_reads_a_table_where_the_engine_does_not_read_the_file(tmp_path: Path) -> None:
    """The copy is there as long as a run; nobody else has it."""
    source = written(tmp_path, "windows-1252")
    statement = kanon_sql.compile(simple(source, tmp_path / "out.csv", "Geschlecht"))
    assert "read_csv" not in statement and "kanon-sql-spill" not in statement and 'FROM "in"' in statement


def test_copies_are_private_and_go_with_the_connection(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    source = written(tmp_path, "windows-1252")
    loaded = from_mapping(simple(source, tmp_path / "out.csv", "Geschlecht"))
    with job_of(loaded).read(EngineOptions(temp_directory=spill)) as (engine, _):
        (copy,) = engine.copies.values()
        assert copy.is_relative_to(spill) and copy.read_bytes() == source.read_bytes().decode("cp1252").encode()
        assert copy.stat().st_mode & 0o777 == 0o600 and copy.parents[1].stat().st_mode & 0o777 == 0o700
    assert not list(spill.iterdir())


def test_on_a_connection_that_was_handed_in(tmp_path: Path) -> None:
    source = written(tmp_path, "windows-1252")
    config: Any = simple(source, "unused", "Geschlecht")
    config["source"] = str(source)
    del config["target"]
    with duckdb.connect() as connection:
        result = kanon_sql.run(config, connection=connection, target="released")
        measures = connection.sql('SELECT DISTINCT "Maßnahme" FROM released').fetchall()
    assert {row[0] for row in measures} == {row[3] for row in EXPORT[1:]}
    assert result.report["source"]["encoding"] == "windows-1252"


@pytest.mark.slow
def test_a_ledger_finds_a_release_in_place_again(tmp_path: Path) -> None:
    """It is in UTF-8 whatever the source was in; `apply` compares the table with what was released."""
    source = written(tmp_path, "windows-1252")
    config = simple({"path": str(source), "encoding": "windows-1252"}, "in-place", "Geschlecht")
    config["releases"] = {"path": str(tmp_path / "ledger.duckdb")}
    kanon_sql.run(config)
    with open_ledger(tmp_path / "ledger.duckdb", "", write=False) as ledger:
        (entry,) = ledger.entries()
    with open_engine(EngineOptions()) as engine:
        opened = open_target(engine, entry, configuration_of(entry, tmp_path / "ledger.duckdb"))
        assert holds(engine, opened, entry)
