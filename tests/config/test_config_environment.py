"""Values from the environment stay secret; mappings made in Python; whatever else comes in."""

from __future__ import annotations

import os
import textwrap
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.commands import sweep
from kanon_sql.commands.database import run as database_steps
from kanon_sql.commands.run.advice import _plain
from kanon_sql.config.database import load_database
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError
from kanon_sql.report.call import Call, reporting
from kanon_sql.report.report import ReportDraft

SMALL = "source: data.csv\nquasi_identifiers: [age, sex]\nprivacy: {k: 5}\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def load(text: str, *overrides: tuple[str, Any]) -> LoadedConfig:
    Path("c.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    return load_config("c.yaml", overrides)


def problems_of(text: str, *overrides: tuple[str, Any]) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load(text, *overrides)
    assert all(problem.isprintable() for problem in caught.value.problems)
    return caught.value.problems


def only(problems: list[str]) -> str:
    assert len(problems) == 1, problems
    return problems[0]


def test_variables_are_read_and_missing_ones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_K", "7")
    monkeypatch.setenv("KANON_DIR", "d")
    monkeypatch.delenv("KANON_NOT", raising=False)
    text = "source: ${KANON_DIR}/x.csv\nquasi_identifiers: [a]\nprivacy:\n  k: ${KANON_K}\n"
    config = load(text).config
    assert (config.source.path, config.privacy.k) == ("d/x.csv", 7)
    problem = only(problems_of(text + "report: ${KANON_NOT}\n"))
    assert problem.startswith("c.yaml:5: report.json: the environment has no variable KANON_NOT")


def test_values_of_variables_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    problems = problems_of(
        """\
        source: {path: '${KANON_PW}', query: '${KANON_PW}'}
        quasi_identifiers: ['${KANON_PW}', '${KANON_PW}']
        identifiers: ['${KANON_PW}', '${KANON_PW}']
        privacy: {k: '${KANON_PW}'}
        missing: ${KANON_PW}
        algorithm: ${KANON_PW}
        suppression: {limit: '1${KANON_PW}'}
        release: ${KANON_PW}
        """,
        ("target.overwrite", "${KANON_PW}"),
        ("quasi_identifiers.zip", "${KANON_PW}"),
        ("quasi_identifiers.zip.builtin", "${KANON_PW}"),
    )
    assert len(problems) == 12
    assert "hunter2" not in "\n".join(problems)
    assert "got text from '${KANON_PW}'" in problems[4]


def test_no_secret_hides_in_the_error_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    with pytest.raises(ConfigurationError) as caught:
        load(SMALL.replace("k: 5", "k: '${KANON_PW}'"))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_redacting_the_values_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    monkeypatch.setenv("KANON_LONG", "hunter2-and-more")
    monkeypatch.setenv("KANON_K", "5")
    text = "source: ${KANON_PW}${KANON_LONG}.csv\nquasi_identifiers: [a]\nprivacy:\n  k: ${KANON_K}\n"
    loaded = load(text)
    assert loaded.redact("hunter2: hunter2-and-more: 5 rows") == "${KANON_PW}: ${KANON_LONG}: 5 rows"


@pytest.mark.parametrize("secret", ["data", "2024", "tab.x", "a/b/c"])
def test_short_values_do_not_eat_the_names_of_files(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", secret)
    loaded = load("source: ${KANON_PW}\nquasi_identifiers: [a]\nprivacy: {k: 5}\n")
    paths = [f"/srv/{secret}base/{secret}.csv", f"{secret}.parquet:3", f"x{secret}/y"]
    for path in paths if secret.isalnum() else []:
        assert loaded.redact(f"{path}: no such file, see '{path}'") == f"{path}: no such file, see '{path}'"
    for whole in (
        "{}",
        "no {}.",
        "{}: wrong",
        "'{}'",
        "(got {})",
        "password={} host=x",
        "my{}too",
        "x://me:{}@h/a.csv",
    ):
        assert loaded.redact(whole.format(secret)) == whole.format("${KANON_PW}")


def test_mappings_of_typed_values_or_texts() -> None:
    typed = {
        "source": {"path": Path("data.csv"), "missing": ("?",), "csv": {"header": False}},
        "quasi_identifiers": {"age": {"weight": 2, "max_level": 3}, "sex": None, "zip": "zip.csv"},
        "privacy": {"k": 5},
        "suppression": {"limit": 10},
        "target": None,
    }
    texts = {
        "source": {"path": "data.csv", "missing": ["?"], "csv": {"header": "no"}},
        "quasi_identifiers": {
            "age": {"weight": "2", "max_level": "3"},
            "sex": {},
            "zip": {"hierarchy": "zip.csv"},
        },
        "privacy": {"k": "5"},
        "suppression": {"limit": "10"},
    }
    assert from_mapping(typed).config == from_mapping(texts).config
    assert from_mapping(typed).base == Path()
    assert from_mapping(typed, Path("x")).base == Path("x")


def test_mappings_are_left_as_they_were_and_read_no_variables() -> None:
    mapping: dict[str, Any] = {"source": "${HOME}.csv", "quasi_identifiers": ["a"], "privacy": {"k": 5}}
    loaded = from_mapping(mapping, overrides=[("privacy.k", 7), ("quasi_identifiers.a.weight", "3")])
    assert loaded.config.source.path == "${HOME}.csv"
    assert loaded.config.privacy.k == 7
    assert mapping == {"source": "${HOME}.csv", "quasi_identifiers": ["a"], "privacy": {"k": 5}}


def test_problems_of_mappings() -> None:
    mapping: dict[str, Any] = {
        "source": "a.csv",
        "quasi_identifiers": {1: {}, "b": {}},
        "privacy": {"k": object()},
        "sensitive": [10**5000],
        "suppression": {"limit": True},
        "identifiers": ["\ud800"],
    }
    with pytest.raises(ConfigurationError) as caught:
        from_mapping(mapping, name="command line")
    assert [problem.partition("; ")[0] for problem in sorted(caught.value.problems)] == [
        "command line: identifiers.0: expected a text of Unicode characters only, got text '\\ud800'",
        "command line: privacy.k: expected a whole number, got a value of type object",
        "command line: quasi_identifiers: expected texts as keys, got int",
        "command line: sensitive.0: expected a text, got a long number",
        'command line: suppression.limit: expected a number of rows, 0 or more, or a share such as "1%", got true',
    ]
    with pytest.raises(ConfigurationError, match="expected a mapping, got list"):
        from_mapping([1])  # type: ignore[arg-type]


KEYS = st.sampled_from(
    [
        "source",
        "path",
        "csv",
        "quasi_identifiers",
        "privacy",
        "k",
        "age",
        "algorithm",
        "suppression",
        "limit",
        "target",
        "in_place",
        "keep",
        "widths",
        "builtin",
        "identifiers",
        "sensitive",
        "",
        "0",
        "min_level",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["prefix", "in-place", "optimal", "1%", "5", "age", "1e999999999", "${X}", "${HOME}"])
)
TREES = st.recursive(
    LEAVES,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=5),
    max_leaves=15,
)


OVERRIDES = st.lists(st.tuples(st.lists(KEYS, min_size=1, max_size=4).map(".".join), TREES))


@given(
    st.dictionaries(KEYS, TREES),
    OVERRIDES,
)
def test_whatever_comes_in_only_problems_come_out(mapping: dict[str, Any], overrides: list[tuple[str, Any]]) -> None:
    try:
        from_mapping(mapping, overrides=overrides)
    except ConfigurationError as error:
        assert error.problems
        assert all(problem.isprintable() and "rule" not in problem for problem in error.problems)


@given(st.text(alphabet=st.sampled_from("ab:-?{}[]&*!|>'\"%@`#,\\ \n\t$0~é\0"), max_size=60))
def test_whatever_text_comes_in_only_problems_come_out(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "hostile.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_config(os.fspath(file))
    assert all(problem.isprintable() for problem in caught.value.problems)


SECRET = SMALL.replace("data.csv", "${KANON_PW}.csv")


def test_no_secret_is_in_the_message_with_which_a_job_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in its lines, nor in the error as it prints, nor in the report of the job."""
    monkeypatch.setenv("KANON_PW", "hunter2")
    loaded = load(SECRET)
    draft = ReportDraft.of(loaded)
    with pytest.raises(EngineError) as caught, reporting(Call(), loaded, draft, lambda: cast("Any", {})):
        raise EngineError(["hunter2: cannot be opened", "at hunter2"])
    wanted = ["${KANON_PW}: cannot be opened", "at ${KANON_PW}"]
    assert caught.value.problems == draft.errors == wanted
    assert str(caught.value) == "\n".join(wanted)


def test_no_secret_is_in_the_message_or_report_of_a_run_of_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    Path("d.yaml").write_text(
        "source: ${KANON_PW}\nunit: {table: person, key: id}\nprivacy: {k: 2}\n"
        "tables: {person: {quasi_identifiers: {sex: {builtin: suppress}}}}\n",
        encoding="utf-8",
    )
    loaded = load_database("d.yaml")

    def fails(*_: object) -> None:
        raise EngineError("hunter2: cannot be opened")

    monkeypatch.setattr(database_steps, "_run", fails)
    with pytest.raises(EngineError) as caught:
        database_steps.run_database(loaded, Call())
    assert str(caught.value) == "${KANON_PW}: cannot be opened"
    assert caught.value.report is not None and caught.value.report["errors"] == ["${KANON_PW}: cannot be opened"]


@pytest.mark.parametrize("error", [EngineError("hunter2: cannot be opened"), NoReleaseError("hunter2: has no row")])
def test_no_secret_is_in_the_message_or_points_of_a_sweep(error: KanonError, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    curve = SimpleNamespace(loaded=load(SECRET), name="c", configuration="c.yaml")

    @contextmanager
    def opened(_: object) -> Any:
        raise error
        yield

    swept = sweep._Sweep(cast("Any", SimpleNamespace(limits=(0,), ks=(5,))), opened, Call())
    swept._describe = lambda *_: None  # type: ignore[method-assign]
    if isinstance(error, NoReleaseError):
        swept.search([cast("Any", curve)])
        assert [point.problem for point in swept._points["c"]] == ["${KANON_PW}: has no row"]
        return
    with pytest.raises(EngineError) as caught:
        swept.search([cast("Any", curve)])
    assert str(caught.value) == "${KANON_PW}: cannot be opened"


def test_no_secret_is_in_a_change_that_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KANON_PW", "hunter2")
    change = {"hunter2": {"hierarchy": "hunter2", "weight": 2}, "identifiers": ["hunter2"]}
    wanted = {"${KANON_PW}": {"hierarchy": "${KANON_PW}", "weight": 2}, "identifiers": ["${KANON_PW}"]}
    assert _plain(change, load(SECRET)) == wanted
