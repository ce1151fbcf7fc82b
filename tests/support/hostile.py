"""A run whose texts and names look like markup."""

from __future__ import annotations

from pathlib import Path

import metaeval
from tests.support.corpus import write

EVIL = '<script>alert("1")</script>'
EVIL_NAME = "<img src=x onerror=alert(1)>"
BREAKOUT = "</script><script>alert(2)</script><!--]]>"


def run_hostile(tmp_path: Path) -> metaeval.Run:
    """Run an experiment with such a title, panel, claim, systems, judges, sources, references and candidates."""
    write(
        tmp_path / "corpus",
        **{
            **{f"systems__{name}": None for name in "ABC"},
            f"systems__{BREAKOUT.replace('/', '')}": f"{EVIL}\n{BREAKOUT}\nx\ny\n",
            f"systems__{EVIL_NAME}": "the cat sat\na dog\nx & y\n&lt;b&gt;\n",
            "source": f"{BREAKOUT}\n{EVIL}\nx\ny\n",
            "references__ref1": f"the {EVIL} cat\na dog {BREAKOUT}\nx\ny\n",
            "references__ref2": None,
            "judgments": "\n".join(
                [
                    "segment\tsystem\tjudge\tcriterion\tscore",
                    *(
                        f"{segment}\t{system}\t{EVIL}\tadequacy\t{score}"
                        for system, score in ((BREAKOUT.replace("/", ""), 5), (EVIL_NAME, 1))
                        for segment in range(1, 5)
                    ),
                ]
            )
            + "\n",
        },
    )
    (tmp_path / "evil.toml").write_text(
        f"""\
title = '{EVIL}'
corpora = ["corpus"]
metrics = ["bleu(order=1)", "wer"]
preprocessing = ["case"]
criteria = ["adequacy"]

[documents]
kind = "segments"

[[panels]]
title = '{EVIL_NAME}'

[[claims]]
paper = '{BREAKOUT}'
statement = "wer below 2"

[uncertainty]
method = "none"
"""
    )
    return metaeval.run(tmp_path / "evil.toml", output=tmp_path / "run")
