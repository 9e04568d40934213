"""TextHandler: what handlers of English text need."""

import re
import string
import unicodedata
from abc import ABC
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from serving.handlers.compat.handler_utils.text_utils import get_tokenizer
from serving.handlers.compat.torch_handler.base_handler import BaseHandler
from serving.handlers.compat.torch_handler.contractions import CONTRACTION_MAP
from serving.handlers.compat.utils.util import CLEANUP_REGEX

__all__ = ("TextHandler",)

_CONTRACTIONS = re.compile("|".join(CONTRACTION_MAP), re.IGNORECASE)


class TextHandler(BaseHandler, ABC):
    """Cleans text, cuts it, and knows the vocabulary of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.source_vocab: Any = None
        self.tokenizer = get_tokenizer("basic_english")
        self.input_text: Any = None
        self.lig: Any = None

    def initialize(self, context: Any) -> None:
        """Load the model and its vocabulary, and what explains it where Captum is installed."""
        super().initialize(context)
        path = self.manifest["model"].get("sourceVocab") or self.get_source_vocab_path(context)
        # Vocabularies are dictionaries, or objects of libraries that are not installed: data only.
        self.source_vocab = torch.load(path, weights_only=True)
        self.lig = _layer_gradients(self.model)

    def get_source_vocab_path(self, ctx: Any) -> str:
        """Find the vocabulary in the archive.

        Raises:
            Exception: when the archive has none.
        """
        path = Path(ctx.system_properties["model_dir"]) / "source_vocab.pt"
        if not path.is_file():
            msg = "the archive has no source_vocab.pt: add it as an extra file"
            raise Exception(msg)
        return str(path)

    def get_word_token(self, input_tokens: Iterable[str]) -> list[str]:
        """Take the mark of a space out of tokens of byte pair encoders."""
        return [token.replace("\u0120", "") for token in input_tokens]

    def summarize_attributions(self, attributions: Any) -> Any:
        """Scale attributions to be compared: softmax, then by the norm of their sums."""
        attributions = torch.softmax(attributions, dim=_implicit_axis(attributions))
        return attributions / torch.norm(attributions.sum(dim=-1))

    def _expand_contractions(self, text: str) -> str:
        expanded = _CONTRACTIONS.sub(_written_out, text)
        return expanded.replace("'", "")

    def _remove_accented_characters(self, text: str) -> str:
        return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()

    def _remove_html_tags(self, text: str) -> str:
        return CLEANUP_REGEX.sub("", text)

    def _remove_punctuation(self, text: str) -> str:
        return text.translate(str.maketrans("", "", string.punctuation))

    _remove_puncutation = _remove_punctuation  # as handlers of older versions call it

    def _tokenize(self, text: str) -> list[str]:
        return self.tokenizer(text)


def _written_out(found: re.Match[str]) -> str:
    text = found.group(0)
    expanded = CONTRACTION_MAP.get(text) or CONTRACTION_MAP[text.lower()]
    return text[0] + expanded[1:]


def _implicit_axis(values: Any) -> int:
    """Tell the axis that softmax takes when none is named: 0 for 0, 1 and 3 axes, else 1."""
    return 0 if values.dim() in {0, 1, 3} else 1


def _layer_gradients(model: Any) -> Any:
    try:
        from captum.attr import LayerIntegratedGradients
    except ImportError:
        return None
    return LayerIntegratedGradients(model, model.embedding)
