"""Writes rows as the tools do: CSV, JSON Lines, Excel, OpenDocument."""

from __future__ import annotations

import csv
import datetime
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

Row = Sequence[object]


def write_text(path: Path, text: str, encoding: str = "utf-8") -> None:
    """Write a text with its own line ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))


def write_csv(
    path: Path,
    rows: Iterable[Row],
    *,
    delimiter: str = ",",
    line_end: str = "\n",
    encoding: str = "utf-8",
    quoting: int = csv.QUOTE_MINIMAL,
) -> None:
    """Write rows, of which the first are the header."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=quoting).writerows(rows)
    write_text(path, text.getvalue(), encoding)


def write_json(path: Path, content: object, indent: int | None = None) -> None:
    write_text(path, json.dumps(content, ensure_ascii=False, indent=indent))


def write_json_lines(path: Path, objects: Iterable[Mapping[str, object]]) -> None:
    write_text(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))


def new_workbook(path: Path) -> Any:
    """Open an Excel workbook whose bytes do not depend on the day."""
    import xlsxwriter

    path.parent.mkdir(parents=True, exist_ok=True)
    workbook = xlsxwriter.Workbook(path)
    workbook.set_properties({"created": datetime.datetime(2026, 1, 1)})
    return workbook


def write_ods(path: Path, sheets: Mapping[str, Sequence[Row]]) -> None:
    """Write an OpenDocument spreadsheet with the least that one needs."""
    mime = "application/vnd.oasis.opendocument.spreadsheet"
    names = "urn:oasis:names:tc:opendocument:xmlns"
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<office:document-content xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0" '
        f'xmlns:text="{names}:text:1.0" office:version="1.3"><office:body><office:spreadsheet>{tables}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<manifest:manifest xmlns:manifest="{names}:manifest:1.0" manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (("mimetype", mime), ("content.xml", content), ("META-INF/manifest.xml", manifest)):
            archive.writestr(zipfile.ZipInfo(name), text)  # ZipInfo has a fixed date


def _ods_cell(value: object) -> str:
    is_number = isinstance(value, int | float)
    kind = f'office:value-type="float" office:value="{value}"' if is_number else 'office:value-type="string"'
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"
