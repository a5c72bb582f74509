"""Compiled loops of the external sort."""
