"""Failures inside the suites are shown like those of a test file."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.stores.archive_suite", "tests.stores.content_suite", "tests.stores.journal_suite")
