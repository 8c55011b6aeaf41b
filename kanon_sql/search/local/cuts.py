"""Mondrian beside the sweep, and in its place for what it had no time for."""

from __future__ import annotations

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.tuples import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.local.queries import TABLES
from kanon_sql.search.mondrian.mondrian import Mondrian
from kanon_sql.sql.connection import Engine


class Cuts(Mondrian):
    """Cuts the tuples of a table(p0 ..., row_count) into the table cut_classes(part, p0 ..., row_count)."""

    def __init__(
        self, engine: Engine, tuples: Tuples, k: int, progress: Progress, models: Models | None, table: str
    ) -> None:
        super().__init__(engine, tuples, AlgorithmConfig(name="mondrian", seed=0), k, progress, models)
        self._names |= {"frequency": table, "assigned": TABLES["cut_classes"]}
