"""Events of OpenLineage: which table a release was made of, and how each of its columns was treated.

As OpenLineage 2-0-2 and its facets describe them (openlineage.io/spec): a run begins with START and ends with COMPLETE
or FAIL. Nothing of them is a value of the data.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import EngineError, KanonError
from kanon_sql.report.call import in_place_but
from kanon_sql.report.report import Json, ReportDraft, levels_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.settings.version import __version__
from kanon_sql.source.model import Column
from kanon_sql.source.remote import is_remote, shown_url
from kanon_sql.source.roles import Roles

_SPEC = "https://openlineage.io/spec"
_EVENT = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_PRODUCER = f"urn:kanon-sql:{__version__}"
_PATH = "/api/v1/lineage"  # where a server of OpenLineage takes events
_SECONDS = 10.0
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass
class Lineage:
    """The events of one run, told to `place`, a file, to which they are appended as JSON lines, or a URL.

    A server's key is read from OPENLINEAGE_API_KEY, the namespace of the job from OPENLINEAGE_NAMESPACE.
    """

    place: str
    loaded: LoadedConfig
    draft: ReportDraft
    run: str = field(default_factory=lambda: str(uuid4()))

    def event(self, kind: str, problems: Sequence[str] = ()) -> Json:
        """The event of a kind (START, COMPLETE, FAIL), as JSON data; `problems` say what a run failed by."""
        config, base = self.loaded.config, self.loaded.base
        roles = self.draft.roles
        source = _dataset(config.source, base, config.engine.chosen)
        read = {**source, "facets": {} if roles is None else {"schema": _schema(_columns_read(roles))}}
        released = kind == "COMPLETE" and self.draft.status == "released"
        return {
            "eventType": kind,
            "eventTime": datetime.now(timezone.utc).isoformat(),
            "producer": _PRODUCER,
            "schemaURL": _EVENT,
            "run": {"runId": self.run, "facets": self._run_facets(problems)},
            "job": {
                "namespace": os.environ.get("OPENLINEAGE_NAMESPACE", "kanon-sql"),
                "name": Path(self.loaded.name).name,
                "facets": {},
            },
            "inputs": [read],
            "outputs": [self._output(source)] if released else [],
        }

    def tell(self, kind: str, problems: Sequence[str] = ()) -> None:
        """Tells the event. Raises EngineError."""
        text = json.dumps(self.event(kind, problems), ensure_ascii=False)
        if _WEB.match(self.place) is None:
            try:
                with open(self.place, "a", encoding="utf-8", opener=_private) as file:
                    file.write(f"{text}\n")
            except OSError as failure:
                raise EngineError(f"{self.place}: the lineage cannot be written ({failure.strerror})") from None
            return
        # Imported here: most runs tell nothing, and start without it.
        from urllib.error import URLError
        from urllib.request import Request, urlopen

        url = self.place if urlsplit(self.place).path.strip("/") else self.place.rstrip("/") + _PATH
        key = os.environ.get("OPENLINEAGE_API_KEY")
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        try:
            with urlopen(Request(url, text.encode(), headers), timeout=_SECONDS):
                pass
        except (URLError, OSError, ValueError) as failure:
            reason = getattr(failure, "reason", failure)
            raise EngineError(f"{shown_url(url)}: the lineage was not taken ({reason})") from None

    def _run_facets(self, problems: Sequence[str]) -> Json:
        facets = {"processing_engine": _facet("1-1-1/ProcessingEngineRunFacet", version=__version__, name="kanon-sql")}
        if problems:
            message = "; ".join(problems)
            facets["errorMessage"] = _facet("1-0-1/ErrorMessageRunFacet", message=message, programmingLanguage="SQL")
        return facets

    def _output(self, source: Json) -> Json:
        """The release: its columns, of which each is made, and how many rows it has."""
        config, base, roles = self.loaded.config, self.loaded.base, self.draft.roles
        target = config.target
        written = dict(source)
        if target is not None and not target.in_place:
            described = SourceConfig.model_construct(path=target.path, database=target.database, table=target.table)
            written = _dataset(described, base, config.engine.chosen)
        facets: Json = {}
        if roles is not None:
            facets["schema"] = _schema(roles.released, unknown=set(roles.quasi_identifiers))
            facets["columnLineage"] = self._columns(source, roles)
        rows = {"outputStatistics": _facet("1-0-2/OutputStatisticsOutputDatasetFacet", rowCount=self.draft.released)}
        return {**written, "facets": facets, "outputFacets": rows}

    def _columns(self, source: Json, roles: Roles) -> Json:
        """Of which column each released one is made, and which columns decide which rows are released."""
        fields = {
            col.name: {"inputFields": [{**source, "field": col.name, "transformations": [self._treated(col, roles)]}]}
            for col in roles.released
        }
        below = "rows in classes that do not satisfy the privacy models are not released"
        filters = [
            {
                **source,
                "field": col.name,
                "transformations": [_transformation("INDIRECT", "FILTER", below, masking=False)],
            }
            for col in roles.quasi_identifiers
        ]
        return _facet("1-2-0/ColumnLineageDatasetFacet", fields=fields, dataset=filters)

    def _treated(self, col: Column, roles: Roles) -> Json:
        """How a released column is made."""
        said = []
        if col.name in self.draft.treatments:
            said.append(f"treated: {', '.join(self.draft.treatments[col.name])}")
        levels = levels_of(self.draft.solution)
        if col in roles.quasi_identifiers and (levels is None or levels.get(col.name)):
            level = "" if levels is None else f" to level {levels[col.name]} of its hierarchy"
            said.append(f"generalized{level}")
        if not said:
            return _transformation("DIRECT", "IDENTITY", "", masking=False)
        return _transformation("DIRECT", "TRANSFORMATION", "; ".join(said), masking=True)


@contextmanager
def telling_lineage(place: str | None, loaded: LoadedConfig, draft: ReportDraft) -> Iterator[None]:
    """The block is a run, of which events are told where a place is given.

    Raises what the block raises; EngineError before it where the first event cannot be told, ReleasedError where the
    last one cannot, and the release is in its place.
    """
    if place is None:
        yield
        return
    lineage = Lineage(place, loaded, draft)
    lineage.tell("START")
    try:
        yield
    except KanonError as error:
        try:
            lineage.tell("FAIL", error.problems)
        except EngineError as failure:
            error.add(failure.problems)
        raise
    except Exception as error:
        # An error of the program itself: its text may quote values of the data, its type does not.
        with suppress(EngineError):
            lineage.tell("FAIL", [f"unexpected {type(error).__name__}"])
        raise
    try:
        lineage.tell("COMPLETE")
    except EngineError as failure:
        if draft.status != "released":
            raise
        raise in_place_but(failure.problems) from None


def _private(path: str, flags: int) -> int:
    """Opens a new file so that its owner alone reads it."""
    return os.open(path, flags, 0o600)


def _dataset(config: SourceConfig, base: Path, engine: str) -> Json:
    """Namespace and name of a table, as OpenLineage names datasets."""
    if is_remote(config.path):
        parts = urlsplit(shown_url(str(config.path)))
        return {"namespace": f"{parts.scheme}://{parts.netloc}", "name": parts.path.lstrip("/")}
    if config.path is not None:
        return {"namespace": "file", "name": str((base / config.path).absolute())}
    if config.folder_table is not None:
        return {"namespace": "file", "name": str((base / config.folder_table[1]).absolute())}
    if config.database_file is not None:
        place = f"file:{(base / config.database_file).absolute()}"
        return {"namespace": place, "name": config.table or "query"}
    return {"namespace": engine, "name": config.table or "query"}


def _columns_read(roles: Roles) -> list[Column]:
    return list(dict.fromkeys([*roles.quasi_identifiers, *roles.released]))


def _schema(columns: Sequence[Column], unknown: set[Column] | None = None) -> Json:
    """Names and types of columns; a type is left out of those whose is `unknown`."""
    fields = [{"name": col.name, **({} if col in (unknown or set()) else {"type": col.type})} for col in columns]
    return _facet("1-2-0/SchemaDatasetFacet", fields=fields)


def _transformation(kind: str, subtype: str, description: str, *, masking: bool) -> Json:
    return {"type": kind, "subtype": subtype, "description": description, "masking": masking}


def _facet(schema: str, /, **content: Any) -> Json:
    """A facet by the version and name of its schema."""
    kind = schema.rpartition("/")[2]
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/{schema}.json#/$defs/{kind}", **content}
