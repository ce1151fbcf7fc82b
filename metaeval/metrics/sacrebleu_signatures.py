"""Signatures of sacreBLEU as names of metrics: what a paper prints is what its reader types.

====================================================================  ======================
``BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0``    of sacreBLEU 2
``BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:2.0.0``                        its short form
``BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.2``         of sacreBLEU 1
====================================================================  ======================

A key that is not there has sacreBLEU's default. Keys that tell of texts and replicates (``test``, ``lang``, ``bs``,
``seed`` and the like) do not belong to a metric; a note says that they were ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metaeval.components.registries import DEFAULT_PREPROCESSING
from metaeval.errors import UsageError, as_typed, listing, unknown
from metaeval.parameters.calls import Call, Signature, parse_call
from metaeval.runtime.files import tables_of
from metaeval.version import VERSION

_OF_VERSION_1 = re.compile(r"\s*(?:BLEU|chrF\d+|TER)(?:\+[^+.|():]+\.[^+|]+)+")
# Commands and paths may have a | too, but no word alone before it.
_BARS = re.compile(r"\s*(?:\w+\+*|(?:nrefs|#):\w+)\s*\|.*", re.DOTALL)
_NAME = re.compile(r"\s*(?:(?P<kind>BLEU|TER)|chrF(?P<beta>\d+)(?P<words>\+*))\s*")
_IGNORED = ("test", "lang", "origlang", "subset", "bs", "ar", "seed")
# Tokenizers of its BLEU that need a model or a library.
_NEEDING = ("ja-mecab", "ko-mecab", "flores101", "flores200", "spBLEU-1K")
_SMOOTHED = ("floor", "add-k")
_TABLES = tables_of(__file__)
_WORDS = {**_TABLES["words"], "numbers": {str(number): number for number in range(101)}}


@dataclass(frozen=True)
class Stated:
    """Hold what a signature says.

    Attributes
    ----------
    text : str
        As the user wrote it.
    call : Call
        Our metric, with its parameters.
    n_references : int, or None
        None if it says nothing of their number, or that it varies.
    version : str
        Of sacreBLEU; "" if it does not say so.
    preprocessing : str
        What treats texts in the same way.
    ignored : tuple of str
        Keys that do not belong to a metric.
    """

    text: str
    call: Call
    n_references: int | None
    version: str
    preprocessing: str
    ignored: tuple[str, ...]

    def check_references(self, names: Sequence[str]) -> None:
        """Refuse another number of references than that of the signature."""
        wanted, n = self.n_references, len(names)
        if wanted in (None, n):
            return
        some = f" To compare with fewer, name them: {_named(names[:wanted])}." if wanted and wanted < n else ""
        raise UsageError(
            f"metric {self.text!r}: the signature says nrefs:{wanted}, and the references are {n}: {listing(names)}. "
            f"Write nrefs:{n} for a score of all of these.{some}"
        )

    def check_preprocessing(self, names: Iterable[str]) -> None:
        """Refuse preprocessings that are neither the default nor what the signature says."""
        fitting = [_treatment(self.preprocessing), _treatment(DEFAULT_PREPROCESSING)]
        for name in names:
            if _treatment(name) in fitting:
                continue
            beside = as_typed(
                terminal="`preprocessing`, --tokenize, --lowercase, --stem",
                python="`preprocessing`, `tokenizer`, `lowercase`, `stem`",
            )
            raise UsageError(
                f"metric {self.text!r}: texts are preprocessed as the signature says; got {name!r} beside it. Leave it "
                f"out ({beside}) or write {self.preprocessing!r}. For other metrics with {name!r} in the same table, "
                f"write the metric as {str(self.call)!r}, which treats texts itself."
            )

    def notes(self, version: str) -> tuple[str, ...]:
        """Return in what the signature was not followed, where this version of sacreBLEU scores."""
        notes = []
        if self.version not in ("", version):
            notes.append(f"its signature says version {self.version}; scores here are those of sacreBLEU {version}.")
        if self.ignored:
            notes.append(f"of its signature, {listing(self.ignored)} were ignored: no part of a metric.")
        return tuple(notes)


def sacrebleu_signature(name: str, pairs: Mapping[str, object], **further: object) -> Signature:
    """Return the signature that sacreBLEU prints for a metric, and what else determines the score.

    Parameters
    ----------
    name : str
        Such as ``BLEU``.
    pairs : mapping of str to object
        The keys of sacreBLEU's signature, but for the version and for the number of references, which belongs to the
        corpus.
    **further : object
        What sacreBLEU leaves out of it.
    """
    import importlib.metadata  # help must not wait for it

    version = importlib.metadata.version("sacrebleu")
    whole = {**pairs, "version": version, **further, "program": "sacreBLEU", "metaeval": VERSION}
    return Signature(name).with_pairs(whole.items())


def is_signature(text: str) -> bool:
    """Return whether a text is written as a signature."""
    return bool(_BARS.fullmatch(text) or _OF_VERSION_1.fullmatch(text))


def read_signature(text: str) -> Stated | None:
    """Parse a signature; None for other texts.

    Raises
    ------
    UsageError
        If our metrics cannot do what it says, or it contradicts itself.
    """
    if not is_signature(text):
        return None
    written = text.partition(" = ")[0].strip()  # a score may follow where it was copied
    is_version_1 = "|" not in written
    head, *parts = written.split("+" if is_version_1 else "|")
    subject = f"metric {written!r}: "
    match = _NAME.fullmatch(head)
    if match is None:
        hint = f" Write the metric first: BLEU|{written}" if ":" in head else ""
        raise UsageError(f"{subject}a signature begins with BLEU, TER, chrF2 or chrF2++; got {head!r}.{hint}")
    kind = match["kind"] or "chrF"
    table = _TABLES[kind]
    known, long = table["keys"], {**_TABLES["long"], **table["long"]}
    values: dict[str, str] = {}
    for part in parts:
        short, _, value = (piece.strip() for piece in part.partition("." if is_version_1 else ":"))
        key = long.get(short, short)
        if key not in (*known, "nrefs", "version", *_IGNORED):
            raise UsageError(subject + unknown(f"key of {kind}", key, (*known, "nrefs", "version"), "keys"))
        if not value or key in values:
            raise UsageError(f"{subject}{key!r} must stand once, with a value; got {part!r}.")
        values[key] = value
    n_words = len(match["words"] or "")
    arguments: dict[str, object] = {"beta": int(match["beta"]), "word_order": n_words} if kind == "chrF" else {}
    for key, (parameter, words) in known.items():
        if key in values:
            meaning = _WORDS[words]
            given, opened, number = values[key].removesuffix("]").partition("[")
            word = given if given in meaning else given.lower()
            if word not in meaning or (opened and word not in _SMOOTHED):
                raise _refused(subject, key, values[key], list(meaning))
            values[key] = word
            arguments |= {parameter: meaning[word]} if parameter else {}
            if word in _SMOOTHED:
                arguments["smooth_value"] = _number(subject, f"{key}:{word}[0.10]", number)
    if arguments.get("word_order", 0) != n_words:
        raise UsageError(f"{subject}{head.strip()!r} means nw:{n_words}; got nw:{values.get('nw')}.")
    references = values.get("nrefs", "var")
    if references != "var" and not (references.isdecimal() and int(references)):
        raise UsageError(f"{subject}'nrefs' must be a whole number from 1, or var; got {references!r}.")
    lowercase = values.get("case", "lc" if kind == "TER" else "mixed") == "lc"
    tokenizer = values.get("tok", "13a") if kind == "BLEU" else "tercom" if arguments.get("normalized") else "none"
    return Stated(
        written,
        Call(table["name"], arguments, written),
        None if references == "var" else int(references),
        values.get("version", ""),
        str(Call("nocase" if lowercase else "case", {"tokenizer": tokenizer} if tokenizer != "none" else {}, "")),
        tuple(key for key in values if key in _IGNORED),
    )


def _named(references: Sequence[str]) -> str:
    """Return the words to type to score or to compare with some references."""
    subset = "+".join(references)
    return as_typed(
        terminal=f"-r {' '.join(references)} (score), --references {subset} (compare), references.subsets (config)",
        python=f"references={list(references)!r} (score), references={subset!r} (compare)",
    )


def _treatment(preprocessing: str) -> tuple[str, object]:
    call = parse_call(preprocessing)
    return call.name, call.arguments.get("tokenizer", "none")


def _refused(subject: str, key: str, value: str, allowed: Sequence[str]) -> UsageError:
    must = f"one of {listing(allowed)}" if len(allowed) < 20 else f"a whole number from {allowed[0]} to {allowed[-1]}"
    tokenizer = next((name for name in _NEEDING if key == "tok" and value.startswith(name)), None)
    hint = (
        " It needs a model or library; our own BLEU, from 0 to 1, takes it: the metric 'bleu(smooth=\"mteval\")' with "
        f"the preprocessing 'case(tokenizer=\"{tokenizer}\")'."
        if tokenizer
        else ""
    )
    return UsageError(f"{subject}{key!r} must be {must}; got {value!r}.{hint}")


def _number(subject: str, form: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{subject}the smoothing must have its value, as in {form}; got {text!r}.") from None
