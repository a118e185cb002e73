"""The arguments of kernels over pools that lie next to each other in columns, checked before the GIL is released.

Also the errors about candidates that only a kernel finds.
"""

from fastbleu.inputs._column cimport Column, Float64Buffer, IdColumn, Int64Buffer
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, check_tokenizer


class NoEvidenceError(ValueError):
    """A candidate has nothing to be scored against, or nothing that has a weight.

    Attributes:
        pool: Number of its pool, from 0.
        candidate: Its number in the pool.
    """

    def __init__(self, pool: int, candidate: int) -> None:
        super().__init__(f"candidate {candidate} of pool {pool} has no evidence")
        self.pool = pool
        self.candidate = candidate

    def __reduce__(self):
        return NoEvidenceError, (self.pool, self.candidate)


class NoTrigramError(ValueError):
    """NLTK's method 6 cannot score a pair in which tokens match, but no trigram.

    Attributes:
        hypothesis: Number of the hypothesis in its pool, from 0.
        reference: Number of the reference likewise.
        pool: Number of the pool.
    """

    def __init__(self, hypothesis: int, reference: int, pool: int = 0) -> None:
        super().__init__(f"hypothesis {hypothesis} and reference {reference} of pool {pool} have no trigram in common")
        self.hypothesis = hypothesis
        self.reference = reference
        self.pool = pool

    def __reduce__(self):
        return NoTrigramError, (self.hypothesis, self.reference, self.pool)


cdef int check_kind(Column column, str name, int tokenizer) except -1:
    check_tokenizer(tokenizer)
    if isinstance(column, IdColumn) != (tokenizer == TOKENIZE_IDS):
        raise TypeError(f"{name} must be ids for the tokenizer IDS, and text for all others")
    return 0


cdef int check_bounds(Int64Buffer bounds, Column column, str name) except -1:
    cdef Py_ssize_t i
    if bounds.rows < 1 or bounds.data[0] < 0 or bounds.data[bounds.rows - 1] > column.length:
        raise ValueError(f"{name} must hold places among {column.length} segments")
    for i in range(bounds.rows - 1):
        if bounds.data[i] > bounds.data[i + 1]:
            raise ValueError(f"{name}[{i + 1}] = {bounds.data[i + 1]} must not be below {bounds.data[i]}")
    return 0


cdef class PoolArguments:
    """The arguments of a kernel over pools.

    Args:
        candidates: All candidates of n pools, none of them absent.
        bounds: int64 [n + 1]: the candidates of pool i are those from bounds[i] to bounds[i + 1] - 1.
        evidence: Likewise what they are scored against; None: the candidates of their own pool.
        evidence_bounds: int64 [n + 1] of the evidence; None without.
        weights: float64, of each piece of evidence; None: all the same.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        scores: float64 [candidates] to write to.

    Raises:
        TypeError: A column of the other kind.
        ValueError: Something does not fit.
    """

    def __cinit__(
        self, Column candidates not None, bounds, Column evidence, evidence_bounds, weights, int tokenizer, scores
    ):
        self.candidates = candidates
        self.evidence = candidates if evidence is None else evidence
        self.candidate_view = &candidates.view
        self.evidence_view = NULL if evidence is None else &evidence.view
        self.scores = Float64Buffer(scores, "scores", 1, True)
        self.bounds = Int64Buffer(bounds, "bounds", 1, False)
        self.evidence_bounds = self.bounds
        check_kind(candidates, "candidates", tokenizer)
        check_kind(self.evidence, "evidence", tokenizer)
        check_bounds(self.bounds, candidates, "bounds")
        self.pools = self.bounds.rows - 1
        if evidence is not None:
            self.evidence_bounds = Int64Buffer(evidence_bounds, "evidence_bounds", 1, False)
            check_bounds(self.evidence_bounds, evidence, "evidence_bounds")
        if self.evidence_bounds.rows != self.bounds.rows:
            raise ValueError(f"evidence_bounds must hold {self.bounds.rows} places, not {self.evidence_bounds.rows}")
        if self.scores.rows != candidates.length:
            raise ValueError(f"scores must have the shape [{candidates.length}], not [{self.scores.rows}]")
        if weights is not None:
            self.weights = Float64Buffer(weights, "weights", 1, False)
            if self.weights.rows != self.evidence.length:
                raise ValueError(f"weights must have the shape [{self.evidence.length}], not [{self.weights.rows}]")


cdef void find_pool(PoolArguments arguments, Py_ssize_t i, PoolRange* found) noexcept nogil:
    """Pool i of the arguments."""
    found.start = arguments.bounds.data[i]
    found.stop = arguments.bounds.data[i + 1]
    found.evidence_start = arguments.evidence_bounds.data[i]
    found.evidence_stop = arguments.evidence_bounds.data[i + 1]
    found.weights = NULL
    if arguments.weights is not None:
        found.weights = arguments.weights.data + found.evidence_start
    found.scores = arguments.scores.data + found.start
