"""Released columns that look like an identifier: refused, warned of, accepted."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]

LOOKS = ("mail", "phone", "note")
PLAIN = ("visits", "cost", "code", "ward", "since")


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Json:
    """A configuration of 300 persons with identifiers in three columns, and five columns that are none."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    words = ["seen", "again", "with", "cough", "and", "fever", "sent", "home", "by", "the", "ward", "feels", "better"]
    lines = ["age,sex,mail,phone,note,visits,cost,code,ward,since"]
    for i in range(300):
        note = " ".join(draw.choice(words) for _ in range(14))
        lines.append(
            f"{draw.randint(18, 80)},{draw.choice('mf')},p{i}@example.org,"
            f"+49 30 {draw.randint(1000000, 9999999)},{note},"
            f"{draw.randint(1, 9)},{draw.randint(100, 99999) / 100},{draw.choice('ABC')}{draw.randint(10, 99)},"
            f"{draw.choice(['north', 'south'])},2024-0{draw.randint(1, 9)}-1{draw.randint(0, 9)}"
        )
    Path("in.csv").write_text("\n".join(lines) + "\n")
    return {
        "source": "in.csv",
        "target": {"path": "out.csv", "overwrite": True},
        "quasi_identifiers": {"age": {"builtin": "intervals", "widths": [10, 20]}, "sex": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 3},
    }


def looking(warnings: tuple[str, ...]) -> dict[str, str]:
    return {name: text for text in warnings if " looks like " in text for name in LOOKS if f"'{name}'" in text}


def test_what_no_list_names_is_refused(clinic: Json) -> None:
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.run(clinic)
    problems = refused.value.problems
    assert len(problems) == len(LOOKS)
    for name, kind, problem in zip(LOOKS, ("e-mail", "telephone", "free text"), problems, strict=True):
        assert f"column {name!r} looks like {kind} (" in problem and "% sure: " in problem
        assert "identifiers" in problem and "accept" in problem
    assert not Path("out.csv").exists()
    text = "\n".join(problems)
    assert not any(value in text for value in ("example.org", "+49", "cough"))


def test_a_dry_run_and_compile_refuse_it_too(clinic: Json) -> None:
    with pytest.raises(ConfigurationError, match="looks like e-mail"):
        kanon_sql.run(clinic, dry_run=True)
    with pytest.raises(ConfigurationError, match="looks like e-mail"):
        kanon_sql.compile(clinic)


@pytest.mark.few(1)
@pytest.mark.parametrize(("first", "step", "refused"), [(0, 1, False), (1, 1, False), (1, 2, True), (4711, 1, True)])
@pytest.mark.parametrize("file", ["in.csv", "in.parquet"])
def test_the_number_of_a_row_is_only_warned_of(clinic: Json, file: str, first: int, step: int, refused: bool) -> None:
    head, *lines = Path("in.csv").read_text().splitlines()
    random.Random(5).shuffle(lines)
    text = "".join(f"{line},{first + i * step}\n" for i, line in enumerate(lines))
    Path("numbered.csv").write_text(f"{head},id\n{text}")
    duckdb.sql(f"COPY (FROM 'numbered.csv') TO '{file}'")
    config = {**clinic, "source": file, "accept": list(LOOKS)}
    if refused:
        with pytest.raises(ConfigurationError, match="column 'id' looks like id"):
            kanon_sql.run(config)
    else:
        assert any("column 'id' looks like id" in text for text in kanon_sql.run(config).warnings)


@pytest.mark.few(1)
@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_what_a_list_names_is_warned_of(clinic: Json, role: str) -> None:
    warnings = kanon_sql.run({**clinic, role: list(LOOKS)}).warnings
    assert set(looking(warnings)) == set(LOOKS)
    assert all(text.startswith(f"{role} column") for text in looking(warnings).values())


@pytest.mark.slow
def test_accepted_columns_are_not_spoken_of(clinic: Json) -> None:
    warnings = kanon_sql.run({**clinic, "accept": list(LOOKS)}).warnings
    assert looking(warnings) == {}
    assert not any(f"'{name}'" in text and "value of its own" in text for text in warnings for name in LOOKS)


@pytest.mark.slow
def test_what_is_not_released_is_not_looked_at(clinic: Json) -> None:
    warnings = kanon_sql.run({**clinic, "identifiers": list(LOOKS)}).warnings
    assert looking(warnings) == {}
    kanon_sql.run({**clinic, "unlisted": "drop"})


@pytest.mark.slow
def test_numbers_codes_and_dates_are_no_identifiers(clinic: Json) -> None:
    warnings = kanon_sql.run({**clinic, "identifiers": list(LOOKS), "insensitive": list(PLAIN)}).warnings
    assert not any(" looks like " in text for text in warnings)


@pytest.mark.slow
def test_a_quasi_identifier_that_is_an_identifier(clinic: Json) -> None:
    config = {**clinic, "identifiers": ["phone", "note"]}
    config["quasi_identifiers"] = {**clinic["quasi_identifiers"], "mail": {"builtin": "suppress"}}
    warnings = kanon_sql.run(config).warnings
    assert any(text.startswith("quasi-identifier column 'mail' looks like e-mail") for text in warnings)
    assert (
        "quasi-identifier column 'mail' holds a value of its own in 300 of 300 rows: is it an identifier?" in warnings
    )
    # A generalized one is no identifier any more.
    config["quasi_identifiers"]["mail"] = {"builtin": "prefix", "keep": [1]}
    assert not any("'mail'" in text for text in kanon_sql.run(config).warnings)


def test_unknown_columns_are_errors(clinic: Json) -> None:
    with pytest.raises(ConfigurationError, match=r"there is no column 'mial' in in\.csv; did you mean 'mail'\?"):
        kanon_sql.run({**clinic, "accept": ["mial"]})
    assert from_mapping({**clinic, "accept": ["mail"]}).config.accept == ["mail"]


def test_a_table_of_a_user_is_looked_at(clinic: Json) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS FROM read_csv('in.csv')")
        config = {key: value for key, value in clinic.items() if key not in ("source", "target")}
        with pytest.raises(ConfigurationError, match="looks like e-mail"):
            kanon_sql.run(config, connection=connection, source="people", target="released")
        assert json.dumps(connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()) == '[["people"]]'
