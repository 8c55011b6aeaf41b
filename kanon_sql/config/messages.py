"""What pydantic finds wrong, in plain words: what was expected, what stands there, what to do."""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic_core import ErrorDetails

from kanon_sql.config.draft import key_text
from kanon_sql.config.model import Config
from kanon_sql.settings.part import Part
from kanon_sql.settings.yaml import KeyPath

# Of more unknown words none is a slip of the pen, and looking for what each resembles takes its time.
MOST_SUGGESTED = 20

# Texts that are longer are not repeated: they would bury the message.
_LONGEST_SHOWN = 40

_EXPECTED = {
    "int": "a whole number",
    "float": "a number",
    "finite_number": "a finite number",
    "decimal": "a number",
    "bool": "true or false",
    "string": "a text",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
    "mapping": "a mapping",
}


def key_path(error: ErrorDetails, value: Any) -> KeyPath:
    """The keys that lead to what the error is about; pydantic's own steps between them are left out."""
    path: KeyPath = ()
    for step in error["loc"]:
        in_list = isinstance(value, list) and step in range(len(value))
        if in_list or (isinstance(value, dict) and step in value):
            path = (*path, step)
            value = value[step]
    return (*path, error["loc"][-1]) if error["type"] == "missing" else path


def in_words(error: ErrorDetails, path: KeyPath, value: Any, source: str | None, *, suggest: bool = True) -> str:
    """What is wrong at `path`; `source` is what the file says, where `value` came from the environment.

    With `suggest` an unknown key gets the known one that it resembles.
    """
    kind, context = error["type"], error.get("ctx", {})
    if kind == "missing":
        return _missing(path)
    if kind == "extra_forbidden":
        return _unknown(path, suggest=suggest)
    if kind == "literal_error":
        meant = near(value, re.findall(r"'([^']*)'", context["expected"])) if source is None else None
        question = f"; did you mean {meant!r}?" if meant else "; write one of these"
        return f"expected {context['expected']}, got {describe(value, source)}{question}"
    if kind == "value_error":
        return f"{context['error']}, got {describe(value, source)}; correct it"
    expected = _bound(kind, context) or _type(kind)
    if expected is None:
        expected = re.sub(r"^Input should (be )?", "", error["msg"])
    return f"expected {expected}, got {describe(value, source)}{_advice(kind, value)}"


def describe(value: Any, source: str | None = None) -> str:
    """A value in words: its kind, and itself if it is short and did not come from the environment."""
    if source is not None:
        return f"text from {source!r}"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_SHOWN:
        return "a long number"
    if isinstance(value, (int, float)):
        return f"number {value}"
    if isinstance(value, str):
        if not value:
            return "an empty text"
        return f"text {value!r}" if len(value) <= _LONGEST_SHOWN else f"text of {len(value)} characters"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    return f"a value of type {type(value).__name__}"


def suggestion(path: KeyPath) -> str | None:
    """The known key that an unknown one probably stands for, as a path."""
    part = part_at(path[:-1])
    meant = near(path[-1], part.model_fields) if part else None
    if meant:
        return meant
    elsewhere = [key for key in _all_keys() if key.rpartition(".")[2] == path[-1]]
    return elsewhere[0] if elsewhere else None


def part_at(path: KeyPath, root: type[Part] = Config) -> type[Part] | None:
    """The model of the mapping at `path` of what `root` describes, None if there is none."""
    here: Any = root
    for step in path:
        if get_origin(here) is list and not isinstance(step, int):  # one entry that was written without its list
            here = _bare(get_args(here)[-1])
        if _is_part(here):
            field = here.model_fields.get(str(step))
            here = _bare(field.annotation) if field else None
        elif get_origin(here) in (list, dict):
            here = _bare(get_args(here)[-1])
        else:
            return None
    if get_origin(here) is list:
        here = _bare(get_args(here)[-1])
    return here if _is_part(here) else None


def _missing(path: KeyPath) -> str:
    part = part_at(path[:-1])
    field = part.model_fields.get(str(path[-1])) if part else None
    wanted = f", expected {field.description}" if field and field.description else ""
    return f"{path[-1]} is missing{wanted}; add it"


def missing_option(path: KeyPath) -> str:
    """What is wrong where the option of a command line that stands for a key is not given; k stands for all models."""
    part = part_at(("privacy",) if path == ("privacy",) else path[:-1])
    field = part.model_fields["k" if path == ("privacy",) else str(path[-1])] if part else None
    return f"the option is missing, expected {field.description if field else 'a value'}; add it"


def _unknown(path: KeyPath, *, suggest: bool) -> str:
    meant = suggestion(path) if suggest else None
    if meant and meant == path[-1] and len(path) > 1:
        return f"unknown key {meant!r} here, it stands at the top level; move it out of {path[0]}"
    if meant:
        return f"unknown key {path[-1]!r}, did you mean {meant}?"
    part = part_at(path[:-1])
    expected = f", expected one of {', '.join(part.model_fields)}" if part else ""
    return f"unknown key {path[-1]!r}{expected}; correct or remove it"


def _bound(kind: str, context: dict[str, Any]) -> str | None:
    if kind in ("greater_than_equal", "greater_than"):
        return f"{context['ge']:g} or more" if "ge" in context else f"a number above {context['gt']:g}"
    if kind == "string_unicode":
        return "a text of Unicode characters only"
    if kind == "string_too_short":
        return "a text that is not empty"
    if kind == "string_too_long":
        return f"a text of {context['max_length']} characters at most"
    if kind == "too_short":
        return f"{context['min_length']} entry or more"
    if kind in ("decimal_max_digits", "decimal_whole_digits", "decimal_max_places"):
        return f"a number of {context.get('max_digits', 38)} digits at most"
    return None


def _type(kind: str) -> str | None:
    """The expected type: pydantic's kinds of error begin with it, as int_parsing and list_type do."""
    names = [name for name in _EXPECTED if kind == name or kind.startswith(name + "_")]
    return _EXPECTED[names[0]] if names else None


def _advice(kind: str, value: Any) -> str:
    if value is None:
        return "; give a value or remove it"
    if kind == "list_type":
        return "; write it in brackets, [...]"
    return "; correct it"


def near(word: Any, choices: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that `word` resembles most, by at least `cutoff` of 0..1, whatever the case; None without one."""
    if not isinstance(word, str):
        return None
    spelled = {_plain(name): name for name in choices}
    matches = difflib.get_close_matches(_plain(word), spelled, n=1, cutoff=cutoff)
    return spelled[matches[0]] if matches else None


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")


@cache
def _all_keys() -> tuple[str, ...]:
    return tuple(_keys(Config, ()))


def _keys(part: type[Part], path: KeyPath) -> Iterator[str]:
    for name, field in part.model_fields.items():
        yield key_text((*path, name))
        below = _bare(field.annotation)
        if _is_part(below):
            yield from _keys(below, (*path, name))


def _bare(annotation: Any) -> Any:
    """The type without Annotated and None; of several possible types the one that is a mapping or a list."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _bare(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        possible = [_bare(option) for option in get_args(annotation) if option is not type(None)]
        return next((option for option in possible if get_origin(option) or _is_part(option)), None)
    return annotation


def _is_part(annotation: Any) -> TypeGuard[type[Part]]:
    # In Python 3.10 list[str] passes for a type.
    return get_origin(annotation) is None and isinstance(annotation, type) and issubclass(annotation, Part)
