"""Installing: which peers, before and after their import, for how long, and what the report says."""

import sys
from collections.abc import Iterator
from functools import partial, wraps
from importlib import import_module, reload
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import fastbleu
from fastbleu import patch
from fastbleu.patch._calls import RUN_ORIGINAL
from fastbleu.patch.peers import PEERS, Peer
from fastbleu.patch.reporting import Line
from tests.support.processes import printed_by


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A peer of a few lines, which is not imported yet. Returns its name."""
    name = f"peer_{tmp_path.name}"
    (tmp_path / f"{name}-1.2.dist-info").mkdir()
    (tmp_path / f"{name}-1.2.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: 1.2\n")
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    (tmp_path / name / "score.py").write_text("def half(number, by=2):\n    return ('itself', number / by)\n")

    def replacements_in(module: Any) -> Any:
        return [(module.half, lambda number, by: ("fastbleu", number / by) if number else RUN_ORIGINAL)]

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(
        sys.modules, f"fastbleu.patch.{name}", SimpleNamespace(replacements_in=replacements_in)
    )
    monkeypatch.setitem(PEERS, name, Peer(name, name, "1.0 1.2", f"{name}.score"))
    yield name
    patch.uninstall()
    for module in (name, f"{name}.score"):
        sys.modules.pop(module, None)


def ours_in(finders: list[Any]) -> list[Any]:
    return [each for each in finders if type(each).__module__ == "fastbleu.patch.installing"]


def line_of(name: str) -> Line:
    (line,) = (line for line in patch.report() if line.peer == name)
    return line


def test_a_function_of_a_program_in_the_place_of_the_peers(peer: str) -> None:
    module: Any = import_module(f"{peer}.score")
    before = module.half

    @wraps(before)
    def half(*numbers: float) -> Any:
        return "the program's", before(*numbers)

    module.half = half
    with patch.install(peer):
        assert module.half(4) == ("the program's", ("itself", 2.0))
    module.half = before
    with patch.install(peer):
        module.half = half
        with patch.install(peer):
            assert module.half(4) == ("the program's", ("fastbleu", 2.0))


def test_bad_names() -> None:
    with pytest.raises(ValueError, match=r"unknown peer 'sacreblue'; choose one of sacrebleu, nltk, "):
        patch.install("sacreblue")
    with pytest.raises(TypeError, match="peers must be names, not int: 3"):
        patch.uninstall(3)


def test_a_peer_that_is_not_there(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PEERS[peer], "distribution", "no-such-distribution")
    with pytest.raises(ModuleNotFoundError, match=f"{peer} is not installed: pip install no-such-distribu"):
        patch.install(peer)
    assert peer not in patch.install().peers
    patch.uninstall()
    assert line_of(peer).state == "not installed"


def test_a_peer_that_was_taken_apart_is_left_alone(peer: str, tmp_path: Path) -> None:
    (tmp_path / peer / "score.py").write_text("whole = None\n")
    import_module(f"{peer}.score")
    with patch.install(peer) as installed:
        assert installed.peers == (peer,)
        error = f"{peer}.score: AttributeError: module '{peer}.score' has no attribute 'half'"
        assert line_of(peer).state == f"not replaced, because it differs from its release: {error}"


def test_another_release_is_left_alone(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PEERS[peer], "releases", ("0.1", "0.2"))
    with pytest.warns(
        UserWarning,
        match=rf"{peer} 1\.2 is not replaced, because fastbleu was compared only with releases 0\.1 to",
    ) as caught:
        assert patch.install(peer).peers == ()
    assert caught[0].filename == __file__
    assert line_of(peer).state == "not replaced: fastbleu was compared only with 0.1 to 0.2"


def test_before_the_import(peer: str) -> None:
    patch.install(peer)
    assert len(ours_in(sys.meta_path)) == 1
    assert peer not in sys.modules
    assert line_of(peer)[1:4] == ("1.2", "", "not imported yet")
    module: Any = import_module(f"{peer}.score")
    assert (module.half(3), module.half(0)) == (("fastbleu", 1.5), ("itself", 0))
    assert not ours_in(sys.meta_path)
    loaders = [type(module.__loader__).__name__, type(module.__spec__.loader).__name__]
    assert loaders == ["SourceFileLoader"] * 2
    assert line_of(peer) == (peer, "1.2", f"{peer}.score.half", "replaced", 1, 1, "")
    # A module that is imported again has functions of its own.
    again = reload(module)
    patch.install(peer)
    assert again.half(1) == ("fastbleu", 0.5)
    assert [line.taken for line in patch.report() if line.peer == peer] == [1, 1]


def test_after_the_import(peer: str) -> None:
    held = import_module(f"{peer}.score").half
    bound, code = partial(held, by=4), held.__code__
    with patch.install(peer) as installed:
        assert str(installed) == f"<fastbleu.patch of {peer}>"
        assert (bound(1), held(1)) == (("fastbleu", 0.25), ("fastbleu", 0.5))
        with patch.install(peer) as again:
            assert str(again) == "<fastbleu.patch of nothing>"
        assert held(2) == ("fastbleu", 1)
        # What the replacement cannot compute, the peer's own code does, or refuses.
        with pytest.raises(TypeError, match="unsupported operand"):
            held("a")
    assert held.__code__ is code
    error = "TypeError: unsupported operand type(s) for /: 'str' and 'int'"
    assert line_of(peer)[3:] == ("not replaced", 3, 1, error)
    assert str(patch.report()).splitlines()[-1] == f"{peer}.score.half: the original code ran after {error}"


def test_a_peer_that_is_waited_for_no_longer(peer: str) -> None:
    patch.install(peer)
    patch.uninstall(peer)
    assert not ours_in(sys.meta_path)
    assert import_module(f"{peer}.score").half(1) == ("itself", 0.5)
    assert line_of(peer)[3:5] == ("not replaced", 0)


def test_something_else_in_the_place_of_a_peer(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"{peer}.score", ModuleType("other"))
    patch.install(peer)
    assert line_of(peer).state == "nothing to replace"


def test_the_report_is_a_table() -> None:
    lines = str(patch.report()).splitlines()
    assert lines[0].split() == ["peer", "release", "function", "state", "by", "fastbleu", "by", "original"]
    assert len(lines) == 1 + len(patch.report()) + sum(bool(line.refused) for line in patch.report())


def test_ipython() -> None:
    installed = [name for name, peer in PEERS.items() if peer.is_equal]
    patch.load_ipython_extension(None)
    assert [name for name, peer in PEERS.items() if peer.is_installed] == installed
    patch.unload_ipython_extension(None)
    assert not any(peer.is_installed for peer in PEERS.values())
    assert fastbleu.patch is patch


def test_nothing_is_left_behind() -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu")

    def state() -> object:
        return list(sys.meta_path), sys.path[:], sacrebleu.BLEU.corpus_score.__code__

    before = state()
    with patch.install("sacrebleu"):
        assert sacrebleu.BLEU().corpus_score(["a b c d"], [["a b c d"]]).score == 100.00000000000004
        assert state() != before
    assert state() == before


@pytest.mark.slow
def test_where_fastbleu_stands_in_the_place_of_a_peer() -> None:
    pytest.importorskip("sacrebleu")
    program = """
import sys, fastbleu.compat.sacrebleu
sys.modules["sacrebleu"] = fastbleu.compat.sacrebleu
import sacrebleu.metrics.bleu
import fastbleu.patch
fastbleu.patch.install("sacrebleu")
print(sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]]).score)
fastbleu.patch.uninstall()
"""
    assert printed_by(program, "-W", "error") == "100.00000000000004\n"
