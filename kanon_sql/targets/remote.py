"""A target in a bucket: written and verified on this machine, then put there in one step and read again."""

from __future__ import annotations

import shlex
from pathlib import Path

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError, ReleasedError
from kanon_sql.source.model import Source
from kanon_sql.source.remote import (
    BUCKETS,
    MOST,
    WHOLE,
    copy_file,
    fetch,
    is_there,
    reaching,
    refuse_unknown,
    shown_url,
)
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.files import FileSink, sha256
from kanon_sql.targets.staging import Staged


class BucketSink(FileSink):
    """One file, which a bucket shows whole or not at all: an upload that is cut off leaves what was there before.

    The digest of what is read there afterwards is compared with that of the verified file; of a large Parquet file,
    which is written anew on its way, rows and columns are.
    """

    def __init__(self, url: str, staged: Staged, file_format: str, target: TargetConfig, place: str) -> None:
        super().__init__(staged, file_format, target)
        self.url = url
        self.place = place
        self.overwrite = target.overwrite
        self.refuse_existing()
        if self.overwrite and not target.allow_remanence and self._may_be_there():
            self.warnings += (_keeps_versions(url),)

    def describe(self) -> str:
        return shown_url(self.url)

    def refuse_existing(self) -> None:
        """Raises ConfigurationError where the file is there and may not be overwritten, EngineError without access."""
        if not self.overwrite and is_there(self.url, self.place):
            raise ConfigurationError(
                f"{self.place}: {shown_url(self.url)} exists already; name another target or set overwrite: true "
                "(--overwrite)"
            )

    def commit(self, engine: Engine) -> None:
        self.refuse_existing()
        file = self.staged.path
        as_it_is = file.stat().st_size <= WHOLE or self.format != "parquet"
        if file.stat().st_size > MOST and self.format != "parquet":
            raise ConfigurationError(
                f"{self.place}: the release has {file.stat().st_size:,} bytes; expected Parquet, or at most {MOST:,} "
                "to be put into a bucket"
            )
        with reaching(self.url, self.place) as bucket:
            digest = "targets/remote_digest" if as_it_is else "targets/remote_rows"
            expected = sha256(file) if as_it_is else _digest(bucket, digest, str(file))
            options = f"FORMAT parquet, COMPRESSION {self._compression()}"
            try:
                copy_file(bucket, str(file), self.url, as_it_is=as_it_is, options=options)
            except EngineError as error:
                raise EngineError(f"{self.place}: {shown_url(self.url)} was not written: {error}") from None
            try:
                same = _digest(bucket, digest, self.url) == expected
            except EngineError as error:
                raise ReleasedError(
                    f"{self.place}: {shown_url(self.url)} was written and could not be read again, so that it is not "
                    f"known whether it is whole: {error}"
                ) from None
        if not same:
            raise ReleasedError(
                f"{self.place}: {shown_url(self.url)} was written and holds something else than was verified; remove it"
            )

    def again(self, engine: Engine) -> Source:
        return self.writer.written(engine, (Path(fetch(engine, self.url, self.place)),), ())

    def _may_be_there(self) -> bool:
        """Whether a file is replaced, also where the bucket does not tell."""
        try:
            return is_there(self.url, self.place)
        except EngineError:
            return True

    def _compression(self) -> str:
        return str(self.writer.options().get("COMPRESSION", "snappy"))


def refuse_target(url: str, place: str) -> None:
    """Raises ConfigurationError for a URL where no file can be written."""
    refuse_unknown(url, place, BUCKETS)
    if any(letter in url for letter in "*?[") or url.endswith("/"):
        raise ConfigurationError(
            f"{place}: {shown_url(url)} names no file; expected one, as s3://bucket/release.parquet"
        )


def _keeps_versions(url: str) -> str:
    """What to do about the file that was there: no run can know whether the bucket keeps versions, or remove one."""
    scheme, _, rest = shown_url(url).partition("://")
    bucket, _, key = rest.partition("/")
    named = f"--bucket {shlex.quote(bucket)} --key {shlex.quote(key)} --version-id ID"
    remedy = (
        f"aws s3api list-object-versions --bucket {shlex.quote(bucket)} --prefix {shlex.quote(key)} lists them, "
        f"aws s3api delete-object {named} removes one"
        if scheme == "s3"
        else "list and remove them with the tool of its provider"
    )
    return (
        f"where the bucket keeps versions, it still has the earlier ones of {shown_url(url)}: {remedy}; "
        "target.allow_remanence: true says that they may stay"
    )


def _digest(engine: Engine, query: str, url: str) -> str:
    return str(engine.query(query, values={"url": url})[0][0])
