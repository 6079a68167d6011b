"""What every test shares: settings of its own, and no test that does not run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import django
import hypothesis
import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

AnyReport = TypeVar("AnyReport", pytest.TestReport, pytest.CollectReport)

DATA_DIR = tempfile.TemporaryDirectory(prefix="convviewer-tests-")


def _configure_django() -> None:
    """Keep the tests away from the threads and settings of whoever runs them.

    CONVVIEWER_DATABASE_URL stays: it chooses the database, of which Django makes a test copy.
    """
    for name in os.environ.keys() - {"CONVVIEWER_DATABASE_URL"}:
        if name.startswith("CONVVIEWER_"):
            del os.environ[name]
    os.environ["CONVVIEWER_DATA_DIR"] = DATA_DIR.name
    os.environ["DJANGO_SETTINGS_MODULE"] = "convviewer.config.settings"
    # Pages name static files as they are; only the browser tests serve collected ones.
    Path(DATA_DIR.name, "static").mkdir()
    from django.conf import settings  # noqa: PLC0415 - reads the variables above

    # A file, not memory: some tests look at the database from a second process.
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        # In place: in a worker of xdist, Django has already filled in the other test settings.
        test = settings.DATABASES["default"].setdefault("TEST", {})
        test["NAME"] = str(Path(DATA_DIR.name, "test.sqlite3"))
    settings.STORAGES["staticfiles"]["BACKEND"] = (
        "django.contrib.staticfiles.storage.StaticFilesStorage"
    )
    django.setup()


def _configure_hypothesis() -> None:
    hypothesis.settings.register_profile("local", deadline=None)
    hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
    hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


_configure_django()
_configure_hypothesis()


def pytest_unconfigure() -> None:
    DATA_DIR.cleanup()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run browser tests last: Playwright's event loop, once started, bars the ORM."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _fail_if_skipped((yield))


def _fail_if_skipped(report: AnyReport) -> AnyReport:
    """Turn a skip or an expected failure into a failure: what does not run proves nothing."""
    if report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"Tests here may not be skipped or expected to fail: {report.longrepr}"
        # pytest marks expected failures with this attribute and counts them apart.
        vars(report).pop("wasxfail", None)
    return report
