"""Built-in hierarchies: the labels of the distinct values of a column, made by the engine.

Every level is a function of the level below by construction: a shorter prefix of a text is one of the longer prefix,
an interval is within one whose width is a multiple, a month within a year, a code within its group. A top level *
follows. Values that do not fit (no number, no date) get no labels; the caller finds them uncovered.

Built-ins of codes have a statement each. Their ranges are in hierarchies/codes: the first and the last code, what is
above them and, for some, what is above that.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from sqlglot import exp

from kanon_sql.config.model import BUILTINS, QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.ready import hierarchies_folder
from kanon_sql.source.reading import understood
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

DATE_LEVELS = ("hour", "day", "month", "quarter", "year", "decade", "century")
# The engine's largest integer has 38 digits; three widths must fit into it on the way to a remainder.
_DIGITS = 37
_SCRATCH = ("builtin_values", "interval_units", "code_ranges", "leaf")


@dataclass(frozen=True)
class Codes:
    """A built-in of codes: its statement, the number of levels between codes and top, whether it reads ranges."""

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


def labels_of_codes(engine: Engine, name: str) -> exp.Expr:
    """SELECT of value, text, place, label_0 and the labels below the top for the values in the table builtin_values.

    Makes the table code_ranges.
    """
    codes = CODES[name]
    if codes.ranges:
        rows = read_ranges(name)
        columns = [json.dumps(column) for column in zip(*rows, strict=True)]
        values = dict(zip(("first", "last", "above", "top"), columns, strict=True))
        engine.query("hierarchy/code_ranges", values=values)
    return template.fill(codes.statement)


def read_ranges(name: str) -> list[tuple[str, str, str, str]]:
    """(first code, last code, label above, label above that or the same again) of each range of a built-in."""
    with (hierarchies_folder() / "codes" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1], row[2], row[-1]) for row in list(csv.reader(file))[1:]]


def build_leaves(engine: Engine, qi: GeneralizedColumn) -> int:
    """Makes the table `leaf` (value, place, label_0 ... label_H) for the values of a column, and gives the height H.

    Raises ConfigurationError for options that do not fit, before the values are read.
    """
    check_options(qi.spec, qi.where)
    if qi.spec.builtin == "merge-rare" and rare_word(qi.spec) in qi.absent:
        raise ConfigurationError(
            f"{qi.where}: other: {rare_word(qi.spec)!r} is a text that means missing; name another word"
        )
    engine.query(
        "hierarchy/builtin_values",
        names={"raw_values": qi.distinct, "typed_value": exp.Cast(this=exp.column("leaf"), to=qi.type)},
        values={"missing": [text for text in qi.absent if text is not None], "absent": qi.absent},
    )
    labels, height, values = _labels(engine, qi)
    levels: list[Item] = [{"name": f"label_{level}"} for level in range(1, height)]
    engine.query(
        "hierarchy/builtin_leaves",
        lists={"level": levels},
        values=values,
        names={"labels": labels, "label_top": f"label_{height}"},
    )
    return height


def drop_leaves(engine: Engine) -> None:
    """Drops the tables that `build_leaves` makes."""
    for name in _SCRATCH:
        engine.run(tables.drop(state(name)))


def check_options(spec: QuasiIdentifier, where: str) -> None:
    """Raises ConfigurationError with all problems of a built-in's options."""
    checks = {"prefix": _prefix_problems, "intervals": _interval_problems, "date": _date_problems}
    problems = checks[spec.builtin](spec) if spec.builtin in checks else []
    if problems:
        raise ConfigurationError([f"{where}: {problem}" for problem in problems])


def describe(spec: QuasiIdentifier) -> str:
    """A built-in with its options, as a configuration writes it."""
    assert spec.builtin is not None
    given = [(key, getattr(spec, key)) for key in BUILTINS[spec.builtin]]
    options = "".join(f", {key}: {_option(value)}" for key, value in given if value not in (None, []))
    return f"{{builtin: {spec.builtin}{options}}}"


