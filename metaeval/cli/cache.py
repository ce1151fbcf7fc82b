"""The verbs of ``cache``: printing only."""

from metaeval.cli.command import Call, Form, Group, command
from metaeval.cli.shared import print_rows
from metaeval.errors import counted
from metaeval.sizes import written_size


@command("info", "cache_info")
def _info(call: Call, *, form: Form = "table") -> None:
    """List what is kept: scores, statistics, figures and corpora, how much of each, and where."""
    rows = call()
    print_rows([{**row, "bytes": written_size(row["bytes"])} for row in rows] if form == "table" else rows, form)


@command("verify", "verify_cache")
def _verify(call: Call, *, form: Form = "table") -> int:
    """Read every array that is kept and remove what is damaged; the exit code is 1 if there was something."""
    rows = call()
    if form != "table":
        print_rows(rows, form)
    else:
        # A path is whole, so that it can be taken from there.
        print("\n".join(f"{row['file']}: {row['flaw']}" for row in rows) or "Nothing is damaged.")
    return bool(rows)


@command("prune", "prune_cache")
def _prune(call: Call) -> None:
    """Remove arrays that were used least recently, until no more than a size is left."""
    removed = call()
    print(f"{counted(len(removed), 'file')} removed.")


GROUP = Group(
    "cache",
    "what was computed once and is kept: how much, whether it is whole, and less of it",
    "Looks after what is kept, so that no text is scored twice: scores of metrics of others, statistics.",
    (_info, _verify, _prune),
)
