"""The verbs that read finished runs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from metaeval.api.shared import Criteria, Labels, Names, OneRun
from metaeval.api.verbs import Argument, verb
from metaeval.errors import UsageError
from metaeval.parameters.arguments import names, path_of, run_directory, whole_number

if TYPE_CHECKING:
    from metaeval.report.diff import RunsDiff
    from metaeval.report.results import Run

ImageFormat = Literal["pdf", "png", "svg"]


@verb
def diff_runs(
    old: Annotated["str | Path | Run", Argument("OLD", complete="directories")],
    new: Annotated["str | Path | Run", Argument("NEW", complete="directories")],
    *,
    across: Annotated[Names, Argument("SETTING", complete="settings")] = (),
) -> "RunsDiff":
    """Compare two runs: which conclusions changed, by how much each number moved, and what else differs.

    Numbers are matched by what they measure, however preprocessing and metrics are written, and whether or not the runs
    have panels. Numbers that only one run has are listed.

    Parameters
    ----------
    old
        The directory of the old run.
    new
        The directory of the new run.
    across
        Settings in spite of which numbers are compared: panel, corpus, preprocessing, references, criterion, judges,
        documents, average_by or coefficient; by default the one setting in which all numbers of the runs differ.

    Returns
    -------
    RunsDiff
        Settings, conclusions, inputs, keys of signatures, numbers, tests, claims and tables that differ, as data
        frames; it prints as text.

    Raises
    ------
    UsageError
        If a directory is not that of a run, a setting is unknown, or several numbers of a run cannot be distinguished
        without the settings.
    CorpusError
        If a file of a run cannot be read as what it is.

    Examples
    --------
    >>> from metaeval import run
    >>> first, second = (
    ...     run("system-level", overrides=[f"seed={seed}", 'metrics=["ter"]', "uncertainty.n_resamples=60"],
    ...         output=f"runs/{seed}")
    ...     for seed in (1, 2)
    ... )
    >>> sorted(set(diff_runs(first, second).numbers["differs"]))
    ['lower, upper']
    """
    from metaeval.report.diff import diff_runs

    return diff_runs(run_directory("old", old), run_directory("new", new), names("across", across))


@verb
def load_run(run: OneRun) -> "Run":
    """Read a finished run from its directory.

    Returns
    -------
    Run
        What :func:`run` gave when it was run: the same tables, arrays and warnings.

    Raises
    ------
    UsageError
        If the directory is not that of a run, or the run was written by version 0.1.
    CorpusError
        If a file of the run cannot be read as what it is.

    Examples
    --------
    >>> from metaeval import load_run, run
    >>> _ = run("system-level", overrides=['metrics=["ter"]', "uncertainty.n_resamples=60"], output="runs/mine")
    >>> [round(item.value, 3) for item in load_run("runs/mine").estimates if item.coefficient == "pearson"]
    [0.94, 0.865]
    """
    from metaeval.report.results import load_run

    return load_run(run_directory("run", run))


@verb
def report_run(run: OneRun) -> Path:
    """Write the HTML report of a run, from its tables.

    Returns
    -------
    Path
        The page, ``report.html`` in the directory of the run.

    Raises
    ------
    UsageError
        If the directory is not that of a run.
    CorpusError
        If a file of the run cannot be read as what it is.
    """
    from metaeval.runs.page import renew_report

    return renew_report(run_directory("run", run))


@verb
def draw_run(
    run: OneRun,
    kinds: Annotated[Names, Argument("KIND", complete="figures")] = (),
    *,
    width: Annotated[str | float | None, Argument("WIDTH")] = None,
    labels: Labels = (),
    colours: Annotated[Names | Mapping[str, str], Argument("METRIC=COLOUR", "--colour", repeated=True)] = (),
    overrides: Annotated[Names | Mapping[str, Any], Argument("KEY=VALUE", "--set", repeated=True)] = (),
    panels: Annotated[Names, Argument("TITLE", "--panel")] = (),
    metrics: Annotated[Names, Argument("METRIC", "-m --metric", "metrics")] = (),
    criteria: Criteria = (),
    output: Annotated[str | Path | None, Argument("DIR", complete="directories")] = None,
    formats: Annotated[ImageFormat | Iterable[ImageFormat], Argument("FORMAT", "--format")] = (),
) -> tuple[Path, ...]:
    """Redraw the figures of a finished run from its tables; nothing is computed again.

    Parameters
    ----------
    kinds
        Kinds of figures, such as intervals or scatter; those of the config of the run unless given.
    width
        Inches, a length such as 12cm, 120mm or 4.7in, or column (3.3 inches), page (6.9), acl (3.03), acl-page (6.3) or
        neurips (5.5); by default as needed.
    colours
        Colour of the line of a metric, such as bleu=red; '*' stands for all others; default colours unless given.
    overrides
        Any other key of [[figures]], in TOML, such as caption=false or 'range=[0, 1]'; in Python also a mapping.
    panels
        Only these panels of the experiment, by title; all unless given.
    metrics
        Only these, in this order, as written in the run; all unless given.
    output
        A directory to write to, which leaves the run as it is. Unless given, figures/ of the run, whose manifest then
        has the digests of the new files.
    formats
        Files of each figure, pdf and png unless given.

    Returns
    -------
    tuple of Path
        The files.

    Raises
    ------
    UsageError
        If the directory holds no run, a name or key is wrong, or the run did not keep what a figure shows; the message
        names the key of the config to set.
    CorpusError
        If a file of the run cannot be read as what it is.

    Examples
    --------
    >>> from metaeval import draw_run, run
    >>> _ = run("system-level", overrides=['metrics=["ter"]', "uncertainty.n_resamples=60"], output="runs/mine")
    >>> sorted(path.name for path in draw_run("runs/mine", "intervals", width="acl", criteria="fluency"))[:2]
    ['intervals-acl_pearson.pdf', 'intervals-acl_pearson.png']
    """
    from metaeval.report.display_names import assigned, check_labels, known_names, labels_given
    from metaeval.results.store import read_run
    from metaeval.runs.figures import changed, draw_figures, renew_figures, save_elsewhere, wanted_of_run

    directory = run_directory("run", run)
    data = read_run(directory)
    given: dict[str, Any] = {}
    if isinstance(overrides, Mapping):
        given = dict(overrides)
    elif written := names("overrides", overrides):
        from metaeval.experiment.config_file import overridden  # a figure need not wait for what reads corpora

        given = overridden(written)
    of_colours = colours if isinstance(colours, Mapping) else names("colours", colours)
    settings = given | {
        key: value
        for key, value in {
            "width": _number_if(width),
            "formats": names("formats", formats),
            "metrics": names("metrics", metrics),
            "criteria": names("criteria", criteria),
            "colours": of_colours
            if isinstance(of_colours, Mapping)
            else assigned(of_colours, "a colour is METRIC=COLOUR, such as bleu=red"),
        }.items()
        if value
    }
    all_labels = {**settings.pop("labels", {}), **labels_given(labels)}
    check_labels(all_labels, known_names(data))
    data.labels = {**data.labels, **all_labels}
    wanted = changed(wanted_of_run(data), names("kinds", kinds), settings, panels=names("panels", panels))
    drawn = list(draw_figures(wanted, data))
    if output is not None:
        return tuple(save_elsewhere(drawn, path_of("output", output)))
    return tuple(renew_figures(drawn, directory))


def _number_if(width: float | str | None) -> float | str | None:
    """Return a width as a number where it is one."""
    try:
        return width if width is None else float(width)
    except ValueError:
        return width


@verb
def export_run(
    run: OneRun,
    *,
    metrics: Annotated[Names, Argument("METRIC", "-m --metric", "metrics")] = (),
    criteria: Criteria = (),
    lengths: Annotated[int | Iterable[int], Argument(flags="--length", minimum=1)] = (),
    what: Annotated[Literal["scores", "coefficients"], Argument()] = "scores",
    output: Annotated[str | Path | None, Argument("FILE", complete="paths")] = None,
    form: Annotated[Literal["tsv", "jsonl"], Argument(flags="--format")] = "tsv",
) -> None:
    """Write the data behind the figures of a run as a tidy table.

    Parameters
    ----------
    metrics
        Only these, as written in the run; all unless given.
    lengths
        Only documents with this many segments; every length unless given.
    what
        Scores of each document and system with the human score, or the coefficients of each document.
    output
        A file to write; standard output unless given.
    form
        Format of the table; numbers read back to the same bits.

    Raises
    ------
    UsageError
        If the directory is not that of a run, a name is not in the run, or the file cannot be written.
    CorpusError
        If the files of the run do not belong together.
    """
    import sys

    from metaeval.report.tables import row_writer
    from metaeval.results.export import export_rows
    from metaeval.results.store import read_run

    sizes = lengths if isinstance(lengths, Iterable) else [lengths]
    rows = export_rows(
        read_run(run_directory("run", run)),
        what,
        metrics=names("metrics", metrics),
        criteria=names("criteria", criteria),
        lengths=[whole_number("lengths", size, least=1) for size in sizes],
    )
    write = row_writer(form)
    if output is None:
        write(rows, sys.stdout)
        return
    path = path_of("output", output)
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            write(rows, file)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}.") from error
