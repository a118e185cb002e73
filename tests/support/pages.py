"""The contents of a page of HTML, read by Python's own parser, and as a browser shows them."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Elements that have no end tag.
VOID = ("meta", "br", "link", "input", "img")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page(HTMLParser):
    """A page's elements and text; a tag that is not closed, or closed in another place, is an error."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, names)
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"script", "style"} & set(self.open):
            return
        self.text += data
        if self.rows and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def attributes(self, name: str) -> list[str]:
        """The values of an attribute, of all elements that have it."""
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    def tags(self, *names: str) -> list[dict[str, str]]:
        """The attributes of all elements with one of these names."""
        return [attributes for tag, attributes in self.elements if tag in names]


def browse(address: str, profile: Path, *flags: str, seconds: float = 120) -> str:
    """Load a page in Chromium, with a profile of its own, and return the document as it is then."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *(
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ),
        "--disable-features=NetworkTimeServiceQuerying",  # asks for the time by itself
        *(f"--user-data-dir={profile}", *flags, "--dump-dom", address),
    ]
    environment = os.environ | {"LANG": "C.UTF-8"}
    environment.pop("LD_PRELOAD", None)  # under a sanitizer's runtime it would hang
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
    ) as process:
        try:
            document, messages = process.communicate(timeout=seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # its helpers too, which would go on when it hangs
    assert process.returncode == 0, messages.decode("utf-8", "replace")
    return document.decode("utf-8")


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder: its address, and a list of the paths that are asked for."""
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            super().do_GET()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", asked
        server.shutdown()


@cache
def chromium_works() -> bool:
    """Return whether there is a Chromium that loads a page: in some containers it starts and then waits for ever."""
    if CHROMIUM is None:
        return False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        try:
            return "it works" in browse("data:text/html,<p>it%20works</p>", Path(profile), seconds=30)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            return False
