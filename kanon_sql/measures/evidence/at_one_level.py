"""A quasi-identifier of which all rows are released at one level of its hierarchy."""

from __future__ import annotations

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.measures.evidence.labels import (
    MOST_LABELS,
    STRANGE,
    LabelCounts,
    bars_of,
    count_labels,
    generalized_by,
    known_values,
    place_alone,
    place_of,
    read_placed,
)
from kanon_sql.report.page.model import ColumnFacts, Step
from kanon_sql.report.page.withheld import left_out
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.source.columns import as_written
from kanon_sql.source.model import Column
from kanon_sql.sql.template import Fill, column, state

_SUPPRESSED = "the source is not counted under the labels: what it holds more of one are suppressed rows"
_NUMBERS = (exp.alias_(exp.cast(exp.null(), "BIGINT"), name) for name in ("level", "code", "row_count"))
_NO_COSTS = exp.select(*_NUMBERS).where(exp.false())
_NO_VALUES = exp.select(exp.alias_(exp.cast(exp.null(), "VARCHAR"), "value")).where(exp.false())


def of_one_level(gathered: Gathered, index: int, name: str) -> ColumnFacts:
    """The facts of one quasi-identifier. Raises EngineError without the levels of the release."""
    if gathered.levels is None:
        raise EngineError("the levels of the release are not known")
    level, problem, engine = gathered.levels[name], gathered.problem, gathered.subject.engine
    spec, hierarchy = gathered.subject.hierarchies[name]
    count_labels(gathered, index)
    n, distinct, mapping = None, None, None
    note: str | None = gathered.alone
    if spec.builtin == "merge-rare" and left_out(gathered.report):
        # Counted on the released rows, its levels would be others than those of the release.
        place_alone(engine)
        note = _SUPPRESSED
    elif isinstance(problem, FullDomain):
        mapping, qi = problem.frequency.mappings[index], problem.roles.quasi_identifiers[index]
        _place(gathered, qi, mapping, level, exp.to_table(state(f"costs_{index}")))
        note, distinct = None, problem.frequency.marginals[index][0].values
        if left_out(gathered.report):
            note = _SUPPRESSED
        else:
            n = problem.n
    elif hierarchy is not None:
        qi = Column(name, "value", "VARCHAR")
        mapping = build_mapping(engine, GeneralizedColumn(index, qi, spec, _NO_VALUES, hierarchy, gathered.missing))
        _place(gathered, qi, mapping, level, _NO_COSTS)
    else:
        place_alone(engine)
    counted = read_placed(engine)
    if counted.strange and n is not None:
        n, note = None, STRANGE
    bars, others = bars_of(gathered, counted, n)
    return ColumnFacts(
        name=name,
        generalized_by=generalized_by(spec, "no hierarchy"),
        steps=_steps(gathered, mapping, level, counted) if mapping else (),
        level=level,
        loss=gathered.loss_of(name),
        labels=counted.samples,
        ordered=counted.ordered,
        bars=bars,
        others=others,
        distinct=(distinct, counted.labels),
        note=note,
    )


def _place(gathered: Gathered, qi: Column, mapping: MappingTable, level: int, costs: exp.Expr) -> None:
    """Makes the table placed: where the labels of the release lie in the hierarchy, and the rows of the source."""
    engine = gathered.subject.engine
    text: exp.Expr = exp.cast(column(f"label_{level}"), "VARCHAR")
    key: exp.Expr = column("label", "released")
    if level == 0 < mapping.height and not qi.is_text:  # which is released as it was
        kind = exp.DataType.build(qi.type, dialect="duckdb")
        text, key = as_written(column("value"), qi.type), as_written(exp.TryCast(this=key, to=kind), qi.type)
    names: dict[str, Fill] = {
        "mapping": mapping.table,
        "costs": costs,
        "known_text": text,
        "label_key": key,
        "value_place": place_of(engine, qi, known_values(mapping.table)),
        "level_code": f"level_{level}",
        "level_number": level,
    }
    engine.query("measures/evidence/placed_at_level", names=names, values={"first_code": int(level < mapping.height)})


def _steps(gathered: Gathered, mapping: MappingTable, level: int, counted: LabelCounts) -> tuple[Step, ...]:
    """The levels of a hierarchy; samples of those that hide no more than the release."""
    engine, masked = gathered.subject.engine, gathered.masked
    counts = engine.query("measures/evidence/labels_by_level", names={"weight": mapping.weight_table})
    steps = []
    for number, count in sorted((int(row[0]), int(row[1])) for row in counts):
        labels: tuple[str, ...] = ()
        if number >= level:
            names: dict[str, Fill] = {
                "mapping": mapping.table,
                "level_code": f"level_{level}",
                "above_label": f"label_{number}",
            }
            above = engine.query("measures/evidence/above", names=names, values={"most": MOST_LABELS})
            labels = counted.samples if number == level else tuple(str(row[0]) for row in above)
        rows = counted.released - masked if number == level else 0
        if number == mapping.height and not mapping.splits_top:
            rows += masked
        steps.append(Step(number, count, labels, rows))
    return tuple(steps)
