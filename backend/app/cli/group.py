"""The group of commands: it lists them without loading them, and loads the one that is used."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from .gates import GateOpener
from .listing import COMMANDS

__all__ = ["add_listed_commands", "commands_group"]


def commands_group(gate: GateOpener) -> type[TyperGroup]:
    """The class of a group whose commands ask the gate that `gate` opens."""

    class Commands(TyperGroup):
        """Holds a placeholder for every command until one of its family is used."""

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """The command that the user typed, with its options."""
            if args and args[0] in self.commands:
                family = get_group(_family(args[0], gate))
                _name_no_switches(family)
                self.commands.update(family.commands)
            return super().resolve_command(ctx, args)

        def get_params(self, ctx: Any) -> Any:
            """The options before the command; typer adds those of completion."""
            found = super().get_params(ctx)
            for option in found:
                _name_no_switch(option)
            return found

    return Commands


def _name_no_switches(command: Any) -> None:
    """Print no type beside an option that takes no value: on a narrow terminal its name needs the room."""
    for option in command.params:
        _name_no_switch(option)
    for below in getattr(command, "commands", {}).values():
        _name_no_switches(below)


def _name_no_switch(option: Any) -> None:
    if getattr(option, "is_flag", False):
        option.metavar = ""


def add_listed_commands(app: typer.Typer) -> None:
    """Add the placeholders, of which the help shows name and line."""
    for listed in COMMANDS:
        app.command(listed.name, help=listed.help, rich_help_panel=listed.panel)(_placeholder)


def _placeholder() -> None:
    """Never run: the group loads the command first."""


def _family(name: str, gate: GateOpener) -> typer.Typer:
    """The commands that are loaded together with one."""
    match name:
        case "ask" | "search" | "index":
            from .commands.questions import question_commands

            return question_commands(gate)
        case "research" | "audit" | "diff" | "discoveries" | "lint-report" | "whatif":
            from .commands.answers import answer_commands

            return answer_commands(gate)
        case "scrape" | "call" | "capabilities":
            from .commands.capabilities import capability_commands

            return capability_commands(gate)
        case "web" | "news" | "images" | "papers" | "gather":
            from .commands.searches import search_commands

            return search_commands(gate)
        case "sessions" | "replay" | "receipt" | "erase" | "prune":
            from .commands.records import record_commands

            return record_commands()
        case "providers" | "parse":
            from .commands.services import service_commands

            return service_commands()
        case "serve" | "mcp" | "keys":
            from .commands.doors import door_commands

            return door_commands(gate)
        case "screen" | "judge-url" | "extract":
            from .commands.checks import check_commands

            return check_commands()
        case "certify" | "simulate" | "bench":
            from .commands.proofs import proof_commands

            return proof_commands()
        case _:
            from .commands.installation import installation_commands

            return installation_commands(gate)
