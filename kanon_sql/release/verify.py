"""The recount: checks a written release by reading it again, with SQL that shares nothing with the search.

Classes are counted again, and every row is compared: the statement that made the release runs once more, without its
order, and a fingerprint of its rows (any order; values tied by row; equal rows counted) is compared with that of the
rows written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sqlglot import exp

from kanon_sql.errors import EngineError, LostEngineError, NoRoomError, VerificationError
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.recount.counting import ClassCounts, GroupCounts, class_digest, comparable, count_classes, grouped
from kanon_sql.recount.statement import Question, Table, named_rows, row_total
from kanon_sql.recount.treated import broken_treatments, other_intervals
from kanon_sql.release.aggregates import AggregateRecount
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import person
from kanon_sql.source.duckdb import describe_relation
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column, put, state, type_of

_OF_NO_RELEASE = (NoRoomError, LostEngineError)


@contextmanager
def reading_again() -> Iterator[None]:
    """Turns an engine's error while it reads what was written into a VerificationError.

    Where memory or a disk is used up, or an engine is lost, nothing is known of the release: the error stays as it is.
    """
    try:
        yield
    except EngineError as error:
        if isinstance(error, _OF_NO_RELEASE) or isinstance(error.__cause__, _OF_NO_RELEASE):
            raise
        raise VerificationError(f"what was written cannot be read again: {error}") from error


def question_of(problem: SearchProblem, k: int, written: Source, populations: Sequence[exp.Expr] = ()) -> Question:
    """What the classes of a written release are checked for; its models compare with the rows that take part."""
    source, models = problem.source, problem.models
    # A text file does not tell an empty text from a missing value of a table.
    missing = (*source.missing, *(("",) if written.only_texts and not source.only_texts else ()))
    sensitive = {name: comparable(attr.column, attr.column, missing) for name, attr in models.columns.items()}
    entity = None if models.entity is None else person(models.entity, source.missing)
    reference = Table(problem.rows, (), sensitive, entity, weighted=problem.weighted)
    few, whole = models.known_columns, models.whole
    return Question(k, models.models, models.columns, reference, populations, missing, few, whole)


@dataclass(frozen=True)
class Groups:
    """Groups whose rows are released or suppressed together; `entity` of the tables is the group.

    `taking_part` has the rows that take part, `released` those of them that are released, `written` is the generalized
    source with masked rows as in what was written.
    """

    taking_part: Table
    released: Table
    written: Table

    def count(self, engine: Engine, written: Table) -> tuple[GroupCounts, list[str]]:
        """(the number of groups, the problems: groups of which some rows were released and others not)."""
        names: dict[str, Fill] = {}
        for name, table in (("taking_part", self.taking_part), ("released", self.released)):
            names[name] = named_rows(replace(table, quasi_identifiers=()), ())
            names[f"{name}_rows"] = column("row_count") if table.weighted else 1
        groups = GroupCounts(*map(int, engine.query("recount/groups", names=names)[0]))
        different = _differences(engine, written, self.written)
        problems = [f"{groups.split:,} groups are released in part"] if groups.split else []
        return groups, problems + (
            [f"{different:,} equivalence classes are not those of the source"] if different else []
        )


@dataclass(frozen=True)
class Expected(ABC):
    """What a written release must hold: `columns`, `rows`, of these `masked` ones, and classes that satisfy `question`.

    `recounted`, where k counts entities, is the generalized source with its entities: the release does not hold them,
    so the classes of both are compared, and the models are counted there. `again` finds the aggregates of columns
    again, `groups` whether the rows of a group were released together.
    """

    columns: Sequence[str]
    rows: int
    masked: int
    question: Question
    recounted: Table | None
    again: AggregateRecount | None
    groups: Groups | None = field(default=None, kw_only=True)

    @abstractmethod
    def named(self) -> list[str]:
        """The names of the columns that tell classes apart."""

    @abstractmethod
    def values(self, written: Source) -> list[exp.Expr]:
        """The expressions that tell classes of the written release apart, in the order of `named`."""

    @abstractmethod
    def differences(self, engine: Engine, written: Source) -> list[str]:
        """The problems of the written values or their classes, beyond what the question asks."""


@dataclass(frozen=True)
class ExpectedLevels(Expected):
    """Every quasi-identifier holds values of its level: (name, mapping table, level), or is aggregated."""

    levels: Sequence[tuple[str, MappingTable, int]]
    aggregated: Collection[str] = ()

    def named(self) -> list[str]:
        return [name for name, _, _ in self.levels]

    def values(self, written: Source) -> list[exp.Expr]:
        # By their texts: whoever reads the release tells 0.0 from -0.0, though the engine does not.
        keys = [(column(written.column(name).key), mapping) for name, mapping, _ in self.levels]
        return [
            exp.cast(key, "VARCHAR")
            if mapping.column_type in ("DOUBLE", "FLOAT", "INTERVAL") or self.question.populations
            else key
            for key, mapping in keys
        ]

    def differences(self, engine: Engine, written: Source) -> list[str]:
        problems = []
        for name, mapping, level in self.levels:
            if name in self.aggregated:
                continue
            as_it_was = level == 0 < mapping.height and mapping.column_type != "VARCHAR"
            kind = type_of(mapping.column_type)
            foreign = engine.query(
                "release/verify_typed_members" if as_it_was else "release/verify_members",
                values={"masked": self.masked > 0},
                names={"written": written.relation, "mapping": mapping.table},
                scope={"label": f"label_{level}", "typed_value": exp.TryCast(this=column("value", "present"), to=kind)},
                lists={"qi": [{"value": written.column(name).key}]},
            )[0][0]
            if foreign:
                problems.append(f"column {name!r} holds {foreign:,} distinct values that are none of level {level}")
        if self.again is not None and not self.masked:
            counted = Table(written.relation, self.values(written), weighted=written.weighted)
            different = _differences(engine, counted, self.again.table())
            problems += [f"{different:,} classes are not those of the source"] * (different > 0)
        return problems


@dataclass(frozen=True)
class ExpectedClasses(Expected):
    """The classes are those of the table released_classes; `labels` maps released columns to its columns."""

    labels: Mapping[str, str]

    def named(self) -> list[str]:
        return list(self.labels)

    def values(self, written: Source) -> list[exp.Expr]:
        return [exp.cast(column(written.column(name).key), "VARCHAR") for name in self.labels]

    def differences(self, engine: Engine, written: Source) -> list[str]:
        labels: list[Item] = [{"name": label, "key": written.column(name).key} for name, label in self.labels.items()]
        names: dict[str, Fill] = {"written": written.relation, "row_total": row_total(weighted=written.weighted)}
        different = engine.query("release/verify_partitions", names=names, lists={"label": labels})[0][0]
        return [f"{different:,} classes are not there, or not of the size, that the partitions have"] * (different > 0)


def verify(engine: Engine, written: Source, expected: Expected) -> ClassCounts:
    """Checks what was written: its columns, rows, that every class holds k and the models, that values are those
    expected.

    Raises VerificationError with every problem.
    """
    with reading_again():
        if sorted(col.name for col in written.columns) != sorted(expected.columns):
            raise VerificationError(
                f"the columns written are not those to be released: expected {len(expected.columns)}, "
                f"found {len(written.columns)}"
            )
        rows = Table(written.relation, expected.values(written), weighted=written.weighted)
        with grouped(engine, rows) as classes:
            counts, problems = _count(engine, written, classes, expected)
            problems += _count_problems(counts, expected)
            problems += expected.differences(engine, written)
            if expected.groups is not None:
                groups, wrong = expected.groups.count(engine, classes)
                counts, problems = replace(counts, groups=groups), problems + wrong
            # The columns of the digest are in the order of their names.
            named = sorted(zip(expected.named(), classes.quasi_identifiers, strict=True), key=lambda entry: entry[0])
            digest = class_digest(engine, replace(classes, quasi_identifiers=[value for _, value in named]))
    if expected.again is not None:
        problems += expected.again.differences(engine)
    if problems:
        raise VerificationError(problems)
    return replace(counts, digest=digest)


def verify_treatments(problem: SearchProblem, written: Source) -> None:
    """Checks what treatments must leave in columns that are not generalized. Raises VerificationError."""
    source, generalized = problem.source, {col.name for col in problem.roles.quasi_identifiers}
    others = [col for col in problem.roles.released if col.name not in generalized]
    if not source.treatments:
        return
    with reading_again():
        problems = broken_treatments(written, source.treatments, others, source.missing)
        problems += other_intervals(written, source, others)
    if problems:
        raise VerificationError(problems)


def _count(engine: Engine, written: Source, classes: Table, expected: Expected) -> tuple[ClassCounts, list[str]]:
    """(the counts of the `classes` of what was written, how they differ from those of the source)."""
    question, apart = expected.question, expected.masked > 0
    if expected.recounted is None:
        rows = _with_sensitive(written, expected) if question.attributes else classes
        return count_classes(engine, rows, question, apart=apart), []
    counts = count_classes(engine, classes, Question(1), apart=apart)
    with_entities = count_classes(engine, expected.recounted, question)
    different = _differences(engine, classes, expected.recounted)
    problems = [f"{different:,} equivalence classes are not those of the source"] if different else []
    return (
        replace(
            counts,
            violating_classes=with_entities.violating_classes,
            violating_rows=with_entities.violating_rows,
            fewest=with_entities.fewest,
            columns=with_entities.columns,
            models=with_entities.models,
            thresholds=with_entities.thresholds,
        ),
        problems,
    )


def _with_sensitive(written: Source, expected: Expected) -> Table:
    """What was written, with the sensitive columns of models as they are compared with the source."""
    question = expected.question
    sensitive = {
        attr.column.name: comparable(
            written.column(attr.column.name), attr.column, question.missing, is_csv=written.only_texts
        )
        for attr in question.attributes
    }
    return Table(written.relation, expected.values(written), sensitive, weighted=written.weighted)


def _count_problems(counts: ClassCounts, expected: Expected) -> list[str]:
    """The problems of the counted rows and classes."""
    problems = []
    if counts.rows != expected.rows:
        problems.append(
            f"{counts.rows:,} rows were written, expected {expected.rows:,}: did the source change during the run?"
        )
    if counts.violating_classes:
        question = expected.question
        how = "violate k or a model" if question.models else f"hold fewer than {question.k} rows"
        few_columns = question.known_columns
        counted = f"combinations of {few_columns} columns" if counts.columns == few_columns else "equivalence classes"
        problems.append(f"{counts.violating_classes:,} {counted} ({counts.violating_rows:,} rows) {how}")
    above = [threshold for threshold in counts.thresholds if not threshold.holds]
    problems += [f"{threshold.key} is {threshold.actual:.6g}, more than was asked for" for threshold in above]
    if counts.starred < expected.masked:
        problems.append(f"{counts.starred:,} masked rows were written, expected {expected.masked:,}")
    return problems


def _differences(engine: Engine, written: Table, recounted: Table) -> int:
    """How many classes have different numbers of rows in the two tables."""

    def rows(table: Table) -> exp.Select:
        values = enumerate(table.quasi_identifiers)
        return table.select([exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in values])

    items: list[Item] = [{"value": f"v{i}"} for i in range(len(written.quasi_identifiers))]
    names: dict[str, Fill] = {"written": rows(written), "generalized": rows(recounted)}
    for name, table in (("written_rows", written), ("generalized_rows", recounted)):
        names[name] = column("row_count") if table.weighted else 1
    return int(engine.query("recount/differences", names=names, lists={"qi": items})[0][0])


# Not the fingerprint of the ledger, which later versions of the engine must find again: this one ends with the run, so
# that it can take the engine's own hash of values in their own types, which costs a tenth of digests of texts.


def compared_columns(engine: Engine, release: exp.Expr, written: Source) -> int:
    """Compares what was written with `release`, the SELECT of it; in how many columns. Raises VerificationError."""
    assert isinstance(release, exp.Select)
    columns, names = describe_relation(engine, release.copy().subquery("made"), "the release")
    is_csv = written.only_texts
    held = [written.column(name) for name in names]
    cells = [
        _cell_hash(column(held_column.key), held_column.type, released.type, is_csv=is_csv)
        for released, held_column in zip(columns, held, strict=True)
    ]
    hashes = exp.select(*_named(cells)).from_(written.relation.copy().subquery("written"))
    expected = _hashes_of(
        release,
        [(released.type, held_column.type) for released, held_column in zip(columns, held, strict=True)],
        is_csv,
    )
    with reading_again():
        read = _ask(engine, "release/fingerprint", hashes)
    if read == _ask(engine, "release/fingerprint", expected):
        return len(names)
    with reading_again():
        sums = _ask(engine, "release/columns", hashes)
    meant = _ask(engine, "release/columns", expected)
    raise different_rows(
        [name for name, read_sum, meant_sum in zip(names, sums, meant, strict=True) if read_sum != meant_sum]
    )


def different_rows(columns: Sequence[str] = ()) -> VerificationError:
    """The error that other rows were written than were to be released; `columns` are known to differ."""
    where = f": column {', '.join(map(repr, columns[:20]))} holds other values" if columns else ""
    return VerificationError(
        f"the rows written are not those to be released{where}; does the disk fail, or does the source give other rows "
        "each time it is read? release.verify: counts does without this comparison"
    )


def _hashes_of(release: exp.Select, types: Sequence[tuple[str, str]], is_csv: bool) -> exp.Select:
    """The release with hashes in place of its values, and without its order.

    A label is hashed in the small table that it is joined from, not in each row: that halves the cost.
    """
    hashed = release.copy()
    hashed.set("order", None)
    joined = {join.this.name: join.this for join in hashed.args.get("joins") or [] if isinstance(join.this, exp.Table)}
    cells = [
        _cell_hash(expression.this, own, other, is_csv=is_csv)
        for expression, (own, other) in zip(hashed.expressions, types, strict=True)
    ]
    added: dict[str, list[exp.Expr]] = {}
    for i, (expression, named) in enumerate(zip(hashed.expressions, _named(cells), strict=True)):
        label = expression.this.this if isinstance(expression.this, exp.Cast) else expression.this
        if isinstance(label, exp.Column) and label.table in joined and label.table.startswith(state("")):
            added.setdefault(label.table, []).append(named)
            cells[i] = column(named.alias, label.table)
    hashed.set("expressions", _named(cells))
    for name, values in added.items():
        table = joined[name]
        put(table, exp.select("*", *values).from_(table.copy()).subquery(name))
    return hashed


def _named(cells: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [exp.alias_(cell, state(f"hash_{i}"), quoted=True) for i, cell in enumerate(cells)]


def _cell_hash(value: exp.Expr, own: str, other: str, *, is_csv: bool) -> exp.Expr:
    """The hash of a value in the type that both sides share, else as text; CSV has an empty text for NULL."""
    value = value.copy()
    if own != "VARCHAR" and (own != other or is_csv):
        value = exp.cast(value, "VARCHAR")
    if is_csv:
        value = exp.Coalesce(this=value, expressions=[exp.Literal.string("")])
    return exp.Anonymous(this="hash", expressions=[value])


def _ask(engine: Engine, name: str, hashes: exp.Select) -> tuple[object, ...]:
    items: list[Item] = [{"hash": state(f"hash_{i}")} for i in range(len(hashes.expressions))]
    return tuple(engine.query(name, names={"table_rows": hashes}, lists={"cell": items})[0])
