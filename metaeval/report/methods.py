"""A paragraph for the methods section of a paper: what a run did, in sentences with their numbers and citations."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias

from metaeval.bibliography import OWN, Source, as_bibtex, corpus_source, find_source
from metaeval.components.coefficient import Coefficient
from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, INTERVALS, PREPROCESSING, TESTS
from metaeval.components.replicates_in_words import replicates_in_words
from metaeval.datamodel.corpus import CONSTANT, EVERYBODY, NO_REFERENCES
from metaeval.errors import UsageError, unknown
from metaeval.parameters.calls import parse_call
from metaeval.report.display_names import labels_of
from metaeval.report.latex import escaped
from metaeval.report.phrases import estimand, grouped
from metaeval.report.terminal_table import wrapped
from metaeval.results.model import CorpusFacts, RunData, SettingFacts
from metaeval.results.rows import BEST_SYSTEMS, NEAR_PAIRS, Correlation, TaskScore, TestResult
from metaeval.sampling.references import names_of

# The key of Fisher's transformation.
_FISHER = "fisher1921"
KINDS = ("text", "latex", "bibtex")
# Stands in a sentence for what replicates are, which is said once.
_REPLICATES_SIGN = "\ufdd0"
_COMBINATION_WORDS = {
    "documents": ", which take turns from document to document",
    "scores": ", over which scores are averaged",
    "correlations": ", over which coefficients are averaged",
}
_FILE_HEADER = r"""% What a run of metaeval did, for the methods section of a paper. In the preamble:
%   \usepackage{natbib}
% In the text: \input{methods.tex}; methods.bib, beside this file, has the entries of what is cited.
% Names in other scripts than Latin need xelatex or lualatex, and a font that has them.
"""


@dataclass(frozen=True)
class Cited:
    """Sources that are cited in a place of a sentence."""

    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Replicated:
    """A part of a sentence on replicates, which are described where they are first spoken of."""

    text: str
    replicates: str


Part: TypeAlias = str | Cited | Replicated
Sentence: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True)
class Methods:
    """Description of a run for the methods section of a paper.

    Attributes
    ----------
    sentences : tuple of Sentence
        Those of the paragraph.
    signatures : mapping of str to str
        Of each metric whose scores metaeval computed, by what the paragraph calls it.
    """

    sentences: tuple[Sentence, ...]
    signatures: Mapping[str, str]

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """Sources cited in the paragraph, in its order, each once."""
        cited = [part for sentence in self.sentences for part in sentence if isinstance(part, Cited)]
        return tuple(dict.fromkeys(source for part in cited for source in part.sources))

    @cached_property
    def _names(self) -> Mapping[Source, str]:
        """Author and year of each source; those that would be alike with a, b and so on behind the year."""
        name_of: dict[Source, str] = {}
        for name, same_name in grouped(self.sources, lambda source: source.cited_as).items():
            letters = "abcdefghijklmnopqrstuvwxyz" if len(same_name) > 1 else ""
            name_of |= {source: f"{name}{letters[index : index + 1]}" for index, source in enumerate(same_name)}
        return name_of

    def written(self, kind: str, width: int | None = None) -> str:
        """Return the paragraph with what it cites.

        Parameters
        ----------
        kind : {"text", "latex", "bibtex"}
            Text with a list of references; LaTeX for the package natbib; or the entries of BibTeX.
        width : int, optional
            Letters of a line of text.
        """
        if kind not in KINDS:
            raise UsageError(unknown("kind", kind, KINDS))
        if kind == "bibtex":
            return as_bibtex(self.sources) + "\n"
        return self._latex() if kind == "latex" else self._text(width)

    @property
    def paragraph(self) -> str:
        """The paragraph alone, as text."""
        return " ".join(self._sentences(str, lambda sources: f" ({'; '.join(map(self._names.__getitem__, sources))})"))

    @property
    def references(self) -> list[str]:
        """References of the paragraph as text, one for each source."""
        # A letter behind the year says which of several it is.
        names = self._names
        return [
            f"{source} [{names[source]}]" if names[source] != source.cited_as else str(source)
            for source in self.sources
        ]

    def _text(self, width: int | None) -> str:
        def lines(texts: Iterable[str], indent: str) -> str:
            return "\n".join(text if width is None else wrapped(text, width, indent) for text in texts)

        blocks = [lines([self.paragraph], "")]
        if self.signatures:
            # In one piece, whatever the width, so that they can be copied.
            blocks.append(
                "\n".join(["Signatures:", *(f"  {name}: {signature}" for name, signature in self.signatures.items())])
            )
        if self.sources:
            blocks.append(lines(["References:", *(f"  {reference}" for reference in self.references)], "    "))
        return "\n\n".join(blocks)

    def _latex(self) -> str:
        def cited(sources: Sequence[Source]) -> str:
            return rf"~\citep{{{','.join(source.key for source in sources)}}}"

        lines = self._sentences(escaped, cited)
        if self.signatures:
            # A line may end behind each part of a signature.
            each = "; ".join(
                rf"{escaped(name)}: \texttt{{{escaped(text)}}}" for name, text in self.signatures.items()
            ).replace(r"\textbar{}", r"\textbar\allowbreak{}")
            lines[-1] += rf"\footnote{{Signatures of the metrics: {each}.}}"
        return _FILE_HEADER + "\n".join(lines) + "\n"

    def _sentences(self, plain: Callable[[str], str], cited: Callable[[Sequence[Source]], str]) -> list[str]:
        named_replicates: set[str] = set()
        sentences = []
        for sentence in self.sentences:
            parts = []
            for part in sentence:
                if isinstance(part, Cited):
                    parts.append(cited(part.sources))
                elif isinstance(part, Replicated):
                    words = "the same replicates" if part.replicates in named_replicates else part.replicates
                    named_replicates.add(part.replicates)
                    parts.append(plain(part.text.replace(_REPLICATES_SIGN, words)))
                else:
                    # A blank at the edge of a part stays.
                    parts.append(plain(f"x{part}x")[1:-1])
            text = "".join(parts)
            sentences.append(f"{text[:1].upper()}{text[1:]}.")
        return sentences


class HasMethods(ABC):
    """Base class of results that a methods section can describe."""

    def methods(self, kind: str = "text", width: int | None = None) -> str:
        """Return a paragraph for the methods section of a paper: corpora, judgments, metrics, statistics and versions.

        Parameters
        ----------
        kind : {"text", "latex", "bibtex"}, default "text"
            Text with signatures of the metrics and a list of references; LaTeX for the package natbib; or the entries
            of BibTeX that this cites.
        width : int, optional
            Letters of a line of text; lines as long as they are unless given.

        Returns
        -------
        str
            The paragraph, or the entries.
        """
        return self._methods().written(kind, width)

    @abstractmethod
    def _methods(self) -> Methods:
        """Return the description of the run."""


def methods_of(run: RunData) -> Methods:
    """Describe a run, live or loaded: only by its tables, settings and facts.

    Parameters
    ----------
    run : RunData
        With the names of its config; labels are taken from it.
    """
    known = _Known(run)
    middle = _of_tasks(known) if run.tables.tasks else _of_experiment(known)
    methods = Methods((*_of_data(known), *middle), known.signatures)
    return replace(methods, sentences=(*methods.sentences, *_of_versions(run, methods.sources)))


@dataclass(frozen=True)
class _Known:
    """A run, with what sentences ask of it."""

    run: RunData

    @cached_property
    def rows(self) -> list[Correlation]:
        """The rows of metrics."""
        return [row for row in self.run.tables.correlations if not row.key.is_of_judges and row.key.metric != CONSTANT]

    @cached_property
    def panels(self) -> dict[str, list[Correlation]]:
        """The rows of metrics by panel or task."""
        return grouped(self.rows, lambda row: row.key.panel)

    @cached_property
    def metrics(self) -> dict[str, str]:
        """Display name of each metric."""
        return labels_of((row.key.metric for row in self.rows), self.run.labels)

    @cached_property
    def corpora(self) -> list[CorpusFacts]:
        """The corpora that something was correlated on."""
        names = {row.key.corpus for row in self.rows}
        return [corpus for corpus in self.run.corpora if corpus.name in names]

    @cached_property
    def settings(self) -> dict[tuple[str, str], SettingFacts]:
        """Settings by panel and corpus."""
        return {(setting.panel, setting.corpus): setting for setting in self.run.settings}

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Inputs of each metric."""
        return {metric: kind for corpus in self.corpora for metric, kind in corpus.inputs.items()}

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric that metaeval computed, under each preprocessing where that matters."""
        by_metric: dict[str, dict[str, None]] = {}
        for row in self.rows:
            name = f"{row.key.preprocessing}/{row.key.metric}"
            facts = next((corpus for corpus in self.corpora if corpus.name == row.key.corpus), None)
            if facts is not None and name in facts.signatures and self.inputs.get(row.key.metric) != "scores":
                by_metric.setdefault(self.metrics[row.key.metric], {})[facts.signatures[name]] = None
        return {name: " and ".join(each) for name, each in by_metric.items()}

    def name(self, name: str) -> str:
        """Return the user's name of a criterion, corpus or system."""
        return self.run.labels.get(name, name)

    def sources(self, name: str) -> list[str]:
        """Return the sources of a metric or preprocessing."""
        return [*dict.fromkeys(key for corpus in self.corpora for key in corpus.sources.get(name, ()))]

    def settings_of(self, rows: Iterable[Correlation]) -> list[SettingFacts]:
        """Return the settings where some rows belong."""
        places = dict.fromkeys((row.key.panel, row.key.corpus) for row in rows)
        return [self.settings[panel_and_corpus] for panel_and_corpus in places if panel_and_corpus in self.settings]


