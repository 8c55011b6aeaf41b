"""Keyed hashes in SQL: HMAC-SHA-256 (RFC 2104) of the text of a value, and the fingerprints of keys.

Keys of statements that others execute: the text names where each is found then, and never holds one.
"""

from __future__ import annotations

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.sql.dialects import Dialect, marked, own, own_cast

_BLOCK = 64  # bytes of a block of SHA-256
OUTER, INNER = 0x5C, 0x36
SHIFT = "kanon-sql shift"
_OFFSET_DIGITS = 15  # hexadecimal digits, which a BIGINT holds: the bias of the remainder is below 2**-43
_FINGERPRINT = "kanon-sql fingerprint"
# Types of which every engine writes the same text.
_SAME_TEXT = (
    *("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "UUID"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT"),
)


def fingerprint(key: str, of: str = "") -> str:
    """A text that tells keys apart and says nothing of them: 16 hexadecimal digits of an HMAC-SHA-256 of its own.

    Texts `of` something else are told apart with the key, and nothing is said of them either. No pseudonym is made of
    either message, for neither has a zero byte.
    """
    message = f"{_FINGERPRINT} of {of}" if of else _FINGERPRINT
    return hmac.new(bytes.fromhex(key), message.encode(), "sha256").hexdigest()[:16]


def shift_key(key: str) -> str:
    """The key of which days are drawn: of its own, so that no digit of a pseudonym tells anything of them."""
    return hmac.new(bytes.fromhex(key), SHIFT.encode(), "sha256").hexdigest()


class Keys(ABC):
    """Where a statement has its keys from."""

    @abstractmethod
    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        """(inner, outer) padded key of HMAC as texts of hexadecimal digits; with `shift` those of the key of days."""


@dataclass(frozen=True)
class KeysBound(Keys):
    """The statement has parameters in their place: `values` are what is bound to each, and stand in no text.

    Whatever a view or a generated column of the source calls can read the text of the statement that reads it.
    """

    values: dict[str, str] = field(default_factory=dict)

    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        whole = bytes.fromhex(shift_key(key) if shift else key)
        block = (hashlib.sha256(whole).digest() if len(whole) > _BLOCK else whole).ljust(_BLOCK, b"\0")
        name = f"{fingerprint(key)}_{'days' if shift else 'pseudonyms'}"
        return self._bound(f"inner_{name}", block, INNER), self._bound(f"outer_{name}", block, OUTER)

    def _bound(self, name: str, block: bytes, pad: int) -> exp.Expr:
        self.values[name] = bytes(byte ^ pad for byte in block).hex()
        return exp.cast(exp.Parameter(this=exp.var(name)), "VARCHAR")


def text_problem(item: Column, dialect: Dialect) -> str | None:
    """Why the values of a column have no text that is the same everywhere; None where they have."""
    known = item.type.startswith(("DECIMAL(", "ENUM(")) or item.type in (*_SAME_TEXT, "TIMESTAMP")
    if known or (dialect.name == "duckdb" and item.type in ("DOUBLE", "FLOAT")):
        return None
    return f"it is of type {item.type[:40]}, of which engines write different texts; cast it to a text in source.query"


def text_in_csv(item: Column, value: exp.Expr) -> exp.Expr:
    """A value as a CSV file has it."""
    return value.copy() if item.is_text else exp.cast(value.copy(), "VARCHAR")


def keyed_digits(text: exp.Expr, context: bytes, pads: tuple[exp.Expr, exp.Expr], dialect: Dialect) -> exp.Expr:
    """The 64 hexadecimal digits of HMAC-SHA-256 over `context` and a text; NULL of NULL."""
    inner, outer = pads
    if context:
        inner = _beside(inner, context.hex())
    return _WRITTEN[dialect.name](text.copy(), inner, outer.copy())


def _beside(digits: exp.Expr, more: str) -> exp.Expr:
    return marked(exp.DPipe(this=digits.copy(), expression=exp.Literal.string(more), safe=True))


