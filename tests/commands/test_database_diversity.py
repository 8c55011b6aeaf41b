"""l-diversity and t-closeness of values that persons hold in other tables, counted in plain Python in the release."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from effort import whole_runs
from hypothesis import given
from hypothesis import strategies as st
from small_databases import released_rows, written

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.commands.database import run as database_run
from kanon_sql.commands.database.held import HeldValues
from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError
from kanon_sql.frequency.judged import Models
from kanon_sql.report.call import Call

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]
TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR", "ward": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR"},
    "diagnosis": {"visit_id": "INTEGER", "code": "VARCHAR"},
}


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Rows]:
    """Persons with visits, and diagnoses of these: several, repeated ones, missing ones, none, and of no visit."""
    persons = [
        (i, draw(st.sampled_from("fm")), draw(st.sampled_from(["aa", "ab", "ba", None])))
        for i in range(draw(st.integers(2, 14)))
    ]
    visits = [
        (v, draw(st.sampled_from(persons))[0], draw(st.sampled_from("pq"))) for v in range(draw(st.integers(1, 20)))
    ]
    numbers = st.integers(0, len(visits))
    codes = st.sampled_from(["x", "y", "z", None])
    return {
        "person": persons,
        "visit": visits,
        "diagnosis": [(draw(numbers), draw(codes)) for _ in range(draw(st.integers(0, 24)))],
    }


def configuration(
    database: dict[str, Rows], folder: Path, kind: str, privacy: Json, *, types: Any = TYPES, **more: Any
) -> Json:
    """Writes the tables; gives a configuration of them."""
    source, target = written(database, types, folder, kind)
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {
                "quasi_identifiers": {"sex": {"builtin": "suppress"}, "ward": {"builtin": "prefix", "keep": [1]}}
            },
            "visit": {"link": "person_id", "insensitive": ["kind"]},
            "diagnosis": {"link": {"visit_id": "visit"}, "sensitive": ["code"]},
        },
        "privacy": privacy,
        "suppression": {"persons": 3},
        **more,
    }


def values_of(tables: Mapping[str, Iterable[tuple[Any, ...]]]) -> dict[Any, set[str | None]]:
    """The values of each person, None where one is missing or she has no diagnosis."""
    owners = {visit: person for visit, person, _ in tables["visit"]}
    held: dict[Any, set[str | None]] = defaultdict(set)
    for visit, code in tables["diagnosis"]:
        if visit in owners:
            held[owners[visit]].add(code)
    return {person: held.get(person) or {None} for person, *_ in tables["person"]}


def pairs(persons: Iterable[Any], values: Mapping[Any, set[str | None]]) -> Counter[str | None]:
    return Counter(value for person in persons for value in values[person])


def measure(model: str, entry: Json, counted: Counter[str | None], everybody: Counter[str | None]) -> float:
    """What the pairs of one class reach of a model, by its definition."""
    there = [count for value, count in counted.items() if value is not None]
    if model == "t_closeness":
        n, of_all = sum(counted.values()), sum(everybody.values())
        shares = (Fraction(counted[value], n) - Fraction(everybody[value], of_all) for value in counted | everybody)
        return float(sum(map(abs, shares)) / 2)
    if entry.get("variant") == "entropy":
        return math.exp(-sum(c / sum(there) * math.log(c / sum(there)) for c in there)) if there else 0
    return len(there)


def holds(model: str, entry: Json, counted: Counter[str | None], everybody: Counter[str | None]) -> bool:
    reached = measure(model, entry, counted, everybody)
    return reached <= float(entry["t"]) + 1e-9 if model == "t_closeness" else reached >= float(entry["l"]) * (1 - 1e-9)


def node_classes(persons: Rows, sex_level: int, ward_level: int) -> list[list[Any]]:
    """The classes of persons at a node of the lattice."""
    classes: dict[Any, list[Any]] = defaultdict(list)
    for person, sex, ward in persons:
        place = "*" if ward_level == 2 else None if ward is None else ward[: 2 - ward_level]
        classes[sex if sex_level == 0 else "*", place].append(person)
    return list(classes.values())


MODELS: list[tuple[str, Json]] = [
    ("l_diversity", {"column": "diagnosis.code", "l": 2}),
    ("l_diversity", {"column": "diagnosis.code", "l": 3}),
    ("l_diversity", {"column": "diagnosis.code", "l": 1.7, "variant": "entropy"}),
    ("t_closeness", {"column": "diagnosis.code", "t": 0.25}),
    ("t_closeness", {"column": "diagnosis.code", "t": 0.5}),
]


@whole_runs(20)
@given(
    databases(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.integers(1, 3),
    st.sampled_from(MODELS),
    st.sampled_from(["optimal", "samarati", "mondrian", "local"]),
)
def test_every_class_of_persons_holds_the_model(
    tmp_path_factory: pytest.TempPathFactory,
    database: dict[str, Rows],
    kind: str,
    k: int,
    model_and_entry: tuple[str, Json],
    algorithm: str,
) -> None:
    """And there is no release only where no node of the lattice has few enough persons in classes that do not."""
    folder = tmp_path_factory.mktemp("diversity")
    model, entry = model_and_entry
    config = configuration(database, folder, kind, {"k": k, model: entry}, algorithm=algorithm)
    in_source = values_of(database)
    everybody = pairs(in_source, in_source)
    suppressed = {
        node: sum(
            len(members)
            for members in node_classes(database["person"], *node)
            if len(members) < k or not holds(model, entry, pairs(members, in_source), everybody)
        )
        for node in product(range(2), range(3))
    }
    allowed = [node for node, count in suppressed.items() if count <= min(3, len(in_source) - 1)]
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        # k persons must be left of all, whatever the classes.
        left = [node for node in allowed if len(in_source) - suppressed[node] >= k]
        assert not left or algorithm in ("mondrian", "local")
        return
    released = released_rows(TYPES, folder, kind)
    values = values_of(released)
    classes: dict[Any, list[Any]] = defaultdict(list)
    for person, *of_person in released["person"]:
        classes[tuple(of_person)].append(person)
    assert all(len(members) >= k for members in classes.values())
    reached = [measure(model, entry, pairs(members, values), everybody) for members in classes.values()]
    assert all(holds(model, entry, pairs(members, values), everybody) for members in classes.values())
    actual = max(reached) if model == "t_closeness" else min(reached)
    assert report["privacy"][model]["actual"] == pytest.approx(actual)
    assert report["privacy"][model]["column"] == "diagnosis.code"
    if algorithm == "optimal":
        node = (report["solution"]["levels"]["sex"], report["solution"]["levels"]["ward"])
        assert report["persons"]["suppressed"] == suppressed[node] <= 3
    checked = kanon_sql.check(config, folder / ("out.duckdb" if kind == "duckdb" else "out"), progress=None)
    own = pairs(values, values)
    assert (checked["status"] == "satisfied") == all(
        holds(model, entry, pairs(members, values), own) for members in classes.values()
    )


@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_shares_are_those_of_pairs_however_many_values_a_person_has(tmp_path: Path, algorithm: str) -> None:
    alike: dict[str, Rows] = {
        "person": [(i, "fm"[i % 2], "aa") for i in range(8)],
        "visit": [(i, i, "p") for i in range(8)],
        "diagnosis": [(i, code) for i in range(8) for code in "xyz"],
    }
    privacy = {"k": 2, "t_closeness": {"column": "diagnosis.code", "t": 0.1}}
    report = kanon_sql.run(
        configuration(alike, tmp_path, "parquet", privacy, algorithm=algorithm), progress=None
    ).report
    assert report["privacy"]["t_closeness"]["actual"] == 0
    assert report["classes"]["count"] == 2
    assert report["persons"]["suppressed"] == 0


def _uneven() -> dict[str, Rows]:
    """Of six women in a ward all have x, one of them y too; of six men three have y, and three have nothing."""
    held = [(i, "x") for i in range(6)] + [(0, "y"), (0, "y")] + [(i, "y") for i in range(6, 9)]
    return {
        "person": [(i, "f" if i < 6 else "m", "aa") for i in range(12)],
        "visit": [(i, i, "p" if i % 2 else "q") for i in range(12)],
        "diagnosis": held,
    }


@pytest.mark.slow
def test_who_counts_are_persons_and_pairs_of_them_with_values(tmp_path: Path) -> None:
    """Apart the men have one value, so that both sexes are one class; a repeated y of one person is one pair."""
    privacy = {
        "k": 6,
        "l_diversity": [{"column": "diagnosis.code", "l": 2}],
        "t_closeness": {"column": "diagnosis.code", "t": 0.1},
    }
    config = configuration(_uneven(), tmp_path, "parquet", privacy)
    report = kanon_sql.run(config, progress=None).report
    assert report["solution"]["levels"]["sex"] == 1
    assert report["classes"]["min"] == 12 and report["privacy"]["k"]["actual"] == 12
    assert report["privacy"]["l_diversity"] == [
        {"column": "diagnosis.code", "variant": "distinct", "required": 2, "actual": 2}
    ]
    assert report["privacy"]["t_closeness"]["actual"] == 0
    config["privacy"] = {"k": 6, "t_closeness": {"column": "diagnosis.code", "t": "0.6"}}
    config["target"]["overwrite"] = True
    report = kanon_sql.run(config, progress=None).report
    # Of thirteen pairs six are x, four y, three none; of the men's six none, three and three.
    assert report["privacy"]["t_closeness"]["actual"] == pytest.approx(6 / 13)
    assert report["solution"]["levels"]["sex"] == 0


@pytest.mark.slow
def test_it_is_said_to_people(tmp_path: Path) -> None:
    privacy = {"k": 6, "l_diversity": {"column": "diagnosis.code", "l": 2}}
    config = configuration(_uneven(), tmp_path, "parquet", privacy)
    path = tmp_path / "database.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["check", str(path)])
    assert ended.exit_code == 1
    assert "1 classes of persons violate l_diversity of diagnosis.code" in ended.output
    assert "diagnosis.code: l_diversity 1 in every class (asked for 2)" in ended.output
    ended = CliRunner().invoke(cli, ["run", str(path), "--html", str(tmp_path / "page.html")])
    assert "diagnosis.code: l_diversity 2 in every class (asked for 2)" in ended.output
    assert "values of diagnosis.code of every class have a diversity (distinct) of at least 2 (asked for: 2)" in (
        tmp_path / "page.html"
    ).read_text(encoding="utf-8")
    ended = CliRunner().invoke(cli, ["check", str(path), str(tmp_path / "out")])
    assert ended.exit_code == 0
    ended = CliRunner().invoke(cli, ["risk", str(path)])
    assert "diagnosis.code: l_diversity 1 in every class" in ended.output
    assert "diagnosis.code: l_diversity 2 in every class" in ended.output


def test_what_the_search_misses_does_not_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classes = Models.classes
    monkeypatch.setattr(Models, "classes", lambda self, tables, models=None: classes(self, tables, ()))
    config = configuration(
        _uneven(), tmp_path, "parquet", {"k": 6, "l_diversity": {"column": "diagnosis.code", "l": 2}}
    )
    with pytest.raises(VerificationError, match="1 equivalence classes"):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model", [("l_diversity", {"l": 2}), ("t_closeness", {"t": 0.3}), ("l_diversity", {"l": 1.5, "variant": "entropy"})]
)
def test_other_values_than_the_search_has_do_not_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: tuple[str, Json]
) -> None:
    """The written tables are counted, not what the search was given: here two values of everybody."""

    def wrong(values: HeldValues) -> dict[str, str]:
        values.engine.run(
            'CREATE TEMP TABLE kanon_sql_wrong AS SELECT unnest(range(12))::VARCHAR AS key, \'["x","y"]\' AS list'
        )
        return {"diagnosis.code": "kanon_sql_wrong"}

    monkeypatch.setattr(HeldValues, "lists", wrong)
    key, entry = model
    config = configuration(_uneven(), tmp_path, "parquet", {"k": 6, key: {"column": "diagnosis.code", **entry}})
    with pytest.raises(VerificationError, match=rf"[12] classes of persons violate {key} of diagnosis\.code"):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "out").exists()


def _with_facts(
    database: dict[str, Rows], folder: Path, privacy: Json, persons: int, *, kind: str = "parquet", **more: Any
) -> Json:
    """A configuration in which diagnoses go with visits of a kind that is suppressed."""
    folder.mkdir()
    config = configuration(database, folder, kind, privacy, suppression={"persons": persons}, **more)
    config["tables"]["visit"] = {"link": "person_id", "facts": {"kind": {}}}
    return config


@pytest.mark.slow
@whole_runs(20)
@given(
    databases(),
    st.integers(1, 3),
    st.sampled_from(MODELS),
    st.sampled_from([0, 0, 3]),
    st.booleans(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.sampled_from(["optimal", "optimal", "mondrian", "local"]),
)
def test_models_hold_of_what_suppressed_facts_leave(
    tmp_path_factory: pytest.TempPathFactory,
    database: dict[str, Rows],
    k: int,
    model_and_entry: tuple[str, Json],
    persons: int,
    by_class: bool,
    kind: str,
    algorithm: str,
) -> None:
    """Where nobody is suppressed, what is left is that of a run without the model: there is no release only where no
    node of the lattice holds of that, and else the classes are those of one that loses least.
    """
    folder = tmp_path_factory.mktemp("left")
    model, entry = model_and_entry
    facts = {"known": 2, "with": "quasi_identifiers" if by_class else "nothing"}
    config = _with_facts(
        database, folder / "asked", {"k": k, "facts": facts, model: entry}, persons, kind=kind, algorithm=algorithm
    )
    in_source = values_of(database)
    everybody = pairs(in_source, in_source)
    plain = _with_facts(database, folder / "plain", {"k": k, "facts": facts}, persons, kind=kind)
    plain["keys"]["person_id"] = "keep"
    try:
        kanon_sql.run(plain, progress=None)
    except NoReleaseError:
        return  # there are fewer than k persons
    left = {int(person): values for person, values in values_of(released_rows(TYPES, folder / "plain", kind)).items()}
    holding = [
        node
        for node in product(range(2), range(3))
        if persons == 0
        and all(
            len(members) >= k and holds(model, entry, pairs(members, left), everybody)
            for members in node_classes(database["person"], *node)
        )
    ]
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        assert persons or by_class or not holding or algorithm != "optimal"
        return
    released = released_rows(TYPES, folder / "asked", kind)
    values = values_of(released)
    classes: dict[Any, list[Any]] = defaultdict(list)
    for person, *of_person in released["person"]:
        classes[tuple(of_person)].append(person)
    assert all(len(members) >= k for members in classes.values())
    assert all(holds(model, entry, pairs(members, values), everybody) for members in classes.values())
    assert len(database["person"]) - len(released["person"]) == report["persons"]["suppressed"] <= persons
    kinds: dict[Any, set[str]] = defaultdict(set)
    for _, person, of_visit in released["visit"]:
        kinds[person].add(of_visit)
    for members in classes.values() if by_class else [list(kinds)]:
        for pair_of_facts in {(a, b) for person in members for a in kinds[person] for b in kinds[person]}:
            assert sum(kinds[person].issuperset(pair_of_facts) for person in members) >= k
    if persons == 0 and not by_class:
        if algorithm == "optimal":
            assert (report["solution"]["levels"]["sex"], report["solution"]["levels"]["ward"]) in holding
        assert Counter(map(frozenset, values.values())) == Counter(map(frozenset, left.values()))


def _spoilt(folder: Path, persons: int) -> Json:
    """Two values of each class are asked for; the women's only y goes with a visit of a kind that nobody else had."""
    database = _uneven()
    database["visit"].append((12, 1, "alone"))
    database["diagnosis"] = [(i, "x") for i in range(12)] + [(12, "y"), (7, "y")]
    privacy = {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": 2}, "facts": {"known": 1}}
    return _with_facts(database, folder, privacy, persons)


def test_classes_are_joined_where_values_went_with_facts(tmp_path: Path) -> None:
    """The women are one class with the men."""
    report = kanon_sql.run(_spoilt(tmp_path / "asked", 0), progress=None).report
    assert report["solution"]["levels"]["sex"] == 1
    assert report["privacy"]["l_diversity"]["actual"] == 2
    assert report["persons"]["released"] == 12


def _limits_of_searches(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Of each search of persons that is to come, its limit of time."""
    limits: list[float] = []

    def noted(job: Any, call: Call) -> Any:
        limits.append(call.time_limit or 0)
        return run_configuration(job, call)

    monkeypatch.setattr(database_run, "run_configuration", noted)
    return limits


@pytest.mark.slow
def test_searches_share_one_limit_of_time_and_the_limit_that_was_asked_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here nobody is suppressed in the second search, whatever is asked."""
    monkeypatch.setattr(database_run, "_FREE_ROUNDS", 0)
    limits = _limits_of_searches(monkeypatch)
    report = kanon_sql.run(_spoilt(tmp_path / "asked", 3), progress=None, time_limit=1000).report
    assert len(limits) == 2 and 0 < limits[1] < limits[0] <= 1000
    assert report["suppression"]["limit"] == 3 and report["persons"]["suppressed"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("least, searches", [(2, 1), (3, 2)])
def test_persons_are_searched_again_only_where_classes_do_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, searches: int
) -> None:
    """A diagnosis of the women goes with its visit, which leaves them two values."""
    limits = _limits_of_searches(monkeypatch)
    database = _uneven()
    database["visit"].append((12, 1, "alone"))
    database["diagnosis"] = [(i, "xyz"[i % 3]) for i in range(6, 12)]
    database["diagnosis"] += [(i, "xy"[i % 2]) for i in range(6)] + [(12, "z")]
    privacy = {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": least}, "facts": {"known": 1}}
    report = kanon_sql.run(_with_facts(database, tmp_path / "asked", privacy, 0), progress=None).report
    assert len(limits) == searches
    assert report["privacy"]["l_diversity"]["actual"] == least
    assert report["solution"]["levels"]["sex"] == searches - 1


@pytest.mark.slow
def test_values_that_go_with_suppressed_facts_are_no_release(tmp_path: Path) -> None:
    config = _spoilt(tmp_path / "asked", 0)
    config["tables"]["person"]["quasi_identifiers"]["sex"] = {"builtin": "suppress", "max_level": 0}
    with pytest.raises(NoReleaseError, match="rows of 'diagnosis' go with suppressed facts"):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "asked" / "out").exists()
    config["tables"]["visit"]["facts"] = {"kind": {"builtin": "suppress"}}
    config["suppression"]["facts"] = 0
    report = kanon_sql.run(config, progress=None).report
    assert report["privacy"]["l_diversity"]["actual"] == 2 and report["facts"]["kept"] == 1


def test_keys_are_those_that_the_configuration_reads(tmp_path: Path) -> None:
    types = {**TYPES, "person": {**TYPES["person"], "person_id": "VARCHAR"}}
    database = _uneven()
    database["person"] = [(f" {person}", *rest) for person, *rest in database["person"]]
    privacy = {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": 2}}
    config = configuration(database, tmp_path, "parquet", privacy, types=types)
    config["tables"]["person"]["source"] = {"columns": {"person_id": {"trim": True}}}
    assert kanon_sql.run(config, progress=None).report["privacy"]["l_diversity"]["actual"] == 2


@pytest.mark.parametrize("lacking", ["visit_id", "person_id"])
def test_a_key_that_is_not_there_is_said(tmp_path: Path, lacking: str) -> None:
    table = "visit" if lacking == "visit_id" else "person"
    types = {**TYPES, table: {name if name != lacking else "other": of for name, of in TYPES[table].items()}}
    privacy = {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": 2}}
    config = configuration(_uneven(), tmp_path, "parquet", privacy, types=types)
    config["tables"][table]["unlisted"] = "drop"
    jobs: list[tuple[Any, Json]] = [
        (kanon_sql.check, {}),
        (kanon_sql.risk, {}),
        (kanon_sql.attack, {"hold_out": "50%"}),
    ]
    for command, more in jobs:
        with pytest.raises(ConfigurationError, match=f"has no column '{lacking}'"):
            command(config, progress=None, **more)


OWN: list[tuple[str, Json]] = [
    ("l_diversity", {"column": "ward", "l": 2}),
    ("t_closeness", {"column": "ward", "t": 0.3}),
    ("alpha_k", {"column": "ward", "alpha": 0.6}),
    ("average_risk", {"at_most": 0.3}),
]


def _own_holds(key: str, entry: Json, classes: list[list[str]]) -> bool:
    """Whether classes, of each the wards of its persons, hold a model of the table of persons by its definition."""
    everybody = [ward for members in classes for ward in members]
    if key == "average_risk":
        return len(classes) <= float(entry["at_most"]) * len(everybody)
    if key == "l_diversity":
        return all(len(set(members)) >= int(entry["l"]) for members in classes)
    shares = [{ward: Fraction(members.count(ward), len(members)) for ward in everybody} for members in classes]
    if key == "alpha_k":
        return all(share <= entry["alpha"] for of_class in shares for share in of_class.values())
    of_all = {ward: Fraction(everybody.count(ward), len(everybody)) for ward in everybody}
    return all(sum(abs(of_class[ward] - of_all[ward]) for ward in of_all) / 2 <= entry["t"] for of_class in shares)


@whole_runs(24)
@given(
    st.lists(st.tuples(st.sampled_from("fm"), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=16),
    st.sampled_from(OWN),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.booleans(),
)
def test_a_check_counts_models_of_the_table_of_persons(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[str, str, str]],
    model_and_entry: tuple[str, Json],
    kind: str,
    beside: bool,
) -> None:
    """Quasi-identifiers stand in that table and in another one; models of values that persons hold may stand beside."""
    types = {
        "person": {"person_id": "INTEGER", "sex": "VARCHAR", "ward": "VARCHAR"},
        "home": {"person_id": "INTEGER", "side": "VARCHAR"},
        "visit": {"person_id": "INTEGER", "code": "VARCHAR"},
    }
    database: dict[str, Rows] = {
        "person": [(i, sex, ward) for i, (sex, ward, _) in enumerate(drawn)],
        "home": [(i, side) for i, (*_, side) in enumerate(drawn)],
        "visit": [(i, code) for i in range(len(drawn)) for code in "pq"],
    }
    key, entry = model_and_entry
    held: Json = {"column": "visit.code", "l": 2}
    privacy: Json = {"k": 1, "l_diversity": [held]} if beside else {"k": 1}
    own: Any = [*privacy.get(key, []), entry] if key == "l_diversity" else entry
    folder = tmp_path_factory.mktemp("own")
    config = configuration(database, folder, kind, {**privacy, key: own}, types=types)
    config["keys"] = {}
    config["tables"] = {
        "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "sensitive": ["ward"]},
        "home": {"via": "person_id", "quasi_identifiers": {"side": {"builtin": "suppress"}}},
        "visit": {"link": "person_id", "sensitive": ["code"]},
    }
    classes: dict[Any, list[str]] = defaultdict(list)
    for sex, ward, side in drawn:
        classes[sex, side].append(ward)
    report = kanon_sql.check(config, progress=None)
    assert (report["status"] == "satisfied") == _own_holds(key, entry, list(classes.values()))
    assert report["warnings"] == []
    if key == "l_diversity":
        least = min(len(set(members)) for members in classes.values())
        assert [counted["actual"] for counted in report["privacy"]["l_diversity"]] == [*([2] if beside else []), least]


def test_a_check_names_a_column_that_is_not_there(tmp_path: Path) -> None:
    config = configuration(_uneven(), tmp_path, "parquet", {"k": 2, "l_diversity": {"column": "born", "l": 2}})
    config["tables"]["person"]["sensitive"] = ["born"]
    with pytest.raises(ConfigurationError, match="has no column 'born', which a model reads"):
        kanon_sql.check(config, progress=None)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["keep", "drop"])
def test_all_persons_are_those_who_take_part(tmp_path: Path, policy: str) -> None:
    """t is measured against the values of all who are not left out because something is missing."""
    database: dict[str, Rows] = {
        "person": [(i, "f" if i < 4 else "m", "aa") for i in range(8)] + [(i, None, "aa") for i in range(8, 12)],
        "visit": [(i, i, "p") for i in range(12)],
        "diagnosis": [(i, "x" if i % 4 else "y") for i in range(8)] + [(i, "z") for i in range(8, 12)],
    }
    database["diagnosis"] += [(1, "y"), (2, "y")]
    privacy = {"k": 4, "t_closeness": {"column": "diagnosis.code", "t": 1}}
    config = configuration(database, tmp_path, "parquet", privacy)
    config["tables"]["person"]["missing"] = policy
    config["tables"]["person"]["quasi_identifiers"] = {"sex": {"builtin": "suppress", "max_level": 0}}
    config["tables"]["person"]["insensitive"] = ["ward"]
    reached = []
    kept = database["person"] if policy == "keep" else database["person"][:8]
    values = values_of(database)
    everybody = pairs([person for person, *_ in kept], values)
    for sex in {sex for _, sex, _ in kept}:
        members = [person for person, of, _ in kept if of == sex]
        reached.append(measure("t_closeness", {}, pairs(members, values), everybody))
    report = kanon_sql.run(config, progress=None).report
    assert report["privacy"]["t_closeness"]["actual"] == pytest.approx(max(reached))


@pytest.mark.slow
@pytest.mark.parametrize("kind, region", [("parquet", "NA"), ("csv", None), ("csv", "NA")])
def test_who_takes_part_is_said_by_values_of_other_tables_too(tmp_path: Path, kind: str, region: str | None) -> None:
    """What is missing of persons is missing in the rows that they find, and so are empty texts of files of texts."""
    types = {
        "person": {"person_id": "INTEGER", "sex": "VARCHAR", "home_id": "INTEGER"},
        "home": {"home_id": "INTEGER", "region": "VARCHAR"},
        "visit": {"person_id": "INTEGER", "code": "VARCHAR"},
    }
    database: dict[str, Rows] = {
        "person": [(i, "fm"[i % 2], 1 + i // 6) for i in range(12)],
        "home": [(1, "north"), (2, region)],
        "visit": [(i, "xy"[i % 2] if i < 6 else "z") for i in range(12)] + [(0, "y")],
    }
    by_sex = {"sex": {"builtin": "suppress", "max_level": 0}}
    tables = {
        "person": {"quasi_identifiers": by_sex, "missing": "drop", "source": {"missing": ["NA"]}},
        "home": {"via": "home_id", "quasi_identifiers": {"region": {"builtin": "suppress"}}},
        "visit": {"link": "person_id", "sensitive": ["code"]},
    }
    privacy = {"k": 2, "t_closeness": {"column": "visit.code", "t": 0.5}}
    config = configuration(database, tmp_path, kind, privacy, types=types, tables=tables, keys={"home_id": "renumber"})
    report = kanon_sql.run(config, progress=None).report
    assert report["persons"]["released"] == 6
    # Of the seven pairs of these six persons four have y: one of four of the women's, all three of the men's.
    assert report["privacy"]["t_closeness"]["actual"] == pytest.approx(3 / 7)


@pytest.mark.slow
def test_an_empty_text_that_becomes_missing_in_csv_is_no_value(tmp_path: Path) -> None:
    database = _uneven()
    database["diagnosis"] = [(i, "x" if i % 2 else "") for i in range(12)]
    config = configuration(database, tmp_path, "parquet", {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": 2}})
    assert kanon_sql.run(config, progress=None).report["privacy"]["l_diversity"]["actual"] == 2
    config["target"] = {"path": str(tmp_path / "csv"), "format": "csv"}
    with pytest.raises(NoReleaseError, match="only 1 different value"):
        kanon_sql.run(config, progress=None)


@pytest.mark.parametrize(
    "privacy, more, text",
    [
        ({"l_diversity": {"column": "code", "l": 2}}, {}, "such are 'diagnosis.code'"),
        ({"l_diversity": {"column": "visit.kind", "l": 2}}, {}, "'visit.kind' is not among sensitive, expected"),
        ({"alpha_k": {"column": "diagnosis.code", "alpha": 0.5}}, {}, "expected l_diversity or t_closeness there"),
        ({"t_closeness": {"column": "diagnosis.code", "t": 0.5, "distance": "ordered"}}, {}, "has distance: equal"),
        ({"l_diversity": {"column": "diagnosis.code", "l": 2}}, {"group": "ward"}, "does not go with group"),
        ({"t_closeness": {"column": "diagnosis.code", "t": 0.5}, "entity": "ward"}, {}, "does not go with entity"),
        ({"l_diversity": {"column": "diagnosis.code", "l": 2}}, {"quasi_identifiers": {}}, "has no quasi-identifiers"),
        ({"l_diversity": {"column": "diagnosis.code", "l": 1.5}}, {}, "whole number"),
    ],
)
def test_what_is_not_counted_of_pairs_is_refused(tmp_path: Path, privacy: Json, more: Json, text: str) -> None:
    config = configuration(_uneven(), tmp_path, "parquet", {"k": 2, **privacy})
    config["tables"]["person"] |= more
    with pytest.raises(ConfigurationError, match=text):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
def test_texts_that_stand_for_one_number_are_one_value(tmp_path: Path) -> None:
    database = _uneven()
    database["diagnosis"] = [(i, "1.50" if i % 2 else "1.5") for i in range(12)]
    config = configuration(database, tmp_path, "parquet", {"k": 2, "l_diversity": {"column": "diagnosis.code", "l": 2}})
    assert kanon_sql.check(config, progress=None)["privacy"]["l_diversity"]["actual"] == 2
    config["tables"]["diagnosis"]["source"] = {"columns": {"code": {"type": "number"}}}
    assert kanon_sql.check(config, progress=None)["privacy"]["l_diversity"]["actual"] == 1
    with pytest.raises(NoReleaseError, match="only 1 different value"):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "duckdb"])
def test_classes_may_be_by_quasi_identifiers_of_other_tables(tmp_path: Path, kind: str) -> None:
    """The side of town stands in a table of its own; models of one column in a list are in their order."""
    database = _uneven()
    database["diagnosis"] = [(i, "x" if i % 3 else "y") for i in range(12)] + [(0, None), (3, "none")]
    database["home"] = [(i, "north" if i < 6 else "south") for i in range(12)]
    types = {**TYPES, "home": {"person_id": "INTEGER", "side": "VARCHAR"}}
    models = [{"column": "diagnosis.code", "l": 2}, {"column": "diagnosis.code", "l": 1.5, "variant": "entropy"}]
    config = configuration(database, tmp_path, kind, {"k": 2, "l_diversity": models}, types=types)
    config["tables"]["home"] = {"via": "person_id", "quasi_identifiers": {"side": {"builtin": "suppress"}}}
    config["tables"]["diagnosis"]["source"] = {"missing": ["none", ""]}
    report = kanon_sql.run(config, progress=None).report
    assert report["solution"]["levels"] == {"sex": 0, "ward": 0, "home.side": 0}
    # Two of six have y, four x, wherever; what means missing is no value.
    entropy = math.exp(-(1 / 3 * math.log(1 / 3) + 2 / 3 * math.log(2 / 3)))
    assert [entry["actual"] for entry in report["privacy"]["l_diversity"]] == [2, pytest.approx(entropy)]
    data = tmp_path / ("out.duckdb" if kind == "duckdb" else "out")
    checked = kanon_sql.check(config, data, progress=None)
    assert checked["status"] == "satisfied"
    assert checked["privacy"]["l_diversity"] == report["privacy"]["l_diversity"]
