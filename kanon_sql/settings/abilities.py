"""What each engine does beside searching, releasing and verifying: one row an engine; what it lacks is refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Abilities:
    """An engine: `name` is its key in a configuration too.

    `files` says that it reads files as sources, `databases` that tables stand in a file of their own, `in_place` that a
    release can take the source's place, `ledger` that its releases are recorded, `formulas` that those of CSV are
    escaped, `settings` that it takes a `config`, `pushdown` that a lattice can be searched where the rows are, `rows`
    that the rows themselves can be looked at, as `risk` and the warning of columns that betray do.
    """

    name: str
    files: bool = True
    databases: bool = False
    in_place: bool = False
    ledger: bool = False
    formulas: bool = False
    settings: bool = False
    pushdown: bool = True
    rows: bool = False


ENGINES = {
    one.name: one
    for one in (
        Abilities("duckdb", databases=True, in_place=True, ledger=True, formulas=True, pushdown=False, rows=True),
        Abilities("spark", settings=True),
        Abilities("postgres", files=False, formulas=True),
    )
}
