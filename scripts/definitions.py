"""Writes the definitions of the models for dbt and SQLMesh, from the statements that count a table anew.

python scripts/definitions.py writes kanon_sql/dbt/project/macros/measures.sql and
kanon_sql/commands/projects/sqlmesh/audits.sql; a test compares them with what this would write. Every name in them
begins with kanon_, so that none is a word of some dialect or a table of a user.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from sqlglot import exp

from kanon_sql.commands.projects.sqlmesh import audits_file
from kanon_sql.dbt import package_folder
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import MODELS, Model
from kanon_sql.recount.statement import Chain, Question, Table, parts_of
from kanon_sql.source.model import Column
from kanon_sql.sql import template
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.tables import union_all
from kanon_sql.sql.template import column, compose
from kanon_sql.sql.writing import portable

_ANY = Dialect("", None, 63, null_safe=False)
_HOLE = "hole_"
_GIVEN, _EVERYONE = "given", "everyone"
_VALUE = Sensitive(0, Column("value", "value", "VARCHAR"), by_entity=False, kind="text")


@dataclass(frozen=True)
class Open:
    """An entry of a model of which the parameters stay open: what a statement asks of a model."""

    measure: str
    column: str = "value"
    key: str = ""

    def numbers(self) -> dict[str, int]:
        return {}


def tests_of(models: Iterable[type[PrivacyModel]]) -> dict[str, dict[str, Open]]:
    """The tests of models, each with what is measured by the parameter that chooses it."""
    tests = {}
    for model in models:
        name = model.files_by
        kinds = [{name: kind} for kind in get_args(model.model_fields[name].annotation)] if name else [{}]
        measures = {"".join(kind.values()): Open(model.model_construct(**kind).measure) for kind in kinds}
        if model.test is not None:
            # A hierarchy is no table that a test could read.
            tests[model.test] = {
                kind: parameters for kind, parameters in measures.items() if "steps" not in parts_of(_model(parameters))
            }
    return tests


def _model(parameters: Any) -> Model:
    return Model(parameters, None)


def measured(parameters: Sequence[Open]) -> tuple[Chain, list[exp.Expr]]:
    """(what these measures read, for each the SELECT of the classes that violate)."""
    models = tuple(map(_model, parameters))
    reference = exp.select("value", "row_count").from_(_EVERYONE)
    if any("ranks" in parts_of(model) for model in models):
        # What the release holds has a place in the order too, whether the reference holds it or not.
        both = exp.union(
            exp.select("value", "row_count").from_(_EVERYONE),
            template.parse("SELECT value, 0 AS row_count FROM given"),
            distinct=False,
        )
        reference = exp.select("*").from_(both.subquery("either_table"))
    value = {"value": column("value")}
    question = Question(1, models, {"value": _VALUE}, Table(reference, (), value, weighted=True))
    chain = Chain(Table(exp.to_table(_GIVEN), [column("class")], value, weighted=True), question, _ranks)
    return chain, [chain.violating(index) for index, _ in enumerate(models)]


def too_small(*, entity: bool) -> tuple[Chain, exp.Expr]:
    """(what it reads, the SELECT of the classes of fewer than k rows, or values of an entity)."""
    table = Table(exp.to_table(_GIVEN), [column("class")], {}, column("value") if entity else None, weighted=True)
    chain = Chain(table, Question(1), _ranks)
    return chain, chain.too_small(_hole("k"))


def _ranks(name: str, sensitive: Sensitive) -> exp.Expr:
    assert name == "ranks"
    return template.fill(
        compose("recount/ranks_of_reference", {"reference": f"reference_{sensitive.index}"}), part=True
    )


def _hole(name: str) -> exp.Expr:
    return exp.column(_HOLE + name)


def _text(chain: Chain, statement: exp.Expr) -> tuple[str, list[str]]:
    """(the statement in SQL that every dialect reads, with marks in its holes; the names of these)."""
    assert isinstance(statement, exp.Query)
    chain.before(statement)
    for cast in list(statement.find_all(exp.Cast)):
        # Values are compared as they are: a 1.50 is a 1.5. What is reached is counted in whole numbers, if it is.
        if isinstance(cast.this, exp.Column) and cast.this.name in ("value", "holders", "measure"):
            cast.replace(cast.this)
    for parameter in list(statement.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(_hole(parameter.name))
    statement_text = portable(statement, _ANY)
    names = []
    for identifier in statement_text.find_all(exp.Identifier):
        is_hole = identifier.name.startswith(_HOLE)
        names += [identifier.name.removeprefix(_HOLE)] if is_hole else []
        plain = is_hole or identifier.name in ("class_rows", "reached")
        identifier.replace(exp.to_identifier(identifier.name if plain else f"kanon_{identifier.name}", quoted=False))
    return statement_text.sql(pretty=True, comments=False), sorted(set(names))


def _put_in(text: str, holes: Mapping[str, str]) -> str:
    return re.sub(rf"\b{_HOLE}(\w+)", lambda match: holes[match[1]], text)


def _headed(text: str, tables: Iterable[tuple[str, str]]) -> str:
    """The statement with further tables at its head."""
    head = "".join(f"kanon_{name} AS {table}, " for name, table in tables)
    return f"WITH {head}{text.removeprefix('WITH ')}"


def macros(models: Iterable[type[PrivacyModel]]) -> str:
    """The file of dbt's macros: each takes tables and thresholds, and gives the classes that violate."""
    parts = [
        "{#- The classes that violate. Written by scripts/definitions.py of the statements that count a table anew\n"
        "    (queries/recount and queries/privacy): change it there. -#}\n"
    ]
    statements: list[tuple[str, Chain, exp.Expr]] = [
        ("k_anonymous_rows", *too_small(entity=False)),
        ("k_anonymous_entities", *too_small(entity=True)),
    ]
    for test, kinds in tests_of(models).items():
        for kind, parameters in kinds.items():
            chain, (statement,) = measured([parameters])
            statements.append((f"{test}_{kind}".rstrip("_"), chain, statement))
    for name, chain, statement in statements:
        text, holes = _text(chain, statement)
        tables = [_GIVEN, *([_EVERYONE] if f"kanon_{_EVERYONE}" in text else [])]
        whole = _headed(text, [(table, f"{{{{ {table} }}}}") for table in tables])
        whole = _put_in(whole, {hole: f"{{{{ {hole} }}}}" for hole in holes})
        whole = whole.replace(" AS DOUBLE)", " AS {{ kanon_sql.double() }})")
        parts.append(f"{{% macro {name}({', '.join([*tables, *holes])}) %}}\n{whole}\n{{% endmacro %}}\n")
    return "\n".join(parts)


