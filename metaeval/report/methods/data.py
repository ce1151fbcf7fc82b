"""Sentences on the data of a run: texts, judgments, metrics and references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metaeval.bibliography import corpus_source
from metaeval.components.registries import PREPROCESSING
from metaeval.datamodel.corpus import EVERYBODY, NO_REFERENCES
from metaeval.parameters.calls import parse_call
from metaeval.report.methods.described_run import DescribedRun, by_panel, number_words, range_words
from metaeval.report.methods.paragraph import Cited, Sentence, each_cited_once, joined
from metaeval.report.phrases import grouped, joined_names, quoted_name, reference_words
from metaeval.results.model import CorpusFacts
from metaeval.results.rows import Correlation
from metaeval.sampling.references import names_of

_COMBINATION_WORDS = {
    "documents": ", which take turns from document to document",
    "scores": ", over which scores are averaged",
    "correlations": ", over which coefficients are averaged",
}

_POOLING_WORDS = {
    "mean": "the mean of its judgments",
    "median": "the median of its judgments",
    "draw": "one of its judgments, drawn at random anew for each document",
}

_CASE_WORDS = {
    (False, False): "keep their case and are {cut}",
    (True, False): "are lower-cased and {cut}",
    (True, True): "are lower-cased, {cut}, and stemmed",
}


def sentences_on_data(run: DescribedRun) -> Iterator[Sentence]:
    """Yield sentences on texts, judgments, metrics and references; none where nothing was correlated."""
    if not run.rows:
        return
    n = len(run.metrics)
    compared = "a metric with human judgments" if n == 1 else f"{n} metrics with human judgments"
    each = [_corpus(run, corpus) for corpus in run.corpora]
    yield (f"We measure the agreement of {compared} on ", *joined(each, "; and ", "; "))
    yield from _left_out(run)
    if judged := _judged(run):
        yield from _in_one_unless_several([judged], [*_pooling_sentences(run)])
    yield from _in_one_unless_several([*_metrics(run)], [*by_panel(run, _compared_with)])


def _in_one_unless_several(first: Sequence[Sentence], others: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield clauses as one sentence; where panels differ in the last, these have sentences of their own."""
    if len(others) > 1:
        yield _joined_clauses(first)
        yield from others
    else:
        yield _joined_clauses([*first, *others])


def _joined_clauses(clauses: Sequence[Sentence]) -> Sentence:
    first, *others = clauses
    return joined([first, *others], "; ", "; ") if others else first


def _corpus(run: DescribedRun, corpus: CorpusFacts) -> Sentence:
    rows = [row for row in run.rows if row.key.corpus == corpus.name]
    settings = [setting for setting in run.data.settings if setting.corpus == corpus.name]
    n_systems = max(row.n_systems for row in rows)
    systems = f"{n_systems} of its {number_words(corpus.systems, 'system')}"
    if n_systems == corpus.systems:
        systems = number_words(n_systems, "system")
    used = [row.n_segments for row in rows]
    segments = number_words(corpus.segments, "segment")
    if min(used) < corpus.segments:
        segments = f"{range_words(used)} of its {segments}"
    n_documents = max((setting.n_named_documents for setting in settings), default=0)
    documents = f" (in {number_words(n_documents, 'document')})" if 0 < n_documents < corpus.segments else ""
    listed = [systems, f"{segments}{documents}"]
    if corpus.references and {*run.input_by_metric.values()} != {"scores"}:
        listed.append(number_words(len(corpus.references), "reference"))
    cited: Sentence = (f" ({corpus.title})",) if corpus.title else ()
    if corpus.source or corpus.citation:
        cited = (Cited((corpus_source(corpus.name, corpus.title, corpus.source, corpus.citation),)),)
    kind = "the simulated corpus" if corpus.simulated else "the corpus"
    return (f"{kind} {run.name(corpus.name)}", *cited, f" with {joined_names(listed)}")


def _left_out(run: DescribedRun) -> Iterator[Sentence]:
    """Describe what filters have left out; which judges were chosen is said with the judgments."""
    for row in run.data.tables.filtered:
        if row.what != "judgments" and row.n_left_out:
            names = f" ({row.names})" if row.names else ""
            of = f" of {run.name(row.key.corpus)}" if len(run.corpora) > 1 else ""
            left_out = f"{row.n_left_out:,} of {row.n_before:,} {row.what}{of}{names}"
            yield (f"By the rule {row.rule}, we leave out {left_out}",)


