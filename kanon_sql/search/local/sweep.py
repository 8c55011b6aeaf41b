"""The sweep of labels by rising loss."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.progress import Progress
from kanon_sql.search.local.halves import HALVES, Keys, of_half
from kanon_sql.search.local.judging import Judge
from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.sql import tables

_PAIRS = 1_000_000  # of a label and a tuple below it, on offer at once
_FIRST_SHARE = 8  # the first windows are smaller by this
_SAMPLE = 100
_WIDER = 4  # times the last window: where the end of the next one is looked for first
_SHRUNK = 0.6  # of the tuples left, when half labels without enough rows are looked for again


@dataclass
class Sweep:
    """Offers labels by rising loss, in windows; tuples that take a label go from the table rest to the table taken.

    In a window, a tuple's choice is the cheapest label on offer. Labels that k rows choose are accepted, and so are
    later choices that fall on them; then labels that fewer than k rows are left for go off the offer, and the tuples
    left choose again, until no label is accepted any more. That is close to taking the labels one after another. With
    a judge labels are accepted for tuples that satisfy all models together.
    """

    queries: Queries
    keys: Keys
    k: int
    progress: Progress
    judge: Judge | None = None
    rounds: int = 0
    accepted: int = 0

    def run(self, pairs_left: int | None = None) -> None:
        """Windows of rising loss while there are k rows, and pairs left where these are limited."""
        tuples, rows = self.queries.size()
        most = max(_PAIRS, 5 * tuples)
        low, width, pairs, tuples_then = 0, 0, most // _FIRST_SHARE, tuples
        while rows >= self.k and low < self.keys.end and (pairs_left is None or pairs_left > 0):
            pairs = min(2 * pairs, most)
            high = self._window_end(low, width, tuples, pairs)
            offered = self.queries.count("offers", {"low": low, "width": high - low, **self.keys.shifts})
            if pairs_left is not None:
                pairs_left -= offered
            if offered and self._settle():
                tuples, rows = self.queries.size()
                if tuples < tuples_then * _SHRUNK:
                    tuples_then = tuples
                    for half in HALVES:
                        of_half(self.queries, half).run("live_above", {"k": self.k})
            low, width = high, high - low

    def _window_end(self, low: int, width: int, tuples: int, pairs: int) -> int:
        sample = min(_SAMPLE, tuples)
        values = {"low": low, "sample": sample, "skipped": pairs * sample // tuples}
        for most in (low + _WIDER * width, self.keys.end) if width else (self.keys.end,):
            found = self.queries.run("window_end", {**values, "most": most})
            if found:
                return max(int(found[0][0]), low + 1)
        return self.keys.end

    def _settle(self) -> bool:
        """Accepts labels on offer until no more have k takers; whether there was any."""
        self.queries.run_text(tables.empty_like(own_tables()["accepted"], own_tables()["offers"], "label"))
        live = self.queries.count("first_offers", {"k": self.k})
        before = self.accepted
        while live:
            if self.judge is not None:
                self.judge.find_takers()
            else:
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
