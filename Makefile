# `make test` and `make demo` do all of their own set-up: Python 3.11 or newer with venv is enough.
# Another interpreter: make PYTHON=/path/to/python3.12 test

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: test lint demo install clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt tools/make-venv.sh
	@$(BIN)/python -c 'import pip' 2>/dev/null || sh tools/make-venv.sh "$(VENV)" "$(PYTHON)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m compileall -q src
	@touch $@

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src

test: lint
	@$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

demo: $(STAMP)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/demo.sh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
