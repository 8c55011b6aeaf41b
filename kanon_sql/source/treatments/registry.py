"""The treatments in the order in which they act on a column: one to add is a file and a line here."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.treatments.cut import Cut
from kanon_sql.source.treatments.numbers import Bottom, Decimals, Round, Top
from kanon_sql.source.treatments.pseudonym import Pseudonym
from kanon_sql.source.treatments.redact import Redact
from kanon_sql.source.treatments.shift import Shift
from kanon_sql.source.treatments.treatment import Treatment

TREATMENTS: tuple[Treatment, ...] = (
    *(Shift(), Cut()),
    *(Round(), Decimals(), Bottom(), Top()),
    Redact(),
    Pseudonym(),
)


def treatments_of(config: TreatmentConfig) -> Iterator[Treatment]:
    """The treatments that a column's entry asks for, in the order in which they act."""
    return (treatment for treatment in TREATMENTS if getattr(config, treatment.key) is not None)
