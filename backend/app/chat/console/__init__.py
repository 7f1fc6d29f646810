"""The operator's console: pages in the browser that show what the gate did and why."""
