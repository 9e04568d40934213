"""TextClassifier: the class of an English text."""

from typing import Any

import torch

from serving.handlers.compat.handler_utils.text_utils import ngrams_iterator
from serving.handlers.compat.torch_handler.text_handler import TextHandler, _implicit_axis
from serving.handlers.compat.utils.util import map_class_to_label

__all__ = ("TextClassifier",)


class TextClassifier(TextHandler):
    """Answers the probability of each class; takes one text at a time, whatever the batch."""

    ngrams = 2

    def preprocess(self, data: Any) -> Any:
        """Clean the first text and look its tokens, and runs of them, up in the vocabulary.

        Returns:
            The numbers as a tensor, and the tokens.
        """
        text = data[0].get("data") or data[0].get("body")
        if isinstance(text, bytes | bytearray):
            text = text.decode()
        for clean in (
            self._remove_html_tags,
            str.lower,
            self._expand_contractions,
            self._remove_accented_characters,
            self._remove_punctuation,
        ):
            text = clean(text)
        tokens = self._tokenize(text)
        numbers = [self.source_vocab[token] for token in ngrams_iterator(tokens, self.ngrams)]
        return torch.as_tensor(numbers, device=self.device), tokens

    def inference(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Run the model on one text, which begins at token 0."""
        numbers, _ = data
        return super().inference(numbers, torch.as_tensor([0], device=self.device))

    def postprocess(self, data: Any) -> Any:
        """Make labelled probabilities of the scores."""
        probabilities = torch.softmax(data, dim=_implicit_axis(data))
        return map_class_to_label(probabilities.tolist(), self.mapping)

    def get_insights(self, text_preprocess: Any, _raw_data: Any, target: Any = 0) -> Any:
        """Say how much each token speaks for a class.

        Raises:
            RuntimeError: when Captum is not installed.
        """
        if self.lig is None:
            msg = "explanations need Captum: install the extra `explain`"
            raise RuntimeError(msg)
        numbers, tokens = text_preprocess
        attributions = self.lig.attribute(
            numbers,
            torch.zeros_like(numbers),
            additional_forward_args=torch.tensor([0], device=self.device),
            return_convergence_delta=False,
            target=target,
        )
        importances = self.summarize_attributions(attributions).tolist()
        return [{"importances": importances, "words": self.get_word_token(tokens)}]
