"""How many persons of a population are unique, estimated from a sample: three models, and a choice among them.

F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of clinical data sets. BMC Medical
Informatics and Decision Making 12:66, 2012. Its decision rule is what `dankar` stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.privacy.uniqueness.pitman import estimate_by_pitman
from kanon_sql.privacy.uniqueness.sizes import ClassSizes
from kanon_sql.privacy.uniqueness.snb import LEAST_FRACTION, estimate_by_snb
from kanon_sql.privacy.uniqueness.zayatz import estimate_by_zayatz


@dataclass(frozen=True)
class PopulationUniqueness:
    """Estimated shares of a population's persons who are unique; None where a model gives no estimate.

    `chosen` is the model that the decision rule takes: "pitman", "zayatz" or "snb".
    """

    population: float
    fraction: float
    pitman: float | None
    zayatz: float
    snb: float | None
    chosen: str

    @property
    def dankar(self) -> float:
        """The share of the chosen model."""
        share = {"pitman": self.pitman, "zayatz": self.zayatz, "snb": self.snb}[self.chosen]
        assert share is not None
        return share


def estimate_uniqueness(sizes: ClassSizes, population: float) -> PopulationUniqueness:
    """The share of the population's persons who are unique, estimated from a sample's classes by size.

    The population has at least as many persons as the sample; where it has no more, its uniques are counted.
    """
    fraction = sizes.rows / population
    if fraction >= 1:
        share = sizes.alone / sizes.rows
        return PopulationUniqueness(population, 1.0, share, share, share, "zayatz")
    counts = (estimate_by_pitman(sizes, population), estimate_by_snb(sizes, population))
    pitman, snb = (None if count is None else count / population for count in counts)
    zayatz = estimate_by_zayatz(sizes, population) / population
    return PopulationUniqueness(population, fraction, pitman, zayatz, snb, _choose(fraction, pitman, zayatz, snb))


def _choose(fraction: float, pitman: float | None, zayatz: float, snb: float | None) -> str:
    """The decision rule: Pitman from small samples, else the lesser of SNB and Zayatz; Zayatz for what has none."""
    if fraction <= LEAST_FRACTION:
        return "zayatz" if pitman is None else "pitman"
    return "zayatz" if snb is None or zayatz < snb else "snb"