def _judged(run: DescribedRun) -> Sentence:
    """Describe the judgments: how many there are, of what and by whom."""
    by_corpus_and_judges = grouped(run.data.settings, lambda setting: (setting.corpus, setting.judges))
    each: list[Sentence] = []
    for (corpus, judges), settings in by_corpus_and_judges.items():
        counts = {run.name(name): n_judges for setting in settings for name, n_judges in setting.judgments.items()}
        n_judges = max(setting.n_judges for setting in settings)
        n_judgments = {*counts.values()}
        if len(n_judgments) == 1:
            words = f"{n_judgments.pop():,} judgments{' each' if len(counts) > 1 else ''} of {joined_names(counts)}"
        else:
            words = f"judgments of {joined_names(f'{name} ({number:,})' for name, number in counts.items())}"
        if not all(setting.judges_are_persons for setting in settings):
            words += f" in {number_words(n_judges, 'slot')}, each filled by different judges"
        else:
            words += f" by {number_words(n_judges, 'judge')}" if n_judges > 1 else " (the data name a single judge)"
        chosen = f" (chosen: {judges})" if judges != EVERYBODY else ""
        where = f" for {run.name(corpus)}" if len({setting for setting, _ in by_corpus_and_judges}) > 1 else ""
        each.append((f"{words}{chosen}{where}",))
    return ("Human scores rest on ", *joined(each)) if each else ()


def _pooling_sentences(run: DescribedRun) -> Iterator[Sentence]:
    """Describe how judgments become human scores: of all panels, where these differ only in their documents."""
    totals = {corpus.name: corpus.segments for corpus in run.corpora}
    is_whole = all(row.n_judged == row.n_items and row.n_segments == totals[row.key.corpus] for row in run.rows)
    if is_whole and len({(setting.rule, setting.normalise) for setting in run.data.settings}) == 1:
        yield _pooled(run, run.rows)
    else:
        yield from by_panel(run, _pooled)


