"""The evaluation as one HTML page that needs nothing else: scores, and the worst pictures."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.bar import BAR_HEADINGS, bar_rows
from models.training.evaluate import HEADINGS, Outcome, rows, worst_of
from models.training.outlines import OutlineOutcome

__all__ = ("Evaluation", "render_report")

_QUALITY = 80  # JPEG's, of 100

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

_STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --paper: #fff; --line: #d8d8dc; --soft: #f4f4f6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf0; --paper: #17171a; --line: #3a3a40; --soft: #222226; }
}
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--paper); }
.styles tbody tr:first-child { font-weight: 600; }
ul.worst { display: grid; gap: 1rem; padding: 0; list-style: none;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
figure { margin: 0; padding: .6rem; border-radius: .5rem; background: var(--soft); }
img { display: block; width: 100%; height: auto; border-radius: .3rem; }
figcaption { margin-top: .4rem; font-size: .9rem; overflow-wrap: anywhere; }
dt { float: left; clear: left; min-width: 8rem; } dd { margin: 0 0 0 8.5rem;
  overflow-wrap: anywhere; }
"""

_EXPLANATION = (
    "A figure is found when a box overlaps its own by half or more. PCK@0.1 is the share of joints "
    "that lie within a tenth of the true box's longer side; joints of figures that were not found "
    "are wrong. The last column is the share of pictures without a figure in which one was seen. "
    "Styles of fewer than three pictures are left out."
)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """All that was measured.

    Attributes:
        outcomes: of every annotated picture, at least one.
        outlines: of every picture with a true mask.
        scores: by name, [0, 1]; what is not among them was not measured.
    """

    outcomes: Sequence[Outcome]
    outlines: Sequence[OutlineOutcome]
    scores: Mapping[str, float]


def render_report(facts: Mapping[str, str], evaluation: Evaluation, worst: int) -> str:
    """The page.

    Args:
        facts: names and values for its head, such as what was evaluated.
        evaluation: what is told.
        worst: how many of the worst pictures, and of the worst outlines, it shows, >= 0.
    """
    outcomes, scores = evaluation.outcomes, evaluation.scores
    figures = "".join(f"<li>{_figure(outcome)}</li>\n" for outcome in worst_of(outcomes, worst))
    listed = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>\n" for k, v in facts.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>How well the models see</title>
<style>{_STYLE}</style>
<h1>How well the models see</h1>
<dl>
{listed}</dl>
<h2>The bar</h2>
<div class="wide" tabindex="0" role="region" aria-label="The bar">
{_table(BAR_HEADINGS, bar_rows(scores))}</div>
<h2>Style by style</h2>
<div class="wide styles" tabindex="0" role="region" aria-label="Style by style">
{_table(HEADINGS, rows(outcomes, by_tag=True))}</div>
<p>{_EXPLANATION}</p>
<h2>The worst pictures</h2>
<p>Green is the truth, red what was found, with its score; right hands and feet are blue.</p>
<ul class="worst">
{figures}</ul>
{_outlines(evaluation.outlines, worst)}</html>
"""


def _table(headings: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in headings)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>\n"
        for name, *cells in lines
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _outlines(outlines: Sequence[OutlineOutcome], worst: int) -> str:
    if not outlines:
        return ""
    shown = sorted(outlines, key=lambda o: (o.score.overlap, o.truth.name))[:worst]
    figures = "".join(
        f"<li>{_show(o.draw(), o.truth.name, (f'overlap {o.score.overlap:.3f}',))}</li>\n"
        for o in shown
    )
    return (
        f"<h2>The worst outlines of {len(outlines)}</h2>\n"
        "<p>Green is right, red is missing, blue is too much.</p>\n"
        f'<ul class="worst">\n{figures}</ul>\n'
    )


def _figure(outcome: Outcome) -> str:
    lines = (_words(outcome), ", ".join(outcome.drawing.tags))
    return _show(outcome.draw(), outcome.drawing.file.name, lines)


def _show(picture: NDArray[np.uint8], title: str, lines: Sequence[str]) -> str:
    """A picture RGB with its name and words below."""
    name = escape(title)
    pixels = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", pixels, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    source = f"data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}"
    size = f'width="{pixels.shape[1]}" height="{pixels.shape[0]}"'
    image = f'<img src="{source}" {size} alt="{name} with truth and prediction" loading="lazy">'
    words = "".join(f"<br>{escape(line)}" for line in lines)
    return f"<figure>{image}<figcaption><strong>{name}</strong>{words}</figcaption></figure>"


def _words(outcome: Outcome) -> str:
    """What went wrong, or did not."""
    counts = outcome.counts
    if counts["empty"]:
        return f"no figure in it; {len(outcome.found)} seen"
    text = f"{counts['matched']} of {counts['figures']} figures found, {counts['predicted']} seen"
    joints = f"; {counts['right@0.1']} of {counts['joints']} joints right"
    return text + (joints if counts["joints"] else "")