def _option(value: object) -> str:
    return f"[{_listed(value)}]" if isinstance(value, list) else _listed([value])


def rare_word(spec: QuasiIdentifier) -> str:
    """The label of rare values."""
    return spec.other or "Other"


def fixed_labels(spec: QuasiIdentifier) -> list[str]:
    """The labels between the values and the top that do not depend on the values."""
    if spec.builtin == "merge-rare":
        return [rare_word(spec)]
    if spec.builtin in CODES and CODES[spec.builtin].ranges:
        return sorted({label for row in read_ranges(spec.builtin) for label in row[2:]})
    return [label for label in _end_labels(spec) if label is not None]


def _end_labels(spec: QuasiIdentifier) -> tuple[str | None, str | None]:
    """(label below the bottom, label from the top on), None without such an end."""
    below = None if spec.bottom is None else f"<{_plain(spec.bottom)}"
    return below, None if spec.top is None else f">={_plain(spec.top)}"


def _prefix_problems(spec: QuasiIdentifier) -> list[str]:
    keep = spec.keep or []
    if any(above >= below for below, above in pairwise(keep)):
        return [f"keep must fall from level to level, got {_listed(keep)}; for example [4, 3, 2]"]
    return []


def _interval_problems(spec: QuasiIdentifier) -> list[str]:
    widths = spec.widths or []
    if any(width <= 0 for width in widths):
        return [f"widths must be above 0, got {_listed(widths)}"]
    problems = [
        f"width {_plain(below)} does not divide the next, {_plain(above)}; "
        "each width must be a multiple of the one before, as in [5, 10, 20]"
        for below, above in pairwise(widths)
        if Fraction(above) % Fraction(below)
    ]
    scale, numbers = _scale(spec), _numbers(spec)
    if any(abs(_units(number, scale)) >= 10**_DIGITS for number in numbers):
        problems.append(f"widths and bounds need more than {_DIGITS} digits at their finest decimal; use fewer")
    return problems


def _date_problems(spec: QuasiIdentifier) -> list[str]:
    levels = spec.levels or []
    unknown = [level for level in levels if level not in DATE_LEVELS]
    if unknown:
        return [f"unknown levels {_listed(unknown)}; expected some of {_listed(DATE_LEVELS)}"]
    ranks = [DATE_LEVELS.index(level) for level in levels]
    if ranks != sorted(set(ranks)):
        return [f"levels must become coarser, got {_listed(levels)}; expected the order {_listed(DATE_LEVELS)}"]
    return []


def _listed(values: Sequence[object]) -> str:
    return ", ".join(_plain(value) if isinstance(value, Decimal) else str(value) for value in values)


