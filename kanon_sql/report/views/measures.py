"""The figures of `kanon-sql risk`, `utility` and `attack` as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from kanon_sql.report.charts.attack import attack_rows
from kanon_sql.report.charts.diagram import clean, number
from kanon_sql.report.charts.risk import size_text
from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Part, Parts
from kanon_sql.report.words import UNKNOWN, fixed

if TYPE_CHECKING:
    from kanon_sql.results.attack import Attack, AttackReport
    from kanon_sql.results.figures import RowShare
    from kanon_sql.results.risk import (
        ExposedClass,
        HouseholdRisk,
        MarketerRisk,
        PopulationUniqueness,
        RiskReport,
        RowRisk,
        SpecialUniques,
        TableRisk,
    )
    from kanon_sql.results.utility import ColumnDistance, PairAssociation, Prediction, TableUtilityReport

T = TypeVar("T")

MOST_SUBSETS = 15
Model = Literal["pitman", "zayatz", "snb", "dankar"]
_MODELS: tuple[Model, ...] = ("pitman", "zayatz", "snb", "dankar")
_FIGURES: tuple[Literal["highest"], Literal["average"]] = ("highest", "average")
_UNIQUENESS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB", "dankar": "Dankar"}


def summarize_risk(data: RiskReport) -> Parts:
    """The risks, the class sizes and the riskiest subsets of the columns; before and after side by side."""
    both: tuple[Look, ...] = ("before", "after")
    sides = [data["before"], *([] if data["after"] is None else [data["after"]])]
    words = both[: len(sides)]
    parts: list[Part] = [*_head(data, words, sides), Line(), _risks(data, words, sides), Line(), _sizes(words, sides)]
    if sides[0]["subsets"]["count"]:
        parts += [Line(), *_subsets(words, sides)]
    if any(side["households"] is not None for side in sides):
        parts += [Line(), *_households(words, sides)]
    special_uniques = [special for side in sides if (special := side["special_uniques"]) is not None]
    if special_uniques:
        parts += [Line(), *_special(words, special_uniques)]
    for word, side in zip(words, sides, strict=True):
        if side["exposed"] is not None:
            parts += [Line(), *_exposed(f" {word}" if len(words) > 1 else "", side, side["exposed"])]
    return parts


def _head(data: RiskReport, words: Sequence[Look], sides: Sequence[TableRisk]) -> list[Part]:
    names = ", ".join(map(clean, data["before"]["quasi_identifiers"]))
    facts: list[tuple[str, str, Look]] = []
    for word, side in zip(words, sides, strict=True):
        rows = side["rows"]
        missing = f", {rows['missing']:,} left out for missing values" if rows["missing"] else ""
        several = len(words) > 1
        text = f"{clean(side['table'])}: {rows['measured']:,} rows{missing}"
        facts.append((word if several else "table", text, word if several else ""))
    people = data["population"]
    if people is not None:
        text = f"{clean(people['table'])}: {people['rows']:,} rows, {people['unique']:,} of them unique"
        facts.append(("population", text, ""))
    return [Line(f"risk of re-identification by {names}", "head"), FactList(facts, 12)]


def _risks(data: RiskReport, words: Sequence[str], sides: Sequence[TableRisk]) -> Grid:
    above = f"rows above {data['threshold']:g}"
    rows = [
        _row("classes", sides, lambda side: f"{side['classes']['count']:,}"),
        _row("rows of the smallest class", sides, lambda side: f"{side['classes']['min']:,}"),
        _row("unique rows", sides, lambda side: _counted(side["unique"])),
    ]
    if data["population"] is not None:
        rows.append(_row("... and unique in the population", sides, lambda s: number(s["unique"]["in_population"], 0)))
    estimates = [side["population_uniqueness"] for side in sides]
    if data["before"]["population_uniqueness"] is not None:
        rows += [_row(f"unique in the population, {_UNIQUENESS[model]}", estimates, _model(model)) for model in _MODELS]
    rows += _risk_rows("prosecutor risk", [side["prosecutor"] for side in sides], above)
    if data["population"] is not None:
        rows += _risk_rows("journalist risk", [side["journalist"] for side in sides], above)
    weighted = [side["weighted"] for side in sides]
    if data["before"]["weighted"] is not None:
        rows += _risk_rows("risk by weights", weighted, above)
        found_again = [None if entry is None else entry["reidentifications"] for entry in weighted]
        in_population = [None if entry is None else entry["unique"]["in_population"] for entry in weighted]
        rows += [
            _row("rows found again, by weights", found_again, lambda count: number(count, 1)),
            _row("unique rows that are so in the population", in_population, lambda count: number(count, 1)),
        ]
    marketers = [side["marketer"] for side in sides]
    rows.append(_row("marketer risk", marketers, lambda entry: UNKNOWN if entry is None else f"{entry['average']:.4f}"))
    rows.append(_row("rows that a marketer names right", marketers, _named))
    return Grid(["", *words] if len(words) > 1 else None, rows, 0)


def _row(name: str, sides: Sequence[T], cell: Callable[[T], str]) -> list[str]:
    return [name, *map(cell, sides)]


def _risk_rows(name: str, risks: Sequence[RowRisk | None], above: str) -> list[list[str]]:
    """The risk of the rows of each side, and those above the threshold."""
    return [
        _row(f"{name}, highest", risks, lambda risk: UNKNOWN if risk is None else f"{risk['highest']:.4f}"),
        _row(f"{name}, average", risks, lambda risk: UNKNOWN if risk is None else f"{risk['average']:.4f}"),
        _row(f"{name}, {above}", risks, lambda risk: UNKNOWN if risk is None else _counted(risk["above"])),
    ]


def _model(model: Model) -> Callable[[PopulationUniqueness | None], str]:
    """A model's share in percent; of the choice among them with the model that was chosen."""

    def cell(estimate: PopulationUniqueness | None) -> str:
        if estimate is None or model in estimate["without_estimate"]:
            return UNKNOWN
        chosen = f" ({_UNIQUENESS[estimate['chosen']]})" if model == "dankar" else ""
        return f"{_percent(estimate[model])} %{chosen}"

    return cell


