# `make demo` and `make test` set up everything they need in .venv; PYTHON chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test test-long test-plain coverage lint docs dist test-wheel notebooks bench bench-quick sanitize sanitize-fuzz clean

help:
	@echo "make demo   run Turian's experiment on the corpus that ships; figures in runs/demo/figures"
	@echo "make test   run the tests"
	@echo "make test-long  run what takes long by nature: whole experiments twice, kills at any moment, every figure in every width"
	@echo "make test-plain  run the tests of metrics and text on the plain definitions, without compiled kernels"
	@echo "make lint   ruff and mypy --strict"
	@echo "make docs   the documentation, in build/docs/index.html"
	@echo "make dist   the wheel and the sdist, in dist/"
	@echo "make test-wheel  the wheel in fresh environments, with the newest and the lowest versions of what it needs"
	@echo "make coverage  the tests, and which lines and branches they leave out"
	@echo "make notebooks  run the notebooks and write them with what they print and draw"
	@echo "make bench  time metaeval side by side with what people use today; make bench-quick sees whether that runs"
	@echo "make sanitize, make sanitize-fuzz  the compiled kernels under AddressSanitizer and UBSan"
	@echo "make clean  remove the virtual environment and what was built"

# Users need `.installed`; tests, documentation and lint need `.installed-dev`, which includes it.
$(VENV)/.installed-dev: GROUPS := --group test --group docs
$(VENV)/.installed $(VENV)/.installed-dev: pyproject.toml constraints.txt $(wildcard metaeval/kernels/*.[ch])
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --upgrade pip -c constraints.txt
	$(BIN)/python -m pip install -qq --editable . $(GROUPS) -c constraints.txt
	touch $(VENV)/.installed $@

demo: $(VENV)/.installed
	$(BIN)/metaeval run turian2003-chinese --corpus demo --output runs/demo
	@echo "The figures: runs/demo/figures/correlation-by-length.png (and .pdf)"

# A process for each core; a worker that is idle takes tests of another.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=8 --dist=worksteal

test: $(VENV)/.installed-dev
	METAEVAL_REQUIRE_KERNELS=1 $(PYTEST)

test-long: $(VENV)/.installed-dev
	METAEVAL_REQUIRE_KERNELS=1 $(PYTEST) -m long

# Where the plain definitions are used.
PLAIN := tests/correlation/test_tie_calibration.py tests/metrics tests/sampling tests/text tests/api/test_score.py

test-plain: $(VENV)/.installed-dev
	METAEVAL_REQUIRE_KERNELS=0 $(PYTEST) $(PLAIN)

coverage: $(VENV)/.installed-dev
	METAEVAL_REQUIRE_KERNELS=1 $(PYTEST) --cov --cov-report=
	METAEVAL_REQUIRE_KERNELS=0 $(PYTEST) --cov --cov-append $(PLAIN) --cov-report=term-missing:skip-covered \
		--cov-report=html:build/coverage

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky --quiet -b html docs build/docs
	@echo "The documentation: build/docs/index.html"

# The wheel is built from the sdist, so that the sdist is known to be whole.
dist: $(VENV)/.installed-dev
	rm -rf dist
	$(BIN)/python -m pip install -qq --group dist -c constraints.txt
	PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	if [ "$$(uname)" = Linux ]; then $(BIN)/python -m auditwheel show dist/*.whl; fi
	@if grep -q '^repository = ""' pyproject.toml; then echo "No release yet: \`repository\` of [tool.metaeval] in" \
		"pyproject.toml is empty, so the package has no links and those of its README are relative."; fi

test-wheel: dist
	$(BIN)/python scripts/check_wheel.py dist/*.whl

notebooks: $(VENV)/.installed-dev
	$(BIN)/python -m pip install -qq --group notebooks -c constraints.txt
	$(BIN)/python scripts/make_notebooks.py

# Peers without a package, and public corpora, as folders:
# make bench PEERS="--mt-metrics-eval DIR --nlpstats DIR" JOBS="--corpora DIR --profile"
PEERS ?=
JOBS ?=

bench: .venv-bench/.installed
	.venv-bench/bin/python scripts/bench_grid.py
	.venv-bench/bin/python scripts/bench_jobs.py $(JOBS)
	.venv-bench/bin/python scripts/bench_metrics.py
	.venv-bench/bin/python scripts/bench_statistics.py $(PEERS)
	.venv-bench/bin/python scripts/bench_parallel.py

bench-quick: .venv-bench/.installed
	.venv-bench/bin/python scripts/bench_metrics.py --quick
	.venv-bench/bin/python scripts/bench_statistics.py --quick $(PEERS)

# The programs that metaeval is timed against live in an environment of their own.
.venv-bench/.installed: pyproject.toml constraints.txt scripts/bench-requirements.txt $(wildcard metaeval/kernels/*.[ch])
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -qq --upgrade pip -c constraints.txt
	.venv-bench/bin/python -m pip install -qq --editable . -r scripts/bench-requirements.txt -c constraints.txt
	touch $@

# The kernels under AddressSanitizer and UBSan: their tests with the gold, and random input for MINUTES.
# PYTHONSAFEPATH: `python -m` would take the package of this directory, which is not the one that was built for it.
MINUTES ?= 30
SANITIZED := build/sanitized
SANITIZER := LD_PRELOAD=$$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONSAFEPATH=1 PYTHONPATH=$(CURDIR)/$(SANITIZED):$(CURDIR) \
	METAEVAL_REQUIRE_KERNELS=1

$(SANITIZED)/.installed: $(VENV)/.installed-dev $(wildcard metaeval/kernels/*)
	rm -rf build
	CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1" \
		LDFLAGS="-fsanitize=address,undefined" \
		$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --target $(SANITIZED) .
	rm -rf build/lib* build/temp* build/bdist*  # nothing of this build may get into another
	touch $@

sanitize: $(SANITIZED)/.installed
	$(SANITIZER) $(BIN)/python -m pytest -o pythonpath= -p no:cacheprovider tests/kernels tests/metrics -k "kernels or gold"

sanitize-fuzz: $(SANITIZED)/.installed
	$(SANITIZER) $(BIN)/python scripts/fuzz_kernels.py --minutes $(MINUTES)

clean:
	rm -rf $(VENV) .venv-bench build dist docs/reference/generated *.egg-info runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
