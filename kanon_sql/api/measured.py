"""What measuring gives back: a mapping, the JSON report of the command, which a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

# The view of each command, by its module and name: imported when it is shown.
_VIEWS = {
    "check": ("jobs", "summarize_check"),
    "lattice": ("jobs", "summarize_lattice"),
    "sweep": ("jobs", "summarize_sweep"),
    "risk": ("measures", "summarize_risk"),
    "utility": ("measures", "summarize_utility"),
    "attack": ("measures", "summarize_attack"),
    "link": ("releases", "summarize_link"),
    "releases": ("releases", "summarize_pair"),
}


class Measured(dict[str, Any]):
    """The report of a command, with the keys that its `--json` prints; in a notebook, what its terminal shows."""

    def __init__(self, command: str, report: Mapping[str, Any]) -> None:
        super().__init__(report)
        self._command = command

    def _repr_html_(self) -> str:
        from kanon_sql.report.printable import escaped
        from kanon_sql.report.views.html import in_html

        module, name = _VIEWS[self._command]
        view = getattr(import_module(f"kanon_sql.report.views.{module}"), name)
        return in_html(view(escaped(self)))
