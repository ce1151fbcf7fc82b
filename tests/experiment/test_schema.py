from __future__ import annotations

from pathlib import Path

import pytest

from metaeval.errors import UsageError
from metaeval.experiment.config_file import shipped_configs
from metaeval.papers.config import load_config

TOML = """\
title = "A test"
corpora = ["demo"]
metrics = ["bleu"]

[documents]
kind = "pseudo"
lengths = [1, 2]

[[tests]]
method = "wilcoxon"

[[tests]]
method = 'wilcoxon(zeros="pratt")'
"""


def load(tmp_path: Path, text: str, **options):
    path = tmp_path / "my.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, **options)


@pytest.mark.parametrize("name", sorted(shipped_configs()))
def test_shipped_configs_are_valid(name):
    assert load_config(name).name == name


def test_defaults_and_overrides(tmp_path):
    config = load(tmp_path, TOML, overrides=["documents.count=7", "correlation.average_by='item'"]).experiment

    assert (config.seed, config.documents.count, config.documents.lengths) == (1, 7, (1, 2))
    assert [one.written for one in config.correlation.coefficients] == ["spearman"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('metrics = ["bleu"]', 'metrics = ["bleu", "blue"]', r"my\.toml:3: unknown metric 'blue'; did you mean 'bleu'"),
        ("lengths = [1, 2]", "lenghts = [1, 2]", r"my\.toml:7: the config: `documents`: unknown key 'lenghts'"),
        (
            "lengths = [1, 2]",
            "lengths = [1, 0]",
            r"my\.toml:7: .*`documents\.lengths\[1\]` must be at least 1 and at most 1000000; got 0",
        ),
        ("lengths = [1, 2]", "lengths = [1, 1]", r"my\.toml: `documents\.lengths` names one twice: \[1, 1\]"),
        ("lengths = [1, 2]", "", r"my\.toml: `documents\.lengths` is missing"),
        ('kind = "pseudo"', 'kind = "all"', r"`documents\.lengths` belongs to pseudo-documents, not to kind 'all'"),
        ("""'wilcoxon(zeros="pratt")'""", "'no-such'", r"my\.toml:13: unknown test 'no-such'"),
        (
            """'wilcoxon(zeros="pratt")'""",
            "'t'",
            r"my\.toml: the test 't' is for a mean over segments or real documents .* got `documents\.kind` 'pseudo'",
        ),
        ('title = "A test"', "", r"my\.toml:1: the config: `title` is missing \(what the experiment is about, in one"),
        ('title = "A test"', "title = ", r"my\.toml: is not valid TOML"),
        ('corpora = ["demo"]', "corpora = []", r"my\.toml: `corpora` must name at least one"),
        ('kind = "pseudo"', 'kind = "real"\nlengths = []', r"my\.toml: is not valid TOML: .*overwrite"),
    ],
)
def test_wrong_configs_are_refused_with_file_and_line(tmp_path, old, new, message):
    assert old in TOML
    with pytest.raises(UsageError, match=message):
        load(tmp_path, TOML.replace(old, new))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["documents.count"], r"`overrides` must be key=value, such as documents\.count=200; got 'documents\.count'"),
        (["title=A test"], r"`overrides` title=A test: 'A test' is not a TOML value .*Text and lists need quotes"),
        (
            ["documents.cuont=3"],
            r"^`overrides` documents\.cuont=3: `documents`: unknown key 'cuont'; did you mean 'count'\?",
        ),
        (
            ["documents.count=0"],
            r"^`overrides` documents\.count=0: `documents\.count` must be at least 1 and at most 1000000; got 0",
        ),
        (["sed=3"], r"^`overrides` sed=3: unknown key 'sed'; did you mean 'seed'\?"),
        (["metrics=['blue']"], r"^`overrides` metrics=\['blue'\]: unknown metric 'blue'; did you mean 'bleu'\?"),
        (["panels=3"], r"^`overrides` panels=3: `panels` must be a list of tables; got 3\."),
        (
            ["tests.method='williams'"],
            r"^`overrides` tests\.method: `tests` is a list; give all of it: \{'tests': \[\.\.\.\]\}\.",
        ),
        (
            ["read_as=['adequacy']"],
            r"`read_as` takes names such as 'adequacy=accuracy', the paper's and the corpus's; got 'adequacy'\.",
        ),
        (["correlation.average_by='none'"], r"a test over documents needs one coefficient for each document"),
        (["judgments.inter_judge=true"], r"`judgments\.inter_judge` needs rule 'draw'; got 'mean'"),
        (
            ["judgments.rule='draw'", "documents.kind='real'", "documents.lengths=[]"],
            r"the rule 'draw' needs documents of equal length",
        ),
        (
            ["figures=[{kind='correlation-by-length'}]", "documents.kind='all'", "documents.lengths=[]"],
            r"needs pseudo-documents",
        ),
        (["figures=[{kind='scatter'}]"], r"'scatter' shows whole systems and needs .*; got kind 'pseudo'"),
        (
            [
                "figures=[{kind='scatter'}]",
                "documents={kind='all'}",
                "references={subsets='each', combine='correlations'}",
            ],
            r"'scatter' needs one score for each system, and `references\.combine = \"correlations\"` has one for each",
        ),
        (["figures=[{kind='correlation-by-references'}]"], r"needs subsets of several sizes"),
        (["figures=[{kind='nist-share'}]"], r"needs nist of every order"),
        (["figures=[{kind='intervals', together=true}]"], r"`together` belongs to the kind 'correlation-by-length'"),
        (["figures=[{kind='judges', judges=['a']}]"], r"must name two different judges"),
        (["figures=[{kind=['judges']}]"], r"`figures\[0\]\.kind` must be one of .*; got \['judges'\]"),
        (["figures=[{width='page'}]"], r"`figures\[0\]\.kind` is missing"),
        (["figures=['judges']"], r"`figures\[0\]` must be a table; got 'judges'"),
        (["figures=[{kind='intervals', judges=['a', 'b']}]"], r"unknown key 'judges'\. Known keys: 'width'"),
        (
            ["figures=[{kind='intervals', width='wide'}]"],
            r"unknown width 'wide'. Known widths: 'column', 'page', 'acl', .* Or give inches, such as 3\.03",
        ),
    ],
)
def test_wrong_overrides_are_refused(tmp_path, overrides, message):
    with pytest.raises(UsageError, match=message):
        load(tmp_path, TOML, overrides=overrides)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["references.subsets=[]"],
            r"my\.toml with `overrides` references\.subsets=\[\]: `references\.subsets` must name at least",
        ),
        (["judgments.judges=[]"], r"`judgments\.judges` must name at least one"),
        (["correlation.coefficients=[]"], r"`correlation\.coefficients` must name at least one"),
        (['correlation.coefficients=["spearman", "spearman(ties=\'average\')"]'], r"coefficients` names one twice"),
        (
            ["documents.kind='all'", "documents.lengths=[]", "documents.count=5"],
            r"belong to pseudo-documents, not to kind",
        ),
        (["seed=3\ntitle='x'"], r"is more than one value"),
    ],
)
def test_lists_that_are_empty_or_repeat_and_settings_that_do_nothing_are_refused(tmp_path, overrides, message):
    with pytest.raises(UsageError, match=message):
        load(tmp_path, TOML, overrides=overrides)


