"""A configuration before it is validated: short forms written out, overrides put in, places kept.

The places matter most: whatever happens to the value of a key, a problem with it still names the line of
the file, or the `--set`, that the value came from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kanon_sql.config.arguments import LIST_OPTIONS, read_hierarchy
from kanon_sql.config.model import Config
from kanon_sql.settings.part import Each, ShortFor, short_forms
from kanon_sql.settings.yaml import KeyPath, YamlError, read_text, read_yaml

_PLAIN_SEGMENT = re.compile(r"[\w-]+")
_QUOTED_SEGMENT = re.compile(r'"((?:[^"]|"")*)"|\'((?:[^\']|\'\')*)\'')


class Problem(NamedTuple):
    """A problem found so far; one that spoils its value goes away when an override replaces the value."""

    path: KeyPath
    place: str
    text: str
    spoils: bool


def among(paths: set[KeyPath], path: KeyPath) -> bool:
    """Whether the value at `path` is one of those at the paths, or within one."""
    return any(path[:length] in paths for length in range(len(path) + 1))


@dataclass
class Draft:
    """The raw configuration of the file, mapping or command line called `name`."""

    name: str
    value: dict[str, Any]
    places: dict[KeyPath, str] = field(default_factory=dict)
    sources: dict[KeyPath, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    # Options of a command line that keys come from: their places, which need no key besides.
    flags: dict[KeyPath, str] = field(default_factory=dict)
    # Quasi-identifiers whose names came from the environment, and where the list has them.
    hidden: dict[str | int, KeyPath] = field(default_factory=dict)

    def place(self, path: KeyPath) -> str:
        """Where a key stands, FILE:LINE or --set KEY, or the nearest key around it that is known."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return self.name

    def source(self, path: KeyPath) -> str | None:
        """What the file says where the value, or the column's name, came from the environment."""
        return self.sources.get(self.written(path))

    def written(self, path: KeyPath) -> KeyPath:
        """`path` without names that came from the environment."""
        if path[:1] == ("quasi_identifiers",) and len(path) > 1 and path[1] in self.hidden:
            return (*self.hidden[path[1]], *path[2:])
        return path

    def problem(self, path: KeyPath, text: str, *, spoils: bool = True) -> None:
        """Notes a problem with the value at `path`."""
        self.problems.append(Problem(path, self.place(path), text, spoils))

    def spoilt(self) -> set[KeyPath]:
        """The values that have a problem so far which makes others with them, or within them, meaningless."""
        return {problem.path for problem in self.problems if problem.spoils}

    def expand(self) -> None:
        """Writes out the short forms: a text for a mapping, a list for a mapping of empty entries."""
        entries = self.value.get("quasi_identifiers")
        if isinstance(entries, list):
            self._expand_names(entries)
        elif isinstance(entries, dict):
            self.value["quasi_identifiers"].update({name: {} for name, entry in entries.items() if entry is None})
            self._expand_hierarchies(entries)
        # Of the keys that are there alone: to walk all classes took as long as to validate.
        for short in short_forms(Config, among=self.value):
            for parent, path in _places(self.value, short.steps):
                self._expand_text(parent, path, short.form)

    def _expand_hierarchies(self, entries: dict[str, Any]) -> None:
        """Texts such as intervals:5,10, as a command line takes them; a file of such a name is written ./suppress."""
        for name, entry in entries.items():
            if not isinstance(entry, str):
                continue
            kind, colon, _ = entry.partition(":")
            if entry == "suppress" or (colon and kind in LIST_OPTIONS):
                problems: list[str] = []
                spec = read_hierarchy(entry, "", problems)
                path: KeyPath = ("quasi_identifiers", name)
                for problem in problems:
                    self.problem(path, problem.removeprefix(": "))
                if not problems:
                    entries[name] = spec

    def _expand_text(self, parent: Any, path: KeyPath, form: ShortFor) -> None:
        text = parent[path[-1]]
        if not isinstance(text, str):
            return
        parent[path[-1]] = form.expand(text)
        below = (*path, form.key)
        if form.key in parent[path[-1]]:
            if path in self.sources:
                self.sources[below] = self.sources[path]
            # What is wrong with the text is right again when the key that it stands for is overridden.
            self.problems = [p._replace(path=below) if p.path == path else p for p in self.problems]

    def _expand_names(self, names: list[Any]) -> None:
        entries: dict[str, Any] = {}
        for index, name in enumerate(names):
            here: KeyPath = ("quasi_identifiers", index)
            if not isinstance(name, str):
                self.problem(here, "expected the name of a column; with options, write a mapping of columns")
            elif name in entries:
                shown = self.sources.get(here, name)
                self.problem(here, f"column {shown!r} is listed twice; remove one", spoils=False)
            else:
                entries[name] = {}
                self.places[("quasi_identifiers", name)] = self.place(here)
                if here in self.sources:
                    self.hidden[name] = here
        self.value["quasi_identifiers"] = entries

    def override(self, key: str, value: Any, environment: Mapping[str, str]) -> None:
        """Puts in one `--set key=value`, the value a text as on the command line, or already typed."""
        place = f"--set {key}"
        try:
            path = parse_key(key)
            draft = _read_value(value, place, environment)
        except (ValueError, YamlError) as error:
            self.problems.append(Problem((), place, str(error), spoils=False))
            return
        container, path = self._container(path, place)
        if container is None:
            return
        self._forget(path)
        if draft.value["value"] is None and not (path[0] == "quasi_identifiers" and len(path) == 2):
            # Nothing stands for the default; for a quasi-identifier it is an entry without options.
            if isinstance(container, dict):
                container.pop(path[-1], None)
        elif isinstance(container, dict):
            container[path[-1]] = draft.value["value"]
        else:
            container[int(path[-1])] = draft.value["value"]
        self.places[path] = place
        self.variables |= draft.variables
        self.sources |= {(*path, *below[1:]): text for below, text in draft.sources.items()}
        for problem in draft.problems:
            self.problems.append(problem._replace(path=(*path, *problem.path[1:])))
        self.expand()

    def _container(self, path: KeyPath, place: str) -> tuple[dict[Any, Any] | list[Any] | None, KeyPath]:
        """What the last step of an override goes into, and the path with numbers where lists are entered.

        Mappings that are not there yet are made; without a container a problem was noted.
        """
        here: Any = self.value
        real: KeyPath = ()
        for length, step in enumerate(path, 1):
            container = here
            if isinstance(here, list) and str(step).isdecimal() and int(step) < len(here):
                real = (*real, int(step))
            elif isinstance(here, dict):
                real = (*real, step)
            else:
                around = key_text(real)
                text = f"{around} has no such key below it; set {around} itself"
                self.problems.append(Problem((), place, text, spoils=False))
                return None, real
            if length < len(path):
                if isinstance(here, dict) and here.get(step) is None:
                    here[step] = {}
                    self.places[real] = place
                here = here[real[-1]]
        return container, real

    def _forget(self, path: KeyPath) -> None:
        for recorded in (self.places, self.sources):
            for below in [below for below in recorded if _under(below, path)]:
                del recorded[below]
        if path == ("quasi_identifiers",):
            self.hidden.clear()
        self.problems = [p for p in self.problems if not (p.spoils and _under(p.path, path))]


