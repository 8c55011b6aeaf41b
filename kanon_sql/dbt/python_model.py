"""The helper for Python models of dbt-duckdb: a release made inside dbt's process, on dbt's own connection.

The connection is what dbt-duckdb hands to a model: it behaves like DuckDB's, without being of its class. The database
file is dbt's alone while dbt runs, so that nothing here may open it again.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql import api
from kanon_sql.dbt.process import project_folder, show
from kanon_sql.engines.duckdb.connection import load_for_hand_in
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.sql.connection import describe

_WHY = (
    "a release is anonymous as a whole: rows that are added to it are told apart by comparing it with what it was, and "
    "may be fewer than k; expected materialized='table' or 'external', which make it anew. `kanon-sql apply` releases "
    "added rows"
)


def anonymize(
    dbt: Any,
    session: Any,
    relation: str | duckdb.DuckDBPyRelation,
    config: str | os.PathLike[str] | Mapping[str, Any],
    *,
    overrides: Iterable[tuple[str, Any]] = (),
) -> duckdb.DuckDBPyRelation:
    """Anonymizes `relation` as `config` says: the verified release, for a Python model to return.

    `dbt` and `session` are what dbt hands to the model; `relation` is dbt.ref(...), dbt.source(...) or a table's name;
    `config` a mapping, or the path of a YAML file, relative to the dbt project, of which neither source nor target are
    read. `overrides` are pairs such as ("privacy.k", dbt.config.get("k")). Raises the errors of kanon_sql.errors, by
    which dbt fails the model: NoReleaseError where nothing satisfies the request or no row is left, ConfigurationError
    for an incremental model.
    """
    problems = [*_incremental(dbt), *_no_relation(relation)]
    if problems:
        raise ConfigurationError(problems)
    # A temporary table: dbt copies it into the model's place, and opens a connection for each model.
    name = f"released_by_kanon_sql_{secrets.token_hex(6)}"
    target = exp.table_(name, db="main", catalog="temp", quoted=True).sql("duckdb")
    try:
        folder = project_folder()
        given = config if isinstance(config, Mapping) else folder / config
        loaded = load_for_hand_in(given, overrides, folder)
        result = api.run(loaded, connection=session, source=relation, target=target)
    except KanonError as error:
        # dbt prints the whole chain of errors: those of the engine below quote values of the data.
        raise type(error)(error.problems) from None
    except duckdb.Error as error:
        raise EngineError(describe(error, show_values=False)) from None
    show(result, str(dbt.this))
    released: duckdb.DuckDBPyRelation = session.table(target)
    return released


def _incremental(dbt: Any) -> list[str]:
    """Why an incremental model is refused, where it is one."""
    # dbt tells a Python model those keys of its configuration that the model names; its log knows the rest.
    kind = dbt.config.get("materialized")
    with suppress(ImportError):
        from dbt_common.events.contextvars import get_node_info

        kind = kind or get_node_info().get("materialized")
    return [f"the model is materialized as incremental; {_WHY}"] if dbt.is_incremental or kind == "incremental" else []


def _no_relation(relation: Any) -> list[str]:
    if isinstance(relation, str) or hasattr(relation, "sql_query"):
        return []
    kind = type(relation).__name__
    return [f"relation is of type {kind}; expected dbt.ref(...), dbt.source(...) or the name of a table"]
