"""The table of docs/models.md that says what is known of each model is what the models declare."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter
from typing import ClassVar, get_args

import pytest
import reference_models
from model_cases import SPECS
from places import ROOT

from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import MODELS, Model
from kanon_sql.recount.statement import parts_of
from kanon_sql.sql import template

HEAD = ["| model | bounds | monotone | compares with | reads besides | dbt, SQLMesh |", "|---|---|---|---|---|---|"]


def variants(model: type[PrivacyModel]) -> Iterator[tuple[str, PrivacyModel]]:
    """The model as it is named in the page, once for each pair of statements that it has."""
    if model.files_by is None:
        yield f"`{model.key}`", model.model_construct()
        return
    for value in get_args(model.model_fields[model.files_by].annotation):
        yield f"`{model.key}`, `{model.files_by}: {value}`", model.model_construct(**{model.files_by: value})


def row(name: str, spec: PrivacyModel) -> str:
    bounds = ", ".join(f"the {end}: `{key}`" for key, end in spec.thresholds.items())
    monotone = "always" if spec.monotone else "without suppression" if spec.monotone_unsuppressed else "never"
    of_column = "column" in type(spec).model_fields
    compared = "all rows" if spec.needs_sizes else "nothing" if of_column else "a population"
    read = parts_of(Model(spec, None))
    besides = "the values' order" if "ranks" in read else "the column's hierarchy" if "steps" in read else "nothing"
    assert spec.needs_order == ("ranks" in read)
    assert not of_column or spec.needs_sizes == ("reference" in read)
    test = f"`{spec.test}`" if spec.test and "steps" not in read else "no test"
    return f"| {name} | {bounds} | {monotone} | {compared} | {besides} | {test} |"


def test_the_page_says_what_the_models_declare() -> None:
    wanted = [*HEAD, *(row(name, spec) for model in MODELS.values() for name, spec in variants(model))]
    assert "\n".join(wanted) in (ROOT / "docs" / "models.md").read_text(encoding="utf-8"), "\n".join(wanted)


def test_every_model_has_its_folder_of_statements() -> None:
    files = set()
    for model in MODELS.values():
        for _, spec in variants(model):
            files |= {spec.violates, spec.measure, spec.keeps, spec.tallied} - {None}
    folder = template.queries_folder()
    there = {str(path.relative_to(folder).with_suffix("")) for path in (folder / "privacy").glob("*/*.sql")}
    assert files == there


def test_every_model_has_an_independent_oracle() -> None:
    of_population = {key for key, model in MODELS.items() if "population" in model.model_fields}
    assert set(reference_models.POPULATION_MODELS) == of_population
    assert set(reference_models.MODELS) == set(MODELS) - of_population


def test_the_oracles_are_asked_of_every_statement() -> None:
    measured = {MODELS[key].model_validate({"column": "s", **spec}).measure for key, spec in SPECS}
    wanted = {spec.measure for key in reference_models.MODELS for _, spec in variants(MODELS[key])}
    assert measured == wanted


def test_every_model_says_what_it_asks() -> None:
    for model in MODELS.values():
        names = {"required", *(["column"] if "column" in model.model_fields else []), *model.options}
        if model.files_by is not None and not isinstance(model.asks, str):
            assert set(model.asks) == set(get_args(model.model_fields[model.files_by].annotation))
        for text in [model.asks] if isinstance(model.asks, str) else model.asks.values():
            holes = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
            assert "required" in holes
            assert holes <= names


def test_a_model_that_does_not_say_what_it_asks_is_none() -> None:
    with pytest.raises(TypeError, match="the privacy model Silent does not declare asks"):

        class Silent(PrivacyModel):
            key = "silent"
            position = 99
            summary = "a model that the page could not explain"
            thresholds: ClassVar = {"most": "most"}
