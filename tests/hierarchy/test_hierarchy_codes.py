"""The built-ins of codes against plain Python and numbers that their publishers name."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from string import ascii_uppercase

import pytest
from builtin_labels import build, engine, few, labels, left_out
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.hierarchy.builtin import CODES
from kanon_sql.hierarchy.ready import hierarchies_folder
from kanon_sql.sql.connection import Engine

__all__ = ["engine"]

Labels = tuple[str, ...] | None


def table(name: str) -> list[dict[str, str]]:
    with (hierarchies_folder() / "codes" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# Blocks of the WHO's version 2019 in each chapter, and what national and earlier editions have beside them.
BLOCKS = {
    "A00-B99": 21, "C00-D48": 18, "D50-D89": 6, "E00-E90": 8, "F00-F99": 11, "G00-G99": 11, "H00-H59": 11,
    "H60-H95": 4, "I00-I99": 10, "J00-J99": 10, "K00-K93": 10, "L00-L99": 8, "M00-M99": 15, "N00-N99": 11,
    "O00-O99": 8, "P00-P96": 10, "Q00-Q99": 11, "R00-R99": 13, "S00-T98": 23, "U00-U99": 2, "V01-Y98": 35,
    "Z00-Z99": 7,
}  # fmt: skip
NATIONAL = {
    "A90-A91", "B10-B10", "C7A-C7A", "C7B-C7B", "D3A-D3A", "D49-D49", "D78-D78", "D90-D90", "E08-E09", "E36-E36",
    "G65-G65", "G89-G89", "I16-I16", "K68-K68", "K94-K95", "L49-L49", "L76-L76", "M04-M04", "M26-M27", "N52-N53",
    "N65-N65", "O09-O09", "O76-O77", "P09-P09", "P19-P19", "P84-P84", "QA0-QA0", "U50-U52", "U55-U55", "U60-U61",
    "U69-U69", "U80-U81", "U88-U89", "U99-U99", "V00-V00", "Y37-Y38", "Y99-Y99", "Z14-Z19", "Z66-Z69", "Z77-Z79",
}  # fmt: skip
LETTERS = {"C4A": "C43-C44", "I1A": "I10-I15", "I5A": "I30-I52", "J4A": "J40-J47", "M1A": "M05-M14",
           "O9A": "O94-O99", "Z3A": "Z30-Z39"}  # fmt: skip


def test_chapters_and_blocks_of_icd10() -> None:
    rows = table("icd10")
    own = [row for row in rows if row["block"] in NATIONAL]
    letters = {row["first"]: row["block"] for row in rows if row["first"] == row["last"] and row["first"] in LETTERS}
    who = [row for row in rows if row not in own and row["first"] not in letters]
    assert (len(BLOCKS), sum(BLOCKS.values())) == (22, 263)
    assert Counter(row["chapter"] for row in who) == BLOCKS
    assert {row["block"] for row in own} == NATIONAL
    assert letters == LETTERS
    assert all(row["block"] == f"{row['first']}-{row['last']}" for row in who + own)


def test_blocks_of_icd10_do_not_overlap() -> None:
    plain = [row for row in table("icd10") if row["last"][2].isdigit() and row["first"][1].isdigit()]
    assert len(plain) == len(table("icd10")) - len(LETTERS) - 4
    assert all(row["first"] <= row["last"] for row in plain)
    assert all(below["last"] < above["first"] for below, above in pairwise(plain))
    beside = {"D49", "K94", "Y99", "V00", "D90"}  # in no range of the WHO's chapters
    for row in plain:
        if row["first"] not in beside:
            first, last = row["chapter"].split("-")
            assert first <= row["first"] and row["last"] <= last
    # Chapters meet: from A00 to Z99 each category is in one at most.
    chapters = sorted({row["chapter"] for row in plain})
    assert all(below[4:] < above[:3] for below, above in pairwise(chapters))


@cache
def categories() -> dict[str, tuple[str, str]]:
    """The block and chapter of each category of ICD-10."""
    rows, every = table("icd10"), [f"{letter}{number:02}" for letter in ascii_uppercase for number in range(100)]
    return {
        category: (row["block"], row["chapter"])
        for row in rows
        if row["last"][2].isdigit() and row["first"][1].isdigit()
        for category in every
        if row["first"] <= category <= row["last"]
    } | {row["first"]: (row["block"], row["chapter"]) for row in rows if row["first"] == row["last"]}


def of_icd10(text: str) -> Labels:
    code = text.strip(" \t\n\r\f").upper()
    code = re.sub(r"[ \t\n\r\f]+[GVAZRLB]{1,2}\Z", "", code)
    code = re.sub(r"[*+!#†]\Z", "", code)
    code = re.sub(r"\.?-\Z", "", code)
    category, rest = code[:3], code[3:].removeprefix(".")
    if category not in categories() or not re.fullmatch("[0-9A-Z]{0,4}", rest):
        return None
    return category, *categories()[category]


SECTIONS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTU",
        [range(1, 4), range(5, 10), range(10, 34), range(35, 36), range(36, 40), range(41, 44), range(45, 48),
         range(49, 54), range(55, 57), range(58, 64), range(64, 67), range(68, 69), range(69, 76), range(77, 83),
         range(84, 85), range(85, 86), range(86, 89), range(90, 94), range(94, 97), range(97, 99), range(99, 100)],
        strict=True,
    )
)  # fmt: skip


def test_numbers_of_nace_and_isco() -> None:
    assert (len(SECTIONS), sum(map(len, SECTIONS.values()))) == (21, 88)
    assert {row["section"]: (int(row["first"]), int(row["last"])) for row in table("nace")} == {
        section: (divisions[0], divisions[-1]) for section, divisions in SECTIONS.items()
    }
    sub_major = [f"{n:02}" for row in table("isco") for n in range(int(row["first"]), int(row["last"]) + 1)]
    assert (len(sub_major), len({digits[0] for digits in sub_major})) == (43, 10)
    assert all(row["first"][0] == row["last"][0] == row["major"] for row in table("isco"))


def of_nace(text: str) -> Labels:
    match = re.fullmatch(r"(?a)\s*([A-U])?\s?(?:(\d\d)(?:\.?(\d)(?:\d(?:\.?[0-9A-Z]{1,2})?)?)?)?\s*", text.upper())
    if match is None or not (match[1] or match[2]):
        return None
    if match[2] is None:
        return (match[1],) * 3
    section = next((letter for letter, divisions in SECTIONS.items() if int(match[2]) in divisions), None)
    if section is None or match[1] not in (None, section):
        return None
    return match[2] + (f".{match[3]}" if match[3] else ""), match[2], section


def of_isco(text: str) -> Labels:
    match = re.fullmatch(r"(?a)\s*(\d{1,4})(?:\.[\d.]*)?\s*", text)
    if match is None:
        return None
    code = match[1]
    if code in ("110", "210", "310"):
        code = "0" + code
    if len(code) == 3 and code[2] == "0":
        return None
    while len(code) in (2, 3, 4) and len(match[1]) > 2 and len(code) > 1 and code[-1] == "0":
        code = code[:-1]
    majors = {row["major"]: (row["first"], row["last"]) for row in table("isco")}
    first, last = majors[code[0]]
    if len(code) > 1 and not first <= code[:2] <= last:
        return None
    return code[:3], code[:2], code[:1]


def of_plz(text: str) -> Labels:
    match = re.fullmatch(r"(?a)\s*(?:DE?[- ])?(\d{4,5})\s*", text.upper())
    code = match[1].rjust(5, "0") if match else "00"
    return None if code.startswith("00") else (f"{code[:3]}**", f"{code[:2]}***", f"{code[0]}****")


REGIONS = {row["first"]: row["region"] for row in table("fr-postal")}


def test_departments_and_regions_of_france() -> None:
    mainland = {f"{n:02}" for n in range(1, 96) if n != 20} | {"2A", "2B"}
    assert len(mainland) == 96
    overseas = {"971", "972", "973", "974", "976"}
    assert set(REGIONS) == mainland | overseas | {"975", "977", "978", "980", "984", "986", "987", "988"}
    assert len({REGIONS[number] for number in mainland}) == 13
    assert len({REGIONS[number] for number in overseas}) == 5
    assert Counter(REGIONS[number] for number in mainland) == {
        "Auvergne-Rhône-Alpes": 12, "Bourgogne-Franche-Comté": 8, "Bretagne": 4, "Centre-Val de Loire": 6, "Corse": 2,
        "Grand Est": 10, "Hauts-de-France": 5, "Île-de-France": 8, "Normandie": 5, "Nouvelle-Aquitaine": 12,
        "Occitanie": 13, "Pays de la Loire": 5, "Provence-Alpes-Côte d'Azur": 6,
    }  # fmt: skip


def of_postal(text: str) -> Labels:
    match = re.fullmatch(r"(?a)\s*(?:FR?[- ])?(\d{4,5})\s*", text.upper())
    if match is None:
        return None
    code = match[1].rjust(5, "0")
    department = {"200": "2A", "201": "2A", "202": "2B", "206": "2B"}.get(code[:3])
    department = department or (code[:3] if code[:2] in ("97", "98") else code[:2])
    return (department, REGIONS[department]) if department in REGIONS else None


def test_areas_of_postcodes() -> None:
    areas = [row["area"] for row in table("uk-postcode")]
    assert len(set(areas)) == len(areas) == 124
    assert all(row["first"] == row["last"] == row["area"] for row in table("uk-postcode"))


def of_postcode(text: str) -> Labels:
    text = text.upper()
    whole = re.fullmatch(r"(?a)[ \t\n\r\f]*([A-Z]{1,2})(\d[\dA-Z]?)[ \t\n\r\f]*(\d)[A-Z]{2}[ \t\n\r\f]*", text)
    part = re.fullmatch(r"(?a)[ \t\n\r\f]*([A-Z]{1,2})(\d[\dA-Z]?)(?:[ \t\n\r\f]+(\d))?[ \t\n\r\f]*", text)
    match = whole or part
    if match is None or match[1] not in {row["area"] for row in table("uk-postcode")}:
        return None
    district = match[1] + match[2]
    return f"{district} {match[3]}" if match[3] else district, district, match[1]


ORACLES = {
    "icd10": of_icd10,
    "nace": of_nace,
    "isco": of_isco,
    "de-plz": of_plz,
    "fr-postal": of_postal,
    "uk-postcode": of_postcode,
}
SHAPES = {
    "icd10": r"[ \n]?[A-Za-z][0-9A][0-9Ax](\.?[0-9A-Zx]{0,5})(\.?-)?[*+!#†§]?( ?[GRLx]{1,3})?[ ]?",
    "nace": r"[ ]?[A-Va-c]? ?([0-9]{0,3})(\.?[0-9]{1,2})?(\.?[0-9Zz]{1,3})?[ ]?",
    "isco": r"[ ]?[0-9]{1,5}(\.[0-9.]?)?[ ]?",
    "de-plz": r"[ ]?(D|DE|d|F)?[- ]?[0-9]{3,6}[ ]?",
    "fr-postal": r"[ ]?(F|FR|fr|D)?[- ]?(20|97|98|0|75)?[0-9]{2,5}[ ]?",
    "uk-postcode": r"[ ]?(SW|sw|M|EC|GY|QQ|[A-Z]{1,2})[0-9][0-9A-Z]?[ ]{0,2}([0-9]([A-Za-z]{2})?)?[ ]?",
}
hostile = st.text(alphabet="A0.9- *'\"\\é\n\x00†", max_size=9)


@few
@pytest.mark.parametrize("name", CODES)
@given(st.data())
def test_levels_of_codes(engine: Engine, name: str, data: st.DataObject) -> None:
    shaped = st.from_regex(re.compile(SHAPES[name], re.ASCII), fullmatch=True)
    values = data.draw(st.sets(shaped | hostile, min_size=1, max_size=60))
    mapping = build(engine, sorted(values), "VARCHAR", builtin=name)
    expected = {value: ORACLES[name](value) for value in values}
    covered = {value: levels for value, levels in expected.items() if levels is not None}
    assert labels(engine, mapping) == covered
    assert left_out(engine, mapping) == len(values) - len(covered)
    assert (mapping.height, mapping.leaves) == (CODES[name].levels + 1, max(len(covered), 1))


KNOWN = [
    ("icd10", "A00.1", ("A00", "A00-A09", "A00-B99")),
    ("icd10", "i219", ("I21", "I20-I25", "I00-I99")),
    ("icd10", "J45.-", ("J45", "J40-J47", "J00-J99")),
    ("icd10", "E10.3† G", ("E10", "E10-E14", "E00-E90")),
    ("icd10", "S72.001A", ("S72", "S70-S79", "S00-T98")),
    ("icd10", "Y05", ("Y05", "X85-Y09", "V01-Y98")),
    ("icd10", "U07.1", ("U07", "U00-U49", "U00-U99")),
    ("icd10", "C50.9", ("C50", "C50-C50", "C00-D48")),
    ("icd10", "C7A.0", ("C7A", "C7A-C7A", "C00-D48")),
    ("icd10", "H60", ("H60", "H60-H62", "H60-H95")),
    ("nace", "01.11", ("01.1", "01", "A")),
    ("nace", "6201Z", ("62.0", "62", "J")),
    ("nace", "S96.09", ("96.0", "96", "S")),
    ("isco", "2211", ("221", "22", "2")),
    ("isco", "0110", ("011", "01", "0")),
    ("isco", "110", ("011", "01", "0")),
    ("isco", "2200", ("22", "22", "2")),
    ("de-plz", "1067", ("010**", "01***", "0****")),
    ("fr-postal", "20137", ("2A", "Corse")),
    ("fr-postal", "20600", ("2B", "Corse")),
    ("fr-postal", "1000", ("01", "Auvergne-Rhône-Alpes")),
    ("uk-postcode", "sw1a1aa", ("SW1A 1", "SW1A", "SW")),
    ("uk-postcode", "M11AE", ("M1 1", "M1", "M")),
]


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in KNOWN))
def test_known_codes(engine: Engine, name: str) -> None:
    expected = {value: levels for of, value, levels in KNOWN if of == name}
    assert labels(engine, build(engine, sorted(expected), "VARCHAR", builtin=name)) == expected


def test_codes_that_are_whole_numbers(engine: Engine) -> None:
    assert labels(engine, build(engine, [1067], "INTEGER", builtin="de-plz")) == {
        "1067": ("010**", "01***", "0****"),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("icd10", "A29"), ("icd10", "21.9"), ("icd10", "A00.12345"), ("nace", "04.1"), ("nace", "B01.1"),
     ("isco", "2711"), ("isco", "9999"), ("de-plz", "00123"), ("fr-postal", "20500"), ("uk-postcode", "QQ1 1AA")],
)  # fmt: skip
def test_codes_that_there_are_not(engine: Engine, name: str, value: str) -> None:
    mapping = build(engine, [value], "VARCHAR", builtin=name)
    assert left_out(engine, mapping) == 1
