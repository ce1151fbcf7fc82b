"""The JSON Schema by which editors check configs: made from the code, and of one mind with it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from metaeval.errors import UsageError
from metaeval.experiment.config_file import shipped_configs
from metaeval.papers.config import load_config
from tests.support.scripts import load_script

ROOT = Path(__file__).parents[2]
SHIPPED = json.loads((ROOT / "configs" / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SHIPPED)


def test_what_ships_is_what_the_code_gives():
    """`python scripts/config_schema.py` writes it."""
    assert load_script("config_schema").config_schema() == SHIPPED
    jsonschema.Draft7Validator.check_schema(SHIPPED)


@pytest.mark.parametrize("path", shipped_configs().values(), ids=lambda path: path.stem)
def test_configs_that_ship_are_valid_and_name_the_schema(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("#:schema ./schema.json\n")
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))] == []


SMALL = {
    "title": '"mine"',
    "corpora": '["demo"]',
    "metrics": '["bleu", "ter"]',
    "documents": '{kind = "all"}',
    "uncertainty": '{method = "bootstrap"}',
}


@pytest.mark.parametrize(
    ("key", "value", "is_right"),
    [
        ("seed", "3", True),
        ("seed", "-1", False),
        ("seed", '"3"', False),
        ("sed", "3", False),
        ("criteria", '"all"', True),
        ("criteria", '["adequacy"]', True),
        ("criteria", '"adequacy"', False),
        ("references", '{subsets = "each"}', True),
        ("references", '{subsets = ["ref1+ref2"]}', True),
        ("references", '{subset = "each"}', False),
        ("documents", '{kind = "pseudo", lengths = [10], replacement = true}', True),
        ("documents", '{kind = "pseudo", lengths = [0]}', False),
        ("documents", '{kind = "random", lengths = [10]}', False),
        ("uncertainty", "{confidence_level = 0.9}", True),
        ("uncertainty", "{confidence_level = 1}", False),
        ("tests", '[{method = "williams"}]', True),
        ("tests", '[{method = "williams", correction = "none"}]', True),
        ("tests", "[]", True),
        ("tests", "[{alpha = 0.1}]", True),
        ("tests", "[{alpha = 1.1}]", False),
        ("tests", '[{methods = "williams"}]', False),
        ("uncertainty", '{method = "denoised", resample = "documents"}', True),
        ("uncertainty", '{resample = "judges"}', False),
        ("figures", '[{kind = "heat-table", width = "column"}]', True),
        ("figures", '[{kind = "heatmap"}]', False),
        ("figures", '[{width = "column"}]', False),
        ("panels", '[{title = "a", metrics = ["wer"]}, {title = "b"}]', True),
        ("panels", '[{metrics = ["wer"]}]', False),
        ("panels", '[{title = "a", seed = 2}]', False),
        ("claims", '[{paper = "so", statement = "bleu above ter"}]', True),
        ("claims", '[{paper = "so"}]', False),
        ("metrics", "[]", True),
    ],
)
def test_an_editor_says_what_the_program_says(key, value, is_right, tmp_path):
    text = "\n".join(f"{name} = {given}" for name, given in {**SMALL, key: value}.items())
    assert VALIDATOR.is_valid(tomllib.loads(text)) == is_right
    (tmp_path / "mine.toml").write_text(text)
    # Panels may bring metrics, and without panels there must be some.
    if is_right and (key, value) != ("metrics", "[]"):
        load_config(tmp_path / "mine.toml")
    else:
        with pytest.raises(UsageError):
            load_config(tmp_path / "mine.toml")


def test_what_is_missing_is_missing():
    assert not VALIDATOR.is_valid({"title": "mine", "corpora": ["demo"]})
    assert VALIDATOR.is_valid({"corpora": ["demo"], "metrics": ["bleu"], "panels": [{"title": "a"}]})
