"""New data beside earlier releases, decided on and counted again over tables of a few rows, without a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest
from shared_engine import insert, shared
from sqlglot import exp

from kanon_sql.commands.apply import job as steps
from kanon_sql.commands.apply.deciding import Deciding, Outcome
from kanon_sql.commands.apply.job import _least, _recount, _refuse_changes, _refuse_others
from kanon_sql.commands.apply.request import ApplyRequest, configure
from kanon_sql.commands.apply.rows import AllRows
from kanon_sql.commands.apply.same_levels import Applying, Texts, _table, recount_differences
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, InterruptedRunError, NoReleaseError, VerificationError
from kanon_sql.frequency.judged import Models
from kanon_sql.recount.statement import Question
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline

Json = dict[str, Any]
Rows = Sequence[tuple[Any, ...]]
TEXTS = Texts(("a",), ("s",), (), as_csv=False)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with shared() as connection:
        yield Engine(connection)


def released(engine: Engine, name: str, rows: Rows, kind: str = "VARCHAR") -> Source:
    """A temporary table of a and s as a release."""
    engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} (a VARCHAR, s {kind})")
    insert(engine.connection, name, rows)
    columns = (Column("a", "a", "VARCHAR"), Column("s", "s", kind))
    relation = exp.select("a", "s").from_(name)
    return Source("query", relation, columns, (), False, name, cast("Any", SimpleNamespace(weighted=False)))


def test_what_an_earlier_release_holds_is_tried_the_latest_first_and_what_came_waits(engine: Engine) -> None:
    p, q, r, t = (("p", "1"), ("q", "1"), ("r", "1"), ("t", "1"))
    earlier = [[p] * 2 + [q] * 2 + [r] * 4, [p] * 2 + [q] * 3 + [r] * 5]
    releases = [released(engine, f"release_{i}", rows) for i, rows in enumerate(earlier)]
    new = released(engine, "fresh", [p] * 4 + [q] * 4 + [r] * 2 + [t])
    applying = Applying(engine, TEXTS, Models(), 2, new, releases[:1])
    assert applying.decide(Deadline()) == Outcome(10, 0, 1, 0, 1, 0)
    applying = Applying(engine, TEXTS, Models(), 2, new, [releases[1]])
    # Of q one row came since, and of r three went; both were there before.
    assert applying.decide(Deadline()) == Outcome(9, 1, 1, 0, 1, 0)
    rows = Counter(engine.run(applying.select([])))
    assert rows == Counter({p: 4, q: 3, r: 2})


def test_each_earlier_release_is_held_against_until_one_holds(engine: Engine) -> None:
    """As many rows as the third release holds are one more than the first does; the second holds as many as that."""
    row, other = ("p", "1"), ("p", "2")
    held = [[row] * 3, [other] * 4 + [row] * 3, [row] * 4 + [other] * 4]
    releases = [released(engine, f"release_{i}", rows) for i, rows in enumerate(held)]
    new = released(engine, "fresh", [row] * 4)
    tried: list[int] = []

    class Noted(Applying):
        def _try(self, attempt: int, held_by: int) -> None:
            tried.append(held_by)
            super()._try(attempt, held_by)

    applying = Noted(engine, TEXTS, Models(), 3, new, releases)
    assert applying.decide(Deadline()).released == 3
    assert tried == [0, 3, 2]
    tried.clear()
    Noted(engine, TEXTS, Models(), 3, released(engine, "whole", [row] * 3), releases[:1]).decide(Deadline())
    assert tried == [0]


def test_codes_know_words_for_missing_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def noted(_: object, column: Any) -> Any:
        asked.append(column.missing)
        return SimpleNamespace(domain="d")

    monkeypatch.setattr("kanon_sql.commands.apply.deciding.ordered_dimension", noted)
    column = Column("s", "s", "VARCHAR")
    for kind, missing in (("VARCHAR", ("NA",)), ("BIGINT", ())):
        sensitive = SimpleNamespace(column=replace(column, type=kind), index=0, domain="d")
        deciding = SimpleNamespace(engine=SimpleNamespace(query=lambda *_, **__: None))
        deciding.__dict__.update(_speaking=lambda _: [], _top=lambda _: 0)
        Deciding.code(cast("Any", deciding), cast("Any", sensitive), "o0", exp.select("1"), ["NA"])
        assert asked.pop() == missing


@pytest.mark.parametrize(("needs_sizes", "compared"), [(True, [{"code": "s0", "top": 3}]), (False, [])])
def test_models_that_compare_with_all_rows_refuse_values_that_no_new_row_has(
    needs_sizes: bool, compared: list[Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = SimpleNamespace(column="s", spec=SimpleNamespace(needs_sizes=needs_sizes))
    sensitive = SimpleNamespace(column=Column("s", "s", "VARCHAR"), code="s0")
    models = SimpleNamespace(models=[model], columns={"s": sensitive})
    filled: list[Any] = []
    engine = SimpleNamespace(query=lambda *_, lists=None, **__: filled.append(lists))
    deciding = SimpleNamespace(engine=engine, models=models, k=2, _try=lambda *_: None)
    deciding.__dict__.update(_judged=lambda: exp.select("1"), _top=lambda _: 3, _speaking=lambda _: [model])
    monkeypatch.setattr("kanon_sql.commands.apply.deciding.compose", lambda *_: "composed")
    Deciding._attempt(cast("Any", deciding), 1, 0)
    assert filled[0]["compared"] == compared


@pytest.mark.parametrize(("released_rows", "waiting", "refused"), [(8, 2, False), (8, 3, True), (0, 2, True)])
def test_no_more_rows_are_suppressed_than_the_limit_and_some_are_released(
    released_rows: int, waiting: int, refused: bool
) -> None:
    loaded = SimpleNamespace(config=SimpleNamespace(suppression=SimpleNamespace(rows=lambda rows: rows // 5)))
    draft = SimpleNamespace(limit=None)
    with pytest.raises(NoReleaseError) if refused else nullcontext():
        AllRows.require(
            cast("Any", None), cast("Any", loaded), cast("Any", draft), Outcome(released_rows, waiting, 0, 0, 0, 0), 10
        )
    assert draft.limit == 2


def test_what_two_releases_tell_apart_is_counted_again(engine: Engine) -> None:
    past = released(engine, "past", [("p", "1")] * 4 + [("q", "1")] * 3)
    for rows, kept in (([("p", "1")] * 6, 4), ([("p", "1")] * 2, 2)):
        counted = recount_differences(engine, TEXTS, released(engine, "fresh", rows), [(7, past)], Question(2))
        assert counted == [{"release": 7, "kept": kept, "added": len(rows) - kept, "removed": 7 - kept}]
    for rows in ([("p", "1")] * 5, [("p", "1")] * 3):
        with pytest.raises(VerificationError, match="release 7"):
            recount_differences(engine, TEXTS, released(engine, "fresh", rows), [(7, past)], Question(2))


def test_intervals_are_of_one_style_whichever_release_has_which(engine: Engine) -> None:
    closed, half_open = [("40-44", "1")], [("[40, 45)", "1")]
    for new, old, mixes in (
        (closed, half_open, True),
        (half_open, closed, True),
        (closed, closed, False),
        (half_open, half_open, False),
    ):
        sides = released(engine, "fresh", new), [released(engine, "past", old)]
        assert Applying(engine, TEXTS, Models(), 1, *sides).mixes_styles(1, 0) is mixes


def test_values_are_compared_as_files_hold_them_and_moments_in_one_zone(engine: Engine) -> None:
    rows = released(engine, "fresh", [("", "2024-01-01 12:00:00+02")], "TIMESTAMP WITH TIME ZONE")
    engine.connection.execute("SET SESSION TimeZone = 'Asia/Tokyo'")
    for as_csv, wanted in ((False, ("", "2024-01-01 10:00:00")), (True, (None, "2024-01-01 19:00:00+09"))):
        texts = replace(TEXTS, as_csv=as_csv).of(rows)
        assert engine.run(exp.select(*texts).from_("fresh")) == [wanted]
    sensitive = SimpleNamespace(column=Column("s", "s", "VARCHAR"))
    question = cast("Any", SimpleNamespace(columns={"s": sensitive}, missing=("NA",)))
    values = _table(TEXTS, exp.select("*").from_("texts"), question).sensitive["s"]
    engine.connection.execute("CREATE OR REPLACE TEMP TABLE texts AS SELECT unnest(['NA', 'x']) AS o0")
    assert engine.run(exp.select(values).from_("texts")) == [(None,), ("x",)]


SMALL: Json = {
    "source": "first.csv",
    "target": "release.csv",
    "quasi_identifiers": {"a": {"builtin": "suppress"}},
    "sensitive": ["s"],
    "privacy": {"k": 2},
    "releases": {"path": "ledger.duckdb"},
    "suppression": {"limit": "50%"},
}


def a_run(**more: Any) -> Any:
    """A run of apply with this configuration, as far as its steps read it."""
    return SimpleNamespace(loaded=from_mapping({**SMALL, **more}), base=SimpleNamespace(id=3), levels={"a": 0})


def test_classes_are_so_large_that_thresholds_of_the_table_hold() -> None:
    assert _least(a_run()) == 2
    assert _least(a_run(privacy={"k": 2, "average_risk": {"at_most": 0.2}})) == 5


def test_aggregates_would_tell_what_was_added(monkeypatch: pytest.MonkeyPatch) -> None:
    mode = {"a": {"builtin": "suppress", "aggregate": "mode"}}
    for quasi, refused in ((mode, ConfigurationError), (SMALL["quasi_identifiers"], InterruptedRunError)):
        monkeypatch.setattr(steps, "find_entry", lambda *_: None)
        loaded = a_run(quasi_identifiers=quasi).loaded
        monkeypatch.setattr(steps, "configure", lambda *_, loaded=loaded: loaded)
        monkeypatch.setattr(steps, "AllRows", Mock(side_effect=InterruptedRunError("so far")))
        request = cast("Any", SimpleNamespace(entries=[], number=3, ledger=None, new_rows=False))
        with pytest.raises(refused, match="would tell, beside the earlier release" if quasi is mode else "so far"):
            steps.apply_release(request, cast("Any", None))


def test_levels_and_treatments_that_mean_something_else_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    findings: dict[str, list[str]] = {
        "changes": [],
        "treatment_changes": [],
        "ambiguous_labels": [],
        "counted_anew": [],
    }
    for name in tuple(findings):
        monkeypatch.setattr(steps, name, lambda *_, name=name: findings[name])
    run = a_run()
    run.rows = SimpleNamespace(of_same_levels=[SimpleNamespace(id=3, details={"columns": {}})])
    source = cast("Any", SimpleNamespace(missing=()))
    _refuse_changes(run, source, cast("Any", None), cast("Any", None))
    for name in tuple(findings):
        findings[name] = ["it is another"]
        with pytest.raises(ConfigurationError, match="it is another"):
            _refuse_changes(run, source, cast("Any", None), cast("Any", None))
        findings[name] = []


def test_releases_at_other_levels_are_in_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(steps, "conflict", lambda *words: said.append(words[-1]))
    run = a_run()
    run.draft, run.request = None, SimpleNamespace(ledger="ledger.duckdb")
    run.rows = SimpleNamespace(refuse_beside=lambda *_: None)
    for others, number in (([], 0), ([SimpleNamespace(id=8)], 1)):
        run.related = SimpleNamespace(others=others)
        _refuse_others(run)
        assert len(said) == number
    assert "release 8 of the same source" in said[0]


def test_what_a_release_tells_apart_from_each_earlier_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "question_of", lambda *_: "the question")
    run = a_run()
    run.node, run.draft, run.outcome = (0,), SimpleNamespace(), Outcome(4, 1, 0, 0, 0, 0)
    run.rows = SimpleNamespace(told_apart=lambda earlier: list(enumerate(earlier, 5)))
    run.place = SimpleNamespace(differences=lambda *given: [{"release": number} for number, _ in given[3]])
    _recount(run, *cast("Any", (None, None, None, TEXTS, ["x", "y"])))
    assert run.differences == [{"release": 5}, {"release": 6}]
    assert (run.draft.suppressed, run.draft.released) == (1, 4)


def test_a_release_is_made_anew_of_persons_and_in_an_order_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr("kanon_sql.commands.apply.request.configuration_of", lambda *_: given[-1])
    request = ApplyRequest(3, "second.csv", cast("Any", steps.__file__), [], "out.csv")
    request = replace(request, ledger=cast("Any", SimpleNamespace(absolute=lambda: "ledger.duckdb")))
    given.append(from_mapping({**SMALL, "release": {"order": "random", "seed": 5}}))
    assert configure(request, cast("Any", None)).config.release.seed is None
    given.append(from_mapping({**SMALL, "release": {"order": "none"}}))
    assert configure(request, cast("Any", None)).config.release.order == "random"
    given.append(from_mapping({**SMALL, "identifiers": ["who"], "privacy": {"k": 2, "entity": "who"}}))
    with pytest.raises(ConfigurationError, match="a release holds no entities"):
        configure(request, cast("Any", None))


ORDER = [
    "refuse_early",
    "_refuse_others",
    "refuse",
    "_refuse_changes",
    "sink.refuse",
    "prepare",
    "allow_paths",
    "read",
    "_prepared",
    "refuse_warnings",
    "_decide",
    "require",
    "put",
    "_verify",
    "_recount",
    "verify",
    "verify_treatments",
    "_note_ends",
    "refuse_warnings",
    "put_in_place",
]


@pytest.mark.parametrize("fails", [None, "require", "_verify", "_recount", "verify", "verify_treatments"])
def test_a_release_is_put_in_place_when_all_of_it_was_counted_again(
    fails: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def noted(name: str, gives: Any = None) -> Any:
        def note(*_: object, **__: object) -> Any:
            calls.append(name)
            if name == fails:
                raise VerificationError(name)
            return gives

        return note

    for name in ORDER:
        if hasattr(steps, name):
            monkeypatch.setattr(steps, name, noted(name))
    backend = SimpleNamespace(weighted=False)
    source = SimpleNamespace(label="s", encoding=None, snapshot=None, missing=(), backend=backend)
    monkeypatch.setattr(steps, "_prepared", noted("_prepared", SimpleNamespace(source=source, n=1)))
    for name in ("load_hierarchies", "assign_roles", "_texts", "NewRelease"):
        monkeypatch.setattr(steps, name, lambda *_, **__: SimpleNamespace(released=()))
    for name in ("telling_releases", "reading_again"):
        monkeypatch.setattr(steps, name, lambda *_: nullcontext())
    sink = SimpleNamespace(
        describe=str, refuse=noted("sink.refuse"), prepare=noted("prepare"), written=noted("", None), paths=list
    )
    sink.__dict__.update(whole=lambda _: None, verification=lambda *_: None, warnings=[], forgotten=[])
    sink.written = lambda _: None
    opened = SimpleNamespace(engine=SimpleNamespace(progress=None), sink=sink, open_source=lambda: source)
    run = a_run()
    run.related = SimpleNamespace(compared=())
    run.call = SimpleNamespace(
        options=SimpleNamespace(show_values=False), time_limit=None, step=lambda *_: nullcontext()
    )
    run.draft = SimpleNamespace(warnings=[], engine={})
    run.request = SimpleNamespace(ledger=None, entries=[])
    run.outcome = None
    run.rows = SimpleNamespace(**{name: noted(name) for name in ("read", "require", "verify")})
    run.rows.__dict__.update(only_new=False, released_before=0)
    run.place = SimpleNamespace(refuse=noted("refuse"), put=noted("put"), kind=lambda *_: None)
    run.place.open = lambda *_: nullcontext(opened)
    with pytest.raises(VerificationError) if fails else nullcontext():
        steps._run(run)
    assert calls == ORDER[: ORDER.index(fails) + 1 if fails else None]
