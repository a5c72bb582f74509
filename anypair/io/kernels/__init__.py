"""Compiled text in and out; `anypair.io.compiled` loads these files and keeps the machine code."""
