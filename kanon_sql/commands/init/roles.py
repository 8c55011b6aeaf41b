"""The role of each column, with the reason: what was found in it, what its name says, whom its values single out.

Nothing that names a person is ever released; what outsiders may know of a person is generalized; what people count as
private is sensitive; all else is released as it is. In doubt a column is taken for what is protected better.

What a name says is looked up in the project's own lists of words: English, German, French, Spanish, without accents.
Short words must stand alone in a name (`sex` is none of `sexton`), those of five letters and more also at the head or
end of a longer word, as German joins words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kanon_sql.hierarchy.hierarchy import without_text
from kanon_sql.source.profile.kinds import DIRECT, ColumnProfile

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
    text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
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
        for number, topic in enumerate(topics)
        for about, text in topic.items()
        for word in text.split()
    ]
    joined, whole = f"_{'_'.join(words)}_", "".join(words)
    for word, about, number in listed:
        if word in words or word == whole or ("_" in word and f"_{word}_" in joined):
            return about, number
    for word, about, number in sorted(listed, key=lambda entry: -len(entry[0])):
        if len(word) >= _LONG and any(part.startswith(word) or part.endswith(word) for part in words):
            return about, number
    # Statistical programs cut names off: disea, incom. Not of what others know: a count is no country.
    short = [word for word in words if len(word) >= _LONG]
    cut = (about for word, about, number in listed if number == 0 and "_" not in word and word.startswith(tuple(short)))
    position = next(cut, None) if short else None
    return None if position is None else (position, 0)


ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")

# What other findings than direct ones make of a column.
_FOUND = {
    "free text": "identifier",
    "ICD-10 code": "sensitive",
    "postal code": "quasi-identifier",
    "city": "quasi-identifier",
    "country": "quasi-identifier",
    "sex": "quasi-identifier",
    "age": "quasi-identifier",
    "birth date": "quasi-identifier",
    "date": "quasi-identifier",
    "coordinates": "quasi-identifier",
}
_ALONE = 0.05  # above it `run` warns of an insensitive column
_LIKE_AN_ID = 0.5
_NUMBERS = ("whole number", "decimal")
_PROMOTED = 3


@dataclass(frozen=True)
class Role:
    """A role and why; `known` says that a person or a list said so, not the lack of anything else."""

    role: str
    why: str
    known: bool = True


def roles_of(columns: Iterable[ColumnProfile]) -> dict[str, Role]:
    """What the columns' own values and names make of them; of names that differ in case only the first is released."""
    roles: dict[str, Role] = {}
    released: dict[str, str] = {}
    for column in columns:
        role = role_of(column)
        if role.role != "identifier":
            first = released.setdefault(column.name.casefold(), column.name)
            if first != column.name:
                role = Role(
                    "identifier", f"its name differs from {first!r} in case only, which is released: rename one"
                )
        roles[column.name] = role
    return roles


def role_of(column: ColumnProfile) -> Role:
    """What a column's own values and name make of it."""
    finding = column.finding
    if not column.name:
        return Role("identifier", "without a name it can be neither listed nor released")
    if finding is not None and (finding.name in DIRECT or finding.name == "free text"):
        return Role("identifier", f"{_named(finding.name)}: {finding.why}")
    if column.kind == "free text":
        return Role("identifier", "free text: it may hold names and whatever people wrote")
    if without_text(column.type):
        return Role("identifier", "lists, records or bytes: they cannot be made coarser, and may hold anything")
    about = topic(column.name, NAMING)
    if about is not None:
        return Role("identifier", f"{about[0]}, by its name")
    if column.kind == "empty":
        return Role("identifier", "it holds no value, and may hold anything tomorrow: nothing is lost without it")
    if finding is not None and finding.name in _FOUND:
        return Role(_FOUND[finding.name], f"{_named(finding.name)}: {finding.why}; {alone_text(column)}")
    about = topic(column.name, PRIVATE, KNOWN)
    return (
        _by_values(column) if about is None else _by_name(column, ("sensitive", "quasi-identifier")[about[1]], about[0])
    )


def _by_name(column: ColumnProfile, role: str, about: str) -> Role:
    many = column.kind in ("text", "code") and column.alone >= _LIKE_AN_ID and column.rows > _FEW
    if many and role == "sensitive":  # a quasi-identifier is not released as it is
        return Role("identifier", f"{about} by its name, but like an id: {alone_text(column)}")
    return Role(role, f"{about}, by its name; {alone_text(column)}")


_FEW = 50  # rows: below it most values are alone by chance


