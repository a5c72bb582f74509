"""Compiled loops of the harness; `anypair.graph500.compiled` loads them."""
