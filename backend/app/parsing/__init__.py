"""Pure readers: bytes in, frozen values out; no file, no clock, no connection."""
