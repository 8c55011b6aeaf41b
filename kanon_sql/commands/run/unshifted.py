"""Dates that are released as they are beside shifted ones: the days between both are known, and undo the shift."""

from __future__ import annotations

from collections.abc import Mapping

from kanon_sql.config.model import Config
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.model import Column
from kanon_sql.source.values import text_of


def unshifted_dates(prepared: SearchProblem, config: Config, levels: Mapping[str, int] | None) -> list[str]:
    """A warning of released columns of dates that are not shifted where others are; of a quasi-identifier where its
    level may be that of days.
    """
    shifted = [name for name, treatment in config.transform.items() if treatment.shift is not None]
    released = [
        item
        for item in prepared.roles.released
        if item.name not in shifted and not (item.name in config.quasi_identifiers and (levels or {}).get(item.name))
    ]
    dates = [item.name for item in released if _holds_dates(prepared, item)] if shifted else []
    if not dates:
        return []
    return [
        f"released as they are beside shifted dates ({', '.join(map(repr, shifted))}): {', '.join(map(repr, dates))}; "
        "whoever knows how many days lie between both knows the shift, and with it all dates of the person; shift them "
        "by the same column, release months or years, or leave them out"
    ]


def _holds_dates(prepared: SearchProblem, item: Column) -> bool:
    if item.type.startswith(("DATE", "TIMESTAMP")):
        return True
    if item.reading is not None and item.reading.type in ("date", "timestamp"):
        return True
    source = prepared.source
    if not item.is_text or source.backend.weighted:
        return False
    names = {"table_rows": source.relation}
    cells = {"cell": [{"value": text_of(item, source.missing)}]}
    return bool(source.backend.query("ledger/column_kinds", names=names, lists=cells)[0][0] == ["moment"])
