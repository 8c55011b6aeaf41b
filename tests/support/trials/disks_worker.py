"""Trials of one scenario, in a mount namespace of its own.

python -m trials.disks_worker SCENARIO PLACE KIND STEPS SEED
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import kanon_sql
from trials.disks_jobs import SCENARIOS, Job, K, Scenario, run

Json = dict[str, Any]
Files = dict[str, str]
_ROOMY = "size=1g,nr_inodes=100k"
_PAGE = 4096
_FOLDERS = ("target", "ledger", "report", "page", "temp")
_DOES = r"free some|make room|make it writable|name (another|a writable|a larger)|another folder|--temp-directory"


@dataclass
class Disk:
    """A file system of its own at a folder."""

    at: Path

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """In the block, with room enough; it is never empty, as a size of nothing would be no bound."""
        self.at.mkdir(exist_ok=True)
        _mount("-t", "tmpfs", "-o", _ROOMY, "tmpfs", str(self.at))
        (self.at / "ballast").write_bytes(b"0")
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(self.at)], check=True)

    def bound(self, kind: str, free: int) -> None:
        """Leaves so many bytes or inodes, or makes it read-only."""
        space = os.statvfs(self.at)
        if kind == "bytes":
            used = (space.f_blocks - space.f_bfree) * space.f_frsize
            self.remount(f"size={used + free}")
        elif kind == "inodes":
            self.remount(f"nr_inodes={space.f_files - space.f_ffree + free}")
        else:
            self.remount("ro")

    def remount(self, options: str = f"rw,{_ROOMY}") -> None:
        """Changes its size."""
        _mount("-o", f"remount,{options}", str(self.at))


class Lengths(Disk):
    """No disk of its own, which needs no rights: a bound on the length of every file that the process writes."""

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """In the block bounds are taken back at its end."""
        signaled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            yield
        finally:
            self.remount()
            signal.signal(signal.SIGXFSZ, signaled)

    def bound(self, kind: str, free: int) -> None:
        """No file gets longer."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (free, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    def remount(self, options: str = "") -> None:
        """No bound."""
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


