"""Reports as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Part, Parts
from kanon_sql.report.words import counted

if TYPE_CHECKING:
    from kanon_sql.results.run import Advice, ReleasedReport, SearchEffort
    from kanon_sql.results.searched import CheckReport, LatticeReport, SweepReport

_LONGEST_LABEL = 40


def summarize_run(report: ReleasedReport) -> Parts:
    """What a run did, in a few lines."""
    rows, classes, loss = report["rows"], report["classes"], report["loss"]
    k, seconds = report["privacy"]["k"], report["seconds"]
    dry = report["status"] == "dry-run"
    done = "dry run, nothing was written: would release" if dry else "released"
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    masked = " (masked)" if rows["masked"] else ""
    given_up = [report["given_up"]] if report["given_up"] else []
    facts: list[tuple[str, str, Look]] = [
        ("suppressed", f"{rows['suppressed']:,} rows{masked}{missing}", ""),
        (
            "classes",
            f"{classes['count']:,}, of {classes['min']:,} to {classes['max']:,} rows "
            f"(asked for k = {k['required']}{_few(report)}, counted again in what "
            f"{'would be' if dry else 'was'} written)",
            "",
        ),
        *(("model", line, "") for line in _models(report["privacy"])),
        ("loss", f"{loss['ncp']:.2f} % (lm {loss['lm']:.4f} of {len(loss['attributes'])})", ""),
        *(("forgotten", line, "bad" if report["forgotten"]["found"] else "") for line in _forgotten(report)),
        *(("given up", f"{', '.join(names)}: one label for all rows", "bad") for names in given_up),
        ("search", f"{_algorithm(report['algorithm'])}: {_effort(report)}", ""),
        ("seconds", ", ".join(f"{name} {value:.2f}" for name, value in seconds.items()), "quiet"),
    ]
    parts: list[Part] = [
        Line(f"{done} {rows['released']:,} of {rows['source']:,} rows to {report['release']['target']}", "good"),
        FactList(facts, 13),
        Line(),
        _columns(report),
    ]
    if report["advice"]:
        parts += [Line(), Line("  less would be lost:", "head"), advised(report["advice"])]
    return parts


def _few(report: ReleasedReport) -> str:
    """Of which combinations k was asked for, where these are not those of all columns, and what they reach."""
    known_columns = report["privacy"].get("known_columns")
    counted = None if known_columns is None else known_columns["actual"]
    if counted is None or counted >= len(report["loss"]["attributes"]):
        return ""
    return f" of any {counted} columns, which hold {report['privacy']['k']['actual']:,}"


def _forgotten(report: ReleasedReport) -> Iterator[str]:
    """What a lake, or a database of one file, holds no more of the replaced table."""
    if report.get("forgotten"):
        snapshots, files, searched, hits = (
            report["forgotten"][key] for key in ("snapshots", "files", "searched", "found")
        )
        kept = f"{counted(snapshots, 'snapshot')} and {counted(files, 'file')} with " if snapshots else ""
        yield f"{kept}the rows before; {hits:,} of their values found in {searched:,} bytes"


def _columns(report: ReleasedReport) -> Grid:
    """The quasi-identifiers as they were released."""
    solution, labels, losses = report["solution"], report["labels"], report["loss"]["attributes"]
    levels: Mapping[str, int] | None = solution.get("levels")  # type: ignore[assignment]
    head = ["quasi-identifier", *(["level"] if levels else []), "loss %", "for example"]
    rows = [
        [name, *([str(levels[name])] if levels else []), f"{100 * cost:.2f}", _label(labels[name])]
        for name, cost in losses.items()
    ]
    return Grid(head, rows, (0, len(head) - 1), bars={len(head) - 2: (list(losses.values()), "before")})


def advised(advice: Sequence[Advice]) -> FactList:
    """What other settings would lose."""
    changes = [
        f"without {alternative['without']}"
        if "without" in alternative
        else " ".join(f"--set {key}={value}" for key, value in alternative["change"].items())
        for alternative in advice
    ]
    entries: list[tuple[str, str, Look]] = []
    for change, alternative in zip(changes, advice, strict=True):
        loss = f"{alternative['loss']['ncp']:.2f} %{'' if alternative['exact'] else ' or less'}"
        before = alternative["instead_of"]
        where = f" in the other columns, now {before['ncp']:.2f} %" if "without" in alternative and before else ""
        entries.append((change, f"{loss}{where}, {alternative['suppressed']:,} rows suppressed", ""))
    return FactList(entries, max(map(len, changes)) + 2, indent=4)


def _label(label: str | None) -> str:
    """A label as one cell, cut where it is long."""
    if label is None:
        return "(missing)"
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 3]}..."


def _models(privacy: Mapping[str, Any]) -> list[str]:
    """A line for each model beside k: what was asked for and what the classes reach."""
    lines = []
    for key, entries in privacy.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            if key not in ("k", "known_columns"):
                names = (entry.get(name) for name in ("variant", "distance", "column"))
                what = " ".join([key.replace("_", "-"), *(name for name in names if name)])
                lines.append(f"{what}: {_number(entry['actual'])} (asked for {_number(entry['required'])})")
    return lines


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return f"{_number(value['min'])} to {_number(value['max'])}"
    return "no bound" if value is None else f"{value:.6g}"


def _algorithm(algorithm: Mapping[str, Any]) -> str:
    name, *options = algorithm.items()
    if name[1] in ("mondrian", "local", "microaggregation"):
        return ", ".join([name[1], *(f"{key} {_option(value)}" for key, value in options)])
    return " ".join([name[1], *(key if value is True else str(value) for key, value in options if value is not False)])


def _option(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


def _effort(report: ReleasedReport) -> str:
    search = report["search"]
    why = "interrupted" if search.get("interrupted") else "time ran out"
    if "rounds" in search:
        stopped = "" if search["finished"] else f", NOT finished: {why}"
        return f"{search['tuples']:,} tuples in {search['rounds']:,} rounds{stopped}{_gap(search)}"
    proven = "proven optimal" if report["algorithm"]["name"] == "optimal" else "proven"
    if "blind" in search:
        how = f"blind{_gap(search)}" if search["blind"]["proven"] else f"blind, NOT proven: {why}"
    else:
        bound = "" if search["bound"] is None else f", the bound is {search['bound']:.6g}"
        how = proven if search["proven"] else f"NOT proven: {why}{bound}{_gap(search)}"
    return f"{search['checked']:,} of {search['lattice_nodes']:,} nodes checked, {how}"


def _gap(search: SearchEffort) -> str:
    gap = search.get("gap")
    return "" if gap is None or gap > 1 else f", at most {100 * gap:.1f} % above the best"


def summarize_check(report: CheckReport) -> Parts:
    """Whether a table holds what was asked for."""
    classes, violations, k = report["classes"], report["violations"], report["privacy"]["k"]
    holds = report["status"] == "satisfied"
    average = f"{classes['average']:,.1f}" if classes["average"] is not None else "-"
    models = _models(report["privacy"])
    known_columns = report["privacy"].get("known_columns")
    counted_columns = None if known_columns is None else known_columns["actual"]
    few = counted_columns is not None and counted_columns < len(report["quasi_identifiers"])
    of = f" of any {counted_columns} columns" if few else ""
    requirement = f"k = {k['required']}{of}{' and the models' if models else ''}"
    counted = " entities" if "counts" in k else ""
    requirement += " and the treatments" if violations["treatments"] else ""
    requirement += " and its columns" if "columns" in violations else ""
    requirement += " and the manifest" if "manifest" in report else ""
    verdict = f"{report['table']} {'satisfies' if holds else 'VIOLATES'} {requirement}"
    facts: list[tuple[str, str, Look]] = [
        *(("model", line, "") for line in models),
        ("quasi-identifiers", ", ".join(report["quasi_identifiers"]), ""),
        ("rows", f"{report['rows']['measured']:,}", ""),
        ("classes", f"{classes['count']:,}, {average} rows on average, {classes['max']:,} at most", ""),
    ]
    if violations["classes"]:
        rows = f"{violations['rows']:,} rows, {violations['unique']:,} of them alone"
        what = "combinations" if few else "classes"
        facts.append(("violations", f"{violations['classes']:,} {what} with {rows}", "bad"))
    facts += [("treatments", text, "bad") for text in violations["treatments"]]
    if violations.get("columns"):
        facts.append(("not released", ", ".join(violations["columns"]), "bad"))
    if "manifest" in report:
        same = report["manifest"]["same"]
        facts.append(
            (
                "manifest",
                "the classes of that release" if same else "NOT the classes of that release",
                "" if same else "bad",
            )
        )
    first = Line(
        f"{verdict}: its smallest {'combination' if few else 'class'} holds {k['actual']:,}{counted}",
        "good" if holds else "bad",
    )
    return [first, FactList(facts, 19)]


def summarize_lattice(data: LatticeReport) -> Parts:
    """The nodes as a table, lowest first."""
    names = data["quasi_identifiers"]
    rows = [
        [
            str(node["height"]),
            *(str(node["levels"][name]) for name in names),
            f"{node['suppressed']:,}",
            f"{node['classes']:,}",
            f"{node['lm']:.4f}",
            ("minimal" if node["minimal"] else "yes" if node["satisfies"] else "") + ", winner" * node["winner"],
        ]
        for node in data["nodes"]
    ]
    looks: list[Look] = [
        "good" if node["winner"] else "after" if node["minimal"] else "" if node["satisfies"] else "quiet"
        for node in data["nodes"]
    ]
    head = f"k = {data['k']}, at most {data['limit']} of {data['rows']:,} rows suppressed, {len(rows):,} nodes"
    columns = ["height", *names, "suppressed", "classes", "lm", "satisfies"]
    return [Line(head, "head"), Grid(columns, rows, looks=looks)]


def summarize_sweep(data: SweepReport) -> Parts:
    """The table, below a line about time."""
    from kanon_sql.report.charts.sweep import HEAD, cells

    seconds, count = data["seconds"], len(data["points"])
    head = f"{counted(count, 'point')}: read in {seconds['read']:.2f} s, searched in {seconds['search']:.2f} s"
    return [Line(head, "head"), Grid(HEAD, [cells(point) for point in data["points"]])]
