"""What the scripts that start an engine share: the command line, processes that are stopped for certain, virtual
environments. Needs nothing but Python.

An engine runs in process groups of its own, so that Ctrl-C in a terminal reaches the script alone, which then stops
them in order; a group also holds what its first process has started, as the executors of a Spark worker.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
UNAVAILABLE = 69  # sysexits.h: a service is unavailable
START_SECONDS, STOP_SECONDS = 180, 20


class MissingError(Exception):
    """Something that must be installed is not; the text says what and how."""


class StartError(Exception):
    """The engine did not start; the text ends with what it logged."""


class Interrupted(BaseException):
    """A signal that asks the script to end."""

    def __init__(self, number: int) -> None:
        self.number = number


@dataclass
class Group:
    """A process group: its first process, when that began, and the signal that ends it in good order."""

    leader: int
    began: str
    stop: int


@dataclass
class Running:
    """An engine that runs, or its part that does so far: enough to stop it from another process."""

    folder: str
    groups: list[Group] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """What a client connects to."""
        return next(iter(self.environment.values()))

    def spawn(self, command: list[str], stop: int = signal.SIGTERM, **settings: Any) -> Log:
        """Starts a process in a group of its own, in the engine's folder, its output in a log there."""
        log = Path(self.folder, f"{len(self.groups)}.log")
        with held_signals(), log.open("wb") as file:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
                **settings,
            )
            began = next((candidate.began for candidate in processes() if candidate.number == process.pid), "")
            self.groups.append(Group(process.pid, began, stop))
        return Log(log, process)

    def complete(self, what: str, command: list[str], **settings: Any) -> None:
        """Runs a process to its end, in a group that `stop` ends with all that it has started."""
        log = self.spawn(command, **settings)
        if log.process.wait():
            raise StartError(f"{what} failed: {log.path.read_text(encoding='utf-8', errors='replace').strip()}")
        self.groups.pop()

    def alive(self) -> bool:
        """Whether every process that was started still runs."""
        running = {(candidate.number, candidate.began) for candidate in processes() if not candidate.dead}
        return bool(self.groups) and all((group.leader, group.began) in running for group in self.groups)

    def stop(self) -> None:
        """Stops all groups, the last one first, and removes the folder. A number that another process has got since
        is left alone."""
        for group in reversed(self.groups):
            _signal(group, group.stop)
            deadline = time.monotonic() + STOP_SECONDS
            while _members(group) and time.monotonic() < deadline:
                time.sleep(0.05)
            _signal(group, signal.SIGKILL)
            # What is killed may still make files, which would keep the folder.
            while _members(group) and time.monotonic() < deadline + STOP_SECONDS:
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class Log:
    """A process and the file of its output."""

    path: Path
    process: subprocess.Popen[bytes]

    def wait_until(self, what: str, holds: Callable[[str], bool]) -> None:
        """Until `holds` is true of the output."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            ended = self.process.poll()
            text = self.path.read_text(encoding="utf-8", errors="replace")
            if ended is None and holds(text):
                return
            if ended is not None or time.monotonic() > deadline:
                why = f"took over {START_SECONDS} s" if ended is None else f"ended with status {ended}"
                last = "\n  ".join(text.splitlines()[-15:])
                raise StartError(f"{what} did not start: it {why}. The end of its log:\n  {last}")
            time.sleep(0.05)


@dataclass(frozen=True)
class Process:
    """A line of the table of processes."""

    number: int
    group: int
    began: str
    dead: bool


def processes() -> list[Process]:
    """All processes: from /proc where there is one, else by ps."""
    running_now = []
    if Path("/proc/self/stat").exists():
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                # The name, in parentheses, may hold blanks. Then come state, parent, group, …; the start is the 20th.
                rest = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                running_now.append(Process(int(path.parent.name), int(rest[2]), rest[19], rest[0] in "ZX"))
        return running_now
    listed = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat=,lstart="], check=True, capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        number, group, state, began = line.split(maxsplit=3)
        running_now.append(Process(int(number), int(group), began, state.startswith("Z")))
    return running_now


def _members(group: Group) -> list[int]:
    with suppress(ChildProcessError):  # one of ours that has ended stays in the table until it is asked for
        os.waitpid(group.leader, os.WNOHANG)
    all_of_them = processes()
    if any(candidate.number == group.leader and candidate.began != group.began for candidate in all_of_them):
        return []
    return [candidate.number for candidate in all_of_them if candidate.group == group.leader and not candidate.dead]


def _signal(group: Group, number: int) -> None:
    if _members(group):
        with suppress(ProcessLookupError):
            os.killpg(group.leader, number)


_held: list[int] | None = None


def _on_signal(number: int, frame: FrameType | None) -> None:
    if _held is None:
        raise Interrupted(number)
    _held.append(number)


@contextmanager
def held_signals() -> Iterator[None]:
    """Signals are seen to at the end: a process is never started without being noted, or left half stopped."""
    global _held
    _held, before = ([] if _held is None else _held), _held
    try:
        yield
    finally:
        held, _held = _held, before
        if held and _held is None:
            raise Interrupted(held[0])


def port(wanted: int | None = None) -> int:
    """A port of the loopback interface that nobody listens on: the one that is asked for, else any."""
    if wanted is not None:
        if listens(wanted):
            raise StartError(f"port {wanted} is taken; give another --port, or none")
        return wanted
    with socket.socket() as connection:
        connection.bind(("127.0.0.1", 0))
        return int(connection.getsockname()[1])


def listens(port: int) -> bool:
    """Whether somebody listens on a port of the loopback interface."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def may_install(options: argparse.Namespace) -> bool:
    """Whether what is missing is to be installed: asked for, or on a machine for continuous integration."""
    return bool(options.install) or os.environ.get("CI") == "true"


