"""PostgreSQL and Spark (by Sail) read columns as DuckDB does, row for row; so does what is compiled for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine_jobs import same
from engine_places import ENGINES, MARKS, Place, Start, as_parquet, counted, spark_session, starting

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.columns import BLANKS

pytestmark = MARKS

Json = dict[str, Any]
NAMES = ["number", "grouped", "day", "month", "moment", "iso", "word", "upper", "kept", "cost", "sex"]
COLUMNS: Json = {
    "number": {"type": "number", "trim": True, "invalid": "missing"},
    "grouped": {"decimal": ",", "thousands": ".", "invalid": "missing"},
    "day": {"format": "%d.%m.%Y", "invalid": "missing"},
    "month": {"format": "%d %b %y", "invalid": "missing"},
    "moment": {"format": "%d.%m.%Y %I:%M %p", "invalid": "missing"},
    "iso": {"type": "timestamp", "invalid": "missing"},
    "word": {"trim": True, "case": "lower", "recode": {"m": "male", "ä": 'it\'s \\ "x"'}, "missing": ["-"]},
    "upper": {"case": "upper", "recode": {"MALE": "NA"}},
    "cost": {"type": "number", "decimal": ","},
    "sex": {"trim": True, "case": "lower"},
}
TEXTS = [
    *(
        None,
        "",
        " ",
        "?",
        "NA",
        "na",
        "-",
        "1",
        " 1",
        "1\n",
        "01,50",
        "1,5",
        "1.5",
        "+1",
        "--1",
        "1e3",
        ".5",
        "5.",
        "1.234",
    ),
    *(
        "1.234,5",
        "12.34",
        "1.234.567",
        "31.12.1999",
        "1.2.2000",
        "29.02.2000",
        "29.02.1900",
        "31.04.2001",
        "1.2.2000\n",
    ),
    *("1 jan 69", "31 DEC 68", "29 Feb 01", "29 FEB 00", "1.2.2000 12:05 am", "1.2.2000 13:05 am", "2000-02-30"),
    *(
        "2000-02-29",
        "2000-02-29T23:59:59.123456789+01:00",
        "2000-02-29 24:00",
        "M",
        "m",
        " W\t",
        "Ä",
        "ä ",
        "ß",
        "ẞ",
        "İ",
    ),
    *("I", "ı", "ΑΣ", "ας", "ǆ", "ﬀ", "ŉ", "Ꭰ", "𐐀", *(f"{blank}m{blank}" for blank in BLANKS)),  # noqa: RUF001 - of other scripts
]


def rows() -> list[list[str | None]]:
    """Every text in every column, beside a cost and a sex that can be generalized."""
    costs, sexes = itertools.cycle(["1,5", "1,50", "+2", "02,0", "3"]), itertools.cycle(["m", "M ", " w"])
    return [[text] * (len(NAMES) - 2) + [next(costs), next(sexes)] for text in TEXTS]


def configuration(folder: Path, **more: Any) -> Json:
    as_parquet(folder / "texts.parquet", dict.fromkeys(NAMES, "VARCHAR"), rows())
    return {
        "source": {"path": str(folder / "texts.parquet"), "missing": ["?", "NA"], "columns": COLUMNS},
        "target": {"path": str(folder / "here.parquet"), "overwrite": True},
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "sensitive": ["cost"],
        "unlisted": "insensitive",
        "privacy": {"k": 5, "l_diversity": {"column": "cost", "l": 3}},
        **more,
    }


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(tmp_path_factory.mktemp) as start:
        yield start


def there(place: Place, config: Json) -> Json:
    remote = place.configured(config, place.put(dict.fromkeys(NAMES, "VARCHAR"), rows()))
    remote["source"]["columns"] = config["source"]["columns"]
    return remote


@ENGINES
def test_every_text_is_read_alike(tmp_path: Path, start: Start, engine: str) -> None:
    place, config = start(engine), configuration(tmp_path)
    here = kanon_sql.run(config).report
    remote = there(place, config)
    report = kanon_sql.run(remote).report
    same(report, here)
    assert here["privacy"]["l_diversity"]["actual"] == 3
    released, mine = place.released(remote), place_of_duckdb(config)
    assert released is not None
    for position, name in enumerate(NAMES):
        assert counted([row[position : position + 1] for row in released]) == counted(
            [row[position : position + 1] for row in mine]
        ), name
    assert counted(released) == counted(mine)
    assert place.leftovers() == []


def place_of_duckdb(config: Json) -> list[tuple[Any, ...]]:
    import duckdb

    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{config['target']['path']}'").fetchall()


@ENGINES
def test_texts_that_do_not_fit_are_refused(tmp_path: Path, start: Start, engine: str) -> None:
    place, config = start(engine), configuration(tmp_path)
    config["source"]["columns"] = {"day": {"format": "%d.%m.%Y"}, "grouped": {"decimal": ",", "thousands": "."}}
    problems = []
    for each in (config, there(place, config)):
        with pytest.raises(ConfigurationError) as raised:
            kanon_sql.run(each)
        problems.append(
            [problem.partition(": ")[2].replace(", the first in row 2", "") for problem in raised.value.problems]
        )
    here, in_engine = ([problem.partition("of column")[0:3] for problem in lines] for lines in problems)
    assert [parts[0] for parts in here] == [parts[0] for parts in in_engine]
    assert len(here) == 2


@ENGINES
def test_what_is_compiled_reads_alike(tmp_path: Path, start: Start, engine: str) -> None:
    place, config = start(engine), configuration(tmp_path, release={"order": "none"})
    kanon_sql.run(config)
    remote = there(place, config)
    table = "texts" if engine == "spark" else remote["source"]["table"]
    compiled = [
        kanon_sql.compile(remote, dialect=engine, source_table=table, check=check).rstrip().rstrip(";")
        for check in (False, True)
    ]
    if engine == "spark":
        with spark_session(place.url, {}) as session:
            session.read.parquet(remote["source"]["path"]).createOrReplaceTempView(table)
            released, violating = ([tuple(row) for row in session.sql(statement).collect()] for statement in compiled)
    else:
        import psycopg

        with psycopg.connect(place.url) as connection:
            released, violating = (connection.execute(statement.encode()).fetchall() for statement in compiled)
    assert counted(released) == counted(place_of_duckdb(config))
    assert violating == []
