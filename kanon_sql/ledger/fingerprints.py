"""What the ledger keeps instead of rows and places: digests."""

from __future__ import annotations

import hashlib
import json

from kanon_sql.source.model import Source
from kanon_sql.source.values import text_of
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item


def fingerprint(engine: Engine, table: Source) -> str:
    """A text that is equal for tables of equal columns and rows, in whatever order and format; it takes one scan."""
    columns = sorted(table.columns, key=lambda item: item.name)
    items: list[Item] = [{"value": text_of(item, ())} for item in columns]
    sums = engine.query("ledger/fingerprint", names={"table_rows": table.relation}, lists={"cell": items})[0]
    said = json.dumps([[item.name for item in columns], *map(str, sums)])
    return digest(said)


def digest(text: str) -> str:
    """Of a text, 128 bits as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
