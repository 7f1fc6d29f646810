"""The stores behind the kernel's ports."""
