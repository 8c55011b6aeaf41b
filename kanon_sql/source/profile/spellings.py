"""How missing values are usually written. Only these texts are ever named as such, never another value of the data."""

from __future__ import annotations

# What means missing in whatever column.
_ALWAYS = (
    *(
        "",
        " ",
        "?",
        "??",
        "-",
        "--",
        "---",
        "\u2013",
        "\u2014",
        ".",
        "..",
        "/",
        "*",
        "#N/A",
        "#NA",
        "#NV",
        "#NULL!",
        "#VALUE!",
    ),
    *("NA", "N/A", "n/a", "na", "N.A.", "n.a.", "<NA>", "NaN", "nan", "NAN", "NaT", "NULL", "null", "Null", "\\N"),
    *("(null)", "<null>", "nil", "NIL", "missing", "Missing", "MISSING", "(missing)", "(blank)", "blank"),
    *("unknown", "Unknown", "UNKNOWN", "not available", "Not available", "not known", "Not known", "not specified"),
    *("Not specified", "not stated", "Not stated", "no answer", "No answer", "no data", "undefined"),
    *("unbekannt", "Unbekannt", "UNBEKANNT", "k.A.", "k. A.", "K.A.", "k.a.", "keine Angabe", "Keine Angabe", "fehlt"),
    *("inconnu", "Inconnu", "inconnue", "Inconnue", "non renseigné", "Non renseigné", "NR", "n.c.", "NC"),
    *("desconocido", "Desconocido", "desconocida", "no consta", "sin datos", "sconosciuto", "Sconosciuto", "n.d."),
    *("N.D.", "ND", "onbekend", "Onbekend", "nieznany", "nieznane", "brak", "brak danych", "desconhecido"),
    *("Desconhecido", "sem dados", "bilinmiyor", "Bilinmiyor", "okänd", "ukjent", "ukendt"),
)
# Words that may be a category of texts, as in "complications: none", and mean missing among numbers and dates.
_AMONG_NUMBERS = ("None", "none", "NONE", "x", "X", "keine", "0000-00-00", "00.00.0000", "00/00/0000", "inf", "Inf")

SPELLINGS = (*_ALWAYS, *_AMONG_NUMBERS)
ALWAYS = frozenset(_ALWAYS)
