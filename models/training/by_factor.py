"""Score models on made-up drawings, one factor at a time: what they see badly.

python -m models.training.by_factor crowd cut things-houses --models models
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.training.ablate import placed_share
from models.training.annotated import read_annotated
from models.training.evaluate import MODELS, evaluate, scores_of
from models.training.held_out import write_held_out
from models.training.looking import Looker, load_looker
from models.training.synthesis.factors import Factor, all_factors

__all__ = ("main", "rows")

_HEADS = ("factor", "recall", "precision", "joints", "false on empty")
_LEAST_SCORE = 0.6


def rows(looker: Looker, factors: Sequence[Factor], pages: int) -> Iterator[tuple[str, ...]]:
    """The scores of each factor under `_HEADS`, as words; "-" where nothing was to be scored.

    looker: the models.
    factors: each is on in all the pictures that it is scored on.
    pages: pictures of each.
    """
    for factor in factors:
        with tempfile.TemporaryDirectory() as folder:
            write_held_out(Path(folder), pages, factor.shown)
            drawings = list(read_annotated(Path(folder)))
            scores = scores_of(evaluate(lambda drawing: looker.look(drawing.read()), drawings))
            if any(figure.joints for drawing in drawings for figure in drawing.figures):
                scores["joints"] = placed_share(looker, drawings)
        values = (f"{scores[name]:.3f}" if name in scores else "-" for name in _HEADS[1:])
        yield (factor.name, *values)


def main() -> int:
    """Read the command line, score, and print a Markdown table."""
    known = {factor.name: factor for factor in all_factors()}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("factors", nargs="*", metavar="FACTOR", help="names (all)")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of the model folders")
    parser.add_argument("--pages", type=int, default=60, help="pictures of each factor")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.factors) - set(known))
    if unknown:
        parser.error(f"no factor is called {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in arguments.factors] or list(known.values())
    looker = load_looker(arguments.models, "onnx", _LEAST_SCORE)
    for line in (_HEADS, ("---",) * len(_HEADS)):
        print(f"| {' | '.join(line)} |")
    for line in rows(looker, chosen, arguments.pages):
        print(f"| {' | '.join(line)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
