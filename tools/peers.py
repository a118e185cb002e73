"""The peers and hosts that fastbleu is compared with: where their release stands, and which tests compare.

The release of a peer is what an extra of `pyproject.toml` pins (`name==release`). A peer that no extra pins has its
release here. `tests/docs/test_peers.py` checks that `docs/peers.md` lists the same peers at the same releases, and
`tools/check_peers.py` runs the tests with newer ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).resolve().parents[1]

#: The extras that pin releases. Each is one environment, because peers of different ones may not agree with each other.
EXTRAS = ("parity", "train", "engines", "mbrs", "captions", "verl", "verifiers")


class Peer(NamedTuple):
    """A package whose results are compared with ours.

    Attributes:
        name: Its name in the package index.
        extra: The extra that asks for it, which is also the environment of its tests; None where a person installs it.
        tests: The files and folders that compare with it, below `tests/`; after "::" how their tests' names begin.
        release: The release, where no extra pins it.
    """

    name: str
    extra: str | None
    tests: str
    release: str | None = None


PEERS = (
    Peer(
        "sacrebleu",
        "parity",
        "parity/test_sacrebleu.py parity/test_sacrebleu_chrf.py parity/test_sacrebleu_cli.py "
        "parity/test_sacrebleu_cli_paired.py "
        "parity/test_sacrebleu_cli_test_sets.py parity/test_sacrebleu_data.py parity/test_sacrebleu_formulas.py "
        "parity/test_sacrebleu_namespace.py parity/test_sacrebleu_significance.py parity/test_mt_r1_zero.py "
        "parity/test_rerank.py parity/test_reward_components.py compat/test_sacrebleu.py patch/test_sacrebleu.py "
        "scoring/test_bootstrap.py cli/bleu",
    ),
    Peer(
        "nltk", "parity", "parity/test_nltk.py parity/test_rerank.py parity/test_r_zero.py patch/test_nltk.py"
    ),
    Peer("evaluate", "parity", "parity/test_evaluate.py compat/test_evaluate.py patch/test_evaluate.py"),
    Peer("bleuscore", "parity", "parity/test_evaluate.py::test_bleuscore"),
    Peer("fast-bleu", "parity", "parity/test_fast_bleu.py patch/test_fast_bleu.py"),
    Peer("scikit-learn", "parity", "parity/test_r_zero.py rewards/test_repetition_clusters.py"),
    Peer("regex", "parity", "tokenizers/test_unicode_table.py parity/test_sacrebleu.py"),
    Peer(
        "torchmetrics",
        "train",
        "parity/test_torchmetrics.py compat/test_torchmetrics.py patch/test_torchmetrics.py",
    ),
    Peer("pytorch-ignite", "train", "parity/test_other_members.py::test_ignite"),
    Peer("transformers", "train", "compat/test_transformers.py parity/test_generated.py::test_transformers"),
    Peer("accelerate", "train", "compat/test_transformers.py"),
    Peer(
        "trl",
        "train",
        "rewards/test_trl.py parity/test_reward_components.py examples/test_training.py::test_grpo",
    ),
    Peer(
        "torch",
        "train",
        "inputs/test_devices.py::test_like_torch inputs/test_devices.py::test_torch parity/test_generated.py",
    ),
    Peer("jax", "train", "inputs/test_devices.py::test_like_jax"),
    Peer(
        "mbrs",
        "mbrs",
        "parity/test_mbrs.py parity/test_mbrs_plugin.py compat/test_mbrs.py patch/test_mbrs.py",
    ),
    Peer("fastchrf", "mbrs", "parity/test_fastchrf.py"),
    Peer("pycocoevalcap", "captions", "parity/test_pycocoevalcap.py patch/test_pycocoevalcap.py"),
    Peer("crystalbleu", "parity", "compat/test_crystalbleu.py"),
    Peer(
        "verl",
        "verl",
        "parity/test_verl.py rewards/test_verl.py examples/test_training.py::test_verl",
        release="0.9.1",
    ),
    Peer("verifiers", "verifiers", "parity/test_reward_verifiers.py"),
    Peer("pyarrow", "engines", "arrow inputs/test_arrow.py"),
    Peer("nanoarrow", "engines", "inputs/test_arrow.py::test_columns_of_other_packages"),
    Peer("pandas", "engines", "inputs/test_frames.py"),
    Peer("polars", "engines", "engines/test_programs.py::test_polars inputs/test_frames.py"),
    Peer("duckdb", "engines", "engines/test_programs.py::test_duckdb"),
    Peer("datasets", "engines", "engines/test_programs.py::test_datasets"),
    Peer("dask", "engines", "engines/test_programs.py::test_dask"),
    Peer("ray", "engines", "engines/test_clusters.py"),
    Peer("pyspark", "engines", "engines/test_clusters.py"),
    Peer("openrlhf", None, "parity/test_reward_openrlhf.py", release="0.11.2"),
    Peer("ms-swift", None, "parity/test_reward_swift.py", release="4.6.0"),
    Peer("slime", None, "parity/test_reward_slime.py", release="0.3.1"),
    Peer("nemo-gym", None, "parity/test_reward_nemo_gym.py", release="0.4.0"),
)


def paths_of(peer: Peer) -> list[str]:
    """The files and folders with a peer's tests, from the repository's root."""
    return [f"tests/{tests.partition('::')[0]}" for tests in peer.tests.split()]


def requirements(extra: str) -> Iterator[Requirement]:
    """Return the requirements of an extra; other extras of fastbleu are replaced by their own requirements."""
    for line in _extras()[extra]:
        requirement = Requirement(line)
        if requirement.name == "fastbleu-metric":
            for other in sorted(requirement.extras):
                yield from requirements(other)
        else:
            yield requirement


def _extras() -> dict[str, Any]:
    import tomllib  # Python 3.10 lacks it, and only reads the table above

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, Any] = project["optional-dependencies"]
    return extras


def pinned_release(requirement: Requirement) -> str | None:
    """The release that a requirement pins, or None."""
    versions = [each.version for each in requirement.specifier if each.operator == "=="]
    return versions[0] if versions else None


def releases(peer: Peer) -> list[str]:
    """The releases that a peer equals: that of its extra, one for each set of Python versions, or its own."""
    pinned = []
    if peer.extra is not None:
        named = [each for each in requirements(peer.extra) if each.name == peer.name]
        pinned = [release for release in map(pinned_release, named) if release is not None]
    if bool(pinned) == bool(peer.release):
        raise ValueError(
            f"{peer.name} must have a release in the extra {peer.extra!r} or in PEERS, and not in both"
        )
    return pinned or [str(peer.release)]
