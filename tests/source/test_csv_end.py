"""The end of a long CSV file: its last record comes out, or the file is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.errors import EngineError

HEAD = b"x,y,z\n" + b"a,1,2\n" * 20
LONG = 34_000_000
# What stands before and behind a text of so many bytes.
ENDS = {
    "long": (b"b,", b",1\n"),
    "no line end": (b"b,1,", b""),
    "blank lines": (b"b,", b",1\n\n\n"),
    "quoted first": (b'"b\n",', b",1\n"),
    "quoted last": (b"b,", b',"\n"\n'),
    "quoted": (b'b,1,"', b'"\n'),
    "unclosed": (b'b,1,"', b""),
}


def run(source: Path, target: Path | str) -> int:
    """Rows of the source, as the run counted them."""
    result = kanon_sql.run(
        {
            "source": str(source),
            "target": str(target),
            "quasi_identifiers": {"x": {"builtin": "suppress"}},
            "unlisted": "drop",
            "privacy": {"k": 1},
        }
    )
    return int(result.report["rows"]["source"])


@pytest.mark.parametrize("name", ["long", *(pytest.param(name, marks=pytest.mark.slow) for name in [*ENDS][1:])])
def test_a_last_record_that_is_too_long(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.csv"
    before, behind = ENDS[name]
    source.write_bytes(HEAD + before + b"z" * LONG + behind)
    with pytest.raises(EngineError, match=r"in\.csv"):
        run(source, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_a_last_record_that_is_too_long_as_a_whole(tmp_path: Path) -> None:
    # Line breaks within values of a record that is too long as a whole.
    pieces = b",".join([b"z" * 5_000_000, b'"a\n"'] * 8) + b"\n"
    fields = pieces.count(b",") + 1
    source = tmp_path / "in.csv"
    names = ["x", *(f"c{position}" for position in range(1, fields))]
    head = ",".join(names) + "\n" + ("a" + ",1" * (fields - 1) + "\n") * 20
    source.write_bytes(head.encode() + pieces)
    with pytest.raises(EngineError, match=r"in\.csv"):
        run(source, tmp_path / "out.csv")


@pytest.mark.few(1)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
def test_zero_bytes_after_a_crash_in_place(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"in.{suffix}"
    if suffix == "csv":
        source.write_bytes(HEAD)
        with source.open("r+b") as file:
            file.truncate(42_000_000)
    else:
        source.write_bytes(gzip.compress(HEAD + bytes(42_000_000), 1))
    before = source.read_bytes()
    with pytest.raises(EngineError, match="it ends in zero bytes, as after a crash") as caught:
        run(source, "in-place")
    assert caught.value.exit_status == 3
    assert source.read_bytes() == before


def test_characters_that_grow_in_the_engine(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(HEAD + b"b,1," + "é".encode("latin-1") * 17_000_000)
    with pytest.raises(EngineError, match=r"in\.csv"):
        run(source, tmp_path / "out.csv")


@pytest.mark.few(1)
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_last_record_that_is_just_short_enough(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "in.csv").write_bytes(HEAD + b"b,1," + b"z" * 15_500_000 + end)
    assert run(tmp_path / "in.csv", tmp_path / "out.csv") == 21


@pytest.mark.slow
def test_a_stray_quote_is_no_long_record(tmp_path: Path) -> None:
    """Behind it everything seems to be quoted."""
    lines = 2_000_000
    (tmp_path / "in.csv").write_bytes(HEAD + b"a,1,twelve or so\n" * lines + b'b,5" pipe,1\n')
    assert run(tmp_path / "in.csv", tmp_path / "out.csv") == 20 + lines + 1


def test_a_damaged_gzip_file(tmp_path: Path) -> None:
    """The engine does not look at the checksum."""
    packed = bytearray(gzip.compress(HEAD))
    packed[-8] ^= 1
    (tmp_path / "in.csv.gz").write_bytes(packed)
    with pytest.raises(EngineError, match="cannot be read"):
        run(tmp_path / "in.csv.gz", tmp_path / "out.csv")
