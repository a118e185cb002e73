"""Rules of several ids: what they leave of rows of every kind, and what is refused."""

import random
from array import array
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.inputs._ids import use_instructions
from tests.support.compared import SCALE
from tests.support.id_rows import (
    EOS,
    PAD,
    RULES,
    RULES_OF_SEVERAL,
    Rule,
    kept,
    known,
    lines_of,
    matrix_of,
    random_matrix,
    random_rule,
    written,
)


def of(rule: Rule, ids: Any, **options: Any) -> TokenIds:
    return TokenIds(ids, **rule._asdict(), **options)


@pytest.mark.parametrize(
    ("rule", "row", "tokens"),
    [
        (Rule(PAD, EOS), [0, 0, 5, 0, 6, 2, 7], [5, 6]),
        (Rule(PAD, EOS), [0, 2, 5], []),
        (Rule(EOS, EOS), [2, 2, 5, 6, 2, 2], [5, 6]),
        (Rule(ignore_id=None, pad_id=-100), [-100, 5, -100], [5]),
        (Rule(PAD, (8, 9)), [5, 6, 9, 0, 0], [5, 6]),
        (Rule(PAD, (8, 9)), [0, 0, 5, 8, 6, 9], [5]),
        (Rule((0, 1), 2), [0, 1, 5, 1, 6, 0, 2, 7], [5, 6]),
        (Rule((0, 1), 2), [1, 2, 5], []),
        # What is padding and an end as well is padding at the beginning, and an end after it.
        (Rule((0, 2), (2, 3)), [2, 0, 2, 5, 6, 2, 7], [5, 6]),
        (Rule((0, 2), (2, 3)), [2, 0, 3, 5], []),
        (Rule((0, 2), (2, 3)), [5, 0, 6, 3, 2], [5, 6]),
        (Rule((2, 3), (2, 3)), [3, 2, 5, 3, 6], [5]),
        (Rule((0, 1)), [0, 5, 1, 6, 1, 0], [5, 6]),
        (Rule(None, (128001, 128008, 128009)), [5, 128000, 128009, 6], [5, 128000]),
        (Rule((0, -1), (-2, -3), -100), [-1, 5, -100, 6, -3, -9], [5, 6]),
    ],
)
def test_rule(rule: Rule, row: list[int], tokens: list[int]) -> None:
    assert kept(row, *rule[:3]) == tokens
    for ids in (np.array([row]), [row], [np.array(row)], [tuple(row)], [array("l", row)]):
        assert of(rule, ids)[0] == tokens


@pytest.mark.parametrize("level", [0, 1, 2])
def test_random_rules_and_rows(level: int) -> None:
    """Random rules over matrices of every width, ragged rows, cut rows, and all instructions."""
    generator = random.Random(level)
    known_rules = RULES + RULES_OF_SEVERAL
    use_instructions(level)
    try:
        for turn in range(150 * SCALE):
            rule = known_rules[turn] if turn < len(known_rules) else random_rule(generator)
            width = generator.choice((0, 1, 7, 8, 15, 16, 17, 33, 70))
            matrix = random_matrix(generator, rule, 12, width)
            # A token replaces ids that must not be: negative ones that the rule does not name.
            matrix = [[id_ if id_ >= 0 or id_ in rule.special else 9 for id_ in row] for row in matrix]
            expected = [rule.of(row) for row in matrix]
            ids = matrix_of(matrix)
            assert list(map(known, of(rule, ids))) == expected, rule
            assert list(map(known, of(rule, np.asfortranarray(ids)))) == expected, rule
            assert list(map(known, of(rule, matrix))) == expected, rule
            lengths = [generator.randint(0, width) for _ in matrix]
            cut = [rule.of(row[:length]) for row, length in zip(matrix, lengths, strict=True)]
            assert list(map(known, of(rule, ids, lengths=lengths))) == cut, rule
    finally:
        use_instructions(2)


