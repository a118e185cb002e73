"""`fastbleu.torch`: the numbers of `BLEU`, eager, compiled, exported and over further dimensions."""

import re
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.metric.compiled_steps import as_options, result_shape
from fastbleu.rerank import pairwise
from tests.support.modules import REPOSITORY
from tests.support.processes import printed_by, python
from tests.support.refusals import argument_error, refusal

FUNCTIONS = ("statistics", "sentence_bleu", "prefix_bleu", "pairwise_bleu")
SHAPES = (((6, 9), (6, 7)), ((6, 9), (6, 2, 7)), ((6, 3, 9), (6, 7)), ((6, 3, 9), (6, 2, 7)))
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"pad_id": 0, "eos_id": [1, 2], "ignore_id": None},
    {"smooth_method": "floor", "smooth_value": 0.3, "max_ngram_order": 2, "effective_order": False},
    {"weights": [1.0, 2.0, 0.0, 1.0], "reference_length": "shortest", "unk_id": 3},
)
RULE = ("pad_id", "eos_id", "ignore_id", "unk_id")


def draw(shape: tuple[int, ...], seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 9, shape)


def expected(name: str, ids: Any, references: Any, options: dict[str, Any]) -> Any:
    rule = {key: value for key, value in options.items() if key in RULE}
    others = {key: value for key, value in options.items() if key not in RULE}
    metric = BLEU(**{"tokenize": "none", "effective_order": True, **others})

    def wrap(matrix: Any) -> TokenIds:
        return TokenIds(matrix, **rule)

    if name == "pairwise_bleu":
        pools = zip(ids, references, strict=True)
        matrices = [pairwise(wrap(a), wrap(b), metric=metric) for a, b in pools]
        return np.minimum(np.array(matrices) / 100, 1)  # on the scale 1, no score is above it
    if name == "statistics":
        return metric.statistics(wrap(ids), wrap(references))
    method = metric.sentence_scores if name == "sentence_bleu" else metric.prefix_scores
    return method(wrap(ids), wrap(references), scale=1)


@pytest.fixture
def torch() -> Any:
    """The package torch, which has compiled nothing yet: the number of graphs of a function is limited."""
    host = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    host.compiler.reset()
    return host


def function_of(name: str, torch: Any, **options: Any) -> Any:
    """Return a function of `fastbleu.torch` with float64 results, where its results are floats."""
    options |= {} if name == "statistics" else {"dtype": torch.float64}
    return partial(getattr(import_module("fastbleu.torch"), name), **options)


def on_arrays(torch: Any, call: Any, *arrays: Any) -> Any:
    return call(*map(torch.from_numpy, arrays)).numpy()


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_compiled_function_gives_the_numbers_of_bleu(
    torch: Any, name: str, options: dict[str, Any]
) -> None:
    compiled = torch.compile(function_of(name, torch, **options), fullgraph=True, backend="eager")
    for shapes in SHAPES if name != "pairwise_bleu" else SHAPES[3:]:
        ids, references = draw(shapes[0]), draw(shapes[1], 2)
        found = on_arrays(torch, compiled, ids, references)
        wanted = expected(name, ids, references, options)
        assert found.dtype == wanted.dtype
        assert found.tolist() == wanted.tolist()


@pytest.mark.slow
def test_functions_take_a_further_dimension(torch: Any) -> None:
    def mapped(name: str, axes: tuple[int | None, ...], *arrays: Any) -> Any:
        return on_arrays(torch, torch.vmap(function_of(name, torch), in_dims=axes), *arrays)

    ids, references = draw((4, 6, 9)), draw((6, 7), 2)
    found = mapped("sentence_bleu", (0, None), ids, references)
    assert found.tolist() == [expected("sentence_bleu", batch, references, {}).tolist() for batch in ids]
    found = mapped("prefix_bleu", (0, 0), ids[0], references)  # one segment [T] at a time
    assert found.tolist() == expected("prefix_bleu", ids[0], references, {}).tolist()
    found = mapped("pairwise_bleu", (1, 1), ids, ids)
    assert found.tolist() == expected("pairwise_bleu", ids.swapaxes(0, 1), ids.swapaxes(0, 1), {}).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "name"), [((0, 5), "sentence_bleu"), ((3, 0), "prefix_bleu")])
def test_empty_matrices(torch: Any, shape: tuple[int, int], name: str) -> None:
    compiled = torch.compile(function_of(name, torch), fullgraph=True, backend="eager")
    assert on_arrays(torch, compiled, draw(shape), draw(shape)).shape == shape[: 1 + (name == "prefix_bleu")]


def test_shapes_are_checked_before_anything_runs() -> None:
    assert [result_shape(name, (2, 3, 5), (2, 4, 6), 4) for name in FUNCTIONS] == [
        (2, 3, 10),
        (2, 3),
        (2, 3, 5),
        (2, 3, 4),
    ]
    for name, ids, references, place in (
        ("sentence_bleu", (5,), (5,), "ids"),
        ("sentence_bleu", (5, 6), (5, 6, 7, 8), "reference_ids"),
        ("statistics", (5, 6), (4, 6), "reference_ids"),
        ("pairwise_bleu", (5, 6), (5, 6, 7), "ids"),
    ):
        with argument_error(ValueError, place):
            result_shape(name, ids, references, 4)


