"""The page around the sections: title, key figures, contents, warnings, style."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

from anypair.report.numbers import si
from anypair.report.reading import Collected
from anypair.report.section import Section
from anypair.report.svg import tag
from anypair.version import __version__

# Nothing may be loaded from anywhere: the page shows the same for ever.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
TITLE = "Graph500 on anypair"


def page(found: Collected, sections: Sequence[Section]) -> str:
    """The whole document."""
    style = files("anypair.report").joinpath("style.css").read_text("utf-8")
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
        f"<title>{TITLE}</title><style>{style}</style>"
    )
    contents = [tag("a", escape(s.title), href=f"#{s.name}") for s in sections]
    body = [
        tag("header", tag("h1", TITLE), tag("p", _subtitle(found), class_="subtitle")),
        _warnings(found.warnings),
        _key_figures(found),
        tag("nav", *contents, aria_label="Contents"),
        tag("main", *(section.html() for section in sections)),
    ]
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{"".join(body)}</body></html>\n'


def _subtitle(found: Collected) -> str:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    counts = f"{_count(len(found.runs), 'run')}, {_count(len(found.traces), 'trace')}"
    return escape(f"{counts}; made by anypair {__version__} on {now}")


def _key_figures(found: Collected) -> str:
    if not found.runs:
        return ""
    best = max(found.runs, key=lambda run: run.harmonic_mean)
    largest = max(found.runs, key=lambda run: (run.scale, run.harmonic_mean))
    validated = sum(run.validated for run in found.runs)
    searches = sum(len(run.teps) for run in found.runs)
    cards = [
        ("best harmonic mean", si(best.harmonic_mean, "TEPS"), f"{best.name}, scale {best.scale}"),
        ("largest graph", f"scale {largest.scale}",
         f"{si(2.0**largest.scale)} vertices, {si(largest.edgefactor * 2.0**largest.scale)} edges"),
        ("kernel 1 of it", si(largest.construction_time, "s"), largest.name),
        ("searches", str(searches), f"{validated} of {_count(len(found.runs), 'run')} validated"),
    ]  # fmt: skip
    return tag(
        "dl",
        *(
            tag("div", tag("dt", escape(name)), tag("dd", tag("b", escape(value)), escape(detail)))
            for name, value, detail in cards
        ),
        class_="key",
    )


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    items = [tag("li", escape(warning)) for warning in warnings]
    text = tag("p", "Files that were left out:")
    return tag("aside", text, tag("ul", *items), class_="warnings")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