def _in_duckdb(text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
    def beside(one: exp.Expr, other: exp.Expr) -> exp.Expr:
        return exp.DPipe(this=one, expression=other, safe=True)

    first = own("sha256", beside(own("unhex", inner), own("encode", text)))
    return own("sha256", beside(own("unhex", outer), own("unhex", first)))


def _in_postgres(text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
    message = own("convert_to", exp.cast(text, "VARCHAR"), "UTF8")
    first = own("sha256", own("byteacat", own("decode", inner, "hex"), message))
    return own("encode", own("sha256", own("byteacat", own("decode", outer, "hex"), first)), "hex")


def _in_spark(text: exp.Expr, inner: exp.Expr, outer: exp.Expr) -> exp.Expr:
    first = own("sha2", own("concat", own("unhex", inner), own("encode", exp.cast(text, "VARCHAR"), "UTF-8")), 256)
    return own("sha2", own("concat", own("unhex", outer), own("unhex", first)), 256)


def hash_of_bytes(digits: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The SHA-256 of bytes, both as hexadecimal digits."""
    if dialect.name == "duckdb":
        return own("sha256", own("unhex", digits))
    if dialect.name == "postgres":
        return own("encode", own("sha256", own("decode", digits, "hex")), "hex")
    return own("sha2", own("unhex", digits), 256)


_WRITTEN = {"duckdb": _in_duckdb, "postgres": _in_postgres, "spark": _in_spark, "databricks": _in_spark}


_HASHED = "hashed"


@dataclass(frozen=True)
class Hashed:
    """The `text` of which a hash decides a value; `of_missing` says that a missing text has a value, too."""

    text: exp.Expr
    of_missing: bool


def made_of(value: exp.Expr, text: exp.Expr, *, of_missing: bool) -> exp.Expr:
    """The value, marked as one that nothing but the hash of a text decides."""
    value.meta[_HASHED] = Hashed(text.copy(), of_missing)
    return value


def hashed(node: exp.Expr) -> Hashed | None:
    """What decides a marked value; None of any other node."""
    known = node.meta.get(_HASHED)
    return known if isinstance(known, Hashed) else None


def first_digits(digits: exp.Expr, length: int) -> exp.Expr:
    """The first of hexadecimal digits."""
    return digits if length == 64 else own("substr", digits, 1, length)


def drawn(digits: exp.Expr, values: int, dialect: Dialect) -> exp.Expr:
    """A whole number of 0 to `values` - 1, of hexadecimal digits."""
    some = own("substr", digits, 1, _OFFSET_DIGITS)
    if dialect.name == "duckdb":
        number: exp.Expr = exp.cast(exp.DPipe(this=exp.Literal.string("0x"), expression=some, safe=True), "BIGINT")
    elif dialect.name == "postgres":
        digits_of_bits = own("concat", "x", some)
        number = own_cast(own_cast(digits_of_bits, "BIT(60)", "postgres"), "BIGINT", "postgres")
    else:
        number = exp.cast(own("conv", some, 16, 10), "BIGINT")
    return own("mod", number, exp.cast(exp.Literal.number(values), "BIGINT"))


_DIGITS = "0123456789abcdef"
_SECOND = "GHIJKLMNOPQRSTUV"  # stand for the second digits of bytes
_WIDTH = 128  # digits of a block of SHA-256

KeyPlace = Callable[[str], exp.Expr]


@dataclass(frozen=True)
class KeysOutside(Keys):
    """`names` of variables by their keys; `place` is the expression of the text that one holds."""

    names: Mapping[str, str]
    place: KeyPlace
    dialect: Dialect

    def pads(self, key: str, *, shift: bool) -> tuple[exp.Expr, exp.Expr]:
        text = own("lower", self.place(self.names[key]))
        if len(key) > _WIDTH:
            text = hash_of_bytes(text, self.dialect)
        pads = self._padded(text)
        return self._padded(keyed_digits(exp.Literal.string(SHIFT), b"", pads, self.dialect)) if shift else pads

    def _padded(self, text: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """The key filled up to a block, each byte changed by the byte of the inner and of the outer pad.

        Where bytes have no exclusive or, the second digit of each becomes a letter of its own, so that one translation
        changes both digits, each in its own way.
        """
        filled = own("rpad", text, _WIDTH, "0")
        if self.dialect.name == "duckdb":  # whose statements SQLMesh parses, which so many calls within calls stop
            return _exclusive(filled, INNER), _exclusive(filled.copy(), OUTER)
        group, every = (r"\1-\2", ["g"]) if self.dialect.name == "postgres" else ("$1-$2", [])
        apart = own("regexp_replace", filled, "(.)(.)", group, *every)
        for digit, letter in zip(_DIGITS, _SECOND, strict=True):
            apart = own("replace", apart, f"-{digit}", letter)
        inner, outer = (own("translate", apart.copy(), _DIGITS + _SECOND, _changed(pad)) for pad in (INNER, OUTER))
        return self._once(inner), self._once(outer)

    def _once(self, value: exp.Expr) -> exp.Expr:
        """The value, in PostgreSQL as a query that is executed once and not for each row."""
        if self.dialect.name != "postgres":
            return value
        return exp.Subquery(this=marked(exp.Select(expressions=[value])))


def _exclusive(digits: exp.Expr, pad: int) -> exp.Expr:
    """The exclusive or of bytes with a byte, all as hexadecimal digits, in DuckDB's words."""
    filler = exp.Literal.string(f"{pad:02x}" * (_WIDTH // 2))
    bits = [own_cast(own("unhex", one), "BIT", "duckdb") for one in (digits, filler)]
    return own("hex", own_cast(own("xor", *bits), "BLOB", "duckdb"))


def _changed(pad: int) -> str:
    first = "".join(f"{digit ^ (pad >> 4):x}" for digit in range(16))
    return first + "".join(f"{digit ^ (pad & 15):x}" for digit in range(16))


def place_in_session(name: str, dialect: Dialect) -> exp.Expr:
    """The variable of a session that has the name of the variable of the environment."""
    if dialect.name == "duckdb":
        return own("getvariable", name)
    if dialect.name == "postgres":
        return own("current_setting", f"kanon_sql.{name}")
    return exp.column(name, "session", "system")


def how_to_set(name: str, dialect: Dialect) -> str:
    """The statement that sets that variable."""
    if dialect.name == "duckdb":
        return f"SET VARIABLE {name} = '...'"
    if dialect.name == "postgres":
        return f"SET kanon_sql.{name} = '...'"
    return f"DECLARE VARIABLE {name} STRING DEFAULT '...'"
