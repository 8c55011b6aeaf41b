"""What the ledger takes for the same rows, the same source and the same pseudonyms, without a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from kanon_sql.ledger.basis import digest
from kanon_sql.ledger.earlier import _is_still_beside, find_related
from kanon_sql.ledger.known_sources import ColumnPrint, SourceLook, TablePrint
from kanon_sql.ledger.ledger import Entry
from kanon_sql.ledger.treated import known_again, other_keys

SURE, HALF, WEAK = ColumnPrint("aa", 40), ColumnPrint("bb", 12), ColumnPrint("cc", 8)
NOBODY = TablePrint(0, {})


def entry(number: int, **more: Any) -> Entry:
    details = {"solution": {"levels": {"q": 1}}, "columns": {"q": {"levels": 2}}, **more.pop("details", {})}
    values: dict[str, Any] = {
        "id": number,
        "made_at": "",
        "program": "",
        "origin": 1,
        "built_on": None,
        "source": None,
        "source_place": None,
        "source_fingerprint": f"source {number}",
        "target": None,
        "target_place": None,
        "release_fingerprint": f"release {number}",
        "quasi_identifiers": ["q"],
        "released": ["q", "s"],
        "details": details,
    }
    return Entry(**{**values, **more})


def test_no_print_is_kept_by_which_a_guess_of_a_column_that_is_not_released_could_be_tried() -> None:
    kept = TablePrint(9, {"q": WEAK, "name": SURE, "sex": HALF}).of_released(["q"])
    assert (kept.columns, list(kept.others)) == ({"q": WEAK}, [SURE])


def test_tables_have_the_same_rows_where_equal_columns_say_enough_together() -> None:
    table = TablePrint(9, {"a": HALF, "b": WEAK})
    assert table.has_rows_of(TablePrint(9, {"x": WEAK}, [HALF]))
    assert not table.has_rows_of(TablePrint(9, {"a": HALF}))
    assert not table.has_rows_of(TablePrint(8, {"a": HALF, "b": WEAK}))
    assert not TablePrint(9, {"a": ColumnPrint("aa", 19)}).has_rows_of(TablePrint(9, {"a": ColumnPrint("aa", 19)}))


def test_a_table_is_a_part_where_each_of_its_columns_is_one_of_the_other() -> None:
    release = TablePrint(9, {"a": SURE, "b": HALF})
    assert TablePrint(9, {"x": SURE, "b": HALF}).is_part_of(release)
    assert not TablePrint(9, {"a": SURE, "x": HALF}).is_part_of(release)
    assert not TablePrint(9, {"a": SURE, "b": WEAK}).is_part_of(release)


def test_columns_of_other_rows_are_no_namesakes() -> None:
    table = TablePrint(9, {"a": SURE, "b": HALF})
    assert table.namesakes(TablePrint(9, {"x": SURE, "y": SURE})) == {"a": ["x", "y"], "b": []}
    assert table.namesakes(TablePrint(8, {"x": SURE})) == {}


def test_a_source_is_known_by_places_of_its_files_and_folders_around_them() -> None:
    def reads(*places: str, at: str | None = None, also: tuple[str, ...] = ()) -> bool:
        earlier = entry(1, source_place=at and digest(at), details={"places": [digest(place) for place in also]})
        return SourceLook("other", NOBODY, "key", set(places), set()).has_source_of(earlier)

    assert reads("/data/a.csv", at="/data/a.csv")
    assert reads("/data/a.csv", also=("/data/a.csv",))
    assert reads("/data/2024/a.csv", at="/data")
    assert not reads("/data/a.csv", at="/data/b.csv", also=("/data",))


def test_releases_that_were_built_on_another_one_say_nothing_more() -> None:
    base, again = entry(1), entry(2, release_fingerprint="release 1")
    coarser = {"solution": {"levels": {"q": 2}}}
    entries = [base, again, entry(3, details=coarser), entry(4, built_on=1, details=coarser), entry(5, origin=5)]
    applied = entry(6, built_on=1, details={**coarser, "applied": True})
    related = find_related([*entries, applied], base)
    assert (related.compared, related.others) == ((base,), (entries[2], applied))
    assert find_related(entries, again).compared == (again,)


def test_a_file_of_two_names_has_come_to_its_place(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.touch()
    inode = str(part.stat().st_ino)
    assert _is_still_beside(str(part), inode)
    assert not _is_still_beside(str(part), "1")
    os.link(part, tmp_path / "target")
    assert not _is_still_beside(str(part), inode)


def treated(number: int, **treatments: Any) -> Entry:
    prints = {"key": "k", "source": NOBODY.to_dict(), "release": NOBODY.to_dict()}
    return entry(number, details={"treatments": {"s": treatments}, "prints": prints})


def test_pseudonyms_are_known_again_by_key_and_context() -> None:
    now = {"key": "k", "context": "c", "length": 16}
    before: dict[str, dict[str, Any]] = {
        "same": {},
        "shorter": {"length": 8},
        "key": {"key": "l"},
        "context": {"context": "d"},
    }
    again = {
        how: "s" in known_again(treated(2, pseudonym=now), [treated(1, pseudonym={**now, **was})])
        for how, was in before.items()
    }
    assert again == {"same": True, "shorter": True, "key": False, "context": False}


def test_days_that_move_by_weeks_are_others() -> None:
    now = {"key": "k", "by": "p", "days": 28, "weeks": False}
    assert list(other_keys(treated(2, shift=now), [treated(1, shift=now)])) == []
    for part, value in (("key", "l"), ("by", "o"), ("days", 7), ("weeks", True)):
        (warning,) = other_keys(treated(2, shift=now), [treated(1, shift={**now, part: value})])
        assert "shifted otherwise than in release 1" in warning
