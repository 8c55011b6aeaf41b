"""At which levels facts are released, and that no more of them are suppressed than the limit allows."""

from __future__ import annotations

import pytest
from queried import table
from shared_engine import shared

from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.search.facts.levels import PERSON_LEAVES, PERSONS, FactColumn, FactsResult, FactTable, search_facts
from kanon_sql.search.facts.suppression import FactsRequired
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import state


def searched(most: int, highest: int) -> FactsResult | None:
    """Of seven pairs two persons have a fact that nobody shares; one level up all facts are one."""
    with shared() as connection:
        persons = [(person, 1, True) for person in range(1, 6)]
        table(connection, f'"{state(PERSONS)}"', "person BIGINT, class BIGINT, is_released BOOLEAN", persons)
        pairs = [(1, 1), (2, 1), (3, 1), (4, 2), (5, 3), (1, 4), (2, 4)]
        table(connection, f'"{state(PERSON_LEAVES)}"', "person BIGINT, leaf BIGINT", pairs)
        table(connection, "leaves", "leaf BIGINT, code_0 BIGINT", [(leaf, leaf) for leaf in range(1, 5)])
        table(connection, "mapping", "level_0 BIGINT, level_1 BIGINT", [(leaf, 1) for leaf in range(1, 5)])
        weights = [*((0, leaf, 1) for leaf in range(1, 5)), (1, 1, 4)]
        table(connection, "weights", "level BIGINT, code BIGINT, leaves BIGINT", weights)
        mapping = MappingTable(0, "kind", "VARCHAR", "mapping", "weights", 1, 4, 4, 0, highest, 1.0, None)
        facts = FactTable("visit", (FactColumn("visit.kind", mapping),), "leaves", 0)
        return search_facts(Engine(connection), [facts], None, FactsRequired(2, 1), most, Deadline())


@pytest.mark.parametrize(("most", "level", "kept"), [(2, 0, 5), (1, 1, 7)])
def test_a_level_is_taken_at_which_no_more_pairs_are_suppressed_than_may_be(most: int, level: int, kept: int) -> None:
    result = searched(most, 1)
    assert result is not None
    assert (result.levels, result.kept, result.pairs) == ({"visit.kind": level}, kept, 7)


@pytest.mark.parametrize(("most", "is_there"), [(2, True), (1, False)])
def test_there_is_no_release_where_every_level_suppresses_more(most: int, is_there: bool) -> None:
    assert (searched(most, 0) is not None) is is_there
