"""Capabilities that answer: research over several steps, and checks of written answers."""
