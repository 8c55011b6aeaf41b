"""The report of a link as people read it in a terminal."""

from __future__ import annotations

from typing import Any

from kanon_sql.cli.summary import table

Json = dict[str, Any]


def summarize_link(report: Json) -> str:
    """How far the attack came, in a few lines and two histograms."""
    matched, unique, least = report["matched"], report["unique"], report["least_matches"]
    names = [
        one["release"] if one["release"] == one["external"] else f"{one['release']}={one['external']}"
        for one in report["on"]
    ]
    lines = [
        f"{report['external']} ({count(report['persons'], 'person')}) linked to {report['release']} "
        f"({count(report['rows'], 'row')}) on {', '.join(names)}",
        f"  matched         {count(matched['persons'], 'person')}, {count(matched['rows'], 'row')}",
        f"  unique          {count(unique['persons'], 'person')} with exactly one row, "
        f"{count(unique['rows'], 'row')} with exactly one person, both at once {unique['both']:,}",
    ]
    if least["of_a_person"] is not None:
        expected = report["expected_links"]
        lines += [
            f"  at least        {count(least['of_a_person'], 'row')} for every person matched, "
            f"{count(least['of_a_row'], 'person')} for every row",
            f"  right links     {expected['by_person']:,.2f} expected if all persons matched are in the table, "
            f"{expected['by_row']:,.2f} if the persons of all rows are known",
        ]
    for one in report["on"]:
        strange = one["external_values"]["unmatched"]
        if strange:
            lines.append(
                f"  no match        {strange:,} of {count(one['external_values']['distinct'], 'value')} of "
                f"{one['external']!r} ({count(one['persons_unmatched'], 'person')}): other writing, or not in the table"
            )
    for counted, other in (("persons", "rows"), ("rows", "persons")):
        total = report[counted]
        shown = [
            [_bucket(one), f"{one['count']:,}", f"{100 * one['count'] / total:.1f}"]
            for one in report["histogram"][counted]
        ]
        lines += ["", table([f"{other} matched", counted, "%"], shown)]
    examples = [["" if value is None else value for value in one.values()] for one in report.get("examples", ())]
    if examples:
        lines += ["", "  persons with exactly one row, the first of them:"]
        lines.append(table([one["external"] for one in report["on"]], examples))
    return "\n".join(lines)


def count(number: int, what: str) -> str:
    """A number with the noun that it counts, in the plural where it is not one."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _bucket(one: Json) -> str:
    if one["from"] == one["to"]:
        return f"{one['from']:,}"
    return f"{one['from']:,} to {one['to']:,}"
