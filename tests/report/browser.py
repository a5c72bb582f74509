"""A page in a real browser, without a driver: a probe page looks into it and prints what it saw.

The probe shows the report in a frame of the wanted width, from the same small server, which also
notes every request. The report itself runs no script.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
DARK = ("--blink-settings=preferredColorScheme=0",)
LIGHT = ("--blink-settings=preferredColorScheme=1",)

PROBE = """<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,">
<iframe id="frame" src="/report.html" style="width:WIDTHpx;height:900px;border:0"></iframe>
<pre id="seen">nothing</pre>
<script>
document.getElementById("frame").addEventListener("load", (event) => {
  const page = event.target.contentDocument, view = event.target.contentWindow;
  const box = (element) => { const r = element.getBoundingClientRect(); return [r.width, r.height]; };
  const colours = (element, name) => view.getComputedStyle(element)[name];
  const seen = {
    charts: [...page.querySelectorAll("svg.chart")].map((chart) => ({
      title: chart.querySelector("title").textContent,
      desc: chart.querySelector("desc").textContent,
      size: box(chart),
      marks: [...chart.querySelectorAll(".mark, .bar")].map((mark) => ({
        size: box(mark), colour: colours(mark, "fill"), border: colours(mark, "stroke"),
      })),
      text: [...chart.querySelectorAll("text:not(.tip)")].map((text) => parseFloat(
        colours(text, "fontSize")) * box(chart)[0] / 640),
      table: chart.parentElement.querySelectorAll("details tbody tr").length,
    })),
    paper: colours(page.body, "backgroundColor"), ink: colours(page.body, "color"),
    dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
    width: [page.documentElement.scrollWidth, page.documentElement.clientWidth],
    requests: view.performance.getEntriesByType("resource").map((entry) => entry.name),
    sections: [...page.querySelectorAll("section")].map((section) => section.id),
    missing: [...page.querySelectorAll(".missing")].length,
  };
  document.getElementById("seen").textContent = JSON.stringify(seen);
});
</script>
"""


def find_browser() -> str | None:
    """The browser to test with; the variable ANYPAIR_TEST_BROWSER names another one."""
    named = os.environ.get("ANYPAIR_TEST_BROWSER")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass(frozen=True)
class Seen:
    """What the browser made of a page."""

    page: dict[str, Any]
    console: list[str]
    requested: list[str]


def look(browser: str, html: str, width: int, *, dark: bool = False) -> Seen:
    """Open a page at this width."""
    pages = {"/report.html": html, "/probe.html": PROBE.replace("WIDTH", str(width))}
    with _served(pages) as (port, requested), tempfile.TemporaryDirectory() as profile:
        command = [
            browser, *QUIET, *(DARK if dark else LIGHT), f"--user-data-dir={profile}",
            f"--window-size={max(width, 500) + 40},1000", "--virtual-time-budget=10000", "--dump-dom",
            f"http://127.0.0.1:{port}/probe.html",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, f"the browser printed no page (status {done.returncode}): {done.stderr[-2000:]}"
    assert found[1] != "nothing", f"the page did not load: {done.stderr[-2000:]}"
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return Seen(json.loads(unescape(found[1])), console, requested)


@contextmanager
def _served(pages: dict[str, str]) -> Iterator[tuple[int, list[str]]]:
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested.append(self.path)
            body = pages.get(self.path, "").encode()
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: Any) -> None:
            """Nothing on stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.server_address[1], requested
        finally:
            server.shutdown()
            thread.join()