@pytest.mark.parametrize("rule", RULES + RULES_OF_SEVERAL, ids=str)
def test_same_statistics_and_prefix_scores_as_the_ids_written_as_strings(rule: Rule) -> None:
    generator = random.Random(str(rule))
    bleu = BLEU(tokenize="none", effective_order=True)
    for _ in range(20 * SCALE):
        rows, width = generator.choice((0, 1, 7, 40)), generator.choice((0, 1, 5, 30, 70, 300))
        hypotheses = random_matrix(generator, rule, rows, width)
        references = random_matrix(generator, rule, rows, generator.choice((0, 4, 64, 65, 300)))
        lines = lines_of(hypotheses, rule, "h"), lines_of(references, rule, "r")
        given = of(rule, matrix_of(hypotheses)), of(rule, matrix_of(references))
        assert bleu.statistics(*given).tolist() == bleu.statistics(lines[0], [lines[1]]).tolist()
        scores = bleu.prefix_scores(*given)
        # The score at each place is that of the tokens up to there; of none, that of an empty segment.
        of_words = bleu.prefix_scores(["", *lines[0]], [["", *lines[1]]])[1:]
        for i, row in enumerate(hypotheses):
            up_to = rule.kept_up_to(row)
            empty = bleu.sentence_scores([""], [[lines[1][i]]])[0]
            assert scores[i].tolist()[: len(row)] == [
                of_words[i][number - 1] if number else empty for number in up_to
            ]


@pytest.mark.parametrize("rule", [Rule((PAD, EOS, 300), (EOS, 7)), Rule(PAD, 7)])
def test_references_of_each_segment(rule: Rule) -> None:
    """A reference of nothing but padding, of whichever pad id, is absent; one that ends at once is there."""
    generator = random.Random(4)
    bleu = BLEU(tokenize="none")
    for _ in range(50):
        number = generator.randint(1, 4)
        hypotheses = random_matrix(generator, rule, 6, 20)
        references = [random_matrix(generator, rule, number, 15) for _ in range(6)]
        for rows in references:
            for k in range(number):
                if generator.random() < 0.4:
                    rows[k] = generator.choices(
                        (PAD, rule.special[1] if rule.eos_id != 7 else PAD, -100), k=15
                    )
                elif generator.random() < 0.2:
                    rows[k] = [PAD, 7, *rows[k][2:]]
        expected = [
            written(
                [rule.of(row) for row in rows if not rule.is_padding(row) or all(map(rule.is_padding, rows))]
            )
            for rows in references
        ]
        wanted = bleu.statistics(written(list(map(rule.of, hypotheses))), bleu.prepare_segments(expected))
        ids = of(rule, np.array(references))
        for form in (ids, bleu.prepare(ids), bleu.prepare_segments(ids)):
            assert bleu.statistics(of(rule, np.array(hypotheses)), form).tolist() == wanted.tolist()


def test_many_ids_far_apart() -> None:
    generator = random.Random(5)
    ends = tuple(generator.sample(range(1 << 40), 3000))
    rows = [[generator.randrange(1 << 40) for _ in range(200)] for _ in range(5)]
    for row in rows:
        row[generator.randrange(200)] = generator.choice(ends)
    rule = Rule(tuple(generator.sample(range(1 << 40), 1000)), ends)
    assert list(of(rule, np.array(rows))) == [rule.of(row) for row in rows]


def forms(*ids: int) -> list[Any]:
    return [
        list(ids),
        tuple(ids),
        set(ids),
        frozenset(ids),
        dict.fromkeys(ids).keys(),
        array("l", ids),
        np.array(ids),
        np.array(ids, dtype=np.uint8),
        [*ids, *ids],
        [np.int64(id_) for id_ in ids],
    ]


