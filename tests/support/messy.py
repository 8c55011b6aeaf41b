"""The messy table that examples/messy makes, and the script that scores proposals against roles written by hand."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from places import EXAMPLES, ROOT

MAKER: dict[str, Any] = runpy.run_path(str(EXAMPLES / "messy" / "make.py"))
make: Callable[..., tuple[Path, Path]] = MAKER["make"]


def scoring() -> ModuleType:
    """benchmarks/init.py as a module."""
    spec = importlib.util.spec_from_file_location("init_scoring", ROOT / "benchmarks" / "init.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module
