"""Checks of texts, a function each: each returns its warning, or None where all is well."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from metaeval.corpora.checks.common import MIN_SEGMENTS, CheckedCorpus, copied_blocks, missing_block, warning
from metaeval.errors import percent

# A letter that begins a sequence of UTF-8, and one that goes on with it, as Latin-1 or Windows-1252 reads them.
_READ_AS_LATIN_1 = re.compile("[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u02dc\u2013-\u2122\u20ac]")
# Texts of a system, about, for which another segment is searched in the whole corpus.
_SEARCHED_TEXTS = 200


def misaligned_texts(checked: CheckedCorpus) -> str | None:
    """Find files whose texts stand at the wrong segments, as after a lost line."""
    n = checked.n_segments
    present = checked.text_numbers >= 0
    findings = []
    usual = np.median(np.where(present, checked.similarity, 0), axis=0)
    fewest = max(5, 0.05 * n)
    for text, similarity in enumerate(checked.similarity):
        unlike = np.flatnonzero(present[text] & (similarity < 0.5 * usual))
        if len(unlike) < fewest:
            continue
        searched = unlike[:: len(unlike) // _SEARCHED_TEXTS + 1]
        others, n_others = checked.other_texts(text)
        fit = (checked.word_vectors[text][searched] @ others.T).toarray() / np.maximum(n_others, 1)
        best = fit.argmax(axis=1)
        best_fit = fit.max(axis=1)
        fits_there = (best_fit > 0.5 * usual[best]) & (best_fit > 2 * similarity[searched] + 0.1) & (usual[best] > 0.1)
        count = round(len(unlike) * fits_there.mean())
        if count < fewest:
            continue
        wrong_segments = searched[fits_there]
        fitting_segments = best[fits_there]
        step, times = Counter((fitting_segments - wrong_segments).tolist()).most_common(1)[0]
        where = "other segments"
        if times >= 0.6 * len(wrong_segments):
            side = "after" if step > 0 else "before"
            where = f"the segment {side}" if abs(step) == 1 else f"the segment {abs(step)} places {side}"
        findings.append(
            f"{checked.names[text]}: {count} of {n} texts, from segment {wrong_segments[0] + 1} on, have the words "
            f"of {where} and not of their own, the first those of segment {fitting_segments[0] + 1}"
        )
    return warning(findings, "Check whether a line is missing or doubled there, or the lines are in another order.")


def copied_texts(checked: CheckedCorpus) -> str | None:
    """Find systems and references that have the texts of another one."""
    findings = [
        f"{checked.names[a]} and {checked.names[b]}: the same texts from segment {first + 1} to {last + 1}"
        for a, b, first, last in copied_blocks(checked.text_numbers)
    ]
    return warning(findings, "Check whether one file was copied over the other, or given under two names.")


def unusual_texts(checked: CheckedCorpus) -> str | None:
    """Find a system many of whose texts are empty, untranslated, always the same or cut off, as no others are."""
    n_texts = len(checked.texts)
    numbers = checked.text_numbers
    lengths = np.array([[len(text or "") for text in texts] for texts in checked.texts])
    commonest = np.array([np.bincount(row[row >= 0], minlength=1).argmax() for row in numbers])
    sources = checked.corpus.sources or ("",) * checked.n_segments
    # A reference that is absent is none of its segment; a system has a text for each.
    absent = (numbers < 0) & (np.arange(n_texts) < checked.n_systems)[:, None]
    rows = [zip(texts, sources, strict=True) for texts in checked.texts]
    is_source = np.array([[text == source != "" for text, source in row] for row in rows])
    is_open = np.array([[(text or "").rstrip()[-1:].isalnum() for text in texts] for texts in checked.texts])
    findings = []
    for marked, min_share, fault in (
        (absent, 0.05, "are empty or absent"),
        (is_source, 0.05, "are those of the source"),
        (numbers == commonest[:, None], 0.05, "are the same"),
        (lengths >= lengths.max(axis=1, keepdims=True) - 2, 0.2, "are as long as the longest, but for 2 characters"),
        (is_open, 0.4, "end without a punctuation mark"),
    ):
        shares = marked.sum(axis=1) / np.maximum(((numbers >= 0) | marked).sum(axis=1), MIN_SEGMENTS)
        *others, first = np.argsort(shares).tolist()
        if len(others) > 1 and shares[first] >= max(min_share, 4 * shares[others[-1]]):
            share = percent(shares[first])
            share_of_others = percent(shares[others[-1]])
            findings.append(
                f"{checked.names[first]}: {share} of the texts {fault}, of others {share_of_others} at most"
            )
    return warning(findings, "Check whether this is the output of the system, and whole.")


def misread_texts(checked: CheckedCorpus) -> str | None:
    """Find files in UTF-8 that were read as if they were in Latin-1."""
    findings = []
    for name, texts in zip(checked.names, checked.texts, strict=True):
        matches = [None if not text or text.isascii() else _READ_AS_LATIN_1.search(text) for text in texts]
        letters_at = [(segment, match.group()) for segment, match in enumerate(matches, start=1) if match]
        if len(letters_at) >= max(3, 0.01 * checked.n_segments):
            segment, letters = letters_at[0]
            findings.append(
                f"{name}: letters such as {letters!r}, first in segment {segment}, in {len(letters_at)} segments"
            )
    return warning(findings, "Check whether the file, which was in UTF-8, was converted to UTF-8 once more.")


def missing_texts(checked: CheckedCorpus) -> str | None:
    """Find files of texts that end too early, or lack a block of segments."""
    blocks = [missing_block(row >= 0) for row in checked.text_numbers]
    findings = [
        f"{name}: no text in segments {block[0] + 1} to {block[1] + 1}"
        for name, block in zip(checked.names, blocks, strict=True)
        if block
    ]
    return warning(findings, "Check whether the file was cut off.")
