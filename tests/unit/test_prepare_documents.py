"""Wiring prepares a folder for one tenant, and nothing else."""

from __future__ import annotations

import pytest

from app.kernel.errors import RequestInvalid
from app.system.settings import Settings
from app.wiring import prepare_documents


@pytest.mark.parametrize("tenant", ["", "..", "../other", "a/b", "a b", "a\n"])
def test_a_tenant_that_is_no_identifier_leads_nowhere(tmp_path, tenant):
    with pytest.raises(RequestInvalid):
        prepare_documents(tmp_path, Settings(data_dir=tmp_path / "data"), tenant)
    assert not (tmp_path / "data").exists()


def test_a_folder_without_a_name_is_refused(tmp_path):
    with pytest.raises(RequestInvalid):
        prepare_documents("", Settings(data_dir=tmp_path / "data"))


def test_the_parser_can_be_chosen(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.txt").write_text("bread")
    seen = []

    def parse(data, name, /):
        seen.append((data, name))
        raise RequestInvalid("enough")

    with pytest.raises(RequestInvalid, match="enough"):
        prepare_documents(tmp_path / "pages", Settings(data_dir=tmp_path / "data"), parse=parse)
    assert seen == [(b"bread", "a.txt")]
