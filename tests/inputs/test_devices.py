"""Arrays on accelerators, represented by classes that can only be copied, not read in place."""

import pickle
import sys
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.inputs.devices import is_on_host
from fastbleu.rewards.completions.ids import checked_id_options, read_ids
from tests.support.processes import printed_by

METRIC = BLEU(tokenize="none", effective_order=True)

CUDA, METAL = (2, 0), (8, 0)


class OnDevice:
    """An array of integers on an accelerator. What would read it in place fails; copies are counted."""

    copies = 0

    def __init__(self, ids: Any, where: tuple[int, int] = CUDA) -> None:
        self.ids = np.asarray(ids)
        self.where = where
        self.shape, self.ndim, self.dtype = self.ids.shape, self.ids.ndim, self.ids.dtype
        self.device: Any = "cuda:0"

    def __len__(self) -> int:
        return len(self.ids)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.where

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("on another device")

    def copy(self) -> np.ndarray[Any, Any]:
        type(self).copies += 1
        return self.ids.copy()


class LikeTorch(OnDevice):
    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first")

    def cpu(self) -> Any:
        return self.copy()


class LikeCuPy(OnDevice):
    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self) -> Any:
        return self.copy()


class LikeJAX(OnDevice):
    def __array__(self, *args: Any, **options: Any) -> Any:
        return self.copy()


class OnlyDLPack(OnDevice):
    """Any other framework, which copies when DLPack asks it to."""

    def __dlpack__(self, **options: Any) -> Any:
        assert options["dl_device"] == (1, 0)
        assert options["copy"] is True
        return self.copy().__dlpack__()


KINDS = [LikeTorch, LikeCuPy, LikeJAX]
if tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1):
    KINDS.append(OnlyDLPack)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(5, 7), (5, 3, 7)])
