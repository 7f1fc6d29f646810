"""The world: the production rooms under a virtual clock, between simulated tools, stores and callers."""
