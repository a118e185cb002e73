"""The options of work on n-best lists in files; the command line `fastbleu-rerank` has an option for each."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Options:
    """Files, what their fields are called, what is looked for, and what is written.

    Attributes:
        command: "oracle", "mbr", "self-bleu" or "score".
        metric: "bleu" or "chrf".
        input: The file of candidates; "-" is standard input.
        input_format: Its form; None: recognised by the first line.
        output: The file that is written; None for standard output.
        output_format: Its form; None: that of its name, or of the input.
        references: Files of references.
        references_field: Columns of the table with references.
        candidates_per_source: Of plain text, how many lines belong to a source.
        candidates_field, text_field, id_field: What these fields of JSON, or columns of a table, are called.
        parallel_field: Further lists that have an item for each candidate.
        level: "sentence" or "corpus", of the oracle.
        method: "exact" or "aggregate", of mbr.
        evidence: The file of other samples, or None.
        exclude_self: Whether a candidate is left out of its own evidence.
        weights_from, weights_as, temperature: The field of the weights of the evidence, and how to read them.
        interpolate, model_score: How much the model's score counts, and its field.
        top_k, all: How many of the best are written, or all in the order of the input.
        details: Whether plain text has the place and the score of each candidate.
        index_field: What the place is called.
        width: Decimals of scores, 0..17.
        skip_bad: Whether broken lines and sources are left out.
        resume: Whether to go on with what a stopped run has left.
        threads: How many threads may work at the same time.
    """

    command: str = "mbr"
    metric: str = "bleu"
    input: str = "-"
    input_format: str | None = None
    output: str | None = None
    output_format: str | None = None
    references: list[str] = field(default_factory=list)
    references_field: list[str] = field(default_factory=list)
    candidates_per_source: int | None = None
    candidates_field: str = "candidates"
    text_field: str = "text"
    id_field: str = "id"
    parallel_field: list[str] = field(default_factory=list)
    level: str = "sentence"
    method: str = "exact"
    evidence: str | None = None
    exclude_self: bool = False
    weights_from: str | None = None
    weights_as: str | None = None
    temperature: float | None = None
    interpolate: float | None = None
    model_score: str | None = None
    top_k: int | None = None
    all: bool = False
    details: bool = False
    index_field: str = "index"
    width: int = 4
    skip_bad: bool = False
    resume: bool = False
    threads: int = 1
