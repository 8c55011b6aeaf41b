"""A quasi-identifier of which each class has a label of its own: Mondrian and local recoding."""

from __future__ import annotations

from kanon_sql.commands.page.gathered import Gathered
from kanon_sql.commands.page.labels import bars_of, count_labels, generalized_by, place_alone, read_placed
from kanon_sql.report.page.model import ColumnFacts


def of_classes(gathered: Gathered, index: int, name: str) -> ColumnFacts:
    """The facts of one quasi-identifier."""
    engine = gathered.subject.engine
    count_labels(gathered, index)
    place_alone(engine)
    counted = read_placed(engine)
    bars, others = bars_of(gathered, counted, None)
    return ColumnFacts(
        name=name,
        generalized_by=generalized_by(gathered.subject.hierarchies[name][0], "ranges"),
        steps=(),
        level=None,
        loss=gathered.loss_of(name),
        labels=counted.samples,
        ordered=counted.ordered,
        bars=bars,
        others=others,
        distinct=(None, counted.labels),
        note="labels of classes",
    )
