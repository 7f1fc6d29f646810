"""View models of the console: frozen values, made of what archive and gate give; no page knows more."""
