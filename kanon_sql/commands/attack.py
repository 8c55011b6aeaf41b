"""`kanon-sql attack` from end to end: the release that is there, its source, the control group, the adversaries.

M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi: A unified framework for quantifying privacy risk in synthetic data,
PoPETs 2023(2): an attack is played on rows of the source, on rows of a control group that was never released, and
blindly; what works on the control group as well is knowledge of the population, not of persons. The three attacks are
the risks of Article 29 Working Party: Opinion 05/2014 on anonymisation techniques (WP216), section 2.2.

Where nobody kept a control group (`--hold-out`), the release is made anew of a random part of the source, and never
kept: the rows are parted by a hash of them and a seed, those of one person or household stay together, and both parts
and the release lie in a private folder as long as the attacks are played. `--method` searches the source again, and
measures what the release tells to somebody who knows how it was made, if the search finds the release that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.config.database_table import without_columns
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import ConfiguredJob, standing_in, unused_columns
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, NoReleaseError, OutOfTimeError, VerificationError
from kanon_sql.ledger.earlier import telling_releases
from kanon_sql.measures.attack.adversaries import CONFIDENCE, none_played, play_all
from kanon_sql.measures.attack.board import Board, open_control, set_up
from kanon_sql.measures.attack.method import TOO_FEW, Asked, measure_downcoding, measure_minimality, unmeasured
from kanon_sql.measures.attack.played import describe_target
from kanon_sql.measures.release_pair import ReleasePair, open_subject
from kanon_sql.release.families import release_of
from kanon_sql.release.full_domain import FullDomainRelease
from kanon_sql.release.verify import verify
from kanon_sql.report.call import Call
from kanon_sql.search.full_domain.problem import FullDomainResult
from kanon_sql.search.multidimensional import MultidimensionalResult
from kanon_sql.search.prepare import prepare_search, request_of
from kanon_sql.search.problem import SearchResult
from kanon_sql.source.columns import person, refuse_misfits
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.template import Fill, Item, column
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs, refuse_pdf

if TYPE_CHECKING:
    from kanon_sql.results.attack import AttackReport, MethodFigures

ATTACKS = 2000
_OUT_OF = 1_000_000  # steps of the share that is held out
_SECONDS = 60.0  # that worlds are drawn for where nothing limits the time


@dataclass(frozen=True)
class AttackRequest:
    """The control group's file or the share to hold out, how many guesses an attack has, what draws them, the page."""

    control: Path | None = None
    hold_out: str | None = None
    attacks: int = ATTACKS
    seed: int = 1
    page: Path | None = None
    method: bool = False

    def outputs(self, call: Call) -> list[tuple[str, Path]]:
        """The files that are written, with the options that name them."""
        named = (("--report", call.report), ("--html", self.page))
        return [(option, path) for option, path in named if path is not None]

    def refuse(self, call: Call) -> None:
        """Raises ConfigurationError for what cannot be played, and for two files in one place."""
        problems = named_twice(self.outputs(call))
        if self.hold_out is not None:
            if self.control is not None:
                problems.append("--hold-out and --control both name a control group; keep one")
            try:
                share_held_out(self.hold_out)
            except ConfigurationError as error:
                problems += error.problems
        if self.attacks < 1:
            problems.append(f"--attacks {self.attacks}: expected a number of guesses, such as {ATTACKS}")
        if not 0 <= self.seed < 2**31:
            problems.append(f"--seed {self.seed}: expected a number from 0 to 2147483647")
        if problems:
            raise ConfigurationError(problems)
        if self.page is not None:
            refuse_pdf(self.page)


