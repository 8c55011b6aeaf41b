"""Counting again: the written release, read with SQL of its own that shares nothing with the search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import EngineError, VerificationError
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.recount.counting import ClassCounts, comparable, count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column


@contextmanager
def reading_again() -> Iterator[None]:
    """What the engine cannot read of what was written is a release that does not verify."""
    try:
        yield
    except EngineError as error:
        raise VerificationError(f"what was written cannot be read again: {error}") from error


def require_columns(written: Source, names: Sequence[str]) -> None:
    """Raises VerificationError where other columns were written than those to be released."""
    if sorted(item.name for item in written.columns) != sorted(names):
        raise VerificationError(
            f"the columns written are not those to be released: expected {len(names)}, found {len(written.columns)}"
        )


def count_problems(counts: ClassCounts, rows: int, question: Question) -> list[str]:
    """What is wrong with the rows and the classes that were counted."""
    problems = []
    if counts.rows != rows:
        problems.append(f"{counts.rows} rows were written, expected {rows}: did the source change during the run?")
    if counts.violating_classes and not question.models:
        problems.append(
            f"{counts.violating_classes} equivalence classes ({counts.violating_rows} rows) hold fewer than "
            f"{question.k} rows"
        )
    elif counts.violating_classes:
        problems.append(
            f"{counts.violating_classes} equivalence classes ({counts.violating_rows} rows) violate k or a model"
        )
    return problems


@dataclass(frozen=True)
class Judgement:
    """What a written release is counted for: `question`, and how its sensitive columns are read.

    `recounted`, where k counts entities, is the generalized source with its entities: nobody can count those in the
    release, so the classes of both are compared, and the models counted there.
    """

    question: Question
    recounted: Table | None = None


def judge(
    engine: Engine, written: Source, values: Sequence[exp.Expr], judgement: Judgement, *, apart: bool = False
) -> tuple[ClassCounts, list[str]]:
    """(the classes of what was written, what is wrong with them beside their number of rows)."""
    question = judgement.question
    sensitive = {
        name: comparable(
            written.column(name), question.columns[name].column, question.missing, is_csv=written.kind == "csv"
        )
        for name in dict.fromkeys(model.column for model in question.models if model.column is not None)
    }
    if judgement.recounted is None:
        table = Table(written.relation, values, sensitive, weighted=written.weighted)
        return count_classes(engine, table, question, apart=apart), []
    plain = Table(written.relation, values, weighted=written.weighted)
    counts = count_classes(engine, plain, Question(1), apart=apart)
    with_entities = count_classes(engine, judgement.recounted, question)
    different = _differences(engine, plain, judgement.recounted)
    problems = [f"{different} equivalence classes are not those of the source"] if different else []
    return (
        replace(
            counts,
            violating_classes=with_entities.violating_classes,
            violating_rows=with_entities.violating_rows,
            fewest=with_entities.fewest,
            models=with_entities.models,
        ),
        problems,
    )


def _differences(engine: Engine, written: Table, recounted: Table) -> int:
    """Classes that hold other numbers of rows in one table than in the other."""

    def rows(table: Table) -> exp.Select:
        return table.select(
            [
                exp.alias_(exp.cast(value.copy(), "VARCHAR"), f"v{i}", quoted=True)
                for i, value in enumerate(table.quasi_identifiers)
            ]
        )

    items: list[Item] = [{"value": f"v{i}"} for i in range(len(written.quasi_identifiers))]
    names: dict[str, Fill] = {"written": rows(written), "generalized": rows(recounted)}
    for name, table in (("written_rows", written), ("generalized_rows", recounted)):
        names[name] = column("row_count") if table.weighted else 1
    return int(engine.query("recount/differences", names=names, lists={"qi": items})[0][0])


def verify_levels(
    engine: Engine,
    written: Source,
    names: Sequence[str],
    quasi_identifiers: Sequence[str],
    mappings: Sequence[Mapping],
    node: Node,
    judgement: Judgement,
    *,
    rows: int,
    masked: int,
) -> ClassCounts:
    """Checks what was written: columns, rows, that every class holds k and the models, every value one of its level.

    Raises VerificationError with every point that does not hold.
    """
    with reading_again():
        return _verify(engine, written, names, quasi_identifiers, mappings, node, judgement, rows=rows, masked=masked)


def _verify(
    engine: Engine,
    written: Source,
    names: Sequence[str],
    quasi_identifiers: Sequence[str],
    mappings: Sequence[Mapping],
    node: Node,
    judgement: Judgement,
    *,
    rows: int,
    masked: int,
) -> ClassCounts:
    require_columns(written, names)
    keys = [written.column(name).key for name in quasi_identifiers]
    # By their texts: whoever reads the release tells 0.0 from -0.0, though the engine does not.
    values = [
        exp.cast(column(key), "VARCHAR")
        if mapping.column_type in ("DOUBLE", "FLOAT", "INTERVAL") or judgement.question.populations
        else column(key)
        for key, mapping in zip(keys, mappings, strict=True)
    ]
    counts, problems = judge(engine, written, values, judgement, apart=masked > 0)
    problems += count_problems(counts, rows, judgement.question)
    if masked and counts.starred < masked:
        problems.append(f"{counts.starred} masked rows were written, expected {masked}")
    for key, name, mapping, level in zip(keys, quasi_identifiers, mappings, node, strict=True):
        as_it_was = level == 0 < mapping.height and mapping.column_type != "VARCHAR"
        foreign = engine.query(
            "release/verify_typed_members" if as_it_was else "release/verify_members",
            values={"masked": masked > 0},
            names={
                "written": written.relation,
                "mapping": mapping.table,
                "label": f"label_{level}",
                "typed_value": exp.TryCast(this=column("value", "present"), to=_type(mapping)),
            },
            lists={"qi": [{"value": key}]},
        )[0][0]
        if foreign:
            problems.append(f"column {name!r} holds {foreign} distinct values that are none of level {level}")
    if problems:
        raise VerificationError(problems)
    return counts


def _type(mapping: Mapping) -> exp.DataType:
    return exp.DataType.build(mapping.column_type, dialect="duckdb")
