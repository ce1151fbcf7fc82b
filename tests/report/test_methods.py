"""The paragraph on methods: its numbers counted by hand, live and loaded, and nothing that the run did not do."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import metaeval
from metaeval.bibliography import OWN, Source, bibliography, find_source
from metaeval.cli import main
from metaeval.components.registries import COEFFICIENTS, DOCUMENTS, INTERVALS, TESTS
from metaeval.components.replicates_in_words import replicates_in_words
from metaeval.errors import UsageError
from metaeval.report.methods import methods_of
from metaeval.report.methods.described_run import DescribedRun
from metaeval.report.methods.paragraph import Cited, Methods
from metaeval.results.store import read_run
from metaeval.version import VERSION
from tests.report.test_latex import balance
from tests.support.corpus import TOML, judgments, write
from tests.support.results import correlation, many_tasks, run_of, task_score

# What only the code says.
INTERNAL = ("denoised", "cells", "every(", "precomputed:", "n_undefined", "acc_eq(", "\ufdd0", "  ", " ,", " ;", "..")
DEMO = Path(__file__).parents[2] / "data" / "demo"
TASKS = {
    "title": "Two tasks",
    "corpora": ["demo"],
    "metrics": ["ter", "bleu", "wer"],
    "criteria": ["adequacy"],
    "references": {"names": ["ref1"]},
    "uncertainty": {"n_resamples": 60},
    "ranking": {"permutations": 60},
    "tasks": [{"coefficient": "pearson"}, {"level": "segment", "coefficient": "acc_eq", "average_by": "item"}],
}
PANELS = {
    "title": "Two parts",
    "corpora": ["demo"],
    "metrics": ["bleu", "ter"],
    "criteria": ["adequacy"],
    "documents": {"kind": "all"},
    "uncertainty": {"n_resamples": 60},
    "panels": [
        {"title": "100 % cased", "preprocessing": ["case"]},
        {"title": "stems", "preprocessing": ["stem"], "uncertainty": {"method": "bootstrap"}},
    ],
}


def paragraph(found):
    """Return the paragraph of results, checked for what belongs in none."""
    text = methods_of(found.data).paragraph
    for word in INTERNAL:
        assert word not in text, word
    assert text[0].isupper()
    assert text.endswith(".")
    return text


@pytest.fixture(scope="module")
def compared():
    return metaeval.compare("demo", ["bleu", "chrf", "ter"], n_resamples=60)


def test_the_numbers_are_those_of_the_files(compared):
    text = paragraph(compared.results)
    with (DEMO / "judgments.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    systems, references = ({path.stem for path in (DEMO / name).iterdir()} for name in ("systems", "references"))
    with (DEMO / "documents.tsv").open(encoding="utf-8", newline="") as file:
        documents = [row["document"] for row in csv.DictReader(file, delimiter="\t")]
    n, judges = Counter(row["criterion"] for row in rows), {row["judge"] for row in rows}
    assert n["adequacy"] == n["fluency"]

    where = f"with {len(systems)} systems, {len(documents)} segments (in {len(set(documents))} documents)"
    assert (
        f"on the simulated corpus demo (Demonstration corpus, small, shaped like mtc-chinese; simulated) {where}"
        in text
    )
    assert f"and {len(references)} references. " in text
    assert f"rest on {n['adequacy']:,} judgments each of adequacy and fluency by {len(judges)} judges; " in text
    assert (
        "the score of an output is the mean of its judgments, and that of a system the mean over its segments" in text
    )
    # 3 * 2 / 2 pairs, and 2 rivals of each metric.
    assert "over the 3 pairs of metrics for each criterion" in text
    assert "with p multiplied by 2, the number of its rivals" in text
    assert "60 bootstrap replicates, in each of which whole documents are drawn with replacement" in text
    assert f"metaeval {VERSION} (The metaeval developers, 2026)" in text
    assert text.endswith("the random seed is 1.")


def same(candidate, references):
    return 1.0


def test_a_metric_without_a_coefficient_is_no_rival():
    with pytest.warns(metaeval.MetaevalWarning):
        found = metaeval.compare("demo", ["bleu", "ter", "chrf", same], criteria=["adequacy"], n_resamples=60)
    # Equal scores have no correlation: 3 * 2 / 2 pairs of the three others, and 2 rivals of each.
    text = paragraph(found.results)
    assert "over the 3 pairs of metrics" in text
    assert "with p multiplied by 2, the number of its rivals" in text
    # At the level of systems there are no documents that one metric has a coefficient on and another has not.
    assert not any("on the documents where both have a coefficient" in note for note in found.notes)


def test_without_intervals_no_metrics_are_equal_by_their_intervals(tmp_path):
    two = "segment\tdocument\n" + "".join(f"{number}\t{(number + 1) // 2}\n" for number in range(1, 5))
    corpus = write(tmp_path, documents=two)
    with pytest.warns(metaeval.MetaevalWarning):
        found = metaeval.compare(corpus, ["bleu(order=1)", "ter"], n_resamples=60, ceiling=0)
    # Two documents are too few for intervals and tests.
    text = paragraph(found.results)
    assert "There are no confidence intervals: " in text
    assert "equal to the best" not in text
    assert "Lin and Och" not in text


def test_metrics_whose_names_have_commas_are_in_quotes():
    found = metaeval.compare("demo", ['bleu(length="shortest")', "ter", "chrf"], criteria=["adequacy"], n_resamples=60)
    assert 'for "BLEU, shortest reference" and TER, texts keep their case' in paragraph(found.results)


def test_it_says_what_the_metrics_were_given(compared):
    text = paragraph(compared.results)
    assert (
        "The metrics are BLEU (Papineni et al., 2002), chrF (Popović, 2015; Post, 2018) and TER (Snover et al., 2006); "
        in text
    )
    # chrF takes characters of the text, which no tokenizer has cut.
    assert "for BLEU and TER, texts keep their case and are tokenized by 13a" in text
    assert "chrF reads texts as they are; outputs are compared with all 4 references together" in text
    assert methods_of(compared.results.data).signatures.keys() == {"BLEU", "chrF", "TER"}


@pytest.mark.parametrize("config", [TASKS, PANELS, "turian2003-chinese"], ids=["tasks", "panels", "turian2003"])
def test_live_and_loaded_are_the_same(config, tmp_path):
    quick = [] if isinstance(config, dict) else ["documents.count=20", "documents.lengths=[2, 5]"]
    quick += [] if isinstance(config, dict) else ["uncertainty.n_resamples=50"]
    found = metaeval.run(config, corpora=["demo"], overrides=quick, output=tmp_path / "run")
    loaded = metaeval.load_run(tmp_path / "run")
    assert paragraph(found) == paragraph(loaded)
    for kind, name in {"latex": "methods.tex", "bibtex": "methods.bib"}.items():
        assert found.methods(kind) == loaded.methods(kind) == (tmp_path / "run" / name).read_text(encoding="utf-8")


def test_what_is_compared_without_a_directory_and_with_one_is_the_same(compared, tmp_path):
    metaeval.compare("demo", ["bleu", "chrf", "ter"], n_resamples=60, output=tmp_path / "run")
    assert metaeval.load_run(tmp_path / "run").methods() == compared.methods() == compared.results.methods()


def test_each_level_is_said_once_and_what_is_alike_is_not_repeated():
    found = metaeval.compare(
        "demo", ["bleu", "ter"], criteria=["adequacy"], level=["system", "segment", "documents(length=3,count=20)"],
        n_resamples=60,
    )  # fmt: skip
    text = paragraph(found.results)
    assert "At the level of whole systems, agreement is measured by Pearson's correlation coefficient between" in text
    assert "Agreement is measured by acc_eq, the pairwise accuracy with tie calibration (Kocmi et al., 2021; " in text
    assert "averaged over the 120 single segments. " in text
    assert "We draw 20 pseudo-documents of 3 segments at random, without replacement within a document (Turian " in text
    assert "For pseudo-documents, these intervals reach" in text
    # The three panels compare alike, by other tests; of one pair no p-value is corrected.
    assert text.count("The two metrics are compared, two-sided at a significance level of 0.05. ") == 1
    assert "Holm" not in text
    assert text.count("these comparisons are made by") == 3
    assert text.count("are for these systems on other test sets of this size") == 1
    assert text.count("half of the real documents are drawn without replacement") == 1


def test_panels_that_differ_are_named(tmp_path):
    found = metaeval.run(PANELS, output=tmp_path / "run")
    text = paragraph(found)
    cased, stemmed = (
        "keep their case and are split at white space",
        "are lower-cased, split at white space, and stemmed",
    )
    assert f"texts in 2 variants {cased}, or {stemmed} (Porter, 1980); " in text
    assert "snowballstemmer" in text
    assert "sacreBLEU" not in text
    assert text.count("The 95 % confidence intervals are for these systems on other test sets of this size. ") == 1
    assert 'For "100 % cased", these intervals reach, on Fisher' in text
    assert 'For "stems", these intervals are percentiles of 60 bootstrap replicates' in text
    assert r"For \char34{}100 \% cased\char34{}, these" in found.methods("latex")


def test_coefficients_at_one_level_are_told_apart():
    """Soft accuracy takes scores of segments, but compares whole systems, and has no ceiling."""
    found = metaeval.compare(
        "demo", ["bleu", "ter"], criteria=["adequacy"], coefficient=["spa", "kendall"], n_resamples=60
    )
    text = paragraph(found.results)
    assert text.count("At the level of whole systems, agreement is measured by ") == 2
    assert "For whole systems by Kendall's tau-b, the noise ceiling is" in text
    # Neither is stretched by Fisher's transformation.
    assert "Fisher" not in text


@pytest.mark.parametrize(
    ("references", "words"),
    [
        # Of 4 references there are 4 subsets of 1 and of 3, 6 of 2, and one of all.
        (
            {"subsets": "random", "sizes": [1, 2, 3, 4], "count": 4},
            "all subsets of 1 and 3, and 4 random subsets of 2 of the 4 references, which take turns from document to "
            "document, and all 4 references together. ",
        ),
        (
            {"subsets": "every", "sizes": [2]},
            "all 6 subsets of 2 of the 4 references, which take turns from document to document. ",
        ),
        ({"subsets": ["ref1", "ref2", "ref1+ref2"]}, "each of 3 subsets of 1 and 2 of the 4 references. "),
    ],
)
def test_subsets_of_references_are_described_by_their_sizes(references, words):
    found = metaeval.correlate("demo", ["ter"], criteria=["adequacy"], references=references, tests=[])
    assert f"outputs are compared with {words}" in paragraph(found)


def test_subsets_of_references_are_counted():
    found = metaeval.correlate("demo", ["ter", "wer"], criteria=["adequacy"], references={"subsets": "each"}, tests=[])
    text = paragraph(found)
    assert "outputs are compared with each of 4 subsets of 1 of the 4 references. " in text
    # The tokenizer is cited for the first of the metrics' texts alone.
    assert text.count("National Institute of Standards and Technology") == 1


def test_nothing_is_said_that_was_not_done():
    found = metaeval.correlate("demo", ["wer"], tests=[], uncertainty={"method": "none"}, criteria=["adequacy"])
    text = paragraph(found)
    assert "We measure the agreement of a metric with human judgments" in text
    assert "The metric is WER (Nießen et al., 2000; Levenshtein, 1966)" in text
    for word in (
        "interval",
        "replicates",
        "Every two",
        "Holm",
        "worse than the best",
        "cluster",
        "ceiling",
        "sacreBLEU ",
    ):
        assert word not in text.removesuffix(".").replace("sacreBLEU 2", ""), word
    assert {source.key for source in methods_of(found.data).sources} == {
        *("corpus-demo", "niessen2000", "levenshtein1966", "mteval", "post2018", "spearman1904", OWN)
    }


def test_without_tests_the_best_is_found_by_intervals():
    found = metaeval.correlate(
        "demo", ["wer", "bleu"], tests=[], criteria=["adequacy"], uncertainty={"n_resamples": 60}
    )
    text = paragraph(found)
    assert "equal to the best where their confidence intervals overlap (Lin and Och, 2004). " in text
    assert "significantly" not in text


def test_judgments_that_are_incomplete_are_counted(tmp_path):
    """The tiny corpus: 3 systems, 4 segments, 2 judges; the adequacy of A's second segment is taken away."""
    rows = [row for row in judgments() if not (row.startswith("2\tA\t") and "adequacy" in row)]
    corpus = write(tmp_path / "tiny", judgments="\n".join(rows) + "\n")
    found = metaeval.correlate(corpus, ["wer"], criteria=["adequacy"], preprocessing=["case"])
    text = paragraph(found)
    # 3 * 4 * 2 - 2, and 3 * 4 - 1.
    assert "Human scores rest on 22 judgments of adequacy by 2 judges; " in text
    assert (
        "that of a system the mean over its judged segments; 11 of 12 outputs were judged; metrics score all segments"
        in text
    )
    # Of four segments, one lacks the second reference.
    assert "outputs are compared with all 2 references together (1.75 for a segment on average). " in text
    # 3 / (1 / 3 + 1 / 4 + 1 / 4) = 3.6.
    few = "it needs at least 10 segments, and a system was judged on 3.6 on average"
    assert f"There are no confidence intervals: {few}. " in text

    found = metaeval.correlate(corpus, ["wer"], criteria=["adequacy"], judgments={"require": "all", "rule": "median"})
    text = paragraph(found)
    assert "with 3 systems, 3 of its 4 segments and 2 references" in text
    # Those of B and C on the second segment are not used: 22 - 2 * 2.
    assert "Human scores rest on 18 judgments of adequacy by 2 judges; " in text
    assert "is the median of its judgments" in text
    assert "segments that lack a judgment of some system, a reference or an output are left out" in text


