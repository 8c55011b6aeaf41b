"""Keyed hashes in SQL, of which pseudonyms and shifts are made: HMAC-SHA-256 (RFC 2104) of the text of a value.

A statement of this program has its keys as parameters (`KeysBound`). One that others execute names the variable of the
session that holds each key (`KeysOutside`); its text never holds a key.
"""

from __future__ import annotations

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.sql.dialects import Dialect, marked, own

KeyPlace = Callable[[str], exp.Expr]

_BLOCK = 64  # bytes of a block of SHA-256
_OUTER, _INNER = 0x5C, 0x36
_SHIFT = "kanon-sql shift"
_OFFSET_DIGITS = 15  # hexadecimal digits, which a BIGINT holds: the bias of the remainder is below 2**-43
_FINGERPRINT = "kanon-sql fingerprint"
_HASHED = "hashed"
# Types of which every engine writes the same text.
_SAME_TEXT = (
    *("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "UUID"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT"),
)


class KeySource(ABC):
    """Where a statement has its keys from."""

    @abstractmethod
    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        """(inner, outer) padded key of HMAC as texts of hexadecimal digits; with `shift` those of the key of days."""


@dataclass(frozen=True)
class KeysBound(KeySource):
    """Keys as parameters of the statement, `values` by their names: whatever a view of the source calls can read the
    text of the statement that reads it, and must find no key there.
    """

    values: dict[str, str] = field(default_factory=dict)

    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        whole = bytes.fromhex(shift_key(key) if shift else key)
        block = (hashlib.sha256(whole).digest() if len(whole) > _BLOCK else whole).ljust(_BLOCK, b"\0")
        name = f"{fingerprint(key)}_{'days' if shift else 'pseudonyms'}"
        return self._bound(f"inner_{name}", block, _INNER), self._bound(f"outer_{name}", block, _OUTER)

    def _bound(self, name: str, block: bytes, pad: int) -> exp.Expr:
        self.values[name] = bytes(byte ^ pad for byte in block).hex()
        return exp.cast(exp.Parameter(this=exp.var(name)), "VARCHAR")


@dataclass(frozen=True)
class KeysOutside(KeySource):
    """Keys in variables: their `names` by the keys; `place` gives the expression of the text in a variable."""

    names: Mapping[str, str]
    place: KeyPlace
    dialect: Dialect

    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        text = own("lower", self.place(self.names[key]))
        if len(key) > 2 * _BLOCK:
            text = self.dialect.sha256(text)
        pads = self._padded(text)
        return self._padded(keyed_digits(exp.Literal.string(_SHIFT), b"", pads, self.dialect)) if shift else pads

    def _padded(self, text: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The key filled up to a block, each byte changed by the byte of the inner and of the outer pad."""
        filled = own("rpad", text, 2 * _BLOCK, "0")
        inner, outer = (self.dialect.xor_each(filled.copy(), 2 * _BLOCK, pad) for pad in (_INNER, _OUTER))
        return inner, outer


def fingerprint(key: str, of: str = "") -> str:
    """16 hexadecimal digits that differ from key to key and reveal nothing of a key: an HMAC-SHA-256 of its own.

    With a text `of` something secret they differ with that text, too, and reveal nothing of it. No pseudonym is made of
    such a message, for it has no zero byte.
    """
    message = f"{_FINGERPRINT} of {of}" if of else _FINGERPRINT
    return hmac.new(bytes.fromhex(key), message.encode(), "sha256").hexdigest()[:16]


def shift_key(key: str) -> str:
    """The key by which days are drawn: one derived for them, so that no pseudonym reveals anything of the days."""
    return hmac.new(bytes.fromhex(key), _SHIFT.encode(), "sha256").hexdigest()


def text_problem(column: Column, dialect: Dialect) -> str | None:
    """Why the values of a column have no text that is the same in every engine; None where they have one."""
    is_same = column.type.startswith(("DECIMAL(", "ENUM(")) or column.type in (*_SAME_TEXT, "TIMESTAMP")
    if is_same or (dialect.same_floats and column.type in ("DOUBLE", "FLOAT")):
        return None
    return (
        f"it is of type {column.type[:40]}, of which engines write different texts; cast it to a text in source.query"
    )


def text_in_csv(column: Column, value: exp.Expr) -> exp.Expr:
    """A value as a CSV file has it."""
    return value.copy() if column.is_text else exp.cast(value.copy(), "VARCHAR")


def keyed_digits(text: exp.Expr, context: bytes, pads: tuple[exp.Expr, exp.Expr], dialect: Dialect) -> exp.Expr:
    """The 64 hexadecimal digits of HMAC-SHA-256 over `context` and a text; NULL of NULL."""
    inner, outer = pads
    if context:
        more = exp.Literal.string(context.hex())
        inner = marked(exp.DPipe(this=inner.copy(), expression=more, safe=True))
    return dialect.hmac_sha256(text.copy(), inner, outer.copy())


@dataclass(frozen=True)
class Hashed:
    """The `text` whose keyed hash determines a value; `of_missing` says that a missing text has a value, too."""

    text: exp.Expr
    of_missing: bool


def made_of(value: exp.Expr, text: exp.Expr, *, of_missing: bool) -> exp.Expr:
    """Marks a value as determined by the keyed hash of a text alone: see kanon_sql.source.treatments.lookups."""
    value.meta[_HASHED] = Hashed(text.copy(), of_missing)
    return value


def hashed(node: exp.Expr) -> Hashed | None:
    """The text that determines a marked value; None for any other node."""
    mark = node.meta.get(_HASHED)
    return mark if isinstance(mark, Hashed) else None


def drawn(digits: exp.Expr, values: int, dialect: Dialect) -> exp.Expr:
    """A whole number of 0 to `values` - 1, drawn by hexadecimal digits."""
    number = dialect.whole_number(own("substr", digits, 1, _OFFSET_DIGITS))
    return own("mod", number, exp.cast(exp.Literal.number(values), "BIGINT"))
