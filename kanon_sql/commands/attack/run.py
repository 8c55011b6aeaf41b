"""`kanon-sql attack` from end to end: the release that is there, its source, the control group, the adversaries.

M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi: A unified framework for quantifying privacy risk in synthetic data,
PoPETs 2023(2): an attack is played on rows of the source, on rows of a control group that was never released, and
blindly; what works on the control group as well is knowledge of the population, not of persons. The three attacks are
the risks of Article 29 Working Party: Opinion 05/2014 on anonymisation techniques (WP216), section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from kanon_sql.commands.attack.board import Board, open_control, set_up
from kanon_sql.commands.attack.holding_out import made_of_part, share_held_out
from kanon_sql.commands.attack.inferring import play_inference
from kanon_sql.commands.attack.linking import play_linkability
from kanon_sql.commands.attack.method import measure_method
from kanon_sql.commands.attack.nearest import draw_targets
from kanon_sql.commands.attack.rates import CONFIDENCE
from kanon_sql.commands.attack.singling import play_singling_out
from kanon_sql.commands.run.pipeline import allow_paths
from kanon_sql.commands.subject import open_subject
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.job import ConfiguredJob
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.report.call import Call
from kanon_sql.report.report import Json
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs

ATTACKS = 2000


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


def play_attacks(job: ConfiguredJob, request: AttackRequest, call: Call) -> Json:
    """The report of `kanon-sql attack`: on the release that is there, or on one of a part of the source.

    Raises what `attack_release` raises, and with a share to hold out what a run raises.
    """
    request.refuse(call)
    if request.hold_out is None:
        with job.read(call.options) as (engine, source):
            return attack_release(engine, job.loaded, source, request, call)
    outputs = request.outputs(call)
    refuse_missing_folders(outputs)
    refuse_outputs([job.loaded], outputs)
    share = share_held_out(request.hold_out)
    with made_of_part(job, share, request.seed, call) as (loaded, control):
        part = replace(request, control=control, hold_out=None)
        with job_of(loaded).read(call.options) as (engine, source):
            found = attack_release(engine, loaded, source, part, call)
    labels = {"release": "a release of a part", "source": "a part of the source", "control": "rows held out"}
    return {**found, **labels, "hold_out": float(share)}


def attack_release(engine: Engine, loaded: LoadedConfig, source: Source, request: AttackRequest, call: Call) -> Json:
    """The report of `kanon-sql attack` on the release that is there.

    Raises ConfigurationError and EngineError where there is no release, or a table lacks columns, NoReleaseError where
    one has no rows. What the time limit leaves no time for is None.
    """
    outputs = request.outputs(call)
    refuse_missing_folders(outputs)
    subject = open_subject(engine, loaded, source, call)
    control = None if request.control is None else open_control(engine, loaded, request.control, source)
    refuse_outputs([loaded], outputs, [("the control group", request.control)])
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
    attacks: Json = {"singling_out": None, "linkability": None, "inference": {}}
    try:
        with engine.until(deadline):
            _play(board, call, attacks)
    except TimeUpError:
        warnings.append("time ran out: not all attacks were played")
    if request.method:
        with call.step("method", "asking what the method tells", engine.progress):
            told, more = measure_method(subject, source, request.seed, deadline)
        attacks |= told
        warnings += more
    return {
        "status": "measured",
        "release": subject.release.label,
        "source": source.label,
        "control": None if control is None else control.label,
        "hold_out": None,
        "rows": {**board.rows, "control": board.rows["control"] if control else None},
        "attacks": request.attacks,
        "seed": request.seed,
        "confidence": CONFIDENCE,
        "against": "control" if control else "baseline",
        **attacks,
        "warnings": [*warnings, *_warnings(board)],
        "seconds": call.watch.report(),
    }


def _play(board: Board, call: Call, found: Json) -> None:
    """The three attacks, each put into what was found. Raises TimeUpError."""
    with call.step("singling_out", "singling out", board.engine.progress):
        found["singling_out"] = play_singling_out(board)
    with call.step("linkability", "linking", board.engine.progress):
        draw_targets(board)
        found["linkability"] = play_linkability(board)
    with call.step("inference", "inferring", board.engine.progress):
        found["inference"] = play_inference(board)


def _refuse_empty(board: Board, control: Source | None) -> None:
    labels = {"source": board.subject.source, "release": board.subject.release, "control": control}
    empty = [table.label for side, table in labels.items() if table is not None and not board.rows[side]]
    if empty:
        raise NoReleaseError([f"{label} has no row that takes part; there is nothing to attack" for label in empty])


def _warnings(board: Board) -> list[str]:
    found = []
    if not board.controlled:
        found.append(
            "without a control group the risk is the difference to blind guessing, which takes what is true of "
            "everybody for a risk: name rows that were never released with --control, or hold some out with --hold-out"
        )
    elif not board.rows["source"] / 2 <= board.rows["control"] <= 2 * board.rows["source"]:
        found.append(
            "the control group is less than half or more than twice as large as the source: whether a predicate "
            "isolates a row by chance depends on how many rows there are"
        )
    if not board.others:
        found.append("no column beside the quasi-identifiers is released: nothing is inferred")
    return found
