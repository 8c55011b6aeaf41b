"""A control group where nobody kept one: the release is made anew, of a random part of the source, and never kept.

Source and rest are parted by a hash of the rows and a seed; where rows are about persons or households, those stay
together. Both parts and the release lie in a private folder as long as the attacks are played.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import ConfiguredJob, standing_in
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.call import Call
from kanon_sql.source.model import Source
from kanon_sql.source.values import person
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.scratch import spill_folder
from kanon_sql.sql.template import Fill, Item, column, state

_OUT_OF = 1_000_000


def share_held_out(text: str) -> Fraction:
    """The share of a text such as 20%. Raises ConfigurationError unless it is above 0 and below 1."""
    try:
        share = Fraction(text.strip().removesuffix("%").strip()) / (100 if "%" in text else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise ConfigurationError(f"--hold-out {text[:40]}: expected a share of the source's rows, such as 50%")
    return share


@contextmanager
def made_of_part(job: ConfiguredJob, share: Fraction, seed: int, call: Call) -> Iterator[tuple[LoadedConfig, Path]]:
    """Makes the release of a job's configuration from all rows but a share: a configuration of it, and the other rows.

    Both are there as long as the block lasts. Raises what a run raises.
    """
    with spill_folder(call.options.temp_directory) as folder:
        with call.step("hold_out", "holding rows out"), job.read(call.options) as (engine, source):
            missing = list(source.missing)
            _write_parts(engine, source, job.loaded, (share, seed), folder)
        parts: dict[str, Any] = {
            "source": {"path": str(folder / "part.parquet"), "missing": missing},
            "target": {"path": str(folder / "release.parquet")},
        }
        loaded = standing_in(job.loaded, parts)
        loaded = replace(loaded, config=loaded.config.model_copy(update={"report": None, "releases": None}))
        with call.step("release", "making a release of the others"):
            run_configuration(job_of(loaded), Call(call.options, call.progress, advice=False))
        yield loaded, folder / "held_out.parquet"


def _write_parts(
    engine: Engine, source: Source, loaded: LoadedConfig, parting: tuple[Fraction, int], folder: Path
) -> None:
    """Writes part.parquet and held_out.parquet, the columns as the source has them."""
    plain = source.unread or source
    together = loaded.config.group or loaded.config.privacy.entity
    keys: list[exp.Expr] = [column(item.key) for item in plain.columns]
    if together is not None:
        keys = [person(plain.column(together), plain.missing)]
    share, seed = parting
    items: list[Item] = [{"key": item.key, "name": item.name} for item in plain.columns]
    engine.query(
        "commands/attack/parted",
        names={
            "parted": state("attack_parted"),
            "source": plain.relation,
            "row_key": exp.Anonymous(this="hash", expressions=keys),
        },
        lists={"own": items},
        values={"seed": seed, "by_rows": together is None, "share": round(share * _OUT_OF), "out_of": _OUT_OF},
    )
    for name, is_held_out in (("part", False), ("held_out", True)):
        names: dict[str, Fill] = {"parted": state("attack_parted"), "held_out": exp.Boolean(this=is_held_out)}
        rows = template.render("commands/attack/part", names=names, lists={"own": items})
        to = literal(str(folder / f"{name}.parquet")).sql("duckdb")
        engine.run(f"COPY ({rows}) TO {to} (FORMAT parquet)")
