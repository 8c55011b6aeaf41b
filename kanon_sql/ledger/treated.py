"""What the ledger keeps of treatments and aggregates, and what those of earlier releases mean for the next one.

Two releases are joined by pseudonyms that one key made in one context: only the first digits of the same hash and the
prefix differ with their length and writing. Under another key or context nothing is left to join by.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from kanon_sql.config.model import Config
from kanon_sql.ledger.known_sources import columns_again
from kanon_sql.ledger.ledger import Entry
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.ends import found_ends
from kanon_sql.source.treatments.registry import treatments_of

Json = dict[str, Any]

_JOINING = ("key", "context")
_WRITING = ("length", "prefix")
_SHIFTING = ("key", "by", "days", "weeks")


def kept_of(source: Source, config: Config) -> Json:
    """The entries of a release: `treatments` of each column, and which quasi-identifiers are `aggregated`."""
    treated = treatments_kept(source)
    shown = config.algorithm.declared.aggregate
    aggregated = [name for name, spec in config.quasi_identifiers.items() if spec.aggregate or shown]
    return {**({"treatments": treated} if treated else {}), **({"aggregated": aggregated} if aggregated else {})}


def treatments_kept(source: Source) -> Json:
    """Of each treated column what decides what its values become, with fingerprints for whatever is secret."""
    return {
        name: {treatment.key: treatment.recorded(settings) for treatment in treatments_of(settings)}
        for name, settings in source.treatments.items()
    }


def treatments_in(entry: Entry) -> Json:
    """What a release says of its treatments; one of version 0.1.0 had none."""
    treatments: Json = entry.details.get("treatments", {})
    return treatments


def known_again(entry: Entry, related: Sequence[Entry]) -> list[str]:
    """The columns whose values an earlier release shows, whatever it calls them.

    Pseudonyms are known where one key and context made those there.
    """
    names = []
    for name in entry.released:
        pseudonym = treatments_in(entry).get(name, {}).get("pseudonym")
        if any(
            (former == name and pseudonym is None) or not _apart(pseudonym, treatments_in(earlier).get(former, {}))
            for earlier in related
            for former in columns_again(entry, earlier)[name]
        ):
            names.append(name)
    return names


def _apart(pseudonym: Json | None, before: Json) -> bool:
    """Whether pseudonyms cannot be joined with what an earlier release shows; values cannot with pseudonyms of them."""
    if pseudonym is None or "pseudonym" not in before:
        return pseudonym is None and "pseudonym" in before
    return bool(_differing(pseudonym, before["pseudonym"], _JOINING))


def pseudonyms_among(entry: Entry, names: Collection[str]) -> list[str]:
    """Which of these columns hold pseudonyms."""
    return [name for name, treated in treatments_in(entry).items() if name in names and "pseudonym" in treated]


def aggregated_again(entry: Entry, related: Sequence[Entry]) -> list[str]:
    """The columns that this release and an earlier one show aggregates of."""
    return [
        name
        for name in entry.details.get("aggregated", [])
        if any(columns_again(entry, earlier)[name] & set(earlier.details.get("aggregated", [])) for earlier in related)
    ]


def other_keys(entry: Entry, related: Sequence[Entry]) -> Iterator[str]:
    """Warns of pseudonyms and days that are others than in `related` releases of the same source."""
    for name, treated in treatments_in(entry).items():
        then = [(entry.id, treatments_in(entry).get(name, {})) for entry in related if name in entry.released]
        if "pseudonym" in treated:
            yield from _other_pseudonyms(
                name,
                treated["pseudonym"],
                [(i, recorded["pseudonym"]) for i, recorded in then if "pseudonym" in recorded],
            )
        if "shift" in treated:
            different = [
                i for i, recorded in then if _differing(treated["shift"], recorded.get("shift", {}), _SHIFTING)
            ]
            if different:
                yield (
                    f"column {name!r} is shifted otherwise than in {_releases(different)}: whoever finds a row in both "
                    "knows more of its date than each of them tells; shift it as it was then"
                )


def _other_pseudonyms(name: str, now: Json, then: Sequence[tuple[int, Json]]) -> Iterator[str]:
    for part, wording in (("key", "made with another key"), ("context", "made in another context")):
        others = [number for number, recorded in then if _differing(now, recorded, _JOINING)[:1] == [part]]
        if others:
            yield (
                f"column {name!r} has other pseudonyms than in {_releases(others)}, {wording}: rows of one person "
                "cannot be joined with those there by them"
            )
    others = [
        number
        for number, recorded in then
        if not _differing(now, recorded, _JOINING) and _differing(now, recorded, _WRITING)
    ]
    if others:
        yield (
            f"column {name!r} has pseudonyms of another length or prefix than in {_releases(others)}: equal ones are "
            "not found, but they begin with the same digits, by which whoever has both joins them"
        )


def treated_twice(entry: Entry, source: Entry) -> Iterator[str]:
    """Warns of columns that are treated with a key again, where the source is an earlier release."""
    for name, treated in treatments_in(entry).items():
        before = treatments_in(source).get(name, {})
        if "pseudonym" in treated and "pseudonym" in before:
            yield (
                f"column {name!r} of the source, release {source.id}, holds pseudonyms already; those released now are "
                "made of these, and are none of the original values; remove it from transform to keep them"
            )
        if "shift" in treated and "shift" in before:
            yield (
                f"column {name!r} of the source, release {source.id}, is shifted already, and was shifted once more; "
                "remove it from transform to keep its dates"
            )


def treatment_changes(entry: Entry, source: Source) -> list[str]:
    """Why the values of a source, treated, are not those that a release of the ledger would have."""
    kept, now = treatments_in(entry), treatments_kept(source)
    for name, treatment, end in found_ends(source):  # none of them is noted before there is a release
        now[name][treatment.key]["value"] = float(end)
    problems = []
    for name in dict.fromkeys([*kept, *now]):
        before, after = kept.get(name, {}), now.get(name, {})
        for key in dict.fromkeys([*before, *after]):
            if before.get(key) != after.get(key):
                problems.append(_change(name, key, before.get(key, {}), after.get(key, {})))
    return problems


def _change(name: str, treatment: str, before: Json, after: Json) -> str:
    if "key" in after and before and before.get("key") != after["key"]:
        return (
            f"the {treatment} of {name!r} was made with another key, of fingerprint {before.get('key')}, the one given "
            f"has {after['key']}; set the variable of the environment as it was then"
        )
    if before.get("share") is not None:
        return (
            f"the {treatment} of {name!r} is a share, of which each table has another end; expected a number, with "
            "which releases can be compared"
        )
    return f"the {treatment} of {name!r} is another than it was, or was not kept then"


def _differing(entry: Json, other: Json, parts: Sequence[str]) -> list[str]:
    return [part for part in parts if entry.get(part) != other.get(part)]


def _releases(numbers: Sequence[int]) -> str:
    return f"{'release' if len(numbers) == 1 else 'releases'} {', '.join(map(str, numbers))}"