def _by_values(column: ColumnProfile) -> Role:
    """Where neither a finding nor the name says anything, what tells rows apart decides."""
    alone = alone_text(column)
    if column.distinct + (column.missing > 0) <= 1:
        return Role("insensitive", "the same in every row, it tells nobody apart", known=False)
    if column.kind in ("date", "timestamp"):
        return Role("quasi-identifier", f"a date, which others may know of; {alone}")
    if column.alone <= _ALONE:
        return Role("insensitive", f"nothing says that outsiders know it; {alone}", known=False)
    if column.kind in _NUMBERS:
        return Role(
            "sensitive",
            f"a measurement: outsiders hardly know it, but {alone}, so it is not harmless; "
            "make it a quasi-identifier where others may know it",
            known=False,
        )
    if column.alone >= _LIKE_AN_ID:
        return Role("identifier", f"its values work like an id: {alone}", known=False)
    return Role("quasi-identifier", f"its values tell persons apart: {alone}", known=False)


def alone_text(column: ColumnProfile) -> str:
    """The figure of a column: the share of the rows that are alone with their value."""
    if column.alone <= 0:
        return "no row is alone with its value"
    return f"{percent(column.alone)} of the rows are alone with their value"


def percent(share: float) -> str:
    """A share as people write it, never 0 % or 100 % for what is not quite so.

    >>> percent(0.5), percent(0.0001), percent(0.9999), percent(0.0123), percent(1)
    ('50 %', '<0.1 %', '>99.9 %', '1.2 %', '100 %')
    """
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def _named(name: str) -> str:
    if (
        name in ("id", "age", "IBAN", "ICD-10 code")
        or name == "e-mail"
        or name == "address"
        or name == "insurance number"
    ):
        return f"an {name}"
    return name if name in ("sex", "coordinates", "free text") else f"a {name}"


@dataclass(frozen=True)
class Determined:
    """Column `by` tells column `column`: of the rows whose values repeat a `share` goes with one value."""

    by: str
    column: str
    share: float


def with_dependencies(roles: Mapping[str, Role], determined: Iterable[Determined]) -> dict[str, Role]:
    """The roles, where no copy of a protected column stays insensitive: what tells it, or is told by it, has its role.

    A column that tells a quasi-identifier says more than the release shall; so does what a quasi-identifier tells,
    as a city its ZIP code. Of columns that are known to be sensitive likewise, as a diagnosis and its code.
    """
    updated = dict(roles)
    dependencies = list(determined)
    for protected in ("quasi-identifier", "sensitive"):
        changed = True
        while changed:
            changed = False
            for dependency in dependencies:
                for this, other in ((dependency.by, dependency.column), (dependency.column, dependency.by)):
                    guarded = updated[this].role == protected and (protected != "sensitive" or updated[this].known)
                    if guarded and _is_open(updated[other], protected):
                        verb = "is told by" if this == dependency.by else "tells"
                        share = percent(dependency.share)
                        why = f"it {verb} {this!r} in {share} of the rows that repeat, which is {protected}"
                        updated[other] = Role(protected, why)
                        changed = True
    return updated


def _is_open(role: Role, protected: str) -> bool:
    """Whether a role gives way: an insensitive one, and a measurement of which nothing more is known."""
    return role.role == "insensitive" or (role.role == "sensitive" and not role.known and protected != "sensitive")


def with_answers(
    roles: Mapping[str, Role], known: Sequence[str], unknown: Sequence[str], entity: str | None
) -> dict[str, Role]:
    """The roles after what was answered: columns that others may know or cannot know, the column that names persons."""
    updated = dict(roles)
    for name in known:
        if updated[name].role != "identifier":
            updated[name] = Role("quasi-identifier", "others may know it, as was answered")
    for name in unknown:
        if updated[name].role == "quasi-identifier":
            updated[name] = Role("sensitive", "nobody outside knows it, as was answered")
    if entity is not None:
        updated[entity] = Role("identifier", "it names the person; k counts its values, and it is never released")
    return updated


def with_one_at_least(columns: Sequence[ColumnProfile], roles: Mapping[str, Role]) -> dict[str, Role]:
    """The roles with a quasi-identifier, which a release needs: else the columns that single out most become some."""
    updated = dict(roles)
    if any(role.role == "quasi-identifier" for role in updated.values()):
        return updated
    released = [column for column in columns if updated[column.name].role != "identifier"]
    left = [
        column for column in released if updated[column.name].role == "insensitive" or not updated[column.name].known
    ] or released
    left.sort(key=lambda column: (-column.alone, -column.distinct))
    chosen = [column for column in left if column.alone > _ALONE][:_PROMOTED] or left[:1]
    for column in chosen:
        role = updated[column.name]
        why = (
            f"no column looks like one that outsiders know; of all this one tells rows apart most: {alone_text(column)}"
        )
        updated[column.name] = replace(role, role="quasi-identifier", why=why)
    return updated
