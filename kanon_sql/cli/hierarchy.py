"""kanon-sql hierarchy"""

from __future__ import annotations

from contextlib import contextmanager
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kanon_sql.cli.output import complain, print_data, print_text
from kanon_sql.errors import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.tree import Tree

    from kanon_sql.commands.hierarchy import ColumnValues
    from kanon_sql.config.model import QuasiIdentifier
    from kanon_sql.hierarchy.hierarchy import Hierarchy
    from kanon_sql.hierarchy.mapping import Branches

_EXAMPLES = 4
_HOW = "suppress, prefix:4,3,2, intervals:5,10,20, date:month,year or merge-rare:10,100"


@click.group()
def hierarchy() -> None:
    """Shows, checks and builds generalization hierarchies."""


def _data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options with which the data of a column are read."""
    path = click.Path(path_type=Path)
    for option in (
        click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error."),
        click.option("--show-values", is_flag=True, help="Let messages show values of the data."),
        click.option("--temp-directory", metavar="DIR", type=path, help="Where the engine spills."),
        click.option("--memory-limit", metavar="SIZE", help="Memory of the engine, such as 4GB."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads of the engine."),
        click.option("--delimiter", metavar="CHARACTER", help="Between two fields of a CSV [default: found out]."),
        click.option("--missing", metavar="TEXT", multiple=True, help="A text that means missing."),
        click.option("--column", metavar="COLUMN", help="The column of DATA that is meant."),
    ):
        command = option(command)
    return command


@hierarchy.command("list")
def list_command() -> None:
    """Lists the ready hierarchies, which a configuration names without a path."""
    from kanon_sql.hierarchy.file import read_hierarchy
    from kanon_sql.hierarchy.ready import ready_files, ready_hierarchies
    from kanon_sql.report.views.parts import table

    rows = []
    for ready in ready_hierarchies():
        path = ready_files()[ready.name]
        tree = read_hierarchy(path) if path.suffix == ".csv" else None
        values, levels = (str(len(tree.leaves)), str(tree.height)) if tree else ("of the data", "")
        rows.append([ready.name, values, levels, ready.what])
    print_text(table(["name", "values", "levels", "what it is"], rows))


@hierarchy.command()
@click.argument("name", metavar="NAME|FILE")
@click.option("--tree", is_flag=True, help="Draw the tree instead.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Branches drawn below a label."
)
@click.option("--show-values", is_flag=True, help="Let messages show values of the file.")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
def show(name: str, tree: bool, limit: int, show_values: bool) -> None:
    """Shows the levels of a hierarchy: how many labels they have, and how many values lie below one.

    \b
    kanon-sql hierarchy show age
    kanon-sql hierarchy show zip.csv --tree
    """
    chosen = _find(name, show_values)
    from kanon_sql.hierarchy.hierarchy import Hierarchy

    if not isinstance(chosen, Hierarchy):
        from kanon_sql.hierarchy.builtin import describe

        print_text(f"{escape(name)}: {describe(chosen)}; levels are made for the values of a column (hierarchy build)")
    elif tree:
        _draw(chosen, limit)
    else:
        print_text(_levels_table(chosen))


@hierarchy.command()
@click.argument("name", metavar="FILE|NAME")
@click.argument("data", metavar="[DATA]", required=False)
@_data_options
def check(name: str, data: str | None, **options: Any) -> None:
    """Checks a hierarchy file; with DATA also that it covers every value of a column.

    \b
    kanon-sql hierarchy check zip.csv
    kanon-sql hierarchy check zip.csv patients.csv --column zip

    Missing values need no row. Exit status 2 when something is wrong.
    """
    from kanon_sql.hierarchy.hierarchy import Hierarchy

    tree = _find(name, options["show_values"])
    verdict = f"{name} is well formed"
    if data is not None:
        with _opened(data, options) as values:
            count = len(values.rows(tree, name))
        verdict = f"{name} covers all {count:,} values of column {values.column!r}"
    elif options["column"]:
        raise click.UsageError("--column goes with DATA")
    if isinstance(tree, Hierarchy):
        for warning in tree.warnings:
            complain("warning", warning)
        verdict += f": {len(tree.leaves)} values, {tree.height} {'level' if tree.height == 1 else 'levels'} above them"
    print_text(escape(verdict))


@hierarchy.command()
@click.argument("data", metavar="[DATA]", required=False)
@click.option("--builtin", metavar="HOW", help=f"{_HOW}.")
@click.option("--hierarchy", "name", metavar="NAME|FILE", help="A ready hierarchy, or a file to take the rows from.")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="The file [default: standard output]."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@_data_options
def build(
    data: str | None, builtin: str | None, name: str | None, output: Path | None, overwrite: bool, **options: Any
) -> None:
    """Writes a hierarchy file for the values of a column of DATA, to be changed by hand.

    \b
    kanon-sql hierarchy build patients.csv --column zip --builtin prefix:4,3,2 -o zip.csv
    kanon-sql hierarchy build patients.csv --column country --hierarchy country -o country.csv
    kanon-sql hierarchy build --hierarchy age -o age.csv

    The file holds every value of the column: it is as confidential as the data.
    """
    from kanon_sql.hierarchy.hierarchy import Hierarchy
    from kanon_sql.targets.outputs import refuse_outputs

    if (builtin is None) == (name is None):
        raise click.UsageError("expected one of --builtin and --hierarchy")
    read = [("the data", None if data is None else Path(data)), ("the hierarchy", None if name is None else Path(name))]
    refuse_outputs([], [("--output", output)], read)
    tree = _find(name, options["show_values"]) if name is not None else _parse_builtin(builtin or "")
    if data is not None:
        with _opened(data, options) as values:
            rows = values.rows(tree, name or f"--builtin {builtin}")
    elif isinstance(tree, Hierarchy):
        from kanon_sql.hierarchy.mapping import file_rows

        rows = file_rows(tree)
    else:
        raise click.UsageError("a built-in is made for the values of a column; name DATA and --column")
    _write(rows, output, overwrite, of_data=data is not None)


def _find(name: str, show_values: bool) -> Hierarchy | QuasiIdentifier:
    """The hierarchy of a file or of a ready name, or the options of a ready built-in."""
    from kanon_sql.hierarchy.file import read_hierarchy
    from kanon_sql.hierarchy.ready import find_hierarchy

    ready = find_hierarchy(name, Path())
    return read_hierarchy(ready, show_values=show_values) if isinstance(ready, Path) else ready


def _parse_builtin(how: str) -> QuasiIdentifier:
    """The built-in that a text such as prefix:4,3,2 stands for. Raises ConfigurationError."""
    from pydantic import ValidationError

    from kanon_sql.config.arguments import config_from_arguments
    from kanon_sql.config.model import QuasiIdentifier
    from kanon_sql.errors import ConfigurationError
    from kanon_sql.hierarchy.builtin import check_options

    place = f"--builtin {how}"
    entry = config_from_arguments("", qi=[f"column={how}"])["quasi_identifiers"]["column"]
    if "hierarchy" in entry:
        raise ConfigurationError(f"{place}: expected {_HOW}")
    try:
        spec = QuasiIdentifier.model_validate(entry)
    except ValidationError as error:
        raise ConfigurationError([f"{place}: {problem['msg']}" for problem in error.errors()]) from None
    check_options(spec, place)
    return spec


@contextmanager
def _opened(data: str, options: dict[str, Any]) -> Iterator[ColumnValues]:
    """The column of DATA."""
    from kanon_sql.commands.hierarchy import open_values
    from kanon_sql.sql.connection import EngineOptions

    bounds = EngineOptions(
        options["threads"], options["memory_limit"], options["temp_directory"], options["show_values"]
    )
    with open_values(data, options["column"], bounds, options["missing"], options["delimiter"]) as values:
        yield values


def _write(rows: Sequence[Sequence[str]], output: Path | None, overwrite: bool, *, of_data: bool) -> None:
    """Writes a hierarchy file; a new one that holds values `of_data` is for its owner alone."""
    from kanon_sql.hierarchy.mapping import to_csv

    text = to_csv(rows)
    if output is None:
        print_data(text)
        return
    from kanon_sql.errors import ConfigurationError, EngineError
    from kanon_sql.sql.disk import why
    from kanon_sql.targets.staging import stage_file

    if not overwrite and lexists(output):
        raise ConfigurationError(f"--output: {output} exists already; name another file, or add --overwrite")
    with stage_file(output, overwrite=overwrite, place="--output") as staged:
        try:
            staged.path.write_bytes(text.encode())
        except OSError as error:
            raise EngineError(f"--output: {output} was not written {why(error)}") from None
        staged.commit(mode=0o600 if of_data and not output.exists() else None)


def _levels_table(tree: Hierarchy) -> str:
    from kanon_sql.report.views.parts import table

    rows = []
    for level, labels in enumerate(tree.levels):
        counts: dict[str, int] = {}
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
        least, most = min(counts.values()), max(counts.values())
        some = [_shown(label) for label in list(counts)[:_EXAMPLES]]
        more = ", ..." if len(counts) > _EXAMPLES else ""
        below = str(most) if least == most else f"{least} to {most}"
        rows.append([str(level), str(len(counts)), below, " " + ", ".join(some) + more])
    return table(["level", "labels", "values below one", " such as"], rows)


def _draw(tree: Hierarchy, limit: int) -> None:
    """Draws the tree, without recursion since a tree of pairs may be deep."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    from kanon_sql.hierarchy.mapping import Branches

    branches = Branches(tree)
    root = Tree(Text(_named(branches, branches.height, branches.top)))
    waiting: list[tuple[Tree, int, str]] = [(root, branches.height, branches.top)]
    while waiting:
        node, level, label = waiting.pop()
        below = list(branches.below(level, label)) if level else []
        for lower, name in below[:limit]:
            waiting.append((node.add(Text(_named(branches, lower, name))), lower, name))
        if len(below) > limit:
            node.add(Text(f"... {len(below) - limit} more"))
    # Wide enough for every line: what is cut off at the edge of the terminal is lost where the output is kept.
    widest = 4 * branches.height + max(len(_shown(label)) for labels in tree.levels for label in set(labels)) + 30
    Console(highlight=False, width=widest).print(root)


def _named(branches: Branches, level: int, label: str) -> str:
    return _shown(label) if level == 0 else f"{_shown(label)} ({branches.leaves(level, label)})"


def _shown(label: str) -> str:
    """A label on one line; one that would not be seen, or would do things to a terminal, is escaped."""
    return label if label.isprintable() and label.strip() == label and label else repr(label)
