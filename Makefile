# Every target that needs Python makes .venv first, or brings it up to date; nothing has to be run before.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
# Written when the set-up is whole; holds the directory that .venv was made in.
STAMP := $(VENV)/.set-up-in
# What builds the documentation, an environment of its own on top of .venv, so that .venv stays small.
DOCS_VENV := .venv-docs
DOCS_PY := $(DOCS_VENV)/bin/python
DOCS_STAMP := $(DOCS_VENV)/.set-up
# There from the set-up's start to its end: what an interrupted one leaves behind is made again.
UNFINISHED := $(VENV)/.unfinished
# Three keep two cores busy, which wait where programs begin and end; more of them take much memory.
TEST_WORKERS ?= 3
# The interpreter that .venv is made with; empty means the first suitable one found.
PYTHON ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help venv fairness test test-long coverage mutations reliability peer-tests lint doctor docs notebooks test-docs clean

help:
	@cat <<-'END'
	make fairness    compute FedFa's Table 2 in a few minutes, and print it beside the paper's numbers
	make test        run the tests
	make test-long   run the tests that take minutes each
	make coverage    run the tests, and say which lines none of them runs; fail below what is asked for
	make mutations   change the modules that decide the numbers, and look whether a test fails
	make reliability run coverage and mutations, and kill, damage and load the programs; writes RELIABILITY.md after hours
	make peer-tests  run TFF's own tests on its worker and here: make peer-tests TFF=DIR, its sources
	make lint        check style, formatting and types
	make doctor      say whether experiments can run here, and what to do if not
	make docs        build the documentation as a site in build/site
	make notebooks   run the notebooks, and write their outputs into them
	make test-docs   build the site, and test its links and formulas, short examples and the flags of commands
	make clean       remove .venv and the caches, but no results
	Whichever is called first sets up .venv, with Python 3.11, 3.10 or 3.9, the first found. To choose another:
	make clean; make test PYTHON=/path/to/python
	END

# TensorFlow tells of the GPU libraries it lacks, a dozen lines per process.
test test-long mutations reliability peer-tests docs notebooks test-docs: export TF_CPP_MIN_LOG_LEVEL ?= 3
# The theme tells of its successor at every build.
docs test-docs: export NO_MKDOCS_2_WARNING ?= 1

fairness: venv
	@$(PY) -m experiments.reproduce --artifact=fedfa/first --fresh

# Ray is started in processes of its tests' own: it forks, and twice a process in which thousands of other
# tests had run, some of which use gRPC, did not survive that.
CLUSTER_TESTS := tests/tff_weights/runtime/cluster

# Empty, or how the tests are measured: each package alone, since what is asked for of the library is more
# than of what is built on it.
COVERAGE ?=
# A test that never ends fails after twenty minutes, and says where it waits; the longest takes one.
PYTEST := $(PY) $(if $(COVERAGE),-m coverage run) -m pytest --timeout=1200

# Not the files of most tests first: those of one long test would then run at the end, alone.
test: venv
	@rm -rf build/coverage
	mkdir -p build/coverage
	$(PYTEST) -n $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder --ignore=$(CLUSTER_TESTS) --junitxml=build/coverage/tests.xml
	$(PYTEST) $(CLUSTER_TESTS) --junitxml=build/coverage/cluster.xml
	[[ -n '$(COVERAGE)' ]] || exit 0
	$(PY) -m coverage combine --quiet
	enough=true
	for least in tff_weights=95 leaf_data=85 experiments=85; do
	  echo "$${least%=*}, at least $${least#*=} %:"
	  $(PY) -m coverage report --include="$${least%=*}/*" --fail-under="$${least#*=}" || enough=false
	done
	$$enough

coverage:
	@$(MAKE) --no-print-directory test COVERAGE=yes

test-long: venv
	@$(PY) -m pytest -m long --ignore=$(CLUSTER_TESTS)
	$(PY) -m pytest -m long $(CLUSTER_TESTS)

