"""Which encoding bytes are in, against Python's own codecs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.settings.columns import decoded, encoding_named, recognized

UNDEFINED = b"\x81\x8d\x8f\x90\x9d"
LETTERS = bytes(byte for byte in range(256) if byte not in UNDEFINED).decode("cp1252")


def in_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def cut(content: bytes, places: Sequence[int]) -> list[bytes]:
    ends = [0, *sorted(min(place, len(content)) for place in places), len(content)]
    return [content[start:end] for start, end in pairwise(ends)]


@given(st.binary(max_size=40).filter(lambda chunk: b"\0" not in chunk), st.lists(st.integers(1, 40), max_size=3))
def test_bytes_without_a_mark(content: bytes, places: list[int]) -> None:
    """Whatever the chunks: UTF-8 where they are that, else Windows-1252 where it has letters that Latin-1 has not."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    whole, in_chunks = recognized([content]), recognized(cut(content, places))
    if whole.is_ascii or whole.name != "utf-8":
        assert (in_chunks.name, in_chunks.undefined) == (whole.name, whole.undefined)
    if in_utf8(content):
        assert (whole.name, whole.is_ascii) == ("utf-8", content.isascii())
        assert decoded(content) == content.decode("utf-8-sig")
    elif any(0x80 <= byte <= 0x9F for byte in content):
        undefined = sum(byte in UNDEFINED for byte in content)
        assert (whole.name, whole.undefined) == ("windows-1252", undefined)
        assert decoded(content) == (None if undefined else content.decode("cp1252"))
    else:
        assert (whole.name, decoded(content)) == ("latin-1", content.decode("latin-1"))


@given(st.text(LETTERS, max_size=60), st.lists(st.integers(1, 60), max_size=3))
def test_letters_of_windows_whatever_the_chunks(text: str, places: list[int]) -> None:
    """A quotation mark in front makes sure that it is no UTF-8."""
    content = b"\x84" + text.replace("\0", "").encode("cp1252")
    assert decoded(content) == content.decode("cp1252")
    in_chunks = recognized(cut(content, places))
    assert (in_chunks.name, content.decode(in_chunks.codec)) == ("windows-1252", content.decode("cp1252"))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(["le", "be"]), st.booleans())
def test_utf_16(text: str, order: str, marked: bool) -> None:
    mark = {"le": b"\xff\xfe", "be": b"\xfe\xff"}[order] if marked else b""
    text = "".join(letter for letter in text if letter not in "\0\ufeff")
    content = mark + ("a;b\r\n" * (1 + len(text)) + text).encode(f"utf-16-{order}")
    assert recognized([content]).name == "utf-16"
    assert decoded(content) == "a;b\r\n" * (1 + len(text)) + text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *(("UTF8", "utf-8"), ("cp1252", "windows-1252"), ("ISO-8859-1", "latin-1"), ("utf-16le", "utf-16")),
        *(("koi8-r", None), ("", None), ("base64", None), ("a\0b", None)),
    ],
)
def test_names(name: str, meant: str | None) -> None:
    assert encoding_named(name) == meant
