"""The configuration that a command line without a configuration file stands for, also as YAML."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from kanon_sql.config.model import Config
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import by_order
from kanon_sql.settings.arguments import ARGUMENTS
from kanon_sql.settings.source import SourceConfig

LIST_OPTIONS = {"prefix": "keep", "intervals": "widths", "date": "levels", "merge-rare": "below"}
_EXAMPLES = {
    "prefix": "prefix:4,3,2",
    "intervals": "intervals:5,10,20",
    "date": "date:month,year",
    "merge-rare": "merge-rare:10,100",
}


class CommandLine(dict[str, Any]):
    """The mapping of a configuration that came from the options of a command line."""


def config_from_arguments(data: str, *, qi: Sequence[str], **options: Any) -> dict[str, Any]:
    """The mapping of a configuration, for `from_mapping` and `to_yaml`; what is not given is left out.

    `options` go by the names of kanon_sql.settings.arguments. Every `qi` is a column, or COLUMN=HOW, where HOW is
    `suppress`, `prefix:4,3,2`, `intervals:5,10,20`, `date:month,year`, `merge-rare:10,100`, or else a hierarchy file
    or the name of a ready hierarchy; a file that is called like one of these is written ./suppress. A `=` in the name
    of a column is written `==`. A column alone is suppressed as a whole; mondrian and local take it by its order.

    Raises ConfigurationError with every entry that has another form, or names a column twice.
    """
    sensitive, limit = options.get("sensitive", ()), options.get("limit")
    plain = {} if by_order(options.get("algorithm")) else {"builtin": "suppress"}
    values: dict[str, Any] = {
        **options,
        "qi": _quasi_identifiers(qi, plain),
        "l_diversity": of_each(sensitive, "l", options.get("l_diversity"), "--l"),
        "t_closeness": of_each(sensitive, "t", options.get("t_closeness"), "--t"),
        "limit": _whole(limit) if isinstance(limit, str) else limit,
    }
    config: dict[str, Any] = {"source": {"path": data}}
    for name, argument in ARGUMENTS.items():
        value = values.get(name)
        if value not in (None, (), [], {}):
            part = config
            for key in argument.key[:-1]:
                part = part.setdefault(str(key), {})
            part[str(argument.key[-1])] = list(value) if isinstance(value, tuple) else value
    source = config["source"]
    in_order = {key: source[key] for key in SourceConfig.model_fields if key in source}
    config["source"] = data if len(source) == 1 else in_order
    return {key: config[key] for key in Config.model_fields if key in config}


def to_yaml(mapping: Mapping[str, Any]) -> str:
    """YAML that the strict reader loads back as the same configuration.

    Raises TypeError for values that no configuration holds.
    """
    return yaml.dump(
        _writable(mapping),
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=None,
        width=float("inf"),
    )


def in_line(value: Any) -> str:
    """A value as YAML on one line; of a mapping with braces. Raises TypeError as to_yaml does."""
    dumped = yaml.dump(
        [_writable(value)],
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=True,
        width=float("inf"),
    )
    return dumped.rstrip("\n")[1:-1]


def of_each(columns: Sequence[str], key: str, value: float | None, option: str) -> list[dict[str, Any]] | None:
    """The same model of each sensitive column. Raises ConfigurationError without one."""
    if value is None:
        return None
    if not columns:
        raise ConfigurationError(
            f"{option} {value:g}: expected the column that it is about; "
            f"{'add --sensitive COLUMN' if option.startswith('--') else 'name it in sensitive='}"
        )
    number = int(value) if value == int(value) else Decimal(str(value))
    return [{"column": name, key: number} for name in columns]


def _quasi_identifiers(qi: Sequence[str], plain: dict[str, Any]) -> dict[str, Any]:
    """The entries; one of which nothing is said gets what is `plain` for the algorithm."""
    entries: dict[str, dict[str, Any]] = {}
    problems: list[str] = []
    for text in qi:
        name, how = _split(text)
        if not name:
            problems.append(f"--qi {text}: expected a column, or COLUMN=HIERARCHY; name the column")
        elif name in entries:
            problems.append(f"--qi {text}: column {name!r} is given twice; remove one")
        else:
            entries[name] = dict(plain) if how is None else read_hierarchy(how, f"--qi {text}", problems)
    if problems:
        raise ConfigurationError(problems)
    return entries


def _split(text: str) -> tuple[str, str | None]:
    """The column and what follows the first single `=`, None without one; `==` in the column is a `=`."""
    name: list[str] = []
    position = 0
    while position < len(text):
        if text.startswith("==", position):
            position += 1
        elif text[position] == "=":
            return "".join(name), text[position + 1 :]
        name.append(text[position])
        position += 1
    return "".join(name), None


def read_hierarchy(how: str, place: str, problems: list[str]) -> dict[str, Any]:
    """The entry of a quasi-identifier that a short text such as `intervals:5,10,20` stands for; notes problems."""
    kind, colon, listed = how.partition(":")
    if how == "suppress":
        return {"builtin": "suppress"}
    if not how:
        problems.append(f"{place}: expected a hierarchy after =, got nothing; add it, or remove the =")
    if kind not in LIST_OPTIONS:
        return {"hierarchy": how}
    parts = [part.strip() for part in listed.split(",")]
    values = parts if kind == "date" else [_number(part) for part in parts]
    if not colon or "" in parts or None in values:
        problems.append(f"{place}: expected {kind} with a list, such as {_EXAMPLES[kind]}; correct it")
    return {"builtin": kind, LIST_OPTIONS[kind]: values}


def _number(text: str) -> int | Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    # Only what is written out: an int of 1e999999999 would fill the memory.
    return int(text) if text.isdecimal() and len(text) <= 38 else number


def _whole(text: str) -> str | int:
    """A number where the text is one, so that it prints without quotes."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else text


class _Dumper(yaml.SafeDumper):
    """Writes values out instead of aliases, decimals as plain numbers, and one top-level key a line."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def serialize(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            node.flow_style = False
        super().serialize(node)


def _decimal(dumper: yaml.SafeDumper, value: Decimal) -> yaml.Node:
    # The tag that a reader gives to the plain text: with any other one it would be written out.
    text = str(value)
    tag = dumper.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return dumper.represent_scalar(tag, text)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    # Single quotes would fold line breaks such as U+0085 into blanks; double quotes escape them.
    style = None if value.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(Decimal, _decimal)
# Other readers of YAML, editors first, take 02139 and 1e3 for numbers: as texts they get quotes.
_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$"),
    list("-+.0123456789"),
)


def _writable(value: Any) -> Any:
    """Plain values, in which a `${` that stands for itself is escaped: in a file it reads the environment."""
    if isinstance(value, Mapping):
        return {str(key): _writable(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(entry) for entry in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return str(value).replace("${", "$${")
    if value is None or isinstance(value, (bool, int, float, Decimal)):
        return value
    raise TypeError(f"a configuration holds no {type(value).__name__}")
