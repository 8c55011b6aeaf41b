"""What to do where a disk takes no more: it is full, a quota or bound is reached, or it must not be written."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
# Of files that were being written: what tells a staged copy or a spill folder, whose names mean nothing to users.
_STAGED, _SPILLED = ".kanon-sql-", "kanon-sql-spill-"
# The engine quotes errors in errors, with the quotes of each escaped once more.
_FILE = re.compile(r"""\\*["'](?P<path>/[^"'\\]+)\\*["']""")


def why(error: OSError) -> str:
    """The reason of the system in brackets, and what to do about it where that is known."""
    return f"({error.strerror or error}){advice(error)}"


def advice(error: OSError) -> str:
    """What to do, as the end of a problem; nothing where that is not known."""
    if error.errno in _FULL:
        return "; free some space there, or name another place"
    return "; make it writable, or name another place" if error.errno in _CLOSED else ""


def full(said: str) -> str | None:
    """The problem of an engine's error that says that a disk is full, or is not written; None of other errors."""
    known = (*_FULL, errno.EROFS)
    number = next((one for one in known if os.strerror(one).lower() in said.lower()), None)
    if number is None:
        return None
    reason, found = os.strerror(number), _FILE.search(said)
    if number == errno.EROFS:
        what = f"{Path(found['path']).parent}: " if found else ""
        return f"{what}nothing can be written ({reason}); make it writable, or name another place"
    if found is None:
        return f"the disk is full ({reason}); free some space, or name another place"
    path = Path(found["path"])
    for above in (path, *path.parents):
        if above.name.startswith(_SPILLED):
            return f"{above.parent}: no room for temporary data ({reason}); name a larger --temp-directory"
        if _STAGED in above.name:
            path = above
    return f"{path.parent}: no room to write ({reason}); free some space there, or name another place"
