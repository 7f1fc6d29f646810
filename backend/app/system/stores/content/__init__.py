"""Content stores: bytes by their sha256."""
