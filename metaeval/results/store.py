"""A run in its directory: written and read by the same code, so that what is read and written again is the same.

========================  ===========================================================================
file                      what it holds
========================  ===========================================================================
config.toml               the config as it was run
manifest.json             versions, digests of corpora and of all other files, seed, warnings
times.json                when it was run and how long it took: all that another run of the same config has otherwise
TABLE.tsv                 the tables, each if it has a row
scores.tsv                scores of systems, real documents and segments, whole systems first
grids.npz                 the arrays of each setting and of the judgments, with their labels (`grid`)
disagreements.json        texts of documents in which a metric and people disagree most
report.html, figures/     made from the others by `metaeval.runs`, and not read again
tables.*, methods.*,      for papers, made from the others by `metaeval.runs`, and not read again
numbers.tex
========================  ===========================================================================
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np

from metaeval.errors import CorpusError, MetaevalError, ReadingNote, UsageError, as_typed
from metaeval.parameters.fields import build
from metaeval.results.grid import load_grids, save_grids
from metaeval.results.keys import Key
from metaeval.results.model import (
    KINDS,
    SCORE_COLUMNS,
    SCORE_KEY,
    CorpusFacts,
    RunData,
    ScoreBlock,
    ScoresWhenAsked,
    SettingFacts,
    Tables,
)
from metaeval.results.tables import read_cells, read_rows, read_text, text_of
from metaeval.runtime.atomic_directory import MANIFEST, WRITER, is_internal, wait_for_writer, writer_of
from metaeval.runtime.files import file_digest

CONFIG = "config.toml"
TIMES = "times.json"
SCORES = "scores.tsv"
GRIDS = "grids.npz"
DISAGREEMENTS = "disagreements.json"
# The number of the layout of a run directory: another one where files or columns have other names.
LAYOUT = 6
# The lists of a manifest besides the facts of a run, in this order.
_MANIFEST_LISTS = ("corpora", "settings", "warnings", "reading", "failures")
# The files that are read again, beside times.json.
FILES = (CONFIG, MANIFEST, *(f"{name}.tsv" for name in KINDS), SCORES, GRIDS, DISAGREEMENTS)
RecordT = TypeVar("RecordT")
# Attempts to read a run while another process replaces it.
_MAX_READS = 100


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
    save_grids(directory / GRIDS, run.grids, run.judgments)
    if run.disagreements:
        text = json.dumps(run.disagreements, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        (directory / DISAGREEMENTS).write_text(text + "\n", encoding="utf-8")
    write_manifest(run, directory)


def write_manifest(run: RunData, directory: Path) -> None:
    """Write what a run says of itself, and the digests of all files that are there."""
    _write_json(directory / MANIFEST, {**manifest_of(run), "files": digests_of(directory)})


def digests_of(directory: Path) -> dict[str, str]:
    """Return the digests of the files of a run, by their names."""
    files = {path.relative_to(directory).as_posix(): path for path in sorted(directory.rglob("*")) if path.is_file()}
    return {
        name: file_digest(path)
        for name, path in files.items()
        if name not in (MANIFEST, TIMES) and not is_internal(Path(name).parts[0])
    }


def renew_manifest(directory: Path, names: Iterable[str]) -> None:
    """Write the digests of some files anew; the manifest is another file then, and the old one not written to."""
    path = directory / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    files = {**manifest["files"], **{name: file_digest(directory / name) for name in names}}
    _write_json(path, {**manifest, "files": dict(sorted(files.items()))})


def write_times(started: datetime, seconds: Mapping[str, float], jobs: int, directory: Path) -> None:
    """Write when a run was made, how long each of its stages took, and with how many jobs."""
    rounded = {name: round(value, 3) for name, value in seconds.items()}
    _write_json(directory / TIMES, {"started": started.isoformat(timespec="seconds"), "seconds": rounded, "jobs": jobs})


def check_files(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Check that the files of a run are those that it wrote.

    Raises
    ------
    CorpusError
        If one is missing, or another.
    """
    known = manifest.get("files")
    if not isinstance(known, dict):
        raise CorpusError(f"{directory / MANIFEST}: is not what a run writes: it has no digests of files.")
    read = [name for name in FILES if name not in (MANIFEST, *known) and (directory / name).exists()]
    for name, digest in known.items():
        check_file(directory / name, digest)
    if read:
        raise CorpusError(f"{directory / read[0]}: is not of this run, whose {MANIFEST} does not have it; remove it.")


