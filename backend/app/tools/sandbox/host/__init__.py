"""The host's side of the sandbox: starts, asks and ends worker processes."""
