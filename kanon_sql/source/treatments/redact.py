"""Parts of free texts replaced by a word for what they look like: a help, and no guarantee.

Names in small letters, and persons who are recognized by what they did, have no shape to be found by. In doubt more is
removed: two words that begin with capitals count as a name, whatever they mean.

The regular expressions mean the same in every engine. They hold no group that is referred to, no class by its name, no
boundary of a word and no looking ahead; which of two alternatives is taken never depends on their order.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from kanon_sql.settings.treatments import Shape, TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.treatment import Json, TreatedValue, Treatment
from kanon_sql.sql.dialects import Dialect

# Letters of Latin, Greek and Cyrillic writing.
_LETTERS = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff"
_CAPITAL = "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100\u0106\u010c\u0141\u015a\u0160\u017b\u017d\u0391-\u03a9\u0410-\u042f]"
_WORD = f"{_CAPITAL}[{_LETTERS}'\u2019-]+"
_TITLES = (
    "Mr|Mrs|Ms|Miss|Sir|Dr|Prof|Herr|Herrn|Frau|Fr|Hr|Mme|Mlle|Monsieur|Madame|Sig|Sra|Sr|Don|Pan|Pani|Nurse|Schwester"
)
_MONTHS = "Jan|Feb|Mar|M\u00e4r|Apr|Mai|May|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez"
_HEX = "[0-9A-Fa-f]"

# What each shape is found by, in the order in which a text is looked through.
_FIND: tuple[tuple[Shape, str], ...] = (
    ("email", f"[{_LETTERS}0-9._%+'-]+@[{_LETTERS}0-9-]+([.][{_LETTERS}0-9-]+)+"),
    ("url", f"[A-Za-z][A-Za-z0-9+.-]*://[!#-;=?-~{_LETTERS}]+"),
    ("url", f"[Ww][Ww][Ww][.][!#-;=?-~{_LETTERS}]+"),
    ("id", f"{_HEX}{{8}}(-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"),
    ("id", "[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    ("iban", "[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,3})?"),
    ("card", "[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}"),
    ("card", "[0-9]{4}[ -]?[0-9]{6}[ -]?[0-9]{5}"),
    ("ip", "[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}"),
    ("ip", f"({_HEX}{{2}}[:-]){{5}}{_HEX}{{2}}"),
    ("ip", f"({_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}"),
    ("ip", f"({_HEX}{{1,4}}:)+(:{_HEX}{{1,4}})+"),
    ("date", "[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}"),
    ("phone", "[+][0-9]([ ()./-]{0,3}[0-9]){6,14}"),
    ("phone", "[(]?0[0-9]{2,5}[)]?([ ./-]{0,3}[0-9]){4,12}"),
    ("phone", "0[1-9]([ .-]?[0-9]{2}){4}"),
    ("phone", "[(]?[0-9]{3}[)]?[ .-]{0,2}[0-9]{3}[ .-]?[0-9]{4,9}"),
    ("date", "[0-9]{1,4}[./-] ?[0-9]{1,2}[./-] ?[0-9]{1,4}"),
    ("date", f"[0-9]{{1,2}}[.]? ?({_MONTHS})[{_LETTERS}]*[.,]?( ?[0-9]{{4}})?"),
    ("date", f"({_MONTHS})[a-z]*[.]? [0-9]{{1,2}}(, ?[0-9]{{4}})?"),
    ("id", "[A-Za-z]{0,4}-?[0-9]{5,}[A-Za-z]{0,3}"),
    ("name", f"(({_TITLES})[.]? +)+{_WORD}( +{_WORD}){{0,3}}"),
    ("name", f"{_WORD}( +{_WORD})+"),
)


def _patterns(config: TreatmentConfig) -> list[tuple[Shape, str]]:
    return [(shape, pattern) for shape, pattern in _FIND if shape in (config.redact or ())]


class Redact(Treatment):
    """`redact: [email, phone]`: `call [phone]`."""

    key: ClassVar[str] = "redact"
    dialects = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        if column.is_text and (column.reading is None or not column.reading.is_typed):
            return None
        kind = column.type[:40] if column.reading is None else column.reading.type
        return f"its values are of type {kind}, and no free texts; remove redact"

    def value(self, cell: TreatedValue) -> exp.Expr:
        value = cell.value.copy()
        for shape, pattern in _patterns(cell.config):
            value = cell.dialect.replace_all(value, pattern, f"[{shape}]")
        return value

    def holds(self, value: exp.Expr, column: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Whether nothing of these shapes is left in the text."""
        # Engines differ on where a text ends: so none ends in the end of a line.
        text = exp.Trim(this=value.copy(), expression=exp.Literal.string("\n\r\x85\u2028\u2029"), position="BOTH")
        matches = [
            exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(pattern)) for _, pattern in _patterns(config)
        ]
        return exp.not_(exp.paren(exp.or_(*matches)))

    def broken(self, config: TreatmentConfig) -> str:
        return f"hold what looks like {', '.join(config.redact or ())}"

    def describe(self, config: TreatmentConfig) -> Json:
        return {"shapes": list(config.redact or ())}
