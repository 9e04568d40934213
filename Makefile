# Verbs: setup, run, test, lint, bench, docs, proto, lock, train-slice, train-remote. `make help` explains them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
TSC := web/node_modules/.bin/tsc
MINUTES ?= 30
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-torch setup-dev run test lint bench docs proto lock train-slice train-remote clean

help:
	@echo "make run          set everything up and start the app on http://127.0.0.1:8000"
	@echo "make test         set everything up (with torch, about 5.5 GB) and run all tests"
	@echo "make setup        only the light install into $(VENV), without torch"
	@echo "make lint         ruff, mypy, bandit and, after npm ci in web/, the page's types"
	@echo "make bench        time the walk from drawing to animation, step by step"
	@echo "make docs         draw the pictures in docs/ anew"
	@echo "make train-slice  train both models for MINUTES=$(MINUTES) more minutes"
	@echo "make proto        translate the gRPC messages into Python anew"
	@echo "make train-remote train on machine HOST for MINUTES=$(MINUTES), bring the checkpoints back"
	@echo "make lock         resolve the locked versions anew"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Animator needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@echo "Making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.base: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing (about 600 MB on disk) ..."
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps -e .
	@touch $@

$(VENV)/.torch: requirements-torch.lock $(VENV)/.base
	@echo "Installing torch (about 5.5 GB on disk; this takes minutes) ..."
	@$(PIP) --require-hashes -r requirements-torch.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.torch
	@echo "Installing the tools for tests ..."
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.base

setup-torch: $(VENV)/.torch

setup-dev: $(VENV)/.dev

run: setup
	@if command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L >/dev/null 2>&1; then \
		$(MAKE) --no-print-directory setup-torch; fi
	@$(BIN)/animator serve $(ARGS)

# Unit tests share nothing; the others start servers and browsers, which are to have the machine.
test: setup-dev
ifeq ($(strip $(ARGS)),)
	@$(BIN)/python -m pytest tests/unit -n auto --maxprocesses 4 --dist loadfile; unit=$$?; \
		$(BIN)/python -m pytest --ignore=tests/unit && exit $$unit
else
	@$(BIN)/python -m pytest $(ARGS)
endif

lint: setup-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/bandit --quiet --recursive --configfile pyproject.toml serving
	@if [ -x $(TSC) ]; then $(TSC) --project web/jsconfig.json; \
		else echo "The page's types are not checked: run npm ci in web/."; fi

bench: setup
	@$(BIN)/python -m benchmarks.walk $(ARGS)

docs: setup-dev
	@$(BIN)/python docs/make_pictures.py $(ARGS)
	@$(BIN)/python docs/draw_backgrounds.py $(ARGS)
	@$(BIN)/python -m docs.draw_factors
	@$(BIN)/python -m docs.draw_rigs
	@$(BIN)/python -m docs.draw_page
	@$(BIN)/python -m docs.draw_trace

train-slice: setup-dev
	@nice -n 19 $(BIN)/python -m models.training.train all --minutes $(MINUTES)

proto: setup-dev
	@$(BIN)/python -m serving.protocol.proto.generate

train-remote: setup-dev
	@models/training/remote.sh $(HOST) $(MINUTES)

COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-annotate \
	--no-header --no-emit-index-url --no-emit-find-links --no-emit-options

lock: | $(BIN)/python
	@$(BIN)/pip install --quiet pip-tools
	@$(COMPILE) -o requirements.lock pyproject.toml
	@$(COMPILE) -c requirements.lock --extra s3 -o requirements-s3.lock pyproject.toml
	@$(COMPILE) -c requirements-s3.lock --extra torch -o requirements-torch.lock pyproject.toml
	@$(COMPILE) -c requirements-torch.lock --extra otel -o requirements-otel.lock pyproject.toml
	@$(COMPILE) -c requirements-torch.lock --extra torch --extra s3 --extra dev \
		-o requirements-dev.lock pyproject.toml

clean:
	@rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