def _named(marketer: MarketerRisk | None) -> str:
    return UNKNOWN if marketer is None else f"{marketer['rows']:,.1f}"


def _counted(count: RowShare) -> str:
    return f"{count['rows']:,} ({_percent(count['share'])} %)"


def _percent(share: float | None) -> str:
    """Two decimals, but never 0.00 or 100.00 for what is not quite so."""
    if share is None:
        return UNKNOWN
    text = f"{100 * share:.2f}"
    if share > 0 and text == "0.00":
        return "<0.01"
    return ">99.99" if share < 1 and text == "100.00" else text


def _sizes(words: Sequence[Look], sides: Sequence[TableRisk]) -> Grid:
    several = len(words) > 1
    head = ["rows in the class"]
    for word in words:
        head += [f"rows {word}" if several else "rows", "%", "classes"]
    rows = []
    for place, size in enumerate(sides[0]["sizes"]):
        cells = [size_text(size)]
        for side in sides:
            other_size = side["sizes"][place]
            cells += [f"{other_size['rows']:,}", _percent(other_size["share"]), f"{other_size['classes']:,}"]
        rows.append(cells)
    most = max(size["share"] for side in sides for size in side["sizes"]) or 1
    bars: dict[int, tuple[Sequence[float | None], Look]] = {
        2 + 3 * place: ([size["share"] / most for size in side["sizes"]], word)
        for place, (word, side) in enumerate(zip(words, sides, strict=True))
    }
    return Grid(head, rows, 0, bars=bars)


