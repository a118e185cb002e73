"""Define the texts of sacreBLEU's warnings."""

#: If at least this many hypotheses end in " .", sacreBLEU logs the messages in `LOOKS_TOKENIZED`.
TOKENIZED_LOOKING = 100
LOOKS_TOKENIZED = (
    "That's 100 lines that end in a tokenized period ('.')",
    "It looks like you forgot to detokenize your test data, which may hurt your score.",
    "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` parameter.",
)

#: The advice for sentence scores without effective order.
ORDER = "It is recommended to enable `effective_order` for sentence-level BLEU."
