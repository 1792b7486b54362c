# One command to see it (make demo), one to prove it (make test). Both make .venv first and are quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
# Twice quiet: errors are shown, but no warning about every index that lacks a package.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
SOURCES := src tests benchmarks
NODE_STAMP := node_modules/.package-lock.json
NO_NODE := Node.js 18 or newer with npm is missing, so the page's JavaScript is not checked. Debian: apt-get install nodejs npm

# The tests start many processes: what each would compile anew is kept.
unexport PYTHONDONTWRITEBYTECODE
# More than cores: tests of servers and of the page mostly wait.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)) * 3 // 2)' 2>/dev/null || echo auto)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check check-page test-slow bench bench-quick docs clean

help: ## list these commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("tgap needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing torch, tgap and what they need into $(VENV): once, a few minutes ..."
	@$(PIP) torch==2.13.0
	@$(PIP) --editable '.[dev]'
	@touch $@

setup: $(STAMP) ## make .venv and install tgap with all it needs
	@echo "Ready: $(BIN)/tgap --help"

demo: $(STAMP) ## train on the embedded world, evaluate, answer a question with its reasons, write a report
	$(BIN)/tgap demo

$(NODE_STAMP): package.json package-lock.json
	@echo "Installing the tools that check the page's JavaScript into node_modules: once ..."
	@npm ci --silent
	@touch $@

check: $(STAMP) check-page ## format, lint, types and import contracts; Python and the page's JavaScript
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

ifneq ($(shell command -v npm 2>/dev/null),)
check-page: $(NODE_STAMP) ## format and lint of the page's JavaScript (needs Node.js; without it only CI=true fails)
	node_modules/.bin/biome check --error-on-warnings
else
check-page:
	@echo "$(NO_NODE)" >&2; test "$$CI" != true
endif

test: check ## check, then the default test suite
	$(BIN)/python -m pytest -n $(WORKERS)

test-slow: $(STAMP) ## shipped models on whole test splits, eighty planted causes, the server under load, Ray clusters where Ray is installed; random searches
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m pytest -n auto --hypothesis-profile default -m 'not slow' -k 'not (web or server or cli)'

bench: $(STAMP) ## all speed measurements on an idle machine, about 25 minutes, written to benchmarks/results
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/explain.py icews14 --study both
	$(BIN)/python -m benchmarks.explorer
	$(BIN)/python benchmarks/load.py world

bench-quick: $(STAMP) ## the main numbers in under a minute; the last line is JSON
	$(BIN)/python benchmarks/engine.py --quick

docs: $(STAMP) ## write the generated reference pages anew
	$(BIN)/python docs/generate.py

clean: ## remove .venv, caches and the demo's files
	rm -rf $(VENV) node_modules demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
