# On a machine with Python 3.11 or newer, git and make: `make run` and `make test` do the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RESULTS ?= results
# A missing backend must fail the tests, not skip them. Backends that compile each operator for each
# dtype see fewer of Hypothesis' examples, but all the operations and algorithms.
PLAIN_BACKENDS := reference,scipy
COMPILED_BACKENDS := suitesparse,jit
# On one rank here; tests/mpi starts grids of several.
GRID_BACKENDS := mpi
# No GPU is needed: compiled kernels run in an emulator, and what surrounds them in Numba's simulator.
GPU_BACKENDS := cuda
# Each commit is tested on random programs and files of its own, and twice on the same.
COMMIT_SEED = $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1))))
# Dtypes for which kernels are compiled with bounds checks; none means all.
CHECKED_DTYPES ?= bool,int32,float64
# How long `make soak` draws programs, and `make fuzz` changes files of each reader.
MINUTES ?= 30

.PHONY: help fuzz run test full bounds soak bench bench-gpu compare resolve lint types check format clean

help:
	@echo "make run     set up and run the main job: the Graph500 benchmark, with a report"
	@echo "make test    set up and run lint, type check and all tests"
	@echo "make full    the same, and the kernels with bounds checks for all dtypes (an hour)"
	@echo "make bounds  run the kernels with bounds checks for a few dtypes; part of make test"
	@echo "make soak MINUTES=30  random programs on all CPU backends against the reference; a minute in make test"
	@echo "make bench   set up and measure against other libraries (some 20 minutes)"
	@echo "make bench-gpu  verify and measure the backend cuda on this machine's GPU"
	@echo "make compare BASE=rev  measure this tree against an older revision, in turns"
	@echo "make fuzz MINUTES=30 READER=npz  read changed files, of all readers if none is named"
	@echo "make resolve  whether all extras can be installed on each Python and system (asks package indexes)"
	@echo "make lint    ruff, format check included"
	@echo "make types   mypy, strict"
	@echo "make format  let ruff rewrite the files"
	@echo "make clean   remove the environment and caches"

run: $(BIN)/.installed
	$(BIN)/anypair graph500 --scale 16 --json $(RESULTS)/graph500.json --trace $(RESULTS)/trace.json
	$(BIN)/anypair bench --scales 11-14 --threads 1,2 --roots 8 --json $(RESULTS)/bench.json
	$(BIN)/anypair report $(RESULTS)

test: lint types
	ANYPAIR_TEST_BACKENDS=$(PLAIN_BACKENDS) ANYPAIR_TEST_EXAMPLES=15 $(BIN)/python -m pytest -n 2 --dist worksteal --ignore=tests/cuda/simulated
	ANYPAIR_TEST_BACKENDS=$(COMPILED_BACKENDS) ANYPAIR_TEST_EXAMPLES=5 ANYPAIR_TEST_THREADS=5 $(BIN)/python -m pytest -n 2 --dist worksteal tests/conformance tests/algorithms tests/frontend tests/graph500 tests/test_docs.py
	ANYPAIR_TEST_BACKENDS=$(GRID_BACKENDS) ANYPAIR_TEST_EXAMPLES=2 $(BIN)/python -m pytest -n 2 --dist worksteal tests/algorithms tests/frontend tests/graph500 tests/test_docs.py
	ANYPAIR_TEST_BACKENDS=$(GPU_BACKENDS) ANYPAIR_TEST_EXAMPLES=2 $(BIN)/python -m pytest -n 2 --dist worksteal tests/conformance tests/algorithms/test_bfs.py
	NUMBA_ENABLE_CUDASIM=1 ANYPAIR_TEST_BACKENDS=$(GPU_BACKENDS) ANYPAIR_TEST_EXAMPLES=3 $(BIN)/python -m pytest -n 2 --dist worksteal tests/cuda/simulated
	$(MAKE) bounds
	$(MAKE) soak MINUTES=1 SEED=$(COMMIT_SEED)
	$(MAKE) fuzz MINUTES=0.15 SEED=$(COMMIT_SEED)

full: test
	$(MAKE) bounds CHECKED_DTYPES=

# Other programs each time, but for the tests of one commit, which can be run again: a failure prints its seed and the program, which a file replays.
soak: $(BIN)/.installed-dev
	$(BIN)/python -m tests.soak run --minutes $(MINUTES) $(addprefix --seed ,$(SEED))

# The cache is empty, so that each kernel is compiled anew, and goes afterwards.
bounds: $(BIN)/.installed-dev
	cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && NUMBA_BOUNDSCHECK=1 ANYPAIR_CACHE=$$cache ANYPAIR_TEST_BACKENDS=jit ANYPAIR_TEST_DTYPES=$(CHECKED_DTYPES) ANYPAIR_TEST_EXAMPLES=$(if $(CHECKED_DTYPES),2,10) ANYPAIR_TEST_THREADS=5 $(BIN)/python -m pytest -n 2 --dist worksteal tests/conformance tests/backends/test_jit_shapes.py

# READER is one of text, mtx, npz, parquet, graph500, gzip.
fuzz: $(BIN)/.installed-dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(addprefix --reader ,$(READER)) $(addprefix --seed ,$(SEED))

bench: $(BIN)/.installed-bench
	$(BIN)/python -m benchmarks

bench-gpu: $(BIN)/.installed-cuda
	$(BIN)/python -m benchmarks.gpu

# OPTIONS, such as --kronecker 16 or --tasks BFS; `python -m benchmarks.compare --help` has them all.
compare: $(BIN)/.installed-dev
	$(BIN)/python -m benchmarks.compare $(or $(BASE),$(error say which revision to compare with: make compare BASE=HEAD~1)) $(OPTIONS)

resolve: $(BIN)/.installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tests.packaging.resolution

lint: $(BIN)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.installed-dev
	$(BIN)/mypy

format: $(BIN)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("anypair needs Python 3.11 or newer, not " + sys.version.split()[0] + "; set PYTHON=") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(BIN)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(BIN)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(BIN)/.installed-cuda: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cuda]'
	touch $@

$(BIN)/.installed-bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
