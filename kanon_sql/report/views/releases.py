"""What `kanon-sql link`, `releases` and `apply` say, as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Part, Parts, table
from kanon_sql.report.words import counted

if TYPE_CHECKING:
    from kanon_sql.results.link import LinkReport, MatchBin, PairReport, SameOrder

Json = dict[str, Any]


def summarize_link(report: LinkReport) -> Parts:
    """How far the attack came, in a few lines and two histograms."""
    matched, unique, least = report["matched"], report["unique"], report["least_matches"]
    names = [
        pair["release"] if pair["release"] == pair["external"] else f"{pair['release']}={pair['external']}"
        for pair in report["on"]
    ]
    facts: list[tuple[str, str, Look]] = [
        ("matched", f"{counted(matched['persons'], 'person')}, {counted(matched['rows'], 'row')}", ""),
        (
            "unique",
            f"{counted(unique['persons'], 'person')} with exactly one row, "
            f"{counted(unique['rows'], 'row')} with exactly one person, both at once {unique['both']:,}",
            "",
        ),
    ]
    if least["of_a_person"] is not None and least["of_a_row"] is not None:
        expected = report["expected_links"]
        of_a_row = f"{counted(least['of_a_row'], 'person')} for every row"
        facts += [
            ("at least", f"{counted(least['of_a_person'], 'row')} for every person matched, {of_a_row}", ""),
            (
                "right links",
                f"{expected['by_person']:,.2f} expected if all persons matched are in the table, "
                f"{expected['by_row']:,.2f} if the persons of all rows are known",
                "",
            ),
        ]
    for pair in report["on"]:
        strange = pair["external_values"]["unmatched"]
        if strange:
            of = f"{strange:,} of {counted(pair['external_values']['distinct'], 'value')} of {pair['external']!r}"
            why = "other writing, or not in the table"
            facts.append(("no match", f"{of} ({counted(pair['persons_unmatched'], 'person')}): {why}", ""))
    parts: list[Part] = [
        Line(
            f"{report['external']} ({counted(report['persons'], 'person')}) linked to {report['release']} "
            f"({counted(report['rows'], 'row')}) on {', '.join(names)}",
            "head",
        ),
        FactList(facts, 16),
        Line(),
        _matches("rows matched", "persons", report["histogram"]["persons"], report["persons"]),
        Line(),
        _matches("persons matched", "rows", report["histogram"]["rows"], report["rows"]),
    ]
    examples = [["" if value is None else value for value in row.values()] for row in report.get("examples", ())]
    if examples:
        head = [pair["external"] for pair in report["on"]]
        parts += [Line(), Line("  persons with exactly one row, the first of them:", "head"), Grid(head, examples)]
    return parts


def _matches(head: str, counted: str, histogram: Sequence[MatchBin], total: int) -> Grid:
    """How many of the persons, or of the rows, have how many matches."""
    shown = [[_bucket(size), f"{size['count']:,}", f"{100 * size['count'] / total:.1f}"] for size in histogram]
    return Grid([head, counted, "%"], shown)


def _bucket(bucket: MatchBin) -> str:
    if bucket["from"] == bucket["to"]:
        return f"{bucket['from']:,}"
    return f"{bucket['from']:,} to {bucket['to']:,}"


_OPEN = "its run ended before it could say that the release came to its place; it counts as one, the next run looks"


def summarize_pair(report: PairReport) -> Parts:
    """Whether two releases hold together what each holds alone."""
    combined, order, k = report["combined"], report["order"], report["k"]
    first, second = report["releases"]
    names = ", ".join(report["quasi_identifiers"])
    holds = report["status"] == "satisfied"
    joined = f", joined on {', '.join(report['on'])}" if report["on"] else ""
    verdict = f"{'satisfy' if holds else 'VIOLATE'} k = {k} in {names}{joined}"
    facts: list[tuple[str, str, Look]] = [
        (
            "alone",
            f"{side['table']}: {counted(side['rows'], 'row')}, the smallest class holds {side['smallest_class']:,}",
            "",
        )
        for side in (first, second)
    ]
    most = "" if combined["exact"] or report["source"] else " at most"
    together = f"the smallest for {counted(combined['smallest'], 'row')}{most}"
    facts.append(("together", f"{counted(combined['tuples'], 'combined tuple')}, {together}", ""))
    violating = combined["violating"]
    if violating["tuples"]:
        sure = combined["certain"]
        hedge = "" if report["source"] or sure is None else f", {sure:,} of them surely not empty"
        rows = f"{counted(violating['rows'], 'row')}{most}{hedge}"
        facts.append(("violations", f"{counted(violating['tuples'], 'combined tuple')} with {rows}", "bad"))
    if combined["ambiguous_rows"]:
        ambiguous = counted(combined["ambiguous_rows"], "row")
        facts.append(("ambiguous", f"{ambiguous} of the source fit several tuples, counted in each", ""))
    facts.append(("order", _order(order, k), ""))
    parts: list[Part] = [
        Line(f"{first['table']} and {second['table']} together {verdict}", "good" if holds else "bad"),
        FactList(facts, 11),
    ]
    examples = report.get("examples")
    if examples:
        shown = [
            [f"{example['rows']:,}", *("" if value is None else value for value in example["says"].values())]
            for example in examples
        ]
        parts += [
            Line(),
            Line(f"  combined tuples for fewer than {k} rows, the first of them:", "head"),
            Grid(["rows", *report["quasi_identifiers"]], shown),
        ]
    return parts


def _order(order: SameOrder, k: int) -> str:
    if order["matching"] is None:
        return "not comparable, the releases have different numbers of rows"
    if not order["same"]:
        return f"not the same, as far as can be told: {order['matching']:,} rows match at their place"
    summary = f"THE SAME: every row matches the one at its place (by chance: {order['chance']:.1g}); joined so, "
    violating = order["violating"]
    if violating["tuples"]:
        return (
            summary
            + f"{counted(violating['tuples'], 'tuple')} with {counted(violating['rows'], 'row')} fall short of {k}"
        )
    return summary + f"the smallest tuple stands for {counted(order['smallest'], 'row')}"


def summarize_applied(report: Json) -> str:
    """What was released at the levels of an earlier release, and what anybody can tell apart who has both."""
    rows, classes, held = report["rows"], report["classes"], report["suppressed"]
    k = report["privacy"]["k"]
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    lines = [
        f"released {rows['released']:,} of {rows['source']:,} rows to {report['release']['target']} "
        f"as release {report['ledger']['id']}, at the levels of release {report['applied']}",
        f"  suppressed   {counted(rows['suppressed'], 'row')}{missing}",
        f"    waiting    {held['waiting']:,} in classes to which too few were added",
    ]
    for name, why in (("violating", "violate k or a model"), ("differing", "would tell what has changed")):
        rows_and_classes = held[name]["rows"], held[name]["classes"]
        lines.append("    {:<9}  {:,} in {:,} classes that {}".format(name, *rows_and_classes, why))
    if "new_rows" in report:
        lines = _of_new_rows(report)
    lines += [
        f"  classes      {classes['count']:,}, of {classes['min']:,} to {classes['max']:,} rows "
        f"(asked for k = {k['required']}, counted again in what was written"
        f"{', and in every difference' if report['earlier'] else ''})",
        f"  seconds      {', '.join(f'{name} {value:.2f}' for name, value in report['seconds'].items())}",
    ]
    if report["earlier"]:
        names = ("release", "kept", "added", "removed")
        lines += [
            "",
            table(
                ["compared with release", "in both", "added", "removed"],
                [[f"{entry[name]:,}" for name in names] for entry in report["earlier"]],
            ),
        ]
    return "\n".join(lines)


def _of_new_rows(report: Json) -> list[str]:
    """What was released of the rows that came into a lake's table, and what waits."""
    rows, new = report["rows"], report["new_rows"]
    missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
    return [
        f"released {rows['released']:,} of {rows['source']:,} new rows to {report['release']['target']} as release "
        f"{report['ledger']['id']}, at the levels of release {report['applied']}",
        f"  new          since snapshot {new['since']}, to snapshot {new['snapshot']}; "
        f"{new['released_before']:,} others were released before",
        f"  waiting      {counted(rows['suppressed'], 'row')}, until more come into their classes{missing}",
        f"  changed      {counted(new['changed'], 'row')} since or gone, which are no new rows",
    ]


