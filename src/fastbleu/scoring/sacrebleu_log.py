"""Log sacreBLEU's messages by its logger and as if from its modules and lines, so that a program's filters apply."""

from __future__ import annotations

from ..system.warning_origin import Origin
from ..tokenizers.languages import advice_against
from ..tokenizers.names import RENAMED_SPM, log_warning
from .sacrebleu_messages import LOOKS_TOKENIZED, ORDER

# The number of characters at the start of a message that identify its source line. The rest may be on the next line.
_CHARACTERS = 24

#: For each message, the statement of sacreBLEU that logs it, with its line in release 2.6.0.
_ORIGINS = {
    message: Origin(f"sacrebleu.{module}", function, line, message[:_CHARACTERS])
    for message, module, function, line in (
        (LOOKS_TOKENIZED[0], "metrics.base", "_extract_corpus_statistics", 394),
        (LOOKS_TOKENIZED[1], "metrics.base", "_extract_corpus_statistics", 395),
        (LOOKS_TOKENIZED[2], "metrics.base", "_extract_corpus_statistics", 398),
        (advice_against("", "zh"), "metrics.bleu", "__init__", 193),
        (advice_against("", "ja"), "metrics.bleu", "__init__", 196),
        (advice_against("", "ko"), "metrics.bleu", "__init__", 199),
        (ORDER, "metrics.bleu", "sentence_score", 419),
        (RENAMED_SPM, "tokenizers.tokenizer_spm", "__init__", 42),
    )
    if message
}


def log_as_sacrebleu(message: str) -> None:
    """Log a warning as sacreBLEU does. A warning that sacreBLEU does not have is logged by `log_warning`."""
    from logging import getLogger

    origin = _ORIGINS.get(message)
    if origin is None:
        log_warning(message)
    else:
        origin.run(getLogger("sacrebleu").warning, message)
