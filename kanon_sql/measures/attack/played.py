"""The report of attacks that were played, read again: is it of the release that it is asked about?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.remote import is_remote, shown_url
from kanon_sql.targets.files import sha256
from kanon_sql.targets.target import shown

if TYPE_CHECKING:
    from kanon_sql.results.attack import About, AttackReport

_ATTACK = ("main", "baseline", "control", "risk", "interval")
_CONTROL = "--control "
_MOST = 1 << 31


def describe_target(loaded: LoadedConfig) -> About:
    """The release of a configuration: its name and, of a file that is there, its SHA-256."""
    target = loaded.config.target
    if target is None or target.in_place:
        return {"release": None, "sha256": None}
    if target.path is None and target.database_file is None:
        return {"release": target.table, "sha256": None}  # of the configuration's engine
    if target.path is None:
        return {
            "release": f"{shown((loaded.base / str(target.database_file)).resolve())}, {target.table}",
            "sha256": None,
        }
    if is_remote(target.path):
        return {"release": shown_url(target.path), "sha256": None}
    path = (loaded.base / target.path).resolve()
    return {"release": shown(path), "sha256": sha256(path) if path.is_file() else None}


def read_attacks(path: Path, loaded: LoadedConfig) -> AttackReport:
    """What `kanon-sql attack --report` wrote of the release that the configuration's target holds.

    Raises EngineError for a file that cannot be read, ConfigurationError for another one and for another release.
    """
    try:
        report: Any = json.loads(path.read_text(encoding="utf-8"))
        about, wrong = report["about"], not _is_whole(report)
    except OSError as error:
        raise EngineError(f"--attack {path}: the file cannot be read ({error.strerror or 'no reason given'})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        about, wrong = {}, True
    if wrong:
        raise ConfigurationError(f"--attack {path}: expected what kanon-sql attack {loaded.name} --report FILE writes")
    if not _same(about, describe_target(loaded)):
        raise ConfigurationError(
            f"--attack {path}: these attacks were not played on the release as it is now; play them again: "
            f"kanon-sql attack {loaded.name} --report {path}"
        )
    played: AttackReport = report
    return played


def control_of(report: AttackReport) -> Path | None:
    """The file of the control group, as it was named; None without one."""
    named = report["control"]
    if named is None or report["hold_out"] is not None:
        return None
    return Path(named.removeprefix(_CONTROL))


def _same(about: About, target: About) -> bool:
    """Whether both are one release: the same file, or where no digest tells the same name."""
    if about["sha256"] is None or target["sha256"] is None:
        return target["release"] is not None and about["release"] == target["release"]
    return about["sha256"] == target["sha256"]


def _is_whole(report: Any) -> bool:
    """Whether it has what is read of it, in the right shape."""
    singled, about, share = report["singling_out"], report["about"], report["hold_out"]
    played = [singled, singled and singled["all_columns"], report["linkability"], *report["inference"].values()]
    return (
        report["status"] == "measured"
        and report["against"] in ("control", "baseline")
        and about.keys() >= {"release", "sha256"}
        and all(type(number) is int and 0 <= number < _MOST for number in _numbers(report))
        and (share is None or _is_share(share))
        and all(_is_attack(attack, report["against"]) for attack in played if attack is not None)
    )


def _numbers(report: Any) -> list[Any]:
    control = report["rows"]["control"]
    return [report["attacks"], report["seed"], report["rows"]["source"], *([] if control is None else [control])]


def _is_attack(entry: Any, against: str) -> bool:
    values = [entry[key] for key in _ATTACK[:4]] + list(entry["interval"])
    shares = [value for value in values if value is not None]
    return len(values) == 6 and all(map(_is_share, shares)) and len(shares) >= 5 and entry[against] is not None


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