def test_a_single_name_of_a_judge_is_no_judge(tmp_path):
    """A table without judges has all scores under one name, which may stand for many people."""
    rows = [row for row in judgments() if "\tbob\t" not in row]
    corpus = write(tmp_path / "tiny", judgments="\n".join(rows) + "\n")
    text = paragraph(metaeval.correlate(corpus, ["wer"]))
    assert "rest on 12 judgments each of adequacy and errors (the data name a single judge); " in text
    assert "the score of an output is its judgment, and that of a system the mean over its segments" in text


def test_slots_are_not_called_judges_and_a_choice_of_them_is_said(tmp_path):
    groups = '[[judge_groups]]\nname = "crowd"\njudges = ["ann", "bob"]\npersons = false\n'
    corpus = write(tmp_path / "tiny", corpus=TOML + groups)
    text = paragraph(metaeval.correlate(corpus, ["wer"], judgments={"judges": "crowd"}))
    assert (
        "24 judgments each of adequacy and errors in 2 slots, each filled by different judges (chosen: crowd); " in text
    )


def test_what_a_filter_leaves_out_is_said():
    found = metaeval.correlate("demo", ["wer"], criteria=["adequacy"], filter={"without": ["sys1", "sys2"]})
    text = paragraph(found)
    assert "By the rule without = sys1, sys2, we leave out 2 of 8 systems (sys1, sys2). " in text
    assert "with 6 systems, " in text