def check_file(path: Path, digest: str) -> None:
    """Check that a file is the one of a digest; errors as :func:`check_files`."""
    try:
        is_own = file_digest(path) == digest
    except OSError as error:
        raise CorpusError(
            f"{path}: cannot be read ({error.strerror}), and the run wrote it; run the config again."
        ) from error
    if not is_own:
        raise CorpusError(
            f"{path}: is not what the run wrote: its digest is not that in {MANIFEST}. It was changed or damaged, or "
            "is of another run; run the config again."
        )


def manifest_of(run: RunData) -> dict[str, Any]:
    """Return the content of manifest.json."""
    lists: dict[str, Any] = {
        "corpora": [asdict(corpus) for corpus in run.corpora],
        "settings": [asdict(setting) for setting in run.settings],
        "warnings": run.warnings,
        "reading": [note for note in run.warnings if isinstance(note, ReadingNote)],
        "failures": run.failures,
    }
    return {"layout": LAYOUT, **run.facts, **lists}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_scores(blocks: Sequence[ScoreBlock], file: TextIO) -> None:
    """Write scores.tsv: whole systems first.

    The signature stands in their rows alone: in the many rows of segments it would be most of the file.
    """
    file.write("\t".join(SCORE_COLUMNS) + "\n")
    for of_systems in (True, False):
        for block in blocks:
            if (block.level == "system") == of_systems:
                _write_block(block, file, block.signature if of_systems else "")


def _write_block(block: ScoreBlock, file: TextIO, signature: str) -> None:
    head = "\t".join([*(getattr(block.key, name) for name in SCORE_KEY), block.level])
    names = [f"{name}\t{block.n_references}\t" for name in block.names]
    for unit, size, of_names in zip(
        block.units, block.sizes.tolist(), map(np.ndarray.tolist, block.values), strict=True
    ):
        head_of_unit = f"{head}\t{unit}\t{size}\t{block.kind}\t"
        scores = zip(names, of_names, strict=True)
        file.write("".join([f"{head_of_unit}{name}{score!r}\t{signature}\n" for name, score in scores]))