def test_one_transfer(kind: Any, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastbleu.inputs.ids.CHUNK_IDS", 8)  # many chunks
    rng = np.random.default_rng(0)
    found, wanted = rng.integers(0, 5, shape), rng.integers(0, 5, (5, 7))
    cases: list[tuple[int, Any]] = [
        (2, lambda: (kind(found), kind(wanted))),
        (2, lambda: (TokenIds(kind(found), pad_id=9), TokenIds(kind(wanted), pad_id=9))),
        (1, lambda: (kind(found), METRIC.prepare(wanted))),
        (2, lambda: (kind(found), METRIC.prepare(kind(wanted)))),
        (3, lambda: (kind(found), [kind(wanted), kind(wanted)])),
    ]
    for call in (METRIC.sentence_scores, METRIC.statistics, METRIC.prefix_scores):
        expected = call(found, wanted).tolist()
        for number, given in cases:
            kind.copies = 0
            result = call(*given())
            assert kind.copies == number
            assert type(result) is np.ndarray
            assert result.tolist() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_counted_transfers(kind: Any) -> None:
    ids = np.random.default_rng(0).integers(0, 5, (5, 7))
    kind.copies = 2
    rows = TokenIds([kind(row) for row in ids], pad_id=0)
    assert kind.copies == 7  # a list of rows has one for each
    assert list(rows) == list(TokenIds(list(ids), pad_id=0))
    samples = TokenIds(kind(ids), pad_id=0)
    assert kind.copies == 8
    METRIC.sentence_scores(samples, rows)
    METRIC.prefix_scores(samples, rows)
    assert list(pickle.loads(pickle.dumps(samples))) == list(samples)
    assert kind.copies == 8
    assert METRIC.sentence_score(kind(ids[0]), [kind(ids[0])]).counts == [7, 6, 5, 4]
    assert kind.copies == 10
    assert METRIC.corpus_score(kind(ids), kind(ids)).counts == [35, 30, 25, 20]
    kind.copies = 0
    batch = read_ids(
        kind([[5, 6, 2, 0], [5, 6, 7, 8]]), [[5, 2], [6, 7]], checked_id_options(pad_id=0, eos_id=2)
    )
    assert (list(batch.hypotheses), *map(list, batch.references)) == ([[5, 6], [5, 6, 7, 8]], [[5], [6, 7]])
    assert (batch.clipped, kind.copies) == (1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_refused_is_not_copied(kind: Any) -> None:
    kind.copies = 0
    for wrong, words in (
        (np.zeros((2, 3)), r"^ids must be an array of integers, not of float64; convert logits to ids"),
        (np.zeros((2, 3), dtype=bool), r"^ids must be an array of integers, not of bool$"),
    ):
        with pytest.raises(TypeError, match=words):
            TokenIds(kind(wrong))
    assert kind.copies == 0


def test_what_lies_on_the_host() -> None:
    for number in (1, 3, 11, 13):  # CPU, pinned for CUDA and ROCm, managed by CUDA
        assert is_on_host(OnDevice([[1]], (number, 0)))
    for number in (2, 7, 8, 10, 12):
        assert not is_on_host(OnDevice([[1]], (number, 0)))
    assert is_on_host([[1]])


def test_like_numpy_and_lists() -> None:
    ids = np.full((2, 5), 7)
    for hypotheses in (ids, TokenIds(ids), list(ids), memoryview(ids), ids.tolist()):
        result = METRIC.sentence_scores(hypotheses, ids, like=True)
        assert type(result) is np.ndarray
        assert result.dtype == np.float64
    with pytest.raises(TypeError, match=r"^like must be True or False, not str: 'torch'$"):
        METRIC.sentence_scores(ids, ids, like="torch")


def test_like_an_unknown_framework() -> None:
    with pytest.raises(
        TypeError,
        match=r"^hypotheses is a .*LikeTorch; like=True supports arrays of torch, JAX, CuPy and NumPy$",
    ):
        BLEU(tokenize="none").sentence_scores(LikeTorch([[1]]), LikeTorch([[1]]), like=True)


def test_like_torch(torch: Any) -> None:
    ids = torch.tensor([[[5, 6, 7, 8], [5, 6, 9, 9]], [[1, 2, 3, 4], [1, 1, 1, 1]]])
    wanted = ids[:, 0]
    for hypotheses in (ids, TokenIds(ids), torch.nn.Parameter(ids, requires_grad=False)):
        for call in (METRIC.sentence_scores, METRIC.prefix_scores, METRIC.statistics):
            result = call(hypotheses, wanted, like=True)
            assert type(result) is torch.Tensor
            assert result.device == ids.device
            assert result.dtype == (torch.int64 if call == METRIC.statistics else torch.float64)
            assert result.tolist() == call(hypotheses, wanted).tolist()
    rows = METRIC.sentence_scores(list(ids[:, 0]), [list(wanted)], like=True)
    assert type(rows) is torch.Tensor


def test_like_torch_elsewhere(monkeypatch: pytest.MonkeyPatch, torch: Any) -> None:
    """With a class in place of torch's tensors, which records the calls."""
    sent: list[tuple[Any, Any]] = []
    stand_in = ModuleType("torch")
    stand_in.Tensor = LikeTorch  # type: ignore[attr-defined]

    def from_numpy(result: Any) -> Any:
        def to(device: Any) -> str:
            sent.append((result, device))
            return "sent"

        return SimpleNamespace(to=to)

    stand_in.from_numpy = from_numpy  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", stand_in)
    bleu = BLEU(tokenize="none", effective_order=True)
    for device, where, dtype in (("cuda:0", CUDA, "float64"), ("mps", METAL, "float32")):
        ids = LikeTorch([[5, 6], [7, 8]], where)
        ids.device = torch.device(device)
        assert bleu.sentence_scores(TokenIds(ids), np.array([[5, 6], [7, 9]]), like=True) == "sent"
        result, sent_to = sent.pop()
        assert sent_to == torch.device(device)
        assert result.dtype == dtype
        expected = bleu.sentence_scores(np.array([[5, 6], [7, 8]]), np.array([[5, 6], [7, 9]]))
        assert result.tolist() == expected.astype(dtype).tolist()


def test_like_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    class Device:
        active: ClassVar[list[int]] = []

        def __enter__(self) -> None:
            self.active.append(3)

        def __exit__(self, *_: object) -> None:
            self.active.pop()

    stand_in = ModuleType("cupy")
    stand_in.ndarray = LikeCuPy  # type: ignore[attr-defined]
    stand_in.asarray = lambda result: (result.tolist(), list(Device.active))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", stand_in)
    ids = LikeCuPy([[5, 6]])
    ids.device = Device()
    bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=1)
    assert bleu.sentence_scores(ids, np.array([[5, 6]]), 1, like=True) == ([1.0], [3])


def test_torch_refuses(torch: Any) -> None:
    ids = torch.tensor([[5, 6], [7, 8]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch means to give them up
        quantized = torch.quantize_per_tensor(ids.float(), 1.0, 0, torch.quint8)
    with pytest.raises(TypeError, match=r"^ids is on the device meta, from which it cannot be copied: .*no"):
        TokenIds(ids.to("meta"))
    with pytest.raises(TypeError, match=r"^ids must be an array of integers, not Tensor:"):
        TokenIds(ids.to_sparse())
    with pytest.raises(TypeError, match=r"^ids must be an array of integers, not of torch\.quint8$"):
        TokenIds(quantized)
    with pytest.raises(
        TypeError, match=r"^ids must be an array of integers, not of torch\.float32; convert logits"
    ):
        TokenIds(torch.zeros(2, 3, requires_grad=True))


JAX_ARRAYS = """
import jax, jax.numpy as jnp, numpy as np
from fastbleu import BLEU, TokenIds
bleu = BLEU(tokenize="none", effective_order=True)
ids = jnp.array([[[5, 6, 7, 8], [5, 6, 9, 9]], [[1, 2, 3, 4], [1, 1, 1, 1]]])
assert list(TokenIds(ids[:, 0], pad_id=5)) == list(TokenIds(list(ids[:, 0]), pad_id=5)) == [[6, 7, 8], [1, 2, 3, 4]]
assert list(TokenIds(ids[:, 0])[::-1]) == [[1, 2, 3, 4], [5, 6, 7, 8]]
for hypotheses in (ids, TokenIds(ids)):
    for call in (bleu.sentence_scores, bleu.prefix_scores, bleu.statistics):
        result = call(hypotheses, ids[:, 0], like=True)
        expected = call(hypotheses, ids[:, 0])
        assert isinstance(result, jax.Array) and result.devices() == ids.devices()
        width = 8 if {x64} else 4
        assert result.dtype.itemsize == width, result.dtype
        assert result.tolist() == expected.astype(f"{{expected.dtype.kind}}{{width}}").tolist()
try:
    jax.jit(lambda traced: bleu.sentence_scores(traced, ids[:, 0]))(ids)
except TypeError as error:
    print(str(error).split(":")[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("x64", [False, True])
def test_like_jax(x64: bool) -> None:
    pytest.importorskip("jax", reason="JAX is not installed", exc_type=ImportError)
    # JAX starts threads, which processes that fork later must not have.
    program = JAX_ARRAYS.format(x64=x64)
    printed = printed_by(program, "-W", "error", JAX_ENABLE_X64=str(int(x64)), JAX_PLATFORMS="cpu")
    assert printed.startswith("hypotheses ")
