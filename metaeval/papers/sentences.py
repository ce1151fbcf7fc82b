"""What is wrong in what a paper is said to say; the sentences stand in sentences.toml, by the kind of error."""

from __future__ import annotations

from metaeval.errors import UsageError
from metaeval.resources import Sentences


class NotApplicableError(Exception):
    """Raised when an experiment has not what a claim is about; the text says what it lacks."""


say = Sentences(__file__, usage=UsageError, lacking=NotApplicableError)
refuse = say.refuse
