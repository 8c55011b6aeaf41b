"""What a replaced or a new file is allowed, and when it reaches the disk."""

from __future__ import annotations

import os
import stat
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from kanon_sql.targets import staging_permissions
from kanon_sql.targets.staging import stage_file

ACL = "system.posix_acl_access"


def write(target: Path, text: str = "new", *, overwrite: bool = True, **options: Any) -> None:
    with stage_file(target, overwrite=overwrite, place="here") as staged:
        staged.path.write_text(text)
        staged.commit(**options)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def make(path: Path, permissions: int, text: str = "old") -> Path:
    path.write_text(text)
    path.chmod(permissions)
    return path


def test_a_new_file_is_private_until_it_is_committed_and_then_follows_the_umask(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    before = os.umask(0o027)
    try:
        with stage_file(target, overwrite=False, place="here") as staged:
            assert staged.path.parent == tmp_path
            assert mode(staged.path) == 0o600
            staged.path.write_text("new")
            assert not target.exists()
            staged.commit()
        assert mode(target) == 0o640
    finally:
        os.umask(before)
    assert target.read_text() == "new"
    assert names(tmp_path) == {"out.csv"}


@pytest.mark.parametrize("permissions", [0o600, 0o444, 0o664])
def test_a_replaced_file_keeps_its_permissions(permissions: int, tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", permissions)
    if os.geteuid() == 0:
        os.chown(target, 12345, 23456)
    owner = (target.stat().st_uid, target.stat().st_gid)
    write(target)
    assert mode(target) == permissions
    assert (target.stat().st_uid, target.stat().st_gid) == owner


def test_the_disk_has_the_file_before_its_name_and_the_name_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    flush, replace = staging_permissions.flush, Path.replace

    def flushing(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        flush(descriptor)

    def replacing(self: Path, target: Path) -> Path:
        done.append("move")
        return replace(self, target)

    monkeypatch.setattr(staging_permissions, "flush", flushing)
    monkeypatch.setattr(Path, "replace", replacing)
    write(make(tmp_path / "out.csv", 0o644))
    assert done == ["file", "move", "folder"]


def test_permissions_can_be_asked_for(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o644)
    write(target, mode=0o600)
    write(tmp_path / "other.csv", mode=0o604)
    assert (mode(target), mode(tmp_path / "other.csv")) == (0o600, 0o604)


def test_another_group_gets_no_more_than_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging_permissions, "_take_owner", lambda *_: False)
    for before, after in [(0o660, 0o600), (0o664, 0o644), (0o604, 0o604), (0o777, 0o777)]:
        target = make(tmp_path / "out.csv", before)
        write(target)
        assert mode(target) == after


def test_an_access_list_is_kept(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o640)
    nobody = 0xFFFFFFFF
    entries = [(0x01, 6, nobody), (0x02, 6, 54321), (0x04, 0, nobody), (0x10, 6, nobody), (0x20, 0, nobody)]
    packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    if sys.platform != "linux":
        pytest.skip("access lists are taken over on Linux only")
    try:
        os.setxattr(target, ACL, packed)
    except OSError as error:
        pytest.skip(f"no access lists in the folder of the tests ({error.strerror})")
    write(target)
    assert os.getxattr(target, ACL) == packed
    assert mode(target) == 0o660
