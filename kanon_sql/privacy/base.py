"""What every privacy model declares of itself: the base of the files beside this one, one a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, Field, WithJsonSchema

from kanon_sql.settings.part import Part, ShortFor
from kanon_sql.settings.source import SourceConfig

Number = int | Decimal

COLUMN = "a sensitive column"
POPULATION = "the table of the population: a path, or a mapping as for source"
# Floats may be off by as much; what is only just impossible is left to the search.
MARGIN = 1e-6


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number, got a truth value")
    return value


Exact = Annotated[Decimal, Field(max_digits=9), WithJsonSchema({"type": "number"})]
Threshold = Annotated[Exact, BeforeValidator(_no_truth_value)]
Persons = Annotated[int, BeforeValidator(_no_truth_value)]
Population = Annotated[SourceConfig, ShortFor("path")]
Ends = Mapping[str, Literal["least", "most"]]


class MostEven(NamedTuple):
    """A column's values with `limit` rows suppressed so that they are most even; None where no row need be left."""

    values: int
    left: int
    level: float | None
    entropy: float | None
    tail: int


# Asks for the most even values with (least, l): see queries/privacy/most_even.sql.
AskEven = Callable[[int, int], MostEven]


class PrivacyModel(Part):
    """One entry of a model in the configuration: its parameters as fields, and what is known of the model.

    A model with the field `column` speaks of that sensitive column, one with `population` compares with that table, one
    with `hierarchy` reads that hierarchy of its column. queries/privacy/<key> holds its two statements: violates for
    the search, measure for what counts a table anew; they share nothing.

    A model is monotone when joining classes, or suppressing some of them, never makes a class violate it that held it
    before: then what fails at a node of the lattice fails below it. Distinct l-diversity and k-map are, as k-anonymity
    is (their violating rows can only become fewer upwards). The others are as long as no row is suppressed: a union of
    classes that hold them holds them (entropy is concave, the distances and shares are convex in a class's
    distribution, Li et al., ICDE 2007, section 4.3). With suppression they are not: a class may hold a model, and its
    union with a class that was to be suppressed not. Nor are they where entities are counted: an entity that is in both
    classes counts once in their union.
    """

    key: ClassVar[str]  # in the configuration
    position: ClassVar[int]  # among the keys
    summary: ClassVar[str]  # its description there
    thresholds: ClassVar[Ends]  # which end of the measures each of them bounds
    options: ClassVar[tuple[str, ...]] = ()  # other parameters that the report repeats
    files_by: ClassVar[str | None] = None  # the parameter by which the two statements differ
    needs_sizes: ClassVar[bool] = False  # compares the values of a class with those of all rows
    test: ClassVar[str | None] = None  # dbt's test and SQLMesh's audit of it
    replaces_k: ClassVar[bool] = False  # asks for enough that k may be left out
    contains_table: ClassVar[bool] = False  # the table must be a part of the population

    @property
    def monotone(self) -> bool:
        """Whether it is also where rows are suppressed."""
        return False

    @property
    def monotone_unsuppressed(self) -> bool:
        """Whether it is as long as no row is suppressed."""
        return True

    @property
    def refuses_absent(self) -> bool:
        """Whether a class of the population may not be absent from the table, so that suppression is no way out."""
        return False

    @property
    def needs_order(self) -> bool:
        """Whether the values of its column are put in order."""
        return False

    @property
    def portable(self) -> bool:
        """Whether its statement for the search is of the portable core, and reads values of classes and all rows."""
        return False

    @property
    def tree(self) -> str | None:
        """The hierarchy of its column that it reads."""
        return getattr(self, "hierarchy", None)

    @property
    def violates(self) -> str:
        """The query file that finds the classes which violate it, for the search."""
        return self._file("violates")

    @property
    def keeps(self) -> str | None:
        """The query file that bounds how many rows of a violating class a release can have, however the class is split.

        None where there is no such bound. At a node below, a class C is split into parts, and those that hold k and the
        model are released. As the model holds of a union of classes that hold it (`monotone_unsuppressed`), it holds of
        all released rows of C together: they are no more than m(C), the most rows of C that hold the model, or none
        where that is below k. So every node below suppresses at least the sum of |C| - m(C) over the classes. For a
        node below that, the same sum is no less: what is chosen in the parts of C is together one choice in C, so that
        their m add up to m(C) at most. Unlike the rows of violating classes, this number only grows downwards, and
        a node at which it is above the limit settles all below. The file gives a number of at least m(C): a smaller
        sum, and what it settles is true still.
        """
        return None

    @property
    def measure(self) -> str:
        """The query file that measures each class as it stands."""
        return self._file("measure")

    def _file(self, what: str) -> str:
        tail = f"_{getattr(self, self.files_by)}" if self.files_by else ""
        return f"privacy/{self.key}/{what}{tail}"

    @abstractmethod
    def numbers(self) -> dict[str, Number]:
        """The parameters of its statements, as ratios where these compare whole numbers exactly."""

    def impossible(self, most_even: AskEven, limit: int) -> str | None:
        """Why no release that suppresses `limit` rows at most satisfies it, where its column alone says so."""
        return None

    def contradiction(self, most: float | None) -> str | None:
        """Why tables in which a class reaches that much at most cannot be what the model takes them for."""
        return None

    def shown(self, measure: float) -> float:
        """A measure as the report shows it: a distance of 0 errs in the last digits."""
        return measure if measure > 1e-12 else 0


def ratio(number: Decimal) -> dict[str, Number]:
    """A threshold as the parameters $numerator and $denominator."""
    numerator, denominator = number.as_integer_ratio()
    return {"numerator": numerator, "denominator": denominator}


def allowed(limit: int) -> str:
    """The rows that may be suppressed, in words."""
    return f"with {limit:,} row{'s' * (limit != 1)} suppressed"


def strangers(how_many: str) -> str:
    """What is said of rows of a table that are no persons of its population."""
    return (
        f"{how_many} combinations of quasi-identifiers have more rows in the table than persons in the population; "
        "expected a population that the table is a part of"
    )
