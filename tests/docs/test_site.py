"""The built site: no link leads nowhere, and everything that is registered has its place."""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import get_args, get_type_hints
from urllib.parse import unquote, urlsplit

import pytest

import metaeval
from metaeval.bibliography import bibliography
from metaeval.cli import main
from metaeval.components.registries import (
    COEFFICIENTS,
    CORRECTIONS,
    DOCUMENTS,
    FIGURES,
    METHODS,
    METRICS,
    METRICS_WITH_INPUT,
    PREPROCESSING,
    READERS,
    TESTS,
)
from metaeval.config.schema import AVERAGE_BY, LIMITS, ORIENTATIONS, RESAMPLED, RULES, UNDEFINED, Experiment
from metaeval.corpora.catalogue import known_corpora
from metaeval.experiment.config_file import shipped_configs
from metaeval.judgments.normalisation import NORMALISATIONS
from metaeval.papers.config import Printed
from metaeval.parameters.fields import describe
from metaeval.text.tokenizers import TOKENIZERS
from tests.docs.pages import DOCS, written

WORD = re.compile(r"[^\W\d_]{2,}|%")


class Page(HTMLParser):
    """The links, targets and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.targets: set[str] = set()
        self.pieces: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.targets.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)

    def handle_data(self, data):
        self.pieces.append(data)

    @property
    def words(self) -> str:
        """The text of the page with single blanks."""
        return " ".join("".join(self.pieces).split())


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def generated(site: Path, name: str) -> Page:
    return page(site / "reference" / "generated" / f"{name}.html")


def leads_nowhere(path: Path, link: str) -> str | None:
    """Return what is wrong with a link of a page, or None."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        if parts.scheme in ("mailto", "data"):
            return None
        return None if parts.scheme == "https" and link[-1] not in ".,;:!?)" else "is no good address"
    target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
    if not target.is_file():
        return "there is no such file"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in page(target).targets:
        return "there is no such place on the page"
    return None


def test_every_link_leads_somewhere(site):
    pages = sorted(site.rglob("*.html"))
    links = [(path, link) for path in pages for link in page(path).links]
    found = [(path.name, link, leads_nowhere(path, link)) for path, link in links]
    assert [one for one in found if one[2]] == []
    assert len(pages) > 50
    assert sum("#" in link for _, link in links) > 200


@pytest.mark.parametrize(
    ("link", "wrong"),
    [
        ("index.html", None),
        ("index.html#here", None),
        ("#here", None),
        ("https://example.org/a", None),
        ("http://example.org", "is no good address"),
        ("https://example.org/a.", "is no good address"),
        ("gone.html", "there is no such file"),
        ("index.html#gone", "there is no such place on the page"),
        ("#gone", "there is no such place on the page"),
    ],
)
def test_the_check_of_links_finds_what_is_wrong(link, wrong, tmp_path):
    path = tmp_path / "index.html"
    path.write_text('<p id="here"></p>')
    assert leads_nowhere(path, link) == wrong


def test_no_page_shows_raw_markup(site):
    # What a parser has not understood: directives and roles, and links that stand there as they were written.
    for path in site.rglob("*.html"):
        if path.name in ("genindex.html", "search.html"):
            continue
        words = page(path).words
        for markup in ("```", ":func:", ":class:", "{eval-rst}", "](", ".. rubric"):
            assert markup not in words, (path, markup)


@pytest.mark.parametrize(
    "path",
    [path for path in written() if path.parent in (DOCS, DOCS / "decisions", DOCS / "tutorials")],
    ids=lambda path: path.name,
)
def test_nothing_of_a_page_is_lost(path, site):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)|\]\([^)]*\)", " ", text)
    there = Counter(WORD.findall(page(site / path.relative_to(DOCS).with_suffix(".html")).words))
    assert Counter(WORD.findall(text)) - there == Counter()


def keys(cls: type, before: str = "") -> Iterable[tuple[str, str]]:
    """Give the dotted name and the meaning of every key of a schema."""
    hints = get_type_hints(cls)
    for item in fields(cls):
        yield before + item.name, item.metadata["doc"]
        inner = [hint for hint in (hints[item.name], *get_args(hints[item.name])) if is_dataclass(hint)]
        kinds = item.metadata.get("tables") or {}
        if kinds:
            yield f"{before}{item.name}.kind", item.metadata["doc"]
        for one in [*inner, *kinds.values()]:
            yield from keys(one, f"{before}{item.name}.")


KEYS = dict([*keys(Experiment), *keys(Printed)])


def plain(text: str) -> str:
    """Return a meaning as a page shows it: code is set off by its looks there."""
    return " ".join(text.replace("`", "").split())


