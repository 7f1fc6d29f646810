"""The dialects: pure functions that say one reply in the words of a protocol."""
