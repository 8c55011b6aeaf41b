"""What a column holds, recognized by the marks of its values, by its name, and by both.

Values alone and the name alone each give some certainty; agreement raises it, disagreement lowers it.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from kanon_sql.source.profile.kinds import Finding, Kind, Shares
from kanon_sql.source.profile.words import words_folder

LEAST = 0.5  # findings that are less sure are dropped
_NAME_ALONE = 0.55
_LITTLE_DOUBT = 1.4  # how much clearer than others a name is that means nothing else
_CHECKED_BY_NAME = {"us_ssn_digits": "social security number", "telephone_digits": "telephone"}
# (mark, finding, least share, how sure, what is said)
_SHAPED = (
    ("email", "e-mail", 0.8, 0.98, "have the shape of an e-mail address"),
    ("ip_4", "IP address", 0.9, 0.95, "are IPv4 addresses"),
    ("ip_6", "IP address", 0.9, 0.95, "are IPv6 addresses"),
    ("url", "URL", 0.8, 0.95, "are addresses of pages"),
    ("uuid", "id", 0.9, 0.95, "are UUIDs"),
    ("hardware", "id", 0.9, 0.9, "are hardware addresses"),
    ("handle", "id", 0.9, 0.8, "are names of accounts"),
    ("coordinate_pair", "coordinates", 0.8, 0.9, "are pairs of coordinates"),
    ("postal_uk", "postal code", 0.9, 0.9, "are British postal codes"),
    ("postal_ca", "postal code", 0.9, 0.9, "are Canadian postal codes"),
    ("postal_nl", "postal code", 0.9, 0.85, "are Dutch postal codes"),
    ("postal_parted", "postal code", 0.95, 0.55, "have the shape of postal codes"),
    ("icd_dotted", "ICD-10 code", 0.8, 0.9, "have the shape of ICD-10 codes"),
)


@dataclass(frozen=True)
class RecognitionFacts:
    """The facts about a column by which it is recognized; `repeats` is the mean number of rows for each distinct value.

    `writings` is the number of distinct values apart from case and blanks around them; None where not counted. `held`
    are the shares of all rows whose text holds e-mail addresses, telephone numbers and names.
    """

    name: str
    kind: Kind
    shares: Shares
    distinct: int
    alone: float
    repeats: float
    lowest: Any = None
    highest: Any = None
    one_length: bool = False
    writings: int | None = None
    held: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Checked:
    """A number of persons with a check digit: its finding, what is said of the values, and a minimum of values.

    With `least` values chance does not explain that all check digits are right.
    """

    finding: str
    claim: str
    least: int


_CHECKED = {
    "iban": Checked("IBAN", "are account numbers with right check digits", 1),
    "it_fiscal": Checked("tax number", "are Italian tax codes with a right check letter", 2),
    "de_pension": Checked("insurance number", "are German pension insurance numbers with a right check digit", 2),
    "de_health": Checked("insurance number", "are German health insurance numbers with a right check digit", 3),
    "us_medicare": Checked("insurance number", "have the shape of US Medicare numbers", 3),
    "fr_nir": Checked("social security number", "are French social security numbers with a right key", 2),
    "es_dni": Checked("social security number", "are Spanish identity numbers with a right check letter", 3),
    "uk_nino": Checked("insurance number", "have the shape of British national insurance numbers", 3),
    "fi_hetu": Checked("social security number", "are Finnish identity codes with a right check character", 2),
    "ch_ahv": Checked("social security number", "are Swiss AHV numbers with a right check digit", 2),
    "pl_pesel": Checked("social security number", "are Polish PESEL numbers with a right check digit", 4),
    "be_national": Checked("social security number", "are Belgian national numbers with right check digits", 3),
    "tr_kimlik": Checked("social security number", "are Turkish identity numbers with right check digits", 3),
    "se_person": Checked("social security number", "are Swedish personal numbers with a right check digit", 4),
    "br_cpf": Checked("tax number", "are Brazilian tax numbers with right check digits", 3),
    "de_tax": Checked("tax number", "are German tax numbers with a right check digit", 4),
    "at_svnr": Checked("insurance number", "are Austrian insurance numbers with a right check digit", 5),
    "uk_nhs": Checked("insurance number", "are NHS numbers with a right check digit", 5),
    "credit_card": Checked("credit card", "are card numbers with a right check digit", 4),
    "nl_bsn": Checked("social security number", "are Dutch citizen numbers that pass the eleven test", 6),
    "pt_nif": Checked("tax number", "are Portuguese tax numbers with a right check digit", 6),
    "ca_sin": Checked("social security number", "are Canadian insurance numbers with a right check digit", 6),
    "us_ssn": Checked("social security number", "have the shape of US social security numbers", 1),
}


def recognize(facts: RecognitionFacts) -> Finding | None:
    """The most likely finding for a column; None where nothing is likely enough."""
    by_name = named(facts.name)
    findings: dict[str, Finding] = {}
    for finding in _by_values(facts, by_name):
        if finding.name not in findings or findings[finding.name].sure < finding.sure:
            findings[finding.name] = finding
    for name, strength in by_name.items():
        if name in findings:
            finding = findings[name]
            sure = 1 - (1 - finding.sure) * (1 - _NAME_ALONE * strength)
            findings[name] = Finding(
                name, min(0.99, round(sure, 2)), f"{finding.why}, and the name of the column says so"
            )
        elif _may_be(name, facts):
            findings[name] = Finding(name, round(_NAME_ALONE * strength, 2), "the name of the column says so")
    for name in set(findings) - set(by_name) if by_name else ():
        finding = findings[name]
        findings[name] = Finding(name, round(finding.sure * 0.9, 2), finding.why)
    best = max(findings.values(), key=lambda finding: finding.sure, default=None)
    return best if best is not None and best.sure >= LEAST else None


def _by_values(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares = facts.shares
    for mark, checked in _CHECKED.items():
        share = shares.of(mark)
        # Of ten values or more, chance explains no large share of right ones, even where a few are mistyped.
        least = 0.8 if shares.looked_at >= 10 else 0.9
        if share >= least and (shares.looked_at >= checked.least or checked.finding in by_name):
            yield _finding(checked.finding, 0.96, facts, mark, checked.claim)
        elif share >= 0.6 and checked.finding in by_name:
            yield _finding(checked.finding, 0.8, facts, mark, checked.claim)
    for mark, name in _CHECKED_BY_NAME.items():
        if name in by_name and shares.of(mark) >= 0.8:
            yield _finding(name, 0.8, facts, mark, "have as many digits as such numbers")
    for mark, name, least, sure, claim in _SHAPED:
        if shares.of(mark) >= least:
            yield _finding(name, sure, facts, mark, claim)
        elif name in by_name and shares.of(mark) >= least / 2:
            yield _finding(name, sure * 0.7, facts, mark, claim)
    for part in (_telephone, _places, _persons, _dates, _codes, _free_text):
        yield from part(facts, by_name)


def _finding(name: str, sure: float, facts: RecognitionFacts, mark: str, claim: str) -> Finding:
    return Finding(name, round(sure, 2), f"{_percent(facts.shares.of(mark))} of {_values(facts)} {claim}")


def _values(facts: RecognitionFacts) -> str:
    """The number of values that the shares are of, and whether there are more."""
    return f"{facts.shares.looked_at:,} values{' looked at' if facts.distinct > facts.shares.looked_at else ''}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _telephone(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares = facts.shares
    if shares.of("telephone") >= 0.7 and facts.kind not in ("date", "timestamp", "whole number", "decimal"):
        clear = shares.of("telephone_abroad", "telephone_us", "telephone_fr") >= 0.3
        yield _finding("telephone", 0.9 if clear else 0.7, facts, "telephone", "have the shape of a telephone number")


def _places(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares, n = facts.shares, facts.shares.looked_at
    if shares.of("country_name") >= 0.8 and n >= 3:
        yield _finding("country", 0.9, facts, "country_name", "are names of countries")
    elif shares.of("country_two") >= 0.95 and (n >= 8 or "country" in by_name):
        yield _finding("country", 0.7, facts, "country_two", "are ISO codes of countries")
    elif shares.of("country_three") >= 0.95 and n >= 3:
        yield _finding("country", 0.85, facts, "country_three", "are ISO codes of countries")
    # A few categories with a number, as 1st class, are no addresses.
    few = facts.kind == "category" and n < 5 and "address" not in by_name
    if shares.words <= 14 and shares.of("street") >= 0.4 and not few:
        yield _finding(
            "address", 0.9 if shares.of("street") >= 0.6 else 0.85, facts, "street", "have a street and a number"
        )
    elif shares.words <= 14 and shares.of("number_first") >= 0.8 and (n >= 10 or "address" in by_name):
        yield _finding("address", 0.85, facts, "number_first", "begin with a house number and a name")
    if (shares.of("city") >= 0.6 and n >= 5) or (shares.of("city") >= 0.3 and "city" in by_name):
        yield _finding("city", 0.75, facts, "city", "are names of large cities")
    five = shares.of("postal_five")
    if five >= 0.9 and ("postal code" in by_name or (0.02 <= shares.of("padded") < 0.5 and facts.distinct >= 20)):
        yield _finding(
            "postal code", 0.8 if "postal code" in by_name else 0.6, facts, "postal_five", "have five digits"
        )
    elif "postal code" in by_name and shares.of("postal_four", "postal_parted", "digits_only") >= 0.9:
        yield Finding("postal code", 0.8, "the values have digits as postal codes do")
    if "coordinates" in by_name and shares.of("latitude", "longitude") >= 0.7:
        yield _finding("coordinates", 0.9, facts, "longitude", "are degrees with three decimals or more")


def _persons(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares, n = facts.shares, facts.shares.looked_at
    writings = facts.distinct if facts.writings is None else facts.writings
    if shares.of("sex_word") >= 0.9 and writings <= 15 and n >= 2:
        sure = 0.9 if shares.length > 1.5 else 0.7
        yield _finding("sex", sure, facts, "sex_word", "are words or letters for the sexes")
    elif "sex" in by_name and writings <= 6:
        yield Finding("sex", 0.6, f"there are {writings:,} distinct values")
    if "age" in by_name and facts.kind in ("whole number", "decimal") and shares.of("of_age") >= 0.95:
        yield _finding("age", 0.9, facts, "of_age", "lie between 0 and 120")
    yield from _names(facts, by_name)


def _names(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares, n = facts.shares, facts.shares.looked_at
    if facts.kind not in ("text", "category", "free text"):
        return
    first = shares.of("first_is_first_name", "second_is_first_name", "last_is_first_name")
    last = shares.of("last_is_surname", "first_is_surname")
    usual, is_name = max(first, last), "name" in by_name
    if shares.of("no_name") >= (0.6 if is_name else 0.25):
        return
    if shares.of("city", "country_name", "street") >= max(0.3, usual):
        return
    why = f"{_percent(first)} of {_values(facts)} have a usual first name, {_percent(last)} a usual surname"
    if shares.of("several_words", "comma_between") >= 0.75 and 1.9 <= shares.words <= 4.5:
        if (n >= 8 or is_name) and first >= 0.3 and last >= 0.15:
            yield Finding("name", 0.9, why)
        elif (n >= 15 and first >= 0.4) or (is_name and usual >= 0.1):
            yield Finding("name", 0.75, why)
    elif shares.of("one_word") >= 0.75:
        # Words that are names and something else do not count; a few names are enough where the column says so.
        least = (0.15, 0.15) if is_name else (0.4, 0.3) if n >= 15 else (2, 2)
        if first >= least[0] or last >= least[1]:
            yield Finding("name", 0.85, why)


def _dates(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    if facts.kind not in ("date", "timestamp"):
        if "birth date" in by_name and facts.shares.of("year_alone") >= 0.95:
            yield _finding("birth date", 0.8, facts, "year_alone", "are years")
        return
    yield Finding("date", 0.75, f"the values are {facts.kind}s")
    low, high = getattr(facts.lowest, "year", None), getattr(facts.highest, "year", None)
    if low is None or high is None:
        return
    if "birth date" in by_name:
        yield Finding("birth date", 0.9, f"the values are {facts.kind}s over {high - low} years")
    elif low >= 1900 and 45 <= high - low <= 125 and facts.distinct >= 100 and facts.kind == "date":
        yield Finding("birth date", 0.8, f"the values are dates on {facts.distinct:,} days of {high - low} years")


def _codes(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares, n = facts.shares, facts.shares.looked_at
    if shares.of("icd") >= 0.9 and (n >= 20 or "ICD-10 code" in by_name) and facts.repeats >= 1.2:
        yield _finding("ICD-10 code", 0.65, facts, "icd", "have the shape of ICD-10 categories")
    if facts.distinct < 2 or shares.of("year_alone") >= 0.95:
        return
    alone = f"{_percent(facts.alone)} of the rows have a value of their own"
    postal = shares.of("postal_four", "postal_five", "postal_parted") >= 0.9
    if facts.alone >= 0.98 and facts.kind in ("code", "text") and shares.of("coded") >= 0.9 and not postal:
        yield Finding("id", 0.85 if facts.one_length or "id" in by_name else 0.7, f"{alone}, codes with digits")
    elif facts.alone >= 0.98 and facts.kind == "whole number" and _is_sequence(facts):
        yield Finding("id", 0.9, f"{alone}, whole numbers in a row")
    elif (
        facts.alone >= 0.98
        and facts.kind == "whole number"
        and facts.one_length
        and shares.length >= 8
        and facts.distinct >= 100
    ):
        yield Finding("id", 0.7, f"{alone}, whole numbers of one length")
    elif "id" in by_name and facts.kind in ("whole number", "code", "text") and shares.words < 1.5:
        if facts.alone >= 0.9 or facts.distinct >= 50:
            yield Finding("id", 0.75, alone)
    elif "passport number" in by_name and shares.of("coded") >= 0.9 and shares.length >= 6:
        yield Finding("passport number", 0.8, alone)


def _is_sequence(facts: RecognitionFacts) -> bool:
    if not isinstance(facts.lowest, int) or not isinstance(facts.highest, int) or facts.distinct < 3:
        return False
    return facts.highest - facts.lowest + 1 <= 1.05 * facts.distinct


def _share_of_rows(share: float) -> str:
    """A share in percent; 0 and 100 only where that is exact."""
    if 0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1 else _percent(share)


def _free_text(facts: RecognitionFacts, by_name: dict[str, float]) -> Iterator[Finding]:
    shares = facts.shares
    held = [
        (mark, held_kind)
        for mark, held_kind in (
            ("holds_email", "e-mail addresses"),
            ("holds_telephone", "telephone numbers"),
            ("holds_name", "names with titles"),
        )
        if shares.of(mark) >= 0.005
    ]
    holds = "".join(f", {_share_of_rows(facts.held[mark])} of the rows hold {held_kind}" for mark, held_kind in held)
    if facts.kind == "free text" or (shares.words >= 4 and held):
        yield Finding("free text", 0.9 if held else 0.8, f"{shares.words:.0f} words on average{holds}")


def _may_be(name: str, facts: RecognitionFacts) -> bool:
    """Whether the values of a column allow what only its name says."""
    shares, text = facts.shares, facts.kind in ("text", "category", "free text", "code")
    if facts.kind == "empty":
        return False
    if name in ("name", "city", "country"):
        return facts.kind in ("text", "category") and shares.of("coded") < 0.3 and facts.distinct > 2
    if name == "address":
        return facts.kind in ("text", "free text") and shares.words >= 1.5
    if name == "free text":
        return facts.kind in ("text", "free text") and shares.words >= 2.5
    if name == "id":
        return facts.kind in ("code", "whole number", "text") and facts.distinct >= 20 and shares.words < 1.5
    if name in ("age", "birth date", "sex", "coordinates", "ICD-10 code", "IP address", "URL", "e-mail"):
        return False
    if name == "postal code":
        return shares.words <= 2 and shares.length <= 10 and shares.of("digits_only", "coded") >= 0.5
    return text and shares.of("coded", "digits_only", "telephone_digits") >= 0.5 and shares.length >= 5


@cache
def _listed() -> tuple[tuple[str, str, str], ...]:
    """(finding, fit, a word without blanks) for all words that a column may be called."""
    with (words_folder() / "columns.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            (row["finding"], row["fit"], word.replace(" ", ""))
            for row in csv.DictReader(file)
            for word in row["words"].split("|")
        )


@cache
def named(name: str) -> dict[str, float]:
    """The findings that the name of a column says, by strength: 1 or more for the whole name, less for a part."""
    words = _words(name)
    parts = {"".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 4) + 1)}
    whole, strengths = "".join(words), dict[str, float]()
    for finding, fit, word in _listed():
        if fit == "sure" and word in parts:
            strengths[finding] = _LITTLE_DOUBT
        elif word == whole:
            strengths[finding] = max(strengths.get(finding, 0), 1.0)
        elif fit == "part" and word in parts and len(word) > 1:
            strengths[finding] = max(strengths.get(finding, 0), 0.8 if len(word) >= 3 or word == words[-1] else 0.6)
    clear = {finding: strength for finding, strength in strengths.items() if strength >= 1}
    return clear or strengths


def _words(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("\u00df", "ss"))
    plain = unicodedata.normalize("NFD", parted).translate({ord("\u0142"): "l", ord("\u0131"): "i", ord("\u00f8"): "o"})
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()
    return re.findall(r"[a-z]+|[0-9]+", plain)
