"""Special tokens and headers of chat templates: found, warned of, cut off."""

from __future__ import annotations

import logging
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rewards import BLEUReward
from fastbleu.rewards.completions.marks import (
    BEGINNINGS,
    END_TOKENS,
    HEADERS,
    first_mark,
    holds_mark,
    response_in,
)
from tests.support.reward_hosts import expected

TEXT = "the cat sat on the mat"


@pytest.mark.parametrize("header", ["", *HEADERS])
def test_a_response_between_marks(header: str) -> None:
    for end in END_TOKENS:
        prompt = f"<s>Say it.{end}\n{header}\n\n" if header else ""
        for padding in ("", f"{end}{end}", "<pad>" * 3, "[PAD]\n[PAD]"):
            assert response_in(f"{prompt}{TEXT}{end}{padding}") == (TEXT, True)
        assert holds_mark(f"{TEXT} {end}") == end
    if header:
        assert holds_mark(f"{header}\n{TEXT}") == header


@pytest.mark.parametrize("mark", BEGINNINGS)
def test_marks_before_a_response(mark: str) -> None:
    assert response_in(f"{mark}{mark}\n{TEXT}") == (TEXT, True)
    assert response_in(f"{TEXT}{mark}{mark}") == (TEXT, True)
    assert first_mark([TEXT, mark]) == mark


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
        (f"[INST] Say it. [/INST] {TEXT}</s>", TEXT),
        (f"<<SYS>>\nSo.\n<</SYS>>\n\nSay it. [/INST] no </s><s>[INST] Again. [/INST] {TEXT} </s>", TEXT),
        (f"<|im_start|>user<|im_sep|>Say it.<|im_end|><|im_start|>assistant<|im_sep|>{TEXT}<|im_end|>", TEXT),
        (f"<｜begin▁of▁sentence｜>User: Say it.\n\nAssistant: {TEXT}<｜end▁of▁sentence｜>", TEXT),
        (f"A chat. USER: Say it. ASSISTANT: {TEXT}</s>USER: More. ASSISTANT: dogs</s>", TEXT),
        (f"### User:\nSay it.\n\n### Assistant:\n{TEXT}</s>", TEXT),
        (f"User: Say it.\nFalcon: {TEXT}<|endoftext|>", TEXT),
        (f"<|im_start|>User: Say it.<end_of_utterance>\nAssistant: {TEXT}<end_of_utterance>", TEXT),
        (f"[gMASK]<sop><|user|>\nSay it.<|assistant|>\n{TEXT}<|observation|>", TEXT),
        (f"]~!b[]~b]system\nSo.[e~[\n]~b]user\nSay it.[e~[\n]~b]ai\n{TEXT}[e~[\n", TEXT),
        (f"<s>So.<|message_sep|>user<|role_sep|>Say it.<|message_sep|>assistant<|role_sep|>{TEXT}", TEXT),
        (f"Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\n{TEXT}\n<|end|>", TEXT),
        (f"{TEXT}<|im_start|>user\nMore.", TEXT),
        (f"{TEXT}<|start_header_id|>user<|end_header_id|>\n\nMore.", TEXT),
        (f"{TEXT}<start_of_turn>user\nMore.", TEXT),
        (f"{TEXT}<｜User｜>More.", TEXT),
        (f"{TEXT}[INST] More.", TEXT),
        (f"{TEXT}</s>\nHuman: More.", TEXT),
        (f"\ufeff <s> {TEXT} </s>", TEXT),
        (f"</s>{TEXT}", TEXT),  # OPT begins so
        ("It was <s>5</s> and is <s>4</s> 3.</s></s>", "It was <s>5</s> and is <s>4</s> 3."),
        (f"<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>{TEXT}<|return|>", TEXT),
        (f"<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>{TEXT}<|END_RESPONSE|>", TEXT),
    ],
)
def test_turns(text: str, found: str) -> None:
    assert response_in(text) == (found, True)
    assert BLEUReward(special_tokens="strip").score_one(text, TEXT) == expected(found, TEXT)


def test_words_of_turns_are_named_as_they_stand() -> None:
    assert holds_mark(f"### Instruction:\nSay it.\n\n### Response:\n{TEXT}") == "### Response:"
    assert holds_mark(f"USER:\nSay it.\nASSISTANT: {TEXT}") == "ASSISTANT:"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "",
        "2 < 3 > 1",
        "<answer>a</answer>",
        "[1] a",
        "He said: User: x",
        "Assistant: a",
        "user|> <| </s x",
        "The <s>old</s> price: $<s> < </s>$.",
        "Write </s> at the end, not </S> or <|IM_END|>.",
        "عنوان <s>قديم</s> 新的",
    ],
)
def test_text_without_marks(text: str) -> None:
    assert response_in(text) == (text, False)
    assert holds_mark(text) == ""


@given(st.text(st.sampled_from("<|>/s[]INST: \nUserAsitan"), max_size=60))
def test_what_is_cut_off_is_the_beginning_and_the_end(text: str) -> None:
    found, cut = response_in(text)
    assert found in text
    assert cut == bool(holds_mark(text))
    assert cut or found == text


@pytest.mark.parametrize(
    "unit",
    [
        *("User:\n", "Assistant:\n", "<s>", "</s> a", "</s>" + " " * 50, "<|im_end|>", "[/INST", "<|"),
        *("<|im_start|>assistant", "\n\n", "[e~[", "Falcon:", "USER: ", " <s>\ufeff"),
    ],
)
def test_the_time_grows_with_the_length(unit: str) -> None:
    start = time.process_time()
    response_in(unit * 100_000)
    assert time.process_time() - start < 5


def test_what_is_done_with_them(caplog: pytest.LogCaptureFixture) -> None:
    text = f"<|im_start|>assistant\n{TEXT}<|im_end|>"
    kept = expected(text, TEXT)
    assert 0 < kept < 0.7
    warning = BLEUReward()
    assert [warning.score_one(text, TEXT), *warning([text, TEXT], [TEXT] * 2)] == [kept, kept, 1.0]
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("fastbleu", logging.WARNING)
    assert record.getMessage().startswith(
        "A completion holds '<|im_start|>assistant', which a chat template writes"
    )
    assert BLEUReward(special_tokens="keep")([text], [TEXT]) == [kept]
    strips = BLEUReward(special_tokens="strip")
    assert [strips.score_one(text, TEXT), *strips([text, TEXT, "dogs"], [TEXT] * 3)] == [1.0, 1.0, 1.0, 0.0]
    assert (strips.counts.cut, strips.counts.perfect, strips.counts.zero) == (2, 3, 1)
    assert "|special:stripped|" in strips.signature + "|"
    assert len(caplog.records) == 1


def test_a_warning_of_a_batch_and_of_what_is_extracted(caplog: pytest.LogCaptureFixture) -> None:
    BLEUReward(extract="answer")(["<answer>a</answer></s>"] * 3, ["a"] * 3)
    assert not caplog.records  # what is scored holds none
    greedy = BLEUReward(baseline="greedy")
    for _ in range(2):
        greedy(["a</s>"], ["a"], greedy=["a</s>"])
    assert len(caplog.records) == 1
    BLEUReward()(["a", "a</s>"], ["a"] * 2)
    assert "holds '</s>'" in caplog.text


def test_prompts_of_reasoning_models() -> None:
    reward = BLEUReward(special_tokens="strip", strip_reasoning=True, extract="answer")
    text = f"User: Use <answer> </answer>.\nAssistant: <think>hm <answer>x</answer></think><answer>{TEXT}</answer><eos>"
    assert reward.score_one(text, TEXT) == 1.0
