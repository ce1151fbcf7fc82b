"""All tests for damage; a new one is a function in this package, a line here, and its words in check.toml."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval.corpora.checks import judgments, texts
from metaeval.corpora.checks.common import FEWEST, Test, View
from metaeval.corpora.filtering import of_segments
from metaeval.records import Corpus
from metaeval.resources import tables_of

TEXTS: tuple[Test, ...] = (texts.displaced, texts.copied, texts.unusual, texts.shorter, texts.misread)
JUDGMENTS: tuple[Test, ...] = (
    judgments.contrary_judges,
    judgments.contrary_systems,
    judgments.against_texts,
    judgments.scale,
    judgments.duplicated,
    judgments.thin,
    judgments.holes,
)
_WORDS: Mapping[str, Mapping[str, str]] = tables_of(__file__)
_SHOWN = 3
# Segments that are looked at, and texts of all systems and references: those of a million segments would take more
# memory than all that is computed of them.
MOST, MOST_TEXTS = 20_000, 400_000


def doubts(corpus: Corpus) -> list[str]:
    """Return a sentence for each kind of damage that a corpus seems to have.

    Parameters
    ----------
    corpus : Corpus
        As it was read.

    Returns
    -------
    list of str
        What was seen, what was expected, and what to look at; none for a sound corpus. Of very many segments the first
        20,000 are looked at, or as many as have 400,000 texts.
    """
    most = min(MOST, max(FEWEST, MOST_TEXTS // (len(corpus.systems) + len(corpus.references))))
    view, sentences = View(of_segments(corpus, np.arange(min(corpus.n_segments, most)))), []
    tests = [*(TEXTS if view.varied else ()), *(JUDGMENTS if len(corpus.judgments) else ())]
    for test in tests if view.n >= FEWEST else ():
        with np.errstate(all="ignore"):
            found, words = dict(test(view)), _WORDS[test.__name__]
        if found:
            seen = [f"{subject}: {what}" for subject, what in list(found.items())[:_SHOWN]]
            seen += [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
            sentences.append(f"{'; '.join(seen)}. Expected: {words['expected']}. Look {words['look']}.")
    return sentences