def test_labels_are_the_user_s():
    found = metaeval.compare(
        "demo", ["bleu", "ter"], criteria=["adequacy"], labels={"bleu": "Bleu & Co", "adequacy": "50 % meaning"},
        n_resamples=60,
    )  # fmt: skip
    assert "The metrics are Bleu & Co (Papineni et al., 2002) and TER" in paragraph(found.results)
    assert "judgments of 50 % meaning by" in paragraph(found.results)
    assert r"Bleu \& Co~\citep{papineni2002}" in found.methods("latex")
    assert r"50 \% meaning" in found.methods("latex")


def test_scores_of_others_and_metrics_of_the_user(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "def same(candidate, references):\n    return float(candidate in references)\n\n\n"
        "same.title = 'Same'\nsame.sources = ('Doe (2024): Equality.',)\n"
    )
    lines = [f"{system}\t{segment}\t{segment / 10}" for system in ("A", "B", "C") for segment in range(1, 5)]
    (tmp_path / "theirs.tsv").write_text("system\tsegment\tscore\n" + "\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    corpus = write(tmp_path / "tiny")
    found = metaeval.correlate(corpus, ["mine.py:same", "scores:theirs.tsv"], criteria=["adequacy"])
    text = paragraph(found)
    assert "Same reads texts as they are; the scores of theirs were computed beforehand" in text
    assert "(Doe (2024): Equality.)" in text
    assert "doe-2024-equality" in found.methods("latex")
    assert r"Doe (2024): Equality" in found.methods("bibtex")


def test_tasks(tmp_path):
    text = paragraph(metaeval.run(TASKS, output=tmp_path / "run"))
    assert (
        "Metrics are compared in 2 tasks: Pearson's correlation coefficient of whole systems on demo (weight 0.5)"
        in text
    )
    assert "within single segments, averaged over these, on demo (weight 0.5). " in text
    assert (
        "a one-sided permutation test with 60 random exchanges of single scores, at p <= 0.05 and without correction"
        in text
    )
    assert "of correlations r as (r + 1) / 2" in text


def test_every_source_is_in_the_bibliography(compared, tmp_path):
    runs = [compared.results, metaeval.run(TASKS, output=tmp_path / "run")]
    for found in runs:
        cited = set(re.findall(r"\\citep\{(.+?)\}", found.methods("latex")))
        keys = {key for one in cited for key in one.split(",")}
        assert keys - {"corpus-demo"} <= set(bibliography())
        assert keys == set(re.findall(r"^@\w+\{(.+),$", found.methods("bibtex"), re.MULTILINE))


def test_metaeval_cite_has_all_that_the_paragraph_cites(tmp_path):
    found = metaeval.run(TASKS, output=tmp_path / "run")
    cited = re.findall(r"^@\w+\{(.+),$", metaeval.cite([str(tmp_path / "run")], form="bibtex"), re.MULTILINE)
    assert {source.key for source in methods_of(found.data).sources} <= {*cited}
    assert len({*cited}) == len(cited)


def test_sources_of_one_author_and_year_have_letters():
    """Mathur, Baldwin and Cohn (2020), and Mathur, Wei, Freitag, Ma and Bojar (2020)."""
    one, other = find_source("mathur2020"), find_source("mathur2020-wmt")
    found = Methods((("as said", Cited((one, other))),), {})
    assert found.paragraph == "As said (Mathur et al., 2020a; Mathur et al., 2020b)."
    first, second = found.references
    assert first.endswith(" [Mathur et al., 2020a]")
    assert second.endswith(" [Mathur et al., 2020b]")


@pytest.mark.parametrize(
    ("authors", "year", "cited"),
    [
        (("Doe, Jo",), 2024, "Doe, 2024"),
        (("Doe, Jo", "Roe, Al"), 2024, "Doe and Roe, 2024"),
        (("Doe, Jo", "Roe, Al", "Poe, Ed"), 2024, "Doe et al., 2024"),
        (("A Group",), None, "A Group"),
        ((), None, "A title"),
    ],
)
def test_author_and_year(authors, year, cited):
    source = Source(authors=authors, year=year, title="A title")
    assert source.cited_as == cited
    assert ("key = {A title}" in source.bibtex("x")) == (not authors)


def test_every_interval_test_and_coefficient_has_words_for_a_paper():
    pearson, accuracy = COEFFICIENTS.named("pearson"), COEFFICIENTS.named("pairwise-accuracy")
    replicates = replicates_in_words(2000, "segments+systems", DOCUMENTS["all"](), denoised=False)
    assert replicates == "2,000 bootstrap replicates, in each of which segments and systems are drawn with replacement"
    said = {
        f"{name}, {coefficient.name}, {documents}": kind.described(
            "REPLICATES", "segments", DOCUMENTS[documents](), coefficient
        )
        for name in INTERVALS
        if not (kind := INTERVALS[name]()).is_none
        for coefficient in (pearson, accuracy)
        for documents in DOCUMENTS
    }
    said |= {
        f"{name}, {axis}, {coefficient.name}, {documents}": TESTS.named(name).described(
            "REPLICATES", "segments", axis, DOCUMENTS[documents](), coefficient
        )
        for name in TESTS
        for axis in TESTS[name].axes
        for coefficient in (pearson, accuracy)
        for documents in DOCUMENTS
    }
    for where, text in said.items():
        assert "this method" not in text, where
        assert not text.startswith("the test "), where
        assert not any(word in text for word in INTERNAL), where
    # Pairwise accuracy is not stretched.
    assert "Fisher" in said["denoised, replicates, pearson, all"]
    assert "Fisher" not in said["denoised, replicates, pairwise-accuracy, all"]
    names = [kind().described for kind in COEFFICIENTS.values()]
    assert len({*names}) == len(names)
    assert COEFFICIENTS.named('kendall(variant="wmt14")').described == "the variant of Kendall's tau of WMT 2014"
    assert COEFFICIENTS.named("spa").described == "soft pairwise accuracy with 1,000 permutations"


def test_latex_is_that_of_natbib(compared, tmp_path):
    text = compared.methods("latex")
    assert balance(text) == 0
    lines = [line for line in text.split("\n") if not line.startswith("%")]
    # Nothing behind it is a comment.
    assert all(re.search(r"(?<!\\)%", line) is None for line in lines)
    assert r"95 \% confidence intervals" in text
    assert r"BLEU: \texttt{BLEU\textbar\allowbreak{}order:4" in text
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")
    (tmp_path / "methods.bib").write_text(compared.methods("bibtex"), encoding="utf-8")
    head = "\\documentclass{article}\n\\usepackage{natbib}\n\\begin{document}\n"
    end = "\\bibliographystyle{plainnat}\n\\bibliography{methods}\n\\end{document}\n"
    (tmp_path / "paper.tex").write_text(f"{head}{text}\n{end}", encoding="utf-8")
    for command in (["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"], ["bibtex", "paper"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


def test_other_kinds_are_refused(compared):
    with pytest.raises(UsageError, match="kind"):
        compared.methods("html")


def test_a_run_that_says_nothing_of_itself_gives_what_its_rows_say():
    run = many_tasks(3, 2)
    assert (
        "Metrics are compared in 2 tasks: pearson of whole systems on en-c0 (weight 0.5); and"
        in methods_of(run).paragraph
    )
    run.facts = {}
    assert "computed with" not in methods_of(run).paragraph
    assert methods_of(run_of(facts={})).paragraph == ""


def test_a_run_of_an_earlier_version_has_no_settings(tmp_path):
    metaeval.compare("demo", ["wer"], n_resamples=60, output=tmp_path / "run")
    run = replace(read_run(tmp_path / "run"), settings=[])
    text = methods_of(run).paragraph
    assert "judgments by" not in text
    assert "Pearson's correlation coefficient" in text


def test_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    output = str(tmp_path / "run")
    command = ["compare", "--corpus", "demo", "-m", "bleu", "ter", "--criterion", "adequacy", "--resamples", "60"]
    assert main([*command, "--output", output, "--methods", "--quiet"]) == 0
    shown = capsys.readouterr().out
    at = shown.index("We measure the agreement of 2 metrics with human judgments")
    assert shown.index("below the best") < at < shown.index("\nReferences:\n  ") < shown.index("Tables and figures")
    text = shown[at:].partition("\n\n")[0]
    assert max(map(len, text.split("\n"))) <= 80
    assert " ".join(text.split("\n")) == methods_of(read_run(Path(output))).paragraph

    assert main(["report", output, "--methods"]) == 0
    assert text in capsys.readouterr().out
    assert main([*command, "--methods", "--format", "latex", "--quiet"]) == 0
    assert r"\citep{papineni2002}" in capsys.readouterr().out
    assert main([*command, "--methods", "--format", "tsv", "--quiet"]) != 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "--methods prints a paragraph for readers, and --format tsv a table for programs" in told.err


def test_page(tmp_path):
    found = metaeval.run(PANELS, output=tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    before, _, section = page.partition('<section id="methods"')
    assert before
    section = section.partition("</section>")[0]
    assert "We measure the agreement of 2 metrics with human judgments on the simulated corpus demo" in section
    assert section.count("<li>") == len(methods_of(found.data).sources)


def test_good_systems_are_named():
    found = metaeval.compare("demo", ["bleu", "ter"], criteria=["adequacy"], bands=(6, 5), n_resamples=60)
    assert (
        "Coefficients are also taken among the best 6 and 5 systems by human judgments (Mathur et al., 2020); what "
        "counts is chosen once, by the human scores of the data, and is the same in every replicate; p-values of pairs "
        "of metrics are corrected for all pairs in all of these (Holm)."
    ) in paragraph(found.results)
    near = metaeval.compare(
        "demo", ["bleu"], criteria=["adequacy"], coefficient="pairwise-accuracy", pairs_within=0.2, n_resamples=60
    )
    assert "on the pairs of systems whose human scores differ by at most 0.2; what counts" in paragraph(near.results)


def test_a_task_is_called_by_its_corpora_level_and_coefficient():
    """The title that a run gives it has the names of settings; a title of the user stands in quotes."""
    titles = {"en-de, segment, kendall, item": "segment", "en-de, system, pearson": "system"}
    rows = [
        correlation(0.5, panel=title, coefficient=title.split(", ")[2], metric="bleu", corpus="c") for title in titles
    ]
    tasks = [
        task_score(title, "bleu", 0.5, corpora="en-de", level=level, coefficient=title.split(", ")[2])
        for title, level in titles.items()
    ]
    words = ["en-de at the segment level by Kendall across systems", "en-de at the system level by Pearson"]
    assert [*DescribedRun(run_of(*rows, tasks=tasks)).panel_words.values()] == words
    given = [replace(task, variant=task.task) for task in tasks]
    assert [*DescribedRun(run_of(*rows, tasks=given)).panel_words.values()] == [f'"{title}"' for title in titles]
