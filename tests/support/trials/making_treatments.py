"""What is done to values of a case before they are generalized: how they are read, treatments, aggregates."""

from __future__ import annotations

import hashlib
import hmac
import random
import re
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any

from plain_reading import read

from trials.making_trees import day, number, text

if TYPE_CHECKING:
    from trials.making import Case, Column
Json = dict[str, Any]
KEY = "00112233445566778899aabbccddeeff"
VARIABLE = "KANON_TRIALS_KEY"


def fill(draw: random.Random, case: Case) -> None:
    """Puts `source.columns` and `transform` into the configuration; columns know what they show then."""
    treated: Json = {}
    for column in case.columns:
        if column.role == "identifier" and draw.random() < 0.12 and column.name != "year":
            treated[column.name] = {"pseudonym": _pseudonyms(draw, case, column)}
        elif column.role == "insensitive" and draw.random() < 0.3 and case.way != "xlsx" and column.name != "year":
            entry = _numbers(draw, case, column) or _dates(draw, case, column)
            if entry:
                treated[column.name] = entry
    if treated:
        case.config["transform"] = treated


def reading(draw: random.Random, case: Case) -> None:
    """How columns of texts are read: from here on their values are what that makes of them."""
    described: Json = {}
    for column in case.of("quasi", "sensitive", "insensitive"):
        plain = column.kind == "text" and all(len(value.lower()) == len(value) for value in column.values if value)
        if not plain or column.tree is not None or column.name == "year" or draw.random() > 0.05:
            continue
        entry: Json = {"trim": True} if draw.random() < 0.6 else {}
        entry |= {"case": "lower"} if draw.random() < 0.5 or not entry else {}
        if draw.random() < 0.3:
            entry["missing"] = ["-", "null"]
        column.values = [read(value, entry, case.missing) for value in column.values]
        described[column.name] = entry
    if described:
        source = case.config["source"]
        case.config["source"] = {**(source if isinstance(source, dict) else {"path": source}), "columns": described}


def _pseudonyms(draw: random.Random, case: Case, column: Column) -> Json:
    case.environment[VARIABLE] = KEY
    length, prefix, context = (
        draw.choice([16, 24, 32, 64]),
        draw.choice(["", "P", "é "]),
        draw.choice(["", "study-1", "ü"]),
    )
    entry: Json = {"key": "${" + VARIABLE + "}", "length": length}
    entry |= {key: value for key, value in (("prefix", prefix), ("context", context)) if value}

    def pseudonym(value: Any) -> Any:
        if value is None or value in case.missing:
            return value
        message = context.encode() + b"\0" + text(value).encode()
        return prefix + hmac.new(bytes.fromhex(KEY), message, hashlib.sha256).hexdigest()[:length]

    column.role, column.shown = "pseudonym", [pseudonym(value) for value in column.values]
    return entry


def _numbers(draw: random.Random, case: Case, column: Column) -> Json:
    present = [value for value in column.values if value is not None and value not in case.missing]
    numbers = [number(text(value)) for value in present]
    fine = all(value is not None and abs(value) < 10**9 and value == round(value, 4) for value in numbers)
    if column.kind not in ("integer", "double", "text") or not present or not fine:
        return {}
    entry: Json = draw.choice(
        [{"round": 5}, {"round": 100}, {"decimals": 1}, {"bottom": 10}, {"top": 50}, {"round": 5, "top": 50}]
    )

    def treated(value: Any) -> Any:
        if value is None or value in case.missing:
            return value
        at = number(text(value))
        assert at is not None
        unit = Decimal(entry.get("round", "0.1" if "decimals" in entry else 0))
        if unit:
            at = (at / unit).to_integral_value(ROUND_HALF_EVEN) * unit
        at = max(at, Decimal(entry.get("bottom", "-1e20")))
        return float(min(at, Decimal(entry.get("top", "1e20"))))

    column.shown, column.shown_kind = [treated(value) for value in column.values], "double"
    return entry


def _dates(draw: random.Random, case: Case, column: Column) -> Json:
    present = [value for value in column.values if value is not None and value not in case.missing]
    if not present or not all(day(text(value)) for value in present):
        return {}
    to = draw.choice(["month", "year", "day"])

    def cut(value: Any) -> Any:
        at = None if value is None else day(text(value))
        if at is None:
            return value
        return {"day": at, "month": at.replace(day=1), "year": date(at.year, 1, 1)}[to].isoformat()

    column.shown = [cut(value) for value in column.values]
    return {"cut": to}


def aggregate(draw: random.Random, case: Case, column: Column) -> str | None:
    """What a class shows of a column of whole numbers in a full-domain search."""
    present = [value for value in column.values if value is not None and value not in case.missing]
    whole = [text(value) for value in present]
    if not whole or any(not re.fullmatch("0|-?[1-9][0-9]{0,5}", value) for value in whole):
        return None
    return draw.choice(["mean", "median", "mode", "interval"])
