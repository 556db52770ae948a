# Every target does its own set-up: a virtual environment in .venv with the pinned ranges of pyproject.toml.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STORE ?= file://$(CURDIR)/demo-lake/store
LISTEN ?= 127.0.0.1:5432
JOBS ?= 2
TEST_JOBS ?= 2
WORKLOADS ?= 200
FUZZ_SECONDS ?= 120
SEED ?= 7
KILLS ?= 200
SOAK_MINUTES ?= 30
MANY_LAKES ?= 500
SCHEDULES ?= 5000
WRITERS ?= 8
SECONDS ?= 300
FILES ?= 20000 200000
# For conformance: a checkout of DuckLake's sources, and the DuckDB line that runs its files
SUITE ?=
CLIENT ?=

# Processes that are started anew would compile every module they import, each time.
unexport PYTHONDONTWRITEBYTECODE

LINE = $(or $(CLIENT),1.5)
BASELINES := tests/conformance/baselines
# Files that PostgreSQL has to skip (63-byte names, aborted transactions, a second database by a suffix) and RockLake runs
BEYOND := long_column_name_inlining test_deletion_inlining_concurrent count_star_optimization_file_operations
OWN_FILES = --baseline $(BASELINES)/own-files-duckdb-$(LINE).json $(if $(CLIENT),--client $(CLIENT))
UPSTREAM = --baseline $(BASELINES)/postgres-15-duckdb-$(LINE).json --client $(LINE) --suite $(SUITE) --timeout 600 $(BEYOND:%=--run-skipped %)

.DEFAULT_GOAL := help
.PHONY: help install demo serve test lint check format generate bench bench-alone bench-big bench-page bench-writers \
	conformance console-pictures differential budgets rollbacks history interleaving crash-points adhoc-queries fuzz \
	soak many-lakes clean

##@ Use it
demo: $(VENV)/.installed-demo ## Watch a real DuckDB create, fill, change and time-travel a lake through the server
	$(BIN)/python demo/demo.py

serve: $(VENV)/.installed-demo ## Run the server (STORE=file:///folder LISTEN=127.0.0.1:5432)
	$(BIN)/rocklake serve --store $(STORE) --listen $(LISTEN)

##@ Work on it
install: $(VENV)/.installed-dev ## Make the development environment

test: $(VENV)/.installed-dev ## Run the whole test suite, real DuckDB end to end included (TEST_JOBS=2)
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile

lint: $(VENV)/.installed-dev ## Style, types, import contracts, generated files
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_generated_files.py tests/cli/test_reference.py tests/server/admin/test_metrics.py tests/test_tidy.py

check: lint ## Lint and the fast tests: the gate before a commit
	$(BIN)/python -m pytest -q -m "not duckdb and not postgres and not slow"

format: $(VENV)/.installed-dev ## Sort imports and apply safe fixes
	$(BIN)/ruff check --fix .

generate: $(VENV)/.installed-dev ## Write proto/catalog.proto, sql/schema.sql and docs/reference from what is declared
	$(BIN)/python -m rocklake_server.schema.generate
	$(BIN)/python -m rocklake_server.cli.reference
	$(BIN)/python -m rocklake_server.server.admin.reference

bench: $(VENV)/.installed-dev ## Measure the server beside a PostgreSQL on this machine
	$(BIN)/python -m benchmarks.side_by_side --json bench-results/side_by_side.json --plot bench-results/side_by_side.svg

bench-alone: $(VENV)/.installed-dev ## Measure what the server has to reach whatever PostgreSQL does
	$(BIN)/python -m benchmarks.alone --json bench-results/alone.json

bench-page: $(VENV)/.installed-dev ## Bring docs/performance.md up to date with the newest runs of both
	$(BIN)/python -m benchmarks.page

bench-writers: $(VENV)/.installed-dev ## Commits per second and failures of 1 to 64 DuckDB clients, near and far, beside PostgreSQL
	$(BIN)/python -m benchmarks.many_writers

bench-big: $(VENV)/.installed-dev ## Memory, cold start and plans of lakes with many files, beside PostgreSQL (FILES="20000 1000000")
	$(BIN)/python -m benchmarks.big_lake --files $(FILES) --postgres

conformance: $(VENV)/.installed-dev ## Run our sqllogictest files, or DuckLake's own (SUITE=/its/checkout CLIENT=1.4)
	$(BIN)/python -m tests.conformance --jobs $(JOBS) $(if $(SUITE),$(UPSTREAM),$(OWN_FILES))

differential: $(VENV)/.installed-dev ## Compare random DuckLake workloads with PostgreSQL (WORKLOADS=200 SEED=7)
	$(BIN)/python -m tests.differential --workloads $(WORKLOADS) --seed $(SEED)

interleaving: $(VENV)/.installed-dev ## Compare random interleaved transactions with PostgreSQL (SCHEDULES=5000)
	ROCKLAKE_INTERLEAVINGS=$(SCHEDULES) $(BIN)/python -m pytest -q -s tests/interleaving

budgets: $(VENV)/.installed-dev ## Hold what a commit may cost at a million rows; DuckDB's insert of 200,000 inlined rows, and 3,000 tables
	ROCKLAKE_MILLION_ROWS=1 $(BIN)/python -m pytest -q tests/catalog/test_budgets.py
	ROCKLAKE_MANY_INLINED_ROWS=1 ROCKLAKE_MANY_TABLES=1 $(BIN)/python -m pytest -q tests/e2e/test_beyond_postgres.py -k many

rollbacks: $(VENV)/.installed-dev ## Roll a lake back to every snapshot of a long script, and compare
	ROCKLAKE_EVERY_SNAPSHOT=1 $(BIN)/python -m pytest -q tests/cli/test_rollback.py

history: $(VENV)/.installed-dev ## Many DuckDB writers for long, then their journals against the lake (WRITERS=8 SECONDS=300)
	$(BIN)/python -m tests.history --writers $(WRITERS) --seconds $(SECONDS) --seed $(SEED)

crash-points: $(VENV)/.installed-dev ## Crash at every store request of a workload, and kill -9 inside commits (KILLS=200 SEED=7)
	$(BIN)/python -m tests.crash_points --kills $(KILLS) --seed $(SEED)

adhoc-queries: $(VENV)/.installed-dev ## Compare every statement of the ad-hoc tests with PostgreSQL, on both paths
	ROCKLAKE_ALL_QUERIES=1 $(BIN)/python -m pytest -n0 tests/adhoc

soak: $(VENV)/.installed-dev ## Writers, readers, maintenance, kills and store faults at once (SOAK_MINUTES=30 SEED=7)
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES) --seed $(SEED)

many-lakes: $(VENV)/.installed-dev ## Attach a lake among 500 in schemas and 500 in databases (MANY_LAKES=500)
	ROCKLAKE_MANY_LAKES=$(MANY_LAKES) $(BIN)/python -m pytest -n0 -s -q --timeout=3600 tests/e2e/test_several_lakes.py -k opening

fuzz: $(VENV)/.installed-fuzz ## Give every reader of bytes malformed ones, guided by coverage (FUZZ_SECONDS=120 for each)
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $(SEED)

console-pictures: $(VENV)/.installed-dev ## Write the pictures of the console page in docs/console.md (needs Chromium)
	$(BIN)/python -m tests.console.pictures

clean: ## Remove the environment and what tools left behind
	rm -rf $(VENV) fuzz-kept .venv-duckdb-* .mypy_cache .ruff_cache .pytest_cache .hypothesis demo-lake

##@ Help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*##"} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*##/ {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-demo: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[demo]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed-demo

$(VENV)/.installed-fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	@touch $@
