"""The dialects that `kanon-sql compile` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.errors import ConfigurationError


@dataclass(frozen=True)
class Dialect:
    """What a dialect asks for beyond the portable core.

    `executed` says by what the project's tests execute its text, None where they can only parse it. `longest_name`
    and `refused` bound the names of columns, `longest_text` the characters of a statement, `exact_case` says that
    names in quotes are told apart by case, `null_safe` that it has IS NOT DISTINCT FROM in a join, `blanks_count` that
    blanks at the end of a text tell it apart, `nan_equals` that NaN is equal to itself, `backslash_is_sure` that all
    agree on what a backslash in a text means, `hashes_texts` that md5 of a text is one of hexadecimal digits.
    """

    name: str
    executed: str | None
    longest_name: int
    longest_text: int | None = None
    refused: str = ""
    exact_case: bool = False
    null_safe: bool = True
    blanks_count: bool = True
    nan_equals: bool = True
    backslash_is_sure: bool = True
    hashes_texts: bool = True


_ALL = (
    Dialect("duckdb", "DuckDB", 1 << 16),
    Dialect("spark", "Sail, which speaks Spark's SQL", 1 << 16),
    Dialect("databricks", None, 255),
    Dialect("postgres", "PostgreSQL", 63, exact_case=True),
    Dialect("snowflake", None, 255, longest_text=1_000_000, exact_case=True),
    Dialect(
        "bigquery",
        None,
        300,
        longest_text=1_000_000,
        refused='!"$()*,./;?@[\\]^`{}~\n\t',
        nan_equals=False,
        hashes_texts=False,
    ),
    Dialect("trino", None, 1 << 16, longest_text=1_000_000, nan_equals=False, hashes_texts=False),
    Dialect(
        "redshift", None, 127, longest_text=16_000_000, null_safe=False, blanks_count=False, backslash_is_sure=False
    ),
)
DIALECTS = {dialect.name: dialect for dialect in _ALL}


def find_dialect(name: str) -> Dialect:
    """The dialect of that name. Raises ConfigurationError."""
    if name not in DIALECTS:
        raise ConfigurationError(f"--dialect: {name!r} is not known; expected {', '.join(DIALECTS)}")
    return DIALECTS[name]


def refuse_column_names(dialect: Dialect, names: Sequence[str], place: str) -> None:
    """Refuses names that the dialect would change, cut or take for one another. Raises ConfigurationError."""
    problems = []
    seen: dict[str, str] = {}
    for name in names:
        size = len(name.encode())
        if size > dialect.longest_name:
            problems.append(
                f"{place}: the name {name[:20]!r} ... has {size} bytes, {dialect.name} takes {dialect.longest_name}; "
                "rename the column"
            )
        elif any(char in dialect.refused for char in name):
            problems.append(
                f"{place}: {dialect.name} takes no column named {name!r}; expected letters, digits, blanks and _: "
                "rename the column"
            )
        other = seen.setdefault(name if dialect.exact_case else name.casefold(), name)
        if other != name:
            problems.append(
                f"{place}: columns {other!r} and {name!r} differ in case only, which {dialect.name} does not tell "
                "apart; rename or drop one of them"
            )
    if problems:
        raise ConfigurationError(problems)
