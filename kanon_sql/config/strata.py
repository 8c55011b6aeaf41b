"""Strata as a configuration names them: options of the algorithm, and quasi-identifiers that groups never mix."""

from __future__ import annotations

from kanon_sql.config.draft import Draft
from kanon_sql.settings.rules import ROLES

_SHORT = ("strata",)
_WHOLE = ("algorithm", "strata")


def expand_strata(draft: Draft) -> None:
    """Moves strata that stand beside the algorithm into it, and makes quasi-identifiers of those without a role."""
    given = draft.value.pop("strata", None)
    if draft.value.get("algorithm") is None and given not in (None, []):
        draft.value["algorithm"] = {}
    algorithm = draft.value.get("algorithm")
    if not isinstance(algorithm, dict):
        return
    if given not in (None, []):
        _move(draft, algorithm, given)
    names, columns = algorithm.get("strata"), draft.value.get("quasi_identifiers")
    if isinstance(names, list) and isinstance(columns, dict):
        for place, name in enumerate(names):
            if isinstance(name, str) and name not in columns:
                _add(draft, columns, place, name)


def _move(draft: Draft, algorithm: dict[str, object], given: object) -> None:
    if algorithm.get("strata") not in (None, [], given):
        draft.problem(_SHORT, "the algorithm has other strata; keep one of the lists", spoils=False)
        return
    algorithm["strata"] = given
    for known in (draft.places, draft.sources):
        for path in [path for path in known if path[:1] == _SHORT]:
            known[("algorithm", *path)] = known.pop(path)
    draft.problems = [
        problem._replace(path=("algorithm", *problem.path)) if problem.path[:1] == _SHORT else problem
        for problem in draft.problems
    ]


def _add(draft: Draft, columns: dict[str, object], place: int, name: str) -> None:
    path = (*_WHOLE, place)
    role = next((key for key in ROLES if isinstance(draft.value.get(key), list) and name in draft.value[key]), None)
    if role is not None:
        shown = draft.source(path) or name
        text = f"column {shown!r} is in {role}, too; a stratum is a quasi-identifier: remove it from one of them"
        draft.problem(path, text, spoils=False)
        return
    columns[name] = {}
    draft.places[("quasi_identifiers", name)] = draft.place(path)
    if path in draft.sources:
        draft.hidden[name] = path
