"""Special tokens and headers of chat templates: found, warned of, cut off."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rewards import BLEUReward
from fastbleu.rewards.completions.chat_templates import checked_tokens, response_finder
from fastbleu.rewards.completions.reasoning import REASONING_TAGS
from tests.support.reward_hosts import expected

TEXT = "the cat sat on the mat"

find_response = response_finder()

#: Headers of responses and tokens that end them, from the `chat_template` and the special tokens of each family of
#: models: they are recognized by their form.
TEMPLATES = [
    ("<|im_start|>assistant", "<|im_end|>"),  # ChatML: Qwen, OLMo, SmolLM
    ("<|im_start|>assistant<|im_sep|>", "<|im_end|>"),  # Phi-4
    ("<|start_header_id|>assistant<|end_header_id|>", "<|eot_id|>"),  # Llama 3
    ("<|start_header_id|>assistant<|end_header_id|>", "<|eom_id|>"),
    ("<|header_start|>assistant<|header_end|>", "<|eot|>"),  # Llama 4
    ("<start_of_turn>model", "<end_of_turn>"),  # Gemma
    ("<|turn>model", "<turn|>"),  # Gemma 4
    ("<|assistant|>", "<|end|>"),  # Phi-3
    ("<|assistant|>", "<|user|>"),  # GLM
    ("<|assistant|>", "<|observation|>"),
    ("<|assistant|>", "</s>"),  # Zephyr, Tulu
    ("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),  # DeepSeek
    ("<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),  # Command R
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),  # Command A
    ("<|start|>assistant", "<|return|>"),  # gpt-oss
    ("<|channel|>final<|message|>", "<|return|>"),
    ("<|channel|>final <|constrain|>json<|message|>", "<|call|>"),
    ("<seed:bos>assistant", "<seed:eos>"),  # Seed-OSS
    ("<|assistant_start|>", "<|assistant_end|>"),  # Apertus
    ("<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>"),  # Granite
    ("<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),  # Kimi
    ("[/INST]", "</s>"),  # Llama 2, Mistral
    ("[|assistant|]", "[|endofturn|]"),  # EXAONE
    ("<|message_sep|>assistant<|role_sep|>", "<|message_sep|>"),  # GigaChat
    ("<|role_start|>assistant<|role_end|>", "<|turn_end|>"),  # Megrez
    ("<|response|>", "<|endofresponse|>"),  # dots.llm1
    ("<｜hy_Assistant｜>", "<｜hy_User｜>"),  # Hunyuan
    ("<|begin|>assistant<|content|>", "<|end|>"),  # Solar Open
    ("[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"),  # Apriel
    ("<|begin_of_solution|>", "<|end_of_solution|>"),  # Sky-T1
    ("<|assistant|>", "<end_of_utterance>"),  # SmolVLM
    ("<|assistant|>", "<eos>"),
    ("<|assistant|>", "[EOS]"),
]


@pytest.mark.parametrize(("header", "end"), TEMPLATES)
def test_a_response_between_marks(header: str, end: str) -> None:
    for padding in ("", f"{end}{end}", "<pad>" * 3, "[PAD]\n[PAD]", "<|endoftext|>\n"):
        assert find_response(f"<s>Say it.{end}\n{header}\n\n{TEXT}{end}{padding}") == (TEXT, header)
        assert find_response(f"{TEXT}{end}{padding}") == (TEXT, end)


@pytest.mark.parametrize(
    "mark",
    [
        *("<s>", "</s>", "<bos>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<BOS_TOKEN>", "<pad>"),
        *("[PAD]", "<|pad|>", "<|finetune_right_pad_id|>", "<｜▁pad▁｜>", "[gMASK]", "<sop>", "[BOS]"),
        "<|startoftext|>",
    ],
)
def test_marks_around_a_text(mark: str) -> None:
    assert find_response(f"\ufeff{mark}{mark}\n{TEXT}")[0] == TEXT
    assert find_response(f"{TEXT}{mark}{mark}") == (TEXT, mark)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"User: Say it.\nAssistant: {TEXT}", TEXT),
        (
            f"A talk.\nHuman: Say it.\nAssistant: {TEXT}\nHuman: More.\nAssistant: dogs",
            f"{TEXT}\nHuman: More.\nAssistant: dogs",
        ),
        (f"### Instruction:\nSay it.\n\n### Response:\n{TEXT}</s>", TEXT),
        (f"<|im_start|>assistant\nno<|im_end|><|im_start|>assistant\n{TEXT}", TEXT),
        (f"<<SYS>>\nSo.\n<</SYS>>\n\nSay it. [/INST] no </s><s>[INST] Again. [/INST] {TEXT} </s>", TEXT),
        (f"<｜begin▁of▁sentence｜>User: Say it.\n\nAssistant: {TEXT}<｜end▁of▁sentence｜>", TEXT),
        (f"A chat. USER: Say it. ASSISTANT: {TEXT}</s>USER: More. ASSISTANT: dogs</s>", TEXT),
        (f"### User:\nSay it.\n\n### Assistant:\n{TEXT}</s>", TEXT),
        (f"<|im_start|>User: Say it.<end_of_utterance>\nAssistant: {TEXT}<end_of_utterance>", TEXT),
        (f"[gMASK]<sop><|user|>\nSay it.<|assistant|>\n{TEXT}<|observation|>", TEXT),
        (f"Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\n{TEXT}\n<|end|>", TEXT),
        (f"{TEXT}<|im_end|>user: more", TEXT),
        (f"{TEXT}<|im_start|>user\nMore.", TEXT),
        (f"{TEXT}<|start_header_id|>user<|end_header_id|>\n\nMore.", TEXT),
        (f"{TEXT}<start_of_turn>user\nMore.", TEXT),
        (f"{TEXT}<｜User｜>More.", TEXT),
        (f"{TEXT}[INST] More.", TEXT),
        (f"{TEXT} [/INST]", TEXT),
        (f"[INST] Say it. [/INST] {TEXT} [/INST]</s>", TEXT),
        ("[INST] Say it. [/INST]", ""),
        (f"{TEXT}</s>\nHuman: More.", TEXT),
        (f"<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>{TEXT}<|return|>", TEXT),
        (f"<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>{TEXT}<|END_RESPONSE|>", TEXT),
        # Marks around the whole text are cut off, and no others.
        (f"<s>{TEXT}</s>", TEXT),
        ("It was <s>5</s> and is <s>4</s> 3.</s></s>", "It was <s>5</s> and is <s>4</s> 3."),
        ("It was <s>5</s></s>", "It was <s>5</s>"),
        ("It was <s><b>5</b></s><|im_end|>", "It was <s><b>5</b></s>"),
        ("<s>5</s> 4</s>", "<s>5</s> 4"),
    ],
)
def test_turns(text: str, found: str) -> None:
    assert find_response(text)[0] == found
    assert find_response(text)[1]
    assert BLEUReward(special_tokens="strip").score_one(text, TEXT) == expected(found, TEXT)


@pytest.mark.parametrize(
    "text",
    [
        *(TEXT, "", "2 < 3 > 1", "<answer>a</answer>", "[1] a", "He said: User: x", "Assistant: a"),
        *("user|> <| </s x", "It was <s>100</s>", "<s>100</s> is the old price", "the <|name|> macro"),
        *("The <s>old</s> price: $<s> < </s>$.", "Write </s> at the end, not </S>.", "[THINK]Hm.[/THINK]a"),
        "عنوان <s>قديم</s> 新的",
    ],
)
def test_text_without_marks(text: str) -> None:
    assert find_response(text) == (text, "")
    assert BLEUReward(special_tokens="strip").score_one(text, text or "x") == float(bool(text))


@pytest.mark.parametrize(("opening", "closing"), REASONING_TAGS.items())
def test_reasoning_is_left_to_its_own_option(opening: str, closing: str) -> None:
    reward = BLEUReward(special_tokens=["<end>", opening, closing], strip_reasoning=True)
    assert reward.score_one(f"{opening}Hm.{closing}{TEXT}<|im_end|>", TEXT) == 1.0
    assert find_response(f"{opening}Hm.{closing}{TEXT}<|end|>")[0] == f"{opening}Hm.{closing}{TEXT}"


@given(st.text(st.sampled_from("<|>/s[]INST: \nUserAsitan"), max_size=60))
def test_what_is_cut_off_is_the_beginning_and_the_end(text: str) -> None:
    found, mark = find_response(text)
    assert found in text
    assert mark in text
    assert mark or found == text


@pytest.mark.parametrize(
    "unit",
    [
        *("User:\n", "Assistant:\n", "<s>", "</s> a", "</s>" + " " * 50, "<|im_end|>", "[/INST", "<|", "<|a"),
        *("<|im_start|>assistant", "\n\n", "[BEGIN A", "USER: ", " <s>\ufeff", "<s>a<b", "<a_", "<|a_"),
        *("<|channel|>final", "<|channel|>final<|constrain|>", "<s>a</s>", "<start_of_a"),
    ],
)
def test_the_time_grows_with_the_length(unit: str) -> None:
    """A quadratic search would take hours."""
    find_response(unit * 30_000)


def test_tokens_of_a_tokenizer() -> None:
    tokens = ["<|extra_0|>", "<e>", "~b]", "", "<s>"]
    reward = BLEUReward(special_tokens=tokens)
    assert reward.score_one(f"<e>~b]{TEXT}~b]<e>\n<e>", TEXT) == 1.0
    assert reward.score_one(f"{TEXT}<e>user\nMore.", TEXT) == 1.0
    assert reward.score_one("It was <s>100</s>", "It was <s>100</s>") == 1.0
    assert "|special:stripped|" in reward.signature + "|"
    assert find_response(f"{TEXT}<e>") == (f"{TEXT}<e>", "")
    assert response_finder(tokens)(f"a <e> b{TEXT}<e>") == (f"a <e> b{TEXT}", "<e>")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("cut", ValueError, "special_tokens must be one of warn, keep, strip, got 'cut'"),
        (["<e>", 3], TypeError, r"special_tokens\[1\] must be a str, not int: 3"),
        (3, TypeError, "special_tokens must be 'warn', 'keep', 'strip', or a sequence of tokens, not int: 3"),
    ],
)
def test_options_that_are_none(given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        checked_tokens(given)


def test_what_is_done_with_them(caplog: pytest.LogCaptureFixture) -> None:
    text = f"<|im_start|>assistant\n{TEXT}<|im_end|>"
    kept = expected(text, TEXT)
    assert 0 < kept < 0.7
    warning = BLEUReward()
    assert [warning.score_one(text, TEXT), *warning([text, TEXT], [TEXT] * 2)] == [kept, kept, 1.0]
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("fastbleu", logging.WARNING)
    assert record.getMessage().startswith(
        "A completion contains '<|im_start|>assistant', which looks like a marker of a chat template"
    )
    assert BLEUReward(special_tokens="keep")([text], [TEXT]) == [kept]
    strips = BLEUReward(special_tokens="strip")
    assert [strips.score_one(text, TEXT), *strips([text, TEXT, "dogs"], [TEXT] * 3)] == [1.0, 1.0, 1.0, 0.0]
    assert (strips.counts.cut, strips.counts.perfect, strips.counts.zero) == (2, 3, 1)
    assert "|special:stripped|" in strips.signature + "|"
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("extract", "text", "mark"),
    [
        (None, "a b c d<|im_end|>user: more", "<|im_end|>"),
        # What comes after the end of a turn decides the reward.
        ("answer", "<answer>a</answer><|im_end|>user: <answer>b</answer>", "<|im_end|>"),
        (lambda text: text.split("<|im_start|>")[1], "a<|im_start|>assistant", "<|im_start|>assistant"),
        ("answer", "<answer>a</answer></s>", None),  # It is not part of the answer.
        (None, "a b c d", None),
    ],
)
def test_what_is_logged(extract: Any, text: str, mark: str | None, caplog: pytest.LogCaptureFixture) -> None:
    reward = BLEUReward(extract=extract)
    for _ in range(2):
        reward(["<answer>a</answer>" if extract == "answer" else text, text], ["a"] * 2)
        reward.score_one(text, "a")
    assert len(caplog.records) == bool(mark)
    assert mark is None or f"contains {mark!r}" in caplog.text


def test_prompts_of_reasoning_models() -> None:
    reward = BLEUReward(special_tokens="strip", strip_reasoning=True, extract="answer")
    text = f"User: Use <answer> </answer>.\nAssistant: <think>hm <answer>x</answer></think><answer>{TEXT}</answer><eos>"
    assert reward.score_one(text, TEXT) == 1.0
    harmony = "<|channel|>analysis<|message|>t<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"
    reward = BLEUReward(special_tokens="strip", strip_reasoning=True)
    assert reward.score_one(f"{harmony}It rained all day.<|return|>", "It rained all day.") == 1.0
