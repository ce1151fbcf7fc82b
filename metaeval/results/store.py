"""A run in its directory: written and read by the same code, so that what is read and written again is the same.

========================  ===========================================================================
file                      what it holds
========================  ===========================================================================
config.toml               the config as it was run
manifest.json             versions, digests of corpora, seed, warnings
TABLE.tsv                 the tables, each if it has a row
scores.tsv                scores of systems, real documents and segments, whole systems first
documents.npz             arrays by path-like names
documents.json            which arrays belong where
disagreements.json        texts of documents in which a metric and people disagree most
========================  ===========================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO, TypeVar, overload
from zipfile import is_zipfile

import numpy as np

from metaeval.errors import CorpusError, UsageError
from metaeval.parameters import build
from metaeval.results.disagreements import flaw_of
from metaeval.results.keys import Key
from metaeval.results.model import KINDS, Array, CorpusFacts, JudgmentSet, RunData, ScoreBlock, Series, Tables
from metaeval.results.tables import read_cells, read_rows, read_text, text_of

CONFIG, MANIFEST = "config.toml", "manifest.json"
SCORES, ARRAYS, INDEX, DISAGREEMENTS = "scores.tsv", "documents.npz", "documents.json", "disagreements.json"
# Another number where files or columns of runs have other names.
LAYOUT = 3
# What a manifest has besides the facts of a run, in this order.
_LISTS = ("corpora", "warnings", "failures", "seconds")
FILES = (CONFIG, MANIFEST, *(f"{name}.tsv" for name in KINDS), SCORES, ARRAYS, INDEX, DISAGREEMENTS)
RecordT = TypeVar("RecordT")


def write_run(run: RunData, directory: Path) -> None:
    """Write a run into a directory that exists; the same run gives the same bytes."""
    if run.config:
        (directory / CONFIG).write_text(run.config, encoding="utf-8")
    for name, kind in KINDS.items():
        rows = getattr(run.tables, name)
        if rows:
            (directory / f"{name}.tsv").write_text(text_of(kind, rows), encoding="utf-8")
    with (directory / SCORES).open("w", encoding="utf-8", newline="\n") as file:
        write_scores(run.scores, file)
    with (directory / ARRAYS).open("wb") as arrays:
        np.savez(arrays, **{name: run.arrays[name] for name in run.arrays})  # type: ignore[arg-type]
    index = {"series": [asdict(one) for one in run.series], "judgments": [asdict(one) for one in run.judgments]}
    _write_json(directory / INDEX, index)
    if run.disagreements:
        text = json.dumps(run.disagreements, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        (directory / DISAGREEMENTS).write_text(text + "\n", encoding="utf-8")
    write_manifest(run, directory)


def write_manifest(run: RunData, directory: Path) -> None:
    """Write what a run says of itself."""
    _write_json(directory / MANIFEST, manifest_of(run))


def manifest_of(run: RunData) -> dict[str, Any]:
    """Return what manifest.json holds."""
    lists: dict[str, Any] = {
        "corpora": [asdict(one) for one in run.corpora],
        "warnings": run.warnings,
        "failures": run.failures,
        "seconds": {name: round(value, 3) for name, value in run.seconds.items()},
    }
    return {"layout": LAYOUT, **run.facts, **lists}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# The key is that of what was scored.
_OF_KEY = ("panel", "corpus", "preprocessing", "subset", "metric")
_SCORE_COLUMNS = (*_OF_KEY, "level", "unit", "segments", "kind", "system", "n_references", "score", "signature")


def write_scores(blocks: Sequence[ScoreBlock], file: TextIO) -> None:
    """Write scores.tsv: whole systems first.

    The signature stands in their rows alone: in the many rows of segments it would be most of the file.
    """
    file.write("\t".join(_SCORE_COLUMNS) + "\n")
    for of_systems in (True, False):
        for block in blocks:
            if (block.level == "system") == of_systems:
                _write_block(block, file, block.signature if of_systems else "")


def _write_block(block: ScoreBlock, file: TextIO, signature: str) -> None:
    head = "\t".join([*(getattr(block.key, name) for name in _OF_KEY), block.level])
    for unit, size, of_names in zip(block.units, block.sizes.tolist(), block.values.tolist(), strict=True):
        place = f"{head}\t{unit}\t{size}\t{block.kind}\t"
        file.writelines(
            f"{place}{name}\t{block.n_references}\t{score!r}\t{signature}\n"
            for name, score in zip(block.names, of_names, strict=True)
        )


def read_scores(path: Path) -> list[ScoreBlock]:
    """Read scores.tsv; none without the file.

    Raises
    ------
    CorpusError
        If it is not what a run writes.
    """
    header, rows = read_cells(path, _SCORE_COLUMNS)
    if tuple(header) != _SCORE_COLUMNS:
        order = [header.index(name) for name in _SCORE_COLUMNS]
        rows = [[row[place] for place in order] for row in rows]
    found, line = [], 2
    for head, group in groupby(rows, lambda row: (*row[:6], row[8], row[10], row[12])):
        block = list(group)
        _, _, _, _, _, _, units, sizes, _, systems, _, scores, _ = zip(*block, strict=True)
        *_, level, kind, n_references, signature = head
        names = tuple(dict.fromkeys(systems))
        try:
            found.append(
                ScoreBlock(
                    key=Key(**dict(zip(_OF_KEY, head, strict=False))),
                    level=level,
                    kind=kind,
                    units=units[:: len(names)],
                    sizes=np.array(list(map(int, sizes[:: len(names)])), dtype=np.int64),
                    names=names,
                    values=np.array(list(map(float, scores))).reshape(-1, len(names)),
                    n_references=int(n_references),
                    signature=signature,
                )
            )
        except ValueError as error:
            where = f"{path}:{line} to {line + len(block) - 1}"
            raise CorpusError(
                f"{where}: must have one score, a number, for each unit and system of {head[4]!r}: {error}."
            ) from error
        line += len(block)
    return found


class _Late(Sequence[ScoreBlock]):
    """The scores of a run, read when they are first asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _blocks(self) -> list[ScoreBlock]:
        return read_scores(self._path)

    def __len__(self) -> int:
        return len(self._blocks)

    @overload
    def __getitem__(self, place: int) -> ScoreBlock: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ScoreBlock]: ...
    def __getitem__(self, place: int | slice) -> ScoreBlock | Sequence[ScoreBlock]:
        return self._blocks[place]