def test_a_config_may_begin_with_a_byte_order_mark(tmp_path):
    assert load(tmp_path, "\ufeff" + TOML).experiment.title == "A test"


def test_a_shipped_name_is_never_a_path_and_other_names_resolve_where_they_stand(tmp_path, monkeypatch):
    for folder in ("demo", "mine"):
        (tmp_path / "here" / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert load(tmp_path, TOML, corpora=["demo", "mine"]).experiment.corpora == (
        "demo",
        str(tmp_path / "here" / "mine"),
    )


def test_paths_are_relative_to_the_config_and_names_stay_names(tmp_path):
    (tmp_path / "mine").mkdir()
    config = load(tmp_path, TOML.replace('["demo"]', '["demo", "mine", "./other"]')).experiment

    assert config.corpora == ("demo", str(tmp_path / "mine"), str(tmp_path / "other"))


def test_a_config_that_is_not_there_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match=r"unknown config 'turian2003-chines'; did you mean 'turian2003-chinese'\?"):
        load_config("turian2003-chines")
    with pytest.raises(UsageError, match="is a directory; a config is a TOML file"):
        load_config(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"title = '\xe9'")
    with pytest.raises(UsageError, match="is not UTF-8, at byte 9"):
        load_config(tmp_path / "latin.toml")


GRID = ["documents={kind='segments'}", "correlation={coefficients=['soft-pairwise-accuracy']}", "tests=[]"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["judgments.ceiling=10"],
            r"`judgments\.ceiling` has no ceiling for the coefficient 'soft-pairwise-accuracy'\.",
        ),
        (
            ["tests=[{method='permutation'}]"],
            r"does not take the coefficient 'soft-pairwise-accuracy'; choose the test 'bootstrap'",
        ),
    ],
)
def test_what_grids_do_not_take_is_refused(tmp_path, overrides, message):
    assert load(tmp_path, TOML, overrides=GRID).experiment.correlation.average_by == "none"
    with pytest.raises(UsageError, match=message):
        load(tmp_path, TOML, overrides=[*GRID, *overrides])


def test_the_config_of_a_run_has_the_name_of_the_run_if_there_is_one(tmp_path):
    (tmp_path / "config.toml").write_text(TOML)
    assert load_config(tmp_path / "config.toml").name == "config"
    (tmp_path / "manifest.json").write_text('{"config": "mine"}')
    assert load_config(tmp_path / "config.toml").name == "mine"
    (tmp_path / "manifest.json").write_text("[]")
    assert load_config(tmp_path / "config.toml").name == "config"


def test_a_config_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    (tmp_path / "my.toml").write_text(TOML)

    def refused(path, *_, **__):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(UsageError, match=r"my\.toml: cannot be read: Permission denied\."):
        load_config(tmp_path / "my.toml")


def test_values_that_are_nested_too_deeply_are_refused(tmp_path):
    deep = "[" * 20_000
    with pytest.raises(
        UsageError, match=r"^`overrides` seed=\[{75}: .* is not a TOML value \(it is nested too deeply\)\."
    ):
        load_config("system-level", overrides=[f"seed={deep}"])
    (tmp_path / "my.toml").write_text(f"{TOML}\nmore = {deep}")
    with pytest.raises(UsageError, match=r"my\.toml: is not valid TOML: it is nested too deeply\."):
        load_config(tmp_path / "my.toml")
