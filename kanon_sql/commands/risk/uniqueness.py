"""How many persons of the population are unique, where its size is known and its table is not.

The table is taken to be a random sample. The models are those of `kanon_sql.privacy.uniqueness`; they read how many
classes there are of each size, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from kanon_sql.commands.risk.measure import Json, class_sizes
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.uniqueness.estimate import estimate_uniqueness
from kanon_sql.privacy.uniqueness.sizes import ClassSizes
from kanon_sql.sql.connection import Engine

_MODELS = ("pitman", "zayatz", "snb")


@dataclass(frozen=True)
class Sampling:
    """What is known of the population: its persons, the share of them that the table holds, or the column that says for
    how many of them each row stands; none of it is allowed.
    """

    population_size: int | None = None
    fraction: float | None = None
    weights: str | None = None

    def faults(self) -> list[str]:
        """What is wrong with them."""
        found = []
        size, fraction = self.population_size, self.fraction
        if size is not None and fraction is not None:
            found.append("--population-size and --sampling-fraction say the same; expected one of them")
        if self.weights is not None and (size is not None or fraction is not None):
            option = "--sampling-fraction" if size is None else "--population-size"
            found.append(
                f"--weights and {option} both say how many persons the population has, the weights as their sum; "
                "expected one of them"
            )
        if size is not None and size < 1:
            found.append(f"--population-size {size}: expected the persons of the population, at least 1")
        if fraction is not None and not (isfinite(fraction) and 0 < fraction <= 1):
            found.append(f"--sampling-fraction {fraction:g}: expected a share above 0 and at most 1, such as 0.01")
        return found

    def persons(self, rows: int, label: str, weighted: Json | None) -> float | None:
        """The persons of whom a table of so many rows is a sample, `weighted` perhaps; None where nothing is known.

        Raises ConfigurationError where they are fewer than the rows.
        """
        if weighted is not None:
            return float(max(rows, weighted["population_size"]))
        if self.fraction is not None:
            return rows / self.fraction
        if self.population_size is not None and self.population_size < rows:
            raise ConfigurationError(
                [
                    f"--population-size {self.population_size}: {label} has {rows} rows; expected at least as many "
                    "persons, of whom the rows are a sample"
                ]
            )
        return self.population_size


def describe_uniqueness(engine: Engine, persons: float) -> Json:
    """The report's entry on the classes of the table class_sizes; 0 is the share of a model without an estimate."""
    sizes = ClassSizes.of(engine.query("commands/risk/counts", names={"class_sizes": class_sizes()}))
    found = estimate_uniqueness(sizes, persons)
    shares = {model: getattr(found, model) for model in _MODELS}
    return {
        **{model: share or 0.0 for model, share in shares.items()},
        "dankar": found.dankar,
        "chosen": found.chosen,
        "without_estimate": [model for model, share in shares.items() if share is None],
        "population_size": persons,
        "sampling_fraction": found.fraction,
    }
