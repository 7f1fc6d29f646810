"""The commands as typer sees them: options and help lines only; each imports its work when it runs."""
