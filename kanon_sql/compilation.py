"""The release as one self-contained SELECT, for people and tools that run SQL themselves."""

from __future__ import annotations

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.deadline import Deadline
from kanon_sql.engine import template
from kanon_sql.engine.connection import Engine
from kanon_sql.engine.template import Item, column
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.preparation import Prepared
from kanon_sql.progress import Progress
from kanon_sql.release.sink import refuse_names
from kanon_sql.search.checker import NodeChecker
from kanon_sql.search.dispatch import search
from kanon_sql.search.measures import NodeMeasures

DIALECTS = ("duckdb",)
_STAR = exp.Literal.string("*")


def compile_release(
    engine: Engine,
    loaded: LoadedConfig,
    prepared: Prepared,
    progress: Progress,
    time_limit: float | None,
    dialect: str,
) -> str:
    """The statement with a header that says what it does.

    Raises NoReleaseError when no node satisfies, ConfigurationError for a dialect that is not there.
    """
    if dialect not in DIALECTS:
        raise ConfigurationError(f"--dialect: {dialect!r} is not known; expected {', '.join(DIALECTS)}")
    refuse_names(prepared.roles.released, loaded.place())
    config = loaded.config
    limit = config.suppression.rows(prepared.frequency.n)
    checker = NodeChecker(engine, prepared.frequency, config.privacy.k, limit, progress)
    with progress.step("searching the lattice"):
        winner = search(config, prepared.lattice, checker, Deadline(time_limit)).winner
    if winner is None:
        raise NoReleaseError("no node satisfies; there is no release to compile")
    statement = _statement(engine, loaded, prepared, winner)
    return _header(loaded, prepared, winner) + statement.sql(dialect=dialect, pretty=True, comments=False) + ";\n"


def _header(loaded: LoadedConfig, prepared: Prepared, winner: NodeMeasures) -> str:
    config = loaded.config
    levels = ", ".join(f"{_one_line(name)} {level}" for name, level in zip(prepared.names, winner.levels, strict=True))
    return "".join(
        f"-- {line}\n"
        for line in (
            f"A {config.privacy.k}-anonymous release of {_one_line(prepared.source.label)}, found by kanon-sql.",
            f"Levels: {levels}.",
            f"{winner.suppressed} of {prepared.frequency.n} rows lie in classes of fewer than {config.privacy.k} rows"
            f" and are {'masked' if _masks(loaded, winner) else 'left out'}.",
            "It holds for the rows that were searched: after the source changes, search again.",
            "The mapping tables hold values of the source: this text is as confidential as the source.",
        )
    )


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _masks(loaded: LoadedConfig, winner: NodeMeasures) -> bool:
    return loaded.config.release.suppressed == "mask" and winner.suppressed >= loaded.config.privacy.k


def _statement(engine: Engine, loaded: LoadedConfig, prepared: Prepared, winner: NodeMeasures) -> exp.Expr:
    masks = _masks(loaded, winner)
    k = loaded.config.privacy.k
    levels = {
        item.key: (mapping, level)
        for item, mapping, level in zip(
            prepared.roles.quasi_identifiers, prepared.frequency.mappings, winner.levels, strict=True
        )
    }
    joined: list[Item] = []
    outputs: list[Item] = []
    classes: list[Item] = []
    size = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[])
    for item in prepared.roles.released:
        value: exp.Expr = column(item.key, "source")
        if item.key in levels:
            mapping, level = levels[item.key]
            name = f"mapping_{mapping.index}"
            if level or item.is_text or not mapping.height:
                joined.append({"mapping": _values(engine, mapping, level, name), "key": item.key, "name": name})
                value = column("released", name)
            classes.append({"value": value.copy()})
        outputs.append({"value": value, "name": item.name})
    size.set("partition_by", [entry["value"] for entry in classes])
    if masks:
        outputs = [
            _mask(entry, item.key in levels, size, k)
            for entry, item in zip(outputs, prepared.roles.released, strict=True)
        ]
    order: list[Item] = [{"key": exp.Anonymous(this="random")}] if loaded.config.release.order == "random" else []
    return _assemble(prepared, outputs, joined, classes, order, 0 if masks else k)


def _assemble(
    prepared: Prepared,
    outputs: list[Item],
    joined: list[Item],
    classes: list[Item],
    order: list[Item],
    smallest: int,
) -> exp.Expr:
    """The query file with the mapping tables, which are VALUES lists, put in its joins."""
    tree = template.fill(
        "compiled_release",
        names={"source": prepared.rows, "smallest_size": smallest, "class_size": template.state("class_size")},
        lists={
            "out": outputs,
            "class": classes,
            "sort": order,
            "qi": [{"mapping": str(entry["name"]), "key": entry["key"]} for entry in joined],
        },
    )
    for entry in joined:
        table = next(found for found in tree.find_all(exp.Table) if found.name == entry["name"])
        mapping = entry["mapping"]
        assert isinstance(mapping, exp.Expr)
        table.replace(mapping)
    return tree


def _values(engine: Engine, mapping: Mapping, level: int, name: str) -> exp.Expr:
    pairs = engine.query("mapping_pairs", names={"mapping": mapping.table, "label_here": f"label_{level}"})
    tuples = [
        exp.Tuple(expressions=[_typed(value, mapping.column_type), _typed(label, "VARCHAR")]) for value, label in pairs
    ]
    alias = exp.TableAlias(this=template.quoted(name), columns=[template.quoted("value"), template.quoted("released")])
    return exp.Values(expressions=tuples, alias=alias)


def _typed(value: str | None, column_type: str) -> exp.Expr:
    found: exp.Expr = exp.null() if value is None else exp.Literal.string(value)
    return found if column_type == "VARCHAR" and value is not None else exp.cast(found, column_type, dialect="duckdb")


def _mask(entry: Item, is_quasi_identifier: bool, size: exp.Window, k: int) -> Item:
    if not is_quasi_identifier:
        return entry
    value = entry["value"]
    assert isinstance(value, exp.Expr)
    small = exp.LT(this=size.copy(), expression=exp.Literal.number(k))
    masked = exp.Case(ifs=[exp.If(this=small, true=_STAR.copy())], default=exp.cast(value.copy(), "VARCHAR"))
    return {**entry, "value": masked}