def _plain(number: Decimal) -> str:
    """A number without an exponent and without zeros at the end of its decimals; never rounded."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _numbers(spec: QuasiIdentifier) -> list[Decimal]:
    """The widths and bounds of intervals."""
    bounds = (spec.origin, spec.bottom, spec.top)
    return [*(spec.widths or []), *(Decimal(0) if bound is None else bound for bound in bounds)]


def _scale(spec: QuasiIdentifier) -> int:
    """The greatest number of decimals of the widths and bounds."""
    return max(len(_plain(number).partition(".")[2]) for number in _numbers(spec))


def _units(number: Decimal, scale: int) -> int:
    """number * 10 ** scale, exactly: Decimal would round to the digits of its context."""
    return int(Fraction(number) * 10**scale)


def _labels(engine: Engine, qi: GeneralizedColumn) -> tuple[exp.Expr, int, dict[str, object]]:
    """(SELECT of value, text, place and labels below the top, the height, the values of its parameters)."""
    spec = qi.spec
    if spec.builtin in CODES:
        return labels_of_codes(engine, spec.builtin), CODES[spec.builtin].levels + 1, {}
    if spec.builtin == "prefix":
        keeps: list[Item] = [{"keep": keep, "name": f"label_{level}"} for level, keep in enumerate(spec.keep or [], 1)]
        return template.fill("hierarchy/prefix", lists={"level": keeps}), len(keeps) + 1, {}
    read = understood(exp.column("text"), qi.column.reading if qi.column.is_text else None)
    if spec.builtin == "intervals":
        return _intervals(engine, spec, read)
    if spec.builtin == "date":
        periods: list[Item] = [
            {"label": name, "name": f"label_{level}"} for level, name in enumerate(spec.levels or [], 1)
        ]
        moments = {"moments": _moments(qi.type, read)}
        return template.fill("hierarchy/date", names=moments, lists={"level": periods}), len(periods) + 1, {}
    if spec.builtin == "merge-rare":
        return _merged(qi)
    return template.fill("hierarchy/suppress"), 1, {}


def _merged(qi: GeneralizedColumn) -> tuple[exp.Expr, int, dict[str, object]]:
    if qi.counted is None:
        raise ConfigurationError(
            f"{qi.where}: builtin: merge-rare counts the rows of the source, which are not read here; write the "
            "hierarchy to a file (kanon-sql hierarchy build) and name that"
        )
    below = qi.spec.below or []
    levels: list[Item] = [{"below": count, "name": f"label_{level}"} for level, count in enumerate(below, 1)]
    filled = template.fill("hierarchy/merge_rare", {"raw_counts": qi.counted}, {"level": levels})
    return filled, len(below) + 1, {"other": rare_word(qi.spec)}


def _intervals(engine: Engine, spec: QuasiIdentifier, text_read: exp.Expr) -> tuple[exp.Expr, int, dict[str, object]]:
    scale = _scale(spec)
    unit = 10**scale
    engine.query("hierarchy/interval_units", names={"text_read": text_read}, values={"scale": scale})
    whole = engine.query("hierarchy/interval_whole", values={"unit": unit})[0][0]
    widths = [_units(width, scale) for width in spec.widths or []]
    origin = _units(spec.origin or Decimal(0), scale)
    levels: list[Item] = [
        {
            "width": width,
            "origin": origin % width,
            "lower": f"lower_{level}",
            "upper": f"upper_{level}",
            "below": f"below_{level}",
            "above": f"above_{level}",
            "name": f"label_{level}",
        }
        for level, width in enumerate(widths, 1)
    ]
    ends: dict[str, object] = dict(zip(("bottom_label", "top_label"), _end_labels(spec), strict=True))
    for key, bound in (("bottom", spec.bottom), ("top", spec.top)):
        ends[key] = None if bound is None else _units(bound, scale)
    if whole and not scale:
        return template.fill("hierarchy/intervals_whole", lists={"level": levels}), len(widths) + 1, ends
    filled = template.fill("hierarchy/intervals_half_open", lists={"level": levels})
    return filled, len(widths) + 1, {**ends, "unit": unit, "scale": scale}


def _moments(target: exp.DataType, text_read: exp.Expr) -> exp.Expr:
    """SELECT of value, text and moment for the type of the column.

    A timestamp with time zone is read in UTC, so that a release does not depend on where it is made.
    """
    kind = exp.DataType.Type
    if target.is_type(kind.TEXT, kind.VARCHAR, kind.ENUM):
        return template.fill("hierarchy/text_moments", {"text_read": text_read})
    written = target.sql(dialect="duckdb")
    value: exp.Expr = exp.Null()
    if target.is_type(kind.TIMESTAMPTZ):
        value = exp.AtTimeZone(this=exp.column("value"), zone=exp.Literal.string("UTC"))
    elif written == "DATE" or written.startswith("TIMESTAMP"):
        value = exp.column("value")
    moment = exp.TryCast(this=value, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    return template.fill("hierarchy/typed_moments", {"typed_moment": moment})
