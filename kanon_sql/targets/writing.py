"""Files that commands write beside a release: reports, tables, drawings; each is there whole, or as it was."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.targets.staging_permissions import finish


def write_output(path: Path, content: str | bytes, what: str, *, private: bool) -> None:
    """Writes a file all or nothing, with the rights of the one that it replaces.

    A new one is for its owner alone where it is `private`, else as the umask says. A link is followed; what is there
    and no file, as /dev/stdout or a pipe, is written to as it is. `what` it is stands in errors. Raises EngineError.
    """
    written = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(written)
        else:
            _replace(Path(os.path.realpath(path)), written, 0o600 if private else None)
    except OSError as error:
        raise EngineError(f"{path}: the {what} cannot be written ({error.strerror})") from None


def _replace(path: Path, content: bytes, mode: int | None) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:60]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        finish(Path(temporary), *((path, None) if path.exists() else (None, mode)))
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink(missing_ok=True)
        raise