def test_forms_of_several() -> None:
    ids = np.array([[5, 2, 6], [3, 2, 7]])
    for form in forms(2, 3):
        assert list(TokenIds(ids, eos_id=form)) == [[5], []]
        assert TokenIds(ids, pad_id=form, eos_id=form).rule["pad_id"] == (2, 3)
    for form in (*forms(2), 2, np.int64(2), np.array(2), range(2, 3)):
        assert TokenIds(ids, pad_id=form, eos_id=form).rule == {
            "pad_id": 2,
            "eos_id": 2,
            "ignore_id": -100,
            "unk_id": None,
        }


def test_tensors_and_generation_configs(torch: Any) -> None:
    ids = torch.tensor([[5, 2, 6], [3, 2, 7]])
    for several in (
        torch.tensor([2, 3]),
        [torch.tensor(2), torch.tensor(3)],
        torch.tensor([2, 3], dtype=torch.int32),
    ):
        assert list(TokenIds(ids, eos_id=several)) == [[5], []]
    for one in (torch.tensor(2), torch.tensor([2])):
        assert TokenIds(ids, eos_id=one).rule["eos_id"] == 2
    for wrong in (torch.tensor([2.0]), torch.tensor(True), torch.tensor([True])):
        with pytest.raises(TypeError, match=r"^eos_id(\[0\])? must be an int, not (float|bool)"):
            TokenIds(ids, eos_id=wrong)
    transformers = pytest.importorskip(
        "transformers", reason="transformers is not installed", exc_type=ImportError
    )
    config = transformers.GenerationConfig(eos_token_id=[3, 2], pad_token_id=0)
    found = TokenIds(ids, pad_id=config.pad_token_id, eos_id=config.eos_token_id)
    assert (list(found), found.rule["eos_id"]) == ([[5], []], (3, 2))


@pytest.mark.parametrize("name", ["pad_id", "eos_id"])
@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ([], ValueError, "{} is empty; pass None if there is no such id"),
        (np.array([], dtype=int), ValueError, "{} is empty"),
        ([2, True], TypeError, "{}[1] must be an int, not bool: True"),
        ([2.0], TypeError, "{}[0] must be an int, not float: 2.0"),
        (np.array([True]), TypeError, "{}[0] must be an int, not bool: True"),
        (np.True_, TypeError, "{} must be an int, not bool: True"),
        ([2, None], TypeError, "{}[1] must be an int, not NoneType: None"),
        (np.array([[2, 3]]), TypeError, "{}[0] must be an int, not list: [2, 3]"),
        ([2, 2**63], ValueError, "{}[1] must be at most 9223372036854775807, got 9223372036854775808"),
        ([-(2**63)], ValueError, "{}[0] must be at least -9223372036854775807, got"),
        ("2", TypeError, "{} must be an int, or several, not str: '2'"),
        ({2: 3}, TypeError, "{} must be an int, or several, not dict with the keys [2]"),
        (iter([2]), TypeError, "{} must be an int, or several, not list_iterator"),
    ],
)
def test_what_is_no_id(name: str, value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        TokenIds(np.zeros((2, 3), dtype=int), **{name: value})
    assert str(caught.value).startswith(words.format(name))


def test_ids_that_must_not_be_beside_several() -> None:
    for rule in (Rule((0, 1), (2, 3)), Rule(None, (2, 3)), Rule((0, 1)), Rule((0, 1), tuple(range(2, 9)))):
        for wrong in (-7, -(2**63)):
            for row in ([10, wrong, 11], [10] * 40 + [wrong]):
                t = row.index(wrong)
                for ids in (np.array([row]), [np.array(row)], [row]):
                    with pytest.raises(ValueError, match=rf"^ids\[0\]\[{t}\] is {wrong}, and a token id"):
                        list(of(rule, ids))
        with pytest.raises(ValueError, match=r"^ids\[0\]\[1\] is 18446744073709551515, more than"):
            list(of(rule, np.array([[10, 2**64 - 101]], dtype=np.uint64)))
