"""Roles and hierarchies that `init` proposes, of made-up profiles: no table is read."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from math import log10
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.commands.init.generalizing import nice_widths
from kanon_sql.commands.init.proposal import RECIPIENTS, smallest_class
from kanon_sql.commands.init.roles import (
    KNOWN,
    NAMING,
    PRIVATE,
    ROLES,
    Determined,
    Role,
    percent,
    role_of,
    topic,
    with_answers,
    with_dependencies,
    with_one_at_least,
    words_of,
)
from kanon_sql.source.profile.kinds import DIRECT, ColumnProfile, Finding, Kind


def made_up(name: str = "x", kind: Kind = "category", **given: Any) -> ColumnProfile:
    """A column of 1,000 rows with ten values, of which nothing is known, but for what is given."""
    usual: dict[str, Any] = {
        "type": "VARCHAR",
        "rows": 1000,
        "missing": 0,
        "missing_as": (),
        "distinct": 10,
        "exact": True,
        "alone": 0.0,
        "shortest": 1,
        "longest": 8,
    }
    return ColumnProfile(name, kind=kind, **{**usual, **given})


KINDS: tuple[Kind, ...] = (
    "whole number", "decimal", "date", "timestamp", "boolean", "code", "category", "text", "free text", "empty",
)  # fmt: skip


@pytest.mark.slow
@given(st.sampled_from([*sorted(DIRECT), "free text"]), st.sampled_from(KINDS), st.floats(0, 1), st.text(max_size=12))
def test_what_names_a_person_is_an_identifier_whatever_else_it_looks_like(
    looks: str, kind: Kind, alone: float, name: str
) -> None:
    column = made_up(name, kind, alone=alone, finding=Finding(looks, 0.6, "said so"))
    assert role_of(column).role == "identifier"


@pytest.mark.parametrize(
    ("name", "kind", "alone", "role"),
    [
        ("notes", "free text", 0.9, "identifier"),
        ("Kennzeichen", "code", 0.9, "identifier"),
        ("userName", "text", 0.2, "identifier"),
        ("Diagnose", "category", 0.0, "sensitive"),
        ("annual_income", "decimal", 0.9, "sensitive"),
        ("Religionszugehörigkeit", "category", 0.0, "sensitive"),
        ("Familienstand", "category", 0.0, "quasi-identifier"),
        ("hire_date", "date", 0.3, "quasi-identifier"),
        ("x17", "date", 0.3, "quasi-identifier"),
        ("x17", "category", 0.0, "insensitive"),
        ("x17", "text", 0.9, "identifier"),
        ("x17", "code", 0.2, "quasi-identifier"),
        ("x17", "decimal", 0.9, "sensitive"),
        ("x17", "decimal", 0.01, "insensitive"),
        ("occupation", "text", 0.9, "quasi-identifier"),
        ("diagnosis", "text", 0.9, "identifier"),
        ("SSN", "empty", 0.0, "identifier"),
        ("final_weight", "whole number", 0.01, "insensitive"),
        ("sexton", "category", 0.0, "insensitive"),
        ("female", "boolean", 0.0, "quasi-identifier"),
    ],
)
def test_roles_by_name_and_kind(name: str, kind: Kind, alone: float, role: str) -> None:
    assert role_of(made_up(name, kind, alone=alone)).role == role


def test_a_value_in_every_row_tells_nobody_apart() -> None:
    assert role_of(made_up("x", distinct=1, alone=0.0)).role == "insensitive"
    assert role_of(made_up("x", distinct=1, missing=1, alone=0.001)).role == "insensitive"


OPEN, PRIVATE_ONE, KNOWN_ONE = Role("insensitive", "", known=False), Role("sensitive", ""), Role("quasi-identifier", "")


def test_what_tells_a_quasi_identifier_or_is_told_by_one_is_one_too() -> None:
    roles = {"zip": KNOWN_ONE, "town": OPEN, "county": OPEN, "other": OPEN, "code": OPEN, "disease": PRIVATE_ONE}
    dependencies = [
        Determined("zip", "town", 1.0),
        Determined("town", "county", 0.99),
        Determined("code", "disease", 1.0),
    ]
    decided = with_dependencies(roles, dependencies)
    assert {name: role.role for name, role in decided.items()} == {
        "zip": "quasi-identifier",
        "town": "quasi-identifier",
        "county": "quasi-identifier",
        "other": "insensitive",
        "code": "sensitive",
        "disease": "sensitive",
    }
    assert "'zip'" in decided["town"].why


def test_what_a_list_says_is_private_stays_so_beside_a_quasi_identifier() -> None:
    decided = with_dependencies({"zip": KNOWN_ONE, "disease": PRIVATE_ONE}, [Determined("zip", "disease", 1.0)])
    assert decided["disease"].role == "sensitive"


@given(st.data())
def test_dependencies_and_answers_never_release_an_identifier_nor_uncover_what_is_protected(
    data: st.DataObject,
) -> None:
    names = list("abcdef")
    roles = {name: Role(data.draw(st.sampled_from(ROLES)), "", known=data.draw(st.booleans())) for name in names}
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda pair: pair[0] != pair[1])
    dependencies = [Determined(by, column, 1.0) for by, column in data.draw(st.lists(pairs, max_size=8))]
    decided = with_dependencies(roles, dependencies)
    for name in names:
        if roles[name].role in ("identifier", "quasi-identifier"):
            assert decided[name].role == roles[name].role
    for dependency in dependencies:
        ends = [decided[dependency.by], decided[dependency.column]]
        guarded = [end for end in ends if end.role == "quasi-identifier" or (end.role == "sensitive" and end.known)]
        assert not guarded or "insensitive" not in [end.role for end in ends]
    answered = with_answers(decided, data.draw(st.lists(st.sampled_from(names))), [], None)
    assert all(answered[name].role == "identifier" for name in names if decided[name].role == "identifier")


def test_answers_change_roles() -> None:
    roles = {"a": OPEN, "b": KNOWN_ONE, "id": OPEN, "name": Role("identifier", "")}
    decided = with_answers(roles, ["a", "name"], ["b"], "id")
    assert {name: role.role for name, role in decided.items()} == {
        "a": "quasi-identifier", "b": "sensitive", "id": "identifier", "name": "identifier",
    }  # fmt: skip


def test_without_a_quasi_identifier_what_tells_rows_apart_most_becomes_one() -> None:
    columns = [made_up("a", alone=0.01), made_up("b", alone=0.04, distinct=20), made_up("name", alone=1.0)]
    roles = {"a": OPEN, "b": OPEN, "name": Role("identifier", "")}
    decided = with_one_at_least(columns, roles)
    assert [name for name, role in decided.items() if role.role == "quasi-identifier"] == ["b"]
    assert with_one_at_least(columns[2:], {"name": roles["name"]}) == {"name": roles["name"]}


@given(st.floats(1e-6, 1e9, allow_subnormal=False), st.booleans())
def test_widths_divide_each_other_and_fit_the_range(span: float, whole: bool) -> None:
    widths = nice_widths(span, whole=whole)
    assert widths
    assert all(round(above / below, 6) in (2.0, 4.0, 5.0) for below, above in pairwise(widths))
    assert all(width <= span / 2 * 1.0000001 for width in widths[1:])
    if whole:
        assert all(isinstance(width, int) and width >= 2 for width in widths)
    elif span > 1e-3:
        assert abs(log10(widths[0] * 20 / span)) < 0.5


def test_no_range_no_widths() -> None:
    assert nice_widths(0, whole=True) == []


@pytest.mark.parametrize("recipient", RECIPIENTS)
@given(persons=st.integers(1, 10_000))
def test_k_is_what_the_recipient_asks_for_or_what_the_table_can_give(recipient: str, persons: int) -> None:
    k, why = smallest_class(recipient, persons)
    wanted = RECIPIENTS[recipient][0]
    assert 1 <= k <= min(wanted, persons) and (k >= 2 or persons == 1)
    assert k == wanted or str(persons) in why


def test_names_are_read_in_several_languages() -> None:
    assert words_of("StraßeHausNr") == ["strasse", "haus", "nr"]
    assert words_of("ÉTAT-civil") == ["etat", "civil"]
    assert topic("État civil", KNOWN) == ("family", 0)
    assert topic("Bruttoeinkommen", PRIVATE) == ("income and wealth", 0)
    assert topic("discharged", PRIVATE, KNOWN) == ("a time", 1)
    assert topic("x", PRIVATE) is None
    assert topic("", NAMING) is None


def test_shares_are_never_rounded_to_none_or_all() -> None:
    assert [percent(share) for share in (0, 0.0004, 0.5, 0.9996, 1)] == ["0 %", "<0.1 %", "50 %", ">99.9 %", "100 %"]


def test_dates_are_dates() -> None:
    column = made_up("x", "date", lowest=date(1950, 1, 1), highest=date(2000, 1, 1))
    assert role_of(column).role == "quasi-identifier"
