"""Counting again what two releases tell apart, with statements that share nothing with how it was decided."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.commands.apply.applying import Texts
from kanon_sql.errors import VerificationError
from kanon_sql.recount.counting import count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.source.model import Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column

_SETS = {"kept": "have in common", "added": "add", "removed": "lose"}


def recount_differences(
    engine: Engine, texts: Texts, written: Source, earlier: Sequence[tuple[int, Source]], question: Question
) -> list[dict[str, int]]:
    """For each earlier release, by its number, how many rows both hold, were added and were removed.

    Raises VerificationError where any class of these violates k or a model. A class that was removed as a whole is one
    as it was released; it is not judged again.
    """
    found = []
    problems = []
    for number, past in earlier:
        sets = _sets(texts, written, past)
        rows = {"release": number}
        for name, said in _SETS.items():
            counts = count_classes(engine, _table(texts, sets[name], question), question)
            rows[name] = counts.rows
            if counts.violating_classes:
                problems.append(
                    f"{counts.violating_classes} classes ({counts.violating_rows} rows) of what the release and "
                    f"release {number} {said} violate k or a model"
                )
        # Those that are judged are not all: classes that were removed as a whole are left out.
        all_rows = exp.select(exp.Count(this=exp.Star())).from_(past.relation.copy().subquery("past"))
        rows["removed"] = int(engine.run(all_rows)[0][0]) - rows["kept"]
        found.append(rows)
    if problems:
        raise VerificationError(problems)
    return found


def _sets(texts: Texts, written: Source, past: Source) -> dict[str, exp.Expr]:
    cells: list[Item] = [
        {**item, "fresh": fresh, "past": old}
        for item, fresh, old in zip(texts.cells, texts.of(written), texts.of(past), strict=True)
    ]
    names: dict[str, Fill] = {"written": written.relation, "earlier": past.relation}
    lists = {"cell": cells}
    kept, added = (template.fill(f"commands/apply/{name}", names, lists) for name in ("kept", "added"))
    of_kept = exp.select("*").from_(exp.Subquery(this=kept.copy(), alias=_alias("in_both")))
    removed = template.fill("commands/apply/removed", {**names, "kept": of_kept}, {**lists, "qi": texts.keys})
    return {"kept": kept, "added": added, "removed": removed}


def _table(texts: Texts, rows: exp.Expr, question: Question) -> Table:
    values = [column(str(item["name"])) for item in texts.keys]
    sensitive = {}
    for name, one in question.columns.items():
        value: exp.Expr = column(f"o{texts.others.index(name)}")
        if one.column.is_text and question.missing:
            absent = exp.In(this=value.copy(), expressions=[exp.Literal.string(text) for text in question.missing])
            value = exp.Case(ifs=[exp.If(this=absent, true=exp.null())], default=value)
        sensitive[name] = value
    return Table(exp.select("*").from_(exp.Subquery(this=rows, alias=_alias("told_apart"))), values, sensitive)


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name))
