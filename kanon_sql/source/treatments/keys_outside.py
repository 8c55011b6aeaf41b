"""Keys of statements that others execute: the text names where each is found then, and never holds one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.source.treatments.keys import INNER, OUTER, SHIFT, Keys, hash_of_bytes, keyed_digits
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.dialects.own import marked, own, own_cast

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