def test_every_key_has_one_place_with_its_meaning(site):
    assert {"documents.lengths", "tests.alpha", "figures.kind", "claims.margin", "examples.value"} <= set(KEYS)
    pages = [page(path) for path in site.rglob("*.html")]
    for name, meaning in KEYS.items():
        target = f"key-{name.replace('.', '-').replace('_', '-')}"
        (place,) = (one for one in pages if target in one.targets)
        assert plain(meaning)[1:] in place.words, name
    assert "key-panels" in generated(site, "config/index").targets
    for path in written():  # no page has a second table of them
        firsts = re.findall(r"^\| `([\w.]+)` \|", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert sum("." in name for name in KEYS.keys() & set(firsts)) <= 1, path


@pytest.mark.parametrize("name", [*METRICS, *METRICS_WITH_INPUT])
def test_every_metric_has_a_page_with_all_its_parameters(name, site):
    found = generated(site, f"metrics/{name}")
    assert f"metric-{name}" in found.targets
    cls = METRICS[name] if name in METRICS else METRICS_WITH_INPUT[name]
    for item in describe(cls):
        assert f"{item.name} " in found.words
        assert plain(item.doc) in found.words
    assert f"{name}.html" in generated(site, "metrics/index").links


@pytest.mark.parametrize(
    ("name", "kind", "entries"),
    [
        ("coefficients", "coefficient", COEFFICIENTS),
        ("coefficients", "average-by", AVERAGE_BY),
        ("coefficients", "orientation", ORIENTATIONS),
        ("coefficients", "undefined", UNDEFINED),
        ("tests", "test", TESTS),
        ("tests", "correction", CORRECTIONS),
        ("intervals", "interval", METHODS),
        ("intervals", "limits", LIMITS),
        ("intervals", "resample", RESAMPLED),
        ("figures", "figure", FIGURES),
        ("documents", "documents", DOCUMENTS),
        ("preprocessing", "preprocessing", PREPROCESSING),
        ("preprocessing", "tokenizer", TOKENIZERS),
        ("judgments", "rule", RULES),
        ("judgments", "normalisation", NORMALISATIONS),
        ("bibliography", "source", bibliography()),
    ],
)
def test_every_entry_of_a_registry_has_its_place(name, kind, entries, site):
    places = {target for target in generated(site, name).targets if target.startswith(f"{kind}-")}
    assert places == {f"{kind}-{one.lower().replace('.', '-').replace('_', '-')}" for one in entries}


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("coefficients", list(COEFFICIENTS.values())),
        ("tests", list(TESTS.values())),
        *((f"formats/{name}", [reader]) for name, reader in READERS.items()),
    ],
)
def test_parameters_of_registries_are_explained(name, classes, site):
    words = generated(site, name).words
    for item in (item for cls in classes for item in describe(cls)):
        assert plain(item.doc) in words


def test_every_corpus_and_export_has_its_place(site):
    for name in known_corpora():
        assert f" {name} " in generated(site, "corpora").words
    pages = [page(path) for path in (site / "reference" / "generated" / "python").glob("*.html")]
    for name in set(metaeval.__all__) - {"__version__"}:
        item = getattr(metaeval, name)
        kind = "class" if isinstance(item, type) else "module" if inspect.ismodule(item) else "function"
        own = f"module-metaeval.{name}" if kind == "module" else f"metaeval.{name}"
        assert sum({f"{kind}-{name.lower().replace('_', '-')}", own} <= one.targets for one in pages) == 1, name


def test_every_function_of_the_statistics_has_its_place(site):
    found = generated(site, "python/module-stats")
    names = set(metaeval.stats.__all__)
    assert {f"module-stats-{name.lower().replace('_', '-')}" for name in names} <= found.targets
    assert {f"metaeval.stats.{name}" for name in names - {"spa"}} <= found.targets
    assert "The same function as soft_pairwise_accuracy" in found.words


@pytest.mark.parametrize(
    ("folder", "kind", "entries"), [("formats", "format", READERS), ("experiments", "experiment", shipped_configs())]
)
def test_every_entry_with_a_page_is_listed(folder, kind, entries, site):
    index = generated(site, f"{folder}/index")
    for name in entries:
        assert f"{kind}-{name.replace('.', '-')}" in generated(site, f"{folder}/{name}").targets
        assert f"{name}.html" in index.links


