"""The catalogue on disk: what is refused, and what a lock that does not match leads to."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from scripts import seal_catalog

from app import Principal, Settings, open_gate, read_request
from app.kernel.errors import ContractViolation
from app.system import catalog_files, provider_files
from app.system.catalog_files import catalog_dir, read_catalog

PRO = Principal(tenant="acme", user="u1", tier="PRO", collections=("documents",))


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(catalog_dir(), tmp_path / "catalog")


def _edit(folder, **fields):
    path = folder / "tools.json"
    data = json.loads(path.read_bytes())
    data["tools"][0].update(fields)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_the_catalogue_is_the_one_that_was_sealed(folder):
    assert read_catalog().sealed
    assert read_catalog(folder) == read_catalog()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"price_units": 0}, r"tools\.0\.price_units"),
        ({"price_units": -1}, r"tools\.0\.price_units"),
        ({"name": "scrape_page"}, "listed twice"),
        ({"schemes": ["file"]}, r"tools\.0\.schemes"),
        ({"speed": 1}, r"tools\.0\.speed"),
    ],
)
def test_a_table_that_cannot_be_used_says_where(fields, said, folder):
    _edit(folder, **fields)
    with pytest.raises(ContractViolation, match=said):
        read_catalog(folder)


def test_a_newer_or_missing_table_is_refused(folder):
    path = folder / "tools.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"catalog_version": 1', '"catalog_version": 2'))
    with pytest.raises(ContractViolation, match="catalog_version"):
        read_catalog(folder)
    path.unlink()
    with pytest.raises(ContractViolation, match="cannot be read"):
        read_catalog(folder)


HOWS = ["row", "provider's row", "digest gone", "lock gone", "lock damaged", "lock of a newer version", "file more"]


@pytest.mark.ruling("R22")
@pytest.mark.parametrize("how", HOWS)
async def test_a_catalogue_that_is_not_sealed_disables_prod_and_not_dev(how, folder, tmp_path, monkeypatch, caplog):
    lock, providers = folder / "LOCK", folder / "providers.json"
    match how:
        case "row":
            _edit(folder, price_units=2)
        case "provider's row":
            providers.write_text(
                providers.read_text(encoding="utf-8").replace('"price_units": 5', '"price_units": 4', 1)
            )
        case "digest gone":
            providers.write_text(re.sub(r'^  "digest": .*\n', "", providers.read_text(encoding="utf-8"), flags=re.M))
        case "lock gone":
            lock.unlink()
        case "lock damaged":
            lock.write_text("{", encoding="utf-8")
        case "lock of a newer version":
            lock.write_text(lock.read_text(encoding="utf-8").replace('"catalog_version": 1', '"catalog_version": 2'))
        case "file more":
            (folder / "more.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(catalog_files, "catalog_dir", lambda: folder)
    stops = []
    for environment in ("prod", "dev"):
        settings = Settings(data_dir=tmp_path / environment, environment=environment)
        async with open_gate(settings=settings) as router:
            outcome = await router.run(read_request(question="why?"), PRO)
            stops.append((outcome.verdict.stop.value, [one.cause.value for one in outcome.verdict.signals]))
    assert stops[0] == ("POLICY_DISABLED", ["lock_mismatch"])
    assert stops[1][0] == "NO_SOURCE"
    assert "catalog/" in caplog.text


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("twice", "providers.json of the catalogue"),
        ("comma", r"providers\.json of the catalogue: the file: invalid JSON.* at line"),
        ("float", r"providers\.0\.price_units"),
        ("deep", r"providers\.json of the catalogue: .*recursion limit"),
        ("price", "price_units"),
        ("no file", "provider `crosswind` has no"),
    ],
)
async def test_a_table_of_providers_that_cannot_be_used_is_refused_when_a_gate_opens(
    how, said, folder, tmp_path, monkeypatch
):
    path = folder / "providers.json"
    data = json.loads(path.read_bytes())
    match how:
        case "twice":
            data["providers"].append(data["providers"][0])
        case "price":
            data["providers"][0]["price_units"] = -1
        case "no file":
            data["providers"][0]["name"] = "crosswind"
        case "float":
            data["providers"][0]["price_units"] = 0.5
    text = json.dumps(data, indent=2)
    match how:
        case "comma":
            text = text.replace(",\n", "\n", 1)
        case "deep":
            text = text.replace("[", "[" * 5_000, 1)
    path.write_text(text, encoding="utf-8")
    for module in (provider_files, catalog_files):
        monkeypatch.setattr(module, "catalog_dir", lambda: folder)
    with pytest.raises(ContractViolation, match=said):
        async with open_gate(settings=Settings(data_dir=tmp_path / "data")):
            pytest.fail("the gate was opened")


def test_sealing_leaves_a_table_as_it_was_written_and_refuses_a_layout_that_it_cannot_keep(folder, capsys):
    path = folder / "providers.json"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace('"price_units": 5', '"price_units": 4', 1), encoding="utf-8")
    assert (seal_catalog.main(["--check"], folder), seal_catalog.main([], folder)) == (1, 0)
    assert seal_catalog.main(["--check"], folder) == 0
    after = path.read_text(encoding="utf-8").splitlines()
    changed = [new for old, new in zip(before.splitlines(), after, strict=True) if old != new]
    assert [line.split(":")[0].strip() for line in changed] == ['"digest"', '"price_units"']
    data = json.loads(path.read_bytes())
    for odd in (
        json.dumps({**data, "digest": None}, indent=4),
        json.dumps({**{name: data[name] for name in ("catalog_version", "providers")}, "digest": None}, indent=2),
    ):
        path.write_text(odd, encoding="utf-8")
        assert seal_catalog.main([], folder) == 2
        assert "indent it by 2" in capsys.readouterr().err
        assert path.read_text(encoding="utf-8") == odd
