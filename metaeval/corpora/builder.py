"""A corpus in the making: readers of all formats put texts and judgments in, in any order, and a Corpus comes out.

A segment is known by its document and its id. Ids that are unique in the whole corpus stand for themselves; where they
are not, as in SGML, where every document counts from 1, the id of the corpus is ``document:id``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from metaeval.corpora.checks.run import damage_warnings
from metaeval.corpora.description import Description, SourceEntry, check_groups
from metaeval.corpora.error_spans import Span, spans_of
from metaeval.corpora.judgment_columns import whole_number
from metaeval.corpora.judgment_rows import REFERENCE, SOURCE, SYSTEM, JudgmentRows, Resolver
from metaeval.corpora.problems import repeated
from metaeval.corpora.segment_index import SegmentIndex, segment_name
from metaeval.corpora.stored_scores import ScoreFile, reader_of
from metaeval.corpora.text_files import Files
from metaeval.corpora.write_native import file_names
from metaeval.datamodel.corpus import Corpus, Criterion, JudgeGroup
from metaeval.errors import as_typed, counted, listing

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class Draft:
    """A corpus in the making, as far as it has been read.

    Attributes
    ----------
    files : Files
        The reader of the files, which also notes what is wrong.
    name, title : str
    facts : dict of str to str
    criteria : dict of str to Criterion
        Those that are declared; others are taken from the judgments, with an unknown range.
    declared_groups, judge_groups : tuple and list of JudgeGroup
        Those of corpus.toml, which replace all that sources have; and those of sources.
    listed : list of (Path, SourceEntry)
        The files that the corpus.toml read last lists, with its path.
    file_of : dict of str to str
        The files of systems and references, by which these are sorted, where they have files of their own.
    segments : dict of (str, str) to int
        Those so far, by document and id.
    judgments, scores, spans : lists of JudgmentRows, ScoreFile and Span
        Those of all readers; names are looked up at the end.
    """

    files: Files
    name: str = ""
    title: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    criteria: dict[str, Criterion] = field(default_factory=dict)
    declared_groups: tuple[JudgeGroup, ...] = ()
    judge_groups: list[JudgeGroup] = field(default_factory=list)
    listed: list[tuple[Path, SourceEntry]] = field(default_factory=list)
    file_of: dict[str, str] = field(default_factory=dict)
    segments: dict[tuple[str, str], int] = field(default_factory=dict)
    judgments: list[JudgmentRows] = field(default_factory=list)
    scores: list[ScoreFile] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    # None for what a source says to be missing.
    _texts: defaultdict[str, dict[str, dict[int, str | None]]] = field(default_factory=partial(defaultdict, dict))
    _facts_of: dict[str, dict[int, str]] = field(default_factory=dict)
    _broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    _blank: Counter[str] = field(default_factory=Counter)
    _places: dict[str, str] = field(default_factory=dict)  # where criteria are declared, "" if before all sources
    has_tables: bool = False  # whether names come from tables of ours, where quotation marks are letters
    needs_texts: bool = False  # whether judgments alone are no corpus
    _groups_at: str = ""  # where judge groups are declared, if a source has any

    @property
    def systems(self) -> list[str]:
        """The systems that have texts."""
        return list(self._texts[SYSTEM])

    def describe(self, description: Description, location: str = "") -> None:
        """Take what is said of the corpus, where nothing was said before.

        Without a place, its criteria and judge groups go before those of the sources.
        """
        self.name = self.name or description.name
        self.title = self.title or description.title
        for fact, value in description.facts().items():
            self.facts[fact] = self.facts.get(fact) or value
        for entry in description.criteria:
            self.declare(entry.criterion(), location)
        if location:
            # One that stands there twice is wrong, and one that another source has too is not.
            self.judge_groups += [group for group in description.judge_groups if group not in tuple(self.judge_groups)]
            self._groups_at = self._groups_at or (location if description.judge_groups else "")
        else:
            self.declared_groups = self.declared_groups or description.judge_groups

    def segment(self, document: str, id_: str) -> int:
        """Return the index of a segment, which is new at its first mention; the order of the mentions is kept."""
        return self.segments.setdefault((document, id_), len(self.segments))

    def texts(self, kind: str, name: str, segments: Sequence[int], texts: Sequence[str | None], location: str) -> None:
        """Add the lines of a file, each the text of a segment; None where there is known to be none."""
        text_of = self._texts_of(kind, name, location, None)
        if not text_of:
            text_of.update(zip(segments, texts, strict=False))
            return
        for line, (segment, text) in enumerate(zip(segments, texts, strict=False), start=1):
            if text is not None:
                self.text(kind, name, segment, text, location, line)

    def text(
        self,
        kind: str,
        name: str,
        segment: int,
        text: str,
        location: str,
        line: int | None = None,
        *,
        in_markup: bool = False,
    ) -> None:
        """Add the text of a segment; a second one must be equal, or differ in white space at its ends alone.

        In markup, a line end inside a text is one space. Both are reported with their number.
        """
        if "\n" in text:
            self._broken[location, "each became one space" if in_markup else "they are kept"] += 1
            text = text.replace("\r\n", "\n").replace("\n", " ") if in_markup else text
        if not text.isascii() and _SURROGATE.search(text):
            self.files.error(_at(location, line), f"has a lone surrogate, which is not a character: {text[:60]!r}.")
            return
        texts = self._texts_of(kind, name, location, line)
        earlier = texts.setdefault(segment, text)
        if earlier is text or earlier == text:
            return
        if earlier is None:
            texts[segment] = text
        elif earlier.strip() == text.strip():
            self._blank[location] += 1
        else:
            subject = repr(segment_name(*list(self.segments)[segment]))
            if kind != SOURCE:
                subject += f" of {kind} {name!r}"
            message = f"gives segment {subject} another text than before: {text[:60]!r} and {earlier[:60]!r}."
            self.files.error(_at(location, line), message)

    def _texts_of(self, kind: str, name: str, location: str, line: int | None) -> dict[int, str | None]:
        if name not in self._texts[kind]:
            self._texts[kind][name] = {}
            if kind != SOURCE and not name:
                self.files.error(_at(location, line), f"has a text of a {kind} without a name.")
        return self._texts[kind][name]

    def judge_by_kind(self, rows: JudgmentRows, kinds: Sequence[str]) -> None:
        """Add judgments of systems and of references: the kind of each row."""
        for kind in (SYSTEM, REFERENCE):
            positions = [row for row, kind_of_row in enumerate(kinds) if kind_of_row == kind]
            if not positions:
                continue
            if len(positions) == len(kinds):
                self.judgments.append(replace(rows, kind=kind))
            else:
                self.judgments.append(rows.at(positions, kind))

    def read_scores(self) -> None:
        """Read the scores that were added, from files that will not be there later."""
        self.scores = [replace(file, read=reader_of(file.read())) for file in self.scores]

    def fact(self, name: str, segments: Iterable[int], values: Iterable[str]) -> None:
        """Add what is known of segments, such as their domain."""
        self._facts_of.setdefault(name, {}).update(zip(segments, values, strict=True))

    def declare(self, criterion: Criterion, location: str = "") -> None:
        """Declare a criterion; what is declared without a place goes before what sources declare."""
        declared = self.criteria.setdefault(criterion.name, criterion)
        first = self._places.setdefault(criterion.name, location)
        if declared != criterion and first and first != location:
            self.files.error(
                location,
                f"has another {criterion.name!r} than {first}: {_range(criterion)}, and there {_range(declared)}. "
                "Declare it in a corpus.toml that lists the files, or give one of them another name.",
            )

    def finish(self) -> Corpus | None:
        """Return the corpus, or None if there were errors, which are noted."""
        files = self.files
        problems = files.problems
        at = files.whole
        self._note_changed_texts()
        self._check_scores()
        has_texts = bool(self._texts[SYSTEM])
        if not (self.needs_texts or has_texts):
            self._take_what_was_judged()
        if not self.segments or not self._texts[SYSTEM]:
            if not problems.errors:
                hint = " Name the texts beside the judgments, as in `metaeval corpus convert TEXTS JUDGMENTS DIR`."
                files.error(at, f"holds no texts of systems.{hint if self.judgments and self.needs_texts else ''}")
            return None
        ids, documents = self._identify()
        systems, references = self._sorted_names()
        segment_facts = self._facts_of_segments()
        self._check_names(ids, documents or (), systems, references, segment_facts, *segment_facts.values())
        in_both = sorted(set(systems) & set(references))
        if in_both:
            files.error(at, f"has systems and references of the same name: {listing(in_both)}.")
        self._declare_the_rest()
        declared = {name: " in corpus.toml" for name, at in self._places.items() if at.endswith("corpus.toml")}
        segments = SegmentIndex(self.segments)
        resolver = Resolver(segments, self.criteria, declared, problems)
        judgments, reference_judgments, judged = resolver.resolve(self.judgments, systems, references, self.file_of)
        if has_texts:
            self._note_gaps(systems)
        else:
            files.note(
                at,
                "holds no texts of systems: judges can be compared with each other, and with scores that metrics gave "
                "before; metrics of texts, such as bleu, need these beside it.",
            )
        groups = self.declared_groups or tuple(self.judge_groups)
        judges = sorted({*judgments.judges, *reference_judgments.judges})
        check_groups(groups, judges, self._groups_at or at, problems)
        n = len(ids)
        units = {"segment": ids, "document": list(dict.fromkeys(documents or ()))}
        units["domain"] = sorted(set(segment_facts.get("domain", ())))
        names = (*systems, *references)
        scores = tuple(file.scores(names, units, problems) for file in self.scores)
        spans = spans_of(self.spans, names, segments.find, files)
        if problems.errors:
            return None
        if not any(len(block.keys) for block in self.judgments):
            files.note(at, "has no judgments: metric scores can be computed, but not correlated with human judgments.")
        source = self._texts[SOURCE].get("")
        if source is not None and len(source) < n:
            files.note(at, f"has no source text for {n - len(source)} of {counted(n, 'segment')}.")
        corpus = Corpus(
            name=self.name or "corpus",
            title=self.title,
            facts=self.facts,
            systems=systems,
            candidates=tuple(tuple(map(self._texts[SYSTEM][name].get, range(n))) for name in systems),
            has_texts=has_texts,
            references={name: tuple(map(self._texts[REFERENCE][name].get, range(n))) for name in references},
            sources=None if source is None else tuple(source.get(index) or "" for index in range(n)),
            segment_ids=ids,
            documents=documents,
            criteria=tuple(self.criteria.values()),
            judgments=judgments,
            reference_judgments=reference_judgments,
            judged_references=judged,
            digest=files.digest(),
            scores=scores,
            judge_groups=groups,
            segment_facts=segment_facts,
            spans=spans,
        )
        for damage in damage_warnings(corpus):
            files.warning(at, damage)
        if not has_texts:
            corpus = replace(corpus, candidates=(("",) * n,) * len(systems))
        object.__setattr__(corpus, "as_read", True)
        return corpus

    def _note_changed_texts(self) -> None:
        """Note texts with line feeds, and those that were given again with other white space."""
        problems = self.files.problems
        for (location, treatment), count in self._broken.items():
            problems.note(location, f"has line feeds inside {counted(count, 'text')}; {treatment}.")
        for location, count in self._blank.items():
            message = f"gives {counted(count, 'text')} again with other white space at the ends; the first was taken."
            problems.warning(location, message)

    def _sorted_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the systems and of the references, each sorted by their files."""
        kinds = [self._texts[kind] for kind in (SYSTEM, REFERENCE)]
        file_of = file_names([name for texts in kinds for name in sorted(texts)]) | self.file_of
        systems, references = (tuple(sorted(texts, key=lambda name: file_of[name])) for texts in kinds)
        return systems, references

    def _facts_of_segments(self) -> dict[str, tuple[str, ...]]:
        """Return what is known of each segment, by the name of the fact; "" where it is not."""
        segments = range(len(self.segments))
        return {name: tuple(values.get(index, "") for index in segments) for name, values in self._facts_of.items()}

    def _take_what_was_judged(self) -> None:
        """Take the systems and segments that judgments name for those of the corpus, without any text."""
        for block in self.judgments:
            for name in filter(None, dict.fromkeys(block.names)):
                self._texts[SYSTEM].setdefault(name, {})
            keys = [] if isinstance(block.keys, np.ndarray) else list(dict.fromkeys(block.keys))
            lines = [number for document, id_ in keys if document is None and (number := whole_number(id_)) is not None]
            for number in range(block.first_line, max(lines, default=0) + 1):
                self.segment("", str(number))
            for document, id_ in keys:
                if document is not None:
                    self.segment(document, id_)

    def _identify(self) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """Return the id and the document of each segment."""
        unique = len({id_ for _, id_ in self.segments}) == len(self.segments)
        ids = tuple(id_ if unique else segment_name(document, id_) for document, id_ in self.segments)
        documented = any(document for document, _ in self.segments)
        twice = repeated(ids)
        if twice:
            self.files.error(self.files.directory, f"has segments of the same id: {listing(twice)}.")
        if not all(id_ for _, id_ in self.segments):
            self.files.error(self.files.directory, "has a segment without an id.")
        return ids, tuple(document for document, _ in self.segments) if documented else None

    def _check_names(self, *groups: Iterable[str]) -> None:
        """Note names that cannot stand in a table, and judgments that lack one."""
        occurring = {self.name}.union(*groups, (score.name for score in self.scores))
        for block in self.judgments:
            for role, column in (("system", block.names), ("judge", block.judges), ("criterion", block.criteria)):
                different = set(column)
                occurring |= {name for name in different if name is not None}
                message = f"the {role} has no name.".format
                block.rows.report(column, different & {""}, self.files.problems, message)
        for name in sorted(occurring - {""}):
            self.files.check_name(self.files.directory, name.replace('"', "") if self.has_tables else name)

    def _check_scores(self) -> None:
        """Note scores that have the same name as others, or none."""
        places: dict[tuple[str, str, str], str] = {}
        for file in self.scores:
            if not file.name:
                self.files.error(file.location, "has scores without a name.")
            first = places.setdefault((file.origin, file.name, file.level), file.location)
            if first != file.location:
                message = f"has scores named {file.name!r} for each {file.level}, as {first} has; rename one of them."
                self.files.error(file.location, message)

    def _declare_the_rest(self) -> None:
        """Declare the criteria that only judgments name, with any range, and note them."""
        for block in self.judgments:
            named = [name for name in dict.fromkeys(block.criteria) if name is not None]
            undeclared = [name for name in named if name not in self.criteria]
            for name in undeclared:
                self.declare(Criterion(name, -np.inf, np.inf, higher_is_better=True))
            if undeclared:
                how = as_typed(
                    terminal="`[[criteria]]` of a corpus.toml, with name, low, high and direction, says otherwise",
                    python="`criteria` of metaeval.corpus, or `[[criteria]]` of a corpus.toml, says otherwise",
                )
                self.files.note(
                    block.rows.location,
                    f"does not declare the range and direction of {listing(undeclared)}: any score is taken, and a "
                    f"higher one is taken to be better; {how}.",
                )

    def _note_gaps(self, systems: Sequence[str]) -> None:
        n = len(self.segments)
        for name in systems:
            missing = n - len(self._texts[SYSTEM][name])
            if missing:
                gaps = f"has no output of {name!r} for {missing} of {counted(n, 'segment')}; they count as missing"
                consequence = "not as empty, and documents are drawn from the other segments."
                self.files.warning(self.files.whole, f"{gaps}, {consequence}")


def _range(criterion: Criterion) -> str:
    """Return the range and the direction of a criterion, in words."""
    better = "higher" if criterion.higher_is_better else "lower"
    return f"{criterion.low:g} to {criterion.high:g}, {better} is better"


def _at(location: str, line: int | None) -> str:
    return location if line is None else f"{location}:{line}"
