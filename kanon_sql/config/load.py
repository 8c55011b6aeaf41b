"""Loads configurations: a file or a mapping goes in, a validated `Config` or every problem comes out."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kanon_sql.config import messages as words
from kanon_sql.config.draft import Draft, among, draft_of_mapping, draft_of_text, key_text
from kanon_sql.config.model import Config, QuasiIdentifier
from kanon_sql.errors import ConfigurationError, bounded, escape
from kanon_sql.privacy import registry
from kanon_sql.privacy.closed import closed_faults
from kanon_sql.privacy.thresholds import threshold_faults
from kanon_sql.settings import rules
from kanon_sql.settings.formats import is_data
from kanon_sql.settings.rules import ROLES
from kanon_sql.settings.source import CsvOptions
from kanon_sql.settings.treatments import KEYED, TreatmentConfig, treated_columns, variable_of
from kanon_sql.settings.yaml import KeyPath, YamlError, decode

_SHORT = ("strata",)
_WHOLE = ("algorithm", "strata")


def expand_strata(draft: Draft) -> None:
    """Moves strata that stand beside the algorithm into it, and makes quasi-identifiers of those without a role."""
    given = draft.value.pop("strata", None)
    if draft.value.get("algorithm") is None and given not in (None, []):
        draft.value["algorithm"] = {}
    algorithm = draft.value.get("algorithm")
    if not isinstance(algorithm, dict):
        return
    if given not in (None, []):
        _move(draft, algorithm, given)
    names, columns = algorithm.get("strata"), draft.value.get("quasi_identifiers")
    if isinstance(names, list) and isinstance(columns, dict):
        for place, name in enumerate(names):
            if isinstance(name, str) and name not in columns:
                _add(draft, columns, place, name)


def _move(draft: Draft, algorithm: dict[str, object], given: object) -> None:
    if algorithm.get("strata") not in (None, [], given):
        draft.problem(_SHORT, "the algorithm has other strata; keep one of the lists", spoils=False)
        return
    algorithm["strata"] = given
    for recorded in (draft.places, draft.sources):
        for path in [path for path in recorded if path[:1] == _SHORT]:
            recorded[("algorithm", *path)] = recorded.pop(path)
    draft.problems = [
        problem._replace(path=("algorithm", *problem.path)) if problem.path[:1] == _SHORT else problem
        for problem in draft.problems
    ]


def _add(draft: Draft, columns: dict[str, object], place: int, name: str) -> None:
    path = (*_WHOLE, place)
    role = next((key for key in ROLES if isinstance(draft.value.get(key), list) and name in draft.value[key]), None)
    if role is not None:
        shown = draft.source(path) or name
        text = f"column {shown!r} is in {role}, too; a stratum is a quasi-identifier: remove it from one of them"
        draft.problem(path, text, spoils=False)
        return
    columns[name] = {}
    draft.places[("quasi_identifiers", name)] = draft.place(path)
    if path in draft.sources:
        draft.hidden[name] = path


Overrides = Iterable[tuple[str, Any]]

# Values of the environment that are shorter are no secrets, and would tear ordinary words apart.
_SHORTEST_SECRET = 4
# Shorter ones than these stand in many names of files by chance.
_SHORTEST_IN_PATHS = 6
_AROUND_PATHS = " \t\n'\"=,;()[]{}"


@dataclass(frozen=True)
class LoadedConfig:
    """A valid configuration, with what it takes to find files and to point at its keys."""

    config: Config
    base: Path
    name: str
    draft: Draft = field(repr=False, compare=False)
    # Sensitive columns of which a row holds several values, its text being the JSON list of these, each once; or
    # {"held": [], "source": []} where classes are judged by fewer values than they are compared with.
    several: frozenset[str] = frozenset()

    def place(self, *path: str | int) -> str:
        """FILE:LINE of a key, as in place("quasi_identifiers", "age"), or of the nearest key around it."""
        return self.draft.place(path)

    def release_csv(self) -> CsvOptions:
        """How a CSV file that was released by this configuration is read: with its formulas unescaped."""
        target = self.config.target
        return CsvOptions(formulas=target.csv.formulas if target is not None else "keep")

    def as_it_stands(self, names: Collection[str | None] | None = None) -> LoadedConfig:
        """The configuration for a table whose values were read and treated already.

        Of what is said of columns only what the texts are understood as holds: of those with these `names`, or of all.
        """
        columns = {
            name: column.as_it_stands()
            for name, column in self.config.source.columns.items()
            if names is None or name in names
        }
        source = self.config.source.model_copy(update={"columns": columns})
        return replace(self, config=self.config.model_copy(update={"source": source, "transform": {}}))

    def redact(self, text: str) -> str:
        """`text` with the values that `${NAME}` read from the environment shown as ${NAME}, longest first.

        A word of four or five characters is left in the names of files, which are no secrets; in a URL it is not.
        """
        return redacted(self.draft, text)


def redacted(draft: Draft, text: str) -> str:
    """`text` with the values that a draft has from the environment shown as ${NAME} (see LoadedConfig.redact)."""
    longest_first = sorted(draft.variables.items(), key=lambda variable: -len(variable[1]))
    for name, value in longest_first:
        if len(value) >= _SHORTEST_SECRET:
            text = _masked(text, value, f"${{{name}}}")
    return text


def _masked(text: str, value: str, name: str) -> str:
    if len(value) >= _SHORTEST_IN_PATHS or not re.fullmatch(r"\w+", value):
        return text.replace(value, name)
    parts, end = [], 0
    while (start := text.find(value, end)) >= 0:
        after = start + len(value)
        parts += [text[end:start], value if _is_in_path(text, start, after) else name]
        end = after
    return "".join([*parts, text[end:]])


def _is_in_path(text: str, start: int, end: int) -> bool:
    """Whether a part of a text lies in a longer name of a file."""
    part = text[start:end]
    while start and text[start - 1] not in _AROUND_PATHS:
        start -= 1
    while end < len(text) and text[end] not in _AROUND_PATHS:
        end += 1
    name = text[start:end].rstrip(".:")
    return name != part and bool(re.search(r"/|\.\w", name)) and "@" not in name and "://" not in name


_OF_SQLMESH = ("gateways", "default_gateway", "model_defaults")


def _refuse_kind(config: object) -> None:
    """Raises ConfigurationError for what is no configuration, such as a table."""
    if not isinstance(config, (str, os.PathLike)):
        raise ConfigurationError(
            f"the configuration is of type {type(config).__name__}; expected the path of its file, or a mapping of its "
            "keys\na table goes by kanon_sql.anonymize(table, quasi_identifiers, k), or with a configuration as data=, "
            "such as kanon_sql.run(config, data=table)"
        )


def load_config(path: str | os.PathLike[str], overrides: Overrides = ()) -> LoadedConfig:
    """The configuration in a YAML file, with `--set` overrides as pairs of a key and a YAML text.

    Raises ConfigurationError with every problem of the file and the overrides, FILE:LINE first.
    """
    _refuse_kind(path)
    name = os.fspath(path)
    try:
        draft = draft_of_text(name, decode(read_text_of(name)), os.environ)
    except YamlError as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise ConfigurationError(escape(f"{place}: {error.text}")) from None
    if any(key in draft.value for key in _OF_SQLMESH):
        raise ConfigurationError(
            escape(
                f"{name}: this is the configuration of a SQLMesh project, not of kanon-sql; expected one "
                "beside it, such as kanon.yaml: name that"
            )
        )
    return validated(draft, Path(name).parent, overrides)


def config_from_text(text: str, base: Path, overrides: Overrides = (), *, name: str) -> LoadedConfig:
    """The configuration in a YAML text, which messages call `name`; paths refer to `base`.

    Raises ConfigurationError with every problem.
    """
    try:
        draft = draft_of_text(name, text, os.environ)
    except YamlError as error:
        raise ConfigurationError(escape(f"{name}: {error.text}")) from None
    return validated(draft, base, overrides)


def from_mapping(
    mapping: Mapping[str, Any],
    base: Path | None = None,
    overrides: Overrides = (),
    *,
    name: str = "<configuration>",
    flags: Mapping[KeyPath, str] | None = None,
) -> LoadedConfig:
    """The configuration in a mapping of typed values or texts; paths refer to `base`, or the working folder.

    `${NAME}` is read in overrides only: in a mapping it stands for itself. Problems with a key that an option stands
    for, as `flags` says, name that option. Raises ConfigurationError with
    every problem.
    """
    if not isinstance(mapping, Mapping):
        kind = type(mapping).__name__
        raise ConfigurationError(f"{name}: expected a mapping, got {kind}; for a file use load_config")
    draft = draft_of_mapping(name, mapping)
    draft.flags = dict(flags or {})
    draft.places |= draft.flags
    return validated(draft, base or Path(), overrides)


def read_text_of(name: str) -> bytes:
    """The bytes of a configuration file. Raises ConfigurationError."""
    try:
        if is_data(Path(name)):
            raise ConfigurationError(
                escape(
                    f"{name}: this is data, expected a configuration in YAML; name one whose source it is, or give its "
                    f"columns as options: kanon-sql run {name} --qi COLUMN --k 5 --output FILE"
                )
            )
        return Path(name).read_bytes()
    except FileNotFoundError:
        problem = "no such file, expected a configuration in YAML; correct the path"
    except IsADirectoryError:
        problem = "a folder, expected a configuration in YAML; name the file in it"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have this name"
        problem = f"cannot be read ({reason}), expected a configuration in YAML; correct that"
    raise ConfigurationError(escape(f"{name}: {problem}"))


def validated(draft: Draft, base: Path, overrides: Overrides = ()) -> LoadedConfig:
    """The configuration that a draft comes to. Raises ConfigurationError with every problem."""
    if "tables" in draft.value:
        raise ConfigurationError(
            escape(
                f"{draft.place(('tables',))}: tables describe a whole database of persons, which run, check, "
                "risk, utility and attack take; for this command expected a configuration of one table"
            )
        )
    draft.expand()
    for key, value in overrides:
        draft.override(key, value, os.environ)
    expand_strata(draft)
    _read_keys(draft, os.environ)
    config = None
    try:
        config = Config.model_validate(draft.value)
    except ValidationError as error:
        _note_wrong_values(draft, error)
    _note_broken_rules(draft)
    if config is None and not draft.problems:
        draft.problem((), "the configuration contradicts itself", spoils=False)
    if draft.problems or config is None:
        # Nothing of pydantic's own error may show: it could hold what the environment keeps secret.
        raise ConfigurationError(problem_lines(draft)) from None
    return LoadedConfig(config, base, draft.name, draft)


def _read_keys(draft: Draft, environment: Mapping[str, str]) -> None:
    """Sees to it that secret keys come from the environment, as ${NAME} alone; in a mapping they are read there now."""
    transform = draft.value.get("transform")
    for name, entry in transform.items() if isinstance(transform, dict) else ():
        for treatment in KEYED:
            part = entry.get(treatment) if isinstance(entry, dict) else None
            if not isinstance(part, dict) or part.get("key") is None:
                continue
            path = ("transform", name, treatment, "key")
            if among(draft.spoilt(), path):
                texts = [problem.text.partition(", or write $")[0] for problem in draft.problems]
                messages = [f"{text}; kanon-sql key new makes a key" for text in texts]
                draft.problems = [
                    problem._replace(text=text) if problem.path == path and "no variable" in text else problem
                    for problem, text in zip(draft.problems, messages, strict=True)
                ]
                continue
            variable = variable_of(draft.source(path) or part["key"])
            if variable is None:
                text = "a key is never written here; expected ${NAME}, a variable of the environment that holds it"
                draft.problem(path, text)
            elif path not in draft.sources and variable not in environment:
                draft.problem(
                    path, f"the environment has no variable {variable}; set it: kanon-sql key new makes a key"
                )
            elif path not in draft.sources:
                part["key"] = draft.variables[variable] = environment[variable]
                draft.sources[path] = f"${{{variable}}}"


def _note_wrong_values(draft: Draft, error: ValidationError) -> None:
    errors = [(words.key_path(fault, draft.value), fault) for fault in error.errors(include_url=False)]
    unknown = {path for path, fault in errors if fault["type"] == "extra_forbidden"}
    suggest = len(unknown) <= words.MOST_SUGGESTED
    meant = {(*path[:-1], words.suggestion(path)) for path in unknown} if suggest else set()
    spoilt = draft.spoilt()
    for path, fault in errors:
        # "rule" is what _note_broken_rules says with the place of the key at fault.
        if fault["type"] == "rule" or among(spoilt, path):
            continue
        if fault["type"] == "missing" and path in meant:
            continue
        if fault["type"] == "too_short" and any(p.path[: len(path)] == path for p in draft.problems):
            continue
        text = words.in_words(fault, path, _value_at(draft.value, path), draft.source(path), suggest=suggest)
        if fault["type"] == "missing" and path in draft.flags:
            text = words.missing_option(path)
        draft.problem(path, text, spoils=fault["type"] != "missing")
        if fault["type"] != "missing":
            spoilt.add(path)


def _note_broken_rules(draft: Draft) -> None:
    """Checks the raw values, so that nothing goes unsaid because something else is wrong as well."""
    config = draft.value

    def shown(path: KeyPath, name: str) -> str:
        return repr(draft.source(path) or name)

    faults: list[tuple[KeyPath, str]] = []
    for key in config:
        part = words.part_at((key,))
        if part is not None and isinstance(config[key], dict) and not _lacks_by_misspelling(draft, key):
            faults += [((key, *below), text) for below, text in part.faults(config[key])]
    for key, kind in (("quasi_identifiers", QuasiIdentifier), ("transform", TreatmentConfig)):
        entries = config.get(key)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            if isinstance(entry, dict):
                faults += [((key, name, *below), text) for below, text in kind.faults(entry)]
    faults += registry.faults(config, shown)
    faults += closed_faults(config, shown)
    faults += threshold_faults(config)
    faults += rules.roles(config, shown)
    faults += treated_columns(config)
    faults += rules.ends_of_intervals(config)
    faults += rules.blind_and_masked(config)
    faults += rules.strata(config)
    faults += rules.places(config)
    spoilt = draft.spoilt()
    for path, text in faults:
        if not among(spoilt, path):
            draft.problem(path, text, spoils=False)


def _lacks_by_misspelling(draft: Draft, key: str) -> bool:
    """Whether a part has an unknown key that resembles a known one: what it lacks is probably that."""
    part = words.part_at((key,))
    fields = part.model_fields if part else {}
    unknown = [below for below in draft.value[key] if below not in fields]
    return any(words.suggestion((key, below)) for below in unknown[: words.MOST_SUGGESTED])


def _value_at(value: Any, path: KeyPath) -> Any:
    for step in path:
        if isinstance(value, dict) and step not in value:
            return None
        value = value[step]
    return value


def problem_lines(draft: Draft) -> list[str]:
    """The problems of a draft as lines, in the order of the file."""
    lines: dict[str, None] = {}
    for problem in sorted(draft.problems, key=lambda problem: _order(draft, problem.place)):
        key = key_text(draft.written(problem.path))
        named = problem.place == f"--set {key}" or problem.place in draft.flags.values()
        label = f"{key}: " if key and not named else ""
        lines.setdefault(escape(f"{problem.place}: {label}{problem.text}"))
    return bounded(list(lines), escape(draft.name))


def _order(draft: Draft, place: str) -> tuple[int, int]:
    """By line; overrides come last."""
    line = place.removeprefix(f"{draft.name}:")
    if place != draft.name and not line.isdecimal():
        return (1, 0)
    return (0, int(line) if line.isdecimal() else 0)
