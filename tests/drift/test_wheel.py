"""The wheel: what is in it, and that it answers from an empty folder with nothing of the checkout in sight."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
from scripts.vendor import shipped_folders

from app.cli.exits import Exit

ROOT = Path(__file__).parents[2]


def _build(kind, root, folder):
    build = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(build, cwd=root, check=True, capture_output=True, timeout=300)
    (built,) = (path for path in folder.iterdir() if path.is_file())
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return _build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def host(wheel, tmp_path_factory):
    """An environment with the wheel and its requirements; what `.pth` files of the checkout add is not there."""
    folder = tmp_path_factory.mktemp("host")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    place = {"base": str(folder), "platbase": str(folder)}
    requirements = Path(sysconfig.get_path("purelib", vars=place)) / "requirements.pth"
    requirements.write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    (folder / "empty").mkdir()
    return folder


def _run(host, program, *words):
    empty = host / "empty"
    env = {"PATH": os.environ["PATH"], "HOME": str(empty), "PORTCULLIS_DATA": str(empty / "data")}
    return subprocess.run([host / "bin" / program, *words], cwd=empty, env=env, capture_output=True, timeout=120)


def test_the_wheel_holds_one_package_with_rules_data_and_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "portcullis/__init__.py",
        "portcullis/py.typed",
        "portcullis/contracts/18.0.0/CONTRACT.md",
        "portcullis/contracts/18.0.0/LOCK",
        "portcullis/contracts/18.0.0/caps.json",
        "portcullis/contracts/18.0.0/schema/caller_view.json",
        "portcullis/screen/rules/injection-2.json",
        "portcullis/samples/bread/cold-proof-in-the-fridge.md",
    ):
        assert name in names
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"portcullis"}


def test_the_wheel_holds_every_file_of_the_package_and_of_its_data(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    folders = {"backend/app": "", **{name: f"{place}/" for name, place in shipped_folders().items()}}
    assert {"contracts", "samples"} < set(folders)
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, check=True)
    tracked = [name for name in map(os.fsdecode, listed.stdout.split(b"\0")) if name and (ROOT / name).is_file()]
    assert len(tracked) > 200
    wanted = {
        f"portcullis/{place}{name.removeprefix(f'{folder}/')}"
        for name in tracked
        for folder, place in folders.items()
        if name.startswith(f"{folder}/")
    }
    assert wanted - names == set()


def test_a_source_distribution_makes_the_same_wheel(wheel, tmp_path):
    for name in ("source", "again"):
        (tmp_path / name).mkdir()
    archive = _build("sdist", ROOT, tmp_path / "source")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    again = _build("wheel", tmp_path / archive.name.removesuffix(".tar.gz"), tmp_path / "again")
    assert again.read_bytes() == wheel.read_bytes()


def test_an_installation_has_the_package_and_leaves_app_to_the_host(host):
    where = "import portcullis, sys; sys.exit(not portcullis.__file__.startswith(sys.argv[1]))"
    assert _run(host, "python", "-c", where, str(host)).returncode == 0
    # Beside the standard library only what the wheel brought: a checkout's requirements may hold an `app` of their own.
    (site,) = host.glob("lib/python*/site-packages")
    alone = "import sys; sys.path.append(sys.argv[1]); import app"
    taken = _run(host, "python", "-S", "-c", alone, str(site))
    assert taken.stderr.splitlines()[-1] == b"ModuleNotFoundError: No module named 'app'"
    (host / "empty" / "app.py").write_text("OWNER = 'the host'\n", encoding="utf-8")
    both = "import app, portcullis, sys; sys.exit(app.OWNER != 'the host')"
    assert _run(host, "python", "-c", both).returncode == 0
    (host / "empty" / "app.py").unlink()


def test_an_installation_shows_its_types_to_a_host(host):
    """What a host writes is checked against the installed package; `backend/` is not on mypy's path here."""
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--no-incremental"]
    check += ["--python-executable", str(host / "bin" / "python"), str(ROOT / "tests" / "typing" / "api.py")]
    done = subprocess.run(check, cwd=host / "empty", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_command_answers_from_an_empty_folder(host):
    for name in ("certify", "simulate"):
        refused = _run(host, "portcullis", name, "--json")
        assert refused.returncode == Exit.NOT_EVALUATED
        assert json.loads(refused.stdout)["error"]["kind"] == "not_evaluated"
        assert b"needs a source checkout" in refused.stderr
    ask = ("ask", "How long should sourdough proof in the fridge?", "--json")
    done = _run(host, "portcullis", *ask)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["action"] == "GROUNDED"
    # R15: outside `dev` the gate opens only on files that match the lock.
    sealed = _run(host, "portcullis", *ask, "--env", "prod")
    assert json.loads(sealed.stdout)["action"] == "GROUNDED"
    assert b"frozen files" not in sealed.stderr
