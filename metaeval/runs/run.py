"""Run an experiment: compute it, and write its directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomli_w

from metaeval.comparison.disagreements import disagreements_of
from metaeval.config.defaults import ALPHA
from metaeval.corpora.catalogue import read_corpus
from metaeval.experiment.config_file import LoadedConfig
from metaeval.experiment.execute import stage
from metaeval.experiment.panels import compute_panels
from metaeval.experiment.paths import with_relative_paths
from metaeval.experiment.run_facts import facts_of, objects_in
from metaeval.papers.claims import judge_claims
from metaeval.papers.config import Printed
from metaeval.papers.examples import check_examples
from metaeval.papers.published import beside_published, read_published
from metaeval.report.display_names import labelled
from metaeval.report.latex import tables_latex
from metaeval.report.latex_numbers import numbers_tex
from metaeval.report.methods import methods_of
from metaeval.report.paper_tables import tables_beside_paper
from metaeval.report.results import Run
from metaeval.report.tables import tables_markdown
from metaeval.report.views import result_tables
from metaeval.results.model import RunData
from metaeval.results.store import renew_manifest, write_run, write_times
from metaeval.runs import output as run_directory
from metaeval.runs.figures import draw_figures, noted_in, wanted_figures, write_figures
from metaeval.runs.page import write_report
from metaeval.runtime.atomic_directory import locked
from metaeval.runtime.parallel import SERIAL, Executor
from metaeval.runtime.progress import Progress, silent
from metaeval.shared_tasks.compute import compute_tasks


def run_experiment(
    config: LoadedConfig,
    output: Path,
    *,
    printed: Printed | None = None,
    executor: Executor = SERIAL,
    progress: Progress = silent,
) -> Run:
    """Run an experiment and write its directory.

    Parameters
    ----------
    config : LoadedConfig
        What to run.
    output : Path
        The directory of the run; an earlier run there is replaced when this one is complete.
    printed : Printed, optional
        What a paper prints, to be compared with what is found.
    executor : Executor
        Makes its calls; the results are the same bits for any number of jobs.
    progress : callable
        Called with a :class:`~metaeval.runtime.progress.Step` at the beginning of each stage and as its work is done.

    Raises
    ------
    UsageError
        If the experiment cannot be run on these corpora.
    CorpusError
        If the files of a corpus are wrong.
    """
    started = datetime.now(UTC)
    run_directory.check_output(output)
    with locked(output):
        return _run(config, output, printed or Printed(), executor, progress, started)


def _run(
    config: LoadedConfig, output: Path, printed: Printed, executor: Executor, progress: Progress, started: datetime
) -> Run:
    published = read_published(Path(printed.published)) if printed.published else None
    wanted = wanted_figures(config.content, config.name)
    examples = check_examples(printed.examples)
    read = lru_cache(maxsize=1)(read_corpus)
    if config.shared is not None:
        run = compute_tasks(config.shared, executor=executor, progress=progress)
    else:
        run = compute_panels(config.panels, read=read, executor=executor, progress=progress)
    run.facts = facts_of(config)
    run.labels = config.experiment.labels
    if config.shared is not None:
        run.facts["ranking"] = _ranking_facts(config, run)
    run.config, places = _recorded(config, output)
    tables = run.tables
    if printed.claims or printed.examples or published is not None:
        with stage(run, "check", progress, "claims and numbers of the paper"):
            level = config.experiment.uncertainty.confidence_level
            tables.claims.extend(judge_claims(printed.claims, run, confidence_level=level, read_as=printed.names))
            tables.examples.extend(examples)
            if published is not None:
                rows, messages = beside_published(
                    [
                        replace(number, criterion=printed.names.get(number.criterion, number.criterion))
                        for number in published
                    ],
                    tables.correlations,
                )
                tables.published.extend(rows)
                run.warnings.extend(messages)
    with run_directory.new_run(output) as partial:
        with stage(run, "write", progress, "tables and figures") as tally:
            run.disagreements = {} if config.shared else disagreements_of(config.panels, run, read)
            shown = labelled(run)
            _write_for_papers(run, shown, partial)
            _say_places(run, places)
            drawn = draw_figures(wanted, run, refused=noted_in(run), tally=tally)
            pictures = write_figures(drawn, run, partial / run_directory.FIGURES)
            write_run(run, partial)
        with stage(run, "report", progress, "HTML page"):
            write_report(run, partial, pictures)
        write_times(started, run.seconds, executor.jobs, partial)
        renew_manifest(partial, [run_directory.REPORT])
    return Run(run, directory=output)


def _recorded(config: LoadedConfig, output: Path) -> tuple[str, dict[str, str]]:
    """Return the config as the run keeps it: what was given as an object is named in its first lines.

    Paths are relative to the run, so that it can be sent to others, and moved with what it was made from; what they
    were comes too.
    """
    given = "".join(
        f"# {name} was an object: this config runs again where it is given anew.\n"
        for name in objects_in(config.content)
    )
    content, places = with_relative_paths(config.content, output.resolve())
    return given + tomli_w.dumps(content), places


def _say_places(run: RunData, places: Mapping[str, str]) -> None:
    """Let the messages of a run name files as its tables do, and not by the paths of this machine.

    Who reads them stands where the run was started: a path from the directory of the run leads nowhere.
    """
    for absolute, relative in sorted(places.items(), key=lambda item: len(item[0]), reverse=True):
        shown = Path(absolute).name if Path(relative).is_relative_to("..") else relative
        for texts in (run.warnings, run.failures):
            texts[:] = [type(text)(text.replace(absolute, shown)) for text in texts]


def _write_for_papers(run: RunData, shown: RunData, directory: Path) -> None:
    tables = result_tables(shown) + tables_beside_paper(shown.tables)
    methods = methods_of(run)
    texts = (
        *(tables_markdown(tables), tables_latex(tables), numbers_tex(run)),
        *(methods.written("latex"), methods.written("bibtex")),
    )
    for name, text in zip(run_directory.FOR_PAPERS, texts, strict=True):
        (directory / name).write_text(text, encoding="utf-8")


def _ranking_facts(config: LoadedConfig, run: RunData) -> dict[str, Any]:
    """Return the settings by which the metrics of a shared task were ranked, and the baselines."""
    assert config.shared is not None
    ranking = config.shared.ranking
    tests = config.experiment.tests
    return {
        "permutations": ranking.permutations,
        "alpha": ranking.alpha,
        "alpha_joint": tests[0].alpha if tests else ALPHA,
        "baselines": [
            row.metric
            for row in run.tables.averages
            if any(ranking.fits(row.metric, pattern) for pattern in ranking.baselines)
        ],
    }
