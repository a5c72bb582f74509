"""Engines behind one contract (`base`), listed in `registry`; each is imported only when asked for."""
