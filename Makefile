# On a machine with Python 3.11 or newer, git and make: `make run` and `make test` do the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RESULTS ?= results
# A missing backend must fail the tests, not skip them. Backends that compile each operator for each
# dtype see fewer of Hypothesis' examples, but all the operations and algorithms.
PLAIN_BACKENDS := reference,scipy
COMPILED_BACKENDS := suitesparse,jit
# Walks along lists are compiled for a few dtypes; all else of it is scipy's.
LIST_BACKENDS := list
# Blocks on disk, of a few entries each, through scipy; searches through jit, but for those of thousands of levels.
STREAMED_BACKENDS := streamed
# Each algorithm meets every fourth graph there, another one others, and in a full run all. So it is on the others.
STREAMED_EVERY ?= 4
COMPILED_EVERY ?= 3
# On one rank here; tests/mpi starts grids of several.
GRID_BACKENDS := mpi
# No GPU is needed: compiled kernels run in an emulator.
GPU_BACKENDS := cuda
# Every other object on the emulated GPU; of the operations those that move and write most, as each side has all
# tests, and in a full run all of them.
HYBRID_BACKENDS := hybrid
HYBRID_TESTS ?= tests/conformance/test_write_rule.py tests/conformance/test_merge.py tests/algorithms/test_bfs.py
PLAIN_EXAMPLES ?= 6
COMPILED_EXAMPLES ?= 1
# Each commit is tested on random programs and files of its own, and twice on the same.
COMMIT_SEED = $(shell echo $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1))))
# Dtypes for which kernels are compiled for the emulated GPU; none means all.
EMULATED_DTYPES ?= bool,int64,float32
EMULATED_EXAMPLES ?= 1
# Schedules of the emulated GPU, of which each test draws one; in a full run each launch runs under all.
EMULATOR_SEEDS ?= 3
# Algorithms that run on the emulated GPU, on some tiny graphs.
EMULATED_ROWS ?= test_answers and (bfs_levels or connected_components or triangle_count)
# How long `make soak` draws programs, and `make fuzz` changes files of each reader; and both of them in `make test`.
MINUTES ?= 30
SOAK_MINUTES ?= 0.6
FUZZ_MINUTES ?= 0.1
PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: help pages fuzz run quick test full emulated commit-soak commit-fuzz bounds soak bench bench-gpu compare resolve lines lint types check format clean

help:
	@echo "make run     set up and run the main job: the Graph500 benchmark, with a report"
	@echo "make quick   set up and run lint, type check and the tests that tell most (a minute)"
	@echo "make test    set up and run lint, type check and all tests (some half an hour)"
	@echo "make full    the same with all combinations, dtypes, schedules, and long soak and fuzz (hours)"
	@echo "make emulated  run the GPU's compiled kernels in the emulator, on several schedules; part of make test"
	@echo "make bounds  run the kernels of all operations with bounds checks; part of make test"
	@echo "make soak MINUTES=30  random programs on all CPU backends against the reference; half a minute in make test"
	@echo "make bench   set up and measure against other libraries (some 20 minutes)"
	@echo "make bench-gpu  verify and measure the backend cuda on this machine's GPU"
	@echo "make compare BASE=rev  measure this tree against an older revision, in turns"
	@echo "make fuzz MINUTES=30 READER=npz  read changed files, of all readers if none is named"
	@echo "make resolve  whether all extras can be installed on each Python and system (asks package indexes)"
	@echo "make lines   how many lines of Python the package has, by folder; the report is counted apart"
	@echo "make pages   write docs/api.md and docs/catalogue.md from the code"
	@echo "make lint    ruff, format check included"
	@echo "make types   mypy, strict"
	@echo "make format  let ruff rewrite the files"
	@echo "make clean   remove the environment and caches"

run: $(BIN)/.installed
	$(BIN)/anypair graph500 --scale 16 --json $(RESULTS)/graph500.json --trace $(RESULTS)/trace.json
	$(BIN)/anypair bench --scales 11-14 --threads 1,2 --roots 8 --json $(RESULTS)/bench.json
	$(BIN)/anypair report $(RESULTS)

# What is changed most, on numbers that are used most, in the least time.
quick: lint types
	ANYPAIR_TEST_BACKENDS=scipy,jit ANYPAIR_TEST_DTYPES=int64,float64 ANYPAIR_TEST_EXAMPLES=2 $(PYTEST) tests/test_imports.py tests/algebra tests/conformance/test_operations.py tests/conformance/test_write_rule.py tests/conformance/test_merge.py tests/frontend/test_handles.py tests/frontend/test_bad_input.py tests/algorithms/test_bfs.py

