# make quickstart | setup | test | check | ui
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_OPTIONS ?=
PIP := $(BIN)/python -m pip install --disable-pip-version-check -q $(PIP_OPTIONS) -c constraints.txt
FULL := ranx,ragas,sweep,local,api,test

.PHONY: quickstart setup test test-all check format ui clean

quickstart: $(VENV)/core ## the bundled questions, scored: bm25, dense and hybrid
	$(BIN)/python run.py +experiment=quickstart
	@echo "Look at it in the browser: make ui"

setup: $(VENV)/full ## everything but torch

test: $(VENV)/full ## the fast tests
	$(BIN)/python -m pytest -n 2 -m "not slow and not server"

test-all: $(VENV)/full ## the slow tests and those that start a server, too
	$(BIN)/python -m pytest -n 2

check: $(VENV)/full ## what CI runs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 -m "ci or (not slow and not server)"

format: $(VENV)/full
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

ui: $(VENV)/core ## the runs, in the browser
	MLFLOW_DISABLE_TELEMETRY=true $(BIN)/mlflow ui --backend-store-uri sqlite:///runs/mlflow.db --port 5000

$(VENV)/core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	if test -f $(VENV)/full; then $(MAKE) $(VENV)/full; else $(PIP) -e .; fi
	@touch $@

$(VENV)/full: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[$(FULL)]"
	@touch $@ $(VENV)/core

clean: ## the environment; runs/ stays
	rm -rf $(VENV)
