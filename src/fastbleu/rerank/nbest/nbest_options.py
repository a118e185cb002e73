"""Hold the options of a run over an n-best list, each of which is an option of the command `fastbleu-rerank`."""

from __future__ import annotations

from dataclasses import dataclass, field

#: The JSON field in which each command writes the score; {} is replaced by the name of the metric.
_SCORE_NAMES = {"oracle": "{}", "mbr": "expected_{}", "self-bleu": "self_{}", "score": "{}"}


@dataclass
class Options:
    """The options of a run over an n-best list.

    Attributes:
        command: "oracle", "mbr", "self-bleu" or "score"; "" if the function `read` reads the file for Python.
        metric: "bleu" or "chrf".
        input: The file of the n-best list; "-" is standard input.
        output: The output file; None for standard output.
        references: The files of references, with one line per source.
        candidates_field, text_field, id_field: The names of the JSON fields with the list of candidates, with the text
            of one candidate, and with the id of the source.
        references_field: The name of the JSON field with the references of the source. None: "references", if the
            command needs references and no files of references are given.
        score_field: The field with the model's scores: the number of a field of a Moses n-best list, or the name of a
            JSON field. None: field 4, or the JSON field "score".
        level: For the command oracle, "sentence" or "corpus".
        method: For the command mbr, "exact" or "aggregate".
        exclude_self: For the command mbr, whether to leave out the score of each candidate against itself.
        weights_as, temperature: For the command mbr, how the model's scores are converted to weights of the evidence,
            as in `rerank.mbr`. `weights_as` None: equal weights. `temperature` None: no softmax.
        interpolate: The weight of the model's scores in the ranking, 0..1; None: rank by the metric alone.
        top_k: The number of best candidates to write for each source; None: write the best one, without a rank.
        all: Whether to write all candidates, in the order of the input.
        index_field, rank_field: The names of the JSON fields in which a chosen candidate's index and, with `top_k`, its
            rank are written.
        width: The number of decimals of the written scores, 0..17.
        skip_bad: Whether to skip malformed lines and sources.
        resume: Whether to continue an interrupted run after its finished blocks.
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
        """Return whether the command uses the model's scores."""
        return self.weights_as is not None or self.interpolate is not None

    @property
    def needs_references(self) -> bool:
        """Return whether the command needs references from the n-best list, because it has no files of references."""
        return self.command in {"oracle", "score"} and not self.references

    def option_name(self, name: str) -> str:
        """Return the name of an option as a user writes it: `--id-field` on a command line, `id_field` in Python."""
        return f"--{name.replace('_', '-')}" if self.command else name

    @property
    def added_fields(self) -> list[str]:
        """Return the names of the fields that the output has in addition: the score, and perhaps the index and rank."""
        score = _SCORE_NAMES[self.command].format(self.metric)
        if self.interpolate is not None:
            score = "interpolated_score"
        if self.command not in {"oracle", "mbr"}:
            return [score]
        return [score, self.index_field, *([self.rank_field] if self.top_k is not None else [])]

    @property
    def writes_means(self) -> bool:
        """Return whether the output has one mean score per source instead of candidates."""
        return self.command == "self-bleu" and not self.all