mutations: venv
	@$(PY) tests/mutations/run.py

# By its own name make would run a recipe of several lines even where it is to print it (make -n).
SUBMAKE := $(MAKE) --no-print-directory

# The report tells of all three, and is written whatever they find.
reliability: venv
	@sound=true
	$(SUBMAKE) coverage || sound=false
	$(SUBMAKE) mutations || sound=false
	TFF_WEIGHTS_RELIABILITY_REPORT=RELIABILITY.md $(PY) -m pytest -m '' tests/experiments/reliability || sound=false
	$$sound

peer-tests: venv
	@$(PY) tests/peers/run.py "$(TFF)"

lint: venv
	@$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy

doctor: venv
	@$(PY) -m experiments.doctor

docs: $(DOCS_STAMP)
	@$(DOCS_PY) -m mkdocs build --strict
	echo "Written to build/site/index.html"

notebooks: $(DOCS_STAMP)
	@$(DOCS_PY) docs/hooks/run_notebooks.py

test-docs: docs
	@$(PY) -m pytest tests/documentation

clean:
	@rm -rf $(VENV) $(DOCS_VENV) build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv: $(STAMP)

# A .venv whose interpreter is gone, or that was moved here from elsewhere, is never up to date.
ifneq ($(shell $(PY) -c '' 2>/dev/null && cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

$(STAMP): requirements.txt pyproject.toml
	@# Tried by running it: a name on the path may be a shim with no interpreter behind it.
	suits() {
	  "$$1" -c 'import ensurepip, sys, venv; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 11))' &>/dev/null
	}
	version() {
	  "$$1" -c 'import platform; print("Python", platform.python_version())' 2>/dev/null || echo 'which does not run'
	}
	home=$$(cat $@ 2>/dev/null || echo '$(CURDIR)')
	if [[ ! -e $(UNFINISHED) && $$home == '$(CURDIR)' ]] && suits $(PY) && $(PY) -m pip --version &>/dev/null; then
	  echo 'Bringing $(VENV) up to date ...'
	  touch $(UNFINISHED)
	else
	  python='$(PYTHON)'
	  needs='this project runs on Python 3.9, 3.10 or 3.11, with its venv module'
	  if [[ -z $$python ]]; then
	    for candidate in python3.11 python3.10 python3.9 python3; do
	      if suits $$candidate; then python=$$candidate; break; fi
	    done
	    if [[ -z $$python ]]; then
	      echo "No suitable Python found: $$needs; name one with make PYTHON=/path/to/python." >&2
	      exit 1
	    fi
	  elif ! suits "$$python"; then
	    echo "PYTHON=$$python ($$(version "$$python")) does not suit: $$needs." >&2
	    exit 1
	  fi
	  echo "Setting up $(VENV) with $$(version "$$python") (about 2 minutes) ..."
	  rm -rf $(VENV)
	  mkdir $(VENV)
	  touch $(UNFINISHED)
	  "$$python" -m venv $(VENV)
	fi
	# setuptools and wheel come first, to build what has no wheel with these very versions and not the newest.
	install() { $(PY) -m pip install -qq --no-deps --no-build-isolation "$$@"; }
	install $$(grep -E '^(setuptools|wheel)==' requirements.txt)
	install -r requirements.txt
	install -e .
	rm $(UNFINISHED)
	echo '$(CURDIR)' > $@

$(DOCS_STAMP): requirements-docs.txt | venv
	@echo 'Setting up $(DOCS_VENV) (about 1 minute) ...'
	rm -rf $(DOCS_VENV)
	$(PY) -m venv $(DOCS_VENV)
	$(DOCS_PY) -m pip install -qq --no-deps -r requirements-docs.txt
	# Its own packages come first, and all others are those of .venv.
	packages() { "$$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
	packages $(PY) > "$$(packages $(DOCS_PY))/main.pth"
	touch $@
