"""Whole ledgers, and ones that were altered by somebody: by the program itself, then with SQL."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from trials.files_cases import BASE
from trials.files_server import Server

Json = dict[str, Any]
_TABLE = "kanon_sql_releases"
ALTERED = {  # by name: the statements
    "no_table": [f"DROP TABLE {_TABLE}"],
    "no_rows": [f"DELETE FROM {_TABLE}"],
    "no_details": [f"ALTER TABLE {_TABLE} DROP COLUMN details"],
    "another_column": [f"ALTER TABLE {_TABLE} ADD COLUMN more VARCHAR"],
    "id_is_text": [f"ALTER TABLE {_TABLE} ALTER id TYPE VARCHAR"],
    "ids_are_words": [f"ALTER TABLE {_TABLE} ALTER id TYPE VARCHAR", f"UPDATE {_TABLE} SET id = 'x' || id"],
    "ids_missing": [f"UPDATE {_TABLE} SET id = NULL"],
    "ids_twice": [f"INSERT INTO {_TABLE} FROM {_TABLE}"],
    "details_cut": [f"UPDATE {_TABLE} SET details = left(details, 100)"],
    "details_missing": [f"UPDATE {_TABLE} SET details = NULL"],
    "details_are_a_list": [f"UPDATE {_TABLE} SET details = '[1, 2]'"],
    "details_are_empty": [f"UPDATE {_TABLE} SET details = '{{}}'"],
    "details_hold_other_things": [f'UPDATE {_TABLE} SET details = \'{{"configuration": 3, "solution": []}}\''],
    "open_is_rubbish": [f"UPDATE {_TABLE} SET details = '{{\"open\": 17}}'"],
    "columns_missing": [f"UPDATE {_TABLE} SET quasi_identifiers = NULL, released = NULL"],
    "columns_are_text": [f"ALTER TABLE {_TABLE} ALTER released TYPE VARCHAR"],
    "origin_unknown": [f"UPDATE {_TABLE} SET origin = 77, built_on = 99"],
    "origin_missing": [f"UPDATE {_TABLE} SET origin = NULL"],
    "fingerprints_missing": [f"UPDATE {_TABLE} SET source_fingerprint = NULL, release_fingerprint = NULL"],
    "renamed": [f"ALTER TABLE {_TABLE} RENAME TO releases"],
    "a_view": [f"ALTER TABLE {_TABLE} RENAME TO kept", f"CREATE VIEW {_TABLE} AS FROM kept"],
    "columns_in_another_order": [
        f"CREATE TABLE kept AS SELECT details, * EXCLUDE (details) FROM {_TABLE}",
        f"DROP TABLE {_TABLE}",
        f"ALTER TABLE kept RENAME TO {_TABLE}",
    ],
    "another_schema": ["CREATE SCHEMA kept", f"CREATE TABLE kept.{_TABLE} AS FROM {_TABLE}", f"DROP TABLE {_TABLE}"],
    "foreign": [f"DROP TABLE {_TABLE}", "CREATE TABLE patients AS SELECT range AS id FROM range(100)"],
    "a_constraint": [f"CREATE UNIQUE INDEX one ON {_TABLE} (made_at)"],
}


def make(commands: Server, readers: Server, folder: Path) -> list[Json]:
    """Makes them in a folder that holds the whole sources; how the jobs ended."""
    config = {"source": "in.csv", **BASE, "releases": {"path": "ledger.duckdb"}, "target": "out.csv"}
    config = {**config, "identifiers": ["id"], "insensitive": ["cost", "seen"], "accept": []}
    place = folder / "making"
    place.mkdir()
    shutil.copy(folder / "in.csv", place)
    (place / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    words = ["run", "config.yaml", "--json", "--set", "releases.on_conflict=warn"]
    answers = [commands.warm("trials.files_server:command", {"words": words}, place)]
    again = [*words, "--set", "target=other.csv", "--set", "privacy.k=6"]
    answers.append(commands.run("trials.files_server:command", {"words": again}, place))
    shutil.copy(place / "ledger.duckdb", folder)
    answers.append(readers.run("trials.files_ledgers:alter", {"folder": str(folder)}, folder))
    return answers


def alter(given: Json) -> None:
    """The job of altering copies of the ledger in a folder."""
    import duckdb

    whole = Path(given["folder"]) / "ledger.duckdb"
    for name, statements in ALTERED.items():
        path = whole.with_name(f"ledger_{name}.duckdb")
        shutil.copy(whole, path)
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
