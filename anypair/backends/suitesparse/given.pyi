"""What stands before the text of a callback, besides its operator: where to note that it has raised.

`callbacks.py` writes their definitions. There is no such module to import.
"""

from typing import Any

def raised() -> Any:
    """Where to write 1 if it has raised."""

def failed_x() -> Any:
    """Where to write the first operand for which it did."""

def failed_y() -> Any:
    """Where to write the second operand for which it did."""

def failed_k() -> Any:
    """Where to write the index for which it did."""

def failed_i() -> Any:
    """Where to write the row of the result for which it did."""

def failed_j() -> Any:
    """Where to write the column of the result for which it did."""
