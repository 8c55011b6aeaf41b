"""Types by the names that DuckDB gives them, in groups that the program asks about."""

IN_BIGINT = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
"""Whole numbers, each of which a BIGINT holds."""

WHOLE = (*IN_BIGINT, "UBIGINT", "HUGEINT", "UHUGEINT")
"""Whole numbers of a fixed width."""

NUMERIC = (*WHOLE, "BIGNUM", "DECIMAL", "FLOAT", "DOUBLE")
"""How the names of all types of numbers begin."""
