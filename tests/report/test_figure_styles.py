"""Styles of lines, seen with three deficiencies of colour vision and without colour."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from metaeval.datamodel.corpus import CONSTANT, INTER_JUDGE
from metaeval.errors import UsageError
from metaeval.report.figures.style import MAX_LINES, line_styles, paler, style_numbers

# Machado, Oliveira and Fernandes (2009), A physiologically-based model for simulation of color vision deficiency, at
# severity 1, for linear RGB. Grey is the luminance of ITU-R BT.709.
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "grey": [[0.2126, 0.7152, 0.0722]] * 3,
}


def seen(style, vision):
    """Return the sample of a line in a key as it is seen: linear light, (pixels, 3)."""
    figure = Figure(figsize=(0.32, 0.14), dpi=200)
    canvas = FigureCanvasAgg(figure)
    figure.add_artist(Line2D([0, 0.5, 1], [0.5] * 3, markevery=[1], **{"markersize": 4.5, "linewidth": 1.6, **style}))
    canvas.draw()
    light = (np.asarray(canvas.buffer_rgba())[..., :3].reshape(-1, 3) / 255) ** 2.2
    return np.clip(light @ np.array(VISIONS[vision]).T, 0, 1)


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_of_eight_lines_differ_however_they_are_seen(vision):
    names = [*(f"metric{k}" for k in range(MAX_LINES)), INTER_JUDGE, CONSTANT]
    samples = {name: seen(style, vision) for name, style in line_styles(names).items()}
    apart = {
        (one, other): np.sqrt(((samples[one] - samples[other]) ** 2).mean(axis=0)).max()
        for one, other in itertools.combinations(names, 2)
    }
    # Two samples of one style differ by 0, black from white everywhere by 1; a sample covers about a quarter.
    assert min(apart.values()) > 0.08, min(apart, key=lambda pair: apart[pair])


def test_a_line_of_fewer_references_is_paler_with_a_hollow_marker():
    style = line_styles(["bleu"])["bleu"]
    few, many = paler(style, 0, 2), paler(style, 1, 2)
    assert many is style
    assert few["markerfacecolor"] == "#FFFFFF"
    # #0072B2 mixed with 55 % of white: 255 * .55 = 140.25, 114 * .45 + 140.25 = 191.55, 178 * .45 + 140.25 = 220.35.
    assert few["color"] == "#8CC0DC"


def test_colours_of_the_user_come_before_ours_and_stand_in_front():
    styles = line_styles(["bleu", "ter", "nist", INTER_JUDGE], {"ter": "red", "*": "grey"})
    assert {name: style["color"] for name, style in styles.items() if name != CONSTANT} == {
        "bleu": "#808080", "ter": "#ff0000", "nist": "#808080", INTER_JUDGE: "#000000"
    }  # fmt: skip
    assert [name for name, style in styles.items() if style.get("zorder", 3) > 3] == ["ter"]
    with pytest.raises(UsageError, match=r"`colours`: 'rad' is no colour; name one, such as red, or write #D55E00"):
        line_styles(["bleu"], {"bleu": "rad"})


def test_a_metric_has_one_style_in_all_panels_and_none_of_another_in_its_panel():
    # As in Finch, Akiba and Sumita's experiment: 14 metrics in four panels that share some.
    panels = [
        ["bleu", "bleu-average", "nist", "wer", "gtm"],
        ["wer", "wer-average", "wer-closest"],
        ["nist1", "nist2", "nist3", "nist4", "nist"],
        ["bleu1", "bleu2", "bleu3", "bleu"],
    ]
    numbers = style_numbers(panels)
    assert set(numbers) == set(itertools.chain(*panels))
    assert len(set(numbers.values())) == 14
    for panel in panels:
        styles = line_styles(panel, numbers=numbers)
        for part in ("color", "marker"):
            assert len({styles[name][part] for name in panel}) == len(panel)
    everywhere = line_styles(list(numbers), numbers=numbers)
    assert all(line_styles(panel, numbers=numbers).items() <= everywhere.items() for panel in panels)


@pytest.mark.parametrize("n", [8, 64, 100])
def test_metrics_of_one_panel_are_numbered_in_their_order(n):
    # With more than eight, colours come again; no colour and marker do up to 64, which is 8 times 8.
    names = [f"metric{k}" for k in range(n)]
    numbers = style_numbers([names])
    assert numbers == {name: k for k, name in enumerate(names)}
    looks = {(one["color"], one["marker"]) for one in (line_styles(names, numbers=numbers)[name] for name in names)}
    assert len(looks) == min(n, 64)
