"""`metaeval cite` and its Python twin."""

from __future__ import annotations

import json
import re

import pytest

import metaeval
from metaeval.cli import main
from metaeval.components.registries import COEFFICIENTS, CORRECTIONS, TESTS
from metaeval.config.schema import LIMITS
from metaeval.errors import UsageError
from metaeval.version import VERSION
from tests.support.corpus import TOML, write
from tests.support.results import signed

TITLE = "metaeval: how well evaluation metrics agree with human judgments"
OWN = f"The metaeval developers (2026): {TITLE}. Version {VERSION}."


def cited(*names: str) -> dict[str, list[str]]:
    """Return what is cited, by its first author or first word, with what it is cited for."""
    found = {}
    for paragraph in metaeval.cite(names).split("\n\n"):
        source, used_for = paragraph.split("\n    for ")
        found[source.partition(",")[0].partition(" (")[0].partition(":")[0]] = used_for.split(", ")
    return found


def keys(*names: str) -> list[str]:
    return re.findall(r"^@\w+\{(.+),$", metaeval.cite(names, form="bibtex"), re.MULTILINE)


def test_alone_it_tells_how_to_cite_metaeval(capsys):
    assert main(["cite"]) == 0
    assert capsys.readouterr().out == f"{OWN}\n    for metaeval\n"
    assert main(["cite", "--format", "bibtex"]) == 0
    assert f"note = {{Version {VERSION}}}" in capsys.readouterr().out


def test_metrics_with_their_parameters():
    assert keys("bleu") == ["metaeval", "papineni2002"]
    assert keys("bleu(length='average')", "nist") == ["metaeval", "papineni2002", "finch2004", "doddington2002"]
    assert metaeval.cite("bleu") == metaeval.cite(["bleu"])


def test_coefficients_tests_and_intervals():
    assert keys("pairwise-accuracy") == ["metaeval", "kocmi2021", "deutsch2023"]
    assert keys("soft-pairwise-accuracy", "bootstrap", "bca") == [
        "metaeval",
        "thompson2024",
        "deutsch2021",
        "efron1987",
    ]
    assert keys('kendall(variant="23")', "kendall", "holm")[1:] == ["deutsch2023", "kendall1945", "holm1979"]
    assert keys("acc_eq", "spa", "darr", "pdp") == [
        "metaeval", "kocmi2021", "deutsch2023", "thompson2024", "bojar2017", "ma2019", "mathur2020-wmt", "diianni2025"
    ]  # fmt: skip
    assert cited("pairwise-accuracy(epsilon=0.1)")["Tom Kocmi"] == ["pairwise-accuracy(epsilon=0.1)"]


def test_every_coefficient_test_interval_and_correction_can_be_cited():
    for name in [*COEFFICIENTS, *TESTS, "normal", "fisher", *LIMITS, *(name for name in CORRECTIONS if name != "none")]:
        assert "metaeval" in keys(name), name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pairwise-acuracy", "did you mean 'pairwise-accuracy'"),
        ("kendall(variant='z')", "variant"),
        ("williams(a=1)", "unknown parameter"),
        ("holm(a=1)", "correction 'holm': unknown parameter 'a'"),
    ],
)
def test_statistics_that_are_misspelt(name, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        metaeval.cite(name)


def test_a_source_stands_once_with_all_that_it_is_cited_for():
    assert cited("gtm", "gtm(exponent=2)", "gtm")["Joseph P. Turian"] == ["gtm", "gtm(exponent=2)"]


def test_preprocessing_and_tokenizers():
    assert keys("case", "nocase", 'case(tokenizer="none")') == ["metaeval"]
    assert keys('stem(tokenizer="13a")') == ["metaeval", "mteval", "post2018", "porter1980"]
    assert keys("tercom", "rouge-1.5.5", "morgenroth")[1:] == ["snover2006", "post2018", "lin2004", "morgenroth2011"]


def test_a_config_cites_its_paper_metrics_preprocessing_and_corpora():
    found = cited("turian2003-chinese")
    assert found["Joseph P. Turian"] == [
        "experiment turian2003-chinese",
        "gtm(exponent=1)",
        "nist(information=False)",
        "gtm(exponent=2)",
    ]
    assert found["Kishore Papineni"] == ["bleu"]
    assert found["National Institute of Standards and Technology"] == ['case(tokenizer="13a")']
    assert found["Shaped like Multiple-Translation Chinese"] == ["corpus mtc-chinese"]


def test_a_config_with_panels_cites_what_any_of_them_uses():
    found = cited("finch2004")
    assert found["Kishore Papineni"][0] == 'bleu(length="shortest")'
    assert "nist(order=1)" in found["George Doddington"]


def test_a_config_cites_the_metrics_of_single_corpora(tmp_path):
    write(tmp_path / "tiny")
    (tmp_path / "mine.toml").write_text(
        'title = "Mine"\ncorpora = ["tiny"]\nmetrics = ["wer"]\ndocuments.kind = "all"\n'
        'preprocessing = ["case"]\n[by_corpus.tiny]\nmetrics = ["bleu"]\npreprocessing = ["stem"]\n'
    )
    found = cited(str(tmp_path / "mine.toml"))
    assert found["Kishore Papineni"] == ["bleu"]
    assert found["Martin F. Porter"] == ["stem"]


def test_corpora_by_name_without_making_or_fetching_them(tmp_path, monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path))
    text = metaeval.cite(["summeval", "mtc-chinese"])

    assert "Re-evaluating Summarization Evaluation" in text
    assert "metaeval corpus simulate mtc-chinese --seed 1." in text
    assert list(tmp_path.iterdir()) == []
    assert keys("summeval", "mtc-chinese") == ["metaeval", "corpus-summeval", "corpus-mtc-chinese"]


