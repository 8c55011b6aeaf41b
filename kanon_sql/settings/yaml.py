"""Strict reading of YAML: what is written is what is meant, and every value knows its line.

Plain scalars stay their source text (`NO`, `02139`, `1e3`), so that a column or a text of the data never
turns into something else; the models turn text into numbers where they expect numbers. Duplicate keys,
merge keys and tags are problems. `${NAME}` in a value reads the environment, `$${` stands for `${`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

KeyPath = tuple[str | int, ...]

_REFERENCE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{")
_NOTHING = ("", "~", "null")
# Aliases of aliases can stand for more values than any memory holds.
_MOST_VALUES = 200_000


class YamlError(Exception):
    """The text cannot be read as one YAML document at all; `line` says where, if that is known."""

    def __init__(self, text: str, line: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.line = line


class Fault(NamedTuple):
    """A problem that does not stop the reading.

    `spoils` tells that the value there is not what was meant, so further problems with it say nothing.
    """

    path: KeyPath
    line: int
    text: str
    spoils: bool = True


@dataclass
class Document:
    """A YAML document: its value (mappings, lists, texts and None) and where each part of it stands."""

    value: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    # What the file says where a value holds ${NAME}: shown in place of the value, which may be a secret.
    sources: dict[KeyPath, str] = field(default_factory=dict)
    # The variables that were read: name to value.
    variables: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def decode(raw: bytes) -> str:
    """The text of a file. Raises YamlError, with the line, when it is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise YamlError("the file is not UTF-8 text; save it as UTF-8", line) from None


def read_yaml(text: str, environment: Mapping[str, str]) -> Document:
    """The one document in `text`. Raises YamlError when the text is not valid YAML or nests without end."""
    try:
        root, tags = _compose(text)
        if root is None:
            return Document()
        return _Builder(tags, environment).build(root)
    except RecursionError:
        raise YamlError("lists and mappings are nested too deeply; write them flatter") from None


def read_text(text: str, environment: Mapping[str, str]) -> Document:
    """A text that stands for itself, but for `${NAME}`."""
    mark = yaml.Mark("", 0, 0, 0, None, 0)
    node = yaml.ScalarNode("tag:yaml.org,2002:str", text, mark, mark, style="'")
    return _Builder({}, environment).build(node)


class _Composer(yaml.BaseLoader):
    """Composes nodes whose plain scalars are all texts, and notes the tags that were written out."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tags: dict[int, str] = {}

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        tag = getattr(self.peek_event(), "tag", None)  # type: ignore[no-untyped-call]
        node = super().compose_node(parent, index)
        if tag is not None:
            self.tags[id(node)] = tag.replace("tag:yaml.org,2002:", "!!")
        return node


def _compose(text: str) -> tuple[yaml.Node | None, dict[int, str]]:
    try:
        loader = _Composer(text)
        try:
            root = loader.get_node() if loader.check_node() else None
            if loader.check_node():
                line = loader.line + 1
                raise YamlError("a second document begins, expected one; remove what follows ---", line)
            return root, loader.tags
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError("a character that no YAML text may hold; remove it", line) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        number = mark.line + 1 if mark else None
        raise YamlError(_syntax(error, text, number), number) from None
    except (ValueError, OverflowError):
        # PyYAML leaves escapes such as "\U00110000", which no character has, to chr().
        raise YamlError("not valid YAML: an escape in double quotes stands for no character") from None


def _syntax(error: yaml.MarkedYAMLError, text: str, line: int | None) -> str:
    message = " ".join(part for part in (error.context, error.problem) if part)
    lines = text.splitlines()
    if line is not None and "${" in "".join(lines[max(0, line - 2) : line]):
        return f"not valid YAML: {message}; inside {{...}} and [...] a ${{NAME}} needs quotes"
    return f"not valid YAML: {message}; correct it, or quote the value"


class _Builder:
    """Turns nodes into plain values, noting the line of every key and list entry."""

    def __init__(self, tags: dict[int, str], environment: Mapping[str, str]) -> None:
        self.tags = tags
        self.environment = environment
        self.document = Document()
        self.open: set[int] = set()
        self.values = 0

    def build(self, root: yaml.Node) -> Document:
        self.document.lines[()] = root.start_mark.line + 1
        self.document.value = self.value(root, ())
        return self.document

    def fault(self, path: KeyPath, node: yaml.Node, text: str, *, spoils: bool = True) -> None:
        self.document.faults.append(Fault(path, node.start_mark.line + 1, text, spoils))

    def value(self, node: yaml.Node, path: KeyPath) -> Any:
        self.values += 1
        if self.values > _MOST_VALUES:
            line = node.start_mark.line + 1
            raise YamlError(f"aliases stand for more than {_MOST_VALUES:,} values; write fewer", line)
        if id(node) in self.tags:
            tag = self.tags[id(node)]
            self.fault(path, node, f"the tag {tag} is not read; remove it, and quote what is a text")
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, path)
        if id(node) in self.open:
            self.fault(path, node, "an alias stands for what it is part of; write the value out")
            return None
        self.open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path)
            return self.sequence(node, path)
        finally:
            self.open.remove(id(node))

    def sequence(self, node: yaml.Node, path: KeyPath) -> list[Any]:
        for index, entry in enumerate(node.value):
            self.document.lines[(*path, index)] = entry.start_mark.line + 1
        return [self.value(entry, (*path, index)) for index, entry in enumerate(node.value)]

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.key(key_node, path)
            if key is None:
                continue
            line = key_node.start_mark.line + 1
            below = (*path, key)
            if key in result:
                first = self.document.lines[below]
                text = f"key {key!r} is given twice, first on line {first}; keep one"
                self.fault(below, key_node, text, spoils=False)
                continue
            self.document.lines[below] = line
            result[key] = self.value(value_node, below)
        return result

    def key(self, node: yaml.Node, path: KeyPath) -> str | None:
        """The text of a key, as it is written, or None after a fault."""
        if not isinstance(node, yaml.ScalarNode):
            self.fault(path, node, "expected a text as key, got a list or a mapping; quote the key")
            return None
        if id(node) in self.tags:
            self.fault(path, node, f"the tag {self.tags[id(node)]} is not read; remove it")
        if node.value == "<<" and not node.style:
            self.fault(path, node, "merge keys (<<) are not read; write the keys out")
            return None
        return str(node.value)

    def scalar(self, node: yaml.ScalarNode, path: KeyPath) -> str | None:
        text = str(node.value)
        if not node.style and text in _NOTHING:
            return None
        if "${" not in text:
            return text
        return _REFERENCE.sub(lambda match: self.reference(match, node, path), text)

    def reference(self, match: re.Match[str], node: yaml.ScalarNode, path: KeyPath) -> str:
        if match[0] == "$${":
            return "${"
        name = match[1]
        if name is None:
            self.fault(path, node, "expected ${NAME} with the name of a variable; for the text ${ write $${")
            return ""
        if name not in self.environment:
            text = f"the environment has no variable {name}; set it, or write $${{ for the text ${{"
            self.fault(path, node, text)
            return ""
        self.document.sources[path] = str(node.value)
        self.document.variables[name] = self.environment[name]
        return self.environment[name]
