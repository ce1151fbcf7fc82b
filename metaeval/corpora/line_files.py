"""Plain text files, one segment a line, without a corpus around them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from metaeval.corpora.problems import Problems
from metaeval.corpora.text_files import Files, visible
from metaeval.errors import CorpusError, counted

Texts = dict[str, tuple[str, ...]]


def read_plain(candidates: Sequence[str | Path], references: Sequence[str | Path]) -> tuple[Texts, Texts, list[str]]:
    """Read candidate and reference files.

    Parameters
    ----------
    candidates : sequence of str or Path
        Text files.
    references : sequence of str or Path
        Text files, or directories whose .txt files are all taken, in alphabetical order.

    Returns
    -------
    candidates, references : dict of str to tuple of str
        The lines by the path of the file; an empty line is an empty text.
    warnings : list of str
        What is unusual in the files.

    Raises
    ------
    CorpusError
        If a file cannot be read or is named twice, a directory holds no text, or the files do not have the same
        number of lines.
    """
    problems = Problems()
    files = Files(Path(), problems)
    named = ([Path(path) for path in candidates], _reference_files(references))
    texts_by_path = tuple(
        {str(path): lines for path in paths if (lines := files.lines(path)) is not None} for paths in named
    )
    problems.raise_errors()
    for paths, texts in zip(named, texts_by_path, strict=True):
        if len(texts) < len(paths):
            raise CorpusError(f"a file is named twice among {', '.join(map(str, paths))}.")
    _check_lengths(*texts_by_path)
    messages = [str(problem) for problem in problems.entries]
    empty = sum(not line for lines in texts_by_path[1].values() for line in lines)
    if empty:
        messages.append(
            f"{counted(empty, 'empty line')} of references: each is taken as an empty reference; in a corpus directory "
            "it would be an absent one."
        )
    return texts_by_path[0], texts_by_path[1], messages


def _reference_files(paths: Sequence[str | Path]) -> list[Path]:
    files: list[Path] = []
    for path in map(Path, paths):
        texts = [path]
        if path.is_dir():
            texts = [file for file in visible(path) if file.suffix == ".txt"]
        if not texts:
            raise CorpusError(f"{path}: holds no text file (.txt) with references.")
        files += texts
    return files


def _check_lengths(candidates: Texts, references: Texts) -> None:
    """Check that all files have as many lines as the first candidate."""
    first, lines = next(iter(candidates.items()))
    n = len(lines)
    lengths = {len(texts) for texts in references.values()}
    if not lines:
        raise CorpusError(f"{first}: is empty; a text has one segment a line.")
    for name, other in {**candidates, **references}.items():
        if len(other) == n:
            continue
        if name not in candidates and 1 < len(references) == n and len(lengths) == 1:
            raise CorpusError(
                f"{name}: there are {n} reference files of {lengths.pop()} lines each for a candidate of {n} lines, so "
                "they are probably transposed: a reference file must hold one reference for each segment, not all "
                "references of one segment."
            )
        kind = "candidate" if name in candidates else "reference"
        raise CorpusError(
            f"{name}: this {kind} has {counted(len(other), 'line')} but must have {n}, as {first}; each line is one "
            "segment, so a line was probably lost, added or broken."
        )
