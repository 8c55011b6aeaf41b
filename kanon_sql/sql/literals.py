"""Statements of a catalog that hold no value: what a database says of itself may be told on, what it says of rows not.

A condition, a default or an index in the words of its database may name a value that the release has suppressed.
"""

from __future__ import annotations

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

# Which kinds of strings there are differs with the version of sqlglot.
_LITERALS = {TokenType.NUMBER} | {kind for kind in TokenType if f"_{kind.name}".endswith("_STRING")}


def holds_literal(text: str, dialect: str) -> bool:
    """Whether an expression or statement of a catalog holds a literal but NULL, TRUE and FALSE.

    The name of a sequence in nextval(...) is none. What cannot be understood is taken to hold one.
    """
    try:
        tokens = sqlglot.tokenize(text, read=dialect)
        # Fallen back to a command, a statement has not been understood; a tree alone may hide texts in paths of JSON.
        is_understood = not isinstance(sqlglot.parse_one(text, read=dialect), exp.Command)
    except SqlglotError:
        return True
    words = [token.text for token in tokens]
    return not is_understood or any(
        token.comments or (token.token_type in _LITERALS and not _names_sequence(words[:position][-3:]))
        for position, token in enumerate(tokens)
    )


def _names_sequence(before: list[str]) -> bool:
    """Whether what follows these words is the argument of nextval, which is nobody's own function."""
    words = [word.lower() for word in before]
    return words[-2:] == ["nextval", "("] and words[:-2] != ["."]
