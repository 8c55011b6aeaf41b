"""A model is its file, its folder of two statements and its oracle: a toy of these, through everything there is.

The toy asks that so many values of a column each occur so many times in a class. Once it declares what is true of it,
that it is monotone; once nothing, so that searches may conclude from no class to another, and find the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import reference_models
from dbt_projects import project
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from model_cases import ModelTable, model_tables, model_tables_of_numbers, slow
from model_runs import (
    check_as_it_stands,
    check_compiled,
    check_compiled_check,
    check_hierarchies,
    check_lattice,
    check_minimal,
    check_mondrian,
    check_optimum,
)
from pydantic import Field
from reference_models import Spec, Values

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.config.model import Config
from kanon_sql.config.schema import json_schema
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.base import Number, PrivacyModel
from kanon_sql.privacy.registry import models_of, registered
from kanon_sql.settings import rules
from kanon_sql.settings.part import ColumnName
from kanon_sql.sql import template


def thirteen(given: Any) -> rules.Faults:
    if str(given.get("times")) == "13":
        yield ("times",), "13 times is no time; choose another"


class Repeated(PrivacyModel):
    """The toy as it is."""

    key = "repeated"
    position = 100
    summary = "how many values of a sensitive column each class holds several times"
    asks = "every class holds at least {required} values of {column} {times} times each"
    thresholds: ClassVar = {"values": "least"}
    options = ("times",)
    between = (rules.Odd(thirteen),)

    column: ColumnName = Field(description="a sensitive column")
    values: int = Field(ge=1, description="how many values a class holds so many times at least")
    times: int = Field(2, ge=1, description="how many times")

    @property
    def monotone(self) -> bool:
        return True

    def numbers(self) -> dict[str, Number]:
        return {"least": self.values, "times": self.times}


class Unproven(Repeated):
    """The toy that declares nothing."""

    @property
    def monotone(self) -> bool:
        return False

    @property
    def monotone_unsuppressed(self) -> bool:
        return False


STATEMENTS = {
    "violates": """
        SELECT key_code, TRUE AS violates
        FROM class_counts
        GROUP BY key_code
        HAVING count(CASE WHEN value > 0 AND row_count >= $times THEN 1 END) < $least
    """,
    "measure": """
        SELECT
            qi_value,
            count(CASE WHEN value IS NOT NULL AND row_count >= $times THEN 1 END) AS measure,
            count(CASE WHEN value IS NOT NULL AND row_count >= $times THEN 1 END) < $least AS violates
        FROM counted
        GROUP BY qi_value
    """,
}
SPECS: list[tuple[str, dict[str, Any]]] = [
    ("repeated", {"values": 1}),
    ("repeated", {"values": 2, "times": 1}),
    ("repeated", {"values": 2, "times": 2}),
    ("l_diversity", {"l": 2, "variant": "entropy"}),
    ("t_closeness", {"t": 0.5}),
]


def oracle(values: Values, _: Values, spec: Spec) -> tuple[bool, float]:
    """The toy by its definition."""
    counts = Counter(value for value in values if value is not None)
    often = [value for value, times in counts.items() if times >= spec.get("times", 2)]
    return len(often) >= spec["values"], len(often)


def folder_with_toy(queries: Path) -> Path:
    """The queries of the package with the folder of the toy among those of the models."""
    for path in template.queries_folder().iterdir():
        if path.name != "privacy":
            (queries / path.name).symlink_to(path)
    (queries / "privacy" / "repeated").mkdir(parents=True)
    for path in (template.queries_folder() / "privacy").iterdir():
        (queries / "privacy" / path.name).symlink_to(path)
    for name, statement in STATEMENTS.items():
        (queries / "privacy" / "repeated" / f"{name}.sql").write_text(statement)
    return queries


@pytest.fixture(scope="module", params=[Repeated, Unproven], ids=["declared", "undeclared"])
def toy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[type[Repeated]]:
    """The toy, registered while the tests of this module run."""
    queries = folder_with_toy(tmp_path_factory.mktemp("queries"))
    with pytest.MonkeyPatch.context() as patch, registered(request.param):
        patch.setattr(template, "queries_folder", lambda: queries)
        patch.setitem(reference_models.MODELS, "repeated", oracle)
        patch.setattr(reference_models, "LEAST", {*reference_models.LEAST, "repeated"})
        Config.model_rebuild(force=True)
        yield request.param
    Config.model_rebuild(force=True)


few = settings(slow, max_examples=tries(10))
pytestmark = pytest.mark.usefixtures("toy")


@pytest.mark.few(1)
@few
@given(case=model_tables(specs=SPECS))
def test_the_optimum_is_that_of_all_nodes(case: ModelTable, tmp_path: Path) -> None:
    check_optimum(case, tmp_path)


@pytest.mark.slow
@few
@given(case=model_tables(specs=SPECS), name=st.sampled_from(["samarati", "minimal"]))
def test_samarati_and_minimal(case: ModelTable, name: str, tmp_path: Path) -> None:
    check_minimal(case, name, tmp_path)


@pytest.mark.slow
@few
@given(case=model_tables(specs=SPECS))
def test_the_lattice(case: ModelTable, tmp_path: Path) -> None:
    check_lattice(case, tmp_path)


@few
@given(case=model_tables_of_numbers(specs=SPECS))
def test_mondrian(case: ModelTable, tmp_path: Path) -> None:
    check_mondrian(case, tmp_path)


@pytest.mark.slow
@few
@given(case=model_tables_of_numbers(specs=SPECS))
def test_mondrian_with_hierarchies_and_local(case: ModelTable, tmp_path: Path) -> None:
    check_hierarchies(case, tmp_path)


@few
@given(case=model_tables(specs=SPECS))
def test_a_check(case: ModelTable, tmp_path: Path) -> None:
    check_as_it_stands(case, tmp_path)


@pytest.mark.slow
@few
@given(case=model_tables(specs=SPECS))
def test_a_compiled_release(case: ModelTable, tmp_path: Path) -> None:
    check_compiled(case, tmp_path)


@pytest.mark.slow
@few
@given(case=model_tables(specs=SPECS))
def test_compile_with_check(case: ModelTable, tmp_path: Path) -> None:
    check_compiled_check(case, tmp_path)


ROWS = (("x1", "u", "1", "p"), ("x2", "v", "1", "q"), ("x2", "u", "2", "p"), ("y1", "u", "2", "r"))
CASE = ModelTable(ROWS, 1, 0, (("repeated", {"values": 1, "times": 2}),), by_entity=False)


@pytest.mark.few(2)
@pytest.mark.parametrize("tool", ["dbt", "sqlmesh"])
def test_projects_say_what_they_do_not_test(tool: str, tmp_path: Path) -> None:
    config = CASE.config(tmp_path)
    if tool == "dbt":
        place = project(tmp_path / "project")
        report = kanon_sql.api.dbt_model(config, place, "released", "ref('people')")
    else:
        place = tmp_path / "project"
        place.mkdir()
        (place / "config.yaml").write_text("model_defaults: {dialect: duckdb}\n")
        report = kanon_sql.api.sqlmesh_model(config, place, "main.released", "main.people")
    assert any("repeated" in line for line in report["warnings"])


def test_the_configuration_knows_it(toy: type[Repeated], tmp_path: Path) -> None:
    config = CASE.config(tmp_path)
    (entry,) = models_of(from_mapping(config).config.privacy)
    assert entry.spec == toy(column="s", values=1, times=2)
    config["privacy"]["repeated"] = {"column": "b", "values": 1, "times": 13}
    with pytest.raises(ConfigurationError) as refused:
        from_mapping(config)
    assert sorted(line.rpartition(": ")[2] for line in refused.value.problems) == [
        "13 times is no time; choose another",
        "column 'b' is not among sensitive; add it there",
    ]
    schema = json_schema()["$defs"]
    keys = list(schema["PrivacyConfig"]["properties"])
    assert keys[0] == "k"
    assert keys[-4:] == ["repeated", "population_uniqueness", "average_risk", "entity"]
    assert schema["PrivacyConfig"]["properties"]["repeated"]["description"].startswith("how many values")
