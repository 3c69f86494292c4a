"""Every how many comparisons one is made: the long tests make all."""


class Share:
    """Takes the first of every EVERY, in turn. A number that has no factor in common with how many options are tried with a file
    takes all of them, each with some of the files."""

    def __init__(self, every):
        self.every, self.asked = every, 0

    def takes(self):
        self.asked += 1
        return (self.asked - 1) % self.every == 0

    def of(self, items):
        return [item for item in items if self.takes()]


def add_option(parser):
    parser.add_argument("--every", type=int, default=1, metavar="N", help="make one of N comparisons")
