"""The style of the report's page; light and dark, phone and desk, print."""

__all__ = ("STYLE",)

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #667085; --line: #d9dee6;
  --paper: #ffffff; --card: #f5f7fa; --good: #1769aa; --bad: #b0b7c3; --best: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #9aa6b8; --line: #36404f;
  --paper: #141a22; --card: #1d2530; --good: #5fb0f0; --bad: #586375; --best: #ff9152; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.verdict { background: var(--card); border-left: .3rem solid var(--best); padding: .75rem 1rem;
  border-radius: .4rem; } .verdict strong { font-size: 1.5rem; } .none { border-color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0 0 1rem; background: var(--card); border-radius: .4rem; padding: .5rem; }
svg { display: block; width: 100%; height: auto; font: 15px system-ui, sans-serif; }
@media (max-width: 40rem) { svg { font-size: 24px; } svg circle { r: 9px; }
  svg .best { r: 13px; } }
figcaption { color: var(--soft); font-size: .9rem; padding: .25rem .5rem; }
figcaption span::before { content: "\\25CF "; } figcaption .front::before { content: "- - "; }
figcaption .good { color: var(--good); } figcaption .best { color: var(--best); }
text { fill: var(--ink); } .tick { fill: var(--soft); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--line); stroke-width: 1; }
.front { fill: none; stroke: var(--good); stroke-width: 2; stroke-dasharray: 6 4; }
line.limit { stroke: var(--best); stroke-width: 1.5; } text.limit { fill: var(--best); }
.spread { stroke-width: 2; opacity: .6; } .spread.good { stroke: var(--good); }
.spread.bad { stroke: var(--bad); } .spread.best { stroke: var(--best); }
circle, rect { stroke: none; } circle.good, rect.good { fill: var(--good); }
circle.bad, rect.bad { fill: var(--bad); }
circle.hollow { fill: var(--card); stroke-width: 3; } circle.hollow.good { stroke: var(--good); }
circle.hollow.bad { stroke: var(--bad); } circle.best, rect.best { fill: var(--best); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper);
  font-weight: normal; min-width: 9rem; white-space: normal; }
@media (min-width: 40rem) { th:first-child { min-width: 19rem; } }
tr.best th, tr.best td { color: var(--best); font-weight: 600; } tr.bad td { color: var(--soft); }
li.bad { color: var(--best); font-weight: 600; }
pre { background: var(--card); padding: .75rem; border-radius: .4rem; overflow-x: auto; }
"""
