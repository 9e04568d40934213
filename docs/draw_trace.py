"""Draw the picture of a trace in the documentation, from spans of the product itself.

Say `python -m docs.draw_trace`. One drawing is read before, so that all is warm.
"""

import secrets
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from tests.support_serve import ROOT, App, serving_app
from tests.support_traces import Collector, Taken, collector

SAMPLE = ROOT / "web" / "samples" / "dancer.jpg"
PICTURE = ROOT / "docs" / "pictures" / "trace.svg"
COLOURS = {"animator-web": "#2b6f9e", "animator-worker": "#c2701c", "serving": "#3c8a4e"}
SKIPPED = frozenset({"rehearse"})
WIDTH, LEFT, RIGHT, ROW, TOP = 1000, 330, 70, 22, 58

Row = tuple[int, Taken]


def new_traceparent() -> str:
    """A trace that begins with the request that carries it."""
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def ask(app: App, taken: Collector) -> tuple[list[Taken], list[Taken]]:
    """The traces of a drawing and of its animation."""
    traces = new_traceparent(), new_traceparent()
    app.http.headers["traceparent"] = traces[0]
    drawing = app.upload(SAMPLE.read_bytes())
    app.wait_for_job(drawing["job"], within=120)
    app.http.headers["traceparent"] = traces[1]
    app.wait_for_job(app.animate(drawing["id"])["job"], within=120)
    del app.http.headers["traceparent"]
    ids = [trace.split("-")[1] for trace in traces]
    for id, last in zip(ids, ("annotate_drawing", "animate_drawing"), strict=True):
        taken.wait_for_span(f"process {last}", id)
    first, second = (
        [span for span in taken.trace(id) if not span.name.startswith("GET ")] for id in ids
    )
    return first, second


def walk(spans: list[Taken], parent: str, depth: int = 0) -> Iterator[Row]:
    """Each span under a parent, with its depth, in the order of their beginning."""
    children = sorted((s for s in spans if s.parent == parent), key=lambda span: span.begun)
    for span in children:
        if span.name not in SKIPPED:
            yield depth, span
            yield from walk(spans, span.id, depth + 1)


def roots(spans: list[Taken]) -> list[Row]:
    """All spans of a trace, in order, with their depth."""
    ids = {span.id for span in spans}
    (first,) = {span.parent for span in spans if span.parent not in ids}
    return list(walk(spans, first))


def draw_rows(rows: list[Row], top: int) -> Iterator[str]:
    """A line for each span: its name, its time as a bar, and how many milliseconds it took."""
    begun = min(span.begun for _, span in rows)
    scale = (WIDTH - LEFT - RIGHT) / (max(span.ended for _, span in rows) - begun)
    for number, (depth, span) in enumerate(rows):
        y = top + number * ROW
        x, width = LEFT + (span.begun - begun) * scale, (span.ended - span.begun) * scale
        milliseconds = (span.ended - span.begun) / 1e6
        size = f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"
        yield f'<text x="{10 + 13 * depth}" y="{y + 15}">{escape(span.name)}</text>'
        yield (
            f'<rect x="{x:.1f}" y="{y + 4}" width="{max(width, 1.5):.1f}" height="{ROW - 8}" '
            f'rx="2" fill="{COLOURS[span.service]}"/>'
        )
        yield f'<text class="t" x="{x + max(width, 1.5) + 5:.1f}" y="{y + 15}">{size}</text>'


def draw(traces: tuple[list[Taken], list[Taken]]) -> str:
    """Both traces under one another, as SVG."""
    first, second = map(roots, traces)
    below = TOP + len(first) * ROW + 40
    height = below + len(second) * ROW + 12
    legend = "".join(
        f'<rect x="{10 + 170 * at}" y="10" width="12" height="12" rx="2" fill="{colour}"/>'
        f'<text x="{28 + 170 * at}" y="20">{service}</text>'
        for at, (service, colour) in enumerate(COLOURS.items())
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>Two traces: a drawing is read, and an animation is made of it</title>",
        "<style>text{font:12px system-ui,sans-serif;fill:#222}.t{fill:#666}"
        ".h{font-weight:600}</style>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        legend,
        f'<text class="h" x="10" y="{TOP - 8}">A drawing is handed in and read</text>',
        *draw_rows(first, TOP),
        f'<text class="h" x="10" y="{below - 8}">An animation is made of it</text>',
        *draw_rows(second, below),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make the picture anew."""
    with tempfile.TemporaryDirectory() as folder, collector() as taken:
        told = {"ANIMATOR_TRACE_ENDPOINT": taken.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with serving_app(Path(folder), models=ROOT / "models", more=told) as app:
            ask(app, taken)
            traces = ask(app, taken)
            taken.wait_for(lambda: any(span.name == "model" for span in traces[0]))
    PICTURE.write_text(draw(traces))


if __name__ == "__main__":
    main()
