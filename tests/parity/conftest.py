"""Says at the end how many results were compared with which peer."""

from __future__ import annotations

from typing import Any

from tests.parity.compared import COMPARED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if COMPARED:
        terminalreporter.section("results compared with live peers")
        for peer, number in sorted(COMPARED.items()):
            terminalreporter.write_line(f"{number:>12,}  {peer}")
