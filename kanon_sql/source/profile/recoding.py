"""Words and letters for the sexes, and for yes and no, in several languages, and one word for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


_YES = ("yes", "y", "true", "ja", "j", "oui", "o", "si", "sí", "s", "sim", "tak", "evet", "wahr", "vrai", "1")
_UNSURE = ("o", "s", "1")  # of them: west and south, or a grade, where no other says yes
_NO = ("no", "n", "false", "nein", "non", "nee", "nao", "não", "nie", "hay\u0131r", "hayir", "falsch", "faux", "0")


def recoded_sexes(values: Sequence[str]) -> dict[str, str]:
    """The word for each text in lower case that is written in another way; empty where each sex is written in one way.

    Empty, too, where a text is no known word. Beside h, m is mujer, and v is varón or vrouw.
    """
    words = {**dict.fromkeys(_FEMALE, "female"), **dict.fromkeys(_MALE, "male"), **dict.fromkeys(_OTHER, "other")}
    listed = set(values)
    if "h" in listed:
        words |= {"h": "male"} | ({"m": "female"} if not listed & {"f", "femme"} else {})
    if "v" in listed:
        words["v"] = "female" if listed & {"m", "man"} else "male"
    return _one_word_each(values, words)


def recoded_truths(values: Sequence[str]) -> dict[str, str]:
    """The same for yes and no, where both are there: a column of `n` and `no` alone may mean something else."""
    recode = _one_word_each(values, {**dict.fromkeys(_YES, "yes"), **dict.fromkeys(_NO, "no")})
    listed = set(values)
    return recode if listed & set(_YES) - set(_UNSURE) and listed & set(_NO) else {}


def _one_word_each(values: Sequence[str], words: Mapping[str, str]) -> dict[str, str]:
    listed = set(values)
    if not listed <= words.keys():
        return {}
    recode = {text: words[text] for text in values if words[text] != text}
    return recode if len({words[text] for text in listed}) < len(listed) else {}
