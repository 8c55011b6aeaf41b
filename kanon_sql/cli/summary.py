"""Reports as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

_LONGEST_LABEL = 40


def summarize_run(report: Json) -> str:
    """What a run did, in a few lines."""
    rows, classes, loss = report["rows"], report["classes"], report["loss"]
    k, seconds = report["privacy"]["k"], report["seconds"]
    dry = report["status"] == "dry-run"
    done = "dry run, nothing was written: would release" if dry else "released"
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    masked = " (masked)" if rows["masked"] else ""
    levels, labels = report["solution"].get("levels"), report["labels"]
    head = ["quasi-identifier", *(["level"] if levels else []), "loss %", "for example"]
    shown = [
        [name, *([str(levels[name])] if levels else []), f"{100 * cost:.2f}", _label(labels[name])]
        for name, cost in loss["attributes"].items()
    ]
    given_up = [f"  given up     {', '.join(report['given_up'])}: one label for all rows"] * bool(report["given_up"])
    lines = [
        f"{done} {rows['released']:,} of {rows['source']:,} rows to {report['release']['target']}",
        f"  suppressed   {rows['suppressed']:,} rows{masked}{missing}",
        f"  classes      {classes['count']:,}, of {classes['min']:,} to {classes['max']:,} rows "
        f"(asked for k = {k['required']}, counted again in what {'would be' if dry else 'was'} written)",
        *(f"  model        {line}" for line in _models(report["privacy"])),
        f"  loss         {loss['ncp']:.2f} % (lm {loss['lm']:.4f} of {len(loss['attributes'])})",
        *given_up,
        f"  search       {_algorithm(report['algorithm'])}: {_effort(report)}",
        f"  seconds      {', '.join(f'{name} {value:.2f}' for name, value in seconds.items())}",
        "",
        table(head, shown, text=(0, len(head) - 1)),
    ]
    if report["advice"]:
        lines += ["", "  less would be lost:", *advice_lines(report["advice"])]
    return "\n".join(lines)


def advice_lines(advice: Sequence[Json]) -> list[str]:
    """What other settings would lose, a line each."""
    changes = [
        f"without {one['without']}"
        if "without" in one
        else " ".join(f"--set {key}={value}" for key, value in one["change"].items())
        for one in advice
    ]
    width = max(map(len, changes))
    lines = []
    for change, one in zip(changes, advice, strict=True):
        loss = f"{one['loss']['ncp']:.2f} %{'' if one['exact'] else ' or less'}"
        where = f" in the other columns, now {one['instead_of']['ncp']:.2f} %" if "without" in one else ""
        lines.append(f"    {change.ljust(width)}  {loss}{where}, {one['suppressed']:,} rows suppressed")
    return lines


def _label(label: str | None) -> str:
    """A label as one cell, cut where it is long."""
    if label is None:
        return "(missing)"
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 3]}..."


def _models(privacy: Json) -> list[str]:
    """A line for each model beside k: what was asked for and what the classes reach."""
    lines = []
    for key, entries in privacy.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            if key != "k":
                names = (entry.get(name) for name in ("variant", "distance", "column"))
                what = " ".join([key.replace("_", "-"), *(name for name in names if name)])
                lines.append(f"{what}: {_number(entry['actual'])} (asked for {_number(entry['required'])})")
    return lines


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return f"{_number(value['min'])} to {_number(value['max'])}"
    return "no bound" if value is None else f"{value:.6g}"


def _algorithm(algorithm: Json) -> str:
    name, *options = algorithm.items()
    if name[1] == "mondrian":
        return ", ".join([name[1], *(f"{key} {value}" for key, value in options)])
    return " ".join([name[1], *(str(value) for _, value in options)])


def _effort(report: Json) -> str:
    search = report["search"]
    if "rounds" in search:
        stopped = "" if search["finished"] else ", NOT finished: time ran out"
        return f"{search['tuples']:,} tuples in {search['rounds']:,} rounds{stopped}"
    proven = "proven optimal" if report["algorithm"]["name"] == "optimal" else "proven"
    how = proven if search["proven"] else f"NOT proven, the bound is {search['bound']:.6g}"
    return f"{search['checked']:,} of {search['lattice_nodes']:,} nodes checked, {how}"


def summarize_check(report: Json) -> str:
    """Whether a table holds what was asked for."""
    classes, violations, k = report["classes"], report["violations"], report["privacy"]["k"]
    verdict = "satisfies" if report["status"] == "satisfied" else "VIOLATES"
    average = f"{classes['average']:,.1f}" if classes["average"] is not None else "-"
    models = _models(report["privacy"])
    asked = f"k = {k['required']}{' and the models' if models else ''}"
    counted = " entities" if "counts" in k else ""
    lines = [
        f"{report['table']} {verdict} {asked}: its smallest class holds {k['actual']:,}{counted}",
        *(f"  model              {line}" for line in models),
        f"  quasi-identifiers  {', '.join(report['quasi_identifiers'])}",
        f"  rows               {report['rows']['measured']:,}",
        f"  classes            {classes['count']:,}, {average} rows on average, {classes['max']:,} at most",
    ]
    if violations["classes"]:
        lines.append(
            f"  violations         {violations['classes']:,} classes with {violations['rows']:,} rows, "
            f"{violations['unique']:,} of them alone"
        )
    return "\n".join(lines)


def summarize_lattice(data: Json) -> str:
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
    head = f"k = {data['k']}, at most {data['limit']} of {data['rows']:,} rows suppressed, {len(rows):,} nodes\n"
    return head + table(["height", *names, "suppressed", "classes", "lm", "satisfies"], rows)


def table(head: Sequence[str] | None, rows: Sequence[Sequence[str]], text: int | tuple[int, ...] | None = None) -> str:
    """Columns of text, numbers to the right; with `text` all columns but those are numbers, whatever they hold."""
    texts = (text,) if isinstance(text, int) else text
    lines = [*([] if head is None else [head]), *rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]

    def cell(place: int, content: str) -> str:
        is_number = content[:1].isdigit() if texts is None else place not in texts
        return content.rjust(widths[place]) if is_number else content.ljust(widths[place])

    return "\n".join("  " + "  ".join(cell(*one) for one in enumerate(line)).rstrip() for line in lines)
