"""A part of the page: words, charts with their tables, or the command that would give it data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from anypair.report.charts import Chart
from anypair.report.svg import tag


@dataclass(frozen=True)
class Table:
    """Rows under headings; cells are text, aligned right where `numeric` says so."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 1  # how many columns from the left are words

    def html(self, about: str) -> str:
        """The table in a frame that scrolls by itself where it is too wide; `about` names it."""
        head = tag("tr", *(tag("th", escape(h), scope="col") for h in self.headings))
        body = [
            tag(
                "tr",
                *(
                    tag("td", escape(cell), class_=None if c < self.text_columns else "number")
                    for c, cell in enumerate(row)
                ),
            )
            for row in self.rows
        ]
        table = tag("table", tag("thead", head), tag("tbody", *body))
        return tag(
            "div", table, class_="scroll", tabindex=0, role="region", aria_label=f"Table: {about}"
        )


@dataclass(frozen=True)
class Figure:
    """A chart, what to note about it, and its numbers."""

    chart: Chart
    table: Table
    note: str = ""

    def html(self, name: str) -> str:
        """The figure; `name` makes its ids unique in the page."""
        return tag(
            "figure",
            tag("figcaption", escape(self.chart.title)),
            _legend(self.chart.legend()),
            self.chart.svg(name),
            tag("p", escape(self.note), class_="note") if self.note else "",
            tag("details", tag("summary", "Data"), self.table.html(self.chart.title)),
        )


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it; without figures and tables, the remedy."""

    name: str
    title: str
    lead: str
    figures: Sequence[Figure] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    remedy: str = ""
    command: str = ""

    def html(self) -> str:
        """The section."""
        figures = [figure.html(f"{self.name}-{k}") for k, figure in enumerate(self.figures)]
        tables = [
            (tag("h3", escape(title)) if title else "") + table.html(title or self.title)
            for title, table in self.tables.items()
        ]
        parts = [tag("div", *figures, class_="figures")] if figures else []
        if not figures and not tables:
            parts = [tag("p", escape(self.remedy), class_="missing")]
            parts += [tag("pre", tag("code", escape(self.command)))] if self.command else []
        heading = tag("h2", escape(self.title))
        lead = tag("p", escape(self.lead), class_="lead")
        wide = "wide" if tables or len(figures) > 1 else None
        return tag("section", heading, lead, *parts, *tables, id=self.name, class_=wide)


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    items = [tag("li", swatch, escape(name)) for swatch, name in entries]
    return tag("ul", *items, class_="legend")
