"""A corpus in the cache that is damaged is noticed when it is used, and made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace

import pytest

from metaeval.corpora.catalogue import fetch_corpus, find_corpus, list_corpora, load_corpus, public_directory
from metaeval.corpora.checksums import CHECKSUMS, listed_damage
from metaeval.corpora.download import fetch
from metaeval.corpora.download.public import public_corpora
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.errors import FetchError, MetaevalWarning, UsageError
from tests.support import web
from tests.support.gold import of_others
from tests.support.processes import HANGS, started

PRESET, PUBLIC = "btec", "summeval"
JUDGMENTS = "judgments.tsv"


def flipped(corpus):
    path = sorted((corpus / "systems").iterdir())[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def exchanged(corpus):
    one, two = sorted((corpus / "systems").iterdir())[:2]
    one.rename(corpus / "aside")
    two.rename(one)
    (corpus / "aside").rename(two)


def a_directory(corpus):
    (corpus / JUDGMENTS).unlink()
    (corpus / JUDGMENTS).mkdir()


def a_file(corpus):
    shutil.rmtree(corpus)
    corpus.write_text("")


def emptied(corpus):
    shutil.rmtree(corpus)
    corpus.mkdir()


def without_files(corpus):
    for folder, _, files in os.walk(corpus):
        for name in files:
            os.unlink(os.path.join(folder, name))


# Each kind of damage, and what is told of it.
DAMAGE = {
    "a flipped byte": (flipped, "has another content"),
    "a reference is missing": (lambda it: (it / "references/ref2.txt").unlink(), "references/ref2.txt is missing"),
    "corpus.toml is missing": (lambda it: (it / "corpus.toml").unlink(), "corpus.toml is missing"),
    "two files exchanged": (exchanged, "has another content"),
    "a directory instead of a file": (a_directory, "judgments.tsv cannot be read: Is a directory"),
    "no list": (lambda it: (it / CHECKSUMS).unlink(), r"its list of files, .sha256sums, cannot be read"),
    "half a list": (lambda it: (it / CHECKSUMS).write_bytes((it / CHECKSUMS).read_bytes()[:100]), "incomplete"),
    "an empty list": (lambda it: (it / CHECKSUMS).write_text(""), "incomplete"),
    "another list": (lambda it: (it / CHECKSUMS).write_text('{"corpus.toml": 3}'), "incomplete"),
    "no files": (without_files, "cannot be read"),
    "an empty directory": (emptied, "cannot be read"),
    "a file instead of the directory": (a_file, "cannot be read"),
}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A small preset in the cache, where it was used before."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    monkeypatch.setitem(PRESETS, PRESET, replace(PRESETS[PRESET], segments=12))
    return find_corpus(PRESET)


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_is_damaged_is_made_again(corpus, kind):
    spoil, told = DAMAGE[kind]
    before = load_corpus(PRESET).digest
    spoil(corpus)
    with pytest.warns(MetaevalWarning, match=f"btec: the corpus in the cache is damaged .*{told}.*; it is made again"):
        assert load_corpus(PRESET).digest == before
    # Once.
    assert load_corpus(PRESET).digest == before
    assert sorted(path.name for path in corpus.parent.iterdir()) == [".btec.lock", PRESET]


def test_where_a_link_leads_it_is_made_again(corpus, tmp_path):
    before, place = load_corpus(PRESET).digest, tmp_path / "larger disk"
    shutil.copytree(corpus, place)
    shutil.rmtree(corpus)
    corpus.symlink_to(place)
    flipped(corpus)
    with pytest.warns(MetaevalWarning, match="has another content"):
        assert load_corpus(PRESET).digest == before
    assert corpus.is_symlink()
    assert listed_damage(place) is None


def test_what_is_gone_is_made_again(corpus):
    before = load_corpus(PRESET).digest
    shutil.rmtree(corpus)
    assert load_corpus(PRESET).digest == before


def test_what_was_copied_is_used_as_it_is(corpus):
    copy = corpus.with_name("copy")
    shutil.copytree(corpus, copy)
    shutil.rmtree(corpus)
    copy.rename(corpus)
    inode = corpus.stat().st_ino
    assert find_corpus(PRESET) == corpus
    assert corpus.stat().st_ino == inode


MAKING = """if True:
    from dataclasses import replace
    from metaeval.corpora.catalogue import find_corpus
    from metaeval.corpora.simulation.presets import PRESETS
    PRESETS["btec"] = replace(PRESETS["btec"], segments=12)
    print(find_corpus("btec").stat().st_ino)
