"""The tripwire against the interpreter's table of audit events, in a process of its own that really does each thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Each runs in a folder with a file `old`, a folder `empty` and a link to nowhere; `path` is a pathlib.Path there.
DEEDS = {
    "open": "open('new', 'w')",
    "open a path object": "io.FileIO(path('new'), 'w')",
    "open bytes": "os.open(b'new', os.O_CREAT | os.O_WRONLY)",
    "append": "open('old', 'a')",
    "open a number": "open(os.open('old', os.O_RDONLY), 'wb', closefd=False)",
    "named like a cache": "open('__pycache__.txt', 'w')",
    "in a folder named like a cache": "open('__pycache__/new.cpython-311.pyc', 'wb')",
    "by the loader's own function": "_bootstrap_external._write_atomic('__pycache__/new.cpython-311.pyc', b'')",
    "by a loader that nobody imports with": "SourceFileLoader('x', 'module.py').get_code('x')",
    "by a loader's own method": "SourceFileLoader('x', 'module.py').set_data('__pycache__/new.pyc', b'x')",
    "compiled": "py_compile.compile('module.py')",
    "symlink": "os.symlink('old', 'new')",
    "link": "os.link('old', 'new')",
    "truncate": "os.truncate('old', 0)",
    "remove": "os.remove('old')",
    "unlink": "path('old').unlink()",
    "rmdir": "os.rmdir('empty')",
    "mkdir": "os.mkdir('new')",
    "makedirs": "os.makedirs('new/below')",
    "rename": "os.rename('old', 'new')",
    "replace": "os.replace('old', 'new')",
    "chmod": "os.chmod('old', 0)",
    "chown": "os.chown('old', 1, 1)",
    "utime": "os.utime('old', (1, 1))",
    "setxattr": "os.setxattr('old', 'user.a', b'x')",
    "removexattr": "os.removexattr('old', 'user.a')",
    "chdir": "os.chdir('empty')",
    "putenv": "os.environ.__setitem__('PORTCULLIS_NEW', 'x')",
    "unsetenv": "os.unsetenv('PATH')",
    "kill": "os.kill(child, 9)",
    "killpg": "os.killpg(child, 9)",
    "pthread_kill": "signal.pthread_kill(threading.get_ident(), 0)",
    "lockf": "os.lockf(handle, os.F_LOCK, 1)",
    "flock": "fcntl.flock(handle, fcntl.LOCK_EX)",
    "mmap": "mmap.mmap(-1, 10)",
    "setrlimit": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "rmtree": "shutil.rmtree('empty')",
    "copyfile": "shutil.copyfile('old', 'new')",
    "move": "shutil.move('old', 'new')",
    "mkstemp": "tempfile.mkstemp(dir='.')",
    "mkdtemp": "tempfile.mkdtemp(dir='.')",
    "syslog": "syslog.syslog('x')",
    "garbage": "gc.get_objects()",
    "trace": "sys.settrace(None)",
    "hook": "sys.addaudithook(print)",
    "breakpoint": "breakpoint()",
    "input": "input()",
    "system": "os.system('touch new')",
    "spawn": "os.spawnlp(os.P_WAIT, 'touch', 'touch', 'new')",
    "posix_spawn": "os.posix_spawnp('touch', ['touch', 'new'], {})",
    "exec": "os.execlp('touch', 'touch', 'new')",
}
LOOKS = {
    "read": "open('old').read()",
    "listdir": "os.listdir('.')",
    "scandir": "list(os.scandir('.'))",
    "walk": "list(os.walk('.'))",
    "glob": "list(path('.').glob('*'))",
    "stat": "os.stat('old')",
    "nothing": "open(os.devnull, 'w').write('x')",
    "imported late": "__import__('module')",
    "imported again": "__import__('module')",
}
PROGRAM = """
import fcntl, gc, io, json, mmap, os, pathlib, py_compile, resource, shutil, signal, subprocess, sys, syslog, tempfile
import threading
from importlib import _bootstrap_external
from importlib.machinery import SourceFileLoader
from app.kernel.errors import OperationForbidden
from app.system.tripwire import install

# As where nobody has said otherwise, so that an import saves what it compiled.
sys.dont_write_bytecode = False
os.chdir(sys.argv[1])
sys.path.insert(0, sys.argv[1])
running = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
path, child, handle = pathlib.Path, running.pid, os.open("old", os.O_RDWR)
wire, ends = install(), {}
for name, deed in json.loads(sys.argv[2]).items():
    try:
        with wire.armed():
            exec(deed)
        ends[name] = "done"
    except OperationForbidden:
        ends[name] = "refused"
    except BaseException as exc:
        ends[name] = f"failed: {type(exc).__name__} {exc}"
ends["child lives"] = running.poll() is None
running.kill()
running.wait()
print(json.dumps(ends))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "old").write_text("content")
    (tmp_path / "module.py").write_text("x = 1\n")
    for name in ("empty", "__pycache__"):
        (tmp_path / name).mkdir()
    return tmp_path


def ends(folder, deeds):
    command = [sys.executable, "-c", PROGRAM, str(folder), json.dumps(deeds)]
    paths = {**os.environ, "PYTHONPATH": str(ROOT / "backend")}
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=paths, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def state(folder):
    """Every file with its content, rights and time."""
    return {
        str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mode, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.ruling("R16")
def test_every_deed_is_refused_before_it_is_done(folder):
    before = state(folder)
    told = ends(folder, DEEDS)
    assert {name: end for name, end in told.items() if end not in ("refused", True)} == {}
    assert told["child lives"]
    assert state(folder) == before


@pytest.mark.parametrize("cached", [True, False])
def test_looking_and_importing_go_on(folder, cached):
    """An import that comes late saves its compiled code, in a folder that it makes where there is none."""
    if not cached:
        (folder / "__pycache__").rmdir()
    assert {name: end for name, end in ends(folder, LOOKS).items() if end not in ("done", True)} == {}
    assert len(list((folder / "__pycache__").glob("module.*.pyc"))) == 1
