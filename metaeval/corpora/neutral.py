"""The neutral corpus directory, which any editor and any shell can read.

===========================  ==========================================================================
corpus.toml                  name, title, language, license, source, citation, notes, [[criteria]], [names]
source.txt                   one segment a line (optional)
references/NAME.txt          one segment a line; an empty line means: no such reference here
empty_references.tsv         reference, segment: references that are really empty (optional)
systems/NAME.txt             one segment a line; an empty line is an empty output
missing_outputs.tsv          system, segment: where a system gave nothing, not even an empty output (optional)
segments.tsv                 segment, id, document (optional)
documents.tsv                segment, document (optional)
judgments.tsv                segment, system, judge, criterion, score (optional)
reference_judgments.tsv      the same for human texts, with the column reference (optional)
metrics/, human/             scores that came with the corpus (optional, see given.py)
===========================  ==========================================================================

Each file but corpus.toml may be packed with gzip, its name then ending in .gz. [names] gives the real names of systems,
references and scores where the name of a file cannot be the real one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.corpora.columns import NO_JUDGMENTS
from metaeval.corpora.description import Description, read_description
from metaeval.corpora.given import FOLDERS, read_given
from metaeval.corpora.judge_groups import check_groups
from metaeval.corpora.lines import Files, existing, packed_or_not, stem_of
from metaeval.corpora.problems import Problems, counted
from metaeval.corpora.tables import read_judgments, read_pairs, read_segment_columns
from metaeval.errors import listing
from metaeval.records import Corpus, GivenScores

Lines = Mapping[str, tuple[str, ...]]
UNJUDGED = "has no judgments.tsv: metrics can be computed, but not compared with people."
_TEXTS_AND_TABLES = (
    "source.txt",
    "empty_references.tsv",
    "missing_outputs.tsv",
    "segments.tsv",
    "documents.tsv",
    "judgments.tsv",
    "reference_judgments.tsv",
)
# What may lie there, with or without .gz; truth.toml and README.md tell people of a simulated corpus.
_KNOWN = {*_TEXTS_AND_TABLES, "corpus.toml", "systems", "references", *FOLDERS, "truth.toml", "README.md", "LICENSE"}


def read_neutral(directory: Path) -> tuple[Corpus | None, Problems]:
    """Read a corpus directory and check all of it.

    Parameters
    ----------
    directory : Path
        The directory that holds corpus.toml.

    Returns
    -------
    Corpus or None
        None if anything makes it unusable.
    Problems
        Everything that is wrong or remarkable, each with its place.
    """
    problems = Problems()
    files = Files(directory, problems)
    if not directory.is_dir():
        found = "is a file" if directory.exists() else "does not exist"
        problems.error(directory, f"{found}; a corpus is a directory with corpus.toml, systems/ and references/.")
        return None, problems
    _note_entries(directory, problems)
    description = read_description(files, directory / "corpus.toml")
    candidates = _read_folder(files, directory / "systems", required=True)
    references = _read_folder(files, directory / "references", required=False)
    texts: dict[str, tuple[str, ...]] = {f"systems/{name}.txt": lines for name, lines in candidates.items()}
    texts |= {f"references/{name}.txt": lines for name, lines in references.items()}
    source_path = existing(directory / "source.txt")
    sources = files.lines(source_path) if source_path else None
    if sources is not None:
        texts["source.txt"] = sources
    n_segments = _common_length(texts, directory, problems)
    if n_segments == 0:
        problems.error(directory, "has no segments: its text files are empty.")
    if description is None or not n_segments:
        return None, problems

    criteria = tuple(entry.criterion() for entry in description.criteria)
    segment_ids, documents = _read_segments(files, directory, n_segments)
    judgments, reference_judgments = NO_JUDGMENTS, NO_JUDGMENTS
    judged: tuple[str, ...] = ()
    path = existing(directory / "judgments.tsv")
    if path:
        judgments, _ = read_judgments(files, path, "system", tuple(candidates), criteria, n_segments)
        for position, criterion in enumerate(criteria):
            if not (judgments.criterion == position).any():
                problems.note(path, f"has no judgment on {criterion.name!r}.")
    else:
        problems.note(directory, UNJUDGED)
    path = existing(directory / "reference_judgments.tsv")
    if path:
        reference_judgments, judged = read_judgments(files, path, "reference", None, criteria, n_segments)
    judges = sorted({*judgments.judges, *reference_judgments.judges})
    check_groups(description.judge_groups, judges, directory / "corpus.toml", problems)
    optional_references = _mark_absent(files, directory, references, n_segments)
    optional_candidates = _mark_missing(files, directory, candidates, n_segments)
    _note_empty(directory, optional_candidates, optional_references, problems)
    scores = read_given(files, directory, [*candidates, *references], documents, n_segments)
    named = {*candidates, *references, *judged, *(one.name for one in scores)}
    _check_names(files, directory / "corpus.toml", description, candidates, references, named)
    real_scores = Counter((one.origin, description.names.get(one.name, one.name), one.level) for one in scores)
    twice = [name for (_, name, _), count in real_scores.items() if count > 1]
    if twice:
        problems.error(directory / "corpus.toml", f"`names` gives the same name to several scores: {listing(twice)}.")
    if problems.errors:
        return None, problems
    corpus = Corpus(
        name=description.name or directory.resolve().name,
        title=description.title,
        facts=description.facts(),
        systems=tuple(candidates),
        candidates=tuple(optional_candidates.values()),
        references=optional_references,
        sources=sources,
        segment_ids=segment_ids,
        documents=documents,
        criteria=criteria,
        judgments=judgments,
        reference_judgments=reference_judgments,
        judged_references=judged,
        digest=files.digest(),
        scores=tuple(_with_ids(one, segment_ids) for one in scores),
        judge_groups=description.judge_groups,
    )
    return _with_real_names(corpus, description.names), problems


def _note_entries(directory: Path, problems: Problems) -> None:
    """Note files and directories that are not read."""
    for path in sorted(directory.iterdir()):
        name = path.name.removesuffix(".gz")
        if name not in _KNOWN and not path.name.startswith("."):
            problems.note(path, "is not read: no part of a corpus has this name.")
        elif name != path.name and (directory / name).exists():
            problems.warning(path, f"is not read, because {name} is there too.")


def _check_names(
    files: Files, path: Path, description: Description, candidates: Lines, references: Lines, named: set[str]
) -> None:
    """Note real names that stand for two texts, and names of files that are not there."""
    absent = [name for name in description.names if name not in named]
    if absent:
        files.problems.warning(path, f"`names` names files that are not there: {listing(absent)}.")
    real_systems, real_references = (
        {description.names.get(name, name) for name in known} for known in (candidates, references)
    )
    both = sorted(real_systems & real_references)
    if both:
        files.problems.error(path.parent, f"has systems and references of the same name: {listing(both)}.")
    for kind, known in (("systems", candidates), ("references", references)):
        real = Counter(description.names.get(name, name) for name in known)
        twice = [name for name, count in real.items() if count > 1]
        if twice:
            files.problems.error(path, f"`names` gives the same name to several {kind}: {listing(twice)}.")


def _with_ids(scores: GivenScores, segment_ids: Sequence[str]) -> GivenScores:
    return replace(scores, units=tuple(segment_ids)) if scores.level == "segment" else scores


def _with_real_names(corpus: Corpus, names: Mapping[str, str]) -> Corpus:
    """Return the corpus with the real names of its systems, references and scores."""
    if not names:
        return corpus

    def real(found: Sequence[str]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in found)

    return replace(
        corpus,
        systems=real(corpus.systems),
        references=dict(zip(real(tuple(corpus.references)), corpus.references.values(), strict=True)),
        judged_references=real(corpus.judged_references),
        scores=tuple(
            replace(one, name=names.get(one.name, one.name), systems=real(one.systems)) for one in corpus.scores
        ),
    )


def _read_folder(files: Files, folder: Path, *, required: bool) -> dict[str, tuple[str, ...]]:
    """Read all NAME.txt of a folder, in alphabetical order of the names."""
    if not folder.is_dir():
        if required or folder.exists():
            kind = folder.name.removesuffix("s")
            files.problems.error(folder, f"must be a directory with one text file (.txt) for each {kind}.")
        return {}
    texts = {}
    for path in sorted(folder.iterdir(), key=lambda path: (stem_of(path), path.name)):
        if path.name.startswith("."):
            continue
        if packed_or_not(path).suffix != ".txt":
            files.problems.warning(path, "is not read: only files that end in .txt are texts.")
            continue
        name = stem_of(path)
        if name in texts:
            files.problems.error(path, "is there packed and unpacked; remove one of the two.")
            continue
        lines = files.lines(path)
        if lines is not None and files.check_name(path, name):
            texts[name] = lines
    if required and not texts:
        files.problems.error(folder, "holds no text file (.txt).")
    return texts


def _common_length(texts: Mapping[str, tuple[str, ...]], directory: Path, problems: Problems) -> int | None:
    """Return the number of lines that most files have; the others are errors."""
    if not texts:
        return None
    lengths = Counter(len(lines) for lines in texts.values())
    expected = lengths.most_common(1)[0][0]
    model = next(name for name, lines in texts.items() if len(lines) == expected)
    others = lengths[expected] - 1
    as_others = f"as {model}" + (f" and {others} other file{'s' if others > 1 else ''}" if others else "")
    for name, lines in texts.items():
        if len(lines) != expected:
            problems.error(
                directory / name,
                f"has {counted(len(lines), 'line')} but must have {expected}, {as_others}; each line is one segment, "
                "so a line was probably lost, added or broken.",
            )
    return expected


def _read_segments(files: Files, directory: Path, n_segments: int) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    ids: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    path = existing(directory / "segments.tsv")
    if path:
        columns = read_segment_columns(files, path, ("segment", "id"), n_segments)
        ids, documents = columns.get("id"), columns.get("document")
    path = existing(directory / "documents.tsv")
    if documents is None and path:
        documents = read_segment_columns(files, path, ("segment", "document"), n_segments).get("document")
    if ids is not None and len(set(ids)) < len(ids):
        twice = [name for name, count in Counter(ids).items() if count > 1]
        files.problems.error(directory / "segments.tsv", f"gives the same id to several segments: {listing(twice)}.")
    return ids or tuple(str(number) for number in range(1, n_segments + 1)), documents


def _mark_absent(
    files: Files, directory: Path, references: Lines, n_segments: int
) -> dict[str, tuple[str | None, ...]]:
    """Return the references with None for each empty line that is not listed as really empty."""
    path = existing(directory / "empty_references.tsv")
    really_empty = read_pairs(files, path, "reference", list(references), n_segments) if path else set()
    for name, index in sorted(really_empty):
        if index < len(references[name]) and references[name][index]:
            files.problems.error(path, f"calls segment {index + 1} of {name!r} empty, but it has a text.")
    return {
        name: tuple(
            line if line or (name, index) in really_empty else None for index, line in enumerate(lines[:n_segments])
        )
        for name, lines in references.items()
    }


def _mark_missing(
    files: Files, directory: Path, candidates: Lines, n_segments: int
) -> dict[str, tuple[str | None, ...]]:
    """Return the outputs with None where a system is listed as having given nothing."""
    path = existing(directory / "missing_outputs.tsv")
    missing = read_pairs(files, path, "system", list(candidates), n_segments) if path else set()
    for name, index in sorted(missing):
        if index < len(candidates[name]) and candidates[name][index]:
            files.problems.error(path, f"calls segment {index + 1} of {name!r} missing, but it has a text.")
    return {
        name: tuple(None if (name, index) in missing else line for index, line in enumerate(lines))
        for name, lines in candidates.items()
    }


def _note_empty(
    directory: Path,
    candidates: Mapping[str, tuple[str | None, ...]],
    references: Mapping[str, tuple[str | None, ...]],
    problems: Problems,
) -> None:
    for name, lines in candidates.items():
        path = directory / "systems" / f"{name}.txt"
        empty = [number for number, line in enumerate(lines, start=1) if line is not None and not line.strip()]
        if empty:
            problems.note(path, f"has empty outputs, in the lines {listing(empty)}.")
        missing = [number for number, line in enumerate(lines, start=1) if line is None]
        if missing:
            problems.note(
                path, f"has no output for {len(missing)} of {counted(len(lines), 'segment')}: {listing(missing)}."
            )
    for name, texts in references.items():
        absent = sum(text is None for text in texts)
        if absent:
            problems.note(
                directory / "references" / f"{name}.txt",
                f"has no reference for {absent} of {counted(len(texts), 'segment')} (empty lines).",
            )
