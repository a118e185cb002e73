"""`BLEUReward` beside the reward of MT-R1-Zero: its formula restated, on its format, with the live sacreBLEU.

The function is `compute_score` with `reward_metric="BLEU"` and `reward_type="continuous"`, in
`verl/utils/reward_score/mt_score.py` of fzp0424/MT-R1-Zero, commit a2e38c47. It takes the score out of the printed
"BLEU = 23.40", so it rounds to two digits. Before that rounding the two are compared with `==`.
"""

import random
import re
from types import ModuleType
from typing import Any

import pytest

sacrebleu: Any = pytest.importorskip("sacrebleu", reason="sacreBLEU is not installed", exc_type=ImportError)

from fastbleu import BLEU
from fastbleu.rewards import BLEUReward
from tests.support.compared import compared

HEADER = "<|im_start|>assistant"


def check(samples: list[tuple[str, str]], tokenizer: str) -> None:
    compared("sacrebleu 2.6.0, as MT-R1-Zero calls it", len(samples))
    reward = BLEUReward(metric=BLEU(tokenize=tokenizer, force=True), extract="translate", scale=100)
    texts = [f"<|im_start|>user\nx<|im_end|>\n{HEADER}\n{text}" for text, _ in samples]
    references = [reference for _, reference in samples]
    ours = reward(texts, references)
    assert ours == [
        reward.score_one(text, reference) for text, reference in zip(texts, references, strict=True)
    ]
    for text, reference, found in zip(texts, references, ours, strict=True):
        answers = re.findall("<translate>(.*?)</translate>", text.split(HEADER, 1)[1], re.DOTALL)
        if answers and answers[-1].strip():
            score = sacrebleu.corpus_bleu([answers[-1].strip()], [[reference]], tokenize=tokenizer)
            (rounded,) = re.findall(r"BLEU = (\d+\.\d+)", str(score))
            assert found == score.score
            assert float(f"{found:.2f}") == float(rounded)
        else:
            assert found == 0.0


def test_newstest(newstest: ModuleType) -> None:
    for pair in ("en-de", "zh-en", "en-zh", "en-ja"):
        tokenizer = {"de": "13a", "en": "13a", "zh": "zh", "ja": "ja-mecab"}[pair[3:]]
        if tokenizer == "ja-mecab":
            pytest.importorskip("MeCab", reason="MeCab is not installed", exc_type=ImportError)
        references = next(iter(newstest.references(pair).values()))[:100]
        system = next(iter(newstest.systems(pair).values()))[:100]
        think = "<think>Word for\nword.</think>\n<translate>\n{}\n</translate>"
        check([(think.format(text), r) for text, r in zip(system, references, strict=True)], tokenizer)


def test_random() -> None:
    draw = random.Random(5)
    words = ["the", "cat", "sat", "on", "mat", ".", ",", "1.5", "&amp;", "-", "it's", "\u201cja\u201d", "\n"]

    def text() -> str:
        return " ".join(draw.choice(words) for _ in range(draw.randrange(12)))

    forms = [
        "<translate>{}</translate>",
        "{}",
        "<translate>x</translate> <translate>{}</translate>",
        "<translate>{}",
    ]
    samples = [(draw.choice(forms).format(text()), text()) for _ in range(1000)]
    check([*samples, ("<translate>a b c d</translate>", "a b c d")], "13a")
