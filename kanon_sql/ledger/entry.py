"""An entry of the ledger, and whether what a file holds can be one.

A ledger is a file like others: who copied it while it was written, or changed it by hand, finds that out here, before
a release is compared with what it holds.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A release of the ledger.

    `origin` is the first release of the same source, itself where it is that; `built_on` the release that was its
    source. `source` and `target` say where they were, None for tables of a connection that was handed in, and the
    places are digests of that; fingerprints are equal for equal rows. `details` are its configuration, solution,
    privacy and counts; of an open release, of which it is not said yet that it came to its place, also what shows
    that it did not: `open` is [path, inode] of a file that is then still beside the target, or empty.
    """

    id: int
    made_at: str
    program: str
    origin: int
    built_on: int | None
    source: str | None
    source_place: str | None
    source_fingerprint: str
    target: str | None
    target_place: str | None
    release_fingerprint: str
    quasi_identifiers: list[str]
    released: list[str]
    details: Json

    @property
    def state(self) -> str:
        """ "open" from before the release is put in its place until that is said of it; then "released"."""
        return "open" if "open" in self.details else "released"

    def to_dict(self) -> Json:
        """The entry as JSON data, without what only tells whether a source is another one."""
        shown = asdict(self)
        shown["details"] = {name: value for name, value in self.details.items() if name not in ("prints", "places")}
        return {**shown, "state": self.state}


_Kinds = tuple[type, ...]
_NULL = type(None)
_KINDS: dict[str, _Kinds] = {
    **dict.fromkeys(("id", "origin"), (int,)),
    **dict.fromkeys(("made_at", "program", "source_fingerprint", "release_fingerprint", "details"), (str,)),
    **dict.fromkeys(("source", "source_place", "target", "target_place"), (str, _NULL)),
    "built_on": (int, _NULL),
    **dict.fromkeys(("quasi_identifiers", "released"), (list,)),
}
_IN_DETAILS: dict[str, _Kinds] = {
    **dict.fromkeys(("configuration", "folder", "order"), (str,)),
    **dict.fromkeys(("rows", "classes", "privacy"), (dict,)),
    "solution": (dict, _NULL),
}
_MAYBE_IN_DETAILS: dict[str, _Kinds] = {
    **dict.fromkeys(("columns", "treatments", "prints"), (dict,)),
    **dict.fromkeys(("aggregated", "open", "places"), (list,)),
}
_COUNTS = (("rows", ("source", "suppressed", "released")), ("classes", ("count", "min", "max")))


def entry_of(row: Json) -> Entry:
    """The entry that a row of the ledger is. Raises ValueError with what of it cannot be."""
    _expect(row, _KINDS)
    for name in ("quasi_identifiers", "released"):
        _expect_texts(row, name)
    try:
        details = json.loads(row["details"])
    except (ValueError, RecursionError):
        raise ValueError("details") from None
    if not isinstance(details, dict):
        raise ValueError("details")
    _expect(details, _IN_DETAILS)
    _expect({**{name: kinds[0]() for name, kinds in _MAYBE_IN_DETAILS.items()}, **details}, _MAYBE_IN_DETAILS)
    for name in ("aggregated", "open", "places"):
        _expect_texts({name: [], **details}, name)
    if "prints" in details:
        _expect_prints(details["prints"])
    for name, counts in _COUNTS:
        _expect(details[name], dict.fromkeys(counts, (int,)))
    _expect_parts(details)
    return Entry(**{**row, "details": details})


def _expect_parts(details: Json) -> None:
    """Raises ValueError with the part of nested details that cannot be."""
    levels = (details["solution"] or {}).get("levels", {})
    if not isinstance(levels, dict) or not all(type(level) is int for level in levels.values()):
        raise ValueError("solution")
    if not isinstance(details["privacy"].get("k"), dict) or "required" not in details["privacy"]["k"]:
        raise ValueError("privacy")
    nested = [*details.get("columns", {}).values()]
    for treated in details.get("treatments", {}).values():
        nested += [treated, *(treated.values() if isinstance(treated, dict) else ())]
    if not all(isinstance(one, dict) for one in nested):
        raise ValueError("columns, treatments")
    if len(details.get("open", [])) > 2:
        raise ValueError("open")


def _expect_prints(prints: Json) -> None:
    """Raises ValueError where the fingerprints of columns cannot be."""
    _expect(prints, {"key": (str,), "source": (dict,), "release": (dict,)})
    for table in (prints["source"], prints["release"]):
        _expect(table, {"rows": (int,), "columns": (dict,), "others": (list,)})
        for column in (*table["columns"].values(), *table["others"]):
            if not isinstance(column, list) or [type(part) for part in column] != [str, int]:
                raise ValueError("prints")


def _expect(held: Json, kinds: dict[str, _Kinds]) -> None:
    """Raises ValueError with the first name whose value is of another kind."""
    for name, known in kinds.items():
        if not isinstance(held.get(name, ...), known) or isinstance(held[name], bool):
            raise ValueError(name)


def _expect_texts(held: Json, name: str) -> None:
    if not all(isinstance(one, str) for one in held[name]):
        raise ValueError(name)
