"""Run an experiment: compute it, and write its directory."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from metaeval.bibliography import find_source
from metaeval.experiments import directory as run_directory
from metaeval.experiments.compute import Computed, compute_experiment
from metaeval.experiments.config import LoadedConfig
from metaeval.experiments.figures import draw_figures
from metaeval.experiments.results import Results
from metaeval.report.tables import tsv
from metaeval.version import VERSION

_PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "joblib", "sacrebleu", "snowballstemmer")


@dataclass(frozen=True)
class Run(Results):
    """A finished run, which lies in a directory.

    Attributes
    ----------
    directory : Path
        Where everything was written.
    """

    directory: Path


def run_experiment(
    config: LoadedConfig, output: Path, *, jobs: int = 1, progress: Callable[[str], None] = lambda line: None
) -> Run:
    """Run an experiment and write its directory.

    Parameters
    ----------
    config : LoadedConfig
    output : Path
        The directory of the run; an earlier run there is replaced when this one is complete.
    jobs : int
        How many measure or resample at once; the results are the same bits for any number.
    progress : callable
        Told a line at the beginning of each stage.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    """
    experiment = config.experiment
    started = datetime.now(UTC)
    run_directory.check_output(output)
    computed = compute_experiment(experiment, jobs=jobs, progress=progress)
    with run_directory.new_run(output) as partial:
        with computed.stage("show", progress, "tables and figures"):
            _write_tables(partial, config, computed)
            computed.messages.extend(draw_figures(experiment, computed, partial))
        manifest = _manifest(config, computed, started, jobs)
        run_directory.write_manifest(partial / run_directory.MANIFEST, manifest)
    return Run(**Results.fields_of(computed), directory=output)


def _write_tables(partial: Path, config: LoadedConfig, computed: Computed) -> None:
    run_directory.write_config(partial / "config.toml", config.content)
    for name, rows in computed.tables.items():
        if rows:
            (partial / f"{name}.tsv").write_text(tsv(rows), encoding="utf-8")
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
        "messages": results.messages,
        "started": started.isoformat(timespec="seconds"),
        "jobs": jobs,
        "seconds": {name: round(value, 3) for name, value in results.seconds.items()},
    }
