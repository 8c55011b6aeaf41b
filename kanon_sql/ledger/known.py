"""Whether the ledger knows a source: by all its rows, by some of its columns, or by the places that it reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.ledger.basis import Overview, digest, overview
from kanon_sql.ledger.columns import TablePrint, kept_print, print_columns
from kanon_sql.ledger.entry import Entry
from kanon_sql.ledger.places import folders_around
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine

Json = dict[str, Any]


@dataclass(frozen=True)
class SourceLook:
    """By what a source is known again.

    `columns` were printed under the `key` of the ledger; it `reads` places, and its release is put where the run
    `writes`.
    """

    fingerprint: str
    columns: TablePrint
    key: str
    reads: set[str]
    writes: set[str]

    def built_on(self, earlier: Sequence[Entry]) -> Entry | None:
        """The last release that the source is, or some columns of it."""
        whole = (one for one in reversed(earlier) if one.release_fingerprint == self.fingerprint)
        return next(whole, None) or next((one for one in reversed(earlier) if self._is_part_of(one)), None)

    def has_source_of(self, entry: Entry) -> bool:
        """Whether a release was made of the same rows, or of the same place, whose rows may have changed since."""
        if entry.source_fingerprint == self.fingerprint or self._reads_place_of(entry):
            return True
        tables = (kept_print(entry, table, self.key) for table in ("source", "release"))
        return any(self.columns.has_rows_of(table) for table in tables if table is not None)

    def kept(self, released: Collection[str], release: TablePrint) -> Json:
        """The entries of the ledger."""
        return {
            "prints": {
                "key": self.key,
                "source": self.columns.of_released(released).to_dict(),
                "release": release.to_dict(),
            },
            "places": sorted(map(digest, self.reads | self.writes)),
        }

    def _is_part_of(self, entry: Entry) -> bool:
        release = kept_print(entry, "release", self.key)
        return release is not None and self.columns.is_part_of(release)

    def _reads_place_of(self, entry: Entry) -> bool:
        named = {entry.source_place, entry.target_place}
        reads = set(map(digest, self.reads))
        around = set(map(digest, folders_around(self.reads)))
        return bool(reads & {*named, *entry.details.get("places", ())} or around & named)


def printed(engine: Engine, table: Source, key: str) -> tuple[Overview, TablePrint]:
    """The fingerprint of a table, and those of its columns."""
    whole = overview(engine, table)
    return whole, print_columns(engine, table, key, whole.rows, whole.estimates)


def columns_again(entry: Entry, earlier: Entry) -> dict[str, set[str]]:
    """For each released column the columns of an earlier release that it is: of its name, or of the same values."""
    again = {name: {name} & set(earlier.released) for name in entry.released}
    prints = entry.details["prints"]
    former = kept_print(earlier, "source", prints["key"])
    if former is not None:
        for name, others in TablePrint.of_dict(prints["source"]).namesakes(former).items():
            again[name] |= set(others)
    return again
