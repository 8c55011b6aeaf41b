"""What `kanon-sql init` comes to: the profile with a role for each column, and what a configuration is made of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kanon_sql.commands.init.findings import Answers, Findings
from kanon_sql.commands.init.generalizing import Generalization
from kanon_sql.commands.init.places import Places
from kanon_sql.commands.init.treating import Treatment
from kanon_sql.commands.init.writing import configuration
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.source.profile.model import ColumnProfile, Profile
from kanon_sql.targets.staging_permissions import write_output

Json = dict[str, Any]

# The smallest class for whom a release is made, and why.
RECIPIENTS = {
    "public": (
        12,
        "anybody may get it and it cannot be taken back: no group below 12, which is within the risk of 0.09 that the "
        "European Medicines Agency recommends (Policy 0070; 1/11 is above it), and no cell that US Medicare withholds",
    ),
    "partner": (5, "a partner who signed what may be done with it: groups of 5, a usual smallest cell of statistics"),
    "internal": (3, "colleagues in the same house: groups of 3, the least with which nobody knows the other one"),
}
# What a release is made for, and the search that this asks for.
PURPOSES = {
    "research": "local",
    "statistics": "optimal",
}
_MOST_ROWS = 1_000_000  # for which the search that loses least is proposed
_CLASSES = 20  # that a table should have at least, so that k leaves something to tell


@dataclass(frozen=True)
class Proposal:
    """What `kanon_sql.init` returns: the table's `profile`, the `roles` of its columns, a configuration as `yaml`.

    `settings` are the plain keys of the configuration, each with its reason; paths of `yaml` are relative to `base`.
    `notes` are lines of what could not be done; `treatments` change values of columns before anything is generalized.
    """

    findings: Findings = field(repr=False)
    answers: Answers
    places: Places | None = field(repr=False)
    generalizations: Mapping[str, Generalization] = field(repr=False)
    settings: Mapping[str, tuple[Any, str]]
    base: Path
    notes: tuple[str, ...] = ()
    treatments: Mapping[str, Treatment] = field(default_factory=dict, repr=False)

    @property
    def yaml(self) -> str:
        """The commented configuration; empty where nothing is left to release."""
        return configuration(self, self.base) if self.generalizations else ""

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the configuration, whose paths are then relative to its folder; the file.

        Raises ConfigurationError for a file that is there and shall not be overwritten, NoReleaseError where there is
        nothing to release, EngineError where it cannot be written.
        """
        file = Path(path)
        if not self.generalizations:
            raise NoReleaseError(f"{file}: {self.notes[-1]}")
        if not overwrite:
            refuse_existing(file)
        write_output(file, configuration(self, file.parent), "configuration")
        return file

    @property
    def profile(self) -> Profile:
        """What is known of the table and of each column."""
        return self.findings.profile

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column."""
        return {name: role.role for name, role in self.findings.roles.items()}

    def to_dict(self) -> Json:
        """What `kanon-sql init --json` prints."""
        found = self.findings
        return {
            "rows": found.profile.rows,
            "duplicates": found.profile.duplicates,
            "columns": [self._describe(one) for one in found.profile.columns],
            "sets": [
                {"columns": list(one.columns), "unique": one.alone, "unique_share": one.alone / found.rows_looked_at}
                for one in found.sets
            ],
            "determined": [{"by": one.by, "column": one.column, "share": one.share} for one in found.determined],
            "rows_looked_at": found.rows_looked_at,
            "recipient": self.answers.recipient,
            "purpose": self.answers.purpose,
            "entity": self.answers.entity,
            "maybe_persons": list(found.maybe_persons),
            "transform": {name: {"is": one.spec, "why": one.why} for name, one in self.treatments.items()},
            **{key: {"is": value, "why": why} for key, (value, why) in self.settings.items()},
            "notes": list(self.notes),
        }

    def _describe(self, column: ColumnProfile) -> Json:
        role, made = self.findings.roles[column.name], self.generalizations.get(column.name)
        return {
            "name": column.name,
            "kind": column.kind,
            "is": column.finding.name if column.finding else None,
            "sure": column.finding.sure if column.finding else None,
            "role": role.role,
            "why": role.why,
            "left_out": self.findings.left_out.get(column.name),
            "type": column.type,
            "distinct": column.distinct,
            "exact": column.exact,
            "missing": column.missing,
            "missing_as": list(column.missing_as),
            "alone": column.alone,
            "reading": dict(column.reading),
            "hierarchy": None if made is None else made.spec,
        }


def smallest_class(recipient: str, persons: int) -> tuple[int, str]:
    """k for a recipient in a table of so many persons, and why."""
    asked, why = RECIPIENTS[recipient]
    possible = max(min(2, persons), persons // _CLASSES)
    if possible >= asked:
        return asked, why
    return possible, (
        f"{recipient} would ask for {asked}, which {persons} rows cannot give without losing everything: "
        f"a twentieth of them at most, {'at least 2' if possible > 1 else 'here 1, which protects nobody'}"
    )


def algorithm_for(purpose: str, rows: int, lattice: int) -> tuple[str, str]:
    """The search for a purpose and size, and why."""
    name = PURPOSES[purpose]
    if name == "local" and rows > _MOST_ROWS:
        return "optimal", f"one level for each column, {lattice:,} choices: for {rows:,} rows the quicker search"
    if name == "local":
        return name, "each group finds its own levels, which loses least; optimal gives every column one level"
    return name, f"one level for each column, so that rows can be counted together; the best of {lattice:,} choices"


def refuse_existing(file: Path) -> None:
    """Raises ConfigurationError for a configuration that is there already."""
    if os.path.lexists(file):
        raise ConfigurationError(f"{file}: is there already; replace it with --overwrite, or name another with -o")
