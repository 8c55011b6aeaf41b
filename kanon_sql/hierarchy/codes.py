"""Built-in hierarchies of codes: what lies above a code is read from it, and from ranges that are kept as data.

Each has a statement of its own. Its ranges stand in hierarchies/codes: the first and the last code of each, what lies
above it, and for some what lies above that.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.hierarchy.ready import hierarchies_folder
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state


@dataclass(frozen=True)
class Codes:
    """A built-in of codes: its statement, how many levels lie between a code and the top, whether it reads ranges."""

    statement: str
    levels: int
    ranges: bool = True


CODES = {
    "icd10": Codes("hierarchy/icd10", 3),
    "nace": Codes("hierarchy/nace", 3),
    "isco": Codes("hierarchy/isco", 3),
    "de-plz": Codes("hierarchy/de_plz", 3, ranges=False),
    "fr-postal": Codes("hierarchy/fr_postal", 2),
    "uk-postcode": Codes("hierarchy/uk_postcode", 3),
}
RANGES = "code_ranges"


def labels_of_codes(engine: Engine, name: str) -> exp.Expr:
    """A SELECT of value, text, place, label_0 and the labels below the top, of the values in the table builtin_values.

    It makes the table code_ranges.
    """
    codes = CODES[name]
    names: dict[str, template.Fill] = {"builtin_values": state("builtin_values")}
    if codes.ranges:
        names["code_ranges"] = state(RANGES)
        rows = read_ranges(name)
        columns = [json.dumps(column) for column in zip(*rows, strict=True)]
        values = dict(zip(("first", "last", "above", "top"), columns, strict=True))
        engine.query("hierarchy/code_ranges", names={"code_ranges": state(RANGES)}, values=values)
    return template.fill(codes.statement, names=names)


def read_ranges(name: str) -> list[tuple[str, str, str, str]]:
    """The ranges of a built-in: first code, last code, what lies above, what lies above that (or the same again)."""
    with (hierarchies_folder() / "codes" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1], row[2], row[-1]) for row in list(csv.reader(file))[1:]]
