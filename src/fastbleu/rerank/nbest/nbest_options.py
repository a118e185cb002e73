"""The options of a run over n-best lists; the command `fastbleu-rerank` has an option for each."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The name of the score by command; {} is replaced by the name of the metric.
_SCORE_NAMES = {"oracle": "{}", "mbr": "expected_{}", "self-bleu": "self_{}", "score": "{}"}


@dataclass
class Options:
    """Files, the names of their fields, the command, and its output.

    Attributes:
        command: "oracle", "mbr", "self-bleu" or "score"; "" for `read`, which only reads.
        metric: "bleu" or "chrf".
        input: The file of candidates; "-" is standard input.
        output: The output file; None for standard output.
        references: Files of references.
        candidates_field, text_field, id_field: The names of these fields of JSON.
        references_field: The field of JSON with the references of the source. None: "references" where a command needs
            references and has no files of them.
        score_field: The field of the model's scores: its number in a Moses n-best list, its name in JSON. None: 4, or
            "score".
        level: "sentence" or "corpus", of the oracle.
        method: "exact" or "aggregate", of mbr.
        exclude_self: Whether a candidate is excluded from its own evidence.
        weights_as, temperature: The conversion of the model's scores to weights of the evidence; None: no weights.
        interpolate: The weight of the model's score in the ranking, or None.
        top_k, all: The number of best candidates to write, or whether to write all in the order of the input.
        index_field, rank_field: The names of a winner's index and, with `top_k`, of its rank in JSON.
        width: Decimals of scores, 0..17.
        skip_bad: Whether malformed lines and sources are skipped.
        resume: Whether to continue after the finished blocks of an interrupted run.
        threads: The maximum number of threads that work at the same time.
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
    rank_field: str = "rank"
    width: int = 4
    skip_bad: bool = False
    resume: bool = False
    threads: int = 1

    @property
    def needs_scores(self) -> bool:
        """Return whether the model's scores are read."""
        return self.weights_as is not None or self.interpolate is not None

    @property
    def needs_references(self) -> bool:
        """Return whether the command needs references and no file of them is given."""
        return self.command in {"oracle", "score"} and not self.references

    def called(self, name: str) -> str:
        """Return the name of an option for the user: `--id-field` on a command line, `id_field` in Python."""
        return f"--{name.replace('_', '-')}" if self.command else name

    @property
    def added_fields(self) -> list[str]:
        """Return the names of the score and, if the command chooses among candidates, of their index and rank."""
        score = _SCORE_NAMES[self.command].format(self.metric)
        if self.interpolate is not None:
            score = "interpolated_score"
        if self.command not in {"oracle", "mbr"}:
            return [score]
        return [score, self.index_field, *([self.rank_field] if self.top_k is not None else [])]

    @property
    def writes_means(self) -> bool:
        """Return whether the output is one number for each source, without candidates."""
        return self.command == "self-bleu" and not self.all
