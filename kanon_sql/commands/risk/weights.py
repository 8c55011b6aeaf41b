"""The risk of a sample whose rows have weights: each stands for so many persons of the population.

The persons F of the population who fall under a class of f rows are not known. Given f they are taken to have the
negative binomial distribution of f successes with the chance p, estimated as f / the sum of the weights in the class;
the risk of a row is the expected 1/F. With weights of 1 the table is its population, and that is 1/f.

R. Benedetti, L. Franconi: Statistical and technological solutions for controlled data dissemination. Pre-proceedings of
New Techniques and Technologies for Statistics 1, 1998; L. Franconi, S. Polettini: Individual risk estimation in
mu-Argus: a review. Privacy in Statistical Databases, LNCS 3050, 2004.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.commands.risk.measure import Json
from kanon_sql.errors import UnfittingSourceError
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import normalized, person
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state
from kanon_sql.sql.type_names import NUMERIC

OPTION = "--weights"

_MOST = 10**15  # persons for whom one row may stand
# Decimals add up to the same sum in every order.
_NUMBER = exp.DataType.build("DECIMAL(38, 12)", dialect="duckdb")
_FEW = 19  # rows of the largest class whose risk is not taken from the series where p is small
_TERMS = 64  # beyond them the series adds less than the last digit of a double


def find_weights(source: Source, name: str) -> Column:
    """The column of weights. Raises UnfittingSourceError where there is none of this name, or it holds no numbers."""
    found = next((item for item in source.columns if item.name == name), None)
    if found is None:
        raise UnfittingSourceError(
            f"{OPTION} {name}: there is no column {name!r} in {source.label}; expected the column that says for how "
            "many persons of the population each row stands"
        )
    if not (found.is_text or found.type.startswith(NUMERIC)):
        raise UnfittingSourceError(
            f"{OPTION} {name}: column {name!r} is of type {found.type[:40]}; expected numbers above 0"
        )
    return found


def measure_weights(
    engine: Engine, source: Source, quasi_identifiers: Sequence[Column], weights: Column, rows: exp.Select, limit: float
) -> Json:
    """The report's part on the weighted rows of one table, with those whose risk is above the `limit`.

    Raises UnfittingSourceError where rows have no weight above 0.
    """
    number = exp.TryCast(this=person(weights, source.missing), to=_NUMBER)
    with telling_faults(engine, source):
        names = {"source": rows, "raw_weight": normalized(weights, source.missing), "weight_number": number}
        found = engine.query("commands/risk/weights/faults", names=names, values={"most": _MOST})[0]
        persons, missing, unreadable, too_low, below_one = found
        _refuse(weights, source, missing, unreadable, too_low)
        del names["raw_weight"]
        values = [{"value": normalized(item, source.missing)} for item in quasi_identifiers]
        classes = {"weighted_classes": state("risk_weighted_classes")}
        engine.query("commands/risk/weights/classes", names={**names, **classes}, lists={"item": values})
    risks = {"class_risks": state("risk_class_risks")}
    engine.query("commands/risk/weights/risks", names={**classes, **risks}, values={"few": _FEW, "terms": _TERMS})
    return {
        "column": weights.name,
        "population_size": persons,
        "below_one": below_one,
        **_measures(engine, risks["class_risks"], limit),
    }


def _refuse(weights: Column, source: Source, missing: int, unreadable: int, too_low: int) -> None:
    counts = ((missing, "no value"), (unreadable, "a value that is no number"), (too_low, "a number that is 0 or less"))
    found = [f"{what} in {rows} rows" for rows, what in counts if rows]
    if found:
        raise UnfittingSourceError(
            f"{OPTION} {weights.name}: column {weights.name!r} of {source.label} has {', '.join(found)}; expected in "
            "each row a number above 0, the persons of the population for whom it stands"
        )


def _measures(engine: Engine, risks: str, limit: float) -> Json:
    row = engine.query("commands/risk/weights/measures", names={"class_risks": risks}, values={"threshold": limit})[0]
    n, highest, found_again, above, alone, alone_in_population = row
    return {
        "highest": highest,
        "average": found_again / n,
        "above": {"rows": above, "share": above / n},
        "reidentifications": found_again,
        "unique": {"rows": alone, "in_population": alone_in_population},
    }