def _subsets(words: Sequence[str], sides: Sequence[TableRisk]) -> list[Part]:
    """The riskiest subsets; those that hold a smaller key are left out, they say nothing new."""
    first, quasi = sides[0]["subsets"], sides[0]["quasi_identifiers"]
    telling = [subset for subset in first["listed"] if not subset["holds_key"]]
    others = [{tuple(subset["columns"]): subset for subset in side["subsets"]["listed"]} for side in sides[1:]]
    head = ["unique %", "distinct %", "separated %", "columns"]
    if others:
        head = [f"unique % {words[0]}", words[1], *head[1:]]
    rows = []
    for subset in telling[:MOST_SUBSETS]:
        after = [other.get(tuple(subset["columns"])) for other in others]
        rows.append(
            [
                _percent(subset["unique_share"]),
                *(UNKNOWN if subset is None else _percent(subset["unique_share"]) for subset in after),
                _percent(subset["distinction"]),
                _percent(subset["separation"]),
                ", ".join(f"{clean(name)}{'' if name in quasi else ' (!)'}" for name in subset["columns"]),
            ]
        )
    shown = min(len(telling), MOST_SUBSETS)
    size = f"{first['largest']} column{'s' * (first['largest'] > 1)}"
    what = f"the riskiest {shown} of {first['count']:,} subsets of up to {size}"
    if len(telling) < len(first["listed"]):
        what += ", without those that hold a smaller key"
    foreign = [Line("  (!) no quasi-identifier")] if set(first["columns"]) - set(quasi) else []
    return [Line(what, "head"), Grid(head, rows, len(head) - 1), *foreign]


def _households(words: Sequence[str], sides: Sequence[TableRisk]) -> list[Part]:
    """Risks of the rows where each has that of the most exposed row of its household, or of any of them."""
    households = [side["households"] for side in sides]
    rows = [
        _row("households", households, lambda entry: UNKNOWN if entry is None else f"{entry['count']:,}"),
        _row(
            "rows of one with a unique row",
            households,
            lambda entry: UNKNOWN if entry is None else _counted(entry["unique"]),
        ),
    ]
    rows += _household_rows("prosecutor risk", [None if entry is None else entry["prosecutor"] for entry in households])
    rows += _household_rows("journalist risk", [None if entry is None else entry["journalist"] for entry in households])
    head = ["", *words] if len(words) > 1 else None
    return [Line("households: each row at the risk of the most exposed row of its own", "head"), Grid(head, rows, 0)]


def _household_rows(name: str, risks: Sequence[HouseholdRisk | None]) -> list[list[str]]:
    """The risk of households; none where no side has it."""
    rows = []
    for key in _FIGURES if any(risk is not None for risk in risks) else ():
        rows.append([f"{name}, {key}", *(number(None if risk is None else risk[key], 4) for risk in risks)])
        any_found = [None if risk is None else risk["any_found"][key] for risk in risks]
        rows.append(["... of any of its rows", *(number(share, 4) for share in any_found)])
    return rows


