"""Packed JSON that is not whole: the engine would read less of it, or other bytes, and say nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from shared_engine import shared
from tables import simple

import kanon_sql
from kanon_sql.errors import EngineError
from kanon_sql.source.formats.json import end_of_text

LINES = "".join(json.dumps({"x": "ab"[number % 2], "y": str(number)}) + "\n" for number in range(20_000)).encode()


def packed(folder: Path, kind: str) -> bytes:
    if kind == "gz":
        return gzip.compress(LINES)
    (folder / "lines.csv").write_bytes(b"line\n" + LINES)
    packed_file = folder / "made.zst"
    with shared() as connection:
        lines = f"read_csv('{folder}/lines.csv', delim = '\x01', quote = '', escape = '', header = true)"
        options = "HEADER false, DELIMITER '\x01', QUOTE '', ESCAPE '', COMPRESSION zstd"
        connection.execute(f"COPY (FROM {lines}) TO '{packed_file}' ({options})")
    return packed_file.read_bytes()


def rows(source: Path) -> int:
    target = {"path": str(source.parent / "out.csv"), "overwrite": True}
    config = simple(source, target, "x", release={"verify": "counts"})
    return int(kanon_sql.run(config).report["rows"]["source"])


def blocks(data: bytes) -> list[int]:
    """Where the blocks of a Zstandard file of one frame begin: its header is read by hand."""
    place = 5 + (not data[4] >> 5 & 1) + ((1 << (data[4] >> 6)) if data[4] >> 6 else data[4] >> 5 & 1)
    places = []
    while True:
        head = int.from_bytes(data[place : place + 3], "little")
        places.append(place)
        place += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
        if head & 1:
            return places


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_whole_files_are_read(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.jsonl.{kind}"
    source.write_bytes(packed(tmp_path, kind))
    assert rows(source) == len(LINES.splitlines())
    source.write_bytes(source.read_bytes() * 2)
    assert rows(source) == 2 * len(LINES.splitlines())


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9])
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_files_that_are_cut_off(tmp_path: Path, kind: str, share: float) -> None:
    source = tmp_path / f"in.jsonl.{kind}"
    data = packed(tmp_path, kind)
    source.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(EngineError, match=r"in\.jsonl"):
        rows(source)
    assert not (tmp_path / "out.csv").exists()


def test_a_zstandard_file_that_ends_between_two_blocks(tmp_path: Path) -> None:
    data = packed(tmp_path, "zst")
    places = blocks(data)
    assert len(places) > 1
    (tmp_path / "in.jsonl.zst").write_bytes(data[: places[-1]])
    with pytest.raises(EngineError, match=r"in\.jsonl\.zst: cannot be read \(it ends before its last part"):
        rows(tmp_path / "in.jsonl.zst")


def test_the_checksum_of_a_gzip_file(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(LINES))
    data[-8] ^= 1
    (tmp_path / "in.jsonl.gz").write_bytes(data)
    with pytest.raises(EngineError, match=r"in\.jsonl\.gz: cannot be read"):
        rows(tmp_path / "in.jsonl.gz")


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_rubbish_behind_the_end(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.jsonl.{kind}"
    source.write_bytes(packed(tmp_path, kind) + b"rubbish")
    with pytest.raises(EngineError, match=r"in\.jsonl"):
        rows(source)


def test_a_frame_ends_with_its_checksum(tmp_path: Path) -> None:
    """Two frames made by hand: each a raw block of five bytes behind its head, and four bytes of a checksum."""
    frame = b"\x28\xb5\x2f\xfd" + b"\x04\x00" + (5 << 3 | 1).to_bytes(3, "little") + b"[1,2]" + b"sum!"
    file = tmp_path / "made.json.zst"
    for frames in (1, 2):
        file.write_bytes(frame * frames)
        assert end_of_text(file) is None
        for lost in (1, 4, 6):
            file.write_bytes((frame * frames)[:-lost])
            with pytest.raises(EngineError, match="cannot be read"):
                end_of_text(file)
