# Everything happens in a virtual environment of its own, .venv; nothing else is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501

.PHONY: run test gallery lock clean

## Set up and start the dashboard on sample data.
run: $(VENV)/ready
	$(BIN)/tripletscope --port $(PORT) --sample alien_eggs

## Set up and run the whole test suite.
test: $(VENV)/ready-for-tests
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n 2 --dist loadfile

## Draw every figure of every page for small to large data sets into docs/gallery.
gallery: $(VENV)/ready-for-tests
	$(BIN)/python benchmarks/gallery.py

## Write down versions and hashes of all dependencies, which archives of results are shipped with.
lock:
	uv pip compile pyproject.toml --constraint constraints.txt --universal --generate-hashes \
	  --no-header --no-annotate --quiet --output-file dashboard/reproduce/locked.txt

$(VENV)/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "TripletScope needs Python 3.11 or newer; name one: make run PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(BIN)/tripletscope --prepare
	@touch $@

$(VENV)/ready-for-tests: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
