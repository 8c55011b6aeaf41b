"""Runs jobs in processes of their own, forked from one in which everything is imported and no engine was opened.

A job may be killed by a signal, run for ever or take all memory: that is an answer as well. Requests and answers are
lines of JSON on the standard streams of `python files_server.py`.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]
HERE = Path(__file__).resolve()
SECONDS = 60  # of the processor, and ten times as many in all: the machine may have much else to do
_MEMORY = 8 << 30  # bytes that a job may address, so that none takes those of the machine


class Server:
    """A process that runs jobs: functions `module:name` of JSON data, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(HERE.parents[3]), str(HERE.parents[1])])
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
        words = [sys.executable, str(HERE)]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, encoding="utf-8"
        )

    def warm(self, job: str, given: Json, cwd: Path) -> Json:
        """Runs a job once, and imports what it imported for all that follow."""
        modules = self._folder / "modules.json"
        answer = self.run(job, given, cwd, modules=str(modules))
        if modules.exists():
            self._ask({"import": json.loads(modules.read_text(encoding="utf-8"))})
        return answer

    def run(self, job: str, given: Any, cwd: Path, **more: Any) -> Json:
        """The end of a job: `status`, None for one that had none, `signal`, `late`, `seconds`, `out`, `err`."""
        streams = {name: str(self._folder / name) for name in ("out", "err")}
        answer = self._ask({"job": job, "given": given, "cwd": str(cwd), "seconds": SECONDS, **streams, **more})
        read = {name: Path(path).read_text("utf-8", errors="replace") for name, path in streams.items()}
        return {**answer, **read}

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _ask(self, request: Json) -> Json:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: Json = json.loads(self._process.stdout.readline())
        return answer


def command(given: Json) -> None:
    """The job of running the command `kanon-sql`; ends the process with its status."""
    from kanon_sql.cli.main import main

    main(given["words"])


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        answer = _imported(request["import"]) if "import" in request else _run(request)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _imported(names: list[str]) -> Json:
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:  # what cannot be imported alone is imported where it is needed
            continue
    return {}


def _run(request: Json) -> Json:
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        _child(request)
    late = not _ended(child, 10 * request["seconds"])
    if late:
        os.kill(child, signal.SIGKILL)
    _, ended, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(ended)
    late = late or code == -signal.SIGXCPU
    return {
        "status": code if code >= 0 else None,
        "signal": signal.Signals(-code).name if code < 0 and not late else None,
        "late": late,
        "seconds": round(used.ru_utime + used.ru_stime, 3),
        "wall": round(time.monotonic() - begun, 3),
    }


def _ended(child: int, seconds: float) -> bool:
    handle = os.pidfd_open(child)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _child(request: Json) -> None:
    """Never returns."""
    status = 70
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = math.ceil(request["seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(request["cwd"])
        module, _, name = request["job"].partition(":")
        status = 0
        getattr(importlib.import_module(module), name)(request["given"])
    except SystemExit as ending:
        status = ending.code if isinstance(ending.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
        status = 70
    finally:
        if "modules" in request:
            Path(request["modules"]).write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
