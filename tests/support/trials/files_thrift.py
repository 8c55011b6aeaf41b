"""Parquet's own data (footer, page headers) as the fields of Thrift's compact protocol, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_VARINTS = (_I16, _I32, _I64)
Path = tuple[int, ...]


@dataclass(frozen=True)
class Field:
    """A field that is no struct or list: the ids that lead to it, its type and where its bytes are."""

    path: Path
    kind: int
    start: int
    end: int

    @property
    def number(self) -> bool:
        """Whether it is a number of one to ten bytes."""
        return self.kind in _VARINTS

    @property
    def text(self) -> bool:
        """Whether it is bytes, as a name or a bound of statistics."""
        return self.kind == _BINARY


def fields(data: bytes, start: int) -> Iterator[Field]:
    """The fields of the struct that begins there, those of structs and lists within it too."""
    yield from _Reader(data, start).struct(())


def varint(data: bytes, place: int) -> tuple[int, int]:
    """(number, where it ends)."""
    number = shift = 0
    while True:
        number |= (data[place] & 127) << shift
        shift += 7
        place += 1
        if not data[place - 1] & 128:
            return number, place


def zigzag(data: bytes, field: Field) -> int:
    """The number of a field."""
    number, _ = varint(data, field.start)
    return (number >> 1) ^ -(number & 1)


def as_long(number: int, length: int) -> bytes | None:
    """A number as a varint of so many bytes; None where it does not fit."""
    coded = (number << 1) ^ (number >> 63)
    if coded < 0 or coded >> 7 * length:
        return None
    parts = [(coded >> 7 * place) & 127 for place in range(length)]
    return bytes([part | 128 for part in parts[:-1]] + parts[-1:])


class _Reader:
    def __init__(self, data: bytes, place: int) -> None:
        self.data = data
        self.place = place

    def struct(self, path: Path) -> Iterator[Field]:
        last = 0
        while head := self._byte():
            delta, kind = head >> 4, head & 15
            last = last + delta if delta else self._varint() >> 1
            if kind not in (_TRUE, _FALSE):
                yield from self._value((*path, last), kind)

    def _value(self, path: Path, kind: int) -> Iterator[Field]:
        start = self.place
        if kind == _STRUCT:
            yield from self.struct(path)
        elif kind in (_LIST, _SET):
            head = self._byte()
            size = self._varint() if head >> 4 == 15 else head >> 4
            for _ in range(size):
                yield from self._value(path, head & 15)
        else:
            self._pass(kind)
            length = self.place if kind != _BINARY else start
            begin = start if kind != _BINARY else varint(self.data, length)[1]
            yield Field(path, kind, begin, self.place)

    def _pass(self, kind: int) -> None:
        if kind in _VARINTS:
            self._varint()
        elif kind == _BINARY:
            length = self._varint()
            self.place += length
        else:
            self.place += 8 if kind == _DOUBLE else 1

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _varint(self) -> int:
        number, self.place = varint(self.data, self.place)
        return number
