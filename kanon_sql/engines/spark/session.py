"""Which connections are sessions of Spark, told without importing what works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_session(connection: object) -> TypeGuard[SparkSession]:
    """Whether a connection is a session of Spark, a classic one or one of Spark Connect."""
    return any(
        kind.__name__ == "SparkSession" and kind.__module__.startswith("pyspark.") for kind in type(connection).__mro__
    )
