"""A first row that names no columns: its values would stand in the configuration, and its person be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_sql.errors import ConfigurationError
from kanon_sql.source.model import Source
from kanon_sql.source.profile.model import Profile


def refuse_nameless(source: Source, found: Profile) -> None:
    """Raises ConfigurationError where the names of the columns look like values of theirs; it shows none of them."""
    like_values = found.named_like_values
    if not like_values:
        return
    listed = ", ".join(str(position + 1) for position in like_values[:10]) + (" ..." if len(like_values) > 10 else "")
    columns = f"column {listed}" if len(like_values) == 1 else f"columns {listed}"
    remedy = (
        f"say --no-header, which calls them {_numbered(found.columns)}"
        if source.dialect is not None
        else "write the names of the columns above it"
    )
    raise ConfigurationError(
        f"{source.label}: the first row looks like a row of data, not like the names of the columns: what it holds in "
        f"{columns} is like the values below; {remedy}, or --header if they are names (in Python header=)"
    )


def refuse_without_header(source: Source, header: bool | None) -> None:
    """Raises ConfigurationError where a table whose columns have names anyway is to be read without."""
    if header is False and source.dialect is None:
        if source.named_by_first_row:
            raise ConfigurationError(
                f"{source.label}: --no-header: the columns of a sheet are named by its first row; write names above it"
            )
        raise ConfigurationError(
            f"{source.label}: --no-header: only a CSV file can have no names of columns; leave it out"
        )


def taken_as_row(source: Source, header: bool | None) -> Iterator[str]:
    """A line where it was found out, and not said, that the first row of a CSV file is one of the data."""
    if header is None and source.dialect is not None and not source.dialect.header:
        yield (
            f"{source.label}: the first row holds numbers, empty fields or one twice, so it is read as data and the "
            f"columns are called {_numbered(source.columns)}; say --header if it names them"
        )


def _numbered(columns: Sequence[object]) -> str:
    return "column0" if len(columns) == 1 else f"column0 to column{len(columns) - 1}"
