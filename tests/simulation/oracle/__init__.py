"""The oracle: what must come out of a world, computed from its scenario alone; it imports nothing of the product."""