def play_attacks(job: ConfiguredJob, request: AttackRequest, call: Call) -> AttackReport:
    """The report of `kanon-sql attack`: on the release that is there, or on one of a part of the source.

    Raises ConfigurationError and EngineError where there is no release, or a table lacks columns, NoReleaseError where
    one has no rows, and with a share to hold out what a run raises. What the time limit leaves no time for is None.
    """
    request.refuse(call)
    if request.hold_out is None:
        with job.read_rows(call.options) as (engine, source):
            report = _attack_release(engine, job.loaded, source, request, call)
        return {**report, "about": describe_target(job.loaded)}
    outputs = request.outputs(call)
    refuse_missing_folders(outputs)
    refuse_outputs([job.loaded], outputs)
    share = share_held_out(request.hold_out)
    with made_of_part(job, share, request.seed, call) as (of_part, control):
        # Lists of values that stand in other tables are read by the search, and are no column that attackers see.
        loaded = without_columns(of_part, of_part.several)
        part = replace(request, control=control, hold_out=None)
        with job_of(loaded).read(call.options) as (engine, source):
            report = _attack_release(engine, loaded, source, part, call)
    return {
        **report,
        "release": "a release of a part",
        "source": "a part of the source",
        "control": "rows held out",
        "hold_out": float(share),
        "about": describe_target(job.loaded),
    }


def _attack_release(
    engine: Engine, loaded: LoadedConfig, source: Source, request: AttackRequest, call: Call
) -> AttackReport:
    """The attacks on the release that is there."""
    outputs = request.outputs(call)
    refuse_missing_folders(outputs)
    subject = open_subject(engine, loaded, source, call)
    refuse_outputs([loaded], outputs, [("the control group", request.control)])
    return attack_pair(subject, source, request)


def attack_pair(subject: ReleasePair, source: Source, request: AttackRequest) -> AttackReport:
    """The attacks on a release beside its source, both open. Raises what `play_attacks` does."""
    engine, loaded, call = subject.engine, subject.loaded, subject.call
    control = None if request.control is None else open_control(engine, loaded, request.control, source)
    allow_paths(engine, loaded, source, None, [subject.release, *([control] if control else [])])
    source = with_lookups(engine, source)
    subject = replace(subject, source=source)
    for table in (source, control):
        if table is not None:
            refuse_misfits(engine, table)
    deadline = Deadline(call.time_limit)
    with call.step("read", "reading the tables", engine.progress):
        board, warnings = set_up(subject, source, control, request.attacks, request.seed)
    _refuse_empty(board, control)
    attacks = none_played()
    try:
        with engine.until(deadline):
            play_all(board, lambda part, what: call.step(part, what, engine.progress), attacks)
    except TimeUpError:
        warnings.append("time ran out: not all attacks were played")
    method: MethodFigures = {}
    if request.method:
        with call.step("method", "asking what the method tells", engine.progress):
            method, more = measure_method(subject, source, request.seed, deadline)
        warnings += more
    return {
        "status": "measured",
        "release": subject.release.label,
        "source": source.label,
        "control": None if control is None else control.label,
        "hold_out": None,
        "about": None,
        "rows": {
            "source": board.rows["source"],
            "control": board.rows["control"] if control else None,
            "release": board.rows["release"],
        },
        "attacks": request.attacks,
        "seed": request.seed,
        "confidence": CONFIDENCE,
        "against": "control" if control else "baseline",
        **attacks,
        **method,
        "warnings": [*source.warnings, *warnings, *_warnings(board)],
        "seconds": call.watch.report(),
    }


def _refuse_empty(board: Board, control: Source | None) -> None:
    labels = {"source": board.subject.source, "release": board.subject.release, "control": control}
    empty = [table.label for side, table in labels.items() if table is not None and not board.rows[side]]
    if empty:
        raise NoReleaseError([f"{label} has no row that takes part; there is nothing to attack" for label in empty])


