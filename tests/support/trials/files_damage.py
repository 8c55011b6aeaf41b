"""What happens to files: bytes that change, are lost, come twice or come from elsewhere."""

from __future__ import annotations

import gzip
import random
import re
import struct
from collections.abc import Callable

from trials.files_thrift import Field, as_long, fields, zigzag

Damage = Callable[[bytes, random.Random], bytes]
_BLOCKS = (16, 64, 512, 4096, 16384)


def flipped(data: bytes, draw: random.Random, start: int = 0, stop: int | None = None) -> bytes:
    """One to four bits, anywhere in a part."""
    changed = bytearray(data)
    stop = len(data) if stop is None else stop
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        if stop > start:
            changed[draw.randrange(start, stop)] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _bytes(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice([1, 2, 8])):
        changed[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(changed)


def _head(data: bytes, draw: random.Random) -> bytes:
    return flipped(data, draw, 0, min(len(data), 64))


def _end(data: bytes, draw: random.Random) -> bytes:
    return flipped(data, draw, max(0, len(data) - 64))


def _truncated(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(1, len(data))]


def _little_less(data: bytes, draw: random.Random) -> bytes:
    return data[: -draw.randint(1, min(len(data) - 1, 16))]


def _emptied(data: bytes, draw: random.Random) -> bytes:
    del data, draw
    return b""


def _filled(data: bytes, draw: random.Random) -> bytes:
    """A block of zeros, or of another byte."""
    size = draw.choice(_BLOCKS)
    start = draw.randrange(len(data)) // size * size if draw.random() < 0.5 else draw.randrange(len(data))
    stop = min(len(data), start + size)
    return data[:start] + draw.choice([b"\0", b"\0", b"\xff"]) * (stop - start) + data[stop:]


def _zero_end(data: bytes, draw: random.Random) -> bytes:
    """As after a crash of the machine: the file has its length, its end was not written."""
    start = draw.randrange(len(data))
    return data[:start] + bytes(len(data) - start)


def _removed(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data))
    return data[:start] + data[start + draw.choice([1, *_BLOCKS]) :]


def _inserted(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data))
    return data[:start] + draw.randbytes(draw.choice([1, 2, 16, 512])) + data[start:]


def _twice(data: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(data))
    block = data[start : start + draw.choice(_BLOCKS)]
    return data[:start] + block + data[start:]