"""


def test_processes_that_make_it_at_once_have_the_same_one(corpus):
    shutil.rmtree(corpus)
    with ExitStack() as stack:
        command = [sys.executable, "-c", MAKING]
        children = [stack.enter_context(started(command, stdout=subprocess.PIPE)) for _ in range(3)]
        found = {one.communicate(timeout=HANGS)[0] for one in children}
    assert found == {f"{corpus.stat().st_ino}\n".encode()}
    assert listed_damage(corpus) is None


@pytest.fixture
def fetched(tmp_path, monkeypatch, waits):
    """A public corpus in the cache."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    return fetch_corpus(PUBLIC, of_others("raw"))


def test_a_public_corpus_that_is_damaged_is_fetched_again(fetched, monkeypatch):
    before = load_corpus(PUBLIC).digest
    files = public_corpora()[PUBLIC].files
    (fetched / files[0].name).unlink()
    (fetched / files[1].name).write_bytes(b"")
    contents = {
        f"/{one.repository}/{one.commit}/{one.path}": web.right((of_others("raw") / one.name).read_bytes())
        for one in files
    }
    with web.serving(contents) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        with pytest.warns(MetaevalWarning, match=r"\(jungokasai/THumB/cnndm/\S+ is missing\); it is fetched"):
            assert load_corpus(PUBLIC).digest == before
    assert len(server.asked) == len(files)


def test_where_it_cannot_be_fetched_the_line_to_type_is_told(fetched, monkeypatch):
    before = load_corpus(PUBLIC).digest
    file = fetched / public_corpora()[PUBLIC].files[0].name
    file.write_bytes(b"")
    with web.serving({}) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        with pytest.warns(MetaevalWarning, match="has another"), pytest.raises(FetchError) as error:
            load_corpus(PUBLIC)
    told = f"corpus 'summeval': its files in the cache are damaged ({public_directory(PUBLIC)}: jungokasai/THumB"
    assert str(error.value).startswith(told)
    assert "`metaeval corpus fetch summeval` tries once more" in str(error.value)
    assert "`--from DIR_OR_URL`" in str(error.value)
    # And that line works.
    with pytest.warns(MetaevalWarning, match="it is fetched again"):
        fetch_corpus(PUBLIC, of_others("raw"))
    assert load_corpus(PUBLIC).digest == before


def test_a_description_of_another_version_is_written_again_without_a_download(fetched, monkeypatch):
    before = load_corpus(PUBLIC).digest
    (fetched / "corpus.toml").write_text('name = "summeval"\n')
    with web.serving({}) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        with pytest.warns(MetaevalWarning, match=r"another version's \(corpus\.toml has another content\)"):
            assert load_corpus(PUBLIC).digest == before
    assert server.asked == []


def test_what_an_earlier_version_has_left_is_ignored(tmp_path, monkeypatch):
    """Until 0.2.0, corpora were converted and their files recorded in .files.json."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    for name in ("fetched/summeval-x", "public-0.1.0/summeval", "public-0.2.0/summeval/systems"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "public-0.2.0/summeval/corpus.toml").write_text("x")
    (tmp_path / "public-0.2.0/summeval/.files.json").write_text("{}")
    with pytest.raises(UsageError, match="is public but not downloaded yet"):
        find_corpus(PUBLIC)
    assert {row["name"]: row["on_disk"] for row in list_corpora()}[PUBLIC] == "no: metaeval corpus fetch"
