"""The list of seeded faults: each applies, and names tests that are there."""

from __future__ import annotations

from places import ROOT
from trials.mutants import mutants


def test_each_fault_applies_once_and_names_tests_that_exist() -> None:
    for mutant in mutants():
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.applied(text) != text, f"{mutant.file}: {mutant.fault}"
        assert mutant.tests, f"{mutant.file}: {mutant.fault}"
        for name in mutant.tests:
            assert (ROOT / name).is_file(), f"{mutant.file}: {mutant.fault}: {name}"


def test_no_two_faults_are_alike() -> None:
    listed = mutants()
    assert len({(mutant.file, mutant.fault) for mutant in listed}) == len(listed)
    texts = {(mutant.file, mutant.applied((ROOT / mutant.file).read_text(encoding="utf-8"))) for mutant in listed}
    assert len(texts) == len(listed)


def test_there_are_at_least_120_faults() -> None:
    assert len(mutants()) >= 120
