"""The report of `kanon-sql risk` as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kanon_sql.cli.parts import Facts, Grid, Line, Look, Part, Parts
from kanon_sql.report.charts.diagram import clean, number
from kanon_sql.report.charts.risk import size_text

Json = dict[str, Any]

MOST_SUBSETS = 15
_UNIQUENESS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB", "dankar": "Dankar"}


def summarize_risk(data: Json) -> Parts:
    """The risks, the class sizes and the riskiest subsets of the columns; before and after side by side."""
    both: tuple[Look, ...] = ("before", "after")
    words = [word for word in both if data[word] is not None]
    sides = [data[word] for word in words]
    parts: list[Part] = [*_head(data, words), Line(), _risks(data, words, sides), Line(), _sizes(words, sides)]
    if sides[0]["subsets"]["count"]:
        parts += [Line(), *_subsets(words, sides)]
    if any(side["households"] is not None for side in sides):
        parts += [Line(), *_households(words, sides)]
    if sides[0]["special_uniques"] is not None:
        parts += [Line(), *_special(words, sides)]
    for word, side in zip(words, sides, strict=True):
        if side["exposed"] is not None:
            parts += [Line(), *_exposed(f" {word}" if len(words) > 1 else "", side)]
    return parts


def _head(data: Json, words: Sequence[Look]) -> list[Part]:
    names = ", ".join(map(clean, data["before"]["quasi_identifiers"]))
    facts: list[tuple[str, str, Look]] = []
    for word in words:
        side = data[word]
        rows = side["rows"]
        missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
        several = len(words) > 1
        text = f"{clean(side['table'])}: {rows['measured']:,} rows{missing}"
        facts.append((word if several else "table", text, word if several else ""))
    people = data["population"]
    if people is not None:
        text = f"{clean(people['table'])}: {people['rows']:,} rows, {people['unique']:,} of them unique"
        facts.append(("population", text, ""))
    return [Line(f"risk of re-identification by {names}", "head"), Facts(facts, 12)]


def _risks(data: Json, words: Sequence[str], sides: Sequence[Json]) -> Grid:
    above = f"rows above {data['threshold']:g}"
    rows = [
        _row("classes", sides, lambda side: f"{side['classes']['count']:,}"),
        _row("rows of the smallest class", sides, lambda side: f"{side['classes']['min']:,}"),
        _row("unique rows", sides, lambda side: _counted(side["unique"])),
    ]
    if data["population"] is not None:
        rows.append(_row("... and unique in the population", sides, lambda s: number(s["unique"]["in_population"], 0)))
    if data["before"]["population_uniqueness"] is not None:
        for model, named in _UNIQUENESS.items():
            rows.append(_row(f"unique in the population, {named}", sides, _uniqueness(model)))
    for name in ("prosecutor", *(["journalist"] if data["population"] is not None else [])):
        rows += [
            _row(f"{name} risk, highest", sides, _risk(name, "highest")),
            _row(f"{name} risk, average", sides, _risk(name, "average")),
            _row(f"{name} risk, {above}", sides, _above(name)),
        ]
    if data["before"]["weighted"] is not None:
        rows += [
            _row("risk by weights, highest", sides, _risk("weighted", "highest")),
            _row("risk by weights, average", sides, _risk("weighted", "average")),
            _row(f"risk by weights, {above}", sides, _above("weighted")),
            _row("rows found again, by weights", sides, _weighted("reidentifications")),
            _row("unique rows that are so in the population", sides, _weighted("unique", "in_population")),
        ]
    rows.append(_row("marketer risk", sides, _risk("marketer", "average")))
    rows.append(_row("rows that a marketer names right", sides, lambda side: _named(side["marketer"])))
    return Grid(["", *words] if len(words) > 1 else None, rows, 0)


def _row(name: str, sides: Sequence[Json], cell: Callable[[Json], str]) -> list[str]:
    return [name, *map(cell, sides)]


def _risk(name: str, key: str) -> Callable[[Json], str]:
    return lambda side: "\N{EN DASH}" if side[name] is None else f"{side[name][key]:.4f}"


def _uniqueness(model: str) -> Callable[[Json], str]:
    """A model's share in percent; of the choice among them with the model that was chosen."""

    def cell(side: Json) -> str:
        found = side["population_uniqueness"]
        if model in found["without_estimate"]:
            return "\N{EN DASH}"
        chosen = f" ({_UNIQUENESS[found['chosen']]})" if model == "dankar" else ""
        return f"{_percent(found[model])} %{chosen}"

    return cell


def _weighted(*keys: str) -> Callable[[Json], str]:
    """An expected number of rows."""

    def cell(side: Json) -> str:
        found = side["weighted"]
        for key in keys:
            found = found and found[key]
        return number(found, 1)

    return cell


def _above(name: str) -> Callable[[Json], str]:
    return lambda side: "\N{EN DASH}" if side[name] is None else _counted(side[name]["above"])


def _named(marketer: Json | None) -> str:
    return "\N{EN DASH}" if marketer is None else f"{marketer['rows']:,.1f}"


def _counted(count: Json) -> str:
    return f"{count['rows']:,} ({_percent(count['share'])} %)"


def _percent(share: float | None) -> str:
    """Two decimals, but never 0.00 or 100.00 for what is not quite so."""
    if share is None:
        return "\N{EN DASH}"
    text = f"{100 * share:.2f}"
    if share > 0 and text == "0.00":
        return "<0.01"
    return ">99.99" if share < 1 and text == "100.00" else text


