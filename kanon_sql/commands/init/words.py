"""What a column is about, by the words of its name in several languages, where its values do not tell it.

The lists are the project's own: English, German, French, Spanish, without accents. Short words must stand alone in a
name (`sex` is none of `sexton`), those of five letters and more also at the head or end of a longer word, as
German joins words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_LONG = 5
# Weights of a survey say how many persons a row stands for, no weight of a body.
_SURVEY = {"final", "sample", "sampling", "survey", "design", "person", "replicate"}

Topics = Mapping[str, str]

# What names a person, an account or a device as a finding of values does: never released.
NAMING: Topics = {
    "a user name or account": ("login username nickname userid account konto kontonummer compte cuenta handle"),
    "a device or vehicle": (
        "imei mac licence_plate license_plate numberplate kennzeichen matricula vin serial seriennummer"
    ),
    "a picture, a signature or a body's pattern": (
        "photo foto signature unterschrift fingerprint fingerabdruck iris_scan selfie"
    ),
}

# Special categories of data (GDPR, Art. 9 and 10) and what people count as private.
PRIVATE: Topics = {
    "health": (
        "health hlth gesundheit sante salud disease krankheit maladie enfermedad illness diagnosis diagnose diagnostic "
        "diagnostico condition problem symptom befund icd morbidity cause_of_death todesursache therapy therapie "
        "treatment behandlung medication medikament medicament medicine drug dosage dose blood blut sang bmi "
        "bodymass cholesterol glucose glukose insulin systolic diastolic blutdruck heart_rate pulse puls hiv aids "
        "cancer krebs tumor tumour diabetes diabetic pregnant pregnancy schwanger grossesse embarazo disability "
        "disabled behinderung handicap smoker smoking raucher fumeur fumador alcohol alkohol vaccination vaccine "
        "impfung impfstatus lab labor laborwert allergy allergie weight gewicht poids peso height groesse taille "
        "mental psychiatric depression survived survival alive dead deceased verstorben mortality severity "
        "prognosis outcome surgery operation infection"
    ),
    "income and wealth": (
        "income einkommen revenu ingreso ingresos salary salaries gehalt salaire salario sueldo wage wages lohn "
        "verdienst earnings earning pay payment bonus debt schulden dette deuda credit kredit wealth vermoegen "
        "vermogen balance kontostand solde saldo loan darlehen mortgage capital rent miete loyer pension rente "
        "benefit sozialhilfe welfare cost costs kosten price_paid charge charges bill spending spend expenditure"
    ),
    "religion": ("religion religious religioes religiosity konfession faith glaube church kirche religieux religiosa"),
    "political opinion": (
        "politics political politik politisch party partei parti partido vote voted ideology opinion"
    ),
    "sexual life": ("sexual sexuality sexualitaet orientation orientierung affair affairs sexuell"),
    "criminal record": (
        "crime criminal conviction convicted offence offense arrest arrested vorstrafe vorstrafen straftat delito "
        "condamnation prison sentence inmate recidivism"
    ),
    "union membership": ("union gewerkschaft syndicat sindicato"),
    "genetic data": ("genetic genetics genotype genome genom dna rna allele"),
    "results and judgements of a person": (
        "grade grades mark marks exam test_result pruefungsnote zensur evaluation beurteilung performance_review "
        "credit_score"
    ),
}

# What neighbours, colleagues, registers and social networks know of a person.
KNOWN: Topics = {
    "education": (
        "education educ school schooling degree bildung ausbildung schulabschluss abschluss studium studies "
        "estudios educacion diplome etudes qualification graduate university universitaet universite college"
    ),
    "family": (
        "marital marriage married familienstand zivilstand civil_status etat_civil estado_civil matrimonial spouse "
        "relationship family familie famille familia household haushalt menage hogar kinder children child kids kid "
        "enfants hijos dependents siblings sibsp parch widowed divorced"
    ),
    "work": (
        "occupation job profession beruf employer arbeitgeber company firma entreprise empresa department abteilung "
        "position work_class workclass industry branche ocupacion metier puesto emploi employment employed employee "
        "rank arbeit taetigkeit funktion"
    ),
    "origin": (
        "race black hispanic latino ethnic ethnicity ethnie nationality nationalitaet nationalite nacionalidad "
        "staatsangehoerigkeit citizen citizenship origin herkunft origine origen native language sprache "
        "muttersprache langue idioma birthplace geburtsort geburtsland "
        "immigrant immigration migration caste tribe color_of_skin"
    ),
    "a place": (
        "place region state province provinz county district kreis landkreis bezirk bundesland gemeinde "
        "municipality municipio neighborhood neighbourhood borough stadtteil town ort wohnort commune departement "
        "location site hospital klinik clinic krankenhaus standort embarked embark_town station city stadt ville "
        "ciudad residence country land pays pais"
    ),
    "a time": (
        "year jahr annee ano month monat mois mes date datum fecha admission admitted discharge aufnahme entlassung "
        "hired hire_date joined eintritt birth geburt naissance nacimiento born geboren dob yob birthyear "
        "geburtsjahr visit arrival"
    ),
    "age": ("age alter edad agegroup age_group altersgruppe"),
    "sex": ("sex gender geschlecht sexe sexo genre genero female male weiblich maennlich"),
    "an event or a group that others saw": ("ticket pclass cabin seat flight team club regiment squad"),
}


def words_of(name: str) -> list[str]:
    """The words of a column's name in small letters without accents: `Straße`, `hireDate` and `ZIP_CODE` as they read.

    >>> words_of("hireDate2"), words_of("Größe")
    (['hire', 'date'], ['groesse'])
    """
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    for letter, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue")):
        text = text.replace(letter, plain)
    text = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return re.findall(r"[a-z]+", text.lower())


def topic(name: str, *topics: Topics) -> tuple[str, int] | None:
    """(what the name is about, in which of the lists of topics that stands); None where it fits no topic.

    A word that stands alone goes before one that begins or ends another, and of these the longest.

    >>> topic("Bruttoeinkommen", PRIVATE, KNOWN), topic("discharge_date", PRIVATE, KNOWN), topic("x", PRIVATE)
    (('income and wealth', 0), ('a time', 1), None)
    """
    words = words_of(name)
    if _SURVEY & set(words):
        words = [word for word in words if word not in ("weight", "gewicht", "poids", "peso")]
    listed = [
        (word, about, number)
        for number, one in enumerate(topics)
        for about, text in one.items()
        for word in text.split()
    ]
    joined, whole = f"_{'_'.join(words)}_", "".join(words)
    for word, about, number in listed:
        if word in words or word == whole or ("_" in word and f"_{word}_" in joined):
            return about, number
    for word, about, number in sorted(listed, key=lambda one: -len(one[0])):
        if len(word) >= _LONG and any(one.startswith(word) or one.endswith(word) for one in words):
            return about, number
    # Statistical programs cut names off: disea, incom. Not of what others know: a count is no country.
    short = [one for one in words if len(one) >= _LONG]
    cut = (about for word, about, number in listed if number == 0 and "_" not in word and word.startswith(tuple(short)))
    found = next(cut, None) if short else None
    return None if found is None else (found, 0)
