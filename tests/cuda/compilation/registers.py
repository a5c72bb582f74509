"""At the end of a run: how many registers each kernel takes, for each compute capability."""

from typing import Any

PROPERTY = "registers of kernels"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows: list[tuple[str, ...]] = []
    for report in terminalreporter.stats.get("passed", []):
        rows += [
            tuple(row) for name, found in report.user_properties if name == PROPERTY for row in found
        ]
    if not rows:
        return
    head = ("template", "kernel", "operators", "sm_75", "sm_80", "sm_90", "sm_100")
    table = [head, *sorted(rows)]
    widths = [max(len(row[c]) for row in table) for c in range(len(head))]
    terminalreporter.section("registers of CUDA kernels, none of them spilled")
    for row in table:
        terminalreporter.write_line(
            "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip()
        )
