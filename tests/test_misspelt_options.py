"""Misspelt options: the error names the function that was called, and the option that was probably meant."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from fastbleu import BLEU, CHRF, approximate_randomization, compare, paired_bootstrap
from fastbleu.rerank import (
    Pools,
    expected,
    mbr,
    near_duplicates,
    nearest,
    oracle,
    pairwise,
    rank,
    read,
    self_bleu,
    set_bleu,
)
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
    RepetitionShare,
    diversity_adjusted,
    nemo_gym,
    openrlhf,
    repetition_share,
    slime,
    trl,
    verifiers,
    verl,
)

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], str, str, str]] = [
    (BLEU, (), "BLEU", "tokenise", "tokenize"),
    (BLEU.for_language, ("de",), "BLEU", "lower_case", "lowercase"),
    (type("Ours", (BLEU,), {}), (), "Ours", "Tokenize", "tokenize"),
    (CHRF, (), "CHRF", "wordorder", "word_order"),
    (BLEUReward, (), "BLEUReward", "langauge", "language"),
    (CombinedReward, ({},), "CombinedReward", "extrct", "extract"),
    (ConsensusReward, (), "ConsensusReward", "excludeself", "exclude_self"),
    (DiversityReward, (), "DiversityReward", "kidn", "kind"),
    (RepetitionPenalty, (), "RepetitionPenalty", "maxpenalty", "max_penalty"),
    (RepetitionShare, (), "RepetitionShare", "treshold", "threshold"),
    (LengthReward, (), "LengthReward", "targt", "target"),
    (LengthReward.dapo, (9, 3), "dapo", "penalty", "penalty_factor"),
    (LengthReward.soft_overlong, (9, 3), "soft_overlong", "units", "unit"),
    (diversity_adjusted, ([], [], 1), "diversity_adjusted", "metrics", "metric"),
    (repetition_share, ([],), "repetition_share", "treshold", "threshold"),
    (trl.bleu_reward, (), "TRLReward", "reference_colum", "reference_column"),
    (verl.bleu_reward, (), "VerlReward", "languagekey", "language_key"),
    (verl.compute_score, ("", "a", "a"), "VerlReward", "refrence_field", "reference_field"),
    (openrlhf.bleu_reward, (), "OpenRLHFReward", "special_token", "special_tokens"),
    (slime.bleu_reward, (), "SlimeReward", "metadatakey", "metadata_key"),
    (nemo_gym.GymReward, (), "GymReward", "refrence", "reference"),
    (verifiers.bleu_reward, (), "TaskReward", "extrct", "extract"),
    (Pools, ([],), "Pools", "sizes", "size"),
    (pairwise, ([],), "pairwise", "reference", "references"),
    (expected, ([],), "expected", "weight_as", "weights_as"),
    (mbr, ([],), "mbr", "methods", "method"),
    (oracle, ([], []), "oracle", "levels", "level"),
    (rank, ([],), "rank", "model_score", "model_scores"),
    (rank, ([],), "rank", "k", "top_k"),
    (nearest, ([], []), "nearest", "directions", "direction"),
    (nearest, ([], []), "nearest", "threshold", "at_least"),
    (near_duplicates, ([], 50), "near_duplicates", "combination", "combine"),
    (self_bleu, ([],), "self_bleu", "smooting", "smoothing"),
    (set_bleu, ([], []), "set_bleu", "thread", "threads"),
    (read, ("x",), "read", "score_feild", "score_field"),
    (compare, ({}, []), "compare", "trails", "trials"),
    (approximate_randomization, ({},), "approximate_randomization", "ntrials", "n_trials"),
    (paired_bootstrap, ({},), "paired_bootstrap", "n_resample", "n_resamples"),
]


@pytest.mark.parametrize(("function", "arguments", "name", "misspelt", "meant"), CALLS)
def test_options_that_are_meant(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str, misspelt: str, meant: str
) -> None:
    with pytest.raises(TypeError) as caught:
        function(*arguments, **{misspelt: None})
    message = f"{name}() got an unexpected keyword argument {misspelt!r} (did you mean {meant!r}?)"
    assert str(caught.value) == message
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'qqqq'$"):
        function(*arguments, qqqq=None)


def test_other_errors_are_as_they_were() -> None:
    with pytest.raises(
        TypeError, match=r"^pairwise\(\) missing 1 required positional argument: 'hypotheses'$"
    ):
        pairwise()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^hypotheses must be a sequence of segments, not int: 3$"):
        pairwise(3)
    assert "upper_triangle" in inspect.signature(pairwise).parameters


def test_options_of_operators(torch: Any) -> None:
    from fastbleu.torch import statistics

    ids = torch.tensor([[5, 6]])
    message = r"^fastbleu\.torch\(\) got an unexpected .* 'smooth_metod' \(did you mean 'smooth_method'\?\)$"
    with pytest.raises(TypeError, match=message):
        statistics(ids, ids, smooth_metod="exp")  # type: ignore[call-arg]
