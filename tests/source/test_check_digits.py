"""Check digits in SQL against published numbers, and against the rules in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_sql.source.profile.counting import GROUPS, look, marked, named_columns, take_sample
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.template import state

# Numbers of the bodies that issue them, of standards and of their encyclopaedia articles.
VALID = {
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606", "NO9386011117947"],
    "credit_card": ["4111 1111 1111 1111", "378282246310005", "5555555555554444", "6011-1111-1111-1117"],
    "us_ssn": ["219-09-9999", "078-05-1120"],
    "de_tax": ["86095742719", "26954371827", "65929970489", "57549285017"],
    "de_pension": ["15070649C103", "65 170839 J 003"],
    "de_health": ["A123456780"],
    "fr_nir": ["255081416802538", "1 84 12 76 451 089 46", "2 69 05 49 588 157 80"],
    "uk_nino": ["AB123456C", "AA 12 34 56 A"],
    "uk_nhs": ["943 476 5919", "9876543210", "4010232137"],
    "es_dni": ["12345678Z", "X1234567L", "Y1234567X", "Z1234567R", "00000000T"],
    "it_fiscal": ["RSSMRA85T10A562S", "MRTMTT25D09F205Z", "MRTMTT91D08F205J"],
    "nl_bsn": ["111222333", "123456782"],
    "pl_pesel": ["44051401359", "02070803628"],
    "ch_ahv": ["756.9217.0769.85", "756.1234.5678.97"],
    "at_svnr": ["1237010180"],
    "pt_nif": ["123456789", "501442600"],
    "tr_kimlik": ["10000000146"],
    "be_national": ["85.07.30-033.28", "17073003384", "00012556777"],
    "se_person": ["811218-9876", "19811218-9876"],
    "fi_hetu": ["131052-308T"],
    "ca_sin": ["046 454 286", "193 456 787"],
    "br_cpf": ["111.444.777-35", "529.982.247-25"],
    "us_medicare": ["1EG4-TE5-MK73"],
    "ip_6": ["2001:db8::1", "::1", "fe80:0:0:0:0:0:0:1"],
    "ip_4": ["192.0.2.1", "255.255.255.255"],
    "email": ["a.b@example.org", "o'neil+x@mail.example.co.uk", "jürgen@müller.de"],
    "telephone": ["+49 30 901820", "(212) 555-0123", "01 42 68 53 00", "020 7946 0958", "030/901820", "0171-1234567"],
    "postal_uk": ["SW1A 1AA", "M1 1AE", "EC1A1BB"],
    "icd_dotted": ["J45.9", "F32.1 G", "S72.01XA"],
    "uuid": ["7b0b1e4e-9b1f-4a43-8d3b-0b1b9d0c5a11"],
    "street": ["12 Main Street", "Hauptstraße 5", "8 rue de la Paix", "Calle Mayor 4, 2", "Via Roma 1", "ul. Długa 3"],
}
INVALID = {
    "iban": ["DE89370400440532013001", "GB82WEST12345698765431", "DE8937040044053201300"],
    "credit_card": ["4111111111111112", "1234567812345678", "79927398713"],
    "us_ssn": ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "123456789"],
    "de_tax": ["86095742718", "02476291358", "12345678901"],
    "de_pension": ["15070649C104", "15990649C103"],
    "de_health": ["A123456781", "1234567890"],
    "fr_nir": ["255081416802539", "355081416802538"],
    "uk_nino": ["QQ123456C", "BG123456A", "AB123456E"],
    "uk_nhs": ["9434765918", "9434765910"],
    "es_dni": ["12345678A", "X1234567Z"],
    "it_fiscal": ["RSSMRA85T10A562T", "RSSMRA85T10A56"],
    "nl_bsn": ["111222334", "000000000"],
    "pl_pesel": ["44051401358", "44951401359"],
    "ch_ahv": ["756.9217.0769.84", "7571234567897"],
    "at_svnr": ["1238010180", "1237320180"],
    "pt_nif": ["123456788", "423456789"],
    "tr_kimlik": ["10000000147", "00000000146"],
    "be_national": ["85073003329"],
    "se_person": ["8199189872", "811218-9875", "811318-9876"],
    "fi_hetu": ["131052-308U", "991352-308T"],
    "ca_sin": ["046 454 287"],
    "br_cpf": ["111.444.777-36", "111.111.111-11"],
    "us_medicare": ["0EG4-TE5-MK73", "1SG4-TE5-MK73"],
    "ip_6": ["10:20:30", "2001:db8", "::::"],
    "ip_4": ["256.1.1.1", "1.2.3", "1.2.3.4.5"],
    "email": ["a@b", "a b@example.org", "@example.org"],
    "telephone": ["2020-01-31", "01.02.2020", "12345", "0.123456", "1.234.567", "A12-345"],
    "postal_uk": ["12345", "SW1A"],
    "icd_dotted": ["45.9", "JJ5.9", "J45"],
    "uuid": ["7b0b1e4e9b1f4a438d3b0b1b9d0c5a11"],
    "street": ["Main Street", "5 apples", "12 Monkeys", "Married-civ-spouse"],
}


def marks_of(engine: Engine, values: Sequence[str]) -> list[Mapping[str, int]]:
    """For each value which marks it has: 1, or 0."""
    engine.run(
        f"CREATE OR REPLACE TEMP TABLE {state('profile_values')} AS "
        "SELECT unnest(range(len($v))) AS position, unnest($v) AS value, 1 AS row_count",
        {"v": list(values)},
    )
    take_sample(engine, 1, range(len(values)))
    by_position = marked(engine, look(engine))
    return [by_position[position].marks for position in range(len(values))]


def test_published_numbers() -> None:
    values = [value for some in (VALID, INVALID) for listed in some.values() for value in listed]
    with open_engine(EngineOptions(show_values=True)) as engine:
        marks = dict(zip(values, marks_of(engine, values), strict=True))
    assert [(mark, number) for mark, listed in VALID.items() for number in listed if not marks[number].get(mark)] == []
    assert [(mark, number) for mark, listed in INVALID.items() for number in listed if marks[number].get(mark)] == []


def asked_in_vain(engine: Engine, values: Sequence[str]) -> list[tuple[str, str]]:
    """Marks of values whose group would not have been asked for, had the value been alone in its column.

    Names are left out: they are those of columns whose values have no digits, and words beside digits are none.
    """
    names = {"first_is_first_name", "last_is_first_name", "second_is_first_name"}
    names |= {"first_is_surname", "last_is_surname", "no_name"}
    return [
        (group, mark)
        for marks in marks_of(engine, values)
        for group in GROUPS
        for mark in named_columns(f"source/profile/marks_{group}")[1:]
        if marks.get(mark) and not marks[group] and mark not in names
    ]


def test_marks_are_asked_for_where_a_value_may_have_them() -> None:
    values = [value for some in (VALID, INVALID) for listed in some.values() for value in listed]
    values += ["Anna Schmidt", "Schmidt, Anna", "anna", "Berlin", "f", "DE", "12 Main Street", "A1", "1,234.5", "1e5"]
    with open_engine(EngineOptions(show_values=True)) as engine:
        assert asked_in_vain(engine, values) == []


@given(st.lists(st.text("019AZaz .,-+/@:()'\u00e9", min_size=1, max_size=20), min_size=1, max_size=20))
@settings(max_examples=tries(15), deadline=None)
def test_marks_are_asked_for_whatever_the_value(values: list[str]) -> None:
    with open_engine(EngineOptions(show_values=True)) as engine:
        assert asked_in_vain(engine, [f"{value}0" for value in values] + [f"A{value}" for value in values]) == []


def luhn(text: str) -> bool:
    doubled = [int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(text))]
    return sum(number // 10 + number % 10 for number in doubled) % 10 == 0


def iban(text: str) -> bool:
    return int("".join(str(int(letter, 36)) for letter in text[4:] + text[:4])) % 97 == 1


def german_tax(text: str) -> bool:
    product, digits = 10, [int(digit) for digit in text]
    for digit in digits[:10]:
        product = ((product + digit) % 10 or 10) * 2 % 11
    return digits[0] > 0 and len(set(digits[:10])) in (8, 9) and (11 - product) % 10 == digits[10]


def weighted(weights: Sequence[int], modulus: int) -> Callable[[str], int]:
    return lambda text: sum(weight * int(digit) for weight, digit in zip(weights, text, strict=False)) % modulus


def nhs(text: str) -> bool:
    return (11 - weighted(range(10, 1, -1), 11)(text)) % 11 == int(text[9]) and weighted(range(10, 1, -1), 11)(
        text
    ) != 1


def bsn(text: str) -> bool:
    return int(text) > 0 and weighted([9, 8, 7, 6, 5, 4, 3, 2, -1], 11)(text) == 0


def pesel(text: str) -> bool:
    month, day = int(text[2:4]) % 20, int(text[4:6])
    return 1 <= month <= 12 and 1 <= day <= 31 and weighted([1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1], 10)(text) == 0


def spanish(text: str) -> bool:
    return text[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(text[:8]) % 23]


def german_pension(text: str) -> bool:
    digits = text[:8] + f"{ord(text[8]) - 64:02d}" + text[9:11]
    weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
    products = [weight * int(digit) for weight, digit in zip(weights, digits, strict=True)]
    return sum(number // 10 + number % 10 for number in products) % 10 == int(text[11])


ODD = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)) | dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)


def italian(text: str) -> bool:
    """By the table of the decree of 23 December 1976."""
    even = sum(int(letter) if letter.isdigit() else ord(letter) - 65 for letter in text[1:15:2])
    return (even + sum(ODD[letter] for letter in text[0:15:2])) % 26 == ord(text[15]) - 65


DIGITS = "0123456789"
SETS = {"D": DIGITS, "N": DIGITS[1:], "L": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
RULES: dict[str, tuple[Callable[[str], bool], list[str]]] = {
    "credit_card": (luhn, ["4", *[DIGITS] * 15]),
    "iban": (iban, ["GF", "BR", *[DIGITS] * 4, "ABCXYZ", *[DIGITS] * 12]),
    "de_tax": (german_tax, ["123456789", *[DIGITS] * 10]),
    "uk_nhs": (nhs, [DIGITS] * 10),
    "nl_bsn": (bsn, [DIGITS] * 9),
    "pl_pesel": (pesel, [DIGITS] * 11),
    "es_dni": (spanish, [*[DIGITS] * 8, "TRWAGMYFPDXBNJZSQVHLCKE"]),
    "de_pension": (german_pension, [*"DD", "0", "N", "0", "D", "D", "D", "ABCXYZ", *"DDD"]),
    "it_fiscal": (italian, [*["ABCXYZ"] * 6, *"DD", "ABCDEHLMPRST", *"DD", "AFZ", *"DDD", "L"]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mark", RULES)
@given(data=st.data())
def test_check_digits_are_those_of_plain_python(mark: str, data: st.DataObject) -> None:
    rule, letters = RULES[mark]
    letters = [SETS.get(kind, kind) for kind in letters]
    texts = st.tuples(*map(st.sampled_from, letters)).map("".join)
    drawn = data.draw(st.lists(texts, min_size=10, max_size=10, unique=True))
    # Every last character of each, so that right ones are among them.
    values = [text[:-1] + last for text in drawn for last in letters[-1]]
    with open_engine(EngineOptions(show_values=True)) as engine:
        assert [marks.get(mark, 0) > 0 for marks in marks_of(engine, values)] == [rule(text) for text in values]
