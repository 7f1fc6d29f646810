"""The frozen pipeline: every rule that decides whether evidence may pass."""
