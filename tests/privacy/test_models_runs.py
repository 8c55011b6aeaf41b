"""Models beyond k in whole runs: hostile names, types, missing texts, in place, handed-in connections, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import some
from shared_engine import attached, shared

import kanon_sql
from kanon_sql import api
from kanon_sql.cli.main import main
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError

HOSTILE = ['se"ns', "x; DROP TABLE y", "ключ", "row_count", "value", "part", "key_code", " "]


def table(path: Path, sensitive: str, kind: str, rows: int = 60) -> Path:
    """A file with the columns age, sex, a sensitive one of a type, and who the person is."""
    name = '"' + sensitive.replace('"', '""') + '"'
    with attached() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT i % 7 AS age, CASE WHEN i % 2 = 0 THEN 'f' END AS sex, {kind} AS {name}, "
            f"'p' || (i // 2) AS who FROM range({rows}) AS numbers(i)"
        )
        connection.execute(f"COPY t TO '{path}'")
    return path


def config(source: Path, sensitive: str, target: Path, **privacy: Any) -> dict[str, Any]:
    return {
        "source": str(source),
        "target": {"path": str(target), "overwrite": True},
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [2]}, "sex": {"builtin": "suppress"}},
        "sensitive": [sensitive],
        "unlisted": "drop",
        "privacy": {"k": 3, **privacy},
        "suppression": {"limit": 10},
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", some(HOSTILE))
@pytest.mark.parametrize("suffix", some([".parquet", ".csv"], 1))
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_hostile_names(name: str, suffix: str, algorithm: str, tmp_path: Path) -> None:
    source = table(tmp_path / f"in{suffix}", name, "CASE WHEN i % 5 > 0 THEN i % 5 END")
    configured = config(
        source,
        name,
        tmp_path / f"out{suffix}",
        l_diversity={"column": name, "l": 2},
        t_closeness=[{"column": name, "t": 0.8}, {"column": name, "t": 0.8, "distance": "ordered"}],
    )
    report = kanon_sql.run({**configured, "algorithm": algorithm}).report
    assert report["privacy"]["l_diversity"]["actual"] >= 2
    assert [entry["actual"] <= 0.8 for entry in report["privacy"]["t_closeness"]] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_column_named_as_a_hole_of_the_query_files_is_a_column(algorithm: str, tmp_path: Path) -> None:
    source = table(tmp_path / "in.parquet", "qi_value", "i % 3")
    configured = config(source, "qi_value", tmp_path / "out.parquet", t_closeness={"column": "qi_value", "t": 0.5})
    kanon_sql.run({**configured, "algorithm": algorithm})
    with shared() as connection:
        rows = connection.execute(f"SELECT age, sex, qi_value FROM '{tmp_path}/out.parquet'").fetchall()
    values = [value for _, _, value in rows]
    for key in {row[:2] for row in rows}:
        own = [row[2] for row in rows if row[:2] == key]
        distances = [abs(own.count(number) / len(own) - values.count(number) / len(values)) for number in range(3)]
        assert len(own) >= 3
        assert sum(distances) / 2 <= 0.5


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "kind",
    some(
        [
            "i % 4",
            "CAST(i % 4 AS DECIMAL(9, 2)) / 4",
            "CAST(i % 4 AS DOUBLE) / 3",
            "DATE '2020-01-01' + CAST(i % 4 AS INTEGER)",
            "TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_hours(i % 4)",
            "i % 4 = 0",
            "[i % 4]",
            "'v' || (i % 4)",
        ]
    ),
)
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_sensitive_columns_of_all_types(kind: str, algorithm: str, suffix: str, tmp_path: Path) -> None:
    source = table(tmp_path / "in.parquet", "s", kind)
    configured = config(source, "s", tmp_path / f"out{suffix}", l_diversity={"column": "s", "l": 2})
    configured["privacy"]["t_closeness"] = {"column": "s", "t": 0.9, "distance": "ordered"}
    report = kanon_sql.run({**configured, "algorithm": algorithm}).report
    assert report["privacy"]["l_diversity"]["actual"] >= 2


def test_missing_texts_are_no_values_of_l(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("age,s\n" + "1,a\n1,?\n1,\n" * 2, encoding="utf-8")
    configured = {
        "source": {"path": str(source), "missing": ["?", ""]},
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 2, "l_diversity": {"column": "s", "l": 2}},
    }
    with pytest.raises(NoReleaseError, match="the rows that take part have only 1 different value"):
        kanon_sql.run(configured)
    configured["privacy"] = {"k": 2, "t_closeness": {"column": "s", "t": 0}, "alpha_k": {"column": "s", "alpha": 0.7}}
    report = kanon_sql.run(configured).report
    assert report["privacy"]["alpha_k"]["actual"] == pytest.approx(2 / 3)
    assert report["privacy"]["t_closeness"]["actual"] == 0


def test_in_place_and_by_entity(tmp_path: Path) -> None:
    source = table(tmp_path / "in.parquet", "s", "i % 4")
    configured = config(source, "s", source, entity="who", l_diversity={"column": "s", "l": 2})
    report = kanon_sql.run({**configured, "target": "in-place"}).report
    assert report["privacy"]["k"] == {"required": 3, "actual": report["privacy"]["k"]["actual"], "counts": "entities"}
    assert report["privacy"]["k"]["actual"] >= 3
    assert any("k counts entities" in warning for warning in report["warnings"])
    assert [row[0] for row in duckdb.execute(f"DESCRIBE FROM '{source}'").fetchall()] == ["age", "sex", "s"]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_what_does_not_hold_the_models_is_withdrawn(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that forgets the models, which the recount of what was written notices."""
    from kanon_sql.frequency.judged import Models

    source = table(tmp_path / "in.parquet", "s", "CASE WHEN i < 50 THEN 1 ELSE i END")
    target = tmp_path / "out.parquet"
    configured = config(source, "s", target, l_diversity={"column": "s", "l": 3})
    whole = Models.classes
    monkeypatch.setattr(Models, "classes", lambda self, tables, models=None: whole(self, tables, ()))
    with pytest.raises(VerificationError, match="violate k or a model"):
        kanon_sql.run({**configured, "algorithm": algorithm})
    assert not target.exists()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_a_recount_of_entities_compares_the_classes(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entities are counted in the source as it is generalized again: its classes must be those written."""
    from dataclasses import replace

    from kanon_sql.release.verify import verify

    source = table(tmp_path / "in.parquet", "s", "i % 4")
    target = tmp_path / "out.parquet"
    configured = config(source, "s", target, entity="who")

    def of_fewer(engine: Any, written: Any, expected: Any) -> Any:
        engine.run(f"CREATE OR REPLACE TEMP TABLE fewer AS FROM '{source}' LIMIT 0")
        kept = written.relation.copy().where("(SELECT count(*) FROM fewer) = 0").limit(50)
        return verify(engine, replace(written, relation=kept), expected)

    monkeypatch.setattr("kanon_sql.commands.run.pipeline.verify", of_fewer)
    with pytest.raises(VerificationError, match="are not those of the source"):
        kanon_sql.run({**configured, "algorithm": algorithm})
    assert not target.exists()


@pytest.mark.slow
def test_a_release_without_its_entity_is_counted_by_rows_and_that_is_said(tmp_path: Path) -> None:
    source, target = table(tmp_path / "t.parquet", "s", "i % 5"), tmp_path / "out.parquet"
    configured = config(source, "s", target, entity="who")
    kanon_sql.run(configured)
    checked = kanon_sql.check(configured, str(target))
    plain = kanon_sql.check(configured, str(target), overrides=[("privacy.entity", None)])
    assert checked["status"] == "satisfied" and plain["warnings"] == []
    assert "no column 'who' (privacy.entity)" in checked["warnings"][0] and "rows are counted" in checked["warnings"][0]
    assert [checked[key] for key in ("classes", "privacy", "rows")] == [
        plain[key] for key in ("classes", "privacy", "rows")
    ]
    # What violates k by rows is a violation; the configuration's own source must have the column.
    assert kanon_sql.check(configured, str(target), overrides=[("privacy.k", 10_000)])["status"] == "violated"
    with pytest.raises(ConfigurationError, match=r"there is no column 'nobody'"):
        kanon_sql.check(configured, overrides=[("privacy.entity", "nobody")])
    assert "nobody" in kanon_sql.check(configured, str(target), overrides=[("privacy.entity", "nobody")])["warnings"][0]


def test_a_connection_that_was_handed_in() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 3 AS age, i % 4 AS s FROM range(24) AS numbers(i)")
        api.run(
            {
                "quasi_identifiers": {"age": {"builtin": "suppress"}},
                "sensitive": ["s"],
                "privacy": {"k": 3, "l_diversity": {"column": "s", "l": 4}},
            },
            connection=connection,
            source="t",
            target="released",
        )
        assert connection.execute("SELECT count(DISTINCT s) FROM released GROUP BY age").fetchall() == [(4,)] * 3


def test_check_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["check", str(source), "--qi", "age", "--k", "2", *words])
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    source = table(tmp_path / "in.csv", "s", "CASE WHEN i % 7 = 0 THEN 1 ELSE i % 3 END")
    words = ["--sensitive", "s", "--l", "2", "--t", "0.9", "--json"]
    status, out, _ = call(*words)
    report = json.loads(out)
    assert status == 1
    assert report["status"] == "violated"
    assert report["violations"]["classes"] == 1
    assert report["privacy"]["l_diversity"] == [{"column": "s", "variant": "distinct", "required": 2, "actual": 1}]
    assert report["reference"] == "the table itself"
    reference = table(tmp_path / "other.csv", "s", "1")
    _, out, _ = call(*words, "--reference", str(reference))
    assert json.loads(out)["reference"] == str(reference)
    assert json.loads(out)["privacy"]["t_closeness"][0]["actual"] == pytest.approx(6 / 9, abs=0.1)
    status, _, err = call("--l", "2")
    assert status == 2
    assert "add --sensitive COLUMN" in err


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ({"l_diversity": {"column": "who", "l": 2}}, "column 'who' is not among sensitive"),
        ({"entity": "age"}, "the entity is never released, but is listed in quasi_identifiers"),
        ({"entity": "nobody"}, "there is no column 'nobody'"),
        ({"l_diversity": {"column": "s", "l": 2, "variant": "recursive"}}, "variant: recursive needs c"),
        ({"t_closeness": {"column": "s", "t": 0.1, "distance": "hierarchical"}}, "needs the hierarchy of the column"),
        (
            {"t_closeness": {"column": "s", "t": 0.1, "distance": "hierarchical", "hierarchy": "h.csv"}},
            "4 distinct values of column 's' are not covered",
        ),
    ],
)
def test_errors(privacy: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.csv").write_text("x,*\ny,*\n", encoding="utf-8")
    source = table(tmp_path / "in.csv", "s", "i % 4")
    with pytest.raises(ConfigurationError) as caught:
        kanon_sql.run(config(source, "s", tmp_path / "out.csv", **privacy))
    assert words in str(caught.value)


def small(path: Path, text: str) -> str:
    """A CSV file of `a,b / c,d` lines, split at blanks."""
    path.write_text("\n".join(text.split()) + "\n", encoding="utf-8")
    return str(path)


def asked_of(folder: Path, rows: str, privacy: dict[str, Any], **more: Any) -> dict[str, Any]:
    source: Any = small(folder / "in.csv", rows)
    if "missing_texts" in more:
        source = {"path": source, "missing": more.pop("missing_texts")}
    header = rows.split(maxsplit=1)[0].split(",")
    return {
        "source": source,
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {name: {"builtin": "suppress"} for name in header if name in "ab"},
        "sensitive": [name for name in header if name == "s"],
        "unlisted": "drop",
        "privacy": privacy,
        **more,
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ["optimal", "samarati", "minimal"])
@pytest.mark.parametrize(
    "model",
    [
        {"alpha_k": {"column": "s", "alpha": 0.5}},
        {"l_diversity": {"column": "s", "l": 2, "variant": "entropy"}},
        {"l_diversity": {"column": "s", "l": 2, "c": 1.5, "variant": "recursive"}},
    ],
    ids=str,
)
def test_with_entities_a_node_may_fail_above_one_that_satisfies(
    algorithm: str, model: dict[str, Any], tmp_path: Path
) -> None:
    rows = "a,s,e A,v,1 A,w,2 B,v,3 B,w,2"
    configured = asked_of(tmp_path, rows, {"k": 2, "entity": "e", **model}, algorithm=algorithm)
    assert kanon_sql.run(configured).levels == {"a": 0}


@pytest.mark.few(1)
@pytest.mark.parametrize("model", [{"k_map": {"k": 5}}, {"delta_presence": {"max": 0.5}}], ids=str)
def test_masked_rows_have_no_class_in_a_population(model: dict[str, Any], tmp_path: Path) -> None:
    population = small(tmp_path / "pop.csv", "a,b " + "x,y x,z w,y " * 20)
    privacy = {"k": 3, **{key: {**entry, "population": population} for key, entry in model.items()}}
    rows = "a,b " + "x,y " * 6 + "x,z " * 2 + "w,y "
    masked = asked_of(tmp_path, rows, privacy, suppression={"limit": 3}, release={"suppressed": "mask"})
    report = kanon_sql.run(masked).report
    assert (report["rows"]["suppressed"], report["rows"]["masked"]) == (3, 0)


@pytest.mark.slow
def test_missing_values_of_a_population_are_those_of_the_source(tmp_path: Path) -> None:
    population = small(tmp_path / "pop.csv", "a,b " + "xa, xa,u " * 5)
    privacy = {"k": 1, "k_map": {"k": 5, "population": population}, "delta_presence": {"population": population}}
    configured = asked_of(tmp_path, "a,b xa,? xa,u", privacy, missing_texts=["", "?"])
    report = kanon_sql.run(configured).report
    assert report["solution"]["levels"] == {"a": 0, "b": 0}
    assert report["privacy"]["k_map"]["actual"] == 5
    small(tmp_path / "b.csv", "u,*")
    configured["quasi_identifiers"]["b"] = str(tmp_path / "b.csv")
    assert kanon_sql.run(configured).report["privacy"]["k_map"]["actual"] == 5


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_what_one_value_is_does_not_depend_on_who_counts(algorithm: str, tmp_path: Path) -> None:
    empty = asked_of(
        tmp_path, "a,s x,p x, x,p x,", {"k": 2, "l_diversity": {"column": "s", "l": 2}}, missing_texts=["?"]
    )
    assert kanon_sql.run({**empty, "algorithm": algorithm}).report["privacy"]["l_diversity"]["actual"] == 2
    closeness = [{"column": "s", "t": 0.5, "distance": "ordered"}, {"column": "s", "t": 0.5}]
    numbers = asked_of(tmp_path, "a,s x,1.5 x,1.5 z,1.50 z,1.50", {"k": 2, "t_closeness": closeness})
    report = kanon_sql.run({**numbers, "algorithm": algorithm}).report
    assert [entry["actual"] for entry in report["privacy"]["t_closeness"]] == [0.5, 0.5]
    source = tmp_path / "zero.parquet"
    values = "('x', 0.0), ('x', -0.0), ('x', -0.0), ('z', 0.0), ('z', 0.0), ('z', 0.0)"
    duckdb.execute(f"COPY (SELECT a, CAST(s AS DOUBLE) AS s FROM (VALUES {values}) AS v(a, s)) TO '{source}'")
    zero = asked_of(tmp_path, "a,s", {"k": 2, "t_closeness": {"column": "s", "t": 0.2}}, algorithm=algorithm)
    assert kanon_sql.run({**zero, "source": str(source)}).report["privacy"]["t_closeness"]["actual"] == 0


def test_a_reference_of_another_type_and_with_missing_values(tmp_path: Path) -> None:
    typed = tmp_path / "in.parquet"
    values = "('A', 1), ('A', 2), ('B', 10), ('B', 2)"
    duckdb.execute(f"COPY (SELECT a, CAST(s AS INTEGER) AS s FROM (VALUES {values}) AS v(a, s)) TO '{typed}'")
    text = small(tmp_path / "in.csv", "a,s A,1 A,2 B,10 B,2")
    configured = {
        "quasi_identifiers": {"a": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 1, "t_closeness": {"column": "s", "t": 0.5, "distance": "ordered"}},
    }
    for table, reference in ((typed, text), (text, typed), (typed, typed)):
        report = kanon_sql.check({**configured, "source": str(table)}, reference=reference)
        assert report["privacy"]["t_closeness"]["actual"] == pytest.approx(0.25)
    source = small(tmp_path / "more.csv", "a,s A,1 A,2 B,10 B,2 ,7 ,7 ,7")
    report = kanon_sql.check({**configured, "source": text, "missing": "drop"}, reference=source)
    assert report["privacy"]["t_closeness"]["actual"] == pytest.approx(0.25)


def test_texts_that_mean_missing_are_no_numbers(tmp_path: Path) -> None:
    """A number is not missing for a text that reads like it, neither in its class nor in its hierarchy."""
    (tmp_path / "h.csv").write_text("1,low,all\n2,low,all\n9,high,all\n")
    with shared() as connection:
        rows = "FROM (VALUES ('x', 1), ('x', 9), ('x', 9), ('y', 2), ('y', 1), ('y', 9)) AS _(a, s)"
        connection.execute(f"COPY ({rows}) TO '{tmp_path / 'people.parquet'}' (FORMAT parquet)")
    model = {"column": "s", "t": 0.1, "distance": "hierarchical", "hierarchy": str(tmp_path / "h.csv")}
    config = {
        "source": {"path": str(tmp_path / "people.parquet"), "missing": ["9"]},
        "quasi_identifiers": {"a": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "privacy": {"k": 2, "t_closeness": model},
    }
    # Of x: (1/3, 0, 2/3) of (1/3, 1/6, 1/2). A sixth of the rows goes from 2 to 9, over the top: all of the height 2.
    assert kanon_sql.check(config)["privacy"]["t_closeness"]["actual"] == pytest.approx(1 / 6)
