# Two commands to know: `make demo` and `make test`. Both set themselves up and are safe to repeat.

PORT ?= 8000

pip_install := .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes

.PHONY: setup demo test bench fixtures

setup: .venv/development.stamp

# The demo has its own database inside the checkout, whatever the environment says.
demo: export CONVVIEWER_DATA_DIR = $(CURDIR)/.data/demo
demo: export CONVVIEWER_DATABASE_URL =
demo: .venv/runtime.stamp
	.venv/bin/python manage.py migrate --verbosity 0
	.venv/bin/python manage.py import_threads convviewer/samples
	.venv/bin/python manage.py serve --port $(PORT)

test: setup
	.venv/bin/python .ci/checks.py

# Measures speed and memory against limits of the same run; wants a machine with nothing else to do.
bench: setup
	.venv/bin/python manage.py bench

# Rewrites the samples and the test data with the SDKs; the results are checked in.
fixtures: setup
	PYTHONHASHSEED=0 .venv/bin/python -m tests.fixtures.write_all

.venv/runtime.stamp: requirements.lock
	.ci/make-venv
	$(pip_install) -r requirements.lock
	touch $@

# The development lock holds every package of the runtime lock, in the same version.
.venv/development.stamp: requirements-dev.lock .venv/runtime.stamp
	$(pip_install) -r requirements-dev.lock
	touch $@
