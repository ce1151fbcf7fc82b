"""The figure of coefficients among the best systems: what it shows is what the rows hold."""

from __future__ import annotations

import pandas as pd
import pytest

from metaeval.components.registries import FIGURES
from metaeval.errors import UsageError
from metaeval.report.drawable import asked_figure
from metaeval.report.figures.run_frames import figure_data
from metaeval.results.rows import Band, BandName, Influence
from metaeval.results.tables import records
from metaeval.runs.figures import wanted_figures
from tests.support.figures import figures
from tests.support.results import correlation, run_of

# Of 12 systems: the coefficients among the best 11 to the best 4.
FALLING = {11: 0.85, 10: 0.8, 9: 0.7, 8: 0.6, 7: 0.5, 6: 0.4, 5: 0.3, 4: 0.2}


def data_of(n_systems=12, bands=()):
    rows = [
        correlation(mean, metric=name, kind="all", n_systems=n_systems) for name, mean in (("ter", 0.5), ("bleu", 0.9))
    ]
    influence = [
        Influence(row.key, f"best {k}", "", k, value, value - row.mean)
        for row in rows
        for k, value in FALLING.items()
        if k < n_systems
    ]
    # What is left out by name is none of the best.
    influence += [Influence(row.key, "without s1", "s1", n_systems - 1, -1.0, 0.0) for row in rows]
    run = run_of(*rows, influence=influence, bands=[one(rows[1].key) for one in bands])
    return {"correlations": pd.DataFrame(records(rows)), "run": run}


def lines_of(figure):
    (panel,) = figure.axes
    return {line.get_gid(): dict(zip(*line.get_data(), strict=True)) for line in panel.get_lines()}


def test_a_line_goes_from_all_systems_to_the_best_five():
    (figure,) = figures("best-systems", **data_of()).values()
    assert lines_of(figure) == {
        "ter": {**{k: v for k, v in FALLING.items() if k > 4}, 12: 0.5},
        "bleu": {**{k: v for k, v in FALLING.items() if k > 4}, 12: 0.9},
    }
    assert figure.caption == (
        "Points: coefficients over so many of the best systems, 12 being all. A narrower range by itself lowers any "
        "coefficient."
    )
    assert figure.numbers[0] == ("best systems by human judgments", *map(str, range(5, 13)))


def test_bands_have_bars():
    def band(name, n_systems, lower, upper):
        return lambda key: Band(
            key, name, "", n_systems, 1, 1, 1, 0.5, lower, upper, 0.95, "segments", "", 0.5, 0.4, 0.6
        )

    bands = [band(BandName("all"), 12, 0.8, 0.95), band(BandName("best", 8), 8, 0.3, 0.7)]
    # Pairs are no number of systems.
    bands.append(band(BandName("pairs within", 2.0), 12, -1.0, -0.9))
    (figure,) = figures("best-systems", **data_of(bands=bands)).values()
    (panel,) = figure.axes
    bars = [path.vertices for one in panel.collections for path in one.get_paths()]
    # The second of two lines: its bars stand 0.05 to the right.
    assert sorted(one.round(3).tolist() for one in bars) == [[[8.05, 0.3], [8.05, 0.7]], [[12.05, 0.8], [12.05, 0.95]]]
    assert "Bars: confidence intervals for these systems." in figure.caption
    low, high = panel.get_ylim()
    assert low < 0.3
    assert high > 0.95


def test_few_systems_are_not_drawn():
    figure = FIGURES["best-systems"](from_systems=12)
    assert figure.is_wanted(figure_data(data_of(12)["run"]))
    assert not figure.is_wanted(figure_data(data_of(11)["run"]))
    with pytest.raises(UsageError, match=r"'best-systems' shows .* 12 or more; the run has 11 systems"):
        figures("best-systems", asked={"from_systems": 12}, **data_of(11))
    with pytest.raises(UsageError, match="the run has no coefficient across whole systems"):
        figures("best-systems", correlations=pd.DataFrame(records([correlation(0.5, metric="ter")])))
    with pytest.raises(UsageError, match="from_systems"):
        asked_figure("best-systems", {"from_systems": 5})


def test_tasks_draw_it_of_many_systems():
    (kinds,) = wanted_figures({"tasks": []}).values()
    (own,) = [one for one in kinds if one.kind == "best-systems"]
    assert own.from_systems == 12
    assert [one.kind for one in kinds] == ["task-table", "task-significance", "best-systems"]
    assert wanted_figures({"tasks": [], "figures": [{"kind": "best-systems"}]})[""][0].from_systems == 6


def test_of_many_metrics_those_that_are_lower_are_grey():
    names = [f"m{number:02}" for number in range(26)]
    rows = [
        correlation(0.9 - 0.02 * number, metric=name, kind="all", n_systems=12) for number, name in enumerate(names)
    ]
    influence = [Influence(row.key, "best 11", "", 11, row.mean - 0.1, -0.1) for row in rows]
    run = run_of(*rows, influence=influence)
    (figure,) = figures("best-systems", correlations=pd.DataFrame(records(rows)), run=run).values()
    assert sorted(line.get_gid() for panel in figure.axes for line in panel.get_lines() if line.get_gid()) == names[:24]
    # In each panel: its own line, 23 others, and the two that have no panel.
    for panel in figure.axes:
        (own,) = [line for line in panel.get_lines() if line.get_gid()]
        (grey,) = [line for line in panel.get_lines() if not line.get_gid()]
        # Each of the others has two points, and then a gap.
        assert (len(own.get_xdata()), len(grey.get_xdata())) == (2, 25 * 3)
    assert "Grey in all panels: 2 metrics that are lower over all systems." in figure.caption