def test_every_verb_has_its_place_with_all_its_options(site, capsys):
    index = generated(site, "command-line/index")
    verbs = [path.stem for path in (site / "reference" / "generated" / "command-line").glob("*.html")]
    verbs.remove("index")
    assert {"run", "compare", "score", "corpus-convert", "metrics-check", "cite"} <= set(verbs)
    for verb in verbs:
        assert f"{verb}.html" in index.links
        found = generated(site, f"command-line/{verb}")
        assert f"verb-{verb}" in found.targets
        with pytest.raises(SystemExit):
            main([*verb.split("-"), "--help"])
        told = capsys.readouterr().out
        options = {word.strip("[],") for word in told.split() if word.strip("[],").startswith("--")} - {"--help"}
        assert all(option in found.words for option in options)


@pytest.mark.long
def test_what_is_registered_later_is_there_without_more(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    pytest.importorskip("sphinx")
    import reference

    monkeypatch.setitem(METRICS, "newcomer", METRICS["wer"])
    monkeypatch.setitem(COEFFICIENTS, "newcomer", COEFFICIENTS["pearson"])
    monkeypatch.setitem(READERS, "newcomer", READERS["table"])
    monkeypatch.setitem(TESTS, "newcomer", TESTS["williams"])
    made = reference.pages()
    assert "# `newcomer`" in made["metrics/newcomer.md"]
    assert "[`newcomer`](newcomer.md)" in made["metrics/index.md"]
    assert "[`newcomer`](newcomer.md)" in made["formats/index.md"]
    for name in ("coefficients", "tests"):
        assert "-newcomer)=\n\n## `newcomer`" in made[f"{name}.md"]


def test_every_value_has_a_meaning_and_every_meaning_a_value(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "extensions"))
    import families

    assert families.undescribed() == []
    for kind, words in families.WORDS.items():
        assert set(words) <= set(families.VALUES[kind]), kind


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("confidence interval", {"glossary", "reference/generated/intervals"}),
        ("inter-annotator agreement", {"glossary", "agreement"}),
        ("human judgment", {"glossary"}),
        ("acc_eq", {"glossary"}),
        ("SPA", {"glossary"}),
        ("soft pairwise accuracy", {"glossary", "experiments"}),
        ("COMET", {"glossary"}),
        ("neural metrics", {"neural-metrics"}),
        ("significance", {"glossary"}),
        ("p-value", {"glossary"}),
        ("ties", {"glossary", "concepts"}),
        ("MQM", {"glossary"}),
        ("ESA", {"glossary"}),
        ("error span annotation", {"glossary"}),
        ("DA", {"glossary"}),
        ("direct assessment", {"glossary"}),
        ("pseudo-document", {"glossary", "concepts"}),
        ("meta-evaluation", {"glossary", "concepts"}),
        ("krippendorff's alpha", {"glossary"}),
        ("judge", {"glossary"}),
        ("LLM as a judge", {"glossary"}),
        ("preference", {"glossary"}),
        ("position bias", {"glossary"}),
        ("length bias", {"glossary"}),
        ("alternative annotator test", {"glossary", "judges"}),
        ("non-inferiority", {"glossary"}),
        ("quality band", {"glossary"}),
        ("incomplete judgments", {"concepts", "experiments"}),
    ],
)
def test_the_search_leads_to_what_people_look_for(query, wanted, site):
    assert wanted <= found_by(query, site)


def test_the_search_finds_nothing_by_what_nobody_wrote(site):
    assert found_by("zzyzx", site) == set()


def found_by(query: str, site: Path) -> set[str]:
    """Return the pages that the search shows first, by the rule of Sphinx's searchtools.js.

    A title or an entry of the index holds the words, and is not more than twice as long.
    """
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    places = [(name, place) for kind in ("alltitles", "indexentries") for name, place in index[kind].items()]
    hits = [place for name, place in places if query.lower() in name.lower() and 2 * len(query) >= len(name)]
    return {index["docnames"][number] for place in hits for number, *_ in place}


def test_headings_have_levels_and_columns_have_heads(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert all("aria-level=" in head for head in re.findall(r'<[^>]*role="heading"[^>]*>', text)), path
        assert not re.search(r"<th[^>]*><p></p></th>", text), path


def test_links_work_on_the_code_host_too():
    """Where pages are read as they stand, each relative link must lead to a file or directory of the repository."""
    gone = []
    for path in written():
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            target, _, fragment = link.partition("#")
            if "://" in target:
                continue
            there = (path.parent / target) if target else path
            heads = [] if there.suffix != ".md" or not there.exists() else slugs(there)
            if not there.exists() or (fragment and fragment not in heads):
                gone.append((path.name, link))
    assert gone == []


def slugs(path: Path) -> list[str]:
    """Return the anchors that code hosts make of the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
