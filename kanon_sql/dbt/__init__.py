"""kanon-sql in dbt: a package of generic tests, models that a finished search is written as, and Python models.

def model(dbt, session):
    from kanon_sql.dbt import anonymize

    dbt.config(materialized="table")
    return anonymize(dbt, session, dbt.ref("patients"), "config.yaml")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.commands.projects import package_folder

if TYPE_CHECKING:
    from kanon_sql.dbt.python_model import anonymize

__all__ = ["anonymize", "package_folder"]


def __getattr__(name: str) -> Any:
    # The engine is only imported when a release is made.
    if name == "anonymize":
        from kanon_sql.dbt.python_model import anonymize

        return anonymize
    raise AttributeError(f"module 'kanon_sql.dbt' has no attribute {name!r}")
