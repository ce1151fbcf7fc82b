"""Mutated bytes for the readers: whatever they are, the end is a corpus or a report of errors, and soon."""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import re
import resource
import shutil
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from metaeval.corpora.read import read_sources
from metaeval.errors import MetaevalError
from tests.corpora.strangers.make import FILES
from tests.support import corpus as neutral
from tests.support import everyday, examples

# Bytes that mean something to one reader or another.
TOKENS = [
    *(b"", b"\n", b"\r", b"\t", b",", b'"', b"'", b"<", b">", b"&", b"{", b"}", b"[", b"]", b"null", b"None", b"NaN"),
    *(b"&#xD800;", b"&#99999999;", b"&a;", b"]]>", b"<![CDATA[", b"<!--", b"<!DOCTYPE a [<!ENTITY b 'c'>"),
    *(b"<seg id=1>", b"</doc>", b"<doc docid='d1'>", b"1e999", b"-1e308", b"9" * 5000, b"\\ud800", b"\xff", b"\x00"),
    *(b"\xef\xbb\xbf", b"\xf0\x9f\x99\x82", b"\x1f\x8b", b"[[files]]\n", b"name = ", b"inf", b"system", b"refA"),
    *(b"score", b"=" * 50, b"<" * 300, b"[" * 3000),
]
# Values of all kinds of JSON, in the place of others.
VALUES: list[Any] = [None, 0, -1, 1.5, True, False, "", "x", "4", [], {}, [1], ["a"], [[]], [{}], [None], {"a": None}]
SLOWEST = 5.0  # seconds of the processor for one input


def _neutral(directory: Path) -> list[Path]:
    files = {"references__ref1": "one\n\nthree\nfour\n", "empty_references": "reference\tsegment\nref2\t2\n"}
    neutral.write(directory, **files, segments="segment\tid\n1\ta\n2\tb\n3\tc\n4\td\n")
    (directory / "metrics").mkdir(exist_ok=True)
    (directory / "metrics" / "m.tsv").write_text("system\tsegment\tscore\nA\t1\t0.5\n")
    return [directory]


def _everyday(directory: Path, name: str) -> list[Path]:
    one = next(one for one in everyday.FILES if one.file == name)
    directory.mkdir(parents=True, exist_ok=True)
    one.write(directory / name)
    return [everyday.texts(directory / "texts"), directory / name] if one.beside_texts else [directory / name]


def _written(name: str, directory: Path) -> list[Path]:
    directory.mkdir(parents=True, exist_ok=True)
    next(one for one in FILES if one.name == name).write(directory / name)
    return [directory / name]


SOURCES = {
    **examples.SOURCES,
    "neutral": (_neutral, ()),
    "table.csv": (lambda directory: examples.table(directory, ".csv"), ("table",)),
    "table.jsonl": (lambda directory: examples.table(directory, ".jsonl"), ("table",)),
    "table.parquet": (lambda directory: examples.table(directory, ".parquet"), ("table",)),
    "table.feather": (lambda directory: examples.table(directory, ".feather"), ()),
    "table.xlsx": (lambda directory: examples.table(directory, ".xlsx"), ()),
    "table.utf-16": (lambda directory: _everyday(directory, "unicode.txt"), ()),
    "table.full": (lambda directory: _everyday(directory, "full.csv"), ('table(duplicates="mean", na=["system"])',)),
    "table.wide": (lambda directory: _everyday(directory, "people.csv"), ('table(judges=["[AB]*"], decimal=",")',)),
    "table.rows": (lambda directory: _everyday(directory, "da.csv"), ('table(labels=["refA=3"])',)),
    "table.blanks": (lambda directory: _everyday(directory, "DA-seglevel.txt"), ()),
    "table.zero": (lambda directory: _everyday(directory, "zero.csv"), ("", "table(first_line=0)")),
}
# Files as tools write them.
EXPORTS = {
    name: (partial(_written, name), ())
    for name in (
        *("07_qualtrics.csv", "08_label_studio.json", "09_label_studio.csv", "10_potato.tsv", "10c_potato_2.jsonl"),
        *("18_doccano.jsonl", "22_argilla.jsonl", "23_prodigy.jsonl", "24_mturk.csv", "25_toloka.tsv"),
        *("27_sagemaker.manifest", "30_surveymonkey.csv", "31_mt_bench_single.jsonl", "35_inspect"),
        "36_promptfoo.json",
    )
}
# What needs a package that need not be there.
NEEDS = {"table.parquet": "pyarrow", "table.feather": "pyarrow"}


def peak_mb() -> float:
    """Return the most memory that this process has had.

    Linux counts that of the process that started this one too, unless the status of the process is asked.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return (int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def mutate(rng: random.Random, content: bytes) -> bytes:
    """Return the content with one to four changes: bytes replaced, cut, repeated, moved or inserted."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.choice((1, 1, 2, 8, 64, 512)))
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[min(at, len(data) - 1)] = rng.randrange(256)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = data[at:end] * rng.choice((1, 2, 50))
        elif kind == 3:
            piece = bytes(data[at:end])
            del data[at:end]
            where = rng.randint(0, len(data))
            data[where:where] = piece
        elif kind == 4:
            del data[at:]
        else:
            data[at:at] = rng.choice(TOKENS)
    return bytes(data)


def _replaced(rng: random.Random, value: Any) -> Any:
    """Return a value of JSON in which one, somewhere inside, is of another kind."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = rng.choice(keys)
        value[key] = _replaced(rng, value[key])
        return value
    return copy.deepcopy(rng.choice(VALUES))


def mutate_values(rng: random.Random, text: str, suffix: str) -> str:
    """Return JSON, JSON Lines or a table with a few values of other kinds."""
    kind = {".tsv": "\t", ".csv": ","}.get(suffix, "")
    content = [*csv.reader(io.StringIO(text), delimiter=kind)] if kind else None
    if content is None:
        content = json.loads(text) if suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    for _ in range(rng.choice((1, 2, 30))):
        content = _replaced(rng, content)
    if suffix == ".json":
        return json.dumps(content)
    rows = content if isinstance(content, list) else []
    if not kind:
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    file = io.StringIO()
    cells = [[one if isinstance(one, str) else json.dumps(one) for one in row] for row in rows if isinstance(row, list)]
    csv.writer(file, delimiter=kind).writerows(cells)
    return file.getvalue()


def fuzz(name: str, directory: Path, seed: int, count: int) -> Iterator[tuple[str, float]]:
    """Read `count` mutated inputs of a format; give what came of each and the seconds it took.

    Any exception other than MetaevalError passes.
    """
    rng = random.Random(f"{seed}-{name}")
    make, formats = (SOURCES | EXPORTS)[name]
    shutil.rmtree(directory, ignore_errors=True)
    paths: Sequence[Path] = make(directory / "source")
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    originals = {path: path.read_bytes() for path in files}
    for _ in range(count):
        path = rng.choice(files)
        if name in EXPORTS and rng.random() < 0.7:
            path.write_text(mutate_values(rng, originals[path].decode(), path.suffix), encoding="utf-8")
        else:
            path.write_bytes(mutate(rng, originals[path]))
        start = time.thread_time()
        try:
            corpus, problems = read_sources(paths, formats, texts=name not in EXPORTS)
            outcome = "corpus" if corpus is not None else "errors"
            assert (corpus is None) == bool(problems.errors)
        except MetaevalError:
            outcome = "errors"
        yield outcome, time.thread_time() - start
        path.write_bytes(originals[path])