def _cited(*keys: str) -> Sentence:
    return (Cited(tuple(find_source(key) for key in keys)),) if keys else ()


def _cited_once(items: Iterable[tuple[str, Sequence[str]]]) -> list[Sentence]:
    """Return things with their citations, each where it is first needed."""
    sentences = list[Sentence]()
    cited_keys = set[str]()
    for text, keys in items:
        sentences.append((text, *_cited(*(key for key in keys if key not in cited_keys))))
        cited_keys.update(keys)
    return sentences


def _joined(items: Sequence[Sentence], last: str = " and ", between: str = ", ") -> Sentence:
    """Return things in a sentence, one behind the other."""
    parts: list[Part] = []
    for index, item in enumerate(items):
        if index:
            parts.append(last if index == len(items) - 1 else between)
        parts += item
    return tuple(parts)


def _words(items: Iterable[str], last: str = " and ") -> str:
    *others, end = dict.fromkeys(items)
    return f"{', '.join(others)}{last}{end}" if others else end


def _n(number: int, noun: str = "") -> str:
    """Return a number, with its noun if there is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if noun else f"{number:,}"


def _range(numbers: Iterable[int], noun: str = "") -> str:
    """Return the least and the greatest of some numbers, with their noun if there is one."""
    low = min(each := [*numbers])
    high = max(each)
    return _n(high, noun) if low == high else f"{low:,} to {_n(high, noun)}"


# Texts, judgments and metrics. ----------------------------------------------------------------------------------------


def _of_data(known: _Known) -> Iterator[Sentence]:
    if not known.rows:
        return
    n = len(known.metrics)
    compared = "a metric with human judgments" if n == 1 else f"{n} metrics with human judgments"
    each = [_corpus(known, corpus) for corpus in known.corpora]
    yield (f"We measure the agreement of {compared} on ", *_joined(each, "; and ", "; "))
    yield from _left_out(known)
    if judged := _judged(known):
        yield from _in_one_unless_several([judged], [*_of_pooling(known)])
    yield from _in_one_unless_several([*_metrics(known)], [*_by_panel(known, _compared_with)])


def _in_one_unless_several(first: Sequence[Sentence], others: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield clauses as one sentence; where panels differ in the last, these have sentences of their own."""
    if len(others) > 1:
        yield _in_one(first)
        yield from others
    else:
        yield _in_one([*first, *others])


