"""The ready hierarchies: their facts, and how they are found."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.file import Hierarchy, read_hierarchy
from kanon_sql.hierarchy.ready import find_hierarchy, hierarchies_folder, ready_files, ready_hierarchies

FILES = [name for name, path in ready_files().items() if path.suffix == ".csv"]
# The 22 subregions of the UN geoscheme with their regions (UN Statistics Division, M49), and how many of the 249
# entries of ISO 3166-1 lie in each.
SUBREGIONS = {
    "Northern Africa": ("Africa", 7),
    "Eastern Africa": ("Africa", 22),
    "Middle Africa": ("Africa", 9),
    "Southern Africa": ("Africa", 5),
    "Western Africa": ("Africa", 17),
    "Caribbean": ("Americas", 28),
    "Central America": ("Americas", 8),
    "South America": ("Americas", 16),
    "Northern America": ("Americas", 5),
    "Central Asia": ("Asia", 5),
    "Eastern Asia": ("Asia", 8),
    "South-eastern Asia": ("Asia", 11),
    "Southern Asia": ("Asia", 9),
    "Western Asia": ("Asia", 18),
    "Eastern Europe": ("Europe", 10),
    "Northern Europe": ("Europe", 16),
    "Southern Europe": ("Europe", 16),
    "Western Europe": ("Europe", 9),
    "Australia and New Zealand": ("Oceania", 6),
    "Melanesia": ("Oceania", 5),
    "Micronesia": ("Oceania", 8),
    "Polynesia": ("Oceania", 10),
    "Antarctica": ("Antarctica", 1),
}


def ready(name: str) -> Hierarchy:
    place = find_hierarchy(name, Path("/nowhere"))
    assert isinstance(place, Path)
    return read_hierarchy(place)


def labels(name: str) -> dict[str, tuple[str, ...]]:
    hierarchy = ready(name)
    return {column[0]: column[1:] for column in zip(*hierarchy.levels, strict=True)}


@pytest.mark.parametrize("name", FILES)
def test_files_are_well_formed_and_end_in_a_star(name: str) -> None:
    assert set(ready(name).levels[-1]) == {"*"}


def test_each_one_is_described() -> None:
    readme = (hierarchies_folder() / "README.md").read_text(encoding="utf-8")
    assert {listed.name for listed in ready_hierarchies()} == set(ready_files())
    for name in ready_files():
        assert f"\n| {name} |" in readme


# Of each language its words for the 23 subregions, in the order of SUBREGIONS, and the names of some countries.
IN_GERMAN = (
    "Nordafrika Ostafrika Zentralafrika Südliches_Afrika Westafrika Karibik Mittelamerika Südamerika "
    "Nördliches_Amerika Zentralasien Ostasien Südostasien Südasien Westasien Osteuropa Nordeuropa Südeuropa "
    "Westeuropa Australien_und_Neuseeland Melanesien Mikronesien Polynesien Antarktis"
)
IN_FRENCH = (
    "Afrique_septentrionale Afrique_orientale Afrique_centrale Afrique_australe Afrique_occidentale Caraïbes "
    "Amérique_centrale Amérique_du_Sud Amérique_septentrionale Asie_centrale Asie_de_l'Est Asie_du_Sud-Est "
    "Asie_du_Sud Asie_de_l'Ouest Europe_de_l'Est Europe_du_Nord Europe_du_Sud Europe_de_l'Ouest "
    "Australie_et_Nouvelle-Zélande Mélanésie Micronésie Polynésie Antarctique"
)


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("country-de", IN_GERMAN, {"Deutschland": "DE", "Tschechische Republik": "CZ", "Côte d'Ivoire": "CI",
                                   "Südkorea": "KR", "Österreich": "AT", "USA": "US", "Weißrussland": "BY"}),
        ("country-fr", IN_FRENCH, {"Allemagne": "DE", "États-Unis": "US", "Etats-Unis": "US", "Côte d'Ivoire": "CI",
                                   "Corée du Sud": "KR", "Royaume-Uni": "GB", "Espagne": "ES"}),
    ],
)  # fmt: skip
def test_countries_in_other_languages(name: str, words: str, expected: dict[str, str]) -> None:
    """The same countries, told apart and put together as by their codes."""
    spoken = dict(zip(SUBREGIONS, [word.replace("_", " ") for word in words.split()], strict=True))
    codes, labels_of = labels("country-alpha2"), labels(name)
    assert set(spoken.values()) == {above[0] for above in labels_of.values()}
    for country, code in expected.items():
        assert labels_of[country][0] == spoken[codes[code][0]]
    # As many names in a subregion as it has countries, at least; regions are those of their subregions.
    regions = {subregion: region for subregion, region, _ in labels_of.values()}
    assert all(above == (above[0], regions[above[0]], "*") for above in labels_of.values())
    for subregion, (region, countries) in SUBREGIONS.items():
        assert sum(above[0] == spoken[subregion] for above in labels_of.values()) >= countries
        same = {regions[spoken[subregion_code]] for subregion_code, (above, _) in SUBREGIONS.items() if above == region}
        assert len(same) == 1


def test_numeric_codes_are_three_digits() -> None:
    labels_of = labels("country-numeric")
    assert len(labels_of) == 249
    assert all(len(code) == 3 and code.isdigit() for code in labels_of)
    assert sorted(labels_of.values()) == sorted(labels("country-alpha2").values())
    for number, code in [("276", "DE"), ("840", "US"), ("008", "AL"), ("250", "FR"), ("826", "GB"), ("392", "JP")]:
        assert labels_of[number] == labels("country-alpha2")[code]


def test_sexes_in_several_languages() -> None:
    assert {"m", "M", "w", "weiblich", "männlich", "divers", "homme", "Femme", "Female"} <= set(labels("sex"))
    assert set(labels("sex").values()) == {("*",)}


@pytest.mark.parametrize("name", ["country-alpha2", "country-alpha3"])
def test_all_countries_are_in_their_regions(name: str) -> None:
    hierarchy = ready(name)
    assert len(hierarchy.leaves) == 249
    assert all(leaf.isascii() and leaf.isupper() for leaf in hierarchy.leaves)
    assert {len(leaf) for leaf in hierarchy.leaves} == {int(name[-1])}
    pairs = list(zip(hierarchy.levels[1], hierarchy.levels[2], strict=True))
    assert {sub: (region, pairs.count((sub, region))) for sub, region in pairs} == SUBREGIONS


def test_codes_and_names_agree() -> None:
    sizes = [sorted(labels(name).values()) for name in ("country-alpha2", "country-alpha3")]
    assert sizes[0] == sizes[1]
    names = labels("country")
    assert set(names.values()) == set(sizes[0])
    for code2, code3, name in [
        ("US", "USA", "United States of America"),
        ("GB", "GBR", "Scotland"),
        ("DE", "DEU", "Germany"),
        ("NA", "NAM", "Namibia"),
        ("CI", "CIV", "Côte d'Ivoire"),
        ("CI", "CIV", "Ivory Coast"),
        ("CZ", "CZE", "Czech Republic"),
        ("TR", "TUR", "Türkiye"),
        ("TR", "TUR", "Turkey"),
        ("VN", "VNM", "Viet Nam"),
        ("KR", "KOR", "Korea, Republic of"),
        ("NR", "NRU", "Nauru"),
        ("TW", "TWN", "Taiwan"),
        ("MK", "MKD", "North Macedonia"),
        ("CD", "COD", "Democratic Republic of the Congo"),
    ]:
        assert labels("country-alpha2")[code2] == labels("country-alpha3")[code3] == names[name]


def test_ages_nest() -> None:
    labels_of = labels("age")
    assert list(labels_of) == [str(age) for age in range(121)]
    assert labels_of["0"] == ("0-4", "0-9", "0-19", "0-39", "*")
    assert labels_of["79"] == ("75-79", "70-79", "60-79", "40-79", "*")
    assert labels_of["89"] == ("85-89", "80-89", "80+", "80+", "*")
    assert labels_of["90"] == labels_of["120"] == ("90+", "90+", "80+", "80+", "*")


def test_the_words_of_the_adult_data_are_covered() -> None:
    education = (
        "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters 1st-4th 10th "
        "Doctorate 5th-6th Preschool"
    )
    assert set(labels("education-adult")) == set(education.split())
    married = "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse"
    assert set(labels("marital-status")) == set(married.split())


def test_levels_of_education() -> None:
    labels_of = labels("education")
    assert {label for label, *_ in labels_of.values()} == {f"ISCED {level}" for level in range(9)}
    assert labels_of["PhD"] == labels_of["8"] == ("ISCED 8", "Tertiary (ISCED 5-8)", "*")
    assert labels_of["ED2"][1] == "Below upper secondary (ISCED 0-2)"


def test_builtins_with_their_options() -> None:
    zip_code = find_hierarchy("us-zip", Path("/nowhere"))
    assert isinstance(zip_code, QuasiIdentifier)
    assert (zip_code.builtin, zip_code.keep) == ("prefix", [4, 3, 2, 1])
    moment = find_hierarchy("timestamp", Path("/nowhere"))
    assert isinstance(moment, QuasiIdentifier)
    assert moment.levels == ["day", "month", "year", "decade"]


def test_a_file_goes_before_a_ready_one(tmp_path: Path) -> None:
    (tmp_path / "us-zip").write_text("1,x\n")
    assert find_hierarchy("us-zip", tmp_path) == tmp_path / "us-zip"
    (tmp_path / "age").mkdir()
    assert find_hierarchy("age", tmp_path) == hierarchies_folder() / "age.csv"


def test_absolute_paths(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("1,x\n")
    assert find_hierarchy(str(tmp_path / "mine.csv"), Path("/nowhere")) == tmp_path / "mine.csv"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ages", "did you mean age"),
        ("country-alpha4", "did you mean country-alpha"),
        ("agee.csv", "did you mean age.csv"),
        ("sub/mien.csv", "did you mean sub/mine.csv"),
        ("zzz", "ready ones are age, "),
        ("index", "ready ones are"),
        ("README", "ready ones are"),
        ("../hierarchies/age", "no hierarchy file"),
        ("x" * 400, "no hierarchy file"),
        ("a\0b", "no hierarchy file"),
        ("sub", "is a folder"),
        ("", "is a folder"),
    ],
)
def test_names_that_are_not_found(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "age.csv").write_text("1,x\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.csv").write_text("1,x\n")
    with pytest.raises(ConfigurationError) as raised:
        find_hierarchy(text, tmp_path, place="c.yaml:4")
    assert raised.value.problems[0].startswith("c.yaml:4: ")
    assert said in raised.value.problems[0]


def test_files_are_plain_utf8_csv() -> None:
    for name in FILES:
        content = ready_files()[name].read_bytes()
        assert not content.startswith(b"\xef\xbb\xbf")
        assert b"\r" not in content
        rows = list(csv.reader(content.decode("utf-8").splitlines()))
        assert all(cell == cell.strip() for row in rows for cell in row)
