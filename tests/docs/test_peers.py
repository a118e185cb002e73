"""The page of peers names the releases that the extras pin, and each peer has tests."""

import re
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")

import fastbleu
from fastbleu.patch.peers import PEERS as PATCHED
from tools.peers import EXTRAS, PEERS, REPOSITORY, Peer, paths_of, pinned_release, releases, requirements

PAGE = (REPOSITORY / "docs" / "peers.md").read_text(encoding="utf-8")

#: What an extra pins without being compared with: what the compared ones need.
NEEDED = {"setuptools", "six"}


def rows() -> dict[str, set[str]]:
    """The packages of the page's tables, and the releases of each."""
    table = re.findall(r"^\| ([a-z][a-z-]+) \| ([0-9][^|]*) \|", PAGE, re.MULTILINE)
    assert len(table) == len({name for name, _ in table}), "a package occurs twice"
    return {name: set(re.split(" or | and ", cell)) for name, cell in table}


def test_the_page_names_every_peer_at_its_release() -> None:
    equal: dict[str, set[str]] = {}
    for peer in PEERS:
        equal.setdefault(peer.name, set()).update(releases(peer))
    assert rows() == equal


def test_one_release_of_sacrebleu_is_pinned_claimed_and_patched() -> None:
    (peer,) = (peer for peer in PEERS if peer.name == "sacrebleu")
    assert releases(peer) == [fastbleu.SACREBLEU_VERSION]
    assert PATCHED["sacrebleu"].releases[-1] == fastbleu.SACREBLEU_VERSION


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_pinned_package_is_a_peer(extra: str) -> None:
    pinned = {each.name: pinned_release(each) for each in requirements(extra) if pinned_release(each)}
    for name, release in pinned.items():
        assert name in NEEDED or release in rows()[name] or name == "regex", (name, release)


def test_a_release_of_our_own_is_one_that_the_extra_allows() -> None:
    for peer in PEERS:
        if peer.release is not None and peer.extra is not None:
            (asked,) = (each for each in requirements(peer.extra) if each.name == peer.name)
            assert asked.specifier.contains(peer.release), peer


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: f"{peer.name}-{peer.extra}")
def test_a_peer_has_tests(peer: Peer) -> None:
    assert paths_of(peer)
    for each in peer.tests.split():
        path, _, name = each.partition("::")
        assert (REPOSITORY / "tests" / path).exists(), path
        assert not name or f"\ndef {name}" in (REPOSITORY / "tests" / path).read_text(encoding="utf-8"), each


def test_every_parity_test_belongs_to_a_peer() -> None:
    known = {path.removeprefix("tests/") for peer in PEERS for path in paths_of(peer)}
    alone = {"parity/test_bleuberi.py"}  # Restated from sources at a commit.
    found = {f"parity/{path.name}" for path in Path(REPOSITORY, "tests", "parity").glob("test_*.py")}
    assert found - known == alone
