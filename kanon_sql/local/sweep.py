"""The sweep of labels by rising loss."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kanon_sql.local.halves import HALVES, Keys, half_names
from kanon_sql.local.queries import TABLES, Queries
from kanon_sql.progress import Progress

_PAIRS = 1_000_000  # of a label and a tuple below it, on offer at once
_FIRST_SHARE = 8  # the first windows are smaller by this
_SAMPLE = 100
_SHRUNK = 0.6  # of the tuples left, when half labels without enough rows are looked for again
_THINNED = 20_000
_PARTS = 8


@dataclass
class Sweep:
    """Offers labels by rising loss, in windows; tuples that take a label go from the table rest to the table taken.

    In a window, a tuple's choice is the cheapest label on offer. Labels that k rows choose are accepted, and so are
    later choices that fall on them; then labels that fewer than k rows are left for go off the offer, and the tuples
    left choose again, until no label is accepted any more. That is close to taking the labels one after another.
    """

    queries: Queries
    keys: Keys
    k: int
    progress: Progress
    rounds: int = 0
    accepted: int = 0

    def run(self, low: int, pairs_left: int | None = None) -> int:
        """Windows from the loss `low` on, while there are k rows, and pairs left where these are limited.

        The loss where it ended.
        """
        tuples, rows = self.queries.size()
        most = max(_PAIRS, 5 * tuples)
        pairs, tuples_then = most // _FIRST_SHARE, tuples
        while rows >= self.k and low < self.keys.end and (pairs_left is None or pairs_left > 0):
            pairs = min(2 * pairs, most)
            high = self._window_end(low, tuples, pairs)
            offered = self.queries.count("offers", {"low": low, "width": high - low, **self.keys.shifts})
            if pairs_left is not None:
                pairs_left -= offered
            if offered and self._settle():
                tuples, rows = self.queries.size()
                if tuples < tuples_then * _SHRUNK:
                    tuples_then = tuples
                    for half in HALVES:
                        self.queries.run("live_above", {"k": self.k}, self._half(half))
            low = high
        return low

    def run_thinned(self, low: int) -> None:
        """Sweeps a sample of the rest, k scaled down with it, then offers the rest only the labels that it took.

        For tables of so many tuples that offering all their labels would take too long.
        """
        tuples, _ = self.queries.size()
        self.queries.run("sample_rest", {"tuples": _THINNED})
        for half in HALVES:
            self.queries.run("sample_above", names=half_names(half))
        names = {name: TABLES[f"sample_{name}"] for name in ("rest", "taken", "above_a", "above_b")}
        queries = replace(self.queries, names={**TABLES, **names})
        queries.run("no_taken")
        k = max(2, -(-self.k * min(_THINNED, tuples) // tuples))
        sample = Sweep(queries, self.keys, k, Progress())
        sample.run(low)
        self.rounds += sample.rounds
        self.queries.run("chosen", {"parts": _PARTS, **self.keys.masks})
        for part in range(1, _PARTS + 1):
            if self.queries.count("chosen_offers", {"part": part}):
                self._settle()

    def _half(self, half: str) -> dict[str, str]:
        names = self.queries.names
        return {"half_above": names[f"above_{half}"], "this_tuple": f"tuple_{half}"}

    def _window_end(self, low: int, tuples: int, pairs: int) -> int:
        sample = min(_SAMPLE, tuples)
        found = self.queries.run("window_end", {"low": low, "sample": sample, "skipped": pairs * sample // tuples})
        return max(int(found[0][0]), low + 1) if found else self.keys.end

    def _settle(self) -> bool:
        """Accepts labels on offer until no more have k takers; whether there was any."""
        self.queries.run("no_accepted")
        live = self.queries.count("first_offers", {"k": self.k})
        before = self.accepted
        while live:
            self.queries.run("takers", {"k": self.k})
            if not self.queries.count("take"):
                break
            accepted = self.queries.count("accept")
            self.rounds += 1
            self.accepted += accepted
            self.progress.advance(accepted, "classes")
            live = self.queries.count("next_offers", {"k": self.k})
        if self.accepted == before:
            return False
        self.queries.run("drop_taken")
        return True
