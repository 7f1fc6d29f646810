"""Answers that a model of the operator's words; it sees only what left the gate grounded, and is no tool (R33)."""