def _special(words: Sequence[str], special_uniques: Sequence[SpecialUniques]) -> list[Part]:
    """Minimal sample uniques by size, scores, and what each column adds to them."""
    rows = [_row("rows that hold one", special_uniques, _counted)]
    if any(special["entities"] is not None for special in special_uniques):
        rows.append(_row("... of so many entities", special_uniques, lambda special: number(special["entities"], 0)))
    for size in special_uniques[0]["msus"]:
        name = f"minimal uniques of {size} column{'s' * (size != '1')}"
        rows.append([name, *(f"{special['msus'].get(size, 0):,}" for special in special_uniques)])
    scores = [special["scores"] for special in special_uniques]
    rows.append(_row("score, median", scores, lambda entry: number(None if entry is None else entry["median"], 0)))
    rows.append(_row("score, highest", scores, lambda entry: number(None if entry is None else entry["max"], 0)))
    matches = [special["dis"] for special in special_uniques]
    if any(match is not None for match in matches):
        chances = [None if match is None else match["probability"] for match in matches]
        rows.append(
            ["probability of a right match", *(UNKNOWN if share is None else f"{share:.4f}" for share in chances)]
        )
        most = [None if match is None else match["max"] for match in matches]
        rows.append(["... of the row at most risk", *(UNKNOWN if share is None else f"{share:.4f}" for share in most)])
    names = {
        name: [special["columns"].get(name) for special in special_uniques]
        for special in special_uniques
        for name in special["columns"]
    }
    shares = [
        [clean(name), *map(_percent, names[name])]
        for name in sorted(names, key=lambda column: -(names[column][0] or 0))
    ]
    head = ["column", *([f"of the scores % {words[0]}", *words[1:]] if len(words) > 1 else ["of the scores %"])]
    return [
        Line(f"special uniques: minimal sample uniques of up to {special_uniques[0]['size']} columns", "head"),
        Grid(["", *words] if len(words) > 1 else None, rows, 0),
        Line(),
        Grid(head, shares, 0),
    ]


def _exposed(word: str, side: TableRisk, classes: Sequence[ExposedClass]) -> list[Part]:
    names = [clean(name) for name in side["quasi_identifiers"]]
    rows = [
        [f"{row['rows']:,}", *("NULL" if value is None else clean(value) for value in row["values"].values())]
        for row in classes
    ]
    return [Line(f"the smallest classes{word}", "head"), Grid(["rows", *names], rows)]


MOST_PAIRS = 15
_MEASURES = {
    "pearson": "correlation",
    "correlation_ratio": "correlation ratio",
    "cramers_v": "Cram\N{LATIN SMALL LETTER E WITH ACUTE}r's V",
}


def summarize_utility(data: TableUtilityReport) -> Parts:
    """The distances of the columns, the pairs whose association changed most, the errors of queries, and the rest."""
    parts: list[Part] = [Line("what the release is still good for", "head"), Line(), *column_distances(data["columns"])]
    if data["pairs"]:
        parts += [Line(), *_pairs(data["pairs"])]
    if data["prediction"]:
        parts += [Line(), *_prediction(data["prediction"])]
    return [*parts, Line(), _others(data)]


def column_distances(columns: Mapping[str, ColumnDistance]) -> list[Part]:
    """How far the columns are from those of the source, and which values treated ones are compared with."""
    rows = [
        [clean(name), fixed(entry["total_variation"], 4), fixed(entry["earth_mover"], 4)]
        for name, entry in columns.items()
    ]
    treated = _treated(columns)
    return [
        Grid(["column", "total variation", "earth mover's distance"], rows, 0),
        *([Line(), *treated] if treated else []),
    ]


def _treated(columns: Mapping[str, ColumnDistance]) -> list[Line]:
    """Which values treated columns are compared with."""
    wording = {"untreated": "the values before their treatments", "treated": "the treated values, for want of others"}
    named = {
        key: [clean(name) for name, entry in columns.items() if entry.get("compared_with") == key] for key in wording
    }
    return [Line(f"{', '.join(names)}: compared with {wording[key]}") for key, names in named.items() if names]


def _pairs(pairs: list[PairAssociation]) -> list[Part]:
    """The pairs that changed most, the largest change first."""
    by_change = sorted(pairs, key=lambda pair: -abs(pair["source"] - pair["release"]))
    rows = [
        [
            fixed(pair["source"], 4),
            fixed(pair["release"], 4),
            _MEASURES[pair["measure"]],
            ", ".join(map(clean, pair["columns"])),
        ]
        for pair in by_change[:MOST_PAIRS]
    ]
    what = "association of columns in the source and in the release"
    if len(pairs) > MOST_PAIRS:
        what += f", the {MOST_PAIRS} of {len(pairs)} pairs that changed most"
    return [Line(what, "head"), Grid(["source", "release", "measure", "columns"], rows, (2, 3))]


