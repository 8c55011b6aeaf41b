"""A configuration as reports and pages show it: what holds, without secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from kanon_sql.config.load import LoadedConfig

Json = dict[str, Any]

MASK = "***"
# What is said with its defaults where the configuration says nothing: a later version might take others.
_SAID = ("unlisted", "missing", "suppression", "release")
_SECRET_KEY = re.compile(
    r"password|passwd|pwd|secret|token|credential|access[._-]?key|api[._-]?key|^key$", re.IGNORECASE
)
# user:password@ of a URL, up to its last @, for an @ in a password may stand as it is; password=... of its query or of
# words as libpq and ODBC take them, and signatures of addresses; all parameters of Spark Connect but a few.
_IN_URL = re.compile(r"(://[^\s:/@]*:)\S+(?=@)")
_ASSIGNED = re.compile(
    r"((?:[\w-]*(?:password|passwd|pwd|secret|token|credential|signature|api_?key|access_?key)[\w-]*|[\w-]*\bauth|\bsig)"
    r"\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&;]+)",
    re.IGNORECASE,
)
# A URL, or words as libpq takes them; of a text that is neither, nobody knows where its password stands.
_CONNECTION = re.compile(
    r"\w+://(?:[^\s:/@?#]*(?::[^\s/@?#]*)?@)?[^\s@]*|(?:\s*\w+\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s']+)(?:\s+|$))+"
)
_OF_SPARK = re.compile(r"(;(?!(?:user_id|use_ssl|user_agent|session_id)=)[\w.-]+=)[^\s;]+")


def describe_configuration(loaded: LoadedConfig) -> Json:
    """The configuration as JSON: overrides applied, short forms written out, some defaults said.

    What `${NAME}` read stands as ${NAME}, passwords and keys as ***. `release.seed` is left out: whoever knows it knows
    the order of the rows.
    """
    config = loaded.config
    given = config.model_dump(exclude_unset=True)
    whole = config.model_dump(include=set(_SAID), exclude_none=True)
    given |= whole
    given["algorithm"] = config.algorithm.describe()
    given["release"].pop("seed", None)
    keys = [key for key in type(config).model_fields if key in given]
    described: Json = _plain({key: given[key] for key in keys}, loaded)
    return described


def _plain(value: Any, loaded: LoadedConfig, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {_masked(loaded.redact(str(one))): _plain(entry, loaded, str(one)) for one, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, loaded, key) for entry in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not isinstance(value, str):
        return value
    redacted = loaded.redact(value)
    if _SECRET_KEY.search(key) and not re.fullmatch(r"\$\{\w+\}", redacted):
        return MASK
    if key == "postgres" and "${" not in redacted and not _CONNECTION.fullmatch(redacted):
        return MASK
    return _masked(redacted)


def _masked(text: str) -> str:
    if text.startswith("sc://"):
        text = _OF_SPARK.sub(rf"\1{MASK}", text)
    return _ASSIGNED.sub(rf"\1{MASK}", _IN_URL.sub(rf"\1{MASK}", text))
