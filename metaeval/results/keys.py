"""Keys of numbers: every table, array, figure and file of a run uses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metaeval.components.documents import DocumentUnits
from metaeval.components.registries import DOCUMENTS
from metaeval.datamodel.corpus import INTER_JUDGE


@dataclass(frozen=True)
class DocumentKind:
    """The kind and length of the documents of a number.

    Attributes
    ----------
    kind : str
        ``all``, ``segments``, ``real`` or ``pseudo``; "" where no documents play a part.
    length : int or None
        Segments in a document; None where that varies.
    """

    kind: str = field(default="", metadata={"column": "documents"})
    length: int | None = None

    @property
    def units(self) -> DocumentUnits:
        """The class of this kind of documents."""
        return DOCUMENTS[self.kind]()


@dataclass(frozen=True)
class Key:
    """The key of a number: panel, corpus, preprocessing and so on.

    What does not apply is empty: judges have no preprocessing, a row about two metrics no single metric, and a test
    over lengths no length.

    Attributes
    ----------
    panel, corpus, preprocessing, subset, criterion, judges : str
        Names, as the experiment writes them. The panel is "" where there are none.
    documents : DocumentKind
        Their kind, and their length in segments.
    average_by, coefficient, metric : str
        As the experiment writes them.
    """

    panel: str = ""
    corpus: str = ""
    preprocessing: str = ""
    subset: str = ""
    criterion: str = ""
    judges: str = ""
    documents: DocumentKind = field(default_factory=DocumentKind)
    average_by: str = ""
    coefficient: str = ""
    metric: str = ""

    def with_names(self, **names: Any) -> Key:
        """Return the key with other names.

        Parameters
        ----------
        **names : str, or DocumentKind
            Attributes with their values: ``metric="bleu"``.

        Returns
        -------
        Key
            A new one.
        """
        # As `replace` does, several times as fast: a run has many keys.
        return Key(**{**vars(self), **names})

    @property
    def place(self) -> Key:
        """The key without a metric: where metrics are compared."""
        return self.with_names(metric="")

    @property
    def length(self) -> int | None:
        """Segments in a document; None where that varies."""
        return self.documents.length

    @property
    def is_of_judges(self) -> bool:
        """True for the agreement of judges, and not for a metric of the same name."""
        return self.metric == INTER_JUDGE and self.preprocessing == ""
