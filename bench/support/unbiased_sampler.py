"""What a recorder without bias would give: branch stacks at random moments of a run, drawn from its exact counts.

    sampler = UnbiasedSampler(exact_counts)       # text, as `pgokit generate --format raw` writes a recording of all branches
    text = sampler.draw(samples=900)              # of the same kind

Each stack gives its branches and what ran straight through before each of them, as if all of them were drawn by themselves. Those of
a real stack follow each other and so tell less: no recorder of so many stacks is better than this one, but by luck.
"""
import collections
import random
import re

DEPTH = 32  # branches of a stack


class UnbiasedSampler:
    def __init__(self, exact_counts):
        self.parts = []
        for sign in ("-", "->"):
            found = re.findall(rf"^([0-9a-f]+{sign}[0-9a-f]+):(\d+)$", exact_counts, re.MULTILINE)
            self.parts.append(([place for place, _ in found], [int(count) for _, count in found]))
        self.random = random.Random(1)

    def draw(self, samples):
        lines = []
        for places, counts in self.parts:
            drawn = collections.Counter(self.random.choices(places, weights=counts, k=samples * DEPTH))
            lines += [str(len(drawn)), *(f"{place}:{count}" for place, count in drawn.items())]
        return "\n".join(lines) + "\n"
