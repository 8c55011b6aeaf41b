"""What every privacy model declares: the base class of the files in `models` beside this one, one file a model."""

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
Exact = Annotated[Decimal, Field(max_digits=9), WithJsonSchema({"type": "number"})]
Population = Annotated[SourceConfig, ShortFor("path")]
# The thresholds of a model by their fields, and whether each bounds the least or the greatest measure of a class.
Ends = Mapping[str, Literal["least", "most"]]


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number, got a truth value")
    return value


Threshold = Annotated[Exact, BeforeValidator(_no_truth_value)]
Persons = Annotated[int, BeforeValidator(_no_truth_value)]


class MostEven(NamedTuple):
    """A sensitive column with `limit` rows suppressed so that its values are as evenly distributed as can be.

    There are `values` different ones in the rows `left`. `level` is the most rows of one value, None where no row need
    be left; `entropy` is that of the distribution (natural logarithm), `tail` the rows of the values from the l-th on.
    """

    values: int
    left: int
    level: float | None
    entropy: float | None
    tail: int


# Called with (least, l): at least so many values remain, and `tail` is counted from the l-th on.
# See queries/privacy/most_even.sql.
AskEven = Callable[[int, int], MostEven]


class PrivacyModel(Part):
    """A privacy model beside k: one entry of it in the configuration, and what the program must know of the model.

    A model is one module of `privacy/models` with one subclass, and a folder queries/privacy/<key> with two statements,
    which share nothing: `violates` for the search, and `measure` for the recount; `keeps` and `tallied` may
    make searches cheaper. The registry finds the module by itself; configuration, search, recount, report and page then
    have the model. tests/support/reference_models.py needs an independent oracle of it.

    The fields are the parameters of the entry. Three names have a meaning: with `column` the model is about that
    sensitive column, with `population` it compares with that table, with `hierarchy` it reads that hierarchy of its
    column. The class variables without a value, and `numbers`, must be given; the rest has defaults that are safe
    (nothing is concluded from one node of the lattice to another) or mean "none".

    A model is monotone when joining classes, or suppressing some of them, never makes a class violate it that held it
    before: then what fails at a node of the lattice fails below it. Distinct l-diversity and k-map are, as k-anonymity
    is (their violating rows can only become fewer upwards). The others are as long as no row is suppressed: a union of
    classes that hold them holds them (entropy is concave, the distances and shares are convex in a class's
    distribution, Li et al., ICDE 2007, section 4.3). With suppression they are not: a class may hold a model, and its
    union with a class that was to be suppressed not. Nor are they where entities are counted: an entity that is in both
    classes counts once in their union.

    Examples:
        No value of a column may make up more than a share of a class. This is the module; the configuration then
        takes `privacy: {k: 5, not_too_frequent: {column: diagnosis, share: 0.5}}`.

        >>> from pydantic import Field
        >>> from kanon_sql.privacy.base import PrivacyModel, Threshold, ratio
        >>> from kanon_sql.settings.part import ColumnName
        >>> class NotTooFrequent(PrivacyModel):
        ...     key = "not_too_frequent"  # the entry of privacy, and the folder queries/privacy/not_too_frequent
        ...     position = 50
        ...     summary = "how frequent a sensitive value may be in a class"
        ...     asks = "no value of {column} makes up more than {required} of a class"
        ...     thresholds = {"share": "most"}
        ...     column: ColumnName = Field(description="a sensitive column")
        ...     share: Threshold = Field(gt=0, le=1, description="the greatest share of a class that a value may have")
        ...
        ...     def numbers(self):
        ...         return ratio(self.share)
        >>> NotTooFrequent(column="diagnosis", share=0.5).numbers()  # the parameters of both statements
        {'numerator': 1, 'denominator': 2}

        Its two statements. For the search, violates.sql finds the classes that violate:

            SELECT key_code, TRUE AS violates FROM class_counts GROUP BY key_code
            HAVING max(row_count) * $denominator > $numerator * sum(row_count)

        For the recount, measure.sql measures each class (`qi_value` stands for all quasi-identifiers):

            SELECT qi_value, CAST(max(row_count) AS DOUBLE) / sum(row_count) AS measure,
                max(row_count) * $denominator > $numerator * sum(row_count) AS violates
            FROM counted GROUP BY qi_value
    """

    key: ClassVar[str]  # in the configuration, and the name of the folder of its statements
    position: ClassVar[int]  # among the keys
    summary: ClassVar[str]  # its description in the configuration's schema
    # What it asks of every class, in a sentence of the page, or one for each value of the parameter `files_by`;
    # {required}, {column} and the `options` stand for those of the entry.
    asks: ClassVar[str | Mapping[str, str]]
    thresholds: ClassVar[Ends]  # which end of the measures each of them bounds
    options: ClassVar[tuple[str, ...]] = ()  # other parameters that the report repeats
    files_by: ClassVar[str | None] = None  # the parameter by which the two statements differ
    needs_sizes: ClassVar[bool] = False  # compares the values of a class with those of all rows
    test: ClassVar[str | None] = None  # dbt's test and SQLMesh's audit of it
    replaces_k: ClassVar[bool] = False  # asks for enough that k may be left out
    contains_table: ClassVar[bool] = False  # the table must be a part of the population

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Raises TypeError for a model that does not declare all that it must."""
        absent = [name for name in ("key", "position", "summary", "asks", "thresholds") if not hasattr(cls, name)]
        if absent:
            raise TypeError(f"the privacy model {cls.__name__} does not declare {', '.join(absent)}")

    @property
    def monotone(self) -> bool:
        """Whether the model is monotone also where rows are suppressed."""
        return False

    @property
    def monotone_unsuppressed(self) -> bool:
        """Whether the model is monotone as long as no row is suppressed."""
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
        """Whether `violates` is of the portable core of SQL and reads only the values of classes and of all rows."""
        return False

    @property
    def tree(self) -> str | None:
        """The hierarchy of its column that it reads."""
        return getattr(self, "hierarchy", None)

    @property
    def violates(self) -> str:
        """The query file that finds the classes which violate it, for the search: it gives (key_code, TRUE) of each.

        It reads class_counts (key_code, value, row_count), with `needs_sizes` class_values (the same with size) and
        reference (value, row_count of all rows), with a population tuples and population (key_code, row_count). Classes
        that violate k need not be found: class_values has them only where pairs are counted.
        """
        return self._file("violates")

    @property
    def tallied(self) -> str | None:
        """The query file that finds the same where the counts of all values are columns of each class, if there is one.

        It adds its own to the classes that violate what is asked for already: see any of them. Without it such columns
        are made rows again for `violates`, which costs as much as counting them.
        """
        return None

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
        """The query file that measures each class as it stands, for the recount.

        It gives (quasi-identifiers, measure, violates), and reads counted (quasi-identifiers, value, row_count), shares
        (the same with share and expected, that of all rows) or, with a population, matched (quasi-identifiers, size,
        persons).
        """
        return self._file("measure")

    def _file(self, statement: str) -> str:
        variant = f"_{getattr(self, self.files_by)}" if self.files_by else ""
        return f"privacy/{self.key}/{statement}{variant}"

    @abstractmethod
    def numbers(self) -> dict[str, Number]:
        """The parameters of its statements by their names, as ratios where these compare whole numbers exactly.

        Returns: the values of every $name in `violates`, `measure` and `keeps`; not $k, which is that of k-anonymity.
        """

    def impossible(self, most_even: AskEven, limit: int) -> str | None:
        """Why no release satisfies the entry, where its column alone says so: asked before the search, in one count.

        Args:
            most_even: called with (least, l), it gives the most even values that suppression can leave of the column.
            limit: how many rows may be suppressed.

        Returns: the text of the refusal, or None where only the search can tell (as by default). Floats may err by
            MARGIN, so what is only just impossible must give None.
        """
        return None

    def contradiction(self, most: float | None) -> str | None:
        """Why the tables cannot be what the model takes them for, such as a part of the population.

        Args:
            most: the greatest measure of a class; None where it is infinite.

        Returns: the text of the refusal, or None where nothing contradicts (as by default).
        """
        return None

    def shown(self, measure: float) -> float:
        """A measure as the report shows it, without the errors of floats in its last digits: here, a distance of 0."""
        return measure if measure > 1e-12 else 0


def ratio(number: Decimal) -> dict[str, Number]:
    """A threshold as the parameters $numerator and $denominator, for comparing exactly."""
    numerator, denominator = number.as_integer_ratio()
    return {"numerator": numerator, "denominator": denominator}


def allowed(limit: int) -> str:
    """The suppression limit in words, as messages name it."""
    return f"with {limit:,} row{'s' * (limit != 1)} suppressed"


def strangers(how_many: str) -> str:
    """The message that a class has more rows than its population has persons; `how_many` is a number or "some"."""
    return (
        f"{how_many} combinations of quasi-identifiers have more rows in the table than persons in the population; "
        "expected a population that the table is a part of"
    )