def _pooled(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    """Describe how judgments become human scores."""
    settings = run.settings_of(rows)
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
    over = f", and that of a {joined_names(larger, ' or ')} the mean over its " if larger else ""
    over += f"{'judged ' if in_part else ''}segments" if larger else ""
    clauses.append(f"the score of an output is {_POOLING_WORDS[first.rule] if several else 'its judgment'}{over}")
    if in_part:
        judged = sorted({(row.n_judged, row.n_items) for row in rows})
        numbers = [f"{some:,} of {every:,}" for some, every in judged]
        some = joined_names(numbers, " or ") if len(numbers) < 4 else f"{numbers[0]} to {numbers[-1]}"
        clauses.append(f"{some} outputs were judged")
        if larger:
            clauses.append(f"metrics score {'these alone' if first.metric_over == 'judged' else 'all segments'}")
    totals = {corpus.name: corpus.segments for corpus in run.corpora}
    if any(row.n_segments < totals.get(row.key.corpus, 0) for row in rows):
        lacks = "a judgment of some system" if first.require == "all" else "judgments"
        clauses.append(f"segments that lack {lacks}, a reference or an output are left out")
    return ("; ".join(clauses),)


def _metrics(run: DescribedRun) -> Iterator[Sentence]:
    """Yield clauses on the metrics and the texts that they were given."""
    names = run.metrics
    # Of metrics of a kind, the first has the citation.
    listed = each_cited_once((label, run.sources(metric)) for metric, label in names.items())
    between = "; " if any("," in label for label in names.values()) else ", "
    last = "; and " if between == "; " else " and "
    yield ("The metrics are " if len(names) > 1 else "The metric is ", *joined(listed, last, between))
    metrics_by_input = grouped(names, lambda metric: run.input_by_metric.get(metric, ""))
    labels_by_input = {
        kind: [names[metric] for metric in metrics_by_input.get(kind, [])] for kind in ("tokens", "texts", "scores")
    }
    treatments = dict.fromkeys(row.key.preprocessing for row in run.rows)
    treated = each_cited_once((_treated(treatment), run.sources(treatment)) for treatment in treatments)
    if labels_by_input["tokens"]:
        whose = "" if len(labels_by_input["tokens"]) == len(names) else f"for {_listed(labels_by_input['tokens'])}, "
        variants = f"in {len(treated)} variants " if len(treated) > 1 else ""
        yield (f"{whose}texts {variants}", *joined(treated, ", or ", ", "))
    if labels_by_input["texts"]:
        verb = "reads" if len(labels_by_input["texts"]) == 1 else "read"
        yield (f"{_listed(labels_by_input['texts'])} {verb} texts as they are",)
    if labels_by_input["scores"]:
        with_scores = labels_by_input["scores"]
        whose = "all metrics" if 1 < len(with_scores) == len(names) else _listed(with_scores)
        yield (f"the scores of {whose} were computed beforehand",)


def _listed(labels: Sequence[str]) -> str:
    """Return labels of metrics in a sentence; those that have commas are in quotes where there are several."""
    return labels[0] if len(labels) == 1 else joined_names(map(quoted_name, labels))


def _treated(name: str) -> str:
    """Describe the treatment of texts in a preprocessing."""
    call = parse_call(name)
    tokenizer = call.arguments.get("tokenizer", "none")
    cut = "split at white space" if tokenizer == "none" else f"tokenized by {tokenizer}"
    return _CASE_WORDS[PREPROCESSING[call.name]].format(cut=cut)


def _compared_with(run: DescribedRun, rows: Sequence[Correlation]) -> Sentence:
    """Describe the references that outputs are compared with, where metaeval compared them."""
    if not {"tokens", "texts"} & {run.input_by_metric.get(row.key.metric) for row in rows}:
        return ()
    settings = run.settings_of(rows)
    totals = {setting.name: len(setting.references) for setting in run.corpora}
    combined = _COMBINATION_WORDS.get(next((setting.combine for setting in settings if setting.combine), ""), "")
    subsets_in_words = []
    for subset, subset_rows in grouped(rows, lambda row: row.key.subset).items():
        kind, names = names_of(subset)
        total = max(totals.get(row.key.corpus, 0) for row in subset_rows)
        means = {setting.mean_references[subset] for setting in settings if subset in setting.mean_references}
        # Where some segments lack some of them.
        average = " or ".join(f"{setting:.3g}" for setting in sorted(means))
        mean = f" ({average} for a segment on average)" if means - {len(names)} else ""
        if subset == NO_REFERENCES:
            subsets_in_words.append("no references")
        elif kind == "leave-one-out":
            subsets_in_words.append(f"all but one of {len(names)} references{combined}")
        elif kind:
            sizes = _sizes({row.n_references for row in subset_rows})
            n = parse_call(subset).arguments.get("count") if not names else None
            number = {"every": f"all {n} ", "random": f"{n} random "}.get(kind, "") if n else ""
            subsets_in_words.append(f"{number}subsets of {sizes} of the {total} references{combined}")
        elif len(names) == total:
            subsets_in_words.append(f"all {total} references together{mean}" if total > 1 else "the reference")
        elif len(names) == 1:
            subsets_in_words.append(f"the {reference_words(subset)} alone")
        else:
            subsets_in_words.append(f"{len(names)} of the {total} references, {joined_names(names)}{mean}")
    if len(subsets_in_words) > 2:
        total = max(totals.get(row.key.corpus, 0) for row in rows)
        return (f"outputs are compared with {_many_subsets(rows, total, combined)}",)
    return (f"outputs are compared with {joined_names(subsets_in_words, ', or ')}",)


def _many_subsets(rows: Sequence[Correlation], total: int, combined: str) -> str:
    """Describe many subsets of references by their sizes; those of one size can be a group that is taken together."""
    sizes_by_kind: dict[str, dict[str, float]] = {"every": {}, "random": {}, "": {}}
    for row in rows:
        kind, names = names_of(row.key.subset)
        sizes_by_kind[kind if kind in sizes_by_kind and not names else ""][row.key.subset] = row.n_references
    groups = []
    if every := sizes_by_kind["every"]:
        groups.append(f"all subsets of {_sizes(every.values())}")
    if random := sizes_by_kind["random"]:
        numbers = range_words(int(str(parse_call(subset).arguments["count"])) for subset in random)
        groups.append(f"{numbers} random subsets {'each ' if len(random) > 1 else ''}of {_sizes(random.values())}")
    words = [f"{joined_names(groups, ', and ')} of the {total} references{combined}"] if groups else []
    if single := sizes_by_kind[""]:
        together = f"all {total} references together"
        subsets = f"each of {len(single)} subsets of {_sizes(single.values())} of the {total} references"
        words.append(together if [*single.values()] == [total] else subsets)
    return joined_names(words, ", and " if combined else " and ")


def _sizes(sizes: Iterable[float]) -> str:
    """Return sizes of subsets in a sentence; three or more consecutive ones by the first and the last."""
    each = sorted({*sizes})
    is_range = len(each) > 2 and each == [each[0] + number for number in range(len(each))]
    return f"{each[0]:g} to {each[-1]:g}" if is_range else joined_names(f"{size:g}" for size in each)
