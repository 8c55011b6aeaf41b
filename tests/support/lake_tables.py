"""Tables of Iceberg and Delta as other programs write them, with deletes that pyiceberg and deltalake do not write."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

POSITIONS, EQUALITY = 1, 2  # the content of a file of deletes
_PATH_ID, _POSITION_ID = 2147483546, 2147483545  # of the columns of a file of positions
_MAGIC = 1681511377  # before the bitmap of a deletion vector
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def iceberg_catalog(folder: Path, warehouse: str | None = None, **properties: str) -> Any:
    """The catalog of tables below a folder, or a URL that `properties` reach; its namespace is "clinic"."""
    from pyiceberg.catalog.sql import SqlCatalog

    folder.mkdir(parents=True, exist_ok=True)
    place = warehouse or f"file://{folder}/warehouse"
    catalog = SqlCatalog("test", uri=f"sqlite:///{folder}/catalog.db", warehouse=place, **properties)
    catalog.create_namespace_if_not_exists("clinic")
    return catalog


def folder_of(table: Any) -> Path:
    """The folder of a table of Iceberg."""
    return Path(table.location().removeprefix("file://"))


def metadata_of(table: Any) -> Path:
    """The metadata file that the catalog names."""
    return Path(table.metadata_location.removeprefix("file://"))


def delete_from_iceberg(table: Any, rows: Any, content: int, ids: list[int] | None = None) -> None:
    """Commits a file of deletes: (file_path, pos) of rows, or values of the columns with the field `ids`."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestWriterV2
    from pyiceberg.table.update.snapshot import _FastAppendFiles
    from pyiceberg.typedef import Record

    field_ids = [_PATH_ID, _POSITION_ID] if content == POSITIONS else ids or []
    fields = [
        field.with_metadata({"PARQUET:field_id": str(number)})
        for field, number in zip(rows.schema, field_ids, strict=True)
    ]
    file = f"{table.location()}/data/deletes-{len(table.metadata.snapshots)}.parquet"
    output = table.io.new_output(file)
    with output.create() as written:
        pq.write_table(rows.cast(pa.schema(fields)), written)

    class Writer(ManifestWriterV2):  # type: ignore[misc]
        def content(self) -> ManifestContent:
            return ManifestContent.DELETES

        @property
        def _meta(self) -> dict[str, str]:
            return {**super()._meta, "content": "deletes"}

    class Deletes(_FastAppendFiles):  # type: ignore[misc]
        def new_manifest_writer(self, spec: Any) -> Any:
            return Writer(spec, self.schema(), self.new_manifest_output(), self._snapshot_id, self._compression)

    entry = DataFile.from_args(
        content=DataFileContent(content),
        file_path=file,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=rows.num_rows,
        file_size_in_bytes=len(output.to_input_file()),
        equality_ids=ids,
        sort_order_id=None,
        spec_id=table.metadata.default_spec_id,
    )
    entry.spec_id = table.metadata.default_spec_id
    with table.transaction() as transaction:
        from pyiceberg.table.snapshots import Operation

        update = Deletes(operation=Operation.OVERWRITE, transaction=transaction, io=table.io)
        update.append_data_file(entry)
        update.commit()


def delete_from_delta(folder: Path, positions: dict[str, list[int]]) -> None:
    """Commits deletion vectors: positions of rows in data files of a table, by the names of the files."""
    log = folder / "_delta_log"
    adds = {}
    for version in log.glob("*.json"):
        for line in version.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                adds[action["add"]["path"]] = action["add"]
    features = ["deletionVectors"]
    actions: list[dict[str, Any]] = [
        {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": features,
                "writerFeatures": features,
            }
        }
    ]
    for path, rows in positions.items():
        add = adds[path]
        actions.append({"remove": {"path": path, "deletionTimestamp": 0, "dataChange": True}})
        vector = {**_vector(rows), "cardinality": len(rows)}
        actions.append({"add": {**add, "deletionVector": vector}})
    commit_to_delta(folder, actions)


def commit_to_delta(folder: Path, actions: list[dict[str, Any]]) -> Path:
    """Writes the next version of a table; gives its file."""
    log = folder / "_delta_log"
    file = log / f"{len(list(log.glob('*.json'))):020}.json"
    file.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return file


def _vector(rows: list[int]) -> dict[str, Any]:
    """A deletion vector that stands in the log itself."""
    from pyroaring import BitMap

    bitmap = BitMap(rows).serialize()
    content = struct.pack("<IQI", _MAGIC, 1, 0) + bitmap
    padded = content + b"\0" * (-len(content) % 4)
    return {"storageType": "i", "pathOrInlineDv": _z85(padded), "sizeInBytes": len(content)}


def _z85(content: bytes) -> str:
    """Base 85 with the letters of ZeroMQ."""
    letters = base64.b85encode(content).decode()
    table = str.maketrans(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~", _LETTERS
    )
    return letters.translate(table)