def cache() -> Path:
    """The folder for virtual environments and for notes of what `start` has started."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kanon-sql"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def virtual_environment(folder: Path, requirements: list[str], stamp: str) -> Path:
    """A virtual environment with `requirements`; its python. Made anew when they, or the stamp, have changed."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    python, note = folder / "bin" / "python", folder / "made-of.json"
    wanted = json.dumps([sys.version, requirements, stamp])
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if note.exists() and note.read_text(encoding="utf-8") == wanted:
            return python
        say(f"installing {' '.join(requirements)} into {folder}")
        is_reusable = note.exists() and json.loads(note.read_text(encoding="utf-8"))[0] == sys.version
        note.unlink(missing_ok=True)
        make = [sys.executable, "-m", "venv", *([] if is_reusable else ["--clear"]), str(folder)]
        pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile"]
        for command in (make, [*pip, *requirements]):
            if subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode:
                raise StartError(f"{shlex.join(command)} failed")
        note.write_text(wanted, encoding="utf-8")
    return python


def say(text: str) -> None:
    """A word to the user, on standard error."""
    print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Engine:
    """What a script says of its engine."""

    description: str
    find: Callable[[argparse.Namespace], str]  # what would be started; raises MissingError
    start: Callable[[argparse.Namespace, Running], None]  # fills the environment
    add_options: Callable[[argparse.ArgumentParser], None]


ACTIONS = """\
actions:
  start     starts the engine, prints its URL and leaves it running
  stop      stops what start has started
  run       starts an engine, runs COMMAND with the variables above, stops the engine; exits as COMMAND does.
            Without COMMAND prints the URL and waits for the end of standard input
  check     says what would be started, or what is missing

exit statuses: 0 done, 1 the engine did not start, 2 wrong usage, 69 something is not installed, else as COMMAND
"""


def main(engine: Engine) -> NoReturn:
    """The command line of a script."""
    words, command = sys.argv[1:], list[str]()
    if "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1 :]
    parser = argparse.ArgumentParser(
        usage="%(prog)s start|stop|run|check [options] [-- COMMAND ...]",
        description=engine.description,
        epilog=ACTIONS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["start", "stop", "run", "check"], help="see below")
    engine.add_options(parser)
    options = parser.parse_args(words)
    if command and options.action != "run":
        parser.error(f"{options.action} takes no COMMAND")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _on_signal)
    try:
        sys.exit(_act(engine, options, command))
    except Interrupted as interrupted:
        sys.exit(128 + interrupted.number)
    except MissingError as missing:
        say(str(missing))
        sys.exit(UNAVAILABLE)
    except (StartError, OSError) as failed:
        say(str(failed))
        sys.exit(1)


def _act(engine: Engine, options: argparse.Namespace, command: list[str]) -> int:
    if options.action == "check":
        print(engine.find(options))
    elif options.action == "run":
        return _run(engine, options, command)
    elif options.action == "start":
        _start(engine, options)
    else:
        _stop()
    return 0


def _new() -> Running:
    return Running(tempfile.mkdtemp(prefix=f"kanon-sql-{Path(sys.argv[0]).name}-"))


def _run(engine: Engine, options: argparse.Namespace, command: list[str]) -> int:
    engine.find(options)
    running = _new()
    try:
        engine.start(options, running)
        if command:
            return _wait_for(command, {**os.environ, **running.environment})
        print(running.url, flush=True)
        sys.stdin.read()
        return 0
    finally:
        with held_signals():
            running.stop()


def _wait_for(command: list[str], environment: dict[str, str]) -> int:
    """The exit status of a command. It is in our process group: Ctrl-C in a terminal has reached it, too."""
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        say(f"{command[0]}: {error.strerror}")
        return 127
    try:
        status = child.wait()
    except Interrupted as interrupted:
        with held_signals():
            if interrupted.number != signal.SIGINT:
                child.send_signal(interrupted.number)
            for last in (signal.SIGTERM, signal.SIGKILL):
                try:
                    child.wait(STOP_SECONDS / 2)
                    break
                except subprocess.TimeoutExpired:
                    child.send_signal(last)
            child.wait()
        raise
    return status if status >= 0 else 128 - status


def _note() -> Path:
    return cache() / f"{Path(sys.argv[0]).name}.json"


def _noted() -> Running | None:
    if not _note().exists():
        return None
    noted = json.loads(_note().read_text(encoding="utf-8"))
    return Running(noted["folder"], [Group(**group) for group in noted["groups"]], noted["environment"])


def _start(engine: Engine, options: argparse.Namespace) -> None:
    running = _noted()
    if running is not None and running.alive():
        say("already running")
    else:
        engine.find(options)
        _stop()  # what is left of one that has died
        running = _new()
        try:
            engine.start(options, running)
            with held_signals():
                _note().write_text(json.dumps(asdict(running)), encoding="utf-8")
        except BaseException:
            with held_signals():
                running.stop()
            raise
    print(running.url)
    for name, value in running.environment.items():
        say(f"export {name}={shlex.quote(value)}")


def _stop() -> None:
    running = _noted()
    if running is not None:
        with held_signals():
            running.stop()
            _note().unlink()
