"""Compiled functions of the thread pool."""