class _MissingArrayError(CorpusError, KeyError):
    """Raised for an array that a run does not have; a mapping's `get` gives None."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class _Arrays(Mapping[str, Array]):
    """The arrays of a run, each read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _file(self) -> Any:
        try:
            if not is_zipfile(self._path):
                raise CorpusError(f"{self._path}: is not what a run writes: no arrays of numpy.")
            return np.load(self._path)
        except OSError as error:
            raise UsageError(f"{self._path}: cannot be read ({error.strerror or error}).") from error

    @cached_property
    def _names(self) -> dict[str, None]:
        return dict.fromkeys(self._file.files)

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise _MissingArrayError(f"{self._path}: lacks the array {name!r}.")
        return np.asarray(self._file[name])

    def __repr__(self) -> str:
        return f"<{len(self)} arrays of {str(self._path)!r}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def read_run(directory: Path) -> RunData:
    """Read a run from its directory; scores and arrays are read when they are asked for.

    Raises
    ------
    UsageError
        If it is no directory of a run, of this version.
    CorpusError
        If a file of it is not what a run writes.
    """
    manifest = read_manifest(directory)
    index = _json(directory / INDEX)
    if index is None:
        raise CorpusError(f"{directory}: lacks {INDEX}; a run writes it.")
    disagreements = _json(directory / DISAGREEMENTS)
    if disagreements is not None and (flaw := flaw_of(disagreements)):
        raise CorpusError(f"{directory / DISAGREEMENTS}: is not what a run writes: {flaw}.")
    records = _records(_Index, index, directory / INDEX)
    told = _records(_Told, manifest, directory / MANIFEST)
    return RunData(
        tables=Tables(**{name: read_rows(kind, directory / f"{name}.tsv") for name, kind in KINDS.items()}),
        series=list(records.series),
        arrays=_Arrays(directory / ARRAYS),
        scores=_Late(directory / SCORES),
        judgments=list(records.judgments),
        corpora=list(told.corpora),
        disagreements=disagreements or {},
        warnings=list(told.warnings),
        failures=list(told.failures),
        seconds=dict(told.seconds),
        facts={key: value for key, value in manifest.items() if key not in ("layout", *_LISTS)},
        config=read_text(directory / CONFIG) or "",
    )


def _json(path: Path) -> Any:
    text = read_text(path)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error
    if not isinstance(found, dict):
        raise CorpusError(f"{path}: is not what a run writes: it is a {type(found).__name__}.")
    return found


@dataclass(frozen=True)
class _Index:
    """Which arrays belong where."""

    series: tuple[Series, ...] = ()
    judgments: tuple[JudgmentSet, ...] = ()


@dataclass(frozen=True)
class _Told:
    """What a manifest has that must be of a kind; the last two are facts of the run."""

    corpora: tuple[CorpusFacts, ...] = ()
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    started: str = ""


def _records(kind: type[RecordT], content: Mapping[str, Any], path: Path) -> RecordT:
    """Return records of JSON; errors as :func:`read_run`."""
    own = {item.name: content[item.name] for item in fields(kind) if item.name in content}  # type: ignore[arg-type]
    try:
        return build(kind, own, subject=str(path), noun="key")
    except UsageError as error:
        raise CorpusError(str(error)) from error


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read what a run says of itself; errors as :func:`read_run`."""
    place = directory / MANIFEST
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{directory}: is no directory of a run: {place} cannot be read ({error.strerror}); name a directory "
            "that `metaeval run` has written, such as runs/mine."
        ) from error
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{place}: is not what a run writes: {error}.") from error
    if not isinstance(found, dict) or not {"metaeval", "config", "corpora", "seed"} <= found.keys():
        raise UsageError(f"{place}: is not the manifest of a run: it lacks `metaeval`, `config`, `corpora` or `seed`.")
    if found.get("layout") != LAYOUT:
        raise UsageError(
            f"{directory}: was written by metaeval {found['metaeval']}, whose files had other names; run the config "
            f"{str(found['config'])!r} again."
        )
    return found
