# `make demo` and `make test` set up everything they need in .venv; PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test lint bench clean

help:
	@echo "make demo   run Turian's experiment on the corpus that ships; figures in runs/demo/figures"
	@echo "make test   run the tests"
	@echo "make lint   ruff and mypy --strict"
	@echo "make bench  time metaeval side by side with what people use today"
	@echo "make clean  remove the virtual environment and what was built"

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade pip -c constraints.txt
	$(BIN)/python -m pip install -qq --editable ".[test]" -c constraints.txt
	touch $@

demo: $(VENV)/.installed
	$(BIN)/metaeval run turian2003-chinese --corpus demo --output runs/demo
	@echo "The figures: runs/demo/figures/correlation-by-length.png (and .svg, .pdf)"

test: $(VENV)/.installed
	$(BIN)/python -m pytest

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed
	$(BIN)/python scripts/bench_grid.py

clean:
	rm -rf $(VENV) build dist *.egg-info runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
