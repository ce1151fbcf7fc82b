"""The formats that can be read. A new one is one file, one line here, and examples in the tests."""

from __future__ import annotations

from metaeval.corpora.formats.contract import Glimpse, Reader
from metaeval.corpora.formats.mqm import Mqm
from metaeval.corpora.formats.mtme import MtMetricsEval
from metaeval.corpora.formats.neutral import Neutral
from metaeval.corpora.formats.sgml import Sgml
from metaeval.corpora.formats.summeval import Summeval
from metaeval.corpora.formats.table import Table
from metaeval.corpora.formats.webnlg import Webnlg
from metaeval.corpora.formats.wmt import Wmt
from metaeval.errors import UsageError, unknown
from metaeval.names import parse_call
from metaeval.parameters import build

# In the order in which they are tried.
READERS: dict[str, type[Reader]] = {
    "neutral": Neutral,
    "sgml": Sgml,
    "mt-metrics-eval": MtMetricsEval,
    "mqm": Mqm,
    "wmt": Wmt,
    "summeval": Summeval,
    "webnlg": Webnlg,
    "table": Table,
}


def get_reader(text: str) -> Reader:
    """Return the reader of a name such as ``sgml`` or ``mqm(references=["refA"])``.

    Raises
    ------
    UsageError
        If the format or a parameter is unknown, or a value is not allowed.
    """
    call = parse_call(text)
    if call.name not in READERS:
        raise UsageError(unknown("format", call.name, READERS))
    return build(READERS[call.name], call.arguments, subject=f"format {call.name!r}")


def recognise(glimpse: Glimpse) -> Reader | None:
    """Return a reader for a source with its parameters as they are by default, or None if no format fits."""
    fitting = (reader for reader in READERS.values() if reader.recognises(glimpse))
    found = next(fitting, None)
    return None if found is None else found()