def _in_one(clauses: Sequence[Sentence]) -> Sentence:
    first, *others = clauses
    return _joined([first, *others], "; ", "; ") if others else first


def _corpus(known: _Known, corpus: CorpusFacts) -> Sentence:
    rows = [row for row in known.rows if row.key.corpus == corpus.name]
    settings = [setting for setting in known.run.settings if setting.corpus == corpus.name]
    n_systems = max(row.n_systems for row in rows)
    systems = f"{n_systems} of its {_n(corpus.systems, 'system')}"
    if n_systems == corpus.systems:
        systems = _n(n_systems, "system")
    used = [row.n_segments for row in rows]
    segments = _n(corpus.segments, "segment")
    if min(used) < corpus.segments:
        segments = f"{_range(used)} of its {segments}"
    n_documents = max((setting.n_named_documents for setting in settings), default=0)
    documents = f" (in {_n(n_documents, 'document')})" if 0 < n_documents < corpus.segments else ""
    listed = [systems, f"{segments}{documents}"]
    if corpus.references and {*known.inputs.values()} != {"scores"}:
        listed.append(_n(len(corpus.references), "reference"))
    cited: Sentence = (f" ({corpus.title})",) if corpus.title else ()
    if corpus.source or corpus.citation:
        cited = (Cited((corpus_source(corpus.name, corpus.title, corpus.source, corpus.citation),)),)
    kind = "the simulated corpus" if corpus.simulated else "the corpus"
    return (f"{kind} {known.name(corpus.name)}", *cited, f" with {_words(listed)}")


def _left_out(known: _Known) -> Iterator[Sentence]:
    """Describe what filters have left out; which judges were chosen is said with the judgments."""
    for row in known.run.tables.filtered:
        if row.what != "judgments" and row.n_left_out:
            names = f" ({row.names})" if row.names else ""
            of = f" of {known.name(row.key.corpus)}" if len(known.corpora) > 1 else ""
            left_out = f"{row.n_left_out:,} of {row.n_before:,} {row.what}{of}{names}"
            yield (f"By the rule {row.rule}, we leave out {left_out}",)


def _judged(known: _Known) -> Sentence:
    """Describe the judgments: how many there are, of what and by whom."""
    by_corpus_and_judges = grouped(known.run.settings, lambda setting: (setting.corpus, setting.judges))
    each: list[Sentence] = []
    for (corpus, judges), settings in by_corpus_and_judges.items():
        counts = {known.name(name): n_judges for setting in settings for name, n_judges in setting.judgments.items()}
        n_judges = max(setting.n_judges for setting in settings)
        n_judgments = {*counts.values()}
        if len(n_judgments) == 1:
            words = f"{n_judgments.pop():,} judgments{' each' if len(counts) > 1 else ''} of {_words(counts)}"
        else:
            words = f"judgments of {_words(f'{name} ({number:,})' for name, number in counts.items())}"
        if not all(setting.judges_are_persons for setting in settings):
            words += f" in {_n(n_judges, 'slot')}, each filled by different judges"
        else:
            words += f" by {_n(n_judges, 'judge')}" if n_judges > 1 else " (the data name a single judge)"
        chosen = f" (chosen: {judges})" if judges != EVERYBODY else ""
        where = f" for {known.name(corpus)}" if len({setting for setting, _ in by_corpus_and_judges}) > 1 else ""
        each.append((f"{words}{chosen}{where}",))
    return ("Human scores rest on ", *_joined(each)) if each else ()


_POOLING_WORDS = {
    "mean": "the mean of its judgments",
    "median": "the median of its judgments",
    "draw": "one of its judgments, drawn at random anew for each document",
}


def _of_pooling(known: _Known) -> Iterator[Sentence]:
    """Describe how judgments become human scores: of all panels, where these differ only in their documents."""
    totals = {corpus.name: corpus.segments for corpus in known.corpora}
    is_whole = all(row.n_judged == row.n_items and row.n_segments == totals[row.key.corpus] for row in known.rows)
    if is_whole and len({(setting.rule, setting.normalise) for setting in known.run.settings}) == 1:
        yield _pooled(known, known.rows)
    else:
        yield from _by_panel(known, _pooled)


