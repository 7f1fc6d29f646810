"""The record of a session: its log, its history, its replay."""
