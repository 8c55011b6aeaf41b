"""Runs a job again and again, each time with another fault: a process that has everything imported forks for each.

As a script it is started with the library loaded (see calls_library); it reads points as lines of JSON and answers
each with a line. What a point is: a job, the number of a call, a fault; without a fault the job's calls are listed.
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from trials.calls_jobs import JOBS, Job, copied, write_configuration
from trials.calls_judge import Whole, files, releases, rows
from trials.calls_library import FAULTS, arm, noted
from trials.calls_verdict import Ended, Verdict

Json = dict[str, Any]
PATIENCE = 120.0  # seconds that a disturbed run may take


class Trial:
    """A job with what an undisturbed run makes of it, in a work folder of its own."""

    def __init__(self, name: str, work: Path) -> None:
        self.job = JOBS[name]
        self.template, self.folder, self.beside = (work / place for place in ("template", "run", "beside"))
        shutil.rmtree(work, ignore_errors=True)
        self.template.mkdir(parents=True)
        self.beside.mkdir()
        # The ledger keeps where things were: the template is made where runs find it.
        self.folder.mkdir()
        self.job.make(self.folder)
        (self.folder / "temp").mkdir()
        copied(self.folder, self.template)

    @cached_property
    def whole(self) -> Whole:
        """What a run finds and leaves."""
        copied(self.template, self.folder)
        before = files(self.folder)
        old = rows(self.job, self.folder) if self.job.in_transaction else None
        ended = self.run(self.job, 0, None)
        assert ended.status == 0, ended
        after = files(self.folder)
        states = releases(self.job, self.template) if self.job.ledger else []
        return Whole(self.job, before, old, after, rows(self.job, self.folder), states)

    def calls(self) -> list[tuple[int, str, str]]:
        """(number, call, path) of the calls of an undisturbed run."""
        assert self.whole
        copied(self.template, self.folder)
        assert self.run(self.job, 0, None).status == 0
        return [(number, name, self._shown(path)) for number, name, path in noted(self.beside / "log")]

    def disturbed(self, at: int, fault: str) -> Json:
        """What a run leaves of which that call goes wrong, and the next run."""
        whole = self.whole
        copied(self.template, self.folder)
        ended = self.run(self.job, at, fault)
        reached = noted(self.beside / "log")
        call, path = (reached[0][1], self._shown(reached[0][2])) if reached else ("none", "")
        verdict = Verdict(whole, self.folder, fault, call, ended)
        state = verdict.judge()
        if verdict.next_is_due:
            verdict.judge_next(self.run(self._next(state), 0, None, watched=False))
        said = ended.err.strip().splitlines()[-1:] if verdict.wrong else []
        return {
            "call": call,
            "path": path,
            "exit": ended.status,
            "outcome": verdict.outcome,
            "wrong": verdict.wrong,
        } | ({"said": said} if said else {})

    def run(self, job: Job, at: int, fault: str | None, *, watched: bool = True) -> Ended:
        """The job in a child of this process."""
        out, err, log = (self.beside / name for name in ("out", "err", "log"))
        child = os.fork()
        if not child:
            try:
                _redirect(out, err)
                os.chdir(self.folder)
                ready = _prepared(job, self.folder)
                chosen = FAULTS[fault] if fault else None
                arm(self.folder if watched else Path("/nowhere"), job.leave_out, at, chosen, job.no_exchange, log)
                ready()
            finally:
                os._exit(99)
        status = _waited(child)
        return Ended(status, err.read_text("utf-8", "replace"))

    def _next(self, state: str) -> Job:
        """The next run of the job."""
        job = replace(self.job, words=(*self.job.words, *self.job.again), no_exchange=0)
        if job.command == "apply" and state == "new":
            return replace(job, target="third.csv")
        return job

    def _shown(self, path: str) -> str:
        return path.replace(f"{self.folder}/", "")


def _redirect(out: Path, err: Path) -> None:
    for number, path in ((0, Path(os.devnull)), (1, out), (2, err)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _prepared(job: Job, folder: Path) -> Callable[[], object]:
    """What runs the job and ends the process."""
    configuration = write_configuration(folder, job.configuration)
    if job.command == "api":
        return lambda: _api(job, configuration)
    from kanon_sql.__main__ import process

    words = ["run", str(configuration), "--no-advice"]
    if job.command == "apply":
        words = ["apply", "1", "source.later.csv", "--ledger", "ledger.duckdb", "-o", job.target]
        words += ["--set", "suppression.limit=100%"]
    sys.argv = ["kanon-sql", *words, "--threads", "2", "--temp-directory", "temp", *job.words]

    def command() -> None:
        try:
            process()
        except SystemExit as ending:  # where the process has more threads
            sys.stderr.flush()
            os._exit(ending.code if isinstance(ending.code, int) else 1)

    return command


def _api(job: Job, configuration: Path) -> None:
    """As a program that uses the package."""
    import kanon_sql
    from kanon_sql.errors import KanonError

    status = 0
    try:
        options = kanon_sql.EngineOptions(threads=2, temp_directory=Path("temp"))
        kanon_sql.run(configuration, options=options, report=job.report, html=job.page, advice=False)
    except KanonError as error:
        status = error.exit_status
        for problem in error.problems:
            print(f"kanon-sql: error: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        status = 130
        print("kanon-sql: error: interrupted: nothing was changed", file=sys.stderr)
    sys.stderr.flush()
    os._exit(status)


def _waited(child: int) -> int | None:
    """The exit status of a child, below 0 for a signal, None where it did not end in time and was killed."""
    descriptor = os.pidfd_open(child)
    try:
        in_time = bool(select.select([descriptor], [], [], PATIENCE)[0])
        if not in_time:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(descriptor)
    return os.waitstatus_to_exitcode(status) if in_time else None


def _warm(work: Path) -> None:
    """A run in this process: what it imports and parses, no child has to. No connection is open behind it."""
    import kanon_sql
    import kanon_sql.cli.main

    trial = Trial("report and page", work / "warm")
    configuration = write_configuration(trial.folder, trial.job.configuration)
    for to in (None, trial.folder / "page.html"):
        kanon_sql.run(configuration, html=to, advice=False, options=kanon_sql.EngineOptions(threads=1))


def serve(work: Path) -> None:
    """Answers points until there are no more."""
    _warm(work)
    trials: dict[str, Trial] = {}
    gc.freeze()
    for line in sys.stdin:
        point = json.loads(line)
        name = point["job"]
        if name not in trials:
            trials[name] = Trial(name, work / name.replace(" ", "-").replace(",", ""))
        trial = trials[name]
        if "at" not in point:
            answer: Any = trial.calls()
        else:
            answer = trial.disturbed(point["at"], point["fault"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
    os._exit(0)  # the engine would tell of all that it still holds