def _warnings(board: Board) -> list[str]:
    warnings = []
    if not board.controlled:
        warnings.append(
            "without a control group the risk is the difference to blind guessing, which takes what is true of "
            "everybody for a risk: name rows that were never released with --control, or hold some out with --hold-out"
        )
    elif not board.rows["source"] / 2 <= board.rows["control"] <= 2 * board.rows["source"]:
        warnings.append(
            "the control group is less than half or more than twice as large as the source: whether a predicate "
            "isolates a row by chance depends on how many rows there are"
        )
    if not board.others:
        warnings.append("no column beside the quasi-identifiers is released: nothing is inferred")
    return warnings


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
        with call.step("hold_out", "holding rows out"), job.read_rows(call.options) as (engine, source):
            missing = list(source.missing)
            _write_parts(engine, source, job.loaded, (share, seed), folder)
        parts: dict[str, Any] = {
            "source": {"path": str(folder / "part.parquet"), "missing": missing},
            "target": {"path": str(folder / "release.parquet")},
            "engine": {"name": "duckdb"},
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
    # What is not looked at parts no rows, as other engines than DuckDB keep it.
    unused = unused_columns(loaded, plain)
    keys: list[exp.Expr] = [column(read.key) for read in plain.columns if read.name not in unused]
    if together is not None:
        keys = [person(plain.column(together), plain.missing)]
    share, seed = parting
    items: list[Item] = [{"key": source_column.key, "name": source_column.name} for source_column in plain.columns]
    engine.query(
        "measures/attack/parted",
        names={
            "source": plain.relation,
            "row_key": exp.Anonymous(this="hash", expressions=keys),
        },
        lists={"own": items},
        values={"seed": seed, "by_rows": together is None, "share": round(share * _OUT_OF), "out_of": _OUT_OF},
    )
    for name, is_held_out in (("part", False), ("held_out", True)):
        names: dict[str, Fill] = {"held_out": exp.Boolean(this=is_held_out)}
        rows = template.render("measures/attack/part", names=names, lists={"own": items})
        to = literal(str(folder / f"{name}.parquet")).sql("duckdb")
        engine.run(f"COPY ({rows}) TO {to} (FORMAT parquet)")


def measure_method(
    subject: ReleasePair, source: Source, seed: int, deadline: Deadline
) -> tuple[MethodFigures, list[str]]:
    """`minimality` and `downcoding` of a release, None where they cannot be measured, and what is to be said of them.

    Raises what reading the source raises.
    """
    result = _searched_again(subject, source, deadline)
    if isinstance(result, str):
        return {"minimality": None, "downcoding": None}, [result]
    assert isinstance(result, (FullDomainResult, MultidimensionalResult))
    if result.problem.models.in_rounds:
        why = "what the method tells is not measured with known_columns and group, which suppress rows and not classes"
        return {"minimality": None, "downcoding": None}, [why]
    narrowed = measure_downcoding(subject.engine, result)
    if not isinstance(result, FullDomainResult):
        name = subject.loaded.config.algorithm.name
        why = f"minimality is not measured of {name}: whether another release was refused, and why, takes a lattice"
        notes = [why] if result.problem.models.reads_values else []
        return {"minimality": None, "downcoding": narrowed}, notes
    refused = unmeasured(result)
    if refused is not None:
        return {"minimality": None, "downcoding": narrowed}, [refused]
    remaining = deadline.remaining()
    within = Deadline(_SECONDS if remaining is None else min(remaining, _SECONDS))
    algorithm = subject.loaded.config.algorithm
    worlds = measure_minimality(subject.engine, result, algorithm, Asked(seed=seed), within)
    few = f"of {worlds['worlds']:,} worlds {worlds['kept']:,} lead to this release, fewer than {TOO_FEW}: "
    notes = [few + "what minimality tells is not measured, and may be much"] if worlds["columns"] is None else []
    return {"minimality": worlds, "downcoding": narrowed}, notes


def _searched_again(subject: ReleasePair, source: Source, deadline: Deadline) -> SearchResult | str:
    """What the search finds in the source; why it says nothing of the release, where it does not."""
    engine, loaded, call = subject.engine, subject.loaded, subject.call
    with telling_releases(engine, loaded, source, subject.hierarchies):
        prepared = prepare_search(engine, loaded, source, subject.roles, dict(subject.hierarchies), call.progress)
    result = prepared.solve(
        engine, loaded.config.algorithm, request_of(loaded.config, prepared.n), deadline, call.progress
    )
    try:
        result.require()
        new_release = release_of(engine, result)
        new_release.describe_loss()  # which labels the classes
        masked = result.suppressed if loaded.config.release.suppressed == "mask" and new_release.can_mask() else 0
        release = replace(subject.release, missing=("",) if subject.release.only_texts else ())
        verify(engine, release, new_release.expected(release, masked))
        if isinstance(new_release, FullDomainRelease):
            new_release.list_suppressed()
    except OutOfTimeError:
        return "time ran out: what the method tells was not measured"
    except (NoReleaseError, VerificationError):
        return (
            f"{subject.release.label} is not what {loaded.name} makes of {source.label} as it is now: what the method "
            f"tells was not measured; run it again"
        )
    return result