def read_scores(path: Path) -> list[ScoreBlock]:
    """Read scores.tsv; none without the file.

    Raises
    ------
    CorpusError
        If it is not what a run writes.
    """
    blocks = []
    rows = read_cells(path, SCORE_COLUMNS)
    try:
        for head, block in groupby(rows, lambda row: (*row[:6], row[8], row[10], row[12])):
            _, _, _, _, _, _, units, sizes, _, systems, _, scores, _ = zip(*block, strict=True)
            *_, level, kind, n_references, signature = head
            names = tuple(dict.fromkeys(systems))
            blocks.append(
                ScoreBlock(
                    key=Key(**dict(zip(SCORE_KEY, head, strict=False))),
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
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error
    return blocks


def _checked_scores(path: Path, digest: str) -> list[ScoreBlock]:
    """Read scores.tsv; errors as `check_file` and `read_scores`."""
    check_file(path, digest)
    return read_scores(path)


def read_run(directory: Path) -> RunData:
    """Read a run from its directory; scores and arrays are read when they are asked for.

    Raises
    ------
    UsageError
        If it is no directory of a run, of this version.
    CorpusError
        If a file of it is not what a run writes.
    """
    for _ in range(_MAX_READS):
        why = wait_for_writer(directory)
        before = _stamp(directory)
        run: RunData | MetaevalError
        try:
            run = _read_run(directory)
        except MetaevalError as error:
            run = error
        # Who replaces a run takes its manifest away first, and puts the new one there last.
        was_taken_away = before is None and not why and _is_in_a_writers_hands(directory)
        if _stamp(directory) == before and not was_taken_away:
            break
    else:
        raise UsageError(f"{directory}: another process replaces the run again and again; read it when that is done.")
    if why == "incomplete":
        raise UsageError(
            f"{directory}: the run there is incomplete: {writer_of(directory)} ended before it was done. Make it "
            "again, into the same directory, with the command that you gave before."
        )
    if why:
        raise UsageError(f"{directory}: {writer_of(directory)} is writing there; read it when that is done.")
    if isinstance(run, MetaevalError):
        raise run
    return run


def _is_in_a_writers_hands(directory: Path) -> bool:
    """Return whether a directory that had no manifest is being written, or has got one meanwhile."""
    return (directory / WRITER).exists() or (directory / MANIFEST).exists()


def _stamp(directory: Path) -> tuple[int, int] | None:
    """Return the differences of another manifest; None where there is none."""
    try:
        known = (directory / MANIFEST).stat()
    except OSError:
        return None
    return known.st_ino, known.st_mtime_ns


def _read_run(directory: Path) -> RunData:
    manifest = read_manifest(directory)
    check_files(directory, manifest)
    path = directory / GRIDS
    if not path.exists():
        raise CorpusError(f"{directory}: lacks {GRIDS}; every run writes it.")
    grids, judgments = load_grids(path, partial(check_file, path, manifest["files"].get(GRIDS, "")))
    config = read_text(directory / CONFIG) or ""
    records = _records(_ManifestContent, manifest, directory / MANIFEST)
    return RunData(
        tables=Tables(**{name: read_rows(kind, directory / f"{name}.tsv") for name, kind in KINDS.items()}),
        grids=grids,
        scores=ScoresWhenAsked(partial(_checked_scores, directory / SCORES, manifest["files"].get(SCORES, ""))),
        judgments=judgments,
        corpora=list(records.corpora),
        settings=list(records.settings),
        disagreements=_json(directory / DISAGREEMENTS) or {},
        warnings=[ReadingNote(text) if text in records.reading else text for text in records.warnings],
        failures=list(records.failures),
        seconds=dict(_records(_Times, _json(directory / TIMES) or {}, directory / TIMES).seconds),
        facts={key: value for key, value in manifest.items() if key not in ("layout", "files", *_MANIFEST_LISTS)},
        labels=config_content(config, directory).get("labels", {}),
        config=config,
    )


def config_content(text: str, directory: Path) -> dict[str, Any]:
    """Return the content of the config of a run.

    Raises
    ------
    CorpusError
        If it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise CorpusError(f"{directory / CONFIG}: is not what a run writes: {error}.") from error


def _json(path: Path) -> Any:
    text = read_text(path)
    if text is None:
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error
    if not isinstance(content, dict):
        raise CorpusError(f"{path}: is not what a run writes: it is a {type(content).__name__}.")
    return content


@dataclass(frozen=True)
class _ManifestContent:
    """The values of a manifest whose types are checked; `packages` is a fact of the run."""

    corpora: tuple[CorpusFacts, ...] = ()
    settings: tuple[SettingFacts, ...] = ()
    warnings: tuple[str, ...] = ()
    reading: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Times:
    """The start of a run, its jobs, and the seconds of its stages."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    started: str = ""
    jobs: int = 1


def _records(kind: type[RecordT], content: Mapping[str, Any], path: Path) -> RecordT:
    """Return records of JSON; errors as :func:`read_run`."""
    known = {item.name: content[item.name] for item in fields(kind) if item.name in content}  # type: ignore[arg-type]
    try:
        return build(kind, known, subject=str(path), noun="key")
    except UsageError as error:
        raise CorpusError(str(error)) from error


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read the manifest of a run; errors as :func:`read_run`."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{directory}: is no directory of a run: {path} cannot be read ({error.strerror}); name a directory "
            "that `metaeval run` has written, such as runs/mine."
        ) from error
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{path}: is not what a run writes: {error}.") from error
    if not isinstance(manifest, dict) or not {"metaeval", "config", "corpora", "seed"} <= manifest.keys():
        raise UsageError(f"{path}: is not the manifest of a run: it lacks `metaeval`, `config`, `corpora` or `seed`.")
    if manifest.get("layout") != LAYOUT:
        again = as_typed(
            terminal=f"metaeval run {directory / CONFIG} --output {directory}",
            python=f"metaeval.run({str(directory / CONFIG)!r}, output={str(directory)!r})",
        )
        raise UsageError(
            f"{directory}: was written by metaeval {manifest['metaeval']}, whose files this version does not read: "
            f"they had other names. Make them again: `{again}`."
        )
    return manifest
