"""Reads a guide as steps (files to write, lines to add, commands to run) and takes them in a folder."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["AddLines", "Command", "NewFile", "Step", "follow", "steps_of"]

_FENCE = re.compile(r"^```(\w*)$")
_NEW = re.compile(r"^`([^`]+)`:$")
_ADD = re.compile(r"^`([^`]+)`, (after|before) the line `([^`]+)`:$")
_EXIT = re.compile(r"  # exit code (\d+): .+$")


@dataclass(frozen=True)
class NewFile:
    """A file that the guide shows whole; its path stands in the line before it."""

    path: str
    text: str


@dataclass(frozen=True)
class AddLines:
    """Lines to add beside a line that stands exactly once in a file."""

    path: str
    place: str
    beside: str
    text: str


@dataclass(frozen=True)
class Command:
    """One command, its exit code, and its output where the guide shows it."""

    line: str
    code: int = 0
    output: str | None = None


Step = NewFile | AddLines | Command


def steps_of(text: str) -> list[Step]:
    """Every block of a guide in order; a block that is neither a file, an edit, a command nor an output is an error."""
    steps: list[Step] = []
    lines = iter(text.splitlines())
    before = ""
    for line in lines:
        if (fence := _FENCE.match(line)) is None:
            before = line
            continue
        block = _block(lines)
        new, add = _NEW.match(before), _ADD.match(before)
        if fence[1] == "sh":
            steps.extend(map(_command, block.splitlines()))
        elif fence[1] == "text" and steps and isinstance(last := steps[-1], Command):
            steps[-1] = Command(last.line, last.code, block)
        elif new is not None:
            steps.append(NewFile(new[1], block))
        elif add is not None:
            steps.append(AddLines(add[1], add[2], add[3], block))
        else:
            raise ValueError(f"the block after `{before}` has no path in the line before it")
        before = ""
    return steps


def follow(
    steps: Sequence[Step], folder: Path, env: Mapping[str, str], skip: Callable[[Command], bool] = lambda _: False
) -> dict[str, str]:
    """Take the steps; the output of every command, by the command."""
    outputs = {}
    for step in steps:
        match step:
            case NewFile():
                path = folder / step.path
                assert not path.exists(), f"{step.path} is there already"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(step.text, encoding="utf-8")
            case AddLines():
                _add(folder / step.path, step)
            case Command() if not skip(step):
                outputs[step.line] = run(step, folder, env)
    return outputs


def run(step: Command, folder: Path, env: Mapping[str, str]) -> str:
    """The output of a command that ended as the guide says."""
    done = subprocess.run(
        ["bash", "-c", step.line], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == step.code, f"{step.line}\n{done.stdout}\n{done.stderr}"
    assert step.output in (None, done.stdout), done.stdout
    return done.stdout


def _add(path: Path, step: AddLines) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (number,) = [number for number, line in enumerate(lines) if line.rstrip("\n") == step.beside]
    lines.insert(number + (step.place == "after"), step.text)
    path.write_text("".join(lines), encoding="utf-8")


def _command(line: str) -> Command:
    code = _EXIT.search(line)
    return Command(line) if code is None else Command(line[: code.start()], int(code[1]))


def _block(lines: object) -> str:
    block = []
    for line in lines:
        if line == "```":
            return "".join(f"{one}\n" for one in block)
        block.append(line)
    raise ValueError("a block has no end")