def _places(value: Any, steps: tuple[str | Each, ...], path: KeyPath = ()) -> Iterator[tuple[Any, KeyPath]]:
    """What holds the values to which the steps lead, with their paths."""
    step, *rest = steps
    if step is Each.IN_LIST and isinstance(value, dict):  # one entry that stands for a list
        yield from _places(value, tuple(rest), path)
        return
    entries: list[Any] = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        entries = list(range(len(value)))
    for key in entries if isinstance(step, Each) else [step] if step in entries else []:
        if rest:
            yield from _places(value[key], tuple(rest), (*path, key))
        else:
            yield value, (*path, key)


def _under(path: KeyPath, ancestor: KeyPath) -> bool:
    return path[: len(ancestor)] == ancestor


def draft_of_text(name: str, text: str, environment: Mapping[str, str]) -> Draft:
    """The draft of a YAML text. Raises YamlError where it is not YAML, or not a mapping."""
    document = read_yaml(text, environment)
    if document.value is None:
        raise YamlError("the configuration is empty, expected a mapping; add source and privacy", 1)
    if not isinstance(document.value, dict):
        text = "expected a mapping of keys such as source: and privacy:, got a text or a list; write keys"
        raise YamlError(text, document.lines[()])
    draft = Draft(name, document.value, sources=document.sources, variables=document.variables)
    draft.places = {path: f"{name}:{line}" for path, line in document.lines.items()}
    for fault in document.faults:
        draft.problems.append(Problem(fault.path, f"{name}:{fault.line}", fault.text, fault.spoils))
    return draft


