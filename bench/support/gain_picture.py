"""A picture of what bench/gain.py found: a group of bars for each program, with intervals. Reads well on light and dark pages."""
from xml.sax.saxutils import escape

SHOWN = ("probes", "exact-probes", "layout", "propeller", "bolt", "instrumented")
COLOURS = {"probes": "#9cc4e4", "exact-probes": "#5b9bd1", "layout": "#2f6fb0", "propeller": "#153f6e", "bolt": "#c9a227", "instrumented": "#8a8f98"}
WIDTH, LEFT, RIGHT, BAR, GAP, TOP, BOTTOM = 860, 150, 30, 9, 14, 58, 34
STYLE = """text{font:12px system-ui,sans-serif;fill:#57606a}line.grid{stroke:#8b949e;stroke-opacity:.3}line.interval{stroke:#6e7681}"""


def picture(results, labels):
    """`results`: by program, as bench/gain.json has them; `labels` of ways."""
    results = {name: one["times"] for name, one in results.items() if "times" in one}
    ways = [way for way in SHOWN if any(way in one["ways"] for one in results.values())]
    gains = [100 * (1 - one["ways"][way][key]) for one in results.values() for way in ways if way in one["ways"] for key in ("low", "high")]
    low, high = min([0, *gains]) - 1, max([0, *gains]) + 1
    group = BAR * len(ways) + GAP
    height = TOP + group * len(results) + BOTTOM
    x = lambda gain: LEFT + (WIDTH - LEFT - RIGHT) * (gain - low) / (high - low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
           "<title>CPU time less than that of the plain build, in percent, with 95 % intervals</title>", f"<style>{STYLE}</style>"]
    for number, way in enumerate(ways):
        at, row = 16 + (number % 3) * 280, 14 + (number // 3) * 18
        out.append(f'<rect x="{at}" y="{row - 9}" width="10" height="10" fill="{COLOURS[way]}"/>'
                   f'<text x="{at + 16}" y="{row}">{escape(labels[way])}</text>')
    for gain in range(int(low // 5) * 5, int(high) + 1, 5):
        if gain >= low:
            out.append(f'<line class="grid" x1="{x(gain):.1f}" x2="{x(gain):.1f}" y1="{TOP - 8}" y2="{height - BOTTOM}"/>'
                       f'<text x="{x(gain):.1f}" y="{height - BOTTOM + 16}" text-anchor="middle">{gain} %</text>')
    for place, (name, one) in enumerate(results.items()):
        y = TOP + place * group
        out.append(f'<text x="{LEFT - 10}" y="{y + BAR * len(ways) / 2 + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        for number, way in enumerate(ways):
            if way not in one["ways"]:
                continue
            figures, at = one["ways"][way], y + number * BAR
            start, stop = sorted((x(0), x(100 * (1 - figures["ratio"]))))
            out.append(f'<rect x="{start:.1f}" y="{at}" width="{max(stop - start, .5):.1f}" height="{BAR - 1}" fill="{COLOURS[way]}"/>'
                       f'<line class="interval" x1="{x(100 * (1 - figures["high"])):.1f}" x2="{x(100 * (1 - figures["low"])):.1f}" '
                       f'y1="{at + BAR / 2 - .5}" y2="{at + BAR / 2 - .5}"/>')
    return "\n".join(out + ["</svg>", ""])
