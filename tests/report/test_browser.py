"""The report in a real headless browser: light and dark, wide and narrow."""

import re

import pytest

from anypair.report import write_report
from tests.report.browser import Seen, find_browser, look
from tests.report.samples import full_folder

BROWSER = find_browser()
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium here; install the package chromium or set ANYPAIR_TEST_BROWSER"
)
CHARTS = 11


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = full_folder(tmp_path_factory.mktemp("results"))
    return write_report(folder).path.read_text("utf-8")


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    lights = []
    for colour in (one, other):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def check(seen: Seen) -> None:
    """What holds at every width and in both colour schemes."""
    assert seen.console == []
    assert seen.requested == ["/probe.html", "/report.html"]
    assert seen.page["requests"] == []
    assert seen.page["width"][0] <= seen.page["width"][1], "the page is wider than the window"
    assert len(seen.page["charts"]) == CHARTS
    assert seen.page["missing"] == 0
    assert contrast(seen.page["paper"], seen.page["ink"]) > 7
    for chart in seen.page["charts"]:
        width, height = chart["size"]
        assert width > 200, chart["title"]
        assert height > 100, chart["title"]
        assert chart["desc"]
        assert chart["table"] > 0, f"{chart['title']}: no table beside it"
        assert chart["marks"], chart["title"]
        assert min(chart["text"]) >= 7, f"{chart['title']}: text of {min(chart['text'])} px"
        for mark in chart["marks"]:
            assert mark["size"][0] > 2, chart["title"]
            assert mark["size"][1] > 0, chart["title"]
            shown = max(contrast(mark[what], seen.page["paper"]) for what in ("colour", "border"))
            assert shown >= 3, f"{chart['title']}: {mark} on {seen.page['paper']}"


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280], ids=["phone", "desk"])
def test_the_report_shows_every_chart(report: str, width: int, dark: bool) -> None:
    assert BROWSER is not None
    seen = look(BROWSER, report, width, dark=dark)
    assert seen.page["dark"] is dark
    check(seen)


SPOILED = {
    "a script that fails": ("<body>", "<body><script>missing()</script>"),
    "a picture from elsewhere": ("<body>", '<body><img src="http://elsewhere.example/x.png">'),
    "a request to the same place": ("<style>", '<link rel="stylesheet" href="/x.css"><style>'),
    "a chart without size": ("<style>", "<style>.chart { display: none !important; }"),
    "something too wide": ("<body>", '<body><div style="width:3000px">wide</div>'),
    "marks like the paper": (
        "</style>",
        ".mark, .bar { fill: var(--paper); stroke: var(--paper); }</style>",
    ),
}


@needs_browser
@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_page_is_noticed(report: str, what: str) -> None:
    assert BROWSER is not None
    before, after = SPOILED[what]
    spoiled = report.replace(before, after, 1)
    assert spoiled != report
    seen = look(BROWSER, spoiled, 390)
    with pytest.raises(AssertionError):
        check(seen)
