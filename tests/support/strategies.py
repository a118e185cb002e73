"""Hypothesis strategies for segments, references and whole corpora, chosen to hurt."""

from typing import NamedTuple

from hypothesis import strategies as st

from tests.support.alphabet import ASCII_PUNCTUATION, DENSE, PIECES, SPACES

# Any code point at all, lone surrogates included.
any_character = st.characters(codec=None)


def texts(max_pieces: int = 40) -> st.SearchStrategy[str]:
    """Strings of hurting pieces, of the dense ones alone, of punctuation between digits, and of any code point."""

    def joined(pieces: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.lists(pieces, max_size=max_pieces).map("".join)

    return st.one_of(
        joined(st.sampled_from(PIECES)),
        joined(st.sampled_from(DENSE)),
        joined(st.sampled_from(f"12{ASCII_PUNCTUATION} a")),
        joined(st.one_of(st.sampled_from(PIECES), any_character)),
    )


# Words of one size class after another: what is stored inline, compared as one or two machine words, or by its bytes.
TOKEN_BYTES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200)


@st.composite
def near_tokens(draw: st.DrawFn) -> list[str]:
    """A few words that differ in one byte only, at the start, at the end, around a word boundary, or in length."""
    length = draw(st.sampled_from(TOKEN_BYTES))
    word = "a" * length
    found = [word, word + "a", word[:-1]]
    positions = {min(position, length - 1) for position in (0, 7, 8, 15, length // 2, length)}
    found += [f"{word[:position]}b{word[position + 1 :]}" for position in sorted(positions)]
    found += ["\0" * length, "\0" * (length + 1), "\u00e9" * length, f"{word[:-1]}\0"]
    return [token for token in found if token]


@st.composite
def vocabularies(draw: st.DrawFn) -> list[str]:
    """Words without white space: few, so that n-grams repeat, or near each other, or many."""
    kind = draw(st.sampled_from(("one", "few", "near", "many", "any")))
    if kind == "one":
        return ["a"]
    if kind == "few":
        return ["a", "b", "c"]
    if kind == "near":
        return draw(near_tokens())
    if kind == "many":
        return [f"w{i}" for i in range(300)]
    words = st.text(any_character.filter(lambda character: character not in SPACES), min_size=1, max_size=20)
    return draw(st.lists(words, min_size=1, max_size=8))


# Around one, two and more machine words of positions.
LENGTHS = (0, 1, 2, 3, 4, 5, 8, 20, 62, 63, 64, 65, 66, 126, 127, 128, 129, 130, 191, 192, 193, 256, 257)


@st.composite
def token_lists(draw: st.DrawFn, vocabulary: list[str]) -> list[str]:
    """A segment over the vocabulary: random words, or one pattern over and over."""
    length = draw(st.one_of(st.sampled_from(LENGTHS), st.integers(0, 30)))
    # Letting Hypothesis draw each of hundreds of words is slow and shrinks no better than a seeded generator.
    generator = draw(st.randoms(use_true_random=False))
    if draw(st.booleans()):
        return generator.choices(vocabulary, k=length)
    period = generator.randint(1, 5)
    pattern = generator.choices(vocabulary, k=period)
    return [pattern[i % period] for i in range(length)]


class Corpus(NamedTuple):
    hypotheses: list[str]
    streams: list[list[str | None]]


@st.composite
def corpora(draw: st.DrawFn, max_segments: int = 6, max_streams: int = 4) -> Corpus:
    """Segments of one vocabulary with their streams of references; some references `None`, never all of a segment."""
    n_segments = draw(st.integers(1, max_segments))
    n_streams = draw(st.integers(1, max_streams))
    segments = token_lists(draw(vocabularies())).map(" ".join)
    hypotheses = draw(st.lists(segments, min_size=n_segments, max_size=n_segments))
    streams: list[list[str | None]] = [[] for _ in range(n_streams)]
    for i in range(n_segments):
        row: list[str | None] = [
            draw(st.one_of(segments, segments, st.none(), st.just(hypotheses[i]))) for _ in range(n_streams)
        ]
        if all(reference is None for reference in row):
            row[draw(st.integers(0, n_streams - 1))] = draw(segments)
        for stream, reference in zip(streams, row, strict=True):
            stream.append(reference)
    return Corpus(hypotheses, streams)


orders = st.integers(1, 8)
smoothings = st.sampled_from(
    (
        ("none", None),
        ("exp", None),
        ("floor", None),
        ("floor", 0.25),
        ("add-k", None),
        ("add-k", 2),
        ("add-k", 0.5),
    )
)
