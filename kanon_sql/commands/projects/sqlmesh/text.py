"""Statements as SQLMesh reads them: nothing of a name or a value is a macro or Jinja to it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.writing import joined

# SQLMesh looks for Jinja in every text, and in a name it puts the project's variable for @name, and @ for @@, more than
# once: the statement would read another column.
_JINJA = re.compile(r"(?<=\{)(?=[{%#])")
_READ = re.compile(r"\{[{%#]|@[\w{@]")


def standing_for_itself(statement: exp.Query) -> exp.Query:
    """The statement with every opening of Jinja in its texts put together from two texts.

    Raises ConfigurationError for names and texts that SQLMesh would read as others.
    """
    _refuse_names(identifier.name for identifier in statement.find_all(exp.Identifier))
    for text in list(statement.find_all(exp.Literal)):
        if text.is_string and "\r" in text.name:
            raise ConfigurationError(
                "a value or a label holds a carriage return, which SQLMesh reads as a line feed: two of them may be "
                "one; replace it in the source"
            )
        if text.is_string and _JINJA.search(text.name):
            text.replace(joined(_JINJA.split(text.name)))
    return statement


def _refuse_names(names: Iterable[str]) -> None:
    """Raises ConfigurationError for names that SQLMesh would read as others."""
    problems = [
        f"column {name!r}: SQLMesh reads {match[0]!r} in a name as Jinja or a macro; rename the column"
        for name in dict.fromkeys(names)
        if (match := _READ.search(name))
    ]
    if problems:
        raise ConfigurationError(problems)
