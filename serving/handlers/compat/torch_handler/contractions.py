"""English contractions, written out.

Made of stems and endings, in place of a list: "she'll" is "she" and "will".
"""

from collections.abc import Iterator

__all__ = ("CONTRACTION_MAP",)

_NOT = {
    **dict.fromkeys(("are", "could", "did", "do", "does", "had", "has", "have", "is"), ""),
    **dict.fromkeys(("might", "must", "need", "ought", "should", "was", "were", "would"), ""),
    "ai": "is",
    "ca": "can",
    "may": "",
    "sha": "shall",
    "wo": "will",
}
"""Stem before "n't" to the verb it stands for; "" where the stem is the verb."""

_HAVE_AFTER_NOT = frozenset(
    ["ca", "could", "had", "might", "must", "need", "ought", "sha", "should", "wo", "would"]
)

_PERSONS = {
    "he": "d ll s",
    "i": "d ll m ve",
    "I": "d ll m ve",
    "it": "d ll s",
    "she": "d ll s",
    "that": "d s",
    "there": "d s",
    "they": "d ll re ve",
    "we": "d ll re ve",
    "what": "ll re s ve",
    "when": "s ve",
    "where": "s ve",
    "who": "ll s ve",
    "why": "s ve",
    "you": "d ll re ve",
    "y'all": "d re ve",
    "how": "ll s",
    **dict.fromkeys(["could", "might", "must", "should", "so", "to", "will", "would"], "ve"),
}
"""Word to the endings that it takes."""

_ENDINGS = {"d": "would", "ll": "will", "m": "am", "re": "are", "s": "is", "ve": "have"}

_WHOLE = {
    "'cause": "because",
    "how'd": "how did",
    "how'd'y": "how do you",
    "let's": "let us",
    "ma'am": "madam",
    "o'clock": "of the clock",
    "sha'n't": "shall not",
    "so's": "so as",
    "where'd": "where did",
    "y'all": "you all",
}
"""What is made by no rule."""


def _negations() -> Iterator[tuple[str, str]]:
    for stem, verb in _NOT.items():
        full = "cannot" if stem == "ca" else f"{verb or stem} not"
        yield f"{stem}n't", full
        if stem in _HAVE_AFTER_NOT:
            yield f"{stem}n't've", f"{full} have"


def _endings() -> Iterator[tuple[str, str]]:
    for word, endings in _PERSONS.items():
        said = _WHOLE.get(word, word)
        for ending in endings.split():
            yield f"{word}'{ending}", f"{said} {_ENDINGS[ending]}"
            if ending in {"d", "ll"} and word != "how":
                yield f"{word}'{ending}'ve", f"{said} {_ENDINGS[ending]} have"


CONTRACTION_MAP = dict(sorted({**dict(_negations()), **dict(_endings()), **_WHOLE}.items()))
"""Contraction to what it stands for."""