# First everything, on backends that compile nothing; then, on the others, what runs on each backend.
test: lint types
	ANYPAIR_TEST_BACKENDS=$(PLAIN_BACKENDS) ANYPAIR_TEST_EXAMPLES=$(PLAIN_EXAMPLES) $(PYTEST) --ignore=tests/cuda/emulated
	$(MAKE) bounds
	ANYPAIR_TEST_BACKENDS=$(COMPILED_BACKENDS),$(GRID_BACKENDS) ANYPAIR_TEST_EXAMPLES=$(COMPILED_EXAMPLES) ANYPAIR_TEST_EVERY=$(COMPILED_EVERY) ANYPAIR_TEST_THREADS=5 $(PYTEST) -m each_backend tests/algorithms tests/frontend tests/graph500 tests/test_docs.py
	ANYPAIR_TEST_BACKENDS=$(LIST_BACKENDS) ANYPAIR_TEST_DTYPES=bool,int64,float64 ANYPAIR_TEST_EXAMPLES=1 ANYPAIR_TEST_EVERY=4 $(PYTEST) -m each_backend tests/conformance/test_operations.py tests/conformance/test_slices.py tests/algorithms tests/graph500/test_run.py
	ANYPAIR_TEST_BACKENDS=$(STREAMED_BACKENDS) ANYPAIR_TEST_OPTIONS=local=scipy,memory_limit=6000 ANYPAIR_TEST_EXAMPLES=$(COMPILED_EXAMPLES) $(PYTEST) -m each_backend tests/conformance
	ANYPAIR_TEST_BACKENDS=$(STREAMED_BACKENDS) ANYPAIR_TEST_EXAMPLES=1 ANYPAIR_TEST_EVERY=$(STREAMED_EVERY) $(PYTEST) -m each_backend --ignore=tests/algorithms/test_overflow.py tests/algorithms tests/graph500/test_run.py
	$(MAKE) emulated
	$(MAKE) -j 2 commit-soak commit-fuzz

full:
	ANYPAIR_TEST_FULL=1 $(MAKE) test PLAIN_EXAMPLES=100 COMPILED_EXAMPLES=20 EMULATED_DTYPES= EMULATED_EXAMPLES=2 EMULATED_ROWS=test_answers STREAMED_EVERY=1 COMPILED_EVERY=1 EMULATOR_SEEDS=20 HYBRID_TESTS="tests/conformance tests/algorithms/test_bfs.py" SOAK_MINUTES=30 FUZZ_MINUTES=5
	ANYPAIR_TEST_FULL=1 ANYPAIR_TEST_BACKENDS=$(COMPILED_BACKENDS) ANYPAIR_TEST_EXAMPLES=20 ANYPAIR_TEST_THREADS=5 $(PYTEST) -m each_backend tests/conformance

emulated: $(BIN)/.installed-dev
	ANYPAIR_TEST_BACKENDS=$(GPU_BACKENDS) ANYPAIR_TEST_DTYPES=$(EMULATED_DTYPES) ANYPAIR_TEST_EXAMPLES=$(EMULATED_EXAMPLES) ANYPAIR_TEST_SEEDS=$(EMULATOR_SEEDS) $(PYTEST) -m each_backend tests/conformance tests/algorithms/test_bfs.py tests/cuda/emulated
	ANYPAIR_TEST_BACKENDS=$(HYBRID_BACKENDS) ANYPAIR_TEST_DTYPES=int64 ANYPAIR_TEST_EXAMPLES=1 ANYPAIR_TEST_SEEDS=$(EMULATOR_SEEDS) $(PYTEST) -m each_backend $(HYBRID_TESTS)
	ANYPAIR_TEST_BACKENDS=$(GPU_BACKENDS) ANYPAIR_TEST_SEEDS=1 ANYPAIR_TEST_EVERY=14 $(PYTEST) tests/algorithms/test_rows.py -k "$(EMULATED_ROWS)"

# Kernels that are compiled with bounds checks, and hardly optimised, which takes less time.
# (Not at all saves little more, and then no kernel that calls another one is kept on disk.)
# Both are part of a kernel's identity in the cache, so that others are neither taken nor spoiled.
bounds: $(BIN)/.installed-dev
	NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1 ANYPAIR_TEST_BACKENDS=$(COMPILED_BACKENDS) ANYPAIR_TEST_EXAMPLES=$(COMPILED_EXAMPLES) ANYPAIR_TEST_THREADS=5 $(PYTEST) -m each_backend tests/conformance tests/backends/test_jit_shapes.py

# Side by side: most of the time each keeps one core busy.
commit-soak: $(BIN)/.installed-dev
	$(MAKE) soak MINUTES=$(SOAK_MINUTES) SEED=$(COMMIT_SEED)

commit-fuzz: $(BIN)/.installed-dev
	$(MAKE) fuzz MINUTES=$(FUZZ_MINUTES) SEED=$(COMMIT_SEED)

# Other programs each time, but for the tests of one commit, which can be run again: a failure prints its seed and the program, which a file replays.
soak: $(BIN)/.installed-dev
	$(BIN)/python -m tests.soak run --minutes $(MINUTES) $(addprefix --seed ,$(SEED))

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

# What the package weighs: everything below anypair/, tests and benchmarks left out.
lines:
	@for part in $$(find anypair -mindepth 1 -maxdepth 1 -type d ! -name report ! -name __pycache__ | sort); do \
		printf '%7d  %s\n' "$$(find $$part -name '*.py' -exec cat {} + | wc -l)" "$$part"; done
	@printf '%7d  in all, and %d of anypair/report\n' "$$(find anypair -name '*.py' ! -path 'anypair/report/*' -exec cat {} + | wc -l)" "$$(find anypair/report -name '*.py' -exec cat {} + | wc -l)"

pages: $(BIN)/.installed-dev
	$(BIN)/python docs/pages.py

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
