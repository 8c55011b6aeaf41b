"""Released columns that look like direct identifiers or free text: nobody should publish one unawares.

A column that no list names and that would be released all the same is refused; of one that a list names a warning
says what it looks like. `accept` says that somebody has looked at it.
"""

from __future__ import annotations

from contextlib import suppress

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.table import count_rows, participants
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.identifying import identifying
from kanon_sql.source.profile.model import Finding
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.counting import refuse_outside
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.type_names import IN_BIGINT

_DRAWN = 4_000  # rows of another engine, about
_WORDS = {"quasi_identifier": "quasi-identifier"}


def guard(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> list[str]:
    """A warning for each named column that looks like an identifier or free text, in some of the rows that take part.

    It comes before anything else is asked of another engine, whose answers it would replace. Raises ConfigurationError
    with every column that looks so and is released though no list names it.
    """
    config = loaded.config
    generalized = {name for name in config.quasi_identifiers if name not in suppressed_or_ordered(loaded)}
    seen = {*generalized, *config.accept}
    asked = [item for item in roles.released if item.name not in seen and roles.of(item) != "identifier"]
    if not asked:
        return []
    try:
        with telling_faults(engine, source):
            found = identifying(engine, source, _some(source, roles, config.missing), asked)
    except EngineError:
        if source.untreated is not None:  # values that cannot be treated say more of it
            with suppress(EngineError):
                refuse_misfits(engine, source.untreated)
                refuse_outside(source)
        raise
    named = {*config.quasi_identifiers, *config.sensitive, *config.insensitive}
    refused = [
        _refusal(loaded, item.name, found[item.name])
        for item in asked
        if item.name in found and item.name not in named and not _numbers_rows(source, item, found[item.name])
    ]
    if refused:
        raise ConfigurationError(refused)
    return [_warning(roles, item, found[item.name]) for item in asked if item.name in found]


def _numbers_rows(source: Source, item: Column, finding: Finding) -> bool:
    """Whether an id only numbers the rows of this table: it is known to nobody who has not seen the table itself."""
    if finding.name != "id" or not (source.only_texts or item.type in IN_BIGINT):
        return False
    value: exp.Expr = template.column(item.key)
    if item.is_text:
        value = exp.TryCast(this=value, to=exp.DataType.build("BIGINT"))
    holes: dict[str, exp.Expr] = {"source": source.relation, "number_value": value}
    return bool(source.backend.query("commands/run/numbering", names=holes)[0][0])


def _some(source: Source, roles: Roles, policy: str) -> exp.Select:
    """The rows that take part; of another engine's some, drawn at random."""
    rows = participants(source, roles, policy)
    if not source.backend.weighted:
        return rows
    _, n = count_rows(source, roles, policy)
    share = exp.Literal.number(min(1.0, _DRAWN / n))
    return rows.where(exp.LT(this=template.parse("random()"), expression=share)) if n > _DRAWN else rows


def suppressed_or_ordered(loaded: LoadedConfig) -> list[str]:
    """The quasi-identifiers without a hierarchy: released as they are, as ranges of values, or not at all."""
    return [
        name
        for name, spec in loaded.config.quasi_identifiers.items()
        if spec.hierarchy is None and spec.builtin in (None, "suppress")
    ]


def _refusal(loaded: LoadedConfig, name: str, finding: Finding) -> str:
    identifiers, accept = ("--identifier", "--accept") if loaded.draft.flags else ("identifiers", "accept")
    return (
        f"{loaded.place('unlisted')}: column {name!r} {_looks(finding)}, and would be released though no list names "
        f"it; name it in {identifiers}, which are never released, or in {accept} if it may be released as it is"
    )


def _warning(roles: Roles, item: Column, finding: Finding) -> str:
    role = roles.of(item)
    return (
        f"{_WORDS.get(role, role)} column {item.name!r} {_looks(finding)}; name it in identifiers, which are never "
        "released, or in accept if somebody has looked at it"
    )


def _looks(finding: Finding) -> str:
    return f"looks like {finding.name} ({finding.sure:.0%} sure: {finding.why})"