def test_a_corpus_by_path_cites_what_its_corpus_toml_says(tmp_path):
    corpus = write(tmp_path / "mine", corpus='citation = "Doe (2024): Texts & grades."\n' + TOML)
    assert "Doe (2024): Texts & grades.\n    for corpus tiny" in metaeval.cite([str(corpus)])
    assert r"note = {Doe (2024): Texts \& grades.}" in metaeval.cite([str(corpus)], form="bibtex")


def test_files_in_other_formats_are_corpora_too(tmp_path):
    table = tmp_path / "mine.tsv"
    table.write_text("system\tsegment\ttext\nA\t1\tx y\nB\t1\tz\n")
    assert "Corpus mine." in metaeval.cite([str(table)])


def test_a_run_tells_what_it_used_though_the_corpus_has_gone(tmp_path):
    description = 'citation = "Doe (2024): Texts."\nsource = "a drawer"\n' + TOML
    corpus = write(tmp_path / "corpus", corpus=description)
    config = tmp_path / "mine.toml"
    config.write_text(
        f"title = 'Mine'\nsource = 'Roe (2025): A study.'\ncorpora = ['{corpus}']\nmetrics = ['bleu(order=1)']\n"
        "preprocessing = ['stem']\ncriteria = ['adequacy']\n[documents]\nkind = 'all'\n"
    )
    metaeval.run(config, output=tmp_path / "run")
    before = metaeval.cite([str(config)])
    for path in sorted(corpus.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    found = metaeval.cite([str(tmp_path / "run")])

    assert "Roe (2025): A study.\n    for experiment mine" in found
    assert "a drawer. Doe (2024): Texts.\n    for corpus tiny" in found
    assert "\n    for bleu(order=1)" in found
    assert "Martin F. Porter (1980)" in found
    # A run has a coefficient too, Spearman's unless another one is asked for.
    assert found.partition("\n\nCharles Spearman")[0] == before
    assert keys(str(tmp_path / "run")) == [
        "metaeval", "roe-2025-a-study", "papineni2002", "porter1980", "corpus-tiny", "spearman1904"
    ]  # fmt: skip
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["source"] == "Roe (2025): A study."

    # A run made when the default was another: what was done stands in its tables, not in its config.
    stored = tmp_path / "run" / "config.toml"
    stored.write_text(stored.read_text().replace('preprocessing = [\n    "stem",\n]\n', ""))
    assert "preprocessing" not in stored.read_text()
    signed(tmp_path / "run")
    assert metaeval.cite([str(tmp_path / "run")]) == found


def test_a_known_name_goes_before_a_directory_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bleu").mkdir()
    assert keys("bleu") == ["metaeval", "papineni2002"]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("blue", 2, "unknown name 'blue'; did you mean 'bleu'?"),
        ("bleu(ordr=1)", 2, "metric 'bleu': unknown parameter 'ordr'; did you mean 'order'?"),
        ("bleu(order=", 2, "a name must look like bleu or gtm(exponent=2); got 'bleu(order='"),
        ("stem(tokenizer='12a')", 2, "unknown tokenizer '12a'"),
        ("run", 2, "manifest.json: is not the manifest of a run"),
        ("old.toml", 2, "old.toml:1: the config: unknown key 'titel'"),
        ("empty", 3, "empty: is in no format that is recognised"),
    ],
)
def test_what_cannot_be_cited_is_told(tmp_path, monkeypatch, capsys, name, code, message):
    monkeypatch.chdir(tmp_path)
    for folder in ("run", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "run" / "manifest.json").write_text("[1]")
    (tmp_path / "old.toml").write_text("titel = 'x'\n")
    assert main(["cite", name]) == code
    out, err = capsys.readouterr()

    assert out == ""
    assert message in err


def test_another_format_is_refused(capsys):
    with pytest.raises(metaeval.UsageError, match=r"unknown format 'bib'; did you mean 'bibtex'\?"):
        metaeval.cite(form="bib")
    with pytest.raises(SystemExit):
        main(["cite", "--format", "bib"])
    assert "--format must be text or bibtex; got 'bib'." in capsys.readouterr().err


def test_an_experiment_that_follows_no_paper_cites_what_it_uses(tmp_path):
    config = tmp_path / "mine.toml"
    config.write_text('title = "Mine"\ncorpora = ["demo"]\nmetrics = ["wer"]\ndocuments = { kind = "all" }\n')
    assert not any(name.startswith("experiment") for used in cited(str(config)).values() for name in used)
    assert "metaeval" in keys(str(config))
