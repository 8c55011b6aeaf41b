"""Words and letters for the sexes in several languages, and one word for each."""

from __future__ import annotations

from collections.abc import Sequence

_FEMALE = (
    *(
        "f",
        "w",
        "female",
        "fem",
        "woman",
        "women",
        "girl",
        "frau",
        "weiblich",
        "mädchen",
        "femme",
        "féminin",
        "feminin",
    ),
    *("femenino", "femenina", "mujer", "hembra", "femmina", "femminile", "donna", "vrouwelijk", "vrouw", "meisje"),
    *(
        "kobieta",
        "k",
        "żeński",
        "feminino",
        "feminina",
        "mulher",
        "kad\u0131n",
        "kadin",
        "k\u0131z",
        "bayan",
        "kvinna",
        "kvinde",
    ),
    *("kvinne", "nainen"),
)
_MALE = (
    *(
        "m",
        "male",
        "masc",
        "man",
        "men",
        "boy",
        "mann",
        "männlich",
        "maennlich",
        "junge",
        "homme",
        "masculin",
        "hombre",
    ),
    *("masculino", "varón", "varon", "maschio", "maschile", "uomo", "mannelijk", "jongen", "mężczyzna", "męski"),
    *("homem", "erkek", "e", "bay", "mand", "mies"),
)
_OTHER = ("d", "x", "other", "diverse", "divers", "nonbinary", "non-binary", "intersex")


def recoded_sexes(values: Sequence[str]) -> dict[str, str]:
    """Texts in lower case and the word that each becomes; nothing where each sex is written in one way.

    Nothing either where a text is no known word: m is mujer beside h, and v is varón or vrouw.
    """
    words = {**dict.fromkeys(_FEMALE, "female"), **dict.fromkeys(_MALE, "male"), **dict.fromkeys(_OTHER, "other")}
    listed = set(values)
    if "h" in listed:
        words |= {"h": "male"} | ({"m": "female"} if not listed & {"f", "femme"} else {})
    if "v" in listed:
        words["v"] = "female" if listed & {"m", "man"} else "male"
    if not listed <= words.keys():
        return {}
    recode = {text: words[text] for text in values if words[text] != text}
    return recode if len({words[text] for text in listed}) < len(listed) else {}
