"""Pseudonyms: the same for the same value under one key, in every table and engine; of a missing value none."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from kanon_sql.settings.treatments import PseudonymConfig, TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.keys import fingerprint, first_digits, keyed_digits, made_of, text_in_csv, text_problem
from kanon_sql.source.treatments.treatment import Cell, Json, Treatment
from kanon_sql.sql.dialects import Dialect, marked


class Pseudonym(Treatment):
    """The first digits of HMAC-SHA-256 over the context, a zero byte and the value's text, behind a prefix.

    HMAC: Krawczyk, Bellare, Canetti, RFC 2104 (1997). Whoever has the key can make the pseudonym of any value, and so
    find a person: pseudonymized data are personal data still.
    """

    key = "pseudonym"

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        return text_problem(item, source.backend.dialect)

    def value(self, cell: Cell) -> exp.Expr:
        config = _config(cell.one)
        pads = cell.keys.pads(config.key, shift=False)
        text = text_in_csv(cell.item, cell.value)
        digits = first_digits(
            keyed_digits(text, (config.context or "").encode() + b"\0", pads, cell.dialect), config.length
        )
        if config.prefix:
            digits = marked(exp.DPipe(this=exp.Literal.string(config.prefix), expression=digits, safe=True))
        return made_of(digits, text, of_missing=False)

    def becomes(self, item: Column, one: TreatmentConfig) -> Column:
        return replace(item, type="VARCHAR", reading=None)

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        config = _config(one)
        prefix = "".join(f"[{char}]" if char not in "^\\[]" else f"\\{char}" for char in config.prefix or "")
        pattern = f"^{prefix}[0-9a-f]{{{config.length}}}$"
        return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(pattern))

    def broken(self, one: TreatmentConfig) -> str:
        return "are no pseudonyms"

    def describe(self, one: TreatmentConfig) -> Json:
        config = _config(one)
        return {"key": fingerprint(config.key), "length": config.length}

    def recorded(self, one: TreatmentConfig) -> Json:
        config = _config(one)
        # Both may come from the environment too.
        named = {"context": config.context or "", "prefix": config.prefix or ""}
        return {
            **self.describe(one),
            **{what: fingerprint(config.key, f"{what} {text}") if text else None for what, text in named.items()},
        }


def _config(one: TreatmentConfig) -> PseudonymConfig:
    assert one.pseudonym is not None
    return one.pseudonym
