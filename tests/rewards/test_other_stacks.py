"""The recipes of docs/rewards/other-stacks.md, called as each stack calls a reward at the commit named there."""

import json
import re
import sys
import threading
import urllib.request
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from types import SimpleNamespace as Item
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, ConsensusReward

PAGE = Path(__file__).parents[2] / "docs" / "rewards" / "other-stacks.md"

TRUTH = "the cat sat on the mat"
TEXT = f"<answer>{TRUTH}</answer>"
CHAT = f"<|im_start|>user\nSay <answer> </answer>.<|im_end|>\n<|im_start|>assistant\n{TEXT}<|im_end|><|endoftext|>"
WRONG = "<answer>dogs</answer>"


@pytest.fixture(scope="module")
def recipes() -> dict[str, Any]:
    """Return the names that the Python blocks of the page define, as one module."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec("\n".join(blocks), names)  # noqa: S102  # our own page
    return names


CALLS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "areal": (lambda call: call("Say it.", CHAT, [1], [2], query_id="3", answer=TRUTH), 1.0),
    "compute_score": (lambda call: call(solution_str=CHAT, ground_truth=TRUTH), 1.0),
    "nemo_rl": (lambda call: [call(TRUTH, TEXT), call(TRUTH, WRONG)], [(1.0, True), (0.0, False)]),
    "ragen": (lambda call: call(TEXT, TRUTH), {"is_correct": True, "is_valid": True, "score": 1.0}),
    "rubric": (lambda call: call(completion=[{"role": "assistant", "content": TEXT}], answer=TRUTH), 1.0),
    "atropos": (
        lambda call: [
            *call([TEXT, {"role": "assistant", "content": TEXT}], solution=TRUTH),
            *call([{"message": {"role": "assistant", "content": WRONG}}], solution=[TRUTH]),
        ],
        [1.0, 1.0, 0.0],
    ),
    "hatchery": (lambda call: call([f"Say it.<|gold|>{TRUTH}<|/gold|>"] * 2, [CHAT, WRONG]), [1.0, 0.0]),
    "easyr1": (
        lambda call: call([{"response": TEXT, "response_length": 6, "ground_truth": TRUTH}]),
        [{"overall": 1.0, "bleu": 1.0}],
    ),
    "trlx_reward": (
        lambda call: call(
            samples=["Say it." + TEXT],
            prompts=["Say it."],
            outputs=[TEXT + "</s>"],
            tokenizer=None,
            reference=[TRUTH],
        ),
        [1.0],
    ),
    "tunix": (
        lambda call: [
            repr(each)
            for each in call(
                prompts=["Say it."] * 3,
                completions=[TEXT, WRONG, TEXT],
                reference=[TRUTH, TRUTH, None],
                beta=0.1,
            )
        ],
        ["1.0", "0.0", "nan"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name: str, recipes: dict[str, Any]) -> None:
    call, value = CALLS[name]
    assert call(recipes[name]) == value


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    def installed(module: str, kind: Any) -> None:
        parts = module.split(".")
        for i in range(1, len(parts) + 1):
            name = ".".join(parts[:i])
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        setattr(sys.modules[module], kind.__name__, kind)

    return installed


def test_rllm(install: Any, recipes: dict[str, Any]) -> None:
    class EvalOutput(Item):
        pass

    install("rllm.eval.types", EvalOutput)
    task = Item(metadata={"ground_truth": TRUTH, "data_source": "translation"})
    for episode in (
        Item(artifacts={"answer": TEXT}, trajectories=[]),
        Item(artifacts={}, trajectories=[Item(output=TEXT, steps=[])]),
    ):
        assert recipes["Evaluator"]().evaluate(task, episode) == EvalOutput(reward=1.0, is_correct=True)


def test_results_in_tensors(install: Any, recipes: dict[str, Any], torch: Any) -> None:
    oracle = recipes["Oracle"]()
    rewards, info = oracle.get_reward(["Say it."] * 2, [TEXT, WRONG], [TRUTH] * 2, batch_size=4)
    assert rewards.tolist() == [1.0, 0.0]
    assert 0 < info["zero"] < 1
    evaluated, _ = oracle.compare(["Say it."] * 2, [TEXT, WRONG], [TRUTH] * 2, return_probs=True)
    assert evaluated.reshape(2, 1).tolist() == [[1.0], [0.0]]

    class RewardOutput(Item):
        pass

    install("torchtune.dev.rl.rewards", RewardOutput)
    found = recipes["TorchtuneReward"]()(torch.zeros(2, 3), [CHAT, WRONG], [TRUTH, TRUTH])
    assert (found.total_reward.tolist(), found.successes.tolist()) == ([1, 0], [1, 0])

    class DataProto:
        @staticmethod
        def from_dict(tensors: dict[str, Any]) -> dict[str, Any]:
            return tensors

    class Tokenizer:
        def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
            assert not skip_special_tokens
            return [f"{TEXT}<|im_end|><pad><pad>"] * len(rows)

    install("roll.distributed.scheduler.protocol", DataProto)
    data = Item(batch={"responses": torch.zeros(2, 5)}, non_tensor_batch={"ground_truth": [TRUTH, "dogs"]})
    tensors = recipes["roll"](data, Tokenizer())
    assert tensors["response_level_rewards"].tolist() == tensors["scores"].tolist() == [1, 0]
    assert tensors["token_level_rewards"].shape == (2, 5)


class Pieces:
    """A tokenizer whose ids are pieces of text: special tokens, and words with the space before them."""

    def batch_decode(self, rows: list[list[str]], skip_special_tokens: bool) -> list[str]:
        texts = map("".join, rows)
        return [text.removesuffix("<|im_end|>") if skip_special_tokens else text for text in texts]

    def __call__(self, texts: list[str], add_special_tokens: bool, return_offsets_mapping: bool) -> Any:
        assert return_offsets_mapping
        assert not add_special_tokens
        found = [[*re.finditer(r"<.*?>|\s*[^\s<]+", text)] for text in texts]
        return {
            "input_ids": [[each[0] for each in row] for row in found],
            "offset_mapping": [[each.span() for each in row] for row in found],
        }


def test_skyrl(recipes: dict[str, Any]) -> None:
    words = ["the", " cat", " sat", " on", " the", " mat"]
    rows = [
        ["<answer>", *words, "</answer>", "<|im_end|>"],
        ["<answer>", "the c", "at", "</answer>", "<|im_end|>"],
    ]
    output = {"response_ids": rows}
    extras = {"reward_spec": {"ground_truth": TRUTH}}
    asked = {
        "env_extras": [extras] * 2,
        "trajectory_ids": [Item(instance_id="7", repetition_id=i) for i in range(2)],
    }
    answers = [TRUTH, "the cat"]
    bleu = BLEUReward()(answers, [TRUTH] * 2)
    agreement = ConsensusReward()(answers, groups=2)
    wanted = [0.8 * (one or 0) + 0.2 * (other or 0) for one, other in zip(bleu, agreement, strict=True)]
    assert recipes["skyrl"](output, asked, Pieces()) == pytest.approx(wanted, abs=1e-15)

    by_token = recipes["skyrl_by_token"](output, asked, Pieces())
    alone = BLEUReward().token_rewards([TRUTH], [TRUTH])[0].tolist()
    assert by_token[0] == pytest.approx([0.0, *alone, 0.0, 0.0], abs=1e-15)
    assert by_token[1] == pytest.approx([0.0, 0.0, 0.0, 0.0, bleu[1]], abs=1e-12)


def test_a_reward_model_over_http(recipes: dict[str, Any]) -> None:
    handler = type("Handler", (recipes["Handler"],), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        body = json.dumps({"prompt": "Say it.", "response": f"{TEXT}</s>", "label": [TRUTH]}).encode()
        url = f"http://127.0.0.1:{server.server_address[1]}/get_reward"
        # urlopen would keep the proxies of whoever called it first.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, body, timeout=60) as reply:
            assert json.loads(reply.read()) == 1.0
        server.shutdown()


def test_every_recipe_is_tested() -> None:
    page = PAGE.read_text(encoding="utf-8")
    defined = {*re.findall(r"^(?:def|class) (\w+)", page, re.MULTILINE)}
    others = {
        "Evaluator",
        "Oracle",
        "TorchtuneReward",
        "roll",
        "answer",
        "Handler",
        "serve",
        "skyrl",
        "skyrl_by_token",
    }
    assert defined == {*CALLS, *others}


def test_the_reward_that_prime_rl_names() -> None:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    task = tomllib.loads(block)["orchestrator"]["train"]["source"]["env"]["taskset"]["task"]
    module, _, name = task["rewards"]["bleu"]["fn"].partition(":")
    __import__(module)
    assert callable(getattr(sys.modules[module], name))
