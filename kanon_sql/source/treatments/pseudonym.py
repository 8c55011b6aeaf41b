"""Pseudonyms: equal for equal values under one key, in every table and engine; a missing value has none."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from kanon_sql.settings.treatments import PseudonymConfig, TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.keys import fingerprint, keyed_digits, made_of, text_in_csv, text_problem
from kanon_sql.source.treatments.treatment import Json, TreatedValue, Treatment
from kanon_sql.sql.dialects import Dialect, marked, own


class Pseudonym(Treatment):
    """The first digits of HMAC-SHA-256 over the context, a zero byte and the value's text, behind a prefix.

    HMAC: Krawczyk, Bellare, Canetti, RFC 2104 (1997). Whoever has the key can make the pseudonym of any value, and so
    find a person: pseudonymized data are personal data still.
    """

    key = "pseudonym"
    dialects = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        return text_problem(column, source.backend.dialect)

    def value(self, cell: TreatedValue) -> exp.Expr:
        pseudonym = _pseudonym_of(cell.config)
        pads = cell.keys.pads(pseudonym.key, shift=False)
        text = text_in_csv(cell.column, cell.value)
        digits = keyed_digits(text, (pseudonym.context or "").encode() + b"\0", pads, cell.dialect)
        if pseudonym.length < 64:
            digits = own("substr", digits, 1, pseudonym.length)
        if pseudonym.prefix:
            digits = marked(exp.DPipe(this=exp.Literal.string(pseudonym.prefix), expression=digits, safe=True))
        return made_of(digits, text, of_missing=False)

    def becomes(self, column: Column, config: TreatmentConfig) -> Column:
        return replace(column, type="VARCHAR", reading=None)

    def holds(self, value: exp.Expr, column: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        pseudonym = _pseudonym_of(config)
        prefix = "".join(f"[{char}]" if char not in "^\\[]" else f"\\{char}" for char in pseudonym.prefix or "")
        pattern = f"^{prefix}[0-9a-f]{{{pseudonym.length}}}$"
        return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern))

    def broken(self, config: TreatmentConfig) -> str:
        return "are no pseudonyms"

    def describe(self, config: TreatmentConfig) -> Json:
        pseudonym = _pseudonym_of(config)
        return {"key": fingerprint(pseudonym.key), "length": pseudonym.length}

    def recorded(self, config: TreatmentConfig) -> Json:
        pseudonym = _pseudonym_of(config)
        # Both may come from the environment too.
        named = {"context": pseudonym.context or "", "prefix": pseudonym.prefix or ""}
        return {
            **self.describe(config),
            **{part: fingerprint(pseudonym.key, f"{part} {text}") if text else None for part, text in named.items()},
        }


def _pseudonym_of(config: TreatmentConfig) -> PseudonymConfig:
    assert config.pseudonym is not None
    return config.pseudonym
