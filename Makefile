# Everything happens in a virtual environment of its own, .venv; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501

# What the documentation is made of, and where the program looks for it.
SITE := tripletscope/help
PAGES := $(wildcard docs/*.* docs/[a-z]*/*.* core/*/*.py core/*/*/*.py docs/charts/*.py reproductions/*.json) \
  CONTRIBUTING.md
SPHINX := $(BIN)/python -m sphinx --quiet -j auto -b html -d docs/_build docs $(SITE)

.PHONY: run test reproduce docs gallery pictures clean

## Set up and start the dashboard on sample data.
run: $(VENV)/ready $(SITE)/index.html
	$(BIN)/tripletscope --port $(PORT) --sample crowd

# Twice as many at a time as there are processors: half of the time is spent waiting for browsers
# and servers.
# Of hundreds of processes each would compile all sources, where Python is told to keep nothing.
test: export PYTHONDONTWRITEBYTECODE =
## Set up and run the whole test suite.
test: $(VENV)/ready-for-tests
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto

## Compute every figure and theorem of the papers anew, for hours; DATA=DIR holds their data sets.
reproduce: $(VENV)/ready-for-tests
	$(BIN)/python -m tripletscope.reproductions run --jobs 2 $(if $(DATA),--data $(DATA))

## Build the documentation, which the dashboard shows as Help; every warning is an error.
docs: $(VENV)/ready-for-docs
	$(SPHINX) -W --keep-going

# The dashboard starts all the same where its documentation cannot be built.
$(SITE)/index.html: $(VENV)/ready-for-docs $(PAGES)
	-$(SPHINX) && touch $@

## Draw every figure of every page for small to large data sets into docs/gallery.
gallery: $(VENV)/ready-for-tests
	$(BIN)/python benchmarks/gallery.py

$(VENV)/ready: pyproject.toml constraints.txt packaging/jspsych/package-lock.json
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "TripletScope needs Python 3.11 or newer; name one: make run PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/tripletscope --prepare
	@touch $@

$(VENV)/ready-for-docs: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

$(VENV)/ready-for-tests: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

## Make the pictures of the documentation again: of the program, and of its examples.
pictures: $(VENV)/ready-for-tests
	$(BIN)/python docs/samples/make.py
	PYTHONPATH=. $(BIN)/python docs/screenshots.py
	PYTHONPATH=. $(BIN)/python -m docs.charts.drawn
	$(BIN)/python -m tests.docs.documents

clean:
	find tripletscope -maxdepth 1 -type l -delete
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis docs/_build docs/reference/generated $(SITE)
	find . -name __pycache__ -prune -exec rm -rf {} +
