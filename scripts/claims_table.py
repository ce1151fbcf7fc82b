"""Print the claims of a paper and what became of them in several runs, as a Markdown table for the docs.

python scripts/claims_table.py simulated=runs/linoch2004 webnlg2020-en=runs/webnlg ...
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

SHORT = {"holds": "holds", "fails": "**fails**", "undecided": "undecided", "not applicable": "-"}


def cell(row: pd.Series) -> str:
    """Return a verdict with what decided it."""
    verdict = SHORT[row["verdict"]]
    if row["verdict"] == "not applicable":
        return verdict
    limits = "" if pd.isna(row["lower"]) else f" [{row['lower']:+.3f}, {row['upper']:+.3f}]"
    return f"{verdict}: {row['difference']:+.3f}{limits}"


def main(arguments: list[str]) -> int:
    """Print the table."""
    runs = dict(argument.split("=", 1) for argument in arguments)
    tables = {name: pd.read_csv(Path(path) / "claims.tsv", sep="\t").set_index("claim") for name, path in runs.items()}
    first = next(iter(tables.values()))
    print(f"| no. | the paper | {' | '.join(tables)} |")
    print(f"| ---: | --- | {' | '.join('---' for _ in tables)} |")
    for number, row in first.iterrows():
        reading = " [R]" if row["reading"] == "yes" else ""
        cells = [cell(table.loc[number]) for table in tables.values()]
        print(f"| {number} | {row['paper']}{reading} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
