"""A corpus in the making: readers of all formats put texts and judgments in, in any order, and a Corpus comes out.

A segment is known by its document and its id. Ids that are unique in the whole corpus stand for themselves; where they
are not, as in SGML, where every document counts from 1, the id of the corpus is ``document:id``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metaeval.corpora.columns import Rows
from metaeval.corpora.judge_groups import check_groups
from metaeval.corpora.judged import REFERENCE, SOURCE, SYSTEM, JudgmentRows, resolve, shown
from metaeval.corpora.lines import Files
from metaeval.corpora.problems import counted
from metaeval.corpora.write import file_names
from metaeval.errors import listing
from metaeval.records import Corpus, Criterion, GivenScores, JudgeGroup

_TABLES = {SYSTEM: "judgments.tsv", REFERENCE: "reference_judgments.tsv"}


@dataclass(frozen=True)
class ScoreRows:
    """Scores of a metric, or of people for whole documents or systems: unit keys and values for each system."""

    place: str
    name: str
    origin: str
    level: str
    values: Mapping[str, Mapping[Hashable, float]]


@dataclass
class Draft:
    """What has been read so far.

    Attributes
    ----------
    files : Files
        The reader of the files, which also notes what is wrong.
    name, title : str
    facts : dict of str to str
    criteria : dict of str to Criterion
        Those that are declared; others are taken from the judgments, with an unknown range.
    told_groups, judge_groups : tuple and list of JudgeGroup
        Those of corpus.toml, which replace all that sources have; and those of sources.
    """

    files: Files
    name: str = ""
    title: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    criteria: dict[str, Criterion] = field(default_factory=dict)
    told_groups: tuple[JudgeGroup, ...] = ()
    judge_groups: list[JudgeGroup] = field(default_factory=list)
    _segments: dict[tuple[str, str], int] = field(default_factory=dict)
    _keys: list[tuple[str, str]] = field(default_factory=list)
    _texts: dict[str, dict[str, dict[int, str]]] = field(
        default_factory=lambda: {SOURCE: {}, SYSTEM: {}, REFERENCE: {}}
    )
    _judgments: list[JudgmentRows] = field(default_factory=list)
    _scores: list[ScoreRows] = field(default_factory=list)
    _broken: Counter[str] = field(default_factory=Counter)
    _blank: Counter[str] = field(default_factory=Counter)
    _places: dict[str, str] = field(default_factory=dict)  # where criteria are declared, "" in corpus.toml

    @property
    def is_judged(self) -> bool:
        """Whether any source had judgments."""
        return any(len(block.keys) for block in self._judgments)

    def segment(self, document: str, id_: str) -> int:
        """Return the index of a segment, which is new at its first mention; the order of the mentions is kept."""
        key = (document, id_)
        index = self._segments.setdefault(key, len(self._keys))
        if index == len(self._keys):
            self._keys.append(key)
        return index

    def text(self, kind: str, name: str, segment: int, text: str, place: str, line: int | None = None) -> None:
        """Add the text of a segment; a second one must be equal, or differ in white space at its ends alone.

        A line end inside a text becomes one space, because a line is a segment here; how many is reported.
        """
        if "\n" in text:
            self._broken[place] += 1
            text = text.replace("\r\n", "\n").replace("\n", " ")
        if not text.isascii() and _has_surrogate(text):
            self._error(place, line, f"has a lone surrogate, which is no character: {text[:60]!r}.")
            return
        texts = self._texts[kind].get(name)
        if texts is None:
            texts = self._texts[kind][name] = {}
            if kind != SOURCE and not name:
                self._error(place, line, f"has a text of a {kind} without a name.")
        known = texts.setdefault(segment, text)
        if known is text or known == text:
            return
        if known.strip() == text.strip():
            self._blank[place] += 1
            return
        of = "" if kind == SOURCE else f" of {kind} {name!r}"
        self._error(
            place,
            line,
            f"gives segment {shown(*self._keys[segment])!r}{of} another text than before: {text[:60]!r} and "
            f"{known[:60]!r}.",
        )

    def judge(self, rows: JudgmentRows) -> None:
        """Add judgments."""
        self._judgments.append(rows)

    def score(self, rows: ScoreRows) -> None:
        """Add scores that came with the corpus."""
        self._scores.append(rows)

    def declare(self, criterion: Criterion, place: str = "") -> None:
        """Declare a criterion; what corpus.toml or the catalogue tells (no place) goes before what sources tell."""
        known = self.criteria.setdefault(criterion.name, criterion)
        first = self._places.setdefault(criterion.name, place)
        if known != criterion and first and first != place:
            self.files.problems.error(
                place,
                f"has another {criterion.name!r} than {first}: {_told(criterion)}, and there {_told(known)}. Declare "
                "it in a corpus.toml that lists the files, or give one of them another name.",
            )

    def group(self, group: JudgeGroup) -> None:
        """Add a judge group of a source; two sources may have the same one."""
        if group not in self.judge_groups:
            self.judge_groups.append(group)

    def take(self, corpus: Corpus, place: str) -> None:
        """Add all of a corpus in the neutral layout."""
        documents = corpus.documents or ("",) * corpus.n_segments
        keys = list(zip(documents, corpus.segment_ids, strict=True))
        indices = [self.segment(*key) for key in keys]
        everything = [
            *((SYSTEM, name, texts) for name, texts in zip(corpus.systems, corpus.candidates, strict=True)),
            *((REFERENCE, name, texts) for name, texts in corpus.references.items()),
            *([] if corpus.sources is None else [(SOURCE, "", corpus.sources)]),
        ]
        for kind, name, texts in everything:
            self._texts[kind].setdefault(name, {})
            for number, (index, text) in enumerate(zip(indices, texts, strict=True), start=1):
                if text is not None:
                    self.text(kind, name, index, text, f"{place}, {kind} {name}".rstrip(), number)
        for criterion in corpus.criteria:
            self.declare(criterion, f"{place}/corpus.toml")
        for group in corpus.judge_groups:
            self.group(group)
        for kind, judgments, names in (
            (SYSTEM, corpus.judgments, corpus.systems),
            (REFERENCE, corpus.reference_judgments, corpus.judged_references),
        ):
            self.judge(
                JudgmentRows(
                    Rows(f"{place}/{_TABLES[kind]}", range(2, len(judgments) + 2)),
                    [keys[segment] for segment in judgments.segment],
                    [names[system] for system in judgments.system],
                    [judgments.judges[judge] for judge in judgments.judge],
                    [corpus.criteria[criterion].name for criterion in judgments.criterion],
                    judgments.score.tolist(),
                    kind,
                )
            )
        for one in corpus.scores:
            units: Sequence[Hashable] = {"segment": keys, "document": one.units, "system": [""]}[one.level]
            values = {
                system: {unit: value for unit, value in zip(units, row, strict=True) if value == value}
                for system, row in zip(one.systems, one.values.tolist(), strict=True)
            }
            self.score(ScoreRows(f"{place}, {one.name}", one.name, one.origin, one.level, values))
        self.name, self.title = self.name or corpus.name, self.title or corpus.title
        for fact, value in corpus.facts.items():
            self.facts[fact] = self.facts.get(fact) or value

    def finish(self) -> Corpus | None:
        """Return the corpus, or None if there were errors, which are noted."""
        problems = self.files.problems
        for place, count in self._broken.items():
            problems.note(place, f"has line feeds inside {count} text(s); each became one space.")
        for place, count in self._blank.items():
            problems.warning(
                place, f"gives {count} text(s) again with other white space at the ends; the first was taken."
            )
        self._check_scores()
        if not self._segments or not self._texts[SYSTEM]:
            if not problems.errors:
                hint = (
                    " Name the texts beside the judgments, as in `metaeval corpus convert TEXTS JUDGMENTS DIR`."
                    if self._judgments
                    else ""
                )
                problems.error(self.files.directory, f"holds no texts of systems.{hint}")
            return None
        ids, documents = self._identify()
        files = file_names([*sorted(self._texts[SYSTEM]), *sorted(self._texts[REFERENCE])])
        systems, references = (
            tuple(sorted(self._texts[kind], key=lambda name: files[name])) for kind in (SYSTEM, REFERENCE)
        )
        self._check_names(ids, documents or (), systems, references)
        both = set(systems) & set(references)
        if both:
            problems.error(
                self.files.directory, f"has systems and references of the same name: {listing(sorted(both))}."
            )
        self._declare_the_rest()
        judgments, reference_judgments, judged = resolve(
            self._judgments, self._segments, systems, references, tuple(self.criteria.values()), problems
        )
        self._note_gaps(systems)
        groups = self.told_groups or tuple(self.judge_groups)
        judges = sorted({*judgments.judges, *reference_judgments.judges})
        check_groups(groups, judges, self.files.directory, problems)
        if problems.errors:
            return None
        n = len(self._segments)
        source = self._texts[SOURCE].get("")
        if source is not None and len(source) < n:
            problems.note(self.files.directory, f"has no source text for {n - len(source)} of {counted(n, 'segment')}.")
        return Corpus(
            name=self.name or "corpus",
            title=self.title,
            facts=self.facts,
            systems=systems,
            candidates=tuple(tuple(map(self._texts[SYSTEM][name].get, range(n))) for name in systems),
            references={name: tuple(map(self._texts[REFERENCE][name].get, range(n))) for name in references},
            sources=None if source is None else tuple(source.get(index, "") for index in range(n)),
            segment_ids=ids,
            documents=documents,
            criteria=tuple(self.criteria.values()),
            judgments=judgments,
            reference_judgments=reference_judgments,
            judged_references=judged,
            digest=self.files.digest(),
            scores=self._given(systems, references, ids, documents),
            judge_groups=groups,
        )

    def _error(self, place: str, line: int | None, message: str) -> None:
        self.files.problems.error(place if line is None else f"{place}:{line}", message)

    def _identify(self) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """Return the id and the document of each segment."""
        unique = len({id_ for _, id_ in self._segments}) == len(self._segments)
        ids = tuple(id_ if unique else shown(document, id_) for document, id_ in self._segments)
        told = any(document for document, _ in self._segments)
        if len(set(ids)) < len(ids):
            twice = [id_ for id_, count in Counter(ids).items() if count > 1]
            self.files.problems.error(self.files.directory, f"has segments of the same id: {listing(twice)}.")
        if not all(id_ for _, id_ in self._segments):
            self.files.problems.error(self.files.directory, "has a segment without an id.")
        return ids, tuple(document for document, _ in self._segments) if told else None

    def _check_names(self, *groups: Iterable[str]) -> None:
        """Note names that cannot stand in a table, and judgments that lack one."""
        occurring = {self.name}.union(*groups, (score.name for score in self._scores))
        for block in self._judgments:
            for what, column in (("system", block.names), ("judge", block.judges), ("criterion", block.criteria)):
                different = set(column)
                occurring |= different
                nameless = different & {""}
                block.rows.report(
                    column, nameless, self.files.problems, lambda _, what=what: f"the {what} has no name."
                )
        for name in sorted(occurring - {""}):
            self.files.check_name(self.files.directory, name)

    def _check_scores(self) -> None:
        """Note scores that have the same name as others, or none."""
        places: dict[tuple[str, str, str], str] = {}
        for one in self._scores:
            if not one.name:
                self.files.problems.error(one.place, "has scores without a name.")
            first = places.setdefault((one.origin, one.name, one.level), one.place)
            if first != one.place:
                self.files.problems.error(
                    one.place,
                    f"has scores named {one.name!r} for each {one.level}, as {first} has; rename one of them.",
                )

    def _declare_the_rest(self) -> None:
        for block in self._judgments:
            for criterion in dict.fromkeys(block.criteria):
                if criterion not in self.criteria:
                    self.declare(Criterion(criterion, -np.inf, np.inf, higher_is_better=True))
                    self.files.problems.note(
                        block.rows.place,
                        f"does not tell the range and direction of {criterion!r}: any score is taken, and a higher one "
                        "is taken to be better.",
                    )

    def _note_gaps(self, systems: Sequence[str]) -> None:
        n = len(self._segments)
        for name in systems:
            missing = n - len(self._texts[SYSTEM][name])
            if missing:
                self.files.problems.warning(
                    self.files.directory,
                    f"has no output of {name!r} for {missing} of {counted(n, 'segment')}; they count as missing, not "
                    "as empty, and documents are drawn from the other segments.",
                )

    def _given(
        self,
        systems: Sequence[str],
        references: Sequence[str],
        ids: Sequence[str],
        documents: Sequence[str] | None,
    ) -> tuple[GivenScores, ...]:
        """Return the scores that came with the corpus, in the order of their files."""
        known: dict[str, tuple[Sequence[Hashable], Sequence[str]]] = {
            "segment": (list(self._segments), ids),
            "document": (list(dict.fromkeys(documents or ())),) * 2,
            "system": ([""], ()),
        }
        found = []
        for one in self._scores:
            units, shown = known[one.level]
            columns = {unit: column for column, unit in enumerate(units)}
            scored = [name for name in (*systems, *references) if one.values.get(name)]
            unknown = sorted(name for name, scores in one.values.items() if scores and name not in scored)
            if unknown:
                message = f"scores {listing(unknown)}, of which the corpus has no texts; these scores are left out."
                self.files.problems.warning(one.place, message)
            values = np.full((len(scored), len(units)), np.nan)
            for row, name in enumerate(scored):
                for unit, value in one.values[name].items():
                    values[row, columns[unit]] = value
            if scored:
                found.append(GivenScores(one.name, one.origin, one.level, tuple(scored), tuple(shown), values))
        return tuple(found)


def _told(criterion: Criterion) -> str:
    better = "higher" if criterion.higher_is_better else "lower"
    return f"{criterion.low:g} to {criterion.high:g}, {better} is better"


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
