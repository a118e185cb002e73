"""Nobody who does not know the seeds can choose keys that share slots, and no result depends on the seeds."""

import ctypes
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, rerank
from tests.support.faults import floods
from tests.support.faults.preloading import compiled
from tests.support.modules import REPOSITORY
from tests.support.processes import printed_by

WORD = 1 << 64

#: Keys and slots: small tables have four slots for each, and larger ones two.
SIZES = ((64, 256), (1024, 2048), (4096, 16384))

# Random keys take 1.16 probes with four slots for each, and 1.5 with two. With a single product, these keys took
# hundreds by some of the seeds.
MOST_PROBES = 2.5

Probes = Callable[..., float]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    found = ctypes.CDLL(
        str(compiled("hashes", tmp_path_factory.mktemp("hashes"), REPOSITORY / "src" / "fastbleu"))
    )
    for name in ("probes_of_tokens", "probes_of_bytes", "probes_of_ngrams"):
        function = getattr(found, name)
        function.restype = ctypes.c_double
        second = ctypes.c_size_t if name == "probes_of_bytes" else ctypes.c_void_p
        sizes, seeds = [ctypes.c_size_t] * 2, [ctypes.c_uint64] * 2
        function.argtypes = [ctypes.c_void_p, second, *sizes, *seeds, ctypes.c_void_p, ctypes.c_void_p]
    return found


def pairs_of_seeds(number: int) -> Iterator[tuple[int, int]]:
    generator = random.Random(number)
    for _ in range(number):
        yield generator.getrandbits(64), generator.getrandbits(64)


def most_probes(function: Any, first: Any, second: Any, keys: int, slots: int, seeds: int = 300) -> float:
    """The most probes a key takes by any of some seeds."""
    homes, used = np.empty(keys, dtype=np.uintp), np.empty(slots, dtype=np.uint8)
    return max(
        float(function(first, second, keys, slots, *pair, homes.ctypes.data, used.ctypes.data))
        for pair in pairs_of_seeds(seeds)
    )


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "slots"), SIZES)
def test_tokens_with_an_order(library: ctypes.CDLL, keys: int, slots: int) -> None:
    found = {
        name: most_probes(library.probes_of_tokens, low.ctypes.data, high.ctypes.data, len(low), slots)
        for name, (low, high) in floods.token_keys(keys).items()
    }
    assert {name: most for name, most in found.items() if most > MOST_PROBES} == {}


@pytest.mark.parametrize(("keys", "slots"), SIZES)
def test_ngrams_with_an_order(library: ctypes.CDLL, keys: int, slots: int) -> None:
    found = {
        name: most_probes(library.probes_of_ngrams, each.ctypes.data, None, len(each), slots)
        for name, each in floods.ngram_keys(keys).items()
    }
    assert {name: most for name, most in found.items() if most > MOST_PROBES} == {}


@pytest.mark.parametrize("length", [16, 17, 24, 31, 32, 33, 64])
def test_long_tokens_with_an_order(library: ctypes.CDLL, length: int) -> None:
    keys, slots = 1024, 2048
    found = {
        name: most_probes(library.probes_of_bytes, texts, length, keys, slots, seeds=100)
        for name, texts in floods.long_texts(keys, length).items()
    }
    assert {name: most for name, most in found.items() if most > MOST_PROBES} == {}


def test_who_knows_the_seeds(library: ctypes.CDLL) -> None:
    """As SECURITY.md says, all keys can share one slot then: n keys take about n / 2 probes each."""
    first, second = next(pairs_of_seeds(1))
    keys, slots = 256, 1024
    highs, homes = np.full(keys, floods.ID_TAG, dtype=np.uint64), np.empty(keys, dtype=np.uintp)
    used = np.empty(slots, dtype=np.uint8)

    def probes(lows: floods.Keys) -> float:
        arrays = lows.ctypes.data, highs.ctypes.data
        found: float = library.probes_of_tokens(
            *arrays, keys, slots, first, second, homes.ctypes.data, used.ctypes.data
        )
        return found

    chosen: list[int] = []
    for start in range(0, 2 * keys * slots, keys):
        lows = np.arange(start, start + keys, dtype=np.uint64)
        probes(lows)
        chosen += lows[homes == 5].tolist()
    assert probes(np.array(chosen[:keys], dtype=np.uint64)) == (keys + 1) / 2


def results() -> list[Any]:
    """Do work that uses every kind of table."""
    generator = random.Random(5)
    words = [f"w{i}" * (1 + i % 5) for i in range(60)]
    texts = [
        " ".join(generator.choice(words) for _ in range(generator.choice((3, 40, 100, 400))))
        for _ in range(12)
    ]
    others = [" ".join(generator.sample(text.split(), len(text.split()))) for text in texts]
    ids = np.array([[generator.randrange(1 << 40) % 97 for _ in range(90)] for _ in range(6)])
    metric, plain = BLEU(), BLEU(tokenize="none", max_ngram_order=6)
    split = [[text.split() for text in each] for each in (texts, others)]
    mixed = [[*tokens, 1 << 70, 2.5, None] for tokens in split[0]]
    return [
        metric.statistics(texts, [others]).tolist(),
        metric.statistics(texts, [others, texts[::-1]]).tolist(),
        plain.statistics(*[split[0], [split[1]]]).tolist(),
        plain.statistics(mixed, [mixed[::-1]]).tolist(),
        plain.statistics(mixed, plain.prepare([mixed[::-1]])).tolist(),
        plain.statistics(ids + (1 << 40), [ids[::-1] + (1 << 40)]).tolist(),
        metric.statistics(texts, metric.prepare([others])).tolist(),
        metric.sentence_score(texts[0], [others[0]]).score,
        [each.tolist() for each in rerank.mbr([texts + others], threads=1)[:2]],
        rerank.pairwise(texts, others, threads=1).tolist(),
        [each.tolist() for each in rerank.oracle([texts[:6], texts[6:]], others[:2], threads=1)[:2]],
        rerank.self_bleu(texts).mean,
    ]


def test_no_result_depends_on_the_seeds() -> None:
    expected = results()
    for pair in ((0, 0), (WORD - 1, WORD - 1), (0, WORD - 1), *pairs_of_seeds(4)):
        with floods.seeded(*pair):
            assert results() == expected
    assert results() == expected


@pytest.mark.slow
def test_seeds_are_new_in_each_process() -> None:
    """They are 16 bytes of `os.urandom`, asked for once."""
    program = (
        "import os; asked = []; own = os.urandom; os.urandom = lambda size: asked.append(own(size)) or asked[-1]\n"
        "from tests.support.faults.floods import seeds\n"
        "assert list(map(len, asked)) == [8, 8], asked\n"
        "assert seeds()[:] == [int.from_bytes(each, 'little') for each in asked]\n"
        "print(*seeds())"
    )
    found = {each for _ in range(2) for each in printed_by(program).split()}
    assert len(found) == 4
    assert not any(int(each) < 1 << 40 for each in found)
