"""The verbs of ``cache``: printing only."""

from metaeval.cli.command import Call, Form, Group, command
from metaeval.cli.shared import print_rows
from metaeval.errors import counted
from metaeval.runtime.byte_sizes import written_size


@command(
    name="info",
    calls="cache_info",
    summary="what is in the cache, how much and where",
    examples=["metaeval cache info"],
)
def _info(call: Call, *, form: Form = "table") -> None:
    """List what is in the cache: scores, statistics and corpora, how much of each, and where."""
    rows = call()
    print_rows([{**row, "bytes": written_size(row["bytes"])} for row in rows] if form == "table" else rows, form)
    if form == "table" and any(row["kind"] == "obsolete" for row in rows):
        print("Files of another version are obsolete: this one does not use them; `metaeval cache prune` removes them.")


@command(
    name="verify",
    calls="verify_cache",
    summary="find and remove damaged files of the cache",
    examples=["metaeval cache verify"],
)
def _verify(call: Call, *, form: Form = "table") -> int:
    """Read every array in the cache and remove those that are damaged; the exit code is 1 if there were any."""
    rows = call()
    if form != "table":
        print_rows(rows, form)
    else:
        # A path is whole, so that it can be taken from there.
        print("\n".join(f"{row['file']}: {row['flaw']}" for row in rows) or "Nothing is damaged.")
    return bool(rows)


@command(
    name="prune",
    calls="prune_cache",
    summary="remove what was used least recently",
    examples=["metaeval cache prune statistics --to 500M"],
)
def _prune(call: Call) -> None:
    """Remove arrays that were used least recently, until no more than a size is left, and obsolete files."""
    removed = call()
    print(f"{counted(len(removed), 'file')} removed.")


GROUP = Group(
    "cache",
    "show, verify or prune the cache of scores and statistics",
    "Shows, verifies and prunes the cache of scores and statistics, which saves scoring a text twice.",
    (_info, _verify, _prune),
)
