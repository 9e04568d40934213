"""Tokens of English text, and runs of them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ("get_tokenizer", "ngrams_iterator")

_Tokenizer = Callable[[str], list[str]]

_ALONE = re.compile(r"(['.,()!?])")
"""Marks that become tokens of their own."""
_SPACE = re.compile(r"<br />|[;:]")


def ngrams_iterator(token_list: Sequence[str], ngrams: int) -> Iterator[str]:
    """Go through the tokens, then through all runs of two of them, and so on up to `ngrams`."""
    yield from token_list
    for length in range(2, ngrams + 1):
        for start in range(len(token_list) - length + 1):
            yield " ".join(token_list[start : start + length])


def get_tokenizer(tokenizer: Any, language: str = "en") -> _Tokenizer:
    """Choose how text is cut: at spaces (None), as "basic_english", or by a function.

    Raises:
        ValueError: when it is none of these, or the language is not English.
    """
    if tokenizer is None:
        return str.split
    if tokenizer == "basic_english":
        if language != "en":
            msg = "basic_english cuts English only"
            raise ValueError(msg)
        return _cut_english
    if callable(tokenizer):
        chosen: _Tokenizer = tokenizer
        return chosen
    msg = f"there is no tokenizer {tokenizer!r}: give None, 'basic_english' or a function"
    raise ValueError(msg)


def _cut_english(line: str) -> list[str]:
    text = line.lower().replace('"', "")
    return _ALONE.sub(r" \1 ", _SPACE.sub(" ", text)).split()
