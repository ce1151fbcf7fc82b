"""Corpora by name: which of two is meant, what is told of one, and a cache that cannot be written."""

from __future__ import annotations

import pytest

from metaeval.corpora.catalogue import cache_directory, describe_source, fetch_corpus, find_corpus, load_corpus
from metaeval.errors import CorpusError, UsageError
from tests.support.corpus import TOML, write


def test_no_corpus_at_all_is_refused():
    with pytest.raises(UsageError, match="`sources` must name a corpus, or at least one file; got none"):
        load_corpus([])


def test_a_directory_with_the_name_of_a_public_corpus_is_taken_until_that_is_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"corpus 'summeval' is public but not downloaded yet; `metaeval corpus fetch"):
        find_corpus("summeval")
    write(tmp_path / "summeval")
    assert find_corpus("summeval").resolve() == tmp_path / "summeval"


def test_a_cache_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "file"))
    with pytest.raises(UsageError) as error:
        fetch_corpus("summeval")
    assert str(error.value) == f"{tmp_path}/file/public/summeval: cannot be written: Not a directory."


def test_a_corpus_without_a_name_is_described_by_that_of_its_directory(tmp_path):
    told = TOML.replace('name = "tiny"\n', 'source = "here"\ncitation = "them"\n')
    described = describe_source(write(tmp_path / "mine", corpus=told))
    assert (described.name, described.title) == ("mine", "Three systems, four segments")
    assert (described.source, described.citation) == ("here", "them")


def test_a_file_is_described_by_its_name(tmp_path):
    (tmp_path / "mine.tsv").write_text("segment\tsystem\ttext\n1\tA\tx\n")
    described = describe_source(tmp_path / "mine.tsv")
    assert (described.name, described.source) == ("mine", "")


def test_a_corpus_whose_description_is_wrong_is_not_described(tmp_path):
    with pytest.raises(CorpusError, match=r"corpus\.toml: the corpus: unknown key 'nam'; did you mean 'name'\?"):
        describe_source(write(tmp_path, corpus=TOML.replace("name", "nam", 1)))


def test_the_cache_may_lie_in_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("METAEVAL_CACHE", "~/mine")
    assert cache_directory() == tmp_path / "mine"