_COUNTED = """(
  SELECT
    DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class,
    @sensitive AS kanon_value,
    COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
)"""
_GROUPED = """(
  SELECT DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class, COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c)
)"""
_REFERENCE = """(
  SELECT @sensitive AS kanon_value, COUNT(*) AS kanon_row_count
  FROM @reference
  WHERE @complete
  GROUP BY @sensitive
)"""
_AUDITS = """\
-- Audits of releases, by kanon-sql. Each returns one row for each class that violates: counts and measures, no values.
-- What is given as `sensitive` may be an expression, such as NULLIF(diagnosis, '?') for a text that means missing.
-- Written by scripts/definitions.py of the statements that count a table anew (queries/recount and queries/privacy).

-- Each class holds k rows.
AUDIT (name k_anonymous);
{k};

-- l-diversity: 'distinct' values, as many as their 'entropy' is worth, or 'recursive' with c. NULL is no value. A
-- variant that is none of these holds for no class.
AUDIT (name l_diverse, defaults (variant = 'distinct', c = NULL));
{l};

-- t-closeness by equal distances: half the sum over all values of how much their shares differ from those in the
-- reference. `complete` is a condition: of the reference only the rows that meet it count.
AUDIT (name t_close, defaults (complete = TRUE));
{equal};

-- t-closeness by ordered distances: the sum over all values in their order, NULL first, of how much the shares up to
-- there differ, by one less than the values.
AUDIT (name t_close_ordered, defaults (complete = TRUE));
{ordered};

-- No more rows of the source are left out than `at_most`, or than `percent` of them. Of the source only the rows that
-- meet the condition `complete` count.
AUDIT (name max_suppression, defaults (at_most = 0, percent = 0, complete = TRUE));
SELECT source_rows, released_rows
FROM (
  SELECT
    (SELECT COUNT(*) FROM @source_model WHERE @complete) AS source_rows,
    (SELECT COUNT(*) FROM @this_model) AS released_rows
) AS counted
WHERE (source_rows - released_rows - @at_most) * 100 > source_rows * @percent;
"""


def audits(models: Iterable[type[PrivacyModel]]) -> str:
    """The file of SQLMesh's audits."""
    k, _ = _text(*too_small(entity=False))
    audit_texts = {"k": _headed(k, [(_GIVEN, _GROUPED)])}
    tests = tests_of(models)
    for kind, parameters in tests["t_close"].items():
        chain, (statement,) = measured([parameters])
        audit_texts[kind] = _headed(_text(chain, statement)[0], [(_GIVEN, _COUNTED), (_EVERYONE, _REFERENCE)])
    kinds = tests["l_diverse"]
    chain, selects = measured(list(kinds.values()))
    for kind, select in zip(kinds, selects, strict=True):
        assert isinstance(select, exp.Select)
        select.where(_hole("variant").eq(exp.Literal.string(kind)), copy=False)
    named = exp.In(this=_hole("variant"), expressions=[exp.Literal.string(kind) for kind in kinds])
    without_measure = exp.select("size AS class_rows", "NULL AS reached").from_("sizes")
    unknown = exp.Not(this=exp.Coalesce(this=named, expressions=[exp.false()]))
    whole = union_all([*selects, without_measure.where(unknown)])
    audit_texts["l"] = _headed(_text(chain, whole)[0], [(_GIVEN, _COUNTED)])
    holes = {"k": "@k", "l": "@l", "t": "@t", "numerator": "@c", "denominator": "1", "variant": "@variant"}
    return _AUDITS.format(**{name: _put_in(text, holes) for name, text in audit_texts.items()})


def files() -> dict[Path, str]:
    """What is written, by where."""
    macros_file = package_folder() / "macros" / "measures.sql"
    return {macros_file: macros(MODELS.values()), audits_file(): audits(MODELS.values())}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
