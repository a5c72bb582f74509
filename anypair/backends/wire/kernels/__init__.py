"""Loops that are compiled; `codec.py` loads them."""
