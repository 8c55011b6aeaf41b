"""The options of a command line that stand for keys of a configuration.

Commands declare them, the configuration is made of them, and messages name them by this table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kanon_sql.settings.yaml import KeyPath


class Argument(NamedTuple):
    """An option: the key that it stands for, and its flags, the first of which messages name."""

    key: KeyPath
    flags: tuple[str, ...]


# By their names in the program, in the order in which messages list them.
ARGUMENTS = {
    "qi": Argument(("quasi_identifiers",), ("--qi",)),
    "k": Argument(("privacy", "k"), ("--k",)),
    "known_columns": Argument(("privacy", "known_columns"), ("--known-columns",)),
    "l_diversity": Argument(("privacy", "l_diversity"), ("--l",)),
    "t_closeness": Argument(("privacy", "t_closeness"), ("--t",)),
    "entity": Argument(("privacy", "entity"), ("--entity",)),
    "group": Argument(("group",), ("--group",)),
    "sensitive": Argument(("sensitive",), ("--sensitive",)),
    "insensitive": Argument(("insensitive",), ("--insensitive",)),
    "identifiers": Argument(("identifiers",), ("--identifier",)),
    "unlisted": Argument(("unlisted",), ("--unlisted",)),
    "accept": Argument(("accept",), ("--accept",)),
    "limit": Argument(("suppression", "limit"), ("--limit",)),
    "missing_texts": Argument(("source", "missing"), ("--missing",)),
    "missing_only": Argument(("source", "missing"), ("--missing-only",)),
    "delimiter": Argument(("source", "csv", "delimiter"), ("--delimiter",)),
    "output": Argument(("target",), ("-o", "--output")),
    "algorithm": Argument(("algorithm",), ("--algorithm",)),
    "strata": Argument(("strata",), ("--strata",)),
    "order": Argument(("release", "order"), ("--order",)),
    "suppressed": Argument(("release", "suppressed"), ("--suppressed",)),
    "missing_rows": Argument(("missing",), ("--missing-rows",)),
}

# The options by the keys that problems are about; k stands for all models.
FLAGS: dict[KeyPath, str] = {argument.key: argument.flags[0] for argument in reversed(ARGUMENTS.values())} | {
    ("privacy",): "--k"
}
