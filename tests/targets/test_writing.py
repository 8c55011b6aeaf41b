"""The files that commands write beside a release: whole or as they were, and who may read them."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tables import configuration, write

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.commands.sweep import Outputs, write_outputs
from kanon_sql.errors import EngineError
from kanon_sql.report.charts.lattice import write_plot as write_lattice
from kanon_sql.report.charts.risk import write_risk_plot
from kanon_sql.report.report import write_json

Json = dict[str, Any]


def _sweep(data: Json, output: Path) -> None:
    of_table = output.suffix in (".csv", ".json")
    write_outputs(data["sweep"], Outputs(output, None, None) if of_table else Outputs(None, output, None))


def _hierarchy(*words: str) -> Callable[[Json, Path], None]:
    def build(data: Json, output: Path) -> None:
        given = [str(data["people"]) if word == "people" else word for word in words]
        result = CliRunner().invoke(cli, ["hierarchy", "build", *given, "--overwrite", "-o", str(output)])
        if result.exception is not None:
            raise result.exception

    return build


# What writes each output, and the mode of a new file.
OUTPUTS: dict[str, tuple[Callable[[Json, Path], None], int]] = {
    "sweep.csv": (_sweep, 0o600),
    "sweep.json": (_sweep, 0o600),
    "sweep.svg": (_sweep, 0o600),
    "sweep.html": (_sweep, 0o600),
    "lattice.svg": (lambda data, output: write_lattice(output, data["lattice"]), 0o600),
    "lattice.dot": (lambda data, output: write_lattice(output, data["lattice"]), 0o600),
    "risk.svg": (lambda data, output: write_risk_plot(output, data["risk"]), 0o600),
    "report.json": (lambda data, output: write_json(output, data["lattice"]), 0o600),
    "zip.csv": (_hierarchy("people", "--column", "zip", "--builtin", "prefix:3,1"), 0o600),
    "age.csv": (_hierarchy("--hierarchy", "age"), 0o644),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """What the commands make of people."""
    path = write(tmp_path_factory.mktemp("data") / "people.csv", rows=60)
    config = configuration(str(path), str(path.with_name("out.csv")))
    return {
        "people": path,
        "sweep": kanon_sql.sweep(config, k=[2, 5]),
        "lattice": kanon_sql.lattice(config),
        "risk": kanon_sql.risk(config),
    }


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@contextmanager
def _full_disk() -> Iterator[None]:
    """In the block no file can be longer than 150 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_whole_or_as_they_were(tmp_path: Path, data: Json, name: str) -> None:
    make, mode = OUTPUTS[name]
    output = tmp_path / "outputs" / name
    output.parent.mkdir()
    with _full_disk(), pytest.raises(EngineError, match="File too large"):
        make(data, output)
    assert not list(output.parent.iterdir())
    make(data, output)
    assert output.stat().st_mode & 0o777 == mode
    whole = output.read_bytes()
    assert len(whole) > 150
    output.write_bytes(b"old")
    output.chmod(0o664)
    link = tmp_path / name
    link.symlink_to(output)
    with _full_disk(), pytest.raises(EngineError, match="File too large"):
        make(data, link)
    assert output.read_bytes() == b"old"
    make(data, link)
    assert link.is_symlink()
    assert output.stat().st_mode & 0o777 == 0o664
    assert output.read_bytes() == whole
    assert list(output.parent.iterdir()) == [output]
