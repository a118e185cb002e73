"""The options of work on n-best lists in files; the command line `fastbleu-rerank` has an option for each."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The name of the score by command; {} stands for the metric.
_SCORE_NAMES = {"oracle": "{}", "mbr": "expected_{}", "self-bleu": "self_{}", "score": "{}"}


@dataclass
class Options:
    """Files, the names of their fields, the task, and what is written.

    Attributes:
        command: "oracle", "mbr", "self-bleu" or "score"; "" for `read`, which only reads.
        metric: "bleu" or "chrf".
        input: The file of candidates; "-" is standard input.
        output: The file that is written; None for standard output.
        references: Files of references.
        candidates_field, text_field, id_field: The names of these fields of JSON.
        references_field: The field of JSON with the references of the source. None: "references" where a command needs
            references and has no files of them.
        score_field: The field of the models' scores: its number in a Moses n-best list, its name in JSON. None: 4, or
            "score".
        level: "sentence" or "corpus", of the oracle.
        method: "exact" or "aggregate", of mbr.
        exclude_self: Whether a candidate is left out of its own evidence.
        weights_as, temperature: How to read the models' scores as weights of the evidence; None: they are no weights.
        interpolate: The weight of the model's score in the ranking, or None.
        top_k, all: How many of the best are written, or all in the order of the input.
        index_field: The name of a winner's index in JSON.
        width: Decimals of scores, 0..17.
        skip_bad: Whether broken lines and sources are left out.
        resume: Whether to continue with the parts that a stopped run has left.
        threads: How many threads may work at the same time.
    """

    command: str = "mbr"
    metric: str = "bleu"
    input: str = "-"
    output: str | None = None
    references: list[str] = field(default_factory=list)
    candidates_field: str = "candidates"
    text_field: str = "text"
    id_field: str = "id"
    references_field: str | None = None
    score_field: str | None = None
    level: str = "sentence"
    method: str = "exact"
    exclude_self: bool = False
    weights_as: str | None = None
    temperature: float | None = None
    interpolate: float | None = None
    top_k: int | None = None
    all: bool = False
    index_field: str = "index"
    width: int = 4
    skip_bad: bool = False
    resume: bool = False
    threads: int = 1

    @property
    def needs_scores(self) -> bool:
        """Return whether the models' scores are read."""
        return self.weights_as is not None or self.interpolate is not None

    @property
    def needs_references(self) -> bool:
        """Return whether references are needed that no file has."""
        return self.command in {"oracle", "score"} and not self.references

    def called(self, name: str) -> str:
        """Return what the user calls an option: `--id-field` on a command line, `id_field` in Python."""
        return f"--{name.replace('_', '-')}" if self.command else name

    @property
    def added_fields(self) -> list[str]:
        """Return the names of the score, and of the index if the candidates of a source compete."""
        score = _SCORE_NAMES[self.command].format(self.metric)
        if self.interpolate is not None:
            score = "interpolated_score"
        return [score, self.index_field] if self.command in {"oracle", "mbr"} else [score]

    @property
    def writes_means(self) -> bool:
        """Return whether one number for each source is written, and no candidates."""
        return self.command == "self-bleu" and not self.all