def _exchanged(data: bytes, draw: random.Random) -> bytes:
    """Two blocks."""
    size = min(draw.choice(_BLOCKS), max(1, len(data) // 3))
    first, second = sorted(draw.randrange(0, max(1, len(data) - size)) for _ in range(2))
    if second - first < size:
        return _filled(data, draw)
    left, right = data[first : first + size], data[second : second + size]
    return data[:first] + right + data[first + size : second] + left + data[second + size :]


def _doubled(data: bytes, draw: random.Random) -> bytes:
    del draw
    return data + data


def _followed(data: bytes, draw: random.Random) -> bytes:
    return data + draw.choice([b"\0" * 512, b"\n\n\n", draw.randbytes(100), b"<html></html>\n"])


def _replaced(data: bytes, draw: random.Random) -> bytes:
    return draw.choice([b"<!DOCTYPE html><html></html>", draw.randbytes(len(data) or 1), bytes(len(data) or 1), b"\n"])


ANY: dict[str, Damage] = {
    "bits flipped": flipped,
    "bytes changed": _bytes,
    "bits of the head flipped": _head,
    "bits of the end flipped": _end,
    "truncated": _truncated,
    "a little truncated": _little_less,
    "emptied": _emptied,
    "a block overwritten": _filled,
    "end of zeros": _zero_end,
    "bytes removed": _removed,
    "bytes inserted": _inserted,
    "a block twice": _twice,
    "blocks exchanged": _exchanged,
    "doubled": _doubled,
    "followed by rubbish": _followed,
    "replaced": _replaced,
}


def _letters(data: bytes, draw: random.Random) -> bytes:
    """A mark of the language is lost, doubled, or becomes another one."""
    places = [place.start() for place in re.finditer(rb"[\"',;:\r\n\\{}\[\]\t*]", data)]
    if not places:
        return flipped(data, draw)
    place = draw.choice(places)
    mark = draw.choice([b"", data[place : place + 1] * 2, *(bytes([code]) for code in b"\"',;:\r\n\\{}[]\t\0\xe9")])
    return data[:place] + mark + data[place + 1 :]


def _line(data: bytes, draw: random.Random) -> bytes:
    """A line is lost, doubled or torn."""
    lines = data.splitlines(keepends=True)
    place = draw.randrange(len(lines))
    torn = lines[place][: draw.randrange(len(lines[place]) or 1)]
    lines[place : place + 1] = draw.choice([[], [lines[place]] * 2, [torn], [torn, b"\n"], [b"\n", lines[place]]])
    return b"".join(lines)


TEXT = {**ANY, "a mark changed": _letters, "a quote put in": lambda d, r: _put(d, r, b'"'), "a line damaged": _line}


def _put(data: bytes, draw: random.Random, what: bytes) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + what + data[place:]


def _members(data: bytes, draw: random.Random) -> bytes:
    """The text in several members, one of them damaged, out of order, or followed by rubbish."""
    text = gzip.decompress(data)
    cuts = sorted(draw.randrange(len(text)) for _ in range(2))
    members = [gzip.compress(part, mtime=0) for part in (text[: cuts[0]], text[cuts[0] : cuts[1]], text[cuts[1] :])]
    what = draw.randrange(5)
    if what == 0:
        return b"".join(members)
    place = draw.randrange(3)
    if what == 1:
        members[place] = ANY[draw.choice(["bits flipped", "truncated", "emptied"])](members[place], draw)
    elif what == 2:
        members.insert(place, draw.choice([b"\0" * 100, draw.randbytes(20)]))
    elif what == 3:
        members[2] += draw.choice([b"\0" * 100, draw.randbytes(20), b"\x1f\x8b"])
    else:
        members[2] = members[2][: draw.randrange(1, len(members[2]))]
    return b"".join(members)


GZIP = {**ANY, "several members": _members, "checksum changed": lambda d, r: flipped(d, r, len(d) - 8)}


def _footer(data: bytes) -> tuple[int, int]:
    """Where the footer of a Parquet file begins and ends."""
    return len(data) - 8 - struct.unpack("<I", data[-8:-4])[0], len(data) - 8


def _of_footer(data: bytes, draw: random.Random) -> bytes:
    return flipped(data, draw, *_footer(data))


def _length_of_footer(data: bytes, draw: random.Random) -> bytes:
    start, stop = _footer(data)
    length = stop - start
    wrong_length = draw.choice(
        [0, 1, length - 1, length + 1, len(data), 0x7FFFFFFF, 0xFFFFFFFF, draw.randrange(2 * length)]
    )
    return data[:-8] + struct.pack("<I", wrong_length) + data[-4:]


def _field_of_footer(data: bytes, draw: random.Random) -> bytes:
    """A field is another number, or other bytes, of the same length: everything else can be read as before."""
    return _changed(data, draw, draw.choice([*fields(data, _footer(data)[0])]))


def _statistics(data: bytes, draw: random.Random) -> bytes:
    """Of a column chunk: row groups (4), columns (1), their data (3), statistics (12)."""
    statistics = [field for field in fields(data, _footer(data)[0]) if field.path[:4] == (4, 1, 3, 12)]
    return _changed(data, draw, draw.choice(statistics)) if statistics else _of_footer(data, draw)


def _counts(data: bytes, draw: random.Random) -> bytes:
    """How many rows there are: of the file (3), a row group (4, 3), a column chunk (4, 1, 3, 5)."""
    wanted = draw.choice([(3,), (4, 3), (4, 1, 3, 5)])
    counts = [field for field in fields(data, _footer(data)[0]) if field.path == wanted]
    return _changed(data, draw, draw.choice(counts)) if counts else _of_footer(data, draw)


def _pages(data: bytes) -> list[int]:
    """Where the first pages of column chunks begin: data (9) or a dictionary (11)."""
    offsets = [field for field in fields(data, _footer(data)[0]) if field.path in ((4, 1, 3, 9), (4, 1, 3, 11))]
    return [zigzag(data, field) for field in offsets if 4 <= zigzag(data, field) < len(data) - 8]


def _field_of_page(data: bytes, draw: random.Random) -> bytes:
    return _changed(data, draw, draw.choice([*fields(data, draw.choice(_pages(data)))]))


def _page(data: bytes, draw: random.Random) -> bytes:
    start = draw.choice(_pages(data)) + draw.randrange(64)
    size = draw.choice([8, 64, 1024])
    if draw.random() < 0.5:
        return flipped(data, draw, start, min(len(data), start + size))
    stop = min(_footer(data)[0], start + size)
    return data[:start] + bytes(max(0, stop - start)) + data[max(start, stop) :]


def _row_groups(data: bytes, draw: random.Random) -> bytes:
    """Two column chunks take each other's places: what the footer says of them is exchanged."""
    wanted = draw.choice([(4, 1, 3, 9), (4, 1, 3, 11), (4, 1, 3, 7), (4, 3), (4, 1, 3, 5), (4, 1, 3, 4)])
    fields_of_groups = [field for field in fields(data, _footer(data)[0]) if field.path == wanted]
    if len(fields_of_groups) < 2:
        return _exchanged(data, draw)
    left, right = sorted(draw.sample(fields_of_groups, 2), key=lambda field: field.start)
    parts = [data[: left.start], data[right.start : right.end], data[left.end : right.start]]
    return b"".join([*parts, data[left.start : left.end], data[right.end :]])


def _changed(data: bytes, draw: random.Random, field: Field) -> bytes:
    length = field.end - field.start
    changed: bytes | None = None
    if field.number:
        number = zigzag(data, field)
        near = [number + 1, number - 1, number * 2, 0, -number, 1 << 31, (1 << 62) - 1, draw.randrange(1 << 16)]
        changed = as_long(draw.choice(near), length)
    if changed is None and not field.number:
        changed = draw.choice(
            [draw.randbytes(length), bytes(length), b"\xff" * length, data[field.start : field.end][::-1]]
        )
    if changed is None or changed == data[field.start : field.end]:
        return flipped(data, draw, field.start, field.end)
    return data[: field.start] + changed + data[field.end :]


PARQUET = {
    **ANY,
    "bits of the footer flipped": _of_footer,
    "length of the footer changed": _length_of_footer,
    "a field of the footer changed": _field_of_footer,
    "statistics changed": _statistics,
    "counts of rows changed": _counts,
    "a field of a page's head changed": _field_of_page,
    "a page damaged": _page,
    "row groups exchanged": _row_groups,
}
