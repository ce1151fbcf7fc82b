"""Run an experiment: compute it, and write its directory."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metaeval.bibliography import find_source
from metaeval.experiments import directory as run_directory
from metaeval.experiments.claims import judge_claims
from metaeval.experiments.compute import Computed
from metaeval.experiments.disagreements import DISAGREEMENTS, write_disagreements
from metaeval.experiments.examples import check_examples
from metaeval.experiments.figures import draw_figures
from metaeval.experiments.load import LoadedConfig
from metaeval.experiments.panels import compute_panels
from metaeval.experiments.published import beside_published, read_published
from metaeval.experiments.report import write_report
from metaeval.experiments.results import Results, fields_of
from metaeval.experiments.scores import write_scores
from metaeval.progress import Progress, silent
from metaeval.report.beside_paper import tables_beside_paper
from metaeval.report.paper import numbers_tex, tables_latex, tables_markdown
from metaeval.report.summary import summary_tables
from metaeval.report.tables import tsv
from metaeval.version import VERSION

_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "sacrebleu", "snowballstemmer")


@dataclass(frozen=True, eq=False, repr=False)
class Run(Results):
    """A finished run, which lies in a directory; it has all that :class:`Results` have.

    Attributes
    ----------
    directory : Path
        Where everything was written.
    """

    directory: Path

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, directory={str(self.directory)!r})"


def run_experiment(config: LoadedConfig, output: Path, *, jobs: int = 1, progress: Progress = silent) -> Run:
    """Run an experiment and write its directory.

    Parameters
    ----------
    config : LoadedConfig
        What to run.
    output : Path
        The directory of the run; an earlier run there is replaced when this one is complete.
    jobs : int
        How many measure or resample at once; the results are the same bits for any number.
    progress : callable
        Told a :class:`~metaeval.progress.Step` at the beginning of each stage and as its work is done.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    """
    started = datetime.now(UTC)
    run_directory.check_output(output)
    printed = config.printed
    published = read_published(Path(printed.published)) if printed.published else None
    examples = check_examples(printed.examples)
    computed = compute_panels(config.panels, jobs=jobs, progress=progress)
    if printed.claims or printed.examples or published is not None:
        with computed.stage("judge", progress, "what the paper says"):
            level = config.experiment.uncertainty.confidence_level
            computed.claims.extend(
                judge_claims(printed.claims, computed, confidence_level=level, read_as=printed.names)
            )
            computed.examples.extend(examples)
            if published is not None:
                rows, messages = beside_published(
                    [replace(one, criterion=printed.names.get(one.criterion, one.criterion)) for one in published],
                    computed.related.correlations,
                )
                computed.published.extend(rows)
                computed.warnings.extend(messages)
    with run_directory.new_run(output) as partial:
        with computed.stage("show", progress, "tables and figures") as tally:
            _write_tables(partial, config, computed)
            write_disagreements(partial / DISAGREEMENTS, config.panels, computed)
            draw_figures(config.panels, computed, partial, tally)
        manifest = partial / run_directory.MANIFEST
        run_directory.write_manifest(manifest, _manifest(config, computed, started, jobs))
        with computed.stage("report", progress, "the page of all that was found"):
            write_report(partial)
        # Again, with the time that the page took, which the page itself does not show.
        run_directory.write_manifest(manifest, _manifest(config, computed, started, jobs))
    return Run(**fields_of(computed), directory=output)


def _write_tables(partial: Path, config: LoadedConfig, computed: Computed) -> None:
    run_directory.write_config(partial / "config.toml", config.content)
    for name, rows in computed.tables.items():
        if rows:
            (partial / f"{name}.tsv").write_text(tsv(rows), encoding="utf-8")
    with (partial / "scores.tsv").open("w", encoding="utf-8", newline="\n") as file:
        write_scores(computed.blocks, file)
    found = summary_tables(pd.DataFrame(computed.related.correlations), pd.DataFrame(computed.related.rankings))
    found += tables_beside_paper(computed.claims, computed.examples, computed.published)
    for_papers = {
        "tables.md": tables_markdown(found),
        "tables.tex": tables_latex(found),
        "numbers.tex": numbers_tex(computed.related.correlations),
    }
    for name, text in for_papers.items():
        (partial / name).write_text(text, encoding="utf-8")
    run_directory.write_arrays(partial / "documents.npz", computed.related.arrays)
    run_directory.write_manifest(partial / run_directory.INDEX, {"arrays": computed.related.index})


def _manifest(config: LoadedConfig, results: Computed, started: datetime, jobs: int) -> dict[str, Any]:
    return {
        "config": config.name,
        "title": config.experiment.title,
        **({"source": str(find_source(config.experiment.source))} if config.experiment.source else {}),
        "seed": config.experiment.seed,
        "metaeval": VERSION,
        "python": platform.python_version(),
        "packages": {name: importlib.metadata.version(name) for name in _PACKAGES},
        "numpy_bit_generator": type(np.random.PCG64()).__name__,
        "corpora": results.corpora,
        "warnings": results.warnings,
        "started": started.isoformat(timespec="seconds"),
        "jobs": jobs,
        "seconds": {name: round(value, 3) for name, value in results.seconds.items()},
    }
