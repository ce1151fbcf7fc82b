"""Files of scores, in the formats of others, of a corpus of two systems and three segments."""

from __future__ import annotations

import json
from dataclasses import replace

from metaeval.datamodel.corpus import Corpus, FloatArray
from metaeval.metrics import get_metric

# Scores as files have them: system, id of the segment, number.
FULL = [("A", "d1", 1.5), ("A", "d2", -2), ("A", "d3", "3e-1"), ("B", "d3", 6), ("B", "d1", 4), ("B", "d2", 5)]
SCORES = [[1.5, -2, 0.3], [4, 5, 6]]
BY_NUMBER = [(system, id_[1:], score) for system, id_, score in FULL]
# In the order of the segments.
IN_ORDER = [
    (system, str(number), score)
    for system, row in zip("AB", SCORES, strict=True)
    for number, score in enumerate(row, 1)
]


OUTPUTS = {"A": "x", "B": "y"}


def corpus(ids: tuple[str, ...] = ("d1", "d2", "d3"), **changes: object) -> Corpus:
    n = len(ids)
    made = Corpus.of_texts({name: [text] * n for name, text in OUTPUTS.items()}, {"r": ["z"] * n})
    return replace(made, segment_ids=ids, **changes)


def write(name: str, text: str) -> str:
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return name


def table(rows: list[tuple[object, ...]], header: str = "system segment score") -> str:
    lines = [header.replace(" ", "\t"), *("\t".join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def measured(text: str, made: Corpus | None = None) -> FloatArray:
    """Return the scores of segments: (systems, segments)."""
    metric = get_metric(text)
    return metric.score(metric.measure(made or corpus(), ("r",)))


def of_system(system: str) -> list[object]:
    return [score for name, _, score in IN_ORDER if name == system]


def comet_items(system: str) -> list[dict[str, object]]:
    """Return what COMET writes of a system: its texts, and a score for each."""
    return [{"src": "s", "mt": f"{OUTPUTS[system]} ", "ref": "z", "COMET": score} for score in of_system(system)]


def printed_by_comet() -> str:
    segments = [f"out/{a}.txt\tSegment {int(b) - 1}\tscore: {c:.4f}\n" for a, b, c in IN_ORDER]
    # The means of 1.5, -2 and 0.3, and of 4, 5 and 6.
    return "".join(segments) + "out/A.txt\tscore: -0.0667\nout/B.txt\tscore: 5.0000\n"


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def metricx(system_key: str = "system_id", segment_key: str = "segment_id") -> str:
    return lines(
        [
            {"source": "s", "hypothesis": OUTPUTS[a], "reference": f"z{b}", "prediction": float(c), system_key: a}
            | {segment_key: b}
            for a, b, c in FULL
        ]
    )


_SUBMITTED = {
    "2019": "M\tde-en\tnewstest2019\t{0}\t{1}\t{2}\tnon-ensemble\tno\n",
    "2021": "M\tde-en\tnewstest2021\trefA\t{0}\t{1}\t{2}\n",
    "2022": "M\tde-en\tgeneraltest2022\tnews\tdoc1\trefA\t{0}\t{1}\t{2}\n",
    "mtme": "M\tde-en\tnewstest\tnews\trefA\t{0}\t{1}\t{2}\n",
    "plain": "{0}\t{1}\t{2}\n",
}
WMT24 = "METRIC-NAME LANG-PAIR TESTSET DOMAIN DOCUMENT REFERENCE SYSTEM-ID SEGMENT-NUMBER SEGMENT-SCORE"
WMT25 = "doc_id segment_id source_lang target_lang set_id system_id hypothesis_segment domain_name method overall"
# Whatever they are called, they hold the scores above.
SEGMENTS = {
    "to_json": json.dumps({f"out/{name}.de-en.txt": comet_items(name) for name in "AB"}, indent=4),
    "printed": "Downloading the model\n" + printed_by_comet(),
    "metricx": metricx(),
    "list of objects": json.dumps([{"sysid": a, "SID": b, "Score": float(c)} for a, b, c in FULL]),
    "semicolons": "Model;Seg_ID;Score\n" + "".join(f"{a};{b};{c}\n" for a, b, c in FULL),
    **{f"wmt{year}": "".join(form.format(*row) for row in BY_NUMBER) for year, form in _SUBMITTED.items()},
    "wmt24": table([("M", "de-en", "t", "news", "d", "refA", *row) for row in BY_NUMBER], WMT24),
    "wmt25": table([("d", b, "de", "en", "official", a, OUTPUTS[a], "news", "ESA", c) for a, b, c in FULL], WMT25),
    "spaces": "".join(f"{a} {c}\n" for a, _, c in IN_ORDER),
}
