"""DuckDB's extensions: from packages that bring them, or where DuckDB has installed them; none is fetched here."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.connection import Engine, literal


def load_extension(engine: Engine, name: str, what: str) -> None:
    """Loads an extension by its name; `what` needs it, as the error says. Raises ConfigurationError with what to do."""
    spec = find_spec(f"duckdb_extension_{name}")
    folders = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    files = [file for folder in folders for file in sorted(folder.rglob(f"{name}.duckdb_extension"))]
    reasons = []
    for statement in [*(f"LOAD {literal(str(file)).sql('duckdb')}" for file in files), f"LOAD {name}"]:
        try:
            engine.run(statement)
        except EngineError as error:
            reasons.append(str(error))
        else:
            return
    raise ConfigurationError(
        f"{what} needs DuckDB's extension {name}, which cannot be loaded: pip install 'kanon-sql[lake]' brings it with "
        f"the DuckDB that it fits, or run INSTALL {name} in DuckDB once ({reasons[0]})"
    )