def _pooled(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    """Describe how judgments become human scores."""
    settings = known.settings_of(rows)
    if not settings:
        return ()
    first = settings[0]
    clauses = list[str]()
    if first.rule == "stored":
        return ("the human score of a system is the one that came with the data",)
    if first.normalise != "none":
        clauses.append("judgments are first turned into z-scores for each judge and criterion")
    several = any(
        setting.judgments.get(row.key.criterion, 0) > row.n_judged
        for setting in settings
        for row in rows
        if row.key.corpus == setting.corpus
    )
    in_part = any(row.n_judged < row.n_items for row in rows)
    units = dict.fromkeys(row.key.documents.units for row in rows)
    larger = ["system" if kind.is_whole else "document" for kind in units if not kind.is_single]
    over = f", and that of a {_words(larger, ' or ')} the mean over its " if larger else ""
    over += f"{'judged ' if in_part else ''}segments" if larger else ""
    clauses.append(f"the score of an output is {_POOLING_WORDS[first.rule] if several else 'its judgment'}{over}")
    if in_part:
        judged = sorted({(row.n_judged, row.n_items) for row in rows})
        numbers = [f"{some:,} of {every:,}" for some, every in judged]
        some = _words(numbers, " or ") if len(numbers) < 4 else f"{numbers[0]} to {numbers[-1]}"
        clauses.append(f"{some} outputs were judged")
        if larger:
            clauses.append(f"metrics score {'these alone' if first.metric_over == 'judged' else 'all segments'}")
    totals = {corpus.name: corpus.segments for corpus in known.corpora}
    if any(row.n_segments < totals.get(row.key.corpus, 0) for row in rows):
        lacks = "a judgment of some system" if first.require == "all" else "judgments"
        clauses.append(f"segments that lack {lacks}, a reference or an output are left out")
    return ("; ".join(clauses),)


def _metrics(known: _Known) -> Iterator[Sentence]:
    """Yield clauses on the metrics and the texts that they were given."""
    names = known.metrics
    # Of metrics of a kind, the first has the citation.
    listed = _cited_once((label, known.sources(metric)) for metric, label in names.items())
    between = "; " if any("," in label for label in names.values()) else ", "
    last = "; and " if between == "; " else " and "
    yield ("The metrics are " if len(names) > 1 else "The metric is ", *_joined(listed, last, between))
    metrics_by_input = grouped(names, lambda metric: known.inputs.get(metric, ""))
    labels_by_input = {
        kind: [names[metric] for metric in metrics_by_input.get(kind, [])] for kind in ("tokens", "texts", "scores")
    }
    treatments = dict.fromkeys(row.key.preprocessing for row in known.rows)
    treated = _cited_once((_treated(treatment), known.sources(treatment)) for treatment in treatments)
    if labels_by_input["tokens"]:
        whose = "" if len(labels_by_input["tokens"]) == len(names) else f"for {_words(labels_by_input['tokens'])}, "
        variants = f"in {len(treated)} variants " if len(treated) > 1 else ""
        yield (f"{whose}texts {variants}", *_joined(treated, ", or ", ", "))
    if labels_by_input["texts"]:
        verb = "reads" if len(labels_by_input["texts"]) == 1 else "read"
        yield (f"{_words(labels_by_input['texts'])} {verb} texts as they are",)
    if labels_by_input["scores"]:
        whose = "all metrics" if 1 < len(labels_by_input["scores"]) == len(names) else _words(labels_by_input["scores"])
        yield (f"the scores of {whose} were computed beforehand",)


_CASE_WORDS = {
    (False, False): "keep their case and are {cut}",
    (True, False): "are lower-cased and {cut}",
    (True, True): "are lower-cased, {cut}, and stemmed",
}


def _treated(name: str) -> str:
    """Describe the treatment of texts in a preprocessing."""
    call = parse_call(name)
    tokenizer = call.arguments.get("tokenizer", "none")
    cut = "split at white space" if tokenizer == "none" else f"tokenized by {tokenizer}"
    return _CASE_WORDS[PREPROCESSING[call.name]].format(cut=cut)


def _compared_with(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    """Describe the references that outputs are compared with, where metaeval compared them."""
    if not {"tokens", "texts"} & {known.inputs.get(row.key.metric) for row in rows}:
        return ()
    settings = known.settings_of(rows)
    totals = {setting.name: len(setting.references) for setting in known.corpora}
    combined = _COMBINATION_WORDS.get(next((setting.combine for setting in settings if setting.combine), ""), "")
    reference_words = []
    for subset, subset_rows in grouped(rows, lambda row: row.key.subset).items():
        kind, names = names_of(subset)
        total = max(totals.get(row.key.corpus, 0) for row in subset_rows)
        means = {setting.mean_references[subset] for setting in settings if subset in setting.mean_references}
        # Where some segments lack some of them.
        average = " or ".join(f"{setting:.3g}" for setting in sorted(means))
        mean = f" ({average} for a segment on average)" if means - {len(names)} else ""
        if subset == NO_REFERENCES:
            reference_words.append("no references")
        elif kind == "leave-one-out":
            reference_words.append(f"all but one of {len(names)} references{combined}")
        elif kind:
            sizes = _words(sorted({f"{row.n_references:g}" for row in subset_rows}))
            reference_words.append(f"subsets of {sizes} of the {total} references ({subset}){combined}")
        elif len(names) == total:
            reference_words.append(f"all {total} references together{mean}" if total > 1 else "the reference")
        elif len(names) == 1:
            reference_words.append(f"the reference {subset} alone")
        else:
            reference_words.append(f"{len(names)} of the {total} references, {_words(names)}{mean}")
    if len(reference_words) > 2:
        sizes = _words(f"{size:g}" for size in sorted({row.n_references for row in rows}))
        total = max(totals.get(row.key.corpus, 0) for row in rows)
        return (
            f"outputs are compared with each of {len(reference_words)} subsets of {sizes} of the {total} references",
        )
    return (f"outputs are compared with {_words(reference_words, ', or ')}",)


# Coefficients, intervals and tests. -----------------------------------------------------------------------------------


def _by_panel(
    known: _Known, make: Callable[[_Known, Sequence[Correlation]], Sentence], *, says_where: bool = False
) -> Iterator[Sentence]:
    """Yield a sentence on each panel; one for all that have the same, else with the panels that it holds for.

    Parameters
    ----------
    known : _Known
    make : callable
        Makes the sentence from the rows of a panel; an empty one where there is nothing to say.
    says_where : bool
        Whether sentences say themselves of which level and coefficient they are.
    """
    panels_by_sentence = grouped(known.panels.items(), lambda panel: make(known, panel[1]))
    rows_of = [[row for _, rows in panels for row in rows] for panels in panels_by_sentence.values()]
    titles = [[f'"{title}"' for title, _ in panels] for panels in panels_by_sentence.values()]
    levels = _distinguished(rows_of, _level) or _distinguished(rows_of, _level_and_coefficient)
    where = levels or titles
    for sentence, words in zip(panels_by_sentence, where, strict=True):
        if sentence and (len(panels_by_sentence) == 1 or (says_where and levels)):
            yield sentence
        elif sentence:
            yield _after(f"For {_words(words)}, ", sentence)


def _distinguished(
    rows_of: Sequence[Sequence[Correlation]], words_of: Callable[[Correlation], str]
) -> list[list[str]] | None:
    """Return words for groups of rows, by coefficient and documents; None where two would be called the same."""
    # Of thousands of rows few differ in these.
    distinct_rows = [{(row.key.coefficient, row.key.documents): row for row in rows}.values() for rows in rows_of]
    words_by_group = [[*dict.fromkeys(map(words_of, rows))] for rows in distinct_rows]
    all_words = [words for of_group in words_by_group for words in of_group]
    return words_by_group if len({*all_words}) == len(all_words) else None


def _after(words: str, sentence: Sentence) -> Sentence:
    """Return a sentence that begins with other words."""
    first, *rest = sentence
    if isinstance(first, Replicated):
        return (Replicated(f"{words}{first.text[:1].lower()}{first.text[1:]}", first.replicates), *rest)
    assert isinstance(first, str)
    return (f"{words}{first[:1].lower()}{first[1:]}", *rest)


_LEVEL_WORDS = {"all": "whole systems"}


def _level(row: Correlation) -> str:
    """Describe what was correlated, in a sentence."""
    if COEFFICIENTS.named(row.key.coefficient).needs_all_cells:
        return _LEVEL_WORDS["all"]  # they are compared by their scores of single segments
    return _LEVEL_WORDS.get(row.key.documents.kind, row.key.documents.units.title)


def _level_and_coefficient(row: Correlation) -> str:
    return f"{_level(row)} by {COEFFICIENTS.named(row.key.coefficient).described}"


def _of_experiment(known: _Known) -> Iterator[Sentence]:
    yield from _by_panel(known, _correlated, says_where=True)
    yield from _by_panel(known, _of_judges)
    yield from _by_panel(known, _of_ceiling)
    yield from _of_intervals(known)
    yield from _of_tests(known)
    yield from _by_panel(known, _not_worse)
    yield from _band_sentences(known)


def _band_sentences(known: _Known) -> Iterator[Sentence]:
    """Yield a sentence on coefficients among good systems, where there are any."""
    names = dict.fromkeys(row.name for row in known.run.tables.bands if not row.name.is_whole)
    numbers = grouped(names, lambda name: name.band)
    words: list[Sentence] = []
    for band, bands in numbers.items():
        listed = _words(f"{name.limit:g}" for name in bands)
        if band == BEST_SYSTEMS:
            words.append((f"among the best {listed} systems by human judgments", *_cited("mathur2020")))
        elif band == NEAR_PAIRS:
            words.append((f"on the pairs of systems whose human scores differ by at most {listed}",))
        else:
            words.append((f"on the segments of systems with a human score better than {listed}",))
    if not words:
        return
    correction = next((row.correction for row in known.run.tables.band_tests), "")
    corrected = CORRECTIONS[correction].title if correction else ""
    tested = f"; p-values of pairs of metrics are corrected for all pairs in all of these ({corrected})"
    yield (
        "Coefficients are also taken ",
        *_joined(words, ", and "),
        "; what counts is chosen once, by the human scores of the data, and is the same in every replicate",
        tested if corrected else "",
    )


def _kinds(rows: Iterable[Correlation]) -> list[Coefficient]:
    return [*dict.fromkeys(map(COEFFICIENTS.named, dict.fromkeys(row.key.coefficient for row in rows)))]


def _coefficients(rows: Iterable[Correlation]) -> Sentence:
    return _joined([(kind.described, *_cited(*kind.sources)) for kind in _kinds(rows)])


def _correlated(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    """Describe which coefficients were taken, of what, and how they are averaged."""
    row = rows[0]
    settings = known.settings_of(rows)
    kind = _kinds(rows)[0]
    units = row.key.documents.units
    units_words = _level(row)
    n_systems = {other.n_systems for other in rows}
    systems = f"the {_n(n_systems.pop(), 'system')}" if len(n_systems) == 1 else "the systems"
    start: Sentence = ("Agreement is measured by ",)
    if units.is_drawn:
        lengths = sorted({other.key.length or 0 for other in rows})
        of = f"{_words(f'{length:,}' for length in lengths)} {'segment' if lengths == [1] else 'segments'}"
        count = f"{_n(row.n_documents, 'pseudo-document')}{' each' if len(lengths) > 1 else ''}"
        again = "with" if any(setting.replacement for setting in settings) else "without"
        start = (
            f"We draw {count} of {of} at random, {again} replacement within a document",
            *_cited("turian2003"),
            "; agreement is measured by ",
        )
    elif units.is_whole or kind.needs_all_cells:
        start = ("At the level of whole systems, agreement is measured by ",)
    if units.is_whole or kind.needs_all_cells:
        end = f" between metric scores and human scores of {systems}"
    elif kind.takes_grid:
        end = f" over pairs of systems in {units_words}, all of these together"
    elif row.key.average_by == "item":
        numbers = set() if units.is_drawn else {other.n_used for other in rows}
        end = f" across {systems}, averaged over the {f'{numbers.pop():,} ' if len(numbers) == 1 else ''}{units_words}"
    elif row.key.average_by == "system":
        end = f" across the {units_words} of each system, averaged over {systems}"
    else:
        end = f" across all {units_words} of {systems} together"
    if len({other.key.criterion for other in rows}) > 1:
        end += ", for each criterion by itself"
    if any(setting.orientation == "raw" for setting in settings):
        end += "; the coefficients of metrics for which low is good keep their negative sign"
    if any(setting.undefined == "zero" for setting in settings):
        end += "; undefined coefficients, as of equal scores, count as 0"
    elif sum(other.n_undefined for other in rows) and not units.is_whole:
        end += "; undefined coefficients, as of equal scores, are left out of the mean"
    return (*start, *_coefficients(rows), end)


def _of_judges(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    correlations = known.run.tables.correlations
    if not any(row.key.is_of_judges and row.key.panel == rows[0].key.panel for row in correlations):
        return ()
    return ("For comparison, the human scores are correlated in the same way with a second draw of judgments",)


def _of_ceiling(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    ceilings = [
        ceiling
        for ceiling in known.run.tables.ceiling
        if ceiling.key.panel == rows[0].key.panel and ceiling.kind == "ceiling"
    ]
    numbers = [ceiling.n_draws for ceiling in ceilings if ceiling.n_draws and not math.isnan(ceiling.value)]
    if not numbers or any(setting.rule == "draw" for setting in known.settings_of(rows)):
        return ()
    splits = f"{_n(max(numbers), 'random split')} of the judgments of each output into halves"
    return (
        f"The noise ceiling is the square root of the reliability of the human scores, estimated from {splits}",
        *_cited("spearman1904", "spearman1910", "brown1910"),
    )


def _replicates(n: int, resampled: str, row: Correlation, *, denoised: bool) -> str:
    return replicates_in_words(n, resampled, row.key.documents.units, denoised=denoised)


def _replicated(text: str, replicates: str) -> Part:
    return Replicated(text, replicates) if _REPLICATES_SIGN in text else text


def _of_intervals(known: _Known) -> Iterator[Sentence]:
    """Describe the confidence intervals; what they are all about is said once."""
    about = {_about(row) for row in known.rows if not math.isnan(row.lower)}
    if len(about) == 1 and len({_intervals(known, rows) for rows in known.panels.values()}) > 1:
        yield (f"The {about.pop()}",)
        yield from _by_panel(known, partial(_intervals, subject="these intervals"))
    else:
        yield from _by_panel(known, _intervals)


def _about(row: Correlation) -> str:
    """Return the level of the confidence interval of a row, and what it is about."""
    generalises_to = estimand(row, brief=True).replace(f"these {row.n_systems} systems", "these systems")
    about = f" are for {generalises_to}" if generalises_to else ""
    return f"{100 * (row.confidence_level or 0):g} % confidence intervals{about}"


def _intervals(known: _Known, rows: Sequence[Correlation], subject: str = "") -> Sentence:
    """Describe how the confidence intervals are made."""
    with_interval = [row for row in rows if not math.isnan(row.lower)]
    if not with_interval:
        reasons = dict.fromkeys(row.no_interval_because for row in rows if row.no_interval_because)
        return (f"There are no confidence intervals: {'; '.join(reasons)}",) if reasons else ()
    row = with_interval[0]
    interval = INTERVALS[with_interval[0].interval]()
    n = max((other.replicates_used or 0) + (other.replicates_undefined or 0) for other in with_interval)
    kinds_by_text = grouped(
        _kinds(with_interval),
        lambda kind: interval.described(_REPLICATES_SIGN, row.resampled, row.key.documents.units, kind),
    )
    each = [
        f"{text} ({_words(kind.described for kind in kinds)})" if len(kinds_by_text) > 1 else text
        for text, kinds in kinds_by_text.items()
    ]
    start = f"{subject} " if subject else f"The {_about(row)}; they "
    described = _replicates(n, row.resampled, row, denoised=interval.is_denoised)
    return (
        _replicated(f"{start}{' or '.join(each)}", described),
        *_method_cited(interval.sources, _kinds(with_interval)),
    )


# What tells families of tests apart: attributes of a key, and what a paper calls them.
_FAMILY_WORDS = {
    "corpus": "corpus",
    "preprocessing": "preprocessing",
    "subset": "subset of references",
    "criterion": "criterion",
    "length": "length of documents",
    "coefficient": "coefficient",
}


def _of_tests(known: _Known) -> Iterator[Sentence]:
    """Describe how metrics were compared; what is the same of all panels is said once."""
    tests = [_by_test(known, rows) for rows in known.panels.values()]
    comparisons = {_compared(known, rows) for rows in known.panels.values()}
    ways = {_test(known, rows) for rows in known.panels.values()}
    if all(len(each) == 1 for each in tests) and len(comparisons) == 1 < len(ways):
        yield comparisons.pop()
        yield from _by_panel(known, lambda known, rows: _test(known, rows, "these comparisons are made by "))
    else:
        yield from _by_panel(known, lambda known, rows: _compared(known, rows, with_test=True))


_TestKey: TypeAlias = tuple[str, str, str, str]


def _by_test(known: _Known, rows: Sequence[Correlation]) -> dict[_TestKey, list[TestResult]]:
    """Return the tests between metrics in the panel of some rows that have a p-value, by what test it is."""
    of_panel = [test for test in known.run.tables.tests if test.key.panel == rows[0].key.panel]
    tested = [test for test in of_panel if test.metric_b != CONSTANT and not math.isnan(test.p)]
    return grouped(tested, lambda test: (test.test, test.over, test.correction, test.alternative))


def _compared(known: _Known, rows: Sequence[Correlation], *, with_test: bool = False) -> Sentence:
    """Describe which metrics are compared, at which level and with which correction; if wanted, by which test."""
    settings = known.settings_of(rows)
    clauses = list[Sentence]()
    for (name, over, correction, alternative), tests in _by_test(known, rows).items():
        pairs = grouped(tests, lambda test: test.key)
        varied = [words for field, words in _FAMILY_WORDS.items() if len({getattr(key, field) for key in pairs}) > 1]
        each = f" for each {_words(varied)}" if varied else ""
        family = f"the {_range((len(of_setting) for of_setting in pairs.values()), 'pair')} of metrics{each}"
        title = CORRECTIONS[correction].title
        sources = CORRECTIONS[correction]().sources
        corrected: Sentence = (f" and with p-values of {family} that are not corrected for their number",)
        if title:
            by = f" and with p-values that are corrected by {title}'s method"
            corrected = (by, *_cited(*sources), f" over {family}")
        is_pair = all(len(of_setting) == 1 for of_setting in pairs.values())
        if is_pair:
            corrected = (each,) if each else ()
        alphas = sorted(
            {setting.alphas[key] for setting in settings if (key := f"{name} over {over}") in setting.alphas}
        )
        level = f" at a significance level of {_words(f'{alpha:g}' for alpha in alphas)}" if alphas else ""
        sided = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
        test = (", by ", *_test_description(known, rows, tests)) if with_test else ()
        start = "they are" if clauses else f"{'The two metrics' if is_pair else 'Every two metrics'} are"
        clauses.append((f"{start} compared, {sided}{level}", *corrected, *test))
    return _joined(clauses, "; also, ", "; also, ")


def _test(known: _Known, rows: Sequence[Correlation], start: str = "") -> Sentence:
    """Return by which test metrics are compared, where it is one."""
    every = [*_by_test(known, rows).values()]
    return _joined([(start, *_test_description(known, rows, of_test)) for of_test in every]) if every else ()


def _test_description(known: _Known, rows: Sequence[Correlation], tests: Sequence[TestResult]) -> Sentence:
    """Describe a test, from its rows."""
    test = TESTS.named(tests[0].test)
    units = rows[0].key.documents.units
    first = tests[0]
    if test.needs_replicates:
        n = max(test_row.n_used + test_row.n_undefined for test_row in tests)
        replicates = _replicates(n, first.resampled, rows[0], denoised=test.is_denoised)
    else:
        replicates = _n(max((setting.n_resamples for setting in known.settings_of(rows)), default=0), "random exchange")
    kinds = [*dict.fromkeys(COEFFICIENTS.named(test_row.key.coefficient) for test_row in tests)]
    descriptions = dict.fromkeys(
        test.described(_REPLICATES_SIGN, first.resampled, first.over, units, kind) for kind in kinds
    )
    return (_replicated(" or ".join(descriptions), replicates), *_method_cited(test.sources, kinds))


def _method_cited(sources: Sequence[str], kinds: Sequence[Coefficient]) -> Sentence:
    """Return the citation of an interval or a test, of Fisher's scale only where a coefficient is taken on it."""
    has_scale = any(kind.has_fisher_scale for kind in kinds)
    return _cited(*(key for key in sources if key != _FISHER or has_scale))


def _not_worse(known: _Known, rows: Sequence[Correlation]) -> Sentence:
    """Explain when a metric is not significantly worse than the best, and what clusters are."""
    panel_rankings = [ranked for ranked in known.run.tables.rankings if ranked.key.panel == rows[0].key.panel]
    rankings = [ranked for ranked in panel_rankings if ranked.method != "intervals"]
    tests = [*_by_test(known, rows)]
    n_metrics = max(
        map(len, grouped(rankings, lambda ranked: (ranked.key.of(metric=""), ranked.method)).values()),
        default=0,
    )
    if not tests and len({ranked.key.metric for ranked in panel_rankings}) > 1:
        equal = "A metric is taken as equal to the best where their confidence intervals overlap"
        return (equal, *_cited("linoch2004"))
    if not tests or n_metrics < 2:
        return ()
    start = "A metric is called not significantly worse than the best unless"
    sentence: Sentence = (f"{start} the best is significantly better",)
    if all(CORRECTIONS[correction].bounds_any for _, _, correction, _ in tests) and n_metrics > 2:
        p = f"with p multiplied by {n_metrics - 1}, the number of its rivals, or corrected as above, whichever is less"
        sentence = (f"{start} another one is significantly better, {p}", *_cited("hsu1984"))
    if any(ranked.cluster for ranked in rankings):
        rule = "from the best down, a metric opens a new cluster if one in the current cluster is significantly better"
        sentence += (f"; {rule}",)
    return sentence


# Tasks. ---------------------------------------------------------------------------------------------------------------

_TASK_LEVEL_WORDS = {"system": "whole systems", "segment": "single segments", "document": "real documents"}
_AVERAGING_WORDS = {
    "item": "within {level}, averaged over these,",
    "system": "over the {level} of each system, averaged over systems,",
    "none": "over all {level} and systems together",
}


def _of_tasks(known: _Known) -> Iterator[Sentence]:
    tasks = grouped(known.run.tables.tasks, lambda score: score.task)
    by_words = grouped((_task(known, title, rows[0]) for title, rows in tasks.items()), lambda described: described[0])
    listed: list[Sentence] = []
    for words, described_tasks in by_words.items():
        weights = [*dict.fromkeys(f"{weight:.3g}" for _, _, weight in described_tasks)]
        each = (
            f" (weight {_words(weights)}{' each' if len(weights) < len(described_tasks) else ''})"
            if len(tasks) > 1
            else ""
        )
        listed.append((*words, f" on {_words(corpora for _, corpora, _ in described_tasks)}{each}"))
    yield (f"Metrics are compared in {_n(len(tasks), 'task')}: ", *_joined(listed, "; and ", "; "))
    if len(tasks) > 1:
        yield ("The average of a metric is the weighted mean of its coefficients, of correlations r as (r + 1) / 2",)
    yield from _of_intervals(known)
    ranking = known.run.facts.get("ranking", {})
    if ranking.get("permutations") and any(row.cluster for row in known.run.tables.tasks):
        exchanges = _n(ranking["permutations"], "random exchange")
        alpha = ranking["alpha"]
        yield (
            "From the best down, a metric opens a new cluster if one in the current cluster is better by PERM-BOTH",
            *_cited("deutsch2021"),
            f", a one-sided permutation test with {exchanges} of single scores, at p <= {alpha:g} and without",
            " correction for the number of pairs, as in the metrics shared tasks of WMT",
            *_cited("freitag2022"),
        )
    yield from _band_sentences(known)
    if any(not math.isnan(test.p_joint) for test in known.run.tables.task_tests):
        n = max((setting.n_resamples for setting in known.run.settings), default=0)
        alpha = ranking.get("alpha_joint")
        level = f" at a significance level of {alpha:g}" if alpha else ""
        replicates = _n(n, "replicate") if n else "bootstrap replicates"
        yield (
            f"A second set of clusters rests on two-sided tests{level}, with p-values that Holm's method corrects",
            *_cited("holm1979"),
            f" for all pairs of metrics; on averages these are t tests with standard errors from {replicates}, in",
            " each of which the texts of a corpus are drawn again with replacement, the same for all of its tasks",
        )


def _task(known: _Known, title: str, task: TaskScore) -> tuple[Sentence, str, float]:
    """Describe a task but for its corpora, these, and its weight."""
    # Where a task takes several corpora together, each is a panel: its title, and the corpus in brackets.
    own = known.panels.get(title, [])
    of_several = f"{title} ("
    parts = [row for panel, rows in known.panels.items() if panel[: len(of_several)] == of_several for row in rows]
    coefficients: Sentence = _coefficients(own or parts) if own or parts else (task.coefficient,)
    taken = "of {level}" if task.level == "system" else _AVERAGING_WORDS.get(task.average_by, "of {level}")
    variant = f" ({task.variant})" if task.variant else ""
    words = f" {taken.format(level=_TASK_LEVEL_WORDS[task.level])}{variant}"
    return (*coefficients, words), f"{task.corpora}{' together' if parts and not own else ''}", task.weight


# What made the numbers. -----------------------------------------------------------------------------------------------

_PACKAGE_NAMES = {"numpy": "NumPy", "scipy": "SciPy", "sacrebleu": "sacreBLEU", "snowballstemmer": "snowballstemmer"}
# What is cited for what a package does.
_CITED_PACKAGES = {"sacrebleu": "post2018", "snowballstemmer": "porter1980"}


def _of_versions(run: RunData, cited: Iterable[Source]) -> Iterator[Sentence]:
    """Name the software that computed the numbers, and the seed; some packages only where what they do is cited."""
    facts = run.facts
    keys = {source.key for source in cited}
    if "metaeval" not in facts:
        return
    versions = [f"Python {facts['python']}"] if "python" in facts else []
    for name, version in facts.get("packages", {}).items():
        if name in _PACKAGE_NAMES and (name not in _CITED_PACKAGES or _CITED_PACKAGES[name] in keys):
            versions.append(f"{_PACKAGE_NAMES[name]} {version}")
    with_others = f" under {_words(versions)}" if versions else ""
    seed = f"; the random seed is {facts['seed']}" if "seed" in facts else ""
    yield (f"All numbers were computed with metaeval {facts['metaeval']}", *_cited(OWN), f"{with_others}{seed}")
