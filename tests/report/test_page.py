"""The page: every section, with data and without; nothing foreign gets into the markup."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from anypair.backends.registry import BACKENDS
from anypair.report import write_report
from anypair.report.effort import SEI_LINES, backend_lines, lines_of_code, search_lines
from tests.report.samples import full_folder, result, trace, write

SECTIONS = {
    "teps", "construction", "frontier", "time", "bytes", "strong", "weak", "effort", "runs", "machine",
}  # fmt: skip
VOID = {"meta", "link", "br", "img"}


class Balance(HTMLParser):
    """Every element that is opened is closed, and ids are unique."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page_of(folder: Path) -> str:
    return write_report(folder).path.read_text("utf-8")


def part(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found, name
    return found[0]


def test_a_full_folder_fills_every_section(tmp_path: Path) -> None:
    page = page_of(full_folder(tmp_path))
    assert set(re.findall(r'<section id="([a-z]+)"', page)) == SECTIONS
    assert "missing" not in page.partition("</style>")[2]
    ids = Balance(page).ids
    assert len(ids) == len(set(ids))
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!#|data:,)', page)


def test_a_lone_result_names_the_commands_for_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "one.json", result())
    page = page_of(tmp_path)
    for name in ("frontier", "time"):
        assert "anypair graph500 --scale 16 --trace" in part(page, name)
    for name in ("strong", "weak"):
        assert "anypair bench" in part(page, name)
    assert "tells of bytes" in part(page, "bytes")
    assert part(page, "teps").count('class="datum"') == 2  # harmonic mean and median


def test_a_lone_trace_names_the_commands_for_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "trace.json", trace([1, 4, 2]))
    page = page_of(tmp_path)
    for name in ("teps", "construction", "effort", "runs", "machine"):
        assert "anypair bench" in part(page, name)
    assert part(page, "frontier").count('class="datum"') == 3


@pytest.mark.parametrize("field", ["backend", "machine", "versions"])
def test_markup_in_data_stays_text(tmp_path: Path, field: str) -> None:
    evil = '<script>alert("x")</script>'
    value: Any = evil if field == "backend" else {evil: evil}
    write(tmp_path / f"{evil.replace('/', '')}.json", result() | {field: value})
    write(tmp_path / "evil<b>.json", {"a": 1})
    page = page_of(tmp_path)
    assert "<script" not in page
    assert "<b>.json" not in page
    Balance(page)


@pytest.mark.parametrize(
    "odd",
    [
        {"teps": [], "times": [], "harmonic_mean_TEPS": 0, "median_TEPS": 0},
        {"scale": 0},
        {"construction_time": 0.0},
        {"threads": 3},
        {"harmonic_mean_TEPS": 1e-12},
        {"harmonic_mean_TEPS": 1e18},
        {"backend": "of somebody else"},
    ],
    ids=str,
)
def test_odd_results_make_a_page(tmp_path: Path, odd: dict[str, Any]) -> None:
    write(tmp_path / "one.json", {"results": [result() | odd, result(12, threads=2)]})
    Balance(page_of(tmp_path))


def test_repeated_runs_show_the_best(tmp_path: Path) -> None:
    write(tmp_path / "many.json", {"results": [result(), result(speed=3.0), result(speed=2.0)]})
    page = page_of(tmp_path)
    assert part(page, "teps").count('class="datum"') == 2  # harmonic mean and median
    assert part(page, "runs").count("<tr>") == 4


def test_strong_and_weak_scaling(tmp_path: Path) -> None:
    runs = [result(10, threads=1), result(11, threads=2), result(10, threads=2, speed=1.0)]
    write(tmp_path / "runs.json", {"results": runs})
    page = page_of(tmp_path)
    assert "jit, scale 10" in part(page, "strong")
    assert "scale 11" not in part(page, "strong")
    assert "1.74" in part(page, "strong")  # the samples' speedup of two threads: 2 ** 0.8
    assert "1\N{NARROW NO-BREAK SPACE}024 vertices each" in part(page, "weak")


def test_kernel_3_has_a_chart_where_it_ran(tmp_path: Path) -> None:
    write(tmp_path / "a.json", result())
    assert "Kernel 3" not in page_of(tmp_path)
    write(tmp_path / "a.json", result(sssp={"median_TEPS": 5e5}))
    assert "Kernel 3" in page_of(tmp_path)


def test_searches_of_thousands_of_levels_stay_readable(tmp_path: Path) -> None:
    write(tmp_path / "trace.json", trace([1, *([2] * 2998), 1]))
    page = page_of(tmp_path)
    assert 10 < part(page, "frontier").count('class="datum"') <= 60
    assert 10 < part(page, "time").count('class="bar') <= 2 * 60 + 2
    assert "level 50-99" in part(page, "time")
    assert part(page, "time").count("<tr>") == 3001
    Balance(page)


def test_lines_of_code() -> None:
    assert (
        lines_of_code(
            '"""Doc."""\n\nx = """a\nb"""  # c\n\n\ndef f():\n    "doc"\n    return (1,\n 2)\n'
        )
        == 5
    )
    assert lines_of_code("") == 0
    counted = {name: backend_lines(name) for name in BACKENDS}
    assert all(lines and lines > 50 for lines in counted.values())
    assert (counted["jit"] or 0) > (counted["reference"] or 0)
    assert backend_lines("magic") is None
    assert 10 < search_lines() < 40
    assert SEI_LINES["Single CPU, List"] == 135