def test_options_are_plain_values() -> None:
    assert as_options(np.int64(3), {4})[:2] == ((3,), (4,))
    for name, value in (("pad_id", 1.5), ("pad_id", True), ("eos_id", np.zeros(())), ("weights", 5)):
        with argument_error(TypeError, name):
            as_options(**{name: value})
    with pytest.raises(TypeError, match="tokenize"):
        as_options(tokenize="none")


@pytest.mark.slow
def test_wrong_arrays_are_refused(torch: Any) -> None:
    ids = draw((6, 9))
    call = partial(on_arrays, torch, function_of("sentence_bleu", torch))
    message = r"must be integers, not .*float64: BLEU compares token ids, and has no gradient"
    for arrays, name in (((ids / 2, ids), "ids"), ((ids, ids / 2), "reference_ids")):
        with pytest.raises(TypeError, match=f"^{name} {message}"):
            call(*arrays)
    with pytest.raises(ValueError, match=r"^reference_ids are of 4 segments, but ids are of 6"):
        call(ids, ids[:4])
    with pytest.raises(Exception, match=re.escape("ids[0][2] is -7, and a token id must not be negative")):
        call(np.where(np.arange(9) == 2, -7, ids), ids)


@pytest.mark.slow
def test_wrong_types_of_torch_are_refused(torch: Any) -> None:
    from fastbleu.torch import sentence_bleu

    ids = torch.zeros((2, 3), dtype=torch.int64)
    assert refusal(sentence_bleu, ids.numpy(), ids).startswith(
        "TypeError: ids must be a torch.Tensor, not ndarray"
    )
    for name, value in (
        ("max_ngram_order", "4"),
        ("max_ngram_order", 2.0),
        ("smooth_method", None),
        ("smooth_value", np.zeros(2)),
    ):
        with pytest.raises(RuntimeError, match=f"for argument '{name}'"):  # torch's own
            sentence_bleu(ids, ids, **{name: value})
    for dtype in (torch.int64, torch.bool, torch.complex64, "float32"):
        assert refusal(sentence_bleu, ids, ids, dtype=dtype).startswith("TypeError: dtype must be a type of")
    assert torch.vmap(lambda row: sentence_bleu(row, ids[0]))(ids[:0]).shape == (0,)


@pytest.mark.slow
def test_the_recipe_for_jax() -> None:
    """In a process of its own: JAX objects to every fork after it was imported."""
    if find_spec("jax") is None:
        pytest.skip("JAX is not installed")
    page = (REPOSITORY / "docs" / "training.md").read_text(encoding="utf-8")
    (recipe,) = [
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "import jax" in block
    ]
    given = (
        "import jax.numpy as jnp\n"
        "samples, targets = jnp.array([[5, 6, 7, 8], [5, 9, 2, 0]]), jnp.array([[5, 6, 7, 8], [5, 6, 2, 0]])\n"
    )
    assert printed_by(f"{given}{recipe}print(rewards.tolist())") == "[1.0, 0.5]\n"


@pytest.mark.slow
def test_operators_pass_the_checks_of_torch(torch: Any) -> None:
    import fastbleu.torch as ours

    ids = torch.from_numpy(draw((4, 3, 9)))
    for name in FUNCTIONS:
        dtype = torch.int64 if name == "statistics" else torch.float32
        operator = getattr(torch.ops.fastbleu, name).default
        outcome = torch.library.opcheck(operator, (ids, ids, dtype, *as_options(pad_id=0)))
        assert set(outcome.values()) == {"SUCCESS"}
        assert torch.Tag.cudagraph_unsafe in operator.tags

    class Step(torch.nn.Module):  # type: ignore[misc]
        def forward(self, samples: Any, targets: Any) -> Any:
            return ours.prefix_bleu(samples, targets, pad_id=0)

    batch = {0: torch.export.Dim("batch")}
    exported = torch.export.export(Step(), (ids, ids[:, 0]), dynamic_shapes=(batch, batch)).module()
    more = torch.from_numpy(draw((9, 3, 9), 3))
    assert exported(more, more[:, 1]).equal(ours.prefix_bleu(more, more[:, 1], pad_id=0))


@pytest.mark.slow
def test_a_reward_in_a_compiled_step_leaves_the_gradient_of_the_rest(torch: Any) -> None:
    from fastbleu.torch import sentence_bleu

    def step(logits: Any, target: Any) -> Any:
        rewards = sentence_bleu(logits.argmax(-1), target, dtype=torch.float64)
        assert not rewards.requires_grad
        return (rewards * logits.logsumexp(-1).sum(-1)).sum()

    logits = torch.from_numpy(np.random.default_rng(4).random((5, 7, 9))).requires_grad_()
    target = torch.from_numpy(draw((5, 7)))
    torch.compile(step, fullgraph=True, backend="aot_eager")(logits, target).backward()
    rewards = expected("sentence_bleu", logits.argmax(-1).numpy(), target.numpy(), {})
    wanted = logits.detach().softmax(-1) * torch.from_numpy(rewards)[:, None, None]
    assert torch.allclose(logits.grad, wanted)


@pytest.mark.nightly
def test_the_example_learns(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    script = REPOSITORY / "examples" / "train_reward.py"
    printed = python(script, tmp_path / "curve.png", "--backend", "eager", "--steps", "60").stdout
    first, last = zip(*re.findall(r"([\d.]+) -> +([\d.]+)", printed), strict=True)
    assert max(map(float, first)) < 20
    assert min(map(float, last)) > 60
    assert (tmp_path / "curve.png").stat().st_size > 10_000
