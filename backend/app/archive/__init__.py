"""Work on the recorded past: list, show, replay, receipts, erase, prune, recovery; over any store."""