def draft_of_mapping(name: str, mapping: Mapping[Any, Any]) -> Draft:
    """The draft of a mapping made in Python: copied, paths as texts, keys that are no text a problem."""
    draft = Draft(name, {})
    draft.value = _copy(mapping, (), draft)
    return draft


def _copy(value: Any, path: KeyPath, draft: Draft) -> Any:
    if isinstance(value, Mapping):
        for kind in {type(key).__name__ for key in value if not isinstance(key, str)}:
            draft.problem(path, f"expected texts as keys, got {kind}; write them as texts", spoils=False)
        texts = [(key, entry) for key, entry in value.items() if isinstance(key, str)]
        return {key: _copy(entry, (*path, key), draft) for key, entry in texts}
    if isinstance(value, (list, tuple)):
        return [_copy(entry, (*path, index), draft) for index, entry in enumerate(value)]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def parse_key(key: str) -> KeyPath:
    """The path that `a.b."c.d"` names: quotes hold names with dots, doubled for themselves.

    Raises ValueError where a part is empty or a quote is not closed.
    """
    path: list[str] = []
    position = 0
    while True:
        quoted = _QUOTED_SEGMENT.match(key, position)
        if quoted:
            double, single = quoted.groups()
            part = double.replace('""', '"') if double is not None else single.replace("''", "'")
            position = quoted.end()
        else:
            end = key.find(".", position)
            part = key[position:] if end < 0 else key[position:end]
            position += len(part)
            if not part or part[0] in "\"'":
                raise ValueError('expected a key such as privacy.k or quasi_identifiers."a.b".weight')
        path.append(part)
        if position == len(key):
            return tuple(path)
        if key[position] != ".":
            raise ValueError("expected a dot or nothing after the closing quote")
        position += 1


def key_text(path: KeyPath) -> str:
    """A path as `--set` takes it."""
    parts = []
    for step in path:
        text = str(step)
        parts.append(text if _PLAIN_SEGMENT.fullmatch(text) else '"' + text.replace('"', '""') + '"')
    return ".".join(parts)


def _read_value(value: Any, place: str, environment: Mapping[str, str]) -> Draft:
    """An override's value, under the key "value". Raises YamlError where its YAML is wrong."""
    if not isinstance(value, str):
        draft = draft_of_mapping(place, {"value": value})
        draft.problems = [problem._replace(place=place) for problem in draft.problems]
        return draft
    # Only quoted texts, lists and mappings are read as they would be in a file. All else stands for itself:
    # on a command line ; | * # and % are delimiters and globs, not YAML.
    style = value.lstrip()[:1]
    if len(value) > 1 and style and style in "\"'[{":
        document = read_yaml(value, environment)
    elif value in ("", "~", "null"):
        return Draft(place, {"value": None})
    else:
        document = read_text(value, environment)
    draft = Draft(place, {"value": document.value}, variables=document.variables)
    draft.sources = {("value", *path): text for path, text in document.sources.items()}
    draft.problems = [Problem(("value", *f.path), place, f.text, f.spoils) for f in document.faults]
    return draft
