"""From a folder to a page."""

from dataclasses import dataclass
from pathlib import Path

from anypair.errors import InvalidValue
from anypair.report.context import effort_section, machine_section
from anypair.report.kernels import construction_section, runs_section, teps_section
from anypair.report.levels import bytes_section, frontier_section, time_section, with_searches
from anypair.report.naming import named
from anypair.report.page import page
from anypair.report.reading import Collected, collect
from anypair.report.scaling import strong_section, weak_section

FILE_NAME = "report.html"


@dataclass(frozen=True)
class Written:
    """The page that was written, what went into it, and files that were not understood."""

    path: Path
    runs: int
    traces: int
    warnings: list[str]


def write_report(folder: str | Path, output: str | Path | None = None) -> Written:
    """Write the page for the results in `folder`, to `output` or to report.html in the folder.

    >>> import tempfile
    >>> write_report(tempfile.mkdtemp())
    Traceback (most recent call last):
    ...
    anypair.errors.InvalidValue: report: no .json file in ...
    """
    found = collect(folder)
    found.runs = named(found.runs)
    path = Path(output) if output is not None else Path(folder) / FILE_NAME
    text = render(found)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidValue(f"report: {path} cannot be written: {error.strerror}") from error
    return Written(path, len(found.runs), len(found.traces), found.warnings)


def render(found: Collected) -> str:
    """The page as text."""
    traced = with_searches(found.traces)
    sections = [
        teps_section(found.runs),
        construction_section(found.runs),
        frontier_section(traced),
        time_section(traced),
        bytes_section(traced),
        strong_section(found.runs),
        weak_section(found.runs),
        effort_section(found.runs),
        runs_section(found.runs),
        machine_section(found.runs),
    ]
    return page(found, sections)
