"""What more processors give, by Amdahl's law for each stage of a run.

    model = Model(one, two, both)        # seconds by stage: with 1 thread, with 2, and with 1 thread of two runs at once
    model.seconds(32)                    # {"reading": 0.4, "profile": 0.1, ...}
    model.seconds(2, other_one)          # of another input, of which its run with 1 thread is known

A stage takes s + p with one thread. What two runs at once take more than one alone is what cores cost each other
(memory, caches): the factor m of p, which is no serial part. So s + p m / 2 is what 2 threads take, and s + p m / n
what n do. Nothing is known of m for more than two processors: it is taken to stay as it is.
"""
import dataclasses


@dataclasses.dataclass
class Stage:
    one: float
    two: float
    both: float

    @property
    def contention(self):
        return min(max(self.both / self.one, 1), 1.9) if self.one > 0 else 1

    @property
    def parallel(self):
        """Seconds with one thread that more threads divide."""
        return min(max((self.one - self.two) / (1 - self.contention / 2), 0), self.one)

    @property
    def serial(self):
        return self.one - self.parallel

    def seconds(self, threads, one=None):
        factor = self.contention / threads if threads > 1 else 1
        share = self.parallel / self.one if self.one else 0
        one = self.one if one is None else one
        return one * (1 - share) + one * share * factor


class Model:
    def __init__(self, one, two, both):
        self.stages = {name: Stage(seconds, two.get(name, seconds), both.get(name, seconds)) for name, seconds in one.items()}

    def seconds(self, threads, one=None):
        return {name: stage.seconds(threads, one.get(name, 0) if one else None) for name, stage in self.stages.items()}

    def total(self, threads, one=None):
        return sum(self.seconds(threads, one).values())

    def limit(self, threads):
        """The stage that takes most, and its share."""
        seconds = self.seconds(threads)
        name = max(seconds, key=seconds.get)
        return name, seconds[name] / max(sum(seconds.values()), 1e-9)


def line_through(points):
    """Least squares: (offset, slope) of y over x."""
    n = len(points)
    mean_x, mean_y = (sum(point[i] for point in points) / n for i in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0
    return mean_y - slope * mean_x, slope