@dataclass
class Trials:
    """The trials of one scenario, whose `place` is the small disk."""

    scenario: Scenario
    place: str
    kind: str
    job: Job
    saved: Path
    words: list[str]

    @classmethod
    def of(cls, scenario: Scenario, place: str, kind: str, folder: Path) -> Trials:
        """Prepared once: each trial begins with a copy of that."""
        root = folder / "root"
        (root / "source").mkdir(parents=True)
        job = Job(root, scenario.rows)
        words = scenario.prepare(job)
        (root / "temp").mkdir()
        shutil.copytree(root, folder / "saved")
        words += [*scenario.options, "--temp-directory", str(root / "temp")]
        return cls(scenario, place, kind, job, folder / "saved", [*words, "--quiet", "--threads", "1"])

    def trial(self, free: int) -> Json:
        """One trial, judged."""
        root = self.job.root
        shutil.rmtree(root)
        root.mkdir()
        disk = (Lengths if self.kind == "length" else Disk)(root if self.place == "all" else root / self.place)
        with disk.mounted():
            shutil.copytree(self.saved, root, dirs_exist_ok=True)
            before, entries = self.files(), self.entries()
            disk.bound(self.kind, free)
            status, said = run(self.words)
            disk.remount()
            after = self.files()
            released = after.get("release") != before.get("release")
            outcome: Json = {"free": free, "status": status, "said": said, "released": released}
            outcome["lost"] = [*self.judged(outcome, before, after), *self.again(outcome, entries)]
        return outcome

    def judged(self, outcome: Json, before: Files, after: Files) -> list[str]:
        """What is wrong after the first run."""
        lost = []
        status, said = outcome["status"], outcome["said"]
        if status not in (0, 3):
            lost.append(f"status {status}")
        if status == 0 or outcome["released"]:
            lost += self.wrong()
        lost += self.torn()
        if status and not outcome["released"]:
            lost += [f"changed: {name}" for name in sorted(before) if before[name] != after.get(name)]
        if status and outcome["released"] and "in its place" not in said and "was replaced" not in said:
            lost.append("the release is in its place, and nobody says it")
        if status:
            at = self.job.root if self.place == "all" else self.job.root / self.place
            names = [str(at), *(["--temp-directory"] if self.place in ("temp", "all") else [])]
            if not any(name in said for name in names):
                lost.append("the error does not name the place")
            if not re.search(_DOES, said):
                lost.append("the error does not say what to do")
        return lost + self.left(short=True)

    def torn(self) -> list[str]:
        """Reports and pages that are not whole; those of runs that fail say so, and replace old ones."""
        lost = []
        for path in (path for name in ("report", "page") for path in self.job.folder(name).glob("*.*")):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".json":
                json.loads(text)
            elif not text.rstrip().endswith("</html>") and text != "{}":
                lost.append(f"half a page: {path.name}")
        return lost

    def left(self, *, short: bool = False) -> list[str]:
        """What lies about that is neither old nor new; a database without room keeps its log until the next run."""
        root = self.job.root
        logs = {self.job.folder("ledger") / "ledger.duckdb.wal"} if short else set()
        if self.scenario.remanence:
            logs.add(self.release().with_name(f"{self.release().name}.wal"))
        paths = [path for name in _FOLDERS for path in (root / name).rglob("*")]
        return [
            f"left: {path.relative_to(root)}"
            for path in paths
            if "kanon-sql" in path.name or path.name.endswith((".part", ".wal", ".tmp")) or "temp" in path.parts
            if path.parent != root and path not in logs and path.name != "ballast"
        ]

    def again(self, outcome: Json, entries: int) -> list[str]:
        """What is wrong after a second run, with room enough."""
        runs = 1
        if outcome["status"]:
            status, said = run(self.words)
            runs += outcome["released"]
            if status and not outcome["released"]:
                return [f"the next run: status {status}, {said}"]
        lost = [*self.wrong(), *self.left(short=not outcome["status"])]
        if self.scenario.ledger:
            listed = self.entries()
            lost += [] if listed == entries + runs else [f"{listed} releases in the ledger, expected {entries + runs}"]
        return lost

    def entries(self) -> int:
        """Releases of the ledger, all of which are settled."""
        path = self.job.folder("ledger") / "ledger.duckdb"
        if not self.scenario.ledger or not path.exists():
            return 0
        releases = kanon_sql.list_releases(path)["releases"]
        return sum(1 if entry["state"] == "released" else 1000 for entry in releases)

    def files(self) -> Files:
        """A digest of everything that a failed job leaves as it was, and of the release."""
        root, release = self.job.root, self.release()
        digests = {}
        for path in sorted(path for name in _FOLDERS for path in (root / name).rglob("*") if path.is_file()):
            if path != release or self.scenario.release != "target/people.duckdb":
                digests[str(path.relative_to(root))] = hashlib.sha256(path.read_bytes()).hexdigest()
        apart = ("report/", "page/", "ledger/ledger.duckdb")
        kept = {name: digest for name, digest in digests.items() if not name.startswith(apart)}
        kept["release"] = self.digest()
        return kept

    def release(self) -> Path:
        """The file or folder of the release."""
        return self.job.root / self.scenario.release.partition(":")[0]

    def _rows(self) -> str:
        path, _, table = self.scenario.release.partition(":")
        place = self.job.root / path
        if place.suffix == ".duckdb":
            return f"seen.{table or 'release'}"
        return f"'{place}/**/*.csv'" if place.is_dir() else f"'{place}'"

    def _asked(self, sql: str) -> list[Any]:
        with duckdb.connect() as connection:
            if self.release().suffix == ".duckdb":
                connection.execute(f"ATTACH '{self.release()}' AS seen (READ_ONLY)")
            return connection.execute(sql).fetchall()

    def digest(self) -> str:
        """Tells one release from another by its rows."""
        if not self.release().exists():
            return ""
        return str(self._asked(f"SELECT count(*), bit_xor(hash(r)), sum(hash(r)) FROM {self._rows()} AS r"))

    def wrong(self) -> list[str]:
        """What is wrong with the release, counted in SQL of the trials' own."""
        if not self.release().exists():
            return ["there is no release"]
        lost = []
        counted = f"SELECT sum(n), min(n) FROM (SELECT count(*) AS n FROM {self._rows()} GROUP BY sex, zip)"
        rows, least = self._asked(counted)[0]
        if least is None or least < K:
            lost.append(f"a class of {least} rows")
        if self.words[0] == "run" and rows != self.job.rows:
            lost.append(f"{rows} rows, expected {self.job.rows}")
        columns = [str(row[0]) for row in self._asked(f"DESCRIBE SELECT * FROM {self._rows()}")]
        return lost + ["names are released"] * ("name" in columns)


def swept(trials: Trials, steps: int, seed: int) -> Iterator[Json]:
    """Trials from no room at all to what suffices."""
    if trials.kind == "read-only":
        yield trials.trial(0)
        return
    draw = random.Random(seed)
    unit = _PAGE if trials.kind == "bytes" else 1
    free, short = unit, 0
    yield trials.trial(0)
    while free < 2**30:
        outcome = trials.trial(free)
        yield outcome
        if outcome["status"] == 0:
            break
        free, short = free * 2, free
    between = range(unit, free, unit)
    tried = {0, free, short}
    for size in sorted(draw.sample(between, min(steps, len(between)))):
        if size not in tried:
            yield trials.trial(size)


def main() -> None:
    """Prints the outcomes as JSON."""
    name, place, kind, steps, seed = sys.argv[1:]
    # Beside the small disk there is one with room, which is as fast.
    with tempfile.TemporaryDirectory() as folder, Disk(Path(folder) / "roomy").mounted():
        trials = Trials.of(SCENARIOS[name], place, kind, Path(folder) / "roomy")
        print(json.dumps(list(swept(trials, int(steps), int(seed)))))


if __name__ == "__main__":
    main()
