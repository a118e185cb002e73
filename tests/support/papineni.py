"""The first example of Papineni et al. 2002 without its punctuation, and a pair of NLTK's documentation."""

GUIDE = "It is a guide to action which ensures that the military always obeys the commands of the party"
GUIDE_REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]

HISTORY = "he read the book because he was interested in world history"
HISTORY_REFERENCE = "he was interested in world history because he read the book"
