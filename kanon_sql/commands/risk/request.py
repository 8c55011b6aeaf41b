"""What is asked of `kanon-sql risk`, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts.sweep import refuse_plot
from kanon_sql.targets.outputs import named_twice, refuse_missing_folders, refuse_outputs

THRESHOLD = 0.2


@dataclass(frozen=True)
class RiskRequest:
    """The risk above which a row counts, the subsets of columns, the population's file, the files to write.

    `subsets` is the size of the largest, None for what is feasible; `all_columns` takes in every column that is no
    identifier.
    """

    threshold: float = THRESHOLD
    subsets: int | None = None
    all_columns: bool = False
    population: Path | None = None
    plot: Path | None = None
    report: Path | None = None

    def refuse(self) -> None:
        """Raises ConfigurationError for what cannot be measured or drawn, EngineError where no file can be written."""
        problems = []
        if not 0 <= self.threshold <= 1:
            problems.append(f"--threshold {self.threshold}: expected a risk from 0 to 1, such as 0.2")
        if self.subsets is not None and self.subsets < 0:
            problems.append(f"--subsets {self.subsets}: expected a number of columns, 0 or more")
        if self.plot is not None:
            try:
                refuse_plot(self.plot)
            except ConfigurationError as error:
                problems += error.problems
        problems += named_twice(self._outputs())
        if problems:
            raise ConfigurationError(problems)
        refuse_missing_folders(self._outputs())

    def refuse_replacing(self, loaded: LoadedConfig) -> None:
        """Raises ConfigurationError where a file to write would take the place of one that is read or kept."""
        refuse_outputs([loaded], self._outputs(), [("the population", self.population)])

    def _outputs(self) -> list[tuple[str, Path]]:
        named = (("--plot", self.plot), ("--report", self.report))
        return [(option, path) for option, path in named if path is not None]
