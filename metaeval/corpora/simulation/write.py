"""Simulated corpora are written segment by segment, so that memory does not grow with their size."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, TextIO

import tomli_w

from metaeval.corpora.checksums import write_checksums
from metaeval.corpora.directories import whole_directory
from metaeval.corpora.simulation.judges import Judge, grade, make_judge, normal, perceived
from metaeval.corpora.simulation.meanings import Meaning, draw_meaning
from metaeval.corpora.simulation.presets import Lengths, Preset
from metaeval.corpora.simulation.sentences import Writer, as_text
from metaeval.corpora.simulation.source import say_source
from metaeval.corpora.simulation.systems import translate
from metaeval.datamodel.pooling import ordered_sum
from metaeval.runtime.progress import Progress, Step, Tally, silent
from metaeval.runtime.randomness import uniform_stream
from metaeval.scipy_parts import special

# Synthetic metrics: name, the latent quality they follow, and their correlation with it over items. The two of .40 are
# equal by construction, and .55 is better by .15.
SYNTHETIC = tuple(
    (f"{criterion}-{name}", criterion, correlation)
    for criterion in ("adequacy", "fluency")
    for name, correlation in (("0.40-a", 0.40), ("0.40-b", 0.40), ("0.55", 0.55))
)
Summary = tuple[float, float, int, int]
# Who judges a system against which reference, for each system.
Panel = list[list[tuple[Judge, str]]]
_HABIT = 0.0  # references choose freely among words; systems have their favourites


def simulate(
    preset: Preset, directory: Path, seed: int, progress: Progress = silent, *, checksums: bool = False
) -> dict[str, Summary]:
    """Write a simulated corpus; the directory is there only when the corpus is whole.

    Parameters
    ----------
    preset : Preset
    directory : Path
        A directory that does not exist yet, or is empty.
    seed : int
        The same seed gives the same bytes. A text depends on the seed, its segment and its writer alone.
    progress : callable
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning, and as segments are made.
    checksums : bool
        Whether a list of the files and their SHA-256 is written too, as for the cache.

    Returns
    -------
    dict of str to (mean, s.d., shortest, longest)
        Lengths in words of ``references`` and ``candidates``.

    Raises
    ------
    UsageError
        If the directory holds something, or cannot be written.
    """
    with whole_directory(directory) as partial:
        lengths = _Simulation(preset, partial, seed).write(progress)
        if checksums:
            write_checksums(partial)
        return lengths


class _Simulation:
    """Writes one corpus into a directory that exists."""

    def __init__(self, preset: Preset, directory: Path, seed: int) -> None:
        self.preset, self.directory, self.seed = preset, directory, seed
        self.systems = preset.make_systems()
        self.judges = [
            make_judge(uniform_stream(seed, "judge", number), f"judge{number + 1:02d}", preset.noise)
            for number in range(preset.judges)
        ]
        # The qualities of each text, system by system.
        self.latent = {name: [array("d") for _ in self.systems] for name in ("adequacy", "fluency")}

    def write(self, progress: Progress) -> dict[str, Summary]:
        """Write all files, and return the lengths of texts."""
        preset, directory, seed = self.preset, self.directory, self.seed
        step = Step("simulate", f"{preset.segments} segments, {preset.systems} systems")
        progress(step)
        tally = Tally(progress, step, preset.segments)
        for folder in ("systems", "references", "metrics"):
            (directory / folder).mkdir(parents=True, exist_ok=True)
        lengths = {"references": array("L"), "candidates": array("L")}
        with ExitStack() as stack:

            def opened(name: str) -> TextIO:
                return stack.enter_context((directory / name).open("w", encoding="utf-8", newline="\n"))

            reference_files = [opened(f"references/ref{number + 1}.txt") for number in range(preset.references)]
            system_files = [opened(f"systems/{system.name}.txt") for system in self.systems]
            judgments, documents, source = map(opened, ("judgments.tsv", "documents.tsv", "source.txt"))
            judgments.write("segment\tsystem\tjudge\tcriterion\tscore\treference\n")
            documents.write("segment\tdocument\n")
            plan = self._document_plans()
            for segment in range(preset.segments):
                document, panel = next(plan)
                documents.write(f"{segment + 1}\tdoc{document + 1:04d}\n")
                meaning, difficulty = draw_segment(preset.lengths, seed, segment)
                source.write(say_source(uniform_stream(seed, "source", segment), meaning) + "\n")
                for number, file in enumerate(reference_files):
                    writer = Writer(uniform_stream(seed, "reference", number, segment), _HABIT)
                    tokens = [token for part in writer.say(meaning) for token in part]
                    text = as_text(tokens, stop=meaning.fragment is None)
                    file.write(text[:1].upper() + text[1:] + "\n")
                    lengths["references"].append(len(text.split()))
                for number, (system, file) in enumerate(zip(self.systems, system_files, strict=True)):
                    rng = uniform_stream(seed, "system", system.name, segment)
                    text, *latent = translate(rng, meaning, system, difficulty)
                    file.write(text + "\n")
                    lengths["candidates"].append(len(text.split()))
                    for of_systems, quality in zip(self.latent.values(), latent, strict=True):
                        of_systems[number].append(quality)
                    seen = perceived(*latent)
                    qualities = seen if len(preset.criteria) == 2 else (0.6 * seen[0] + 0.4 * seen[1],)
                    for judge, reference in panel[number]:
                        rng = uniform_stream(seed, "grade", judge.name, system.name, segment)
                        for criterion, quality in zip(preset.criteria, qualities, strict=True):
                            score = grade(rng, judge, quality)
                            row = (segment + 1, system.name, judge.name, criterion, score, reference)
                            judgments.write("\t".join(map(str, row)) + "\n")
                tally.add()
        for name, criterion, correlation in SYNTHETIC:
            self._write_synthetic(name, self.latent[criterion], correlation)
        described = describe_simulation(preset, seed)
        for name, content in (("truth.toml", self._truth()), ("corpus.toml", described)):
            (directory / name).write_text(tomli_w.dumps(content), encoding="utf-8")
        return {name: _summary(n_words) for name, n_words in lengths.items()}

    def _document_plans(self) -> Iterator[tuple[int, Panel]]:
        """Give, for each segment, the number of its document and who judges each system against which reference.

        One panel serves a whole document. Where not all judge everything, the systems take turns through the judges in
        an order drawn for the document, so that nobody judges all systems.
        """
        preset, judges = self.preset, self.judges
        for document in count():
            rng = uniform_stream(self.seed, "document", document)
            size = 1 if preset.document_length == 1 else 1 + int(rng.random() * (2 * preset.document_length - 1))
            order = sorted(judges, key=lambda _, rng=rng: rng.random())  # type: ignore[misc]
            slot = 0
            panel = []
            fewest, most = preset.judgments
            for _ in range(preset.systems):
                n = fewest + int(rng.random() * (most - fewest + 1))
                chosen = [order[(slot + step) % len(judges)] for step in range(n)]
                slot += n
                chosen.sort(key=lambda judge: judge.name)
                panel.append([(judge, f"ref{1 + int(rng.random() * preset.references)}") for judge in chosen])
            yield from [(document, panel)] * size

    def _write_synthetic(self, name: str, latent: Sequence[array[float]], correlation: float) -> None:
        """Write a metric of known quality: r times the standardised latent quality, and noise for the rest."""
        n = sum(map(len, latent))
        mean = ordered_sum(map(ordered_sum, latent)) / n
        sd = (ordered_sum((x - mean) ** 2 for column in latent for x in column) / n) ** 0.5
        rest = (1.0 - correlation**2) ** 0.5
        with (self.directory / "metrics" / f"{name}.tsv").open("w", encoding="utf-8", newline="\n") as file:
            file.write("system\tsegment\tscore\n")
            for system, column in zip(self.systems, latent, strict=True):
                rng = uniform_stream(self.seed, "metric", name, system.name)
                for segment, quality in enumerate(column, start=1):
                    standard = (quality - mean) / sd if sd else 0.0
                    file.write(f"{system.name}\t{segment}\t{correlation * standard + rest * normal(rng):.6f}\n")

    def _truth(self) -> dict[str, object]:
        """Return the content of truth.toml."""
        preset = self.preset
        means = {
            f"latent_{name}": [ordered_sum(qualities) / len(qualities) for qualities in of_systems]
            for name, of_systems in self.latent.items()
        }
        systems = [
            {"name": system.name, "meaning_rate": system.meaning_rate, "form_rate": system.form_rate}
            | {name: of_systems[number] for name, of_systems in means.items()}
            for number, system in enumerate(self.systems)
        ]
        metrics = [
            {"name": name, "file": f"metrics/{name}.tsv", "follows": criterion, "correlation": correlation}
            for name, criterion, correlation in SYNTHETIC
        ]
        judges = [asdict(judge) for judge in self.judges]
        return {"preset": preset.name, "seed": self.seed, "systems": systems, "judges": judges, "metrics": metrics}


def draw_segment(lengths: Lengths, seed: int, segment: int) -> tuple[Meaning, float]:
    """Return the meaning of a segment and its difficulty, which is 1 on average."""
    rng = uniform_stream(seed, "segment", segment)
    shape = (lengths.mean / lengths.sd) ** 2
    drawn = float(special.gammaincinv(shape, rng.random())) * lengths.mean / shape
    wanted = max(lengths.shortest, min(lengths.longest, round(drawn)))
    # A lognormal number of mean 1.
    difficulty = 2.718281828459045 ** (0.5 * normal(rng) - 0.125)
    return draw_meaning(rng, wanted), difficulty


def _summary(lengths: Sequence[int]) -> Summary:
    """Return mean, standard deviation and extremes."""
    n = len(lengths)
    mean = sum(lengths) / n
    squares = sum(length * length for length in lengths)
    return mean, max(0.0, squares / n - mean * mean) ** 0.5, min(lengths), max(lengths)


def describe_simulation(preset: Preset, seed: int) -> dict[str, Any]:
    """Return the content of the corpus.toml of a simulated corpus."""
    return {
        "name": preset.name,
        "title": f"{preset.title}; simulated",
        "language": "en",
        "source_language": "art",
        "license": "MIT, as metaeval itself",
        "source": f"metaeval corpus simulate {preset.name} --seed {seed}",
        "notes": (
            "Simulated from the first word to the last judgment; no evidence about any claim or metric. A segment is a "
            "meaning; the source says it in an invented language, references say it in English, systems damage it and "
            "its form at the rates in truth.toml, judges grade the damage through severity, spread and noise. metrics/ "
            "holds synthetic metrics of known quality."
        ),
        "criteria": [{"name": name, "low": 1, "high": 5, "direction": "higher"} for name in preset.criteria],
    }
