"""Measurements as one HTML page: JSON results and traces of a folder in, charts and tables out.

The page stands alone: no script, no font, no request. Charts are SVG with a table beside each.
"""

from anypair.report.making import Written, write_report

__all__ = ["Written", "write_report"]