def _prediction(prediction: Mapping[str, Prediction]) -> list[Part]:
    rows = [
        [clean(name), fixed(entry["source"], 4), fixed(entry["release"], 4), fixed(entry["guessing"], 4)]
        for name, entry in prediction.items()
    ]
    what = Line("share of rows whose value is predicted rightly", "head")
    return [what, Grid(["", "source", "release", "guessing"], rows, 0)]


def _others(data: TableUtilityReport) -> FactList:
    queries, pmse = data["queries"], data["pmse"]
    facts: list[tuple[str, str, Look]] = []
    if queries is not None:
        median, p95 = 100 * queries["median_relative_error"], 100 * queries["p95_relative_error"]
        errors = f"half are wrong by at most {median:.1f} %, 95 % by at most {p95:.1f} %"
        facts.append(("counting queries", f"{queries['count']}: {errors}", ""))
    if pmse is not None:
        facts.append(("pMSE", f"{pmse:.4f} (0: nothing tells both apart)", ""))
    return FactList(facts, 18, indent=0)


def summarize_attack(data: AttackReport) -> Parts:
    """One row an attack: how often it succeeds, blindly, on the control group, and the risk with its interval."""
    entries = attack_rows(data)
    rows = [[name, *_cells(attack)] for name, attack in entries]
    risks = [attack["risk"] for _, attack in entries]
    against = "the control group" if data["against"] == "control" else "blind guessing"
    return [
        Line(f"attacks on {clean(data['release'])}: risk is success above that of {against}", "head"),
        Line(),
        Grid(
            ["attack", "success", "blind", "control", "risk", f"{100 * data['confidence']:.0f} % interval"],
            rows,
            texts=(0,),
            bars={4: (risks, "bad")},
        ),
        *_method(data),
        *_drawn_facts(data),
    ]


def _drawn_facts(data: AttackReport) -> Parts:
    """Of a whole database: how few persons have facts that somebody knows of one of them."""
    drawn = data.get("facts")
    if drawn is None:
        return []
    sides = (("source", drawn["source"]), ("release", drawn["release"] or []))
    lines: list[tuple[str, str, Look]] = []
    for name, entries in sides:
        for entry in entries:
            if entry["persons"]:
                what = f"{entry['known']} fact{'s' if entry['known'] > 1 else ''}"
                n = entry["persons"]
                text = f"{what} of {n:,} persons: {100 * entry['alone'] / n:.1f} % alone, "
                lines.append((name, f"{text}{100 * entry['below_k'] / n:.1f} % with fewer than k", ""))
    return [Line(), FactList(lines, 10)] if lines else []


def _method(data: AttackReport) -> Parts:
    """What the method tells, where it was asked for."""
    worlds, narrowed = data.get("minimality"), data.get("downcoding")
    facts: list[tuple[str, str, Look]] = []
    if worlds is not None:
        facts.append(("minimality", f"{worlds['kept']:,} of {worlds['worlds']:,} worlds lead to this release", ""))
        for name, entry in (worlds["columns"] or {}).items():
            gain = (
                f"a value's share up to {entry['gain']:.3f} above that in its class, {entry['by_chance']:.3f} by chance"
            )
            facts.append((f"  {clean(name)}", gain, "bad" if entry["gain"] > 2 * entry["by_chance"] else ""))
    if narrowed is not None:
        rows = narrowed["rows"]
        facts.append(("downcoding", f"{rows:,} rows can be narrowed in a column", "bad" if rows else ""))
    return [Line(), FactList(facts, 19)] if facts else []


def _cells(attack: Attack) -> list[str]:
    low, high = attack["interval"]
    shares = [attack["main"], attack["baseline"], attack["control"], attack["risk"]]
    return [*(fixed(share, 3) for share in shares), f"{low:.3f} to {high:.3f}"]
