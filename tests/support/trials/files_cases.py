"""What a trial runs: files in a folder, one of them damaged, and a command that reads it. A seed tells all of it."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from trials.files_damage import ANY, GZIP, PARQUET, TEXT, Damage
from trials.files_pool import HEAD

Json = dict[str, Any]
Pool = Mapping[str, bytes]

BASE: Json = {
    "target": {"path": "out.csv", "overwrite": True},
    "quasi_identifiers": {
        "sex": {"builtin": "suppress"},
        "age": {"builtin": "intervals", "widths": [5, 10, 20]},
        "zip": {"builtin": "prefix", "keep": [4, 3, 2]},
    },
    "sensitive": ["diagnosis"],
    "insensitive": ["id", "cost", "seen"],
    "accept": ["id"],
    "privacy": {"k": 5},
    "suppression": {"limit": "10%"},
}
OLD = ",".join(HEAD).encode() + b"\nr1,*,*,*,flu,1.0,\n"  # the release that a run replaces
_BOUNDS = ["--threads", "2", "--memory-limit", "2GB"]
MEASURING = {"check": ["check", "config.yaml", "--json"], "risk": ["risk", "config.yaml", "--json"]}


@dataclass(frozen=True)
class Case:
    """A trial: `files` by name, of which `damaged` was damaged in the way `damage`, and the words of a command.

    `config` is what was asked for, `source` the file of the rows, `table` its table; `result` is the file (or the
    file and the table) that the command may change beside the ledger, None for one that only measures.
    """

    seed: int
    kind: str
    damage: str
    files: dict[str, bytes]
    damaged: str
    whole: bytes
    words: list[str]
    config: Json
    source: str
    table: str | None = None
    result: str | None = None
    result_table: str | None = None
    also: frozenset[str] = field(default_factory=frozenset)

    @property
    def command(self) -> str:
        """The first word."""
        return self.words[0]


def make(seed: int, pool: Pool, kind: str | None = None) -> Case:
    """The trial of a seed, of that kind where one is given."""
    draw = random.Random(f"files {seed}")
    chosen = kind or draw.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    return KINDS[chosen][1](seed, chosen, draw, pool)


def _damaged(data: bytes, draw: random.Random, damages: Mapping[str, Damage]) -> tuple[str, bytes]:
    """(how, bytes): other ones than those that are given."""
    while True:
        name = draw.choice(list(damages))
        damaged = damages[name](data, draw)
        if damaged != data:
            return name, damaged


def _source(
    names: tuple[str, ...], damages: Mapping[str, Damage], *, in_place: bool = True
) -> Callable[[int, str, random.Random, Pool], Case]:
    """Trials of a damaged source in one file."""

    def source(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
        name = draw.choice(names)
        damage, data = _damaged(pool[name], draw, damages)
        config = {"source": name, **copy.deepcopy(BASE)}
        how = draw.choices(["run", "in-place", "check", "risk", "init", "compile"], [60, 15, 10, 5, 5, 5])[0]
        if how == "in-place" and not in_place:
            how = "run"
        files, result, words = {name: data}, None, [*MEASURING.get(how, [how, "config.yaml"])]
        if how == "run":
            result, files["out.csv"] = "out.csv", OLD
        elif how == "in-place":
            config["target"], result, how = "in-place", name, "run"
        if how == "run":
            words = ["run", "config.yaml", "--json"]
        elif how == "init":
            words = ["init", name, "--yes", "--json"]
        files["config.yaml"] = yaml.safe_dump(config, sort_keys=False).encode()
        words += _BOUNDS
        return Case(seed, kind, damage, files, name, pool[name], words, config, name, result=result)

    return source


def _database(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
    """A table of a damaged database, or of one with a damaged write-ahead log."""
    logged = draw.random() < 0.25
    name = "logged.duckdb" if logged else draw.choice(["in.duckdb", "in.duckdb", "large.duckdb"])
    files = {name: pool[name], **({f"{name}.wal": pool[f"{name}.wal"]} if logged else {})}
    damaged = f"{name}.wal" if logged and draw.random() < 0.8 else name
    damage, files[damaged] = _damaged(pool[damaged], draw, ANY)
    config = {"source": {"database": name, "table": "people"}, **copy.deepcopy(BASE)}
    how = draw.choice(["run", "run", "run", "in-place", "table", "check"])
    result: str | None = "out.csv"
    table: str | None = None
    words = ["run", "config.yaml", "--json"]
    if how == "run":
        files["out.csv"] = OLD
    elif how == "check":
        result, words = None, [*MEASURING["check"]]
    else:
        result, table = name, "people" if how == "in-place" else "released"
        config["target"] = "in-place" if how == "in-place" else {"database": name, "table": "released"}
    files["config.yaml"] = yaml.safe_dump(config, sort_keys=False).encode()
    words += _BOUNDS
    also = frozenset({f"{name}.wal"}) if result == name else frozenset()
    whole = pool[damaged]
    return Case(seed, kind, damage, files, damaged, whole, words, config, name, "people", result, table, also)


def _target(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
    """A damaged database that a release shall be put into beside what it holds, or a file that is overwritten."""
    name = draw.choice(["in.duckdb", "large.duckdb", "in.duckdb", "snappy.parquet"])
    damage, data = _damaged(pool[name], draw, ANY)
    files = {"in.csv": pool["in.csv"], name: data}
    config = {"source": "in.csv", **copy.deepcopy(BASE)}
    table = None
    if name.endswith("duckdb"):
        table = draw.choice(["released", "others"])
        config["target"] = {"database": name, "table": table, "overwrite": True}
        if draw.random() < 0.3:
            config["target"]["allow_remanence"] = True
    else:
        config["target"] = {"path": name, "overwrite": True}
    files["config.yaml"] = yaml.safe_dump(config, sort_keys=False).encode()
    words = ["run", "config.yaml", "--json", *_BOUNDS]
    return Case(seed, kind, damage, files, name, pool[name], words, config, "in.csv", None, name, table)


def _hierarchy(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
    damage, data = _damaged(pool["age.csv"], draw, TEXT)
    config = {"source": draw.choice(["in.csv", "snappy.parquet"]), **copy.deepcopy(BASE)}
    config["quasi_identifiers"]["age"] = "age.csv"
    written = yaml.safe_dump(config, sort_keys=False).encode()
    files = {config["source"]: pool[config["source"]], "age.csv": data, "out.csv": OLD, "config.yaml": written}
    words, source = ["run", "config.yaml", "--json", *_BOUNDS], config["source"]
    return Case(seed, kind, damage, files, "age.csv", pool["age.csv"], words, config, source, result="out.csv")


def _configuration(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
    config = {"source": "in.csv", **copy.deepcopy(BASE)}
    whole = yaml.safe_dump(config, sort_keys=False).encode()
    damage, data = _damaged(whole, draw, TEXT)
    files = {"in.csv": pool["in.csv"], "out.csv": OLD, "config.yaml": data}
    words = ["run", "config.yaml", "--json", *_BOUNDS]
    return Case(seed, kind, damage, files, "config.yaml", whole, words, config, "in.csv", result="out.csv")


def _ledger(seed: int, kind: str, draw: random.Random, pool: Pool) -> Case:
    """A ledger that is damaged, or a database that is another one."""
    whole = pool["ledger.duckdb"]
    others = sorted(name for name in pool if name.startswith("ledger_"))
    if draw.random() < 0.5:
        damage, data = _damaged(whole, draw, ANY)
    else:
        ledger = draw.choice(others)
        damage, data = ledger.removeprefix("ledger_").removesuffix(".duckdb").replace("_", " "), pool[ledger]
    config = {"source": "in.csv", **copy.deepcopy(BASE), "releases": {"path": "ledger.duckdb"}}
    config["insensitive"] = ["cost", "seen"]
    config |= {"identifiers": ["id"]}
    del config["accept"]
    files = {"in.csv": pool["in.csv"], "out.csv": OLD, "ledger.duckdb": data}
    files["config.yaml"] = yaml.safe_dump(config, sort_keys=False).encode()
    how = draw.choice(["run", "run", "run", "list", "show", "apply"])
    result: str | None = "out.csv"
    words = ["run", "config.yaml", "--json", *_BOUNDS]
    if how in ("list", "show"):
        words, result = ["releases", how, "ledger.duckdb", *(["1"] if how == "show" else []), "--json"], None
    elif how == "apply":
        words = ["apply", "1", "in.csv", "--ledger", "config.yaml", "-o", "new.csv", "--json", *_BOUNDS]
        result = "new.csv"
    also = frozenset({"ledger.duckdb"}) if result else frozenset()
    return Case(seed, kind, damage, files, "ledger.duckdb", whole, words, config, "in.csv", None, result, None, also)


_JSON = tuple(f"in.{ending}" for ending in ("jsonl", "json"))
_PACKED = tuple(f"in.{ending}" for ending in ("jsonl.gz", "json.gz", "jsonl.gz"))
_CODECS = ("snappy", "snappy_plain", "zstd", "zstd_checksums", "gzip", "gzip_plain", "none", "none_plain")
_ALL = (*_CODECS, "engine_snappy", "engine_zstd", "engine_uncompressed")

Maker = Callable[[int, str, random.Random, Pool], Case]
KINDS: dict[str, tuple[int, Maker]] = {
    "Parquet": (30, _source(tuple(f"{name}.parquet" for name in _ALL), PARQUET)),
    "CSV": (12, _source(("in.csv", "crlf.csv", "quoted.csv", "latin.csv", "utf16.csv", "in.tsv"), TEXT)),
    "CSV, gzip": (12, _source(("in.csv.gz",), GZIP)),
    "JSON": (6, _source(_JSON, TEXT)),
    "JSON, gzip": (6, _source(_PACKED, GZIP)),
    "JSON, Zstandard": (5, _source(("in.jsonl.zst", "in.json.zst"), ANY)),
    "Excel": (4, _source(("in.xlsx",), ANY, in_place=False)),
    "database": (8, _database),
    "target": (4, _target),
    "ledger": (7, _ledger),
    "hierarchy": (3, _hierarchy),
    "configuration": (3, _configuration),
}
