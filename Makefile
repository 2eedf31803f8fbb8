# make run    installs what is missing, loads the demo data once and serves on http://127.0.0.1:8000
# make test   everything: rules of the house, types, tests on SQLite and PostgreSQL, coverage bars
# Needs Python 3.11+, git and make. PORT=8080 takes another port, PYTHON=python3.12 another Python.

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
endif
PORT ?=
JOBS ?= logical
TESTS ?= tests
BIN := .venv/bin
PYTEST = $(BIN)/python -m pytest $(TESTS) $(SPREAD)
MEASURING = $(BIN)/python -m pytest $(addprefix tests/,$(MEASURED)) $(SPREAD)
SPREAD := -n $(JOBS) --dist loadgroup

.DEFAULT_GOAL := run
.PHONY: run setup setup-dev test test-long bench lint screenshots format lock clean python

run: setup
	@exec $(BIN)/tramita run $(if $(PORT),--port '$(PORT)')

setup: python
	@"$(PYTHON)" tools/setup.py

setup-dev: python
	@"$(PYTHON)" tools/setup.py --dev

python:
	@test -n "$(PYTHON)" || { echo "Tramita precisa do Python 3.11 ou mais novo e nenhum foi encontrado."; \
	echo "Instale-o (no Debian 12: sudo apt install python3 python3-venv) ou aponte: make run PYTHON=/caminho/python3.12"; exit 1; } >&2
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "PYTHON=$(PYTHON) não é um Python 3.11 ou mais novo."; \
	echo "Aponte para um: make run PYTHON=/caminho/python3.12, ou deixe o make procurar: unset PYTHON"; exit 1; } >&2

# Tests of the rooms that are held to a bar run with their branches counted, which makes them twice as slow; all others
# run without. Both parts run, whatever the first one says.
MEASURED := law engine audit cases cli registry documents outbox histories machine
test: setup-dev
ifeq ($(TESTS),tests)
	@rm -f .coverage .coverage.*
	@$(PYTEST) $(addprefix --ignore=tests/,$(MEASURED)); others=$$?; \
	$(MEASURING) --cov --cov-report=json:.coverage.json && \
	$(BIN)/python tools/coverage_bar.py .coverage.json && exit $$others
else
	$(PYTEST)
endif

# Adds the long stories: thousands of random cases, races and crashes repeated (marked `long`).
test-long: setup-dev
	$(PYTEST) --long

# How fast it is on this machine, on SQLite and PostgreSQL (docs/performance.md): WHAT="acts --times 3"
WHAT ?= all
bench: setup-dev
	@$(BIN)/python tools/bench.py $(WHAT)

lint: setup-dev
	$(BIN)/ruff check app tests tools
	$(BIN)/ruff format --check app tests tools
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo --no-cache

# The pictures of the README, from a demo on a fixed day; needs Chromium.
screenshots: setup-dev
	@$(BIN)/python -m tests.browser.pictures

format: setup-dev
	$(BIN)/ruff check --fix app tests tools
	$(BIN)/ruff format app tests tools

# After a change of dependencies in pyproject.toml; UPGRADE=--upgrade takes newer versions too.
UPGRADE ?=
COMPILE = $(BIN)/uv pip compile -q --generate-hashes --universal --no-annotate --no-header \
	--python-version 3.11 $(UPGRADE)
lock: setup
	$(COMPILE) pyproject.toml tools/build.in -o requirements.lock
	$(COMPILE) pyproject.toml tools/build.in --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .venv-node frontend/node_modules app/web/static/build build dist *.egg-info
	rm -rf .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find app tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
