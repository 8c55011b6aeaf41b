"""A release by keywords, and how a result reads in a terminal and in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.errors import ConfigurationError

TABLE = "age,zip,sex,illness\n" + "".join(
    f"{20 + i % 7},{10000 + i % 5},{'mf'[i % 2]},{['flu', 'cold', 'gout'][i % 3]}\n" for i in range(60)
)
HOSTILE = '<img src=x onerror="alert(1)">&\x1b[31m'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_list_of_columns_is_released_by_their_order(table: Path) -> None:
    result = kanon_sql.anonymize(table, ["age", "zip"], 5, sensitive=["illness"], unlisted="drop")
    assert result.report["algorithm"]["name"] == "local"
    rows = result.relation.fetchall()
    assert result.relation.columns == ["age", "zip", "illness"]
    classes = [row[:2] for row in rows]
    assert min(classes.count(label_pair) for label_pair in classes) >= 5


@pytest.mark.slow
def test_the_keywords_stand_for_the_configuration(table: Path) -> None:
    config: dict[str, Any] = {
        "source": str(table),
        "quasi_identifiers": {
            "age": {"builtin": "intervals", "widths": [5, 10]},
            "zip": {"builtin": "prefix", "keep": [4, 2]},
            "sex": {"builtin": "suppress"},
        },
        "sensitive": ["illness"],
        "privacy": {"k": 4, "l_diversity": [{"column": "illness", "l": 2}]},
        "suppression": {"limit": "5%"},
    }
    expected = kanon_sql.run(config)
    result = kanon_sql.anonymize(
        table,
        {"age": "intervals:5,10", "zip": {"builtin": "prefix", "keep": [4, 2]}, "sex": "suppress"},
        4,
        sensitive=["illness"],
        l=2,
        limit="5%",
    )
    assert result.levels == expected.levels
    assert sorted(result.relation.fetchall()) == sorted(expected.relation.fetchall())
    assert result.report["privacy"] == expected.report["privacy"]


@pytest.mark.slow
def test_a_target_is_written(table: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    kanon_sql.anonymize(table, ["age"], 2, unlisted="drop", target=target)
    assert target.is_file()


@pytest.mark.parametrize(
    ("quasi_identifiers", "more", "said"),
    [
        (["age", "age"], {}, "'age' is listed twice"),
        ({"age": 3}, {}, "'age' is of type int; expected a hierarchy file"),
        ({"age": "intervals:x"}, {}, "'age': expected intervals with a list"),
        (["age"], {"l": 2}, "name it in sensitive="),
        (["age"], {"algorithm": "best"}, "algorithm.name: expected 'optimal'"),
        (["nothing"], {"unlisted": "drop"}, "no column 'nothing'"),
    ],
)
def test_what_is_wrong_is_said(table: Path, quasi_identifiers: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.anonymize(table, quasi_identifiers, 2, **more)


def test_a_result_reads_in_five_lines(table: Path) -> None:
    result = kanon_sql.anonymize(table, {"age": "intervals:5,10"}, 5, sensitive=["illness"], l=2, unlisted="drop")
    lines = repr(result).splitlines()
    assert len(lines) == 5
    assert lines[0] == "released: 60 of 60 rows, 0 suppressed, to memory"
    assert re.search(r"k 5 asked, \d+ reached; l-diversity illness 2 asked, 3 reached; ", lines[1])
    assert re.search(rf"levels   age {result.levels['age']}$", lines[2])


class Tags(HTMLParser):
    """The tags and the text of a page, and what is fetched or executed in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ["optimal", "local", "mondrian"])
def test_a_page_shows_hostile_names_as_text(tmp_path: Path, algorithm: str) -> None:
    path = tmp_path / "people.csv"
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    path.write_text(TABLE.replace("age", quoted, 1), encoding="utf-8")
    entry = "suppress" if algorithm == "optimal" else None
    result = kanon_sql.anonymize(path, {HOSTILE: entry}, 3, unlisted="drop", algorithm=algorithm)
    page = Tags()
    page.feed(result._repr_html_())
    assert page.depth == 0
    assert page.tags == {"div", "b", "table", "thead", "tbody", "tr", "th", "td", "span"}
    assert page.attributes <= {"style", "colspan"}
    assert '<img src=x onerror="alert(1)">&\\x1b[31m' in page.text
    assert "\x1b" not in repr(result)
    assert len(repr(result).splitlines()) == 5


NOTEBOOK = """
import kanon_sql, time
result = kanon_sql.anonymize({path!r}, ["age", "zip"], 5, unlisted="drop")
from kanon_sql.progress import chosen
with chosen(None).step("long <work>", lambda: 40.0):
    time.sleep(2)
result
"""


@pytest.mark.tool
@pytest.mark.slow
def test_a_notebook_shows_a_bar_and_a_table(table: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK.format(path=str(table)))])
    seen: list[str] = []

    def look(msg: dict[str, Any]) -> None:
        seen.append(str(msg))

    class Client(nbclient.NotebookClient):  # type: ignore[misc, name-defined]
        def process_message(self, msg: dict[str, Any], cell: Any, cell_index: int) -> Any:
            look(msg)
            return super().process_message(msg, cell, cell_index)

    Client(notebook, timeout=60, kernel_name="python3").execute()
    shown = [output for output in notebook.cells[0].outputs if output.output_type in ("display_data", "execute_result")]
    assert "quasi-identifier" in shown[-1].data["text/html"]
    assert shown[-1].data["text/plain"].startswith("released: 60 of 60 rows")
    assert any("long &lt;work&gt;" in html and "40 %" in html for html in seen)
    assert [output.data["text/html"] for output in shown[:-1]] == [""] * (len(shown) - 1)  # gone when the step ended
