"""Where things of the project are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
EXAMPLES = ROOT / "examples"
SCRIPTS = ROOT / "scripts"
SHARED = ROOT.parent / "shared"  # reference results and tables that are kept beside this repository
