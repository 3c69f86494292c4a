"""How much two profiles have in common, place by place: the sum of the smaller of the two shares of all samples.

    overlap(shares(one), shares(other))       # 0 to 1; profiles as `llvm-profdata merge --text` prints them

The similarity of `pgokit compare` and `llvm-profdata overlap` is that of each function's places among themselves, weighted by
function: samples that should be another function's hardly change it.
"""
import re

LINE = re.compile(r"( *)([\d.]+): (?:(\d+)(?: |$)|(.+):\d+$)")


def counts_of(text):
    """{(function, inlined calls, place): count}"""
    counts, frames = {}, []
    for line in text.splitlines():
        if not line.startswith(" "):
            frames = [line.rsplit(":", 2)[0]]
        elif found := LINE.match(line):
            indent, place, count, callee = found.groups()
            frames = frames[:len(indent)]
            if callee:
                frames.append((place, callee))
            else:
                counts[(*frames, place)] = int(count)
    return counts


def shares(text):
    """{(function, inlined calls, place): share}"""
    counts = counts_of(text)
    total = sum(counts.values()) or 1
    return {place: count / total for place, count in counts.items()}


def overlap(one, other):
    return sum(min(share, other.get(place, 0)) for place, share in one.items())