def _sizes(words: Sequence[Look], sides: Sequence[Json]) -> Grid:
    several = len(words) > 1
    head = ["rows in the class"]
    for word in words:
        head += [f"rows {word}" if several else "rows", "%", "classes"]
    rows = []
    for place, one in enumerate(sides[0]["sizes"]):
        cells = [size_text(one)]
        for side in sides:
            found = side["sizes"][place]
            cells += [f"{found['rows']:,}", _percent(found["share"]), f"{found['classes']:,}"]
        rows.append(cells)
    most = max(one["share"] for side in sides for one in side["sizes"]) or 1
    bars: dict[int, tuple[Sequence[float | None], Look]] = {
        2 + 3 * place: ([one["share"] / most for one in side["sizes"]], word)
        for place, (word, side) in enumerate(zip(words, sides, strict=True))
    }
    return Grid(head, rows, 0, bars=bars)


def _subsets(words: Sequence[str], sides: Sequence[Json]) -> list[Part]:
    """The riskiest subsets; those that hold a smaller key are left out, they say nothing new."""
    first, known = sides[0]["subsets"], sides[0]["quasi_identifiers"]
    telling = [one for one in first["listed"] if not one["holds_key"]]
    others = [{tuple(one["columns"]): one for one in side["subsets"]["listed"]} for side in sides[1:]]
    head = ["unique %", "distinct %", "separated %", "columns"]
    if others:
        head = [f"unique % {words[0]}", words[1], *head[1:]]
    rows = []
    for one in telling[:MOST_SUBSETS]:
        after = [other.get(tuple(one["columns"])) for other in others]
        rows.append(
            [
                _percent(one["unique_share"]),
                *("\N{EN DASH}" if found is None else _percent(found["unique_share"]) for found in after),
                _percent(one["distinction"]),
                _percent(one["separation"]),
                ", ".join(f"{clean(name)}{'' if name in known else ' (!)'}" for name in one["columns"]),
            ]
        )
    shown = min(len(telling), MOST_SUBSETS)
    size = f"{first['largest']} column{'s' * (first['largest'] > 1)}"
    what = f"the riskiest {shown} of {first['count']:,} subsets of up to {size}"
    if len(telling) < len(first["listed"]):
        what += ", without those that hold a smaller key"
    foreign = [Line("  (!) no quasi-identifier")] if set(first["columns"]) - set(known) else []
    return [Line(what, "head"), Grid(head, rows, len(head) - 1), *foreign]


def _households(words: Sequence[str], sides: Sequence[Json]) -> list[Part]:
    """Risks of the rows where each has that of the most exposed row of its household, or of any of them."""
    found = [side["households"] for side in sides]
    rows = [
        ["households", *("\N{EN DASH}" if one is None else f"{one['count']:,}" for one in found)],
        [
            "rows of one with a unique row",
            *("\N{EN DASH}" if one is None else _counted(one["unique"]) for one in found),
        ],
    ]
    for name in ("prosecutor", "journalist"):
        risks = [None if one is None else one[name] for one in found]
        if any(one is not None for one in risks):
            parts = [(risk, None if risk is None else risk["any_found"]) for risk in risks]
            for key in ("highest", "average"):
                rows.append([f"{name} risk, {key}", *(number(one and one[key], 4) for one, _ in parts)])
                rows.append(["... of any of its rows", *(number(one and one[key], 4) for _, one in parts)])
    head = ["", *words] if len(words) > 1 else None
    return [Line("households: each row at the risk of the most exposed row of its own", "head"), Grid(head, rows, 0)]


def _special(words: Sequence[str], sides: Sequence[Json]) -> list[Part]:
    """Minimal sample uniques by size, scores, and what each column adds to them."""
    found = [side["special_uniques"] for side in sides]
    rows = [_row("rows that hold one", found, _counted)]
    if any(one["entities"] is not None for one in found):
        rows.append(_row("... of so many entities", found, lambda one: number(one["entities"], 0)))
    for size in found[0]["msus"]:
        name = f"minimal uniques of {size} column{'s' * (size != '1')}"
        rows.append([name, *(f"{one['msus'].get(size, 0):,}" for one in found)])
    for name, text in (("median", "score, median"), ("max", "score, highest")):
        rows.append([text, *(number((one["scores"] or {}).get(name), 0) for one in found)])
    if any(one["dis"] is not None for one in found):
        rows.append(_row("probability of a right match", found, _dis("probability")))
        rows.append(_row("... of the row at most risk", found, _dis("max")))
    names = {name: [one["columns"].get(name) for one in found] for one in found for name in one["columns"]}
    shares = [
        [clean(name), *map(_percent, names[name])] for name in sorted(names, key=lambda one: -(names[one][0] or 0))
    ]
    head = ["column", *([f"of the scores % {words[0]}", *words[1:]] if len(words) > 1 else ["of the scores %"])]
    return [
        Line(f"special uniques: minimal sample uniques of up to {found[0]['size']} columns", "head"),
        Grid(["", *words] if len(words) > 1 else None, rows, 0),
        Line(),
        Grid(head, shares, 0),
    ]


def _dis(key: str) -> Callable[[Json], str]:
    return lambda one: "\N{EN DASH}" if one["dis"] is None else f"{one['dis'][key]:.4f}"


def _exposed(word: str, side: Json) -> list[Part]:
    names = [clean(name) for name in side["quasi_identifiers"]]
    rows = [
        [f"{one['rows']:,}", *("NULL" if value is None else clean(value) for value in one["values"].values())]
        for one in side["exposed"]
    ]
    return [Line(f"the smallest classes{word}", "head"), Grid(["rows", *names], rows)]
