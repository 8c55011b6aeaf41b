"""Class by class: the first of some choices of rows that holds, by k and the models, against every earlier release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.frequency.dimensions import ordered_dimension
from kanon_sql.frequency.judged import Models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.privacy.registry import Model
from kanon_sql.privacy.statement import Tables
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Composed, Fill, Item, compose, state

_SETS: list[Item] = [{"code": "class"}, {"code": "release"}, {"code": "side"}]
_FIRST = 3000  # values of sensitive columns in all releases stand beside those of the source, numbered from here


def deciding_tables() -> dict[str, Fill]:
    """The tables of what was counted and decided, by their names in query files."""
    names = ("cells", "counts", "open_classes", "quotas", "tried", "sets", "failed", "failed_alone")
    return {name: state(f"apply_{name}") for name in names}


@dataclass(frozen=True)
class Outcome:
    """What was decided on, in rows of the new data: `released`, and what is suppressed for want of anything safe.

    `waiting` rows lie in classes that are released; the others in classes that violate by themselves, or only in what
    would change since an earlier release.
    """

    released: int
    waiting: int
    violating: int
    changed: int
    violating_classes: int
    changed_classes: int

    @property
    def suppressed(self) -> int:
        """All rows that are not released."""
        return self.waiting + self.violating + self.changed


class Deciding(ABC):
    """Decides for each class of the new data; a subclass counts the rows of the `earlier` releases and of the new one.

    `k` rows must be in each class and in each set of rows that two releases tell apart.
    """

    def __init__(self, engine: Engine, models: Models, k: int, earlier: int) -> None:
        self.engine = engine
        self.models = models
        self.k = k
        self.earlier = earlier

    def decide(self, deadline: Deadline) -> Outcome:
        """Judges the classes. Raises TimeUpError."""
        self._count()
        for name in ("open", "quotas"):
            self.engine.query(f"commands/apply/{name}", scope=deciding_tables())
        with self.engine.until(deadline):
            for attempt, held_by in enumerate([0, *range(self.earlier, 0, -1)]):
                deadline.check()
                if attempt and not self.engine.query("commands/apply/is_open", scope=deciding_tables())[0][0]:
                    break
                self._attempt(attempt, held_by)
        rows = self.engine.query("commands/apply/outcome", scope=deciding_tables())[0]
        return Outcome(*(int(count) for count in rows))

    def mixes_styles(self, number: int, position: int) -> bool:
        """Whether intervals are written in another way in an earlier release, 1 for the first, than in the new one."""
        new, old = (self._styles(release, position) for release in (0, number))
        return bool((new[0] and old[1]) or (new[1] and old[0]))

    @abstractmethod
    def _styles(self, number: int, position: int) -> tuple[int, int]:
        """How many labels of a quasi-identifier are written in either way in a release, 0 for the new one."""

    @abstractmethod
    def _count(self) -> None:
        """Makes the table counts of all classes of the new data, as queries/commands/apply/counts has it."""

    @abstractmethod
    def _try(self, attempt: int, held_by: int) -> None:
        """Makes the tables tried and sets of the classes that are open (see queries/commands/apply)."""

    def code(self, sensitive: Sensitive, cell: str, values: exp.Select, missing: Sequence[str]) -> str:
        """Makes the table of the codes of a sensitive column's `values` in all releases: its name.

        Texts of it are `missing`.
        """
        ordered = any(model.spec.needs_order for model in self._speaking(sensitive.column.name))
        read = ordered_dimension(
            self.engine,
            GeneralizedColumn(
                _FIRST + sensitive.index,
                Column(sensitive.column.name, cell, "VARCHAR"),
                QuasiIdentifier(type=None if ordered else "text"),
                values,
                missing=tuple(missing) if sensitive.column.is_text else (),
                place="privacy",
            ),
        )
        codes = state(f"apply_codes_{sensitive.index}")
        names = {"all_values": read.domain, "domain": sensitive.domain, "codes": codes}
        self.engine.query("commands/apply/codes", names=names, values={"top": self._top(sensitive)})
        return codes

    def _speaking(self, name: str) -> list[Model]:
        return [model for model in self.models.models if model.column == name]

    def _top(self, sensitive: Sensitive) -> int:
        return int(self.engine.query("commands/apply/top", names={"domain": sensitive.domain})[0][0])

    def _attempt(self, attempt: int, held_by: int) -> None:
        """Tries one choice for all classes that are open."""
        columns = list(self.models.columns.values())
        self._try(attempt, held_by)
        judged = self._judged()
        keys: dict[str, list[Item]] = {"key": _SETS}
        if attempt == 0:
            statement = compose("commands/apply/failed_alone", {"judged": judged})
            self.engine.query(statement, scope=deciding_tables(), lists=keys, values={"k": self.k})
        compared: list[Item] = [
            {"code": sensitive.code, "top": self._top(sensitive)}
            for sensitive in columns
            if any(model.spec.needs_sizes for model in self._speaking(sensitive.column.name))
        ]
        statement = compose("commands/apply/failed", {"judged": judged})
        self.engine.query(
            statement, scope=deciding_tables(), lists={**keys, "compared": compared}, values={"k": self.k}
        )
        self.engine.query("commands/apply/decide", scope=deciding_tables(), values={"attempt": attempt})
        self.engine.query("commands/apply/close", scope=deciding_tables())

    def _judged(self) -> Composed:
        """The statement that says of each set whether it violates k or a model."""
        sets = state("apply_sets")
        by_value = {
            name: compose("commands/apply/values", {"sets": sets, "code": sensitive.code})
            for name, sensitive in self.models.columns.items()
        }
        return self.models.classes(Tables(sets, None, by_value))