def summarize_ledger(data: Json) -> str:
    """The releases of a ledger as a table."""
    if not data["releases"]:
        return f"{data['ledger']} holds no release"
    rows = [
        [
            str(entry["id"]) + (" (open)" if entry["state"] == "open" else ""),
            entry["made_at"][:16].replace("T", " "),
            "" if entry["origin"] == entry["id"] else f"{entry['origin']}",
            "" if entry["built_on"] is None else f"{entry['built_on']}",
            str(entry["details"]["privacy"]["k"]["required"]),
            f"{entry['details']['rows']['released']:,}",
            ", ".join(entry["quasi_identifiers"]),
            entry["source"] or "handed in",
        ]
        for entry in data["releases"]
    ]
    head = ["id", "made (UTC)", "source of", "built on", "k", "rows", "quasi-identifiers", "source"]
    lines = [table(head, rows)]
    if any(entry["state"] == "open" for entry in data["releases"]):
        lines.append(f"open: {_OPEN}")
    return "\n".join(lines)


def summarize_entry(entry: Json) -> str:
    """All that a ledger holds of one release."""
    details = entry["details"]
    rows, classes = details["rows"], details["classes"]
    same = (
        "the first of its source"
        if entry["origin"] == entry["id"]
        else f"of the same source as release {entry['origin']}"
    )
    built = "" if entry["built_on"] is None else f", built on release {entry['built_on']}"
    levels = details["solution"].get("levels")
    lines = [
        f"release {entry['id']}, made {entry['made_at']} by kanon-sql {entry['program']}, {same}{built}",
        *([f"  open               {_OPEN}"] if entry["state"] == "open" else []),
        f"  source             {entry['source'] or 'handed in'} ({entry['source_fingerprint']})",
        f"  target             {entry['target'] or 'handed in'} ({entry['release_fingerprint']})",
        f"  rows               {rows['released']:,} of {rows['source']:,}, {rows['suppressed']:,} suppressed, "
        f"order {details['order']}",
        f"  classes            {classes['count']:,}, of {classes['min']:,} to {classes['max']:,} rows",
        f"  quasi-identifiers  {', '.join(entry['quasi_identifiers'])}",
        f"  released           {', '.join(entry['released'])}",
    ]
    if levels:
        lines.append(f"  levels             {', '.join(f'{name} {level}' for name, level in levels.items())}")
    lines += ["  configuration", *(f"    {line}" for line in details["configuration"])]
    return "\n".join(lines)
