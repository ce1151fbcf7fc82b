"""A corpus in the cache that is damaged is noticed when it is used, and made again."""

from __future__ import annotations

import os
import shutil
import warnings
from dataclasses import replace

import pytest

from metaeval.corpora import cached
from metaeval.corpora.cached import RECORD, damage
from metaeval.corpora.catalogue import fetch_corpus, find_corpus, load_corpus, preset_directory, public_directory
from metaeval.corpora.download import fetch
from metaeval.corpora.download.public import public_corpora
from metaeval.corpora.simulation import write
from metaeval.corpora.simulation.presets import PRESETS
from metaeval.errors import FetchError, MetaevalWarning
from tests.support import web
from tests.support.gold import of_others

PRESET, PUBLIC = "btec", "summeval"
JUDGMENTS = "judgments.tsv"


def cut_at_a_line(corpus):
    lines = (corpus / JUDGMENTS).read_bytes().splitlines(keepends=True)
    (corpus / JUDGMENTS).write_bytes(b"".join(lines[: len(lines) // 2]))


def cut_in_a_line(corpus):
    path = corpus / "references" / "ref1.txt"
    path.write_bytes(path.read_bytes()[:-7])


def flipped(corpus):
    path = sorted((corpus / "systems").iterdir())[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return path


def flipped_with_its_time(corpus):
    path = sorted((corpus / "systems").iterdir())[0]
    before = path.stat()
    flipped(corpus)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def exchanged(corpus):
    one, two = sorted((corpus / "systems").iterdir())[:2]
    one.rename(corpus / "aside")
    two.rename(one)
    (corpus / "aside").rename(two)


def a_directory(corpus):
    (corpus / JUDGMENTS).unlink()
    (corpus / JUDGMENTS).mkdir()


def a_link(corpus):
    shutil.copy(corpus / JUDGMENTS, corpus.parent / "elsewhere")
    (corpus / JUDGMENTS).unlink()
    (corpus / JUDGMENTS).symlink_to(corpus.parent / "elsewhere")


def reordered(corpus):
    head, *lines = (corpus / JUDGMENTS).read_bytes().splitlines(keepends=True)
    (corpus / JUDGMENTS).write_bytes(b"".join([head, *reversed(lines)]))


def doubled(corpus):
    with (corpus / JUDGMENTS).open("ab") as file:
        file.write((corpus / JUDGMENTS).read_bytes().splitlines(keepends=True)[-1])


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
    "a file cut at a line": (cut_at_a_line, "judgments.tsv has another content"),
    "a file cut in a line": (cut_in_a_line, "references/ref1.txt has another content"),
    "a flipped byte": (flipped, "has another content"),
    "a flipped byte, the time set back": (flipped_with_its_time, "has another content"),
    "a reference is missing": (lambda it: (it / "references/ref2.txt").unlink(), "references/ref2.txt is missing"),
    "a system is missing": (lambda it: sorted((it / "systems").iterdir())[1].unlink(), "systems/.* is missing"),
    "corpus.toml is missing": (lambda it: (it / "corpus.toml").unlink(), "corpus.toml is missing"),
    "another system": (
        lambda it: shutil.copy(sorted((it / "systems").iterdir())[0], it / "systems" / "more.txt"),
        "systems/more.txt is new",
    ),
    "two files exchanged": (exchanged, "has another content"),
    "a file emptied": (lambda it: (it / "source.txt").write_text(""), "source.txt has another content"),
    "a directory instead of a file": (a_directory, "judgments.tsv is no file"),
    "a link instead of a file": (a_link, "judgments.tsv is no file"),
    "judgments in another order": (reordered, "judgments.tsv has another content"),
    "a judgment twice": (doubled, "judgments.tsv has another content"),
    "no record": (lambda it: (it / RECORD).unlink(), "cannot be read"),
    "half a record": (lambda it: (it / RECORD).write_bytes((it / RECORD).read_bytes()[:100]), "cannot be read"),
    "another record": (lambda it: (it / RECORD).write_text('{"corpus.toml": 3}'), "cannot be read"),
    "no files": (without_files, "cannot be read"),
    "an empty directory": (emptied, "cannot be read"),
    "a file instead of the directory": (a_file, "it is no directory"),
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
    assert [path.name for path in corpus.parent.iterdir() if path.name != "elsewhere"] == [PRESET]


def test_where_a_link_leads_it_is_made_again(corpus, tmp_path):
    before, place = load_corpus(PRESET).digest, tmp_path / "larger disk"
    shutil.copytree(corpus, place)
    shutil.rmtree(corpus)
    corpus.symlink_to(place)
    flipped(corpus)
    with pytest.warns(MetaevalWarning, match="has another content"):
        assert load_corpus(PRESET).digest == before
    assert corpus.is_symlink()
    assert damage(place) is None


def test_what_is_gone_is_made_again(corpus):
    before = load_corpus(PRESET).digest
    shutil.rmtree(corpus)
    assert load_corpus(PRESET).digest == before


def test_what_was_only_touched_is_read_once_and_kept(corpus, monkeypatch):
    copy = corpus.with_name("copy")
    shutil.copytree(corpus, copy)
    shutil.rmtree(corpus)
    copy.rename(corpus)
    (corpus / ".DS_Store").write_text("")
    read = []
    monkeypatch.setattr(
        cached, "file_digest", lambda path, digest=cached.file_digest: read.append(path) or digest(path)
    )
    inode = corpus.stat().st_ino
    assert find_corpus(PRESET) == corpus
    assert len(read) > 10
    read.clear()
    assert find_corpus(PRESET) == corpus
    assert (read, corpus.stat().st_ino) == ([], inode)


def test_a_cache_that_can_only_be_read_is_used(corpus, monkeypatch):
    (corpus / "corpus.toml").touch()

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cached, "record", refused)
    assert find_corpus(PRESET) == corpus


def test_what_another_process_has_made_meanwhile_is_taken(corpus, monkeypatch):
    (corpus / "source.txt").unlink()
    simulate = write.simulate

    def slow(*arguments, **named):
        monkeypatch.setattr(write, "simulate", simulate)
        with warnings.catch_warnings(action="ignore"):
            find_corpus(PRESET)
        made.append(corpus.stat().st_ino)
        return simulate(*arguments, **named)

    made = []
    monkeypatch.setattr(write, "simulate", slow)
    with pytest.warns(MetaevalWarning, match="made again"):
        find_corpus(PRESET)
    assert [corpus.stat().st_ino] == made
    assert damage(corpus) is None


@pytest.fixture
def fetched(tmp_path, monkeypatch, waits):
    """A public corpus in the cache."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    return fetch_corpus(PUBLIC, of_others("raw"))


def test_a_public_corpus_that_is_damaged_is_fetched_again(fetched, monkeypatch):
    before = load_corpus(PUBLIC).digest
    (fetched / "corpus.toml").unlink()
    files = public_corpora()[PUBLIC].files
    contents = {
        f"/{one.repository}/{one.commit}/{one.path}": web.right((of_others("raw") / one.name).read_bytes())
        for one in files
    }
    with web.serving(contents) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        with pytest.warns(MetaevalWarning, match=r"\(corpus\.toml is missing\)"):
            assert load_corpus(PUBLIC).digest == before
    assert len(server.asked) == len(files)


def test_where_it_cannot_be_fetched_the_line_to_type_is_told(fetched, monkeypatch):
    before = load_corpus(PUBLIC).digest
    flipped(fetched)
    with web.serving({}) as server:
        monkeypatch.setattr(fetch, "OWNERS", server.url)
        with pytest.warns(MetaevalWarning, match="has another"), pytest.raises(FetchError) as error:
            load_corpus(PUBLIC)
    told = f"corpus 'summeval': its files in the cache are damaged ({public_directory(PUBLIC)}: systems/"
    assert str(error.value).startswith(told)
    assert "`metaeval corpus fetch summeval` tries once more" in str(error.value)
    assert "`--from DIR_OR_URL`" in str(error.value)
    # And that line works.
    with pytest.warns(MetaevalWarning, match="it is made again"):
        fetch_corpus(PUBLIC, of_others("raw"))
    assert load_corpus(PUBLIC).digest == before


def test_what_is_made_reaches_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    monkeypatch.setitem(PRESETS, PRESET, replace(PRESETS[PRESET], segments=2))
    synced = []

    def noted(descriptor, fsync=os.fsync):
        synced.append((os.fstat(descriptor).st_ino, preset_directory(PRESET).exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    made = find_corpus(PRESET)
    before = {inode for inode, there in synced if not there}
    assert {path.stat().st_ino for path in [made, *made.rglob("*")]} <= before
    assert synced[-1] == (made.parent.stat().st_ino, True)
