"""Check whether a release of a peer scores the same under `fastbleu.patch` as without it.

    python tools/compare_patched_release.py sacrebleu 2.5.1 --calls 20000

Installs the release into a folder of its own, makes random calls, misshapen ones too, and makes them again under the
patch. A release without a difference may stand in `PEERS` in `src/fastbleu/patch/peers.py`.
"""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def sacrebleus_results(calls: int) -> Callable[[], list[Any]]:
    from sacrebleu.metrics.bleu import BLEU

    from tests.support.sacrebleu_calls import outcome, random_call

    random = Random(calls)
    called = [random_call(random) for _ in range(calls)]
    return lambda: [outcome(BLEU, call)[:2] for call in called]


def nltks_results(calls: int) -> Callable[[], list[Any]]:
    from tests.support.nltk_calls import outcome, random_call

    random = Random(calls)
    called = [random_call(random) for _ in range(calls)]
    state = random.getstate()
    return lambda: [outcome(call, state, random) for call in called]


def torchmetrics_results(calls: int) -> Callable[[], list[Any]]:
    from tests.support.torchmetrics_calls import results

    return lambda: [str(found.tolist()) for seed in range(max(1, calls // 700)) for found in results(seed)]


RESULTS = {"sacrebleu": sacrebleus_results, "nltk": nltks_results, "torchmetrics": torchmetrics_results}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("peer", choices=RESULTS)
    parser.add_argument("release")
    parser.add_argument("--calls", type=int, default=20_000)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        requirement = f"{options.peer}=={options.release}"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            folder,
            requirement,
        ]
        subprocess.run(command, check=True)  # a release by its name
        sys.path.insert(0, folder)
        from fastbleu import patch
        from fastbleu.patch.peers import PEERS

        peer = PEERS[options.peer]
        peer.releases = (options.release,)  # whatever it is
        results = RESULTS[options.peer](options.calls)
        without = results()
        with patch.install(options.peer):
            found = results()
        taken = sum(line.taken for line in patch.report() if line.peer == options.peer)
        different = sum(ours != theirs for ours, theirs in zip(found, without, strict=True))
        print(
            f"{options.peer} {peer.release}: {len(found)} results, {taken} by fastbleu, {different} different"
        )
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
